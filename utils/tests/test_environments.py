"""课程在学习者真实的电脑上也一样：中文 Windows 的编码、怪名字的文件夹、只读的项目、别人的 utils、两份课程。

每个测试都在子进程里运行课程的一份副本。只能在 Linux 上造出来的环境，在别处跳过。
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from utils.notebooks import NOTEBOOKS, normalise, parse, serialise
from utils.worksheet.__main__ import main as print_worksheets

ROOT = NOTEBOOKS.parent

IGNORED = shutil.ignore_patterns(".*", "__pycache__")
SAFE = ("PATH", "CHROMIUM", "LD_LIBRARY_PATH")  # 子进程只继承这些环境变量


def copy_course(target):
    """在 target 里放一份课程的副本；target 可以是字节串（别的编码的文件名）。"""
    os.makedirs(os.fsencode(target))
    for name in ("data", "notebooks", "utils", ".github", "pyproject.toml", "requirements.txt", "README.md"):
        source, copy = ROOT / name, os.path.join(os.fsdecode(target), name)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=IGNORED)
        else:
            shutil.copyfile(source, copy)
    return Path(os.fsdecode(target))


def python(*arguments, cwd, prefix=(), **variables):
    """运行 Python；返回（退出码，标准输出和标准错误的字节）。"""
    inherited = {name: os.environ[name] for name in SAFE if name in os.environ}
    command = [*prefix, sys.executable, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env={**inherited, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def strict(*notebooks):
    """严格检查几本笔记的 pytest 参数。"""
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", *notebooks]


FIRST = next(
    cell.source.rpartition("\n\n")[0]  # 到导入为止，不画图
    for cell in parse((NOTEBOOKS / "02_scores.ipynb").read_bytes()).cells
    if cell.cell_type == "code"
)


def one_cell(course, source):
    """在 course 的 notebooks/ 里放一本小笔记：第一格和真的一样，找到上一层的 utils。"""
    path = course / "notebooks" / "tiny.ipynb"
    nb = new_notebook(cells=[new_code_cell(FIRST), new_code_cell(source)])
    path.write_bytes(serialise(normalise(nb)))
    return path


# ---------------------------------------------------------------- 中文 Windows：GBK


# 没有写明编码就打开文件时，在我们的文件和笔记本的格里算错误；第三方的库不管
STRICT_ENCODING = """
import warnings
warnings.filterwarnings("ignore", category=EncodingWarning)
warnings.filterwarnings("error", category=EncodingWarning, module=r"utils(\\..*)?$|__main__$|notebooks\\b")
"""


@pytest.fixture(scope="module")
def gbk(tmp_path_factory):
    """(文件夹名也用 GBK 编码的课程, GBK 的环境变量)。"""
    if not shutil.which("localedef"):
        pytest.skip("没有 localedef，造不出 GBK 的 locale（只有 Linux 有）")
    folder = tmp_path_factory.mktemp("gbk")
    made = subprocess.run(
        ["localedef", "-i", "zh_CN", "-f", "GBK", folder / "zh_CN.GBK"], capture_output=True
    )
    if not (folder / "zh_CN.GBK").exists():
        pytest.skip(f"localedef 造不出 zh_CN.GBK：{made.stderr.decode(errors='replace').strip()}")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(STRICT_ENCODING, encoding="utf-8")
    variables = {
        "LOCPATH": str(folder),
        "LC_ALL": "zh_CN.GBK",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONWARNDEFAULTENCODING": "1",
        "PYTHONPATH": str(folder / "site"),
        "HOME": str(folder),
    }
    course = copy_course(os.fsencode(folder) + "/课程 资料/注意力 (1)".encode("gbk"))
    code, said = python(
        "-c", "import os, locale; print(locale.getencoding(), os.getcwd())", cwd=course, **variables
    )
    assert code == 0 and said.decode("gbk").split(maxsplit=1)[0].lower() == "gbk", said
    assert said.decode("gbk").rstrip().endswith("课程 资料/注意力 (1)")
    return course, variables


def test_on_a_gbk_system_an_unnamed_encoding_would_be_an_error(gbk):
    """证明下面的测试抓得住：我们的模块里有一处不写编码，就出错。"""
    course, variables = gbk
    code = "exec(\"open('README.md')\", {'__name__': 'utils.examples'})"
    done, said = python("-c", code, cwd=course, **variables)
    assert done != 0 and b"EncodingWarning" in said


def test_a_gbk_system_refreshes_checks_and_prints_the_same_files(gbk, made, tmp_path):
    """重新执行一个字节也不变，严格检查做得完，幻灯片和练习纸与别处做的相同；说的话用 GBK 读得懂。

    出错的格里有 GBK 没有的 ᵀ：写成「?」，不中断。
    """
    course, variables = gbk
    notebook, bad = (
        course / "notebooks" / "02_scores.ipynb",
        one_cell(course, "raise ValueError('Q Kᵀ ÷ √d_k')"),
    )
    before = notebook.read_bytes()
    code, said = python("-m", "utils.refresh", "notebooks/02_scores.ipynb", bad, cwd=course, **variables)
    assert code == 1 and notebook.read_bytes() == before
    for words in ("02_scores.ipynb：没有变化", "ValueError: Q K? ÷ √d_k", "tiny.ipynb 没有改动"):
        assert words in said.decode("gbk")

    one_cell(course, "import utils.examples")  # 课程的一本已经在上面执行过；这里只看检查本身
    code, said = python(*strict("notebooks/tiny.ipynb"), cwd=course, **variables)
    assert code == 0 and b"3 passed" in said, said.decode("gbk", errors="replace")

    folder = os.fsdecode("做好的".encode("gbk"))
    for command, *arguments in (["slides", "notebooks/02_scores.ipynb"], ["worksheet", "02_scores"]):
        code, said = python("-m", f"utils.{command}", *arguments, "-o", folder, cwd=course, **variables)
        assert code == 0 and "02_scores" in said.decode("gbk"), said
    assert print_worksheets(["02_scores", "-o", str(tmp_path)]) == 0
    expected = [made[0] / "02_scores.slides.html", *tmp_path.glob("02_scores.*")]
    assert len(expected) == 3
    for path in expected:
        assert (course / folder / path.name).read_bytes() == path.read_bytes(), path.name


# ---------------------------------------------------------------- 只读、没有主目录、别处的工作目录


@pytest.fixture
def locked(tmp_path_factory):
    """一份不能写入的课程，和一种不能写入别处的运行方式；主目录不存在，也建不出来。"""
    if os.name == "nt":
        pytest.skip("Windows 上只读属性拦不住新建文件")
    prefix = []
    if os.geteuid() == 0:  # root 不受权限约束；去掉它的特权，仍是文件的主人，但要守权限
        if not shutil.which("setpriv"):
            pytest.skip("以 root 运行，又没有 setpriv：拦不住写入")
        prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    course = copy_course(tmp_path_factory.mktemp("locked") / "课程 资料")
    everything = [*course.rglob("*"), course]
    for path in everything:
        path.chmod(path.stat().st_mode & 0o555)
    if subprocess.run([*prefix, "touch", course / "new"], capture_output=True).returncode == 0:
        pytest.skip("这台电脑上拦不住写入")
    yield course, prefix, {"HOME": str(course / "没有" / "home"), "LC_ALL": "C.UTF-8"}
    for path in everything:
        path.chmod(path.stat().st_mode | 0o700)


def test_a_read_only_course_without_a_home_is_checked_and_printed_elsewhere(locked, tmp_path):
    """项目只读、没有主目录、工作目录在别处：严格检查通过，幻灯片和练习纸写在 -o 里；没有写 -o 就说该写。"""
    course, prefix, variables = locked
    notebook = course / "notebooks" / "00_overview.ipynb"
    elsewhere = {"cwd": tmp_path, "prefix": prefix, **variables, "PYTHONPATH": str(course)}
    commands = {
        "检查": strict(notebook),
        "幻灯片": ["-m", "utils.slides", notebook, "-o", "做好的"],
        "练习纸": ["-m", "utils.worksheet", "02_scores", "-o", "做好的"],
    }
    for name, command in commands.items():
        code, said = python(*command, **elsewhere)
        assert code == 0 and "warning" not in said.decode().lower(), f"{name}：{said.decode()}"
    assert {"00_overview.slides.html", "02_scores.answers.html"} <= {*os.listdir(tmp_path / "做好的")}
    assert os.listdir(tmp_path) == ["做好的"]
    code, said = python("-m", "utils.worksheet", "02_scores", **elsewhere)
    assert code == 1 and "-o" in said.decode() and "Traceback" not in said.decode(), said.decode()


# ---------------------------------------------------------------- 别人的 utils，两份课程


def output(path):
    return parse(path.read_bytes()).cells[-1].outputs[0]["text"].strip()


WHICH = """from pathlib import Path
import utils.examples
print(Path(utils.__file__).resolve().parents[1].name, int(utils.examples.load_example("我爱你").X[0, 0]))"""


@pytest.fixture
def two_courses(tmp_path):
    """并排放着的两份课程，第二份改了一个数；环境里还装着别人的 utils。"""
    first, second = (copy_course(tmp_path / name) for name in ("first", "second"))
    data = second / "data" / "wo_ai_ni.json"
    content = json.loads(data.read_text(encoding="utf-8"))
    content["X"][0][0] = 7
    data.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    stray = tmp_path / "site-packages" / "utils"
    stray.mkdir(parents=True)
    (stray / "__init__.py").write_text("raise SystemExit('别人的 utils')", encoding="utf-8")
    return first, second, {"PYTHONPATH": str(stray.parent), "LC_ALL": "C.UTF-8"}


def test_each_of_two_courses_uses_its_own_code_and_data_whatever_else_is_installed(two_courses):
    """在第一份里运行命令，刷新两份里的笔记：每一本都用自己那一份的 utils 和数。"""
    first, second, variables = two_courses
    paths = [one_cell(course, WHICH) for course in (first, second)]
    code, said = python("-m", "utils.refresh", *paths, cwd=first, **variables)
    assert code == 0, said.decode()
    assert [output(path) for path in paths] == ["first 1", "second 7"]


# ---------------------------------------------------------------- 第一格找得到项目

IN_IPYTHON = """import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
if len(sys.argv) > 2:
    sys.path.insert(0, sys.argv[2])
    import utils
shell.run_cell(sys.argv[1])
shell.run_cell("import fractions")
print("FROM", getattr(sys.modules.get("utils.plotting"), "__file__", None))"""


@pytest.fixture
def among_strangers(tmp_path):
    """一份课程放在 strange/course 里；上一层有别人的 utils 和 fractions.py。"""
    course = tmp_path / "strange" / "course"
    shutil.copytree(ROOT / "utils", course / "utils", ignore=IGNORED)
    (course / "notebooks" / "我的").mkdir(parents=True)
    (tmp_path / "strange" / "utils").mkdir()
    (tmp_path / "strange" / "utils" / "__init__.py").touch()
    (tmp_path / "strange" / "fractions.py").write_text("print('别人的 fractions')", encoding="utf-8")
    return course


@pytest.mark.parametrize("folder", [".", "notebooks", "notebooks/我的"])
def test_the_first_cell_finds_the_project_from_anywhere_inside_it(folder, among_strangers):
    """项目的上一层有别人的 utils 也一样；那一层的 fractions.py 不会代替 Python 自带的。"""
    code, said = python("-c", IN_IPYTHON, FIRST, cwd=among_strangers / folder, LC_ALL="C.UTF-8")
    found = Path(said.decode().rpartition("FROM ")[2].strip())
    assert code == 0 and found.is_relative_to(among_strangers), said.decode()
    assert "别人的 fractions" not in said.decode()


@pytest.mark.parametrize("rival", [False, True])
def test_a_lone_notebook_says_in_chinese_that_it_needs_the_whole_project(rival, among_strangers, tmp_path):
    arguments = [among_strangers.parent] if rival else []
    _, said = python("-c", IN_IPYTHON, FIRST, *arguments, cwd=tmp_path, LC_ALL="C.UTF-8")
    error = said.decode().rpartition("FROM")[0]
    assert "No module named 'utils" in error and "要有整个项目文件夹" in error

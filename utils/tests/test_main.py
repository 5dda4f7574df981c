"""python -m utils 各条命令的事实。子进程全部换成假的：不建环境，不联网，不打开浏览器。"""

import ast
import json
import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from utils import __main__ as cli
from utils import environment, installing

FOUND = "2.13.0"
PYTEST = [sys.executable, "-m", "pytest", "-c", "pyproject.toml"]
PREFIX = sys.prefix  # 真的环境；下面的测试会把 sys.prefix 换掉
UV_ROUTE = [sys.executable, "-m", "uv", "pip", "install"]
PIP_ROUTE = [sys.executable, "-m", "pip", "install"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """一个小项目：要求 torch 和 pytest 两个包；运行它的 Python 在一个（别处的）虚拟环境里。"""
    (tmp_path / "requirements.txt").write_text(
        f"# 说明\njupyter==1\ntorch=={FOUND}  # 原因\n\nnumpy==2\n", encoding="utf-8"
    )
    (tmp_path / "pyproject.toml").write_text(
        "[dependency-groups]\nslides = ['ziamath==0.13']\n"
        "dev = [{ include-group = 'slides' }, 'pytest==9.2.0']\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    (tmp_path / "somewhere").mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "somewhere"))
    return tmp_path


@pytest.fixture
def codes():
    """子进程的退出码（或异常）：codes[词] 用于含有这个词的命令，其余命令都成功。"""
    return {}


@pytest.fixture
def settings():
    """pip config list 的一行一行。"""
    return []


@pytest.fixture
def calls(codes, settings, versions, monkeypatch):
    """依次记下每个子进程的命令；装成了，那些软件包就在了。"""
    calls = []

    def run(command, **options):
        if command[-2:] == ["config", "list"]:
            return subprocess.CompletedProcess(command, 0, stdout="\n".join(settings).encode())
        calls.append(command)
        code = next((code for word, code in codes.items() if word in command), 0)
        if isinstance(code, BaseException):
            raise code
        if "install" in command and code == 0:
            versions.update(part.split("==") for part in command if "==" in part)
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


@pytest.fixture
def versions(monkeypatch):
    """环境里装着的软件包；默认恰好齐全。"""
    versions = {"jupyter": "1", "torch": FOUND, "numpy": "2", "ziamath": "0.13", "pytest": "9.2.0"}

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)
    return versions


def leave_environments(monkeypatch):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


@pytest.mark.parametrize("arguments", [[], ["labb"], ["--help"]])
def test_missing_or_unknown_subcommand_prints_usage_and_exits_2(arguments, calls, capsys):
    assert cli.main(arguments) == 2
    assert capsys.readouterr().err == cli.USAGE + "\n"
    assert calls == []


@pytest.mark.parametrize(("version", "code"), [((3, 8, 18, "final", 0), 1), ((3, 99, 0, "final", 0), 0)])
def test_an_old_python_stops_and_a_too_new_one_is_warned(
    version, code, project, calls, versions, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "version_info", version)
    assert cli.main(["test"]) == code
    message = capsys.readouterr().err
    assert "3.11" in message and f"3.{version[1]}" in message
    assert bool(calls) == (code == 0)


def test_source_is_valid_python_3_8():
    package = Path(cli.__file__).with_name("__init__.py")
    for file in (cli.__file__, package, environment.__file__, installing.__file__):
        ast.parse(Path(file).read_text(encoding="utf-8"), feature_version=(3, 8))


def test_inside_an_environment_pytest_runs_there_and_all_checks_in_parallel(project, calls, versions):
    """不再建环境；参数原样交给 pytest，没有参数就分给几个进程，一本笔记不拆开。"""
    cli.main(["test", "-k", "softmax"])
    cli.main(["test"])
    assert calls[0] == [*PYTEST, "-k", "softmax"] and calls[1][: len(PYTEST)] == PYTEST
    assert 1 <= int(calls[1][calls[1].index("-n") + 1]) <= 4 and "loadfile" in calls[1]


@pytest.mark.parametrize(
    ("prefix", "name", "used"), [(".", "课程", True), (".", "base", False), ("别处", "课程", False)]
)
def test_an_active_conda_environment_is_used_unless_it_is_the_base(
    prefix, name, used, project, calls, versions, monkeypatch
):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setenv("CONDA_PREFIX", os.path.join(sys.prefix, prefix))
    monkeypatch.setenv("CONDA_DEFAULT_ENV", name)
    cli.main(["test", "-x"])
    assert (calls == [[*PYTEST, "-x"]]) == used
    assert used or calls[-1] == [str(environment.venv_python()), "-m", "utils", "test", "-x"]


def test_a_working_venv_is_reused_and_its_exit_code_comes_back(project, calls, codes, monkeypatch):
    leave_environments(monkeypatch)
    codes["utils"] = 5
    assert cli.main(["test", "-x", "notebooks"]) == 5
    assert "venv" not in [part for call in calls for part in call]
    assert calls[-1][1:] == ["-m", "utils", "test", "-x", "notebooks"]
    assert Path(calls[-1][0]).is_relative_to(project / ".venv")


@pytest.mark.parametrize("broken", [1, FileNotFoundError(), PermissionError()])
def test_a_venv_that_does_not_run_is_rebuilt_from_scratch(broken, project, calls, codes, monkeypatch):
    leave_environments(monkeypatch)
    codes["-c"] = broken
    cli.main(["lab"])
    assert [sys.executable, "-m", "venv", "--clear", str(project / ".venv")] in calls


def test_a_venv_that_cannot_be_made_explains_and_stops(project, calls, codes, monkeypatch):
    leave_environments(monkeypatch)
    codes.update({"-c": 1, "venv": 1})
    with pytest.raises(SystemExit) as stop:
        cli.main(["lab"])
    assert "不能写入" in stop.value.code and "python3-venv" in stop.value.code and "venv" in calls[-1]


@pytest.mark.parametrize(("command", "found"), [("test", FOUND), ("lab", f"{FOUND}+cpu"), ("slides", None)])
def test_nothing_is_installed_when_every_pin_is_there(command, found, project, calls, versions):
    """没有网络也能第二次开始；CPU 版的 torch 算同一个版本；lab 用不到维护者的包，幻灯片用不到 torch。"""
    versions["torch"] = found
    if command == "lab":
        del versions["pytest"], versions["ziamath"]
    cli.main([command])
    assert not any("install" in call for call in calls)


@pytest.mark.parametrize("found", [None, "2.13.1", "2.13"])
def test_a_missing_or_different_version_makes_uv_install_all_pins(found, project, calls, versions):
    versions["torch"] = found
    cli.main(["test"])
    uv, install, check, pytest_run = calls
    assert uv[:4] == PIP_ROUTE and uv[-1] == installing.UV
    assert install[:5] == UV_ROUTE and install[-5:] == [*REQUIRED, "ziamath==0.13", "pytest==9.2.0"]
    assert check[-1] == "import torch" and pytest_run[2] == "pytest"


REQUIRED = ["jupyter==1", f"torch=={FOUND}", "numpy==2"]
DEV = [*REQUIRED, "ziamath==0.13", "pytest==9.2.0"]
PAGES = ["numpy==2", "ziamath==0.13"]


@pytest.mark.parametrize(
    ("command", "pins"),
    [
        ("refresh", DEV),
        ("benchmark", DEV),
        ("slides", PAGES),
        ("book", PAGES),
        ("worksheet", PAGES),
        ("grade", [*REQUIRED, "ziamath==0.13"]),
    ],
)
def test_each_command_installs_what_it_needs_and_passes_arguments_on(command, pins, project, calls, versions):
    versions.clear()
    cli.main([command, "02_scores", "-o", "文件夹"])
    [install] = [call for call in calls if call[:5] == UV_ROUTE]
    assert [part for part in install if "==" in part] == pins
    assert calls[-1] == [sys.executable, "-m", f"utils.{command}", "02_scores", "-o", "文件夹"]


@pytest.mark.parametrize(
    ("platform", "cpu_first", "pip_is_big"),
    [
        ("linux-x86_64", True, True),
        ("win-amd64", False, False),
        ("win-arm64", True, False),
        ("macosx-14", False, False),
    ],
)
def test_without_the_cpu_index_pip_installs_and_linux_hears_the_size(
    platform, cpu_first, pip_is_big, project, calls, codes, versions, monkeypatch, capsys
):
    """先说大小再开始；每条路各说一句。只有 Linux 上 pip 装的 torch 更大。"""
    versions.clear()
    codes["uv"] = 2
    monkeypatch.setattr("sysconfig.get_platform", lambda: platform)
    monkeypatch.setattr(sys, "platform", {"l": "linux", "w": "win32", "m": "darwin"}[platform[0]])
    assert cli.main(["lab"]) == 0
    said = capsys.readouterr().out
    first, second = (call for call in calls if f"torch=={FOUND}" in call)
    assert ("--torch-backend=cpu" in first) == cpu_first and second[:4] == PIP_ROUTE
    assert said.index("300 MB") < said.index("uv") < said.index("pip")
    assert ("3 GB" in said) == pip_is_big


def test_when_both_routes_fail_the_causes_seen_here_come_first(project, calls, codes, versions, monkeypatch):
    versions.clear()
    codes[f"torch=={FOUND}"] = 1
    monkeypatch.setattr(installing, "getproxies", lambda: {"http": "http://127.0.0.1:1", "no": "x"})
    with pytest.raises(SystemExit) as stop:
        cli.main(["lab"])
    cause, common = stop.value.code.split("常见的有")
    assert "127.0.0.1:1" in cause and "连不上" in cause
    for word in ("网络", "镜像", "代理", "证书", "磁盘", "再运行同一条命令"):
        assert word in common
    assert not any("jupyter" in call for call in calls)


def test_after_a_stop_half_way_everything_is_installed_again(project, calls, codes, versions):
    """装到一半停下：写死版本的包都在了，它们要用的包却不一定。"""
    versions["numpy"] = None
    codes["uv"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        cli.main(["slides"])
    versions["numpy"] = "2"
    codes.clear()
    for times in (2, 2):  # 第二次已经装完，不再装
        cli.main(["slides"])
        assert len([call for call in calls if call[:5] == UV_ROUTE]) == times


def test_packages_that_pip_put_elsewhere_are_noticed(project, calls, versions, monkeypatch):
    versions.clear()
    monkeypatch.setattr(installing, "is_installed", lambda pin: False)
    with pytest.raises(SystemExit, match="target") as stop:
        cli.main(["slides"])
    assert "numpy==2" in stop.value.code


def test_uv_hears_of_the_mirror_proxy_and_certificate_of_pip(project, calls, settings, monkeypatch):
    """文件里的被 install 一节的盖过，那又被环境变量盖过；学习者给 uv 设过的不动。"""
    for name in [*os.environ]:
        if name.startswith("UV_") or name in ("ALL_PROXY", "SSL_CERT_FILE"):
            monkeypatch.delenv(name)
    settings += ["global.index-url='https://a/simple'", "install.index-url='https://b/simple'"]
    settings += ["global.proxy='http://p:1'", ":env:.cert='/c.pem'", ":env:.find-links='/w /x'"]
    given = installing.uv_variables()
    assert given["UV_DEFAULT_INDEX"] == "https://b/simple" and given["UV_FIND_LINKS"] == "/w,/x"
    assert (given["ALL_PROXY"], given["SSL_CERT_FILE"]) == ("http://p:1", "/c.pem")
    assert Path(given["UV_CACHE_DIR"]).parent == project / "somewhere"
    settings.append(":env:.index-url='https://c/simple'")
    assert installing.uv_variables()["UV_DEFAULT_INDEX"] == "https://c/simple"
    monkeypatch.setenv("UV_INDEX_URL", "https://mine/simple")
    assert "UV_DEFAULT_INDEX" not in installing.uv_variables()


def test_a_torch_that_does_not_load_says_what_to_install_and_what_works(
    project, calls, codes, versions, capsys
):
    versions["torch"] = None
    codes["import torch"] = 1
    assert cli.main(["lab"]) == 0
    said = capsys.readouterr().out
    assert "Visual C++" in said and "第 0 到第 5 本" in said and "jupyter" in calls[-1]


@pytest.mark.parametrize(
    ("name", "clashes"),
    [
        ("random.py", True),
        ("numpy.py", True),
        ("torch/__init__.py", True),
        ("test.py", False),
        ("my_random.py", False),
    ],
)
def test_a_file_named_like_a_module_stops_the_course_with_its_name(
    name, clashes, project, calls, versions, capsys
):
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).touch()
    assert cli.main(["lab"]) == clashes
    assert (str(project / name.split("/")[0]) in capsys.readouterr().err) == clashes
    assert bool(calls) != clashes


def test_in_the_notebooks_folder_such_a_file_is_only_named(project, calls, versions, capsys):
    (project / "notebooks").mkdir()
    (project / "notebooks" / "torch.py").touch()
    assert cli.main(["lab"]) == 0
    assert "torch.py" in capsys.readouterr().out


def test_lab_opens_the_first_notebook_with_the_project_as_root(project, calls, versions):
    cli.main(["lab", "--no-browser", "--port", "9000"])
    [command] = calls
    assert command[:4] == [sys.executable, "-m", "jupyter", "lab"]
    assert f"--ServerApp.root_dir={project}" in command and f"--ServerApp.preferred_dir={project}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb" in command
    assert command[-3:] == ["--no-browser", "--port", "9000"]


def test_a_jupyter_that_stops_says_what_to_try(project, calls, codes, versions, capsys):
    codes["jupyter"] = 1
    assert cli.main(["lab"]) == 1
    assert "JUPYTER_NO_CONFIG=1" in capsys.readouterr().err


def test_pytest_settings_of_the_learner_do_not_reach_the_checks(project, monkeypatch):
    given = {}
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda command, env, **rest: given.update(env) or subprocess.CompletedProcess(command, 0),
    )
    monkeypatch.setenv("PYTEST_ADDOPTS", "--nosuch")
    cli.test([])
    assert "PYTEST_ADDOPTS" not in given and "PATH" in given


def test_lab_keeps_the_settings_of_the_user_and_switches_news_off(project, monkeypatch):
    from jupyter_server.services.config.manager import ConfigManager

    environment = {}
    monkeypatch.setattr(cli, "run", lambda command, **variables: environment.update(variables))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "mine")
    cli.lab([])
    assert environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)[1:] == ["mine"]
    assert environment["JUPYTER_PREFER_ENV_PATH"] == "1"
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", environment["JUPYTER_CONFIG_PATH"])
    overrides = ConfigManager(config_dir_name="labconfig").get("default_setting_overrides")
    settings = overrides["@jupyterlab/apputils-extension:notification"]
    assert settings == {"fetchNews": "false", "checkForUpdates": False}

    schema = "share/jupyter/lab/schemas/@jupyterlab/apputils-extension/notification.json"
    known = json.loads(Path(PREFIX, schema).read_text(encoding="utf-8"))["properties"]
    assert settings.keys() <= known.keys()


@pytest.mark.parametrize("arguments", [[], ["lab"]])
def test_messages_appear_on_a_terminal_that_cannot_show_them(arguments):
    """任何终端编码都不会因为写不出汉字而中断。"""
    variables = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    code = "import runpy, sys; sys.version_info = (3, 8, 0); runpy.run_module('utils', run_name='__main__')"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=environment.ROOT, env=variables, capture_output=True)
    assert done.returncode == (1 if arguments else 2)
    assert b"Traceback" not in done.stderr and b"?" in done.stderr


def test_ctrl_c_waits_for_the_child_then_stops_quietly(project, versions, monkeypatch):
    finished = []

    def run(command, **options):
        signal.raise_signal(signal.SIGINT)
        finished.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(KeyboardInterrupt):
        cli.main(["lab"])
    assert len(finished) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

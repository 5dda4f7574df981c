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

FOUND = "2.13.0"
PYTEST = [sys.executable, "-m", "pytest"]
PREFIX = sys.prefix  # 真的环境；下面的测试会把 sys.prefix 换掉


@pytest.fixture
def project(tmp_path, monkeypatch):
    """一个小项目：要求 torch 和 pytest 两个包；运行它的 Python 在一个（别处的）虚拟环境里。"""
    (tmp_path / "requirements.txt").write_text(f"# 说明\ntorch=={FOUND}  # 原因\n\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        "[dependency-groups]\nslides = ['ziamath==0.13']\n"
        "dev = [{ include-group = 'slides' }, 'pytest==9.2.0']\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    monkeypatch.setattr(cli, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "somewhere"))
    return tmp_path


@pytest.fixture
def codes():
    """子进程的退出码（或异常）：codes[词] 用于含有这个词的命令，其余命令都成功。"""
    return {}


@pytest.fixture
def calls(codes, monkeypatch):
    """依次记下每个子进程的命令。"""
    calls = []

    def run(command, **options):
        calls.append(command)
        code = next((code for word, code in codes.items() if word in command), 0)
        if isinstance(code, Exception):
            raise code
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


@pytest.fixture
def versions(monkeypatch):
    """环境里装着的软件包；默认恰好齐全。"""
    versions = {"torch": FOUND, "ziamath": "0.13", "pytest": "9.2.0"}

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
    for file in (cli.__file__, Path(cli.__file__).with_name("__init__.py")):
        ast.parse(Path(file).read_text(encoding="utf-8"), feature_version=(3, 8))


def test_inside_an_environment_pytest_runs_there_and_all_checks_in_parallel(project, calls, versions):
    """不再建环境；参数原样交给 pytest，没有参数就分给几个进程，一本笔记不拆开。"""
    cli.main(["test", "-k", "softmax"])
    cli.main(["test"])
    assert calls[0] == [*PYTEST, "-k", "softmax"] and calls[1][:3] == PYTEST
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
    assert used or calls[-1] == [str(cli.venv_python()), "-m", "utils", "test", "-x"]


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


@pytest.mark.parametrize(("command", "found"), [("test", FOUND), ("lab", f"{FOUND}+cpu")])
def test_pip_is_not_called_when_every_pin_is_installed(command, found, project, calls, versions):
    """没有网络也能第二次开始；CPU 版的 torch 算同一个版本；lab 用不到维护者的包。"""
    versions["torch"] = found
    if command == "lab":
        del versions["pytest"], versions["ziamath"]
    cli.main([command])
    assert not any("pip" in call for call in calls)


@pytest.mark.parametrize("found", [None, "2.13.1", "2.13"])
def test_a_missing_or_different_version_makes_pip_install_all_pins(found, project, calls, versions):
    versions["torch"] = found
    cli.main(["test"])
    assert calls[0][:4] == [sys.executable, "-m", "pip", "install"]
    assert calls[0][-3:] == [f"torch=={FOUND}", "ziamath==0.13", "pytest==9.2.0"]
    assert calls[1][2] == "pytest"


SLIDES, DEV = ["ziamath==0.13"], ["ziamath==0.13", "pytest==9.2.0"]


@pytest.mark.parametrize(
    ("command", "extra"), [("refresh", DEV), ("benchmark", DEV), ("slides", SLIDES), ("worksheet", SLIDES)]
)
def test_each_command_installs_its_group_and_passes_arguments_on(command, extra, project, calls, versions):
    versions.clear()
    cli.main([command, "02_scores", "-o", "文件夹"])
    pip, module = calls
    assert pip[pip.index(f"torch=={FOUND}") + 1 :] == extra
    assert module == [sys.executable, "-m", f"utils.{command}", "02_scores", "-o", "文件夹"]


def test_failing_pip_explains_and_the_course_does_not_open(project, calls, codes, versions):
    versions.clear()
    codes["install"] = 1
    with pytest.raises(SystemExit) as stop:
        cli.main(["lab"])
    for word in ("网络", "镜像", "代理", "磁盘", "再运行同一条命令"):
        assert word in stop.value.code
    assert not any("jupyter" in call for call in calls)


@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_only_linux_hears_of_torch_without_cuda(platform, calls, project, versions, monkeypatch, capsys):
    versions.clear()
    monkeypatch.setattr(sys, "platform", platform)
    cli.main(["lab"])
    assert ("--torch-backend=cpu" in capsys.readouterr().out) == (platform == "linux")


def test_lab_opens_the_first_notebook_with_the_project_as_root(project, calls, versions):
    cli.main(["lab", "--no-browser", "--port", "9000"])
    [command] = calls
    assert command[:4] == [sys.executable, "-m", "jupyter", "lab"]
    assert f"--ServerApp.root_dir={project}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb" in command
    assert command[-3:] == ["--no-browser", "--port", "9000"]


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
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    code = "import runpy, sys; sys.version_info = (3, 8, 0); runpy.run_module('utils', run_name='__main__')"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=cli.ROOT, env=environment, capture_output=True)
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

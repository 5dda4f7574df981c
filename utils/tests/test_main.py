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
PREFIX = sys.prefix  # 真的环境；下面的测试会把 sys.prefix 换掉


@pytest.fixture
def project(tmp_path, monkeypatch):
    """一个小项目：要求 torch 和 pytest 两个包；运行它的 Python 在一个（别处的）虚拟环境里。"""
    (tmp_path / "notebooks").mkdir()
    for name in ("02_scores", "01_projection"):
        (tmp_path / "notebooks" / f"{name}.ipynb").touch()
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


class Package:
    """一个装好的软件包；whole=False 是复制到一半被打断的样子。"""

    def __init__(self, name, version, whole=True):
        self.name, self.version, self.whole = name, version, whole

    def read_text(self, filename):
        return None if filename == "INSTALLER" and not self.whole else "有这个文件"


@pytest.fixture
def versions(monkeypatch):
    """环境里装着的软件包；默认恰好齐全。"""
    pins = {"torch": FOUND, "ziamath": "0.13", "pytest": "9.2.0"}
    versions = {name: Package(name, version) for name, version in pins.items()}

    def distribution(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "distribution", distribution)
    monkeypatch.setattr(metadata, "distributions", versions.values)
    return versions


def pip_calls(calls):
    return [call for call in calls if "install" in call]


def leave_environments(monkeypatch):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


@pytest.mark.parametrize("arguments", [[], ["labb"], ["--help"]])
def test_missing_or_unknown_subcommand_prints_usage_and_exits_2(arguments, calls, capsys):
    assert cli.main(arguments) == 2
    usage = capsys.readouterr().err
    assert "python -m utils lab" in usage and "python -m utils test" in usage
    assert calls == []


def test_old_python_is_told_both_versions_and_nothing_runs(monkeypatch, calls, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 8, 18, "final", 0))
    assert cli.main(["lab"]) == 1
    message = capsys.readouterr().err
    assert "3.11" in message and "3.8" in message
    assert calls == []


def test_python_newer_than_checked_is_a_warning_only(monkeypatch, project, calls, versions, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    assert cli.main(["test"]) == 0
    assert "3.99" in capsys.readouterr().err


def test_source_is_valid_python_3_8():
    for file in (cli.__file__, Path(cli.__file__).with_name("__init__.py")):
        ast.parse(Path(file).read_text(encoding="utf-8"), feature_version=(3, 8))


def test_no_second_environment_is_made_inside_a_virtual_environment(project, calls, versions):
    cli.main(["test", "-k", "softmax"])
    assert calls == [[sys.executable, "-m", "pytest", "-k", "softmax"]]


def test_an_active_conda_environment_is_used(project, calls, versions, monkeypatch):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)
    cli.main(["test"])
    assert calls == [[sys.executable, "-m", "pytest"]]


def test_a_conda_environment_of_another_python_is_not_used(project, calls, versions, monkeypatch):
    leave_environments(monkeypatch)
    monkeypatch.setenv("CONDA_PREFIX", str(project))
    cli.main(["test"])
    assert calls[-1][0] == str(cli.venv_python())


def test_a_working_venv_is_reused_and_gets_the_same_arguments(project, calls, codes, monkeypatch):
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
    assert "不能写入" in stop.value.code and "python3-venv" in stop.value.code
    assert "venv" in calls[-1]


def test_pip_is_not_called_when_every_pin_is_installed(project, calls, versions):
    cli.main(["test"])
    assert not any("pip" in call for call in calls)


def test_the_cpu_build_of_torch_counts_as_the_same_version(project, calls, versions):
    versions["torch"].version = f"{FOUND}+cpu"
    cli.main(["lab"])
    assert not any("pip" in call for call in calls)


@pytest.mark.parametrize("found", [None, "2.13.1", "2.13"])
def test_a_missing_or_different_version_makes_pip_install_all_pins(found, project, calls, versions):
    versions["torch"].version = found
    if not found:
        del versions["torch"]
    cli.main(["test"])
    [pip] = pip_calls(calls)
    assert pip[:4] == [sys.executable, "-m", "pip", "install"]
    assert pip[-3:] == [f"torch=={FOUND}", "ziamath==0.13", "pytest==9.2.0"]
    assert calls[-1][2] == "pytest"


@pytest.mark.parametrize("command", ["refresh", "benchmark"])
def test_refresh_and_benchmark_install_the_tools_of_the_maintainer(command, project, calls, versions):
    """README 的第 ③ 步不用先进虚拟环境；参数原样交给那个模块。"""
    versions.clear()
    cli.main([command, "02_scores"])
    [pip] = pip_calls(calls)
    assert pip[-3:] == [f"torch=={FOUND}", "ziamath==0.13", "pytest==9.2.0"]
    assert calls[-1] == [sys.executable, "-m", f"utils.{command}", "02_scores"]


@pytest.mark.parametrize("command", ["slides", "worksheet"])
def test_slides_and_worksheets_install_their_group_but_no_test_tools(command, project, calls, versions):
    """做幻灯片、练习纸只装 slides 组；参数原样交给那个模块。"""
    versions.clear()
    cli.main([command, "-o", "文件夹"])
    [pip] = pip_calls(calls)
    assert pip[-2:] == [f"torch=={FOUND}", "ziamath==0.13"]
    assert calls[-1] == [sys.executable, "-m", f"utils.{command}", "-o", "文件夹"]


def test_lab_does_not_need_the_dev_group(project, calls, versions):
    versions.pop("pytest")
    versions.pop("ziamath")
    cli.main(["lab"])
    assert not any("pip" in call for call in calls)


def test_failing_pip_explains_and_the_course_does_not_open(project, calls, codes, versions):
    versions.clear()
    codes["install"] = 1
    with pytest.raises(SystemExit) as stop:
        cli.main(["lab"])
    for word in ("网络", "镜像", "磁盘", "再运行同一条命令"):
        assert word in stop.value.code
    assert not any("jupyter" in call for call in calls)


def test_an_environment_without_pip_gets_it_from_ensurepip(project, calls, codes, versions):
    versions.clear()
    codes["--version"] = 1
    cli.main(["lab"])
    order = [call[2] for call in calls]
    assert order == ["pip", "ensurepip", "pip", "jupyter"]


@pytest.mark.parametrize("half", ["torch", "numpy"])
def test_a_half_copied_package_in_our_venv_is_installed_again(half, project, calls, versions, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(cli.VENV))
    versions["pytest"].version = "9.1.0"
    versions[half] = Package(half, FOUND, whole=False)
    cli.main(["test"])
    again, everything = pip_calls(calls)
    assert again[-3:] == ["--ignore-installed", "--no-deps", f"{half}=={FOUND}"]
    assert "--ignore-installed" not in everything


def test_a_half_copied_pin_calls_pip_but_only_our_venv_is_overwritten(project, calls, versions):
    versions["torch"].whole = False
    cli.main(["lab"])
    [pip] = pip_calls(calls)
    assert "--ignore-installed" not in pip


@pytest.mark.parametrize(("platform", "shown"), [("linux", True), ("win32", False), ("darwin", False)])
def test_only_linux_is_told_how_to_get_torch_without_cuda(
    platform, shown, project, calls, versions, monkeypatch, capsys
):
    versions.clear()
    monkeypatch.setattr(sys, "platform", platform)
    cli.main(["lab"])
    assert ("--torch-backend=cpu" in capsys.readouterr().out) is shown


def test_lab_opens_the_first_notebook_with_the_project_as_root(project, calls, versions):
    cli.main(["lab", "--no-browser", "--port", "9000"])
    [command] = calls
    assert command[:4] == [sys.executable, "-m", "jupyter", "lab"]
    assert f"--ServerApp.root_dir={project}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/01_projection.ipynb" in command
    assert command[-3:] == ["--no-browser", "--port", "9000"]


def test_jupyterlab_finds_news_and_update_checks_switched_off(project, monkeypatch):
    from jupyter_server.services.config.manager import ConfigManager

    environment = {}
    monkeypatch.setattr(cli, "run", lambda command, **variables: environment.update(variables))
    cli.lab([])
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", environment["JUPYTER_CONFIG_PATH"])
    overrides = ConfigManager(config_dir_name="labconfig").get("default_setting_overrides")
    settings = overrides["@jupyterlab/apputils-extension:notification"]
    assert settings == {"fetchNews": "false", "checkForUpdates": False}

    schema = "share/jupyter/lab/schemas/@jupyterlab/apputils-extension/notification.json"
    known = json.loads(Path(PREFIX, schema).read_text(encoding="utf-8"))["properties"]
    assert settings.keys() <= known.keys()


def test_settings_of_the_user_stay_in_the_search_path(project, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "mine")
    environment = {}
    monkeypatch.setattr(cli, "run", lambda command, **variables: environment.update(variables))
    cli.lab([])
    assert environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)[1:] == ["mine"]


def test_pip_reads_requirements_on_a_gbk_system():
    """旧版 pip 用系统编码读 requirements.txt；第一行的 coding 让它改用 UTF-8。"""
    pip = ["pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run", "--no-index", "--no-deps"]
    code = f"""if True:
        import locale, runpy, sys
        locale.getpreferredencoding = lambda *_: "gbk"
        sys.argv = {[*pip, "-r", "requirements.txt"]}
        runpy.run_module("pip", run_name="__main__")
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=cli.ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")


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

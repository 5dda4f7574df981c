"""真的装一遍：真的虚拟环境、真的 pip，一个文件夹里的软件包索引代替 PyPI，另一个代替 PyTorch 的 CPU 索引。

uv 也是假的（它的 CPU 索引写死在程序里，换不成文件夹）：它从那个文件夹取 torch，别的交给 pip。
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from utils import environment, installing

SAFE = ("PATH", "SYSTEMROOT", "TEMP")  # 子进程只继承这些环境变量

FAKE_UV = """import os, subprocess, sys
arguments = sys.argv[1:]
print("uv:", *arguments, flush=True)
extra = []
if "--torch-backend=cpu" in arguments:
    arguments.remove("--torch-backend=cpu")
    extra = ["--extra-index-url", os.environ["CPU_INDEX"].replace(os.sep, "/")]
    if not os.path.isdir(os.environ["CPU_INDEX"].partition("://")[2]):
        sys.exit("error: dns error")
pins = arguments[arguments.index("--python") + 2:]
sys.exit(subprocess.run([sys.executable, "-m", "pip", "install", *extra, *pins]).returncode)
"""
FAKE_JUPYTER = 'import sys; print("jupyter:", *sys.argv[1:])'


def add_wheel(index, name, version, **modules):
    """在索引 index 里放一个软件包；modules 是它的文件，名字 -> 内容。"""
    (index / name).mkdir(parents=True)
    wheel = index / name / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    files = {f"{name}/{module}.py": source for module, source in modules.items()}
    files[f"{about}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files[f"{about}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        archive.writestr(f"{about}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{about}/RECORD"]))
    (index / name / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>', encoding="utf-8")


@pytest.fixture
def learner(tmp_path):
    """start(要做的事) 在一份小课程里运行 python -m utils lab，返回（退出码, 说的话）。"""
    pip = importlib.util.find_spec("pip")
    if pip is None or os.name == "nt":
        pytest.skip("要 pip 和 Linux、macOS 的文件夹地址")
    course = tmp_path / "课程 (1)"
    (course / "utils").mkdir(parents=True)
    for module in ("__init__", "__main__", "environment", "installing"):
        shutil.copyfile(environment.ROOT / "utils" / f"{module}.py", course / "utils" / f"{module}.py")
    shutil.copytree(environment.ROOT / "utils" / "jupyter", course / "utils" / "jupyter")
    (course / "requirements.txt").write_text("jupyter==1.1.1\ntorch==2.13.0\n", encoding="utf-8")
    pypi, cpu = tmp_path / "pypi", tmp_path / "cpu"
    add_wheel(pypi, "uv", installing.UV.partition("==")[2], __main__=FAKE_UV)
    add_wheel(pypi, "jupyter", "1.1.1", __main__=FAKE_JUPYTER)
    add_wheel(pypi, "torch", "2.13.0", __init__="")
    add_wheel(cpu, "torch", "2.13.0+cpu", __init__="")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", course / ".venv"], check=True)
    packages = next((course / ".venv").glob("lib/python*/site-packages"))
    (packages / "pip").symlink_to(Path(pip.origin).parent)

    def start(**variables):
        inherited = {name: os.environ[name] for name in SAFE if name in os.environ}
        inherited |= {"PIP_CONFIG_FILE": os.devnull, "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}
        inherited |= {"PIP_INDEX_URL": pypi.as_uri(), "CPU_INDEX": cpu.as_uri(), **variables}
        command = [course / ".venv" / "bin" / "python", "-m", "utils", "lab"]
        done = subprocess.run(command, cwd=course, env=inherited, capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr

    def torch():
        return [path.name for path in packages.glob("torch-*.dist-info")]

    return start, torch


@pytest.mark.skipif(sys.platform != "linux", reason="别的系统从 PyPI 取的 torch 就是 CPU 版")
def test_both_routes_fail_then_pip_alone_then_uv_with_the_cpu_build_then_no_network(learner, tmp_path):
    start, torch = learner
    nowhere = {"PIP_INDEX_URL": (tmp_path / "nowhere").as_uri(), "CPU_INDEX": (tmp_path / "nowhere").as_uri()}
    code, said = start(**nowhere)
    assert code == 1 and torch() == [] and "jupyter:" not in said
    assert "安装没有完成" in said and said.index("先用") < said.index("改用 pip") < said.index("安装没有完成")

    code, said = start(CPU_INDEX=nowhere["CPU_INDEX"])
    assert code == 0 and torch() == ["torch-2.13.0.dist-info"] and "jupyter: lab" in said
    assert "dns error" in said and "3 GB" in said

    shutil.rmtree(next(tmp_path.glob("*/.venv/lib/python*/site-packages/torch-2.13.0.dist-info")))
    code, said = start()
    assert code == 0 and torch() == ["torch-2.13.0+cpu.dist-info"] and "改用 pip" not in said

    code, said = start(**nowhere)
    assert code == 0 and "jupyter: lab" in said and "安装" not in said

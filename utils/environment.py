"""这台电脑上的 Python：找到或新建环境，算出一条命令要哪些软件包，看谁装着。

只用标准库，语法照顾到 Python 3.8：环境还没装好、Python 太旧时，也要能说清楚该怎么办。
"""

import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).absolute().parent.parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)  # numpy 2.4.6 和 matplotlib 3.11.2 要求 3.11 以上
NEWEST = (3, 14)  # numpy 2.4.6 的安装包只到 3.14；更新的 Python 要自己编译，不一定成功

GROUPS = {  # 子命令另外需要的依赖组
    "slides": "slides",
    "book": "slides",
    "worksheet": "slides",
    "grade": "slides",
    "test": "dev",
    "refresh": "dev",
    "benchmark": "dev",
}
WITHOUT = {  # 只由存下的输出排版的命令，用不到这两个大的
    command: ("jupyter", "torch") for command in ("slides", "book", "worksheet")
}

PYTHON_RANGE = f"本课程需要 Python {OLDEST[0]}.{OLDEST[1]} 到 {NEWEST[0]}.{NEWEST[1]}"

VENV_FAILED = f"""
不能新建虚拟环境 {VENV}，上面有具体原因。常见的有：
  · 项目文件夹不能写入：把它复制到自己的文件夹里；
  · Debian、Ubuntu 缺少 venv 模块：先运行 sudo apt install python3-venv；
  · U 盘、共享文件夹不能建链接（symlink、Operation not permitted）：把项目复制到电脑自己的磁盘上；
  · 磁盘空间不够：至少留出 3 GB。
解决后再运行同一条命令。"""

SAME_NAME = """{0} 与 Python 自带的（或课程要用的）模块 {1} 同名：{2}会错用它。
它若是你写的，就改个名字，例如 my_{1}；课程自己没有叫这个名字的文件。"""


def run(command, **variables):
    """在项目文件夹里运行 command，返回退出码；variables 是另加的环境变量，值是 None 的去掉。

    Ctrl-C 会直接送到子进程；这里只等它收尾（JupyterLab 要关闭内核），然后再停下。
    不给子进程设 PYTHONUTF8：项目里读写文件都写明了编码，检查就该在学习者真实的编码环境里运行。
    """
    pressed = []
    previous = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        environment = {**os.environ, **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        code = subprocess.run([str(part) for part in command], cwd=str(ROOT), env=environment).returncode
    finally:
        signal.signal(signal.SIGINT, previous)
    if pressed:
        raise KeyboardInterrupt
    return code


def in_environment():
    """正在运行的 Python 是否属于一个虚拟环境，或属于已激活的 conda 环境（base 除外：不改动它的软件包）。"""
    conda = os.environ.get("CONDA_PREFIX")
    in_conda = conda and os.path.realpath(conda) == os.path.realpath(sys.prefix)
    base = os.environ.get("CONDA_DEFAULT_ENV") == "base" or os.path.isdir(
        os.path.join(sys.prefix, "condabin")
    )
    return sys.prefix != sys.base_prefix or bool(in_conda and not base)


def venv_python():
    """项目自己的 .venv 里的 Python。没有、不能运行（只建了一半、从别的电脑复制来）或太旧，就重建。"""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    probe = f"import sys; sys.exit(sys.prefix == sys.base_prefix or sys.version_info < {OLDEST})"
    try:
        usable = run([python, "-c", probe]) == 0
    except OSError:
        usable = False
    if not usable:
        print("正在新建虚拟环境 .venv ……")
        if run([sys.executable, "-m", "venv", "--clear", VENV]) != 0:
            sys.exit(VENV_FAILED)
    return python


def pins(command):
    """command 需要的软件包，每项写作「名字==版本」。"""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.split("#")[0].strip() for line in lines]
    wanted = [pin for pin in wanted if pin and pin.partition("==")[0] not in WITHOUT.get(command, ())]
    if command in GROUPS:
        import tomllib  # Python 3.11 才有，不能放在文件开头

        groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
        for entry in groups[GROUPS[command]]:  # 一组里可以写着 include-group，指另一组
            wanted += [entry] if isinstance(entry, str) else groups[entry["include-group"]]
    return wanted


def is_installed(pin):
    """正在运行的 Python 是否恰好装着这个版本；CPU 版 torch 的版本写作 2.13.0+cpu，也算。"""
    name, _, version = pin.partition("==")
    try:
        return (metadata.version(name) or "").split("+")[0] == version
    except metadata.PackageNotFoundError:
        return False


def same_names(folder, wanted):
    """folder 里与标准库或 wanted 里的软件包同名的文件：Python 会先找到它们，错当成那个模块。

    test.py 谁都不会错用，不算。
    """
    taken = {*getattr(sys, "stdlib_module_names", ()), *(pin.partition("==")[0] for pin in wanted)} - {"test"}
    files = [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
    names = [file if file.parent == folder else file.parent for file in files]
    return sorted(name for name in names if name.stem in taken)

"""一条命令准备好环境，然后打开课程、做幻灯片、书和练习纸、运行检查、刷新笔记本或量速度；用法见 USAGE。

本文件只用标准库，语法照顾到 Python 3.8：环境还没装好、Python 太旧时，也要能说清楚该怎么办。
"""

import os
import shlex
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).absolute().parent.parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)  # numpy 2.4.6 和 matplotlib 3.11.2 要求 3.11 以上
NEWEST = (3, 14)  # numpy 2.4.6 的安装包只到 3.14；更新的 Python 要自己编译，不一定成功

USAGE = """用法（在项目文件夹里运行；Windows 也可以把 python 换成 py）：
    python -m utils lab       [JupyterLab 的参数]      准备环境并打开课程
    python -m utils slides    [笔记本…] [-o 文件夹]    准备环境并做离线幻灯片
    python -m utils book      [笔记本…] [-o 文件夹]    准备环境并做离线的书（--pdf 再印成 PDF）
    python -m utils worksheet [笔记本…] [-o 文件夹]    准备环境并做练习纸；一个学生一份：--for 名单.txt
    python -m utils grade     文件夹 [-o 表格]         准备环境并批一个班的练习
    python -m utils update    [旧的课程文件夹]         换成新版的课程，留住自己写的答案
    python -m utils test      [pytest 的参数]          准备环境并运行全部检查
给维护者：
    python -m utils refresh   [笔记本…]                准备环境，重新执行笔记本并保存
    python -m utils benchmark [笔记本…]                准备环境并量速度"""

GROUPS = {  # 子命令另外需要的依赖组
    "slides": "slides",
    "book": "slides",
    "worksheet": "slides",
    "grade": "slides",
    "test": "dev",
    "refresh": "dev",
    "benchmark": "dev",
}

PYTHON_RANGE = f"本课程需要 Python {OLDEST[0]}.{OLDEST[1]} 到 {NEWEST[0]}.{NEWEST[1]}"

VENV_FAILED = f"""
不能新建虚拟环境 {VENV}，上面有具体原因。常见的有：
  · 项目文件夹不能写入：把它复制到自己的文件夹里；
  · Debian、Ubuntu 缺少 venv 模块：先运行 sudo apt install python3-venv；
  · 磁盘空间不够：至少留出 3 GB。
解决后再运行同一条命令。"""

INSTALL_FAILED = f"""
安装没有完成，课程还不能运行。上面有 pip 给出的具体原因，常见的有：
  · 网络中断或超时（timeout、connection）：换个网络；下载太慢，可以先设置镜像：
        python -m pip config set global.index-url 镜像地址
  · 代理（Proxy、SOCKS）：关掉代理，或改用 http 代理；
  · 没有合适的安装包（No matching distribution）：镜像还没有这个版本，换一个镜像；
    或者 Python 不合适，{PYTHON_RANGE}，而且是 64 位；
    Intel 芯片的 Mac 和 ARM 版的 Windows 没有这一版的 torch，请换一台电脑；
  · 磁盘空间不够（No space left）：至少留出 3 GB；
  · Windows 的路径太长（Long Path）：把项目文件夹移到盘符下，例如 C:\\course。
解决后再运行同一条命令，会接着装完。还是不行，就删除项目里的 .venv 文件夹再试。"""

CPU_HINT = """Linux 提示：pip 装的 torch 可能带上几个 GB 的显卡文件，本课程用不到。
想只装 CPU 版：现在按 Ctrl-C 停下，运行下面两行，再运行同一条命令。
    {0} -m pip install uv
    {0} -m uv pip install --torch-backend=cpu -r requirements.txt"""


def run(command, **variables):
    """在项目文件夹里运行 command，返回退出码；variables 是另加的环境变量。

    Ctrl-C 会直接送到子进程；这里只等它收尾（JupyterLab 要关闭内核），然后再停下。
    不给子进程设 PYTHONUTF8：项目里读写文件都写明了编码，检查就该在学习者真实的编码环境里运行。
    """
    pressed = []
    previous = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        environment = {**os.environ, **variables}
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
    named = os.environ.get("CONDA_DEFAULT_ENV") != "base"
    return sys.prefix != sys.base_prefix or bool(in_conda and named)


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
    if command in GROUPS:
        import tomllib  # Python 3.11 才有，不能放在文件开头

        groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
        for entry in groups[GROUPS[command]]:  # 一组里可以写着 include-group，指另一组
            wanted += [entry] if isinstance(entry, str) else groups[entry["include-group"]]
    return [pin for pin in wanted if pin]


def is_installed(pin):
    """正在运行的 Python 是否恰好装着这个版本；CPU 版 torch 的版本写作 2.13.0+cpu，也算。"""
    name, _, version = pin.partition("==")
    try:
        return (metadata.version(name) or "").split("+")[0] == version
    except metadata.PackageNotFoundError:
        return False


def install(wanted):
    """把 wanted 装进正在运行的 Python；已经齐全就什么都不做，没有网络也能马上开始。"""
    missing = [pin for pin in wanted if not is_installed(pin)]
    if not missing:
        return
    needs_torch = any(pin.startswith("torch==") for pin in missing)
    size = "几百 MB" if needs_torch else "几 MB 到几十 MB"
    print(f"正在安装软件包。要下载{size}，请保持联网 ……")
    if sys.platform == "linux" and needs_torch:
        print(CPU_HINT.format(shlex.quote(sys.executable)))
    if run([sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *wanted]) != 0:
        sys.exit(INSTALL_FAILED)


def lab(arguments):
    """用 JupyterLab 打开第一本笔记；arguments 原样交给 JupyterLab。"""
    print("正在打开课程。结束时先保存，再在这个窗口按两次 Ctrl-C。")
    print("下面的英文是运行记录，不用看。浏览器没有自己打开，就把其中 http 开头的网址复制进去。")
    command = [sys.executable, "-m", "jupyter", "lab", f"--ServerApp.root_dir={ROOT}"]
    # 不用「打开文件」的参数：那样只有浏览器打开笔记，终端里打印的网址不指向它
    command += ["--LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb", *arguments]
    jupyter = Path(__file__).absolute().with_name("jupyter")
    # 这个文件夹里只有一项设置：不弹出「是否接收 Jupyter 新闻」，不联网查新闻和新版本。只对这一次运行有效
    paths = os.pathsep.join(filter(None, [str(jupyter), os.environ.get("JUPYTER_CONFIG_PATH")]))
    # 内核启动时运行 startup.py；学习者自己设过，就用自己的
    startup = os.environ.get("PYTHONSTARTUP") or str(jupyter / "startup.py")
    # 用户目录里也有叫 python3 的内核时（别处的 Python 装的），仍用这个环境的
    return run(command, JUPYTER_CONFIG_PATH=paths, PYTHONSTARTUP=startup, JUPYTER_PREFER_ENV_PATH="1")


def test(arguments):
    """运行检查，返回 pytest 的退出码；arguments 原样交给 pytest。

    没有参数就是全部检查，分给几个进程（最多 4 个）；一个文件、一本笔记总在同一个进程里。
    没有设过 OMP_NUM_THREADS 时，每个进程算矩阵只用一个线程：矩阵都很小，几个线程只会互相等。
    """
    processes = min(4, os.cpu_count() or 1)
    everything = ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    return run([sys.executable, "-m", "pytest", *(arguments or everything)], OMP_NUM_THREADS=threads)


def main(arguments):
    """检查 Python -> 找到环境 -> 装好软件包 -> 运行子命令；返回退出码。"""
    if not arguments or arguments[0] not in ("lab", "update", *GROUPS):
        print(USAGE, file=sys.stderr)
        return 2
    running = sys.version_info[:2]
    found = "{}，现在运行的是 {}.{}。".format(PYTHON_RANGE, *running)
    if running < OLDEST:
        print(found + "请安装合适的 Python，再运行同一条命令。", file=sys.stderr)
        return 1
    if arguments[0] == "update":  # 只用标准库：软件包还没有装好、正要换版本时也能用
        from utils.update import main as update

        return update(arguments[1:])
    if not in_environment():
        return run([venv_python(), "-m", "utils", *arguments])
    if running > NEWEST:
        print(found + "先试着继续，不一定成功。", file=sys.stderr)
    command, *rest = arguments
    install(pins(command))
    if command == "lab":
        return lab(rest)
    if command == "test":
        return test(rest)
    return run([sys.executable, "-m", f"utils.{command}", *rest])  # 同名的模块自己读参数


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        # 中文 Windows 的 GBK 终端写不出的字换成「?」而不中断；逐行输出，与子进程的输出不错位
        stream.reconfigure(errors="replace", line_buffering=True)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

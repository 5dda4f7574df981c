"""一条命令准备好环境，然后打开课程、做幻灯片、书和练习纸、运行检查、刷新笔记本或量速度；用法见 USAGE。

本文件只用标准库，语法照顾到 Python 3.8：环境还没装好、Python 太旧时，也要能说清楚该怎么办。
"""

import os
import sys

if __name__ == "__main__":  # 项目文件夹里若有学习者的 random.py，下面的导入不能错用它
    sys.path[:] = [folder for folder in sys.path if folder not in ("", os.getcwd())]

from pathlib import Path

from utils import environment
from utils.environment import GROUPS, NEWEST, OLDEST, PYTHON_RANGE, SAME_NAME, run
from utils.installing import install

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

LAB_FAILED = """
JupyterLab 停下了（退出码 {}），原因在上面英文的最后几行。常见的有：
  · 自己的 Jupyter 设置（上面写着 config、traitlets 或文件名 jupyter_…_config）：先不用它，再运行同一条命令：
        {}
  · 装过的 Jupyter 扩展与这一版不合：删除项目里的 .venv 文件夹，再运行同一条命令；
  · 端口（port、address）被占用或不许用：后面加上 --port 9000；
  · 主目录不能写入（PermissionError、FileNotFoundError）：环境变量 HOME 要指向自己的主目录；
  · Python 缺一块（No module named '_sqlite3'、'_ctypes'、'_ssl'）：重装 python.org 或系统自带的 Python，
    删除项目里的 .venv 文件夹，再运行同一条命令。"""
NO_CONFIG = "set JUPYTER_NO_CONFIG=1" if os.name == "nt" else "export JUPYTER_NO_CONFIG=1"


def lab(arguments):
    """用 JupyterLab 打开第一本笔记；arguments 原样交给 JupyterLab。"""
    for file in environment.same_names(environment.ROOT / "notebooks", environment.pins("lab")):
        print("注意：" + SAME_NAME.format(file, file.stem, "笔记本"))
    print("正在打开课程。结束时先保存，再在这个窗口按两次 Ctrl-C。")
    print("下面的英文是运行记录，不用看。浏览器没有自己打开，就把其中 http 开头的网址复制进去。")
    command = [sys.executable, "-m", "jupyter", "lab"]
    # 学习者自己设过的起始文件夹不在项目里，JupyterLab 就不开：这一次都是项目
    command += [f"--ServerApp.{name}={environment.ROOT}" for name in ("root_dir", "preferred_dir")]
    # 不用「打开文件」的参数：那样只有浏览器打开笔记，终端里打印的网址不指向它
    command += ["--LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb", *arguments]
    jupyter = Path(__file__).absolute().with_name("jupyter")
    # 这个文件夹里的设置只对这一次运行有效：不联网查新闻和新版本；只看过的笔记本保存时不变
    paths = os.pathsep.join(filter(None, [str(jupyter), os.environ.get("JUPYTER_CONFIG_PATH")]))
    # 内核启动时运行 startup.py；学习者自己设过，就用自己的
    startup = os.environ.get("PYTHONSTARTUP") or str(jupyter / "startup.py")
    # 用户目录里也有叫 python3 的内核时（别处的 Python 装的），仍用这个环境的
    code = run(command, JUPYTER_CONFIG_PATH=paths, PYTHONSTARTUP=startup, JUPYTER_PREFER_ENV_PATH="1")
    if code != 0:
        print(LAB_FAILED.format(code, NO_CONFIG), file=sys.stderr)
    return code


def test(arguments):
    """运行检查，返回 pytest 的退出码；arguments 原样交给 pytest。

    没有参数就是全部检查，分给几个进程（最多 4 个）；一个文件、一本笔记总在同一个进程里。
    没有设过 OMP_NUM_THREADS 时，每个进程算矩阵只用一个线程：矩阵都很小，几个线程只会互相等。
    检查的设置只在 pyproject.toml 里：学习者自己的 pytest.ini 和 pytest 的环境变量都不用。
    """
    processes = min(4, os.cpu_count() or 1)
    everything = ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
    variables = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        variables[name] = None
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", *(arguments or everything)]
    return run(command, **variables)


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
    command, *rest = arguments
    wanted = environment.pins(command)
    clashes = environment.same_names(environment.ROOT, wanted)
    if clashes:
        for file in clashes:
            print(SAME_NAME.format(file, file.stem, "课程"), file=sys.stderr)
        print("改好以后再运行同一条命令。", file=sys.stderr)
        return 1
    if not environment.in_environment():
        # 这两个变量会让 .venv 里的 Python 用上别处的软件包
        return run([environment.venv_python(), "-m", "utils", *arguments], PYTHONPATH=None, PYTHONHOME=None)
    if running > NEWEST:
        print(found + "先试着继续，不一定成功。", file=sys.stderr)
    install(wanted)
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

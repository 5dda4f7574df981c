"""把软件包装进正在运行的 Python：先用 uv，装不成再用 pip；都装不成，就在这台电脑上找原因。

为什么先用 uv：它快几倍；在 Linux 上能指定 torch 的 CPU 版，PyPI 上的那一版带着几个 GB 的显卡文件。
只用标准库，语法照顾到 Python 3.8。
"""

import ast
import contextlib
import importlib.util
import os
import platform
import shutil
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from utils.environment import NEWEST, PYTHON_RANGE, is_installed, run

UV = "uv==0.13.9"
CACHE = "uv-cache"  # 在环境的文件夹里
EXPORT = Path(__file__).absolute().with_name("jupyter") / "jupyter_nbconvert_config.py"
PIP = [sys.executable, "-m", "pip"]
PIP_INSTALL = [*PIP, "install", "--disable-pip-version-check", "--no-user"]
# 我们选好了环境：pip 的这几项设置会让它装到别处，或者不装
PIP_PLAIN = {"PIP_REQUIRE_VIRTUALENV": "0", "PIP_TARGET": None, "PIP_PREFIX": None, "PIP_DRY_RUN": None}

START = "正在安装软件包：下载{}，装好占 {}。请保持联网；停下或断了，再运行同一条命令会接着装。"
FIRST_UV = "先用安装工具 uv（它自己约 25 MB）{} ……"
CPU_TORCH = "，torch 取没有显卡文件的 CPU 版"
THEN_PIP = "uv 没有装成，原因在上面。改用 pip 再装一遍 ……"
BIG_TORCH = """注意：pip 在 Linux 上装的 torch 通常带着课程用不到的显卡文件，要下载约 3 GB，占约 5 GB。
不想要：按 Ctrl-C 停下，换一个打得开 download.pytorch.org 的网络，再运行同一条命令。"""

FAILED = """
安装没有完成，课程还不能运行。{}
上面的英文是安装工具给出的具体原因，常见的有：
  · 网络中断或超时（timeout、connection、dns）：换个网络；下载太慢，可以先设置镜像：
        python -m pip config set global.index-url 镜像地址
  · 代理（Proxy、SOCKS）：关掉代理，或改用 http 代理；
  · 证书（SSL、certificate）：学校或公司的网络在中间换了证书，换个网络；电脑的日期也要对；
  · 没有合适的安装包（No matching distribution、No solution）：镜像还没有这个版本，换一个镜像；
    或者 Python 不合适，{}，而且是 64 位；
  · pip 设过别的规定（constraint、hash、only-binary）：用 python -m pip config list 找到它，取消；
  · 磁盘空间不够（No space left）：至少留出 3 GB；
  · 文件被占用（WinError 5、WinError 32、Permission denied）：关掉别的 Python 和杀毒软件的扫描；
  · Windows 的路径太长（Long Path）：把项目文件夹移到盘符下，例如 C:\\course。
解决后再运行同一条命令，会接着装完。还是不行，就删除项目里的 .venv 文件夹再试。"""

NOT_HERE = """
安装工具说装好了，这个 Python（{}）里却找不到 {}。常见的有：
  · pip 的设置让它装到了别处：用 python -m pip config list 找 target、prefix、root，取消它们；
  · 环境变量 PYTHONPATH 里有同一个软件包的别的版本：去掉 PYTHONPATH。
再运行同一条命令。"""

TORCH_BROKEN = """
torch 装好了，可是打不开，原因在上面英文的最后一行。
  · Windows（WinError 126、1114、c10.dll）：装微软的 Visual C++ 运行库，再运行同一条命令：
        https://aka.ms/vs/17/release/vc_redist.x64.exe
  · Linux 的旧系统（GLIBC、libgomp）：换一台新一些的，或用 JupyterHub；
  · 都不是：删除项目里的 .venv 文件夹，再运行同一条命令。
没有它，第 0 到第 5 本和 a2 除了「用 torch 对一遍」都能做，书、幻灯片、练习纸也不用它。"""


def install(wanted):
    """把 wanted 装进正在运行的 Python；已经齐全就什么都不做，没有网络也能马上开始。"""
    _let_nbconvert_write_alt_texts()
    unfinished = Path(sys.prefix) / "course-install-unfinished"  # 装到一半停下：有的包在，它要用的包还不在
    missing = [pin for pin in wanted if not is_installed(pin)]
    if not missing and not unfinished.exists():
        return
    torch = any(pin.startswith("torch==") for pin in missing)
    print(START.format(*("约 300 MB", "1.2 GB") if torch else ("几十 MB", "0.3 GB")))
    _mark(unfinished)
    cpu_build = torch and sysconfig.get_platform().startswith(("linux", "win-arm64"))
    if _with_uv(wanted, cpu_build) != 0:
        print(THEN_PIP)
        if cpu_build and sys.platform == "linux":
            print(BIG_TORCH)
        if run([*PIP_INSTALL, *wanted], **PIP_PLAIN) != 0:
            found = [f"\n  ▶ {cause}" for cause in causes()]
            sys.exit(FAILED.format("在这台电脑上看到：" * bool(found) + "".join(found), PYTHON_RANGE))
    importlib.invalidate_caches()
    lost = [pin for pin in wanted if not is_installed(pin)]
    if lost:
        sys.exit(NOT_HERE.format(sys.executable, "、".join(lost)))
    shutil.rmtree(Path(sys.prefix) / CACHE, ignore_errors=True)  # 没装成就留着，下次接着用
    if unfinished.exists():
        unfinished.unlink()
    if torch and run([sys.executable, "-c", "import torch"]) != 0:
        print(TORCH_BROKEN)


def _let_nbconvert_write_alt_texts():
    """环境里的 nbconvert 用课程的设置；那里已有别人写的，不动；不能写入，就算了。"""
    place, ours = Path(sys.prefix) / "etc" / "jupyter" / EXPORT.name, EXPORT.read_bytes()
    with contextlib.suppress(OSError):
        if not place.exists() or place.read_bytes().splitlines()[:1] == ours.splitlines()[:1]:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(ours)


def _mark(path):
    with contextlib.suppress(OSError):  # 环境不能写入：安装工具自己会说
        path.touch()


# ---------------------------------------------------------------- uv


def _with_uv(wanted, cpu_build):
    """用 uv 安装，返回退出码；没有 uv 先装它，装不上也算没有装成。"""
    print(FIRST_UV.format(CPU_TORCH * cpu_build))
    if importlib.util.find_spec("pip") is None:  # uv 建的环境里没有 pip
        run([sys.executable, "-m", "ensurepip"])
    uv = [sys.executable, "-m", "uv"]
    if not is_installed(UV) and run([*PIP_INSTALL, UV], **PIP_PLAIN) != 0:
        return 1
    backend = ["--torch-backend=cpu"] if cpu_build else []
    return run([*uv, "pip", "install", "--python", sys.executable, *backend, *wanted], **uv_variables())


def uv_variables():
    """uv 要的环境变量。pip 设过的镜像、代理、证书，uv 不读，替它写上；学习者给 uv 设过的不动。

    缓存放在环境里：在同一个磁盘上，不占两份地方，也不留在别处。
    """
    pip = pip_settings()
    variables = {
        "UV_CACHE_DIR": str(Path(sys.prefix) / CACHE),
        "UV_SYSTEM_CERTS": "1",
        "UV_DEFAULT_INDEX": pip.get("index-url") if "UV_INDEX_URL" not in os.environ else None,
        "UV_FIND_LINKS": ",".join(pip.get("find-links", "").split()),
        "UV_NO_INDEX": pip.get("no-index"),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "ALL_PROXY": pip.get("proxy"),
        "SSL_CERT_FILE": pip.get("cert"),
    }
    return {name: value for name, value in variables.items() if value and name not in os.environ}


def pip_settings():
    """pip 的设置（文件里的和环境变量里的），名字 -> 值；后写的优先，与 pip 自己的次序相同。"""
    done = subprocess.run([*PIP, "config", "list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    settings = {"global": {}, "install": {}, ":env:": {}}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        section, _, rest = line.partition(".")
        name, _, value = rest.partition("=")
        if section in settings:
            settings[section][name] = ast.literal_eval(value)
    return {**settings["global"], **settings["install"], **settings[":env:"]}


# ---------------------------------------------------------------- 为什么装不成


def causes():
    """在这台电脑上看得出的原因，一句一个；看不出就是空的。"""
    found = []
    if sys.maxsize < 2**32:
        found.append("这个 Python 是 32 位的：请装 64 位的 Python。")
    if importlib.util.find_spec("_ssl") is None:
        found.append(
            "这个 Python 没有 ssl，不能联网安装：重装 python.org 或系统自带的 Python，再删除 .venv。"
        )
    if sys.version_info[:2] > NEWEST:
        found.append(f"这个 Python 太新，有的软件包还没有给它的安装包：{PYTHON_RANGE}。")
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        found.append(
            "Intel 芯片的 Mac 没有这一版的 torch，请换一台电脑，或用 JupyterHub。"
            "这台要是 Apple 芯片，就是 Python 装成了 Intel 版：装 python.org 的 macOS universal2 版。"
        )
    if sysconfig.get_platform() == "win-arm64":
        found.append(
            "ARM 版的 Python 缺一些软件包：改装 Windows installer (64-bit) 的 Python，ARM 上也能用。"
        )
    free = shutil.disk_usage(sys.prefix).free / 1e9
    if free < 3:
        found.append(f"磁盘只剩 {free:.1f} GB，至少要 3 GB。")
    if not os.access(sys.prefix, os.W_OK):
        found.append(f"{sys.prefix} 不能写入：把项目复制到自己的文件夹里。")
    proxies = {scheme: url for scheme, url in getproxies().items() if scheme != "no"}
    for url in sorted(set(proxies.values())):
        found += _proxy_faults(url)
    return found


def _proxy_faults(url):
    address = urlsplit(url if "://" in url else "http://" + url)
    if address.scheme.startswith("socks"):
        yield f"设了 SOCKS 代理 {address.hostname}，安装工具不一定会用：关掉代理，或改用 http 代理。"
    try:
        socket.create_connection((address.hostname, address.port or 80), timeout=3).close()
    except (OSError, ValueError):
        yield "设了代理 {}，可是连不上它：打开代理软件，或者去掉 HTTP_PROXY、HTTPS_PROXY、ALL_PROXY。".format(
            address.netloc.rpartition("@")[2]
        )

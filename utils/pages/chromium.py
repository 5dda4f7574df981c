"""电脑上的 Chromium 或 Chrome 在哪里。装在别处时，用环境变量 CHROMIUM 写明它的路径。"""

import os
import shutil

# 不在 PATH 里时，Windows 和 macOS 把它装在这些地方
_PLACES = (
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    "--no-sandbox",  # 容器里以 root 运行
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def executable():
    """浏览器的路径；没有就是 None。"""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, (*NAMES, *_PLACES))), None)

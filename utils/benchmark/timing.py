"""并排量：轮流运行，各取中位数。电脑忽快忽慢时，两边受的影响差不多。"""

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median

from utils.refresh import ROOT

# 由一个很小的进程去启动：Linux 把启动者的内存也算进新进程的最高值
LAUNCH = """
import os, subprocess, sys
process = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL)
if not hasattr(os, "wait4"):
    sys.exit(process.wait())
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def seconds(work: Callable[[], object]) -> float:
    """运行一次的秒数。"""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(*works: Callable[[], object], repeats: int) -> list[float]:
    """几样工作轮流运行 repeats 次，各自的中位数，秒。"""
    runs = [[seconds(work) for work in works] for _ in range(repeats)]
    return [median(times) for times in zip(*runs, strict=True)]


def peak(work: Callable[[], object]) -> str:
    """运行一次，Python 和 numpy 最多同时占多少内存。"""
    tracemalloc.start()
    try:
        work()
        return f"内存最高 {tracemalloc.get_traced_memory()[1] / 2**20:.1f} MiB"
    finally:
        tracemalloc.stop()


def run_python(*arguments: str | Path) -> float | None:
    """在新的进程里运行 Python，出错就停下；返回这个进程内存的最高值，MiB（Windows 上量不出，是 None）。"""
    command = [sys.executable, "-c", LAUNCH, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return int(done.stdout) / (2**20 if sys.platform == "darwin" else 2**10) if done.stdout else None

"""并排量：轮流运行，各取中位数。电脑忽快忽慢时，两边受的影响差不多。"""

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median

from utils.refresh import ROOT


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
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        if not hasattr(os, "wait4"):
            process.wait()
            highest = None
        else:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            highest = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return highest

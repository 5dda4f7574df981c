"""并排量：轮流运行，各取中位数。电脑忽快忽慢时，两边受的影响差不多。"""

import subprocess
import sys
import time
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


def run_python(*arguments: str | Path) -> None:
    """在新的进程里运行 Python，出错就停下。"""
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

"""量速度、大小和内存：python -m utils benchmark [-n 次数] [--only 一项] [--cdn 文件夹] [笔记本…]

所有结果在一张表里，每个都与一个对照在同一次运行里并排量；对照是什么，见 utils/benchmark/__init__.py。
电脑上有别的程序在忙，时间就不准：先让它空下来。
"""

import argparse
import sys
from pathlib import Path

from utils.benchmark import attention, exercises, memory, notebooks, plots, slides
from utils.benchmark.table import render
from utils.notebooks import NOTEBOOKS, find_notebook

PARTS = ("notebooks", "plots", "attention", "exercises", "slides", "memory")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m utils benchmark", description="量速度、大小和内存。")
    parser.add_argument("notebooks", nargs="*", type=Path, help="笔记本；不写就是 notebooks/ 里的每一本")
    parser.add_argument("-n", type=int, default=3, metavar="次数", help="量几次，取中位数（默认 3）")
    parser.add_argument("--only", action="append", choices=PARTS, help="只量这一项；可以写几次")
    parser.add_argument("--cdn", type=Path, metavar="文件夹", help="见 utils/benchmark/slides.py")
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="replace")
    paths = [find_notebook(path).resolve() for path in options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))]
    parts = {
        "notebooks": lambda: notebooks.measure(paths, options.n),
        "plots": lambda: plots.measure(options.n),
        "attention": lambda: attention.measure(options.n),
        "exercises": lambda: exercises.measure(options.n),
        "slides": lambda: slides.measure(paths, options.n, options.cdn),
        "memory": lambda: memory.measure(paths),
    }
    rows = []
    for part in options.only or PARTS:
        for row in parts[part]():
            rows.append(row)
            print(f"{len(rows)} {row.name}", file=sys.stderr, flush=True)  # 进度
    print(render(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

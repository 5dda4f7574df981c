"""量速度：python -m utils.benchmark [笔记本…]

每本笔记给出两个数：

- 倍数：严格重新执行这一本的时间，除以一本只导入 numpy、torch、matplotlib 的笔记的时间
  （各取中位数）。课程要求不超过 1.3。
- 最慢的一格：不含导入的格里用时最长的，秒。课程要求不超过 0.3（第 3 本的实验 1）。

电脑上有别的程序在忙，时间就不准：先让它空下来。
"""

import argparse
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from statistics import median

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from utils.refresh import NOTEBOOKS, ROOT, cell_name, execute, normalise, serialise

BARE = "import matplotlib.pyplot\nimport numpy\nimport torch"


def strict_run(path: Path) -> float:
    """严格重新执行一本笔记的秒数，包括启动 pytest 和内核。"""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    if path.parent != NOTEBOOKS:  # 用来比较的笔记在别处，也要受同样严格的检查
        command += ["-p", "notebooks.conftest", "-c", str(ROOT / "pyproject.toml")]
    start = time.perf_counter()
    subprocess.run([*command, path], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def slowest_cell(path: Path) -> tuple[float, str]:
    """不含导入的格里最慢的一格：秒数和它的名字。"""
    nb = nbformat.read(path, as_version=4)
    execute(nb, path)
    timed = [
        (_seconds(cell), cell_name(nb, index))
        for index, cell in enumerate(nb.cells)
        if cell.cell_type == "code" and "import " not in cell.source
    ]
    return max(timed)


def _seconds(cell) -> float:
    started, replied = (
        datetime.fromisoformat(cell.metadata.execution[event].replace("Z", "+00:00"))
        for event in ("iopub.execute_input", "shell.execute_reply")
    )
    return (replied - started).total_seconds()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m utils.benchmark", description="量每本笔记重新执行的时间。"
    )
    parser.add_argument("notebooks", nargs="*", type=Path, help="笔记本；不写就是 notebooks/ 里的每一本")
    parser.add_argument("-n", type=int, default=3, metavar="次数", help="每本量几次，取中位数（默认 3）")
    options = parser.parse_args(arguments)
    paths = options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))

    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder, "bare.ipynb")
        bare.write_bytes(serialise(normalise(new_notebook(cells=[new_code_cell(BARE)]))))
        runs = {path: [] for path in (bare, *paths)}
        for _ in range(options.n):  # 轮流量：电脑忽快忽慢时，各本受的影响差不多
            for path in runs:
                runs[path].append(strict_run(path.resolve()))
    base = median(runs.pop(bare))
    print(f"只导入 numpy、torch、matplotlib：{base:.1f} 秒")
    for path, seconds in runs.items():
        slowest, name = slowest_cell(path.resolve())
        times = f"{median(seconds):.1f} 秒，{median(seconds) / base:.2f} 倍"
        print(f"{path.name}：{times}；最慢 {slowest:.2f} 秒，{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

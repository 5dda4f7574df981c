"""严格重新执行一本笔记的时间，和其中最慢的一格。"""

import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from statistics import median

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from utils.benchmark.table import Row
from utils.benchmark.timing import run_python, seconds
from utils.kernels import execute
from utils.notebooks import NOTEBOOKS, cell_name, normalise, serialise
from utils.refresh import ROOT

BARE = "import matplotlib.pyplot\nimport numpy\nimport torch"
SLIDERS = "import ipywidgets"  # 有滑块的笔记还导入它
SLOWEST = 0.3  # 秒，除导入外最慢的一格；03 的实验是 1 秒，总览和训练模型的一本不限
WAITING = {"00_overview": None, "03_scaling": 1.0, "06_self_attention": None}
WHOLE = {"06_self_attention": 15.0}  # 秒，训练模型的一本从头到尾


def measure(paths: list[Path], repeats: int) -> Iterator[Row]:
    """每本两行：整本，最慢的一格；训练模型的一本多一行。"""
    with tempfile.TemporaryDirectory() as folder:
        bare = {source: _bare(Path(folder), source) for source in map(imports, paths)}
        runs = {path: [] for path in (*bare.values(), *paths)}
        for _ in range(repeats):  # 轮流量
            for path in runs:
                runs[path].append(seconds(lambda path=path: strict_run(path)))
    for path in paths:
        whole, base = median(runs[path]), median(runs[bare[imports(path)]])
        yield Row(f"{path.stem} 严格执行", whole, base)
        if path.stem in WHOLE:
            yield Row(f"{path.stem} 从头到尾", whole, limit=WHOLE[path.stem])
        slowest, name = slowest_cell(path)
        yield Row(f"{path.stem} 最慢的一格", slowest, limit=WAITING.get(path.stem, SLOWEST), note=name)


def imports(path: Path) -> str:
    """一本笔记用到的、不是我们写的软件包，写成导入语句。"""
    cells = nbformat.read(path, as_version=4).cells
    sliders = any("utils.explorers" in cell.source for cell in cells if cell.cell_type == "code")
    return f"{BARE}\n{SLIDERS}" if sliders else BARE


def _bare(folder: Path, source: str) -> Path:
    path = folder / f"bare_{len(source)}.ipynb"
    path.write_bytes(serialise(normalise(new_notebook(cells=[new_code_cell(source)]))))
    return path


def strict_run(path: Path) -> None:
    """严格重新执行一本笔记，包括启动 pytest 和内核。"""
    elsewhere = []
    if path.parent != NOTEBOOKS:  # 用来比较的笔记在别处，也要受同样严格的检查
        elsewhere = ["-p", "notebooks.conftest", "-c", ROOT / "pyproject.toml"]
    run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", *elsewhere, path)


def slowest_cell(path: Path) -> tuple[float, str]:
    """不含导入的格里最慢的一格：秒数和它的名字。"""
    nb = nbformat.read(path, as_version=4)
    execute(nb, path)
    return max(
        (_seconds(cell), cell_name(nb, index))
        for index, cell in enumerate(nb.cells)
        if cell.cell_type == "code" and "import " not in cell.source
    )


def _seconds(cell) -> float:
    started, replied = (
        datetime.fromisoformat(cell.metadata.execution[event].replace("Z", "+00:00"))
        for event in ("iopub.execute_input", "shell.execute_reply")
    )
    return (replied - started).total_seconds()

"""量速度：python -m utils benchmark [笔记本…]

印一张表：每本笔记严格检查一遍要几秒（对照：同样的导入、别的什么也不做）、最慢的一格、内核占的内存；
做幻灯片、打开最大的一份到看见第一页；self_attention（对照：torch 的 scaled_dot_product_attention）。
电脑上有别的程序在忙，时间就不准：先让它空下来。
"""

import argparse
import subprocess
import sys
import tempfile
import time
import unicodedata
from datetime import datetime
from pathlib import Path
from statistics import median

import numpy as np
from nbformat.v4 import new_code_cell, new_notebook

from utils.attention import self_attention
from utils.kernels import kernel
from utils.notebooks import NOTEBOOKS, cell_name, find_notebook, normalise, notebook_paths, parse, serialise

_ROOT = NOTEBOOKS.parent
HEAD = ("项目", "我们的", "对照", "倍数", "说明")
BARE = "import matplotlib.pyplot\nimport numpy\nimport torch"
LENGTHS = (3, 128, 1024)  # self_attention 的词元数
WIDTH = 64


def seconds(work):
    """运行一次 work() 的秒数。"""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def row(name, ours, theirs=None, unit="秒", note=""):
    """表的一行；theirs 是对照，与 ours 用同一个单位。"""
    compared = ("", "") if theirs is None else (f"{theirs:.3g} {unit}", f"{ours / theirs:.3g}")
    return (name, f"{ours:.3g} {unit}", *compared, note)


def strict_run(path):
    """在新的进程里严格检查一本笔记；它不在 notebooks/ 里，也照同样的规矩。"""
    rules = ["-p", "notebooks.conftest"] if path.parent != NOTEBOOKS else []
    options = ["-q", "-p", "no:cacheprovider", "-c", _ROOT / "pyproject.toml", f"--rootdir={_ROOT}", *rules]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, path], cwd=_ROOT, check=True, stdout=subprocess.DEVNULL
    )


def run_cells(path):
    """在一个新内核里从头执行一本笔记；返回 (最慢的一格几秒, 它的名字, 内核占几 MiB)，含导入的格不算。

    内存是只属于这个内核的部分（多开一个内核就多占这么多），从 Linux 的 /proc 读；别的系统是 None。
    """
    nb = parse(path.read_bytes())
    times = []
    with kernel(nb, path.parent) as client:
        for index, cell in enumerate(nb.cells):
            if cell.cell_type == "code":
                client.execute_cell(cell, index)
                if "import " not in cell.source:
                    times.append((_cell_seconds(cell), cell_name(nb, index)))
        rollup = Path(f"/proc/{client.km.provisioner.pid}/smaps_rollup")
        lines = rollup.read_text(encoding="ascii").splitlines() if rollup.exists() else []
    held = [int(line.split()[1]) / 1024 for line in lines if line.startswith("Anonymous:")]
    return *max(times), held[0] if held else None


def _cell_seconds(cell):
    events = ("iopub.execute_input", "shell.execute_reply")
    started, replied = (datetime.fromisoformat(cell.metadata.execution[event]) for event in events)
    return (replied - started).total_seconds()


def of_notebooks(paths):
    """每本一行：严格检查一遍，说明里写最慢的一格和内核占的内存。"""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder, "bare.ipynb")
        bare.write_bytes(serialise(normalise(new_notebook(cells=[new_code_cell(BARE)]))))
        base = median(seconds(lambda: strict_run(bare)) for _ in range(3))
    for path in paths:
        whole = seconds(lambda path=path: strict_run(path))
        slowest, name, held = run_cells(path)
        note = f"最慢 {slowest:.2f} 秒：{name}" + (f"；内核 {held:.0f} MiB" if held else "")
        yield row(f"{path.stem} 严格检查", whole, base, note=note)


def of_slides(paths):
    """做全部幻灯片；最大的一份有多大，打开它到第一页画出来要多久（没有浏览器就不量）。"""
    from utils.pages.browser import chromium, executable

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "utils.slides", "-o", folder, *paths]
        build = seconds(lambda: subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.DEVNULL))
        yield row(f"做 {len(paths)} 份幻灯片", build)
        deck = max(Path(folder).glob("*.slides.html"), key=lambda path: path.stat().st_size)
        yield row("最大的一份", deck.stat().st_size / 1e6, unit="MB", note=deck.stem)
        if executable() is None:
            return
        with chromium() as browser:
            yield row("打开到看见第一页", median(seconds(lambda: _open(browser, deck)) for _ in range(3)))


def _open(browser, deck):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(deck.as_uri(), wait_until="commit")
    page.wait_for_selector(".reveal.ready section.present:not(.stack)")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.close()


def of_attention():
    """self_attention（numpy，float64）对照 torch 的同样计算，每个词元数一行。"""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    rng = np.random.default_rng(0)
    W = rng.standard_normal((3, WIDTH, WIDTH)) / 8
    for n in LENGTHS:
        X = rng.standard_normal((n, WIDTH))
        X_torch, W_torch = torch.from_numpy(X), torch.from_numpy(W)
        ours = median(seconds(lambda X=X: self_attention(X, *W)) for _ in range(9))
        theirs = median(
            seconds(lambda X=X_torch, W=W_torch: scaled_dot_product_attention(X @ W[0], X @ W[1], X @ W[2]))
            for _ in range(9)
        )
        yield row(f"self_attention，{n} 个词元", 1e3 * ours, 1e3 * theirs, unit="毫秒")


def as_table(rows):
    """对齐的表格。"""
    lines = [HEAD, *rows]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(_padded, line, widths)).rstrip() for line in lines)


def _width(text):
    """在等宽字体里占几格：汉字和全角标点占两格。"""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _padded(text, width):
    return text + " " * (width - _width(text))


def main(arguments=None):
    """命令行的入口；返回退出码。"""
    parser = argparse.ArgumentParser(prog="python -m utils benchmark", description="量速度和内存。")
    parser.add_argument("notebooks", nargs="*", type=Path, help="笔记本，如 02_scores；不写就是全部")
    names = parser.parse_args(arguments).notebooks
    sys.stdout.reconfigure(errors="replace")
    paths = [find_notebook(name).resolve() for name in names] or notebook_paths()
    print(as_table([*of_notebooks(paths), *of_slides(paths), *of_attention()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

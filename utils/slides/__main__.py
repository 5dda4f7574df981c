"""做幻灯片：python -m utils.slides [笔记本…] [-o 文件夹]

每本笔记成为一个 .slides.html 文件，另有一页 index.html 作课程目录。由笔记本里存下的输出做成，不执行代码。
每个文件自己就是全部：拷到 U 盘里，没有网络也能放映。一份幻灯片要么整个写好，要么不写。
"""

import argparse
import sys
from pathlib import Path

from utils.notebooks import NOTEBOOKS, find_notebook

ROOT = Path(__file__).resolve().parent.parent.parent


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m utils.slides", description="由笔记本里存下的输出做离线的幻灯片。"
    )
    parser.add_argument("notebooks", nargs="*", type=Path, help="笔记本，如 02_scores；不写就是全部")
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "slides", help="放在哪个文件夹，默认 slides/"
    )
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="replace")  # 终端不是 UTF-8 时，写不出的字换成「?」而不中断
    try:
        from utils.slides.build import build

        notebooks = [find_notebook(path) for path in options.notebooks]
        return build(notebooks or sorted(NOTEBOOKS.glob("*.ipynb")), options.output)
    except ModuleNotFoundError as error:
        package = error.name.partition(".")[0]
        print(f"缺少软件包 {package}：请用 python -m utils slides 代替，它先装好需要的软件包。")
        return 1


if __name__ == "__main__":
    sys.exit(main())

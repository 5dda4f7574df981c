"""印笔算练习纸：python -m utils.worksheet [-o worksheets] [步骤…]

五个步骤各印一页 A4 的练习纸 NN_name.worksheet.html，和填好的答案 NN_name.answers.html；
index.html 是目录。用浏览器打开，直接打印。不写步骤就是全部。数都取自 data/，文件不需要网络。
"""

import argparse
import sys
from pathlib import Path

from utils.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "worksheets"


def main(arguments: list[str] | None = None) -> int:
    """命令行的入口；返回退出码：0 全部写好，1 没有写完，2 参数不对。"""
    sys.stdout.reconfigure(errors="replace")  # 终端不是 UTF-8 时，写不出的字换成「?」而不中断
    parser = argparse.ArgumentParser(
        prog="python -m utils.worksheet", description="印笔算练习纸和答案，一步一页 A4。"
    )
    parser.add_argument(
        "-o", "--output", dest="folder", type=Path, default=FOLDER, help="放在哪个文件夹，默认 worksheets/"
    )
    parser.add_argument("steps", nargs="*", metavar="步骤", help="如 02_scores；不写就是全部五步")
    options = parser.parse_args(arguments)
    try:
        from utils.worksheet.page import ANSWERS, WORKSHEET, render, render_index
        from utils.worksheet.steps import STEPS
    except ModuleNotFoundError as error:
        return _missing(error)
    if unknown := [step for step in options.steps if step not in STEPS]:
        print(f"没有步骤 {'、'.join(unknown)}；可用的是 {'、'.join(STEPS)}。")
        return 2
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        for step in options.steps or STEPS:
            for suffix in (WORKSHEET, ANSWERS):
                _write(options.folder / (step + suffix), render(step, answers=suffix == ANSWERS))
        present = [step for step in STEPS if (options.folder / (step + ANSWERS)).exists()]
        _write(options.folder / "index.html", render_index(present))
    except ModuleNotFoundError as error:
        return _missing(error)
    except OSError as error:
        print(f"写不进文件夹 {options.folder}（{error.strerror}）；请用 -o 换一个文件夹。")
        return 1
    except ValueError as error:
        print(error)
        return 1
    return 0


def _write(path: Path, html: str) -> None:
    write_atomically(path, html.encode("utf-8"))
    print(path.name, flush=True)


def _missing(error: ModuleNotFoundError) -> int:
    package = error.name.partition(".")[0]
    print(f"缺少软件包 {package}：请用 python -m utils worksheet 代替，它先装好需要的软件包。")
    return 1


if __name__ == "__main__":
    sys.exit(main())

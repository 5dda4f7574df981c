"""重新执行笔记本并保存输出：python -m utils refresh [笔记本…]

不写文件名时刷新 notebooks/ 里的每一本，以及 README 里的图。
每本都用运行本命令的这个 Python、在全新的内核里从头执行；有一格出错，或有一格写了 stderr，
这一本就一个字节也不改。内容没有变化时不写文件：刷新两次，git 里没有变化。
"""

import argparse
import base64
import sys
from copy import deepcopy
from pathlib import Path

from nbformat import ValidationError, validate

from utils.files import write_atomically
from utils.kernels import CellError, execute
from utils.notebooks import NOTEBOOKS, find_notebook, missing, normalise, notebook_paths, parse, serialise
from utils.pictures import picture_difference

README_PICTURE = NOTEBOOKS.parent / ".github" / "pipeline.png"


class RefreshError(Exception):
    """一本笔记没法刷新；消息写明是哪一本、哪一格、为什么。"""


def refresh(path):
    """重新执行一本笔记并保存；文件有变化时返回 True。出错时抛出 RefreshError，文件不变。"""
    try:
        content = path.read_bytes()
        stored = normalise(parse(content))
        validate(stored)
    except FileNotFoundError:
        raise RefreshError(missing(path)) from None
    except (OSError, ValueError, TypeError, AttributeError, ValidationError) as error:
        raise RefreshError(f"{path.name}：读不出笔记本（{type(error).__name__}: {error}）") from None
    nb = deepcopy(stored)
    try:
        execute(nb, path)
    except CellError as error:
        raise RefreshError(str(error)) from None
    nb = normalise(nb)
    _keep_equal_pictures(nb, stored)
    new_content = serialise(nb)
    if new_content == content:
        return False
    try:
        write_atomically(path, new_content)
    except OSError as error:
        raise RefreshError(f"{path.name}：写不进文件夹（{error.strerror}）") from None
    return True


def _keep_equal_pictures(nb, stored):
    """看不出差别的图沿用存下的字节：在另一种 CPU 上刷新，git 里也没有变化。"""
    for cell, old_cell in zip(nb.cells, stored.cells, strict=True):
        for output, old_output in zip(cell.get("outputs", []), old_cell.get("outputs", []), strict=False):
            new, old = output.get("data", {}), old_output.get("data", {})
            both = "image/png" in new and "image/png" in old
            if both and picture_difference(old["image/png"], new["image/png"]) is None:
                new["image/png"] = old["image/png"]


def readme_picture():
    """README 里的图：五个步骤的地图，base64 的 PNG。"""
    from utils.plotting import plot_pipeline  # 只有这里画图；重新执行笔记本时不必花半秒导入它

    png, _ = plot_pipeline()._repr_png_()
    return base64.b64encode(png).decode("ascii")


def refresh_readme_picture():
    """重画 README 里的图；看不出差别就不写文件。有变化时返回 True。"""
    drawn = readme_picture()
    stored = base64.b64encode(README_PICTURE.read_bytes()).decode("ascii")
    if picture_difference(stored, drawn) is None:
        return False
    write_atomically(README_PICTURE, base64.b64decode(drawn))
    return True


def main(arguments=None):
    """命令行的入口；返回退出码：有一本没法刷新就是 1。"""
    parser = argparse.ArgumentParser(prog="python -m utils refresh", description="重新执行笔记本并保存输出。")
    parser.add_argument("notebooks", nargs="*", type=Path, help="笔记本，如 02_scores；不写就是全部")
    paths = parser.parse_args(arguments).notebooks
    everything = not paths
    paths = [find_notebook(path) for path in paths] or notebook_paths()
    if not paths:
        parser.error(f"{NOTEBOOKS.name}/ 里没有笔记本")
    sys.stdout.reconfigure(errors="replace")  # 终端不是 UTF-8 时，出错格里的 ᵀ、√ 也不会让命令中断
    failed = 0
    if everything:
        print(f"{README_PICTURE.name}：{'已更新' if refresh_readme_picture() else '没有变化'}", flush=True)
    for path in paths:
        try:
            print(f"{path.name}：{'已更新' if refresh(path.resolve()) else '没有变化'}", flush=True)
        except RefreshError as error:
            failed += 1
            print(f"{error}\n{path.name} 没有改动。", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

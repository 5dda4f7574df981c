"""重新执行笔记本并保存输出：python -m utils refresh [笔记本…]

不写文件名时刷新 notebooks/ 里的每一本，以及 README 里的图。
每本都用运行本命令的这个 Python、在全新的内核里从头执行；有一格出错，或有一格写了 stderr，
这一本就一个字节也不改。内容没有变化时不写文件：刷新两次，git 里没有变化。
"""

import argparse
import base64
import hashlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from unittest import mock

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, ValidationError, from_dict, v4, validate
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager
from PIL import Image, ImageChops, ImageFilter

from utils.files import NOTEBOOKS, find_notebook, write_atomically

ROOT = Path(__file__).resolve().parent.parent
README_PICTURE = ROOT / ".github" / "pipeline.png"

CELL_TIMEOUT = 120  # 秒；课程里的一格用不了一秒，到这个数就是卡住了
COLOUR_TOLERANCE = 16  # 0…255；换一种 CPU 只差一两级，而热力图里最像的两个数字（6 和 8）至少差 60 级

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE_INFO = {  # 不含 version：升级 Python 不会改动每一本笔记
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}

# 内核启动时执行：笔记本不能依赖网络。zmq 不经过 Python 的 socket，内核自己的通信不受影响。
OFFLINE_STARTUP = """
def _block_network(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        if arguments[1][0] not in ("localhost", "127.0.0.1", "::1"):
            raise OSError(f"笔记本不能联网：{arguments[1][0]}")

__import__("sys").addaudithook(_block_network)
del _block_network
"""


class RefreshError(Exception):
    """一本笔记没法刷新；消息写明是哪一本、哪一格、为什么。"""


# ---------------------------------------------------------------- 执行


@contextmanager
def kernel_environment() -> Iterator[None]:
    """这段时间里启动的内核用临时的 IPython 目录：不读用户的设置，主目录不可写也不告警，并且不能联网。"""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        startup = Path(folder, "profile_default", "startup")
        startup.mkdir(parents=True)
        Path(startup, "00-offline.py").write_text(OFFLINE_STARTUP, encoding="utf-8")
        with mock.patch.dict(os.environ, IPYTHONDIR=folder):
            yield


@contextmanager
def kernel(nb: NotebookNode, folder: Path, *, force_raise_errors: bool = True) -> Iterator[NotebookClient]:
    """一个全新的内核，在 folder 里执行 nb 的格。

    内核属于当前的 Python，而不是用户目录里某个同样叫 python3 的 kernelspec。
    """
    manager = AsyncKernelManager(
        kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=NbvalKernelspecManager()
    )
    client = NotebookClient(
        nb,
        km=manager,
        timeout=CELL_TIMEOUT,
        # 标签不能让某一格跳过，也不能让错误算作正常
        skip_cells_with_tag="",
        allow_errors=not force_raise_errors,
        force_raise_errors=force_raise_errors,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    with kernel_environment(), client.setup_kernel(cwd=str(folder), cleanup_kc=True):
        yield client


def execute(nb: NotebookNode, path: Path) -> None:
    """在全新的内核里按顺序执行 nb 的每个代码格，输出存进 nb；工作目录是笔记本所在的文件夹。

    出错或写了 stderr 时抛出 RefreshError。
    """
    with kernel(nb, path.parent) as client:
        for index, cell in enumerate(nb.cells):
            if cell.cell_type != "code":
                continue
            try:
                client.execute_cell(cell, index)
            except CellExecutionError as error:
                raise _cell_error(path, nb, index, f"{error.ename}: {error.evalue}") from None
            except CellTimeoutError:
                raise _cell_error(path, nb, index, f"算了 {CELL_TIMEOUT} 秒还没有结束") from None
            except DeadKernelError:
                raise _cell_error(path, nb, index, "内核中途退出") from None
            if stderr := [output.text for output in cell.outputs if output.get("name") == "stderr"]:
                raise _cell_error(path, nb, index, "这一格写了 stderr：\n" + "".join(stderr).strip())


def cell_name(nb: NotebookNode, index: int) -> str:
    """一格的名字：在笔记本里排第几；代码格再加上 JupyterLab 里显示的 [n]。"""
    name = f"第 {index + 1} 格"
    if nb.cells[index].cell_type != "code":
        return name
    return f"{name}（代码格 [{sum(cell.cell_type == 'code' for cell in nb.cells[: index + 1])}]）"


def _cell_error(path: Path, nb: NotebookNode, index: int, reason: str) -> RefreshError:
    lines = nb.cells[index].source.splitlines()
    shown = "\n".join(f"    {line}" for line in lines[:3] + ["…"] * (len(lines) > 3))
    return RefreshError(f"{path.name} {cell_name(nb, index)}：\n{shown}\n{reason}")


# ---------------------------------------------------------------- 图


def picture_difference(stored: str, drawn: str) -> str | None:
    """比较两张 base64 的 PNG；看不出差别时返回 None，否则返回一句话：差在哪里、差多少。

    换一种 CPU，颜色可能差一两级，边缘可能挪动一个像素。所以每个像素只要落在另一张图同一位置 3×3 邻域的
    颜色范围之内（再放宽 COLOUR_TOLERANCE），就算相同；两个方向都要成立。换一个数字、挪一个框都过不了这一关。
    """
    if stored == drawn:
        return None
    try:
        old = _open_picture(stored)
    except (OSError, SyntaxError, ValueError) as error:
        return f"存下的图打不开：{error}"
    new = _open_picture(drawn)
    if abs(old.width - new.width) > 1 or abs(old.height - new.height) > 1:
        return f"图的大小不同：存下 {old.width}×{old.height}，重新画出 {new.width}×{new.height} 像素"
    common = (0, 0, min(old.width, new.width), min(old.height, new.height))
    old, new = old.crop(common), new.crop(common)
    if _strongest(ImageChops.difference(old, new)) <= COLOUR_TOLERANCE:
        return None  # 多数情形到此为止；下面的邻域滤波慢得多
    excess = ImageChops.lighter(_outside_neighbourhood(old, new), _outside_neighbourhood(new, old))
    if (strongest := _strongest(excess)) <= COLOUR_TOLERANCE:
        return None
    left, top, right, bottom = excess.point(lambda level: 255 * (level > COLOUR_TOLERANCE)).getbbox()
    return (
        f"图不同：横 {left}–{right - 1}、纵 {top}–{bottom - 1} 像素之间，颜色最多差 {strongest}（满分 255）"
    )


def _open_picture(data: str) -> Image.Image:
    picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


def _strongest(difference: Image.Image) -> int:
    return max(high for _, high in difference.getextrema())


def _outside_neighbourhood(a: Image.Image, b: Image.Image) -> Image.Image:
    """a 的每个像素超出 b 的 3×3 邻域颜色范围多少。"""
    above = ImageChops.subtract(a, b.filter(ImageFilter.MaxFilter(3)))
    below = ImageChops.subtract(b.filter(ImageFilter.MinFilter(3)), a)
    return ImageChops.lighter(above, below)


def _keep_equal_pictures(nb: NotebookNode, stored: NotebookNode) -> None:
    """看不出差别的图沿用存下的字节：在另一种 CPU 上刷新，git 里也没有变化。"""
    for cell, old_cell in zip(nb.cells, stored.cells, strict=True):
        for output, old_output in zip(cell.get("outputs", []), old_cell.get("outputs", []), strict=False):
            new, old = output.get("data", {}), old_output.get("data", {})
            both = "image/png" in new and "image/png" in old
            if both and picture_difference(old["image/png"], new["image/png"]) is None:
                new["image/png"] = old["image/png"]


# ---------------------------------------------------------------- 规范化


def normalise(nb: NotebookNode) -> NotebookNode:
    """返回一份新的笔记本：只留课程用得到的内容，同样的代码和输出总是得到同样的文件。"""
    nb = deepcopy(nb)
    nb.nbformat, nb.nbformat_minor = 4, 5
    nb.metadata = from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO})
    ids: set[str] = set()
    count = 0
    for cell in nb.cells:
        cell.id = _stable_id(cell, ids)
        ids.add(cell.id)
        cell.metadata = kept_cell_metadata(cell.metadata)
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = _join_streams(cell.outputs)
        for output in cell.outputs:
            if "data" in output:
                output.data = kept_output_data(output.data)
            if "metadata" in output:
                output.metadata = kept_output_metadata(output.metadata)
            if output.output_type == "execute_result":
                output.execution_count = count
    return nb


def kept_cell_metadata(metadata: dict) -> NotebookNode:
    """只留幻灯片类型、标签和“不可编辑”；JupyterLab 补上的默认值（空标签、可编辑）也不留。"""
    defaults = {"editable": True, "slideshow": {}, "tags": []}
    return from_dict({k: metadata[k] for k, v in defaults.items() if metadata.get(k, v) != v})


def kept_output_data(data: dict) -> NotebookNode:
    """滑块是活的，存不下来（它的编号每次都随机）：只留它的文字说明。其余格式全部保留。"""
    return from_dict({mime: value for mime, value in data.items() if mime != WIDGET_VIEW})


def kept_output_metadata(metadata: dict) -> NotebookNode:
    """只留图片的显示宽高。"""
    sizes = {
        mime: {key: value for key, value in values.items() if key in ("width", "height")}
        for mime, values in metadata.items()
        if mime.startswith("image/")
    }
    return from_dict({mime: size for mime, size in sizes.items() if size})


def _stable_id(cell: NotebookNode, taken: set[str]) -> str:
    """合法且没有重复的 id 保留；否则由这一格的内容算出一个，每次都一样。"""
    cell_id, attempt = str(cell.get("id", "")), 0
    while cell_id in taken or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", cell_id):
        cell_id = hashlib.sha256(f"{cell.cell_type} {attempt} {cell.source}".encode()).hexdigest()[:8]
        attempt += 1
    return cell_id


def _join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """相邻的同名输出流并成一个：内核分几次送出取决于时机。"""
    joined: list[NotebookNode] = []
    for output in outputs:
        if joined and output.output_type == "stream" and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


# ---------------------------------------------------------------- 读写


def parse(content: bytes) -> NotebookNode:
    """读笔记本文件的内容，不补、不改任何字段（nbformat.read 会给缺 id 的格随机补一个）。"""
    return v4.reads(content.decode("utf-8"))


def serialise(nb: NotebookNode) -> bytes:
    """UTF-8、LF、缩进 1 格、键按字母排序、末尾一个换行。"""
    return (v4.writes(nb).rstrip("\n") + "\n").encode("utf-8")


def refresh(path: Path) -> bool:
    """重新执行一本笔记并保存；文件有变化时返回 True。出错时抛出 RefreshError，文件不变。"""
    try:
        content = path.read_bytes()
        stored = normalise(parse(content))
        validate(stored)
    except (OSError, ValueError, TypeError, AttributeError, ValidationError) as error:
        raise RefreshError(f"{path.name}：读不出笔记本（{type(error).__name__}: {error}）") from None
    nb = deepcopy(stored)
    execute(nb, path)
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


def readme_picture() -> str:
    """README 里的图：五个步骤的地图，base64 的 PNG。"""
    from utils.plotting import plot_pipeline  # 只有这里画图；重新执行笔记本时不必花半秒导入它

    png, _ = plot_pipeline()._repr_png_()
    return base64.b64encode(png).decode("ascii")


def refresh_readme_picture() -> bool:
    """重画 README 里的图；看不出差别就不写文件。有变化时返回 True。"""
    drawn = readme_picture()
    stored = base64.b64encode(README_PICTURE.read_bytes()).decode("ascii")
    if picture_difference(stored, drawn) is None:
        return False
    write_atomically(README_PICTURE, base64.b64decode(drawn))
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m utils refresh", description="重新执行笔记本并保存输出。")
    parser.add_argument("notebooks", nargs="*", type=Path, help="笔记本，如 02_scores；不写就是全部")
    paths = parser.parse_args(arguments).notebooks
    everything = not paths
    paths = [find_notebook(path) for path in paths] or sorted(NOTEBOOKS.glob("*.ipynb"))
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

"""笔记本文件：在哪里、读、写；同样的代码和输出总是得到同样的文件。"""

import hashlib
import re
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path

from nbformat import from_dict, v4

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CARD = '<div class="exercise-card"'  # 判定的卡片这样开头，见 exercises/card.py

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE_INFO = {  # 不含 version：升级 Python 不会改动每一本笔记
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def notebook_paths():
    """课程的每一本笔记，按文件名排序；系统留下的 ._ 文件、一本的副本不算。"""
    return sorted(path for path in NOTEBOOKS.glob("*.ipynb") if not is_stray(path))


def is_stray(path):
    """macOS 留下的 ._ 文件，或者同一个文件夹里一本的副本：02_scores-Copy1、02_scores (1)、02_scores-冲突。"""
    original = re.match(r"\w*", path.stem, re.ASCII)[0]
    return path.name.startswith(".") or (
        original not in ("", path.stem) and path.with_stem(original).is_file()
    )


def find_notebook(name):
    """命令行里写的一本笔记（Path）：照写的路径找；没有，就找 notebooks/ 里的这一本。

    02_scores、02_scores.ipynb、notebooks/02_scores.ipynb 是同一本；只有一本以它开头，写 02、2、02_s 也行。
    都找不到就原样返回，由读它的人报错，用 missing 里的话。
    """
    if name.parent != Path() or name.is_file():
        return name
    stem, paths = name.name.removesuffix(".ipynb"), notebook_paths()
    if stem.isdecimal():
        stem = f"{int(stem):02}_"  # 2 是 02，不是 20
    same = [path for path in paths if path.stem == stem]
    found = same or [path for path in paths if stem and path.stem.startswith(stem)]
    return found[0] if len(found) == 1 else name


def missing(path):
    """没有这个文件，和名字相近的几本。"""
    wanted, stems = path.name.removesuffix(".ipynb"), [path.stem for path in notebook_paths()]
    near = [stem for stem in stems if wanted and stem.startswith(wanted)]
    near = (
        near
        or [stem for stem in stems if wanted in stem and len(wanted) > 1]
        or get_close_matches(wanted, stems, cutoff=0.5)
    )
    return f"{path}：没有这个文件。" + f"是不是 {'、'.join(near)}？" * bool(near)


def parse(content):
    """读笔记本文件的内容（字节），不补、不改任何字段（nbformat.read 会给缺 id 的格随机补一个）。"""
    return v4.reads(content.decode("utf-8"))


def serialise(nb):
    """笔记本文件的内容（字节）：UTF-8、LF、缩进 1 格、键按字母排序、末尾一个换行。"""
    return (v4.writes(nb).rstrip("\n") + "\n").encode("utf-8")


def cell_name(nb, index):
    """一格的名字：在笔记本里排第几；代码格再加上 JupyterLab 里显示的 [n]。"""
    name = f"第 {index + 1} 格"
    if nb.cells[index].cell_type != "code":
        return name
    return f"{name}（代码格 [{sum(cell.cell_type == 'code' for cell in nb.cells[: index + 1])}]）"


# ---------------------------------------------------------------- 规范化


def normalise(nb):
    """返回一份新的笔记本：只留课程用得到的内容，同样的代码和输出总是得到同样的文件。"""
    nb = deepcopy(nb)
    nb.nbformat, nb.nbformat_minor = 4, 5
    paired = {"jupytext": nb.metadata.jupytext} if "jupytext" in nb.metadata else {}  # 与 .py 成对，仍成对
    nb.metadata = from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO, **paired})
    ids = set()
    count = 0
    for cell in nb.cells:
        cell.source = cell.source.replace("\r\n", "\n")  # Windows 上有的编辑器会这样存
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


def kept_cell_metadata(metadata):
    """只留幻灯片类型、标签、“不可编辑”和 nbgrader 的；JupyterLab 补上的默认值（空标签、可编辑）也不留。"""
    defaults = {"editable": True, "slideshow": {}, "tags": [], "nbgrader": {}}
    return from_dict({k: metadata[k] for k, v in defaults.items() if metadata.get(k, v) != v})


def kept_output_data(data):
    """滑块是活的，存不下来（它的编号每次都随机）：只留它的文字说明；判定的卡片也只留文字。其余格式全部保留。"""
    live = {WIDGET_VIEW}
    if "".join(data.get("text/html", "")).startswith(CARD):
        live.add("text/html")
    return from_dict({mime: value for mime, value in data.items() if mime not in live})


def kept_output_metadata(metadata):
    """只留图片的显示宽高和替代文字（nbconvert 用它）。"""
    sizes = {
        mime: {key: value for key, value in values.items() if key in ("alt", "width", "height")}
        for mime, values in metadata.items()
        if mime.startswith("image/")
    }
    return from_dict({mime: size for mime, size in sizes.items() if size})


def _stable_id(cell, taken):
    """合法且没有重复的 id 保留；否则由这一格的内容算出一个，每次都一样。"""
    cell_id, attempt = str(cell.get("id", "")), 0
    while cell_id in taken or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", cell_id):
        cell_id = hashlib.sha256(f"{cell.cell_type} {attempt} {cell.source}".encode()).hexdigest()[:8]
        attempt += 1
    return cell_id


def _join_streams(outputs):
    """相邻的同名输出流并成一个：内核分几次送出取决于时机。"""
    joined = []
    for output in outputs:
        if joined and output.output_type == "stream" and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined

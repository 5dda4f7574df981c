"""每本笔记都守的规矩，一条一个函数：给它一本笔记，它指出哪一格违反了。test_notebooks.py 证明每条都抓得住。"""

import ast
import re
import sys
from copy import deepcopy
from typing import NamedTuple

from nbformat import NotebookNode
from nbformat.validator import iter_validate

from utils.notebooks import (
    KERNELSPEC,
    LANGUAGE_INFO,
    cell_name,
    kept_output_data,
    kept_output_metadata,
    normalise,
    serialise,
)
from utils.tests.markdown_faults import broken_table_formulas, heading_faults, raw_symbols, unrendered_bold
from utils.tests.rooms import rooms_of

SLIDE_TYPES = {"slide", "subslide", "fragment", "skip", "notes", "-"}
HEADING_SLIDE_TYPES = {  # 其余各节的标题格：slide
    "学完能做什么": {"subslide"},
    "小结": {"slide", "subslide"},
    "练习": {"slide", "subslide"},
    "下一本": {"slide", "subslide", "fragment"},  # 只有一句话，接在「再想一想」后面
}
PACKAGES = {"numpy", "torch", "matplotlib", "utils"} | sys.stdlib_module_names
MAX_LINES = 12
MAX_BYTES = 1_500_000

PATH_OR_ADDRESS = re.compile(
    r"\b[A-Za-z]:[\\/]\w|/(?:home|Users|root|tmp|usr|opt|mnt)/|site-packages|file://|\b0x[0-9a-fA-F]{5,}"
)
NBVAL_MARK = re.compile(r"NBVAL_|PYTEST_VALIDATE", re.IGNORECASE)
NBVAL_TAG = re.compile(r"nbval|raises-exception|skip-execution|pytest-validate", re.IGNORECASE)
# 术语表里“不说”的词；放在引号里讨论是可以的
WRONG_WORDS = re.compile(r"得分|打分矩阵|打分值|(?<!注意力)权重矩阵")
QUOTED = re.compile(r"「[^」]*」|“[^”]*”|『[^』]*』")


class Notebook(NamedTuple):
    name: str
    content: bytes
    nb: NotebookNode

    def cells(self, kind=None):
        """每一格的名字和内容；kind 为 "code" 或 "markdown" 时只要那一种。"""
        for index, cell in enumerate(self.nb.cells):
            if kind in (None, cell.cell_type):
                yield cell_name(self.nb, index), cell

    def outputs(self):
        for where, cell in self.cells("code"):
            for output in cell.outputs:
                yield where, output


RULES = {}


def rule(function):
    RULES[function.__name__] = function
    return function


# ---------------------------------------------------------------- 文件


@rule
def the_file_is_valid_nbformat(notebook):
    # nbformat.validate 会悄悄补上缺失的 id；这里不补
    yield from (str(error).splitlines()[0] for error in iter_validate(notebook.nb))
    seen = set()
    for where, cell in notebook.cells():
        if "id" not in cell:
            yield f"{where}：没有 id（别的编辑器存过）；运行 python -m utils refresh 会补上"
        elif cell.id in seen:
            yield f"{where}：id {cell.id} 已经用过"
        seen.add(cell.get("id"))


@rule
def the_file_is_as_refresh_writes_it(notebook):
    """LF、UTF-8、末尾换行、固定的 kernelspec、没有多余的 metadata。"""
    stored, normal = notebook.content, serialise(normalise(notebook.nb))
    looked_at = stored.endswith(b"}\n") and b"\r" not in stored and serialise(_before_a_look(notebook.nb))
    if normal not in (stored, looked_at):
        lines = stored.split(b"\n"), normal.split(b"\n")
        number = next((n for n, (a, b) in enumerate(zip(*lines, strict=False), 1) if a != b), len(lines[1]))
        yield f"文件第 {number} 行与规范化的结果不同；请运行 python -m utils refresh"


def _before_a_look(nb):
    """去掉编辑器在打开、运行、保存时自己添上的东西：环境的名字、Python 的版本、运行的时刻和序号、滑块。"""
    nb = deepcopy(nb)
    if nb.metadata.get("kernelspec", {}).get("name") == KERNELSPEC["name"]:
        nb.metadata = {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}
    codes = (cell for cell in nb.cells if cell.cell_type == "code")
    for number, cell in enumerate(codes, start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
    for cell in nb.cells:
        for added in ("execution", "ExecuteTime", "vscode", "scrolled"):
            cell.metadata.pop(added, None)
        for output in cell.get("outputs", []):
            if "data" in output:
                output.data = kept_output_data(output.data)
                output.metadata = kept_output_metadata(output.metadata)
    return nb


@rule
def the_file_is_small(notebook):
    if len(notebook.content) > MAX_BYTES:
        yield f"文件有 {len(notebook.content)} 字节，上限是 {MAX_BYTES}"


# ---------------------------------------------------------------- 执行与输出


@rule
def cells_ran_in_order(notebook):
    """从上到下；在开着的内核里再运行一遍，序号接着数，也是。"""
    last = 0
    for where, cell in notebook.cells("code"):
        counts = {cell.execution_count}
        counts |= {output.execution_count for output in cell.outputs if "execution_count" in output}
        if len(counts) > 1 or None in counts or cell.execution_count <= last:
            yield f"{where}：执行序号是 {sorted(map(str, counts))}，应比前一格的 {last} 大"
        last = cell.execution_count or last


@rule
def no_cell_stores_an_error(notebook):
    for where, output in notebook.outputs():
        if output.output_type == "error" or output.get("name") == "stderr":
            yield f"{where}：{output.get('ename') or output.text.strip()}"


@rule
def no_path_or_memory_address_is_stored(notebook):
    texts = [(where, cell.source) for where, cell in notebook.cells()]
    for where, output in notebook.outputs():
        texts.append((where, output.get("text", "")))
        data = output.get("data", {})
        texts += [(where, str(data[mime])) for mime in data if not mime.startswith("image/")]
    for where, text in texts:
        if found := PATH_OR_ADDRESS.search(text):
            yield f"{where}：{found.group()}"


@rule
def no_cell_asks_nbval_for_mercy(notebook):
    for where, cell in notebook.cells():
        if found := NBVAL_MARK.search(cell.source):
            yield f"{where}：注释 {found.group()}"
        yield from (f"{where}：标签 {tag}" for tag in cell.metadata.get("tags", []) if NBVAL_TAG.search(tag))


@rule
def a_picture_has_its_own_cell(notebook):
    for where, cell in notebook.cells("code"):
        if len(cell.outputs) > 1 and any(_is_picture(output) for output in cell.outputs):
            yield f"{where}：有图，却共有 {len(cell.outputs)} 个输出"


@rule
def a_picture_has_a_description_and_a_size(notebook):
    for where, output in notebook.outputs():
        if not _is_picture(output):
            continue
        description = output.data.get("text/plain", "")
        if not re.match(r"[\u4e00-\u9fff].*「.+」", description, flags=re.DOTALL):
            yield f"{where}：图的说明是 {description[:40]!r}，应是带「标题」的中文描述"
        kept = output.metadata.get("image/png", {})
        if kept.keys() != {"alt", "width", "height"} or kept["alt"] != description:
            yield f"{where}：图没有写明宽、高和替代文字（它的描述）；请运行 python -m utils refresh"


def _is_picture(output):
    return any(mime.startswith("image/") for mime in output.get("data", {}))


# ---------------------------------------------------------------- 代码与文字


@rule
def code_cells_are_short(notebook):
    for where, cell in notebook.cells("code"):
        lines = sum(bool(line.strip()) for line in cell.source.splitlines())
        if not 1 <= lines <= MAX_LINES:
            yield f"{where}：{lines} 行，应为 1 到 {MAX_LINES} 行"


@rule
def only_the_courses_packages_are_imported(notebook):
    for where, cell in notebook.cells("code"):
        try:
            nodes = list(ast.walk(ast.parse(cell.source)))
        except SyntaxError as error:
            yield f"{where}：不是纯 Python（{error.msg}）"
            continue
        modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        modules += [node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)]
        for module in modules:
            if module.split(".")[0] not in PACKAGES:
                yield f"{where}：导入了 {module}"


@rule
def wrong_words_are_only_quoted(notebook):
    for where, cell in notebook.cells("markdown"):
        if found := WRONG_WORDS.search(QUOTED.sub("", cell.source)):
            yield f"{where}：用了“{found.group()}”，见术语表"


@rule
def markdown_is_shown_as_meant(notebook):
    for where, cell in notebook.cells("markdown"):
        source = cell.source
        faults = [*unrendered_bold(source), *broken_table_formulas(source), *raw_symbols(source)]
        yield from (f"{where}：{fault}" for fault in faults)
    yield from heading_faults("\n\n".join(cell.source for _, cell in notebook.cells("markdown")))


# ---------------------------------------------------------------- 各节


@rule
def every_room_is_there_in_order(notebook):
    expected = rooms_of(notebook.name)
    found = list(_rooms(notebook).values())[1:]
    if found != expected:
        yield f"各节应为 {expected}，实为 {found}"


@rule
def the_title_has_number_and_verb(notebook):
    """02_scores.ipynb 的标题以“# 2 ”开头，a1_rnn.ipynb 的以“# a1 ”开头。"""
    number = notebook.name.partition("_")[0].removeprefix("0")
    first = notebook.nb.cells[0]
    if first.cell_type != "markdown" or not re.match(rf"# {number} [^：\n]+：\S", first.source):
        yield f"第 1 格：标题应形如“# {number} 打分：……”"


@rule
def a_room_heading_opens_its_cell(notebook):
    """一张幻灯片从标题开始，所以一级、二级标题只能是一格的第一行。"""
    for where, cell in notebook.cells("markdown"):
        prose = re.sub(r"^```.*?^```", "", cell.source, flags=re.DOTALL | re.MULTILINE)
        if found := re.search(r"(?<=\n)##? .*", prose):
            yield f"{where}：“{found.group()}”不在第一行"


@rule
def every_cell_has_the_slide_type_of_its_room(notebook):
    room = ""
    headings = _rooms(notebook)
    for where, cell in notebook.cells():
        room = headings.get(where, room)
        allowed = SLIDE_TYPES
        if room == "准备":
            allowed = {"skip"}
        elif where in headings:
            allowed = HEADING_SLIDE_TYPES.get(room, {"slide"})
        slide_type = cell.metadata.get("slideshow", {}).get("slide_type")
        if slide_type not in allowed:
            yield f"{where}：幻灯片类型是 {slide_type}，应为 {' 或 '.join(sorted(allowed))}"


def _rooms(notebook):
    """标题格和每一节的第一格：{格的名字: 节名}。"""
    rooms = {}
    for where, cell in notebook.cells():
        if not rooms:
            rooms[where] = "标题"
        elif cell.cell_type == "markdown" and cell.source.startswith("## "):
            rooms[where] = cell.source.splitlines()[0].removeprefix("## ").split("：")[0]
    return rooms

"""每本笔记都守同样的规矩。一条规矩一个函数：给它一本笔记，它指出哪一格违反了。

文末把一本合格的小笔记弄坏，证明每条规矩都抓得住。
"""

import ast
import itertools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from nbformat import NotebookNode, from_dict, v4
from nbformat.validator import iter_validate

from utils.notebooks import NOTEBOOKS, cell_name, normalise, parse, serialise
from utils.tests.markdown_faults import broken_table_formulas, heading_faults, unrendered_bold
from utils.tests.test_strict_nbval import png

EXPECTED = [
    "00_overview.ipynb",
    "01_projection.ipynb",
    "02_scores.ipynb",
    "03_scaling.ipynb",
    "04_softmax.ipynb",
    "05_weighted_sum.ipynb",
    "06_self_attention.ipynb",
]
ROOMS = [  # 二级标题，按这个顺序；标题可以用“：”接着写
    "学完能做什么",
    "准备",
    "公式与形状",
    "手算一个数",
    "一次算完",
    "看图",
    "改一改",
    "用 torch 对一遍",
    "常见误解",
    "小结",
    "练习",
    "下一本",
]
# 缺少某一节的笔记：{文件名: {节: 理由}}
ABSENT_ROOMS: dict[str, dict[str, str]] = {
    "00_overview.ipynb": {
        "公式与形状": "总览没有自己的一步；五步的式子和形状列在「看图」的表里",
        "手算一个数": "用笔算的数分在三个话题里，各自紧跟它要说明的事",
        "一次算完": "同样的事由 SQL 和 numpy 各做一遍，写在「注意力是一次模糊 JOIN」里",
        "用 torch 对一遍": "核对的对象是 SQL；每一步与 torch 的核对在 01 到 06",
    },
    "06_self_attention.ipynb": {
        "手算一个数": "每一步的手算在 01 到 05；这里的 X 是随机数，笔算的 ln 2 和 n² 各在自己的话题里",
    },
}
# 多出几节的笔记：{文件名: {节: 紧跟在它后面的几节，按顺序}}
EXTRA_ROOMS: dict[str, dict[str, list[str]]] = {
    "00_overview.ipynb": {"准备": ["RNN 与注意力", "注意力是一次模糊 JOIN", "X 从哪里来"]},
    "06_self_attention.ipynb": {"用 torch 对一遍": ["让它学会", "一个头，两个问题", "代价"]},
}

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

    def cells(self, kind: str | None = None) -> Iterator[tuple[str, NotebookNode]]:
        """每一格的名字和内容；kind 为 "code" 或 "markdown" 时只要那一种。"""
        for index, cell in enumerate(self.nb.cells):
            if kind in (None, cell.cell_type):
                yield cell_name(self.nb, index), cell

    def outputs(self) -> Iterator[tuple[str, NotebookNode]]:
        for where, cell in self.cells("code"):
            for output in cell.outputs:
                yield where, output


def open_notebook(path: Path) -> Notebook:
    content = path.read_bytes()
    return Notebook(path.name, content, parse(content))


Rule = Callable[[Notebook], Iterator[str]]
RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    RULES.append(function)
    return function


# ---------------------------------------------------------------- 文件


@rule
def the_file_is_valid_nbformat(notebook):
    # nbformat.validate 会悄悄补上缺失的 id；这里不补
    yield from (str(error).splitlines()[0] for error in iter_validate(notebook.nb))


@rule
def ids_are_unique(notebook):
    seen = set()
    for where, cell in notebook.cells():
        if cell.get("id") in seen:
            yield f"{where}：id {cell.get('id')} 已经用过"
        seen.add(cell.get("id"))


@rule
def the_file_is_as_refresh_writes_it(notebook):
    """LF、UTF-8、末尾换行、固定的 kernelspec、没有多余的 metadata。"""
    normal = serialise(normalise(notebook.nb))
    if notebook.content != normal:
        lines = notebook.content.split(b"\n"), normal.split(b"\n")
        number = next((n for n, (a, b) in enumerate(zip(*lines, strict=False), 1) if a != b), len(lines[1]))
        yield f"文件第 {number} 行与规范化的结果不同；请运行 python -m utils refresh"


@rule
def the_file_is_small(notebook):
    if len(notebook.content) > MAX_BYTES:
        yield f"文件有 {len(notebook.content)} 字节，上限是 {MAX_BYTES}"


# ---------------------------------------------------------------- 执行与输出


@rule
def cells_ran_in_order_from_1(notebook):
    for number, (where, cell) in enumerate(notebook.cells("code"), start=1):
        counts = [cell.execution_count]
        counts += [output.execution_count for output in cell.outputs if "execution_count" in output]
        if set(counts) != {number}:
            yield f"{where}：执行序号是 {counts}，应为 {number}"


@rule
def nothing_is_written_to_stderr(notebook):
    for where, output in notebook.outputs():
        if output.get("name") == "stderr":
            yield f"{where}：{output.text.strip()}"


@rule
def no_cell_stores_an_error(notebook):
    for where, output in notebook.outputs():
        if output.output_type == "error":
            yield f"{where}：{output.ename}"


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
        if output.metadata.get("image/png", {}).keys() != {"width", "height"}:
            yield f"{where}：图没有写明宽和高"


def _is_picture(output: NotebookNode) -> bool:
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
def bold_is_rendered_bold(notebook):
    for where, cell in notebook.cells("markdown"):
        yield from (f"{where}：{fault}" for fault in unrendered_bold(cell.source))


@rule
def formulas_in_tables_have_no_bare_bar(notebook):
    for where, cell in notebook.cells("markdown"):
        yield from (f"{where}：{fault}" for fault in broken_table_formulas(cell.source))


@rule
def headings_skip_no_level(notebook):
    sources = "\n\n".join(cell.source for _, cell in notebook.cells("markdown"))
    yield from heading_faults(sources)


# ---------------------------------------------------------------- 各节


@rule
def every_room_is_there_in_order(notebook):
    expected = rooms_of(notebook.name)
    found = list(_rooms(notebook).values())[1:]
    if found != expected:
        yield f"各节应为 {expected}，实为 {found}"


@rule
def the_title_has_number_and_verb(notebook):
    first = notebook.nb.cells[0]
    pattern = rf"# {int(notebook.name[:2])} [^：\n]+：\S"
    if first.cell_type != "markdown" or not re.match(pattern, first.source):
        yield f"第 1 格：标题应形如“# {int(notebook.name[:2])} 打分：……”"


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


def rooms_of(name: str) -> list[str]:
    """这本笔记应有的各节，按顺序。"""
    absent, extra = ABSENT_ROOMS.get(name, {}), EXTRA_ROOMS.get(name, {})
    return [each for room in ROOMS if room not in absent for each in (room, *extra.get(room, []))]


def _rooms(notebook: Notebook) -> dict[str, str]:
    """标题格和每一节的第一格：{格的名字: 节名}。"""
    rooms = {}
    for where, cell in notebook.cells():
        if not rooms:
            rooms[where] = "标题"
        elif cell.cell_type == "markdown" and cell.source.startswith("## "):
            rooms[where] = cell.source.splitlines()[0].removeprefix("## ").split("：")[0]
    return rooms


# ---------------------------------------------------------------- 检查每一本


def test_the_notebooks_are_exactly_the_expected_ones():
    assert sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")) == EXPECTED


@pytest.mark.parametrize(("name", "next_name"), list(itertools.pairwise(EXPECTED)))
def test_the_end_of_a_notebook_opens_the_next_one(name, next_name):
    """最后一格有通往下一本的链接；各本之间的链接都找得到文件。"""
    cells = parse((NOTEBOOKS / name).read_bytes()).cells
    assert f"({next_name})" in cells[-1].source
    texts = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert set(re.findall(r"\]\(([^)]*\.ipynb)\)", texts)) <= set(EXPECTED)


@pytest.mark.parametrize("check", RULES)
@pytest.mark.parametrize("name", EXPECTED)
def test_notebook(name, check):
    complaints = list(check(open_notebook(NOTEBOOKS / name)))
    assert not complaints, f"{name}：{check.__name__}\n" + "\n".join(complaints)


# ---------------------------------------------------------------- 规矩本身抓得住


def markdown(source: str, slide_type: str) -> NotebookNode:
    return v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": slide_type}})


def good_nb() -> NotebookNode:
    """最小的合格笔记：标题、十二节、一个数、一张图。"""

    def code(source, slide_type, *outputs):
        metadata = {"slideshow": {"slide_type": slide_type}}
        return v4.new_code_cell(source, metadata=metadata, outputs=list(outputs))

    picture = v4.new_output(
        "execute_result",
        data={"image/png": png(), "text/plain": "热力图「注意力权重」"},
        metadata={"image/png": {"width": 150, "height": 120}},
    )
    cells = [markdown("# 2 打分：谁和谁像", "slide")]
    for room in ROOMS:
        slide_type = {"学完能做什么": "subslide", "准备": "skip"}.get(room, "slide")
        cells.append(markdown(f"## {room}：说明", slide_type))
        if room == "准备":
            cells.append(code("import sys\n\nimport numpy as np", "skip"))
        if room == "看图":
            cells.append(code("plot_weights(weights)", "fragment", picture))
    return normalise(v4.new_notebook(cells=cells))


def as_notebook(nb: NotebookNode, content: bytes | None = None) -> Notebook:
    content = content or serialise(nb)
    return Notebook("02_scores.ipynb", content, parse(content))


@pytest.mark.parametrize("check", RULES)
def test_a_good_notebook_breaks_no_rule(check):
    assert not list(check(as_notebook(good_nb())))


CODE, PICTURE = 3, 8  # 两个代码格的位置


def cell(index, **changes):
    return lambda nb: nb.cells[index].update(changes)


def prose(text):
    return cell(1, source=f"## 学完能做什么\n\n{text}")


def prints(text, name="stdout"):
    return cell(CODE, outputs=[v4.new_output("stream", name=name, text=text)])


def slide_type(index, value):
    return lambda nb: nb.cells[index].metadata.update(slideshow={"slide_type": value})


def picture(**changes):
    return lambda nb: nb.cells[PICTURE].outputs[0].update(changes)


DAMAGES = [
    (the_file_is_valid_nbformat, cell(CODE, outputs=[from_dict({"output_type": "stream", "text": "1"})])),
    (the_file_is_valid_nbformat, cell(CODE, id="no spaces allowed")),
    (the_file_is_valid_nbformat, lambda nb: nb.cells[CODE].pop("id")),
    (ids_are_unique, lambda nb: nb.cells[1].update(id=nb.cells[2].id)),
    (the_file_is_as_refresh_writes_it, lambda nb: nb.metadata.language_info.update(version="3.11.2")),
    (the_file_is_as_refresh_writes_it, lambda nb: nb.cells[CODE].metadata.update(collapsed=True)),
    (the_file_is_small, prose("长" * 600_000)),
    (cells_ran_in_order_from_1, cell(CODE, execution_count=2)),
    (cells_ran_in_order_from_1, cell(CODE, execution_count=None)),
    (cells_ran_in_order_from_1, picture(execution_count=7)),
    (nothing_is_written_to_stderr, prints("小心", "stderr")),
    (
        no_cell_stores_an_error,
        cell(CODE, outputs=[v4.new_output("error", ename="E", evalue="", traceback=[])]),
    ),
    (no_path_or_memory_address_is_stored, prints("<object at 0x7f3a10>")),
    (no_path_or_memory_address_is_stored, prints(r"C:\Users\x")),
    (no_path_or_memory_address_is_stored, prose("打开 file://x")),
    (no_path_or_memory_address_is_stored, cell(CODE, source="open('/home/x')")),
    (no_path_or_memory_address_is_stored, picture(data={"text/plain": "'/tmp/x'"})),
    (no_cell_asks_nbval_for_mercy, cell(CODE, source="# NBVAL_IGNORE_OUTPUT\nx = 1")),
    (no_cell_asks_nbval_for_mercy, lambda nb: nb.cells[CODE].metadata.update(tags=["raises-exception"])),
    (
        a_picture_has_its_own_cell,
        lambda nb: nb.cells[PICTURE].update(outputs=nb.cells[PICTURE].outputs * 2),
    ),
    (a_picture_has_a_description_and_a_size, picture(metadata={})),
    (a_picture_has_a_description_and_a_size, picture(data={"image/png": "", "text/plain": "<图>"})),
    (a_picture_has_a_description_and_a_size, picture(data={"image/png": "", "text/plain": "一张图"})),
    (a_picture_has_a_description_and_a_size, picture(data={"image/png": ""})),
    (code_cells_are_short, cell(CODE, source="x = 1\n\n" * 13)),
    (code_cells_are_short, cell(CODE, source="")),
    (only_the_courses_packages_are_imported, cell(CODE, source="import numpy, pandas.io")),
    (only_the_courses_packages_are_imported, cell(CODE, source="from scipy import special")),
    (only_the_courses_packages_are_imported, cell(CODE, source="%pip install x")),
    (bold_is_rendered_bold, prose("叫做**“注意力”**的机制")),
    (bold_is_rendered_bold, prose("**注意力（attention）**是")),
    (bold_is_rendered_bold, prose("**注意力 ** 是")),
    (bold_is_rendered_bold, prose("只有**一半")),
    (formulas_in_tables_have_no_bare_bar, prose("| 式子 |\n|---|\n| $|x|$ |")),
    (headings_skip_no_level, prose("#### 跳了一级")),
    (headings_skip_no_level, prose("文字\n\n# 第二个大标题")),
    (wrong_words_are_only_quoted, prose("注意力得分")),
    (wrong_words_are_only_quoted, prose("投影用的权重矩阵")),
    (every_room_is_there_in_order, lambda nb: nb.cells.pop()),
    (every_room_is_there_in_order, lambda nb: nb.cells.insert(6, nb.cells.pop(5))),
    (every_room_is_there_in_order, cell(5, source="## 手算两个数")),
    (every_room_is_there_in_order, lambda nb: nb.cells.insert(4, markdown("## RNN 与注意力", "slide"))),
    (the_title_has_number_and_verb, cell(0, source="# 3 打分：谁和谁像")),
    (the_title_has_number_and_verb, cell(0, source="# 2 打分")),
    (a_room_heading_opens_its_cell, prose("文字\n\n## 小结")),
    (every_cell_has_the_slide_type_of_its_room, slide_type(0, "subslide")),
    (every_cell_has_the_slide_type_of_its_room, slide_type(CODE, "slide")),
    (every_cell_has_the_slide_type_of_its_room, slide_type(4, "fragment")),
    (every_cell_has_the_slide_type_of_its_room, slide_type(PICTURE, "")),
    (every_cell_has_the_slide_type_of_its_room, lambda nb: nb.cells[PICTURE].metadata.clear()),
]


@pytest.mark.parametrize(("check", "damage"), DAMAGES)
def test_each_damage_breaks_its_rule(check, damage):
    nb = good_nb()
    damage(nb)
    assert list(check(as_notebook(nb)))


def test_rooms_are_added_or_left_out_only_by_name():
    assert ABSENT_ROOMS.keys() | EXTRA_ROOMS.keys() <= set(EXPECTED)
    assert all(absent.keys() < set(ROOMS) and all(absent.values()) for absent in ABSENT_ROOMS.values())
    for name, extra in EXTRA_ROOMS.items():
        assert extra.keys() <= set(ROOMS) - ABSENT_ROOMS.get(name, {}).keys()
        assert not any(set(topics) & set(ROOMS) for topics in extra.values())


def test_every_rule_is_proven_by_a_damage():
    assert {check for check, _ in DAMAGES} == set(RULES)


@pytest.mark.parametrize("change", [(b"\n", b"\r\n"), (b"}\n", b"}"), (b"python3", b"other")])
def test_bytes_that_refresh_would_not_write_are_named_by_line(change):
    content = serialise(good_nb()).replace(*change)
    assert "行" in next(the_file_is_as_refresh_writes_it(as_notebook(good_nb(), content)))


@pytest.mark.parametrize(
    "text", ["常说的“得分”是注意力分数", "「权重矩阵」指投影矩阵", "注意力权重矩阵每行的和是 1"]
)
def test_a_wrong_word_may_be_discussed_in_quotes(text):
    nb = good_nb()
    prose(text)(nb)
    assert not list(wrong_words_are_only_quoted(as_notebook(nb)))

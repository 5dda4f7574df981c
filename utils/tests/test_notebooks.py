"""每本笔记都守同样的规矩（notebook_rules.py）；把一本合格的小笔记弄坏，证明每条规矩都抓得住。"""

import itertools
import re

import pytest
from nbformat import from_dict, v4

from utils.notebooks import CARD, WIDGET_VIEW, normalise, notebook_paths, parse, serialise
from utils.tests.notebook_rules import RULES, Notebook, wrong_words_are_only_quoted
from utils.tests.rooms import DIFFERENT, ROOMS, rooms_of
from utils.tests.tiny_picture import png

EXPECTED = [path.name for path in notebook_paths()]
NAME = re.compile(r"(\d\d|a\d)_[a-z][a-z_]*\.ipynb")  # 02_scores、10_transformer；附录 a1_rnn
ENDS = ("a",)  # 讲完一段的笔记（名字这样开头）：最后一格可以通往任何一本，也可以不通往哪里


# ---------------------------------------------------------------- 检查每一本


def as_notebook(nb, content=None, name="02_scores.ipynb"):
    content = content or serialise(nb)
    return Notebook(name, content, parse(content))


def opened(name):
    [path] = [path for path in notebook_paths() if path.name == name]
    return as_notebook(None, path.read_bytes(), name)


def test_there_are_notebooks_and_strays_are_not_among_them(tmp_path, monkeypatch):
    assert len(EXPECTED) >= 7
    monkeypatch.setattr("utils.notebooks.NOTEBOOKS", tmp_path)
    names = ["00_b.ipynb", "10_c.ipynb", "a1_d.ipynb"]
    strays = ["._00_b.ipynb", "00_b-Copy1.ipynb", "00_b (1).ipynb", "00_b-冲突.ipynb", "10_c的副本.ipynb"]
    for name in ("a1_d.ipynb", "10_c.ipynb", "00_b.ipynb", "notes.txt", *strays):
        (tmp_path / name).touch()
    assert [path.name for path in notebook_paths()] == names


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_name_is_a_number_and_a_word(name):
    assert NAME.fullmatch(name), f"{name}：文件名应形如 07_masks.ipynb 或 a1_rnn.ipynb（附录）"


@pytest.mark.parametrize(("name", "next_name"), [*itertools.pairwise([*EXPECTED, ""])])
def test_the_end_of_a_notebook_opens_the_next_one(name, next_name):
    """最后一格有通往下一本的链接；各本之间的链接都找得到文件。"""
    cells = opened(name).nb.cells
    texts = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert set(re.findall(r"\]\(([^)]*\.ipynb)\)", texts)) <= set(EXPECTED)
    if next_name and not name.startswith(ENDS) and not next_name.startswith(ENDS[-1]):
        assert f"({next_name})" in cells[-1].source, f"{name} 的最后一格没有通往 {next_name} 的链接"


@pytest.mark.parametrize("check", RULES)
@pytest.mark.parametrize("name", EXPECTED)
def test_notebook(name, check):
    complaints = list(RULES[check](opened(name)))
    assert not complaints, f"{name}：{check}\n" + "\n".join(complaints)


# ---------------------------------------------------------------- 规矩本身抓得住


def markdown(source, slide_type):
    return v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": slide_type}})


def good_nb():
    """最小的合格笔记：标题、十二节、一个数、一张图。"""

    def code(source, slide_type, *outputs):
        metadata = {"slideshow": {"slide_type": slide_type}}
        return v4.new_code_cell(source, metadata=metadata, outputs=list(outputs))

    picture = v4.new_output(
        "execute_result",
        data={"image/png": png(), "text/plain": "热力图「注意力权重」"},
        metadata={"image/png": {"alt": "热力图「注意力权重」", "width": 150, "height": 120}},
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


@pytest.mark.parametrize("check", RULES)
def test_a_good_notebook_breaks_no_rule(check):
    assert not list(RULES[check](as_notebook(good_nb())))


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


DAMAGES = {  # 规矩 -> 会违反它的几处损坏
    "the_file_is_valid_nbformat": [
        cell(CODE, outputs=[from_dict({"output_type": "stream", "text": "1"})]),
        cell(CODE, id="no spaces allowed"),
        lambda nb: nb.cells[CODE].pop("id"),
        lambda nb: nb.cells[1].update(id=nb.cells[2].id),
    ],
    "the_file_is_as_refresh_writes_it": [
        lambda nb: nb.metadata.kernelspec.update(name="conda"),
        lambda nb: nb.cells[CODE].metadata.update(collapsed=True),
    ],
    "the_file_is_small": [prose("长" * 600_000)],
    "cells_ran_in_order": [
        cell(CODE, execution_count=2),
        cell(CODE, execution_count=None),
        picture(execution_count=7),
    ],
    "no_cell_stores_an_error": [
        prints("小心", "stderr"),
        cell(CODE, outputs=[v4.new_output("error", ename="E", evalue="", traceback=[])]),
    ],
    "no_path_or_memory_address_is_stored": [
        prints("<object at 0x7f3a10>"),
        prints(r"C:\Users\x"),
        prose("打开 file://x"),
        cell(CODE, source="open('/home/x')"),
        picture(data={"text/plain": "'/tmp/x'"}),
    ],
    "no_cell_asks_nbval_for_mercy": [
        cell(CODE, source="# NBVAL_IGNORE_OUTPUT\nx = 1"),
        lambda nb: nb.cells[CODE].metadata.update(tags=["raises-exception"]),
    ],
    "a_picture_has_its_own_cell": [lambda nb: nb.cells[PICTURE].outputs.append(nb.cells[PICTURE].outputs[0])],
    "a_picture_has_a_description_and_a_size": [
        picture(metadata={}),
        picture(metadata={"image/png": {"width": 150, "height": 120}}),
        picture(metadata={"image/png": {"alt": "热力图「别的」", "width": 150, "height": 120}}),
        picture(data={"image/png": "", "text/plain": "<图>"}),
        picture(data={"image/png": "", "text/plain": "一张图"}),
        picture(data={"image/png": ""}),
    ],
    "code_cells_are_short": [cell(CODE, source="x = 1\n\n" * 13), cell(CODE, source="")],
    "only_the_courses_packages_are_imported": [
        cell(CODE, source="import numpy, pandas.io"),
        cell(CODE, source="from scipy import special"),
        cell(CODE, source="%pip install x"),
    ],
    "markdown_is_shown_as_meant": [
        prose("叫做**“注意力”**的机制"),
        prose("**注意力（attention）**是"),
        prose("**注意力 ** 是"),
        prose("只有**一半"),
        prose("| 式子 |\n|---|\n| $|x|$ |"),
        prose("除以 d_k 的根，`d_k`"),
        prose("#### 跳了一级"),
        prose("文字\n\n# 第二个大标题"),
    ],
    "wrong_words_are_only_quoted": [
        prose("注意力得分"),
        prose("投影用的权重矩阵"),
        prose("话\n\n<!-- 讲稿 · 5 分钟\n问：得分是几？\n-->"),
    ],
    "every_room_is_there_in_order": [
        lambda nb: nb.cells.pop(),
        lambda nb: nb.cells.insert(6, nb.cells.pop(5)),
        cell(5, source="## 手算两个数"),
        lambda nb: nb.cells.insert(4, markdown("## RNN 与注意力", "slide")),
    ],
    "the_title_has_number_and_verb": [cell(0, source="# 3 打分：谁和谁像"), cell(0, source="# 2 打分")],
    "a_room_heading_opens_its_cell": [prose("文字\n\n## 小结")],
    "every_cell_has_the_slide_type_of_its_room": [
        slide_type(0, "subslide"),
        slide_type(CODE, "slide"),
        slide_type(4, "fragment"),
        slide_type(PICTURE, ""),
        lambda nb: nb.cells[PICTURE].metadata.clear(),
    ],
}


@pytest.mark.parametrize("name", RULES)
def test_each_damage_breaks_its_rule(name):
    for number, damage in enumerate(DAMAGES[name], start=1):
        nb = good_nb()
        damage(nb)
        assert list(RULES[name](as_notebook(nb))), f"第 {number} 处"


def test_rooms_differ_only_by_name_and_with_a_reason():
    assert DIFFERENT.keys() <= {name.removesuffix(".ipynb") for name in EXPECTED}
    for name, changes in DIFFERENT.items():
        assert changes.keys() <= set(ROOMS) and all(changes.values()), name
    assert rooms_of("07_new.ipynb") == ROOMS


@pytest.mark.parametrize(
    ("name", "title"), [("a1_rnn", "# a1 比较：谁快"), ("10_transformer", "# 10 组装：一块")]
)
def test_appendices_and_two_digits_are_numbered_too(name, title):
    nb = good_nb()
    cell(0, source=title)(nb)
    assert not list(RULES["the_title_has_number_and_verb"](as_notebook(nb, name=f"{name}.ipynb")))


def test_what_editors_add_by_themselves_breaks_no_rule():
    """JupyterLab、Notebook 7、VS Code 打开、运行、保存以后。"""
    nb = good_nb()
    nb.metadata.language_info.update(version="3.11.7")
    nb.metadata.kernelspec.update(display_name=".venv")
    nb.metadata.update(widgets={}, vscode={"interpreter": {"hash": "a1"}})
    nb.cells[CODE].metadata.update(execution={"iopub.status.idle": "now"}, vscode={"languageId": "python"})
    nb.cells[PICTURE].outputs[0].data[WIDGET_VIEW] = {"model_id": "a1"}
    nb.cells[PICTURE].outputs[0].data["text/html"] = f"{CARD}>○ 还没作答</div>"
    for number, index in enumerate((CODE, PICTURE), start=55):  # 第二次 Run All，内核是开着的
        nb.cells[index].execution_count = number
    nb.cells[PICTURE].outputs[0].execution_count = number
    for check in ("the_file_is_as_refresh_writes_it", "the_file_is_valid_nbformat", "cells_ran_in_order"):
        assert not list(RULES[check](as_notebook(nb)))


@pytest.mark.parametrize("change", [(b"\n", b"\r\n"), (b"}\n", b"}"), (b"python3", b"other")])
def test_bytes_that_refresh_would_not_write_are_named_by_line(change):
    content = serialise(good_nb()).replace(*change)
    assert "行" in next(RULES["the_file_is_as_refresh_writes_it"](as_notebook(good_nb(), content)))


@pytest.mark.parametrize(
    "text", ["常说的“得分”是注意力分数", "「权重矩阵」指投影矩阵", "注意力权重矩阵每行的和是 1"]
)
def test_a_wrong_word_may_be_discussed_in_quotes(text):
    nb = good_nb()
    prose(text)(nb)
    assert not list(wrong_words_are_only_quoted(as_notebook(nb)))

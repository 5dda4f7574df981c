"""书里折什么：一本小笔记、一格一格的幻灯片类型，折成的树独立写出；和几本真的笔记里的答案。"""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.book.chapter import read_chapter
from utils.book.terms import Page
from utils.tests.html_page import read_html
from utils.tests.test_book import NAMES, squeezed

PICTURE = "iVBORw0KGgo="


def text(source, slide):
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": slide}})


def code(source, slide, data=None):
    outputs = [new_output("display_data", data=data)] if data else []
    return new_code_cell(source, outputs=outputs, metadata={"slideshow": {"slide_type": slide}})


def picture(slide):
    return code("plot(1)", slide, {"image/png": PICTURE, "text/plain": "图"})


def tree(*cells):
    """排成的块：折着的写成（种类, 里面的），文字、代码写出它的字，画图的代码不写。"""

    def shape(blocks):
        kept = [block for block in blocks if block.kind != "source" and (block.html or block.blocks)]
        return [
            (block.kind, shape(block.blocks))
            if block.blocks
            else squeezed(read_html(block.html).text) or "图"
            for block in kept
        ]

    nb = new_notebook(cells=[text("# 9 试", "slide"), *cells])
    return shape(read_chapter("99_try", nb, Page([], {}, {})).blocks)


def test_a_cell_with_no_type_goes_with_the_fragment_before_it():
    """在幻灯片上它与前一个 fragment 一起出现，在书里就与它折在一起；接在 subslide 后面的不折。"""
    asked = text("先猜。", "subslide")
    answer = [code("a", "fragment"), text("是甲。", "-")]
    assert tree(asked, *answer, text("接着讲。", "subslide")) == [
        "先猜。",
        ("answer", ["a", "是甲。"]),
        "接着讲。",
    ]
    asked_later = text("先猜。", "fragment")
    assert tree(text("话。", "subslide"), asked_later, code("a", "-"))[1:] == ["先猜。", ("answer", ["a"])]
    assert tree(text("话。", "subslide"), asked_later, text("甲。", "-"))[1:] == [
        "先猜。",
        ("answer", ["甲。"]),
    ]
    assert tree(text("不问。", "subslide"), code("a", "-"), text("乙。", "-")) == ["不问。", "a", "乙。"]
    assert tree(asked, code("given", "-"), *answer) == ["先猜。", "given", ("answer", ["a", "是甲。"])]


def test_an_optional_section_folds_with_the_cells_that_go_with_its_fragments():
    section = [text("### 选读：细看", "skip"), text("话。", "skip")]
    after = [text("正课。", "fragment"), text("接着。", "-")]
    assert tree(*section, *after) == [("optional", ["话。"]), "正课。", "接着。"]
    section = [
        text("### 选读：细看\n\n话。", "subslide"),
        text("先猜。", "fragment"),
        code("a", "-"),
        text("是甲。", "-"),
    ]
    folded = ("optional", ["话。", "先猜。", ("answer", ["a", "是甲。"])])
    assert tree(*section, text("## 下一节", "slide")) == [folded, "下一节"]


@pytest.mark.parametrize(
    "question",
    [
        "先猜。",
        "在纸上算，再看结果。",
        "用笔算出来。",
        "是多少？",
        "是多少？先除以 2，再走三步。",
        "哪里错（甲还是乙）？（两处）",
    ],
)
def test_a_question_asks(question):
    assert tree(text(question, "subslide"), code("a", "fragment"))[1] == ("answer", ["a"])


@pytest.mark.parametrize(
    "statement",
    ["为了让每个数都能用笔算。", "用笔核对：都对。", "“谁在看？”说的是行。", "## 学完能做什么\n\n- 用笔算。"],
)
def test_a_statement_does_not(statement):
    assert tree(text(statement, "subslide"), text("别的。", "skip"))[-1] == "别的。"


def test_what_a_folded_result_means_is_folded_too():
    """结果折着，说明在下一页幻灯片上：也折。引出下一段代码的一句，已经有了说明以后的，照排。"""
    asked, result = text("先猜。", "subslide"), code("a", "fragment")
    meaning, ends = text("是甲。", "subslide"), text("## 下一节", "slide")
    assert tree(asked, result, meaning, ends) == ["先猜。", ("answer", ["a", "是甲。"]), "下一节"]
    assert tree(asked, result, meaning, code("b", "-")) == ["先猜。", ("answer", ["a"]), "是甲。", "b"]
    assert tree(asked, result, text("是甲。", "fragment"), meaning) == [
        "先猜。",
        ("answer", ["a", "是甲。"]),
        "是甲。",
    ]
    drawn = [text("画成带子。", "subslide"), picture("-"), text("怎么读：甲。", "-")]
    assert tree(asked, result, *drawn, code("b", "-")) == [
        "先猜。", ("answer", ["a", "画成带子。", "图", "怎么读：甲。"]), "b",
    ]  # fmt: skip
    shown = [text("排成一列：", "fragment"), code("b", "fragment"), text("乙。", "fragment")]
    assert tree(asked, result, *shown) == ["先猜。", ("answer", ["a", "排成一列：", "b", "乙。"])]


def test_a_slider_is_said_to_be_in_the_notebook_and_its_first_picture_is_part_of_the_question():
    slider = code(
        "from utils.explorers import explore_x\n\nexplorer = explore_x(1)\nexplorer",
        "skip",
        {"text/plain": "控件"},
    )
    now = code("explorer.picture", "skip", {"image/png": PICTURE, "text/plain": "图"})
    kept = text("这一格给出那张图眼下的样子；拖过以后再运行，就能把它留下来。", "skip")
    answer = text("<details><summary>答案</summary>\n\n是甲。\n\n</details>", "skip")
    still = "在笔记本里才能拖、能点。书里是一开始的样子："
    made = tree(text("### 选读：拖一拖\n\n先猜。", "skip"), slider, kept, now, answer)
    assert made == [("optional", ["先猜。", still, "图", ("answer", ["是甲。"])])]


# 独立抄下：几本笔记里说出答案的话；它们都要点开才看得到
ANSWERS = {
    "01_projection": "是(4,8)，不是(8,4)",
    "04_softmax": "第1行有负数，份额也会是负的",
    "05_weighted_sum": "新的三行就是原来的第3、2、1行",
    "07_masks": "不遮，三行都变；遮住，只有第3行变",
    "08_multi_head": "第1行是平均，第2行是一个头的",
    "09_positions": "只转Q和K，输出不变",
    "10_transformer": "只有一个：抄名字的头",
    "a1_rnn": "注意力从3.91到0.0593",
    "a2_sql_join": "9行，一对一行",
}


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_lies_open(name, made_book):
    page = read_html((made_book[0] / f"{name}.html").read_text(encoding="utf-8"))
    found = [p for p in page.find("p") if ANSWERS.get(name, "\0") in squeezed(p.text)]
    assert len(found) == (name in ANSWERS)
    assert all(any("answer" in outer.classes for outer in p.ancestors()) for p in found)
    goals = page.find("h2", id="学完能做什么")
    assert goals or name not in ANSWERS
    needed = [h for h in page.find("h3") if h.text == "需要先知道"]
    assert not [h for h in needed if any("answer" in outer.classes for outer in h.ancestors())]
    assert not [code for code in page.find("pre") if "explore_" in code.text or "可拖动的控件" in code.text]

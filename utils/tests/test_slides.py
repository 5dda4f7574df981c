"""幻灯片的文件：一份自己就是全部，图有替代文字，每个字画得出，答案不在里面；做不成时说得出为什么。"""

import base64
import html
import re
import unicodedata
from collections import Counter
from itertools import pairwise

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.exercises import EXERCISES
from utils.notebooks import NOTEBOOKS, notebook_paths
from utils.slides.__main__ import main
from utils.tests.html_page import addresses, embedded_fonts, read_html

NAMES = [path.stem for path in notebook_paths()]
LARGEST_DECK = 2_000_000  # 字节
BODY = ("script", "style")


def shown_cells(name):
    nb = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    hidden = ("skip", "notes")
    return [c for c in nb.cells if c.metadata.get("slideshow", {}).get("slide_type") not in hidden]


def outputs_with(mime, name):
    outputs = (output for cell in shown_cells(name) for output in cell.get("outputs", []))
    return [output.data for output in outputs if mime in output.get("data", {})]


# ---------------------------------------------------------------- 每一份


def test_every_deck_is_made(made):
    """做不成的，说出是哪一本、第几格、为什么；别的检查跳过那一份。"""
    _, status, said = made
    if status:
        pytest.fail(said, pytrace=False)


@pytest.fixture(scope="module", params=NAMES)
def deck(request, deck_path):
    """一份幻灯片的树；name 是哪一本，content 是文件内容。"""
    content = deck_path(request.param).read_text(encoding="utf-8")
    page = read_html(content)
    page.name, page.content = request.param, content
    return page


def test_a_deck_is_one_small_file_with_no_address_in_it(deck):
    assert len(deck.content.encode("utf-8")) <= LARGEST_DECK
    assert addresses(deck) == []
    [document] = deck.find("html")
    assert document.attributes["lang"] == "zh"


def test_every_picture_speaks_its_description(deck):
    descriptions = [data["text/plain"] for data in outputs_with("image/png", deck.name)]
    assert [image.attributes.get("alt") for image in deck.find("img")] == descriptions


def test_headings_go_down_one_level_at_a_time(deck):
    levels = [int(heading.tag[1]) for heading in deck.find("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_formula_is_mathml_and_no_markdown_is_left(deck):
    assert len(deck.find("math")) >= len(outputs_with("text/latex", deck.name)) and not deck.find("merror")
    raw = {
        section.attributes["data-cell"]: marks
        for section in deck.find("section")
        if "data-cell" in section.attributes
        for prose in ["".join(section.strings("notes", "code", "pre", "math", "style", "animation"))]
        if (marks := re.findall(r"\$|\\[a-z]+|\*\*", prose))
    }
    assert not raw, f"{deck.name}：从这些格开始的页露出源码：{raw}"


def test_the_embedded_fonts_draw_every_character(deck):
    """没有一个字要靠电脑上装的字体；而文字的字体里也没有多余的字。"""
    fonts = embedded_fonts(deck)
    seen = {c for c in "".join(deck.strings(*BODY)) if c.isprintable() and unicodedata.category(c) != "Mn"}
    assert seen - set().union(*fonts.values()) == set()
    assert fonts["Course Sans"] - set(html.unescape(deck.content)) == set()


def squeeze(text):
    """去掉空白和 Markdown 的记号，好在排过版的文字里找一句话。"""
    return re.sub(r"[\s*`$]", "", text)


def test_no_deck_contains_a_solution(deck):
    """练习的答案和为什么，不在任何一页、任何一处讲稿里。"""
    text = squeeze("".join(deck.strings(*BODY)))
    exercises = [exercise for exercise in EXERCISES.values() if exercise.notebook == deck.name]
    assert exercises
    told = [e.id for e in exercises if squeeze(e.why) in text]
    told += [e.id for e in exercises if e.kind in ("step", "bug") and squeeze(e.solution) in text]
    assert told == []


def test_the_same_notebook_gives_the_same_bytes(deck_path, tmp_path):
    main(["01_projection", "-o", str(tmp_path)])
    again = (tmp_path / "01_projection.slides.html").read_bytes()
    assert again == deck_path("01_projection").read_bytes()


def test_stock_nbconvert_still_makes_slides(name="02_scores"):
    """有网络的人照样可以用 jupyter nbconvert --to slides：每一格都在，讲稿不出现在正文里。"""
    from nbconvert.exporters import SlidesExporter

    page, _ = SlidesExporter().from_filename(str(NOTEBOOKS / f"{name}.ipynb"))
    cells = Counter(cell.cell_type for cell in shown_cells(name))
    assert page.count('class="jp-Cell jp-CodeCell') == cells["code"]
    assert page.count('class="jp-Cell jp-MarkdownCell') == cells["markdown"]
    assert "会答错" in page and "会答错" not in re.sub("<!--.*?-->", "", page, flags=re.DOTALL)


# ---------------------------------------------------------------- 做的时候


def build(tmp_path, *cells, name="99_try"):
    path = tmp_path / f"{name}.ipynb"
    nbformat.write(new_notebook(cells=list(cells)), path)
    return main([str(path), "-o", str(tmp_path / "out")]), tmp_path / "out" / f"{name}.slides.html"


def code(source, *outputs):
    metadata = {"slideshow": {"slide_type": "-"}}
    return new_code_cell(source, execution_count=1, outputs=list(outputs), metadata=metadata)


def text_slide(source):
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": "slide"}})


NASTY = "<script>alert(1)</script> $x_1$ a & b &amp; ]]> \\frac{1}{2} <b>粗</b> ' \" 🐱"


def test_output_text_comes_out_as_text(tmp_path):
    """输出、图的描述、代码里的标签、公式记号和转义都原样看得见，不会执行，也不会变成公式。"""
    picture = {"image/png": base64.b64encode(b"png").decode("ascii"), "text/plain": NASTY}
    _, path = build(
        tmp_path,
        text_slide("# 试一试\n\n一段话。"),
        code(repr(NASTY), new_output("stream", name="stdout", text=NASTY)),
        code("值", new_output("execute_result", data={"text/plain": NASTY}, execution_count=1)),
        code("图", new_output("display_data", data=picture)),
    )
    page = read_html(path.read_text(encoding="utf-8"))
    [slides] = page.find(has="slides")
    assert [pre.text for output in slides.find(has="output") for pre in output.find("pre")] == [NASTY, NASTY]
    assert [image.attributes["alt"] for image in slides.find("img")] == [NASTY]
    assert slides.find(has="code")[0].text.strip() == repr(NASTY)
    assert not slides.find("script", "b", "math")


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (text_slide(r"# 题" "\n\n" r"$$x + \nosuchcommand$$"), r"从“\nosuchcommand”起：Unknown command"),
        (text_slide("# 题\n\n![图](https://example.com/a.png)"), "https://example.com/a.png"),
        (text_slide("# 题\n\n<!-- 讲稿 -->"), "讲稿"),
        (new_code_cell("1 + 1"), "没有运行过"),
        (code("1 / 0", new_output("error", ename="ZeroDivisionError", evalue="", traceback=[])), "出错"),
        (code("公式", new_output("display_data", data={"text/latex": r"$\bad$", "text/plain": "x"})), "bad"),
    ],
    ids=["公式", "图片", "讲稿", "没有运行", "出错", "公式输出"],
)
def test_what_cannot_be_shown_is_named_and_nothing_is_written(cell, reason, tmp_path, capsys):
    """错误写明哪一本、第几格、为什么；原来的幻灯片一个字节也不动。"""
    out = tmp_path / "out" / "99_try.slides.html"
    out.parent.mkdir()
    out.write_text("原来的", encoding="utf-8")
    status, path = build(tmp_path, text_slide("# 第一格\n\n话"), cell)
    printed = capsys.readouterr().out
    assert status == 1
    assert "99_try.ipynb 第 2 格" in printed and reason in printed
    assert path.read_text(encoding="utf-8") == "原来的"
    assert [file.name for file in out.parent.iterdir()] == ["99_try.slides.html"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"cells": 3}'], ids=repr)
def test_a_file_that_is_no_notebook_is_named(content, tmp_path, capsys):
    bad = tmp_path / "bad.ipynb"
    bad.write_bytes(content)
    assert main([str(bad), str(tmp_path / "none.ipynb"), "-o", str(tmp_path / "out")]) == 1
    printed = capsys.readouterr().out
    assert "bad.ipynb：读不出笔记本" in printed and "none.ipynb：没有这个文件" in printed
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- 目录


def test_the_course_map_leads_to_every_deck(made):
    page = read_html((made[0] / "index.html").read_text(encoding="utf-8"))
    links = [a.attributes["href"] for h2 in page.find("h2") for a in h2.find("a")]
    assert links == sorted(path.name for path in made[0].glob("*.slides.html"))
    assert addresses(page) == []


def test_a_deck_made_alone_joins_the_others_in_the_course_map(tmp_path, capsys):
    """只做一本；目录里早先做好的也在，页数、分钟数没有变。做不成的一份，留着的还是旧的，也在。"""
    notes = "<!-- 讲稿 · {} 分钟\n问：是几？\n-->"
    build(tmp_path, text_slide("# 后\n\n" + notes.format(7)), text_slide("## 二"), name="99_try")
    build(tmp_path, text_slide("# 前\n\n" + notes.format(5)), name="98_try")
    status, path = build(tmp_path, text_slide("# 后\n\n<!-- 讲稿 -->"), name="99_try")
    assert status == 1
    build(tmp_path, text_slide("# 前\n\n" + notes.format(5)), name="98_try")
    assert "99_try.slides.html：2 页，7 分钟，点 2 下，" in capsys.readouterr().out
    listed = (path.parent / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'class="size">(.+?) · <a href="(.+?)\?', listed) == [
        ("1 页 · 5 分钟 · 点 1 下", "98_try.slides.html"),
        ("2 页 · 7 分钟 · 点 2 下", "99_try.slides.html"),
    ]


def test_a_formula_and_a_sign_in_a_title_come_back_into_the_course_map(tmp_path):
    _, path = build(tmp_path, text_slide("# 猫 & 鱼 $x_1$\n\n话"))
    listed = (path.parent / "index.html").read_text(encoding="utf-8")
    assert '<h2><a href="99_try.slides.html">猫 &amp; 鱼 <math' in listed and "$" not in listed

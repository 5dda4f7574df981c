"""老师自己的文件做幻灯片：输出原样，坏的格、太长的页说得出是哪一个；目录里有全部。"""

import base64
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.slides.__main__ import main
from utils.tests.html_page import addresses, read_html


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
        (text_slide("# 题\n\n![图](https://example.com/a.png)"), "拖进这一格"),
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


def test_a_broken_cell_that_is_not_on_the_slides_is_named_and_the_deck_is_made(tmp_path, capsys):
    error = new_output("error", ename="SyntaxError", evalue="，", traceback=[])
    skipped = {"slideshow": {"slide_type": "skip"}}
    scratch = new_code_cell("answer = 1，2", execution_count=1, outputs=[error], metadata=skipped)
    status, path = build(tmp_path, text_slide("# 题\n\n话"), new_code_cell("1", metadata=skipped), scratch)
    printed = capsys.readouterr().out
    assert status == 0 and path.exists()
    assert "99_try.ipynb 第 2 格还没有运行过：它不在幻灯片上，幻灯片照做。" in printed
    assert "99_try.ipynb 第 3 格运行时出错（SyntaxError: ，）" in printed


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [
        (new_code_cell("1 + 1"), "或者先运行 python -m utils refresh"),
        (code("x", new_output("error", ename="NameError", evalue="x", traceback=[])), "改好这一格"),
    ],
    ids=["没有运行", "出错"],
)
def test_the_remedy_fits_the_fault(cell, remedy, tmp_path, capsys):
    build(tmp_path, text_slide("# 题\n\n话"), cell)
    printed = capsys.readouterr().out
    assert (
        remedy in printed
        and "Slide Type → Skip" in printed
        and ("refresh" in printed) == ("refresh" in remedy)
    )


LONG_PAGES = {
    "条目": [text_slide("# 题\n\n" + "- 一条\n" * 21)],
    "长段": [text_slide("# 题\n\n" + "一" * 1000)],
    "输出": [text_slide("# 题\n\n话"), code("x", new_output("stream", name="stdout", text="1\n" * 30))],
    "几格": [text_slide("# 题\n\n" + "- 一条\n" * 11), code("\n".join("x" * 14))],
}


@pytest.mark.parametrize("cells", LONG_PAGES.values(), ids=LONG_PAGES)
def test_a_page_that_is_too_long_is_named_by_its_cell(cells, tmp_path, capsys):
    last = text_slide("## 后\n\n" + "- 一条\n" * 10)
    status, _ = build(tmp_path, *cells, last)
    said = re.findall("第 (.+) 格起的一页太长", capsys.readouterr().out)
    assert status == 0 and said == ["1"]


def test_no_page_of_the_course_is_too_long(made):
    assert "太长" not in made[2]


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

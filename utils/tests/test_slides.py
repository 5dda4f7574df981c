"""幻灯片的文件：一份自己就是全部，图有替代文字，每个字画得出，答案不在里面；做不成时说得出为什么。"""

import html
import re
import unicodedata
from collections import Counter
from itertools import pairwise

import nbformat
import pytest

from utils.exercises import EXERCISES
from utils.notebooks import NOTEBOOKS, notebook_paths
from utils.slides.__main__ import main
from utils.slides.lesson import read_lesson
from utils.tests.html_page import addresses, embedded_fonts, read_html
from utils.tests.lesson import lesson_of

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
    spoken = [image.attributes.get("alt") for image in deck.find("img")]
    assert sorted(spoken) == sorted(descriptions)  # 选读的排到了后面


def test_pages_clicks_and_minutes_are_those_of_the_notebook(deck):
    """目录里写的大小，与照着笔记本数的一样。"""
    lesson, size = lesson_of(nbformat.read(NOTEBOOKS / f"{deck.name}.ipynb", 4)), read_lesson(deck.content)
    short = sum(page.short for page in lesson.pages)
    assert (size["pages"], size["clicks"]) == (len(lesson.cells("正课")), lesson.clicks("正课"))
    assert (size["minutes"], size["short_minutes"]) == (lesson.minutes["正课"], lesson.minutes["短课"])
    assert size["short_pages"] == short
    assert bool(size["optional"]) == bool(lesson.cells("选读"))


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
    told += [e.id for e in exercises if e.kind in ("step", "bug", "module") and squeeze(e.solution) in text]
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

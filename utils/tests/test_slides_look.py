"""幻灯片的样子：颜色，页脚里的五步，折行的代码，文字里的记号，深色；字号见 test_slides_browser.py。"""

import re
from itertools import pairwise

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from utils.notebooks import notebook_paths, parse
from utils.pages.browser import Opened
from utils.slides import design
from utils.slides.exporter import DECK_TEMPLATES
from utils.tests.contrast import contrast
from utils.tests.html_page import read_html
from utils.tests.test_slides_browser import until

CSS = (DECK_TEMPLATES / "deck.css").read_text(encoding="utf-8")
NAMES = [path.stem for path in notebook_paths()]


def colours(selector):
    block = re.search(rf"^{re.escape(selector)} {{(.*?)^}}", CSS, re.DOTALL | re.MULTILINE)[1]
    return dict(re.findall(r"--(\w+): (#\w+);", block))


@pytest.mark.parametrize("side", [0, 1], ids=["白纸", "深底"])
def test_every_accent_reads_as_text_and_as_ground(side):
    """标题用它写在纸上，点亮的一步用纸的颜色写在它上面。"""
    paper = colours((":root", ".dark")[side])["paper"]
    assert min(contrast(pair[side], paper) for pair in design.ACCENTS) >= 5


@pytest.mark.parametrize("selector", [":root", ".dark"])
def test_every_ink_reads_on_paper_and_behind_code(selector):
    given = colours(selector)
    inks = {name: given[name] for name in ("ink", "muted", "link", "keyword", "text", "number", "name")}
    wrong = {n: c for n, c in inks.items() for g in ("paper", "code") if contrast(c, given[g]) < 4.5}
    assert not wrong


def test_neighbouring_lessons_have_different_accents():
    accents = [design.accent(name) for name in NAMES]
    assert all(one != other for one, other in pairwise(accents))
    assert design.accent("我的一份") in design.ACCENTS


LIT = {"01": ["投影"], "02": ["打分"], "03": ["缩放"], "04": ["softmax"], "05": ["加权求和"]}
LIT |= {"07": ["遮住"], "08": ["切成头", "接上"]}


@pytest.mark.parametrize("name", NAMES)
def test_the_foot_lights_the_step_of_the_notebook(name, deck_path):
    """五步都在，点亮的是这一本讲的；没有五步地图的（10、a1）不写。"""
    page = read_html(deck_path(name).read_text(encoding="utf-8"))
    [foot] = page.find(has="foot")
    items = foot.find("li")
    lit = [item.text for item in items if item.attributes.get("aria-current") == "step"]
    if name[:2] in LIT:
        assert lit == LIT[name[:2]]
    steps = [item.text for item in items if item.text not in ("遮住", "切成头", "接上")]
    assert steps in ([], ["投影", "打分", "缩放", "softmax", "加权求和"])
    assert bool(steps) == any("plot_pipeline(" in cell.source for cell in _cells(name))


def _cells(name):
    [path] = [path for path in notebook_paths() if path.stem == name]
    return parse(path.read_bytes()).cells


def test_a_map_written_in_another_way_is_no_error():
    assert design.steps(new_notebook(cells=[new_code_cell("plot_pipeline(current=step)")])) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Q = X W_Q，再乘", [r"Q = X W_Q"]),
        ("(n, d_model) → (heads, n, d_k)", [r"d_{\text{model}}", "d_k"]),
        ("scores = QKᵀ / √d_k，约 1/√8", [r"QK^\top", r"\sqrt{d_k}", r"\sqrt{8}"]),
        ("n² 个", ["n^2"]),
        ("[02_scores.ipynb] a1_rnn scaled_scores x.d_k W_Q2 my_k", []),
    ],
)
def test_symbols_in_prose_are_told_from_names(text, parts):
    pieces = design.SYMBOL.split(text)
    assert "".join(pieces) == text
    assert [design.latex(symbol) for symbol in pieces[1::2]] == parts


def test_a_formula_keeps_its_punctuation():
    """只有公式和紧挨着的标点在一起；单独成行的公式、前后都是字的公式不动。"""
    math, block = "<math><mi>d</mi></math>", '<math display="block"><mi>d</mi></math>'
    kept = [f'<span class="together">{part}</span>' for part in (f"{math}，", f"（{math}）")]
    page = design.together(f"除以{math}，得{math}字（{math}）{block}。")
    assert page == f"除以{kept[0]}得{math}字{kept[1]}{block}。"


def test_lines_of_code_keep_their_text_and_know_their_indent():
    code = 'def f(x):\n    """说明\n\n    两行。"""\n    return "&lt;" + x'
    html = f'<div class="highlight"><pre><span></span>{code}\n</pre></div>'
    [pre] = read_html(design.hang(html)).find("pre")
    assert pre.text == code.replace("&lt;", "<")
    lines = pre.find(has="line")
    assert [line.attributes["style"] for line in lines] == [f"--indent:{n}" for n in (0, 4, 0, 4, 4)]
    assert pre.attributes["style"] == "--columns:18"
    colour_over_lines = "<pre><span>一\n二</span></pre>"
    assert design.hang(colour_over_lines) == colour_over_lines


def test_the_source_of_a_function_is_in_colour(deck_path):
    """印出来的源代码与写在格子里的一样上色，缩进从第一列起。"""
    page = read_html(deck_path("10_transformer").read_text(encoding="utf-8"))
    printed = [code for output in page.find(has="output") for code in output.find(has="code")]
    assert printed and all(code.find(has="k") and not code.text.startswith(" ") for code in printed)


# ---------------------------------------------------------------- 放映时

DARK = "document.documentElement.classList.contains('dark')"
GROUND = "getComputedStyle(document.body).backgroundColor"


def test_d_turns_the_room_dark_and_it_stays_dark(deck_path, browser):
    with Opened(browser, deck_path("03_scaling")) as deck:
        until(deck.page, "Reveal.isReady()")
        light = deck.page.evaluate(GROUND)
        deck.page.keyboard.press("d")
        assert contrast(deck.page.evaluate(GROUND), "white") > 12 > contrast(light, "white")
        deck.page.reload()
        until(deck.page, f"Reveal.isReady() && {DARK}")
        deck.page.goto(deck.own + "?print-pdf")
        until(deck.page, "document.querySelector('.pdf-page')")
        assert deck.page.evaluate(DARK) is False  # 纸总是白的
        deck.page.goto(deck.own)
        until(deck.page, f"Reveal.isReady() && {DARK}")
        deck.page.keyboard.press("d")
        assert deck.page.evaluate(GROUND) == light
        deck.quiet()


STILL = """async () => {
  const size = () => {
    const page = Reveal.getCurrentSlide().querySelector('.page'), box = page.getBoundingClientRect();
    return [page.className, page.style.cssText, ...[...page.querySelectorAll('*')].map((e) => {
      const rect = e.getBoundingClientRect();
      return [rect.left - box.left, rect.top - box.top, rect.width].map(Math.round).join();
    })].join(' ');
  };
  const moved = [];
  while (!Reveal.isLastSlide()) {
    document.dispatchEvent(new KeyboardEvent('keydown', { keyCode: 39 }));
    const first = size();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    if (size() !== first) moved.push(+Reveal.getCurrentSlide().dataset.cell);
  }
  return moved;
}"""


def test_nothing_moves_after_a_page_has_appeared(deck_path, browser):
    """字号在一页出现之前定好：第一眼看见的，就是一直看见的。"""
    with Opened(browser, deck_path("05_weighted_sum")) as deck:
        until(deck.page, "document.documentElement.classList.contains('ready')")
        assert deck.page.evaluate(STILL) == []
        deck.quiet()

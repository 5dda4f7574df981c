"""放映的按键：短课、选读、总览、跳页、头尾、黑屏、按键表；讲稿窗口看得全，计时帮得上忙。"""

import re

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from utils.notebooks import notebook_paths, parse
from utils.pages.browser import Opened
from utils.slides.__main__ import main
from utils.tests.html_page import read_html
from utils.tests.test_slides_browser import until

# 第几格，正课几分钟，短课几分钟：1、2 是 4 分钟和 2 分钟（短课 2），3 不在短课里，6、8 在短课里
NOTE = "\n\n<!-- 讲稿 · {} 分钟{}\n问：是几？\n接着：是 1。\n-->"
CELLS = [
    ("slide", "# 99 试一试\n\n话。" + NOTE.format(2, " · 短课 2 分钟")),
    ("subslide", "### 二"),
    ("slide", "## 三" + NOTE.format(3, "")),
    ("subslide", "### 选读：$x_1$ 甲" + NOTE.format(5, "")),
    ("subslide", "甲的第二页"),
    ("subslide", "### 四" + NOTE.format(4, " · 短课 3 分钟")),
    ("fragment", "四的答案"),
    ("slide", "## 乙（课上选读）" + NOTE.format(6, "")),
    ("slide", "## 五" + NOTE.format(1, " · 短课 1 分钟")),
]
LESSON, SHORT, OPTIONAL = [1, 2, 3, 6, 9], [1, 2, 6, 9], [0, 4, 5, 8]

HERE = "+Reveal.getCurrentSlide().dataset.cell"
NUMBER = "document.querySelector('.slide-number').innerText.replace(/\\s/g, '')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    cells = [new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}}) for kind, text in CELLS]
    nbformat.write(new_notebook(cells=cells), folder / "99_try.ipynb")
    assert main([str(folder / "99_try.ipynb"), "-o", str(folder)]) == 0
    return folder


@pytest.fixture
def opened(folder, browser):
    """open(后面的地址)：打开试的一份。用完要是安静的。"""
    decks = []

    def open_deck(query="", size=(1280, 720)):
        decks.append(Opened(browser, folder / "99_try.slides.html", query, size))
        until(decks[-1].page, "Reveal.isReady()")
        return decks[-1].page

    yield open_deck
    for deck in decks:
        deck.quiet()
        deck.close()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    return page.evaluate(HERE)


def walk(page, key, limit=30):
    """一直按一个键，经过的各页（从第几格开始）。"""
    cells = [page.evaluate(HERE)]
    for _ in range(limit):
        cells.append(press(page, key))
    return [cell for index, cell in enumerate(cells) if index == 0 or cell != cells[index - 1]]


def test_optional_pages_come_after_the_lesson(opened):
    page = opened()
    assert walk(page, "ArrowRight") == LESSON + OPTIONAL
    assert walk(page, "ArrowLeft") == (LESSON + OPTIONAL)[::-1]
    marks = page.locator(".optional-mark").all_text_contents()
    assert marks == ["选读 1/3", "选读 2/3", "选读 3/3"]


def test_x_goes_to_the_optional_pages_and_back_to_the_very_step(opened):
    page = opened()
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")  # 第 6 格，它的片段已经出现
    assert press(page, "x") == 0
    assert page.locator("#optional li").all_inner_texts()[1] == "乙"
    assert not page.locator(".slide-number").is_visible()
    page.locator("#optional a").last.click()
    until(page, f"{HERE} === 8")
    assert press(page, "x") == 6 and page.locator(".fragment.visible").count() == 1
    assert page.evaluate(NUMBER) == "4/5"


def test_t_walks_the_short_path_only_and_back(opened):
    page = opened()
    press(page, "ArrowRight", "ArrowRight")
    assert press(page, "t") == 2  # 第 3 格不在短课里：退到前面最近的一页
    assert page.evaluate(NUMBER) == "2/4" and "4 页，6 分钟" in page.locator("#said").inner_text()
    press(page, "Home")
    assert walk(page, "ArrowRight") == SHORT + OPTIONAL
    assert walk(page, "ArrowLeft") == (SHORT + OPTIONAL)[::-1]
    page.reload()
    until(page, "Reveal.isReady() && document.documentElement.classList.contains('short')")
    press(page, "t", "Home")
    assert page.evaluate(NUMBER) == "1/5" and walk(page, "ArrowRight") == LESSON + OPTIONAL


def test_the_address_may_ask_for_the_short_path(opened):
    page = opened("?short#/1/0")  # 第 3 格
    assert page.evaluate(HERE) == 2 and page.evaluate(NUMBER) == "2/4"
    assert page.evaluate("lesson.plan()") == {"short": True, "before": 60, "here": 60, "after": 240}


def test_home_end_and_g_count_the_pages_of_the_path(opened):
    page = opened()
    assert press(page, "End") == 9 and press(page, "Home") == 1
    for path, cells in (("整节课", LESSON), ("短课", SHORT)):
        press(page, "g")
        assert page.locator(".jump-to-slide-input").get_attribute("placeholder") == "页码，回车"
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        until(page, f"{HERE} === {cells[2]}")
        assert press(page, "End") == 9, path
        press(page, "Home", "t")


def test_the_overview_shows_every_page_of_the_path_whole(opened):
    page = opened()
    press(page, "o")
    boxes = {
        cell: page.locator(f'[data-cell="{cell}"]').bounding_box()
        for cell in LESSON + OPTIONAL
        if page.locator(f'[data-cell="{cell}"]').is_visible()
    }
    assert list(boxes) == LESSON + OPTIONAL
    assert all(300 < box["width"] < 320 and box["height"] > 168 for box in boxes.values())
    places = [(round(box["y"]), round(box["x"])) for box in boxes.values()]
    assert places == sorted(places) and len({y for y, _ in places}) == 3  # 一行四页，按次序
    assert page.get_by_text("四的答案").is_visible()
    assert press(page, "ArrowDown", "ArrowRight") == 0 and press(page, "ArrowUp") == 2
    page.keyboard.press("Enter")
    assert page.evaluate("Reveal.isOverview()") is False and page.evaluate(HERE) == 2
    press(page, "o")
    page.locator('[data-cell="9"]').click()
    assert page.evaluate("Reveal.isOverview()") is False and page.evaluate(HERE) == 9
    press(page, "t", "o")
    assert not page.locator('[data-cell="3"]').is_visible()


def test_the_list_of_keys_is_chinese_and_holds_the_other_keys(opened):
    page = opened()
    for opening in ("h", "?"):
        for closing in ("h", "?", "Escape"):
            page.keyboard.press(opening)
            assert page.locator("#keys").is_visible() and press(page, "ArrowRight") == 1
            page.keyboard.press(closing)
            assert not page.locator("#keys").is_visible()
    words = page.locator("#keys").text_content()
    assert set(re.findall("[A-Za-z]{2,}", words)) == {"Home", "End", "Esc"}
    assert page.evaluate("Reveal.isPaused()") is False and press(page, "ArrowRight") == 2


def test_black_says_how_to_go_on(opened):
    page = opened()
    page.keyboard.press("b")
    assert page.locator(".resume-button").inner_text() == "按 B 继续"
    assert press(page, "ArrowRight") == 1 and press(page, "b", "ArrowRight") == 2


# ---------------------------------------------------------------- 讲稿窗口

FITS = """() => {
  const value = document.querySelector('.speaker-controls-notes .value');
  return [value.scrollHeight <= value.clientHeight, parseFloat(value.style.fontSize),
          Math.max(...[...value.children].map((p) => p.getBoundingClientRect().bottom))];
}"""


def speaker_view(page, size=(1280, 720)):
    with page.expect_popup() as popup:
        page.keyboard.press("s")
    view = popup.value
    view.set_viewport_size({"width": size[0], "height": size[1]})
    view.locator(".speaker-controls-notes .value p").first.wait_for()
    return view


FOLLOWED = r"""(() => {
  const words = (element) => element.textContent.replace(/\s/g, '');
  const page = opener.Reveal.getCurrentSlide(), notes = document.querySelector('.value');
  return +page.dataset.cell === %d && words(notes) === words(page.querySelector('aside.notes'));
})()"""


def test_the_longest_notes_are_seen_without_scrolling(tmp_path, browser):
    """每一本最长的三处讲稿，一处一页，放在一份里：讲稿窗口打开一次，一页一页看。"""
    comments = []
    for path in notebook_paths():
        sources = [cell.source for cell in parse(path.read_bytes()).cells if cell.cell_type == "markdown"]
        found = [match[0] for match in re.finditer(r"<!-- 讲稿.*?-->", "\n".join(sources), re.DOTALL)]
        comments += sorted(found, key=len)[-3:]
    assert len(comments) == 3 * len(notebook_paths())
    slide = {"slideshow": {"slide_type": "slide"}}
    cells = [new_markdown_cell(f"# 99 试\n\n话。\n\n{comment}", metadata=slide) for comment in comments]
    nbformat.write(new_notebook(cells=cells), tmp_path / "99_notes.ipynb")
    assert main([str(tmp_path / "99_notes.ipynb"), "-o", str(tmp_path)]) == 0
    with Opened(browser, tmp_path / "99_notes.slides.html") as deck:
        until(deck.page, "Reveal.isReady()")
        view = speaker_view(deck.page)
        for cell in range(1, len(cells) + 1):
            until(view, FOLLOWED % cell)
            fits, size, bottom = view.evaluate(FITS)
            assert fits and size >= 16 and bottom <= 720, comments[cell - 1]
            deck.page.keyboard.press("ArrowRight")
        deck.quiet()


def test_the_timer_starts_with_the_first_page_turned_and_can_be_set(opened):
    """没翻页不走；「从这一页算起」算作刚讲到这一页；清零；下课时间不够，说出少几分钟。"""
    page = opened("#/1/1")  # 第 6 格：前面 5 分钟，这一页 4 分钟，后面 1 分钟
    view = speaker_view(page)
    read = lambda name: view.locator(f".speaker-controls-time .{name}").inner_text()  # noqa: E731
    assert read("elapsed") == "没开始" and "整节课 10 分钟，这一页计划讲到 9:00" in read("pace")
    assert read("rest") == "5"
    page.keyboard.press("ArrowRight")
    until(view, "/^0:0\\d/.test(document.querySelector('.elapsed').textContent)")
    assert "快 5 分钟" in read("pace")
    view.locator(".align").click()
    assert read("elapsed").startswith("5:0") and "正好" in read("pace")
    page.evaluate("lesson.setElapsed(11 * 60)")
    until(view, "document.querySelector('.pace').className === 'pace behind'")
    assert "慢 2 分钟" in read("pace")
    view.locator(".left").fill("3")
    assert "少 2 分钟" in read("enough")
    view.locator(".reset").click()
    assert read("elapsed") == "没开始"


def test_the_speaker_view_follows_the_short_path(opened):
    page = opened()
    view = speaker_view(page)
    upcoming = view.frame_locator("#upcoming-slide iframe").locator("section.present > * h3")
    press(page, "ArrowRight", "t")
    until(view, "document.querySelector('.pace').textContent.startsWith('短课 6 分钟，这一页计划讲到 2:00')")
    upcoming.filter(has_text="四").wait_for()
    view.locator("body").press("ArrowRight")
    until(page, f"{HERE} === 6")


def test_a_late_word_from_the_small_windows_does_not_turn_the_page_back(opened):
    page = opened()
    view = speaker_view(page)
    assert press(page, "ArrowRight") == 2
    late = '{"namespace": "reveal", "eventName": "slidechanged", "state": {"indexh": 0, "indexv": 0}}'
    view.evaluate(f"window.postMessage('{late}')")
    view.wait_for_timeout(800)  # reveal.js 等半秒才往回推
    assert page.evaluate(HERE) == 2


# ---------------------------------------------------------------- 目录


def test_the_course_map_leads_to_the_short_path_and_each_optional_section(folder, browser):
    page = read_html((folder / "index.html").read_text(encoding="utf-8"))
    lines = [line.text for line in page.find(has="size")]
    assert lines[0].startswith("5 页 · 10 分钟 · 点 6 下")
    assert "：4 页 · 6 分钟" in lines[1] and lines[2].endswith("甲、乙")
    links = [link.attributes["href"] for line in page.find(has="size") for link in line.find("a")]
    assert links[1:] == ["99_try.slides.html" + end for end in ("?short", "#/optional-1", "#/optional-3")]
    with Opened(browser, folder / "99_try.slides.html", "#/optional-3") as deck:
        until(deck.page, f"Reveal.isReady() && {HERE} === 8")

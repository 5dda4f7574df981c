"""书在真的浏览器里：断网打开每一页，从宽屏到 320 像素；没有脚本、用键盘、深色也读得了；搜索找得到。"""

import re

import pytest

from utils.book.search import OTHER_NAMES
from utils.notebooks import notebook_paths
from utils.pages.browser import Opened
from utils.tests.test_slides_browser import until
from utils.tests.test_slides_print import violations

NAMES = [path.stem for path in notebook_paths()]
PAGES = [*NAMES, "glossary", "index", "search"]
DESKTOP, PHONE, NARROW = (1280, 800), (390, 844), (320, 640)
ZOOMED = (640, 400)  # 1280×800 放大到 200%

UNFOLD = "() => document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })"

# 伸出页面右边的元素；在自己的框里滚动的不算
OUTSIDE = """() => [...document.querySelectorAll('body *')].filter((e) => {
  if (e.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let box = e.parentElement; box !== document.body; box = box.parentElement)
    if (getComputedStyle(box).overflowX !== 'visible') return false;
  return true;
}).map((e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 30)}`).slice(0, 5)"""

# 不在看得见的地方的按钮；动画各帧叠着，哪一帧都一样
LOST_BUTTONS = """() => [...document.querySelectorAll('.film .animation-controls label')].map((e) => {
  const seen = e.closest('.animation').getBoundingClientRect(), own = e.getBoundingClientRect();
  return own.left < seen.left || own.right > Math.min(seen.right, innerWidth);
}).filter(Boolean).length"""


@pytest.fixture(scope="module")
def folder(made_book):
    return made_book[0]


@pytest.fixture
def opened(folder, browser):
    """opened(名字, 大小) 打开一页；测试做完就关。"""
    contexts = []

    def open_page(name, size=DESKTOP, query=""):
        contexts.append(Opened(browser, folder / f"{name}.html", query, size))
        return contexts[-1]

    yield open_page
    for context in contexts:
        context.close()


QUERY = {"search": "#点积"}  # 找到了的样子
NO_COLOURS = {"color-contrast": {"enabled": False}}
COLOURS = "color-contrast", "link-in-text-block"


@pytest.fixture(scope="module")
def tab(folder, browser):
    with Opened(browser, folder / "index.html") as book:
        yield book


@pytest.fixture(scope="module", params=PAGES)
def seen(request, folder, tab):
    """一页打开一次，折着的都打开，各种宽度看一遍，再让 axe 查：{名字: 看到的}。"""
    tab.go(folder / f"{request.param}.html", QUERY.get(request.param, ""), DESKTOP)
    page, widths, lost = tab.page, {}, 0
    page.evaluate(UNFOLD)
    for width, height in (DESKTOP, ZOOMED, NARROW, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        widths[width] = page.evaluate("document.documentElement.scrollWidth"), page.evaluate(OUTSIDE)
        lost += page.evaluate(LOST_BUTTONS)
    # axe 把只有 MathML 的表头当作空的，读屏软件却念得出：空不空自己查
    empty = page.evaluate(
        "[...document.querySelectorAll('th')].filter((head) => !head.textContent.trim()).length"
    )
    found = violations(page, **NO_COLOURS, **{"empty-table-header": {"enabled": False}})
    said = tab.requests + tab.messages
    return {"widths": widths, "lost": lost, "empty": empty, "found": found, "said": said}


def test_nothing_sticks_out_and_nothing_is_fetched(seen):
    assert seen["widths"] == {width: (width, []) for width in seen["widths"]} and len(seen["widths"]) == 4
    assert seen["said"] == [] and seen["lost"] == 0


def test_it_is_accessible(seen):
    """axe 在手机的宽度；颜色另在下一个测试里查：各页同一份样式，查一页要几秒。"""
    assert seen["empty"] == 0 and seen["found"] == []


@pytest.mark.parametrize("name", ["02_scores", "a2_sql_join", "index", "glossary", "search"])
def test_its_colours_are_clear(name, opened):
    book = opened(name, PHONE, QUERY.get(name, ""))
    book.page.evaluate(UNFOLD)
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 25, 28)")):
        book.page.emulate_media(color_scheme=scheme)
        assert book.page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        assert violations(book.page, *COLOURS) == [], scheme


def test_a_line_holds_34_to_40_characters(opened):
    book = opened("02_scores")
    line = book.page.locator("main > p:not(.meta)").first
    size = line.evaluate("(line) => parseFloat(getComputedStyle(line).fontSize)")
    width = line.bounding_box()["width"]
    assert 16 <= size <= 18 and 34 <= width / size <= 40


def test_the_small_contents_stay_in_sight(opened):
    side = opened("02_scores")
    side.page.evaluate("scrollTo({top: 4000, behavior: 'instant'})")
    box = side.page.locator(".side").bounding_box()
    assert 0 <= box["y"] < 200 and box["x"] < side.page.locator("main").bounding_box()["x"]
    phone = opened("02_scores", PHONE)
    phone.page.evaluate("scrollTo({top: 4000, behavior: 'instant'})")
    phone.page.locator(".menu > summary").click()
    phone.page.locator(".menu a", has_text="看图").click()
    assert not phone.page.locator(".menu").evaluate("(menu) => menu.open")
    heading = "[...document.querySelectorAll('h2')].find((e) => e.textContent.includes('看图'))"
    top, bar = f"{heading}.getBoundingClientRect().top", "document.querySelector('.bar').clientHeight"
    until(phone.page, f"{top} < 300")  # 平滑地滚到那里
    until(phone.page, f"{top} === await new Promise((done) => setTimeout(() => done({top}), 200))")
    assert phone.page.evaluate(f"{bar} <= {top} && {top} < 300")


def test_without_a_script_folds_open_and_the_film_moves(folder, browser):
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto((folder / "02_scores.html").as_uri())
    answer = page.locator("p", has_text="只有第 2 行变了")
    assert not answer.is_visible()
    page.locator("details.answer", has=answer).last.locator("> summary").click()
    assert answer.is_visible()
    frames = page.locator(".animation-frame")
    for step in range(3):
        assert [frames.nth(i).is_visible() for i in range(4)] == [i == step for i in range(4)]
        frames.nth(step).locator(".animation-next").click()
    assert page.locator(".theme").count() == 0  # 没有脚本，就没有按了没用的按钮
    context.close()


def test_the_keyboard_is_enough(opened):
    page = opened("02_scores").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "跳到正文"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    fold = page.locator("details.answer > summary").first
    fold.focus()
    page.keyboard.press("Enter")
    assert fold.evaluate("(summary) => summary.parentElement.open")
    page.locator(".animation-radio").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".animation-radio").nth(1).is_checked()
    wide = page.evaluate("[...document.querySelectorAll('.scrolls')].every((box) => box.tabIndex === 0)")
    assert wide


def test_a_link_into_a_fold_opens_it(opened):
    book = opened("02_scores", query="#选读-交换-Q-和-K")
    heading = book.page.locator("h3", has_text="交换 Q 和 K")
    assert heading.evaluate("(heading) => heading.closest('details').open")


def test_colours_follow_the_button_and_motion_follows_the_system(opened):
    page = opened("index").page
    ground = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for _ in range(3):
        page.locator(".theme").click()
        seen.append((page.locator(".theme").inner_text(), page.evaluate(ground)))
    white, black = "rgb(255, 255, 255)", "rgb(22, 25, 28)"
    assert seen == [("浅色", white), ("深色", black), ("随系统", white)]
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    for motion, expected in (("reduce", "auto"), ("no-preference", "smooth")):
        page.emulate_media(reduced_motion=motion)
        assert page.evaluate(behaviour) == expected


# ---------------------------------------------------------------- 搜索

FOUND = {  # 学习者会打的 -> 应在前三节之中的一节
    "余弦相似度": "2 打分 · 选读：只比方向，用余弦",
    "为什么要转置": "2 打分 · 为什么要转置",
    "KV cache": "10 搭起来 · KV cache：不重算（课上选读）",
    "KV 缓存": "10 搭起来 · KV cache：不重算（课上选读）",  # 别处的叫法
    "ＣＡＵＳＡＬ_mask": "7 遮住 · 一次算完",  # 全角、大小写当作一样
    "温度": "4 softmax · 都除以一个数",
    "掩码": "4 softmax · 遮住一个键",
    "为什么除以根号": "3 缩放 · 一次算完",  # 正文里是公式 √d_k
    "softmax 溢出": "4 softmax · 选读：分数很大时",  # 标题里没有这两个词，“溢出”少见，更要紧
    "W_Q": "1 投影 · 一次算完",
    "n_k": "术语和符号 · 词元数；查询的个数、键的个数（自注意力里都是 n，交叉注意力里不同） n，n_q、n_k",
    "多头": "8 多头",
    "RoPE": "9 位置 · 公式与形状",
    "layernorm": "10 搭起来 · 公式与形状",  # 说它是什么的在前，用到它的代码在后
    "残差连接": "术语和符号 · 残差（连接）：加上原来的数 X + …",
    "权重的和等于一百": None,  # 没有一字不差的：按相邻的两个字找
}


def test_search_finds_a_section(opened):
    search = opened("search")
    page = search.page
    for query, section in FOUND.items():
        page.locator("#query").fill(query)
        titles = page.locator("#results a").all_text_contents()
        assert titles and (section is None or section in titles[:3]), (query, titles[:5])
        assert page.locator("#results mark").count()
        assert re.fullmatch(r"找到 \d+ 节(，下面是最像的 30 节)?", page.locator("#count").inner_text())
    search.quiet()


def test_a_found_term_leads_to_its_row(opened):
    page = opened("search", query="#遮罩").page
    page.locator("#results a", has_text="术语和符号").first.click()
    row = page.locator(".terms > :target")
    assert "遮罩" in row.inner_text() and row.bounding_box()["y"] >= 0


def test_other_names_lead_to_words_of_the_book(folder):
    words = (folder / "search.html").read_text(encoding="utf-8")
    assert [ours for ours in OTHER_NAMES.values() if words.count(ours) < 3] == []


def test_a_found_section_opens_and_nothing_is_found_for_nonsense(opened):
    search = opened("search", query="#交换 Q 和 K")
    assert search.page.locator("#query").input_value() == "交换 Q 和 K"
    search.page.locator("#results a").first.click()
    heading = search.page.locator("h3", has_text="交换 Q 和 K")
    heading.wait_for()
    assert heading.evaluate("(heading) => heading.closest('details').open") and search.messages == []
    nothing = opened("search", query="#鼹鼠鼹鼠")
    assert nothing.page.locator("#count").inner_text() == "找到 0 节"
    assert nothing.page.locator("#results li").count() == 0


def test_words_to_search_for_are_only_words(opened):
    page = opened("search").page
    page.locator("#query").fill("<img src=x onerror=alert(1)> (.*[")
    assert page.locator("#results img").count() == 0
    assert page.evaluate("decodeURIComponent(location.hash)") == "#<img src=x onerror=alert(1)> (.*["

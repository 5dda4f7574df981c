"""幻灯片打印：?print-pdf 里一页一张纸；公式、颜色、无障碍都在这里查，全部页面一次看得见。"""

import importlib.util
import re
from pathlib import Path

import pytest

from utils.notebooks import notebook_paths, parse
from utils.pages.browser import Opened
from utils.tests.contrast import contrast
from utils.tests.lesson import lesson_of

# 每个公式里成对的括号：括号的高，和它括住的内容的高。
BRACKETS = """() => [...document.querySelectorAll('math mo')].flatMap((mo) => {
  if (!'()[]{}|‖'.includes(mo.textContent) || mo.getAttribute('stretchy') === 'false') return [];
  const inside = [...mo.parentElement.children].filter((e) => e.matches('mtable, mfrac, mrow'));
  const tallest = Math.max(0, ...inside.map((e) => e.getBoundingClientRect().height));
  const cell = mo.closest('[data-cell]').dataset.cell;
  return tallest ? [[cell, mo.getBoundingClientRect().height, tallest]] : [];
})"""

# 给每一种字母、数字和符号（汉字除外）的第一处作上记号
MARK = """() => {
  const seen = new Set();
  for (const e of document.querySelectorAll('mi, mn, mo, msqrt')) {
    const kind = e.tagName + e.textContent;
    if (!seen.has(kind)) e.setAttribute('data-font', '');
    seen.add(kind);
  }
}"""


# 每一种字的颜色和它的底色；没有自己的底色，就是包着它的元素的
COLOURS = """() => {
  const pairs = new Set(), clear = 'rgba(0, 0, 0, 0)';
  for (const e of document.querySelectorAll('.pdf-page *')) {
    if (![...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
    let ground = clear;
    for (let outer = e; outer && ground === clear; outer = outer.parentElement)
      ground = getComputedStyle(outer).backgroundColor;
    pairs.add(`${getComputedStyle(e).color} on ${ground === clear ? 'white' : ground}`);
  }
  return [...pairs];
}"""


# 内容压在页脚上、或者没有页脚的页
OVER_FOOT = """() => [...document.querySelectorAll('.pdf-page')].flatMap((sheet) => {
  const foot = sheet.querySelector('.foot')?.getBoundingClientRect(), page = sheet.querySelector('.page');
  const lowest = Math.max(...[...page.querySelectorAll('*')].map((e) => e.getBoundingClientRect().bottom));
  return foot && lowest <= foot.top + 4 ? [] : [page.parentElement.dataset.cell];
})"""

# 纸总是白的，所以深色只在这里才有：撤掉 reveal.js 给每张纸写的底色
DARKEN = """() => {
  document.documentElement.classList.add('dark');
  for (const sheet of document.querySelectorAll('.pdf-page')) sheet.style.background = '';
}"""


def faint(page):
    """看不清的颜色：对比度不到 4.5（WCAG AA）。axe 也查，但是一份要一秒。"""
    return [pair for pair in page.evaluate(COLOURS) if contrast(*pair.split(" on ")) < 4.5]


def system_fonts(page):
    """公式里实际用到的、不是页面自带的字体。"""
    page.evaluate(MARK)
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "[data-font]"})["nodeIds"]
    used = [session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    assert any(used)
    return {font["familyName"] for fonts in used for font in fonts if not font["isCustomFont"]}


def violations(page, *only, **rules):
    """axe 找到的不合；only 是只查的几条，rules 是另外设的几条。"""
    # 不导入这个包：它读自己的脚本不写编码，中文 Windows 上读不出来
    [folder] = importlib.util.find_spec("axe_playwright_python").submodule_search_locations
    page.evaluate(Path(folder, "axe.min.js").read_text(encoding="utf-8"))
    options = {"resultTypes": ["violations"], "rules": rules} | ({"runOnly": only} if only else {})
    found = page.evaluate("(options) => axe.run(options)", options)["violations"]
    return [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]


@pytest.fixture(scope="module")
def tab(made, browser):
    with Opened(browser, made[0] / "index.html") as deck:
        yield deck


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_print_view_is_one_sheet_a_page(path, deck_path, tab):
    """?print-pdf：一页一张纸；公式的括号随内容长高，不靠电脑上的字体；无障碍检查没有一处不合，深色也看得清。"""
    pages = lesson_of(parse(path.read_bytes())).shown()
    tab.go(deck_path(path.stem), "?print-pdf")
    tab.page.locator("html.reveal-print .pdf-page").first.wait_for()
    tab.page.locator("html.fitted").wait_for(state="attached")
    pdf = tab.page.pdf(prefer_css_page_size=True, print_background=True)
    tab.page.emulate_media(media="print")
    tab.page.set_viewport_size({"width": 600, "height": 900})  # 打印时先当纸是竖的
    assert tab.page.evaluate(OVER_FOOT) == []
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.page.emulate_media(media="screen")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == len(pages)
    brackets = tab.page.evaluate(BRACKETS)
    short = [found for found in brackets if found[1] < 0.9 * found[2]]
    assert not short, f"{path.stem}：括号没有长到内容那么高（格, 括号, 内容）：{short}"
    assert system_fonts(tab.page) == set()
    assert violations(tab.page, **{"color-contrast": {"enabled": False}}) == faint(tab.page) == []
    tab.page.evaluate(DARKEN)
    assert faint(tab.page) == []
    tab.quiet()


def test_course_map_is_quiet_and_accessible(made, browser):
    with Opened(browser, made[0] / "index.html") as index:
        assert violations(index.page) == []
        index.quiet()

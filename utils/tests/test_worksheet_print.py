"""练习纸在真的浏览器里：一份一页 A4，写得下。"""

import re

import pytest

from utils.pages.browser import Opened
from utils.tests import test_worksheet
from utils.tests.test_worksheet import CLASS_PAGES, PAGES, STUDENTS
from utils.worksheet.build import VERSIONS

folder = test_worksheet.folder  # 同一批练习纸

MILLIMETRE = 96 / 25.4  # 打印时一毫米是多少 CSS 像素


MEASURE = """() => [...document.querySelectorAll(".sheet")].map(sheet => {
  const edge = sheet.getBoundingClientRect();
  const boxes = [...sheet.querySelectorAll(".box")].map(box => {
    const {width, height} = box.getBoundingClientRect(), answer = box.firstElementChild;
    return {width, height, answer: answer ? answer.getBoundingClientRect().width : 0};
  });
  const outside = [...sheet.querySelectorAll("*")].filter(element => {
    const {left, right, bottom} = element.getBoundingClientRect();
    return left < edge.left - 1 || right > edge.right + 1 || bottom > edge.bottom + 1;
  }).map(element => element.outerHTML.slice(0, 80));
  const title = sheet.querySelector("header").getBoundingClientRect().height;
  sheet.style.height = "auto";
  return {boxes, outside, title, width: edge.width, height: edge.height, needed: sheet.scrollHeight};
})"""


@pytest.fixture(scope="module")
def tab(folder, browser):
    with Opened(browser, folder / "index.html") as opened:
        opened.page.emulate_media(media="print")
        yield opened


@pytest.mark.parametrize("name", [*PAGES, *CLASS_PAGES])
def test_each_copy_prints_on_one_a4_page_with_room_to_write(name, folder, tab):
    """一份一张竖的 A4，不露在外面；高度有余量（别的中文字体可能高一点）；空格写得下字，也放得下答案。"""
    tab.go(folder / name)
    pdf = tab.page.pdf(prefer_css_page_size=True)
    layouts = tab.page.evaluate(MEASURE)
    tab.quiet()
    count = len(VERSIONS) if name in PAGES else len(STUDENTS)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == len(layouts) == count
    for box in re.findall(rb"/MediaBox\s*\[([^\]]*)\]", pdf):
        assert [float(x) for x in box.split()] == pytest.approx([0, 0, 595.3, 841.9], abs=1)
    for layout in layouts:
        assert layout["outside"] == [] and layout["needed"] <= 0.92 * layout["height"]
        assert layout["title"] <= 12 * MILLIMETRE  # 标题和姓名在一行里
        assert layout["width"] <= 186.1 * MILLIMETRE and layout["height"] <= 273 * MILLIMETRE
        assert layout["boxes"]
        for box in layout["boxes"]:
            assert box["width"] >= max(14 * MILLIMETRE, box["answer"]) and box["height"] >= 9 * MILLIMETRE

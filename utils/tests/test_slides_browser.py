"""幻灯片的放映：在真的浏览器里断网打开每一份，每种屏幕从头到尾放一遍。"""

import importlib.util
import re
from itertools import groupby
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.notebooks import NOTEBOOKS, notebook_paths
from utils.pages.browser import Opened
from utils.slides.__main__ import main
from utils.slides.notes import split_notes

NAMES = [path.stem for path in notebook_paths()]
SCREENS = {"投影": (1280, 720), "旧投影": (1024, 768), "手机": (390, 844)}  # 别的宽屏与第一种是同一张画布
EDGE = 16  # 内容离页边至少这么远

# 从第一步按 → 到最后一步，再按 ← 退到头；每一步记下：从第几格开始的页、在哪里、内容的右沿和下沿、最小的字
# （都按画布上的像素）、看得见的动画帧、「常见误解」里各条是否已经全部出现。按键由页面自己发出，快得多。
PLAY = r"""async (back) => {
  await Promise.all([...document.fonts].map((font) => font.load()));
  const press = (keyCode) => document.dispatchEvent(new KeyboardEvent('keydown', { keyCode }));
  const visible = (e) => getComputedStyle(e).visibility !== 'hidden';
  const place = () => { const { h, v, f } = Reveal.getIndices(); return [h, v, f ?? null]; };
  const frames = (page) => [...page.querySelectorAll('.animation-frame')]
    .filter((e) => visible(e) && e.getClientRects().length && getComputedStyle(e).opacity !== '0')
    .map((e) => e.getAttribute('aria-label'));
  const step = () => {
    const page = Reveal.getCurrentSlide(), scale = Reveal.getScale(), box = page.getBoundingClientRect();
    const state = { cell: +page.dataset.cell, place: place(), frames: frames(page), right: 0, bottom: 0,
                    smallest: 99, body: 99, corrected: null };
    for (const e of page.querySelectorAll('*:not(math *, aside.notes, aside.notes *)')) {
      const rect = e.getBoundingClientRect(), style = getComputedStyle(e);
      if (style.visibility === 'hidden' || rect.width <= 1 || rect.height <= 1) continue;
      state.right = Math.max(state.right, (rect.right - box.left) / scale);
      state.bottom = Math.max(state.bottom, (rect.bottom - box.top) / scale);
      if (![...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
      const size = parseFloat(style.fontSize);
      state.smallest = Math.min(state.smallest, size);
      if (e.matches('p, li, td, th') && !e.closest('.animation')) state.body = Math.min(state.body, size);
    }
    if (page.querySelector('h2')?.textContent === '常见误解')
      state.corrected = [...page.querySelectorAll('li')].map((li) => [...li.children].every(visible));
    return state;
  };
  const forward = [step()], backward = [];
  while (!(Reveal.isLastSlide() && !Reveal.availableFragments().next) && forward.length < 1000) {
    press(39);
    forward.push(step());
  }
  while (back && backward.length < forward.length - 1) {
    press(37);
    backward.push({ place: place(), frames: frames(Reveal.getCurrentSlide()) });
  }
  const { width, height } = Reveal.getConfig();
  return { forward, backward, width, height };
}"""


def cells_of(name):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells


def first_cells(name):
    """各页从第几格开始。"""
    types = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in cells_of(name)]
    return [number for number, kind in enumerate(types, 1) if kind in ("slide", "subslide")]


# ---------------------------------------------------------------- 每一份，每种屏幕放一遍


@pytest.fixture(scope="module", params=NAMES)
def played(request, deck_path, browser):
    """（名字, {屏幕: 放映的记录}）；记录里另有请求和控制台的话。"""
    plays = {}
    for screen, size in SCREENS.items():
        with Opened(browser, deck_path(request.param), size=size) as deck:
            deck.page.wait_for_function("Reveal.isReady()")
            plays[screen] = deck.page.evaluate(PLAY, screen == "投影")
            plays[screen] |= {"requests": deck.requests, "messages": deck.messages}
    return request.param, plays


def test_every_page_is_reached_by_key_and_left_the_same_way(played):
    name, plays = played
    for play in plays.values():
        assert [cell for cell, _ in groupby(play["forward"], lambda s: s["cell"])] == first_cells(name)
    there, back = plays["投影"]["forward"], plays["投影"]["backward"]
    assert [state["place"] for state in back] == [state["place"] for state in there[-2::-1]]


def test_nothing_leaves_the_page(played):
    name, plays = played
    wrong = {
        f"{screen}，第 {state['cell']} 格": f"内容到 ({state['right']:.0f}, {state['bottom']:.0f})，"
        f"页面是 {play['width']}×{play['height']}"
        for screen, play in plays.items()
        for state in play["forward"]
        if state["bottom"] > play["height"] - EDGE or state["right"] > play["width"] - EDGE
    }
    assert not wrong, f"{name}：从这些格开始的页要改，太高的要拆成两页：{wrong}"


def test_the_text_is_large_enough_for_a_projector(played):
    name, plays = played
    states = plays["投影"]["forward"]
    small = {s["cell"] for s in states if s["smallest"] < 18 or s["body"] < 24}
    assert not small, f"{name} 第 {small} 格开始的页：正文小于 24 像素，或有字小于 18 像素"


def test_nothing_is_loaded_and_the_console_is_silent(played):
    _, plays = played
    for play in plays.values():
        assert play["requests"] == [] and play["messages"] == []


def test_an_animation_moves_one_frame_a_key(played):
    """从空的结果开始，→ 一次一帧，同一时刻只看得见一帧；← 一帧一帧退回去。"""
    name, plays = played
    animations = [
        re.findall(r'class="animation-frame[^>]*aria-label="([^"]*)"', output.data["text/html"])
        for cell in cells_of(name)
        if cell.cell_type == "code" and cell.metadata.slideshow.slide_type != "skip"
        for output in cell.outputs
        if '<figure class="animation' in output.get("data", {}).get("text/html", "")
    ]
    wanted = [[label] for labels in animations for label in labels]
    for play in plays.values():
        seen = [frames for frames, _ in groupby(play["forward"], lambda state: state["frames"]) if frames]
        assert seen == wanted
    there, back = plays["投影"]["forward"], plays["投影"]["backward"]
    assert [state["frames"] for state in back] == [state["frames"] for state in there[-2::-1]]


def test_a_misconception_is_asked_before_it_is_corrected(played):
    """「常见误解」：一开始只有说法；每按一次 → 多一条纠正。"""
    _, plays = played
    pages = {}
    for state in plays["投影"]["forward"]:
        if state["corrected"]:
            pages.setdefault(state["cell"], []).append(state["corrected"])
    assert sum(len(states[0]) for states in pages.values()) >= 3
    for states in pages.values():
        count = len(states[0])
        assert states == [[item < done for item in range(count)] for done in range(count + 1)]


# ---------------------------------------------------------------- 打印

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


def violations(page):
    # 不导入这个包：它读自己的脚本不写编码，中文 Windows 上读不出来
    [folder] = importlib.util.find_spec("axe_playwright_python").submodule_search_locations
    page.evaluate(Path(folder, "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]


@pytest.mark.parametrize("name", NAMES)
def test_print_view_is_one_sheet_a_page(name, deck_path, browser):
    """?print-pdf：一页一张纸；公式的括号随内容长高，不靠电脑上的字体；无障碍检查没有一处不合。"""
    with Opened(browser, deck_path(name), "?print-pdf") as deck:
        deck.page.locator("html.reveal-print .pdf-page").first.wait_for()
        deck.page.wait_for_timeout(300)
        pdf = deck.page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == len(first_cells(name))
        brackets = deck.page.evaluate(BRACKETS)
        short = [found for found in brackets if found[1] < 0.9 * found[2]]
        assert not short, f"{name}：括号没有长到内容那么高（格, 括号, 内容）：{short}"
        assert system_fonts(deck.page) == set()
        assert violations(deck.page) == []
        deck.quiet()


# ---------------------------------------------------------------- 讲稿窗口、目录、别人的输出


def test_speaker_view_shows_notes_and_moves_the_deck(deck_path, browser):
    """S 打开讲稿窗口：这一节的讲稿、当前页和下一页；窗口里按 → 也推进放映；没有网络，没有报错。"""
    notes = split_notes(cells_of("02_scores")[0].source)[1]
    with Opened(browser, deck_path("02_scores")) as deck:
        with deck.page.expect_popup() as popup:
            deck.page.keyboard.press("s")
        view = popup.value
        view.locator(".speaker-controls-notes .value").filter(has_text="会答错").wait_for()
        assert view.evaluate("document.documentElement.lang") == "zh"
        shown = view.locator(".speaker-controls-notes .value").inner_text()
        assert "".join(shown.split()) == "".join(notes.text.split())
        for frame in ("#current-slide iframe", "#upcoming-slide iframe"):
            view.frame_locator(frame).locator("section.present h1, section.present h2").first.wait_for()
        words = view.locator("title, h4, .label, .speaker-layout-label, option").all_text_contents()
        assert len(words) >= 8 and re.findall("[A-Za-z]+", " ".join(words)) == []
        view.locator("body").press("ArrowRight")
        deck.page.wait_for_function("Reveal.getIndices().v === 1")
        deck.quiet()


def test_course_map_is_quiet_and_accessible(made, browser):
    with Opened(browser, made[0] / "index.html") as index:
        assert violations(index.page) == []
        index.quiet()


def test_html_output_cannot_load_anything(tmp_path, browser):
    """输出里的 HTML 原样放进页面，但策略不许它联网。"""
    outside = "<p id='kept'>表格</p><img src='https://example.com/a.png' alt='x'>"
    output = new_output("display_data", data={"text/html": outside})
    metadata = {"slideshow": {"slide_type": "slide"}}
    cells = [
        new_markdown_cell("# 标题\n\n话", metadata=metadata),
        new_code_cell("表", execution_count=1, outputs=[output], metadata=metadata),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "99_try.ipynb")
    assert main([str(tmp_path / "99_try.ipynb"), "-o", str(tmp_path)]) == 0
    with Opened(browser, tmp_path / "99_try.slides.html") as deck:
        deck.page.locator("#kept").wait_for(state="attached")
        assert deck.messages and all("Content Security Policy" in message for message in deck.messages)

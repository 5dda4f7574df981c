"""幻灯片的放映：在真的浏览器里断网打开每一份，在手机上从头放到尾，在投影仪上退回来。"""

import re
from itertools import groupby

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.notebooks import NOTEBOOKS, notebook_paths
from utils.pages.browser import Opened
from utils.slides.__main__ import main
from utils.slides.notes import split_notes
from utils.tests.asking import WALK
from utils.tests.lesson import lesson_of

NAMES = [path.stem for path in notebook_paths()]
PROJECTOR, OLD_PROJECTOR, PHONE = (1280, 720), (1024, 768), (390, 844)
EDGE = 16  # 内容离页边至少这么远

# 一直按 →（back 时是 ←）到头；每一步记下：从第几格开始的页、在哪里、内容的右沿和下沿、最小的正文
# （都按画布上的像素）、看得见的动画帧、「常见误解」里各条是否已经全部出现。按键由页面自己发出，快得多。
PLAY = r"""async (back) => {
  await Promise.all([...document.fonts].map((font) => font.load()));
  const press = (keyCode) => document.dispatchEvent(new KeyboardEvent('keydown', { keyCode }));
  const visible = (e) => getComputedStyle(e).visibility !== 'hidden';
  const step = () => {
    const page = Reveal.getCurrentSlide(), scale = Reveal.getScale(), box = page.getBoundingClientRect();
    const { h, v, f } = Reveal.getIndices();
    const frames = [...page.querySelectorAll('.animation-frame')]
      .filter((e) => visible(e) && e.getClientRects().length && getComputedStyle(e).opacity !== '0')
      .map((e) => e.getAttribute('aria-label'));
    const state = { cell: +page.dataset.cell, place: [h, v, f ?? null], frames, right: 0, bottom: 0,
                    prose: 99, corrected: null };
    for (const e of page.querySelectorAll('*:not(.page, math *, aside.notes, aside.notes *)')) {
      const rect = e.getBoundingClientRect(), style = getComputedStyle(e);
      if (style.visibility === 'hidden' || rect.width <= 1 || rect.height <= 1) continue;
      state.right = Math.max(state.right, (rect.right - box.left) / scale);
      state.bottom = Math.max(state.bottom, (rect.bottom - box.top) / scale);
      if (![...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
      if (e.matches('p, li') && !e.closest('.animation'))
        state.prose = Math.min(state.prose, parseFloat(getComputedStyle(e).fontSize));
    }
    if (page.querySelector('h2')?.textContent === '常见误解')
      state.corrected = [...page.querySelectorAll('li')].map((li) => [...li.children].every(visible));
    return state;
  };
  const more = () => back ? !Reveal.isFirstSlide() || Reveal.availableFragments().prev
                          : !Reveal.isLastSlide() || Reveal.availableFragments().next;
  const states = [step()];
  while (more() && states.length < 1000) {
    press(back ? 37 : 39);
    states.push(step());
  }
  return states;
}"""

# 每一页排成了多大（放过一遍以后，片段都在它的位置上）：正文定的档，最小的字（公式的下标也算），
# 代码、正文最小的字；一行代码折下去的部分比行首靠右几个像素（没有折就没有）。
SIZES = r"""() => [...document.querySelectorAll('.page')].map((page) => {
  const section = page.closest('section');
  const hidden = [section, section.parentElement].filter((e) => e.style.display === 'none');
  hidden.forEach((e) => (e.style.display = 'block'));
  const says = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
  const drawn = (e) => e.getScreenCTM?.().a / Reveal.getScale() || 1; // SVG 里的字按图的大小缩放
  const least = (selector) => Math.min(99, ...[...page.querySelectorAll(selector)]
    .filter((e) => e.getClientRects().length && says(e))
    .map((e) => parseFloat(getComputedStyle(e).fontSize) * drawn(e)));
  const folded = [...page.querySelectorAll('.line')].flatMap((line) => {
    const range = document.createRange();
    range.selectNodeContents(line);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 1);
    const first = rects.length ? rects[0].top : 0, height = rects[0]?.height;
    const indent = 0.5 * parseFloat(getComputedStyle(line).fontSize) * line.textContent.search(/[^ ]/);
    const below = rects.filter((rect) => rect.top > first + height / 2);
    return below.map((rect) => rect.left - rects[0].left - indent);
  });
  const size = { cell: +section.dataset.cell, level: +page.style.getPropertyValue('--size'),
    smallest: least('*'), code: least('.code *'), prose: least('p:not(.animation *), li:not(.foot *)'),
    folded: folded.length ? Math.min(...folded) : null,
    loose: page.querySelectorAll('pre:not(:has(.line))').length,
    over: Math.max(page.scrollHeight - page.clientHeight, page.scrollWidth - page.clientWidth) > 1 };
  hidden.forEach((e) => (e.style.display = 'none'));
  return size;
})"""


def cells_of(name):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells


def html_of(output):
    return output.get("data", {}).get("text/html", "")


# ---------------------------------------------------------------- 每一份放一遍


def until(page, condition):
    """等到 condition 成立。页面的策略不许 wait_for_function 反复求值，所以自己等。"""
    pause = "await new Promise((done) => setTimeout(done, 20))"
    wait = f"for (let i = 0; i < 500 && !({condition}); i++) {pause}"
    assert page.evaluate(f"async () => {{ {wait}; return {condition}; }}"), condition


CANVAS = "[Reveal.getConfig().width, Reveal.getConfig().height, Reveal.getScale()]"


def resized(page, width, height):
    """换一种屏幕；返回画布的 [宽, 高, 缩放]。"""
    page.set_viewport_size({"width": width, "height": height})
    until(page, f"Math.abs(Reveal.getConfig().width * Reveal.getScale() - {width}) < 1")
    return page.evaluate(CANVAS)


@pytest.fixture(scope="module")
def tab(made, browser):
    with Opened(browser, made[0] / "index.html") as deck:
        yield deck


@pytest.fixture(scope="module", params=NAMES)
def played(request, deck_path, tab):
    """一份放映的记录：竖着的手机上一路 →；转成投影仪，一路 ←；每种屏幕的画布；请求和控制台的话。"""
    tab.go(deck_path(request.param), size=PHONE)
    until(tab.page, "Reveal.isReady()")
    play = {"name": request.param, "there": tab.page.evaluate(PLAY, False)}
    play["canvas"] = [tab.page.evaluate(CANVAS)]
    play["canvas"] += [resized(tab.page, *size) for size in (OLD_PROJECTOR, PROJECTOR)]
    play["back"] = tab.page.evaluate(PLAY, True)
    play["sizes"] = tab.page.evaluate(SIZES)
    play["told"] = tab.page.evaluate(WALK)  # 又在第一页了，再放一遍
    return play | {"requests": tab.requests, "messages": tab.messages}


def test_every_page_is_reached_by_key_and_left_the_same_way(played):
    there, back = played["there"], played["back"]
    pages = lesson_of(nbformat.from_dict({"cells": cells_of(played["name"])})).shown()
    assert [cell for cell, _ in groupby(there, lambda s: s["cell"])] == pages
    assert [state["place"] for state in back] == [state["place"] for state in there[::-1]]


def test_nothing_leaves_the_page(played):
    """投影仪是 16:9 的画布，旧的 4:3 只是把它缩小；竖着拿的手机是一样竖的画布。"""
    tall, old, wide = played["canvas"]
    assert (wide, old) == ([1280, 720, 1], [1280, 720, 0.8])
    assert tall[0] / tall[1] == pytest.approx(PHONE[0] / PHONE[1], rel=1e-3)
    wrong = {
        f"{screen}，第 {state['cell']} 格": f"内容到 ({state['right']:.0f}, {state['bottom']:.0f})，"
        f"页面是 {width}×{height}"
        for screen, states, (width, height, _) in (
            ("手机", played["there"], tall),
            ("投影", played["back"], wide),
        )
        for state in states
        if state["bottom"] > height - EDGE or state["right"] > width - EDGE
    }
    assert not wrong, f"{played['name']}：从这些格开始的页要改，太高的要拆成两页：{wrong}"


def test_the_text_is_large_enough_for_the_back_row(played):
    """正文 32、代码 26、任何字 20 像素以上；满的页整页小一些，可是正文不小于 24，仍没有一个字小于 20。"""
    wrong = [
        size
        for size in played["sizes"]
        for full in [size["level"] < 32]
        if size["smallest"] < 20
        or size["prose"] < (24 if full else 32)
        or size["code"] < (20 if full else 26)
    ]
    assert not wrong, f"{played['name']}：从这些格开始的页太满，拆成两页：{wrong}"
    full = sum(size["level"] < 32 for size in played["sizes"])
    assert full <= 0.4 * len(played["sizes"]), f"{played['name']}：{full} 页满得要缩小"


def test_every_page_is_fitted_and_code_folds_to_the_right(played):
    """一页放得下；太长的一行代码折下去以后，比它自己的行首更靠右，不会回到第一列。"""
    assert not [size for size in played["sizes"] if size["over"] or size["loose"] or not size["level"]]
    folded = [size["folded"] for size in played["sizes"] if size["folded"] is not None]
    assert min(folded, default=99) > 20
    if played["name"] == "08_multi_head":
        assert folded


def test_the_text_is_large_enough_in_the_hand(played):
    """竖着的手机上，正文不小于 16 像素。"""
    scale = played["canvas"][0][2]
    small = {state["cell"] for state in played["there"] if state["prose"] * scale < 16}
    assert not small, f"{played['name']} 第 {small} 格开始的页"


def test_nothing_is_loaded_and_the_console_is_silent(played):
    assert played["requests"] == [] and played["messages"] == []


def test_an_animation_moves_one_frame_a_key(played):
    """从空的结果开始，→ 一次一帧，同一时刻只看得见一帧；← 一帧一帧退回去。"""
    labels = [
        label
        for cell in cells_of(played["name"])
        if cell.cell_type == "code" and cell.metadata.slideshow.slide_type != "skip"
        for output in cell.outputs
        for label in re.findall(r'class="animation-frame[^>]*aria-label="([^"]*)"', html_of(output))
    ]
    there, back = ([state["frames"] for state in played[way]] for way in ("there", "back"))
    assert [frames for frames, _ in groupby(there) if frames] == [[label] for label in labels]
    assert back == there[::-1]


def test_a_misconception_is_asked_before_it_is_corrected(played):
    """「常见误解」：一开始只有说法；每按一次 → 多一条纠正。"""
    pages = {}
    for state in played["there"]:
        if state["corrected"]:
            pages.setdefault(state["cell"], []).append(state["corrected"])
    assert sum(len(states[0]) for states in pages.values()) >= 3
    for states in pages.values():
        count = len(states[0])
        assert states == [[item < done for item in range(count)] for done in range(count + 1)]


def test_no_answer_is_shown_with_its_question(played):
    """先问，再看；什么算问，什么算答案，见 test_slides_ask.py。"""
    told = played["told"]
    assert not told, f"{played['name']}：答案与问题一起出现。把答案的格设成 fragment 或 subslide：{told}"


# ---------------------------------------------------------------- 讲稿窗口、别人的输出


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
        until(deck.page, "Reveal.getIndices().v === 1")
        deck.quiet()


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

"""幻灯片的事实：在真的浏览器里断网打开每一份，一步一步放映到底。"""

import base64
import html
import io
import re
import shutil
import unicodedata
from collections import Counter
from contextlib import redirect_stdout
from html.parser import HTMLParser

import nbformat
import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.exercises import EXERCISES
from utils.notebooks import NOTEBOOKS, notebook_paths
from utils.pages import fonts
from utils.pages.browser import chromium
from utils.slides.__main__ import main
from utils.slides.notes import split_notes
from utils.tests.packages import uninstall

NAMES = [path.stem for path in notebook_paths()]
SCREENS = {"old": (1024, 768), "phone": (390, 844)}  # 宽屏与 1280×720 是同一张画布
LARGEST_DECK = 2_000_000  # 字节

# 当前这一步：在哪一页、第几个片段；内容的下沿、右沿和最小的字，都按画布上的像素；露在外面的公式源码。
STATE = r"""() => {
  const page = Reveal.getCurrentSlide(), scale = Reveal.getScale(), box = page.getBoundingClientRect();
  const state = { cell: +page.dataset.cell, ...Reveal.getIndices(), bottom: 0, right: 0,
                  smallest: 99, body: 99,
                  last: Reveal.isLastSlide() && !Reveal.availableFragments().next };
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_ELEMENT);
  const hidden = (e) => e.closest('aside.notes') || (e.tagName !== 'math' && e.closest('math'))
    || getComputedStyle(e).visibility === 'hidden';
  for (let e = walker.nextNode(); e; e = walker.nextNode()) {
    if (hidden(e)) continue;
    const rect = e.getBoundingClientRect();
    if (rect.width <= 1 || rect.height <= 1) continue;
    state.bottom = Math.max(state.bottom, (rect.bottom - box.top) / scale);
    state.right = Math.max(state.right, (rect.right - box.left) / scale);
    if (![...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
    const size = parseFloat(getComputedStyle(e).fontSize);
    state.smallest = Math.min(state.smallest, size);
    if (e.matches('p, li, td, th') && !e.closest('.animation')) state.body = Math.min(state.body, size);
  }
  const prose = page.cloneNode(true);
  prose.querySelectorAll('aside, code, pre, math, style, .animation').forEach((e) => e.remove());
  state.raw = (prose.textContent.match(/\$|\\[a-z]+|\*\*/g) || []).join(' ');
  return state;
}"""

# 每个公式里成对的括号：括号的高，和它括住的内容的高。
BRACKETS = """() => [...document.querySelectorAll('math mo')].flatMap((mo) => {
  if (!'()[]{}|‖'.includes(mo.textContent) || mo.getAttribute('stretchy') === 'false') return [];
  const inside = [...mo.parentElement.children].filter((e) => e.matches('mtable, mfrac, mrow'));
  const tallest = Math.max(0, ...inside.map((e) => e.getBoundingClientRect().height));
  const cell = mo.closest('[data-cell]').dataset.cell;
  return tallest ? [[cell, mo.getBoundingClientRect().height, tallest]] : [];
})"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """（放全部幻灯片的文件夹, 退出码, 做的时候说的话）；文件夹的名字里有空格和中文。"""
    folder = tmp_path_factory.mktemp("课程 资料") / "幻灯片 (1)"
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(said):
        status = main(["-o", str(folder)])
    return folder, status, said.buffer.getvalue().decode("utf-8")


@pytest.fixture(scope="module")
def decks(made):
    return made[0]


def needed(path):
    """一份幻灯片。没有做成就跳过：为什么做不成，只由 test_every_deck_is_made 说一次。"""
    if not path.exists():
        pytest.skip(f"{path.name} 没有做成，见 test_every_deck_is_made")
    return path


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


class Page:
    """断网打开的一个网页；requests 是除它自己以外的请求，messages 是控制台和对话框里的话。"""

    def __init__(self, browser, path, query="", size=(1280, 720)):
        viewport = dict(zip(("width", "height"), size, strict=True))
        self.context = browser.new_context(offline=True, viewport=viewport)
        self.own, self.requests, self.messages = needed(path).as_uri(), [], []
        self.context.on("page", self._listen)
        self.page = self.context.new_page()
        self.page.goto(self.own + query)

    def _listen(self, page):
        page.on("request", lambda request: self._note(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: (self.messages.append(f"弹出：{dialog.message}"), dialog.dismiss()))

    def _note(self, url):
        if not url.startswith(("data:", "about:")) and re.split(r"[?#]", url)[0] != self.own:
            self.requests.append(url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def press(self, key):
        self.page.keyboard.press(key)
        return self.state()

    def back(self):
        """按 ←；只问现在在哪里：内容放映的时候已经看过。"""
        self.page.keyboard.press("ArrowLeft")
        return self.page.evaluate("(({ h, v, f }) => [h, v, f])(Reveal.getIndices())")

    def state(self):
        return self.page.evaluate(STATE)

    def play(self):
        """从第一步按 → 放映到最后一步，返回每一步。"""
        states = [self.state()]
        while not states[-1]["last"]:
            states.append(self.press("ArrowRight"))
            assert len(states) < 1000
        return states

    def quiet(self):
        assert self.requests == [] and self.messages == []


def notebook(name):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def slide_type(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def first_cells(name):
    """各页从第几格开始。"""
    return [n for n, cell in enumerate(notebook(name).cells, 1) if slide_type(cell) in ("slide", "subslide")]


def shown_cells(nb):
    return [cell for cell in nb.cells if slide_type(cell) not in ("skip", "notes")]


def test_every_deck_is_made(made):
    """做不成的，说出是哪一本、第几格、为什么；别的检查跳过那一份。"""
    _, status, said = made
    if status:
        pytest.fail(said, pytrace=False)


# ---------------------------------------------------------------- 放映


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_reached_by_key_and_whole(name, decks, browser):
    """每一页都能按 → 走到，按 ← 原路退回；内容不超出页面，字够大，没有露出公式源码；断网也一句话不说。"""
    with Page(browser, decks / f"{name}.slides.html") as deck:
        states = deck.play()
        back = [deck.back() for _ in states[1:]]
        deck.quiet()
    assert back == [[state["h"], state["v"], state.get("f")] for state in states[-2::-1]]
    assert list(dict.fromkeys(state["cell"] for state in states)) == first_cells(name)
    assert_whole(name, states, 720, 1280)
    too_small = {state["cell"] for state in states if state["smallest"] < 18 or state["body"] < 24}
    assert not too_small, f"{name} 第 {too_small} 格开始的页：正文小于 24 像素，或有字小于 18 像素"


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", NAMES)
def test_other_screens_show_the_whole_page_too(name, screen, decks, browser):
    width, height = SCREENS[screen]
    with Page(browser, decks / f"{name}.slides.html", size=(width, height)) as deck:
        canvas = deck.page.evaluate("({ ...Reveal.getConfig() })")
        states = deck.play()
        deck.quiet()
    assert_whole(f"{name}（{screen}）", states, canvas["height"], canvas["width"])


def assert_whole(name, states, height, width):
    wrong = {}
    for state in states:
        if state["bottom"] > height - 16 or state["right"] > width - 16:
            wrong[state["cell"]] = (
                f"内容到 ({state['right']:.0f}, {state['bottom']:.0f})，页面是 {width}×{height}"
            )
        if state["raw"]:
            wrong[state["cell"]] = f"露出源码 {state['raw']}"
    assert not wrong, f"{name}：从这些格开始的页要改，太高的要拆成两页：{wrong}"


@pytest.mark.parametrize("name", ["02_scores", "05_weighted_sum"])
def test_a_animation_moves_one_frame_a_key(name, decks, browser):
    """动画从空的结果开始，→ 一次一帧，九帧以后才到下一页；同一时刻只看得见一帧；← 退回去。"""
    seen = """() => [...document.querySelectorAll('.animation-frame')]
      .filter((e) => getComputedStyle(e).visibility !== 'hidden' && getComputedStyle(e).display !== 'none'
                     && getComputedStyle(e).opacity !== '0')
      .map((e) => e.getAttribute('aria-label'))"""
    frames = ["开始，共 9 步", *(f"第 {step} / 9 步" for step in range(1, 10))]
    with Page(browser, decks / f"{name}.slides.html") as deck:
        page = deck.page
        page.evaluate("""() => {
          const { h, v } = Reveal.getIndices(document.querySelector('.animation').closest('section'));
          Reveal.slide(h, v, -1);
        }""")
        cell = deck.state()["cell"]
        for step, frame in enumerate(frames):
            assert page.evaluate(seen) == [frame], f"第 {step} 步"
            after = deck.press("ArrowRight")
        assert after["cell"] != cell
        for frame in reversed(frames):
            assert deck.press("ArrowLeft")["cell"] == cell
            assert page.evaluate(seen) == [frame]
        deck.quiet()


@pytest.mark.parametrize("name", NAMES)
def test_a_misconception_is_asked_before_it_is_corrected(name, decks, browser):
    """「常见误解」：一开始只有说法；每按一次 → 多一条纠正。"""
    seen = """() => [...Reveal.getCurrentSlide().querySelectorAll('li')].map((item) =>
      [...item.children].map((e) => getComputedStyle(e).visibility))"""
    with Page(browser, decks / f"{name}.slides.html") as deck:
        deck.page.evaluate("""() => {
          const heading = [...document.querySelectorAll('h2')].find((e) => e.textContent === '常见误解');
          const { h, v } = Reveal.getIndices(heading.closest('section'));
          Reveal.slide(h, v, -1);
        }""")
        items = deck.page.evaluate(seen)
        shown = [item.count("hidden") == 0 for item in items]
        assert len(items) >= 3 and shown == [False] * len(items)
        for number in range(1, len(items)):
            deck.press("ArrowRight")
            shown = [item.count("hidden") == 0 for item in deck.page.evaluate(seen)]
            assert shown == [True] * number + [False] * (len(items) - number)


def test_speaker_view_shows_notes_and_moves_the_deck(decks, browser):
    """S 打开讲稿窗口：这一节的讲稿、当前页和下一页；窗口里按 → 也推进放映；没有网络，没有报错。"""
    notes = split_notes(notebook("02_scores").cells[0].source)[1]
    with Page(browser, decks / "02_scores.slides.html") as deck:
        with deck.page.expect_popup() as popup:
            deck.page.keyboard.press("s")
        view = popup.value
        view.locator(".speaker-controls-notes .value").filter(has_text="会答错").wait_for()
        assert view.evaluate("document.documentElement.lang") == "zh"
        shown = view.locator(".speaker-controls-notes .value").inner_text()
        assert "".join(shown.split()) == "".join(notes.text.split())
        for frame in ("#current-slide iframe", "#upcoming-slide iframe"):
            view.frame_locator(frame).locator("section.present h1, section.present h2").first.wait_for()
        view.locator(".pacing-title").wait_for()  # 写了分钟，才有倒计时
        words = view.evaluate("document.body.innerText")
        assert not re.findall(r"\b(?:Upcoming|Notes|Time|Click|Pacing|Layout|Default)\b", words)
        view.locator("body").press("ArrowRight")
        deck.page.wait_for_timeout(500)  # 两个窗口之间传话
        assert deck.state()["v"] == 1
        deck.quiet()


@pytest.mark.parametrize("name", NAMES)
def test_print_view_is_one_sheet_a_page(name, decks, browser):
    """?print-pdf：一页一张纸；公式的括号随内容长高；无障碍检查没有一处不合。"""
    from axe_playwright_python.sync_playwright import Axe

    with Page(browser, decks / f"{name}.slides.html", "?print-pdf") as deck:
        deck.page.locator("html.reveal-print .pdf-page").first.wait_for()
        deck.page.wait_for_timeout(300)
        pdf = deck.page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == len(first_cells(name))
        short = [
            (cell, ours, inside) for cell, ours, inside in deck.page.evaluate(BRACKETS) if ours < 0.9 * inside
        ]
        assert not short, f"{name}：括号没有长到内容那么高（格, 括号, 内容）：{short}"
        assert system_fonts(deck.page) == set()
        violations = Axe().run(deck.page).response["violations"]
        assert [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in violations] == []
        deck.quiet()


def system_fonts(page):
    """公式里的字母、数字和符号（汉字除外）实际用到的、不是页面自带的字体。"""
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    selector = {"nodeId": root, "selector": "mi, mn, mo, msqrt"}
    nodes = session.send("DOM.querySelectorAll", selector)["nodeIds"]
    used = [session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    assert any(used)
    return {font["familyName"] for fonts in used for font in fonts if not font["isCustomFont"]}


def test_course_map_leads_to_every_deck(decks, browser):
    from axe_playwright_python.sync_playwright import Axe

    with Page(browser, decks / "index.html") as index:
        links = index.page.locator("h2 a").evaluate_all("links => links.map((a) => a.href)")
        assert links == [path.as_uri() for name in NAMES if (path := decks / f"{name}.slides.html").exists()]
        assert [v["id"] for v in Axe().run(index.page).response["violations"]] == []
        index.quiet()


# ---------------------------------------------------------------- 文件本身


class Texts(HTMLParser):
    """标题的级别、图的替代文字、引用的地址，和不在脚本、样式里的文字。"""

    def __init__(self):
        super().__init__()
        self.headings, self.alts, self.addresses, self.texts, self.styles = [], [], [], [], []
        self.inside = None  # script 或 style

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "img":
            self.alts.append(attributes.get("alt"))
        if tag != "a":
            self.addresses += [
                attributes[key] for key in ("src", "href", "srcset", "data") if key in attributes
            ]
        self.inside = tag if tag in ("script", "style") else self.inside

    def handle_endtag(self, tag):
        self.inside = None if tag == self.inside else self.inside

    def handle_data(self, data):
        if self.inside != "script":
            (self.styles if self.inside else self.texts).append(data)


@pytest.fixture(scope="module", params=NAMES)
def parsed(request, decks):
    """（名字, 文件内容, 解析结果）"""
    content = needed(decks / f"{request.param}.slides.html").read_text(encoding="utf-8")
    parser = Texts()
    parser.feed(content)
    return request.param, content, parser


def test_a_deck_is_one_small_file_with_no_address_in_it(parsed):
    _, content, parser = parsed
    assert len(content.encode("utf-8")) <= LARGEST_DECK
    assert [address[:60] for address in parser.addresses if not address.startswith("data:")] == []
    assert re.findall(r"@import|url\((?!\"?data:)[^)]{0,60}", "".join(parser.styles)) == []
    assert '<html lang="zh">' in content


def test_every_picture_speaks_its_description(parsed):
    name, _, parser = parsed
    descriptions = [
        output.data["text/plain"]
        for cell in shown_cells(notebook(name))
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert parser.alts == descriptions


def test_headings_go_down_one_level_at_a_time(parsed):
    _, _, parser = parsed
    assert parser.headings[0] == 1 and parser.headings.count(1) == 1
    assert all(
        after <= before + 1 for before, after in zip(parser.headings, parser.headings[1:], strict=False)
    )


def test_the_embedded_fonts_draw_every_character(parsed):
    """没有一个字要靠电脑上装的字体：每个看得见的字都在嵌入的字体里，而文字的字体里也没有多余的字。"""
    _, content, parser = parsed
    fonts = {
        family: TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap().keys()
        for family, data in re.findall(r'font-family: "(Course \w+)".*?base64,([^"]+)"', content)
    }
    seen = {ord(c) for c in "".join(parser.texts) if c.isprintable() and unicodedata.category(c) != "Mn"}
    assert {chr(code) for code in seen - set().union(*fonts.values())} == set()
    assert {chr(code) for code in fonts["Course Sans"] - set(map(ord, html.unescape(content)))} == set()


def squeeze(text):
    """去掉空白和 Markdown 的记号，好在排过版的文字里找一句话。"""
    return re.sub(r"[\s*`$]", "", text)


def test_no_deck_contains_a_solution(parsed):
    """练习的答案和为什么，不在任何一页、任何一处讲稿里。"""
    name, _, parser = parsed
    text = squeeze("".join(parser.texts))
    exercises = [exercise for exercise in EXERCISES.values() if exercise.notebook == name]
    assert exercises
    assert [exercise.id for exercise in exercises if squeeze(exercise.why) in text] == []
    coded = [exercise for exercise in exercises if exercise.kind in ("step", "bug")]
    assert [exercise.id for exercise in coded if squeeze(exercise.solution) in text] == []


def test_every_formula_is_mathml(parsed):
    name, content, _ = parsed
    nb = notebook(name)
    outputs = sum(
        "text/latex" in o.get("data", {}) for cell in shown_cells(nb) for o in cell.get("outputs", [])
    )
    assert content.count("<math") >= outputs
    assert "merror" not in content


# ---------------------------------------------------------------- 做的时候


def build(tmp_path, *cells, name="99_try"):
    path = tmp_path / f"{name}.ipynb"
    nbformat.write(new_notebook(cells=list(cells)), path)
    return main([str(path), "-o", str(tmp_path / "out")]), tmp_path / "out" / f"{name}.slides.html"


def code(source, *outputs):
    return new_code_cell(
        source, execution_count=1, outputs=list(outputs), metadata={"slideshow": {"slide_type": "-"}}
    )


def text_slide(source):
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": "slide"}})


NASTY = "<script>alert(1)</script> $x_1$ a & b &amp; ]]> \\frac{1}{2} <b>粗</b> ' \" 🐱"


def test_output_text_comes_out_as_text(tmp_path, browser):
    """输出、图的描述、代码里的标签、公式记号和转义都原样看得见，不会执行，也不会变成公式。"""
    png = base64.b64encode((NOTEBOOKS.parent / ".github" / "pipeline.png").read_bytes()).decode("ascii")
    picture = {"image/png": png, "text/plain": NASTY}
    _, path = build(
        tmp_path,
        text_slide("# 试一试\n\n一段话。"),
        code(repr(NASTY), new_output("stream", name="stdout", text=NASTY)),
        code("值", new_output("execute_result", data={"text/plain": NASTY}, execution_count=1)),
        code("图", new_output("display_data", data=picture)),
    )
    with Page(browser, path) as deck:
        outputs = deck.page.locator(".output pre").all_inner_texts()
        assert outputs == [NASTY, NASTY]
        assert deck.page.locator("img").get_attribute("alt") == NASTY
        assert deck.page.locator(".code").first.inner_text().strip() == repr(NASTY)
        deck.quiet()


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


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "out").write_text("这是一个文件", encoding="utf-8")
    path = tmp_path / "01_projection.ipynb"
    shutil.copy(NOTEBOOKS / path.name, path)
    assert main([str(path), "-o", str(tmp_path / "out")]) == 1
    assert "写不进" in capsys.readouterr().out


@pytest.mark.parametrize("package", ["fontTools", "math_core", "sphinx-revealjs", "ziamath"])
def test_a_missing_package_is_named_with_the_way_out(package, tmp_path, monkeypatch, capsys):
    uninstall(package, ("utils.slides", "utils.pages"), monkeypatch)
    assert main([str(NOTEBOOKS / "01_projection.ipynb"), "-o", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().out.strip()
    assert said.startswith(f"缺少软件包 {package}") and "python -m utils slides" in said and "\n" not in said
    assert not (tmp_path / "out").exists()


def test_a_deck_made_alone_joins_the_others_in_the_course_map(tmp_path):
    """只做一本；目录里早先做好的也在，页数、分钟数没有变。做不成的一份，留着的还是旧的，也在。"""
    notes = "<!-- 讲稿 · {} 分钟\n问：是几？\n-->"
    build(tmp_path, text_slide("# 后\n\n" + notes.format(7)), text_slide("## 二"), name="99_try")
    build(tmp_path, text_slide("# 前\n\n" + notes.format(5)), name="98_try")
    status, path = build(tmp_path, text_slide("# 后\n\n<!-- 讲稿 -->"), name="99_try")
    assert status == 1
    build(tmp_path, text_slide("# 前\n\n" + notes.format(5)), name="98_try")
    listed = (path.parent / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'class="size">(.+?) · <a href="(.+?)\?', listed) == [
        ("1 页 · 5 分钟", "98_try.slides.html"),
        ("2 页 · 7 分钟", "99_try.slides.html"),
    ]


def test_a_formula_and_a_sign_in_a_title_come_back_into_the_course_map(tmp_path):
    _, path = build(tmp_path, text_slide("# 猫 & 鱼 $x_1$\n\n话"))
    listed = (path.parent / "index.html").read_text(encoding="utf-8")
    assert '<h2><a href="99_try.slides.html">猫 &amp; 鱼 <math' in listed and "$" not in listed


def test_the_same_notebook_gives_the_same_bytes(decks, tmp_path):
    name = "01_projection"
    first = needed(decks / f"{name}.slides.html").read_bytes()
    main([name, "-o", str(tmp_path)])
    assert (tmp_path / f"{name}.slides.html").read_bytes() == first


def test_stock_nbconvert_still_makes_slides(name="02_scores"):
    """有网络的人照样可以用 jupyter nbconvert --to slides：每一格都在，讲稿不出现在正文里。"""
    from nbconvert.exporters import SlidesExporter

    page, _ = SlidesExporter().from_filename(str(NOTEBOOKS / f"{name}.ipynb"))
    cells = Counter(
        "code" if cell.cell_type == "code" else "markdown" for cell in shown_cells(notebook(name))
    )
    assert page.count('class="jp-Cell jp-CodeCell') == cells["code"]
    assert page.count('class="jp-Cell jp-MarkdownCell') == cells["markdown"]
    parser = Texts()
    parser.feed(page)
    assert "会答错" not in "".join(parser.texts)


def test_a_font_does_not_remember_when_it_was_cut():
    """抽出的字体里写着原来的修改时刻，不写现在的：同一本笔记总是做成同样的文件。"""
    [data] = re.findall(r"base64,([^\"]+)", fonts.font_faces("<p>猫</p>"))
    cut = TTFont(io.BytesIO(base64.b64decode(data)), recalcTimestamp=False)
    with fonts._open(fonts.TEXT_FONT) as whole:
        assert cut["head"].modified == whole["head"].modified

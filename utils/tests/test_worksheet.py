"""练习纸：每个数对，空格都空，一页 A4，不联网。"""

import base64
import io
import json
import math
import re
import shutil
import sys
from collections import defaultdict
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from fontTools.ttLib import TTFont

from utils import examples
from utils.pages import shell
from utils.pages.browser import chromium
from utils.tests.packages import uninstall
from utils.worksheet import __main__ as command
from utils.worksheet import build as sheets_made

STEPS = ["01_projection", "02_scores", "03_scaling", "04_softmax", "05_weighted_sum"]
MILLIMETRE = 96 / 25.4  # 打印时一毫米是多少 CSS 像素
VOID = {"meta", "br", "link", "img", "input", "hr"}


# ---------------------------------------------------------------- 读一页


class Sheet(HTMLParser):
    """一页里的数。

    values : {id: [文字]}，按次序；一项是 id 那个元素里的一个空格，或给出的矩阵的一格
    boxes : {id: 空格的个数}；text : {id: 全部文字}；tags : 用到的元素；attributes : [(元素, 属性, 值)]
    """

    def __init__(self, html):
        super().__init__()
        self.values, self.boxes, self.text = defaultdict(list), defaultdict(int), defaultdict(str)
        self.tags, self.attributes, self.styles = set(), [], ""
        self._open = []  # (元素, id, 是不是一格)
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        classes = (attrs.get("class") or "").split()
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs.items()]
        if tag in VOID:
            return
        cell = "box" in classes or (tag == "td" and "gap" not in classes)
        self._open.append((tag, attrs.get("id"), cell))
        if cell:
            self.values[self._id()].append("")
            self.boxes[self._id()] += "box" in classes

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self._open.pop()[0] == tag, f"元素没有成对：{tag}"

    def handle_data(self, data):
        if self._open and self._open[-1][0] == "style":
            self.styles += data
        elif self._open:
            self.text[self._id()] += data
            if any(cell for *_, cell in self._open):
                self.values[self._id()][-1] += data.strip()

    def _id(self):
        return next((id for _, id, _ in reversed(self._open) if id), None)


# ---------------------------------------------------------------- 独立的算法：分数和循环


def read(name, folder=examples.DATA):
    content = (folder / name).read_text(encoding="utf-8")
    return json.loads(content, parse_float=Fraction, parse_int=Fraction)


def multiply(A, B):
    return [[sum(row[m] * B[m][j] for m in range(len(B))) for j in range(len(B[0]))] for row in A]


def half_up(x, places):
    return Fraction(math.floor(x * 10**places + Fraction(1, 2)), 10**places)


def show(x, places=None):
    """写出来的样子：固定位数；不给 places 就最多 4 位，去掉末尾的 0。"""
    digits = 4 if places is None else places
    whole = math.floor(abs(x) * 10**digits + Fraction(1, 2))
    text = f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"
    if places is None:
        text = text.rstrip("0").rstrip(".")
    return ("−" if x < 0 and whole else "") + text


def flat(M, places=None):
    return [show(x, places) for row in M for x in row]


def dotted(left, right, places=None):
    """写开的点积里的每个空格：因数、积、和。"""
    factors = [show(x) for pair in zip(left, right, strict=True) for x in pair]
    products = [a * b for a, b in zip(left, right, strict=True)]
    return [*factors, *map(show, products), show(sum(products), places)]


def five_steps(data):
    steps = {name: multiply(data["X"], data[f"W_{name}"]) for name in "QKV"}
    steps["scores"] = multiply(steps["Q"], list(zip(*steps["K"], strict=True)))
    root = Fraction(math.sqrt(len(steps["Q"][0])))
    steps["scaled"] = [[x / root for x in row] for row in steps["scores"]]
    powers = [[Fraction(math.exp(x)) for x in row] for row in steps["scaled"]]
    steps["sums"] = [sum(row) for row in powers]
    steps["weights"] = [[x / sum(row) for x in row] for row in powers]
    steps["output"] = multiply(steps["weights"], steps["V"])
    return steps


def by_pencil(scaled):
    """用表里的 4 位小数算的 softmax：exp、和、两位小数的权重。"""
    powers = [[half_up(Fraction(math.exp(x)), 4) for x in row] for row in scaled]
    weights = [[half_up(x / sum(row), 2) for x in row] for row in powers]
    return powers, weights


def with_totals(M, places):
    return [text for row in M for text in [*(show(x, places) for x in row), show(sum(row), places)]]


def expected(folder=examples.DATA):
    """每一页、每个 id 里应有的数。"""
    me, cat = read("wo_ai_ni.json", folder), read("mao_chi_yu.json", folder)
    a, b = five_steps(me), five_steps(cat)
    powers, weights = by_pencil(a["scaled"])
    cat_powers, cat_weights = by_pencil(b["scaled"][1:2])
    rounded = [[half_up(x, 2) for x in row] for row in a["weights"]]
    cat_rounded = [[half_up(x, 2) for x in b["weights"][1]]]
    lookup = sorted({x for row in [*a["scaled"], b["scaled"][1]] for x in row})
    sizes = [(len(s["X"]), len(s["X"][0]), len(s["W_Q"][0]), len(s["W_V"][0])) for s in (me, cat)]
    return {
        "01_projection": {
            **{name: flat(me[name]) for name in ("X", "W_Q", "W_K", "W_V")},
            "shape": [str(len(a["Q"])), str(len(a["Q"][0]))],
            "work": dotted(me["X"][0], [row[-1] for row in me["W_Q"]]),
            **{name: flat(a[name]) for name in "QKV"},
            "parameter-sums": [show(sum(row)) for row in me["W_Q"]],
            "row-sums": [show(sum(row)) for row in a["Q"]],
        },
        "02_scores": {
            "Q": flat(a["Q"]),
            "K": flat(a["K"]),
            "shape": [str(len(a["scores"])), str(len(a["scores"][0]))],
            "work": dotted(a["Q"][0], a["K"][1]),
            "scores": flat(a["scores"]),
            "key-sums": [show(sum(column)) for column in zip(*a["K"], strict=True)],
            "row-sums": [show(sum(row)) for row in a["scores"]],
            "cat-Q": flat(b["Q"]),
            "cat-K": flat(b["K"]),
            "cat-work": dotted(b["Q"][1], b["K"][0]),
            "cat-scores": flat(b["scores"][1:2]),
        },
        "03_scaling": {
            prefix + id: value
            for prefix, s, size in (("", a, sizes[0]), ("cat-", b, sizes[1]))
            for id, value in {
                "scores": flat(s["scores"]),
                "sizes": [str(number) for number in size],
                "division": [
                    show(s["scores"][0][0]),
                    show(Fraction(math.sqrt(size[2]))),
                    show(s["scaled"][0][0]),
                ],
                "scaled": flat(s["scaled"]),
            }.items()
        },
        "04_softmax": {
            "lookup": [*map(show, lookup), *(show(Fraction(math.exp(x)), 4) for x in lookup)],
            "scaled": flat(a["scaled"]),
            "exp": with_totals(powers, 4),
            "division": [show(powers[0][0], 4), show(sum(powers[0]), 4), show(weights[0][0], 2)],
            "weights": with_totals(weights, 2),
            "cat-scaled": flat(b["scaled"][1:2]),
            "cat-exp": with_totals(cat_powers, 4),
            "cat-weights": with_totals(cat_weights, 2),
        },
        "05_weighted_sum": {
            "weights": flat(rounded, 2),
            "V": flat(a["V"]),
            "shape": [str(len(a["output"])), str(len(a["output"][0]))],
            "work": dotted(rounded[0], [row[0] for row in a["V"]], 2),
            "output": flat(multiply(rounded, a["V"]), 2),
            "smallest": [show(min(column)) for column in zip(*a["V"], strict=True)],
            "largest": [show(max(column)) for column in zip(*a["V"], strict=True)],
            "cat-weights": flat(cat_rounded, 2),
            "cat-V": flat(b["V"]),
            "cat-output": flat(multiply(cat_rounded, b["V"]), 2),
            "cat-work": dotted(cat_rounded[0], [row[0] for row in b["V"]], 2),
        },
    }


def numbers_in(text):
    return re.findall(r"−?\d+(?:\.\d+)?", text)


# ---------------------------------------------------------------- 数


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """命令做出的全部文件：从别的文件夹里、在 GBK 终端里运行。"""
    folder = tmp_path_factory.mktemp("课程 资料") / "印" / "ᵀ"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder.parent.parent)
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="gbk"))
        assert command.main(["-o", str(folder)]) == 0
        sys.stdout.flush()
        said = sys.stdout.buffer.getvalue().decode("gbk").split()
    assert said == [*(step + kind for step in STEPS for kind in KINDS), "index.html"]
    return folder


KINDS = (".worksheet.html", ".answers.html")
PAGES = [step + kind for step in STEPS for kind in KINDS]


@pytest.fixture(scope="module")
def sheets(folder):
    return {path.name: Sheet(path.read_text(encoding="utf-8")) for path in folder.glob("*.html")}


@pytest.mark.parametrize("step", STEPS)
def test_every_given_number_and_every_answer_is_what_fractions_and_loops_give(sheets, step):
    assert dict(sheets[step + ".answers.html"].values) == expected()[step]


@pytest.mark.parametrize("step", STEPS)
def test_the_worksheet_gives_the_same_numbers_and_leaves_every_box_empty(sheets, step):
    blank, answers = (sheets[step + kind] for kind in KINDS)
    assert blank.boxes == answers.boxes and sum(blank.boxes.values()) >= 20
    for id, values in expected()[step].items():
        boxes = blank.boxes[id]
        assert boxes in (0, len(values))
        assert blank.values[id] == ([""] * len(values) if boxes else values)
    assert not {"python", "cat-python", "there-and-back", "one-hot", "mean"} & set(blank.text)


def test_the_answers_say_what_python_gives_without_rounding(sheets):
    a, b = five_steps(read("wo_ai_ni.json")), five_steps(read("mao_chi_yu.json"))
    softmax, mixing = sheets["04_softmax.answers.html"].text, sheets["05_weighted_sum.answers.html"].text
    rows = zip(a["sums"], a["weights"], strict=True)
    assert numbers_in(softmax["python"]) == [show(x, 4) for total, row in rows for x in (total, *row)]
    assert numbers_in(softmax["cat-python"]) == [show(x, 4) for x in (b["sums"][1], *b["weights"][1])]
    assert numbers_in(mixing["python"]) == flat(a["output"])
    assert numbers_in(mixing["cat-python"]) == flat(b["output"][1:2])


def test_the_numbers_in_the_thoughts_and_the_roots_are_right(sheets):
    a, b = five_steps(read("wo_ai_ni.json")), five_steps(read("mao_chi_yu.json"))
    mixing = sheets["05_weighted_sum.answers.html"].text
    assert numbers_in(mixing["one-hot"]) == [show(x) for x in a["V"][1]]
    assert numbers_in(mixing["mean"]) == [show(sum(c) / len(c)) for c in zip(*a["V"], strict=True)]
    there_and_back = sheets["02_scores.answers.html"].text["there-and-back"]
    assert numbers_in(there_and_back) == [show(b["scores"][0][-1]), show(b["scores"][-1][0])]
    roots = numbers_in(sheets["03_scaling.worksheet.html"].text["roots"])
    assert roots == [text for s in (2, 3, 4, 8) for text in (str(s), show(Fraction(math.sqrt(s))))]


@pytest.fixture
def other_data(tmp_path, monkeypatch):
    """一份可以改的 data/；返回改它的函数。这里只看数和文字，不必抽取字体。"""
    folder = tmp_path / "data"
    monkeypatch.setattr(shell, "font_faces", lambda body: "")
    shutil.copytree(examples.DATA, folder)
    monkeypatch.setattr(examples, "DATA", folder)

    def change(name, **fields):
        content = json.loads((folder / name).read_text(encoding="utf-8")) | fields
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        return folder

    return change


@pytest.mark.parametrize("step", STEPS)
def test_a_changed_number_in_data_changes_the_sheets(other_data, step):
    folder = other_data("wo_ai_ni.json", X=[[1, 0, 1, 0], [0, -1, 0, 1], [1, 1, 0, 0.5]])
    found = dict(Sheet(sheets_made.render(step, answers=True)).values)
    assert found == expected(folder)[step] != expected()[step]


# ---------------------------------------------------------------- 文件


@pytest.mark.parametrize("name", [*PAGES, "index.html"])
def test_no_page_has_a_script_or_loads_anything(sheets, folder, name):
    sheet = sheets[name]
    assert not sheet.tags & {"script", "img", "link", "iframe", "object", "embed"}
    loading = [item for item in sheet.attributes if item[1] in ("src", "srcset", "href", "style", "onclick")]
    assert all(tag == "a" and (folder / value).is_file() for tag, _, value in loading)
    policy = next(value for tag, key, value in sheet.attributes if tag == "meta" and "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; font-src data:;")
    assert ("html", "lang", "zh") in sheet.attributes
    addresses = re.findall(r"url\(.{5}|@import|https?:", sheet.styles)
    assert addresses and set(addresses) == {'url("data'}


def test_the_index_links_every_page(sheets):
    links = [value for tag, key, value in sheets["index.html"].attributes if key == "href"]
    assert sorted(links) == sorted(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_every_character_drawn_is_in_an_embedded_font(sheets, name):
    """数学斜体和根号由浏览器换上，页面的文字里没有，也要在字体里。"""
    fonts = {}
    for family, data in re.findall(r'font-family: "(.+?)";.*?base64,(.+?)"', sheets[name].styles):
        fonts[family] = set(TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap())
    text = {ord(character) for part in sheets[name].text.values() for character in part if character > " "}
    assert not text - fonts["Course Sans"] - fonts["Course Math"]
    assert "√" in map(chr, fonts["Course Math"])
    if name.startswith("01"):
        assert {"𝑄", "𝑋", "𝑊", "𝐾", "𝑉"} <= set(map(chr, fonts["Course Math"]))


@pytest.mark.parametrize("step", STEPS)
def test_token_text_comes_out_as_text(other_data, step):
    tokens = ["<script>", "&lt;", "$x$"]
    other_data("wo_ai_ni.json", tokens=tokens)
    other_data("mao_chi_yu.json", tokens=tokens, V_columns=["<b>", "]]>"])
    sheet = Sheet(sheets_made.render(step, answers=True))
    text = "".join(sheet.text.values())
    assert all(token in text for token in tokens) and not sheet.tags & {"script"}


# ---------------------------------------------------------------- 命令


def test_only_the_steps_asked_for_are_built_and_linked(tmp_path, capsys):
    assert command.main(["-o", str(tmp_path), "02_scores"]) == 0
    names = {"02_scores.worksheet.html", "02_scores.answers.html", "index.html"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert set(capsys.readouterr().out.split()) == names
    index = Sheet((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert {value for _, key, value in index.attributes if key == "href"} == names - {"index.html"}


def test_an_unknown_step_is_answered_with_the_list(tmp_path, capsys):
    assert command.main(["-o", str(tmp_path), "02_scores", "07_masks"]) == 2
    said = capsys.readouterr().out
    assert "没有步骤 07_masks" in said and all(step in said for step in STEPS)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "taken").write_bytes(b"")
    assert command.main(["-o", str(tmp_path / "taken")]) == 1
    assert f"写不进 {tmp_path / 'taken'}" in capsys.readouterr().out


def test_broken_data_stops_the_command_and_leaves_the_old_page(tmp_path, other_data, capsys):
    (tmp_path / "02_scores.worksheet.html").write_bytes(b"old")
    other_data("wo_ai_ni.json", X=[[1, 2]])
    assert command.main(["-o", str(tmp_path), "02_scores"]) == 1
    assert "wo_ai_ni.json" in capsys.readouterr().out
    assert (tmp_path / "02_scores.worksheet.html").read_bytes() == b"old"


@pytest.mark.parametrize("package", ["fontTools", "math_core", "ziamath"])
def test_a_missing_package_is_named_with_the_way_out(tmp_path, package, monkeypatch, capsys):
    uninstall(package, ("utils.worksheet.", "utils.pages"), monkeypatch)
    assert command.main(["-o", str(tmp_path), "02_scores"]) == 1
    said = capsys.readouterr().out.strip()
    assert said.startswith(f"缺少软件包 {package}：请用 python -m utils worksheet 代替") and "\n" not in said
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- 真的浏览器


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def printed(browser, folder):
    """每一页：(PDF, 排版量出来的东西, 请求过的地址, 控制台的消息)。"""
    result = {}
    for name in PAGES:
        page = browser.new_page()
        asked, said = [], []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.goto((folder / name).as_uri())
        page.emulate_media(media="print")
        result[name] = page.pdf(prefer_css_page_size=True), page.evaluate(MEASURE), asked, said
        page.close()
    return result


MEASURE = """() => {
  const main = document.querySelector("main"), edge = main.getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".box")].map(box => {
    const {width, height} = box.getBoundingClientRect(), answer = box.firstElementChild;
    return {width, height, answer: answer ? answer.getBoundingClientRect().width : 0};
  });
  const outside = [...main.querySelectorAll("*")].filter(element => {
    const {left, right, bottom} = element.getBoundingClientRect();
    return left < edge.left - 1 || right > edge.right + 1 || bottom > edge.bottom + 1;
  }).map(element => element.outerHTML.slice(0, 80));
  main.style.height = "auto";
  return {boxes, outside, width: edge.width, height: edge.height, needed: main.scrollHeight};
}"""


@pytest.mark.parametrize("name", PAGES)
def test_it_prints_on_exactly_one_a4_page_in_portrait(printed, name):
    pdf = printed[name][0]
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    (box,) = re.findall(rb"/MediaBox\s*\[([^\]]*)\]", pdf)
    assert [round(float(x)) for x in box.split()] in ([0, 0, 595, 842], [0, 0, 594, 841], [0, 0, 596, 842])


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_the_page_and_there_is_room_to_spare(printed, name):
    """另一套中文字体可能宽一点、高一点，所以高度要有余量。"""
    layout = printed[name][1]
    assert layout["outside"] == [] and layout["needed"] <= 0.92 * layout["height"]
    assert layout["width"] <= 186.1 * MILLIMETRE and layout["height"] <= 273 * MILLIMETRE


@pytest.mark.parametrize("name", PAGES)
def test_every_box_is_large_enough_for_handwriting_and_holds_its_answer(printed, name):
    boxes = printed[name][1]["boxes"]
    assert boxes and all(box["width"] >= 14 * MILLIMETRE for box in boxes)
    assert all(box["height"] >= 9 * MILLIMETRE for box in boxes)
    assert all(box["answer"] <= box["width"] for box in boxes)


@pytest.mark.parametrize("name", PAGES)
def test_it_asks_for_nothing_but_itself_and_says_nothing(printed, folder, name):
    _, _, asked, said = printed[name]
    others = [url for url in asked if not url.startswith("data:font/woff;")]
    assert others == [(folder / name).as_uri()] and said == []

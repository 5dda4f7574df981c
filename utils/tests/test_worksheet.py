"""练习纸：每一份的每个数都对，空格都空，一份一页 A4，不联网。"""

import io
import json
import re
import shutil
import sys
from collections import defaultdict
from fractions import Fraction
from functools import cache
from urllib.parse import unquote

import pytest

from utils import examples
from utils.notebooks import notebook_paths
from utils.pages import shell
from utils.tests.conftest import made_once
from utils.tests.html_page import addresses, embedded_fonts, read_html
from utils.tests.pencil import as_data, five_steps, flat, show
from utils.tests.pencil_others import expected_page
from utils.worksheet import __main__ as command
from utils.worksheet import paper
from utils.worksheet.build import VERSIONS, render_sheets
from utils.worksheet.sheets import SHEETS, TEMPLATES
from utils.worksheet.variation import vary

KINDS = (".worksheet.html", ".answers.html")
PAGES = [step + kind for step in SHEETS for kind in KINDS]
STUDENTS = ["张伟 07", "欧阳修远", "买买提·阿不都热合曼·努尔艾力", "Ann"]
CLASS_PAGES = [f"{step}.初一(3)班{kind}" for step in SHEETS for kind in KINDS]


def versions(step):
    """A、B 两份的例句和数；先 A 后 B，B 与 A 不同。"""
    first, _ = vary(SHEETS[step], "版本 A")
    return [first, vary(SHEETS[step], "版本 B", [first])[0]]


@cache
def copies(step):
    """一本印的每一份，[(文件名里多写的, 第几页, 例句和数)]。"""
    made = [("", i, version) for i, version in enumerate(versions(step))]
    students = [vary(SHEETS[step], f"学生 {student}")[0] for student in STUDENTS]
    return made + [(".初一(3)班", i, version) for i, version in enumerate(students)]


def expected(step, version):
    me, cat = as_data(version.me), as_data(version.cat)
    return expected_page(step, me, cat, version.chosen)


def values_of(page):
    """一页里的数，{data-part: [文字]}，按次序：一项是那个元素里的一个空格，或给出的矩阵的一格。"""
    values = defaultdict(list)
    for element in page.find():
        if "box" in element.classes or (element.tag == "td" and "gap" not in element.classes):
            values[part_around(element)].append(element.text.strip())
    return dict(values)


def part_around(element):
    return next(
        outer.attributes["data-part"] for outer in element.ancestors() if "data-part" in outer.attributes
    )


def print_all(folder):
    """命令做出的全部文件：从别的文件夹里、在 GBK 终端里运行；先印 A、B，再印一个班的。"""
    roster = folder.parent / "初一(3)班.txt"
    roster.write_bytes("\r\n".join(STUDENTS).encode("gbk"))
    for names, arguments in ((PAGES, []), (CLASS_PAGES, ["--for", roster.name])):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(roster.parent)
            patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="gbk"))
            assert command.main(["-o", str(folder), *arguments]) == 0
            sys.stdout.flush()
            said = sys.stdout.buffer.getvalue().decode("gbk").split()
        assert [line for line in said if line.endswith("html")] == [*names, "index.html"]
    return 0


def numbers_in(page, part):
    [element] = page.find(**{"data-part": part})
    return re.findall(r"−?\d+(?:\.\d+)?", element.text)


# ---------------------------------------------------------------- 数


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, status, _ = made_once(tmp_path_factory, "练习纸", print_all)
    assert status == 0
    return folder


@pytest.fixture(scope="module")
def sheets(folder):
    return {path.name: read_html(path.read_text(encoding="utf-8")) for path in folder.glob("*.html")}


def test_every_file_of_numbers_is_a_worksheet_of_a_notebook():
    files = {path.stem for path in TEMPLATES.parent.glob("sheets/[a-z]*.py")}
    assert {step.partition("_")[2] for step in SHEETS} == files
    assert set(SHEETS) <= {path.stem for path in notebook_paths()}


@pytest.mark.parametrize("step", SHEETS)
def test_every_given_number_and_every_answer_is_what_fractions_and_loops_give(sheets, step):
    for middle, i, version in copies(step):
        page = sheets[f"{step}{middle}.answers.html"].find(has="sheet")[i]
        assert values_of(page) == expected(step, version), f"{middle}第 {i + 1} 页"


@pytest.mark.parametrize("step", SHEETS)
def test_the_worksheet_gives_the_same_numbers_and_leaves_every_box_empty(sheets, step):
    for middle, i, version in copies(step):
        blank, answers = (sheets[f"{step}{middle}{kind}"].find(has="sheet")[i] for kind in KINDS)
        boxes = [[part_around(box) for box in page.find(has="box")] for page in (blank, answers)]
        assert boxes[0] == boxes[1] and len(boxes[0]) >= 20
        wanted = {id: [""] * len(v) if id in boxes[0] else v for id, v in expected(step, version).items()}
        assert values_of(blank) == wanted
        assert answers.find(has="answered") and not blank.find(has="answered")
        assert not blank.find(has="answer") and not blank.find(has="python")


@pytest.mark.parametrize("i", range(len(VERSIONS)))
def test_what_stands_outside_the_boxes_is_right_too(sheets, i):
    """没有舍入的结果、「想一想」里的数、平方根。"""

    def page_and_steps(step, kind=".answers.html"):
        version = versions(step)[i]
        steps = (five_steps(as_data(e)) for e in (version.me, version.cat))
        return sheets[step + kind].find(has="sheet")[i], *steps

    softmax, a, b = page_and_steps("04_softmax")
    rows = [x for total, row in zip(a["sums"], a["weights"], strict=True) for x in (total, *row)]
    assert numbers_in(softmax, "python") == [show(x, 4) for x in rows]
    assert numbers_in(softmax, "cat-python") == [show(x, 4) for x in (b["sums"][1], *b["weights"][1])]
    mixing, a, b = page_and_steps("05_weighted_sum")
    assert numbers_in(mixing, "python") == flat(a["output"])
    assert numbers_in(mixing, "cat-python") == flat(b["output"][1:2])
    assert numbers_in(mixing, "one-hot") == [show(x) for x in a["V"][1]]
    assert numbers_in(mixing, "mean") == [show(sum(c) / len(c)) for c in zip(*a["V"], strict=True)]
    scores, _, b = page_and_steps("02_scores")
    assert numbers_in(scores, "there-and-back") == [show(b["scores"][0][-1]), show(b["scores"][-1][0])]
    roots = [text for s in (2, 3, 4, 8) for text in (str(s), show(Fraction(s**0.5)))]
    assert numbers_in(page_and_steps("03_scaling", ".worksheet.html")[0], "roots") == roots


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

    return change


@pytest.mark.parametrize("step", SHEETS)
def test_a_changed_number_in_data_changes_the_sheets(other_data, step):
    before = expected(step, versions(step)[0])
    other_data("wo_ai_ni.json", X=[[0, 1, 1, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    page = read_html(render_sheets(step)[1]).find(has="sheet")[0]
    assert values_of(page) == expected(step, versions(step)[0]) != before


# ---------------------------------------------------------------- 文件


def test_half_is_rounded_up_on_paper():
    """四舍五入，不像 Python 那样按二进制的写法或舍入到偶数。"""
    assert [paper.text(x, 2) for x in (0.185, 0.285, -0.185, 1.005, 0.1849)] == [
        "0.19",
        "0.29",
        "−0.19",
        "1.01",
        "0.18",
    ]


@pytest.mark.parametrize("step", SHEETS)
def test_token_text_comes_out_as_text(other_data, step):
    tokens = ["<script>", "&lt;", "$x$"]
    other_data("wo_ai_ni.json", tokens=tokens)
    other_data("mao_chi_yu.json", tokens=tokens, V_columns=["<b>", "]]>"])
    page = read_html(render_sheets(step)[1])
    assert all(token in page.text for token in tokens) and not page.find("script")


# ---------------------------------------------------------------- 文件


@pytest.mark.parametrize("name", [*PAGES, *CLASS_PAGES, "index.html"])
def test_no_page_has_a_script_or_loads_anything(sheets, folder, name):
    page = sheets[name]
    assert not page.find("script", "iframe", "object", "embed") and addresses(page) == []
    [policy] = page.find("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy.attributes["content"].startswith("default-src 'none'; style-src 'unsafe-inline'; font-src")
    assert page.find("html", lang="zh")


def test_the_index_links_every_page(sheets):
    links = [unquote(link.attributes["href"]) for link in sheets["index.html"].find("a")]
    assert sorted(links) == sorted([*PAGES, *CLASS_PAGES])


@pytest.mark.parametrize("name", PAGES)
def test_every_character_drawn_is_in_an_embedded_font(sheets, name):
    """数学斜体和根号由浏览器换上，页面的文字里没有，也要在字体里。"""
    fonts = embedded_fonts(sheets[name])
    assert not {c for c in sheets[name].text if c > " "} - fonts["Course Sans"] - fonts["Course Math"]
    assert "√" in fonts["Course Math"]
    if name.startswith("01"):
        assert {"𝑄", "𝑋", "𝑊", "𝐾", "𝑉"} <= fonts["Course Math"]


# ---------------------------------------------------------------- 命令


def test_only_the_steps_asked_for_are_built_and_linked(tmp_path, capsys):
    assert command.main(["-o", str(tmp_path), "02_scores"]) == 0
    names = {"02_scores.worksheet.html", "02_scores.answers.html", "index.html"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert set(capsys.readouterr().out.split()) == names
    index = read_html((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert {link.attributes["href"] for link in index.find("a")} == names - {"index.html"}


def test_an_unknown_step_is_answered_with_the_list(tmp_path, capsys):
    assert command.main(["-o", str(tmp_path), "02_scores", "11_more"]) == 2
    said = capsys.readouterr().out
    assert "没有练习纸 11_more" in said and all(step in said for step in SHEETS)
    assert list(tmp_path.iterdir()) == []


def test_broken_data_stops_the_command_and_leaves_the_old_page(tmp_path, other_data, capsys):
    (tmp_path / "02_scores.worksheet.html").write_bytes(b"old")
    other_data("wo_ai_ni.json", X=[[1, 2]])
    assert command.main(["-o", str(tmp_path), "02_scores"]) == 1
    assert "wo_ai_ni.json" in capsys.readouterr().out
    assert (tmp_path / "02_scores.worksheet.html").read_bytes() == b"old"

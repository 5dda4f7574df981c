"""书印成 PDF：页码、书签、书眉、答案在最后、能选能搜的中文；没有浏览器时说清楚。"""

import re
import shutil
import subprocess

import pytest

from utils.book import pdf
from utils.book.__main__ import main
from utils.notebooks import NOTEBOOKS, parse
from utils.pages.chromium import executable
from utils.tests.html_page import read_html

BOOK = ("02_scores", "05_weighted_sum")  # 各有一部动画
LINES = """<!DOCTYPE html><html lang="zh"><style>@page {{ size: A4 }} h1 {{ break-before: page }}</style>
<p>{links}</p>{pages}</html>"""


def needs_browser():
    if executable() is None:
        pytest.skip("找不到 Chromium 或 Chrome")


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """（PDF 的内容, 印它的那一页网页, PDF 的路径）。"""
    needs_browser()
    folder, sources = tmp_path_factory.mktemp("讲义") / "书", []
    ordinary = pdf._print
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "_print", lambda *given: sources.append(given[1]) or ordinary(*given))
        assert main([*BOOK, "-o", str(folder), "--pdf"]) == 0
    assert len(sources) >= 2
    assert [path.name for path in folder.iterdir() if path.suffix != ".html"] == ["book.pdf"]
    path = folder / "book.pdf"
    return path.read_bytes(), read_html(sources[-1]), path


@pytest.fixture(scope="module")
def sheets(printed):
    """各页的文字，由 pdftotext 读出：它与做 PDF 的程序无关。"""
    if not shutil.which("pdftotext"):
        pytest.skip("没有 pdftotext")
    command = ["pdftotext", "-layout", str(printed[2]), "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8")
    return ["".join(sheet.split()) for sheet in text.split("\f")[:-1]]


def test_the_page_of_a_link_is_read_from_the_pdf(tmp_path):
    """三十页，页树不止一层：第 n 个标题在第 n + 1 页。"""
    needs_browser()
    numbers = range(1, 31)
    source = LINES.format(
        links="".join(f'<a href="#t-{n}">{n}</a> ' for n in numbers),
        pages="".join(f'<h1 id="t-{n}">{n}</h1>' for n in numbers),
    )
    content = pdf._print(executable(), source, tmp_path)
    assert pdf.read_destinations(content) == ({f"t-{n}": n + 1 for n in numbers}, 31)


def test_it_prints_until_the_page_numbers_hold(tmp_path, monkeypatch):
    """写上页码以后挪了一页，就再印一遍。"""
    needs_browser()
    places, sources = iter([{"answers": 8}, {"answers": 9}, {"answers": 9}]), []
    monkeypatch.setattr(pdf, "_print", lambda *given: sources.append(given[1]) or b"")
    monkeypatch.setattr(pdf, "read_destinations", lambda content: (next(places), 9))
    glossary = {"teacher": False, "opening": "", "symbols": "", "terms": []}
    assert pdf.print_book([], tmp_path / "book.pdf", **glossary) == 9
    rows = [read_html(source).find("nav", has="contents")[0].find("span")[-1].text for source in sources]
    assert rows == ["000", "8", "9"]


def test_the_contents_name_the_pages_where_the_headings_are(printed, sheets):
    [contents] = printed[1].find("nav", has="contents")
    rows = [(row.find("a")[0].text, row.find("span")[0].text) for row in contents.find("li")]
    cells = [cell for name in BOOK for cell in parse((NOTEBOOKS / f"{name}.ipynb").read_bytes()).cells]
    lines = [cell.source.splitlines()[0] for cell in cells if cell.cell_type == "markdown"]
    sections = [line for line in lines if re.match("##? ", line) and line != "## 准备"]
    assert len(rows) == len(sections) + 2  # 术语和符号、答案
    for title, page in rows:
        if not re.search(r"[²√]|d_", title):
            assert "".join(title.split()) in sheets[int(page) - 1], (title, page)


def test_every_link_stays_in_the_printed_book(printed):
    ids = [element.attributes["id"] for element in printed[1].find() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    targets = {link.attributes["href"] for link in printed[1].find("a")}
    assert {target for target in targets if target[1:] not in ids or target[0] != "#"} == set()
    assert {"#05_weighted_sum", "#answers"} <= targets


def test_an_answer_is_at_the_end_and_both_ways_are_numbered(printed, sheets):
    page = printed[1]
    answers = {e.attributes["id"] for e in page.find("div", has="printed")}
    asked = {link.attributes["href"][1:] for place in page.find("p", has="see") for link in place.find("a")}
    assert asked == answers and len(answers) > 40
    first = next(number for number, text in enumerate(sheets) if "答案" in text[:20] and "2.1" in text)
    assert all("只有第2行变了" not in text for text in sheets[:first])
    assert any("只有第2行变了" in text for text in sheets[first:])
    stated = [found for text in sheets for found in re.findall(r"书末(\d\.\d+)，第(\d+)页", text)]
    assert len(stated) == len(answers)
    for mark, number in stated:
        assert int(number) > first and re.search(rf"{mark}(?:第|提示|答案)", sheets[int(number) - 1]), mark


def test_every_sheet_has_its_number_and_running_head(printed, sheets):
    assert sheets[0].startswith("自注意力，一步一本笔记") and not sheets[0].endswith("1")
    assert all(text.endswith(str(number)) for number, text in enumerate(sheets[1:], start=2))
    heads = [re.match("2打分|5加权求和|术语和符号|答案|目录", text) for text in sheets[1:]]
    assert all(heads)
    assert len({head[0] for head in heads}) == 5


def test_it_is_a4_tagged_outlined_and_brings_its_fonts(printed):
    content = printed[0]
    assert b"/Outlines" in content and b"/StructTreeRoot" in content and b"/Lang (zh)" in content
    boxes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[(.*?)\]", content)}
    assert {tuple(map(round, box)) for box in boxes} == {(0, 0, 595, 842)}
    fonts = content.count(b"/Subtype /CIDFontType")  # 另有几个 Type 3：字形就画在 PDF 里
    assert fonts and fonts == content.count(b"/FontFile2") + content.count(b"/FontFile3")
    assert b"/Subtype /Type1" not in content  # 这种可以不带字体
    names = re.findall(rb"/FontName /(\S+)", content)
    assert names and all(re.match(rb"[A-Z]{6}\+", name) for name in names)  # 只带用到的字


def bookmarks(content):
    """书签（级, 字），照次序走一遍。"""
    objects = {int(number): body for number, body in pdf._OBJECT.findall(content)}
    root = next(body for body in objects.values() if b"/Type /Catalog" in body)

    def walk(number, level):
        while number:
            title = bytes.fromhex(re.search(rb"/Title <(\w+)>", objects[number])[1].decode())
            yield level, title.decode("utf-16")
            yield from walk(pdf._reference(objects[number], b"First"), level + 1)
            number = pdf._reference(objects[number], b"Next")

    outlines = objects[pdf._reference(root, b"Outlines")]
    return list(walk(pdf._reference(outlines, b"First"), 1))


def test_the_bookmarks_are_the_headings(printed):
    """各级标题各一个；页首的标题也只写一遍。"""
    headings = [
        (int(e.tag[1]), "".join(e.strings("math")).strip()) for e in printed[1].find("h1", "h2", "h3", "h4")
    ]
    found = bookmarks(printed[0])
    assert len(found) == len(headings) > 40
    for (level, title), (expected, words) in zip(found, headings, strict=True):
        assert level == expected and (title == words or not words), (title, words)


def test_formulas_pictures_and_short_cells_are_not_cut(browser):
    """打印的样式里，它们都不许分在两页。"""
    css = (pdf.BOOK_TEMPLATES / "print.css").read_text(encoding="utf-8")
    page = browser.new_page()
    body = "<pre>1</pre><pre class='long'>1</pre><div class='formula'>1</div><div class='picture'>1</div>"
    page.set_content(f"<style>{css}</style>{body}<table><tr><td>1</td></tr></table>")
    kept = page.evaluate("[...document.body.children].map((e) => getComputedStyle(e).breakInside)")
    assert kept == ["avoid", "auto", "avoid", "avoid", "avoid"]
    page.close()


def test_no_browser_is_said_and_the_pages_are_still_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pdf, "executable", lambda: None)
    assert main(["a2_sql_join", "-o", str(tmp_path), "--pdf"]) == 1
    said = capsys.readouterr().out
    assert "印成 PDF 要用 Chromium 或 Chrome" in said and "CHROMIUM" in said
    assert (tmp_path / "a2_sql_join.html").exists() and not list(tmp_path.glob("*.pdf"))


def test_a_browser_that_fails_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pdf, "executable", lambda: shutil.which("false") or "no-such-browser")
    assert main(["a2_sql_join", "-o", str(tmp_path), "--pdf"]) == 1
    assert "没有印成 PDF" in capsys.readouterr().out
    assert [path for path in tmp_path.iterdir() if path.suffix != ".html"] == []

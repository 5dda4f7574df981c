"""书的内容：由笔记本独立数出该有什么，再到做好的页里找；链接、折叠、大小、重做。"""

import html
import io
import re
from contextlib import redirect_stdout

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.book.__main__ import main
from utils.book.search import sections
from utils.exercises import EXERCISES
from utils.notebooks import NOTEBOOKS, notebook_paths, parse
from utils.slides.notes import split_notes
from utils.tests.html_page import addresses, read_html

NAMES = [path.stem for path in notebook_paths()]
OWN = ["glossary", "index", "search"]
MEGABYTE = 1_000_000


def make(folder, *arguments):
    """做一本书；返回（退出码, 说的话）。"""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(said):
        status = main([*map(str, arguments), "-o", str(folder)])
    return status, said.buffer.getvalue().decode("utf-8")


@pytest.fixture(scope="module")
def pages(made_book):
    """名字 -> 一页的树。"""
    return {path.stem: read_html(path.read_text(encoding="utf-8")) for path in made_book[0].glob("*.html")}


def cells_of(name):
    """进书的格：「准备」一节以外的。"""
    kept, preparing = [], False
    for cell in parse((NOTEBOOKS / f"{name}.ipynb").read_bytes()).cells:
        if cell.cell_type == "markdown" and cell.source.startswith("#"):
            preparing = cell.source.startswith("## 准备")
        if not preparing:
            kept.append(cell)
    return kept


def outputs_of(name, mime):
    outputs = [output for cell in cells_of(name) for output in cell.get("outputs", [])]
    return [output["data"] for output in outputs if mime in output.get("data", {})]


def inside(element, *, has):
    return any(has in outer.classes for outer in element.ancestors())


def squeezed(text):
    return "".join(text.split())


# ---------------------------------------------------------------- 全部写好，各有多大


def test_the_whole_book_is_made_and_small(made_book, pages):
    folder, status, said = made_book
    assert status == 0, said
    assert sorted(pages) == sorted([*NAMES, *OWN]) and all(f"{name}.html：" in said for name in NAMES)
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert {name for name, size in sizes.items() if size > 2 * MEGABYTE} == set()
    assert sum(sizes.values()) < 15 * MEGABYTE


def test_a_page_fetches_nothing_and_its_policy_forbids_it(pages):
    for page in pages.values():
        assert addresses(page) == []
        [policy] = page.find("meta", **{"http-equiv": "Content-Security-Policy"})
        assert policy.attributes["content"].startswith("default-src 'none';")


def test_every_link_leads_to_something_in_the_book(pages):
    ids = {
        name: [element.attributes["id"] for element in page.find() if "id" in element.attributes]
        for name, page in pages.items()
    }
    for name, page in pages.items():
        assert len(ids[name]) == len(set(ids[name])), f"{name}：有重复的 id"
        for link in page.find("a"):
            where = link.attributes["href"]
            file, _, fragment = where.partition("#")
            target = file.removesuffix(".html") or name
            assert target in pages and (not fragment or fragment in ids[target]), (name, where)
            assert link.text.strip()


def test_the_map_leads_to_every_notebook_with_its_minutes(pages):
    rows = [row for row in pages["index"].find("li") if row.find("h2")]
    assert [row.find("a")[0].attributes["href"] for row in rows] == [f"{name}.html" for name in NAMES]
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    minutes = re.findall(r"^\| \[\w+\]\(notebooks/\w+\.ipynb\).*?\| (\d+) \|", readme, re.M)
    assert [row.find("p", has="meta")[0].text for row in rows] == [f"{number} 分钟" for number in minutes]


# ---------------------------------------------------------------- 进书的，不进书的


@pytest.mark.parametrize("name", NAMES)
def test_pictures_formulas_films_and_tables_are_all_there(name, pages):
    [main_part] = pages[name].find("main")
    shown = [image.attributes["alt"] for image in main_part.find("img")]
    assert shown == [data["text/plain"] for data in outputs_of(name, "image/png")]
    boxes = main_part.find("div", has="formula")
    assert len([box for box in boxes if box.find("math")]) == len(outputs_of(name, "text/latex"))
    html_outputs = outputs_of(name, "text/html")
    films = [data for data in html_outputs if "data-animation" in data["text/html"]]
    assert len(main_part.find("figure", has="animation")) == len(films)
    shown = [squeezed(box.text) for box in main_part.find("div", has="output") if "film" not in box.classes]
    for data in html_outputs:
        if data not in films:
            assert squeezed(html.unescape(re.sub(r"<[^>]*>", "", data["text/html"]))) in shown


@pytest.mark.parametrize("name", NAMES)
def test_plumbing_and_notes_are_left_out(name, pages):
    code = "\n".join(pre.text for pre in pages[name].find("pre", has="code"))
    for plumbing in ("guess = None", "predict(", "sys.path", "use_course_style", "核对用", "check("):
        assert plumbing not in code, plumbing
    assert "讲稿" not in pages[name].text and not pages[name].find(id="准备")
    [main_part] = pages[name].find("main")
    words = squeezed("".join(main_part.strings("math", "style", "pre"))).replace("*", "")
    for cell in cells_of(name):
        if cell.source.startswith("这一格给出那张图眼下的样子"):  # 说的是滑块，书里没有
            continue
        if cell.cell_type == "markdown" and "$" not in cell.source and "[" not in cell.source:
            first = split_notes(cell.source)[0].strip().splitlines()[0]
            plain = re.sub(r"^#+ |^[-\d]+\.? |^\|.*|<[^>]*>|[*`]", "", first)
            assert squeezed(html.unescape(plain)) in words, plain


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_its_hints_and_answer_folded(name, pages):
    exercises = [exercise for exercise in EXERCISES.values() if exercise.notebook == name]
    hints = pages[name].find("details", has="hint")
    solutions = pages[name].find("details", has="solution")
    assert len(hints) == sum(len(exercise.hints) for exercise in exercises)
    assert len(solutions) == len(exercises) > 0
    for exercise, solution in zip(exercises, solutions, strict=True):
        assert squeezed(exercise.solution) in squeezed(solution.text)
        if exercise.kind in ("number", "reading", "order", "match", "table", "truth"):
            wrong = [mistake.answer for mistake in exercise.mistakes if not callable(mistake.answer)]
            rows = [row for row in solution.find("tr") if row.find("td")]
            assert len(rows) == len(wrong)
    only = pages[name].find("p", has="only")
    assert len(only) == sum(exercise.kind in ("step", "bug", "module") for exercise in exercises)


@pytest.mark.parametrize("name", NAMES)
def test_optional_sections_are_folded_and_nothing_else_is(name, pages):
    for heading in pages[name].find("h2", "h3"):
        optional = heading.text.startswith("选读：") or heading.text.endswith("：选读")
        assert inside(heading, has="optional") == optional, heading.text
    assert not [fold for fold in pages[name].find("details") if "open" in fold.attributes]


def test_a_question_stays_and_its_answer_is_folded(pages):
    """02 里独立抄下的几处：题目在外面，答案在里面，答案里又问的，它的答案再折一层。"""
    depth = {
        "先猜：算得出来吗？": 0,
        "如果词元数碰巧等于": 1,
        "先猜第2行。": 0,
        "如果只有“吃”来问，结果是什么形状？": 1,
        "：一个查询一行，三个键三列。": 2,
        "第4步亮的是Q的第2行": 1,
        "整个循环可以写成一个式子": 0,
        "只有第2行变了": 1,
    }
    paragraphs = pages["02_scores"].find("p")
    for words, folds in depth.items():
        [found] = [p for p in paragraphs if words in squeezed(p.text)]
        assert sum("answer" in outer.classes for outer in found.ancestors()) == folds, words


def test_terms_and_lessons_are_linked(pages):
    links = pages["02_scores"].find("a")
    assert {a.attributes["href"] for a in links if a.text == "第 5 本"} == {"05_weighted_sum.html"}
    [term] = [a for a in links if a.text == "注意力分数"]
    [entry] = pages["glossary"].find("div", id=term.attributes["href"].partition("#")[2])
    assert entry.text.strip().startswith("注意力分数：QKᵀ")
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    rows = readme.partition("## 术语表")[2].partition("\n## ")[0].count("\n|") - 2
    assert len(pages["glossary"].find("dt")) == rows


def test_a_formula_is_searched_as_people_type_it():
    row = "<mrow><mi>Q</mi><msup><mi>K</mi><mi>⊤</mi></msup></mrow>"
    root = "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>"
    main = f"<h2 id='a'>题</h2><p>除以 <math>{root}</math>，得 <math><mfrac>{row}{root}</mfrac></math>。</p>"
    [[*_, title, text]] = sections("99", "9 试", main.replace("'", '"'))
    assert (title, text) == ("题", "除以√d_k ，得QK^⊤/√d_k 。")


# ---------------------------------------------------------------- 重做，只做几本，做不成


def small(folder, number, question="多少？"):
    """一本小笔记，输出是 number。"""
    output = new_output("execute_result", data={"text/plain": str(number)}, execution_count=1)
    cells = [new_markdown_cell(f"# 99 试\n\n话\n\n<!-- 讲稿 · 1 分钟\n问：{question}\n-->")]
    cells += [new_code_cell("x", execution_count=1, outputs=[output])]
    folder.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=cells), folder / "99_try.ipynb")
    return folder / "99_try.ipynb"


def test_a_changed_number_is_there_after_a_rebuild_and_the_same_stays_the_same(tmp_path):
    out = tmp_path / "书"
    made = []
    for number in (0.37, 0.37, 0.73):
        assert make(out, small(tmp_path / "课", number))[0] == 0
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert made[0] == made[1]
    assert b">0.37<" in made[0]["99_try.html"] and b">0.73<" in made[2]["99_try.html"]
    assert b"0.73" in made[2]["search.html"] and b"0.37" not in made[2]["99_try.html"]


def test_the_teacher_switch_puts_the_notes_in(tmp_path):
    path = small(tmp_path / "课", 1, question="先问 <这个>？")
    assert make(tmp_path / "书", path, "--teacher")[0] == 0
    page = read_html((tmp_path / "书" / "99_try.html").read_text(encoding="utf-8"))
    [notes] = page.find("aside", has="notes")
    assert notes.attributes["aria-label"] == "讲稿 · 1 分钟" and "先问" in notes.text


def test_one_notebook_makes_a_book_without_dead_links(tmp_path):
    assert make(tmp_path, "02_scores")[0] == 0
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["02_scores", *OWN]
    page = read_html((tmp_path / "02_scores.html").read_text(encoding="utf-8"))
    files = {link.attributes["href"].partition("#")[0] for link in page.find("a")}
    assert files == {"", "index.html", "glossary.html", "search.html"}


def test_a_notebook_that_was_not_run_is_named_and_the_others_are_made(tmp_path):
    path = small(tmp_path / "课", 1)
    nb = nbformat.read(path, as_version=4)
    nb.cells[1].execution_count = None
    nbformat.write(nb, path)
    status, said = make(tmp_path / "书", path, "a2_sql_join")
    assert status == 1 and "99_try.ipynb 第 2 格还没有运行过" in said and "99_try.html 没有写。" in said
    assert sorted(path.stem for path in (tmp_path / "书").iterdir()) == ["a2_sql_join", *OWN]


def test_a_formula_that_cannot_be_drawn_is_named(tmp_path):
    cell = new_markdown_cell("# 标题\n\n$\\nosuch$")
    nbformat.write(new_notebook(cells=[cell]), tmp_path / "bad.ipynb")
    status, said = make(tmp_path / "书", tmp_path / "bad.ipynb")
    assert status == 1 and "bad.ipynb 第 1 格" in said and r"\nosuch" in said

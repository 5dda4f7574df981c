"""笔记本里的练习：每题一格，与记录一致，出厂时没有作答，粘上答案就通过；哪里也没有答案。"""

import ast
import re

import pytest
from nbformat import v4

from utils.exercises import EXERCISES, check, sets, solution
from utils.tests.exercise_cells import (
    ALL,
    asked,
    cell_of,
    define,
    names_of,
    open_notebook,
    records,
    repaired,
    run_cell,
    snippet,
)

each_notebook = pytest.mark.parametrize("name", ALL)
each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
each_bug = pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES.values() if e.kind == "bug"], ids=lambda exercise: exercise.id
)


def test_an_id_is_used_once():
    ids = [exercise.id for exercise in sets.load_exercises()]
    assert not {f"编号 {each} 用了不止一次" for each in ids if ids.count(each) > 1}


@each_notebook
def test_every_exercise_has_its_cell_and_every_cell_its_record(name):
    cells, own = [each.id for each in asked(name)], records(name)
    module = f"utils/exercises/sets/{name.partition('_')[2]}.py"
    assert not [f"{name}.ipynb 里没有 {each} 的格" for each in own if each not in cells]
    assert not [f"{module} 里没有 {each} 的记录" for each in cells if each not in own]
    assert cells == own, f"{name}.ipynb 与 {module} 里练习的次序、个数不同"


@each_exercise
def test_the_title_stands_in_the_heading(exercise):
    number = records(exercise.notebook).index(exercise.id) + 1
    headings = re.findall(r"^### (.*)", cell_of(exercise).text, flags=re.MULTILINE)
    pattern = rf"练习 {number}（.+）：{re.escape(exercise.title)}"
    message = f"{exercise.notebook}.ipynb 的 {exercise.id}：标题应是“练习 {number}（…）：{exercise.title}”"
    assert headings and re.fullmatch(pattern, headings[-1]), f"{message}，写着 {headings}"


def test_a_kind_has_one_name_in_all_headings():
    names = {}
    for exercise in EXERCISES.values():
        found = re.search(r"^### 练习 \d+（(.+?)）", cell_of(exercise).text, flags=re.MULTILINE)
        names.setdefault(exercise.kind, set()).add(found and found[1])
    assert not {kind: words for kind, words in names.items() if len(words) > 1}


@each_exercise
def test_the_choices_in_the_notebook_are_those_of_the_record(exercise):
    if exercise.kind in ("reading", "order", "match"):
        letters = re.findall(r"^- ([A-Z])\. ", cell_of(exercise).text, flags=re.MULTILINE)
    elif exercise.kind == "bug":
        letters = [*range(1, len(snippet(exercise).splitlines()) + 1)]
    else:
        return
    assert letters == exercise.choices, f"{exercise.notebook}.ipynb 的 {exercise.id}：选项、行号与记录不同"


@each_exercise
def test_as_shipped_nothing_is_attempted_and_with_the_solution_it_passes(exercise):
    """用那本笔记自己的名字运行：答案里不能有学习者那里没有的东西。"""
    code = cell_of(exercise).code
    assert run_cell(code, names_of(exercise.notebook)).status == "not_attempted"
    answered = f"{exercise.solution}\n\n\n{ast.get_source_segment(code, ast.parse(code).body[-1])}"
    verdict = run_cell(answered, names_of(exercise.notebook))
    assert (verdict.status, verdict.mistake) == ("passed", None)


@each_bug
def test_the_snippet_is_wrong_as_given_and_right_with_its_line_repaired(exercise):
    broken = check(exercise.id, define(snippet(exercise), exercise))
    assert broken.status == "wrong"
    assert broken.mistake.startswith("still_")
    assert check(exercise.id, define(repaired(exercise), exercise)).status == "passed"


# ---------------------------------------------------------------- 哪里也没有答案


def shown_texts(cells):
    for cell in cells:
        yield cell.source
        for output in cell.get("outputs", []):
            yield str(output.get("text", ""))
            yield from (str(value) for key, value in output.get("data", {}).items() if "image" not in key)


def room(nb):
    """练习这一节的全部格。"""
    inside = False
    for cell in nb.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            inside = cell.source.startswith("## 练习")
        if inside:
            yield cell


def leaks(nb, exercises):
    """笔记本里泄露的答案：调用了 solution、写着“为什么”，或练习一节里有答案的代码、笔算的结果。"""
    for cell in nb.cells:
        if cell.cell_type == "code" and re.search(r"\bsolution\(", cell.source):
            yield f"调用了 solution：{cell.source}"
    for text in shown_texts(nb.cells):
        yield from (
            f"{exercise.id} 的为什么" for exercise in exercises if exercise.why and exercise.why in text
        )
    for text in shown_texts(room(nb)):
        for exercise in exercises:
            if exercise.kind in ("step", "bug", "module"):
                secret = re.sub(r"^.*(应是 |return )|\s", "", exercise.solution.splitlines()[-1])
                found = secret in re.sub(r"\s", "", text)
            else:
                found = exercise.solution in text.splitlines()
                found |= isinstance(exercise.reference, list) and str(exercise.reference) in text
            if found:
                yield f"{exercise.id} 的答案：{text[:80]}"


@each_notebook
def test_no_notebook_contains_a_solution(name):
    assert not list(leaks(open_notebook(name), [EXERCISES[each] for each in records(name)]))


@each_notebook
def test_every_prediction_is_shipped_unwritten(name):
    for cell in open_notebook(name).cells:
        if cell.cell_type == "code" and "predict(" in cell.source and "import" not in cell.source:
            assert "还没写下预测" in "".join(shown_texts([cell]))


def output(text):
    return v4.new_code_cell("hint('x')", outputs=[v4.new_output("execute_result", data={"text/plain": text})])


CLEAN = [
    v4.new_markdown_cell("## 练习"),
    v4.new_code_cell('answer = None\n\ncheck("pencil_scaling", answer)'),
]


@pytest.mark.parametrize(
    "extra",
    [
        v4.new_code_cell('solution("softmax")'),
        output(repr(solution("softmax"))),
        output(EXERCISES["reading_cell"].why),
        v4.new_code_cell("def my_project(X, W): return X@W"),
        v4.new_code_cell("answer = [0.45, 0.2, 0.1]"),
        v4.new_code_cell('choice = "B"'),
        v4.new_markdown_cell("应是 totals = exponentials.sum(axis=1, keepdims=True)"),
    ],
)
def test_each_leak_is_found(extra):
    assert list(leaks(v4.new_notebook(cells=[*CLEAN, extra]), EXERCISES.values()))
    assert not list(leaks(v4.new_notebook(cells=CLEAN), EXERCISES.values()))

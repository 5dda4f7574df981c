"""笔记本里的练习：每题一格，出厂时没有作答，粘上答案就通过；哪里也没有答案。"""

import ast
import re

import numpy as np
import pytest
from nbformat import v4

from utils import attention
from utils.exercises import EXERCISES, check, hint, predict, solution
from utils.notebooks import NOTEBOOKS, parse

NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


def answer_cells(nb):
    """{练习编号: 那一格的源码}，按出现的次序；重复的编号只能出现一次。"""
    cells = {}
    for cell in nb.cells:
        if cell.cell_type == "code":
            for exercise_id in re.findall(r'^check\("(\w+)"', cell.source, flags=re.MULTILINE):
                assert exercise_id not in cells, f"{exercise_id} 出现了两次"
                cells[exercise_id] = cell.source
    return cells


def run_cell(source):
    """运行一格，返回最后一个式子的值。"""
    names = {"np": np, "attention": attention, "softmax": attention.softmax}
    names |= {"check": check, "hint": hint, "predict": predict, "solution": solution}
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def pasted(exercise, source):
    """学习者作答以后的那一格：答案的代码，加上原来的 check。"""
    last = ast.parse(source).body[-1]
    return exercise.solution + "\n\n\n" + ast.get_source_segment(source, last)


def room(nb):
    """练习这一节的全部格。"""
    cells, inside = [], False
    for cell in nb.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            inside = cell.source.startswith("## 练习")
        if inside:
            cells.append(cell)
    return cells


def shown_texts(cells):
    for cell in cells:
        yield cell.source
        for output in cell.get("outputs", []):
            yield str(output.get("text", ""))
            yield from (str(value) for key, value in output.get("data", {}).items() if "image" not in key)


def leaks(nb, exercises):
    """笔记本里泄露的答案：调用了 solution、写着“为什么”，或练习一节里有答案的代码、笔算的结果。"""
    for cell in nb.cells:
        if cell.cell_type == "code" and re.search(r"\bsolution\(", cell.source):
            yield f"调用了 solution：{cell.source}"
    for text in shown_texts(nb.cells):
        yield from (f"{exercise.id} 的为什么" for exercise in exercises if exercise.why in text)
    for text in shown_texts(room(nb)):
        for exercise in exercises:
            if exercise.kind in ("step", "bug"):
                line = exercise.solution.splitlines()[-1]
                secret = re.sub(r"^.*(应是 |return )|\s", "", line)
                found = secret in re.sub(r"\s", "", text)
            elif exercise.kind == "number" and isinstance(exercise.reference, list):
                found = str(exercise.reference) in text
            else:
                found = bool(re.search(rf"^{re.escape(exercise.solution)}$", text, flags=re.MULTILINE))
            if found:
                yield f"{exercise.id} 的答案：{text[:80]}"


def own(name):
    return [exercise for exercise in EXERCISES.values() if exercise.notebook == name.removesuffix(".ipynb")]


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_of_the_notebook_is_asked_once_in_rising_order(name):
    assert list(answer_cells(open_notebook(name))) == [exercise.id for exercise in own(name)]


@pytest.mark.parametrize("name", NAMES)
def test_as_shipped_nothing_is_attempted(name):
    for exercise_id, source in answer_cells(open_notebook(name)).items():
        assert run_cell(source).status == "not_attempted", exercise_id


@pytest.mark.parametrize("name", NAMES)
def test_with_the_solutions_pasted_in_all_pass(name):
    for exercise_id, source in answer_cells(open_notebook(name)).items():
        assert run_cell(pasted(EXERCISES[exercise_id], source)).status == "passed", exercise_id


@pytest.mark.parametrize("name", NAMES)
def test_no_notebook_contains_a_solution(name):
    assert not list(leaks(open_notebook(name), own(name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_prediction_is_shipped_unwritten(name):
    for cell in open_notebook(name).cells:
        if cell.cell_type == "code" and "predict(" in cell.source and "import" not in cell.source:
            assert "还没写下预测" in "".join(shown_texts([cell]))


def open_notebook(name):
    return parse((NOTEBOOKS / name).read_bytes())


# ---------------------------------------------------------------- 规矩本身抓得住


def small_notebook(*extra):
    cells = [
        v4.new_markdown_cell("## 练习"),
        v4.new_code_cell('answer = None\n\ncheck("pencil_mix", answer)'),
    ]
    return v4.new_notebook(cells=[*cells, *extra])


def output(text):
    return v4.new_code_cell("hint('x')", outputs=[v4.new_output("execute_result", data={"text/plain": text})])


def test_a_clean_room_leaks_nothing():
    assert not list(leaks(small_notebook(), EXERCISES.values()))


@pytest.mark.parametrize(
    "extra",
    [
        v4.new_code_cell('solution("softmax")'),
        output(repr(solution("softmax"))),
        output(EXERCISES["reading_cell"].why),
        v4.new_code_cell("def my_project(X, W):\n    return X @ W"),
        v4.new_code_cell("def my_project(X, W): return X@W"),
        v4.new_code_cell("answer = [0.5, 0.5]"),
        v4.new_code_cell('choice = "B"'),
        v4.new_code_cell("shape = (2, 5)"),
        v4.new_markdown_cell("应是 totals = exponentials.sum(axis=1, keepdims=True)"),
    ],
)
def test_each_leak_is_found(extra):
    assert list(leaks(small_notebook(extra), EXERCISES.values()))

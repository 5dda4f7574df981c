"""变异：把答案的代码随意改动一个词，凡是结果变了的，check 都不放过。

改动：换运算符、换数、换名字、换函数、加或去掉转置。结果变没变，由别的种子的输入说了算。
"""

import io
import keyword
import tokenize

import numpy as np
import pytest

from utils.exercises import EXERCISES, check, modules
from utils.tests.exercise_cells import define, missing_fields, names_of, repaired

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@"]
NUMBERS = ["0", "1", "2", "-1"]
ALTERNATIVES = [
    ["max", "min", "mean", "sum", "argmax", "std"],
    ["exp", "sqrt", "log", "abs", "tanh", "exp2", "square"],
    ["True", "False"],
    ["T", "real"],  # .real 就是它自己：等于去掉转置
    ["shape", "strides"],
]
SOLVED = [exercise for exercise in EXERCISES.values() if exercise.kind in ("step", "bug", "module")]


def mutants(source, outside):
    """每次只改一个词的全部代码；outside 里的名字（np、softmax……）不当作变量。"""
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.string.strip()]
    start = next(i for i, token in enumerate(tokens) if token.string == ":") + 1  # 不改函数头
    known = {word for group in ALTERNATIVES for word in group}
    variables = sorted(
        {
            token.string
            for i, token in enumerate(tokens)
            if token.type == tokenize.NAME
            and i > 1
            and not keyword.iskeyword(token.string)
            and token.string not in known | {"axis", "keepdims"} | set(outside)
            and tokens[i - 1].string != "."
        }
    )
    for token in tokens[start:]:
        if token.line.lstrip().startswith("def "):  # 类里的函数头
            continue
        assigned = (
            any(t.string == "=" and t.start[0] == token.start[0] and t.start > token.end for t in tokens)
            and "(" not in token.line[: token.start[1]]
        )
        choices = []
        if token.string in OPERATORS:
            choices = OPERATORS
        elif token.type == tokenize.NUMBER:
            choices = NUMBERS
        elif token.string in variables and not assigned:
            choices = [*variables, f"{token.string}.T", f"(-{token.string})"]
        else:
            choices = next((group for group in ALTERNATIVES if token.string in group), [])
        lines = source.splitlines()
        row = token.start[0] - 1
        for choice in choices:
            if choice != token.string:
                changed = lines[row][: token.start[1]] + choice + lines[row][token.end[1] :]
                yield "\n".join([*lines[:row], changed, *lines[row + 1 :]])


def changes_the_result(mutant, original, exercise):
    """在别的种子的输入上：值、形状变了，报错，或改动了参数。"""
    for seed in range(100, 110):
        for arguments, used in zip(exercise.inputs(seed), exercise.inputs(seed), strict=True):
            expected = original(*arguments)
            try:
                result = mutant(*used)
            except Exception:
                return True
            if not isinstance(result, np.ndarray) or result.shape != expected.shape:
                return True
            if not np.allclose(result, expected, rtol=1e-3, atol=1e-3, equal_nan=True):
                return True
            if not all(map(np.array_equal, used, arguments)):
                return True
    return False


def as_function(exercise, answer):
    return modules.as_function(exercise, answer) if exercise.kind == "module" else answer


@pytest.fixture(scope="module", params=SOLVED, ids=lambda exercise: exercise.id)
def sorted_mutants(request):
    """一道题，和它的变异：结果变了的、没有变的（不改的原文在最前面）。"""
    exercise = request.param
    if missing := missing_fields(exercise):
        pytest.fail("；".join(missing))
    source = repaired(exercise) if exercise.kind == "bug" else exercise.solution
    original, groups = as_function(exercise, define(source, exercise)), {True: [], False: []}
    with np.errstate(all="ignore"):
        for code in dict.fromkeys([source, *mutants(source, names_of(exercise.notebook))]):
            try:
                mutant = as_function(exercise, define(code, exercise))
            except SyntaxError:
                continue
            groups[changes_the_result(mutant, original, exercise)].append(code)
    return exercise, groups[True], groups[False]


def test_no_change_of_the_result_passes(sorted_mutants):
    exercise, changed, _ = sorted_mutants
    assert len(changed) >= 10
    good = ("wrong", "not_attempted") if exercise.kind == "module" else ("wrong",)  # forward 换成了空的
    survivors = [code for code in changed if check(exercise.id, define(code, exercise)).status not in good]
    assert not survivors, "\n\n".join(survivors)


def test_a_change_that_keeps_the_result_still_passes(sorted_mutants):
    exercise, _, unchanged = sorted_mutants
    rejected = [code for code in unchanged if check(exercise.id, define(code, exercise)).status != "passed"]
    assert not rejected, "\n\n".join(rejected)

"""变异：把答案的代码随意改动一个词，凡是结果变了的，check 都不放过。

改动：换运算符、换数、换名字、换函数、加或去掉转置。结果变没变，由这里另外抽的随机输入说了算。
"""

import io
import keyword
import re
import tokenize

import numpy as np
import pytest

from utils.attention import softmax
from utils.exercises import EXERCISES, check

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@"]
NUMBERS = ["0", "1", "2", "-1"]
ALTERNATIVES = [
    ["max", "min", "mean", "sum", "argmax", "std"],
    ["exp", "sqrt", "log", "abs", "tanh", "exp2", "square"],
    ["True", "False"],
    ["T", "real"],  # .real 就是它自己：等于去掉转置
    ["shape", "strides"],
]


def repaired(exercise):
    """找错题：把那一行改对。"""
    lines = exercise.snippet.splitlines()
    index = exercise.reference - 1
    start = "    return " if lines[index].lstrip().startswith("return") else "    "
    lines[index] = start + exercise.solution.split("应是 ")[1]
    return "\n".join(lines)


SOURCES = {
    exercise.id: exercise.solution if exercise.kind == "step" else repaired(exercise)
    for exercise in EXERCISES.values()
    if exercise.kind in ("step", "bug")
}


def mutants(source):
    """每次只改一个词的全部代码。"""
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
            and token.string not in known | {"np", "softmax", "axis", "keepdims"}
            and tokens[i - 1].string != "."
        }
    )
    for token in tokens[start:]:
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


def compiled(source):
    names = {"np": np, "softmax": softmax}
    exec(source, names)
    return names[re.match(r"def (\w+)", source)[1]]


def fresh_inputs(exercise_id, rng):
    """与练习的输入无关：每次大小、数值都不同。"""
    a, b, c, d = rng.permutation(np.arange(2, 9))[:4]

    def normal(rows, cols, scale=1.0):
        return rng.normal(size=(rows, cols)) * scale

    scores = normal(a, b, 2) if rng.random() < 0.5 else normal(a, b, 800)
    if rng.random() < 0.3:
        scores[0, 1] = -np.inf
    weights = rng.dirichlet(np.ones(b), size=a)
    big = rng.choice([1, 40])
    return {
        "project": (normal(a, b), normal(b, c)),
        "attention_scores": (normal(a, b), normal(c, b)),
        "scale_scores": (scores, int(rng.integers(1, 70))),
        "softmax": (scores,),
        "bug_softmax": (scores,),
        "weighted_sum": (weights, normal(b, c)),
        "bug_scaling": (normal(a, b), normal(b, c), normal(b, c)),
        "bug_values": (normal(a, b, big), normal(b, c), normal(b, c), normal(b, d)),
        "self_attention": (normal(a, b, big), normal(b, c), normal(b, c), normal(b, d)),
    }[exercise_id]


def changes_the_result(mutant, original, exercise_id):
    """在 30 组随机输入上：值、形状变了，报错，或改动了参数。"""
    rng = np.random.default_rng(0)
    for _ in range(30):
        arguments = fresh_inputs(exercise_id, rng)
        used = [np.copy(value) if np.ndim(value) else value for value in arguments]
        expected = original(*arguments)
        try:
            result = mutant(*used)
        except Exception:
            return True
        if not isinstance(result, np.ndarray) or result.shape != expected.shape:
            return True
        if not np.allclose(result, expected, rtol=1e-3, atol=1e-3, equal_nan=True):
            return True
        if not all(np.array_equal(u, v) for u, v in zip(used, arguments, strict=True)):
            return True
    return False


def split(exercise_id):
    """这道题的变异：结果变了的和没有变的。"""
    source, groups = SOURCES[exercise_id], {True: [], False: []}
    original = compiled(source)
    with np.errstate(all="ignore"):
        for code in dict.fromkeys(mutants(source)):
            try:
                mutant = compiled(code)
            except SyntaxError:
                continue
            groups[changes_the_result(mutant, original, exercise_id)].append(code)
    return groups[True], groups[False]


CHANGED, UNCHANGED = {}, {}
for _id in SOURCES:
    CHANGED[_id], UNCHANGED[_id] = split(_id)


def test_there_are_at_least_200_changes():
    assert sum(map(len, CHANGED.values())) >= 200
    assert all(len(codes) >= 10 for codes in CHANGED.values())


@pytest.mark.parametrize("exercise_id", SOURCES)
def test_the_unchanged_source_passes(exercise_id):
    assert check(exercise_id, compiled(SOURCES[exercise_id])).status == "passed"


@pytest.mark.parametrize("exercise_id", SOURCES)
def test_no_change_of_the_result_passes(exercise_id):
    survivors = [
        code for code in CHANGED[exercise_id] if check(exercise_id, compiled(code)).status != "wrong"
    ]
    assert not survivors, "\n\n".join(survivors)


@pytest.mark.parametrize("exercise_id", SOURCES)
def test_a_change_that_keeps_the_result_still_passes(exercise_id):
    rejected = [
        code for code in UNCHANGED[exercise_id] if check(exercise_id, compiled(code)).status != "passed"
    ]
    assert not rejected, "\n\n".join(rejected)

"""练习：每一种常见错误都认得出，只认成它自己；没作答不算错；再怪的答案也只得到一句话。"""

import _thread
import gc
import linecache
import re
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from nbclient import NotebookClient
from nbformat import v4

from utils import attention
from utils.examples import load_example
from utils.exercises import EXERCISES, Verdict, check, hint, predict, running, solution
from utils.notebooks import NOTEBOOKS
from utils.tests.notebook_rules import WRONG_WORDS

STEPS = ["project", "attention_scores", "scale_scores", "softmax", "weighted_sum", "self_attention"]
FUNCTIONS = [exercise for exercise in EXERCISES.values() if exercise.kind in ("step", "bug")]
MATRIX = [(exercise, mistake) for exercise in EXERCISES.values() for mistake in exercise.mistakes]

each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
each_function = pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.id)


def right_function(exercise):
    return exercise.repair if exercise.kind == "bug" else exercise.reference


def run_solution(exercise):
    """像学习者那样运行答案的代码，返回要交给 check 的东西。"""
    names = {"np": np, "attention": attention}
    before = set(names)
    exec(exercise.solution, names)
    return names[next(name for name in names if name not in before and name != "__builtins__")]


def learner(source, name="answer"):
    """在笔记本的一格里定义的函数：源码进 linecache，和 IPython 一样。"""
    filename = f"<cell {len(linecache.cache)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    names = {"np": np, "torch": torch, "time": time}
    exec(compile(source, filename, "exec"), names)
    return names[name]


# ---------------------------------------------------------------- 练习 × 错误


@pytest.mark.parametrize(("exercise", "mistake"), MATRIX, ids=[f"{e.id}-{m.name}" for e, m in MATRIX])
def test_each_mistake_is_named_and_gets_its_own_message(exercise, mistake):
    verdict = check(exercise.id, mistake.answer)
    assert (verdict.status, verdict.mistake) == ("wrong", mistake.name)
    assert re.search(pattern(mistake), repr(verdict))
    assert not [
        other.name
        for other in exercise.mistakes
        if other.message != mistake.message and re.search(pattern(other), repr(verdict))
    ]


def pattern(mistake):
    return re.sub(r"\\\{\w+\\\}", ".+", re.escape(mistake.message))


@each_exercise
def test_each_message_and_name_is_used_once_in_an_exercise(exercise):
    for values in ([m.name for m in exercise.mistakes], [m.message for m in exercise.mistakes]):
        assert len(set(values)) == len(values)


@each_function
def test_two_mistakes_never_give_the_same_results(exercise):
    """不用 checking 的比较：把每种错误在所有输入上的结果写成文字，两两不同，也与答案不同。"""

    def signature(function):
        parts = []
        with np.errstate(all="ignore"):
            for arguments in exercise.inputs():
                try:
                    result = np.round(function(*arguments), 3) + 0.0
                    parts.append(f"{result.shape}{result.tolist()}")
                except ValueError:
                    parts.append("raises")
        return "|".join(parts)

    functions = [mistake.answer for mistake in exercise.mistakes if callable(mistake.answer)]
    signatures = [signature(function) for function in [*functions, right_function(exercise)]]
    assert len(set(signatures)) == len(signatures)


@each_exercise
def test_the_reference_passes(exercise):
    assert check(exercise.id, exercise.reference).status == "passed"


@each_exercise
def test_the_solution_as_a_learner_would_type_it_passes(exercise):
    verdict = check(exercise.id, run_solution(exercise))
    assert (verdict.status, verdict.mistake) == ("passed", None)


@pytest.mark.parametrize("blank", [None, ..., "", [], [None, None], (..., ...)])
@each_exercise
def test_a_blank_answer_is_not_attempted(exercise, blank):
    verdict = check(exercise.id, blank)
    assert (verdict.status, verdict.mistake) == ("not_attempted", None)
    assert "还没作答" in repr(verdict)


@pytest.mark.parametrize(
    "body", ["...", "pass", "return None", "return ...", '"""说明"""', "raise NotImplementedError('待写')"]
)
@each_function
def test_a_stub_is_not_attempted(exercise, body):
    stub = learner(f"def answer({', '.join(exercise.arguments)}):\n    {body}\n")
    assert check(exercise.id, stub).status == "not_attempted"


def test_there_are_enough_exercises_of_every_kind():
    assert 20 <= len(EXERCISES) <= 24
    assert len(MATRIX) >= 60
    assert {exercise.kind for exercise in EXERCISES.values()} == {"step", "number", "shape", "bug", "reading"}
    assert [exercise.id for exercise in EXERCISES.values() if exercise.kind == "step"] == STEPS
    notebooks = [exercise.notebook for exercise in EXERCISES.values()]
    assert len(set(notebooks)) == 7
    assert all(notebooks.count(name) >= 3 for name in notebooks)


# ---------------------------------------------------------------- 题目本身是对的


def test_the_step_references_agree_with_torch():
    def tensors(*arrays):
        return [torch.from_numpy(array) for array in arrays]

    def whole(X, W_Q, W_K, W_V):
        X, *projections = tensors(X, W_Q, W_K, W_V)
        return torch.nn.functional.scaled_dot_product_attention(*(X @ W for W in projections))

    oracles = {
        "project": lambda X, W: torch.nn.functional.linear(*tensors(X, W.T)),
        "attention_scores": lambda Q, K: torch.einsum("id,jd->ij", *tensors(Q, K)),
        "scale_scores": lambda scores, d_k: torch.from_numpy(scores) * d_k**-0.5,
        "softmax": lambda scores: torch.softmax(torch.from_numpy(scores), dim=1),
        "weighted_sum": lambda weights, V: torch.einsum("ij,jd->id", *tensors(weights, V)),
        "self_attention": whole,
        "bug_softmax": lambda scores: torch.softmax(torch.from_numpy(scores), dim=1),
        "bug_values": whole,
    }
    for exercise_id, oracle in oracles.items():
        exercise = EXERCISES[exercise_id]
        for arguments in exercise.inputs():
            theirs = oracle(*arguments).numpy()
            assert np.allclose(right_function(exercise)(*arguments), theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("exercise_id", ["project", "attention_scores", "weighted_sum", "self_attention"])
def test_all_sizes_of_the_first_inputs_differ(exercise_id):
    for arguments in EXERCISES[exercise_id].inputs()[:2]:
        sizes = {
            "project": [*arguments[0].shape, arguments[1].shape[1]],
            "attention_scores": [*arguments[0].shape, arguments[1].shape[0]],
            "weighted_sum": [*arguments[0].shape, arguments[1].shape[1]],
            "self_attention": [*arguments[0].shape, arguments[1].shape[-1], arguments[-1].shape[1]],
        }[exercise_id]
        assert len(set(sizes)) == len(sizes)


def test_the_pencil_numbers_agree_with_the_examples():
    love, cat = load_example("我爱你"), load_example("猫吃鱼")
    love_steps = attention.self_attention(love.X, love.W_Q, love.W_K, love.W_V)
    cat_steps = attention.self_attention(cat.X, cat.W_Q, cat.W_K, cat.W_V)
    masked = np.where(np.tri(3, dtype=bool), love_steps.scaled_scores, -np.inf)
    facts = {
        "pencil_query": np.array([2, 0, 1, 3]) @ love.W_Q,
        "pencil_score": cat_steps.Q[2] @ np.array([0.5, 0.1, 0.2, 0]),
        "pencil_scaling": np.array([0.9, 0.4, 0.2]) / cat_steps.Q.shape[1] ** 0.5,
        "pencil_mask": attention.softmax(masked)[1],
        "pencil_mix": np.array([0.5, 0, 0.5]) @ cat_steps.V,
        "pencil_softmax": torch.softmax(torch.tensor([0, 0.6931, 0]), dim=0).numpy(),
        "pencil_join_rows": len([(q, k) for q in range(3) for k in range(5)]),
        "pencil_path": len([(step, step + 1) for step in range(1, 20)]),
        "pencil_cost": np.zeros((4000, 4000), np.float32).nbytes / np.zeros((1000, 1000), np.float32).nbytes,
    }
    for exercise_id, value in facts.items():
        assert np.allclose(EXERCISES[exercise_id].reference, value, rtol=0, atol=5e-5), exercise_id
    assert round(cat_steps.scores[1, 2], 4) == 0.37  # reading_cell
    assert "0.37" in EXERCISES["reading_cell"].task


def test_the_variance_of_the_pencil_exercise_is_measured():
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 20_000, 100)) * 2
    divisor = EXERCISES["pencil_std"].reference
    assert ((q * k).sum(axis=1) / divisor).var() == pytest.approx(1, abs=0.05)


def test_the_shapes_are_what_numpy_gives():
    assert (np.zeros((5, 8)) @ np.zeros((8, 2))).shape == EXERCISES["projection_shape"].reference
    assert (np.zeros((2, 6)) @ np.zeros((5, 6)).T).shape == EXERCISES["scores_shape"].reference


@pytest.mark.parametrize("exercise_id", ["bug_scaling", "bug_softmax", "bug_values"])
def test_the_snippet_is_wrong_as_given_and_right_with_its_line_repaired(exercise_id):
    exercise = EXERCISES[exercise_id]
    lines = exercise.snippet.splitlines()
    repaired = exercise.solution.split("应是 ")[1]
    index = exercise.reference - 1
    lines[index] = "    " + ("return " if "return" in lines[index] else "") + repaired

    def define(source):
        names = {"np": np, "softmax": attention.softmax}
        exec(source, names)
        return names[re.match(r"def (\w+)", source)[1]]

    broken = check(exercise_id, define(exercise.snippet))
    assert broken.status == "wrong"
    assert broken.mistake.startswith("still_")
    assert check(exercise_id, define("\n".join(lines))).status == "passed"


def test_every_wrong_line_and_option_is_answered():
    for exercise in EXERCISES.values():
        if exercise.kind == "bug":
            lines = set(range(1, exercise.snippet.count("\n") + 2)) - {exercise.reference}
            assert {m.answer for m in exercise.mistakes if not callable(m.answer)} == lines
        if exercise.kind == "reading":
            assert {m.answer for m in exercise.mistakes} == set(exercise.options) - {exercise.reference}


# ---------------------------------------------------------------- 消息里没有答案


@each_exercise
def test_messages_and_hints_never_contain_the_answer(exercise):
    texts = [re.sub("你的答案是.*", "", repr(check(exercise.id, m.answer))) for m in exercise.mistakes]
    texts += [repr(check(exercise.id, None)), *exercise.hints]
    if exercise.kind == "number":
        several = isinstance(exercise.reference, list)
        secret = (
            "、".join(f"{value:g}" for value in exercise.reference) if several else f"{exercise.reference:g}"
        )
        secrets = [rf"(?<![\d.]){re.escape(secret)}(?![\d.])", re.escape(str(exercise.reference))[:99]]
        secrets = secrets if several else secrets[:1]
    elif exercise.kind == "shape":
        secrets = [re.escape(str(exercise.reference))]
    elif exercise.kind == "reading":
        secrets = [rf"选 ?{exercise.reference}", rf"(?<![A-Z_]){exercise.reference}(?![A-Za-z_])"]
    elif exercise.kind == "bug":
        secrets = [rf"第 {exercise.reference} 行(?!第|加|是)", re.escape(exercise.solution.split("应是 ")[1])]
    else:
        secrets = [re.escape(exercise.solution.splitlines()[-1].replace("return", "").strip())]
    for secret in secrets:
        assert not [text for text in texts if re.search(secret, text)]


@each_function
def test_a_wrong_function_is_told_the_place_and_shape_but_not_the_right_number(exercise):
    right = right_function(exercise)

    def nearly(*arguments):
        result = np.array(right(*arguments))
        result[-1, 0] += 0.25
        return result

    verdict = check(exercise.id, nearly)
    expected = right(*exercise.inputs()[0])
    assert (verdict.status, verdict.mistake) == ("wrong", None)
    assert f"第 {len(expected)} 行第 1 列" in repr(verdict)
    assert str(expected.shape) in repr(verdict)
    yours = re.search(r"你的是 (\S+?)。", repr(verdict))[1].replace("−", "-")
    assert float(yours) == pytest.approx(expected[-1, 0] + 0.25, abs=1e-4)
    assert f"{expected[-1, 0]:.3f}".strip("-") not in repr(verdict)


@each_exercise
def test_the_words_of_the_glossary_are_used(exercise):
    texts = [exercise.title, exercise.task, exercise.why, *exercise.options.values(), *exercise.hints]
    texts += [mistake.message for mistake in exercise.mistakes]
    assert not [text for text in texts if WRONG_WORDS.search(text)]


@each_exercise
def test_plain_messages_carry_no_markdown(exercise):
    assert not [mistake.name for mistake in exercise.mistakes if "**" in mistake.message]
    assert not [words for words in [*exercise.hints, exercise.why] if "**" in words]


# ---------------------------------------------------------------- 怪答案：函数


def bent(change):
    """先算对，再弄坏结果。"""
    return lambda right: lambda *arguments: change(np.array(right(*arguments)))


def nan_at_the_start(result):
    result[0, 0] = np.nan
    return result


def raising(right):
    return lambda *arguments: right(*arguments) + [][0]


def shouting(right):
    def function(*arguments):
        right(*arguments)
        print("做完了")

    return function


def forgetful(right):
    def function(*arguments):
        result = right(*arguments)
        result = result + 0

    return function


def random_each_time(right):
    return lambda *arguments: right(*arguments) + np.random.default_rng().random()


def with_memory(right):
    calls = []

    def function(*arguments):
        calls.append(1)
        return right(*arguments) + len(calls)

    return function


def sometimes(right):
    calls = []

    def function(*arguments):
        calls.append(1)
        return right(*arguments) if len(calls) % 2 else None

    return function


BENT = [
    ("wrong_type", bent(lambda result: result.tolist()), "列表"),
    ("wrong_type", bent(lambda result: (result,)), "元组"),
    ("wrong_type", bent(torch.from_numpy), "torch 张量"),
    ("wrong_type", bent(lambda result: float(result.sum())), "一个数"),
    ("wrong_type", bent(lambda result: result[0, 0]), "一个数"),
    ("wrong_type", bent(str), "文字"),
    ("wrong_type", bent(lambda result: {"结果": result}), "字典"),
    ("wrong_type", bent(lambda result: lambda: result), "函数"),
    ("wrong_type", bent(lambda result: (row for row in result)), "generator"),
    ("wrong_dtype", bent(lambda result: np.nan_to_num(result).astype(int)), "小数部分丢了"),
    ("wrong_dtype", bent(lambda result: result > 0), "bool"),
    ("wrong_dtype", bent(lambda result: result + 0j), "complex128"),
    ("wrong_dtype", bent(lambda result: result.astype(object)), "object"),
    ("wrong_dtype", bent(lambda result: result.astype(str)), "<U"),
    ("wrong_shape", bent(lambda result: result[None]), "(1, "),
    ("wrong_shape", bent(lambda result: result.ravel()), ",)"),
    ("wrong_shape", bent(lambda result: result[:, :1] + 0), "1)"),
    ("wrong_shape", bent(lambda result: result[:0]), "(0, "),
    ("wrong_shape", bent(lambda result: np.array(1.5)), "()"),
    ("not_finite", bent(nan_at_the_start), "第 1 行第 1 列，你的是 nan"),
    ("not_finite", bent(lambda result: result + np.inf), "∞"),
    ("raised", raising, "IndexError"),
    ("printed_instead", shouting, "return"),
    ("no_return", forgetful, "return"),
    ("not_deterministic", random_each_time, "结果不一样"),
    ("not_deterministic", with_memory, "结果不一样"),
    ("wrong_parameters", lambda right: lambda: right, "参数"),
    ("wrong_parameters", lambda right: lambda *, named: right, "参数"),
]


@pytest.mark.parametrize(("name", "bend", "words"), BENT)
@each_function
def test_a_bent_result_gets_a_calm_message(exercise, name, bend, words):
    verdict = check(exercise.id, bend(right_function(exercise)))
    assert (verdict.status, verdict.mistake) == ("wrong", name)
    assert words in repr(verdict)
    assert "Traceback" not in repr(verdict)


@each_function
def test_a_missing_return_on_some_paths_is_wrong(exercise):
    assert check(exercise.id, sometimes(right_function(exercise))).status == "wrong"


def test_an_error_shows_its_type_text_and_the_learners_line():
    answer = learner("def answer(Q, K):\n    width = Q.shape[1]\n    return undefined_name / width\n")
    message = repr(check("attention_scores", answer))
    assert "NameError" in message
    assert "undefined_name" in message
    assert "出错的一行：return undefined_name / width" in message


def test_a_shape_error_of_numpy_is_told_in_our_words():
    answer = learner("def answer(X, W):\n    return X.T @ W.T @ X\n")
    message = repr(check("project", answer))
    assert "中间的两个大小是 3 和 4" not in message or "gufunc" not in message
    assert "矩阵乘法的两边对不上" in message
    assert "return X.T @ W.T @ X" in message


def test_a_broadcast_error_names_both_shapes():
    answer = learner("def answer(scaled_scores):\n    return scaled_scores / scaled_scores[:, 0] + 1\n")
    assert "(3, 5) 和 (3,)" in repr(check("softmax", answer))


def test_an_error_without_words_is_told_by_its_name_alone():
    message = repr(check("softmax", learner("def answer(scaled_scores):\n    raise SystemExit\n")))
    assert "时报错：SystemExit\n" in message


@pytest.mark.parametrize("body", ["np.broadcast_to(1.0, (10**6, 10**6))", "np.zeros((20000, 20000))"])
@pytest.mark.parametrize("exercise_id", ["project", "softmax"])
def test_a_huge_result_is_judged_by_its_shape(exercise_id, body):
    """逐个比较这么多的数，要么内存不够，要么几分钟也算不完。"""
    arguments = ", ".join(EXERCISES[exercise_id].arguments)
    verdict = check(exercise_id, learner(f"def answer({arguments}):\n    return {body}\n"))
    assert (verdict.status, verdict.mistake) == ("wrong", "wrong_shape")


def test_a_function_that_checks_itself_is_answered_calmly():
    seen = []

    def answer(X, W):
        seen.append(check("project", answer))
        return X @ W

    assert check("project", answer).status == "passed"
    assert {repr(verdict) for verdict in seen} == {"check 正在运行这个函数：函数里面不要再调用 check。"}
    verdict = check("project", lambda X, W: check("project", answer))
    assert (verdict.status, verdict.mistake) == ("wrong", "wrong_type")
    assert "不要再调用 check" in repr(verdict)


def test_a_called_function_is_not_a_function():
    verdict = check("softmax", attention.softmax([[1, 2]]))
    assert (verdict.status, verdict.mistake) == ("wrong", "not_a_function")
    assert "不要加括号" in repr(verdict)


@pytest.mark.parametrize(
    ("exercise_id", "source", "mistake"),
    [
        ("scale_scores", "scores /= np.sqrt(d_k)\n    return scores", "changed_argument"),
        ("scale_scores", "scores[:] = scores / np.sqrt(d_k)\n    return scores + 0", "changed_argument"),
        ("project", "result = X @ W\n    X[:] = 0\n    return result", "changed_argument"),
        ("weighted_sum", "result = weights @ V\n    V += 1\n    return result", "changed_argument"),
        ("scale_scores", "scores /= d_k\n    return scores", "divided_by_d_k"),
    ],
)
def test_changing_an_argument_is_wrong(exercise_id, source, mistake):
    arguments = ", ".join(EXERCISES[exercise_id].arguments)
    verdict = check(exercise_id, learner(f"def answer({arguments}):\n    {source}\n"))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)


def test_a_view_of_the_input_is_wrong():
    def answer(scores, d_k):
        return scores[:] if d_k == 1 else scores / np.sqrt(d_k)

    verdict = check("scale_scores", answer)
    assert (verdict.status, verdict.mistake) == ("wrong", "shares_memory")


def test_the_same_arguments_are_fresh_for_every_call():
    seen = []

    def answer(scores, d_k):
        seen.append(scores.copy())
        scores[:] = 0
        return scores + 1

    check("scale_scores", answer)
    half = len(seen) // 2
    for first, second in zip(seen[:half], seen[half:], strict=True):
        assert np.array_equal(first, second)
        assert first.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.longdouble])
@each_function
def test_an_answer_right_in_value_passes_whatever_its_float_type(exercise, dtype):
    if dtype is np.float16 and exercise.id in ("self_attention", "bug_values"):
        dtype = np.float32  # float16 存不下这里很大的值
    right = right_function(exercise)
    assert check(exercise.id, lambda *arguments: right(*arguments).astype(dtype)).status == "passed"


def test_computing_in_float32_passes():
    def answer(X, W_Q, W_K, W_V):
        X, W_Q, W_K, W_V = (torch.from_numpy(M).float() for M in (X, W_Q, W_K, W_V))
        return torch.nn.functional.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V).numpy()

    assert check("self_attention", answer).status == "passed"


@pytest.mark.parametrize(
    ("exercise_id", "source"),
    [
        ("project", "return np.einsum('nm,md->nd', X, W)"),
        ("project", "return np.array([[sum(x * w) for w in W.T] for x in X])"),
        ("attention_scores", "return np.array([[q @ k for k in K] for q in Q])"),
        ("attention_scores", "return (K @ Q.T).T"),
        ("scale_scores", "return scores * d_k**-0.5"),
        ("scale_scores", "return np.array([[s / d_k**0.5 for s in row] for row in scores])"),
        (
            "softmax",
            "e = np.exp(scaled_scores - scaled_scores.max(1)[:, None])\n    return e / e.sum(1)[:, None]",
        ),
        ("softmax", "return torch.softmax(torch.from_numpy(scaled_scores), dim=-1).numpy()"),
        ("weighted_sum", "return sum(weights[:, j : j + 1] * V[j] for j in range(len(V)))"),
    ],
)
def test_other_right_ways_pass(exercise_id, source):
    arguments = ", ".join(EXERCISES[exercise_id].arguments)
    assert check(exercise_id, learner(f"def answer({arguments}):\n    {source}\n")).status == "passed"


def test_a_function_with_two_mistakes_is_told_the_first():
    """沿列做，又没有减最大值、还舍入：至少认得出一种。"""
    verdict = check("softmax", lambda s: np.nan_to_num(np.exp(s) / np.exp(s).sum(axis=0)))
    assert verdict.mistake in ("column_softmax", "column_softmax_no_max")
    assert "沿列" in repr(verdict)


def test_printing_is_only_a_note(capsys):
    def answer(X, W):
        print("我在这里")
        warnings.warn("小心", stacklevel=1)
        return X @ W

    verdict = check("project", answer)
    assert verdict.status == "passed"
    assert "print" in repr(verdict)
    assert capsys.readouterr() == ("", "")


def test_a_function_that_warns_writes_nothing(capsys):
    assert check("softmax", EXERCISES["softmax"].mistakes[7].answer).mistake == "no_max"
    assert capsys.readouterr() == ("", "")


# ---------------------------------------------------------------- 怪答案：别的


class Hostile:
    """每件事都抛出异常的对象。"""

    def __getattr__(self, name):
        raise AttributeError(name) if name.startswith("__") else RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError("==")

    __hash__ = None

    def __repr__(self):
        raise RuntimeError("repr")

    def __iter__(self):
        raise RuntimeError("iter")

    def __array__(self, *args, **kwargs):
        raise RuntimeError("array")


SELF = []
SELF.append(SELF)

STRANGE = [
    *(True, 0, -1, 1e400, float("nan"), 3 + 4j, 10**400, b"1", "不知道", "ABCD", "Z", object(), Hostile()),
    *({}, {1: 2}, [[], 1], [[1, 2], [3]], [1, "x"], [None, 1], (1, 2, 3, 4, 5, 6, 7), range(3), print, int),
    *(np.zeros(0), np.zeros((2, 2)), np.array(["a"]), np.array([None]), np.datetime64("2020-01-01")),
    *(torch.zeros(2), torch.zeros(2, requires_grad=True), torch.Size([1]), Hostile, ValueError("x")),
    *(SELF, [[SELF]], "1" * 10**6, Decimal("nan"), np.zeros(10**7)),
]


@pytest.mark.parametrize("answer", STRANGE, ids=range(len(STRANGE)))
@each_exercise
def test_a_strange_answer_is_wrong_in_one_message(exercise, answer):
    verdict = check(exercise.id, answer)
    assert isinstance(verdict, Verdict)
    assert verdict.status == "wrong"
    assert repr(verdict).startswith("还不对：")
    assert "0x" not in repr(verdict)


@pytest.mark.parametrize(
    ("exercise_id", "answer"),
    [
        ("pencil_score", "0.24"),
        ("pencil_score", np.float32(0.24)),
        ("pencil_score", torch.tensor(0.24)),
        ("pencil_score", [0.24]),
        ("pencil_std", 40.0),
        ("pencil_std", "40"),
        ("pencil_softmax", (0.25, 0.5, 0.25)),
        ("pencil_softmax", "1/4, 1/2, 1/4"),
        ("pencil_softmax", "[0.25，0.5，0.25]"),
        ("pencil_softmax", np.array([[0.25, 0.5, 0.25]])),
        ("pencil_scaling", [0.45, 0.2, 0.1]),
        ("pencil_scaling", [0.454, 0.196, 0.1]),
        ("projection_shape", [5, 2]),
        ("projection_shape", "(5, 2)"),
        ("projection_shape", "（5，2）"),
        ("projection_shape", "5×2"),
        ("projection_shape", torch.Size([5, 2])),
        ("projection_shape", np.array([5, 2])),
        ("bug_softmax", "4"),
        ("bug_softmax", np.int64(4)),
        ("bug_softmax", [4]),
        ("reading_cell", "b"),
        ("reading_cell", " B. “吃”看向“鱼”"),
        ("reading_cell", "（Ｂ）"),
        ("reading_cell", "选B"),
        ("reading_cell", ["B"]),
        ("pencil_score", "０．２４"),
        ("pencil_score", "0.24。"),
        ("pencil_score", "6／25"),
        ("pencil_score", Decimal("0.24")),
        ("pencil_score", Fraction(6, 25)),
        ("pencil_std", "40 倍"),
        ("pencil_softmax", "0.25 0.5 0.25"),
        ("pencil_softmax", "0.25；0.5; 0.25"),
        ("pencil_softmax", [[0.25, 0.5, 0.25]]),
        ("pencil_softmax", [[0.25], [0.5], [0.25]]),
        ("pencil_softmax", ["1 / 4", "0.5", 0.25]),
        ("projection_shape", "5X2"),
        ("projection_shape", "5*2"),
        ("projection_shape", "5 2"),
        ("projection_shape", "５×２"),
        ("projection_shape", "5 行 2 列"),
        ("bug_softmax", "第4行"),
        ("bug_softmax", "４行"),
        ("bug_softmax", "第四行"),
        ("bug_softmax", "line 4"),
    ],
)
def test_kindly_read_answers_pass(exercise_id, answer):
    assert check(exercise_id, answer).status == "passed"


@pytest.mark.parametrize(
    ("exercise_id", "answer", "mistake"),
    [
        ("pencil_score", -0.24, "wrong_sign"),
        ("pencil_score", [0.3, 0.06], "wrong_count"),
        ("pencil_softmax", [0.25, 0.5], "wrong_count"),
        ("pencil_score", float("nan"), "not_finite"),
        ("pencil_score", "很大", "wrong_type"),
        ("pencil_score", True, "wrong_type"),
        ("projection_shape", 10, "wrong_ndim"),
        ("projection_shape", (5, 2, 1), "wrong_ndim"),
        ("projection_shape", (5, 2.5), "wrong_type"),
        ("projection_shape", (5, 7), None),
        ("bug_softmax", 9, "wrong_type"),
        ("bug_softmax", 3.5, "wrong_type"),
        ("reading_cell", "E", "wrong_type"),
        ("reading_cell", 2, "wrong_type"),
        ("reading_cell", "BC", "wrong_type"),
        ("reading_cell", "Bat", "wrong_type"),
        ("reading_cell", "B or not", "wrong_type"),
        ("pencil_score", "\u22120.24", "wrong_sign"),
        ("pencil_score", np.zeros(10**7), "wrong_type"),
        ("pencil_softmax", np.broadcast_to(0.5, (10**6, 10**6)), "wrong_type"),
        ("pencil_softmax", "1" * 10**6, "wrong_type"),
    ],
)
def test_other_slips_are_told_apart(exercise_id, answer, mistake):
    verdict = check(exercise_id, answer)
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)


def test_the_messages_are_spaced_and_name_the_rule():
    assert "这里要 3 个数" in repr(check("pencil_softmax", "很大"))
    assert "只写一个字母" in repr(check("reading_cell", "ABC"))


def test_an_unknown_shape_says_which_number_is_right():
    assert "行数对，列数不对" in repr(check("projection_shape", (5, 7)))
    assert "列数对，行数不对" in repr(check("projection_shape", (7, 2)))


@pytest.mark.parametrize(
    ("exercise_id", "words"),
    [
        ("softmx", "没有叫 'softmx' 的练习"),
        ("", "没有叫 '' 的练习"),
        ("很" * 10**6, f"没有叫 '{'很' * 40}…' 的练习"),
        (None, "请写上练习的编号"),
        (3, "编号要加引号"),
        (attention.softmax, "编号要加引号"),
        (["softmax"], "编号要加引号"),
        (Hostile(), "编号要加引号"),
    ],
    ids=range(8),
)
def test_an_unknown_exercise_is_answered_calmly(exercise_id, words):
    for result in (check(exercise_id, 1), hint(exercise_id), solution(exercise_id)):
        assert repr(result).startswith(words)
        assert len(repr(result)) < 600
    assert check(exercise_id, 1).status == "not_attempted"
    assert 'softmax"？' in repr(check("softmx", 1))


def test_an_id_alone_is_enough():
    assert check("softmax").status == "not_attempted"
    assert "还没作答" in repr(check("softmax"))
    assert all(exercise_id in repr(hint()) for exercise_id in EXERCISES)


# ---------------------------------------------------------------- 时限


@pytest.fixture
def short_limit(monkeypatch):
    monkeypatch.setattr(running, "LIMIT_SECONDS", 0.2)


def alive():
    return [thread for thread in threading.enumerate() if thread.daemon and "work" in thread.name]


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "while True: print('x')",
        "time.sleep(2)",
        "while True:\n        try: time.sleep(0.01)\n        except Exception: pass",
        "import itertools\n    for _ in itertools.count(): pass",
    ],
)
def test_a_function_that_runs_for_ever_is_given_up(short_limit, body, capsys):
    answer = learner(f"def answer(X, W):\n    {body}\n")
    verdict = check("project", answer)
    assert (verdict.status, verdict.mistake) == ("wrong", "time_limit")
    for thread in alive():
        thread.join(timeout=5)
    assert not alive()
    assert capsys.readouterr() == ("", "")
    assert check("project", lambda X, W: X @ W).status == "passed"


def test_a_thread_that_cannot_be_stopped_is_mentioned(short_limit):
    verdict = check("project", learner("def answer(X, W):\n    time.sleep(1)\n"))
    assert "重启内核" in repr(verdict)
    for thread in alive():
        thread.join(timeout=5)


def test_the_learners_own_interrupt_gets_through():
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        check("project", learner("def answer(X, W):\n    while True: pass\n"))
    for thread in alive():
        thread.join(timeout=5)
    assert not alive()
    assert check("project", lambda X, W: X @ W).status == "passed"


@pytest.mark.parametrize(
    "body", ["raise SystemExit", "exit()", "raise KeyboardInterrupt", "return answer(X, W)"]
)
def test_leaving_or_recursing_is_only_an_error(body):
    verdict = check("project", learner(f"def answer(X, W):\n    {body}\n"))
    assert (verdict.status, verdict.mistake) == ("wrong", "raised")


def test_memory_does_not_grow_over_a_thousand_calls():
    def failing(X, W):
        return np.zeros((100, 100)) + undefined  # noqa: F821

    answers = [EXERCISES["project"].reference, EXERCISES["project"].mistakes[0].answer, failing, None]

    def call_all(times):
        for call in range(times):
            check("project", answers[call % 4])

    call_all(40)
    tracemalloc.start()
    call_all(40)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    call_all(1000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000


LEAVING = """
from IPython.display import clear_output, display
import matplotlib.pyplot as plt

before = get_ipython().ask_exit


def {name}(X, W):
    {body}
    return X @ W


check("project", {name}).mistake, check("project", {name}).message, get_ipython().ask_exit == before
"""


def test_a_plain_ipython_shell_is_left_as_it_was():
    """没有 ask_exit 的 IPython：exit() 只是报错，display 不显示，事后都复原。"""
    cell = """
from utils.exercises import check
def leaving(X, W):
    exit()
def showing(X, W):
    display(X)
    return X @ W
statuses = [check("project", function) for function in (leaving, showing)]
print([verdict.mistake for verdict in statuses], hasattr(get_ipython(), "ask_exit"))
display("看得见")
"""
    source = "from IPython.core.interactiveshell import InteractiveShell\n"
    source += f"InteractiveShell.instance().run_cell({cell!r})"
    command = [sys.executable, "-X", "utf8", "-c", source]
    result = subprocess.run(command, cwd=NOTEBOOKS.parent, capture_output=True, encoding="utf-8", check=True)
    assert result.stdout.splitlines() == ["['raised', None] False", "'看得见'"]


def test_a_kernel_survives_an_endless_function_and_an_interrupt():
    """真的内核：超时以后、学习者中断以后，下一格照常运行；exit() 不让它退出，display 不显示。"""
    endless = "def answer(X, W):\n    while True:\n        pass\n\n\n"
    sources = [
        "import sys\nsys.path.insert(0, '..')\nfrom utils.exercises import check, running",
        f"{endless}running.LIMIT_SECONDS = 0.3\ncheck('project', answer).mistake",
        f"{endless}running.LIMIT_SECONDS = 100\ncheck('project', answer)",  # 六秒后按下中断
        "check('project', lambda X, W: X @ W)",
        LEAVING.format(name="leaving", body="exit() if X.size % 2 else quit()"),
        LEAVING.format(name="showing", body="clear_output(); display(X); plt.plot(X); plt.show(); print(1)"),
        "import time; time.sleep(4); display('还在')",
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources])
    client = NotebookClient(
        notebook,
        timeout=2,
        interrupt_on_timeout=True,
        allow_errors=True,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.startup_timeout = 60
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "timeout_func", lambda cell: 6 if "100" in cell.source else 60)
        client.execute()
    timed_out, interrupted, passed, left, shown, last = (cell.outputs[-1] for cell in notebook.cells[1:])
    assert timed_out.data["text/plain"] == "'time_limit'"
    assert interrupted.ename == "KeyboardInterrupt"
    assert passed.data["text/plain"].startswith("通过")
    assert left.data["text/plain"].startswith("('raised'")
    assert "SystemExit" in left.data["text/plain"]
    assert left.data["text/plain"].endswith("True)")
    assert [output.output_type for output in notebook.cells[5].outputs] == ["execute_result"]
    assert shown.data["text/plain"].startswith("(None")
    assert "print" in shown.data["text/plain"]
    assert last.data["text/plain"] == "'还在'"


# ---------------------------------------------------------------- 提示、答案、预测


@each_exercise
def test_hints_go_on_and_the_last_one_stays(exercise):
    assert 2 <= len(exercise.hints) <= 3
    for level, words in enumerate(exercise.hints, start=1):
        assert words in repr(hint(exercise.id, level))
    last = repr(hint(exercise.id, len(exercise.hints)))
    assert repr(hint(exercise.id, 99)) == last
    assert repr(hint(exercise.id)) == repr(hint(exercise.id, 0)) == repr(hint(exercise.id, "x"))
    for level in ("2", 2.0, np.int64(2)):
        assert repr(hint(exercise.id, level)) == repr(hint(exercise.id, 2))
    for level in (True, float("nan"), None, -3):
        assert repr(hint(exercise.id, level)) == repr(hint(exercise.id))
    assert repr(hint(exercise.id, float("inf"))) == last


@each_exercise
def test_the_solution_shows_code_and_why(exercise):
    shown = solution(exercise.id)
    assert exercise.solution in repr(shown)
    assert exercise.why in repr(shown)
    assert f"```python\n{exercise.solution}\n```" in shown._repr_markdown_()
    assert "\n\n**为什么**：" in shown._repr_markdown_()


@pytest.mark.parametrize(
    ("guess", "truth", "words"),
    [
        (None, 3, "还没写下预测"),
        (..., [1, 2], "还没写下预测"),
        (3, 3, "猜对了：3。"),
        (1.65, 1.6487, "猜对了：1.6487。"),
        (2, 1.6487, "猜的是 2，结果是 1.6487：差在哪里？"),
        ([0.31, 0.31], np.array([0.3157, 0.3157]), "结果是 [0.3157, 0.3157]"),
        ([0.32, 0.32], np.array([0.3157, 0.3157]), "猜对了"),
        ((3, 4), (3, 4), "猜对了：(3, 4)。"),
        ([3, 1], {1, 3}, "猜对了：{1、3}。"),
        ([], set(), "猜对了：{}。"),
        (0, set(), "猜的是 0，结果是 {}"),
        (2, {1, 3}, "猜的是 2，结果是 {1、3}"),
        ("我 ", "我", "猜对了：“我”。"),
        (True, np.bool_(True), "猜对了：是。"),
        (False, True, "猜的是 否，结果是 是"),
        (1, True, "猜的是 1，结果是 是"),
        ([1, 2, 3], [1, 2], "差在哪里？"),
        (object(), 3, "猜的是 一个 object"),
        (Hostile(), 3, "差在哪里？"),
        ([[1], [1, 2]], 3, "差在哪里？"),
        (-0.0, 0, "猜对了：0。"),
        ("是", True, "猜对了：是。"),
        ("对 ", np.bool_(True), "猜对了：是。"),
        ("True", True, "猜对了：是。"),
        ("否", False, "猜对了：否。"),
        ("错", True, "结果是 是"),
        ("2.72", 2.7183, "猜对了"),
        ("２", 2, "猜对了：2。"),
        ("(3，4)", (3, 4), "猜对了：(3, 4)。"),
        ("0.62,0.38,0", np.array([0.6225, 0.3775, 0]), "猜对了"),
        ("1，3", {1, 3}, "猜对了：{1、3}。"),
        (["1 ", "3"], {1, 3}, "猜对了"),
        ([" 我", "你 "], {"我", "你"}, "猜对了"),
        ([" 我", "你 "], ["我", "你"], "猜对了"),
        ("", 3, "还没写下预测"),
        ("  ", 3, "还没写下预测"),
        ([None, None], [1, 2], "还没写下预测"),
        (3 + 0j, 3, "猜的是 一个 complex"),
        (np.complex128(3), 3, "差在哪里？"),
        (np.array([3 + 0j]), 3, "差在哪里？"),
        (3 + 0j, {3}, "差在哪里？"),
        (b"3", 3, "猜的是 一个 bytes"),
        (torch.tensor([1.0, 2.0], requires_grad=True), [1, 2], "猜对了"),
        (3, torch.tensor(3.0, requires_grad=True), "猜对了：3。"),
        (np.eye(2), np.eye(2), "猜对了：[[1, 0], [0, 1]]。"),
        (np.broadcast_to(1.0, (10**6, 10**6)), 3, "猜的是 一个形状 (1000000, 1000000) 的数组"),
        ("很" * 10**6, 3, f"猜的是 “{'很' * 40}…”"),
        (list(range(10**6)), 3, "猜的是 一个有 1000000 项的 list"),
        (SELF, 3, "猜的是 [[一个有 1 项的 list]]"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_prediction_is_compared_kindly(guess, truth, words):
    assert words in repr(predict(guess, truth))


def test_an_unwritten_prediction_does_not_show_the_result():
    assert "1.6487" not in repr(predict(None, 1.6487))

"""练习：每一种常见错误都认得出，只认成它自己；没作答不算错；再怪的答案也只得到一句话。"""

import _thread
import linecache
import math
import re
import threading
import time
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
from utils.exercises import EXERCISES, Verdict, check, hint, predict, solution
from utils.notebooks import NOTEBOOKS
from utils.tests.exercise_cells import as_class, cell_of, define, handed_in, missing_fields
from utils.tests.notebook_rules import WRONG_WORDS
from utils.transformer import LanguageModel

FUNCTIONS = [exercise for exercise in EXERCISES.values() if exercise.kind in ("step", "bug", "module")]
MATRIX = [(exercise, mistake) for exercise in EXERCISES.values() for mistake in exercise.mistakes]
KINDS = {  # 每种一道：判定只看种类；笔算分一个数和一列数
    exercise.kind + "s" * isinstance(exercise.reference, list): exercise for exercise in EXERCISES.values()
}

each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
each_function = pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.id)
each_kind = pytest.mark.parametrize("exercise", KINDS.values(), ids=KINDS)


def right_function(exercise):
    return exercise.repair or exercise.reference


def learner(source):
    """在笔记本的一格里定义的函数 answer：源码进 linecache，和 IPython 一样。"""
    filename = f"<cell {len(linecache.cache)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    names = {"np": np, "torch": torch, "time": time, "warnings": warnings, "check": check}
    exec(compile(source, filename, "exec"), names)
    return names["answer"]


def written(exercise_id, body):
    """学习者写的函数体，参数照题目。"""
    return learner(f"def answer({', '.join(EXERCISES[exercise_id].arguments)}):\n    {body}\n")


# ---------------------------------------------------------------- 练习 × 错误


@each_exercise
def test_the_record_has_what_its_kind_needs(exercise):
    assert not missing_fields(exercise)


@pytest.mark.parametrize(("exercise", "mistake"), MATRIX, ids=[f"{e.id}-{m.name}" for e, m in MATRIX])
def test_each_mistake_is_named_and_gets_its_own_message(exercise, mistake):
    verdict = check(exercise.id, handed_in(exercise, mistake.answer))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake.name)
    assert re.search(pattern(mistake), repr(verdict))
    others = [other for other in exercise.mistakes if other is not mistake]
    assert not [other.name for other in others if re.search(pattern(other), repr(verdict))]
    assert mistake.name not in [other.name for other in others]


def pattern(mistake):
    return re.sub(r"\\\{\w+\\\}", ".+", re.escape(mistake.message))


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
def test_the_right_answer_passes_and_a_blank_is_not_attempted(exercise):
    if exercise.kind == "step":  # 那是课程的函数：要自己写
        assert check(exercise.id, exercise.reference).mistake == "course_function"
        right = define(exercise.solution, exercise)
    elif exercise.kind == "module":
        right = as_class(exercise, exercise.reference)
    else:
        right = handed_in(exercise, exercise.reference)
    assert check(exercise.id, right).status == "passed"
    for blank in (None, ..., "", " ", [], [None, None], (..., ...)):
        verdict = check(exercise.id, blank)
        assert (verdict.status, verdict.mistake) == ("not_attempted", None)
        assert "还没作答" in repr(verdict)


@each_function
def test_a_stub_is_not_attempted(exercise):
    for body in ("...", "pass", "return None", '"""说明"""', "raise NotImplementedError('待写')"):
        if exercise.kind == "module":
            forward = learner(f"def answer(self, X):\n    {body}\n")
            stub = type("Stub", (define(exercise.solution, exercise),), {"forward": forward})
        else:
            stub = written(exercise.id, body)
        assert check(exercise.id, stub).status == "not_attempted"


# ---------------------------------------------------------------- 题目本身是对的


@each_function
def test_no_matrix_of_the_first_inputs_is_square(exercise):
    """行数与列数不同，转置错了才看得见；不写种子，每次都是同样的数。"""
    first, again = exercise.inputs()[0], exercise.inputs()[0]
    assert not [value.shape for value in first if np.ndim(value) and len(set(value.shape)) < 2]
    assert all(map(np.array_equal, first, again))


def test_the_pencil_numbers_agree_with_the_examples():
    love, cat = load_example("我爱你"), load_example("猫吃鱼")
    cat_steps = attention.self_attention(cat.X, cat.W_Q, cat.W_K, cat.W_V)
    facts = {
        "pencil_query": np.array([2, 0, 1, 3]) @ love.W_Q,
        "pencil_score": cat_steps.Q[2] @ np.array([0.5, 0.1, 0.2, 0]),
        "pencil_scaling": np.array([0.9, 0.4, 0.2]) / cat_steps.Q.shape[1] ** 0.5,
        "pencil_causal": attention.softmax([[0, 0.6931, -np.inf]])[0],
        "mask_shape": (np.zeros((7, 16)) @ np.zeros((5, 16)).T).shape,
        "pencil_softmax": torch.softmax(torch.tensor([0, 0.6931, 0]), dim=0).numpy(),
        "pencil_memory": 8 * np.zeros((2000, 2000), np.float32).nbytes / 1e6,
        "scores_shape": (np.zeros((2, 6)) @ np.zeros((5, 6)).T).shape,
    }
    for exercise_id, value in facts.items():
        assert np.allclose(EXERCISES[exercise_id].reference, value, rtol=0, atol=5e-5), exercise_id
    assert f"{cat_steps.scores[1, 2]:.2f}" in cell_of(EXERCISES["reading_cell"]).text


def test_the_tables_are_measured():
    rng, std, model = np.random.default_rng(0), [], LanguageModel("字" * 1000, 64, 4, 256, 2, 128)
    for d_k in (4, 100):
        q, k = rng.standard_normal((2, 20_000, d_k))
        scores = (q * k).sum(axis=1)
        std += [scores.std(), (scores / d_k**0.5).std(), (scores / d_k).std()]
    assert EXERCISES["scaling_table"].reference == pytest.approx(std, rel=0.02)
    sizes = {name: p.numel() for name, p in model.named_parameters() if p.ndim == 2}
    block = [n for name, n in sizes.items() if name.startswith("blocks.0")]
    one_row = model.blocks[0].attention(torch.zeros(1, 64))[2]
    cache = 2 * 2 * sum(part.numel() for part in one_row)
    whole = sum(n for name, n in sizes.items() if not name.startswith("readout"))
    table = [sum(block[:4]), sum(block[4:]), sizes["token_vectors.weight"], whole]
    wide = model.blocks[0].feed_forward[0].out_features
    assert EXERCISES["model_table"].reference == [*table, wide, cache]
    X, W = np.ones((10, 40)), np.ones((40, 40))
    steps = attention.multi_head_attention(X, W, W, W, W, 8)
    kept = [2 * np.zeros((1000, width), np.float16).nbytes / 1e6 for width in (40, 2 * 5)]
    shapes = [attention.split_heads(X, 8)[0].shape[1], steps.heads[0].weights.shape[1], steps.joined.shape[1]]
    assert EXERCISES["heads_table"].reference == [*shapes, 4 * W.size, *kept]


def printed(exercise_id):
    """题目的表里印着的几个矩阵，一列一个：[第 1 个, 第 2 个……]。"""
    lines = re.findall(r"^\| (\d.*) \|$", cell_of(EXERCISES[exercise_id]).text, flags=re.MULTILINE)
    rows = [line.split(" | ") for line in lines]
    return [np.array([list(map(float, row[i].split(","))) for row in rows]) for i in range(len(rows[0]))]


def test_the_printed_weights_have_the_faults_they_are_said_to_have():
    scores, *shown = printed("weights_faults")
    e = torch.exp(torch.from_numpy(scores)).numpy()
    faults = {"A": scores / scores.sum(1, keepdims=True), "B": e / e.sum(0), "D": e / e.sum()}
    for letter, weights in zip(EXERCISES["weights_faults"].reference, shown, strict=True):
        assert np.allclose(faults[letter], weights, rtol=0, atol=0.0051)
    scores, *shown = printed("mask_faults")
    seen, ahead = np.tri(3), np.tri(3, k=1)
    with np.errstate(divide="ignore"):
        after = torch.softmax(torch.from_numpy(scores), 1).numpy() * seen
        zero = torch.softmax(torch.from_numpy(scores * seen), 1).numpy()
        one_ahead = torch.softmax(torch.from_numpy(scores + np.log(ahead)), 1).numpy()
    faults = {"A": zero, "C": after, "D": one_ahead}
    for letter, weights in zip(EXERCISES["mask_faults"].reference, shown, strict=True):
        assert np.allclose(faults[letter], weights, rtol=0, atol=0.0051)


# ---------------------------------------------------------------- 消息和提示的文字


@each_exercise
def test_messages_and_hints_never_contain_the_answer(exercise):
    texts = [
        re.sub("你的答案是.*", "", repr(check(exercise.id, handed_in(exercise, m.answer))))
        for m in exercise.mistakes
    ]
    texts += [repr(check(exercise.id, None)), *exercise.hints]
    if exercise.kind in ("number", "table"):
        values = np.atleast_1d(exercise.reference)
        secrets = [rf"(?<![\d.]){'[、, ]+'.join(re.escape(f'{value:g}') for value in values)}(?![\d.])"]
    elif exercise.kind == "shape":
        secrets = [re.escape(str(exercise.reference))]
    elif exercise.kind in ("order", "match"):
        secrets = [exercise.reference]
    elif exercise.kind == "truth":
        secrets = [re.escape(exercise.why)]
    elif exercise.kind == "reading":
        secrets = [rf"选 ?{exercise.reference}", rf"(?<![A-Z_\"]){exercise.reference}(?![A-Za-z_])"]
    elif exercise.kind == "bug":
        secrets = [rf"第 {exercise.reference} 行(?!第|加|是)", re.escape(exercise.solution.split("应是 ")[1])]
    else:
        secrets = [re.escape(exercise.solution.splitlines()[-1].replace("return", "").strip())]
    assert not [text for text in texts for secret in secrets if re.search(secret, text)]


@each_exercise
def test_the_texts_use_the_words_of_the_glossary_and_carry_no_bold(exercise):
    texts = [exercise.title, exercise.why, *exercise.hints]
    texts += [mistake.message for mistake in exercise.mistakes]
    assert not [text for text in texts if WRONG_WORDS.search(text) or "**" in text]


@each_exercise
def test_hints_go_on_and_the_last_one_stays(exercise):
    assert len(exercise.hints) >= 2
    for level, words in enumerate(exercise.hints, start=1):
        assert words in repr(hint(exercise.id, level))
    first, last = (repr(hint(exercise.id, level)) for level in (1, len(exercise.hints)))
    assert {repr(hint(exercise.id, odd)) for odd in (99, np.int64(len(exercise.hints)))} == {last}
    assert {repr(hint(exercise.id, odd)) for odd in (0, -3, "x", None, float("nan"))} == {first}


@each_exercise
def test_the_solution_shows_code_and_why(exercise):
    shown = solution(exercise.id)
    assert repr(shown) == f"{exercise.solution}\n\n为什么：{exercise.why}"
    markdown = f"```python\n{exercise.solution}\n```\n\n**为什么**：{exercise.why}"
    assert shown._repr_markdown_() == markdown


# ---------------------------------------------------------------- 怪答案：函数


@each_function
def test_a_wrong_function_is_told_the_place_and_shape_but_not_the_right_number(exercise):
    right = right_function(exercise)

    def nearly(*arguments):
        result = np.array(right(*arguments))
        result[-1, 0] += 0.25
        return result

    verdict = check(exercise.id, handed_in(exercise, nearly))
    expected = right(*exercise.inputs()[0])
    assert (verdict.status, verdict.mistake) == ("wrong", None)
    assert f"第 {len(expected)} 行第 1 列" in repr(verdict)
    assert str(expected.shape) in repr(verdict)
    yours = re.search(r"你的是 (\S+?)。", repr(verdict))[1].replace("−", "-")
    assert float(yours) == pytest.approx(expected[-1, 0] + 0.25, abs=1e-4)
    assert f"{expected[-1, 0]:.3f}".strip("-") not in repr(verdict)


WRONG = [
    ("project", "return (X @ W).tolist()", "wrong_type", "列表"),
    ("project", "return (X @ W,)", "wrong_type", "元组"),
    ("project", "return torch.from_numpy(X @ W)", "wrong_type", "torch 张量"),
    ("project", "return (X @ W)[0, 0]", "wrong_type", "一个数"),
    ("project", "return str(X @ W)", "wrong_type", "文字"),
    ("project", "return X @ W if len(X) < 4 else None", "wrong_type", "每条路都要有 return"),
    ("project", "return check('project', answer)", "wrong_type", "不要再调用 check"),
    ("project", "return (X @ W).astype(int)", "wrong_dtype", "小数部分丢了"),
    ("project", "return (X @ W).astype(np.float16)", "wrong_dtype", "三位有效数字"),
    ("project", "return (X @ W).astype(object)", "wrong_dtype", "object"),
    ("project", "return (X @ W)[None]", "one_more_axis", "(1, 3, 4)"),
    ("project", "return (X @ W)[:0]", "wrong_shape", "(0, 4)"),
    ("project", "return np.array(1.5)", "wrong_shape", "()"),
    ("softmax", "return np.broadcast_to(1.0, (10**6, 10**6))", "wrong_shape", "(1000000, 1000000)"),
    ("project", "result = X @ W\n    result[0, 0] = np.nan\n    return result", "not_finite", "你的是 非数"),
    ("project", "return X @ W - np.inf", "not_finite", "−∞"),
    ("project", "print(X @ W)", "printed_instead", "return"),
    ("project", "result = X @ W", "no_return", "return"),
    ("project", "return X @ W + np.random.random()", "not_deterministic", "结果不一样"),
    ("scale_scores", "scores /= np.sqrt(d_k)\n    return scores", "changed_argument", "scores"),
    ("project", "result = X @ W\n    X[:] = 0\n    return result", "changed_argument", "X"),
    ("scale_scores", "scores /= d_k\n    return scores", "divided_by_d_k", "忘了开平方"),
    (
        "attention_scores",
        "w = 1\n    return undefined / w",
        "missing_name",
        "出错的一行：return undefined / w",
    ),
    ("project", "return X.T @ W.T @ X", "raised", "矩阵乘法的两边对不上"),
    ("softmax", "return scaled_scores / scaled_scores[:, 0] + 1", "raised", "(3, 5) 和 (3,)"),
    ("softmax", "raise SystemExit", "raised", "时报错：SystemExit\n"),
    ("project", "exit()", "raised", "SystemExit"),
    ("project", "raise KeyboardInterrupt", "raised", "KeyboardInterrupt"),
    ("project", "return answer(X, W)", "raised", "RecursionError"),
    ("project", "return input()", "raised", "没有人来输入"),
    ("project", "breakpoint()\n    return X @ W", "raised", "没有人来输入"),
    # 沿列做，又没有减最大值：两个错误，至少认得出一种
    (
        "softmax",
        "return np.nan_to_num(np.exp(scaled_scores) / np.exp(scaled_scores).sum(0))",
        "column_softmax",
        "沿列",
    ),
    ("bug_softmax", "return scaled_scores.tolist()", "wrong_type", "列表"),
]


@pytest.mark.parametrize(("exercise_id", "body", "mistake", "words"), WRONG)
def test_a_wrong_function_is_told_why(exercise_id, body, mistake, words):
    verdict = check(exercise_id, written(exercise_id, body))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)
    assert words in repr(verdict)


@pytest.mark.parametrize(
    "answer", [lambda: 1, lambda *, X, W: X @ W, np.eye(3)], ids=["none", "named", "called"]
)
def test_a_function_of_other_parameters_or_its_result_is_told_so(answer):
    assert check("project", answer).mistake in ("wrong_parameters", "not_a_function")


@pytest.mark.parametrize(
    ("exercise_id", "body"),
    [
        ("project", "return np.einsum('nm,md->nd', X, W)"),
        ("project", "return np.array([[sum(x * w) for w in W.T] for x in X])"),
        ("attention_scores", "return (K @ Q.T).T"),
        ("attention_scores", "return (Q @ K.T).astype(np.float32)"),
        ("softmax", "return torch.softmax(torch.from_numpy(scaled_scores).float(), dim=-1).numpy()"),
        ("weighted_sum", "return sum(weights[:, j : j + 1] * V[j] for j in range(len(V)))"),
        ("weighted_sum", "return (weights @ V).astype(np.longdouble)"),
    ],
)
def test_other_right_ways_pass(exercise_id, body):
    assert check(exercise_id, written(exercise_id, body)).status == "passed"


def test_printing_is_only_a_note(capsys):
    verdict = check("project", written("project", "print(1)\n    warnings.warn('小心')\n    return X @ W"))
    assert verdict.status == "passed"
    assert "print" in repr(verdict)
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


SELF = []
SELF.append(SELF)

STRANGE = [
    *(True, 0, -1, 1e400, float("nan"), 3 + 4j, 10**400, b"1", "不知道", "ABCD", "Z", object(), Hostile()),
    *({1: 2}, [[], 1], [[1, 2], [3]], [1, "x"], [None, 1], tuple(range(1, 8)), range(3), print, SELF),
    *(np.zeros(0), np.zeros((2, 2)), np.array(["a"]), np.array([None]), torch.zeros(2, requires_grad=True)),
    *(ValueError("x"), "1" * 10**6, Decimal("nan"), np.zeros(10**7)),
]


@each_kind
def test_a_strange_answer_is_wrong_in_one_message(exercise):
    for index, answer in enumerate(STRANGE):
        verdict = check(exercise.id, answer)
        assert isinstance(verdict, Verdict)
        assert verdict.status == "wrong", index
        assert repr(verdict).startswith("还不对：") and "0x" not in repr(verdict)
        assert len(repr(verdict)) < 400


KINDLY_READ = {
    "pencil_score": ["0.24", torch.tensor(0.24), [0.24], "０．２４", "0.24。", "6／25", Fraction(6, 25)],
    "pencil_softmax": [
        (0.25, 0.5, 0.25),
        "1/4, 1/2, 1/4",
        "[0.25，0.5，0.25]",
        "0.25 0.5 0.25",
        "0.25；.5; .25",
    ],
    "pencil_scaling": [[0.45, 0.2, 0.1], [0.454, 0.196, 0.1]],
    "scores_shape": [
        [2, 5],
        "(2, 5)",
        "（2，5）",
        "2X5",
        "2*5",
        "2 5",
        "２×５",
        "2 行 5 列",
        np.array([2, 5]),
    ],
    "bug_softmax": ["4", np.int64(4), [4], "第4行", "４行", "第四行", "line 4"],
    "reading_cell": ["b", " B. “吃”看向“鱼”", "（Ｂ）", "选B", ["B"]],
}


@pytest.mark.parametrize("exercise_id", KINDLY_READ)
def test_kindly_read_answers_pass(exercise_id):
    assert not [each for each in KINDLY_READ[exercise_id] if check(exercise_id, each).status != "passed"]


@pytest.mark.parametrize(
    ("exercise_id", "answer", "mistake", "words"),
    [
        ("pencil_score", -0.24, "wrong_sign", "正负号"),
        ("pencil_score", "\u22120.24", "wrong_sign", "−0.24"),
        ("pencil_score", [0.3, 0.06], "wrong_count", "收到 2 个"),
        ("pencil_score", float("nan"), "not_finite", "非数"),
        ("pencil_score", 0.00001, None, "你的答案是 10⁻⁵。"),
        ("pencil_score", "很大", "wrong_type", "这里要一个数"),
        ("pencil_softmax", "很大", "wrong_type", "这里要 3 个数"),
        ("pencil_score", True, "wrong_type", "真假值"),
        ("pencil_softmax", np.broadcast_to(0.5, (10**6, 10**6)), "wrong_type", "numpy 数组"),
        ("scores_shape", 12, "wrong_ndim", "两个数"),
        ("scores_shape", (2, 5, 1), "wrong_ndim", "两个数"),
        ("scores_shape", (2, 2.5), "wrong_type", "元组"),
        ("scores_shape", (2, 7), "another_size", "行数对，列数不对：7 像是 2 + 5"),
        ("scores_shape", (11, 5), "another_size", "列数对，行数不对：11 像是 5 + 6"),
        ("scores_shape", (23, 5), None, "列数对，行数不对：一行是什么"),
        ("bug_softmax", 9, "wrong_type", "1 到 5"),
        ("bug_softmax", 3.5, "wrong_type", "行号"),
        ("reading_cell", "E", "wrong_type", "A、B、C、D"),
        ("reading_cell", 2, "wrong_type", "只写一个字母"),
        ("reading_cell", "BC", "wrong_type", "B、C 里只有一句对"),
        ("reading_cell", "B or not", "wrong_type", "只写一个字母"),
    ],
)
def test_other_slips_are_told_apart(exercise_id, answer, mistake, words):
    verdict = check(exercise_id, answer)
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)
    assert words in repr(verdict)


@pytest.mark.parametrize(
    ("exercise_id", "words"),
    [
        ("softmx", "没有叫 'softmx' 的练习。是不是 \"softmax\"？"),
        ("很" * 10**6, f"没有叫 '{'很' * 199}… 的练习。可用的编号"),
        (None, "请写上练习的编号"),
        (attention.softmax, "编号要加引号"),
        (Hostile(), "编号要加引号"),
    ],
    ids=range(5),
)
def test_an_unknown_exercise_is_answered_calmly(exercise_id, words):
    for result in (check(exercise_id, 1), hint(exercise_id), solution(exercise_id)):
        assert repr(result).startswith(words)
    assert check(exercise_id, 1).status == "not_attempted"


# ---------------------------------------------------------------- 时限


def all_stopped():
    for thread in threading.enumerate():
        if thread.name == "check":
            thread.join(timeout=5)
    return not [thread for thread in threading.enumerate() if thread.name == "check"]


@pytest.mark.parametrize(
    "body",
    [
        "while True: print('x')",
        "time.sleep(1)",
        "while True:\n        try: time.sleep(0.01)\n        except Exception: pass",
    ],
)
def test_a_function_that_runs_for_ever_is_given_up(body, capsys):
    verdict = check("project", written("project", body), seconds=0.2)
    assert (verdict.status, verdict.mistake) == ("wrong", "time_limit")
    assert "0.2 秒" in repr(verdict)
    assert ("重启内核" in repr(verdict)) == ("sleep(1)" in body)
    assert all_stopped()
    assert capsys.readouterr() == ("", "")
    assert check("project", lambda X, W: X @ W).status == "passed"


def test_the_learners_own_interrupt_gets_through():
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        check("project", written("project", "while True: pass"))
    assert all_stopped()
    assert check("project", lambda X, W: X @ W).status == "passed"


def test_a_kernel_survives_an_endless_function_and_an_interrupt():
    """真的内核：超时、中断以后，下一格照常运行；exit() 不让它退出，display 不显示，input 不等人。"""

    def asked(body, limit=5):
        return f"""before = get_ipython().ask_exit, input
def answer(X, W):
    {body}
    return X @ W
print(check("project", answer, seconds={limit}), (get_ipython().ask_exit, input) == before)"""

    sources = [
        "import sys, time\nsys.path.insert(0, '..')\nfrom utils.exercises import check",
        asked("while True: pass", limit=100),  # 两秒后按下中断
        asked("while True: pass", limit=0.3),
        asked("exit() if X.size % 2 else quit()"),
        asked("input()"),
        "from IPython.display import clear_output, display\nimport matplotlib.pyplot as plt\n"
        + asked("clear_output(); display(X); plt.plot(X); plt.show(); print(1)"),
        "time.sleep(1); print('还在')",
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources])
    resources = {"metadata": {"path": str(NOTEBOOKS)}}
    client = NotebookClient(notebook, interrupt_on_timeout=True, allow_errors=True, resources=resources)
    client.timeout_func = lambda cell: 2 if "seconds=100" in cell.source else 60
    client.execute()
    _, interrupted, *outputs = ([each for each in cell.outputs] for cell in notebook.cells)
    assert interrupted[-1].ename == "KeyboardInterrupt"
    words = ["不再等了", "报错：SystemExit", "没有人来输入", "通过：写出投影。（函数里有 print", "还在"]
    for [shown], wanted in zip(outputs, words, strict=True):
        assert wanted in shown.text and "False" not in shown.text


# ---------------------------------------------------------------- 预测


@pytest.mark.parametrize(
    ("guess", "truth", "words"),
    [
        (None, 1.6487, "还没写下预测。先把 None 换成你的猜测，再运行这一格。"),
        ([None, None], [1, 2], "还没写下预测"),
        (3, 3, "猜对了：3。"),
        (1.65, 1.6487, "猜对了：1.6487。"),
        (2, 1.6487, "猜的是 2，结果是 1.6487：差在哪里？"),
        ([0.31, 0.31], np.array([0.3157, 0.3157]), "结果是 [0.3157, 0.3157]"),
        ((3, 4), (3, 4), "猜对了：(3, 4)。"),
        ([1, 2, 3], [1, 2], "差在哪里？"),
        ([3, 1], set(np.flatnonzero([0, 1, 0, 1])), "猜对了：{1、3}。"),
        ([], set(), "猜对了：{}。"),
        (0, set(), "猜的是 0，结果是 {}"),
        (2, {1, 3}, "猜的是 2，结果是 {1、3}"),
        ("1，3", {1, 3}, "猜对了：{1、3}。"),
        ([" 我", "你 "], {"我", "你"}, "猜对了"),
        ("我 ", "我", "猜对了：“我”。"),
        (True, np.bool_(True), "猜对了：是。"),
        (False, True, "猜的是 否，结果是 是"),
        ("对 ", np.bool_(True), "猜对了：是。"),
        ("错", True, "结果是 是"),
        ("２", 2, "猜对了：2。"),
        ("(3，4)", (3, 4), "猜对了：(3, 4)。"),
        ("0.62,0.38,0", np.array([0.6225, 0.3775, 0]), "猜对了"),
        (torch.tensor([1.0, 2.0], requires_grad=True), [1, 2], "猜对了"),
        (3, torch.tensor(3.0, requires_grad=True), "猜对了：3。"),
        (np.eye(2), np.eye(2), "猜对了：[[1, 0], [0, 1]]。"),
        (-0.0, 0, "猜对了：0。"),
        ("变大了，因为差得更远", "变大", "猜对了：“变大”。"),
        ("不会，差没有变", "不会", "猜对了"),
        ("一样长，1.02", 1.02, "猜对了：1.02。"),
        ("变大，不对，变小", "变大", "没有读懂"),
        (object(), 3, "没有读懂 一个 object"),
        (Hostile(), 3, "差在哪里？"),
        ([[1], [1, 2]], 3, "差在哪里？"),
        (np.broadcast_to(1.0, (10**6, 10**6)), 3, "没有读懂 一个形状 (1000000, 1000000) 的数组"),
        ("很" * 10**6, 3, f"没有读懂 “{'很' * 40}…”"),
        (list(range(10**6)), 3, "没有读懂 一个有 1000000 项的 list"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_prediction_is_compared_kindly(guess, truth, words):
    assert words in repr(predict(guess, truth))


def test_an_unwritten_prediction_does_not_show_the_result():
    assert "1.6487" not in repr(predict(None, 1.6487))


SAID = {  # 结果 -> (说得对的, 说错了的, 读不懂的)；都照笔记本里的预测题
    "变大": (["大", "会变大", "更大", "变大了", "应该会增大的"], ["变小", "不变", "小"], ["不会变大", 3]),
    "往上": (["上", "往上走", "向上"], ["往下", "下"], ["不往上"]),
    "不会": (["不变", "不会变", "否", False, 0], ["会", "会变", True], ["不一定"]),
    True: (["会变", "是", 1, "1", [True]], ["不变", "不会", 0], ["三行", 2]),
    frozenset({1}): (
        ["第 1 列", "第一列", 1, "1", [1], "１"],
        [2, "第二列", "都不变"],
        ["三列", "都变", True],
    ),
    frozenset({1, 3}): (["1和3", "第1、3行", "一和三", [3, 1]], ["1到3", "第1行", set()], ["两行"]),
    math.e: (["e", "e 倍", 2.72, "约 2.72"], [2, "2"], ["很大"]),
    -0.5: (["-1/2", "负0.5", "−0.50"], [0.5, "1/2"], ["负的"]),
}


@pytest.mark.parametrize("truth", SAID, ids=str)
def test_a_prediction_is_read_as_people_say_it(truth):
    right, wrong, unreadable = SAID[truth]
    truth = set(truth) if isinstance(truth, frozenset) else truth
    for guesses, words in ((right, "猜对了"), (wrong, "猜的是"), (unreadable, "没有读懂")):
        assert [g for g in guesses if not repr(predict(g, truth)).startswith(words)] == []


def test_a_second_way_to_say_a_result_counts_only_where_it_is_given():
    assert repr(predict("相等", 1.0, also="一样多")).startswith("猜对了")
    assert repr(predict("变多", 1.0, also="一样多")).startswith("猜的是")
    assert repr(predict("不变", 1.0)).startswith("没有读懂")  # 除以 5，方差从 25 变成 1

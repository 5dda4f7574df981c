"""判定说得对不对：错的都不放过，说出的原因是真的；对的数换个样子，就说数都对；每句话都告诉下一步。

每一类错误写一次，在所有说得通的练习上试。怎样算错、错在哪里，都在这里另写，不用 utils/exercises 里的表。
"""

import itertools
import re

import numpy as np
import pytest
import torch

from utils.exercises import EXERCISES, check
from utils.tests.exercise_cells import asked, define, names_of
from utils.tests.test_exercises import learner

STEPS = [exercise for exercise in EXERCISES.values() if exercise.kind == "step"]
each_step = pytest.mark.parametrize("exercise", STEPS, ids=lambda exercise: exercise.id)


def solved(exercise):
    """答案的代码里的函数，不是课程的。"""
    return define(exercise.solution, exercise)


def told(exercise_id, answer):
    """判定的 (名字, 话)；答案必须不对，话里必须有下一步。"""
    verdict = check(exercise_id, answer)
    assert verdict.status == "wrong", exercise_id
    assert f'hint("{exercise_id}")' in verdict.message and "读不懂" not in verdict.message
    return verdict.mistake, verdict.message


# ---------------------------------------------------------------- 笔算：写法


@pytest.mark.parametrize(
    ("exercise_id", "answer"),
    [
        (
            "pencil_memory",
            ["2⁷", "2^7", "2**7", "8 × 16", "=128", "约 128", "8×2000²×4÷10⁶ = 128", "128 MB", "１２８"],
        ),
        ("pencil_softmax", ["¼ ½ ¼", "25% 50% 25%", ["25%", "1/2", "¼"], torch.tensor([[0.25, 0.5, 0.25]])]),
        ("pencil_score", ["6/25", "24%", "0.24 。", "0.1×0.5 + 0.19 = 0.24"]),
        ("bug_scaling", ["第4行。", "行4", "第 ４ 行", "第4行，d_k 取错了", "L4", "第四行。"]),
        ("output_shape", ["7 行 3 列", "７×３", "(7,3)。", torch.zeros(7, 3).shape]),
    ],
)
def test_the_right_answer_may_be_written_in_many_ways(exercise_id, answer):
    assert not [each for each in answer if check(exercise_id, each).status != "passed"]


@pytest.mark.parametrize(
    ("exercise_id", "answer", "name", "words"),
    [
        ("pencil_memory", "1⁶", None, "你的答案是 1。"),
        ("pencil_memory", "9**9**9**9", "wrong_type", "这里要一个数"),
        ("pencil_memory", "__import__('os')", "wrong_type", "这里要一个数"),
        ("pencil_softmax", [0.25, 0.5, None], "wrong_type", "第 3 项不是数，收到的是空值（None）"),
        ("scores_shape", (2, -5), "wrong_type", "第 2 项不是正整数"),
        ("pencil_score", 0.06, "stopped_early", "又除以了 4"),
        ("pencil_score", 0.2, "rounded", "1 位小数"),
        ("pencil_score", 24, "wrong_factor", "小数点"),
        ("pencil_scaling", [0.5, 0.2, 0.1], "some_wrong", "第 1 个数不对，其余的都对"),
        ("pencil_scaling", [0.45, 0.3, 0.2], "some_wrong", "第 2、3 个数不对"),
        ("pencil_scaling", [0.1, 0.2, 0.45], "reversed", "次序倒了"),
        ("pencil_scaling", [0.2, 0.45, 0.1], "wrong_order", "次序不对"),
        ("pencil_scaling", [0.15, 0.0667, 0.0333], "same_factor", "除以了同一个数 6"),
        ("pencil_softmax", [0.25, "x", 0.25], "wrong_type", "第 2 项不是数"),
        ("output_shape", (5, 3), "another_size", "5 是 Q 和 K 的宽度"),
        ("output_shape", (7, 36), "another_size", "12 × 3"),
        ("output_shape", 21, "wrong_ndim", "一共有几个数"),
        ("mask_shape", (7, 5, 16), "wrong_ndim", "16 是宽度 d_k：它还留在结果里吗"),
        ("output_shape", (5.5, 2), "wrong_type", "第 1 项不是正整数，收到的是一个数（float） 5.5"),
        ("output_shape", (7, "d_v"), "wrong_type", "第 2 项不是正整数"),
    ],
)
def test_a_wrong_number_is_told_what_the_numbers_show(exercise_id, answer, name, words):
    mistake, message = told(exercise_id, answer)
    assert mistake == name
    assert words in message


# ---------------------------------------------------------------- 几项一起的答案


def of_kind(*kinds):
    exercises = [exercise for exercise in EXERCISES.values() if exercise.kind in kinds]
    return pytest.mark.parametrize("exercise", exercises, ids=lambda exercise: exercise.id)


@of_kind("order")
def test_every_wrong_order_is_told_which_rule_it_breaks(exercise):
    right = exercise.reference
    orders = list(itertools.permutations(right))
    for order in orders[:: max(1, len(orders) // 60)] + orders[-1:]:
        wrong = "".join(order)
        if wrong == right:
            continue
        mistake, message = told(exercise.id, wrong)
        broken = [m for m in exercise.mistakes if m.message in message]
        assert mistake == "reversed" or mistake == broken[0].name
        for each in broken:  # 与对的只差挨着的一对，这一对在学习者那里也是反的
            (first, second) = next(
                pair
                for pair in itertools.pairwise(right)
                if each.answer.index(pair[0]) > each.answer.index(pair[1])
            )
            assert wrong.index(first) > wrong.index(second)


@of_kind("match", "table")
def test_one_wrong_cell_is_named_and_only_that_one(exercise):
    right = list(exercise.reference)
    for i, item in enumerate(exercise.items):
        others = exercise.choices if exercise.kind == "match" else [right[i] * 7 + 3]
        for other in others:
            wrong = [*right[:i], other, *right[i + 1 :]]
            if wrong != right:
                _, message = told(exercise.id, wrong)
                assert f"「{item}」" in message and "其余的都对" in message
                assert not [each for each in exercise.items if each != item and f"「{each}」" in message]


@of_kind("truth")
def test_the_model_reason_is_shown_only_after_the_learners_own(exercise):
    assert exercise.why not in told(exercise.id, (exercise.reference, ""))[1]
    assert exercise.why not in told(exercise.id, (not exercise.reference, "我是这样想的"))[1]
    verdict = check(exercise.id, (exercise.reference, "我是这样想的"))
    assert verdict.status == "passed"
    assert "我是这样想的" in verdict.message and exercise.why in verdict.message


# ---------------------------------------------------------------- 函数：样子


@each_step
def test_right_numbers_in_another_container_are_said_to_be_right(exercise):
    right = solved(exercise)
    containers = [
        lambda M: M.tolist(),
        lambda M: list(M),
        lambda M: tuple(map(tuple, M)),
        lambda M: (M,),
        lambda M: {"output": M},
        torch.from_numpy,
        lambda M: M.astype(object),
    ]
    for contain in containers:
        assert "数都对" in told(exercise.id, lambda *a, c=contain: c(right(*a)))[1]
    assert "float16" in told(exercise.id, lambda *a: right(*a).astype(np.float16))[1]


@each_step
def test_the_courses_own_function_is_not_an_answer(exercise):
    mistake, message = told(exercise.id, exercise.reference)
    assert mistake == "course_function" and "自己写" in message
    text = next(each.text for each in asked(exercise.notebook) if each.id == exercise.id)
    assert set(re.findall(r"`(\w+)`", text[text.index("不用") :].partition("；")[0])) == set(exercise.without)


@pytest.mark.parametrize(
    ("exercise_id", "body"),
    [
        ("softmax", "return softmax(scaled_scores)"),
        ("causal", "return attention(Q, K, V, np.tri(len(Q), dtype=bool)).output"),
    ],
)
def test_a_wrapped_course_function_is_found(exercise_id, body):
    function = learner(f"def answer({', '.join(EXERCISES[exercise_id].arguments)}):\n    {body}\n")
    function.__globals__.update(names_of(EXERCISES[exercise_id].notebook))
    assert told(exercise_id, function)[0] == "course_function"


@each_step
def test_the_order_of_parameters_is_read_from_the_signature(exercise):
    """答案的代码，只换参数的次序。"""
    names = list(exercise.arguments)
    for order in itertools.islice(itertools.permutations(names), 1, 6):
        header = re.sub(r"\(.*?\)", f"({', '.join(order)})", exercise.solution.splitlines()[0], count=1)
        source = "\n".join([header, *exercise.solution.splitlines()[1:]])
        mistake, message = told(exercise.id, define(source, exercise))
        assert mistake == "parameter_order"
        assert f"题目是 {'、'.join(names)}，你写的是 {'、'.join(order)}" in message


# ---------------------------------------------------------------- 函数：多做、少做


EXTRA = {
    "ReLU": lambda M: M * (M > 0),
    "tanh": lambda M: (np.exp(2 * M) - 1) / (np.exp(2 * M) + 1),
    "sigmoid": lambda M: torch.sigmoid(torch.from_numpy(M)).numpy(),
    "平方": lambda M: M * M,
    "取了 exp": lambda M: np.e**M,
    "第 1 行": lambda M: M[:1],
    "沿着行": lambda M: np.array([sum(row) for row in M]),
    "一长条": lambda M: M.reshape(-1),
    "行和列反了|摆法反了|行列|键看查询": np.transpose,
    "正负号": lambda M: 0 - M,
}


@each_step
@pytest.mark.parametrize("words", EXTRA)
def test_one_step_too_many_is_named(exercise, words):
    right, change = solved(exercise), EXTRA[words]
    calls = [right(*arguments) for arguments in exercise.inputs()]
    if all(change(M).shape == M.shape and np.allclose(change(M), M, equal_nan=True) for M in calls):
        pytest.skip("这样改，结果不变")
    mistake, message = told(exercise.id, lambda *a: change(right(*a)))
    listed = {each.name for each in exercise.mistakes}
    assert mistake in listed or re.search(words, message)


@each_step
@pytest.mark.parametrize("digits", range(4))
def test_a_rounded_result_is_recognised_at_any_number_of_decimals(exercise, digits):
    right = solved(exercise)
    mistake, message = told(exercise.id, lambda *a: np.round(right(*a), digits))
    assert mistake == "rounded" and "舍入" in message


@each_step
def test_an_argument_handed_back_is_named(exercise):
    for position, name in enumerate(exercise.arguments):
        if np.ndim(exercise.inputs()[0][position]):
            mistake, message = told(exercise.id, lambda *a, p=position: a[p] + 0.0)
            assert (mistake == "returned_argument" and name in message) or mistake in {
                each.name for each in exercise.mistakes
            }

"""从代码和报错看得出的错误：写死大小，循环写错，缺名字；不对的输入拿得到手。"""

import numpy as np
import pytest

from utils.exercises import EXERCISES, check
from utils.exercises.progress_file import SWITCH
from utils.tests.exercise_cells import define
from utils.tests.test_exercises import learner, written
from utils.tests.test_exercises_verdicts import each_step, solved, told

LOOPS = {  # 一步 -> 两层循环写的答案；{} 里是大小
    "project": "r = np.zeros(({0}, {1}))\n    for i in range({0}):\n        for j in range({1}):\n"
    "            r[i, j] = X[i] @ W[:, j]\n    return r",
    "attention_scores": "r = np.zeros(({0}, {1}))\n    for i in range({0}):\n        for j in range({1}):\n"
    "            r[i, j] = Q[i] @ K[j]\n    return r",
    "scale_scores": "r = np.zeros(({0}, {1}))\n    for i in range({0}):\n        for j in range({1}):\n"
    "            r[i, j] = scores[i, j] / d_k**0.5\n    return r",
    "softmax": "r = np.zeros(({0}, {1}))\n    for i in range({0}):\n"
    "        e = np.exp(scaled_scores[i] - scaled_scores[i].max())\n        r[i] = e / e.sum()\n    return r",
    "weighted_sum": "r = np.zeros(({0}, {1}))\n    for i in range({0}):\n"
    "        r[i] = weights[i] @ V\n    return r",
}
FROM_ARGUMENTS = {
    "project": ("len(X)", "W.shape[1]"),
    "attention_scores": ("len(Q)", "len(K)"),
    "scale_scores": ("len(scores)", "scores.shape[1]"),
    "softmax": ("len(scaled_scores)", "scaled_scores.shape[1]"),
    "weighted_sum": ("len(weights)", "V.shape[1]"),
}


@pytest.mark.parametrize("exercise_id", LOOPS)
def test_a_loop_with_sizes_of_its_own_is_told_so(exercise_id):
    for sizes in ((3, 4), (3, 3), (3, 2), (2, 6)):
        mistake, message = told(exercise_id, written(exercise_id, LOOPS[exercise_id].format(*sizes)))
        assert mistake == "hard_coded_size" and str(sizes[0]) in message and ".shape[0]" in message
    right = written(exercise_id, LOOPS[exercise_id].format(*FROM_ARGUMENTS[exercise_id]))
    assert check(exercise_id, right).status == "passed"


SLIPS = [
    (
        "r = []\n    for x in X:\n        r.append(x @ W)\n        return np.array(r)",
        "return_in_loop",
        "对齐",
    ),
    ("for x in X:\n        r = x @ W\n    return r", "overwritten", "盖掉了前一轮"),
    (
        "r = np.zeros((len(X), W.shape[1]))\n    for i in range(len(X)):\n"
        "        for j in range(W.shape[1]):\n"
        "            for m in range(len(W)):\n                r[i, j] = X[i, m] * W[m, j]\n    return r",
        "overwritten",
        "+=",
    ),
    (
        "r = np.zeros((len(X), W.shape[1]))\n    for i in range(len(X) - 1):\n"
        "        r[i] = X[i] @ W\n    return r",
        "not_last_row",
        "最后一行",
    ),
    (
        "r = np.zeros((len(X), W.shape[1]))\n    for i in range(len(X)):\n"
        "        for m in range(1, len(W)):\n"
        "            r[i] += X[i, m] * W[m]\n    return r",
        "without_first_term",
        "第 1 项",
    ),
    (
        "r = np.zeros((len(X), len(X)))\n    for i in range(len(X)):\n        for j in range(len(X)):\n"
        "            r[i, j] = X[i] @ W[:, j]\n    return r",
        "followed_another_size",
        "列数应跟着 W 的列数，你的跟着 X 的行数",
    ),
    ("yield X @ W", "wrong_type", "return"),
    ("return x @ W", "missing_name", "是不是 X？"),
    ("return sqrt(X) @ W", "missing_name", "np.sqrt"),
    ("return my_dot(X, W)", "missing_name", "别的笔记本"),
    ("Q = print(X)\n    return Q.T", "raised", "少了 return"),
    ("return X @ W.t", "raised", ".T"),
    ("return X.dot(W.T)", "W_transposed", "两边对不上"),
    ("return X / X.sum(axis=1) @ W", "raised", "keepdims=True"),
    ("return X.sum(axis=1, keepdim=True) @ W", "raised", "keepdims"),
    ("return X[9] @ W", "raised", "下标 9 超出了"),
]


@pytest.mark.parametrize(("body", "name", "words"), SLIPS)
def test_a_slip_in_the_code_is_named(body, name, words):
    mistake, message = told("project", written("project", body))
    assert mistake == name and words in message


def test_a_coroutine_is_refused_without_a_warning(recwarn):
    mistake, message = told("project", learner("async def answer(X, W):\n    return X @ W\n"))
    assert mistake == "wrong_type" and "async" in message
    assert not recwarn.list


@each_step
def test_the_input_that_fails_can_be_had(exercise):
    """判定给的输入，真的会算错；话里写着怎样拿。"""
    right = solved(exercise)

    def wrong(*arguments):
        return right(*arguments) + (len(right(*arguments)) > 3) * 0.5

    verdict = check(exercise.id, wrong)
    assert not np.allclose(wrong(*verdict.arguments), right(*verdict.arguments), equal_nan=True)
    assert f'wrong(*check("{exercise.id}", wrong).arguments)' in verdict.message
    assert check(exercise.id, right).arguments == ()


def test_a_small_input_is_written_out_and_where_it_was_right_is_said():
    def answer(scaled_scores):
        powers = np.exp(scaled_scores)
        return powers / powers.sum(axis=1, keepdims=True)

    message = told("softmax", answer)[1]
    assert "scaled_scores = [[1000, 999.5, 998], [−900, −901.5, −900.5], [1000, −1000, 0]]" in message
    assert "输入是 scaled_scores (3, 5) 时是对的" in message


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([(2, 0)], "不对的都在第 3 行"),
        ([(0, 1), (2, 1)], "不对的都在第 2 列"),
        ([(0, 0), (1, 1)], "12 格里有 2 格不对"),
    ],
)
def test_which_cells_are_wrong_is_said(cells, words):
    def answer(X, W):
        result = X @ W
        if len(X) == 3:
            for cell in cells:
                result[cell] += 0.7
        return result

    assert words in told("project", answer)[1]


def test_the_names_reach_the_grader(tmp_path, monkeypatch):
    """批改的进程里，读得到作答的源码。"""
    from utils.grade import worker

    monkeypatch.setenv(SWITCH, "off")
    source = f"def my_project(X, W):\n    {LOOPS['project'].format(3, 4)}\n\ncheck('project', my_project)"
    said = []
    task = {"id": "project", "source": source, "support": ["import numpy as np"], "seconds": 5}
    worker.judge_all([task], said.append)
    assert said[0]["mistake"] == "hard_coded_size"


def test_every_solution_is_judged_as_before():
    for exercise in EXERCISES.values():
        if exercise.kind == "step":
            assert check(exercise.id, define(exercise.solution, exercise)).mistake is None


WRONG_LENGTHS = [  # 一层循环走了别的长度
    (
        "attention_scores",
        "r = np.zeros((len(Q), len(K)))\n    for i in range(len(Q)):\n        for j in range(len(Q)):\n"
        "            r[i, j] = Q[i] @ K[j]\n    return r",
        "走一列的循环，次数用了 Q 的行数，应是 n_k",
    ),
    (
        "weighted_sum",
        "r = np.zeros((len(weights), V.shape[1]))\n    for i in range(len(weights)):\n"
        "        for j in range(len(weights)):\n            r[i] += weights[i, j] * V[j]\n    return r",
        "求和的循环，次数用了 weights 的行数，应是 V 的行数 n_k",
    ),
    (
        "causal",
        "s = Q @ K.T / Q.shape[1] ** 0.5\n    s = np.where(np.tri(len(Q), dtype=bool), s, -np.inf)\n"
        "    e = np.exp(s - s.max(axis=1, keepdims=True))\n    w = e / e.sum(axis=1, keepdims=True)\n"
        "    n = V.shape[1]\n    return w[:, :n] @ V[:n]",
        "求和的循环，次数用了 V 的列数",
    ),
]


@pytest.mark.parametrize(("exercise_id", "body", "words"), WRONG_LENGTHS)
def test_a_loop_of_another_length_is_told_which(exercise_id, body, words):
    assert words in told(exercise_id, written(exercise_id, body))[1]


def test_a_factor_is_not_said_to_come_first():
    _, message = told("project", written("project", "return X @ W / len(W)"))
    assert "多除了 X 的列数（除在哪一步，由数看不出）" in message and "算之前" not in message


def test_a_cause_read_from_the_code_is_not_joined_by_guesses():
    body = "for row in scaled_scores:\n        e = np.exp(row - row.max())\n        return e / e.sum()"
    message = told("softmax", written("softmax", body))[1]
    assert "return 写在循环里面" in message and "只有第 1 行" not in message

"""合起来的函数：错在哪一步，说得出；遮住用的数、除数，由结果看得出。"""

import re

import numpy as np
import pytest

from utils.exercises import EXERCISES, check
from utils.tests.test_exercises import written
from utils.tests.test_exercises_verdicts import STEPS, told

WHOLES = [exercise for exercise in EXERCISES.values() if exercise.whole]

ATTEND = """scores = {scores}
    if masked:
        scores = np.where(np.tri(len(Q), dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return ({weights}) @ V"""
RIGHT = {"scores": "Q @ K.T / Q.shape[1] ** 0.5", "weights": "e / e.sum(axis=1, keepdims=True)"}
IN_A_WHOLE = [
    ("weights", "e / e.sum(axis=1)", "no_keepdims", "softmax 这一步"),
    ("weights", "e / e.sum(axis=0)", "column_sum", "softmax 这一步"),
    ("weights", "e", "shifted_not_divided", "softmax 这一步"),
    ("scores", "Q @ K.T / 3", "hard_coded", "都除以了 3"),
    ("scores", "Q @ K.T / Q.shape[1] ** 0.25", "root_twice", "开了两次平方"),
    ("scores", "Q @ K.T / Q.shape[1] ** (1 / 3)", "wrong_divisor", "d_k = 7 时是 1.9129"),
    ("scores", "Q @ K.T / Q.shape[1] ** 1/2", "power_of_half", r"Python 先算 \*\*"),
    ("scores", "Q @ K.T / Q.shape[1] ^ 0.5", "caret", r"乘方写 \*\*"),
    ("scores", "K @ Q.T / Q.shape[1] ** 0.5", "swapped|scores_swapped|keys_ask", "Q 和 K|键看查询|查询在前"),
    (
        "scores",
        "np.array([[-((q - k) ** 2).sum() for k in K] for q in Q]) / Q.shape[1] ** 0.5",
        "other_similarity",
        "不是点积",
    ),
    (
        "scores",
        "Q @ K.T / np.linalg.norm(Q, axis=1)[:, None] / np.linalg.norm(K, axis=1) / Q.shape[1] ** 0.5",
        "cosine",
        "长度",
    ),
]


@pytest.mark.parametrize("exercise_id", ["self_attention", "causal"])
@pytest.mark.parametrize(("place", "code", "name", "words"), IN_A_WHOLE)
def test_a_steps_mistake_is_recognised_in_the_whole(exercise_id, place, code, name, words):
    body = ATTEND.format(**RIGHT | {place: code})
    if exercise_id == "self_attention":
        body = f"Q, K, V, masked = X @ W_Q, X @ W_K, X @ W_V, False\n    {body}"
    else:
        body = f"masked = True\n    {body}"
    mistake, message = told(exercise_id, written(exercise_id, body))
    assert mistake in name.split("|") or (mistake == "column_softmax" and name == "column_sum")
    assert re.search(words, message) or mistake == "column_softmax"


@pytest.mark.parametrize("exercise", WHOLES, ids=lambda exercise: exercise.id)
def test_every_named_mistake_of_a_step_is_named_in_every_whole(exercise):
    steps = {e.id: e for e in STEPS}
    for name in exercise.whole.__kwdefaults__:
        for mistake in steps[name].mistakes:
            verdict = check(exercise.id, exercise.whole(**{name: mistake.answer}))
            if verdict.status == "wrong":  # 有的错误在这里不改变结果，如换回同样的数
                assert verdict.mistake, (name, mistake.name)


@pytest.mark.parametrize("number", [-1, -10, -50, -100])
@pytest.mark.parametrize("exercise_id", ["softmax", "causal"])
def test_a_mask_of_a_mere_number_does_not_pass(exercise_id, number):
    if exercise_id == "softmax":
        body = (
            f"s = np.where(np.isneginf(scaled_scores), {number}, scaled_scores)\n    V = np.eye(s.shape[1])\n"
        )
    else:
        body = f"s = np.where(np.tri(len(Q)) > 0, Q @ K.T / Q.shape[1] ** 0.5, {number})\n"
    body += (
        "    e = np.exp(s - s.max(axis=1, keepdims=True))\n    return e / e.sum(axis=1, keepdims=True) @ V"
    )
    assert told(exercise_id, written(exercise_id, body))[0] == "mask_number"


@pytest.mark.parametrize("exercise", WHOLES, ids=lambda exercise: exercise.id)
def test_the_sizes_of_the_first_input_are_told_apart_by_root_and_half(exercise):
    """宽度 4 的根、一半都是 2：分不出除以的是哪一个。"""
    sizes = {size for value in exercise.inputs()[0] for size in np.shape(value)}
    made = [f(size) for size in sizes for f in (float, np.sqrt, np.square, lambda s: s / 2)]
    if "scale_scores" in exercise.whole.__kwdefaults__:
        assert len({round(value, 6) for value in made}) == len(made)

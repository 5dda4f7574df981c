"""合起来的函数：错在哪一步，说得出；遮住用的数、除数，由结果看得出。"""

import re

import numpy as np
import pytest

from utils.exercises import EXERCISES, check
from utils.tests.exercise_cells import handed_in
from utils.tests.test_exercises import learner, written
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


CASES = [("causal", *case) for case in IN_A_WHOLE]
CASES += [("self_attention", *case) for case in IN_A_WHOLE if case[2] not in ("power_of_half", "caret")]


@pytest.mark.parametrize(("exercise_id", "place", "code", "name", "words"), CASES)
def test_a_steps_mistake_is_recognised_in_the_whole(exercise_id, place, code, name, words):
    body = ATTEND.format(**RIGHT | {place: code})
    if exercise_id == "self_attention":
        body = f"Q, K, V, masked = X @ W_Q, X @ W_K, X @ W_V, False\n    {body}"
    else:
        body = f"masked = True\n    {body}"
    answer = handed_in(EXERCISES[exercise_id], written(exercise_id, body))
    mistake, message = told(exercise_id, answer)
    assert mistake in name.split("|") or (mistake == "column_softmax" and name == "column_sum")
    assert re.search(words, message) or mistake == "column_softmax"


@pytest.mark.parametrize("exercise", WHOLES, ids=lambda exercise: exercise.id)
def test_every_named_mistake_of_a_step_is_named_in_every_whole(exercise):
    steps = {e.id: e for e in STEPS}
    for name in exercise.whole.__kwdefaults__:
        for mistake in steps[name].mistakes:
            verdict = check(exercise.id, handed_in(exercise, exercise.whole(**{name: mistake.answer})))
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


# ---------------------------------------------------------------- 写模块：自己写的类

INIT = "self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d, bias=False) for d in (d_k, d_k, d_v))"
FORWARD = "Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)\n        "
ATTENTION = "torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=-1)"


def module(init=INIT, forward=f"return {ATTENTION} @ V", first="super().__init__()", base="nn.Module"):
    return learner(
        f"from torch import nn\nclass answer({base}):\n    def __init__(self, d_model, d_k, d_v):\n"
        f"        {first}\n        {init}\n    def forward(self, X):\n        {FORWARD}{forward}\n"
    )


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        ({"forward": "return torch.softmax(Q @ K.mT, dim=-1) @ V"}, "not_scaled", "漏了第 3 步"),
        (
            {"forward": "return torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=0) @ V"},
            "column_softmax",
            "沿列",
        ),
        (
            {"forward": "return torch.softmax(Q @ K.mT / X.shape[-1] ** 0.5, dim=-1) @ V"},
            "root_of_d_model",
            "√d_model",
        ),
        (
            {"forward": "return torch.softmax(Q @ K.mT / 8 ** 0.5, dim=-1) @ V"},
            "hard_coded",
            "都除以了 2.8284",
        ),
        (
            {"forward": "return torch.softmax(Q @ K.mT / K.shape[-1] ** 1/2, dim=-1) @ V"},
            "power_of_half",
            "Python 先算",
        ),
        (
            {"forward": "return torch.softmax(Q @ K / K.shape[-1] ** 0.5, dim=-1) @ V"},
            "no_transpose|raised",
            "两边对不上|转置",
        ),
        ({"forward": f"return ({ATTENTION} @ V).detach().numpy()"}, "not_a_tensor", "forward 要返回张量"),
        ({"forward": f"output = {ATTENTION} @ V"}, "not_a_tensor", "少了 return"),
        ({"init": INIT.replace(", bias=False", "")}, "bias_left_on", "W_Q、W_K、W_V 带着偏置"),
        ({"init": INIT.replace("d_model, d,", "d, d_model,")}, "wrong_width", "写反了"),
        ({"init": INIT.replace("d_model, d,", "8, 8,")}, "wrong_width", "写死了"),
        ({"init": INIT.replace("self.W_Q", "self.query")}, "missing_part", "self.W_Q"),
        ({"init": f"{INIT}; self.W_O = nn.Linear(d_v, d_v)"}, "extra_part", "没有 W_O"),
        ({"first": "pass"}, "raised", "super"),
        ({"base": "object"}, "not_a_module", "nn.Module"),
    ],
)
def test_a_module_is_told_what_is_wrong_with_it(changes, name, words):
    mistake, message = told("self_attention", module(**changes))
    assert mistake in name.split("|") and re.search(words, message)


def test_a_right_module_passes_and_one_with_its_weights_is_told_to_return_less():
    assert check("self_attention", module(forward=f"return {ATTENTION} @ V")).status == "passed"
    both = f"w = {ATTENTION}\n        return w @ V, w"
    assert "数都对，只差一点。返回了 2 样，只返回第 1 样。" in told("self_attention", module(forward=both))[1]
    single = INIT.replace("bias=False", "bias=False, dtype=torch.float32")
    assert check("self_attention", module(init=single)).status == "passed"
    assert told("self_attention", module()(8, 8, 8))[0] == "not_a_class"
    assert told("self_attention", lambda X: X)[0] == "not_a_class"


def test_a_steps_exception_is_explained_in_the_module_too():
    for forward, name in (
        ("return torch.softmax(Q @ K / K.shape[-1] ** 0.5, -1) @ V", "no_transpose"),
        (f"return V @ ({ATTENTION})", "order_swapped"),
    ):
        assert told("self_attention", module(forward=forward))[0] == name


def test_two_inputs_of_the_same_shape_are_told_apart():
    unsafe = "s = torch.exp(Q @ K.mT / K.shape[-1] ** 0.5)\n        return s / s.sum(-1, keepdim=True) @ V"
    assert "数小得多的一组是对的" not in told("self_attention", module(forward=unsafe))[1]  # 先说形状不同的
    not_scaled = "return torch.softmax(Q @ K.mT, -1) @ V"
    assert "形状相同、数大得多的一组是对的" in told("self_attention", module(forward=not_scaled))[1]


HALF = """from torch import nn
class answer(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.norm = nn.LayerNorm({width})
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff, bias=False), nn.Linear(d_ff, d_model, bias=False)
    def forward(self, X):
        return {result}
"""
FED = "X + self.W_2(torch.relu(self.W_1(self.norm(X))))"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("X + self.W_2(nn.functional.gelu(self.W_1(self.norm(X))))", "GELU"),
        ("torch.relu(X + self.W_2(self.W_1(self.norm(X))))", "套在最外面"),
        ("X + self.W_2(self.W_1(torch.relu(self.norm(X))))", "做早了"),
        ("X + self.norm(self.W_2(torch.relu(self.W_1(X))))", "归一化做晚了"),
        ("X + X + self.W_2(torch.relu(self.W_1(self.norm(X))))", "X 加了两次"),
    ],
)
def test_a_wrong_half_block_is_named(result, words):
    assert check("half_block", learner(HALF.format(width="d_model", result=FED))).status == "passed"
    assert words in told("half_block", learner(HALF.format(width="d_model", result=result)))[1]
    assert "nn.LayerNorm 的宽度" in told("half_block", learner(HALF.format(width="d_ff", result=FED)))[1]

"""attention.py 的事实，用逐项循环、精确分数和 torch 各核对一遍。"""

import ast
import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from utils import attention
from utils.attention import attention_scores, project, scale_scores, self_attention, softmax, weighted_sum
from utils.checks import LARGEST
from utils.examples import load_example, reorder


def random_steps(seed, n_q, n_k, d_model, d_k, d_v):
    """四个大小各不相同的随机输入：转置、轴、除数错一处，形状或数值就对不上。"""
    rng = np.random.default_rng(seed)
    return {
        "X": rng.normal(size=(n_q, d_model)),
        "W": rng.normal(size=(d_model, d_k)),
        "Q": rng.normal(size=(n_q, d_k)),
        "K": rng.normal(size=(n_k, d_k)),
        "V": rng.normal(size=(n_k, d_v)),
    }


SIZES = [(0, 2, 5, 3, 7, 4), (1, 5, 3, 8, 4, 2), (2, 1, 6, 2, 9, 1), (3, 7, 1, 4, 1, 5)]


@pytest.fixture(params=SIZES, ids=str)
def random(request):
    return random_steps(*request.param)


def run(name):
    example = load_example(name)
    return self_attention(example.X, example.W_Q, example.W_K, example.W_V)


# ── 与循环一致 ────────────────────────────────────────────────────────────


def test_project_is_one_dot_product_of_row_and_column_per_entry(random):
    X, W = random["X"], random["W"]
    expected = [
        [sum(X[i, m] * W[m, j] for m in range(X.shape[1])) for j in range(W.shape[1])] for i in range(len(X))
    ]
    np.testing.assert_allclose(project(X, W), expected, atol=1e-12)


def test_score_i_j_is_query_i_dot_key_j(random):
    Q, K = random["Q"], random["K"]
    expected = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]
    np.testing.assert_allclose(attention_scores(Q, K), expected, atol=1e-12)


@pytest.mark.parametrize("d_k", [1, 4, 768, 2.5, np.int64(9), np.float32(16)])
def test_scaling_divides_every_score_by_the_square_root_of_d_k(d_k):
    scores = [[3.0, -1.0, 0.5]]
    np.testing.assert_allclose(
        scale_scores(scores, d_k), [[s / math.sqrt(d_k) for s in scores[0]]], atol=1e-12
    )


def test_softmax_is_exp_over_the_sum_of_the_row(random):
    scores = random["Q"] @ random["K"].T
    expected = [[math.exp(s) / sum(math.exp(t) for t in row) for s in row] for row in scores]
    np.testing.assert_allclose(softmax(scores), expected, atol=1e-12)


def test_weighted_sum_adds_the_values_times_their_weights(random):
    V = random["V"]
    weights = np.arange(3 * len(V), dtype=float).reshape(3, len(V))
    expected = [[sum(w * v for w, v in zip(row, column, strict=True)) for column in V.T] for row in weights]
    np.testing.assert_allclose(weighted_sum(weights, V), expected, atol=1e-12)


# ── 与 torch 一致 ─────────────────────────────────────────────────────────


def test_the_five_steps_equal_torch_scaled_dot_product_attention(random):
    Q, K, V = random["Q"], random["K"], random["V"]
    ours = weighted_sum(softmax(scale_scores(attention_scores(Q, K), Q.shape[1])), V)
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V)))
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-12)


@pytest.mark.parametrize("name", ["我爱你", "猫吃鱼"])
def test_self_attention_equals_torch_on_both_examples(name):
    example = load_example(name)
    X, W_Q, W_K, W_V = (torch.from_numpy(a) for a in (example.X, example.W_Q, example.W_K, example.W_V))
    theirs = torch.nn.functional.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)
    np.testing.assert_allclose(run(name).output, theirs.numpy(), atol=1e-12)


def test_a_key_of_minus_infinity_is_masked_as_in_torch():
    scores = np.array([[1.0, -np.inf, 0.5], [-np.inf, -np.inf, 3.0]])
    np.testing.assert_allclose(
        softmax(scores), torch.softmax(torch.from_numpy(scores), dim=1).numpy(), atol=1e-15
    )
    assert softmax(scores)[0, 1] == 0 and softmax(scores)[1, 2] == 1
    assert np.isneginf(scale_scores(scores, 4)[0, 1])


# ── 与原文和设计的数一致 ──────────────────────────────────────────────────


def test_integer_example_up_to_the_scaled_scores_is_exact():
    """我爱你 的投影、打分、缩放用精确分数逐项算，与浮点结果一个不差。"""
    example = load_example("我爱你")
    exact = {
        name: [[Fraction(v) for v in row] for row in getattr(example, name)] for name in ("X", "W_Q", "W_K")
    }

    def times(A, B):
        return [
            [sum(a * b for a, b in zip(row, col, strict=True)) for col in zip(*B, strict=True)] for row in A
        ]

    Q, K = times(exact["X"], exact["W_Q"]), times(exact["X"], exact["W_K"])
    scores = times(Q, list(zip(*K, strict=True)))
    steps = run("我爱你")
    assert steps.Q.tolist() == Q and steps.K.tolist() == K and steps.scores.tolist() == scores
    assert steps.scaled_scores.tolist() == [[s / 2 for s in row] for row in scores]


def test_integer_example_weights_follow_from_e_and_its_square_root():
    """第一行是 e : √e : √e，化简为 √e : 1 : 1。"""
    big = math.sqrt(math.e) / (math.sqrt(math.e) + 2)
    small = 1 / (math.sqrt(math.e) + 2)
    expected = [[big, small, small], [1 / 3] * 3, [small, small, big]]
    np.testing.assert_allclose(run("我爱你").weights, expected, atol=1e-15)


# ── 性质 ──────────────────────────────────────────────────────────────────


def test_every_row_of_weights_sums_to_one_and_lies_between_zero_and_one(random):
    weights = softmax(random["Q"] @ random["K"].T)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights >= 0).all() and (weights <= 1).all()


def test_adding_a_number_to_a_whole_row_leaves_its_weights_unchanged(random):
    scores = random["Q"] @ random["K"].T
    shift = np.linspace(-500, 500, len(scores))[:, None]
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), atol=1e-12)


def test_softmax_survives_scores_of_any_size():
    np.testing.assert_allclose(softmax([[1000.0, 999.0]]), softmax([[1.0, 0.0]]), atol=1e-15)
    np.testing.assert_allclose(softmax([[-1000.0, -1000.0]]), [[0.5, 0.5]], atol=1e-15)


def test_swapping_queries_and_keys_transposes_the_scores(random):
    Q, K = random["Q"], random["K"]
    np.testing.assert_allclose(attention_scores(K, Q), attention_scores(Q, K).T, atol=1e-12)


def test_without_positions_reordering_the_tokens_reorders_the_output():
    example = load_example("我爱你")
    other = reorder(example, "你爱我")
    output = self_attention(other.X, other.W_Q, other.W_K, other.W_V).output
    np.testing.assert_allclose(output, run("我爱你").output[::-1], atol=1e-12)


def test_steps_hold_the_results_of_the_single_functions():
    example = load_example("猫吃鱼")
    steps = run("猫吃鱼")
    assert steps._fields == ("Q", "K", "V", "scores", "scaled_scores", "weights", "output")
    np.testing.assert_array_equal(steps.V, project(example.X, example.W_V))
    np.testing.assert_array_equal(steps.scores, attention_scores(steps.Q, steps.K))
    np.testing.assert_array_equal(steps.scaled_scores, scale_scores(steps.scores, 4))
    np.testing.assert_array_equal(steps.weights, softmax(steps.scaled_scores))
    np.testing.assert_array_equal(steps.output, weighted_sum(steps.weights, steps.V))


def test_arguments_stay_unchanged():
    given = {name: array.copy() for name, array in random_steps(0, 3, 5, 4, 2, 6).items()}
    before = {name: array.copy() for name, array in given.items()}
    project(given["X"], given["W"])
    weights = softmax(scale_scores(attention_scores(given["Q"], given["K"]), 2))
    weighted_sum(weights, given["V"])
    for name, array in given.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_numbers_allowed_overflow_nowhere(sign):
    huge = np.full((50, 50), sign * LARGEST)
    for result in (project(huge, huge), attention_scores(huge, huge), weighted_sum(huge, huge)):
        assert np.isfinite(result).all()
    assert np.isfinite(scale_scores(huge, 5e-324)).all()
    assert softmax([[LARGEST, -LARGEST]]).tolist() == [[1, 0]]


def test_the_module_is_numpy_and_one_line_of_checking():
    tree = ast.parse(inspect.getsource(attention))
    imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"numpy", "typing", "utils.checks"}
    assert not any(isinstance(node, ast.Raise | ast.If) for node in ast.walk(tree))


# ── 错误：每一步都查，查什么见 test_checks.py ─────────────────────────────

M34, M38, M44 = np.ones((3, 4)), np.ones((3, 8)), np.ones((4, 4))
MISFITS = {
    "project": (lambda: project(M34, M38), ["X (3, 4)", "W (3, 8)", "d_model"]),
    "attention_scores": (lambda: attention_scores(M34, M34.T), ["Q (3, 4)", "K (4, 3)", "d_k", "转置"]),
    "scale_scores": (lambda: scale_scores(M34, M34.shape), ["d_k = (3, 4)", "Q.shape[1]"]),
    "softmax": (lambda: softmax([[0.0, 1.0], [-np.inf, -np.inf]]), ["第 2 行", "遮住"]),
    "weighted_sum": (lambda: weighted_sum(M34, M34), ["weights (3, 4)", "V (3, 4)", "n_k"]),
    "self_attention": (lambda: self_attention(M34, M44, M44[:, :2], M44), ["Q (3, 4)", "K (3, 2)", "d_k"]),
}


@pytest.mark.parametrize("step", MISFITS)
def test_every_step_refuses_what_does_not_fit(step):
    call, parts = MISFITS[step]
    with pytest.raises(ValueError) as caught:
        call()
    assert all(part in str(caught.value) for part in [*parts, "收到", "怎么办"]), str(caught.value)

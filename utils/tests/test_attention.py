"""attention.py 的事实，用 torch 和手算的式子核对。

用分数逐项核对见 test_properties.py，设计的数见 test_numbers.py，哪些输入不收见 test_checks.py。
"""

import ast
import inspect
import math

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


@pytest.mark.parametrize("d_k", [1, 768, 2.5, np.int64(9)])
def test_scaling_divides_every_score_by_the_square_root_of_d_k(d_k):
    expected = [[s / math.sqrt(d_k) for s in (3.0, -1.0, 0.5)]]
    np.testing.assert_allclose(scale_scores([[3.0, -1.0, 0.5]], d_k), expected, atol=1e-12)


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


def test_integer_example_weights_follow_from_e_and_its_square_root():
    """第一行是 e : √e : √e，化简为 √e : 1 : 1。"""
    big = math.sqrt(math.e) / (math.sqrt(math.e) + 2)
    small = 1 / (math.sqrt(math.e) + 2)
    expected = [[big, small, small], [1 / 3] * 3, [small, small, big]]
    np.testing.assert_allclose(run("我爱你").weights, expected, atol=1e-15)


# ── 性质 ──────────────────────────────────────────────────────────────────


def test_adding_a_number_to_a_whole_row_leaves_its_weights_unchanged(random):
    scores = random["Q"] @ random["K"].T
    shift = np.linspace(-500, 500, len(scores))[:, None]
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), atol=1e-12)


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
    assert not any(isinstance(node, ast.Raise) for node in ast.walk(tree))


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

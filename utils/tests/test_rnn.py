"""rnn.py 的事实，用解析的雅可比矩阵、差分、numpy 循环和 torch 自带的层核对。"""

import math

import numpy as np
import pytest
import torch

from utils.attention import attention_scores, self_attention
from utils.rnn import (
    attention_layer,
    gradient_norms,
    number_of_scores,
    random_attention,
    random_rnn,
    random_sentences,
    rnn_layer,
    sequential_operations,
)

LENGTHS = [1, 2, 4, 8, 16, 32, 64]
LAYERS = {"rnn": random_rnn, "attention": random_attention}


def weights_of(layer):
    return {name: W.numpy() for name, W in layer.keywords.items()}


def numpy_states(x, W_h, W_x):
    """一句话 x (T, d) 的 h_1 到 h_T，逐个数算。"""
    h, states = [0.0] * len(W_h), []
    for x_t in x:
        h = [
            math.tanh(
                sum(h[i] * W_h[i, j] for i in range(len(h)))
                + sum(x_t[i] * W_x[i, j] for i in range(len(x_t)))
            )
            for j in range(len(W_h))
        ]
        states.append(h)
    return np.array(states)


# ── 两种 layer 算得对 ─────────────────────────────────────────────────────


def test_rnn_is_the_recurrence_written_out_number_by_number():
    X = random_sentences(5, 3, sentences=2, seed=1)
    rng = np.random.default_rng(2)
    W_h, W_x = rng.normal(size=(4, 4)), rng.normal(size=(3, 4))
    states = rnn_layer(X, torch.from_numpy(W_h), torch.from_numpy(W_x))
    assert states.shape == (2, 5, 4)
    for sentence, expected in zip(states.numpy(), X.numpy(), strict=True):
        np.testing.assert_allclose(sentence, numpy_states(expected, W_h, W_x), atol=1e-12)


def test_rnn_equals_torch_nn_rnn():
    layer, X = random_rnn(6, scale=1.5), random_sentences(9, 6, sentences=3)
    theirs = torch.nn.RNN(6, 6, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.weight_hh_l0.copy_(layer.keywords["W_h"].T)
        theirs.weight_ih_l0.copy_(layer.keywords["W_x"].T)
        torch.testing.assert_close(layer(X), theirs(X)[0], rtol=0, atol=1e-12)


def test_attention_equals_torch_and_our_numpy_steps():
    layer, X = random_attention(6), random_sentences(9, 6, sentences=3)
    projected = [X @ W for W in layer.keywords.values()]
    sdpa = torch.nn.functional.scaled_dot_product_attention(*projected)
    torch.testing.assert_close(layer(X), sdpa, rtol=0, atol=1e-12)
    for output, x in zip(layer(X).numpy(), X.numpy(), strict=True):
        np.testing.assert_allclose(output, self_attention(x, **weights_of(layer)).output, atol=1e-12)


# ── 梯度算得对 ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scale", [0.5, 1, 3])
def test_rnn_gradient_is_the_product_of_the_jacobians_of_all_steps(scale):
    """∂h_T/∂x_1 = ∏ diag(1 − h_t²) W_hᵀ · diag(1 − h_1²) W_xᵀ，只用 numpy 乘出来。"""
    layer, X = random_rnn(5, scale=scale, seed=3), random_sentences(12, 5, sentences=1)
    W_h, W_x = layer.keywords["W_h"].numpy(), layer.keywords["W_x"].numpy()
    expected, jacobian = [], None
    for h in numpy_states(X[0].numpy(), W_h, W_x):
        through = np.diag(1 - h**2)
        jacobian = through @ W_x.T if jacobian is None else through @ W_h.T @ jacobian
        expected.append(np.sqrt((jacobian**2).sum()))
    np.testing.assert_allclose(gradient_norms(layer, X, range(1, 13)), expected, rtol=1e-10)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("T", [1, 2, 5])
def test_gradient_equals_central_differences(name, T):
    layer, X = LAYERS[name](4, seed=5), random_sentences(6, 4, sentences=1)
    step, columns = 1e-5, []
    for i in range(4):
        ends = []
        for sign in (1, -1):
            moved = X[:, :T].clone()
            moved[0, 0, i] += sign * step
            ends.append(layer(moved)[0, -1].numpy())
        columns.append((ends[0] - ends[1]) / (2 * step))
    np.testing.assert_allclose(gradient_norms(layer, X, [T]), [np.linalg.norm(columns)], rtol=1e-7)


def test_gradient_norm_is_the_median_over_the_sentences():
    layer, X = random_rnn(4), random_sentences(3, 4, sentences=5)
    single = [gradient_norms(layer, X[i : i + 1], [3])[0] for i in range(5)]
    assert gradient_norms(layer, X, [3])[0] == pytest.approx(sorted(single)[2], rel=1e-12)


# ── 课程要说的话是真的 ─────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scale", [0.5, 1])
def test_rnn_forgets_when_scale_is_at_most_one(seed, scale):
    """每翻一倍长度都更小，64 步后不到原来的一万亿分之一；也从不超过 scale^(T−1) ‖W_x‖ 这个上界。"""
    layer, X = random_rnn(scale=scale, seed=seed), random_sentences(64, seed=seed)
    np.testing.assert_allclose(np.linalg.svd(weights_of(layer)["W_h"], compute_uv=False), scale, rtol=1e-12)
    norms = gradient_norms(layer, X, LENGTHS)
    assert (np.diff(norms) < 0).all() and norms[-1] < 1e-11 * norms[0]
    bound = np.linalg.norm(layer.keywords["W_x"].numpy()) * scale ** (np.array(LENGTHS) - 1.0)
    assert (norms <= bound).all()


@pytest.mark.parametrize("seed", range(2))
def test_rnn_gradient_explodes_when_scale_is_three(seed):
    norms = gradient_norms(random_rnn(scale=3, seed=seed), random_sentences(64, seed=seed), LENGTHS)
    assert norms[-1] > 1000 * norms[0]


@pytest.mark.parametrize("seed", range(2))
def test_attention_gradient_falls_like_one_over_t_and_not_exponentially(seed):
    """T 乘范数大致不变：权重由 T 个词元分，第一个词元平均得到 1/T。"""
    norms = gradient_norms(random_attention(seed=seed), random_sentences(64, seed=seed), LENGTHS)
    flat = norms * LENGTHS / norms[0]
    assert (flat > 1 / 3).all() and (flat < 3).all()
    assert norms[-1] < norms[0] / 10


def test_attention_that_looks_at_the_first_token_keeps_its_whole_gradient():
    """1/T 只属于没学过的注意力：查询只找第一个词元时，多长都是 ‖W_V‖。"""
    X = torch.zeros(1, 64, 3, dtype=torch.float64)
    X[0, 0, 0] = 1  # 第 1 列标出第一个词元，第 2 列标出最后的
    X[0, :, 1] = 1
    W_Q, W_K, W_V = torch.zeros(3, 3, dtype=torch.float64), torch.eye(3).double(), torch.eye(3).double()
    W_Q[1, 0] = 1000
    norms = gradient_norms(lambda x: attention_layer(x, W_Q, W_K, W_V), X, LENGTHS)
    np.testing.assert_allclose(norms, math.sqrt(3), rtol=1e-9)


# ── 数出来的步数与分数 ─────────────────────────────────────────────────────


def test_rnn_needs_t_products_one_after_another_and_attention_three():
    X = random_sentences(64)
    assert sequential_operations(random_rnn(), X, LENGTHS).tolist() == LENGTHS
    assert sequential_operations(random_attention(), X, LENGTHS).tolist() == [3] * len(LENGTHS)


CHAINS = {
    "没有乘法": (lambda x, A: x + 1, 0),
    "矩阵乘矩阵，三次": (lambda x, A: x @ A @ A @ A, 3),
    "成批的": (lambda x, A: x @ x.transpose(1, 2) @ x, 2),
    "矩阵乘向量": (lambda x, A: A @ (A @ x[0, 0]), 2),
    "向量乘向量": (lambda x, A: x[0, 0] @ x[0, 1], 1),
    "并排的两次只算一次": (lambda x, A: x @ A + x @ A.T, 1),
    "取较长的一支": (lambda x, A: (x @ A) * (x @ A @ A), 2),
    "逐元素的乘法不算": (lambda x, A: torch.tanh(x * x), 0),
}


@pytest.mark.parametrize("case", CHAINS)
def test_sequential_operations_count_the_longest_chain_of_products(case):
    function, expected = CHAINS[case]
    A = torch.eye(4, dtype=torch.float64)
    X = random_sentences(3, 4, sentences=1)
    assert sequential_operations(lambda x: function(x, A), X, [3]).tolist() == [expected]


def test_how_the_tokens_were_made_is_not_counted():
    A = torch.eye(4, dtype=torch.float64, requires_grad=True)
    X = random_sentences(3, 4, sentences=1) @ A
    assert sequential_operations(random_rnn(4), X, [1, 3]).tolist() == [1, 3]
    assert gradient_norms(random_rnn(4), X, [3]) == gradient_norms(random_rnn(4), X.detach(), [3])


def test_a_sentence_of_two_thousand_tokens_can_be_counted():
    assert sequential_operations(random_rnn(2), random_sentences(2000, 2, sentences=1), [2000]).tolist() == [
        2000
    ]


def test_attention_has_as_many_scores_as_our_numpy_step_makes_and_an_rnn_none():
    X = random_sentences(64)
    expected = [attention_scores(X[0, :T].numpy(), X[0, :T].numpy()).size for T in LENGTHS]
    assert number_of_scores(random_attention(), X, LENGTHS).tolist() == expected
    assert expected == [T * T for T in LENGTHS]
    assert number_of_scores(random_rnn(), X, LENGTHS).tolist() == [0] * len(LENGTHS)


# ── 每次一样，不留痕迹 ─────────────────────────────────────────────────────


@pytest.mark.parametrize("name", LAYERS)
def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(name):
    def run(seed):
        return gradient_norms(LAYERS[name](4, seed=seed), random_sentences(8, 4, seed=seed), [1, 8])

    torch.manual_seed(1)
    first = run(0)
    torch.manual_seed(2)
    np.testing.assert_array_equal(run(0), first)
    assert not np.isclose(run(1), first).any()


@pytest.mark.parametrize("measure", [gradient_norms, sequential_operations, number_of_scores])
def test_measuring_changes_neither_the_tokens_nor_torch(measure):
    X, layer = random_sentences(4, 3), random_attention(3)
    before, state, threads = X.clone(), torch.get_rng_state(), torch.get_num_threads()
    measure(layer, X, [2, 4])
    assert torch.equal(X, before) and not X.requires_grad and X.grad is None
    assert not any(W.requires_grad for W in layer.keywords.values())
    assert torch.equal(torch.get_rng_state(), state) and torch.get_num_threads() == threads


def test_tokens_and_weights_have_variance_one_and_one_over_width():
    X, layer = random_sentences(64, 64), random_attention(64)
    assert X.shape == (32, 64, 64) and X.dtype == torch.float64
    assert X.var().item() == pytest.approx(1, rel=0.05)
    for W in layer.keywords.values():
        assert W.var().item() * 64 == pytest.approx(1, rel=0.1)


# ── 错误 ──────────────────────────────────────────────────────────────────

X4 = random_sentences(4, 3, sentences=1)

MISFITS = {
    "长度为 0": (lambda: gradient_norms(random_rnn(3), X4, [0]), ["1 到 4", "[0]"]),
    "长度过大": (lambda: sequential_operations(random_rnn(3), X4, [2, 5]), ["1 到 4", "random_sentences"]),
    "长度不是整数": (lambda: number_of_scores(random_rnn(3), X4, [2.5]), ["[2.5]"]),
    "长度不是一列": (lambda: gradient_norms(random_rnn(3), X4, 4), ["一列", "收到：4"]),
    "少了一维": (lambda: gradient_norms(random_rnn(3), X4[0], [1]), ["三维", "(4, 3)", "X[None]"]),
    "numpy 数组": (lambda: gradient_norms(random_rnn(3), X4.numpy(), [1]), ["张量", "random_sentences(64)"]),
    "scale 是负数": (lambda: random_rnn(scale=-1), ["scale", "-1"]),
    "scale 是 NaN": (lambda: random_rnn(scale=math.nan), ["scale", "nan"]),
    "width 是小数": (lambda: random_attention(2.5), ["width", "2.5"]),
    "太多的句子": (lambda: random_sentences(10**6, sentences=10**6), ["一共最多", "(1000000, 1000000, 16)"]),
}


@pytest.mark.parametrize("case", MISFITS)
def test_what_a_reader_changes_is_checked(case):
    call, parts = MISFITS[case]
    with pytest.raises(ValueError) as caught:
        call()
    assert all(part in str(caught.value) for part in [*parts, "收到", "怎么办"]), str(caught.value)


def test_widths_that_do_not_fit_are_refused_by_torch():
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied|size"):
        gradient_norms(random_rnn(5), X4, [1])

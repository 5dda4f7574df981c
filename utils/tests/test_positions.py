"""位置：正弦照论文的式子，旋转照复数和 2 × 2 矩阵；模型里的四种办法与它们相等。"""

import cmath
import math
import random
from itertools import product

import numpy as np
import pytest
import torch

from utils.attention import attention
from utils.model import Model, turn
from utils.positions import pair_columns, rotate, sine_positions, turn_angles
from utils.training import accuracy, join_sentences, split_sentences, train

RNG = np.random.default_rng(0)
EXACT = {"rtol": 0, "atol": 1e-12}
PAIRS = {"pairs": [(0, 1), (2, 3), (4, 5)], "halves": [(0, 3), (1, 4), (2, 5)]}  # d_k = 6
each_layout = pytest.mark.parametrize("layout", PAIRS)


# ── 正弦 ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("n", "d"), [(7, 8), (3, 5), (1, 1)])
def test_sine_positions_are_the_formula_of_the_paper(n, d):
    P = sine_positions(n, d)
    assert P.shape == (n, d)
    for pos, column in product(range(n), range(d)):  # PE(pos, 2i) = sin(pos / 10000^(2i/d))，2i+1 是 cos
        angle = pos / 10000 ** (column // 2 * 2 / d)
        assert P[pos, column] == pytest.approx((math.sin, math.cos)[column % 2](angle), abs=1e-12)


# ── 旋转 ──────────────────────────────────────────────────────────────────


@each_layout
def test_each_pair_is_a_complex_number_turned_by_its_angle(layout):
    M, positions = RNG.normal(size=(4, 6)), [0, 1, 7, 1000]
    turned = rotate(M, positions, layout=layout)
    for (row, position), (t, (a, b)) in product(enumerate(positions), enumerate(PAIRS[layout])):
        angle = position * 10000 ** (-2 * t / 6)
        expected = complex(M[row, a], M[row, b]) * cmath.exp(1j * angle)
        assert complex(turned[row, a], turned[row, b]) == pytest.approx(expected, abs=1e-11)


@each_layout
def test_it_is_a_block_of_2_by_2_matrices_and_changes_no_length(layout):
    q = RNG.normal(size=6)
    R = np.zeros((6, 6))
    for t, (a, b) in enumerate(PAIRS[layout]):
        c, s = math.cos(5 * 100 ** (-2 * t / 6)), math.sin(5 * 100 ** (-2 * t / 6))
        R[np.ix_([a, b], [a, b])] = [[c, -s], [s, c]]
    turned = rotate([q], [5], base=100, layout=layout)[0]
    np.testing.assert_allclose(turned, R @ q, **EXACT)
    assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(q), abs=1e-12)


@each_layout
def test_the_score_depends_on_the_difference_of_the_positions_only(layout):
    for i, j, shift in RNG.integers(0, 300, size=(50, 3)):
        q, k = RNG.normal(size=(2, 1, 8))
        near, far = (
            rotate(q, [i + s], layout=layout) @ rotate(k, [j + s], layout=layout).T for s in (0, shift)
        )
        np.testing.assert_allclose(near, far, rtol=0, atol=1e-10)
        only_the_query = rotate(q, [i - j], layout=layout) @ k.T
        np.testing.assert_allclose(near, only_the_query, rtol=0, atol=1e-10)


def test_the_pencil_scores_of_the_lesson():
    step = np.pi / 6
    for (i, j), score in {(1, 0): 0.866, (2, 1): 0.866, (3, 1): 0.5, (5, 3): 0.5}.items():
        assert (rotate([[1, 0]], [i * step]) @ rotate([[1, 0]], [j * step]).T).item() == pytest.approx(
            score, abs=5e-5
        )


def test_the_layouts_agree_at_position_0_and_after_moving_the_columns_only():
    M = RNG.normal(size=(3, 6))
    one, other = (rotate(M, range(3), layout=layout) for layout in PAIRS)
    np.testing.assert_array_equal(one[0], other[0])
    assert (np.abs(one - other)[1:] > 0.01).any(axis=1).all()
    order = [0, 3, 1, 4, 2, 5]
    np.testing.assert_allclose(rotate(M[:, order], range(3)), other[:, order], **EXACT)


@each_layout
def test_the_pairs_use_every_column_once(layout):
    assert list(zip(*pair_columns(6, layout), strict=True)) == PAIRS[layout]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: rotate([[1, 2, 3]], [0]), "偶数"),
        (lambda: rotate([[1, 2]], [0, 1]), "必须"),
        (lambda: rotate([[1, 2]], [0], base=0), "base"),
        (lambda: rotate([[1, 2]], [0], layout="half"), '"halves"'),
        (lambda: sine_positions(0, 4), "n 必须"),
        (lambda: sine_positions(3, 2.5), "必须是"),
        (lambda: turn_angles([[1]], 4), "positions"),
        (lambda: Model("who", positions="rope"), '"rotary"'),
        (lambda: Model("who", positions="rotary", heads=16), "d_k"),
        (lambda: Model("who", longest=0), "longest"),
        (lambda: Model("who").represent(torch.zeros(1, 6, dtype=int)), "3 个位置"),
        (lambda: join_sentences(("猫吃鱼",), 0), "count"),
    ],
)
def test_refusals_name_the_rule_what_came_and_the_way_out(call, word):
    with pytest.raises(ValueError, match=r"(?s)收到：.*怎么办：") as refused:
        call()
    assert word in str(refused.value)


# ── 模型 ──────────────────────────────────────────────────────────────────

SENTENCES = ("鸟追马猫吃鱼", "猫吃鱼鱼吃猫")


def test_the_torch_way_of_turning_is_the_same():
    M = RNG.normal(size=(2, 3, 5, 6))
    turned = turn(torch.tensor(M)).numpy()
    for a, b in product(range(2), range(3)):
        np.testing.assert_allclose(turned[a, b], rotate(M[a, b], range(5)), **EXACT)


@pytest.mark.parametrize("way", ["learned", "sine", "columns", "rotary", False])
def test_each_way_puts_the_positions_where_it_says(way):
    model = Model("who", positions=way, longest=6, heads=2, seed=3)
    numbers = model.encode(SENTENCES)
    words = model.word_vectors.detach().numpy()[numbers[0]]
    expected = {
        "learned": lambda: words + model.position_vectors.detach().numpy(),
        "sine": lambda: words + sine_positions(6, 16),
        "columns": lambda: np.hstack([words, sine_positions(6, 8)]),
    }.get(way, lambda: words)()
    X = model.represent(numbers)[0].detach().numpy()
    np.testing.assert_allclose(X, expected, **EXACT)
    weights = model(numbers)[1][0].detach().numpy()
    for h in range(2):
        Q, K, V = (X @ M[h].detach().numpy() for M in (model.W_Q, model.W_K, model.W_V))
        if way == "rotary":
            Q, K = rotate(Q, range(6)), rotate(K, range(6))
        np.testing.assert_allclose(weights[h], attention(Q, K, V).weights, **EXACT)


def test_true_and_false_mean_what_they_always_meant():
    same = Model("who", seed=1).state_dict(), Model("who", positions="learned", seed=1).state_dict()
    assert all(torch.equal(same[0][name], same[1][name]) for name in same[0])
    assert Model("who", positions=None).positions is False


def test_joined_sentences_end_with_the_sentence_itself_and_come_from_the_same_ones():
    sentences = split_sentences(0).test
    joined = join_sentences(sentences, 3, seed=5)
    assert [whole[-3:] for whole in joined] == list(sentences)
    assert {whole[i : i + 3] for whole in joined for i in (0, 3)} <= set(sentences)
    state = random.getstate()
    assert joined == join_sentences(sentences, 3, seed=5) != join_sentences(sentences, 3, seed=6)
    assert random.getstate() == state and join_sentences(sentences, 1) == sentences


def accuracies(task, way):
    """种子 0 到 4，留出句上，接成 3、4、5、8 句时的正确率；训练时 1 到 3 句。"""
    rows = []
    for seed in range(5):
        result = train(task, positions=way, longest=24, joined=(1, 2, 3), steps=150, seed=seed)
        joined = [join_sentences(result.split.test, count) for count in (3, 4, 5, 8)]
        rows.append([round(accuracy(result.model, sentences), 2) for sentences in joined])
    return np.array(rows)


@pytest.mark.parametrize(
    ("task", "way", "four", "five"),
    [
        ("who", "learned", (0.07, 0.19), (0.06, 0.14)),
        ("who", "columns", (0.06, 0.16), (1, 1)),
        ("who", "sine", (0.16, 0.82), (0.67, 1)),
        ("who", "rotary", (1, 1), (0.82, 1)),
        ("what", "learned", (0.08, 0.19), (0.07, 0.19)),
        ("what", "columns", (0.97, 1), (1, 1)),
        ("what", "sine", (0.36, 0.66), (0.06, 0.12)),
        ("what", "rotary", (0.90, 1), (0.59, 1)),
    ],
)
def test_what_notebook_09_says_of_longer_sentences_holds_for_seeds_0_to_4(task, way, four, five):
    runs = accuracies(task, way)
    assert (runs[:, 0] == 1).all()
    assert (runs[:, 1].min(), runs[:, 1].max()) == four
    assert (runs[:, 2].min(), runs[:, 2].max()) == five

"""遮罩：与 torch、与另写的循环相同；写错的 allowed 都不收；07_masks 说的训练结果对写明的种子都成立。"""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from utils.attention import attention, causal_mask, mask_scores, padding_mask, softmax
from utils.examples import load_example, reorder
from utils.notebooks import NOTEBOOKS, parse
from utils.training import Adam, one_thread

sdpa = torch.nn.functional.scaled_dot_product_attention
steady = settings(
    derandomize=True, deadline=None, database=None, max_examples=60, phases=[Phase.explicit, Phase.generate]
)
SIZES = st.tuples(*[st.integers(1, 7)] * 4, st.integers(0, 2**32 - 1))


def random_case(n_q, n_k, d_k, d_v, seed):
    """随机的 Q、K、V 和遮罩；每一行至少看得到一个键。"""
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=size) for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    allowed = rng.random((n_q, n_k)) < 0.5
    allowed[np.arange(n_q), rng.integers(n_k, size=n_q)] = True
    return Q, K, V, allowed


def by_loop(Q, K, V, looks):
    """另写的循环：只把可以看的键挑出来做 softmax，没有 −∞，也不用矩阵乘法。looks(i, j)：i 能不能看 j。"""
    weights, outputs = [], []
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if looks(i, j)]
        scores = {j: sum(a * b for a, b in zip(q, K[j], strict=True)) / math.sqrt(len(q)) for j in seen}
        total = math.fsum(math.exp(scores[j] - scores[seen[0]]) for j in seen)
        row = [math.exp(scores[j] - scores[seen[0]]) / total if j in seen else 0.0 for j in range(len(K))]
        weights.append(row)
        outputs.append([sum(w * v[m] for w, v in zip(row, V, strict=True)) for m in range(len(V[0]))])
    return weights, outputs


@steady
@given(SIZES)
def test_attention_with_any_mask_equals_torch_and_a_loop(sizes):
    Q, K, V, allowed = random_case(*sizes)
    steps = attention(Q, K, V, allowed)
    theirs = sdpa(*map(torch.from_numpy, (Q, K, V)), attn_mask=torch.from_numpy(allowed))
    np.testing.assert_allclose(steps.output, theirs.numpy(), rtol=0, atol=1e-12)
    weights, output = by_loop(Q.tolist(), K.tolist(), V.tolist(), lambda i, j: allowed[i, j])
    np.testing.assert_allclose(steps.weights, weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(steps.output, output, rtol=0, atol=1e-12)
    assert (steps.weights[~allowed] == 0).all() and np.isneginf(steps.scaled_scores[~allowed]).all()


@steady
@given(SIZES, st.integers(1, 7))
def test_causal_and_padding_equal_torch_and_a_loop(sizes, length):
    n, _, d_k, d_v, seed = sizes
    Q, K, V, _ = random_case(n, n, d_k, d_v, seed)
    length = min(length, n)
    tensors = [*map(torch.from_numpy, (Q, K, V))]
    causal = attention(Q, K, V, causal_mask(n)).output
    np.testing.assert_allclose(causal, sdpa(*tensors, is_causal=True).numpy(), rtol=0, atol=1e-12)
    lists = Q.tolist(), K.tolist(), V.tolist()
    np.testing.assert_allclose(causal, by_loop(*lists, lambda i, j: j <= i)[1], rtol=0, atol=1e-12)
    padded = attention(Q, K, V, padding_mask(length, n)).output
    alone = attention(Q, K[:length], V[:length]).output
    np.testing.assert_allclose(padded, alone, rtol=0, atol=1e-12)
    both = attention(Q, K, V, causal_mask(n) & padding_mask(length, n)).weights
    expected = by_loop(*lists, lambda i, j: j <= i and j < length)[0]
    np.testing.assert_allclose(both, expected, rtol=0, atol=1e-12)


def test_without_a_mask_or_with_all_allowed_nothing_changes():
    Q, K, V, allowed = random_case(3, 5, 2, 4, seed=0)
    for plain, masked in zip(attention(Q, K, V), attention(Q, K, V, np.ones_like(allowed)), strict=True):
        np.testing.assert_array_equal(plain, masked)


def test_the_pencil_numbers_of_the_design():
    """DESIGN.md 第 5 节，逐个抄下。"""
    example = load_example("我爱你")

    def causal(example):
        Q, K, V = (example.X @ W for W in (example.W_Q, example.W_K, example.W_V))
        return attention(Q, K, V, causal_mask(3))

    steps, other = causal(example), causal(reorder(example, "你爱我"))
    weights = [[1, 0, 0], [0.5, 0.5, 0], [0.2741, 0.2741, 0.4519]]
    np.testing.assert_allclose(steps.weights, weights, atol=5e-5)
    output = [[2, 0, 2, 0], [1, 1, 1, 1], [1.4519, 1.4519, 1, 1]]
    np.testing.assert_allclose(steps.output, output, atol=5e-5)
    output = [[2, 2, 1, 1], [1, 2, 0.5, 1.5], [1.4519, 1.0963, 1.1778, 0.8222]]
    np.testing.assert_allclose(other.output, output, atol=5e-5)


def test_changing_a_later_token_moves_no_earlier_output():
    Q, K, V, _ = random_case(6, 6, 3, 2, seed=1)
    before = attention(Q, K, V, causal_mask(6)).output
    for last in range(1, 6):
        changed = [M.copy() for M in (Q, K, V)]
        for M in changed:
            M[last:] += 1
        after = attention(*changed, causal_mask(6)).output
        np.testing.assert_array_equal(after[:last], before[:last])
        assert not np.isclose(after[last:], before[last:]).any()


# ── 写错的 allowed ────────────────────────────────────────────────────────

SCORES, CAUSAL = np.zeros((2, 3)), np.tri(2, 3, dtype=bool)
WRONG = {
    "0 和 1": (CAUSAL.astype(int), "True 和 False"),
    "小数": (CAUSAL.astype(float), "True 和 False"),
    "加上去的": (np.where(CAUSAL, 0, -np.inf), "True 和 False"),
    "文字": ([["T", "F", "F"]] * 2, "实数"),
    "列表里的 1": ([[1, 0, 0], [1, 1, 0]], "True 和 False"),
    "少一列": (CAUSAL[:, :2], "allowed (2, 2)"),
    "转置": (CAUSAL.T, "转置"),
    "一行": (CAUSAL[0], "二维"),
    "多一维": (CAUSAL[None], "二维"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_mask_is_refused_with_the_rule(name):
    allowed, words = WRONG[name]
    for call in (lambda: mask_scores(SCORES, allowed), lambda: attention(*random_qkv(), allowed)):
        with pytest.raises(ValueError) as refused:
            call()
        assert all(part in str(refused.value) for part in (words, "收到", "怎么办")), str(refused.value)


def random_qkv():
    return random_case(2, 3, 4, 2, seed=0)[:3]


def test_a_row_with_nothing_to_see_is_refused_where_torch_goes_on():
    allowed = np.array([[True, False, True], [False, False, False]])
    with pytest.raises(ValueError, match="第 2 行全是 −∞"):
        attention(*random_qkv(), allowed)
    masked = torch.from_numpy(mask_scores(SCORES, allowed))
    assert torch.softmax(masked, dim=-1)[1].isnan().all()
    theirs = sdpa(*map(torch.from_numpy, random_qkv()), attn_mask=torch.from_numpy(allowed))
    assert (theirs[1] == 0).all()


@pytest.mark.parametrize(
    "call", [lambda: causal_mask(0), lambda: causal_mask(2.0), lambda: padding_mask(4, 3)]
)
def test_a_wrong_length_is_refused(call):
    with pytest.raises(ValueError, match=r"(?s)收到.*怎么办"):
        call()


def test_masks_given_as_lists_of_booleans_pass_and_stay_as_they_are():
    allowed = [[True, False, False], [True, True, False]]
    scores = np.ones((2, 3))
    assert mask_scores(scores, allowed).tolist() == [[1, -np.inf, -np.inf], [1, 1, -np.inf]]
    assert (scores == 1).all() and softmax(mask_scores(scores, allowed)).tolist() == [
        [1, 0, 0],
        [0.5, 0.5, 0],
    ]


# ── 笔记本里关于训练的话 ──────────────────────────────────────────────────

SENTENCES = {"我爱你。", "你爱猫。", "猫爱我。", "猫吃鱼。"}
SEEDS = range(9)  # 笔记本写着：种子 0 到 8


@pytest.fixture(scope="module")
def names():
    """运行笔记本里定义句子、模型、训练、写的那几格，不运行训练本身。"""
    names, dtype = {}, torch.get_default_dtype()
    wanted = r"^(import inspect|sentences = |inputs = |def (mask|train|write)\(|class )"
    cells = parse((NOTEBOOKS / "07_masks.ipynb").read_bytes()).cells
    torch.set_default_dtype(torch.float64)
    for cell in cells:
        if cell.cell_type == "code" and re.search(wanted, cell.source, re.MULTILINE):
            exec(cell.source, names)
    names["Adam"] = Adam
    yield names
    torch.set_default_dtype(dtype)


@pytest.fixture(scope="module")
def trained(names):
    """{有没有遮罩: [(模型, 损失)，一个种子一个]}"""
    masks = {False: None, True: torch.from_numpy(np.tri(3, dtype=bool))}
    with one_thread():
        return {kind: [names["train"](mask, seed) for seed in SEEDS] for kind, mask in masks.items()}


FLOOR = 2 * math.log(2) / 12


def test_with_the_mask_every_seed_ends_at_the_floor_and_writes_the_sentences(names, trained):
    assert set(names["sentences"]) == SENTENCES
    for model, loss in trained[True]:
        assert loss > FLOOR - 1e-9 and round(loss, 3) == 0.116
        assert {names["write"](model, start) for start in ("我", "你", "猫爱", "猫吃")} == SENTENCES
        scores, _ = model(names["to_numbers"]("猫"))
        chances = torch.softmax(scores[-1], dim=-1)
        assert [round(chances[names["vocabulary"].index(word)].item(), 1) for word in "爱吃"] == [0.5, 0.5]


def test_without_the_mask_seven_of_nine_seeds_peek_and_none_writes(names, trained):
    losses = [loss for _, loss in trained[False]]
    assert sum(loss < 0.001 for loss in losses) == 7
    assert sum(loss > FLOOR for loss in losses) == 2
    for model, _ in trained[False]:
        assert not {names["write"](model, start) for start in "我你"} & SENTENCES


def test_the_peeking_model_of_the_notebook_looks_at_the_next_position(names, trained):
    model, loss = trained[False][4]  # 笔记本用种子 4
    assert round(loss, 4) == 0
    assert (model(names["inputs"])[1][:, 0, 1] > 0.98).all()
    assert not {names["write"](model, start) for start in "我你猫"} & SENTENCES


def test_seed_12_writes_a_sentence_without_the_mask_and_does_not_learn_with_it(names):
    with one_thread():
        (peeking, _), (_, loss) = names["train"](None, 12), names["train"](torch.ones(3, 3).tril() == 1, 12)
    assert names["write"](peeking, "我") == "我爱你。" and round(loss, 2) == 0.39

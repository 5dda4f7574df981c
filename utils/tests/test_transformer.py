"""块、小语言模型、它的缓存和它的图；每个数都另外算一遍：torch 自己的块、逐个数的循环、数参数、数乘法。"""

import ast
import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from utils import transformer, writing
from utils.block import feed_forward, layer_norm
from utils.map_reading import next_character, weights_of
from utils.sizes import REAL_MODELS, block_multiplications, matrix_parameters
from utils.transformer import Block, Heads
from utils.writing import encode, generate, load_stories, loss_on, new_model, probabilities, train

ANIMALS = set("猫狗鱼鸟虎马牛羊鸡蛇")


def characters():
    return writing.START + "".join(sorted(set("".join(sum(load_stories(), ())))))


@cache
def trained():
    return train(steps=200)  # 笔记本里的那一个


# ── 零件 ──────────────────────────────────────────────────────────────────


def test_layer_norm_is_each_number_less_the_mean_of_its_row_over_its_spread():
    X = np.random.default_rng(0).normal(2, 3, (4, 7))
    for row, normed in zip(X, layer_norm(X), strict=True):
        mean = sum(row) / 7
        spread = math.sqrt(sum((x - mean) ** 2 for x in row) / 7 + 1e-5)
        np.testing.assert_allclose(normed, [(x - mean) / spread for x in row], atol=1e-12)
    np.testing.assert_allclose(layer_norm(X), nn.LayerNorm(7)(torch.tensor(X).float()).detach(), atol=1e-5)
    np.testing.assert_array_equal(layer_norm([[5.0, 5, 5]]), [[0, 0, 0]])
    with pytest.raises(ValueError, match="至少要有两列"):
        layer_norm([[1.0]])


def test_feed_forward_is_a_loop_over_hidden_numbers_and_each_row_is_alone():
    rng = np.random.default_rng(1)
    X, W_1, b_1, W_2, b_2 = (rng.normal(size=shape) for shape in ((3, 4), (4, 6), 6, (6, 4), 4))
    expected = np.zeros((3, 4))
    for i in range(3):
        expected[i] = b_2
        for k in range(6):
            expected[i] += max(0, sum(X[i, m] * W_1[m, k] for m in range(4)) + b_1[k]) * W_2[k]
    np.testing.assert_allclose(feed_forward(X, W_1, b_1, W_2, b_2), expected, atol=1e-12)
    alone = [feed_forward(X[i : i + 1], W_1, b_1, W_2, b_2)[0] for i in range(3)]
    np.testing.assert_allclose(feed_forward(X, W_1, b_1, W_2, b_2), alone, atol=1e-12)


# ── 块 ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(("d_model", "heads", "d_ff"), [(8, 2, 32), (12, 3, 20), (6, 1, 5)])
def test_the_block_is_the_encoder_layer_of_torch(d_model, heads, d_ff, norm_first):
    torch.manual_seed(0)
    ours = Block(d_model, heads, d_ff, norm_first).double()
    theirs = nn.TransformerEncoderLayer(
        d_model, heads, d_ff, dropout=0, norm_first=norm_first, batch_first=True
    )
    theirs = theirs.double()
    with torch.no_grad():
        for parameter in ours.parameters():  # 乘数不全是 1，加数不全是 0
            parameter.normal_(std=0.5)
        attention = ours.attention
        stacked = torch.cat([attention.W_Q.weight, attention.W_K.weight, attention.W_V.weight])
        theirs.self_attn.in_proj_weight.copy_(stacked)
        theirs.self_attn.out_proj.weight.copy_(attention.W_O.weight)
        for mine, other in (
            (ours.feed_forward[0], theirs.linear1),
            (ours.feed_forward[2], theirs.linear2),
            (ours.norm_1, theirs.norm1),
            (ours.norm_2, theirs.norm2),
        ):
            other.load_state_dict(mine.state_dict())
        X = torch.randn(2, 5, d_model, dtype=torch.float64)
        future = torch.ones(5, 5, dtype=torch.bool).triu(1)
        np.testing.assert_allclose(ours(X)[0], theirs(X, src_mask=future), rtol=0, atol=1e-12)


def test_no_row_sees_a_later_one():
    heads, X = Heads(8, 2).double(), torch.randn(5, 8, dtype=torch.float64)
    changed = X.clone()
    changed[3:] = 9
    np.testing.assert_allclose(heads(X)[0][:3].detach(), heads(changed)[0][:3].detach(), atol=1e-12)
    assert (heads(X)[1].triu(1) == 0).all()


def test_the_model_is_at_most_sixty_lines_of_code():
    """数写着代码的行：空行和说明文字不算，import 也算。"""
    source = Path(transformer.__file__).read_text(encoding="utf-8")
    texts = [
        node.body[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
    ]
    explained = {line for text in texts for line in range(text.lineno, text.end_lineno + 1)}
    lines = [line for n, line in enumerate(source.splitlines(), 1) if line.strip() and n not in explained]
    assert len(lines) <= 60


# ── 训练 ──────────────────────────────────────────────────────────────────


def test_pairs_of_held_out_animals_are_never_together_in_training():
    stories = load_stories()
    pairs = [{frozenset(ANIMALS & set(story)) for story in part} for part in stories]
    assert {len(pair) for part in pairs for pair in part} == {2}
    assert not pairs[0] & pairs[1] and len(pairs[1]) == 11 and frozenset("猫鱼") in pairs[1]
    assert set("".join(stories.held_out)) <= set("".join(stories.train))


def test_the_loss_is_the_mean_surprise_of_each_next_character():
    model, stories = new_model(characters()), load_stories().held_out[:3]
    surprises = []
    for story in stories:
        for i in range(len(story)):
            scores = model(encode(model.characters, [("▷" + story)[: i + 1]]))[0][0, -1].detach().numpy()
            shares = np.exp(scores) / np.exp(scores).sum()
            surprises.append(-math.log(shares[model.characters.index(story[i])]))
    assert loss_on(model, stories).item() == pytest.approx(np.mean(surprises), abs=1e-12)


def test_an_untrained_model_is_near_uniform_and_a_trained_one_beats_the_baselines():
    stories = load_stories()
    assert loss_on(new_model(characters()), stories.held_out).item() == pytest.approx(math.log(71), abs=0.2)
    unigram, bigram, before = Counter(), Counter(), Counter()
    for story in stories.train:
        for a, b in zip("▷" + story[:-1], story, strict=True):
            unigram[b] += 1
            bigram[a + b] += 1
            before[a] += 1
    total = sum(unigram.values())
    losses = {"unigram": 0, "bigram": 0}
    for story in stories.held_out:
        for a, b in zip("▷" + story[:-1], story, strict=True):
            losses["unigram"] -= math.log((unigram[b] + 1) / (total + 71)) / (24 * 44)
            losses["bigram"] -= math.log((bigram[a + b] + 1) / (before[a] + 71)) / (24 * 44)
    assert f"{losses['unigram']:.3f} {losses['bigram']:.4f}" == "3.919 2.0786"  # 笔记本里的两个数
    assert trained().held_out_losses[-1] < 0.6 < losses["bigram"] < losses["unigram"] < math.log(71)


def test_training_is_the_same_twice_and_leaves_random_numbers_and_threads_alone():
    before = torch.get_rng_state(), torch.get_num_threads()
    first, again, other = (train(steps=3, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before[0]) and torch.get_num_threads() == before[1]
    np.testing.assert_array_equal(first.train_losses, again.train_losses)
    assert first.train_losses[-1] != other.train_losses[-1]
    assert first.steps.tolist() == [3]


def test_the_initial_model_does_not_depend_on_the_default_precision():
    first = new_model("▷猫。", seed=3)
    torch.set_default_dtype(torch.float64)
    try:
        second = new_model("▷猫。", seed=3)
    finally:
        torch.set_default_dtype(torch.float32)
    for mine, other in zip(first.parameters(), second.parameters(), strict=True):
        assert mine.dtype == torch.float64 and torch.equal(mine, other)


# ── 写字 ──────────────────────────────────────────────────────────────────


def prompts():
    """50 个开头：留出的故事的前 0 到 22 个字。"""
    rng, stories = np.random.default_rng(0), load_stories().held_out
    return [stories[rng.integers(44)][: rng.integers(23)] for _ in range(50)]


def test_with_and_without_the_cache_the_same_characters_are_written():
    for seed, prompt in enumerate(prompts()):
        ways = {"greedy": seed % 3 == 0, "top_k": 5 if seed % 3 == 1 else None, "seed": seed}
        assert generate(trained().model, prompt, **ways) == generate(
            trained().model, prompt, **ways, cache=False
        )


def test_with_the_cache_the_scores_are_those_of_reading_everything():
    model, text = trained().model, "▷猫在树下走，鱼也在树下"
    whole = model(encode(model.characters, [text]))[0][0].detach()
    caches, rows = None, []
    for character in text:
        scores, _, caches = model(encode(model.characters, [character]), caches)
        rows.append(scores[0, 0].detach().numpy())
    np.testing.assert_allclose(rows, whole, atol=1e-12)
    assert len(caches) == 2 and all(K.shape == V.shape == (1, 4, len(text), 8) for K, V in caches)


def test_temperature_and_top_k():
    scores = torch.tensor([0.0, math.log(2), math.log(4)], dtype=torch.float64)
    np.testing.assert_allclose(probabilities(scores), [1 / 7, 2 / 7, 4 / 7], atol=1e-12)
    np.testing.assert_allclose(probabilities(scores, 0.5), [1 / 21, 4 / 21, 16 / 21], atol=1e-12)
    np.testing.assert_allclose(probabilities(scores, top_k=2), [0, 1 / 3, 2 / 3], atol=1e-12)
    model = trained().model
    assert generate(model, "猫", top_k=1, temperature=2, seed=5) == generate(model, "猫", greedy=True)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda model: generate(model, "猫x"), "'x'"),
        (lambda model: generate(model, "▷"), "认识的字"),
        (lambda model: generate(model, "猫" * 40), "最多 31 个字"),
        (lambda model: generate(model, temperature=0), "temperature"),
        (lambda model: generate(model, top_k=100), "top_k"),
        (lambda model: next_character(model, "猫", head=0, row=[1]), "2 个字，1 个权重"),
        (lambda model: train(steps=0), "steps"),
    ],
)
def test_bad_arguments_are_refused_with_the_way_out(call, part):
    with pytest.raises(ValueError) as caught:
        call(new_model(characters()))
    assert part in str(caught.value) and "怎么办" in str(caught.value)


# ── 读它的图 ──────────────────────────────────────────────────────────────


def test_putting_a_head_back_as_it_was_changes_nothing_and_removing_it_is_a_zero_row_of_W_O():
    model, text = trained().model, "鱼在院里走，猫也在院里，鱼想追上"
    maps, as_it_is = weights_of(model, text), next_character(model, text)
    np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-12)
    for b, h in np.ndindex(2, 4):
        character, share = next_character(model, text, block=b, head=h, row=maps[b, h, -1])
        assert character == as_it_is[0] and share == pytest.approx(as_it_is[1], abs=1e-12)
    assert next_character(model, text) == as_it_is  # 试完恢复原样
    last = model.blocks[1].attention.W_O.weight  # 最后一块：只有最后一行要紧，去掉一个头就是它的列为 0
    kept = last.detach().clone()
    with torch.no_grad():
        last[:, 8:16] = 0
        expected = next_character(model, text)
        last.copy_(kept)
    removed = next_character(model, text, block=1, head=1)
    assert removed[0] == expected[0] and removed[1] == pytest.approx(expected[1], abs=1e-12)


def test_one_head_copies_the_name_of_animals_never_seen_together():
    model, right = trained().model, {None: 0, 1: 0, 2: 0}
    for story in load_stories().held_out:
        names = [c for c in story if c in ANIMALS]
        other = next(c for c in names if c != names[0])
        before = story[: story.index(other, 13)]
        for head in right:
            right[head] += next_character(model, before, head=head)[0] == other
    assert right[None] == right[2] == 44 and right[1] < 22


# ── 大小 ──────────────────────────────────────────────────────────────────


def test_the_sizes_count_what_a_block_has_and_does():
    block = Block(32, 4, 128).double()
    matrices = sum(p.numel() for p in block.parameters() if p.ndim == 2)
    assert matrices == matrix_parameters(32, 32, 128) == 12 * 32**2
    for n_q, n_k in ((1, 9), (9, 9)):
        cache = torch.zeros(4, n_k - n_q, 8).double(), torch.zeros(4, n_k - n_q, 8).double()
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            block(torch.zeros(n_q, 32).double(), cache)
        assert counter.get_total_flops() == 2 * block_multiplications(n_q, n_k, 32, 128)  # 乘和加各算一次


def parameters(size, *, gated, qkv_bias, all_bias, tied, positions, norm_bias):
    """在没有数的 meta 设备上，照公开的结构搭一层，数参数。"""
    d, head = size.d_model, size.d_model // size.heads

    def linear(a, b, bias):
        return nn.Linear(a, b, bias=bias, device="meta")

    widths = [d, size.kv_heads * head, size.kv_heads * head]
    layers = [linear(d, width, qkv_bias or all_bias) for width in widths] + [linear(d, d, all_bias)]
    layers += [linear(d, size.d_ff, all_bias) for _ in range(1 + gated)] + [linear(size.d_ff, d, all_bias)]
    layers += [nn.LayerNorm(d, bias=norm_bias, device="meta") for _ in range(2)]
    outside = [nn.Embedding(size.vocabulary, d, device="meta") for _ in range(1 if tied else 2)]
    outside += [nn.LayerNorm(d, bias=norm_bias, device="meta")]
    outside += [nn.Embedding(positions, d, device="meta")] if positions else []

    def count(modules):
        return sum(p.numel() for module in modules for p in module.parameters())

    return size.layers * count(layers) + count(outside)


@pytest.mark.parametrize(
    ("name", "published", "kind"),
    [
        ("GPT-2 small", 124_439_808, "gpt2"),
        ("Qwen2.5-0.5B", 494_032_768, "qwen"),
        ("Llama 3 8B", 8_030_261_248, "llama"),
    ],
)
def test_real_models_have_their_published_number_of_parameters(name, published, kind):
    gpt2 = kind == "gpt2"
    counted = parameters(
        REAL_MODELS[name],
        gated=not gpt2,
        qkv_bias=kind == "qwen",
        all_bias=gpt2,
        tied=kind != "llama",
        positions=1024 if gpt2 else 0,
        norm_bias=gpt2,
    )
    assert counted == published == REAL_MODELS[name].published

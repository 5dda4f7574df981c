"""model.py 和 training.py 的事实；标着 seed 的事实对两个种子都成立，2 是第 6 本笔记用的。"""

import math
import random
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import IPython.display
import numpy as np
import pytest
import torch
from torch.nn import functional as F

from utils import training
from utils.attention import self_attention
from utils.model import Model, load_words
from utils.training import answer, show_progress, split_sentences, train, verb_weights

SEEDS = (2, 0)
two_seeds = pytest.mark.parametrize("seed", SEEDS)


@cache
def trained(task, seed, **options):
    return train(task, seed=seed, **options)


def mirror(sentence):
    return sentence[::-1]


def ask(model, sentences):
    """一次问许多句：分数 (句数, 问题数, 名词数) 和动词的权重 (句数, heads, 3)。"""
    with torch.no_grad():
        scores, weights = model(model.encode(sentences))
    return scores.numpy(), weights[:, :, 1].numpy()


def held_out_weights(result):
    """留出句和它们的镜像上，动词的权重。"""
    sentences = result.split.test
    return ask(result.model, sentences)[1], ask(result.model, map(mirror, sentences))[1]


# ── 句子 ──────────────────────────────────────────────────────────────────


def test_the_word_list_has_ten_nouns_and_four_verbs_of_one_character():
    nouns, verbs = load_words()
    assert (len(nouns), len(verbs)) == (10, 4)
    assert {len(word) for word in nouns + verbs} == {1} and len(set(nouns + verbs)) == 14


@two_seeds
def test_every_sentence_is_on_the_side_of_its_mirror_and_cat_eats_fish_is_held_out(seed):
    nouns, verbs = load_words()
    every = {a + v + b for a, v, b in product(nouns, verbs, nouns) if a != b}
    split = split_sentences(seed)
    assert (len(every), len(split.train), len(split.test)) == (360, 270, 90)
    assert set(split.train) | set(split.test) == every
    for part in split:
        assert {mirror(sentence) for sentence in part} == set(part)
    assert {"猫吃鱼", "鱼吃猫"} <= set(split.test)
    for position, kind in enumerate([nouns, verbs, nouns]):  # 每个词都在每个位置上训练过
        assert {sentence[position] for sentence in split.train} == set(kind)


def test_another_seed_holds_out_other_sentences():
    assert len({frozenset(split_sentences(seed).test) for seed in SEEDS}) == len(SEEDS)


# ── 模型 ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("heads", "d_v", "positions"), [(1, None, True), (1, 5, False), (4, 3, True)])
def test_each_head_is_the_course_self_attention_on_its_own_matrices(heads, d_v, positions):
    model = Model("both", positions=positions, heads=heads, d_v=d_v, seed=3)
    scores, weights = model(model.encode(["狗追鸟"]))

    matrices = {name: value.detach().numpy() for name, value in model.named_parameters()}
    words = model.words.nouns + model.words.verbs
    X = np.array([matrices["word_vectors"][words.index(word)] for word in "狗追鸟"])
    X = X + (matrices["position_vectors"] if positions else 0)
    steps = [self_attention(X, *(matrices[W][head] for W in ("W_Q", "W_K", "W_V"))) for head in range(heads)]
    for head, step in enumerate(steps):
        np.testing.assert_allclose(weights[0, head].detach(), step.weights, atol=1e-12)
    verb_output = np.concatenate([step.output[1] for step in steps])
    np.testing.assert_allclose(scores[0].detach().ravel(), verb_output @ matrices["readout"], atol=1e-12)
    np.testing.assert_allclose(verb_weights(model, "狗追鸟"), [step.weights[1] for step in steps], atol=1e-12)


def test_the_hidden_layer_is_a_relu_between_the_verb_and_the_readout():
    model = Model("who", hidden=7, seed=3)
    X = model.represent(model.encode(["狗追鸟"]))[0].detach().numpy()
    W_Q, W_K, W_V = (W[0].detach().numpy() for W in (model.W_Q, model.W_K, model.W_V))
    hidden = np.maximum(self_attention(X, W_Q, W_K, W_V).output[1] @ model.hidden.detach().numpy(), 0)
    scores = model(model.encode(["狗追鸟"]))[0].detach().numpy().ravel()
    np.testing.assert_allclose(scores, hidden @ model.readout.detach().numpy(), atol=1e-12)


def test_one_head_and_two_heads_have_the_same_number_of_parameters():
    count = [sum(value.numel() for value in Model("both", heads=h).parameters()) for h in (1, 2)]
    assert count[0] == count[1]


def test_gradients_reach_every_matrix_and_equal_finite_differences():
    model = Model("both", heads=2, hidden=6, seed=1)
    sentences = model.encode(split_sentences().train)
    wanted = sentences[:, [0, 2]]

    def loss():
        return F.cross_entropy(model(sentences)[0].flatten(0, 1), wanted.flatten())

    loss().backward()
    step = 1e-6
    for name, value in model.named_parameters():
        largest = np.unravel_index(value.grad.abs().argmax().item(), value.shape)
        with torch.no_grad():
            value[largest] += step
            above = loss().item()
            value[largest] -= 2 * step
            below = loss().item()
            value[largest] += step
        assert value.grad[largest] != 0, name
        assert value.grad[largest].item() == pytest.approx((above - below) / (2 * step), rel=1e-4), name


# ── 学会了什么 ────────────────────────────────────────────────────────────


@two_seeds
@pytest.mark.parametrize(("task", "position"), [("who", 0), ("what", 2)])
def test_the_verb_turns_from_looking_evenly_to_looking_at_the_right_word(task, position, seed):
    result = trained(task, seed)
    for sentence in ("猫吃鱼", "鱼吃猫"):
        assert sentence not in result.split.train
        before, after = (verb_weights(model, sentence)[0] for model in (result.initial, result.model))
        assert np.abs(before - 1 / 3).max() < 0.1
        assert after[position] > 0.99
        assert answer(result.model, sentence) == (sentence[position],)
    assert result.accuracy_test >= 0.95


@two_seeds
def test_without_positions_a_sentence_and_its_mirror_are_the_same_and_a_coin_decides(seed):
    result = trained("who", seed, positions=False)
    assert abs(result.accuracy_test - 0.5) < 0.1
    assert result.losses.min() > math.log(2)  # 两个名词各一半时的交叉熵，再低就是认出了次序
    here, there = held_out_weights(result)
    np.testing.assert_allclose(here, there[:, :, ::-1], atol=1e-12)
    assert answer(result.model, "猫吃鱼") == answer(result.model, "鱼吃猫")


def test_without_positions_training_on_the_mirrors_pushes_accuracy_far_below_chance():
    model = Model("who", positions=False)
    every = sum(split_sentences(), ())
    one_of_each = [sentence for sentence in every if sentence < mirror(sentence)]
    with training.one_thread():
        training._fit(model, [one_of_each], 100, None)
    assert training._accuracy(model, [mirror(sentence) for sentence in one_of_each]) < 0.2


def test_every_step_is_that_of_torch_optim_adam(monkeypatch):
    ours = train("who", seed=1, steps=9)
    monkeypatch.setattr(training, "Adam", torch.optim.Adam)
    theirs = train("who", seed=1, steps=9)
    np.testing.assert_array_equal(ours.losses, theirs.losses)
    for mine, other in zip(ours.model.parameters(), theirs.model.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_training_does_not_load_the_compiler_of_torch():
    """torch.compile 的编译器占 100 MB，一个班就是 1 GB；课程用不到它。"""
    code = "import sys, utils.training as t; t.train('who', steps=2); print('torch._dynamo' in sys.modules)"
    root = Path(training.__file__).parent.parent
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True)
    assert run.stdout.split() == [b"False"]


@two_seeds
def test_asked_for_both_two_heads_answer_held_out_sentences_better_than_one(seed):
    one, two = trained("both", seed), trained("both", seed, heads=2)
    assert two.accuracy_test >= 0.97 > one.accuracy_test
    assert one.losses[-1] > 20 * two.losses[-1]


@two_seeds
def test_two_heads_take_one_word_each(seed):
    W = held_out_weights(trained("both", seed, heads=2))[0].mean(axis=0)
    assert set(W.argmax(axis=1)) == {0, 2} and W.max(axis=1).min() > 0.5


@two_seeds
def test_asked_for_both_the_weights_of_one_head_follow_the_noun_and_not_its_place(seed):
    here, there = held_out_weights(trained("both", seed))
    assert np.abs(here - there[:, :, ::-1]).max() < 0.1
    assert np.ptp(here[:, 0, 0]) > 0.5


@two_seeds
def test_for_one_head_a_wider_value_does_not_help_but_a_nonlinear_readout_does(seed):
    wide = trained("both", seed, d_v=64)
    assert wide.accuracy_train > 0.99
    assert wide.accuracy_test < 0.93 < trained("both", seed, d_v=64, hidden=64).accuracy_test


def test_without_scaling_a_wide_head_learns_in_21_steps_only_with_some_seeds():
    """第 6 本写着哪几个种子；缩放时六个都学会。"""
    last = {
        scaled: [train("who", d_k=256, scaled=scaled, seed=seed, steps=21).losses[-1] for seed in range(6)]
        for scaled in (True, False)
    }
    assert max(last[True]) < 0.05
    assert [seed for seed, loss in enumerate(last[False]) if loss > 1] == [1, 3]


# ── 训练本身 ──────────────────────────────────────────────────────────────


def test_accuracy_is_the_share_of_questions_answered_right():
    result = trained("both", 0)
    scores, _ = ask(result.model, result.split.test)
    nouns = result.model.words.nouns
    right = sum(
        nouns[scores[i, question].argmax()] == sentence[position]
        for i, sentence in enumerate(result.split.test)
        for question, position in enumerate((0, 2))
    )
    assert result.accuracy_test == pytest.approx(right / 180)


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    first, again, other = (train("both", heads=2, seed=seed, steps=5).losses for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


def test_initial_is_the_model_before_training():
    result = train("who", steps=3)
    fresh = Model("who").state_dict()
    assert all(torch.equal(value, fresh[name]) for name, value in result.initial.state_dict().items())
    assert not torch.equal(result.model.W_V, result.initial.W_V)
    assert result.losses.shape == (3,)


def test_the_first_loss_is_the_cross_entropy_of_the_initial_model():
    result = train("what", steps=1)
    scores = result.initial(result.initial.encode(result.split.train))[0].detach().numpy()[:, 0]
    wanted = [result.initial.words.nouns.index(sentence[2]) for sentence in result.split.train]
    probability = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = -np.log(probability[np.arange(270), wanted]).mean()
    assert result.losses[0] == pytest.approx(expected, abs=1e-12)


def test_training_leaves_global_random_numbers_and_threads_alone():
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1], torch.get_num_threads()
    train("who", steps=2)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    np.testing.assert_array_equal(np.random.get_state()[1], before[2])
    assert torch.get_num_threads() == before[3]


def test_the_number_of_threads_comes_back_when_training_is_interrupted():
    def interrupt(step, steps, loss):
        assert torch.get_num_threads() == 1
        raise KeyboardInterrupt

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(KeyboardInterrupt):
            train("who", steps=1, on_progress=interrupt)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


# ── 进度 ──────────────────────────────────────────────────────────────────


def test_progress_is_reported_every_twenty_steps_and_at_the_end():
    seen = []
    result = train("who", steps=45, on_progress=lambda *report: seen.append(report))
    assert seen == [(step, 45, result.losses[step - 1]) for step in (20, 40, 45)]


def test_progress_in_a_notebook_begins_and_ends_with_the_same_line(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, *, raw):
            shown.append(data["text/plain"])

    def display(data, *, raw, display_id):
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setattr(IPython.display, "display", display)
    train("who", steps=45, on_progress=show_progress("训练"))
    assert shown[0] == shown[-1] == "训练"
    assert [text.split("，")[0] for text in shown[1:-1]] == ["训练：第 20 / 45 步", "训练：第 40 / 45 步"]


# ── 错误 ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"task": "whom"}, ['"who"', '"what"', '"both"', "'whom'"]),
        ({"heads": 3}, ["整除 d_model（16）", "heads = 3", "1、2、4、8、16"]),
        ({"heads": 32}, ["heads 必须是", "不大于 16"]),
        ({"steps": 0}, ["steps 必须是"]),
        ({"d_v": 0}, ["d_v 必须是"]),
        ({"hidden": 2.5}, ["hidden 必须是"]),
        ({"seed": 2**70}, ["seed 必须是"]),
        ({"on_progress": 20}, ["on_progress 必须是一个函数"]),
    ],
)
def test_bad_arguments_are_refused_with_the_rule_and_the_way_out(arguments, parts):
    with pytest.raises(ValueError) as caught:
        train(**({"task": "who", "steps": 1} | arguments))
    assert all(part in str(caught.value) for part in [*parts, "收到", "怎么办"]), str(caught.value)


@pytest.mark.parametrize("sentence", ["我爱你", "猫吃", "猫吃鱼鱼", "吃猫鱼", "", None, 3, ["猫吃", "鱼"]])
@pytest.mark.parametrize("function", [verb_weights, answer])
def test_a_sentence_outside_the_word_list_is_refused(function, sentence):
    with pytest.raises(ValueError, match="名词、动词、名词") as caught:
        function(Model("who"), sentence)
    assert repr(sentence) in str(caught.value) and "如 猫吃鱼" in str(caught.value)


def test_a_result_is_not_a_model():
    with pytest.raises(ValueError, match=r'train\("who"\)\.model'):
        answer(train("who", steps=1), "猫吃鱼")

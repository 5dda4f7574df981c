"""训：让一层自注意力从许多个三字句里学会“谁在做”“对谁”。

    名词、动词 ─ split_sentences ─► 训练句、留出句
    训练句 ─ train ─► Result：训练前后的 Model、损失、正确率
    三字句 ─ join_sentences ─► 更长的句子；Model, 句子 ─ accuracy ─► 正确率
    Model, "猫吃鱼" ─ verb_weights ─► 动词看向三个词的权重，answer ─► 它的回答
    Model ─ without_head ─► 少一个头的 Model

模型和词表在 model.py。分数最高的名词是模型的回答。
在一个线程里算：矩阵很小，多线程只会更慢；换一台电脑，误差也到不了显示的那几位小数。
"""

import inspect
import random
from contextlib import contextmanager
from copy import deepcopy
from itertools import combinations
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from utils.checks import as_integer, as_list, require, shown
from utils.model import MOST_SEED, SHOWN, Model, load_words

ANSWER_POSITIONS = {"who": -3, "what": -1}  # 答案是倒数第几个字；问的是最后一个动词，它在 -2
MOST_STEPS = 10**6
MOST_JOINED = 1000  # 句
LEARNING_RATE = 0.03
REPORT_EVERY = 20  # 步


class Split(NamedTuple):
    """句子分成两份；一句话和它的镜像（猫吃鱼、鱼吃猫）总在同一份里。"""

    train: tuple[str, ...]
    test: tuple[str, ...]


class Result(NamedTuple):
    """一次训练的结果。

    model, initial : 训练后、训练前的 Model
    losses : (steps,)            每一步的损失（交叉熵，自然对数），更新之前
    accuracy_train : 0 到 1      训练句上答对的问题所占的比例；task="both" 时一句话有两个问题
    accuracy_test : 0 到 1       留出句上的同一个比例；回答是全部名词中分数最高的那一个
    split : 训练句和留出句
    """

    model: Model
    initial: Model
    losses: np.ndarray
    accuracy_train: float
    accuracy_test: float
    split: Split


# ── 句子 ──────────────────────────────────────────────────────────────────


def split_sentences(seed=0):
    """造出全部 主-谓-宾 句（主语和宾语不同），四分之三用来训练，四分之一留出。

    返回 ``Split``，seed 决定留出哪些；猫吃鱼和鱼吃猫总是留出。ValueError：seed 不是不小于 0 的整数。

    为什么镜像要在一起：没有位置时，一句话和它的镜像在模型眼里是同一句。如果镜像参加了训练，
    留出句上就会答成镜像的答案，正确率比瞎猜还低，看不出“分不清”本来的样子。
    """
    seed = as_integer("seed", seed, 0, MOST_SEED, 0)
    words = load_words()
    pairs = [(a + verb + b, b + verb + a) for a, b in combinations(words.nouns, 2) for verb in words.verbs]
    random.Random(seed).shuffle(pairs)
    pairs.sort(key=lambda pair: SHOWN not in pair)  # 稳定排序：只把例句那一对提到最前
    held_out = len(pairs) // 4
    test, train = (tuple(sum(part, ())) for part in (pairs[:held_out], pairs[held_out:]))
    return Split(train, test)


def join_sentences(sentences, count, seed=0):
    """每句前面再接上 count − 1 句，成为 3 · count 个字的长句，如 鸟追马猫吃鱼；问的还是最后一句。

    sentences : 三字句；前面接哪几句，从它们里面挑，由 seed 决定。返回同样多的句子。
    ValueError：count 不是正整数，seed 不是不小于 0 的整数。
    """
    count = as_integer("count", count, 1, MOST_JOINED, 4)
    rng = random.Random(as_integer("seed", seed, 0, MOST_SEED, 0) * MOST_JOINED + count)
    return tuple("".join([*rng.choices(sentences, k=count - 1), sentence]) for sentence in sentences)


def train(task, *, seed=0, steps=200, joined=(1,), on_progress=None, **sizes):
    """训练一个模型，返回 ``Result``；同样的参数总得到同样的结果，不动 torch 的全局随机数。

    task : "who"（谁在做）、"what"（对谁）或 "both"（两个一起问）
    joined : 训练句由几个三字句接成；写几个数，就一步一种，轮流，如 (1, 2, 3)
    sizes : 模型的样子：positions、longest、heads、d_k、d_v、hidden、scaled，见 ``Model``
    seed : 决定留出哪些句子和参数的初值
    steps : 步数；每一步看一遍全部训练句，用 Adam（Kingma、Ba，2015）更新一次
    on_progress : 函数，每 20 步和最后一步收到 (已完成的步数, 总步数, 损失)，如 show_progress("训练")
    ValueError：不认识的 task，头数、宽度、步数、seed 或 on_progress 不合规则。
    """
    steps = as_integer("steps", steps, 1, MOST_STEPS, 200)
    require(
        on_progress is None or callable(on_progress),
        "on_progress 必须是一个函数，收 (已完成的步数, 总步数, 损失)",
        shown(on_progress),
        '写 show_progress("训练")，或者不写',
    )
    split = split_sentences(seed)
    model = Model(task, seed=seed, **sizes)
    initial = deepcopy(model)
    batches = [join_sentences(split.train, count, seed) for count in joined]
    with one_thread():
        losses = _fit(model, batches, steps, on_progress)
        accuracies = [_accuracy(model, part) for part in split]
    return Result(model, initial, losses, *accuracies, split)


def verb_weights(model, sentence):
    """一句话里动词看向三个词的权重：(heads, 3)，每行加起来等于 1，列的顺序是句子的顺序。

    sentence : 三个字，名词、动词、名词，如 "猫吃鱼"。ValueError：词不在词表里，或不是这个次序。
    """
    with torch.no_grad():
        return model(_one_sentence(model, sentence))[1][0, :, 1].numpy()


def accuracy(model, sentences):
    """答对的问题所占的比例，0 到 1。sentences : 一样长的句子，由三字句接成，问的是最后一句。"""
    with one_thread():
        return _accuracy(model, sentences)


def answer(model, sentence):
    """模型对一句话的回答：每个问题一个名词，如 ("猫",)；task="both" 时先“谁在做”，后“对谁”。

    ValueError：同 verb_weights。
    """
    with torch.no_grad():
        best = model(_one_sentence(model, sentence))[0][0].argmax(-1)
    return tuple(model.words.nouns[i] for i in best)


def without_head(model, head):
    """去掉第 head 个头（从 1 数起），返回新的 Model：读出矩阵里收这个头的几行改成 0，它说什么都不算数。

    model : 线性读出（没有 hidden）的 Model。ValueError：model 不是这样的，或 head 不是 1 到头数之间的整数。
    """
    _check_model(model)
    require(model.hidden is None, "model 必须是线性读出", "hidden 不是 None", "训练时不写 hidden")
    heads, _, d_v = model.W_V.shape
    first = d_v * (as_integer("head", head, 1, heads, 1) - 1)
    model = deepcopy(model)
    with torch.no_grad():
        model.readout[first : first + d_v] = 0
    return model


def show_progress(title):
    """在笔记本里显示训练进度，返回给 train 的 on_progress；训练完只留下 title 这一行字。

    显示区先写 title，训练时在原处换成步数和损失，最后换回 title：存下的输出因此每次相同，
    不认识“更新显示”消息的程序（如 nbval）看到的也是同一行字。
    """
    from IPython.display import display  # 只有笔记本用得到

    handle = display({"text/plain": title}, raw=True, display_id=True)

    def report(step, steps, loss):
        done = "" if step == steps else f"：第 {step} / {steps} 步，损失 {loss:.3f}"
        handle.update({"text/plain": title + done}, raw=True)

    return report


# ── 训练 ──────────────────────────────────────────────────────────────────


class Adam(torch.optim.Adam):
    """torch.optim.Adam，每一步的结果一样，只是不加载 torch.compile 的编译器：少等 2 秒，少占 70 MB。"""

    add_param_group = inspect.unwrap(torch.optim.Adam.add_param_group)
    zero_grad = inspect.unwrap(torch.optim.Adam.zero_grad)
    step = torch.no_grad()(inspect.unwrap(torch.optim.Adam.step))


def _fit(model, batches, steps, on_progress):
    """更新 model 的参数 steps 次，各批句子轮流，返回每一步的损失 (steps,)。"""
    batches = [model.encode(sentences) for sentences in batches]
    optimizer = Adam(model.parameters(), lr=LEARNING_RATE)
    losses = np.empty(steps)
    for step in range(1, steps + 1):
        sentences = batches[(step - 1) % len(batches)]
        answers = _answers(model, sentences)
        optimizer.zero_grad()
        scores, _ = model(sentences)
        loss = F.cross_entropy(scores.flatten(0, 1), answers.flatten())
        loss.backward()
        optimizer.step()
        losses[step - 1] = loss.item()
        if on_progress is not None and (step % REPORT_EVERY == 0 or step == steps):
            on_progress(step, steps, losses[step - 1])
    return losses


def _answers(model, sentences):
    """每句每个问题的正确答案：(batch, 问题数) 的名词编号。"""
    return sentences[:, [ANSWER_POSITIONS[role] for role in model.roles]]


def _accuracy(model, sentences):
    sentences = model.encode(sentences)
    with torch.no_grad():
        best = model(sentences)[0].argmax(-1)
    return (best == _answers(model, sentences)).double().mean().item()


@contextmanager
def one_thread():
    """这段时间里 torch 只用一个线程，之后恢复原样。"""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _one_sentence(model, sentence):
    """检查一句话，变成 (1, 3) 的编号。"""
    _check_model(model)
    nouns, verbs = model.words
    words, kinds = as_list(sentence) or [], (nouns, verbs, nouns)
    require(
        len(words) == 3 and all(word in kind for word, kind in zip(words, kinds, strict=True)),
        "sentence 必须正好三个字：名词、动词、名词，都在 data/words.json 里",
        shown(sentence),
        f"名词从 {'、'.join(nouns)} 里选，动词从 {'、'.join(verbs)} 里选，如 {SHOWN}",
    )
    return model.encode([words])


def _check_model(model):
    require(isinstance(model, Model), "model 必须是 Model", type(model).__name__, '写 train("who").model')

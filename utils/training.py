"""训：让一层自注意力从许多个三字句里学会“谁在做”“做到谁身上”。

    data/words.json ─ load_words ─► 名词、动词 ─ split_sentences ─► 训练句、留出句
    训练句 ─ train ─► Result：训练前后的 Model、损失、正确率
    Model, "猫吃鱼" ─ verb_weights ─► 动词看向三个词的权重，answer ─► 它的回答

模型只有一层自注意力（Vaswani 等，2017，式 (1)；多头见 3.2.2 节），没有残差、归一化和前馈层：
动词的输出乘一个矩阵，就是每个名词的分数，分数最高的名词是回答。
全部用 float64，在一个线程里算：矩阵很小，多线程只会更慢；换一台电脑，误差也到不了显示的那几位小数。
"""

import inspect
import math
import random
from contextlib import contextmanager
from copy import deepcopy
from itertools import combinations
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from utils.checks import as_list, is_integer, shown
from utils.examples import DATA, read_data

WORDS = DATA / "words.json"
SHOWN = "猫吃鱼"  # 课程的例句：它和鱼吃猫永远留出，不参加训练
TASKS = {"who": ("who",), "what": ("what",), "both": ("who", "what")}
PLACE = {"who": 0, "what": 2}  # 答案在句子的第几个位置（从 0 数）；动词在 1

D_MODEL = 16
MOST = 10**6  # 步数、宽度的上限：再多，内存放不下，也训练不完
STEPS = 200
LEARNING_RATE = 0.03
REPORT_EVERY = 20  # 步


class Words(NamedTuple):
    """词表；每个词是一个字，全部不同。"""

    nouns: tuple[str, ...]
    verbs: tuple[str, ...]


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

    model: "Model"
    initial: "Model"
    losses: np.ndarray
    accuracy_train: float
    accuracy_test: float
    split: Split


# ── 句子 ──────────────────────────────────────────────────────────────────


def load_words():
    """读入 data/words.json，返回 ``Words``。

    ValueError：文件不合规则；消息写明文件和字段。
    """
    return read_data(WORDS, lambda content: Words(*(_characters(content, field) for field in Words._fields)))


def split_sentences(seed=0):
    """造出全部 主-谓-宾 句（主语和宾语不同），四分之三用来训练，四分之一留出。

    返回 ``Split``，seed 决定留出哪些；猫吃鱼和鱼吃猫总是留出。ValueError：seed 不是不小于 0 的整数。

    为什么镜像要在一起：没有位置时，一句话和它的镜像在模型眼里是同一句。如果镜像参加了训练，
    留出句上就会答成镜像的答案，正确率比乱猜还低，看不出“分不清”本来的样子。
    """
    _check_seed(seed)
    words = load_words()
    pairs = [(a + verb + b, b + verb + a) for a, b in combinations(words.nouns, 2) for verb in words.verbs]
    random.Random(int(seed)).shuffle(pairs)
    pairs.sort(key=lambda pair: SHOWN not in pair)  # 稳定排序：只把例句那一对提到最前
    held_out = len(pairs) // 4
    test, train = (tuple(sum(part, ())) for part in (pairs[:held_out], pairs[held_out:]))
    return Split(train, test)


# ── 模型 ──────────────────────────────────────────────────────────────────


class Model(nn.Module):
    """一层多头自注意力，加一个从动词的输出读出名词的矩阵。

    词 + 位置 -> X (n, d_model) -> 每个头五步 -> 动词的输出，各头接在一起 -> 每个名词的分数

    W_Q, W_K : (heads, d_model, d_k)，d_k = d_model / heads
    W_V : (heads, d_model, d_v)
    readout : (heads · d_v, 问题数 · 名词数)；给了 hidden 时先经过 hidden 个 ReLU，不再是线性的
    初值都是正态随机数，只由 seed 决定；W_Q、W_K 取得小，所以训练前的权重接近三等分。
    """

    def __init__(self, task, *, positions=True, heads=1, d_v=None, hidden=None, seed=0):
        super().__init__()
        _check(task, heads, d_v, hidden)
        _check_seed(seed)
        heads, d_v, hidden = (size if size is None else int(size) for size in (heads, d_v, hidden))
        self.words, self.roles = load_words(), TASKS[task]
        d_k = D_MODEL // heads
        d_v = d_v or d_k
        n_words, n_nouns = sum(map(len, self.words)), len(self.words.nouns)
        normal = _normal_numbers(seed)
        self.word_vectors = normal(n_words, D_MODEL, std=0.5)
        self.position_vectors = normal(3, D_MODEL, std=0.5) if positions else None
        self.W_Q = normal(heads, D_MODEL, d_k, std=0.1)
        self.W_K = normal(heads, D_MODEL, d_k, std=0.1)
        self.W_V = normal(heads, D_MODEL, d_v, std=D_MODEL**-0.5)
        width = heads * d_v
        self.hidden = normal(width, hidden, std=width**-0.5) if hidden else None
        width = hidden or width
        self.readout = normal(width, len(self.roles) * n_nouns, std=width**-0.5)

    def forward(self, sentences):
        """(batch, 3) 的词编号 -> 分数 (batch, 问题数, 名词数)，权重 (batch, heads, 3, 3)。"""
        X = self.represent(sentences)
        Q, K, V = (torch.einsum("bnm,hmd->bhnd", X, W) for W in (self.W_Q, self.W_K, self.W_V))
        weights = torch.softmax(Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1]), dim=-1)
        verb_output = (weights @ V)[:, :, 1].flatten(1)
        if self.hidden is not None:
            verb_output = torch.relu(verb_output @ self.hidden)
        return (verb_output @ self.readout).unflatten(1, (len(self.roles), -1)), weights

    def represent(self, sentences):
        """词元表示 X：(batch, 3) 的编号 -> (batch, 3, d_model)，词的向量加上位置的向量。"""
        X = F.embedding(sentences, self.word_vectors)
        return X if self.position_vectors is None else X + self.position_vectors

    def encode(self, sentences):
        """把三字句变成 (batch, 3) 的编号：名词在前，动词在后。"""
        numbers = {word: i for i, word in enumerate(self.words.nouns + self.words.verbs)}
        return torch.tensor([[numbers[word] for word in sentence] for sentence in sentences])


def train(task, *, positions=True, heads=1, d_v=None, hidden=None, seed=0, steps=STEPS, on_progress=None):
    """训练一个模型，返回 ``Result``；同样的参数总得到同样的结果，不动 torch 的全局随机数。

    task : "who"（谁在做）、"what"（做到谁身上）或 "both"（两个一起问）
    positions : 词元表示里有没有位置；没有时，猫吃鱼和鱼吃猫在模型眼里是同一句
    heads : 头数，要能整除 d_model = 16
    d_v : 每个头的值的宽度；不给就和 d_k = 16 / heads 一样
    hidden : 读出时中间一层 ReLU 的宽度；不给就是线性读出
    seed : 决定留出哪些句子和参数的初值
    steps : 步数；每一步看一遍全部训练句，用 Adam（Kingma、Ba，2015）更新一次
    on_progress : 函数，每 20 步和最后一步收到 (已完成的步数, 总步数, 损失)，如 show_progress("训练")
    ValueError：不认识的 task，头数、宽度、步数、seed 或 on_progress 不合规则。
    """
    _check_count("训练步数 steps", steps, STEPS)
    if not (on_progress is None or callable(on_progress)):
        raise ValueError(
            "on_progress 必须是一个函数，收 (已完成的步数, 总步数, 损失)。\n"
            f"收到：{shown(on_progress)}。\n"
            '怎么办：写 show_progress("训练")，或者不写。'
        )
    split = split_sentences(seed)
    model = Model(task, positions=positions, heads=heads, d_v=d_v, hidden=hidden, seed=seed)
    initial = deepcopy(model)
    with _one_thread():
        losses = _fit(model, split.train, steps, on_progress)
        accuracies = [_accuracy(model, part) for part in split]
    return Result(model, initial, losses, *accuracies, split)


def verb_weights(model, sentence):
    """一句话里动词看向三个词的权重：(heads, 3)，每行加起来等于 1，列的顺序是句子的顺序。

    sentence : 三个字，名词、动词、名词，如 "猫吃鱼"。ValueError：词不在词表里，或不是这个次序。
    """
    with torch.no_grad():
        return model(_one_sentence(model, sentence))[1][0, :, 1].numpy()


def answer(model, sentence):
    """模型对一句话的回答：每个问题一个名词，如 ("猫",)；task="both" 时先“谁在做”，后“做到谁身上”。

    ValueError：同 verb_weights。
    """
    with torch.no_grad():
        best = model(_one_sentence(model, sentence))[0][0].argmax(-1)
    return tuple(model.words.nouns[i] for i in best)


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
    """torch.optim.Adam，只是不加载 torch.compile 的编译器：内核少占 100 MB，少等 1 秒，每一步的结果一样。

    torch 在这三个方法外面包了一层，第一次调用时加载编译器；这里取出里面原来的方法。
    """

    add_param_group = inspect.unwrap(torch.optim.Adam.add_param_group)
    zero_grad = inspect.unwrap(torch.optim.Adam.zero_grad)
    step = torch.no_grad()(inspect.unwrap(torch.optim.Adam.step))


def _fit(model, sentences, steps, on_progress):
    """更新 model 的参数 steps 次，返回每一步的损失 (steps,)。"""
    sentences = model.encode(sentences)
    answers = _answers(model, sentences)
    optimizer = Adam(model.parameters(), lr=LEARNING_RATE)
    losses = np.empty(steps)
    for step in range(1, steps + 1):
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
    return sentences[:, [PLACE[role] for role in model.roles]]


def _accuracy(model, sentences):
    sentences = model.encode(sentences)
    with torch.no_grad():
        best = model(sentences)[0].argmax(-1)
    return (best == _answers(model, sentences)).double().mean().item()


def _normal_numbers(seed):
    """返回一个函数：造出形状为 shape、标准差为 std 的正态随机参数。"""
    generator = torch.Generator().manual_seed(int(seed))

    def normal(*shape, std):
        return nn.Parameter(torch.randn(shape, generator=generator, dtype=torch.float64) * std)

    return normal


@contextmanager
def _one_thread():
    """这段时间里 torch 只用一个线程，之后恢复原样。"""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


# ── 检查 ──────────────────────────────────────────────────────────────────


def _check(task, heads, d_v, hidden):
    if not isinstance(task, str) or task not in TASKS:
        raise ValueError(
            'task 只能是 "who"（谁在做）、"what"（做到谁身上）或 "both"（两个一起问）。\n'
            f"收到：task = {shown(task)}。\n"
            "怎么办：换成这三个之一，注意小写。"
        )
    _check_count("头数 heads", heads, 2)
    if D_MODEL % heads:
        raise ValueError(
            f"头数 heads 必须整除 d_model = {D_MODEL}：每个头的查询和键的宽度是 d_k = d_model / heads。\n"
            f"收到：heads = {heads}，{D_MODEL} / {heads} 不是整数。\n"
            "怎么办：用 1、2、4、8 或 16。"
        )
    if d_v is not None:
        _check_count("值的宽度 d_v", d_v, D_MODEL)
    if hidden is not None:
        _check_count("中间层宽度 hidden", hidden, 64)


def _check_count(name, value, example):
    if not is_integer(value, 1, MOST):
        raise ValueError(
            f"{name} 必须是正整数，不大于 {MOST}。\n"
            f"收到：{shown(value)}。\n"
            f"怎么办：写 1 以上的整数，如 {example}。"
        )


def _check_seed(seed):
    if not is_integer(seed, 0, 2**63 - 1):
        raise ValueError(
            f"seed 必须是不小于 0 的整数，小于 2 的 63 次方。\n收到：{shown(seed)}。\n怎么办：写成如 seed=0。"
        )


def _one_sentence(model, sentence):
    """检查一句话，变成 (1, 3) 的编号。"""
    if not isinstance(model, Model):
        raise ValueError(
            f'model 必须是 Model。\n收到：{type(model).__name__}。\n怎么办：写 train("who").model。'
        )
    nouns, verbs = model.words
    words = as_list(sentence) or []
    kinds = [nouns, verbs, nouns]
    if len(words) != 3 or not all(word in kind for word, kind in zip(words, kinds, strict=True)):
        raise ValueError(
            "句子必须正好三个字：名词、动词、名词，都在 data/words.json 里。\n"
            f"收到：{shown(sentence)}。\n"
            f"怎么办：名词从 {'、'.join(nouns)} 里选，动词从 {'、'.join(verbs)} 里选，如 {SHOWN}。"
        )
    return model.encode([words])


def _characters(content, field):
    """words.json 里的一个字段：一列不同的单字；例句用到的字必须在里面。"""
    if not isinstance(content, dict) or set(content) != set(Words._fields):
        raise ValueError(f"最外层：应是花括号 {{…}}，里面正好是字段 {'、'.join(Words._fields)}。")
    words = content[field]
    if not isinstance(words, list) or not all(isinstance(word, str) and len(word) == 1 for word in words):
        raise ValueError(f'{field}：应是一列单字，如 ["猫", "鱼"]；收到 {shown(words)}。')
    everything = content["nouns"] + words if field == "verbs" else words
    if len(set(everything)) < len(everything):
        raise ValueError(f"{field}：每个字只能出现一次，也不能既是名词又是动词；收到 {words}。")
    needed = SHOWN[1] if field == "verbs" else SHOWN[0] + SHOWN[2]
    if missing := [word for word in needed if word not in words]:
        raise ValueError(f"{field}：少了 {'、'.join(missing)}，课程的例句 {SHOWN} 要用；请加回去。")
    return tuple(words)

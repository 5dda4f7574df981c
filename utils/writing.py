"""写（文字）：训练小语言模型，与三种不看上文的猜法比；让它一个字一个字写下去。

    data/stories.json ─ load_stories ─► Stories ─ train ─► Result：模型、损失
    模型, "猫" ─ generate ─► 一个故事；cache=True 时留着前面的 K 和 V

一个故事前面加一个开始记号 ▷。模型在 transformer.py。全部用 float64，在一个线程里算，同 training.py。
"""

from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from utils.checks import as_integer, as_names, as_positive, require, shown
from utils.examples import DATA, check_fields, read_data
from utils.model import MOST_SEED
from utils.training import MOST_STEPS, Adam, one_thread
from utils.transformer import LanguageModel

STORIES = DATA / "stories.json"
START, END = "▷", "。"
LENGTH = 24  # 每个故事的字数，标点在内
BATCH = 32  # 每一步看几个故事
LEARNING_RATE = 0.01
REPORT_EVERY = 20  # 步


class Stories(NamedTuple):
    """训练的故事和留出的故事；留出的那几对动物，训练时从不一起出现。"""

    train: tuple[str, ...]
    held_out: tuple[str, ...]


class Result(NamedTuple):
    """一次训练的结果。

    model : 训练后的 LanguageModel
    steps : (次数,)                 在这几步量了损失
    train_losses, held_out_losses : (次数,)   全部训练故事、全部留出故事上的损失，每个字平均
    """

    model: LanguageModel
    steps: np.ndarray
    train_losses: np.ndarray
    held_out_losses: np.ndarray


def load_stories():
    """读入 data/stories.json，返回 ``Stories``。ValueError：文件不合规则；消息写明文件和字段。"""
    return read_data(STORIES, _stories)


def encode(characters, texts):
    """把几段一样长的文字变成 (段数, 字数) 的编号。"""
    return torch.tensor([[characters.index(character) for character in text] for text in texts])


def loss_on(model, stories):
    """这些故事上的损失：每个字都从它前面的字去猜，交叉熵的平均。一个标量张量。"""
    numbers = encode(model.characters, [START + story for story in stories])
    scores, _, _ = model(numbers[:, :-1])
    return F.cross_entropy(scores.flatten(0, 1), numbers[:, 1:].flatten())


def new_model(characters, seed=0):
    """没有训练过的 LanguageModel：矩阵是标准差 0.1 的随机数，由 seed 决定；前馈的偏置是 0。"""
    with torch.random.fork_rng(devices=[]):  # 建模型时 torch 会先填上自己的随机数
        model = LanguageModel(characters).double()
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.1, generator=generator)
        elif "feed_forward" in name:
            torch.nn.init.zeros_(parameter)
    return model


def train(*, steps=200, seed=0, on_progress=None):
    """训练一个小语言模型，返回 ``Result``；同样的参数总得到同样的结果，不动 torch 的全局随机数。

    steps : 步数；每一步随机取 32 个训练故事，用 Adam 更新一次；学习率从 0.01 一路减小到 0
    seed : 决定参数的初值和每一步取哪些故事
    on_progress : 每 20 步和最后一步收到 (已完成的步数, 总步数, 损失)，如 show_progress("训练")
    ValueError：steps 或 seed 不合规则。
    """
    steps = as_integer("steps", steps, 1, MOST_STEPS, 200)
    seed = as_integer("seed", seed, 0, MOST_SEED, 0)
    stories = load_stories()
    characters = START + "".join(sorted(set("".join(stories.train + stories.held_out))))
    model = new_model(characters, seed)
    optimizer, generator = Adam(model.parameters(), lr=LEARNING_RATE), torch.Generator().manual_seed(seed)
    measured = []
    with one_thread():
        for step in range(1, steps + 1):
            optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - (step - 1) / steps)
            chosen = torch.randperm(len(stories.train), generator=generator)[:BATCH]
            optimizer.zero_grad()
            loss = loss_on(model, [stories.train[i] for i in chosen])
            loss.backward()
            optimizer.step()
            if step % REPORT_EVERY == 0 or step == steps:
                with torch.no_grad():
                    measured.append([step, *(loss_on(model, part).item() for part in stories)])
                if on_progress is not None:
                    on_progress(step, steps, loss.item())
    return Result(model, *np.array(measured).T)


def probabilities(scores, temperature=1.0, top_k=None):
    """下一个字的概率 (字数,)：softmax(分数 / 温度)；给了 top_k，就只留分数最高的那几个。

    ValueError：温度不是正数，top_k 不是 1 到字数的整数。
    """
    scores = scores / as_positive("temperature", temperature, "写成如 1、0.5；要总取最大的，就写 greedy")
    if top_k is not None:
        top_k = as_integer("top_k", top_k, 1, len(scores), 3)
        kth = scores.topk(top_k).values[-1]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.softmax(scores, dim=-1)


def generate(model, prompt="", *, greedy=False, temperature=1.0, top_k=None, seed=0, cache=True):
    """从 prompt 往下写，到句号为止，返回整个故事。

    greedy : True 就每次取分数最高的字；否则按 ``probabilities`` 抽一个，seed 决定抽到谁
    cache : True 就留着每一块前面的 K 和 V，每次只算新的一个字；False 就每次从头算。写出的字一样
    ValueError：prompt 里有模型不认识的字，或者太长。
    """
    text, longest = START + known(model, prompt), model.position_vectors.num_embeddings
    draws = np.random.default_rng(as_integer("seed", seed, 0, MOST_SEED, 0))
    caches, new = None, text
    with torch.no_grad(), one_thread():
        while not text.endswith(END) and len(text) < longest:
            scores, _, caches = model(encode(model.characters, [new]), caches if cache else None)
            last = scores[0, -1]
            shares = (
                F.one_hot(last.argmax(), len(last)) if greedy else probabilities(last, temperature, top_k)
            )
            chosen = np.searchsorted(np.cumsum(shares.numpy()), draws.random(), side="right")
            text += model.characters[min(chosen, len(last) - 1)]
            new = text[-1] if cache else text
    return text.removeprefix(START)


def known(model, text):
    """text 原样返回；有模型不认识的字，或者太长，就抛出 ValueError。"""
    longest = model.position_vectors.num_embeddings
    unknown = [character for character in text if character not in model.characters[1:]]
    require(not unknown, "文字里只能有模型认识的字", shown("".join(unknown)), "用故事里有的字，如 猫在")
    require(len(text) < longest, f"文字最多 {longest - 1} 个字", f"{len(text)} 个字", "写短一些")
    return text


def _stories(content):
    """stories.json 的内容：两份都不空，每个故事 24 个字、一个句号，没有重复。"""
    check_fields(content, Stories._fields, Stories._fields)
    parts = [tuple(as_names(field, content[field], filled=True)) for field in Stories._fields]
    for field, part in zip(Stories._fields, parts, strict=True):
        require(part, f"{field} 里至少要有一个故事", "空的", "加一个回去")
        wrong = [s for s in part if len(s) != LENGTH or s.find(END) != LENGTH - 1 or START in s]
        rule = f"{field} 里每个故事正好 {LENGTH} 个字，只在最后有句号，没有 {START}"
        require(not wrong, rule, shown(wrong[:1]), "照别的故事改")
        require(len(set(part)) == len(part), f"{field} 里的故事不能重复", "有重复", "只留一个")
    common = set(parts[0]) & set(parts[1])
    require(not common, "train 和 held_out 不能有同一个故事", shown(sorted(common)[:1]), "只留一处")
    return Stories(*parts)

"""训（模型）：一层自注意力、它认识的词、句子怎样变成编号。

    data/words.json ─ load_words ─► 名词、动词
    Model：猫吃鱼 ─ encode ─► 编号 ─ represent ─► X ─ 五步 ─► 动词的输出 ─► 每个名词的分数

只有一层自注意力（Vaswani 等，2017，式 (1)；多头见 3.2.2 节），没有残差、归一化和前馈网络：
动词的输出乘一个矩阵，就是每个名词的分数。全部用 float64。怎样训练见 training.py。
"""

import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from utils.checks import WIDEST, as_divisor, as_integer, as_names, require, shown
from utils.examples import DATA, check_fields, read_data
from utils.positions import pair_columns, sine_positions, turn_angles

WORDS = DATA / "words.json"
SHOWN = "猫吃鱼"  # 课程的例句：词表里必须有这三个字
TASKS = {"who": ("who",), "what": ("what",), "both": ("who", "what")}
POSITIONS = ("learned", "sine", "columns", "rotary")
D_MODEL = 16
MOST_SEED = 2**63 - 1  # torch 的种子最多这么大


class Words(NamedTuple):
    """词表；每个词是一个字，全部不同。"""

    nouns: tuple[str, ...]
    verbs: tuple[str, ...]


def load_words():
    """读入 data/words.json，返回 ``Words``。

    ValueError：文件不合规则；消息写明文件和字段。
    """
    return read_data(WORDS, _words)


class Model(nn.Module):
    """一层多头自注意力，加一个从动词的输出读出名词的矩阵。

    词 + 位置 -> X (n, d_model) -> 每个头五步 -> 最后一个动词的输出，各头接在一起 -> 每个名词的分数

    task : "who"（谁在做）、"what"（对谁）或 "both"（两个一起问）
    positions : 位置怎样进来。True 或 "learned"，每个位置学一行数，加到词上；"sine"，加正弦位置；
        "columns"，一半列是词，一半列是正弦位置；"rotary"，转 Q 和 K；False，没有位置：
        猫吃鱼和鱼吃猫在模型眼里是同一句
    longest : "learned" 给多少个位置各备一行
    heads : 头数，要能整除 d_model = 16
    d_k, d_v : 每个头的查询和键、值的宽度；不给就是 16 / heads
    hidden : 读出时中间一层 ReLU 的宽度；不给就是线性读出
    scaled : 分数除不除以 √d_k；False 用来看不缩放会怎样

    W_Q, W_K : (heads, d_model, d_k)；W_V : (heads, d_model, d_v)
    readout : (heads · d_v, 问题数 · 名词数)
    初值都是正态随机数，只由 seed 决定；W_Q、W_K 取得小，所以训练前的权重接近三等分。
    """

    def __init__(
        self,
        task,
        *,
        positions=True,
        longest=3,
        heads=1,
        d_k=None,
        d_v=None,
        hidden=None,
        scaled=True,
        seed=0,
    ):
        super().__init__()
        heads = _check_task(task, heads)
        d_k, d_v = (
            D_MODEL // heads if width is None else as_integer(name, width, 1, WIDEST, D_MODEL)
            for name, width in (("d_k", d_k), ("d_v", d_v))
        )
        hidden = hidden if hidden is None else as_integer("hidden", hidden, 1, WIDEST, 64)
        seed = as_integer("seed", seed, 0, MOST_SEED, 0)
        self.words, self.roles, self.scaled = load_words(), TASKS[task], scaled
        n_words, n_nouns = sum(map(len, self.words)), len(self.words.nouns)
        normal = _normal_numbers(seed)
        self.positions = _check_positions(positions)
        longest = as_integer("longest", longest, 1, WIDEST, 24)
        width = D_MODEL // 2 if positions == "columns" else D_MODEL
        self.word_vectors = normal(n_words, width, std=0.5)
        self.position_vectors = normal(longest, D_MODEL, std=0.5) if self.positions == "learned" else None
        if self.positions == "rotary":
            pair_columns(d_k)  # 两个数一对：d_k 是奇数就说明白
        self.W_Q = normal(heads, D_MODEL, d_k, std=0.1)
        self.W_K = normal(heads, D_MODEL, d_k, std=0.1)
        self.W_V = normal(heads, D_MODEL, d_v, std=D_MODEL**-0.5)
        width = heads * d_v
        self.hidden = normal(width, hidden, std=width**-0.5) if hidden else None
        width = hidden or width
        self.readout = normal(width, len(self.roles) * n_nouns, std=width**-0.5)

    def forward(self, sentences):
        """(batch, n) 的词编号 -> 分数 (batch, 问题数, 名词数)，权重 (batch, heads, n, n)。

        问的总是最后一个动词，它在倒数第 2 个：三字句里就是中间那个字。
        """
        X = self.represent(sentences)
        Q, K, V = (torch.einsum("bnm,hmd->bhnd", X, W) for W in (self.W_Q, self.W_K, self.W_V))
        if self.positions == "rotary":
            Q, K = turn(Q), turn(K)
        divisor = math.sqrt(Q.shape[-1]) if self.scaled else 1
        weights = torch.softmax(Q @ K.transpose(-1, -2) / divisor, dim=-1)
        verb_output = (weights @ V)[:, :, -2].flatten(1)
        if self.hidden is not None:
            verb_output = torch.relu(verb_output @ self.hidden)
        return (verb_output @ self.readout).unflatten(1, (len(self.roles), -1)), weights

    def represent(self, sentences):
        """词元表示 X：(batch, n) 的编号 -> (batch, n, d_model)，词的向量加上（或接上）位置的向量。"""
        X = F.embedding(sentences, self.word_vectors)
        n = sentences.shape[1]
        if self.positions == "learned":
            longest = len(self.position_vectors)
            rule = f"这个模型只学了 {longest} 个位置，句子不能更长"
            require(n <= longest, rule, f"{n} 个字", f"训练时写 longest={n}，或者用正弦位置、旋转位置")
            return X + self.position_vectors[:n]
        if self.positions == "sine":
            return X + torch.from_numpy(sine_positions(n, D_MODEL))
        if self.positions == "columns":
            P = torch.from_numpy(sine_positions(n, D_MODEL // 2)).expand(len(X), -1, -1)
            return torch.cat([X, P], dim=-1)
        return X  # 没有位置，或者等到有了 Q、K 再转

    def encode(self, sentences):
        """把一样长的句子变成 (batch, n) 的编号：名词在前，动词在后。"""
        numbers = {word: i for i, word in enumerate(self.words.nouns + self.words.verbs)}
        return torch.tensor([[numbers[word] for word in sentence] for sentence in sentences])


def turn(M):
    """`positions.rotate` 的 torch 写法，(…, n, d_k) -> (…, n, d_k)：一对数写成一个复数，乘 cos + sin j。"""
    angles = torch.from_numpy(turn_angles(range(M.shape[-2]), M.shape[-1]))
    pairs = torch.view_as_complex(M.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def _normal_numbers(seed):
    """返回一个函数：造出形状为 shape、标准差为 std 的正态随机参数。"""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape, std):
        return nn.Parameter(torch.randn(shape, generator=generator, dtype=torch.float64) * std)

    return normal


def _check_positions(positions):
    """True 是 "learned"，None 是 False。"""
    positions = "learned" if positions is True else False if positions is None else positions
    names = "、".join(f'"{name}"' for name in POSITIONS)
    require(
        positions is False or positions in list(POSITIONS),
        f"positions 只能是 {names}，或者 True、False",
        f"positions = {shown(positions)}",
        "换成其中一个，注意小写",
    )
    return positions


def _check_task(task, heads):
    require(
        task in list(TASKS),
        'task 只能是 "who"（谁在做）、"what"（对谁）或 "both"（两个一起问）',
        f"task = {shown(task)}",
        "换成这三个之一，注意小写",
    )
    return as_divisor("heads", heads, D_MODEL, "d_model")


def _words(content):
    """words.json 的内容：各不相同的单字；例句用到的字必须在里面。"""
    check_fields(content, Words._fields, Words._fields)
    nouns, verbs = (tuple(as_names(field, content[field], filled=True)) for field in Words._fields)
    for field, words, needed in (("nouns", nouns, SHOWN[0] + SHOWN[2]), ("verbs", verbs, SHOWN[1])):
        long = [word for word in words if len(word) > 1]
        require(not long, f"{field} 里每个词必须是单字", "、".join(long), "换成一个字")
        repeated = [word for word in words if (nouns + verbs).count(word) > 1]
        rule = f"{field} 里的字不能重复，也不能既是名词又是动词"
        require(not repeated, rule, "、".join(repeated), "只留一处")
        missing = [word for word in needed if word not in words]
        rule = f"{field} 里必须有课程的例句 {SHOWN} 用到的字"
        require(not missing, rule, f"少了 {'、'.join(missing)}", "加回去")
    return Words(nouns, verbs)

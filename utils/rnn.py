"""比：循环神经网络与自注意力，让第一个词元影响最后一个输出，各要走多远、各要付出什么。

    layer：收 X (..., T, width)，返回每个位置的输出 (..., T, width)
        rnn_layer        h_t = tanh(h_{t−1} W_h + x_t W_x)，一步接一步
        attention_layer  softmax(Q Kᵀ / √d_k) V，所有位置一起算
    三把尺子，对两种 layer 一样量：
        gradient_norms         ∂(第 T 个输出)/∂x_1 有多大：第一个词元动一点，最后的输出动多少
        sequential_operations  最长的一串矩阵乘法：后一次要等前一次算完，几次
        number_of_scores       softmax 要处理多少个分数：内存的代价

约定与全课一致：一行是一个词元，投影写成 ``x @ W``。全部是 float64；随机数来自 numpy 的固定种子。
两种 layer 都没有训练过，量到的是它们刚初始化时的样子。

来源：Pascanu、Mikolov、Bengio，《On the difficulty of training recurrent neural networks》，2013，第 2 节
（梯度消失与爆炸）；Vaswani 等，《Attention Is All You Need》，2017，表 1
（sequential operations、路径长度、计算量）。
"""

import math
from functools import partial

import numpy as np
import torch

from utils.checks import LARGEST, WIDEST, as_integer, as_list, is_integer, is_number, require, shown

_LONGEST, MOST_NUMBERS = 10**6, 10**8  # 再多，一台笔记本电脑的内存就放不下

# 自动求导的图里，写成 @ 的乘法留下的节点：矩阵乘矩阵、成批的、矩阵乘向量、向量乘向量
PRODUCTS = ("MmBackward0", "BmmBackward0", "MvBackward0", "DotBackward0")


def rnn_layer(X, W_h, W_x):
    """循环神经网络：h_t = tanh(h_{t−1} W_h + x_t W_x)，h_0 = 0。

    X : (..., T, d)；W_h : (width, width)；W_x : (d, width)，都是 torch 张量。
    返回 (..., T, width)：h_1 到 h_T。形状对不上时由 torch 报错。
    """
    h = X.new_zeros(*X.shape[:-2], len(W_h))
    states = []
    for x_t in X.unbind(-2):  # 第 t 步要用第 t−1 步的 h，循环躲不掉
        h = torch.tanh(h @ W_h + x_t @ W_x)
        states.append(h)
    return torch.stack(states, dim=-2)


def attention_layer(X, W_Q, W_K, W_V):
    """一层自注意力：softmax(Q Kᵀ / √d_k) V，没有遮罩。

    X : (..., T, d)；W_Q, W_K : (d, d_k)；W_V : (d, width)，都是 torch 张量。
    返回 (..., T, width)。形状对不上时由 torch 报错。
    这里不用 torch 的融合算子，为的是让 ``sequential_operations`` 看得见每一次乘法。
    """
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(-2, -1)
    return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


def random_rnn(width=16, *, scale=1.0, seed=0):
    """一个没训练过的 ``rnn_layer``：W_h = scale × 随机正交矩阵，W_x 的分量是 N(0, 1/width)。

    scale : W_h 的每个奇异值。乘一次 W_h，任何向量的长度正好变成 scale 倍；tanh 的导数不超过 1，
    所以 ‖∂h_T/∂x_1‖ ≤ scale^(T−1) ‖W_x‖：scale < 1 时一定按指数缩小，scale > 1 时没有这个保证。
    返回只差 X 的函数，权重在它的 ``.keywords`` 里。
    ValueError：scale 是负数或不是有限的数；width 不是正整数，或 seed 是负数。
    """
    width, rng = as_integer("width", width, 1, WIDEST, 16), _random_numbers(seed)
    require(
        is_number(scale, 0, LARGEST),
        "scale 必须是不小于 0 的有限数：它是 W_h 的每个奇异值",
        shown(scale),
        "试 0.5、1、2、3，看梯度是缩小还是放大",
    )
    orthogonal, triangular = np.linalg.qr(rng.normal(size=(width, width)))
    orthogonal *= np.sign(np.diag(triangular))  # QR 分解的正负号不唯一，各家线性代数库可能不同
    return partial(rnn_layer, W_h=torch.from_numpy(scale * orthogonal), W_x=_random_weights(rng, width))


def random_attention(width=16, *, seed=0):
    """一层没训练过的 ``attention_layer``：三个投影矩阵都是 (width, width)，分量是 N(0, 1/width)。

    返回只差 X 的函数，权重在它的 ``.keywords`` 里。ValueError：width 不是正整数，或 seed 是负数。
    """
    width, rng = as_integer("width", width, 1, WIDEST, 16), _random_numbers(seed)
    return partial(attention_layer, **{name: _random_weights(rng, width) for name in ("W_Q", "W_K", "W_V")})


def random_sentences(length, width=16, *, sentences=32, seed=0):
    """随机的句子，(sentences, length, width)：每个分量独立，服从 N(0, 1)。

    ValueError：三个大小不是正整数，或者一共超过一亿个数；seed 是负数。
    """
    sentences = as_integer("sentences", sentences, 1, _LONGEST, 32)
    length = as_integer("length", length, 1, _LONGEST, 64)
    width = as_integer("width", width, 1, WIDEST, 16)
    rng = _random_numbers(seed, length, width)  # 与 random_rnn(seed) 不是同一串随机数
    shape = (sentences, length, width)
    require(
        math.prod(shape) <= MOST_NUMBERS,
        f"一共最多 {MOST_NUMBERS} 个数，再多内存放不下",
        f"(sentences, length, width) = {shape}",
        "减少句子，或缩短句子",
    )
    return torch.from_numpy(rng.normal(size=shape))


def gradient_norms(layer, X, lengths):
    """只留前 T 个词元时，‖∂(第 T 个输出)/∂x_1‖：雅可比矩阵的 Frobenius 范数，由 torch 自动求导。

    layer : 如 ``random_rnn()``；X : (sentences, T_max, width)；lengths : 一列 T，1 到 T_max。
    返回 (len(lengths),)：每个 T 取所有句子的中位数（平均数会被少数爆炸的句子带走）。
    ValueError：X 不是三维，或 T 不是 1 到 T_max 之间的整数。
    """
    return np.array([np.median(_jacobian_norms(layer, x)) for x in _prefixes(layer, X, lengths)])


def sequential_operations(layer, X, lengths):
    """只留前 T 个词元时，从输入到输出最长的一串矩阵乘法有几次：后一次要等前一次的结果。

    沿自动求导的图数出来，不是计时。参数同 ``gradient_norms``，只用第一句；返回 (len(lengths),) 整数。
    只数写成 ``@`` 的乘法；torch 的融合算子（nn.RNN、scaled_dot_product_attention）里面的看不见。
    """
    return np.array([_longest_chain(layer(x[:1].requires_grad_())) for x in _prefixes(layer, X, lengths)])


def number_of_scores(layer, X, lengths):
    """只留前 T 个词元时，一句话要放进 softmax 的分数有多少个；没有 softmax 就是 0。

    在自动求导的图里数 softmax 留下的数。参数同 ``gradient_norms``，只用第一句；返回 (len(lengths),) 整数。
    """
    counts = []
    for x in _prefixes(layer, X, lengths):
        nodes = _graph(layer(x[:1].requires_grad_()))
        counts.append(sum(n._saved_result.numel() for n in nodes if n.name() == "SoftmaxBackward0"))
    return np.array(counts)


def _jacobian_norms(layer, X):
    """每个句子的 ‖∂(最后一个输出)/∂x_1‖，(sentences,)。"""
    with torch.no_grad():
        width = layer(X[:1]).shape[-1]
    copies = (
        X.expand(width, *X.shape).clone().requires_grad_()
    )  # 第 i 份只对输出的第 i 个分量求导：一次反传就够
    last = layer(copies)[..., -1, :]
    (gradient,) = torch.autograd.grad(last.diagonal(dim1=0, dim2=-1).sum(), copies)
    return gradient[:, :, 0].square().sum(dim=(0, 2)).sqrt().numpy()


def _graph(output):
    """output 的自动求导图里的全部节点，输入在前、输出在后。"""
    ordered, seen, stack = [], set(), [(output.grad_fn, False)]
    while stack:  # 不用递归：RNN 的图和句子一样深
        node, inputs_done = stack.pop()
        if inputs_done:
            ordered.append(node)
        elif node is not None and node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((source, False) for source, _ in node.next_functions)
    return ordered


def _longest_chain(output):
    longest = {None: 0}
    for node in _graph(output):
        before = max((longest[source] for source, _ in node.next_functions), default=0)
        longest[node] = before + (node.name() in PRODUCTS)
    return longest[output.grad_fn]


def _prefixes(layer, X, lengths):
    """X 的前 T 个词元，每个 T 一份。"""
    require(
        isinstance(X, torch.Tensor) and X.ndim == 3,
        "X 必须是三维张量 (sentences, T, width)",
        f"形状 {tuple(getattr(X, 'shape', ()))}",
        "用 random_sentences(64)；只有一句话时写 X[None]",
    )
    T_max = X.shape[1]
    numbers = as_list(lengths)
    require(
        numbers is not None and all(is_integer(T, 1, T_max) for T in numbers),
        f"lengths 必须是一列 1 到 {T_max} 的整数：X 里每句话有 {T_max} 个词元",
        shown(lengths),
        "写成如 [2, 4, 8]，只有一个也写 [8]；要更长就用 random_sentences(更大的长度)",
    )
    return [X[:, :T].detach() for T in numbers]  # X 是怎么算来的，不归这里数


def _random_numbers(seed, *more):
    return np.random.default_rng([as_integer("seed", seed, 0, math.inf, 0), *more])


def _random_weights(rng, width):
    return torch.from_numpy(rng.normal(size=(width, width)) / math.sqrt(width))

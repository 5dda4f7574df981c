"""比：循环神经网络与自注意力，让第一个词元影响最后一个输出，各要走多远、各要付出什么。

    layer：收 X (..., T, width)，返回每个位置的输出 (..., T, width)
        rnn        h_t = tanh(h_{t−1} W_h + x_t W_x)，一步接一步
        attention  softmax(Q Kᵀ / √d_k) V，所有位置一起算
    三把尺子，对两种 layer 一样量：
        gradient_norms    ∂(第 T 个输出)/∂x_1 有多大：第一个词元动一点，最后的输出动多少
        sequential_operations      最长的一串矩阵乘法：后一次要等前一次算完，几次
        number_of_scores  softmax 要处理多少个分数：内存的代价

约定与全课一致：一行是一个词元，投影写成 ``x @ W``。全部是 float64；随机数来自 numpy 的固定种子。
两种 layer 都没有训练过，量到的是它们刚初始化时的样子。

来源：Pascanu、Mikolov、Bengio，《On the difficulty of training recurrent neural networks》，2013，第 2 节
（梯度消失与爆炸）；Vaswani 等，《Attention Is All You Need》，2017，表 1（串行步数、路径长度、计算量）。
"""

import math
from functools import partial

import numpy as np
import torch

from utils.checks import LARGEST, as_list, is_integer, is_number, shown

WIDEST, LONGEST, MOST_NUMBERS = 4096, 10**6, 10**8  # 再多，一台笔记本电脑的内存就放不下

# 自动求导的图里，写成 @ 的乘法留下的节点：矩阵乘矩阵、成批的、矩阵乘向量、向量乘向量
PRODUCTS = ("MmBackward0", "BmmBackward0", "MvBackward0", "DotBackward0")


def rnn(X, W_h, W_x):
    """循环神经网络：h_t = tanh(h_{t−1} W_h + x_t W_x)，h_0 = 0。

    X : (..., T, d)；W_h : (width, width)；W_x : (d, width)，都是 torch 张量。
    返回 (..., T, width)：h_1 到 h_T。ValueError：不是这样的张量、含 NaN 或无穷，或者形状对不上。
    """
    _check_rnn(X, W_h, W_x)
    h = X.new_zeros(*X.shape[:-2], len(W_h))
    states = []
    for x_t in X.unbind(-2):  # 第 t 步要用第 t−1 步的 h，循环躲不掉
        h = torch.tanh(h @ W_h + x_t @ W_x)
        states.append(h)
    return torch.stack(states, dim=-2)


def attention(X, W_Q, W_K, W_V):
    """一层自注意力：softmax(Q Kᵀ / √d_k) V，没有遮罩。

    X : (..., T, d)；W_Q, W_K : (d, d_k)；W_V : (d, width)，都是 torch 张量。返回 (..., T, width)。
    这里不用 torch 的融合算子，为的是让 ``sequential_operations`` 看得见每一次乘法。
    ValueError：不是这样的张量、含 NaN 或无穷，或者形状对不上。
    """
    _check_attention(X, W_Q, W_K, W_V)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(-2, -1)
    return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


def random_rnn(width=16, *, scale=1.0, seed=0):
    """一个没训练过的 ``rnn``：W_h = scale × 随机正交矩阵，W_x 的分量是 N(0, 1/width)。

    scale : W_h 的每个奇异值。乘一次 W_h，任何向量的长度正好变成 scale 倍；tanh 的导数不超过 1，
    所以 ‖∂h_T/∂x_1‖ ≤ scale^(T−1) ‖W_x‖：scale < 1 时一定按指数缩小，scale > 1 时没有这个保证。
    返回只差 X 的函数，权重在它的 ``.keywords`` 里。
    ValueError：scale 是负数或不是有限的数；width 不是正整数，或 seed 是负数。
    """
    _check_counts(width=(width, 1, WIDEST), seed=(seed, 0, math.inf))
    if not is_number(scale, 0, LARGEST):
        raise ValueError(
            "scale 必须是不小于 0 的有限数：它是 W_h 的每个奇异值。\n"
            f"收到：{shown(scale)}。\n"
            "怎么办：试 0.5、1、2、3，看梯度是缩小还是放大。"
        )
    scale = float(scale)
    rng = np.random.default_rng(seed)
    orthogonal, triangular = np.linalg.qr(rng.normal(size=(width, width)))
    orthogonal *= np.sign(np.diag(triangular))  # QR 分解的正负号不唯一，各家线性代数库可能不同
    return partial(rnn, W_h=torch.from_numpy(scale * orthogonal), W_x=_random_weights(rng, width))


def random_attention(width=16, *, seed=0):
    """一层没训练过的 ``attention``：三个投影矩阵都是 (width, width)，分量是 N(0, 1/width)。

    返回只差 X 的函数，权重在它的 ``.keywords`` 里。ValueError：width 不是正整数，或 seed 是负数。
    """
    _check_counts(width=(width, 1, WIDEST), seed=(seed, 0, math.inf))
    rng = np.random.default_rng(seed)
    return partial(attention, **{name: _random_weights(rng, width) for name in ("W_Q", "W_K", "W_V")})


def random_sentences(length, width=16, *, sentences=32, seed=0):
    """随机的句子，(sentences, length, width)：每个分量独立，服从 N(0, 1)。

    ValueError：三个大小不是正整数，或者一共超过一亿个数；seed 是负数。
    """
    sizes = {
        "sentences": (sentences, 1, LONGEST),
        "length": (length, 1, LONGEST),
        "width": (width, 1, WIDEST),
    }
    _check_counts(**sizes, seed=(seed, 0, math.inf))
    if int(sentences) * int(length) * int(width) > MOST_NUMBERS:
        raise ValueError(
            f"一共最多 {MOST_NUMBERS} 个数，再多内存放不下。\n"
            f"收到：(sentences, length, width) = ({sentences}, {length}, {width})。\n"
            "怎么办：减少句子，或缩短句子。"
        )
    rng = np.random.default_rng([seed, length, width])  # 与 random_rnn(seed) 不是同一串随机数
    return torch.from_numpy(rng.normal(size=(sentences, length, width)))


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
    if not callable(layer):
        raise ValueError(
            "layer 必须是一层：收 X、返回每个位置的输出的函数。\n"
            f"收到：{shown(layer)}。\n"
            "怎么办：用 random_rnn() 或 random_attention()。"
        )
    _check_tensors(X)
    if X.ndim != 3:
        raise ValueError(
            "X 必须是三维张量 (sentences, T, width)。\n"
            f"收到：形状 {tuple(X.shape)}。\n"
            "怎么办：用 random_sentences(64)；只有一句话时写 X[None]。"
        )
    lengths_list = as_list(lengths)
    if lengths_list is None:
        raise ValueError(
            "lengths 必须是一列长度。\n"
            f"收到：{shown(lengths)}。\n"
            "怎么办：写成如 [2, 4, 8]；只有一个也写 [8]。"
        )
    for T in lengths_list:
        if not is_integer(T, 1, X.shape[1]):
            raise ValueError(
                f"每个长度 T 必须是 1 到 {X.shape[1]} 之间的整数：X 里每句话有 {X.shape[1]} 个词元。\n"
                f"收到：T = {shown(T)}，X {tuple(X.shape)}。\n"
                "怎么办：改小 T，或用 random_sentences(更大的长度)。"
            )
    return [X[:, :T].detach() for T in lengths_list]  # X 是怎么算来的，不归这里数


def _random_weights(rng, width):
    return torch.from_numpy(rng.normal(size=(width, width)) / math.sqrt(width))


def _check_counts(**counts):
    """counts 是 {名字: (值, 最小, 最大)}。"""
    for name, (value, low, high) in counts.items():
        if not is_integer(value, low, high):
            most = f"、不大于 {high}" if high < math.inf else ""
            raise ValueError(
                f"{name} 必须是不小于 {low}{most} 的整数。\n"
                f"收到：{shown(value)}。\n"
                f"怎么办：写成如 {name}=16。"
            )


def _check_rnn(X, W_h, W_x):
    _check_tensors(X, W_h=W_h, W_x=W_x)
    _check_width(X, W_x, "W_x")
    if not W_h.shape[0] == W_h.shape[1] == W_x.shape[1]:
        raise ValueError(
            "h @ W_h + x @ W_x 做不了：W_h 必须是 (width, width)，W_x 必须是 (d, width)。\n"
            f"收到：W_h {tuple(W_h.shape)}，W_x {tuple(W_x.shape)}。\n"
            "怎么办：两个矩阵用同一个 width。"
        )


def _check_attention(X, W_Q, W_K, W_V):
    _check_tensors(X, W_Q=W_Q, W_K=W_K, W_V=W_V)
    for name, W in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
        _check_width(X, W, name)
    if W_Q.shape[1] != W_K.shape[1]:
        raise ValueError(
            "打分 Q Kᵀ 做不了：W_Q 与 W_K 的列数必须相同（都是 d_k）。\n"
            f"收到：W_Q {tuple(W_Q.shape)}，W_K {tuple(W_K.shape)}。\n"
            "怎么办：两个矩阵用同一个宽度。"
        )


def _check_tensors(X, **matrices):
    """X 是 (..., T, d)，其余是二维矩阵；都是同一种浮点数的、普通的 torch 张量，里面只有有限的数。"""
    for name, value in {"X": X, **matrices}.items():
        usable = isinstance(value, torch.Tensor) and value.is_floating_point() and not value.is_meta
        usable = usable and value.layout == torch.strided and value.numel() > 0
        if not usable or (value.ndim != 2 if name in matrices else value.ndim < 2):
            shape = f"，形状 {tuple(value.shape)}，{value.dtype}" if isinstance(value, torch.Tensor) else ""
            raise ValueError(
                f"{name} 必须是非空的浮点 torch 张量，{'(行, 列)' if name in matrices else '(..., T, d)'}。\n"
                f"收到：{type(value).__name__}{shape}。\n"
                "怎么办：numpy 数组先写 torch.from_numpy(…)，列表先写 torch.tensor(…).double()。"
            )
        if value.dtype != X.dtype:
            raise ValueError(
                f"X 与 {name} 必须是同一种浮点数，才能相乘。\n"
                f"收到：X 是 {X.dtype}，{name} 是 {value.dtype}。\n"
                "怎么办：都写成 .double()。"
            )
        if not torch.isfinite(value).all():
            raise ValueError(
                f"{name} 里只能有有限的数。\n收到：形状 {tuple(value.shape)}，里面有 NaN 或无穷。\n"
                "怎么办：往回查，看它是哪一步算出来的。"
            )


def _check_width(X, W, name):
    if X.shape[-1] != len(W):
        raise ValueError(
            f"X @ {name} 做不了：X 的列数必须等于 {name} 的行数。\n"
            f"收到：X {tuple(X.shape)}，{name} {tuple(W.shape)}。\n"
            "怎么办：造句子和造这一层时用同一个 width。"
        )

"""排：把位置告诉注意力的两种办法，加一行数，或者转一个角，只用 numpy。

    0, 1, …, n − 1 ─ sine_positions ─► P (n, d_model)，加到 X 上，或者另占几列
    Q, K ─ rotate ─► 转过的 Q, K，形状不变；分数只由两个位置的差决定

两种办法用同一张表：第 i 个位置、第 t 对数，转的角是 i · base^(−2t/d)，由 `turn_angles` 算出。
位置从 0 数起。约定和报错同 attention.py。

来源：Vaswani 等，《Attention Is All You Need》，2017，3.5 节；
Su 等，《RoFormer: Enhanced Transformer with Rotary Position Embedding》，2021，3.2.2 节。
"""

import numpy as np

from utils.checks import WIDEST, as_arrays, as_integer, as_positive, require, shown

LAYOUTS = ("pairs", "halves")


def turn_angles(positions, d, base=10000):
    """角：第 i 个位置、第 t 对数转 i · base^(−2t/d) 弧度；t = 0 的一对最快，每个位置 1 弧度。

    positions : (n,) 位置，从 0 数起；d : 一行有几个数；base : 正数，越大，后面的几对越慢。
    返回 (n, ⌈d/2⌉)，一对一列。ValueError：positions 不是一行数，d 不是整数，base 不是正数。
    """
    positions, d = as_arrays("(n)", positions=positions), as_integer("d", d, 0, WIDEST, 8)
    speeds = as_positive("base", base, "论文用 10000") ** (-np.arange(0, d, 2) / d)
    return np.outer(positions, speeds)


def sine_positions(n, d_model):
    """正弦位置：第 i 行是位置 i 的一行数，每一对是 sin 和 cos 同一个角（论文 3.5 节）。

    n : 几个位置；d_model : 一行几个数。返回 (n, d_model)，每个数在 −1 到 1 之间。
    ValueError：n 不是正整数，d_model 不是整数。
    """
    n = as_integer("n", n, 1, np.inf, 3)
    angles = turn_angles(np.arange(n), d_model)
    P = np.empty((n, d_model))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return P


def pair_columns(d_k, layout="pairs"):
    """哪两列是一对：返回 (每一对的前一列, 每一对的后一列)，各 d_k / 2 个列号。

    "pairs" 是相邻的两列：(0, 1)、(2, 3)……；"halves" 是前一半与后一半：(0, d_k/2)、(1, d_k/2 + 1)……。
    ValueError：d_k 不是偶数，layout 不是这两种。
    """
    d_k = as_integer("d_k", d_k, 2, WIDEST, 4)
    require(d_k % 2 == 0, "d_k 必须是偶数，两个数一对", f"d_k = {d_k}", "换一个偶数的宽度")
    way_out = '相邻的两列写 "pairs"，前后两半写 "halves"'
    require(layout in list(LAYOUTS), "layout 只有两种", shown(layout), way_out)
    columns, half = np.arange(d_k), d_k // 2
    return (columns[0::2], columns[1::2]) if layout == "pairs" else (columns[:half], columns[half:])


def rotate(M, positions, base=10000, layout="pairs"):
    """旋转位置（RoPE）：M 的每一行按自己的位置转，一对数是平面上的一支箭头，长度不变。

    M : (n, d_k)，Q 或 K；positions : (n,)，每一行的位置，从 0 数起；base、layout 见上面两个函数。
    返回 (n, d_k)。ValueError：形状对不上，d_k 不是偶数，base 不是正数，layout 不是两种之一。
    """
    M, positions = as_arrays("(n, d_k), (n)", M=M, positions=positions)
    first, second = pair_columns(M.shape[1], layout)
    angles = turn_angles(positions, M.shape[1], base)
    turned = np.empty(M.shape)
    turned[:, first] = np.cos(angles) * M[:, first] - np.sin(angles) * M[:, second]
    turned[:, second] = np.sin(angles) * M[:, first] + np.cos(angles) * M[:, second]
    return turned

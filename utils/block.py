"""块里的两个零件，只用 numpy：归一化、前馈（第 10 本）。

    X ─ 几个头 × W_O ─► + X ─ layer_norm ─► feed_forward ─► +

几个头在 attention.py；同样的块写成会学的模块，在 transformer.py。
"""

import numpy as np

from utils.checks import as_arrays, require, shown

EPSILON = 1e-5  # 与 torch.nn.LayerNorm 相同


def layer_norm(X):
    """层归一化：每一行减去自己的平均，再除以自己的标准差。

    X : (n, d_model)，至少两列。返回 (n, d_model)：每行平均 0、方差约 1。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，或者只有一列。来源：Ba 等，2016。

    方差里加的 0.00001 只防除以 0：一行的数全相等时，方差是 0。
    """
    X = as_arrays("(n, d_model)", X=X)
    require(X.shape[1] > 1, "X 至少要有两列，一个数没有起伏", shown(X.shape), "传整个 X，一行一个词元")
    centred = X - X.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + EPSILON)


def feed_forward(X, W_1, b_1, W_2, b_2):
    """前馈：每一行各算各的，max(0, X W_1 + b_1) W_2 + b_2（论文式 (2)）。

    X : (n, d_model)；W_1 : (d_model, d_ff)；b_1 : (d_ff,)；W_2 : (d_ff, d_model)；b_2 : (d_model,)。
    返回 (n, d_model)。ValueError：形状对不上，或不是有限的数。
    """
    shapes = "(n, d_model), (d_model, d_ff), (d_ff), (d_ff, d_model), (d_model)"
    X, W_1, b_1, W_2, b_2 = as_arrays(shapes, X=X, W_1=W_1, b_1=b_1, W_2=W_2, b_2=b_2)
    return np.maximum(0, X @ W_1 + b_1) @ W_2 + b_2

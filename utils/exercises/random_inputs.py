"""练习的输入：从种子来的随机矩阵；同一个种子总得到同样的数。"""

import numpy as np


def random_matrix(rng, rows, cols, scale=1.0):
    """(rows, cols) 的随机矩阵，标准差约为 scale，两位小数。rng : np.random.default_rng(种子)。"""
    return np.round(rng.standard_normal((rows, cols)) * scale, 2)


def random_weights(rng, rows, cols):
    """(rows, cols) 的随机权重：没有负数，每一行加起来等于 1。"""
    raw = rng.random((rows, cols)) + 0.05
    return raw / raw.sum(axis=1, keepdims=True)

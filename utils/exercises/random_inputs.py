"""练习的输入：固定的种子，每次都造一份新的。"""

import numpy as np


def matrix(seed, rows, cols, scale=1.0):
    """(rows, cols) 的随机矩阵，标准差约为 scale，两位小数；同一个种子总得到同样的数。"""
    return np.round(np.random.default_rng(seed).standard_normal((rows, cols)) * scale, 2)


def shares(seed, rows, cols):
    """(rows, cols) 的随机权重：没有负数，每一行加起来等于 1。"""
    raw = np.random.default_rng(seed).random((rows, cols)) + 0.05
    return raw / raw.sum(axis=1, keepdims=True)

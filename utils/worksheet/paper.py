"""写在纸上：一个数、一个矩阵、一个点积、一行 softmax 怎样写，舍入到几位。

用笔算的人手里只有纸上写着的数，所以答案也从写着的数（四舍五入过的）算起；
Python 用没有舍入的数算出的结果另写在答案页上。
"""

import numpy as np

from utils.attention import self_attention
from utils.examples import load_example
from utils.numbers import PLACES, dot_terms, fixed, write

PENCIL = 2  # 用笔算的权重和输出写几位小数


def example(name):
    """一个例句和它的五步。"""
    e = load_example(name)
    return e, self_attention(e.X, e.W_Q, e.W_K, e.W_V)


def on_paper(values, places=PLACES):
    """写在纸上的数：四舍五入到 places 位；先抹掉浮点误差，所以 0.185 总是舍入成 0.19。"""
    units = np.floor(np.abs(values) * 10.0**places + 0.5 + 1e-7)
    return np.copysign(units, values) / 10.0**places


def text(value, places=None):
    """一个数的文字：places 位小数；不给就最多 4 位，去掉末尾的 0。"""
    value = float(on_paper(float(value), PLACES if places is None else places))
    return write(value) if places is None else fixed(value, places)


def texts(values, places=None):
    return [text(value, places) for value in values]


def numbered(count):
    return [str(number) for number in range(1, count + 1)]


def table(id, name, rows, columns, matrix, places=None, totals=(), stacked=False):
    """纸上的一个矩阵。

    id : 页内唯一的名字；name : LaTeX 记号；rows, columns : 行名、列名；matrix : (行, 列)
    totals : 各行的和，有时多留的一列空格；shape 不算这一列
    stacked : 各行是一步一步的结果，叠在一起好写；不是一个矩阵，就不写形状
    """
    return {
        "id": id,
        "name": name,
        "rows": rows,
        "columns": columns,
        "cells": [texts(row, places) for row in matrix],
        "totals": texts(totals, places),
        "shape": "" if stacked else f"({len(rows)}, {len(columns)})",
    }


def dot_product(left, right, places=None):
    """一个点积的全部过程：因数、积、和的文字；places 是和的小数位数。"""
    return dot_terms(left, right, text, lambda total: text(total, places))


def softmax_by_pencil(scaled):
    """写着的几行分数，用笔做 softmax：e 的幂（查表，4 位），各行的和，权重（两位）。"""
    powers = on_paper(np.exp(scaled))
    sums = powers.sum(axis=1)
    return powers, sums, on_paper(powers / sums[:, None], PENCIL)


def exponentials(values):
    """e 的幂的表：[(s, e^s), …]，从小到大，一样的只写一次；−∞ 不用查。"""
    wanted = np.unique(on_paper(values))
    wanted = wanted[np.isfinite(wanted)]
    return list(zip(texts(wanted), texts(np.exp(wanted), PLACES), strict=True))

"""每一步写在纸上的数：给出的矩阵、空格里的答案。文字在 templates/ 里。

用笔算的人手里只有纸上写着的数，所以答案也从写着的数（四舍五入过的）算起；
Python 用没有舍入的数算出的结果另写在答案页上。
"""

import numpy as np

from utils.attention import self_attention
from utils.examples import load_example
from utils.numbers import PLACES, dot_terms, fixed, write

PENCIL = 2  # 用笔算的权重和输出写几位小数
EATER = 1  # 「猫吃鱼」只算“吃”这一行


def _projection():
    """第 1 步：X 乘三个投影矩阵。手算 Q 第 1 行的最后一个数。"""
    e, steps = _example("我爱你")
    X, W_Q, Q = map(_on_paper, (e.X, e.W_Q, steps.Q))
    k_columns = _numbered(e.d_k)
    return {
        "example": e,
        "given": [
            _table("X", "X", e.tokens, e.X_columns, X),
            _table("W_Q", "W_Q", e.X_columns, k_columns, W_Q),
            _table("W_K", "W_K", e.X_columns, k_columns, e.W_K),
            _table("W_V", "W_V", e.X_columns, e.V_columns, e.W_V),
        ],
        "column": e.d_k,
        "work": _dot_product(X[0], W_Q[:, -1]),
        "results": [
            _table("Q", "Q", e.tokens, k_columns, Q),
            _table("K", "K", e.tokens, k_columns, steps.K),
            _table("V", "V", e.tokens, e.V_columns, steps.V),
        ],
        "parameter_sums": _texts(W_Q.sum(axis=1)),
        "row_sums": _texts(Q.sum(axis=1)),
    }


def _scores():
    """第 2 步：每个查询与每个键做点积。手算“我”看向“爱”，再算「猫吃鱼」里“吃”的一行。"""
    (e, steps), (cat, cat_steps) = _example("我爱你"), _example("猫吃鱼")
    Q, K, found = map(_on_paper, (steps.Q, steps.K, steps.scores))
    cat_Q, cat_K, cat_found = map(_on_paper, (cat_steps.Q, cat_steps.K, cat_steps.scores))
    name = r"\text{scores}"
    return {
        "example": e,
        "cat": cat,
        "looking": EATER,
        "given": [
            _table("Q", "Q", e.tokens, _numbered(e.d_k), Q),
            _table("K", "K", e.tokens, _numbered(e.d_k), K),
        ],
        "work": _dot_product(Q[0], K[1]),
        "result": _table("scores", name, e.tokens, e.tokens, found),
        "key_sums": _texts(K.sum(axis=0)),
        "row_sums": _texts(found.sum(axis=1)),
        "cat_given": [
            _table("cat-Q", "Q", cat.tokens, _numbered(cat.d_k), cat_Q),
            _table("cat-K", "K", cat.tokens, _numbered(cat.d_k), cat_K),
        ],
        "cat_work": _dot_product(cat_Q[EATER], cat_K[0]),
        "cat_result": _table("cat-scores", name, [cat.tokens[EATER]], cat.tokens, cat_found[[EATER]]),
        "there_and_back": _texts([cat_found[0, -1], cat_found[-1, 0]]),
    }


def _scaling():
    """第 3 步：每个分数除以 √d_k。先认出 d_k 是哪个数，再除。"""
    parts = [_scaling_by_pencil(id, *_example(name)) for id, name in (("", "我爱你"), ("cat-", "猫吃鱼"))]
    sizes = sorted({int(size) for part in parts for size in part["sizes"]})
    return {"both": parts, "roots": [_root(size) for size in sizes]}


def _scaling_by_pencil(id, e, steps):
    """一个例句：四个大小，写在纸上的分数除以写在纸上的 √d_k。"""
    found, root = _on_paper(steps.scores), _on_paper(e.d_k**0.5)
    scaled = found / root
    return {
        "example": e,
        "shapes": [(name, M.shape) for name, M in (("X", e.X), ("Q", steps.Q), ("V", steps.V))],
        "sizes": [str(size) for size in (e.n, e.d_model, e.d_k, e.d_v)],
        "given": _table(f"{id}scores", r"\text{scores}", e.tokens, e.tokens, found),
        "division": _texts([found[0, 0], root, scaled[0, 0]]),
        "result": _table(f"{id}scaled", r"\text{scaled\_scores}", e.tokens, e.tokens, scaled),
    }


def _root(size):
    """一个平方根的 LaTeX：√4 = 2，√8 ≈ 2.8284。"""
    root = float(_on_paper(size**0.5))
    relation = "=" if root**2 == size else r"\approx"
    return rf"\sqrt{{{size}}} {relation} {_text(root)}"


def _softmax():
    """第 4 步：一行分数变成加起来等于 1 的权重。e 的幂查表，除法写两位小数。"""
    (e, steps), (cat, cat_steps) = _example("我爱你"), _example("猫吃鱼")
    wanted = np.unique(_on_paper(np.append(steps.scaled_scores, cat_steps.scaled_scores[EATER])))
    return {
        "example": e,
        "cat": cat,
        "looking": EATER,
        "main": _softmax_by_pencil("", e, steps, range(e.n)),
        "practice": _softmax_by_pencil("cat-", cat, cat_steps, [EATER]),
        "exponentials": list(zip(_texts(wanted), _texts(np.exp(wanted), PLACES), strict=True)),
    }


def _softmax_by_pencil(id, e, steps, rows):
    """几行 softmax 的笔算过程：查表，求和，相除；还有 Python 的结果。"""
    tokens = [e.tokens[row] for row in rows]
    values = _on_paper(steps.scaled_scores[list(rows)])
    powers = _on_paper(np.exp(values))
    sums = powers.sum(axis=1)
    weights = _on_paper(powers / sums[:, None], PENCIL)
    exact_sums = np.exp(steps.scaled_scores).sum(axis=1)
    return {
        "given": _table(f"{id}scaled", r"\text{scaled\_scores}", tokens, e.tokens, values),
        "exp": _table(f"{id}exp", "e^{s}", tokens, e.tokens, powers, PLACES, totals=sums),
        "division": [*_texts([powers[0, 0], sums[0]], PLACES), _text(weights[0, 0], PENCIL)],
        "result": _table(
            f"{id}weights",
            r"\text{weights}",
            tokens,
            e.tokens,
            weights,
            PENCIL,
            totals=weights.sum(axis=1),
        ),
        "python": [
            (e.tokens[row], _text(exact_sums[row], PLACES), _texts(steps.weights[row], PLACES))
            for row in rows
        ],
    }


def _weighted_sum():
    """第 5 步：按权重混合 V 的各行。权重只写两位小数，结果也写两位。"""
    (e, steps), (cat, cat_steps) = _example("我爱你"), _example("猫吃鱼")
    V = _on_paper(steps.V)
    return {
        "example": e,
        "cat": cat,
        "looking": EATER,
        "main": _mixing_by_pencil("", e, steps, range(e.n)),
        "practice": _mixing_by_pencil("cat-", cat, cat_steps, [EATER]),
        "smallest": _texts(V.min(axis=0)),
        "largest": _texts(V.max(axis=0)),
        "one_hot": _texts(V[1]),
        "mean": _texts(steps.V.mean(axis=0)),
    }


def _mixing_by_pencil(id, e, steps, rows):
    """几行加权求和的笔算过程，和 Python 的结果。"""
    tokens = [e.tokens[row] for row in rows]
    weights, V = _on_paper(steps.weights[list(rows)], PENCIL), _on_paper(steps.V)
    return {
        "weights": _table(f"{id}weights", r"\text{weights}", tokens, e.tokens, weights, PENCIL),
        "V": _table(f"{id}V", "V", e.tokens, e.V_columns, V),
        "work": _dot_product(weights[0], V[:, 0], PENCIL),
        "result": _table(f"{id}output", r"\text{output}", tokens, e.V_columns, weights @ V, PENCIL),
        "python": [(e.tokens[row], _texts(steps.output[row])) for row in rows],
    }


SHEETS = {  # 练习纸的名字（也是模板的名字）-> 标题，算出它的数
    "01_projection": ("1 投影", _projection),
    "02_scores": ("2 打分", _scores),
    "03_scaling": ("3 缩放", _scaling),
    "04_softmax": ("4 softmax", _softmax),
    "05_weighted_sum": ("5 加权求和", _weighted_sum),
}


# ---------------------------------------------------------------- 写在纸上


def _example(name):
    """一个例句和它的五步。"""
    e = load_example(name)
    return e, self_attention(e.X, e.W_Q, e.W_K, e.W_V)


def _on_paper(values, places=PLACES):
    """写在纸上的数：四舍五入到 places 位；先抹掉浮点误差，所以 0.185 总是舍入成 0.19。"""
    units = np.floor(np.abs(values) * 10.0**places + 0.5 + 1e-7)
    return np.copysign(units, values) / 10.0**places


def _text(value, places=None):
    """一个数的文字：places 位小数；不给就最多 4 位，去掉末尾的 0。"""
    value = float(_on_paper(float(value), PLACES if places is None else places))
    return write(value) if places is None else fixed(value, places)


def _texts(values, places=None):
    return [_text(value, places) for value in values]


def _numbered(count):
    return [str(number) for number in range(1, count + 1)]


def _table(id, name, rows, columns, matrix, places=None, totals=()):
    """纸上的一个矩阵。

    id : 页内唯一的名字；name : LaTeX 记号；rows, columns : 行名、列名；matrix : (行, 列)
    totals : 各行的和，有时多留的一列空格；shape 不算这一列
    """
    return {
        "id": id,
        "name": name,
        "rows": rows,
        "columns": columns,
        "cells": [_texts(row, places) for row in matrix],
        "totals": _texts(totals, places),
        "shape": f"({len(rows)}, {len(columns)})",
    }


def _dot_product(left, right, places=None):
    """一个点积的全部过程：因数、积、和的文字；places 是和的小数位数。"""
    return dot_terms(left, right, _text, lambda total: _text(total, places))

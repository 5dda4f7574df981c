"""第 4 步：一行分数变成加起来等于 1 的权重。e 的幂查表，除法写两位小数。"""

import numpy as np

from utils.numbers import PLACES
from utils.worksheet.paper import (
    PENCIL,
    example,
    exponentials,
    on_paper,
    softmax_by_pencil,
    table,
    text,
    texts,
)

TITLE = "4 softmax"
EATER = 1  # 「猫吃鱼」只算“吃”这一行


def numbers():
    """写在纸上的数。"""
    (e, steps), (cat, cat_steps) = example("我爱你"), example("猫吃鱼")
    return {
        "example": e,
        "cat": cat,
        "looking": EATER,
        "main": _rows_by_pencil("", e, steps, range(e.n)),
        "practice": _rows_by_pencil("cat-", cat, cat_steps, [EATER]),
        "exponentials": exponentials(np.append(steps.scaled_scores, cat_steps.scaled_scores[EATER])),
    }


def _rows_by_pencil(id, e, steps, rows):
    """几行 softmax 的笔算过程：查表，求和，相除；还有 Python 的结果。"""
    tokens = [e.tokens[row] for row in rows]
    values = on_paper(steps.scaled_scores[list(rows)])
    powers, sums, weights = softmax_by_pencil(values)
    exact_sums = np.exp(steps.scaled_scores).sum(axis=1)
    return {
        "given": table(f"{id}scaled", r"\text{scaled\_scores}", tokens, e.tokens, values),
        "exp": table(f"{id}exp", "e^{s}", tokens, e.tokens, powers, PLACES, totals=sums),
        "division": [*texts([powers[0, 0], sums[0]], PLACES), text(weights[0, 0], PENCIL)],
        "result": table(
            f"{id}weights",
            r"\text{weights}",
            tokens,
            e.tokens,
            weights,
            PENCIL,
            totals=weights.sum(axis=1),
        ),
        "python": [
            (e.tokens[row], text(exact_sums[row], PLACES), texts(steps.weights[row], PLACES)) for row in rows
        ],
    }

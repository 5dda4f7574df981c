"""第 8 本：把 Q、K、V 的列切成两个头，各算各的，接上，乘 W_O。"""

import numpy as np

from utils.attention import attention_scores, join_heads, multi_head_attention, split_heads
from utils.numbers import PLACES
from utils.sizes import matrix_parameters
from utils.worksheet.paper import (
    NEARLY_ONE,
    PENCIL,
    dot_product,
    exponentials,
    numbered,
    on_paper,
    read_all,
    softmax_by_pencil,
    table,
    text,
    texts,
    with_steps,
)

TITLE = "8 多头"
HEADS = 2
MOST_POWERS = 3
CLEARLY = 0.02  # 两位小数看得出的差别
OPTIONS = {
    "W_O": [  # 每一列抄一个头的一列，或者把两个头的加起来
        [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]],
        [[1, 0, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 0, 1]],
        [[0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0]],
        [[0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]],
        [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]],
        [[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 0]],
    ],
    # 数参数的一题：d_model 大一点，头多一点
    "size": [(96, 12), (48, 6), (64, 8), (80, 10), (128, 8), (72, 12), (112, 8), (48, 8)],
}


def numbers(version):
    """写在纸上的数：两个头的全部分数，“我”一行的权重和输出。"""
    e, steps = with_steps(version.me)
    W_O = np.array(version.chosen["W_O"], dtype=float)
    Q, K, V = [split_heads(on_paper(M), HEADS) for M in (steps.Q, steps.K, steps.V)]
    scores = np.stack([attention_scores(Q[h], K[h]) for h in range(HEADS)])
    root = on_paper((e.d_k / HEADS) ** 0.5)
    scaled = on_paper(scores[:, 0] / root)  # “我”的一行，一个头一行
    powers, sums, weights = softmax_by_pencil(scaled)
    joined = join_heads(on_paper(weights[:, None] @ V, PENCIL))
    names = [f"头 {head}" for head in numbered(HEADS)]
    exact = multi_head_attention(e.X, e.W_Q, e.W_K, e.W_V, W_O, HEADS)
    wide, many = version.chosen["size"]
    four = matrix_parameters(wide, wide, d_ff=0)  # 没有前馈，只有四个投影矩阵
    return {
        "example": e,
        "half": e.d_k // HEADS,
        "given": [
            table(name, name, e.tokens, numbered(M.shape[1]), M)
            for name, M in (("Q", steps.Q), ("K", steps.K), ("V", steps.V))
        ]
        + [table("W_O", "W_O", numbered(e.d_v), numbered(e.d_model), W_O)],
        "work": dot_product(Q[0, -1], K[0, 0]),
        "scores": [
            table(f"scores-{h + 1}", rf"\text{{{names[h]}}}", e.tokens, e.tokens, scores[h])
            for h in range(HEADS)
        ],
        "sum": table("sum", r"\text{两个头相加}", e.tokens, e.tokens, scores.sum(axis=0)),
        "root": rf"\sqrt{{{e.d_k // HEADS}}} \approx {text(root)}",
        "exponentials": exponentials(scaled),
        "exp": table("exp", "e^{s}", names, e.tokens, powers, PLACES, totals=sums),
        "weights": table(
            "weights", r"\text{weights}", names, e.tokens, weights, PENCIL, totals=weights.sum(axis=1)
        ),
        "joined": table("joined", r"\text{joined}", [e.tokens[0]], numbered(e.d_v), joined, PENCIL),
        "output": table("output", r"\text{output}", [e.tokens[0]], numbered(e.d_model), joined @ W_O, PENCIL),
        "python": [("joined", texts(exact.joined[0])), ("output", texts(exact.output[0]))],
        "wide": wide,
        "many": many,
        "few": many // 2,
        "parameters": [str(n) for n in (wide // many, wide**2, four)],
        "fewer": four,
    }


def fits(version, page):
    """写开的点积不是 0；两个头的分数不同，一行里不全相等；幂只查几个；权重的平均不是一个头的权重。"""
    _, steps = with_steps(version.me)
    rows = [read_all(part["cells"][0]) for part in page["scores"]]
    weights = np.array([read_all(row) for row in page["weights"]["cells"]])
    return (
        page["work"].total != "0"
        and (rows[0] != rows[1]).any()
        and all(np.ptp(row) for row in rows)
        and len(page["exponentials"]) <= MOST_POWERS
        and bool((abs(weights.sum(axis=1) - 1) < NEARLY_ONE).all())
        and abs(weights.mean(axis=0) - steps.weights[0]).max() > CLEARLY
    )

"""合起来：“我”的一行从头走完五步，w 学一步，认出训练前后的三行权重。"""

import numpy as np

from utils.attention import attention_scores, project
from utils.numbers import PLACES
from utils.worksheet.paper import (
    NEARLY_ONE,
    PENCIL,
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

TITLE = "6 合起来"
RATE, TIMES = 0.1, 2  # 学习率；回答是 2w
LETTERS = "ABC"
OPTIONS = {
    "goal": [(1, 3), (1, 5), (3, 4), (0, 3), (4, 5), (2, 7), (5, 6)],  # 从哪个 w 开始，正确答案
    "map": [(1, 0, 0), (0.96, 0.01, 0.03), (0.94, 0.05, 0.01), (0.97, 0.02, 0.01), (0.92, 0.03, 0.05)],
    "rows": ["前谁对", "对前谁", "谁对前", "前对谁", "谁前对", "对谁前"],  # 训练前、问「谁在做」、问「对谁」
    "longer": [(1000, 10), (500, 3), (200, 5), (400, 6), (300, 7), (600, 2)],  # n，变成几倍
}
BEFORE = 0.34, 0.33, 0.33


def numbers(version):
    """写在纸上的数：只算第 1 个词元的一行，K、V 给出。"""
    (e, steps), cat = with_steps(version.me), version.cat
    x, K, V = on_paper(e.X[:1]), on_paper(steps.K), on_paper(steps.V)
    q = project(x, e.W_Q)
    scores = attention_scores(q, K)
    scaled = on_paper(scores / e.d_k**0.5)
    powers, sums, weights = softmax_by_pencil(scaled)
    me, columns = e.tokens[:1], numbered(e.d_k)
    length, times = version.chosen["longer"]
    return (
        {
            "example": e,
            "cat": cat,
            "x": table("x", "x", me, e.X_columns, x),
            "W_Q": table("W_Q", "W_Q", e.X_columns, columns, e.W_Q),
            "K": table("K", "K", e.tokens, columns, K),
            "V": table("V", "V", e.tokens, e.V_columns, V),
            "q": table("q", "q", me, columns, q),
            "scores": table(
                "scores",
                r"\text{分数}",
                ["② 点积", "③ 缩放"],
                e.tokens,
                np.vstack([scores, scaled]),
                stacked=True,
            ),
            "exponentials": exponentials(scaled),
            "exp": table("exp", "e^s", me, e.tokens, powers, PLACES, totals=sums),
            "weights": table(
                "weights", r"\text{weights}", me, e.tokens, weights, PENCIL, totals=weights.sum(axis=1)
            ),
            "output": table("output", r"\text{output}", me, e.V_columns, weights @ V, PENCIL),
            "python": [(e.tokens[0], texts(steps.output[0]))],
            "length": length,
            "times": times,
            "more": str(times**2),
        }
        | _descent(*version.chosen["goal"])
        | _map(cat, version.chosen["map"], version.chosen["rows"])
    )


def fits(version, page):
    """q 不全是 0，三个分数不全相等；权重加起来差不多是 1。"""
    q, scores = (read_all(page[name]["cells"][0]) for name in ("q", "scores"))
    [total] = read_all(page["weights"]["totals"])
    return q.any() and np.ptp(scores) and abs(total - 1) < NEARLY_ONE


def _descent(start, answer):
    """损失 (2w − 答案)²：w 减去 0.1 × 梯度，走一步以前和以后。"""
    gradient = 2 * TIMES * (TIMES * start - answer)
    after = start - RATE * gradient
    rows = [[w, TIMES * w - answer, (TIMES * w - answer) ** 2] for w in (start, after)]
    return {
        "start": text(start),
        "answer": text(answer),
        "gradient": text(gradient),
        "step": texts([start, gradient, after]),
        "descent": table(
            "descent",
            r"\text{走一步}",
            ["以前", "以后"],
            ["w", f"2w − {text(answer)}", "损失"],
            rows,
            stacked=True,
        ),
    }


def _map(cat, sharp, order):
    """动词的三行权重：训练前，问「谁在做」，问「对谁」。"""
    ways = {"前": BEFORE, "谁": sharp, "对": sharp[::-1]}
    return {
        "map": table(
            "map", r"\text{动词的权重}", list(LETTERS), cat.tokens, [ways[way] for way in order], PENCIL
        ),
        "ways": {way: LETTERS[order.index(way)] for way in ways},
        "share": text(sharp[0], PENCIL),
    }

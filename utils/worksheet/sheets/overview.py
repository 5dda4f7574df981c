"""总览：平均，有轻有重地取，哪一行权重是哪一种取法，五步的次序和形状。"""

import numpy as np

from utils.worksheet.paper import PENCIL, dot_product, on_paper, read_all, table, with_steps

TITLE = "0 总览"
STEPS = ["投影", "打分", "缩放", "softmax", "加权求和"]
CLEARLY = 0.1  # 有轻有重，看得出与平均不同
LETTERS = "ABCD"
OPTIONS = {
    "weights": [(0.45, 0.1, 0.45), (0.5, 0.3, 0.2), (0.2, 0.2, 0.6), (0.1, 0.4, 0.5), (0.7, 0.2, 0.1)],
    "sharp": [
        (1, 0.45),
        (0.8, 0.4),
        (0.9, 0.48),
        (0.7, 0.35),
        (0.6, 0.4),
    ],  # 看准一个，给它多少；看两个，各多少
    "rows": ["平头尾两", "头平两尾", "两尾平头", "尾两头平", "头两尾平", "尾平头两"],  # 四行的次序
    "steps": [(1, 2, 3, 4, 5), (3, 5, 1, 2, 4), (4, 1, 5, 3, 2), (2, 4, 1, 5, 3), (5, 3, 4, 2, 1)],
    "sizes": [(3, 8, 4, 2), (5, 6, 4, 3), (7, 10, 2, 6), (4, 9, 5, 8), (6, 12, 3, 5)],  # n、d_model、d_k、d_v
    "many": [30, 20, 50, 40, 25, 60],
}


def numbers(version):
    """写在纸上的数。"""
    (e, steps), (cat, cat_steps), chosen = with_steps(version.me), with_steps(version.cat), version.chosen
    V, weights = on_paper(steps.V), on_paper([chosen["weights"]], PENCIL)
    n, _, d_k, d_v = chosen["sizes"]
    columns = ["Q、K", "V", "scores", "scaled_scores", "weights", "output"]
    return {
        "example": e,
        "V": table("V", "V", e.tokens, e.V_columns, V),
        "weights": table("weights", r"\text{权重}", ["份额"], e.tokens, weights),
        "work": dot_product(weights[0], V[:, 0], PENCIL),
        "mixed": table(
            "mixed",
            r"\text{取来}",
            ["① 平均", "② 按权重"],
            e.V_columns,
            [V.mean(axis=0), (weights @ V)[0]],
            PENCIL,
            stacked=True,
        ),
        "cat": cat,
        "sizes": chosen["sizes"],
        "named": [(STEPS[place - 1], str(place)) for place in chosen["steps"]],
        "shapes": table(
            "shapes",
            r"\text{形状}",
            ["几行", "几列"],
            columns,
            [[n] * 6, [d_k, d_v, n, n, n, d_v]],
            stacked=True,
        ),
        "many": chosen["many"],
    } | _ways(cat, cat_steps, chosen["sharp"], chosen["rows"])


def fits(version, page):
    """写开的点积不是 0；V 没有一列全是 0；有轻有重的结果，四个数里至少有一个与平均清楚地不同。"""
    average, mixed = (read_all(row) for row in page["mixed"]["cells"])
    columns = np.array([read_all(row) for row in page["V"]["cells"]])
    return page["work"].total != "0.00" and columns.any(axis=0).all() and abs(mixed - average).max() > CLEARLY


def _ways(cat, steps, sharp, order):
    """动词的四行权重，各是哪一种取法；看准一个词元的两行，取来的是什么。"""
    most, half = sharp
    little = (1 - most) / 2
    ways = {
        "头": (most, little, little),
        "尾": (little, little, most),
        "两": (half, 1 - 2 * half, half),
        "平": (1 / 3, 1 / 3, 1 / 3),
    }
    rows = on_paper([ways[way] for way in order], PENCIL)
    taken = [rows[[order.index(way)]] @ on_paper(steps.V) for way in "头尾"]
    return {
        "map": table("map", r"\text{动词的权重}", list(LETTERS), cat.tokens, rows, PENCIL),
        "cat_V": table("cat-V", "V", cat.tokens, cat.V_columns, steps.V),
        "ways": {way: LETTERS[order.index(way)] for way in ways},
        "taken": table(
            "taken",
            r"\text{取来}",
            ["谁在吃", "吃的是什么"],
            cat.V_columns,
            np.vstack(taken),
            PENCIL,
            stacked=True,
        ),
    }

"""选读 a2：精确的 JOIN 和 GROUP BY，再把一个查询的打分、缩放、softmax、加权求和写成表。"""

import numpy as np

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
    texts,
    with_steps,
)

TITLE = "a2 查询"
OPTIONS = {
    "fruits": [  # 四笔：第一、二、三种，第一种又一笔；第三种没有单价
        ("苹果", "梨", "桃", "瓜"),
        ("桃", "瓜", "梨", "橘"),
        ("瓜", "橘", "枣", "桃"),
        ("枣", "桃", "橘", "梨"),
        ("橘", "枣", "瓜", "杏"),
        ("杏", "梨", "枣", "桃"),
    ],
    "kilos": [(1, 2, 2, 3), (2, 3, 1, 4), (3, 2, 4, 1), (4, 1, 3, 2), (5, 2, 1, 2), (2, 5, 3, 3)],
    "yuan": [(5, 4, 9), (3, 6, 2), (6, 5, 8), (7, 8, 3), (4, 9, 6), (8, 3, 5)],
    "shape": [(3, 4, 3), (5, 8, 4), (6, 3, 7), (4, 6, 9), (7, 4, 6), (8, 5, 3)],  # 几个查询，几列，几个键
}


def numbers(version):
    """写在纸上的数：最后一个词元的查询看三个键。"""
    e, steps = with_steps(version.me)
    q, K, V = on_paper(steps.Q[-1]), on_paper(steps.K), on_paper(steps.V)
    scores = K @ q
    scaled = on_paper(scores / e.d_k**0.5)
    less = scaled - scaled.max()
    powers, sums, weights = softmax_by_pencil(less[None])
    kept = on_paper(powers[0, 1:] / powers[0, 1:].sum(), PENCIL)  # 删掉第 1 个键
    last, columns = e.tokens[-1], numbered(e.d_k)
    rows, dims, keys = version.chosen["shape"]
    return {
        "example": e,
        "last": last,
        "q": table("q", "q", [last], columns, q[None]),
        "K": table("K", "k", e.tokens, columns, K),
        "V": table("V", "v", e.tokens, e.V_columns, V),
        "pair": table("pair", r"\text{一对}", ["乘积"], columns, [q * K[0]], totals=scores[:1], stacked=True),
        "scores": table(
            "scores",
            r"\text{每一对}",
            ["score", "scaled", "减去 MAX"],
            e.tokens,
            [scores, scaled, less],
            stacked=True,
        ),
        "exponentials": exponentials(less),
        "exp": table("exp", "e", [last], e.tokens, powers, PLACES, totals=sums),
        "weights": table(
            "weights", r"\text{weight}", [last], e.tokens, weights, PENCIL, totals=weights.sum(axis=1)
        ),
        "output": table("output", r"\text{output}", [last], e.V_columns, weights @ V, PENCIL),
        "python": [(last, texts(steps.output[-1]))],
        "shape": version.chosen["shape"],
        "counts": [str(rows * dims), str(rows * keys)],
        "deleted": texts(kept, PENCIL),
    } | _shop(*(version.chosen[name] for name in ("fruits", "kilos", "yuan")))


def fits(version, page):
    """写开的点积不是 0；分数不全相等；权重加起来差不多是 1，删掉一个键以后也是。"""
    totals = read_all(page["weights"]["totals"])[0], read_all(page["deleted"]).sum()
    return (
        page["pair"]["totals"] != ["0"]
        and np.ptp(read_all(page["scores"]["cells"][0])) > 0
        and all(abs(total - 1) < NEARLY_ONE for total in totals)
    )


def _shop(fruits, kilos, yuan):
    """卖了什么，各几公斤；一公斤几元：JOIN 配成几行，每种合起来几元。"""
    first, second, third, other = fruits
    sold = list(zip((first, second, third, first), kilos, strict=True))
    prices = dict(zip((first, second, other), yuan, strict=True))
    joined = [(fruit, n, prices[fruit], n * prices[fruit]) for fruit, n in sold if fruit in prices]
    groups = [(name, sum(row[3] for row in joined if row[0] == name)) for name in (first, second)]
    return {
        "sales": _records("sales", r"\text{sales}", ["fruit", "kilos"], sold),
        "prices": _records("prices", r"\text{prices}", ["fruit", "yuan"], prices.items()),
        "joined": _records("joined", r"\text{JOIN}", ["fruit", "kilos", "yuan", "乘积"], joined),
        "groups": _records("groups", r"\text{GROUP BY}", ["fruit", "cost"], groups),
        "missing": third,
    }


def _records(id, name, columns, records):
    """一张表：一行一条记录，写着字和数。"""
    records = list(records)
    made = table(id, name, numbered(len(records)), columns, [], stacked=True)
    return made | {"cells": [[str(cell) for cell in record] for record in records]}

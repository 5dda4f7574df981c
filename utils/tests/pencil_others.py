"""总览、合起来和两本选读的练习纸上应有的数，用分数和循环另算一遍；写法同 pencil.py。"""

from fractions import Fraction

from utils.tests.pencil import (
    by_pencil,
    dotted,
    expected_steps,
    five_steps,
    flat,
    multiply,
    show,
    with_totals,
)
from utils.tests.pencil_later import expected_later

OTHERS = ("00_overview", "06_self_attention", "a1_rnn", "a2_sql_join")


def expected_page(step, me, cat, chosen):
    """一页、每个 data-part 里应有的数；chosen 是那张纸自己的数。"""
    steps = expected_steps(me, cat)
    if step in steps:
        return steps[step]
    if step not in OTHERS:
        return expected_later(step, me, cat, chosen)
    page = dict(zip(OTHERS, (overview, whole, rnn, join), strict=True))[step]
    return page(me, cat, **{name: exactly(value) for name, value in chosen.items()})


def exactly(value):
    """小数换成分数，一层一层往里。"""
    if isinstance(value, (list, tuple)):
        return [exactly(item) for item in value]
    return Fraction(str(value)) if isinstance(value, (int, float)) else value


def overview(me, cat, weights, sharp, rows, steps, sizes, many):
    V, cat_V = five_steps(me)["V"], five_steps(cat)["V"]
    n, _, d_k, d_v = sizes
    most, half = sharp
    little, third = (1 - most) / 2, Fraction(33, 100)
    ways = {
        "头": [most, little, little],
        "尾": [little, little, most],
        "两": [half, 1 - 2 * half, half],
        "平": [third] * 3,
    }
    return {
        "V": flat(V),
        "weights": flat([weights]),
        "work": dotted(weights, [row[0] for row in V], 2),
        "mixed": [
            *(show(sum(column) / 3, 2) for column in zip(*V, strict=True)),
            *flat(multiply([weights], V), 2),
        ],
        "map": flat([ways[way] for way in rows], 2),
        "cat-V": flat(cat_V),
        "taken": flat(multiply([ways["头"], ways["尾"]], cat_V), 2),
        "ways": ["ABCD"[rows.index(way)] for way in "头尾两平"],
        "order": [show(place) for place in steps],  # 名字在 test_worksheet_others 里看
        "shapes": [show(x) for x in [n] * 6 + [d_k, d_v, n, n, n, d_v]],
    }


def whole(me, _, goal, map, rows, longer):
    s = five_steps(me)
    scores = [s["scores"][0]]
    scaled = [[x / 2 for x in scores[0]]]
    powers, weights = by_pencil(scaled)
    w, answer = goal
    gradient = 4 * (2 * w - answer)
    after = w - gradient / 10
    ways = {"前": [Fraction(x, 100) for x in (34, 33, 33)], "谁": map, "对": map[::-1]}
    return {
        "x": flat(me["X"][:1]),
        "W_Q": flat(me["W_Q"]),
        "K": flat(s["K"]),
        "V": flat(s["V"]),
        "q": flat(s["Q"][:1]),
        "scores": flat(scores + scaled),
        "exp": with_totals(powers, 4),
        "weights": with_totals(weights, 2),
        "output": flat(multiply(weights, s["V"]), 2),
        "step": [show(x) for x in (gradient, w, gradient, after)],
        "descent": [show(x) for v in (w, after) for x in (v, 2 * v - answer, (2 * v - answer) ** 2)],
        "map": flat([ways[way] for way in rows]),
        "ways": [*("ABC"[rows.index(way)] for way in "前谁对"), show(map[0], 2)],
    }


def rnn(me, _, keep, read, W_x, size):
    one, h = [], 0
    for x in read:
        h = keep * h + x
        one.append(show(h))
    states, h = [], [0, 0]
    for row in multiply(me["X"], W_x):
        h = [keep * old + new for old, new in zip(h, row, strict=True)]
        states += map(show, h)
    n, d = size
    cost = [
        [length, 3, 2 * length * d * d, 3 * length * d * d + 2 * length * length * d, length * length]
        for length in (n, 2 * n)
    ]
    return {
        "one": one,
        "X": flat(me["X"]),
        "W_x": flat(W_x),
        "states": states,
        "kept": [show(keep**2), show(keep), "1"],
        "moved": [show(keep**2)],
        "shares": ["1", *(show(keep**k) for k in (1, 3, 4)), "1", "0.5", "0.25", "0.2"],
        "cost": flat(cost),
    }


def join(me, _, fruits, kilos, yuan, shape):
    s = five_steps(me)
    q, K = s["Q"][-1], s["K"]
    scaled = [x / 2 for x in s["scores"][-1]]
    less = [x - max(scaled) for x in scaled]
    powers, weights = by_pencil([less])
    first, second, third, other = fruits
    kilo = [show(x) for x in kilos]
    cost = [kilos[0] * yuan[0], kilos[1] * yuan[1], kilos[3] * yuan[0]]
    one, two, four = map(show, cost)
    price = [show(x) for x in yuan]
    products = [x * y for x, y in zip(q, K[0], strict=True)]
    return {
        "sales": [first, kilo[0], second, kilo[1], third, kilo[2], first, kilo[3]],
        "prices": [first, price[0], second, price[1], other, price[2]],
        "joined": [
            *(first, kilo[0], price[0], one),
            *(second, kilo[1], price[1], two),
            *(first, kilo[3], price[0], four),
        ],
        "groups": [first, show(cost[0] + cost[2]), second, two],
        "counts": [show(shape[0] * shape[1]), show(shape[0] * shape[2])],
        "q": flat([q]),
        "K": flat(K),
        "V": flat(s["V"]),
        "pair": [*map(show, products), show(sum(products))],
        "scores": flat([s["scores"][-1], scaled, less]),
        "exp": with_totals(powers, 4),
        "weights": with_totals(weights, 2),
        "output": flat(multiply(weights, s["V"]), 2),
    }

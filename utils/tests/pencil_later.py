"""第 7 本以后的练习纸上应有的数，用分数和循环另算一遍；写法同 pencil.py。"""

import math
from fractions import Fraction

from utils.tests.pencil import (
    by_pencil,
    dotted,
    five_steps,
    flat,
    half_up,
    looked_up,
    multiply,
    show,
    with_totals,
)


def expected_later(step, me, cat, chosen):
    """第 7 本以后的一页、每个 data-part 里应有的数；chosen 是那张纸自己的数。"""
    pages = {"07_masks": masks, "08_multi_head": heads, "09_positions": positions, "10_transformer": block}
    return pages[step](me, cat, **chosen)


def terms(left, right):
    """写成一行的点积：因数和结果。"""
    return [*(show(x) for pair in zip(left, right, strict=True) for x in pair), dotted(left, right)[-1]]


def masks(me, cat):
    a, b = five_steps(me), five_steps({**me, "X": [*me["X"][:2], [0] * 4]})
    causal = [[x if j <= i else None for j, x in enumerate(row)] for i, row in enumerate(a["scaled"])]
    padded = [[row[0], row[1], None] for row in b["scaled"][:2]]
    root = math.isqrt(len(a["K"][0]))
    query = five_steps(cat)["Q"][1]
    cross = [[sum(x * y for x, y in zip(query, k, strict=True)) / root for k in a["K"]]]
    weights, padded_weights, cross_weights = (
        by_pencil([[None if x is None else half_up(x, 4) for x in row] for row in M])[1]
        for M in (causal, padded, cross)
    )
    return {
        "lookup": looked_up([*a["scaled"], *b["scaled"][:2], *cross]),
        "scaled": flat(a["scaled"]),
        "masked": flat(causal),
        "V": flat(a["V"]),
        "weights": with_totals(weights, 2),
        "output": flat(multiply(weights, a["V"]), 2),
        "padded-scaled": flat(b["scaled"][:2]),
        "padded-weights": with_totals(padded_weights, 2),
        "counts": ["6", "6", "5"],
        "cross-sizes": ["2", "3", "2", "4"],
        "cross-scaled": flat(cross),
        "cross-weights": with_totals(cross_weights, 2),
        "cross-output": flat(multiply(cross_weights, a["V"]), 2),
    }


def heads(me, _, W_O, size):
    s = five_steps(me)
    left, right = slice(0, 2), slice(2, 4)
    scores = [
        [[sum(x * y for x, y in zip(q[cut], k[cut], strict=True)) for k in s["K"]] for q in s["Q"]]
        for cut in (left, right)
    ]
    root = half_up(Fraction(math.sqrt(2)), 4)
    powers, weights = by_pencil([[half_up(x / root, 4) for x in head[0]] for head in scores])
    joined = []
    for row, cut in zip(weights, (left, right), strict=True):
        joined += [half_up(x, 2) for x in multiply([row], [v[cut] for v in s["V"]])[0]]
    return {
        **{name: flat(s[name]) for name in "QKV"},
        "W_O": flat(W_O),
        "work": terms(s["Q"][-1][left], s["K"][0][left]),
        "scores-1": flat(scores[0]),
        "scores-2": flat(scores[1]),
        "sum": flat(s["scores"]),
        "exp": with_totals(powers, 4),
        "weights": with_totals(weights, 2),
        "joined": flat([joined], 2),
        "output": flat(multiply([joined], W_O), 2),
        "parameters": [str(n) for n in (size[0] // size[1], size[0] ** 2, 4 * size[0] ** 2)],
    }


def wave(i, width):
    """位置 i 的一行，写着的四位小数。"""
    angles = [i * 10000 ** (-2 * t / width) for t in range(width // 2)]
    return [half_up(Fraction(f(angle)), 4) for angle in angles for f in (math.sin, math.cos)]


def positions(me, _, step, places):
    later, earlier = places
    P = [wave(i, 4) for i in (0, earlier, later)]
    row, works = [], []
    for t in (0, 2):
        (sin_a, cos_a), (sin_b, cos_b) = P[2][t : t + 2], P[1][t : t + 2]
        works += [terms([sin_a, cos_a], [cos_b, sin_b]), terms([sin_a, cos_a], [-sin_b, cos_b])]
        row += [half_up(sin_a * cos_b + cos_a * sin_b, 4), half_up(cos_a * cos_b - sin_a * sin_b, 4)]
    s = five_steps(me)
    turns = [
        [half_up(Fraction(f(math.radians(i * step))), 4) for f in (math.cos, math.sin)] for i in (1, 2, 3)
    ]
    q, k = s["Q"][2][:2], s["K"][0][:2]
    turned_q, turned_k = (
        [[half_up(x * c - y * d, 4), half_up(x * d + y * c, 4)] for c, d in turns] for x, y in (q, k)
    )
    pairs = [(turned_q[1], turned_k[0]), (turned_q[2], turned_k[1]), (turned_q[2], turned_k[0])]
    return {
        "X": flat(me["X"]),
        "P": flat(P),
        "sine": works[0],
        "cosine": works[1],
        "next": flat([row]),
        "sum": [show(x + p) for places in (P[0], row) for x, p in zip(me["X"][0], places, strict=True)],
        "turns": flat(turns),
        "q": flat([q]),
        "k": flat([k]),
        "turned-q": flat(turned_q),
        "turned-k": flat(turned_k),
        "work": terms(*pairs[0]),
        "scores": [show(a[0] * b[0] + a[1] * b[1]) for a, b in pairs],
    }


def block(me, _, W_1, W_2, size, logits):
    s = five_steps(me)
    two = [math.exp(x) for x in s["scaled"][1][:2]]  # “爱”看得到的两个
    mixed = [Fraction(sum(w * v[m] for w, v in zip(two, s["V"], strict=False)) / sum(two)) for m in range(4)]
    given = [me["X"][1], [half_up(x, 4) for x in mixed]]
    added = [x + y for x, y in zip(*given, strict=True)]
    mean = half_up(sum(added) / 4, 4)
    centred = [x - mean for x in added]
    variance = half_up(sum(x * x for x in centred) / 4, 4)
    deviation = half_up(Fraction(math.sqrt(variance)), 4)
    normed = [half_up(x / deviation, 2) for x in centred]
    [hidden] = multiply([normed], W_1)
    positive = [x if x > 0 else 0 for x in hidden]
    [fed] = multiply([positive], W_2)
    temperatures = [[Fraction(x) for x in logits], [Fraction(x) * 2 for x in logits]]
    powers, probabilities = by_pencil(temperatures)
    return {
        "given": flat(given),
        "moments": [show(mean), show(variance)],
        "deviation": [show(deviation)],
        "normed": flat([added, centred, normed]),
        "W_1": flat(W_1),
        "hidden": flat([hidden, positive]),
        "W_2": flat(W_2),
        "fed": flat([fed, [x + y for x, y in zip(added, fed, strict=True)]]),
        "parameters-1": ["64", "24", "88"],
        "parameters-2": [str(n) for n in (4 * size[0] ** 2, 2 * size[0] * size[1])]
        + [str(4 * size[0] ** 2 + 2 * size[0] * size[1])],
        "lookup": looked_up(temperatures),
        "exp": with_totals(powers, 4),
        "probabilities": with_totals(probabilities, 2),
    }

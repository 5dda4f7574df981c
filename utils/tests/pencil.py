"""练习纸上应有的数，用分数和循环另算一遍：写着的数四舍五入，答案从写着的数算起。

这里是大家要用的和五个步骤；第 7 本以后的在 pencil_later.py。遮住的格（−∞）写成 None。
"""

import json
import math
from fractions import Fraction

from utils import examples


def read(name, folder=examples.DATA):
    content = (folder / name).read_text(encoding="utf-8")
    return json.loads(content, parse_float=Fraction, parse_int=Fraction)


def multiply(A, B):
    return [[sum(row[m] * B[m][j] for m in range(len(B))) for j in range(len(B[0]))] for row in A]


def half_up(x, places):
    return Fraction(math.floor(abs(x) * 10**places + Fraction(1, 2)) * (-1 if x < 0 else 1), 10**places)


def show(x, places=None):
    """写出来的样子：固定位数；不给 places 就最多 4 位，去掉末尾的 0。"""
    if x is None:
        return "−∞"
    digits = 4 if places is None else places
    whole = math.floor(abs(x) * 10**digits + Fraction(1, 2))
    text = f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"
    if places is None:
        text = text.rstrip("0").rstrip(".")
    return ("−" if x < 0 and whole else "") + text


def flat(M, places=None):
    return [show(x, places) for row in M for x in row]


def dotted(left, right, places=None):
    """写开的点积里的每个空格：因数、积、和。"""
    factors = [show(x) for pair in zip(left, right, strict=True) for x in pair]
    products = [a * b for a, b in zip(left, right, strict=True)]
    return [*factors, *map(show, products), show(sum(products), places)]


def five_steps(data):
    steps = {name: multiply(data["X"], data[f"W_{name}"]) for name in "QKV"}
    steps["scores"] = multiply(steps["Q"], list(zip(*steps["K"], strict=True)))
    root = Fraction(math.sqrt(len(steps["Q"][0])))
    steps["scaled"] = [[x / root for x in row] for row in steps["scores"]]
    powers = [[Fraction(math.exp(x)) for x in row] for row in steps["scaled"]]
    steps["sums"] = [sum(row) for row in powers]
    steps["weights"] = [[x / sum(row) for x in row] for row in powers]
    steps["output"] = multiply(steps["weights"], steps["V"])
    return steps


def by_pencil(scaled):
    """用表里的 4 位小数算的 softmax：exp、两位小数的权重。"""
    powers = [[0 if x is None else half_up(Fraction(math.exp(x)), 4) for x in row] for row in scaled]
    weights = [[half_up(x / sum(row), 2) for x in row] for row in powers]
    return powers, weights


def looked_up(rows):
    """e 的幂的表：要查的数，从小到大，然后是它们的幂。"""
    wanted = sorted({half_up(x, 4) for row in rows for x in row if x is not None})
    return [*map(show, wanted), *(show(Fraction(math.exp(x)), 4) for x in wanted)]


def with_totals(M, places):
    return [text for row in M for text in [*(show(x, places) for x in row), show(sum(row), places)]]


def expected_steps(folder):
    """五个步骤的每一页、每个 id 里应有的数。"""
    me, cat = read("wo_ai_ni.json", folder), read("mao_chi_yu.json", folder)
    a, b = five_steps(me), five_steps(cat)
    powers, weights = by_pencil(a["scaled"])
    cat_powers, cat_weights = by_pencil(b["scaled"][1:2])
    rounded = [[half_up(x, 2) for x in row] for row in a["weights"]]
    cat_rounded = [[half_up(x, 2) for x in b["weights"][1]]]
    sizes = [(len(s["X"]), len(s["X"][0]), len(s["W_Q"][0]), len(s["W_V"][0])) for s in (me, cat)]
    return {
        "01_projection": {
            **{name: flat(me[name]) for name in ("X", "W_Q", "W_K", "W_V")},
            "shape": [str(len(a["Q"])), str(len(a["Q"][0]))],
            "work": dotted(me["X"][0], [row[-1] for row in me["W_Q"]]),
            **{name: flat(a[name]) for name in "QKV"},
            "parameter-sums": [show(sum(row)) for row in me["W_Q"]],
            "row-sums": [show(sum(row)) for row in a["Q"]],
        },
        "02_scores": {
            "Q": flat(a["Q"]),
            "K": flat(a["K"]),
            "shape": [str(len(a["scores"])), str(len(a["scores"][0]))],
            "work": dotted(a["Q"][0], a["K"][1]),
            "scores": flat(a["scores"]),
            "key-sums": [show(sum(column)) for column in zip(*a["K"], strict=True)],
            "row-sums": [show(sum(row)) for row in a["scores"]],
            "cat-Q": flat(b["Q"]),
            "cat-K": flat(b["K"]),
            "cat-work": dotted(b["Q"][1], b["K"][0]),
            "cat-scores": flat(b["scores"][1:2]),
        },
        "03_scaling": {
            prefix + id: value
            for prefix, s, size in (("", a, sizes[0]), ("cat-", b, sizes[1]))
            for id, value in {
                "scores": flat(s["scores"]),
                "sizes": [str(number) for number in size],
                "division": [
                    show(s["scores"][0][0]),
                    show(Fraction(math.sqrt(size[2]))),
                    show(s["scaled"][0][0]),
                ],
                "scaled": flat(s["scaled"]),
            }.items()
        },
        "04_softmax": {
            "lookup": looked_up([*a["scaled"], b["scaled"][1]]),
            "scaled": flat(a["scaled"]),
            "exp": with_totals(powers, 4),
            "division": [show(powers[0][0], 4), show(sum(powers[0]), 4), show(weights[0][0], 2)],
            "weights": with_totals(weights, 2),
            "cat-scaled": flat(b["scaled"][1:2]),
            "cat-exp": with_totals(cat_powers, 4),
            "cat-weights": with_totals(cat_weights, 2),
        },
        "05_weighted_sum": {
            "weights": flat(rounded, 2),
            "V": flat(a["V"]),
            "shape": [str(len(a["output"])), str(len(a["output"][0]))],
            "work": dotted(rounded[0], [row[0] for row in a["V"]], 2),
            "output": flat(multiply(rounded, a["V"]), 2),
            "smallest": [show(min(column)) for column in zip(*a["V"], strict=True)],
            "largest": [show(max(column)) for column in zip(*a["V"], strict=True)],
            "cat-weights": flat(cat_rounded, 2),
            "cat-V": flat(b["V"]),
            "cat-output": flat(multiply(cat_rounded, b["V"]), 2),
            "cat-work": dotted(cat_rounded[0], [row[0] for row in b["V"]], 2),
        },
    }

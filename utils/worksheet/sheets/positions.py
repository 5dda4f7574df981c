"""第 9 本：正弦位置的下一行由前两行算出；两支箭头各转自己的角，分数只看位置的差。"""

import numpy as np

from utils.positions import rotate, sine_positions
from utils.worksheet.paper import dot_product, on_paper, read_all, table, text, texts, with_steps

TITLE = "9 位置"
PAIRS = ((2, 1), (3, 2), (3, 1))  # 查询、键的位置
OPTIONS = {
    "step": [30, 15, 20, 40, 45, 60],  # 一个位置转多少度
    "places": [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3)],  # 哪两个位置的角相加
}


def numbers(version):
    """写在纸上的数：先加，后转。"""
    e, steps = with_steps(version.me)
    step, places = version.chosen["step"], version.chosen["places"]
    adding = _adding(e, *places)
    return {"example": e, "step": step} | adding | _turning(e.tokens, steps.Q[-1, :2], steps.K[0, :2], step)


def fits(version, page):
    """差一样的两个分数写出来一样，与没有舍入的也一样，不是 0；差不一样的不一样；两支箭头不同。"""
    near, same, far = (row[0] for row in page["scores"]["cells"])
    q, k = (read_all(part["cells"][0]) for part in page["arrows"])
    angle = np.deg2rad(version.chosen["step"])
    exact = np.dot(rotate([q], [angle])[0], k)
    return near == same != far and near != "0" and near == text(exact) and (q != k).any()


def _adding(e, later, earlier):
    """句子后面又有一个第 1 个词元；它的位置，由两个位置相加得到。"""
    every = on_paper(sine_positions(later + 1, e.d_model))
    P = every[[0, earlier, later]]
    columns = ["sin", "cos"] * (e.d_model // 2)
    steps = [np.array([[cos, -sin], [sin, cos]]) for sin, cos in P[1].reshape(-1, 2)]
    pairs = [pair @ step for pair, step in zip(P[-1].reshape(-1, 2), steps, strict=True)]
    row, first = on_paper(np.hstack(pairs)), on_paper(e.X[0])
    names = [f"位置 {i}" for i in (0, earlier, later, earlier + later)]
    return {
        "X": table("X", "X", e.tokens, e.X_columns, e.X),
        "P": table("P", "P", names[:-1], columns, P),
        "sine": dot_product(P[-1, :2], steps[0][:, 0]),
        "cosine": dot_product(P[-1, :2], steps[0][:, 1]),
        "next": table("next", "P", names[-1:], columns, [row]),
        "sum": table("sum", "X + P", [names[0], names[-1]], e.X_columns, [first + P[0], first + row]),
        "places": (later, earlier, later + earlier),
        "exact": texts(sine_positions(later + earlier + 1, e.d_model)[-1]),
    }


def _turning(tokens, q, k, step):
    """最后一个词元的查询、第 1 个词元的键，各取前两个数，在几个位置上转。"""
    places = range(1, 1 + max(i for i, _ in PAIRS))
    angles = np.deg2rad([step * i for i in places])
    turns = on_paper(rotate([[1, 0]] * len(places), angles))  # 一行是 cos 和 sin
    arrows = {"q": on_paper(q), "k": on_paper(k)}
    turned = {
        name: on_paper([[x * cos - y * sin, x * sin + y * cos] for cos, sin in turns])
        for name, (x, y) in arrows.items()
    }
    degrees = [f"{step * i}°" for i in places]
    scores = [[turned["q"][i - 1] @ turned["k"][j - 1]] for i, j in PAIRS]
    i, j = PAIRS[0]
    return {
        "turns": table("turns", r"\text{角}", degrees, ["cos", "sin"], turns, stacked=True),
        "arrows": [
            table(name, name, [token], ["x", "y"], [arrows[name]])
            for name, token in (("q", tokens[-1]), ("k", tokens[0]))
        ],
        "turned": [
            table(f"turned-{name}", rf"\text{{转过的 }} {name}", degrees, ["x", "y"], M)
            for name, M in turned.items()
        ],
        "pair": PAIRS[0],
        "work": dot_product(turned["q"][i - 1], turned["k"][j - 1]),
        "scores": table(
            "scores", r"q \cdot k", [f"q 在 {i}，k 在 {j}" for i, j in PAIRS], ["分数"], scores, stacked=True
        ),
        "far": text(scores[0][0]),
    }

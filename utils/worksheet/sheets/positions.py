"""第 9 本：正弦位置的下一行由前两行算出；两支箭头各转自己的角，分数只看位置的差。"""

import numpy as np

from utils.positions import rotate, sine_positions
from utils.worksheet.paper import dot_product, example, on_paper, table, text, texts

TITLE = "9 排"
STEP = 30  # 一个位置转多少度
PAIRS = ((2, 1), (3, 2), (3, 1))  # 查询、键的位置


def numbers():
    """写在纸上的数：先加，后转。"""
    e, steps = example("我爱你")
    return {"example": e, "step": STEP} | _adding(e) | _turning(e.tokens, steps.Q[-1, :2], steps.K[0, :2])


def _adding(e):
    """句子后面再添一个第 1 个词元；它的位置，由最后一个位置再走一步得到。"""
    P = on_paper(sine_positions(e.n, e.d_model))
    columns = ["sin", "cos"] * (e.d_model // 2)
    steps = [np.array([[cos, -sin], [sin, cos]]) for sin, cos in P[1].reshape(-1, 2)]
    pairs = [pair @ step for pair, step in zip(P[-1].reshape(-1, 2), steps, strict=True)]
    row, first = on_paper(np.hstack(pairs)), on_paper(e.X[0])
    names = [f"位置 {i}" for i in range(e.n + 1)]
    return {
        "X": table("X", "X", e.tokens, e.X_columns, e.X),
        "P": table("P", "P", names[:-1], columns, P),
        "sine": dot_product(P[-1, :2], steps[0][:, 0]),
        "cosine": dot_product(P[-1, :2], steps[0][:, 1]),
        "next": table("next", "P", names[-1:], columns, [row]),
        "sum": table("sum", "X + P", [names[0], names[-1]], e.X_columns, [first + P[0], first + row]),
        "exact": texts(sine_positions(e.n + 1, e.d_model)[-1]),
    }


def _turning(tokens, q, k):
    """最后一个词元的查询、第 1 个词元的键，各取前两个数，在几个位置上转。"""
    places = range(1, 1 + max(i for i, _ in PAIRS))
    angles = np.deg2rad([STEP * i for i in places])
    turns = on_paper(rotate([[1, 0]] * len(places), angles))  # 一行是 cos 和 sin
    arrows = {"q": on_paper(q), "k": on_paper(k)}
    turned = {
        name: on_paper([[x * cos - y * sin, x * sin + y * cos] for cos, sin in turns])
        for name, (x, y) in arrows.items()
    }
    degrees = [f"{STEP * i}°" for i in places]
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

"""选读 a1：让 RNN 读完四个数、三行数；第 1 个词元还剩多少；等几步，乘几次，几个分数。"""

import numpy as np

from utils.worksheet.paper import on_paper, read_all, table, text

TITLE = "a1 比较"
LENGTHS = (1, 2, 4, 5)  # 1 除以它们都除得尽
OPTIONS = {
    "keep": [0.5, 0.2, 0.4, 0.6, 0.3],  # 旧的状态每一步留几分
    "read": [(1, 0, 1, 0), (2, 0, 1, 3), (1, 2, 0, 1), (3, 1, 0, 2), (2, 1, 1, 0), (1, 0, 2, 2)],
    "W_x": [
        [[1, 0], [0, 1], [0, 0], [0, 0]],
        [[0, 1], [0, 0], [1, 0], [0, 1]],
        [[0, 0], [1, 0], [0, 1], [1, 0]],
        [[1, 0], [1, 0], [0, 0], [0, 1]],
        [[0, 1], [1, 0], [0, 1], [0, 0]],
    ],
    "size": [(8, 16), (3, 2), (5, 2), (4, 3), (2, 5), (3, 4), (5, 3)],  # n、d
}


def numbers(version):
    """写在纸上的数：没有 tanh。"""
    e, keep, read = version.me, version.chosen["keep"], version.chosen["read"]
    W_x = np.array(version.chosen["W_x"])
    one, states = [], []
    for x in read:
        one.append([keep * (one[-1][0] if one else 0) + x])
    for row in on_paper(e.X) @ W_x:
        states.append(keep * states[-1] + row if states else row)
    n, d = version.chosen["size"]
    return {
        "example": e,
        "keep": text(keep),
        "read": [text(x) for x in read],
        "one": table(
            "one", "h_t", [""], [f"读第 {t} 个" for t in range(1, 5)], np.transpose(one), stacked=True
        ),
        "X": table("X", "X", e.tokens, e.X_columns, e.X),
        "W_x": table("W_x", "W_x", e.X_columns, ["1", "2"], W_x),
        "states": table(
            "states", "h_t", [f"读完“{token}”" for token in e.tokens], ["1", "2"], states, stacked=True
        ),
        "kept": table("kept", r"\text{最后的状态里}", ["几份"], e.tokens, [[keep**2, keep, 1]], stacked=True),
        "shares": table(
            "shares",
            r"\text{第 1 个词元还剩}",
            ["RNN", "注意力（平均）"],
            [f"n = {length}" for length in LENGTHS],
            [[keep ** (length - 1) for length in LENGTHS], [1 / length for length in LENGTHS]],
            stacked=True,
        ),
        "size": (n, d),
        "cost": table(
            "cost",
            r"\text{代价}",
            [f"n = {length}" for length in (n, 2 * n)],
            ["RNN 等几步", "注意力等几步", "RNN 乘几次", "注意力乘几次", "分数几个"],
            [
                [length, 3, 2 * length * d**2, 3 * length * d**2 + 2 * length**2 * d, length**2]
                for length in (n, 2 * n)
            ],
            stacked=True,
        ),
    }


def fits(version, page):
    """状态的两列都不全是 0，也不相同：抄错一列看得出来。"""
    states = np.array([read_all(row) for row in page["states"]["cells"]])
    return states.any(axis=0).all() and (states[:, 0] != states[:, 1]).any()

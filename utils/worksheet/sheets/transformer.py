"""第 10 本：一行残差、归一化、前馈，数参数，带温度的 softmax。"""

import numpy as np

from utils.attention import attention, causal_mask
from utils.block import feed_forward, layer_norm
from utils.numbers import PLACES
from utils.sizes import matrix_parameters
from utils.worksheet.paper import (
    PENCIL,
    example,
    exponentials,
    numbered,
    on_paper,
    softmax_by_pencil,
    table,
    text,
    texts,
)

TITLE = "10 搭起来"
ROW = 1  # 只算“爱”这一行
W_1 = np.array([[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 1]])
W_2 = np.array([[1, 1, 1, 1], [1, 0, 0, -1], [0, 1, 0, 1]])
SIZES = (4, 3), (32, 128)  # 数参数的两题：d_model、d_ff
LOGITS, TEMPERATURES, SMOOTH = (2, 1, 0), (1, 0.5), 2


def numbers():
    """写在纸上的数：W_O 取单位矩阵，两个偏置都是 0。"""
    e, steps = example("我爱你")
    attended = attention(steps.Q, steps.K, steps.V, causal_mask(e.n)).output[ROW]
    added, normed, parts = _norm(e.X[ROW], attended, numbered(e.d_model))
    hidden = normed @ W_1
    fed = feed_forward([normed], W_1, np.zeros(W_1.shape[1]), W_2, np.zeros(W_2.shape[1]))[0]
    columns = numbered(e.d_model)
    return (
        {
            "example": e,
            "row": ROW,
            "W_1": table("W_1", "W_1", columns, numbered(W_1.shape[1]), W_1),
            "W_2": table("W_2", "W_2", numbered(W_2.shape[0]), columns, W_2),
            "hidden": table(
                "hidden",
                r"\text{中间}",
                ["④ 乘 W₁", "⑤ ReLU"],
                numbered(W_1.shape[1]),
                [hidden, np.maximum(0, hidden)],
                stacked=True,
            ),
            "fed": table(
                "fed", r"\text{前馈}", ["⑥ 乘 W₂", "⑦ 再加 ①"], columns, [fed, added + fed], stacked=True
            ),
            "exact": texts(layer_norm([e.X[ROW] + attended])[0]),
            "sizes": SIZES,
            "parameters": [_parameters(*size) for size in SIZES],
        }
        | parts
        | _temperatures(e.tokens)
    )


def _norm(x, attended, columns):
    """残差和层归一化：和，平均，减去平均，方差，标准差，归一化（两位小数）。"""
    given = on_paper([x, attended])
    added = given.sum(axis=0)
    mean = on_paper(added.mean())
    centred = added - mean
    variance = on_paper((centred**2).mean())
    deviation = on_paper(variance**0.5)
    normed = on_paper(centred / deviation, PENCIL)
    parts = {
        "given": table("given", r"\text{给出的两行}", ["X", "几个头"], columns, given, stacked=True),
        "normed": table(
            "normed",
            r"\text{残差、归一化}",
            ["① 相加", "② 减平均", "③ 除以标准差"],
            columns,
            [added, centred, normed],
            stacked=True,
        ),
        "moments": texts([mean, variance, deviation]),
    }
    return added, normed, parts


def _parameters(d_model, d_ff):
    """四个投影矩阵，前馈的两个矩阵，一共。"""
    four, both = matrix_parameters(d_model, d_model, 0), matrix_parameters(d_model, d_model, d_ff)
    return [str(four), str(both - four), str(both)]


def _temperatures(tokens):
    """三个候选的字，两个温度；再用另一个温度问一遍。"""
    logits = np.array(LOGITS)
    scaled = np.array([logits / T for T in TEMPERATURES])
    powers, sums, weights = softmax_by_pencil(scaled)
    names = [f"T = {text(T)}" for T in TEMPERATURES]
    return {
        "logits": list(zip(tokens, texts(logits), strict=True)),
        "exponentials": exponentials(scaled),
        "exp": table("exp", r"e^{s/T}", names, tokens, powers, PLACES, totals=sums),
        "probabilities": table(
            "probabilities", r"\text{概率}", names, tokens, weights, PENCIL, totals=weights.sum(axis=1)
        ),
        "smooth": SMOOTH,
        "smoothed": texts(softmax_by_pencil(on_paper([logits / SMOOTH]))[-1][0], PENCIL),
    }

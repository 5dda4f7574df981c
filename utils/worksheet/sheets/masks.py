"""第 7 本：遮住不许看的格，再做 softmax。因果、填充各一张表，最后是一行交叉注意力。"""

import numpy as np

from utils.attention import attention, causal_mask, mask_scores, padding_mask, self_attention, softmax
from utils.worksheet.paper import (
    NEARLY_ONE,
    PENCIL,
    exponentials,
    on_paper,
    softmax_by_pencil,
    table,
    text,
    texts,
    with_steps,
)

TITLE = "7 遮住"
MOST_POWERS = 6


def numbers(version):
    """写在纸上的数。"""
    (e, steps), (cat, cat_steps) = with_steps(version.me), with_steps(version.cat)
    masks = causal_mask(e.n), padding_mask(e.n - 1, e.n)
    causal = _masked("", e.tokens, e.tokens, steps.scaled_scores, masks[0])

    X = np.vstack([e.X[:-1], np.zeros(e.d_model)])  # 最后一个换成补的
    scaled_scores = self_attention(X, e.W_Q, e.W_K, e.W_V).scaled_scores
    padding = _masked("padded-", e.tokens[:-1], [*e.tokens[:-1], "补"], scaled_scores[:-1], masks[1][:-1])

    cross = attention(cat_steps.Q[:2], steps.K, steps.V)  # 前两个词元去看，只算第 2 个的一行
    row = cross.scaled_scores[1:]
    crossed = _masked("cross-", cat.tokens[1:2], e.tokens, row, np.ones(row.shape, dtype=bool))

    exact = attention(steps.Q, steps.K, steps.V, masks[0]).output
    return {
        "example": e,
        "exponentials": exponentials(np.vstack([part["scores"] for part in (causal, padding, crossed)])),
        "causal": causal,
        "V": table("V", "V", e.tokens, e.V_columns, steps.V),
        "output": _mixed("output", e, causal, steps.V),
        "python": [(token, texts(row)) for token, row in zip(e.tokens, exact, strict=True)],
        "padding": padding,
        "counts": [str(allowed.sum()) for allowed in (*masks, masks[0] & masks[1])],
        "queries": cat.tokens[:2],
        "cross": crossed,
        "cross_sizes": [str(size) for size in (*cross.scores.shape, *cross.output.shape)],
        "cross_output": _mixed("cross-output", e, crossed, steps.V),
        "first_score": text(steps.scaled_scores[0, 0]),
        "zeros": texts(softmax(np.where(masks[0], causal["scores"], 0))[0]),
    }


def fits(version, page):
    """换成 0 时第 1 行要与都一样有分别；填充、交叉的第一行里分数不全相等；幂的表放得下。"""
    rows = page["padding"]["scores"][0, :-1], page["cross"]["scores"][0]
    totals = [total for part in ("causal", "padding", "cross") for total in page[part]["weights"].sum(axis=1)]
    return (
        page["first_score"] != "0"
        and all(np.ptp(row) for row in rows)
        and len(page["exponentials"]) <= MOST_POWERS
        and all(abs(total - 1) < NEARLY_ONE for total in totals)
    )


def _masked(id, queries, keys, scaled_scores, allowed):
    """几行分数：写着的，遮住以后的，权重和每行的和。"""
    scores = on_paper(scaled_scores)
    masked = mask_scores(scores, allowed)
    weights = softmax_by_pencil(masked)[-1]
    return {
        "scores": scores,
        "weights": weights,
        "given": table(f"{id}scaled", r"\text{scaled\_scores}", queries, keys, scores),
        "masked": table(f"{id}masked", r"\text{scaled\_scores} + M", queries, keys, masked),
        "result": table(
            f"{id}weights", r"\text{weights}", queries, keys, weights, PENCIL, totals=weights.sum(axis=1)
        ),
    }


def _mixed(id, e, part, V):
    """照写着的权重混合 V 的各行。"""
    output = part["weights"] @ on_paper(V)
    return table(id, r"\text{output}", part["result"]["rows"], e.V_columns, output, PENCIL)

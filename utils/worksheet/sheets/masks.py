"""第 7 本：遮住不许看的格，再做 softmax。因果、填充各一张表，最后是一行交叉注意力。"""

import numpy as np

from utils.attention import attention, causal_mask, mask_scores, padding_mask, self_attention, softmax
from utils.examples import reorder
from utils.worksheet.paper import (
    PENCIL,
    example,
    exponentials,
    on_paper,
    softmax_by_pencil,
    table,
    text,
    texts,
)

TITLE = "7 遮住"


def numbers():
    """写在纸上的数；换了词序，所以与课上的不同。"""
    e, _ = example("我爱你")
    e = reorder(e, [e.tokens[0], e.tokens[2], e.tokens[1]])
    steps = self_attention(e.X, e.W_Q, e.W_K, e.W_V)
    masks = causal_mask(e.n), padding_mask(e.n - 1, e.n)
    causal = _masked("", e.tokens, e.tokens, steps.scaled_scores, masks[0])

    X = np.vstack([e.X[:-1], np.zeros(e.d_model)])  # 最后一个换成补的
    scaled_scores = self_attention(X, e.W_Q, e.W_K, e.W_V).scaled_scores
    padding = _masked("padded-", e.tokens[:-1], [*e.tokens[:-1], "补"], scaled_scores[:-1], masks[1][:-1])

    cat, cat_steps = example("猫吃鱼")
    cross = attention(cat_steps.Q[:2], steps.K, steps.V)  # “猫”和“吃”去看，只算“吃”的一行
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

"""算：缩放点积注意力的五个步骤，只用 numpy。

    X ─ project ──► Q, K, V
    Q, K ─ attention_scores ─► scores ─ scale_scores ─► scaled_scores ─ softmax ─► weights
    weights, V ─ weighted_sum ─► output

遮住一些键、几个头（第 7、8 本）用的还是这五步：

    causal_mask、padding_mask ─► allowed；Q, K, V, allowed ─ attention ─► 同样的中间结果
    Q, K, V ─ split_heads ─► 每个头各做 attention ─ join_heads ─► joined ─ × W_O ─► output

约定：一行是一个词元，所以投影写成 ``X @ W``；``scores`` 和 ``weights`` 里，行是查询（谁在看），
列是键（看向谁）。每个函数收二维数组（或嵌套列表），返回新的 float64 数组，不改动参数。
不合规则的输入一律抛出 ``ValueError``，消息里有：规则、应有的形状和收到的形状、怎么改。
每个数的绝对值不超过 1e100，所以任何一步都不会溢出。参数怎样检查，见 checks.py。

来源：Vaswani 等，《Attention Is All You Need》，2017，3.2.1 节，式 (1)：
``Attention(Q, K, V) = softmax(QKᵀ / √d_k) V``。
"""

from typing import NamedTuple

import numpy as np

from utils.checks import WIDEST, as_arrays, as_divisor, as_integer, as_positive


class AttentionSteps(NamedTuple):
    """一次注意力的全部中间结果；字段的顺序就是课程的顺序。自注意力里 n_q = n_k = n。

    Q, K : (n_q, d_k)、(n_k, d_k)   查询、键
    V : (n_k, d_v)                  值
    scores : (n_q, n_k)             注意力分数，QKᵀ，缩放之前
    scaled_scores : (n_q, n_k)      缩放后的分数，scores / √d_k；遮住的键是 −∞
    weights : (n_q, n_k)            注意力权重，0 到 1，每一行加起来等于 1
    output : (n_q, d_v)             输出，一行一个查询
    """

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    scores: np.ndarray
    scaled_scores: np.ndarray
    weights: np.ndarray
    output: np.ndarray


def project(X, W):
    """第 1 步，投影：每个词元的表示乘同一个投影矩阵，``X @ W``。

    X : (n, d_model)；W : (d_model, d)。返回 (n, d)：W_Q、W_K、W_V 分别给出 Q、K、V。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，或者 X 的列数 ≠ W 的行数。
    """
    X, W = as_arrays("(n, d_model), (d_model, d)", X=X, W=W)
    return X @ W


def attention_scores(Q, K):
    """第 2 步，打分：第 i 行第 j 列是查询 i 与键 j 的点积，``Q @ K.T``。

    Q : (n_q, d_k)；K : (n_k, d_k)。返回 (n_q, n_k)，还没有缩放。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，或者 Q 与 K 的列数不同。
    """
    Q, K = as_arrays("(n_q, d_k), (n_k, d_k)", Q=Q, K=K)
    return Q @ K.T


def scale_scores(scores, d_k):
    """第 3 步，缩放：每个分数除以 √d_k。

    scores : (n_q, n_k)，可以含 −∞（被遮住的键）；d_k : 正数，查询和键的宽度（Q 的列数）。
    返回 (n_q, n_k)。
    ValueError：scores 不是二维数值矩阵、为空、含 NaN 或 +∞，或者 d_k 不是正数。

    为什么是 √d_k：各分量独立、均值 0、方差 1 时，点积的方差等于 d_k（论文 3.2.1 节，脚注 4）。
    """
    scores = as_arrays("(n_q, n_k)", scores=scores, masked="any")
    d_k = as_positive("d_k", d_k, "用 Q.shape[1]，不是整个 Q.shape，也不是已经开过方的 √d_k")
    return scores / np.sqrt(d_k)


def softmax(scaled_scores):
    """第 4 步，softmax：把每一行变成加起来等于 1 的注意力权重。

    scaled_scores : (n_q, n_k)；−∞ 表示被遮住的键，它的权重是 0。返回 (n_q, n_k)，每个数在 0 到 1 之间。
    ValueError：不是二维数值矩阵、为空、含 NaN 或 +∞，或者某一行的键全被遮住。

    先减去每一行的最大值：比值不变，而 exp 不会再溢出。
    """
    scaled_scores = as_arrays("(n_q, n_k)", scaled_scores=scaled_scores, masked="some")
    exponentials = np.exp(scaled_scores - scaled_scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def weighted_sum(weights, V):
    """第 5 步，加权求和：每个输出是各个值按权重混合，``weights @ V``。

    weights : (n_q, n_k)；V : (n_k, d_v)。返回 (n_q, d_v)。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，或者 weights 的列数 ≠ V 的行数。
    """
    weights, V = as_arrays("(n_q, n_k), (n_k, d_v)", weights=weights, V=V)
    return weights @ V


def self_attention(X, W_Q, W_K, W_V):
    """五步合在一起：同一个 X 投影三次，再打分、缩放、softmax、加权求和（论文式 (1)）。

    X : (n, d_model)；W_Q, W_K : (d_model, d_k)；W_V : (d_model, d_v)。
    返回 ``AttentionSteps``；最后的输出是 ``.output``，形状 (n, d_v)。
    ValueError：同各步。
    """
    Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)
    scores = attention_scores(Q, K)
    scaled_scores = scale_scores(scores, d_k=Q.shape[1])
    weights = softmax(scaled_scores)
    return AttentionSteps(Q, K, V, scores, scaled_scores, weights, output=weighted_sum(weights, V))


# ── 遮住一些键（第 7 本）──────────────────────────────────────────────────


def causal_mask(n):
    """因果遮罩：第 i 个词元只能看前 i 个，不能看后面的。

    n : 词元的个数。返回 (n, n) 的布尔矩阵 allowed，True 是可以看：对角线和左下是 True。
    ValueError：n 不是正整数。来源：论文 3.2.3 节，解码器的自注意力。
    """
    n = as_integer("n", n, 1, WIDEST, 3)
    return np.tri(n, dtype=bool)


def padding_mask(length, n):
    """填充遮罩：一句话只有前 length 个是词元，后面是补齐用的，谁也不看它们。

    length : 这句话真正的长度；n : 补齐以后的长度。返回 (n, n) 的布尔矩阵 allowed，前 length 列是 True。
    ValueError：n 不是正整数，length 不在 1 到 n 之间。
    """
    n = as_integer("n", n, 1, WIDEST, 3)
    length = as_integer("length", length, 1, n, n)
    return np.tile(np.arange(n) < length, (n, 1))


def mask_scores(scaled_scores, allowed):
    """遮住：不许看的键，分数换成 −∞，softmax 以后权重正好是 0。

    scaled_scores : (n_q, n_k)；allowed : (n_q, n_k) 的布尔矩阵，True 是可以看。返回 (n_q, n_k)。
    ValueError：形状不同，allowed 不是 True 和 False，或者 scaled_scores 含 NaN 或 +∞。
    """
    scaled_scores, allowed = as_arrays(
        "(n_q, n_k), bool (n_q, n_k)", scaled_scores=scaled_scores, allowed=allowed, masked="any"
    )
    return np.where(allowed, scaled_scores, -np.inf)


def attention(Q, K, V, allowed=None):
    """第 2 到第 5 步：softmax(QKᵀ / √d_k + M) V，不许看的格 M 是 −∞，其余是 0（论文式 (1)、3.2.3 节）。

    Q : (n_q, d_k)；K : (n_k, d_k)；V : (n_k, d_v)；查询可以来自另一句话，n_q 与 n_k 不必相同。
    allowed : (n_q, n_k) 的布尔矩阵，True 是可以看；不给就都可以看。返回 ``AttentionSteps``。
    ValueError：同各步；或者某一行的键全被遮住。
    """
    Q, K, V = as_arrays("(n_q, d_k), (n_k, d_k), (n_k, d_v)", Q=Q, K=K, V=V)
    scores = attention_scores(Q, K)
    scaled_scores = scale_scores(scores, d_k=Q.shape[1])
    if allowed is not None:
        scaled_scores = mask_scores(scaled_scores, allowed)
    weights = softmax(scaled_scores)
    return AttentionSteps(Q, K, V, scores, scaled_scores, weights, output=weighted_sum(weights, V))


# ── 几个头（第 8 本）──────────────────────────────────────────────────────


class MultiHeadSteps(NamedTuple):
    """多头注意力的中间结果。

    heads : 每个头一份 AttentionSteps
    joined : (n, heads · d_v)       各头的输出并排接在一起
    output : (n, d_model)           joined @ W_O
    """

    heads: tuple[AttentionSteps, ...]
    joined: np.ndarray
    output: np.ndarray


def split_heads(M, heads):
    """切开：把 Q、K 或 V 的列平均分给几个头，第 1 个头拿最左边的几列。

    M : (n, heads · d)；heads : 头数。返回 (heads, n, d)：[h] 是第 h + 1 个头的 n 行。
    ValueError：M 不是二维数值矩阵，或者 heads 不能整除它的列数。来源：论文 3.2.2 节。
    """
    M, heads = as_arrays("(n, d)", M=M), as_divisor("heads", heads, np.shape(M)[-1], "M 的列数")
    return M.reshape(len(M), heads, -1).transpose(1, 0, 2)


def join_heads(M):
    """接上：`split_heads` 反过来，各头的列并排放回一行。

    M : (heads, n, d)。返回 (n, heads · d)。ValueError：M 不是三维数值数组。
    """
    M = as_arrays("(heads, n, d)", M=M)
    return M.transpose(1, 0, 2).reshape(M.shape[1], -1)


def multi_head_attention(X, W_Q, W_K, W_V, W_O, heads, allowed=None):
    """多头：投影一次，切成几个头，每个头各做一次 attention，接上，再乘 W_O（论文 3.2.2 节）。

    X : (n, d_model)；W_Q, W_K : (d_model, heads · d_k)；W_V : (d_model, heads · d_v)；
    W_O : (heads · d_v, d_model)；heads : 头数；allowed : (n, n)，各头共用。返回 ``MultiHeadSteps``。
    ValueError：同各步。
    """
    Q, K, V = [split_heads(project(X, W), heads) for W in (W_Q, W_K, W_V)]
    each = tuple(attention(Q[h], K[h], V[h], allowed) for h in range(heads))
    joined = join_heads(np.stack([steps.output for steps in each]))
    return MultiHeadSteps(each, joined, output=project(joined, W_O))

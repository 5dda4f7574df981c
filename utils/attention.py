"""算：缩放点积注意力的五个步骤，只用 numpy。

    X ─ project ──► Q, K, V
    Q, K ─ attention_scores ─► scores ─ scale_scores ─► scaled_scores ─ softmax ─► weights
    weights, V ─ weighted_sum ─► output

约定：一行是一个词元，所以投影写成 ``X @ W``；``scores`` 和 ``weights`` 里，行是查询（谁在看），
列是键（看向谁）。每个函数收二维数组（或嵌套列表），返回新的 float64 数组，不改动参数。
不合规则的输入一律抛出 ``ValueError``，消息里有：规则、应有的形状和收到的形状、怎么改。
每个数的绝对值不超过 1e100，所以任何一步都不会溢出。参数怎样检查，见 checks.py。

来源：Vaswani 等，《Attention Is All You Need》，2017，3.2.1 节，式 (1)：
``Attention(Q, K, V) = softmax(QKᵀ / √d_k) V``。
"""

from typing import NamedTuple

import numpy as np

from utils.checks import as_arrays, as_positive


class AttentionSteps(NamedTuple):
    """一次自注意力的全部中间结果；字段的顺序就是课程的顺序。

    Q, K : (n, d_k)              查询、键
    V : (n, d_v)                 值
    scores : (n, n)              注意力分数，QKᵀ，缩放之前
    scaled_scores : (n, n)       缩放后的分数，scores / √d_k
    weights : (n, n)             注意力权重，0 到 1，每一行加起来等于 1
    output : (n, d_v)            输出，一行一个词元
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

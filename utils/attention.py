"""算：缩放点积注意力的五个步骤，只用 numpy。

    X ─ project ──► Q, K, V
    Q, K ─ attention_scores ─► scores ─ scale_scores ─► scaled_scores ─ softmax ─► weights
    weights, V ─ weighted_sum ─► output

约定：一行是一个词元，所以投影写成 ``X @ W``；``scores`` 和 ``weights`` 里，行是查询（谁在看），
列是键（看向谁）。每个函数收二维数组（或嵌套列表），返回新的 float64 数组，不改动参数。
不合规则的输入一律抛出 ``ValueError``，消息里有：规则、应有的形状和收到的形状、怎么改。
每个数的绝对值不超过 1e100，所以任何一步都不会溢出。

来源：Vaswani 等，《Attention Is All You Need》，2017，3.2.1 节，式 (1)：
``Attention(Q, K, V) = softmax(QKᵀ / √d_k) V``。
"""

from typing import NamedTuple

import numpy as np

LARGEST = 1e100  # 两个这样的数相乘、再加上很多项，仍远在 float64 的范围（约 1e308）之内


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
    X = _matrix("X", X, "(n, d_model)")
    W = _matrix("W", W, "(d_model, d)")
    if X.shape[1] != W.shape[0]:
        raise ValueError(
            "投影 X @ W 做不了：X 的列数必须等于 W 的行数（都是 d_model）。\n"
            f"收到：X {X.shape}，W {W.shape}。\n"
            f"怎么办：W 应有 {X.shape[1]} 行；看看 X 和 W 是不是写反了，W 是不是转置了，或者属于另一个例句。"
        )
    return X @ W


def attention_scores(Q, K):
    """第 2 步，打分：第 i 行第 j 列是查询 i 与键 j 的点积，``Q @ K.T``。

    Q : (n_q, d_k)；K : (n_k, d_k)。返回 (n_q, n_k)，还没有缩放。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，或者 Q 与 K 的列数不同。
    """
    Q = _matrix("Q", Q, "(n_q, d_k)")
    K = _matrix("K", K, "(n_k, d_k)")
    if Q.shape[1] != K.shape[1]:
        raise ValueError(
            "打分 Q @ K.T 做不了：Q 与 K 的列数必须相同（都是 d_k），一个查询才能和一个键做点积。\n"
            f"收到：Q {Q.shape}，K {K.shape}。\n"
            "怎么办：直接传 K，不用先转置（转置在函数里做）；再看看 W_Q 和 W_K 的列数是否一样。"
        )
    return Q @ K.T


def scale_scores(scores, d_k):
    """第 3 步，缩放：每个分数除以 √d_k。

    scores : (n_q, n_k)，可以含 −∞（被遮住的键）；d_k : 正数，查询和键的宽度（Q 的列数）。
    返回 (n_q, n_k)。
    ValueError：scores 不是二维数值矩阵、为空、含 NaN 或 +∞，或者 d_k 不是正数。

    为什么是 √d_k：各分量独立、均值 0、方差 1 时，点积的方差等于 d_k（论文 3.2.1 节，脚注 4）。
    """
    scores = _matrix("scores", scores, "(n_q, n_k)", masked=True)
    if not is_positive_number(d_k):
        raise ValueError(
            "缩放做不了：d_k 必须是一个正数，即查询和键的宽度。\n"
            f"收到：scores {scores.shape}，d_k = {shown(d_k)}。\n"
            "怎么办：用 Q.shape[1]，不是整个 Q.shape，也不是已经开过方的 √d_k。"
        )
    return scores / np.sqrt(float(d_k))


def softmax(scaled_scores):
    """第 4 步，softmax：把每一行变成加起来等于 1 的注意力权重。

    scaled_scores : (n_q, n_k)；−∞ 表示被遮住的键，它的权重是 0。返回 (n_q, n_k)，每个数在 0 到 1 之间。
    ValueError：不是二维数值矩阵、为空、含 NaN 或 +∞，或者某一行的键全被遮住。

    先减去每一行的最大值：比值不变，而 exp 不会再溢出。
    """
    scaled_scores = _matrix("scaled_scores", scaled_scores, "(n_q, n_k)", masked=True)
    masked_rows = np.flatnonzero(np.isneginf(scaled_scores).all(axis=1))
    if masked_rows.size:
        raise ValueError(
            "softmax 做不了：每一行至少要有一个没被遮住的键，否则没有权重可分。\n"
            f"收到：scaled_scores {scaled_scores.shape}，第 {masked_rows[0] + 1} 行全是 −∞；"
            f"应有形状 (n_q, n_k)，每行至少一个有限的数。\n"
            "怎么办：检查遮罩；每个词元至少应能看到自己。"
        )
    exponentials = np.exp(scaled_scores - scaled_scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def weighted_sum(weights, V):
    """第 5 步，加权求和：每个输出是各个值按权重混合，``weights @ V``。

    weights : (n_q, n_k)；V : (n_k, d_v)。返回 (n_q, d_v)。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，或者 weights 的列数 ≠ V 的行数。
    """
    weights = _matrix("weights", weights, "(n_q, n_k)")
    V = _matrix("V", V, "(n_k, d_v)")
    if weights.shape[1] != V.shape[0]:
        raise ValueError(
            "加权求和 weights @ V 做不了：weights 的列数必须等于 V 的行数（都是 n_k，一个键配一个值）。\n"
            f"收到：weights {weights.shape}，V {V.shape}。\n"
            f"怎么办：V 应有 {weights.shape[1]} 行；看看 V 是不是转置了，或者 weights 和 V 来自不同的句子。"
        )
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


def _matrix(name, value, expected, *, masked=False):
    """把 value 变成二维 float64 数组，或说明它为什么不行；masked 允许 −∞。"""
    array = real_array(value)
    if array is None:
        raise ValueError(
            f"{name} 必须是由实数组成的矩阵，形状 {expected}。\n"
            f"收到：{_describe(value)}。\n"
            f"怎么办：{_way_to_numbers(name, value, masked)}。"
        )
    if array.size == 0:
        raise ValueError(
            f"{name} 不能是空的，形状 {expected} 里每个数至少是 1。\n"
            f"收到：形状 {array.shape}。\n"
            "怎么办：至少写一行，每行至少一个数。"
        )
    if array.ndim < 2:
        raise ValueError(
            f"{name} 必须是二维矩阵，形状 {expected}。\n"
            f"收到：{array.ndim} 维，形状 {array.shape}。\n"
            f"怎么办：这是一行就写 np.reshape({name}, (1, -1))，是一列就写 np.reshape({name}, (-1, 1))。"
        )
    if array.ndim > 2:
        raise ValueError(
            f"{name} 必须是二维矩阵，形状 {expected}。\n"
            f"收到：{array.ndim} 维，形状 {array.shape}。\n"
            f"怎么办：一次算一句话，从中取出一句，如 {name}{'[0]' * (array.ndim - 2)}。"
        )
    bad = ~((np.abs(array) <= LARGEST) | (np.isneginf(array) & masked))
    if bad.any():
        row, col = np.argwhere(bad)[0]
        raise ValueError(
            f"{name} 里不能有 NaN 或{'正' if masked else ''}无穷，"
            f"也不能有绝对值超过 {LARGEST:g} 的数，形状 {expected}。\n"
            f"收到：形状 {array.shape}，第 {row + 1} 行第 {col + 1} 列是 {array[row, col]}。\n"
            f"怎么办：从这一格往回查，看它是哪一步算出来的{'；要遮住一个键就写 -np.inf' if masked else ''}。"
        )
    return array


def real_array(value):
    """value 里的实数，一个新的 float64 数组；不是由实数组成时返回 None。"""
    if hides_numbers(value):
        return None
    try:
        array = np.asarray(value)
    except Exception:  # 长短不一的列表、要求梯度的 torch 张量、别人写的 __array__：什么错误都可能有
        return None
    if array.dtype.kind not in "biuf":
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # 放不进 float64 的 longdouble 成为 inf
        return array.astype(np.float64)


def hides_numbers(value, depth=3):
    """np.ma 是不是遮住了 value 里的数，也看列表里面：asarray 会悄悄丢掉遮罩，或把遮住的数换成 NaN。"""
    if isinstance(value, list | tuple):
        return depth > 0 and any(hides_numbers(item, depth - 1) for item in value)
    return isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value)


def is_positive_number(value):
    """value 是不是一个正实数，且不大于 LARGEST（布尔值、数组、字符串都不算）。"""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return 0 < float(value) <= LARGEST
    except OverflowError:  # 比 float64 还大的整数
        return False


def shown(value):
    """报错里的 value：太长就只写开头；连 repr 也写不出的（如几千位的整数）只写类型。"""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 200 else f"{text[:200]}…"


def _describe(value):
    """收到的是什么：类型，再加上形状和元素类型，或者列表每一行的长度。"""
    kind = type(value).__name__
    if isinstance(getattr(value, "shape", None), tuple):
        dtype = getattr(value, "dtype", None)
        return f"{kind}，形状 {tuple(value.shape)}" + (f"，元素类型 {dtype}" if dtype is not None else "")
    if isinstance(value, list | tuple):
        lengths = sorted({len(row) if hasattr(row, "__len__") else 1 for row in value})
        return f"{kind}，{len(value)} 行，每行 {' 或 '.join(map(str, lengths))} 个"
    return kind


def _way_to_numbers(name, value, masked):
    """value 怎样变成实数矩阵。"""
    if hasattr(value, "detach"):
        return f"torch 张量先写 {name}.detach().double().numpy()"
    if hides_numbers(value):
        return f"遮住的格先填上数，写 {name}.filled({'-np.inf' if masked else '0'})"
    if hasattr(value, "astype"):
        return f"里面都是实数时写 {name}.astype(float)；文字、None、复数要先换成实数"
    return "每一行写一样多的实数，如 [[1, 0], [0, 1]]；文字、None、复数要先换成实数"

"""合起来的函数里，错的是哪一步：把一步换成它常见的错误，其余各步照旧，看结果相不相同。

一步的错误有四种来历：那一步的练习里有名字的；多做了一步（extra_steps）；
比的不是点积、除以的和不是 exp 的和（下面两张表）；除数不是 √d_k（由结果倒着求出来）。
"""

import inspect
import re
from functools import cache

import numpy as np

from utils.exercises.extra_steps import SAME_SHAPE
from utils.exercises.loops import loop_slips
from utils.exercises.records import Mistake

_NAMES = {
    "project": "投影",
    "attention_scores": "打分",
    "scale_scores": "缩放",
    "softmax": " softmax ",
    "weighted_sum": "加权求和",
}


def _pairs(measure):
    """打分的另一种：每一对查询和键各量一次。"""
    return lambda Q, K: np.array([[measure(q, k) for k in K] for q in Q])


_length = np.linalg.norm
_SIMILARITIES = {
    "key_length": (lambda q, k: q @ k / _length(k), "点积除以了键的长度"),
    "query_length": (lambda q, k: q @ k / _length(q), "点积除以了查询的长度"),
    "minus_distance": (lambda q, k: -_length(q - k), "负的距离"),
    "square_distance": (lambda q, k: _length(q - k) ** 2, "距离的平方"),
    "minus_square_distance": (lambda q, k: -(_length(q - k) ** 2), "负的距离平方"),
    "minus_half_square": (lambda q, k: -(_length(q - k) ** 2) / 2, "负的距离平方的一半"),
    "inverse_distance": (lambda q, k: 1 / (1 + _length(q - k)), "1 除以（1 加距离）"),
    "gaussian": (lambda q, k: np.exp(-(_length(q - k) ** 2)), "exp(−距离的平方)"),
    "city_block": (lambda q, k: np.abs(q - k).sum(), "各分量之差的绝对值之和"),
    "minus_city_block": (lambda q, k: -np.abs(q - k).sum(), "各分量之差的绝对值之和，取了负号"),
    "correlation": (lambda q, k: np.corrcoef(q, k)[0, 1], "相关系数：先减去了各自的平均"),
    "covariance": (lambda q, k: (q - q.mean()) @ (k - k.mean()), "先减去了各自的平均再求点积"),
    "sum_of_all": (lambda q, k: (q + k).sum(), "两个向量的数全加起来了，没有先相乘"),
    "largest_product": (lambda q, k: (q * k).max(), "最大的一个乘积，没有加起来"),
    "first_product": (lambda q, k: q[0] * k[0], "只乘了第 1 个分量"),
    "last_product": (lambda q, k: q[-1] * k[-1], "只剩最后一个乘积：求和要写 +="),
    "without_last_product": (lambda q, k: q[:-1] @ k[:-1], "漏了最后一个分量"),
    "without_first_product": (lambda q, k: q[1:] @ k[1:], "漏了第 1 个分量：从 0 数起"),
    "mean_product": (lambda q, k: (q * k).mean(), "乘积的平均，不是和"),
    "absolute_products": (lambda q, k: np.abs(q * k).sum(), "乘积都取了绝对值"),
}


def _over(top):
    """先变成 top(s)，再除以这一行的和。"""
    return lambda s: top(s) / top(s).sum(axis=1, keepdims=True)


def _low(s):
    return s - np.where(np.isfinite(s), s, np.inf).min(axis=1, keepdims=True)


def _high(s):
    return np.exp(s - s.max(axis=1, keepdims=True))


_NORMALISATIONS = {
    "absolute_shares": (_over(np.abs), "绝对值除以它们的和，没有取 exp"),
    "square_shares": (_over(np.square), "平方除以它们的和，没有取 exp"),
    "shifted_no_exp": (_over(lambda s: s - s.max(axis=1, keepdims=True)), "减去了最大值，没有取 exp"),
    "powers_over_rows": (lambda s: _high(s) / len(s), "取了 exp，除以的却是行数，不是和"),
    "relu_shares": (_over(lambda s: np.maximum(s, 0)), "负数改成 0，再除以和，没有取 exp"),
    "shifted_shares": (_over(_low), "减去最小值，再除以和，没有取 exp"),
    "sigmoid_shares": (_over(lambda s: 1 / (1 + np.exp(-s))), "sigmoid 除以它们的和，不是 exp"),
    "root_shares": (_over(lambda s: np.sqrt(_high(s))), "exp 以后又开了平方，或者分数先除以了 2（温度是 2）"),
    "squared_powers": (_over(lambda s: _high(s) ** 2), "exp 以后又平方了，或者分数先乘了 2（温度是 1/2）"),
    "base_ten": (_over(lambda s: _high(s * np.log(10))), "底数用了 10，不是 e"),
    "one_plus": (lambda s: _high(s) / (1 + _high(s).sum(axis=1, keepdims=True)), "分母里多加了 1"),
    "min_max": (lambda s: _low(s) / _low(s).max(axis=1, keepdims=True), "最小的变 0、最大的变 1，没有取 exp"),
    "over_length": (lambda s: s / _length(s, axis=1, keepdims=True), "除以了这一行的长度，没有取 exp"),
    "powers_over_length": (
        lambda s: _high(s) / _length(_high(s), axis=1, keepdims=True),
        "取了 exp，除以的却是长度，不是和",
    ),
    "powers_over_mean": (
        lambda s: _high(s) / _high(s).mean(axis=1, keepdims=True),
        "取了 exp，除以的却是平均，不是和",
    ),
    "standard_scores": (
        lambda s: (s - s.mean(axis=1, keepdims=True)) / s.std(axis=1, keepdims=True),
        "减去平均、除以标准差，没有取 exp",
    ),
    "uniform": (lambda s: np.full(s.shape, 1 / s.shape[1]), "每个键都一样多，没有看分数"),
}
_OTHER = {
    "attention_scores": [
        Mistake(
            "other_similarity", _pairs(measure), f"比的不是点积，是{words}。点积是对应的数相乘，再加起来。"
        )
        for measure, words in _SIMILARITIES.values()
    ]
    + [
        Mistake("same_index_twice", make, f"第 i 行第 j 列用的是{words}：应是第 i 个查询与第 j 个键。")
        for make, words in (
            (lambda Q, K: np.outer((Q * K[: len(Q)]).sum(1), np.ones(len(K))), "第 i 个查询与第 i 个键"),
            (lambda Q, K: np.outer(np.ones(len(Q)), (Q[: len(K)] * K).sum(1)), "第 j 个查询与第 j 个键"),
        )
    ],
    "softmax": [
        Mistake("other_normalisation", make, f"这不是 softmax：{words}。先取 exp，再除以这一行的和。")
        for make, words in _NORMALISATIONS.values()
    ]
    + [
        Mistake(
            "other_shift",
            _over(lambda s, shift=shift: np.exp(s - shift(s))),
            f"减去的是{words}：分数差得很远时会溢出，或者有 −∞ 时成了非数。减这一行的最大值。",
        )
        for shift, words in (
            (lambda s: s.min(axis=1, keepdims=True), "最小值"),
            (lambda s: s.mean(axis=1, keepdims=True), "平均"),
            (lambda s: np.abs(s).max(axis=1, keepdims=True), "绝对值的最大值"),
            (lambda s: s[:, :1], "这一行的第 1 个数"),
        )
    ],
    "weighted_sum": [
        Mistake("without_last_key", lambda w, V: w[:, :-1] @ V[:-1], "漏了最后一个键：循环少了一轮？"),
        Mistake("without_first_key", lambda w, V: w[:, 1:] @ V[1:], "漏了第 1 个键：从 0 数起。"),
        Mistake("last_key_only", lambda w, V: w[:, -1:] @ V[-1:], "只剩最后一个键：每一轮都盖掉了前一轮。"),
        Mistake(
            "lower_weights",
            lambda w, V: np.tril(w) @ V,
            "只加到第 i 个键：里层循环要走完每一个键，这里不遮住什么。",
        ),
        Mistake(
            "own_value",
            lambda w, V: w.sum(axis=1, keepdims=True) * V[: len(w)],
            "第 i 行乘的总是 V 的第 i 行：第 j 个权重要乘 V 的第 j 行。",
        ),
        Mistake("times_keys", lambda w, V: w @ V * len(V), "多乘了 n_k：权重加起来已经是 1。"),
        Mistake("first_key_only", lambda w, V: w[:, :1] @ V[:1], "只加了第 1 个键：return 缩进得太深？"),
    ],
    "project": [
        Mistake("without_last_term", lambda X, W: X[:, :-1] @ W[:-1], "每个点积漏了最后一项：循环少了一轮？"),
        Mistake("without_first_term", lambda X, W: X[:, 1:] @ W[1:], "每个点积漏了第 1 项：从 0 数起。"),
        Mistake("last_term_only", lambda X, W: X[:, -1:] @ W[-1:], "每个点积只剩最后一项：求和要写 +=。"),
        Mistake(
            "terms_like_columns",
            lambda X, W: X[:, range(W.shape[1])] @ W[range(W.shape[1])],
            "点积的项数跟着了 W 的列数：最里层的循环要走完 X 的每一列。",
        ),
        Mistake("first_term_only", lambda X, W: X[:, :1] @ W[:1], "每个点积只有第 1 项：return 缩进得太深？"),
    ],
}


@cache
def _steps():
    """{编号: 那一步的练习}。"""
    from utils.exercises.sets import load_exercises  # 题目要用这个包里的记录，所以用到时才读

    return {exercise.id: exercise for exercise in load_exercises() if exercise.id in _NAMES}


def parts(exercise):
    """{步骤的编号: f -> 只把这一步换成 f 的函数}；一步的练习只有它自己。"""
    if exercise.whole:
        names = inspect.signature(exercise.whole).parameters
        return {name: lambda f, name=name: exercise.whole(**{name: f}) for name in names}
    return {exercise.id: lambda f: f} if exercise.id in _NAMES else {}


def step_mistakes(exercise):
    """exercise 里一步一步的错误，[Mistake]；answer 是整个函数，消息说出是哪一步。"""
    found = []
    for name, put in parts(exercise).items():
        step = _steps()[name]
        known = [*_OTHER.get(name, ()), *loop_slips(step)]
        start = ""
        if exercise.whole:
            start = f"错在{_NAMES[name]}这一步："
            changes = SAME_SHAPE if name != "weighted_sum" else []  # 它后面多做的一步，就是整个后面的
            after = [(n, _after(step.reference, change), words) for n, change, words in changes]
            known = [*step.mistakes, *step.also, *known, *(Mistake(*each) for each in after)]
        found += [Mistake(m.name, put(m.answer), start + _without_numbers(m.message)) for m in known]
    return found


def _after(right, change):
    return lambda *arguments: change(right(*arguments))


def _without_numbers(message):
    """去掉带花括号的分句：那些数说的是一步的结果，不是整个函数的。它后面的分句，只留“是不是……”。"""
    kept = []
    for sentence in re.findall(r"[^。？]+[。？]?", message):
        clauses = re.findall(r"[^，：；]+[，：；]?", sentence)
        first = next((i for i, clause in enumerate(clauses) if "{" in clause), len(clauses))
        clauses = clauses[:first] + [c for c in clauses[first + 1 :] if c.startswith("是不是")]
        if clauses:
            kept.append("".join(clauses).rstrip("，：；"))
            kept.append("" if kept[-1][-1] in "。？" else "。")
    return "".join(kept)

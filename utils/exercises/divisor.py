"""除数不是 √d_k：由结果倒着求出它到底是多少。"""

from typing import NamedTuple

import numpy as np

from utils.exercises.whole import parts
from utils.numbers import write

_GRID = np.exp2(np.arange(-5, 24, 0.4))
_GOLDEN = (5**0.5 - 1) / 2


class _Found(NamedTuple):
    d_k: int
    divisor: float


def wrong_divisor(exercise, outcomes, inputs, same):
    """(名字, 一句话)：只有缩放错了，除以的是多少；不是这样时是 None。same : 比较两个结果。"""
    put = parts(exercise).get("scale_scores")
    if put is None or any(not isinstance(outcome, np.ndarray) for outcome in outcomes):
        return None
    found = []
    for outcome, arguments in zip(outcomes, inputs, strict=True):
        if not np.isfinite(outcome).all():  # 除以 0，或者溢出了：看不出除以多少
            continue
        one = _solve(put, outcome, arguments, same)
        if one is None:
            return None
        if one.divisor:
            found.append(one)
    if not found:
        return None
    if all(np.isclose(one.divisor, one.d_k**0.5, rtol=1e-3) for one in found):  # 除得对，错在别处
        return None
    each = {one.d_k: one.divisor for one in found}
    values = list(each.values())
    if len(each) > 1 and np.allclose(values, values[0], rtol=1e-3):
        return "hard_coded", f"不管 d_k 是多少，都除以了 {write(values[0])}：是不是写死了？要除的是 √d_k。"
    said = "，".join(f"d_k = {d_k} 时是 {write(divisor)}" for d_k, divisor in list(each.items())[:2])
    return "wrong_divisor", f"缩放时除的不是 √d_k：相当于除以一个数，{said}。"


def _solve(put, outcome, arguments, same):
    """这组输入里除以了多少；哪个数都不行是 None，哪个数都行（看不出来）时 divisor 是 0。"""
    widths = []

    def result(divisor):
        def scale(scores, d_k):
            widths.append(d_k)
            return scores / divisor

        return put(scale)(*arguments)

    def error(exponent):
        try:
            gap = np.abs(result(np.exp2(exponent)) - outcome)
        except Exception:
            return np.inf
        return float(gap.max()) if np.isfinite(gap).all() else np.inf

    exponents = np.log2(_GRID)
    errors = [error(exponent) for exponent in exponents]
    for index in np.argsort(errors)[:2]:
        divisor = float(np.exp2(_smallest(error, exponents[index] - 0.45, exponents[index] + 0.45)))
        if np.isfinite(errors[index]) and same(outcome, result(divisor)):
            unseen = same(outcome, result(divisor * 1.5))
            return _Found(int(widths[-1]), 0.0 if unseen else divisor)
    return None


def _smallest(error, low, high):
    """黄金分割：[low, high] 里 error 最小的地方。"""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = error(left), error(right)
    for _ in range(36):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = error(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = error(right)
    return (low + high) / 2

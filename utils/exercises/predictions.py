"""比较预测：学习者先猜，再与算出来的比一比。"""

import numpy as np

from utils.exercises.answers import number
from utils.exercises.records import Text

TOLERANCE = 0.0051  # 猜到两位小数就算对


def predict(guess, truth):
    """拿 guess 与 truth 比一比，返回 Text；从不抛出异常。

    guess : 学习者猜的。None 或 ... 表示还没写；这时不显示结果
    truth : 算出来的：数、数组、形状、文字、真假，或一组不分次序的东西（集合）
    """
    if guess is None or guess is Ellipsis:
        return Text("还没写下预测。先把 None 换成你的猜测，再运行这一格。")
    try:
        right = _equal(guess, truth)
    except Exception:
        right = False
    if right:
        return Text(f"猜对了：{_show(truth)}。")
    return Text(f"猜的是 {_show(guess)}，结果是 {_show(truth)}：差在哪里？")


def _equal(guess, truth):
    if isinstance(truth, set | frozenset):
        return set(guess if isinstance(guess, list | tuple | set | frozenset) else [guess]) == set(truth)
    if isinstance(truth, str) or isinstance(guess, str):
        return str(guess).strip() == str(truth).strip()
    ours, theirs = np.asarray(guess), np.asarray(truth)
    if (ours.dtype.kind == "b") != (theirs.dtype.kind == "b"):
        return False
    ours, theirs = ours.astype(float), theirs.astype(float)
    return ours.shape == theirs.shape and bool(np.allclose(ours, theirs, rtol=0, atol=TOLERANCE))


def _show(value):
    """不同的电脑上写法都一样：集合排好次序，数最多四位小数。"""
    try:
        if isinstance(value, str):
            return f"“{value}”"
        if isinstance(value, bool | np.bool_):
            return "是" if value else "否"
        if isinstance(value, set | frozenset):
            return "{" + "、".join(sorted(map(_show, value))) + "}"
        if isinstance(value, tuple):
            return "(" + ", ".join(map(_show, value)) + ("," if len(value) == 1 else "") + ")"
        if isinstance(value, list) or np.ndim(value) > 0:
            return "[" + ", ".join(map(_show, value)) + "]"
        return number(float(value))
    except Exception:
        return f"一个 {type(value).__name__}"

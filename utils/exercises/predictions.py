"""比较预测：学习者先猜，再与算出来的比一比。"""

from decimal import Decimal
from numbers import Real

import numpy as np

from utils.exercises.answers import MOST, is_blank, number, plain, read_numbers, split
from utils.exercises.records import Text, shorten

TOLERANCE = 0.0051  # 猜到两位小数就算对
_SHOWN = 20  # 再多的项不写出来
_TRUE = ("是", "对", "真", "会", "能", "true", "yes")
_FALSE = ("否", "错", "假", "不是", "不对", "不会", "不能", "false", "no")


def predict(guess, truth):
    """拿 guess 与 truth 比一比，返回 Text；从不抛出异常。

    guess : 学习者猜的，写法与 check 一样宽。None、...、空白的文字或全是它们的列表表示还没写；这时不显示结果
    truth : 算出来的：数、数组、形状、文字、真假，或一组不分次序的东西（集合）
    """
    try:
        if _is_unwritten(guess):
            return Text("还没写下预测。先把 None 换成你的猜测，再运行这一格。")
        right = _equal(_values(guess), _values(truth))
    except Exception:
        right = False
    if right:
        return Text(f"猜对了：{_show(truth)}。")
    return Text(f"猜的是 {_show(guess)}，结果是 {_show(truth)}：差在哪里？")


def _is_unwritten(guess):
    empty = isinstance(guess, list | tuple) and not guess  # 可以猜“一个也没有”
    return not empty and is_blank(guess)


def _values(value):
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _equal(guess, truth):
    if isinstance(truth, set | frozenset):
        return {_key(item) for item in _items(guess)} == {_key(item) for item in truth}
    if isinstance(truth, str):
        return plain(str(guess)) == plain(truth)
    theirs = np.asarray(truth)
    if theirs.dtype.kind == "b":
        ours = np.asarray(_read_bool(guess))
        return ours.dtype.kind == "b" and np.array_equal(ours, theirs)
    if theirs.ndim < 2 and theirs.size <= MOST and theirs.dtype.kind in "iuf":
        ours, theirs = read_numbers(guess), theirs.ravel()
    else:
        ours = np.asarray(guess)
    if ours is None or ours.shape != theirs.shape:
        return False
    if theirs.dtype.kind == "U" and ours.dtype.kind == "U":
        return all(plain(one) == plain(two) for one, two in zip(ours.flat, theirs.flat, strict=True))
    if ours.dtype.kind not in "iuf" or theirs.dtype.kind not in "iuf":  # 复数、字节不与实数比
        return False
    return bool(np.allclose(ours.astype(float), theirs.astype(float), rtol=0, atol=TOLERANCE))


def _read_bool(guess):
    word = plain(guess).lower() if isinstance(guess, str) else None
    return True if word in _TRUE else False if word in _FALSE else guess


def _items(guess):
    if isinstance(guess, str):
        return split(plain(guess))
    return guess if isinstance(guess, list | tuple | set | frozenset | np.ndarray) else [guess]


def _key(item):
    """集合里的一项：写着数的文字当作数，别的文字去掉两头的空白。"""
    numbers = read_numbers(item)
    if numbers is not None:
        return tuple(numbers.tolist())
    return plain(item) if isinstance(item, str) else item


def _show(value, depth=0):
    """不同的电脑上写法都一样：集合排好次序，数最多四位小数；太长的只说有多长。"""
    try:
        value = _values(value)
        if isinstance(value, np.ndarray) and value.size > _SHOWN:
            return f"一个形状 {value.shape} 的数组"
        if isinstance(value, list | tuple | set | frozenset) and (len(value) > _SHOWN or depth > 1):
            return f"一个有 {len(value)} 项的 {type(value).__name__}"
        if isinstance(value, str):
            return f"“{shorten(value)}”"
        if isinstance(value, bool | np.bool_):
            return "是" if value else "否"
        if isinstance(value, set | frozenset):
            return "{" + "、".join(sorted(_show(item, depth + 1) for item in value)) + "}"
        if isinstance(value, tuple):
            items = ", ".join(_show(item, depth + 1) for item in value)
            return "(" + items + ("," if len(value) == 1 else "") + ")"
        if isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim):
            return "[" + ", ".join(_show(item, depth + 1) for item in value) + "]"
        value = value.item() if isinstance(value, np.ndarray) else value
        if isinstance(value, Real | Decimal):
            return number(float(value))
    except Exception:
        pass
    return f"一个 {type(value).__name__}"

"""比较预测：学习者先猜，再与算出来的比一比。"""

import numpy as np

from utils.exercises.answers import as_numpy, is_blank, read_numbers
from utils.exercises.number_text import half_width, separate
from utils.exercises.records import Text
from utils.numbers import write

_TOLERANCE = 0.0051  # 猜到两位小数就算对
_SHOWN, _LONGEST = 20, 40  # 再多的项、再长的文字不写出来
WORDS = dict.fromkeys(["是", "对", "真", "会", "能", "true", "yes"], True)
WORDS |= dict.fromkeys(["否", "错", "假", "不是", "不对", "不会", "不能", "false", "no"], False)


def predict(guess, truth):
    """拿 guess 与 truth 比一比，返回 Text；从不抛出异常。

    guess : 学习者猜的，写法与 check 一样宽。None、...、空白的文字或全是它们的列表表示还没写；这时不显示结果
    truth : 算出来的：数、一列数、矩阵、文字、真假，或一组不分次序的东西（集合）
    """
    try:
        if is_blank(guess) and not (isinstance(guess, list | tuple) and not guess):  # 可以猜“一个也没有”
            return Text("还没写下预测。先把 None 换成你的猜测，再运行这一格。")
        right = _equal(as_numpy(guess), as_numpy(truth))
    except Exception:
        right = False
    if right:
        return Text(f"猜对了：{_show(truth)}。")
    return Text(f"猜的是 {_show(guess)}，结果是 {_show(truth)}：差在哪里？")


def _equal(guess, truth):
    if isinstance(truth, set):
        guess = separate(half_width(guess)) if isinstance(guess, str) else np.atleast_1d(list(guess))
        return {_key(item) for item in guess} == {_key(item) for item in truth}
    if isinstance(truth, str):
        return half_width(str(guess)) == half_width(truth)
    theirs = np.asarray(truth)
    if theirs.dtype.kind == "b":
        guess = WORDS.get(half_width(guess).lower(), guess) if isinstance(guess, str) else guess
        return np.asarray(guess).dtype.kind == "b" and np.array_equal(guess, truth)
    if theirs.dtype.kind == "U":
        return [half_width(item) for item in guess] == [half_width(item) for item in truth]
    ours = read_numbers(guess) if theirs.ndim < 2 else np.asarray(guess, float)
    theirs = theirs.ravel() if theirs.ndim < 2 else theirs
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=0, atol=_TOLERANCE)


def _key(item):
    """集合里的一项：数按数比，文字去掉两头的空白。"""
    numbers = read_numbers(item)
    return half_width(item) if numbers is None else float(numbers[0])


def _show(value):
    """不同的电脑上写法都一样：集合排好次序，数最多四位小数；太长的只说有多长。"""
    try:
        value = as_numpy(value)
        if isinstance(value, np.ndarray | np.generic):
            if value.size > _SHOWN:
                return f"一个形状 {value.shape} 的数组"
            value = value.tolist()
        if isinstance(value, str):
            return f"“{value[:_LONGEST]}{'…' if len(value) > _LONGEST else ''}”"
        if isinstance(value, bool):
            return "是" if value else "否"
        if isinstance(value, list | tuple | set):
            if len(value) > _SHOWN:
                return f"一个有 {len(value)} 项的 {type(value).__name__}"
            items = [_show(item) for item in value]
            if isinstance(value, set):
                return "{" + "、".join(sorted(items)) + "}"
            inside = ", ".join(items)
            return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(items) == 1 else ''})"
        return write(value)
    except Exception:
        return f"一个 {type(value).__name__}"

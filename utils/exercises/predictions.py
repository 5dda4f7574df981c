"""比较预测：学习者先猜，再与算出来的比一比。猜的怎样读，在 guesses.py。"""

import numpy as np

from utils.exercises.answers import as_numpy, is_blank
from utils.exercises.guesses import MEANINGS, UNREADABLE, how_to_write, is_right, meaning
from utils.exercises.records import Text
from utils.numbers import write

_SHOWN, _LONGEST = 20, 40  # 再多的项、再长的文字不写出来


def predict(guess, truth, also=""):
    """拿 guess 与 truth 比一比，返回 Text；从不抛出异常。

    guess : 学习者猜的，写法与 check 一样宽。None、...、空白的文字或全是它们的列表表示还没写；
        没写、读不懂时都不显示结果
    truth : 算出来的：数、一列数、矩阵、文字、真假，或一组不分次序的东西（集合）
    also : 结果也可以这样说，如比是 1 时的 "一样"；它的近义词同样算对
    """
    try:
        if is_blank(guess) and not (isinstance(guess, list | tuple) and not guess):  # 可以猜“一个也没有”
            return Text("还没写下预测。先把 None 换成你的猜测，再运行这一格。")
        said = meaning(guess, MEANINGS) if also else None
        right = said == meaning(also, MEANINGS) if said else is_right(as_numpy(guess), as_numpy(truth))
    except Exception:
        right = False
    if right is UNREADABLE:
        return Text(f"没有读懂 {_show(guess)}：{how_to_write(as_numpy(truth))}，再运行这一格。")
    if right:
        return Text(f"猜对了：{_show(truth)}。")
    return Text(f"猜的是 {_show(guess)}，结果是 {_show(truth)}：差在哪里？")


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

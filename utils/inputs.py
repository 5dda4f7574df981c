"""认：收到的是不是一个整数、一个数、一列名字；文字怎样写出来。别的模块用它检查参数，再用自己的话报错。"""

import numbers
import re

import numpy as np

# 单独的半个字符（把文字从中间切开、或读错编码时出现）：写不进文件，也画不出来
HALF_CHARACTER = re.compile("[\ud800-\udfff]")

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# 改变书写方向的记号：看不见，却会把后面的字也倒过来；阿拉伯文、希伯来文不靠它们也从右往左写
DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text):
    """画得出来的一行文字：换行等控制字符换成空格，方向记号去掉，半个字符换成 �。"""
    return HALF_CHARACTER.sub("\ufffd", DIRECTIONS.sub("", CONTROLS.sub(" ", str(text))))


def is_integer(value, low, high):
    """value 是不是 low 到 high 之间的一个整数（Python 或 numpy 的；True、2.0、张量都不算）。"""
    return (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)  # numpy 的布尔值本来就不是 np.integer
        and low <= value <= high
    )


def is_number(value, low, high):
    """value 是不是 low 到 high 之间的一个实数（Python 或 numpy 的；NaN、True、文字、张量都不算）。"""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return real and bool(low <= value <= high)


def as_list(value):
    """一列有次序的东西成为列表；不是的返回 None。

    字符串（一个字一个）、列表、元组、range、numpy 数组、pandas 的一列都行。集合和字典没有说好的次序，
    生成器只能用一遍，字节串是数，都不算。
    """
    if isinstance(value, str | list | tuple | range):
        return list(value)
    try:
        items = value.tolist()  # numpy、pandas、torch
    except Exception:  # 没有 tolist，或者别人的 tolist 做不了（没有数据的张量等）
        return None
    return items if isinstance(items, list) else None


def as_names(value):
    """一列名字成为一列 str：文字照抄，数写成文字；不是这样的一列返回 None。"""
    names = as_list(value)
    if names is None or not all(isinstance(name, str | numbers.Number) for name in names):
        return None
    return [str(name) for name in names]

"""检查一个数、一列名字、一个字典。"""

import numbers

import numpy as np

from utils.characters import HALF_CHARACTER
from utils.checks.refusal import require, shown

LARGEST = 1e100  # 两个这样的数相乘、再加上很多项，仍远在 float64 的范围（约 1e308）之内
WIDEST = 4096  # 列；再宽，一句话、一层就要占上百兆内存


def is_integer(value, low, high):
    """value 是不是 low 到 high 之间的一个整数（Python 或 numpy 的；True、2.0、张量都不算）。"""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and low <= value <= high  # numpy 的布尔值本来就不是 np.integer


def is_number(value, low, high):
    """value 是不是 low 到 high 之间的一个实数（Python 或 numpy 的；NaN、True、文字、张量都不算）。"""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return real and low <= (value.item() if isinstance(value, np.generic) else value) <= high


def as_integer(name, value, low, high, example):
    """name 必须是 low 到 high 之间的整数；返回 int。"""
    most = f"、不大于 {high}" if high < np.inf else ""
    rule = f"{name} 必须是不小于 {low}{most} 的整数"
    require(is_integer(value, low, high), rule, shown(value), f"写成如 {name}={example}")
    return int(value)


def as_divisor(name, value, whole, what):
    """name 必须是能整除 whole 的正整数，whole 叫 what；返回 int。"""
    value = as_integer(name, value, 1, max(whole, 1), 2)
    fits = "、".join(str(n) for n in range(1, whole + 1) if whole % n == 0)
    rule, received = f"{name} 必须整除 {what}（{whole}）", f"{name} = {value}，{whole} / {value} 不是整数"
    require(whole % value == 0, rule, received, f"用 {fits}")
    return value


def as_positive(name, value, way_out):
    """name 必须是正数，不大于 LARGEST；返回 float。"""
    good = is_number(value, 0, LARGEST) and value > 0
    require(good, f"{name} 必须是一个正数", f"{name} = {shown(value)}", way_out)
    return float(value)


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


def as_names(name, value, count=None, what="", *, filled=False):
    """一列名字成为一列 str：文字照抄，数写成文字。

    count : 应有几个，不给就不管；what : 一个名字对应矩阵的什么，如「行」
    filled : 真时至少要有一个，每个都看得见，没有半个字符
    ValueError：不是一列文字或数，个数不对，或 filled 时有空的。
    """
    names = as_list(value)
    good = names is not None and all(isinstance(item, str | numbers.Number) for item in names)
    names = [str(item) for item in names] if good else []
    if filled:
        good = names and all(map(str.strip, names)) and not HALF_CHARACTER.search("".join(names))
    require(
        good,
        f"{name} 必须是一列{'看得见的' if filled else ''}文字",
        shown(value),
        '写成如 ["猫", "吃", "鱼"] 的列表，或字符串 "猫吃鱼"（一个字一个）',
    )
    require(
        count in (None, len(names)),
        f"{name} 要{f'一{what}一个，共' if what else ''} {count} 个",
        f"{len(names)} 个：{shown('、'.join(names))}",
        "补齐或去掉多出的；也看看矩阵是不是转置了",
    )
    return names


def as_dict(name, value, example):
    """name 必须是不空的字典；返回 {名字写成文字: …}。example 是怎么写的例子。"""
    require(isinstance(value, dict) and value, f"{name} 必须是不空的字典", shown(value), f"写成如 {example}")
    return {str(key): item for key, item in value.items()}

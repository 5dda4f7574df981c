"""笔算的数不对，题目里也没有列出：从数上看得出的原因，对每道笔算题都说得通。不说出答案。"""

import itertools

import numpy as np

from utils.exercises.other_ways import fitting, fitting_item
from utils.exercises.pencil_slips import other_step, shares, terms, wrong_numbers
from utils.exercises.records import Mistake

_FINEST, _CLOSE, _EARLY = 4, 0.025, 0.2  # 舍入到几位小数；相差不到多少算很接近、算舍入
_FACTORS = [2, 3, 4, 8, 10, 100, 1000, 1024, 1e6, 0.5]


def unlisted(numbers, expected, exercise):
    """(名字, 一句话)；看不出原因时名字是 None，多个数就说出哪几个不对。"""
    tolerance, many = exercise.tolerance, len(expected) > 1

    def near(values):
        return np.allclose(numbers, values, rtol=0, atol=tolerance)

    if near(-expected):
        return "wrong_sign", "大小对，正负号呢？"
    if near(np.abs(expected)) or near(-np.abs(expected)):
        return "wrong_sign", "大小都对，正负号不全对。"
    for digits in range(_FINEST + 1):
        if np.any(numbers) and _rounded(numbers, expected, digits, np.round):
            return "rounded", f"每个数都对到 {digits} 位小数：是不是舍入得太早？多算一两位小数。"
        if np.any(numbers) and _rounded(numbers, expected, digits, np.trunc):
            return "rounded", f"第 {digits} 位小数后面的，是不是直接去掉了？要四舍五入，或者多写一两位小数。"
    if many and near(expected[::-1]):
        return "reversed", "几个数都对，次序倒了。"
    if many and np.allclose(np.sort(numbers), np.sort(expected), rtol=0, atol=tolerance):
        return "wrong_order", "几个数都对，次序不对：哪一个在前？"
    ways = fitting(numbers, exercise)
    if ways and "+" not in ways[0].name:
        return ways[0].name, joined(ways)
    uneven = shares(numbers, expected)  # 一行权重：一个数错，别的也跟着错，不一个一个地看
    if not uneven and (known := wrong_numbers(numbers, expected, exercise)):
        return known
    if known := other_step(numbers, expected, exercise):
        return known
    if ways:
        return ways[0].name, joined(ways)
    if uneven:
        return "other_shares", uneven
    if ways := _items(numbers, expected, exercise):
        return ways[0].name, "\n".join(way.message for way in ways)
    if np.allclose(numbers, expected, rtol=_CLOSE, atol=1e-9) and not _whole(numbers):
        return "nearly", "只差一点：是不是中途舍入了，或者最后一步加错了一位？"
    if many and (said := _same_change(numbers, expected, tolerance)):
        return said
    bad = np.flatnonzero(np.abs(numbers - expected) > tolerance)
    if not many:
        name, said = one_number(numbers[0], expected[0])
        return name, said or start_with(exercise)
    which = "、".join(str(i + 1) for i in bad)
    said = f"第 {which} 个数不对，其余的都对。" if len(bad) < len(expected) else "每一个数都不对。"
    again = terms(bad, exercise) or start_with(exercise)
    return "some_wrong" if len(bad) < len(expected) else None, said + again


def start_with(exercise, level=0):
    """认不出原因：从一条提示核对起。"""
    return f"从这里核对起：{exercise.hints[level]}"


def _whole(numbers):
    """全是整数：不是舍入出来的。"""
    return np.array_equal(numbers, np.round(numbers))


def _items(numbers, expected, exercise):
    """一个一个地看，每个不对的数都说得通的错误：[Mistake]，消息里说是第几个；有一个说不通就是空的。"""
    bad = np.flatnonzero(np.abs(numbers - expected) > exercise.tolerance)
    if len(expected) < 2:
        return []
    found = {}
    for i in bad:
        ways = fitting_item(numbers[i], i, expected[i], exercise)
        if not ways:
            return []
        found.setdefault(ways[0].message, (ways[0], []))[1].append(str(i + 1))
    return [
        Mistake(way.name, None, f"第 {'、'.join(where)} 个数：{said}") for said, (way, where) in found.items()
    ]


def joined(mistakes):
    """几种错误的话，各不相同的至多三句。"""
    return "\n也可能：".join(list(dict.fromkeys(each.message for each in mistakes))[:3])


def _rounded(numbers, expected, digits, cut):
    """numbers 是 expected 舍入（或截断）到 digits 位小数；差得多的（−0.5 成了 0）不算。"""
    scale = 10.0**digits
    kept = np.allclose(numbers * scale, cut(expected * scale), rtol=0, atol=1e-6)
    return kept and np.abs(numbers - expected).max() <= _EARLY * np.abs(expected).max()


def _same_change(numbers, expected, tolerance):
    """每个数都差同一个倍数，或差同一个数。"""
    ratio = (numbers @ expected) / (expected @ expected)
    if abs(ratio) > 1e-6 and np.allclose(numbers, ratio * expected, rtol=0.02, atol=tolerance):
        return "same_factor", "几个数的比都对，只是都差同一个倍数：少除、多除了什么，或者多乘了什么？"
    if np.allclose(numbers - expected, (numbers - expected)[0], rtol=0, atol=tolerance):
        return "same_difference", "几个数都差同一个数：是不是多加、多减了什么？"
    return None


def one_number(number, right):
    """(名字, 一句话)：差一个常见的倍数，或者差 1；看不出原因时是 (None, "")。"""
    for factor, up in itertools.product(_FACTORS, (True, False)):
        value = right * factor if up else right / factor
        if abs(number - value) <= 0.005 * abs(value):
            power = "小数点、单位（百万、千）对不对，" if factor in (10, 100, 1000, 1e6) else ""
            return "wrong_factor", f"{factor:,.10g} 倍的关系：{power}是不是多乘或多除了一次？".replace(
                ",", " "
            )
    if number and abs(number * right - 1) <= 0.01 and abs(right) != 1:
        return "inverted", "这是倒数：除和乘、分子和分母是不是反了？"
    if abs(number - right) == 1:
        return "off_by_one", "差一个：头尾都算进去了吗，从 0 数还是从 1 数？"
    if number > 0 and abs(number * number - right) <= 5e-3 * abs(right):
        return "root_taken", "是不是多开了一次平方？"
    if abs(number - right * right) <= 5e-3 * right * right:
        return "root_missing", "是不是漏了开平方，或者多平方了一次？"
    return None, ""

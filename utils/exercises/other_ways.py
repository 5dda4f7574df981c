"""同一道题换一种算法：答案由几样原料算出，换错一样、两样，各得到什么；对得上几种就都说。

笔算题和填表题的 also 由这里造：错的数由原料算出，不抄写。
"""

import itertools

import numpy as np

from utils.exercises.records import Mistake

_COMMON = 4  # 一样原料的前几种最常见，才与别的原料的合在一起
_CLOSE, _COARSE = 0.005, 0.02  # 相差不到几成算相同；学习者只写了一两位小数时，至多再放宽到几成


def other_ways(make, right, others):
    """换错一样、两样原料的全部错误：[Mistake]，换一样的在前。

    make(**right) 是答案。others : 原料 -> [(英文名, 换成什么, 一句话)]，常见的在前。
    题目里列出的错误用同一个英文名，就不会说两遍。
    """
    single = [(key, *each) for key, choices in others.items() for each in choices]
    common = [(key, *each) for key, choices in others.items() for each in choices[:_COMMON]]
    ways = [Mistake(name, _made(make, right, {key: value}), said) for key, name, value, said in single]
    for (key, name, value, said), (key2, name2, value2, said2) in itertools.combinations(common, 2):
        if key != key2:
            made = _made(make, right, {key: value, key2: value2})
            ways.append(Mistake(f"{name}+{name2}", made, f"像是有两处：{said}{said2}"))
    return [way for way in ways if np.isfinite(way.answer).all()]


def _made(make, right, changed):
    with np.errstate(all="ignore"):  # 除以 0 的，other_ways 不留
        return np.atleast_1d(np.asarray(make(**{**right, **changed}), float))


def in_cell(index, ways):
    """填表题第 index 格（从 0 数）的错误，别的格不管。"""
    return [Mistake(way.name, {index: float(way.answer[0])}, way.message) for way in ways]


def cell_values(index, said):
    """填表题第 index 格写成了什么：said 是 {数, 或由各格算出一个数的函数: 一句话}。"""
    pairs = enumerate(said.items(), start=1)
    return [Mistake(f"cell_{index + 1}_{k}", {index: value}, words) for k, (value, words) in pairs]


def in_cells(mistake, cells):
    """填表题 also 里的一种错误，照学习者的各格 cells 写成一列：管不到的格是 nan。"""
    column = np.full(len(cells), np.nan)
    for index, value in mistake.answer.items():
        column[index] = value(cells) if callable(value) else value
    return column


def fitting(numbers, exercise):
    """numbers 正好是 also 里哪几种错误的答案：[Mistake]；换一样就说得通的，不说换两样的。"""
    found = [way for way in exercise.also if same_to_its_digits(numbers, way.answer)]
    fewest = min((way.name.count("+") for way in found), default=0)
    simple = [way for way in found if way.name.count("+") == fewest]
    return sorted(simple, key=lambda way: np.abs(numbers - way.answer).max().round(6))


def fitting_item(number, i, right, exercise):
    """第 i 个数单独看，正好是哪几种错误的：[Mistake]，只看换一样的。"""
    ways = [*exercise.mistakes, *(way for way in exercise.also if "+" not in way.name)]
    values = [(way, np.atleast_1d(way.answer)) for way in ways]
    return [
        way
        for way, value in values
        if len(value) > i
        and abs(value[i] - right) > exercise.tolerance
        and same_to_its_digits([number], value[i : i + 1])
    ]


def same_to_its_digits(numbers, values):
    """numbers 是不是 values，写到学习者写的那几位小数。"""
    values = np.atleast_1d(values)
    if np.shape(numbers) != np.shape(values):
        return False
    size = np.abs(values).max()
    rounding = 0.51 * 10.0 ** -max(map(_decimals, numbers))
    return bool(np.abs(numbers - values).max() <= max(_CLOSE * size, min(rounding, _COARSE * size)))


def _decimals(number):
    return len(f"{number:.6f}".rstrip("0").partition(".")[2])

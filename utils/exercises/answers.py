"""读懂学习者写的答案：一个数、一列数、一个形状；也把它们写成文字。"""

from fractions import Fraction
from numbers import Number, Real

import numpy as np

_TYPE_NAMES = {
    "list": "列表（list）",
    "tuple": "元组（tuple）",
    "str": "文字（str）",
    "int": "整数（int）",
    "float": "一个数（float）",
    "bool": "真假值（bool）",
    "dict": "字典（dict）",
    "function": "函数",
    "NoneType": "空值（None）",
    "Tensor": "torch 张量（Tensor）",
    "ndarray": "numpy 数组",
}


def is_blank(answer):
    """答案还是出厂的样子：None、...、空字符串，或者全是它们的列表。"""
    if isinstance(answer, list | tuple):
        return all(is_blank(item) for item in answer)
    return answer is None or answer is Ellipsis or (isinstance(answer, str) and not answer.strip())


def read_numbers(answer):
    """把一个数、一列数或写着数的文字读成一维数组；读不出时返回 None。"""
    if hasattr(answer, "detach"):  # torch 张量
        answer = answer.detach().cpu().numpy()
    if isinstance(answer, str):
        answer = answer.strip().strip("[]()（）").replace("，", ",").replace("、", ",").split(",")
    if isinstance(answer, np.ndarray | np.generic):
        answer = answer.ravel().tolist()
    items = answer if isinstance(answer, list | tuple) else [answer]
    try:
        return np.array([_read_number(item) for item in items], float)
    except (ValueError, TypeError, ArithmeticError):
        return None


def _read_number(item):
    if isinstance(item, bool) or not isinstance(item, Real | str):
        raise TypeError
    return float(Fraction(item.strip()) if isinstance(item, str) and "/" in item else item)


def read_shape(answer):
    """把元组、列表、数组或文字 "(3, 4)" 读成正整数的元组；读不出时返回 None。"""
    numbers = read_numbers(answer.replace("×", ",").replace("x", ",") if isinstance(answer, str) else answer)
    if numbers is None or not (np.isfinite(numbers) & (numbers == np.round(numbers)) & (numbers > 0)).all():
        return None
    return tuple(int(value) for value in numbers)


def number(value, decimals=4):
    """一个数的写法：最多 decimals 位小数，去掉末尾的 0，没有 −0。"""
    if not np.isfinite(value):
        return "nan" if np.isnan(value) else "∞" if value > 0 else "−∞"
    if abs(value) >= 1e9 or 0 < abs(value) < 10.0**-decimals:
        return f"{value:.3g}".replace("-", "−")
    digits = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits.replace("-", "−")


def describe(value):
    """收到的是什么：类型，形状或长短，短的把内容也写出来。"""
    name, shape = type_name(value), getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{name}，形状 {tuple(shape)}"
    if isinstance(value, list | tuple):
        return f"{name}，有 {len(value)} 项"
    if isinstance(value, str | Number):
        text = repr(value)
        return f"{name} {text if len(text) < 40 else text[:40] + '…'}"
    return name


def type_name(value):
    name = type(value).__name__
    return _TYPE_NAMES.get(name, name)

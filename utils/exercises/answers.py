"""读懂学习者写的答案：一个数、一列数、一个形状、一个行号、一个字母；也把它们写成文字。"""

import math
import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from numbers import Number, Real

import numpy as np

MOST = 1000  # 再长的就不是手写的答案了，不去读它
_SEPARATORS = r"[,;、\s]+"
_UNITS = "倍次行个列步项格条对"
_DIGITS = "零一二三四五六七八九"
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
    if _size(answer) > MOST:
        return None
    if hasattr(answer, "detach"):  # torch 张量
        answer = answer.detach().cpu().numpy()
    if isinstance(answer, str):
        answer = split(re.sub(rf"(?<=\d)\s*[{_UNITS}]", " ", plain(answer)))
    if isinstance(answer, np.ndarray | np.generic):
        answer = answer.ravel().tolist()
    items = answer if isinstance(answer, list | tuple) else [answer]
    if len(items) == 1 and isinstance(items[0], list | tuple):  # 一行的矩阵
        items = items[0]
    if all(isinstance(item, list | tuple) and len(item) == 1 for item in items):  # 一列的矩阵
        items = [item[0] for item in items]
    try:
        return np.array([_read_number(item) for item in items], float)
    except (ValueError, TypeError, ArithmeticError):
        return None


def _read_number(item):
    if isinstance(item, bool) or not isinstance(item, Real | Decimal | str):
        raise TypeError
    if isinstance(item, str):
        item = plain(item)
        item = Fraction(item.replace(" ", "")) if "/" in item else item
    return float(item)


def _size(value):
    """不读内容也知道的大小：数组的项数，文字和列表的长度。"""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return math.prod(shape)
    return len(value) if isinstance(value, str | list | tuple) else 1


def plain(text):
    """全角变半角，减号变 -，去掉两头的空白。"""
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()


def split(text):
    """去掉外面的括号，按逗号、分号、顿号或空白分开。"""
    text = re.sub(r"\s*/\s*", "/", text.strip("[](){}。 "))
    return re.split(_SEPARATORS, text.strip(",;、 "))


def read_shape(answer):
    """把元组、列表、数组或文字 "(3, 4)" 读成正整数的元组；读不出时返回 None。"""
    if isinstance(answer, str) and len(answer) <= MOST:
        answer = re.sub(r"[xX×*]", ",", plain(answer))
    numbers = read_numbers(answer)
    if numbers is None or not (np.isfinite(numbers) & (numbers == np.round(numbers)) & (numbers > 0)).all():
        return None
    return tuple(int(value) for value in numbers)


def read_line(answer):
    """把行号读成一个数：4、"4"、"第 4 行"、"第四行"、"line 4"；读不出时返回 None。"""
    if isinstance(answer, str) and len(answer) <= MOST:
        text = plain(answer).lower()
        if found := re.fullmatch(rf"(?:第|line)?\s*(\d+|[{_DIGITS}])\s*行?", text):
            return int(found[1]) if found[1].isdigit() else _DIGITS.index(found[1])
    numbers = read_numbers(answer)
    return numbers[0] if numbers is not None and numbers.shape == (1,) else None


def read_letter(answer):
    """读出唯一的一个字母，变成大写："c"、"(C)"、"选 C"、["C"]；一个单词、几个字母都不算，返回 None。"""
    if isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, str) or len(answer) > MOST:
        return None
    words = re.findall(r"[A-Z]+", plain(answer).upper())
    return words[0] if len(words) == 1 and len(words[0]) == 1 else None


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

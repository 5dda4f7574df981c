"""读懂学习者写的答案：一个数、一列数、一个形状、一个行号、一个字母；也说出收到的是什么。"""

import re
from decimal import Decimal
from numbers import Number, Real

import numpy as np

from utils.checks import shown
from utils.exercises.number_text import half_width, item_number, items_of

MOST = 1000  # 再长的就不是手写的答案了，不去读它
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
    """答案还是出厂的样子：None、...、空白的文字，或者全是它们的列表。"""
    if isinstance(answer, list | tuple):
        return all(is_blank(item) for item in answer)
    return answer is None or answer is Ellipsis or (isinstance(answer, str) and not answer.strip())


def read_numbers(answer, count=None):
    """把一个数、一列数或写着数的文字读成一维数组；读不出时返回 None。count : 应有几个，不知道就不写。"""
    items = _items(answer, count)
    try:
        return None if items is None else np.array([_read_number(item) for item in items], float)
    except (ValueError, TypeError, ArithmeticError, SyntaxError):
        return None


def unreadable_item(answer, count=None):
    """第一个不是数的项：(第几项, 它)；一项也没有、太长、全是数时是 None。"""
    for position, item in enumerate(_items(answer, count) or [], start=1):
        try:
            _read_number(item)
        except (ValueError, TypeError, ArithmeticError, SyntaxError):
            return position, item
    return None


def _items(answer, count):
    answer = as_numpy(answer)
    size = len(answer) if isinstance(answer, str | list | tuple | dict) else getattr(answer, "size", 1)
    if size > MOST:
        return None
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, str):
        answer = items_of(answer, count)
    elif isinstance(answer, np.ndarray | np.generic):
        answer = answer.ravel().tolist()
    items = answer if isinstance(answer, list | tuple) else [answer]
    rows = [item if isinstance(item, list | tuple) else [item] for item in items]  # 一行或一列的矩阵也行
    return [as_numpy(item) for row in rows for item in row]


def as_numpy(value):
    """torch 张量变成 numpy 数组，别的原样不动。"""
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _read_number(item):
    if isinstance(item, np.ndarray) and item.ndim == 0:
        item = item.item()
    if isinstance(item, bool) or not isinstance(item, Real | Decimal | str):
        raise TypeError
    return item_number(item) if isinstance(item, str) else float(item)


def read_shape(answer):
    """把元组、列表、数组或文字 "(3, 4)" 读成正整数的元组；读不出时返回 None。"""
    if isinstance(answer, str) and len(answer) <= MOST:
        text = re.sub(r"[A-Za-z_]\w*\s*=(?=\s*\d)", "", half_width(answer))
        text = re.sub(r"^torch\.Size\(\[(.*)\]\)$", r"(\1)", text)
        text = re.sub(r"^[^\d(,不]*[\u4e00-\u9fff](?<!不)", "", re.split("=|→|->", text)[-1])
        answer = re.sub(r"\*{1,2}|[xX×乘]|\bby\b|(?<=\d)\s*行", ",", text)
    numbers = read_numbers(answer)
    if numbers is None or not (np.isfinite(numbers) & (numbers == np.round(numbers)) & (numbers > 0)).all():
        return None
    return tuple(int(value) for value in numbers)


def read_line(answer):
    """把行号读成一个数：4、"4"、"第 4 行"、"第四行"、"line 4"；读不出时返回 None。"""
    if isinstance(answer, str) and len(answer) <= MOST:
        text = half_width(answer).lower()
        digits = rf"(\d+|[{_DIGITS}])"
        whole = re.fullmatch(rf"(?:第|line|l|行)?\s*{digits}\s*行?[。.!、，]?", text)
        named = re.findall(rf"第\s*{digits}\s*行", text)
        whole = whole or re.match(r"(\d+)\s*[:、,。](?!\s*\d)", text)
        found = whole[1] if whole else named[0] if len(set(named)) == 1 else ""
        if found:
            return int(found) if found.isdigit() else _DIGITS.index(found)
    numbers = read_numbers(answer)
    return numbers[0] if numbers is not None and numbers.shape == (1,) else None


def read_letter(answer):
    """读出唯一的一个字母，变成大写："c"、"(C)"、"选 C"、"C. 抄下的选项"、["C"]；几个字母时是 None。"""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, str) or len(answer) > MOST:
        return None
    text = half_width(answer)
    if copied := re.match(r"([A-Za-z])\s*[.:、,)](?!\s*[A-E](?![A-Za-z_]))(?=.*[\u4e00-\u9fff])", text):
        return copied[1].upper()
    text = re.sub(r"\b[a-z]{2,}\b(?=.*\b[A-Z]\b)", "", text)  # option B
    words = re.findall(r"[A-Z]+", text.upper())
    return words[0] if len(words) == 1 and len(words[0]) == 1 else None


def received(value):
    """收到的是什么：类型，形状或长短，短的把内容也写出来。"""
    name, shape = type_name(value), getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{name}，形状 {tuple(shape)}"
    if isinstance(value, list | tuple):
        return f"{name}，有 {len(value)} 项"
    return f"{name} {shown(value)}" if isinstance(value, str | Number) else name


def type_name(value):
    """value 的类型，常见的写出中文。"""
    name = type(value).__name__
    return _TYPE_NAMES.get(name, name)

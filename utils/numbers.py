"""数的写法：格子里、公式里、判定里、刻度上、笔记本的输出里。真正的负号，没有 −0，−∞ 是被遮住的键。

write        文字里的一个数：最多 4 位小数，太大太小写成 10 的幂
latex        公式里的同一个数
fixed        固定的小数位数；decimals 说一组数该用几位
significant  只留几位有效数字：描述、报错
tick         刻度上的一个数
output       笔记本输出里的一个 Python 浮点数
dot_terms    写开的一个点积：0.3×0.9 + 0.8×0.1 + …
sign         写出来的数正好就是原来的数时是 =，否则是 ≈
read         write、fixed 等写出的数，读回来
"""

import math
import re
from decimal import Decimal
from typing import NamedTuple

import numpy as np

PLACES = 4  # 课程里的数最多写几位小数
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def steady(value):
    """抹掉最后几位的浮点误差，使 0.125 在每台电脑上都朝同一边舍入。"""
    return float(f"{value:.10g}")


def write(value, places=PLACES):
    """文字里的一个数：最多 places 位小数，没有末尾的 0；写不下的（如 0.00001）用 3 位有效数字写成 10⁻⁵。"""
    if not math.isfinite(value):
        return _not_finite(value)
    if abs(value) >= 1e-12 and not 0.5 * 10.0**-places <= abs(value) < 1e9:
        return _power_of_ten(value)
    return _trimmed(f"{value:.{places}f}")


def latex(value, places=PLACES):
    r"""公式里的一个数：与 write 的写法一样，换成 LaTeX 的记号，如 ``2 \times 10^{-5}``、``-\infty``。"""
    return to_latex(write(value, places))


def to_latex(text):
    """已经写成文字的数（或 =、≈）换成 LaTeX 的记号。"""
    for plain, tex in (
        ("−", "-"),
        ("∞", r"\infty"),
        ("非数", r"\text{非数}"),
        ("×", r" \times "),
        ("≈", r"\approx"),
    ):
        text = text.replace(plain, tex)
    return re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda power: f"^{{{power[0].translate(_LOWERED)}}}", text)


def fixed(value, places):
    """固定的小数位数。"""
    if not math.isfinite(value):
        return _not_finite(value)
    text = f"{steady(value):.{places}f}"
    return _minus(text.lstrip("-") if float(text) == 0 else text)


def decimals(values):
    """一组数写几位小数：整数 0 位，一位小数 1 位，其余 2 位；全都很小时多给几位。"""
    values = np.abs(np.asarray(values, float)).ravel()
    values = values[np.isfinite(values)]
    for places in (0, 1, 2):
        if np.allclose(values, np.round(values, places), rtol=0, atol=1e-9):
            return places
    largest = values.max()
    return 2 if largest >= 0.05 else min(6, 1 - int(np.floor(np.log10(largest))))


def significant(value, digits=3):
    """只留几位有效数字；整数照写，也抹掉 1e-17 这样的误差。"""
    if not math.isfinite(value):
        return _not_finite(value)
    if abs(value - round(value)) < 1e-9 and abs(value) < 1e6:
        return _minus(str(round(value)))
    return rounded_to(value, digits)


def rounded_to(value, digits):
    """总是 digits 位有效数字，如 0.0123、1.2e−05。"""
    return _minus(f"{float(f'{steady(value):.{digits}g}'):g}")


def tick(value):
    """刻度上的一个数：普通写法，太大太小时写成 10 的幂。"""
    if value and not 1e-4 <= abs(value) < 1e6:
        return _power_of_ten(value)
    return _minus(f"{steady(value):.10g}")


def output(value):
    """笔记本输出里的一个浮点数，Python 的写法：最多 4 位小数；太大太小时用科学记数法，如 1.2346e-05。"""
    if not math.isfinite(value):
        return str(value)
    if value and not 1e-4 <= abs(value) < 1e16:
        return np.format_float_scientific(value, precision=PLACES, trim="-")
    text = np.format_float_positional(value, precision=PLACES, trim="0")
    return "0.0" if text == "-0.0" else text


class DotTerms(NamedTuple):
    """写开的一个点积，都是文字。

    factors : [("0.3", "0.9"), …] 每一项的两个因数
    products : ["0.27", …] 每一项的积
    total : "0.37" 和
    signs : 写在因数、积、和前面的 = 或 ≈；一处舍入过，后面就都是 ≈
    """

    factors: list[tuple[str, str]]
    products: list[str]
    total: str
    signs: tuple[str, str, str]


def dot_terms(left, right, write=write, write_total=None):
    """写开 left 与 right 的点积，返回 DotTerms；负数要不要加括号由 bracketed 决定。

    left, right : 两列一样长的有限的数；write : 收一个数、返回文字；write_total : 和的写法，不给就是 write。
    数按它们的十进制写法相乘、相加，所以 0.1×0.3 正好是 0.03，没有浮点误差。
    """
    pairs = [(_decimal(a), _decimal(b)) for a, b in zip(left, right, strict=True)]
    products = [a * b for a, b in pairs]
    factors = [(write(a), write(b)) for a, b in pairs]
    terms = [write(product) for product in products]
    total = (write_total or write)(sum(products))
    rounded = False
    signs = []
    for values, texts in ((sum(pairs, ()), sum(factors, ())), (products, terms), ([sum(products)], [total])):
        rounded = rounded or sign(values, texts) == "≈"
        signs.append("≈" if rounded else "=")
    return DotTerms(factors, terms, total, tuple(signs))


def bracketed(text):
    """乘式或和式里的一项：负数加括号。"""
    return f"({text})" if text.startswith("−") else text


def sign(values, texts):
    """每个数都正好写成了 texts 里的样子时是 =，有一个舍入过是 ≈；±∞ 和非数不算。"""
    pairs = zip(values, texts, strict=True)
    exact = all(_significant(value) == read(text) for value, text in pairs if math.isfinite(value))
    return "=" if exact else "≈"


def read(text):
    """write、fixed 等写出的有限的数，读回来。"""
    text = re.sub("^(−?)(10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻])", r"\g<1>1×\2", text)
    return Decimal(text.replace("×10", "e").replace("−", "-").translate(_LOWERED))


def _decimal(value):
    """十进制的一个数；1e-12 以下的是浮点误差。"""
    return _significant(round(value, 12))


def _significant(value):
    return Decimal(f"{value:.12g}")


def _power_of_ten(value):
    mantissa, exponent = f"{value:.2e}".split("e")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
    text = _minus(f"{float(mantissa):g}×{power}")
    return re.sub("^(−?)1×", r"\1", text)


def _not_finite(value):
    return "非数" if math.isnan(value) else "∞" if value > 0 else "−∞"


def _trimmed(text):
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else _minus(text)


def _minus(text):
    return text.replace("-", "−")

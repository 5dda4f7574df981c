"""数的写法：格子里、公式里、判定里、刻度上、笔记本的输出里。真正的负号，没有 −0，−∞ 是被遮住的键。

write        文字里的一个数：最多 4 位小数，太大太小写成 10 的幂
latex        公式里的同一个数
fixed        固定的小数位数；decimals 说一组数该用几位
significant  只留几位有效数字：描述、报错
tick         刻度上的一个数
output       笔记本输出里的一个 Python 浮点数
"""

import re

import numpy as np

PLACES = 4  # 课程里的数最多写几位小数
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def steady(value):
    """抹掉最后几位的浮点误差，使 0.125 在每台电脑上都朝同一边舍入。"""
    return float(f"{value:.10g}")


def write(value, places=PLACES):
    """文字里的一个数：最多 places 位小数，没有末尾的 0；写不下的（如 0.00001）用 3 位有效数字写成 1×10⁻⁵。"""
    if not np.isfinite(value):
        return _not_finite(value)
    if value and not 0.5 * 10.0**-places <= abs(value) < 1e9:
        return _power_of_ten(value)
    return _trimmed(f"{value:.{places}f}")


def latex(value, places=PLACES):
    r"""公式里的一个数：与 write 的写法一样，换成 LaTeX 的记号，如 ``1 \times 10^{-5}``、``-\infty``。"""
    text = write(value, places).replace("−", "-").replace("∞", r"\infty").replace("非数", r"\text{非数}")
    mantissa, power = re.fullmatch(r"(.*?)(?:(?:^|×)10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?", text).groups()
    if not power:
        return text
    exponent = power.translate({upper: lower for lower, upper in _SUPERSCRIPTS.items()})
    return rf"{mantissa or 1} \times 10^{{{exponent}}}"


def fixed(value, places):
    """固定的小数位数。"""
    if not np.isfinite(value):
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
    if not np.isfinite(value):
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
    if not np.isfinite(value):
        return str(value)
    if value and not 1e-4 <= abs(value) < 1e16:
        return np.format_float_scientific(value, precision=PLACES, trim="-")
    text = np.format_float_positional(value, precision=PLACES, trim="0")
    return "0.0" if text == "-0.0" else text


def _power_of_ten(value):
    mantissa, exponent = f"{value:.2e}".split("e")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
    return power if float(mantissa) == 1 else _minus(f"{float(mantissa):g}×{power}")


def _not_finite(value):
    return "非数" if np.isnan(value) else "∞" if value > 0 else "−∞"


def _trimmed(text):
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else _minus(text)


def _minus(text):
    return text.replace("-", "−")

"""数的写法：格子里、刻度上、描述里、笔记本的输出里。真正的负号，没有 −0。"""

import numpy as np


def steady(value):
    """抹掉最后几位的浮点误差，使 0.125 在每台电脑上都朝同一边舍入。"""
    return float(f"{value:.10g}")


def decimals(values):
    """一组数写几位小数：整数 0 位，一位小数 1 位，其余 2 位；全都很小时多给几位。"""
    values = np.abs(np.asarray(values, float)).ravel()
    values = values[np.isfinite(values)]
    for places in (0, 1, 2):
        if np.allclose(values, np.round(values, places), rtol=0, atol=1e-9):
            return places
    largest = values.max()
    return 2 if largest >= 0.05 else min(6, 1 - int(np.floor(np.log10(largest))))


def sum_decimals(sums):
    """几个和写几位小数：至少 2 位；不是 1 的和不会写成 1.00。"""
    hidden = np.abs(sums - 1)[np.abs(sums - 1) > 1e-6]
    return next((places for places in (2, 3, 4, 5) if (hidden >= 0.5 * 10.0**-places).all()), 6)


def fixed(value, places):
    """固定小数位数；−∞ 是被遮住的键。"""
    if np.isneginf(value):
        return "−∞"
    text = f"{steady(value):.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def tick(value):
    """刻度上的一个数：普通写法，太大太小时写成 10 的幂。"""
    if value and not 1e-4 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.2e}".split("e")
        power = "10" + str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
        return power if float(mantissa) == 1 else f"{float(mantissa):g}×{power}".replace("-", "−")
    return f"{steady(value):.10g}".replace("-", "−")


def significant(value):
    """描述和报错里的一个数：整数照写（也抹掉 1e-17 这样的误差），其余 3 位有效数字。"""
    if not np.isfinite(value):
        return "无" if np.isnan(value) else ("∞" if value > 0 else "−∞")
    if abs(value - round(value)) < 1e-9 and abs(value) < 1e6:
        return str(round(value)).replace("-", "−")
    return _digits(value, 3)


def span(low, high):
    """范围写 4 位有效数字：上下限改动 1 %，描述就变。"""
    return f"从 {_digits(low, 4)} 到 {_digits(high, 4)}"


def _digits(value, count):
    return f"{float(f'{steady(value):.{count}g}'):g}".replace("-", "−")


def point(xy, log=(False, False)):
    """一个点；log 说两个轴各是不是对数刻度：那里没有 0，5e-13 也是一个看得见的数。"""
    texts = [
        significant(v) if not is_log or not np.isfinite(v) or round(v) else _digits(v, 3)
        for v, is_log in zip(xy, log, strict=True)
    ]
    return f"({', '.join(texts)})"


def output(value):
    """笔记本输出里的一个浮点数：最多 4 位小数，没有 −0；太大太小时用科学记数法，如 1.2346e-05。"""
    if not np.isfinite(value):
        return str(value)
    if value and not 1e-4 <= abs(value) < 1e16:
        return np.format_float_scientific(value, precision=4, trim="-")
    text = np.format_float_positional(value, precision=4, trim="0")
    return "0.0" if text == "-0.0" else text

"""读回：画好的文字、刻度、格子里的数念出来的样子。"""

import re

import numpy as np

from utils.numbers import significant

_TEX = {r"^{\top}": "ᵀ", r"\sqrt": "√", r"\div": "÷", r"\mathrm": "", r"\,": " ", r"\;": " "}


def words_of(text):
    """一段文字念出来的样子：公式去掉 TeX 记号，折行接回去。"""
    words = text.get_text()
    if text.get_parse_math():
        for tex, plain in _TEX.items():
            words = words.replace(tex, plain)
        words = re.sub(r"[${}]", "", words)
    return re.sub(r"(?<=[!-~])\n(?=[!-~])", " ", words).replace("\n", "").strip()


def shown_texts(texts):
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def tick_words(axis):
    """{位置: 文字}，只含画出来的刻度。"""
    low, high = sorted(axis.get_view_interval())
    places = 30 if axis.get_scale() == "log" else 6  # 对数轴上没有浮点误差那样小的 0
    return {
        round(tick.get_loc(), places): words_of(label)
        for tick in axis.get_major_ticks()
        for label in shown_texts([tick.label1, tick.label2])
        if low - 1e-9 <= tick.get_loc() <= high + 1e-9
    }


def number_words(texts, value, what="底色的数"):
    """写着的数；与它的底色（或柱高）对不上，即按写出的位数舍入后不相等时，两个都念。"""
    text = " ".join(texts) or "（空）"
    plain = text.replace("−", "-").replace("∞", "inf")
    try:
        number = float(plain)
    except ValueError:
        number = np.nan
    unit = 10.0 ** -len(plain.partition(".")[2])
    agree = number == value or abs(number - value) <= unit / 2 * (1 + 1e-6)
    return text if agree else f"{text}（{what}是 {significant(value)}）"

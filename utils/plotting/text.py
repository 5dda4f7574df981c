"""量文字：一段文字画出来多大，放不下时怎样截短、折行、竖写。长度是 CSS 像素，字号是 pt。"""

import functools
import itertools
import re

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from utils.characters import printable
from utils.plotting.style import BASE, DPI, FONTS, ROOM, TITLE

LABEL_ROOM = 150  # 八个汉字


@functools.cache
def renderer():
    """只用来量大小，不画。"""
    return RendererAgg(1, 1, DPI)


def fonts(text):
    """画一段文字的字体：思源黑体的 √ 带着一截盖在空处的横线，有 √ 就先用 DejaVu Sans。"""
    return FONTS[::-1] if "√" in text else FONTS


@functools.lru_cache(maxsize=8192)
def text_width(text, size):
    """一段文字的宽；多行取最宽的一行。"""
    font = FontProperties(family=fonts(text), size=size)
    return max(renderer().get_text_width_height_descent(line, font, False)[0] for line in text.split("\n"))


def text_height(text, size):
    return (text.count("\n") + 1) * size * DPI / 72 * 1.25


def widest(texts, size):
    return max((text_width(text, size) for text in texts), default=0)


def shorten(text, limit=LABEL_ROOM):
    """太长的标签截短，末尾加省略号。"""
    text = printable(text)
    if text_width(text, BASE) <= limit:
        return text
    while text and text_width(text + "…", BASE) > limit:
        text = text[:-1]
    return text + "…"


def wrap(text, size=TITLE, limit=ROOM):
    """折行：中文在任意两字之间，西文在空格处（一个词比一行还长就从中间断开），形状不拆开；标点不放在行首。"""
    lines, line = [], ""
    pieces = re.findall(r"(?:\(\d+, \d+\)|[!-~ᵀ−√·]+|.)[，。；：、）」！？]*", printable(text))
    whole = [[piece] if text_width(piece, size) <= limit else piece for piece in pieces]
    for piece in itertools.chain.from_iterable(whole):
        if line and text_width((line + piece).rstrip(), size) > limit:
            lines.append(line.rstrip())
            line = ""
        line = (line + piece).lstrip()
    return "\n".join([*lines, line.rstrip()])


def tick_step(count, cell):
    """标签太密时每隔几个写一个。"""
    if cell >= 20:
        return 1
    return next((step for step in (2, 4, 5, 8, 10, 16, 20, 32, 50, 100) if step * cell >= 24), count)


def column_labels(labels, cell):
    """一排列标签的写法 [(位置, 文字, 转角, 高度)]，太密就隔几个写一个；cell 是一列的宽。"""
    step = tick_step(len(labels), cell)
    return [(i, *_narrow(labels[i], cell * step - 6)) for i in range(0, len(labels), step)]


def _narrow(label, room):
    """放得下就横写；短的中文一字一行竖写；其余转 90 度。"""
    width = text_width(label, BASE)
    if width <= room:
        return label, 0, 20
    pieces = re.findall(r"[!-~]+|.", label)
    if len(pieces) <= 4 and not label.isascii() and widest(pieces, BASE) <= room + 4:
        return "\n".join(pieces), 0, 20 * len(pieces)
    return label, 90, width


def write_column_labels(axis, labels):
    """把 `column_labels` 排好的标签写到刻度上。"""
    axis.set_ticks([label[0] for label in labels], labels=[label[1] for label in labels])
    for tick, (_, _, rotation, _) in zip(axis.get_major_ticks(), labels, strict=True):
        for label in (tick.label1, tick.label2):
            label.set(rotation=rotation, linespacing=1.0)

"""描述的一部分：折线、柱、份额、平面上的点、地图里的框和箭头。"""

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.colors import same_color
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon
from matplotlib.transforms import Bbox

from utils.numbers import rounded_to, significant
from utils.plotting.read_back import number_words, shown_texts, tick_words, words_of
from utils.plotting.style import LIT_COLOR, color_name
from utils.plotting.text import renderer

MOST_READ = 24  # 更多的点、顶点不一个个念
_LINE_STYLES = {"-": "实线", "--": "虚线", "-.": "点划线", ":": "点线", "None": "无线"}


def describe_chart(axes, read):
    """一个坐标系里的线、柱、点、框和箭头：(图的种类, 各部分的话)。read 是已经念过的文字。"""
    bars = [bar for container in axes.containers for bar in container]
    lines = [line for line in axes.lines if line.get_visible() and line.get_label()[:1] != "_"]
    clouds = [cloud for cloud in axes.collections if isinstance(cloud, PathCollection)]
    if any(container.orientation == "horizontal" for container in axes.containers):
        return "份额图", _describe_shares(axes, read)
    kind = "柱状图" if bars else "折线图" if lines else "散点图" if clouds else "示意图"
    parts = []
    if axes.axison:  # 柱在横轴上的位置没有意义，只念名字
        parts += [] if bars else [_describe_scale(axes.xaxis, "横轴")]
        parts.append(_describe_scale(axes.yaxis, "纵轴"))
    if bars:
        names = tick_words(axes.xaxis)
        heights = np.array([bar.get_height() for bar in bars]).round(6)  # 相差无几时，每台电脑都念同一根
        some = [0, heights.argmin(), heights.argmax(), -1] if len(bars) > MOST_READ else range(len(bars))
        words = "、".join(_bar_words(bars[i], names, axes, read) for i in some)
        parts.append(
            f"柱：{words}" if len(some) == len(bars) else f"{len(bars)} 根柱，头、最低、最高、尾：{words}"
        )
    parts += [_line_words(line, axes) for line in lines]
    anchors = []  # 箭头两端可能指着的东西：(范围, 名字)
    for cloud in clouds:
        words = []
        free = [text for text in shown_texts(axes.texts) if text not in read]
        places = np.array([_anchor(text) for text in free], dtype=float).reshape(-1, 2)
        for xy in cloud.get_offsets():
            texts = [
                free[i] for i in np.flatnonzero(np.isclose(places, xy).all(axis=1)) if free[i] not in read
            ]
            read.update(texts[:1])
            name = words_of(texts[0]) if texts else ""
            words.append(f"{name} {point(xy)}".strip())
            anchors.append((Bbox([axes.transData.transform(xy)] * 2), name or point(xy)))
        if len(words) > MOST_READ:  # 只念有名字的
            words = [word for word in words if not word.startswith("(")]
            low, high = cloud.get_offsets().min(axis=0), cloud.get_offsets().max(axis=0)
            words.insert(0, f"{len(cloud.get_offsets())} 个点，从 {point(low)} 到 {point(high)}")
        parts.append(f"点「{cloud.get_label()}」：{'、'.join(words)}")
    for patch in axes.patches:
        if isinstance(patch, Polygon):
            corners = [point(xy) for xy in patch.get_xy()[:-1]]
            rest = f" 等 {len(corners)} 个" if len(corners) > MOST_READ else ""
            parts.append(f"多边形，顶点 {'、'.join(corners[:MOST_READ])}{rest}")
    parts += _describe_boxes(axes, read, anchors)
    anchors += [
        (t.get_window_extent(renderer()), words_of(t)) for t in shown_texts(axes.texts) if t not in read
    ]
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    if arrows:
        parts.append("箭头：" + "、".join(_arrow_words(arrow, axes, anchors) for arrow in arrows))
    if legend := axes.get_legend():
        parts.append(f"图例：{'、'.join(words_of(text) for text in legend.get_texts())}")
    return kind, parts


def _describe_shares(axes, read):
    """横着的条：每条按段念；段上写错了，段与段之间有空隙，和不是 1，都念出来。"""
    parts = [_describe_scale(axes.xaxis, "横轴")]
    texts = {tuple(np.round(text.get_position(), 6)): words_of(text) for text in shown_texts(axes.texts)}
    read.update(shown_texts(axes.texts))
    keys = [words_of(text) for text in axes.get_legend().get_texts()]
    for y, name in tick_words(axes.yaxis).items():
        words, end = [], 0
        for container, key in zip(axes.containers, keys, strict=True):
            bar = container[int(y)]
            gap = "" if np.isclose(bar.get_x(), end) else f"（从 {significant(bar.get_x())} 起）"
            text = texts.get((round(bar.get_x() + bar.get_width() / 2, 6), round(y, 6)), "")
            named, _, number = text.rpartition(" ")
            known = named.strip() in ("", key)
            wrong = not known or (number and number_words([number], bar.get_width()) != number)
            note = f"（写着 {text}）" if wrong else ""
            words.append(f"{key} {significant(bar.get_width())}{gap}{note}")
            end = bar.get_x() + bar.get_width()
        total = "" if np.isclose(end, 1) else f"，和 {significant(end)}"
        parts.append(f"{name}：{'、'.join(words)}{total}")
    if notes := [words_of(text).strip() for text in axes.texts if words_of(text).strip().startswith("和 ")]:
        parts.append("旁边写着：" + "、".join(notes))
    return parts


def _describe_scale(axis, word):
    name, ticks = words_of(axis.label), "、".join(tick_words(axis).values())
    words = f"{word}={name} " if name else f"{word}"
    words += span(*axis.get_view_interval()) + ("，对数刻度" if axis.get_scale() == "log" else "")
    return words + (f"，刻度 {ticks}" if ticks else "")


def _anchor(text):
    """一段文字标注的点：`annotate` 写的是它的 xy，别的文字是它自己的位置。"""
    return getattr(text, "xy", text.get_position())


def _bar_words(bar, names, axes, read):
    center, height = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()
    texts = [text for text in shown_texts(axes.texts) if np.isclose(_anchor(text)[0], center)]
    read.update(texts)
    number = (
        number_words([words_of(text) for text in texts], height, "柱高") if texts else significant(height)
    )
    return f"{names.get(round(center, 6), f'第 {round(center) + 1} 根')} {number}"


def _line_words(line, axes):
    points = np.array(line.get_data(), dtype=float).T
    log = axes.get_xscale() == "log", axes.get_yscale() == "log"
    style = [color_name(line.get_color()), _LINE_STYLES.get(line.get_linestyle(), line.get_linestyle())]
    words = f"线「{line.get_label()}」（{'，'.join(style)}）："
    if len(points) <= 12:
        return words + "、".join(point(xy, log) for xy in points)
    heights = (np.log(points[:, 1]) if log[1] else points[:, 1]).round(6)  # 相差无几时，每台电脑都念同一点
    lowest, highest = points[np.nanargmin(heights)], points[np.nanargmax(heights)]
    first, last, low, high = (point(xy, log) for xy in (points[0], points[-1], lowest, highest))
    return words + f"{len(points)} 个点，起点 {first}，终点 {last}，最低 {low}，最高 {high}"


def _describe_boxes(axes, read, anchors):
    """圆角框：里面最上一行是名字，其余是内容，正下方是结果。"""
    parts = []
    for box in axes.patches:
        if not isinstance(box, FancyBboxPatch):
            continue
        extent = box.get_window_extent()
        inside, below = [], []
        for text in shown_texts(axes.texts):
            x, y = axes.transData.transform(text.get_position())
            if extent.x0 <= x <= extent.x1 and y <= extent.y1 and text not in read:
                (inside if y >= extent.y0 else below).append((-y, words_of(text)))
                read.add(text)
        name, *content = [words for _, words in sorted(inside)] or ["空框"]
        result = " ".join(words for _, words in sorted(below))
        lit = "（点亮）" if same_color(box.get_facecolor(), LIT_COLOR) else ""
        words = f"框「{name}」{lit} {'，'.join(content)}".rstrip()
        parts.append(words + (f" → {result}" if result else ""))
        anchors.append((extent, name))
    return parts


def _arrow_words(arrow, axes, anchors):
    """箭头从哪里到哪里：端点旁边（20 像素以内）的点、框或文字；旁边没有东西就念坐标。"""
    ends = arrow._path_original.vertices if arrow._posA_posB is None else arrow._posA_posB
    names = []
    for xy in (ends[0], ends[-1]):
        pixel = axes.transData.transform(xy)
        gaps = [np.hypot(*np.maximum(0, np.maximum(box.min - pixel, pixel - box.max))) for box, _ in anchors]
        nearest = int(np.argmin(gaps)) if gaps else None
        names.append(anchors[nearest][1] if gaps and gaps[nearest] < 20 else point(xy))
    color = color_name(arrow.get_edgecolor())
    return "→".join(names) + (f"（{color}）" if color else "")


def span(low, high):
    """范围写 4 位有效数字：上下限改动 1 %，描述就变。"""
    return f"从 {rounded_to(low, 4)} 到 {rounded_to(high, 4)}"


def point(xy, log=(False, False)):
    """一个点；log 说两个轴各是不是对数刻度：那里没有 0，5e-13 也是一个看得见的数。"""
    texts = [
        significant(v) if not is_log or not np.isfinite(v) or round(v) else rounded_to(v, 3)
        for v, is_log in zip(xy, log, strict=True)
    ]
    return f"({', '.join(texts)})"

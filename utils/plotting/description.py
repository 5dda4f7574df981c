"""描述：把画好的图念成中文，全部读自图元，不看画图的参数。"""

import itertools
import re

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.colors import same_color
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle
from matplotlib.transforms import Bbox

from utils.numbers import rounded_to, significant
from utils.plotting.style import LIT_COLOR, color_name, course_context
from utils.plotting.text import renderer

MOST_READ = 24  # 更多的点、顶点不一个个念
_MAPS = {"RdBu": "RdBu（红负蓝正）"}
_LINE_STYLES = {"-": "实线", "--": "虚线", "-.": "点划线", ":": "点线", "None": "无线"}
_TEX = {r"^{\top}": "ᵀ", r"\sqrt": "√", r"\div": "÷", r"\mathrm": "", r"\,": " ", r"\;": " "}


@course_context()
def describe(figure):
    """课程的一张图的中文描述，一个坐标系一行：标题、轴名、刻度文字、格子里的数、颜色范围、框、线、柱、点、文字。

    图元与图元对不上时（比如格子里写的数不是底下数组的数），两个都写出来。
    """
    lines = [f"图「{_words(figure._suptitle)}」"] if figure._suptitle else []
    if figure._supxlabel:
        lines.append(f"横轴={_words(figure._supxlabel)}")
    lines += _arrangement(figure)
    lines += [_describe_axes(axes) for axes in figure.axes if axes.get_visible()]
    return "\n".join(line for line in lines if line)


def _words(text):
    """一段文字念出来的样子：公式去掉 TeX 记号，折行接回去。"""
    words = text.get_text()
    if text.get_parse_math():
        for tex, plain in _TEX.items():
            words = words.replace(tex, plain)
        words = re.sub(r"[${}]", "", words)
    return re.sub(r"(?<=[!-~])\n(?=[!-~])", " ", words).replace("\n", "").strip()


def _shown(texts):
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def _ticks(axis):
    """{位置: 文字}，只含画出来的刻度。"""
    low, high = sorted(axis.get_view_interval())
    places = 30 if axis.get_scale() == "log" else 6  # 对数轴上没有浮点误差那样小的 0
    return {
        round(tick.get_loc(), places): _words(label)
        for tick in axis.get_major_ticks()
        for label in _shown([tick.label1, tick.label2])
        if low - 1e-9 <= tick.get_loc() <= high + 1e-9
    }


def _arrangement(figure):
    """坐标系之间的文字（如 @、=）连同矩阵的标题，按从上到下、从左到右念成算式。"""
    texts = [t for t in _shown(figure.texts) if t not in (figure._suptitle, figure._supxlabel)]
    items = [(round(t.get_position()[1], 2), t.get_position()[0], _words(t)) for t in texts]
    for axes in figure.axes if texts else ():
        if axes.images:
            box = axes.get_position()
            name = _words(axes.title) or "、".join(_ticks(axes.yaxis).values())
            items.append((round((box.y0 + box.y1) / 2, 2), box.x0, f"[{name}]"))
    items.sort(key=lambda item: (-item[0], item[1]))
    rows = [" ".join(item[2] for item in row) for _, row in itertools.groupby(items, lambda item: item[0])]
    return [f"排列：{'；'.join(rows)}"] if rows else []


def _describe_axes(axes):
    """一个坐标系一行：种类「标题」：…；…。read 收集已经念过的文字，剩下的放在最后。"""
    read = set()
    if hasattr(axes, "_colorbar"):
        norm = axes._colorbar.norm
        return f"颜色条：{span(norm.vmin, norm.vmax)}，刻度 {'、'.join(_ticks(axes.yaxis).values())}"
    kind, parts = _describe_image(axes, read) if axes.images else _describe_chart(axes, read)
    if _words(axes.title):
        color = color_name(axes.spines["top"].get_edgecolor())
        kind += f"「{_words(axes.title)}」" + (f"（{color}色）" if color else "")
    rest = [_words(text) for text in _shown(axes.texts) if text not in read]
    parts += [f"文字：{'、'.join(rest)}"] if rest else []
    return f"{kind}：{'；'.join(parts)}" if parts else ""


# ---------------------------------------------------------------- 热力图


def _describe_image(axes, read):
    image = axes.images[0]
    array = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), -np.inf)
    rows, cols = array.shape
    parts = [f"{rows} 行 {cols} 列"]
    row_order, row_names = _direction(axes.yaxis, rows, axes.yaxis_inverted(), "行", parts)
    col_order, col_names = _direction(axes.xaxis, cols, not axes.xaxis_inverted(), "列", parts)

    cells, right, below = {}, [], []
    for text in _shown(axes.texts):
        x, y = text.get_position()
        if -0.5 < x < cols - 0.5 and -0.5 < y < rows - 0.5:
            cells.setdefault((round(y), round(x)), []).append(_words(text))
        elif x > cols - 0.5:
            right.append((y, _words(text)))
        elif y > rows - 0.5:
            below.append((x, _words(text)))
        else:
            continue
        read.add(text)
    if cells:
        lines = (
            " ".join([row_names[i], *(_number(cells.get((i, j), []), array[i, j]) for j in col_order)])
            for i in row_order
        )
        parts.append(f"数值：{'；'.join(lines)}")
    else:
        parts.append(_extremes(array, row_names, col_names))
    for place, texts in (("右边", right), ("下边", below)):
        if texts:
            parts.append(f"{place}：{' '.join(word for _, word in sorted(texts))}")
    frames = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    parts += [_describe_frame(frame, row_names, col_names) for frame in frames]
    masked = "，灰格被遮住" if np.isneginf(array).any() else ""
    name, norm = image.get_cmap().name, image.norm
    parts.append(f"颜色 {_MAPS.get(name, name)}，{span(norm.vmin, norm.vmax)}{masked}")
    return "热力图", parts


def _direction(axis, count, forward, word, parts):
    """一个方向按画出来的次序念：(序号的次序, 每一行或列的名字)。"""
    order = list(range(count)) if forward else list(range(count))[::-1]
    ticks, name = _ticks(axis), _words(axis.label)
    shown = "、".join(ticks[i] for i in order if i in ticks)
    if name or shown:
        parts.append(f"{word}={name} {shown}".rstrip() if name else f"{word}：{shown}")
    return order, [ticks.get(i, f"第 {order.index(i) + 1} {word}") for i in range(count)]


def _number(texts, value, what="底色的数"):
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


def _extremes(array, row_names, col_names):
    """不写数的大图：最大、最小在哪里。"""
    shown = np.ma.masked_invalid(array)
    if shown.count() == 0:
        return "没有写数，全被遮住"
    rounded = shown.round(6)  # 相差无几时，每台电脑都念同一格

    def where(index):
        i, j = np.unravel_index(index, array.shape)
        return f"{significant(array[i, j])} 在（{row_names[i]}，{col_names[j]}）"

    return f"没有写数，最大 {where(rounded.argmax())}，最小 {where(rounded.argmin())}"


def _describe_frame(frame, row_names, col_names):
    left, top = frame.get_xy()
    left, top, right, bottom = (
        round(edge + 0.5) for edge in (left, top, left + frame.get_width(), top + frame.get_height())
    )
    rows, cols = row_names[top:bottom], col_names[left:right]
    if len(cols) == len(col_names):
        return f"框出一行：{'、'.join(rows)}"
    if len(rows) == len(row_names):
        return f"框出一列：{'、'.join(cols)}"
    return f"框出（{'、'.join(rows)}，{'、'.join(cols)}）一格"


# ---------------------------------------------------------------- 线、柱、点、示意图


def _describe_chart(axes, read):
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
        names = _ticks(axes.xaxis)
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
        free = [text for text in _shown(axes.texts) if text not in read]
        places = np.array([_anchor(text) for text in free], dtype=float).reshape(-1, 2)
        for xy in cloud.get_offsets():
            texts = [
                free[i] for i in np.flatnonzero(np.isclose(places, xy).all(axis=1)) if free[i] not in read
            ]
            read.update(texts[:1])
            name = _words(texts[0]) if texts else ""
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
    anchors += [(t.get_window_extent(renderer()), _words(t)) for t in _shown(axes.texts) if t not in read]
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    if arrows:
        parts.append("箭头：" + "、".join(_arrow_words(arrow, axes, anchors) for arrow in arrows))
    if legend := axes.get_legend():
        parts.append(f"图例：{'、'.join(_words(text) for text in legend.get_texts())}")
    return kind, parts


def _describe_shares(axes, read):
    """横着的条：每条按段念，段与段之间有空隙、和不是 1 都念出来。"""
    parts = [_describe_scale(axes.xaxis, "横轴")]
    read.update(_shown(axes.texts))
    for y, name in _ticks(axes.yaxis).items():
        words, end = [], 0
        for container in axes.containers:
            bar = container[int(y)]
            gap = "" if np.isclose(bar.get_x(), end) else f"（从 {significant(bar.get_x())} 起）"
            words.append(f"{container.get_label()} {significant(bar.get_width())}{gap}")
            end = bar.get_x() + bar.get_width()
        total = "" if np.isclose(end, 1) else f"，和 {significant(end)}"
        parts.append(f"{name}：{'、'.join(words)}{total}")
    if notes := [_words(text).strip() for text in axes.texts if _words(text).strip().startswith("和 ")]:
        parts.append("旁边写着：" + "、".join(notes))
    return parts


def _describe_scale(axis, word):
    name, ticks = _words(axis.label), "、".join(_ticks(axis).values())
    words = f"{word}={name} " if name else f"{word}"
    words += span(*axis.get_view_interval()) + ("，对数刻度" if axis.get_scale() == "log" else "")
    return words + (f"，刻度 {ticks}" if ticks else "")


def _anchor(text):
    """一段文字标注的点：`annotate` 写的是它的 xy，别的文字是它自己的位置。"""
    return getattr(text, "xy", text.get_position())


def _bar_words(bar, names, axes, read):
    center, height = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()
    texts = [text for text in _shown(axes.texts) if np.isclose(_anchor(text)[0], center)]
    read.update(texts)
    number = _number([_words(text) for text in texts], height, "柱高") if texts else significant(height)
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
        for text in _shown(axes.texts):
            x, y = axes.transData.transform(text.get_position())
            if extent.x0 <= x <= extent.x1 and y <= extent.y1 and text not in read:
                (inside if y >= extent.y0 else below).append((-y, _words(text)))
                read.add(text)
        name, *content = [words for _, words in sorted(inside)] or ["空框"]
        result = " ".join(words for _, words in sorted(below))
        lit = "（点亮）" if same_color(box.get_facecolor(), LIT_COLOR) else ""
        parts.append(f"框「{name}」{lit} {'，'.join(content)}" + (f" → {result}" if result else ""))
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

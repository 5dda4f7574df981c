"""描述：把画好的图念成中文，全部读自图元，不看画图的参数。"""

import itertools

import numpy as np
from matplotlib.patches import Rectangle

from utils.numbers import significant
from utils.plotting.description_charts import describe_chart, span
from utils.plotting.read_back import number_words, shown_texts, tick_words, words_of
from utils.plotting.style import color_name, course_context

_MAPS = {"RdBu": "RdBu（红负蓝正）"}


@course_context()
def describe(figure):
    """课程的一张图的中文描述，一个坐标系一行：标题、轴名、刻度文字、格子里的数、颜色范围、框、线、柱、点、文字。

    图元与图元对不上时（比如格子里写的数不是底下数组的数），两个都写出来。
    """
    lines = [f"图「{words_of(figure._suptitle)}」"] if figure._suptitle else []
    if figure._supxlabel:
        lines.append(f"横轴={words_of(figure._supxlabel)}")
    lines += _arrangement(figure)
    lines += [_describe_axes(axes) for axes in figure.axes if axes.get_visible()]
    return "\n".join(line for line in lines if line)


def _arrangement(figure):
    """坐标系之间的文字（如 @、=）连同矩阵的标题，按从上到下、从左到右念成算式。"""
    texts = [t for t in shown_texts(figure.texts) if t not in (figure._suptitle, figure._supxlabel)]
    items = [(round(t.get_position()[1], 2), t.get_position()[0], words_of(t)) for t in texts]
    for axes in figure.axes if texts else ():
        if axes.images:
            box = axes.get_position()
            name = words_of(axes.title) or "、".join(tick_words(axes.yaxis).values())
            items.append((round((box.y0 + box.y1) / 2, 2), box.x0, f"[{name}]"))
    items.sort(key=lambda item: (-item[0], item[1]))
    rows = [" ".join(item[2] for item in row) for _, row in itertools.groupby(items, lambda item: item[0])]
    return [f"排列：{'；'.join(rows)}"] if rows else []


def _describe_axes(axes):
    """一个坐标系一行：种类「标题」：…；…。read 收集已经念过的文字，剩下的放在最后。"""
    read = set()
    if hasattr(axes, "_colorbar"):
        norm = axes._colorbar.norm
        return f"颜色条：{span(norm.vmin, norm.vmax)}，刻度 {'、'.join(tick_words(axes.yaxis).values())}"
    kind, parts = _describe_image(axes, read) if axes.images else describe_chart(axes, read)
    if words_of(axes.title):
        color = color_name(axes.spines["top"].get_edgecolor())
        kind += f"「{words_of(axes.title)}」" + (f"（{color}色）" if color else "")
    rest = [words_of(text) for text in shown_texts(axes.texts) if text not in read]
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
    for text in shown_texts(axes.texts):
        x, y = text.get_position()
        if -0.5 < x < cols - 0.5 and -0.5 < y < rows - 0.5:
            cells.setdefault((round(y), round(x)), []).append(words_of(text))
        elif x > cols - 0.5:
            right.append((y, words_of(text)))
        elif y > rows - 0.5:
            below.append((x, words_of(text)))
        else:
            continue
        read.add(text)
    if cells:
        lines = (
            " ".join([row_names[i], *(number_words(cells.get((i, j), []), array[i, j]) for j in col_order)])
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
    ticks, name = tick_words(axis), words_of(axis.label)
    shown = "、".join(ticks[i] for i in order if i in ticks)
    if name or shown:
        parts.append(f"{word}={name} {shown}".rstrip() if name else f"{word}：{shown}")
    return order, [ticks.get(i, f"第 {order.index(i) + 1} {word}") for i in range(count)]


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

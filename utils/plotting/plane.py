"""平面图：V 的每一行是一点，输出总在它们围成的多边形里。"""

import numpy as np
from matplotlib.patches import FancyArrowPatch, Polygon

from utils.checks import as_arrays, as_integer, as_names, require
from utils.plotting.charts import even_ticks, set_ticks, tidy
from utils.plotting.figure import new_figure, settle
from utils.plotting.style import BASE, DPI, INK, PAD, QKV_COLORS, TITLE, course_context, text_color
from utils.plotting.text import shorten, text_height, text_width, widest, wrap

MOST_NAMED = 12  # 再多，名字和箭头就盖住了点
SIDE = 380  # 正方形坐标系的边长，CSS 像素
ARROW, PINK = "#8C8C8C", "#CC79A7"


@course_context()
def plot_value_plane(V, output, tokens, *, value_names, title, query=None):
    """V 的每一行是平面上的一点，连成的多边形里是输出：权重不为负、每行的和为 1，所以输出总在里面。

    V : (n, 2)，每个词元的值；output : (n, 2)，每个词元的输出。
    query : 只画一个词元的输出时，它是第几个（从 0 数起）；这时 output 是 (1, 2)。
    tokens : n 个词元，多于 12 个时不写名字，不画箭头；value_names : V 两列的名字。
    返回 `CourseFigure`。ValueError：形状或个数不对。
    """
    V, output = as_arrays("(n, d_v), (m, d_v)", V=V, output=output)
    require(
        V.shape[1] == 2 and len(output) == (len(V) if query is None else 1),
        "画在平面上，V 和 output 都要是 (n, 2)，给了 query 时 output 是 (1, 2)",
        f"V {V.shape}，output {output.shape}",
        "各取两列，行也对上",
    )
    queries = range(len(V)) if query is None else [as_integer("query", query, 0, len(V) - 1, 0)]
    tokens = [shorten(token, 120) for token in as_names("tokens", tokens, len(V), "行")]
    value_names = [shorten(name, SIDE) for name in as_names("value_names", value_names, 2, "列")]
    points = np.vstack([V, output])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = np.where(high > low, (high - low) * 0.14, 0.5)

    title = wrap(title)
    width = max(SIDE + 112, widest([title], TITLE) + 2 * PAD)
    figure = new_figure(width, SIDE + 132 + text_height(title, TITLE))
    figure.suptitle(title)
    axes = figure.subplots()
    axes.set_box_aspect(1)
    (left, bottom), (right, top) = low - margin, high + margin
    axes.set(xlim=(left, right), ylim=(bottom, top), xlabel=value_names[0], ylabel=value_names[1])
    for axis, a, b in zip((axes.xaxis, axes.yaxis), low - margin / 2, high + margin / 2, strict=True):
        set_ticks(axis, even_ticks(a, b, 4))
    axes.yaxis.labelpad = 7
    tidy(axes)
    axes.grid(color="#EDEDED", linewidth=0.8)

    hull, green, named = _hull(V), QKV_COLORS["V"], len(V) <= MOST_NAMED
    axes.add_patch(Polygon(hull, facecolor=green + "18", edgecolor=green, linewidth=1.2))
    moves = list(zip(V[queries], output, strict=True)) if named else []
    for start, end in moves:
        if not np.allclose(start, end):
            style = {"arrowstyle": "->,head_width=3,head_length=5", "color": ARROW, "linewidth": 1}
            axes.add_patch(FancyArrowPatch(start, end, shrinkA=7, shrinkB=7, zorder=2, **style))
    size = 80 if named else 16
    axes.scatter(*V.T, s=size, color=green, marker="s", label="V 的一行", zorder=3)
    axes.scatter(*output.T, s=size, color=PINK, edgecolor=INK, label="输出的一行", zorder=4)
    legend = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 2, "frameon": False}
    axes.legend(**legend, borderaxespad=0.2, handletextpad=0.3)
    settle(figure)
    if named:
        names = [*tokens, *(f"新{tokens[i]}" for i in queries)]
        colors = [text_color(green)] * len(V) + [INK] * len(queries)
        _write_names(axes, points, names, colors, [*moves, *zip(hull, hull[1:] + hull[:1], strict=True)])
    return figure


def _hull(points):
    """若干点的凸包，逆时针（Andrew 的单调链算法）；少于三个不共线的点时只是一条线段。"""
    points = sorted(set(map(tuple, points)))

    def half(points):
        chain = []
        for x, y in points:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return half(points) + half(points[::-1]) if len(points) > 2 else points


def _write_names(axes, points, names, colors, strokes):
    """名字写在点旁边 16 个方向中最空的一个：不伸到图外，压住的点和线最少，其次朝外，图的中间留空。"""
    pixels = axes.transData.transform(np.array(points))
    lines = [axes.transData.transform(np.linspace(*stroke, 100)) for stroke in strokes]
    taken, center = np.concatenate([pixels, *lines]), pixels.mean(axis=0)
    angles = np.arange(16) * np.pi / 8
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    for point, xy, name, color in zip(points, pixels, names, colors, strict=True):
        half = np.array([text_width(name, BASE), 0.8 * text_height(name, BASE)]) / 2
        middles = xy + directions * (10 + np.abs(directions) @ half)[:, None]
        covered = [(np.abs(taken - middle) < half + 4).all(axis=1).sum() for middle in middles]
        outside = (middles < half) | (middles > axes.figure.bbox.size - half)  # 名字不能伸到图外
        covered = covered + np.size(taken) * outside.any(axis=1)
        inward = directions @ (center - xy) / (np.hypot(*(center - xy)) + 1)
        middle = middles[np.lexsort([inward.round(3), covered])[0]]
        offset = (middle - xy) * 72 / DPI
        look = {"ha": "center", "va": "center_baseline", "color": color, "zorder": 5}
        axes.annotate(name, point, xytext=offset, textcoords="offset points", **look)
        box = middle + half * [(i, j) for i in np.linspace(-1, 1, 9) for j in (-1, 0, 1)]
        taken = np.concatenate([taken, box])

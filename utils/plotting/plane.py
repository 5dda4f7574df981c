"""平面图：V 的每一行是一点，输出总在它们围成的多边形里。"""

import itertools

import numpy as np
from matplotlib.patches import FancyArrowPatch, Polygon

from utils.checks import is_integer, shown
from utils.plotting import checks
from utils.plotting.charts import even_ticks, set_ticks, tidy
from utils.plotting.figure import new_figure, settle
from utils.plotting.style import BASE, DPI, INK, PAD, QKV_COLORS, TITLE, course_context, text_color
from utils.plotting.text import shorten, text_height, text_width, widest, wrap

MOST_NAMED = 24  # 再多，名字和箭头就盖住了点
OUTERMOST = 12  # 太多时只写最外面几个的名字
SIDE = 380  # 正方形坐标系的边长，CSS 像素
ARROW, LEADER, PINK = "#8C8C8C", "#BDBDBD", "#CC79A7"


@course_context()
def plot_value_plane(V, output, tokens, *, value_names, title, query=None):
    """V 的每一行是平面上的一点，连成的多边形里是输出：权重不为负、每行的和为 1，所以输出总在里面。

    参数
    - V: (n, 2)，每个词元的值；output: (n, 2)，每个词元的输出。
    - query: 只画一个词元的输出时，它是第几个（从 0 数起）；这时 output 是 (1, 2)。
    - tokens: n 个词元，多于 24 个时只写最外面几个的名字，不画箭头；value_names: V 两列的名字。

    返回 `CourseFigure`。形状或个数不对时抛出 ValueError。
    """
    V, output = checks.matrix(V, "V"), checks.matrix(output, "output")
    if V.shape[1] != 2 or output.shape != ((len(V) if query is None else 1), 2):
        raise ValueError(
            f"画在平面上，V 和 output 都要是 (n, 2)，n 相同（给了 query 时 output 是 (1, 2)）；"
            f"收到 V {V.shape}、output {output.shape}。请各取两列。"
        )
    if query is not None and not is_integer(query, 0, len(V) - 1):
        raise ValueError(
            f"query 是词元的序号，从 0 到 {len(V) - 1}（V 的形状是 {V.shape}）；收到 {shown(query)}。"
        )
    queries = range(len(V)) if query is None else [query]
    tokens = [shorten(token, 120) for token in checks.required_labels(tokens, len(V), "行", V.shape)]
    value_names = [shorten(name, SIDE) for name in checks.required_labels(value_names, 2, "列", V.shape)]
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

    hull = _hull(V)
    green = QKV_COLORS["V"]
    if len(hull) > 1:
        axes.add_patch(Polygon(hull, facecolor=green + "18", edgecolor=green, linewidth=1.2))
    crowded = len(V) > MOST_NAMED
    moves = list(zip(V[queries], output, strict=True)) if not crowded or query is not None else []
    for start, end in moves:
        if not np.allclose(start, end):
            style = {"arrowstyle": "->,head_width=3,head_length=5", "color": ARROW, "linewidth": 1}
            axes.add_patch(FancyArrowPatch(start, end, shrinkA=7, shrinkB=7, zorder=2, **style))
    size = 16 if crowded else 80
    axes.scatter(*V.T, s=size, color=green, marker="s", label="V 的一行", zorder=3)
    axes.scatter(*output.T, s=size, color=PINK, edgecolor=INK, label="输出的一行", zorder=4)
    legend = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 2, "frameon": False}
    axes.legend(**legend, borderaxespad=0.2, handletextpad=0.3)
    settle(figure)
    names = [*tokens, *(f"新{tokens[i]}" for i in queries)]
    colors = [text_color(green)] * len(V) + [INK] * len(queries)
    strokes = [*moves, *zip(hull, hull[1:] + hull[:1], strict=True)]
    named = range(len(points))
    if crowded:
        step = -(-len(hull) // OUTERMOST)
        named = [int(np.flatnonzero((corner == V).all(axis=1))[0]) for corner in hull[::step]]
        named += [] if query is None else [query, len(V)]
        named = sorted(set(named))
    chosen = ([values[i] for i in named] for values in (points, names, colors))
    _write_names(axes, *chosen, strokes)
    return figure


def _hull(points):
    """若干点的凸包，逆时针（Andrew 的单调链算法）；少于三个不共线的点时只是一条线段。"""
    points = sorted(set(map(tuple, points)))
    if len(points) < 3:
        return points

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

    return half(points) + half(points[::-1])


def _write_names(axes, points, names, colors, strokes):
    """在每个点旁边写名字：试周围的 5 圈 × 16 个方向，取最不压住点、线和别的名字的一处。"""
    pixels = axes.transData.transform(np.array(points))
    center, frame = pixels.mean(axis=0), axes.bbox
    taken = [(*(xy - 7), *(xy + 7)) for xy in pixels]  # 占用的地方：(左, 下, 右, 上)
    for start, end in (axes.transData.transform(stroke) for stroke in strokes):
        steps = np.linspace(0, 1, 2 + int(np.hypot(*(end - start)) // 4))
        taken += [(*(xy - 4), *(xy + 4)) for xy in start + steps[:, None] * (end - start)]
    angles = np.arange(16) * np.pi / 8
    for point, xy, name, color in zip(points, pixels, names, colors, strict=True):
        half = np.array([text_width(name, BASE), 0.8 * text_height(name, BASE)]) / 2
        options, others = [], np.array(taken)
        for distance, angle in itertools.product((10, 16, 26, 40, 60), angles):
            direction = np.array([np.cos(angle), np.sin(angle)])
            middle = xy + direction * (distance + np.abs(direction) @ half)
            low, high = middle - half, middle + half
            covered = np.minimum(high, others[:, 2:]) - np.maximum(low, others[:, :2])
            cost = np.prod(np.maximum(covered, 0), axis=1).sum() + distance
            cost += 0 if (low >= frame.min).all() and (high <= frame.max).all() else 1e6
            cost += 4 * direction @ (center - xy) / (np.hypot(*(center - xy)) + 1)  # 朝外写，图的中间留空
            options.append((round(cost, 3), distance, middle, (*(low - 4), *(high + 4))))
        _, distance, middle, box = min(options, key=lambda option: option[0])
        taken.append(box)
        axes.annotate(
            name,
            point,
            xytext=(middle - xy) * 72 / DPI,
            textcoords="offset points",
            ha="center",
            va="center_baseline",
            color=color,
            arrowprops={"arrowstyle": "-", "color": LEADER, "shrinkB": 4} if distance > 20 else None,
            zorder=5,
        )

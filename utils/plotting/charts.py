"""折线图和柱状图。"""

import itertools
import math

import numpy as np
from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter

from utils.characters import printable
from utils.checks import LARGEST, as_array, as_dict, as_names, is_number, require, shown
from utils.numbers import decimals, fixed, significant, steady, tick
from utils.plotting.figure import new_figure, settle
from utils.plotting.style import (
    BASE,
    COLORS,
    FRAME,
    MAX_NUMBERED,
    MAX_WIDTH,
    PAD,
    ROOM,
    SMALL,
    TITLE,
    course_context,
)
from utils.plotting.text import (
    column_labels,
    shorten,
    text_height,
    widest,
    wrap,
    write_column_labels,
)

WIDEST_NUMBER = 100  # 更宽的数（十几位）写不到柱顶上

# 颜色、记号、线型：黑白打印也分得开
_SERIES = list(zip(COLORS.values(), "os^DvP", ("-", "--", "-.", ":", "-", "--"), strict=True))


@course_context()
def plot_lines(x, series, *, title, x_name, y_name, log_x=False, log_y=False):
    """折线图，每条线有自己的颜色、线型和记号（多于 40 个点时不画记号）。

    x : (n,)；series : {名字: (n,)}；log_x, log_y : 用对数刻度（数据必须大于 0）。
    返回 `CourseFigure`。ValueError：长度不同，对数刻度下有不大于 0 的数。
    """
    x = as_array("x", x, "(n,)")
    series = as_dict("series", series, "{'缩放前': y}")
    lines = {shorten(name, ROOM - 100): as_array(name, y, "(n,)") for name, y in series.items()}
    for name, values in lines.items():
        received = f"x {x.shape}，「{name}」{values.shape}"
        require(values.shape == x.shape, "每条线要与 x 一样长", received, "让每个 x 对应一个 y")
    y = np.concatenate(list(lines.values()))
    for axis, log, values in (("x", log_x, x), ("y", log_y, y)):
        require(
            not log or values.min() > 0,
            f"log_{axis}=True 时 {axis} 必须大于 0",
            f"形状 {values.shape}，最小的是 {significant(values.min())}",
            f"去掉这些点，或写 log_{axis}=False",
        )
    title = wrap(title)
    columns = max(1, min(len(lines), int(ROOM // (widest(lines, BASE) + 62))))  # 图例排在标题下面，不遮住数据
    legend_height = 28 * -(-len(lines) // columns)
    figure = new_figure(MAX_WIDTH, 334 + text_height(title, TITLE) + legend_height)
    figure.suptitle(title)
    axes = figure.subplots()
    for (name, values), (color, marker, style) in zip(lines.items(), itertools.cycle(_SERIES), strict=False):
        marker = marker if len(x) <= 40 else None
        axes.plot(x, values, style, label=name, color=color, marker=marker, linewidth=2, markersize=6)
    axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
    axes.set(
        xlabel=printable(x_name),
        ylabel=printable(y_name),
        xlim=_margins(x, log_x, 0.03),
        ylim=_margins(y, log_y, 0.06),
    )
    if not log_y and 0 <= y.min() < 0.4 * y.max():
        axes.set_ylim(bottom=0 if y.min() > 0.02 * y.max() else -0.03 * y.max())
    for axis, values, log, count in ((axes.xaxis, x, log_x, 10), (axes.yaxis, y, log_y, 5)):
        low, high = axis.get_view_interval()
        ticks = _log_ticks((low, high), values) if log else even_ticks(low, high, count)
        set_ticks(axis, ticks, _between_powers(low, high) if log and ticks is not values else ())
    axes.yaxis.labelpad = 6
    tidy(axes)
    axes.grid(color="#E6E6E6", linewidth=0.8)
    legend = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": columns, "frameon": False}
    axes.legend(**legend, handlelength=2.2, borderaxespad=0.3, columnspacing=1.4)
    settle(figure)
    return figure


def _margins(values, log, share):
    """数据的范围，两头各留 share。"""
    low, high = values.min(), values.max()
    if log:
        factor = 10 ** (share * (np.log10(high) - np.log10(low))) if high > low else 2  # 不先相除：会溢出
        return max(low / factor, 5e-324), high * factor  # 下端不会小到成为 0
    margin = (high - low) * share or max(abs(high), 1) * 0.1
    return low - margin, high + margin


def even_ticks(low, high, count):
    """整齐的刻度，最多 count 段，不超出范围。"""
    ticks = MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [steady(value) for value in ticks if low - 1e-9 <= value <= high + 1e-9]


def _log_ticks(limits, values):
    """对数轴的刻度：10 的幂；不够两个时写数据自己的两端。values 在轴上均匀时（如 1、2、4、8）写它们自己。"""
    steps = np.diff(np.log(values))
    if 1 < len(values) <= 12 and steps.min() > 0 and np.allclose(steps, steps[0]):
        return values
    ticks = [10.0**power for power in _powers(*np.log10(limits))]
    return ticks if len(ticks) > 1 else sorted({float(f"{v:.2g}") for v in (values.min(), values.max())})


def _powers(low, high, most=9):
    """low 到 high 之间等距的整数，不超过 most 个：步子尽量小，个数尽量多。

    不用 LogLocator：它取哪几个，随 matplotlib 的版本而变。
    """
    first, last = math.ceil(low), math.floor(high)
    choices = (
        range(start, last + 1, step) for step in itertools.count(1) for start in range(first, first + step)
    )
    return next(powers for powers in choices if len(powers) <= most)


def _between_powers(low, high):
    """对数轴上两个 10 的幂之间的小刻度 2…9：越往上越密，一眼看出不是均匀的；跨太多个 10 倍就只画 10 的幂。"""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = range(2, 10) if len(powers) <= 9 else [1] if len(powers) < 60 else []
    ticks = [step * 10.0**power for power in powers for step in steps]
    return [value for value in ticks if low <= value <= high]


def set_ticks(axis, ticks, small=()):
    """大刻度写数；small 是不写数的小刻度。"""
    axis.set_ticks(ticks, labels=[tick(value) for value in ticks])
    axis.set_minor_locator(FixedLocator(small))
    axis.set_minor_formatter(NullFormatter())


def tidy(axes):
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=4, pad=5)
    axes.set_axisbelow(True)


@course_context()
def plot_bars(panels, *, title, x_name, y_name, y_max=None, x_labels=None):
    """几幅小柱状图并排，共用一条纵轴；不超过 12 根柱时，每根柱上写着数（太长的数不写）。

    panels : {"不缩放": (n,), "÷√d_k": (n,), …}；y_max : 纵轴的上端，不给就按数据取。
    x_labels : n 个柱的名字，或者 {小标题: 这一幅的名字}；不给就写 1…n。
    返回 `CourseFigure`。ValueError：不是一行数、标签数不对、y_max 比最高的柱还低。
    """
    panels = as_dict("panels", panels, "{'权重': row}")
    rows = {shorten(name, ROOM - 100): as_array(name, values, "(n,)") for name, values in panels.items()}
    own = x_labels if isinstance(x_labels, dict) else dict.fromkeys(panels, x_labels)
    own = {shorten(name, ROOM - 100): names for name, names in own.items()}
    labels = {
        name: range(1, len(row) + 1)
        if own.get(name) is None
        else as_names("x_labels", own[name], len(row), "柱")
        for name, row in rows.items()
    }
    values = np.concatenate(list(rows.values()))
    low, high = min(0, values.min()), max(0, values.max())
    require(
        y_max is None or is_number(y_max, high - 1e-9, LARGEST),
        f"y_max 是纵轴的上端，必须是不小于最高的柱 {significant(high)} 的数",
        shown(y_max),
        "改大一些，或者不写：按数据取",
    )
    high = high if y_max is None else float(y_max)
    count = max(len(row) for row in rows.values())
    places = max(decimals(row) for row in rows.values())
    texts = {name: [fixed(value, places) for value in row] for name, row in rows.items()}
    numbered = count <= MAX_NUMBERED and max(widest(row, SMALL) for row in texts.values()) <= WIDEST_NUMBER
    texts = texts if numbered else {name: [] for name in rows}

    # 一行放得下几幅，每幅多宽
    room, gap = ROOM - 60, 2 * PAD
    bar_width = max(34, *(widest(row, SMALL) + 8 for row in texts.values())) if numbered else room / count
    needed = max(bar_width * count, widest(rows, BASE))
    lines = -(-len(rows) // max(1, int((room + gap) // (needed + gap))))
    columns = -(-len(rows) // lines)
    panel_width = min((room + gap) / columns - gap, max(needed, 150, 56 * count))
    slot = panel_width / count
    ticks = {name: column_labels([shorten(label) for label in row], slot) for name, row in labels.items()}
    label_height = max(height for row in ticks.values() for *_, height in row)
    body = 212 if lines == 1 else 155  # 柱、柱顶的数和小标题

    title = wrap(title)
    width = 2 * PAD + max(60 + columns * (panel_width + gap) - gap, widest([title], TITLE))
    figure = new_figure(width, text_height(title, TITLE) + lines * (body + label_height) + 51)
    figure.suptitle(title)
    figure.supxlabel(printable(x_name), size=BASE)
    grid = figure.subplots(lines, columns, sharey=True, squeeze=False)
    for axes in grid.flat[len(rows) :]:
        axes.remove()
    for axes, (name, row) in zip(grid.flat, rows.items(), strict=False):
        bars = axes.bar(range(len(row)), row, width=0.62, color="#4C78A8")
        if numbered:
            for label in axes.bar_label(bars, texts[name], padding=3, size=SMALL):
                label.set_annotation_clip(False)
        axes.set_title(name, size=BASE, y=1, pad=22 if numbered else 7)  # 柱顶的数写在坐标系和小标题之间
        axes.set(xlim=(-0.5, count - 0.5), ylim=(low, high or 1))
        write_column_labels(axes.xaxis, ticks[name])
        set_ticks(axes.yaxis, even_ticks(low, high or 1, 3))
        tidy(axes)
        axes.tick_params(axis="x", length=0, pad=20 if numbered and low < 0 else 5)
        if low < 0:
            axes.axhline(0, color=FRAME, linewidth=0.8, label="_零线")
            axes.spines["bottom"].set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel(printable(y_name), labelpad=6)
    settle(figure)
    return figure

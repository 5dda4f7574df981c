"""箭头图：一对数是平面上的一支箭头，从原点出发；几幅并排，看它们怎样转。"""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from utils.checks import as_array, as_dict, refusal, require, shown
from utils.plotting.charts import set_ticks, tidy
from utils.plotting.figure import new_figure, settle
from utils.plotting.style import BASE, DPI, INK, PAD, QKV_COLORS, ROOM, TITLE, course_context, text_color
from utils.plotting.text import shorten, text_height, widest, wrap

SIDE, NARROW = 250, 154  # 一幅的边长，CSS 像素
MOST = 12  # 支；再多就看不清


@course_context()
def plot_arrows(panels, *, title, colors=None):
    """每幅里几支从原点出发的箭头；虚线圆的半径是 1，各幅的两轴都一样长。

    panels : {小标题: {名字: (x, y)}}；colors : 一幅里各支箭头的颜色，按先后，不够就从头再用。
        不给就是第 1 支查询的蓝色、第 2 支键的橙色，轮流。
    返回 `CourseFigure`。ValueError：不是两个数，或一幅多于 12 支。
    """
    panels = {
        shorten(name): {
            shorten(each): as_array(each, xy, "(2,)")
            for each, xy in as_dict("arrows", arrows, "{'q': (1, 0)}").items()
        }
        for name, arrows in as_dict("panels", panels, "{'位置 0': {'q': (1, 0)}}").items()
    }
    for name, arrows in panels.items():
        wrong = [each for each, xy in arrows.items() if len(xy) != 2]
        if wrong:
            raise refusal(f"{wrong[0]} 必须是两个数", shown(arrows[wrong[0]]), "写成如 (1, 0)")
        require(len(arrows) <= MOST, f"一幅最多 {MOST} 支箭头", f"「{name}」{len(arrows)} 支", "分成几幅")
    colors = [QKV_COLORS["Q"], QKV_COLORS["K"]] if colors is None else list(colors)
    reach = 1.3 * max(1, *(np.hypot(*xy) for arrows in panels.values() for xy in arrows.values()))

    side = SIDE if len(panels) < 3 else NARROW
    columns = max(1, min(len(panels), int(ROOM // (side + 50))))
    lines, title = -(-len(panels) // columns), wrap(title)
    columns = -(-len(panels) // lines)  # 四幅排成两行两列，不是三幅加一幅
    width = max(columns * (side + 50), widest([title], TITLE)) + 2 * PAD
    figure = new_figure(width, lines * (side + 62) + text_height(title, TITLE) + PAD)
    figure.suptitle(title)
    grid = figure.subplots(lines, columns, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, (name, arrows) in zip(grid.flat, panels.items(), strict=False):
        axes.set_title(name, size=BASE, pad=6)
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach))
        axes.set_box_aspect(1)
        _draw(axes, arrows, [colors[i % len(colors)] for i in range(len(arrows))])
    settle(figure)
    return figure


def _draw(axes, arrows, colors):
    circle = np.linspace(0, 2 * np.pi, 97)
    axes.plot(np.cos(circle), np.sin(circle), ":", color="#8C8C8C", linewidth=1, label="_圆")
    tips = np.array(list(arrows.values()))
    axes.scatter(*tips.T, s=1, color=colors, label="箭头的头")
    style = {"arrowstyle": "-|>,head_width=3.5,head_length=7", "shrinkA": 0, "shrinkB": 0, "linewidth": 2}
    for (name, tip), color in zip(arrows.items(), colors, strict=True):
        axes.add_patch(FancyArrowPatch((0, 0), tip, color=color, zorder=3, **style))
        same = [other for other, end in arrows.items() if np.hypot(*(end - tip)) < 0.05]
        if same[0] == name:  # 头重合的几支，名字写在一起
            length = np.hypot(*tip)
            offset = (tip / length if length > 1e-9 else np.array([0, 1])) * 14 * 72 / DPI
            look = {"ha": "center", "va": "center_baseline", "color": text_color(color), "zorder": 5}
            axes.annotate("、".join(same), tip, xytext=offset, textcoords="offset points", **look)
    for axis in (axes.xaxis, axes.yaxis):
        set_ticks(axis, [-1, 0, 1])
    tidy(axes)
    axes.grid(color="#EDEDED", linewidth=0.8)
    axes.tick_params(labelcolor=INK)

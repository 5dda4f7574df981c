"""五个步骤的地图。"""

from matplotlib import patheffects
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from utils.checks import is_integer, require, shown
from utils.plotting.figure import new_figure, place, write_title
from utils.plotting.style import (
    BASE,
    GREY,
    INK,
    LIT_COLOR,
    MAX_WIDTH,
    QKV_COLORS,
    SMALL,
    course_context,
    text_color,
)

# 步骤名、公式、得到什么、形状
_STEPS = [
    ("1 投影", None, "Q, K (n, d_k)", "V (n, d_v)"),
    ("2 打分", r"$QK^{\top}$", "scores", "(n, n)"),
    ("3 缩放", r"$\div\,\sqrt{d_k}$", "scaled_scores", "(n, n)"),
    ("4 softmax", "每行的和 = 1", "weights", "(n, n)"),
    ("5 加权求和", r"$\mathrm{weights}\;V$", "output", "(n, d_v)"),
]


_EXTRA = {  # 第 7、8 本多出来的：结果的写法，和添在五步下面的框（从第几步到第几步，写什么）
    None: ("输出 (n, d_v)", ()),
    "mask": ("输出 (n, d_v)", ((3, 4, "遮住：不许看的格换成 −∞"),)),
    "heads": (
        "接上，× W_O → 输出 (n, d_model)",
        ((1, 1, "切成几个头"), (2, 5, "每个头各做一次第 2 到第 5 步")),
    ),
}
_LIT = {"facecolor": LIT_COLOR, "edgecolor": INK, "linewidth": 2.4}
_UNLIT = {"facecolor": "white", "edgecolor": "#A6A6A6", "linewidth": 1.2}


@course_context()
def plot_pipeline(current=None, *, extra=None):
    """自注意力的五个步骤：每一步的公式、结果的名字和形状；V 从第 1 步绕到第 5 步。

    current : 点亮第几步，1 到 5；None 表示都不点亮。
    extra : "mask" 在第 3、4 步之间添上遮住，"heads" 添上切开、每个头各做一次、接上；都点亮。
    返回 `CourseFigure`。ValueError：序号不对，或不认识的 extra。
    来源：Vaswani et al. 2017, "Attention Is All You Need", 3.2.1 节，式 (1)。
    """
    good = current is None or is_integer(current, 1, 5)
    require(good, "current 是步骤的序号，1 到 5", shown(current), "写成如 current=2，都不点亮就不写")
    known = extra is None or (isinstance(extra, str) and extra in _EXTRA)
    require(known, 'extra 只能是 "mask" 或 "heads"', shown(extra), "都不添就不写")
    result_text, added = _EXTRA[extra]
    width, height = MAX_WIDTH, 352 if added else 298
    box, gaps, top, bottom = 104, (36, 21, 21, 21), 122, 230
    figure = new_figure(width, height)
    write_title(figure, "自注意力的五个步骤")
    axes = place(figure, 0, 0, figure.bbox.width, figure.bbox.height)
    axes.set(xlim=(0, figure.bbox.width), ylim=(figure.bbox.height, 0))
    axes.axis("off")
    lefts = [(width - 5 * box - sum(gaps)) / 2 + i * box + sum(gaps[:i]) for i in range(5)]
    centers = [left + box / 2 for left in lefts]
    colors = {name: text_color(color, LIT_COLOR) for name, color in QKV_COLORS.items()}

    def write(x, y, text, size=BASE, color=INK, **kwargs):
        return axes.text(x, y, text, size=size, color=color, **{"ha": "center", "va": "center"} | kwargs)

    def arrow(points, color="#6B6B6B"):
        look = {"arrowstyle": "-|>,head_width=3.2,head_length=6", "linewidth": 1.8, "joinstyle": "round"}
        axes.add_patch(FancyArrowPatch(path=Path(points), color=color, zorder=1, **look))

    rounded = "round,pad=0,rounding_size=8"
    low, high = bottom + 62, bottom + 96  # 添上的框，最先画：描述里它们的字归它们自己
    for first, last, text in added:
        left, right = lefts[first - 1], lefts[last - 1] + box
        axes.add_patch(FancyBboxPatch((left, low), right - left, high - low, boxstyle=rounded, **_LIT))
        write((left + right) / 2, (low + high) / 2, text, SMALL)
    middle = (top + bottom) / 2
    lines = [top + 47, top + 68, top + 89]  # 第 1 步里 Q、K、V 三行
    for number, (name, formula, result, shape) in enumerate(_STEPS, start=1):
        left, center, lit = lefts[number - 1], centers[number - 1], number == current
        frame = FancyBboxPatch((left, top), box, bottom - top, boxstyle=rounded)
        frame.set(**_LIT if lit else _UNLIT)
        axes.add_patch(frame)
        ink = INK if lit or current is None else GREY
        label = write(center, top + 20, name, color=ink)
        if lit:  # 字体只有一种字重；描边当作粗体
            label.set_path_effects([patheffects.withStroke(linewidth=0.6, foreground=INK)])
        if formula is None:
            for y, letter in zip(lines, "QKV", strict=True):
                text = f"${letter} = X\\,W_{letter}$"
                write(center, y, text, 14, colors[letter], parse_math=True)
        else:
            math = formula.startswith("$")
            write(center, middle + 12, formula, 15 if math else SMALL, ink, parse_math=math)
        write(center, bottom + 18, result, SMALL, ink)
        write(center, bottom + 40, shape, SMALL, ink if number == 1 else GREY)
    arrow([(lefts[0] + box + 2, lines[0]), (lefts[1] - 2, lines[0])], QKV_COLORS["Q"])
    arrow([(lefts[0] + box + 2, lines[1]), (lefts[1] - 2, lines[1])], QKV_COLORS["K"])
    for i in (1, 2, 3):
        arrow([(lefts[i] + box + 2, middle), (lefts[i + 1] - 2, middle)])
    write(lefts[0], 58, "X (n, d_model)", SMALL, ha="left")
    write(lefts[4] + box, 58, result_text, SMALL, ha="right")
    enter, leave, lane = lefts[0] + 24, lefts[4] + box - 24, 92
    arrow([(enter, 70), (enter, top - 2)])
    arrow([(leave, top - 2), (leave, 70)])
    v_from, v_to = lefts[0] + box - 26, lefts[4] + 26
    arrow([(v_from, top - 2), (v_from, lane), (v_to, lane), (v_to, top - 2)], QKV_COLORS["V"])
    if extra == "mask":
        arrow([(lefts[3] - 9, low - 2), (lefts[3] - 9, middle + 4)])
    if extra == "heads":
        arrow([(lefts[0] + box + 2, (low + high) / 2), (lefts[1] - 2, (low + high) / 2)])
    white = {"facecolor": "white", "edgecolor": "none", "pad": 3}
    write((v_from + v_to) / 2, lane, "V (n, d_v)", SMALL, colors["V"], bbox=white)
    return figure

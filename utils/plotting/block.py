"""一个 Transformer 块的地图；一个模型全部的注意力图。"""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from utils.checks import as_array, as_divisor, as_integer, as_names, require
from utils.plotting.figure import new_figure, place, write_title
from utils.plotting.heatmaps import KEY_NAME, QUERY_NAME, as_weights
from utils.plotting.layout import compose
from utils.plotting.panel import Panel
from utils.plotting.style import BASE, FRAME, GREY, INK, LIT_COLOR, MAX_WIDTH, SMALL, course_context

_PAPER = {"d_model": 512, "heads": 8, "d_ff": 2048}  # 论文 3.1 节到 3.3 节
_WIDTHS = {"归一化": 68, "几个头": 90, "前馈": 122, "+": 34}
_TOP, _BOTTOM, _LANE, _GAP = 118, 214, 82, 19


@course_context()
def plot_block(*, d_model=8, heads=2, d_ff=32, norm_first=True):
    """一个块从左到右：归一化、几个头、加、归一化、前馈、加；上面的两条线是残差连接。

    框里上一行是这里的大小，下一行是论文的；框下面是得到的形状，也是两行。
    norm_first : False 画论文原来的次序：加完再归一化。返回 `CourseFigure`。
    ValueError：heads 不能整除 d_model，或者大小不是正整数。
    来源：Vaswani 等，2017，图 1，3.1 到 3.3 节。
    """
    d_ff = as_integer("d_ff", d_ff, 1, 10**6, 32)
    heads = as_divisor("heads", heads, as_integer("d_model", d_model, 1, 10**6, 8), "d_model")
    ours = {"d_model": d_model, "heads": heads, "d_ff": d_ff}
    order = ["归一化", "几个头", "+", "归一化", "前馈", "+"]
    order = order if norm_first else order[1:4] + order[4:] + order[:1]
    figure = new_figure(MAX_WIDTH, 290)
    when = "先归一化" if norm_first else "后归一化"
    write_title(figure, f"一个块，{when}：上一行是这里，下一行是论文")
    axes = place(figure, 0, 0, figure.bbox.width, figure.bbox.height)
    axes.set(xlim=(0, figure.bbox.width), ylim=(figure.bbox.height, 0))
    axes.axis("off")

    def write(x, y, text, size=SMALL, color=INK):
        axes.text(x, y, text, size=size, color=color, ha="center", va="center")

    def arrow(points, color="#6B6B6B"):
        look = {"arrowstyle": "-|>,head_width=3,head_length=5", "linewidth": 1.8, "joinstyle": "round"}
        axes.add_patch(FancyArrowPatch(path=Path(points), color=color, zorder=1, **look))

    x, middle, counts = 54, (_TOP + _BOTTOM) / 2, {}
    write(24, middle, "X", BASE)
    arrow([(32, middle), (x - 2, middle)])
    stream = 24  # 残差从哪里出发
    for kind in order:
        width, counts[kind] = _WIDTHS[kind], counts.get(kind, 0) + 1
        number = "①②"[counts[kind] - 1] if order.count(kind) > 1 else ""
        _box(axes, x, width, lit=kind == "+")
        center = x + width / 2
        lines = _lines(kind, ours), _lines(kind, _PAPER)
        write(center, _TOP + 22 if lines[0] else middle, f"{kind}{number}", BASE if lines[0] else SMALL)
        for y, line in zip((_TOP + 54, _TOP + 77), lines, strict=True):
            write(center, y, line, color=INK if y < middle + 10 else GREY) if line else None
        if kind != "+":
            write(center, _BOTTOM + 18, f"(3, {d_model})")
            write(center, _BOTTOM + 38, f"(n, {_PAPER['d_model']})", color=GREY)
        else:
            top = middle - 14 if stream == 24 else middle
            arrow([(stream, top), (stream, _LANE), (center, _LANE), (center, _TOP - 2)], "#0072B2")
        if kind == ("+" if norm_first else "归一化"):  # 下一条残差从这里的输出出发
            stream = x + width + 7
        arrow([(x + width + 1, middle), (x + width + _GAP - 1, middle)])
        x += width + _GAP
    write(x + 22, middle, "输出", BASE)
    return figure


@course_context()
def plot_all_heads(maps, tokens, *, title):
    """一个模型读一段文字时的全部注意力图：一行一块，一列一个头，颜色总是从 0 到 1。

    maps : (块, 头, n, n) 的权重；tokens : n 个词元。返回 `CourseFigure`。
    ValueError：不是四维，数不在 0 到 1 之间，词元个数不对。
    """
    maps = as_array("maps", maps, "(blocks, heads, n_q, n_k)")
    tokens = as_names("tokens", tokens, maps.shape[-1], "个键")
    require(maps.shape[2] == maps.shape[3], "每张图的行数要等于列数", f"{maps.shape}", "用 weights_of 取出")
    rows = [
        [
            Panel(as_weights("maps", head), f"块 {b} 头 {h}", row_labels=tokens, col_labels=tokens)
            for h, head in enumerate(block, start=1)
        ]
        for b, block in enumerate(maps, start=1)
    ]
    return compose(rows, title=title, footer=[f"行：{QUERY_NAME}；列：{KEY_NAME}"])


def _lines(kind, sizes):
    """框里写的大小。"""
    if kind == "几个头":
        return f"{sizes['heads']} 头 × {sizes['d_model'] // sizes['heads']}"
    return f"{sizes['d_model']}→{sizes['d_ff']}→{sizes['d_model']}" if kind == "前馈" else ""


def _box(axes, x, width, lit):
    frame = FancyBboxPatch((x, _TOP), width, _BOTTOM - _TOP, boxstyle="round,pad=0,rounding_size=8")
    frame.set(facecolor=LIT_COLOR if lit else "white", edgecolor=FRAME, linewidth=1.4)
    axes.add_patch(frame)

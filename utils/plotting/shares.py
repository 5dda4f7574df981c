"""份额图：一份注意力怎样分。"""

import numpy as np

from utils.checks import as_names
from utils.numbers import fixed
from utils.plotting.charts import even_ticks, set_ticks, tidy
from utils.plotting.figure import new_figure, settle
from utils.plotting.heatmaps import as_weights
from utils.plotting.style import (
    BASE,
    COLORS,
    FRAME,
    INK,
    MAX_WIDTH,
    PAD,
    SMALL,
    TITLE,
    course_context,
    lighter,
)
from utils.plotting.text import shorten, text_height, text_width, widest, wrap

# 相邻两段对哪种色盲都分得出（绿、紫几乎同色，不挨着）；黑冲淡成深灰，黑字看不清，不用
_COLORS = [lighter(COLORS[name]) for name in ("蓝", "橙", "绿", "浅蓝", "紫")]
BAR_HEIGHT = 46  # 一条连同间隔的高


@course_context()
def plot_shares(weights, tokens, *, title, key_tokens=None):
    """一条一个查询，长度是 1，按键切成几段：一段是给这个键的份额。和不是 1 的一行，条长就不是 1，旁边写着和。

    weights : (n_q, n_k)，每个数在 0 到 1 之间；tokens : n_q 个查询的名字；
    key_tokens : n_k 个键词元，不给就与 tokens 相同。
    返回 `CourseFigure`。ValueError：数值越界、名字的个数不对。
    """
    array = as_weights("weights", weights)
    n_q, n_k = array.shape
    rows = [shorten(name) for name in as_names("tokens", tokens, n_q, "行")]
    keys = as_names("key_tokens", tokens if key_tokens is None else key_tokens, n_k, "列")
    keys = [shorten(name) for name in keys]
    sums = array.sum(axis=1)
    end = sums.max() if sums.max() > 1 + 1e-9 else 1  # 1.0000000000000002 也是 1
    title = wrap(title)
    room = (MAX_WIDTH - 4 * PAD - widest(rows, BASE) - 70) / end  # 长度 1 大约几个像素
    lines = -(-n_k // max(1, int(room * end // (widest(keys, BASE) + 60))))  # 图例的行数
    figure = new_figure(MAX_WIDTH, text_height(title, TITLE) + BAR_HEIGHT * n_q + 28 * lines + 77)
    figure.suptitle(title)
    axes = figure.subplots()
    lefts = np.cumsum(array, axis=1) - array
    for j, key in enumerate(keys):
        color, hatch = _COLORS[j % len(_COLORS)], ("", "//", "..")[j // len(_COLORS) % 3]
        bars = axes.barh(range(n_q), array[:, j], left=lefts[:, j], height=0.62, color=color)
        for bar in bars:
            bar.set(edgecolor="white", linewidth=1.5, hatch=hatch)
        for i in range(n_q):
            number = fixed(array[i, j], 2)
            words = [
                text
                for text in (f"{key} {number}", number)
                if text_width(text, SMALL) < array[i, j] * room - 6
            ]
            if words:
                middle = lefts[i, j] + array[i, j] / 2
                axes.text(middle, i, words[0], ha="center", va="center", size=SMALL, color=INK)
    for i in np.flatnonzero(np.abs(sums - 1) > 1e-6):
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # 虚线不从字上穿过
        axes.text(
            sums[i] + 0.01, i, f"和 {fixed(sums[i], 4)}", va="center", size=SMALL, color=INK, bbox=paper
        )
    axes.axvline(1, color=FRAME, linestyle="--", linewidth=1, label="_一")
    axes.set(xlim=(0, end if end == 1 else end * 1.15), ylim=(n_q - 0.5, -0.5), xlabel="份额")
    axes.set_yticks(range(n_q), labels=rows)
    set_ticks(axes.xaxis, even_ticks(0, end, 5))
    tidy(axes)
    legend = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "frameon": False, "borderaxespad": 0.3}
    axes.legend(
        axes.containers,
        keys,
        **legend,
        ncols=-(-n_k // lines),
        handlelength=1.2,
        handletextpad=0.4,
        columnspacing=1.4,
    )
    settle(figure)
    return figure

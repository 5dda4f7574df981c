"""排版：把一行行的矩阵排成一张图，格子多大由放不放得下决定。长度是 CSS 像素。"""

from itertools import pairwise

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from utils.numbers import tick
from utils.plotting.figure import LINE, new_figure, place, write_text, write_title
from utils.plotting.style import BASE, PAD, ROOM, SMALL, TITLE, colormap
from utils.plotting.text import LABEL_ROOM, text_height, widest, wrap

CELL = 48  # 一格的边长；放不下时缩小
OPERATOR, GAP = 34, 22  # 两个矩阵之间：有运算符、没有运算符
LEAST_LABEL_ROOM = 96  # 名字太长、放不下格子时截短
COLOR_BAR = 100  # 不写数的图右边有颜色条


def compose(rows, *, title="", limit=None, footer=()):
    """一张图：rows 是一行行的 Panel，footer 是写在图底的几行字。

    颜色从 −limit 到 limit；limit 是 None 时是权重，从 0 到 1。
    """
    rows, cell, size = next(layout for layout in _layouts(rows) if _fits(*layout))
    bar = 0 if _numbered(rows) else COLOR_BAR
    alone = [row[0] for row in rows if len(row) == 1]
    for panel in alone:  # 上下排列的矩阵左边对齐
        panel.min_left = max(other.names_width for other in alone)
    placed = [_across(row, cell) for row in rows]
    above = [max(box.top + box.height / 2 for _, box, _ in row) for row, _ in placed]
    below = [max(box.bottom + box.height / 2 for _, box, _ in row) for row, _ in placed]
    # 没有标题的两行（plot_score 的三条）靠得近一些
    gaps = [26 if any(panel.title for panel in [*one, *next_]) else 10 for one, next_ in pairwise(rows)]

    title = wrap(title)
    head = PAD + (text_height(title, TITLE) + 12 if title else 0)
    foot = PAD + (LINE * len(footer) + 8 if footer else 0)
    content = max(width for _, width in placed) + bar
    width = 2 * PAD + max(content, widest([title], TITLE), widest(footer, BASE))
    figure = new_figure(width, head + sum(above) + sum(below) + sum(gaps) + foot)
    if title:
        write_title(figure, title)

    norm = Normalize(-limit, limit) if limit else Normalize(0, 1)
    colors = colormap("signed" if limit else "weights")
    y = head
    for (row, row_width), up, down, gap in zip(placed, above, below, [*gaps, 0], strict=True):
        start = (figure.bbox.width - row_width - bar) / 2
        for panel, box, x in row:
            axes = place(figure, start + x, y + up - box.height / 2, box.width, box.height)
            panel.draw(axes, cell, size, colors, norm)
            if panel.operator:
                write_text(figure, start + x - box.left - OPERATOR / 2, y + up, panel.operator, TITLE)
        y += up + down + gap
    if bar:
        x, top = figure.bbox.width - PAD - COLOR_BAR + 20, y - down - box.height / 2
        _draw_bar(figure, place(figure, x, top, 12, box.height), norm, colors)
    for i, line in enumerate(footer):
        write_text(figure, figure.bbox.width / 2, figure.bbox.height - foot + 21 + LINE * i, line)
    return figure


def _draw_bar(figure, axes, norm, colors):
    colorbar = figure.colorbar(ScalarMappable(norm, colors), cax=axes)
    middle = [(norm.vmin + norm.vmax) / 2] if axes.bbox.height > 90 else []
    ticks = [norm.vmin, *middle, norm.vmax]
    colorbar.set_ticks(ticks, labels=[tick(float(f"{value:.3g}")) for value in ticks])
    colorbar.outline.set_visible(False)


def _numbered(rows):
    return all(panel.numbered for row in rows for panel in row)


def _layouts(rows):
    """从好到坏的版面 (rows, (格宽, 格高), 数的字号)：缩小格子，缩小数，折成几行，截短名字，最后不写数。"""
    panels = [panel for row in rows for panel in row]
    for limit in (LABEL_ROOM, LEAST_LABEL_ROOM):
        for panel in panels:
            panel.shorten_labels(limit)
        for arranged in (rows, _folded(rows)) if _numbered(rows) else ():
            for size, spare in ((BASE, 9), (SMALL, 5)):
                needed = max(panel.number_width(size) for panel in panels) + spare
                for cell in np.arange(max(CELL, needed), needed - 1, -1):
                    yield arranged, (max(cell, needed), min(max(cell, needed), CELL)), size
    for panel in panels:
        panel.numbered = False
    tallest = max(panel.array.shape[0] for panel in panels)
    broadest = max(panel.array.shape[1] for panel in panels)
    for cell in np.arange(28, 0, -0.25):
        side = min(cell, 480 / tallest)
        # 很扁、很窄的矩阵：格子不再是正方形，但看得清
        yield rows, (min(cell, max(side, 60 / broadest)), max(side, 60 / tallest)), SMALL


def _fits(rows, cell, size):
    room = ROOM if _numbered(rows) else ROOM - COLOR_BAR
    return all(_across(row, cell)[1] <= room for row in rows)


def _folded(rows):
    """放不下的行，贪心地折成几行。"""
    folded = []
    for row in rows:
        line = []
        for panel in row:
            if line and _across([*line, panel], (CELL, CELL))[1] > ROOM:
                folded.append(line)
                line = []
            line = [*line, panel]
        folded.append(line)
    return folded


def _across(row, cell):
    """一行从左到右：([(矩阵, 它的 Box, 它左边的 x)], 总宽)。"""
    placed, x = [], 0
    for panel in row:
        box = panel.box(cell)
        x += OPERATOR if panel.operator else GAP if placed else 0
        placed.append((panel, box, x + box.left))
        x += box.left + box.width + box.right
    return placed, x

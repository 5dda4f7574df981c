"""一个矩阵画成什么样：格子、数、框、四周的字，和它们要占多大的地方。长度是 CSS 像素。"""

import functools
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from matplotlib import patheffects
from matplotlib.patches import Rectangle

from utils.numbers import decimals, fixed
from utils.plotting.style import BASE, FRAME, GREY, INK, MAX_NUMBERED, SMALL, number_color, text_color
from utils.plotting.text import (
    LABEL_ROOM,
    column_labels,
    shorten,
    text_height,
    text_width,
    tick_step,
    widest,
    write_column_labels,
)


class Box(NamedTuple):
    """矩阵本身的宽和高，四周的字各占多宽。"""

    left: float
    top: float
    right: float
    bottom: float
    width: float
    height: float


@dataclass
class Panel:
    """一个矩阵和它四周的字。cell 总是一格的 (宽, 高)。"""

    array: np.ndarray
    title: str
    row_labels: list | None = None
    col_labels: list | None = None
    row_name: str = ""
    col_name: str = ""
    color: str | None = None
    outline: list = field(default_factory=list)
    sums: bool = False
    title_size: float = BASE
    operator: str = ""  # 写在这个矩阵左边，如 "@"
    min_left: float = 0

    def __post_init__(self):
        rows, cols = self.array.shape
        self.places = decimals(self.array)
        self.numbered = max(rows, cols) <= MAX_NUMBERED
        if not self.numbered:  # 没有标签的大图至少给出序号
            self.row_labels = self.row_labels or range(rows)
            self.col_labels = self.col_labels or range(cols)
        self.shorten_labels()

    def shorten_labels(self, limit=LABEL_ROOM):
        """行、列的名字最多占 limit 像素。"""
        self.row_labels = [shorten(label, limit) for label in self.row_labels or ()]
        self.col_labels = [shorten(label, limit) for label in self.col_labels or ()]

    # ------------------------------------------------------------ 多大

    def number_width(self, size):
        """最宽的一个数。数字一样宽，每种写法只量一次。"""
        texts = {re.sub("[0-9]", "0", fixed(value, self.places)) for value in self.array.flat}
        return widest(texts, size)

    @functools.cached_property
    def sum_texts(self):
        """每行的和、每列的和。"""
        sums = [self.array.sum(axis=axis) for axis in (1, 0)]
        return [[fixed(value, sum_decimals(side)) for value in side] for side in sums]

    @property
    def label_width(self):
        """矩阵左边、行的名字右边的字（行标签，有时还有「列和」）。"""
        labels = [*self.row_labels, *(["列和"] if self.sums else [])]
        return widest(labels, BASE) + 8 if labels else 0

    @property
    def names_width(self):
        return self.label_width + (30 if self.row_name else 0)

    def label_height(self, cell):
        labels = column_labels(self.col_labels, cell[0])
        return max(height for *_, height in labels) + 8 if labels else 0

    def sums_style(self, cell):
        """列和的 (字号, 转角)：格子窄就写小一号，再窄就竖着写。"""
        wide = [widest(self.sum_texts[1], size) for size in (BASE, SMALL)]
        return BASE if wide[0] <= cell[0] - 9 else SMALL, 90 if wide[1] > cell[0] - 2 else 0

    def sums_height(self, cell):
        size, rotation = self.sums_style(cell)
        return widest(self.sum_texts[1], size) + 12 if rotation else 30

    def box(self, cell):
        rows, cols = self.array.shape
        width, height = cols * cell[0], rows * cell[1]
        left, right = max(self.min_left, self.names_width), 0
        top, bottom = self.label_height(cell) + (28 if self.col_name else 0), 0
        if self.sums:
            right = widest([*self.sum_texts[0], "行和"], BASE) + 14
            bottom = self.sums_height(cell)
        spill = max(0, text_width(self.row_name, BASE) - height) / 2
        top, bottom = max(top, spill), max(bottom, spill)
        right = max(right, text_width(self.col_name, BASE) - width)
        if self.title:
            top += text_height(self.title, self.title_size) + (10 if self.color else 8)
            spill = max(0, text_width(self.title, self.title_size) - left - width - right) / 2
            left, right = left + spill, right + spill
        return Box(left, top, right, bottom, width, height)

    # ------------------------------------------------------------ 画

    def draw(self, axes, cell, size, colormap, norm):
        """画在 axes 里：一格 cell，格子里的数用 size 号字。"""
        image = axes.imshow(
            np.ma.masked_invalid(self.array), cmap=colormap, norm=norm, aspect="auto", interpolation="nearest"
        )
        for spine in axes.spines.values():
            spine.set(edgecolor=self.color or FRAME, linewidth=2 if self.color else 0.8)
        self._write_names(axes, cell)
        if self.numbered:
            self._write_numbers(axes, image, cell, size)
        if self.sums:
            self._write_sums(axes, cell)
        for x, y, w, h in self.outline:
            frame = Rectangle((x - 0.5, y - 0.5), w, h, fill=False, edgecolor="black", linewidth=2.4)
            # 黑框外面描一圈白，深色格子上也看得见
            white = patheffects.withStroke(linewidth=4.4, foreground="white")
            frame.set(clip_on=False, joinstyle="miter", path_effects=[white], zorder=5)
            axes.add_patch(frame)

    def _write_names(self, axes, cell):
        """行、列的标签和名字，标题。"""
        box, rows = self.box(cell), len(self.array)
        axes.tick_params(length=0, pad=6)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        step = tick_step(rows, cell[1])
        axes.set_yticks(range(0, rows, step) if self.row_labels else [], labels=self.row_labels[::step])
        write_column_labels(axes.xaxis, column_labels(self.col_labels, cell[0]))
        axes.set_xlabel(self.col_name, va="center")
        # 名字比矩阵宽时向右伸出，不碰左边行的名字
        middle = max(box.width, text_width(self.col_name, BASE)) / 2
        axes.xaxis.set_label_coords(middle / box.width, 1 + (self.label_height(cell) + 14) / box.height)
        axes.set_ylabel(self.row_name, va="center")
        axes.yaxis.set_label_coords(-(self.label_width + 17) / box.width, 0.5)
        # 标题在矩阵上方居中；太宽就往左右借标签的地方
        half = text_width(self.title, self.title_size) / 2
        x = min(max(box.width / 2, half - box.left), box.width + box.right - half)
        y = box.height + box.top - text_height(self.title, self.title_size)
        style = {"size": self.title_size, "color": text_color(self.color or INK), "linespacing": 1.2}
        axes.set_title(self.title, x=x / box.width, y=y / box.height, pad=0, **style)

    def _write_numbers(self, axes, image, cell, size):
        rows, cols = self.array.shape
        if cell[0] >= 20:  # 格子之间的白线
            axes.set_xticks(np.arange(cols - 1) + 0.5, minor=True)
            axes.set_yticks(np.arange(rows - 1) + 0.5, minor=True)
            axes.grid(which="minor", color="white", linewidth=1.5)
            axes.tick_params(which="minor", length=0)
        faces = image.cmap(image.norm(image.get_array()))
        for (i, j), value in np.ndenumerate(self.array):
            style = {"ha": "center", "va": "center_baseline", "color": number_color(faces[i, j, :3])}
            axes.text(j, i, fixed(value, self.places), size=size, **style)

    def _write_sums(self, axes, cell):
        rows, cols = self.array.shape
        row_sums, col_sums = self.sum_texts
        x, y = cols - 0.5 + 12 / cell[0], rows - 0.5 + (self.sums_height(cell) + 4) / 2 / cell[1]
        style = {"va": "center", "size": BASE, "color": GREY}
        for i in range(0, rows, tick_step(rows, cell[1])):
            axes.text(x, i, row_sums[i], **style)
        for j in range(0, cols, tick_step(cols, cell[0])):
            size, rotation = self.sums_style(cell)
            axes.text(j, y, col_sums[j], ha="center", rotation=rotation, **style | {"size": size})
        axes.text(x, -0.5 - 18 / cell[1], "行和", **style)
        axes.text(-0.5 - 8 / cell[0], y, "列和", ha="right", **style)


def sum_decimals(sums):
    """几个和写几位小数：至少 2 位；不是 1 的和不会写成 1.00。"""
    hidden = np.abs(sums - 1)[np.abs(sums - 1) > 1e-6]
    return next((places for places in (2, 3, 4, 5) if (hidden >= 0.5 * 10.0**-places).all()), 6)

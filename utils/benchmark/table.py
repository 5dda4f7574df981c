"""结果表：一行一个结果。"""

import unicodedata
from typing import NamedTuple

HEAD = ("项目", "我们的", "对照", "倍数", "要求", "说明")


class Row(NamedTuple):
    """一个结果。ours、theirs 用同一个单位 unit；没有对照时 theirs 是 None。

    limit 是倍数的上限，没有对照时是 ours 的上限。
    """

    name: str
    ours: float
    theirs: float | None = None
    unit: str = "秒"
    limit: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.theirs else None

    @property
    def missed(self) -> bool:
        """是否超过了要求。"""
        value = self.ours if self.theirs is None else self.ratio
        return self.limit is not None and value > self.limit


def render(rows: list[Row]) -> str:
    """对齐的表格；超过要求的一行，在要求后面写「超出」。"""
    lines = [HEAD, *map(_cells, rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def _cells(row: Row) -> tuple[str, ...]:
    limit = "" if row.limit is None else f"≤ {row.limit:g}{' 超出' if row.missed else ''}"
    theirs = "" if row.theirs is None else _number(row.theirs, row.unit)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return row.name, _number(row.ours, row.unit), theirs, ratio, limit, row.note


def _number(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"


def _width(text: str) -> int:
    """在等宽字体里占几格：汉字和全角标点占两格。"""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)

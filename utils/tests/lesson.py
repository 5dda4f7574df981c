"""照着笔记本数一节课：哪几页是正课、选读、短课，要点几下。不借用做幻灯片的程序，好用来核对它。"""

import re
from typing import NamedTuple

from utils.slides.notes import split_notes

OPTIONAL = "选读"


class Page(NamedTuple):
    """一页：cell 是从第几格（从 1 数起）开始，path 是 "正课" 或 "选读"，short 是在不在短课里。"""

    cell: int
    kind: str
    path: str
    short: bool
    clicks: int


class Lesson(NamedTuple):
    """一本笔记的各页，和各条路的分钟数。"""

    pages: list
    minutes: dict

    def cells(self, path):
        return [page.cell for page in self.pages if page.path == path]

    def shown(self):
        """放映的次序，是从第几格开始的页；0 是选读前面的一页。"""
        optional = self.cells("选读")
        return self.cells("正课") + [0] * bool(optional) + optional

    def clicks(self, path):
        return sum(page.clicks for page in self.pages if page.path == path)


def lesson_of(nb):
    """数一本笔记。动画的帧不算点击：它是同一个想法在走。"""
    pages, minutes = [], {"正课": 0, "选读": 0, "短课": 0}
    optional_level, in_short = 0, {}
    for number, cell in enumerate(nb.cells, start=1):
        kind, notes = cell.metadata.get("slideshow", {}).get("slide_type", "-"), None
        if cell.cell_type == "markdown":
            text, notes = split_notes(cell.source)
            if heading := re.search(r"^(##+) (.*)", text, re.MULTILINE):
                level = len(heading[1])
                if optional_level and level <= optional_level:
                    optional_level = 0
                if OPTIONAL in heading[2] and not optional_level:
                    optional_level = level
        path = "选读" if optional_level else "正课"
        if notes:
            minutes[path] += notes.minutes
            minutes["短课"] += notes.short
        if notes or kind == "slide":
            in_short[path] = bool(notes and notes.short)
        if kind in ("slide", "subslide"):
            pages.append(Page(number, kind, path, path == "正课" and in_short.get(path, False), 1))
        if kind != "skip" and pages:
            claims = len(re.findall(r"^\s*(?:[-*]|\d+\.) \*\*“", cell.source, re.MULTILINE))
            more = (kind == "fragment") + (cell.cell_type == "markdown") * claims
            pages[-1] = pages[-1]._replace(clicks=pages[-1].clicks + more)
    return Lesson(pages, minutes)

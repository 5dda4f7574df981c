"""一节课：哪几页是正课、选读、短课，各讲多久；选读的页排到课的后面。"""

import re

from nbformat.v4 import new_markdown_cell

from utils.slides.notes import Notes, split_notes

OPTIONAL = "选读"
NEW_PAGE = ("slide", "subslide")  # 从这一格起是新的一页


def slide_type(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def on_slides(cell):
    """这一格在不在幻灯片上。"""
    return slide_type(cell) not in ("skip", "notes")


def plan_lesson(nb, refuse):
    """取出讲稿，把选读的页移到后面；返回笔记本里的各页，一页是它的几格。

    每一页的讲稿、秒数、是哪一页选读，写在它第一格的 metadata 里。

    一处讲稿管到下一处讲稿或下一个 slide 格，这几页都看得到它；时间平分给各页。
    refuse(cell, error) : 讲稿写坏了，换成一个错误
    """
    pages, covered, level = [], {}, 0
    for number, cell in enumerate(nb.cells, start=1):
        cell.metadata.number, notes = number, None
        if cell.cell_type == "markdown":
            try:
                cell.source, notes = split_notes(cell.source)
            except ValueError as error:
                raise refuse(cell, error) from None
            level = _optional_level(cell.source, level)
        optional, kind = level > 0, slide_type(cell)
        if notes or kind == "slide":
            covered[optional] = (notes or Notes(0, ""), [])
        if kind in NEW_PAGE:
            pages.append((optional, [cell]))
            _share(*covered.setdefault(optional, (Notes(0, ""), [])), cell)
        elif pages:
            pages[-1][1].append(cell)
        else:
            pages.append((False, [cell]))
    later = [cells for optional, cells in pages if optional]
    nb.cells = [cell for optional, cells in pages if not optional for cell in cells]
    if later:
        nb.cells += [_divider(later), *(cell for cells in later for cell in cells)]
    return [cells for _, cells in pages]


def _share(notes, cells, cell):
    """notes 管的几页又多一页：时间重新平分。"""
    cells.append(cell)
    cell.metadata.notes = notes.text
    for page in cells:
        page.metadata.seconds = round(60 * notes.minutes / len(cells))
        page.metadata.short_seconds = round(60 * notes.short / len(cells))


def _optional_level(source, level):
    """读过一格以后，在几级的选读标题下面；不在就是 0。"""
    heading = re.search(r"^(##+) (.*)", source, re.MULTILINE)
    if not heading:
        return level
    depth = len(heading[1])
    if level and depth > level:
        return level
    return depth if OPTIONAL in heading[2] else 0


def _divider(later):
    """选读前面的一页：有哪些，怎样回去。later 里一页一项，是它的各格。"""
    lines = []
    later[0][0].metadata.slideshow.slide_type = "slide"
    for index, cells in enumerate(later, start=1):
        cells[0].metadata.optional = f"{index}/{len(later)}"
        cells[0].metadata.short_seconds = 0
        heading = re.search(r"^##+ (.*)", cells[0].source, re.MULTILINE)
        if heading and cells[0].cell_type == "markdown":
            lines.append(f"- [{_short_title(heading[1])}](#/optional-{index})")
    text = f"## {OPTIONAL}\n\n这节课到上一页为止。下面 {len(later)} 页不在课里，按 X 回到刚才那一页。\n\n"
    cell = new_markdown_cell(text + "\n".join(lines), metadata={"slideshow": {"slide_type": "slide"}})
    cell.metadata.update(number=0, divider=True)
    return cell


def _short_title(title):
    """不带「选读：」「（课上选读）」：在一列选读里，不用每条都说。"""
    return re.sub(rf"^{OPTIONAL}[：:]\s*|（[^（）]*{OPTIONAL}）$|[：:]{OPTIONAL}$", "", title.strip())


# ---------------------------------------------------------------- 从做好的一份里读回来

_PAGE = re.compile(r"<section ([^>]*data-cell=[^>]*)>(.*?)</section>", re.DOTALL)
_CLICK = re.compile(r'<(?:div|span) class="fragment"')  # 动画的帧不算：它是同一个想法在走
_HEADING = re.compile(r"<h([1-6])[^>]*>(.*?)</h\1>", re.DOTALL)


def read_lesson(page):
    """一份幻灯片（HTML）的大小：正课的页数、分钟、点击，短课的页数、分钟，选读的各个标题。

    都从它自己读出，目录里才可以有早先做好的。
    """
    size = {"pages": 0, "minutes": 0, "clicks": 0, "short_pages": 0, "short_minutes": 0, "optional": []}
    for attributes, inside in _PAGE.findall(page):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        if given.get("id", "").startswith("optional"):
            heading = _HEADING.search(inside)
            if heading and given["id"] != "optional":
                size["optional"].append((given["id"], _short_title(heading[2])))
            continue
        size["pages"] += 1
        size["clicks"] += 1 + len(_CLICK.findall(inside))
        size["minutes"] += int(given.get("data-timing", 0)) / 60
        if "data-short" in given:
            size["short_pages"] += 1
            size["short_minutes"] += int(given["data-short"]) / 60
    return size | {key: round(size[key]) for key in ("minutes", "short_minutes")}

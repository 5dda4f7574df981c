"""一本笔记排成一章：哪些格进书，哪些折起来。

不进书的：「准备」一节，只给笔记本用的格（写下预测、核对、作答）。
折起来的：选读；先猜以后的答案；练习的提示和答案。讲稿只在教师版里。
"""

import re
from dataclasses import dataclass

from utils.book.blocks import Block, code_blocks
from utils.book.practice import exercise_blocks, exercise_of
from utils.pages.command import PageError
from utils.slides.notes import split_notes

# 题目写在一格里，答案在后面：请读者先猜、先算，或者以问句收尾
_ASKS = re.compile(r"先猜|先预测|预测\*\*|先想|先在纸上|用笔|？(?:（[^）]*）)?\s*$")
_HEADING = re.compile(r"(#{1,4}) +(.*)")
_OPTIONAL = re.compile("^选读|选读$")
_FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.DOTALL)
_FOR_THE_NOTEBOOK = re.compile(r"^guess\w* = None|^# 核对用|^# 这一格只管核对|\bpredict\(", re.MULTILINE)
_MINUTES = re.compile(r"(?:\*\*用时\*\*|约) ?(\d+) 分钟")
ANSWERS = ("answer", "hint", "solution")  # 印在纸上时收到书末
_THINK_FIRST = "先想好，再看答案"


@dataclass
class Chapter:
    """一章。

    name : 笔记本的名字；title : 标题，HTML；lead : 标题下的第一段，HTML；minutes : 用时，没有写就是 0
    blocks : 标题以下的块；headings : 各节的（级, id, 标题的 HTML）
    """

    name: str
    title: str
    lead: str
    minutes: int
    blocks: list
    headings: list

    @property
    def short(self):
        """「2 打分：每个查询……」的前一半，目录和书眉用。"""
        return plain(self.title).partition("：")[0]

    @property
    def mark(self):
        """「2 打分」的「2」：纸上的答案写作 2.1、2.2……"""
        return self.short.split()[0]

    def answers(self):
        """全部答案和提示，按编号；答案里的答案另算一个。"""
        return list(_answers(self.blocks))


@dataclass
class _Item:
    """进书的一格：它的块，和决定折不折的几件事。"""

    blocks: list
    level: int = 0  # 标题是几级，没有标题是 0
    optional: bool = False  # 选读的标题
    asks: bool = False
    is_code: bool = False
    is_exercise: bool = False
    slide: str = "-"


def plain(html):
    """去掉标签的文字。"""
    return re.sub(r"<[^>]*>", "", html)


def read_chapter(name, nb, page):
    """由一本运行过的笔记（nb）排成一章。PageError：有一格做不成。

    page : terms.Page，把 Markdown 变成这一页的 HTML
    """
    items, preparing, appears = [], False, "-"
    for number, cell in enumerate(nb.cells, start=1):
        heading = _heading(cell)
        preparing = heading[2].strip() == "准备" if heading else preparing
        slide = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        if slide == "-":  # 接在 fragment 后面的，在幻灯片上与它一起出现
            slide = appears
        elif slide != "skip":
            appears = "fragment" if slide == "fragment" else "-"
        try:
            item = None if preparing else _item(cell, heading, slide, page.html)
        except ValueError as error:
            first = (cell.source.splitlines() or [""])[0]
            raise PageError(f"{name}.ipynb 第 {number} 格：\n    {first}\n{error}") from None
        if item and item.blocks:
            items.append(item)
    title, lead = _take_title(items)
    minutes = _MINUTES.search("\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown"))
    blocks = _fold_optional(items)
    _number_answers(blocks)
    return Chapter(name, title or name, lead, int(minutes[1]) if minutes else 0, blocks, page.headings)


# ---------------------------------------------------------------- 一格


def _heading(cell):
    return _HEADING.match(cell.source) if cell.cell_type == "markdown" else None


def _item(cell, heading, slide, markdown):
    """一格，不进书就是 None。heading : 开头的标题；slide : 怎样出现；markdown : 把 Markdown 变成 HTML。"""
    if cell.cell_type == "code":
        if exercise := exercise_of(cell.source):
            return _Item(exercise_blocks(exercise, markdown), is_exercise=True)
        if _FOR_THE_NOTEBOOK.search(cell.source) or not cell.source.strip():
            return None
        return _Item(code_blocks(cell, markdown), is_code=True, slide=slide)
    source, notes = split_notes(cell.source)
    if cell.cell_type != "markdown" or not source.strip():
        return None
    blocks = _text_blocks(source, lambda text: markdown(text, cell.get("attachments")))
    if notes:  # 紧跟在标题后面
        first = blocks.pop(0)
        start, rest = re.match(r"(<h\d.*?</h\d>)?(.*)", first.html, re.DOTALL).groups(default="")
        note = Block("notes", markdown(notes.text), title=f"讲稿 · {notes.minutes} 分钟")
        blocks = [Block("html", start), note, Block("html", rest), *blocks]
    return _Item(
        blocks,
        level=len(heading[1]) if heading else 0,
        optional=bool(heading and _OPTIONAL.search(heading[2].strip())),
        asks=bool(_ASKS.search(source)) and not _FOLDED.search(source),
        slide=slide,
    )


def _text_blocks(source, markdown):
    """一格 Markdown 的块；其中的 <details> 是折起来的答案。"""
    before, *rest = _FOLDED.split(source)  # 文字、标题、折起来的、文字、标题……
    blocks = [Block("html", markdown(before))] if before.strip() else []
    for title, inside, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        blocks.append(Block("answer", blocks=[Block("html", markdown(inside))], title=title))
        blocks += [Block("html", markdown(after))] if after.strip() else []
    return blocks


def _take_title(items):
    """从第一格里取出标题和标题下的第一段；返回两者的 HTML。"""
    if not items or items[0].level != 1:
        return "", ""
    texts = [block for block in items[0].blocks if block.kind == "html"]
    title, _, texts[0].html = texts[0].html.partition("</h1>")
    lead = re.search(r"<p>(.*?)</p>", "".join(block.html for block in texts), re.DOTALL)
    return re.sub(r"\s*<h1[^>]*>", "", title), lead[1] if lead else ""


# ---------------------------------------------------------------- 折起来


def _fold_optional(items):
    """各格的块；选读的一节收进一块，它的标题写在外面。"""
    blocks, start = [], 0
    for index, item in enumerate(items):
        if item.optional and index >= start:
            blocks += _fold_answers(items[start:index])
            start = _end_of_section(items, index)
            blocks.append(_optional(items[index:start]))
    return blocks + _fold_answers(items[start:])


def _end_of_section(items, index):
    """items[index] 起的一节到哪里为止：下一个同级的标题，或者选读以后放上幻灯片的一格。"""
    first = items[index]
    for end in range(index + 1, len(items)):
        item = items[end]
        if 0 < item.level <= first.level or item.is_exercise:
            return end
        if first.slide == "skip" != item.slide:
            return end
    return len(items)


def _optional(items):
    inside = _fold_answers(items)
    first = next(block for block in inside if block.kind == "html")
    heading, end, first.html = first.html.partition(f"</h{items[0].level}>")
    return Block("optional", blocks=inside, title=(heading + end).strip())


def _fold_answers(items):
    """各格的块；题目后面的答案收进一块。"""
    blocks, index = [], 0
    while index < len(items):
        blocks += items[index].blocks
        index += 1
        if items[index - 1].asks:
            index = _fold_one(items, index, blocks)
    return blocks


def _fold_one(items, index, blocks):
    """一道题以后的格：题目里的矩阵和图照排，答案折起来，都加进 blocks；返回下一格。"""
    while index < len(items) and items[index].is_code and items[index].slide == "-":
        blocks += items[index].blocks
        index += 1
    inside, first, has_code = [], index, False
    while index < len(items) and _is_answer(items[index], index == first):
        item, last = items[index], has_code and not items[index].is_code
        inside += item.blocks
        index += 1
        has_code = has_code or item.is_code
        if item.asks:  # 说明里又问了一句：它的答案折在里面
            index = _fold_one(items, index, inside)
            break
        if last or not (has_code or (items[index : index + 1] and items[index].is_code)):
            break  # 答案是一段说明，或几格代码，前后可以各有一段说明
    if [block.kind for block in inside] == ["answer"]:  # 笔记本里已经折好
        blocks += inside
    elif inside:
        blocks.append(Block("answer", blocks=inside, title=_THINK_FIRST))
    return index


def _is_answer(item, first):
    if item.level or item.is_exercise:
        return False
    return item.is_code or item.slide in ("fragment", "skip") or (first and item.slide != "-")


def _number_answers(blocks, number=0):
    """答案、提示依次编号，从 1 数起；返回最后一个。"""
    for block in blocks:
        if block.kind in ANSWERS:
            number += 1
            block.number = number
        number = _number_answers(block.blocks, number)
    return number


def _answers(blocks):
    for block in blocks:
        if block.kind in ANSWERS:
            yield block
        yield from _answers(block.blocks)

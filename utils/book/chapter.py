"""一本笔记排成一章：哪些格进书，哪些折起来。

不进书的：「准备」一节，只给笔记本用的格（写下预测、核对、作答）。
折起来的：选读；先猜以后的答案；练习的提示和答案。讲稿只在教师版里。
"""

import re
from dataclasses import dataclass

from utils.book.blocks import Block, code_blocks
from utils.book.folds import Item, answers, fold, number_answers
from utils.book.practice import exercise_blocks, exercise_of
from utils.pages.command import PageError
from utils.slides.notes import split_notes

# 题目写在一格里，答案在后面：请读者先猜、先算，或者以问句收尾
_ASKS = re.compile(
    r"先猜|先预测|预测\*\*|先想|在纸上|(?<!能)用笔(?!核对)|？(?:（[^）]*）|[^？。”」]{1,25}。)?\s*$"
)
_GOALS = re.compile("## 学完能做什么")  # 说的是要会用笔算什么，不是题目
_HEADING = re.compile(r"(#{1,4}) +(.*)")
_OPTIONAL = re.compile("^选读|选读$")
_FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.DOTALL)
_FOR_THE_NOTEBOOK = re.compile(r"^guess\w* = None|^# 核对用|^# 这一格只管核对|\bpredict\(", re.MULTILINE)
_SLIDERS = re.compile(r"\bexplore_\w+\(|^explorer\.picture$")  # 可以拖的图，和它眼下的样子
_KEEPS_A_PICTURE = "这一格给出那张图眼下的样子"  # 滑块后面的一格说明，书里没有滑块
_STILL = '<p class="still">在笔记本里才能拖、能点。书里是一开始的样子：</p>'
_MINUTES = re.compile(r"(?:\*\*用时\*\*|约) ?(\d+) 分钟")


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
        return list(answers(self.blocks))


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
    blocks = fold(items)
    number_answers(blocks)
    return Chapter(name, title or name, lead, int(minutes[1]) if minutes else 0, blocks, page.headings)


# ---------------------------------------------------------------- 一格


def _heading(cell):
    return _HEADING.match(cell.source) if cell.cell_type == "markdown" else None


def _item(cell, heading, slide, markdown):
    """一格，不进书就是 None。heading : 开头的标题；slide : 怎样出现；markdown : 把 Markdown 变成 HTML。"""
    if cell.cell_type == "code":
        if exercise := exercise_of(cell.source):
            return Item(exercise_blocks(exercise, markdown), is_exercise=True)
        if _FOR_THE_NOTEBOOK.search(cell.source) or not cell.source.strip():
            return None
        if _SLIDERS.search(cell.source):  # 是题目的一部分
            still = cell.source == "explorer.picture"
            blocks = code_blocks(cell, markdown)[:1] if still else [Block("html", _STILL)]
            return Item(blocks, is_code=True, is_given=True, slide=slide)
        return Item(code_blocks(cell, markdown), is_code=True, slide=slide)
    source, notes = split_notes(cell.source)
    if cell.cell_type != "markdown" or not source.strip() or source.startswith(_KEEPS_A_PICTURE):
        return None
    blocks = _text_blocks(source, lambda text: markdown(text, cell.get("attachments")))
    if notes:  # 紧跟在标题后面
        first = blocks.pop(0)
        start, rest = re.match(r"(<h\d.*?</h\d>)?(.*)", first.html, re.DOTALL).groups(default="")
        note = Block("notes", markdown(notes.text), title=f"讲稿 · {notes.minutes} 分钟")
        blocks = [Block("html", start), note, Block("html", rest), *blocks]
    return Item(
        blocks,
        level=len(heading[1]) if heading else 0,
        optional=bool(heading and _OPTIONAL.search(heading[2].strip())),
        asks=bool(_ASKS.search(source)) and not _FOLDED.search(source) and not _GOALS.match(source),
        slide=slide,
        words=source.strip(),
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

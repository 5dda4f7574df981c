"""折起来：选读；先猜以后的答案。

进书的各格（Item）排成一棵树：题目在外面，答案收进一块，它的后面接着正文。
"""

from dataclasses import dataclass

from utils.book.blocks import Block

ANSWERS = ("answer", "hint", "solution")  # 印在纸上时收到书末
_THINK_FIRST = "先想好，再看答案"


@dataclass
class Item:
    """进书的一格：它的块，和决定折不折的几件事。"""

    blocks: list
    level: int = 0  # 标题是几级，没有标题是 0
    optional: bool = False  # 选读的标题
    asks: bool = False
    is_code: bool = False
    is_exercise: bool = False
    is_given: bool = False  # 题目的一部分，不是它的答案
    slide: str = "-"
    words: str = ""  # 一格文字的原文

    @property
    def is_picture(self):
        return any(block.kind == "source" for block in self.blocks)


def fold(items):
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
    while index < len(items) and _is_given(items[index]):
        blocks += items[index].blocks
        index += 1
    inside, first, has_code = [], index, False
    while index < len(items) and _is_answer(items[index], index == first):
        item = items[index]
        inside += item.blocks
        index += 1
        leads_on = item.words.endswith("：") and items[index : index + 1] and items[index].slide != "subslide"
        last = has_code and not item.is_code and not leads_on
        has_code = has_code or item.is_code
        if item.asks:  # 说明里又问了一句：它的答案折在里面
            index = _fold_one(items, index, inside)
            break
        if last or not (has_code or (items[index : index + 1] and items[index].is_code)):
            break  # 答案是一段说明，或几格代码，前后可以各有一段说明
    if index > first and not (inside and inside[-1].kind == "answer"):
        index = _fold_meaning(items, index, inside)
    if [block.kind for block in inside] == ["answer"]:  # 笔记本里已经折好
        blocks += inside
    elif inside:
        blocks.append(Block("answer", blocks=inside, title=_THINK_FIRST))
    return index


def _fold_meaning(items, index, inside):
    """答案还只是代码时，后面的图和说明也是答案，在幻灯片上它们另起一页；加进 inside，返回下一格。

    引出下一段代码的一句不是说明：正文从那里接着讲。
    """
    last = items[index - 1]
    while index < len(items) and (last.is_code or _draws(last)):
        item, after = items[index], items[index + 1 : index + 2]
        leads_on = bool(after) and after[0].is_code and not (_draws(item) and after[0].is_picture)
        meant = item.words.startswith("怎么读") or not (item.asks or leads_on)
        if item.level or item.is_exercise or not (item.is_picture if item.is_code else meant):
            break
        inside += item.blocks
        index, last = index + 1, item
    return index


def _draws(item):
    return "画成" in item.words


def _is_given(item):
    return item.is_given or (item.is_code and item.slide == "-")


def _is_answer(item, first):
    if item.level or item.is_exercise:
        return False
    return item.is_code or item.slide in ("fragment", "skip") or (first and item.slide != "-")


def number_answers(blocks, number=0):
    """答案、提示依次编号，从 1 数起；返回最后一个。"""
    for block in blocks:
        if block.kind in ANSWERS:
            number += 1
            block.number = number
        number = number_answers(block.blocks, number)
    return number


def answers(blocks):
    for block in blocks:
        if block.kind in ANSWERS:
            yield block
        yield from answers(block.blocks)

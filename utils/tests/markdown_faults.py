"""Markdown 里看着对、排出来却不对的几处：收一段源码，说出每一处。"""

import re
import unicodedata
from collections.abc import Iterator

from nbconvert.filters.markdown_mistune import markdown2html_mistune

_CODE = re.compile(r"^(```|~~~).*?^\1[ \t]*$|(`+)(?!`).*?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MATH = re.compile(r"\$\$.*?\$\$|(?<![\\$])\$[^$\n]+?(?<!\\)\$", re.DOTALL)


def _prose(source: str) -> str:
    """去掉注释；代码和公式各换成一个字母，宽度不要紧。"""
    return _MATH.sub("x", _CODE.sub("x", _COMMENT.sub("", source)))


def unrendered_bold(source: str) -> Iterator[str]:
    """不会成为粗体的 ``**``：照 CommonMark 0.31 的 6.2 节，再照 nbconvert 排一遍。

    开头的 ** 后面不能是空白；后面是标点时，前面必须是空白、标点或行首。结尾的 ** 反过来。
    中文里常见的错：**“注意力”**的机制，** 夹在标点和字之间，就只是两个星号。
    """
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)|\n(?=\|)", _prose(source)):
        pieces = re.split(r"(?<!\\)\*\*", paragraph)
        if len(pieces) % 2 == 0:
            yield f"** 不成对：{paragraph.strip()[:30]}"
            continue
        for index in range(1, len(pieces)):
            before, after = pieces[index - 1][-1:], pieces[index][:1]
            inside, outside = (after, before) if index % 2 else (before, after)
            if _is_space(inside) or (_is_punctuation(inside) and not _is_apart(outside)):
                yield f"** 夹在“{before}”和“{after}”之间，不会成为粗体：{paragraph.strip()[:30]}"
    html = markdown2html_mistune(_COMMENT.sub("", source))
    text = re.sub(r"<(code|pre)\b.*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
    if "**" in _MATH.sub("", text):
        yield "排成网页以后还有 **"


def _is_space(char: str) -> bool:
    return not char or char.isspace()


def _is_punctuation(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] in "PS"


def _is_apart(char: str) -> bool:
    return _is_space(char) or _is_punctuation(char)


def broken_table_formulas(source: str) -> Iterator[str]:
    """表格的一行先按 | 切开，再认公式：公式里没有转义的 | 会把它切断。"""
    for line in _CODE.sub("x", source).splitlines():
        cells = re.split(r"(?<!\\)\|", line) if line.lstrip().startswith("|") else []
        if any(len(re.findall(r"(?<!\\)\$", cell)) % 2 for cell in cells):
            yield f"公式被 | 切断：{line.strip()[:40]}"


def raw_symbols(source: str) -> Iterator[str]:
    """文字里没有排成公式的 d_k、W_Q；标题（目录也用它）、代码、链接不算。"""
    text = re.sub(r"^#+ .*|\]\([^)]*\)", "", _prose(source), flags=re.MULTILINE)
    for symbol in re.findall(r"(?<![\w.])[A-Za-z]_(?:model|ff|[A-Za-z0-9])(?![A-Za-z0-9_])", text):
        yield f"{symbol} 没有写成公式 ${symbol}$"


def heading_faults(source: str) -> Iterator[str]:
    """整篇只有一个一级标题，在最前；往下一次只深一级。"""
    headings = re.findall(r"^(#{1,6})[ \t]+(.*)", _CODE.sub("x", _COMMENT.sub("", source)), re.MULTILINE)
    level = 0
    for marks, title in headings:
        if len(marks) > level + 1:
            yield f"标题“{title}”从 {level} 级跳到 {len(marks)} 级"
        level = len(marks)
    if [len(marks) for marks, _ in headings].count(1) != 1:
        yield "一级标题应正好一个"

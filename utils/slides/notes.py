"""讲稿：写在每一节开头那一格末尾的 HTML 注释。学生看不见，老师双击那一格就能改。

<!-- 讲稿 · 5 分钟 · 短课 3 分钟
问：当堂问的一个问题？
会答错：“最常见的错误答案”，以及为什么会这么想。
接着：怎样引到正确的想法；在黑板上写什么。
来不及：这里可以少讲什么。
练习纸：现在做哪几题，几分钟，走动时看什么。
-->

第一行的“短课”、最后两行都可以没有。写了“短课”的，这几页也在 20 分钟的短课里。
"""

import re
from typing import NamedTuple

from utils.checks import refusal

FORM = "<!-- 讲稿 · 5 分钟\n问：……\n会答错：……\n接着：……\n-->"
LABELS = ("问", "会答错", "接着")  # 每处讲稿都有
MORE_LABELS = ("来不及", "练习纸")  # 可以没有，写在后面

_OPENING = re.compile(r"<!--\s*讲稿")
_HEADER = re.compile(
    r"<!--[ \t]*讲稿[ \t]*·[ \t]*([1-9][0-9]*)[ \t]*分钟[ \t]*"
    r"(?:·[ \t]*短课[ \t]*([1-9][0-9]*)[ \t]*分钟[ \t]*)?\n"
)


class Notes(NamedTuple):
    """一格的讲稿：minutes 是分钟数；text 是 Markdown，问、会答错、接着各成一段。

    short 是这几页在短课里的分钟数；不在短课里，就是 0。
    """

    minutes: int
    text: str
    short: int = 0


def split_notes(source):
    """把讲稿从一格的 Markdown 里切下来。

    返回 (正文, Notes)；没有讲稿时返回 (source, None)。别的 HTML 注释原样留在正文里。
    ValueError：有以“讲稿”开头的注释，却没有写明分钟、没有收尾、多于一处，或不是单独放在末尾。
    """
    openings = list(_OPENING.finditer(source))
    if not openings:
        return source, None
    if len(openings) > 1:
        raise _malformed("一格里只能有一处讲稿", f"{len(openings)} 处", "合成一处，放在这一格的末尾")
    body, comment = source[: openings[0].start()], source[openings[0].start() :].rstrip()
    first_line = comment.splitlines()[0]
    if body and not re.search(r"\n[ \t]*\n\Z", body):
        raise _malformed("讲稿要另起一段", repr(body[-20:] + first_line), "在 <!-- 前面空一行，从行首写起")
    header = _HEADER.match(comment)
    if not header:
        raise _malformed(
            "讲稿的第一行只写分钟数（是不小于 1 的整数），和短课里的分钟数",
            repr(first_line),
            "5 换成这一节的分钟数，在短课里的再接着写“ · 短课 3 分钟”",
        )
    inside, closed, after = comment[header.end() :].partition("-->")
    if not closed:
        raise _malformed("讲稿要用 --> 收尾", f"{first_line!r} 以后没有 -->", "最后单独写一行 -->")
    if after:
        raise _malformed("讲稿要放在一格的末尾", f"--> 后面还有 {after.strip()[:20]!r}", "移到讲稿前面")
    if "--" in inside:
        raise _malformed("讲稿里不能有连着的两个减号", "--", "改成破折号，或分开写")
    if not inside.strip():
        raise _malformed("讲稿不能是空的", repr(comment), "写上问什么、会怎样答错")
    return body.rstrip(), Notes(int(header[1]), _paragraphs(inside), int(header[2] or 0))


def _paragraphs(lines):
    """Markdown 里相邻的两行会连成一段，所以在“问：”“会答错：”这些开头的前面空一行。"""
    return re.sub(rf"\s*\n(?=(?:{'|'.join(LABELS + MORE_LABELS)})：)", "\n\n", lines.strip())


def _malformed(rule, received, way_out):
    return ValueError(f"{refusal(rule, received, f'{way_out}，写成下面这样')}\n{FORM}")

"""字体：把页面用到的字从字体里抽出来，嵌进页面。

- Course Sans：思源黑体（Noto Sans SC，OFL 许可），来自 zhplot。排在系统字体后面，电脑上没有中文字体时才用到。
- Course Symbols：DejaVu Sans，来自 matplotlib。只在思源黑体缺字时用到，例如上标 ᵀ。
- Course Math：STIX Two Math（OFL 许可），来自 ziamath。有它，括号和根号才会随矩阵、分数长高。
"""

import base64
import html
import io
import unicodedata
from functools import cache
from importlib.metadata import distribution

import uharfbuzz as hb
from fontTools.ttLib import TTFont

TEXT_FONT = ("zhplot", "zhplot/fonts/NotoSansSC-Regular.ttf")
SYMBOL_FONT = ("matplotlib", "matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf")
MATH_FONT = ("ziamath", "ziamath/fonts/STIXTwoMath-Regular.ttf")

# 竖排、字距、连字：页面都不用
UNUSED_TABLES = ["BASE", "FFTM", "GDEF", "GPOS", "GSUB", "STAT", "vhea", "vmtx"]

# 浏览器排 MathML 时自己换上的字，页面里看不到：单个字母的 <mi> 画成数学斜体，<msqrt> 画出根号
ITALIC = {
    unicodedata.normalize("NFKC", italic): italic
    for italic in ["ℎ", *map(chr, [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)])]
}


def font_faces(page):
    """页面（HTML）的 ``@font-face`` 规则（CSS）；用不到的字体就没有。"""
    characters = frozenset(html.unescape(page))
    css = _font_face("Course Sans", TEXT_FONT, characters)
    if symbols := frozenset(c for c in characters if c.isprintable() and ord(c) not in _drawable(TEXT_FONT)):
        css += _font_face("Course Symbols", SYMBOL_FONT, symbols)
    if "<math" in page:
        italics = {ITALIC[character] for character in characters if character in ITALIC}
        css += _font_face("Course Math", MATH_FONT, characters | italics | {"√"})
    return css


@cache
def _font_face(family, font, characters):
    data = base64.b64encode(_subset(font, characters)).decode("ascii")
    return (
        f'@font-face {{ font-family: "{family}"; font-display: block; '
        f'src: url("data:font/woff;base64,{data}") format("woff"); }}\n'
    )


@cache
def _drawable(font):
    return frozenset(_face(font).unicodes)


@cache
def _face(font):
    package, path = font  # 只要它的字体文件，不导入它：zhplot 会导入 matplotlib
    return hb.Face(hb.Blob.from_file_path(distribution(package).locate_file(path)))


def _subset(font, characters):
    """只含 characters 的 WOFF。数学字体里，一个括号的各种高度也一并留下（MATH 表）。"""
    wanted = hb.SubsetInput()
    wanted.unicode_set.set(ord(character) for character in characters)
    wanted.drop_table_tag_set.update(int.from_bytes(tag.encode(), "big") for tag in UNUSED_TABLES)
    wanted.name_id_set.set([0, 13, 14])  # 版权、许可
    wanted.flags = hb.SubsetFlags.NO_HINTING | hb.SubsetFlags.NOTDEF_OUTLINE
    # 不写现在的时刻：同一本笔记总是做成同样的文件
    small = io.BytesIO(hb.subset(_face(font), wanted).blob.data)
    with TTFont(small, lazy=True, recalcBBoxes=False, recalcTimestamp=False) as ttf:
        ttf.flavor = "woff"  # WOFF2 小两成，但要多装一个压缩库
        woff = io.BytesIO()
        ttf.save(woff)
    return woff.getvalue()

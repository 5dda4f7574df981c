"""字体：把页面用到的字从字体里抽出来，嵌进页面。

- Course Sans：思源黑体（Noto Sans SC，OFL 许可），来自 zhplot。排在系统字体后面，电脑上没有中文字体时才用到。
- Course Math：STIX Two Math（OFL 许可），来自 ziamath。有它，括号和根号才会随矩阵、分数长高。
"""

import base64
import io
import unicodedata
from functools import cache
from importlib.metadata import distribution

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

TEXT_FONT = ("zhplot", "zhplot/fonts/NotoSansSC-Regular.ttf")
MATH_FONT = ("ziamath", "ziamath/fonts/STIXTwoMath-Regular.ttf")

# 竖排、字距、连字：页面都不用，留着只会让抽取慢一倍
UNUSED_TABLES = ["BASE", "GDEF", "GPOS", "GSUB", "STAT", "vhea", "vmtx"]

# 浏览器排 MathML 时自己换上的字，页面里看不到：单个字母的 <mi> 画成数学斜体，<msqrt> 画出根号
ITALIC = {
    unicodedata.normalize("NFKC", italic): italic
    for italic in ["ℎ", *map(chr, [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)])]
}


def font_faces(html: str) -> str:
    """页面 html 的两条 ``@font-face`` 规则（CSS）；没有公式就没有 Course Math。"""
    characters = frozenset(html)
    css = _font_face("Course Sans", TEXT_FONT, characters)
    if "<math" in html:
        italics = {ITALIC[character] for character in characters if character in ITALIC}
        css += _font_face("Course Math", MATH_FONT, characters | italics | {"√"})
    return css


@cache
def _font_face(family: str, font: tuple[str, str], characters: frozenset[str]) -> str:
    data = base64.b64encode(_subset(font, characters)).decode("ascii")
    return (
        f'@font-face {{ font-family: "{family}"; font-display: block; '
        f'src: url("data:font/woff;base64,{data}") format("woff"); }}\n'
    )


def _subset(font: tuple[str, str], characters: frozenset[str]) -> bytes:
    """只含 characters 的 WOFF。数学字体里，一个括号的各种高度也一并留下（MATH 表）。"""
    package, path = font
    options = Options(hinting=False, name_IDs=[0, 13, 14], notdef_outline=True)
    options.drop_tables += UNUSED_TABLES
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[ord(character) for character in characters])
    # 只要它的字体文件，不导入它：zhplot 会导入 matplotlib
    with TTFont(distribution(package).locate_file(path), lazy=True) as ttf:
        subsetter.subset(ttf)
        ttf.flavor = "woff"  # WOFF2 小两成，但要多装一个压缩库，抽取也慢三倍
        woff = io.BytesIO()
        ttf.save(woff)
    return woff.getvalue()

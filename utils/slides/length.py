"""估一页有多高：太长的，做的时候就说出来。只数字数和行数，不开浏览器。放映时 fit.js 会把它缩小。"""

import math
import re
import unicodedata

from utils.slides.lesson import on_slides

# 正文 24、代码 20 像素是后排看得清的最小字号；一页（1280×720）留给内容的宽和高，都是画布上的像素
_WIDTH, _HEIGHT = 1168, 620
_PROSE, _PROSE_LINE, _CODE, _CODE_LINE = 24, 35, 20, 26
_GAP, _ROW, _FORMULA_LINE, _ANIMATION = 12, 42, 40, 300
_SLACK = 1.2  # 估得不准：超出两成才说


def too_long(cells):
    """一页的各格，按看得清的字号排，比一页高几成；放得下就是 0。"""
    extra = sum(map(_height, cells)) / _HEIGHT - 1
    return extra if extra > _SLACK - 1 else 0


def _height(cell):
    if not on_slides(cell):
        return 0
    if cell.cell_type == "markdown":
        return _markdown(cell.source)
    if cell.cell_type != "code":
        return 0
    height = sum(map(_output, cell.outputs))
    hidden = cell.metadata.get("transient", {}).get("remove_source")
    return height if hidden else height + _code(cell.source)


def _markdown(source):
    height = 0
    for fenced in re.findall(r"^```.*?\n(.*?)^```", source, re.DOTALL | re.MULTILINE):
        height += _code(fenced)
    source = re.sub(r"^```.*?^```", "", source, flags=re.DOTALL | re.MULTILINE)
    for formula in re.findall(r"\$\$(.*?)\$\$", source, re.DOTALL):
        height += _FORMULA_LINE * (1 + formula.count(r"\\")) + _GAP
    source = re.sub(r"\$\$.*?\$\$", "", source, flags=re.DOTALL)
    for block in re.split(r"\n[ \t]*\n", source.strip()):
        for line in _joined(block):
            if re.match(r"\|[-:| ]+\|?$", line):
                continue  # 表头下面的横线
            height += _ROW if line.startswith("|") else _PROSE_LINE * _lines(line, _PROSE)
        height += _GAP * bool(block)
    return height


def _joined(block):
    """一段里的各行：只换了行、没有空行的，排出来是一行。"""
    return re.split(r"\n(?=[ \t]*(?:[-*+|>#]|\d+\. ))", block)


def _code(source):
    return sum(_CODE_LINE * _lines(line, _CODE) for line in source.rstrip().split("\n")) + 20 + _GAP


def _output(output):
    data = output.get("data", {})
    if "image/png" in data or "image/jpeg" in data:
        sizes = [size.get("height", 0) for size in output.get("metadata", {}).values()]
        return max(sizes, default=0) + _GAP
    html = data.get("text/html", "")
    if html:
        return _ANIMATION if "animation" in html else _ROW * html.count("<tr")
    if "text/latex" in data:
        return _markdown(data["text/latex"])
    return _code(output.get("text", data.get("text/plain", "")))


def _lines(text, size):
    text = re.sub(r"\]\([^)]*\)|[*`$]", "", text)
    wide = sum(size if unicodedata.east_asian_width(c) in "WF" else 0.55 * size for c in text)
    return max(1, math.ceil(wide / _WIDTH))

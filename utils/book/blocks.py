"""一章由哪几种块组成；一格的代码和输出怎样成为 HTML。

块是一棵树：文字、代码、图是叶子；折起来的答案和选读里面还有块。网页和 PDF 从同一棵树排出，只是模板不同。
"""

import ast
import html
from dataclasses import dataclass, field

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import Python3Lexer

from utils.pages.formulas import output_to_mathml

_SOURCE = "print(inspect.getsource("  # 印出一个函数：印的是代码，不是结果


@dataclass
class Block:
    """一块。

    kind : html 一段排好的 HTML；notes 讲稿；source 画图的代码；answer 猜过再看的答案；optional 选读；
        hint 练习的提示；solution 练习的答案
    html : 排好的内容；blocks : 里面的块；title : 折起来时写在外面的一行；key : 本页里的 id
    number : 答案在一章里的编号，从 1 数起，印在纸上时用
    """

    kind: str
    html: str = ""
    blocks: list = field(default_factory=list)
    title: str = ""
    key: str = ""
    number: int = 0


def code(source):
    """一段 Python 的 HTML。"""
    lines = highlight(source.strip(), Python3Lexer(), HtmlFormatter(nowrap=True)).rstrip()
    return f'<pre class="code{_long(lines)}"><code>{lines}</code></pre>'


def code_blocks(cell, markdown):
    """一个代码格的块：代码，然后是各个输出；没有可看的就是空的。markdown 把 Markdown 变成 HTML。"""
    outputs = [_output(output, cell.source, markdown) for output in cell.outputs]
    shown = [Block("html", output) for output in outputs if output]
    if cell.source.startswith(_SOURCE):
        return shown
    drawn = any(_is_drawn(output) for output in cell.outputs)
    if not drawn or not _only_shows(cell.source):
        return [Block("html", code(cell.source)), *shown]
    if "sys.path" in cell.source or any("text/latex" in output.get("data", {}) for output in cell.outputs):
        return shown  # 准备用的几行，和写公式的一行：看结果就够了
    return [*shown, Block("source", code(cell.source), title="画出它的代码")]


def _is_drawn(output):
    data = output.get("data", {})
    return bool(data.keys() & {"image/png", "image/jpeg", "text/latex"}) or _is_animation(data)


def _is_animation(data):
    return data.get("text/html", "").startswith('<figure class="animation')


def _only_shows(source):
    """这一格除了导入，只有最后一个式子：代码只管显示，算的在别处。"""
    *before, last = ast.parse(source).body
    imports = (ast.Import, ast.ImportFrom)
    return isinstance(last, ast.Expr) and all(
        isinstance(line, imports) or "sys.path" in ast.unparse(line) for line in before
    )


def _output(output, source, markdown):
    """一个输出的 HTML；格式的先后同幻灯片。"""
    if output.output_type == "stream":
        text = output.text.rstrip()
        return code(text) if source.startswith(_SOURCE) else _text(text)
    data = output.get("data", {})
    for mime in ("image/png", "image/jpeg"):
        if mime in data:
            return _picture(data[mime], mime, data.get("text/plain", ""), output.metadata.get(mime, {}))
    if "text/html" in data:
        box = "film" if _is_animation(data) else "wide"
        return f'<div class="output {box}">{data["text/html"]}</div>'
    if "text/markdown" in data:
        return f'<div class="output">{markdown(data["text/markdown"])}</div>'
    if "text/latex" in data:
        return f'<div class="formula wide">{output_to_mathml(data["text/latex"])}</div>'
    return _text(data.get("text/plain", ""))


def _text(text):
    return f'<pre class="output{_long(text)}"><samp>{html.escape(text)}</samp></pre>' if text else ""


def _long(text):
    """短的代码和输出印在同一页，长的可以分在两页。"""
    return " long" if text.count("\n") >= 15 else ""


def _picture(data, mime, description, size):
    """一张图；替代文字是从画好的图里读回来的描述。"""
    width, height = size.get("width"), size.get("height")
    known = f' width="{width}" height="{height}" style="--width:{width}px"' if width and height else ""
    return (
        f'<div class="picture wide"><img{known} alt="{html.escape(description)}" '
        f'src="data:{mime};base64,{data.replace(chr(10), "")}"></div>'
    )

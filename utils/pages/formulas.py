"""公式：LaTeX → MathML。浏览器自己会排 MathML，页面里不需要任何脚本。"""

import re

from math_core import LatexError, LatexToMathML

from utils.checks import refusal

_CONVERTER = LatexToMathML(fancy_error=False)
# 换行时另加的行距，如 ``\\[2pt]``：转换器不认得，去掉也不影响内容
_ROW_GAP = re.compile(r"(\\\\)\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in)\s*\]")


def to_mathml(latex, *, display):
    r"""把一个公式（不带 ``$``）写成一个 ``<math>`` 元素；display 为真时单独成行，分数、求和号用大字号。

    ValueError：公式里有认不得的命令、括号不成对等；消息写明是哪个公式、为什么。
    """
    source = _ROW_GAP.sub(r"\1", latex.strip())
    try:
        return _CONVERTER.convert_with_local_state(source, displaystyle=display)
    except LatexError as error:
        raise _refused(source, str(error)) from None


def output_to_mathml(source):
    r"""一个 ``text/latex`` 输出的 MathML；``$$…$$`` 和 ``$\displaystyle …$`` 单独成行。

    ValueError：同 to_mathml。
    """
    body = source.strip()
    display = body.startswith(("$$", r"$\displaystyle"))
    return to_mathml(body.strip("$").strip().removeprefix(r"\displaystyle"), display=display)


def _refused(source, error):
    """error 形如「26: Found …」：冒号前是出错处在公式里的位置，以字符计。"""
    position, colon, reason = error.partition(": ")
    rest = source[int(position) :] if colon and position.isdecimal() else source
    where = f"从“{rest[:20]}{'…' * (len(rest) > 20)}”起" if rest else "到末尾"
    return refusal(
        "公式要能写成 MathML",
        f"{source}\n{where}：{reason or error}",
        "括号、\\begin 和 \\end 要成对；认不得的命令换一种更常见的写法（笔记本里认得，这里不一定）",
    )

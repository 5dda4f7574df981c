"""公式：LaTeX → MathML。浏览器自己会排 MathML，页面里不需要任何脚本。"""

import re

from math_core import LatexError, LatexToMathML

_CONVERTER = LatexToMathML(fancy_error=False)
# 换行时另加的行距，如 ``\\[2pt]``：转换器不认得，去掉也不影响内容
_ROW_GAP = re.compile(r"(\\\\)\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in)\s*\]")


class FormulaError(ValueError):
    """一个公式转换不了；消息写明是哪个公式、为什么。"""


def to_mathml(latex: str, *, display: bool) -> str:
    r"""把一个公式（不带 ``$``）写成一个 ``<math>`` 元素；display 为真时单独成行，分数、求和号用大字号。

    FormulaError：公式里有认不得的命令、括号不成对等。
    """
    try:
        return _CONVERTER.convert_with_local_state(_ROW_GAP.sub(r"\1", latex.strip()), displaystyle=display)
    except LatexError as error:
        raise FormulaError(f"这个公式转换不了：{latex.strip()}\n{error}") from None

"""把写着数的文字读成数：全角、分数（1/4、¼）、上标（4²）、百分数、千位分隔、单位、简单的算式。"""

import ast
import operator
import re
import unicodedata

LONGEST, LARGEST_POWER = 60, 64
_UNITS = r"字节|词元|参数|MB|KB|GB|B|倍|次|行|个|列|步|项|格|条|对|度|°"
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def half_width(text):
    """全角变半角，减号变 -，去掉两头的空白；上标写成 ** 后面的数，¼ 写成 (1/4)。"""
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", r"**\g<0>", text)
    text = re.sub(r"(\d?)([¼-¾⅐-⅞])", _vulgar, text)
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()


def _vulgar(found):
    fraction = unicodedata.normalize("NFKC", found[2]).replace("\u2044", "/")
    return f"({found[1]}+{fraction})" if found[1] else f"({fraction})"


def separate(text):
    """去掉外面的方括号和圆括号，按逗号、分号、顿号或空白分开。"""
    text = re.sub(r"\s*(/|\*\*|[×÷^+*])\s*", r"\1", text.strip("[]{}。 "))
    if re.fullmatch(r"\([^()]*[,;、\s][^()]*\)", text):
        text = text[1:-1]
    return [item for item in re.split(r"[,;、\s]+", text.strip(",;、 ")) if item] or [""]


def items_of(text, count=None):
    """一段文字里的各项。count : 应有几项；只有一项时，12 288 和 12,288 是一个数，等号前面的不看。"""
    text = half_width(text)
    if count == 1:
        text = re.split(r"[=≈约]", text)[-1]
    text = re.sub(rf"(?<=[\d)%])\s*(?:{_UNITS})+(?![A-Za-z])", " ", text).strip()
    if count == 1 and re.fullmatch(r"-?\d{1,3}([,\s]\d{3})+(\.\d+)?", text):
        return [re.sub(r"[,\s]", "", text)]
    return separate(text)


def number_of(text):
    """一项文字读成一个数；读不出时抛出 ValueError。"""
    text = half_width(text).strip("。 ")
    if not text or len(text) > LONGEST:
        raise ValueError(text)
    text = text.replace("×", "*").replace("÷", "/").replace("^", "**").replace("%", "/100")
    text = re.sub(r"√\s*(\d+(?:\.\d+)?)", r"(\1)**0.5", text)
    try:
        return float(text)
    except ValueError:
        return float(_value(ast.parse(text, mode="eval").body))


def _value(node):
    """只算加减乘除和乘方；别的一律不认。"""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return -_value(node.operand) if isinstance(node.op, ast.USub) else _value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow) and (abs(right) > LARGEST_POWER or abs(left) > 1e9):
            raise ValueError("乘方太大")
        result = _OPERATIONS[type(node.op)](left, right)
        if isinstance(result, complex):
            raise ValueError("不是实数")
        return result
    raise ValueError(ast.dump(node)[:LONGEST])

"""把写着数的文字读成数：全角、分数（1/4、¼）、上标（4²）、百分数、千位分隔、单位、汉字、算式。"""

import ast
import math
import operator
import re
import unicodedata

LONGEST, LARGEST_POWER = 60, 64
_UNITS = r"兆字节|字节|兆|词元|参数|个数|MB|M|KB|GB|B|倍|次|行|个|列|步|项|格|条|对|度|°"
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS = {"sqrt": math.sqrt, "ln": math.log, "log": math.log, "exp": math.exp}
_FUNCTIONS |= {"cos": math.cos, "sin": math.sin, "radians": math.radians}
_CONSTANTS = {"e": math.e, "pi": math.pi, "π": math.pi}
_CHINESE = "零一二三四五六七八九"
_KEPT = f"{_CHINESE[2:]}十百千万负减加乘除不到至或和与及大小多少超比于"  # 改变意思的字，不能去掉
_WORDS = rf"(?<![\d.\u4e00-\u9fff])(?:(?![{_KEPT}])[\u4e00-\u9fff])+(?=\s?[-\d.(])"  # 数前面的说明
_LABEL = r"(?:^|(?<=[,;\s(\[]))[^\W\d][^,;:=()\[\]]*[:=是为]\s*"  # q = 、头1：、头 1 是
_PLACE = rf"第\s*[{_CHINESE[1:]}十\d]+\s*[问格空个]\s*数?\s*[:=是为]?"  # 第一问、第 2 个数是
_THOUSANDS = r"\s*-?\d{1,3}(?: \d{3})*(?:\.\d+)?\s*"


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
    text = re.sub(r"\(([^()]*[,;、\s][^()]*)\)", r" \1 ", text)
    return [item for item in re.split(r"[,;、\s]+", text.strip(",;、 ")) if item] or [""]


def items_of(text, count=None):
    """一段文字里的各项。count : 应有几项；只有一项时，12 288 和 12,288 是一个数，等号前面的不看。"""
    text = half_width(re.sub("[①-⑳]", " ", text))  # 格的号码，不是数
    if count and count > 1:
        text = re.sub(_PLACE, " ", text).replace("|", ";")
    text = re.sub(r"第(?=\s*\d)", "", text)
    text = re.sub(r"(?<=\d)\s*\([^()\d]*[\u4e00-\u9fff][^()\d]*\)", "", text)  # 0.6（重新归一化）
    text = re.split(r"[=≈约]|(?<!\d):", text)[-1] if count == 1 else re.sub(_LABEL, "", text)
    text = re.sub(_WORDS, " ", text).strip()
    if count != 1:
        text = re.sub(r"(?<=[\d)列])\s*[和与及]\s*(?=[-\d.(])", ",", text)
    text = _angles(text)
    if count == 1:  # 一道算式里的 1 000 000
        text = re.sub(r"(?<![\d.])\d{1,3}(?: \d{3})+(?![\d ])", lambda found: found[0].replace(" ", ""), text)
    text = re.sub(rf"(?:(?<=[\d)%])|(?<=\be)|(?<=\bπ))\s*(?:{_UNITS})+(?![A-Za-z])", " ", text).strip()
    if count == 1 and re.fullmatch(r"-?\d{1,3}([,\s]\d{3})+(\.\d+)?", text):
        return [re.sub(r"[,\s]", "", text)]
    if count == 1 and not re.search(r"[,;、]|[\d)]\s+[\d(]", text):  # 一道算式，空格不分开它
        return [re.sub(r"(?<!ln)\s+", "", text)]
    if count and re.search(r"\d[, ]\d{3}(?!\d)", text):  # 几个数，里面的逗号、空格是千位的
        parts = re.split("[;、\n]", text.strip("[]()\n"))
        spaced = text.strip("[]()").split(",")
        if len(parts) == count:
            return parts
        if len(spaced) == count and all(re.fullmatch(_THOUSANDS, part) for part in spaced):
            return spaced
    items = separate(text)
    parts = re.split("[/:]", items[0])
    if len(items) == 1 and count and len(parts) == count > 2:  # 4/3/6/6/3、1:2:1
        return parts
    named = [item for item in items if not re.fullmatch(r"(?!inf|nan)[A-Za-z_]+", item)]
    return named if count and count == len(named) else items


def _angles(text):
    """cos60° 写成 cos(radians(60))。"""
    return re.sub(r"(cos|sin)\s*\(?\s*(\d+(?:\.\d+)?)\s*°\s*\)?", r"\1(radians(\2))", text)


def item_number(text):
    """一项文字读成一个数，去掉单位、“第”和汉字：第 7 列、十六、1.2 万。读不出时抛出 ValueError。"""
    try:
        return number_of(text)
    except (ValueError, SyntaxError):
        pass
    items = items_of(text, 1)
    chinese = _chinese("".join(items))
    return number_of(items[0]) if chinese is None else chinese


def _chinese(text):
    """汉字写的数：十九、一千二百八十、26万2144、四分之一；不是时是 None。"""
    text = re.sub(rf"(?:{_UNITS})+$", "", text).removeprefix("第")
    if found := re.fullmatch(r"(\d+(?:\.\d+)?)万(\d{0,4})", text):
        return round(float(found[1]) * 10000 + float(found[2] or 0), 6)
    if found := re.fullmatch(r"(.+)分之(.+)", text):
        below, above = _chinese(found[1]), _chinese(found[2])
        return above / below if below and above is not None else None
    if text == "一半":
        return 0.5
    if found := re.fullmatch(f"([{_CHINESE[1:]}])成", text):
        return _CHINESE.index(found[1]) / 10
    if not re.fullmatch(f"[{_CHINESE}十百千万]+", text):
        return None
    total = group = digit = 0
    for each in text:
        if each in _CHINESE:
            if digit:  # 一六：没有这样的写法
                return None
            digit = _CHINESE.index(each)
        elif each == "万":
            total, group, digit = (total + group + digit) * 10000, 0, 0
        else:
            group, digit = group + (digit or 1) * 10 ** ("十百千".index(each) + 1), 0
    return float(total + group + digit)


def number_of(text):
    """一项文字读成一个数；读不出时抛出 ValueError。"""
    text = half_width(text).strip("。 ")
    if not text or len(text) > LONGEST:
        raise ValueError(text)
    text = text.replace("×", "*").replace("·", "*").replace("÷", "/").replace("^", "**").replace("%", "/100")
    text = re.sub(r"(?<=[\d)])\s*(?=√|cos|sin|ln|sqrt)", "*", text)
    text = re.sub(r"√\s*(\d+(?:\.\d+)?)", r"((\1)**0.5)", text).replace("√(", "sqrt(")
    text = re.sub(r"\bln\s*(\d+(?:\.\d+)?)", r"ln(\1)", re.sub(r"\b(?:np|math)\.(?=[a-z])", "", text))
    try:
        return float(text)
    except ValueError:
        return float(_value(ast.parse(text, mode="eval").body))


def _value(node):
    """只算加减乘除和乘方；别的一律不认。"""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
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
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _FUNCTIONS and len(node.args) == 1:
        return _FUNCTIONS[node.func.id](_value(node.args[0]))
    raise ValueError(ast.dump(node)[:LONGEST])

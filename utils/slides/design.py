"""样子里要在做的时候算好的：一份的颜色，页脚里的五个步骤，代码的每一行怎样折。"""

import re
import unicodedata

# 一份一种强调色：(白纸上, 深底上)，对比度都够；相邻的两本不同色。Q、K、V 的颜色只在图里用
ACCENTS = (
    ("#3b4cb8", "#a5b4fc"),
    ("#0b6a75", "#67d8de"),
    ("#b3243f", "#ff9aa8"),
    ("#6f3fa8", "#cdaaf5"),
    ("#3f6b12", "#a8d86a"),
    ("#8a5300", "#f0bd62"),
    ("#a3227c", "#f59fd6"),
)
_STEPS = ("投影", "打分", "缩放", "softmax", "加权求和")
_ADDED = {"mask": {3: "遮住"}, "heads": {1: "切成头", 5: "接上"}}  # 在第几步之后添上什么
_MAP = re.compile(r"plot_pipeline\((?:current=)?(\d?)(?:extra=\"(\w+)\")?\)")
_PRE = re.compile(r"(<pre)>((?:<span></span>)?(?:<code[^>]*>)?)(.*?)\n?(</code>)?</pre>", re.DOTALL)
_BESIDE = re.compile(r"([（「“《(]?)<math>(?:(?!</math>).)*</math>([，。、；：？！）」”》),]*)", re.DOTALL)

# 文字里的数学记号：带下标的一个字母、转置、根号、平方
_LETTER = r"[A-Za-z](?:_(?:model|ff|[A-Za-z0-9](?![A-Za-z0-9_])))"
SYMBOL = re.compile(
    rf"((?<![A-Za-z0-9_.])(?:[A-Z] = [A-Z] )?{_LETTER}|[A-Z]{{1,3}}ᵀ|√(?:{_LETTER}|[A-Za-z0-9]+)|[A-Za-z]²)"
)


def latex(symbol):
    """SYMBOL 认出的一处，写成 LaTeX：``√d_k`` 是 ``\\sqrt{d_k}``，``d_model`` 的下标是正体。"""
    symbol = re.sub(r"_(model|ff)", r"_{\\text{\1}}", symbol)
    symbol = re.sub(r"√(.*)", r"\\sqrt{\1}", symbol)
    return symbol.replace("ᵀ", r"^\top").replace("²", "^2")


def together(page):
    """公式和它前后的标点不分在两行：浏览器在公式的两边随处可折，标点会落到行首。"""
    return _BESIDE.sub(
        lambda found: f'<span class="together">{found[0]}</span>' if found[1] or found[2] else found[0], page
    )


def accent(name):
    """一本笔记的强调色（白纸上, 深底上）：文件名里的编号决定，a1、a2 接在 10 的后面。"""
    number = re.match(r"(a?)(\d+)", name)
    return ACCENTS[(10 * bool(number[1]) + int(number[2]) if number else 0) % len(ACCENTS)]


def steps(nb):
    """页脚里的五个步骤，[(名字, 是不是这一本)]：点亮的与笔记本里那张五步地图相同；没有地图就是空的。"""
    maps = (_MAP.search(cell.source) for cell in nb.cells if cell.cell_type == "code")
    drawn = next(filter(None, maps), None)
    if not drawn:
        return []
    shown, added = [], _ADDED.get(drawn[2], {})
    for number, name in enumerate(_STEPS, start=1):
        shown.append((name, str(number) == drawn[1]))
        if number in added:
            shown.append((added[number], True))
    return shown


def hang(page):
    """HTML 里的每一段 <pre>：一行一个 <span>，写明缩进几格；太长要折时，折下去的部分比行首更靠右。"""
    return _PRE.sub(_hang_lines, page)


def _hang_lines(pre):
    lines = pre[3].split("\n")
    texts = [re.sub("<[^>]*>", "", line).replace("&nbsp;", " ") for line in lines]
    if any(line.count("<span") != line.count("</span") for line in lines):
        return pre[0]  # 有颜色跨行，拆不开
    spans = "\n</span>".join(
        f'<span class="line" style="--indent:{len(text) - len(text.lstrip())}">{line}'
        for line, text in zip(lines, texts, strict=True)
    )
    widest = max(sum(1.67 if _wide(c) else 1 for c in _unescape(text)) for text in texts)
    return f'{pre[1]} style="--columns:{widest:.0f}">{pre[2]}{spans}</span>{pre[4] or ""}</pre>'


def _unescape(text):
    return re.sub("&[^;]{1,8};", "x", text)


def _wide(character):
    return unicodedata.east_asian_width(character) in "WF"

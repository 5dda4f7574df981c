"""Python 读不懂的一行（SyntaxError）：全角标点、引号、括号、缩进，用中文说出哪一行、哪个字、换成什么。"""

import linecache
import re
import unicodedata

CHINESE = re.compile("[\u4e00-\u9fff]")
TWINS = dict(zip("“”‘’「」、。【】×÷−–—", '""\'\'"",.[]*/---', strict=True))
OTHERS = {"√": "平方根写成 np.sqrt(…)", "²": "平方写成 ** 2", "≤": "写成 <=", "≥": "写成 >=", "≠": "写成 !="}
IN_QUOTES_OR_COMMENT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
SPACES = "\u00a0\u3000\u2002\u2003"

# (英文里的话, 说的话)；{line} 是第几行，{0} {1} 是英文里括号中的
SYNTAX = [
    (r"expected an indented block", "冒号的下一行要往右缩进 4 个空格。"),
    (r"unexpected indent", "第 {line} 行的前面多了空格：删掉，与上一行对齐。"),
    (
        r"unindent does not match|inconsistent dedent",
        "第 {line} 行的前面空得不对：与上面同一层的一行对齐。",
    ),
    (r"inconsistent use of tabs", "第 {line} 行的前面混用了 Tab 和空格：都换成空格，一层 4 个。"),
    (r"instead of '='|cannot assign to", "比较两个数用两个等号 ==；一个等号 = 是赋值，左边只能是名字。"),
    (r"unterminated .*string", "第 {line} 行的引号没有收尾：开头和结尾要用同样的半角引号。"),
    (r"'(.)' was never closed", "第 {line} 行的“{0}”没有收尾：后面少了一个“{1}”。"),
    (r"unmatched '(.)'", "第 {line} 行多了一个“{0}”，前面没有与它成对的。"),
    (
        r"closing parenthesis '(.)' does not match opening parenthesis '(.)'",
        "“{1}”不能用“{0}”来收尾：括号要成对。",
    ),
    (r"expected ':'", "第 {line} 行的末尾少了冒号（半角的 :）。"),
    (r"forgot a comma", "第 {line} 行的两个数之间可能少了半角的逗号。"),
    (r"'(return|await|yield)' outside function", "{0} 只能写在函数里：这一行要缩进到 def 的下面。"),
    (r"Missing parentheses in call to '(\w+)'", "{0} 的后面要加圆括号：{0}(…)。"),
    (r"invalid decimal literal", "第 {line} 行的数写得不对：名字不能以数开头，数和字之间少了乘号 * 或空格。"),
    (r"leading zeros", "第 {line} 行的数前面多了 0：整数不能以 0 开头。"),
    (r"unexpected EOF|incomplete input", "这一格没有写完：看看括号和引号是不是都收尾了。"),
]


def explain_syntax(error):
    """一个 SyntaxError 的一句话。"""
    if error.msg == "incomplete input":  # IPython 读一格时的说法；自己再读一遍，才知道少了什么
        error = _read_again(error)
    line, text = error.lineno, error.text or ""
    if found := re.search(r"invalid (?:non-printable )?character .*\(?U\+([0-9A-F]+)", error.msg):
        return _wrong_character(chr(int(found[1], 16)), line, error.offset, text)
    for words, said in SYNTAX:
        if found := re.search(words, error.msg):
            parts = [*found.groups(), ""]
            if "never closed" in words:
                parts[1] = dict(zip("([{", ")]}", strict=True))[parts[0]]
            curly = (
                "这一行有全角的引号：都换成半角的。"
                if "string" in words and re.search("[“”‘’]", text)
                else ""
            )
            return said.format(*parts, line=line) + curly
    if CHINESE.search(IN_QUOTES_OR_COMMENT.sub("", text)):
        return f'第 {line} 行里的文字要加引号，写成 "文字"；只是一句说明，就在前面加 #。'
    return f"第 {line} 行读不懂：看 ^ 指的地方和它的前面，是不是少了逗号、括号、运算符，或者拼错了一个词。"


def _read_again(error):
    try:
        compile("".join(linecache.getlines(error.filename)), "cell", "exec")
    except SyntaxError as again:
        return again
    return error


def _wrong_character(character, line, column, text):
    where, twin = f"第 {line} 行第 {column} 列", _twin(character)
    if character in OTHERS:
        return f"{where}的「{character}」不能写在代码里：{OTHERS[character]}。"
    if character in SPACES:
        return f"{where}是一个全角的（或者网页上复制来的）空格：删掉，重新打一个半角的空格。"
    if twin == character:
        name = f"「{character}」" if character.isprintable() else "一个看不见的字"
        return f"{where}有{name}，代码里不能有：删掉它。"
    outside = {*IN_QUOTES_OR_COMMENT.sub("", text)} - {character, *OTHERS}
    rest = sorted(other for other in outside if _twin(other) != other)
    more = "这一行还有：" + " ".join(rest) + "。" if rest else ""
    return f"{where}的「{character}」是全角的，代码里要用半角的 {twin} 。{more}（先把输入法换成英文再打。）"


def _twin(character):
    """这个字的半角写法；没有就是它自己。汉字没有。"""
    return TWINS.get(character) or unicodedata.normalize("NFKC", character)

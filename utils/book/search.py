"""全书的文字，一节一条，术语一个一条，供搜索页用。"""

import html
import json
import re
from xml.etree import ElementTree

# 别处的叫法 -> 这本书里的写法；找不到前一个时，也找后一个
OTHER_NAMES = {
    "根号": "√", "开方": "√", "缓存": "cache", "位置编码": "正弦位置", "反向传播": "梯度", "残差连接": "残差",
    "前馈网络": "前馈", "token": "词元", "词向量": "词元表示", "embedding": "词元表示",
}  # fmt: skip

_UNREAD = re.compile(
    r"<(svg|style|figure|nav)\b.*?</\1>|<details class=\"source\">.*?</details>|<p class=\"meta\">.*?</p>",
    re.DOTALL,
)
_INLINE = re.compile(r"</?(?:a|b|code|em|i|samp|small|span|strong|sub|sup)\b[^>]*>")  # 词的中间，不断开
_SECTION = re.compile(r'<h[123](?: id="([^"]*)")?>(.*?)</h[123]>', re.DOTALL)
_TERM = re.compile(r'<div id="(term-\d+)"><dt>(.*?)</dt>\s*<dd>(.*?)</dd></div>', re.DOTALL)
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|#)\w+;")  # XML 不认得的
_GAP = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[^\u4e00-\u9fff])|(?<=[^\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
_BETWEEN = {"msub": "_", "msup": "^", "mfrac": "/"}


def sections(page, short, main):
    """一页的各节：[网页, 节的 id, 这一页的短标题, 节的标题, 文字]。main 是这一页正文的 HTML。"""
    main = _MATH.sub(lambda formula: _linear(formula[0]), _UNREAD.sub(" ", main))
    for key, name, rest in _TERM.findall(main):
        code, _, more = rest.partition(" · ")
        yield [page, key, short, f"{_words(name)} {_words(code)}", _squeezed(more)]
    _, *rest = _SECTION.split(_TERM.sub(" ", main))
    for key, title, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        words = _words(title)
        yield [page, key or "", short, words if key else short, _squeezed(text)]


def to_script(texts):
    """写进 <script> 的 JSON。"""
    book = {"sections": texts, "names": OTHER_NAMES}
    return json.dumps(book, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _linear(formula):
    """一个 MathML 公式写成一行字，人会打的那样：d_k、√d_k、QK^⊤。"""
    root = ElementTree.fromstring(_ENTITY.sub(lambda entity: html.unescape(entity[0]), formula))
    return f" {html.escape(_line(root))} "


def _line(element):
    parts = [(element.text or "").strip(), *map(_line, element)]
    before = "√" if element.tag == "msqrt" else ""
    return before + _BETWEEN.get(element.tag, "").join(filter(None, parts))


def _words(text):
    text = _INLINE.sub("", text)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text))).strip()


def _squeezed(text):
    """汉字旁边的空格有的人写，有的人不写：都不要，才找得到。"""
    return _GAP.sub("", _words(text))

"""全书的文字，一节一条，供搜索页用。"""

import html
import json
import re

_UNREAD = re.compile(r"<(math|svg|style|figure)\b.*?</\1>|<details class=\"source\">.*?</details>", re.DOTALL)
_INLINE = re.compile(r"</?(?:a|b|code|em|i|samp|small|span|strong|sub|sup)\b[^>]*>")  # 词的中间，不断开
_SECTION = re.compile(r'<h[123](?: id="([^"]*)")?>(.*?)</h[123]>', re.DOTALL)


def sections(page, short, main):
    """一页的各节：[网页, 节的 id, 这一页的短标题, 节的标题, 文字]。main 是这一页正文的 HTML。"""
    _, *rest = _SECTION.split(_UNREAD.sub(" ", main))
    for key, title, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        words = _words(title)
        yield [page, key or "", short, words if key else short, _words(text)]


def to_script(texts):
    """写进 <script> 的 JSON。"""
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _words(text):
    text = _INLINE.sub("", text)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text))).strip()

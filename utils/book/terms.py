"""术语表，和正文里的链接：术语第一次出现时通往术语表，「第 3 本」通往那一本。"""

import html
import re
from dataclasses import dataclass, field
from pathlib import Path

from utils.pages.markdown import to_html

README = Path(__file__).resolve().parent.parent.parent / "README.md"
GLOSSARY = "glossary.html"

_UNTOUCHED = {"a", "code", "pre", "math", "h1", "h2", "h3", "h4", "summary", "svg", "style"}
_ORDINARY = {"位置", "输出"}  # 平常的话里也有这些词
_LONG = 20  # 行里的公式，多于这么多字就放不进 320 像素的屏幕
_LESSONS = re.compile(r"第 ?\d+(?: ?[、到和或] ?(?:第 ?)?\d+)* ?本")


@dataclass(frozen=True)
class Term:
    """术语表的一行；key 是它在术语表里的 id，name 是正文里的叫法，cells 是各列的 Markdown。"""

    key: str
    name: str
    cells: tuple


def read_terms(readme=README):
    """README 的术语表：（开头的一段, 表头, 各行）。"""
    section = readme.read_text(encoding="utf-8").partition("## 术语表")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *body = [tuple(cell.strip() for cell in row.strip("|").split(" | ")) for row in rows]
    terms = [Term(f"term-{number}", _name(cells[2]), cells) for number, cells in enumerate(body, start=1)]
    return section.partition("|")[0].strip(), head, terms


def _name(meaning):
    """「注意力分数：QKᵀ，缩放之前」的叫法是冒号以前的。"""
    return re.split("[：（，；]", meaning)[0].strip()


@dataclass
class Page:
    """排一页时要记着的：已经用过的 id，链接过的术语。

    terms : 术语；lessons : 「第几本」的数 -> 网页；pages : 书里各本的名字 -> 短标题
    """

    terms: list
    lessons: dict
    pages: dict
    ids: set = field(default_factory=set)
    linked: set = field(default_factory=set)
    headings: list = field(default_factory=list)

    def html(self, source, attachments=None):
        """一段 Markdown 在这一页上的 HTML：标题有 id，宽的表格在自己的框里滚动，术语和别的各本有链接。"""
        text = to_html(source, attachments=attachments).strip()
        text = re.sub(r"<h([1-4])[^>]*>(.*?)</h\1>", self._heading, text, flags=re.DOTALL)
        text = re.sub(r"<th((?:\s[^>]*)?)>(.*?)</th>", _column_head, text, flags=re.DOTALL)
        text = text.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        text = re.sub(r"<pre>(?=<code>)", '<pre class="code">', text)
        text = re.sub(r'<div class="highlight">(.*?)</div>', self._listing, text, flags=re.DOTALL)
        text = text.replace('<p><math display="block"', '<p class="formula wide"><math display="block"')
        text = re.sub(r"(<math>(?:(?!</math>).)*</math>)([，。；：、）？！]?)", _held, text, flags=re.DOTALL)
        text = re.sub(r'<a href="([^"]*)">(.*?)</a>', self._link, text)
        return self._linked(text)

    def _listing(self, found):
        return re.sub(r"<pre>(<span></span>)?", '<pre class="code">', found[1])

    def _heading(self, found):
        level, text = int(found[1]), found[2]
        words = re.sub(r"<[^>]*>", "", text)
        key = re.sub(r"[^\w]+", "-", html.unescape(words)).strip("-") or "节"
        while key in self.ids:
            key += "-"
        self.ids.add(key)
        if level > 1:
            self.headings.append((level, key, text))
        return f'<h{level} id="{key}">{text}</h{level}>'

    def _link(self, found):
        """通往一本笔记的链接：写着文件名的，换成那一本的标题；书里没有那一本，就只留文字。"""
        target, text = found[1].removesuffix(".html"), found[2]
        if "/" in target or "#" in target or not found[1].endswith(".html"):
            return found[0]
        if target not in self.pages:
            return text
        shown = self.pages[target] if text.removesuffix(".ipynb") == target else text
        return f'<a href="{target}.html">{shown}</a>'

    def _linked(self, text):
        """在文字里加链接；代码、公式、标题和已有的链接不动。"""
        inside, parts = [], re.split(r"(<[^>]*>)", text)
        for index, part in enumerate(parts):
            if not index % 2:
                parts[index] = part if set(inside) & _UNTOUCHED else self._words(part)
            elif part.startswith("</"):
                inside and inside.pop()
            elif not re.match(r"<(?:br|hr|img|input|!)|.*/>$", part):
                inside.append(re.match(r"<(\w+)", part)[1])
        return "".join(parts)

    def _words(self, text):
        text = _LESSONS.sub(lambda lessons: re.sub(r"(第 ?)?(\d+)( ?本)?", self._lesson, lessons[0]), text)
        names = [
            term for term in self.terms if len(term.name) > 1 and term.name not in self.linked | _ORDINARY
        ]
        if not names or "<a" in text:
            return text
        pattern = "|".join(re.escape(term.name) for term in sorted(names, key=lambda term: -len(term.name)))
        keys = {term.name: term.key for term in names}

        def first(found):
            if found[0] in self.linked:
                return found[0]
            self.linked.add(found[0])
            return f'<a class="term" href="{GLOSSARY}#{keys[found[0]]}">{found[0]}</a>'

        return re.sub(pattern, first, text)

    def _lesson(self, found):
        page = self.lessons.get(int(found[2]))
        return f'<a href="{page}.html">{found[0]}</a>' if page else found[0]


def _column_head(found):
    """表头的一格；空的不是表头。"""
    return found[0] if found[2].strip() else f"<td{found[1]}></td>"


def _held(found):
    """行里的公式和后面的标点不分开；长的公式在窄的屏幕上，在自己的框里滚动。"""
    long = len(re.sub(r"<[^>]*>|\s", "", found[1])) > _LONG
    return f'<span class="hold{" long" * long}">{found[0]}</span>' if long or found[2] else found[0]

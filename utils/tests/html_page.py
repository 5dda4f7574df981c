"""读一页 HTML：成为一棵树，好找元素、取文字。要读 HTML 的测试都用它。"""

import base64
import io
import re
from html.parser import HTMLParser

VOID = {"br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Element:
    """一个元素。children 里是元素和文字，按次序；整页是一个没有名字的元素。"""

    def __init__(self, tag="", attributes=(), parent=None):
        self.tag, self.attributes, self.parent, self.children = tag, dict(attributes), parent, []

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    @property
    def text(self):
        """它里面的文字，不含脚本和样式。"""
        return "".join(self.strings("script", "style"))

    def strings(self, *skipped):
        """它里面的文字，一段一段；不进入名字或类在 skipped 里的元素。"""
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif not {child.tag, *child.classes} & set(skipped):
                yield from child.strings(*skipped)

    def find(self, *tags, has=None, **attributes):
        """它里面的元素，按次序：名字是 tags 之一（不写就都行），有 has 这个类，属性相等。"""
        return [
            element
            for element in self._inside()
            if (not tags or element.tag in tags)
            and (has is None or has in element.classes)
            and all(element.attributes.get(name) == value for name, value in attributes.items())
        ]

    def ancestors(self):
        """包着它的元素，从近到远。"""
        element = self.parent
        while element:
            yield element
            element = element.parent

    def _inside(self):
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child._inside()


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.current = Element()
        self.root.comments = []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.current = self.current.children[-1]

    def handle_startendtag(self, tag, attributes):
        self.current.children.append(Element(tag, attributes, self.current))

    def handle_endtag(self, tag):
        assert self.current.tag == tag, f"</{tag}> 没有对上 <{self.current.tag}>"
        self.current = self.current.parent

    def handle_data(self, data):
        self.current.children.append(data)

    def handle_comment(self, data):
        self.root.comments.append(data)


def read_html(text):
    """一页或一段 HTML 的树，comments 是其中的注释；元素没有成对就失败。"""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.current is reader.root, f"没有关上的元素：{reader.current.tag}"
    return reader.root


def addresses(page):
    """打开这一页就会去取的地址，嵌在页里的（data:）不算；链接要点了才去，也不算。"""
    found = [
        value
        for element in page.find()
        for name, value in element.attributes.items()
        if name in ("src", "srcset", "data", "poster") or (name == "href" and element.tag != "a")
    ]
    styles = ["".join(style.strings()) for style in page.find("style")]
    styles += [element.attributes["style"] for element in page.find() if "style" in element.attributes]
    found += [url for css in styles for url in re.findall(r"@import.*|url\(\"?([^)]{0,80})", css)]
    return [address for address in found if not address.startswith("data:")]


def embedded_fonts(page):
    """嵌在页里的字体：{名字: 画得出的字}。"""
    from fontTools.ttLib import TTFont

    css = "".join("".join(style.strings()) for style in page.find("style"))
    return {
        family: set(map(chr, TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap()))
        for family, data in re.findall(r'font-family: "(Course \w+)".*?base64,([^"]+)"', css)
    }

"""Markdown → HTML：公式成为 MathML，通往另一本笔记的链接改为通往它的网页。"""

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from utils.checks import require
from utils.pages.formulas import to_mathml


class Renderer(IPythonRenderer):
    """一种网页怎样写出 Markdown；link_suffix 是一本笔记在这种网页里的后缀，如 ``.slides.html``。"""

    link_suffix = ".html"

    def block_math(self, body):
        return to_mathml(body, display=True)

    def inline_math(self, body):
        return to_mathml(body, display=False)

    def latex_environment(self, name, body):
        return to_mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", display=True)

    def link(self, text, url, title=None):
        path = url.partition("#")[0]
        if path.endswith(".ipynb") and "/" not in path:
            url = path.removesuffix(".ipynb") + self.link_suffix
        return super().link(text, url, title)

    def image(self, text, url, title=None):
        image = super().image(text, url, title)
        require(
            'src="data:' in image,
            "图片要在笔记本里，网页不引用别的文件",
            url,
            "把图片文件拖进这一格，或者用代码画出它",
        )
        return image


def to_html(source, renderer=Renderer, attachments=None):
    """一格 Markdown 的 HTML。ValueError：公式转换不了，或图片不在笔记本里。

    renderer : Renderer 或它的子类；attachments : 这一格的附件
    """
    renderer = renderer(escape=False, exclude_anchor_links=True, attachments=attachments)
    return MarkdownWithMath(renderer=renderer).render(source)

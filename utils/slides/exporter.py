"""一本笔记 → 一份幻灯片：nbconvert 的 SlidesExporter，换上自己的模板、公式和文件头。"""

import re
from pathlib import Path
from textwrap import dedent

from jinja2 import pass_context
from nbconvert.exporters import SlidesExporter
from traitlets import default
from traitlets.config import Config

from utils.pages import shell
from utils.pages.command import PageError
from utils.pages.fonts import font_faces
from utils.pages.formulas import output_to_mathml, to_mathml
from utils.pages.markdown import Renderer, to_html
from utils.slides import design, reveal
from utils.slides.length import too_long
from utils.slides.lesson import plan_lesson

DECK_TEMPLATES = Path(__file__).resolve().parent / "templates" / "deck"
SUFFIX = ".slides.html"
SCRIPTS = ("paths.js", "overview.js", "deck.js", "fit.js")

# 讲稿窗口是本页打开的空白窗口，沿用这条策略；它用两个框显示当前页和下一页，框里是这份幻灯片自己
_POLICY = f"{shell.POLICY}; script-src 'unsafe-inline'; frame-src 'self' file:"


class DeckExporter(SlidesExporter):
    """不需要网络、不需要别的文件的幻灯片。from_notebook_node 会改动收到的笔记本。"""

    export_from_notebook = None  # 不出现在 jupyter nbconvert 的列表里：它只在本项目里用

    @default("template_name")
    def _template_name_default(self):
        return DECK_TEMPLATES.name

    @default("extra_template_basedirs")
    def _default_extra_template_basedirs(self):
        return [str(DECK_TEMPLATES.parent)]

    @default("extra_template_paths")
    def _default_extra_template_paths(self):
        return [str(shell.SHELL_TEMPLATES)]

    @property
    def default_config(self):
        priority = ["text/html", "text/markdown", "text/latex", "image/png", "image/jpeg", "text/plain"]
        inherited = super().default_config.copy()
        inherited.merge(Config({"NbConvertBase": {"display_data_priority": priority}}))
        return inherited

    def default_filters(self):
        yield from super().default_filters()
        yield "markdown2html", _in_its_cell(_markdown)
        yield "latex2mathml", _in_its_cell(lambda source, cell: output_to_mathml(source))
        yield "on_page", on_page
        yield "of_lesson", of_lesson
        yield "hang", design.hang
        yield "dedent", dedent

    def from_notebook_node(self, nb, resources=None, **kwargs):
        """排成一份幻灯片；返回 (HTML, resources)，resources["deck"]["long"] 是太长的页。

        PageError：有一格做不成。
        """
        resources = self._init_resources(resources)
        pages = plan_lesson(nb, lambda cell, error: _error(resources, cell, error))
        for cell in nb.cells:
            if _result_stands_alone(cell):
                cell.metadata.transient = {"remove_source": True}
        scripts = [
            reveal.player(),
            reveal.notes_plugin(_template("speaker.css"), _template("speaker.js")),
            *map(_template, SCRIPTS),
        ]
        resources["deck"] = {
            "title": _title(nb),
            "long": [(cells[0].metadata.number, extra) for cells in pages if (extra := too_long(cells))],
            "policy": _POLICY,
            "reveal_css": reveal.read("dist/reset.css") + reveal.read("dist/reveal.css"),
            "accent": design.accent(resources["metadata"]["name"]),
            "steps": design.steps(nb),
            "css": _template("deck.css") + _template("player.css"),
            "font_faces": font_faces,
            "scripts": scripts,
            "words": re.sub("[^\u3000-\u9fff\uff00-\uffef]", "", "".join(scripts)),  # 按键以后才出现的字
        }
        return super().from_notebook_node(nb, resources, **kwargs)


class _DeckRenderer(Renderer):
    link_suffix = SUFFIX

    def render_tokens(self, tokens, state):
        """粗体里的下划线会把一段文字分成几截：先接上，text 才认得出 d_k。"""
        joined = []
        for token in tokens:
            if joined and token["type"] == joined[-1]["type"] == "text":
                joined[-1] = token | {"raw": joined[-1]["raw"] + token["raw"]}
            else:
                joined.append(token)
        return super().render_tokens(joined, state)

    def text(self, text):
        """写在文字里的 d_k、W_Q、Kᵀ、√8、n² 也排成公式。"""
        parts = design.SYMBOL.split(text)
        parts[::2] = map(super().text, parts[::2])
        parts[1::2] = (to_mathml(design.latex(symbol), display=False) for symbol in parts[1::2])
        return "".join(parts)

    def block_code(self, code, info=None):
        return design.hang(super().block_code(code, info))

    def list_item(self, text):
        """一条误解「**“说法。”** 纠正」：先只有说法，问过学生，按 → 才出现纠正。"""
        claim, end, correction = text.partition("</strong>")
        if end and claim.startswith("<strong>“"):
            text = f'{claim}{end}<span class="fragment">{correction}</span>'
        return super().list_item(text)


def _markdown(source, cell):
    return design.together(to_html(source, _DeckRenderer, cell.get("attachments")))


def on_page(size):
    """一张图（Jupyter 记下的显示宽高）写在 <img> 里的属性；没有记宽高就没有属性。放大几倍由 fit.js 定。"""
    if not size.get("height"):
        return ""
    return f'style="--w:{size["width"]};--h:{size["height"]}" '


def of_lesson(cell):
    """一页的 <section> 的属性：它在课里的哪里，讲几秒。"""
    given = cell.metadata
    if given.get("divider"):
        return ' id="optional" data-visibility="uncounted"'
    place = given.get("optional", "").partition("/")[0]
    return (
        (f' id="optional-{place}" data-visibility="uncounted"' if place else "")
        + (f' data-timing="{given.seconds}"' if given.get("seconds") else "")
        + (f' data-short="{given.short_seconds}"' if given.get("short_seconds") else "")
    )


def _template(name):
    """templates/deck/ 里的一个文件，不带脚本的注释。"""
    text = (DECK_TEMPLATES / name).read_text(encoding="utf-8")
    return re.sub(r"^ *//.*\n| // .*", "", text, flags=re.MULTILINE) if name.endswith(".js") else text


def _title(nb):
    """笔记本的标题：第一个一级标题的文字。"""
    headings = (re.match("# (.*)", cell.source) for cell in nb.cells if cell.cell_type == "markdown")
    return next((heading[1].strip() for heading in headings if heading), "")


def _result_stands_alone(cell):
    """画图、写公式、放动画的代码不上幻灯片：教室里看的是结果，怎样得来在笔记本里。"""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return any(
        data.keys() & {"image/png", "image/jpeg", "text/latex"}
        or data.get("text/html", "").startswith('<figure class="animation')
        for data in shown
    )


def _in_its_cell(convert):
    """模板里的一个转换；转换不了时，说出是哪一本、第几格。"""

    @pass_context
    def converted(context, source):
        try:
            return convert(source, context["cell"])
        except ValueError as error:
            raise _error(context["resources"], context["cell"], error) from None

    return converted


def _error(resources, cell, error):
    lines = cell.source.splitlines()
    shown = "\n".join(f"    {line}" for line in lines[:3] + ["…"] * (len(lines) > 3))
    return PageError(
        f"{resources['metadata']['name']}.ipynb 第 {cell.metadata.number} 格：\n{shown}\n{error}"
    )

"""一本笔记 → 一份幻灯片：nbconvert 的 SlidesExporter，换上自己的模板、公式和文件头。"""

from pathlib import Path

from jinja2 import pass_context
from nbconvert.exporters import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from traitlets import default
from traitlets.config import Config

from utils.pages.fonts import font_faces
from utils.pages.formulas import FormulaError, to_mathml
from utils.slides import reveal
from utils.slides.notes import Notes, split_notes

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "templates"
SUFFIX = ".slides.html"
NEW_PAGE = ("slide", "subslide")  # 从这一格起是新的一页

# 图在页上放大到投影仪看得清：最多 1.5 倍，但不超出一页（1280×720）留给图的地方。
# 高过 HIGH 的图这样放就太小了：它占满一页的高，说明排在它左边。
LARGEST_ZOOM, WIDEST, TALLEST = 1.5, 1160, 450
HIGH, FULL_HEIGHT = 500, 630


class DeckError(Exception):
    """一份幻灯片做不成；消息写明是哪一本、哪一格、为什么。"""


class _Renderer(IPythonRenderer):
    """Markdown → HTML：公式成为 MathML，通往另一本笔记的链接改为通往它的幻灯片。"""

    def block_math(self, body):
        return to_mathml(body, display=True)

    def inline_math(self, body):
        return to_mathml(body, display=False)

    def latex_environment(self, name, body):
        return to_mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", display=True)

    def list_item(self, text):
        """一条误解「**“说法。”** 纠正」：先只有说法，问过学生，按 → 才出现纠正。"""
        claim, end, correction = text.partition("</strong>")
        if end and claim.startswith("<strong>“"):
            text = f'{claim}{end}<span class="fragment">{correction}</span>'
        return super().list_item(text)

    def link(self, text, url, title=None):
        path = url.partition("#")[0]
        if path.endswith(".ipynb") and "/" not in path:
            url = path.removesuffix(".ipynb") + SUFFIX
        return super().link(text, url, title)

    def image(self, text, url, title=None):
        image = super().image(text, url, title)
        if 'src="data:' not in image:
            raise ValueError(f"图片 {url} 不在笔记本里：幻灯片不能引用别的文件，请用代码画出它。")
        return image


def markdown2html(source: str, attachments: dict | None = None) -> str:
    """一段 Markdown（含公式）的 HTML。"""
    renderer = _Renderer(escape=False, exclude_anchor_links=True, attachments=attachments)
    return MarkdownWithMath(renderer=renderer).render(source)


def latex2mathml(source: str) -> str:
    r"""一个 ``text/latex`` 输出的 MathML；``$$…$$`` 和 ``$\displaystyle …$`` 单独成行。"""
    body = source.strip()
    display = body.startswith(("$$", r"$\displaystyle"))
    return to_mathml(body.strip("$").strip().removeprefix(r"\displaystyle"), display=display)


def enlarged(width: int, height: int) -> int:
    """一张 width × height 的图在页上的宽度，CSS 像素。"""
    tallest = FULL_HEIGHT if is_high(height) else TALLEST
    return round(width * min(LARGEST_ZOOM, WIDEST / width, tallest / height))


def is_high(height: int) -> bool:
    """一张图是否高得要占满一页。"""
    return height > HIGH


class ResultAlone(Preprocessor):
    """画图、写公式、放动画的代码不上幻灯片：教室里看的是结果，怎样得来在笔记本里。"""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int):
        shown = [output.get("data", {}) for output in cell.get("outputs", [])]
        if any(
            data.keys() & {"image/png", "image/jpeg", "text/latex"}
            or data.get("text/html", "").startswith('<figure class="animation')
            for data in shown
        ):
            cell.metadata.transient = {"remove_source": True}
        return cell, resources


def _notes(cell: NotebookNode) -> tuple[str, Notes | None]:
    """一格的内容和它带的讲稿；只有文字格可以带讲稿。"""
    return split_notes(cell.source) if cell.cell_type == "markdown" else (cell.source, None)


class SpeakerNotes(Preprocessor):
    """把讲稿从格子里取出来。一节的讲稿，这一节的每一页都看得到；时间平分给各页。"""

    def preprocess(self, nb: NotebookNode, resources: dict):
        section: list[NotebookNode] = []
        for number, cell in enumerate(nb.cells, start=1):
            cell.metadata.number = number
            try:
                cell.source, notes = _notes(cell)
            except ValueError as error:
                raise _in_cell(resources, cell, error) from None
            slide_type = cell.metadata.get("slideshow", {}).get("slide_type", "-")
            if notes or slide_type == "slide":
                section, minutes, text = [], notes.minutes if notes else 0, notes.text if notes else ""
                resources["deck"]["minutes"] += minutes
            if slide_type in NEW_PAGE:
                section.append(cell)
                cell.metadata.notes = text
                for page in section:
                    page.metadata.seconds = round(60 * minutes / len(section))
        return nb, resources


def _in_cell(resources: dict, cell: NotebookNode, error: Exception) -> DeckError:
    lines = cell.source.splitlines()
    shown = "\n".join(f"    {line}" for line in lines[:3] + ["…"] * (len(lines) > 3))
    name = resources["metadata"]["name"]
    return DeckError(f"{name}.ipynb 第 {cell.metadata.get('number', '?')} 格：\n{shown}\n{error}")


class DeckExporter(SlidesExporter):
    """不需要网络、不需要别的文件的幻灯片。"""

    export_from_notebook = None  # 不出现在 jupyter nbconvert 的列表里：它只在本项目里用

    @default("template_name")
    def _template_name_default(self):
        return "deck"

    @default("extra_template_basedirs")
    def _default_extra_template_basedirs(self):
        return [str(TEMPLATES)]

    @property
    def default_config(self):
        priority = ["text/html", "text/markdown", "text/latex", "image/png", "image/jpeg", "text/plain"]
        config = Config({"NbConvertBase": {"display_data_priority": priority}})
        inherited = super().default_config.copy()
        inherited.merge(config)
        return inherited

    @pass_context
    def markdown2html(self, context, source):
        cell = context["cell"]
        try:
            return markdown2html(source, cell.get("attachments"))
        except ValueError as error:
            raise _in_cell(context["resources"], cell, error) from None

    @pass_context
    def _latex2mathml(self, context, source):
        try:
            return latex2mathml(source)
        except FormulaError as error:
            raise _in_cell(context["resources"], context["cell"], error) from None

    def default_filters(self):
        yield from super().default_filters()
        yield "latex2mathml", self._latex2mathml
        yield "enlarged", enlarged
        yield "is_high", is_high

    def from_notebook_node(self, nb, resources=None, **kwargs):
        resources = self._init_resources(resources)
        title, summary = _opening(nb)
        scripts = [reveal.read("dist/reveal.js"), reveal.notes_plugin(), _read("deck.js")]
        resources["deck"] = {
            "title": title,
            "summary": markdown2html(summary),
            "pages": sum(
                cell.metadata.get("slideshow", {}).get("slide_type") in NEW_PAGE for cell in nb.cells
            ),
            "minutes": 0,
            "policy": _policy(scripts),
            "reveal_css": reveal.read("dist/reset.css") + reveal.read("dist/reveal.css"),
            "highlight_css": HtmlFormatter(style="default").get_style_defs(".highlight"),
            "css": _read("deck.css"),
            "font_faces": font_faces,
            "scripts": scripts,
        }
        return super().from_notebook_node(nb, resources, **kwargs)

    def render_page(self, template: str, **variables) -> str:
        """幻灯片以外的一页，如目录。"""
        return self.environment.get_template(template).render(
            css=_read("map.css"), font_faces=font_faces, **variables
        )


def _read(name: str) -> str:
    return (TEMPLATES / "deck" / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """内容安全策略：除了写进页面的脚本、样式、图和字体，什么都不许加载。

    讲稿窗口是本页打开的空白窗口，沿用这条策略；它用两个框显示当前页和下一页，框里是这份幻灯片自己。
    """
    allowed = scripts + reveal.inline_scripts(reveal.speaker_view())
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(reveal.fingerprint(script) for script in allowed)}",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "font-src data:",
            "frame-src 'self' file:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _opening(nb: NotebookNode) -> tuple[str, str]:
    """笔记本的标题和标题下的第一段。"""
    for cell in nb.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("# "):
            heading, _, rest = cell.source.partition("\n")
            return heading.removeprefix("# ").strip(), rest.strip().split("\n\n")[0]
    return "", ""

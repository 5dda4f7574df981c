"""网页的外壳：字体写在页里，不引用别的文件；除了书，没有脚本。"""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from utils.pages.fonts import font_faces
from utils.pages.formulas import to_mathml

SHELL_TEMPLATES = Path(__file__).resolve().parent / "templates"

# 内容安全策略：除了写进页面的样式、字体和图，什么都不许加载
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def render_page(folder, template, *, css, policy=POLICY, **variables):
    """排出一页；返回 HTML。

    folder : 模板所在的文件夹；template : 模板的文件名，它从 shell.html.j2 继承
    css : folder 里的样式文件；policy : 内容安全策略；variables : 模板里用到的东西，其中的文字都当作文字
    """
    return (
        _environment(folder)
        .get_template(template)
        .render(
            css=Markup((folder / css).read_text(encoding="utf-8")),
            font_faces=lambda body: Markup(font_faces(body)),
            policy=Markup(policy),
            **variables,
        )
    )


def render_part(folder, template, **variables):
    """页面里的一段，放进 render_page 的一页里；字体由那一页一起抽取。"""
    return Markup(_environment(folder).get_template(template).render(**variables))


@cache
def _environment(folder):
    environment = Environment(
        loader=FileSystemLoader([folder, SHELL_TEMPLATES], encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["math"] = _to_markup
    return environment


@cache
def _to_markup(latex):
    return Markup(to_mathml(latex, display=False))

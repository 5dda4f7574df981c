"""把一步排成一页 HTML：没有脚本，字体写在页里，不引用别的文件。"""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from utils.pages.fonts import font_faces
from utils.pages.formulas import to_mathml
from utils.worksheet.steps import STEPS

TEMPLATES = Path(__file__).resolve().parent / "templates"
WORKSHEET, ANSWERS = ".worksheet.html", ".answers.html"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"


def _math(latex: str) -> Markup:
    """一个公式的 MathML；latex 只来自模板和 steps.py，不含词元。"""
    return Markup(to_mathml(latex, display=False))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["math"] = _math
    environment.globals.update(
        policy=POLICY,
        css=Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        font_faces=lambda body: Markup(font_faces(body)),
    )
    return environment


def render(step: str, *, answers: bool) -> str:
    """一步的练习纸；answers 为真时是填好答案的那一份。step 是 STEPS 里的名字。"""
    title, numbers = STEPS[step]
    template = _environment().get_template(f"{step}.html.j2")
    return template.render(title=title, answers=answers, **numbers())


def render_index(steps: list[str]) -> str:
    """目录页，列出 steps 的练习纸和答案。"""
    rows = [(STEPS[step][0], step + WORKSHEET, step + ANSWERS) for step in steps]
    return _environment().get_template("index.html.j2").render(title="笔算练习纸", rows=rows)

"""不用我们的命令，用 Jupyter 自带的 nbconvert 导出：图有替代文字，动画不用联网，公式留着原样的 LaTeX。

nbconvert 7.17 只有 classic 模板读替代文字（metadata 里的 alt）；默认的 lab 模板一律写 No description。
"""

import pytest
from nbconvert import HTMLExporter, SlidesExporter

from utils.notebooks import NOTEBOOKS, parse
from utils.tests.html_page import read_html

NB = parse((NOTEBOOKS / "09_positions.ipynb").read_bytes())


@pytest.fixture(scope="module")
def outputs():
    """09 存下的输出：图、动画、公式都有。"""
    return [output.data for cell in NB.cells for output in cell.get("outputs", []) if "data" in output]


def test_every_picture_has_its_description_as_alt_text(outputs):
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(NB)
    descriptions = [data["text/plain"] for data in outputs if "image/png" in data]
    alts = [image.attributes["alt"] for image in read_html(page).find("img")]
    assert len(descriptions) > 3
    assert [" ".join(alt.split()) for alt in alts] == [" ".join(text.split()) for text in descriptions]


@pytest.mark.parametrize("exporter", [HTMLExporter, SlidesExporter])
def test_films_and_formulas_are_there_without_a_network(outputs, exporter):
    page, _ = exporter().from_notebook_node(NB)
    films = [figure for figure in read_html(page).find("figure") if "animation" in figure.classes]
    assert len(films) == sum("animation" in data.get("text/html", "") for data in outputs) > 0
    for film in films:  # 自带样式，没有脚本
        assert film.find("style") and film.find("details") and not film.find("script")
    text = "".join(read_html(page).strings())
    formulas = [data["text/latex"] for data in outputs if "text/latex" in data]
    assert formulas and all(formula.strip("$").strip() in text for formula in formulas)

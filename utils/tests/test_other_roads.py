"""不用我们的命令，用 Jupyter 自带的 nbconvert 导出：图有替代文字，动画不用联网，公式留着原样的 LaTeX。"""

import json
import sys

import pytest
from nbconvert import HTMLExporter, SlidesExporter
from traitlets.config import PyFileConfigLoader

from utils import installing
from utils.notebooks import NOTEBOOKS, parse
from utils.tests.html_page import read_html

NB = parse((NOTEBOOKS / "09_positions.ipynb").read_bytes())


@pytest.fixture(scope="module")
def outputs():
    """09 存下的输出：图、动画、公式都有。"""
    return [output.data for cell in NB.cells for output in cell.get("outputs", []) if "data" in output]


@pytest.mark.parametrize("exporter", [HTMLExporter, SlidesExporter])
@pytest.mark.parametrize("settings", ["jupyter_nbconvert_config.py", "jupyter_server_config.py"])
def test_every_picture_has_its_description_as_alt_text(outputs, settings, exporter):
    """命令行和 JupyterLab 的菜单；跳过的格不在幻灯片上。只改导出的那一份。"""
    config = PyFileConfigLoader(settings, path=str(installing.EXPORT.parent)).load_config()
    before = json.dumps(NB)
    page, _ = exporter(config=config).from_notebook_node(NB)
    descriptions = [data["text/plain"] for data in outputs if "image/png" in data]
    alts = [image.attributes["alt"] for image in read_html(page).find("img")]
    assert len(descriptions) > 3 and json.dumps(NB) == before
    if exporter is HTMLExporter:
        assert [" ".join(alt.split()) for alt in alts] == [" ".join(text.split()) for text in descriptions]
    assert len(alts) > 3 and {*alts} <= {*descriptions}


def test_the_environment_gets_these_settings_unless_it_has_others(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    installing.install([])
    place = tmp_path / "etc" / "jupyter" / "jupyter_nbconvert_config.py"
    assert place.read_bytes() == installing.EXPORT.read_bytes()
    place.write_bytes(place.read_bytes().splitlines()[0] + "\n旧的一版\n".encode())
    installing.install([])
    assert place.read_bytes() == installing.EXPORT.read_bytes()
    place.write_text("c.HTMLExporter.theme = 'dark'", encoding="utf-8")
    installing.install([])
    assert place.read_text(encoding="utf-8") == "c.HTMLExporter.theme = 'dark'"


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

"""幻灯片和练习纸共有的：命令怎样拒绝，字体怎样抽取。"""

import base64
import importlib
import io
import re
from importlib.metadata import distribution

import pytest
from fontTools.ttLib import TTFont

from utils.pages import fonts
from utils.tests.html_page import read_html
from utils.tests.packages import uninstall

COMMANDS = {"slides": "01_projection", "worksheet": "02_scores"}


def run(command, *arguments):
    return importlib.import_module(f"utils.{command}.__main__").main([*map(str, arguments)])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("package", ["uharfbuzz", "fontTools", "math_core", "ziamath", "sphinx-revealjs"])
def test_a_missing_package_is_named_with_the_way_out(command, package, tmp_path, monkeypatch, capsys):
    for each in COMMANDS:  # 先都导入过，测试以后才会一一恢复
        for module in ("__main__", "build"):
            importlib.import_module(f"utils.{each}.{module}")
    uninstall(package, ("utils.slides", "utils.worksheet", "utils.pages"), monkeypatch)
    if (command, package) == ("worksheet", "sphinx-revealjs"):  # 练习纸用不到它
        assert run(command, COMMANDS[command], "-o", tmp_path) == 0
        return
    assert run(command, COMMANDS[command], "-o", tmp_path / "out") == 1
    said = capsys.readouterr().out.strip()
    assert said == f"缺少软件包 {package}：请用 python -m utils {command} 代替，它先装好需要的软件包。"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_cannot_be_written_is_named(command, tmp_path, capsys):
    (tmp_path / "taken").write_bytes(b"")
    assert run(command, COMMANDS[command], "-o", tmp_path / "taken") == 1
    said = capsys.readouterr().out
    assert f"写不进 {tmp_path / 'taken'}" in said and "用 -o 换一个文件夹" in said


def test_a_font_does_not_remember_when_it_was_cut():
    """抽出的字体里写着原来的修改时刻，不写现在的：同一本笔记总是做成同样的文件。"""
    [data] = re.findall(r'base64,([^"]+)', fonts.font_faces("<p>猫</p>"))
    cut = TTFont(io.BytesIO(base64.b64decode(data)), recalcTimestamp=False)
    package, path = fonts.TEXT_FONT
    with TTFont(distribution(package).locate_file(path), recalcTimestamp=False) as whole:
        assert cut["head"].modified == whole["head"].modified


@pytest.mark.parametrize("text", ["<p><b>一</p></b>", "<p>一", "</p>"])
def test_the_reader_of_pages_refuses_unpaired_elements(text):
    with pytest.raises(AssertionError):
        read_html(text)

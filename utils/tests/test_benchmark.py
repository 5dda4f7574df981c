"""量速度的事实：表怎样算、怎样排，轮流量的次序。时间本身不测。"""

import os
import subprocess

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from utils.benchmark import notebooks, timing
from utils.benchmark.__main__ import main
from utils.benchmark.table import HEAD, Row, render
from utils.notebooks import NOTEBOOKS


def test_a_row_is_compared_with_what_was_measured_beside_it():
    row = Row("项目", 3.0, 2.0, limit=1.3)
    assert row.ratio == 1.5 and row.missed
    assert not Row("项目", 2.6, 2.0, limit=1.3).missed
    assert not Row("项目", 3.0, 2.0).missed


def test_without_a_reference_the_limit_is_for_the_value_itself():
    assert Row("项目", 1.1, limit=1.0).missed and not Row("项目", 1.0, limit=1.0).missed
    assert Row("项目", 1.1).ratio is None


def test_columns_line_up_where_a_chinese_character_takes_two_places():
    text = render(
        [Row("check", 1.0, 2.0, note="甲"), Row("一行中文，全角标点", 12.5, 2.0, limit=2, note="乙")]
    )
    lines = text.splitlines()

    def place(line, word):
        before = line[: line.index(word)]
        return len(before) + sum(ord(character) >= 0x2E80 for character in before)

    assert len({place(lines[0], HEAD[-1]), place(lines[1], "甲"), place(lines[2], "乙")}) == 1
    assert "6.25" in lines[2] and "超出" in lines[2] and "超出" not in lines[1]


def test_works_take_turns():
    order = []
    times = timing.side_by_side(lambda: order.append("甲"), lambda: order.append("乙"), repeats=3)
    assert order == ["甲", "乙"] * 3 and len(times) == 2


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="这个系统量不出进程的内存")
def test_the_memory_of_a_process_does_not_include_its_starter():
    """启动它的进程占着 200 MiB，量到的仍是它自己占的。"""
    held = np.ones(200 * 2**17)
    small = timing.run_python("-c", "pass")
    large = timing.run_python("-c", "held = b'x' * (300 * 2**20)")
    assert held.all() and small < 100 and 300 < large < 400


def test_a_process_that_fails_stops_the_benchmark():
    with pytest.raises(subprocess.CalledProcessError):
        timing.run_python("-c", "raise SystemExit(3)")


def test_the_bare_notebook_imports_what_the_notebook_uses(tmp_path):
    """有滑块的笔记，对照也导入 ipywidgets；别的不导入。"""
    with_sliders = {
        path.stem for path in NOTEBOOKS.glob("*.ipynb") if "ipywidgets" in notebooks.imports(path)
    }
    assert with_sliders == {"03_scaling", "04_softmax", "05_weighted_sum"}


def test_the_slowest_cell_is_found_and_imports_do_not_count(tmp_path):
    path = tmp_path / "try.ipynb"
    sources = ["import time; time.sleep(0.6)", "1 + 1", "__import__('time').sleep(0.3)"]
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)
    seconds, name = notebooks.slowest_cell(path)
    assert "第 3 格" in name and seconds >= 0.3


@pytest.mark.parametrize("part", ["attention", "exercises"])
def test_the_command_prints_one_table(part, capsys, monkeypatch):
    monkeypatch.setattr("utils.benchmark.attention.LENGTHS", (3, 8))
    assert main(["-n", "1", "--only", part]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == list(HEAD) and len(lines) == {"attention": 4, "exercises": 2}[part]

"""量速度的事实：一张对齐的表；最慢的一格找得到，导入不算。时间本身不测。"""

from nbformat.v4 import new_code_cell, new_notebook

from utils import benchmark
from utils.notebooks import normalise, serialise


def write(path, *sources):
    path.write_bytes(serialise(normalise(new_notebook(cells=[new_code_cell(source) for source in sources]))))
    return path


def test_columns_line_up_where_a_chinese_character_takes_two_places():
    rows = [benchmark.row("check", 1.0, 2.0, note="甲"), benchmark.row("一行中文，全角", 12.5, note="乙")]
    lines = benchmark.as_table(rows).splitlines()

    def place(line, word):
        before = line[: line.index(word)]
        return len(before) + sum(ord(character) >= 0x2E80 for character in before)

    assert len({place(*pair) for pair in zip(lines, ["说明", "甲", "乙"], strict=True)}) == 1
    assert " 0.5 " in lines[1] and " 0.5 " not in lines[2]


def test_the_slowest_cell_is_found_and_imports_do_not_count(tmp_path):
    sources = ["import time; time.sleep(0.6)", "1 + 1", "__import__('time').sleep(0.3)"]
    seconds, name, _ = benchmark.run_cells(write(tmp_path / "try.ipynb", *sources))
    assert "第 3 格" in name and 0.3 <= seconds < 0.6


def test_self_attention_is_measured_beside_torch(monkeypatch):
    monkeypatch.setattr(benchmark, "LENGTHS", (3, 8))
    rows = list(benchmark.of_attention())
    assert [row[0] for row in rows] == ["self_attention，3 个词元", "self_attention，8 个词元"]
    assert all(float(row[3]) >= 0 for row in rows)

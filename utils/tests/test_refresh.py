"""刷新命令：规范化的结果总是一样；出错时文件一个字节也不变。"""

import io
import json
import os
import sys

import nbformat
import pytest
from nbformat import v4

from utils import refresh
from utils.notebooks import normalise, serialise
from utils.tests.tiny_picture import png, write_drawing_module


def write(path, *sources):
    """一本没有执行过、到处不规范的笔记：旧的 metadata、重复和缺失的 id、CRLF、没有末尾换行。"""
    cells = [v4.new_markdown_cell("# 1 试")] + [v4.new_code_cell(source) for source in sources]
    nb = v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "elsewhere", "display_name": "?"}})
    for cell in cells:
        cell.id = "same"
        cell.metadata = {
            "scrolled": True,
            "execution": {"iopub.status.idle": "now"},
            "tags": ["skip-execution", "raises-exception"],
        }
    del cells[-1]["id"]
    path.write_bytes(json.dumps(nb, indent=1).replace("\n", "\r\n").encode())
    return path


LONG_AGO = 10**18  # 2001 年，以纳秒计

GOOD = [
    "import os, sys\nfrom pathlib import Path",
    f"Path.cwd().name, os.path.samefile(sys.executable, {sys.executable!r})",
    "print(1, flush=True)\nprint(2)",
    "from drawing import Picture\nPicture()",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """在 GBK 终端里刷新三本：一本正常，一本出错，一本写 stderr；再单独刷新正常的那本一次。

    用户目录里有一个打不开的 kernelspec，也叫 python3；两次之间，正常的那本里存的图换成只差一级颜色的。
    """
    folder = tmp_path_factory.mktemp("课程 资料") / "notebooks"
    folder.mkdir()
    good = write(folder / "good.ipynb", *GOOD)
    broken = write(folder / "broken.ipynb", "1", "'ᵀ'\n2\n3\n1 / 0")
    noisy = write(folder / "noisy.ipynb", "import sys; print('小心', file=sys.stderr)")
    write_drawing_module(folder)
    foreign = folder.parent / "kernels" / "python3"
    foreign.mkdir(parents=True)
    spec = {"argv": ["no-such-python"], "display_name": "别处的 Python", "language": "python"}
    (foreign / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    before = {path: path.read_bytes() for path in (broken, noisy)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder.parent))
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="gbk"))
        codes = [refresh.main([str(broken), str(noisy), str(good)])]
        # 另一种 CPU 存下的图：颜色差一级
        first = good.read_bytes().replace(png().encode(), png(noise=1).encode())
        good.write_bytes(first)
        os.utime(good, ns=(LONG_AGO, LONG_AGO))
        codes.append(refresh.main([str(good)]))
        sys.stdout.flush()
        said = sys.stdout.buffer.getvalue().decode("gbk")
    return {"good": good, "first": first, "before": before, "codes": codes, "said": said}


def test_a_failing_or_noisy_notebook_stays_byte_identical(run):
    assert {path: path.read_bytes() for path in run["before"]} == run["before"]


def test_the_exit_code_is_1_only_if_a_notebook_failed(run):
    assert run["codes"] == [1, 0]


def test_the_message_names_notebook_cell_source_and_error(run):
    assert "broken.ipynb 第 3 格（代码格 [2]）" in run["said"]
    assert "    2\n    3\n    …\nZeroDivisionError: division by zero" in run["said"].replace("\r\n", "\n")
    assert "noisy.ipynb 第 2 格（代码格 [1]）" in run["said"] and "小心" in run["said"]


def test_refreshing_twice_does_not_even_touch_the_file(run):
    assert png(noise=1).encode() in run["first"]
    assert run["good"].read_bytes() == run["first"]
    assert run["good"].stat().st_mtime_ns == LONG_AGO
    assert "good.ipynb：已更新" in run["said"] and "good.ipynb：没有变化" in run["said"]


def test_every_cell_ran_in_the_notebooks_folder_with_this_python(run):
    cells = nbformat.read(run["good"], as_version=4).cells[1:]
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4]
    assert cells[1].outputs[0].data["text/plain"] == "('notebooks', True)"
    assert [output.text for output in cells[2].outputs] == ["1\n2\n"]


def test_the_file_is_valid_utf8_with_lf_and_one_final_newline(run):
    content = run["first"].decode("utf-8")
    assert "\r" not in content and content.endswith("}\n") and "一格热力图" in content
    nbformat.validate(json.loads(content))


def test_no_temporary_file_is_left(run):
    names = {path.name for path in run["good"].parent.iterdir()}
    assert names - {"__pycache__"} == {"broken.ipynb", "drawing.py", "good.ipynb", "noisy.ipynb"}


# ---------------------------------------------------------------- 不需要内核的部分


def notebook(*cells):
    nb = v4.new_notebook()
    nb.cells = list(cells)
    return nb


def test_valid_ids_stay_and_the_others_are_derived_from_the_content():
    cells = [v4.new_code_cell(str(number)) for number in (1, 1, 1, 2)]
    cells[0].id, cells[1].id, cells[2].id, cells[3].id = "kept", "kept", "not valid!", "also-kept"
    ids = [cell.id for cell in normalise(notebook(*cells)).cells]
    again = [cell.id for cell in normalise(notebook(*cells)).cells]
    assert ids[0] == "kept" and ids[3] == "also-kept"
    assert len(set(ids)) == 4 and ids == again


def test_only_the_metadata_that_the_course_uses_is_kept():
    size = {"image/png": {"width": 3, "height": 2, "dpi": 9}, "text/plain": {"width": 1}}
    cell = v4.new_code_cell("1\r\n2", outputs=[v4.new_output("display_data", metadata=size)])
    cell.metadata = {"slideshow": {"slide_type": "skip"}, "tags": [], "collapsed": True, "editable": True}
    nb = notebook(cell)
    nb.metadata = {"language_info": {"name": "python", "version": "3.9"}, "widgets": {}}
    nb = normalise(nb)
    assert nb.cells[0].metadata == {"slideshow": {"slide_type": "skip"}}
    assert nb.cells[0].source == "1\n2"  # Windows 上有的编辑器存成 CRLF
    assert nb.cells[0].outputs[0].metadata == {"image/png": {"width": 3, "height": 2}}
    assert (
        nb.metadata.keys() == {"kernelspec", "language_info"} and "version" not in nb.metadata.language_info
    )


def test_normalising_does_not_change_its_argument_and_is_idempotent():
    cell = v4.new_code_cell("1", metadata={"scrolled": True})
    nb = notebook(cell)
    before = serialise(nb)
    once = normalise(nb)
    assert serialise(nb) == before
    assert serialise(normalise(once)) == serialise(once)


def test_an_equal_looking_picture_keeps_its_stored_bytes_and_another_one_does_not():
    def with_pictures(*pictures):
        outputs = [v4.new_output("display_data", data={"image/png": picture}) for picture in pictures]
        return notebook(v4.new_code_cell("", outputs=outputs))

    drawn, stored = with_pictures(png(noise=1), png("0.38")), with_pictures(png(), png())
    refresh._keep_equal_pictures(drawn, stored)
    assert [output.data["image/png"] for output in drawn.cells[0].outputs] == [png(), png("0.38")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"\xff",
        b"[]",
        b'{"nbformat": 3}',
        b'{"cells": [{"cell_type": "poem", "source": "", "metadata": {}}], "metadata": {}}',
    ],
)
def test_a_file_that_is_no_notebook_is_refused_by_name(tmp_path, content):
    path = tmp_path / "a.ipynb"
    path.write_bytes(content)
    with pytest.raises(refresh.RefreshError, match=r"a\.ipynb：没有这个文件"):
        refresh.refresh(path)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(refresh.RefreshError, match=r"a\.ipynb：没有这个文件"):
        refresh.refresh(tmp_path / "a.ipynb")

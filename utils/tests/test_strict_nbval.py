"""逐格重新执行的每个漏洞都已堵上：存下的内容有一处不真，对应的那一格就失败。"""

import shutil
import tomllib
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from utils.notebooks import WIDGET_VIEW
from utils.pictures import picture_difference
from utils.strict_nbval import output_differences
from utils.tests.tiny_picture import png, write_drawing_module

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]


# ---------------------------------------------------------------- 图


@pytest.mark.parametrize(
    "drawn",
    [png(), png(noise=1), png(width=301), png(bar=101), png(frame=11)],
    ids=["same", "noise", "one pixel wider", "bar one pixel higher", "frame one pixel aside"],
)
def test_what_another_cpu_may_change_is_no_difference(drawn):
    assert picture_difference(png(), drawn) is None


@pytest.mark.parametrize(
    "drawn",
    [png("0.38"), png(frame=12), png(bar=102), png(bar=0)],
    ids=["one digit", "moved frame", "higher bar", "missing bar"],
)
def test_a_visible_change_is_located_and_measured(drawn):
    difference = picture_difference(png(), drawn)
    assert "像素之间" in difference and "最多差" in difference


@pytest.mark.parametrize("digit", "012345678")
def test_any_other_digit_in_a_small_number_is_a_difference(digit):
    assert picture_difference(png("0.9"), png(f"0.{digit}"))


def test_the_place_of_the_difference_is_the_place_of_the_change():
    # 柱子宽 200…240，柱顶从 y=120 降到 y=170
    assert "横 200–240、纵 120–169" in picture_difference(png(bar=100), png(bar=50))


def test_another_size_is_a_difference():
    assert "300×240" in picture_difference(png(), png(width=303))


@pytest.mark.parametrize("stored", ["", "AAAA", png()[:400]], ids=["empty", "no picture", "cut off"])
def test_a_stored_picture_that_cannot_be_opened_is_a_difference(stored):
    assert "打不开" in picture_difference(stored, png())


# ---------------------------------------------------------------- 输出


def text(value, name="stdout"):
    return v4.new_output("stream", name=name, text=value)


def result(data, metadata=None, kind="display_data"):
    return v4.new_output(kind, data=data, metadata=metadata or {})


SIZE = {"image/png": {"width": 150, "height": 120}}


@pytest.mark.parametrize(
    ("stored", "fresh", "said"),
    [
        ([], [text("1")], "个数"),
        ([text("1")], [], "个数"),
        ([text("1"), text("1")], [text("1")], "个数"),
        ([text("1")], [text("2")], "-1\n+2"),
        ([text("1\n")], [text("1")], r"1\n"),
        ([text("1", "stdout")], [text("1", "stderr")], "stderr"),
        ([result({"text/plain": "1"})], [result({"text/plain": "1"}, kind="execute_result")], "类型"),
        ([result({"text/plain": "1"})], [result({"text/plain": "2"})], "text/plain"),
        ([result({"text/latex": "1"})], [result({"text/latex": "2"})], "text/latex"),
        ([result({"text/html": "<b>1</b>"})], [result({"text/html": "<i>1</i>"})], "text/html"),
        ([result({"text/plain": "1"})], [result({"text/plain": "1", "text/html": "1"})], "text/html"),
        ([result({"image/png": png()})], [result({"image/png": png("0.38")})], "图不同"),
        ([result({"image/png": png()})], [result({"image/png": png()}, SIZE)], "metadata"),
        ([result({"image/png": png()}, SIZE)], [result({"image/png": png()})], "metadata"),
    ],
)
def test_every_field_of_an_output_is_compared(stored, fresh, said):
    assert said in "\n".join(output_differences(stored, fresh))


def test_a_table_that_differs_is_shown_once_as_text():
    """文字和 HTML 一起变了：只列文字的不同；只有 HTML 变了，照样列出。"""
    old = result({"text/plain": "猫 0.41", "text/html": "<td>0.41</td>"})
    new = result({"text/plain": "猫 0.42", "text/html": "<td>0.42</td>"})
    [said] = output_differences([old], [new])
    assert "-猫 0.41" in said and "<td>" not in said
    [said] = output_differences([old], [result({"text/plain": "猫 0.41", "text/html": "<td>0.42</td>"})])
    assert "+<td>0.42</td>" in said


def test_metadata_that_refresh_does_not_store_is_not_compared():
    fresh = result({"text/plain": "1"}, {"text/plain": {"noise": 1}, **SIZE})
    assert not list(output_differences([result({"text/plain": "1"}, SIZE)], [fresh]))


WIDGET = {WIDGET_VIEW: {"model_id": "a1b2", "version_major": 2, "version_minor": 0}}


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ({"text/plain": "滑块"}, ""),
        ({"text/plain": "别的"}, "text/plain"),
        ({}, "格式"),
        ({"text/plain": "滑块", "text/html": "滑块"}, "格式"),
        ({"text/plain": "滑块", **WIDGET}, ""),  # 在 JupyterLab 里运行、保存过：编号是随机的，不比
    ],
)
def test_of_a_live_widget_only_its_description_is_stored_and_compared(stored, said):
    differences = "\n".join(output_differences([result(stored)], [result({"text/plain": "滑块", **WIDGET})]))
    assert said in differences and bool(said) == bool(differences)


# ---------------------------------------------------------------- 整本


def code(source, *outputs, count=1, tags=()):
    cell = v4.new_code_cell(source, outputs=list(outputs), execution_count=count)
    cell.metadata.tags = list(tags)
    return cell


def picture_cell(*args, metadata=SIZE, **kwargs):
    data = {"image/png": png(*args, **kwargs), "text/plain": "一格热力图"}
    output = v4.new_output("execute_result", data=data, metadata=metadata, execution_count=1)
    return code("Picture()", output)


def widget_cell(description):
    source = """from ipywidgets import IntSlider
type("Slider", (IntSlider,), {"__repr__": lambda self: "可拖动的滑块"})()"""
    output = v4.new_output("execute_result", data={"text/plain": description}, execution_count=1)
    return code(source, output)


# 每一格：(存下的样子, 应有的结果, 失败时应说的话)
CELLS = [
    (code("from drawing import Picture"), "passed", ""),
    (picture_cell(), "passed", ""),
    (picture_cell(noise=1), "passed", ""),
    (picture_cell("0.38"), "failed", "图不同"),
    (picture_cell(metadata={"image/png": {"width": 151, "height": 120}}), "failed", "metadata 不同"),
    (code("Picture()"), "failed", "个数"),
    (code("1 + 1", count=None), "failed", "execution_count"),
    (code("# NBVAL_SKIP\nprint(1)", text("2\n")), "failed", "-2\n+1"),
    (code("# NBVAL_IGNORE_OUTPUT\nprint(1)", text("2\n")), "failed", "-2\n+1"),
    (code("# PYTEST_VALIDATE_IGNORE_OUTPUT\nprint(1)", text("2\n")), "failed", "-2\n+1"),
    (code("print(1)", text("2\n"), tags=["nbval-skip"]), "failed", "-2\n+1"),
    (code("1 / 0", tags=["raises-exception"]), "failed", "ZeroDivisionError"),
    (code("print(1)", text("1\n", "stderr")), "failed", "stderr"),
    (widget_cell("可拖动的滑块"), "passed", ""),
    (widget_cell("别的滑块"), "failed", "-别的滑块\n+可拖动的滑块"),
    (code("import socket; socket.create_connection(('192.0.2.1', 80))"), "failed", "不能联网"),
    (code("print(1)", text("1\n")), "passed", ""),
]


def test_each_damaged_cell_fails_by_name_whatever_the_options(pytester, monkeypatch):
    """一本小笔记，每格一种损坏；命令行要求放宽检查，主目录又不可写，结果仍然一格不差。"""
    folder = pytester.mkdir("课程 资料")
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    for name in ("pyproject.toml", "notebooks/conftest.py"):
        shutil.copyfile(ROOT / name, folder / name)
    write_drawing_module(notebooks)
    nbformat.write(v4.new_notebook(cells=[cell for cell, _, _ in CELLS]), notebooks / "tiny.ipynb")
    (folder / "forgive").write_text("regex: .*\nreplace: anything\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(folder / "forgive"))  # 一个文件：里面建不了任何目录

    run = pytester.inline_run(str(notebooks), "--nbval-lax", f"--nbval-sanitize-with={folder / 'forgive'}")

    reports = {
        r.nodeid.split("::")[-1]: r for r in run.getreports("pytest_runtest_logreport") if r.when == "call"
    }
    expected = {f"Cell {number}": outcome for number, (_, outcome, _) in enumerate(CELLS, start=1)}
    expected["Backwards"] = "skipped"
    assert {name: report.outcome for name, report in reports.items()} == expected
    for number, (_, outcome, said) in enumerate(CELLS, start=1):
        message = reports[f"Cell {number}"].longreprtext
        assert said in message
        assert (f"tiny.ipynb 代码格 [{number}]" in message) == (outcome == "failed")


def value(number):
    return result({"text/plain": str(number)}, kind="execute_result")


AGAIN = {  # 正着运行都对。名字 -> (各格, 再运行时应说的话)
    "good": (
        [
            code("from drawing import Picture"),
            code("def train(): n.append(1); return len(n)"),
            code("n = []"),
            picture_cell(),
            code("once = train()\nonce", value(1)),  # 训练不再运行
        ],
        "",
    ),
    "later": ([code("n = 1"), code("n", value(1)), code("n = 2")], "later.ipynb 代码格 [2]：再运行一次，"),
    "twice": ([code("n = 0"), code("n += 1\nn", value(1)), code("n = 0")], "-1\n+2"),
}


def test_a_cell_that_gives_something_else_when_run_again_is_named(pytester):
    """用了后面才改的名字，接着自己上一次的结果算。"""
    folder = pytester.mkdir("notebooks")
    shutil.copyfile(ROOT / "notebooks" / "conftest.py", folder / "conftest.py")
    write_drawing_module(folder)
    for name, (cells, _) in AGAIN.items():
        nbformat.write(v4.new_notebook(cells=cells), folder / f"{name}.ipynb")
    run = pytester.inline_run("--nbval", "--nbval-current-env", str(folder))
    reports = [r for r in run.getreports("pytest_runtest_logreport") if r.when == "call"]
    assert all(report.passed for report in reports if "Backwards" not in report.nodeid)
    found = [report.longreprtext for report in reports if "Backwards" in report.nodeid]
    for shown, (_, said) in zip(found, AGAIN.values(), strict=True):
        assert said in shown and bool(said) == bool(shown)


def test_another_matplotlib_is_said_in_one_line_and_only_pixels_are_not_compared(pytester, monkeypatch):
    """matplotlib 的版本不同时，像素不同的图通过，描述、显示的宽高或数不同的格照样失败；说一句，只说一次。"""
    folder = pytester.mkdir("notebooks")
    shutil.copyfile(ROOT / "notebooks" / "conftest.py", folder / "conftest.py")
    write_drawing_module(folder)
    cells = [code("from drawing import Picture"), picture_cell("0.38"), picture_cell("0.38")]
    cells += [picture_cell(), picture_cell(metadata={}), code("print(1)", text("2\n"))]
    cells[3].outputs[0].data["text/plain"] = "别的描述"
    nbformat.write(v4.new_notebook(cells=cells), folder / "tiny.ipynb")
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "3.10.9" if name == "matplotlib" else version(name))
    run = pytester.runpytest_inprocess("--nbval", "--nbval-current-env", "-q", str(folder))
    run.assert_outcomes(passed=3, failed=3, skipped=1)
    assert str(run.stdout).count("matplotlib 3.10.9 不是 3.11.2：图只比描述，不比像素。") == 1
    assert "像素之间" not in str(run.stdout)


def test_a_bare_pytest_checks_every_notebook_and_nothing_is_forgiven():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]
    options = settings["ini_options"]
    assert {"utils/tests", "notebooks"} <= set(options["testpaths"])
    assert "--nbval" in options["addopts"]
    assert not [option for option in options["addopts"] if "lax" in option or "sanitize" in option]

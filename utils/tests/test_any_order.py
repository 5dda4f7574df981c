"""跳着运行：哪一格当作第一格都行，缺名字时说出该点哪个菜单。重复运行、倒着运行由严格检查管（strict_nbval.py）。"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from utils import __main__ as cli
from utils.kernels import kernel
from utils.notebooks import NOTEBOOKS, notebook_paths, parse

ADVICE = (
    "还没有定义。前面的格（至少「准备」）还没有运行：点菜单 Run → Run All Above Selected Cell，再运行这一格"
)
# 每一格之前把名字清空，只留启动时的；错误写得短，快几倍
FORGET = """def _forget(info):
    for name in {*globals()} - _kept:
        del globals()[name]
get_ipython().events.register("pre_run_cell", _forget)
get_ipython().run_line_magic("xmode", "Minimal")"""
REMEMBER = 'get_ipython().events.unregister("pre_run_cell", _forget)'


def code_cells(path):
    return [cell.source for cell in parse(path.read_bytes()).cells if cell.cell_type == "code"]


def run(sources):
    """在一个新的内核里依次运行 sources；返回每格的 (错误的名字, 显示出来的错误)，没有出错就是 ("", "")。"""
    nb = new_notebook(cells=[new_code_cell(source) for source in sources])
    with kernel(nb, NOTEBOOKS, force_raise_errors=False) as client:
        for index, cell in enumerate(nb.cells):
            client.execute_cell(cell, index)
    errors = [[output for output in cell.outputs if output.output_type == "error"] for cell in nb.cells]
    return [(error[0].ename, plain(error[0].traceback)) if error else ("", "") for error in errors]


def plain(traceback):
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(traceback))


@pytest.fixture(scope="module")
def session():
    """一个像由 python -m utils lab 打开的内核，里面依次发生的事：{名字: (错误, 显示)}，每一格各是一件。"""
    environment = {}
    start = "assert not {'sys', 'Path', 'utils', 'explain_slips'} & {*dir()}, dir()"
    prepare = next(source for source in code_cells(notebook_paths()[1]) if "load_example" in source)
    cells = {f"{path.stem} {i}": cell for path in notebook_paths() for i, cell in enumerate(code_cells(path))}
    sources = {
        "启动时没有多余的名字": start + "\n_kept = {*dir(), '_kept', '_forget'}",
        "跳过地图，先运行「准备」": prepare,
        "用它的结果": "X @ W_Q",
        "除以零": "1 / 0",
        "没有赋值的局部变量": "def f():\n    x += 1\nf()",
        "库内部的错误": "exec('missing', {})",
        "自己的函数缺名字": "def f():\n    return W\nf()",
        "选项没有引号": "choice = B",
        "行号没有引号": "line = 第4行",
        "从这里起每格清空": FORGET,
        **cells,
        "不再清空": REMEMBER,
        "自己登记": "seen = []\nget_ipython().set_custom_exc((NameError,), lambda *_, **__: seen.append(1))",
        "再导入 utils": "import sys\nsys.modules.pop('utils')\nimport utils",
        "又缺名字": "missing",
        "仍是自己的": "assert seen == [1], seen",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "run", lambda command, **variables: environment.update(variables))
        patch.delenv("PYTHONSTARTUP", raising=False)
        cli.lab([])
        patch.setenv("PYTHONSTARTUP", environment["PYTHONSTARTUP"])
        happened = dict(zip(sources, run(sources.values()), strict=True))
    return happened | {"各格": {name: happened[name] for name in cells}}


def test_any_cell_run_first_in_jupyterlab_works_or_says_what_to_do(session):
    """每一本的每一格都当作第一格：要么照常运行，要么说出缺哪个名字、点哪个菜单。"""
    failed = {name: outcome for name, outcome in session["各格"].items() if outcome[0]}
    assert not [name for name, (kind, shown) in failed.items() if kind != "NameError" or ADVICE not in shown]
    assert len(failed) > len(session["各格"]) / 2  # 大多数格要用前面的结果；没有出错，就是没有清空


def test_elsewhere_the_map_cell_brings_the_advice(monkeypatch):
    """别的编辑器里没有 lab 的设置：运行过第一格以后，提示也在。"""
    monkeypatch.delenv("PYTHONSTARTUP", raising=False)
    _, (kind, shown) = run([code_cells(notebook_paths()[1])[0], "Q.shape"])
    assert kind == "NameError" and f"Q {ADVICE}" in shown


def test_the_preparation_alone_is_enough_in_jupyterlab(session):
    """先运行「准备」而跳过第一格的地图，也找得到 utils；启动时不留下多余的名字。"""
    for name in ("启动时没有多余的名字", "跳过地图，先运行「准备」", "用它的结果"):
        assert session[name] == ("", "")


def test_only_a_missing_name_of_a_cell_gets_the_advice(session):
    """别的错误、函数里没有赋值的局部变量、库内部的错误都不加这句话。"""
    names = "除以零", "没有赋值的局部变量", "库内部的错误", "自己的函数缺名字"
    assert [ADVICE in session[name][1] for name in names] == [False, False, False, True]
    assert f"W {ADVICE}" in session[names[-1]][1]


def test_a_choice_without_quotes_is_told_so(session):
    for name, words in (("选项没有引号", '选项要加引号，如 "B"'), ("行号没有引号", "行号只写数")):
        assert words in session[name][1] and ADVICE in session[name][1]
    assert "引号" not in session["自己的函数缺名字"][1]


def test_a_learners_own_handler_stays(session):
    """自己登记过的错误处理不被换掉。"""
    assert session["仍是自己的"] == ("", "")


@pytest.mark.parametrize("inside", [True, False])
def test_a_kernel_uses_the_course_its_notebook_is_in(inside, tmp_path):
    """班级的 Hub 从老师的一份启动，学生的笔记本在自己的一份里；不在任何一份里，就用启动它的那一份。"""
    folder = tmp_path / "notebooks" / "我的"
    folder.mkdir(parents=True)
    if inside:
        (tmp_path / "utils").mkdir()
        for name in ("__init__.py", "attention.py"):
            (tmp_path / "utils" / name).touch()
    startup = NOTEBOOKS.parent / "utils" / "jupyter" / "startup.py"
    code = f"import runpy, sys; runpy.run_path({str(startup)!r}); print(sys.modules['utils'].__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, encoding="utf-8", check=True
    )
    assert Path(done.stdout.strip()).parent.parent == (tmp_path if inside else NOTEBOOKS.parent)

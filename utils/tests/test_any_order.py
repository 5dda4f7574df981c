"""学习者不一定从头到尾只运行一遍：重复运行、倒着运行、跳着运行，都该得到应有的结果。"""

import re

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from utils import __main__ as cli
from utils.kernels import execute, kernel
from utils.notebooks import NOTEBOOKS, parse
from utils.tests import strict_nbval

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def code_cells(path):
    return [cell for cell in parse(path.read_bytes()).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_cell_gives_the_same_twice_then_again_and_in_reverse(path, monkeypatch):
    """同一个内核：每格连着运行两次，再全部运行一遍，再从最后一格倒着运行到第一格；每次都与存下的输出相同。

    图只比描述：像素由 notebooks/ 的严格检查管。训练要几秒，前面已运行过三次，倒着时跳过。
    """
    monkeypatch.setattr(strict_nbval, "picture_difference", lambda stored, drawn: None)
    stored = code_cells(path)
    numbers = range(len(stored))
    backwards = [number for number in reversed(numbers) if " = train(" not in stored[number].source]
    order = [number for number in numbers for _ in ("一次", "又一次")] + [*numbers] + backwards
    fresh = new_notebook(cells=[new_code_cell(stored[number].source) for number in order])
    execute(fresh, path)
    for turn, number in enumerate(order, start=1):
        outputs = fresh.cells[turn - 1].outputs
        differences = list(strict_nbval.output_differences(stored[number].outputs, outputs))
        assert not differences, f"代码格 [{number + 1}]，总第 {turn} 次运行：\n" + "\n".join(differences)


# ---------------------------------------------------------------- 跳着运行


def run(sources, folder=NOTEBOOKS):
    """在一个新的内核里依次运行 sources；返回每格的 (错误的名字, 显示出来的错误)，没有出错就是 ("", "")。"""
    nb = new_notebook(cells=[new_code_cell(source) for source in sources])
    with kernel(nb, folder, force_raise_errors=False) as client:
        for index, cell in enumerate(nb.cells):
            client.execute_cell(cell, index)
    errors = [[output for output in cell.outputs if output.output_type == "error"] for cell in nb.cells]
    return [(error[0].ename, plain(error[0].traceback)) if error else ("", "") for error in errors]


def plain(traceback):
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(traceback))


@pytest.fixture
def lab(monkeypatch):
    """内核像由 python -m utils lab 打开的一样启动。"""
    environment = {}
    monkeypatch.setattr(cli, "run", lambda command, **variables: environment.update(variables))
    monkeypatch.delenv("PYTHONSTARTUP", raising=False)
    cli.lab([])
    monkeypatch.setenv("PYTHONSTARTUP", environment["PYTHONSTARTUP"])


ADVICE = (
    "还没有定义。前面的格（至少「准备」）还没有运行：点菜单 Run → Run All Above Selected Cell，再运行这一格"
)


def test_any_cell_run_first_in_jupyterlab_works_or_says_what_to_do(lab):
    """七本的每一格都当作第一格（之前把所有名字清空）：要么照常运行，要么说出缺哪个名字、点哪个菜单。"""
    sources = [cell.source for path in PATHS for cell in code_cells(path)]
    forget = "for _name in {*globals()} - _kept: del globals()[_name]"
    runs = [source for cell in sources for source in (forget, cell)]
    outcomes = run(["_kept = {*globals(), '_kept', '_name'}", *runs])
    assert set(outcomes[1::2]) == {("", "")}
    failed = [outcome for outcome in outcomes[2::2] if outcome[0]]
    for kind, shown in failed:
        assert kind == "NameError" and ADVICE in shown, shown
    assert len(failed) > len(sources) / 2  # 大多数格要用前面的结果；没有出错，就是没有清空


def test_the_preparation_alone_is_enough_in_jupyterlab(lab):
    """先运行「准备」而跳过第一格的地图，也找得到 utils；启动时不留下多余的名字。"""
    [cell] = [cell for cell in code_cells(PATHS[1]) if "load_example" in cell.source][:1]
    leftover = "assert not {'sys', 'Path', 'utils', 'explain_missing_names'} & set(dir()), dir()"
    assert run([leftover, cell.source, "X @ W_Q"]) == [("", "")] * 3


def test_elsewhere_the_map_cell_brings_the_advice(monkeypatch):
    """别的编辑器里没有 lab 的设置：运行过第一格以后，提示也在。"""
    monkeypatch.delenv("PYTHONSTARTUP", raising=False)
    cells = code_cells(PATHS[1])
    _, (kind, shown) = run([cells[0].source, "Q.shape"])
    assert kind == "NameError" and f"Q {ADVICE}" in shown


def test_only_a_missing_name_of_a_cell_gets_the_advice(lab):
    """别的错误、函数里没有赋值的局部变量、库内部的错误都不加这句话。"""
    sources = ["1 / 0", "def f():\n    x += 1\nf()", "exec('missing', {})", "def f():\n    return W\nf()"]
    shown = [text for _, text in run(sources)]
    assert [ADVICE in text for text in shown] == [False, False, False, True]
    assert f"W {ADVICE}" in shown[-1]


def test_a_learners_own_handler_stays(lab):
    """自己登记过的错误处理不被换掉。"""
    mine = "seen = []\nget_ipython().set_custom_exc((NameError,), lambda *_, **__: seen.append('mine'))"
    again = "import sys\nsys.modules.pop('utils')\nimport utils"
    *_, last = run([mine, again, "missing", "assert seen == ['mine'], seen"])
    assert last == ("", "")


def test_numbers_keep_four_places_even_if_each_cell_has_its_own_context(lab):
    """ipykernel 7.0 的每一格各有一份 numpy 打印设置；use_course_style 和学习者自己的设置都传到下一格。"""
    forget = """import numpy as np
from IPython import get_ipython
get_ipython().events.register("pre_run_cell", lambda info: np.set_printoptions(precision=8))"""
    course = "from utils.plotting import use_course_style\nuse_course_style()"
    shown = "assert repr(np.array([1 / 3])) == '{}', repr(np.array([1 / 3]))"
    sources = [forget, course, shown.format("array([0.3333])"), "np.set_printoptions(precision=2)"]
    assert run([*sources, shown.format("array([0.33])")]) == [("", "")] * 5

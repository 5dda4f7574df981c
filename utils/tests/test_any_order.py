"""学习者不一定从头到尾只运行一遍：重复运行、倒着运行、跳着运行，都该得到应有的结果。"""

import re

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from utils import __main__ as cli
from utils import strict_nbval
from utils.kernels import execute, kernel
from utils.notebooks import NOTEBOOKS, normalise, notebook_paths, parse

PATHS = notebook_paths()


def code_cells(path):
    return [cell for cell in parse(path.read_bytes()).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_cell_gives_the_same_twice_and_in_reverse(path, monkeypatch):
    """同一个内核：每格连着运行两次，再从最后一格倒着运行到第一格；每次都与存下的输出相同。

    图只比描述：像素由 notebooks/ 的严格检查管。训练要几秒，只运行一次。
    """
    monkeypatch.setattr(strict_nbval, "picture_difference", lambda stored, drawn: None)
    stored = code_cells(path)
    trains = {number for number, cell in enumerate(stored) if " = train(" in cell.source}
    twice = [number for number in range(len(stored)) for _ in range(1 if number in trains else 2)]
    order = twice + [number for number in reversed(range(len(stored))) if number not in trains]
    fresh = new_notebook(cells=[new_code_cell(stored[number].source) for number in order])
    execute(fresh, path)
    fresh = normalise(fresh)  # 内核把一段文字分几次送出，取决于时机
    for turn, number in enumerate(order):
        differences = list(strict_nbval.output_differences(stored[number].outputs, fresh.cells[turn].outputs))
        assert not differences, f"代码格 [{number + 1}]，总第 {turn + 1} 次运行：\n" + "\n".join(differences)


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


@pytest.fixture(scope="module")
def lab():
    """内核像由 python -m utils lab 打开的一样启动。"""
    environment = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "run", lambda command, **variables: environment.update(variables))
        patch.delenv("PYTHONSTARTUP", raising=False)
        cli.lab([])
        patch.setenv("PYTHONSTARTUP", environment["PYTHONSTARTUP"])
        yield


ADVICE = (
    "还没有定义。前面的格（至少「准备」）还没有运行：点菜单 Run → Run All Above Selected Cell，再运行这一格"
)


def test_any_cell_run_first_in_jupyterlab_works_or_says_what_to_do(lab):
    """每一本的每一格都当作第一格（之前把所有名字清空）：要么照常运行，要么说出缺哪个名字、点哪个菜单。"""
    sources = [cell.source for path in PATHS for cell in code_cells(path)]
    forget = "for _name in {*globals()} - _kept: del globals()[_name]"
    runs = [source for cell in sources for source in (forget, cell)]
    outcomes = run(["_kept = {*globals(), '_kept', '_name'}", *runs])
    assert set(outcomes[1::2]) == {("", "")}
    failed = [outcome for outcome in outcomes[2::2] if outcome[0]]
    for kind, shown in failed:
        assert kind == "NameError" and ADVICE in shown, shown
    assert len(failed) > len(sources) / 2  # 大多数格要用前面的结果；没有出错，就是没有清空


def test_elsewhere_the_map_cell_brings_the_advice(monkeypatch):
    """别的编辑器里没有 lab 的设置：运行过第一格以后，提示也在。"""
    monkeypatch.delenv("PYTHONSTARTUP", raising=False)
    cells = code_cells(PATHS[1])
    _, (kind, shown) = run([cells[0].source, "Q.shape"])
    assert kind == "NameError" and f"Q {ADVICE}" in shown


@pytest.fixture(scope="module")
def session(lab):
    """一个由 lab 打开的内核里依次发生的事：{名字: (错误, 显示)}。"""
    [prepare] = [cell.source for cell in code_cells(PATHS[1]) if "load_example" in cell.source][:1]
    names = "{'sys', 'Path', 'utils', 'explain_missing_names'}"
    sources = {
        "启动时没有多余的名字": f"assert not {names} & set(dir()), dir()",
        "跳过地图，先运行「准备」": prepare,
        "用它的结果": "X @ W_Q",
        "除以零": "1 / 0",
        "没有赋值的局部变量": "def f():\n    x += 1\nf()",
        "库内部的错误": "exec('missing', {})",
        "自己的函数缺名字": "def f():\n    return W\nf()",
        "自己登记": "seen = []\nget_ipython().set_custom_exc((NameError,), lambda *_, **__: seen.append(1))",
        "再导入 utils": "import sys\nsys.modules.pop('utils')\nimport utils",
        "又缺名字": "missing",
        "仍是自己的": "assert seen == [1], seen",
    }
    return dict(zip(sources, run(sources.values()), strict=True))


def test_the_preparation_alone_is_enough_in_jupyterlab(session):
    """先运行「准备」而跳过第一格的地图，也找得到 utils；启动时不留下多余的名字。"""
    assert [*session.values()][:3] == [("", "")] * 3


def test_only_a_missing_name_of_a_cell_gets_the_advice(session):
    """别的错误、函数里没有赋值的局部变量、库内部的错误都不加这句话。"""
    shown = [text for _, text in [*session.values()][3:7]]
    assert [ADVICE in text for text in shown] == [False, False, False, True]
    assert f"W {ADVICE}" in shown[-1]


def test_a_learners_own_handler_stays(session):
    """自己登记过的错误处理不被换掉。"""
    assert session["仍是自己的"] == ("", "")

"""读一本运行过的笔记：网页由里面存下的输出做成，不执行代码。"""

import nbformat

from utils.notebooks import NOTEBOOKS, missing
from utils.pages.command import PageError


def read_run_notebook(path, use, needed=None):
    """一本运行过的笔记。use : 输出拿来做什么，如「放上幻灯片」。

    needed(格) : 要不要这一格的输出；不写就都要。PageError：读不出，要的一格没有运行过，或者出错。
    """
    try:
        nb = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(nb)
    except FileNotFoundError:
        raise PageError(missing(path)) from None
    except (OSError, ValueError, TypeError, AttributeError, nbformat.ValidationError) as error:
        raise PageError(f"{path.name}：读不出笔记本（{type(error).__name__}: {error}）。") from None
    for number, cell in enumerate(nb.cells, start=1):
        if not (problem := _problem(cell)) or (needed and not needed(cell)):
            continue
        if cell.execution_count is None:
            name = path.stem if path.resolve().parent == NOTEBOOKS else path
            problem += f"，没有输出可以{use}"
            remedy = f"运行这一格并保存，或者先运行 python -m utils refresh {name}"
        else:
            remedy = "改好这一格，运行、保存，再做一次"
        if needed:
            remedy += "；不用它，就把它设成 Slide Type → Skip"
        raise PageError(f"{path.name} 第 {number} 格{problem}。\n怎么办：{remedy}。")
    return nb


def unusable(nb):
    """没有运行过、出了错的格，一格一句。"""
    problems = ((number, _problem(cell)) for number, cell in enumerate(nb.cells, start=1))
    return [f"第 {number} 格{problem}" for number, problem in problems if problem]


def _problem(cell):
    """一格的输出为什么用不得；用得就是空的。"""
    if cell.cell_type != "code" or not cell.source.strip():
        return ""
    if cell.execution_count is None:
        return "还没有运行过"
    errors = [output for output in cell.outputs if output.output_type == "error"]
    return f"运行时出错（{errors[0].ename}: {errors[0].evalue}）" if errors else ""

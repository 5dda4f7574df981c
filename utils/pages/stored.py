"""读一本运行过的笔记：网页由里面存下的输出做成，不执行代码。"""

import nbformat

from utils.pages.command import PageError


def read_run_notebook(path, use, then):
    """一本运行过的笔记。use、then : 输出拿来做什么，如「放上幻灯片」「做幻灯片」。

    PageError：读不出，没有运行过，或者有一格出错。
    """
    try:
        nb = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(nb)
    except FileNotFoundError:
        raise PageError(f"{path}：没有这个文件。") from None
    except (OSError, ValueError, TypeError, AttributeError, nbformat.ValidationError) as error:
        raise PageError(f"{path.name}：读不出笔记本（{type(error).__name__}: {error}）。") from None
    for number, cell in enumerate(nb.cells, start=1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if cell.execution_count is None:
            reason = f"还没有运行过，没有输出可以{use}"
        elif any(output.output_type == "error" for output in cell.outputs):
            reason = "运行时出错"
        else:
            continue
        raise PageError(
            f"{path.name} 第 {number} 格{reason}：先运行 python -m utils refresh {path.name}，再{then}。"
        )
    return nb

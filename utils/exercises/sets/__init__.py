"""题目：每本笔记一个文件，与笔记本同名，不写编号，如 softmax.py 是 04_softmax.ipynb 的练习。

每个文件里有一个 EXERCISES，次序就是笔记本里的次序；新文件放进来就找得到，不用登记。
"""

import importlib
import pkgutil
import re
from dataclasses import replace
from pathlib import Path

_NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"


def load_exercises():
    """全部练习的列表，按笔记本的次序；每题的 notebook 是笔记本的名字，没有这本笔记时是文件的名字。"""
    notebooks = {
        found[1]: found[0]
        for path in _NOTEBOOKS.glob("*.ipynb")
        if (found := re.fullmatch(r"[a-z]?\d+_(\w+)", path.stem))
    }
    modules = [module.name for module in pkgutil.iter_modules(__path__)]
    return [
        replace(exercise, notebook=notebooks.get(name, name))
        for name in sorted(modules, key=lambda name: notebooks.get(name, name))
        for exercise in importlib.import_module(f"{__name__}.{name}").EXERCISES
    ]

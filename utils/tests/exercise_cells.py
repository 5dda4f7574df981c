"""笔记本里的练习格：题目的文字、作答的格，和那本笔记里有的名字。"""

import ast
import re
from functools import cache
from typing import NamedTuple

import pytest
import torch

from utils.exercises import EXERCISES
from utils.exercises.records import KINDS
from utils.notebooks import NOTEBOOKS, notebook_paths, parse

ALL = sorted({path.stem for path in notebook_paths()} | {e.notebook for e in EXERCISES.values()})


class Asked(NamedTuple):
    """一道题在笔记本里的样子：编号，题目那一格的 Markdown，作答那一格的代码。"""

    id: str
    text: str
    code: str


@cache
def open_notebook(name):
    path = NOTEBOOKS / f"{name}.ipynb"
    if not path.exists():
        pytest.fail(f"utils/exercises/sets/{name}.py 没有对应的笔记本：notebooks/ 里没有“编号_{name}.ipynb”")
    return parse(path.read_bytes())


@cache
def asked(name):
    """一本笔记的全部题，按出现的次序。"""
    found, text = [], ""
    for cell in open_notebook(name).cells:
        if cell.cell_type == "markdown":
            text = cell.source
        for exercise_id in re.findall(r'^check\("(\w+)"', cell.source, flags=re.MULTILINE):
            found.append(Asked(exercise_id, text, cell.source))
    return found


def records(name):
    """这本笔记的全部记录的编号。"""
    return [exercise.id for exercise in EXERCISES.values() if exercise.notebook == name]


def missing_fields(exercise):
    """记录里缺了什么：每一项一句话，说出练习和字段。"""
    needed = {"step": ["arguments", "inputs", "shape"], "bug": ["arguments", "inputs", "shape", "repair"]}
    needed |= {"module": ["arguments", "inputs", "shape", "module"], "match": ["items"], "table": ["items"]}
    needed["truth"] = ["ideas", "reasons"]
    fields = ["title", "kind", "reference", "mistakes", "hints", "solution", "why"]
    fields += needed.get(exercise.kind, [])
    empty = [field for field in fields if getattr(exercise, field) in (None, "", (), [])]
    missing = [f"练习 {exercise.id} 没有写 {field}" for field in empty]
    if exercise.kind not in KINDS:
        missing.append(f"练习 {exercise.id} 的 kind 应是 {'、'.join(KINDS)} 之一")
    if not missing and "inputs" in needed.get(exercise.kind, []):
        try:
            exercise.inputs(1)
        except TypeError:
            missing = [f"练习 {exercise.id} 的 inputs 要能收一个种子：inputs(1)"]
    if exercise.kind == "bug" and "应是 " not in exercise.solution:
        missing.append(f"练习 {exercise.id} 的 solution 要写成 line = …  # 应是 改好的代码")
    return missing


def cell_of(exercise):
    """这道题在笔记本里的样子；没有，就说缺的是哪一格。"""
    for each in asked(exercise.notebook):
        if each.id == exercise.id:
            return each
    return pytest.fail(f'{exercise.notebook}.ipynb 里没有练习 {exercise.id} 的格：check("{exercise.id}", …)')


def snippet(exercise):
    """找错题里有错的代码。"""
    found = re.search(r"```python\n(.*?)\n```", cell_of(exercise).text, flags=re.DOTALL)
    return found[1] if found else pytest.fail(f"{exercise.notebook}.ipynb 的 {exercise.id} 里没有有错的代码")


def repaired(exercise):
    """找错题：把那一行改对。"""
    lines = snippet(exercise).splitlines()
    start = re.match(r"\s*(return )?", lines[exercise.reference - 1])[0]
    lines[exercise.reference - 1] = start + exercise.solution.split("应是 ")[1]
    return "\n".join(lines)


@cache
def _names(name):
    cells = [ast.parse(cell.source) for cell in open_notebook(name).cells if cell.cell_type == "code"]
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    body = [step for cell in cells for step in cell.body if isinstance(step, kinds)]
    names = {}
    exec(compile(ast.Module(body, []), f"<{name}>", "exec"), names)
    return names


def names_of(name):
    """那本笔记导入和定义的名字，一份新的；不含格子里算出来的数。"""
    return dict(_names(name))


def define(source, exercise):
    """source 里的函数，在那本笔记里定义。"""
    names = names_of(exercise.notebook)
    exec(source, names)
    return names[re.match(r"(?:def|class) (\w+)", source)[1]]


def handed_in(exercise, value):
    """记录里的一个答案（对的，或一种错误），学习者交来时的样子。"""
    if exercise.kind == "truth":
        return value, "理由写在这里"
    return as_class(exercise, value) if exercise.kind == "module" and callable(value) else value


def as_class(exercise, function):
    """写模块的题：零件照答案，forward 换成 function。"""
    base, names = define(exercise.solution, exercise), exercise.arguments[1:]

    class Made(base):
        def forward(self, X):
            matrices = [getattr(self, name).weight.detach().T.numpy() for name in names]
            return torch.from_numpy(function(X.numpy(), *matrices))

    return Made


def run_cell(source, names):
    """运行一格，返回最后一个式子的值。"""
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)

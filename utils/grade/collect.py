"""收：一个文件夹里有哪些学生，他们交的笔记本里，作答的格写着什么。不执行任何代码。"""

import ast
import json
import re
from functools import cache
from typing import NamedTuple

from IPython.core.inputtransformer2 import TransformerManager

from utils.notebooks import notebook_paths

IGNORED = (".", "__")  # .ipynb_checkpoints、macOS 的 ._ 文件和 __MACOSX
LARGEST = 50_000_000  # 字节；再大的不是一本笔记
_CHECK = re.compile(r"""\bcheck\(\s*["'](\w+)["']""")
_EDGES = " _-—·.()（）[]【】"
# 作答时不该用到的：答案就在里面
_FORBIDDEN = re.compile(
    r"\bEXERCISES\b|\bload_exercises\b|exercises\.sets|\.reference\b|\bsolution\s*\(.*\)\s*\."
)


class Answer(NamedTuple):
    """一道题的作答。

    source : 作答的格；无法作答（语法错误、用到了答案）时是空的
    problem : 为什么没有去判定，没有问题时是空的
    """

    source: str
    problem: str = ""


class Student(NamedTuple):
    """一个学生交的东西。

    answers : {练习的编号: Answer}
    support : 他的笔记本里其余的导入和函数，{练习的编号: 代码}；作答时可能用到
    notebooks : 交了哪几本课程的笔记（不带 .ipynb）
    remarks : 给老师看的话：哪个文件读不出，哪一题有几格……
    """

    name: str
    answers: dict
    support: dict
    notebooks: set
    remarks: list


def find_students(folder, exercises):
    """folder 里每个学生一份，按名字排序。

    folder : 一个学生一个文件夹；或者全部笔记本直接放在里面，名字里写着学生（张三_03_scaling.ipynb）
    exercises : {编号: Exercise}，课程的全部练习
    """
    files = {}
    for path in sorted(folder.rglob("*.ipynb")):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(IGNORED) for part in parts):
            name = parts[0] if len(parts) > 1 else _student_name(path.stem)
            files.setdefault(name, []).append(path)
    empty = [p.name for p in folder.iterdir() if p.is_dir() and not p.name.startswith(IGNORED)]
    for name in empty:
        files.setdefault(name, [])
    return [_read_student(name, files[name], folder, exercises) for name in sorted(files)]


def _student_name(stem):
    """文件名里去掉课程的笔记名，剩下的就是学生；什么也不剩时写文件名。"""
    left = stem
    for path in notebook_paths():
        left = left.replace(path.stem, "")
    return left.strip(_EDGES) or stem


def _read_student(name, paths, folder, exercises):
    student = Student(name, {}, {}, set(), [])
    unknown = set()
    for path in paths:
        where = path.relative_to(folder).as_posix()
        try:
            cells = _code_cells(path)
        except (OSError, ValueError) as error:
            student.remarks.append(f"{where} 读不出：{error}")
            continue
        support = _support(cells)
        for source in cells:
            for exercise in dict.fromkeys(_CHECK.findall(source)):
                if exercise not in exercises:
                    unknown.add(exercise)
                    continue
                student.notebooks.add(exercises[exercise].notebook)
                _keep(student, exercise, _read_answer(source), support)
    if not paths:
        student.remarks.append("没有交笔记本")
    if unknown:
        student.remarks.append(f"课程里没有这些练习（别的版本？）：{'、'.join(sorted(unknown))}")
    return student


def _keep(student, exercise, answer, support):
    """同一道题有几格（或交了几份）时，留下最后一个作答过的。"""
    before = student.answers.get(exercise)
    if before and before.source != answer.source:
        student.remarks.append(f"{exercise} 有不止一格，判的是最后作答的一格")
    if not before or not _untouched(answer.source):
        student.answers[exercise], student.support[exercise] = answer, support


def _untouched(source):
    """作答的格还是原来的样子：= None、= ... 或函数体只有 ...。"""
    return re.search(r"=\s*(None|\.\.\.)\s*$|:\s*\.\.\.\s*$|^\s+\.\.\.\s*$", source, re.M) is not None


def _code_cells(path):
    """一本笔记里全部代码格的文字。ValueError：不是笔记本。"""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"文件超过 {LARGEST // 10**6} MB")
    content = path.read_bytes()
    for encoding in ("utf-8-sig", "utf-16", "gb18030"):
        try:
            notebook = json.loads(content.decode(encoding))
            break
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
            continue
    else:
        raise ValueError("不是笔记本文件，或者没有存完")
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        cells = [cell for sheet in notebook["worksheets"] for cell in sheet.get("cells", [])]
    if not isinstance(cells, list):
        raise ValueError("里面没有格")
    code = [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    return ["".join(cell.get("source") or cell.get("input") or "") for cell in code]


def _read_answer(source):
    if _FORBIDDEN.search(source):
        return Answer("", "用到了课程里存着的答案")
    try:
        code = plain_python(source)
        compile(code, "<作答>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return Answer("", f"语法错误{f'，第 {line} 行' if line else ''}")
    return Answer(code)


def plain_python(source):
    """一格的代码，去掉 IPython 的 % 和 ! 命令。SyntaxError：不是 Python。"""
    transformed = TransformerManager().transform_cell(source)
    tree = ast.parse(transformed)
    kept = [node for node in tree.body if "get_ipython()" not in ast.unparse(node)]
    return "\n".join(ast.get_source_segment(transformed, node) or ast.unparse(node) for node in kept)


def _support(cells):
    """一本笔记里顶层的导入、函数和类：作答的格可能用到；别的语句不执行。"""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    found = []
    for source in cells:
        try:
            tree = ast.parse(plain_python(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        found += [ast.unparse(node) for node in tree.body if isinstance(node, kinds)]
    return [piece for piece in found if not _FORBIDDEN.search(piece)]


@cache
def course_imports(notebook):
    """课程自己的这本笔记里全部导入语句：作答时可以用的名字。"""
    path = next((path for path in notebook_paths() if path.stem == notebook), None)
    pieces = _support(_code_cells(path)) if path else []
    return tuple(piece for piece in dict.fromkeys(pieces) if piece.startswith(("import ", "from ")))


def needed(pieces, source):
    """pieces（导入、函数、类）里 source 用到的几段，次序不变；用到的函数用到的也算。"""
    kept, wanted = set(), _names(source)
    while more := {i for i, piece in enumerate(pieces) if i not in kept and _defined(piece) & wanted}:
        kept |= more
        wanted = wanted.union(*(_names(pieces[i]) for i in more))
    return [piece for i, piece in enumerate(pieces) if i in kept]


def _names(source):
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def _defined(piece):
    node = ast.parse(piece).body[0]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {node.name}

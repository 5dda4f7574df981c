"""最常见的小错：在英文的错误后面，用中文说一句错在哪里、怎么改。

在笔记本里第一次导入 utils 时（见 utils/__init__.py）登记给 IPython，管每一格，不管错误是谁的。
只在出错时多说一句话；课程自己说明了原因的错误，只留学习者的那一行，不列我们里面的几十行。
"""

import ast
import linecache
import re
import sys
from difflib import get_close_matches
from pathlib import Path

from utils.syntax_slips import CHINESE, explain_syntax

UTILS = str(Path(__file__).parent)

MISSING = (
    "{name} 还没有定义。前面的格（至少「准备」）还没有运行：点菜单 Run → Run All Above Selected Cell，"
    "再运行这一格。要是这个名字是你自己写的，就检查拼写。"
)
QUOTES = '这是选项或行号吗？选项要加引号，如 "{name}"；行号只写数。'
WORDS = '“{name}”是文字吗？文字要加引号，写成 "{name}"。'
NEAR = "是不是 {near}？"
NO_SUCH = "没有叫 {name} 的，检查拼写和大小写。"
CAPITAL = "Python 里写作 {name}，第一个字母大写。"

# (错误, 英文里的话, 说的话)
COMMON = [
    (
        (ValueError, RuntimeError),
        "matmul|not aligned|mat1 and mat2",
        "A @ B 要求 A 的列数等于 B 的行数：用 .shape 看看两边，是不是少了转置 .T。",
    ),
    (
        (ValueError, RuntimeError),
        "broadcast|must match the size of tensor",
        "两边的形状对不上：用 .shape 看看，逐个数的加减乘除要求形状相同。",
    ),
    (
        (TypeError, AttributeError),
        "NoneType",
        "有一个值还是 None：它还没有填，或者函数忘了写 return。",
    ),
    (
        TypeError,
        "is not callable",
        "名字后面的圆括号是调用函数：取矩阵里的数用方括号，如 Q[0, 1]；相乘要写 *。",
    ),
    (
        TypeError,
        "'str'|concatenate str|must be str|dtype[^']*<U",
        "引号里的是文字，不能拿来算：数的两边不要引号。",
    ),
    (
        TypeError,
        "as a data type|array\\(\\) takes from",
        "几个数要先放进一对括号：np.ones((2, 3))，np.array([1, 2, 3])。",
    ),
    (
        ValueError,
        "inhomogeneous|expected sequence of length",
        "矩阵的每一行，数的个数要相同：数一数每一行。",
    ),
    (
        ValueError,
        "could not convert|invalid literal",
        "引号里的这几个字变不成数：数不要引号，小数点是半角的 . 。",
    ),
    ((ValueError, TypeError), "unpack", "等号左边有几个名字，右边就要有几个值。"),
    (
        TypeError,
        "'(set|function|method|int|float|builtin_\\w+)' object is not subscriptable",
        "方括号取数，只能用在矩阵、列表上：列表写 [ ]，不是 { }；函数后面是圆括号。",
    ),
    (TypeError, "indices must be integers", "编号要是整数，从 0 数起。"),
    (TypeError, "'(int|float)' object is not iterable", "要一列数才能一个一个取：3 次写 range(3)。"),
    (IndexError, "out of (bounds|range)", "编号从 0 数起，最后一个是个数减 1。"),
    (
        ModuleNotFoundError,
        "'(numpy|torch|matplotlib|zhplot|ipywidgets)[.']",
        "这个内核的 Python 没有装课程的软件包：点右上角内核的名字，换成项目里 .venv 的 Python；"
        "还没有 .venv，先在终端里、项目文件夹中运行 python -m utils lab。",
    ),
    (
        (OSError, ImportError),
        "WinError (126|127|1114)|c10|libtorch|libgomp|GLIBC|shared object file",
        "torch 打不开：Windows 装微软的 Visual C++ 运行库（https://aka.ms/vs/17/release/vc_redist.x64.exe），"
        "再 Kernel → Restart Kernel。没有它，这一格跳过，不用 torch 的格都能做。",
    ),
    (
        AttributeError,
        "module '(numpy|torch)\\S*' has no attribute",
        "没有叫这个名字的函数：检查拼写和大小写。",
    ),
    (ModuleNotFoundError, "(?!.*utils)", "没有装这个软件包。课程只用 numpy、torch、matplotlib：先检查拼写。"),
]


def explain_slips(shell):
    """让 shell（IPython 的 InteractiveShell）在一格出错时多说一句话。"""
    if shell.custom_exceptions:  # 学习者自己登记过的，不动
        return
    shell.set_custom_exc((Exception,), _show)
    show_syntax_error = shell.showsyntaxerror  # 读不懂的一格不都经过上面：有的在读成一行行时就停了

    def show(*args, **kwargs):
        error = shell._get_exc_info()[1]
        said = _safely(explain_syntax, error)
        _note(error, said)
        show_syntax_error(*args, **kwargs)
        _print_for_old_ipython(said)

    shell.showsyntaxerror = show


def _show(shell, kind, error, traceback, tb_offset=None):
    frames = [*_frames(traceback)]
    in_a_cell = [frame.tb_frame.f_globals is shell.user_global_ns for frame in frames]
    said = _safely(_explain, error, frames[-1], in_a_cell[-1])
    _note(error, said)
    # 课程自己说明了原因：到学习者的那一行为止
    if CHINESE.search(str(error)) and frames[-1].tb_frame.f_code.co_filename.startswith(UTILS):
        ours = len(in_a_cell) - in_a_cell[::-1].index(True) if any(in_a_cell) else len(frames)
        frames[ours - 1].tb_next = None
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset, running_compiled_code=any(in_a_cell))
    _print_for_old_ipython(said)


def _safely(explain, *arguments):
    try:
        return explain(*arguments)
    except Exception:  # 说不出来，就只有英文
        return None


def _note(error, said):
    if said and hasattr(error, "add_note"):
        error.add_note(said)


def _print_for_old_ipython(said):
    if said and sys.modules["IPython"].version_info < (8, 10):  # Colab 的 IPython 不显示加上去的话
        print(said, file=sys.stderr)


def _frames(traceback):
    while traceback:
        yield traceback
        traceback = traceback.tb_next


def _explain(error, last, in_a_cell):
    """这个错误的一句话；没有什么可说的就是 None。last : 最里面的一层；in_a_cell : 它就是笔记本的格。"""
    if isinstance(error, SyntaxError):  # 读不懂的，上面说
        return None
    text = str(error)
    if not in_a_cell:
        return None if CHINESE.search(text) else _common(error, text)
    if type(error) is NameError:  # UnboundLocalError 是另一回事
        return _near(error.name, _names(last.tb_frame)) + _missing_name(error.name or "")
    if isinstance(error, AssertionError):
        return None if error.args else _failed_assert(last)
    if type(error) is AttributeError and error.name and error.obj is not None:
        return _near(error.name, dir(error.obj)) + NO_SUCH.format(name=error.name)
    if found := re.match("cannot import name '(\\w+)' from '([\\w.]+)'", text):
        return _near(found[1], dir(sys.modules.get(found[2]))) + NO_SUCH.format(name=found[1])
    return _common(error, text)


def _common(error, text):
    return next(
        (said for kind, words, said in COMMON if isinstance(error, kind) and re.search(words, text)), None
    )


def _names(frame):
    return {*frame.f_locals, *frame.f_globals, *frame.f_builtins}


def _near(name, names):
    """names 里与 name 只差一点的一个，问是不是它；没有就是空的。"""
    lower = {other.lower(): other for other in sorted(names) if not other.startswith("_")}
    found = get_close_matches(str(name).lower(), lower, 1, 0.75) if len(str(name)) > 2 else []
    return NEAR.format(near=lower[found[0]]) if found else ""


def _missing_name(name):
    if name in ("true", "false", "none"):
        return CAPITAL.format(name=name.capitalize())
    if re.fullmatch("[A-Fa-f]|第.*行", name):
        return (QUOTES + MISSING).format(name=name)
    return (WORDS * bool(CHINESE.search(name)) + MISSING).format(name=name)


def _failed_assert(last):
    """assert 不成立：说出两边各是多少。两边里有函数调用的，不再算一遍。"""
    frame, line = last.tb_frame, last.tb_lineno
    tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    test = next(node.test for node in asserts if node.lineno <= line <= node.end_lineno)
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else getattr(test, "args", [])[:2]
    shown = []
    for side in sides:
        calls = any(isinstance(node, ast.Call | ast.Await | ast.NamedExpr) for node in ast.walk(side))
        if not calls and not isinstance(side, ast.Constant):
            value = eval(compile(ast.Expression(side), "assert", "eval"), frame.f_globals, frame.f_locals)
            shape = f"，形状 {tuple(value.shape)}" if getattr(value, "shape", ()) else ""
            text = " ".join(repr(value).split())
            shown.append(f"{ast.unparse(side)} 是 {text if len(text) <= 200 else text[:200] + ' …'}{shape}")
    return "assert 说的不成立" + ("：" + "；".join(shown) if shown else "") + "。"

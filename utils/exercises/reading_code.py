"""读代码：从函数的源码认出几种写法上的错误。只在结果不对时用，一条也读不出就什么也不说。"""

import ast
import inspect
import textwrap

_SIZED = {"range", "zeros", "ones", "empty", "full", "tri", "eye", "split", "arange", "reshape"}
_SIZED |= {"triu_indices", "tril_indices", "array_split", "hsplit", "identity"}
_HARD_CODED = "代码里写着 {numbers}：是不是写死了大小？换一组输入，大小就变了；{where}。"
_CAUSES = {
    "power_of_half": "Python 先算 **：d**1/2 是 (d**1)/2。平方根写 d**0.5，或者 np.sqrt(d)。",
    "caret": "Python 里 ^ 不是乘方，也不是转置。乘方写 **，如 d**0.5；转置写 .T。",
    "return_in_loop": "return 写在循环里面：第一轮就结束了。让它与 for 对齐。",
    "overwritten": "循环里每一轮都盖掉了前一轮：要累加就写 +=；要留下每一行，就放进结果的第 i 行。",
    "outside_array": "用到了外面的 {outside}，它不是传进来的参数：换一组输入，它不会跟着变。",
    "short_range": "range(n) 从 0 数到 n − 1，正好 n 个：减去 1，或者从 1 数起，就少了一个。",
}


def causes(function, where):
    """function 的源码里看得出的错误：[(名字, 一句话)]，最像的在前。where : 大小该从哪里取。"""
    tree = _tree(function)
    if tree is None:
        return []
    nodes = list(ast.walk(tree))
    loops = [node for node in nodes if isinstance(node, ast.For)]
    numbers = sorted({number for node in nodes for number in _sizes(node)})
    found = {
        "caret": any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor) for node in nodes),
        "power_of_half": any(_is_power_of_one(node) for node in nodes),
        "return_in_loop": any(isinstance(step, ast.Return) for loop in loops for step in loop.body),
        "overwritten": any(_overwrites(loop) for loop in loops),
        "outside_array": bool(outside := _outside(function, nodes)),
        "short_range": any(_is_short(node) for node in nodes),
    }
    said = [
        (name, _CAUSES[name].format(outside="、".join(outside))) for name, present in found.items() if present
    ]
    if numbers:
        words = _HARD_CODED.format(numbers="、".join(map(str, numbers)), where=where)
        said.append(("hard_coded_size", words))
    return said


def _tree(function):
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except Exception:  # 没有源码，或 lambda 夹在一行里
        return None


def _outside(function, nodes):
    """函数里用到的、别的格子里的数组或张量，的名字。"""
    code, known = getattr(function, "__code__", None), getattr(function, "__globals__", {})
    names = sorted(
        {node.id for node in nodes if isinstance(node, ast.Name)} & set(getattr(code, "co_names", ()))
    )
    return [name for name in names if isinstance(getattr(known.get(name), "shape", None), tuple)]


def _is_power_of_one(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and _value(node.right) == 1


def _is_short(node):
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"):
        return False
    first, last = node.args[0], node.args[-1]
    less = isinstance(last, ast.BinOp) and isinstance(last.op, ast.Sub) and _value(last.right) == 1
    return less or (len(node.args) == 2 and _value(first) == 1)


def _sizes(node):
    """写在该是大小的地方的整数：range(3)、zeros((3, 4))、K[:, 2:4]、Q.shape[1] // 2。"""
    places = []
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        places = node.args if name in _SIZED else []
        if name in ("range", "arange"):
            places = node.args[:1] if len(node.args) == 1 else node.args[1:2]  # 起点和步长不是大小
    elif isinstance(node, ast.Slice):
        places = [node.lower, node.upper]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Div):
        places = [node.right] if ".shape[" in ast.unparse(node.left) else []
    inside = [item for place in places for item in getattr(place, "elts", [place])]
    return [_value(item) for item in inside if type(_value(item)) is int and _value(item) >= 2]


def _overwrites(loop):
    """循环的最后一句是 目标 = 用到循环变量的式子，而目标里没有循环变量：前一轮算的丢了。"""
    last = loop.body[-1]
    if not (isinstance(last, ast.Assign) and len(last.targets) == 1):
        return False
    variables, target = _variables(loop.target), last.targets[0]
    if variables & _variables(target) or not variables & _variables(last.value):
        return False
    text = ast.unparse(target)
    return text not in {
        ast.unparse(n) for n in ast.walk(last.value) if isinstance(n, ast.Name | ast.Subscript)
    }


def _variables(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _value(node):
    return getattr(node, "value", None) if isinstance(node, ast.Constant) else None

"""报错和形状，换成课程里的说法：两边对不上的是哪两个大小，缺的名字在哪里，列数该跟着谁。"""

import builtins
import difflib
import re

import numpy as np

from utils.exercises.running import Failure

_RAISED = [  # 报错的样子 -> 怎样说；前面的先试
    (r"not aligned: (\d+) .*?!= (\d+)", "矩阵乘法的两边对不上，中间的两个大小是 {0} 和 {1}"),
    (
        r"shapes (\((\d+),\d+\)) (\(\2,\))",
        "两个数组的形状对不上，是 {0} 和 {2}。求和、求平均、取最大值时，是不是少了 keepdims=True？",
    ),
    (r"size (\d+) is different from (\d+)", "矩阵乘法的两边对不上，中间的两个大小是 {1} 和 {0}"),
    (r"shapes? (\(.*?\)) (?:into shape )?(\(.*?\))", "两个数组的形状对不上，是 {0} 和 {1}"),
    (r"inhomogeneous", "各项不一样长，拼不成矩阵：是不是要先取出其中一项（如 .output）？"),
    (r"before Module.__init__", "__init__ 的第一行要写 super().__init__()"),
    (
        r"mat1 and mat2 .*?\(\d+x(\d+) and (\d+)x\d+\)",
        "矩阵乘法的两边对不上，中间的两个大小是 {0} 和 {1}",
    ),
    (r"size of tensor a \((\d+)\) must match .*?\((\d+)\)", "两个张量的形状对不上，一边是 {0}，一边是 {1}"),
    (
        r"normalized_shape=\[(\d+)\].*?size\s?\[(?:\d+, )*(\d+)\]",
        "归一化的一行应有 {0} 个数，收到的一行有 {1} 个：nn.LayerNorm 的宽度跟着它收到的列数，X 的是 d_model",
    ),
    (
        r"第 1 行全是 −∞",
        "第 1 行全被遮住了，没有权重可分：是不是连自己也遮住了？每个词元看得到自己",
    ),
    (
        r"第 (\d+) 行全是 −∞",
        "第 {0} 行全被遮住了，没有权重可分：可以看的反而成了 −∞。是不是 True 和 False 反了？"
        "np.where(条件, A, B)，条件是 True 的格取 A",
    ),
    (r"math range error", "{error}。数太大，exp 溢出了：取 exp 之前先减去这一行的最大值"),
    (
        r"zero-size array",
        "切出来的一段是空的，取不了最大值：如 K[:i]，i = 0 时一行也没有；切到 i + 1，才有自己",
    ),
    (r"'NoneType'", "{error}。有一步得到的是空值 None：那一步的函数是不是少了 return？"),
    (r"bitwise_xor|for \^", "Python 里 ^ 不是乘方。乘方写 **，如 d**0.5"),
    (
        r"index (\d+) is out of bounds for axis \d+ with size (\d+)",
        "下标 {0} 超出了：这里只有 {1} 个，从 0 数起。是循环多走了，还是两个下标写反了？",
    ),
    (r"unexpected keyword argument 'keepdim'", "numpy 里写 keepdims，torch 里才写 keepdim"),
    (r"unexpected keyword argument 'dim'", "numpy 里写 axis，torch 里才写 dim"),
    (r"unexpected keyword argument '(\w+)'", "{error}。没有 {0} 这个参数：检查拼写"),
    (
        r"does not have enough dimensions \(has 0",
        "矩阵乘法有一边不是矩阵：是不是方法少了括号，如 .transpose()？",
    ),
    (r"slice indices must be integers", "{error}。切片的两头要整数：/ 得到小数，整除写 //"),
    (r"0\.0 cannot be raised", "{error}。0 没有负数次方：底数是哪一个数？"),
    (r"(?:0-dimensional|length-1|size-1) arrays", "{error}。math 里的函数一次只收一个数；整个数组用 np 里的"),
    (r"ndarray' object has no attribute 't'", "数组没有 .t：转置写大写的 .T"),
    (r"'(?:int|float)' object has no attribute '(\w+)'", "{error}。它只是一个数，不是矩阵：没有 .{0}"),
    (r"'list' object has no attribute '(\w+)'", "{error}。列表没有 .{0}：先用 np.array(…) 包起来"),
    (r"has no attribute '(\w+)'", "{error}。没有 .{0}：检查拼写，或者打印它看看是什么"),
    (r"missing \d+ required positional argument", "{error}。调用时少交了参数"),
    (r"takes \d+ positional argument", "{error}。调用时多交了参数"),
    (r"is not subscriptable", "{error}。方括号前面的不是数组或列表"),
    (r"is not callable", "{error}。它不是函数，后面不能加括号：乘号是不是漏了？"),
    (r"recursion", "{error}。函数一直在调用自己"),
    (r"local variable '(\w+)'", "{error}。先给 {0} 一个值，再用它"),
    (
        r"integer scalar arrays|cannot be interpreted as an integer",
        "{error}。这里要一个整数：交的是不是矩阵或小数？",
    ),
    (r"division by zero", "{error}。除数是 0"),
]


def raised_words(failure, function):
    """报错换成课程里的说法：一句话；读不懂的原样给出。"""
    if missing := re.search(r"name '(\w+)' is not defined", failure.text):
        return _missing_name(missing[1], function)
    for pattern, words in _RAISED:
        if found := re.search(pattern, failure.text):
            groups = [re.sub(r",(?=\d)", ", ", group) for group in found.groups()]
            return words.format(*groups, error=failure.text)
    return failure.text


def _missing_name(name, function):
    arguments = getattr(getattr(function, "__code__", None), "co_varnames", ())
    known = [*arguments, *getattr(function, "__globals__", {}), *dir(builtins)]
    where = f"这本笔记里没有 {name}"
    if name in ("numpy", "np"):
        return f"{where}：numpy 导入时叫 np，先运行「准备」那一格"
    copied = "在别的笔记本里写的、导入的，这里用不到：把它的 def 或 import 也写到这一格"
    same = [each for each in known if each.lower() == name.lower() and each != name]
    if same:
        return f"{where}：是不是 {same[0]}？大小写不同，就是两个名字"
    if hasattr(np, name):
        return f"{where}：是不是 np.{name}？"
    if name.startswith("my_"):
        return f"{where}。{copied}"
    if near := difflib.get_close_matches(name, [each for each in known if each != name], n=1, cutoff=0.8):
        return f"{where}：是不是 {near[0]}？"
    return f"{where}。{copied}"


def wrong_sizes(exercise, outcomes, expected, inputs):
    """(名字, 一句话)：结果的行数或列数跟错了谁；说不出时是 None。"""
    kept = [i for i, outcome in enumerate(outcomes) if not isinstance(outcome, Failure)]
    ours, theirs = ([np.shape(side[i]) for i in kept] for side in (outcomes, expected))
    if not kept or ours == theirs:
        return None
    if all(len(shape) == 1 for shape in ours):
        return (
            "one_axis_less",
            "结果只有一维，应是二维：是不是少了一层循环，或者多求了一次和（平均、取了一行）？",
        )
    if any(len(shape) != 2 for shape in ours):
        return None
    given = [inputs[i] for i in kept]
    said = []
    for axis, word in enumerate(("行数", "列数")):
        mine, right = ([shape[axis] for shape in shapes] for shapes in (ours, theirs))
        source, wanted = (_source(exercise, sizes, given) for sizes in (mine, right))
        if mine != right and source and wanted:
            said.append(f"{word}应跟着{wanted}，你的跟着{source}。")
    return ("followed_another_size", "".join(said)) if said else None


def _source(exercise, sizes, inputs):
    """这些大小（每组输入一个）是哪个参数的行数或列数；哪个都不是时是空的。"""
    for position, name in enumerate(exercise.arguments):
        values = [arguments[position] for arguments in inputs]
        if all(np.ndim(value) == 0 for value in values):
            if values == sizes:
                return f" {name}"
            continue
        for axis, word in enumerate(("行数", "列数")):
            if [np.shape(value)[axis] for value in values] == sizes:
                return f" {name} 的{word}"
    return ""

"""结果的样子不对：列表、元组、张量……里面的数是多少，怎样改。"""

from numbers import Number

import numpy as np

from utils.exercises.answers import MOST, as_numpy, received

_HALF = 2  # float16 每个数的字节数
_SEVERAL = 7  # 再多就不是“返回了几样”，是一行一行的元组


def is_plain(value):
    """一个小数的数组：不用再改什么。"""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype.itemsize > _HALF


def unpacked(outcome, expected):
    """(里面的数组, 怎样取出来)：列表、张量、整数的数组……读成小数的数组；读不出的是 (outcome, "")。

    expected : 应有的结果；返回了几样时，取与它最像的一样。
    """
    if is_plain(outcome):
        return outcome, ""
    fields = getattr(outcome, "_fields", None)
    if fields and "output" in fields:
        return _array(outcome.output, outcome), "它有几个字段，只要输出：后面写 .output。"
    if isinstance(outcome, dict) and len(outcome) == 1:
        return _array(next(iter(outcome.values())), outcome), "只返回里面的数组，不要装进字典。"
    if isinstance(outcome, tuple) and len(outcome) == 1 and np.ndim(as_numpy(outcome[0])) == 2:
        return _array(outcome[0], outcome), "return 后面是不是多了逗号？"
    if isinstance(outcome, tuple) and 1 < len(outcome) <= _SEVERAL:
        position = _likest(outcome, expected)
        if position is not None:
            way = f"返回了 {len(outcome)} 样，只返回第 {position + 1} 样。"
            return _array(outcome[position], outcome), way
    way = {"Tensor": "张量写 .detach().numpy()。", "list": "用 np.array(…) 包起来。"}
    return _array(outcome, outcome), way.get(type(outcome).__name__, "用 np.array(…) 包起来。")


def _likest(outcomes, expected):
    """几样东西里，与应有的结果最像的是第几样：数相同、形状相同、最后一样；不都是矩阵时是 None。"""
    arrays = [as_numpy(each) for each in outcomes]
    if not all(isinstance(each, np.ndarray) and each.ndim == 2 for each in arrays):
        return None
    alike = [i for i, each in enumerate(arrays) if each.shape == expected.shape]
    equal = [i for i in alike if np.allclose(arrays[i], expected, rtol=1e-4, atol=1e-5, equal_nan=True)]
    return [len(arrays) - 1, *alike[-1:], *equal[:1]][-1]


def _array(value, otherwise):
    value = as_numpy(value)
    if isinstance(value, np.ndarray) and value.size > MOST:
        return value.astype(float) if value.dtype.kind in "fiu" else otherwise
    if not isinstance(value, np.ndarray | list | tuple) or np.iscomplexobj(value):
        return otherwise
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        return otherwise


def type_message(exercise, outcome):
    """结果不是 numpy 数组。"""
    ways = {
        "Tensor": "这里用 numpy；张量可以写 .detach().numpy() 变成数组。",
        "list": "用 np.array(…) 把它变成数组。",
        "tuple": "只返回一个数组；return 后面是不是多了逗号，或者多了一项？",
        "dict": "只返回那个数组，不要装进字典。",
        "generator": "yield 一次只交一项：建一个数组，最后 return 它。",
        "AttentionSteps": "它有七个字段，只要输出：写 .output。",
        "Verdict": "函数里面不要再调用 check。",
        "NoneType": "有的输入下没有返回值：每条路都要有 return。",
        "str": "返回数，不返回写好的文字。",
        "function": "返回的是函数本身：是不是少了括号？",
    }
    number = "是不是把整个矩阵加成了一个数，或者只算了一格？" if isinstance(outcome, Number) else ""
    way = ways.get(type(outcome).__name__, number)
    return f"应返回 numpy 数组，形状 {exercise.shape}；收到的是{received(outcome)}。{way}"


def dtype_message(dtype):
    """数组里装的不是小数。"""
    if dtype.kind == "f":
        way = "只有三位有效数字：是不是用了 float16？"
    elif dtype.kind in "iub":
        way = "小数部分丢了：是不是用了 astype(int) 或比较？"
    else:
        way = "一格放一个实数，各行一样长。"
    return f"应返回小数（float64），收到的数组里是 {dtype}。{way}"

"""检查数组：元素、维数、形状；几个数组的形状还要对得上。"""

import re

import numpy as np

from utils.checks.refusal import refusal, require, shown
from utils.checks.values import LARGEST, as_list


def as_arrays(shapes, /, *, masked=None, **values):
    """把每个值变成形状合乎 shapes 的 float64 数组，或说明它为什么不行；值原样不动。

    shapes : 每个值的形状，如 "(n_q, d_k), (n_k, d_k)"；同一个字母在哪里都要一样大；
        前面写 bool 的只收 True 和 False，返回布尔数组
    masked : None 只收有限的数；"any" 也收 −∞（被遮住的键）；"some" 也收 −∞，但不能整行都是
    values : 名字=值，与 shapes 一一对应
    返回一个数组；不止一个值时是一列数组。
    ValueError：不是实数、空的、维数不对、含 NaN 或无穷（或绝对值超过 1e100）、形状对不上。
    """
    forms = re.findall(r"(?:bool )?\([^)]*\)", shapes)
    arrays = {
        name: as_array(name, value, form, masked)
        for (name, value), form in zip(values.items(), forms, strict=True)
    }
    _check_sizes(arrays, dict(zip(arrays, map(_letters, forms), strict=True)))
    return list(arrays.values()) if len(arrays) > 1 else next(iter(arrays.values()))


def real_array(value):
    """value 里的实数，一个新的 float64 数组；不是由实数组成时返回 None。"""
    if np.ma.is_masked(value):  # asarray 会悄悄丢掉遮罩
        return None
    try:
        array = np.asarray(value)
    except Exception:  # 长短不一的列表、要求梯度的 torch 张量、别人写的 __array__：什么错误都可能有
        return None
    return array.astype(np.float64) if array.dtype.kind in "biuf" else None


def as_array(name, value, form, masked=None):
    """同 as_arrays，只有一个值，名字可以是任何文字；form 如 "(n,)"。"""
    if form.startswith("bool "):
        return _as_boolean(name, value, form.removeprefix("bool "))
    array, ndim = real_array(value), len(_letters(form))
    if array is None:
        rows = "，各行一样长" if ndim > 1 else ""
        raise refusal(
            f"{name} 必须由实数组成，形状 {form}{rows}", _kind(value), _way_to_numbers(name, value, masked)
        )
    rule = f"{name} 不能是空的，形状 {form} 里每个数至少是 1"
    require(array.size > 0, rule, f"形状 {array.shape}", "至少写一行，每行至少一个数")
    kind = {1: "一行数", 2: "二维矩阵"}.get(ndim, f" {ndim} 维数组")
    require(
        array.ndim == ndim,
        f"{name} 必须是{kind}，形状 {form}",
        f"{array.ndim} 维，形状 {array.shape}",
        _way_to_dimensions(name, array.ndim, ndim),
    )
    bad = ~((np.abs(array) <= LARGEST) | (np.isneginf(array) & bool(masked)))
    if bad.any():
        where = np.argwhere(bad)[0]
        units = "层" * (ndim - 2) + "行列" if ndim > 1 else "个"
        place = "".join(f"第 {i + 1} {unit}" for i, unit in zip(where, units, strict=True))
        raise refusal(
            f"{name} 里不能有 NaN 或{'正' if masked else ''}无穷，绝对值也不能超过 {LARGEST:g}，形状 {form}",
            f"形状 {array.shape}，{place}是 {array[tuple(where)]}",
            f"从这个数往回查，看它是哪一步算出来的{'；要遮住一个键就写 -np.inf' if masked else ''}",
        )
    hidden = np.flatnonzero(np.isneginf(array).all(axis=-1)) if masked == "some" else []
    if len(hidden):
        raise refusal(
            f"{name} 的每一行至少要有一个没被遮住的键，否则没有权重可分",
            f"形状 {array.shape}，第 {hidden[0] + 1} 行全是 −∞",
            "检查遮罩；每个词元至少应能看到自己",
        )
    return array


def _as_boolean(name, value, form):
    """True、False 组成的数组；0 和 1、加到分数上的 0 和 −∞ 都不收：各家的约定不同，悄悄收下就会看反。"""
    array = as_array(name, value, form, masked="any")
    require(
        np.asarray(value).dtype == bool,
        f"{name} 必须由 True 和 False 组成，True 是可以看，形状 {form}",
        _kind(value),
        f"1 是可以看，就写 np.array({name}) == 1；1 是遮住，就写 np.array({name}) == 0",
    )
    return array.astype(bool)


def _check_sizes(arrays, letters):
    """同一个字母在两处大小不同，就说出是哪两处，怎样才对得上。"""
    seen = {}
    for name, array in arrays.items():
        for axis, letter in enumerate(letters[name]):
            other, other_axis = seen.setdefault(letter, (name, axis))
            seen[letter] = name, axis
            if array.shape[axis] == arrays[other].shape[other_axis]:
                continue
            mine, theirs = _size_name(array, axis), _size_name(arrays[other], other_axis)
            same = f"{other} 与 {name} 的{mine}必须相同" if mine == theirs else ""
            raise refusal(
                f"{same or f'{other} 的{theirs}必须等于 {name} 的{mine}'}（都是 {letter}）",
                "，".join(f"{each} {arrays[each].shape}" for each in arrays),
                f"看看 {other} 和 {name}{_way_to_fit(arrays[other], other_axis, array, axis)}",
            )


def _way_to_fit(left, left_axis, right, right_axis):
    """两个数组在这两个方向上不一样大，最可能的原因：写反了、转置错了、各是各的。"""
    ways = []
    if left.ndim == right.ndim == 2:
        across, other_across = left.shape[1 - left_axis], right.shape[1 - right_axis]
        if left_axis != right_axis and across == other_across:
            ways.append("换一下位置")
        if across == right.shape[right_axis] or other_across == left.shape[left_axis]:
            ways.append("其中一个转置一次")
    return f"：{'，或者'.join(ways)}，就正好对得上" if ways else " 是不是同一个句子、同一次计算里的"


def _letters(form):
    return re.findall(r"\w+", form.removeprefix("bool "))


def _size_name(array, axis):
    return "长度" if array.ndim == 1 else f"{'行列'[axis]}数" if array.ndim == 2 else f"第 {axis + 1} 维"


def _kind(value):
    """收到的是什么：类型，再加上形状和元素类型，或者内容；长短不一的列表写各行的长度。"""
    kind = type(value).__name__
    if isinstance(getattr(value, "shape", None), tuple):
        return f"{kind}，形状 {tuple(value.shape)}，元素类型 {getattr(value, 'dtype', '不明')}"
    lengths = {len(row) if hasattr(row, "__len__") else 1 for row in as_list(value) or ()}
    if len(lengths) > 1:
        return f"{kind}，{len(value)} 行，每行 {' 或 '.join(map(str, sorted(lengths)))} 个"
    return f"{kind}，{shown(value)}"


def _way_to_numbers(name, value, masked):
    if hasattr(value, "detach"):
        return f"torch 张量先写 {name}.detach().double().numpy()"
    if np.ma.is_masked(value):
        return f"遮住的格先填上数，写 {name}.filled({'-np.inf' if masked else '0'})"
    return "每一行写一样多的实数，如 [[1, 0], [0, 1]]；文字、None、复数要先换成实数"


def _way_to_dimensions(name, received, wanted):
    if received > wanted:
        return f"从中取出一份，如 {name}{'[0]' * (received - wanted)}"
    if wanted == 2:
        return f"这是一行就写 np.reshape({name}, (1, -1))，是一列就写 np.reshape({name}, (-1, 1))"
    return f"用 np.reshape 补成 {wanted} 维"

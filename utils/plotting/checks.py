"""检查参数：不合适就抛出 ValueError，说出规则、收到的形状和办法。"""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import is_color_like

from utils.checks import LARGEST, as_list, as_names, is_integer, real_array, shown
from utils.numbers import significant


def _array(values, name, rule):
    if hasattr(values, "detach"):  # 要求梯度的 torch 张量
        values = values.detach()
    array = real_array(values)
    if array is None:
        raise ValueError(
            f"{name} 必须是{rule}；收到 {type(values).__name__}。"
            "文字、None、复数请先换成实数，遮住的格先 .filled(0)，torch 张量先 .detach().double().numpy()。"
        )
    return array


def _too_large(array):
    return np.isfinite(array) & (np.abs(array) > LARGEST)


def matrix(M, name, allow_masked=False):
    """(行, 列) 的数；allow_masked 为真时允许 −∞。"""
    array = _array(M, name, "由数组成的矩阵，每一行一样长")
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"{name} 必须是二维、不空的矩阵，形状像 (3, 4)；收到的形状是 {array.shape}。"
            "只有一行时写成 M[None, :]，形状就是 (1, n)。"
        )
    if not (np.isfinite(array) | (allow_masked & np.isneginf(array))).all():
        rule = "只能有有限的数，或表示遮住的 −∞" if allow_masked else "只能有有限的数"
        raise ValueError(f"{name}（形状 {array.shape}）里{rule}；收到了 NaN 或 ∞。请先检查上一步的计算。")
    _check_largest(array, name)
    return array


def _check_largest(array, name):
    if _too_large(array).any():
        raise ValueError(
            f"{name}（形状 {array.shape}）里的数，绝对值不能超过 {LARGEST:g}，否则画不出来；"
            f"收到了 {array[_too_large(array)][0]:g}。请先除小。"
        )


def weights(weights, name="weights"):
    """(n_q, n_k) 的注意力权重，每个数在 0 到 1 之间。"""
    array = matrix(weights, name)
    if array.min() < -1e-9 or array.max() > 1 + 1e-9:
        raise ValueError(
            f"{name}（形状 {array.shape}）是注意力权重，每个数都要在 0 到 1 之间；"
            f"收到的数从 {significant(array.min())} 到 {significant(array.max())}。"
            "先做 softmax；要画分数请用 plot_matrix。"
        )
    return array


def row(values, name, allow_nan=False):
    """(n,) 的数；allow_nan 为真时 NaN 和 ∞ 只是不画。"""
    array = _array(values, name, "一行数")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} 必须是一行数，形状像 (3,)；收到的形状是 {array.shape}。请取出其中一行。")
    if not allow_nan and not np.isfinite(array).all():
        raise ValueError(f"{name}（形状 {array.shape}）里只能有有限的数；收到了 NaN 或 ∞。请检查前面的计算。")
    _check_largest(array, name)
    return array


def labels(labels, count, what, shape):
    """count 个标签，what 是「行」或「列」；没给就是 None。"""
    return None if labels is None else required_labels(labels, count, what, shape)


def required_labels(labels, count, what, shape):
    """count 个标签，what 是「行」或「列」。"""
    labels = as_names(f"{what}的标签", labels)
    if len(labels) != count:
        raise ValueError(
            f"{what}的标签要一{what}一个：矩阵的形状是 {shape}，有 {count} {what}；"
            f"收到的标签形状是 ({len(labels)},)：{'、'.join(labels[:8])}。"
            "请补齐或去掉多出的标签，或检查矩阵是否转置了。"
        )
    return labels


def mapping(value, name, example):
    """{名字: …}，名字写成文字；没给就是空的。"""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} 要写成字典，如 {example}；收到 {shown(value)}。")
    return {str(key): item for key, item in value.items()}


def color(color):
    """一个颜色，或者 None。"""
    if color is not None and not is_color_like(color):
        raise ValueError(f'color 要写成颜色，如 QKV_COLORS["Q"] 或 "#0072B2"；收到 {shown(color)}。')
    return color


def outlines(outline, shape):
    """("row", i)、("col", j)、("cell", i, j) -> [(左, 上, 宽, 高)]，单位是格。"""
    rows, cols = shape
    items = [] if outline is None else as_list(outline)
    if items and isinstance(items[0], str):
        items = [tuple(items)]
    boxes = []
    for item in [outline] if items is None else items:
        match item:
            case ("row", i) if is_integer(i, 0, rows - 1):
                boxes.append((0, i, cols, 1))
            case ("col", j) if is_integer(j, 0, cols - 1):
                boxes.append((j, 0, 1, rows))
            case ("cell", i, j) if is_integer(i, 0, rows - 1) and is_integer(j, 0, cols - 1):
                boxes.append((j, i, 1, 1))
            case _:
                raise ValueError(
                    "outline 里只能写 ('row', i)、('col', j)、('cell', i, j)，"
                    f"序号从 0 起、不超出形状 {shape}；收到 {shown(item)}。"
                )
    return boxes

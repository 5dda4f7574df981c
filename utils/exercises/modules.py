"""写模块的题：把学习者的类变成一个函数，放进同样的矩阵；然后与写一步的题一样判定。

torch 用到时才装：要一两秒，多数练习用不到它。
"""

import inspect

import numpy as np

from utils.exercises.answers import received

MISBUILT = "Misbuilt"


class Misbuilt(Exception):
    """模块搭得不对，还算不了。文字是“名字：一句话”。"""


def unusable(answer):
    """交来的不是一个模块的类：(名字, 一句话)；是的话是 None。"""
    from torch import nn

    if isinstance(answer, nn.Module):
        return "not_a_class", "这里要交类本身，检查时再新建：类名后面不要加括号。"
    if not isinstance(answer, type):
        return "not_a_class", f"这里要交一个类，收到的是{received(answer)}。"
    if not issubclass(answer, nn.Module):
        return "not_a_module", "类要写成 class 名字(nn.Module)：它才记得自己的参数。"
    return None


def as_function(exercise, module):
    """收 exercise.arguments（numpy 数组），新建 module，放进矩阵，返回它的输出（numpy 数组）。"""
    import torch

    def function(*arguments):
        sizes, weights, X = exercise.module(*arguments)
        layer = _built(module, sizes, exercise).double()
        _fill(layer, weights)
        result = layer(torch.from_numpy(X))
        if isinstance(result, tuple) and result and all(isinstance(each, torch.Tensor) for each in result):
            return tuple(_as_array(each) for each in result)
        if result is None or not isinstance(result, torch.Tensor):
            said = "forward 没有返回值：最后一行是不是少了 return？"
            said = said if result is None else f"forward 要返回张量，收到的是{received(result)}。"
            raise Misbuilt(f"not_a_tensor：{said}")
        return _as_array(result)

    function.__wrapped__, function.__name__ = module.forward, module.__name__
    return function


def _as_array(tensor):
    return np.array(tensor.detach().numpy(), dtype=float)


def _built(module, sizes, exercise):
    try:
        inspect.signature(module.__init__).bind(None, *sizes)
    except TypeError:
        raise Misbuilt(
            f"wrong_parameters：__init__ 要能收 self 和 {len(sizes)} 个大小，照题目的次序。"
        ) from None
    return module(*sizes)


def _fill(layer, weights):
    """把矩阵放进各个零件；缺了、多了偏置、大小不对，就说出来。"""
    import torch

    own = dict(layer.named_parameters())
    parts = [name.removesuffix(".weight") for name in weights]
    if missing := [part for part, name in zip(parts, weights, strict=True) if name not in own]:
        raise Misbuilt(f"missing_part：没有找到 self.{missing[0]}（nn.Linear）：零件的名字照题目写。")
    if bias := [part for part in parts if f"{part}.bias" in own]:
        raise Misbuilt(f"bias_left_on：{'、'.join(bias)} 带着偏置：nn.Linear 默认有，写 bias=False。")
    for part, (name, matrix) in zip(parts, weights.items(), strict=True):
        shape = tuple(own[name].shape)
        if shape != matrix.shape:
            turned = "输入、输出的宽度写反了" if shape == matrix.shape[::-1] else "宽度不对，是不是写死了"
            raise Misbuilt(f"wrong_width：{part} 的 weight 是 {shape}，应是 {matrix.shape}：{turned}？")
    known = {*weights, *(f"{part}.bias" for part in parts)}
    if extra := [name for name, value in own.items() if name not in known and value.ndim > 1]:
        raise Misbuilt(f"extra_part：题目里没有 {extra[0].removesuffix('.weight')}，它的数没有人放进去。")
    with torch.no_grad():
        for name, matrix in weights.items():
            own[name].copy_(torch.from_numpy(np.ascontiguousarray(matrix)))

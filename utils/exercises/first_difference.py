"""函数的结果不对：第一处不同在哪里，哪组输入是对的，怎样自己试。"""

import numpy as np

from utils.exercises.comparing import close, same
from utils.exercises.running import Failure
from utils.exercises.words import raised_words
from utils.numbers import write

_SMALL = 9  # 一共不超过这么多个数的输入，写出来


def first_difference(exercise, function, outcome, right, arguments):
    """问题的种类，和说出第一处不同在哪里的一句话。"""
    args = shown_arguments(exercise, arguments)
    shapes = f"应返回 {exercise.shape}，即 {right.shape}"
    if isinstance(outcome, Failure):
        line = f"\n出错的一行：{outcome.line}" if outcome.line else ""
        words = raised_words(outcome, function)
        reason = f"{outcome.kind}：{words}" if words else outcome.kind
        return "raised", f"输入是 {args} 时报错：{reason}{line}\n{shapes}。"
    if outcome.shape != right.shape:
        return "wrong_shape", f"输入是 {args}：{shapes}；收到 {outcome.shape}。"
    bad = ~close(outcome, right)
    row, col = np.argwhere(bad)[0]
    yours, theirs = outcome[row, col], right[row, col]
    where = f"第一处不同：输入是 {args}，第 {row + 1} 行第 {col + 1} 列，你的是 {write(yours)}。{shapes}"
    problem = "not_finite" if np.isfinite(theirs) and not np.isfinite(yours) else None
    return problem, f"{where}{_how_many(bad)}。"


def _how_many(bad):
    """不对的是哪几格：都在一行、都在一列，还是多少格。"""
    rows, columns = np.flatnonzero(bad.any(axis=1)), np.flatnonzero(bad.any(axis=0))
    if bad.all() or bad.size == 1:
        return ""
    if len(rows) == 1 and len(bad) > 1:
        return f"；不对的都在第 {rows[0] + 1} 行"
    if len(columns) == 1 and bad.shape[1] > 1:
        return f"；不对的都在第 {columns[0] + 1} 列"
    return f"；{bad.size} 格里有 {bad.sum()} 格不对"


def right_elsewhere(exercise, outcomes, expected, inputs, wrong_arguments):
    """别的输入下对的有哪一组；形状与不对的那组相同时，说出数有什么不同。"""
    alike = ""
    for outcome, right, arguments in zip(outcomes, expected, inputs, strict=True):
        if same(outcome, right):
            if shown_arguments(exercise, arguments) != shown_arguments(exercise, wrong_arguments):
                return f"\n输入是 {shown_arguments(exercise, arguments)} 时是对的。"
            alike = alike or f"\n{_compared(exercise, arguments, wrong_arguments)}。"
    return alike


def _compared(exercise, right, wrong):
    """形状相同的两组输入，一组对，一组不对：数有什么不同。"""
    for name, ours, theirs in zip(exercise.arguments, right, wrong, strict=True):
        good, bad = _largest(ours), _largest(theirs)
        if max(good, bad) > 5 * min(good, bad):
            size = "小" if good < bad else "大"
            return (
                f"形状相同、数{size}得多的一组是对的：那一组的 {name} 里，绝对值最大是 {write(good)}，"
                f"不对的这一组是 {write(bad)}"
            )
    return "形状相同、数不同的另一组输入是对的"


def _largest(value):
    """绝对值最大的有限的数。"""
    array = np.abs(np.asarray(value, float))
    return float(array[np.isfinite(array)].max(initial=0))


def try_it(exercise, function, arguments):
    """不对的那组输入怎样拿到手；很小的直接写出来。"""
    name = getattr(function, "__name__", "")
    name = name if name.isidentifier() else "f"
    if exercise.kind == "module":
        return f'不对的输入：{", ".join(exercise.arguments)} = check("{exercise.id}", {name}).arguments'
    small = ""
    if sum(map(np.size, arguments)) <= _SMALL:
        values = zip(exercise.arguments, arguments, strict=True)
        small = "（" + "，".join(f"{each} = {_written(value)}" for each, value in values) + "）"
    return f'拿不对的输入{small}自己试：{name}(*check("{exercise.id}", {name}).arguments)'


def _written(value):
    if not np.ndim(value):
        return write(value)
    return "[" + ", ".join(map(_written, value)) + "]"


def shown_arguments(exercise, arguments):
    return "，".join(
        f"{name} {np.shape(value)}" if np.ndim(value) else f"{name} = {value}"
        for name, value in zip(exercise.arguments, arguments, strict=True)
    )

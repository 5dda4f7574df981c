"""循环走错了长度：每一层循环本该走的次数，换成参数里别的大小。

结果少填了几行、几列，还是 0；或者求和少加了几项；走得太多，下标就超出（IndexError）。
"""

import numpy as np

from utils.exercises.records import Mistake

_TERMS = {  # 一步 -> (求和的循环本该走的次数, 只加前 n 项)
    "project": ("X 的列数 d_model", lambda X, W: X.shape[1], lambda X, W, n: X[:, :n] @ W[:n]),
    "attention_scores": ("Q 的列数 d_k", lambda Q, K: Q.shape[1], lambda Q, K, n: Q[:, :n] @ K[:, :n].T),
    "weighted_sum": ("V 的行数 n_k", lambda w, V: len(V), lambda w, V, n: w[:, :n] @ V[:n]),
}


def loop_slips(step):
    """一步的循环走错了长度：[Mistake]。step : 那一步的练习。"""
    rows, columns = (size.strip(" ()") for size in step.shape.split(","))
    found = []
    for source, size in _sizes(step.arguments, step.inputs()):
        kept = f"走一列的循环，次数用了 {source}，应是 {columns}：右边几列没有填，或者下标超出了。"
        found.append(Mistake("wrong_loop_columns", _filled(step.reference, size, 1), kept))
        kept = f"走一行的循环，次数用了 {source}，应是 {rows}：下面几行没有填，或者下标超出了。"
        found.append(Mistake("wrong_loop_rows", _filled(step.reference, size, 0), kept))
        if step.id in _TERMS:
            words, right, total = _TERMS[step.id]
            said = f"求和的循环，次数用了 {source}，应是 {words}。"
            for cut in (False, True):  # 走得太多：切片自己停下，下标会超出
                found.append(Mistake("wrong_loop_terms", _summed(total, right, size, cut), said))
    return found


def _sizes(names, inputs):
    """各个参数的行数和列数：(怎样说, 参数元组 -> 大小)。"""
    first, found = inputs[0], []
    for position, name in enumerate(names):
        if np.ndim(first[position]) != 2:
            found.append((name, lambda arguments, p=position: int(arguments[p])))
            continue
        for axis, word in enumerate(("行数", "列数")):
            found.append((f"{name} 的{word}", lambda arguments, p=position, a=axis: arguments[p].shape[a]))
    return found


def _filled(right, size, axis):
    """只填了前几行或前几列。"""

    def wrong(*arguments):
        result, count = np.array(right(*arguments), float), size(arguments)
        if count > result.shape[axis]:
            raise IndexError
        result[(slice(None),) * axis + (slice(count, None),)] = 0
        return result

    return wrong


def _summed(total, right, size, cut):
    """求和只加了前几项。"""

    def wrong(*arguments):
        count = size(arguments)
        if count > right(*arguments) and not cut:
            raise IndexError
        return total(*arguments, count)

    return wrong

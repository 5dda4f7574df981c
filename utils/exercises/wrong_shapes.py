"""猜形状：写错的大小是题目里的谁，或者是怎样凑出来的。不说出答案。"""

import itertools
import math


def wrong_shape(shape, exercise):
    """(名字, 一句话)：shape 没有列在题目的错误里。"""
    right = exercise.reference
    if len(shape) != len(right):
        return "wrong_ndim", _wrong_count(shape, right, exercise.sizes)
    if shape == right[::-1]:
        return "transposed", "行数和列数写反了：一行是什么，一列是什么？"
    rows, columns = (ours == theirs for ours, theirs in zip(shape, right, strict=True))
    which = "行数对，列数不对" if rows else "列数对，行数不对" if columns else "行数和列数都不对"
    asked = "一列是什么，有几个？" if rows else "一行是什么，有几个？"
    bad = [size for size, fits in zip(shape, (rows, columns), strict=True) if not fits]
    whose = dict.fromkeys(_whose(size, exercise.sizes) for size in bad)
    said = "".join(f"{each}。" for each in whose if each)
    name = "another_size" if said else None
    return name, f"{which}：{said}{asked}{'' if rows or columns else '一列呢？'}"


def _wrong_count(shape, right, sizes):
    rule = "结果是矩阵，形状里正好两个数：行数和列数。"
    if shape == (math.prod(right),):
        return f"{rule}你写的是一共有几个数。"
    if len(shape) == 1 and shape[0] in right:
        return f"{rule}你只写了一个。"
    gone = [size for size in shape if size not in right and size in sizes]
    if len(shape) > 2 and gone:
        return f"{rule}{_whose(gone[0], sizes)}：它还留在结果里吗？"
    return rule


def _whose(size, sizes):
    """这个大小是谁的；是两个大小乘起来、加起来的，也认得出；都不是就是空的。"""
    if size in sizes:
        return f"{size} 是{sizes[size]}"
    if size == 1:
        return "1 是只算了一个，或者加成了一个"
    for a, b in itertools.combinations_with_replacement(sizes, 2):
        if size in (a * b, a + b):
            return f"{size} 像是 {a} {'×' if size == a * b else '+'} {b}"
    return ""

"""多做一步、少留一部分：对每个函数都说得通的错误，由应有的结果做出来。

AFTER 里的一项是 (名字, 把对的结果变成错的结果, 怎样说)；结果变形以后还是二维的，也可能是错在中间的一步。
"""

import numpy as np

from utils.exercises.records import Mistake

_EXTRA = "数先算对了，后面多做了一步：{}。这里不要它。"


def _soft(M, axis):
    powers = np.exp(M - M.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _only(M, rows, columns):
    kept = np.zeros(M.shape)
    kept[rows, columns] = M[rows, columns]
    return kept


def _from_zero(M):
    return M - M.min(axis=1, keepdims=True)


_ALL = slice(None)
_EXTRAS = {
    "relu": (lambda M: np.maximum(M, 0), "负数变成了 0（ReLU）"),
    "tanh": (np.tanh, "tanh，每个数都压到了 −1 和 1 之间"),
    "sigmoid": (lambda M: 1 / (1 + np.exp(-M)), "sigmoid，每个数都压到了 0 和 1 之间"),
    "softmax": (lambda M: _soft(M, 1), "softmax，每一行加起来是 1"),
    "softmax_of_columns": (lambda M: _soft(M, 0), "沿列的 softmax"),
    "absolute": (np.abs, "取绝对值，负的都变成了正的"),
    "squared": (np.square, "每个数都平方了"),
    "exponential": (np.exp, "每个数都取了 exp"),
    "logarithm": (np.log, "每个数都取了对数"),
    "root": (lambda M: np.sqrt(np.abs(M)) * np.where(M < 0, np.nan, 1), "每个数都开了平方"),
    "centred": (lambda M: M - M.mean(axis=1, keepdims=True), "每一行减去了自己的平均"),
    "standardised": (
        lambda M: (M - M.mean(1, keepdims=True)) / M.std(1, keepdims=True),
        "每一行减去平均、除以标准差（层归一化）",
    ),
    "unit_length": (lambda M: M / np.linalg.norm(M, axis=1, keepdims=True), "每一行除以了自己的长度"),
    "row_shares": (lambda M: M / M.sum(axis=1, keepdims=True), "每一行除以了自己的和"),
    "over_total": (lambda M: M / M.sum(), "除以了所有数的和"),
    "min_max": (
        lambda M: _from_zero(M) / _from_zero(M).max(axis=1, keepdims=True),
        "每一行压到了 0 和 1 之间",
    ),
    "over_largest": (lambda M: M / M.max(), "除以了最大的数"),
    "over_row_largest": (lambda M: M / M.max(axis=1, keepdims=True), "每一行除以了自己的最大值"),
    "clipped": (lambda M: np.clip(M, 0, 1), "夹到了 0 和 1 之间"),
    "running_sum": (lambda M: M.cumsum(axis=0), "一行一行地累加了"),
    "truncated": (np.trunc, "小数部分丢了"),
}
_SCALES = {
    "divided_by_rows": (len, "行数"),
    "divided_by_columns": (lambda M: M.shape[1], "列数"),
    "divided_by_root_of_rows": (lambda M: np.sqrt(len(M)), "行数的平方根"),
    "divided_by_root_of_columns": (lambda M: np.sqrt(M.shape[1]), "列数的平方根"),
}
_SUMMED = "沿着{}又加了一次，每一{}只剩一个数：是不是多了 .sum，或者求和时少分了一层？"
_PARTS = {
    "transposed": (lambda M: M.T, "数都对，行和列反了：是不是多了一次转置，或者两个下标写反了？"),
    "flattened": (np.ravel, "数都对，可是接成了一长条：结果要是二维的。"),
    "one_more_axis": (lambda M: M[None], "数都对，外面多了一层方括号：结果要是二维的。"),
    "summed_rows": (lambda M: M.sum(axis=1), _SUMMED.format("行", "行")),
    "summed_rows_kept": (lambda M: M.sum(axis=1, keepdims=True), _SUMMED.format("行", "行")),
    "summed_columns": (lambda M: M.sum(axis=0), _SUMMED.format("列", "列")),
    "averaged_rows": (lambda M: M.mean(axis=1), "算对以后又沿着行求了平均：不要 .mean。"),
    "averaged_columns": (lambda M: M.mean(axis=0), "算对以后又沿着列求了平均：不要 .mean。"),
    "first_row_only": (
        lambda M: M[0],
        "只有第 1 行，每一行都要：是不是少了外面的循环，多了 [0]，或者 return 在循环里？",
    ),
    "first_row_kept": (lambda M: M[:1], "只有第 1 行：每一行都要。"),
    "last_row_only": (
        lambda M: M[-1],
        "只有最后一行，每一行都要：是不是每一轮都盖掉了前一行，或者多了 [-1]？",
    ),
    "last_row_kept": (lambda M: M[-1:], "只有最后一行：每一行都要。"),
    "without_last_row": (lambda M: M[:-1], "少了最后一行。"),
    "without_first_row": (lambda M: M[1:], "少了第 1 行：从 0 数起。"),
    "first_column_only": (lambda M: M[:, 0], "只有第 1 列：每一列都要。"),
    "first_column_kept": (lambda M: M[:, :1], "只有第 1 列：每一列都要。"),
    "rows_reversed": (lambda M: M[::-1], "数都对，各行的次序倒了。"),
    "columns_reversed": (lambda M: M[:, ::-1], "数都对，各列的次序倒了。"),
    "only_first_cell": (lambda M: _only(M, 0, 0), "只有第 1 格算了，其余还是 0：return 是不是缩进得太深？"),
    "only_first_row": (lambda M: _only(M, 0, _ALL), "只有第 1 行算了，其余还是 0：return 是不是缩进得太深？"),
    "only_last_row": (lambda M: _only(M, -1, _ALL), "只有最后一行算了，其余还是 0。"),
    "only_first_column": (lambda M: _only(M, _ALL, 0), "只有第 1 列算了，其余还是 0。"),
    "not_last_row": (lambda M: _only(M, slice(-1), _ALL), "最后一行没有算，还是 0：循环少了一轮？"),
    "not_first_row": (lambda M: _only(M, slice(1, None), _ALL), "第 1 行没有算，还是 0：从 0 数起。"),
    "not_last_column": (lambda M: _only(M, _ALL, slice(-1)), "最后一列没有算，还是 0：循环少了一轮？"),
    "not_first_column": (lambda M: _only(M, _ALL, slice(1, None)), "第 1 列没有算，还是 0：从 0 数起。"),
    "lower_triangle": (np.tril, "右上的一半成了 0：这里不遮住什么。"),
    "negated": (np.negative, "大小都对，正负号全反了。"),
}
AFTER = [("extra_" + name, change, _EXTRA.format(words)) for name, (change, words) in _EXTRAS.items()]
AFTER += [
    ("extra_" + name, lambda M, size=size: M / size(M), f"结果多除了自己的{words}：这里不除它。")
    for name, (size, words) in _SCALES.items()
]
SAME_SHAPE = [*AFTER, ("negated", *_PARTS["negated"])]
AFTER += [(name, *rest) for name, rest in _PARTS.items()]
_ROUNDED = "数对到 {} 位小数：是不是把结果舍入了？计算时用没有舍入的数，写出来时才舍入。"


def slips(right, arguments):
    """对每个函数都说得通的错误，[Mistake]。right : 对的函数；arguments : 参数名。"""
    found = [
        Mistake("rounded", _after(right, lambda M, d=digits: np.round(M, d)), _ROUNDED.format(digits))
        for digits in range(5)
    ]
    found += [Mistake(name, _after(right, change), message) for name, change, message in AFTER]
    for position, name in enumerate(arguments):
        found += _before(right, position, name)
        returned = f"返回的就是传进来的 {name}，还没有算什么。"
        found += [
            Mistake("returned_argument", _returned(position), returned),
            Mistake("added_argument", _with(right, position, np.add), f"算对以后又加上了 {name}：这里不加。"),
            Mistake("minus_argument", _with(right, position, np.subtract), f"算对以后又减去了 {name}。"),
            Mistake("times_argument", _with(right, position, np.multiply), f"算对以后又乘上了 {name}。"),
            Mistake("over_argument", _with(right, position, np.divide), f"算对以后又除以了 {name}。"),
        ]
    return found


def _before(right, position, name):
    """算之前先动了第 position 个参数；或者只动了它，没有算。"""

    def first(change):
        def wrong(*arguments):
            moved = list(arguments)
            moved[position] = change(np.asarray(moved[position], float))
            return right(*moved)

        return wrong

    found = [
        Mistake("rounded_early", first(lambda M, d=digits: np.round(M, d)), f"是不是先把 {name} 舍入了再算？")
        for digits in range(3)
    ]
    for each, (change, words) in _EXTRAS.items():
        start = f"结果与先对 {name} 多做一步再算的一样：{words}。直接用传进来的 {name}。"
        only = f"这只是对 {name} 做了一步：{words}。题目要的不是它。"
        found.append(Mistake(f"before_{each}", first(change), start))
        found.append(Mistake(f"only_{each}", lambda *a, c=change: c(np.asarray(a[position], float)), only))
    for each, (size, words) in _SCALES.items():
        said = f"多除了 {name} 的{words}（除在哪一步，由数看不出）：这里不除它。"
        found.append(Mistake(f"scaled_{each}", _over_size(right, position, size), said))
        more = Mistake(
            f"times_{each}", _over_size(right, position, lambda M, s=size: 1 / s(M)), said.replace("除", "乘")
        )
        found.append(more)
        found.append(Mistake(f"scaled_{each}", first(lambda M, size=size: M / size(M)), said))
    return found


def _over_size(right, position, size):
    """结果除以第 position 个参数的一个大小。"""
    return lambda *arguments: right(*arguments) / size(np.asarray(arguments[position], float))


def _after(right, change):
    return lambda *arguments: change(np.asarray(right(*arguments), float))


def _returned(position):
    return lambda *arguments: np.array(arguments[position], float)


def _with(right, position, operation):
    return lambda *arguments: operation(right(*arguments), arguments[position])


def constant(outcomes, expected):
    """每一格都差同一个数，或同一个倍数：(名字, 一句话)；不是这样时是 None。"""
    pairs = [
        (np.asarray(o, float), e) for o, e in zip(outcomes, expected, strict=True) if np.shape(o) == e.shape
    ]
    if len(pairs) < len(expected):
        return None
    ours, theirs = (np.concatenate([pair[side].ravel() for pair in pairs]) for side in (0, 1))
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()) or np.ptp(ours) < 1e-9:
        return None
    if np.allclose(ours - theirs, (ours - theirs)[0], rtol=1e-4, atol=1e-5):
        return "extra_bias", "每个数都差同一个数：是不是加了偏置，或者多加、多减了一个常数？"
    ratio = (ours @ theirs) / (theirs @ theirs)
    if np.allclose(ours, ratio * theirs, rtol=1e-4, atol=1e-5) and ratio != 0:
        return "constant_factor", "每个数都差同一个倍数：是不是多乘、多除了一个常数？"
    return None

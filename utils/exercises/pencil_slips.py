"""笔算的数：照题目里的数，再犯一次常见的错，看对不对得上；对得上几种就都说。不说出答案。"""

import itertools

import numpy as np

from utils.numbers import write

_TWO_DECIMALS, _SMALL = 0.0051, 5


def wrong_numbers(numbers, expected, exercise):
    """(名字, 一句话)：每个不对的数都认得出原因；认不出时是 None。"""
    bad = set(np.flatnonzero(np.abs(numbers - expected) > exercise.tolerance).tolist())
    said, left = [], set(bad)
    for where, mistake in _mistakes(numbers, expected, exercise, bad):
        if set(where) & left:
            said.append((where[0], mistake.name, _which(where, expected) + mistake.message))
            left -= set(where)
    for i in sorted(left):
        products = exercise.products[i] if exercise.products else ()
        causes = _product_slips(numbers[i], products, exercise.tolerance) if products else []
        if not causes:
            return None
        said.append((i, "wrong_product", _which([i], expected) + "\n也可能：".join(causes[:2])))
    said.sort()
    return said[0][1], "\n".join(words for _, _, words in said)


def is_mistake(numbers, mistake, tolerance):
    """numbers 是不是这个错误的答案。"""
    same_shape = np.shape(numbers) == np.shape(np.atleast_1d(mistake.answer))
    return same_shape and bool(_like(numbers, mistake, tolerance).all())


def _like(numbers, mistake, tolerance):
    """每个数与这个错误的答案相不相同。容许得很宽的题，比小得多的数时不那么宽。"""
    values = np.atleast_1d(mistake.answer)
    narrow = max(_TWO_DECIMALS, 0.02 * np.abs(values).max())
    return np.abs(numbers - values) <= min(tolerance, narrow)


def _which(where, expected):
    return f"第 {'、'.join(str(i + 1) for i in where)} 个数：" if len(expected) > 1 else ""


def _mistakes(numbers, expected, exercise, bad):
    """[(哪几个数, 题目里列出的错误)]：整个犯了的；没有，就找只犯了一部分、却说得清全部的。"""
    whole, partly = [], []
    for mistake in exercise.mistakes:
        theirs = np.atleast_1d(mistake.answer)
        if theirs.shape == expected.shape:
            off = np.flatnonzero(np.abs(theirs - expected) > exercise.tolerance)
            same = _like(numbers, mistake, exercise.tolerance)
            like = [int(i) for i in off if same[i]]
            if len(like) == len(off):
                whole.append((like, mistake))
            elif set(like) == bad:
                partly.append((like, mistake))
    covered = {i for like, _ in whole for i in like}
    if covered == bad or not partly or exercise.products:  # 有逐项的乘积，那里说得更准
        return sorted(whole, key=lambda pair: -len(pair[0]))
    return partly[:1]


def _product_slips(number, products, tolerance):
    """这个数应是 products 各项乘积的和。犯了哪一种错，正好得到 number：[一句话]。"""
    total = sum(a * b for a, b in products)
    found = []

    def try_on(value, words):
        if abs(number - value) <= tolerance and words not in found:
            found.append(words)

    real = [(a, b) for a, b in products if a * b]
    for count in range(1, len(real) + (number == 0)):  # 一项也没有加，是 0
        for some in itertools.combinations(real, count):
            names = "、".join(f"{write(a)} × {write(b)}" for a, b in some)
            try_on(total - sum(a * b for a, b in some), f"少加了 {names}。")
    for a, b in products:
        name, term = f"{write(a)} × {write(b)}", a * b
        if term:
            try_on(total - term + a, f"{name} 只写了 {write(a)}，没有乘 {write(b)}。")
            try_on(total - term + b, f"{name} 只写了 {write(b)}，没有乘 {write(a)}。")
            try_on(total + term, f"{name} 加了两次。")
            try_on(total - 2 * term, f"{name} 的正负号反了。")
            try_on(total + 9 * term, f"{name} 的小数点错了一位。")
            try_on(total - 0.9 * term, f"{name} 的小数点错了一位。")
        elif a or b:
            try_on(total + a + b, f"{name} 是 0，不是 {write(a + b)}。")
        try_on(total - term + a + b, f"{name} 是不是写成了加？这两个数要相乘。")
    sums = sum(a for a, _ in products), sum(b for _, b in products)
    try_on(sum(sums), "是不是把两个向量的数都加起来了？对应的数先相乘，再相加。")
    if abs(sums[0] - 1) < 1e-9:  # 权重
        try_on(sums[1], "是不是没有乘权重，就加起来了？")
    else:
        try_on(sums[0] * sums[1], "是不是先各自加起来再乘？先逐项乘，再加。")
    return found


def terms(which, exercise):
    """which 里的数各是哪几项乘积的和：一句话；题目没有写 products 就是空的。"""
    if not exercise.products:
        return ""
    said = []
    for i in which[:2]:
        real = "、".join(f"{write(a)} × {write(b)}" for a, b in exercise.products[i])
        said.append(f"第 {i + 1} 个数是 {real} 加起来：再算一遍。")
    return "".join(said)


def wrong_count(numbers, expected, exercise):
    """个数不对，数上看得出是怎样来的：一句话；看不出时是空的。"""
    near = exercise.tolerance
    products = [a * b for row in exercise.products for a, b in row]
    if len(numbers) == len(products) and np.allclose(numbers, products, rtol=0, atol=near):
        return "每一项的乘积都对；再把同一个数的几项加起来。"
    if len(numbers) == 1 and abs(numbers[0] - expected.sum()) <= near:
        return "是不是把几个数加成了一个？一个一个地写。"
    if len(numbers) < len(expected) and np.allclose(numbers, expected[: len(numbers)], rtol=0, atol=near):
        return "写出的都对，后面的还没有写。"
    if len(numbers) == 1 and np.abs(expected - numbers[0]).min() <= near:
        return "这是其中的一个，别的还没有写。"
    rows = numbers.reshape(-1, len(expected)) if numbers.size % len(expected) == 0 else expected[None]
    if len(rows) > 1 and np.allclose(rows.sum(axis=0), expected, rtol=0, atol=near):
        return "几行都对，还没有加起来：一列一列地加。"
    start = numbers[: len(expected)]
    if len(start) == len(expected) > 1 and np.allclose(start, expected, rtol=0, atol=near):
        return "开头的几个都对，后面多写的去掉。"
    if len(expected) == 1 and len(numbers) > 1:
        if abs(numbers.sum() - expected[0]) <= near:
            return "这几个数还没有加起来：只写最后的一个数。"
        if abs(numbers.prod() - expected[0]) <= near:
            return "这几个数还没有乘起来：只写最后的一个数。"
    return ""


def _softmax(values):
    exponentials = np.exp(values - np.max(values))
    return exponentials / exponentials.sum()


def _centred(values):
    return values - values.mean()


_OF_GIVEN = {  # 对题目里的数做的，不是题目要的
    "是不是把原来的数各自开了平方？": np.sqrt,
    "是不是把原来的数各自平方了？": np.square,
    "这是原来的数各自取 exp，不是题目要的。": np.exp,
    "是不是对原来的数做了 softmax？": _softmax,
    "是不是每个数除以了它们的和？": lambda v: v / v.sum(),
    "是不是每个数除以了最大的数？": lambda v: v / v.max(),
    "是不是做成了最小最大归一化（减去最小的，再除以最大与最小的差）？": lambda v: (v - v.min()) / np.ptp(v),
    "是不是没有减平均，只除以了平方的平均的平方根（那是 RMSNorm）？": lambda v: v / np.sqrt(np.mean(v * v)),
    "是不是除以了向量的长度（平方和的平方根）？": lambda v: v / np.linalg.norm(v),
    "减平均以后，是不是除以了距离的平均？要除以标准差。": lambda v: _centred(v) / np.abs(_centred(v)).mean(),
    "减平均以后，是不是除以了向量的长度？要除以标准差。": lambda v: _centred(v) / np.linalg.norm(_centred(v)),
    "减平均以后，是不是除以了个数？要除以标准差。": lambda v: _centred(v) / len(v),
    "这是原来的数。": lambda v: v,
}
_OF_RIGHT = {  # 算到对的数以后，又多做的一步
    "算到最后，是不是又套了一个 tanh？": np.tanh,
    "算到最后，是不是又套了一个 sigmoid？": lambda v: 1 / (1 + np.exp(-v)),
    "算到最后，是不是又做了一次 softmax？": _softmax,
    "算到最后，是不是又平方了？": np.square,
    "算到最后，是不是又开了平方？": np.sqrt,
    "这是 1 减去它。": lambda v: 1 - v,
}


def other_step(numbers, expected, exercise):
    """(名字, 一句话)：做成了别的归一化，多套了一个函数；看不出时是 None。"""
    given = np.asarray(exercise.given, float)
    starts = [(_OF_GIVEN, given)] if given.shape == numbers.shape else []
    if len(expected) > 1 and np.abs(expected).max() <= _SMALL:  # 再大的，套上 tanh、sigmoid 都成了 1
        starts.append((_OF_RIGHT, expected))
    for steps, values in starts:
        for words, step in steps.items():
            if np.allclose(numbers, step(values), rtol=0, atol=exercise.tolerance):
                return "other_step", words
    if given.shape != numbers.shape:
        return None
    for values, which in ((given, "原来的数"), (_centred(given), "减去平均以后的数")):
        if np.any(values) and (divisor := _divisor(numbers, values)):
            return "same_factor", f"你把{which}都除以了同一个数 {write(divisor)}：应当除以谁？"
    return None


def _divisor(numbers, given):
    ratio = (numbers @ given) / (given @ given)
    fits = abs(ratio) > 1e-6 and np.allclose(numbers, ratio * given, rtol=0.02, atol=1e-6)
    return round(1 / ratio, 2) if fits and abs(ratio - 1) > 0.02 else None


def shares(numbers, expected):
    """应是一行权重：加起来是不是 1，一句话；题目要的不是权重时是空的。"""
    if len(expected) < 2 or abs(expected.sum() - 1) > 0.01 or (expected < 0).any():
        return ""
    if abs(numbers.sum() - 1) > 0.02:
        return f"加起来是 {write(numbers.sum())}，不是 1：一行权重是各个 exp 除以它们的和。"
    return "加起来是 1，它们的比不对：权重的比就是 exp 的比，分数差多少，决定谁是谁的几倍。"

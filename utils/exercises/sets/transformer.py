"""练习：块和小语言模型。"""

import math

import numpy as np

from utils import block
from utils.exercises.other_ways import cell_values, in_cell, other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _halves(seed=1):
    rng = np.random.default_rng(seed)
    sizes = [(3, 4, 6), (5, 2, 3), (2, 6, 6)]
    return [
        (random_matrix(rng, n, d) + 1, random_matrix(rng, d, wide), random_matrix(rng, wide, d))
        for n, d, wide in sizes
    ]


def _fed(X, W_1, W_2):
    return np.maximum(0, X @ W_1) @ W_2


def _second_half(X, W_1, W_2):
    return X + _fed(block.layer_norm(X), W_1, W_2)


def _after_relu(change):
    """ReLU 换成 change。"""
    return lambda X, W_1, W_2: X + change(block.layer_norm(X) @ W_1) @ W_2


def _softmax(M):
    return np.exp(M - M.max(axis=1, keepdims=True)) / np.exp(M - M.max(axis=1, keepdims=True)).sum(
        axis=1, keepdims=True
    )


def _softmax_of_normed(d, spread):
    return np.exp(d / spread(d)) / np.exp(d / spread(d)).sum()


def _gelu(M):
    return M * (1 + np.vectorize(math.erf)(M / math.sqrt(2))) / 2


def _tanh_gelu(M):
    return M * (1 + np.tanh(math.sqrt(2 / math.pi) * (M + 0.044715 * M**3))) / 2


_OTHER_RELU = {
    "GELU": [_gelu, _tanh_gelu],
    "tanh": [np.tanh],
    "sigmoid": [lambda M: 1 / (1 + np.exp(-M))],
    "SiLU": [lambda M: M / (1 + np.exp(-M))],
    "LeakyReLU": [lambda M: np.where(M > 0, M, 0.01 * M)],
    "ELU": [lambda M: np.where(M > 0, M, np.expm1(M))],
    "绝对值": [np.abs],
    "softmax": [_softmax],
}
_FORMS = {  # 名字 -> (结果, 怎样说)；n 是归一化，f 是 W_1、ReLU、W_2
    "relu_outside": (
        lambda X, f, n, raw: np.maximum(0, X + raw(n(X))),
        "ReLU 套在最外面，加完以后才做：它在 W_1 和 W_2 中间。",
    ),
    "relu_first": (
        lambda X, f, n, raw: X + raw(np.maximum(0, n(X))),
        "ReLU 做早了：先乘 W_1，再做 ReLU，再乘 W_2。",
    ),
    "relu_after_sum": (
        lambda X, f, n, raw: np.maximum(0, X + f(n(X))),
        "加上 X 以后又做了一次 ReLU：加完就是输出。",
    ),
    "relu_both": (
        lambda X, f, n, raw: X + np.maximum(0, f(n(X))),
        "W_2 以后又做了一次 ReLU：只在 W_1 和 W_2 中间做一次。",
    ),
    "norm_after_feeding": (
        lambda X, f, n, raw: X + n(f(X)),
        "归一化做晚了：归一化的是 X，在前馈之前；你归一化的是前馈的结果。",
    ),
    "norm_twice": (
        lambda X, f, n, raw: X + n(f(n(X))),
        "前馈的结果又归一化了一次：只在前馈之前归一化。",
    ),
    "norm_both_raw": (
        lambda X, f, n, raw: n(X) + f(X),
        "归一化放错了地方：前馈收到的应是它，加上去的应是原来的 X。",
    ),
    "normed_after_raw_sum": (
        lambda X, f, n, raw: n(X) + n(f(X)),
        "归一化放错了地方：只有前馈收到的是归一化以后的 X，加上去的是原来的 X。",
    ),
    "residual_twice": (
        lambda X, f, n, raw: 2 * X + f(n(X)),
        "X 加了两次：残差只加一次。",
    ),
    "fed_twice": (lambda X, f, n, raw: X + 2 * f(n(X)), "前馈的结果加了两次。"),
    "subtracted": (lambda X, f, n, raw: X - f(n(X)), "减了前馈的结果：残差是加。"),
    "minus_X": (lambda X, f, n, raw: f(n(X)) - X, "减了 X：残差是加。"),
    "no_norm_no_residual": (
        lambda X, f, n, raw: f(X),
        "归一化和残差都没有：前馈收归一化以后的 X，最后加上 X。",
    ),
    "no_relu_no_residual": (
        lambda X, f, n, raw: raw(n(X)),
        "ReLU 和残差都没有：W_1 和 W_2 中间做 ReLU，最后加上 X。",
    ),
    "no_relu_no_norm": (lambda X, f, n, raw: X + raw(X), "ReLU 和归一化都没有。"),
    "added_normed_no_relu": (
        lambda X, f, n, raw: n(X) + raw(n(X)),
        "少了 ReLU；加上去的还是归一化过的 X，应是原来的 X。",
    ),
    "only_norm": (lambda X, f, n, raw: n(X), "只归一化了 X：还要过 W_1、ReLU、W_2，再加上 X。"),
    "norm_and_residual": (lambda X, f, n, raw: X + n(X), "没有过前馈：W_1、ReLU、W_2 用上了吗？"),
    "fed_the_sum": (lambda X, f, n, raw: f(X + n(X)), "残差加早了：它在前馈之后，加上 X。"),
    "mean_of_both": (lambda X, f, n, raw: (X + f(n(X))) / 2, "加完又除以了 2：残差只加，不平均。"),
    "run_twice": (
        lambda X, f, n, raw: X + f(n(X)) + f(n(X + f(n(X)))),
        "整个后一半做了两遍：只做一遍。",
    ),
}


def _form(make):
    return lambda X, W_1, W_2: make(X, lambda x: _fed(x, W_1, W_2), block.layer_norm, lambda x: x @ W_1 @ W_2)


def _unlike_layer_norm(normalise):
    return lambda X, W_1, W_2: X + _fed(normalise(X), W_1, W_2)


_OTHER_NORMS = {
    "over_columns": (
        lambda X: (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-5),
        "归一化沿着列做了：一个词元是一行，一行一行地归一化。",
    ),
    "over_everything": (
        lambda X: (X - X.mean()) / np.sqrt(X.var() + 1e-5),
        "整个矩阵一起归一化了：一行一行地做。",
    ),
    "n_minus_one": (
        lambda X: (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, ddof=1, keepdims=True),
        "标准差除的是 d − 1：层归一化除以个数，用 nn.LayerNorm 就对。",
    ),
    "root_mean_square": (
        lambda X: X / np.sqrt((X**2).mean(axis=1, keepdims=True) + 1e-5),
        "归一化时没有减平均（RMSNorm）：用 nn.LayerNorm。",
    ),
    "only_centred": (
        lambda X: X - X.mean(axis=1, keepdims=True),
        "归一化只减了平均，没有除以标准差。",
    ),
    "softmaxed": (_softmax, "归一化用成了 softmax：用 nn.LayerNorm。"),
    "unit_length": (
        lambda X: X / np.linalg.norm(X, axis=1, keepdims=True),
        "归一化除的是长度，也没有减平均：用 nn.LayerNorm。",
    ),
}


def _module(X, W_1, W_2):
    return W_1.shape, {"W_1.weight": W_1.T, "W_2.weight": W_2.T}, X


_NORM_ROW = np.array([1, 3, 5, 7])
_NORM_WAYS = other_ways(
    lambda middle, spread, change: change(_NORM_ROW - middle, spread),
    {"middle": 4, "spread": np.std, "change": lambda d, spread: d / spread(d)},
    {
        "middle": [
            ("not_centred", 0, "是不是没有先减平均？"),
            ("less_smallest", 1, "减的是不是最小的 1？要减平均。"),
            ("less_largest", 7, "减的是不是最大的 7？要减平均。"),
            ("less_third", 3, "减的是不是 3？四个数的平均是多少？"),
            ("less_third", 5, "减的是不是 5？四个数的平均是多少？"),
            ("less_third", 16 / 3, "求平均时是不是除以了 3？有四个数。"),
            ("less_sum", 16, "减的是不是四个数的和？要减平均。"),
        ],
        "spread": [
            ("divided_by_variance", np.var, "除以的是不是方差？还要开方。"),
            ("n_minus_one", lambda d: np.std(d, ddof=1), "平方和是不是除以了 3？有四个数，除以 4。"),
            ("variance_n_minus_one", lambda d: np.var(d, ddof=1), "除以的是不是方差，而且平方和除以了 3？"),
            ("divided_by_length", np.linalg.norm, "平方和是不是没有除以 4，就开了方？"),
            ("sum_of_squares", lambda d: (d**2).sum(), "除以的是不是平方和？先除以 4，再开方。"),
            ("mean_distance", lambda d: np.abs(d - d.mean()).mean(), "除以的是不是距离的平均？要先平方。"),
            ("total_distance", lambda d: np.abs(d - d.mean()).sum(), "除以的是不是距离的和？先平方再平均。"),
            ("divided_by_largest", lambda d: np.abs(d).max(), "是不是除以了最大的差？要除以标准差。"),
            ("divided_by_range", np.ptp, "是不是除以了最大与最小的差？要除以标准差。"),
            ("divided_by_count", len, "是不是除以了个数 4？要除以标准差。"),
            ("by_mean_of_row", lambda d: 4, "是不是除以了 4？要除以标准差。"),
            ("root_of_count", lambda d: 2, "是不是除以了 √4？要除以标准差。"),
            ("divided_by_total", lambda d: 16, "是不是除以了四个数的和？要除以标准差。"),
            ("root_mean_square", lambda d: np.sqrt((d**2).mean()), "除以的是不是没有减平均的均方根？"),
            ("root_mean_square", lambda d: 21**0.5, "除以的是不是没有减平均的均方根？"),
            ("divided_by_sum", lambda d: d.sum() or 1, "是不是除以了它们的和？"),
            ("half_spread", lambda d: 2 * np.std(d), "标准差是不是多乘了 2？"),
            ("divided_by_three", lambda d: 3, "是不是除以了 3？要除以标准差。"),
            ("divided_by_ten", lambda d: 10, "平方的平均是不是算成了 100，或者 20 除以 2？"),
            ("root_of_ten", lambda d: np.sqrt(10), "平方的平均是不是算成了 10？9、1、1、9 加起来除以 4。"),
        ],
        "change": [
            ("only_centred", lambda d, spread: d, "是不是没有除以标准差？"),
            ("multiplied", lambda d, spread: d * spread(d), "是不是乘了标准差？要除。"),
            ("squares", lambda d, spread: d**2, "这是平方。它们的平均开方，才是标准差；除的是减完的数。"),
            ("squares_divided", lambda d, spread: d**2 / spread(d) ** 2, "除的是减完的数，不是它们的平方。"),
            ("squares_divided", lambda d, spread: d**2 / spread(d), "除的是减完的数，不是它们的平方。"),
            ("distances", lambda d, spread: np.abs(d) / spread(d), "减完的正负号要留着。"),
            ("distances", lambda d, spread: np.abs(d), "减完的正负号要留着，再除以标准差。"),
            ("divided_then_shifted", lambda d, spread: d / spread(d) + 4, "是不是又加回了平均？"),
            ("in_halves", lambda d, spread: (d / spread(d) + 1) / 2, "归一化以后不用再挪到 0 和 1 之间。"),
            ("softmaxed", lambda d, spread: np.exp(d) / np.exp(d).sum(), "是不是做了 softmax？"),
            ("softmaxed", _softmax_of_normed, "归一化以后是不是又做了 softmax？"),
            ("row_over_spread", lambda d, spread: _NORM_ROW / spread(d), "除的是不是原来的数？用减完的数。"),
            ("signs", lambda d, spread: np.sign(d), "只留了正负号：减完的数要除以标准差。"),
        ],
    },
)

_TABLE = 128 * 64  # 位置的表
_CELLS_OF_MODEL = [
    *in_cell(
        0,
        other_ways(
            lambda matrices, rows, columns, more: matrices * rows * columns + more,
            {"matrices": 4, "rows": 64, "columns": 64, "more": 0},
            {
                "matrices": [
                    ("without_output", 3, "是不是少了 W_O？"),
                    ("one_matrix", 1, "是不是只算了一个投影？一共四个。"),
                    ("two_matrices", 2, "是不是只算了两个投影？一共四个。"),
                    ("times_heads", 16, "是不是又乘了 4 个头？切成几个头，参数不变。"),
                    ("times_heads", 13, "三个投影是不是各乘了 4 个头？切成几个头，参数不变。"),
                    ("twelve", 12, "是不是又乘了 3？四个投影已经都在里面。"),
                    ("two_blocks", 8, "是不是算了两个块？问的是一个块。"),
                ],
                "rows": [("wide_rows", 256, "投影是 64 × 64，256 是前馈中间的宽度。")],
                "columns": [
                    ("one_head", 16, "是不是只算了一个头的列？每个投影是 64 × 64。"),
                    ("not_squared", 1, "一个投影有 64 × 64 个数，不是 64 个。"),
                    ("added", 2, "一个投影有 64 × 64 个数，不是 64 + 64。"),
                ],
                "more": [("bias", 256, "是不是算上了偏置？这里不算。")],
            },
        ),
    ),
    *in_cell(
        1,
        other_ways(
            lambda matrices, rows, columns, more: matrices * rows * columns + more,
            {"matrices": 2, "rows": 64, "columns": 256, "more": 0},
            {
                "matrices": [
                    ("one_matrix", 1, "是不是只算了一个矩阵？前馈有 W_1 和 W_2 两个。"),
                    ("three_matrices", 3, "前馈有两个矩阵，是不是算了三个？"),
                    ("two_blocks", 4, "是不是算了两个块？问的是一个块。"),
                    ("times_heads", 8, "是不是又乘了 4 个头？前馈与头无关。"),
                ],
                "rows": [("wide_rows", 256, "前馈的矩阵是 64 × 256 和 256 × 64，不是 256 × 256。")],
                "columns": [
                    ("narrow", 64, "前馈的矩阵是 64 × 256 和 256 × 64，不是 64 × 64。"),
                    ("not_multiplied", 1, "一个矩阵的个数是行数乘列数。"),
                    ("wider", 1024, "中间的宽度就是 d_ff = 256，不用再乘 4。"),
                ],
                "more": [("bias", 256 + 64, "是不是算上了偏置？这里不算。")],
            },
        ),
    ),
    *cell_values(
        2,
        {
            1000: "这是几种词元。每种词元是一行，一行有几个数？",
            64: "这是一行的宽度。一共有几种词元？",
            1000**2: "一行的宽度是 d_model，不是词元的种数。",
            1000 * 256: "一行的宽度是 d_model，不是 d_ff。",
            128000: "字表数了两次：读出与字表共用一张。",
            8192: "这是位置的表。问的是字表：1000 种词元。",
            1064: "是不是加了？行数乘列数。",
            1000 * 16: "一行的宽度是 d_model，不是一个头的宽度。",
            6400: "1000 × 64 后面有几个 0？",
            640000: "1000 × 64 后面有几个 0？",
            64064: "是不是算上了偏置？这里不算。",
            (lambda c: 64000 + 128): "位置的表另算，不在字表里。",
        },
    ),
    *cell_values(
        3,
        {
            (lambda c: _TABLE + 2 * (c[0] + c[1])): "少了字表。",
            (lambda c: c[2] + 2 * _TABLE + 2 * (c[0] + c[1])): "位置的表是不是数了两次？",
            (lambda c: c[2] + 128 + 2 * (c[0] + c[1])): "位置的表有 128 行，一行 64 个数，不是 128 个数。",
            (lambda c: c[2] + 2 * _TABLE + 4 * (c[0] + c[1])): "块是不是数了 4 个？一共 2 个。",
            (lambda c: c[2] + _TABLE + 4 * (c[0] + c[1])): "块是不是数了 4 个？4 是头数，块有 2 个。",
            (lambda c: c[2] + _TABLE + 3 * (c[0] + c[1])): "块是不是数了 3 个？一共 2 个。",
            (lambda c: 2 * (c[2] + _TABLE + c[0] + c[1])): "是不是整个乘了 2？字表和位置各一张。",
            (lambda c: c[2] + _TABLE + 2 * c[0] + c[1]): "前馈只算了一个块的，一共 2 个块。",
            (lambda c: c[2] + _TABLE + c[0] + 2 * c[1]): "投影只算了一个块的，一共 2 个块。",
            (lambda c: c[2] + _TABLE + 2 * c[0]): "是不是漏了前馈？",
            (lambda c: c[2] + _TABLE + 2 * c[1]): "是不是漏了投影？",
            (lambda c: c[2] + c[0] + c[1]): "只算了一个块，也没有算位置的表。",
            (lambda c: c[0] + c[1]): "这是一个块的。还有一个块、字表和位置。",
            (lambda c: 2 * c[2] + 2 * (c[0] + c[1])): "字表数了两次，也没有算位置的表。",
            (lambda c: 2 * c[2] + _TABLE + c[0] + c[1]): "字表数了两次，块只算了一个。",
            (lambda c: c[2] + _TABLE): "两个块还没有算。",
            (lambda c: sum(c[:3])): "块有两个；位置的表也要算。",
            # 自己前面的一格错了，又再错一样
            (lambda c: c[2] + _TABLE + c[0] + c[1]): "只算了一个块，一共 2 个。",
            (lambda c: c[2] + 2 * (c[0] + c[1])): "少了位置的那张表。",
            (lambda c: 2 * c[2] + _TABLE + 2 * (c[0] + c[1])): "字表数了两次：读出与字表共用一张。",
        },
    ),
    *cell_values(
        4,
        {
            128: "ReLU 只把负的变成 0，个数不变。前馈中间有多宽？",
            512: "一个词元一行。前馈中间有多宽？",
            320: "是不是加了 64 和 256？问的是中间的宽度。",
            16384: "这像是一个矩阵的个数。问的是一个词元有几个数。",
            16: "这是一个头的宽度。前馈中间有多宽？",
            4: "问的是一个词元有几个数，不是几倍。",
            32768: "这是前馈的参数。问的是一个词元有几个数。",
            1: "一个词元是一行数。前馈中间有多宽？",
            192: "问的是中间的宽度：d_ff。",
            0: "ReLU 只把负的变成 0，个数不变。",
        },
    ),
    *in_cell(
        5,
        other_ways(
            lambda kinds, blocks, width, size, more: kinds * blocks * width * size * more,
            {"kinds": 2, "blocks": 2, "width": 64, "size": 2, "more": 1},
            {
                "kinds": [
                    ("only_K", 1, "是不是只算了 K？K 和 V 都留着。"),
                    ("with_Q", 3, "是不是把 Q 也算上了？留着的只有 K 和 V。"),
                ],
                "blocks": [
                    ("one_block_kept", 1, "是不是只算了一个块？每个块都留着自己的。"),
                    ("four_blocks", 4, "4 是头数，块有 2 个。"),
                ],
                "width": [
                    ("one_head_kept", 16, "是不是只算了一个头的 16 个数？几个头加起来是 64。"),
                    ("wide_kept", 256, "留着的是 K 和 V，宽 64，不是前馈的 256。"),
                ],
                "size": [
                    ("numbers_kept", 1, "是不是没有乘 2 字节？"),
                    ("four_bytes", 4, "一个数是 2 字节，是不是按 4 字节算了？"),
                    ("bits", 16, "2 字节就是 2，不用换成 16 位。"),
                ],
                "more": [
                    ("times_heads", 4, "是不是又乘了 4 个头？几个头加起来才是 64。"),
                    ("all_tokens", 128, "问的是一个词元，不是 128 个。"),
                ],
            },
        ),
    ),
]

EXERCISES = [
    Exercise(
        id="pencil_layer_norm",
        title="一行层归一化",
        kind="number",
        reference=[-1.3416, -0.4472, 0.4472, 1.3416],
        given=[1, 3, 5, 7],
        also=_NORM_WAYS,
        mistakes=[
            Mistake("only_centred", [-3, -1, 1, 3], "减对了平均。还差一步：除以标准差。"),
            Mistake("divided_by_variance", [-0.6, -0.2, 0.2, 0.6], "除以的是方差。标准差还要开方。"),
            Mistake(
                "n_minus_one",
                [-1.1619, -0.3873, 0.3873, 1.1619],
                "平方和是不是除以了 3？层归一化除以个数，这里是 4。",
            ),
            Mistake("not_centred", [0.4472, 1.3416, 2.2361, 3.1305], "除对了标准差，可是没有先减平均。"),
            Mistake("divided_by_largest", [-1, -0.3333, 0.3333, 1], "是不是除以了最大的差？要除以标准差。"),
            Mistake("shares", [0.0625, 0.1875, 0.3125, 0.4375], "这是各占多少。归一化以后，平均是 0。"),
        ],
        hints=[
            "三步：求平均，各减平均，除以标准差。",
            "减完是 −3、−1、1、3。平方的平均是多少？开方呢？",
        ],
        solution="answer = np.array([-3, -1, 1, 3]) / np.sqrt(5)",
        why="平均 4，减完是 −3、−1、1、3，平方 9、1、1、9 的平均是 5，除以 √5 ≈ 2.2361。",
    ),
    Exercise(
        id="order_block",
        title="一个块里的次序",
        kind="order",
        reference="CFBEAD",
        mistakes=[
            Mistake("heads_first", "FCBEAD", "先归一化的块：几个头收到的，是归一化以后的 X。"),
            Mistake("added_first", "CBFEAD", "加上 X 的是几个头算出的数：这时候还没有。"),
            Mistake("normed_first", "CFEBAD", "要归一化的是 X′：加上 X 以后才有它。"),
            Mistake("fed_first", "CFBAED", "先归一化的块：前馈收到的，是归一化以后的 X′。"),
            Mistake("output_first", "CFBEDA", "加上 X′ 的是前馈算出的数：这时候还没有。"),
        ],
        hints=["公式的两行，先做第一行，括号里的先做。", "每一行都是三步：归一化，算出新的数，加上原来的。"],
        solution='order = "CFBEAD"',
        why="X′ = X + Heads(LN(X))：归一化 X，过几个头，加上 X。Y = X′ + FFN(LN(X′))：归一化 X′，过前馈，"
        "加上 X′。",
    ),
    Exercise(
        id="half_block",
        title="块的后一半",
        kind="module",
        arguments=("X", "W_1", "W_2"),
        inputs=_halves,
        shape="(n, d_model)",
        reference=_second_half,
        module=_module,
        also=[
            *(
                Mistake("other_than_relu", _after_relu(each), f"W_1 和 W_2 中间用的是{name}：题目用 ReLU。")
                for name, changes in _OTHER_RELU.items()
                for each in changes
            ),
            *(Mistake(name, _form(make), said) for name, (make, said) in _FORMS.items()),
            *(Mistake(name, _unlike_layer_norm(norm), said) for name, (norm, said) in _OTHER_NORMS.items()),
        ],
        mistakes=[
            Mistake(
                "added_normed",
                lambda X, W_1, W_2: block.layer_norm(X) + _fed(block.layer_norm(X), W_1, W_2),
                "加上去的是归一化过的 X：X 的大小丢了。蓝线应当把原来的 X 原样送过去。",
            ),
            Mistake(
                "no_residual",
                lambda X, W_1, W_2: _fed(block.layer_norm(X), W_1, W_2),
                "什么也没有加。残差要加上一个东西，是哪一个？",
            ),
            Mistake(
                "no_norm",
                lambda X, W_1, W_2: X + _fed(X, W_1, W_2),
                "加对了，可是前馈收到的应是归一化以后的 X。",
            ),
            Mistake(
                "no_relu",
                lambda X, W_1, W_2: X + block.layer_norm(X) @ W_1 @ W_2,
                "X 加对了，可是少了 ReLU：两个矩阵中间，负数要先变成 0。",
            ),
            Mistake(
                "relu_last",
                lambda X, W_1, W_2: X + np.maximum(0, block.layer_norm(X) @ W_1 @ W_2),
                "ReLU 做晚了：它在 W_1 和 W_2 中间。",
            ),
            Mistake(
                "added_twice",
                lambda X, W_1, W_2: _second_half(X, W_1, W_2) + block.layer_norm(X),
                "加了两样：X，和归一化以后的 X。残差只加一样，是哪一个？",
            ),
            Mistake(
                "multiplied",
                lambda X, W_1, W_2: X * _fed(block.layer_norm(X), W_1, W_2),
                "残差是加，不是乘。",
            ),
            Mistake(
                "norm_last",
                lambda X, W_1, W_2: block.layer_norm(X + _fed(X, W_1, W_2)),
                "这是后归一化的次序。题目是先归一化。",
            ),
            Mistake(
                "norm_both",
                lambda X, W_1, W_2: block.layer_norm(_second_half(X, W_1, W_2)),
                "加完以后又归一化了一次。先归一化的块，加完就是输出。",
            ),
        ],
        hints=[
            "`__init__` 里三个零件：nn.LayerNorm(d_model)、两个 nn.Linear，都写 bias=False 的是哪两个？",
            "对着地图看蓝线：它从哪里出发，路上经过归一化吗？ReLU 写 torch.relu(…)。",
        ],
        solution="class MySecondHalf(nn.Module):\n"
        "    def __init__(self, d_model, d_ff):\n"
        "        super().__init__()\n"
        "        self.norm = nn.LayerNorm(d_model)\n"
        "        self.W_1 = nn.Linear(d_model, d_ff, bias=False)\n"
        "        self.W_2 = nn.Linear(d_ff, d_model, bias=False)\n\n"
        "    def forward(self, X):\n"
        "        hidden = torch.relu(self.W_1(self.norm(X)))\n"
        "        return X + self.W_2(hidden)",
        why="先归一化，再过 W_1、ReLU、W_2，最后加上原来的 X。加归一化以后的，X 的大小就丢了，"
        "每一块都重新开始，蓝线断了。",
    ),
    Exercise(
        id="model_table",
        title="数一个模型",
        kind="table",
        items=("①", "②", "③", "④", "⑤", "⑥"),
        reference=[16384, 32768, 64000, 170496, 256, 512],
        tolerance=0.5,
        also=_CELLS_OF_MODEL,
        carried=lambda c: [None, None, None, c[2] + 128 * 64 + 2 * (c[0] + c[1]), None, None],
        mistakes=[
            Mistake(
                "without_output",
                [12288, 32768, 64000, 170496, 256, 512],
                "投影有几个？W_Q、W_K、W_V 之外，还有一个。",
            ),
            Mistake(
                "one_matrix",
                [4096, 16384, 64000, 170496, 256, 512],
                "这是一个矩阵的。投影有四个，前馈有两个矩阵。",
            ),
            Mistake(
                "times_heads",
                [65536, 131072, 64000, 170496, 1024, 2048],
                "要不要再乘 4 个头？切成几个头，只是把列分给它们。",
            ),
            Mistake(
                "with_positions", [16384, 32768, 72192, 170496, 256, 512], "位置的那张表另算，不在字表里。"
            ),
            Mistake("one_block", [16384, 32768, 64000, 121344, 256, 512], "只算了一个块，一共 2 个。"),
            Mistake(
                "forgot_a_factor",
                [16384, 32768, 64000, 170496, 256, 256],
                "正好是一半。K 和 V 两样，2 个块，一个数 2 字节：是不是漏了一个 2？",
            ),
            Mistake(
                "not_shared", [16384, 32768, 64000, 234496, 256, 512], "字表数了两次：读出与字表共用一张。"
            ),
            Mistake("no_positions", [16384, 32768, 64000, 162304, 256, 512], "少了位置的那张表。"),
            Mistake(
                "only_blocks", [16384, 32768, 64000, 98304, 256, 512], "这是两个块。字表和位置也是参数。"
            ),
            Mistake(
                "already_back",
                [16384, 32768, 64000, 170496, 64, 512],
                "乘 W_2 以后才变回这么宽。问的是中间。",
            ),
            Mistake(
                "one_row",
                [16384, 32768, 64000, 170496, 256, 128],
                "漏了两个 2。K 和 V 两样，2 个块，一个数 2 字节。",
            ),
            Mistake(
                "four_bytes",
                [16384, 32768, 64000, 170496, 256, 1024],
                "正好两倍：一个数是 2 字节，不是 4 字节；留着的只有 K 和 V，没有 Q。",
            ),
            Mistake("bias", [16640, 33088, 64000, 170496, 256, 512], "是不是算上了偏置？这里不算。"),
        ],
        hints=[
            "四个投影，每个 64 × 64；前馈两个矩阵：64 × 256 和 256 × 64。一个块是它们的和。",
            "整个模型：字表、位置的表、两个块。缓存：K 和 V 两样 × 2 个块 × 64 个数 × 2 字节。",
        ],
        solution="heads, wide, characters = 4 * 64 * 64, 2 * 64 * 256, 1000 * 64\n"
        "whole = characters + 128 * 64 + 2 * (heads + wide)\n"
        "cells = [heads, wide, characters, whole, 256, 2 * 2 * 64 * 2]",
        why="四个投影 4 × 64² = 16 384，前馈 2 × 64 × 256 = 32 768；字表 64 000，位置 8192，两个块 98 304，"
        "一共 170 496。"
        "前馈中间宽 d_ff = 256。每个词元留 K 和 V 各一行，2 个块，2 × 2 × 64 × 2 = 512 字节。"
        "头数哪里也用不到。",
    ),
    Exercise(
        id="reading_losses",
        title="背了没有",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("lower_is_better", "A", "训练的损失低，可以只是背下了原文。没见过的故事呢？"),
            Mistake("train_longer", "C", "再训练，留出的损失先降后升：图里 120 步以后往哪边走？"),
            Mistake("always_higher", "D", "高一点不要紧，要看高多少，还要与看前一个字的 2.08 比。"),
        ],
        hints=["哪一个损失说的是没见过的故事？", "0.2385 是把训练故事全背下来的损失。谁离它近？"],
        solution='choice = "B"',
        why="乙的训练损失 0.26 已接近全背下来的 0.2385，留出的却是 0.86，比甲的 0.53 高："
        "它在背，没见过的故事猜得不如甲。",
    ),
    Exercise(
        id="reading_cache",
        title="留什么",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("training", "A", "写字时不训练，参数不变。"),
            Mistake("bigger", "C", "Q、K、V 的行数一样；不用 GQA 时，宽也一样。"),
            Mistake("masked", "D", "遮罩遮的是分数里的格，不是 Q。"),
        ],
        hints=["新字要得到一行输出，要用到谁的查询、谁的键和值？", "前面各字的输出还要再算吗？"],
        solution='choice = "B"',
        why="新的一行 = 新字的查询，对所有的键打分，混合所有的值。旧的 K、V 每步都用，旧的 Q 再也不用。",
    ),
]

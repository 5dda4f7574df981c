"""练习：加权求和。"""

import numpy as np

from utils import attention
from utils.exercises.other_ways import cell_values, other_ways
from utils.exercises.random_inputs import random_matrix, random_weights
from utils.exercises.records import Exercise, Mistake


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_weights(rng, 3, 5), random_matrix(rng, 5, 2)),
        (random_weights(rng, 2, 4), random_matrix(rng, 4, 6)),
        (
            random_weights(rng, 4, 4),
            random_matrix(rng, 4, 4),
        ),  # 大小都相同：次序写反了也能算，用来认出是哪种错
    ]


_V = np.array([[4, 0], [0, 2], [2, 4]])
_WRONG_ROW = "第一问：权重 1 在第 3 个，取 V 的第 3 行。"
_EXTREME_WAYS = other_ways(
    lambda one, even: np.concatenate([one, even]),
    {"one": _V[2], "even": _V.mean(axis=0)},
    {
        "one": [
            ("first_row", _V[0], f"{_WRONG_ROW}你取的像是第 1 行。"),
            ("column_of_V", _V[1], f"{_WRONG_ROW}你取的像是第 2 行。"),
            ("first_column", _V[[0, 2], 0], f"{_WRONG_ROW}你取的像是一列里的数。"),
            ("first_column", _V[[2, 2], 0], f"{_WRONG_ROW}一行有两个不同的数。"),
            ("second_column", _V[1:, 1], f"{_WRONG_ROW}你取的像是一列里的数。"),
            ("turned_row", _V[2, ::-1], "第一问：一行里的两个数，先后写反了。"),
            ("last_of_columns", _V[[0, 2], [1, 1]], f"{_WRONG_ROW}你取的像是一列里的数。"),
            ("the_weights", [0, 1], "第一问：写的像是权重，不是输出。"),
            ("the_weights", [0, 0], "第一问：前两个权重是 0，第 3 个是 1：第 3 行不是 0。"),
            ("all_added", _V.sum(axis=0), "第一问：三行都加进去了，可是前两行的权重是 0。"),
            ("evened", _V.mean(axis=0), "第一问：是不是也取了平均？权重是 0、0、1。"),
            ("a_third", _V[2] / 3, "第一问：是不是也除以了 3？第 3 个权重是 1。"),
            ("row_total", [_V[2].sum(), _V[2].sum()], "第一问：是不是把一行加起来了？一列一个数。"),
        ],
        "even": [
            ("not_divided", _V.sum(axis=0), "第二问：是不是忘了乘 1/3？"),
            ("divided_by_two", _V.sum(axis=0) / 2, "第二问：是不是除以了 2？三行，除以 3。"),
            ("divided_by_six", _V.sum(axis=0) / 6, "第二问：是不是除以了 6？三行，除以 3。"),
            ("divided_twice", _V.sum(axis=0) / 9, "第二问：是不是除了两次 3？"),
            ("divided_by_four", _V.sum(axis=0) / 4, "第二问：是不是除以了 4？三行，除以 3。"),
            ("a_third_early", 0.33 * _V.sum(axis=0), "第二问：1/3 是不是先写成了 0.33？先加，再除以 3。"),
            ("a_third_early", 0.3 * _V.sum(axis=0), "第二问：1/3 是不是先写成了 0.3？先加，再除以 3。"),
            ("last_row_again", _V[2], "第二问：写的还是第 3 行。三行各取 1/3，再加起来。"),
            ("one_row", _V[0], "第二问：写的是第 1 行。三行各取 1/3，再加起来。"),
            ("one_row", _V[1], "第二问：写的是第 2 行。三行各取 1/3，再加起来。"),
            ("the_weights_again", [1 / 3, 1 / 3], "第二问：写的是权重，不是输出。"),
            ("row_means", _V[:2].mean(axis=1), "第二问：是不是在一行里取了平均？要一列一列地加。"),
            ("row_means", _V[1:].mean(axis=1), "第二问：是不是在一行里取了平均？要一列一列地加。"),
            ("two_rows", _V[:2].sum(axis=0) / 3, "第二问：是不是漏了第 3 行？"),
            ("two_rows", _V[1:].sum(axis=0) / 3, "第二问：是不是漏了第 1 行？"),
            ("two_rows", _V[::2].sum(axis=0) / 3, "第二问：是不是漏了第 2 行？0 也算一份。"),
            ("largest", _V.max(axis=0), "第二问：取的像是每一列最大的。要三行各取 1/3，再加。"),
            ("in_order", np.sort(_V, axis=0)[1], "第二问：取的像是每一列中间的一个。要加起来除以 3。"),
        ],
    },
)

_SIZES = {  # 数 -> 它是谁的大小
    10: "10 是 X 的列数 d_model",
    4: "4 是 Q 和 K 的列数 d_k",
    3: "3 是 V 的列数 d_v",
    6: "6 是词元数，是行数",
    1: "1 是一行权重的和，不是列数",
    7: "列数不是两个宽度加起来",
    14: "列数不是两个宽度加起来",
    13: "列数不是两个宽度加起来",
    2: "2 是形状里有几个数，不是列数",
    5: "5 是一共几个矩阵",
    **dict.fromkeys([12, 18, 24, 30, 36, 40, 60, 100, 16], "这像是两个大小乘起来：问的只是列数"),
}
_WHOSE = [
    "Q 的列数看 W_Q。",
    "V 的列数看 W_V。",
    "一列是一个键，一个词元一个键。",
    "与 scores 一样大：softmax 不改变形状。",
    "按权重取来的是值，列数跟着 V。",
]


EXERCISES = [
    Exercise(
        id="pencil_extremes",
        title="两个极端",
        kind="number",
        reference=[2, 4, 2, 2],
        also=_EXTREME_WAYS,
        products=[
            *[[(0, 4), (0, 0), (1, 2)], [(0, 0), (0, 2), (1, 4)]],
            *[[(1 / 3, 4), (1 / 3, 0), (1 / 3, 2)], [(1 / 3, 0), (1 / 3, 2), (1 / 3, 4)]],
        ],
        mistakes=[
            Mistake("first_row", [4, 0, 2, 2], "权重 1 在第 3 个，取出的是 V 的第几行？"),
            Mistake("column_taken", [2, 2, 4, 2], "四个数的次序：先写第一问的两个数，再写第二问的两个。"),
            Mistake("not_divided", [2, 4, 6, 6], "第二问：三个权重都是 1/3，加起来以后还要乘 1/3。"),
            Mistake(
                "column_of_V",
                [0, 2, 2, 2],
                "这是第 2 行，或者是一列里的数。权重 1 在第 3 个：取出 V 的哪一行？",
            ),
            Mistake(
                "divided_by_two", [2, 4, 3, 3], "三行各取三分之一，除以的是 3。“(0, 2)” 这一行也算一份。"
            ),
            Mistake(
                "rows_averaged",
                [2, 4, 2, 1, 3],
                "第二问是不是在每一行里取平均？三个权重各乘一整行，再加起来：得到的是两个数。",
            ),
            Mistake(
                "rows_averaged_only",
                [2, 1, 3],
                "是不是在每一行里取平均？权重各乘一整行，再加起来：一问得到两个数。",
            ),
        ],
        hints=[
            "权重是 [0, 0, 1] 时，前两行乘 0，第 3 行乘 1。",
            "三个权重都是 1/3：一列一列地加起来，再除以 3。",
        ],
        solution="V = np.array([[4, 0], [0, 2], [2, 4]])\n"
        "answer = [*(np.array([0, 0, 1]) @ V), *V.mean(axis=0)]",
        why="one-hot 的权重取出一行，(2, 4)；相等的权重得到平均，(4 + 0 + 2)/3 = 2，(0 + 2 + 4)/3 = 2。",
    ),
    Exercise(
        id="reading_hull",
        title="输出能不能落在边上",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake("equal_scores", "A", "两个分数相等，两个权重就相等；可是第三个权重是 0 吗？"),
            Mistake("zero_weights", "B", "e 的任何次方都大于 0。分数是有限的数时，权重能等于 0 吗？"),
            Mistake("negative_scores", "D", "分数可以是负数，权重呢？exp 以后还有负数吗？"),
        ],
        hints=[
            "在边上，说明有一个权重等于 0。",
            "softmax 的权重是 exp 除以一个正数。exp 能等于 0 吗？",
        ],
        solution='choice = "C"',
        why="落在边上，要有一个权重等于 0；e 的任何次方都大于 0，所以 softmax 的权重都大于 0。"
        "只有被遮住的键（分数是 −∞）权重才是 0，那时输出才会落在边上。",
    ),
    Exercise(
        id="weighted_sum",
        title="写出加权求和",
        kind="step",
        arguments=("weights", "V"),
        inputs=_inputs,
        shape="(n_q, d_v)",
        reference=attention.weighted_sum,
        without=("weighted_sum",),
        mistakes=[
            Mistake(
                "order_swapped",
                lambda weights, V: V @ weights,
                "是不是写成了 V @ weights？那样混合的是 V 的列。要混合 V 的行，权重该在哪一边？",
            ),
            Mistake(
                "weights_transposed",
                lambda weights, V: weights.T @ V,
                "是不是转置了 weights？那样用的是它的列，列的和不是 1。行才是一个查询的权重。",
            ),
            Mistake(
                "V_transposed",
                lambda weights, V: weights @ V.T,
                "是不是转置了 V？打分时转置 K，是要让行与行做点积；这里要混合的正是 V 的行。",
            ),
            Mistake(
                "elementwise",
                lambda weights, V: weights * V,
                "是不是用了 *？* 是同一格相乘，没有把各行加起来。",
            ),
            Mistake(
                "result_transposed",
                lambda weights, V: (weights @ V).T,
                "数都对，行和列反了：收到 {shape}，应是 {expected_shape}。",
            ),
            Mistake(
                "plain_mean",
                lambda weights, V: np.tile(V.mean(axis=0), (len(weights), 1)),
                "每一行都一样：是不是对 V 取了平均，没有用权重？",
            ),
            Mistake(
                "plain_sum",
                lambda weights, V: np.tile(V.sum(axis=0), (len(weights), 1)),
                "每一行都一样：是不是把 V 的各行直接加起来，没有乘权重？",
            ),
            Mistake(
                "picked_largest",
                lambda weights, V: V[weights.argmax(axis=1)],
                "每一行都是 V 的某一行：是不是只取了权重最大的那个值？输出是混合。",
            ),
            Mistake(
                "first_query_only",
                lambda weights, V: weights[0] @ V,
                "只算了第 1 个查询，收到形状 {shape}。每个查询都要有一行。",
            ),
            Mistake(
                "divided_again",
                lambda weights, V: weights @ V / len(V),
                "是不是又除以了 n_k？权重加起来已经是 1，不用再平均。",
            ),
            Mistake(
                "softmax_again",
                lambda weights, V: attention.softmax(weights) @ V,
                "是不是对权重又做了一次 softmax？它们已经是权重了。",
            ),
            Mistake(
                "column_shares",
                lambda weights, V: weights / weights.sum(axis=0) @ V,
                "是不是让权重的每一列加起来等于 1 了？一行权重才属于一个查询。",
            ),
            Mistake(
                "summed_queries",
                lambda weights, V: weights.sum(axis=0)[:, None] * V,
                "是不是沿错了方向求和？该对键求和，你对查询求和了。",
            ),
            Mistake(
                "rounded_weights",
                lambda weights, V: np.round(weights, 2) @ V,
                "是不是太早舍入了？权重先写成两位小数，误差会乘上 V，进到结果里。",
            ),
            Mistake(
                "returned_weights",
                lambda weights, V: weights + 0.0,
                "返回的是权重本身。它们要用来混合 V 的各行。",
            ),
        ],
        hints=[
            "第 i 行输出 = Σ_j weights[i, j] × V 的第 j 行。",
            "先看形状：(n_q, n_k) 和 (n_k, d_v) 怎样放，中间的两个数才对得上？",
            "整个循环是一次矩阵乘法，不用转置。",
        ],
        solution="def my_weighted_sum(weights, V):\n    return weights @ V",
        why="weights 的一行是一个查询的权重，它与 V 的每一列做点积，就是把 V 的各行按权重加起来。"
        "n_k 求和以后消失：一个键配一个值。V 不转置，因为要混合的正是它的行。",
    ),
    Exercise(
        id="step_columns",
        title="五个矩阵各有几列",
        kind="table",
        items=("Q", "V", "scores", "weights", "output"),
        reference=[4, 3, 6, 6, 3],
        tolerance=0.0,
        also=[
            each
            for cell, whose in enumerate(_WHOSE)
            for each in cell_values(cell, {size: f"{said}。{whose}" for size, said in _SIZES.items()})
        ],
        mistakes=[
            Mistake("output_like_X", [4, 3, 6, 6, 10], "输出的列数跟着 V：按权重取来的是值。"),
            Mistake("output_like_Q", [4, 3, 6, 6, 4], "混合的是 V 的行，不是 Q 的行。"),
            Mistake("all_like_Q", [4, 4, 6, 6, 4], "V 有自己的投影矩阵 W_V，它有几列？"),
            Mistake("scores_like_keys", [4, 3, 4, 4, 3], "scores 的列是键：一个词元一列。一共几个词元？"),
            Mistake("rows", [6, 6, 6, 6, 6], "这是行数：五个矩阵都是 6 行。问的是列数。"),
            Mistake("kept_X", [10, 10, 6, 6, 10], "投影改变列数：Q、V 的列数由 W_Q、W_V 决定。"),
        ],
        hints=[
            "Q 和 V 的列数，看它们的投影矩阵有几列。",
            "scores 和 weights 的列是键：词元有几个，列就有几个。",
        ],
        solution="cells = [4, 3, 6, 6, 3]",
        why="(6, 10) @ (10, 4) 是 (6, 4)，(6, 10) @ (10, 3) 是 (6, 3)；scores 和 weights 是 (6, 6)；"
        "最后 (6, 6) @ (6, 3) 是 (6, 3)。",
    ),
]

"""练习：多头。"""

import itertools

import numpy as np

from utils import attention as course
from utils.attention import attention
from utils.exercises.other_ways import cell_values, in_cell, other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    sizes = [(3, 14, 8, 2), (5, 6, 9, 3), (4, 4, 4, 2), (6, 8, 8, 4)]  # n, Q 和 K 的列, V 的列, 头
    return [
        (random_matrix(rng, n, d), random_matrix(rng, n, d), random_matrix(rng, n, e), heads)
        for n, d, e, heads in sizes
    ]


def _columns(M, heads):
    return np.split(M, heads, axis=1)


def _interleaved(M, heads):
    return [M[:, h::heads] for h in range(heads)]


def _reshaped(M, heads):
    return list(M.reshape(heads, len(M), -1))


def _one_column(M, heads):
    return [columns[:, :1] for columns in _columns(M, heads)]


def _sliding(M, heads):
    width = M.shape[1] // heads
    return [M[:, h : h + width] for h in range(heads)]


def _like_queries(Q, V, heads):
    """V 照 Q 的宽度切：宽度不同时，切到的列就不对。"""
    d_k = Q.shape[1] // heads
    return [V[:, d_k * h : d_k * (h + 1)] for h in range(heads)]


def _even_rows(M, heads):
    n = len(M) // heads
    return [M[n * h : n * (h + 1)] for h in range(heads)]


def _rows_of_queries(Q, K, V, heads):
    """三样都照 Q 的行数切。"""
    n = len(Q) // heads
    parts = [[M[n * h : n * (h + 1)] for M in (Q, K, V)] for h in range(heads)]
    return [attention(*part).output for part in parts]


def _variant(*, cut=_columns, cut_values=None, each=attention, join=np.hstack):
    def heads_attention(Q, K, V, heads):
        values = cut_values(Q, V, heads) if cut_values else cut(V, heads)
        parts = zip(cut(Q, heads), cut(K, heads), values, strict=True)
        return join([each(*part).output for part in parts])

    return heads_attention


def _whole(
    *,
    attention_scores=course.attention_scores,
    scale_scores=course.scale_scores,
    softmax=course.softmax,
    weighted_sum=course.weighted_sum,
):
    """切开、接上不变，每个头里的几步可以换掉。"""

    def heads_attention(Q, K, V, heads):
        parts = zip(*(_columns(M, heads) for M in (Q, K, V)), strict=True)
        scaled = [(scale_scores(attention_scores(q, k), q.shape[1]), v) for q, k, v in parts]
        return np.hstack([weighted_sum(softmax(scores), v) for scores, v in scaled])

    return heads_attention


def _scaled_by_all(Q, K, V, heads):
    """每个头除以了 √(切开以前的列数)。"""
    return _variant(each=lambda q, k, v: attention(q / np.sqrt(heads), k, v))(Q, K, V, heads)


def _across_heads(Q, K, V, heads):
    """每个词元自己的几个头之间做注意力。"""
    parts = zip(*(M.reshape(len(M), heads, -1) for M in (Q, K, V)), strict=True)
    return np.stack([attention(*part).output.ravel() for part in parts])


def _same_weights(Q, K, V, heads):
    weights = attention(_columns(Q, heads)[0], _columns(K, heads)[0], V).weights
    return np.hstack([weights @ v for v in _columns(V, heads)])


def _whole_weights(Q, K, V, heads):
    scores = Q @ K.T / np.sqrt(Q.shape[1] / heads)
    return np.hstack([course.softmax(scores) @ v for v in _columns(V, heads)])


def _not_swapped(outputs):
    return np.stack(outputs).reshape(len(outputs[0]), -1)


def _queries(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_matrix(rng, n, d), heads, h) for n, d, heads, h in ((3, 8, 2, 1), (5, 9, 3, 2), (4, 4, 2, 0))
    ]


def _other_reshapes():
    """reshape 的三个大小排错、transpose 的次序写错：第 h 个头 (n, d_k) 里不是它的几列。"""
    for shape, turned in itertools.product(*[list(itertools.permutations(range(3)))] * 2):
        if (shape, turned) != ((1, 0, 2), (1, 0, 2)) and [shape[axis] for axis in turned] == [0, 1, 2]:
            yield lambda M, heads, s=shape, t=turned: _reshape(M, heads, s).transpose(t)


def _reshape(M, heads, order):
    sizes = heads, len(M), M.shape[1] // heads
    return M.reshape([sizes[axis] for axis in order])


_RESHAPE_ORDER = "形状对了，数错位：先 reshape 成 (n, heads, d_k)，再 transpose(1, 0, 2) 把头换到最前面。"
_CUT_ROWS = "切的是行：每个头少了词元。要切列，每个头都有全部词元；np.split 要写 axis=1。"
_HEAD_BEFORE = "取的是前一个头：h 从 0 数起，第 1 个头是 h = 0。"

_HALVES = [[0, 1], [2, 3]]
_HEAD_WAYS = other_ways(
    lambda q, k, cut, score: [score(np.array(q)[part], np.array(k)[part]) for part in cut],
    {"q": [1, 2, 0, 1], "k": [2, 1, 3, 1], "cut": _HALVES, "score": np.dot},
    {
        "q": [
            ("key_with_key", [2, 1, 3, 1], "是不是两边都用了 k？"),
            ("reversed_one", [1, 0, 2, 1], "是不是有一个倒着乘了？第 1 个乘第 1 个。"),
            ("heads_crossed", [0, 1, 1, 2], "是不是拿一个头的 q 去乘另一个头的 k 了？"),
        ],
        "k": [("query_with_query", [1, 2, 0, 1], "是不是两边都用了 q？")],
        "cut": [
            ("every_other_column", [[0, 2], [1, 3]], "是不是隔一列取一列？"),
            ("outer_and_inner", [[0, 3], [1, 2]], "是不是取了外面两列和里面两列？"),
            ("reversed", _HALVES[::-1], "两个头是不是写反了？"),
            ("first_of_three", [[0], [1, 2, 3]], "竖线画在了第 1 列后面：4 列分给两个头，各 2 列。"),
            ("first_of_three", [[0, 1, 2], [3]], "竖线画在了第 3 列后面：4 列分给两个头，各 2 列。"),
            ("not_cut", [[0, 1, 2, 3]] * 2, "是不是没有切开？"),
            ("not_cut", [[0, 1, 2, 3]], "是不是没有切开？两个头各有一个分数。"),
            ("first_head_only", [[0, 1], [0, 1, 2, 3]], "第 2 个头只用右边的两列。"),
            ("one_each", [[0], [1]], "一个头有 2 列，是不是只用了 1 列？"),
        ],
        "score": [
            ("scaled", lambda a, b: a @ b / np.sqrt(2), "是不是除以了 √2？问的是缩放之前。"),
            ("scaled_by_all", lambda a, b: a @ b / 2, "是不是除以了 2？问的是缩放之前，只加。"),
            ("multiplied_by_two", lambda a, b: a @ b * 2, "是不是又乘了 2？点积只乘一次，再加。"),
            ("scaled_twice", lambda a, b: a @ b / 8**0.5, "是不是缩放了两次？问的是缩放之前。"),
            ("divided_by_four", lambda a, b: a @ b / 4, "是不是除以了 4？问的是缩放之前，只加。"),
            ("sums_multiplied", lambda a, b: a.sum() * b.sum(), "是不是先各自加起来再乘？先逐项乘，再加。"),
            ("added_vectors", lambda a, b: (a + b).sum(), "是不是把数都加起来了？对应的数先相乘。"),
            ("only_queries", lambda a, b: a.sum(), "是不是只加了 q 的数？要逐项乘 k 的数。"),
            ("only_keys", lambda a, b: b.sum(), "是不是只加了 k 的数？要逐项乘 q 的数。"),
            ("cosine", lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b), "是不是求了余弦？"),
            ("largest_term", lambda a, b: (a * b).max(), "是不是只写了最大的一项？一个头的几项要加起来。"),
            ("product_of_terms", lambda a, b: (a * b).prod(), "几项积是要加起来，不是再乘。"),
        ],
    },
)

_CELLS_OF_HEADS = [
    *cell_values(
        0,
        {
            10: "10 是词元数，是行数。问的是列数。",
            320: "是不是乘了 8？40 列分给 8 个头，要除。",
            32: "是不是减了 8？40 列分给 8 个头，要除。",
            48: "是不是加了 8？40 列分给 8 个头，要除。",
            4: "4 是投影矩阵的个数。40 列分给 8 个头。",
            20: "切成两份了：一共 8 个头。",
            50: "这像是一个头的 Q 一共有几个数：10 行。问的是几列。",
        },
    ),
    *cell_values(
        1,
        {
            80: "80 像是 8 个头的并排。一个头自己有一张权重：几个键就有几列。",
            100: "这是一张权重有几格。问的是几列。",
            50: "问的是权重：一列是一个键，与 Q 有几列无关。",
            1: "1 是一行的和。一列是一个键。",
            8: "8 是头数。一个头有一张权重，一列是一个键。",
        },
    ),
    *cell_values(
        2,
        {
            10: "10 是词元数，是行数。接上的是各个头的列。",
            8: "8 是头数。每个头有几列，就接上几列。",
            80: "接上的是各个头的输出，不是权重。一个头的输出有几列？",
            50: "是不是 10 × 5？接上的是 8 个头，每个头几列？",
            400: "这是接上以后一共有几个数。问的是几列。",
            13: "是加了 8 和 5？8 个头，每个头几列，要乘。",
        },
    ),
    *in_cell(
        3,
        other_ways(
            lambda matrices, rows, columns, more: matrices * rows * columns + more,
            {"matrices": 4, "rows": 40, "columns": 40, "more": 0},
            {
                "matrices": [
                    ("without_output", 3, "是不是少了接上以后乘的 W_O？"),
                    ("one_matrix", 1, "是不是只算了一个矩阵？"),
                    ("two_matrices", 2, "是不是只算了两个矩阵？一共四个。"),
                    ("times_heads", 32, "是不是又乘了 8 个头？切成几个头，参数不变。"),
                    ("times_heads", 25, "三个投影是不是各乘了 8 个头？切成几个头，参数不变。"),
                    ("eight", 8, "是不是乘了 8 个头？矩阵是四个。"),
                ],
                "rows": [("tokens", 10, "矩阵的行数是 d_model，与词元数无关。")],
                "columns": [
                    ("one_head_parameters", 5, "是不是只算了一个头的列？"),
                    ("not_squared", 1, "一个矩阵有 40 × 40 个数，不是 40 个。"),
                    ("heads_for_columns", 8, "矩阵是 40 × 40，不是 40 × 8。"),
                    ("added", 2, "一个矩阵有 40 × 40 个数，不是 40 + 40。"),
                ],
                "more": [
                    ("bias", 4 * 40, "是不是算了偏置？题目没有 bias。"),
                    ("bias", 3 * 40, "是不是算了偏置？题目没有 bias。"),
                ],
            },
        ),
    ),
    *in_cell(
        4,
        other_ways(
            lambda kinds, tokens, width, size, unit: kinds * tokens * width * size / unit,
            {"kinds": 2, "tokens": 1000, "width": 40, "size": 2, "unit": 1e6},
            {
                "kinds": [
                    ("only_K", 1, "是不是只算了 K？K 和 V 都要留着。"),
                    ("with_Q", 3, "是不是把 Q 也算上了？留着的只有 K 和 V。"),
                    ("with_all", 4, "是不是 Q、K、V 和输出都算上了？留着的只有 K 和 V。"),
                ],
                "tokens": [
                    ("ten_tokens", 10, "这一问是 1000 个词元，不是 10 个。"),
                    ("squared_tokens", 1000**2, "词元数不用平方：一个词元留一行。"),
                    ("one_token", 1, "这像是一个词元的。一共 1000 个。"),
                ],
                "width": [
                    ("one_head_kept", 5, "是不是只算了一个头？8 个头的都要留着。"),
                    ("heads_for_columns", 8, "一行 K 有 40 个数，不是 8 个。"),
                    ("times_heads", 320, "是不是又乘了 8？8 个头的列加起来才是 40 列。"),
                    ("matrix", 1600, "留着的是 K 和 V 的行，不是投影矩阵。"),
                ],
                "size": [
                    ("numbers", 1, "是不是没有乘 2 字节？"),
                    ("four_bytes", 4, "一个数 2 字节，是不是按 4 字节算了？"),
                    ("bits", 16, "2 字节就是 2，不用换成 16 位。"),
                ],
                "unit": [
                    ("bytes", 1, "是不是没有换成 MB？再除以一百万。"),
                    ("kilobytes", 1e3, "是不是只换成了 KB？再除以一千。"),
                    ("gigabytes", 1e9, "是不是换成了 GB？除多了一千。"),
                    ("by_1024", 2**20, "是不是按 1024 换算了？这里 1 MB 是 1 000 000 字节。"),
                    ("ten_times", 1e5, "小数点是不是错了一位？"),
                    ("ten_times", 1e7, "小数点是不是错了一位？"),
                ],
            },
        ),
    ),
    *cell_values(
        5,
        {
            (lambda c: c[4] / 8): "8 份变成 2 份，是 2/8，不是 1/8（也不是只留一样）。",
            (lambda c: c[4] / 16): "8 份变成 2 份，是 2/8。",
            (lambda c: c[4] * 2): "共用以后变少，不是变多：8 份变成 2 份。",
            (lambda c: c[4] * 4): "共用以后变少，不是变多：8 份变成 2 份。",
            (lambda c: c[4] * 3 / 4): "8 份变成 2 份：问的是留下的，不是省下的。",
            (lambda c: c[4] * 0.8): "8 份变成 2 份，是 2/8。",
            (lambda c: c[4] / 5): "8 份变成 2 份，是 2/8，与一个头几列无关。",
            (lambda c: c[4] / 4 * 1000): "单位是 MB：是不是只换成了 KB？",
            (lambda c: c[4] / 4 * 1e6): "单位是 MB：这是字节。",
            (lambda c: c[4] / 40): "小数点是不是错了一位？",
            (lambda c: c[4] / 0.4): "小数点是不是错了一位？",
        },
    ),
]

EXERCISES = [
    Exercise(
        id="pencil_head_scores",
        title="两个头的分数",
        kind="number",
        reference=[4, 1],
        products=[[(1, 2), (2, 1)], [(0, 3), (1, 1)]],
        also=_HEAD_WAYS,
        mistakes=[
            Mistake(
                "every_other_column", [2, 3], "是不是隔一列取一列？头 1 拿最左边的一半，头 2 拿右边的一半。"
            ),
            Mistake("split_evenly", [2.5, 2.5], "和不是平分的：各头只加自己那几项乘积。"),
            Mistake("not_cut", [5, 5], "这是一个头的分数，四项都加上了。"),
            Mistake("scaled", [2.83, 0.71], "这是缩放以后的。问的是缩放之前。"),
            Mistake(
                "scaled_by_all", [2, 0.5], "这是缩放以后的，而且除的是 √4：一个头只有 2 列。问的是缩放之前。"
            ),
            Mistake("reversed", [1, 4], "两个头写反了：头 1 拿最左边的列。"),
        ],
        hints=["先写出四项乘积。", "在四项中间画一条竖线，左右各自相加。"],
        solution="scores_of_heads = [1 * 2 + 2 * 1, 0 * 3 + 1 * 1]",
        why="四项乘积是 2、2、0、1。左边两项归头 1，右边两项归头 2；两个分数加起来正是一个头的分数。",
    ),
    Exercise(
        id="map_heads",
        title="三个头，各在看谁",
        kind="match",
        items=("头 1", "头 2", "头 3"),
        clues=(
            "“吃”一行和“鱼”一行，最深的各在哪一列？",
            "四行最深的格，在不在同一列？",
            "最深的格比别的深多少？有没有哪一列、哪一条斜线是深的？",
        ),
        reference="BDC",
        mistakes=[
            Mistake("previous_as_itself", "ADC", "深的格在对角线上吗？“猫”一行深的是哪一列？"),
            Mistake(
                "previous_as_next", "EDC", "行是谁在看，列是看向谁：“吃”一行深的是“猫”，它在前面还是后面？"
            ),
            Mistake("first_as_previous", "BBC", "“鱼”一行深的是哪一列？它前一个词是谁？"),
            Mistake("first_as_itself", "BAC", "只有“小”看自己，别的三行深的都在同一列。"),
            Mistake("evenly_as_itself", "BDA", "对角线只比别的深一点：0.28 对 0.24。"),
            Mistake("evenly_as_first", "BDD", "第 1 列并不比别的深：0.24 左右。"),
        ],
        hints=[
            "一行一行地看：这一行最深的格，在自己的左边、右边，还是就在对角线上？",
            "最深的格都在一列，还是排成一条斜线？有没有哪一张没有最深的？",
        ],
        solution='letters = "BDC"',
        why="头 1 最深的格在对角线左边一格：看前一个词。头 2 的四行都把大半给了第 1 列：看第 1 个词。头 3 "
        "每一格都在 0.24 上下：差不多平均。",
    ),
    Exercise(
        id="heads_table",
        title="切成 8 个头",
        kind="table",
        items=("①", "②", "③", "④", "⑤", "⑥"),
        reference=[5, 10, 40, 6400, 0.16, 0.04],
        also=_CELLS_OF_HEADS,
        carried=lambda c: [None, None, 8 * c[0], None, None, c[4] / 4],
        mistakes=[
            Mistake("heads_for_width", [8, 8, 8, 6400, 0.16, 0.04], "8 是头数，不是宽度，也不是词元数。"),
            Mistake("not_cut", [40, 40, 40, 6400, 0.16, 0.04], "这是切开以前的宽度。"),
            Mistake(
                "weights_like_keys",
                [5, 5, 40, 6400, 0.16, 0.04],
                "这是 K 的列数。权重的一列是一个键，一个词元一列。",
            ),
            Mistake(
                "one_head_joined", [5, 10, 5, 6400, 0.16, 0.04], "这是一个头的。接上，就是 8 个头的列并排。"
            ),
            Mistake(
                "times_heads", [5, 10, 320, 51200, 1.28, 0.04], "是不是又乘了 8？8 个头的列加起来才是 40 列。"
            ),
            Mistake("without_output", [5, 10, 40, 4800, 0.16, 0.04], "还少一个矩阵：接上以后乘的是谁？"),
            Mistake("one_matrix", [5, 10, 40, 1600, 0.16, 0.04], "这是一个矩阵的。一共有几个矩阵？"),
            Mistake(
                "one_head_parameters", [5, 10, 40, 800, 0.16, 0.04], "这是一个头的。8 个头各有自己的列。"
            ),
            Mistake("only_K", [5, 10, 40, 6400, 0.08, 0.04], "K 和 V 都要留着，这只是一个。"),
            Mistake("bytes", [5, 10, 40, 6400, 160000, 40000], "这是字节。换成 MB：再除以一百万。"),
            Mistake("numbers", [5, 10, 40, 6400, 80000, 20000], "这是多少个数。还要乘字节，再换成 MB。"),
            Mistake(
                "not_shared", [5, 10, 40, 6400, 0.16, 0.16], "查询头还是 8 个，留着的 K 和 V 却只有 2 份。"
            ),
            Mistake("halved", [5, 10, 40, 6400, 0.16, 0.08], "从 8 份变成 2 份，是几分之一？"),
            Mistake(
                "one_eighth", [5, 10, 40, 6400, 0.16, 0.02], "查询头 8 个，K 和 V 留 2 份：是 2/8，不是 1/8。"
            ),
            Mistake(
                "all_tokens",
                [5, 1000, 40, 6400, 0.16, 0.04],
                "一张权重的列是这一句的词元，1000 是后面一问的。",
            ),
        ],
        hints=[
            "切的是列：40 列分给 8 个头。权重的行和列都是词元。",
            "四个矩阵都是 (40, 40)。K 和 V 各 1000 × 40 个数，每个 2 字节；共用以后，列数是原来的 2/8。",
        ],
        solution="parameters = 4 * 40 * 40\n"
        "kept, shared = 2 * 1000 * 40 * 2 / 1e6, 2 * 1000 * (2 * 5) * 2 / 1e6\n"
        "cells = [40 // 8, 10, 8 * 5, parameters, kept, shared]",
        why="一个头的 Q 是 (10, 5)，权重是 (10, 10)，接上是 (10, 40)；四个矩阵各 1600 个数。K 和 V 各 1000 "
        "× 40 个数，2 字节，"
        "一共 0.16 MB；共用 2 份，列数从 40 变成 10，是 0.04 MB。切成几个头，参数的个数不变。",
    ),
    Exercise(
        id="cut_and_join",
        title="切开，各算各的，接上",
        kind="step",
        arguments=("Q", "K", "V", "heads"),
        inputs=_inputs,
        shape="(n, heads · d_v)",
        reference=_variant(),
        whole=_whole,
        also=[
            *(
                Mistake("cut_rows", _variant(cut=cut, join=join), _CUT_ROWS)
                for cut in (np.split, np.array_split, _even_rows)
                for join in (np.hstack, np.vstack)
            ),
            *(
                Mistake("cut_rows", lambda *a, join=join: join(_rows_of_queries(*a)), _CUT_ROWS)
                for join in (np.hstack, np.vstack)
            ),
            *(
                Mistake("other_reshape", _variant(cut=cut, join=join), _RESHAPE_ORDER + said)
                for cut in _other_reshapes()
                for join, said in ((np.hstack, ""), (_not_swapped, "接的时候也要先换回来。"))
            ),
            *(
                Mistake(
                    "wrong_way_joined",
                    _variant(join=join),
                    "切得对，接的时候次序错了：先 transpose(1, 0, 2) 换成 (n, heads, d_v)，再 reshape。",
                )
                for join in (
                    lambda outputs: np.stack(outputs).transpose(1, 2, 0).reshape(len(outputs[0]), -1),
                    lambda outputs: np.stack(outputs).transpose(2, 1, 0).reshape(len(outputs[0]), -1),
                    lambda outputs: np.stack(outputs).transpose(0, 2, 1).reshape(len(outputs[0]), -1),
                    lambda outputs: np.vstack(outputs).reshape(len(outputs[0]), -1),
                )
            ),
            Mistake(
                "not_flattened",
                _variant(join=lambda outputs: np.stack(outputs, axis=1)),
                "换回了 (n, heads, d_v)，还差一步 .reshape(n, -1)：接成一行。",
            ),
            Mistake(
                "never_cut",
                lambda Q, K, V, heads: np.hstack([attention(Q, K, V).output] * heads),
                "每个头都用了没有切开的 Q、K、V：各取自己的几列。",
            ),
            Mistake(
                "heads_attend",
                _across_heads,
                "少了 transpose：(n, heads, d) 直接打分，成了每个词元的几个头互相看。先把头换到最前面。",
            ),
            Mistake(
                "largest_of_heads",
                _variant(join=lambda outputs: np.max(outputs, axis=0)),
                "每一格取了各头里最大的：各头的输出要左右并排。",
            ),
            Mistake(
                "weights_of_first",
                _same_weights,
                "每个头的权重都是头 1 的：每个头要用自己的 Q 和 K 打分。",
            ),
            Mistake(
                "whole_weights",
                _whole_weights,
                "权重是没有切开时算的：先切开，每个头各打自己的分、各做 softmax。",
            ),
            Mistake(
                "values_cut_like_queries",
                _variant(cut_values=_like_queries),
                "V 是不是照 Q 的宽度切了？V 的列数可以不同，用 V 自己的列数除以头数。",
            ),
            Mistake(
                "always_first",
                _variant(cut=lambda M, heads: _columns(M, heads)[:1] * heads),
                "每个头拿的都是最左边的几列：切的起点要跟着头走，如 h * d_k。",
            ),
            Mistake(
                "one_column_each",
                _variant(cut=_one_column, cut_values=lambda Q, V, heads: _columns(V, heads)),
                "每个头的 Q 和 K 只拿了一列：切到 (h + 1) * d_k 为止。",
            ),
            Mistake(
                "start_not_multiplied",
                _variant(cut=_sliding),
                "切的起点是 h，不是 h * d_k：各头的列重叠了。",
            ),
        ],
        without=("split_heads", "join_heads", "multi_head_attention"),
        mistakes=[
            Mistake(
                "reshaped_to_cut",
                _variant(cut=_reshaped),
                "切开时是不是直接 reshape 成 (heads, n, d)？一行不再是一个词元。",
            ),
            Mistake(
                "reshaped_to_join",
                _variant(join=_not_swapped),
                "切得对，接的时候是不是少了一次换维？各头的列要并排放回同一行。",
            ),
            Mistake(
                "both_reshaped",
                _variant(cut=_reshaped, join=_not_swapped),
                "切和接都少了换维。先用名字代替数试一试。",
            ),
            Mistake(
                "every_other_column",
                _variant(cut=_interleaved),
                "是不是隔几列取一列？第 1 个头拿最左边的几列。",
            ),
            Mistake(
                "not_cut",
                lambda Q, K, V, heads: attention(Q, K, V).output,
                "是不是没有切开？这是一个头的结果。",
            ),
            Mistake(
                "scaled_by_all", _scaled_by_all, "缩放除以的是哪个宽度？每个头用自己的列数，不是切开以前的。"
            ),
            Mistake(
                "stacked",
                _variant(join=np.vstack),
                "是不是上下接了起来？收到形状 {shape}，应是 {expected_shape}。",
            ),
            Mistake(
                "added",
                _variant(join=lambda outputs: np.sum(outputs, axis=0)),
                "是不是把各头的输出加了起来？收到形状 {shape}，要并排。",
            ),
            Mistake(
                "averaged",
                _variant(join=lambda outputs: np.mean(outputs, axis=0)),
                "是不是取了平均？收到形状 {shape}，各头的输出要并排。",
            ),
            Mistake(
                "not_scaled",
                _variant(each=lambda q, k, v: attention(q * np.sqrt(q.shape[1]), k, v)),
                "切和接都对，是不是没有除以 √d_k？",
            ),
            Mistake(
                "values_not_cut",
                _variant(cut_values=lambda Q, V, heads: [V] * heads),
                "V 是不是没有切？收到形状 {shape}，应是 {expected_shape}。",
            ),
            Mistake(
                "columns_interleaved",
                _variant(join=lambda outputs: np.stack(outputs, axis=2).reshape(len(outputs[0]), -1)),
                "接的时候各头的列交错了：先放头 1 的全部列，再放头 2 的。",
            ),
            Mistake(
                "first_only",
                _variant(join=lambda outputs: outputs[0]),
                "只剩第 1 个头：return 是不是写在了循环里面？",
            ),
            Mistake(
                "not_joined",
                _variant(join=np.stack),
                "还没有接上：收到形状 {shape}，应是 {expected_shape}。",
            ),
            Mistake(
                "reversed",
                _variant(join=lambda outputs: np.hstack(outputs[::-1])),
                "各头的次序是不是反了？头 1 在最左边。",
            ),
            Mistake(
                "last_only",
                _variant(join=lambda outputs: outputs[-1]),
                "只剩最后一个头：是不是每一轮都盖掉了前一个？",
            ),
        ],
        hints=[
            "第 h 个头（从 0 数）拿哪几列？先算每个头的列数。",
            "V 的列数可以和 Q 不同，各算各的列数。",
            "循环里把每个头的 .output 收进一个列表，最后左右并排。",
        ],
        solution="def my_heads(Q, K, V, heads):\n"
        "    d_k, d_v = Q.shape[1] // heads, V.shape[1] // heads\n"
        "    outputs = []\n"
        "    for h in range(heads):\n"
        "        left, right = d_k * h, d_k * (h + 1)\n"
        "        V_h = V[:, d_v * h : d_v * (h + 1)]\n"
        "        outputs.append(attention(Q[:, left:right], K[:, left:right], V_h).output)\n"
        "    return np.hstack(outputs)",
        why="切的是列，每个头都有全部词元；各做一次 attention，输出左右并排。",
    ),
    Exercise(
        id="bug_heads",
        title="混了的头",
        kind="bug",
        reference=4,
        arguments=("Q", "heads", "h"),
        inputs=_queries,
        shape="(n, d_k)",
        repair=lambda Q, heads, h: _columns(Q, heads)[h],
        also=[
            *(
                Mistake("other_reshape", lambda Q, heads, h, cut=cut: cut(Q, heads)[h], _RESHAPE_ORDER)
                for cut in _other_reshapes()
            ),
            Mistake(
                "head_before",
                lambda Q, heads, h: Q[:, (h - 1) * (Q.shape[1] // heads) : h * (Q.shape[1] // heads)],
                _HEAD_BEFORE,
            ),
        ],
        mistakes=[
            Mistake("blamed_signature", 1, "参数没有错：Q、头数、第几个头。"),
            Mistake("blamed_shape", 2, "n 是行数，width 是列数，没有错。"),
            Mistake("blamed_width", 3, "列数除以头数，没有错；// 是整除。"),
            Mistake("blamed_return", 5, "cut 是三维的，[h] 取出一份，没有错：错的是 cut 里面。"),
            Mistake(
                "still_reshaped",
                lambda Q, heads, h: _reshaped(Q, heads)[h],
                "一行仍然不是一个词元。reshape 换了次序吗？",
            ),
            Mistake(
                "still_interleaved",
                lambda Q, heads, h: _interleaved(Q, heads)[h],
                "现在一行是一个词元，可是列是隔着取的。头拿的是相邻的几列。",
            ),
            Mistake(
                "one_token",
                lambda Q, heads, h: Q.reshape(len(Q), heads, -1)[h],
                "[h] 取的是第 h + 1 个词元。头要先换到最前面。",
            ),
            Mistake(
                "turned",
                lambda Q, heads, h: _columns(Q, heads)[h].T,
                "转置了：行应当是词元，列是这个头的宽度。",
            ),
            Mistake(
                "start_not_multiplied",
                lambda Q, heads, h: _sliding(Q, heads)[h],
                "列数对了，起点不对：第 h + 1 个头从第 h * d_k 列开始（从 0 数）。",
            ),
            Mistake("head_before", lambda Q, heads, h: _columns(Q, heads)[h - 1], _HEAD_BEFORE),
            Mistake("still_first", lambda Q, heads, h: _columns(Q, heads)[0], "总是第 1 个头：h 用上了吗？"),
        ],
        hints=[
            "用名字代替数：第 1 行应当是谁的？",
            "reshape 照原来的次序一个个放。头要排到最前面，还差哪一步？",
        ],
        solution="line = 4  # 应是 cut = Q.reshape(n, heads, d_k).transpose(1, 0, 2)",
        why="直接 reshape 成 (heads, n, d_k)，一个词元的几份就排到了不同的行里。"
        "先 (n, heads, d_k)，再把头换到最前面。",
    ),
    Exercise(
        id="reading_heads",
        title="读两张图",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("useless", "A", "去掉它一个，别的头可能在替它。能说它什么也没学到吗？"),
            Mistake("average", "C", "(0.5, 0, 0.5) 是平均出来的。有哪个头这样看吗？"),
            Mistake("told", "D", "训练时给的只有答案。谁规定过看哪里？"),
        ],
        hints=["哪些是图上量到的，哪些是猜的？", "去掉一个头以后还答得出，消息从哪里来？"],
        solution='choice = "B"',
        why="图说的是看哪里，去掉一个头说的是少了它够不够。"
        "头 2 里还有 0.1 的第 1 个词，够用，不等于头 1 没用。",
    ),
]

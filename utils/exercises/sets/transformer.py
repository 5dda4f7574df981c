"""练习：块和小语言模型。"""

import numpy as np

from utils import block
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _rows(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_matrix(rng, 3, 5) + 2,),
        (random_matrix(rng, 4, 2) * 10,),
        (random_matrix(rng, 4, 4) - 3,),  # 方的：漏掉 keepdims 也不报错，用来认出它
        (np.array([[1.0, 1, 1], [2, 4, 6], [0.001, 0, 0.002]]),),  # 一行全相等：方差是 0；一行方差很小
    ]


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


def _whole(*, layer_norm=block.layer_norm):
    """后半块，归一化可以换掉。"""
    return lambda X, W_1, W_2: X + _fed(layer_norm(X), W_1, W_2)


def _centred(X):
    return X - X.mean(axis=1, keepdims=True)


def _variance(X):
    return X.var(axis=1, keepdims=True) + 1e-5


EXERCISES = [
    Exercise(
        id="pencil_layer_norm",
        title="一行层归一化",
        kind="number",
        reference=[-1.3416, -0.4472, 0.4472, 1.3416],
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
        id="shape_feed_forward",
        title="前馈的中间",
        kind="shape",
        reference=(5, 64),
        mistakes=[
            Mistake("already_back", (5, 16), "乘 W_2 以后才变回这样。问的是乘它之前。"),
            Mistake("one_head", (5, 4), "前馈里没有头，一行是整个 d_model。"),
            Mistake("weights_shape", (5, 5), "前馈不看别的词元，没有 (n, n) 的东西。"),
            Mistake("matrix_shape", (16, 64), "这是 W_1 的形状。X 乘它以后呢？"),
            Mistake("per_head", (5, 256), "前馈一共宽 64，不按头再乘。"),
        ],
        hints=["W_1 是 (d_model, d_ff)。X 乘它，行数变不变？", "ReLU 一格一格做，不改变形状。"],
        solution="answer = (5, 64)",
        why="(5, 16) @ (16, 64) → (5, 64)，ReLU 不改变形状。头数与前馈无关。",
    ),
    Exercise(
        id="pencil_block_parameters",
        title="数参数",
        kind="number",
        reference=3072,
        mistakes=[
            Mistake("no_output", 2816, "投影有几个？W_Q、W_K、W_V 之外，还有一个。"),
            Mistake("one_ffn", 2048, "少了 1024：前馈有两个矩阵，投影有四个，是不是各算全了？"),
            Mistake("only_attention", 1024, "这是四个投影。前馈也有参数。"),
            Mistake(
                "times_heads", 6144, "投影要不要乘 4 个头？每个头只有 d_model / 4 宽，合起来还是那么多。"
            ),
            Mistake("everything_times_heads", 12288, "四个头各算了一整份。切成几个头，只是把列分给它们。"),
            Mistake("one_head", 2304, "投影只算了一个头的 4 列。四个头合起来是 16 列。"),
            Mistake("added_bias", 3152, "题目说不算偏置。"),
        ],
        hints=["四个投影，每个 16 × 16。", "前馈两个矩阵：16 × 64 和 64 × 16。"],
        solution="answer = 4 * 16 * 16 + 2 * 16 * 64",
        why="四个投影 4 × 256 = 1024，前馈 2 × 1024 = 2048，一共 3072 = 12 × 16²。头数不改变个数。",
    ),
    Exercise(
        id="reading_sampling",
        title="四种写法",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake("three_left", "A", "还剩三个字可以抽，种子不同，抽到的就可能不同。"),
            Mistake("plain", "B", "每个字都可能抽到，五次很难完全一样。"),
            Mistake("cold_but_three", "D", "T 小，只是更集中；前三名都还有机会。"),
        ],
        hints=["写得完全一样，说明每一步都没有别的字可选。", "top-k 留下的字有几个？"],
        solution='choice = "C"',
        why="top-k = 1 只留概率最大的一个字，就是贪心，温度是多少都一样。T 小只是让别的字很难抽到。",
    ),
    Exercise(
        id="bug_residual",
        title="原来的 X 去哪里了",
        kind="bug",
        reference=4,
        arguments=("X", "W_1", "W_2"),
        inputs=_halves,
        shape="(n, d_model)",
        repair=_second_half,
        whole=_whole,
        mistakes=[
            Mistake("blamed_signature", 1, "参数没有错：一个 X，两个矩阵。"),
            Mistake("blamed_norm", 2, "先归一化再算，这一行没有错。它没有改动 X。"),
            Mistake("blamed_relu", 3, "归一化的 X 乘 W_1，负数变 0，没有错。"),
            Mistake(
                "still_normed",
                lambda X, W_1, W_2: block.layer_norm(X) + _fed(block.layer_norm(X), W_1, W_2),
                "还是原来的结果：加上去的是归一化过的 X，蓝线应当原样送过去。",
            ),
            Mistake(
                "no_residual",
                lambda X, W_1, W_2: _fed(block.layer_norm(X), W_1, W_2),
                "现在什么也没有加。残差要加上一个东西，是哪一个？",
            ),
            Mistake(
                "no_norm",
                lambda X, W_1, W_2: X + _fed(X, W_1, W_2),
                "加对了，可是前馈收到的应是归一化以后的 X。",
            ),
            Mistake(
                "no_relu",
                lambda X, W_1, W_2: X + block.layer_norm(X) @ W_1 @ W_2,
                "X 加对了，可是少了 ReLU：负数要先变成 0。",
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
        hints=["对着地图看蓝线：它从哪里出发，路上经过归一化吗？", "“+”的左边应当是什么？"],
        solution="line = 4  # 应是 X + hidden @ W_2",
        why="残差加的是原来的 X。加归一化以后的，X 的大小就丢了，每一块都重新开始，蓝线断了。",
    ),
    Exercise(
        id="layer_norm",
        title="写出层归一化",
        kind="step",
        arguments=("X",),
        inputs=_rows,
        shape="(n, d_model)",
        reference=block.layer_norm,
        without=("layer_norm",),
        also=[
            Mistake(
                "epsilon_outside",
                lambda X: _centred(X) / (X.std(axis=1, keepdims=True) + 1e-5),
                "0.00001 加在了标准差上。要加在方差里：先加，再开方。",
            ),
            Mistake(
                "columns",
                lambda X: (X - X.mean(axis=0)) / X.std(axis=0),
                "是不是按列做了？一行是一个词元，每一行用自己的平均和标准差。",
            ),
            Mistake(
                "mixed_axes",
                lambda X: _centred(X) / np.sqrt(X.var(axis=0) + 1e-5),
                "平均是一行的，方差却沿着列求了：两个都用 axis=1。",
            ),
            Mistake(
                "mixed_axes",
                lambda X: (X - X.mean(axis=0)) / np.sqrt(_variance(X)),
                "方差是一行的，平均却沿着列求了：两个都用 axis=1。",
            ),
            Mistake(
                "mean_of_all",
                lambda X: (X - X.mean()) / np.sqrt(_variance(X)),
                "减去的是整个矩阵的平均。每一行减去自己的平均。",
            ),
            Mistake(
                "sum_for_mean",
                lambda X: (
                    (X - X.sum(axis=1, keepdims=True))
                    / np.sqrt(((X - X.sum(axis=1, keepdims=True)) ** 2).mean(axis=1, keepdims=True) + 1e-5)
                ),
                "减去的是一行的和，不是平均。",
            ),
            Mistake(
                "over_length",
                lambda X: _centred(X) / np.linalg.norm(X, axis=1, keepdims=True),
                "除以的是这一行的长度，不是标准差：标准差是减去平均以后，平方的平均，再开方。",
            ),
            Mistake(
                "multiplied",
                lambda X: _centred(X) * np.sqrt(_variance(X)),
                "是不是乘了标准差？要除。",
            ),
        ],
        mistakes=[
            Mistake(
                "columns",
                lambda X: (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-5),
                "是不是按列做了？一行是一个词元，每一行用自己的平均和标准差。",
            ),
            Mistake(
                "whole_matrix",
                lambda X: (X - X.mean()) / np.sqrt(X.var() + 1e-5),
                "整个矩阵用了同一个平均和标准差。每一行要用自己的。",
            ),
            Mistake(
                "no_keepdims",
                lambda X: (X - X.mean(axis=1)) / np.sqrt(X.var(axis=1) + 1e-5),
                "平均和方差少了 keepdims=True：形状 (n,) 会与各列对齐，方的矩阵不报错，结果却不对。",
            ),
            Mistake("only_centred", _centred, "减去了平均，还没有除以标准差。"),
            Mistake("not_centred", lambda X: X / np.sqrt(_variance(X)), "没有先减去这一行的平均。"),
            Mistake("variance", lambda X: _centred(X) / _variance(X), "除以的是方差，还要开方。"),
            Mistake(
                "rms",
                lambda X: X / np.sqrt((X**2).mean(axis=1, keepdims=True) + 1e-5),
                "这是 RMSNorm：没有减平均。层归一化要减。",
            ),
            Mistake(
                "n_minus_one",
                lambda X: _centred(X) / np.sqrt(X.var(axis=1, ddof=1, keepdims=True) + 1e-5),
                "平方和是不是除以了列数减 1？层归一化除以列数；torch 的 var 默认减 1，numpy 的不减。",
            ),
            Mistake(
                "sum_of_squares",
                lambda X: _centred(X) / np.sqrt((_centred(X) ** 2).sum(axis=1, keepdims=True) + 1e-5),
                "平方加起来了，还没有取平均：方差是平方的平均。",
            ),
            Mistake(
                "no_parentheses",
                lambda X: X - X.mean(axis=1, keepdims=True) / np.sqrt(_variance(X)),
                "只有平均被除了：除法先算，减法要加括号。",
            ),
            Mistake(
                "no_epsilon",
                lambda X: _centred(X) / X.std(axis=1, keepdims=True),
                "一行全相等时，方差是 0，除出了非数。方差里要加 0.00001。",
            ),
            Mistake(
                "softmax_like",
                lambda X: X / X.sum(axis=1, keepdims=True),
                "这是各占多少。归一化以后，每行平均 0、方差 1。",
            ),
        ],
        hints=[
            "每一行：减去 X.mean(axis=1, keepdims=True)。",
            "方差是差的平方在这一行的平均；加 0.00001，开方，再去除。",
        ],
        solution="def my_layer_norm(X):\n"
        "    centred = X - X.mean(axis=1, keepdims=True)\n"
        "    variance = (centred**2).mean(axis=1, keepdims=True)\n"
        "    return centred / np.sqrt(variance + 1e-5)",
        why="一行是一个词元，平均和方差都沿着行求（axis=1），keepdims=True 让它们能减回去、除回去。"
        "0.00001 防止一行全相等时除以 0。",
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
    Exercise(
        id="pencil_cache_bytes",
        title="一个词元多少字节",
        kind="number",
        reference=12288,
        mistakes=[
            Mistake(
                "forgot_a_factor",
                6144,
                "正好是一半。K 和 V 两样，各 2 个头，一个数 2 字节：是不是漏了一个 2？",
            ),
            Mistake("one_layer", 512, "这是一层的。一共 24 层。"),
            Mistake("query_heads", 86016, "用了 14 个查询头。留的是键和值，它们只有 2 个头。"),
            Mistake("four_bytes", 24576, "题目里一个数 2 字节，不是 4 字节。"),
            Mistake("kilobytes", 12.288, "问的是多少字节，不用换成千字节。"),
            Mistake("not_two_twos", 3072, "漏了两个 2。K 和 V 两样，各 2 个头，一个数 2 字节。"),
        ],
        hints=["K 和 V 各一行，一行多宽？", "两样 × 24 层 × 宽 × 2 字节。"],
        solution="answer = 2 * 24 * (2 * 64) * 2",
        why="K 和 V 两样，24 层，每层 2 × 64 = 128 个数，一个数 2 字节：2 × 24 × 128 × 2 = 12 288。",
    ),
    Exercise(
        id="reading_bpe",
        title="下一次并哪一对",
        kind="reading",
        reference="A",
        mistakes=[
            Mistake("second", "B", "今天只出现 3 次。有没有挨着次数更多的一对？"),
            Mistake("order", "C", "次序要紧：天明里才是天在前，只有 2 次。"),
            Mistake("most_common_character", "D", "“天”出现得最多，可是两个“天”从不挨着。数的是挨着的一对。"),
        ],
        hints=["列出每种词里挨着的一对，写上次数。", "明天里是（明，天），天明里是（天，明），不是同一对。"],
        solution='choice = "A"',
        why="（明，天）4 次，（今，天）3 次，（天，明）2 次：并次数最多的一对。",
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
        id="pencil_model_parameters",
        title="数一个模型",
        kind="number",
        reference=170496,
        mistakes=[
            Mistake("without_output", 137728, "每个块的投影是不是只算了三个？注意力里有四个矩阵。"),
            Mistake("one_bare_block", 49152, "这是一个块的。一共 2 个块，还有两张表。"),
            Mistake("not_shared", 234496, "字表数了两次。题目说读出与字表共用一张。"),
            Mistake("one_block", 121344, "只算了一个块，一共 2 个。"),
            Mistake("no_positions", 162304, "少了位置的那张表。"),
            Mistake("only_blocks", 98304, "这是两个块。字表和位置也是参数。"),
            Mistake("no_ffn", 104960, "块里只算了四个投影，前馈呢？"),
            Mistake("only_tables", 72192, "这是两张表。块里的矩阵还没有算。"),
        ],
        hints=["三样：字表、位置、块。", "一个块 12 × 64 × 64；字表 1000 × 64；位置 128 × 64。"],
        solution="answer = 1000 * 64 + 128 * 64 + 2 * matrix_parameters(64, 64, 256)",
        why="字表 64 000，位置 8192，两个块各 12 × 64² = 49 152：64 000 + 8192 + 98 304 = 170 496。",
    ),
]

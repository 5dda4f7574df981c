"""练习：缩放。"""

import numpy as np

from utils import attention
from utils.exercises.other_ways import cell_values, other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _scaling_inputs(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_matrix(rng, 3, 5, scale=3), 7),
        (random_matrix(rng, 4, 2, scale=4), 16),
        (random_matrix(rng, 2, 6, scale=3), 3),
        (random_matrix(rng, 2, 3, scale=3), 1),  # 除以 1：这时也要返回新数组
    ]


def _bug_inputs(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_matrix(rng, 3, 5), random_matrix(rng, 5, 7), random_matrix(rng, 5, 7)),
        (random_matrix(rng, 2, 7), random_matrix(rng, 7, 6), random_matrix(rng, 7, 6)),
    ]


def _whole(
    *,
    project=attention.project,
    attention_scores=attention.attention_scores,
    scale_scores=attention.scale_scores,
):
    """投影、打分、缩放，其中几步可以换掉。"""

    def scaled(X, W_Q, W_K):
        return scale_scores(attention_scores(project(X, W_Q), project(X, W_K)), W_K.shape[1])

    return scaled


def _dot(X, W_Q, W_K):
    return (X @ W_Q) @ (X @ W_K).T


_ROW = np.array([0.9, 0.4, 0.2])
_ROW_WAYS = other_ways(
    lambda size, root, change: change(_ROW, root(size)),
    {"size": 4, "root": np.sqrt, "change": np.divide},
    {
        "size": [
            ("root_of_d_model", 8, "是不是用了 8？那是 X 的宽度 d_model。"),
            ("root_of_n", 3, "是不是用了 3？那是词元数。"),
            ("root_of_d_v", 2, "是不是用了 2？那是 V 的宽度 d_v。"),
            ("both_sizes_of_Q", 12, "是不是用了 3 × 4 = 12？只用 Q 的列数。"),
            ("both_sizes_of_X", 24, "是不是用了 3 × 8 = 24？只用 Q 的列数。"),
            ("squared_d_k", 16, "是不是用了 4 的平方，或者 4 × 4？"),
        ],
        "root": [
            ("forgot_root", float, "是不是忘了开平方？"),
            ("squared", np.square, "是不是平方了？要开平方。"),
            ("root_twice", lambda size: size**0.25, "是不是开了两次平方？"),
        ],
        "change": [
            ("multiplied", np.multiply, "是不是乘了？要除。"),
            ("subtracted", np.subtract, "是不是减了？要除。"),
            ("added", np.add, "是不是加了？要除。"),
            ("inverted", lambda row, by: by / row, "是不是反过来，用它去除以分数了？"),
            ("softmax_too", lambda row, by: attention.softmax(row[None] / by)[0], "是不是又做了 softmax？"),
            ("centred", lambda row, by: row - row.mean(), "是不是减了平均？缩放只除以一个数。"),
            ("centred_and_divided", lambda row, by: (row - row.mean()) / by, "是不是先减了平均？只要除。"),
            ("standardised", lambda row, by: (row - row.mean()) / row.std(), "是不是除以了这一行的标准差？"),
            ("length", lambda row, by: row / np.linalg.norm(row), "是不是除以了这一行的长度？"),
        ],
    },
)


def _row_of_table(first, d_k):
    """表里的一行：标准差，除以 √d_k 以后，除以 d_k 以后；d_k 是 first / 3 那一行的宽度。"""
    root = d_k**0.5
    of_one = "一个分量的标准差是 1，分数是几个积的和：方差加起来，再开方。"
    return [
        *cell_values(
            first,
            {
                1: of_one,
                d_k**2: "是不是平方了？方差是 d_k，标准差是它的平方根。",
                1 / root: "反了：越宽，分数的起伏越大。",
                d_k**0.25: "是不是开了两次平方？方差是 d_k，开一次。",
                2 * root: "是不是多乘了 2？方差是 d_k，标准差是它的平方根。",
                0: "0 是平均，不是标准差。",
            },
        ),
        *cell_values(
            first + 1,
            {
                (lambda c: c[first]): "每个分数除以一个数，标准差也除以同一个数。",
                (lambda c: c[first] / d_k): "除以的是 √d_k，不是 d_k。",
                (lambda c: c[first] * root): "是除以，不是乘。",
                (lambda c: (c[first] ** 2 / root) ** 0.5): "标准差直接除以那个数，不用再开方。",
                (lambda c: c[first] - root): "是除以，不是减。",
                (lambda c: c[first] / 2): "除以的是 √d_k，不是 2。",
                (lambda c: c[first] ** 0.5): "标准差除以那个数，不是开平方。",
                1 / root: "是不是拿 1 去除的？拿前一格的标准差去除。",
                d_k: "这是方差，或者 d_k。每个分数除以 √d_k，标准差也除以它。",
                0: "除以一个数，不会变成 0；标准差也除以同一个数。",
            },
        ),
        *cell_values(
            first + 2,
            {
                (lambda c: c[first]): "每个分数除以 d_k，标准差也除以它：变小了。",
                (lambda c: c[first] * d_k): "是除以，不是乘。",
                (lambda c: c[first] / d_k**2): "标准差除以 d_k；方差才除以它的平方。",
                (lambda c: (c[first] ** 2 / d_k) ** 0.5): "标准差直接除以那个数，不用再开方。",
                (lambda c: c[first] - d_k): "是除以，不是减。",
                (lambda c: c[first] / 2): "除以的是 d_k，不是 2。",
                (lambda c: c[first] ** 2): "这是方差那样的数。拿标准差除以 d_k。",
                (lambda c: c[first + 1] / d_k): "是从前一格接着除的吗？从原来的标准差起。",
                0: "除以一个数，不会变成 0；标准差也除以同一个数。",
            },
        ),
    ]


EXERCISES = [
    Exercise(
        id="pencil_scaling",
        title="笔算一行缩放",
        kind="number",
        reference=[0.45, 0.2, 0.1],
        given=[0.9, 0.4, 0.2],
        also=_ROW_WAYS,
        mistakes=[
            Mistake("not_scaled", [0.9, 0.4, 0.2], "这是原来的分数，还没有除。"),
            Mistake(
                "forgot_root",
                [0.225, 0.1, 0.05],
                "是不是忘了开平方（除以了 4），或者除了两次 2？",
            ),
            Mistake(
                "root_of_d_model",
                [0.3182, 0.1414, 0.0707],
                "是不是用了 √8？8 是 X 的宽度 d_model；d_k 是 Q 和 K 的宽度。",
            ),
            Mistake(
                "root_of_n",
                [0.5196, 0.2309, 0.1155],
                "是不是用了 √3？3 是词元数；d_k 是 Q 的列数，不是行数。",
            ),
            Mistake(
                "root_of_d_v",
                [0.6364, 0.2828, 0.1414],
                "是不是用了 √2？2 是 V 的宽度 d_v；分数里没有用到 V。",
            ),
            Mistake("multiplied", [1.8, 0.8, 0.4], "是不是乘了？宽度越大，分数的起伏越大，要除才压得回来。"),
            Mistake(
                "normalised",
                [0.6, 0.2667, 0.1333],
                "是不是除以了三个数的和？缩放只除以一个固定的数。",
            ),
            Mistake(
                "divided_by_d_model",
                [0.1125, 0.05, 0.025],
                "是不是除以了 8？8 是 X 的宽度 d_model，而且除之前还要开平方。",
            ),
            Mistake("divided_by_n", [0.3, 0.1333, 0.0667], "是不是除以了 3？3 是词元数；除以的是 √d_k。"),
            Mistake(
                "softmax_too", [0.4096, 0.319, 0.2887], "缩放以后是不是又做了 softmax？这里只要第 3 步。"
            ),
        ],
        hints=[
            "d_k 是查询和键的宽度：看 Q 的形状里的哪个数？",
            "先把 d_k 开平方，再用三个分数分别去除以它。",
        ],
        solution="answer = np.array([0.9, 0.4, 0.2]) / np.sqrt(4)",
        why="d_k 是 Q 的列数 4，√4 = 2，三个分数都除以 2。8、3、2 分别是 d_model、n、d_v，与缩放无关。",
    ),
    Exercise(
        id="scaling_table",
        title="除与不除",
        kind="table",
        items=("①", "②", "③", "④", "⑤", "⑥"),
        reference=[2, 1, 0.5, 10, 1, 0.1],
        also=_row_of_table(0, 4) + _row_of_table(3, 100),
        carried=lambda c: [None, c[0] / 2, c[0] / 4, None, c[3] / 10, c[3] / 100],
        mistakes=[
            Mistake("variance", [4, 1, 0.5, 100, 1, 0.1], "这是方差。标准差是方差的平方根。"),
            Mistake(
                "d_k_gives_one",
                [2, 1, 1, 10, 1, 1],
                "除以 d_k 就正好是 1，那除以 √d_k 呢？拿标准差去除。",
            ),
            Mistake("square", [2, 1, 0.25, 10, 1, 0.01], "是拿 1 去除的吗？标准差原来不是 1，再除以 d_k。"),
            Mistake("root_keeps", [2, 2, 0.5, 10, 10, 0.1], "每个分数除以一个数，标准差也除以同一个数。"),
            Mistake("half", [2, 1, 0.5, 50, 1, 0.1], "开平方不是除以 2：4 的平方根只是碰巧也是 2。"),
            Mistake("multiplied", [2, 4, 8, 10, 100, 1000], "是除以，不是乘：每个分数变小，标准差也变小。"),
        ],
        hints=["宽度 d_k 的分数，方差约是 d_k。标准差呢？", "每个分数都除以一个数，标准差也除以这个数。"],
        solution="cells = [2, 2 / 2, 2 / 4, 10, 10 / 10, 10 / 100]",
        why="标准差是 √d_k：2 和 10。除以 √d_k，都回到 1，与宽度无关；除以 d_k，只剩 0.5 和 0.1，越宽越小，"
        "权重越平。",
    ),
    Exercise(
        id="bug_scaling",
        title="除以了谁的平方根",
        kind="bug",
        reference=4,
        arguments=("X", "W_Q", "W_K"),
        inputs=_bug_inputs,
        shape="(n, n)",
        whole=_whole,
        repair=lambda X, W_Q, W_K: _dot(X, W_Q, W_K) / np.sqrt(W_K.shape[1]),
        mistakes=[
            Mistake("blamed_signature", 1, "参数没有错：投影矩阵和 X 都齐了。"),
            Mistake("blamed_projection", 2, "两次投影都是一行一个词元、X 在左，没有错。"),
            Mistake("blamed_scores", 3, "K 转置了，行是查询，列是键，没有错。"),
            Mistake(
                "blamed_division",
                5,
                "公式没有错，错的是用进去的数。d_k 这个名字指的是什么，它又是从哪里取的？",
            ),
            Mistake(
                "still_d_model",
                lambda X, W_Q, W_K: _dot(X, W_Q, W_K) / np.sqrt(X.shape[1]),
                "还是原来的结果：除以的仍是 √d_model。哪个矩阵的宽度是 d_k？",
            ),
            Mistake(
                "root_of_n",
                lambda X, W_Q, W_K: _dot(X, W_Q, W_K) / np.sqrt(len(X)),
                "现在除以的是 √n，n 是行数（词元数）。d_k 是哪个矩阵的列数？",
            ),
            Mistake(
                "lost_root",
                lambda X, W_Q, W_K: _dot(X, W_Q, W_K) / W_K.shape[1],
                "d_k 找对了，可是平方根没有了。",
            ),
            Mistake("lost_scaling", _dot, "缩放没有了：这是原始的分数。"),
        ],
        hints=[
            "「我爱你」的 d_model、d_k、d_v 都是 4；「猫吃鱼」的各不相同。哪一行在前者碰巧对？",
            "代码里除以的那个数，「猫吃鱼」里是几？d_k 又是几？",
        ],
        solution="line = 4  # 应是 d_k = Q.shape[1]",
        why="X.shape[1] 是 d_model，不是 d_k；两者在「我爱你」里恰好都是 4，所以看不出来。"
        "d_k 是查询和键的宽度，写 Q.shape[1]（或 K.shape[1]）。",
    ),
    Exercise(
        id="scale_scores",
        title="写出缩放",
        kind="step",
        arguments=("scores", "d_k"),
        inputs=_scaling_inputs,
        shape="(n_q, n_k)",
        reference=attention.scale_scores,
        without=("scale_scores",),
        mistakes=[
            Mistake("not_scaled", lambda scores, d_k: scores + 0.0, "返回的还是原来的分数，没有除。"),
            Mistake(
                "divided_by_d_k",
                lambda scores, d_k: scores / d_k,
                "是不是除以了 d_k？忘了开平方，或者缩放了两次，都会这样。",
            ),
            Mistake(
                "divided_by_square",
                lambda scores, d_k: scores / d_k**2,
                "是不是除以了 d_k 的平方？要的是平方根。",
            ),
            Mistake(
                "multiplied",
                lambda scores, d_k: scores * np.sqrt(d_k),
                "是不是乘了 √d_k？宽度越大，分数的起伏越大，要除才压得回来。",
            ),
            Mistake(
                "root_twice",
                lambda scores, d_k: scores / d_k**0.25,
                "是不是开了两次平方？d_k 传进来时还没有开过。",
            ),
            Mistake(
                "root_of_columns",
                lambda scores, d_k: scores / np.sqrt(scores.shape[1]),
                "是不是用了 scores 的列数？那是键的个数 n_k；要用的是参数 d_k。",
            ),
            Mistake(
                "root_of_rows",
                lambda scores, d_k: scores / np.sqrt(scores.shape[0]),
                "是不是用了 scores 的行数？那是查询的个数 n_q；要用的是参数 d_k。",
            ),
            Mistake(
                "hard_coded",
                lambda scores, d_k: scores / 2,
                "是不是写死了除以 2？那只对 d_k = 4 成立。这里是 {args}。",
            ),
            Mistake(
                "half_of_d_k",
                lambda scores, d_k: scores / (d_k / 2),
                "是不是除以了 d_k 的一半？平方根不是一半，只是 4 的平方根碰巧是 2。",
            ),
            Mistake(
                "truncated_root",
                lambda scores, d_k: scores / int(np.sqrt(d_k)),
                "√d_k 的小数部分丢了：是不是用了 int？",
            ),
            Mistake(
                "floor_division",
                lambda scores, d_k: scores // np.sqrt(d_k),
                "结果都是整数：是不是用了 //？除法是一个斜杠。",
            ),
            Mistake(
                "root_of_ratio",
                lambda scores, d_k: np.sqrt(scores / d_k),
                "是不是把整个分式开了平方？只有 d_k 开平方，分数不开。",
            ),
            Mistake(
                "subtracted",
                lambda scores, d_k: scores - np.sqrt(d_k),
                "是不是减了 √d_k？减去同一个数，softmax 的结果不会变，等于没有缩放。",
            ),
            Mistake(
                "normalised",
                lambda scores, d_k: scores / scores.sum(axis=1, keepdims=True),
                "每一行加起来等于 1：是不是除以了行的和？缩放只除以一个固定的数。",
            ),
            Mistake(
                "applied_softmax",
                lambda scores, d_k: attention.softmax(scores / np.sqrt(d_k)),
                "每一行加起来等于 1：这已经是权重了。softmax 是下一步。",
            ),
            Mistake(
                "divided_by_largest",
                lambda scores, d_k: scores / scores.max(),
                "是不是除以了最大的分数？要除的数只由 d_k 决定，与分数无关。",
            ),
            Mistake(
                "rounded",
                lambda scores, d_k: np.round(scores / np.sqrt(d_k), 1),
                "是不是把结果舍入了？计算时用没有舍入的数。",
            ),
        ],
        hints=[
            "每个分数都除以同一个数，形状不变。",
            "这个数是 d_k 的平方根。numpy 里矩阵除以一个数，就是每一格都除。",
        ],
        solution="def my_scale_scores(scores, d_k):\n    return scores / np.sqrt(d_k)",
        why="分量独立、平均 0、方差 1 时，点积的方差是 d_k，标准差是 √d_k。除以 √d_k，标准差回到 1；"
        "除以 d_k，又压得太小。",
    ),
]

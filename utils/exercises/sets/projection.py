"""练习：投影。"""

import numpy as np

from utils import attention
from utils.exercises.other_ways import other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_matrix(rng, 3, 5), random_matrix(rng, 5, 4)),
        (random_matrix(rng, 2, 6), random_matrix(rng, 6, 7)),
        (random_matrix(rng, 4, 4), random_matrix(rng, 4, 4)),  # 大小都相同：转置错了也能算，用来认出是哪种错
    ]


_W_Q = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])  # 「我爱你」的
_W_K = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
_W_V = np.array([[2, 0, 1, 0], [0, 2, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])
_X = np.array([2, 0, 1, 3])
_QUERY_WAYS = other_ways(
    lambda x, W, product: product(x, W),
    {"x": _X, "W": _W_Q, "product": np.dot},
    {
        "x": [
            ("ignored_sizes", np.sign(_X), "每一行取几份没有用上。"),
            ("reversed_x", _X[::-1], "表示是不是倒着用了？第 1 个数管第 1 行。"),
            ("rows_shifted", np.roll(_X, 1), "行是不是错开了一行？第 1 个数管第 1 行。"),
            ("rows_shifted", np.roll(_X, -1), "行是不是错开了一行？第 1 个数管第 1 行。"),
            ("squared_x", _X**2, "表示里的数是不是乘了两次（平方了）？"),
            ("no_x", np.ones(4), "没有用到这个词元的表示。"),
        ],
        "W": [
            ("used_W_K", _W_K, "用的是不是 W_K？"),
            ("used_W_V", _W_V, "用的是不是 W_V？"),
        ],
        "product": [
            ("w_times_x", lambda x, W: W @ x, "是不是用 W 的行去乘了？"),
            ("scaled_here", lambda x, W: x @ W / 2, "是不是除以了 √4？缩放是第 3 步，除的是分数。"),
            ("divided_by_width", lambda x, W: x @ W / 4, "是不是除以了 4？点积是和，不是平均。"),
            ("added", lambda x, W: x + W.sum(axis=0), "是不是把表示和各列的和加起来了？要相乘，再加。"),
            ("added_x", lambda x, W: x @ W + x, "是不是又加上了表示本身？投影只有 x @ W。"),
            ("only_diagonal", lambda x, W: x * W.diagonal(), "是不是只用了对角线上的数？"),
        ],
    },
)

EXERCISES = [
    Exercise(
        id="pencil_query",
        title="笔算一个查询",
        kind="number",
        reference=[2, 0, 1, 4],
        tolerance=0.001,
        also=_QUERY_WAYS,
        # x 的各数，乘 W_Q 各列的数
        products=[list(zip(_X.tolist(), column, strict=True)) for column in _W_Q.T.tolist()],
        mistakes=[
            Mistake(
                "w_times_x",
                [2, 0, 4, 3],
                "是不是用 W_Q 的行去乘了？那是 W·x。一行一个词元时写 x @ W：用哪一边的列？",
            ),
            Mistake("used_W_K", [2, 0, 3, 1], "这是它的键，不是查询：用的是不是 W_K？"),
            Mistake("used_W_V", [4, 0, 3, 3], "这是它的值，不是查询：用的是不是 W_V？"),
            Mistake("copied_x", [2, 0, 1, 3], "这是词元的表示本身。乘过 W_Q 了吗？第 4 列里有几个 1？"),
            Mistake("ignored_sizes", [1, 0, 1, 2], "取对了行，但是每一行取几份？表示里的 2 和 3 去哪里了？"),
            Mistake("summed_columns", [1, 1, 1, 2], "这是 W_Q 每一列的和，没有用到这个词元的表示。"),
        ],
        hints=[
            "第 j 个数是 `[2, 0, 1, 3]` 与 W_Q 第 j 列的点积。",
            "也可以看成 W_Q 各行的混合：第 1 行取 2 份，第 2 行取 0 份……再加起来。",
        ],
        solution="answer = np.array([2, 0, 1, 3]) @ np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, "
        "0, 1, 1], [0, 0, 0, 1]])",
        why="x @ W_Q 是 W_Q 各行的混合：2 份第 1 行，1 份第 3 行，3 份第 4 行。第 4 列在第 "
        "3、4 行各有一个 1，"
        "所以最后一个数是 1 + 3。",
    ),
    Exercise(
        id="shape_match",
        title="谁是什么形状",
        kind="match",
        items=("X", "W_Q", "Q", "W_V", "V", "weight"),
        clues=(
            "行数是几个词元，列数是 d_model。",
            "X @ W_Q：行数是 X 的列数，列数是结果的宽度。",
            "Q = X @ W_Q：行数是几个词元，列数跟着 W_Q。",
            "X @ W_V：行数是 X 的列数，列数是结果的宽度。",
            "V = X @ W_V：行数是几个词元，列数跟着 W_V。",
            "nn.Linear(输入宽度, 输出宽度) 存的 weight，哪一个在前？",
        ),
        reference="DBFEAC",
        mistakes=[
            Mistake(
                "linear_as_formula",
                "DBFEAE",
                "nn.Linear 存的是 (输出宽度, 输入宽度)，不是公式里的样子。",
            ),
            Mistake(
                "formula_as_linear",
                "DBFCAC",
                "这是 nn.Linear 里的样子。公式写 X @ W_V，行数要与 X 的列数相同。",
            ),
            Mistake("W_Q_turned", "DGFEAC", "写反了：X @ W_Q，W_Q 的行数要与 X 的列数相同。"),
            Mistake("Q_like_X", "DBDEAC", "投影会改变宽度，列数跟着 W_Q，不跟着 X。"),
            Mistake("V_like_X", "DBFEDC", "投影会改变宽度，列数跟着 W_V，不跟着 X。"),
            Mistake("V_like_Q", "DBFEFC", "它有自己的投影矩阵 W_V，列数不跟着 W_Q。"),
            Mistake("X_turned", "HBFEAC", "写反了：在这门课里，一个词元是一行还是一列？"),
        ],
        hints=[
            "X 一行一个词元，一列一个宽度。",
            "(n, d_model) @ (d_model, d) 是 (n, d)。nn.Linear 里存的，要转置才是公式里的。",
        ],
        solution='letters = "DBFEAC"',
        why="X (5, 8)，W_Q (8, 4)，Q (5, 4)，W_V (8, 2)，V (5, 2)：中间的两个 8 求和以后消失。"
        "nn.Linear(输入, 输出) 按 (输出, 输入) 存，所以是 (2, 8)。",
    ),
    Exercise(
        id="project",
        title="写出投影",
        kind="step",
        arguments=("X", "W"),
        inputs=_inputs,
        shape="(n, d)",
        reference=attention.project,
        without=("project",),
        mistakes=[
            Mistake(
                "W_transposed",
                lambda X, W: X @ W.T,
                "是不是把 W 转置了？nn.Linear 存的是 (输出, 输入)，要转置；这里的 W 已经是 (d_model, d)。",
            ),
            Mistake(
                "w_times_x",
                lambda X, W: W @ X,
                "是不是写成了 W @ X？一列一个词元时才这样写；这里一行是一个词元，X 该在哪一边？",
            ),
            Mistake(
                "X_transposed",
                lambda X, W: X.T @ W,
                "是不是把 X 转置了？X 已经是一行一个词元，它的列数与 W 的行数对得上吗？",
            ),
            Mistake(
                "elementwise",
                lambda X, W: X * W,
                "是不是用了 *？* 是同一格的两个数相乘，没有求和。矩阵乘法是哪个符号？",
            ),
            Mistake(
                "result_transposed",
                lambda X, W: (X @ W).T,
                "数都对，摆法反了：收到 {shape}，应是 {expected_shape}。哪里多了一次转置？",
            ),
            Mistake(
                "first_token_only",
                lambda X, W: X[0] @ W,
                "只算了第 1 个词元。要的是每个词元一行，收到的形状是 {shape}。",
            ),
            Mistake(
                "scaled_here",
                lambda X, W: X @ W / np.sqrt(W.shape[1]),
                "是不是顺手除以了 √d？缩放是第 3 步的事，而且缩放的是分数。",
            ),
            Mistake(
                "added_bias",
                lambda X, W: X @ W + 1,
                "每个数都多了 1：是不是加了偏置？这里的投影没有偏置（bias=False）。",
            ),
            Mistake(
                "applied_softmax",
                lambda X, W: attention.softmax(X @ W),
                "每一行加起来等于 1：是不是做了 softmax？那是第 4 步，而且只对分数做。",
            ),
            Mistake(
                "rounded",
                lambda X, W: np.round(X @ W, 1),
                "是不是把结果舍入了？计算时用没有舍入的数，写出来时才舍入。",
            ),
        ],
        hints=[
            "先看形状：(n, d_model) 和 (d_model, d) 怎样放，中间的两个数才对得上？",
            "一个词元是 X 的一行。第 i 行第 j 列是 X 的第 i 行与 W 的第 j 列的点积。",
            "整个循环是一次矩阵乘法，numpy 里写 @。",
        ],
        solution="def my_project(X, W):\n    return X @ W",
        why="一行是一个词元，所以 X 在左、W 在右：X 的每一行与 W 的每一列做点积。d_model 求和以后消失，"
        "行数仍是词元数，列数由 W 决定。",
    ),
    Exercise(
        id="reading_learned",
        title="哪些是学来的",
        kind="reading",
        reference="A",
        mistakes=[
            Mistake("projections", "B", "查询和键由 X 乘投影矩阵得来。换一句话，X 变了，它们就跟着变。"),
            Mistake("scores", "C", "分数由查询和键算出。换一句话，词元的个数都可能不同，怎么存？"),
            Mistake("weights", "D", "注意力权重由分数算出，每句话都要重新算；投影矩阵才是存好的。"),
        ],
        hints=["换一句话，哪些矩阵的形状可能变？", "形状里有 n 的，都要等读到句子才算得出。"],
        solution='choice = "A"',
        why="参数只有三个投影矩阵，训练时改，训练完就不变，每句话共用。"
        "形状里带着词元数 n 的，都是每句话重新算的。",
    ),
]

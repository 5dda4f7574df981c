"""练习：打分。"""

import numpy as np

from utils import attention
from utils.exercises.other_ways import other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    return [
        (random_matrix(rng, 3, 4), random_matrix(rng, 5, 4)),
        (random_matrix(rng, 2, 6), random_matrix(rng, 7, 6)),
        (random_matrix(rng, 4, 4), random_matrix(rng, 4, 4)),  # 大小都相同：转置错了也能算，用来认出是哪种错
    ]


def _cosine_of_two(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def _cosine(Q, K):
    lengths = np.linalg.norm(Q, axis=1)[:, None] * np.linalg.norm(K, axis=1)
    return Q @ K.T / lengths


_TIGER = {"q": np.array([0.6, 0.2, 0.1, 0.3]), "k": np.array([0.5, 0.1, 0.2, 0])}
_FISH = {"q": np.array([0.1, 0.1, 0.9, 0.3]), "k": np.array([0, 0.2, 1, 0.1])}
_SCORE_WAYS = other_ways(
    lambda seeing, seen, product: product(seeing, seen),
    {"seeing": _FISH["q"], "seen": _TIGER["k"], "product": np.dot},
    {
        "seeing": [
            ("tigers_query", _TIGER["q"], "是不是用了“虎”的查询？"),
            ("fishs_key", _FISH["k"], "是不是用了“鱼”的键？在看的一边出查询。"),
        ],
        "seen": [
            ("tigers_query", _TIGER["q"], "是不是用了“虎”的查询？被看的一边出键。"),
            ("fishs_key", _FISH["k"], "是不是用了“鱼”的键？要看的是“虎”。"),
            ("fishs_query", _FISH["q"], "是不是两边都用了“鱼”的查询？"),
            ("shifted", np.roll(_TIGER["k"], 1), "是不是错开了一位？第 1 个乘第 1 个。"),
            ("shifted", np.roll(_TIGER["k"], -1), "是不是错开了一位？第 1 个乘第 1 个。"),
            ("reversed_key", _TIGER["k"][::-1], "是不是有一个倒着乘了？第 1 个乘第 1 个。"),
        ],
        "product": [
            ("scaled_already", lambda a, b: a @ b / 2, "是不是除以了 √4？缩放在第 3 步。"),
            ("mean_of_products", lambda a, b: a @ b / 4, "是不是除以了 4，取了平均？点积是和。"),
            ("root_of_two", lambda a, b: a @ b / np.sqrt(2), "是不是除以了 √2？这一步什么也不除。"),
            ("cosine", _cosine_of_two, "是不是除以了两个向量的长度？那是余弦。"),
            ("multiplied_by_two", lambda a, b: a @ b * 2, "是不是乘了 2？分数只是四个积的和。"),
            ("added_vectors", lambda a, b: (a + b).sum(), "是不是把数都加起来了？要先相乘。"),
            ("sums_multiplied", lambda a, b: a.sum() * b.sum(), "是不是先各自加起来再乘？先逐项乘，再加。"),
            ("only_one_vector", lambda a, b: a.sum(), "是不是只把查询的数加起来了？要逐项乘键的数。"),
            ("only_one_vector", lambda a, b: b.sum(), "是不是只把键的数加起来了？要逐项乘查询的数。"),
            ("difference", lambda a, b: (a - b).sum(), "是不是相减了？对应的数要相乘。"),
            ("distance", lambda a, b: np.linalg.norm(a - b), "是不是求了两个向量的距离？要的是点积。"),
            ("squared_distance", lambda a, b: ((a - b) ** 2).sum(), "是不是求了距离的平方？要的是点积。"),
            ("exponential", lambda a, b: np.exp(a @ b), "是不是取了 exp？那在第 4 步。"),
            ("elementwise_added", lambda a, b: a + b, "是不是逐项加了？对应的数要相乘，再加成一个数。"),
            ("only_query", lambda a, b: a, "这是一个向量。查询和键逐项相乘，再加成一个数。"),
            ("only_query", lambda a, b: b, "这是一个向量。查询和键逐项相乘，再加成一个数。"),
        ],
    },
)

EXERCISES = [
    Exercise(
        id="pencil_score",
        title="笔算一个分数",
        kind="number",
        reference=0.24,
        tolerance=0.004,
        products=[[(0.1, 0.5), (0.1, 0.1), (0.9, 0.2), (0.3, 0)]],
        also=_SCORE_WAYS,
        mistakes=[
            Mistake("swapped_roles", 0.17, "这是“虎”看向“鱼”。谁在看，就用谁的查询；看向谁，就用谁的键。"),
            Mistake("own_score", 0.95, "这是“鱼”看自己：键用错了，要看的是谁？"),
            Mistake("own_score_of_the_key", 0.34, "这是“虎”看自己：查询用错了，在看的是谁？"),
            Mistake("query_with_query", 0.26, "是不是用了两个查询？被看的一边要用它的键。"),
            Mistake("key_with_key", 0.22, "是不是用了两个键？在看的一边要用它的查询。"),
            Mistake("scaled_already", 0.12, "是不是除以了 √4？这一步要的是原始的分数，缩放在第 3 步。"),
            Mistake("cosine", 0.4568, "这是余弦：除以了两个向量的长度。分数只要点积。"),
            Mistake("added_vectors", 2.2, "是不是把八个数都加起来了？对应的数先相乘，再相加。"),
            Mistake(
                "stopped_early",
                0.06,
                "是不是只加了前两项，或者又除以了 4？四个位置都要乘，都要加；缩放在第 3 步。",
            ),
        ],
        hints=[
            "先说清谁在看、看向谁：四个向量里只用到两个，是哪两个？",
            "在看的一边出查询，被看的一边出键。对应的位置相乘，得到四个积，再加起来。",
        ],
        solution="answer = 0.1 * 0.5 + 0.1 * 0.1 + 0.9 * 0.2 + 0.3 * 0",
        why="分数是查询与键的点积。最大的一项来自第 3 个位置：查询在那里是 0.9，键在那里是 0.2。"
        "它与“虎”看向“鱼”的 0.17 不同，因为换了方向，用的就是另一对查询和键。",
    ),
    Exercise(
        id="scores_shape",
        title="猜 scores 的形状",
        kind="shape",
        reference=(2, 5),
        sizes={2: "查询的个数", 5: "键的个数", 6: "宽度 d_k，点积时加起来了"},
        mistakes=[
            Mistake("transposed", (5, 2), "行和列写反了：行是谁在看？"),
            Mistake("kept_Q", (2, 6), "这是 Q 的形状。6 是 d_k，点积时加起来了，还会留下吗？"),
            Mistake("kept_K", (5, 6), "这是 K 的形状。6 是 d_k，点积时加起来了，还会留下吗？"),
            Mistake("kept_width", (6, 6), "6 是 d_k，点积时求和消失的正是它：是不是算成了 Qᵀ 乘 K？"),
            Mistake("queries_squared", (2, 2), "列是看向谁：有几个键，就有几列。"),
            Mistake("keys_squared", (5, 5), "行是谁在看：有几个查询，就有几行。"),
            Mistake("flattened", (10,), "十个分数没错，但是它们排成矩阵：一行一个查询。"),
        ],
        hints=[
            "写成 (2, 6) @ (6, 5)：K 转置以后是 (6, 5)。",
            "一行一个查询，一列一个键。",
        ],
        solution="shape = (2, 5)",
        why="(n_q, d_k) @ (d_k, n_k) → (n_q, n_k)：每个查询一行，每个键一列，d_k 在点积时求和消失了。",
    ),
    Exercise(
        id="reading_cell",
        title="第 2 行第 3 列说的是什么",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("rows_and_columns_swapped", "A", "行是谁在看，列是看向谁。第 2 行是哪个词元的行？"),
            Mistake("score_as_weight", "C", "分数还不是百分比：第 2 行是 0.37、0.68、0.37，加起来是多少？"),
            Mistake("score_as_cosine", "D", "点积还受长短影响。向量加长一倍，余弦变不变，分数变不变？"),
        ],
        hints=[
            "先说出第 2 行属于谁，再说出第 3 列属于谁。",
            "行是查询（谁在看），列是键（看向谁）。",
        ],
        solution='choice = "B"',
        why="第 i 行第 j 列是查询 i 与键 j 的点积：第 2 行是“吃”在看，第 3 列是看向“鱼”。"
        "它既不是百分比（那是第 4 步），也不是余弦（余弦还要除以两个长度）。",
    ),
    Exercise(
        id="attention_scores",
        title="写出打分",
        kind="step",
        arguments=("Q", "K"),
        inputs=_inputs,
        shape="(n_q, n_k)",
        reference=attention.attention_scores,
        without=("attention_scores",),
        mistakes=[
            Mistake(
                "no_transpose",
                lambda Q, K: Q @ K,
                "是不是忘了转置？矩阵乘法用右边的列，而一个键是 K 的一行。",
            ),
            Mistake(
                "reshaped",
                lambda Q, K: Q @ K.reshape(K.shape[::-1]),
                "形状对了，数却错位：是不是用 reshape 代替了转置？reshape 只重新分行，不交换行和列。",
            ),
            Mistake(
                "Q_transposed",
                lambda Q, K: Q.T @ K,
                "是不是转置了 Q？那样求和消失的是词元，留下的是宽度。该转置哪一个？",
            ),
            Mistake(
                "swapped", lambda Q, K: K @ Q.T, "收到 {shape}：是不是写成了键看查询？行应是查询，列应是键。"
            ),
            Mistake("query_with_query", lambda Q, K: Q @ Q.T, "是不是用了两次 Q？每个查询要看的是键。"),
            Mistake("key_with_key", lambda Q, K: K @ K.T, "是不是用了两次 K？在看的是查询。"),
            Mistake(
                "elementwise", lambda Q, K: Q * K, "是不是用了 *？* 是同一格相乘，没有求和；点积要加起来。"
            ),
            Mistake(
                "rowwise_only",
                lambda Q, K: (Q * K).sum(axis=1),
                "只算了第 i 个查询与第 i 个键。每个查询要看所有的键。",
            ),
            Mistake(
                "first_query_only",
                lambda Q, K: Q[0] @ K.T,
                "只算了第 1 个查询，收到形状 {shape}。每个查询都要有一行。",
            ),
            Mistake(
                "scaled_here",
                lambda Q, K: Q @ K.T / np.sqrt(Q.shape[1]),
                "是不是除以了 √d_k？这一步要原始的分数，缩放在第 3 步。",
            ),
            Mistake(
                "divided_by_width",
                lambda Q, K: Q @ K.T / Q.shape[1],
                "是不是除以了 d_k，把和变成了平均？点积是和。",
            ),
            Mistake(
                "root_of_keys",
                lambda Q, K: Q @ K.T / np.sqrt(len(K)),
                "是不是除以了 √n_k？n_k 是键的个数。缩放在第 3 步，用的也不是它。",
            ),
            Mistake(
                "applied_softmax",
                lambda Q, K: attention.softmax(Q @ K.T),
                "每一行加起来等于 1：这已经是权重了。分数还没有做 softmax。",
            ),
            Mistake(
                "cosine",
                _cosine,
                "每个数都在 −1 和 1 之间：是不是除以了两个向量的长度？那是余弦，分数只要点积。",
            ),
            Mistake(
                "distance",
                lambda Q, K: np.linalg.norm(Q[:, None] - K[None], axis=2),
                "这是查询与键的距离：越像越小。分数是点积，越像一般越大。",
            ),
            Mistake(
                "absolute_value",
                lambda Q, K: np.abs(Q @ K.T),
                "负的分数都变成了正的。分数可以是负数，不取绝对值。",
            ),
            Mistake(
                "rounded",
                lambda Q, K: np.round(Q @ K.T, 1),
                "是不是把结果舍入了？计算时用没有舍入的数，写出来时才舍入。",
            ),
        ],
        hints=[
            "第 i 行第 j 列是 Q 的第 i 行与 K 的第 j 行的点积。",
            "矩阵乘法用左边的行、右边的列。怎样让一个键变成一列？",
            "转置在 numpy 里写 .T，矩阵乘法写 @。先写出形状：(n_q, d_k) @ (d_k, n_k)。",
        ],
        solution="def my_attention_scores(Q, K):\n    return Q @ K.T",
        why="把 K 转置，每个键就立成一列；Q 的每一行与 Kᵀ 的每一列做点积，正是每个查询与每个键的点积。"
        "d_k 求和以后消失，留下 (n_q, n_k)。",
    ),
]

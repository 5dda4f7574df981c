"""练习：遮罩。"""

import math

import numpy as np

from utils import attention
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    inputs = [
        tuple(random_matrix(rng, n, width) for width in (d_k, d_k, d_v))
        for n, d_k, d_v in ((3, 7, 2), (5, 2, 3), (4, 4, 4), (1, 3, 2))
    ]
    far = np.abs(random_matrix(rng, 3, 4, scale=100)) + 50  # 分数都很小：遮住时用 −100、−1000 也不够
    return [*inputs, (far, -far, random_matrix(rng, 3, 2))]


def _attend(Q, K, V, allowed):
    """不许看的格换成 −∞；整行都不许看的照 torch.softmax 给 nan。"""
    scores = np.where(allowed, _scaled(Q, K), -np.inf)
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ V


def _down_the_columns(scores):
    return attention.softmax(scores.T).T


def _causal(Q, K, V):
    return attention.attention(Q, K, V, attention.causal_mask(len(Q))).output


def _scaled(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[1])


def _whole(
    *,
    attention_scores=attention.attention_scores,
    scale_scores=attention.scale_scores,
    softmax=attention.softmax,
    weighted_sum=attention.weighted_sum,
):
    """因果注意力，其中几步可以换掉；遮住在缩放和 softmax 之间。"""

    def attend(Q, K, V):
        scaled = scale_scores(attention_scores(Q, K), Q.shape[1])
        return weighted_sum(softmax(np.where(_tri(Q), scaled, -np.inf)), V)

    return attend


def _tri(Q, k=0):
    return np.tri(len(Q), k=k, dtype=bool)


def _shares(powers):
    with np.errstate(all="ignore"):
        return powers / powers.sum(axis=1, keepdims=True)


def _rows_exp(scores):
    return np.exp(scores - scores.max(axis=1, keepdims=True))


def _rows_share(scores):
    return _shares(_rows_exp(scores))


_RESCALED = (
    "分数不大时都对。先取 exp、后遮住，再除以剩下的和：后面的分数大得多时，前面的 exp 全成了 0，"
    "0 除以 0 是非数。在取 exp 之前换成 −∞。"
)
_WRONG_MASKS = [  # 找错、写一步共用
    Mistake(
        "no_mask",
        lambda Q, K, V: attention.attention(Q, K, V).output,
        "谁也没有遮住：第 1 行输出应该就是 V 的第 1 行。",
    ),
    Mistake(
        "hides_itself",
        lambda Q, K, V: _attend(Q, K, V, _tri(Q, -1)),
        "连自己也遮住了，第 1 行没有权重可分。每个词元看得到自己。",
    ),
    Mistake(
        "only_the_future",
        lambda Q, K, V: _attend(Q, K, V, _tri(Q).T),
        "三角反了：每个词元只看得到自己和后面的。行是谁在看？",
    ),
    Mistake(
        "hidden_swapped",
        lambda Q, K, V: _attend(Q, K, V, ~_tri(Q)),
        "True 和 False 反了：可以看的成了 −∞。np.where 的三项，条件是 True 时取哪一项？",
    ),
    Mistake(
        "zero_scores",
        lambda Q, K, V: attention.softmax(np.where(_tri(Q), _scaled(Q, K), 0)) @ V,
        "是不是把分数换成了 0？e⁰ = 1，后面的词元还是分到权重。",
    ),
    Mistake(
        "after_softmax",
        lambda Q, K, V: attention.softmax(_scaled(Q, K)) * _tri(Q) @ V,
        "是不是先做 softmax，再把权重改成 0？剩下的权重加起来不到 1。",
    ),
    Mistake(
        "added_one",
        lambda Q, K, V: attention.softmax(_scaled(Q, K) + _tri(Q)) @ V,
        "是不是把 True 当作 1 加到了分数上？可以看的加 1，谁也没有遮住。",
    ),
]

EXERCISES = [
    Exercise(
        id="pencil_causal",
        title="第二个词的权重",
        kind="number",
        reference=[0.3333, 0.6667, 0],
        mistakes=[
            Mistake(
                "not_masked",
                [0.0066, 0.0132, 0.9802],
                "第 3 个键还分到了权重。第 2 个词元看得到第 3 个吗？",
            ),
            Mistake(
                "masked_with_zero",
                [0.25, 0.5, 0.25],
                "是不是把第 3 个分数换成了 0？e⁰ = 1，照样分到一份。",
            ),
            Mistake(
                "masked_after_softmax",
                [0.0066, 0.0132, 0],
                "加起来只有 0.02：是不是先做 softmax，再把权重改成 0？遮住要在 softmax 之前。",
            ),
            Mistake("not_divided", [1, 2, 0], "这是三个 exp，还没有除以它们的和。"),
            Mistake("only_itself", [0, 1, 0], "第 1 个词元也可以看：它的分数是 0，exp 是 1，不是 0。"),
            Mistake("reversed", [0.6667, 0.3333, 0], "前两个反了：分数大的那一个，分到的多。"),
            Mistake("scores", [0, 0.6931, 0], "这还是分数：不取 exp，也没有相除。"),
            Mistake("masked_itself", [1, 0, 0], "连自己也遮住了。每个词元都可以看自己。"),
            Mistake("masked_the_past", [0, 0.0132, 0.9868], "遮住的是前面的。第 2 个词元后面的是哪一个？"),
            Mistake("equal_shares", [0.5, 0.5, 0], "各一半，只有两个分数相等时才对。它们相等吗？"),
        ],
        hints=["先看哪几个键可以看，其余的分数换成 −∞。", "−∞ 的 exp 是 0，剩下两个 exp 是 1 和 2。"],
        solution="answer = softmax([[0, 0.6931, -np.inf]])[0]",
        why="第 2 个词元只看第 1、2 个。三个 exp 是 1、2、0，和是 3，所以是 1/3、2/3、0。"
        "被遮住的分数再大，也分不到。",
    ),
    Exercise(
        id="mask_shape",
        title="交叉注意力的遮罩",
        kind="shape",
        reference=(7, 5),
        mistakes=[
            Mistake("transposed", (5, 7), "行是谁在看，列是看向谁。谁在看？"),
            Mistake("queries_twice", (7, 7), "列是键。键是哪一句的词元？"),
            Mistake("keys_twice", (5, 5), "行是查询。查询是哪一句的词元？"),
            Mistake("shape_of_queries", (7, 16), "这是 Q 的形状。遮罩与分数一样大。"),
            Mistake("shape_of_values", (5, 8), "这是 V 的形状。遮罩与分数一样大。"),
            Mistake("shape_of_output", (7, 8), "这是输出的形状。遮罩与分数一样大。"),
        ],
        hints=["遮罩与分数一样大：一格是一个查询和一个键。", "查询有几个，键有几个？d_k、d_v 用得到吗？"],
        solution="answer = np.ones((7, 5), dtype=bool).shape",
        why="遮罩写的是每个查询能不能看每个键，所以是 (n_q, n_k)：7 个英文词在看，5 个中文词被看。",
    ),
    Exercise(
        id="count_true",
        title="数一数 True",
        kind="number",
        reference=[8, 10, 7],
        tolerance=0.0,
        mistakes=[
            Mistake("one_row", [2, 10, 7], "padding_mask 有几行？每一行都有 True。"),
            Mistake("only_real_rows", [4, 10, 3], "补的词元自己的两行也有 True：遮的是列，不是行。"),
            Mistake("only_real_rows_of_both", [8, 10, 3], "叠起来的第 3、4 行也有 True：遮的是列，不是行。"),
            Mistake("smaller_of_both", [8, 10, 8], "叠起来的第 1 行有几个 True？不是取两个数里小的。"),
            Mistake("without_diagonal", [8, 6, 5], "每个词元也看得到自己。"),
            Mistake("either", [8, 10, 11], "& 是两张都是 True 才是 True；你数的是至少一张是 True。"),
            Mistake("added", [8, 10, 18], "& 不是相加：两张都是 True 的格才算。"),
            Mistake("counted_false", [8, 6, 9], "数的是 False 吗？问的是 True。"),
        ],
        hints=[
            "在纸上画两个 4 × 4 的方格：一张前两列是 True，一张左下是 True。",
            "因果的各行有 1、2、3、4 个。两张叠起来，每一行还剩几个？",
        ],
        solution="padding, causal = padding_mask(2, 4), causal_mask(4)\n"
        "answer = [padding.sum(), causal.sum(), (padding & causal).sum()]",
        why="填充遮罩：4 行，每行 2 个，8 个。因果遮罩：1 + 2 + 3 + 4 = 10。"
        "叠起来每行是 1、2、2、2，共 7 个。",
    ),
    Exercise(
        id="bug_leak",
        title="哪里漏了",
        kind="bug",
        reference=4,
        arguments=("Q", "K", "V"),
        inputs=_inputs,
        shape="(n, d_v)",
        repair=_causal,
        whole=_whole,
        mistakes=[
            Mistake("blamed_signature", 1, "参数没有错。"),
            Mistake("blamed_length", 2, "n 是词元的个数，没有错。"),
            Mistake("blamed_scores", 3, "打分和缩放都没有错，与第 3 本一样。"),
            Mistake("blamed_softmax", 5, "可以看就取分数，不然取 −∞，再做 softmax，没有错。"),
            Mistake("blamed_sum", 6, "加权求和没有错：权重对了，输出就对。"),
            Mistake(
                "still_one_ahead",
                lambda Q, K, V: _attend(Q, K, V, _tri(Q, 1)),
                "还是原来的结果：每个词元多看了一个。第 1 行应有几个 True？",
            ),
            *_WRONG_MASKS,
        ],
        hints=[
            "拿 n = 3，把每一行的结果写出来。哪一行与你想的不同？",
            "第 1 个词元只许看自己：第 1 行该有几个 True？",
        ],
        solution="line = 4  # 应是 allowed = np.tri(n, n, 0, dtype=bool)",
        why="k = 1 让对角线往右移一格，每个词元多看一个后面的词元。不移（k = 0，也可以不写）才是因果遮罩。",
    ),
    Exercise(
        id="causal",
        title="写出因果注意力",
        kind="step",
        arguments=("Q", "K", "V"),
        inputs=_inputs,
        shape="(n, d_v)",
        reference=_causal,
        without=("attention", "causal_mask", "mask_scores"),
        whole=_whole,
        also=[
            Mistake(
                "rescaled_afterwards",
                lambda Q, K, V: _shares(attention.softmax(_scaled(Q, K)) * _tri(Q)) @ V,
                _RESCALED,
            ),
            Mistake(
                "rescaled_afterwards",
                lambda Q, K, V: _shares(np.exp(_scaled(Q, K) - _scaled(Q, K).max()) * _tri(Q)) @ V,
                _RESCALED,
            ),
            Mistake(
                "rescaled_afterwards",
                lambda Q, K, V: _shares(_rows_exp(_scaled(Q, K)) * _tri(Q)) @ V,
                _RESCALED,
            ),
            Mistake(
                "plain_average",
                lambda Q, K, V: np.cumsum(V, axis=0) / np.arange(1, len(V) + 1)[:, None],
                "这是自己和前面各行值的平均：没有用到 Q 和 K 的分数。",
            ),
            *(
                Mistake(
                    "subtracted_number",
                    lambda Q, K, V, less=less: attention.softmax(_scaled(Q, K) - less * ~_tri(Q)) @ V,
                    "后面的分数只减了一个数：分数差得更多时，还是漏得过去。换成 −∞。",
                )
                for less in (1, 5, 10, 100, 1000)
            ),
            Mistake(
                "hides_itself",
                lambda Q, K, V: attention.softmax(_scaled(Q, K) - 1e9 * ~_tri(Q, -1)) @ V,
                "连自己也遮住了。每个词元看得到自己：减的是对角线以上，不含对角线。",
            ),
            Mistake(
                "turned_after_masking",
                lambda Q, K, V: _rows_share(np.where(_tri(Q), _scaled(Q, K), -np.inf).T) @ V,
                "遮住以后又转置了一次：行是查询，softmax 沿着行做。",
            ),
            Mistake(
                "divided_columns",
                lambda Q, K, V: _shares((attention.softmax(_scaled(Q, K)) * _tri(Q)).T).T @ V,
                "遮住以后除以的是一列的和。一行是一个查询：除以一行的和，或者在 softmax 之前遮住。",
            ),
        ],
        mistakes=[
            Mistake(
                "one_ahead",
                lambda Q, K, V: _attend(Q, K, V, _tri(Q, 1)),
                "每个词元多看了一个后面的。第 1 行的 True 有几个？",
            ),
            *_WRONG_MASKS,
            Mistake(
                "not_scaled",
                lambda Q, K, V: _attend(Q * np.sqrt(Q.shape[1]), K, V, _tri(Q)),
                "遮住做对了，是不是没有除以 √d_k？",
            ),
            Mistake(
                "divided_by_d_k",
                lambda Q, K, V: _attend(Q / np.sqrt(Q.shape[1]), K, V, _tri(Q)),
                "遮住做对了，是不是除以了 d_k，忘了开平方？",
            ),
            Mistake(
                "divided_by_root_n",
                lambda Q, K, V: _attend(Q * np.sqrt(Q.shape[1] / len(Q)), K, V, _tri(Q)),
                "除以的是 √n 吗？d_k 是 Q 的列数。",
            ),
            Mistake(
                "keys_ask",
                lambda Q, K, V: _attend(K, Q, V, _tri(Q)),
                "打分是不是写成了 K @ Q.T？行是谁在看：查询在前。",
            ),
            Mistake(
                "softmax_down_the_columns",
                lambda Q, K, V: _down_the_columns(np.where(_tri(Q), _scaled(Q, K), -np.inf)) @ V,
                "softmax 是不是做在了列上？每一行加起来才是 1。",
            ),
            Mistake(
                "mixes_keys",
                lambda Q, K, V: _attend(Q, K, K, _tri(Q)),
                "混合的是 K 的行。最后一步该乘谁？",
            ),
            Mistake(
                "only_itself",
                lambda Q, K, V: V + 0.0,
                "每一行输出就是自己的值：是不是只留了对角线？前面的也可以看。",
            ),
        ],
        hints=[
            "先照第 2、3 步算出缩放后的分数，(n, n)。",
            "np.tri(n, dtype=bool) 的左下是 True；np.where(条件, A, B) 一格一格地挑。",
            "换成 −∞ 以后再做 softmax，最后乘 V。",
        ],
        solution="def my_causal(Q, K, V):\n"
        "    scaled_scores = Q @ K.T / np.sqrt(Q.shape[1])\n"
        "    allowed = np.tri(len(Q), dtype=bool)\n"
        "    return softmax(np.where(allowed, scaled_scores, -np.inf)) @ V",
        why="不许看的格换成 −∞，exp 是 0，剩下的键重新分，每行仍加起来是 1。"
        "第 1 行只剩自己，输出就是自己的值。",
    ),
    Exercise(
        id="which_boolean",
        title="该写哪一个",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake(
                "true_is_real",
                "A",
                "这是“True 是可以看”的写法。在 key_padding_mask 里，True 是什么意思？",
            ),
            Mistake("ones_added", "B", "小数是加到分数上的：真的词元加 1，补的加 0，遮住谁了？"),
            Mistake("ones_added_to_padding", "D", "小数是加到分数上的：补的词元加 1，权重反而更大。"),
        ],
        hints=[
            "先问两件事：给的是真假，还是小数？真假里，True 是可以看，还是不许看？",
            "看「用 torch 对一遍」末尾的表。",
        ],
        solution='choice = "C"',
        why="key_padding_mask 里 True 是不许看：真的两个词元写 False，补的两个写 True。"
        "同样的一行交给 scaled_dot_product_attention 的 attn_mask，要反过来。",
    ),
    Exercise(
        id="pencil_floor",
        title="老实答题的最低处",
        kind="number",
        reference=2 * math.log(2) / 6,
        tolerance=0.0008,
        mistakes=[
            Mistake(
                "over_tokens",
                2 * math.log(2) / 8,
                "分母用了 8 个词元。每句最后的句号后面没有词要猜，一共几道题？",
            ),
            Mistake("zero", 0, "“我爱”后面可以是“你”，也可以是“猫”。只凭前面的词，答得准吗？"),
            Mistake("not_averaged", 1.3863, "这是两道题的损失之和。还要平均到几道题上？"),
            Mistake("one_question", math.log(2), "这是一道答不准的题的损失。6 道题里有几道这样的？"),
            Mistake(
                "counted_once",
                math.log(2) / 6,
                "是不是只算了一道，或者照抄了正文的数？两句话各有一道答不准。",
            ),
            Mistake(
                "without_full_stops",
                2 * math.log(2) / 4,
                "分母是几？句号也是一道题，一共 6 道。",
            ),
            Mistake(
                "four_uncertain",
                4 * math.log(2) / 6,
                "答不准的有几道？“我”后面总是“爱”，句号也总答得准。",
            ),
        ],
        hints=[
            "六道题逐个问：只凭前面的词，下一个词定了吗？",
            "没有定的题，两个词各给一半的概率，损失是 ln 2。",
        ],
        solution="answer = 2 * np.log(2) / 6",
        why="“我”后面总是“爱”，最后总是句号，这四道可以是 0；“我爱”后面一半是“你”，一半是“猫”，"
        "这两道各是 ln 2。平均是 2 × 0.6931 / 6。",
    ),
]

"""练习：遮罩。"""

import numpy as np

from utils import attention
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake, Reason
from utils.exercises.sets.softmax import softmax_ways


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
_WRONG_MASKS = [
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
        also=[
            *softmax_ways(
                [0, 0.6931, -np.inf],
                [
                    ("not_masked", [0, 0.6931, 5], "是不是没有遮住第 3 个？"),
                    ("masked_with_zero", [0, 0.6931, 0], "是不是把第 3 个分数换成了 0？"),
                    ("masked_itself", [0, -np.inf, -np.inf], "是不是连自己也遮住了？"),
                    ("only_itself", [-np.inf, 0.6931, -np.inf], "是不是把第 1 个也遮住了？前面的看得到。"),
                    ("masked_the_past", [-np.inf, 0.6931, 5], "是不是把前面的遮住了？遮的是后面的。"),
                    ("only_later", [-np.inf, -np.inf, 5], "是不是遮反了，只留下后面的？"),
                    ("hid_itself_only", [0, -np.inf, 5], "是不是遮住了自己，没有遮后面的？"),
                ],
            ),
            Mistake("score_kept", [1 / 3, 2 / 3, 5], "第 3 个写的还是分数：遮住以后，它的权重是几？"),
            Mistake("score_kept", [0, 0.6931, 5], "这是原来的分数：遮住第 3 个，再取 exp，再相除。"),
            Mistake("one_for_masked", [1 / 3, 2 / 3, 1], "第 3 个遮住了，它的权重不是 1。"),
        ],
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
                "是不是先做 softmax，再把权重改成 0？遮住要在 softmax 之前。",
            ),
            Mistake("not_divided", [1, 2, 0], "这是三个 exp，还没有除以它们的和。"),
            Mistake("only_itself", [0, 1, 0], "第 1 个词元也可以看：它的分数是 0，exp 是 1，不是 0。"),
            Mistake("reversed", [0.6667, 0.3333, 0], "前两个反了：分数大的那一个，分到的多。"),
            Mistake("scores", [0, 0.6931, 0], "这还是分数：不取 exp，也没有相除。"),
            Mistake("masked_itself", [1, 0, 0], "连自己也遮住了。每个词元都可以看自己。"),
            Mistake("masked_the_past", [0, 0.0132, 0.9868], "遮住的是前面的。第 2 个词元后面的是哪一个？"),
            Mistake("equal_shares", [0.5, 0.5, 0], "各一半，只有两个分数相等时才对。它们相等吗？"),
            Mistake(
                "equal_three",
                [0.3333, 0.3333, 0.3333],
                "三个一样多：遮住的那一个也分到了，而且没有看分数。先遮住，再取 exp。",
            ),
            Mistake(
                "dropped_after",
                [0.25, 0.5, 0],
                "是不是把遮住的当成 0 分，分完再划掉？遮住要在取 exp 之前，它的 exp 是 0。",
            ),
            Mistake(
                "exp_of_zero_not_divided", [0, 2, 0], "e⁰ 等于多少？不是 0。取了 exp 以后，还要除以它们的和。"
            ),
        ],
        hints=["先看哪几个键可以看，其余的分数换成 −∞。", "−∞ 的 exp 是 0，剩下两个 exp 是 1 和 2。"],
        solution="answer = softmax([[0, 0.6931, -np.inf]])[0]",
        why="第 2 个词元只看第 1、2 个。三个 exp 是 1、2、0，和是 3，所以是 1/3、2/3、0。"
        "被遮住的分数再大，也分不到。",
    ),
    Exercise(
        id="mask_faults",
        title="三张遮错的权重",
        kind="match",
        items=("甲", "乙", "丙"),
        reference="CAD",
        mistakes=[
            Mistake(
                "after_as_zero",
                "AAD",
                "换成 0 的分数，exp 是 1，右上角就不会是 0。这里的右上角是什么？一行加起来呢？",
            ),
            Mistake("after_as_ahead", "DAD", "右上角都是 0，谁也没有多看。把每一行加起来。"),
            Mistake("zero_as_after", "CCD", "softmax 以后再改，右上角会是 0，一行加起来不到 1。这里呢？"),
            Mistake("zero_as_ahead", "CDD", "多看一个的话，第 1 行第 3 格还是 0。这里呢？"),
            Mistake("ahead_as_zero", "CAA", "换成 0 的话，没有一格是 0。第 1 行第 3 格呢？"),
            Mistake("ahead_as_after", "CAC", "softmax 以后再改，一行加起来不到 1。加一加这里的行。"),
            Mistake("turned", "BBB", "三角反了的话，最后一行只剩自己，是 0、0、1。这里的最后一行呢？"),
        ],
        hints=[
            "先看右上角的三格是不是 0，再看每一行加起来是不是 1。",
            "三张的最后一行都对：它本来就看得到全部。看第 1 行。",
        ],
        solution='letters = "CAD"',
        why="甲的右上角是 0，第 1、2 行加起来却不到 1：先做了 softmax，再把权重改成 0。"
        "乙的右上角分到了权重，每一行的和是 1："
        "分数换成了 0，e⁰ = 1。丙的第 1 行看到了第 2 个词元：对角线往右多移了一格。",
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
            *(
                Mistake(
                    "mask_number",
                    lambda Q, K, V, number=number: (
                        attention.softmax(np.where(_tri(Q), _scaled(Q, K), number)) @ V
                    ),
                    "后面的分数换成了一个负数：别的分数都更小时，权重反而给了后面的。换成 −∞。",
                )
                for number in (-1, -5, -10, -20, -50, -99, -100, -999, -1000)
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
        id="mask_match",
        title="该写哪一行",
        kind="match",
        items=("①", "②", "③", "④"),
        clues=(
            "真的词元有几个？这里 True 是可以看：真的写什么，补的写什么？",
            "真的词元有几个？这里 True 是不许看：真的写什么，补的写什么？",
            "两张都是 True 才是 True：先写出因果的第 3 行，再划去补的词元。",
            "第 3 个词元看得到自己和前面的：从左数几个 True？",
        ),
        reference="ABAC",
        mistakes=[
            Mistake("sdpa_hides", "BBAC", "这个函数的真假里，True 是可以看。补的词元写什么？"),
            Mistake("padding_shows", "AAAC", "`key_padding_mask` 的真假里，True 是不许看。真的词元写什么？"),
            Mistake("only_causal", "ABCC", "第 3 个词元是补的。叠上填充遮罩，还有谁看得到它？"),
            Mistake(
                "rows_hidden", "ABEC", "填充遮罩遮的是列，不是行：补的词元自己那一行，也还看得到真的词元。"
            ),
            Mistake("without_itself", "ABAA", "每个词元也看得到自己。"),
            Mistake("turned", "ABAD", "这里 True 是可以看：看得到的是自己和前面的，不是后面的。"),
        ],
        hints=[
            "先问清楚 True 是可以看还是不许看，再写。",
            "`&` 是两张都是 True 才是 True。第 3 行在因果遮罩里有三个 True。",
        ],
        solution='letters = "ABAC"',
        why="`scaled_dot_product_attention` 里 True 是可以看，真的两个词元写 True；`key_padding_mask` 里 "
        "True 是不许看，正好相反。"
        "`causal_mask(4)` 的第 3 行看得到前三个，叠上填充遮罩，补的第 3 个也没有了。",
    ),
    Exercise(
        id="mask_shape",
        title="交叉注意力的遮罩",
        kind="shape",
        reference=(7, 5),
        sizes={7: "查询（英文词）的个数", 5: "键（中文词）的个数", 16: "宽度 d_k", 8: "宽度 d_v"},
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
        id="truth_leak",
        title="留出句的损失也低",
        kind="truth",
        reference=False,
        mistakes=[Mistake("held_out_proves", True, "没有遮罩时，留出句的答案写在哪里？模型看得到那一格吗？")],
        hints=[
            "没有遮罩，第 i 个词元要猜的词，是不是它右边的一格？",
            "留出句也这样吗？抄右边一格，要不要见过这句话？",
        ],
        ideas=(
            r"右边|右侧|后面|后边|下一个|后一个|未来|抄|泄露|泄漏|作弊|偷看|复制|照搬|开卷|泄题|逐个|一个(词|字)一个",
            r"(留出|也|照样|同样|还是|仍|都|一样|照旧)…(看(得|到|见)|能看|可以看|没遮|没有遮)",
            r"(没|没有|忘(记)?(了)?|不|缺|少)(加|用|做)?了?遮|看(得)?(到|见)…(答案|词|字|格)|答案…(在|写|摆|就)",
        ),
        reasons=[
            Reason(
                "overfitting",
                r"过(度)?拟合",
                "过拟合是训练句的损失低、留出句的高，这里两种都低。算留出句的损失时，要猜的词写在哪里？",
            ),
            Reason(
                "few_sentences",
                r"(留出|样本|句|数据)…(太少|很少|不够|不足)|(数据|样本|句子|出句)少|几句|运气|碰巧|偶然|凑巧|巧合|样本|随机",
                "留出句再多，损失也一样低：不是运气。没有遮罩，要猜的词写在哪里？",
            ),
            Reason(
                "easy_sentences",
                r"简单|容易|相似|类似|像|重复|重叠|混(进|入|了)|分布|差不多",
                "换成别的新句子，损失照样低。没有遮罩，要猜的词写在哪里？",
            ),
            Reason(
                "memorise",
                r"背|记住|记下|没(有)?见过|学会|参加训练|没(有)?训练过|真本事|真的(会|学|懂)",
                "偷看不是背下来，没见过的句子也能偷看。没有遮罩，要猜的词写在哪里？",
            ),
            Reason(
                "only_in_training",
                r"(只|仅|才)…训练|训练(时|句)…才|考(试)?时(就)?(不|没)",
                "考留出句时，遮罩补上了吗？模型这时看得到哪些格？",
            ),
            Reason(
                "wrong_metric",
                r"正确率|准确率|学习率|欠拟合|没收敛|没训练(好|够)",
                "不是换一个指标、再训练的事：偷看时这些也都好看。没有遮罩，要猜的词写在哪里？",
            ),
        ],
        solution="answer = False\nreason = '留出句的答案也写在右边一格，照样可以抄'",
        why="留出句的答案也写在右边一格，照样可以抄，损失当然低。查泄露要看别的：让它自己一个词一个词往下写，"
        "或者改后面的词，看前面的输出动不动。",
    ),
]

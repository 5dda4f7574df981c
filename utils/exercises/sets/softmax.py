"""练习：softmax。"""

import numpy as np

from utils import attention
from utils.exercises.other_ways import other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake, Reason


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    # exp 会溢出；各行相差很远；一行之内也相差很远
    large = np.array([[1000.0, 999.5, 998.0], [-900.0, -901.5, -900.5], [1000.0, -1000.0, 0.0]])
    masked = random_matrix(rng, 3, 6)
    masked[0, 3:] = masked[2, 1] = -np.inf
    far = np.array([[-9000, -9001.5, -np.inf]])  # 遮住时用的数再小，也可能比这里的分数大
    return [
        (random_matrix(rng, 3, 5),),
        (random_matrix(rng, 4, 2),),
        (random_matrix(rng, 3, 3),),  # 方的：漏掉 keepdims 也不报错，用来认出它
        (masked,),
        (large,),
        (far,),
    ]


def _exp(s):
    return np.exp(s - s.max(axis=1, keepdims=True))


def _one_hot(s):
    return np.eye(s.shape[1])[s.argmax(axis=1)]


def _masked_with(number):
    message = "被遮住的键是不是换成了一个负数，如 −10、−100？别的分数都更小时，权重反而全给了它。换成 −∞。"
    return Mistake("mask_number", lambda s: attention.softmax(np.where(np.isneginf(s), number, s)), message)


def softmax_ways(row, other_rows):
    """一行分数的权重，笔算时的各种错误。other_rows : 把分数先弄错了的，(英文名, 一行, 一句话)。"""

    def shares(row, power, share):
        return share(power(np.array(row, float)))

    def zero_for_zero(s):
        return np.where(s == 0, 0, np.exp(s))

    def one_for_logarithm(s):
        return np.exp(np.where(np.isclose(s, 0.6931), 1, s))

    return other_ways(
        shares,
        {"row": row, "power": np.exp, "share": lambda e: e / e.sum()},
        {
            "row": other_rows,
            "power": [
                ("no_exp", lambda s: np.where(np.isneginf(s), 0, s), "是不是没有取 exp？"),
                ("exp_of_zero_is_zero", zero_for_zero, "是不是把 e⁰ 当成了 0？"),
                ("logarithm_as_one", one_for_logarithm, "是不是把 0.6931 当成了 1？它的 exp 是 2，不是 e。"),
                ("base_two", np.exp2, "是不是用 2 作底？"),
                ("base_ten", lambda s: 10**s, "是不是用 10 作底？"),
                ("negative", lambda s: np.exp(np.where(np.isneginf(s), s, -s)), "正负号是不是反了？"),
                ("times_e", lambda s: np.where(np.isneginf(s), 0, np.e * s), "exp 不是乘 e，是 e 的几次方。"),
            ],
            "share": [
                ("not_divided", lambda e: e, "是不是没有除以和？"),
                ("divided_by_largest", lambda e: e / e.max(), "是不是除以了最大的一个？要除以和。"),
                ("divided_by_count", lambda e: e / 3, "是不是除以了 3？要除以几个 exp 的和。"),
                ("divided_by_count", lambda e: e / 2, "是不是除以了 2？要除以几个 exp 的和。"),
                ("one_too_many", lambda e: e / (e.sum() + 1), "几个 exp 的和，是不是多加了 1？"),
                ("one_too_few", lambda e: e / (e.sum() - 1), "几个 exp 的和，是不是少加了 1？"),
                ("divided_twice", lambda e: e / e.sum() ** 2, "是不是除以了两次和？"),
                ("divided_by_double", lambda e: e / e.sum() / 2, "和是不是多算了一倍？"),
                ("percent", lambda e: 100 * e / e.sum(), "这是百分数，权重写成 0 到 1 之间的数。"),
                (
                    "softmax_again",
                    lambda e: attention.softmax((e / e.sum())[None])[0],
                    "是不是做了两次 softmax？",
                ),
                ("equal_shares", lambda e: np.full(3, 1 / 3), "是不是平分了？分数不同，权重也不同。"),
                ("root_taken", lambda e: np.sqrt(e / e.sum()), "是不是又开了平方？"),
                ("inverted", lambda e: e.sum() / e, "是不是反过来除了？"),
                ("rest_of_one", lambda e: 1 - e / e.sum(), "是不是又用 1 去减了？"),
            ],
        },
    )


MASK_NUMBERS = [_masked_with(number) for number in (-1, -2, -5, -8, -9, -10, -20, -100)]


EXERCISES = [
    Exercise(
        id="pencil_softmax",
        title="笔算一行 softmax",
        kind="number",
        reference=[0.25, 0.5, 0.25],
        given=[0, 0.6931, 0],
        also=softmax_ways(
            [0, 0.6931, 0],
            [
                ("exponentials_as_scores", [1, 2, 1], "是不是把 exp 又当作分数，再取了一次 exp？"),
                ("only_two", [0, 0.6931, -np.inf], "是不是漏了一个 0？它的 exp 也要算进去。"),
            ],
        ),
        mistakes=[
            Mistake("exp_of_zero_is_zero", [0, 1, 0], "0 的权重不是 0：e⁰ 等于多少？取过 exp 了吗？"),
            Mistake("not_divided", [1, 2, 1], "这是三个 exp。还差一步：每个除以它们的和，加起来才是 1。"),
            Mistake("divided_by_largest", [0.5, 1, 0.5], "是不是除以了最大的 exp？要除以三个 exp 的和。"),
            Mistake("equal_shares", [0.3333, 0.3333, 0.3333], "三个一样大，只有三个分数相等时才对。"),
            Mistake(
                "sigmoid",
                [0.5, 0.6667, 0.5],
                "加起来超过 1：是不是每个数单独算的？分母要把这一行的三个 exp 都加上。",
            ),
            Mistake("percent", [25, 50, 25], "比例对，是百分数。权重写成 0 到 1 之间的数。"),
            Mistake(
                "exp_of_zero_not_divided", [0, 2, 0], "e⁰ 等于多少？不是 0。取了 exp 以后，还要除以它们的和。"
            ),
            Mistake(
                "logarithm_as_one",
                [0.2119, 0.5761, 0.2119],
                "是不是把 0.6931 当成了 1？ln 2 ≈ 0.6931，它的 exp 是 2。",
            ),
            Mistake("base_two", [0.2764, 0.4472, 0.2764], "是不是用 2 作底？exp 的底是 e ≈ 2.718。"),
            Mistake(
                "exp_kept_as_score", [0.3714, 0.2572, 0.3714], "大小反了：分数大的，权重也大。正负号对不对？"
            ),
        ],
        hints=[
            "三步：① 取 exp，② 求和，③ 相除。",
            "① 得到 1、2、1（e⁰ = 1）。② 和是多少？",
        ],
        solution="answer = np.array([1, 2, 1]) / (1 + 2 + 1)",
        why="三个 exp 是 1、2、1，和是 4，相除就得到权重。分数多 ln 2，权重就是 2 倍：比只由分数的差决定。",
    ),
    Exercise(
        id="truth_shift",
        title="只看差",
        kind="truth",
        reference=True,
        mistakes=[Mistake("larger_scores", False, "三个分数都变了，它们的差变了吗？写出三个 exp 的比。")],
        hints=["两行分数里，第 1 个都比第 2 个大多少？", "一个 exp 除以另一个 exp，等于 e 的几次方？"],
        ideas=(
            r"差(?!不多|一点|很)…(没变|没有变|不变|未变|没改|相同|一样|相等|还是|仍)",
            r"(只|由|取决于|依赖|决定)…差(?!不多)|差…决定|两两…差",
            r"约(掉|分|去|了)|抵消|消掉|消去|平移|常数|最大值|198|分子…分母|分母…分子|公因",
            r"差还在|相减|减…最大|间隔|挪|加…(相同|同样)",
            r"(都|同时|一起|整体|整行|统一|同样|同)(是|只)?(加|减|多)(?!大|倍|到)(?!…倍)",
            r"同一个(数|值)|(同|都|各)乘…(e|exp)|(exp|e\s*\^|指数)[^，,。;；]{0,10}比",
        ),
        reasons=[
            Reason(
                "as_ratio",
                r"比例|比值|等比|\d+\s*:\s*\d+|倍|分数的比|乘(了|以)? ?100|成比",
                "分数的比变了（200 : 199 不是 2 : 1），也不是都乘了 100；"
                "权重不看分数的比。写出三个 exp 的比。",
            ),
            Reason(
                "as_rank",
                r"名次|排名|排序|次序|顺序|大小关系|谁(最|更)?大|最大的(还|没|仍)|(还|仍|第一个)…最大",
                "只看名次还不够：[2, 1, 1] 和 [9, 1, 1] 名次也相同，权重却不同。"
                "除了名次，这两行还有什么相同？",
            ),
            Reason(
                "sums_to_one",
                r"(加起来|和|总和|合计|相加|总)(都|还|总|仍|也|然)*(是|等于|为|=)\s*(1|一)(?![\d:])|归一",
                "哪一行权重加起来都是 1，这说不出三个权重各是多少。写出三个 exp 的比。",
            ),
            Reason(
                "overflow",
                r"溢出|算不|inf|无穷|nan|爆",
                "会不会溢出看怎样算，不看结果：每行先减去自己的最大值，就不溢出。减一减，两行各成了什么？",
            ),
            Reason(
                "nearly_equal",
                r"(199|200)…(接近|差不多)|相对|百分|平均",
                "softmax 不看相差百分之几。第 1 个比第 2 个大多少？两行各算一次。",
            ),
        ],
        solution="answer = True\nreason = '分数的差没有变，exp 的比就没有变'",
        why="三个分数都加了 198，三个 exp 都乘了 e 的 198 次方，分子、分母一约就没有了："
        "权重只由分数的差决定。"
        "所以先减去最大值也不改变结果，还不会溢出。",
    ),
    Exercise(
        id="bug_softmax",
        title="行的和为什么不是 1",
        kind="bug",
        reference=4,
        arguments=("scaled_scores",),
        inputs=_inputs,
        shape="(n_q, n_k)",
        repair=attention.softmax,
        mistakes=[
            Mistake("blamed_signature", 1, "参数没有错。"),
            Mistake("blamed_largest", 2, "每行的最大值，形状 (3, 1)，没有错。"),
            Mistake("blamed_exp", 3, "每行减去自己的最大值，再取 exp，没有错：减去它不改变结果。"),
            Mistake(
                "blamed_division", 5, "除法本身没有错。totals 的形状是 (3,) 还是 (3, 1)？那是在哪一行定下的？"
            ),
            Mistake(
                "still_no_keepdims",
                lambda s: _exp(s) / _exp(s).sum(axis=1),
                "还是原来的结果：和的形状仍是一维，numpy 把它当作一行，与各列对齐了。",
            ),
            Mistake(
                "other_axis",
                lambda s: _exp(s) / _exp(s).sum(axis=0, keepdims=True),
                "现在是按列除了：你的第 {row} 行加起来是 {row_sum}。要加的是每一行。",
            ),
            Mistake(
                "global_max",
                lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(axis=1, keepdims=True),
                "和改对了，可是所有行减了同一个最大值：一行的分数都比它小很多时，exp 全成了 0。",
            ),
            Mistake(
                "one_total",
                lambda s: _exp(s) / _exp(s).sum(),
                "现在所有格子除以同一个总和，整个矩阵加起来才是 1：你的第 {row} 行是 {row_sum}。",
            ),
        ],
        hints=[
            "在每一行后面写出结果的形状。哪一行的形状少了一维？",
            "(3, 3) 除以 (3,)：numpy 把 (3,) 当作一行还是一列？",
        ],
        solution="line = 4  # 应是 totals = exponentials.sum(axis=1, keepdims=True)",
        why="不写 keepdims，和的形状是 (3,)。numpy 把它当作一行，于是第 j 列除以了第 j 行的和。"
        "写 keepdims=True，形状是 (3, 1)，第 i 行才除以第 i 行的和。",
    ),
    Exercise(
        id="weights_faults",
        title="三张错的权重",
        kind="match",
        items=("甲", "乙", "丙"),
        reference="BDA",
        mistakes=[
            Mistake("as_no_exp", "AAA", "没有取 exp，分数是 0 的权重就该是 0。这里是吗？"),
            Mistake("as_twice", "CCA", "做两次 softmax，一行加起来还是 1。加一加这里的行。"),
            Mistake("columns_as_total", "DDA", "九个数加起来是 3，不是 1。是哪个方向的和都是 1？"),
            Mistake("total_as_columns", "BBA", "一列加起来也不是 1。九个数加起来是多少？"),
            Mistake("no_exp_as_twice", "BDC", "做两次 softmax，没有一个权重是 0。这里的 0 从哪里来？"),
            Mistake("no_exp_as_columns", "BDB", "每一行加起来都是 1，方向没有错。看 0 和各数的比。"),
            Mistake("no_exp_as_total", "BDD", "每一行加起来都是 1，分母没有错。看 0 和各数的比。"),
        ],
        hints=[
            "先把每一行加起来，再加每一列，再加全部。",
            "和都对的那一张，拿一行权重的比与分数的比、exp 的比对一对。",
        ],
        solution='letters = "BDA"',
        why="甲的每一列加起来是 1：softmax 沿着列做了。乙的九个数加起来才是 1：除以了整个矩阵的和。"
        "丙的每一行是 1，可是权重的比就是分数的比，0 还是 0：没有取 exp。",
    ),
    Exercise(
        id="softmax",
        title="写出 softmax",
        kind="step",
        arguments=("scaled_scores",),
        inputs=_inputs,
        shape="(n_q, n_k)",
        reference=attention.softmax,
        without=("softmax",),
        also=MASK_NUMBERS,
        mistakes=[
            Mistake(
                "column_softmax",
                lambda s: np.exp(s - s.max(axis=0)) / np.exp(s - s.max(axis=0)).sum(axis=0),
                "是不是沿列做了 softmax？每一行加起来应该等于 1，你的第 {row} 行是 {row_sum}。",
            ),
            Mistake(
                "column_softmax_no_max",
                lambda s: np.exp(s) / np.exp(s).sum(axis=0),
                "方向错了，也没有减去最大值。先看方向：沿列做，列的和才是 1；"
                "你的第 {row} 行加起来是 {row_sum}，应该是多少？",
            ),
            Mistake(
                "whole_matrix",
                lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(),
                "是不是除以了整个矩阵的和？每一行加起来应该等于 1，你的第 {row} 行是 {row_sum}。",
            ),
            Mistake(
                "whole_matrix_no_max",
                lambda s: np.exp(s) / np.exp(s).sum(),
                "除以的是整个矩阵的和，也没有减去最大值。先看和：一行该有自己的分母；"
                "你的第 {row} 行加起来是 {row_sum}，应该是多少？",
            ),
            Mistake(
                "no_keepdims",
                lambda s: _exp(s) / _exp(s).sum(axis=1),
                "行的和是不是少了 keepdims=True？形状 (n_q,) 会与各列对齐；方的矩阵不报错，"
                "可是你的第 {row} 行加起来是 {row_sum}。",
            ),
            Mistake(
                "no_keepdims_no_max",
                lambda s: np.exp(s) / np.exp(s).sum(axis=1),
                "求和少了 keepdims=True，也没有减去最大值。先看和的形状：(n_q,) 会与各列对齐；"
                "方的矩阵不报错，你的第 {row} 行加起来却是 {row_sum}。",
            ),
            Mistake(
                "max_no_keepdims",
                lambda s: np.exp(s - s.max(axis=1)) / np.exp(s - s.max(axis=1)).sum(axis=1, keepdims=True),
                "取最大值时是不是少了 keepdims=True？形状 (n_q,) 会与各列对齐，第 j "
                "列减去的成了第 j 行的最大值。",
            ),
            Mistake(
                "no_max",
                lambda s: np.exp(s) / np.exp(s).sum(axis=1, keepdims=True),
                "分数不大时都对，分数很大时 exp 溢出了。取 exp 之前少了哪一步，能让最大的数变成 0？",
            ),
            Mistake(
                "global_max",
                lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(axis=1, keepdims=True),
                "是不是所有行减了同一个最大值？一行的分数都比它小很多时，exp 全成了 0。"
                "每一行该减谁的最大值？",
            ),
            Mistake(
                "max_only_above",
                lambda s: _exp(s) / np.exp(s).sum(axis=1, keepdims=True),
                "分子减去了最大值，分母没有：两边要减同一个数，才能约掉。你的第 {row} 行加起来是 {row_sum}。",
            ),
            Mistake(
                "column_sum",
                lambda s: _exp(s) / _exp(s).sum(axis=0),
                "减对了最大值，和却是沿列求的（axis=0）：你的第 {row} 行加起来是 {row_sum}，应该是 1。",
            ),
            Mistake(
                "one_total",
                lambda s: _exp(s) / _exp(s).sum(),
                "减对了最大值，可是所有格子除以了同一个总和：你的第 {row} 行加起来是 {row_sum}，应该是 1。",
            ),
            Mistake(
                "column_max",
                lambda s: np.exp(s - s.max(axis=0)) / np.exp(s - s.max(axis=0)).sum(axis=1, keepdims=True),
                "是不是减了每一列的最大值？同一行里减的数不同，比就变了。",
            ),
            Mistake(
                "no_exp",
                lambda s: s / s.sum(axis=1, keepdims=True),
                "是不是没有取 exp，直接除以了和？负的分数会得到负的权重。",
            ),
            Mistake(
                "not_divided",
                lambda s: np.exp(s),
                "这是 exp，还没有除以每一行的和：你的第 {row} 行加起来是 {row_sum}。",
            ),
            Mistake(
                "shifted_not_divided",
                _exp,
                "减去了最大值，取了 exp，还没有除以每一行的和：你的第 {row} 行加起来是 {row_sum}。",
            ),
            Mistake(
                "exp_of_ratio",
                lambda s: np.exp(s / np.exp(s).sum(axis=1, keepdims=True)),
                "括号放错了：先取 exp，再相除；你的是先除，再取 exp。",
            ),
            Mistake(
                "argmax", _one_hot, "每一行只有一个 1：这是 argmax，只取第一名。softmax 给每个键都留一份。"
            ),
            Mistake(
                "twice",
                lambda s: attention.softmax(attention.softmax(s)),
                "是不是做了两次 softmax？权重太平均了；一行只做一次。",
            ),
            Mistake(
                "sigmoid",
                lambda s: 1 / (1 + np.exp(-s)),
                "是不是每个数单独算的（sigmoid）？一行要共用一个分母：你的第 {row} 行加起来是 {row_sum}。",
            ),
            Mistake(
                "logarithm",
                lambda s: np.log(attention.softmax(s)),
                "都是负数或 0：是不是用了 log_softmax？权重在 0 和 1 之间。",
            ),
            Mistake(
                "sign_flipped",
                lambda s: attention.softmax(np.where(np.isinf(s), s, -s)),
                "分数最大的键得到的权重最小：指数的正负号是不是反了？",
            ),
            Mistake(
                "base_two",
                lambda s: attention.softmax(s * np.log(2)),
                "每一行加起来是 1，比却不对：底数是不是用了 2？softmax 的底数是 e。",
            ),
            Mistake(
                "scaled_again",
                lambda s: attention.softmax(s / np.sqrt(s.shape[1])),
                "是不是又缩放了一次？传进来的分数已经缩放过了。",
            ),
            Mistake(
                "mask_as_zero",
                lambda s: attention.softmax(np.where(np.isneginf(s), 0, s)),
                "没有 −∞ 时都对；是不是把 −∞ 换成了 0？e⁰ = 1，被遮住的键又分到了权重。",
            ),
            Mistake(
                "mask_after",
                lambda s: np.where(np.isneginf(s), 0, attention.softmax(np.where(np.isneginf(s), 0, s))),
                "被遮住的键是 0，可是那一行加起来只有 {row_sum}：是不是先做 softmax，再把权重改成 0？",
            ),
            Mistake(
                "transposed",
                lambda s: attention.softmax(s).T,
                "数都对，行和列反了：收到 {shape}，应是 {expected_shape}。",
            ),
            Mistake(
                "rounded",
                lambda s: np.round(attention.softmax(s), 2),
                "是不是把权重舍入到了两位？舍入以后，一行加起来可能是 0.99；计算时用没有舍入的数。",
            ),
        ],
        hints=[
            "一行一行地做：① 取 exp，② 求这一行的和，③ 相除。",
            "“每一行的和”在 numpy 里是 axis=1；要让它能除回去，形状应是 (n_q, 1)。",
            "分数是 1000 时，exp 会溢出。先让每一行最大的数变成 0。",
        ],
        solution="def my_softmax(scaled_scores):\n"
        "    largest = scaled_scores.max(axis=1, keepdims=True)\n"
        "    exponentials = np.exp(scaled_scores - largest)\n"
        "    return exponentials / exponentials.sum(axis=1, keepdims=True)",
        why="一行是一个查询，它的注意力分给所有的键，所以沿着行求和。keepdims=True "
        "让和保持 (n_q, 1)，第 i 行才除以第 i 行的和。"
        "每行减去自己的最大值，比值不变，exp 不再溢出；−∞ 的 exp 是 0。",
    ),
]

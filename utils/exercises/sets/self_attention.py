"""练习：合起来的自注意力。"""

import numpy as np

from utils import attention
from utils.attention import softmax
from utils.exercises.other_ways import other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake, Reason


def _inputs(seed=1):
    rng = np.random.default_rng(seed)
    return [
        _projected(rng, n=3, d_model=5, d_k=7, d_v=2),  # 四个大小和它们的根、一半都不同
        _projected(rng, n=6, d_model=7, d_k=3, d_v=2),
        _projected(rng, n=4, d_model=4, d_k=4, d_v=4),  # 转置错了也能算，用来认出是哪种错
        _projected(rng, n=3, d_model=5, d_k=7, d_v=2, scale=60),  # 不减最大值就溢出
    ]


def _projected(rng, *, n, d_model, d_k, d_v, scale=1.0):
    """X 和三个投影矩阵；scale = 1 时分数不大，各种错误的结果才分得开。"""
    return (
        random_matrix(rng, n, d_model, scale),
        random_matrix(rng, d_model, d_k, 0.5),
        random_matrix(rng, d_model, d_k, 0.5),
        random_matrix(rng, d_model, d_v),
    )


def _output(X, W_Q, W_K, W_V):
    return attention.self_attention(X, W_Q, W_K, W_V).output


def _whole(
    *,
    project=attention.project,
    attention_scores=attention.attention_scores,
    scale_scores=attention.scale_scores,
    softmax=softmax,
    weighted_sum=attention.weighted_sum,
):
    """自注意力，其中几步可以换掉。"""

    def attend(X, W_Q, W_K, W_V):
        Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)
        weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[1]))
        return weighted_sum(weights, V)

    return attend


def _unsafe(s):
    return np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)


def _variant(*, query=None, key=None, value=None, score=None, scale=None, normalise=softmax, mix=None):
    """自注意力，只换其中一步；每一步都收 (X, W_Q, W_K, W_V) 的投影。"""

    def attend(X, W_Q, W_K, W_V):
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        sizes = {"d_k": Q.shape[1], "d_v": V.shape[1], "n": len(X), "d_model": X.shape[1]}
        q = query(X, Q, K, V) if query else Q
        k = key(X, Q, K, V) if key else K
        v = value(X, Q, K, V) if value else V
        scores = score(q, k) if score else q @ k.T
        scaled = scores / np.sqrt(sizes["d_k"]) if scale is None else scale(scores, sizes)
        weights = normalise(scaled)
        return mix(weights, v) if mix else weights @ v

    return attend


def _module(X, W_Q, W_K, W_V):
    sizes = X.shape[1], W_Q.shape[1], W_V.shape[1]
    return sizes, {"W_Q.weight": W_Q.T, "W_K.weight": W_K.T, "W_V.weight": W_V.T}, X


_MISTAKES = [
    Mistake("not_scaled", _variant(scale=lambda s, d: s), "是不是漏了第 3 步？分数没有除以 √d_k。"),
    Mistake(
        "forgot_root",
        _variant(scale=lambda s, d: s / d["d_k"]),
        "是不是除以了 d_k？忘了开平方，或者缩放了两次，都会这样。",
    ),
    Mistake(
        "root_of_d_model",
        _variant(scale=lambda s, d: s / np.sqrt(d["d_model"])),
        "是不是除以了 √d_model？X 的宽度不是 d_k；d_k 是哪个矩阵的宽度？",
    ),
    Mistake(
        "root_of_n",
        _variant(scale=lambda s, d: s / np.sqrt(d["n"])),
        "是不是除以了 √n？n 是词元数；d_k 是列数，不是行数。",
    ),
    Mistake(
        "root_of_d_v",
        _variant(scale=lambda s, d: s / np.sqrt(d["d_v"])),
        "是不是除以了 √d_v？分数里没有用到 V。",
    ),
    Mistake(
        "divided_by_square",
        _variant(scale=lambda s, d: s / d["d_k"] ** 2),
        "是不是除以了 d_k 的平方？要的是平方根。",
    ),
    Mistake("multiplied", _variant(scale=lambda s, d: s * np.sqrt(d["d_k"])), "是不是乘了 √d_k？要除。"),
    Mistake(
        "scaled_after_softmax",
        _variant(scale=lambda s, d: s, value=lambda X, Q, K, V: V / np.sqrt(Q.shape[1])),
        "是不是先做 softmax，再除以 √d_k？那样权重加起来不再是 1。缩放在 softmax 之前。",
    ),
    Mistake(
        "column_softmax",
        _variant(normalise=lambda s: softmax(s.T).T),
        "是不是沿列做了 softmax？每个查询的权重（一行）加起来才应等于 1。",
    ),
    Mistake(
        "whole_softmax",
        _variant(normalise=lambda s: softmax(s.reshape(1, -1)).reshape(s.shape)),
        "softmax 是不是除以了整个矩阵的和？每一行加起来应该等于 1。",
    ),
    Mistake("no_softmax", _variant(normalise=lambda s: s), "是不是漏了第 4 步？分数直接去乘了 V。"),
    Mistake(
        "no_exp",
        _variant(normalise=lambda s: s / s.sum(axis=1, keepdims=True)),
        "是不是没有取 exp，直接除以了和？",
    ),
    Mistake(
        "no_max",
        _variant(normalise=_unsafe),
        "分数不大时都对，分数很大时 exp 溢出了。softmax 里少了哪一步？",
    ),
    Mistake("softmax_twice", _variant(normalise=lambda s: softmax(softmax(s))), "是不是做了两次 softmax？"),
    Mistake(
        "only_largest",
        _variant(normalise=lambda s: np.eye(len(s))[s.argmax(axis=1)]),
        "每一行都是某一个词元的值：是不是用了 argmax？输出是混合。",
    ),
    Mistake(
        "no_transpose",
        _variant(score=lambda q, k: q @ k),
        "打分时是不是忘了转置 K？报错或形状不合，多半从这里来。",
    ),
    Mistake(
        "reshaped",
        _variant(score=lambda q, k: q @ k.reshape(k.shape[::-1])),
        "打分时是不是用 reshape 代替了转置？形状对了，数却错位。",
    ),
    Mistake(
        "scores_swapped",
        _variant(query=lambda X, Q, K, V: K, key=lambda X, Q, K, V: Q),
        "打分时 Q 和 K 是不是写反了？行应是查询。",
    ),
    Mistake(
        "query_with_query",
        _variant(key=lambda X, Q, K, V: Q),
        "打分时是不是用了两次 Q（或者用 W_Q 算了键）？",
    ),
    Mistake(
        "key_with_key",
        _variant(query=lambda X, Q, K, V: K),
        "打分时是不是用了两次 K（或者用 W_K 算了查询）？",
    ),
    Mistake(
        "no_projection",
        _variant(query=lambda X, Q, K, V: X, key=lambda X, Q, K, V: X),
        "是不是拿 X 自己和自己打了分？W_Q 和 W_K 没有用上。",
    ),
    Mistake(
        "keys_as_values",
        _variant(value=lambda X, Q, K, V: K),
        "混合的是不是键？收到形状 {shape}，应是 {expected_shape}。键用来比较，值用来混合。",
    ),
    Mistake(
        "queries_as_values",
        _variant(value=lambda X, Q, K, V: Q),
        "混合的是不是查询？收到形状 {shape}，应是 {expected_shape}。",
    ),
    Mistake(
        "mixed_X",
        _variant(value=lambda X, Q, K, V: X),
        "混合的是不是 X？漏了 W_V，收到形状 {shape}，应是 {expected_shape}。",
    ),
    Mistake(
        "weights_transposed",
        _variant(mix=lambda w, v: w.T @ v),
        "加权求和时是不是转置了权重？行才是一个查询的权重。",
    ),
    Mistake(
        "returned_weights",
        _variant(mix=lambda w, v: w),
        "返回的是注意力权重，形状 {shape}。还差第 5 步。",
    ),
    Mistake(
        "returned_scores",
        _variant(normalise=lambda s: s, mix=lambda w, v: w),
        "返回的是缩放后的分数，形状 {shape}。还差第 4、5 步。",
    ),
    Mistake(
        "returned_values",
        lambda X, W_Q, W_K, W_V: X @ W_V,
        "返回的是 V：每个词元只有自己的值，没有看别的词元。",
    ),
    Mistake(
        "averaged_values",
        _variant(normalise=lambda s: np.full(s.shape, 1 / len(s))),
        "每一行都一样：是不是没有用权重，直接取了平均？",
    ),
    Mistake(
        "causal_mask",
        _variant(normalise=lambda s: softmax(np.where(np.tri(len(s), dtype=bool), s, -np.inf))),
        "最后一行对，前面的不对：是不是遮住了后面的词元？这里没有遮罩，每个词元看所有的词元。",
    ),
    Mistake(
        "added_residual",
        _variant(mix=lambda w, v: w @ v + v),
        "是不是把 V 又加了进去？残差连接加回的是 X，而且不在这五步里。",
    ),
    Mistake(
        "rounded_weights",
        _variant(normalise=lambda s: np.round(softmax(s), 1)),
        "权重是不是太早舍入了？计算时用没有舍入的数。",
    ),
]

_MEMORY_WAYS = other_ways(
    lambda heads, scores, size, unit: heads * scores * size / unit,
    {"heads": 8, "scores": 2000**2, "size": 4, "unit": 1e6},
    {
        "heads": [
            ("one_head", 1, "是不是只算了一个头？"),
            ("three_matrices", 24, "是不是算了 Q、K、V 三样？"),
            ("heads_squared", 64, "是不是乘了两次 8？"),
        ],
        "scores": [
            ("linear", 2000, "分数有 n × n 个，不是 n 个。"),
            ("double_n", 4000, "n × n 是平方，不是 2 × n。"),
            ("half", 2000**2 / 2, "是不是只算了一半？n × n 个都要存。"),
            ("half", 2000 * 1999 / 2, "是不是只算了一半？n × n 个都要存。"),
            ("without_diagonal", 2000 * 1999, "自己看自己的分数也要存。"),
            ("zeros", 2000**2 / 10, "2000 × 2000 后面有几个 0？"),
            ("zeros", 2000**2 * 10, "2000 × 2000 后面有几个 0？"),
            ("zeros", 2000**2 / 100, "2000 × 2000 后面有几个 0？"),
            ("twice", 2 * 2000**2, "是不是多算了一份？一个头只有一张 (n, n)。"),
            ("cubed", 2000**3, "是不是多乘了一次 n？"),
        ],
        "size": [
            ("no_bytes", 1, "一个数占 4 字节，是不是没有乘？"),
            ("two_bytes", 2, "float32 一个数是不是按 2 字节算了？是 4 字节。"),
            ("double", 8, "float32 一个数是不是按 8 字节算了？是 4 字节。"),
            ("bits", 32, "是不是按 32 算了？32 位就是 4 字节。"),
            ("bytes_squared", 16, "是不是乘了两次 4？"),
            ("bytes_divided", 1 / 4, "是不是除以了 4？一个数占 4 字节，要乘。"),
        ],
        "unit": [
            ("by_1024", 2**20, "是不是按 1024 换算了？这里 1 MB 是 1 000 000 字节。"),
            ("bytes", 1, "是不是没有换成 MB？再除以一百万。"),
            ("kilobytes", 1e3, "是不是只换成了 KB？再除以一千。"),
            ("kilobytes", 1024, "是不是只换成了 KB？而且这里按 1000 换算。"),
            ("gigabytes", 1e9, "是不是换成了 GB？除多了一千。"),
            ("gigabytes", 2**30, "是不是换成了 GB？而且这里按 1000 换算。"),
        ],
    },
)
_STEP_WAYS = [
    *other_ways(
        lambda w, rate, gradient, step: step(w, rate, gradient),
        {"w": 1, "rate": 0.05, "gradient": -18, "step": lambda w, rate, gradient: w - rate * gradient},
        {
            "w": [
                ("only_step", 0, "是不是忘了原来的 w？新的 w = 旧的 w − 学习率 × 梯度。"),
                ("other_start", 2, "旧的 w 是 1，是不是用了 2？"),
                ("other_start", 3, "旧的 w 是 1，是不是用了 3？"),
                ("inside", -3, "旧的 w 是 1，是不是用了 3w − 6？"),
            ],
            "rate": [
                ("rate_of_the_text", 0.1, "是不是用了前面的学习率 0.1？"),
                ("rate_ten_times_smaller", 0.005, "0.05 的小数点是不是错了一位？"),
                ("rate_ten_times_larger", 0.5, "0.05 是不是当成了 0.5？"),
                ("other_rate", 0.01, "学习率是不是用了 0.01？这里是 0.05。"),
                ("no_rate", 1, "是不是忘了乘学习率？"),
                ("two_steps_at_once", 0.1, "是不是走了两步？"),
            ],
            "gradient": [
                ("wrong_way", 18, "梯度是 −18，负号是不是丢了？"),
                ("the_loss", 9, "减的是不是损失 9？要减学习率 × 梯度。"),
                ("half_gradient", -9, "梯度是不是少乘了 2？题目给了 −18。"),
                ("no_inner", -6, "梯度是不是少乘了里面的 3？题目给了 −18。"),
                ("inside_only", -3, "用的是不是 3w − 6？梯度题目给了，是 −18。"),
                ("no_gradient", 1, "是不是没有乘梯度？"),
                ("other_gradient", -36, "梯度是不是多乘了 2？题目给了 −18。"),
                ("the_gradient_of_the_text", -12, "梯度是不是用了 −12？题目给了 −18。"),
            ],
            "step": [
                ("rate_times_w", lambda w, rate, gradient: w * rate - gradient, "学习率乘的是梯度，不是 w。"),
                ("rate_times_both", lambda w, rate, gradient: rate * (w - gradient), "学习率只乘梯度。"),
                (
                    "w_times_step",
                    lambda w, rate, gradient: w * rate * gradient,
                    "旧的 w 要减去这一步，不是乘。",
                ),
                ("divided", lambda w, rate, gradient: w - gradient / rate, "学习率是不是拿来除了？要乘。"),
                ("gradient_first", lambda w, rate, gradient: gradient - rate * w, "w 和梯度是不是换了位置？"),
                (
                    "gradient_first",
                    lambda w, rate, gradient: rate * gradient - w,
                    "减反了：旧的 w 减去这一步。",
                ),
                ("all_added", lambda w, rate, gradient: w + rate - gradient, "学习率乘梯度，不是加。"),
                ("all_added", lambda w, rate, gradient: w - (rate + gradient), "学习率乘梯度，不是加。"),
            ],
        },
    ),
    Mistake("the_new_loss", (3 * 1.9 - 6) ** 2, "这是走完以后的损失。问的是 w。"),
    Mistake("inside_after", 3 * 1.9 - 6, "这是走完以后的 3w − 6。问的是 w。"),
    Mistake("three_w", 3 * 1.9, "这是走完以后的 3w。问的是 w。"),
    Mistake("the_old_loss", 9, "这是走之前的损失。问的是走一步以后的 w。"),
    Mistake("the_gradient", -18, "这是梯度。再乘学习率，从旧的 w 里减去。"),
]

EXERCISES = [
    Exercise(
        id="pencil_memory",
        title="多少 MB",
        kind="number",
        reference=128,
        also=_MEMORY_WAYS,
        tolerance=0.5,
        mistakes=[
            Mistake("one_head", 16, "这是一个头的。8 个头各存一张 (n, n)。"),
            Mistake("no_bytes", 32, "这是多少百万个数。一个数占 4 字节。"),
            Mistake("double", 256, "float32 一个数 4 字节，不是 8 字节。"),
            Mistake("linear", 0.064, "分数有 n × n 个，不是 n 个。"),
            Mistake("one_head_numbers", 4, "这是一个头有多少百万个分数。还要乘 4 字节，再乘 8 个头。"),
            Mistake(
                "half",
                64,
                "正好一半：float32 一个数 4 字节，不是 2 字节；一张分数有 n × n 个，上三角、下三角都要存。",
            ),
            Mistake("three_matrices", 384, "是不是算了 Q、K、V 三样？存的是注意力分数，一个头一张 (n, n)。"),
            Mistake("bits", 1024, "是不是把字节当成了位？一个数 4 字节，就是 4，不再乘 8。"),
            Mistake("heads_divided", 2, "是不是除以了 8 个头？每个头都有自己的一张 (n, n)，要乘。"),
        ],
        hints=["一个头有 2000 × 2000 个分数。", "每个分数 4 字节，再乘 8 个头；最后除以一百万。"],
        solution="answer = 8 * 2000 * 2000 * 4 / 1e6",
        why="2000 × 2000 = 四百万个分数，每个 4 字节是 16 MB，8 个头是 128 MB。还只是一层。",
    ),
    Exercise(
        id="self_attention",
        title="写出自注意力",
        kind="module",
        arguments=("X", "W_Q", "W_K", "W_V"),
        inputs=_inputs,
        shape="(n, d_v)",
        reference=_output,
        module=_module,
        whole=_whole,
        mistakes=_MISTAKES,
        also=[
            Mistake(
                "no_projection",
                lambda X, W_Q, W_K, W_V: softmax(X @ X.T / np.sqrt(X.shape[1])) @ (X @ W_V),
                "是不是拿 X 自己和自己打了分？W_Q 和 W_K 没有用上。",
            )
        ],
        hints=[
            "`__init__` 里三个 nn.Linear：Q 和 K 的宽度是 d_k，V 的是 d_v，都写 bias=False。",
            "`forward` 里 self.W_Q(X) 就是投影；转置写 K.mT，softmax 写 torch.softmax(…, dim=-1)。",
        ],
        solution="class MySelfAttention(nn.Module):\n"
        "    def __init__(self, d_model, d_k, d_v):\n"
        "        super().__init__()\n"
        "        self.W_Q = nn.Linear(d_model, d_k, bias=False)\n"
        "        self.W_K = nn.Linear(d_model, d_k, bias=False)\n"
        "        self.W_V = nn.Linear(d_model, d_v, bias=False)\n\n"
        "    def forward(self, X):\n"
        "        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)\n"
        "        weights = torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=-1)\n"
        "        return weights @ V",
        why="`__init__` 新建时运行一次，存下三个投影矩阵；每次调用运行 `forward`，用它们和这句话的 X "
        "重新算 Q、K、V、权重和输出。",
    ),
    Exercise(
        id="pencil_step",
        title="走一步",
        kind="number",
        reference=1.9,
        also=_STEP_WAYS,
        tolerance=0.001,
        mistakes=[
            Mistake("rate_of_the_text", 2.8, "用了前面的学习率 0.1。这道题是 0.05。"),
            Mistake(
                "subtracted_gradient", -17, "学习率忘了乘，方向也反了：新的 w = 旧的 w − 学习率 × 梯度。"
            ),
            Mistake("wrong_way", 0.1, "方向反了：梯度是负的，w 该加大。新的 w = 旧的 w − 0.05 × 梯度。"),
            Mistake("no_rate", 19, "学习率忘了乘：只走梯度的 0.05 倍。"),
            Mistake("only_step", 0.9, "这是这一步走了多远。新的 w 还要加上原来的 1。"),
            Mistake("the_goal", 2, "这是损失为 0 的地方。只走一步，还到不了。"),
            Mistake("rate_ten_times_smaller", 1.09, "0.05 × 18 的小数点对不对？"),
            Mistake("rate_times_w", 18.05, "学习率乘的是梯度，不是 w：新的 w = 旧的 w − 学习率 × 梯度。"),
            Mistake("no_gradient", 0.95, "只减了学习率，没有乘梯度。"),
            Mistake("no_gradient_added", 1.05, "只加了学习率，没有乘梯度。"),
            Mistake("minus_the_step", -0.9, "这是学习率 × 梯度。新的 w = 旧的 w 减去它。"),
            Mistake("two_steps", 1.99, "是不是走了两步？只走一步。"),
        ],
        hints=["新的 w = 旧的 w − 学习率 × 梯度。", "−0.05 × (−18) 是正数：w 加大。"],
        solution="answer = 1 - 0.05 * (-18)",
        why="1 − 0.05 × (−18) = 1.9。损失从 9 变成 (5.7 − 6)² = 0.09：往损失减小的方向走了一步。",
    ),
    Exercise(
        id="map_training",
        title="三个模型的图",
        kind="match",
        items=("甲", "乙", "丙"),
        clues=("", "有哪一列特别深吗？没有的话，它学会了什么？", ""),
        reference="CAB",
        mistakes=[
            Mistake("swapped_questions", "BAC", "列是“看向谁”。答“谁在做”，要从第几个词取？"),
            Mistake("as_untrained", "AAA", "没有训练过，权重会这样集中吗？"),
            Mistake("untrained_as_who", "CBB", "学会了的，四行都集中到一处。这里近似三等分。"),
            Mistake("knows_fish", "DAD", "四行都一样，不管词是谁。它看的是位置，还是常识？"),
            Mistake("memorised", "EAE", "这四句训练时没有给它看过。"),
        ],
        hints=[
            "先找没有训练过的：投影矩阵是随机数，权重会集中吗？",
            "问“谁在做”，答案总是第 1 个词；问“对谁”，总是第 3 个。",
        ],
        solution='letters = "CAB"',
        why="没有训练过的（乙）近似三等分。丙的四句都只看第 1 个词，甲的都只看第 3 个："
        "学会的是看第几个位置，不管那里是谁。"
        "它不知道谁吃谁，也没有背过这四句。",
    ),
    Exercise(
        id="truth_half",
        title="没有位置，多训练几步",
        kind="truth",
        reference=False,
        mistakes=[
            Mistake(
                "more_steps", True, "没有位置时，「猫吃鱼」和它的镜像「鱼吃猫」，X 差在哪里？动词的输出呢？"
            )
        ],
        hints=[
            "没有位置时，「猫吃鱼」和「鱼吃猫」的 X 是同样的三行，只是换了次序。",
            "两句话的输出一样，回答就一样。两句的正确答案一样吗？",
        ],
        ideas=(
            r"镜像|鱼吃猫|猫吃鱼|对称|一模一样|置换|ln ?2|0\.69|至多|最多|50%|左右|一袋",
            r"只能(猜|蒙|碰)|瞎猜|二选一|上限",
            r"信息|(输入|输出|回答|结果|答案|三行|x|表示|权重|分数|两句)…(相同|一样|相等|不变|同一)",
            r"(分|区分|区别|辨|分辨)…不(开|出|清|了|来)|(不能|无法|没法|难以)(区分|分|辨|知道)",
            r"次序|顺序|先后|词序|语序|谁先|谁(在)?前|(缺|少)…位置|(不知道|看不出|看不到|没有)…(谁|位置|前|后)",
        ),
        reasons=[
            Reason(
                "overfitting",
                r"过(度)?拟合|(训练|练)(得)?(太|过)(久|多|长)|过度训练",
                "过拟合是训练句好、留出句差。这里训练句也只对一半：损失停在 ln 2。"
                "一句话和倒过来的一句，X 差在哪里？",
            ),
            Reason(
                "memorise",
                r"背|记住|记下|记得|死记",
                "要背，先得分得开：「猫吃鱼」和「鱼吃猫」交给模型的 X 差在哪里？",
            ),
            Reason(
                "learning_rate",
                r"学习率|步长|步子|优化器|adam|lr",
                "有位置的模型用同样的学习率，200 步就全对。没有位置时，X 里少了什么？",
            ),
            Reason(
                "unseen",
                r"(没有?|未|不曾)(被|有)?(参加|参与)?(训练|见|学|看)过?|不在训练|新句子|泛化|留出句(难|不同)",
                "有位置的模型也没有见过留出句，却全对；没有位置的，训练句上也只对一半。X 里少了什么？",
            ),
            Reason(
                "too_few_steps",
                r"(没有?|未|不|才)(能)?收敛|步(数)?…(太少|不够|不足)|还不够|(越久|更久|继续)(?!…(没|不|也|都|仍|一样))",
                "不是步数的事：损失到 ln 2 就平了，再走也不降。为什么停在那里？",
            ),
            Reason(
                "too_small",
                r"(参数|容量|数据|样本|句子|头|层|模型)…(太少|太小|不够|不足|太简单)|(数据|样本|句子)少|容量",
                "有位置的模型一样大，用同样的句子，就全对。没有位置时，X 里少了什么？",
            ),
            Reason(
                "stuck",
                r"局部|鞍点|梯度|饱和|消失",
                "没有卡住：ln 2 已经是没有位置时最小的损失。为什么不能再小？",
            ),
        ],
        solution="answer = False\nreason = '一句话和它的镜像输出相同，两句里至多答对一句'",
        why="没有位置，一句话和它的镜像是同样的三行，动词的输出相同，回答也相同；两句的正确答案却不同，"
        "至多对一句。"
        "训练多少步都一样，损失也停在 ln 2。",
    ),
]

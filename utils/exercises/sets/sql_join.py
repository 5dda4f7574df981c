"""练习：把注意力写成一条 SQL。"""

import numpy as np

from utils.exercises.other_ways import other_ways
from utils.exercises.records import Exercise, Mistake


def _softmax_again(own, other, gone):
    return np.exp(own) / (np.exp(own) + np.exp(other))


def _shared(removed, asked, share):
    """删掉一个键，问另一个。share 收三个权重：问的那个、另一个、删掉的。"""
    weights = [0.5, 0.3, 0.2]
    if asked == removed:
        asked = (removed + 1) % 3
    return share(weights[asked], sum(weights) - weights[asked] - weights[removed], weights[removed])


_DELETED_WAYS = [
    *other_ways(
        _shared,
        {"removed": 0, "asked": 1, "share": lambda own, other, gone: own / (own + other)},
        {
            "removed": [
                ("deleted_the_second", 1, "删掉的是不是第 2 个？要删第 1 个。"),
                ("deleted_the_third", 2, "删掉的是不是第 3 个？要删第 1 个。"),
            ],
            "asked": [
                ("other_key", 2, "算的是不是第 3 个键？问的是第 2 个。"),
                ("first_key", 0, "算的是不是第 1 个键？问的是第 2 个。"),
            ],
            "share": [
                ("unchanged", lambda own, other, gone: own, "是不是没有重新分？要除以剩下的和。"),
                ("took_all", lambda own, other, gone: own + gone, "是不是把删掉的全给了它？"),
                ("split_evenly", lambda own, other, gone: own + gone / 2, "是不是把删掉的平分了？比不变。"),
                ("all_three_sum", lambda own, other, gone: own * (own + other), "是不是乘了和？要除。"),
                ("ratio", lambda own, other, gone: own / other, "这是它与另一个的比。要除以两个的和。"),
                ("inverse_ratio", lambda own, other, gone: other / own, "比反了，而且要除以两个的和。"),
                (
                    "by_the_gone",
                    lambda own, other, gone: own / gone,
                    "是不是除以了删掉的那个？要除以剩下的和。",
                ),
                ("inverted", lambda own, other, gone: (own + other) / own, "除反了：它除以剩下的和。"),
                ("the_sum", lambda own, other, gone: own + other, "这是剩下的和。再用它的权重去除以这个和。"),
                ("taken_away", lambda own, other, gone: gone - own, "是不是相减了？要除以剩下的和。"),
                ("halves", lambda own, other, gone: 0.5, "剩下的两个是不是各一半了？它们的比不变。"),
                ("third", lambda own, other, gone: 1 / 3, "是不是三个平分了？剩下的两个的比不变。"),
                ("gone", lambda own, other, gone: 1, "剩下的有两个，不是一个：它分不到全部。"),
                ("grown", lambda own, other, gone: own * (1 + gone), "要除以剩下的和，不是加几成。"),
                ("squares", lambda own, other, gone: own**2 / (own**2 + other**2), "权重是不是平方了？"),
                ("softmax_again", _softmax_again, "是不是又做了一次 softmax？"),
                ("by_the_rest", lambda own, other, gone: own / (own + gone), "分母里是不是还有删掉的那个？"),
                ("rest_of_one", lambda own, other, gone: 1 - own, "这是 1 减去它原来的权重。"),
            ],
        },
    ),
    Mistake("is_zero", 0, "删掉的是第 1 个键；第 2 个还在，权重变大。"),
]

EXERCISES = [
    Exercise(
        id="select_match",
        title="哪一个 SELECT 是哪一步",
        kind="match",
        items=("打分", "缩放", "softmax", "加权求和"),
        clues=(
            "点积要把两张表里对应的数相乘再加：哪两张表？",
            "每个分数除以同一个 √d_k：行数不变，不用别的表。",
            "最后一个 SELECT 把 e 除以同一个查询的和。",
            "权重乘值再加：要用到哪两张表？",
        ),
        reference="DACB",
        mistakes=[
            Mistake("scores_as_sum", "BACB", "权重乘值的是另一步。查询的数乘键的数，在哪一个里？"),
            Mistake("sum_as_scores", "DACD", "查询的数乘键的数，是打分。权重乘值，在哪一个里？"),
            Mistake(
                "scaling_as_softmax", "DCCB", "每一行各自除以自己那一组的和，那不是缩放：缩放除以同一个数。"
            ),
            Mistake(
                "softmax_as_scaling", "DAAB", "所有的分数都除以同一个数，那不是 softmax：一行要除以自己的和。"
            ),
            Mistake("softmax_as_sum", "DABB", "它把同一个查询的行合并了。softmax 的行数不变。"),
        ],
        hints=["每一个 SELECT 用到哪几张表？", "除以同一个数的，除以一组的和的，各是哪一步？"],
        solution='letters = "DACB"',
        why="q JOIN k，对应的数相乘再 SUM，是点积：打分。每个分数除以 √d_k：缩放。除以 PARTITION BY query "
        "的和，是 softmax 的后一半。"
        "weights JOIN v，权重乘值再 SUM：加权求和。",
    ),
    Exercise(
        id="pencil_deleted_key",
        title="删掉一个键",
        kind="number",
        reference=0.6,
        also=_DELETED_WAYS,
        tolerance=0.0051,
        mistakes=[
            Mistake(
                "softmax_again",
                0.525,
                "是不是对权重又做了一次 softmax？它们已经取过 exp 了，只要重新分满 1。",
            ),
            Mistake("unchanged", 0.3, "剩下的两个权重加起来只有 0.5 了。一行要重新分满 1。"),
            Mistake("split_evenly", 0.55, "删掉的 0.5 不是平分给剩下的两个：它们的比不变。"),
            Mistake("other_key", 0.4, "这是第 3 个键的新权重。"),
            Mistake("took_all", 0.8, "0.5 全给了第 2 个键？它与第 3 个键的比应当还是 3 比 2。"),
            Mistake("halves", 0.5, "剩下的两个不是各一半（也不是删掉的那个 0.5）：它们的比仍是 3 比 2。"),
            Mistake("deleted_the_third", 0.375, "删错了：这是删掉第 3 个键以后的。"),
            Mistake("first_key_left", 0.625, "删错了：这是删掉第 3 个键以后，第 1 个键的。"),
            Mistake("deleted_the_second", 0.714, "删错了：这是删掉第 2 个键以后的。"),
            Mistake("all_three_sum", 0.15, "是不是乘了 0.5？剩下的两个要除以它们的和，变大，不是变小。"),
        ],
        hints=["剩下的两个权重的比不变，还是 0.3 比 0.2。", "让它们加起来是 1：各除以 0.3 + 0.2。"],
        solution="answer = 0.3 / (0.3 + 0.2)",
        why="删掉一个键，别的分数不变，exp 也不变，所以剩下的权重比不变，只是除以新的和：0.3 / 0.5 = 0.6。",
    ),
    Exercise(
        id="reading_join",
        title="JOIN 与注意力",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake("only_best", "A", "分数最高的只是占得多。别的行呢？"),
            Mistake("join_adds", "B", "JOIN 会把命中的两行都列出来，还是加起来？"),
            Mistake("exact_zero", "D", "exp 之后没有一个数是 0。什么时候权重才正好是 0？"),
        ],
        hints=["JOIN 的结果是几行？注意力的一个查询，输出是几行？", "权重是 0、1、0 时，加权求和得到什么？"],
        solution='choice = "C"',
        why="one-hot 的权重乘 V，就是取出那一行。JOIN 逐条列出，注意力加成一行。"
        "softmax 的权重都大于 0，除非那个键被遮住。",
    ),
]

"""练习：把注意力写成一条 SQL。"""

from utils.exercises.records import Exercise, Mistake

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

"""练习：把注意力写成一条 SQL。"""

from utils.exercises.records import Exercise, Mistake

EXERCISES = [
    Exercise(
        id="pencil_join_rows",
        title="模糊 JOIN 有多少行",
        kind="number",
        reference=15,
        tolerance=0.0,
        mistakes=[
            Mistake(
                "added_rows", 8, "是不是把两张表的行数加起来了？那是上下接起来；这里每个查询要配每个键。"
            ),
            Mistake(
                "one_per_query", 3, "这是一个查询只配上一个键的情形，即每个查询都恰好命中一次的精确 JOIN。"
            ),
            Mistake("one_per_key", 5, "是不是一个键只数了一次？每个键都要和每个查询各配一次。"),
            Mistake("squared_queries", 9, "是不是拿查询和查询配了对？另一边是键，有 5 行。"),
            Mistake("squared_keys", 25, "是不是拿键和键配了对？一边是查询，有 3 行。"),
        ],
        hints=[
            "先只看第 1 个查询：它要和几个键各打一次分？",
            "再数有几个这样的查询。这张表就是矩阵 scores，一行一格地写下来。",
        ],
        solution="answer = 3 * 5",
        why="每个查询都要和每个键打一次分，所以是 n_q × n_k 对。自注意力里 n_q = n_k = n，就是 n² 个分数："
        "这是注意力要付的代价。",
    ),
    Exercise(
        id="pencil_table_rows",
        title="q 表有多少行",
        kind="number",
        reference=30,
        tolerance=0.0,
        mistakes=[
            Mistake("one_per_token", 5, "一行存一个数，不是一个词元。一个词元有几个数？"),
            Mistake("one_per_column", 6, "这是列数。5 个词元，每个都有这么多个数。"),
            Mistake("added", 11, "是不是把两个大小加起来了？矩阵里一共有几个数？"),
            Mistake("scores", 25, "这是分数的个数，5 × 5。问的是存 Q 的表。"),
        ],
        hints=["矩阵里有几个数，表就有几行。", "5 行，每行 6 个数。"],
        solution="answer = 5 * 6",
        why="一行存一个数 (position, token, dim, value)，(5, 6) 的矩阵有 30 个数。",
    ),
    Exercise(
        id="reading_select",
        title="哪一个 SELECT 是加权求和",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("scaling", "A", "除以 sqrt(:d_k) 的是缩放。"),
            Mistake("normalising", "C", "除以一组的和，是 softmax 的后一半。"),
            Mistake("scoring", "D", "查询的数乘键的数，是打分。"),
        ],
        hints=["加权求和要用到哪张表里的数？", "权重乘值，再加起来：找 weight * v.value。"],
        solution='choice = "B"',
        why="weights JOIN v 让每个权重配上它那个键的值，SUM 把同一个查询、同一列的加起来：weights V。",
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

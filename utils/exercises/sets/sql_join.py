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
]

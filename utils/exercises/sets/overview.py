"""练习：为什么需要注意力。"""

from utils.exercises.records import Exercise, Mistake

EXERCISES = [
    Exercise(
        id="pencil_path",
        title="RNN 里的路有多长",
        kind="number",
        reference=19,
        tolerance=0.0,
        mistakes=[
            Mistake("counted_tokens", 20, "这是词元的个数。两个词元之间传一次；3 个词元要传几次？"),
            Mistake(
                "attention_path", 1, "这是注意力的路：任何两个词元之间只有一步。RNN 也能跳过中间的词元吗？"
            ),
            Mistake(
                "counted_pairs", 400, "这是注意力里每个看每个的个数，20 × 20。这里问的是 RNN 一步接一步的路。"
            ),
            Mistake("counted_both_ends", 18, "这是中间的词元个数，不含头尾。从 h₁ 到 h₂ 这一次算进去了吗？"),
        ],
        hints=[
            "先数短的：只有 2 个词元时，从 h₁ 到 h₂ 传几次？",
            "像栽树：树是词元，两棵树之间的空当是一次传递。",
        ],
        solution="answer = 20 - 1",
        why="相邻两个状态之间传一次，n 个词元之间有 n − 1 个空当。每传一次，导数就多乘一次，"
        "所以路越长，影响越容易变得极小（遗忘）或极大（爆炸）；注意力里任何两个词元之间都只有一步。",
    ),
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
        id="reading_positions",
        title="没有位置列时，换词序会怎样",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake("all_new", "A", "哪些数真的变了？X 的三行还是那三行，投影矩阵也没有变。"),
            Mistake("row_keeps_output", "B", "第 1 行现在是哪个词元？输出跟着词元走，还是跟着行号走？"),
            Mistake("order_counts", "D", "“猫”怎么知道自己排在最后？X 里有没有哪一列写着位置？"),
        ],
        hints=[
            "写出两句话的 X。第二个 X 与第一个差在哪里？",
            "打分时，每个查询看所有的键。键换个次序，点积的值会变吗？",
        ],
        solution='choice = "C"',
        why="没有位置列时，两句话的 X 是同样的三行，只是次序不同。投影、打分、softmax、加权求和都不看行号，"
        "所以输出也只是同样的三行换了次序（遮住后面的词元时除外）。想让词序有影响，要把位置写进 X。",
    ),
]

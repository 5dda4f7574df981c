"""练习：总览。"""

from utils.exercises.records import Exercise, Mistake

EXERCISES = [
    Exercise(
        id="order_steps",
        title="五步的次序",
        kind="order",
        reference="BEDAC",
        mistakes=[
            Mistake("scores_first", "EBDAC", "打分要用查询和键。它们是哪一步算出来的？"),
            Mistake("scaled_first", "BDEAC", "缩放除的是分数：这时候分数还没有。"),
            Mistake("scaled_last", "BEADC", "softmax 以后再缩放，一行加起来就不是 1 了。"),
            Mistake("mixed_first", "BEDCA", "加权求和要用加起来是 1 的权重：这时候还没有。"),
        ],
        hints=[
            "每一步都用前一步的结果：从 X 出发，第一个能算的是哪一步？",
            "最后一步得到输出，它要用权重和 V。",
        ],
        solution='order = "BEDAC"',
        why="投影得到 Q、K、V；Q 和 K 打分；分数除以 √d_k；softmax 变成权重；用权重混合 V。"
        "一步用的正是前一步的结果。",
    ),
    Exercise(
        id="output_shape",
        title="输出的形状",
        kind="shape",
        reference=(7, 3),
        sizes={7: "词元数", 12: " X 的宽度 d_model", 5: " Q 和 K 的宽度 d_k", 3: " V 的宽度 d_v"},
        mistakes=[
            Mistake("kept_X", (7, 12), "这是 X 的形状。输出的列数跟着 V。"),
            Mistake("kept_Q", (7, 5), "这是 Q 和 K 的形状。按权重取来的是值，不是查询和键。"),
            Mistake("weights", (7, 7), "这是注意力权重的形状：行看向列。还差最后一步，按权重取值。"),
            Mistake("transposed", (3, 7), "行和列写反了：一行一个词元。"),
            Mistake("kept_W", (12, 3), "这是 W_V 的形状。12 在投影时求和以后消失。"),
        ],
        hints=[
            "一步一步写形状：X @ W_V 是几行几列？",
            "权重是 (7, 7)。权重乘 V，列数跟着谁？",
        ],
        solution="shape = (7, 3)",
        why="Q 和 K 是 (7, 5)，V 是 (7, 3)；分数和权重是 (7, 7)；最后 (7, 7) @ (7, 3) 是 (7, 3)。"
        "行数总是词元数，列数由 W_V 决定。",
    ),
    Exercise(
        id="reading_weight",
        title="格子里的 0.9",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake("probability", "A", "权重是取值的份额。模型有没有把握、对不对，图里看不出来。"),
            Mistake("importance", "B", "这一格只说“它”这一行怎样取。别的行给“猫”多少，要看别的行。"),
            Mistake("column_sum", "D", "加起来是 1 的是一行，不是一列；一列加起来可以是任何数。"),
        ],
        hints=[
            "行是谁在看，列是看向谁。这一格属于哪一行的份额？",
            "一行的份额加起来是 1，所以其余词元一共占多少？",
        ],
        solution='choice = "C"',
        why="权重说的是一行输出怎样由各行的值混合而成：0.9 份“猫”的值，0.1 份别的。它不是把握有多大，"
        "也不说明整句话里谁重要。",
    ),
    Exercise(
        id="reading_average",
        title="为什么不平均",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("nothing_lost", "A", "100 行加在一起除以 100，有关的那一行还剩多少？"),
            Mistake("column_sum", "C", "加起来是 1 的是权重，不是取来的数。"),
            Mistake("impossible", "D", "平均不用查询和键：每一行都取一样多。"),
        ],
        hints=["100 个词元平均，每一行的权重是多少？", "换一个词元来问，平均出来的会不同吗？"],
        solution='choice = "B"',
        why="平均就是权重都等于 1/100：有关的那一行被另外 99 行冲淡了，而且谁来问都得到同样的一行。"
        "注意力给每个词元一行自己的权重，可以把大半给有关的那一行。",
    ),
    Exercise(
        id="reading_roles",
        title="谁去比，取什么",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("roles_swapped", "A", "去找资料的是“吃”。找的人手里拿的是哪一样，供人查的又是哪一样？"),
            Mistake(
                "compared_values", "C", "比的不是值，输出也不只是一行：找资料时，拿什么去比抽屉上的标签？"
            ),
            Mistake("took_keys", "D", "比得对，取错了：标签只用来比，抽屉里装的是什么？"),
        ],
        hints=["回到资料柜：手里的、抽屉上的、抽屉里的，各叫什么？", "比的是两样，取的是第三样。"],
        solution='choice = "B"',
        why="谁在找，就用谁的查询；供人查的是每个词元的键；比出权重以后，取的是值。",
    ),
]

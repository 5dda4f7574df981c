"""练习：总览。"""

from utils.exercises.records import Exercise, Mistake

EXERCISES = [
    Exercise(
        id="weighted_values",
        title="按权重取值",
        kind="number",
        reference=[0.2, 0.5],
        tolerance=0.0051,
        mistakes=[
            Mistake("averaged", [1 / 3, 1 / 3], "这是平均：三行各取三分之一。这里三行的权重不一样。"),
            Mistake("equal_pair", [0.5, 0.5], "是不是只把“猫”和“鱼”各取了一半？用题目给的三个权重。"),
            Mistake("swapped", [0.5, 0.2], "两个数都对，次序反了：第 1 个数来自哪个词元的值？"),
            Mistake(
                "middle", [0.2, 0.3], "第 2 个数用了“吃”的权重。“吃”的值是 (0, 0)，权重再大也取不来什么。"
            ),
            Mistake("one_row", [0, 1], "这是“鱼”自己的值。它的输出是三行值按权重加起来。"),
        ],
        hints=[
            "每一行值乘上它的权重，再把三行加起来。",
            "第 1 个数：0.2 乘“猫”的第 1 个数，加 0.3 乘“吃”的，加 0.5 乘“鱼”的。",
        ],
        solution="answer = np.array([0.2, 0.3, 0.5]) @ np.array([[1, 0], [0, 0], [0, 1]])",
        why="0.2 × (1, 0) + 0.3 × (0, 0) + 0.5 × (0, 1) = (0.2, 0.5)。"
        "“吃”的 0.3 没有取来什么，因为它的值是 (0, 0)；"
        "可是这 0.3 是从别的两行分走的。",
    ),
    Exercise(
        id="output_shape",
        title="输出的形状",
        kind="shape",
        reference=(7, 3),
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

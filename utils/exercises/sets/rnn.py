"""练习：循环神经网络与注意力。"""

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
            Mistake("every_two", 190, "这是 20 个词元两两配对的个数。从 h₁ 到 h₂₀ 只走一条路，一步接一步。"),
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
        id="pencil_state",
        title="再读一个词元",
        kind="number",
        reference=[2.625, 0.75],
        tolerance=0.0051,
        mistakes=[
            Mistake("not_halved", [3.25, 1.5], "旧的状态要先乘 W_h：每个数减半。"),
            Mistake("only_new", [2, 0], "这是新词元交给状态的两个数。旧的状态去哪里了？"),
            Mistake("only_old", [0.625, 0.75], "旧的状态减半了，新的词元还没有加进去。"),
            Mistake("all_halved", [1.625, 0.75], "减半的只有旧的状态，新词元的数不减半。"),
            Mistake("other_columns", [1.625, 3.75], "W_x 取的是词元的前两个数，不是后两个。"),
        ],
        hints=["先把 (1.25, 1.5) 减半。", "再加上新词元的前两个数。"],
        solution="answer = [1.25 / 2 + 2, 1.5 / 2 + 0]",
        why="(1.25, 1.5) 减半是 (0.625, 0.75)，加上 (2, 0)，是 (2.625, 0.75)。",
    ),
    Exercise(
        id="pencil_influence",
        title="动一点，动多少",
        kind="number",
        reference=0.512,
        tolerance=0.0051,
        mistakes=[
            Mistake("every_influence", 2.952, "是不是把四个词元的影响加起来了？只有第 1 个词元动了。"),
            Mistake("counted_tokens", 0.8**4, "从第 1 个词元到第 4 个，中间传了几次？不是 4 次。"),
            Mistake("one_too_few", 0.64, "数一数：h₁ → h₂ → h₃ → h₄，是几次？"),
            Mistake("added", 2.4, "每传一次是乘 0.8，不是加 0.8。"),
            Mistake("average", 0.25, "这是注意力里四个权重都相等的情形。"),
            Mistake("once", 0.8, "这是传一次以后的。要传到第 4 个词元。"),
        ],
        hints=["每传一次，乘一次 0.8。", "4 个词元之间有 3 个空当。"],
        solution="answer = 0.8**3",
        why="第 1 个词元增加 1，h₁ 增加 1；传到 h₄ 要三次，0.8 × 0.8 × 0.8 = 0.512。",
    ),
    Exercise(
        id="pencil_products",
        title="数乘法",
        kind="number",
        reference=1280,
        tolerance=0.0,
        mistakes=[
            Mistake("with_output", 1440, "是不是把输出投影也算上了？题目只数三次投影和两次乘法。"),
            Mistake("no_projection", 800, "这是 QKᵀ 和 weights V 两次的。投影的三次还没有算。"),
            Mistake("rnn", 320, "这是 RNN 的：每个词元乘两个 (4, 4) 的矩阵。"),
            Mistake("one_product", 880, "QKᵀ 和 weights V 各要 n² · d 次，只算了一次。"),
            Mistake("one_projection", 960, "投影有三次：Q、K、V 各一次。"),
            Mistake("only_projection", 480, "这是三次投影的。QKᵀ 和 weights V 还没有算。"),
        ],
        hints=[
            "一次投影：10 个词元，每个 4 × 4 次。",
            "QKᵀ 有 100 个分数，每个 4 次乘法；weights V 也一样多。",
        ],
        solution="answer = 3 * 10 * 4**2 + 2 * 10**2 * 4",
        why="3 × 10 × 16 = 480，2 × 100 × 4 = 800，一共 1280；同样大小的 RNN 只要 320。",
    ),
    Exercise(
        id="reading_rulers",
        title="哪句话站得住",
        kind="reading",
        reference="B",
        mistakes=[
            Mistake("fewer_products", "A", "比一比 3nd² + 2n²d 和 2nd²。"),
            Mistake("always_smaller", "C", "W_h 会放大时（scale = 3），线往哪里走？"),
            Mistake("no_cost", "D", "n 个词元有 n² 个分数，都要放在内存里。"),
        ],
        hints=["三把尺子分开看：等几步，乘几次，存多少。", "“一定”两个字要小心：换一个 W_h 还成立吗？"],
        solution='choice = "B"',
        why="注意力等 3 次，与句子多长无关；乘法 3nd² + 2n²d 比 2nd² 多；还要存 n² 个分数。"
        "RNN 的影响变大还是变小，由 W_h 决定。",
    ),
]

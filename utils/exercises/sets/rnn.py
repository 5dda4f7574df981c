"""练习：循环神经网络与注意力。"""

from utils.exercises.records import Exercise, Mistake

EXERCISES = [
    Exercise(
        id="pencil_state",
        title="再读一个词元",
        kind="number",
        reference=[2.625, 0.75],
        tolerance=0.0051,
        products=[[(1.25, 0.5), (2, 1)], [(1.5, 0.5), (0, 1)]],
        mistakes=[
            Mistake("not_halved", [3.25, 1.5], "旧的状态要先乘 W_h：每个数减半。"),
            Mistake("only_new", [2, 0], "这是新词元交给状态的两个数。旧的状态去哪里了？"),
            Mistake("only_old", [0.625, 0.75], "旧的状态减半了，新的词元还没有加进去。"),
            Mistake("all_halved", [1.625, 0.75], "减半的只有旧的状态，新词元的数不减半。"),
            Mistake("other_columns", [1.625, 3.75], "W_x 取的是词元的前两个数，不是后两个。"),
            Mistake("doubled", [4.5, 3], "W_h 是减半，不是加倍。"),
            Mistake("state_replaced", [1, 0], "旧的状态去哪里了？减半的是它，不是新词元的数。"),
        ],
        hints=["先把 (1.25, 1.5) 减半。", "再加上新词元的前两个数。"],
        solution="answer = [1.25 / 2 + 2, 1.5 / 2 + 0]",
        why="(1.25, 1.5) 减半是 (0.625, 0.75)，加上 (2, 0)，是 (2.625, 0.75)。",
    ),
    Exercise(
        id="rulers_table",
        title="三把尺子",
        kind="table",
        items=("①", "②", "③", "④", "⑤", "⑥"),
        reference=[10, 3, 320, 1280, 0, 100],
        tolerance=0.0,
        mistakes=[
            Mistake(
                "gaps",
                [9, 1, 320, 1280, 0, 100],
                "数的是一步等一步的矩阵乘法，第 1 步也算：最长的一串有几次？",
            ),
            Mistake(
                "like_the_RNN",
                [10, 10, 320, 320, 0, 100],
                "自注意力不是一个词元接一个词元：它不跟着 RNN 数。",
            ),
            Mistake("five_steps", [10, 5, 320, 1280, 0, 100], "五步里，哪几步是后一次等前一次的矩阵乘法？"),
            Mistake(
                "one_matrix",
                [10, 3, 160, 960, 0, 100],
                "RNN 每一步有两个矩阵：W_h 和 W_x；自注意力投影三次，QKᵀ、weights V 各一次。",
            ),
            Mistake(
                "no_projection",
                [10, 3, 320, 800, 0, 100],
                "这是 QKᵀ 和 weights V 两次的。投影的三次还没有算。",
            ),
            Mistake(
                "only_projection", [10, 3, 320, 480, 0, 100], "这是三次投影的。QKᵀ 和 weights V 还没有算。"
            ),
            Mistake(
                "one_product", [10, 3, 320, 880, 0, 100], "QKᵀ 和 weights V 各要 n² · d 次，只算了一次。"
            ),
            Mistake(
                "with_output",
                [10, 3, 320, 1440, 0, 100],
                "是不是把输出投影也算上了？只数三次投影和两次乘法。",
            ),
            Mistake("rnn_scores", [10, 3, 320, 1280, 10, 100], "RNN 不给谁打分，它只传状态。"),
            Mistake("scores_times_width", [10, 3, 320, 1280, 0, 400], "一对词元只有一个分数，与宽度无关。"),
            Mistake(
                "scores_not_squared",
                [10, 3, 320, 1280, 0, 10],
                "每个词元看每个词元，一对一个分数：n × n 个。",
            ),
            Mistake(
                "rnn_scores_squared",
                [10, 3, 320, 1280, 100, 100],
                "一对词元一个分数的是自注意力。RNN 打分吗？",
            ),
            Mistake(
                "width_not_squared",
                [10, 3, 80, 1280, 0, 100],
                "一行 4 个数乘一个 4 × 4 的矩阵，乘几次？不是 4 次。",
            ),
            Mistake("one_token", [10, 3, 32, 1280, 0, 100], "这是一个词元的。一共 10 个。"),
        ],
        hints=[
            "等：写出最长的一串，后一次乘法要用前一次的结果。",
            "乘法：RNN 每个词元两个 4 × 4 的矩阵；自注意力投影三次，再加 QKᵀ 和 weights V，各 100 × 4 次。",
        ],
        solution="rnn, attention = 2 * 10 * 4**2, 3 * 10 * 4**2 + 2 * 10**2 * 4\n"
        "cells = [10, 3, rnn, attention, 0, 10**2]",
        why="RNN 一个词元接一个词元，等 10 次，乘 2 × 10 × 16 = 320 次，没有分数。自注意力等 3 次：投影、"
        "QKᵀ、weights V；"
        "乘 480 + 800 = 1280 次，还要存 100 个分数。等得少，算得多。",
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

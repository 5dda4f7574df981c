"""练习：循环神经网络与注意力。"""

import numpy as np

from utils.exercises.other_ways import cell_values, in_cell, other_ways
from utils.exercises.records import Exercise, Mistake

_STATE, _TOKEN = np.array([1.25, 1.5]), np.array([2, 0, 1, 3])
_STATE_WAYS = [
    *other_ways(
        lambda state, keep, new, end: end(keep * state + new),
        {"state": _STATE, "keep": 0.5, "new": _TOKEN[:2], "end": lambda total: total},
        {
            "state": [
                ("swapped_state", _STATE[::-1], "旧状态的两个数是不是写反了？"),
                ("other_state", np.array([0.5, 1]), "旧的状态是 (1.25, 1.5)，是不是用了别的？"),
                ("first_number_twice", _STATE[[0, 0]], "旧状态的第 2 个数是 1.5。"),
            ],
            "keep": [
                ("not_halved", 1, "旧的状态是不是没有减半？"),
                ("halved_twice", 0.25, "旧的状态是不是减半了两次？只减一次。"),
                ("doubled", 2, "旧的状态是不是加倍了？W_h 是减半。"),
                ("only_new", 0, "旧的状态是不是没有算进去？"),
                ("half_taken_away", -0.5, "是不是减去了旧状态的一半？要加。"),
            ],
            "new": [
                ("only_old", np.zeros(2), "新的词元是不是没有加进去？"),
                ("other_columns", _TOKEN[2:], "取的是不是词元的后两个数？W_x 取前两个。"),
                ("middle_columns", _TOKEN[1:3], "取的是不是词元的中间两个数？W_x 取前两个。"),
                ("every_other", _TOKEN[::2], "是不是隔一个取了一个？W_x 取前两个。"),
                ("swapped_new", _TOKEN[:2][::-1], "新词元的两个数是不是加反了？"),
                ("halved_new", _TOKEN[:2] / 2, "新词元的数是不是也减半了？减半的只有旧的状态。"),
                ("total_of_token", np.full(2, 6), "是不是把新词元的四个数都加进去了？"),
                ("both_twos", np.full(2, 2), "第 2 个数要加的是 0，不是 2。"),
                ("taken_away", -_TOKEN[:2], "新词元的数是不是减去了？要加。"),
                ("doubled_new", 2 * _TOKEN[:2], "新词元的数是不是加了两次？"),
                ("first_and_last", _TOKEN[[0, 3]], "第 2 个数加的是不是词元的最后一个数？W_x 取前两个。"),
                ("first_and_third", _TOKEN[[0, 2]], "第 2 个数加的是不是词元的第 3 个数？W_x 取前两个。"),
            ],
            "end": [
                ("all_halved", lambda total: total / 2, "是不是加完又减半了？"),
                ("tanh", np.tanh, "是不是套了 tanh？题目说不套。"),
                ("swapped_end", lambda total: total[::-1], "两个数是不是写反了？"),
                ("relu", lambda total: np.maximum(0, total - 1), "是不是又减了 1？"),
            ],
        },
    ),
    Mistake("multiplied", _STATE * _TOKEN[:2], "旧的状态和新词元不是相乘，是相加；旧的先减半。"),
    Mistake("multiplied", _STATE * _TOKEN[:2] / 2, "旧的状态和新词元不是相乘，是相加；旧的先减半。"),
    Mistake("the_old_state", _STATE, "这是原来的状态：减半，再加新词元的前两个数。"),
    Mistake("the_token", _TOKEN, "这是新词元。状态只有两个数。"),
    Mistake("four_numbers", [*(_STATE / 2), *_TOKEN[:2]], "减半的和新的要加起来，得到两个数。"),
    Mistake("four_numbers", [*(_STATE / 2 + _TOKEN[:2]), *_TOKEN[2:]], "状态只有两个数，后两个不用写。"),
]

_CELLS_OF_RULERS = [
    *cell_values(
        0,
        {
            1: "RNN 一个词元等前一个词元：第 10 个要等几次？",
            11: "差一个：n 个词元，最长的一串有 n 次。",
            20: "W_x 的那一次不用等前一步，最长的一串里一个词元只有 W_h 的一次。",
            40: "等几次与宽度无关：一个词元一次。",
            100: "等的是一串，不是两两：一个词元等前一个。",
            5: "RNN 一个词元等前一个词元：最长的一串有几次？",
            3: "这是自注意力的。RNN 一个词元等前一个词元。",
            2: "RNN 一个词元等前一个词元：最长的一串有几次？",
            0: "RNN 要等：第 2 个词元的状态用到第 1 个的。",
        },
    ),
    *cell_values(
        1,
        {
            0: "后一次乘法要用前一次的结果，这样的一串有几次？",
            2: "投影、QKᵀ、weights V，最长的一串有几次矩阵乘法？是不是漏了一次？",
            4: "缩放、softmax 不是矩阵乘法；三个投影同时做，算一次。",
            6: "三个投影同时做，算一次；缩放、softmax 不是矩阵乘法。",
            7: "三个投影同时做，算一次；缩放、softmax 不是矩阵乘法。",
            9: "自注意力不是一个词元接一个词元。",
            30: "是不是乘了 n？等的次数与词元数无关。",
            100: "两两的分数是一次乘法同时算出的：等的次数与词元数无关。",
            8: "等的次数不随词元数变：投影、QKᵀ、weights V。",
        },
    ),
    *in_cell(
        2,
        other_ways(
            lambda matrices, n, width, columns: matrices * n * width * columns,
            {"matrices": 2, "n": 10, "width": 4, "columns": 4},
            {
                "matrices": [
                    ("one_matrix", 1, "是不是只算了一个矩阵？每一步有 W_h 和 W_x。"),
                    ("three_projections", 3, "RNN 没有三个投影：每一步只有 W_h 和 W_x。"),
                    ("four_matrices", 4, "每一步只有 W_h 和 W_x 两个矩阵。"),
                ],
                "n": [
                    ("one_token", 1, "是不是只算了一个词元？一共 10 个。"),
                    ("gaps", 9, "第 1 个词元也要乘：一共 10 步。"),
                    ("pairs", 100, "RNN 不两两比较：一个词元一步，一共 n 步。"),
                ],
                "width": [("not_squared", 1, "一行 4 个数乘一个 4 × 4 的矩阵，乘几次？不是 4 次。")],
                "columns": [
                    ("width_cubed", 16, "是不是多乘了一次 4？一行乘一个 4 × 4 的矩阵。"),
                    ("eight", 8, "一行 4 个数乘一个 4 × 4 的矩阵，是不是又乘了 2？"),
                ],
            },
        ),
    ),
    *in_cell(
        3,
        other_ways(
            lambda projections, inside, products, pairs, width: (
                projections * 10 * inside + products * pairs * width
            ),
            {"projections": 3, "inside": 16, "products": 2, "pairs": 100, "width": 4},
            {
                "projections": [
                    ("no_projection", 0, "三次投影是不是没有算？"),
                    ("one_projection", 1, "投影是不是只算了一次？有 Q、K、V 三次。"),
                    ("two_projections", 2, "投影是不是只算了两次？有 Q、K、V 三次。"),
                    ("with_output", 4, "是不是把输出投影也算上了？只数三次投影和两次乘法。"),
                    ("projections_each_token", 30, "投影的次数里，n 是不是乘了两遍？"),
                ],
                "inside": [
                    ("not_squared", 4, "一次投影里，一行 4 个数乘一个 4 × 4 的矩阵，不是 4 次。"),
                    ("width_cubed", 64, "一次投影里，是不是多乘了一次 4？"),
                ],
                "products": [
                    ("only_projection", 0, "QKᵀ 和 weights V 是不是没有算？"),
                    ("one_product", 1, "QKᵀ 和 weights V 是不是只算了一次？"),
                    ("three_products", 3, "QKᵀ 和 weights V 是两次，是不是算了三次？"),
                ],
                "pairs": [
                    ("no_pairs", 10, "QKᵀ 里每个词元看每个词元：是 n²，不是 n。"),
                    ("half_pairs", 50, "QKᵀ 是不是只算了一半？没有遮罩，n² 个都要算。"),
                ],
                "width": [
                    ("no_width", 1, "一个分数是 4 个积的和，是不是没有乘 d？"),
                    ("width_squared", 16, "QKᵀ 里一个分数乘 d 次，不是 d² 次。"),
                    ("two_widths", 8, "QKᵀ 和 weights V 是不是多算了一倍？"),
                ],
            },
        ),
    ),
    *cell_values(
        4,
        {
            1: "RNN 不打分：没有查询，也没有键。",
            9: "RNN 不给谁打分，它只传状态。",
            20: "RNN 不给谁打分，它只传状态。",
            40: "这像是状态里一共有几个数。状态不是分数。",
            4: "这是状态的宽度。状态不是分数。",
            90: "RNN 不给谁打分，它只传状态。",
            45: "RNN 不给谁打分，它只传状态。",
            55: "RNN 不给谁打分，它只传状态。",
            320: "这是乘法的次数。RNN 不打分。",
        },
    ),
    *cell_values(
        5,
        {
            90: "自己看自己也有一个分数。",
            45: "一对词元有两个分数（谁看谁），自己看自己也有一个。",
            55: "没有遮罩：前面的也看后面的，n × n 个都算。",
            50: "没有遮罩：n × n 个都算，不是一半。",
            200: "是不是把权重也数进去了？只数分数。",
            40: "一对词元只有一个分数，n × n 个，与宽度无关。",
            20: "每个词元看每个词元：是 n × n，不是 2 × n。",
            1000: "n × n 是几？是不是多乘了一次 n？",
            300: "分数只有一张 (n, n)，不是三张。",
            16: "分数是 (n, n)，与宽度无关。",
            0: "自注意力要打分：每个词元看每个词元。",
            9: "每个词元看每个词元，自己也算：n × n 个。",
        },
    ),
]

EXERCISES = [
    Exercise(
        id="pencil_state",
        title="再读一个词元",
        kind="number",
        reference=[2.625, 0.75],
        tolerance=0.0051,
        also=_STATE_WAYS,
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
        also=_CELLS_OF_RULERS,
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

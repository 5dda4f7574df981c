"""练习：位置。"""

import math

import numpy as np

from utils import positions as course
from utils.exercises.other_ways import other_ways
from utils.exercises.random_inputs import random_matrix
from utils.exercises.records import Exercise, Mistake, Reason


def _rows(seed=1):
    rng = np.random.default_rng(seed)
    return [(random_matrix(rng, 3, 8),), (random_matrix(rng, 5, 4),), (random_matrix(rng, 4, 4),)]


def _sizes(seed=1):
    return [(3, 8), (6, 4), (4, 4)]


def _rotated(M, layout="pairs"):
    return course.rotate(M, range(len(M)), layout=layout)


def _mixed(M, angles, sign=-1):
    """每个数乘 cos，加上相邻的同伴乘 sin；angles 已经排成 (n, d_k)。"""
    partner = np.empty(M.shape)
    partner[:, 0::2], partner[:, 1::2] = sign * M[:, 1::2], -sign * M[:, 0::2]
    return np.cos(angles) * M + np.sin(angles) * partner


def _row_by_row(angles, M):
    """repeat 写了 axis=0：抄的是行，不是列。"""
    return np.repeat(angles, 2, axis=0)[: len(M)]


_REPEATED_ROWS = [
    lambda M: np.hstack([_row_by_row(_angles(M), M)] * 2),
    lambda M: np.repeat(_row_by_row(_angles(M), M), 2, axis=1),
    lambda M: np.repeat(_angles(M), 2, axis=0).reshape(M.shape),
    lambda M: np.vstack([_angles(M)] * 2).reshape(M.shape),
]


def _both_positive(M):
    angles = np.repeat(_angles(M), 2, axis=1)
    partner = M.reshape(len(M), -1, 2)[:, :, ::-1].reshape(M.shape)
    return np.cos(angles) * M + np.sin(angles) * partner


def _angles(M):
    return course.turn_angles(range(len(M)), M.shape[1])


def _woven(left, right):
    return np.dstack([left, right]).reshape(len(left), -1)


def _table(n, d_model, first=0, exponent=2, base=10000):
    """正弦位置的变种：从第 first 个位置数起，指数是 exponent · t / d。"""
    angles = np.outer(np.arange(n) + first, float(base) ** (-exponent * np.arange(d_model // 2) / d_model))
    return np.sin(angles), np.cos(angles)


def _degrees(n, d_model):
    angles = np.radians(course.turn_angles(np.arange(n), d_model))
    return np.sin(angles), np.cos(angles)


def _floored(n, d_model):
    angles = np.outer(np.arange(n), 1e4 ** (-2 * np.arange(d_model // 2) // d_model))
    return _woven(np.sin(angles), np.cos(angles))


def _overlapping(n, d_model):
    sines, cosines = _table(n, d_model)
    result = np.zeros((n, d_model))
    for t in range(d_model // 2):
        result[:, t], result[:, t + 1] = sines[:, t], cosines[:, t]
    return result


def _by_column(n, d_model, exponent):
    """每一列用自己的列号 m，角是 i · 10000^(−exponent · m / d)：偶数列 sin，奇数列 cos。"""
    columns = np.arange(d_model)
    angles = np.outer(np.arange(n), 1e4 ** (-exponent * columns / d_model))
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


_DIFFERENCE_WAYS = [
    *other_ways(
        lambda lengths, steps, angle, turn: lengths * turn(angle(steps * 30)),
        {"lengths": 9, "steps": 2, "angle": math.radians, "turn": math.cos},
        {
            "lengths": [
                ("forgot_length", 1, "是不是忘了两支箭头的长度？"),
                ("one_length", 3, "是不是只乘了一支箭头的长度？"),
                ("lengths_added", 6, "是不是把两个长度加起来了？要相乘。"),
                ("lengths_squared", 81, "长度是不是多乘了一遍？"),
                ("length_root", 3**0.5, "长度是不是开了平方？箭头长 3。"),
            ],
            "steps": [
                ("one_step", 1, "是不是按差 1 步算了？"),
                ("three_steps", 3, "是不是头尾都数，算成了 3 步？9 − 7 是几？"),
                ("not_turned", 0, "是不是没有转？"),
                ("added_positions", 16, "是不是把两个位置加起来了？要的是差。"),
                ("only_the_query", 9, "是不是只转了查询？键也要转。"),
                ("negative", 7, "是不是只转了键？查询也要转。"),
                ("four_steps", 4, "是不是多乘了 2？差 2 步，转 60°。"),
                ("half_turn", 6, "差 2 步转几度？是不是当成了 180°？"),
                ("multiplied_positions", 63, "是不是把两个位置乘起来了？要的是差。"),
                ("half_step", 0.5, "角是不是除以了 2？差 2 步，是 2 × 30°。"),
            ],
            "angle": [
                ("radians", float, "角度是不是直接交给了 cos？np.cos 收弧度。"),
                ("degrees_twice", lambda a: math.radians(math.radians(a)), "是不是换了两次弧度？"),
            ],
            "turn": [
                ("sine", math.sin, "cos 是不是写成了 sin？"),
                ("tangent", math.tan, "cos 是不是写成了 tan？"),
                ("no_cosine", lambda angle: angle, "角要取 cos，再乘长度。"),
                ("in_degrees", math.degrees, "角要取 cos，再乘长度。"),
                ("minus", lambda angle: -math.cos(angle), "正负号反了：cos 60° 是正的。"),
                ("one_minus", lambda angle: 1 - math.cos(angle), "用的是不是 1 − cos？点积用 cos。"),
                ("squared_cosine", lambda angle: math.cos(angle) ** 2, "cos 是不是平方了？"),
                ("divided", lambda angle: 1 / math.cos(angle), "是不是除以了 cos？要乘。"),
            ],
        },
    ),
    Mistake("one_angle", 30, "这是一步转几度。差几步，夹角几度，余弦是多少？"),
    Mistake("angles_kept", 270, "这是查询转了几度。分数是长 × 长 × 夹角的余弦。"),
]

EXERCISES = [
    Exercise(
        id="positions_match",
        title="四种办法",
        kind="match",
        items=("另占几列", "加正弦", "每个位置学一行", "转"),
        clues=(
            "它动的是 X：X 变宽了没有？位置的几列用谁的投影矩阵？",
            "它动的是 X，加在原来的列上。数由公式来，还是训练来？",
            "它动的是 X，加在原来的列上。没有训练过的一行是什么数？",
            "它不动 X：投影以后动的是哪几样？整句挪个位置，分数变不变？",
        ),
        reference="BDCA",
        mistakes=[
            Mistake("columns_as_added", "DDCA", "词和位置混在同样的几列里吗？X 的宽度变了没有？"),
            Mistake("added_as_columns", "BBCA", "加上去，X 会变宽吗？投影时是各用各的矩阵，还是共用一个？"),
            Mistake("learned_as_sine", "BDDA", "它的每个数由公式来，还是训练来？没有训练过的位置呢？"),
            Mistake(
                "sine_as_learned",
                "BCCA",
                "它的每个数由公式来，任何位置都有数。没有训练过的一行随机数，是谁？",
            ),
            Mistake("turns_values", "BDCE", "V 转了没有？看“整句往后挪 5 个位置”的两行数。"),
            Mistake("turns_X", "BDCD", "它动 X 吗？是投影以前转，还是投影以后转？"),
            Mistake("others_turn", "AAAA", "只动 Q 和 K 的，是投影以后才做的那一种。"),
        ],
        hints=["先分：哪一种不动 X？", "动 X 的三种里，哪一种让 X 变宽，哪一种的数要靠训练？"],
        solution='letters = "BDCA"',
        why="另占几列：X 变宽，词和位置各用各的投影矩阵。加正弦：X 不变宽，数由公式来，不会变大。"
        "每个位置学一行：也是加，"
        "可是没有训练过的位置还是随机数。转：投影以后只动 Q 和 K，分数只看位置的差。",
    ),
    Exercise(
        id="pencil_difference",
        title="只看差",
        kind="number",
        reference=4.5,
        also=_DIFFERENCE_WAYS,
        tolerance=0.01,
        mistakes=[
            Mistake("radians", 9 * math.cos(60), "60 被当作弧度了。np.cos 收弧度：先用 np.deg2rad 换。"),
            Mistake("forgot_length", 0.5, "这是夹角的余弦。两支箭头都长 3，点积还要乘什么？"),
            Mistake("one_length", 1.5, "只乘了一支箭头的长度，另一支也长 3。"),
            Mistake(
                "one_step",
                7.7942,
                "这是 9 × 0.866：差 1（30°）的分数；或者把 cos 60° 记成了 sin 60°。9 和 7 差几？",
            ),
            Mistake("added_positions", -4.5, "是不是把两个位置加起来了？9 + 7 = 16 步；要的是差。"),
            Mistake("not_turned", 9, "这是差 0 的分数。差 2 时夹角是多少？"),
            Mistake("only_the_query", 0, "只转了查询，9 × 30° = 270°。键也要转。"),
            Mistake("negative", -7.7942, "是不是只转了键，7 × 30° = 210°？查询也要转。"),
            Mistake("angle", 60, "这是夹角。分数是长 × 长 × 夹角的余弦。"),
            Mistake("lengths_added", 3, "两支箭头的长度要乘，不是加，也不能只乘一支。"),
            Mistake("no_cosine_of_the_steps", 2, "这是差几步。一步转 30°，夹角是几度，余弦是多少？"),
        ],
        hints=["不用分别转：分数只看位置的差。差几步，夹角几度？", "点积 = 长度 × 长度 × 夹角的 cos。"],
        solution="answer = turn([3, 0], 9 * 30) @ turn([3, 0], 7 * 30)",
        why="差 2 步，夹角 60°，cos 60° = 0.5；两支箭头都长 3，转不改长度，3 × 3 × 0.5 = 4.5。",
    ),
    Exercise(
        id="reading_values",
        title="为什么不转 V",
        kind="reading",
        reference="C",
        mistakes=[
            Mistake("odd_width", "A", "宽度是奇数，Q 和 K 也转不了；这不是不转 V 的理由。"),
            Mistake("slow", "B", "转 V 与转 K 一样快。笔记本里量了一件事：整句挪 5 个位置，会怎样？"),
            Mistake("already_there", "D", "旋转位置不改 X，V 里没有位置。"),
        ],
        hints=["Q 和 K 的角在哪一步相减了？V 有这样的一步吗？", "看“整句往后挪 5 个位置”的两行数。"],
        solution='choice = "C"',
        why="查询和键在点积里相遇，i 步与 j 步相减，只剩差。值只是按权重加起来，转过的角留在输出里，"
        "整句挪个位置，输出就变了。",
    ),
    Exercise(
        id="bug_layout",
        title="第 1 行总是对的",
        kind="bug",
        reference=3,
        arguments=("M",),
        inputs=_rows,
        shape="(n, d_k)",
        repair=_rotated,
        also=[
            *(
                Mistake(
                    "repeated_rows",
                    lambda M, angles=angles: _mixed(M, angles(M)),
                    "抄的是角的行，不是列：要沿着列抄，axis=1，每一对的角给相邻的两列。",
                )
                for angles in _REPEATED_ROWS
            ),
            Mistake(
                "mirrored_angles",
                lambda M: _mixed(M, np.hstack([_angles(M), _angles(M)[:, ::-1]])),
                "右边一半的角倒过来了。相邻的两列要用同一个角：a0、a0、a1、a1。",
            ),
            Mistake(
                "only_first_angle",
                lambda M: _mixed(M, np.repeat(_angles(M)[:, :1], M.shape[1], axis=1)),
                "每一对都用了第 1 对的角。每一对有自己的角。",
            ),
            Mistake(
                "twice_the_angle",
                lambda M: _mixed(M, 2 * np.repeat(_angles(M), 2, axis=1)),
                "每一对转了两倍的角：角的表不用再乘 2。",
            ),
        ],
        mistakes=[
            Mistake("blamed_signature", 1, "参数没有错。"),
            Mistake("blamed_angles", 2, "角的表 (n, d_k / 2)，一对一列，没有错。"),
            Mistake("blamed_empty", 4, "只是建一个空数组，没有错。"),
            Mistake("blamed_even", 5, "偶数列的同伴是它右边一列，带负号，没有错。"),
            Mistake("blamed_odd", 6, "奇数列的同伴是它左边一列，没有错。"),
            Mistake("blamed_sum", 7, "x cos a − y sin a 和 y cos a + x sin a，没有错。"),
            Mistake(
                "still_tiled",
                lambda M: _mixed(M, np.hstack([_angles(M)] * 2)),
                "还是原来的结果：同伴是相邻的列，角却是照前一半与后一半排的。",
            ),
            Mistake(
                "halves",
                lambda M: _rotated(M, "halves"),
                "现在同伴和角都照前一半与后一半排了。题目要相邻的两列。",
            ),
            Mistake(
                "clockwise",
                lambda M: _mixed(M, np.repeat(_angles(M), 2, axis=1), sign=1),
                "角排对了，可是转反了：负号该在偶数列的同伴上。",
            ),
            Mistake(
                "counted_from_one",
                lambda M: course.rotate(M, np.arange(len(M)) + 1),
                "角排对了，可是位置从 1 数起：第 1 行在位置 0，不转。",
            ),
            Mistake(
                "both_positive",
                _both_positive,
                "角排对了，可是偶数列的同伴少了负号：x cos a − y sin a。",
            ),
            Mistake("not_turned", lambda M: M, "一行也没有转。位置 1 的一行就该变了。"),
        ],
        hints=[
            "第 1 行的角都是 0，排错了也看不出。看第 2 行：每一列用的是哪一对的角？",
            "相邻的两列要用同一个角。把两张同样的表左右接起来，第 0 列和第 1 列的角相同吗？",
        ],
        solution="line = 3  # 应是 angles = np.repeat(angles, 2, axis=1)",
        why="np.hstack([angles, angles]) 排成 a0、a1、a0、a1，是前一半与后一半的排法；同伴却是相邻的两列。"
        "np.repeat(angles, 2, axis=1) 把每一列抄两遍：a0、a0、a1、a1。位置 0 的角是 0，所以第 1 行看不出。",
    ),
    Exercise(
        id="sine_positions",
        title="写出正弦位置",
        kind="step",
        arguments=("n", "d_model"),
        inputs=_sizes,
        shape="(n, d_model)",
        reference=course.sine_positions,
        without=("sine_positions",),
        also=[
            Mistake(
                "other_base",
                lambda n, d_model: _woven(*_table(n, d_model, base=1000)),
                "第 1 对对，后面的走得太快：底数是 10000，是不是少写了一个 0？",
            ),
            Mistake(
                "degrees",
                lambda n, d_model: _woven(*_degrees(n, d_model)),
                "角已经是弧度，不要再换：np.sin 和 np.cos 收的就是弧度。",
            ),
            Mistake(
                "two_twice",
                lambda n, d_model: _woven(*_table(n, d_model, exponent=4)),
                "后面的几对走得太慢：t 是第几对，指数里只乘一次 2；循环走 0、2、4……时就不再乘了。",
            ),
            Mistake("floor_division", _floored, "指数成了整数：是不是用了 //？要写一个斜杠 /。"),
            Mistake(
                "overlapping_pairs",
                _overlapping,
                "第 t 对放在第 2t、2t + 1 列。放在 t、t + 1 列，后一对就盖掉了前一对的 cos。",
            ),
            Mistake(
                "positions_left_out",
                lambda n, d_model: _woven(*(np.tile(each[1:2], (n, 1)) for each in _table(2, d_model))),
                "每一行都一样：角里少乘了位置 i。",
            ),
            Mistake(
                "minus_cosine",
                lambda n, d_model: _woven(_table(n, d_model)[0], -_table(n, d_model)[1]),
                "cos 的一列多了负号。",
            ),
            Mistake(
                "rows_for_width",
                lambda n, d_model: _woven(*_table(n, d_model, exponent=2 * d_model / n)),
                "指数的分母是 n 吗？要除以宽度 d_model。",
            ),
            Mistake(
                "stacked",
                lambda n, d_model: np.vstack(_table(n, d_model)),
                "sin 和 cos 上下接了起来：它们要并排，一对占相邻的两列。",
            ),
            Mistake(
                "not_flattened",
                lambda n, d_model: np.dstack(_table(n, d_model)),
                "一对的 sin 和 cos 放在了第三维：还差一步 .reshape(n, d_model)。",
            ),
            Mistake(
                "added",
                lambda n, d_model: np.add(*_table(n, d_model)),
                "sin 和 cos 加起来了：它们各占一列。",
            ),
            Mistake(
                "only_half",
                lambda n, d_model: _table(n, d_model)[0],
                "只有 sin 的一半，一对只出了一列：每一对还要一列 cos。",
            ),
            Mistake(
                "cos_left_out",
                lambda n, d_model: _woven(_table(n, d_model)[0], np.zeros((n, d_model // 2))),
                "奇数列还是 0：每一对的后一列要放 cos。",
            ),
        ],
        mistakes=[
            Mistake(
                "side_by_side",
                lambda n, d_model: np.hstack(_table(n, d_model)),
                "数都对，排法不同：sin 全在左边，cos 全在右边了。一对的 sin 和 cos 要相邻。",
            ),
            Mistake(
                "cos_on_the_left",
                lambda n, d_model: np.hstack(_table(n, d_model)[::-1]),
                "cos 全在左边，sin 全在右边了。一对的 sin 和 cos 要相邻，先 sin。",
            ),
            Mistake(
                "a_speed_a_column",
                lambda n, d_model: _by_column(n, d_model, exponent=1),
                "奇数列的角不对：cos 与左边的 sin 是一对，用同一个角，不是自己的列号。",
            ),
            Mistake(
                "column_for_pair",
                lambda n, d_model: _by_column(n, d_model, exponent=2),
                "t 用了列号。t 是第几对：第 0、1 列都是 t = 0，第 2、3 列都是 t = 1。",
            ),
            Mistake(
                "cos_first",
                lambda n, d_model: _woven(*_table(n, d_model)[::-1]),
                "每一对里次序反了：先 sin，后 cos。",
            ),
            Mistake(
                "counted_from_one",
                lambda n, d_model: _woven(*_table(n, d_model, first=1)),
                "位置从 1 数起了。位置 0 的一行应是 0、1、0、1……",
            ),
            Mistake(
                "forgot_two",
                lambda n, d_model: _woven(*_table(n, d_model, exponent=1)),
                "后面的几对走得太快：指数是 −2t/d_model，是不是漏了 2？",
            ),
            Mistake(
                "faster_and_faster",
                lambda n, d_model: _woven(*_table(n, d_model, exponent=-2)),
                "后面的几对越走越快了：指数的负号呢？",
            ),
            Mistake(
                "one_speed",
                lambda n, d_model: _woven(*_table(n, d_model, exponent=0)),
                "每一对走得一样快。第 t 对每个位置走 10000 的 −2t/d_model 次方。",
            ),
            Mistake(
                "only_sine",
                lambda n, d_model: _woven(*_table(n, d_model)[:1] * 2),
                "每一对都是两个 sin：后一列应是 cos。",
            ),
            Mistake(
                "angles",
                lambda n, d_model: course.turn_angles(np.arange(n), d_model),
                "这是角，还没有取 sin 和 cos。",
            ),
            Mistake(
                "transposed",
                lambda n, d_model: course.sine_positions(n, d_model).T,
                "行和列反了：收到 {shape}，应是 {expected_shape}，一行一个位置。",
            ),
        ],
        hints=[
            "先求角：turn_angles(np.arange(n), d_model)，一对一列。",
            "建一个 np.empty((n, d_model))，偶数列放 sin，奇数列放 cos。",
        ],
        solution="def my_sine_positions(n, d_model):\n"
        "    angles = turn_angles(np.arange(n), d_model)\n"
        "    P = np.empty((n, d_model))\n"
        "    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)\n"
        "    return P",
        why="一对一根指针，角 = 位置 × 速度。P[:, 0::2] 是第 0、2、4……列，放 sin；P[:, 1::2] 放 cos。",
    ),
    Exercise(
        id="truth_longer",
        title="更长的句子",
        kind="truth",
        reference=False,
        mistakes=[Mistake("formula_enough", True, "有数不等于学过。看折线图里“转”在 8 句的一点。")],
        hints=[
            "看折线图：“转”到几句还是 1，8 句呢？",
            "训练时位置的差最大是多少？8 句时，模型遇到的差，训练时都见过吗？",
        ],
        ideas=(
            r"(没|没有|未|未曾|从未|不曾)(被|有)?(训练|见|学|练|遇|碰|出现)(过|到)?",
            r"不等于|学会|经验|以外|学过|练过|训练过|见过的",
            r"超(出|过)(?! ?1)|外推|0\.5|(只|才)对",
            r"折线|没有保证|不保证|保证不了|泛化|分布|陌生|周期|重复|推广|新的",
            r"(转|绕)…圈|(差|距离|隔得|间隔)…(像|混|看错|认错|更大|更远|太大|太远|变大)|差 ?20",
            r"训练(时|中|里)…(没|不)|训练…(最长|只有|只到|最多|短)|不够长|训练…(数据|长度|距离)|(只|才)(练|学|见|训练)",
            r"8 ?句…(不|掉|错|下降|低)",
        ),
        reasons=[
            Reason(
                "weights_sum",
                r"权重…(加起来|的?和|总和)",
                "一行权重加起来总是 1，句子多长都一样。有数，还缺什么？看折线图 8 句的一点。",
            ),
            Reason(
                "overflow",
                r"溢出|爆|精度|浮点|误差|无穷|nan|太大|太小",
                "sin 和 cos 总在 −1 到 1 之间，24 个位置也算得准。有数，还缺什么？看折线图 8 句的一点。",
            ),
            Reason(
                "rows_run_out",
                r"备|\d+ ?行|行(不够|用完)|没有…行|查(不到|表)|随机|没有(数|公式|定义|编码|位置)|算不出",
                "备好若干行、用完就没有的，是“每个位置学一行”。转有公式，任何位置都有数。有数，为什么还不全对？",
            ),
            Reason(
                "only_difference",
                r"只(看|由|跟|和|与|取决于|依赖)…差|相对位置|差(都|也)?(不变|一样|相同)",
                "只看差，这是对的；可是句子长了，差也大了：8 句里的差，训练时都遇到过吗？",
            ),
            Reason(
                "same_length",
                r"不(会)?…变大|不(会)?(改变|变)(大|长度)|(长度|大小|模长)(不变|没变|相同|不改)|不改变(长度|大小)|不变大",
                "转不改变一行的长度，这是对的；可是长度不变，不等于那么远的差学过。看折线图 8 句的一点。",
            ),
            Reason(
                "forgets",
                r"忘|记不住|记忆|梯度|压(进|缩)|传不到|衰减",
                "注意力直接看每一个位置，不会一步步忘掉。“转”到 6 句还是 1：8 句比它多了什么样的差？",
            ),
            Reason(
                "overfitting",
                r"过(度)?拟合|学习率|(参数|头|层|模型|训练|步)…(太少|太小|不够|不足)|欠拟合",
                "1 到 6 句的留出句全对，训练没有问题。8 句比它们多了什么样的差？",
            ),
        ],
        solution="answer = False\nreason = '公式有数，不等于那么远的差训练过；8 句只对 0.56'",
        why="有数不等于学过：训练时最长 3 句，“转”到 6 句还是 1，8 句就只对 0.56。"
        "训练过的长度四种办法都是 1，更长的都没有保证；“学”总不行，别的随种子、随问题变。",
    ),
]

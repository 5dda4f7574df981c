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
]

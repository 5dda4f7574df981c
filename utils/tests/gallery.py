"""一套图：笔记本里的每一种，加上最难画的几种。{名字: 画它}，数都来自设计或固定的种子。"""

import numpy as np

from utils.plotting import (
    plot_arrows,
    plot_bars,
    plot_lines,
    plot_matrices,
    plot_matrix,
    plot_pipeline,
    plot_score,
    plot_shares,
    plot_value_plane,
    plot_weights,
)
from utils.tests.design import DESIGN

CAT = {name: np.array(M, float) for name, M in DESIGN["猫吃鱼"].items()}
X, W_Q, Q, K, V, SCORES, WEIGHTS, OUTPUT = (
    CAT[name] for name in ("X", "W_Q", "Q", "K", "V", "scores", "weights", "output")
)
COLUMNS = ["猫", "吃", "鱼", "位置1", "位置2", "位置3", "名词", "动词"]
ROW_NAME, COL_NAME = "查询（谁在看）", "键（看向谁）"
AXES = {"row_labels": "猫吃鱼", "col_labels": "猫吃鱼", "row_name": ROW_NAME, "col_name": COL_NAME}
MASKED = np.array([[2, -np.inf, -np.inf], [1, 1, -np.inf], [1, 1, 2]])
RANDOM = np.random.default_rng(0).normal(size=(64, 64))
D_K = 2 ** np.arange(11)
ODD_TOKENS = ["$x_1$", "a\\b", "^_^", "", "换\n行", "supercalifragilisticexpialidocious"]
ODD_TOKENS += ["🐱", "𓀀", "the", "%", "$", "我们"]
KEYS = {"x_name": "键", "y_name": "权重"}


def share(n, m):
    """n 行随机的权重，每行的和是 1。"""
    parts = np.abs(RANDOM[:n, :m])
    return parts / parts.sum(axis=1, keepdims=True)


GALLERY = {
    "分数与三种框": lambda: plot_matrix(
        SCORES, title="注意力分数", **AXES, outline=[("row", 1), ("col", 2), ("cell", 0, 0)]
    ),
    "遮住": lambda: plot_matrix(MASKED, title="遮住后的分数", row_labels="我爱你", col_labels="我爱你"),
    "一格": lambda: plot_matrix([[3]], title="一格", row_name=ROW_NAME, col_name=COL_NAME),
    "12×12": lambda: plot_matrix(RANDOM[:12, :12], title="十二", row_name=ROW_NAME, col_name=COL_NAME),
    "64×64": lambda: plot_matrix(RANDOM, title="六十四", row_name=ROW_NAME, col_name=COL_NAME),
    "1×64": lambda: plot_matrix(RANDOM[:1], title="很扁"),
    "64×1": lambda: plot_matrix(RANDOM[:, :1], title="很窄"),
    "大数": lambda: plot_matrix(RANDOM[:4, :8] * 12345, title="大数"),
    "小数": lambda: plot_matrix(RANDOM[:8, :4] * 0.02, title="W_Q"),
    "很长的标题": lambda: plot_matrix([[1, 2]], title="这个标题很长，" * 8),
    "权重": lambda: plot_weights(WEIGHTS, "猫吃鱼", title="注意力权重"),
    "权重与和": lambda: plot_weights(
        WEIGHTS, "猫吃鱼", title="沿列做 softmax，这不是我们要的", show_sums=True
    ),
    "n_q≠n_k": lambda: plot_weights(
        share(2, 5), "我你", key_tokens="甲乙丙丁戊", title="交叉", show_sums=True
    ),
    "句子": lambda: plot_weights(
        share(2, 3), ["八个字的一句话呀", "头"], key_tokens="猫吃鱼", title="w", row_name="句子"
    ),
    "怪词元": lambda: plot_weights(share(12, 12), ODD_TOKENS, title="怪 $x_1$ 词元", show_sums=True),
    "20 个词元": lambda: plot_weights(
        share(20, 20), [f"tok{i}" for i in range(20)], title="二十", show_sums=True
    ),
    "份额": lambda: plot_shares(WEIGHTS, "猫吃鱼", title="一份注意力怎样分"),
    "许多份额": lambda: plot_shares(
        share(8, 12) * 1.2, COLUMNS, key_tokens=ODD_TOKENS[:6] * 2, title="和不是 1"
    ),
    "投影": lambda: plot_matrices(
        {"X": X, "W_Q": W_Q, "Q": Q},
        operators=("@", "="),
        row_labels={"X": "猫吃鱼", "Q": "猫吃鱼", "W_Q": COLUMNS},
        col_labels={"X": COLUMNS},
        outline={"X": [("row", 1)], "W_Q": [("col", 0)], "Q": [("cell", 1, 0)]},
    ),
    "七个矩阵": lambda: plot_matrices(
        {**CAT, "scaled_scores": SCORES / 2}, row_labels={"Q": "猫吃鱼"}, title="每一步"
    ),
    "大的一排": lambda: plot_matrices({"A": RANDOM[:20, :16], "B": RANDOM[:16, :30]}, operators=("@",)),
    "两种 softmax": lambda: plot_matrices(
        {"沿行": WEIGHTS, "沿列": WEIGHTS.T},
        kind="weights",
        row_labels="猫吃鱼",
        col_labels="猫吃鱼",
        title="两个方向",
    ),
    "一个分数": lambda: plot_score(Q, K, 1, 0, "猫吃鱼"),
    "一个长分数": lambda: plot_score(
        RANDOM[:4, :8], RANDOM[4:7, :8], 1, 2, ["the", "cat", "sat", "on"], key_tokens=["le", "chat", "noir"]
    ),
    "一个更长的分数": lambda: plot_score(RANDOM[:2, :40], RANDOM[2:4, :40], 0, 1, "我你"),
    "五步": lambda: plot_pipeline(),
    "五步第 3 步": lambda: plot_pipeline(3),
    "五步和遮住": lambda: plot_pipeline(extra="mask"),
    "五步和头": lambda: plot_pipeline(2, extra="heads"),
    "方差": lambda: plot_lines(
        D_K,
        {"缩放前": D_K * 1.02, "÷ √d_k": np.ones(11), "÷ d_k": 1 / D_K},
        title="q·k 的方差",
        x_name="d_k",
        y_name="方差",
        log_x=True,
        log_y=True,
    ),
    "六条线": lambda: plot_lines(
        np.arange(300),
        {f"第 {i} 条名字不短的线": np.sin(np.arange(300) / 40 + i) * 10 for i in range(6)},
        title="六条线",
        x_name="步数",
        y_name="值",
    ),
    "一个点": lambda: plot_lines([1], {"y": [5]}, title="点", x_name="x", y_name="y", log_x=True, log_y=True),
    "柱": lambda: plot_bars(
        {"分数": [1, 0.5, 0.5], "exp": np.exp([1, 0.5, 0.5]), "权重": [0.4519, 0.2741, 0.2741]},
        title="从分数到权重",
        x_labels="我爱你",
        **KEYS,
    ),
    "负的柱": lambda: plot_bars({"÷√d_k": [1, -2, 0.5], "b": [0, 0.25, -0.1]}, title="负数", **KEYS),
    "四十根柱": lambda: plot_bars({"a": share(1, 40)[0], "b": share(2, 40)[1]}, title="多", **KEYS),
    "零柱": lambda: plot_bars({"a": [0, 0]}, title="零", x_labels=["很长的标签名", "b"], **KEYS),
    "平面": lambda: plot_value_plane(
        V, OUTPUT, "猫吃鱼", value_names=["谁在吃", "吃的是什么"], title="输出在三角形里"
    ),
    "四个点的平面": lambda: plot_value_plane(
        RANDOM[:4, :2] * 9,
        share(4, 4) @ RANDOM[:4, :2] * 9,
        ["transformer", "b", "c", "d"],
        value_names="ab",
        title="四",
    ),
    "箭头": lambda: plot_arrows(
        {"位置 2 和 1": {"q": (0.5, 0.866), "k": (0.866, 0.5)}, "重合": {"q": (0, 1), "k": (0, 1)}},
        title="转",
    ),
    "五幅箭头": lambda: plot_arrows(
        {f"第 {i} 幅": {"很长的名字呀": (2, -1), "零": (0, 0)} for i in range(5)},
        title="五",
        colors=["black"],
    ),
}

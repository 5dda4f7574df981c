"""拖：可以拖动的滑块、可以点的按钮，一动就重算、重画（ipywidgets）。

每个函数返回一个 `Explorer`：放在一格的最后，打开笔记本运行这一格就能拖、能点。它的 `picture` 是眼下的图，
放在下一格里就是一张普通的图：导出成网页、PDF 时滑块不能动，这张图还在。

只有这里用到 ipywidgets。算用 `attention`，画用 `plotting`。
"""

import base64
import html

import numpy as np
from ipywidgets import HTML, FloatSlider, HBox, Layout, SelectionSlider, ToggleButton, ToggleButtons, VBox

from utils.attention import attention, mask_scores, scale_scores, softmax, split_heads, weighted_sum
from utils.checks import as_array, as_arrays, as_names, is_number, require, shown
from utils.plotting import plot_arrows, plot_bars, plot_matrices, plot_value_plane, plot_weights
from utils.positions import rotate

WIDTHS = (1, 4, 16, 64, 256, 768)
DIVISORS = ("不缩放", "÷ √d_k", "÷ d_k")
EDGES = (-4, -2, 0, 2, 4)  # 分数的区间：标准差是 1 时，绝大多数落在中间四格
INTERVALS = ("< −4", "−3", "−1", "1", "3", "> 4")  # 中间四格写中点
TEMPERATURES = (0.1, 0.2, 0.5, 1, 2, 5, 10)
LOWEST, HIGHEST, STEP = -5, 5, 0.25  # 分数滑块的两端和一格


class Explorer(VBox):
    """几个控件，下面一张图；控件一变，图就重画。

    controls : {draw 的参数名: 控件}；draw : 由控件的值画图的函数，返回 CourseFigure。
    columns : 一行放几个控件。
    `picture` 是眼下的图，一张 CourseFigure。`repr` 说明有哪些控件：笔记本里只存得下这段文字。
    """

    def __init__(self, controls, draw, columns=1):
        self._controls, self._draw = controls, draw
        self._shown = HTML()
        each = [*controls.values()]
        rows = [HBox(each[i : i + columns]) for i in range(0, len(each), columns)] if columns > 1 else each
        super().__init__([*rows, self._shown])
        self._redraw()
        for control in controls.values():
            control.observe(self._redraw, names="value")

    def _redraw(self, change=None):
        self.picture = self._draw(**{name: control.value for name, control in self._controls.items()})
        png, attributes = self.picture._repr_png_()
        data = base64.b64encode(png).decode("ascii")
        written = " ".join(f'{name}="{html.escape(str(value))}"' for name, value in attributes.items())
        self._shown.value = f'<img src="data:image/png;base64,{data}" {written}>'

    def __repr__(self):
        names = "、".join(control.description for control in self._controls.values())
        return f"可拖动的控件：{names}（打开笔记本，运行这一格，就能拖）"


def explore_scaling():
    """第 3 步：拖 d_k，换除法，看许多分数落在哪里，六个键的注意力权重又是多少。

    左边：50 个查询对 6 个键的 300 个分数，落在各区间的比例；右边：第 1 个查询的权重。
    各分量均值 0、方差 1（种子 0）；d_k 取多少，就用前多少个分量。
    """
    rng = np.random.default_rng(0)
    query, keys = rng.standard_normal((1, 768)), rng.standard_normal((6, 768))
    queries = np.concatenate([query, rng.standard_normal((49, 768))])

    def draw(d_k, divisor):
        scores = queries[:, :d_k] @ keys[:, :d_k].T
        scaled = {"不缩放": scores, "÷ √d_k": scale_scores(scores, d_k), "÷ d_k": scores / d_k}[divisor]
        counts, _ = np.histogram(scaled, [-np.inf, *EDGES, np.inf])
        left, right = "softmax 之前：分数落在哪里", "softmax 之后：六个键"
        return plot_bars(
            {left: counts / scaled.size, right: softmax(scaled[:1])[0]},
            title=f"d_k = {d_k}，{divisor}",
            x_name="左图：分数（每 2 一格，写中点）；右图：键",
            y_name="份额",
            y_max=1,
            x_labels={left: INTERVALS},
        )

    controls = {
        "d_k": _choice("d_k", WIDTHS, WIDTHS[-1]),
        "divisor": ToggleButtons(options=DIVISORS, value=DIVISORS[0], description="除法", style=_STYLE),
    }
    return Explorer(controls, draw)


def explore_softmax(scores_row, tokens):
    """第 4 步：拖每个键的分数和温度 T，看 softmax(分数 / T)。

    scores_row : (n_k,)，开始时的分数，在 −5 到 5 之间；tokens : n_k 个词元。
    ValueError：个数不同，或者分数超出滑块的两端。
    """
    controls = _score_sliders(scores_row, tokens)

    def draw(T, **scores):
        return plot_bars(
            {f"T = {T}": softmax([[score / T for score in scores.values()]])[0]},
            title="softmax(分数 / T)",
            x_name="键",
            y_name="注意力权重",
            y_max=1,
            x_labels=tokens,
        )

    return Explorer({**controls, "T": _choice("温度 T", TEMPERATURES, 1)}, draw)


def explore_weighted_sum(V, tokens, value_names, query):
    """第 5 步：拖一个查询对每个键的分数，看它的输出在值围成的图形里移动。

    V : (n, 2)；tokens : n 个词元；value_names : V 两列的名字；query : 查询是第几个词元，从 0 数起。
    开始时分数都是 0，权重相等，输出是各个值的平均。
    ValueError：形状或个数不对。
    """

    def draw(**scores):
        weights = softmax([list(scores.values())])
        shares = "、".join(f"{token} {weight:.2f}" for token, weight in zip(tokens, weights[0], strict=True))
        return plot_value_plane(
            V, weighted_sum(weights, V), tokens, value_names=value_names, query=query, title=f"权重：{shares}"
        )

    return Explorer(_score_sliders(np.zeros(len(V)), tokens), draw)


def explore_masks(scaled_scores, tokens, allowed):
    """遮罩：一格一个按钮，按下去是可以看，弹起来是不许看；看权重怎样重新分。

    scaled_scores : (n, n) 缩放后的分数；tokens : n 个词元；allowed : (n, n)，开始时谁可以看谁。
    一行全不许看时没有权重可分，那一行画成 0。ValueError：形状或个数不对，allowed 不是 True 和 False。
    """
    masked, tokens = mask_scores(scaled_scores, allowed), as_names("tokens", tokens, len(scaled_scores), "行")

    def draw(**pressed):
        looks = np.reshape([*pressed.values()], masked.shape)
        someone = looks.any(axis=1)
        weights = np.zeros(masked.shape)
        if someone.any():
            weights[someone] = softmax(mask_scores(scaled_scores, looks)[someone])
        alone = "".join(
            f"“{token}”谁也不看。" for token, some in zip(tokens, someone, strict=True) if not some
        )
        return plot_weights(weights, tokens, title=f"{alone}注意力权重", show_sums=True)

    controls = {
        f"cell_{i}_{j}": ToggleButton(
            value=bool(np.isfinite(masked[i, j])), description=f"{query}看{key}", style=_STYLE
        )
        for i, query in enumerate(tokens)
        for j, key in enumerate(tokens)
    }
    return Explorer(controls, draw, columns=len(tokens))


def explore_heads(Q, K, tokens):
    """多头：拖头数，看同样的 Q 和 K 切开以后，每个头的注意力权重。

    Q, K : (n, d_k)，d_k 最多 8；tokens : n 个词元。头数可以是整除 d_k 的每一个数。
    ValueError：形状或个数不对。
    """
    Q, K = as_arrays("(n, d_k), (n, d_k)", Q=Q, K=K)
    d_k = Q.shape[1]
    require(d_k <= 8, "d_k 最多 8，图才放得下", f"Q {Q.shape}", "取前几列，如 Q[:, :8]")
    tokens = as_names("tokens", tokens, len(Q), "行")

    def draw(heads):
        each = zip(split_heads(Q, heads), split_heads(K, heads), strict=True)
        maps = {f"头 {h}": attention(q, k, k).weights for h, (q, k) in enumerate(each, start=1)}
        title = f"{heads} 个头，每个头 {d_k // heads} 列"
        return plot_matrices(maps, title=title, kind="weights", row_labels=tokens, col_labels=tokens)

    divisors = [heads for heads in range(1, d_k + 1) if d_k % heads == 0]
    return Explorer({"heads": _choice("头数", divisors, 1)}, draw)


def explore_rotation(degrees=30):
    """旋转位置：拖查询的位置和键的位置，看两支箭头怎样转，分数是多少。

    q = k = (1, 0)，每个位置转 degrees 度。ValueError：degrees 不是数。
    """
    require(is_number(degrees, -360, 360), "degrees 是一个度数，−360 到 360", shown(degrees), "写成如 30")

    def draw(i, j):
        turned = rotate([[1, 0], [1, 0]], np.deg2rad([degrees * i, degrees * j]))
        arrows = {f"q 在 {i}": turned[0], f"k 在 {j}": turned[1]}
        title = f"差 {i - j}，分数 {turned[0] @ turned[1]:.4f}".replace("-", "−")
        return plot_arrows({f"每个位置转 {degrees}°": arrows}, title=title)

    controls = {"i": _choice("查询的位置", range(13), 2), "j": _choice("键的位置", range(13), 0)}
    return Explorer(controls, draw)


_STYLE = {"description_width": "initial"}  # 标签多长就多宽，不截断
_WIDE = Layout(width="24em")


def _choice(name, options, value):
    """在几个数里选一个的滑块。"""
    return SelectionSlider(
        options=options, value=value, description=name, continuous_update=False, style=_STYLE, layout=_WIDE
    )


def _score_sliders(scores, tokens):
    """每个键一个分数滑块；松手才重画，拖动时不卡。"""
    scores, tokens = as_array("scores_row", scores, "(n_k,)"), as_names("tokens", tokens)
    require(
        len(scores) == len(tokens) and scores.min() >= LOWEST and scores.max() <= HIGHEST,
        f"每个词元要有一个分数，在 {LOWEST} 到 {HIGHEST} 之间",
        f"{len(tokens)} 个词元，{len(scores)} 个分数 {scores}",
        "传矩阵的一行，如 scaled_scores[0]，和同一个例句的词元",
    )
    return {
        f"score_{number}": FloatSlider(
            value=score,
            min=LOWEST,
            max=HIGHEST,
            step=STEP,
            description=f"“{token}”的分数",
            continuous_update=False,
            style=_STYLE,
            layout=_WIDE,
        )
        for number, (token, score) in enumerate(zip(tokens, scores, strict=True), start=1)
    }

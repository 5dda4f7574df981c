"""描述读自画好的图：图坏了，描述就变；数与颜色对不上，两个都念。"""

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

from utils.plotting import plot_bars, plot_lines, plot_matrix, plot_weights
from utils.tests.gallery import D_K, GALLERY, MASKED, OUTPUT, RANDOM, SCORES, WEIGHTS

LINES = {"title": "t", "x_name": "x", "y_name": "y"}


def test_description_of_the_weights_picture():
    assert repr(plot_weights(WEIGHTS, "猫吃鱼", title="注意力权重", show_sums=True)) == (
        "热力图「注意力权重 (3, 3)」：3 行 3 列；行=查询（谁在看） 猫、吃、鱼；列=键（看向谁） 猫、吃、鱼；"
        "数值：猫 0.41 0.31 0.28；吃 0.32 0.37 0.32；鱼 0.28 0.31 0.41；"
        "右边：行和 1.00 1.00 1.00；下边：列和 1.005 0.988 1.007；颜色 YlGnBu，从 0 到 1"
    )


def _cell(axes, row, col):
    return next(text for text in axes.texts if text.get_position() == (col, row))


def _swap_ticks(axis):
    axis.set_ticks(axis.get_ticklocs(), labels=[t.get_text() for t in axis.get_ticklabels()][::-1])


def _swap_names(axes):
    x, y = axes.get_xlabel(), axes.get_ylabel()
    axes.set(xlabel=y, ylabel=x)


def _arrow_elsewhere(axes):
    arrow = [p for p in axes.patches if isinstance(p, FancyArrowPatch)][-1]
    arrow._path_original.vertices[-1] -= (125, 0)  # 少走一格


DAMAGE = {
    "上限改 1%": ("权重", lambda a: a.images[0].set_clim(0, 1.01)),
    "下限改 1%": ("分数与三种框", lambda a: a.images[0].set_clim(-0.95 * 1.01, 0.95)),
    "换颜色": ("权重", lambda a: a.images[0].set_cmap("viridis")),
    "转置数组": ("权重", lambda a: a.images[0].set_data(WEIGHTS.T)),
    "转置大数组": ("64×64", lambda a: a.images[0].set_data(RANDOM.T)),
    "行标签倒过来": ("权重", lambda a: _swap_ticks(a.yaxis)),
    "列标签倒过来": ("权重", lambda a: _swap_ticks(a.xaxis)),
    "交换两个轴名": ("权重", _swap_names),
    "改一个数的文字": ("权重", lambda a: _cell(a, 0, 1).set_text("0.30")),
    "改一个数的值": ("权重", lambda a: a.images[0].get_array().__setitem__((0, 1), 0.36)),
    "交换两个数的位置": ("权重", lambda a: _cell(a, 0, 1).set_position((2, 2))),
    "第一行到下面": ("权重", lambda a: a.invert_yaxis()),
    "删一个数": ("权重", lambda a: _cell(a, 1, 1).set_visible(False)),
    "改标题": ("权重", lambda a: a.set_title("权重")),
    "改行和": ("权重与和", lambda a: a.texts[9].set_text("0.99")),
    "框下移一行": ("分数与三种框", lambda a: a.patches[0].set_y(1.5)),
    "去掉遮住": ("遮住", lambda a: a.images[0].set_data(np.where(np.isinf(MASKED), 0, MASKED))),
    "灭掉一步": ("五步第 3 步", lambda a: a.patches[2].set_facecolor("white")),
    "改公式": ("五步", lambda a: a.texts[7].set_text("$KQ^{\\top}$")),
    "V 到了别处": ("五步", _arrow_elsewhere),
    "移动一个点": ("平面", lambda a: a.collections[1].set_offsets(OUTPUT[::-1])),
    "改三角形": ("平面", lambda a: a.patches[0].set_xy([(0, 0), (1, 0), (0, 2)])),
    "改线上一点": ("方差", lambda a: a.lines[0].set_ydata(D_K * 1.03)),
    "改线名": ("方差", lambda a: a.lines[0].set_label("缩放后")),
    "改成线性刻度": ("方差", lambda a: a.set_xscale("linear")),
    "柱高改 1%": ("柱", lambda a: a.patches[0].set_height(1.01)),
    "柱上的数改了": ("柱", lambda a: a.texts[0].set_text("1.01")),
    "纵轴上限改 1%": ("柱", lambda a: a.set_ylim(0, a.get_ylim()[1] * 1.01)),
    "一段份额变长": ("份额", lambda a: a.patches[0].set_width(0.5)),
    "一段份额挪开": ("份额", lambda a: a.patches[3].set_x(0.6)),
    "份额上的数改了": ("份额", lambda a: a.texts[0].set_text("猫 0.14")),
    "份额上的键改了": ("份额", lambda a: a.texts[0].set_text("鱼 0.41")),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_changes_the_description(name):
    picture, damage = DAMAGE[name]
    figure = GALLERY[picture]()
    before = repr(figure)
    damage(figure.axes[0])
    assert repr(figure) != before


def test_number_that_disagrees_with_the_colour_is_reported_with_both():
    figure = plot_weights(WEIGHTS, "猫吃鱼", title="权重")
    figure.axes[0].images[0].set_data(WEIGHTS.T)
    assert "猫 0.41 0.31（底色的数是 0.316） 0.28" in repr(figure)


def test_transposed_scores_have_another_description():
    one, other = (
        plot_matrix(M, title="分数", row_labels="猫吃鱼", col_labels="猫吃鱼") for M in (SCORES, SCORES.T)
    )
    assert repr(one) != repr(other)


def test_large_matrix_is_described_by_its_extremes_with_their_places():
    M = np.zeros((20, 20))
    M[3, 7], M[11, 0] = 2, -1
    names = [f"r{i}" for i in range(20)]
    words = repr(plot_matrix(M, title="M", row_labels=names, col_labels=names))
    assert "没有写数，最大 2 在（r3，r7），最小 −1 在（r11，r0）" in words


def test_long_line_and_many_bars_are_described_by_their_ends_and_extremes():
    y = np.r_[0.5, 3.0, np.linspace(1, 2, 50), -4.0, 0.25]
    words = repr(plot_lines(np.arange(54), {"y": y}, **LINES))
    assert "54 个点，起点 (0, 0.5)，终点 (53, 0.25)，最低 (52, −4)，最高 (1, 3)" in words
    row = np.full(100, 0.5)
    row[[0, 7, 98, 99]] = 0.25, 2, -1, 0.75
    words = repr(plot_bars({"a": row}, **LINES))
    assert "100 根柱，头、最低、最高、尾：1 0.25、第 99 根 −1、第 8 根 2、第 100 根 0.75" in words


def test_tiny_values_and_limits_of_a_log_axis_are_not_called_zero():
    """对数轴上没有 0：5e-13 和每个 10 的负幂都照念；最低点按倍数比，不按差比。"""
    words = repr(plot_lines([1, 2], {"y": [1e-12, 1]}, log_y=True, **LINES))
    assert "纵轴=y 从 1.905e−13 到 5.248，对数刻度" in words  # 10 的 −12 − 0.72 次方到 0.72 次方
    words = repr(plot_lines(range(1, 7), {"y": [3, 1, 0.1, 0.01, 1e-3, 5.17e-13]}, log_y=True, **LINES))
    assert "(6, 5.17e−13)" in words and "刻度 10⁻¹³、10⁻¹¹、10⁻⁹、10⁻⁷、10⁻⁵、0.001、0.1、10" in words
    y = np.r_[np.ones(20), 3e-7, np.ones(20), 2e-7]
    assert "最低 (42, 2e−07)" in repr(plot_lines(range(1, 43), {"y": y}, log_y=True, **LINES))

"""画：图里的数组、范围、文字、颜色都对；描述读自画好的图，图坏了描述就变。"""

import functools
import io
import logging
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.ft2font import FT2Font
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle
from matplotlib.text import Text

from utils import numbers
from utils.plotting import (
    QKV_COLORS,
    CourseFigure,
    charts,
    describe,
    plot_bars,
    plot_lines,
    plot_matrices,
    plot_matrix,
    plot_pipeline,
    plot_score,
    plot_shares,
    plot_value_plane,
    plot_weights,
    style,
    text_color,
    use_course_style,
)

pytestmark = pytest.mark.filterwarnings("error")

ROOT = Path(__file__).resolve().parents[2]

# DESIGN 第 4 节的数，照抄，不由本项目的代码算出
X = np.array([[1, 0, 0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 1, 0, 0, 1], [0, 0, 1, 0, 0, 1, 1, 0]])
W_Q = np.array(
    [
        [0.8, 0.1, 0, 0],
        [0.2, 0.2, 0.1, 0],
        [0, 0, 0.7, 0.3],
        [0.1, 0, 0, 0],
        [0, 0.1, 0, 0],
        [0, 0, 0.1, 0],
        [0.1, 0.1, 0.1, 0],
        [0.1, 0.5, 0.1, 0.1],
    ]
)
Q = np.array([[1.0, 0.2, 0.1, 0], [0.3, 0.8, 0.2, 0.1], [0.1, 0.1, 0.9, 0.3]])
K = np.array([[0.9, 0.1, 0, 0.2], [0.2, 0.7, 0.3, 0], [0, 0.2, 1.0, 0.1]])
V = np.array([[1.0, 0], [0, 0], [0, 1]])
SCORES = np.array([[0.92, 0.37, 0.14], [0.37, 0.68, 0.37], [0.16, 0.36, 0.95]])
WEIGHTS = np.array([[0.4104, 0.3117, 0.2779], [0.3157, 0.3686, 0.3157], [0.2786, 0.3079, 0.4135]])
OUTPUT = np.array([[0.4104, 0.2779], [0.3157, 0.3157], [0.2786, 0.4135]])
INTEGER_SCORES = np.array([[2, 1, 1], [1, 1, 1], [1, 1, 2]])
COLUMNS = ["猫", "吃", "鱼", "位置1", "位置2", "位置3", "名词", "动词"]
ROW_NAME, COL_NAME = "查询（谁在看）", "键（看向谁）"
MASKED = np.array([[2, -np.inf, -np.inf], [1, 1, -np.inf], [1, 1, 2]])
RANDOM = np.random.default_rng(0).normal(size=(64, 64))
SHARES = np.abs(RANDOM) / np.abs(RANDOM).sum(axis=1, keepdims=True)


def share(n, m):
    return SHARES[:n, :m] / SHARES[:n, :m].sum(axis=1, keepdims=True)


ODD_TOKENS = [
    "$x_1$",
    "a\\b",
    "^_^",
    "",
    "换\n行",
    "supercalifragilisticexpialidocious",
    "🐱",
    "𓀀",
    "the",
    "%",
    "$",
    "我们",
]
D_K = 2 ** np.arange(11)

GALLERY = {
    "整数分数": lambda: plot_matrix(
        INTEGER_SCORES,
        title="注意力分数",
        row_labels="我爱你",
        col_labels="我爱你",
        row_name=ROW_NAME,
        col_name=COL_NAME,
    ),
    "分数与三种框": lambda: plot_matrix(
        SCORES,
        title="注意力分数",
        row_labels="猫吃鱼",
        col_labels="猫吃鱼",
        row_name=ROW_NAME,
        col_name=COL_NAME,
        outline=[("row", 1), ("col", 2), ("cell", 0, 0)],
    ),
    "Q": lambda: plot_matrix(Q, title="Q", row_labels="猫吃鱼"),
    "遮住": lambda: plot_matrix(MASKED, title="遮住后的分数", row_labels="我爱你", col_labels="我爱你"),
    "全部遮住": lambda: plot_matrix(np.full((2, 2), -np.inf), title="全遮住"),
    "全零": lambda: plot_matrix(np.zeros((2, 3)), title="零"),
    "一格": lambda: plot_matrix([[3]], title="一格", row_name=ROW_NAME, col_name=COL_NAME),
    "一行": lambda: plot_weights(
        [[0.2, 0.3, 0.5]], ["新"], key_tokens="我爱你", title="一行", show_sums=True
    ),
    "一列": lambda: plot_matrix(RANDOM[:8, :1], title="一列", row_labels=COLUMNS),
    "12×12": lambda: plot_matrix(
        RANDOM[:12, :12],
        title="十二",
        row_labels=list("甲乙丙丁戊己庚辛壬癸子丑"),
        row_name=ROW_NAME,
        col_name=COL_NAME,
    ),
    "13×13": lambda: plot_matrix(RANDOM[:13, :13], title="十三", row_name=ROW_NAME, col_name=COL_NAME),
    "64×64": lambda: plot_matrix(RANDOM, title="六十四", row_name=ROW_NAME, col_name=COL_NAME),
    "1×64": lambda: plot_matrix(RANDOM[:1], title="很扁"),
    "64×1": lambda: plot_matrix(RANDOM[:, :1], title="很窄"),
    "大数": lambda: plot_matrix(RANDOM[:4, :8] * 12345, title="大数"),
    "小数": lambda: plot_matrix(RANDOM[:8, :4] * 0.02, title="W_Q"),
    "很长的标题": lambda: plot_matrix([[1, 2]], title="这个标题很长，" * 8),
    "份额": lambda: plot_shares(WEIGHTS, "猫吃鱼", title="一份注意力怎样分"),
    "很尖的份额": lambda: plot_shares([[0.01, 0.02, 0.97]], "甲", key_tokens="猫吃鱼", title="尖"),
    "权重": lambda: plot_weights(WEIGHTS, "猫吃鱼", title="注意力权重"),
    "权重与和": lambda: plot_weights(
        WEIGHTS, "猫吃鱼", title="沿列做 softmax，这不是我们要的", show_sums=True
    ),
    "n_q≠n_k": lambda: plot_weights(
        share(2, 5), "我你", key_tokens="甲乙丙丁戊", title="交叉", show_sums=True
    ),
    "怪词元": lambda: plot_weights(share(12, 12), ODD_TOKENS, title="怪 $x_1$ 词元", show_sums=True),
    "20 个词元": lambda: plot_weights(
        share(20, 20), [f"tok{i}" for i in range(20)], title="二十", show_sums=True
    ),
    "64 个词元": lambda: plot_weights(share(64, 64), ["词元"] * 64, title="六十四", show_sums=True),
    "投影": lambda: plot_matrices({"X": X, "W_Q": W_Q, "Q": Q}, operators=("@", "="), title="投影"),
    "投影与标签": lambda: plot_matrices(
        {"X": X, "W_Q": W_Q, "Q": Q},
        operators=("@", "="),
        row_labels={"X": "猫吃鱼", "Q": "猫吃鱼", "W_Q": COLUMNS},
        col_labels={"X": COLUMNS},
        outline={"X": [("row", 1)], "W_Q": [("col", 0)], "Q": [("cell", 1, 0)]},
    ),
    "打分": lambda: plot_matrices(
        {"Q": Q, "Kᵀ": K.T, "scores": SCORES},
        operators=("@", "="),
        row_labels={"Q": "猫吃鱼", "scores": "猫吃鱼"},
        col_labels={"Kᵀ": "猫吃鱼", "scores": "猫吃鱼"},
    ),
    "折行的一排": lambda: plot_matrices({"Q": RANDOM[:3, :8], "K": RANDOM[3:6, :8], "V": RANDOM[6:9, :8]}),
    "大的一排": lambda: plot_matrices({"A": RANDOM[:20, :16], "B": RANDOM[:16, :30]}, operators=("@",)),
    "两种 softmax": lambda: plot_matrices(
        {"沿行": WEIGHTS, "沿列": WEIGHTS.T}, kind="weights", row_labels={"沿行": "猫吃鱼"}, title="两个方向"
    ),
    "一个分数": lambda: plot_score(Q, K, 1, 0, "猫吃鱼"),
    "一个长分数": lambda: plot_score(
        RANDOM[:4, :8], RANDOM[4:7, :8], 1, 2, ["the", "cat", "sat", "on"], key_tokens=["le", "chat", "noir"]
    ),
    "一个更长的分数": lambda: plot_score(RANDOM[:2, :40], RANDOM[2:4, :40], 0, 1, "我你"),
    "五步": lambda: plot_pipeline(),
    **{f"五步第 {i} 步": lambda i=i: plot_pipeline(i) for i in range(1, 6)},
    "方差": lambda: plot_lines(
        D_K,
        {"缩放前": D_K * 1.02, "缩放后": np.ones(11), "÷ d_k": 1 / D_K},
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
    "一条平线": lambda: plot_lines([1, 2, 3], {"y": [5, 5, 5]}, title="平", x_name="x", y_name="y"),
    "一个点": lambda: plot_lines([1], {"y": [5]}, title="点", x_name="x", y_name="y", log_x=True, log_y=True),
    "柱": lambda: plot_bars(
        {"分数": [1, 0.5, 0.5], "exp": np.exp([1, 0.5, 0.5]), "权重": [0.4519, 0.2741, 0.2741]},
        title="从分数到权重",
        x_name="键",
        y_name="值",
        x_labels="我爱你",
    ),
    "八根柱": lambda: plot_bars(
        {"不缩放": np.eye(8)[6], "÷√d_k": share(1, 8)[0], "÷ d_k": np.full(8, 1 / 8)},
        title="8 个键的权重",
        x_name="键",
        y_name="权重",
        y_max=1,
    ),
    "负的柱": lambda: plot_bars(
        {"a": [1, -2, 0.5], "b": [0, 0.25, -0.1]}, title="负数", x_name="键", y_name="值"
    ),
    "四十根柱": lambda: plot_bars(
        {"a": share(1, 40)[0], "b": share(2, 40)[1]}, title="多", x_name="键", y_name="权重"
    ),
    "零柱": lambda: plot_bars(
        {"a": [0, 0]}, title="零", x_name="键", y_name="值", x_labels=["很长的标签名", "b"]
    ),
    "平面": lambda: plot_value_plane(
        V, OUTPUT, "猫吃鱼", value_names=["谁在吃", "吃的是什么"], title="输出在三角形里"
    ),
    "一个输出的平面": lambda: plot_value_plane(
        V, OUTPUT[1:2], "猫吃鱼", value_names=["谁在吃", "吃的是什么"], title="只画一个", query=1
    ),
    "四个点的平面": lambda: plot_value_plane(
        RANDOM[:4, :2] * 9,
        share(4, 4) @ RANDOM[:4, :2] * 9,
        ["transformer", "b", "c", "d"],
        value_names="ab",
        title="四",
    ),
}


@pytest.fixture(autouse=True)
def quiet_log(caplog):
    """matplotlib 一句警告也不说：warnings 由 pytestmark 变成错误，日志在这里查。"""
    caplog.set_level(logging.INFO, logger="matplotlib")
    yield
    loud = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert not loud


@pytest.fixture(params=GALLERY, ids=list(GALLERY), scope="module")
def figure(request):
    figure = GALLERY[request.param]()
    description(figure)
    return figure


@functools.cache
def description(figure):
    """画成 PNG 之前念的描述。"""
    return repr(figure)


@functools.cache
def png(figure):
    return figure._repr_png_()


def png_size(png):
    return struct.unpack(">II", png[16:24])


@functools.cache
def shown_texts(figure):
    """[(文字, 它的框)]，在 100 dpi 下；框不含标注的引线。"""
    figure.draw_without_rendering()  # 轴名、图例画的时候才定下位置
    axises = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    ticks = [tick for axis in axises for tick in axis.get_major_ticks() + axis.get_minor_ticks()]
    hidden = {label for tick in ticks for label in (tick.label1, tick.label2)}
    hidden -= {label for axis in axises if axis.axes.axison for label in axis.get_ticklabels()}
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in hidden]
    renderer = RendererAgg(1, 1, 100)
    with style.course_context():
        return [(text, Text.get_window_extent(text, renderer)) for text in texts]


def contrast(color, background):
    """WCAG 2.2 的对比度，照规范重写一遍。"""

    def luminance(rgb):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in mpl.colors.to_rgb(rgb)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(color), luminance(background)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def numbers_in(axes):
    """{(行, 列): Text}，只含格子里的数。"""
    rows, cols = axes.images[0].get_array().shape
    cells = {}
    for text in axes.texts:
        x, y = text.get_position()
        if -0.5 < x < cols - 0.5 and -0.5 < y < rows - 0.5:
            cells[round(y), round(x)] = text
    return cells


# ---------------------------------------------------------------- 每一张图


def test_every_text_is_inside_the_picture_and_touches_no_other(figure):
    texts = [text.get_text() for text, _ in shown_texts(figure)]
    boxes = np.array([box.extents for _, box in shown_texts(figure)])
    inside = (boxes[:, :2] >= -0.5).all(axis=1) & (boxes[:, 2:] <= figure.bbox.max + 0.5).all(axis=1)
    assert not [text for text, fits in zip(texts, inside, strict=True) if not fits]
    width, height = (
        np.minimum.outer(boxes[:, i + 2], boxes[:, i + 2]) - np.maximum.outer(boxes[:, i], boxes[:, i])
        for i in (0, 1)
    )
    touching = np.triu((width > 1) & (height > 5), 1)  # 文字的框上下比笔画各高出两三个像素
    assert not [(texts[i], texts[j]) for i, j in np.argwhere(touching)]


def test_every_text_is_large_enough_to_read(figure):
    assert all(text.get_fontsize() >= 11 for text, _ in shown_texts(figure))


def test_every_text_on_white_has_enough_contrast(figure):
    numbers = {text for axes in figure.axes if axes.images for text in numbers_in(axes).values()}
    boxed = {
        text
        for axes in figure.axes
        if any(isinstance(p, FancyBboxPatch) for p in axes.patches)
        for text in axes.texts
    }
    for text, _ in shown_texts(figure):
        if text not in numbers:
            backgrounds = ["white", style.LIT_COLOR] if text in boxed else ["white"]
            assert min(contrast(text.get_color(), b) for b in backgrounds) >= 4.5, text.get_text()


def test_png_is_at_most_640_css_pixels_wide_and_twice_as_sharp(figure):
    data, size = png(figure)
    assert size["width"] <= 640
    assert png_size(data) == (2 * size["width"], 2 * size["height"])


def test_description_is_not_changed_by_drawing(figure):
    before = description(figure)
    png(figure)
    assert before == describe(figure) == repr(figure)
    assert "CourseFigure" not in before and "−0 " not in before and "nan" not in before


def test_every_drawn_glyph_is_in_one_of_the_two_fonts(figure, request):
    charmaps = [FT2Font(font_manager.findfont(name)).get_charmap() for name in style.FONTS]
    if request.node.callspec.params["figure"] == "怪词元":
        pytest.skip("这张图里有意放了两种字体都没有的字")
    for text, _ in shown_texts(figure):
        if not text.get_parse_math():
            root = "√" in text.get_text()  # 这时先用 DejaVu Sans：它的 √ 没有多出的横线
            assert text.get_fontfamily() == (style.FONTS[::-1] if root else style.FONTS)
            missing = [c for c in text.get_text() if c != "\n" and all(ord(c) not in m for m in charmaps)]
            assert not missing


def test_chinese_font_is_the_one_that_zhplot_ships():
    use_course_style()
    path = Path(font_manager.findfont("Noto Sans SC"))
    assert path.parent.parent.name == "zhplot"


# ---------------------------------------------------------------- 矩阵图


def test_weights_picture_shows_the_array_light_to_dark_from_0_to_1():
    axes = plot_weights(WEIGHTS, "猫吃鱼", title="注意力权重").axes[0]
    image = axes.images[0]
    np.testing.assert_array_equal(image.get_array(), WEIGHTS)
    assert (image.get_cmap().name, image.norm.vmin, image.norm.vmax) == ("YlGnBu", 0, 1)
    assert [label.get_text() for label in axes.get_xticklabels()] == list("猫吃鱼")
    assert [label.get_text() for label in axes.get_yticklabels()] == list("猫吃鱼")
    assert (axes.get_ylabel(), axes.get_xlabel()) == (ROW_NAME, COL_NAME)
    assert axes.yaxis_inverted()  # 第一行在上
    shown = {cell: text.get_text() for cell, text in numbers_in(axes).items()}
    assert shown[0, 1] == "0.31" and shown[1, 0] == "0.32" and shown[2, 1] == "0.31"
    assert len(shown) == 9


def test_shares_are_bars_of_the_weights_and_a_wrong_sum_is_written():
    weights = [[0.5, 0.25, 0.25], [0.5, 1 / 6, 0]]
    figure = plot_shares(weights, "甲乙", key_tokens="猫吃鱼", title="份额")
    axes = figure.axes[0]
    assert [[round(bar.get_width(), 4) for bar in bars] for bars in axes.containers] == [
        [0.5, 0.5],
        [0.25, 0.1667],
        [0.25, 0],
    ]
    starts = [round(bar.get_x(), 4) for bars in axes.containers for bar in bars]
    assert starts == [0, 0, 0.5, 0.5, 0.75, 0.6667]
    assert "甲：猫 0.5、吃 0.25、鱼 0.25；乙：猫 0.5、吃 0.167、鱼 0，和 0.667" in repr(figure)
    assert "旁边写着：和 0.6667" in repr(figure)


def test_description_of_the_weights_picture():
    assert repr(plot_weights(WEIGHTS, "猫吃鱼", title="注意力权重", show_sums=True)) == (
        "热力图「注意力权重 (3, 3)」：3 行 3 列；行=查询（谁在看） 猫、吃、鱼；列=键（看向谁） 猫、吃、鱼；"
        "数值：猫 0.41 0.31 0.28；吃 0.32 0.37 0.32；鱼 0.28 0.31 0.41；"
        "右边：行和 1.00 1.00 1.00；下边：列和 1.005 0.988 1.007；颜色 YlGnBu，从 0 到 1"
    )


def test_signed_picture_is_centred_on_zero():
    image = plot_matrix([[1, -3], [0, 2]], title="M").axes[0].images[0]
    assert (image.norm.vmin, image.norm.vmax) == (-3, 3)
    middle = mpl.colors.to_hex(image.cmap(image.norm(0.0)))
    assert contrast(middle, "white") < 1.1  # 0 几乎是白的
    red, blue = image.cmap(image.norm(-3.0)), image.cmap(image.norm(3.0))
    assert red[0] > red[2] and blue[2] > blue[0]


@pytest.mark.parametrize("M, expected", [([[0, 0]], 1), ([[-np.inf, -np.inf]], 1), ([[-np.inf, 4]], 4)])
def test_limit_of_zeros_and_masked_matrices(M, expected):
    assert plot_matrix(M, title="M").axes[0].images[0].norm.vmax == expected


@pytest.mark.parametrize("kind", ["signed", "weights"])
def test_numbers_are_readable_on_every_colour_of_the_map(kind):
    values = np.linspace(-1 if kind == "signed" else 0, 1, 144).reshape(12, 12)
    figure = plot_matrices({"M": values}, kind=kind)
    axes = figure.axes[0]
    image, cells = axes.images[0], numbers_in(axes)
    assert len(cells) == 144
    for (i, j), text in cells.items():
        assert contrast(text.get_color(), image.cmap(image.norm(values[i, j]))) >= 4.5


@pytest.mark.parametrize(
    "M, texts",
    [
        ([[2, 1]], ["2", "1"]),
        ([[1.0, 0.2]], ["1.0", "0.2"]),
        ([[0.4519, 0.2741]], ["0.45", "0.27"]),
        ([[-0.5, 1]], ["−0.5", "1.0"]),
        ([[-0.001, 0.5]], ["0.00", "0.50"]),
        ([[0.1 + 0.2, 0.3]], ["0.3", "0.3"]),
        ([[np.nextafter(0.125, 1), np.nextafter(0.125, 0)]], ["0.12", "0.12"]),
        ([[0.0123, -0.0045]], ["0.012", "−0.004"]),
        ([[-np.inf, 3]], ["−∞", "3"]),
        ([[True, False]], ["1", "0"]),
    ],
)
def test_number_format(M, texts):
    assert [text.get_text() for text in numbers_in(plot_matrix(M, title="M").axes[0]).values()] == texts


def test_masked_cells_are_grey():
    image = plot_matrix(MASKED, title="M").axes[0].images[0]
    grey = image.cmap(image.norm(image.get_array()))[0, 1]
    assert mpl.colors.to_hex(grey) == style.MASKED_COLOR.lower()


@pytest.mark.parametrize("shape, count", [((12, 12), 144), ((13, 3), 0), ((3, 13), 0)])
def test_numbers_are_written_up_to_twelve_by_twelve(shape, count):
    figure = plot_matrix(RANDOM[: shape[0], : shape[1]], title="M")
    assert len(numbers_in(figure.axes[0])) == count
    assert (len(figure.axes) == 2) == (count == 0)  # 不写数就有颜色条


def test_long_tokens_do_not_push_the_numbers_out():
    shown = [text.get_text() for text in numbers_in(GALLERY["怪词元"]().axes[0]).values()]
    assert len(shown) == 144 and all(re.fullmatch(r"0\.\d\d", text) for text in shown)


def test_large_picture_thins_its_ticks_and_keeps_their_places():
    axes = plot_matrix(RANDOM, title="M").axes[0]
    labels = {round(tick.get_loc()): tick.label1.get_text() for tick in axes.yaxis.get_major_ticks()}
    assert 8 <= len(labels) <= 32
    assert all(str(place) == text for place, text in labels.items())


def test_outlines_frame_the_cells_that_were_asked_for():
    figure = plot_matrix(SCORES, title="M", outline=[("row", 1), ("col", 2), ("cell", 0, 2)])
    frames = [p.get_bbox().bounds for p in figure.axes[0].patches if isinstance(p, Rectangle)]
    assert frames == [(-0.5, 0.5, 3, 1), (1.5, -0.5, 1, 3), (1.5, -0.5, 1, 1)]
    assert "框出一行：第 2 行；框出一列：第 3 列；框出（第 1 行，第 3 列）一格" in repr(figure)


def test_panels_share_one_scale():
    figure = plot_matrices({"A": [[1, 2]], "B": [[-7, 0]]})
    assert [(axes.images[0].norm.vmin, axes.images[0].norm.vmax) for axes in figure.axes] == [(-7, 7)] * 2


def test_panels_have_titles_shapes_operators_and_the_fixed_colours():
    figure = plot_matrices({"X": X, "W_Q": W_Q, "Q": Q}, operators=("@", "="))
    assert [axes.get_title() for axes in figure.axes] == ["X (3, 8)", "W_Q (8, 4)", "Q (3, 4)"]
    frames = [mpl.colors.to_hex(axes.spines["left"].get_edgecolor()).upper() for axes in figure.axes]
    assert frames[1:] == ["#0072B2", "#0072B2"] and frames[0] != "#0072B2"
    assert repr(figure).startswith("排列：[X (3, 8)] @ [W_Q (8, 4)] = [Q (3, 4)]\n")
    assert len({axes.get_position().y0 for axes in figure.axes}) > 1  # 一排，中线对齐
    middles = [(axes.get_position().y0 + axes.get_position().y1) / 2 for axes in figure.axes]
    np.testing.assert_allclose(middles, middles[0])


def test_panels_of_weights_name_queries_and_keys():
    figure = plot_matrices({"A": WEIGHTS, "B": WEIGHTS}, kind="weights")
    assert [(axes.get_ylabel(), axes.get_xlabel()) for axes in figure.axes] == [(ROW_NAME, COL_NAME)] * 2
    figure = plot_matrices({"scores": SCORES}, row_name="查询", col_name="键")
    assert "行=查询；列=键" in repr(figure)
    assert "=" not in repr(plot_matrices({"scores": SCORES}))


@pytest.mark.parametrize(
    "name, letter",
    [
        ("Q", "Q"),
        ("K", "K"),
        ("Kᵀ", "K"),
        ("K.T", "K"),
        ("W_V", "V"),
        ("V 的第 1 行", "V"),
        ("QKᵀ", None),
        ("X", None),
        ("Query", None),
        ("scores", None),
    ],
)
def test_names_that_get_the_colour_of_q_k_v(name, letter):
    axes = plot_matrices({name: [[1]]}).axes[0]
    expected = text_color(QKV_COLORS[letter]) if letter else style.INK
    assert axes.title.get_color() == expected


def test_colours_of_q_k_v_are_fixed_and_readable_as_text():
    assert QKV_COLORS == {"Q": "#0072B2", "K": "#D55E00", "V": "#009E73"}
    assert all(contrast(text_color(color), "white") >= 4.5 for color in QKV_COLORS.values())
    assert text_color("#000000") == "#000000"


def test_one_score_opened_up_shows_the_products_and_their_sum():
    figure = plot_score(Q, K, 1, 2, "猫吃鱼")  # 吃 → 鱼：0.3×0 + 0.8×0.2 + 0.2×1.0 + 0.1×0.1
    arrays = [axes.images[0].get_array() for axes in figure.axes]
    np.testing.assert_array_equal(arrays[2], [[0.3, 0.8, 0.2, 0.1]])
    np.testing.assert_array_equal(arrays[3], [[0, 0.2, 1.0, 0.1]])
    np.testing.assert_allclose(arrays[4], [[0, 0.16, 0.2, 0.01]], atol=1e-12)
    words = repr(figure)
    assert "图「查询「吃」与键「鱼」的分数：0.37」" in words
    assert "相加：0.00 + 0.16 + 0.20 + 0.01 = 0.37" in words
    assert "框出一行：吃" in words and "框出一行：鱼" in words
    lefts = [axes.get_position().x0 for axes in figure.axes[2:]]
    np.testing.assert_allclose(lefts, lefts[0])  # 三条上下对齐


def test_matrix_is_centred_under_a_long_title():
    figure = plot_matrix([[1, 2]], title="一个比矩阵宽得多的标题")
    box = figure.axes[0].get_position()
    assert (box.x0 + box.x1) / 2 == pytest.approx(0.5, abs=0.01)


def test_tokens_are_drawn_literally():
    tokens = ["$x_1$", "a\\b", "^_^"]
    figure = plot_weights(share(3, 3), tokens, title="$\\alpha$")
    labels = figure.axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == tokens
    assert not any(text.get_parse_math() for text in figure.findobj(Text))
    assert "行=查询（谁在看） $x_1$、a\\b、^_^" in repr(figure) and "「$\\alpha$ (3, 3)」" in repr(figure)


# ---------------------------------------------------------------- 五步、线、柱、平面


def test_pipeline_lights_only_the_current_step():
    assert "点亮" not in repr(plot_pipeline())
    for step in range(1, 6):
        figure = plot_pipeline(step)
        boxes = [p for p in figure.axes[0].patches if isinstance(p, FancyBboxPatch)]
        lit = [i for i, box in enumerate(boxes, 1) if mpl.colors.to_hex(box.get_facecolor()) != "#ffffff"]
        assert lit == [step]
        assert re.findall(r"框「(\d)[^」]*」（点亮）", repr(figure)) == [str(step)]


def test_pipeline_description_names_steps_formulas_shapes_and_the_way_of_v():
    words = repr(plot_pipeline())
    for part in (
        "框「1 投影」 Q = X W_Q，K = X W_K，V = X W_V → Q, K (n, d_k) V (n, d_v)",
        "框「2 打分」 QKᵀ → scores (n, n)",
        "框「3 缩放」 ÷ √d_k → scaled_scores (n, n)",
        "框「4 softmax」 每行的和 = 1 → weights (n, n)",
        "框「5 加权求和」 weights V → output (n, d_v)",
        "1 投影→2 打分（蓝）、1 投影→2 打分（橙）、2 打分→3 缩放、3 缩放→4 softmax、4 softmax→5 加权求和",
        "1 投影→5 加权求和（绿）",
        "X (n, d_model)→1 投影、5 加权求和→输出 (n, d_v)",
    ):
        assert part in words


def test_lines_hold_the_data_and_differ_in_colour_marker_and_style():
    figure = GALLERY["方差"]()
    axes = figure.axes[0]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), D_K)
    np.testing.assert_array_equal(axes.lines[2].get_ydata(), 1 / D_K)
    for getter in ("get_color", "get_marker", "get_linestyle"):
        assert len({getattr(line, getter)() for line in axes.lines}) == 3
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == [str(n) for n in D_K]
    assert "线「÷ d_k」（绿，点划线）：(1, 1)、(2, 0.5)、(4, 0.25)" in repr(figure)


def test_tiny_limits_of_a_log_axis_are_described():
    words = repr(plot_lines([1, 2], {"y": [1e-12, 1]}, title="t", x_name="x", y_name="y", log_y=True))
    assert "纵轴=y 从 1.905e−13 到 5.248，对数刻度" in words  # 10 的 −12 − 0.72 次方到 0.72 次方


def test_tiny_values_of_a_log_axis_are_not_called_zero():
    """对数轴上没有 0：5e-13 和每个 10 的负幂都照念；最低点按倍数比，不按差比。"""
    y = {"y": [3, 1, 0.1, 0.01, 1e-3, 5.17e-13]}
    words = repr(plot_lines(range(1, 7), y, title="t", x_name="x", y_name="y", log_y=True))
    assert "(6, 5.17e−13)" in words and "刻度 10⁻¹³、10⁻¹¹、10⁻⁹、10⁻⁷、10⁻⁵、0.001、0.1、10" in words
    y = {"y": np.r_[np.ones(20), 3e-7, np.ones(20), 2e-7]}
    words = repr(plot_lines(range(1, 43), y, title="t", x_name="x", y_name="y", log_y=True))
    assert "最低 (42, 2e−07)" in words


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-5.1, 0.7, range(-5, 1)),
        (-13.1, 1.4, range(-13, 2, 2)),
        (-15.2, 3.6, range(-14, 3, 2)),
        (-30, 0, range(-30, 1, 4)),
        (0.3, 0.9, range(1, 1)),
    ],
)
def test_at_most_nine_evenly_spaced_powers_of_ten(low, high, expected):
    assert list(charts._powers(low, high)) == list(expected)


def test_long_line_is_described_by_its_ends_and_extremes():
    y = np.r_[0.5, 3.0, np.linspace(1, 2, 50), -4.0, 0.25]
    words = repr(plot_lines(np.arange(54), {"y": y}, title="t", x_name="x", y_name="y"))
    assert "54 个点，起点 (0, 0.5)，终点 (53, 0.25)，最低 (52, −4)，最高 (1, 3)" in words


def test_bars_share_one_axis_and_carry_their_numbers():
    figure = plot_bars({"a": [1, 0.5], "b": [-0.25, 0]}, title="t", x_name="键", y_name="值", x_labels="我你")
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert [[bar.get_height() for bar in axes.patches] for axes in figure.axes] == [[1, 0.5], [-0.25, 0]]
    words = repr(figure)
    assert "柱：我 1.00、你 0.50" in words and "柱：我 −0.25、你 0.00" in words


def test_value_plane_shows_points_hull_and_arrows():
    figure = GALLERY["平面"]()
    axes = figure.axes[0]
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), V)
    np.testing.assert_array_equal(axes.collections[1].get_offsets(), OUTPUT)
    hull = next(p for p in axes.patches if isinstance(p, Polygon))
    assert {tuple(xy) for xy in hull.get_xy()} == {(0, 0), (1, 0), (0, 1)}
    assert hull.get_path().contains_points(OUTPUT).all()
    words = repr(figure)
    assert "新猫 (0.41, 0.278)、新吃 (0.316, 0.316)、新鱼 (0.279, 0.41" in words
    assert "箭头：猫→新猫、吃→新吃、鱼→新鱼" in words


def test_hull_leaves_out_inner_and_edge_points():
    points = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1], [1, 0], [0, 0]]
    figure = plot_value_plane(points, points, "甲乙丙丁戊己庚", value_names="ab", title="t")
    hull = next(p for p in figure.axes[0].patches if isinstance(p, Polygon))
    assert {tuple(xy) for xy in hull.get_xy()} == {(0, 0), (2, 0), (2, 2), (0, 2)}


# ---------------------------------------------------------------- 图坏了，描述就变


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
    "改一个数的文字": ("权重", lambda a: numbers_in(a)[0, 1].set_text("0.30")),
    "改一个数的值": ("权重", lambda a: a.images[0].get_array().__setitem__((0, 1), 0.36)),
    "交换两个数的位置": ("权重", lambda a: numbers_in(a)[0, 1].set_position((2, 2))),
    "第一行到下面": ("权重", lambda a: a.invert_yaxis()),
    "删一个数": ("权重", lambda a: numbers_in(a)[1, 1].set_visible(False)),
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
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_changes_the_description(name):
    picture, damage = DAMAGE[name]
    figure = GALLERY[picture]()
    before = repr(figure)
    damage(figure.axes[0])
    assert repr(figure) != before


def test_transposed_scores_have_another_description():
    one, other = (
        plot_matrix(M, title="分数", row_labels="猫吃鱼", col_labels="猫吃鱼") for M in (SCORES, SCORES.T)
    )
    assert repr(one) != repr(other)


def test_number_that_disagrees_with_the_colour_is_reported_with_both():
    figure = plot_weights(WEIGHTS, "猫吃鱼", title="权重")
    figure.axes[0].images[0].set_data(WEIGHTS.T)
    assert "猫 0.41 0.31（底色的数是 0.316） 0.28" in repr(figure)


def test_describe_reads_any_matplotlib_figure():
    figure = Figure()
    axes = figure.subplots()
    axes.plot([1, 2], [3, 4], label="线")
    axes.set(title="别人的图", xlabel="x")
    assert "折线图「别人的图」" in describe(figure) and "(1, 3)、(2, 4)" in describe(figure)


# ---------------------------------------------------------------- 输入不对

NAMED = {"title": "t", "x_name": "x", "y_name": "y"}


@pytest.mark.parametrize(
    "call, parts",
    [
        (lambda: plot_matrix([1, 2, 3], title="M"), ["二维", "(3,)"]),
        (lambda: plot_matrix(SCORES, title="M", row_labels="猫吃"), ["行的标签", "共 3 个", "2 个", "转置"]),
        (lambda: plot_matrix(Q, title="M", outline=[("row", 3)]), ["outline", "(3, 4)", "('row', 3)"]),
        (lambda: plot_matrix(Q, title="M", outline=("line", 0)), ["outline", "'line'"]),
        (lambda: plot_weights(SCORES * 2, "猫吃鱼", title="w"), ["0 到 1", "(3, 3)", "1.9", "plot_matrix"]),
        (lambda: plot_weights(-WEIGHTS, "猫吃鱼", title="w"), ["0 到 1", "−0.41"]),
        (lambda: plot_weights(share(2, 3), "我你", title="w"), ["列的标签", "共 3 个", "2 个"]),
        (lambda: plot_shares(WEIGHTS, "我爱", title="w"), ["tokens", "共 3 个", "2 个"]),
        (lambda: plot_matrices({}), ["panels", "不空"]),
        (lambda: plot_matrices({"Q": Q}, kind="x"), ["kind", "'x'"]),
        (lambda: plot_matrices({"Q": Q, "K": K}, operators=("@", "=")), ["运算符", "1 个", "2 个"]),
        (lambda: plot_matrices({"Q": Q}, row_labels={"K": "猫吃鱼"}), ["K", "Q"]),
        (lambda: plot_score(Q, X, 0, 0, "猫吃鱼"), ["d_k", "(3, 4)", "(3, 8)"]),
        (lambda: plot_score(Q, K, 3, 0, "猫吃鱼"), ["query", "2", "3"]),
        (lambda: plot_pipeline(6), ["1 到 5", "6"]),
        (lambda: plot_lines([1, 2], {"y": [1]}, **NAMED), ["(2,)", "(1,)", "「y」"]),
        (lambda: plot_lines([0, 1], {"y": [1, 2]}, log_x=True, **NAMED), ["log_x", "大于 0"]),
        (lambda: plot_lines([1], {}, **NAMED), ["series", "不空"]),
        (lambda: plot_bars({"a": [[1]]}, **NAMED), ["a 必须是", "(1, 1)"]),
        (lambda: plot_bars({"a": [1, 2]}, y_max=1, **NAMED), ["y_max", "2", "1"]),
        (lambda: plot_bars({"a": [1, 2]}, x_labels="我", **NAMED), ["x_labels", "2 个", "1 个"]),
        (lambda: plot_value_plane(Q, Q, "猫吃鱼", value_names="ab", title="t"), ["(n, 2)", "(3, 4)"]),
        (
            lambda: plot_value_plane(V, OUTPUT[:2], "猫吃鱼", value_names="ab", title="t"),
            ["(3, 2)", "(2, 2)"],
        ),
    ],
)
def test_bad_input_is_explained(call, parts):
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert all(part in message for part in parts), message


def test_arguments_are_not_changed():
    arrays = [Q.copy(), K.copy(), MASKED.copy()]
    for array in arrays:
        array.setflags(write=False)
    plot_score(arrays[0], arrays[1], 0, 0, "猫吃鱼")
    plot_matrix(arrays[2], title="M")


@pytest.mark.parametrize(
    "weights, sums",
    [
        ([[0.25, 0.75], [0.5, 0.5]], "右边：行和 1.00 1.00；下边：列和 0.75 1.25"),
        ([[0.5018, 0.5001], [0.5, 0.5]], "右边：行和 1.002 1.000；下边：列和 1.0018 1.0001"),
        ([[0.1] * 10], "右边：行和 1.00；下边：列和 0.10 0.10"),  # 十个 0.1 加起来差 1e-16
    ],
)
def test_sums_are_written_so_that_only_one_looks_like_one(weights, sums):
    tokens = "甲乙丙丁戊己庚辛壬癸"
    figure = plot_weights(
        weights, tokens[: len(weights)], key_tokens=tokens[: len(weights[0])], title="w", show_sums=True
    )
    assert sums in repr(figure)


# ---------------------------------------------------------------- 环境


def test_picture_is_the_same_bytes_whatever_the_reader_set():
    before = GALLERY["权重"]()._repr_png_()
    with mpl.rc_context(
        {"font.size": 30, "axes.facecolor": "black", "text.color": "red", "font.family": "serif"}
    ):
        assert GALLERY["权重"]()._repr_png_() == before
        lines = GALLERY["方差"]()
    assert lines._repr_png_() == GALLERY["方差"]()._repr_png_()
    assert b"Software" not in before[0] and b"Matplotlib" not in before[0]


def test_drawing_leaves_the_settings_of_the_reader_alone():
    with mpl.rc_context({"font.size": 7}):
        before = dict(mpl.rcParams.copy())
        GALLERY["方差"]()._repr_png_()
        assert dict(mpl.rcParams.copy()) == before


def test_course_style_sets_fonts_and_four_decimals():
    with mpl.rc_context(), np.printoptions():
        use_course_style()
        assert mpl.rcParams["font.family"] == ["Noto Sans SC", "DejaVu Sans"]
        assert str(np.array([1 / 3, 1e-9])) == "[0.3333 0.    ]"


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-"],  # 从 stdin 读：任何语言环境下都按 UTF-8
        input=code,
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


def test_first_picture_is_silent_without_a_writable_settings_folder(tmp_path):
    """字体缓存要重建、配置目录不可写：没有一个字写到 stderr；也没有导入 pyplot 和 torch。"""
    (tmp_path / "file").write_text("", encoding="utf-8")
    code = (
        "import sys; from utils import plotting as p; p.use_course_style();"
        "p.plot_weights([[1]], '我', title='权')._repr_png_();"
        "print([m for m in ('matplotlib.pyplot', 'torch', 'zhplot') if m in sys.modules])"
    )
    done = run_python(code, MPLCONFIGDIR=str(tmp_path / "file" / "config"))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_notebook_shows_our_png_even_after_pyplot_set_up_its_own():
    code = """
import base64, struct
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.enable_gui = lambda gui: None
shell.run_line_magic("matplotlib", "inline")
shell.run_line_magic("config", "InlineBackend.figure_formats = ['svg', 'png']")
import matplotlib.pyplot as plt
from utils.plotting import plot_weights
figure = plot_weights([[1]], "我", title="权")
data, metadata = shell.display_formatter.format(figure)
png = data["image/png"]
png = base64.b64decode(png) if isinstance(png, str) else png
sharp = struct.unpack(">I", png[16:20])[0] == 2 * metadata["image/png"]["width"]
drawn = []
draw, type(figure).draw = type(figure).draw, lambda self, renderer: drawn.append(draw(self, renderer))
shell.display_formatter.format(figure)
print(sorted(data), sharp, plt.get_fignums(), f"画了 {len(drawn)} 遍")
"""
    done = run_python(code, MPLBACKEND="module://matplotlib_inline.backend_inline")
    assert done.stdout.strip() == "['image/png', 'text/plain'] True [] 画了 1 遍", done.stderr


@pytest.mark.parametrize(
    "value, text",
    [
        (0.37000000000000005, "0.37"),
        (np.float64(0.45186276), "0.4519"),
        (np.float32(0.37), "0.37"),
        (1.0, "1.0"),
        (np.float64(-0.0), "0.0"),
        (-1e-5, "-1e-05"),
        (5.551115123125783e-17, "5.5511e-17"),
        (123456.78, "123456.78"),
        (1e300, "1e+300"),
        (0.0001, "0.0001"),
        (float("nan"), "nan"),
        (-np.inf, "-inf"),
    ],
)
def test_number_in_the_output_of_a_cell(value, text):
    assert numbers.output(value) == text


def test_notebook_shows_floats_with_at_most_four_decimals():
    """也在元组、列表、字典里；数组、整数不变；没有 IPython 时什么也不做（别的测试都这样用）。"""
    code = """
from IPython.core.interactiveshell import InteractiveShell
import numpy as np
from utils.plotting import use_course_style
shell = InteractiveShell.instance()
show = lambda value: print(shell.display_formatter.format(value)[0]["text/plain"])
show(np.float64(0.5)); use_course_style()
for value in (np.float64(0.1 + 0.2), (0.1 + 0.2, 1), [np.float32(0.1)], {"a": np.float64(1)}):
    show(value)
show(3); show(np.array([-0.0, 1/3]))
"""
    done = run_python(code)
    assert done.stdout.splitlines() == [
        "np.float64(0.5)",
        "0.3",
        "(0.3, 1)",
        "[0.1]",
        "{'a': 1.0}",
        "3",
        "array([-0.    ,  0.3333])",
    ], done.stderr


def test_figure_can_be_saved_like_any_other():
    buffer = io.BytesIO()
    plot_pipeline().savefig(buffer, format="png", bbox_inches="tight")
    assert buffer.getvalue().startswith(b"\x89PNG")
    assert isinstance(plot_pipeline(), CourseFigure)

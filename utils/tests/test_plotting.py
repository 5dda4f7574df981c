"""画：图里的数组、范围、文字、颜色都对；每一张图里文字够大、够清楚、不出界、不相压。"""

import functools
import logging
import re
import struct

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.ft2font import FT2Font
from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle
from matplotlib.text import Text

from utils.plotting import (
    QKV_COLORS,
    charts,
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
)
from utils.tests.contrast import contrast
from utils.tests.gallery import (
    COL_NAME,
    D_K,
    GALLERY,
    MASKED,
    OUTPUT,
    RANDOM,
    ROW_NAME,
    SCORES,
    W_Q,
    WEIGHTS,
    K,
    Q,
    V,
    X,
    share,
)

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def quiet_log(caplog):
    """matplotlib 一句警告也不说：warnings 由 pytestmark 变成错误，日志在这里查。"""
    caplog.set_level(logging.INFO, logger="matplotlib")
    yield
    loud = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert not loud


@pytest.fixture(params=GALLERY, scope="module")
def figure(request):
    return GALLERY[request.param]()


@functools.cache
def shown_texts(figure):
    """[(文字, 它的框)]，在 100 dpi 下；框不含标注的引线。"""
    figure.draw_without_rendering()  # 轴名、图例画的时候才定下位置
    axises = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    ticks = [tick for axis in axises for tick in axis.get_major_ticks() + axis.get_minor_ticks()]
    hidden = {label for tick in ticks for label in (tick.label1, tick.label2)}
    hidden -= {label for axis in axises if axis.axes.axison for label in axis.get_ticklabels()}
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in hidden]
    with style.course_context():
        return [(text, Text.get_window_extent(text, RendererAgg(1, 1, 100))) for text in texts]


def numbers_in(axes):
    """{(行, 列): Text}，只含格子里的数。"""
    rows, cols = axes.images[0].get_array().shape
    places = {text: text.get_position() for text in axes.texts}
    return {
        (round(y), round(x)): text
        for text, (x, y) in places.items()
        if -0.5 < x < cols - 0.5 and -0.5 < y < rows - 0.5
    }


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


def test_every_text_is_large_and_has_enough_contrast(figure):
    numbers = {text for axes in figure.axes if axes.images for text in numbers_in(axes).values()}
    for text, _ in shown_texts(figure):
        assert text.get_fontsize() >= 11
        bars = text.axes.containers if text.axes else ()
        grounds = ["white"] + [style.LIT_COLOR] * any(
            isinstance(patch, FancyBboxPatch) for patch in (text.axes.patches if text.axes else ())
        )
        if bars and bars[0].orientation == "horizontal":  # 份额：字写在各段上
            grounds += [container[0].get_facecolor()[:3] for container in bars]
        if text not in numbers:
            assert min(contrast(text.get_color(), ground) for ground in grounds) >= 4.5, text.get_text()


def test_every_drawn_glyph_is_in_one_of_the_two_fonts(figure, request):
    charmaps = [FT2Font(font_manager.findfont(name)).get_charmap() for name in style.FONTS]
    assert "zhplot" in font_manager.findfont(style.FONTS[0])
    for text, _ in shown_texts(figure):
        if not text.get_parse_math():
            root = "√" in text.get_text()  # 这时先用 DejaVu Sans：它的 √ 没有多出的横线
            assert text.get_fontfamily() == (style.FONTS[::-1] if root else style.FONTS)
            missing = [
                c for c in text.get_text() if c not in "\n🐱𓀀" and all(ord(c) not in m for m in charmaps)
            ]
            assert not missing


def test_png_is_small_and_twice_as_sharp_and_drawing_it_leaves_the_description(figure):
    before = repr(figure)
    data, size = figure._repr_png_()
    assert size["width"] <= 640
    assert struct.unpack(">II", data[16:24]) == (2 * size["width"], 2 * size["height"])
    assert repr(figure) == before
    assert "CourseFigure" not in before and "−0 " not in before and "nan" not in before


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
    assert shown == {cell: f"{value:.2f}" for cell, value in np.ndenumerate(WEIGHTS)}


def test_rows_that_are_not_queries_say_so():
    assert GALLERY["句子"]().axes[0].get_ylabel() == "句子"


def test_signed_picture_is_centred_on_zero():
    image = plot_matrix([[1, -3], [0, 2]], title="M").axes[0].images[0]
    assert (image.norm.vmin, image.norm.vmax) == (-3, 3)
    assert contrast(image.cmap(image.norm(0.0)), "white") < 1.1  # 0 几乎是白的
    red, blue = image.cmap(image.norm(-3.0)), image.cmap(image.norm(3.0))
    assert red[0] > red[2] and blue[2] > blue[0]


@pytest.mark.parametrize("M, expected", [([[0, 0]], 1), ([[-np.inf, -np.inf]], 1), ([[-np.inf, 4]], 4)])
def test_limit_of_zeros_and_masked_matrices(M, expected):
    assert plot_matrix(M, title="M").axes[0].images[0].norm.vmax == expected


@pytest.mark.parametrize("kind, least", [("signed", 6), ("weights", 4.5)])
def test_numbers_are_readable_on_every_colour_of_the_map(kind, least):
    values = np.linspace(-1 if kind == "signed" else 0, 1, 144).reshape(12, 12)
    axes = plot_matrices({"M": values}, kind=kind).axes[0]
    image, cells = axes.images[0], numbers_in(axes)
    assert len(cells) == 144
    for (i, j), text in cells.items():
        assert contrast(text.get_color(), image.cmap(image.norm(values[i, j]))) >= least


def test_masked_cells_are_grey():
    image = plot_matrix(MASKED, title="M").axes[0].images[0]
    grey = image.cmap(image.norm(image.get_array()))[0, 1]
    assert mpl.colors.to_hex(grey) == style.MASKED_COLOR.lower()


@pytest.mark.parametrize("shape, count", [((12, 12), 144), ((13, 3), 0), ((3, 13), 0)])
def test_numbers_are_written_up_to_twelve_by_twelve(shape, count):
    figure = plot_matrix(RANDOM[: shape[0], : shape[1]], title="M")
    assert len(numbers_in(figure.axes[0])) == count
    assert (len(figure.axes) == 2) == (count == 0)  # 不写数就有颜色条


def test_long_names_are_whole_where_there_is_room_and_never_push_the_numbers_out():
    names = [label.get_text() for label in GALLERY["句子"]().axes[0].get_yticklabels()]
    assert names == ["八个字的一句话呀", "头"]
    axes = GALLERY["怪词元"]().axes[0]
    assert "supercalifragilisticexpialidocious" not in [label.get_text() for label in axes.get_yticklabels()]
    shown = [text.get_text() for text in numbers_in(axes).values()]
    assert len(shown) == 144 and all(re.fullmatch(r"0\.\d\d", text) for text in shown)


def test_large_picture_thins_its_ticks_and_keeps_their_places():
    axes = plot_matrix(RANDOM, title="M").axes[0]
    labels = {round(tick.get_loc()): tick.label1.get_text() for tick in axes.yaxis.get_major_ticks()}
    assert 8 <= len(labels) <= 32 and all(str(place) == text for place, text in labels.items())


def test_outlines_frame_the_cells_that_were_asked_for():
    figure = plot_matrix(SCORES, title="M", outline=[("row", 1), ("col", 2), ("cell", 0, 2)])
    frames = [p.get_bbox().bounds for p in figure.axes[0].patches if isinstance(p, Rectangle)]
    assert frames == [(-0.5, 0.5, 3, 1), (1.5, -0.5, 1, 3), (1.5, -0.5, 1, 1)]
    assert "框出一行：第 2 行；框出一列：第 3 列；框出（第 1 行，第 3 列）一格" in repr(figure)


def test_panels_share_one_scale_and_one_list_of_names():
    figure = plot_matrices({"A": [[1, 2]], "B": [[-7, 0]]}, row_labels=["我"], col_labels={"B": "你他"})
    assert [(axes.images[0].norm.vmin, axes.images[0].norm.vmax) for axes in figure.axes] == [(-7, 7)] * 2
    assert [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes] == [["我"]] * 2
    assert [[label.get_text() for label in axes.get_xticklabels()] for axes in figure.axes] == [
        [],
        ["你", "他"],
    ]


def test_panels_have_titles_shapes_operators_and_the_fixed_colours():
    figure = plot_matrices({"X": X, "W_Q": W_Q, "Q": Q}, operators=("@", "="))
    assert [axes.get_title() for axes in figure.axes] == ["X (3, 8)", "W_Q (8, 4)", "Q (3, 4)"]
    frames = [mpl.colors.to_hex(axes.spines["left"].get_edgecolor()).upper() for axes in figure.axes]
    assert frames[1:] == ["#0072B2", "#0072B2"] and frames[0] != "#0072B2"
    assert repr(figure).startswith("排列：[X (3, 8)] @ [W_Q (8, 4)] = [Q (3, 4)]\n")
    middles = [(axes.get_position().y0 + axes.get_position().y1) / 2 for axes in figure.axes]
    np.testing.assert_allclose(middles, middles[0])  # 一排，中线对齐


def test_panels_of_weights_name_queries_and_keys():
    figure = plot_matrices({"A": WEIGHTS, "B": WEIGHTS}, kind="weights")
    assert [(axes.get_ylabel(), axes.get_xlabel()) for axes in figure.axes] == [(ROW_NAME, COL_NAME)] * 2
    assert "行=头；列=键" in repr(plot_matrices({"scores": SCORES}, row_name="头", col_name="键"))
    assert "=" not in repr(plot_matrices({"scores": SCORES}))


NAMED = {"Q": "Q", "Kᵀ": "K", "K.T": "K", "W_V": "V", "V 的第 1 行": "V"}


@pytest.mark.parametrize("name", [*NAMED, "QKᵀ", "X", "Query", "scores"])
def test_names_that_get_the_colour_of_q_k_v(name):
    axes = plot_matrices({name: [[1]]}).axes[0]
    expected = text_color(QKV_COLORS[NAMED[name]]) if name in NAMED else style.INK
    assert axes.title.get_color() == expected


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


@pytest.mark.parametrize(
    "weights, sums",
    [
        ([[0.25, 0.75], [0.5, 0.5]], "右边：行和 1.00 1.00；下边：列和 0.75 1.25"),
        ([[0.5018, 0.5001], [0.5, 0.5]], "右边：行和 1.002 1.000；下边：列和 1.0018 1.0001"),
        ([[0.1] * 10], "右边：行和 1.00；下边：列和 0.10 0.10"),  # 十个 0.1 加起来差 1e-16
    ],
)
def test_sums_are_written_so_that_only_one_looks_like_one(weights, sums):
    queries, keys = "甲乙丙丁戊己庚辛壬癸"[: len(weights)], "甲乙丙丁戊己庚辛壬癸"[: len(weights[0])]
    assert sums in repr(plot_weights(weights, queries, key_tokens=keys, title="w", show_sums=True))


# ---------------------------------------------------------------- 份额、五步、线、柱、平面


def test_shares_are_bars_of_the_weights_and_a_wrong_sum_is_written():
    figure = plot_shares([[0.5, 0.25, 0.25], [0.5, 1 / 6, 0]], "甲乙", key_tokens="猫吃鱼", title="份额")
    bars = [bar for container in figure.axes[0].containers for bar in container]
    assert [round(bar.get_width(), 4) for bar in bars] == [0.5, 0.5, 0.25, 0.1667, 0.25, 0]
    assert [round(bar.get_x(), 4) for bar in bars] == [0, 0, 0.5, 0.5, 0.75, 0.6667]
    assert "甲：猫 0.5、吃 0.25、鱼 0.25；乙：猫 0.5、吃 0.167、鱼 0，和 0.667" in repr(figure)
    assert "旁边写着：和 0.6667" in repr(figure)
    many = GALLERY["许多份额"]().axes[0]  # 图例有几行，条也不变扁
    assert many.bbox.height / len(many.get_yticks()) > 36


def test_pipeline_lights_only_the_current_step():
    for step in (None, 1, 2, 3, 4, 5):
        boxes = [p for p in plot_pipeline(step).axes[0].patches if isinstance(p, FancyBboxPatch)]
        lit = [i for i, box in enumerate(boxes, 1) if mpl.colors.to_hex(box.get_facecolor()) != "#ffffff"]
        assert lit == ([step] if step else []) and len(boxes) == 5


def test_pipeline_says_formulas_shapes_and_the_way_of_v():
    words = repr(plot_pipeline(3))
    for part in ("框「3 缩放」（点亮） ÷ √d_k → scaled_scores (n, n)", "QKᵀ", "Q = X W_Q", "V (n, d_v)"):
        assert part in words


@pytest.mark.parametrize(
    ("extra", "parts"),
    [
        (
            "mask",
            ["框「遮住：不许看的格换成 −∞」（点亮）", "遮住：不许看的格换成 −∞→4 softmax", "→输出 (n, d_v)"],
        ),
        (
            "heads",
            [
                "框「切成几个头」（点亮）",
                "切成几个头→每个头各做一次第 2 到第 5 步",
                "× W_O → 输出 (n, d_model)",
            ],
        ),
    ],
)
def test_pipeline_says_where_a_mask_and_heads_sit(extra, parts):
    figure = plot_pipeline(4, extra=extra)
    assert all(
        part in repr(figure) for part in [*parts, "框「4 softmax」（点亮） 每行的和 = 1 → weights (n, n)"]
    )
    assert not any(part in repr(plot_pipeline(4)) for part in parts[:2])
    width, height = figure.bbox.size
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, text.get_text()


def test_pipeline_refuses_an_unknown_extra():
    for wrong in ("masks", 1, ["mask"], True):
        with pytest.raises(ValueError, match=r"(?s)mask.*收到.*怎么办"):
            plot_pipeline(extra=wrong)


def test_lines_hold_the_data_and_differ_in_colour_marker_and_style():
    axes = GALLERY["方差"]().axes[0]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), D_K)
    np.testing.assert_array_equal(axes.lines[2].get_ydata(), 1 / D_K)
    for getter in ("get_color", "get_marker", "get_linestyle"):
        assert len({getattr(line, getter)() for line in axes.lines}) == 3
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == [str(n) for n in D_K]
    assert "线「÷ d_k」（绿，点划线）：(1, 1)、(2, 0.5)、(4, 0.25)" in repr(axes.figure)


def test_small_ticks_stand_between_the_powers_of_ten_without_numbers():
    axes = plot_lines([1, 2, 3], {"y": [0.5, 60, 1]}, title="t", x_name="x", y_name="y", log_y=True).axes[0]
    axes.figure.draw_without_rendering()
    small = [round(tick.get_loc(), 3) for tick in axes.yaxis.get_minor_ticks()]
    assert small == [0.4, *(n / 10 for n in range(5, 10)), *range(2, 10), *range(20, 80, 10)]
    assert not axes.xaxis.get_minor_ticks()  # 均匀的轴没有


def test_small_ticks_of_a_wide_axis_are_powers_of_ten_without_numbers():
    y = [1e-12, 1, 1e7]
    axes = plot_lines([1, 2, 3], {"y": y}, title="t", x_name="x", y_name="y", log_y=True).axes[0]
    axes.figure.draw_without_rendering()
    small = axes.yaxis.get_minor_ticks()
    assert len(small) > 10 and not any(tick.label1.get_text() for tick in small)


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


def test_bars_share_one_axis_and_carry_their_numbers():
    figure = plot_bars({"a": [1, 0.5], "b": [-0.25, 0]}, title="t", x_name="键", y_name="值", x_labels="我你")
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert [[bar.get_height() for bar in axes.patches] for axes in figure.axes] == [[1, 0.5], [-0.25, 0]]
    words = repr(figure)
    assert "柱：我 1.00、你 0.50" in words and "柱：我 −0.25、你 0.00" in words


def test_value_plane_shows_points_hull_and_arrows():
    axes = GALLERY["平面"]().axes[0]
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), V)
    np.testing.assert_array_equal(axes.collections[1].get_offsets(), OUTPUT)
    words = repr(axes.figure)
    assert "新猫 (0.41, 0.278)、新吃 (0.316, 0.316)、新鱼 (0.279, 0.41" in words
    assert "箭头：猫→新猫、吃→新吃、鱼→新鱼" in words
    one = plot_value_plane(V, OUTPUT[1:2], "猫吃鱼", value_names="ab", title="只画一个", query=1)
    assert "箭头：吃→新吃；" in repr(one)


def test_hull_leaves_out_inner_and_edge_points():
    points = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1], [1, 0], [0, 0]]
    figure = plot_value_plane(points, points, "甲乙丙丁戊己庚", value_names="ab", title="t")
    hull = next(p for p in figure.axes[0].patches if isinstance(p, Polygon))
    assert {tuple(xy) for xy in hull.get_xy()} == {(0, 0), (2, 0), (2, 2), (0, 2)}


# ---------------------------------------------------------------- 输入不对（别的规则见 test_properties）

CHART = {"title": "t", "x_name": "x", "y_name": "y"}
PLANE = {"value_names": "ab", "title": "t"}
REFUSED = {
    "转置的标签": (
        lambda: plot_matrix(Q, title="M", row_labels="猫吃鱼鱼"),
        ["行的标签", "共 3 个", "4 个", "转置"],
    ),
    "框出了界": (
        lambda: plot_matrix(Q, title="M", outline=[("row", 3)]),
        ["outline", "(3, 4)", "('row', 3)"],
    ),
    "框写错": (lambda: plot_matrix(Q, title="M", outline=("line", 0)), ["outline", "line"]),
    "不是权重": (
        lambda: plot_weights(SCORES * 2, "猫吃鱼", title="w"),
        ["0 到 1", "(3, 3)", "1.9", "plot_matrix"],
    ),
    "没有键的名字": (lambda: plot_weights(share(2, 3), "我你", title="w"), ["列的标签", "共 3 个", "2 个"]),
    "没有矩阵": (lambda: plot_matrices({}), ["panels", "不空"]),
    "kind": (lambda: plot_matrices({"Q": Q}, kind="x"), ["kind", "'x'"]),
    "运算符": (lambda: plot_matrices({"Q": Q, "K": K}, operators=("@", "=")), ["运算符", "1 个", "2 个"]),
    "别的名字": (lambda: plot_matrices({"Q": Q}, row_labels={"K": "猫吃鱼"}), ["K", "Q"]),
    "d_k 不同": (lambda: plot_score(Q, X, 0, 0, "猫吃鱼"), ["d_k", "(3, 4)", "(3, 8)"]),
    "长短不同": (lambda: plot_lines([1, 2], {"y": [1]}, **CHART), ["(2,)", "(1,)", "「y」"]),
    "对数": (lambda: plot_lines([0, 1], {"y": [1, 2]}, log_x=True, **CHART), ["log_x", "大于 0"]),
    "没有线": (lambda: plot_lines([1], {}, **CHART), ["series", "不空"]),
    "柱被切掉": (lambda: plot_bars({"a": [1, 2]}, y_max=1, **CHART), ["y_max", "2", "1"]),
    "三列的值": (lambda: plot_value_plane(Q, Q, "猫吃鱼", **PLANE), ["(n, 2)", "(3, 4)"]),
    "少一个输出": (lambda: plot_value_plane(V, OUTPUT[:2], "猫吃鱼", **PLANE), ["(3, 2)", "(2, 2)"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_explained(name):
    call, parts = REFUSED[name]
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert all(part in message for part in [*parts, "收到：", "怎么办："]), message

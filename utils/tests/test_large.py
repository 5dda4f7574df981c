"""512 个词元：每张图都不写数、刻度隔着写，文字互不相压，描述仍然短。"""

import numpy as np
import pytest
from matplotlib.text import Text

from utils.plotting import (
    plot_bars,
    plot_lines,
    plot_matrices,
    plot_matrix,
    plot_score,
    plot_value_plane,
    plot_weights,
    style,
)
from utils.plotting.text import renderer

pytestmark = pytest.mark.filterwarnings("error")


def pictures(n=512):
    """每个画图函数各一张 n 个词元的图：{函数名: 画它}。种子固定。"""
    rng = np.random.default_rng(0)
    X, scores = rng.normal(size=(n, 64)), rng.normal(size=(n, n))
    weights = np.abs(scores) / np.abs(scores).sum(axis=1, keepdims=True)
    tokens = [f"词{i}" for i in range(n)]
    ends = {"x_name": "键", "y_name": "权重"}
    labels = {
        "row_labels": {"Q": tokens, "scores": tokens},
        "col_labels": {"Kᵀ": tokens, "scores": tokens},
    }
    return {
        "plot_matrix": lambda: plot_matrix(
            scores, title="分数", row_labels=tokens, col_labels=tokens, outline=[("row", n - 1)]
        ),
        "plot_weights": lambda: plot_weights(weights, tokens, title="权重", show_sums=True),
        "plot_matrices": lambda: plot_matrices(
            {"Q": X, "Kᵀ": X.T, "scores": scores}, operators=("@", "="), **labels
        ),
        "plot_score": lambda: plot_score(X, X, 0, n - 1, tokens),
        "plot_value_plane": lambda: plot_value_plane(
            X[:, :2], weights @ X[:, :2], tokens, value_names="ab", title="平面"
        ),
        "plot_bars": lambda: plot_bars(
            {"a": weights[0], "b": weights[1]}, title="柱", x_labels=tokens, **ends
        ),
        "plot_lines": lambda: plot_lines(
            np.arange(n), {"a": weights[0], "b": weights[1]}, title="线", **ends
        ),
    }


PICTURES = pictures()


@pytest.fixture(params=PICTURES, scope="module")
def figure(request):
    figure = PICTURES[request.param]()
    figure.draw_without_rendering()
    return figure


def boxes(figure):
    """画出来的每一段文字和它的框。"""
    axises = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    ticks = [tick for axis in axises for tick in axis.get_major_ticks()]
    hidden = {label for tick in ticks for label in (tick.label1, tick.label2)}
    hidden -= {label for axis in axises for label in axis.get_ticklabels()}
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in hidden]
    with style.course_context():
        return [(text.get_text(), Text.get_window_extent(text, renderer())) for text in texts]


def test_the_picture_is_not_larger_than_any_other(figure):
    width, height = (round(inches * style.DPI) for inches in figure.get_size_inches())
    assert width <= 640 and height <= 800


def test_no_number_stands_in_a_cell_or_on_a_bar(figure):
    for axes in figure.axes:
        if axes.images:
            rows, cols = axes.images[0].get_array().shape
            places = [text.get_position() for text in axes.texts]
            assert not [(x, y) for x, y in places if -0.5 < x < cols - 0.5 and -0.5 < y < rows - 0.5]
        assert len(axes.texts) <= 64


def test_texts_are_few_inside_the_picture_and_apart(figure):
    drawn = boxes(figure)
    assert len(drawn) <= 150
    for text, box in drawn:
        inside = (
            box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y0 >= -1 and box.y1 <= figure.bbox.y1 + 1
        )
        assert inside, text
    for i, (text, box) in enumerate(drawn):
        for other, another in drawn[:i]:
            width = min(box.x1, another.x1) - max(box.x0, another.x0)
            height = min(box.y1, another.y1) - max(box.y0, another.y0)
            assert width < 3 or height < 3, f"{text!r} 压着 {other!r}"


def test_the_description_is_short(figure):
    assert len(repr(figure)) <= 2000

"""512 个词元：每张图都不写数、刻度隔着写，文字互不相压，描述仍然短。"""

import numpy as np
import pytest
from matplotlib.text import Text

from utils.benchmark.plots import LARGE, pictures
from utils.plotting import plot_bars, plot_value_plane, style
from utils.plotting.text import renderer

pytestmark = pytest.mark.filterwarnings("error")
PICTURES = pictures(LARGE)


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


def test_many_bars_are_read_by_their_ends_and_extremes():
    row = np.full(100, 0.5)
    row[[0, 7, 98, 99]] = 0.25, 2, -1, 0.75
    text = repr(plot_bars({"a": row}, title="柱", x_name="键", y_name="值"))
    assert "100 根柱，第一根 0.25，最后一根 0.75，最低 第 99 根 −1，最高 第 8 根 2" in text


def test_a_crowded_plane_names_the_outermost_points_and_the_query():
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    V = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(np.arange(40) % 10, 0.3, 1)[:, None]
    tokens = [f"词{i}" for i in range(40)]
    text = repr(plot_value_plane(V, [[0, 0]], tokens, value_names="ab", title="平面", query=5))
    assert "40 个点，从 (−1, −1) 到 (1, 1)" in text
    assert (
        all(f"词{i} " in text for i in (0, 5, 10, 20, 30)) and "词6 " not in text and "新词5 (0, 0)" in text
    )

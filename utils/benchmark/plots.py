"""每个画图函数画一张图（PNG）的时间，对照同样大小的一张 matplotlib imshow。"""

import io
from collections.abc import Callable, Iterator

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from utils import plotting
from utils.benchmark.table import Row
from utils.benchmark.timing import peak, side_by_side
from utils.plotting.style import DPI

LARGE = 512  # 个词元
LIMIT = 2.0  # 倍，大图


def measure(repeats: int) -> Iterator[Row]:
    """每个函数两行：3 个词元和 512 个词元；大图有要求。"""
    for n, limit in ((3, None), (LARGE, LIMIT)):
        for name, draw in pictures(n).items():
            size = draw().get_size_inches()
            _bare_png(n, size)  # 第一次不算：要装字体
            ours, theirs = side_by_side(
                lambda draw=draw: draw()._repr_png_(),
                lambda n=n, size=size: _bare_png(n, size),
                repeats=repeats,
            )
            yield Row(f"{name}，{n} 个词元", ours, theirs, limit=limit, note=peak(draw))


def pictures(n: int) -> dict[str, Callable[[], plotting.CourseFigure]]:
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
        "plot_matrix": lambda: plotting.plot_matrix(
            scores, title="分数", row_labels=tokens, col_labels=tokens, outline=[("row", n - 1)]
        ),
        "plot_weights": lambda: plotting.plot_weights(weights, tokens, title="权重", show_sums=True),
        "plot_matrices": lambda: plotting.plot_matrices(
            {"Q": X, "Kᵀ": X.T, "scores": scores}, operators=("@", "="), **labels
        ),
        "plot_score": lambda: plotting.plot_score(X, X, 0, n - 1, tokens),
        "plot_value_plane": lambda: plotting.plot_value_plane(
            X[:, :2], weights @ X[:, :2], tokens, value_names="ab", title="平面"
        ),
        "plot_bars": lambda: plotting.plot_bars(
            {"a": weights[0], "b": weights[1]}, title="柱", x_labels=tokens, **ends
        ),
        "plot_lines": lambda: plotting.plot_lines(
            np.arange(n), {"a": weights[0], "b": weights[1]}, title="线", **ends
        ),
    }


def _bare_png(n: int, size) -> None:
    figure = Figure(figsize=size, dpi=2 * DPI)
    FigureCanvasAgg(figure)
    figure.subplots().imshow(np.random.default_rng(0).normal(size=(n, n)))
    figure.savefig(io.BytesIO(), format="png")

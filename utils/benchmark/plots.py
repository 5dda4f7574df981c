"""每个画图函数画一张图（PNG）的时间，对照同样大小、同样数据的 matplotlib 图。"""

import io
from collections.abc import Callable, Iterator

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from utils import plotting
from utils.benchmark.table import Row
from utils.benchmark.timing import side_by_side
from utils.plotting.style import DPI, course_context

LARGE = 512  # 个词元
LIMIT = 2.0  # 倍，大图


def measure(repeats: int) -> Iterator[Row]:
    """每个函数两行：3 个词元和 512 个词元；大图有要求。"""
    for n, limit in ((3, None), (LARGE, LIMIT)):
        for name, draw, bare in _figures(n):
            size = draw().get_size_inches()
            ours, theirs = side_by_side(
                lambda draw=draw: draw()._repr_png_(),
                lambda bare=bare, size=size: _bare_png(bare, size),
                repeats=repeats,
            )
            yield Row(f"{name}，{n} 个词元", ours, theirs, limit=limit)


def _figures(n: int) -> Iterator[tuple[str, Callable, list[Callable]]]:
    """（函数名，我们的图，对照：一个坐标系怎样画，一项一个）。"""
    rng = np.random.default_rng(0)
    tokens = [f"词{i}" for i in range(n)]
    M = rng.random((n, n))
    weights = M / M.sum(axis=1, keepdims=True)
    Q, K, V = (rng.standard_normal((n, d)) for d in (8, 8, 2))
    x = np.arange(1, n + 1)

    def maps(*arrays):
        return [lambda ax, array=array: ax.imshow(array) for array in arrays]

    names = {"row_labels": tokens, "col_labels": tokens}
    axes = {"title": "图", "x_name": "x", "y_name": "y"}
    yield "plot_matrix", lambda: plotting.plot_matrix(M, title="M", **names), maps(M)
    yield "plot_weights", lambda: plotting.plot_weights(weights, tokens, title="权重"), maps(weights)
    yield "plot_matrices", lambda: plotting.plot_matrices({"A": M, "B": weights}), maps(M, weights)
    yield "plot_score", lambda: plotting.plot_score(Q, K, 0, 1, tokens), maps(Q, K, Q[:1], K[:1], Q[:1])
    yield (
        "plot_value_plane",
        lambda: plotting.plot_value_plane(V, weights @ V, tokens, value_names=["a", "b"], title="平面"),
        [lambda ax: ax.scatter(*V.T)],
    )
    yield (
        "plot_lines",
        lambda: plotting.plot_lines(x, {"a": M[0], "b": M[1]}, **axes),
        [lambda ax: ax.plot(x, M[0], x, M[1])],
    )
    yield "plot_bars", lambda: plotting.plot_bars({"a": M[0]}, **axes), [lambda ax: ax.bar(x, M[0])]


@course_context()
def _bare_png(panels: list[Callable], size) -> None:
    figure = Figure(figsize=size, dpi=2 * DPI)
    FigureCanvasAgg(figure)
    for ax, panel in zip(figure.subplots(1, len(panels), squeeze=False).flat, panels, strict=True):
        panel(ax)
    figure.savefig(io.BytesIO(), format="png")

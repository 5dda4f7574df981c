"""量画图的速度：一张 512 个词元的图，用时是同样大小的一张 matplotlib imshow 的几倍。"""

import io
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from utils import plotting


def large_pictures(n: int = 512) -> dict[str, Callable[[], plotting.CourseFigure]]:
    """每个收词元的画图函数各一张 n 个词元的图：{函数名: 画它}。种子固定。"""
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
            scores, title="分数", row_labels=tokens, col_labels=tokens, outline=[("row", 3)]
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


def picture_ratio(make: Callable[[], plotting.CourseFigure], n: int = 512, times: int = 5) -> float:
    """make 画一张图、存成 PNG 的时间，除以同样大小的一张 n × n imshow 的时间；轮流量，各取中位数。"""
    values = np.random.default_rng(0).normal(size=(n, n))
    size = make().get_size_inches()

    def bare():
        figure = Figure(figsize=size, dpi=100)
        FigureCanvasAgg(figure)
        figure.subplots().imshow(values)
        figure.savefig(io.BytesIO(), format="png", dpi=200)

    seconds = {bare: [], make: []}
    for _ in range(times + 1):
        for draw in seconds:
            start = time.process_time()
            figure = draw()
            if figure is not None:
                figure._repr_png_()
            seconds[draw].append(time.process_time() - start)
    ours, theirs = (median(seconds[draw][1:]) for draw in (make, bare))  # 第一次不算：要装字体
    return ours / theirs

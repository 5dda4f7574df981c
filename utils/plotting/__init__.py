"""画：课程里的每一张图。

    热力图、矩阵并排、拆开一个分数   heatmaps.py     plot_matrix  plot_weights  plot_matrices  plot_score
    平面上的值与输出                 plane.py        plot_value_plane
    一对数画成箭头                   arrows.py       plot_arrows
    折线、柱                         charts.py       plot_lines  plot_bars
    五个步骤的地图                   pipeline.py     plot_pipeline
    一个块的地图、全部的头           block.py        plot_block  plot_all_heads

    矩阵怎样排成一张图               layout.py
    一个矩阵画成什么样               panel.py
    图、它的 PNG 和替代文字          figure.py       CourseFigure
    从画好的图里读回描述             description.py  describe
    量文字、截短、折行               text.py
    字体、颜色、笔记本的显示         style.py        use_course_style  QKV_COLORS  text_color

每个函数返回一张 `CourseFigure`，不用 pyplot。它的 `repr` 是一段中文描述，由 `describe` 从**画好的图**里
读回来（不看函数的参数），所以图画错了，描述也跟着错：nbval 比对这段文字，读屏软件念的也是它。
下面的文件不导入上面的文件。
"""
# ruff: noqa: E402

import logging

# 必须在导入 matplotlib 之前：建字体缓存、配置目录不可写时，它会往 stderr 写字，写进笔记本的输出里。
logging.getLogger("matplotlib").setLevel(logging.ERROR)

from utils.plotting.arrows import plot_arrows
from utils.plotting.block import plot_all_heads, plot_block
from utils.plotting.charts import plot_bars, plot_lines
from utils.plotting.description import describe
from utils.plotting.figure import CourseFigure
from utils.plotting.heatmaps import plot_matrices, plot_matrix, plot_score, plot_weights
from utils.plotting.pipeline import plot_pipeline
from utils.plotting.plane import plot_value_plane
from utils.plotting.shares import plot_shares
from utils.plotting.style import QKV_COLORS, text_color, use_course_style

__all__ = [
    "QKV_COLORS",
    "CourseFigure",
    "describe",
    "plot_all_heads",
    "plot_arrows",
    "plot_bars",
    "plot_block",
    "plot_lines",
    "plot_matrices",
    "plot_matrix",
    "plot_pipeline",
    "plot_score",
    "plot_shares",
    "plot_value_plane",
    "plot_weights",
    "text_color",
    "use_course_style",
]

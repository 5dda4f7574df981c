"""画：课程里的每一张图。

每个函数返回一张 `CourseFigure`。它的 `repr` 是一段中文描述，由 `describe` 从**画好的图**里读回来
（不看函数的参数），所以图画错了，描述也跟着错：nbval 比对这段文字，读屏软件念的也是它。

本文件不计算注意力，不用 pyplot（因此图不会显示两次，也没有要关闭的状态）。
所有版面都以 CSS 像素计算：图按 100 dpi 排版，按 200 dpi 存成 PNG，最宽 640 像素。
"""

import base64
import functools
import importlib.util
import io
import itertools
import logging
import re
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

# 必须在导入 matplotlib 之前：建字体缓存、配置目录不可写时，它会往 stderr 写字，写进笔记本的输出里。
logging.getLogger("matplotlib").setLevel(logging.ERROR)

import matplotlib as mpl  # noqa: E402
from matplotlib import font_manager, patheffects  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg  # noqa: E402
from matplotlib.cm import ScalarMappable  # noqa: E402
from matplotlib.collections import PathCollection  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex, to_rgb  # noqa: E402
from matplotlib.container import BarContainer  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle  # noqa: E402
from matplotlib.path import Path as Curve  # noqa: E402
from matplotlib.ticker import MaxNLocator, NullLocator  # noqa: E402

QKV_COLORS = {"Q": "#0072B2", "K": "#D55E00", "V": "#009E73"}
"""查询、键、值在全课程里的固定颜色（Okabe–Ito 色盲安全色）。写字时用 `text_color` 加深。"""

SIGNED_MAP = "RdBu"  # 红为负、白为 0、蓝为正；色盲可辨
WEIGHTS_MAP = "cividis"  # 深蓝为 0、黄为 1；色盲可辨，灰度下单调
MASKED_COLOR = "#BDBDBD"  # 被遮住的键（−∞）
LIT_COLOR = "#FFE9A8"  # plot_pipeline 里点亮的一步

MAX_WIDTH = 640  # CSS 像素
TITLE, BASE, SMALL = 15, 13, 11  # 字号，单位 pt；没有比 SMALL 更小的字
CELL = 48  # 一格的边长，CSS 像素；放不下时缩小
PAD = 14  # 图四周的留白，CSS 像素
MAX_NUMBERED = 12  # 行或列多于它，就不在格子里写数
DPI = 100
INK, GREY = "#222222", "#595959"

FONTS = ["Noto Sans SC", "DejaVu Sans"]
_STYLE = {
    "font.family": FONTS,
    "font.size": BASE,
    "axes.titlesize": TITLE,
    "axes.labelsize": BASE,
    "xtick.labelsize": BASE,
    "ytick.labelsize": BASE,
    "legend.fontsize": BASE,
    "figure.titlesize": TITLE,
    "figure.dpi": DPI,
    "text.parse_math": False,  # 词元里的 $ _ ^ \ 按原样画
    "mathtext.fontset": "stix",
    "text.hinting": "none",  # 2 倍像素下不需要微调字形；画得快，字宽也不随字号跳
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.edgecolor": "#8C8C8C",
    "xtick.color": "#8C8C8C",
    "ytick.color": "#8C8C8C",
}


# ---------------------------------------------------------------- 字体与样式


@functools.cache
def _load_fonts():
    """登记 zhplot 自带的 Noto Sans SC（一次）。只取文件，不导入 zhplot：导入它会改全局设置。"""
    spec = importlib.util.find_spec("zhplot")
    if spec is None:
        raise ImportError("缺少中文字体包 zhplot。请先运行：pip install -r requirements.txt")
    path = Path(spec.origin).parent / "fonts" / "NotoSansSC-Regular.ttf"
    manager = font_manager.fontManager
    # 系统里若有同名字体（别的版本、别的字重），画出来会不一样：只留这一个文件。
    manager.ttflist = [entry for entry in manager.ttflist if entry.name != FONTS[0]]
    manager.addfont(path)


def use_course_style():
    """每本笔记开头调用一次：登记中文字体，设定字号和颜色，让数组显示 4 位小数。

    不打印任何东西。忘了调用也没关系：本文件的图自带样式，只是你自己用 matplotlib 画的图会缺中文字体。
    """
    _load_fonts()
    mpl.rcParams.update(_STYLE)
    np.set_printoptions(precision=4, suppress=True)


@functools.cache
def _style():
    """matplotlib 的出厂设置加上课程样式：无论读者改过什么 rcParams，图都一样。"""
    kept = ("backend", "interactive", "toolbar", "webagg")  # 与画面无关，属于读者的环境
    defaults = {key: value for key, value in dict.items(mpl.rcParamsDefault) if not key.startswith(kept)}
    return {**defaults, **_STYLE, "font.family": list(FONTS)}


@contextmanager
def _course_context():
    """在课程样式里画。表情符号等两种字体都没有的字，安静地画成方框，不发警告。"""
    _load_fonts()
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        dict.update(mpl.rcParams, _style())  # 值早已校验过；逐项再校验要多花几毫秒
        yield


def _drawn_in_style(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with _course_context():
            return function(*args, **kwargs)

    return wrapper


class CourseFigure(Figure):
    """不经过 pyplot 的图。`repr` 是从画好的图里读回来的中文描述，也就是它的替代文字（alt）。"""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        FigureCanvasAgg(self)
        _register_with_ipython()

    def draw(self, renderer):
        with _course_context():
            super().draw(renderer)

    def get_tightbbox(self, *args, **kwargs):
        with _course_context():
            return super().get_tightbbox(*args, **kwargs)

    def __repr__(self):
        return describe(self)

    __str__ = __repr__

    def _png(self):
        """PNG 字节（200 dpi）和以 CSS 像素计的宽高。"""
        buffer = io.BytesIO()
        # 去掉写有版本号的元数据，同样的图总是同样的字节。
        self.savefig(
            buffer,
            format="png",
            dpi=2 * DPI,
            facecolor="white",
            metadata={"Software": None},
            pil_kwargs={"compress_level": 4},  # 比默认的 6 快三分之一，只大百分之一
        )
        width, height = (round(inches * DPI) for inches in self.get_size_inches())
        return buffer.getvalue(), {"width": width, "height": height}

    def _repr_mimebundle_(self, include=None, exclude=None):
        png, size = self._png()
        data = {"image/png": base64.b64encode(png).decode("ascii"), "text/plain": repr(self)}
        return data, {"image/png": size}


def _register_with_ipython():
    """读者自己用了 pyplot 时，inline 后端会给所有 Figure 登记它的画法，排在 `_repr_mimebundle_` 前面；
    给 CourseFigure 登记更具体的画法，就轮不到它。"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        return
    for mime, formatter in shell.display_formatter.formatters.items():
        if mime == "image/png":
            formatter.for_type(CourseFigure, CourseFigure._png)
        elif mime.startswith("image/") or mime == "application/pdf":
            formatter.for_type(CourseFigure, lambda figure: None)


# ---------------------------------------------------------------- 颜色、数字、文字


@functools.cache
def _colormap(kind):
    if kind == "weights":
        colormap = mpl.colormaps[WEIGHTS_MAP]
    else:  # 去掉两头最深的颜色：0 和 1 组成的矩阵不会变成一片深蓝
        middle = mpl.colormaps[SIGNED_MAP](np.linspace(0.14, 0.86, 257))
        colormap = LinearSegmentedColormap.from_list(SIGNED_MAP, middle, N=257)
    return colormap.with_extremes(bad=MASKED_COLOR)


def _luminance(color):
    """WCAG 2.2 的相对亮度，0 到 1。"""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def _number_color(background):
    """黑或白，取对比度大的一个；对任何底色都不低于 4.58（WCAG AA 要求 4.5）。"""
    light = _luminance(background)
    return "black" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "white"


def text_color(color, background="white"):
    """把颜色加深到在浅色底上写字够清楚（WCAG 对比度 ≥ 4.5）；够深的颜色原样返回。"""
    rgb = np.array(to_rgb(color))
    while (_luminance(background) + 0.05) / (_luminance(to_hex(rgb)) + 0.05) < 4.5:
        rgb = rgb * 0.98
    return to_hex(rgb)


def _steady(value):
    """抹掉最后几位的浮点误差，使 0.125 在每台电脑上都朝同一边舍入。"""
    return float(f"{value:.10g}")


def _decimals(values):
    """整数 0 位，一位小数 1 位，其余 2 位；全都很小时多给几位。"""
    values = np.abs(np.asarray(values, float)).ravel()
    values = values[np.isfinite(values)]
    for places in (0, 1, 2):
        if np.allclose(values, np.round(values, places), rtol=0, atol=1e-9):
            return places
    largest = values.max()
    return 2 if largest >= 0.05 else min(6, 1 - int(np.floor(np.log10(largest))))


def _format(value, places):
    """一个数的写法：真正的负号，没有 −0；−∞ 是被遮住的键。"""
    if np.isneginf(value):
        return "−∞"
    text = f"{_steady(value):.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


@functools.lru_cache(maxsize=8192)
def _text_size(text, size):
    """一段文字画出来的 (宽, 高)，CSS 像素；多行取最宽的一行。"""
    lines = text.split("\n")
    font = font_manager.FontProperties(family=FONTS, size=size)
    renderer = _measuring_renderer()
    width = max(renderer.get_text_width_height_descent(line, font, False)[0] for line in lines)
    return width, len(lines) * size * DPI / 72 * 1.25


@functools.cache
def _measuring_renderer():
    return RendererAgg(1, 1, DPI)


def _width(texts, size):
    return max((_text_size(text, size)[0] for text in texts), default=0)


def _shorten(text, size, limit):
    """太长的标签截短，末尾加省略号。换行等控制字符画不出来，换成空格。"""
    text = re.sub(r"[\x00-\x1f\x7f]", " ", str(text))
    if _text_size(text, size)[0] <= limit:
        return text
    while text and _text_size(text + "…", size)[0] > limit:
        text = text[:-1]
    return text + "…"


def _wrap(text, size, limit):
    """折行：中文在任意两字之间，西文在空格处，形状不拆开；标点不放在行首。"""
    lines, line = [], ""
    for piece in re.findall(r"\(\d+, \d+\)|[!-~ᵀ−√·]+|.", str(text)):
        if (
            line
            and piece not in "，。；：、）」！？"
            and _text_size((line + piece).rstrip(), size)[0] > limit
        ):
            lines.append(line.rstrip())
            line = ""
        line = (line + piece).lstrip() if not line else line + piece
    return "\n".join([*lines, line.rstrip()])


def _qkv_color(name):
    """名字以 Q、K、V 或 W_Q、W_K、W_V 开头的矩阵有固定的颜色；QKᵀ 不是其中之一。"""
    match = re.match(r"(?:W_)?([QKV])(?![A-Za-z0-9])", name)
    return QKV_COLORS[match[1]] if match else None


# ---------------------------------------------------------------- 检查输入


def _matrix(M, name, allow_masked=True):
    if hasattr(M, "detach"):
        M = M.detach().numpy()
    try:
        array = np.array(M, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} 必须是由数组成的矩阵，每一行一样长；收到 {type(M).__name__}。") from error
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"{name} 必须是二维、不空的矩阵，形状像 (3, 4)；收到的形状是 {array.shape}。"
            "只有一行时写成 M[None, :]，形状就是 (1, n)。"
        )
    if np.isnan(array).any() or np.isposinf(array).any() or (not allow_masked and np.isneginf(array).any()):
        rule = "只能有有限的数，或表示遮住的 −∞" if allow_masked else "只能有有限的数"
        raise ValueError(f"{name}（形状 {array.shape}）里{rule}；收到了 NaN 或 ∞。请先检查上一步的计算。")
    return array


def _labels(labels, count, what, shape):
    if labels is None:
        return None
    labels = [str(label) for label in labels]
    if len(labels) != count:
        raise ValueError(
            f"{what}的标签要一{what}一个：矩阵的形状是 {shape}，有 {count} {what}；"
            f"收到的标签形状是 ({len(labels)},)：{'、'.join(labels[:8])}。"
            "请补齐或去掉多出的标签，或检查矩阵是否转置了。"
        )
    return labels


def _weights(weights, name="weights"):
    array = _matrix(weights, name, allow_masked=False)
    if array.min() < -1e-9 or array.max() > 1 + 1e-9:
        raise ValueError(
            f"{name}（形状 {array.shape}）是注意力权重，每个数都要在 0 到 1 之间；"
            f"收到的数从 {_num(array.min())} 到 {_num(array.max())}。先做 softmax；要画分数请用 plot_matrix。"
        )
    return array


def _outlines(outline, shape):
    """("row", i)、("col", j)、("cell", i, j) -> (左, 上, 宽, 高)，单位是格。"""
    rows, cols = shape
    if outline and isinstance(outline[0], str):
        outline = [outline]
    boxes = []
    for item in outline or ():
        match item:
            case ("row", i) if 0 <= i < rows:
                boxes.append((0, i, cols, 1))
            case ("col", j) if 0 <= j < cols:
                boxes.append((j, 0, 1, rows))
            case ("cell", i, j) if 0 <= i < rows and 0 <= j < cols:
                boxes.append((j, i, 1, 1))
            case _:
                raise ValueError(
                    "outline 里只能写 ('row', i)、('col', j)、('cell', i, j)，"
                    f"序号从 0 起、不超出形状 {shape}；收到 {item!r}。"
                )
    return boxes


# ---------------------------------------------------------------- 矩阵图的版面


@dataclass
class _Panel:
    """一个矩阵和它四周的字。长度都是 CSS 像素。"""

    array: np.ndarray
    title: str
    kind: str = "signed"
    row_labels: list | None = None
    col_labels: list | None = None
    row_name: str = ""
    col_name: str = ""
    color: str | None = None
    outline: list = field(default_factory=list)
    sums: bool = False
    title_size: float = BASE
    min_left: float = 0.0
    places: int = 0
    numbered: bool = True

    def __post_init__(self):
        self.places = _decimals(self.array)
        self.numbered = max(self.array.shape) <= MAX_NUMBERED
        rows, cols = self.array.shape
        if not self.numbered:  # 没有标签的大图至少给出序号
            self.row_labels = self.row_labels or [str(i) for i in range(rows)]
            self.col_labels = self.col_labels or [str(j) for j in range(cols)]
        self.full_row_labels = self.row_labels
        self.shorten_labels(150)
        self.col_labels = self.col_labels and [_shorten(t, BASE, 110) for t in self.col_labels]

    def shorten_labels(self, limit):
        """行标签最长 limit 像素。"""
        self.row_labels = self.full_row_labels and [_shorten(t, BASE, limit) for t in self.full_row_labels]

    def confused_labels(self):
        return len(set(self.row_labels or ())) < len(set(self.full_row_labels or ()))

    def texts(self):
        return [[_format(value, self.places) for value in row] for row in self.array]

    def sum_texts(self):
        places = self.places if self.numbered else 2
        return [[_format(v, places) for v in self.array.sum(axis=axis)] for axis in (1, 0)]

    def number_width(self, size):
        flat = list(itertools.chain.from_iterable(self.texts()))
        if self.sums:
            flat += self.sum_texts()[1]
        # 数字一样宽：只量每种写法一次
        return _width({re.sub("[0-9]", "0", text) for text in flat}, size)

    def vertical_sums(self, cell):
        return _width(self.sum_texts()[1], SMALL) > cell[0] - 2

    def label_width(self):
        """矩阵左边、行的名字右边的字（行标签，有时还有「列和」）占多宽。"""
        width = _width(self.row_labels, BASE) + 8 if self.row_labels else 0
        return max(width, _text_size("列和", BASE)[0] + 8) if self.sums else width

    def names_width(self):
        return self.label_width() + (30 if self.row_name else 0)

    def measure(self, cell):
        """(左, 上, 右, 下) 四边要留的宽度和矩阵本身的 (宽, 高)。"""
        rows, cols = self.array.shape
        width, height = cols * cell[0], rows * cell[1]
        left = max(self.min_left, self.names_width())
        right = bottom = 0.0
        top = self.column_height(cell) + (28 if self.col_name else 0)
        if self.sums:
            row_sums, col_sums = self.sum_texts()
            right += _width([*row_sums, "行和"], BASE) + 14
            bottom += _width(col_sums, SMALL) + 12 if self.vertical_sums(cell) else 30
        overhang = max(0, _text_size(self.row_name, BASE)[0] - height) if self.row_name else 0
        below = overhang if self.name_hangs_down(cell) else overhang / 2
        top, bottom = max(top, overhang - below), max(bottom, below)
        if self.title:
            top += _text_size(self.title, self.title_size)[1] + (10 if self.color else 8)
        name = (_text_size(self.col_name, BASE)[0] - width) / 2 if self.col_name else 0
        left, right = max(left, name), max(right, name)
        title = (_text_size(self.title, self.title_size)[0] - left - width - right) / 2
        return left + max(title, 0), top, right + max(title, 0), bottom, width, height

    def name_hangs_down(self, cell):
        """很小的矩阵：行的名字比矩阵高、列的名字比矩阵宽时，前者与矩阵上边对齐，免得两个名字相碰。"""
        spill = (
            (_text_size(self.col_name, BASE)[0] - self.array.shape[1] * cell[0]) / 2 if self.col_name else 0
        )
        tall = bool(self.row_name) and _text_size(self.row_name, BASE)[0] > len(self.array) * cell[1]
        return tall and spill > self.label_width()

    def column_labels(self, cell):
        step = _tick_step(len(self.array[0]), cell[0])
        return [_narrow(label, cell[0] * step - 6) for label in self.col_labels[::step]]

    def column_height(self, cell):
        return max(height for _, _, height in self.column_labels(cell)) + 8 if self.col_labels else 0


def _narrow(label, room):
    """列标签的写法 (文字, 转角, 高度)：放得下就横写；短的中文一字一行竖写；其余转 90 度。"""
    width = _text_size(label, BASE)[0]
    if width <= room:
        return label, 0, 20
    pieces = re.findall(r"[!-~]+|.", label)
    if len(pieces) <= 4 and not label.isascii() and _width(pieces, BASE) <= room + 4:
        return "\n".join(pieces), 0, 20 * len(pieces)
    return label, 90, width


def _write_labels(axis, positions, labels):
    """把 `_narrow` 排好的标签写到刻度上。"""
    axis.set_ticks(positions, labels=[text for text, _, _ in labels])
    for tick, (_, rotation, _) in zip(axis.get_major_ticks(), labels, strict=True):
        for label in (tick.label1, tick.label2):
            label.set(rotation=rotation, linespacing=1.0)


def _tick_step(count, cell):
    """标签太密时每隔几个写一个。"""
    if cell >= 20:
        return 1
    return next((step for step in (2, 4, 5, 8, 10, 16, 20, 32, 50, 100) if step * cell >= 24), count)


_OPERATOR_WIDTH = 34
_GAP = 22


def _row_width(row, cell):
    total = 0.0
    for before, item in zip([None, *row], row, strict=False):
        if isinstance(item, str):
            total += _OPERATOR_WIDTH
        else:
            left, _, right, _, width, _ = item.measure(cell)
            total += left + width + right + (_GAP if isinstance(before, _Panel) else 0)
    return total


def _fit(rows):
    """给一张图选格子大小和数字的字号。

    一行放不下时，依次：缩小格子、折成几行、截短行标签、少写小数，最后不写数。
    返回 (rows, (格宽, 格高), 字号)。
    """
    room = MAX_WIDTH - 2 * PAD
    panels = [item for row in rows for item in row if isinstance(item, _Panel)]
    if not all(panel.numbered for panel in panels):
        return _fit_unnumbered(rows, panels, room)
    for limit, rows_now in ((150, rows), (150, _fold(rows)), (90, _fold(rows)), (56, _fold(rows))):
        for panel in panels:
            panel.shorten_labels(limit)
        if any(panel.confused_labels() for panel in panels):
            continue  # 截短后分不清谁是谁，不如少写一位小数
        for size, spare in ((BASE, 9), (12, 9), (SMALL, 5)):
            needed = max(panel.number_width(size) for panel in panels) + spare
            cell = max(CELL, needed)
            while cell > needed and max(_row_width(row, (cell, CELL)) for row in rows_now) > room:
                cell = max(needed, cell - 1)
            if max(_row_width(row, (cell, CELL)) for row in rows_now) <= room:
                return rows_now, (cell, min(cell, CELL)), size
    for panel in panels:
        if panel.places == 0:
            panel.numbered = False
        panel.places = max(0, panel.places - 1)
    return _fit(rows)


_BAR = 84  # 不写数的图右边有颜色条


def _fit_unnumbered(rows, panels, room):
    for panel in panels:
        panel.numbered = False
    rows = _fold(rows, 6) if sum(panel.array.shape[1] for panel in panels) > 90 else rows
    cell = CELL / 2 if max(max(panel.array.shape) for panel in panels) > 20 else 28
    while cell > 0.5 and max(_row_width(row, (cell, cell)) for row in rows) > room - _BAR:
        cell -= 0.25
    tallest = max(len(panel.array) for panel in panels)
    high = min(cell, 480 / tallest)
    # 很扁、很窄的矩阵：格子不再是正方形，但看得清
    widest = max(panel.array.shape[1] for panel in panels)
    return rows, (min(cell, max(high, 60 / widest)), max(high, 60 / tallest)), SMALL


def _fold(rows, cell=CELL):
    """每个矩阵（连同它后面的运算符）自成一行中的一项，贪心地排进宽度里。"""
    folded = []
    for row in rows:
        groups = []
        for item in row:
            if isinstance(item, str) and groups:
                groups[-1].append(item)
            else:
                groups.append([item])
        line = []
        for group in groups:
            if line and _row_width([*line, *group], (cell, cell)) > MAX_WIDTH - 2 * PAD:
                folded.append(line)
                line = []
            line = [*line, *group]
        folded.append(line)
    return folded


def _compose(rows, *, title="", limit=1.0, footer=()):
    """把一行行的矩阵和运算符排成一张图；所有矩阵共用一个颜色范围。"""
    rows, cell, size = _fit(rows)
    panels = [item for row in rows for item in row if isinstance(item, _Panel)]
    title = _wrap(title, TITLE, MAX_WIDTH - 2 * PAD) if title else ""
    alone = [row[0] for row in rows if len(row) == 1]
    for panel in alone:  # 上下排列的矩阵左边对齐
        panel.min_left = max(other.names_width() for other in alone)
    heights = []
    for row in rows:
        boxes = [item.measure(cell) for item in row if isinstance(item, _Panel)]
        above = max(top + height / 2 for _, top, _, _, _, height in boxes)
        below = max(bottom + height / 2 for _, _, _, bottom, _, height in boxes)
        heights.append((above, below))
    # 没有标题的一行（plot_score 的三条）离上一行近一些
    gaps = [
        10 if len(above) == len(below) == 1 and not below[0].title else 26 for above, below in pairwise(rows)
    ]
    gaps = [*gaps, 0]
    bar = 0 if panels[0].numbered else _BAR
    content = max(_row_width(row, cell) for row in rows) + bar
    width = 2 * PAD + max(content, _width(title.split("\n"), TITLE), _width(footer, BASE))
    title_height = _text_size(title, TITLE)[1] + 12 if title else 0
    height = 2 * PAD + title_height + sum(a + b for a, b in heights) + sum(gaps)
    height += 26 * len(footer) + (8 if footer else 0)
    figure = _new_figure(width, height)
    if title:
        _suptitle(figure, title)
    y = PAD + title_height
    for row, (above, below), gap in zip(rows, heights, gaps, strict=True):
        middle = y + above
        x = (figure.bbox.width - _row_width(row, cell) - bar) / 2
        before = None
        for item in row:
            if isinstance(item, str):
                _figure_text(figure, x + _OPERATOR_WIDTH / 2, middle, item, TITLE)
                x += _OPERATOR_WIDTH
            else:
                left, _, right, _, w, h = item.measure(cell)
                x += left + (_GAP if isinstance(before, _Panel) else 0)
                axes = _place(figure, x, middle - h / 2, w, h)
                image = _draw_panel(axes, item, cell, size, limit)
                x += w + right
            before = item
        y = middle + below + gap
    if bar:
        axes = _place(figure, figure.bbox.width - PAD - _BAR + 20, middle - h / 2, 12, h)
        norm = image.norm
        colorbar = figure.colorbar(ScalarMappable(norm, image.cmap), cax=axes)
        ticks = [norm.vmin, (norm.vmin + norm.vmax) / 2, norm.vmax] if h > 90 else [norm.vmin, norm.vmax]
        colorbar.set_ticks(ticks, labels=[_number_label(float(f"{tick:.3g}")) for tick in ticks])
        colorbar.outline.set_visible(False)
    y = figure.bbox.height - PAD - 26 * len(footer) + 13
    for line in footer:
        _figure_text(figure, figure.bbox.width / 2, y, line, BASE)
        y += 26
    return figure


def _new_figure(width, height):
    # 取偶数像素：缩放到任何屏幕都没有半个像素
    width, height = (2 * round(length / 2 + 0.49) for length in (width, height))
    return CourseFigure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="white")


def _place(figure, x, y, width, height):
    """在图的 (x, y) 处（左上角起，CSS 像素）放一个坐标系。"""
    w, h = figure.bbox.width, figure.bbox.height
    return figure.add_axes((x / w, 1 - (y + height) / h, width / w, height / h))


def _figure_text(figure, x, y, text, size, color=INK):
    w, h = figure.bbox.width, figure.bbox.height
    figure.text(x / w, 1 - y / h, text, size=size, color=color, ha="center", va="center")


def _suptitle(figure, title, center=None):
    """总标题，居中在 center（默认图的中线）；放不下就往里挪。"""
    width, half = figure.bbox.width, _text_size(title, TITLE)[0] / 2 + PAD
    center = max(half, min(width / 2 if center is None else center, width - half))
    figure.suptitle(
        title, x=center / width, y=1 - PAD / figure.bbox.height, va="top", ha="center", linespacing=1.2
    )


def _draw_panel(axes, panel, cell, size, limit):
    rows, cols = panel.array.shape
    signed = panel.kind == "signed"
    norm = Normalize(-limit if signed else 0, limit)
    image = axes.imshow(
        np.ma.masked_invalid(panel.array),
        cmap=_colormap(panel.kind),
        norm=norm,
        aspect="auto",
        interpolation="nearest",
    )
    frame = panel.color or "#8C8C8C"
    for spine in axes.spines.values():
        spine.set(edgecolor=frame, linewidth=2 if panel.color else 0.8)
    axes.tick_params(length=0, pad=6)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    step = _tick_step(rows, cell[1])
    axes.set_yticks(range(0, rows, step) if panel.row_labels else [], labels=(panel.row_labels or [])[::step])
    labels = panel.column_labels(cell) if panel.col_labels else []
    _write_labels(axes.xaxis, range(0, cols, _tick_step(cols, cell[0])) if labels else [], labels)
    left, top, right, _, width, height = panel.measure(cell)
    axes.set_xlabel(panel.col_name, va="center")
    axes.xaxis.set_label_coords(0.5, 1 + (panel.column_height(cell) + 14) / height)
    axes.set_ylabel(panel.row_name, va="center")
    hang = panel.name_hangs_down(cell)
    middle = 1 - _text_size(panel.row_name, BASE)[0] / 2 / height if hang else 0.5
    axes.yaxis.set_label_coords(-(panel.label_width() + 17) / width, middle)
    if panel.title:
        title_width, title_height = _text_size(panel.title, panel.title_size)
        half = title_width / 2
        # 在矩阵上方居中；太宽就往左右借标签的地方
        x = min(max(width / 2, half - left), width + right - half)
        color = text_color(panel.color) if panel.color else INK
        y = 1 + (top - title_height) / height
        axes.set_title(
            panel.title, size=panel.title_size, color=color, x=x / width, y=y, pad=0, linespacing=1.2
        )
    if panel.numbered:
        if cell[0] >= 20:  # 格子之间的白线
            axes.xaxis.set_ticks(np.arange(cols - 1) + 0.5, minor=True)
            axes.yaxis.set_ticks(np.arange(rows - 1) + 0.5, minor=True)
            axes.grid(which="minor", color="white", linewidth=1.5)
            axes.tick_params(which="minor", length=0)
        faces = image.cmap(norm(image.get_array()))
        for (i, j), text in np.ndenumerate(np.array(panel.texts(), dtype=object)):
            color = _number_color(faces[i, j, :3])
            axes.text(j, i, text, ha="center", va="center_baseline", size=size, color=color)
    if panel.sums:
        row_sums, col_sums = panel.sum_texts()
        vertical = panel.vertical_sums(cell)
        depth = (_width(col_sums, SMALL) + 12) / 2 if vertical else 17
        right_x, below_y = cols - 0.5 + 12 / cell[0], rows - 0.5 + depth / cell[1]
        style = {"va": "center", "size": BASE, "color": GREY}
        for i in range(0, rows, _tick_step(rows, cell[1])):
            axes.text(right_x, i, row_sums[i], ha="left", **style)
        for j in range(0, cols, _tick_step(cols, cell[0])):
            rotation = 90 if vertical else 0
            axes.text(j, below_y, col_sums[j], ha="center", rotation=rotation, **style | {"size": size})
        axes.text(right_x, -0.5 - 18 / cell[1], "行和", ha="left", **style)
        axes.text(-0.5 - 8 / cell[0], below_y, "列和", ha="right", **style)
    for x, y, w, h in panel.outline:
        axes.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5),
                w,
                h,
                fill=False,
                edgecolor="black",
                linewidth=2.4,
                clip_on=False,
                zorder=5,
                joinstyle="miter",
                # 黑框外面描一圈白，深色格子上也看得见
                path_effects=[patheffects.withStroke(linewidth=4.4, foreground="white")],
            )
        )
    return image


def _limit(arrays, limit=None):
    if limit is not None:
        if not np.isfinite(limit) or limit <= 0:
            raise ValueError(f"limit 是颜色范围的一半，必须是大于 0 的数；收到 {limit}。")
        return float(limit)
    values = np.concatenate([np.abs(array[np.isfinite(array)]).ravel() for array in arrays])
    largest = _steady(values.max(initial=0.0))
    return largest or 1.0  # 全零（或全被遮住）的矩阵：白


def _shape_title(name, array):
    return f"{name} ({array.shape[0]}, {array.shape[1]})".strip()


# ---------------------------------------------------------------- 矩阵图


@_drawn_in_style
def plot_matrix(
    M,
    *,
    title,
    row_labels=None,
    col_labels=None,
    row_name=None,
    col_name=None,
    color=None,
    limit=None,
    outline=(),
):
    """一个可正可负的矩阵：红为负、白为 0、蓝为正，颜色范围关于 0 对称。

    参数
    - M: (行, 列)。−∞ 表示被遮住，画成灰格。
    - title: 标题；形状自动写在后面，如「Q (3, 4)」。
    - row_labels, col_labels: 每行、每列的名字。
    - row_name, col_name: 两个方向的名字，如「查询（谁在看）」「键（看向谁）」。
    - color: 边框和标题的颜色，如 `QKV_COLORS["Q"]`。
    - limit: 颜色从 −limit 到 limit；不给就取绝对值最大的数。
    - outline: 要框出的部分，如 [("row", 0), ("col", 2), ("cell", 0, 2)]，序号从 0 起。

    返回 `CourseFigure`。形状、标签数或 outline 不对时抛出 ValueError。
    """
    array = _matrix(M, "M")
    rows, cols = array.shape
    panel = _Panel(
        array,
        _wrap(_shape_title(title, array), TITLE, MAX_WIDTH - 2 * PAD),
        row_labels=_labels(row_labels, rows, "行", array.shape),
        col_labels=_labels(col_labels, cols, "列", array.shape),
        row_name=row_name or "",
        col_name=col_name or "",
        color=color,
        outline=_outlines(outline, array.shape),
        title_size=TITLE,
    )
    return _compose([[panel]], limit=_limit([array], limit))


@_drawn_in_style
def plot_weights(weights, tokens, *, title, key_tokens=None, show_sums=False):
    """注意力权重：行是查询（谁在看），列是键（看向谁），颜色总是从 0 到 1。

    参数
    - weights: (n_q, n_k)，每个数在 0 到 1 之间。不要求每行的和是 1：沿错方向做的 softmax 也能画出来看。
    - tokens: n_q 个查询词元；key_tokens: n_k 个键词元，不给就与 tokens 相同。
    - show_sums: 在右边写每行的和，在下边写每列的和。

    返回 `CourseFigure`。数值越界、词元个数不对时抛出 ValueError。
    """
    array = _weights(weights)
    panel = _Panel(
        array,
        _wrap(_shape_title(title, array), TITLE, MAX_WIDTH - 2 * PAD),
        kind="weights",
        row_labels=_labels(tokens, array.shape[0], "行", array.shape),
        col_labels=_labels(tokens if key_tokens is None else key_tokens, array.shape[1], "列", array.shape),
        row_name="查询（谁在看）",
        col_name="键（看向谁）",
        sums=show_sums,
        title_size=TITLE,
    )
    return _compose([[panel]])


@_drawn_in_style
def plot_matrices(
    panels, *, title=None, operators=(), row_labels=None, col_labels=None, outline=None, kind="signed"
):
    """几个矩阵并排，共用一个颜色范围，可以连成算式。

    参数
    - panels: {"X": X, "W_Q": W_Q, "Q": Q}。名字后面自动写形状；Q、K、V（和 W_Q 等）有固定的颜色。
    - operators: 画在相邻两个矩阵之间，如 ("@", "=")；个数比矩阵少 1，或者不给。
    - row_labels, col_labels, outline: {矩阵名: 标签或框}，写法同 `plot_matrix`。
    - kind: "signed"（红负蓝正，关于 0 对称）或 "weights"（0 到 1）。

    返回 `CourseFigure`。名字、个数或形状对不上时抛出 ValueError。
    """
    if kind not in ("signed", "weights"):
        raise ValueError(f'kind 只能是 "signed" 或 "weights"；收到 {kind!r}。')
    if not panels:
        raise ValueError("panels 里至少要有一个矩阵，如 {'Q': Q}；收到的是空的。")
    check = _matrix if kind == "signed" else _weights
    arrays = {name: check(M, name) for name, M in panels.items()}
    if operators and len(operators) != len(arrays) - 1:
        raise ValueError(
            f"运算符画在相邻两个矩阵之间：{len(arrays)} 个矩阵要 {len(arrays) - 1} 个运算符；"
            f"收到 {len(operators)} 个。"
        )
    extras = [row_labels or {}, col_labels or {}, outline or {}]
    for extra in extras:
        unknown = [name for name in extra if name not in arrays]
        if unknown:
            raise ValueError(
                f"没有叫 {'、'.join(unknown)} 的矩阵；panels 里有：{'、'.join(arrays)}。请核对名字。"
            )
    row = []
    for name, array in arrays.items():
        if row and operators:
            row.append(operators[len(row) // 2])
        row.append(
            _Panel(
                array,
                _shape_title(name, array),
                kind=kind,
                row_labels=_labels(extras[0].get(name), array.shape[0], "行", array.shape),
                col_labels=_labels(extras[1].get(name), array.shape[1], "列", array.shape),
                color=_qkv_color(name),
                outline=_outlines(extras[2].get(name), array.shape),
            )
        )
    limit = _limit(arrays.values()) if kind == "signed" else 1.0
    return _compose([row], title=title or "", limit=limit)


@_drawn_in_style
def plot_score(Q, K, query, key, tokens, *, key_tokens=None):
    """拆开一个注意力分数：Q 的一行、K 的一行，逐项相乘，再相加。

    参数
    - Q: (n_q, d_k)；K: (n_k, d_k)。
    - query, key: 第几个查询、第几个键，从 0 起。
    - tokens: n_q 个查询词元；key_tokens: n_k 个键词元，不给就与 tokens 相同。

    返回 `CourseFigure`。两个矩阵的列数不同、序号越界时抛出 ValueError。
    """
    Q, K = _matrix(Q, "Q", allow_masked=False), _matrix(K, "K", allow_masked=False)
    if Q.shape[1] != K.shape[1]:
        raise ValueError(
            f"Q 和 K 的列数（d_k）必须相同，才能逐项相乘；收到 Q {Q.shape}、K {K.shape}。"
            "请检查是否误用了转置，或两个投影矩阵的列数不同。"
        )
    query_tokens = _labels(tokens, len(Q), "行", Q.shape)
    key_tokens = _labels(tokens if key_tokens is None else key_tokens, len(K), "行", K.shape)
    if not (0 <= query < len(Q) and 0 <= key < len(K)):
        raise ValueError(
            f"query 要在 0 到 {len(Q) - 1} 之间、key 要在 0 到 {len(K) - 1} 之间"
            f"（Q {Q.shape}、K {K.shape}）；收到 query={query}、key={key}。"
        )
    products = Q[query] * K[key]
    top = [
        _Panel(Q, _shape_title("Q", Q), row_labels=query_tokens, color=QKV_COLORS["Q"]),
        _Panel(K, _shape_title("K", K), row_labels=key_tokens, color=QKV_COLORS["K"]),
    ]
    top[0].outline = _outlines(("row", query), Q.shape)
    top[1].outline = _outlines(("row", key), K.shape)
    names = [f"q {query_tokens[query]}", f"× k {key_tokens[key]}", "= 逐项的积"]
    strips = [
        _Panel(row[None, :], "", row_labels=[name], color=color)
        for row, name, color in zip(
            [Q[query], K[key], products], names, [QKV_COLORS["Q"], QKV_COLORS["K"], None], strict=True
        )
    ]
    places = max(strip.places for strip in strips)
    total = _format(products.sum(), places)
    terms = [_format(value, strips[2].places) for value in products]
    terms = [f"({term})" if term.startswith("−") and i else term for i, term in enumerate(terms)]
    footer = _wrap(f"相加：{' + '.join(terms)} = {total}", BASE, MAX_WIDTH - 2 * PAD).split("\n")
    if len(footer) > 2:
        footer = [f"相加：{len(terms)} 项之和 = {total}"]
    title = f"查询「{query_tokens[query]}」与键「{key_tokens[key]}」的分数：{total}"
    return _compose(
        [top, *[[strip] for strip in strips]], title=title, limit=_limit([Q, K, products]), footer=footer
    )


# ---------------------------------------------------------------- 五个步骤

# 步骤名、公式、得到什么、形状
_STEPS = [
    ("1 投影", None, "Q, K (n, d_k)", "V (n, d_v)"),
    ("2 打分", r"$QK^{\top}$", "scores", "(n, n)"),
    ("3 缩放", r"$\div\,\sqrt{d_k}$", "scaled_scores", "(n, n)"),
    ("4 softmax", "每行的和 = 1", "weights", "(n, n)"),
    ("5 加权求和", r"$\mathrm{weights}\;V$", "output", "(n, d_v)"),
]


@_drawn_in_style
def plot_pipeline(current=None):
    """自注意力的五个步骤：每一步的公式、结果的名字和形状；V 从第 1 步绕到第 5 步。

    - current: 点亮第几步（1 到 5）；None 表示都不点亮。

    返回 `CourseFigure`。序号不对时抛出 ValueError。
    来源：Vaswani et al. 2017, "Attention Is All You Need", 3.2.1 节，式 (1)。
    """
    if current is not None and current not in range(1, 6):
        raise ValueError(f"current 是步骤的序号，只能是 1、2、3、4、5 或 None；收到 {current!r}。")
    width, height = MAX_WIDTH, 298
    box, gaps, top, bottom = 104, (36, 21, 21, 21), 122, 230
    figure = _new_figure(width, height)
    _suptitle(figure, "自注意力的五个步骤")
    axes = _place(figure, 0, 0, figure.bbox.width, figure.bbox.height)
    axes.set(xlim=(0, figure.bbox.width), ylim=(figure.bbox.height, 0))
    axes.axis("off")
    lefts = [(width - 5 * box - sum(gaps)) / 2 + i * box + sum(gaps[:i]) for i in range(5)]
    centers = [left + box / 2 for left in lefts]
    colors = {name: text_color(color, LIT_COLOR) for name, color in QKV_COLORS.items()}

    def write(x, y, text, size=BASE, color=INK, **kwargs):
        return axes.text(x, y, text, size=size, color=color, **{"ha": "center", "va": "center"} | kwargs)

    def arrow(points, color="#6B6B6B"):
        axes.add_patch(
            FancyArrowPatch(
                path=Curve(points),
                arrowstyle="-|>,head_width=3.2,head_length=6",
                color=color,
                linewidth=1.8,
                shrinkA=0,
                shrinkB=0,
                joinstyle="round",
                zorder=1,
            )
        )

    middle = (top + bottom) / 2
    lines = [top + 47, top + 68, top + 89]  # 第 1 步里 Q、K、V 三行
    for number, (left, center, (name, formula, result, shape)) in enumerate(
        zip(lefts, centers, _STEPS, strict=True), start=1
    ):
        lit = number == current
        axes.add_patch(
            FancyBboxPatch(
                (left, top),
                box,
                bottom - top,
                boxstyle="round,pad=0,rounding_size=8",
                facecolor=LIT_COLOR if lit else "white",
                edgecolor=INK if lit else "#A6A6A6",
                linewidth=2.4 if lit else 1.2,
            )
        )
        ink = INK if lit or current is None else GREY
        label = write(center, top + 20, name, color=ink)
        if lit:  # 字体只有一种字重；描边当作粗体
            label.set_path_effects([patheffects.withStroke(linewidth=0.6, foreground=INK)])
        if formula is None:
            for y, letter in zip(lines, "QKV", strict=True):
                text = f"${letter} = X\\,W_{letter}$"
                write(center, y, text, 14, colors[letter], parse_math=True)
        else:
            math = formula.startswith("$")
            write(center, middle + 12, formula, 15 if math else SMALL, ink, parse_math=math)
        write(center, bottom + 18, result, SMALL, ink)
        write(center, bottom + 40, shape, SMALL, ink if number == 1 else GREY)
    arrow([(lefts[0] + box + 2, lines[0]), (lefts[1] - 2, lines[0])], QKV_COLORS["Q"])
    arrow([(lefts[0] + box + 2, lines[1]), (lefts[1] - 2, lines[1])], QKV_COLORS["K"])
    for i in (1, 2, 3):
        arrow([(lefts[i] + box + 2, middle), (lefts[i + 1] - 2, middle)])
    write(lefts[0], 58, "X (n, d_model)", SMALL, ha="left")
    write(lefts[4] + box, 58, "输出 (n, d_v)", SMALL, ha="right")
    enter, leave, lane = lefts[0] + 24, lefts[4] + box - 24, 92
    arrow([(enter, 70), (enter, top - 2)])
    arrow([(leave, top - 2), (leave, 70)])
    v_from, v_to = lefts[0] + box - 26, lefts[4] + 26
    arrow([(v_from, top - 2), (v_from, lane), (v_to, lane), (v_to, top - 2)], QKV_COLORS["V"])
    write(
        (v_from + v_to) / 2,
        lane,
        "V (n, d_v)",
        SMALL,
        colors["V"],
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 3},
    )
    return figure


# ---------------------------------------------------------------- 折线、柱、平面

_SERIES = [  # 颜色（Okabe–Ito）、记号、线型：黑白打印也分得开
    ("#0072B2", "o", "-"),
    ("#D55E00", "s", "--"),
    ("#009E73", "^", "-."),
    ("#8F4E74", "D", ":"),
    ("#000000", "v", "-"),
    ("#56B4E9", "P", "--"),
]


def _number_label(value):
    """刻度上的一个数：普通写法，太大太小时写成 10 的幂。"""
    if value and not 1e-4 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.2e}".split("e")
        mantissa = float(mantissa)
        power = "10" + str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
        return power if mantissa == 1 else f"{mantissa:g}×{power}".replace("-", "−")
    return f"{_steady(value):.10g}".replace("-", "−")


def _ticks(low, high, log, length, values=None):
    """刻度的位置：对数轴上是数据自己的位置（太密就隔几个），否则是整齐的数。"""
    if not log:
        ticks = MaxNLocator(max(2, int(length // 55)), steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return [tick for tick in ticks if low - 1e-9 <= tick <= high + 1e-9]
    if values is not None and len(values) <= 24:
        ticks = sorted(values)
    else:
        decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        ticks = [10.0**power for power in decades if low * 0.999 <= 10.0**power <= high * 1.001]
    for step in range(1, len(ticks) + 1):
        kept = ticks[::step]
        where = np.log(kept) / max(np.log(high / low), 1e-12) * length
        widths = np.array([_text_size(_number_label(t), BASE)[0] if values is not None else 20 for t in kept])
        if len(kept) < 2 or (np.diff(where) > (widths[1:] + widths[:-1]) / 2 + 8).all():
            return kept
    return ticks[:1]


def _set_ticks(axis, ticks):
    axis.set_ticks(ticks, labels=[_number_label(tick) for tick in ticks])
    axis.set_minor_locator(NullLocator())


def _tidy(axes):
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=4, pad=5)
    axes.set_axisbelow(True)


@_drawn_in_style
def plot_lines(x, series, *, title, x_name, y_name, log_x=False, log_y=False, markers=None):
    """折线图，每条线有自己的颜色、线型和记号。

    参数
    - x: (n,)；series: {名字: (n,)}。
    - log_x, log_y: 用对数刻度（数据必须大于 0）。
    - markers: {名字: matplotlib 的记号，如 "o"}；不给就自动分配，多于 40 个点时不画记号。

    返回 `CourseFigure`。长度不同、对数刻度下有不大于 0 的数时抛出 ValueError。
    """
    x = _row(x, "x")
    lines = {str(name): _row(values, str(name), missing=True) for name, values in series.items()}
    if not lines:
        raise ValueError("series 里至少要有一条线，如 {'缩放前': y}；收到的是空的。")
    for name, values in lines.items():
        if values.shape != x.shape:
            raise ValueError(
                f"每条线要与 x 一样长：x 的形状是 {x.shape}，「{name}」的形状是 {values.shape}。"
                "请让每个 x 对应一个 y。"
            )
    stacked = np.concatenate(list(lines.values()))
    finite = stacked[np.isfinite(stacked)]
    if not finite.size:
        raise ValueError(f"series 里没有一个有限的数可画；x 的形状是 {x.shape}。请检查前面的计算。")
    for axis, log, values in (("x", log_x, x), ("y", log_y, finite)):
        if log and values.min() <= 0:
            raise ValueError(
                f"log_{axis}=True 时 {axis} 必须大于 0；最小的是 {_num(values.min())}，形状 {values.shape}。"
                f"请去掉这些点，或用 log_{axis}=False。"
            )
    title = _wrap(title, TITLE, MAX_WIDTH - 2 * PAD)
    head = PAD + _text_size(title, TITLE)[1] + 8
    # 图例排在标题下面，一行一行排满，不遮住数据
    entry = _width(lines, BASE) + 62
    columns = max(1, min(len(lines), int((MAX_WIDTH - 2 * PAD) // entry)))
    legend_height = 28 * -(-len(lines) // columns)
    height = 250

    low, high = finite.min(), finite.max()
    if log_y:
        margin = (high / low) ** 0.06 if high > low else 2
        y_low, y_high = low / margin, high * margin
        y_ticks = _ticks(y_low, y_high, True, height)
        if len(y_ticks) < 2:
            y_ticks = [_steady(float(f"{v:.2g}")) for v in (low, high)][: 1 + (high > low)]
    else:
        margin = (high - low) * 0.06 or max(abs(high), 1) * 0.1
        y_low, y_high = low - margin, high + margin
        if low >= 0 and low < 0.4 * high:
            y_low = 0 if low > 0.02 * high else -margin / 2
        y_ticks = _ticks(y_low, y_high, False, height * 1.2)
    left = PAD + 30 + _width([_number_label(t) for t in y_ticks], BASE) + 12
    width = MAX_WIDTH - 2 * PAD - left - 8
    figure = _new_figure(MAX_WIDTH, head + legend_height + height + 70)
    _suptitle(figure, title, left + width / 2)
    axes = _place(figure, left, head + legend_height + 6, width, height)
    for i, (name, values) in enumerate(lines.items()):
        color, marker, style = _SERIES[i % len(_SERIES)]
        marker = (markers or {}).get(name, marker if len(x) <= 40 else None)
        axes.plot(
            x, values, label=name, color=color, marker=marker, linestyle=style, linewidth=2, markersize=6
        )
    axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
    span = x.max() - x.min()
    if log_x:
        edge = (x.max() / x.min()) ** 0.03 if span else 2
        x_low, x_high = x.min() / edge, x.max() * edge
    else:
        x_low, x_high = x.min() - (span * 0.03 or 0.5), x.max() + (span * 0.03 or 0.5)
    axes.set(xlim=(x_low, x_high), ylim=(y_low, y_high), xlabel=x_name, ylabel=y_name)
    _set_ticks(axes.xaxis, _ticks(x_low, x_high, log_x, width, x))
    _set_ticks(axes.yaxis, y_ticks)
    _tidy(axes)
    axes.grid(color="#E6E6E6", linewidth=0.8)
    axes.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=columns,
        frameon=False,
        handlelength=2.2,
        borderaxespad=0.3,
        columnspacing=1.4,
    )
    return figure


def _row(values, name, missing=False):
    """一维的数；missing 为真时允许 NaN（那一点不画）。"""
    if hasattr(values, "detach"):
        values = values.detach().numpy()
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} 必须是一行数；收到 {type(values).__name__}。") from error
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} 必须是一行数，形状像 (3,)；收到的形状是 {array.shape}。请取出其中一行。")
    if not missing and not np.isfinite(array).all():
        raise ValueError(f"{name}（形状 {array.shape}）里只能有有限的数；收到了 NaN 或 ∞。请检查前面的计算。")
    return array


@_drawn_in_style
def plot_bars(panels, *, title, x_name, y_name, y_max=None, x_labels=None):
    """几幅小柱状图并排，共用一条纵轴；不超过 12 根柱时，每根柱上写着数。

    参数
    - panels: {"不缩放": (n,), "÷√d_k": (n,), …}。
    - y_max: 纵轴的上端；不给就按数据取。
    - x_labels: n 个柱的名字；不给就写 1…n。

    返回 `CourseFigure`。不是一行数、标签数不对时抛出 ValueError。
    """
    rows = {str(name): _row(values, str(name)) for name, values in panels.items()}
    if not rows:
        raise ValueError("panels 里至少要有一行数，如 {'权重': row}；收到的是空的。")
    labels = {
        name: _labels(x_labels, len(row), "列", row.shape) or [str(i + 1) for i in range(len(row))]
        for name, row in rows.items()
    }
    places = max(_decimals(row) for row in rows.values())
    texts = {
        name: [_format(v, places) for v in row] if len(row) <= MAX_NUMBERED else []
        for name, row in rows.items()
    }
    flat = np.concatenate(list(rows.values()))
    low, high = min(0.0, flat.min()), max(0.0, flat.max())
    if y_max is not None and y_max < high - 1e-9:
        raise ValueError(f"y_max={y_max} 比最高的柱 {_num(high)} 还低，柱会被切掉。请给一个不小于它的数。")
    high = high if y_max is None else y_max
    span = (high - low) or 1.0
    numbered = any(texts.values())
    y_low = low - (span * 0.16 if numbered and low < 0 else 0)
    y_high = high + (span * 0.16 if numbered else span * 0.04)
    # 刻度只写到数据（或 y_max）为止；上面的空白留给柱顶的数
    ticks = _ticks(low, high or 1.0, False, 190)
    tick_width = _width([_number_label(t) for t in ticks], BASE)
    left = PAD + 28 + tick_width + 10
    room = MAX_WIDTH - left - PAD
    count = max(len(row) for row in rows.values())
    slot = (
        max([34, *(_width(t, SMALL) + 8 for t in texts.values())])
        if numbered
        else max(6, min(20, room / count))
    )
    slot = min(slot, room / count) if not numbered else slot
    widest = max(slot * count, _width(rows, BASE))
    gap = 20
    per_row = max(1, min(len(rows), int((room + gap) // (widest + gap))))
    lines = -(-len(rows) // per_row)
    per_row = -(-len(rows) // lines)
    panel_width = min((room - gap * (per_row - 1)) / per_row, max(widest, 150, 56 * count))
    slot = panel_width / count
    shown = {name: [_shorten(text, BASE, 110) for text in texts_] for name, texts_ in labels.items()}
    step = _tick_step(count, slot)
    shown = {
        name: [_narrow(text, slot * step - 6) for text in texts_[::step]] for name, texts_ in shown.items()
    }
    label_height = max(height for texts_ in shown.values() for _, _, height in texts_) + 5
    body = 170 if lines == 1 else 110
    title = _wrap(title, TITLE, MAX_WIDTH - 2 * PAD)
    head = PAD + _text_size(title, TITLE)[1] + 10
    row_height = 28 + body + label_height + 14
    width = (
        max(left + per_row * panel_width + (per_row - 1) * gap, _width(title.split("\n"), TITLE) + PAD) + PAD
    )
    figure = _new_figure(width, head + lines * row_height + 14 + PAD)
    start = (figure.bbox.width - PAD - left - per_row * panel_width - (per_row - 1) * gap) / 2 + left
    for index, (name, values) in enumerate(rows.items()):
        line, column = divmod(index, per_row)
        axes = _place(
            figure, start + column * (panel_width + gap), head + line * row_height + 28, panel_width, body
        )
        bars = axes.bar(range(len(values)), values, width=0.62, color="#4C78A8")
        axes.set(xlim=(-0.5, count - 0.5), ylim=(y_low, y_high))
        axes.set_title(name, size=BASE, pad=7, y=1.0)
        for i, text in enumerate(texts[name]):
            above = values[i] >= 0
            axes.annotate(
                text,
                (i, values[i]),
                xytext=(0, 3 if above else -3),
                textcoords="offset points",
                ha="center",
                va="bottom" if above else "top",
                size=SMALL,
            )
        _write_labels(axes.xaxis, range(0, len(values), step), shown[name])
        _tidy(axes)
        axes.tick_params(axis="x", length=0)
        _set_ticks(axes.yaxis, ticks)
        if low < 0:
            axes.axhline(0, color="#8C8C8C", linewidth=0.8, label="_零线")
            axes.spines["bottom"].set_visible(False)
        if column:
            axes.tick_params(axis="y", labelleft=False)
        else:
            axes.set_ylabel(y_name, labelpad=6)
        bars.set_label("_柱")
    middle = start + (per_row * panel_width + (per_row - 1) * gap) / 2
    _suptitle(figure, title, middle)
    _figure_text(figure, middle, figure.bbox.height - PAD - 10, x_name, BASE)
    return figure


def _hull(points):
    """平面上若干点的凸包，逆时针（Andrew 的单调链算法）；少于三个不共线的点时只是一条线段。"""
    points = sorted(set(map(tuple, points)))
    if len(points) < 3:
        return points

    def half(points):
        chain = []
        for x, y in points:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return half(points) + half(points[::-1])


@_drawn_in_style
def plot_value_plane(V, output, tokens, *, value_names, title, weights=None):
    """V 的每一行是平面上的一点，连成的多边形里是输出：权重不为负、每行的和为 1，所以输出总在里面。

    参数
    - V: (n, 2)，每个词元的值；output: (n, 2)，每个词元的输出。
    - tokens: n 个词元；value_names: V 两列的名字。
    - weights: (n, n)，给了就在图下写出每个输出是怎样混合出来的。

    返回 `CourseFigure`。形状或个数不对时抛出 ValueError。
    """
    V, output = _matrix(V, "V", allow_masked=False), _matrix(output, "output", allow_masked=False)
    if V.shape[1] != 2 or output.shape != V.shape:
        raise ValueError(
            f"画在平面上，V 和 output 都要是 (n, 2)，n 相同；收到 V {V.shape}、output {output.shape}。"
            "请各取两列。"
        )
    tokens = [_shorten(t, BASE, 120) for t in _labels(tokens, len(V), "行", V.shape)]
    names = _labels(value_names, 2, "列", V.shape)
    footer = []
    if weights is not None:
        weights = _weights(weights)
        if weights.shape != (len(V), len(V)):
            raise ValueError(
                f"weights 的形状要是 (n_q, n_k) = {(len(V), len(V))}；"
                f"收到 {weights.shape}，而 V 是 {V.shape}。请用算出 output 的那个 weights。"
            )
        places = _decimals(weights)
        for token, row in zip(tokens, weights, strict=True):
            mix = " + ".join(f"{_format(w, places)} {t}" for w, t in zip(row, tokens, strict=True))
            footer.append(f"新{token} = {mix}")
        if len(footer) > 6 or _width(footer, BASE) > MAX_WIDTH - 2 * PAD:
            footer = []
    every = np.vstack([V, output])
    low, high = every.min(axis=0), every.max(axis=0)
    pad = np.where(high > low, (high - low) * 0.14, 0.5)
    low, high = low - pad, high + pad
    ticks = [
        [t for t in _ticks(a, b, False, 300) if a + p / 2 <= t <= b - p / 2]
        for a, b, p in zip(low, high, pad, strict=True)
    ]
    title = _wrap(title, TITLE, MAX_WIDTH - 2 * PAD)
    head = PAD + _text_size(title, TITLE)[1] + 34
    left = PAD + 30 + _width([_number_label(t) for t in ticks[1]], BASE) + 10
    side = 380
    width = max(
        left + side + PAD + 8, _width(title.split("\n"), TITLE) + 2 * PAD, _width(footer, BASE) + 2 * PAD
    )
    figure = _new_figure(width, head + side + 64 + PAD + (26 * len(footer) + 8 if footer else 0))
    start = (figure.bbox.width - left - side - PAD) / 2 + left
    _suptitle(figure, title, start + side / 2)
    axes = _place(figure, start, head, side, side)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=names[0], ylabel=names[1])
    for axis, where in zip((axes.xaxis, axes.yaxis), ticks, strict=True):
        _set_ticks(axis, where)
    _tidy(axes)
    axes.grid(color="#EDEDED", linewidth=0.8)
    hull = _hull(V)
    green, blue = QKV_COLORS["V"], "#CC79A7"
    if len(hull) > 1:
        axes.add_patch(Polygon(hull, closed=True, facecolor="#009E7318", edgecolor=green, linewidth=1.2))
    for start, end in zip(V, output, strict=True):
        if not np.allclose(start, end):
            axes.add_patch(
                FancyArrowPatch(
                    start,
                    end,
                    arrowstyle="->,head_width=3,head_length=5",
                    color="#8C8C8C",
                    linewidth=1,
                    shrinkA=7,
                    shrinkB=7,
                    zorder=2,
                )
            )
    axes.scatter(*V.T, s=80, color=green, marker="s", label="V 的一行", zorder=3, clip_on=False)
    axes.scatter(*output.T, s=80, color=blue, edgecolor=INK, label="输出的一行", zorder=4, clip_on=False)
    axes.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        frameon=False,
        borderaxespad=0.2,
        handletextpad=0.3,
    )
    names = [*tokens, *(f"新{token}" for token in tokens)]
    colors = [text_color(green)] * len(V) + [INK] * len(V)
    strokes = [*zip(V, output, strict=True), *zip(hull, hull[1:] + hull[:1], strict=True)]
    _place_labels(axes, [*V, *output], names, colors, strokes)
    y = figure.bbox.height - PAD - 26 * len(footer) + 13
    for line in footer:
        _figure_text(figure, figure.bbox.width / 2, y, line, BASE)
        y += 26
    return figure


def _place_labels(axes, points, texts, colors, strokes):
    """给每个点找一处不压住别的点、线、字，也不出坐标系的位置写名字。strokes: 图里的线段，一条是两个端点。"""
    pixels = axes.transData.transform(np.array(points))
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in pixels]
    for stroke in strokes:
        start, end = axes.transData.transform(np.array(stroke))
        for t in np.linspace(0, 1, 2 + int(np.hypot(*(end - start)) // 4)):
            x, y = start + t * (end - start)
            taken.append((x - 4, y - 4, x + 4, y + 4))
    center, frame = pixels.mean(axis=0), axes.bbox
    angles = np.arange(16) * np.pi / 8
    for point, (x, y), text, color in zip(points, pixels, texts, colors, strict=True):
        w, h = _text_size(text, BASE)
        h *= 0.8
        options, others = [], np.array(taken)
        for distance, angle in itertools.product((10, 16, 26, 40, 60), angles):
            direction = np.array([np.cos(angle), np.sin(angle)])
            cx, cy = (x, y) + direction * (distance + np.abs(direction) @ (w / 2, h / 2))
            box = (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2)
            inside = frame.x0 <= box[0] and box[2] <= frame.x1 and frame.y0 <= box[1] and box[3] <= frame.y1
            covered = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
            overlap = float(np.prod(np.maximum(covered, 0), axis=1).sum())
            inward = direction @ (center - (x, y)) / (np.hypot(*(center - (x, y))) + 1)
            cost = overlap + (0 if inside else 1e6) + distance + 4 * inward  # 朝外写，图的中间留空
            options.append((round(cost, 3), distance, (cx, cy), box))
        _, distance, (cx, cy), box = min(options, key=lambda option: option[0])
        taken.append(box)
        axes.annotate(
            text,
            point,
            xytext=((cx - x) * 72 / DPI, (cy - y) * 72 / DPI),
            textcoords="offset points",
            ha="center",
            va="center_baseline",
            color=color,
            arrowprops={"arrowstyle": "-", "color": "#BDBDBD", "shrinkB": 4} if distance > 20 else None,
            zorder=5,
        )


# ---------------------------------------------------------------- 描述：从画好的图里读回来

_COLOR_NAMES = {
    **{color: name for color, name in zip(QKV_COLORS.values(), ("蓝", "橙", "绿"), strict=True)},
    **{text_color(c): name for c, name in zip(QKV_COLORS.values(), ("蓝", "橙", "绿"), strict=True)},
    "#8F4E74": "紫",
    "#56B4E9": "浅蓝",
    "#000000": "黑",
    LIT_COLOR: "亮",
}
_MAP_NAMES = {SIGNED_MAP: f"{SIGNED_MAP}（红负蓝正）"}
_LINE_STYLES = {"-": "实线", "--": "虚线", "-.": "点划线", ":": "点线", "None": "无线"}


def _num(value):
    """描述里的一个数：整数照写，其余 3 位有效数字。"""
    value = float(np.real(value))
    if not np.isfinite(value):
        return "无" if np.isnan(value) else ("∞" if value > 0 else "−∞")
    if abs(value - round(value)) < 1e-9 and abs(value) < 1e6:
        return str(round(value)).replace("-", "−")
    return f"{float(f'{_steady(value):.3g}'):g}".replace("-", "−")


def _point(xy):
    return f"({_num(xy[0])}, {_num(xy[1])})"


def _range(low, high):
    """范围写 4 位有效数字：上下限改动 1 %，描述就变。"""
    low, high = (f"{float(f'{_steady(v):.4g}'):g}".replace("-", "−") for v in (low, high))
    return f"从 {low} 到 {high}"


def _color_name(color):
    code = to_hex(color)
    return {key.lower(): name for key, name in _COLOR_NAMES.items()}.get(code, code)


def _words(text):
    """一段文字念出来的样子：公式去掉 TeX 记号，折行接回去。"""
    words = text.get_text()
    if text.get_parse_math() and words.count("$") >= 2:
        for tex, plain in (
            (r"\sqrt{d_k}", "√d_k"), (r"^{\top}", "ᵀ"), (r"\div", "÷ "), (r"\;", " "), (r"\mathrm", ""),
            (r"\,", " "), ("$", ""), ("{", ""), ("}", ""),
        ):  # fmt: skip
            words = words.replace(tex, plain)
        words = re.sub(" +", " ", words)
    return re.sub(r"(?<=[!-~])\n(?=[!-~])", " ", words).replace("\n", "").strip()


def _shown(texts):
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def _tick_texts(axis):
    """{位置: 文字}，从左到右或从上到下，只含画出来的。"""
    low, high = sorted(axis.get_view_interval())
    return {
        tick.get_loc(): _words(label)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if label.get_visible() and label.get_text().strip() and low - 1e-9 <= tick.get_loc() <= high + 1e-9
    }


def describe(figure):
    """图的中文描述，全部读自画好的图元：标题、轴名、刻度文字、格子里的数、颜色范围、框、线、柱、点、文字。

    - figure: 任何 matplotlib 图。返回一段文字，一个坐标系一行。
    图元与图元对不上时（比如格子里写的数不是底下数组的数），两个都写出来。
    """
    with _course_context():
        sentences = []
        if figure._suptitle is not None and _words(figure._suptitle):
            sentences.append(f"图「{_words(figure._suptitle)}」")
        sentences += _reading_order(figure)
        sentences += [_describe_axes(axes) for axes in figure.axes if axes.get_visible()]
        return "\n".join(sentence for sentence in sentences if sentence)


def _reading_order(figure):
    """坐标系之间的文字（如 @、=）连同矩阵的标题，按从上到下、从左到右念成算式。"""
    texts = [text for text in _shown(figure.texts) if text is not figure._suptitle]
    if not texts:
        return []
    items = []
    for text in texts:
        x, y = text.get_position()
        items.append((y, x, _words(text)))
    for axes in figure.axes:
        if axes.images:
            box = axes.get_position()
            labels = list(_tick_texts(axes.yaxis).values())
            name = _words(axes.title) or (labels[0] if len(labels) == 1 else "矩阵")
            items.append(((box.y0 + box.y1) / 2, box.x0, f"[{name}]"))
    items.sort(key=lambda item: (-round(item[0], 2), item[1]))
    lines = [
        " ".join(item[2] for item in group) for _, group in itertools.groupby(items, lambda i: round(i[0], 2))
    ]
    return ["排列：" + "；".join(lines)]


def _describe_axes(axes):
    used = set()
    if hasattr(axes, "_colorbar"):
        ticks = _tick_texts(axes.yaxis)
        norm = axes._colorbar.norm
        return f"颜色条：{_range(norm.vmin, norm.vmax)}，刻度 {'、'.join(ticks.values())}"
    if axes.images:
        kind, parts = "热力图", _describe_image(axes, axes.images[0], used)
    else:
        kind, parts = _describe_chart(axes, used)
    title = _words(axes.title)
    if title:
        color = _color_name(axes.title.get_color())
        kind += f"「{title}」" + (f"（{color}色）" if color in ("蓝", "橙", "绿") else "")
    rest = [_words(text) for text in _shown(axes.texts) if text not in used]
    if rest:
        parts.append(f"文字：{'、'.join(rest)}")
    return f"{kind}：{'；'.join(parts)}" if parts else ""


def _describe_image(axes, image, used):
    array = image.get_array()
    array = np.ma.filled(np.ma.asarray(array, dtype=float), -np.inf)
    rows, cols = array.shape
    # 按画出来的方向念：谁在上、谁在左，由坐标轴决定
    row_order = list(range(rows)) if axes.yaxis_inverted() else list(range(rows))[::-1]
    col_order = list(range(cols))[::-1] if axes.xaxis_inverted() else list(range(cols))
    names = []
    parts = [f"{rows} 行 {cols} 列"]
    for axis, order, word in ((axes.yaxis, row_order, "行"), (axes.xaxis, col_order, "列")):
        ticks = {round(position): text for position, text in _tick_texts(axis).items()}
        names.append({i: ticks.get(i, f"第 {order.index(i) + 1} {word}") for i in order})
        shown = "、".join(ticks[i] for i in order if i in ticks)
        name = _words(axis.label)
        if name or shown:
            parts.append(f"{word}={name} {shown}".rstrip() if name else f"{word}：{shown}")
    row_names, col_names = names

    numbers, right, below = {}, [], []
    for text in _shown(axes.texts):
        x, y = text.get_position()
        cell = (round(float(y)), round(float(x)))
        if 0 <= cell[0] < rows and 0 <= cell[1] < cols:
            numbers.setdefault(cell, []).append(_words(text))
        elif x > cols - 0.5:
            right.append((y, _words(text)))
        elif y > rows - 0.5:
            below.append((x, _words(text)))
        else:
            continue
        used.add(text)
    if numbers:
        lines = []
        for i in row_order:
            line = " ".join(_cell(numbers.get((i, j), []), array[i, j]) for j in col_order)
            lines.append(f"{row_names[i]} {line}")
        parts.append("数值：" + "；".join(lines))
    else:
        parts.append(_summary(array, row_order, col_order, row_names, col_names))
    for words, place in ((right, "右边"), (below, "下边")):
        if words:
            parts.append(f"{place}：{' '.join(word for _, word in sorted(words))}")
    for patch in axes.patches:
        if isinstance(patch, Rectangle):
            parts.append(_outline_words(patch, rows, cols, row_names, col_names))
    masked = "，灰格被遮住" if np.isneginf(array).any() else ""
    name = image.get_cmap().name
    parts.append(f"颜色 {_MAP_NAMES.get(name, name)}，{_range(image.norm.vmin, image.norm.vmax)}{masked}")
    return parts


def _cell(texts, value):
    """一格里写的数；与数组对不上（按它自己的小数位数舍入后不相等）时，两个都写。"""
    text = " ".join(texts) or "（空）"
    plain = text.replace("−", "-").replace("∞", "inf")
    try:
        number = float(plain)
    except ValueError:
        number = np.nan
    places = len(plain.partition(".")[2])
    same = number == value or abs(number - value) <= 0.5 * 10.0**-places * (1 + 1e-6)
    return text if same else f"{text}（底色的数是 {_num(value)}）"


def _summary(array, row_order, col_order, row_names, col_names):
    """不写数的大图：最大、最小在哪里，四个角上是多少。"""
    finite = np.isfinite(array)
    if not finite.any():
        return "没有写数，全被遮住"
    rounded = np.where(finite, np.vectorize(lambda v: float(f"{v:.3g}"))(np.where(finite, array, 0)), np.nan)
    rounded = rounded[np.ix_(row_order, col_order)]

    def where(index):
        i, j = np.unravel_index(index, rounded.shape)
        return f"{_num(rounded[i, j])} 在（{row_names[row_order[i]]}，{col_names[col_order[j]]}）"

    corners = "、".join(
        f"{name} {_num(rounded[i, j])}"
        for name, i, j in (("左上", 0, 0), ("右上", 0, -1), ("左下", -1, 0), ("右下", -1, -1))
    )
    largest, smallest = where(np.nanargmax(rounded)), where(np.nanargmin(rounded))
    return f"没有写数，最大 {largest}，最小 {smallest}，四角：{corners}"


def _outline_words(patch, rows, cols, row_names, col_names):
    left, top = patch.get_xy()
    x0, x1 = sorted((left + 0.5, left + 0.5 + patch.get_width()))
    y0, y1 = sorted((top + 0.5, top + 0.5 + patch.get_height()))
    exact = np.allclose([x0, x1, y0, y1], np.round([x0, x1, y0, y1]), atol=1e-6)
    x0, x1, y0, y1 = (round(float(edge)) for edge in (x0, x1, y0, y1))
    if not (exact and 0 <= x0 < x1 <= cols and 0 <= y0 < y1 <= rows):
        size = (patch.get_width(), patch.get_height())
        return f"框没有对齐格子：左上 {_point((left, top))}，宽高 {_point(size)}"
    if (y1 - y0, x1 - x0) == (1, 1) and (rows, cols) != (1, 1):
        return f"框出（{row_names[y0]}，{col_names[x0]}）一格"
    if x1 - x0 == cols:
        return f"框出一行：{'、'.join(row_names[i] for i in range(y0, y1))}"
    if y1 - y0 == rows:
        return f"框出一列：{'、'.join(col_names[j] for j in range(x0, x1))}"
    return f"框出 {row_names[y0]} 到 {row_names[y1 - 1]}、{col_names[x0]} 到 {col_names[x1 - 1]}"


def _describe_chart(axes, used):
    parts = []
    kind = "示意图"
    if axes.axison:
        for axis, word in ((axes.xaxis, "横轴"), (axes.yaxis, "纵轴")):
            low, high = axis.get_view_interval()
            scale = "，对数刻度" if axis.get_scale() == "log" else ""
            ticks = "、".join(_tick_texts(axis).values())
            parts.append(
                f"{word}={_words(axis.label)} {_range(low, high)}{scale}"
                + (f"，刻度 {ticks}" if ticks else "")
            )
    x_names = {round(position, 6): text for position, text in _tick_texts(axes.xaxis).items()}
    for container in axes.containers:
        if isinstance(container, BarContainer):
            kind = "柱状图"
            parts.append("柱：" + "、".join(_bar_words(bar, axes, x_names, used) for bar in container))
    visible = [
        line for line in axes.lines if line.get_visible() and not str(line.get_label()).startswith("_")
    ]
    for line in visible:
        kind = "折线图" if kind == "示意图" else kind
        parts.append(_line_words(line))
    clouds = [c for c in axes.collections if isinstance(c, PathCollection) and c.get_visible()]
    spots = {}
    for cloud in clouds:
        kind = "散点图" if kind == "示意图" else kind
        words = []
        for xy in cloud.get_offsets():
            name = next(
                (
                    t
                    for t in _shown(axes.texts)
                    if t not in used and np.allclose(getattr(t, "xy", np.inf), xy)
                ),
                None,
            )
            used.add(name)
            spots.setdefault(tuple(np.round(xy, 9)), _words(name) if name else _point(xy))
            words.append(f"{_words(name)} {_point(xy)}" if name else _point(xy))
        parts.append(f"点「{cloud.get_label()}」：{'、'.join(words)}")
    for patch in axes.patches:
        if isinstance(patch, Polygon):
            parts.append(f"多边形，顶点 {'、'.join(_point(xy) for xy in patch.get_xy()[:-1])}")
    parts += _describe_boxes(axes, used)
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    if arrows:
        # 指定渲染器：图上次若按 200 dpi 画过，文字还记着那时的大小
        renderer = RendererAgg(1, 1, axes.figure.dpi)
        places = [(text, text.get_window_extent(renderer)) for text in _shown(axes.texts)]
        parts.append("箭头：" + "、".join(_arrow_words(arrow, axes, spots, places) for arrow in arrows))
    legend = axes.get_legend()
    if legend is not None:
        parts.append(f"图例：{'、'.join(_words(text) for text in legend.get_texts())}")
    return kind, parts


def _bar_words(bar, axes, x_names, used):
    center, height = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()
    texts = [t for t in _shown(axes.texts) if np.isclose(getattr(t, "xy", t.get_position())[0], center)]
    used.update(texts)
    name = x_names.get(round(center, 6), f"x={_num(center)}")
    shown = _cell([_words(t) for t in texts], height).replace("底色的数", "柱高") if texts else _num(height)
    return f"{name} {shown}"


def _line_words(line):
    points = list(zip(*map(np.asarray, line.get_data()), strict=True))
    style = [_color_name(line.get_color()), _LINE_STYLES.get(line.get_linestyle(), line.get_linestyle())]
    words = f"线「{line.get_label()}」（{'，'.join(style)}）："
    if len(points) <= 12:
        return words + "、".join(_point(xy) for xy in points)
    points = np.array(points, dtype=float)
    valid = points[np.isfinite(points[:, 1])]
    y = np.array([float(f"{v:.3g}") for v in valid[:, 1]])
    return words + (
        f"{len(points)} 个点，起点 {_point(points[0])}，终点 {_point(points[-1])}，"
        f"最低 {_point(valid[y.argmin()])}，最高 {_point(valid[y.argmax()])}"
    )


def _boxes(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]


def _describe_boxes(axes, used):
    parts = []
    for box in _boxes(axes):
        extent = box.get_window_extent()
        inside, below = [], []
        for text in _shown(axes.texts):
            x, y = axes.transData.transform(text.get_position())
            if extent.x0 <= x <= extent.x1 and text not in used:
                if extent.y0 <= y <= extent.y1:
                    inside.append((-y, text))
                elif y < extent.y0:
                    below.append((-y, text))
        used.update(text for _, text in inside + below)
        words = [[_words(text) for _, text in sorted(group, key=lambda g: g[0])] for group in (inside, below)]
        color = _color_name(box.get_facecolor())
        name = words[0][0] if words[0] else "空框"
        parts.append(
            f"框「{name}」"
            + ("（点亮）" if color == "亮" else "")
            + " "
            + "，".join(words[0][1:])
            + (f" → {' '.join(words[1])}" if words[1] else "")
        )
    return parts


def _arrow_words(arrow, axes, spots, places):
    """箭头从哪里到哪里：端点是哪个点，或在哪个框、哪段文字旁边。"""
    vertices = arrow._path_original.vertices if arrow._posA_posB is None else np.array(arrow._posA_posB)
    candidates, inside_boxes = [], set()
    for box in _boxes(axes):
        extent = box.get_window_extent()
        inside = [(text, e) for text, e in places if extent.contains(*e.get_points().mean(axis=0))]
        inside_boxes.update(text for text, _ in inside)
        top = max(inside, key=lambda item: item[1].y0, default=None)
        candidates.append((extent, _words(top[0]) if top else "空框"))
    candidates += [(extent, _words(text)) for text, extent in places if text not in inside_boxes]
    names = []
    for xy in (vertices[0], vertices[-1]):
        pixel = axes.transData.transform(xy)
        distance, name = min(
            ((_distance(extent, pixel), name) for extent, name in candidates), default=(99, "")
        )
        names.append(spots.get(tuple(np.round(xy, 9))) or (name if distance < 20 else _point(xy)))
    color = _color_name(arrow.get_edgecolor())
    return "→".join(names) + (f"（{color}）" if not color.startswith("#") else "")


def _distance(extent, pixel):
    dx = max(extent.x0 - pixel[0], 0, pixel[0] - extent.x1)
    dy = max(extent.y0 - pixel[1], 0, pixel[1] - extent.y1)
    return float(np.hypot(dx, dy))

"""样式：字体、字号、颜色，和数在笔记本里的显示。长度都以 CSS 像素计，图按 100 dpi 排版。"""

import functools
import importlib.util
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.colors import LinearSegmentedColormap, is_color_like, to_hex, to_rgb

from utils import numbers
from utils.checks import require, shown

COLORS = {  # Okabe–Ito 色盲安全色；紫色加深过，在白底上够清楚
    "蓝": "#0072B2",
    "橙": "#D55E00",
    "绿": "#009E73",
    "紫": "#8F4E74",
    "黑": "#000000",
    "浅蓝": "#56B4E9",
}
QKV_COLORS = {"Q": COLORS["蓝"], "K": COLORS["橙"], "V": COLORS["绿"]}
"""查询、键、值在全课程里的固定颜色。写字时用 `text_color` 加深。"""

INK, GREY, FRAME = "#222222", "#595959", "#8C8C8C"
LIT_COLOR = "#FFE9A8"  # 地图上点亮的一步
MASKED_COLOR = "#BDBDBD"  # 被遮住的键（−∞）

MAX_WIDTH = 640
PAD = 14  # 图四周的留白
ROOM = MAX_WIDTH - 2 * PAD
TITLE, BASE, SMALL = 15, 13, 11  # 字号，单位 pt；没有比 SMALL 更小的字
MAX_NUMBERED = 12  # 行、列或柱多于它，就不写数
DPI = 100

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
    "axes.edgecolor": FRAME,
    "xtick.color": FRAME,
    "ytick.color": FRAME,
}


def use_course_style():
    """每本笔记开头调用一次：登记中文字体，设定字号和颜色，让数组和浮点数最多显示 4 位小数。

    不打印任何东西。忘了调用也没关系：课程的图自带样式，只是你自己用 matplotlib 画的图会缺中文字体。
    """
    _load_fonts()
    mpl.rcParams.update(_STYLE)
    np.set_printoptions(precision=4, suppress=True)
    if shell := running_shell():
        # 一个个写出来：numpy 的每种浮点数各有自己的 repr，登记父类不管用
        for kind in (float, np.float16, np.float32, np.float64, np.longdouble):
            shell.display_formatter.formatters["text/plain"].for_type(kind, _print_number)


def _print_number(value, printer, cycle):
    printer.text(numbers.output(value))


def running_shell():
    """正在运行的 IPython；普通的 Python 里是 None。"""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


@functools.cache
def _load_fonts():
    """登记 zhplot 自带的 Noto Sans SC（一次）。只取文件，不导入 zhplot：导入它会改全局设置。"""
    spec = importlib.util.find_spec("zhplot")
    if spec is None:
        raise ImportError("缺少中文字体包 zhplot。请先运行：pip install -r requirements.txt")
    manager = font_manager.fontManager
    # 系统里若有同名字体（别的版本、别的字重），画出来会不一样：只留这一个文件。
    manager.ttflist = [entry for entry in manager.ttflist if entry.name != FONTS[0]]
    manager.addfont(Path(spec.origin).parent / "fonts" / "NotoSansSC-Regular.ttf")


@functools.cache
def _settings():
    """matplotlib 的出厂设置加上课程样式：无论读者改过什么 rcParams，图都一样。"""
    kept = ("backend", "interactive", "toolbar", "webagg")  # 与画面无关，属于读者的环境
    defaults = {key: value for key, value in dict.items(mpl.rcParamsDefault) if not key.startswith(kept)}
    return {**defaults, **_STYLE, "font.family": list(FONTS)}


@contextmanager
def course_context():
    """在课程样式里画，也可以当装饰器用。两种字体都没有的字（表情符号等）安静地画成方框，不发警告。"""
    _load_fonts()
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        dict.update(mpl.rcParams, _settings())  # 值早已校验过；逐项再校验要多花几毫秒
        yield


# ---------------------------------------------------------------- 颜色


@functools.cache
def colormap(kind):
    """signed：红为负、白为 0、蓝为正。weights：浅黄为 0、深蓝为 1。色盲可辨；被遮住的是灰。"""
    if kind == "weights":
        return mpl.colormaps["YlGnBu"].with_extremes(bad=MASKED_COLOR)
    # 去掉两头最深的颜色：每个数都是浅底黑字，对比度 6 以上（深蓝底的黑字、白字都看不清）
    middle = mpl.colormaps["RdBu"](np.linspace(0.22, 0.78, 257))
    return LinearSegmentedColormap.from_list("RdBu", middle, N=257).with_extremes(bad=MASKED_COLOR)


def color_name(color):
    """颜色的中文名；不在 COLORS 里的颜色没有名字。"""
    return {code.lower(): name for name, code in COLORS.items()}.get(to_hex(color), "")


def _luminance(color):
    """WCAG 2.2 的相对亮度，0 到 1。"""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def number_color(background):
    """黑或白，取对比度大的一个；对任何底色都不低于 4.58（WCAG AA 要求 4.5）。"""
    light = _luminance(background)
    return "black" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "white"


def lighter(color, share=0.45):
    """冲淡的颜色，黑字写在上面看得清；share 是留下多少。"""
    return to_hex(1 - share * (1 - np.array(to_rgb(color))))


def text_color(color, background="white"):
    """把颜色加深到在浅色底上写字够清楚（WCAG 对比度 ≥ 4.5）；够深的颜色原样返回。"""
    require(is_color_like(color), "color 必须是一个颜色", shown(color), '写成如 QKV_COLORS["Q"] 或 "#0072B2"')
    rgb = np.array(to_rgb(color))
    while (_luminance(background) + 0.05) / (_luminance(to_hex(rgb)) + 0.05) < 4.5:
        rgb = rgb * 0.98
    return to_hex(rgb)

"""图：`CourseFigure` 和它的 PNG、替代文字；在图上按像素放坐标系和文字。"""

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from utils.plotting.description import describe
from utils.plotting.style import BASE, DPI, INK, PAD, TITLE, course_context, running_shell
from utils.plotting.text import fonts, text_width

LINE = 26  # 图底的文字，一行的高


class CourseFigure(Figure):
    """不经过 pyplot 的图。`repr` 是从画好的图里读回来的中文描述，也就是它的替代文字（alt）。"""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        FigureCanvasAgg(self)
        _register_with_ipython()

    @course_context()
    def draw(self, renderer):
        _choose_fonts(self)
        super().draw(renderer)

    @course_context()
    def get_tightbbox(self, *args, **kwargs):
        return super().get_tightbbox(*args, **kwargs)

    def __repr__(self):
        return describe(self)

    __str__ = __repr__

    @course_context()  # savefig 自己也读设置：savefig.bbox 会改变图的大小
    def _repr_png_(self):
        """PNG 字节（200 dpi），替代文字（nbconvert 从这里取），以 CSS 像素计的宽高；IPython 用它显示图。"""
        width, height = (round(inches * DPI) for inches in self.get_size_inches())
        pixels, png = io.BytesIO(), io.BytesIO()
        self.savefig(pixels, format="raw", dpi=2 * DPI, facecolor="white")
        # 图不透明，只存三个通道；压缩取 3 级：比 savefig 直接写 PNG 快一半，文件一样大，也不带版本号
        image = Image.frombytes("RGBA", (2 * width, 2 * height), pixels.getvalue())
        image.convert("RGB").save(png, "PNG", compress_level=3)
        return png.getvalue(), {"alt": repr(self), "width": width, "height": height}


def _register_with_ipython():
    """读者自己用了 pyplot 时，inline 后端会给所有 Figure 登记它的画法，排在 `_repr_png_` 前面；
    给 CourseFigure 登记更具体的画法，就轮不到它。"""
    if shell := running_shell():
        for mime, formatter in shell.display_formatter.formatters.items():
            if mime == "image/png":
                formatter.for_type(CourseFigure, CourseFigure._repr_png_)
            elif mime.startswith("image/") or mime == "application/pdf":
                formatter.for_type(CourseFigure, lambda figure: None)


def new_figure(width, height):
    """一张空图，宽高取偶数像素：缩放到任何屏幕都没有半个像素。"""
    width, height = (2 * round(length / 2 + 0.49) for length in (width, height))
    return CourseFigure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="white")


def place(figure, x, y, width, height):
    """在 (x, y) 处（左上角起）放一个坐标系。"""
    w, h = figure.bbox.width, figure.bbox.height
    return figure.add_axes((x / w, 1 - (y + height) / h, width / w, height / h))


def write_text(figure, x, y, text, size=BASE):
    """在 (x, y) 处（左上角起）居中写一段文字。"""
    w, h = figure.bbox.width, figure.bbox.height
    figure.text(x / w, 1 - y / h, text, size=size, color=INK, ha="center", va="center")


def write_title(figure, title, center=None):
    """总标题，居中在 center（默认图的中线）；放不下就往里挪。"""
    width, half = figure.bbox.width, text_width(title, TITLE) / 2 + PAD
    center = max(half, min(width / 2 if center is None else center, width - half))
    y = 1 - PAD / figure.bbox.height
    figure.suptitle(title, x=center / width, y=y, va="top", ha="center", linespacing=1.2)


def _choose_fonts(figure):
    for text in figure.findobj(lambda artist: isinstance(artist, Text) and "√" in artist.get_text()):
        text.set_fontfamily(fonts(text.get_text()))


def settle(figure):
    """让 matplotlib 按字的大小排好坐标系（只排一次）；总标题和横轴的名字对准坐标系的中线。"""
    _choose_fonts(figure)
    width, height = figure.bbox.width, figure.bbox.height
    gap, x, y = PAD / 2 / DPI, PAD / 2 / width, PAD / 2 / height
    bottom = 0 if figure._supxlabel else y
    inside = (x, bottom, 1 - 2 * x, 1 - y - bottom)
    figure.set_layout_engine("constrained", w_pad=gap, h_pad=gap, rect=inside)
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    boxes = [axes.get_position() for axes in figure.axes]
    center = (min(box.x0 for box in boxes) + max(box.x1 for box in boxes)) / 2 * width
    write_title(figure, figure.get_suptitle(), center)
    if figure._supxlabel:
        figure._supxlabel.set_position((center / width, PAD / height))

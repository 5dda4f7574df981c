"""画图的环境：读者自己的设置、缺目录、pyplot、IPython，都不改变图，也不冒出一个字。"""

import io
import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from utils.plotting import CourseFigure, plot_pipeline, use_course_style
from utils.tests.gallery import GALLERY

ROOT = Path(__file__).resolve().parents[2]


def test_picture_is_the_same_bytes_whatever_the_reader_set():
    before = GALLERY["权重"]()._repr_png_()
    with mpl.rc_context(
        {"font.size": 30, "axes.facecolor": "black", "text.color": "red", "font.family": "serif"}
        | {"savefig.bbox": "tight", "savefig.dpi": 300, "savefig.transparent": True}
    ):
        assert GALLERY["权重"]()._repr_png_() == before
        lines = GALLERY["方差"]()
    assert lines._repr_png_() == GALLERY["方差"]()._repr_png_()
    assert b"Software" not in before[0] and b"Matplotlib" not in before[0]


def test_drawing_leaves_the_settings_of_the_reader_alone():
    with mpl.rc_context({"font.size": 7}):
        before = dict(mpl.rcParams.copy())
        GALLERY["方差"]()._repr_png_()
        assert dict(mpl.rcParams.copy()) == before


def test_course_style_sets_fonts_and_four_decimals():
    with mpl.rc_context(), np.printoptions():
        use_course_style()
        assert mpl.rcParams["font.family"] == ["Noto Sans SC", "DejaVu Sans"]
        assert str(np.array([1 / 3, 1e-9])) == "[0.3333 0.    ]"


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-"],  # 从 stdin 读：任何语言环境下都按 UTF-8
        input=code,
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


def test_first_picture_is_silent_without_a_writable_settings_folder(tmp_path):
    """字体缓存要重建、配置目录不可写：没有一个字写到 stderr；也没有导入 pyplot 和 torch。"""
    (tmp_path / "file").write_text("", encoding="utf-8")
    code = (
        "import sys; from utils import plotting as p; p.use_course_style();"
        "p.plot_weights([[1]], '我', title='权')._repr_png_();"
        "print([m for m in ('matplotlib.pyplot', 'torch', 'zhplot') if m in sys.modules])"
    )
    done = run_python(code, MPLCONFIGDIR=str(tmp_path / "file" / "config"))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_notebook_shows_our_png_even_after_pyplot_set_up_its_own():
    code = """
import base64, struct
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.enable_gui = lambda gui: None
shell.run_line_magic("matplotlib", "inline")
shell.run_line_magic("config", "InlineBackend.figure_formats = ['svg', 'png']")
import matplotlib.pyplot as plt
from utils.plotting import plot_weights
figure = plot_weights([[1]], "我", title="权")
data, metadata = shell.display_formatter.format(figure)
png = data["image/png"]
png = base64.b64decode(png) if isinstance(png, str) else png
sharp = struct.unpack(">I", png[16:20])[0] == 2 * metadata["image/png"]["width"]
drawn = []
draw, type(figure).draw = type(figure).draw, lambda self, renderer: drawn.append(draw(self, renderer))
shell.display_formatter.format(figure)
print(sorted(data), sharp, plt.get_fignums(), f"画了 {len(drawn)} 遍")
"""
    done = run_python(code, MPLBACKEND="module://matplotlib_inline.backend_inline")
    assert done.stdout.strip() == "['image/png', 'text/plain'] True [] 画了 1 遍", done.stderr


def test_notebook_shows_floats_with_at_most_four_decimals():
    """也在元组、列表、字典里；数组、整数不变；没有 IPython 时什么也不做（别的测试都这样用）。"""
    code = """
from IPython.core.interactiveshell import InteractiveShell
import numpy as np
from utils.plotting import use_course_style
shell = InteractiveShell.instance()
show = lambda value: print(shell.display_formatter.format(value)[0]["text/plain"])
show(np.float64(0.5)); use_course_style()
for value in (np.float64(0.1 + 0.2), (0.1 + 0.2, 1), [np.float32(0.1)], {"a": np.float64(1)}):
    show(value)
show(3); show(np.array([-0.0, 1/3]))
"""
    done = run_python(code)
    assert done.stdout.splitlines() == [
        "np.float64(0.5)",
        "0.3",
        "(0.3, 1)",
        "[0.1]",
        "{'a': 1.0}",
        "3",
        "array([-0.    ,  0.3333])",
    ], done.stderr


def test_figure_can_be_saved_like_any_other():
    buffer = io.BytesIO()
    plot_pipeline().savefig(buffer, format="png", bbox_inches="tight")
    assert buffer.getvalue().startswith(b"\x89PNG")
    assert isinstance(plot_pipeline(), CourseFigure)

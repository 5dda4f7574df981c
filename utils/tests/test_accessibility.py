"""看不清颜色、用黑白打印、用深色主题的人也读得懂：颜色的次序还在，意思不只写在颜色里。"""

import io
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from utils import animations, plotting
from utils.plotting import QKV_COLORS, style
from utils.tests.contrast import linear

# Machado、Oliveira、Fernandes，《A Physiologically-based Model for Simulation of Color Vision Deficiency》，
# IEEE TVCG 15(6)，2009，表 1，severity 1.0；乘在线性 RGB 上
VISIONS = {
    "正常": np.eye(3),
    "红色盲": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "绿色盲": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "蓝色盲": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "黑白": [[0.2126, 0.7152, 0.0722]] * 3,
}


def seen(rgb, vision):
    """这种眼睛看到的线性 RGB，(..., 3)。"""
    return np.clip(linear(rgb) @ np.transpose(VISIONS[vision]), 0, 1)


def luminance(rgb, vision):
    return seen(rgb, vision) @ [0.2126, 0.7152, 0.0722]


def lab(rgb, vision):
    """CIE L*a*b*（D65）。"""
    to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
    xyz = np.array(to_xyz) @ seen(rgb, vision) / [0.95047, 1, 1.08883]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def colors(kind, count):
    return style.colormap(kind)(np.linspace(0, 1, count))[:, :3]


@pytest.mark.parametrize("vision", VISIONS)
def test_a_larger_weight_is_always_darker(vision):
    light = luminance(colors("weights", 256), vision)
    assert (np.diff(light) < 0.001).all() and (np.diff(light[::4]) < 0).all()  # 相邻两级可以同色
    assert light[0] > 10 * light[-1]


@pytest.mark.parametrize("vision", VISIONS)
def test_a_number_farther_from_zero_is_always_darker(vision):
    light = luminance(colors("signed", 257), vision)
    negative, positive = light[128::-1], light[128:]
    for side in (negative, positive):
        assert side[0] > 0.9  # 0 是白的
        assert (np.diff(side) < 0.001).all()  # 相邻两级可以同色
        assert (np.diff(side[::4]) < 0).all() and side[-1] < 0.4


@pytest.mark.parametrize("vision", [name for name in VISIONS if name != "黑白"])
def test_plus_and_minus_are_two_colours_for_every_eye(vision):
    ends = colors("signed", 257)[[0, -1]]
    assert np.linalg.norm(lab(ends[0], vision) - lab(ends[1], vision)) > 20


def test_the_sign_is_also_written():
    small = plotting.plot_matrix([[-2.0, 2.0]], title="M")
    assert [text.get_text() for text in small.axes[0].texts] == ["−2", "2"]
    large = plotting.plot_matrix(np.linspace(-2, 2, 400).reshape(20, 20), title="M")
    bar = [tick.get_text() for tick in large.axes[1].get_yticklabels()]
    assert bar == ["−2", "0", "2"]  # 不写数的图：颜色条上写着正负


@pytest.mark.parametrize("vision", [name for name in VISIONS if name != "黑白"])
@pytest.mark.parametrize("pair", ["QK", "QV", "KV"])
def test_the_colours_of_q_k_v_differ_for_every_eye(pair, vision):
    one, other = (lab(to_rgb(QKV_COLORS[name]), vision) for name in pair)
    assert np.linalg.norm(one - other) > 15  # 约 2.3 就分得出


@pytest.mark.parametrize("vision", [name for name in VISIONS if name != "黑白"])
def test_neighbouring_shares_differ_for_every_eye(vision):
    figure = plotting.plot_shares([[1 / 6] * 6], "甲", key_tokens="一二三四五六", title="S")
    pieces = [lab(container[0].get_facecolor()[:3], vision) for container in figure.axes[0].containers]
    assert all(np.linalg.norm(one - other) > 10 for one, other in pairwise(pieces))


def test_q_k_v_are_also_named_where_they_are_coloured():
    eye, tokens = [[1.0, 0.0], [0.0, 1.0]], "猫鱼"
    titles = [axes.get_title() for axes in plotting.plot_matrices({"Q": eye, "K": eye, "V": eye}).axes]
    assert titles == ["Q (2, 2)", "K (2, 2)", "V (2, 2)"]
    labels = [
        text.get_text()
        for axes in plotting.plot_score(eye, eye, 0, 1, tokens).axes
        for text in axes.get_yticklabels()
    ]
    assert "q 猫" in labels and "× k 鱼" in labels
    pipeline = " ".join(text.get_text() for text in plotting.plot_pipeline().axes[0].texts)
    assert all(f"${name} = X\\,W_{name}$" in pipeline for name in "QKV") and "V (n, d_v)" in pipeline
    legend = plotting.plot_value_plane(eye, eye, tokens, value_names="ab", title="t").axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["V 的一行", "输出的一行"]
    animation = animations.animate_scores(eye, eye, eye, tokens)._repr_html_()
    assert all(f"<caption>{name} (2, 2)" in animation for name in ("Q", "Kᵀ", "scores"))


PICTURES = {  # 图都由同一处写成 PNG；这里是底色、坐标轴、框各一种
    "plot_weights": lambda: plotting.plot_weights([[0.2, 0.8]], "猫", key_tokens="猫鱼", title="W"),
    "plot_lines": lambda: plotting.plot_lines([1, 2], {"a": [1, 2]}, title="L", x_name="x", y_name="y"),
    "plot_pipeline": lambda: plotting.plot_pipeline(2),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_brings_its_own_white_paper_to_a_dark_theme(name):
    figure, saved = PICTURES[name](), io.BytesIO()
    figure.savefig(saved, format="png")
    image, by_reader = Image.open(io.BytesIO(figure._repr_png_()[0])), Image.open(saved)
    assert image.mode == "RGB" and "transparency" not in image.info  # 没有一处透出深色的底
    for pixels in (np.asarray(image), np.asarray(by_reader.convert("RGBA"))):
        edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
        assert (edge == 255).all()
        assert (pixels[..., :3].max(axis=2) < 60).sum() > 50  # 深色的字写在白纸上

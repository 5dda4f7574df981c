"""两种颜色看得清吗：WCAG 2.2 的对比度，照规范重写一遍。"""

import re

import numpy as np
from matplotlib.colors import to_rgb


def linear(rgb):
    """sRGB 的每个分量（0 到 1）换成与光强成正比的。"""
    rgb = np.asarray(rgb, float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(color, background):
    """1 到 21；颜色是 matplotlib 认得的，或 CSS 的 rgb(…)。"""
    low, high = sorted(linear(_rgb(each)) @ [0.2126, 0.7152, 0.0722] for each in (color, background))
    return (high + 0.05) / (low + 0.05)


def _rgb(color):
    css = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", color) if isinstance(color, str) else None
    return [int(part) / 255 for part in css.groups()] if css else to_rgb(color)

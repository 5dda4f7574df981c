"""比图：笔记本里存下的 PNG 与重新画出的 PNG 看上去是不是一样。"""

import base64
import io

from PIL import Image, ImageChops, ImageFilter

COLOUR_TOLERANCE = 16  # 0…255；换一种 CPU 只差一两级，而热力图里最像的两个数字（6 和 8）至少差 60 级


def picture_difference(stored, drawn):
    """比较两张 base64 的 PNG；看不出差别时返回 None，否则返回一句话：差在哪里、差多少。

    换一种 CPU，颜色可能差一两级，边缘可能挪动一个像素。所以每个像素只要落在另一张图同一位置 3×3 邻域的
    颜色范围之内（再放宽 COLOUR_TOLERANCE），就算相同；两个方向都要成立。换一个数字、挪一个框都过不了这一关。
    """
    if stored == drawn:
        return None
    try:
        old = _open_picture(stored)
    except (OSError, SyntaxError, ValueError) as error:
        return f"存下的图打不开：{error}"
    new = _open_picture(drawn)
    if abs(old.width - new.width) > 1 or abs(old.height - new.height) > 1:
        return f"图的大小不同：存下 {old.width}×{old.height}，重新画出 {new.width}×{new.height} 像素"
    common = (0, 0, min(old.width, new.width), min(old.height, new.height))
    old, new = old.crop(common), new.crop(common)
    if _strongest(ImageChops.difference(old, new)) <= COLOUR_TOLERANCE:
        return None  # 多数情形到此为止；下面的邻域滤波慢得多
    excess = ImageChops.lighter(_outside_neighbourhood(old, new), _outside_neighbourhood(new, old))
    if (strongest := _strongest(excess)) <= COLOUR_TOLERANCE:
        return None
    left, top, right, bottom = excess.point(lambda level: 255 * (level > COLOUR_TOLERANCE)).getbbox()
    return (
        f"图不同：横 {left}–{right - 1}、纵 {top}–{bottom - 1} 像素之间，颜色最多差 {strongest}（满分 255）"
    )


def keep_equal_pictures(nb, stored):
    """看不出差别的图沿用 stored 里的字节：在另一种 CPU 上重新画过，文件也不变。两本的格要一样多。"""
    for cell, old_cell in zip(nb.cells, stored.cells, strict=True):
        for output, old_output in zip(cell.get("outputs", []), old_cell.get("outputs", []), strict=False):
            new, old = output.get("data", {}), old_output.get("data", {})
            both = "image/png" in new and "image/png" in old
            if both and picture_difference(old["image/png"], new["image/png"]) is None:
                new["image/png"] = old["image/png"]


def _open_picture(data):
    picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


def _strongest(difference):
    return max(high for _, high in difference.getextrema())


def _outside_neighbourhood(a, b):
    """a 的每个像素超出 b 的 3×3 邻域颜色范围多少。"""
    above = ImageChops.subtract(a, b.filter(ImageFilter.MaxFilter(3)))
    below = ImageChops.subtract(b.filter(ImageFilter.MinFilter(3)), a)
    return ImageChops.lighter(above, below)

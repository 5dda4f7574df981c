"""第 3 步：每个分数除以 √d_k。先认出 d_k 是哪个数，再除。"""

from utils.worksheet.paper import example, on_paper, table, text, texts

TITLE = "3 缩放"


def numbers():
    """写在纸上的数。"""
    parts = [_scaling_by_pencil(id, *example(name)) for id, name in (("", "我爱你"), ("cat-", "猫吃鱼"))]
    sizes = sorted({int(size) for part in parts for size in part["sizes"]})
    return {"both": parts, "roots": [_root(size) for size in sizes]}


def _scaling_by_pencil(id, e, steps):
    """一个例句：四个大小，写在纸上的分数除以写在纸上的 √d_k。"""
    found, root = on_paper(steps.scores), on_paper(e.d_k**0.5)
    scaled = found / root
    return {
        "example": e,
        "shapes": [(name, M.shape) for name, M in (("X", e.X), ("Q", steps.Q), ("V", steps.V))],
        "sizes": [str(size) for size in (e.n, e.d_model, e.d_k, e.d_v)],
        "given": table(f"{id}scores", r"\text{scores}", e.tokens, e.tokens, found),
        "division": texts([found[0, 0], root, scaled[0, 0]]),
        "result": table(f"{id}scaled", r"\text{scaled\_scores}", e.tokens, e.tokens, scaled),
    }


def _root(size):
    """一个平方根的 LaTeX：√4 = 2，√8 ≈ 2.8284。"""
    root = float(on_paper(size**0.5))
    relation = "=" if root**2 == size else r"\approx"
    return rf"\sqrt{{{size}}} {relation} {text(root)}"

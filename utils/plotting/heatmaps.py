"""热力图：一个矩阵、一张权重图、几个矩阵连成算式、拆开一个分数。"""

import re
from itertools import pairwise

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from utils.checks import LARGEST, as_names, is_integer, is_number, printable, shown
from utils.numbers import decimals, fixed, steady, tick
from utils.plotting import checks
from utils.plotting.figure import LINE, new_figure, place, write, write_title
from utils.plotting.panel import Panel
from utils.plotting.style import BASE, PAD, QKV_COLORS, ROOM, SMALL, TITLE, colormap, course_context
from utils.plotting.text import text_height, widest, wrap

QUERY_NAME, KEY_NAME = "查询（谁在看）", "键（看向谁）"

CELL = 48  # 一格的边长，CSS 像素；放不下时缩小
OPERATOR, GAP = 34, 22  # 两个矩阵之间：有运算符、没有运算符
MOST_ROWS = 64
BAR = 84  # 不写数的图右边有颜色条
SMALLEST = 1e-100  # 比它还小的颜色范围，除法会溢出


@course_context()
def plot_matrix(
    M,
    *,
    title,
    row_labels=None,
    col_labels=None,
    row_name="",
    col_name="",
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
    array = checks.matrix(M, "M", allow_masked=True)
    if limit is not None and not is_number(limit, SMALLEST, LARGEST):
        raise ValueError(
            f"limit 是颜色范围的一半，必须是大于 0 的数，在 {SMALLEST:g} 到 {LARGEST:g} 之间；"
            f"收到 {shown(limit)}。"
        )
    names = {"row_name": row_name, "col_name": col_name}
    look = {"color": checks.color(color), "title_size": TITLE, **names}
    panel = _panel(title, array, row_labels, col_labels, outline, **look)
    return _compose([[panel]], limit=float(limit) if limit else _limit([array]))


@course_context()
def plot_weights(weights, tokens, *, title, key_tokens=None, show_sums=False):
    """注意力权重：行是查询（谁在看），列是键（看向谁），颜色总是从 0 到 1。

    参数
    - weights: (n_q, n_k)，每个数在 0 到 1 之间。不要求每行的和是 1：沿错方向做的 softmax 也能画出来看。
    - tokens: n_q 个查询词元；key_tokens: n_k 个键词元，不给就与 tokens 相同。
    - show_sums: 在右边写每行的和，在下边写每列的和。

    返回 `CourseFigure`。数值越界、词元个数不对时抛出 ValueError。
    """
    array = checks.weights(weights)
    tokens = checks.required_labels(tokens, len(array), "行", array.shape)
    key_tokens = tokens if key_tokens is None else key_tokens
    names = {"row_name": QUERY_NAME, "col_name": KEY_NAME}
    panel = _panel(title, array, tokens, key_tokens, sums=show_sums, title_size=TITLE, **names)
    return _compose([[panel]])


@course_context()
def plot_matrices(
    panels,
    *,
    title="",
    operators=(),
    row_labels=None,
    col_labels=None,
    row_name="",
    col_name="",
    outline=None,
    kind="signed",
):
    """几个矩阵并排，共用一个颜色范围，可以连成算式。

    参数
    - panels: {"X": X, "W_Q": W_Q, "Q": Q}。名字后面自动写形状；Q、K、V（和 W_Q 等）有固定的颜色。
    - operators: 画在相邻两个矩阵之间，如 ("@", "=")；个数比矩阵少 1，或者不给。
    - row_labels, col_labels, outline: {矩阵名: 标签或框}，写法同 `plot_matrix`。
    - row_name, col_name: 每个矩阵两个方向的名字；权重不给就是「查询（谁在看）」「键（看向谁）」。
    - kind: "signed"（红负蓝正，关于 0 对称）或 "weights"（0 到 1）。

    返回 `CourseFigure`。名字、个数或形状对不上时抛出 ValueError。
    """
    if not isinstance(kind, str) or kind not in ("signed", "weights"):
        raise ValueError(f'kind 只能是 "signed" 或 "weights"；收到 {shown(kind)}。')
    panels = checks.mapping(panels, "panels", "{'Q': Q}")
    if not panels:
        raise ValueError("panels 里至少要有一个矩阵，如 {'Q': Q}；收到的是空的。")
    if kind == "weights":
        arrays = {name: checks.weights(M, name) for name, M in panels.items()}
    else:
        arrays = {name: checks.matrix(M, name, allow_masked=True) for name, M in panels.items()}
    operators = as_names("operators", () if operators is None else operators)
    if operators and len(operators) != len(arrays) - 1:
        raise ValueError(
            f"运算符画在相邻两个矩阵之间：{len(arrays)} 个矩阵要 {len(arrays) - 1} 个运算符；"
            f"收到 {len(operators)} 个。"
        )
    row_labels = checks.mapping(row_labels, "row_labels", "{'Q': tokens}")
    col_labels = checks.mapping(col_labels, "col_labels", "{'scores': tokens}")
    outline = checks.mapping(outline, "outline", "{'Q': ('row', 0)}")
    if unknown := [name for name in (*row_labels, *col_labels, *outline) if name not in arrays]:
        raise ValueError(
            f"没有叫 {'、'.join(unknown)} 的矩阵；panels 里有：{'、'.join(arrays)}。请核对名字。"
        )
    if kind == "weights":
        row_name, col_name = row_name or QUERY_NAME, col_name or KEY_NAME
    row = []
    for name, array in arrays.items():
        marks = row_labels.get(name), col_labels.get(name), outline.get(name)
        look = {"row_name": row_name, "col_name": col_name, "color": _qkv_color(name)}
        row.append(_panel(name, array, *marks, **look))
    for panel, operator in zip(row[1:], operators, strict=False):
        panel.operator = printable(operator)
    return _compose([row], title=title, limit=_limit(arrays.values()) if kind == "signed" else None)


@course_context()
def plot_score(Q, K, query, key, tokens, *, key_tokens=None):
    """拆开一个注意力分数：Q 的一行、K 的一行，逐项相乘，再相加。多于 64 行的 Q、K 只画这两行。

    参数
    - Q: (n_q, d_k)；K: (n_k, d_k)。
    - query, key: 第几个查询、第几个键，从 0 起。
    - tokens: n_q 个查询词元；key_tokens: n_k 个键词元，不给就与 tokens 相同。

    返回 `CourseFigure`。两个矩阵的列数不同、序号越界时抛出 ValueError。
    """
    Q, K = checks.matrix(Q, "Q"), checks.matrix(K, "K")
    if Q.shape[1] != K.shape[1]:
        raise ValueError(
            f"Q 和 K 的列数（d_k）必须相同，才能逐项相乘；收到 Q {Q.shape}、K {K.shape}。"
            "请检查是否误用了转置，或两个投影矩阵的列数不同。"
        )
    query_tokens = checks.required_labels(tokens, len(Q), "行", Q.shape)
    key_tokens = checks.required_labels(tokens if key_tokens is None else key_tokens, len(K), "行", K.shape)
    if not (is_integer(query, 0, len(Q) - 1) and is_integer(key, 0, len(K) - 1)):
        raise ValueError(
            f"query 要在 0 到 {len(Q) - 1} 之间、key 要在 0 到 {len(K) - 1} 之间"
            f"（Q {Q.shape}、K {K.shape}）；收到 query={shown(query)}、key={shown(key)}。"
        )
    blue, orange = QKV_COLORS["Q"], QKV_COLORS["K"]
    matrices = [
        _panel("Q", Q, query_tokens, outline=("row", query), color=blue),
        _panel("K", K, key_tokens, outline=("row", key), color=orange),
    ]
    products = Q[query] * K[key]
    strips = [
        Panel(Q[query][None], "", row_labels=[f"q {query_tokens[query]}"], color=blue),
        Panel(K[key][None], "", row_labels=[f"× k {key_tokens[key]}"], color=orange),
        Panel(products[None], "", row_labels=["= 逐项的积"]),
    ]
    total = fixed(products.sum(), max(strip.places for strip in strips))
    terms = [fixed(value, decimals(products)) for value in products]
    terms = [f"({term})" if term.startswith("−") and i else term for i, term in enumerate(terms)]
    footer = wrap(f"相加：{' + '.join(terms)} = {total}", BASE).split("\n")
    if len(footer) > 2:
        footer = [f"相加：{len(terms)} 项之和 = {total}"]
    title = f"查询「{query_tokens[query]}」与键「{key_tokens[key]}」的分数：{total}"
    # 矩阵太高时，和它一样高的格子会把三条压成线：只画三条
    rows = [matrices] if max(len(Q), len(K)) <= MOST_ROWS else []
    rows += [[strip] for strip in strips]
    return _compose(rows, title=title, limit=_limit([Q, K, products]), footer=footer)


def _panel(name, array, row_labels=None, col_labels=None, outline=(), **look):
    """检查标签和框；名字后面写上形状。"""
    rows, cols = array.shape
    return Panel(
        array,
        wrap(f"{name} ({rows}, {cols})"),
        row_labels=checks.labels(row_labels, rows, "行", array.shape),
        col_labels=checks.labels(col_labels, cols, "列", array.shape),
        outline=checks.outlines(outline, array.shape),
        **look | {key: printable(look[key]) for key in ("row_name", "col_name") if key in look},
    )


def _qkv_color(name):
    """Q、K、V（或 W_Q、W_K、W_V）开头的名字有固定的颜色；QKᵀ、Query 不是其中之一。"""
    match = re.match(r"(?:W_)?([QKV])(?![A-Za-z0-9])", name)
    return match and QKV_COLORS[match[1]]


def _limit(arrays):
    """几个矩阵里最大的绝对值；全零（或小得等于零）、全被遮住时是 1，画出来一片白。"""
    values = np.concatenate([np.abs(array[np.isfinite(array)]) for array in arrays])
    largest = steady(values.max(initial=0.0))
    return largest if largest >= SMALLEST else 1.0


# ---------------------------------------------------------------- 排版


def _compose(rows, *, title="", limit=None, footer=()):
    """把一行行的矩阵排成一张图，颜色从 −limit 到 limit；limit 是 None 时是权重，从 0 到 1。"""
    rows, cell, size = next(layout for layout in _layouts(rows) if _fits(*layout))
    bar = 0 if _numbered(rows) else BAR
    alone = [row[0] for row in rows if len(row) == 1]
    for panel in alone:  # 上下排列的矩阵左边对齐
        panel.min_left = max(other.names_width for other in alone)
    placed = [_across(row, cell) for row in rows]
    above = [max(box.top + box.height / 2 for _, box, _ in row) for row, _ in placed]
    below = [max(box.bottom + box.height / 2 for _, box, _ in row) for row, _ in placed]
    # 没有标题的两行（plot_score 的三条）靠得近一些
    gaps = [26 if any(panel.title for panel in [*one, *next_]) else 10 for one, next_ in pairwise(rows)]

    title = wrap(title)
    head = PAD + (text_height(title, TITLE) + 12 if title else 0)
    foot = PAD + (LINE * len(footer) + 8 if footer else 0)
    content = max(width for _, width in placed) + bar
    width = 2 * PAD + max(content, widest([title], TITLE), widest(footer, BASE))
    figure = new_figure(width, head + sum(above) + sum(below) + sum(gaps) + foot)
    if title:
        write_title(figure, title)

    norm = Normalize(-limit, limit) if limit else Normalize(0, 1)
    colors = colormap("signed" if limit else "weights")
    y = head
    for (row, row_width), up, down, gap in zip(placed, above, below, [*gaps, 0], strict=True):
        start = (figure.bbox.width - row_width - bar) / 2
        for panel, box, x in row:
            axes = place(figure, start + x, y + up - box.height / 2, box.width, box.height)
            panel.draw(axes, cell, size, colors, norm)
            if panel.operator:
                write(figure, start + x - box.left - OPERATOR / 2, y + up, panel.operator, TITLE)
        y += up + down + gap
    if bar:
        top = y - down - box.height / 2
        _draw_bar(
            figure, place(figure, figure.bbox.width - PAD - BAR + 20, top, 12, box.height), norm, colors
        )
    for i, line in enumerate(footer):
        write(figure, figure.bbox.width / 2, figure.bbox.height - foot + 21 + LINE * i, line)
    return figure


def _draw_bar(figure, axes, norm, colors):
    colorbar = figure.colorbar(ScalarMappable(norm, colors), cax=axes)
    middle = [(norm.vmin + norm.vmax) / 2] if axes.bbox.height > 90 else []
    ticks = [norm.vmin, *middle, norm.vmax]
    colorbar.set_ticks(ticks, labels=[tick(float(f"{value:.3g}")) for value in ticks])
    colorbar.outline.set_visible(False)


def _numbered(rows):
    return all(panel.numbered for row in rows for panel in row)


def _layouts(rows):
    """从好到坏的版面 (rows, (格宽, 格高), 数的字号)：缩小格子，缩小数，折成几行，少写小数，最后不写数。"""
    panels = [panel for row in rows for panel in row]
    while _numbered(rows):
        for arranged in (rows, _folded(rows)):
            for size, spare in ((BASE, 9), (SMALL, 5)):
                needed = max(panel.number_width(size) for panel in panels) + spare
                for cell in np.arange(max(CELL, needed), needed - 1, -1):
                    yield arranged, (max(cell, needed), min(max(cell, needed), CELL)), size
        for panel in panels:
            panel.numbered = panel.places > 0
            panel.places -= 1
    for panel in panels:
        panel.numbered = False
    tallest = max(panel.array.shape[0] for panel in panels)
    broadest = max(panel.array.shape[1] for panel in panels)
    for cell in np.arange(28, 0, -0.25):
        side = min(cell, 480 / tallest)
        # 很扁、很窄的矩阵：格子不再是正方形，但看得清
        yield rows, (min(cell, max(side, 60 / broadest)), max(side, 60 / tallest)), SMALL


def _fits(rows, cell, size):
    room = ROOM if _numbered(rows) else ROOM - BAR
    return all(_across(row, cell)[1] <= room for row in rows)


def _folded(rows):
    """放不下的行，贪心地折成几行。"""
    folded = []
    for row in rows:
        line = []
        for panel in row:
            if line and _across([*line, panel], (CELL, CELL))[1] > ROOM:
                folded.append(line)
                line = []
            line = [*line, panel]
        folded.append(line)
    return folded


def _across(row, cell):
    """一行从左到右：([(矩阵, 它的 Box, 它左边的 x)], 总宽)。"""
    placed, x = [], 0
    for panel in row:
        box = panel.box(cell)
        x += OPERATOR if panel.operator else GAP if placed else 0
        placed.append((panel, box, x + box.left))
        x += box.left + box.width + box.right
    return placed, x

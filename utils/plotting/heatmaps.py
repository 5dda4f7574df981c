"""热力图：一个矩阵、一张权重图、几个矩阵连成算式、拆开一个分数。"""

import re

import numpy as np

from utils.characters import printable
from utils.checks import (
    as_array,
    as_arrays,
    as_dict,
    as_integer,
    as_list,
    as_names,
    is_integer,
    refusal,
    require,
    shown,
)
from utils.numbers import bracketed, decimals, fixed, significant, steady
from utils.plotting.layout import compose
from utils.plotting.panel import Panel
from utils.plotting.style import BASE, QKV_COLORS, TITLE, course_context
from utils.plotting.text import wrap

QUERY_NAME, KEY_NAME = "查询（谁在看）", "键（看向谁）"
MOST_ROWS = 64  # 拆开一个分数时，更高的 Q、K 不画
SMALLEST = 1e-100  # 比它还小的颜色范围，除法会溢出


@course_context()
def plot_matrix(M, *, title, row_labels=None, col_labels=None, row_name="", col_name="", outline=()):
    """一个可正可负的矩阵：红为负、白为 0、蓝为正，颜色范围关于 0 对称。

    M : (行, 列)，−∞ 表示被遮住，画成灰格；title : 标题，形状自动写在后面，如「Q (3, 4)」。
    row_labels, col_labels : 每行、每列的名字；row_name, col_name : 两个方向的名字，如「词元」「列的含义」。
    outline : 要框出的部分，如 [("row", 0), ("col", 2), ("cell", 0, 2)]，序号从 0 起。
    返回 `CourseFigure`。ValueError：形状、标签数或 outline 不对。
    """
    array = as_array("M", M, "(行, 列)", masked="any")
    look = {"title_size": TITLE, "row_name": row_name, "col_name": col_name}
    return compose([[_panel(title, array, row_labels, col_labels, outline, **look)]], limit=_limit([array]))


@course_context()
def plot_weights(weights, tokens, *, title, key_tokens=None, row_name=QUERY_NAME, show_sums=False):
    """注意力权重：行是查询（谁在看），列是键（看向谁），颜色总是从 0 到 1。

    weights : (n_q, n_k)，每个数在 0 到 1 之间；每行的和不必是 1：沿错方向做的 softmax 也能画出来看。
    tokens : n_q 个查询词元；key_tokens : n_k 个键词元，不给就与 tokens 相同。
    row_name : 行不是查询时写它是什么，如「句子」「头」；show_sums : 在右边写每行的和，在下边写每列的和。
    返回 `CourseFigure`。ValueError：数值越界、词元个数不对。
    """
    array = as_weights("weights", weights)
    names = {"row_name": row_name, "col_name": KEY_NAME}
    key_tokens = tokens if key_tokens is None else key_tokens
    return compose([[_panel(title, array, tokens, key_tokens, sums=show_sums, title_size=TITLE, **names)]])


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

    panels : {"X": X, "W_Q": W_Q, "Q": Q}；名字后面自动写形状，Q、K、V（和 W_Q 等）有固定的颜色。
    operators : 画在相邻两个矩阵之间，如 ("@", "=")；个数比矩阵少 1，或者不给。
    row_labels, col_labels : 一列名字，每个矩阵都用它；或者 {矩阵名: 名字}。
    outline : {矩阵名: 框}，框的写法同 `plot_matrix`。
    row_name, col_name : 每个矩阵两个方向的名字；权重不给就是「查询（谁在看）」「键（看向谁）」。
    kind : "signed"（红负蓝正，关于 0 对称）或 "weights"（0 到 1）。
    返回 `CourseFigure`。ValueError：名字、个数或形状对不上。
    """
    require(kind in ("signed", "weights"), 'kind 只能是 "signed" 或 "weights"', shown(kind), "核对拼写")
    signed = kind == "signed"
    arrays = {
        name: as_array(name, M, "(行, 列)", masked="any") if signed else as_weights(name, M)
        for name, M in as_dict("panels", panels, "{'Q': Q}").items()
    }
    operators = as_names("operators", operators)
    require(
        len(operators) in (0, len(arrays) - 1),
        f"运算符画在相邻两个矩阵之间：{len(arrays)} 个矩阵要 {len(arrays) - 1} 个运算符",
        f"{len(operators)} 个",
        '写成如 ("@", "=")，或者不给',
    )
    marks = {
        name: _by_panel(name, value, arrays)
        for name, value in {"row_labels": row_labels, "col_labels": col_labels, "outline": outline}.items()
    }
    row_name, col_name = row_name or ("" if signed else QUERY_NAME), col_name or ("" if signed else KEY_NAME)
    row = []
    for name, array in arrays.items():
        look = {"row_name": row_name, "col_name": col_name, "color": _qkv_color(name)}
        row.append(_panel(name, array, *(mark.get(name) for mark in marks.values()), **look))
    for panel, operator in zip(row[1:], operators, strict=False):
        panel.operator = printable(operator)
    return compose([row], title=title, limit=_limit(arrays.values()) if signed else None)


@course_context()
def plot_score(Q, K, query, key, tokens, *, key_tokens=None):
    """拆开一个注意力分数：Q 的一行、K 的一行，逐项相乘，再相加。多于 64 行的 Q、K 只画这两行。

    Q : (n_q, d_k)；K : (n_k, d_k)；query, key : 第几个查询、第几个键，从 0 起。
    tokens : n_q 个查询词元；key_tokens : n_k 个键词元，不给就与 tokens 相同。
    返回 `CourseFigure`。ValueError：两个矩阵的列数不同、词元个数不对、序号越界。
    """
    Q, K = as_arrays("(n_q, d_k), (n_k, d_k)", Q=Q, K=K)
    query = as_integer("query", query, 0, len(Q) - 1, 0)
    key = as_integer("key", key, 0, len(K) - 1, 0)
    query_tokens = as_names("tokens", tokens, len(Q), "行")
    key_tokens = as_names("key_tokens", tokens if key_tokens is None else key_tokens, len(K), "行")
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
    first, *terms = [fixed(value, decimals(products)) for value in products]
    footer = wrap(f"相加：{' + '.join([first, *map(bracketed, terms)])} = {total}", BASE).split("\n")
    if len(footer) > 2:
        footer = [f"相加：{len(terms)} 项之和 = {total}"]
    title = f"查询「{query_tokens[query]}」与键「{key_tokens[key]}」的分数：{total}"
    # 矩阵太高时，和它一样高的格子会把三条压成线：只画三条
    rows = [matrices] if max(len(Q), len(K)) <= MOST_ROWS else []
    rows += [[strip] for strip in strips]
    return compose(rows, title=title, limit=_limit([Q, K, products]), footer=footer)


def as_weights(name, value):
    """(n_q, n_k) 的注意力权重，一个新数组。ValueError：不是矩阵，或有数不在 0 到 1 之间。"""
    array = as_array(name, value, "(n_q, n_k)")
    require(
        array.min() >= -1e-9 and array.max() <= 1 + 1e-9,
        f"{name} 是注意力权重，每个数都要在 0 到 1 之间",
        f"形状 {array.shape}，从 {significant(array.min())} 到 {significant(array.max())}",
        "先做 softmax；要画分数请用 plot_matrix",
    )
    return array


def _by_panel(argument, value, arrays):
    """{矩阵名: …}；不是字典就是每个矩阵都一样。"""
    if not isinstance(value, dict):
        return dict.fromkeys(arrays, value)
    value = {str(name): item for name, item in value.items()}
    unknown = [name for name in value if name not in arrays]
    have = "、".join(arrays)
    require(not unknown, f"{argument} 里的名字要在 panels 里（有 {have}）", "、".join(unknown), "核对名字")
    return value


def _panel(name, array, row_labels=None, col_labels=None, outline=(), **look):
    """检查标签和框；名字后面写上形状。"""
    rows, cols = array.shape
    for argument in {"row_name", "col_name"} & look.keys():
        look[argument] = printable(look[argument])
    return Panel(
        array,
        wrap(f"{name} ({rows}, {cols})"),
        row_labels=row_labels if row_labels is None else as_names("行的标签", row_labels, rows, "行"),
        col_labels=col_labels if col_labels is None else as_names("列的标签", col_labels, cols, "列"),
        outline=_outlines(outline, array.shape),
        **look,
    )


def _outlines(outline, shape):
    """("row", i)、("col", j)、("cell", i, j) -> [(左, 上, 宽, 高)]，单位是格。"""
    rows, cols = shape
    items = [] if outline is None else as_list(outline)
    items = [items] if items and isinstance(items[0], str) else items
    boxes = []
    for item in [outline] if items is None else items:
        match item:
            case ("row", i) if is_integer(i, 0, rows - 1):
                boxes.append((0, i, cols, 1))
            case ("col", j) if is_integer(j, 0, cols - 1):
                boxes.append((j, 0, 1, rows))
            case ("cell", i, j) if is_integer(i, 0, rows - 1) and is_integer(j, 0, cols - 1):
                boxes.append((j, i, 1, 1))
            case _:
                raise refusal(
                    f"outline 里的框，序号从 0 起，不超出形状 {shape}",
                    shown(item),
                    "写成 ('row', i)、('col', j) 或 ('cell', i, j)",
                )
    return boxes


def _qkv_color(name):
    """Q、K、V（或 W_Q、W_K、W_V）开头的名字有固定的颜色；QKᵀ、Query 不是其中之一。"""
    match = re.match(r"(?:W_)?([QKV])(?![A-Za-z0-9])", name)
    return match and QKV_COLORS[match[1]]


def _limit(arrays):
    """几个矩阵里最大的绝对值；全零（或小得等于零）、全被遮住时是 1，画出来一片白。"""
    values = np.concatenate([np.abs(array[np.isfinite(array)]) for array in arrays])
    largest = steady(values.max(initial=0.0))
    return largest if largest >= SMALLEST else 1.0

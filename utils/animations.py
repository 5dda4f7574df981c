"""演：把一个矩阵乘法逐步演一遍，一步一格或一步一行，能点着看，也能在幻灯片上按 → 看。

三个矩阵按笔算的样子摆：左下乘右上，结果在右下。每一帧点亮用到的行和列，旁边写出这一步的乘积与和。
这里不算注意力：结果由调用者传入；与乘积对不上就拒绝，动画里不会有错的和。

动画是一段 HTML：只有 CSS，没有脚本，不联网。不受信任的地方去掉 CSS 以后，各帧一张接一张排开，
点亮的数是 ``<mark>``，照样读得懂。``repr`` 用文字念出每一帧。
"""

import html
import re
import zlib
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from utils.checks import as_array, as_names, printable, shown
from utils.notation import number
from utils.plotting.heatmaps import as_weights
from utils.plotting.style import FRAME, GREY, INK, LIT_COLOR, QKV_COLORS, text_color

MOST_TOKENS = 6  # 36 步；再多，一步步看就没有意思了
MOST_COLUMNS = 8  # d_k 或 d_v；再宽，一步的乘积写不进一行
LARGEST = 1e6  # 更大的数写不进格子
TOLERANCE = 1e-6  # float32 算出的结果也收
LONGEST_LABEL = 8  # 个字；更长的标签截短

_COLORS = {  # 深到能托住白字，也能在白底上写字
    **{name.lower(): text_color(color) for name, color in QKV_COLORS.items()},
    "ink": INK,
    "grey": GREY,
    "line": FRAME,
    "lit": LIT_COLOR,
}
_VARIABLES = ";".join(f"--animation-{name}:{color}" for name, color in _COLORS.items())
STYLE = f".animation[data-animation]{{{_VARIABLES}}}\n"
STYLE += (
    "\n".join(f".animation[data-animation] .animation-w{n} td{{width:{n / 2}em}}" for n in range(6, 23))
    + "\n"
)
STYLE += Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Animation:
    """一部动画。

    title : 片名；description : 文字描述，一步一行；name : HTML 里各个 id 的开头，同样的内容总是同样的 id；
    frames : 每一帧的（文字, 三个表），都是 HTML，第 0 帧是还没开始。
    """

    title: str
    description: str
    frames: tuple[tuple[str, str], ...]
    name: str

    def __repr__(self):
        return self.description

    def _repr_html_(self):
        last = len(self.frames) - 1
        shots = "\n".join(self._shot(step, last) for step in range(last + 1))
        # 两个 ignore：词元里的 $ 不会被 MathJax 当成公式
        return (
            f'<figure class="animation mathjax_ignore tex2jax_ignore" id="{self.name}" data-animation>\n'
            f"<style>{STYLE}</style>\n"
            f'<figcaption class="animation-title">{html.escape(self.title)}</figcaption>\n'
            f'<div class="animation-frames">\n{shots}\n</div>\n</figure>'
        )

    def _shot(self, step, last):
        """一个单选钮，紧跟它的一帧：选中哪个，就显示哪一帧。

        属性 hidden 由 CSS 撤销：去掉了 CSS 的地方，没用的按钮就不出现（写成空值会被 JupyterLab 滤掉）。
        data-lm-suppress-shortcuts 让 JupyterLab 把方向键留给单选钮，不拿去换格。
        """
        story, tables = self.frames[step]
        count = f"第 {step} / {last} 步" if step else f"开始，共 {last} 步"
        back = f'<label class="animation-back" for="{self.name}-{step - 1}"></label>' if step else ""
        on = (
            f'<label class="animation-next" for="{self.name}-{step + 1}"></label>'
            if step < last
            else f'<label class="animation-again" for="{self.name}-0"></label>'
        )
        return (
            f'<input class="animation-radio" type="radio" name="{self.name}" id="{self.name}-{step}" '
            f'aria-label="{count}"{"" if step else " checked"} hidden="hidden" '
            'data-lm-suppress-shortcuts="true">\n'
            f'<div class="animation-frame{" fragment" if step else ""}" role="group" aria-label="{count}">\n'
            '<div class="animation-board">\n<div class="animation-story">\n'
            f'<p><b class="animation-step">{count}</b> '
            f"{story}\n</div>\n{tables}\n</div>\n"
            f'<div class="animation-controls" hidden="hidden">{back}{on}</div>\n</div>'
        )


def animate_scores(Q, K, scores, tokens, *, queries=None, name=None):
    """第 2 步，一步算一个分数：scores 的第 i 行第 j 列是 Q 的第 i 行与 Kᵀ 的第 j 列的点积。

    Q : (n_q, d_k)；K : (n_k, d_k)；scores : (n_q, n_k)，即 Q Kᵀ；tokens : n_k 个键的词元。
    queries : n_q 个查询的词元，不写就是 tokens。n_q、n_k 最多 6，d_k 最多 8，每个数的绝对值小于 1e6。
    name : id 的开头，不写就由内容决定；同一页放两部一模一样的动画时才要写。
    返回 Animation，n_q × n_k 步，从左到右、从上到下。
    ValueError：形状不合、太大，或 scores 不是 Q Kᵀ（指出第一个不对的数）。
    """
    Q, K, scores = (
        as_array("Q", Q, "(行, 列)"),
        as_array("K", K, "(行, 列)"),
        as_array("scores", scores, "(行, 列)"),
    )
    _check_shapes(
        {"Q": Q, "K": K, "scores": scores},
        Q.shape[1] == K.shape[1],
        (len(Q), len(K)),
        "Q 与 K 的列数相同（都是 d_k）",
    )
    _check_result("scores", scores, Q, K.T, "attention_scores(Q, K)")
    rows, cols = _labels(queries, tokens, scores.shape)
    wide = _width(Q), _width(K, scores, labels=cols)

    def tables(step, i=None, j=None):
        done = np.arange(scores.size).reshape(scores.shape) < step
        row, col, cell = (None, None, None) if i is None else (np.s_[i, :], np.s_[:, j], (i, j))
        return (
            _table("left animation-q", f"Q {Q.shape} · 查询", Q, wide[0], rows=rows, lit=row),
            _table("top animation-k", f"Kᵀ {K.T.shape} · 键", K.T, wide[1], cols=cols, lit=col),
            _table(
                "result",
                f"scores {scores.shape} · 注意力分数",
                scores,
                wide[1],
                rows=rows,
                cols=cols,
                shown=done,
                now=cell,
            ),
        )

    frames = [("scores 还是空的。每一步取 Q 的一行和 Kᵀ 的一列，对应相乘，再相加。", "", tables(0))]
    lines = []
    for step, (i, j) in enumerate(product(range(len(rows)), range(len(cols))), start=1):
        who = "查询「{}」· 键「{}」："
        names = rows[i], cols[j]
        where = f"Q 的第 {i + 1} 行，Kᵀ 的第 {j + 1} 列 → scores 的第 {i + 1} 行第 {j + 1} 列"
        plain, shown = _dot(Q[i], K[j], scores[i, j])
        frames.append((who.format(*map(_isolated, names)) + shown, where, tables(step, i, j)))
        lines.append(f"{who.format(*names)}{plain}；{where}")
    return _animation(
        "scores = Q Kᵀ：一步算一个分数",
        [f"Q {Q.shape}：{_read(rows, Q)}", f"K {K.shape}，在 Kᵀ 里一列一个键：{_read(cols, K)}"],
        lines,
        f"scores {scores.shape}：{_read(rows, scores)}",
        frames,
        "animation-scores",
        name,
    )


def animate_weighted_sum(weights, V, output, tokens, columns=None, *, queries=None, name=None):
    """第 5 步，一步加一行值：output 的第 i 行是 V 的各行乘上 weights 第 i 行的数，加起来。

    weights : (n_q, n_k)，每个数在 0 到 1 之间；V : (n_k, d_v)；output : (n_q, d_v)，即 weights V；
    tokens : n_k 个键的词元。columns : d_v 个列名；queries : n_q 个查询的词元，不写就是 tokens。
    n_q、n_k 最多 6，d_v 最多 8，每个数的绝对值小于 1e6。name : 同 `animate_scores`。
    返回 Animation，n_q × n_k 步：先给第 1 行加上每个键的值，再给第 2 行加……没有加完的一行用文字注明。
    ValueError：形状不合、太大，或 output 不是 weights V（指出第一个不对的数）。
    """
    weights = as_weights("weights", weights)
    V, output = as_array("V", V, "(行, 列)"), as_array("output", output, "(行, 列)")
    _check_shapes(
        {"weights": weights, "V": V, "output": output},
        weights.shape[1] == len(V),
        (len(weights), V.shape[1]),
        "weights 的列数等于 V 的行数（都是 n_k，一个键配一个值）",
    )
    _check_result("output", output, weights, V, "weighted_sum(weights, V)")
    rows, keys = _labels(queries, tokens, weights.shape)
    columns = columns and as_names("columns", columns, V.shape[1], "列")
    columns = columns and [_short(column) for column in columns]
    sums = np.cumsum(weights[:, :, None] * V, axis=1)  # sums[i, k]：第 i 行加到第 k 个键
    sums[:, -1] = output
    wide = _width(weights, labels=keys), _width(V, sums, labels=columns)

    def tables(step, i=None, k=None):
        so_far, done = output.copy(), np.zeros(output.shape, bool)
        cell, value, row, unfinished = None, None, None, None
        if step:
            so_far[i], done[: i + 1] = sums[i, k], True
            cell, value, row = (i, k), np.s_[k, :], np.s_[i, :]
            unfinished = i if k < len(keys) - 1 else None
        return (
            _table(
                "left",
                f"weights {weights.shape} · 注意力权重",
                weights,
                wide[0],
                rows=rows,
                cols=keys,
                lit=cell,
            ),
            _table("top animation-v", f"V {V.shape} · 值", V, wide[1], rows=keys, cols=columns, lit=value),
            _table(
                "result animation-sums",
                f"output {output.shape} · 输出",
                so_far,
                wide[1],
                rows=rows,
                cols=columns,
                shown=done,
                now=row,
                unfinished=unfinished,
            ),
        )

    frames = [("output 还是空的。每一步取一个权重，乘上 V 的一行，加进 output 的一行。", "", tables(0))]
    lines = []
    for step, (i, k) in enumerate(product(range(len(rows)), range(len(keys))), start=1):
        rest = "".join(f"「{key}」" for key in keys[k + 1 :])
        who = "输出「{}」加到键「{}」" if rest else "输出「{}」"
        names = (rows[i], keys[k])
        state = f"没有加完，还差{rest}" if rest else "加完了"
        where = f"weights 的第 {i + 1} 行第 {k + 1} 列 × V 的第 {k + 1} 行 → 加进 output 的第 {i + 1} 行"
        plain, shown = _mixture(weights[i, : k + 1], V[: k + 1], sums[i, k], f"（{state}）")
        frames.append((f"{who.format(*map(_isolated, names))} {shown}", where, tables(step, i, k)))
        lines.append(f"{who.format(*names)} {plain}；{where}")
    names = f"（列：{'、'.join(columns)}）" if columns else ""
    return _animation(
        "output = weights V：一步加一行值",
        [f"weights {weights.shape}：{_read(rows, weights)}", f"V {V.shape}{names}：{_read(keys, V)}"],
        lines,
        f"output {output.shape}：{_read(rows, output)}",
        frames,
        "animation-weighted-sum",
        name,
    )


def _animation(title, opening, lines, ending, frames, kind, name):
    """frames 是 [(这一步的式子, 在哪里, 三个表)]；没有 name 就用 kind 加上内容的校验和。"""
    steps = [f"第 {step} 步：{line}" for step, line in enumerate(lines, start=1)]
    description = "\n".join([f"动画「{title}」，共 {len(lines)} 步", *opening, *steps, ending])
    shots = []
    for story, where, tables in frames:
        place = f'\n<p class="animation-place">{where}</p>' if where else ""
        shots.append((f"{story}</p>{place}", "\n".join(tables)))
    if name is None:
        name = f"{kind}-{zlib.crc32(str([title, shots]).encode()):08x}"
    elif not (isinstance(name, str) and re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name)):
        raise ValueError(f"name 用作 HTML 的 id：以字母开头，只含字母、数字、- 和 _；收到 {shown(name)}。")
    return Animation(title, description, tuple(shots), name)


# ---------------------------------------------------------------- 检查


def _check_shapes(matrices, fit, expected, rule):
    """matrices 是 {名字: 矩阵}：左、右、结果；fit 说左右乘不乘得上，expected 是结果应有的形状。"""
    received = "，".join(f"{name} {M.shape}" for name, M in matrices.items())
    if not fit:
        raise ValueError(f"一步步相乘要求 {rule}；收到 {received}。请看看是不是转置了，或来自不同的句子。")
    left, right, result = matrices.values()
    if result.shape != expected:
        name = list(matrices)[-1]
        raise ValueError(f"{name} 的形状应是 {expected}；收到 {received}。请传入同一次计算的三个矩阵。")
    n_q, n_k, width = len(left), len(right), right.shape[1]
    if max(n_q, n_k) > MOST_TOKENS or width > MOST_COLUMNS:
        raise ValueError(
            f"动画最多放 {MOST_TOKENS} 个查询、{MOST_TOKENS} 个键，一行最多 {MOST_COLUMNS} 个数；"
            f"收到 {received}。请只看其中几行（例如第一个矩阵和结果都取 [:3]，queries=tokens[:3]），"
            "或者用 plot_weights、plot_matrix 看整个矩阵。"
        )
    for name, M in matrices.items():
        if np.abs(M).max() >= LARGEST:
            raise ValueError(
                f"动画里的数，绝对值要小于 {LARGEST:g}，才写得进格子；收到 {name} {M.shape}，"
                f"最大的是 {np.abs(M).max():g}。请先把数除小，再算一遍。"
            )


def _check_result(name, result, left, right, call):
    """result 的每个数都要是 left 的一行与 right 的一列的点积；这只是核对，动画里写的是 result。"""
    expected, scale = left @ right, np.abs(left) @ np.abs(right)
    wrong = np.argwhere(np.abs(result - expected) > TOLERANCE * np.maximum(1, scale))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(
            f"动画里不能有错的和：{name} {result.shape} 的第 {i + 1} 行第 {j + 1} 列"
            f"应是 {expected[i, j]:.7g}，收到 {result[i, j]:.7g}。"
            f"请原样传入 {call} 的结果：没有舍入、缩放或转置过。"
        )


def _labels(queries, tokens, shape):
    """行和列的标签；太长的截短，与图一样。"""
    rows = as_names("行的标签", tokens if queries is None else queries, shape[0], "行")
    cols = as_names("列的标签", tokens, shape[1], "列")
    return [_short(label) for label in rows], [_short(label) for label in cols]


# ---------------------------------------------------------------- 数与式子


def _short(label):
    """一个标签：控制字符换成空格，太长就截短，末尾加省略号。"""
    label = printable(label)
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


def _isolated(label):
    """一个标签的 HTML；从右往左写的文字不会打乱后面的数。"""
    return f"<bdi>{html.escape(label)}</bdi>"


def _write(value):
    return number(value).replace("-", "−")


def _factor(value):
    text = _write(value)
    return f"({text})" if text.startswith("−") else text


def _vector(values):
    return f"[{', '.join(map(_write, values))}]"


def _exact(*arrays):
    """这些数是否都写得下：写得下用 =，否则用 ≈。"""
    values = np.concatenate([np.ravel(array) for array in arrays])
    return np.allclose(values, [float(number(value)) for value in values], rtol=1e-15, atol=1e-12)


def _equals(exact):
    return "=" if exact else "≈"


def _dot(q, k, total):
    """一个点积，因数、乘积、和各占一行：(文字, HTML)。一处舍入过，后面就都是 ≈。"""
    exact = _exact(q, k, q * k)
    factors = [(_factor(a), _factor(b)) for a, b in zip(q, k, strict=True)]
    products = f"{_equals(exact)} {' + '.join(map(_factor, q * k))}"
    relation = _equals(exact and _exact([total]))
    colored = " + ".join(f'<b class="animation-q">{a}</b>×<b class="animation-k">{b}</b>' for a, b in factors)
    plain = " + ".join(f"{a}×{b}" for a, b in factors)
    if len(q) == 1:  # 只有一项：它就是和
        return (
            f"{plain} {relation} {_write(total)}",
            _lines(colored, f"{relation} <strong>{_write(total)}</strong>"),
        )
    return (
        f"{plain} {products} {relation} {_write(total)}",
        _lines(colored, products, f"{relation} <strong>{_write(total)}</strong>"),
    )


def _mixture(weights, values, total, note):
    """几行值的加权和，一行值占一行，最后是加到这里的和，后面接着 note：(文字, HTML)。"""
    exact = _exact(weights, values)
    terms = [(_write(w), _vector(v)) for w, v in zip(weights, values, strict=True)]
    signs = [_equals(exact)] + ["+"] * (len(terms) - 1)
    result = f"{_equals(exact and _exact(total))} "
    plain = " ".join(f"{sign} {w} × {v}" for sign, (w, v) in zip(signs, terms, strict=True))
    shown = [
        f'{sign} {w} × <b class="animation-v">{v}</b>' for sign, (w, v) in zip(signs, terms, strict=True)
    ]
    shown[-1] = f'<span class="animation-added">{shown[-1]}</span>'
    total = _vector(total)
    state = f'<span class="animation-state">{html.escape(note)}</span>'
    return f"{plain} {result}{total}{note}", _lines(*shown, f"{result}<strong>{total}</strong>{state}")


def _lines(*parts):
    return " ".join(f'<span class="animation-sum">{part}</span>' for part in parts)


def _read(labels, M):
    return "；".join(f"{label} {' '.join(map(_write, row))}" for label, row in zip(labels, M, strict=True))


# ---------------------------------------------------------------- 表格


def _mask(shape, where):
    mask = np.zeros(shape, bool)
    if where is not None:
        mask[where] = True
    return mask


def _width(*matrices, labels=()):
    """一格多宽：放得下最长的数和列名，单位是半个 em；对应样式里的 animation-w6 到 animation-w22。"""
    texts = [_write(value) for M in matrices for value in M.flat] + list(labels or ())
    return min(22, max(6, *(int(np.ceil(2 * sum(map(_em, text)) + 2.4)) for text in texts)))


def _em(letter):
    return 0.3 if letter == "." else 0.58 if ord(letter) < 0x2E80 else 1


def _table(kind, caption, M, width, *, rows=None, cols=None, lit=None, shown=None, now=None, unfinished=None):
    """一个矩阵，rows、cols 是行和列的标签。

    lit 是点亮的格；shown 以外的格还空着；now 是这一步算出的格；unfinished 是没有加完的那一行。
    """
    lit, now = _mask(M.shape, lit), _mask(M.shape, now)
    used = lit | now
    lit_heads = [line if line.sum() == 1 else ~line & line for line in (used.any(axis=1), used.any(axis=0))]

    def head(label, side, is_lit, note=""):
        text = html.escape(label)
        return f'<th scope="{side}">{f"<mark>{text}</mark>" if is_lit else text}{note}</th>'

    def cell(i, j):
        text = _write(M[i, j]) if shown is None or shown[i, j] else ""
        if now[i, j]:
            tag = "em" if i == unfinished else "strong"
            text = f"<{tag}>{text}</{tag}>"
        return f"<td>{f'<mark>{text}</mark>' if lit[i, j] else text}</td>"

    top = ""
    if cols:
        corner = "<td></td>" if rows else ""
        names = "".join(head(label, "col", lit_heads[1][j]) for j, label in enumerate(cols))
        top = f"<thead><tr>{corner}{names}</tr></thead>"
    body = []
    for i in range(len(M)):
        note = " <small>没加完</small>" if i == unfinished else ""
        name = head(rows[i], "row", lit_heads[0][i], note) if rows else ""
        body.append(f"<tr>{name}{''.join(cell(i, j) for j in range(M.shape[1]))}</tr>")
    # 行内样式只为去掉了 CSS 的地方：三个表并排
    return (
        f'<table class="animation-table animation-w{width} animation-{kind}" style="display:inline-table">'
        f"<caption>{html.escape(caption)}</caption>{top}<tbody>{''.join(body)}</tbody></table>"
    )

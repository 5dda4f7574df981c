"""演：把一个矩阵乘法、多头的形状、或两支箭头的旋转逐步演一遍，能点着看，也能在幻灯片上按 → 看。

一个乘法的三个矩阵按笔算的样子摆：左下乘右上，结果在右下。每一帧点亮用到的行和列，旁边写出这一步的乘积与和。
这里不算注意力：结果由调用者传入；与乘积对不上就拒绝，动画里不会有错的和。
"""

from itertools import product

import numpy as np

from utils.animation_player import cell_width, draw_arrows, make_animation, make_table
from utils.animation_sums import dot_lines, isolated, mixture_lines, read_rows, written
from utils.characters import printable
from utils.checks import as_arrays, as_names, refusal, require
from utils.numbers import write
from utils.plotting.heatmaps import as_weights
from utils.positions import rotate

MOST_TOKENS = 6  # 36 步；再多，一步步看就没有意思了
MOST_COLUMNS = 8  # d_k 或 d_v；再宽，一步的乘积写不进一行
_TOLERANCE = 1e-6  # float32 算出的结果也收
LONGEST_LABEL = 8  # 个字；更长的标签截短


def animate_scores(Q, K, scores, tokens):
    """第 2 步，一步算一个分数：scores 的第 i 行第 j 列是 Q 的第 i 行与 Kᵀ 的第 j 列的点积。

    Q, K : (n, d_k)；scores : (n, n)，即 Q Kᵀ；tokens : n 个词元。n 最多 6，d_k 最多 8。
    返回 Animation，n × n 步，从左到右、从上到下。
    ValueError：形状不合、太大，或 scores 不是 Q Kᵀ（指出第一个不对的数）。
    """
    Q, K, scores = as_arrays("(n, d_k), (n, d_k), (n, n)", Q=Q, K=K, scores=scores)
    tokens = _labels(tokens, Q=Q, K=K, scores=scores)
    _check_result("scores", scores, Q, K.T, "attention_scores(Q, K)")
    n, d_k = Q.shape
    q, k, s = written(Q), written(K.T), written(scores)
    narrow, wide = cell_width(q), cell_width(k, s, [tokens])

    def tables(step, i=None, j=None):
        done = [[s[row][col] if row * n + col < step else "" for col in range(n)] for row in range(n)]
        row = {(i, m) for m in range(d_k)} if step else set()
        col = {(m, j) for m in range(d_k)} if step else set()
        cell = {(i, j)} if step else set()
        return (
            make_table("left animation-q", f"Q {Q.shape} · 查询", q, narrow, tokens, lit=row),
            make_table("top animation-k", f"Kᵀ {K.T.shape} · 键", k, wide, (), tokens, lit=col),
            make_table("result", f"scores {scores.shape} · 注意力分数", done, wide, tokens, tokens, now=cell),
        )

    frames = [("scores 还是空的。每一步取 Q 的一行和 Kᵀ 的一列，对应相乘，再相加。", "", tables(0))]
    for step, (i, j) in enumerate(product(range(n), range(n)), start=1):
        who = f"查询「{isolated(tokens[i])}」· 键「{isolated(tokens[j])}」："
        where = f"Q 的第 {i + 1} 行，Kᵀ 的第 {j + 1} 列 → scores 的第 {i + 1} 行第 {j + 1} 列"
        frames.append((who + dot_lines(Q[i], K[j], s[i][j]), where, tables(step, i, j)))
    read = [
        f"Q {Q.shape}：{read_rows(tokens, Q)}",
        f"K {K.shape}，在 Kᵀ 里一列一个键：{read_rows(tokens, K)}",
    ]
    closing = f"scores {scores.shape}：{read_rows(tokens, scores)}"
    return make_animation("animation-scores", "scores = Q Kᵀ：一步算一个分数", read, frames, closing)


def animate_weighted_sum(weights, V, output, tokens):
    """第 5 步，一步加一行值：output 的第 i 行是 V 的各行乘上 weights 第 i 行的数，加起来。

    weights : (n, n)，每个数在 0 到 1 之间；V : (n, d_v)；output : (n, d_v)，即 weights V；tokens : n 个词元。
    n 最多 6，d_v 最多 8。
    返回 Animation，n × n 步：先给第 1 行加上每个键的值，再给第 2 行加……没有加完的一行用文字注明。
    ValueError：形状不合、太大，或 output 不是 weights V（指出第一个不对的数）。
    """
    weights = as_weights("weights", weights)
    weights, V, output = as_arrays("(n, n), (n, d_v), (n, d_v)", weights=weights, V=V, output=output)
    tokens = _labels(tokens, weights=weights, V=V, output=output)
    _check_result("output", output, weights, V, "weighted_sum(weights, V)")
    n, d_v = V.shape
    sums = np.cumsum(weights[:, :, None] * V, axis=1)  # sums[i, k]：第 i 行加到第 k 个键
    sums[:, -1] = output
    w, v, out = written(weights), written(V), written(output)
    narrow, wide = cell_width(w, [tokens]), cell_width(v, *map(written, sums))

    def tables(step, i=-1, k=None):
        so_far = [
            *out[: max(i, 0)],
            *written(sums[i : i + 1, k] if step else []),
            *[[""] * d_v] * (n - i - 1),
        ]
        weight = {(i, k)} if step else set()
        value = {(k, c) for c in range(d_v)} if step else set()
        row = {(i, c) for c in range(d_v)} if step else set()
        now = {"now": row, "unfinished": i if step and k < n - 1 else None}
        return (
            make_table(
                "left", f"weights {weights.shape} · 注意力权重", w, narrow, tokens, tokens, lit=weight
            ),
            make_table("top animation-v", f"V {V.shape} · 值", v, wide, tokens, lit=value),
            make_table("result animation-sums", f"output {output.shape} · 输出", so_far, wide, tokens, **now),
        )

    frames = [("output 还是空的。每一步取一个权重，乘上 V 的一行，加进 output 的一行。", "", tables(0))]
    for step, (i, k) in enumerate(product(range(n), range(n)), start=1):
        rest = "".join(f"「{isolated(token)}」" for token in tokens[k + 1 :])
        who = f"输出「{isolated(tokens[i])}」" + (f"加到键「{isolated(tokens[k])}」 " if rest else " ")
        state = f"（没有加完，还差{rest}）" if rest else "（加完了）"
        where = f"weights 的第 {i + 1} 行第 {k + 1} 列 × V 的第 {k + 1} 行 → 加进 output 的第 {i + 1} 行"
        story = who + mixture_lines(weights[i, : k + 1], V[: k + 1], sums[i, k], state)
        frames.append((story, where, tables(step, i, k)))
    read = [f"weights {weights.shape}：{read_rows(tokens, weights)}", f"V {V.shape}：{read_rows(tokens, V)}"]
    closing = f"output {output.shape}：{read_rows(tokens, output)}"
    return make_animation("animation-weighted-sum", "output = weights V：一步加一行值", read, frames, closing)


def animate_heads(steps, X, tokens):
    """多头，一步一帧看形状：X，投影，按列切开，每个头的权重，每个头的输出，接上，乘 W_O。

    steps : multi_head_attention 的结果，2 到 4 个头；X : (n, d_model)；tokens : n 个词元。
    n 最多 6，每个矩阵最多 8 列。单数的头是深底，双数的头是浅底。返回 Animation，6 步。
    ValueError：形状不合或太大。
    """
    heads = len(steps.heads)
    require(2 <= heads <= 4, "动画里要有 2 到 4 个头", f"{heads} 个", "换一个 heads 再算一遍")
    X, output = as_arrays("(n, d_model), (n, d_model)", X=X, output=steps.output)
    each = {
        name: [getattr(head, name) for head in steps.heads] for name in ("Q", "K", "V", "weights", "output")
    }
    whole = {name: np.hstack(each[name]) for name in ("Q", "K", "V")}
    tokens = _labels(tokens, X=X, **whole, output=output)

    def table(name, M, dark=(), cols=()):
        numbers = written(M)
        lit = {(i, j) for i in range(len(M)) for j in dark}
        kind = {"Q": "side animation-q", "K": "side animation-k", "V": "side animation-v"}.get(
            name[0], "side"
        )
        return make_table(
            kind, f"{name} {M.shape}", numbers, cell_width(numbers, [cols]), tokens, cols, lit=lit
        )

    def striped(name, M):
        width = M.shape[1] // heads
        return table(name, M, [j for j in range(M.shape[1]) if j // width % 2 == 0])

    def apart(name, cols=()):
        parts = enumerate(each[name])
        return [table(f"{name}，头 {h + 1}", M, [] if h % 2 else range(M.shape[1]), cols) for h, M in parts]

    joined, cut = steps.joined, [(heads, *each[name][0].shape) for name in ("Q", "weights", "output")]
    film = [
        ("一行一个词元。", f"X {X.shape}", [[table("X", X)]]),
        (
            "投影一次，与一个头时一样。",
            f"{X.shape} → {whole['Q'].shape}",
            [map(striped, whole, whole.values())],
        ),
        ("按列切开：每个头都有全部词元。", f"{whole['Q'].shape} → {cut[0]}", map(apart, whole)),
        ("每个头有自己的权重。", f"{cut[0]} → {cut[1]}", [apart("weights", tokens)]),
        ("每个头混合自己的值。", f"{cut[1]} → {cut[2]}", [apart("output")]),
        ("接上：各头的列放回一行。", f"{cut[2]} → {joined.shape}", [[striped("joined", joined)]]),
        ("乘 W_O，各头的数合在一起。", f"{joined.shape} → {output.shape}", [[table("output", output)]]),
    ]
    row = '<div class="animation-row">{}</div>'
    frames = [(*said, [row.format("".join(tables)) for tables in rows]) for *said, rows in film]
    read = [f"头 {h} 的 weights：{read_rows(tokens, w)}" for h, w in enumerate(each["weights"], start=1)]
    closing = f"output {output.shape}：{read_rows(tokens, output)}"
    return make_animation("animation-heads", f"{heads} 个头：切开、各算各的、接上", read, frames, closing)


def animate_turning(q, k, degrees, pairs):
    """旋转位置，一步一对位置：查询和键的箭头各按自己的位置转，看夹角，看分数。

    q, k : (2,)，位置 0 的箭头；degrees : 每个位置转几度；pairs : [(查询的位置, 键的位置), …]，最多 36 对。
    返回 Animation，一对一步。ValueError：不是两个数，或多于 36 对。
    """
    ends = as_arrays("(one, two), (one, two)", q=[q], k=[k])
    pairs = as_arrays("(n, two)", pairs=pairs).astype(int).tolist()
    received = f"q {ends[0].shape[1:]}，{len(pairs)} 对位置"
    require(
        len(ends[0][0]) == 2 and len(pairs) <= 36, "两个数一支箭头，最多 36 对位置", received, "各取两个数"
    )

    def turned(M, position):
        return rotate(M, [np.deg2rad(degrees) * position])[0].round(12)  # 正好是 0 的不写成 ≈ 0

    frames = [("两支箭头都在位置 0，还没有转。", "", [draw_arrows(ends[0][0], ends[1][0], ends)])]
    for i, j in pairs:
        one, other = turned(ends[0], i), turned(ends[1], j)
        who = f"查询在位置 {i}，转 {write(i * degrees)}°；键在位置 {j}，转 {write(j * degrees)}°。分数："
        where = f"位置的差 {i} − {j} = {write(i - j)}，差 {write((i - j) * degrees)}°"
        story = who + dot_lines(one, other, write(one @ other))
        frames.append((story, where, [draw_arrows(one, other, ends)]))
    read = [f"位置 0：q ({read_rows([''], ends[0]).strip()})，k ({read_rows([''], ends[1]).strip()})"]
    scores = "、".join(write(turned(ends[0], i) @ turned(ends[1], j)) for i, j in pairs)
    return make_animation("animation-turning", "转：分数只看位置的差", read, frames, f"各步的分数：{scores}")


def _labels(tokens, **matrices):
    """n 个词元的标签，太长的截短；矩阵太大就拒绝。"""
    received = "，".join(f"{name} {M.shape}" for name, M in matrices.items())
    n = len(next(iter(matrices.values())))
    require(
        n <= MOST_TOKENS and all(M.shape[1] <= MOST_COLUMNS for M in matrices.values()),
        f"动画最多放 {MOST_TOKENS} 个词元，一行最多 {MOST_COLUMNS} 个数",
        received,
        "只取前几个词元重算一遍，或者用 plot_weights、plot_matrix 看整个矩阵",
    )
    tokens = [printable(token) for token in as_names("tokens", tokens, n, "行")]
    return [t if len(t) <= LONGEST_LABEL else t[: LONGEST_LABEL - 1] + "…" for t in tokens]


def _check_result(name, result, left, right, call):
    """result 的每个数都要是 left 的一行与 right 的一列的点积；这只是核对，动画里写的是 result。"""
    expected, scale = left @ right, np.abs(left) @ np.abs(right)
    wrong = np.argwhere(np.abs(result - expected) > _TOLERANCE * np.maximum(1, scale))
    if len(wrong):
        i, j = wrong[0]
        raise refusal(
            f"动画里不能有错的和：{name} 的第 {i + 1} 行第 {j + 1} 列应是 {expected[i, j]:.7g}",
            f"{name} {result.shape}，这个数是 {result[i, j]:.7g}",
            f"原样传入 {call} 的结果：没有舍入、缩放或转置过",
        )

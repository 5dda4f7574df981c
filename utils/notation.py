"""写：把手算过程写成公式，数字取自代码里的同一批数组。

每个函数返回一个 ``Formula``：笔记本把它排版成数学公式，它的文本形式就是 LaTeX 源码。
数字最多写 decimals 位小数、去掉末尾的 0；写不下时用 ≈，写得下时用 =。
收到的不是数、或形状不合时抛出 ``ValueError``，消息里有规则、收到的形状和怎么改。
"""

import re
from numbers import Real

import numpy as np
from IPython.display import Math

from utils.checks import (
    LARGEST,
    as_names,
    is_integer,
    is_number,
    printable,
    real_array,
    shown,
)

TERMS_A_LINE = 4  # 求和每行写四项，投影仪放大后公式也不超出屏幕
LONGEST = 12  # 更长的求和、更大的矩阵只写头尾
SCIENTIFIC = 1e15  # 从这里起改用科学记数法：float64 只有约 16 位有效数字，再往后的数字不是真的

MOST_DECIMALS = 15  # float64 只有约 16 位有效数字

SPECIAL = {"\\": r"{\backslash}", "^": r"{\wedge}", "~": r"{\sim}"}  # 其余的特殊字符前面加 \\ 就行


class Formula(Math):
    """一个公式；文本形式是它的 LaTeX 源码，所以没有排版的地方也读得到、比得出。"""

    def __repr__(self):
        return self.data


def matrix(name, M, *, row_labels=None, decimals=4):
    r"""一个矩阵，带方括号和形状：``Q = [...]_{3×4}``；row_labels 在每行右边注明它属于谁。

    name : LaTeX 记号，如 "Q"、"W_Q"、"K^T"；M : (行, 列)，可以含 ±∞ 和 NaN。超过 12 行、12 列只写头尾。
    ValueError：M 不是二维，或 row_labels 个数不等于行数。
    """
    M = _array(M, 2)
    shape = rf"{M.shape[0]} \times {M.shape[1]}"
    formula = rf"{name} {_relation(M, decimals)} {_bmatrix(M, decimals)}_{{{shape}}}"
    if row_labels is not None:
        row_labels = _names("row_labels", row_labels)
        if len(row_labels) != len(M):
            raise ValueError(
                f"row_labels 要和矩阵的行数一样多：矩阵 {M.shape}，收到 {len(row_labels)} 个；请一行给一个。"
            )
        labels = r" \\ ".join(_ends([rf"\leftarrow {_text(label)}" for label in row_labels], r"\vdots"))
        formula += rf"\ \begin{{matrix}} {labels} \end{{matrix}}"
    return Formula(formula)


def dot_product(left, right, *, name, decimals=4):
    r"""一个点积，逐项写开：先写因数 0.3×0.9 + 0.8×0.1 + …，再写乘积 0.27 + 0.08 + …，最后是和 0.37。

    left, right : (d,) 两个一样长的向量，都是有限的数；name : 等号左边的 LaTeX，如 "Q_{1,4}"。
    ValueError：不是一维，或长度不同。
    """
    left, right = _array(left, 1, finite=True), _array(right, 1, finite=True)
    if left.shape != right.shape:
        raise ValueError(f"点积要求两个向量一样长：收到 {left.shape} 和 {right.shape}；两边都应有 d 个数。")
    products = left * right
    total = products.sum()
    factors = [
        rf"{_factor(a, decimals)} \times {_factor(b, decimals)}" for a, b in zip(left, right, strict=True)
    ]
    lines = [rf"{name} &{_relation([left, right], decimals)} {_sum(factors)}"]
    if len(products) > 1:
        lines.append(rf"&{_relation(products, decimals)} {_sum([_factor(p, decimals) for p in products])}")
    lines.append(rf"&{_relation(total, decimals)} {number(total, decimals)}")
    return Formula(_aligned(lines))


def score(q, k, *, query, key, decimals=4):
    r"""一个注意力分数，即一个查询与一个键的点积，逐项写开；等号左边是 q_吃 · k_猫。

    q, k : (d_k,) Q 的一行和 K 的一行；query, key : 这两行各是哪个词元。ValueError：同 dot_product。
    """
    return dot_product(q, k, name=rf"q_{{{_text(query)}}} \cdot k_{{{_text(key)}}}", decimals=decimals)


def scaled_score(score, d_k, *, decimals=4):
    r"""一个分数的缩放：``2 / √4 = 2 / 2 = 1``。score : 一个数；d_k : 正数。ValueError：不是这样的数。"""
    finite_or_masked = is_number(score, -LARGEST, LARGEST) or is_number(score, -np.inf, -np.inf)
    if not (finite_or_masked and (is_number(d_k, 0, LARGEST) and d_k > 0)):
        raise ValueError(
            f"缩放的是一个分数，d_k 是一个正数：收到 score = {shown(score)}，d_k = {shown(d_k)}；"
            f"分数写 scores[i, j]，d_k 写 Q.shape[1]，绝对值都不超过 {LARGEST:g}。"
        )
    score, d_k = float(score), float(d_k)
    root, result = np.sqrt(d_k), score / np.sqrt(d_k)
    top = number(score, decimals)
    return Formula(
        rf"\frac{{{top}}}{{\sqrt{{{number(d_k)}}}}} {_relation(root, decimals)} "
        rf"\frac{{{top}}}{{{number(root, decimals)}}} "
        rf"{_relation(result, decimals)} {number(result, decimals)}"
    )


def softmax_row(scaled_scores, tokens, *, decimals=4):
    r"""一行 softmax 的三步，一个键一行：① 取 exp，② 求和，③ 相除。

    scaled_scores : (n_k,) 一行缩放后的分数，−∞ 是被遮住的键；tokens : n_k 个键的词元。
    这里按定义直接取 exp，不减最大值，好让每个数都能用笔算。
    ValueError：个数不符；含 NaN 或 +∞，或全是 −∞；数太大或太小，它的 exp 写不下。
    """
    row, tokens = _array(scaled_scores, 1), _names("tokens", tokens)
    _check_decimals(decimals)
    if not np.isfinite(row.max()):
        raise ValueError(
            f"这一行不能有 NaN 或 +∞，也不能全是 −∞：收到 {row}，形状 {row.shape}；至少留一个没被遮住的键。"
        )
    if len(tokens) != len(row):
        raise ValueError(
            f"tokens 要和这一行一样长：这一行 {row.shape}，收到 {len(tokens)} 个词元；请一个键给一个。"
        )
    with np.errstate(over="ignore"):
        exponentials = np.exp(row)
    total = exponentials.sum()
    if not 10.0**-decimals <= total < SCIENTIFIC:
        raise ValueError(
            f"这一行的 exp 加起来是 {total:.3g}，用 {decimals} 位小数写不下：收到 {row}，形状 {row.shape}；"
            "先减去这一行的最大值（row - row.max()），权重不变。"
        )
    weights = exponentials / total
    lines = [
        rf"{_text(token)} &: & e^{{{number(s, decimals)}}} &{_relation(e, decimals)} {number(e, decimals)}"
        rf" & \frac{{{number(e, decimals)}}}{{{number(total, decimals)}}}"
        rf" &{_relation(w, decimals)} {number(w, decimals)}"
        for token, s, e, w in zip(tokens, row, exponentials, weights, strict=True)
    ]
    lines.append(
        rf"\text{{合计}} &: & \textstyle\sum &{_relation(total, decimals)} {number(total, decimals)}"
        r" & \textstyle\sum &= 1"
    )
    return Formula(_aligned(lines, gap="6pt"))


def weighted_row(weights, V, tokens, *, query, decimals=2):
    r"""一行加权求和：``新“我” ≈ 0.45 v_我 + 0.27 v_爱 + 0.27 v_你``，再代入 V 的每一行，最后得到结果。

    weights : (n_k,) 一行注意力权重；V : (n_k, d_v)；tokens : n_k 个词元；query : 这一行是谁的输出。
    式中的权重只写 decimals 位，结果用没有舍入的权重算出。ValueError：个数不符。
    """
    weights, V, tokens = _array(weights, 1, finite=True), _array(V, 2, finite=True), _names("tokens", tokens)
    if not len(weights) == len(V) == len(tokens):
        raise ValueError(
            f"weights、V 的行、tokens 要一样多：收到 weights {weights.shape}，V {V.shape}，"
            f"{len(tokens)} 个词元；一个键配一个值。"
        )
    written = [_factor(w, decimals) for w in weights]
    names = _sum([rf"{w}\, v_{{{_text(token)}}}" for w, token in zip(written, tokens, strict=True)])
    rows = _sum([rf"{w} {_bmatrix(v[None], decimals)}" for w, v in zip(written, V, strict=True)])
    output = weights @ V
    return Formula(
        _aligned(
            [
                rf"\text{{新“}}{_text(query)}\text{{”}} &{_relation(weights, decimals)} {names}",
                rf"&{_relation(np.append(weights, V), decimals)} {rows}",
                rf"&{_relation(output, decimals)} {_bmatrix(output[None], decimals)}",
            ]
        )
    )


def number(value, decimals=4):
    r"""一个数的写法：最多 decimals 位小数，没有末尾的 0 和 −0；−∞ 写作 ``-\infty``，巨大的数用 10 的幂。"""
    if not isinstance(value, Real):
        raise ValueError(f"这里只写一个实数：收到 {shown(value)}；写成如 0.5，或 M[i, j]。")
    with np.errstate(over="ignore"):  # 放不进 float64 的 longdouble 成为 inf
        value = float(value)
    if np.isnan(value):
        return r"\text{NaN}"
    if np.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    digits, _, power = _digits(value, decimals).partition("e+")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    if power:
        return rf"{digits} \times 10^{{{int(power)}}}"
    return "0" if digits == "-0" else digits


def _digits(value, decimals):
    _check_decimals(decimals)
    return f"{value:.{decimals}{'f' if abs(value) < SCIENTIFIC else 'e'}}"


def _bmatrix(M, decimals):
    rows = [" & ".join(_ends([number(value, decimals) for value in row], r"\cdots")) for row in M]
    body = r" \\ ".join(_ends(rows, r"\vdots"))
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def _ends(items, dots):
    """太长就只留前三项和最后一项，中间写 dots。"""
    return items if len(items) <= LONGEST else [*items[:3], dots, items[-1]]


def _factor(value, decimals):
    """乘式或和式里的一项：负数加括号。"""
    digits = number(value, decimals)
    return f"({digits})" if digits.startswith("-") else digits


def _sum(terms):
    """各项相加；在多行公式里每 TERMS_A_LINE 项换一行。"""
    terms = _ends(terms, r"\cdots")
    lines = [terms[i : i + TERMS_A_LINE] for i in range(0, len(terms), TERMS_A_LINE)]
    return r" \\ &\quad + ".join(" + ".join(line) for line in lines)


def _aligned(lines, gap="2pt"):
    new_line = rf" \\[{gap}] "
    return rf"\begin{{aligned}} {new_line.join(lines)} \end{{aligned}}"


def _relation(values, decimals):
    """这些数写成 decimals 位小数时是否还是原数：是则 =，否则 ≈。"""
    values = np.ravel(values)
    finite = values[np.isfinite(values)]
    written = [float(_digits(value, decimals)) for value in finite]
    return "=" if np.allclose(finite, written, rtol=1e-15, atol=1e-12) else r"\approx"


def _text(label):
    r"""词元原样写进公式；TeX 的特殊字符写在 ``\text`` 外面：里面怎样转义，各种排版程序不一样。"""
    parts = re.split(r"([\\^~{}$_#%&])", printable(label))  # 奇数项是特殊字符
    return "".join(
        SPECIAL.get(part, "\\" + part) if i % 2 else rf"\text{{{part}}}"
        for i, part in enumerate(parts)
        if part
    )


def _check_decimals(decimals):
    if not is_integer(decimals, 0, MOST_DECIMALS):
        raise ValueError(
            f"decimals 是小数的位数，从 0 到 {MOST_DECIMALS} 的整数：收到 {shown(decimals)}；如 decimals=2。"
        )


def _names(name, labels):
    return as_names(name, labels)


def _array(values, ndim, *, finite=False):
    array = real_array(values)
    if array is None:
        raise ValueError(
            f"这里要由实数组成的数组，每行一样多：收到 {type(values).__name__}；"
            "文字、None、复数先换成实数，遮住的格先 .filled(0)，torch 张量先写 .detach().double().numpy()。"
        )
    if array.ndim != ndim or array.size == 0:
        rule, way_out = ("一行数", "用 M[i] 取一行") if ndim == 1 else ("一个矩阵", "只有一行时写 M[None]")
        raise ValueError(f"这里要{rule}（{ndim} 维），不能是空的：收到形状 {array.shape}；{way_out}。")
    if finite and not (np.abs(array) <= LARGEST).all():
        raise ValueError(f"这里只能写有限的数，绝对值不超过 {LARGEST:g}：收到 {array}，形状 {array.shape}。")
    return array

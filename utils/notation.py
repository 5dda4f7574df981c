"""写：把手算过程写成公式，数字取自代码里的同一批数组。

每个函数返回一个 ``Formula``：笔记本把它排版成数学公式，它的文本形式就是 LaTeX 源码。
数的写法同 numbers.write；写出来的正好就是原来的数时用 =，舍入过就用 ≈。
收到的不是数、或形状不合时抛出 ``ValueError``，消息里有规则、收到的形状和怎么改。
"""

import re

import numpy as np
from IPython.display import Math

from utils.characters import printable
from utils.checks import (
    LARGEST,
    as_arrays,
    as_integer,
    as_names,
    as_positive,
    is_number,
    require,
    shown,
)
from utils.numbers import PLACES, bracketed, dot_terms, read, sign, to_latex, write

TERMS_A_LINE = 4  # 求和每行写四项，投影仪放大后公式也不超出屏幕
LONGEST = 12  # 更长的求和、更大的矩阵只写头尾
SPECIAL = {"\\": r"{\backslash}", "^": r"{\wedge}", "~": r"{\sim}"}  # 其余的特殊字符前面加 \\ 就行


class Formula(Math):
    """一个公式；文本形式是它的 LaTeX 源码，所以没有排版的地方也读得到、比得出。"""

    def __repr__(self):
        return self.data


def matrix(name, M, *, row_labels=None):
    r"""一个矩阵，带方括号和形状：``Q = [...]_{3×4}``；row_labels 在每行右边注明它属于谁。

    name : LaTeX 记号，如 "Q"、"W_Q"、"K^\top"；M : (行, 列)，可以含 −∞。超过 12 行、12 列只写头尾。
    ValueError：M 不是二维数值矩阵，或 row_labels 个数不等于行数。
    """
    M = as_arrays("(行, 列)", M=M, masked="any")
    formula = rf"{name} {_sign(M)} {_bmatrix(M)}_{{{M.shape[0]} \times {M.shape[1]}}}"
    if row_labels is not None:
        row_labels = as_names("row_labels", row_labels, len(M), "行")
        labels = r" \\ ".join(_ends([rf"\leftarrow {_text(label)}" for label in row_labels], r"\vdots"))
        formula += rf"\ \begin{{matrix}} {labels} \end{{matrix}}"
    return Formula(formula)


def dot_product(left, right, *, name, decimals=None):
    r"""一个点积，逐项写开：先写因数 0.3×0.9 + 0.8×0.1 + …，再写乘积 0.27 + 0.08 + …，最后是和 0.37。

    left, right : (d,) 两个一样长的向量，都是有限的数；name : 等号左边的 LaTeX，如 "Q_{1,4}"。
    decimals : 因数先写成几位小数，再照写出的数往下算，像用笔算那样；不给就用原来的数算。
    ValueError：不是一行有限的数，或长度不同。
    """
    left, right = as_arrays("(d), (d)", left=left, right=right)
    rounded = False
    if decimals is not None:
        decimals = as_integer("decimals", decimals, 0, 9, 2)
        rounded = _sign([*left, *right], decimals) != "="
        left, right = _as_written(left, decimals), _as_written(right, decimals)
    terms = dot_terms(left, right)
    signs = [to_latex(sign) for sign in terms.signs]
    if rounded:
        signs[0] = to_latex("≈")
    factors = [rf"{_term(a)} \times {_term(b)}" for a, b in terms.factors]
    lines = [rf"{name} &{signs[0]} {_sum(factors)}", rf"&{signs[2]} {to_latex(terms.total)}"]
    if len(factors) > 1:  # 只有一项时，它就是和
        lines.insert(1, rf"&{signs[1]} {_sum([_term(product) for product in terms.products])}")
    return Formula(_aligned(lines))


def score(q, k, *, query, key):
    r"""一个注意力分数，即一个查询与一个键的点积，逐项写开；等号左边是 q_吃 · k_猫。

    q, k : (d_k,) Q 的一行和 K 的一行；query, key : 这两行各是哪个词元。ValueError：同 dot_product。
    """
    q, k = as_arrays("(d_k), (d_k)", q=q, k=k)
    return dot_product(q, k, name=rf"q_{{{_text(query)}}} \cdot k_{{{_text(key)}}}")


def scaled_score(score, d_k):
    r"""一个分数的缩放：``2 / √4 = 2 / 2 = 1``。

    score : 一个数，被遮住的键是 −∞；d_k : 正数。ValueError：不是这样的数。
    """
    require(is_number(score, -np.inf, LARGEST), "score 必须是一个分数", shown(score), "写成如 scores[0, 1]")
    d_k = as_positive("d_k", d_k, "用 Q.shape[1]，不是整个 Q.shape")
    root, result = np.sqrt(d_k), score / np.sqrt(d_k)
    top = _number(score)
    return Formula(
        rf"\frac{{{top}}}{{\sqrt{{{_number(d_k)}}}}} {_sign(root)} \frac{{{top}}}{{{_number(root)}}} "
        rf"{_sign([root, result])} {_number(result)}"
    )


def softmax_row(scaled_scores, tokens):
    r"""一行 softmax 的三步，一个键一行：① 取 exp，② 求和，③ 相除。

    scaled_scores : (n_k,) 一行缩放后的分数，−∞ 是被遮住的键；tokens : n_k 个键的词元。
    这里按定义直接取 exp，不减最大值，好让每个数都能用笔算。
    ValueError：个数不符；含 NaN 或 +∞，或全是 −∞；数太大或太小，它的 exp 写不下。
    """
    row = as_arrays("(n_k)", scaled_scores=scaled_scores, masked="some")
    tokens = as_names("tokens", tokens, len(row), "个键")
    require(
        -20 < row.max() < 20,
        "scaled_scores 要在 −20 到 20 之间，它的 exp 才写得下",
        f"形状 {row.shape}，最大的是 {row.max():g}",
        "先减去这一行的最大值，写 row - row.max()，权重不变",
    )
    exponentials = np.exp(row)
    total = exponentials.sum()
    lines = [
        rf"{_text(token)} &: & e^{{{_number(s)}}} &{_sign(e)} {_number(e)}"
        rf" & \frac{{{_number(e)}}}{{{_number(total)}}} &{_sign(e / total)} {_number(e / total)}"
        for token, s, e in zip(tokens, row, exponentials, strict=True)
    ]
    lines.append(rf"\text{{合计}} &: & \textstyle\sum &{_sign(total)} {_number(total)} & \textstyle\sum &= 1")
    return Formula(_aligned(lines, gap="6pt"))


def weighted_row(weights, V, tokens, *, query, decimals=2):
    r"""一行加权求和：``新“我” ≈ 0.45 v_我 + 0.27 v_爱 + 0.27 v_你``，再代入 V 的每一行，最后得到结果。

    weights : (n_k,) 一行注意力权重；V : (n_k, d_v)；tokens : n_k 个词元；query : 这一行是谁的输出。
    decimals : 权重和值写几位小数，再照写出的数往下算，像用笔算那样，所以写出的每一行都成立。
    ValueError：不是有限的数，或个数不符。
    """
    weights, V = as_arrays("(n_k), (n_k, d_v)", weights=weights, V=V)
    tokens = as_names("tokens", tokens, len(V), "个键")
    decimals = as_integer("decimals", decimals, 0, 9, 2)
    written = [_term(write(w, decimals)) for w in weights]
    names = _sum([rf"{w}\, v_{{{_text(token)}}}" for w, token in zip(written, tokens, strict=True)])
    rows = _sum([f"{w} {_bmatrix([v], decimals)}" for w, v in zip(written, V, strict=True)])
    output = _as_written(weights, decimals) @ _as_written(V, decimals)
    return Formula(
        _aligned(
            [
                rf"\text{{新“}}{_text(query)}\text{{”}} &{_sign(weights, decimals)} {names}",
                rf"&{_sign(V, decimals)} {rows}",
                rf"&{_sign(output)} {_bmatrix([output])}",
            ]
        )
    )


def _number(value):
    return to_latex(write(value))


def _term(text):
    """乘式或和式里的一项：负数加括号。"""
    return to_latex(bracketed(text))


def _sign(values, decimals=PLACES):
    """这些数写成 decimals 位小数时是否还是原数：是则 =，否则 ≈。"""
    values = np.ravel(values)
    return to_latex(sign(values, [write(value, decimals) for value in values]))


def _as_written(values, decimals):
    """写成 decimals 位小数以后，纸上的那些数；形状不变。"""
    texts = [write(value, decimals) for value in np.ravel(values)]
    return np.reshape([float(read(text)) for text in texts], np.shape(values))


def _bmatrix(M, decimals=PLACES):
    rows = [" & ".join(_ends([to_latex(write(value, decimals)) for value in row], r"\cdots")) for row in M]
    body = r" \\ ".join(_ends(rows, r"\vdots"))
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def _ends(items, dots):
    """太长就只留前三项和最后一项，中间写 dots。"""
    return items if len(items) <= LONGEST else [*items[:3], dots, items[-1]]


def _sum(terms):
    """各项相加；在多行公式里每 TERMS_A_LINE 项换一行。"""
    terms = _ends(terms, r"\cdots")
    lines = [terms[i : i + TERMS_A_LINE] for i in range(0, len(terms), TERMS_A_LINE)]
    return r" \\ &\quad + ".join(" + ".join(line) for line in lines)


def _aligned(lines, gap="2pt"):
    new_line = rf" \\[{gap}] "
    return rf"\begin{{aligned}} {new_line.join(lines)} \end{{aligned}}"


def _text(label):
    r"""词元原样写进公式；TeX 的特殊字符写在 ``\text`` 外面：里面怎样转义，各种排版程序不一样。"""
    parts = re.split(r"([\\^~{}$_#%&])", printable(label))  # 奇数项是特殊字符
    return "".join(
        SPECIAL.get(part, "\\" + part) if i % 2 else rf"\text{{{part}}}"
        for i, part in enumerate(parts)
        if part
    )

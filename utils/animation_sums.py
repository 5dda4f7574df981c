"""动画里的式子：一步的乘积与和写成 HTML，一项一行。"""

import html

import numpy as np

from utils.numbers import bracketed, dot_terms, sign, write


def isolated(label):
    """一个标签的 HTML；从右往左写的文字不会打乱后面的数。"""
    return f"<bdi>{html.escape(label)}</bdi>"


def written(M):
    return [[write(value) for value in row] for row in M]


def read_rows(labels, M):
    return "；".join(f"{label} {' '.join(row)}" for label, row in zip(labels, written(M), strict=True))


def dot_lines(q, k, total):
    """一个点积的 HTML，因数、乘积、和各占一行；只有一项时它就是和。"""
    terms = dot_terms(q, k)
    factors = " + ".join(
        f'<b class="animation-q">{bracketed(a)}</b>×<b class="animation-k">{bracketed(b)}</b>'
        for a, b in terms.factors
    )
    products = [f"{terms.signs[1]} {' + '.join(map(bracketed, terms.products))}"] if len(q) > 1 else []
    return _lines(factors, *products, f"{terms.signs[2]} <strong>{total}</strong>")


def mixture_lines(weights, values, total, note):
    """几行值的加权和的 HTML，一行值占一行，最后是加到这里的和，后面接着 note。"""
    vectors = [f"[{', '.join(row)}]" for row in written([*values, total])]
    numbers = [*weights, *np.ravel(values)]
    equal = sign(numbers, map(write, numbers))
    signs = [equal] + ["+"] * (len(weights) - 1)
    lines = [
        f'{before} {write(w)} × <b class="animation-v">{vector}</b>'
        for before, w, vector in zip(signs, weights, vectors[:-1], strict=True)
    ]
    lines[-1] = f'<span class="animation-added">{lines[-1]}</span>'
    equal = "≈" if equal == "≈" else sign(total, map(write, total))
    state = f'<span class="animation-state">{note}</span>'
    return _lines(*lines, f"{equal} <strong>{vectors[-1]}</strong>{state}")


def _lines(*parts):
    return " ".join(f'<span class="animation-sum">{part}</span>' for part in parts)

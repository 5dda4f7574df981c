"""notation.py 的事实：公式的样子。数的写法和写开的点积见 test_numbers.py。"""

import re
from fractions import Fraction

import numpy as np
import pytest

from utils import notation
from utils.attention import self_attention
from utils.examples import load_example


def steps(name):
    example = load_example(name)
    return self_attention(example.X, example.W_Q, example.W_K, example.W_V)


def test_eat_asks_cat_is_written_as_in_the_source():
    s = steps("猫吃鱼")
    text = repr(notation.score(s.Q[1], s.K[0], query="吃", key="猫"))
    assert r"q_{\text{吃}} \cdot k_{\text{猫}} &= " in text
    assert r"&= 0.3 \times 0.9 + 0.8 \times 0.1 + 0.2 \times 0 + 0.1 \times 0.2" in text
    assert "&= 0.27 + 0.08 + 0 + 0.02" in text and "&= 0.37" in text


def test_negative_numbers_are_put_in_brackets():
    text = repr(notation.dot_product([1, -2], [-0.5, 3], name="s"))
    assert r"1 \times (-0.5) + (-2) \times 3" in text and "(-0.5) + (-6)" in text and "= -6.5" in text
    text = repr(notation.weighted_row([1], [[-0.5]], ["我"], query="我"))
    assert r"\begin{bmatrix} -0.5 \end{bmatrix}" in text  # 方括号里不用再加


def test_a_long_dot_product_shows_head_and_tail_and_the_true_total():
    ones = np.ones(64)
    text = repr(notation.dot_product(ones, ones, name="s"))
    assert r"\cdots" in text and text.count(r"\times") == 4 and "= 64" in text


def test_eight_terms_are_broken_into_lines_of_four():
    text = repr(notation.dot_product(np.ones(8), np.ones(8), name="s"))
    assert text.count(r"\times") == 8
    assert max(line.count(r"\times") for line in text.split(r"\\")) == 4


def test_matrix_is_written_row_by_row_with_its_shape():
    text = repr(notation.matrix("Q", [[1, 0.25, -3], [0, 1 / 3, 2]], row_labels=["猫", "吃"]))
    body = re.search(r"\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}", text).group(1)
    written = [[float(cell) for cell in row.split("&")] for row in body.split(r"\\")]
    np.testing.assert_allclose(written, [[1, 0.25, -3], [0, 1 / 3, 2]], atol=5e-5)
    assert r"_{2 \times 3}" in text and r"\leftarrow \text{猫}" in text


def test_scaling_shows_the_root():
    assert repr(notation.scaled_score(2, 4)) == r"\frac{2}{\sqrt{4}} = \frac{2}{2} = 1"
    assert repr(notation.scaled_score(1, 2)) == r"\frac{1}{\sqrt{2}} \approx \frac{1}{1.4142} \approx 0.7071"


def test_softmax_row_of_1_05_05_is_the_pencil_calculation():
    """e、√e、√e 查表得 2.7183、1.6487、1.6487，和 6.0157，商 0.4519、0.2741、0.2741。"""
    text = repr(notation.softmax_row([1, 0.5, 0.5], ["我", "爱", "你"]))
    for part in (
        r"e^{1} &\approx 2.7183 & \frac{2.7183}{6.0157} &\approx 0.4519",
        r"e^{0.5} &\approx 1.6487 & \frac{1.6487}{6.0157} &\approx 0.2741",
        r"\sum &\approx 6.0157",
    ):
        assert part in text


def test_softmax_row_gives_a_masked_key_nothing():
    text = repr(notation.softmax_row([0, -np.inf], ["我", "爱"]))
    assert r"e^{-\infty} &= 0 & \frac{0}{1} &= 0" in text


def test_weighted_row_is_written_with_the_tokens():
    s = steps("我爱你")
    text = repr(notation.weighted_row(s.weights[0], s.V, ["我", "爱", "你"], query="我"))
    assert r"0.45\, v_{\text{我}} + 0.27\, v_{\text{爱}} + 0.27\, v_{\text{你}}" in text
    for row in (r"2 & 0 & 2 & 0", r"0 & 2 & 0 & 2", r"2 & 2 & 1 & 1", r"1.44 & 1.08 & 1.17 & 0.81"):
        assert rf"\begin{{bmatrix}} {row} \end{{bmatrix}}" in text


@pytest.mark.parametrize("decimals", [2, 3, 4])
@pytest.mark.parametrize("name", ["我爱你", "猫吃鱼"])
def test_a_pencil_gets_the_written_result_from_the_written_weights(name, decimals):
    """第一行是 ≈（权重舍入过），以后照写出的数算：用分数算一遍，正好是最后一行。"""
    s = steps(name)
    for weights in s.weights:
        text = repr(notation.weighted_row(weights, s.V, list(name), query=name[0], decimals=decimals))
        first, second, last = text.split(r"\\[2pt]")
        assert r"&\approx" in first and "&= " in second and "&= " in last
        term = r"([\d.]+) \\begin\{bmatrix\} (.*?) \\end"
        rows = [(Fraction(w), row.split("&")) for w, row in re.findall(term, second)]
        assert [w for w, _ in rows] == [Fraction(w) for w in re.findall(r"([\d.]+)\\, v", first)]
        mixed = [sum(w * Fraction(row[j].strip()) for w, row in rows) for j in range(s.V.shape[1])]
        shown = re.search(r"bmatrix\} (.*?) \\end", last)[1].split("&")
        assert mixed == [Fraction(number.strip()) for number in shown]


def test_a_dot_product_of_rounded_factors_goes_on_with_what_is_written():
    s = steps("我爱你")
    text = repr(notation.dot_product(s.weights[0], s.V[:, 0], name="o", decimals=2))
    assert r"o &\approx 0.45 \times 2 + 0.27 \times 0 + 0.27 \times 2" in text
    assert "&= 0.9 + 0 + 0.54" in text and "&= 1.44 " in text
    assert "o &= 0.5" in repr(notation.dot_product([0.5], [2], name="o", decimals=1))


def test_special_tex_characters_of_a_token_stand_escaped_outside_text():
    """JupyterLab 的 MathJax 在 \\text 里遇到 _ 会报错，遇到 % 会吃掉后面的字。"""
    text = repr(notation.score([1], [1], query="a_b 50%#&", key="\\^~{$}"))
    assert r"q_{\text{a}\_\text{b 50}\%\#\&} \cdot k_{{\backslash}{\wedge}{\sim}\{\$\}}" in text
    inside = "".join(re.findall(r"\\text\{([^}]*)\}", text))
    assert not set(inside) & set("\\^~{}$_#%&")


def test_formula_is_typeset_and_its_text_is_its_source():
    formula = notation.scaled_score(2, 4)
    assert repr(formula) in formula._repr_latex_()


@pytest.mark.parametrize(
    ("formula", "start"),
    [
        (notation.matrix("W", [[1 / 3]]), r"W \approx"),
        (notation.matrix("W", [[0.25, -np.inf]]), "W ="),
        (notation.dot_product([1 / 3, 1], [3, 1], name="s"), r"\begin{aligned} s &\approx 0.3333 \times 3"),
        (notation.dot_product([1e20], [1], name="s"), r"\begin{aligned} s &= 10^{20} \times 1"),
        (notation.scaled_score(3, 3), r"\frac{3}{\sqrt{3}} \approx \frac{3}{1.7321} \approx 1.7321"),
    ],
)
def test_rounded_entries_stand_after_an_approximate_sign(formula, start):
    assert repr(formula).startswith(start)


def test_rounded_values_in_a_weighted_row_stand_after_an_approximate_sign():
    lines = repr(notation.weighted_row([0.5, 0.5], [[1.125], [0.875]], "猫鱼", query="猫")).split(r"\\")
    assert "&= 0.5" in lines[0] and r"&\approx 0.5" in lines[1] and r"&= \begin" in lines[2]


def test_a_large_matrix_shows_its_head_its_tail_and_its_shape():
    M = np.arange(260.0).reshape(20, 13)
    text = repr(notation.matrix("X", M, row_labels=[f"t{i}" for i in range(20)]))
    assert r"0 & 1 & 2 & \cdots & 12" in text and r"247 & 248 & 249 & \cdots & 259" in text
    assert r"_{20 \times 13}" in text and text.count(r"\leftarrow") == 4 and text.count(r"\vdots") == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("row", [[1000.0, 999.0], [40.0, 30.0], [-40.0, -41.0], [-1000.0, -np.inf]])
def test_a_softmax_row_too_large_or_small_for_the_pencil_gets_a_way_out(row):
    row = np.array(row)
    with pytest.raises(ValueError, match="写得下") as caught:
        notation.softmax_row(row, ["我", "爱"])
    assert "row - row.max()" in str(caught.value) and "(2,)" in str(caught.value)
    assert r"e^{0} &= 1" in repr(notation.softmax_row(row - row.max(), ["我", "爱"]))


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: notation.dot_product([1, 2], [1, 2, 3], name="s"), "left (2,)，right (3,)"),
        (lambda: notation.score([1, 2], [1], query="猫", key="鱼"), "q (2,)，k (1,)"),
        (lambda: notation.matrix("Q", [1, 2]), "M 必须是二维矩阵，形状 (行, 列)"),
        (lambda: notation.matrix("Q", [[1, 2]], row_labels=["猫", "鱼"]), "row_labels 要一行一个，共 1 个"),
        (lambda: notation.softmax_row([1, 2], ["猫"]), "tokens 要一个键一个，共 2 个"),
        (lambda: notation.softmax_row([-np.inf], ["猫"]), "没被遮住"),
        (lambda: notation.weighted_row([0.5, 0.5], [[1, 2]], "猫鱼", query="猫"), "weights (2,)，V (1, 2)"),
        (lambda: notation.weighted_row([1], [[1]], "猫", query="猫", decimals=-1), "decimals"),
        (lambda: notation.dot_product([1], [1], name="s", decimals=2.5), "decimals"),
        (lambda: notation.scaled_score(2, (3, 4)), "d_k = (3, 4)"),
        (lambda: notation.scaled_score([2, 1], 4), "score 必须是一个分数"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_the_argument(call, part):
    with pytest.raises(ValueError, match="收到") as caught:
        call()
    assert part in str(caught.value)

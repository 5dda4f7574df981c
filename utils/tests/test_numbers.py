"""numbers.py 的写法；两个例句的每一个矩阵，都以设计给定的数字出现在笔记本存下的输出里。"""

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import cache

import nbformat
import numpy as np
import pytest

from utils import numbers
from utils.attention import self_attention
from utils.examples import load_example, reorder
from utils.notebooks import notebook_paths
from utils.numbers import bracketed, dot_terms, latex, sign, tick, to_latex, write
from utils.tests.design import DESIGN

MATRICES = [(sentence, name) for sentence, matrices in DESIGN.items() for name in matrices]


# ── 写法 ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("value", "text", "formula"),
    [
        (0.1 + 0.2, "0.3", "0.3"),
        (-0.0, "0", "0"),
        (-1e-17, "0", "0"),
        (1 / 3, "0.3333", "0.3333"),
        (-2.5, "−2.5", "-2.5"),
        (123456.78, "123456.78", "123456.78"),
        (1e-5, "10⁻⁵", "10^{-5}"),
        (-2.5e-5, "−2.5×10⁻⁵", r"-2.5 \times 10^{-5}"),
        (-(10.0**20), "−10²⁰", "-10^{20}"),
        (np.float32(0.1), "0.1", "0.1"),
        (-np.inf, "−∞", r"-\infty"),
        (np.nan, "非数", r"\text{非数}"),
        (Decimal("0.125"), "0.125", "0.125"),
    ],
)
def test_a_number_reads_the_same_in_a_text_and_in_a_formula(value, text, formula):
    assert write(value) == text and latex(value) == formula


@pytest.mark.parametrize("places", [0, 1, 4, 9])
@pytest.mark.parametrize("value", [*np.random.default_rng(0).normal(size=20) * 10.0 ** np.arange(-8, 12)])
def test_a_written_number_is_the_number_within_its_last_place(value, places):
    text = write(value, places)
    digits, _, power = text.replace("−", "-").partition("×10")
    exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")) or 0)
    unit = Fraction(10) ** exponent / (100 if power else 10**places)
    assert abs(Fraction(digits) * Fraction(10) ** exponent - Fraction(value)) <= unit / 2


def test_the_other_writers():
    assert [numbers.fixed(value, 2) for value in (1, -0.001, 0.185, -np.inf)] == [
        "1.00",
        "0.00",
        "0.18",
        "−∞",
    ]
    assert [numbers.decimals(M) for M in ([1, 2], [0.5], [1 / 3], [0.001, 0.002], [-np.inf])] == [
        0,
        1,
        2,
        4,
        0,
    ]
    assert [numbers.significant(value) for value in (3.0000000001, 0.012345, -1e-17)] == ["3", "0.0123", "0"]
    assert [tick(value) for value in (0.5, -20, 2e6, 1e-5)] == ["0.5", "−20", "2×10⁶", "10⁻⁵"]
    assert [numbers.output(value) for value in (1 / 3, -1e-20, 2.0, math.inf)] == [
        "0.3333",
        "-1e-20",
        "2.0",
        "inf",
    ]


# ── 写开的点积 ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("query", range(3))
@pytest.mark.parametrize("key", range(3))
def test_a_dot_product_of_the_example_is_exact_in_every_term(query, key):
    q, k = DESIGN["猫吃鱼"]["Q"][query], DESIGN["猫吃鱼"]["K"][key]
    terms = dot_terms(np.array(q) + 1e-16, k)  # 浮点误差不算
    products = [Fraction(a) * Fraction(b) for a, b in terms.factors]
    assert terms.factors == [(f"{a:g}", f"{b:g}") for a, b in zip(q, k, strict=True)]
    assert [Fraction(product) for product in terms.products] == products
    assert Fraction(terms.total) == sum(products) == Fraction(str(DESIGN["猫吃鱼"]["scores"][query][key]))
    assert terms.signs == ("=", "=", "=")


def test_once_a_term_is_rounded_all_that_follows_is_approximate():
    assert dot_terms([0.25, 0.5], [0.5, 1]).signs == ("=", "=", "=")
    assert dot_terms([0.001], [0.002]).signs == ("=", "=", "=")  # 2×10⁻⁶，写得下
    assert dot_terms([0.01234], [0.01]).signs == ("≈", "≈", "≈")
    assert dot_terms([0.0123], [0.0457]).signs == ("=", "≈", "≈")
    assert dot_terms([1 / 3, 1], [3, 1]).signs == ("≈", "≈", "≈")
    assert dot_terms([0.25], [0.5], write_total=lambda value: numbers.fixed(value, 2)).signs == (
        "=",
        "=",
        "≈",
    )
    assert dot_terms([0.1, 0.3], [0.3, -0.1]).total == "0"


def test_signs_and_brackets_for_a_formula():
    assert bracketed("−0.5") == "(−0.5)" and bracketed("0.5") == "0.5"
    assert to_latex("≈") == r"\approx" and to_latex("−2×10⁻⁵") == r"-2 \times 10^{-5}"
    assert sign([-np.inf, 1], ["−∞", "1"]) == "=" and sign([1e-17], ["0"]) == "≈"


# ── 设计的数 ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("sentence", "name"), MATRICES)
def test_the_data_still_give_the_matrix_of_the_design(sentence, name):
    """例句改了一个数，刷新笔记本之前就知道下面哪几个矩阵要改。"""
    example = reorder(load_example("猫吃鱼"), "鱼吃猫") if sentence == "鱼吃猫" else load_example(sentence)
    steps = self_attention(example.X, example.W_Q, example.W_K, example.W_V)
    computed = np.round(getattr(example if hasattr(example, name) else steps, name), 4).tolist()
    if computed != DESIGN[sentence][name]:
        pytest.fail(
            f"{sentence} {name} 现在是 {computed}\ndesign.py 里抄的是 {DESIGN[sentence][name]}", pytrace=False
        )


@cache
def shown_matrices():
    """存下的输出里的全部矩阵：numpy 和 torch 打印的、公式里的、图的描述里的，都写成数字的列表。"""
    shown = []
    for path in notebook_paths():
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                text = output.get("data", {}).get("text/plain", "")
                shown += [rows(found) for found in re.findall(r"\[\[.*?\]\]", text, re.DOTALL)]
                shown += [
                    rows(found.replace(r"\\", "]")) for found in re.findall(r"\{bmatrix\}(.*?)\\end", text)
                ]
                for found in re.findall(r"数值：(.*?)；(?:框|右|颜)", text):
                    # 一行写作“名字 0.1 0.2”；名字自己也可能带数字，如 位置1
                    values = [re.search(r"(?: −?[\d.]+)+$", line) for line in found.split("；")]
                    shown.append([[float(n) for n in v[0].replace("−", "-").split()] for v in values if v])
    return shown


def rows(text):
    """文字里的数，一行一个列表；行与行之间是 ]。"""
    text = re.sub(r"[^\d.\-\] \n&]", " ", text)
    numbers = [[float(n) for n in re.findall(r"-?\d+\.?\d*", line)] for line in text.split("]")]
    return [line for line in numbers if line]


@pytest.mark.parametrize(("sentence", "name"), MATRICES)
def test_every_matrix_of_the_design_is_shown_to_its_digits(sentence, name):
    matrix = DESIGN[sentence][name]
    assert matrix in shown_matrices(), f"没有一个输出里写着 {sentence} {name} = {matrix}"


def test_the_source_weights_that_break_the_rule_are_shown_beside_the_equal_scores():
    assert [[0.37, 0.68, 0.37], [0.3, 0.42, 0.28]] in shown_matrices()


def test_a_changed_digit_would_be_missed():
    assert np.round(np.array(DESIGN["猫吃鱼"]["weights"]) + 0.0001, 4).tolist() not in shown_matrices()

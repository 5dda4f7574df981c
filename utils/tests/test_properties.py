"""什么输入都行：要么结果对（用分数、小数、循环另算一遍），要么是我们自己的、中文的 ValueError。

哪些不收、怎样说，在 test_checks.py；这里看每一处收参数的地方都查过，和算出的数对不对。
"""

import logging
import math
import re
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from utils import attention, notation, plotting, sql
from utils.animations import animate_scores, animate_weighted_sum
from utils.checks import LARGEST
from utils.examples import from_sentence, reorder
from utils.tests import inputs_table as table

pytestmark = pytest.mark.filterwarnings("error")

ROOT = Path(__file__).resolve().parents[2]
# 每次造出的输入都一样，不看时间，不留文件；出了错也不花几分钟去化简它
steady = settings(
    derandomize=True, deadline=None, database=None, max_examples=60, phases=[Phase.explicit, Phase.generate]
)
few = settings(steady, max_examples=15)

NAN, INF = float("nan"), float("inf")


def outcome(call, value, draw=True):
    """调用一次：返回 (结果, None) 或 (None, 我们的错误)；别人的错误、警告都让测试失败。"""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call(value)
            if draw and hasattr(result, "draw_without_rendering"):
                result.draw_without_rendering()
            repr(result)
            return result, None
    except ValueError as error:
        last = error.__traceback__
        while last.tb_next:
            last = last.tb_next
        file = Path(last.tb_frame.f_code.co_filename)
        ours = file.is_relative_to(ROOT / "utils") and "tests" not in file.parts
        assert ours and re.search("收到|只能写|请|应是", str(error)), f"不是我们的错误：{error!r}"
        assert len(str(error)) < 1500, "错误太长"
        return None, error


def refused(call, wrong, accepted=()):
    """wrong 里的每一样都被拒绝，accepted 里的名字除外：它们不出错。"""
    for name, value in wrong.items():
        _, error = outcome(call, value)
        assert (error is None) == (name in accepted), f"{name}：{error or '没有拒绝'}"


# ── 每一处都查过 ──────────────────────────────────────────────────────────

GRAD = torch.eye(2, requires_grad=True)
NOT_NUMBERS = {"None": None, "文字": "猫鱼", "空": [], "长短不一": [[1, 0], [1]], "三维": np.ones((2, 2, 2))}
WRONG_MATRICES = NOT_NUMBERS | {
    "一维": [0.5, 0.5],
    "文字的列表": [["1", "0"], ["0", "1"]],
    "NaN": [[NAN, 0], [0, 1]],
    "要求梯度": GRAD,
}
WRONG_ROWS = NOT_NUMBERS | {
    "二维": [[0.5, 0.5]],
    "文字的列表": ["1", "0"],
    "NaN": [NAN, 0],
    "要求梯度": GRAD[0],
}


@pytest.mark.parametrize("slot", table.MATRICES)
def test_what_is_no_matrix_of_real_numbers_is_refused_by_us(slot):
    refused(table.MATRICES[slot], WRONG_MATRICES)


@pytest.mark.parametrize("slot", table.ROWS)
def test_what_is_no_row_of_real_numbers_is_refused_by_us(slot):
    refused(table.ROWS[slot], WRONG_ROWS)


FORMS = {
    "元组": lambda rows: tuple(map(tuple, rows)),
    "float32": lambda rows: np.array(rows, "float32"),
    "整数": np.array,
    "torch": torch.tensor,
}


@pytest.mark.parametrize("slot", table.MATRICES)
def test_every_place_that_takes_a_matrix_takes_every_form(slot):
    expected, _ = outcome(table.MATRICES[slot], table.EYE)
    for form, make in FORMS.items():
        result, error = outcome(table.MATRICES[slot], make([[1, 0], [0, 1]]), draw=False)
        assert error is None and repr(result) == repr(expected), f"{form}：{error or repr(result)}"


@pytest.mark.parametrize("slot", table.ROWS)
def test_every_place_that_takes_a_row_takes_every_form(slot):
    expected, _ = outcome(table.ROWS[slot], [1.0, 0.0])
    for form, make in FORMS.items():
        result, error = outcome(table.ROWS[slot], make([[1, 0]])[0], draw=False)
        assert error is None and repr(result) == repr(expected), f"{form}：{error or repr(result)}"


WRONG_LABELS = {
    "None": None,
    "一个数": 5,
    "集合": {"猫", "鱼"},
    "列表的列表": [["猫"], ["鱼"]],
    "少一个": ["猫"],
    "多一个": "猫吃鱼",
}
OPTIONAL_LABELS = re.compile("columns|row_labels|col_labels|x_labels|key_tokens|plot_weights")


@pytest.mark.parametrize("slot", table.LABEL_SLOTS)
def test_names_are_a_list_of_the_right_length(slot):
    accepted = {"None"} if OPTIONAL_LABELS.search(slot) else set()
    if slot == "Example position_columns":
        accepted |= {"少一个"}
    refused(table.LABEL_SLOTS[slot], WRONG_LABELS, accepted)
    for names in ("猫鱼", ("猫", "鱼"), np.array(["猫", "鱼"])):
        assert outcome(table.LABEL_SLOTS[slot], names)[1] is None


WRONG_SCALARS = {
    "文字": "4",
    "True": True,
    "NaN": NAN,
    "负一": -1,
    "列表": [1],
    "数组": np.array([1]),
    "无穷": INF,
}


@pytest.mark.parametrize("slot", table.INTEGERS)
def test_what_is_no_integer_is_refused_by_us(slot):
    refused(table.INTEGERS[slot], WRONG_SCALARS | {"2.0": 2.0, "1.5": 1.5})
    assert outcome(table.INTEGERS[slot], np.int64(1))[1] is None


@pytest.mark.parametrize("slot", table.NUMBERS)
def test_what_is_no_positive_number_is_refused_by_us(slot):
    refused(table.NUMBERS[slot], WRONG_SCALARS, {"负一"} if slot == "scaled_score score" else ())


# ── 对的输入，各种写法 ────────────────────────────────────────────────────

SMALL = st.integers(-3, 3)


def matrices(rows, cols):
    return st.lists(st.lists(SMALL, min_size=cols, max_size=cols), min_size=rows, max_size=rows)


def product(A, B):
    """矩阵乘法，用分数一项项算。"""
    columns = list(zip(*B, strict=True))
    return [
        [
            sum((Fraction(a) * Fraction(b) for a, b in zip(row, col, strict=True)), Fraction(0))
            for col in columns
        ]
        for row in A
    ]


def softmax_of(row):
    """一行 softmax，用五十位小数算。"""
    with localcontext() as context:
        context.prec = 50
        exponentials = [Decimal(0) if x == -INF else (Decimal(x) - Decimal(max(row))).exp() for x in row]
        return [float(e / sum(exponentials)) for e in exponentials]


def transpose(M):
    return [list(column) for column in zip(*M, strict=True)]


@steady
@given(st.data(), st.tuples(*[st.integers(1, 4)] * 4))
def test_small_integers_give_the_exact_products(data, sizes):
    n, d_model, d_k, d_v = sizes
    shapes = (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    X, W_Q, W_K, W_V = (data.draw(matrices(*shape)) for shape in shapes)

    steps = attention.self_attention(X, W_Q, W_K, W_V)

    Q, K, V = (product(X, W) for W in (W_Q, W_K, W_V))
    scores = product(Q, transpose(K))
    assert steps.Q.tolist() == Q and steps.K.tolist() == K and steps.V.tolist() == V
    assert steps.scores.tolist() == scores  # 小整数的积与和，一个不差
    scaled = [[float(score) / math.sqrt(d_k) for score in row] for row in scores]
    np.testing.assert_allclose(steps.scaled_scores, scaled, rtol=1e-15)
    weights = [softmax_of(row) for row in scaled]
    np.testing.assert_allclose(steps.weights, weights, rtol=1e-13)
    output = [[float(x) for x in row] for row in product(weights, V)]
    np.testing.assert_allclose(steps.output, output, rtol=1e-12, atol=1e-12)


# ── 极大、极小、各种大小混在一起 ──────────────────────────────────────────

EXTREMES = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 1e-16, 1e16, 1e50, LARGEST, -LARGEST]
NUMBERS = st.sampled_from(EXTREMES) | st.floats(-LARGEST, LARGEST, allow_nan=False)


def floats(rows, cols, numbers=NUMBERS):
    return st.lists(st.lists(numbers, min_size=cols, max_size=cols), min_size=rows, max_size=rows)


def close(result, A, B):
    """result 与 A B 只差浮点误差：以 |A| |B| 为尺子，再放过 float64 最小的数。"""
    exact = product(A, B)
    size = product([[abs(a) for a in row] for row in A], [[abs(b) for b in row] for row in B])
    for got, want, scale in zip(np.ravel(result), chain(*exact), chain(*size), strict=True):
        assert abs(Fraction(got) - want) <= Fraction(1e-14) * scale + Fraction(1e-320)


@steady
@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_products_of_numbers_of_any_size_are_right(data, n, d, m):
    A, B = data.draw(floats(n, d)), data.draw(floats(d, m))
    close(attention.project(A, B), A, B)
    close(attention.attention_scores(A, transpose(B)), A, B)
    close(attention.weighted_sum(A, B), A, B)


@steady
@given(floats(2, 3, NUMBERS | st.just(-INF)), st.sampled_from([1, 2, 768, 5e-324, 1e-100, 1e100]))
def test_scaling_is_right_for_numbers_of_any_size(scores, d_k):
    result = attention.scale_scores(scores, d_k)
    with localcontext() as context:
        context.prec = 60
        for got, score in zip(np.ravel(result), chain(*scores), strict=True):
            want = Decimal(score) if math.isinf(score) else Decimal(score) / Decimal(d_k).sqrt()
            assert math.isclose(got, float(want), rel_tol=1e-15, abs_tol=5e-324)


@steady
@given(floats(2, 4, NUMBERS | st.floats(-30, 30) | st.just(-INF)))
def test_softmax_is_right_for_numbers_of_any_size(rows):
    if any(max(row) == -INF for row in rows):
        assert outcome(attention.softmax, rows)[1]
        return
    result = attention.softmax(rows)
    np.testing.assert_allclose(result, [softmax_of(row) for row in rows], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(result.sum(axis=1), 1, rtol=1e-15)


ANYTHING = st.recursive(
    NUMBERS
    | st.integers()
    | st.booleans()
    | st.none()
    | st.text(max_size=2)
    | st.sampled_from([NAN, INF, 1j]),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=9,
)


@steady
@given(ANYTHING)
def test_whatever_is_nested_in_lists_is_computed_or_refused(value):
    for call in (
        attention.softmax,
        lambda M: attention.scale_scores(M, 4),
        lambda M: attention.attention_scores(M, M),
        lambda M: attention.project(M, [[1.0], [1.0]]),
        lambda M: table.example(X=M).X,
    ):
        result, error = outcome(call, value)
        assert error or (result.dtype == np.float64 and np.isfinite(result[~np.isneginf(result)]).all())
    for call in (
        lambda M: notation.matrix("M", M),
        table.ROWS["dot_product left"],
        table.ROWS["softmax_row"],
    ):
        result, error = outcome(call, value)
        assert error or repr(result)


# ── 写、演、查、画 ────────────────────────────────────────────────────────


@few
@given(floats(2, 2, st.floats(-1000, 1000)), floats(2, 2, st.floats(-1000, 1000)))
def test_animations_take_the_products_and_write_no_nan(A, B):
    animation = animate_scores(A, B, attention.attention_scores(A, B), "猫鱼")
    assert (
        len(animation.frames) == 5
        and "NaN" not in repr(animation)
        and r"\infty" not in animation._repr_html_()
    )
    weights = attention.softmax(A)
    animation = animate_weighted_sum(weights, B, attention.weighted_sum(weights, B), "猫鱼")
    assert len(animation.frames) == 5 and "NaN" not in repr(animation)


@few
@given(floats(3, 2, st.floats(-50, 50)), floats(3, 2, st.floats(-50, 50)), floats(3, 2))
def test_sql_computes_what_numpy_computes(Q, K, V):
    connection = sql.load("猫吃鱼", Q, K, V)
    weights, output = sql.attention(connection)
    connection.close()
    expected = attention.softmax(attention.scale_scores(attention.attention_scores(Q, K), 2))
    np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=1e-300)
    close(output, weights.tolist(), V)


def draw(figure):
    """画出来；描述里没有 nan。"""
    figure.draw_without_rendering()
    description = repr(figure)
    assert not re.search(r"\bnan\b|\binf\b", description, re.IGNORECASE)
    return description


@pytest.fixture(autouse=True)
def quiet_log(caplog):
    caplog.set_level(logging.WARNING, logger="matplotlib")
    yield
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING and r.name.startswith("matplotlib")]


@settings(steady, max_examples=4)
@given(floats(3, 2), floats(3, 2), st.booleans())
def test_pictures_of_numbers_of_any_size_are_drawn_in_silence(A, B, log):
    draw(plotting.plot_matrix(A, title="题", row_labels="猫吃鱼"))
    draw(plotting.plot_matrices({"A": A, "B": B}))
    draw(plotting.plot_score(A, B, 0, 1, "猫吃鱼"))
    draw(plotting.plot_value_plane(A, B, "猫吃鱼", value_names="ab", title="题"))
    a, b = np.array(A).T
    draw(plotting.plot_bars({"a": a, "b": b}, **table.NAMES))
    if log:
        a, b = np.abs(a) + 1e-300, np.abs(b) + 1e-300
    draw(plotting.plot_lines(a, {"b": b}, log_x=log, log_y=log, **table.NAMES))


@settings(steady, max_examples=6)
@given(floats(3, 3, st.floats(0, 1) | st.sampled_from([0, 1, 5e-324, 1 - 1e-16])))
def test_weights_between_zero_and_one_are_drawn_in_silence(weights):
    draw(plotting.plot_weights(weights, "猫吃鱼", title="题", show_sums=True))
    draw(plotting.plot_matrices({"a": weights}, kind="weights"))


TEXT = st.text(min_size=1, max_size=12)


@steady
@given(TEXT, st.integers(1, 9), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**70))
def test_any_text_is_a_sentence_or_refused(text, d_model, d_k, d_v, seed):
    example, error = outcome(
        lambda text: from_sentence(text, d_model=d_model, d_k=d_k, d_v=d_v, seed=seed), text
    )
    if error:
        assert "至少要有一个字" in str(error)
        return
    assert example.X.shape == (example.n, d_model) and example.W_Q.shape == (d_model, d_k)
    assert np.isfinite(example.X).all() and example.W_V.shape == (d_model, d_v)
    back = reorder(reorder(example, example.tokens[::-1]), example.tokens)
    assert back.tokens == example.tokens and sorted(map(tuple, back.X)) == sorted(map(tuple, example.X))

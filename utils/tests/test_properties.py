"""什么输入都行：要么结果对（用分数、小数、循环另算一遍），要么是我们自己的、中文的 ValueError。

不许有：numpy、torch 或 Python 自己的错误，警告，悄悄变成 NaN，改动参数，结果与参数共用内存。
"""

import datetime
import logging
import math
import re
import tempfile
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


class ArrayLike:
    """像 pandas 的表那样，自己不是数组，却能变成数组。"""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None):
        return np.asarray(self.values, dtype)


class Broken:
    """变成数组时出错。"""

    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


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
    for name, make in wrong.items():
        try:
            _, error = outcome(call, make())
        except BaseException as other:
            raise AssertionError(f"{name}：{type(other).__name__} {other}") from other
        assert (error is None) == (name in accepted), f"{name}：{error or '没有拒绝'}"


def nested(depth):
    value = 1.0
    for _ in range(depth):
        value = [value]
    return value


def loop():
    value = []
    value.append(value)
    return value


def wrong_numbers(change):
    """change 把 [[1, 0], [0, 1]] 这样的数组变成要用的形状；里面有一个数不对。"""

    def put(value, dtype=object):
        array = np.eye(2).astype(dtype)
        array[0, 0] = value
        return change(array)

    listed = {
        "None": None,
        "复数": 1j,
        "文字": "1",
        "字节串": b"1",
        "日期": datetime.date(2020, 1, 1),
        "Decimal": Decimal(1),
        "列表": [1],
        "np.ma.masked": np.ma.masked,
        "太大的整数": 10**30,
        "几千位的整数": 10**5000,
        "NaN": NAN,
        "无穷": INF,
        "负无穷": -INF,
        "1e308": 1e308,
    }
    lists = {f"列表里的 {name}": lambda v=v: listing(change(np.eye(2)), v) for name, v in listed.items()}
    return lists | {
        "NaN": lambda: put(NAN, float),
        "无穷": lambda: put(INF, float),
        "1e308": lambda: put(1e308, float),
        "放不进 float64": lambda: put(np.longdouble("1e999"), np.longdouble),
        "object": lambda: change(np.eye(2).astype(object)),
        "object 里有 None": lambda: put(None),
        "复数": lambda: change(np.eye(2) * 1j),
        "文字": lambda: change(np.eye(2).astype(str)),
        "字节串": lambda: change(np.eye(2).astype("S3")),
        "日期": lambda: change(np.zeros((2, 2), "M8[D]")),
        "时长": lambda: change(np.zeros((2, 2), "m8[D]")),
        "有字段": lambda: change(np.zeros((2, 2), [("a", float)])),
        "遮住": lambda: change(np.ma.array(np.eye(2), mask=np.eye(2) == 1)),
        "要求梯度": lambda: change(torch.eye(2, requires_grad=True)),
        "bfloat16": lambda: change(torch.eye(2, dtype=torch.bfloat16)),
        "稀疏": lambda: change(torch.eye(2)).to_sparse(),
        "没有数据": lambda: change(torch.empty(2, 2, device="meta")),
        "复数张量": lambda: change(torch.eye(2, dtype=torch.complex64).conj()),
    }


def listing(array, value):
    """同样的列表，第一个数换成 value。"""
    rows = array.tolist()
    if array.ndim == 2:
        rows[0][0] = value
    else:
        rows[0] = value
    return rows


NOT_NUMBERS = {
    "None": lambda: None,
    "函数": lambda: len,
    "类": lambda: np.ndarray,
    "生成器": lambda: (row for row in [[1.0, 0.0], [0.0, 1.0]]),
    "字典": lambda: {0: [1, 0], 1: [0, 1]},
    "集合": lambda: {1, 2},
    "字节串": lambda: b"ab",
    "文字": lambda: "猫鱼",
    "零维": lambda: 1.0,
    "numpy 的一个数": lambda: np.float64(1),
    "空": lambda: [],
    "空的行": lambda: [[], []],
    "三维": lambda: np.ones((2, 2, 2)),
    "七十层": lambda: nested(70),
    "装着自己": loop,
    "长短不一": lambda: [[1, 0], [1]],
    "遮住一行": lambda: [np.ma.array([1.0, 0.0], mask=[1, 0]), [0.0, 1.0]],
    "张量的列表": lambda: [list(row) for row in torch.eye(2, requires_grad=True)],
    "__array__ 出错": lambda: Broken(RuntimeError("坏")),
    "__array__ 出怪错": lambda: Broken(KeyError("坏")),
}
WRONG_MATRICES = NOT_NUMBERS | {"一维": lambda: [0.5, 0.5]} | wrong_numbers(lambda M: M)
WRONG_ROWS = NOT_NUMBERS | {"二维": lambda: [[0.5, 0.5]]} | wrong_numbers(lambda M: M[0])


@pytest.mark.parametrize("slot", table.MATRICES)
def test_what_is_no_matrix_of_real_numbers_is_refused_by_us(slot):
    accepted = set()
    if slot.startswith(("plot", "animation")):
        accepted |= {"要求梯度"}  # 画图时不用先 .detach()
    if slot in ("scale_scores", "softmax", "plot_matrix", "plot_matrices"):
        accepted |= {"列表里的 负无穷"}  # 被遮住的键
    if slot == "notation.matrix":  # 什么数都写得出
        accepted |= {"NaN", "无穷", "1e308", "放不进 float64"}
        accepted |= {f"列表里的 {name}" for name in ("NaN", "无穷", "负无穷", "1e308")}
    refused(table.MATRICES[slot], WRONG_MATRICES, accepted)


@pytest.mark.parametrize("slot", table.ROWS)
def test_what_is_no_row_of_real_numbers_is_refused_by_us(slot):
    accepted = {"要求梯度"} if slot.startswith("plot") else set()
    if slot == "softmax_row":
        accepted |= {"列表里的 负无穷"}  # 被遮住的键
    if slot == "plot_lines y":  # 不画
        accepted |= {"NaN", "无穷", "放不进 float64"}
        accepted |= {f"列表里的 {name}" for name in ("NaN", "无穷", "负无穷")}
    refused(table.ROWS[slot], WRONG_ROWS, accepted)


WRONG_LABELS = {
    "None": lambda: None,
    "一个数": lambda: 5,
    "一个对象": object,
    "字节串": lambda: b"ab",
    "集合": lambda: {"猫", "鱼"},
    "字典": lambda: {"猫": 1, "鱼": 2},
    "生成器": lambda: (token for token in "猫鱼"),
    "零维数组": lambda: np.array("猫"),
    "列表的列表": lambda: [["猫"], ["鱼"]],
    "二维数组": lambda: np.array([["猫"], ["鱼"]]),
    "几个 None": lambda: [None, None],
    "几个对象": lambda: [object(), object()],
    "少一个": lambda: ["猫"],
    "多一个": lambda: "猫吃鱼",
    "空": lambda: [],
    "没有数据的张量": lambda: torch.empty(2, device="meta"),
}
OPTIONAL_LABELS = re.compile("columns|row_labels|col_labels|x_labels|queries|key_tokens|query_tokens")


@pytest.mark.parametrize("slot", table.LABEL_SLOTS)
def test_what_is_no_list_of_names_is_refused_by_us(slot):
    accepted = {"None"} if OPTIONAL_LABELS.search(slot) else set()
    if slot == "plot_bars x_labels":
        accepted |= {"字典"}  # {小标题: 这一幅的名字}
    if slot == "Example position_columns":
        accepted |= {"少一个", "空"}
    refused(table.LABEL_SLOTS[slot], WRONG_LABELS, accepted)


@pytest.mark.parametrize("slot", table.LABEL_SLOTS)
@pytest.mark.parametrize("form", [list, tuple, "".join, np.array], ids=["列表", "元组", "字符串", "数组"])
def test_names_in_any_ordered_form_are_read(slot, form):
    _, error = outcome(table.LABEL_SLOTS[slot], form(table.LABELS))
    assert error is None


WRONG_SCALARS = {
    "文字": lambda: "4",
    "True": lambda: True,
    "NaN": lambda: NAN,
    "负一": lambda: -1,
    "负无穷": lambda: -INF,
    "列表": lambda: [1],
    "数组": lambda: np.array([1, 2]),
    "一个数的数组": lambda: np.array([1]),
    "复数": lambda: 1j,
    "张量": lambda: torch.tensor(2),
    "字典": lambda: {1: 1},
    "对象": object,
    "Decimal": lambda: Decimal(1),
    "日期": lambda: datetime.date(2020, 1, 1),
    "无穷": lambda: INF,
    "1e308": lambda: 1e308,
    "放不进 float64": lambda: np.longdouble("1e4000"),
    "几千位的整数": lambda: 10**5000,
}
WRONG_INTEGERS = WRONG_SCALARS | {"2.0": lambda: 2.0, "1.5": lambda: 1.5, "2 的 70 次方": lambda: 2**70}


@pytest.mark.parametrize("slot", table.INTEGERS)
def test_what_is_no_integer_is_refused_by_us(slot):
    any_size = "seed" in slot and not re.search("split|train|Model", slot)  # numpy 的种子多大都行
    refused(table.INTEGERS[slot], WRONG_INTEGERS, {"几千位的整数", "2 的 70 次方"} if any_size else ())


@pytest.mark.parametrize("slot", table.INTEGERS)
def test_an_integer_of_numpy_is_an_integer(slot):
    _, error = outcome(table.INTEGERS[slot], np.int64(1))
    assert error is None


@pytest.mark.parametrize("slot", table.NUMBERS)
def test_what_is_no_positive_number_is_refused_by_us(slot):
    refused(table.NUMBERS[slot], WRONG_SCALARS, {"负一", "负无穷"} if slot == "scaled_score score" else ())


FITTING = {  # 这个参数正好收这一样
    "fuzzy_join step": set(),
    "from_sentence text": {"文字“4”"},
    "exact_join wanted": {"文字“4”"},
    "animation name": {"None"},
    "train on_progress": {"None"},
    "plot_matrix outline": {"None", "空"},
    "plot_matrix color": {"None"},
    "plot_matrices operators": {"None", "空", "文字“4”", "半个字符", "列表“1”", "一个数的数组"},
    **{f"plot_matrices {name}": {"None", "空字典"} for name in ("row_labels", "col_labels", "outline")},
    **{
        f"{name} lengths": {"空", "列表“1”", "一个数的数组", "数组"}
        for name in ("gradient_norms", "sequential_operations", "number_of_scores")
    },
}


@pytest.mark.parametrize("slot", table.OTHERS)
def test_a_thing_of_another_kind_is_refused_by_us(slot):
    wrong = {name: make for name, make in WRONG_MATRICES.items() if name not in ("函数", "类", "字典")}
    wrong |= {name: make for name, make in WRONG_SCALARS.items() if name not in ("文字", "列表", "字典")}
    wrong |= {"文字“4”": lambda: "4", "列表“1”": lambda: [1], "半个字符": lambda: "\ud800", "空字典": dict}
    if slot == "rows sql":  # SQL 写错了，是 SQLite 的原话
        wrong = {name: make for name, make in wrong.items() if not isinstance(make(), str)}
    refused(table.OTHERS[slot], wrong, FITTING.get(slot, ()))


# ── 对的输入，各种写法 ────────────────────────────────────────────────────


def mapped(rows):
    with tempfile.TemporaryFile() as file:  # 文件关了，映射还在
        array = np.memmap(file, dtype=float, mode="w+", shape=np.shape(rows))
    array[:] = rows
    return array


def read_only(rows):
    array = np.array(rows, float)
    array.setflags(write=False)
    return array


FORMS = {  # 写法 -> 由一列列整数造出它
    "列表": lambda rows: rows,
    "元组": lambda rows: tuple(map(tuple, rows)),
    "数组的列表": lambda rows: list(map(np.array, rows)),
    **{
        dtype: lambda rows, dtype=dtype: np.array(rows).astype(dtype)
        for dtype in ("int8", "int16", "int32", "int64", "float16", "float32", "float64", "longdouble", ">f8")
    },
    **{
        dtype: lambda rows, dtype=dtype: np.abs(rows).astype(dtype)
        for dtype in ("uint8", "uint16", "uint32", "uint64")
    },
    "bool": lambda rows: np.array(rows) > 0,
    "按列存": lambda rows: np.asfortranarray(np.array(rows, float)),
    "隔着取": lambda rows: np.repeat(np.repeat(np.array(rows, float), 2, axis=0), 3, axis=1)[::2, ::3],
    "倒着取": lambda rows: np.array(rows, float)[::-1, ::-1].copy()[::-1, ::-1],
    "只读": read_only,
    "映射文件": mapped,
    "np.matrix": lambda rows: np.array(rows, float).view(np.matrix),
    "没遮住的 np.ma": lambda rows: np.ma.array(rows, dtype=float),
    "像数组": lambda rows: ArrayLike(np.array(rows, float)),
    "torch": lambda rows: torch.tensor(rows, dtype=torch.float64),
    "torch 转置": lambda rows: torch.tensor(rows, dtype=torch.float32).T.contiguous().T,
    "torch 整数": lambda rows: torch.tensor(rows),
}
SMALL = st.integers(-3, 3)


def matrices(rows, cols):
    return st.lists(st.lists(SMALL, min_size=cols, max_size=cols), min_size=rows, max_size=rows)


def plain(value):
    """这种写法里的数，成为一列列 Python 的数；不经过被测的代码。"""
    array = value.values if isinstance(value, ArrayLike) else value
    return [[float(x) for x in row] for row in np.asarray(array).tolist()]


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
@given(st.data(), st.sampled_from(list(FORMS)), st.tuples(*[st.integers(1, 4)] * 4))
def test_any_form_of_the_same_numbers_gives_the_exact_products(data, form, sizes):
    n, d_model, d_k, d_v = sizes
    shapes = (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    given_forms = [FORMS[form](data.draw(matrices(*shape))) for shape in shapes]
    before = [plain(value) for value in given_forms]
    X, W_Q, W_K, W_V = before

    steps = attention.self_attention(*given_forms)

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
    assert [plain(value) for value in given_forms] == before  # 参数没有变
    for result in steps:
        assert result.dtype == np.float64 and result.flags.writeable
        assert not any(np.shares_memory(result, v) for v in given_forms if isinstance(v, np.ndarray))


@pytest.mark.parametrize("slot", table.MATRICES)
def test_every_place_that_takes_a_matrix_takes_every_form(slot):
    expected, _ = outcome(table.MATRICES[slot], table.EYE)
    for form, make in FORMS.items():
        value = make([[1, 0], [0, 1]])
        result, error = outcome(table.MATRICES[slot], value, draw=False)
        assert error is None and repr(result) == repr(expected), f"{form}：{error or repr(result)}"
        assert plain(value) == table.EYE, form
        if isinstance(result, np.ndarray) and isinstance(value, np.ndarray):
            assert not np.shares_memory(result, value), form


@pytest.mark.parametrize("slot", table.ROWS)
def test_every_place_that_takes_a_row_takes_every_form(slot):
    expected, _ = outcome(table.ROWS[slot], [1.0, 0.0])
    for form, make in FORMS.items():
        if form == "np.matrix":  # 它总是二维
            continue
        value = make([[1, 0]])
        value = ArrayLike(value.values[0]) if isinstance(value, ArrayLike) else value[0]
        result, error = outcome(table.ROWS[slot], value, draw=False)
        assert error is None and repr(result) == repr(expected), f"{form}：{error or repr(result)}"


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


@settings(steady, max_examples=100)
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


@steady
@given(floats(2, 3, NUMBERS | st.floats(-100, 100)), st.integers(0, 15))
def test_a_written_number_is_the_number_within_its_last_place(M, decimals):
    for value in chain(*M):
        text = notation.number(value, decimals)
        digits, _, power = text.replace("}", "").partition(r" \times 10^{")
        unit = Fraction(10) ** (int(power or 0) - decimals)
        assert abs(Fraction(digits) * Fraction(10) ** int(power or 0) - Fraction(value)) <= unit / 2
        assert digits != "-0"


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


@settings(steady, max_examples=6)
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


@few
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


@steady
@given(st.lists(TEXT, min_size=2, max_size=2))
def test_any_text_is_a_label_or_refused(tokens):
    for slot, call in table.LABEL_SLOTS.items():
        if not slot.startswith(("plot", "animation")):
            outcome(call, tokens)

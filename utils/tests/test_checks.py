"""checks.py 的事实：对的各种写法都收，错的用三行话拒绝，话里的办法真能走通。

别处的测试只看每个参数都经过这里（test_properties.py）；哪些不收、怎样说，只在这里试。
"""

import numpy as np
import pytest
import torch

from utils.characters import printable
from utils.checks import (
    LARGEST,
    as_array,
    as_arrays,
    as_dict,
    as_integer,
    as_list,
    as_names,
    as_positive,
    shown,
)

INF, NAN = float("inf"), float("nan")
GRAD = torch.ones((2, 2), requires_grad=True)
MASKED = np.ma.array([[1.0, 2.0]], mask=[[False, True]])


def refused(call, *parts):
    """call 抛出三行的错误：规则、收到、怎么办；里面有 parts。返回第三行。"""
    with pytest.raises(ValueError) as caught:
        call()
    rule, received, way_out = str(caught.value).split("\n")
    assert received.startswith("收到：") and way_out.startswith("怎么办："), str(caught.value)
    assert all(line.endswith("。") for line in (rule, received, way_out)), str(caught.value)
    assert all(str(part) in str(caught.value) for part in parts), str(caught.value)
    return way_out


# ── 数组 ──────────────────────────────────────────────────────────────────


class ArrayLike:
    """像 pandas 的表那样，自己不是数组，却能变成数组。"""

    def __array__(self, dtype=None, copy=None):
        return np.array([[1, 0], [0, 2]], dtype)


ROWS = [[1, 0], [0, 2]]
FORMS = {
    "列表": lambda: ROWS,
    "元组": lambda: tuple(map(tuple, ROWS)),
    "数组的列表": lambda: list(map(np.array, ROWS)),
    **{
        kind: lambda kind=kind: np.array(ROWS, kind)
        for kind in ("int8", "uint8", "float16", "float32", ">f8")
    },
    "按列存": lambda: np.asfortranarray(np.array(ROWS, float)),
    "隔着取": lambda: np.repeat(np.array(ROWS, float), 3, axis=1)[:, ::3],
    "像数组": ArrayLike,
    "没遮住的 np.ma": lambda: np.ma.array(ROWS, float),
    "torch": lambda: torch.tensor(ROWS),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_numbers_becomes_a_new_float64_array(form):
    value = FORMS[form]()
    before = np.asarray(value).copy()
    array = as_arrays("(n, d)", X=value)
    assert array.dtype == np.float64 and array.tolist() == ROWS
    array += 1
    np.testing.assert_array_equal(np.asarray(value), before)  # 参数没有变


def test_truth_values_and_read_only_arrays_are_numbers_too():
    value = np.array([[True, False]])
    value.setflags(write=False)
    assert as_arrays("(n, d)", X=value).tolist() == [[1, 0]]


WRONG = {
    "文字": ([["猫", "鱼"]], "(n, d)", "实数", "list，[['猫', '鱼']]"),
    "数字写成的文字": ([["1", "2"]], "实数"),
    "字符串": ("猫鱼", "实数", "'猫鱼'"),
    "None": (None, "实数", "None"),
    "长短不一": ([[1, 2], [3]], "各行一样长", "2 行，每行 1 或 2 个"),
    "复数": (np.ones((2, 2)) * 1j, "实数", "complex128"),
    "object": (np.full((2, 2), None), "(2, 2)，元素类型 object"),
    "类": (np.ndarray, "实数", "type"),
    "集合": ({1, 2}, "实数", "set"),
    "字典": ({0: [1]}, "实数", "dict"),
    "要求梯度": (GRAD, "Tensor，形状 (2, 2)", "X.detach().double().numpy()"),
    "遮住": (MASKED, "MaskedArray，形状 (1, 2)", "X.filled(0)"),
    "空": ([], "空", "(0,)"),
    "没有行": (np.ones((0, 4)), "空", "(0, 4)"),
    "零维": (1.0, "二维矩阵", "()"),
    "一维": ([1.0, 2.0], "二维矩阵", "1 维，形状 (2,)"),
    "三维": (np.ones((2, 3, 3)), "二维矩阵", "(2, 3, 3)", "X[0]"),
    "NaN": ([[1, NAN]], "第 1 行第 2 列是 nan", "(1, 2)", "哪一步"),
    "无穷": ([[INF]], "第 1 行第 1 列是 inf"),
    "负无穷": ([[-INF]], "第 1 行第 1 列是 -inf"),
    "太大": ([[1.0], [-2e100]], "第 2 行第 1 列是 -2e+100", "1e+100"),
    "太大的整数": ([[10**400]], "实数"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_matrix_is_refused_with_rule_what_came_and_way_out(case):
    value, *parts = WRONG[case]
    refused(lambda: as_arrays("(n, d)", X=value), "X ", *parts)


def test_a_row_and_a_stack_have_their_own_words():
    refused(lambda: as_arrays("(d)", q=[[1.0]]), "q 必须是一行数", "q[0]")
    refused(lambda: as_arrays("(d)", q=[0.0, NAN]), "第 2 个是 nan")
    refused(lambda: as_arrays("(h, n, d)", Q=np.ones((2, 2))), "3 维数组")
    refused(lambda: as_arrays("(h, n, d)", Q=[[[0, 0], [0, INF]]]), "第 1 层第 2 行第 2 列")
    refused(lambda: as_array("「吃」的权重", ["鱼"], "(n_k)"), "「吃」的权重 必须由实数组成")


WAYS = {
    "np.reshape(X, (1, -1))": [1.0, 2.0],
    "np.reshape(X, (-1, 1))": np.ones(2),
    "X[0]": np.ones((2, 3, 2)),
    "X[0][0]": [[[[1.0, 2.0]]]],
    "X.detach().double().numpy()": GRAD,
    "X.filled(0)": MASKED,
}


@pytest.mark.parametrize("way_out", WAYS)
def test_the_code_in_the_message_is_a_way_out(way_out):
    X = WAYS[way_out]
    assert way_out in refused(lambda: as_arrays("(n, d)", X=X))
    assert as_arrays("(n, d)", X=eval(way_out, {"X": X, "np": np})).ndim == 2


def test_a_masked_key_is_minus_infinity_where_that_makes_sense():
    rows = [[0.0, -INF], [-INF, -INF]]
    assert as_arrays("(n_q, n_k)", scores=rows, masked="any").tolist() == rows
    way_out = refused(lambda: as_arrays("(n_q, n_k)", scores=rows, masked="some"), "没被遮住", "第 2 行")
    assert "遮罩" in way_out
    assert "-np.inf" in refused(lambda: as_arrays("(n_q, n_k)", scores=[[0, NAN]], masked="any"), "正无穷")
    refused(lambda: as_arrays("(n_q, n_k)", scores=[[0, INF]], masked="some"), "是 inf")
    assert "filled(-np.inf)" in refused(lambda: as_arrays("(n_q, n_k)", scores=MASKED, masked="any"))


M = {shape: np.ones(shape) for shape in [(3, 4), (4, 3), (3, 8), (8, 4), (3, 3), (2, 3), (3, 2), (5, 6)]}
TURN, SWAP, OTHER = "其中一个转置一次", "换一下位置", "同一个句子"
FIT = {
    "X 与 W 写反了": ("(n, d_model), (d_model, d)", (8, 4), (3, 8), "列数必须等于 B 的行数", [SWAP]),
    "K 转置了两次": ("(n_q, d_k), (n_k, d_k)", (3, 4), (4, 3), "A 与 B 的列数必须相同", [TURN]),
    "Q 转置了": ("(n_q, d_k), (n_k, d_k)", (4, 3), (3, 4), "A 与 B 的列数必须相同", [TURN]),
    "W 转置了": ("(n, d_model), (d_model, d)", (3, 4), (8, 4), "（都是 d_model）", [TURN]),
    "V 转置了，或者写反了": ("(n_q, n_k), (n_k, d_v)", (3, 3), (2, 3), "（都是 n_k）", [SWAP, TURN]),
    "各是各的": ("(n_q, d_k), (n_k, d_k)", (3, 4), (5, 6), "A (3, 4)，B (5, 6)", [OTHER]),
}


@pytest.mark.parametrize("case", FIT)
def test_sizes_that_do_not_fit_are_told_with_the_likely_mistake(case):
    shapes, a, b, part, expected = FIT[case]
    way_out = refused(lambda: as_arrays(shapes, A=M[a], B=M[b]), part, a, b)
    assert [hint for hint in (SWAP, TURN, OTHER) if hint in way_out] == expected


def test_a_size_of_a_row_is_its_length_and_the_nearest_array_is_named():
    refused(lambda: as_arrays("(d), (d)", left=[1, 2], right=[1]), "left 与 right 的长度必须相同")
    call = lambda: as_arrays("(n, d), (n, d), (n, d_v)", Q=M[3, 4], K=M[3, 4], V=M[2, 3])  # noqa: E731
    refused(call, "K 与 V 的行数必须相同（都是 n）", "Q (3, 4)，K (3, 4)，V (2, 3)")


# ── 一个数 ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", ["4", True, NAN, -1, 0, 9, 2.0, [1], np.array(2), torch.tensor(2), None])
def test_what_is_no_integer_between_the_limits_is_refused(value):
    refused(lambda: as_integer("d_k", value, 1, 8, 4), "d_k 必须是不小于 1、不大于 8 的整数", "如 d_k=4")


def test_integers_of_python_and_numpy_become_int():
    assert [type(as_integer("n", value, 0, INF, 1)) for value in (3, np.int8(3), 10**30)] == [int] * 3


@pytest.mark.parametrize("value", [0, -4, NAN, INF, "4", None, (3, 4), True, [4], np.ones(1), 4j, 10**400])
def test_what_is_no_positive_number_is_refused(value):
    refused(lambda: as_positive("d_k", value, "用 Q.shape[1]"), "d_k 必须是一个正数", "用 Q.shape[1]")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [1, 2.5, np.int64(9), np.float32(16), 5e-324, LARGEST])
def test_positive_numbers_of_python_and_numpy_become_float(value):
    assert type(as_positive("d_k", value, "")) is float


# ── 文字 ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("form", [list, tuple, "".join, np.array])
def test_names_in_any_ordered_form_are_read_as_plain_text(form):
    names = as_names("tokens", form(["猫", "鱼"]), 2)
    assert names == ["猫", "鱼"] and {type(name) for name in names} == {str}
    assert as_names("tokens", range(2)) == ["0", "1"]


@pytest.mark.parametrize(
    "value", [None, 5, object(), b"ab", {"猫"}, {"猫": 1}, iter("猫"), [["猫"]], [None], np.array("猫")]
)
def test_what_is_no_list_of_names_is_refused(value):
    refused(lambda: as_names("tokens", value), "tokens 必须是一列文字", '["猫", "吃", "鱼"]')


@pytest.mark.parametrize("value", [[], ["猫", ""], ["猫", " \n"], ["\ud800"]])
def test_names_that_must_be_seen_are_not_blank(value):
    assert as_names("tokens", value) == value
    refused(lambda: as_names("tokens", value, filled=True), "看得见的文字")


def test_too_few_or_too_many_names_are_counted():
    refused(lambda: as_names("tokens", "猫吃", 3, "行"), "tokens 要一行一个，共 3 个", "2 个：'猫、吃'")
    refused(lambda: as_names("tokens", "猫吃鱼", 2), "tokens 要 2 个", "3 个")


def test_a_list_has_an_order_and_a_dict_has_names():
    assert as_list("猫鱼") == ["猫", "鱼"] and as_list({1}) is None and as_list(np.array(1)) is None
    assert as_dict("panels", {1: "a"}, "{}") == {"1": "a"}
    for value in ({}, None, [1]):
        refused(lambda value=value: as_dict("panels", value, "{'Q': Q}"), "panels", "{'Q': Q}")


def test_printable_text_has_no_control_direction_or_half_character():
    assert printable("上\n下\ta\u202eb\ud800c") == "上 下 ab�c"


def test_a_long_value_is_shown_by_its_beginning():
    assert shown("猫") == "'猫'" and len(shown("猫" * 1000)) == 201
    assert shown(10**5000) == "<int>"

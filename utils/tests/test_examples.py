"""examples.py 和 data/ 的事实。"""

import copy
import json
import math
import pickle
import re
import shutil

import numpy as np
import pytest
import torch

from utils import examples
from utils.attention import self_attention
from utils.examples import DATA, FILES, Example, from_sentence, load_example, reorder

# 原文直接给出的 Q 和 K：data/ 里的 X 和投影矩阵必须算出它们
SOURCE = {
    "我爱你": (
        [[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]],
        [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]],
    ),
    "猫吃鱼": (
        [[1.0, 0.2, 0.1, 0.0], [0.3, 0.8, 0.2, 0.1], [0.1, 0.1, 0.9, 0.3]],
        [[0.9, 0.1, 0.0, 0.2], [0.2, 0.7, 0.3, 0.0], [0.0, 0.2, 1.0, 0.1]],
    ),
}


@pytest.mark.parametrize("name", SOURCE)
def test_projections_give_the_queries_and_keys_of_the_source(name):
    example = load_example(name)
    Q, K = SOURCE[name]
    np.testing.assert_allclose(np.einsum("nm,mk->nk", example.X, example.W_Q), Q, atol=1e-12)
    np.testing.assert_allclose(np.einsum("nm,mk->nk", example.X, example.W_K), K, atol=1e-12)


def test_x_of_wo_ai_ni_is_the_source_and_its_values_differ_row_by_row():
    example = load_example("我爱你")
    assert example.X.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]
    assert (example.X @ example.W_V).tolist() == [[2, 0, 2, 0], [0, 2, 0, 2], [2, 2, 1, 1]]


def test_x_of_mao_chi_yu_says_word_place_and_part_of_speech():
    example = load_example("猫吃鱼")
    kind = {"猫": "名词", "吃": "动词", "鱼": "名词"}
    for i, token in enumerate(example.tokens):
        ones = {column for column, value in zip(example.X_columns, example.X[i], strict=True) if value == 1}
        assert ones == {token, f"位置{i + 1}", kind[token]}
        assert set(example.X[i]) == {0, 1}


def test_the_four_sizes_of_mao_chi_yu_all_differ():
    example = load_example("猫吃鱼")
    assert (example.n, example.d_model, example.d_k, example.d_v) == (3, 8, 4, 2)
    assert example.V_columns == ("谁在吃", "吃的是什么")


def test_columns_without_names_are_numbered():
    assert load_example("我爱你").X_columns == ("列1", "列2", "列3", "列4")


def test_changing_a_loaded_example_changes_no_later_one():
    load_example("我爱你").X[0, 0] = 99
    assert load_example("我爱你").X[0, 0] == 1


# ── reorder ───────────────────────────────────────────────────────────────


def test_fish_eats_cat_moves_words_and_keeps_places():
    example = load_example("猫吃鱼")
    other = reorder(example, "鱼吃猫")
    assert other.tokens == ("鱼", "吃", "猫")
    place = [example.X_columns.index(name) for name in example.position_columns]
    word = [j for j in range(example.d_model) if j not in place]
    np.testing.assert_array_equal(other.X[:, place], np.eye(3))
    np.testing.assert_array_equal(other.X[:, word], example.X[[2, 1, 0]][:, word])
    np.testing.assert_array_equal(other.W_Q, example.W_Q)


def test_you_love_me_is_a_plain_permutation_of_rows():
    example = load_example("我爱你")
    np.testing.assert_array_equal(reorder(example, "你爱我").X, example.X[[2, 1, 0]])


def test_reordering_twice_gives_back_the_sentence_and_leaves_the_first_alone():
    example = load_example("猫吃鱼")
    before = example.X.copy()
    back = reorder(reorder(example, "吃鱼猫"), "猫吃鱼")
    np.testing.assert_array_equal(back.X, before)
    np.testing.assert_array_equal(example.X, before)


def test_repeated_tokens_are_matched_in_order():
    X = np.diag([1.0, 2.0, 3.0])
    example = Example(tokens="人爱人", X=X, W_Q=X, W_K=X, W_V=X)
    np.testing.assert_array_equal(reorder(example, "人人爱").X, X[[0, 2, 1]])


def test_tokens_of_several_characters_are_reordered_by_a_list():
    X = np.diag([1.0, 2.0])
    example = Example(tokens=["小猫", "吃"], X=X, W_Q=X, W_K=X, W_V=X)
    np.testing.assert_array_equal(reorder(example, ["吃", "小猫"]).X, X[::-1])
    with pytest.raises(ValueError, match="列表"):
        reorder(example, "吃小猫")


@pytest.mark.parametrize("order", ["猫吃", "猫吃猫", "猫吃鱼鱼", "狗吃鱼", ""])
def test_another_set_of_tokens_is_refused(order):
    with pytest.raises(ValueError, match="正好用完原来的词元"):
        reorder(load_example("猫吃鱼"), order)


@pytest.mark.parametrize("order", [None, 5, [1, "吃", "猫"], [["猫"], "吃", "鱼"]])
def test_an_order_that_is_not_text_is_refused(order):
    with pytest.raises(ValueError, match="order：应是一列非空的文字"):
        reorder(load_example("猫吃鱼"), order)


def test_reorder_wants_the_example_and_not_its_name():
    with pytest.raises(ValueError, match=r"example：应是 Example，如 load_example.*收到 '猫吃鱼'"):
        reorder("猫吃鱼", "鱼吃猫")


# ── 自己的句子 ────────────────────────────────────────────────────────────

I2 = np.eye(2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "X", [[[1, 0], [0, 1]], ((1, 0), (0, 1)), torch.eye(2), I2 == 1, I2[:, ::-1][:, ::-1]]
)
def test_a_matrix_may_be_a_list_a_tensor_or_any_array(X):
    example = Example(tokens="猫吃", X=X, W_Q=I2, W_K=I2, W_V=I2)
    assert example.X.dtype == np.float64 and example.X.tolist() == [[1, 0], [0, 1]]


def test_names_may_be_numpy_arrays_and_become_plain_text():
    names = np.array(["小猫", "吃"])
    example = Example(names, I2, I2, I2, I2, X_columns=names, V_columns=names, position_columns=names)
    for given in (example.tokens, example.X_columns, example.V_columns, example.position_columns):
        assert given == ("小猫", "吃") and all(type(name) is str for name in given)
    assert reorder(example, names[::-1]).tokens == ("吃", "小猫")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_an_example_survives_copying_and_pickling(duplicate):
    example = load_example("猫吃鱼")
    other = duplicate(example)
    assert other.tokens == example.tokens and other.position_columns == example.position_columns
    np.testing.assert_array_equal(other.X, example.X)


@pytest.mark.parametrize(
    ("X", "part"),
    [
        (torch.eye(2, requires_grad=True), r"X：torch 张量.*\.detach\(\)\.double\(\)\.numpy\(\)"),
        (torch.eye(2, dtype=torch.bfloat16), r"X：torch 张量.*\.detach\(\)\.double\(\)\.numpy\(\)"),
        (np.ma.array(I2, mask=I2 == 1), r"X：有被 np\.ma 遮住的格.*filled"),
        (np.array([["1e999", 0], [0, 1]], dtype=np.longdouble), "X：第 1 行第 1 列是 inf"),
        (I2.astype(object), r"X：应是非空的二维数值矩阵.*\(2, 2\)，元素类型 object"),
        (None, "X：应是非空的二维数值矩阵"),
    ],
)
def test_a_matrix_that_numpy_cannot_read_as_numbers_is_refused(X, part):
    with pytest.raises(ValueError, match=part):
        Example(tokens="猫吃", X=X, W_Q=I2, W_K=I2, W_V=I2)


# ── 自己的句子 ────────────────────────────────────────────────────────────

FAMILY, HEART, FLAG, THUMB = "👨\u200d👩\u200d👧", "❤\ufe0f", "🇨🇳", "👍🏽"


def split_columns(example):
    """X 的两半：是哪个字、在第几个位置。"""
    place = [column in example.position_columns for column in example.X_columns]
    return example.X[:, np.logical_not(place)], example.X[:, place]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("猫吃鱼", ["猫", "吃", "鱼"]),
        ("猫，吃。", ["猫", "，", "吃", "。"]),
        ("看一看", ["看", "一", "看"]),
        (" I am\n猫\u3000 ", ["I", "a", "m", "猫"]),
        ("x", ["x"]),
        (FAMILY + HEART + FLAG + THUMB, [FAMILY, HEART, FLAG, THUMB]),
        (FLAG + FLAG, [FLAG, FLAG]),
        ("1\ufe0f\u20e3", ["1\ufe0f\u20e3"]),
        ("e\u0301", ["é"]),
        ("x\u0303y", ["x\u0303", "y"]),
        ("\ufeff猫\x00鱼", ["猫", "鱼"]),
        ("'); DROP", ["'", ")", ";", "D", "R", "O", "P"]),
    ],
)
def test_a_sentence_is_cut_into_the_characters_a_reader_sees(text, tokens):
    assert list(from_sentence(text).tokens) == tokens


def test_a_character_has_the_same_columns_in_every_sentence_and_place():
    here, there = split_columns(from_sentence("猫吃鱼"))[0], split_columns(from_sentence("小鱼看小猫"))[0]
    np.testing.assert_array_equal(here[[0, 2]], there[[4, 1]])
    np.testing.assert_array_equal(there[0], there[3])
    assert np.linalg.matrix_rank(here) == 3


def test_the_position_columns_are_the_sinusoids_of_the_paper():
    positions = split_columns(from_sentence("一二三四五", d_model=12))[1]
    expected = [
        [f(pos / 10000 ** (2 * i / 6)) for i in range(3) for f in (math.sin, math.cos)] for pos in range(5)
    ]
    np.testing.assert_allclose(positions, expected, atol=1e-12)


def test_fish_eats_cat_typed_is_cat_eats_fish_reordered():
    typed, moved = from_sentence("鱼吃猫"), reorder(from_sentence("猫吃鱼"), "鱼吃猫")
    np.testing.assert_array_equal(typed.X, moved.X)
    np.testing.assert_array_equal(typed.W_K, moved.W_K)


def test_the_widths_are_the_ones_asked_for_and_the_three_matrices_differ():
    example = from_sentence("猫吃鱼", d_model=7, d_k=5, d_v=5)
    assert (example.n, example.d_model, example.d_k, example.d_v) == (3, 7, 5, 5)
    assert len({matrix.tobytes() for matrix in (example.W_Q, example.W_K, example.W_V)}) == 3
    assert from_sentence("猫吃鱼", d_model=1).X.shape == (3, 1)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    first, again, other = (from_sentence("猫吃鱼", seed=seed) for seed in (1, 1, 2))
    for name in ("X", "W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
        assert (getattr(first, name) != getattr(other, name)).any()


@pytest.mark.parametrize("text", ["猫", "看一看，看一看！", FAMILY + "爱" + HEART, "天地玄黄" * 16])
def test_any_sentence_gets_weights_and_equal_rows_only_at_equal_places(text):
    example = from_sentence(text)
    weights = self_attention(example.X, example.W_Q, example.W_K, example.W_V).weights
    assert weights.shape == (example.n, example.n)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert len({row.tobytes() for row in example.X}) == example.n


@pytest.mark.parametrize("text", ["", " \n\u3000", "\u200b", None, 3, ["猫"]])
def test_a_sentence_without_a_character_is_refused_with_the_way_out(text):
    with pytest.raises(ValueError, match="至少要有一个字") as caught:
        from_sentence(text)
    assert repr(text) in str(caught.value) and 'from_sentence("猫吃鱼")' in str(caught.value)


@pytest.mark.parametrize(
    "option", [{"d_k": 0}, {"d_model": 2.5}, {"d_v": True}, {"seed": -1}, {"seed": None}]
)
def test_a_width_or_seed_that_is_no_number_is_named(option):
    ((name, value),) = option.items()
    with pytest.raises(ValueError, match=rf"{name} 必须是不小于 .*的整数；收到 {value!r}"):
        from_sentence("猫吃鱼", **option)


# ── 错误 ──────────────────────────────────────────────────────────────────


def test_another_order_of_a_known_sentence_is_sent_to_reorder():
    with pytest.raises(ValueError, match="我爱你、猫吃鱼") as caught:
        load_example("鱼吃猫")
    code = re.search(r"reorder\(.*\)", str(caught.value)).group()
    assert eval(code, {"reorder": reorder, "load_example": load_example}).tokens == ("鱼", "吃", "猫")


@pytest.mark.parametrize("name", ["狗咬人", ["猫", "吃", "鱼"], None])
def test_an_unknown_sentence_is_sent_to_example(name):
    with pytest.raises(ValueError, match=r"我爱你、猫吃鱼.*Example") as caught:
        load_example(name)
    assert "reorder" not in str(caught.value)


GOOD = {
    "tokens": ["猫", "吃"],
    "X": [[1, 0, 0], [0, 1, 0]],
    "W_Q": [[1, 0], [0, 1], [1, 1]],
    "W_K": [[1, 0], [0, 1], [1, 1]],
    "W_V": [[1], [0], [1]],
    "X_columns": ["猫", "吃", "位置"],
    "position_columns": ["位置"],
}

DAMAGE = {
    "少一个词元": ({"tokens": ["猫"]}, ["X：", "2", "1"]),
    "没有词元": ({"tokens": []}, ["tokens："]),
    "词元不是文字": ({"tokens": [1, 2]}, ["tokens："]),
    "X 长短不一": ({"X": [[1, 0, 0], [0, 1]]}, ["X：", "长短不一"]),
    "X 是空的": ({"X": []}, ["X：", "二维"]),
    "X 里有文字": ({"X": [["1", 0, 0], [0, 1, 0]]}, ["X：", "数值"]),
    "X 里有 NaN": ({"X": [[1, 0, float("nan")], [0, 1, 0]]}, ["X：", "第 1 行第 3 列"]),
    "W_Q 转置了": ({"W_Q": [[1, 0, 1], [0, 1, 1]]}, ["W_Q：", "2", "3"]),
    "W_K 宽度不同": ({"W_K": [[1], [0], [1]]}, ["W_K：", "列数", "d_k"]),
    "W_V 少一行": ({"W_V": [[1], [0]]}, ["W_V：", "行数"]),
    "列名少一个": ({"X_columns": ["猫", "吃"]}, ["X_columns：", "2", "3"]),
    "列名重复": ({"X_columns": ["猫", "猫", "位置"]}, ["X_columns：", "重复"]),
    "V 列名多了": ({"V_columns": ["甲", "乙"]}, ["V_columns：", "2", "1"]),
    "位置列不存在": ({"position_columns": ["位置9"]}, ["position_columns：", "位置9"]),
    "位置列不是列表": ({"position_columns": "位置"}, ["position_columns：", "'位'", "列表"]),
    "位置列不是文字": ({"position_columns": 0}, ["position_columns：", "0"]),
    "字段写错": ({"W_q": [[1]]}, ["W_q：", "没有这个字段"]),
    "缺字段": ({"W_V": ...}, ["W_V：", "缺少"]),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """一个可以损坏的 data 文件夹，路径里有中文和空格。"""
    copy = tmp_path / "课程 资料" / "data"
    copy.mkdir(parents=True)
    for file in DATA.glob("*.json"):  # 只拷内容：课程在只读的文件夹里时，拷贝也能写
        shutil.copyfile(file, copy / file.name)
    monkeypatch.setattr(examples, "DATA", copy)
    return copy


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_file_is_refused_with_file_and_field(case, folder):
    change, parts = DAMAGE[case]
    content = {name: value for name, value in (GOOD | change).items() if value is not ...}
    (folder / FILES["猫吃鱼"]).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        load_example("猫吃鱼")
    assert all(part in str(caught.value) for part in ["data/mao_chi_yu.json", *parts]), str(caught.value)


def test_the_undamaged_file_is_accepted(folder):
    (folder / FILES["猫吃鱼"]).write_text(json.dumps(GOOD), encoding="utf-8")
    assert load_example("猫吃鱼").n == 2


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"[1, 2]", "最外层"),
        ('{"tokens": ["猫",]'.encode(), "JSON 语法"),
        ('{"tokens": ["猫", "吃", "鱼"]}'.encode("gbk"), "UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(folder, content, part):
    (folder / FILES["猫吃鱼"]).write_bytes(content)
    with pytest.raises(ValueError, match=part) as caught:
        load_example("猫吃鱼")
    assert "mao_chi_yu.json" in str(caught.value)


def test_a_missing_file_is_named(folder):
    (folder / FILES["我爱你"]).unlink()
    with pytest.raises(ValueError, match=r"wo_ai_ni\.json 不见了"):
        load_example("我爱你")


def test_a_file_saved_by_notepad_with_a_byte_order_mark_is_read(folder):
    text = (folder / FILES["我爱你"]).read_text(encoding="utf-8")
    (folder / FILES["我爱你"]).write_text(text, encoding="utf-8-sig")
    assert load_example("我爱你").n == 3

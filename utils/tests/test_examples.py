"""examples.py 的事实；data/ 的文件弄坏了怎样，见 test_damaged_data.py，里面的数见 test_numbers.py。"""

import copy
import math
import pickle
import re

import numpy as np
import pytest

from utils.attention import self_attention
from utils.examples import Example, from_sentence, load_example, reorder


def test_x_of_mao_chi_yu_says_word_position_and_part_of_speech():
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


def test_fish_eats_cat_moves_words_and_keeps_positions():
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


def test_reorder_wants_the_example_and_not_its_name():
    with pytest.raises(ValueError, match="example 必须是一个 Example"):
        reorder("猫吃鱼", "鱼吃猫")


# ── 自己的句子 ────────────────────────────────────────────────────────────

I2, I32 = np.eye(2), np.eye(3)[:, :2]


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


# ── 自己写的一句话 ────────────────────────────────────────────────────────────


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
        ("❤\ufe0f😀", ["❤\ufe0f", "😀"]),
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


@pytest.mark.parametrize("text", ["猫", "看一看，看一看！", "天地玄黄" * 16])
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


# ── 错误 ──────────────────────────────────────────────────────────────────


def test_another_order_of_a_known_sentence_is_sent_to_reorder():
    with pytest.raises(ValueError, match="我爱你、猫吃鱼") as caught:
        load_example("鱼吃猫")
    code = re.search(r"reorder\(.*\)", str(caught.value)).group()
    assert eval(code, {"reorder": reorder, "load_example": load_example}).tokens == ("鱼", "吃", "猫")


@pytest.mark.parametrize("name", ["狗咬人", ["猫", "吃", "鱼"], None])
def test_an_unknown_sentence_is_sent_to_example(name):
    with pytest.raises(ValueError, match=r"我爱你、猫吃鱼(.|\n)*Example") as caught:
        load_example(name)
    assert "reorder" not in str(caught.value)


GOOD = {"tokens": "猫吃", "X": [[1, 0, 0], [0, 1, 0]], "W_Q": I32, "W_K": I32, "W_V": [[1], [0], [1]]}

REFUSED = {
    "少一个词元": ({"tokens": ["猫"]}, "tokens 要一行一个，共 2 个"),
    "空白的词元": ({"tokens": ["猫", " "]}, "tokens 必须是一列看得见的文字"),
    "X 长短不一": ({"X": [[1, 0, 0], [0, 1]]}, "X 必须由实数组成，形状 (n, d_model)，各行一样长"),
    "W_Q 转置了": ({"W_Q": I32.T}, "X 的列数必须等于 W_Q 的行数"),
    "W_K 宽度不同": ({"W_K": [[1], [0], [1]]}, "W_Q 与 W_K 的列数必须相同（都是 d_k）"),
    "W_V 少一行": ({"W_V": [[1], [0]]}, "W_V 的行数必须相同（都是 d_model）"),
    "列名少一个": ({"X_columns": ["猫", "吃"]}, "X_columns 要一列一个，共 3 个"),
    "列名重复": ({"X_columns": ["猫", "猫", "位置"]}, "X_columns 的名字不能重复"),
    "V 列名多了": ({"V_columns": ["甲", "乙"]}, "V_columns 要一列一个，共 1 个"),
    "位置列不存在": ({"position_columns": ["位置9"]}, "position_columns 只能写 X_columns 里的名字"),
    "位置列不是列表": ({"position_columns": "位置"}, "收到：位、置"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_example_that_does_not_fit_is_refused_by_the_name_of_the_field(case):
    assert Example(**GOOD).n == 2
    change, part = REFUSED[case]
    with pytest.raises(ValueError, match="怎么办") as caught:
        Example(**GOOD | change)
    assert part in str(caught.value)

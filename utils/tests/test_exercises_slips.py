"""笔算和填表里的错：从数上认得出的原因，说的要是真的。答案都是照着错误的做法另算的。"""

import re

import numpy as np
import pytest

from utils.exercises import EXERCISES, check
from utils.exercises.other_ways import in_cells

SCORES, ROW = np.array([0.9, 0.4, 0.2]), np.array([1, 3, 5, 7])
STATE = np.array([1.25, 1.5]) / 2 + [2, 0]

TOLD = [  # 练习，答案，话里有的，话里没有的
    ("pencil_query", [2, 0, 1, 1], "第 4 个数：少加了 3 × 1", "W_K"),
    ("pencil_query", [2, 1, 1, 4], "第 2 个数：0 × 1 是 0，不是 1", "每一列的和"),
    ("pencil_query", 7, "加成了一个", ""),
    ("pencil_score", 0.05 + 0.18, "少加了 0.1 × 0.1", "舍入"),
    ("pencil_score", 0.06 + 1.8, "0.9 × 0.2 的小数点", "倍"),
    ("pencil_score", [0.05, 0.01, 0.18, 0], "再把同一个数的几项加起来", ""),
    (
        "pencil_query",
        np.diag([2, 0, 1, 3]) @ [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]],
        "一列一列地加",
        "",
    ),
    ("pencil_causal", [2 / 3, 2 / 3, 0], "加起来是 1.3333，不是 1", "反了"),
    ("pencil_layer_norm", (ROW - 4) / 3**0.5, "减去平均以后的数都除以了同一个数 1.73", ""),
    ("pencil_extremes", [2, 4, 4 + 0 + 2, 2], "没有乘权重", "先各自"),
    ("pencil_head_scores", [2 + 2, 3 + 1], "第 2 个数：0 × 3 是 0", "写反"),
    ("pencil_state", [2.625, 1.5], "第 2 个数：1.5 × 0.5 只写了 1.5", "第 1"),
    ("pencil_state", np.tanh(STATE), "tanh", ""),
    ("pencil_scaling", np.sqrt(SCORES), "各自开了平方", ""),
    ("pencil_scaling", SCORES / 6, "除以了同一个数 6", ""),
    ("pencil_scaling", [0.9, 0.2, 0.1], "第 1 个数：这是原来的分数", "第 2"),
    ("pencil_softmax", [0.3, 0.4, 0.3], "加起来是 1，它们的比不对", ""),
    ("pencil_softmax", [0.3, 0.5, 0.3], "加起来是 1.1，不是 1", ""),
    ("pencil_layer_norm", (ROW - 4) / 2, "距离的平均", ""),
    ("pencil_layer_norm", (ROW - 1) / 6, "最小最大归一化", ""),
    ("pencil_layer_norm", ROW / np.sqrt(np.mean(ROW**2)), "RMSNorm", ""),
    ("scaling_table", [2, 0.5, 1, 10, 0.1, 1], "「②」和「③」，「⑤」和「⑥」对调了", "倍"),
    ("scaling_table", [2, 10, 1, 1, 0.5, 0.1], "一列一列填的", "倍"),
    ("scaling_table", [4, 2, 1, 10, 1, 0.1], "「②」「③」：照你前面的数算，这里是对的", "拿标准差去除"),
    ("heads_table", [5, 10, 40, 6400, 0.08, 0.02], "「⑥」：照你前面的数算", ""),
    ("heads_table", [5, 10, 40, 6400, 0.16, 0.02], "不是 1/8", "照你前面"),
    ("model_table", [12288, 32768, 64000, 162304, 256, 512], "「④」：照你前面的数算", "位置的那张表"),
    ("rulers_table", [10, 320, 0, 3, 1280, 100], "一列一列填的", ""),
    ("rulers_table", [10, 3, 320, 1280, 0, 10], "n × n 个", "小数点"),
]


@pytest.mark.parametrize(("name", "answer", "words", "untrue"), TOLD)
def test_a_slip_is_named_by_what_the_numbers_show(name, answer, words, untrue):
    verdict = check(name, answer)
    assert verdict.status == "wrong" and verdict.mistake
    assert words in verdict.message and (not untrue or untrue not in verdict.message)


def test_a_number_far_from_the_answer_is_not_said_to_be_its_tanh():
    assert "tanh" not in check("pencil_memory", 1).message


def test_what_the_slips_start_from_leads_to_the_right_answer():
    for exercise in EXERCISES.values():
        right = np.atleast_1d(exercise.reference) if exercise.products or exercise.carried else ()
        if exercise.products:
            sums = [sum(a * b for a, b in row) for row in exercise.products]
            assert np.allclose(sums, right, rtol=0, atol=1e-9), exercise.id
        if exercise.carried:
            pairs = zip(exercise.carried(list(right)), right, strict=True)
            assert all(carried in (None, value) for carried, value in pairs), exercise.id


pencil = pytest.mark.parametrize(
    "exercise", [each for each in EXERCISES.values() if each.kind in ("number", "table")], ids=repr
)


@pencil
def test_a_pencil_exercise_names_at_least_five_mistakes(exercise):
    assert len(exercise.mistakes) >= 5


def answers_of(exercise):
    """also 里每种错误的答案：填表题是只改了那几格的一列数。"""
    right = np.atleast_1d(np.asarray(exercise.reference, float))
    for way in exercise.also:
        if exercise.kind == "table":
            cells = in_cells(way, list(right))
            yield way, np.where(np.isnan(cells), right, cells)
        else:
            yield way, np.atleast_1d(way.answer)


@pencil
def test_a_pencil_exercise_makes_many_slips_again_and_each_is_told(exercise):
    """换错一样原料的答案（不碰巧是对的），都不通过，都说出一个原因。"""
    right = np.atleast_1d(np.asarray(exercise.reference, float))
    single = [(way, answer) for way, answer in answers_of(exercise) if "+" not in way.name]
    wrong = [each for each in single if each[1].shape != right.shape or not np.allclose(each[1], right)]
    assert len({way.message for way, _ in wrong}) >= 4
    for way, answer in wrong:
        if answer.shape == right.shape and np.abs(answer - right).max() <= exercise.tolerance:
            continue  # 这样错，也还在容许的差别里
        verdict = check(exercise.id, answer)
        assert verdict.status == "wrong" and verdict.mistake, (way.name, answer)
        assert "从这里核对起" not in verdict.message


@pencil
def test_the_words_for_a_slip_do_not_contain_the_answer(exercise):
    right = [f"{value:g}" for value in np.atleast_1d(exercise.reference)]
    secret = re.compile(rf"(?<![\d.]){'[、, ]+'.join(map(re.escape, right))}(?![\d.])")
    assert not [way.message for way in exercise.also if secret.search(way.message)]


def test_two_slips_at_once_and_two_causes_are_both_told():
    said = check("pencil_memory", 2000 * 2000 * 4 / 2**20).message  # 一个头，按 1024 换算
    assert "像是有两处" in said
    said = check("pencil_memory", 8 * 4000 * 4 / 1e6).message  # 0.128：2 × n，或者换成了 GB
    assert "2 × n" in said and "GB" in said and "也可能" in said
    said = check("model_table", [16384, 16384, 64000, 64000 + 8192 + 16384 + 16384, 256, 512]).message
    assert "「②」" in said and "「④」" in said and "只算了一个块" in said  # 照学习者自己的 ②，④ 又错一样

"""判定一个答案：还没作答、还不对（认出是哪种错误），还是通过。从不抛出异常。

消息里只有学习者自己的数和应有的形状，没有答案。函数题的判定在 functions.py。
"""

import re
from numbers import Number

import numpy as np

from utils.exercises.answers import (
    is_blank,
    read_letter,
    read_line,
    read_numbers,
    read_shape,
    received,
    type_name,
    unreadable_item,
)
from utils.exercises.functions import judge_function
from utils.exercises.items import judge_items
from utils.exercises.near_numbers import joined, unlisted
from utils.exercises.other_ways import fitting
from utils.exercises.pencil_slips import is_mistake, wrong_count
from utils.exercises.records import not_attempted, passed, wrong
from utils.exercises.truth import judge_truth
from utils.exercises.wrong_shapes import wrong_shape
from utils.numbers import write


def judge(exercise, answer, seconds):
    """按练习的种类判定 answer，返回 Verdict。seconds : 函数最多运行几秒。"""
    try:
        if is_blank(answer):
            return not_attempted(exercise)
        with np.errstate(all="ignore"):  # 错误的做法会溢出；那正是要认的
            if exercise.kind in ("step", "module") or (exercise.kind == "bug" and callable(answer)):
                return judge_function(exercise, answer, seconds)
            return _JUDGES[exercise.kind](exercise, answer)
    except Exception as error:  # 再怪的答案（如每次比较都抛出异常的对象）也只得到一句话
        reason = f"读不懂这个答案：{type_name(answer)}，{type(error).__name__}。"
        return wrong(exercise, "unreadable", reason)


def _judge_number(exercise, answer):
    expected = np.atleast_1d(np.asarray(exercise.reference, float))
    numbers = read_numbers(answer, len(expected))
    if numbers is None:
        wanted = f" {len(expected)} 个数，写成 [a, b, …]" if len(expected) > 1 else "一个数"
        bad = _bad_item(answer, len(expected))
        return wrong(exercise, "wrong_type", f"这里要{wanted}；{bad or f'收到的是{received(answer)}。'}")
    if numbers.shape != expected.shape:
        known = [mistake for mistake in exercise.mistakes if is_mistake(numbers, mistake, exercise.tolerance)]
        known = known or [way for way in fitting(numbers, exercise) if "+" not in way.name]
        cause = joined(known) if known else wrong_count(numbers, expected, exercise)
        name = known[0].name if known else "wrong_count"
        return wrong(exercise, name, _count_message(exercise, numbers, expected), cause)
    yours = f"你的答案是 {'、'.join(map(write, numbers))}。"
    if not np.isfinite(numbers).all():
        return wrong(exercise, "not_finite", yours, "里面有非数（NaN）或无穷。这里要能写在纸上的数。")

    if np.allclose(numbers, expected, rtol=0, atol=exercise.tolerance):
        return passed(exercise)
    known = [mistake for mistake in exercise.mistakes if is_mistake(numbers, mistake, exercise.tolerance)]
    if known:
        told = {mistake.name for mistake in known}
        same = [way for way in fitting(numbers, exercise) if way.name not in told and "+" not in way.name]
        return wrong(exercise, known[0].name, yours, joined([*known, *same]))
    name, said = unlisted(numbers, expected, exercise)
    return wrong(exercise, name, yours, said)


def _bad_item(answer, count):
    """第几项不是数：一句话；说不出时是空的。"""
    bad = unreadable_item(answer, count)
    if bad is None or (count == 1 and bad[1] is answer) or isinstance(answer, bool):
        return ""
    return f"第 {bad[0]} 项不是数，收到的是{received(bad[1])}。"


def _count_message(exercise, numbers, expected):
    message = f"这里要 {len(expected)} 个数，收到 {len(numbers)} 个。"
    if len(numbers) > len(expected) and np.allclose(
        numbers[-len(expected) :], expected, rtol=0, atol=exercise.tolerance
    ):
        return f"{message}只交最后的结果，中间的数不用写。"
    return message


def _judge_shape(exercise, answer):
    shape = read_shape(answer)
    if shape is None:
        bad = unreadable_item(answer) or _not_a_size(answer)
        got = (
            f"第 {bad[0]} 项不是正整数，收到的是{received(bad[1])}" if bad else f"收到的是{received(answer)}"
        )
        return wrong(exercise, "wrong_type", f"形状写成元组，如 (3, 4)：先行数，后列数；{got}。")
    return _compare(exercise, shape, f"你的答案是 {shape}。", wrong_shape(shape, exercise))


def _not_a_size(answer):
    """第一个不是正整数的项：(第几项, 它)；读不出数，或都是正整数时是 None。"""
    numbers = read_numbers(answer)
    if numbers is None or isinstance(answer, Number):
        return None
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers == np.round(numbers)) & (numbers > 0)))
    return (bad[0] + 1, float(numbers[bad[0]])) if len(bad) else None


def _judge_bug(exercise, answer):
    line = read_line(answer)
    if line not in exercise.choices:
        reason = f"这里要行号（1 到 {exercise.choices[-1]}），或者改好的函数；收到的是{received(answer)}。"
        return wrong(exercise, "wrong_type", reason)
    return _compare(exercise, line, f"你选了第 {line:.0f} 行。")


def _judge_reading(exercise, answer):
    letter = read_letter(answer)
    if letter not in exercise.choices:
        letters = "、".join(exercise.choices)
        reason = f'只写一个字母（{letters}），加上引号，如 "A"；收到的是{received(answer)}。'
        written = re.sub("[^A-Z]", "", answer.upper()) if isinstance(answer, str) else ""
        several = sorted(set(written)) if set(written) <= set(exercise.choices) else []
        more = f"{'、'.join(several)} 里只有一句对，或者都不对。" if len(several) > 1 else ""
        return wrong(exercise, "wrong_type", reason, f"{more}从这里想起：{exercise.hints[0]}")
    return _compare(exercise, letter, f"你选了 {letter}。")


def _compare(exercise, value, yours, otherwise=(None, "")):
    """value 是答案、某个有名字的错误，还是都不是；都不是时用 otherwise 里的名字和话。"""
    if value == exercise.reference:
        return passed(exercise)
    known = {mistake.answer: (mistake.name, mistake.message) for mistake in exercise.mistakes}
    name, message = known.get(value, otherwise)
    return wrong(exercise, name, yours, message)


_JUDGES = {"number": _judge_number, "shape": _judge_shape, "bug": _judge_bug, "reading": _judge_reading}
_JUDGES |= {"order": judge_items, "match": judge_items, "table": judge_items, "truth": judge_truth}

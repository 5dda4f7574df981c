"""几项一起的答案：排次序、配对、填表。

一种错误写成一份完整的错答案，它与对的差在哪几项，就在哪几项上认它：别的项对不对都认得出，
几种错误一起犯，就一起说；说的是哪几项，由这里加在前面，消息里不写。
次序的“项”是挨着的每一对步骤，先后对不对。
"""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np

from utils.exercises.answers import MOST, read_numbers, received, unreadable_item
from utils.exercises.near_numbers import joined, one_number, start_with
from utils.exercises.number_text import half_width
from utils.exercises.other_ways import in_cells
from utils.exercises.records import passed, wrong
from utils.numbers import write

_MOST_SAID = 3  # 最多说几种错误


def judge_items(exercise, answer):
    """判定排次序（order）、配对（match）、填表（table）。"""
    if isinstance(answer, dict) and set(answer) == set(exercise.items):
        answer = [answer[item] for item in exercise.items]
    given, problem = _read_table(exercise, answer) if exercise.kind == "table" else _read(exercise, answer)
    if problem:
        return wrong(exercise, *problem)
    right, ours = _cells(exercise, exercise.reference), _cells(exercise, given)
    bad = _differing(exercise, ours, right)
    if not bad:
        return passed(exercise)
    written = "、".join(map(write, given)) if exercise.kind == "table" else given
    name, said = _causes(exercise, ours, right, bad)
    if exercise.kind == "order" and given == exercise.reference[::-1]:
        name, said = "reversed", ["次序整个倒过来了：先做的写在前面。"]
    return wrong(exercise, name, f"你写的是 {written}。", *said)


def _causes(exercise, ours, right, bad):
    """(名字, [每种错误一句话])；认不出的项，说出是哪几项。"""
    carried = _carried(exercise, ours, bad)
    known, left = [], set(bad) - set(carried)
    if moved := _moved(exercise, ours, right, left):
        return "moved", [moved]
    fitting = [(mistake, _shared(exercise, ours, right, mistake)) for mistake in _mistakes(exercise, ours)]
    for mistake, where in sorted(fitting, key=lambda pair: -len(pair[1])):
        if here := sorted(set(where) & left):
            listed = len(exercise.mistakes)  # 后面的是 also 里的
            others = [other for other, cells in fitting[listed:] if cells == here]
            alike = [other for other in others if other.name != mistake.name]
            known.append((here, mistake, joined(_simplest([mistake, *alike]))))
            left -= set(here)
    known.sort(key=lambda each: each[0])
    said = [_named(exercise, here) + words for here, _, words in known[:_MOST_SAID]]
    if left:
        said.append(_unnamed(exercise, ours, right, sorted(left)))
    if carried:
        said.append(_named(exercise, carried) + "照你前面的数算，这里是对的：改好前面的，再算一次。")
    if len(bad) < len(right) and exercise.kind != "order":
        said.append("其余的都对。")
    name = known[0][1].name if known else "some_wrong" if len(bad) < len(right) else None
    return name, said


def _carried(exercise, ours, bad):
    """哪几格只错在前面的格：照学习者自己前面的数算，正好是这个数。"""
    if exercise.carried is None:
        return []
    theirs = exercise.carried(list(ours))
    return [i for i in bad if theirs[i] is not None and not _differ(exercise, ours[i], theirs[i])]


def _moved(exercise, ours, right, left):
    """表里的数都对，填错了格：一句话；不是这样时是空的。"""
    where = sorted(left)
    if exercise.kind != "table" or len(where) < 2:
        return ""
    if not np.allclose(sorted(ours[i] for i in where), sorted(right[i] for i in where), rtol=0, atol=1e-9):
        return ""
    for rows in range(2, len(right)):
        if len(right) % rows == 0:
            down = np.reshape(right, (rows, -1)).T.ravel()
            if np.allclose(ours, down, rtol=0, atol=exercise.tolerance):
                return "数都对，像是一列一列填的：次序照题目里的 ①②③…，一行一行写。"
    pairs = [(i, j) for i in where for j in where if i < j and ours[i] == right[j] and ours[j] == right[i]]
    if len(pairs) * 2 == len(where):
        swapped = "，".join(f"「{exercise.items[i]}」和「{exercise.items[j]}」" for i, j in pairs)
        return f"数都对，{swapped}对调了。"
    return f"{_named(exercise, where)}这几个数都对，放错了格。"


def _mistakes(exercise, ours):
    """题目里列出的错误；填表题再加上 also 里的，照学习者的各格算出。"""
    others = exercise.also if exercise.kind == "table" else ()
    return [*exercise.mistakes, *(replace(each, answer=in_cells(each, ours)) for each in others)]


def _simplest(mistakes):
    """几种都说得通：只留换错一样的；全是换错两样的，就都留。"""
    return [each for each in mistakes if "+" not in each.name] or mistakes


def _shared(exercise, ours, right, mistake):
    """哪几项与这种错误一样错。"""
    theirs = _cells(exercise, mistake.answer)
    where = _differing(exercise, theirs, right)
    return [i for i in where if not _differ(exercise, ours[i], theirs[i])]


def _named(exercise, where):
    return "" if exercise.kind == "order" else "".join(f"「{exercise.items[i]}」" for i in where) + "："


def _unnamed(exercise, ours, right, left):
    """没有名字的几项：两项对调了，数上看得出的原因，或者只说是哪几项。"""
    if exercise.kind == "order":
        return "还有挨着的两步先后不对。"
    names = [f"「{exercise.items[i]}」" for i in left]
    if exercise.kind == "table":
        causes = [one_number(ours[i], right[i])[1] for i in left]
        said = [f"{name}不对：{cause}" for name, cause in zip(names, causes, strict=True) if cause]
        if rest := "".join(name for name, cause in zip(names, causes, strict=True) if not cause):
            said.append(f"{rest}不对。{start_with(exercise, int(left[-1] * 2 >= len(right)))}")
        return "\n".join(said)
    if len(left) == 2 and [ours[i] for i in left] == [right[i] for i in left[::-1]]:
        return f"{'和'.join(names)}对调了。"
    if exercise.clues:
        return "\n".join(f"{name}不对：{exercise.clues[i]}" for name, i in zip(names, left, strict=True))
    return f"{'、'.join(names)}不对。"


def _cells(exercise, value):
    """答案里一项一项拿来比的东西。"""
    if exercise.kind == "order":
        return [value.index(first) < value.index(second) for first, second in pairwise(exercise.reference)]
    return list(value)


def _differing(exercise, ours, theirs):
    return [i for i, pair in enumerate(zip(ours, theirs, strict=True)) if _differ(exercise, *pair)]


def _differ(exercise, ours, theirs):
    if exercise.kind == "table":
        return not np.isclose(ours, theirs, rtol=0, atol=exercise.tolerance)
    return ours != theirs


def _read(exercise, answer):
    """(一串字母, None)，或者 (None, (错误的名字, 一句话))。"""
    count, choices = len(exercise.reference), exercise.choices
    letters = _after_names(exercise, answer) or _letters(answer)
    if letters is None or set(letters) - set(choices):
        wanted = f'这里要 {count} 个字母（{"、".join(choices)}），连着写，如 "{"".join(choices[:count])}"'
        return None, ("wrong_type", f"{wanted}；收到的是{received(answer)}。")
    if exercise.kind == "order":
        again = sorted({letter for letter in letters if letters.count(letter) > 1})
        missing = [letter for letter in choices if letter not in letters]
        if again or missing:
            said = [f"{'、'.join(again)} 写了不止一次。"] * bool(again)
            said += [f"少了 {'、'.join(missing)}。"] * bool(missing)
            return None, ("wrong_count", f"每个字母正好写一次：{''.join(said)}")
    if len(letters) != count:
        return None, ("wrong_count", f"这里要 {count} 个字母，一项一个；收到 {len(letters)} 个。")
    return letters, None


def _letters(answer):
    """ "BAC"、"B A C"、"b→a→c"、["B", "A", "C"]、"Q=B，K=A" 读成 "BAC"；读不出时是 None。"""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, list | tuple) and len(answer) <= MOST:
        parts = [half_width(part) if isinstance(part, str) else "?" for part in answer]
    elif isinstance(answer, str) and len(answer) <= MOST:
        text = half_width(answer).strip("[](){}。 ")
        text = text if re.search(r"[\s,;、]", text) else re.sub("[-–—>]", "", text)
        parts = re.split(r"[\s,;、>→。/]+", text)
    else:
        return None
    parts = [re.sub(r"^.*[:=\-–—.](?=.)|[\d()\u4e00-\u9fff]", "", part) for part in parts]  # 去掉 1.、甲：
    joined = "".join(part.strip(" .-–—\"'") for part in parts).upper()
    return joined if re.fullmatch("[A-Z]+", joined) else None


def _after_names(exercise, answer):
    """ "softmax C，打分D"、["打分 D", …]：照名字排好的字母，或者单独写的几个大写字母；个数不对时是 None。"""
    if isinstance(answer, list | tuple) and all(isinstance(part, str) for part in answer):
        answer = "，".join(answer)
    if not isinstance(answer, str) or len(answer) > MOST:
        return None
    text = half_width(answer)
    names = {re.sub(r"\s", "", half_width(item)): item for item in exercise.items}
    either = "|".join(r"\s*".join(map(re.escape, name)) for name in sorted(names, key=len, reverse=True))
    found = re.findall(rf"(?<![A-Za-z_])({either})[^A-Za-z]*([A-Za-z])(?![A-Za-z_])", text) if names else []
    after = {re.sub(r"\s", "", name): letter.upper() for name, letter in found}
    if names and after.keys() == names.keys():
        return "".join(after[name] for name in names)
    alone = re.findall(r"(?<![A-Z_])[A-Z](?![A-Za-z_])", text)
    return "".join(alone) if len(alone) == len(exercise.reference) else None


def _read_table(exercise, answer):
    """(一列数, None)，或者 (None, (错误的名字, 一句话))。"""
    count = len(exercise.reference)
    numbers = read_numbers(answer, count)
    if numbers is None:
        bad = unreadable_item(answer, count)
        which = exercise.items[bad[0] - 1] if bad and bad[0] <= count and bad[1] is not answer else ""
        got = f"「{which}」不是数，收到的是{received(bad[1])}" if which else f"收到的是{received(answer)}"
        return None, ("wrong_type", f"这里要 {count} 个数，照题目的次序写成 [a, b, …]；{got}。")
    if numbers.shape != (count,):
        said = f"表里有 {count} 格，收到 {numbers.size} 个数。一格一个数，千位的逗号、空格去掉。"
        return None, ("wrong_count", said)
    if not np.isfinite(numbers).all():
        return None, ("not_finite", "里面有非数（NaN）或无穷。这里要能写在纸上的数。")
    return numbers, None

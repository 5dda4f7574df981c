"""读懂一个猜测：近义词是一张表；数、行号、是与否，写法与 check 的答案一样宽。"""

import re

import numpy as np

from utils.exercises.answers import read_numbers
from utils.exercises.number_text import half_width, separate

UNREADABLE = "unreadable"
_TOLERANCE = 0.0051  # 猜到两位小数就算对
_DIGITS = "一二三四五六七八九"


def _table(**groups):
    """{词: 意思}：一个意思的近义词用空格隔开。"""
    return {
        word: name == "yes" if name in ("yes", "no") else name
        for name in groups
        for word in groups[name].split()
    }


WORDS = _table(  # 判断题也用这张表
    yes="是 对 真 会 能 正确 没错 是的 对的 true yes t y √ ✓",
    no="否 错 假 不 不是 不对 不会 不能 错误 不正确 错的 false no f n × x",
)
_YES_NO = WORDS | _table(
    yes="1 变 会变 改变 会改变 变化 有变化 变了",
    no="0 不变 不会变 没变 没有变 不改变 不会改变 没变化 没有变化 保持不变",
)
MEANINGS = _table(
    up="变大 大 更大 增大 增加 加大 变多 多 更多 越来越大 升高 变高 高 更高 "
    "往上 上 向上 上升 朝上 往上走 升 变长 长 更长",
    down="变小 小 更小 减小 减少 缩小 变少 少 更少 越来越小 降低 变低 低 更低 "
    "往下 下 向下 下降 朝下 往下走 降 变短 短 更短",
    same="不变 不会变 没变 没有变 保持不变 一样 一样多 一样大 一样长 相同 相等 同样 同样多 等于 "
    "没有区别 没有不同 不会不同 没有差别",
    different="不同 不一样 不相同 不相等 不一样多 会不同 不全一样 不完全一样",
)
_START = r"^(?:权重|输出|分数|份额|它|线|我猜|我觉得|猜|应该|可能|一定|肯定|仍然|还是|还|也|都|就|会|是|要)+"
_END = r"(?:一些|一点|一倍|很多|得多|的|了|些|点|吧|走|倍|啊)+$"
_NONE = {"没有", "无", "空", "都不", "都不变", "都不会", "没有变", "一个也没有", "一行也没有", "一列也没有"}
_AROUND = r"第|行|列|个|词元|和|与|及|还有|只有|只|会变|变|都会|[{}\[\]()\s、,;.。&+]"  # 行号、列号旁边的字


def is_right(guess, truth):
    """猜对没有：True、False，或 UNREADABLE（读不懂，不算猜错）。后面带着理由的，看读得懂的那一小句。"""
    whole = _is_right(guess, truth)
    if whole is not UNREADABLE or not isinstance(guess, str):
        return whole
    clauses = [each for each in re.split(r"[，,。;；]|因为", guess) if each.strip()]
    read = {bool(each) for each in (_is_right(clause, truth) for clause in clauses) if each is not UNREADABLE}
    return read.pop() if len(read) == 1 else UNREADABLE


def _is_right(guess, truth):
    if isinstance(truth, set):
        return _same_set(guess, truth)
    if isinstance(truth, str):
        return _same_word(guess, truth)
    theirs = np.asarray(truth)
    if theirs.dtype.kind == "b":
        return _same_truth(guess, theirs)
    if theirs.dtype.kind == "U":
        return [half_width(item) for item in guess] == [half_width(item) for item in truth]
    if isinstance(guess, set) and theirs.ndim == 1 and np.array_equal(theirs, np.unique(theirs.astype(int))):
        return _same_set(guess, set(theirs.tolist()))
    if theirs.ndim > 1:
        ours = np.asarray(guess, float)
    else:
        ours, theirs = _numbers(guess, theirs.size), theirs.ravel()
        if ours is None:
            return UNREADABLE
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=0, atol=_TOLERANCE)


def how_to_write(truth):
    """怎样写才读得懂。"""
    if isinstance(truth, set):
        return "写成 {1, 2} 这样，从 1 数起；一个也没有就写 set()"
    if isinstance(truth, str):
        return "照这一题 # 后面的写法写，加上引号"
    if np.asarray(truth).dtype.kind == "b":
        return "写 True 或 False"
    count = np.size(truth)
    return '写一个数，如 0.25 或 "1/4"' if count == 1 else f"写 {count} 个数，如 [a, b, …]"


def meaning(guess, table):
    """一个词在 table 里的意思，去掉“会”“了”这样的字再试；不在里面是 None。"""
    if not isinstance(guess, str):
        return None
    text = re.sub(r"[\s。.!?\"'“”「」~]", "", half_width(guess).lower())
    for each in (text, re.sub(_END, "", text), re.sub(_START, "", text)):
        if each in table:
            return table[each]
    return table.get(re.sub(_END, "", re.sub(_START, "", text)))


def _same_word(guess, truth):
    for table in (MEANINGS, _YES_NO):
        if (right := meaning(truth, table)) is not None:
            said = meaning(guess, table) if isinstance(guess, str) else _truth_of(guess)
            return UNREADABLE if said is None else said == right
    return half_width(str(guess)) == half_width(truth)


def _same_truth(guess, truth):
    if truth.ndim:
        return np.asarray(guess).dtype.kind == "b" and np.array_equal(guess, truth)
    said = _truth_of(guess)
    return UNREADABLE if said is None else said == bool(truth)


def _truth_of(guess):
    """True、False，或 None（读不懂）。"""
    if isinstance(guess, list | tuple | set) and len(guess) == 1:
        guess = next(iter(guess))
    if isinstance(guess, str):
        return meaning(guess, _YES_NO)
    return bool(guess) if np.ndim(guess) == 0 and guess in (0, 1) else None


def _numbers(guess, count):
    """count 个数；个数不同的照它自己的个数；读不懂是 None。"""
    if isinstance(guess, set):
        guess = list(guess) if len(guess) == 1 else None
    if isinstance(guess, str):
        guess = re.sub(r"左右|上下|差不多|大约|大概|各(?=\D)", "", guess.strip()).replace("负", "-")
    found = read_numbers(guess, count)
    return read_numbers(guess) if found is None else found


def _same_set(guess, truth):
    if isinstance(guess, str):
        if {type(item) for item in truth} <= {int, np.int64}:
            guess = _places(guess)
            if guess is None:
                return UNREADABLE
        else:
            guess = separate(half_width(guess))
    items = np.atleast_1d(list(guess) if np.ndim(guess) or isinstance(guess, set | dict) else guess)
    if items.dtype.kind == "b":
        return UNREADABLE
    return {_key(item) for item in items} == {_key(item) for item in truth}


def _places(text):
    """一段文字里的行号、列号：第一列和第三列、1、3、1 到 3；读不懂是 None。"""
    text = half_width(text)
    if re.sub(r"[\s。]", "", text) in _NONE | {"", "{}", "[]", "set()"}:
        return set()
    alone = re.fullmatch(rf"(?:[{_DIGITS}]|{_AROUND})+", text) and not re.search("[行列个]", text)
    if "第" in text or alone:  # 三列是几列，不是第几列
        text = re.sub(f"[{_DIGITS}]", lambda found: str(_DIGITS.index(found[0]) + 1), text)
    text = re.sub(
        r"(\d+)\s*[行列]?\s*(?:到|至|~|-)\s*第?\s*(\d+)",
        lambda found: " ".join(map(str, range(int(found[1]), min(int(found[2]), 99) + 1))),
        text,
    )
    rest = re.sub(rf"\d+|{_AROUND}", "", text)
    return None if rest else {int(each) for each in re.findall(r"\d+", text)}


def _key(item):
    """集合里的一项：数按数比，文字去掉两头的空白。"""
    numbers = read_numbers(item)
    return half_width(item) if numbers is None else float(numbers[0])

"""判断和理由：判断对不对，理由认得出几种常见的错的；认不出的，让学习者自己与参考的比。

理由是一句话，只看里面的关键词（记录里的 ideas 和 reasons）。说到要点的，错的关键词不再算；
“不是过拟合”“与学习率无关”里的词也不算。宁可让学习者自己比，也不退回一个说得怪的对的理由。
"""

import re
from typing import NamedTuple

import numpy as np

from utils.exercises.answers import is_blank, received
from utils.exercises.guesses import WORDS
from utils.exercises.number_text import half_width
from utils.exercises.records import Verdict, passed, wrong

_SHORTEST = 4  # 说不到要点的理由，至少几个字
_WORDS = WORDS | dict.fromkeys(["正确", "成立", "没错", "有理", *"ty√✓✔1"], True)
_WORDS |= dict.fromkeys(["错误", "不成立", "不正确", "有误", *"fn×✗✘x0"], False)
_AROUND = r"^(?:我?(?:觉得|认为)|答案?|判断|选|应该?|这(?:句话|个说法)|说法|它|是)+(?=.)|(?<=.)[的了。.!]+$"
_DENIED = r"(?:(?:不是|并非|不在于|不因为)[^，,。;；]{0,4}|不会|没有?|不用|不靠)$"
_WITHIN = r"[^，,。;；]{0,8}"  # 记录里的 …：同一小句里隔几个字
_UNRELATED = r"^[^，,。;；]{0,4}(?:无关|没关系|没有关系|不重要)"
_NO_REASON = (
    r"(?:[我也就是它这的了]|因为|句话|题目|说法?|显然|不知道|不清楚|不会|[猜蒙]|随便写?|没想好|不?对|错)+"
)
_ALL_IN_ONE = r"\s*(\S{1,6}?)\s*[,，:：;；。、\s]\s*(.+)"  # “错，因为……”都写在 answer 里


class Said(NamedTuple):
    """一次作答：判断（读不出时是收到的东西），理由，认出的错理由（Reason 或 None），说没说到要点。"""

    value: object
    reason: str
    wrong: object
    key: bool


def read_truth(exercise, answer):
    """读懂一次判断，返回 Said。"""
    value, reason = answer if isinstance(answer, list | tuple) and len(answer) == 2 else (answer, "")
    reason = "" if is_blank(reason) else str(reason).strip()[:200]
    if isinstance(value, str) and not reason and (parts := re.match(_ALL_IN_ONE, value, re.DOTALL)):
        value, reason = (parts[1], parts[2].strip()[:200]) if _word(parts[1]) is not None else (value, "")
    if isinstance(value, str):
        value = value if (word := _word(value)) is None else word
    elif isinstance(value, np.bool_) or (isinstance(value, int) and value in (0, 1)):
        value = bool(value)
    text = half_width(reason).lower()
    key = any(_says(idea, text) for idea in exercise.ideas)
    found = next((each for each in exercise.reasons if _says(each.words, text)), None)
    return Said(value, reason, found, key)


def _word(text):
    """ "错误"、"这句话不对。"、"√" 读成真假；读不出时是 None。"""
    text = half_width(text).lower().strip("\"'“”()。.! ")
    return _WORDS.get(text, _WORDS.get(re.sub(_AROUND, "", re.sub(_AROUND, "", text))))


def _says(words, text):
    """text 里有没有这些关键词；说“不是它”“与它无关”的不算。"""
    return any(
        not re.search(_DENIED, text[: found.start()]) and not re.match(_UNRELATED, text[found.end() :])
        for found in re.finditer(words.replace("…", _WITHIN), text)
    )


def judge_truth(exercise, answer):
    """判定判断题：判断错了，说出为什么，也回应写出的理由；判断对了，再看理由。"""
    value, reason, known, key = read_truth(exercise, answer)
    if not isinstance(value, bool):
        said = f"判断写 True 或 False（“对”“错”也行），理由写在 reason 里；收到的是{received(value)}。"
        return wrong(exercise, "wrong_type", said)
    yours = f"你的判断是 {value}。"
    if value != exercise.reference:
        mistake = exercise.mistakes[0]
        said = [f"回答你的理由：{known.message}"] if known else [mistake.message]
        if key and not known:
            said.append("再读一遍你的理由：它支持的是哪一个判断？")
        return wrong(exercise, mistake.name, yours, *said)
    if not key and (len(reason) < _SHORTEST or re.fullmatch(_NO_REASON, half_width(reason).strip("。.! "))):
        said = "判断对了，还差一句理由：写在 reason 的引号里，再与参考的比一比。"
        return wrong(exercise, "no_reason", yours, said)
    if known and not key:
        said = f"判断对；这个理由不对：{known.message}"
        return wrong(exercise, known.name, said, "改好 reason，再运行这一格。")
    compared = f"\n你的理由：{reason}\n参考的理由：{exercise.why}\n说的是同一个原因吗？"
    if key and not known:
        return passed(exercise, compared)
    return Verdict("passed", None, f"判断对；理由请自己比：{exercise.title}。{compared}")

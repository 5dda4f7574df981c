"""练：每本笔记的练习，查得出错在哪里。

    check("softmax", my_softmax)    判定一个答案：还没作答、还不对（认得出常见的错误）、通过
    hint("softmax")                 一条提示；hint("softmax", 2) 更具体；提示里没有答案
    solution("softmax")             答案的代码，和一段为什么
    progress()                      做到了哪里：每本笔记的练习，通过了几题
    predict(guess, truth)           “改一改”里的预测：拿猜的与算出来的比一比
    EXERCISES                       全部练习：编号 -> Exercise

这个包里的文件：

    sets/           每本笔记一个：答案、常见错误、提示，都是数据；怎样加一道，见 utils/README.md
    random_inputs.py  它们的输入
    checking.py     判定；读懂答案在 answers.py，其中的数在 number_text.py；不对的数在 near_numbers.py，
                    照题目的数再错一次，在 pencil_slips.py；换错一样、两样原料，在 other_ways.py；
                    形状里写错的大小是谁，在 wrong_shapes.py
    functions.py    函数题的判定；限时运行在 running.py，比较结果在 comparing.py，是不是自己写的在 own_work.py
    items.py        排次序、配对、填表的判定；判断的在 truth.py；写模块的题变成函数，在 modules.py
    explain.py      函数错在哪里：多做少做在 extra_steps.py，哪一步错在 whole.py，除数在 divisor.py，
                    循环走错长度在 loops.py，写法在 reading_code.py，
                    样子在 shapes_and_types.py，报错在 words.py；
                    第一处不同、怎样自己试，在 first_difference.py
    predictions.py  比较预测；猜的怎样读、近义词，在 guesses.py
    progress_file.py  记下做过的练习，关机也在
    card.py         判定在 JupyterLab 里的样子
    records.py      Exercise、Mistake、Reason、Verdict、Text 五种记录
"""

import difflib
import math
from dataclasses import replace

from utils.checks import is_integer, shown
from utils.exercises import progress_file, running
from utils.exercises.answers import type_name
from utils.exercises.card import card
from utils.exercises.checking import judge
from utils.exercises.predictions import predict
from utils.exercises.records import Exercise, Mistake, Text, Verdict
from utils.exercises.sets import load_exercises

__all__ = [
    "EXERCISES",
    "Exercise",
    "Mistake",
    "Text",
    "Verdict",
    "check",
    "hint",
    "predict",
    "progress",
    "solution",
]

EXERCISES = {exercise.id: exercise for exercise in load_exercises()}


def check(exercise_id, answer=None, *, seconds=5):
    """判定一个答案，返回 Verdict；从不抛出异常。

    exercise_id : 练习的编号，EXERCISES 的键，如 "softmax"
    answer : 函数题交函数本身；笔算交一个数或一列数；猜形状交元组；找错交行号或改好的函数；选择题交字母；
        排次序、配对交一串字母；填表交一列数；判断交 (True 或 False, 一句理由)；写模块交类本身。
        不写、None 和 ... 表示还没作答。
    seconds : 函数运行超过这么久，就不再等下去。学习者自己按的中断照常有效。
    返回 Verdict(status, mistake, message)；在笔记本里显示的是 message。
    """
    if running.inside():  # 函数里又判定自己，会没完没了
        return Verdict("not_attempted", None, "check 正在运行这个函数：函数里面不要再调用 check。")
    if not _known(exercise_id):
        return Verdict("not_attempted", None, _unknown_message(exercise_id))
    exercise = EXERCISES[exercise_id]
    verdict = judge(exercise, answer, seconds)
    if not progress_file.recording():
        return verdict
    note = ""
    if verdict.status != "not_attempted":
        problem = progress_file.record(exercise_id, verdict.status)
        note = problem or progress_file.line(exercise, EXERCISES)
    return replace(verdict, note=note, html=card(verdict, exercise, note))


def hint(exercise_id=None, level=1):
    """一条提示。level : 1、2……，越大越具体；超出的按最后一条算。不写编号时列出全部编号。返回 Text。"""
    if not _known(exercise_id):
        return Text(_unknown_message(exercise_id))
    if progress_file.recording():
        progress_file.record(exercise_id, "hint")
    hints = EXERCISES[exercise_id].hints
    level = min(level, len(hints)) if is_integer(level, 1, math.inf) else 1
    more = f'\n还有更具体的：hint("{exercise_id}", {level + 1})' if level < len(hints) else ""
    text = f"提示 {level}/{len(hints)}：{hints[level - 1]}{more}"
    return Text(text, text.replace("\n", "\n\n"))


def solution(exercise_id=None):
    """答案的代码和一段为什么。返回 Text：纯文本，或者排好版的 Markdown。"""
    if not _known(exercise_id):
        return Text(_unknown_message(exercise_id))
    exercise = EXERCISES[exercise_id]
    return Text(
        f"{exercise.solution}\n\n为什么：{exercise.why}",
        f"```python\n{exercise.solution}\n```\n\n**为什么**：{exercise.why}",
    )


def progress():
    """做到了哪里：每本笔记的练习，哪些通过了、哪些还不对、哪些没做。返回 Text。

    记在 notebooks/progress.jsonl 里，关机也在；删掉这个文件，就从头记起。
    """
    return Text(*progress_file.table(EXERCISES))


def _known(exercise_id):
    return isinstance(exercise_id, str) and exercise_id in EXERCISES


def _unknown_message(exercise_id):
    every = "可用的编号：" + "、".join(EXERCISES)
    if exercise_id is None:
        return f'请写上练习的编号，如 "softmax"。{every}'
    if not isinstance(exercise_id, str):
        return f'编号要加引号，如 "softmax"；收到的是{type_name(exercise_id)}。{every}'
    near = difflib.get_close_matches(exercise_id, EXERCISES, n=1)
    return f"没有叫 {shown(exercise_id)} 的练习。" + (f'是不是 "{near[0]}"？' if near else every)

"""记：每道练习做过几次、通过了没有，写在笔记本旁边的一个小文件里，内核重启、关机都在。

一次判定加一行，只在末尾加：两本笔记同时做题，谁也不会冲掉谁的。通过了的一直算通过。
文件只给学习者自己看：git 不管它，刷新和更新课程不动它，文件夹只读时就不记。
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).resolve().parents[2] / "notebooks" / "progress.jsonl"
SWITCH = "COURSE_PROGRESS"  # 环境变量，设成 off 就不记：刷新、检查、批改时，判定只有存得下的那几个字

_said = set()


class Done(NamedTuple):
    """一道练习做到了哪里。attempts : 判定过几次；hints : 看过几次提示。"""

    passed: bool = False
    attempts: int = 0
    hints: int = 0


def recording():
    """现在记不记。"""
    return os.environ.get(SWITCH) != "off"


def record(exercise, event):
    """记一行；event 是 "passed"、"wrong" 或 "hint"。返回记不成时要说的话，只说一次；别的时候是空的。"""
    line = json.dumps({"exercise": exercise, "event": event}) + "\n"
    try:
        with FILE.open("ab", buffering=0) as file:
            file.write(line.encode("utf-8"))  # 一次写完：两个进程的行不会混在一起
    except OSError:
        first = not _said
        _said.add("read-only")
        return "（这个文件夹不能写，做到了哪里没有记下来。）" if first else ""
    return ""


def read():
    """{练习的编号: Done}；没有文件时是空的，读不懂的行跳过。"""
    try:
        lines = FILE.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    done = {}
    for line in lines:
        try:
            entry = json.loads(line)
            exercise, event = str(entry["exercise"]), entry["event"]
        except (ValueError, TypeError, KeyError):
            continue
        passed, attempts, hints = done.get(exercise, Done())
        done[exercise] = Done(
            passed or event == "passed", attempts + (event in ("passed", "wrong")), hints + (event == "hint")
        )
    return done


def line(exercise, exercises):
    """一句话：这本笔记和整门课各通过了几题。exercise : 刚判定的 Exercise；exercises : 全部。"""
    done = read()
    here = [e for e in exercises.values() if e.notebook == exercise.notebook]
    passed, everywhere = (
        sum(done.get(e.id, Done()).passed for e in part) for part in (here, exercises.values())
    )
    return f"这一本通过了 {passed} / {len(here)} 题，整门课 {everywhere} / {len(exercises)} 题。"


def table(exercises):
    """(纯文本, Markdown)：每本笔记一行，通过的打勾，做过没通过的打叉，没做的是圆圈。"""
    done = read()
    notebooks = {}
    for exercise in exercises.values():
        notebooks.setdefault(exercise.notebook, []).append(exercise)
    rows = [
        (
            name,
            f"{sum(done.get(e.id, Done()).passed for e in part)} / {len(part)}",
            "　".join(_mark(done.get(e.id, Done())) + " " + e.title for e in part),
        )
        for name, part in notebooks.items()
    ]
    attempts, hints = (sum(getattr(d, field) for d in done.values()) for field in ("attempts", "hints"))
    closing = f"一共判定过 {attempts} 次，看过 {hints} 次提示。✓ 通过，✗ 做过、还不对，○ 没做。"
    text = "\n".join(f"{name}  {count}  {titles}" for name, count, titles in rows) + f"\n{closing}"
    lines = ["| 笔记本 | 通过 | 练习 |", "|---|---|---|"]
    lines += [f"| {name} | {count} | {titles} |" for name, count, titles in rows]
    return text, "\n".join(lines) + f"\n\n{closing}"


def _mark(done):
    return "✓" if done.passed else "✗" if done.attempts else "○"

"""写：一张给 Excel 的表，一页给老师看的总结。"""

import base64
import csv
import io
from collections import Counter
from pathlib import Path

from markupsafe import Markup

from utils.pages import command, shell
from utils.plotting import plot_bars

TEMPLATE = "class.html.j2"
WORDS = {"passed": "通过", "wrong": "还不对", "not_attempted": "没有作答", "unreadable": "读不出"}
MOST = 10  # 列出几种最常见的错误；其余的在表格里


def write_table(path, students, results, exercises):
    """一个学生一行，一道练习一列；Excel 双击就能打开（带 BOM 的 UTF-8）。PageError：写不进。"""
    columns = [_title(id, exercise) for id, exercise in exercises.items()]
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(["学生", "通过", "共", *columns, "备注"])
    for student, judged in zip(students, results, strict=True):
        words = [_word(student, judged, id, exercise) for id, exercise in exercises.items()]
        row = [student.name, words.count("通过"), len(words), *words, "；".join(student.remarks)]
        table.writerow(map(_as_text, row))
    command.write_page(path, "\ufeff" + out.getvalue())


def _title(id, exercise):
    number, title = exercise.notebook.partition("_")[0], exercise.title.replace("`", "")
    return f"{number} {title}（{id}）"


def _as_text(value):
    """Excel 会把 = + - @ 开头的格当作公式去算：前面加一个撇号。"""
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _word(student, judged, id, exercise):
    if id not in judged:
        return "没有这一格" if exercise.notebook in student.notebooks else "没有交"
    result = judged[id]
    more = result["message"] if result["status"] == "unreadable" else result["mistake"]
    return "：".join(filter(None, [WORDS[result["status"]], more]))


def write_page(path, students, results, exercises):
    """一页总结：每个学生每本笔记通过几题；最常见的错误，犯了的人，学生看到的话；判断题的理由。PageError：写不进。"""
    notebooks = {}
    for id, exercise in exercises.items():
        notebooks.setdefault(exercise.notebook, []).append(id)
    rows = [
        (
            student.name,
            [_progress(student, judged, name, ids) for name, ids in notebooks.items()],
            student.remarks,
        )
        for student, judged in zip(students, results, strict=True)
    ]
    mistakes = _mistakes(students, results, exercises)
    folder = Path(__file__).resolve().parent
    page = shell.render_page(
        folder,
        TEMPLATE,
        css="class.css",
        title="一个班的练习",
        notebooks=list(notebooks),
        rows=rows,
        mistakes=mistakes,
        truths=_truths(students, results, exercises),
        picture=_picture(mistakes) if mistakes else "",
    )
    command.write_page(path, page)


def _progress(student, judged, notebook, ids):
    """(通过的题数, 共几题, 有没有交)。"""
    passed = sum(judged.get(id, {}).get("status") == "passed" for id in ids)
    return passed, len(ids), notebook in student.notebooks


def _mistakes(students, results, exercises):
    """最常见的几种有名字的错误：(练习, 其中一个学生看到的话，不写第一行的题目, 犯了的学生)。"""
    who, said = {}, {}
    for student, judged in zip(students, results, strict=True):
        for id, result in judged.items():
            if result["status"] == "wrong" and result["mistake"]:
                who.setdefault((id, result["mistake"]), []).append(student.name)
                said.setdefault((id, result["mistake"]), result["message"])
    counts = Counter({key: len(names) for key, names in who.items()})
    order = sorted(counts, key=lambda key: (-counts[key], list(exercises).index(key[0]), key[1]))
    return [(exercises[id], said[id, name].partition("\n")[2], who[id, name]) for id, name in order[:MOST]]


def _truths(students, results, exercises):
    """有人答了的判断题：(练习, [(学生, 判定, 判断, 理由)])。"""
    told = {
        id: [
            (student.name, judged[id]["message"].partition("：")[0], *judged[id]["said"])
            for student, judged in zip(students, results, strict=True)
            if "said" in judged.get(id, {})
        ]
        for id in exercises
    }
    return [(exercises[id], rows) for id, rows in told.items() if rows]


def _picture(mistakes):
    """最常见的几种错误各有几个学生，一张柱状图。"""
    figure = plot_bars(
        {"学生数": [len(names) for _, _, names in mistakes]},
        title="每种错误有几个学生犯了",
        x_name="下表里的第几种错误",
        y_name="学生数",
        x_labels=[str(number) for number in range(1, len(mistakes) + 1)],
    )
    png, attributes = figure._repr_png_()
    written = Markup(" ").join(Markup('{}="{}"').format(name, value) for name, value in attributes.items())
    data = base64.b64encode(png).decode("ascii")
    return Markup('<img src="data:image/png;base64,{}" {}>').format(data, written)

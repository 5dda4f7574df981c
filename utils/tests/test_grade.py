"""批一个班：每种交上来的东西，表里的一行说出发生了什么；批改接着做下去，课程的文件一个也不变。"""

import csv
import json
import os
import re

import pytest

from utils.exercises import EXERCISES
from utils.grade import sandbox
from utils.grade.__main__ import main
from utils.grade.collect import find_students
from utils.notebooks import NOTEBOOKS, notebook_paths

PENCIL, STEP = "pencil_softmax", "softmax"  # 都在 04_softmax


def handed_in(folder, name, *sources, file="04_softmax.ipynb"):
    """一个学生的文件夹，里面一本只有这几格的笔记本。"""
    cells = [{"cell_type": "code", "source": source, "outputs": [], "metadata": {}} for source in sources]
    path = folder / name / file
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def pencil(before):
    return f'{before}\n\ncheck("{PENCIL}", answer)'


def step(body):
    return f'def my_softmax(scaled_scores):\n    {body}\n\n\ncheck("{STEP}", my_softmax)'


def solved(id):
    """课程的这一格，换上答案。"""
    argument = {"number": "answer", "step": "my_softmax"}[EXERCISES[id].kind]
    return f'{EXERCISES[id].solution}\n\ncheck("{id}", {argument})'


ELSEWHERE = "import os\nfrom pathlib import Path\n"
# 名字 -> (几格的代码, 哪一题, 表里那一格的开头)
CASES = {
    "张三": ([solved(PENCIL), solved(STEP)], STEP, "通过"),
    "Zoë O'Neil": ([solved(PENCIL)], PENCIL, "通过"),
    "还没做": ([pencil("answer = None")], PENCIL, "没有作答"),
    "删了一格": ([pencil("answer = None")], STEP, "没有这一格"),
    "两格，后一格没写": ([solved(PENCIL), pencil("answer = None")], PENCIL, "通过"),
    "用自己的函数": (
        [
            "import numpy as np",
            "def power(x):\n    return np.exp(x)",
            step(
                "e = power(scaled_scores - scaled_scores.max(axis=1, keepdims=True))\n"
                "    return e / e.sum(axis=1, keepdims=True)"
            ),
        ],
        STEP,
        "通过",
    ),
    "有魔法命令": (["%matplotlib inline\n" + solved(PENCIL) + "\n!ls"], PENCIL, "通过"),
    "少了括号": ([f'answer = [0.5, 0.25\ncheck("{PENCIL}", answer)'], PENCIL, "读不出：语法错误"),
    "用了别的格的数": ([pencil("answer = weights[0]")], PENCIL, "读不出：用到了这一格里没有的 weights"),
    "跑不完": ([pencil("while True:\n    pass"), solved(STEP)], PENCIL, "读不出：运行了"),
    "函数跑不完": ([step("while True:\n        pass")], STEP, "还不对：time_limit"),
    "一直印": ([step("while True:\n        print('x' * 10**6)")], STEP, "还不对：time_limit"),
    "退出": ([pencil("exit()")], PENCIL, "读不出：作答的格里调用了 exit"),
    "真的退出": ([pencil("import os\nos._exit(0)"), solved(STEP)], PENCIL, "读不出：作答让 Python 中途退出"),
    "占满内存": ([pencil("answer = bytearray(10**11)")], PENCIL, "读不出：作答的格运行出错：MemoryError"),
    "写文件": (
        [pencil(ELSEWHERE + "Path('x.txt').write_text('x')")],
        PENCIL,
        "读不出：作答的格运行出错：PermissionError",
    ),
    "删文件": (
        [pencil(f"import os\nos.remove({str(NOTEBOOKS / '04_softmax.ipynb')!r})")],
        PENCIL,
        "读不出：作答的格运行出错：PermissionError",
    ),
    "开别的程序": (
        [pencil("import subprocess\nsubprocess.run(['ls'])")],
        PENCIL,
        "读不出：作答的格运行出错：PermissionError",
    ),
    "抄答案": (
        [f"from utils.exercises import EXERCISES\ncheck('{STEP}', EXERCISES['{STEP}'].reference)"],
        STEP,
        "读不出：用到了课程里存着的答案",
    ),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """({(学生, 练习): 表里的一格}, 总结页)；批的时候，交上来的文件不变。时限缩短，好让检查快一些。"""
    top = tmp_path_factory.mktemp("班级 一")
    folder = top / "作业"
    for name, (sources, _, _) in CASES.items():
        handed_in(folder, name, *sources)
    handed_in(folder, "改了名", solved(PENCIL), file="新建 文件夹/作业(1).ipynb")
    handed_in(folder, "旧版本", 'check("attention_row", [1, 2])', solved(PENCIL))
    (folder / "空的").mkdir()
    (folder / "坏的").mkdir()
    (folder / "坏的" / "04_softmax.ipynb").write_bytes(b'{"cells": [')
    (folder / "坏的" / "._04_softmax.ipynb").write_bytes(b"\x00")
    (folder / "没有格").mkdir()
    (folder / "没有格" / "04_softmax.ipynb").write_text("[1, 2]", encoding="utf-8")
    single = handed_in(top, "x", solved(PENCIL))
    single.rename(folder / "李四_04_softmax.ipynb")
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*.ipynb"))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "SECONDS", 3)
        patch.setattr(sandbox, "FUNCTION_SECONDS", 1)
        assert main([str(folder), "-o", str(top / "results.csv")]) == 0
    table = (top / "results.csv").read_bytes()
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*.ipynb"))} == before
    assert table.startswith(b"\xef\xbb\xbf")  # Excel 靠它认出 UTF-8
    header, *rows = csv.reader(table.decode("utf-8-sig").splitlines())
    ids = [column.rpartition("（")[2].rstrip("）") for column in header]
    cells = {(row[0], id): cell for row in rows for id, cell in zip(ids, row, strict=True)}
    return cells, (top / "results.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_row_says_what_happened(graded, name):
    _, id, start = CASES[name]
    assert graded[0][name, id].startswith(start)


@pytest.mark.parametrize("name", ["跑不完", "真的退出"])
def test_the_other_answers_of_that_student_are_still_judged(graded, name):
    assert graded[0][name, STEP] == "通过"


def test_files_that_cannot_be_read_are_named(graded):
    cells = graded[0]
    assert cells["坏的", "备注"] == "坏的/04_softmax.ipynb 读不出：不是笔记本文件，或者没有存完"
    assert "里面没有格" in cells["没有格", "备注"]
    assert cells["空的", "备注"] == "没有交笔记本"
    assert cells["空的", PENCIL] == "没有交"


def test_names_and_editions(graded):
    cells = graded[0]
    assert cells["改了名", PENCIL] == cells["李四", PENCIL] == cells["旧版本", PENCIL] == "通过"
    assert "attention_row" in cells["旧版本", "备注"]
    assert "不止一格" in cells["两格，后一格没写", "备注"]


def test_the_page_shows_the_mistakes_of_the_class(graded):
    page = graded[1]
    assert "运行了 1 秒还没有结束" in page and "一直印、函数跑不完" in page
    assert all(name in page for name in CASES if "'" not in name)


def test_the_page_lists_every_reason_of_a_truth_exercise(tmp_path):
    given = {"甲": (True, "<b>只看</b>名次"), "乙": ("错", "变大了"), "丙": (True, ""), "丁": (None, "")}
    given |= {"戊": (True, "第一个都比后面大 1")}
    for name, answer in given.items():
        handed_in(tmp_path / "作业", name, f'check("truth_shift", {answer!r})')
    assert main([str(tmp_path / "作业"), "-o", str(tmp_path / "results.csv")]) == 0
    page = (tmp_path / "results.html").read_text(encoding="utf-8")
    table = page.partition("各人的理由")[2].partition("</table>")[0]
    rows = [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in table.split("</tr>")[1:-1]]
    assert sorted(rows) == sorted(
        [
            ["甲", "True", "&lt;b&gt;只看&lt;/b&gt;名次", "还不对"],
            ["乙", "False", "变大了", "还不对"],
            ["丙", "True", "没有写", "还不对"],
            ["戊", "True", "第一个都比后面大 1", "判断对；理由请自己比"],
        ]
    )


@pytest.mark.parametrize("cell", ["=1+1", "@x", "-2"])
def test_a_name_is_no_formula(tmp_path, cell):
    from utils.grade.report import _as_text

    assert _as_text(cell) == f"'{cell}"


def test_the_same_folder_gives_the_same_table_and_page(tmp_path):
    for name in ("张三", "少了括号", "退出"):
        handed_in(tmp_path / "作业", name, *CASES[name][0])
    written = []
    for out in ("one", "two"):
        assert main([str(tmp_path / "作业"), "-o", str(tmp_path / f"{out}.csv")]) == 0
        written.append([(tmp_path / f"{out}.{kind}").read_bytes() for kind in ("csv", "html")])
    assert written[0] == written[1]


def test_a_folder_without_students(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "没有找到课程的笔记本" in capsys.readouterr().out
    assert main([str(tmp_path / "没有")]) == 2


def test_every_solution_passes_as_handed_in(tmp_path):
    """课程自己的笔记本，作答的格换上答案：全部通过。"""
    from utils.grade.sandbox import judge_student

    for path in notebook_paths():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            source = "".join(cell["source"])
            for id, exercise in EXERCISES.items():
                if cell["cell_type"] == "code" and f'check("{id}"' in source:
                    cell["source"] = f"{exercise.solution}\n\n{source[source.index('check(') :]}"
        (tmp_path / "王五").mkdir(exist_ok=True)
        (tmp_path / "王五" / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    (student,) = find_students(tmp_path, EXERCISES)
    judged = judge_student(student, EXERCISES)
    assert {id: result["message"] for id, result in judged.items() if result["status"] != "passed"} == {}
    assert judged.keys() == EXERCISES.keys()
    assert os.listdir(tmp_path) == ["王五"]

"""把一本的几份数排成一页一份，写好各个文件和目录。"""

from pathlib import Path

from utils.notebooks import find_notebook
from utils.pages import shell
from utils.pages.command import write_page
from utils.worksheet.roster import read_roster
from utils.worksheet.sheets import SHEETS, TEMPLATES
from utils.worksheet.variation import vary

WORKSHEET, ANSWERS = ".worksheet.html", ".answers.html"
VERSIONS = "A", "B"  # B 给邻座


def write_sheets(steps, folder, roster=None):
    """每一本写一个练习纸文件、一个答案文件，放进 folder，再写目录；返回退出码。

    steps : 笔记本的名字，空的就是全部
    roster : 名单文件；不给就印 A、B 两份，给了就一个学生一份，文件名里写着名单的名字
    """
    steps = [find_notebook(Path(step)).stem for step in steps]
    if unknown := [step for step in steps if step not in SHEETS]:
        print(f"没有练习纸 {'、'.join(unknown)}；可用的是 {'、'.join(SHEETS)}。")
        return 2
    students = read_roster(Path(roster)) if roster else []
    middle = f".{Path(roster).stem}" if roster else ""
    for step in steps or SHEETS:
        for suffix, page in zip((WORKSHEET, ANSWERS), render_sheets(step, students), strict=True):
            write_page(folder / f"{step}{middle}{suffix}", page)
            print(f"{step}{middle}{suffix}", flush=True)
    if students:
        print(f"一个文件 {len(students)} 页，一个学生一页。")
    write_page(folder / "index.html", render_index(_present(folder)))
    print("index.html", flush=True)
    return 0


def render_sheets(step, students=()):
    """一本的练习纸和答案，两个 HTML；一份一页，没有 students 就是 A、B 两份。step 是 SHEETS 里的名字。"""
    sheet, blank, answered = SHEETS[step], [], []
    copies = [("", student, f"学生 {student.seed}") for student in students]
    done = []
    for label, student, seed in copies or [(label, None, f"版本 {label}") for label in VERSIONS]:
        version, numbers = vary(sheet, seed, unlike=[] if students else done)
        done.append(version)
        given = {"title": sheet.TITLE, "label": label, "student": student, **numbers}
        for pages, answers in ((blank, False), (answered, True)):
            pages.append(shell.render_part(TEMPLATES, f"{step}.html.j2", answers=answers, **given))
    return [
        shell.render_page(
            TEMPLATES, "sheets.html.j2", css="page.css", title=sheet.TITLE, pages=pages, answers=answers
        )
        for pages, answers in ((blank, False), (answered, True))
    ]


def render_index(present):
    """目录页；present 是 [(笔记本的名字, 名单的名字)]，名单是空的就是 A、B 两份。"""
    rows = []
    for step, roster in present:
        name = f"{step}.{roster}" if roster else step
        rows.append((SHEETS[step].TITLE, roster or "、".join(VERSIONS), name + WORKSHEET, name + ANSWERS))
    return shell.render_page(TEMPLATES, "index.html.j2", css="page.css", title="笔算练习纸", rows=rows)


def _present(folder):
    """folder 里印好的：每一本的 A、B 两份，和每个名单的。"""
    found = [(step, path.name) for step in SHEETS for path in sorted(folder.glob(f"{step}*{ANSWERS}"))]
    return [(step, name.removeprefix(step).removesuffix(ANSWERS).removeprefix(".")) for step, name in found]

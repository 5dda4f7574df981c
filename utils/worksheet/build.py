"""把一本的数排成一页，写好各页和目录。"""

from utils.pages import shell
from utils.pages.command import write_page
from utils.worksheet.sheets import SHEETS, TEMPLATES

WORKSHEET, ANSWERS = ".worksheet.html", ".answers.html"


def write_sheets(steps, folder):
    """每一本写一份练习纸、一份答案，放进 folder，再写目录；返回退出码。steps 是空的就是全部。"""
    if unknown := [step for step in steps if step not in SHEETS]:
        print(f"没有练习纸 {'、'.join(unknown)}；可用的是 {'、'.join(SHEETS)}。")
        return 2
    pages = {
        step + suffix: render_sheet(step, answers=suffix == ANSWERS)
        for step in steps or SHEETS
        for suffix in (WORKSHEET, ANSWERS)
    }
    for name, page in pages.items():
        write_page(folder / name, page)
        print(name, flush=True)
    present = [step for step in SHEETS if (folder / (step + ANSWERS)).exists()]
    write_page(folder / "index.html", render_index(present))
    print("index.html", flush=True)
    return 0


def render_sheet(step, *, answers):
    """一本的练习纸；answers 为真时是填好答案的那一份。step 是 SHEETS 里的名字。"""
    sheet = SHEETS[step]
    return shell.render_page(
        TEMPLATES, f"{step}.html.j2", css="page.css", title=sheet.TITLE, answers=answers, **sheet.numbers()
    )


def render_index(steps):
    """目录页，列出 steps 的练习纸和答案。"""
    rows = [(SHEETS[step].TITLE, step + WORKSHEET, step + ANSWERS) for step in steps]
    return shell.render_page(TEMPLATES, "index.html.j2", css="page.css", title="笔算练习纸", rows=rows)

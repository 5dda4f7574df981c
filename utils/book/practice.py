"""练习：题目后面折起来的提示和答案，由 utils/exercises 的记录写成。"""

import re

from markupsafe import escape

from utils.book.blocks import Block, code
from utils.exercises import EXERCISES

ONLY_IN_NOTEBOOK = {  # 种类 -> 为什么要回到笔记本
    "step": "写得对不对，要在笔记本里运行 check 才知道：它拿几组数去试，认得出常见的错误。",
    "module": "写得对不对，要在笔记本里运行 check 才知道：它把同样的矩阵放进你的模块，拿几组数去试。",
    "bug": "行号可以在这里对；改好的函数要在笔记本里运行 check 才知道对不对。",
}


def exercise_of(source):
    """一个作答的格属于哪道练习（Exercise）；不是作答的格就是 None。"""
    found = re.search(r'^check\("(\w+)"', source, re.MULTILINE)
    return EXERCISES.get(found[1]) if found else None


def exercise_blocks(exercise, markdown):
    """一道练习题目后面的块：在哪里核对，一条条提示，答案和为什么。"""
    blocks = []
    if why := ONLY_IN_NOTEBOOK.get(exercise.kind):
        blocks.append(Block("html", f'<p class="only">{escape(why)}</p>'))
    for level, hint in enumerate(exercise.hints, start=1):
        blocks.append(Block("hint", markdown(hint), title=f"提示 {level}"))
    answer = code(exercise.solution)
    if exercise.kind not in ONLY_IN_NOTEBOOK:
        answer = f"<p><strong>{escape(_written(exercise.reference))}</strong></p>{answer}"
    answer += f"<p><strong>为什么：</strong>{_inline(exercise.why, markdown)}</p>"
    return [*blocks, Block("solution", answer + _mistakes(exercise, markdown), title="答案")]


def _mistakes(exercise, markdown):
    """数、形状、选项的常见错误：得到了什么，多半错在哪里。函数的错误只有笔记本认得出。"""
    rows = [
        f"<tr><td>{escape(_yours(exercise, mistake.answer))}</td>"
        f"<td>{_inline(mistake.message, markdown)}</td></tr>"
        for mistake in exercise.mistakes
        if not callable(mistake.answer) and "{" not in mistake.message
    ]
    if not rows:
        return ""
    return (
        '<p>你的答案不一样？</p><div class="wide"><table><thead><tr><th>你的</th><th>想一想</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _yours(exercise, answer):
    """一种错误的答案；有几项的，只写与对的不同的那几项。"""
    if not exercise.items:
        return _written(answer)
    parts = zip(exercise.items, answer, exercise.reference, strict=True)
    return "，".join(f"{item} {_written(yours)}" for item, yours, right in parts if yours != right)


def _written(answer):
    if isinstance(answer, list):
        return "、".join(map(_written, answer))
    return (f"{answer:.4g}" if isinstance(answer, float) else str(answer)).replace("-", "−")


def _inline(text, markdown):
    return markdown(text).removeprefix("<p>").removesuffix("</p>")

"""卡片：一次判定在 JupyterLab 里的样子。一眼看得见：一个记号、一个词、一种颜色；提示和答案点一下就打开。"""

from html import escape

_LOOKS = {  # 状态 -> 记号、词、颜色；颜色在亮、暗两种主题上都看得清
    "passed": ("✓", "通过", "#1a7f37"),
    "wrong": ("✗", "还不对", "#c0392b"),
    "not_attempted": ("○", "还没作答", "#6e7781"),
}


def card(verdict, exercise, note):
    """一次判定的 HTML。note : 做到了哪里，一句话，可以是空的。"""
    sign, word, color = _LOOKS[verdict.status]
    first, _, rest = verdict.message.partition("\n")
    said = first.partition("：")[2] if first.startswith(word) else first
    lines = [f"<div>{escape(line)}</div>" for line in rest.split("\n") if line]
    folded = []
    if verdict.status != "passed":
        folded += [
            _fold(f"提示 {number}", f"<div>{escape(hint)}</div>")
            for number, hint in enumerate(exercise.hints, start=1)
        ]
        code = f"<pre>{escape(exercise.solution)}</pre><div>{escape(exercise.why)}</div>"
        folded.append(_fold("答案", code))
    if note:
        lines.append(f'<div style="opacity:.75">{escape(note)}</div>')
    heading = f'<div><strong style="color:{color}">{sign} {word}</strong>　{escape(said)}</div>'
    style = f"border-left:6px solid {color};padding:4px 0 4px 12px;line-height:1.6"
    return f'<div class="exercise-card" style="{style}">{heading}{"".join(lines + folded)}</div>'


def _fold(title, body):
    return f"<details><summary>{title}</summary>{body}</details>"

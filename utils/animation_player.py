"""放：一帧帧的文字和表格怎样成为一部点着看的动画。谁演什么在 animations.py，样子在 animations.css。

动画是一段 HTML：只有 CSS，没有脚本，不联网。不受信任的地方（第一次打开、还没有运行）去掉 CSS 以后，只看得见
还没开始的一帧，各步的文字折着：前面的问题先想，答案不会自己露出来。``repr`` 用文字念出每一帧。
"""

import html
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from utils.plotting.style import FRAME, GREY, INK, LIT_COLOR, QKV_COLORS, text_color

_COLORS = {  # 深到能托住白字，也能在白底上写字
    **{name.lower(): text_color(color) for name, color in QKV_COLORS.items()},
    "ink": INK,
    "grey": GREY,
    "line": FRAME,
    "lit": LIT_COLOR,
}
_VARIABLES = ";".join(f"--animation-{name}:{color}" for name, color in _COLORS.items())
STYLE = f".animation[data-animation]{{{_VARIABLES}}}\n"
STYLE += Path(__file__).with_name("animations.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Animation:
    """title : 片名；description : 文字描述，一步一行；name : HTML 里各个 id 的开头，同样的内容总是同样的 id；
    frames : 每一帧的（文字, 三个表），都是 HTML，第 0 帧是还没开始。
    """

    title: str
    description: str
    name: str
    frames: tuple[tuple[str, str], ...]

    def __repr__(self):
        return self.description

    def _repr_html_(self):
        shots = "\n".join(map(self._shot, range(len(self.frames))))
        words = html.escape(self.description).replace("\n", "<br>\n")
        # 两个 ignore：词元里的 $ 不会被 MathJax 当成公式
        return (
            f'<figure class="animation mathjax_ignore tex2jax_ignore" id="{self.name}" data-animation>\n'
            f"<style>{STYLE}</style>\n"
            f'<figcaption class="animation-title">{html.escape(self.title)}</figcaption>\n'
            f'<div class="animation-frames">\n{shots}\n</div>\n'
            '<details class="animation-text"><summary>运行这一格，就能一步一步地看。各步的文字：先想，再打开'
            f"</summary><p>{words}</p></details>\n</figure>"
        )

    def _shot(self, step):
        """一个单选钮，紧跟它的一帧：选中哪个，就显示哪一帧。

        属性 hidden 由 CSS 撤销：去掉了 CSS 的地方，后面的帧和没用的按钮就不出现（空值会被 JupyterLab 滤掉）。
        data-lm-suppress-shortcuts 让 JupyterLab 把方向键留给单选钮，不拿去换格。
        """
        (story, tables), last = self.frames[step], len(self.frames) - 1
        count = f"第 {step} / {last} 步" if step else f"开始，共 {last} 步"
        back = f'<label class="animation-back" for="{self.name}-{step - 1}"></label>' if step else ""
        later = ' hidden="hidden"' if step else ""
        way, to = ("next", step + 1) if step < last else ("again", 0)
        return (
            f'<input class="animation-radio" type="radio" name="{self.name}" id="{self.name}-{step}" '
            f'aria-label="{count}"{"" if step else " checked"} hidden="hidden" '
            'data-lm-suppress-shortcuts="true">\n'
            f'<div class="animation-frame{" fragment" if step else ""}" role="group" aria-label="{count}"'
            f"{later}>\n"
            f'<div class="animation-board">\n<div class="animation-story">\n'
            f'<p><b class="animation-step">{count}</b> {story}\n</div>\n{tables}\n</div>\n'
            f'<div class="animation-controls" hidden="hidden">{back}'
            f'<label class="animation-{way}" for="{self.name}-{to}"></label></div>\n</div>'
        )


def make_animation(kind, title, opening, frames, closing):
    """frames 是 [(这一步的式子, 在哪里, 三个表)]，都是 HTML；描述由去掉标签的式子组成。"""
    lines = [f"动画「{title}」，共 {len(frames) - 1} 步", *opening]
    shots = []
    for step, (story, where, tables) in enumerate(frames):
        if step:
            lines.append(f"第 {step} 步：{html.unescape(re.sub('<[^>]*>', '', story))}；{where}")
        place = f'\n<p class="animation-place">{where}</p>' if where else ""
        shots.append((f"{story}</p>{place}", "\n".join(tables)))
    name = f"{kind}-{zlib.crc32(str([title, shots]).encode()):08x}"
    return Animation(title, "\n".join([*lines, closing]), name, tuple(shots))


def cell_width(*tables):
    """一格的宽，单位 em：放得下最长的数和列名。"""
    texts = [text for table in tables for row in table for text in row]
    ems = [sum(0.3 if c == "." else 0.58 if ord(c) < 0x2E80 else 1 for c in text) for text in texts]
    return min(11, max(3, *(np.ceil(2 * em + 2.4) / 2 for em in ems)))


def make_table(
    kind, caption, texts, width, rows=(), cols=(), lit=frozenset(), now=frozenset(), unfinished=None
):
    """一个矩阵；rows、cols 是行和列的标签，没有就不写。

    texts : 每格的文字，空的格还没算；lit : 点亮的格；now : 这一步算出的格；unfinished : 没有加完的那一行。
    """
    used_rows, used_cols = ({where[axis] for where in lit | now} for axis in (0, 1))

    def head(label, side, is_lit, note=""):
        text = html.escape(label)
        return f'<th scope="{side}">{f"<mark>{text}</mark>" if is_lit else text}{note}</th>'

    def cell(i, j, text):
        if (i, j) in now:
            tag = "em" if i == unfinished else "strong"
            text = f"<{tag}>{text}</{tag}>"
        return f"<td>{f'<mark>{text}</mark>' if (i, j) in lit else text}</td>"

    names = "".join(head(label, "col", used_cols == {j}) for j, label in enumerate(cols))
    top = f"<thead><tr>{'<td></td>' if rows else ''}{names}</tr></thead>" if cols else ""
    body = []
    for i, line in enumerate(texts):
        note = " <small>没加完</small>" if i == unfinished else ""
        name = head(rows[i], "row", used_rows == {i}, note) if rows else ""
        body.append(f"<tr>{name}{''.join(cell(i, j, text) for j, text in enumerate(line))}</tr>")
    return (
        f'<table class="animation-table animation-{kind}" style="--animation-cell:{width:g}em">'
        f"<caption>{html.escape(caption)}</caption>{top}<tbody>{''.join(body)}</tbody></table>"
    )


def draw_arrows(q, k, before):
    """查询和键的两支箭头，一张 SVG；before 是它们没转时的样子，画成虚线。各支都是两个数，(n, 2) 取第一行。"""
    reach = max(1, *(np.hypot(*arrow) for arrow in (q, k)))

    def arrow(xy, name, color, dashed=False):
        x, y = np.asarray(xy) / reach * (1, -1)
        style = f'stroke="{color}" ' + (
            'stroke-width=".012" stroke-dasharray=".04"' if dashed else 'stroke-width=".035"'
        )
        line = f'<line x1="0" y1="0" x2="{x:.4f}" y2="{y:.4f}" {style}></line>'
        if dashed:
            return line
        side = 0.05 * np.array([[-1, 0.45], [-1, -0.45]]) * 2
        turn = np.array([[x, y], [-y, x]]) / max(np.hypot(x, y), 1e-9)
        corners = " ".join(f"{a:.4f},{b:.4f}" for a, b in [(x, y), *((x, y) + side @ turn)])
        place = 1.13 if name == "q" else 1.26
        return (
            f'{line}<polygon points="{corners}" fill="{color}"></polygon>'
            f'<text x="{x * place:.4f}" y="{y * place + 0.05:.4f}" fill="{color}" font-size=".16" '
            f'text-anchor="middle">{name}</text>'
        )

    colors = _COLORS["q"], _COLORS["k"]
    drawn = [
        arrow(xy, "", color, dashed=True) for xy, color in zip((M[0] for M in before), colors, strict=True)
    ]
    drawn += [arrow(xy, name, color) for xy, name, color in zip((q, k), "qk", colors, strict=True)]
    label = "，".join(f"{name} ({xy[0]:.3f}, {xy[1]:.3f})" for name, xy in zip("qk", (q, k), strict=True))
    return (
        f'<svg class="animation-arrows" viewBox="-1.4 -1.4 2.8 2.8" role="img" aria-label="箭头 {label}">'
        f'<circle cx="0" cy="0" r="{1 / reach:.4f}" fill="none" stroke="{FRAME}" stroke-width=".01"></circle>'
        f"{''.join(drawn)}</svg>"
    )

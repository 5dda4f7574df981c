"""reveal.js：从已安装的 sphinx-revealjs 里取出来，整个写进页面。

选它的原因：它带着 reveal.js 5.2 的全部文件（含讲稿窗口），由 pip 安装；别的软件包要么只给网络上的地址，
要么停在更旧的版本。这里只读它的文件，不导入它，也就不会导入 Sphinx。
"""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.metadata import distribution

# 讲稿窗口的界面文字。有一处找不到就停下：升级 reveal.js 以后，不会悄悄变回英文。
SPEAKER_VIEW = {
    '<html lang="en">': '<html lang="zh">',
    "<title>reveal.js - Speaker View</title>": "<title>讲稿</title>",
    "Loading speaker view...": "正在打开讲稿……",
    ">Upcoming<": ">下一步<",
    ">Time <": ">时间 <",
    "Click to Reset": "点击清零",
    "Pacing – Time to finish current slide": "离讲完这一页还有",
    ">Notes<": ">问什么，会答错什么<",
    "'Default'": "'默认'",
    "'Wide'": "'宽'",
    "'Tall'": "'高'",
    "'Notes only'": "'只看讲稿'",
    "'Layout'": "'版式'",
}


@cache
def read(path: str) -> str:
    """reveal.js 的一个文件，如 ``dist/reveal.js``。"""
    folder = distribution("sphinx-revealjs").locate_file("sphinx_revealjs/_static/revealjs")
    return (folder / path).read_text(encoding="utf-8")


@cache
def speaker_view() -> str:
    """讲稿窗口的网页，界面文字换成中文。"""
    page = read("plugin/notes/speaker-view.html")
    for english, chinese in SPEAKER_VIEW.items():
        if english not in page:
            raise RuntimeError(f"讲稿窗口里找不到 {english}：reveal.js 换了版本，请改 SPEAKER_VIEW。")
        page = page.replace(english, chinese)
    return page


@cache
def notes_plugin() -> str:
    """按 S 打开讲稿窗口的插件：窗口的网页是脚本里的一个字符串，换成中文的那一个。"""
    literal = json.dumps(speaker_view(), ensure_ascii=False).replace("</", "<\\/").replace("<!--", "\\x3c!--")
    script, count = re.subn(
        r'document\.write\("(?:[^"\\]|\\.)*"\)',
        lambda _: f"document.write({literal})",
        read("plugin/notes/notes.js"),
    )
    if count != 1:
        raise RuntimeError("讲稿插件里找不到窗口的网页：reveal.js 换了版本，请改 notes_plugin。")
    return script


def inline_scripts(html: str) -> list[str]:
    """一个网页里的内嵌脚本。"""
    return re.findall(r"<script>(.*?)</script>", html, re.DOTALL)


def fingerprint(script: str) -> str:
    """一段内嵌脚本在内容安全策略里的写法：浏览器只运行写进了策略的脚本。"""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

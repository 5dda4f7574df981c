"""reveal.js：从已安装的 sphinx-revealjs 里取出来，整个写进页面。

选它的原因：它带着 reveal.js 5.2 的全部文件（含讲稿窗口），由 pip 安装；别的软件包要么只给网络上的地址，
要么停在更旧的版本。这里只读它的文件，不导入它，也就不会导入 Sphinx。
"""

import json
from importlib.metadata import distribution

# 界面文字换成中文；有一处找不到就停下，升级以后不会悄悄变回英文
PLAYER = {
    'placeholder="Jump to slide"': 'placeholder="页码，回车"',
    "Resume presentation": "按 B 继续",
    '"next slide":"previous slide"': '"下一步":"上一步"',
    '"previous slide":"next slide"': '"上一步":"下一步"',
    "below slide": "下一页",
    "above slide": "上一页",
}
# 讲稿窗口的网页是 notes.js 里的一个字符串。计时换成我们的（speaker.js），按键交给幻灯片。
# 换了路也告诉两个小窗；两个小窗只跟着走：它们慢一拍的事件不再回头推大屏幕
SPEAKER_VIEW = {
    r"<html lang=\"en\">": r"<html lang=\"zh\">",
    "<title>reveal.js - Speaker View</title>": "<title>讲稿</title>",
    "Loading speaker view...": "正在打开讲稿……",
    "Cross origin error.<br>The speaker window can only be opened from the same origin.": (
        "请从幻灯片里按 S 打开。"
    ),
    "Error connecting to main window.<br>Please try closing and reopening the speaker view.": (
        "连不上幻灯片：关掉这个窗口，在幻灯片里再按一次 S。"
    ),
    "Speaker view popup failed to open. Please make sure popups are allowed and reopen the speaker view.": (
        "浏览器不让打开讲稿窗口：请允许这一页弹出窗口，再按一次 S。"
    ),
    ">Upcoming<": ">下一步<",
    ">Notes<": ">问什么，会答错什么<",
    "'Default'": "'默认'",
    "'Wide'": "'宽'",
    "'Tall'": "'高'",
    "'Notes only'": "'只看讲稿'",
    "'Layout'": "'版式'",
    "setupTimer();": "",
    "currentSlide.contentWindow.postMessage( JSON.stringify({ method: 'triggerKey'": (
        "window.opener.postMessage( JSON.stringify({ method: 'triggerKey'"
    ),
    "dispatchStateToMainWindow( data.state );": "",
    r"// Update the note slides\n": (
        r"for (const slide of [currentSlide, upcomingSlide]) slide.contentWindow.postMessage("
        r"JSON.stringify({ method: 'setShort', args: [window.opener.lesson.plan().short] }), '*');\n"
    ),
}
_END = r"<\/script>\n\t</body>"


def read(path):
    """reveal.js 的一个文件，如 ``dist/reveal.js``。"""
    folder = distribution("sphinx-revealjs").locate_file("sphinx_revealjs/_static/revealjs")
    return (folder / path).read_text(encoding="utf-8")


def player():
    """放映用的脚本。"""
    return _replace_all(read("dist/reveal.js"), PLAYER)


def notes_plugin(css, script):
    """按 S 打开讲稿窗口的插件；css、script 再写进那个窗口。"""
    ours = f"<style>{css}</style><script>{script}</script>"
    ours = json.dumps(ours, ensure_ascii=False)[1:-1].replace("</", r"<\/")
    end = {_END: _END.replace(r"\n\t</body>", rf"{ours}\n\t</body>")}
    return _replace_all(read("plugin/notes/notes.js"), SPEAKER_VIEW | end)


def _replace_all(script, words):
    for english, ours in words.items():
        if english not in script:
            raise RuntimeError(f"reveal.js 换了版本，里面找不到 {english}：请改 utils/slides/reveal.py。")
        script = script.replace(english, ours)
    return script

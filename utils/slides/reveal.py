"""reveal.js：从已安装的 sphinx-revealjs 里取出来，整个写进页面。

选它的原因：它带着 reveal.js 5.2 的全部文件（含讲稿窗口），由 pip 安装；别的软件包要么只给网络上的地址，
要么停在更旧的版本。这里只读它的文件，不导入它，也就不会导入 Sphinx。
"""

from importlib.metadata import distribution

# 讲稿窗口的界面文字：窗口的网页是 notes.js 里的一个字符串。有一处找不到就停下，升级以后不会悄悄变回英文
SPEAKER_VIEW = {
    r"<html lang=\"en\">": r"<html lang=\"zh\">",
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


def read(path):
    """reveal.js 的一个文件，如 ``dist/reveal.js``。"""
    folder = distribution("sphinx-revealjs").locate_file("sphinx_revealjs/_static/revealjs")
    return (folder / path).read_text(encoding="utf-8")


def notes_plugin():
    """按 S 打开讲稿窗口的插件，界面文字换成中文。"""
    script = read("plugin/notes/notes.js")
    for english, chinese in SPEAKER_VIEW.items():
        if english not in script:
            raise RuntimeError(f"讲稿窗口里找不到 {english}：reveal.js 换了版本，请改 SPEAKER_VIEW。")
        script = script.replace(english, chinese)
    return script

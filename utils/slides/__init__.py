"""讲：离线的 HTML 幻灯片，一本笔记一个文件。用法见 __main__.py。

build.py      读笔记本、写幻灯片和目录页
exporter.py   一本笔记排成一份幻灯片
design.py     颜色，页脚里的五步，代码怎样折行，文字里的记号；字号由 templates/deck/fit.js 在放映时定
lesson.py     哪几页是正课、选读、短课，各讲多久
length.py     哪一页太长
notes.py      从笔记本里切下讲稿
reveal.py     取出 reveal.js，界面文字换成中文
templates/    幻灯片和目录页的样子；放映的脚本：走哪几页、总览、按键、讲稿窗口
"""

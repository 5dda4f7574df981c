"""讲：离线的 HTML 幻灯片，一本笔记一个文件。用法见 __main__.py。

build.py      读笔记本、写幻灯片和目录页
exporter.py   一本笔记排成一份幻灯片
notes.py      从笔记本里切下讲稿
reveal.py     取出 reveal.js，讲稿窗口换成中文
templates/    幻灯片和目录页的样子
"""

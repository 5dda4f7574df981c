"""幻灯片、书和练习纸共有的：离线的网页，一个文件自己就是全部。

formulas.py   LaTeX → MathML
markdown.py   Markdown → HTML，公式是 MathML
fonts.py      把用到的字从字体里抽出来，嵌进页面
shell.py      网页的外壳和内容安全策略；图和它的替代文字在 templates/picture.html.j2
stored.py     读一本运行过的笔记
command.py    命令：读参数、写文件、说出为什么做不成
chromium.py   电脑上的 Chromium 或 Chrome 在哪里
browser.py    检查时用的真的浏览器
"""

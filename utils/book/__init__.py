"""读：整门课排成一本书，离线的网页和 PDF。用法见 __main__.py。

build.py      读笔记本、写各页：每本一页，目录、术语表、搜索
chapter.py    一本笔记的各格排成一章：什么进书，哪一格在问
folds.py      折起来的：选读；先猜以后的答案
blocks.py     一章由哪几种块组成；一个输出怎样成为 HTML
practice.py   练习：题目后面的提示和答案
terms.py      术语表；正文里通往术语和别的各本的链接
search.py     全书的文字，公式写成一行；别处的叫法；供搜索页用
pdf.py        用电脑上的 Chromium 印成 PDF，目录里有页码
templates/    各页的样子和脚本
"""

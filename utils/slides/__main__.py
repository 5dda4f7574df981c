"""做幻灯片：python -m utils.slides [笔记本…] [-o 文件夹]

每本笔记成为一个 .slides.html 文件，另有一页 index.html 作课程目录。由笔记本里存下的输出做成，不执行代码。
每个文件自己就是全部：拷到 U 盘里，没有网络也能放映。一份幻灯片要么整个写好，要么不写。
"""

import sys

from utils.pages.command import make_pages


def main(arguments=None):
    """命令行的入口；返回退出码，同 make_pages。"""
    what = "由笔记本里存下的输出做离线的幻灯片。"
    return make_pages("slides", "write_decks", folder="slides", what=what, item="笔记本", arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())

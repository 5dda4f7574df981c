"""做一本书：python -m utils.book [笔记本…] [-o book] [--teacher] [--pdf]

每本笔记成为一页 NN_name.html，另有目录 index.html、术语表 glossary.html 和搜索 search.html。由笔记本里存下的
输出做成，不执行代码。每一页自己就是全部，没有网络、没有服务器也能读。
"""

import sys

from utils.pages.command import make_pages

SWITCHES = [
    ("--teacher", {"action": "store_true", "help": "教师版：讲稿放在页边"}),
    ("--pdf", {"action": "store_true", "help": "再用电脑上的 Chromium 或 Chrome 印成 book.pdf"}),
]


def main(arguments=None):
    """命令行的入口；返回退出码，同 make_pages。"""
    return make_pages(
        "book",
        "write_book",
        folder="book",
        what="由笔记本里存下的输出做一本离线的书。",
        item="笔记本",
        more=SWITCHES,
        arguments=arguments,
    )


if __name__ == "__main__":
    sys.exit(main())

"""印笔算练习纸：python -m utils.worksheet [-o worksheets] [笔记本…] [--for 名单.txt]

每本笔记各印 A、B 两份，一份一页 A4，数与课上的不同，B 给邻座：
练习纸 NN_name.worksheet.html，填好的答案 NN_name.answers.html；index.html 是目录。不写名字就是全部。
写了 --for，就给名单里的每个学生各印一份，一份一种数，文件名里写着名单的名字；同一个名字，数总是相同。
用浏览器打开，直接打印。例句的数都由 data/ 里的打乱而成，文件不需要网络。
"""

import sys
from pathlib import Path

from utils.pages.command import make_pages


def main(arguments=None):
    """命令行的入口；返回退出码，同 make_pages。"""
    what = "印笔算练习纸和答案，一份一页 A4：A、B 两份，或者一个学生一份。"
    roster = {
        "dest": "roster",
        "type": Path,
        "metavar": "名单.txt",
        "help": "一个学生一份，数各不相同；名单一行一个名字（UTF-8 或 GBK）",
    }
    return make_pages(
        "worksheet",
        "write_sheets",
        folder="worksheets",
        what=what,
        item="笔记本",
        more=[("--for", roster)],
        arguments=arguments,
    )


if __name__ == "__main__":
    sys.exit(main())

"""印笔算练习纸：python -m utils.worksheet [-o worksheets] [笔记本…]

有笔算的笔记本（01 到 05、07 到 10）各印一页 A4：练习纸 NN_name.worksheet.html，填好的答案
NN_name.answers.html；index.html 是目录。用浏览器打开，直接打印。不写名字就是全部。
例句的数都取自 data/，文件不需要网络。
"""

import sys

from utils.pages.command import make_pages


def main(arguments=None):
    """命令行的入口；返回退出码，同 make_pages。"""
    what = "印笔算练习纸和答案，一本一页 A4。"
    return make_pages(
        "worksheet", "write_sheets", folder="worksheets", what=what, item="笔记本", arguments=arguments
    )


if __name__ == "__main__":
    sys.exit(main())

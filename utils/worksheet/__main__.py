"""印笔算练习纸：python -m utils.worksheet [-o worksheets] [步骤…]

五个步骤各印一页 A4 的练习纸 NN_name.worksheet.html，和填好的答案 NN_name.answers.html；
index.html 是目录。用浏览器打开，直接打印。不写步骤就是全部。数都取自 data/，文件不需要网络。
"""

import sys

from utils.pages.command import make_pages


def main(arguments=None):
    """命令行的入口；返回退出码，同 make_pages。"""
    what = "印笔算练习纸和答案，一步一页 A4。"
    return make_pages(
        "worksheet", "write_sheets", folder="worksheets", what=what, item="步骤", arguments=arguments
    )


if __name__ == "__main__":
    sys.exit(main())

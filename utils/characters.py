"""字符：哪些写得出来，哪些要换掉。"""

import re

# 单独的半个字符（把文字从中间切开、或读错编码时出现）：写不进文件，也画不出来
HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# 改变书写方向的记号：看不见，却会把后面的字也倒过来；阿拉伯文、希伯来文不靠它们也从右往左写
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text):
    """画得出来的一行文字：换行等控制字符换成空格，方向记号去掉，半个字符换成 �。"""
    return HALF_CHARACTER.sub("\ufffd", _DIRECTIONS.sub("", _CONTROLS.sub(" ", str(text))))

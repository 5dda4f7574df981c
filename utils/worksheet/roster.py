"""名单：读一个文字文件，一行一个学生。"""

import codecs
import re
import unicodedata
from typing import NamedTuple

from utils.checks import refusal, require

LONGEST = 24  # 再长的名字，纸上一行写不下
WAY_OUT = "用记事本写，一行一个名字，另存为 .txt；在 Excel 里就把那一列复制进记事本"


class Student(NamedTuple):
    """name : 姓名；number : 学号，没写就是空的。"""

    name: str
    number: str = ""

    @property
    def seed(self):
        return f"{self.name} {self.number}".strip()


def read_roster(path):
    """名单里的学生，按名单的次序。一行一个名字，后面可以隔一个空格写学号；空行不算。

    ValueError：读不到，不是文字，没有名字，名字太长，或重复；消息三行。
    """
    lines = [_clean(line) for line in re.split(r"\r\n|[\r\n]", _read_text(path))]
    found = {}
    for number, line in enumerate(lines, 1):
        if line:
            found.setdefault(_read_line(line), []).append(number)
    require(found, f"名单 {path.name} 里至少要有一个名字", "一个也没有", WAY_OUT)
    twice = {student.seed: places for student, places in found.items() if len(places) > 1}
    require(
        not twice,
        f"名单 {path.name} 里每个学生只写一次",
        "；".join(f"{name} 在第 {'、'.join(map(str, places))} 行" for name, places in twice.items()),
        "多写的一行删掉；同名的两个人在名字后面隔一个空格写学号，如 张伟 07",
    )
    for student, places in found.items():
        require(
            len(student.name) <= LONGEST and student.name.isprintable(),
            f"名单 {path.name} 里一行只写一个名字，最多 {LONGEST} 个字",
            f"第 {places[0]} 行：{student.name[:40]!r}",
            WAY_OUT,
        )
    return list(found)


def _read_text(path):
    """UTF-8 或 GBK；记事本的「Unicode」（UTF-16）也认。"""
    try:
        content = path.read_bytes()
    except OSError as error:  # 不见了、是文件夹、没有读的权限
        way_out = "写对它的文件名和所在的文件夹，如 --for 名单.txt"
        raise refusal("名单要是一个读得到的文件", f"{path}（{error.strerror}）", way_out) from None
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ["utf-16"] if wide else ["utf-8-sig", "gb18030"]:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise refusal(f"名单 {path.name} 要是文字文件，UTF-8 或 GBK 编码", "读不成文字", WAY_OUT)


def _clean(line):
    """两端的空白、看不见的字（零宽空格、BOM）去掉，中间的空白都写成一个空格。"""
    line = "".join(c for c in unicodedata.normalize("NFC", line) if unicodedata.category(c) != "Cf")
    return " ".join(line.split())


def _read_line(line):
    """一行：名字，隔着空格或逗号的学号写在前面、后面都行。"""
    for pattern in (r"(?P<name>.*?\D)[\s,，]+(?P<number>[0-9]+)", r"(?P<number>[0-9]+)[\s,，]+(?P<name>.+)"):
        if match := re.fullmatch(pattern, line):
            return Student(match["name"].rstrip(" ,，"), match["number"])
    return Student(line)

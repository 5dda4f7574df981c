"""data/ 里的每个文件，怎样弄坏都得到一句我们的话：哪个文件，哪个字段。

单个字段的规则在 test_examples.py 和 test_training.py；这里把每个文件的每一处都弄坏一遍。
"""

import json
import os
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

from utils import examples, model
from utils.examples import FILES, load_example
from utils.model import load_words

DATA = Path(__file__).resolve().parents[2] / "data"
READERS = {file: lambda name=name: load_example(name) for name, file in FILES.items()} | {
    "words.json": load_words
}
CONTENTS = {file: json.loads((DATA / file).read_text(encoding="utf-8")) for file in READERS}
FIELDS = [(file, field) for file, content in CONTENTS.items() for field in content]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """data 的一份拷贝，课程从这里读。"""
    for file in READERS:
        shutil.copyfile(DATA / file, tmp_path / file)
    monkeypatch.setattr(examples, "DATA", tmp_path)
    monkeypatch.setattr(model, "WORDS", tmp_path / "words.json")
    return tmp_path


def refusal(file, *parts):
    """读这个文件得到的错误：我们的 ValueError，写明文件；没有警告。"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError) as caught:
            READERS[file]()
    message = str(caught.value)
    assert f"data/{file}" in message and all(part in message for part in parts), message
    chinese = re.sub("[猫吃鱼我爱你]", "", message)
    assert re.search("[\u4e00-\u9fff]", chinese) and len(message) < 600, message
    return message


def same(a, b):
    """两次读到的是同样的数和名字。"""
    if isinstance(a, tuple):
        return a == b
    return a.tokens == b.tokens and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("X", "W_Q", "W_K", "W_V")
    )


@pytest.mark.parametrize("file", READERS)
def test_all_files_of_the_folder_are_read_here(file):
    assert {path.name for path in DATA.glob("*.json")} == set(READERS)
    READERS[file]()


@pytest.mark.parametrize("file", READERS)
def test_a_file_cut_anywhere_is_refused_or_still_whole(file, folder):
    content, whole = (folder / file).read_bytes(), READERS[file]()
    end = len(content.rstrip())
    for length in range(len(content)):
        (folder / file).write_bytes(content[:length])
        if length < end:
            refusal(file)
        else:  # 只少了末尾的空白
            assert same(READERS[file](), whole)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "空的"),
        (b" \n\t\r\n", "空的"),
        (b"\xef\xbb\xbf", "空的"),
        (b"null", "最外层"),
        (b"3", "最外层"),
        (b'"\xe7\x8c\xab"', "最外层"),
        (b"{}", "字段"),
        (b"[" * 100_000, "套得太深"),
        (b'{"tokens": ' + b"[" * 100_000, "套得太深"),
        (b"\x00" * 100, "JSON 语法"),
        (bytes(range(256)), "UTF-8"),
        (b"<html>404</html>", "JSON 语法"),
    ],
    ids=[
        "空文件",
        "只有空白",
        "只有 BOM",
        "null",
        "数",
        "文字",
        "空花括号",
        "深",
        "深字段",
        "零",
        "乱",
        "网页",
    ],
)
@pytest.mark.parametrize("file", READERS)
def test_a_file_with_something_else_in_it_is_refused(file, content, part, folder):
    (folder / file).write_bytes(content)
    refusal(file, part)


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16", "big5hkscs"])
@pytest.mark.parametrize("file", READERS)
def test_another_encoding_is_named(file, encoding, folder):
    text = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_bytes(text.encode(encoding, errors="ignore"))
    refusal(file, "UTF-8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("file", READERS)
def test_a_file_saved_by_any_notepad_is_read(file, encoding, newline, folder):
    whole = READERS[file]()
    text = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_bytes(text.replace("\n", newline).encode(encoding))
    assert same(READERS[file](), whole)


@pytest.mark.parametrize("file", READERS)
def test_a_folder_in_its_place_is_named(file, folder):
    (folder / file).unlink()
    (folder / file).mkdir()
    refusal(file, "读不了")


@pytest.mark.parametrize("file", READERS)
def test_a_file_that_may_not_be_read_is_named(file, folder, monkeypatch):
    def forbidden(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    if os.name == "posix" and os.geteuid() != 0:
        (folder / file).chmod(0)
    else:  # 管理员什么都读得到，Windows 没有这一位：让读的时候出同样的错
        monkeypatch.setattr(Path, "read_text", forbidden)
    refusal(file, "读不了", "权限")


@pytest.mark.parametrize("file", READERS)
def test_a_missing_file_is_named(file, folder):
    (folder / file).unlink()
    refusal(file, "不见了")


# ── 一个字段 ──────────────────────────────────────────────────────────────

WRONG = {
    "数": 3,
    "文字": "猫吃鱼狗羊",
    "真": True,
    "花括号": {"a": 1},
    "NaN": float("nan"),
    "无穷": float("inf"),
    "空列表": [],
    "几个空": [None, None],
    "几个列表": [[], []],
    "三层": [[[1.0]]],
    "NaN 的列表": [[float("nan")] * 3] * 3,
    "无穷的列表": [[float("inf")] * 3] * 3,
    "文字的列表": [["1", "2"], ["3", "4"]],
    "长短不一": [[1, 2], [3]],
    "真假的花括号": [{"a": 1}],
    "1e308": [[1e308]],
    "几百位的整数": [[10**999]],
    "半个字符": ["\ud800"],
}
FREE = {"X_columns": {"空"}, "V_columns": {"空"}, "position_columns": {"空", "空列表"}}  # 可以不写的字段


def put(folder, file, content):
    (folder / file).write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("wrong", [*WRONG, "空"])
@pytest.mark.parametrize(("file", "field"), FIELDS)
def test_a_field_of_the_wrong_kind_is_named(file, field, wrong, folder):
    put(folder, file, CONTENTS[file] | {field: WRONG.get(wrong)})
    if field == "X_columns" and wrong == "空" and CONTENTS[file].get("position_columns"):
        refusal(file, "position_columns")  # 位置列指着的名字没了
    elif wrong in FREE.get(field, ()):
        READERS[file]()
    else:
        refusal(file, field)


@pytest.mark.parametrize(("file", "field"), FIELDS)
def test_a_missing_field_is_named(file, field, folder):
    put(folder, file, {name: value for name, value in CONTENTS[file].items() if name != field})
    if field in ("X_columns", "V_columns"):  # 可以不写；位置列指着的名字没了，就说出位置列
        if CONTENTS[file].get("position_columns") and field == "X_columns":
            refusal(file, "position_columns")
        else:
            READERS[file]()
    elif field == "position_columns":
        READERS[file]()
    else:
        refusal(file, field)


@pytest.mark.parametrize("file", READERS)
def test_an_extra_field_is_refused(file, folder):
    put(folder, file, CONTENTS[file] | {"注": "改过"})
    refusal(file, "字段", *(["注"] if file != "words.json" else ["nouns", "verbs"]))


@pytest.mark.parametrize(("file", "field"), FIELDS)
def test_a_field_written_twice_is_named(file, field, folder):
    text = json.dumps(CONTENTS[file])
    again = json.dumps({field: CONTENTS[file][field]})
    (folder / file).write_text(f"{text[:-1]}, {again[1:]}", encoding="utf-8")
    refusal(file, f"{field}：", "不止一次")


@pytest.mark.parametrize(("file", "field"), FIELDS)
def test_a_field_one_item_longer_or_shorter_is_named(file, field, folder):
    value = CONTENTS[file][field]
    if field == "position_columns" or file == "words.json":
        pytest.skip("个数不限")
    others = {"tokens": "X", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V", "X": "X"}
    put(folder, file, CONTENTS[file] | {field: value[:-1]})
    refusal(file, f"{others.get(field, field)}：")
    put(folder, file, CONTENTS[file] | {field: [*value, "多" if isinstance(value[0], str) else value[0]]})
    refusal(file, f"{others.get(field, field)}：")


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
@pytest.mark.parametrize(
    ("file", "field"), [pair for pair in FIELDS if pair[1] in ("X", "W_Q", "W_K", "W_V")]
)
def test_a_number_that_is_none_is_named_with_its_place(file, field, literal, folder):
    text = json.dumps(CONTENTS[file])
    start = text.index(f'"{field}": [[') + len(f'"{field}": [[')
    end = re.compile("[,\\]]").search(text, start).start()
    (folder / file).write_text(text[:start] + literal + text[end:], encoding="utf-8")
    refusal(file, f"{field}：", "第 1 行第 1 列")

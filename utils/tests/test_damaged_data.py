"""data/ 里的每个文件，怎样弄坏都得到一句我们的话：哪个文件，哪个字段，怎么办。"""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from utils import examples, model, writing
from utils.examples import FILES, load_example
from utils.model import load_words
from utils.writing import load_stories

pytestmark = pytest.mark.filterwarnings("error")

DATA = Path(__file__).resolve().parents[2] / "data"
READERS = {file: lambda name=name: load_example(name) for name, file in FILES.items()}
READERS["words.json"] = load_words
READERS["stories.json"] = load_stories
CONTENTS = {file: json.loads((DATA / file).read_text(encoding="utf-8")) for file in READERS}
FIELDS = [(file, field) for file, content in CONTENTS.items() for field in content]
OPTIONAL = ("X_columns", "V_columns", "position_columns")  # 可以不写的字段
each_file = pytest.mark.parametrize("file", READERS)
each_field = pytest.mark.parametrize(("file", "field"), FIELDS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """data 的一份拷贝，路径里有中文和空格，课程从这里读。"""
    copy = tmp_path / "课程 资料"
    copy.mkdir()
    for file in READERS:  # 只拷内容：课程在只读的文件夹里时，拷贝也能写
        shutil.copyfile(DATA / file, copy / file)
    monkeypatch.setattr(examples, "DATA", copy)
    monkeypatch.setattr(model, "WORDS", copy / "words.json")
    monkeypatch.setattr(writing, "STORIES", copy / "stories.json")
    return copy


def refusal(file, *parts):
    """读这个文件得到的错误：我们的 ValueError，写明文件，三行。"""
    with pytest.raises(ValueError) as caught:
        READERS[file]()
    message = str(caught.value)
    assert message.startswith(f"data/{file} ") and len(message) < 600, message
    assert all(part in message for part in [*parts, "收到", "怎么办"]), message


def put(folder, file, content):
    (folder / file).write_text(json.dumps(content), encoding="utf-8")


def test_all_files_of_the_folder_are_read_here():
    assert {path.name for path in DATA.glob("*.json")} == set(READERS)


# ── 整个文件 ──────────────────────────────────────────────────────────────


@each_file
def test_a_file_cut_anywhere_is_refused(file, folder):
    content = (folder / file).read_bytes()
    for length in range(0, len(content.rstrip()), 7):
        (folder / file).write_bytes(content[:length])
        refusal(file)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "第 1 行第 1 列"),
        (b"\xef\xbb\xbf \n", "JSON"),
        ('{"tokens": ["猫",]'.encode(), "第 1 行第 17 列"),
        (b"<html>404</html>", "JSON"),
        (b"[1, 2]", "最外层必须是花括号"),
        (b"{}", "这个字段不能少"),
        ('{"tokens": ["猫吃鱼"]}'.encode("gbk"), "UTF-8"),
        ('{"tokens": ["猫吃鱼"]}'.encode("utf-16"), "UTF-8"),
    ],
    ids=["空", "只有 BOM", "逗号", "网页", "列表", "空花括号", "gbk", "utf-16"],
)
def test_a_file_with_something_else_in_it_is_refused(content, part, folder):
    for file in ("mao_chi_yu.json", "words.json"):
        (folder / file).write_bytes(content)
        refusal(file, part)


@pytest.mark.parametrize(("encoding", "newline"), [("utf-8-sig", "\r\n"), ("utf-8", "\r")])
@each_file
def test_a_file_saved_by_any_notepad_is_read(file, encoding, newline, folder):
    text = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_bytes(text.replace("\n", newline).encode(encoding))
    content = READERS[file]()
    for field, value in CONTENTS[file].items():
        assert np.array_equal(getattr(content, field), value)


def test_a_file_that_is_missing_a_folder_or_forbidden_is_named(folder, monkeypatch):
    (folder / "wo_ai_ni.json").unlink()
    refusal("wo_ai_ni.json", "必须读得到", "FileNotFoundError")
    (folder / "words.json").unlink()
    (folder / "words.json").mkdir()
    refusal("words.json", "必须读得到")

    def forbidden(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    if os.name == "posix" and os.geteuid() != 0:
        (folder / "mao_chi_yu.json").chmod(0)
    else:  # 管理员什么都读得到，Windows 没有这一位：让读的时候出同样的错
        monkeypatch.setattr(Path, "read_text", forbidden)
    refusal("mao_chi_yu.json", "必须读得到", "PermissionError")


# ── 一个字段 ──────────────────────────────────────────────────────────────

WRONG = {
    "数": 3,
    "花括号": {"a": 1},
    "空列表": [],
    "几个空": [None, None],
    "NaN 的列表": [[float("nan")] * 3] * 3,
    "长短不一": [[1, 2], [3]],
    "半个字符": ["\ud800"],
}


@pytest.mark.parametrize("wrong", [*WRONG, "空"])
@each_field
def test_a_field_of_the_wrong_kind_is_named(file, field, wrong, folder):
    put(folder, file, CONTENTS[file] | {field: WRONG.get(wrong)})
    if (field in OPTIONAL and wrong == "空") or (field, wrong) == ("position_columns", "空列表"):
        field = "position_columns" if field == "X_columns" else None  # 位置列指着的名字没了
    if field in CONTENTS[file]:
        refusal(file, f"{field} ")
    else:
        READERS[file]()


@each_field
def test_a_missing_field_is_named(file, field, folder):
    put(folder, file, {name: value for name, value in CONTENTS[file].items() if name != field})
    if field not in OPTIONAL:
        refusal(file, f"{field} 这个字段不能少")
    elif field == "X_columns" and "position_columns" in CONTENTS[file]:
        refusal(file, "position_columns ")
    else:
        READERS[file]()


@each_file
def test_an_extra_field_is_refused(file, folder):
    put(folder, file, CONTENTS[file] | {"W_q": [[1]]})
    refusal(file, "W_q 不是这个文件的字段", *list(CONTENTS[file])[:2])


@each_field
def test_a_field_written_twice_is_named(file, field, folder):
    text, again = json.dumps(CONTENTS[file]), json.dumps({field: CONTENTS[file][field]})
    (folder / file).write_text(f"{text[:-1]}, {again[1:]}", encoding="utf-8")
    refusal(file, f"{field} 只能写一次", "2 次")


@pytest.mark.parametrize("longer", [False, True])
@each_field
def test_a_field_one_item_longer_or_shorter_is_named(file, field, longer, folder):
    value = CONTENTS[file][field]
    if field == "position_columns" or file in ("words.json", "stories.json"):
        return  # 个数不限
    added = [*value, "多" if isinstance(value[0], str) else value[0]]
    put(folder, file, CONTENTS[file] | {field: added if longer else value[:-1]})
    refusal(file, "tokens " if field == "X" else f"{field} ")


@pytest.mark.parametrize("literal", ["NaN", "-Infinity", "1e999"])
@pytest.mark.parametrize(("file", "field"), [pair for pair in FIELDS if pair[1] in ("X", "W_V")])
def test_a_number_that_is_none_is_named_with_its_place(file, field, literal, folder):
    text = json.dumps(CONTENTS[file])
    first = re.search(rf'"{field}": \[\[(.*?),', text)
    (folder / file).write_text(text[: first.start(1)] + literal + text[first.end(1) :], encoding="utf-8")
    refusal(file, f"{field} ", "第 1 行第 1 列")


WORDS = {"nouns": ["猫", "鱼", "鸟"], "verbs": ["吃"]}


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"nouns": ["猫", "鱼", "小鸟"]}, ["nouns 里每个词必须是单字", "小鸟"]),
        ({"nouns": ["猫", "鱼", "猫"]}, ["nouns 里的字不能重复", "猫"]),
        ({"verbs": ["吃", "鱼"]}, ["不能既是名词又是动词", "鱼"]),
        ({"nouns": ["猫", "鸟"]}, ["nouns 里必须有", "少了 鱼"]),
        ({"verbs": ["看"]}, ["verbs 里必须有", "少了 吃"]),
    ],
)
def test_a_word_list_that_the_lesson_cannot_use_is_refused(change, parts, folder):
    put(folder, "words.json", WORDS)
    assert load_words() == (("猫", "鱼", "鸟"), ("吃",))
    put(folder, "words.json", WORDS | change)
    refusal("words.json", *parts)

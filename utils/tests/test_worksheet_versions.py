"""一份一种数：同样的名字总是同样的数，别人的不同；都好算，「想一想」的答案都成立；名单怎样读。"""

import re
import subprocess
import sys
from fractions import Fraction

import pytest

from utils.pages import shell
from utils.tests.html_page import read_html
from utils.tests.pencil import as_data, by_pencil, five_steps, half_up
from utils.tests.test_worksheet import values_of, versions
from utils.worksheet import __main__ as command
from utils.worksheet.build import render_sheets
from utils.worksheet.roster import Student, read_roster
from utils.worksheet.sheets import SHEETS
from utils.worksheet.variation import course_version, vary

SEEDS = [f"学生 {number}" for number in range(6)]


@pytest.fixture(scope="module")
def many():
    """{练习纸: 许多份的例句和数}，第一、二份是 A、B。"""
    return {step: [*versions(step), *(vary(SHEETS[step], seed)[0] for seed in SEEDS)] for step in SHEETS}


def plain(version):
    return [as_data(version.me), as_data(version.cat), version.me.tokens, version.cat.tokens, version.chosen]


# ---------------------------------------------------------------- 数


@pytest.mark.parametrize("step", SHEETS)
def test_no_two_copies_and_no_copy_and_the_slides_have_the_same_numbers(many, step):
    everything = [course_version(SHEETS[step]), *many[step]]
    data = [plain(version) for version in everything]
    assert all(data[i] != data[j] for i in range(len(data)) for j in range(i))
    course, a, b = everything[:3]
    for one, other in ((course, a), (course, b), (a, b)):
        for e, f in ((one.me, other.me), (one.cat, other.cat)):
            ours, theirs = five_steps(as_data(e)), five_steps(as_data(f))
            for name in ("Q", "K", "scores", "output"):
                assert ours[name] != theirs[name]
        assert all(one.chosen[name] != other.chosen[name] for name in one.chosen)


@pytest.mark.parametrize("step", SHEETS)
def test_every_copy_is_as_easy_as_the_course(many, step):
    """给出的是原来那些数：0、1、2 和一位小数；分数不大，没有一行全相等；两位小数的权重加起来差不多是 1。"""
    for version in many[step]:
        me, cat = as_data(version.me), as_data(version.cat)
        a, b = five_steps(me), five_steps(cat)
        assert {x for M in me.values() for row in M for x in row} <= {0, 1, 2}
        assert all((10 * x).denominator == 1 and 0 <= x < 3 for name in "QK" for row in b[name] for x in row)
        for s, largest in ((a, 4), (b, 3)):
            for row, rounded in zip(s["scores"], by_pencil(s["scaled"])[1], strict=True):
                assert len(set(row)) > 1 and min(row) >= 0 and max(row) <= largest
                assert abs(sum(rounded) - 1) <= Fraction(1, 100)
        assert len({x for row in a["scores"] for x in row}) <= 4


def test_what_the_closing_answers_say_is_true_of_every_copy(many):
    for version in many["02_scores"]:
        scores = five_steps(as_data(version.cat))["scores"]
        assert scores[0][-1] != scores[-1][0]
    for version in many["05_weighted_sum"]:  # 「核对」：输出在最小和最大之间，差 0.01 左右
        s = five_steps(as_data(version.me))
        rounded = [[half_up(x, 2) for x in row] for row in s["weights"]]
        for column in zip(*s["V"], strict=True):
            for row in rounded:
                mixed = sum(w * v for w, v in zip(row, column, strict=True))
                assert min(column) - Fraction(2, 100) < mixed < max(column) + Fraction(2, 100)
    for version in many["07_masks"]:  # 三个分数是 s、0、0：s 不是 0，权重才看得出大小
        assert five_steps(as_data(version.me))["scaled"][0][0] != 0
    for version in many["10_transformer"]:  # T = 2 更平均
        _, (sharp, smooth) = by_pencil([[Fraction(x) / T for x in version.chosen["logits"]] for T in (1, 2)])
        assert max(smooth) - min(smooth) < max(sharp) - min(sharp)


@pytest.mark.parametrize("step", SHEETS)
def test_a_sheet_is_worth_100_points(step, monkeypatch):
    monkeypatch.setattr(shell, "font_faces", lambda body: "")
    for page in render_sheets(step):
        for sheet in read_html(page).find(has="sheet"):
            points = [re.fullmatch(r"(\d+) 分", mark.text)[1] for mark in sheet.find(has="points")]
            assert sum(map(int, points)) == 100 and len(points) >= 4


# ---------------------------------------------------------------- 一个学生一份


def test_a_name_always_gets_the_same_numbers(tmp_path, monkeypatch):
    """换个次序、换个编码、单独印、在另一个进程里印，他那一页都一样；他的页上写着他的名字和学号。"""
    monkeypatch.setattr(shell, "font_faces", lambda body: "")
    students = [Student("张伟", "07"), Student("李娜")]
    pages = [read_html(page).find(has="sheet") for page in render_sheets("08_multi_head", students)]
    turned = [read_html(page).find(has="sheet") for page in render_sheets("08_multi_head", students[::-1])]
    for ours, theirs in zip(pages, turned, strict=True):
        assert [page.text for page in ours] == [page.text for page in theirs][::-1]
        assert "张伟" in ours[0].text and "07" in ours[0].text and "李娜" in ours[1].text
    roster = tmp_path / "名单.txt"
    roster.write_bytes("张伟 07\n".encode("utf-8-sig"))
    run = [sys.executable, "-m", "utils.worksheet", "08_multi_head", "-o", tmp_path, "--for", roster]
    subprocess.run(run, check=True, capture_output=True)
    alone = read_html((tmp_path / "08_multi_head.名单.answers.html").read_text(encoding="utf-8"))
    assert [page.text for page in alone.find(has="sheet")] == [pages[1][0].text]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_a_list_is_read_as_notepad_and_excel_write_it(tmp_path, encoding):
    path = tmp_path / "名单.txt"
    lines = ["张伟\t07", "", "  李娜  ", "　", "20260108，欧阳修远", "买买提·阿不都热合曼", "Ann Lee"]
    path.write_bytes("\r\n".join(lines).encode(encoding))
    assert read_roster(path) == [
        Student("张伟", "07"),
        Student("李娜"),
        Student("欧阳修远", "20260108"),
        Student("买买提·阿不都热合曼"),
        Student("Ann Lee"),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("张伟\n李娜\n\n张伟 \n".encode(), ["每个学生只写一次", "张伟 在第 1、4 行", "写学号"]),
        ("\ufeff\n \n".encode(), ["至少要有一个名字", "一个也没有"]),
        (b"PK\x03\x04\x00\x00\xff\xff", ["要是文字文件", "另存为"]),
        (f"张伟\n{'一句很长的话' * 9}".encode(), ["一行只写一个名字", "第 2 行"]),
        (None, ["读得到的文件", "--for 名单.txt"]),
    ],
)
def test_a_list_that_cannot_be_used_is_answered_in_three_lines(tmp_path, capsys, content, words):
    path = tmp_path / "名单.txt"
    if content is not None:
        path.write_bytes(content)
    assert command.main(["01_projection", "-o", str(tmp_path / "out"), "--for", str(path)]) == 1
    said = capsys.readouterr().out
    assert all(word in said for word in [*words, "收到：", "怎么办："]) and "名单" in said
    assert not (tmp_path / "out").exists()


def test_a_class_of_sixty_gets_sixty_sheets(monkeypatch):
    monkeypatch.setattr(shell, "font_faces", lambda body: "")
    students = [Student(f"学生{i}") for i in range(60)]
    blank, answers = (read_html(page) for page in render_sheets("09_positions", students))
    assert len(blank.find(has="sheet")) == 60
    assert len({str(values_of(page)) for page in answers.find(has="sheet")}) == 60

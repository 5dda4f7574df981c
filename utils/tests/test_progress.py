"""做到了哪里：记得住，不冲突，不改动存下的输出；不能写时只说一次。"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from utils import exercises
from utils.exercises import check, hint, progress, progress_file

ROOT = Path(__file__).resolve().parents[2]
ID, RIGHT, WRONG = "pencil_score", 0.68, 5


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv(progress_file.SWITCH, "on")
    monkeypatch.setattr(progress_file, "FILE", tmp_path / "progress.jsonl")
    monkeypatch.setattr(progress_file, "_said", set())
    return progress_file.FILE


def right():
    return exercises.EXERCISES[ID].reference


def test_what_was_passed_stays_passed(file):
    check(ID, right())
    check(ID, WRONG)
    hint(ID)
    assert progress_file.read() == {ID: (True, 2, 1)}
    assert "✓ 笔算一个分数" in repr(progress()) and "判定过 2 次，看过 1 次提示" in repr(progress())


def test_only_real_answers_count(file):
    check(ID)
    check(ID, None)
    assert not file.exists()
    assert "○ 笔算一个分数" in repr(progress())


def test_the_verdict_says_how_far_one_is(file):
    notebook = [e for e in exercises.EXERCISES.values() if e.notebook == "02_scores"]
    verdict = check(ID, right())
    assert verdict.note == f"这一本通过了 1 / {len(notebook)} 题，整门课 1 / {len(exercises.EXERCISES)} 题。"
    assert repr(verdict) == f"{verdict.message}\n{verdict.note}"


def test_nothing_is_recorded_or_added_where_outputs_are_stored(file, monkeypatch):
    monkeypatch.setenv(progress_file.SWITCH, "off")
    verdict = check(ID, right())
    assert repr(verdict) == verdict.message and verdict._repr_html_() is None
    assert not file.exists()


def test_two_notebooks_at_once_lose_no_line(file):
    code = (
        "import sys; from pathlib import Path; from utils.exercises import progress_file as p; "
        "p.FILE = Path(sys.argv[1]); [p.record(sys.argv[2], 'wrong') for _ in range(200)]"
    )
    command = [sys.executable, "-c", code, str(file)]
    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(lambda id: subprocess.run([*command, id], cwd=ROOT), ["softmax", "project"]):
            assert done.returncode == 0
    read = progress_file.read()
    assert read["softmax"].attempts == read["project"].attempts == 200


def test_a_broken_line_loses_only_itself(file):
    check(ID, WRONG)
    with file.open("ab") as stream:
        stream.write(b'{"exercise": \n\xff\xfe\n[1]\n{}\n')
    check(ID, right())
    assert progress_file.read() == {ID: (True, 2, 0)}


def test_a_folder_that_cannot_be_written_is_named_once(file, monkeypatch):
    monkeypatch.setattr(progress_file, "FILE", file / "没有" / "progress.jsonl")
    assert "不能写" in check(ID, right()).note
    assert "不能写" not in check(ID, right()).note
    assert progress_file.read() == {}


def test_the_file_is_small_and_readable(file):
    check(ID, WRONG)
    assert json.loads(file.read_text(encoding="utf-8")) == {"exercise": ID, "event": "wrong"}


@pytest.mark.parametrize(("answer", "sign"), [(None, "○"), (WRONG, "✗"), (RIGHT, "✓")])
def test_the_card_has_sign_word_and_help_but_shows_no_answer_unasked(file, answer, sign):
    answer = right() if answer == RIGHT else answer
    verdict = check(ID, answer)
    card = verdict._repr_html_()
    assert sign in card and verdict.message.partition("：")[0] in card
    outside = card.partition("<details>")[0]
    solution = exercises.EXERCISES[ID].solution
    assert solution not in outside
    assert (solution in card) == (verdict.status != "passed")


def test_text_in_a_card_is_only_text(file):
    card = check("reading_cell", "<b>x</b>")._repr_html_()
    assert "<b>x" not in card and "&lt;b&gt;" in card

"""找得到笔记本；写文件，整个写好，或者不动。"""

import os
from pathlib import Path

import pytest

from utils.files import write_atomically
from utils.notebooks import NOTEBOOKS, find_notebook, missing


@pytest.mark.parametrize("name", ["02_scores", "02_scores.ipynb", "02", "2", "02_s"])
def test_a_notebook_of_the_course_is_found_by_its_short_name_from_any_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_notebook(Path(name)) == NOTEBOOKS / "02_scores.ipynb"


@pytest.mark.parametrize("name", ["99_none", "99", "", "_", "别处/02_scores.ipynb", "别处/02", "a", "scores"])
def test_another_name_comes_back_as_it_was(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_notebook(Path(name)) == Path(name)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("scores", "是不是 02_scores？"),
        ("03_scalling", "是不是 03_scaling"),
        ("a", "a1_rnn、a2_sql_join"),
        ("99", "件。"),
    ],
)
def test_a_name_that_is_not_found_suggests_those_that_are_like_it(name, near):
    assert near in missing(Path(name)) and missing(Path(name)).startswith(f"{name}：没有这个文件。")


def test_a_file_that_is_there_comes_before_the_course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("02_scores.ipynb").write_bytes(b"")
    assert find_notebook(Path("02_scores.ipynb")) == Path("02_scores.ipynb")


def test_a_failed_write_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "a.ipynb"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_any_other_new_file(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    write_atomically(tmp_path / "new", b"content")
    assert (tmp_path / "new").read_bytes() == b"content"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert {path.name for path in tmp_path.iterdir()} == {"usual", "new"}


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    mode = path.stat().st_mode
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode == mode

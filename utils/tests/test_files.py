"""写文件：整个写好，或者不动。"""

import os

import pytest

from utils.files import write_atomically


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
    path.chmod(0o600)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o077 == 0

"""几个测试文件共用的：做好的幻灯片，打开的浏览器。"""

import io
import os
import time
from contextlib import redirect_stdout

import pytest

os.environ["COURSE_PROGRESS"] = "off"  # 检查不往学习者的进度里记

# 慢的文件先做，由慢到快：几个进程才会差不多同时做完
SLOW = (
    "test_slides_browser.py",
    "test_book_browser.py",
    "test_slides_print.py",
    "test_environments.py",
    "10_transformer.ipynb",
    "test_worksheet_print.py",
    "test_positions.py",
    "test_lab_browser.py",
    "test_slides_keys.py",
    "test_multi_head.py",
    "test_damage.py",
)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else len(SLOW))


def made_once(tmp_path_factory, name, make):
    """make(文件夹) 做好的文件：几个进程共用一份，先来的做，别的等。返回（文件夹, 退出码, 说的话）。"""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "课程 资料"
    folder, report = shared / name, shared / f"{name} 说的话"
    try:
        folder.mkdir(parents=True)
    except FileExistsError:  # 别的进程在做，或者做好了
        until = time.monotonic() + 300
        while not report.exists():
            assert time.monotonic() < until, f"等了五分钟，还没有 {report}"
            time.sleep(0.1)
    else:
        _make(make, folder, report)
    status, _, said = report.read_text(encoding="utf-8").partition("\n")
    return folder, int(status), said


def _make(make, folder, report):
    """退出码和说的话写进 report，做到一半出错也写，别的进程不会白等。"""
    from utils.files import write_atomically

    status, said = 1, io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    try:
        with redirect_stdout(said):
            status = make(folder)
    finally:
        write_atomically(report, f"{status}\n".encode() + said.buffer.getvalue())


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """（放全部幻灯片的文件夹, 退出码, 做的时候说的话）；文件夹名里有空格和中文。"""
    from utils.slides.__main__ import main

    return made_once(tmp_path_factory, "幻灯片 (1)", lambda folder: main(["-o", str(folder)]))


@pytest.fixture(scope="session")
def made_book(tmp_path_factory):
    """（全部笔记的书的文件夹, 退出码, 说的话）。"""
    from utils.book.__main__ import main

    return made_once(tmp_path_factory, "书 (1)", lambda folder: main(["-o", str(folder)]))


@pytest.fixture(scope="session")
def deck_path(made):
    """deck_path(名字) 是一份幻灯片。没有做成就跳过：为什么做不成，只由 test_every_deck_is_made 说一次。"""

    def path_of(name):
        path = made[0] / f"{name}.slides.html"
        if not path.exists():
            pytest.skip(f"{path.name} 没有做成，见 test_every_deck_is_made")
        return path

    return path_of


@pytest.fixture(scope="module")
def browser():
    """开着的时候，同一进程里不能执行笔记本，所以只开到这个文件的测试做完。"""
    from utils.pages.browser import chromium

    with chromium() as browser:
        yield browser

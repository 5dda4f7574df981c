"""几个测试文件共用的：做好的幻灯片，打开的浏览器。"""

import io
import os
from contextlib import redirect_stdout

import pytest

os.environ["COURSE_PROGRESS"] = "off"  # 检查不往学习者的进度里记


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """（放全部幻灯片的文件夹, 退出码, 做的时候说的话）；文件夹的名字里有空格和中文。"""
    from utils.slides.__main__ import main

    folder = tmp_path_factory.mktemp("课程 资料") / "幻灯片 (1)"
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(said):
        status = main(["-o", str(folder)])
    return folder, status, said.buffer.getvalue().decode("utf-8")


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

"""pytest 收集笔记本时，换上比 nbval 更严的检查（见 utils/strict_nbval.py）。"""

import pytest

from utils.notebooks import is_stray
from utils.strict_nbval import StrictNotebook, why_no_pixels


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    collectors = yield
    if file_path.suffix == ".ipynb":
        if is_stray(file_path):
            return []
        return [StrictNotebook.from_parent(parent, path=file_path)]
    return collectors


def pytest_terminal_summary(terminalreporter):
    if reason := why_no_pixels():
        terminalreporter.write_line(reason)

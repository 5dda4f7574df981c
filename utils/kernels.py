"""内核：在全新的、不能联网的内核里执行一本笔记。"""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager

from utils.exercises import progress_file
from utils.notebooks import cell_name

CELL_TIMEOUT = 120  # 秒；课程里的一格用不了一秒，到这个数就是卡住了

# 内核启动时执行：笔记本不能依赖网络。zmq 不经过 Python 的 socket，内核自己的通信不受影响。
OFFLINE_STARTUP = """
def _block_network(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        if arguments[1][0] not in ("localhost", "127.0.0.1", "::1"):
            raise OSError(f"笔记本不能联网：{arguments[1][0]}")

__import__("sys").addaudithook(_block_network)
del _block_network
"""


class CellError(Exception):
    """一格没有执行成；消息写明是哪一本、哪一格、为什么。"""


@contextmanager
def kernel_environment():
    """这段时间里启动的内核用临时的 IPython 目录：不读用户的设置，不能联网，不记做题的进度。"""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        startup = Path(folder, "profile_default", "startup")
        startup.mkdir(parents=True)
        Path(startup, "00-offline.py").write_text(OFFLINE_STARTUP, encoding="utf-8")
        with mock.patch.dict(os.environ, {"IPYTHONDIR": folder, progress_file.SWITCH: "off"}):
            yield


@contextmanager
def kernel(nb, folder, *, force_raise_errors=True):
    """一个全新的内核（NotebookClient），在 folder 里执行 nb 的格。

    force_raise_errors=False 时，出错的格不抛出异常，只把错误存成输出。
    内核属于当前的 Python，而不是用户目录里某个同样叫 python3 的 kernelspec。
    """
    manager = AsyncKernelManager(
        kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=NbvalKernelspecManager()
    )
    client = NotebookClient(
        nb,
        km=manager,
        timeout=CELL_TIMEOUT,
        # 标签不能让某一格跳过，也不能让错误算作正常
        skip_cells_with_tag="",
        allow_errors=not force_raise_errors,
        force_raise_errors=force_raise_errors,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    with kernel_environment(), client.setup_kernel(cwd=str(folder), cleanup_kc=True):
        yield client


def execute(nb, path):
    """在全新的内核里按顺序执行 nb 的每个代码格，输出存进 nb；工作目录是笔记本所在的文件夹。

    出错或写了 stderr 时抛出 CellError。
    """
    with kernel(nb, path.parent) as client:
        for index, cell in enumerate(nb.cells):
            if cell.cell_type != "code":
                continue
            try:
                client.execute_cell(cell, index)
            except CellExecutionError as error:
                raise _cell_error(path, nb, index, f"{error.ename}: {error.evalue}") from None
            except CellTimeoutError:
                raise _cell_error(path, nb, index, f"算了 {CELL_TIMEOUT} 秒还没有结束") from None
            except DeadKernelError:
                raise _cell_error(path, nb, index, "内核中途退出") from None
            if stderr := [output.text for output in cell.outputs if output.get("name") == "stderr"]:
                raise _cell_error(path, nb, index, "这一格写了 stderr：\n" + "".join(stderr).strip())


def _cell_error(path, nb, index, reason):
    lines = nb.cells[index].source.splitlines()
    shown = "\n".join(f"    {line}" for line in lines[:3] + ["…"] * (len(lines) > 3))
    return CellError(f"{path.name} {cell_name(nb, index)}：\n{shown}\n{reason}")

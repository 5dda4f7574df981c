"""每本笔记的内核占多少内存，对照只做了导入的内核；内核启动要几秒。

像 utils.refresh.execute 那样，用运行本程序的 Python 启动一个全新的内核，从头执行一本笔记；不需要 JupyterHub。
内存从 Linux 的 /proc 读，别的系统没有这个文件夹。一个班要准备的内存，大约是人数 × 一个人的 own。
"""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import nbformat

from utils.benchmark.table import Row
from utils.kernels import kernel

MIB = 1024  # /proc 的单位是 KiB


class Held(NamedTuple):
    """一个内核占的内存（MiB）和时间（秒）。

    start    从启动到可以执行第一格
    bare     刚启动时的 Pss：共用的页按共用的人数均分
    imports  执行完最后一个含 import 的代码格时的 Pss
    ran      执行完整本时的 Pss
    own      执行完整本时，只属于这一个内核的部分（Anonymous）：多开一个内核就多占这么多；与别的进程是否
             正用着同样的库无关，Pss 却有关
    peak     执行过程中 RSS 的最高值（VmHWM），含与别的进程共用的库
    """

    start: float
    bare: float
    imports: float
    ran: float
    own: float
    peak: float


def measure(paths: list[Path]) -> Iterator[Row]:
    """每本一行：一个学生的内核执行完整本后占的，对照它导入后占的；最后一行是内核启动的时间。"""
    if not Path("/proc/self/smaps_rollup").exists():
        print("只在 Linux 上能量内存。")
        return
    starts = []
    for path in paths:
        held = held_by(path)
        starts.append(held.start)
        note = f"独占 {held.own:.0f}，最高 {held.peak:.0f}"
        yield Row(f"{path.stem} 的内核，内存", held.ran, held.imports, unit="MiB", note=note)
    yield Row("内核启动", median(starts))


def _read(pid: int, name: str) -> dict[str, float]:
    """/proc/PID/name 里的各项，MiB。"""
    fields = {}
    for line in Path("/proc", str(pid), name).read_text(encoding="ascii").splitlines():
        key, _, value = line.partition(":")
        if value.endswith(" kB"):
            fields[key] = int(value.split()[0]) / MIB
    return fields


def held_by(path: Path) -> Held:
    """在全新的内核里执行一本笔记，量它的内核。有一格出错就抛出 nbclient 的 CellExecutionError。"""
    nb = nbformat.read(path, as_version=4)
    code = [index for index, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    last_import = max((i for i in code if "import " in nb.cells[i].source), default=code[0])
    started = time.perf_counter()
    # 内核答应了才进入 with 里
    with kernel(nb, path.parent) as client:
        start = time.perf_counter() - started
        pid = client.km.provisioner.pid
        bare = imports = _read(pid, "smaps_rollup")["Pss"]
        for index in code:
            client.execute_cell(nb.cells[index], index)
            if index == last_import:
                imports = _read(pid, "smaps_rollup")["Pss"]
        held = _read(pid, "smaps_rollup")
        peak = _read(pid, "status")["VmHWM"]
    return Held(start, bare, imports, held["Pss"], held["Anonymous"], peak)

"""比 nbval 更严的逐格重新执行。

nbval 不看图的像素，不看输出的 metadata、类型和名字，没有 execution_count 的格不比，还允许用标签、注释、
命令行选项放宽检查。这里沿用它启动内核和收集输出的部分，换掉比较的部分；放宽检查的途径全部不起作用。

全部运行过以后，再从最后一格倒着运行到第一格，每格两次：学习者不一定从头到尾只运行一遍。

只有一个例外：装着的 matplotlib 不是 requirements.txt 里的版本时，字的位置会差几个像素，图只比描述；
最后说一句（见 notebooks/conftest.py），而不是每张图都失败。
"""

import difflib
import os
import re
from collections import defaultdict
from contextlib import ExitStack
from importlib import metadata
from unittest import mock

import nbformat
import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from utils.environment import pins
from utils.kernels import kernel_environment
from utils.notebooks import kept_output_data, kept_output_metadata
from utils.pictures import picture_difference


def why_no_pixels():
    """为什么不比像素，一句话；装着的 matplotlib 就是课程的版本时是 None，要比。"""
    wanted = next(pin for pin in pins("lab") if pin.startswith("matplotlib==")).partition("==")[2]
    if (installed := metadata.version("matplotlib")) == wanted:
        return None
    return f"matplotlib {installed} 不是 {wanted}：图只比描述，不比像素。"


class StrictNotebook(IPyNbFile):
    """一本笔记：每个代码格都执行、都比较，第 n 个代码格叫 Cell n（与 JupyterLab 里的 [n] 一致）。"""

    def collect(self):
        self.nb = nbformat.read(self.path, as_version=4)
        code_cells = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        # 不读标签和注释：任何一格都照样执行、照样比较
        options = defaultdict(bool, check=True)
        self.cells = [
            StrictCell.from_parent(self, name=f"Cell {number}", cell_num=number, cell=cell, options=options)
            for number, cell in enumerate(code_cells, start=1)
        ]
        yield from self.cells
        yield Backwards.from_parent(self, name="Backwards")

    def setup(self):
        self.resources = ExitStack()
        self.resources.enter_context(kernel_environment())
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,  # nbval 自己打开的，从不关上
            mock.patch("nbval.kernel.open", lambda *_: nowhere, create=True),
        ):
            self.kernel = RunningKernel(CURRENT_ENV_KERNEL_NAME, cwd=str(self.path.parent))
        self.resources.callback(self._stop_kernel)

    def _stop_kernel(self):
        if self.kernel.is_alive():
            self.kernel.stop()

    def teardown(self):
        self.resources.close()


class StrictCell(IPyNbCell):
    """一个代码格。"""

    passed = False

    def runtest(self):
        if self.cell.execution_count is None:
            self.raise_cell_error("没有 execution_count：存下的输出不是运行得到的")
        super().runtest()
        self.passed = True

    def compare_outputs(self, test, ref, skip_compare=None):
        if self.passed:  # 再运行一次，不比像素
            test, ref = ([without_picture(output) for output in outputs] for outputs in (test, ref))
        if differences := list(output_differences(stored=ref, fresh=test)):
            self.raise_cell_error("重新运行的结果与存下的输出不同", "\n".join(differences))
        return True

    def repr_failure(self, excinfo):
        error = excinfo.value
        if not isinstance(error, NbCellError):
            return super().repr_failure(excinfo)
        reason = "运行出错" if str(error) == "Cell execution caused an exception" else str(error)
        heading = f"{self.path.name} 代码格 [{self.cell_num}]：{'再运行一次，' * self.passed}{reason}"
        return "\n".join(filter(None, [heading, "", error.source, "", error.inner_traceback]))


class Backwards(pytest.Item):
    """全部运行过以后，从最后一格倒着运行到第一格，每格连着运行两次，输出仍与存下的相同。

    图只比描述，不再画成像素；训练、写一百个故事要几秒，不再运行。有一格没有通过，就不做：那一格已经说了。
    """

    def runtest(self):
        cells = self.parent.cells
        if not all(cell.passed for cell in cells):
            pytest.skip("前面有一格没有通过")
        no_pixels = "get_ipython().display_formatter.formatters['image/png'].enabled = False"
        self.parent.kernel.kc.execute(no_pixels, silent=True)
        for self.cell in reversed(cells):
            if not re.search(r" = train\w*\(|range\(100\)", self.cell.cell.source):
                self.cell.runtest()
                self.cell.runtest()

    def repr_failure(self, excinfo):
        return self.cell.repr_failure(excinfo)


def without_picture(output):
    """一个输出，有图的只留描述。"""
    if "image/png" not in output.get("data", {}):
        return output
    data = {mime: value for mime, value in output["data"].items() if mime != "image/png"}
    return {**output, "data": data, "metadata": {}}


def output_differences(stored, fresh):
    """逐个比较一格存下的输出和重新运行得到的输出；每处不同给出一句话，全部相同则什么也不给。"""
    old_kinds, new_kinds = [_kind(output) for output in stored], [_kind(output) for output in fresh]
    if old_kinds != new_kinds:
        yield f"输出的个数或类型不同：存下 {old_kinds}，重新运行得到 {new_kinds}"
        return
    for number, (old, new) in enumerate(zip(stored, fresh, strict=True), start=1):
        for difference in _differences(old, new):
            yield f"第 {number} 个输出：{difference}"


def _kind(output):
    """输出的类型；输出流再加上名字，如 stream stdout。"""
    return f"{output['output_type']} {output.get('name', '')}".strip()


def _differences(old, new):
    if old["output_type"] == "stream":
        if old["text"] != new["text"]:
            yield _text_difference(_kind(old), old["text"], new["text"])
        return
    old_metadata, new_metadata = kept_output_metadata(old["metadata"]), kept_output_metadata(new["metadata"])
    if old["data"].get("text/plain") != new["data"].get("text/plain"):
        for metadata_of in (old_metadata, new_metadata):  # 替代文字就是这段文字，不同只说一次
            metadata_of.get("image/png", {}).pop("alt", None)
    if old_metadata != new_metadata:
        yield f"metadata 不同：存下 {old_metadata}，重新运行得到 {new_metadata}"
    # 在别的编辑器里运行再保存，滑块的编号、判定的卡片也会存下，两边都不比
    old_data, new_data = kept_output_data(old["data"]), kept_output_data(new["data"])
    if old_data.keys() != new_data.keys():
        yield f"格式不同：存下 {sorted(old_data)}，重新运行得到 {sorted(new_data)}"
    both = sorted(old_data.keys() & new_data.keys(), reverse=True)  # text/plain 在 text/html 前面
    for mime in both:
        if mime == "text/html" and old_data.get("text/plain") != new_data.get("text/plain"):
            continue  # 同样的不同，文字里已经说过，而且好读得多
        if mime == "image/png":
            if not why_no_pixels() and (difference := picture_difference(old_data[mime], new_data[mime])):
                yield difference
        elif old_data[mime] != new_data[mime]:
            yield _text_difference(mime, str(old_data[mime]), str(new_data[mime]))


def _text_difference(name, old, new):
    """两段文字不同的行：- 是存下的，+ 是重新运行得到的。"""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    shown = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return f"{name} 不同（- 存下，+ 重新运行）\n" + "\n".join(shown or [repr(old), repr(new)])

"""只是看看：照 JupyterLab 的样子保存一本运行过的笔记，文件一个字节也不变；写了什么，就照写的存。"""

from pathlib import Path

import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from traitlets.config import PyFileConfigLoader

from utils.exercises import EXERCISES, check, progress_file
from utils.notebooks import CARD, NOTEBOOKS, WIDGET_VIEW, parse
from utils.tests.tiny_picture import png

SETTINGS = NOTEBOOKS.parent / "utils" / "jupyter"


@pytest.fixture
def saved(tmp_path):
    """saved(改法) 打开 04，改动读到的内容再保存；返回（原来的, 存下的）字节。用真的 Jupyter 和课程的设置。"""
    config = PyFileConfigLoader("jupyter_server_config.py", path=str(SETTINGS)).load_config()
    manager = LargeFileManager(config=config, root_dir=str(tmp_path))
    file = tmp_path / "04_softmax.ipynb"
    file.write_bytes((NOTEBOOKS / "04_softmax.ipynb").read_bytes())

    def save(change):
        before = file.read_bytes()
        model = manager.get(file.name)
        change(model["content"])
        manager.save({"type": "notebook", "format": "json", "content": model["content"]}, file.name)
        return before, file.read_bytes()

    return save


def ran(nb):
    """JupyterLab 打开、运行一遍以后添上的：版本、运行的时刻、滑块的编号、卡片，颜色差一级的图。"""
    nb["metadata"]["language_info"]["version"] = "3.11.7"
    kinds = {kind: 0 for kind in ("滑块", "卡片", "图")}
    for cell in nb["cells"]:
        cell["metadata"]["trusted"] = True
        cell["metadata"]["execution"] = {"iopub.status.idle": "now"}
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            text = "".join(data.get("text/plain", ""))
            if "可拖动" in text:
                data[WIDGET_VIEW] = {"model_id": "a1", "version_major": 2, "version_minor": 0}
                kinds["滑块"] += 1
            if text.startswith("还没作答"):
                data["text/html"] = f"{CARD}>○</div>"
                kinds["卡片"] += 1
            kinds["图"] += "image/png" in data
    assert all(kinds.values()), kinds


def picture(nb):
    outputs = [output for cell in nb["cells"] for output in cell.get("outputs", [])]
    return next(output for output in outputs if "image/png" in output.get("data", {}))


def test_a_notebook_that_was_opened_and_run_is_saved_byte_for_byte(saved):
    before, after = saved(ran)
    assert after == before


@pytest.mark.parametrize(
    "change",
    [
        lambda nb: nb["cells"][-2].update(source="自己写的一句"),
        lambda nb: nb["cells"].pop(),
        lambda nb: nb["cells"][3].update(outputs=[]),
        lambda nb: picture(nb)["data"].update({"image/png": png("0.38")}),
    ],
    ids=["words", "deleted cell", "cleared output", "another picture"],
)
def test_whatever_the_learner_changed_is_saved(saved, change):
    before, after = saved(lambda nb: (ran(nb), change(nb)))
    assert after != before and b"3.11.7" in after


def test_a_picture_of_another_processor_is_no_change(saved):
    """先存一张小图，再存看不出差别的一张。"""
    saved(lambda nb: picture(nb)["data"].update({"image/png": png()}))
    before, after = saved(lambda nb: picture(nb)["data"].update({"image/png": png(noise=1)}))
    assert after == before and png().encode() in after


def test_a_save_that_cannot_be_compared_is_still_a_save(saved, monkeypatch):
    monkeypatch.setattr("utils.looking.parse", lambda content: 1 / 0)
    before, after = saved(ran)
    assert after != before and parse(after)


def test_cards_are_recognised_by_their_first_words(monkeypatch, tmp_path):
    monkeypatch.setenv(progress_file.SWITCH, "on")
    monkeypatch.setattr(progress_file, "FILE", Path(tmp_path, "progress.jsonl"))
    assert check(next(iter(EXERCISES)))._repr_html_().startswith(CARD)

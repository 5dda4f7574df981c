"""只是看看：打开、运行过却没有写什么的笔记本，保存时一个字节也不变。

JupyterLab 一打开就要添上 Python 的版本，运行过又添上滑块的编号、判定的卡片，图差一两级颜色；文件变了，
课程就没法更新。python -m utils lab 和班级的 Hub 在保存之前调用这里（见 jupyter/jupyter_server_config.py）。
"""

from pathlib import Path

from nbformat import from_dict

from utils.notebooks import normalise, parse, serialise
from utils.pictures import keep_equal_pictures


def keep_what_was_only_looked_at(model, path, contents_manager, **_):
    """Jupyter 的 pre_save_hook：要存的与文件里的没有实质不同，就照文件里的存。"""
    if model["type"] != "notebook":
        return
    file = Path(contents_manager.root_dir, path.strip("/"))
    if file.is_file():
        stored = parse(file.read_bytes())
        if only_looked_at(stored, from_dict(model["content"])):
            model["content"] = stored


def only_looked_at(stored, nb):
    """nb 与 stored 的格、写下的字、输出都相同，不算编辑器添上的东西和图的细微差别。"""
    old, new = normalise(stored), normalise(parse(serialise(nb)))
    if [cell.source for cell in old.cells] != [cell.source for cell in new.cells]:
        return False
    keep_equal_pictures(new, old)
    return old == new

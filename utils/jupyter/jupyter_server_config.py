"""utils lab 和班级的 Hub 打开的 Jupyter 的设置：只是看过的笔记本保存时不变；导出的图有替代文字。"""

import sys
import warnings
from pathlib import Path

COURSE = str(Path(__file__).absolute().parents[2])


def pre_save_hook(**arguments):
    if COURSE not in sys.path:
        sys.path.append(COURSE)
    from utils.looking import keep_what_was_only_looked_at  # 保存时才导入，打开课程不慢

    keep_what_was_only_looked_at(**arguments)


warnings.filterwarnings("ignore", message="Overriding existing pre_save_hook")  # Jupyter 把设置读了两遍
get_config().FileContentsManager.pre_save_hook = pre_save_hook  # noqa: F821  Jupyter 读这个文件时给的
load_subconfig("jupyter_nbconvert_config.py")  # noqa: F821  菜单 File → Save and Export Notebook As

"""一张练习纸一个文件，与笔记本同名，不写编号，如 softmax.py 是 04_softmax 的练习纸。

每个文件里有 TITLE，和由一份例句算出纸上的数的 numbers(version)；还可以有
    OPTIONS   这张纸自己的数，每样几种，第一种是课上的
    easy      打乱的「我爱你」（四个矩阵）好不好算
    fits      算出来的一页合不合适：「想一想」的答案仍然成立
文字在 templates/ 里与笔记本同名的模板里。
两样放进来就找得到，不用登记。
"""

import importlib
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"


def _find_sheets():
    """{笔记本的名字: 它的模块}，按名字的次序；每个模板一张。"""
    names = sorted(path.name.partition(".")[0] for path in TEMPLATES.glob("[!.]*_*.html.j2"))
    return {name: importlib.import_module(f"{__name__}.{name.partition('_')[2]}") for name in names}


SHEETS = _find_sheets()

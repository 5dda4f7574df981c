"""python -m utils.slides、utils.book 和 utils.worksheet 共有的：读参数、写文件、说出为什么做不成。"""

import argparse
import importlib
import sys
from pathlib import Path

from utils.files import write_atomically

_ROOT = Path(__file__).resolve().parent.parent.parent


class PageError(Exception):
    """一页做不成；消息写明是哪一本、哪一格、为什么。"""


def make_pages(name, maker, *, folder, what, item, more=(), arguments=None):
    """一个命令的入口；返回退出码：0 全部写好，1 没有写完，2 参数不对。

    name : 命令的名字；maker : utils/<name>/build.py 里去做的函数，收 (选中的名字, 文件夹)
    more : 另外的参数，[("--名字", add_argument 的设置)]，以 dest 的名字交给那个函数
    folder : 默认放在项目的哪个文件夹；what : 这个命令做什么；item : 一个参数是什么，如「笔记本」
    """
    sys.stdout.reconfigure(errors="replace")  # 终端不是 UTF-8 时，写不出的字换成「?」而不中断
    parser = argparse.ArgumentParser(prog=f"python -m utils.{name}", description=what)
    parser.add_argument("chosen", nargs="*", metavar=item, help="如 02_scores；不写就是全部")
    parser.add_argument(
        "-o", "--output", type=Path, default=_ROOT / folder, help=f"放在哪个文件夹，默认 {folder}/"
    )
    extra = [parser.add_argument(flag, **settings).dest for flag, settings in more]
    options = parser.parse_args(arguments)
    try:
        make = getattr(importlib.import_module(f"utils.{name}.build"), maker)  # 缺少软件包时，到这里才知道
        return make(options.chosen, options.output, **{name: getattr(options, name) for name in extra})
    except ModuleNotFoundError as error:
        package = error.name.partition(".")[0]
        print(f"缺少软件包 {package}：请用 python -m utils {name} 代替，它先装好需要的软件包。")
    except (PageError, ValueError) as error:
        print(error)
    return 1


def write_page(path, html):
    """把一页写进 path：要么整个写好，要么不写；返回字节数。PageError：写不进这个文件夹。"""
    content = html.encode("utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    except OSError as error:
        raise PageError(f"写不进 {path}（{error.strerror}）：用 -o 换一个文件夹。") from None
    return len(content)

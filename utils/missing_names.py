"""跳着运行时的提示：前面的格还没有运行，就告诉学习者该怎么办。

在笔记本里第一次导入 utils 时（见 utils/__init__.py）登记给 IPython；只在出错时多说一句话，别的什么也不改。
"""

import re

ADVICE = (
    "{name} 还没有定义。前面的格（至少「准备」）还没有运行：点菜单 Run → Run All Above Selected Cell，"
    "再运行这一格。要是这个名字是你自己写的，就检查拼写。"
)
QUOTES = '这是选项或行号吗？选项要加引号，如 "{name}"；行号只写数。'


def explain_missing_names(shell):
    """让 shell（IPython 的 InteractiveShell）在一格用了没有定义的名字时，在错误后面加上 ADVICE。"""
    if not shell.custom_exceptions:  # 学习者自己登记过的，不动
        shell.set_custom_exc((NameError,), _show)


def _show(shell, kind, error, traceback, tb_offset=None):
    if kind is NameError and _raised_in_a_cell(traceback, shell):  # UnboundLocalError 是另一回事
        is_choice = re.fullmatch("[A-Fa-f]|第.*行", error.name or "")
        error.add_note((QUOTES + ADVICE if is_choice else ADVICE).format(name=error.name))
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)


def _raised_in_a_cell(traceback, shell):
    """错误出自笔记本的格，而不是某个库的内部。"""
    while traceback.tb_next:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_globals is shell.user_global_ns

"""运行学习者的函数：收下它打印的文字和抛出的异常，也不让它一直运行下去。

函数在另一个线程里运行，主线程只等一段时间。这样做在 Windows 上也有效（那里没有 SIGALRM）：
即使函数停在 sleep 或一次很长的矩阵乘法里，内核也照常可用；学习者自己按“中断”同样有效。
从不放开全局锁（GIL）的 C 调用和 os._exit 拦不住：前者要等它自己结束，后者连内核一起退出。
"""

import contextlib
import ctypes
import io
import sys
import sysconfig
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

_SLICE = 0.05  # Windows 上等锁时收不到中断，所以一小段一小段地等
_THREAD = "check"
_LIBRARIES = (str(Path(__file__).parent.parent), sysconfig.get_path("stdlib"))


class Failure(NamedTuple):
    """函数抛出的异常。只留文字：留着异常本身，就留着了它所有的变量。"""

    kind: str
    text: str
    line: str  # 学习者代码里最后执行的一行；找不到时是空的


class Run(NamedTuple):
    """一次运行。没有超时的话，outcomes 与 calls 一一对应，是返回值或 Failure。"""

    outcomes: list
    printed: bool
    timed_out: bool
    still_running: bool


def call_within(function, calls, seconds):
    """用 calls 里的每一组参数调用 function，合计不超过 seconds 秒。

    除了学习者自己按的中断（KeyboardInterrupt），什么也不抛出。
    """
    outcomes, done, stopping, sink = [], threading.Event(), threading.Event(), _Sink()

    def work():
        with np.errstate(all="ignore"):  # numpy 的这个设置，每个线程各有一份
            for arguments in calls:
                if stopping.is_set():
                    break
                outcomes.append(_call(function, arguments))
        done.set()

    thread = threading.Thread(target=work, name=_THREAD, daemon=True)
    with _captured(sink):
        thread.start()
        try:
            end = time.monotonic() + seconds
            while not done.is_set() and (left := end - time.monotonic()) > 0:
                done.wait(min(_SLICE, left))
        finally:  # 超时或中断
            timed_out = not done.is_set()
            if timed_out:
                stopping.set()
                _stop(thread, done)
    return Run(list(outcomes), sink.used, timed_out, timed_out and not done.is_set())


def inside():
    """现在是不是正在运行学习者的函数：函数里又调用了 check。"""
    return threading.current_thread().name == _THREAD


def _call(function, arguments):
    try:
        return function(*arguments)
    except BaseException as error:  # 学习者调用 exit()、我们让线程停下，抛出的都是 SystemExit
        return _failure(error)


def _failure(error):
    try:
        text = str(error).strip()
    except Exception:
        text = ""
    lines = [
        frame.line
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.line and not (frame.filename.startswith(_LIBRARIES) or "site-packages" in frame.filename)
    ]
    return Failure(type(error).__name__, text, lines[-1] if lines else "")


def _stop(thread, done):
    """请线程停下：让它下一步就抛出 SystemExit。停在 sleep 里的线程，要等醒来才停。"""
    for _ in range(3):
        if not done.is_set():
            exception = ctypes.py_object(SystemExit)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), exception)
            done.wait(_SLICE)


class _Sink(io.TextIOBase):
    """收下打印的文字，只记住有过没有：没完没了的打印也不占内存。"""

    used = False

    def write(self, text):
        self.used = self.used or bool(text)
        return len(text)


@contextlib.contextmanager
def _captured(sink):
    """打印、警告、笔记本里的 display 都收下；input 和 breakpoint 会一直等人，改成报错；exit 只让函数停下。"""

    def publish(*args, **kwargs):
        sink.used = True

    def refuse(*args, **kwargs):
        raise RuntimeError("检查时没有人来输入，函数里不要用 input 和 breakpoint")

    def leave(*args, **kwargs):
        raise SystemExit

    managers = [
        contextlib.redirect_stdout(sink),
        contextlib.redirect_stderr(sink),
        warnings.catch_warnings(action="ignore"),
        mock.patch("builtins.input", refuse),
        mock.patch("sys.breakpointhook", refuse),
    ]
    ipython = sys.modules.get("IPython")
    if shell := ipython and ipython.get_ipython():
        managers += [
            mock.patch.object(shell, "ask_exit", leave, create=True),  # 不是每种 IPython 都有
            mock.patch.object(shell.display_pub, "publish", publish),
            mock.patch.object(shell.display_pub, "clear_output", publish),
        ]
    with contextlib.ExitStack() as stack:
        for manager in managers:
            stack.enter_context(manager)
        yield

"""判：在自己的进程里执行一个学生作答的格，判定每一题，一题印一行 JSON。由 sandbox.py 启动。

这里防的是写错的和捣乱的作答：跑不完、占满内存、改文件、上网、开别的程序、退出。
防不住存心攻击的人：Python 里总有办法（如 ctypes）绕过去。要防这样的人，就在一次性的容器或虚拟机里批。
"""

import contextlib
import io
import json
import linecache
import os
import sys

MEMORY = 4 * 2**30  # 字节；torch 自己要占一两个 GB 的地址
_WRITES = set("wax+")
_REFUSED = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.kill",
    "os.putenv",
    "os.startfile",
    "shutil.",
    "subprocess.Popen",
    "socket.",
    "winreg.",
    "ftplib.",
    "urllib.",
)


def limit():
    """限制这个进程：内存、写文件、上网、开别的程序。Windows 上没有第一项。"""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(_refuse)


def _refuse(event, arguments):
    if event == "open":
        _, mode, flags = arguments
        writing = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if not writing and not (isinstance(mode, str) and _WRITES & set(mode)):
            return
    elif not event.startswith(_REFUSED):
        return
    raise PermissionError("批改时不能写文件、上网或运行别的程序")


def judge_all(tasks, say):
    """依次判定每一题，把结果交给 say。tasks : 一题一个字典 {id, source, support, seconds}。"""
    from utils import exercises
    from utils.exercises import EXERCISES

    for task in tasks:
        recorded = {}

        def record(exercise=None, answer=None, recorded=recorded, **options):
            recorded[exercise] = answer

        def nothing(*args, **options):
            return None

        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            names = {"__name__": "__main__"}
            for piece in task["support"]:
                with contextlib.suppress(BaseException):
                    exec(piece, names)
            names |= {"check": record, "hint": nothing, "solution": nothing, "predict": nothing}
            problem = _run(task["source"], names)
        if problem and task["id"] not in recorded:
            say({"id": task["id"], "status": "unreadable", "mistake": None, "message": problem})
            continue
        verdict = exercises.judge(EXERCISES[task["id"]], recorded.get(task["id"]), task["seconds"])
        status = verdict.status
        result = {"id": task["id"], "status": status, "mistake": verdict.mistake, "message": verdict.message}
        if EXERCISES[task["id"]].kind == "truth" and status != "not_attempted":
            result["said"] = _said(EXERCISES[task["id"]], recorded.get(task["id"]))
        say(result)


def _said(exercise, answer):
    """判断题：[判断, 理由]，给老师看；读不懂的是空的。"""
    from utils.exercises.truth import read_truth

    try:
        said = read_truth(exercise, answer)
        return [str(said.value) if isinstance(said.value, bool) else "", said.reason]
    except Exception:
        return ["", ""]


def _run(source, names):
    """执行作答的格；返回出了什么错，没有出错时是空的。"""
    lines = source.splitlines(keepends=True)
    linecache.cache["<作答>"] = (len(source), None, lines, "<作答>")  # 判定时要读函数的源码
    try:
        exec(compile(source, "<作答>", "exec"), names)
    except NameError as error:
        return f"用到了这一格里没有的 {error.name}：批改时只执行作答的格，前面算出的数不在"
    except SystemExit:
        return "作答的格里调用了 exit"
    except BaseException as error:
        return f"作答的格运行出错：{type(error).__name__}：{str(error)[:200]}"
    return ""


def main():
    tasks = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    private = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    import numpy  # noqa: F401  限制之前先装好

    import utils.exercises

    assert utils.exercises.EXERCISES
    limit()

    def say(result):
        private.write(json.dumps(result, ensure_ascii=False) + "\n")
        private.flush()

    say({"id": None})  # 准备好了：从这里起计时
    judge_all(tasks, say)


if __name__ == "__main__":
    main()

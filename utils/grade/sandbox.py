"""判一个学生：交给另一个进程（worker.py），一题限时，超时或中途退出就换一个进程接着判下一题。"""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from utils.exercises import progress_file
from utils.grade.collect import course_imports, needed

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 12  # 一题
FUNCTION_SECONDS = 5  # 其中学习者的函数
STARTING = 120  # 进程启动、导入
_PASSED_ON = ("PATH", "SYSTEMROOT", "VIRTUAL_ENV", "LANG", "LC_ALL", "LD_LIBRARY_PATH")


def judge_student(student, exercises):
    """判定一个学生的全部作答，返回 {编号: {"status", "mistake", "message"}}。

    status : "passed"、"wrong"、"not_attempted"（没有作答）、"unreadable"（读不出、跑不完），message 是为什么
    """
    results, tasks = {}, []
    for id, answer in student.answers.items():
        if answer.problem:
            results[id] = _unreadable(answer.problem)
        else:
            pieces = [*course_imports(exercises[id].notebook), *student.support[id]]
            support = needed(pieces, answer.source)
            task = {"id": id, "source": answer.source, "support": support, "seconds": FUNCTION_SECONDS}
            tasks.append(task)
    while tasks:
        judged, ending = _judge(tasks)
        results |= judged
        tasks = tasks[len(judged) :]
        if tasks and ending:  # 停在 tasks[0] 上
            results[tasks[0]["id"]] = _unreadable(ending)
            tasks = tasks[1:]
    return results


def _unreadable(message):
    return {"status": "unreadable", "mistake": None, "message": message}


def _judge(tasks):
    """用一个进程判 tasks；返回 {编号: 结果} 和中途停下的原因（全部判完时是空的）。"""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {
            "PYTHONPATH": str(ROOT),
            progress_file.SWITCH: "off",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "HOME": folder,
            "USERPROFILE": folder,
            "TMPDIR": folder,
            "TEMP": folder,
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "utils.grade.worker"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name != "nt",
        )
        try:
            return _listen(process, tasks)
        finally:
            _kill(process)


def _listen(process, tasks):
    lines, judged = queue.Queue(), {}

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        process.stdin.write(json.dumps(tasks, ensure_ascii=False).encode("utf-8"))
        process.stdin.close()
    except OSError:
        return {}, "批改的进程没有启动"
    ready = False
    while len(judged) < len(tasks):
        try:
            line = lines.get(timeout=SECONDS if ready else STARTING)
        except queue.Empty:
            return judged, f"运行了 {SECONDS} 秒还没有结束"
        if line is None:
            return judged, "作答让 Python 中途退出"
        result = json.loads(line.decode("utf-8"))
        if result["id"] is None:
            ready = True
        elif result["id"] == tasks[len(judged)]["id"]:
            judged[result.pop("id")] = result
        else:
            return judged, "作答改动了批改的进程"
    return judged, ""


def _kill(process):
    """连同它开的进程一起停下。"""
    if process.poll() is None:
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()

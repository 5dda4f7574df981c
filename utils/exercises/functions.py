"""判定学习者写的函数：用几组固定的输入各调用两次，与答案和每一种常见错误比较。

次序：运行得完、有返回值、两次一样；全对的，再看是不是自己写的、有没有副作用；
不对的，由 explain.py 认错误，认不出就说第一处不同在哪里。
"""

import dis
import inspect

import numpy as np

from utils.exercises import modules, running
from utils.exercises.answers import received
from utils.exercises.comparing import same, same_kind
from utils.exercises.explain import explained
from utils.exercises.own_work import borrowed
from utils.exercises.records import not_attempted, passed, wrong
from utils.exercises.running import Failure


def judge_function(exercise, function, seconds):
    """判定 function（写模块的题是一个类）与答案是不是同一个函数，返回 Verdict。seconds : 最多运行几秒。"""
    if exercise.kind == "module":
        if problem := modules.unusable(function):
            return wrong(exercise, *problem)
        if not _computes(function.forward):
            return not_attempted(exercise)
        function = modules.as_function(exercise, function)
    if not callable(function):
        reason = f"这里要交函数本身，收到的是{received(function)}。函数名后面不要加括号。"
        return wrong(exercise, "not_a_function", reason)
    if inspect.iscoroutinefunction(function):
        return wrong(exercise, "wrong_type", "去掉 def 前面的 async：普通的函数才会马上算出结果。")
    if exercise.kind != "module" and not _accepts(function, len(exercise.arguments)):
        names = "、".join(exercise.arguments)
        reason = f"函数要能收 {len(exercise.arguments)} 个参数：{names}。"
        return wrong(exercise, "wrong_parameters", reason)

    used, fresh = exercise.inputs(), exercise.inputs()
    run = running.call_within(function, used + exercise.inputs(), seconds)
    if run.timed_out:
        return wrong(exercise, "time_limit", _time_message(seconds, run.still_running))
    outcomes, again = run.outcomes[: len(fresh)], run.outcomes[len(fresh) :]
    if isinstance(outcomes[0], Failure) and outcomes[0].kind == modules.MISBUILT:
        return wrong(exercise, *outcomes[0].text.split("：", 1))
    if all(map(_is_missing, outcomes)):
        return _without_result(exercise, function, run)
    reference = exercise.repair or exercise.reference
    expected = [reference(*arguments) for arguments in fresh]
    if not all(map(same_kind, outcomes, again, expected)):
        reason = "同样的输入算两次，结果不一样。函数里是不是用了随机数，或者记住了上一次的东西？"
        return wrong(exercise, "not_deterministic", reason)

    if not all(map(same, outcomes, expected)):
        return explained(exercise, function, outcomes, expected, fresh, seconds)
    if name := borrowed(function, exercise.without, exercise.inputs()[0], seconds):
        reason = f"数都对，不过这是课程的函数 {name}。题目要自己写一个：把它里面的算式写出来。"
        return wrong(exercise, "course_function", reason)
    if name := _changed(exercise, used, fresh):
        reason = f"结果对，但是函数改动了传进来的 {name}，别的格子还要用它。请另建一个新数组。"
        return wrong(exercise, "changed_argument", reason)
    note = "（函数里有 print；检查时没有显示它。）" if run.printed else ""
    return passed(exercise, note + _shared(exercise, outcomes, used))


def _accepts(function, count):
    """function 能不能用 count 个参数调用；看不出来时当作能。"""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except Exception:
        pass
    return True


def _time_message(seconds, still_running):
    message = f"运行了 {seconds:g} 秒还没有结束，不再等了。有没有停不下来的循环？"
    if still_running:
        message += "它可能还在后台运行；想让它停下，请在菜单里选“重启内核”。"
    return message


# ---------------------------------------------------------------- 没有结果


def _is_missing(outcome):
    if isinstance(outcome, Failure):
        return outcome.kind == "NotImplementedError"
    return outcome is None or outcome is Ellipsis


def _without_result(exercise, function, run):
    if not any(isinstance(outcome, Failure) for outcome in run.outcomes):
        if run.printed:
            reason = "函数打印了结果，但是没有返回它。把 print 换成 return。"
            return wrong(exercise, "printed_instead", reason)
        if _computes(function):
            reason = "函数里有计算，但是没有返回结果。最后一行是不是少了 return？"
            return wrong(exercise, "no_return", reason)
    return not_attempted(exercise)


def _computes(function):
    """函数体里除了 ... 和 None，还写没写别的。"""
    code = getattr(function, "__code__", None)
    work = ("STORE", "BINARY", "CALL", "FOR_ITER")
    return code is not None and any(step.opname.startswith(work) for step in dis.get_instructions(code))


# ---------------------------------------------------------------- 结果对，有副作用


def _changed(exercise, used, fresh):
    """函数改动了的参数的名字；没有时是空的。"""
    for arguments, before in zip(used, fresh, strict=True):
        for name, value, original in zip(exercise.arguments, arguments, before, strict=True):
            if not np.array_equal(value, original, equal_nan=True):
                return name
    return ""


def _shared(exercise, outcomes, used):
    """结果是参数的一部分（切片、转置）：一句提醒；没有时是空的。"""
    for arguments, outcome in zip(used, outcomes, strict=True):
        for name, value in zip(exercise.arguments, arguments, strict=True):
            if isinstance(value, np.ndarray) and np.may_share_memory(outcome, value):
                return f"（结果和传进来的 {name} 用同一块内存，改一个，另一个也会变；要分开就写 .copy()。）"
    return ""

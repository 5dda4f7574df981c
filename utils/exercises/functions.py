"""判定学习者写的函数：用几组固定的输入各调用两次，与答案和每一种常见错误比较。

次序：运行得完、有返回值、两次一样；全对的，再看有没有副作用；不对的，先看类型，
再认错误，认不出就说第一处不同在哪里。
"""

import dis
import inspect
import re
from numbers import Number

import numpy as np

from utils.exercises import running
from utils.exercises.answers import MOST, received
from utils.exercises.records import not_attempted, passed, wrong
from utils.exercises.running import Failure
from utils.numbers import write


def judge_function(exercise, function, seconds):
    """判定 function 与答案是不是同一个函数，返回 Verdict。seconds : 最多运行几秒。"""
    if not callable(function):
        reason = f"这里要交函数本身，收到的是{received(function)}。函数名后面不要加括号。"
        return wrong(exercise, "not_a_function", reason)
    if not _accepts(function, len(exercise.arguments)):
        names = "、".join(exercise.arguments)
        reason = f"函数要能收 {len(exercise.arguments)} 个参数：{names}。"
        return wrong(exercise, "wrong_parameters", reason)

    used, fresh = exercise.inputs(), exercise.inputs()
    run = running.call_within(function, used + exercise.inputs(), seconds)
    if run.timed_out:
        return wrong(exercise, "time_limit", _time_message(seconds, run.still_running))
    outcomes, again = run.outcomes[: len(fresh)], run.outcomes[len(fresh) :]
    if all(map(_is_missing, outcomes)):
        return _without_result(exercise, function, run)
    reference = exercise.repair or exercise.reference
    expected = [reference(*arguments) for arguments in fresh]
    if not all(map(_same_kind, outcomes, again, expected)):
        reason = "同样的输入算两次，结果不一样。函数里是不是用了随机数，或者记住了上一次的东西？"
        return wrong(exercise, "not_deterministic", reason)

    if not all(map(same, outcomes, expected)):
        return _wrong_result(exercise, outcomes, expected, fresh)
    note = "（函数里有 print；检查时没有显示它。）" if run.printed else ""
    return _side_effect(exercise, outcomes, used, fresh) or passed(exercise, note)


def same(outcome, expected):
    """两个结果在容差内相同，包括形状、nan 和无穷；两个异常只要种类相同。"""
    if isinstance(outcome, Failure) or isinstance(expected, Failure):
        return type(outcome) is type(expected) and outcome.kind == expected.kind
    if not _is_float_array(outcome) or outcome.shape != np.shape(expected):
        return False
    return bool(_close(outcome, expected).all())


def _close(outcome, expected):
    return np.isclose(np.asarray(outcome, float), expected, rtol=1e-4, atol=1e-5, equal_nan=True)  # float32


def _is_float_array(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype.itemsize > 2


def _same_kind(first, second, expected):
    if _is_float_array(first) and _is_float_array(second):
        if first.shape != expected.shape:  # 形状不对的可能很大，不去比里面的数
            return first.shape == second.shape
        return same(first, second)
    return type(first) is type(second)


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


def _side_effect(exercise, outcomes, used, fresh):
    for arguments, before, outcome in zip(used, fresh, outcomes, strict=True):
        for name, value, original in zip(exercise.arguments, arguments, before, strict=True):
            if not np.array_equal(value, original, equal_nan=True):
                reason = f"结果对，但是函数改动了传进来的 {name}，别的格子还要用它。请另建一个新数组。"
                return wrong(exercise, "changed_argument", reason)
            if isinstance(value, np.ndarray) and np.may_share_memory(outcome, value):
                reason = f"结果对，但是它和传进来的 {name} 用同一块内存，改一个，另一个也会变。请返回新数组。"
                return wrong(exercise, "shares_memory", reason)
    return None


# ---------------------------------------------------------------- 结果不对


def _wrong_result(exercise, outcomes, expected, fresh):
    for outcome in outcomes:
        if not isinstance(outcome, Failure | np.ndarray):
            return wrong(exercise, "wrong_type", _type_message(exercise, outcome))
        if isinstance(outcome, np.ndarray) and not _is_float_array(outcome):
            return wrong(exercise, "wrong_dtype", _dtype_message(outcome.dtype))
    index = next(i for i, outcome in enumerate(outcomes) if not same(outcome, expected[i]))
    problem, where = _first_difference(exercise, outcomes[index], expected[index], fresh[index])
    mistake = _recognise(exercise, outcomes, expected, fresh)
    if mistake is None:
        return wrong(exercise, problem, where)
    facts = _facts(exercise, outcomes, index, expected[index], fresh[index])
    return wrong(exercise, mistake.name, mistake.message.format_map(facts), where)


def _recognise(exercise, outcomes, expected, inputs):
    """与 outcomes 在所有输入上都相同的错误；没有，就看第一组输入（一个答案可能犯了两个错误）。"""
    partly = None
    for mistake in exercise.mistakes:
        if not callable(mistake.answer) or not same(outcomes[0], _attempt(mistake.answer, inputs[0])):
            continue
        if all(same(o, _attempt(mistake.answer, i)) for o, i in zip(outcomes[1:], inputs[1:], strict=True)):
            return mistake
        if not isinstance(outcomes[0], Failure) and not same(outcomes[0], expected[0]):
            partly = partly or mistake
    return partly


def _attempt(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return Failure(type(error).__name__, "", "")


def _facts(exercise, outcomes, index, right, arguments):
    """错误的消息里能用的数：第 index 个结果不对，应是 right。

    shape 收到的形状；expected_shape 应有的形状；args 那一组输入；
    row、row_sum 第一个和不是 1 的行，及这个和。很大的数组不去加。
    """
    arrays = [outcome for outcome in [outcomes[index], *outcomes] if not isinstance(outcome, Failure)]
    small = [array for array in arrays if array.ndim == 2 and len(array) and array.size <= MOST]
    sums = small[0].sum(axis=1) if small else np.array([np.nan])
    row = int(np.argmax(~np.isclose(sums, 1, rtol=0, atol=1e-3)))
    return {
        "shape": str(getattr(outcomes[index], "shape", "…")),
        "expected_shape": str(right.shape),
        "args": _shown_arguments(exercise, arguments),
        "row": row + 1,
        "row_sum": write(sums[row]),
    }


def _first_difference(exercise, outcome, right, arguments):
    """问题的种类，和说出第一处不同在哪里的一句话。"""
    args = _shown_arguments(exercise, arguments)
    shapes = f"应返回 {exercise.shape}，即 {right.shape}"
    if isinstance(outcome, Failure):
        line = f"\n出错的一行：{outcome.line}" if outcome.line else ""
        reason = f"{outcome.kind}：{_in_our_words(outcome.text)}" if outcome.text else outcome.kind
        return "raised", f"输入是 {args} 时报错：{reason}{line}\n{shapes}。"
    if outcome.shape != right.shape:
        return "wrong_shape", f"输入是 {args}：{shapes}；收到 {outcome.shape}。"
    row, col = np.argwhere(~_close(outcome, right))[0]
    yours, theirs = outcome[row, col], right[row, col]
    where = f"第一处不同：输入是 {args}，第 {row + 1} 行第 {col + 1} 列，你的是 {write(yours)}。{shapes}。"
    return "not_finite" if np.isfinite(theirs) and not np.isfinite(yours) else None, where


def _shown_arguments(exercise, arguments):
    return "，".join(
        f"{name} {np.shape(value)}" if np.ndim(value) else f"{name} = {value}"
        for name, value in zip(exercise.arguments, arguments, strict=True)
    )


def _in_our_words(text):
    """numpy 最常见的两种形状错误，换成课程里的说法；别的原样给出。"""
    if sizes := re.search(r"size (\d+) is different from (\d+)", text):
        return f"矩阵乘法的两边对不上，中间的两个大小是 {sizes[2]} 和 {sizes[1]}"
    if shapes := re.search(r"broadcast together with shapes (\(.*?\)) (\(.*?\))", text):
        spaced = [re.sub(r",(?=\d)", ", ", shape) for shape in shapes.groups()]
        return f"两个数组的形状对不上，是 {spaced[0]} 和 {spaced[1]}"
    return text


def _type_message(exercise, outcome):
    ways = {
        "Tensor": "这里用 numpy；张量可以写 .detach().numpy() 变成数组。",
        "list": "用 np.array(…) 把它变成数组。",
        "tuple": "只返回一个数组；return 后面是不是多了逗号，或者多了一项？",
        "Verdict": "函数里面不要再调用 check。",
        "NoneType": "有的输入下没有返回值：每条路都要有 return。",
    }
    number = "是不是把整个矩阵加成了一个数，或者只算了一格？" if isinstance(outcome, Number) else ""
    way = ways.get(type(outcome).__name__, number)
    return f"应返回 numpy 数组，形状 {exercise.shape}；收到的是{received(outcome)}。{way}"


def _dtype_message(dtype):
    if dtype.kind == "f":
        way = "只有三位有效数字：是不是用了 float16？"
    elif dtype.kind in "iub":
        way = "小数部分丢了：是不是用了 astype(int) 或比较？"
    else:
        way = "一格放一个实数，各行一样长。"
    return f"应返回小数（float64），收到的数组里是 {dtype}。{way}"

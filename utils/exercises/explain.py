"""函数的结果不对：是哪种错误，第一处不同在哪里，怎样自己试。

次序：先认参数的次序，再认题目里列出的错误，再看代码和每道题都说得通的错误；几种都说得通，就都说出来。
"""

import inspect

import numpy as np

from utils.exercises import extra_steps, reading_code, running, whole
from utils.exercises.answers import MOST, received
from utils.exercises.comparing import same
from utils.exercises.divisor import wrong_divisor
from utils.exercises.first_difference import first_difference, right_elsewhere, shown_arguments, try_it
from utils.exercises.records import wrong
from utils.exercises.running import Failure
from utils.exercises.shapes_and_types import dtype_message, is_plain, type_message, unpacked
from utils.exercises.words import wrong_sizes
from utils.numbers import write

_KEPT = {}  # 练习的编号 -> [(错误, {第几组输入: 它的结果})]：输入总是同样的几组


def explained(exercise, function, raw, expected, inputs, seconds):
    """raw（每组输入的结果）至少有一个不对：返回 Verdict。"""
    pairs = [unpacked(*each) for each in zip(raw, expected, strict=True)]
    outcomes = [array for array, _ in pairs]
    odd = next((i for i, o in enumerate(raw) if not isinstance(o, Failure) and not is_plain(o)), None)
    if odd is not None:
        return _odd(exercise, function, raw, pairs, odd, expected, inputs)
    index = next(i for i, outcome in enumerate(outcomes) if not same(outcome, expected[i]))
    problem, where = first_difference(exercise, function, outcomes[index], expected[index], inputs[index])
    where += right_elsewhere(exercise, outcomes, expected, inputs, inputs[index])
    tried = try_it(exercise, function, inputs[index])
    name, said = _cause(exercise, function, outcomes, expected, inputs, index, seconds)
    return wrong(exercise, name or problem, said, where, tried, arguments=inputs[index])


def _odd(exercise, function, raw, pairs, odd, expected, inputs):
    """结果不是小数的数组；里面的数要是对的，就说数都对。"""
    outcomes = [array for array, _ in pairs]
    is_array = isinstance(raw[odd], np.ndarray)
    name = "wrong_dtype" if is_array else "wrong_type"
    message = dtype_message(raw[odd].dtype) if is_array else type_message(exercise, raw[odd])
    if all(map(same, outcomes, expected)):
        message = f"数都对，只差一点。{message if is_array else _container(raw[odd], pairs[odd][1])}"
    elif all(isinstance(o, np.ndarray) for o in outcomes) and raw[odd].__class__ is not np.ndarray:
        full, _ = _named(exercise, outcomes, expected, inputs)
        if full:
            said = full[0].message.format_map(_facts(exercise, outcomes, odd, expected[odd], inputs[odd]))
        else:
            _, said = _known(exercise, outcomes, expected, inputs)
        message = "\n".join(filter(None, [message, said]))
    return wrong(exercise, name, message, try_it(exercise, function, inputs[odd]), arguments=inputs[odd])


def _container(outcome, way):
    if isinstance(outcome, tuple) and len(outcome) > 1:
        return way
    return f"收到的是{received(outcome)}，应返回 numpy 数组：{way}"


def _cause(exercise, function, outcomes, expected, inputs, index, seconds):
    """(名字, 一句话)：认出的错误；认不出时是 (None, "")。"""
    if not all(isinstance(o, Failure) and o.kind == "NameError" for o in outcomes):
        if order := _order(exercise, function, expected, inputs, seconds):
            return order
        full, partly = _named(exercise, outcomes, expected, inputs)
        if full:
            facts = _facts(exercise, outcomes, index, expected[index], inputs[index])
            return full[0].name, full[0].message.format_map(facts)
        read = reading_code.causes(function, _where_from(exercise, inputs[index]))
        if isinstance(outcomes[index], Failure) and "inhomogeneous" in outcomes[index].text:
            return None, ""  # 报错的话已经说出原因
        sure = [each for each in read if each[0] not in ("hard_coded_size", "short_range")]
        if sure and sure[0][0] != "outside_array":  # 读代码看见了，就不再由结果的样子去猜
            return sure[0]
        name, said = _known(exercise, outcomes, expected, inputs)
        if sure:
            return sure[0][0], "\n".join(filter(None, [sure[0][1], said]))
        if name:
            return name, said
        if read:
            return read[0][0], "".join(words for _, words in read[:2])
        if shape := wrong_sizes(exercise, outcomes, expected, inputs):
            return shape
        if partly:
            facts = _facts(exercise, outcomes, index, expected[index], inputs[index])
            return partly[0].name, _joined([each.message.format_map(facts) for each in partly[:2]])
    elif outcomes[0].text:
        return "missing_name", ""
    return None, ""


def _where_from(exercise, arguments):
    """大小该从哪里取：第一个矩阵的形状；没有矩阵，就是参数本身。"""
    arrays = [name for name, v in zip(exercise.arguments, arguments, strict=True) if np.ndim(v)]
    return f"从参数取，如 {arrays[0]}.shape[0]" if arrays else f"用参数 {'、'.join(exercise.arguments)}"


def _order(exercise, function, expected, inputs, seconds):
    """参数的名字都对，次序不同；按名字交，结果就对。"""
    try:
        names = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    if names == exercise.arguments or sorted(names) != sorted(exercise.arguments):
        return None
    calls = [tuple(map(dict(zip(exercise.arguments, each, strict=True)).get, names)) for each in inputs]
    run = running.call_within(function, calls, seconds)
    if run.timed_out or not all(map(same, run.outcomes, expected)):
        return None
    right, yours = "、".join(exercise.arguments), "、".join(names)
    return "parameter_order", f"里面算得都对，参数的次序不对：题目是 {right}，你写的是 {yours}。"


def _named(exercise, outcomes, expected, inputs):
    """(在所有输入上都相同的错误, 只在第一组输入上相同的错误)：题目里列出的。"""
    full, partly = [], []
    for mistake in exercise.mistakes:
        if callable(mistake.answer) and same(outcomes[0], _attempt(mistake.answer, inputs[0])):
            if _matches(mistake.answer, outcomes[1:], inputs[1:]):
                full.append(mistake)
            elif not isinstance(outcomes[0], Failure) and not same(outcomes[0], expected[0]):
                partly.append(mistake)
    return full, partly


def _known(exercise, outcomes, expected, inputs):
    """每道题都说得通的错误：(名字, 一句话)，几种都说得通时说两种；没有是 (None, "")。"""
    huge = any(isinstance(outcome, np.ndarray) and outcome.size > MOST for outcome in outcomes)
    arrays = [
        same(o, right) for o, right in zip(outcomes, expected, strict=True) if not isinstance(o, Failure)
    ]
    if huge or all(arrays):  # 算得出的都对，或者一个也没有：只有报错，看不出是哪种错误
        return None, ""
    fitting = _fitting(exercise, outcomes, inputs, range(len(outcomes)))
    finite = [i for i, o in enumerate(outcomes) if isinstance(o, np.ndarray) and np.isfinite(o).all()]
    unlike = not all(same(outcomes[i], expected[i]) for i in finite)
    if not fitting and 2 <= len(finite) < len(outcomes) and unlike:
        fitting = _fitting(exercise, outcomes, inputs, finite)
    if not fitting:
        found = wrong_divisor(exercise, outcomes, inputs, same) or extra_steps.constant(outcomes, expected)
        fitting = dict([found]) if found else {}
    if not fitting:
        return None, ""
    return next(iter(fitting)), _joined(list(fitting.values())[:2])


def _fitting(exercise, outcomes, inputs, which):
    """{名字: 一句话}：在 which 里的每组输入上，结果都相同的错误。它们的结果算过一次就留着。"""
    if exercise.id not in _KEPT:
        right = exercise.repair or exercise.reference
        slips = extra_steps.slips(right, exercise.arguments)
        _KEPT[exercise.id] = [(m, {}) for m in [*exercise.also, *slips, *whole.step_mistakes(exercise)]]
    found = {}
    for mistake, results in _KEPT[exercise.id]:
        for i in which:
            if i not in results:
                results[i] = _attempt(mistake.answer, inputs[i])
            if not same(outcomes[i], results[i]):
                break
        else:
            found.setdefault(mistake.name, mistake.message)
    return found


def _joined(messages):
    return "\n也可能：".join(messages)


def _matches(function, outcomes, inputs):
    return all(same(o, _attempt(function, i)) for o, i in zip(outcomes, inputs, strict=True))


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
        "args": shown_arguments(exercise, arguments),
        "row": row + 1,
        "row_sum": write(sums[row]),
    }

"""判定一个答案的时间：正确的答案和“还没作答”。"""

from collections.abc import Iterator

from utils.benchmark.table import Row
from utils.benchmark.timing import side_by_side
from utils.exercises import EXERCISES, check


def measure(repeats: int) -> Iterator[Row]:
    """最慢的一题：判定它的正确答案要几毫秒。"""
    check("softmax")  # 第一次要编译、导入
    slowest, name = max(
        (side_by_side(lambda e=exercise: check(e.id, answer(e)), repeats=max(5, repeats))[0], exercise.id)
        for exercise in EXERCISES.values()
    )
    yield Row("check，最慢的一题", 1e3 * slowest, unit="毫秒", limit=50, note=name)


def answer(exercise):
    """一题的正确答案。"""
    return exercise.repair or exercise.reference

"""每张纸的 fits：一条规则一个样子，改坏一份好的数，它要不收。随机的数很少碰到的规则，也在这里。"""

import numpy as np
import pytest

from utils.tests.pencil import as_data, five_steps, show
from utils.worksheet.sheets import SHEETS
from utils.worksheet.variation import vary

SHORT = ["0.30", "0.30", "0.30"]  # 加起来不到 1 的一行权重
SAME = ["1", "1", "1"]


def one_head(version, page):
    return [show(x) for x in five_steps(as_data(version.me))["weights"][0]]


def first_head(version, page):
    return page["scores"][0]["cells"][0]


def average(version, page):
    return page["mixed"]["cells"][0]


def near(version, page):
    return page["scores"]["cells"][0]


def arrows(near, far, pair):
    """转 45° 的两支箭头，和三个分数。"""
    return [("scores.cells", [[near], [near], [far]])] + [
        (f"arrows.{i}.cells", [arrow]) for i, arrow in enumerate(pair)
    ]


# 哪张纸，[(改哪里, 改成什么)]：每一行只犯一条
REFUSED = {
    "写开的点积是 0": [
        ("00_overview", [("work.total", "0.00")]),
        ("01_projection", [("work.total", "0")]),
        ("02_scores", [("work.total", "0")]),
        ("05_weighted_sum", [("main.work.total", "0.00")]),
        ("08_multi_head", [("work.total", "0")]),
        ("a2_sql_join", [("pair.totals", ["0"])]),
    ],
    "要除的是 0": [("03_scaling", [(f"both.{i}.division.0", "0")]) for i in (0, 1)],
    "来回一样": [("02_scores", [("there_and_back", ["0.5", "0.5"])])],
    "一行分数全相等": [
        ("06_self_attention", [("scores.cells.0", SAME)]),
        ("07_masks", [("padding.scores", np.ones((2, 3)))]),
        ("07_masks", [("cross.scores", np.ones((1, 3)))]),
        *(("08_multi_head", [(f"scores.{head}.cells.0", SAME)]) for head in (0, 1)),
        ("a2_sql_join", [("scores.cells.0", SAME)]),
    ],
    "权重加起来不到 1": [
        ("06_self_attention", [("weights.totals", ["0.90"])]),
        *(
            ("07_masks", [(f"{part}.weights", np.full((1, 3), 0.3))])
            for part in ("causal", "padding", "cross")
        ),
        *(("08_multi_head", [(f"weights.cells.{head}", SHORT)]) for head in (0, 1)),
        ("10_transformer", [("probabilities.totals", ["0.90", "1.00"])]),
        ("a2_sql_join", [("weights.totals", ["0.90"])]),
        ("a2_sql_join", [("deleted", ["0.45", "0.45"])]),
    ],
    "要查的幂太多": [
        (step, [("exponentials", [("0", "1.0000")] * 7)]) for step in ("07_masks", "08_multi_head")
    ],
    "输出在 V 的最小和最大之外": [
        ("05_weighted_sum", [("main.result.cells.0.0", value)]) for value in ("−0.02", "9.00")
    ],
    "换成 0 看不出": [("07_masks", [("first_score", "0")])],
    "两个头一样": [("08_multi_head", [("scores.1.cells.0", first_head)])],
    "两个头的平均就是一个头": [("08_multi_head", [(f"weights.cells.{head}", one_head) for head in (0, 1)])],
    "差一样，分数不一样": [("09_positions", [("scores.cells.1", ["99"])])],
    "差不一样，分数一样": [("09_positions", [("scores.cells.2", near)])],
    "舍入以后不一样": [("09_positions", [(f"scores.cells.{i}", ["99"]) for i in (0, 1)])],
    # 每个位置转 45°：(1, 1) 与 (1, 0) 差一个位置，正好垂直；两支都是 (1, 0)，点积是 cos 45°
    "分数是 0": [("09_positions", arrows("0", "1", [["1", "1"], ["1", "0"]]))],
    "两支箭头一样": [("09_positions", arrows("0.7071", "0", [["1", "0"], ["1", "0"]]))],
    "ReLU 一个也不挡": [("10_transformer", [("hidden.cells.0", ["1", "2", "0.5"])])],
    "ReLU 全都挡住": [("10_transformer", [("hidden.cells.0", ["−1", "−2", "−0.5"])])],
    "V 有一列全是 0": [("00_overview", [("V.cells", [["0", "1", "1", "1"]] * 3)])],
    "有轻有重就是平均": [("00_overview", [("mixed.cells.1", average)])],
    "查询全是 0": [("06_self_attention", [("q.cells.0", ["0"] * 4)])],
    "状态有一列全是 0": [("a1_rnn", [("states.cells", [["0", "1"]] * 3)])],
    "状态的两列一样": [("a1_rnn", [("states.cells", [SAME[:2]] * 3)])],
}


def put(value, path, new):
    """value 的一份，里面 path 那一处（键和下标，用点隔开）换成 new。"""
    if not path:
        return new
    key, _, rest = path.partition(".")
    if hasattr(value, "_replace"):
        return value._replace(**{key: put(getattr(value, key), rest, new)})
    copy, key = (dict(value), key) if isinstance(value, dict) else (list(value), int(key))
    copy[key] = put(copy[key], rest, new)
    return copy


@pytest.fixture(scope="module")
def good():
    return {step: vary(sheet, "版本 A") for step, sheet in SHEETS.items() if hasattr(sheet, "fits")}


def test_every_sheet_that_refuses_numbers_is_here(good):
    assert {step for samples in REFUSED.values() for step, _ in samples} == set(good)


@pytest.mark.parametrize(
    ("step", "changes"),
    [pytest.param(*sample, id=rule) for rule, samples in REFUSED.items() for sample in samples],
)
def test_a_page_that_breaks_one_rule_is_refused(good, step, changes):
    version, page = good[step]
    assert SHEETS[step].fits(version, page)
    if any(path.startswith("arrows") for path, _ in changes):
        version = version._replace(chosen=version.chosen | {"step": 45})
    bad = page
    for path, new in changes:
        bad = put(bad, path, new(version, page) if callable(new) else new)
    assert not SHEETS[step].fits(version, bad)

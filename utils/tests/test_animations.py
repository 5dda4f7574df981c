"""动画：每一帧的行、列、乘积、和都是真的；HTML 自己站得住，不漏样式，不撞 id。"""

import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from utils.animations import animate_scores, animate_turning, animate_weighted_sum
from utils.tests.design import DESIGN
from utils.tests.html_page import addresses, read_html

Q, K, SCORES = (DESIGN["我爱你"][name] for name in ("Q", "K", "scores"))
CAT_Q, CAT_K = (DESIGN["猫吃鱼"][name] for name in ("Q", "K"))
WEIGHTS = [[0.5, 0.25, 0.25], [1, 0, 0], [0.2, 0.3, 0.5]]
V = [[1, 0], [0, 0], [0, 2]]
OUTPUT = [[0.5, 0.5], [1, 0], [0.2, 1]]
NUMBERS = np.random.default_rng(0)  # 许多位小数，可正可负：写出来都要舍入


def scores_animation(q=Q, k=K, tokens="我爱你"):
    return animate_scores(q, k, np.array(q) @ np.transpose(k), tokens)


def sum_animation(w=WEIGHTS, v=V, tokens="猫吃鱼"):
    return animate_weighted_sum(w, v, np.array(w) @ np.array(v), tokens)


def largest(scale):
    """大小到顶的两部动画。"""
    left, right, shares = (
        NUMBERS.normal(size=(6, 8)),
        NUMBERS.normal(size=(6, 8)),
        NUMBERS.dirichlet([1] * 6, 6),
    )
    return scores_animation(scale * left, right, ["<" * 8] * 6), sum_animation(
        shares, scale * right, ["<" * 8] * 6
    )


LARGE_SCORES, LARGE_SUMS = largest(1)
SHOWN_SCORES = {
    "我爱你": scores_animation(),
    "猫吃鱼": scores_animation(CAT_Q, CAT_K, "猫吃鱼"),
    "一个数": scores_animation([[0.5]], [[-2]], "我"),
    "六个词元": LARGE_SCORES,
}
SHOWN_SUMS = {
    "猫吃鱼": sum_animation(),
    "一个键": sum_animation([[1]], [[-0.5, 3]], "我"),
    "六个词元": LARGE_SUMS,
}
SHOWN = [*SHOWN_SCORES.values(), *SHOWN_SUMS.values()]
each_score = pytest.mark.parametrize("animation", SHOWN_SCORES.values(), ids=SHOWN_SCORES)
each_sum = pytest.mark.parametrize("animation", SHOWN_SUMS.values(), ids=SHOWN_SUMS)
every = pytest.mark.parametrize(
    "animation", SHOWN, ids=[*SHOWN_SCORES, *(f"{name}的和" for name in SHOWN_SUMS)]
)


# ---------------------------------------------------------------- 读 HTML（与写它的代码无关）


def frames(animation):
    """每一帧的（文字, 三个表）。"""
    found = read_html(animation._repr_html_()).find("div", has="animation-frame")
    return [(squeeze(f.find(has="animation-story")[0].text), f.find("table")) for f in found]


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def cells(table):
    return [row.find("td") for row in table.find("tbody")[0].find("tr")]


def texts(table):
    return [[cell.text for cell in row] for row in cells(table)]


def where(table, tag):
    """表里有 tag 的格。"""
    return {(i, j) for i, row in enumerate(cells(table)) for j, cell in enumerate(row) if cell.find(tag)}


def heads(table, side):
    return [head.text for head in table.find("th", scope=side)]


def exact(text):
    return Fraction(text.strip("()").replace("−", "-"))


def agree(sign, written, computed):
    """= 就正好相等，≈ 就只差舍入。"""
    error = abs(exact(written) - computed)
    return error == 0 if sign == "=" else error < Fraction(1, 1000)


# ---------------------------------------------------------------- scores = Q Kᵀ


@each_score
def test_one_frame_a_score_lights_its_row_and_column_and_fills_its_cell(animation):
    (_, (left, top, right)), *steps = frames(animation)
    q, k = texts(left), texts(top)
    assert not any(where(table, tag) for table in (left, top, right) for tag in ("mark", "strong", "em"))
    assert len(steps) == len(q) * len(k[0])
    order = list(product(range(len(q)), range(len(k[0]))))
    for step, ((i, j), (story, (left, top, right))) in enumerate(zip(order, steps, strict=True), start=1):
        assert where(left, "mark") == {(i, m) for m in range(len(k))}
        assert where(top, "mark") == {(m, j) for m in range(len(k))}
        assert where(right, "strong") == {(i, j)}
        assert [text != "" for row in texts(right) for text in row] == [s < step for s in range(len(order))]
        assert f"Q 的第 {i + 1} 行，Kᵀ 的第 {j + 1} 列 → scores 的第 {i + 1} 行第 {j + 1} 列" in story


@each_score
def test_every_dot_product_is_true_and_made_of_the_numbers_in_the_tables(animation):
    for story, (left, top, right) in frames(animation)[1:]:
        ((i, j),) = where(right, "strong")
        factors = list(zip(texts(left)[i], [row[j] for row in texts(top)], strict=True))
        first, *sides = re.split(r" ([=≈]) ", story.split("：", 1)[1].split(" Q 的第")[0])
        assert [tuple(x.strip("()") for x in term.split("×")) for term in first.split(" + ")] == factors
        products = [exact(a) * exact(b) for a, b in factors]
        if len(factors) > 1:
            sign, written, *sides = sides
            assert all(map(agree, [sign] * len(products), written.split(" + "), products))
        assert sides[1] == texts(right)[i][j] and agree(*sides, sum(products))


def test_a_dot_product_reads_as_by_hand():
    story = frames(scores_animation())[2][0]
    assert "第 2 / 9 步 查询「我」· 键「爱」：1×0 + 0×1 + 1×1 + 1×0 = 0 + 0 + 1 + 0 = 1" in story
    assert "0.5×(−2) = −1" in frames(SHOWN_SCORES["一个数"])[1][0]
    rounded = frames(scores_animation([[1 / 3, 1]], [[1, 1]], "我"))[1][0]
    assert "0.3333×1 + 1×1 ≈ 0.3333 + 1 ≈ 1.3333" in rounded


# ---------------------------------------------------------------- output = weights V


@each_sum
def test_each_frame_adds_one_row_of_values_and_says_what_is_missing(animation):
    (_, (left, top, right)), *steps = frames(animation)
    w, v, keys = texts(left), texts(top), heads(top, "row")
    assert not any(text for row in texts(right) for text in row)
    for (i, k), (story, (left, top, right)) in zip(product(range(len(w)), range(len(v))), steps, strict=True):
        row, rest = {(i, c) for c in range(len(v[0]))}, keys[k + 1 :]
        assert where(left, "mark") == {(i, k)}
        assert where(top, "mark") == {(k, c) for c in range(len(v[0]))}
        assert (where(right, "em"), where(right, "strong")) == ((row, set()) if rest else (set(), row))
        assert [any(line) for line in texts(right)] == [r <= i for r in range(len(w))]
        assert [head.endswith("没加完") for head in heads(right, "row")] == [
            bool(rest) and r == i for r in range(len(w))
        ]
        state = "没有加完，还差" + "".join(f"「{key}」" for key in rest) if rest else "加完了"
        assert f"（{state}）" in story

        assert re.findall(r"([\d.]+) × \[([^]]*)\]", story) == [
            (w[i][m], ", ".join(v[m])) for m in range(k + 1)
        ]
        sign, total = re.search(r"([=≈]) \[([^]]*)\]", story).groups()
        assert total.split(", ") == texts(right)[i]
        for c, written in enumerate(texts(right)[i]):
            assert agree(sign, written, sum(exact(w[i][m]) * exact(v[m][c]) for m in range(k + 1)))


def test_a_weighted_sum_reads_as_by_hand():
    half = "输出「猫」加到键「吃」 = 0.5 × [1, 0] + 0.25 × [0, 0] = [0.5, 0]（没有加完，还差「鱼」）"
    whole = "输出「猫」 = 0.5 × [1, 0] + 0.25 × [0, 0] + 0.25 × [0, 2] = [0.5, 0.5]（加完了）"
    shown = frames(sum_animation())
    assert half in shown[2][0] and whole in shown[3][0]


# ---------------------------------------------------------------- 描述


@every
def test_the_description_says_every_step_in_the_words_of_its_frame(animation):
    title, _, _, *lines, _ = repr(animation).split("\n")
    steps = frames(animation)[1:]
    assert title.endswith(f"，共 {len(steps)} 步") and len(lines) == len(steps)
    for step, (line, (story, _)) in enumerate(zip(lines, steps, strict=True), start=1):
        said, shown = (
            line.removeprefix(f"第 {step} 步："),
            story.removeprefix(f"第 {step} / {len(steps)} 步 "),
        )
        assert re.sub(r"[\s；]", "", said) == re.sub(r"\s", "", shown)


def test_the_description_reads_out_the_three_matrices():
    lines = repr(scores_animation()).split("\n")
    assert lines[1] == "Q (3, 4)：我 1 0 1 1；爱 0 1 0 1；你 1 1 0 0"
    assert lines[2].endswith("我 1 0 0 1；爱 0 1 1 0；你 1 1 0 0")
    assert lines[-1] == "scores (3, 3)：我 2 1 1；爱 1 1 1；你 1 1 2"


# ---------------------------------------------------------------- HTML


@every
def test_stepping_needs_no_script_and_no_network(animation):
    page = read_html(animation._repr_html_())
    assert not page.find("script", "link", "img", "a", "iframe", "section") and not addresses(page)
    assert not [name for element in page.find() for name in element.attributes if name.startswith("on")]


@every
def test_each_frame_follows_its_radio_and_each_label_leads_one_frame_on_or_back(animation):
    page = read_html(animation._repr_html_())
    shown = page.find(has="animation-frames")[0]
    order = [child for child in shown.children if not isinstance(child, str)]
    last = len(order) // 2 - 1
    for step, (radio, frame) in enumerate(zip(order[::2], order[1::2], strict=True)):
        expected = {
            "id": f"{animation.name}-{step}",
            "name": animation.name,
            "type": "radio",
            "hidden": "hidden",
        }
        assert expected.items() <= radio.attributes.items() and ("checked" in radio.attributes) == (step == 0)
        assert "步" in radio.attributes["aria-label"] == frame.attributes["aria-label"]
        assert ("fragment" in frame.classes) == (step > 0)  # 幻灯片上按一次键出现一帧
        leads = [(label.classes[0], label.attributes["for"]) for label in frame.find("label")]
        back = [("animation-back", f"{animation.name}-{step - 1}")] if step else []
        on = ("animation-next", step + 1) if step < last else ("animation-again", 0)
        assert leads == [*back, (on[0], f"{animation.name}-{on[1]}")]
        # JupyterLab 的过滤器丢掉 <style>，留下 hidden="hidden"（空值也会丢）：后面的帧、没用的按钮不出现
        assert frame.attributes.get("hidden") == ("hidden" if step else None)
        assert frame.find(has="animation-controls")[0].attributes["hidden"] == "hidden"


@every
def test_without_styles_the_steps_are_folded_words(animation):
    """没有运行过的地方：各步的文字折着，全在；有样式的地方不出现。"""
    [folded] = read_html(animation._repr_html_()).find("details")
    assert "open" not in folded.attributes and folded.find("p")[0].text.split() == repr(animation).split()
    assert ".animation-text { display: none; }" in animation._repr_html_()


@every
def test_every_table_has_a_caption_and_scoped_heads(animation):
    for table in read_html(animation._repr_html_()).find("table"):
        assert re.search(r"\(\d+, \d+\) · ", table.find("caption")[0].text)
        assert all(head.attributes["scope"] in ("row", "col") and head.text for head in table.find("th"))


@every
def test_names_and_styles_do_not_leak(animation):
    page = read_html(animation._repr_html_())
    assert {"mathjax_ignore", "tex2jax_ignore"} <= set(page.find("figure")[0].classes)  # 词元里的 $ 不是公式
    for element in page.find():
        for name in element.classes:
            assert name.startswith("animation") or name in ("fragment", "mathjax_ignore", "tex2jax_ignore")
        assert element.attributes.get("id", animation.name).startswith(animation.name)
    css = re.sub(r"/\*.*?\*/", "", "".join(page.find("style")[0].strings()), flags=re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", css)
    assert selectors and all(".animation[data-animation]" in selector for selector in selectors)
    assert not any("," in re.sub(r":is\([^)]*\)", "", selector) for selector in selectors)


def test_ids_are_unique_fixed_and_shared_by_no_two_animations():
    ids = [
        element.attributes["id"]
        for a in SHOWN
        for element in read_html(a._repr_html_()).find()
        if "id" in element.attributes
    ]
    assert len(set(ids)) == len(ids)
    assert scores_animation()._repr_html_() == SHOWN_SCORES["我爱你"]._repr_html_()


def test_a_long_or_broken_label_is_shortened():
    _, (left, _, _) = frames(scores_animation(tokens=["很长很长很长很长的词元", "换\n行", "你"]))[0]
    assert heads(left, "row") == ["很长很长很长很…", "换 行", "你"]


def test_the_animations_of_the_course_are_small_and_the_largest_is_below_300_kb():
    assert len(SHOWN_SCORES["猫吃鱼"]._repr_html_().encode()) < 40_000
    assert all(len(animation._repr_html_().encode()) < 300_000 for animation in largest(-1e4))


# ---------------------------------------------------------------- 拒绝

BIG = np.ones((7, 4))
FLOAT32 = [NUMBERS.normal(size=(3, 4)).astype(np.float32) for _ in "qk"]
SCALED = np.array(CAT_Q) @ np.transpose(CAT_K) / 2
REFUSED = {
    "一个分数错了": (
        lambda: animate_scores(Q, K, [[2, 1, 1], [1, 1, 1.001], [1, 1, 2]], "我爱你"),
        "第 2 行第 3 列应是 1",
    ),
    "已经缩放": (lambda: animate_scores(CAT_Q, CAT_K, SCALED, "猫吃鱼"), "不能有错的和"),
    "已经转置": (lambda: animate_scores(CAT_Q, CAT_K, SCALED.T * 2, "猫吃鱼"), "第 1 行第 3 列应是 0.14"),
    "舍入过": (lambda: animate_scores(CAT_Q, CAT_K, (SCALED * 2).round(1), "猫吃鱼"), "应是 0.92"),
    "一个输出错了": (
        lambda: animate_weighted_sum(WEIGHTS, V, [[0.5, 0.5], [1, 0], [0.2, 1.5]], "猫吃鱼"),
        r"output 的第 3 行第 2 列应是 1(?s:.)*1\.5",
    ),
    "K 已经转置": (lambda: animate_scores(CAT_Q, np.transpose(CAT_K), SCORES, "我爱你"), r"\(4, 3\)"),
    "七个词元": (
        lambda: scores_animation(BIG, BIG, "一二三四五六七"),
        r"最多(?s:.)*\(7, 4\)(?s:.)*plot_weights",
    ),
    "九列": (lambda: scores_animation(np.ones((2, 9)), np.ones((2, 9)), "我你"), "最多 8 个数"),
    "词元太少": (lambda: animate_scores(Q, K, SCORES, "我爱"), "共 3 个"),
    "权重大于 1": (lambda: animate_weighted_sum(SCORES, V, OUTPUT, "猫吃鱼"), "0 到 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_rule_and_shapes(name):
    make, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        make()


def test_float32_results_are_accepted():
    q, k = FLOAT32
    assert animate_scores(q, k, q @ k.T, "我爱你")


# ---------------------------------------------------------------- 旋转

TURNS = [(1, 0), (5, 3), (4, 4), (0, 7)]


def test_turning_draws_both_arrows_where_their_angles_say_and_scores_their_difference():
    q, k = (1.5, 0.5), (-0.3, 1)
    animation = animate_turning(q, k, 30, TURNS)
    drawn = [svg.attributes["aria-label"] for svg in read_html(animation._repr_html_()).find("svg")]
    assert drawn[0] == "箭头 q (1.500, 0.500)，k (-0.300, 1.000)"
    for (i, j), label, step in zip(TURNS, drawn[1:], frames(animation)[1:], strict=True):
        ends = [complex(*q) * 1j ** (i / 3), complex(*k) * 1j ** (j / 3)]  # 1j 的三分之一次方转 30°
        numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", label)]
        assert numbers == pytest.approx([x for end in ends for x in (end.real, end.imag)], abs=0.0006)
        assert f"查询在位置 {i}，转 {30 * i}°；键在位置 {j}，转 {30 * j}°" in step[0]
        total = (complex(*q) * complex(*k).conjugate() * 1j ** ((i - j) / 3)).real
        assert exact(step[0].split("位置的差")[0].split()[-1]) == pytest.approx(total, abs=0.00051)


@pytest.mark.parametrize(("q", "pairs"), [([1, 0, 0], [(1, 0)]), ([1, 0], [(1, 0)] * 37), ([1], [(1, 0)])])
def test_turning_refuses_what_is_not_an_arrow_or_too_long(q, pairs):
    with pytest.raises(ValueError, match=r"(?s)收到.*怎么办"):
        animate_turning(q, [1, 0], 30, pairs)

"""动画：每一帧的行、列、乘积、和都是真的；HTML 自己站得住，不漏样式，不撞 id。"""

import re
from fractions import Fraction
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest

from utils.animations import animate_scores, animate_weighted_sum
from utils.tests.design import DESIGN

Q, K, SCORES = (DESIGN["我爱你"][name] for name in ("Q", "K", "scores"))
CAT_Q, CAT_K = (DESIGN["猫吃鱼"][name] for name in ("Q", "K"))
WEIGHTS = np.array([[0.5, 0.25, 0.25], [1, 0, 0], [0.2, 0.3, 0.5]])
V = np.array([[1, 0], [0, 0], [0, 2]])
OUTPUT = np.array([[0.5, 0.5], [1, 0], [0.2, 1]])


def rough(seed, *shape):
    """有许多位小数、可正可负的数：写出来都要舍入。"""
    return np.random.default_rng(seed).normal(size=shape)


def rough_weights(seed, *shape):
    return np.random.default_rng(seed).dirichlet(np.ones(shape[1]), size=shape[0])


def scores_animation(q=Q, k=K, tokens="我爱你"):
    return animate_scores(q, k, np.array(q) @ np.transpose(k), tokens)


def sum_animation(w=WEIGHTS, v=V, tokens="猫吃鱼"):
    return animate_weighted_sum(w, v, np.array(w) @ np.array(v), tokens)


SCORES_SHOWN = {
    "我爱你": lambda: scores_animation(),
    "猫吃鱼": lambda: scores_animation(CAT_Q, CAT_K, "猫吃鱼"),
    "六个词元": lambda: scores_animation(rough(0, 6, 3), rough(1, 6, 3), "一二三四五六"),
    "一个数": lambda: scores_animation([[0.5]], [[-2]], "我"),
}
SUMS_SHOWN = {
    "猫吃鱼": lambda: sum_animation(),
    "六个词元": lambda: sum_animation(rough_weights(2, 6, 6), rough(3, 6, 4), "一二三四五六"),
    "一个键": lambda: sum_animation([[1]], [[-0.5, 3]], "我"),
}
SHOWN = {f"scores {k}": v for k, v in SCORES_SHOWN.items()} | {f"sum {k}": v for k, v in SUMS_SHOWN.items()}


@pytest.fixture(params=SCORES_SHOWN)
def score_animation(request):
    return SCORES_SHOWN[request.param]()


@pytest.fixture(params=SUMS_SHOWN)
def weighted_animation(request):
    return SUMS_SHOWN[request.param]()


@pytest.fixture(params=SHOWN)
def animation(request):
    return SHOWN[request.param]()


# ---------------------------------------------------------------- 读 HTML（与写它的代码无关）


class Page(HTMLParser):
    """读出每一帧的文字和三个表；顺便核对标签都成对。"""

    VOID = frozenset({"input"})

    def __init__(self, text):
        super().__init__()
        self.frames, self.starts, self.open, self.css = [], [], [], ""
        self.feed(text)
        self.close()
        assert not self.open, f"没有关上的标签：{self.open}"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        classes = (attributes.get("class") or "").split()
        self.starts.append((tag, attributes))
        if "animation-frame" in classes:
            self.frames.append({"text": "", "tables": [], "fragment": "fragment" in classes})
        if tag == "table":
            self.frames[-1]["tables"].append({"caption": "", "rows": [], "classes": classes})
        if tag == "tr":
            self.frames[-1]["tables"][-1]["rows"].append([])
        if tag in ("td", "th"):
            cell = {"text": "", "tags": set(), "scope": attributes.get("scope"), "head": tag == "th"}
            self.frames[-1]["tables"][-1]["rows"][-1].append(cell)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> 没有对上"

    def handle_data(self, data):
        if "style" in self.open:
            self.css += data
        elif "td" in self.open or "th" in self.open:
            cell = self.frames[-1]["tables"][-1]["rows"][-1][-1]
            cell["text"] += data
            cell["tags"] |= set(self.open)
        elif "caption" in self.open:
            self.frames[-1]["tables"][-1]["caption"] += data
        elif self.frames and "div" in self.open:
            self.frames[-1]["text"] += data


def page(animation):
    return Page(animation._repr_html_())


def cells(table):
    heads = any(cell["scope"] == "col" for cell in table["rows"][0])
    rows = table["rows"][1:] if heads else table["rows"]
    return [[cell for cell in row if not cell["head"]] for row in rows]


def where(table, *tags):
    return {(i, j) for i, row in enumerate(cells(table)) for j, c in enumerate(row) if c["tags"] & set(tags)}


def exact(text):
    return Fraction(text.strip("()").replace("−", "-"))


def texts(table):
    return [[cell["text"] for cell in row] for row in cells(table)]


def squeeze(text):
    return re.sub(r"\s+", " ", text)


# ---------------------------------------------------------------- scores = Q Kᵀ


def test_there_is_an_empty_opening_frame_and_then_one_frame_a_score(score_animation):
    frames = page(score_animation).frames
    n_q, n_k = len(texts(frames[0]["tables"][0])), len(texts(frames[0]["tables"][1])[0])
    assert len(frames) == n_q * n_k + 1
    for step, frame in enumerate(frames):
        filled = [text != "" for row in texts(frame["tables"][2]) for text in row]
        assert filled == [True] * step + [False] * (n_q * n_k - step)  # 从左到右、从上到下


def test_each_frame_lights_the_row_the_column_and_the_cell(score_animation):
    opening, *frames = page(score_animation).frames
    assert not any(where(table, "mark", "strong", "em") for table in opening["tables"])
    q, k, _ = (texts(table) for table in opening["tables"])
    for (i, j), frame in zip(product(range(len(q)), range(len(k[0]))), frames, strict=True):
        left, top, right = frame["tables"]
        assert where(left, "mark") == {(i, m) for m in range(len(q[0]))}
        assert where(top, "mark") == {(m, j) for m in range(len(k))}
        assert where(right, "strong") == {(i, j)}
        assert f"Q 的第 {i + 1} 行，Kᵀ 的第 {j + 1} 列 → scores 的第 {i + 1} 行第 {j + 1} 列" in frame["text"]


def test_every_sum_is_true_and_made_of_the_numbers_in_the_tables(score_animation):
    for frame in page(score_animation).frames[1:]:
        left, top, right = frame["tables"]
        ((i, j),) = where(right, "strong")
        factors = list(zip(texts(left)[i], [row[j] for row in texts(top)], strict=True))
        sides = re.split(r" ([=≈]) ", squeeze(frame["text"]).split("：", 1)[1].split(" Q 的第")[0].strip())
        written = [pair.split("×") for pair in sides[0].split(" + ")]
        assert [(a.strip("()"), b.strip("()")) for a, b in written] == factors
        assert sides[-1].strip() == texts(right)[i][j]
        if len(sides) == 5:
            products = sides[2].split(" + ")
            for (a, b), written_product in zip(factors, products, strict=True):
                error = abs(exact(a) * exact(b) - exact(written_product))
                assert error == 0 if sides[1] == "=" else error < Fraction(1, 1000)
        error = abs(sum(exact(a) * exact(b) for a, b in factors) - exact(sides[-1]))
        assert error == 0 if sides[-2] == "=" else error < Fraction(1, 1000)


def test_the_caption_reads_as_by_hand():
    text = squeeze(page(scores_animation()).frames[2]["text"])
    assert "第 2 / 9 步 查询「我」· 键「爱」：1×0 + 0×1 + 1×1 + 1×0 = 0 + 0 + 1 + 0 = 1" in text


def test_a_negative_factor_is_in_brackets():
    assert "0.5×(−2) = −1" in squeeze(page(scores_animation([[0.5]], [[-2]], "我")).frames[1]["text"])


def test_rounded_numbers_are_about_equal():
    animation = scores_animation([[1 / 3, 1]], [[1, 1]], "我")
    assert "0.3333×1 + 1×1 ≈ 0.3333 + 1 ≈ 1.3333" in squeeze(page(animation).frames[1]["text"])


# ---------------------------------------------------------------- output = weights V


def test_each_frame_adds_one_row_of_values(weighted_animation):
    opening, *frames = page(weighted_animation).frames
    w, v, output = (texts(table) for table in opening["tables"])
    assert not any(text for row in output for text in row)
    steps = list(product(range(len(w)), range(len(v))))
    for (i, k), frame in zip(steps, frames, strict=True):
        left, top, right = frame["tables"]
        row = {(i, c) for c in range(len(v[0]))}
        assert where(left, "mark") == {(i, k)}
        assert where(top, "mark") == {(k, c) for c in range(len(v[0]))}
        last = k == len(v) - 1
        assert (where(right, "strong"), where(right, "em")) == ((row, set()) if last else (set(), row))
        assert [any(cell) for cell in texts(right)] == [r <= i for r in range(len(w))]
        text = squeeze(frame["text"])
        terms = re.findall(r"([\d.]+) × \[([^]]*)\]", text)
        assert terms == [(w[i][m], ", ".join(v[m])) for m in range(k + 1)]
        shown = re.search(r"([=≈]) \[([^]]*)\]", text)
        assert shown[2].split(", ") == texts(right)[i]
        for c, number in enumerate(texts(right)[i]):
            error = abs(sum(exact(w[i][m]) * exact(v[m][c]) for m in range(k + 1)) - exact(number))
            assert error == 0 if shown[1] == "=" else error < Fraction(1, 1000)


def test_an_unfinished_row_is_said_in_words(weighted_animation):
    opening, *frames = page(weighted_animation).frames
    keys = [row[0]["text"] for row in opening["tables"][1]["rows"] if row[0]["scope"] == "row"]
    for step, frame in enumerate(frames):
        rest = keys[step % len(keys) + 1 :]
        right = frame["tables"][2]
        heads = [row[0]["text"] for row in right["rows"] if row[0]["scope"] == "row"]
        assert [head.endswith("没加完") for head in heads] == [
            bool(rest) and r == step // len(keys) for r in range(len(heads))
        ]
        state = "没有加完，还差" + "".join(f"「{key}」" for key in rest) if rest else "加完了"
        assert f"（{state}）" in frame["text"]


def test_the_running_sum_reads_as_by_hand():
    frames = page(sum_animation()).frames
    assert (
        "输出「猫」加到键「吃」 = 0.5 × [1, 0] + 0.25 × [0, 0] = [0.5, 0]（没有加完，还差「鱼」）"
        in squeeze(frames[2]["text"])
    )
    assert "输出「猫」 = 0.5 × [1, 0] + 0.25 × [0, 0] + 0.25 × [0, 2] = [0.5, 0.5]（加完了）" in squeeze(
        frames[3]["text"]
    )


def test_the_description_says_every_step_in_the_words_of_its_frame(animation):
    title, *lines = repr(animation).split("\n")
    frames = page(animation).frames
    assert re.match(r"动画「.+」，共 \d+ 步", title) and len(lines) == len(frames) - 1 + 3
    for step, (line, frame) in enumerate(zip(lines[2:-1], frames[1:], strict=True), start=1):
        said = re.sub(r"^第 \d+ 步：", "", line)
        shown = re.sub(r"^第 \d+ / \d+ 步", "", squeeze(frame["text"]).strip())
        assert line.startswith(f"第 {step} 步：")
        assert re.sub(r"[\s；]", "", said) == re.sub(r"\s", "", shown)


def test_the_description_reads_out_the_three_matrices():
    lines = repr(scores_animation()).split("\n")
    assert lines[1] == "Q (3, 4)：我 1 0 1 1；爱 0 1 0 1；你 1 1 0 0"
    assert lines[2].endswith("我 1 0 0 1；爱 0 1 1 0；你 1 1 0 0")
    assert lines[-1] == "scores (3, 3)：我 2 1 1；爱 1 1 1；你 1 1 2"


def test_one_changed_number_changes_text_and_html():
    changed = np.array(Q)
    changed[0, 0] = 2
    a, b = scores_animation(), scores_animation(changed)
    assert repr(a) != repr(b) and a._repr_html_() != b._repr_html_()


# ---------------------------------------------------------------- HTML


def test_stepping_needs_no_script_and_no_network(animation):
    parsed, text = page(animation), animation._repr_html_()
    tags = {tag for tag, _ in parsed.starts}
    assert not tags & {"script", "link", "img", "a", "iframe", "section"}
    assert not any(name.startswith("on") for _, attributes in parsed.starts for name in attributes)
    assert not re.search(r"https?:|url\(|@import|@font-face", text)


def test_each_frame_follows_its_radio_and_each_label_leads_one_frame_on_or_back(animation):
    starts = page(animation).starts
    radios = [a for tag, a in starts if tag == "input"]
    last = len(radios) - 1
    assert last == len(page(animation).frames) - 1
    assert [a["id"] for a in radios] == [f"{animation.name}-{step}" for step in range(last + 1)]
    assert {a["type"] for a in radios} == {"radio"} and {a["name"] for a in radios} == {animation.name}
    assert ["checked" in a for a in radios] == [True] + [False] * last
    assert all(re.search(r"步", a["aria-label"]) for a in radios)
    order = [
        a.get("class", "").split()[0]
        for tag, a in starts
        if tag == "input" or "animation-frame" in str(a.get("class"))
    ]
    order = [name for name in order if name in ("animation-radio", "animation-frame")]
    assert order == ["animation-radio", "animation-frame"] * (last + 1)
    leads = [(a["class"], int(a["for"].rsplit("-", 1)[1])) for tag, a in starts if tag == "label"]
    expected = []
    for step in range(last + 1):
        expected += [("animation-back", step - 1)] if step else []
        expected += [("animation-next", step + 1)] if step < last else [("animation-again", 0)]
    assert leads == expected
    assert {a["for"].rsplit("-", 1)[0] for tag, a in starts if tag == "label"} == {animation.name}


def test_every_frame_after_the_opening_is_a_fragment(animation):
    fragments = [frame["fragment"] for frame in page(animation).frames]
    assert fragments == [False] + [True] * (len(fragments) - 1)


def test_controls_are_hidden_where_css_is_dropped(animation):
    """JupyterLab 的过滤器丢掉 <style>、name、aria-*、data-*，留下 hidden="hidden"（空值也会丢）。"""
    for tag, attributes in page(animation).starts:
        if tag == "input" or attributes.get("class") == "animation-controls":
            assert attributes["hidden"] == "hidden"


def test_every_table_has_a_caption_and_scoped_heads(animation):
    for frame in page(animation).frames:
        for table in frame["tables"]:
            assert re.search(r"\(\d+, \d+\) · ", table["caption"])
            heads = [cell for row in table["rows"] for cell in row if cell["head"]]
            assert heads and all(cell["scope"] in ("row", "col") and cell["text"] for cell in heads)


def test_names_and_styles_do_not_leak(animation):
    parsed = page(animation)
    for _, attributes in parsed.starts:
        for name in (attributes.get("class") or "").split():
            assert name.startswith("animation") or name in ("fragment", "mathjax_ignore", "tex2jax_ignore")
        assert attributes.get("id", animation.name).startswith(animation.name)
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", parsed.css, flags=re.DOTALL))
    assert selectors and all(".animation[data-animation]" in selector for selector in selectors)
    assert not any("," in re.sub(r":is\([^)]*\)", "", selector) for selector in selectors)


def test_ids_are_unique_fixed_and_not_shared_by_two_animation(animation):
    def ids(animation):
        return [a["id"] for _, a in page(animation).starts if "id" in a]

    assert len(set(ids(animation))) == len(ids(animation))
    others = [make() for make in SHOWN.values()]
    same = [other for other in others if other._repr_html_() == animation._repr_html_()]
    assert len(same) == 1  # 同样的内容，同样的 HTML
    different = [other for other in others if other not in same]
    assert not any(set(ids(animation)) & set(ids(other)) for other in different)


@pytest.mark.parametrize("token", ["<script>", "&amp;", "$x$", '"><b>', "]]>", "-->", "</td>"])
def test_tokens_come_out_as_text(token):
    for animation in (
        scores_animation(tokens=[token, "爱", "你"]),
        sum_animation(tokens=[token, "吃", "鱼"]),
    ):
        parsed = page(animation)
        assert "script" not in {tag for tag, _ in parsed.starts}
        heads = [row[0] for row in parsed.frames[0]["tables"][2]["rows"]]
        assert next(head["text"] for head in heads if head["scope"] == "row") == token
        assert f"「{token}」" in parsed.frames[1]["text"] and f"「{token}」" in repr(animation)
        assert {"mathjax_ignore", "tex2jax_ignore"} <= set(parsed.starts[0][1]["class"].split())


def test_a_long_or_broken_label_is_shortened():
    animation = scores_animation(tokens=["很长很长很长很长的词元", "换\n行", "你"])
    heads = [row[0]["text"] for row in page(animation).frames[0]["tables"][0]["rows"]]
    assert heads == ["很长很长很长很…", "换 行", "你"]


def test_the_animations_of_the_course_are_small_and_the_largest_is_below_300_kb():
    assert len(scores_animation(CAT_Q, CAT_K, "猫吃鱼")._repr_html_().encode()) < 40_000
    tokens = ["<<<<<<<<"] * 6
    largest = scores_animation(-1e4 * rough(0, 6, 8), rough(1, 6, 8), tokens)
    assert len(largest._repr_html_().encode()) < 300_000
    largest = sum_animation(rough_weights(0, 6, 6), -1e4 * rough(1, 6, 8), tokens)
    assert len(largest._repr_html_().encode()) < 300_000


def test_a_animation_is_frozen():
    animation = scores_animation()
    with pytest.raises(AttributeError):
        animation.title = "别的"


# ---------------------------------------------------------------- 拒绝


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize("j", range(3))
def test_a_wrong_score_is_refused_with_its_place(i, j):
    scores = np.array(SCORES, dtype=float)
    scores[i, j] += 0.001
    message = rf"第 {i + 1} 行第 {j + 1} 列应是 {SCORES[i][j]}。\n收到：.*{SCORES[i][j]}\.001"
    with pytest.raises(ValueError, match=message):
        animate_scores(Q, K, scores, "我爱你")


def test_scaled_transposed_or_rounded_results_are_refused():
    q, k = np.array(CAT_Q), np.array(CAT_K)
    for wrong in (q @ k.T / 2, k @ q.T, np.round(q @ k.T, 1)):
        with pytest.raises(ValueError, match="动画里不能有错的和"):
            animate_scores(q, k, wrong, "猫吃鱼")
    with pytest.raises(ValueError, match=r"第 3 行第 2 列应是 1。\n收到：output \(3, 2\)，这个数是 1\.5"):
        animate_weighted_sum(WEIGHTS, V, [[0.5, 0.5], [1, 0], [0.2, 1.5]], "猫吃鱼")


def test_float32_results_are_accepted():
    q, k = rough(0, 3, 4).astype(np.float32), rough(1, 3, 4).astype(np.float32)
    assert animate_scores(q, k, q @ k.T, "我爱你")


def test_the_arguments_are_not_changed():
    arrays = [np.array(M, dtype=float) for M in (WEIGHTS, V, OUTPUT)]
    copies = [M.copy() for M in arrays]
    animate_weighted_sum(*arrays, "猫吃鱼")
    assert all(np.array_equal(a, b) for a, b in zip(arrays, copies, strict=True))


BIG = np.ones((7, 4))
REFUSED = {
    "K 已经转置": (
        lambda: animate_scores(CAT_Q, np.transpose(CAT_K), SCORES, "我爱你"),
        r"\(3, 4\).*\(4, 3\)",
    ),
    "scores 少一行": (lambda: animate_scores(Q, K, SCORES[:2], "我爱你"), r"scores \(2, 3\)"),
    "七个词元": (lambda: animate_scores(BIG, BIG, BIG @ BIG.T, "一二三四五六七"), r"最多.*plot_weights"),
    "九列": (lambda: scores_animation(np.ones((2, 9)), np.ones((2, 9)), "我你"), r"最多 8 个数"),
    "词元太少": (lambda: animate_scores(Q, K, SCORES, "我爱"), "3 个.*2 个"),
    "权重大于 1": (lambda: animate_weighted_sum(SCORES, V, OUTPUT, "猫吃鱼"), "0 到 1"),
    "V 转置": (lambda: animate_weighted_sum(WEIGHTS, V.T, OUTPUT, "猫吃鱼"), r"\(3, 3\).*\(2, 3\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_rule_and_shapes(name):
    make, message = REFUSED[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        make()

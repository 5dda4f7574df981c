"""滑块：动一下，图就变成用那些数直接算出、画出的图；存下的只有文字和图。"""

import base64
import html
import re
from itertools import pairwise

import numpy as np
import pytest
import torch
from ipywidgets import HTML, HBox, ToggleButton, ToggleButtons

from utils.examples import load_example
from utils.explorers import (
    DIVISORS,
    explore_heads,
    explore_masks,
    explore_rotation,
    explore_scaling,
    explore_softmax,
    explore_weighted_sum,
)
from utils.notebooks import WIDGET_VIEW, kept_output_data
from utils.plotting import plot_matrices, plot_value_plane

CAT = load_example("猫吃鱼")
V = CAT.X @ CAT.W_V
LOVE = [[1, 0.5, 0.5], [0.5, 0.5, 0.5], [0.5, 0.5, 1]]
HALVES = [slice(0, 2), slice(2, 4)]
MAKERS = {
    "scaling": explore_scaling,
    "softmax": lambda: explore_softmax([1, 0.5, 0.5], "我爱你"),
    "masks": lambda: explore_masks(LOVE, "我爱你", np.tri(3, dtype=bool)),
    "heads": lambda: explore_heads(CAT.X @ CAT.W_Q, CAT.X @ CAT.W_K, CAT.tokens),
    "rotation": explore_rotation,
    "weighted_sum": lambda: explore_weighted_sum(V, CAT.tokens, CAT.V_columns, query=1),
}


@pytest.fixture(params=MAKERS)
def explorer(request):
    return MAKERS[request.param]()


def controls(explorer):
    """{标签: 控件}"""
    rows = [child.children if isinstance(child, HBox) else [child] for child in explorer.children]
    return {each.description: each for row in rows for each in row if not isinstance(each, HTML)}


def shown(explorer):
    """屏幕上的图：PNG 字节和替代文字。"""
    (picture,) = (child.value for child in explorer.children if isinstance(child, HTML))
    data, alt = re.fullmatch(
        r'<img src="data:image/png;base64,(.+?)" alt="([^"]+)" width="\d+" height="\d+">', picture
    ).groups()
    return base64.b64decode(data), html.unescape(alt)


def bars(description):
    """描述里一幅柱状图各柱的高，两位小数。"""
    return [
        float(number)
        for number in re.findall(r"\S+ (\d\.\d\d)(?=、|$)", description.strip().split("柱：")[1])
    ]


def torch_weights(scores):
    return torch.softmax(torch.tensor(scores, dtype=torch.float64), dim=0).numpy()


@pytest.mark.parametrize("divisor", DIVISORS)
def test_scaling_shows_the_softmax_of_the_divided_scores(divisor):
    explorer = explore_scaling()
    controls(explorer)["d_k"].value = 64
    controls(explorer)["除法"].value = divisor
    rng = np.random.default_rng(0)
    query, keys, more = (
        rng.standard_normal(768),
        rng.standard_normal((6, 768)),
        rng.standard_normal((49, 768)),
    )
    divide_by = {"不缩放": 1, "÷ √d_k": 8, "÷ d_k": 64}[divisor]
    scores = [[q[:64] @ k[:64] / divide_by for k in keys] for q in (query, *more)]
    description = repr(explorer.picture)
    assert f"图「d_k = 64，{divisor}」" in description
    spread, weights = description.split("柱状图")[1:]
    assert bars(weights) == pytest.approx(torch_weights(scores[0]), abs=0.00501)
    flat = [score for row in scores for score in row]
    shares = [
        sum(low <= s < high for s in flat) / 300 for low, high in pairwise((-1e9, -4, -2, 0, 2, 4, 1e9))
    ]
    assert bars(spread) == pytest.approx(shares, abs=0.00501)


def test_softmax_divides_the_scores_by_the_temperature():
    explorer = explore_softmax([1, 0.5, 0.5], "我爱你")
    assert bars(repr(explorer.picture)) == [0.45, 0.27, 0.27]
    controls(explorer)["“爱”的分数"].value = -2
    controls(explorer)["温度 T"].value = 0.5
    assert bars(repr(explorer.picture)) == pytest.approx(torch_weights([2, -4, 1]), abs=0.00501)


def test_weighted_sum_moves_the_output_inside_the_triangle():
    explorer = explore_weighted_sum(V, CAT.tokens, CAT.V_columns, query=1)
    controls(explorer)["“鱼”的分数"].value = 2
    weights = torch_weights([0, 0, 2])
    title = "权重：猫 0.11、吃 0.11、鱼 0.79"
    figure = plot_value_plane(
        V, weights[None] @ V, CAT.tokens, value_names=CAT.V_columns, query=1, title=title
    )
    assert repr(explorer.picture) == repr(figure)
    assert explorer.picture._repr_png_() == figure._repr_png_()


def weights_shown(explorer):
    """描述里的九个权重。"""
    rows = re.search("数值：(.*?)；右边", repr(explorer.picture).replace("\n", ""))[1].split("；")
    return [[float(number) for number in row.split()[1:]] for row in rows]


def test_masks_show_the_softmax_of_the_keys_that_are_pressed():
    explorer = explore_masks(LOVE, "我爱你", np.tri(3, dtype=bool))
    names = [f"{query}看{key}" for query in "我爱你" for key in "我爱你"]
    assert [*controls(explorer)] == names
    assert [len(row.children) for row in explorer.children[:3]] == [3] * 3
    assert weights_shown(explorer) == [[1, 0, 0], [0.5, 0.5, 0], [0.27, 0.27, 0.45]]
    controls(explorer)["我看你"].value = True
    controls(explorer)["你看你"].value = False
    first = torch_weights([1, 0.5])
    assert weights_shown(explorer)[0] == pytest.approx([first[0], 0, first[1]], abs=0.00501)
    assert weights_shown(explorer)[2] == [0.5, 0.5, 0]
    for name in names[3:6]:
        controls(explorer)[name].value = False
    assert weights_shown(explorer)[1] == [0, 0, 0]
    assert "图「“爱”谁也不看" in repr(explorer.picture)


def test_heads_show_the_weights_of_their_own_columns():
    explorer = MAKERS["heads"]()
    controls(explorer)["头数"].value = 2
    Q, K = CAT.X @ CAT.W_Q, CAT.X @ CAT.W_K
    maps = {f"头 {h + 1}": [torch_weights(K[:, c] @ q[c] / 2**0.5) for q in Q] for h, c in enumerate(HALVES)}
    figure = plot_matrices(
        maps, title="2 个头，每个头 2 列", kind="weights", row_labels=CAT.tokens, col_labels=CAT.tokens
    )
    assert repr(explorer.picture) == repr(figure)
    assert explorer.picture._repr_png_() == figure._repr_png_()


def test_rotation_turns_each_arrow_by_its_own_position_and_scores_the_difference():
    explorer = explore_rotation()
    controls(explorer)["查询的位置"].value = 9
    controls(explorer)["键的位置"].value = 5
    description = repr(explorer.picture)
    assert "图「差 4，分数 −0.5000」" in description  # cos 120°
    assert "q 在 9 (0, −1)、k 在 5 (−0.866, 0.5)" in description  # 270° 和 150°
    with pytest.raises(ValueError, match="degrees"):
        explore_rotation("30")


def test_the_plain_picture_is_always_the_one_on_the_screen(explorer, request):
    again = MAKERS[request.node.callspec.params["explorer"]]()
    assert (shown(again), repr(again)) == (shown(explorer), repr(explorer))  # 每次开始都一样
    for control in controls(explorer).values():
        before = repr(explorer.picture)
        if hasattr(control, "options"):
            control.value = control.options[1]
        elif isinstance(control, ToggleButton):
            control.value = not control.value
        else:
            control.value += 1
        assert repr(explorer.picture) != before
        assert shown(explorer) == (explorer.picture._repr_png_()[0], repr(explorer.picture))


def test_only_the_description_of_the_controls_is_stored(explorer):
    data = explorer._repr_mimebundle_()
    assert WIDGET_VIEW in data
    stored = kept_output_data(data)
    assert stored == {"text/plain": repr(explorer)}
    assert all(label in stored["text/plain"] for label in controls(explorer))


def test_no_label_is_cut_and_a_drag_draws_once(explorer):
    for control in controls(explorer).values():
        assert control.style.description_width == "initial"
        assert isinstance(control, ToggleButton | ToggleButtons) or control.continuous_update is False


def test_nothing_is_printed(capfd):
    for make in MAKERS.values():
        for control in controls(make()).values():
            control.value = getattr(control, "options", [not control.value])[0]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("scores", [[1, 2], [1, 2, 5.5], [1, 2, float("nan")], "我爱你"])
def test_scores_that_do_not_fit_the_sliders_are_named(scores):
    with pytest.raises(ValueError, match=r"(?s)收到.*怎么办"):
        explore_softmax(scores, "我爱你")

"""第 7 本以后的练习纸：空格外面的数，没有舍入的结果（torch 是另算的一遍），「想一想」里的数。"""

import math

import pytest
import torch
from torch.nn import functional as F

from utils.pages import shell
from utils.tests.html_page import read_html
from utils.tests.pencil import as_data, by_pencil, five_steps, flat, show
from utils.tests.pencil_later import wave
from utils.tests.test_worksheet import numbers_in, versions
from utils.worksheet.build import VERSIONS, render_sheets
from utils.worksheet.roster import Student
from utils.worksheet.sheets import SHEETS
from utils.worksheet.variation import vary


@pytest.fixture(params=["A", "B", "学生"])
def answers(monkeypatch, request):
    """answers(step)：一份的答案页，「我爱你」的矩阵（torch），那张纸自己的数。"""
    monkeypatch.setattr(shell, "font_faces", lambda body: "")

    def page_and_numbers(step):
        if request.param == "学生":
            i, students, version = 0, [Student("张伟", "07")], vary(SHEETS[step], "学生 张伟 07")[0]
        else:
            i = VERSIONS.index(request.param)
            students, version = [], versions(step)[i]
        page = read_html(render_sheets(step, students)[1]).find(has="sheet")[i]
        me = {name: torch.from_numpy(getattr(version.me, name)) for name in ("X", "W_Q", "W_K", "W_V")}
        return page, me, version

    return page_and_numbers


@pytest.fixture(autouse=True)
def double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def texts(M):
    return [show(x, None) for x in M.flatten().tolist()]


def test_masks(answers):
    page, me, version = answers("07_masks")
    X = me["X"]
    output = F.scaled_dot_product_attention(X @ me["W_Q"], X @ me["W_K"], X @ me["W_V"], is_causal=True)
    assert numbers_in(page, "python") == texts(output)
    score = five_steps(as_data(version.me))["scaled"][0][0]
    assert numbers_in(page, "with-zeros") == [show(score), "0", "0"]
    assert numbers_in(page, "zeros") == texts(torch.tensor([float(score), 0, 0]).softmax(0))


def test_heads(answers):
    page, me, version = answers("08_multi_head")
    Q, K, V = ((me["X"] @ me[f"W_{name}"]).unflatten(-1, (2, -1)).transpose(0, 1)[None] for name in "QKV")
    joined = F.scaled_dot_product_attention(Q, K, V)[0].transpose(0, 1).flatten(1)[0]
    output = joined @ torch.tensor(version.chosen["W_O"]).double()
    assert numbers_in(page, "python") == texts(torch.cat([joined, output]))
    lookup = numbers_in(page, "lookup")[:-1]  # 最后一个是分值
    assert lookup[:2] == ["2", "1.4142"]
    for power, value in zip(lookup[2::2], lookup[3::2], strict=True):
        assert value == show(math.exp(float(power)), 4)
    assert numbers_in(page, "fewer") == [str(4 * version.chosen["size"][0] ** 2)]
    one = F.scaled_dot_product_attention(*(me["X"] @ me[f"W_{name}"] for name in "QK"), torch.eye(3))[0]
    both = (Q @ K.mT / math.sqrt(2)).softmax(-1)[0, :, 0].mean(0)
    assert (one - both).abs().max() > 0.01  # 「不是」：两个头的权重平均起来不是一个头的权重


def test_positions(answers):
    page, me, version = answers("09_positions")
    place = sum(version.chosen["places"])
    assert numbers_in(page, "python") == [str(place), *flat([wave(place, 4)])]
    q, k = (me["X"][2] @ me["W_Q"])[:2].tolist(), (me["X"][0] @ me["W_K"])[:2].tolist()
    between = math.atan2(q[1], q[0]) - math.atan2(k[1], k[0])  # q 在 k 前面多少，再转一步
    apart = math.hypot(*q) * math.hypot(*k) * math.cos(between + math.radians(version.chosen["step"]))
    assert numbers_in(page, "far") == [show(apart)]


def test_block(answers):
    page, me, version = answers("10_transformer")
    Q, K, V = (me["X"] @ me[f"W_{name}"] for name in "QKV")
    added = me["X"] + F.scaled_dot_product_attention(Q, K, V, is_causal=True)
    assert numbers_in(page, "python") == ["0.00001", *texts(F.layer_norm(added[1], [4]))]
    assert numbers_in(page, "smoothed") == [
        show(x, 2) for x in by_pencil([[x / 2 for x in version.chosen["logits"]]])[1][0]
    ]

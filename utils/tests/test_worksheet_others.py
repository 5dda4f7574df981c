"""总览、合起来和两本选读的练习纸：空格外面的数和字，没有舍入的结果，「想一想」里的数。"""

import math
import re
from fractions import Fraction

import pytest
import torch
from torch.nn import functional as F

from utils import attention
from utils.pages import shell
from utils.tests.html_page import read_html
from utils.tests.pencil import as_data, by_pencil, five_steps, half_up, show
from utils.tests.test_worksheet import numbers_in, part_around, versions
from utils.worksheet.build import VERSIONS, render_sheets

STEPS = ["投影", "打分", "缩放", "softmax", "加权求和"]


@pytest.fixture(params=range(len(VERSIONS)), ids=VERSIONS)
def answers(request, monkeypatch):
    """answers(step)：一份的答案页，和它的例句和数。"""
    monkeypatch.setattr(shell, "font_faces", lambda body: "")

    def page_and_version(step):
        page = read_html(render_sheets(step)[1]).find(has="sheet")[request.param]
        return page, versions(step)[request.param]

    return page_and_version


def texts(M):
    return [show(x) for x in M.flatten().tolist()]


def attended(version, row):
    """「我爱你」的一行输出，torch 算的。"""
    me = {name: torch.from_numpy(getattr(version.me, name)).double() for name in ("X", "W_Q", "W_K", "W_V")}
    Q, K, V = (me["X"] @ me[f"W_{name}"] for name in "QKV")
    return F.scaled_dot_product_attention(Q, K, V)[row]


def boxes(page, part):
    return [box.text.strip() for box in page.find(has="box") if part_around(box) == part]


def looked_up(page):
    """写在句子里的 e 的幂，[(次数, 幂)]；最后的分值不算。"""
    found = numbers_in(page, "lookup")[:-1]
    return list(zip(found[::2], found[1::2], strict=True))


def test_overview(answers):
    page, version = answers("00_overview")
    assert numbers_in(page, "many") == ["1", str(version.chosen["many"])]
    [order] = page.find(**{"data-part": "order"})
    places = dict(re.findall(r"([^\W\d]+) *(\d)", order.text.partition("：")[2]))
    assert places == dict(zip(STEPS, "12345", strict=True))
    n, d_model, d_k, d_v = version.chosen["sizes"]
    W = [torch.ones(d_model, d).double() for d in (d_k, d_k, d_v)]
    steps = attention.self_attention(torch.ones(n, d_model).double(), *W)
    shapes = [steps.Q, steps.V, steps.scores, steps.scaled_scores, steps.weights, steps.output]
    assert boxes(page, "shapes") == [str(M.shape[axis]) for axis in (0, 1) for M in shapes]
    for said in (f"({n}, {d_model})", f"({d_model}, {d_k})", f"({d_model}, {d_v})"):
        assert said in page.text


def test_whole(answers):
    page, version = answers("06_self_attention")
    assert numbers_in(page, "python") == texts(attended(version, 0))
    scaled = five_steps(as_data(version.me))["scaled"][0]
    assert looked_up(page) == [(show(x), show(Fraction(math.exp(x)), 4)) for x in sorted(set(scaled))]
    start, answer = version.chosen["goal"]
    w = torch.tensor(float(start), requires_grad=True)
    ((2 * w - answer) ** 2).backward()
    step = boxes(page, "step")
    assert step[0] == show(w.grad.item()) and step[-1] == show(round((w - 0.1 * w.grad).item(), 6))
    assert f"正确答案 {answer}，现在 w = {start}" in page.text
    length, times = version.chosen["longer"]
    more = (length * times) ** 2 // length**2
    assert numbers_in(page, "more") == [str(more)] and f"{length} 个变成 {length * times} 个" in page.text


def test_rnn(answers):
    page, version = answers("a1_rnn")
    assert "、".join(map(str, version.chosen["read"])) in page.text
    keep, W_x = version.chosen["keep"], torch.tensor(version.chosen["W_x"]).double()
    X = torch.from_numpy(version.me.X).double().requires_grad_()
    h = torch.zeros(2).double()
    for x in X:
        h = h * keep + x @ W_x
    h.sum().backward()  # 每一行的影响：第 t 行的份数乘 W_x
    assert boxes(page, "states")[-2:] == texts(h.detach())
    for share, row in zip(boxes(page, "kept"), X.grad, strict=True):
        assert torch.allclose(row, float(share) * W_x.sum(1))


def test_join(answers):
    page, version = answers("a2_sql_join")
    assert numbers_in(page, "python") == texts(attended(version, -1))
    scaled = five_steps(as_data(version.me))["scaled"][-1]
    less = sorted({x - max(scaled) for x in scaled})
    assert looked_up(page) == [(show(x), show(Fraction(math.exp(x)), 4)) for x in less]
    powers = by_pencil([[x - max(scaled) for x in scaled]])[0][0][1:]
    assert numbers_in(page, "deleted") == [show(half_up(x / sum(powers), 2), 2) for x in powers]
    assert f"fruit = '{version.chosen['fruits'][2]}'" in page.text

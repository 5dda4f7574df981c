"""第 7 本以后的练习纸：空格外面的数，没有舍入的结果（torch 是另算的一遍），「想一想」里的数。"""

import math

import pytest
import torch
from torch.nn import functional as F

from utils.pages import shell
from utils.tests.html_page import read_html
from utils.tests.pencil import by_pencil, five_steps, flat, read, show
from utils.tests.pencil_later import wave
from utils.tests.test_worksheet import numbers_in
from utils.worksheet.build import render_sheet


@pytest.fixture
def answers(monkeypatch):
    monkeypatch.setattr(shell, "font_faces", lambda body: "")
    return lambda step: read_html(render_sheet(step, answers=True))


@pytest.fixture
def me():
    data = {name: value for name, value in read("wo_ai_ni.json").items() if name != "tokens"}
    return {name: torch.tensor([[float(x) for x in row] for row in M]) for name, M in data.items()}


@pytest.fixture(autouse=True)
def double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def texts(M):
    return [show(x, None) for x in M.flatten().tolist()]


def test_masks(answers, me):
    page, X = answers("07_masks"), me["X"][[0, 2, 1]]
    output = F.scaled_dot_product_attention(X @ me["W_Q"], X @ me["W_K"], X @ me["W_V"], is_causal=True)
    assert numbers_in(page, "python") == texts(output)
    score = five_steps(read("wo_ai_ni.json"))["scaled"][0][0]
    assert numbers_in(page, "with-zeros") == [show(score), "0", "0"]
    assert numbers_in(page, "zeros") == texts(torch.tensor([float(score), 0, 0]).softmax(0))


def test_heads(answers, me):
    page = answers("08_multi_head")
    Q, K, V = ((me["X"] @ me[f"W_{name}"]).unflatten(-1, (2, -1)).transpose(0, 1)[None] for name in "QKV")
    joined = F.scaled_dot_product_attention(Q, K, V)[0].transpose(0, 1).flatten(1)[0]
    output = [*joined[:2], joined[2] + joined[0], joined[3] + joined[1]]
    assert numbers_in(page, "python") == texts(torch.stack([*joined, *output]))
    assert numbers_in(page, "lookup") == ["2", "1.4142", "0", "1.0000", "0.7071", "2.0281"]
    assert numbers_in(page, "fewer") == [str(4 * 96 * 96)]


def test_positions(answers):
    page = answers("09_positions")
    assert numbers_in(page, "python") == ["3", *flat([wave(3, 4)])]
    apart = math.sqrt(2) * math.cos(math.radians(45 + 30))  # q (1, 1) 在 k (1, 0) 前面 45°，再转 30°
    assert numbers_in(page, "far") == [show(apart)]


def test_block(answers, me):
    page = answers("10_transformer")
    Q, K, V = (me["X"] @ me[f"W_{name}"] for name in "QKV")
    added = me["X"] + F.scaled_dot_product_attention(Q, K, V, is_causal=True)
    assert numbers_in(page, "python") == ["0.00001", *texts(F.layer_norm(added[1], [4]))]
    assert numbers_in(page, "smoothed") == [show(x, 2) for x in by_pencil([[1, 0.5, 0]])[1][0]]

"""两个例句的每一个矩阵，都以设计给定的数字出现在笔记本存下的输出里。"""

import re
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pytest

from utils.attention import self_attention
from utils.examples import load_example, reorder

NOTEBOOKS = Path(__file__).resolve().parent.parent.parent / "notebooks"

# 设计给出的数，逐个抄下；不从程序算
MATRICES = {
    "我爱你 X": [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]],
    "我爱你 W_Q": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]],
    "我爱你 W_K": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
    "我爱你 W_V": [[2, 0, 1, 0], [0, 2, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]],
    "我爱你 Q": [[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]],
    "我爱你 K": [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]],
    "我爱你 V": [[2, 0, 2, 0], [0, 2, 0, 2], [2, 2, 1, 1]],
    "我爱你 scores": [[2, 1, 1], [1, 1, 1], [1, 1, 2]],
    "我爱你 scaled_scores": [[1, 0.5, 0.5], [0.5, 0.5, 0.5], [0.5, 0.5, 1]],
    "我爱你 weights": [[0.4519, 0.2741, 0.2741], [0.3333, 0.3333, 0.3333], [0.2741, 0.2741, 0.4519]],
    "我爱你 output": [[1.4519, 1.0963, 1.1778, 0.8222], [1.3333, 1.3333, 1, 1], [1.4519, 1.4519, 1, 1]],
    "猫吃鱼 X": [[1, 0, 0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 1, 0, 0, 1], [0, 0, 1, 0, 0, 1, 1, 0]],
    "猫吃鱼 W_Q": [
        [0.8, 0.1, 0, 0],
        [0.2, 0.2, 0.1, 0],
        [0, 0, 0.7, 0.3],
        [0.1, 0, 0, 0],
        [0, 0.1, 0, 0],
        [0, 0, 0.1, 0],
        [0.1, 0.1, 0.1, 0],
        [0.1, 0.5, 0.1, 0.1],
    ],
    "猫吃鱼 W_K": [
        [0.8, 0, 0, 0.1],
        [0.1, 0.2, 0.1, 0],
        [0, 0.1, 0.9, 0],
        [0.1, 0, 0, 0],
        [0, 0.1, 0.1, 0],
        [0, 0, 0.1, 0],
        [0, 0.1, 0, 0.1],
        [0.1, 0.4, 0.1, 0],
    ],
    "猫吃鱼 W_V": [[1, 0], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]],
    "猫吃鱼 Q": [[1, 0.2, 0.1, 0], [0.3, 0.8, 0.2, 0.1], [0.1, 0.1, 0.9, 0.3]],
    "猫吃鱼 K": [[0.9, 0.1, 0, 0.2], [0.2, 0.7, 0.3, 0], [0, 0.2, 1, 0.1]],
    "猫吃鱼 V": [[1, 0], [0, 0], [0, 1]],
    "猫吃鱼 scores": [[0.92, 0.37, 0.14], [0.37, 0.68, 0.37], [0.16, 0.36, 0.95]],
    "猫吃鱼 weights": [[0.4104, 0.3117, 0.2779], [0.3157, 0.3686, 0.3157], [0.2786, 0.3079, 0.4135]],
    "猫吃鱼 output": [[0.4104, 0.2779], [0.3157, 0.3157], [0.2786, 0.4135]],
    "鱼吃猫 weights": [[0.3862, 0.31, 0.3038], [0.3173, 0.3686, 0.3141], [0.3041, 0.315, 0.3809]],
}


@pytest.mark.parametrize("name", MATRICES)
def test_the_data_still_give_the_matrix_of_the_design(name):
    """例句改了一个数，刷新笔记本之前就知道下面哪几个矩阵要改。"""
    sentence, matrix = name.split()
    example = reorder(load_example("猫吃鱼"), "鱼吃猫") if sentence == "鱼吃猫" else load_example(sentence)
    steps = self_attention(example.X, example.W_Q, example.W_K, example.W_V)
    computed = np.round(getattr(example if hasattr(example, matrix) else steps, matrix), 4).tolist()
    if computed != MATRICES[name]:
        pytest.fail(f"{name} 现在是 {computed}\n本文件里抄的是 {MATRICES[name]}", pytrace=False)


@cache
def shown_matrices():
    """存下的输出里的全部矩阵：numpy 和 torch 打印的、公式里的、图的描述里的，都写成数字的列表。"""
    shown = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                text = output.get("data", {}).get("text/plain", "")
                shown += [rows(found) for found in re.findall(r"\[\[.*?\]\]", text, re.DOTALL)]
                shown += [
                    rows(found.replace(r"\\", "]")) for found in re.findall(r"\{bmatrix\}(.*?)\\end", text)
                ]
                for found in re.findall(r"数值：(.*?)；(?:框|右|颜)", text):
                    # 一行写作“名字 0.1 0.2”；名字自己也可能带数字，如 位置1
                    values = [re.search(r"(?: −?[\d.]+)+$", line) for line in found.split("；")]
                    shown.append([[float(n) for n in v[0].replace("−", "-").split()] for v in values if v])
    return shown


def rows(text):
    """文字里的数，一行一个列表；行与行之间是 ]。"""
    text = re.sub(r"[^\d.\-\] \n&]", " ", text)
    numbers = [[float(n) for n in re.findall(r"-?\d+\.?\d*", line)] for line in text.split("]")]
    return [line for line in numbers if line]


@pytest.mark.parametrize("name", MATRICES)
def test_every_matrix_of_the_design_is_shown_to_its_digits(name):
    matrix = MATRICES[name]
    assert matrix in shown_matrices(), f"没有一个输出里写着 {name} = {matrix}"


def test_the_source_weights_that_break_the_rule_are_shown_beside_the_equal_scores():
    assert [[0.37, 0.68, 0.37], [0.3, 0.42, 0.28]] in shown_matrices()


def test_a_changed_digit_would_be_missed():
    assert np.round(np.array(MATRICES["猫吃鱼 weights"]) + 0.0001, 4).tolist() not in shown_matrices()

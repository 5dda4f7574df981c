"""每本「学完能做什么」的每一条，都有练习或预测查它；练习、预测、目标少了一个，都会说出来。"""

import re

import pytest

from utils.tests.exercise_cells import ALL, open_notebook, records

# {笔记本: {一条目标的开头: 查它的练习编号，或者写着 predict(…) 的那一格的 id}}
GOALS = {
    "00_overview": {
        "说出注意力要解决什么问题": ["reading_average"],
        "说出查询、键、值各管什么": ["reading_roles"],
        "看着五步的地图": ["order_steps", "output_shape"],
        "读一张权重图": ["reading_weight", "change-check"],
    },
    "01_projection": {
        "用笔算出 Q": ["pencil_query", "project"],
        "看到 X 和 $W_Q$ 的形状": ["shape_match"],
        "分清**参数**": ["reading_learned"],
        "说出 `nn.Linear`": ["shape_match"],
    },
    "02_scores": {
        "用笔算出一个分数": ["pencil_score", "attention_scores"],
        "指着 scores 的任何一格": ["reading_cell", "scores_shape", "5115ebe6"],
        "说出 K 为什么要转置": ["attention_scores"],
        "解释“猫”看向“鱼”": ["fc2cff05", "4904964f"],
        "说出分数为什么不是百分比": ["reading_cell", "0684501e"],
    },
    "03_scaling": {
        "用笔算出缩放后的分数": ["pencil_scaling", "scale_scores"],
        "说出 $d_k$ 是哪个数": ["bug_scaling"],
        "从平均、方差、标准差说起": ["scaling_table", "49d17b5c"],
        "说出不除会怎样": ["scaling_table", "22138c4e", "cf3ba16b"],
    },
    "04_softmax": {
        "用笔把一行分数变成权重": ["pencil_softmax"],
        "说出为什么取 exp": ["softmax", "truth_shift"],
        "会按行做": ["bug_softmax", "softmax"],
        "预测一行分数": ["605040ed", "1c405ff7", "d38e9da4", "d7322980"],
        "说出不缩放": ["d38e9da4"],
        "看到一组权重": ["weights_faults"],
    },
    "05_weighted_sum": {
        "用笔算出输出": ["weighted_sum", "553fa1bf"],
        "说出权重只取一行": ["pencil_extremes"],
        "在平面上解释": ["reading_hull", "8710d2d6"],
        "从 X 的形状起": ["step_columns"],
        "说出词序": ["3b6bc8ec", "befcafc8"],
    },
    "06_self_attention": {
        "写出 `SelfAttention`": ["self_attention"],
        "用一个数说出什么是梯度": ["pencil_step"],
        "看着训练前后的权重": ["map_training"],
        "解释没有位置": ["truth_half"],
        "算出 n 个词元": ["pencil_memory"],
    },
    "07_masks": {
        "说出“猜下一个词”": ["f754bc6c", "d535b6a8", "truth_leak"],
        "用笔算出遮住以后的权重": ["pencil_causal", "mask_faults"],
        "写出因果注意力": ["causal", "85b04df4"],
        "给长短不一的句子": ["mask_match"],
        "说出交叉注意力": ["mask_shape"],
        "换一个函数时": ["mask_match"],
    },
    "08_multi_head": {
        "说出一个头答两个问题": ["map_heads", "reading_heads"],
        "用笔把 Q、K 切成两个头": ["pencil_head_scores", "change-predict"],
        "说出每一步的形状": ["heads_table", "bug_heads", "shapes-predict"],
        "写出多头注意力": ["cut_and_join"],
        "量一量去掉一个头": ["heads_table", "reading_heads"],
    },
    "09_positions": {
        "说出没有位置时": ["positions_match"],
        "用笔写出一个位置": ["sine_positions"],
        "用笔把一对数转一个角": ["pencil_difference", "change-check"],
        "说出为什么转 Q 和 K": ["reading_values"],
        "认出旋转位置的两种排法": ["bug_layout"],
        "说出句子比训练时长": ["truth_longer", "positions_match"],
    },
    "10_transformer": {
        "用笔做一次层归一化": ["pencil_layer_norm", "half_block", "t-alone-predict"],
        "数出一个块有多少个参数": ["model_table", "order_block"],
        "逐行解释一个小语言模型": ["half_block", "reading_losses"],
        "说出温度、top-k": ["t-temperature-predict"],
        "解释为什么 K 和 V": ["reading_cache", "model_table"],
        "看着一张注意力图": ["t-counter-swap-predict"],
        "照一个公式算出": ["model_table"],
    },
    "a1_rnn": {
        "用笔让 RNN": ["pencil_state"],
        "用“动一点": ["scale-check"],
        "数出两条路": ["rulers_table"],
        "说出“RNN 会遗忘”": ["reading_rulers"],
    },
    "a2_sql_join": {
        "读懂一条短的 SQL": ["select_match"],
        "说出精确的 JOIN": ["reading_join"],
        "指着整条 SQL": ["select_match"],
        "用笔算出一个权重": ["weight-check", "change-check", "pencil_deleted_key"],
    },
}


def goals_of(name):
    """「学完能做什么」的各条，到下一个标题或空行后的别的话为止。"""
    text = "\n\n".join(cell.source for cell in open_notebook(name).cells if cell.cell_type == "markdown")
    room = re.search(r"^## 学完能做什么\n+((?:- .*\n?)+)", text, flags=re.MULTILINE)
    return re.findall(r"^- (.*)", room[1], flags=re.MULTILINE) if room else []


@pytest.mark.parametrize("name", ALL)
def test_every_goal_has_a_check_and_every_check_exists(name):
    table, goals = GOALS.get(name, {}), goals_of(name)
    predictions = [cell.id for cell in open_notebook(name).cells if cell.source.count("predict(")]
    checks = {*records(name), *predictions}
    assert goals, f"{name}.ipynb 的「学完能做什么」里没有一条目标"
    unchecked = [
        goal for goal in goals if not any(goal.startswith(start) and ids for start, ids in table.items())
    ]
    gone = [start for start in table if not any(goal.startswith(start) for goal in goals)]
    unknown = [each for ids in table.values() for each in ids if each not in checks]
    assert not unchecked, f"{name}.ipynb：没有练习或预测查这几条，写进 test_goals.py 的 GOALS：{unchecked}"
    assert not gone, f"{name}.ipynb 里已经没有这几条目标：{gone}"
    assert not unknown, f"{name}.ipynb 里没有这些练习或预测：{unknown}"


def test_the_table_has_no_notebook_that_is_gone():
    assert GOALS.keys() <= set(ALL)

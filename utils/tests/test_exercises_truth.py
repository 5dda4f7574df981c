"""判断题：错的理由认得出几种，说出它为什么不对；说到要点的通过；说得怪的也不退回，让学习者自己比。"""

import pytest

from utils.exercises import EXERCISES, check

TRUTHS = [exercise for exercise in EXERCISES.values() if exercise.kind == "truth"]
each_truth = pytest.mark.parametrize("exercise", TRUTHS, ids=lambda exercise: exercise.id)

# 题目 -> {认出的错误: 判断对、理由错的几种说法}
WRONG_REASONS = {
    "truth_shift": {
        "as_ratio": ["200:199:199 和 2:1:1 的比例差不多", "三个数之间的比例没变"],
        "as_rank": ["softmax 只看名次，名次没变", "大小顺序没有变", "第一个仍然是最大的"],
        "sums_to_one": ["因为加起来都是 1", "softmax 会归一化，总和总是 1"],
    },
    "truth_half": {
        "overfitting": ["训练太久会过拟合"],
        "learning_rate": ["学习率太大了，步数多也没用"],
        "unseen": ["因为留出句没有训练过", "考的都是没见过的句子"],
        "too_small": ["模型太小了，没有足够的参数", "数据不够，只有 270 句"],
        "stuck": ["梯度消失，训不动了"],
    },
    "truth_leak": {
        "overfitting": ["说明它过拟合了"],
        "few_sentences": ["留出句太少，不能说明问题", "只测了几句，碰巧"],
        "easy_sentences": ["留出句和训练句太像了", "句子太简单了"],
        "memorise": ["模型把句子都背下来了"],
        "wrong_metric": ["损失不如准确率可靠"],
    },
    "truth_longer": {
        "overflow": ["位置太大，sin 和 cos 会溢出", "角度太大，精度不够"],
        "rows_run_out": ["旋转位置只备了 9 行，没有后面的行", "公式算不出那么大的位置"],
        "only_difference": ["旋转只跟位置差有关"],
        "weights_sum": ["句子长了，权重加起来超过 1。"],
        "forgets": ["句子太长，模型记不住前面"],
        "overfitting": ["模型过拟合了短句", "训练步数不够"],
    },
}
# 题目 -> 对的理由：前一半说到要点，后一半说得怪，只能自己比
RIGHT_REASONS = {
    "truth_shift": (
        ["差没变", "每个数都加了 198，差没变", "同乘 e^198，约掉了", "不是看比例，是看相差多少，相差还是 1"],
        ["第一个都比后面大 1", "分子分母扩大同样的倍数"],
    ),
    "truth_half": (
        ["词袋，换了顺序结果一样", "X 里只有词，谁吃谁分不清", "跟学习率无关，缺的是位置"],
        ["输入里没有能区别它们的东西", "200 步和 20 000 步没有两样"],
    ),
    "truth_leak": (
        ["算留出句的损失时也没遮", "不是过拟合，是信息泄漏", "它没学会预测，只是偷看了"],
        ["输入包含了要预测的目标", "生成时才会露馅"],
    ),
    "truth_longer": (
        ["差 20 训练时没见过", "不是溢出，是没学过", "转了好几圈，差 20 和差 1 很像"],
        ["能算不代表会用", "位置有数，模型不知道怎么用"],
    ),
}


@pytest.mark.parametrize(
    ("exercise_id", "name", "reason"),
    [(id, name, said) for id, known in WRONG_REASONS.items() for name in known for said in known[name]],
)
def test_a_wrong_reason_is_answered_whatever_the_verdict(exercise_id, name, reason):
    exercise = EXERCISES[exercise_id]
    answer = next(each.message for each in exercise.reasons if each.name == name)
    right = check(exercise_id, (exercise.reference, reason))
    assert (right.status, right.mistake) == ("wrong", name)
    assert f"判断对；这个理由不对：{answer}" in right.message and exercise.why not in right.message
    wrong = check(exercise_id, (not exercise.reference, reason))
    assert (wrong.status, wrong.mistake) == ("wrong", exercise.mistakes[0].name)
    assert f"回答你的理由：{answer}" in wrong.message


@each_truth
def test_a_right_reason_passes_and_an_odd_one_is_left_to_the_learner(exercise):
    for start, reasons in zip(("通过：", "判断对；理由请自己比："), RIGHT_REASONS[exercise.id], strict=True):
        for reason in [*reasons, exercise.why] if start == "通过：" else reasons:
            verdict = check(exercise.id, (exercise.reference, reason))
            assert verdict.status == "passed", reason
            assert verdict.message.startswith(start) and reason in verdict.message
            assert exercise.why in verdict.message


@each_truth
def test_a_wrong_word_beside_the_idea_is_left_to_the_learner(exercise):
    wrong = next(iter(WRONG_REASONS[exercise.id].values()))[0]
    verdict = check(exercise.id, (exercise.reference, f"{wrong}；{RIGHT_REASONS[exercise.id][0][0]}"))
    assert verdict.status == "passed" and verdict.message.startswith("判断对；理由请自己比：")


@each_truth
def test_every_answer_to_a_reason_ends_in_something_to_do(exercise):
    assert 3 <= len(exercise.reasons) <= 7
    assert not [
        each.name
        for each in exercise.reasons
        if not each.message.endswith(("？", "比。", "一点。", "一次。"))
    ]


@pytest.mark.parametrize(
    ("true", "false"),
    [("正确", "错误"), ("T", "f"), ("√", "×"), ("成立", "不成立"), ("这句话是对的。", "说法不对"), (1, 0)],
)
def test_a_verdict_may_be_written_in_many_ways(true, false):
    assert check("truth_shift", (true, "差没变")).status == "passed"
    assert check("truth_half", (false, "镜像的输出相同")).status == "passed"
    assert check("truth_half", (true, "镜像的输出相同")).mistake == "more_steps"


def test_all_in_one_sentence_and_no_reason_at_all():
    assert check("truth_half", ("错，因为镜像的输出相同", "")).status == "passed"
    for reason in ("", "是", "不知道", "因为这句话不对。"):
        assert check("truth_half", (False, reason)).mistake == "no_reason"
    assert "不加引号" not in check("truth_half", ("也许", "镜像")).message


@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if e.kind == "match"], ids=lambda e: e.id)
def test_every_wrong_choice_is_told_a_cause(exercise):
    right = exercise.reference
    for i, name in enumerate(exercise.items):
        for letter in set(exercise.choices) - {right[i]}:
            message = check(exercise.id, right[:i] + letter + right[i + 1 :]).message
            assert f"「{name}」不对。" not in message and f"「{name}」不对：\n" not in message


@pytest.mark.parametrize(
    ("exercise_id", "answers"),
    [
        ("reading_learned", ["A. 投影矩阵 W_Q，不是 Q", {"答案": "A"}, "option A"]),
        ("scores_shape", ["torch.Size([2, 5])"]),
        (
            "select_match",
            [
                "打分D，缩放A，softmax C，加权求和B",
                "softmaxC 打分D 加权求和B 缩放A",  # 不照题目的次序，名字写清了
                ["打分 D", "缩放 A", "softmax C", "加权求和 B"],
                {"softmax": "C", "打分": "D", "缩放": "A", "加权求和": "B"},
                "1-D 2-A 3-C 4-B",
                "(1)D (2)A (3)C (4)B",
                "Score: D, Scale: A, Softmax: C, Sum: B",
            ],
        ),
        ("mask_faults", ["甲C，乙A，丙D", "丙D，甲C，乙A"]),
        ("shape_match", ["X D，W_Q B，Q F，W_V E，V A，weight C"]),
        ("order_steps", ["投影B 打分E 缩放D softmaxA 加权求和C", "Bedac"]),
    ],
)
def test_letters_after_names_and_copied_choices(exercise_id, answers):
    assert not [answer for answer in answers if check(exercise_id, answer).status != "passed"]


@pytest.mark.parametrize("answer", ["A, C 都是", "A、B都对", "A和B，因为都对", "AB", "an apple"])
def test_two_choices_or_a_word_are_no_choice(answer):
    assert check("reading_learned", answer).mistake == "wrong_type"

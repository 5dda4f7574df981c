"""练习的判定：对的答案写法再怪也认得，错的答案不说错原因。"""

import linecache

import numpy as np
import pytest

from utils.attention import attention, softmax
from utils.exercises import check


def written(source, **names):
    """像笔记本里的一格那样写出来的函数：读得到源码。"""
    name = f"<cell {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np, "softmax": softmax, "attention": attention, **names}
    exec(compile(source, name, "exec"), space)
    return space["f"]


@pytest.mark.parametrize(
    ("exercise_id", "answer"),
    [
        ("pencil_memory", "一百二十八"),
        ("pencil_memory", "128 倍。"),
        ("pencil_memory", "一共是 128 MB"),
        ("pencil_memory", "128 兆"),
        ("pencil_memory", "128M"),
        ("pencil_deleted_key", "六成"),
        ("pencil_deleted_key", "十分之六"),
        ("pencil_scaling", "0.9/√4, 0.4/√4, 0.2/√4"),
        ("pencil_difference", "9×cos60°"),
        ("pencil_difference", "9cos(60°)=4.5"),
        ("pencil_step", "1 - 0.05×(−18)"),
        ("pencil_score", "分数是0.24"),
        ("pencil_query", "q = [2, 0, 1, 4]"),
        ("pencil_head_scores", "4 和 1"),
        ("pencil_head_scores", {"头 1": 4, "头 2": 1}),
        ("pencil_head_scores", "头1：4，头2：1"),
        ("pencil_extremes", "(2,4)、(2,2)"),
        ("step_columns", "Q 4, V 3, scores 6, weights 6, output 3"),
        ("step_columns", "4/3/6/6/3"),
        ("step_columns", {"V": 3, "Q": 4, "scores": 6, "weights": 6, "output": 3}),
        ("model_table", "16,384；32,768；64,000；170,496；256；512"),
        ("model_table", "16 384；32 768；64 000；170 496；256；512"),
        ("model_table", "16 384, 32 768, 64 000, 170 496, 256, 512"),
        ("model_table", "①16384 ②32768 ③64000 ④170496 ⑤256 ⑥512"),
        ("scaling_table", "①2②1③0.5④10⑤1⑥0.1"),
        ("pencil_head_scores", "头 1 是 4，头 2 是 1"),
        ("pencil_extremes", "第一问 (2,4)；第二问 (2,2)"),
        ("pencil_extremes", "2,4 | 2,2"),
        ("model_table", ["16 384", "3.2768万", "64000", "17万496", 256, 512]),
        ("pencil_softmax", ["25%", "一半", "¼"]),
        ("scaling_table", "2, 1, 一半, 10, 1, 1/10"),
        ("mask_shape", "7 乘 5"),
        ("scores_shape", "(2, 6) @ (6, 5) = (2, 5)"),
        ("scores_shape", "n_q=2, n_k=5"),
        ("bug_softmax", "4：keepdims=True"),
        ("order_steps", "b→e→d→a→c"),
        ("order_steps", ["B", "E", "D", "A", "C"]),
        ("order_steps", "B-E-D-A-C。"),
        ("order_steps", "Ｂ、Ｅ、Ｄ、Ａ、Ｃ"),
        ("order_steps", "B > E > D > A > C"),
        ("shape_match", "X=D, W_Q=B, Q=F, W_V=E, V=A, weight=C"),
        ("shape_match", {"weight": "c", "X": "d", "W_Q": "b", "Q": "f", "W_V": "e", "V": "a"}),
        ("weights_faults", "甲：B，乙：D，丙：A"),
        ("weights_faults", "甲B 乙D 丙A"),
        ("weights_faults", "1. B  2. D  3. A"),
        ("weights_faults", "①B②D③A"),
        ("truth_shift", ("对", "差没有变，比就没有变")),
        ("truth_shift", [np.True_, "差没有变，比就没有变"]),
        ("truth_half", ("False", "镜像的输出相同")),
    ],
)
def test_a_right_answer_in_an_odd_style_passes(exercise_id, answer):
    assert check(exercise_id, answer).status == "passed"


@pytest.mark.parametrize(
    ("exercise_id", "answer", "mistake", "words"),
    [
        ("pencil_softmax", [0.25, 0.5], "wrong_count", "收到 2 个"),
        ("pencil_softmax", "1:2:1", "not_divided", "还差一步"),
        ("pencil_extremes", [2, 4], "wrong_count", "收到 2 个"),
        ("pencil_head_scores", 4, "wrong_count", "收到 1 个。\n"),  # 不说“只交最后的结果”
        ("pencil_deleted_key", [0.6, 0.4], "wrong_count", "收到 2 个。\n"),
        ("pencil_memory", "3:5", "wrong_type", "3:5"),  # 一个比，不是 5
        ("pencil_memory", "4 或 128", "wrong_type", "或"),
        ("pencil_memory", (256, 256), "wrong_count", "收到 2 个。\n"),  # 像一个形状：不说千位
        ("pencil_memory", 1 / 128, "inverted", "倒数"),
        ("pencil_memory", 0.128, "double_n", "GB"),
        ("pencil_memory", 122.07, "by_1024", "1024"),
        ("pencil_state", [-1, 0], None, "每一个数都不对"),
        ("pencil_causal", [0.33, 0.66, 0], "rounded", "去掉"),
        ("order_steps", "BEADC", "scaled_last", "softmax 以后再缩放"),
        ("order_steps", "CADEB", "reversed", "倒过来"),
        ("order_steps", "BEDA", "wrong_count", "少了 C"),
        ("order_steps", "BEDAA", "wrong_count", "A 写了不止一次"),
        ("order_steps", "BEDAX", "wrong_type", "A、B、C、D、E"),
        ("shape_match", "DBFCAE", "formula_as_linear", "「weight」：nn.Linear 存的是"),
        ("shape_match", "DFBEAC", "some_wrong", "「W_Q」和「Q」对调了。\n其余的都对"),
        ("shape_match", "DBFEA", "wrong_count", "收到 5 个"),
        ("weights_faults", "CDA", "as_twice", "「甲」：做两次 softmax"),
        ("scaling_table", [2, 1, 0.5, 100, 1, 0.1], "variance", "「④」：这是方差"),
        ("scaling_table", [2, 1, 0.5, 11, 1, 0.1], "some_wrong", "「④」不对：差一个"),
        ("scaling_table", [2, 1, 0.5, 10, 1], "wrong_count", "6 格，收到 5 个"),
        ("scaling_table", [2, 1, 0.5, "x", 1, 0.1], "wrong_type", "「④」不是数"),
        ("scaling_table", [2, 1, float("nan"), 10, 1, 0.1], "not_finite", "非数"),
        ("model_table", (16, 384, 32, 768, 64000, 170496, 256, 512), "wrong_count", "千位的逗号"),
        ("truth_shift", True, "no_reason", "还差一句理由"),
        ("truth_shift", (True, "是"), "no_reason", "还差一句理由"),
        ("truth_shift", (False, "三个分数都变大了"), "larger_scores", "差变了吗"),
        ("truth_shift", ("也许", "三个分数都变大了"), "wrong_type", "True 或 False"),
    ],
)
def test_a_wrong_number_is_not_told_an_untrue_cause(exercise_id, answer, mistake, words):
    verdict = check(exercise_id, answer)
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)
    assert words in verdict.message


def test_a_slice_of_the_argument_passes_with_a_word_about_it():
    verdict = check("bug_heads", lambda Q, heads, h: np.hsplit(Q, heads)[h])
    assert verdict.status == "passed"
    assert ".copy()" in verdict.message
    assert ".copy()" not in check("bug_heads", lambda Q, heads, h: np.hsplit(Q, heads)[h].copy()).message


@pytest.mark.parametrize("number", [-1e9, -1e30, -np.inf])
def test_a_mask_of_a_very_negative_number_passes(number):
    def causal(Q, K, V):
        scores = Q @ K.T / np.sqrt(Q.shape[1])
        return softmax(np.where(np.tri(len(Q), dtype=bool), scores, number)) @ V

    assert check("causal", causal).status == "passed"


CAUSAL = "def f(Q, K, V):\n    s = Q @ K.T / np.sqrt(Q.shape[1])\n    T = np.tri(len(s), dtype=bool)\n    "


@pytest.mark.parametrize(
    ("exercise_id", "source", "mistake", "words", "never"),
    [
        (  # 只有报错：不猜是取了对数
            "causal",
            CAUSAL + "return softmax(np.where(T, s, np.inf)) @ V",
            "raised",
            "正无穷",
            "对数",
        ),
        (  # 缩放没有错
            "causal",
            CAUSAL + "w = softmax(s) * T\n    return w / w.sum(axis=1, keepdims=True) @ V",
            "rescaled_afterwards",
            "取 exp 之前",
            "除的不是",
        ),
        (
            "cut_and_join",
            "def f(Q, K, V, heads):\n    parts = zip(*(np.split(M, heads) for M in (Q, K, V)))\n"
            "    return np.hstack([attention(*part).output for part in parts])",
            "cut_rows",
            "axis=1",
            "行数应跟着",
        ),
        (  # range(1, heads) 没有错
            "cut_and_join",
            "def f(Q, K, V, heads):\n    q, k, v = (np.hsplit(M, heads) for M in (Q, K, V))\n"
            "    out = attention(q[0], k[0], v[0])\n    for h in range(1, heads):\n"
            "        out = np.hstack([out, attention(q[h], k[h], v[h])])\n    return out",
            "raised",
            ".output",
            "少了一个",
        ),
        (
            "cut_and_join",
            "def f(Q, K, V, heads):\n    d, e = Q.shape[1] // 2, V.shape[1] // 2\n    return np.hstack([\n"
            "        attention(Q[:, :d], K[:, :d], V[:, :e]).output,\n"
            "        attention(Q[:, d:], K[:, d:], V[:, e:]).output])",
            "hard_coded_size",
            "写着 2",
            "softmax",
        ),
        (
            "bug_heads",
            "def f(Q, heads, h):\n    return np.hsplit(Q, heads)[h - 1]",
            "head_before",
            "前一个头",
            "用上了",
        ),
        (
            "attention_scores",
            "def f(Q, K):\n    return Q @ other.T",
            "outside_array",
            "外面的 other",
            "形状不对",
        ),
        ("attention_scores", "def f(Q, K):\n    return Q @ K.transpose", "raised", ".transpose()", "operand"),
        (
            "softmax",
            "def f(s):\n    e = np.exp(s - s.mean(axis=1, keepdims=True))\n"
            "    return e / e.sum(axis=1, keepdims=True)",
            "other_shift",
            "平均",
            "这不是 softmax",
        ),
    ],
)
def test_a_wrong_function_is_not_told_an_untrue_cause(exercise_id, source, mistake, words, never):
    verdict = check(exercise_id, written(source, other=np.ones((3, 4))))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)
    assert words in verdict.message
    assert never not in verdict.message


@pytest.mark.parametrize(
    "answer",
    ["4 到 128", "大于128", "超过128", "负128", "128 129", "不是 128", "128的一半", "一二八", "少128"],
)
def test_words_that_change_a_number_are_not_dropped(answer):
    assert check("pencil_memory", answer).status == "wrong"


def test_the_last_of_several_results_is_told_to_be_right():
    def every_step(Q, K, V):
        scores = np.where(np.tri(len(Q), dtype=bool), Q @ K.T / np.sqrt(K.shape[1]), -np.inf)
        weights = softmax(scores)
        return weights, weights @ V

    assert "数都对" in check("causal", every_step).message


@pytest.mark.parametrize(
    ("exercise_id", "body", "mistake"),
    [
        ("causal", "softmax(s - 5 * ~T) @ V", "subtracted_number"),
        ("causal", "softmax(s - 1e9 * ~np.tri(len(s), k=-1, dtype=bool)) @ V", "hides_itself"),
        ("causal", "np.cumsum(V, 0) / np.arange(1, len(V) + 1)[:, None]", "plain_average"),
        ("sine_positions", "woven(2 * t, 1e4)", "two_twice"),
        ("sine_positions", "woven(t, 1e3)", "other_base"),
        ("sine_positions", "woven(t - i, 1e4)", None),
        ("weighted_sum", "np.tril(weights) @ V", "lower_weights"),
        ("project", "X[:, range(W.shape[1])] @ W[range(W.shape[1])]", "terms_like_columns"),
    ],
)
def test_more_mistakes_have_a_name(exercise_id, body, mistake):
    start = {
        "causal": CAUSAL,
        "weighted_sum": "def f(weights, V):\n    ",
        "project": "def f(X, W):\n    ",
        "sine_positions": "def f(n, d):\n    i, t = np.arange(n)[:, None], np.arange(d // 2)\n"
        "    def woven(t, base):\n        a = i * base ** (-2 * t / d)\n"
        "        return np.dstack([np.sin(a), np.cos(a)]).reshape(n, d)\n    ",
    }
    verdict = check(exercise_id, written(f"{start[exercise_id]}return {body}"))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)

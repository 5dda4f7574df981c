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
        ("pencil_cost", "十六"),
        ("pencil_cost", "16 倍。"),
        ("pencil_cost", "一共是 16 倍"),
        ("pencil_path", "十九次"),
        ("pencil_table_rows", "三十"),
        ("pencil_join_rows", "一十五"),
        ("pencil_parameters", "262,144"),
        ("pencil_parameters", (262, 144)),
        ("pencil_parameters", "26.2144万"),
        ("pencil_parameters", "26万2144"),
        ("pencil_cache_bytes", "12 288"),
        ("pencil_cache_bytes", [12, 288]),
        ("pencil_memory", "128 兆"),
        ("pencil_memory", "128M"),
        ("pencil_std", "4√100"),
        ("pencil_std", "np.sqrt(1600)"),
        ("pencil_std", "4*sqrt(100)"),
        ("pencil_floor", "ln2/3"),
        ("pencil_floor", "ln 2 / 3"),
        ("pencil_difference", "9×cos60°"),
        ("pencil_difference", "9cos(60°)=4.5"),
        ("pencil_step", "1 - 0.05×(−18)"),
        ("pencil_score", "分数是0.24"),
        ("pencil_query", "q = [2, 0, 1, 4]"),
        ("weighted_values", "0.2 和 0.5"),
        ("weighted_values", {"猫": 0.2, "鱼": 0.5}),
        ("pencil_head_scores", "头1：4，头2：1"),
        ("pencil_partner", "第 2 列和第 7 列"),
        ("pencil_partner", ["第2列", "第7列"]),
        ("pencil_extremes", "(2,4)、(2,2)"),
        ("step_columns", "Q 4, V 3, scores 6, weights 6, output 3"),
        ("mask_shape", "7 乘 5"),
        ("projection_shape", "(5, 8) @ (8, 2) = (5, 2)"),
        ("projection_shape", "n=5, d_v=2"),
        ("bug_softmax", "4：keepdims=True"),
    ],
)
def test_a_right_answer_in_an_odd_style_passes(exercise_id, answer):
    assert check(exercise_id, answer).status == "passed"


@pytest.mark.parametrize(
    ("exercise_id", "answer", "mistake", "words"),
    [
        ("pencil_softmax", [0.25, 0.5], "wrong_count", "收到 2 个"),
        ("pencil_extremes", [2, 4], "wrong_count", "收到 2 个"),
        ("pencil_mix", 0.5, "wrong_count", "收到 1 个。\n"),  # 不说“只交最后的结果”
        ("pencil_deleted_key", [0.6, 0.4], "wrong_count", "收到 2 个。\n"),  # 不说“千位不用逗号”
        ("pencil_cost", "3:5", "wrong_type", "3:5"),  # 一个比，不是 5
        ("pencil_cost", "4 或 16", "wrong_type", "或"),
        ("pencil_cost", 0.0625, "inverted", "倒数"),
        ("pencil_memory", 0.128, "wrong_factor", "单位"),
        ("pencil_memory", 122.07, "by_1024", "1024"),
        ("pencil_turn", [-1, 0], None, "每一个数都不对"),
        ("pencil_influence", 1, None, "你的答案是 1。\n"),
        ("pencil_causal", [0.33, 0.66, 0], "rounded", "去掉"),
        ("pencil_path", 190, "every_two", "两两"),
        ("pencil_floor", 0.23, "rounded", "2 位小数"),
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
        (
            "layer_norm",
            "def f(X):\n    m = X.mean(axis=1, keepdims=True)\n"
            "    return (X - m) / (X.std(axis=1, keepdims=True) + 1e-5)",
            "epsilon_outside",
            "先加，再开方",
            "除出了非数",
        ),
    ],
)
def test_a_wrong_function_is_not_told_an_untrue_cause(exercise_id, source, mistake, words, never):
    verdict = check(exercise_id, written(source, other=np.ones((3, 4))))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)
    assert words in verdict.message
    assert never not in verdict.message


@pytest.mark.parametrize(
    "answer", ["4 到 16", "大于16", "超过16", "负16", "16 17", "不是 16", "16的一半", "一六", "少16"]
)
def test_words_that_change_a_number_are_not_dropped(answer):
    assert check("pencil_cost", answer).status == "wrong"


def test_the_last_of_several_results_is_told_to_be_right():
    def every_step(X, W_Q, W_K, W_V):
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
        return weights, weights @ V

    assert "数都对" in check("self_attention", every_step).message


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
        ("layer_norm", "(X - X.mean(0)) / X.std(0)", "columns"),
    ],
)
def test_more_mistakes_have_a_name(exercise_id, body, mistake):
    start = {
        "causal": CAUSAL,
        "weighted_sum": "def f(weights, V):\n    ",
        "project": "def f(X, W):\n    ",
        "layer_norm": "def f(X):\n    ",
        "sine_positions": "def f(n, d):\n    i, t = np.arange(n)[:, None], np.arange(d // 2)\n"
        "    def woven(t, base):\n        a = i * base ** (-2 * t / d)\n"
        "        return np.dstack([np.sin(a), np.cos(a)]).reshape(n, d)\n    ",
    }
    verdict = check(exercise_id, written(f"{start[exercise_id]}return {body}"))
    assert (verdict.status, verdict.mistake) == ("wrong", mistake)

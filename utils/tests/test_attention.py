"""attention.py 的事实，用逐项循环、精确分数和 torch 各核对一遍。"""

import ast
import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from utils import attention
from utils.attention import attention_scores, project, scale_scores, self_attention, softmax, weighted_sum
from utils.examples import load_example, reorder


def random_steps(seed, n_q, n_k, d_model, d_k, d_v):
    """四个大小各不相同的随机输入：转置、轴、除数错一处，形状或数值就对不上。"""
    rng = np.random.default_rng(seed)
    return {
        "X": rng.normal(size=(n_q, d_model)),
        "W": rng.normal(size=(d_model, d_k)),
        "Q": rng.normal(size=(n_q, d_k)),
        "K": rng.normal(size=(n_k, d_k)),
        "V": rng.normal(size=(n_k, d_v)),
    }


SIZES = [(0, 2, 5, 3, 7, 4), (1, 5, 3, 8, 4, 2), (2, 1, 6, 2, 9, 1), (3, 7, 1, 4, 1, 5)]


@pytest.fixture(params=SIZES, ids=str)
def random(request):
    return random_steps(*request.param)


def run(name):
    example = load_example(name)
    return self_attention(example.X, example.W_Q, example.W_K, example.W_V)


# ── 与循环一致 ────────────────────────────────────────────────────────────


def test_project_is_one_dot_product_of_row_and_column_per_entry(random):
    X, W = random["X"], random["W"]
    expected = [
        [sum(X[i, m] * W[m, j] for m in range(X.shape[1])) for j in range(W.shape[1])] for i in range(len(X))
    ]
    np.testing.assert_allclose(project(X, W), expected, atol=1e-12)


def test_score_i_j_is_query_i_dot_key_j(random):
    Q, K = random["Q"], random["K"]
    expected = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]
    np.testing.assert_allclose(attention_scores(Q, K), expected, atol=1e-12)


@pytest.mark.parametrize("d_k", [1, 4, 768, 2.5, np.int64(9), np.float32(16)])
def test_scaling_divides_every_score_by_the_square_root_of_d_k(d_k):
    scores = [[3.0, -1.0, 0.5]]
    np.testing.assert_allclose(
        scale_scores(scores, d_k), [[s / math.sqrt(d_k) for s in scores[0]]], atol=1e-12
    )


def test_softmax_is_exp_over_the_sum_of_the_row(random):
    scores = random["Q"] @ random["K"].T
    expected = [[math.exp(s) / sum(math.exp(t) for t in row) for s in row] for row in scores]
    np.testing.assert_allclose(softmax(scores), expected, atol=1e-12)


def test_weighted_sum_adds_the_values_times_their_weights(random):
    V = random["V"]
    weights = np.arange(3 * len(V), dtype=float).reshape(3, len(V))
    expected = [[sum(w * v for w, v in zip(row, column, strict=True)) for column in V.T] for row in weights]
    np.testing.assert_allclose(weighted_sum(weights, V), expected, atol=1e-12)


# ── 与 torch 一致 ─────────────────────────────────────────────────────────


def test_the_five_steps_equal_torch_scaled_dot_product_attention(random):
    Q, K, V = random["Q"], random["K"], random["V"]
    ours = weighted_sum(softmax(scale_scores(attention_scores(Q, K), Q.shape[1])), V)
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V)))
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-12)


@pytest.mark.parametrize("name", ["我爱你", "猫吃鱼"])
def test_self_attention_equals_torch_on_both_examples(name):
    example = load_example(name)
    X, W_Q, W_K, W_V = (torch.from_numpy(a) for a in (example.X, example.W_Q, example.W_K, example.W_V))
    theirs = torch.nn.functional.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)
    np.testing.assert_allclose(run(name).output, theirs.numpy(), atol=1e-12)


def test_a_key_of_minus_infinity_is_masked_as_in_torch():
    scores = np.array([[1.0, -np.inf, 0.5], [-np.inf, -np.inf, 3.0]])
    np.testing.assert_allclose(
        softmax(scores), torch.softmax(torch.from_numpy(scores), dim=1).numpy(), atol=1e-15
    )
    assert softmax(scores)[0, 1] == 0 and softmax(scores)[1, 2] == 1
    assert np.isneginf(scale_scores(scores, 4)[0, 1])


# ── 与原文和设计的数一致 ──────────────────────────────────────────────────


def test_integer_example_up_to_the_scaled_scores_is_exact():
    """我爱你 的投影、打分、缩放用精确分数逐项算，与浮点结果一个不差。"""
    example = load_example("我爱你")
    exact = {
        name: [[Fraction(v) for v in row] for row in getattr(example, name)] for name in ("X", "W_Q", "W_K")
    }

    def times(A, B):
        return [
            [sum(a * b for a, b in zip(row, col, strict=True)) for col in zip(*B, strict=True)] for row in A
        ]

    Q, K = times(exact["X"], exact["W_Q"]), times(exact["X"], exact["W_K"])
    scores = times(Q, list(zip(*K, strict=True)))
    steps = run("我爱你")
    assert steps.Q.tolist() == Q and steps.K.tolist() == K and steps.scores.tolist() == scores
    assert steps.scaled_scores.tolist() == [[s / 2 for s in row] for row in scores]


def test_integer_example_weights_follow_from_e_and_its_square_root():
    """第一行是 e : √e : √e，化简为 √e : 1 : 1。"""
    big = math.sqrt(math.e) / (math.sqrt(math.e) + 2)
    small = 1 / (math.sqrt(math.e) + 2)
    expected = [[big, small, small], [1 / 3] * 3, [small, small, big]]
    np.testing.assert_allclose(run("我爱你").weights, expected, atol=1e-15)


def test_numbers_of_the_sources():
    """两篇原文给出的 Q、K、分数和权重；猫吃鱼 的权重按正确的 softmax。"""
    wo = run("我爱你")
    assert wo.scores.tolist() == [[2, 1, 1], [1, 1, 1], [1, 1, 2]]
    assert wo.weights.round(2).tolist() == [[0.45, 0.27, 0.27], [0.33, 0.33, 0.33], [0.27, 0.27, 0.45]]
    mao = run("猫吃鱼")
    np.testing.assert_allclose(mao.scores[1], [0.37, 0.68, 0.37], atol=1e-12)
    np.testing.assert_allclose(mao.weights[1], [0.316, 0.369, 0.316], atol=5e-4)


def test_numbers_of_the_lesson():
    """课程里出现的四位小数，由手算得到，不是从程序抄来。"""
    wo, mao = run("我爱你"), run("猫吃鱼")
    output = [[1.4519, 1.0963, 1.1778, 0.8222], [1.3333, 1.3333, 1, 1], [1.4519, 1.4519, 1, 1]]
    np.testing.assert_allclose(wo.output, output, atol=5e-5)
    scores = [[0.92, 0.37, 0.14], [0.37, 0.68, 0.37], [0.16, 0.36, 0.95]]
    weights = [[0.4104, 0.3117, 0.2779], [0.3157, 0.3686, 0.3157], [0.2786, 0.3079, 0.4135]]
    np.testing.assert_allclose(mao.scores, scores, atol=1e-12)
    np.testing.assert_allclose(mao.weights, weights, atol=5e-5)
    np.testing.assert_allclose(mao.output, np.array(weights)[:, [0, 2]], atol=5e-5)


def test_numbers_of_fish_eats_cat():
    example = reorder(load_example("猫吃鱼"), "鱼吃猫")
    weights = self_attention(example.X, example.W_Q, example.W_K, example.W_V).weights
    expected = [[0.3862, 0.3100, 0.3038], [0.3173, 0.3686, 0.3141], [0.3041, 0.3150, 0.3809]]
    np.testing.assert_allclose(weights, expected, atol=5e-5)


# ── 性质 ──────────────────────────────────────────────────────────────────


def test_every_row_of_weights_sums_to_one_and_lies_between_zero_and_one(random):
    weights = softmax(random["Q"] @ random["K"].T)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights >= 0).all() and (weights <= 1).all()


def test_adding_a_number_to_a_whole_row_leaves_its_weights_unchanged(random):
    scores = random["Q"] @ random["K"].T
    shift = np.linspace(-500, 500, len(scores))[:, None]
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), atol=1e-12)


def test_softmax_survives_scores_of_any_size():
    np.testing.assert_allclose(softmax([[1000.0, 999.0]]), softmax([[1.0, 0.0]]), atol=1e-15)
    np.testing.assert_allclose(softmax([[-1000.0, -1000.0]]), [[0.5, 0.5]], atol=1e-15)


def test_equal_scores_get_equal_weights():
    weights = run("猫吃鱼").weights
    assert weights[1, 0] == pytest.approx(weights[1, 2], abs=1e-15)


def test_swapping_queries_and_keys_transposes_the_scores(random):
    Q, K = random["Q"], random["K"]
    np.testing.assert_allclose(attention_scores(K, Q), attention_scores(Q, K).T, atol=1e-12)


def test_without_places_reordering_the_tokens_reorders_the_output():
    example = load_example("我爱你")
    other = reorder(example, "你爱我")
    output = self_attention(other.X, other.W_Q, other.W_K, other.W_V).output
    np.testing.assert_allclose(output, run("我爱你").output[::-1], atol=1e-12)


def test_steps_hold_the_results_of_the_single_functions():
    example = load_example("猫吃鱼")
    steps = run("猫吃鱼")
    assert steps._fields == ("Q", "K", "V", "scores", "scaled_scores", "weights", "output")
    np.testing.assert_array_equal(steps.V, project(example.X, example.W_V))
    np.testing.assert_array_equal(steps.scores, attention_scores(steps.Q, steps.K))
    np.testing.assert_array_equal(steps.scaled_scores, scale_scores(steps.scores, 4))
    np.testing.assert_array_equal(steps.weights, softmax(steps.scaled_scores))
    np.testing.assert_array_equal(steps.output, weighted_sum(steps.weights, steps.V))


CALLS = {
    "project": (project, [[[1.0, 2.0]], [[1.0], [2.0]]]),
    "attention_scores": (attention_scores, [[[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]]]),
    "scale_scores": (scale_scores, [[[1.0, 2.0]], 4]),
    "softmax": (softmax, [[[1.0, 2.0]]]),
    "weighted_sum": (weighted_sum, [[[0.25, 0.75]], [[1.0], [2.0]]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_arguments_stay_unchanged_and_the_result_is_new(name):
    function, arguments = CALLS[name]
    given = [np.array(a) if isinstance(a, list) else a for a in arguments]
    before = [np.copy(a) for a in given]
    result = function(*given)
    for argument, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(argument, copy)
        assert not np.shares_memory(result, argument)


@pytest.mark.parametrize("name", CALLS)
def test_lists_integers_float32_and_read_only_arrays_give_float64(name):
    function, arguments = CALLS[name]
    expected = function(*arguments)
    narrow = [np.array(a, dtype=np.float32) if isinstance(a, list) else a for a in arguments]
    for array in narrow:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    result = function(*narrow)
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, expected, atol=1e-7)


def test_module_imports_numpy_alone():
    tree = ast.parse(inspect.getsource(attention))
    imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"numpy", "typing"}


# ── 错误：规则、两个形状、怎么办 ──────────────────────────────────────────

M34, M38, M44 = np.ones((3, 4)), np.ones((3, 8)), np.ones((4, 4))
INF, NAN = float("inf"), float("nan")
MASKED = np.ma.array([[1.0, 2.0]], mask=[[False, True]])

MISFITS = {
    "X 与 W 对不上": (lambda: project(M34, M38), ["X (3, 4)", "W (3, 8)", "列数", "行数"]),
    "Q 与 K 宽度不同": (lambda: attention_scores(M34, M38), ["Q (3, 4)", "K (3, 8)", "d_k"]),
    "K 转置了两次": (lambda: attention_scores(M34, M34.T), ["Q (3, 4)", "K (4, 3)", "不用先转置"]),
    "weights 与 V 对不上": (lambda: weighted_sum(M34, M34), ["weights (3, 4)", "V (3, 4)", "n_k"]),
    "W_Q 与 W_K 宽度不同": (lambda: self_attention(M34, M44, np.ones((4, 2)), M44), ["Q (3, 4)", "K (3, 2)"]),
    "一维": (lambda: project([1, 2], M44), ["(n, d_model)", "(2,)", "二维"]),
    "一维的 V": (lambda: weighted_sum(np.eye(2), [1, 2]), ["(n_k, d_v)", "(2,)", "V, (-1, 1)"]),
    "三维": (lambda: softmax(np.ones((2, 3, 3))), ["(n_q, n_k)", "(2, 3, 3)", "二维"]),
    "零维": (lambda: weighted_sum(1.0, M44), ["(n_q, n_k)", "()", "二维"]),
    "没有词元": (lambda: project(np.ones((0, 4)), M44), ["(n, d_model)", "(0, 4)", "空"]),
    "没有列": (lambda: attention_scores(np.ones((3, 0)), np.ones((3, 0))), ["(n_q, d_k)", "(3, 0)", "空"]),
    "文字": (lambda: project([["猫", "鱼"]], M44), ["(n, d_model)", "list", "实数"]),
    "长短不一": (lambda: project([[1, 2], [3]], M44), ["(n, d_model)", "2 行，每行 1 或 2 个", "一样多"]),
    "空列表": (lambda: project([], M44), ["(n, d_model)", "(0,)", "空"]),
    "object 数组": (lambda: softmax(np.full((2, 2), None)), ["(n_q, n_k)", "(2, 2)，元素类型 object"]),
    "np.ma 的遮罩": (
        lambda: softmax(MASKED),
        ["(n_q, n_k)", "MaskedArray，形状 (1, 2)", "filled(-np.inf)"],
    ),
    "类而不是数组": (lambda: project(np.ndarray, M44), ["(n, d_model)", "type"]),
    "太大": (lambda: project([[1.0, -2e100]], M44), ["(n, d_model)", "(1, 2)", "第 1 行第 2 列", "-2e+100"]),
    "太大的 longdouble": (lambda: project(np.array([["1e999"]], np.longdouble), M44), ["(1, 1)", "1e+100"]),
    "None": (lambda: softmax(None), ["(n_q, n_k)", "NoneType", "实数"]),
    "复数": (lambda: softmax(np.ones((2, 2)) * 1j), ["(n_q, n_k)", "(2, 2)", "实数"]),
    "NaN": (lambda: project([[1, NAN]], [[1], [2]]), ["(n, d_model)", "(1, 2)", "第 1 行第 2 列", "nan"]),
    "无穷": (lambda: weighted_sum([[1.0]], [[INF]]), ["(n_k, d_v)", "(1, 1)", "inf"]),
    "分数里的 +∞": (lambda: softmax([[1.0, INF]]), ["(n_q, n_k)", "(1, 2)", "正无穷"]),
    "Q 里的 −∞": (lambda: attention_scores([[-INF]], [[1.0]]), ["(n_q, d_k)", "(1, 1)", "-inf"]),
    "整行被遮住": (lambda: softmax([[0.0, 1.0], [-INF, -INF]]), ["(n_q, n_k)", "(2, 2)", "第 2 行", "遮住"]),
}


@pytest.mark.parametrize("case", MISFITS)
def test_bad_input_raises_value_error_with_rule_both_shapes_and_way_out(case):
    call, parts = MISFITS[case]
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert all(part in message for part in [*parts, "收到", "怎么办"]), message


@pytest.mark.parametrize("d_k", [0, -4, NAN, INF, "4", None, (3, 4), True, [4], np.ones(1), 4j, 10**400])
def test_d_k_must_be_a_positive_number(d_k):
    with pytest.raises(ValueError, match="d_k 必须是一个正数") as caught:
        scale_scores(M34, d_k)
    assert "(3, 4)" in str(caught.value) and "怎么办" in str(caught.value)


@pytest.mark.parametrize(
    ("X", "way_out"),
    [
        ([1.0, 2.0], "np.reshape(X, (1, -1))"),
        (np.ones(2), "np.reshape(X, (-1, 1))"),
        (np.ones((2, 3, 2)), "X[0]"),
        ([[[[1.0, 2.0]]]], "X[0][0]"),
        (torch.ones((2, 2), requires_grad=True), "X.detach().double().numpy()"),
        (torch.ones((2, 2), dtype=torch.bfloat16), "X.detach().double().numpy()"),
        (np.array([[1, 2]], dtype=object), "X.astype(float)"),
        (MASKED, "X.filled(0)"),
    ],
)
def test_the_code_in_the_message_is_a_way_out(X, way_out):
    with pytest.raises(ValueError) as caught:
        project(X, M44)
    assert way_out in str(caught.value)
    accepted = eval(way_out, {"X": X, "np": np})
    assert (
        project(accepted, np.ones((accepted.shape[1] if hasattr(accepted, "shape") else 2, 1))).shape[1] == 1
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_numbers_allowed_overflow_nowhere(sign):
    huge = np.full((50, 50), sign * attention.LARGEST)
    assert np.isfinite(project(huge, huge)).all()
    assert np.isfinite(attention_scores(huge, huge)).all()
    assert np.isfinite(scale_scores(huge, 5e-324)).all()
    assert softmax([[attention.LARGEST, -attention.LARGEST]]).tolist() == [[1, 0]]
    assert np.isfinite(weighted_sum(huge, huge)).all()


def test_a_torch_tensor_that_requires_grad_gets_the_way_out():
    with pytest.raises(ValueError, match=r"detach\(\)"):
        project(torch.ones(3, 4, requires_grad=True), M44)
    np.testing.assert_array_equal(project(torch.ones(3, 4), M44), M34 @ M44)

"""sql.py 的事实：三张表和几条 SQL 算出的，就是 numpy 和 torch 算出的注意力。"""

import math
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
import torch

from utils import sql
from utils.attention import self_attention
from utils.examples import load_example, reorder
from utils.tests.design import DESIGN

ATTACK = "'); DROP TABLE q;--"


def random_QKV(seed, n, d_k, d_v):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, width)) for width in (d_k, d_k, d_v)]


def found(connection, token):
    """精确 JOIN 找到的值，(行数, 列数) 的列表。"""
    table = sql.rows(connection, sql.EXACT_JOIN, wanted=token)
    return [
        [value for place, _, _, value in table if place == row] for row in dict.fromkeys(r[0] for r in table)
    ]


@pytest.fixture
def connection():
    example = load_example("猫吃鱼")
    steps = self_attention(example.X, example.W_Q, example.W_K, example.W_V)
    with closing(sql.load(example.tokens, steps.Q, steps.K, steps.V)) as connection:
        yield connection


# ── 模糊 JOIN 就是注意力 ──────────────────────────────────────────────────


@pytest.mark.parametrize("name, order", [("我爱你", "我爱你"), ("猫吃鱼", "猫吃鱼"), ("猫吃鱼", "鱼吃猫")])
def test_every_step_in_sql_equals_the_same_step_of_self_attention(name, order):
    example = reorder(load_example(name), order)
    steps = self_attention(example.X, example.W_Q, example.W_K, example.W_V)
    with closing(sql.load(example.tokens, steps.Q, steps.K, steps.V)) as connection:
        for step in ("scores", "scaled_scores", "weights", "output"):
            np.testing.assert_allclose(sql.result(connection, step), getattr(steps, step), rtol=0, atol=1e-12)
        weights, output = sql.attention(connection)
    np.testing.assert_allclose(weights, steps.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(output, steps.output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", [(0, 5, 3, 4), (1, 3, 4, 2), (2, 1, 9, 1), (3, 12, 1, 11)], ids=str)
def test_the_fuzzy_join_equals_torch_whatever_the_sizes_are(sizes):
    Q, K, V = random_QKV(*sizes)
    with closing(sql.load(range(sizes[1]), Q, K, V)) as connection:
        weights, output = sql.attention(connection)
    Q, K, V = map(torch.from_numpy, (Q, K, V))
    expected = torch.softmax(Q @ K.T / math.sqrt(Q.shape[1]), dim=1)
    np.testing.assert_allclose(weights, expected.numpy(), rtol=0, atol=1e-12)
    sdpa = torch.nn.functional.scaled_dot_product_attention(Q, K, V)
    np.testing.assert_allclose(output, sdpa.numpy(), rtol=0, atol=1e-12)


def test_the_statement_that_is_shown_is_the_statement_that_is_run(connection):
    """笔记本打印 FUZZY_JOIN；一字不改交给 sqlite3，得到猫吃鱼的输出。"""
    table = connection.execute(sql.FUZZY_JOIN, {"d_k": 4}).fetchall()
    assert [(i, j) for i, j, _ in table] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    expected = np.ravel(DESIGN["猫吃鱼"]["output"])
    np.testing.assert_allclose([value for _, _, value in table], expected, atol=5e-5)


def test_scores_of_a_thousand_do_not_overflow():
    with closing(sql.load("甲乙", [[1000.0], [-1000.0]], [[1.0], [0.999]], [[1.0], [2.0]])) as connection:
        weights, _ = sql.attention(connection)
    first = 1 / (1 + math.exp(-1))
    np.testing.assert_allclose(weights, [[first, 1 - first], [1 - first, first]], atol=1e-12)


def test_deleting_a_key_is_the_same_as_masking_it():
    """删掉 k 里的一行，其余权重重新分，与 torch 的遮罩一致。"""
    Q, K, V = random_QKV(4, 4, 3, 2)
    with closing(sql.load("猫吃鱼儿", Q, K, V)) as connection:
        sql.rows(connection, "DELETE FROM k WHERE token = :token", token="吃")
        weights, output = sql.attention(connection)
    assert weights.shape == (4, 3)
    kept = torch.tensor([True, False, True, True]).expand(4, 4)
    masked = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (Q, K, V)), attn_mask=kept
    )
    np.testing.assert_allclose(output, masked.numpy(), atol=1e-12)


# ── 精确 JOIN：命中或不命中 ────────────────────────────────────────────────


def test_the_exact_join_returns_the_values_of_the_token_or_nothing(connection):
    assert sql.rows(connection, sql.EXACT_JOIN, wanted="狗") == []
    assert sql.rows(connection, sql.EXACT_JOIN, wanted="猫") == [(1, "猫", 1, 1.0), (1, "猫", 2, 0.0)]


def test_one_hot_matches_with_huge_scores_turn_the_fuzzy_join_into_the_exact_one():
    V = np.array([[3.0, -1.0], [2.0, 5.0], [7.0, 0.5]])
    with closing(sql.load("猫吃鱼", 1000 * np.eye(3), np.eye(3), V)) as connection:
        output = sql.result(connection)
        for row, token in zip(output, "猫吃鱼", strict=True):
            np.testing.assert_allclose(found(connection, token), [row], atol=1e-12)


def test_repeated_tokens_are_distinct_rows():
    Q, K, V = random_QKV(5, 3, 2, 4)
    with closing(sql.load("好好好", Q, K, V)) as connection:
        np.testing.assert_array_equal(found(connection, "好"), V)
        weights, _ = sql.attention(connection)
    with closing(sql.load("甲乙丙", Q, K, V)) as connection:
        np.testing.assert_array_equal(weights, sql.attention(connection)[0])


# ── 词元只是数据 ──────────────────────────────────────────────────────────


@pytest.mark.parametrize("token", [ATTACK, '"', "' OR '1'='1", ":d_k", "?", "NULL", "猫\n"])
def test_a_token_is_data_and_never_sql(token):
    Q, K, V = random_QKV(6, 2, 3, 2)
    with closing(sql.load([token, "猫"], Q, K, V)) as connection:
        assert found(connection, token) == V[:1].tolist() and found(connection, token + "x") == []
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        assert tables.fetchall() == [("k",), ("q",), ("v",)]
        expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V)))
        np.testing.assert_allclose(sql.result(connection), expected.numpy(), atol=1e-12)


# ── 到哪里都一样 ──────────────────────────────────────────────────────────


def test_exp_and_sqrt_are_our_own_and_do_not_depend_on_how_sqlite_was_built(connection):
    ours = connection.execute("SELECT name FROM pragma_function_list WHERE NOT builtin").fetchall()
    assert {("exp",), ("sqrt",)} <= set(ours)


def test_the_database_has_no_file(connection):
    assert [row[2] for row in connection.execute("PRAGMA database_list")] == [""]


def test_another_thread_may_use_the_connection(connection):
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(sql.result, connection).result()
    np.testing.assert_array_equal(there, sql.result(connection))


def test_every_statement_fits_a_slide():
    """一行不超过 80 个半角字符（汉字算两个）；一步不超过 3 行，整条不超过 18 行。"""
    for text, most in [
        *((step, 3) for step in sql.STEPS.values()),
        (sql.EXACT_JOIN, 6),
        (sql.FUZZY_JOIN, 18),
    ]:
        lines = text.splitlines()
        assert len(lines) <= most
        assert all(sum(1 + (char > "\u2e80") for char in line) <= 80 for line in lines)
    assert all(step in sql.FUZZY_JOIN.replace("\n  ", "\n") for step in sql.STEPS.values())


# ── 显示 ──────────────────────────────────────────────────────────────────


def test_rows_show_a_table_and_keep_the_full_number(connection):
    table = sql.rows(connection, "SELECT 1 AS i, '猫' AS token, 1.0 / 3 AS value, 2.0 AS two, NULL AS none")
    assert table.columns == ("i", "token", "value", "two", "none")
    assert repr(table) == "i | token | value | two | none\n1 | 猫 | 0.3333 | 2 | NULL"
    assert table == [(1, "猫", 1 / 3, 2.0, None)]


def test_no_rows_say_so(connection):
    none = sql.rows(connection, sql.EXACT_JOIN, wanted="狗")
    assert repr(none) == "position | token | dim | value\n（0 行）" and "（0 行）" in none._repr_html_()
    assert repr(sql.rows(connection, "DELETE FROM q WHERE position = 1")) == "（0 行）"


def test_html_in_a_token_is_shown_and_not_obeyed(connection):
    page = sql.rows(connection, "SELECT :token AS '<i>'", token="<b>&")._repr_html_()
    assert "<td>&lt;b&gt;&amp;</td>" in page and "<th>&lt;i&gt;</th>" in page


# ── 错误 ──────────────────────────────────────────────────────────────────

M34, M32 = np.ones((3, 4)), np.ones((3, 2))
MISFITS = {
    "V 转置了": (lambda: sql.load("猫吃鱼", M34, M34, M34.T), "K 与 V 的行数必须相同（都是 n）"),
    "Q 与 K 宽度不同": (lambda: sql.load("猫吃鱼", M34, M32, M32), "Q 与 K 的列数必须相同（都是 d_k）"),
    "词元少了": (lambda: sql.load("猫吃", M34, M34, M32), "tokens 要一行一个，共 3 个"),
    "空词元": (lambda: sql.load(["猫", "", "鱼"], M34, M34, M32), "看得见的文字"),
    "没有这一步": (lambda: sql.fuzzy_join("softmax"), "scores、scaled_scores、exponentials、weights、output"),
    "步骤里的 SQL": (lambda: sql.fuzzy_join("output; DROP TABLE q"), "step 必须是"),
    "没有连接": (lambda: sql.rows(M34, sql.FUZZY_JOIN, d_k=4), "connection = load(tokens, Q, K, V)"),
}


@pytest.mark.parametrize("case", MISFITS)
def test_what_does_not_fit_is_refused(case):
    call, part = MISFITS[case]
    with pytest.raises(ValueError, match="怎么办") as caught:
        call()
    assert part in str(caught.value)


def test_a_forgotten_parameter_is_an_error_and_not_a_null(connection):
    with pytest.raises(sqlite3.ProgrammingError, match="d_k"):
        sql.rows(connection, sql.FUZZY_JOIN)

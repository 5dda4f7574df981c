"""查：把 Q、K、V 放进 SQLite 的三张表，注意力就是一次模糊的 JOIN。

    精确 JOIN   字段相等才算命中；没有相等的，一行也不返回
    模糊 JOIN   每一对都打分，分数变成权重，所有行按权重混合

三张表的形状相同，一行是矩阵里的一个数：

    q、k、v (position, token, dim, value)
        position  第几个词元，从 1 数起；主键是 (position, dim)，所以重复的词元仍是不同的行
        token     词元本身，只是数据
        dim       第几列，从 1 数起

数据都作为参数绑定，从不拼进 SQL 文本。数据库在内存里，不产生文件；用完 ``connection.close()``。

来源：Vaswani 等，《Attention Is All You Need》，2017，3.2.1 节，式 (1)；表的写法是本课程自己的。
"""

import html
import math
import sqlite3
from textwrap import indent

import numpy as np

from utils.checks import as_arrays, as_names, require, shown
from utils.numbers import write

EXACT_JOIN = """\
WITH wanted(token) AS (VALUES (:wanted))          -- 查询条件
SELECT v.position, v.token, v.dim, v.value        -- 实际数据
FROM wanted JOIN v ON v.token = wanted.token      -- 索引字段：相等才命中
ORDER BY v.position, v.dim"""

# 一步一个 SELECT，名字与 utils.attention 里的数组相同；softmax 分两步写
STEPS = {
    "scores": """\
SELECT q.position AS query, k.position AS key, SUM(q.value * k.value) AS score
FROM q JOIN k ON k.dim = q.dim GROUP BY query, key  -- 打分：每一对都算""",
    "scaled_scores": """\
SELECT query, key, score / sqrt(:d_k) AS scaled
FROM scores  -- 缩放""",
    "exponentials": """\
SELECT query, key, exp(scaled - MAX(scaled) OVER (PARTITION BY query)) AS e
FROM scaled_scores  -- softmax：取 exp""",
    "weights": """\
SELECT query, key, e / SUM(e) OVER (PARTITION BY query) AS weight
FROM exponentials  -- softmax：除以一行的和""",
    "output": """\
SELECT query, v.dim, SUM(weight * v.value) AS value
FROM weights JOIN v ON v.position = key GROUP BY query, dim  -- 加权求和""",
}


def fuzzy_join(step="output"):
    """算到某一步为止的完整 SQL：前面每一步是一个 CTE（WITH 里有名字的查询）。

    step : STEPS 里的名字。返回文本，有一个要绑定的参数 ``:d_k``。ValueError：没有这一步。
    """
    require(step in list(STEPS), "step 必须是模糊 JOIN 的一步", shown(step), f"改成 {'、'.join(STEPS)} 之一")
    names = list(STEPS)[: list(STEPS).index(step) + 1]
    ctes = ", ".join(f"{name} AS (\n{indent(STEPS[name], '  ')}\n)" for name in names)
    return f"WITH {ctes}\nSELECT * FROM {step} ORDER BY 1, 2"


FUZZY_JOIN = fuzzy_join()


class Rows(list):
    """查询结果：一列元组，加上列名 ``columns``；显示成表格，数字最多 4 位小数，存着的数不变。"""

    def __init__(self, columns, rows):
        super().__init__(rows)
        self.columns = tuple(columns)

    def __repr__(self):
        lines = [self.columns, *([_cell(value) for value in row] for row in self)]
        return "\n".join([" | ".join(line) for line in lines if line] + ["（0 行）"] * (not self))

    def _repr_html_(self):
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = (
            "<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>" for value in row) + "</tr>"
            for row in self
        )
        none = "" if self else f'<tr><td colspan="{len(self.columns)}">（0 行）</td></tr>'
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}{none}</tbody></table>"


def load(tokens, Q, K, V):
    """新建一个内存数据库，把 Q、K、V 存成表 q、k、v，返回它的连接。

    tokens : n 个词元，三个矩阵都一行一个；Q, K : (n, d_k)；V : (n, d_v)。
    ValueError：不是二维数值矩阵、为空、含 NaN 或无穷，词元不是看得见的文字，或形状对不上。
    """
    Q, K, V = as_arrays("(n, d_k), (n, d_k), (n, d_v)", Q=Q, K=K, V=V)
    tokens = as_names("tokens", tokens, len(K), "行", filled=True)
    # Jupyter 的子线程也能用同一个连接；SQLite 自己会排队
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    # 有的 Python 自带的 SQLite 编译时没有打开数学函数，所以自己登记，到哪里都一样
    connection.create_function("exp", 1, math.exp, deterministic=True)
    connection.create_function("sqrt", 1, math.sqrt, deterministic=True)
    for table, M in (("q", Q), ("k", K), ("v", V)):
        connection.execute(
            f"CREATE TABLE {table} "
            "(position INTEGER, token TEXT, dim INTEGER, value REAL, PRIMARY KEY (position, dim))"
        )
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", _long_form(tokens, M))
    connection.commit()
    return connection


def rows(connection, sql, /, **parameters):
    """执行一条 SQL，返回 ``Rows``；参数按名字绑定，如 ``rows(connection, FUZZY_JOIN, d_k=4)``。

    ValueError：connection 不是 ``load`` 返回的连接。
    sqlite3.Error：SQL 写错了；消息是 SQLite 的原话。
    """
    kind = type(connection).__name__
    is_connection = isinstance(connection, sqlite3.Connection)
    require(is_connection, "connection 必须是数据库的连接", kind, "先写 connection = load(tokens, Q, K, V)")
    cursor = connection.execute(sql, parameters)
    return Rows([column[0] for column in cursor.description or ()], cursor)


def result(connection, step="output"):
    """模糊 JOIN 某一步的结果，排回矩阵。

    step : STEPS 里的名字。返回 float64：output 是 (n_q, d_v)，其余各步是 (n_q, n_k)。ValueError：没有这一步。
    """
    sql = fuzzy_join(step)
    ((d_k,),) = rows(connection, "SELECT COUNT(DISTINCT dim) FROM k")
    table = rows(connection, sql, d_k=d_k)
    n_q = len({query for query, _, _ in table})
    return np.array([value for _, _, value in table]).reshape(n_q, -1)


def attention(connection):
    """用 SQL 算出的注意力：(weights, output)，形状 (n_q, n_k) 和 (n_q, d_v)。"""
    return result(connection, "weights"), result(connection, "output")


def _long_form(tokens, M):
    """矩阵的长表：一个数一行 (position, token, dim, value)。"""
    for i, (token, row) in enumerate(zip(tokens, M.tolist(), strict=True), start=1):
        for j, value in enumerate(row, start=1):
            yield i, token, j, value


def _cell(value):
    return write(value) if isinstance(value, float) else "NULL" if value is None else str(value)

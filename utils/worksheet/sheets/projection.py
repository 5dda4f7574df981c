"""第 1 步：X 乘三个投影矩阵。手算 Q 第 1 行的最后一个数。"""

from utils.worksheet.paper import dot_product, example, numbered, on_paper, table, texts

TITLE = "1 投影"


def numbers():
    """写在纸上的数。"""
    e, steps = example("我爱你")
    X, W_Q, Q = map(on_paper, (e.X, e.W_Q, steps.Q))
    k_columns = numbered(e.d_k)
    return {
        "example": e,
        "given": [
            table("X", "X", e.tokens, e.X_columns, X),
            table("W_Q", "W_Q", e.X_columns, k_columns, W_Q),
            table("W_K", "W_K", e.X_columns, k_columns, e.W_K),
            table("W_V", "W_V", e.X_columns, e.V_columns, e.W_V),
        ],
        "column": e.d_k,
        "work": dot_product(X[0], W_Q[:, -1]),
        "results": [
            table("Q", "Q", e.tokens, k_columns, Q),
            table("K", "K", e.tokens, k_columns, steps.K),
            table("V", "V", e.tokens, e.V_columns, steps.V),
        ],
        "parameter_sums": texts(W_Q.sum(axis=1)),
        "row_sums": texts(Q.sum(axis=1)),
    }

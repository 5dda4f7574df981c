"""第 5 步：按权重混合 V 的各行。权重只写两位小数，结果也写两位。"""

from utils.worksheet.paper import PENCIL, dot_product, example, on_paper, table, texts

TITLE = "5 加权求和"
EATER = 1  # 「猫吃鱼」只算“吃”这一行


def numbers():
    """写在纸上的数。"""
    (e, steps), (cat, cat_steps) = example("我爱你"), example("猫吃鱼")
    V = on_paper(steps.V)
    return {
        "example": e,
        "cat": cat,
        "looking": EATER,
        "main": _mixing_by_pencil("", e, steps, range(e.n)),
        "practice": _mixing_by_pencil("cat-", cat, cat_steps, [EATER]),
        "smallest": texts(V.min(axis=0)),
        "largest": texts(V.max(axis=0)),
        "one_hot": texts(V[1]),
        "mean": texts(steps.V.mean(axis=0)),
    }


def _mixing_by_pencil(id, e, steps, rows):
    """几行加权求和的笔算过程，和 Python 的结果。"""
    tokens = [e.tokens[row] for row in rows]
    weights, V = on_paper(steps.weights[list(rows)], PENCIL), on_paper(steps.V)
    return {
        "weights": table(f"{id}weights", r"\text{weights}", tokens, e.tokens, weights, PENCIL),
        "V": table(f"{id}V", "V", e.tokens, e.V_columns, V),
        "work": dot_product(weights[0], V[:, 0], PENCIL),
        "result": table(f"{id}output", r"\text{output}", tokens, e.V_columns, weights @ V, PENCIL),
        "python": [(e.tokens[row], texts(steps.output[row])) for row in rows],
    }

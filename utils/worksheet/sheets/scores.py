"""第 2 步：每个查询与每个键做点积。手算“我”看向“爱”，再算「猫吃鱼」里“吃”的一行。"""

from utils.worksheet.paper import dot_product, example, numbered, on_paper, table, texts

TITLE = "2 打分"
EATER = 1  # 「猫吃鱼」只算“吃”这一行


def numbers():
    """写在纸上的数。"""
    (e, steps), (cat, cat_steps) = example("我爱你"), example("猫吃鱼")
    Q, K, found = map(on_paper, (steps.Q, steps.K, steps.scores))
    cat_Q, cat_K, cat_found = map(on_paper, (cat_steps.Q, cat_steps.K, cat_steps.scores))
    name = r"\text{scores}"
    return {
        "example": e,
        "cat": cat,
        "looking": EATER,
        "given": [
            table("Q", "Q", e.tokens, numbered(e.d_k), Q),
            table("K", "K", e.tokens, numbered(e.d_k), K),
        ],
        "work": dot_product(Q[0], K[1]),
        "result": table("scores", name, e.tokens, e.tokens, found),
        "key_sums": texts(K.sum(axis=0)),
        "row_sums": texts(found.sum(axis=1)),
        "cat_given": [
            table("cat-Q", "Q", cat.tokens, numbered(cat.d_k), cat_Q),
            table("cat-K", "K", cat.tokens, numbered(cat.d_k), cat_K),
        ],
        "cat_work": dot_product(cat_Q[EATER], cat_K[0]),
        "cat_result": table("cat-scores", name, [cat.tokens[EATER]], cat.tokens, cat_found[[EATER]]),
        "there_and_back": texts([cat_found[0, -1], cat_found[-1, 0]]),
    }

"""每一步写在纸上的数：给出的矩阵、空格里的答案。文字在 templates/ 里。

用笔算的人手里只有纸上写着的数，所以答案也从写着的数（十进制，四舍五入过的）算起；
Python 用没有舍入的数算出的结果另写在答案页上。
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from math import isqrt

import numpy as np

from utils.attention import AttentionSteps, self_attention
from utils.examples import Example, load_example

PLACES = 4  # 纸上的数最多写几位小数
PENCIL = 2  # 用笔算的权重和输出写几位小数


# ---------------------------------------------------------------- 数的写法


def rounded(value, places: int = PLACES) -> Decimal:
    """四舍五入到 places 位；先抹掉浮点误差，所以 0.185 总是舍入成 0.19。"""
    number = value if isinstance(value, Decimal) else Decimal(f"{value:.10g}")
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def fixed(value, places: int) -> str:
    """固定的小数位数，用真正的负号，没有 −0。"""
    number = rounded(value, places)
    return f"{abs(number) if number == 0 else number:f}".replace("-", "−")


def plain(value) -> str:
    """最多 4 位小数，去掉末尾的 0。"""
    text = fixed(value, PLACES)
    return text.rstrip("0").rstrip(".")


def written(matrix, places: int = PLACES) -> list[list[Decimal]]:
    """一个矩阵写在纸上的样子：每个数四舍五入到 places 位。"""
    return [[rounded(value, places) for value in row] for row in matrix]


# ---------------------------------------------------------------- 纸上的东西


@dataclass(frozen=True)
class Table:
    """纸上的一个矩阵。

    id : 页内唯一的名字；name : LaTeX 记号；rows, columns : 行名、列名；cells : 文字，(行, 列)；
    totals : 各行的和，有时多留的一列空格。shape 写 (行, 列)，不算 totals。
    """

    id: str
    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: list[list[str]]
    totals: list[str] = field(default_factory=list)

    @property
    def shape(self) -> str:
        return f"({len(self.cells)}, {len(self.cells[0])})"


@dataclass(frozen=True)
class Work:
    """一个点积的全部过程：先写因数，再写积，最后是和。"""

    factors: list[tuple[str, str]]
    products: list[str]
    total: str


def table(id, name, rows, columns, matrix, *, write=plain, totals=()) -> Table:
    cells = [[write(value) for value in row] for row in matrix]
    return Table(id, name, rows, columns, cells, [write(value) for value in totals])


def work(left: Sequence[Decimal], right: Sequence[Decimal], *, write=plain) -> Work:
    products = [a * b for a, b in zip(left, right, strict=True)]
    factors = [(plain(a), plain(b)) for a, b in zip(left, right, strict=True)]
    return Work(factors, [plain(product) for product in products], write(sum(products)))


def numbers(count: int) -> list[str]:
    return [str(number + 1) for number in range(count)]


def product(left: list[list[Decimal]], right: list[list[Decimal]]) -> list[list[Decimal]]:
    """用笔算的矩阵乘法：写着的数相乘、相加，不再舍入。"""
    columns = list(zip(*right, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left]


def two_places(value) -> str:
    return fixed(value, PENCIL)


def load() -> list[tuple[Example, AttentionSteps]]:
    """两个例句和它们的五步：先是「我爱你」，再是「猫吃鱼」。"""
    examples = [load_example(name) for name in ("我爱你", "猫吃鱼")]
    return [(e, self_attention(e.X, e.W_Q, e.W_K, e.W_V)) for e in examples]


# ---------------------------------------------------------------- 五步


def projection() -> dict:
    """第 1 步：X 乘三个投影矩阵。手算 Q 第 1 行的最后一个数。"""
    (e, steps), _ = load()
    k_columns = numbers(e.d_k)
    X, W_Q, Q = written(e.X), written(e.W_Q), written(steps.Q)
    return {
        "example": e,
        "given": [
            table("X", "X", e.tokens, e.X_columns, X),
            table("W_Q", "W_Q", e.X_columns, k_columns, W_Q),
            table("W_K", "W_K", e.X_columns, k_columns, written(e.W_K)),
            table("W_V", "W_V", e.X_columns, e.V_columns, written(e.W_V)),
        ],
        "column": e.d_k,
        "work": work(X[0], [row[-1] for row in W_Q]),
        "results": [
            table("Q", "Q", e.tokens, k_columns, Q),
            table("K", "K", e.tokens, k_columns, written(steps.K)),
            table("V", "V", e.tokens, e.V_columns, written(steps.V)),
        ],
        "parameter_sums": [plain(sum(row)) for row in W_Q],
        "row_sums": [plain(sum(row)) for row in Q],
    }


def scores() -> dict:
    """第 2 步：每个查询与每个键做点积。手算“我”看向“爱”，再算「猫吃鱼」里“吃”的一行。"""
    (e, steps), (cat, cat_steps) = load()
    Q, K, found = written(steps.Q), written(steps.K), written(steps.scores)
    cat_Q, cat_K = written(cat_steps.Q), written(cat_steps.K)
    looking = 1  # “吃”
    return {
        "example": e,
        "cat": cat,
        "given": [
            table("Q", "Q", e.tokens, numbers(e.d_k), Q),
            table("K", "K", e.tokens, numbers(e.d_k), K),
        ],
        "work": work(Q[0], K[1]),
        "result": table("scores", r"\text{scores}", e.tokens, e.tokens, found),
        "key_sums": [plain(sum(column)) for column in zip(*K, strict=True)],
        "row_sums": [plain(sum(row)) for row in found],
        "cat_given": [
            table("cat-Q", "Q", cat.tokens, numbers(cat.d_k), cat_Q),
            table("cat-K", "K", cat.tokens, numbers(cat.d_k), cat_K),
        ],
        "looking": looking,
        "cat_work": work(cat_Q[looking], cat_K[0]),
        "cat_result": table(
            "cat-scores",
            r"\text{scores}",
            [cat.tokens[looking]],
            cat.tokens,
            [written(cat_steps.scores)[looking]],
        ),
        "there_and_back": (plain(cat_steps.scores[0, -1]), plain(cat_steps.scores[-1, 0])),
    }


def scaling() -> dict:
    """第 3 步：每个分数除以 √d_k。先认出 d_k 是哪个数，再除。"""
    both = load()
    sizes = sorted({size for e, _ in both for size in (e.n, e.d_model, e.d_k, e.d_v)})
    parts = []
    for prefix, (e, steps) in zip(("", "cat-"), both, strict=True):
        found, root = written(steps.scores), rounded(e.d_k**0.5)
        parts.append(
            {
                "example": e,
                "shapes": [(name, M.shape) for name, M in (("X", e.X), ("Q", steps.Q), ("V", steps.V))],
                "sizes": [str(size) for size in (e.n, e.d_model, e.d_k, e.d_v)],
                "given": table(f"{prefix}scores", r"\text{scores}", e.tokens, e.tokens, found),
                "division": (plain(found[0][0]), plain(root), plain(found[0][0] / root)),
                "result": table(
                    f"{prefix}scaled",
                    r"\text{scaled\_scores}",
                    e.tokens,
                    e.tokens,
                    [[value / root for value in row] for row in found],
                ),
            }
        )
    return {
        "both": parts,
        "roots": [_root(size) for size in sizes],
    }


def _root(size: int) -> str:
    """一个平方根的 LaTeX：√4 = 2，√8 ≈ 2.8284。"""
    relation = "=" if isqrt(size) ** 2 == size else r"\approx"
    return rf"\sqrt{{{size}}} {relation} {plain(size**0.5)}"


def softmax() -> dict:
    """第 4 步：一行分数变成加起来等于 1 的权重。e 的幂查表，除法写两位小数。"""
    (e, steps), (cat, cat_steps) = load()
    looking = 1  # “吃”
    main = _softmax_by_pencil(e, "", e.tokens, steps.scaled_scores, steps.weights)
    practice = _softmax_by_pencil(
        cat,
        "cat-",
        [cat.tokens[looking]],
        cat_steps.scaled_scores[[looking]],
        cat_steps.weights[[looking]],
    )
    wanted = {value for part in (main, practice) for row in part["values"] for value in row}
    return {
        "example": e,
        "cat": cat,
        "looking": looking,
        "main": main,
        "practice": practice,
        "exponentials": [(plain(value), _exp(value)) for value in sorted(wanted)],
    }


def _exp(value: Decimal) -> str:
    """表里的 e 的幂：4 位小数。"""
    return fixed(float(np.exp(float(value))), PLACES)


def _softmax_by_pencil(e: Example, prefix: str, tokens, scaled_scores, weights) -> dict:
    """几行 softmax 的笔算过程：查表，求和，相除；还有 Python 的结果。"""
    values = written(scaled_scores)
    exponentials = [[Decimal(_exp(value)) for value in row] for row in values]
    sums = [sum(row) for row in exponentials]
    pencil = [
        [rounded(value / total, PENCIL) for value in row]
        for row, total in zip(exponentials, sums, strict=True)
    ]
    exact_sums = np.exp(np.asarray(scaled_scores)).sum(axis=1)
    return {
        "values": values,
        "given": table(f"{prefix}scaled", r"\text{scaled\_scores}", tokens, e.tokens, values),
        "exp": table(
            f"{prefix}exp",
            r"e^{s}",
            tokens,
            e.tokens,
            exponentials,
            write=lambda value: fixed(value, PLACES),
            totals=sums,
        ),
        "division": (
            fixed(exponentials[0][0], PLACES),
            fixed(sums[0], PLACES),
            two_places(pencil[0][0]),
        ),
        "result": table(
            f"{prefix}weights",
            r"\text{weights}",
            tokens,
            e.tokens,
            pencil,
            write=two_places,
            totals=[sum(row) for row in pencil],
        ),
        "python": [
            (token, fixed(total, PLACES), [fixed(weight, PLACES) for weight in row])
            for token, total, row in zip(tokens, exact_sums, weights, strict=True)
        ],
    }


def weighted_sum() -> dict:
    """第 5 步：按权重混合 V 的各行。权重只写两位小数，结果也写两位。"""
    (e, steps), (cat, cat_steps) = load()
    looking = 1  # “吃”
    V = written(steps.V)
    return {
        "example": e,
        "cat": cat,
        "looking": looking,
        "main": _mixing_by_pencil(e, "", e.tokens, steps.weights, steps.V, steps.output),
        "practice": _mixing_by_pencil(
            cat,
            "cat-",
            [cat.tokens[looking]],
            cat_steps.weights[[looking]],
            cat_steps.V,
            cat_steps.output[[looking]],
        ),
        "smallest": [plain(min(column)) for column in zip(*V, strict=True)],
        "largest": [plain(max(column)) for column in zip(*V, strict=True)],
        "one_hot": [plain(x) for x in V[1]],
        "mean": [plain(x) for x in steps.V.mean(axis=0)],
    }


def _mixing_by_pencil(e: Example, prefix: str, tokens, weights, V, output) -> dict:
    """几行加权求和的笔算过程，和 Python 的结果。"""
    weights_written, V_written = written(weights, PENCIL), written(V)
    return {
        "weights": table(
            f"{prefix}weights", r"\text{weights}", tokens, e.tokens, weights_written, write=two_places
        ),
        "V": table(f"{prefix}V", "V", e.tokens, e.V_columns, V_written),
        "work": work(weights_written[0], [row[0] for row in V_written], write=two_places),
        "result": table(
            f"{prefix}output",
            r"\text{output}",
            tokens,
            e.V_columns,
            product(weights_written, V_written),
            write=two_places,
        ),
        "python": [(token, [plain(x) for x in row]) for token, row in zip(tokens, output, strict=True)],
    }


STEPS = {
    "01_projection": ("1 投影", projection),
    "02_scores": ("2 打分", scores),
    "03_scaling": ("3 缩放", scaling),
    "04_softmax": ("4 softmax", softmax),
    "05_weighted_sum": ("5 加权求和", weighted_sum),
}

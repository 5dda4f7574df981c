"""读：把 data/ 里的例句、或自己写的一句话变成 Example，并在这里一次验清。"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from utils.checks import WIDEST, as_arrays, as_integer, as_names, refusal, require, shown
from utils.positions import sine_positions

DATA = Path(__file__).resolve().parent.parent / "data"
FILES = {"我爱你": "wo_ai_ni.json", "猫吃鱼": "mao_chi_yu.json"}


@dataclass(frozen=True, eq=False, repr=False)
class Example:
    """一个例句：词元、词元表示和三个投影矩阵。自己的句子也可以这样造一个。

    tokens : n 个词元，一个词元一行
    X : (n, d_model)          词元表示
    W_Q, W_K : (d_model, d_k) 投影矩阵
    W_V : (d_model, d_v)      投影矩阵
    X_columns : d_model 个名字，X 每一列的含义；不给就叫 列1、列2……
    V_columns : d_v 个名字，V 每一列的含义；不给就叫 列1、列2……
    position_columns : X_columns 中表示位置的列；reorder 换词序时这些列留在原处

    矩阵都转成新的 float64 数组，改它们不会影响别人手里的数据。
    ValueError：任何一项不合规则；消息写明是哪一项。
    """

    tokens: Sequence[str]
    X: np.ndarray
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    X_columns: Sequence[str] | None = None
    V_columns: Sequence[str] | None = None
    position_columns: Sequence[str] = ()

    def __post_init__(self):
        put = object.__setattr__  # 冻结的 dataclass 只能这样写入整理好的值
        matrices = {name: getattr(self, name) for name in ("X", "W_Q", "W_K", "W_V")}
        shapes = "(n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)"
        for name, array in zip(matrices, as_arrays(shapes, **matrices), strict=True):
            put(self, name, array)
        put(self, "tokens", tuple(as_names("tokens", self.tokens, len(self.X), "行", filled=True)))
        put(self, "X_columns", _column_names("X_columns", self.X_columns, self.d_model))
        put(self, "V_columns", _column_names("V_columns", self.V_columns, self.d_v))
        given = () if self.position_columns is None else self.position_columns
        positions = as_names("position_columns", given)
        unknown = [column for column in positions if column not in self.X_columns]
        require(
            not unknown,
            "position_columns 只能写 X_columns 里的名字",
            f"{'、'.join(unknown)}；X_columns 是 {'、'.join(self.X_columns)}",
            "写成其中几个名字的列表；没有表示位置的列就不写",
        )
        put(self, "position_columns", tuple(positions))

    @property
    def n(self):
        """词元数。"""
        return len(self.tokens)

    @property
    def d_model(self):
        """词元表示的宽度。"""
        return self.X.shape[1]

    @property
    def d_k(self):
        """查询和键的宽度。"""
        return self.W_Q.shape[1]

    @property
    def d_v(self):
        """值的宽度。"""
        return self.W_V.shape[1]

    def __repr__(self):
        sizes = ", ".join(f"{name}={getattr(self, name)}" for name in ("n", "d_model", "d_k", "d_v"))
        return f"Example({' '.join(self.tokens)}: {sizes})"


def load_example(name):
    """读入一个例句。

    name : "我爱你"（整数，适合手算）或 "猫吃鱼"（n、d_model、d_k、d_v 四个大小都不同）。
    ValueError：没有这个例句，或文件内容不合规则；消息写明文件和字段。
    """
    if not isinstance(name, str) or name not in FILES:
        same = [known for known in FILES if sorted(known) == sorted(str(name))]
        raise refusal(
            f"例句只有 {'、'.join(FILES)}",
            shown(name),
            f'换词序写 reorder(load_example("{same[0]}"), "{name}")' if same else "自己的句子写 Example(…)",
        )
    known, required = [field.name for field in fields(Example)], ("tokens", "X", "W_Q", "W_K", "W_V")
    return read_data(DATA / FILES[name], lambda content: Example(**check_fields(content, known, required)))


def read_data(path, build):
    """读 data/ 里的一个 JSON 文件，返回 build(内容)。

    ValueError：文件不见了、读不了、不是 UTF-8、不合 JSON 语法，或 build 说内容不合规则；消息写明文件。
    """
    file = f"data/{path.name}"
    try:
        text = path.read_text(encoding="utf-8-sig")  # -sig：记事本可能在开头加 BOM
        return build(json.loads(text, object_pairs_hook=_unique_fields))
    except OSError as error:  # 不见了、是文件夹、没有读的权限、磁盘坏了
        raise refusal(f"{file} 必须读得到", type(error).__name__, "从课程里重新取回这个文件") from None
    except UnicodeDecodeError as error:
        raise refusal(f"{file} 必须是 UTF-8 编码", error, "用编辑器另存为 UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"第 {error.lineno} 行第 {error.colno} 列不合语法"
        raise refusal(f"{file} 必须是 JSON", place, "检查那里的逗号、引号和括号") from None
    except ValueError as error:
        raise ValueError(f"{file} 的 {error}") from None


def check_fields(content, known, required):
    """JSON 文件的最外层：一对花括号，字段都在 known 里，required 一个不少；返回它。"""
    way_out = f"字段写成 {'、'.join(known)}，其中 {'、'.join(required)} 不能少"
    require(isinstance(content, dict), "最外层必须是花括号 {…}", shown(content), way_out)
    for name in content:
        require(name in known, f"{name} 不是这个文件的字段", "、".join(content), way_out)
    for name in required:
        require(name in content, f"{name} 这个字段不能少", "、".join(content), way_out)
    return content


def _unique_fields(pairs):
    """JSON 的一对花括号；json 自己会让重复的字段悄悄盖掉前面的。"""
    names = [name for name, _ in pairs]
    for name in names:
        require(names.count(name) == 1, f"{name} 只能写一次", f"{names.count(name)} 次", "只留一处")
    return dict(pairs)


def reorder(example, order):
    """同样的词元，换一个词序，如把 猫吃鱼 换成 鱼吃猫。

    order : 新的词序；词元都是单字时可以写成字符串 "鱼吃猫"，否则写成列表。
    词元自己的列（是哪个词、什么词性）跟着词元走，position_columns 留在原处。投影矩阵不变。
    返回新的 Example。ValueError：example 不是 Example，或 order 与原来的词元不是同一组。
    """
    require(
        isinstance(example, Example),
        "example 必须是一个 Example",
        shown(example),
        '写 load_example("猫吃鱼")，不是它的名字',
    )
    tokens = as_names("order", order)
    require(
        sorted(tokens) == sorted(example.tokens),
        "新的词序 order 必须正好用完原来的词元",
        f"{shown(order)}；原来是 {'、'.join(example.tokens)}",
        "每个词元用一次；词元不止一个字时，把词序写成列表",
    )
    unused = list(range(example.n))
    rows = []
    for token in tokens:  # 重复的词元按出现的先后一一对应
        row = next(i for i in unused if example.tokens[i] == token)
        unused.remove(row)
        rows.append(row)
    X = example.X[rows]
    positions = [example.X_columns.index(column) for column in example.position_columns]
    X[:, positions] = example.X[:, positions]
    return replace(example, tokens=tokens, X=X)


def from_sentence(text, *, d_model=8, d_k=4, d_v=2, seed=0):
    """把自己写的一句话变成 Example；同样的文字和 seed 总得到同样的数。

    text : 一句话。一个字、一个字母、一个标点、一个表情各是一个词元；空白不算。
    d_model, d_k, d_v : X 的宽度，查询和键的宽度，值的宽度
    seed : 不小于 0 的整数

    X 的前一半列说“是哪个字”：标准正态随机数，只由这个字和 seed 决定，同一个字在哪句话里都一样。
    后一半列说“在第几个位置”：正弦与余弦，写法同论文 3.5 节，从 0 数起；它们是 position_columns。
    三个投影矩阵也是随机数，只由 seed 和宽度决定，没有训练过：算法是真的，权重没有含义。
    ValueError：text 不是文字或没有一个字，宽度或 seed 不合规则。
    """
    d_model = as_integer("d_model", d_model, 1, WIDEST, 8)
    d_k = as_integer("d_k", d_k, 1, WIDEST, 4)
    d_v = as_integer("d_v", d_v, 1, WIDEST, 2)
    seed = as_integer("seed", seed, 0, np.inf, 0)
    tokens = _characters(text)
    n_positions = d_model // 2
    characters = np.array([_normal(seed, *map(ord, token), size=d_model - n_positions) for token in tokens])
    positions = sine_positions(len(tokens), n_positions)
    position_columns = [f"位置{j + 1}" for j in range(n_positions)]
    # 字的码点不会是 0，所以投影矩阵的种子 (seed, 0, …) 与任何字的都不同
    W_Q, W_K, W_V = (
        _normal(seed, 0, which, size=(d_model, width)) / np.sqrt(d_model)
        for which, width in enumerate((d_k, d_k, d_v))
    )
    return Example(
        tokens=tokens,
        X=np.hstack([characters, positions]),
        W_Q=W_Q,
        W_K=W_K,
        W_V=W_V,
        X_columns=[f"字{j + 1}" for j in range(d_model - n_positions)] + position_columns,
        position_columns=position_columns,
    )


def _characters(text):
    """把文字拆成一个个字；附加符号、变体选择符（如 ❤️ 的后一半）接在前一个字后面，空白和控制字符不算。"""
    characters = []
    for char in unicodedata.normalize("NFC", text) if isinstance(text, str) else ():
        kind = unicodedata.category(char)
        if kind[0] == "M" and characters:
            characters[-1] += char
        elif not char.isspace() and kind[0] not in "CM":
            characters.append(char)
    require(
        characters,
        "句子里至少要有一个字（字母、标点、表情也行；空白不算）",
        shown(text),
        '在引号里写一句话，如 from_sentence("猫吃鱼")',
    )
    return characters


def _normal(*seed, size):
    """标准正态随机数，只由 seed 这几个整数决定。"""
    return np.random.default_rng(seed).normal(size=size)


def _column_names(name, columns, count):
    """一列一个、各不相同的列名；没给就叫 列1、列2……"""
    if columns is None:
        return tuple(f"列{j + 1}" for j in range(count))
    names = as_names(name, columns, count, "列", filled=True)
    require(len(set(names)) == count, f"{name} 的名字不能重复", "、".join(names), "改成各不相同的名字")
    return tuple(names)

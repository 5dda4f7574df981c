"""读：把 data/ 里的例句、或自己写的一句话变成 Example，并在这里一次验清。"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from utils.checks import HALF_CHARACTER, LARGEST, as_list, is_integer, real_array, shown

DATA = Path(__file__).resolve().parent.parent / "data"
FILES = {"我爱你": "wo_ai_ni.json", "猫吃鱼": "mao_chi_yu.json"}
WIDEST = 4096  # 列；再宽，一句话也要占上百兆内存
JOINER = "\u200d"  # 零宽连接符：👨‍👩‍👧 是三个表情用它连成的


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
    ValueError：任何一项不合规则；消息以字段名开头。
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
        put(self, "tokens", _names("tokens", self.tokens, unique=False))
        for name in ("X", "W_Q", "W_K", "W_V"):
            put(self, name, _matrix(name, getattr(self, name)))
        _same("X", "行数", len(self.X), "tokens 的词元数", len(self.tokens))
        for name in ("W_Q", "W_K", "W_V"):
            _same(name, "行数", len(getattr(self, name)), "X 的列数 d_model", self.d_model)
        _same("W_K", "列数", self.W_K.shape[1], "W_Q 的列数 d_k", self.d_k)

        for name, matrix, size in (("X_columns", "X", self.d_model), ("V_columns", "W_V", self.d_v)):
            columns = getattr(self, name)
            columns = [f"列{j + 1}" for j in range(size)] if columns is None else columns
            put(self, name, _names(name, columns))
            _same(name, "个数", len(getattr(self, name)), f"{matrix} 的列数", size)
        positions = () if self.position_columns is None else self.position_columns
        put(self, "position_columns", _names("position_columns", positions, empty=True))
        for column in self.position_columns:
            if column not in self.X_columns:
                raise ValueError(
                    f"position_columns：{column!r} 不在 X_columns {list(self.X_columns)} 里；"
                    "请写成其中几个名字的列表。"
                )

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
        same = [known for known in FILES if isinstance(name, str) and sorted(known) == sorted(name)]
        way_out = (
            f'换词序请用 reorder(load_example("{same[0]}"), "{name}")'
            if same
            else "自己的句子请用 Example(…)"
        )
        raise ValueError(f"没有名为 {shown(name)} 的例句；可用的是 {'、'.join(FILES)}。{way_out}。")
    return read_data(DATA / FILES[name], lambda content: Example(**_known_fields(content)))


def read_data(path, build):
    """读 data/ 里的一个 JSON 文件，返回 build(内容)。

    ValueError：文件不见了、读不了、不是 UTF-8、不合 JSON 语法，或 build 说内容不合规则；消息写明文件。
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # -sig：记事本可能在开头加 BOM
        if not text.strip():
            raise ValueError("内容是空的；请从课程里重新取回这个文件。")
        return build(json.loads(text, object_pairs_hook=_unique_fields, parse_int=_integer))
    except FileNotFoundError:
        raise ValueError(f"data/{path.name} 不见了；请从课程里重新取回这个文件。") from None
    except OSError as error:  # 是文件夹、没有读的权限、磁盘坏了
        raise ValueError(
            f"data/{path.name} 读不了（{type(error).__name__}）；"
            "它应是一个有读权限的文件，请从课程里重新取回。"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"data/{path.name} 不是 UTF-8 编码；请用编辑器另存为 UTF-8。") from None
    except RecursionError:
        raise ValueError(f"data/{path.name} 的括号套得太深；矩阵只用两层方括号。") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"data/{path.name} 第 {error.lineno} 行第 {error.colno} 列不合 JSON 语法；"
            "检查那里的逗号、引号和括号。"
        ) from None
    except ValueError as error:
        raise ValueError(f"data/{path.name} 的 {error}") from None


def _unique_fields(pairs):
    """JSON 的一对花括号；json 自己会让重复的字段悄悄盖掉前面的。"""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{repeated}：这个字段写了不止一次；请只留一处。")
    return fields


def _integer(digits):
    """JSON 里的一个整数；几千位的整数 int 会拒绝，成为浮点数的无穷，后面会说出它在哪里。"""
    return int(digits) if len(digits) < 400 else float(digits)


def reorder(example, order):
    """同样的词元，换一个词序，如把 猫吃鱼 换成 鱼吃猫。

    order : 新的词序；词元都是单字时可以写成字符串 "鱼吃猫"，否则写成列表。
    词元自己的列（是哪个词、什么词性）跟着词元走，position_columns 留在原处。投影矩阵不变。
    返回新的 Example。ValueError：example 不是 Example，或 order 与原来的词元不是同一组。
    """
    if not isinstance(example, Example):
        raise ValueError(f'example：应是 Example，如 load_example("猫吃鱼")；收到 {shown(example)}。')
    tokens = _names("order", order, unique=False, empty=True)
    if sorted(tokens) != sorted(example.tokens):
        raise ValueError(
            f"新的词序必须正好用完原来的词元：原来是 {list(example.tokens)}，收到 {list(tokens)}。"
            "词元不止一个字时，请把词序写成列表。"
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

    text : 一句话。一个字、一个字母、一个标点、一个表情（👨‍👩‍👧 也算一个）各是一个词元；空白不算。
    d_model, d_k, d_v : X 的宽度，查询和键的宽度，值的宽度
    seed : 不小于 0 的整数

    X 的前一半列说“是哪个字”：标准正态随机数，只由这个字和 seed 决定，同一个字在哪句话里都一样。
    后一半列说“在第几个位置”：正弦与余弦，写法同论文 3.5 节，从 0 数起；它们是 position_columns。
    三个投影矩阵也是随机数，只由 seed 和宽度决定，没有训练过：算法是真的，权重没有含义。
    ValueError：text 不是文字或没有一个字，宽度或 seed 不合规则。
    """
    for name, value, least in (("d_model", d_model, 1), ("d_k", d_k, 1), ("d_v", d_v, 1), ("seed", seed, 0)):
        if not is_integer(value, least, WIDEST if least else np.inf):
            most = f"、不大于 {WIDEST}" if least else ""
            raise ValueError(
                f"{name} 必须是不小于 {least}{most} 的整数；收到 {shown(value)}。请写成如 {name}=8。"
            )
    d_model, d_k, d_v, seed = map(int, (d_model, d_k, d_v, seed))
    tokens = _characters(text)
    n_positions = d_model // 2
    characters = np.array([_normal(seed, *map(ord, token), size=d_model - n_positions) for token in tokens])
    positions = _sinusoids(len(tokens), n_positions)
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
    """把文字拆成人眼看到的一个个字；空白和控制字符只起分隔作用，不算。

    够课程用的简化，不是 Unicode 附件 29 的全部规则：附加符号、变体选择符、肤色、零宽连接符接在前一个字后面，
    旗帜的两个字母成一对。
    """
    characters = []
    for char in unicodedata.normalize("NFC", text) if isinstance(text, str) else ():
        before = characters[-1] if characters else ""
        attached = unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf") or "🏻" <= char <= "🏿"
        flag = _is_flag_letter(char) and len(before) == 1 and _is_flag_letter(before)
        if before and (attached or flag or before.endswith(JOINER)):
            characters[-1] += char
        elif not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf", "Cs"):
            characters.append(char)
    if not characters:
        raise ValueError(
            "句子里至少要有一个字（字母、标点、表情也行；空白不算）。\n"
            f"收到：{shown(text)}。\n"
            '怎么办：在引号里写一句话，如 from_sentence("猫吃鱼")。'
        )
    return characters


def _is_flag_letter(char):
    return "🇦" <= char <= "🇿"


def _normal(*seed, size):
    """标准正态随机数，只由 seed 这几个整数决定。"""
    return np.random.default_rng(seed).normal(size=size)


def _sinusoids(n, width):
    """正弦位置编码 (n, width)：偶数列 sin，奇数列 cos，两列一个频率。"""
    column = np.arange(width)
    angles = np.arange(n)[:, None] / 10000 ** (column // 2 * 2 / max(width, 1))
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


def _known_fields(content):
    known = [field.name for field in fields(Example)]
    if not isinstance(content, dict):
        raise ValueError(f"最外层：应是花括号 {{…}}，里面是字段 {'、'.join(known)}。")
    for name in content:
        if name not in known:
            raise ValueError(f"{name}：没有这个字段；可用的是 {'、'.join(known)}。")
    for name in ("tokens", "X", "W_Q", "W_K", "W_V"):
        if name not in content:
            raise ValueError(f"{name}：缺少这个字段。")
    return content


def _matrix(name, value):
    array = real_array(value)
    if array is None and hasattr(value, "detach"):  # 要求梯度，或 numpy 没有的数据类型
        raise ValueError(f"{name}：torch 张量请先写成 .detach().double().numpy()。")
    if array is None and len(lengths := _lengths(value)) > 1:
        raise ValueError(
            f"{name}：各行的长短不一；每一行要有一样多的数；收到的各行有 {'、'.join(map(str, lengths))} 个。"
        )
    if array is None or array.ndim != 2 or array.size == 0:
        shape, dtype = (getattr(value if array is None else array, name, None) for name in ("shape", "dtype"))
        got = f"形状 {shape}，元素类型 {dtype}" if dtype is not None else shown(value)
        raise ValueError(f"{name}：应是非空的二维数值矩阵，如 [[1, 0], [0, 1]]；收到 {got}。")
    bad = ~(np.abs(array) <= LARGEST)
    if bad.any():
        row, col = np.argwhere(bad)[0]
        raise ValueError(
            f"{name}：第 {row + 1} 行第 {col + 1} 列是 {array[row, col]}；"
            f"只能写有限的数，绝对值不超过 {LARGEST:g}。"
        )
    return array


def _lengths(rows):
    """一列列表各有多长，从短到长，不重复；不是一列列表就是空的。"""
    rows = rows if isinstance(rows, list | tuple) else ()
    return sorted({len(row) if isinstance(row, list | tuple) else 1 for row in rows})


def _names(name, value, *, unique=True, empty=False):
    names = as_list(value)
    if names is None or not (names or empty) or not all(isinstance(i, str) and i.strip() for i in names):
        raise ValueError(f'{name}：应是一列非空的文字，如 ["猫", "吃"]；收到 {shown(value)}。')
    if HALF_CHARACTER.search("".join(names)):
        raise ValueError(f"{name}：里面有半个字符，写不出来；收到 {shown(value)}。请重新输入这几个字。")
    if unique and len(set(names)) < len(names):
        raise ValueError(f"{name}：名字不能重复；收到 {list(names)}。")
    return tuple(map(str, names))  # numpy 的文字也成为普通的 str


def _same(name, what, got, other, expected):
    if got != expected:
        raise ValueError(f"{name}：{what}是 {got}，应是 {expected}，即 {other}。")

"""课程里每个收参数的地方，各一个只差这个参数的调用；test_properties.py 用它们看每一处都查过。"""

from utils import animations, attention, notation, plotting, rnn, sql, training
from utils.examples import Example, from_sentence, reorder

EYE, ROW, LABELS = [[1.0, 0.0], [0.0, 1.0]], [0.25, 0.75], ["猫", "鱼"]
NAMES = {"title": "题", "x_name": "横", "y_name": "纵"}
SENTENCES = rnn.random_sentences(3, 2, sentences=2)
LAYER = rnn.random_rnn(2)


def example(**change):
    return Example(**({"tokens": LABELS, "X": EYE, "W_Q": EYE, "W_K": EYE, "W_V": EYE} | change))


def animation(**change):
    return animations.animate_scores(**({"Q": EYE, "K": EYE, "scores": EYE, "tokens": LABELS} | change))


def sums(**change):
    return animations.animate_weighted_sum(
        **({"weights": EYE, "V": EYE, "output": EYE, "tokens": LABELS} | change)
    )


def plane(**change):
    given = {"V": EYE, "output": EYE, "tokens": LABELS, "value_names": "ab", "title": "题"}
    return plotting.plot_value_plane(**(given | change))


def score(**change):
    return plotting.plot_score(**({"Q": EYE, "K": EYE, "query": 0, "key": 1, "tokens": LABELS} | change))


def lines(**change):
    return plotting.plot_lines(**({"x": [1, 2], "series": {"y": [3, 4]}} | NAMES | change))


def bars(**change):
    return plotting.plot_bars(**({"panels": {"y": [3, 4]}} | NAMES | change))


def matrix(**change):
    return plotting.plot_matrix(**({"M": EYE, "title": "题"} | change))


def matrices(**change):
    return plotting.plot_matrices(**({"panels": {"A": EYE, "B": EYE}} | change))


def database(**change):
    connection = sql.load(**({"tokens": LABELS, "Q": EYE, "K": EYE, "V": EYE} | change))
    connection.close()


# 收 (2, 2) 矩阵的参数
MATRICES = {
    "project X": lambda M: attention.project(M, EYE),
    "project W": lambda M: attention.project(EYE, M),
    "attention_scores Q": lambda M: attention.attention_scores(M, EYE),
    "attention_scores K": lambda M: attention.attention_scores(EYE, M),
    "scale_scores": lambda M: attention.scale_scores(M, 4),
    "softmax": attention.softmax,
    "weighted_sum weights": lambda M: attention.weighted_sum(M, EYE),
    "weighted_sum V": lambda M: attention.weighted_sum(EYE, M),
    "self_attention X": lambda M: attention.self_attention(M, EYE, EYE, EYE),
    "self_attention W_V": lambda M: attention.self_attention(EYE, EYE, EYE, M),
    "Example X": lambda M: example(X=M),
    "Example W_Q": lambda M: example(W_Q=M),
    "Example W_K": lambda M: example(W_K=M),
    "Example W_V": lambda M: example(W_V=M),
    "notation.matrix": lambda M: notation.matrix("M", M),
    "notation.weighted_row V": lambda M: notation.weighted_row(ROW, M, LABELS, query="猫"),
    "animate_scores Q": lambda M: animation(Q=M),
    "animate_scores K": lambda M: animation(K=M),
    "animate_scores scores": lambda M: animation(scores=M),
    "animate_weighted_sum weights": lambda M: sums(weights=M),
    "animate_weighted_sum V": lambda M: sums(V=M),
    "animate_weighted_sum output": lambda M: sums(output=M),
    "plot_matrix": lambda M: matrix(M=M),
    "plot_weights": lambda M: plotting.plot_weights(M, LABELS, title="题"),
    "plot_shares": lambda M: plotting.plot_shares(M, LABELS, title="题"),
    "plot_matrices": lambda M: matrices(panels={"A": EYE, "B": M}),
    "plot_matrices weights": lambda M: matrices(panels={"A": M}, kind="weights"),
    "plot_score Q": lambda M: score(Q=M),
    "plot_score K": lambda M: score(K=M),
    "plot_value_plane V": lambda M: plane(V=M),
    "plot_value_plane output": lambda M: plane(output=M),
    "sql.load Q": lambda M: database(Q=M),
    "sql.load K": lambda M: database(K=M),
    "sql.load V": lambda M: database(V=M),
}

# 收 (2,) 一行数的参数
ROWS = {
    "dot_product left": lambda v: notation.dot_product(v, ROW, name="s"),
    "dot_product right": lambda v: notation.dot_product(ROW, v, name="s"),
    "notation.score q": lambda v: notation.score(v, ROW, query="猫", key="鱼"),
    "notation.score k": lambda v: notation.score(ROW, v, query="猫", key="鱼"),
    "softmax_row": lambda v: notation.softmax_row(v, LABELS),
    "weighted_row weights": lambda v: notation.weighted_row(v, EYE, LABELS, query="猫"),
    "plot_lines x": lambda v: lines(x=v),
    "plot_lines y": lambda v: lines(series={"y": v}),
    "plot_bars": lambda v: bars(panels={"y": v}),
}

# 收两个标签（词元、列名）的参数
LABEL_SLOTS = {
    "Example tokens": lambda t: example(tokens=t),
    "Example X_columns": lambda t: example(X_columns=t),
    "Example V_columns": lambda t: example(V_columns=t),
    "Example position_columns": lambda t: example(X_columns=LABELS, position_columns=t),
    "reorder": lambda t: reorder(example(), t),
    "notation row_labels": lambda t: notation.matrix("M", EYE, row_labels=t),
    "softmax_row": lambda t: notation.softmax_row([0, 1], t),
    "weighted_row": lambda t: notation.weighted_row(ROW, EYE, t, query="猫"),
    "animate_scores tokens": lambda t: animation(tokens=t),
    "animate_weighted_sum tokens": lambda t: sums(tokens=t),
    "plot_matrix row_labels": lambda t: matrix(row_labels=t),
    "plot_matrix col_labels": lambda t: matrix(col_labels=t),
    "plot_weights tokens": lambda t: plotting.plot_weights(EYE, t, title="题"),
    "plot_weights key_tokens": lambda t: plotting.plot_weights(EYE, LABELS, key_tokens=t, title="题"),
    "plot_matrices row_labels": lambda t: matrices(row_labels=t),
    "plot_shares tokens": lambda t: plotting.plot_shares(EYE, t, title="题"),
    "plot_score tokens": lambda t: score(tokens=t),
    "plot_score key_tokens": lambda t: score(key_tokens=t),
    "plot_value_plane tokens": lambda t: plane(tokens=t),
    "plot_value_plane value_names": lambda t: plane(value_names=t),
    "plot_bars x_labels": lambda t: bars(x_labels=t),
    "sql.load tokens": lambda t: database(tokens=t),
}

# 收一个非负整数的参数
INTEGERS = {
    "from_sentence d_model": lambda n: from_sentence("猫吃鱼", d_model=n),
    "from_sentence d_k": lambda n: from_sentence("猫吃鱼", d_k=n),
    "from_sentence d_v": lambda n: from_sentence("猫吃鱼", d_v=n),
    "from_sentence seed": lambda n: from_sentence("猫吃鱼", seed=n),
    "train seed": lambda n: training.train("who", steps=1, seed=n),
    "train steps": lambda n: training.train("who", steps=n),
    "train heads": lambda n: training.train("who", steps=1, heads=n),
    "train d_v": lambda n: training.train("who", steps=1, d_v=n),
    "train hidden": lambda n: training.train("who", steps=1, hidden=n),
    "Model seed": lambda n: training.Model("who", seed=n),
    "random_rnn width": rnn.random_rnn,
    "random_rnn seed": lambda n: rnn.random_rnn(2, seed=n),
    "random_attention width": rnn.random_attention,
    "random_sentences length": lambda n: rnn.random_sentences(n, 2),
    "random_sentences seed": lambda n: rnn.random_sentences(2, 2, seed=n),
    "gradient_norms T": lambda n: rnn.gradient_norms(LAYER, SENTENCES, [n]),
    "sequential_operations T": lambda n: rnn.sequential_operations(LAYER, SENTENCES, [n]),
    "number_of_scores T": lambda n: rnn.number_of_scores(LAYER, SENTENCES, [n]),
    "plot_score query": lambda n: score(query=n),
    "plot_score key": lambda n: score(key=n),
    "plot_value_plane query": lambda n: plane(output=EYE[:1], query=n),
    "plot_pipeline": plotting.plot_pipeline,
    "plot_matrix outline": lambda n: matrix(outline=[("row", n)]),
    "dot_product decimals": lambda n: notation.dot_product(ROW, ROW, name="s", decimals=n),
    "weighted_row decimals": lambda n: notation.weighted_row(ROW, EYE, LABELS, query="猫", decimals=n),
}

# 收一个正数的参数
NUMBERS = {
    "scale_scores d_k": lambda x: attention.scale_scores(EYE, x),
    "scaled_score d_k": lambda x: notation.scaled_score(2, x),
    "scaled_score score": lambda x: notation.scaled_score(x, 4),
    "random_rnn scale": lambda x: rnn.random_rnn(2, scale=x),
    "plot_bars y_max": lambda x: bars(y_max=x),
}

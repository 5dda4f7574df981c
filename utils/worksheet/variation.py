"""换数：课程的例句打乱成另一份数，照样好算；种子相同，数就相同。

「我爱你」打乱 X 每一行里的数，和每个投影矩阵的行、列；「猫吃鱼」的 X 每一列有含义，只打乱 W_Q、W_K。
所以出现的还是原来那些小整数和一位小数。算出来不合适的（见 …_suits 和各张纸的 easy、fits）不要，再打乱一次。
"""

import hashlib
import random
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from utils.checks import refusal
from utils.examples import Example, load_example, reorder
from utils.worksheet.paper import NEARLY_ONE, exponentials, softmax_by_pencil, with_steps

ROUNDS, TRIES = 20, 1000  # 合适的「猫吃鱼」找几个；配着一个，「我爱你」打乱几次
LARGEST_SCORE = 4  # e 的幂的表里，最大的是 e²
MOST_POWERS = 4  # 「我爱你」最多要查几个幂
CLEARLY = 0.025  # 「猫吃鱼」的一行权重，最大的至少比最小的大这么多


class Version(NamedTuple):
    """一份数。me, cat : 「我爱你」「猫吃鱼」；chosen : 这张纸自己的数，从它的 OPTIONS 里各选一个。"""

    me: Example
    cat: Example
    chosen: dict


def course_version(sheet):
    """课上的数。sheet : sheets/ 里的一个文件（模块）。"""
    chosen = {name: options[0] for name, options in _options(sheet).items()}
    return Version(load_example("我爱你"), load_example("猫吃鱼"), chosen)


def vary(sheet, seed, unlike=()):
    """与课上不同的一份数，(Version, 写在纸上的数)；seed 是文字，同样的 seed 总是同样的数。

    unlike : 另外几份，也要与它们不同
    ValueError：data/ 里的例句怎样打乱都不合适。
    """
    name = sheet.__name__.rpartition(".")[2]
    digest = hashlib.sha256(f"{name}\n{seed}".encode()).digest()
    rng, course = random.Random(int.from_bytes(digest)), course_version(sheet)
    others = [(other, *_steps_of(other)) for other in (course, *unlike)]
    for _ in range(ROUNDS):
        cats = (_shuffle_cat(rng, course.cat) for _ in range(TRIES))
        cat = next((cat for cat in cats if _cat_suits(with_steps(cat)[1], others)), None)
        if cat is None:
            break
        me = _turn_round(rng, course.me)
        for _ in range(TRIES):
            matrices = _shuffle_me(rng, me)
            if not (_is_easy(**matrices) and getattr(sheet, "easy", _is_easy)(**matrices)):
                continue
            version = Version(replace(me, **matrices), cat, _choose(rng, sheet, others))
            if not _me_suits(version.me, others):
                continue
            page = sheet.numbers(version)
            if not hasattr(sheet, "fits") or sheet.fits(version, page):
                return version, page
    raise refusal(
        f"练习纸 {name} 的数要由 data/ 里的例句打乱而成，还要好算",
        "打乱了很多次，没有一次合适",
        f"例句里写小的整数和一位小数；要求写在 variation.py 的 …_suits 和 sheets/{name}.py 的 fits 里",
    )


def _options(sheet):
    return getattr(sheet, "OPTIONS", {})


def _choose(rng, sheet, others):
    """这张纸自己的数，从 OPTIONS 里各选一个，不与 others 里的相同。"""
    taken = {name: [other.chosen[name] for other, _, _ in others] for name in _options(sheet)}
    return {
        name: rng.choice([option for option in options if option not in taken[name]])
        for name, options in _options(sheet).items()
    }


def _shuffle_me(rng, me):
    X = np.array([rng.sample(row, me.d_model) for row in me.X.tolist()])
    W = {name: _shuffle_lines(rng, getattr(me, name)) for name in ("W_Q", "W_K", "W_V")}
    return {"X": X, **W}


def _shuffle_cat(rng, cat):
    W = {name: _shuffle_columns(rng, getattr(cat, name)) for name in ("W_Q", "W_K")}
    strength = [rng.choice((1, 2, 3)) for _ in range(cat.d_v)]  # V 的一列乘一个小整数，含义不变
    return _turn_round(rng, replace(cat, W_V=cat.W_V * strength, **W))


def _turn_round(rng, e):
    """照原来的词序，或倒过来：你爱我、鱼吃猫。"""
    return reorder(e, rng.choice((e.tokens, e.tokens[::-1])))


def _shuffle_lines(rng, W):
    rows, columns = (rng.sample(range(size), size) for size in W.shape)
    return W[np.ix_(rows, columns)]


def _shuffle_columns(rng, W):
    return W[:, rng.sample(range(W.shape[1]), W.shape[1])]


def _steps_of(version):
    return with_steps(version.me)[1], with_steps(version.cat)[1]


def _is_easy(X, W_Q, W_K, W_V):
    """「我爱你」每张纸都要的：X 的各行不同，Q、K、V 没有一行全是 0，分数没有一行全相等，都不大。"""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    return (
        np.ptp(scores, axis=1).all()
        and scores.max() <= LARGEST_SCORE
        and all(M.any(axis=1).all() for M in (Q, K, V))
        and len(np.unique(X, axis=0)) == len(X)
    )


def _me_suits(e, others):
    """「我爱你」每张纸都要的：与别的几份不同，幂的表放得下，两位小数的权重加起来差不多是 1。"""
    _, steps = with_steps(e)
    return (
        len(exponentials(steps.scaled_scores)) <= MOST_POWERS
        and all(_me_differs(e, steps, other.me, other_steps) for other, other_steps, _ in others)
        and (abs(_weights(steps).sum(axis=1) - 1) < NEARLY_ONE).all()
    )


def _me_differs(e, steps, other, other_steps):
    """各个矩阵都不同，Q、K 和分数的每一行也不同。"""
    rows = ((getattr(steps, name), getattr(other_steps, name)) for name in ("Q", "K", "scores"))
    return (
        not np.array_equal(e.X, other.X)
        and not np.array_equal(steps.V, other_steps.V)
        and all((new != old).any(axis=1).all() for new, old in rows)
    )


def _cat_suits(steps, others):
    """「猫吃鱼」每张纸都要的：Q、K 和每个分数都与别的几份不同，一行权重看得出大小。"""
    weights = _weights(steps)
    return (
        not any(
            np.isclose(steps.scores, other.scores).any()
            or np.array_equal(steps.Q, other.Q)
            or np.array_equal(steps.K, other.K)
            for _, _, other in others
        )
        and (np.ptp(weights, axis=1) > CLEARLY).all()
        and (abs(weights.sum(axis=1) - 1) < NEARLY_ONE).all()
    )


def _weights(steps):
    return softmax_by_pencil(steps.scaled_scores)[-1]

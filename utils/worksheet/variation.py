"""换数：课程的例句打乱成另一份数，照样好算；种子相同，数就相同。

「我爱你」打乱 X 每一行里的数，和每个投影矩阵的行、列；「猫吃鱼」的 X 每一列有含义，只打乱 W_Q、W_K。
所以出现的还是原来那些小整数和一位小数。算出来不合适的（见 _suits 和各张纸的 fits）不要，再打乱一次。
"""

import hashlib
import random
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from utils.checks import refusal
from utils.examples import Example, load_example, reorder
from utils.worksheet.paper import NEARLY_ONE, exponentials, softmax_by_pencil, with_steps

TRIES = 5000
LARGEST_SCORE = 4  # e 的幂的表里，最大的是 e²
MOST_POWERS = 4  # 「我爱你」最多要查几个幂


class Version(NamedTuple):
    """一份数。me, cat : 「我爱你」「猫吃鱼」；chosen : 这张纸自己的数，从它的 OPTIONS 里各选一个。"""

    me: Example
    cat: Example
    chosen: dict


def course_version(sheet):
    """课上的数。sheet : sheets/ 里的一个文件（模块）。"""
    chosen = {name: options[0] for name, options in _options(sheet).items()}
    return Version(load_example("我爱你"), load_example("猫吃鱼"), chosen)


def vary(sheet, seed):
    """与课上不同的一份数，(Version, 写在纸上的数)；seed 是文字，同样的 seed 总是同样的数。

    ValueError：data/ 里的例句怎样打乱都不合适。
    """
    name = sheet.__name__.rpartition(".")[2]
    digest = hashlib.sha256(f"{name}\n{seed}".encode()).digest()
    rng, course = random.Random(int.from_bytes(digest)), course_version(sheet)
    for _ in range(TRIES):
        version = _shuffle(rng, course, _options(sheet))
        if _suits(version, course):
            page = sheet.numbers(version)
            if not hasattr(sheet, "fits") or sheet.fits(version, page):
                return version, page
    raise refusal(
        f"练习纸 {name} 的数要由 data/ 里的例句打乱而成，还要好算",
        f"打乱了 {TRIES} 次，没有一次合适",
        f"例句里写小的整数和一位小数；要求写在 variation.py 的 _suits 和 sheets/{name}.py 的 fits 里",
    )


def _options(sheet):
    return getattr(sheet, "OPTIONS", {})


def _shuffle(rng, course, options):
    me, cat = course.me, course.cat
    X = np.array([rng.sample(row, me.d_model) for row in me.X.tolist()])
    W = {name: _shuffle_lines(rng, getattr(me, name)) for name in ("W_Q", "W_K", "W_V")}
    varied = replace(me, X=X, **W)
    cat_W = {name: _shuffle_columns(rng, getattr(cat, name)) for name in ("W_Q", "W_K")}
    strength = [rng.choice((1, 2, 3)) for _ in range(cat.d_v)]  # V 的一列乘一个小整数，含义不变
    cat = replace(cat, W_V=cat.W_V * strength, **cat_W)
    return Version(
        reorder(varied, rng.choice((varied.tokens, varied.tokens[::-1]))),
        reorder(cat, rng.choice((cat.tokens, cat.tokens[::-1]))),
        {name: rng.choice(choices) for name, choices in options.items()},
    )


def _shuffle_lines(rng, W):
    rows, columns = (rng.sample(range(size), size) for size in W.shape)
    return W[np.ix_(rows, columns)]


def _shuffle_columns(rng, W):
    return W[:, rng.sample(range(W.shape[1]), W.shape[1])]


def _suits(version, course):
    """每张纸都要的：与课上不同，没有一行全是 0、没有一行分数全相等，幂的表放得下，权重加起来差不多是 1。"""
    (e, steps), (_, cat_steps) = with_steps(version.me), with_steps(version.cat)
    _, before = with_steps(course.me)
    _, cat_before = with_steps(course.cat)
    weights = softmax_by_pencil(np.vstack([steps.scaled_scores, cat_steps.scaled_scores]))[-1]
    different = not any(
        np.array_equal(new, old)
        for new, old in (
            (e.X, course.me.X),
            *((getattr(steps, name), getattr(before, name)) for name in ("Q", "K", "V", "scores")),
            *((getattr(cat_steps, name), getattr(cat_before, name)) for name in ("Q", "K", "V", "scores")),
        )
    )
    return (
        different
        and len(np.unique(e.X, axis=0)) == e.n
        and all(M.any(axis=1).all() for M in (steps.Q, steps.K, steps.V))
        and bool(np.ptp(np.vstack([steps.scores, cat_steps.scores]), axis=1).all())
        and steps.scores.max() <= LARGEST_SCORE
        and len(exponentials(steps.scaled_scores)) <= MOST_POWERS
        and bool((abs(weights.sum(axis=1) - 1) < NEARLY_ONE).all())
    )

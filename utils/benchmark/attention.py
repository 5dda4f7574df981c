"""self_attention（numpy，float64）的时间，对照 torch 的同样计算；和它随词元数增长的次方。"""

import math
from collections.abc import Iterator

import numpy as np

from utils.attention import self_attention
from utils.benchmark.table import Row
from utils.benchmark.timing import peak, side_by_side

LENGTHS = (3, 8, 32, 128, 512, 2048)  # 词元数
WIDTH = 64


def measure(repeats: int) -> Iterator[Row]:
    """每个词元数一行；最后一行是最后两个词元数之间时间增长的次方：分数有 n² 个，应接近 2。"""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    rng = np.random.default_rng(0)
    W = [rng.standard_normal((WIDTH, WIDTH)) / math.sqrt(WIDTH) for _ in range(3)]
    W_torch = [torch.from_numpy(M) for M in W]
    times = {}
    for n in LENGTHS:
        X = rng.standard_normal((n, WIDTH))
        X_torch = torch.from_numpy(X)

        def ours(X=X):
            return self_attention(X, *W).output

        def theirs(X=X_torch):
            return scaled_dot_product_attention(*(X @ M for M in W_torch)).numpy()

        assert np.allclose(ours(), theirs(), rtol=0, atol=1e-10)
        loops = max(1, 512 // n)  # 太短的时间量不准
        totals = side_by_side(
            lambda f=ours, k=loops: [f() for _ in range(k)],
            lambda f=theirs, k=loops: [f() for _ in range(k)],
            repeats=max(5, repeats),
        )
        times[n] = totals[0] / loops
        yield Row(
            f"self_attention，n = {n}", 1e3 * times[n], 1e3 * totals[1] / loops, unit="毫秒", note=peak(ours)
        )
    short, long = LENGTHS[-2:]
    power = math.log(times[long] / times[short]) / math.log(long / short)
    yield Row(f"self_attention 的时间，n 的几次方（{short} → {long}）", power, unit="次")

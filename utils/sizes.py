"""数（大小）：一个块有多少参数、算一次要乘多少次；几个真实模型的大小（第 10 本）。

真实模型的数从各自的论文、公开的配置文件抄来，见 data/README.md。
"""

from typing import NamedTuple


class Size(NamedTuple):
    """一个真实模型的大小。

    vocabulary, d_model, layers, heads, d_ff : 词元的种数，宽度，块数，头数，前馈的宽度
    kv_heads : 键和值有几个头；少于 heads 就是 GQA（第 8 本）
    published : 公布的参数个数
    """

    vocabulary: int
    d_model: int
    layers: int
    heads: int
    kv_heads: int
    d_ff: int
    published: int


REAL_MODELS = {
    "GPT-2 small": Size(50257, 768, 12, 12, 12, 3072, 124_439_808),
    "Qwen2.5-0.5B": Size(151936, 896, 24, 14, 2, 4864, 494_032_768),
    "Llama 3 8B": Size(128256, 4096, 32, 32, 8, 14336, 8_030_261_248),
}


def matrix_parameters(d_model, d_kv, d_ff, matrices=2):
    """一个块里各个矩阵的参数：W_Q、W_O，W_K、W_V，前馈的 matrices 个矩阵。不算偏置和归一化。

    d_kv : 键和值各头合起来的宽度；matrices : 前馈有几个矩阵，SwiGLU 有 3 个
    """
    return 2 * d_model * d_model + 2 * d_model * d_kv + matrices * d_model * d_ff


def block_multiplications(n_q, n_k, d_model, d_ff):
    """一个块算 n_q 行、每行看 n_k 个键，要做多少次乘法：四个投影，两次注意力的矩阵乘法，前馈。"""
    return n_q * (4 * d_model * d_model + 2 * n_k * d_model + 2 * d_model * d_ff)

"""读（注意力图）：取出小语言模型的全部权重；动一动一个头的权重，看下一个字变不变。

    模型, 文字 ─ weights_of ─► (块, 头, n, n)
    模型, 文字, 动哪一格 ─ next_character ─► 每个字的概率、概率最大的字

只读、只试，不改模型的参数。写字和训练见 writing.py。
"""

from contextlib import contextmanager

import torch

from utils.checks import require
from utils.writing import START, encode, known


def weights_of(model, text):
    """读这段文字时的全部注意力权重：(块, 头, n, n)，n 是 ▷ 加上文字的字数。ValueError：同 generate。"""
    with torch.no_grad():
        _, maps, _ = model(encode(model.characters, [START + known(model, text)]))
    return torch.stack(maps)[:, 0].numpy()


def next_character(model, text, *, block=0, head=None, row=None):
    """读完这段文字，下一个字：(概率最大的字, 它的概率)。

    head : 不给就照常算；给了，就先把第 block 块第 head 个头（都从 0 数）最后一行的权重换掉再算
    row : (n,) 换成的那一行，加起来等于 1；不给就全是 0，等于去掉这个头
    ValueError：文字里有模型不认识的字，或者 row 的长度不对。
    """
    numbers = encode(model.characters, [START + known(model, text)])
    require(
        row is None or len(row) == numbers.shape[1],
        "row 要给 ▷ 和每个字一个权重",
        f"{numbers.shape[1]} 个字，{0 if row is None else len(row)} 个权重",
        "先用 weights_of 取出那一行，再改",
    )
    with torch.no_grad(), _replaced(model.blocks[block].attention, head, row):
        shares = torch.softmax(model(numbers)[0][0, -1], dim=-1)
    best = int(shares.argmax())
    return model.characters[best], float(shares[best])


@contextmanager
def _replaced(attention, head, row):
    """这段时间里，attention 的一个头最后一行的权重是 row；之后恢复原样。"""

    def replace(module, arguments, result):
        _, weights, (K, V) = result
        weights = weights.clone()
        weights[..., head, -1, :] = 0 if row is None else torch.as_tensor(row)
        return module.W_O((weights @ V).transpose(-3, -2).flatten(-2)), weights, (K, V)

    hook = None if head is None else attention.register_forward_hook(replace)
    try:
        yield
    finally:
        if hook:
            hook.remove()

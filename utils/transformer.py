"""模型：一个 Transformer 块，和用几个块搭成的小语言模型。

    编号 ─ token_vectors + position_vectors ─► X ─ 几个 Block ─► 归一化 ─ readout ─► 下一个字的分数
    Block：X + 几个头(归一化(X))，再 X + 前馈(归一化(X))

来源：Vaswani 等，2017，第 3 节；先归一化的次序见 Xiong 等，2020。怎样训练、怎样写字见 writing.py。
"""

import torch
from torch import nn


class Heads(nn.Module):
    """几个头，带因果遮罩（第 7、8 本）；cache 是前面的词元留下的 K 和 V。"""

    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, M):
        return M.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def forward(self, X, cache=None):
        Q, K, V = self.split(self.W_Q(X)), self.split(self.W_K(X)), self.split(self.W_V(X))
        if cache is not None:
            K, V = torch.cat([cache[0], K], dim=-2), torch.cat([cache[1], V], dim=-2)
        n_q, n_k = Q.shape[-2], K.shape[-2]
        allowed = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
        scaled_scores = Q @ K.mT / Q.shape[-1] ** 0.5
        weights = torch.softmax(scaled_scores.masked_fill(~allowed, -torch.inf), dim=-1)
        joined = (weights @ V).transpose(-3, -2).flatten(-2)
        return self.W_O(joined), weights, (K, V)


class Block(nn.Module):
    """一个块：几个头、前馈，各加上原来的 X；norm_first 决定先归一化还是后归一化。"""

    def __init__(self, d_model, heads, d_ff, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.attention = Heads(d_model, heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, X, cache=None):
        if self.norm_first:
            mixed, weights, cache = self.attention(self.norm_1(X), cache)
            X = X + mixed
            X = X + self.feed_forward(self.norm_2(X))
        else:
            mixed, weights, cache = self.attention(X, cache)
            X = self.norm_1(X + mixed)
            X = self.norm_2(X + self.feed_forward(X))
        return X, weights, cache


class LanguageModel(nn.Module):
    """小语言模型：每个位置给出下一个字的分数；characters 是它认识的字。"""

    def __init__(self, characters, d_model=32, heads=4, d_ff=128, blocks=2, longest=32):
        super().__init__()
        self.characters = characters
        self.token_vectors = nn.Embedding(len(characters), d_model)
        self.position_vectors = nn.Embedding(longest, d_model)
        self.blocks = nn.ModuleList([Block(d_model, heads, d_ff) for b in range(blocks)])
        self.norm = nn.LayerNorm(d_model)
        self.readout = nn.Linear(d_model, len(characters), bias=False)

    def forward(self, numbers, caches=None):
        start = 0 if caches is None else caches[0][0].shape[-2]
        positions = torch.arange(start, start + numbers.shape[-1])
        X = self.token_vectors(numbers) + self.position_vectors(positions)
        maps, new_caches = [], []
        for b, block in enumerate(self.blocks):
            X, weights, cache = block(X, None if caches is None else caches[b])
            maps.append(weights)
            new_caches.append(cache)
        return self.readout(self.norm(X)), maps, new_caches

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of plain PyTorch, as people write them who use no library of models."""
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from . import B, S, V, WHOLE_BATCH, floats, ids, module


class Experts(nn.Module):
    """A layer of experts in a loop: each expert computes the tokens that chose it, and adds its results to theirs."""

    def __init__(self, width, experts=4, chosen=2):
        super().__init__()
        self.gate, self.chosen = nn.Linear(width, experts), chosen
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(experts)])

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        shares, experts = self.gate(tokens).softmax(-1).topk(self.chosen, -1)
        found = torch.zeros_like(tokens)
        for i, expert in enumerate(self.experts):
            token, place = torch.where(experts == i)
            if token.numel() == 0:
                continue
            found.index_add_(0, token, expert(tokens[token]) * shares[token, place, None])
        return found.view_as(x)


@module("torch/experts-loop", "text", 1)
def experts_loop():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.norms = nn.Embedding(V, 32), nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
            self.qkv, self.out, self.experts, self.head = nn.Linear(32, 96), nn.Linear(32, 32), Experts(32), nn.Linear(32, V)

        def forward(self, input_ids, labels):
            x = self.embed(input_ids)
            q, k, v = self.qkv(self.norms[0](x)).view(*input_ids.shape, 3, 4, 8).permute(2, 0, 3, 1, 4)
            x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
            x = x + self.experts(self.norms[1](x))
            return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())
    return Model(), lambda rng: {"input_ids": ids(rng), "labels": ids(rng)}


@module("torch/masked-lm", "text", 2)
def masked_lm():
    """The loss is of the tokens that are hidden, and the head computes nothing else."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.places = nn.Embedding(V, 32), nn.Parameter(.1 * torch.randn(S, 32))
            layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            self.layers, self.head = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(32, V)

        def forward(self, input_ids, hidden):
            shown = torch.where(hidden, V - 1, input_ids)
            x = self.layers(self.embed(shown) + self.places)
            return F.cross_entropy(self.head(x[hidden]), input_ids[hidden])
    return Model(), lambda rng: {"input_ids": ids(rng, below=V - 1), "hidden": rng.random((B, S)) < .3}


@module("torch/orthogonal", "recurrence")
def orthogonal():
    """A recurrence whose weight stays orthogonal: it is the Cayley transform of a skew matrix."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.read, self.turn, self.head = nn.Linear(6, 16), nn.Linear(16, 16, bias=False), nn.Linear(16, 5)
            nn.utils.parametrizations.orthogonal(self.turn, orthogonal_map="cayley")

        def forward(self, x, y):
            h = x.new_zeros(len(x), 16)
            for step in self.read(x).unbind(1):
                h = torch.tanh(self.turn(h) + step)
            return F.cross_entropy(self.head(h), y)
    return Model(), lambda rng: {"x": floats(rng, B, 6, 6), "y": ids(rng, B, below=5)}


@module("torch/gaussian-process", "regression")
def gaussian_process():
    """The marginal likelihood of Gaussian processes whose kernel compares what a network makes of the points (Wilson et al. 2016,
    Deep kernel learning, section 3)."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4))
            self.scales, self.amplitude, self.noise = nn.Parameter(torch.zeros(4)), nn.Parameter(torch.zeros(())), nn.Parameter(torch.tensor(-1.0))

        def forward(self, x, y):
            z = self.features(x) * torch.exp(-self.scales)
            square = (z.unsqueeze(-2) - z.unsqueeze(-3)).square().sum(-1)
            kernel = torch.exp(self.amplitude - square / 2) + torch.exp(self.noise) * torch.eye(x.shape[1], dtype=x.dtype)
            factor = torch.linalg.cholesky(kernel)
            white = torch.linalg.solve_triangular(factor, y.unsqueeze(-1), upper=False)
            determinant = 2 * factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
            return (white.square().sum((1, 2)) + determinant + x.shape[1] * math.log(2 * math.pi)).mean() / 2

    def batch(rng):
        x = floats(rng, B, 12, 3)
        return {"x": x, "y": np.sin(x.sum(-1)) + .1 * floats(rng, B, 12)}
    return Model(), batch


@module("torch/packed-lstm", "text", refused=WHOLE_BATCH)
def packed_lstm():
    """Sequences of several lengths are packed, and the loss is of the labels that are packed in the same way."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.layer, self.head = nn.Embedding(V, 16), nn.LSTM(16, 16, batch_first=True, bidirectional=True), nn.Linear(32, 6)

        def forward(self, input_ids, lengths, labels):
            pack = lambda x: nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            hidden, _ = self.layer(pack(self.embed(input_ids)))
            return F.cross_entropy(self.head(hidden.data), pack(labels).data)
    return Model(), lambda rng: {"input_ids": ids(rng), "lengths": np.append(rng.integers(1, S + 1, B - 1), S), "labels": ids(rng, below=6)}


@module("torch/gradient-penalty", "vision")
def gradient_penalty():
    """A critic whose gradient by its pictures has the norm 1 between real and made ones (Gulrajani et al. 2017, Improved training of Wasserstein
    GANs, section 4)."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.critic = nn.Sequential(nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(.2), nn.Conv2d(8, 16, 4, 2, 1), nn.InstanceNorm2d(16, affine=True), nn.LeakyReLU(.2),
                                        nn.Conv2d(16, 1, 2), nn.Flatten())

        def forward(self, real, made, share):
            between = (share * real + (1 - share) * made).requires_grad_()
            gradient, = torch.autograd.grad(self.critic(between).sum(), between, create_graph=True)
            penalty = (gradient.flatten(1).norm(dim=1) - 1).square().mean()
            return self.critic(made).mean() - self.critic(real).mean() + 10 * penalty
    return Model(), lambda rng: {"real": floats(rng, B, 3, 8, 8), "made": floats(rng, B, 3, 8, 8), "share": rng.random((B, 1, 1, 1)).astype(np.float32)}

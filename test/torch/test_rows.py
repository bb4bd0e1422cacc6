# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops along and across the rows of a batch: losses and gradients on one device and on data=2 with ZeRO 3 are PyTorch's."""
import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import Base, compare, made  # noqa: E402
import zcc  # noqa: E402


def views_of_views(self, h, y):
    h = h * 1
    v = h.view(8, 4, 8).transpose(0, 1)[1:]
    v[:, ::2].mul_(3)
    v[0, 1:].add_(v[1, :-1].clone())
    h[:, :8].t()[2].neg_()
    return h


def strided(self, h, y):
    return h[:, :16] + h.t().as_strided((8, 16), (32, 2), 1) + h.as_strided((8, 16), (16, 1), 64)


def written_at_labels(self, h, y):
    at = torch.arange(8)
    g = h.index_put((y, at % 3), h[:, 0], accumulate=True)
    return g + h.new_zeros(6, 32).index_add(0, y, h)[y] + h.new_zeros(8, 32).scatter_add(0, y[:, None].expand(8, 32), h * 2)


def reduced_by_label(self, h, y):
    index = y[:, None].expand(8, 32)
    kinds = [h.new_zeros(6, 32).scatter_reduce(0, index, h.relu() if k == "amax" else h + 2, k, include_self=s)[y]
             for k, s in (("amax", False), ("mean", True), ("prod", True), ("amin", False))]
    return sum(kinds)


def ordered(self, h, y):
    return h + h.sort(0)[0] + h.topk(4, 0)[0].repeat(2, 1) + h.median(0)[0] + h.kthvalue(3, 0)[0] + h.cummax(0)[0]


def along_rows(self, h, y):
    return h.cumsum(0) + h.tanh().cumprod(0) + h.logcumsumexp(0) + h.flip(0) + h.roll(3, 0) + h.diff(dim=0, prepend=h[:1])


def extremes(self, h, y):
    h = (h * 2).round() / 2 + h * 0  # ties
    return h + h.amax(0) + h.amin() + h.max() + h.clamp(h.mean(0), h.amax(0)) + torch.maximum(h, h.flip(0))


def deviations(self, h, y):
    zero = h * 0
    return h / h.std(0) + h.var(correction=0) + zero.std(0) + zero.norm(dim=0) + torch.cdist(h, h).sum() + F.normalize(h, dim=0)


def folded(self, h, y):
    image = h.view(8, 2, 4, 4)
    parts = [F.max_pool2d(image, 3, 2, 1, ceil_mode=True), F.avg_pool2d(image, 3, 2, 1, count_include_pad=False),
             F.interpolate(image, (2, 2), mode="bicubic", align_corners=True), F.pad(image, (1, -3, -1, -1), mode="circular")]
    return h + sum(p.flatten(1).sum(1, keepdim=True) for p in parts)


def attended(self, h, y):
    q = h.view(8, 4, 8)
    return self.layer(self.attention(q, q, q)[0] + q).flatten(1)


def recurrent(self, h, y):
    return self.lstm(h.view(8, 4, 8))[0].flatten(1)


def of_losses(self, h, y):
    a, b = h[:, :6], h[:, 6:12]
    signs = (y % 2) * 2 - 1
    found = F.multi_margin_loss(a, y, p=2) + F.triplet_margin_loss(a, b, b.roll(1, 0)) + F.cosine_embedding_loss(a, b, signs)
    found = found + F.gaussian_nll_loss(a, b, h[:, :1].abs() * 1e-3) + F.binary_cross_entropy(a.sigmoid(), b.sigmoid()) + F.kl_div(a.log_softmax(1), b.softmax(1), reduction="batchmean")
    return h * found


class Layers(Base):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True, add_bias_kv=True)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.lstm = nn.LSTM(8, 8, bidirectional=True, proj_size=4, batch_first=True)


@pytest.mark.parametrize("function", [views_of_views, strided, written_at_labels, reduced_by_label, ordered, along_rows, extremes, deviations, folded,
                                      attended, recurrent, of_losses], ids=lambda f: f.__name__)
def test_rows(function):
    def forward(self, x, y):
        h = function(self, self.a(x), y)
        return F.cross_entropy(F.linear(h, self.b.weight[:, :h.shape[1]], self.b.bias) * 0.1, y)
    compare(made(forward, Layers), bar=1e-5)


def test_selective_kernels_agree_on_all_meshes_in_float64():
    """Batch norm and a softmax over branches: in float64 each mesh has the losses of one device, so that what differs in float32 is rounding."""
    class Selective(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = (nn.Sequential(nn.Conv2d(3, 8, k, padding=k // 2), nn.BatchNorm2d(8), nn.ReLU()) for k in (3, 5))
            self.squeeze = nn.Sequential(nn.Conv2d(8, 4, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 16, 1))
            self.head = nn.Linear(8, 6)

        def forward(self, x, y):
            parts = torch.stack([self.one(x), self.two(x)], 1)
            share = self.squeeze(parts.sum(1).mean((2, 3), keepdim=True)).view(-1, 2, 8, 1, 1).softmax(1)
            return F.cross_entropy(self.head((parts * share).sum(1).mean((2, 3))), y)
    torch.manual_seed(0)
    module, random = Selective().double().train(), np.random.default_rng(0)
    data = [{"x": random.standard_normal((8, 3, 8, 8)), "y": random.integers(0, 6, 8)} for _ in range(4)]
    found = []
    for options in ({}, dict(mesh="data=2"), dict(mesh="data=2", zero=3)):
        with zcc.compile(copy.deepcopy(module), data[0], optimizer=zcc.AdamW(lr=1e-2), quiet=True, **options) as step:
            found.append([step(batch).loss for batch in data])
    wanted = float(module(**{k: torch.tensor(v) for k, v in data[0].items()}).detach())
    assert abs(found[0][0] - wanted) < 1e-13
    for losses in found[1:]:
        assert np.allclose(losses, found[0], rtol=0, atol=1e-10), (losses, found[0])

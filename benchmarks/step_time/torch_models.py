# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py in PyTorch, as a PyTorch user writes them (SDPA, fused layers)."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.wo = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wi, self.wo2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.heads = heads

    def forward(self, h):
        b, s, d = h.shape
        q, k, v = (t.view(b, s, self.heads, -1).transpose(1, 2) for t in self.qkv(self.ln1(h)).split(d, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + self.wo(a.transpose(1, 2).reshape(b, s, d))
        return h + self.wo2(F.gelu(self.wi(self.ln2(h)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, layers, d, heads, seq, vocab, batch):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, d), nn.Parameter(torch.randn(seq, d) * .02)
        nn.init.normal_(self.wte.weight, std=.02)
        self.blocks, self.lnf = nn.ModuleList(Block(d, heads) for _ in range(layers)), nn.LayerNorm(d)

    def forward(self, batch):
        h = self.wte(batch["x"]) + self.wpe
        for block in self.blocks:
            h = block(h)
        logits = self.lnf(h) @ self.wte.weight.T
        return F.cross_entropy(logits.flatten(0, 1), batch["y"].flatten().long())


class MLP(nn.Module):
    def __init__(self, width=64, classes=10):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, width), nn.Tanh(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, classes))

    def forward(self, batch):
        return F.cross_entropy(self.net(batch["image"].flatten(1)), batch["label"].long())


class DLRM(nn.Module):
    def __init__(self, rows=(1000, 500, 200, 50, 10, 3), dense=13, d=16):
        super().__init__()
        t = len(rows)
        self.tables = nn.ModuleList(nn.Embedding(r, d) for r in rows)
        self.bottom = nn.Sequential(nn.Linear(dense, 32), nn.ReLU(), nn.Linear(32, d), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(d + (t + 1) * t // 2, 32), nn.ReLU(), nn.Linear(32, 1))
        self.register_buffer("pairs", torch.tril_indices(t + 1, t + 1, -1))

    def forward(self, batch):
        h = self.bottom(batch["dense"])
        e = torch.stack([h] + [table(batch["ids"][:, i]) for i, table in enumerate(self.tables)], 1)
        inter = (e @ e.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        z = self.top(torch.cat([h, inter], 1))[:, 0]
        return F.binary_cross_entropy_with_logits(z, batch["click"])


class ResNet(nn.Module):
    def __init__(self, width=16, classes=10):
        super().__init__()
        conv = lambda i, o, k=3, s=1: nn.Conv2d(i, o, k, s, padding=k // 2, bias=False)
        w = width
        self.stem, self.bn0 = conv(1, w), nn.BatchNorm2d(w)
        self.c1, self.n1, self.c2, self.n2 = conv(w, w), nn.BatchNorm2d(w), conv(w, w), nn.BatchNorm2d(w)
        self.c3, self.n3, self.c4, self.n4 = conv(w, 2 * w, 3, 2), nn.BatchNorm2d(2 * w), conv(2 * w, 2 * w), nn.BatchNorm2d(2 * w)
        self.skip, self.fc = conv(w, 2 * w, 1, 2), nn.Linear(2 * w, classes)

    def forward(self, batch):
        x = F.relu(self.bn0(self.stem(batch["image"].permute(0, 3, 1, 2))))
        x = F.relu(x + self.n2(self.c2(F.relu(self.n1(self.c1(x))))))
        y = self.n4(self.c4(F.relu(self.n3(self.c3(x)))))
        x = F.max_pool2d(F.relu(self.skip(x) + y), 2)
        return F.cross_entropy(self.fc(x.mean((2, 3))), batch["label"].long())


MODELS = {
    "S": lambda: GPT2(layers=4, d=256, heads=8, seq=256, vocab=256, batch=8),
    "M": lambda: GPT2(layers=12, d=768, heads=12, seq=256, vocab=8192, batch=4),
    "gpt2": lambda: GPT2(layers=4, d=128, heads=4, seq=128, vocab=256, batch=8),
    "mlp": MLP,
    "dlrm": DLRM,
    "resnet": ResNet,
}

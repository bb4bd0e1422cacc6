# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of modules share these: a batch, a module to derive from, and comparison with PyTorch's own gradients."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import zcc  # noqa: E402

MESHES = [{}, {"mesh": "data=2", "zero": 3}]


def batch_of(rows=8, seed=0):
    random = np.random.default_rng(seed)
    return {"x": random.standard_normal((rows, 12)).astype(np.float32), "y": random.integers(0, 6, rows)}


def gradients_of(module, batch):
    """Returns the loss and the gradients of PyTorch in float64, by the names of state_dict."""
    wide = {k: torch.tensor(v).double() if v.dtype.kind == "f" else torch.tensor(v) for k, v in batch.items()}
    double = module.double()
    double.zero_grad()
    loss = double(**wide)
    loss.backward()
    found = {n: (torch.zeros_like(p) if p.grad is None else p.grad).numpy().copy() for n, p in double.named_parameters()}
    module.float()
    return float(loss.detach()), found


def compare(module, batch=None, meshes=MESHES, bar=3e-6):
    batch = batch or batch_of()
    module.train()
    loss, wanted = gradients_of(module, batch)
    for options in meshes:
        with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
            found = step.gradients(batch)
            assert abs(step(batch).loss - loss) <= bar * max(1, abs(loss))
        for n, g in wanted.items():
            if g.any() or n in found:
                assert np.abs(np.asarray(found[n]) - g).max() <= bar * max(np.abs(g).max(), 1e-3), (n, options)


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(12, 32), nn.Linear(32, 6)

    def head(self, h, y):
        return F.cross_entropy(self.b(h), y)


def made(body, base=Base):
    """Returns a module whose forward pass is `body(self, x, y)`."""
    torch.manual_seed(0)
    return type("Made", (base,), {"forward": body})()


def refusal(module, batch=None, **options):
    with pytest.raises(zcc.Error) as caught:
        zcc.compile(module, batch or batch_of(), quiet=True, **options)
    return str(caught.value)

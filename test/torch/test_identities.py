# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that return their argument itself, in regions without gradients: after the region the argument has its gradient."""
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

from habits import compare, made  # noqa: E402

THEMSELVES = {
    "to a type": lambda h: h.to(h.dtype), "to a device": lambda h: h.to(h.device), "to that of another": lambda h: h.to(h), "type_as": lambda h: h.type_as(h),
    "cpu": lambda h: h.cpu(), "contiguous": lambda h: h.contiguous(), "dropout": lambda h: F.dropout(h, .5, False), "dropout of nothing": lambda h: F.dropout(h, 0.0),
    "alpha_dropout": lambda h: F.alpha_dropout(h, .5, False), "feature_dropout": lambda h: torch.feature_dropout(h, .5, False), "flatten": lambda h: h.flatten(1),
    "positive": lambda h: +h, "real": lambda h: h.real, "resolve_conj": lambda h: h.resolve_conj(), "resolve_neg": lambda h: h.resolve_neg(),
    "atleast_2d": torch.atleast_2d, "sum_to_size": lambda h: h.sum_to_size(h.shape), "as_tensor": torch.as_tensor,
    "broadcast_tensors": lambda h: torch.broadcast_tensors(h, h)[0], "requires_grad_": lambda h: h.requires_grad_(), "view": lambda h: h.view(h.shape),
}


def test_values_that_a_region_without_gradients_reads():
    def forward(self, x, y):
        loss = 0.0
        for number, same in enumerate(THEMSELVES.values(), 1):
            h = self.a(x) * number
            with torch.no_grad():
                z = same(h).square()
            loss = loss + (h * z).mean() / number ** 3
        return loss + self.head(h, y)
    compare(made(forward), bar=1e-5)


def test_parameters_that_a_region_without_gradients_reads():
    def forward(self, x, y):
        with torch.no_grad():
            size = self.a.weight.to(x.dtype).norm()
        return self.head(self.a(x) / size, y)
    compare(made(forward))


def test_results_of_a_region_that_are_their_arguments():
    """torch returns the tensor itself, with its gradient, and of a view a tensor without one."""
    def forward(self, x, y):
        h = self.a(x)
        with torch.no_grad():
            same, other = h.to(h.dtype), h.view(h.shape)
        return self.head(same + 2 * other, y)
    compare(made(forward))


def test_a_region_that_changes_a_value_in_place():
    def forward(self, x, y):
        h = self.a(x) * 1
        with torch.no_grad():
            h.to(h.dtype).mul_(2)
        return self.head(h, y)
    compare(made(forward))

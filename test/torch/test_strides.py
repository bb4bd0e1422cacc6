# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views by strides read the memory of a tensor, whatever the order of its dims is there."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from habits import batch_of, compare, made, refusal  # noqa: E402
from samples import Call, check_gradients, check_values  # noqa: E402


def real(*shape):
    return torch.tensor(np.random.default_rng(sum(shape)).standard_normal(shape)).requires_grad_()


def added_through(view):
    """Returns a function that adds numbers to a view of a copy of its argument and returns the copy."""
    def run(x):
        x = x * 1
        view(x).add_(torch.arange(1, 4, dtype=x.dtype))
        return x
    return run


def without_gradient(x):
    y = x * 1
    with torch.no_grad():
        y.t().as_strided((3,), (1,), 2).mul_(2)
    return y


def given_memory(x):
    y = x * 1
    y.set_((x * 2).t())
    return y.as_strided((2, 3), (1, 2), 1)


READS = {
    "row-major": lambda x: x.as_strided((2, 3), (1, 2), 1),
    "transposed": lambda x: x.t().as_strided((2, 3), (1, 2), 1),
    "transposed, overlapping": lambda x: x.t().as_strided((3, 3), (1, 1)),
    "of a product of a transposed one": lambda x: (x.t() * 2).as_strided((2, 3), (1, 2), 1),
    "of a copy of a transposed one": lambda x: x.t().contiguous().as_strided((2, 3), (1, 2), 1),
    "transposed in place": lambda x: (x * 1).t_().as_strided((2, 3), (1, 2), 1),
    "of what reshape copies": lambda x: x.t().reshape(2, 6).as_strided((2, 3), (1, 2), 1),
    "sliced": lambda x: x[1:].as_strided((2, 2), (4, 1)),
    "sliced, from the beginning of the memory": lambda x: x[1:].as_strided((2, 2), (4, 1), 0),
    "sliced in the middle": lambda x: x[:, 1:3].as_strided((2, 2), (4, 1), 2),
    "a part of a part": lambda x: x.split(2, 1)[1][1:].as_strided((2, 2), (1, 2)),
    "expanded": lambda x: x[:, :1].expand(3, 5).as_strided((2, 3), (1, 2), 1),
    "expanded and detached": lambda x: x[1:, :1].expand(2, 5).detach().as_strided((2, 2), (1, 2), 1) + x[:2, :2],
    "detached": lambda x: x[1:].detach().t().as_strided((2, 2), (1, 3), 0) * x[:2, :2],
    "by function": lambda x: torch.as_strided(x.t(), (2, 3), (1, 2), 1),
    "copied": lambda x: torch.as_strided_copy(x.t(), (2, 3), (1, 2), 1),
    "of three dims": lambda x: x.view(3, 2, 2).permute(2, 0, 1).as_strided((4, 2), (2, 1), 3),
    "one of integers": lambda x: x * torch.arange(12).view(3, 4).t().as_strided((3, 4), (1, 3)),
    "in channels_last": lambda x: (x.view(1, 3, 2, 2) * 1).contiguous(memory_format=torch.channels_last).as_strided((2, 3), (1, 2), 1),
    "no elements": lambda x: x.t().as_strided((0, 3), (1, 2), 1),
    "scattered": lambda x: x.as_strided_scatter(x[0, :3] * 2, (3,), (1,), 2),
    # torch has no derivative of these two.
    "scattered, transposed": lambda x: x.t() * x.detach().t().as_strided_scatter(x[0, :3].detach() * 2, (3,), (1,), 2),
    "scattered, of three dims": lambda x: x[0, 0] * x.detach().view(3, 2, 2).permute(2, 0, 1).as_strided_scatter(x[0, :3].detach(), (3,), (1,), 4),
    "set_": given_memory,
    "unfold": lambda x: x.t().unfold(0, 2, 1),
    "view_as_complex": lambda x: torch.view_as_real(torch.view_as_complex(x.t().reshape(2, 3, 2)).t()),
}
WRITES = {
    "in place": added_through(lambda x: x.as_strided((3,), (1,), 2)),
    "in place, transposed": added_through(lambda x: x.t().as_strided((3,), (1,), 2)),
    "in place, sliced": added_through(lambda x: x[1:].t().as_strided((3,), (1,))),
    "in place, without gradient": without_gradient,
}


def calls():
    return [Call(n, f, real(3, 4)) for n, f in {**READS, **WRITES}.items()]


def test_values():
    assert {c.name: m for c, m in check_values(calls())} == {}


def test_gradients():
    """torch has none of set_, and a wrong one of as_strided_scatter, with which its own gradcheck disagrees."""
    assert {c.name: m for c, m in check_gradients([c for c in calls() if c.name not in ("no elements", "set_", "scattered")])} == {}


def test_parameters_in_another_order():
    """A parameter may be a transposed tensor; its memory is that of what was transposed."""
    class Transposed(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(4, 12).t())

        def forward(self, x, y):
            return (x @ self.w.as_strided((12, 3), (1, 2), 5)).sum()
    torch.manual_seed(0)
    compare(Transposed())


def test_a_region_without_gradients():
    def forward(self, x, y):
        with torch.no_grad():
            scale = self.a(x).t().as_strided((4,), (1,), 3).sum()
        return self.head(self.a(x) * scale, y)
    compare(made(forward))


def test_memory_that_is_no_element_s_is_refused():
    class Sliced(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(4, 12)[:, ::2])

        def forward(self, x, y):
            return (x[:, :6] @ self.w.as_strided((6, 2), (1, 1))).sum()
    text = refusal(Sliced())
    assert "memory between or beyond the elements of a tensor of shape [4, 6] and strides [12, 2]" in text
    assert "index it" in text


def test_writes_beyond_the_elements_are_refused():
    def forward(self, x, y):
        h = self.a(x) * 1
        h[:, :3].as_strided((8, 4), (32, 1)).add_(1)
        return self.head(h, y)
    assert "changed in place, beyond the elements of the tensor that it is a view of" in refusal(made(forward))


def test_writes_of_memory_in_another_order_are_refused():
    """torch makes values of no write through a view by strides of another view."""
    def forward(self, x, y):
        h = self.a(x).view(8, 4, 8, 1).contiguous(memory_format=torch.channels_last)
        h.as_strided((8,), (1,)).add_(1)
        return self.head(h.reshape(8, 32), y)
    assert "as_strided" in refusal(made(forward))


@pytest.mark.parametrize("change", [lambda h: h.t_().resize_(4, 4), lambda h: h.t_().as_strided_((4, 4), (1, 2))], ids=["resize_", "as_strided_"])
def test_other_memory_is_refused(change):
    text = refusal(made(lambda self, x, y: (change(self.a(x).detach() * 1) * self.a(x)[:4, :4]).sum()))
    assert "as_strided" in text and "expected one in row-major order; call contiguous() first" in text

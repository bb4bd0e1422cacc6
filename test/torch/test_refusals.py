# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A refusal names the module's path, the user's line and what usually helps."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import Base, batch_of  # noqa: E402
import zcc  # noqa: E402
from zcc._torch import trace  # noqa: E402


def branches(h, x, y):
    return h * 2 if h.sum() > 0 else h


def loops(h, x, y):
    while h.abs().max() > 1:
        h = h / 2
    return h


def reads_a_number(h, x, y):
    return h * h.max().item()


def reads_a_list(h, x, y):
    return h * sum(y.tolist())


def counts_to_a_value(h, x, y):
    for _ in range(y[0]):
        h = h * 2
    return h


def selects(h, x, y):
    return h + h[h > 0].sort()[0]


def finds_places(h, x, y):
    return h + h[y.nonzero()[0]].sum()


def counts(h, x, y):
    return h + torch.bincount(y).sum()


def encodes(h, x, y):
    return h + F.one_hot(y).sum()


def compares(h, x, y):
    return h * 2 if torch.equal(x, h[:, :12]) else h


def leaves_torch(h, x, y):
    return h * float(np.mean(h.detach().numpy()))


def prints(h, x, y):
    return h * len(f"{h.mean():.3f}")


def moves(h, x, y):
    return h + torch.ones(32, device="cuda")


def factorizes(h, x, y):
    return h + torch.linalg.svdvals(h).sum()


def many_rows(h, x, y):
    return h + torch.linalg.inv(torch.eye(200)).sum() * h


def raises(h, x, y):
    raise ValueError("a message of the module's own")


VALUES, SELECTED, NUMBER = "torch.where or torch.cond", "torch.where(mask, x, 0) keeps the shape", "keep it a tensor"
EXPECTED = {
    branches: VALUES, loops: VALUES, counts_to_a_value: VALUES, counts: VALUES, encodes: VALUES, compares: VALUES, reads_a_number: NUMBER,
    reads_a_list: NUMBER, selects: SELECTED, finds_places: SELECTED, leaves_torch: "compute by torch what it computes by numpy",
    prints: "print none of a tensor", moves: "zcc places tensors by itself", factorizes: "svd", many_rows: "200 rows: expected 128 at most", raises: "a message of the module's own",
}


class Inner(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, h, x, y):
        return self.function(h, x, y)  # the line of this module


class Outer(Base):
    def __init__(self, function):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Identity(), Inner(function)])

    def forward(self, x, y):
        return self.head(self.blocks[1](self.a(x), x, y), y)


@pytest.mark.parametrize("function", EXPECTED, ids=lambda f: f.__name__)
def test_refusal(function):
    try:
        trace(Outer(function).train(), batch_of(), trains=True)
    except zcc.Error as error:
        text, place = str(error), error.place
    else:
        pytest.fail("it is not refused")
    assert "'blocks.1'" in text and EXPECTED[function] in text, text
    assert place and place.rpartition(":")[0].endswith("test_refusals.py"), place


def test_an_input_that_is_changed_has_its_own_name():
    class Changing(Base):
        def forward(self, x, y):
            x.mul_(2)
            return self.head(self.a(x), y)
    with pytest.raises(zcc.Error, match="changes its input 'x' in place: clone it first"):
        trace(Changing().train(), batch_of(), trains=True)


def test_checks_of_linear_algebra_take_no_token():
    """torch orders checks of values by tokens; the op whose result is read is what a refusal names."""
    with pytest.raises(zcc.Error) as caught:
        trace(Outer(lambda h, x, y: h + torch.linalg.lu_factor(h.t() @ h)[0].sum()).train(), batch_of(), trains=True)
    assert "linalg_lu_factor" in str(caught.value) and "token" not in str(caught.value)


class Subclass(torch.Tensor):
    pass


def distributed():
    from torch.distributed.tensor import DeviceMesh, Replicate, distribute_tensor
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    return distribute_tensor(torch.ones(32), DeviceMesh("cpu", [0]), [Replicate()])


def fake():
    with torch._subclasses.FakeTensorMode():
        return torch.ones(32)


def nested():
    return torch.nested.nested_tensor([torch.ones(3, 32), torch.ones(5, 32)], layout=torch.jagged)


# Tensors that do not keep their elements in one block of memory: what is found, and what would help.
OTHERS = {
    "sparse": (lambda: torch.eye(32).to_sparse(), "a tensor of the layout torch.sparse_coo", "x.to_dense()"),
    "compressed": (lambda: torch.eye(32).to_sparse_csr(), "a tensor of the layout torch.sparse_csr", "x.to_dense()"),
    "quantized": (lambda: torch.quantize_per_tensor(torch.ones(32), .1, 0, torch.qint8), "a quantized tensor (torch.qint8)", "x.dequantize()"),
    "nested": (nested, "a nested tensor", "x.to_padded_tensor(0.0)"),
    "distributed": (distributed, "a DTensor", "x.full_tensor()"),
    "fake": (fake, "a FakeTensor", "torch.device('meta')"),
    "lazy": (torch.nn.parameter.UninitializedBuffer, "one without a shape", "call it once"),
}


class Holding(Base):
    """A module with one tensor more, which it multiplies by if it is `used`."""

    def __init__(self, tensor, hold, used=True):
        super().__init__()
        self.used = used
        hold(self, tensor)

    def forward(self, x, y):
        return self.head(self.a(x) * self.extra if self.used else self.a(x), y)


def as_buffer(module, tensor):
    module.register_buffer("extra", tensor)


def as_parameter(module, tensor):
    module.extra = nn.Parameter(tensor, requires_grad=False)


def as_attribute(module, tensor):
    object.__setattr__(module, "extra", tensor)


def refused(module):
    with pytest.raises(zcc.Error) as caught:
        trace(module.train(), batch_of(), trains=True)
    return str(caught.value), caught.value.place or ""


@pytest.mark.parametrize("used", [True, False], ids=["used", "unused"])
@pytest.mark.parametrize("kind", OTHERS)
def test_a_buffer_that_is_no_dense_tensor(kind, used):
    make, found, helps = OTHERS[kind]
    text, place = refused(Holding(make(), as_buffer, used))
    assert f"the buffer 'extra': expected a dense tensor, found {found}" in text and helps in text, text
    assert place.rpartition(":")[0].endswith("test_refusals.py"), place


def test_a_parameter_that_is_no_dense_tensor():
    text, place = refused(nn.Sequential(Holding(torch.eye(32).to_sparse(), as_parameter)))
    assert "the parameter '0.extra': expected a dense tensor, found a tensor of the layout torch.sparse_coo" in text, text
    assert place.rpartition(":")[0].endswith("test_refusals.py"), place


@pytest.mark.parametrize("kind", ["sparse", "quantized", "nested", "distributed"])
def test_an_attribute_that_is_no_dense_tensor(kind):
    make, found, helps = OTHERS[kind]
    text, _ = refused(Holding(make(), as_attribute))
    assert f"the attribute 'extra' is {found}" in text and helps in text, text


def test_an_attribute_without_values():
    text, _ = refused(Holding(fake(), as_attribute))
    assert "extra': expected a dense tensor, found a FakeTensor, which has no values" in text, text


def test_an_attribute_of_a_subclass():
    text, _ = refused(Holding(torch.ones(32).as_subclass(Subclass), as_attribute))
    assert "the attribute 'extra' is a Subclass: expected a dense tensor; register it as a buffer" in text, text


def test_a_lazy_layer_is_refused_at_the_module_that_has_it():
    text, place = refused(Holding(nn.LazyLinear(32), lambda module, layer: setattr(module, "extra", layer)))
    assert "the parameter 'extra.weight': expected a dense tensor, found one without a shape" in text, text
    assert place.rpartition(":")[0].endswith("test_refusals.py"), place


@pytest.mark.parametrize("hold", [as_buffer, as_parameter, as_attribute], ids=lambda f: f.__name__)
def test_tensors_on_meta_beside_others(hold):
    text, _ = refused(Holding(torch.ones(32, device="meta"), hold))
    assert "'extra' is on the device meta, which has no values, and 'a.weight' on cpu" in text and "to_empty(device='cpu')" in text, text


def test_a_complex_parameter():
    class Complex(Base):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(32, dtype=torch.complex64))

        def forward(self, x, y):
            return self.head(self.a(x) * (self.w * self.w.conj()).real, y)
    found, _ = refused(Complex())
    assert "parameter 'w' is complex64[32]: expected one of bool, int8" in found and "torch.view_as_real" in found


@pytest.mark.parametrize("kind", ["sparse", "quantized", "nested", "distributed"])
def test_an_entry_of_the_batch_that_is_no_dense_tensor(kind):
    make, found, helps = OTHERS[kind]
    with pytest.raises(zcc.Error) as caught:
        trace(Base().train(), {**batch_of(), "extra": make()}, trains=True)
    assert f"extra: expected a dense tensor, found {found}" in str(caught.value) and helps in str(caught.value), str(caught.value)

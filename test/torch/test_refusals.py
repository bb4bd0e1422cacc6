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

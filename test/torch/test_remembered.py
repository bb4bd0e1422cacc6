# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that a forward pass changes: what its next call reads is refused, and the rest is left alone."""
import collections

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import batch_of, made, refusal  # noqa: E402
import zcc  # noqa: E402


class Remembers(nn.Module):
    of_all = 0

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(12, 32), nn.Linear(32, 6)
        self.calls, self.before, self.table, self.size, self.known, self.log = 0, None, None, 0, {}, collections.deque(maxlen=3)
        self.mean, self.schedule = torch.zeros(32), Schedule()
        self.register_buffer("scale", torch.arange(1., 13.))
        self.register_buffer("order", torch.arange(12), persistent=False)

    def head(self, h, y):
        return F.cross_entropy(self.b(h), y)


def warms_up(self, x, y):
    self.calls += 1
    return self.head(self.a(x), y) * min(1.0, self.calls / 10)


def warms_up_for_long(self, x, y):
    self.calls += 1
    return self.head(self.a(x), y) * (0.5 if self.calls < 1000 else 1.0)


def begins_otherwise(self, x, y):
    h = self.a(x)
    if not self.calls:
        self.calls = True
        return self.head(h * 2, y)
    return self.head(h, y)


def keeps_what_was_before(self, x, y):
    h = self.a(x)
    loss = self.head(h, y)
    if self.before is not None:
        loss = loss + (h - self.before).abs().mean()
    self.before = h.detach()
    return loss


def keeps_a_mean(self, x, y):
    h = self.a(x) - self.mean
    self.mean = h.detach().mean(0)
    return self.head(h, y)


def keeps_in_a_dictionary(self, x, y):
    h = self.a(x)
    self.known["mean"] = 0.9 * self.known.get("mean", 0.0) + 0.1 * h.detach().mean()
    return self.head(h, y) * (1 + self.known["mean"])


def counts_a_list(self, x, y):
    self.log.append(0)
    return self.head(self.a(x), y) * len(self.log)


class Schedule:
    def __init__(self):
        self.steps = 0

    def share(self):
        self.steps += 1
        return 0.5 ** self.steps


def follows_a_schedule(self, x, y):
    return self.head(self.a(x), y) * self.schedule.share()


def counts_for_its_class(self, x, y):
    type(self).of_all += 1
    return self.head(self.a(x), y) * type(self).of_all


READS = {follows_a_schedule: "schedule.steps", counts_for_its_class: "Made.of_all", warms_up: "calls", warms_up_for_long: "calls", begins_otherwise: "calls", keeps_what_was_before: "before", keeps_a_mean: "mean",
         keeps_in_a_dictionary: "known", counts_a_list: "log"}


@pytest.mark.parametrize("body", READS, ids=lambda f: f.__name__)
def test_what_the_next_call_reads_is_refused(body):
    found = refusal(made(body, Remembers))
    assert f"changes the attribute '{READS[body]}', which its next call reads" in found and "register_buffer" in found


class WarmsUp(Remembers):
    def forward(self, x, y):
        return warms_up(self, x, y)


def test_the_refusal_names_the_module_and_its_line():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = WarmsUp()

        def forward(self, x, y):
            return self.inner(x, y)
    with pytest.raises(zcc.Error, match="'inner.calls'") as caught:
        zcc.compile(Outer(), batch_of(), quiet=True)
    assert "test_remembered.py" in caught.value.place


def counts_for_itself(self, x, y):
    self.calls += 1
    self.log.append(self.calls)
    return self.head(self.a(x), y)


def shows_what_it_computed(self, x, y):
    self.before = self.a(x)
    self.known["hidden"], self.size = self.before, len(x)
    return self.head(self.before, y)


def keeps_a_table(self, x, y):
    """The table follows from constants alone: the next call reads what it would compute."""
    if self.size < x.shape[1]:
        self.size = x.shape[1]
        self.table = torch.arange(self.size).float().cos()
    return self.head(self.a(x * self.table), y)


def keeps_what_follows_from_buffers(self, x, y):
    if self.table is None:
        self.table = self.scale.sqrt() + self.order
    return self.head(self.a(x * self.table), y)


def keeps_what_follows_from_a_buffer_that_changes(self, x, y):
    self.scale += 1
    if self.table is None:
        self.table = self.scale.sqrt()
    return self.head(self.a(x * self.table), y)


def test_what_follows_from_a_buffer_that_changes_is_refused():
    assert "the attribute 'table', which its next call reads" in refusal(made(keeps_what_follows_from_a_buffer_that_changes, Remembers))


@pytest.mark.parametrize("body", [counts_for_itself, shows_what_it_computed, keeps_a_table, keeps_what_follows_from_buffers], ids=lambda f: f.__name__)
def test_what_no_call_reads_is_left_alone(body):
    module, batch = made(body, Remembers).train(), batch_of()
    wanted = float(made(body, Remembers)(**{k: torch.tensor(v) for k, v in batch.items()}).detach())
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        assert (module.calls, module.before, module.table, module.size, module.known, len(module.log)) == (0, None, None, 0, {}, 0)
        for _ in range(2):
            assert abs(step(batch).loss - wanted) < 1e-6 * wanted


def test_a_module_without_values_is_planned():
    with torch.device("meta"):
        module = WarmsUp()
    assert zcc.plan(module, batch_of(), mesh="data=2", quiet=True)

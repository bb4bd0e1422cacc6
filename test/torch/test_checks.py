# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asserts, ifs that raise, and questions whether numbers are finite, in modules."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

from habits import MESHES, Base, batch_of, compare, made, refusal  # noqa: E402
import zcc  # noqa: E402


def test_checks_of_values():
    """Checks are taken to pass, and numbers to be finite."""
    def forward(self, x, y):
        h = self.a(x)
        assert torch.all(y >= 0).item() and not h.isnan().any(), "labels"
        if not x.ndim or y.max() >= 6:
            raise ValueError("labels")
        torch._check_tensor_all(y < 6)
        if not torch.isfinite(h).all():
            h = h.clamp(-9, 9)
        if torch.isinf(h).any() or torch.isnan(h).any():
            h = h * 0
        return self.head(h, y)
    compare(made(forward))


def test_numbers_are_finite_where_the_caller_has_no_gradients():
    def forward(self, x, y):
        h = self.a(x)
        with torch.inference_mode():
            is_finite = torch.isfinite(h * 2).all()  # this one has no gradient, and passes as a check alone
        assert is_finite
        if not torch.isfinite(h).all():
            h = h * 0
        return self.head(h, y)
    module, batch = made(forward), batch_of()
    with torch.no_grad():
        wanted = float(module(torch.tensor(batch["x"]), torch.tensor(batch["y"])))
    for mode in (torch.no_grad, torch.inference_mode):
        with mode(), zcc.compile(module, batch, quiet=True) as step:
            assert abs(step.evaluate(batch).loss - wanted) < 1e-5


def test_checks_that_compare_nothing():
    """Python 3.11 gives their question the place of the whole statement."""
    def forward(self, x, y):
        h = self.a(x)
        if (y > 5).any():
            raise ValueError("labels")
        if not (y < 6).all() or not (y >= 0).all(): raise ValueError("labels")  # noqa: E701
        if not (x.isnan().any() or (y < 6).all()):
            raise ValueError("inputs")
        if y is not None and not torch.all(y < 6):
            raise ValueError("labels")
        return self.head(h, y)
    compare(made(forward), meshes=MESHES[:1])


def test_checks_whose_errors_are_caught_are_refused():
    def forward(self, x, y):
        h = self.a(x)
        try:
            if (y > 2).any() > 0:
                raise ValueError
            h = h * 2
        except ValueError:
            h = h * 3
        return self.head(h, y)
    assert "torch.where" in refusal(made(forward))


def test_questions_whether_others_are_finite_are_refused():
    """An input may have infinite numbers, and a tensor of answers may be changed."""
    def of_input(self, x, y):
        h = self.a(x)
        if torch.isinf(x).any():
            h = h * 2
        return self.head(h, y)

    def changed(self, x, y):
        h = self.a(x)
        is_bad = torch.isnan(h)
        is_bad |= h > .1
        if is_bad.any():
            h = h * 2
        return self.head(h, y)

    def of_part(self, x, y):
        h = self.a(x)
        is_bad = torch.isnan(h)
        is_bad[0] = True
        if is_bad.any():
            h = h * 2
        return self.head(h, y)
    for body in (of_input, changed, of_part):
        assert "torch.where" in refusal(made(body)), body.__name__


def test_what_follows_from_constants_is_computed():
    class Padded(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("kernel", torch.tensor(5))
            self.register_buffer("stride", torch.tensor(2), persistent=False)

    def forward(self, x, y):
        mask, h = torch.full((32, 32), -torch.inf).triu(1), self.a(x)
        if torch.isinf(mask).any():
            h = h * 2
        if torch.ones_like(x).bool().all() and int(torch.zeros(3).sum()) == 0:
            h = h * 3
        if torch.full((2,), 7.0).sum().item() != 14:
            h = h * 5
        ones = torch.ones(3)
        ones[1] = 0  # what is known of a tensor ends where it is changed
        padded = F.pad(x, (self.kernel - self.stride, self.stride), "reflect")
        assert padded.shape == (8, 17)
        return self.head(h + padded[:, :12].sum(), y)
    compare(made(forward, Padded))


def test_changed_constants_and_values_of_checkpoints_are_refused():
    class Counting(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.tensor(0))
            self.register_buffer("scale", torch.tensor(1.0))

    def changed_tensor(self, x, y):
        ones = torch.ones(3)
        ones[1] = x.sum()
        return self.head(self.a(x) * 2 if ones.bool().all() else self.a(x), y)

    def of_checkpoint(self, x, y):
        return self.head(self.a(x) * 2 if self.scale > 0 else self.a(x), y)
    for body in (changed_tensor, of_checkpoint):
        assert "torch.where" in refusal(made(body, Counting)), body.__name__

    def counted(self, x, y):
        scale = 2 if self.steps < 10 else 1
        self.steps += 1
        return self.head(self.a(x) * scale, y)
    assert "asks for the value of its buffer 'steps', which its forward pass changes" in refusal(made(counted, Counting))


def in_place(x, a, n):
    a.add_(1)


def through_a_view(x, a, n):
    a.view(2, 2)[1:].t()[0].fill_(1)


def through_an_earlier_view(x, a, n):
    a[0] = 2.0
    a.unbind()[1].add_(1)


def of_a_detached_view(x, a, n):
    a.detach()[1:].add_(1)


def without_gradients(x, a, n):
    with torch.no_grad():
        a.expand(1, 4)[:, :2].add_(1)


def as_a_result(x, a, n):
    torch.sum(x[:, :4], 0, out=a)


def as_data(x, a, n):
    a.data = torch.ones(4)


def as_statistics(x, a, n):
    F.batch_norm(x[:, :4], a, torch.ones(4), training=True)


def in_a_list(x, a, n):
    torch._foreach_add_([a], 1.0)


def within_vmap(x, a, n):
    torch.func.vmap(lambda row: row.add_(1))(a)


def a_buffer_through_a_view(x, a, n):
    n.view(2, 2)[0].add_(1)


WRITES = [in_place, through_a_view, through_an_earlier_view, of_a_detached_view, without_gradients, as_a_result, as_data, as_statistics, in_a_list,
          within_vmap, a_buffer_through_a_view]


@pytest.mark.parametrize("write", WRITES, ids=lambda f: f.__name__)
def test_what_was_written_is_not_answered_by_the_value_before(write):
    """A question of a constant's value, or of a view's that was made before, is refused after a write, whatever wrote."""
    class Counting(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(4, dtype=torch.int64), persistent=False)

    questions = {"bool": lambda t: bool(t.any()), "item": lambda t: t.sum().item() > 0, "int": lambda t: int(t.max()) > 0,
                 "tolist": lambda t: max(t.tolist()) > 0}

    def asking(question, of_view):
        def forward(self, x, y):
            a = torch.zeros(4)
            asked = self.n if write is a_buffer_through_a_view else a
            asked = asked.view(4) if of_view else asked
            write(x, a, self.n)
            return self.head(self.a(x) * (2 if question(asked) else 1), y)
        return forward
    for name, question in questions.items():
        for of_view in (False,) if write is as_data else (False, True):  # .data leaves views the memory that they have
            text = refusal(made(asking(question, of_view), Counting))
            assert "torch.where" in text or "reads a number" in text or "depend" in text, (name, text)


def test_what_is_asked_before_a_write_is_answered():
    def forward(self, x, y):
        a, h = torch.zeros(4), self.a(x)
        scale = 3 if a.sum() == 0 else 2
        a.view(2, 2)[0].add_(x[0, 0])
        ones = torch.ones(4)
        F.batch_norm(h[:, :4], h.new_zeros(4), h.new_ones(4), training=True)  # of other tensors
        return self.head(h * scale * (5 if ones.all() else 1) + a.sum(), y)
    compare(made(forward))


def test_assigned_buffers_are_state():
    """A buffer that the forward pass assigns changes as one that it writes in place; its value is not asked for."""
    class Decaying(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("m", torch.ones(4))
            self.register_buffer("n", torch.tensor(1), persistent=False)

    def forward(self, x, y):
        self.m = self.m * 0.5
        self.n = self.n + 1
        return self.head(self.a(x), y) * self.m.sum() * self.n
    module, batch = made(forward, Decaying), batch_of()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        found = [step(batch).loss for _ in range(3)]
    wanted = [float(module(**{k: torch.tensor(v) for k, v in batch.items()})) for _ in range(3)]
    assert np.allclose(found, wanted, rtol=1e-6), (found, wanted)

    def counted(self, x, y):
        scale = 2 if self.n < 10 else 1
        self.n = self.n + 1
        return self.head(self.a(x) * scale, y)
    assert "asks for the value of its buffer 'n', which its forward pass changes" in refusal(made(counted, Decaying))

    def grown(self, x, y):
        self.m = torch.ones(5)
        return self.head(self.a(x), y)
    assert "assigns its buffer 'm' a value of another kind: expected torch.float32 of [4], found torch.float32 of [5]" in refusal(made(grown, Decaying))


def test_operands_by_name():
    def forward(self, x, y):
        h = self.a(x)
        return self.head(torch.where(torch.gt(input=x, other=0.5)[:, :1], h, h * torch.eq(h, other=1.0)), y)
    compare(made(forward))


def test_what_is_drawn_is_not_computed():
    def gumbel(self, x, y):
        return self.head(self.a(x) * (2 if F.gumbel_softmax(torch.zeros(4), hard=True)[0] > 0.5 else 1), y)

    def leaky(self, x, y):
        return self.head(self.a(x) * (2 if F.rrelu(-torch.ones(4), training=True).sum() > -1 else 1), y)
    for body in (gumbel, leaky):
        module = made(body)
        before = torch.get_rng_state()
        assert "torch.where" in refusal(module), body.__name__
        assert torch.equal(before, torch.get_rng_state())


def test_layers_that_are_never_dropped():
    def forward(self, x, y):
        h = self.a(x)
        if torch.rand(1) > 0.0:
            h = h * 2
        if not torch.rand([]) < 0 and torch.rand_like(h[0, 0]) < 1.0:
            h = h * 3
        return self.head(h, y)
    compare(made(forward))

    def dropped(self, x, y):
        return self.head(self.a(x) * 2 if torch.rand([]) < .1 else self.a(x), y)
    assert "torch.where" in refusal(made(dropped))

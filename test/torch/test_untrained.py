# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that would be the same in each step, though PyTorch's steps may differ: tensors that no optimizer changes,
and numbers of Python's random."""
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import Base, batch_of, compare, made, refusal  # noqa: E402


def makes_one(self, x, y):
    return self.head(self.a(x) * nn.Parameter(torch.ones(32)), y)


def makes_one_the_first_time(self, x, y):
    if not hasattr(self, "scale"):
        self.scale = nn.Parameter(torch.full((32,), 2.0))
    return self.head(self.a(x) * self.scale, y)


def makes_a_layer(self, x, y):
    return self.head(nn.LayerNorm(32)(self.a(x)), y)


@pytest.mark.parametrize("body", [makes_one, makes_one_the_first_time, makes_a_layer], ids=lambda f: f.__name__)
def test_a_parameter_that_the_forward_pass_makes(body):
    module = made(body)
    assert "makes a Parameter of shape [32], which no optimizer would train" in refusal(module.train())
    if body is makes_one_the_first_time:
        assert not hasattr(module, "scale")
        module(**{k: torch.tensor(v) for k, v in batch_of().items()})
        compare(module, meshes=[{}])


class Hiding(Base):
    """Has modules and tensors in places where PyTorch does not look for parameters."""

    def __init__(self, how):
        super().__init__()
        self.how, self.layers, self.table = how, [nn.Linear(32, 32)], {"scale": [torch.ones(32, requires_grad=True)]}

    def forward(self, x, y):
        h = self.a(x)
        if self.how == "teacher":
            with torch.no_grad():
                return self.head(h, y) + (h - self.layers[0](h)).square().mean()
        return self.head(self.layers[0](h) if self.how == "layers" else h * self.table["scale"][0] if self.how == "table" else h * OUTSIDE, y)


OUTSIDE = torch.ones(32, requires_grad=True)


@pytest.mark.parametrize("how, name", [("layers", "'layers.0."), ("table", "'table.scale.0'"), ("global", "a tensor of shape [32] that is not the module's")])
def test_a_tensor_that_is_no_parameter(how, name):
    text = refusal(Hiding(how).train())
    assert name in text and "would not be trained" in text


def test_one_that_has_no_gradient_is_a_constant():
    torch.manual_seed(0)
    module = Hiding("teacher")
    wanted = float(module(**{k: torch.tensor(v) for k, v in batch_of().items()}).detach())
    import zcc
    with zcc.compile(module.train(), batch_of(), optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        assert abs(step(batch_of()).loss - wanted) < 1e-6 * wanted


def drops_by(draw):
    def body(self, x, y):
        h = self.a(x)
        return self.head(h if draw() < self.p else h.tanh(), y)
    return body


DRAWS = {"random.random": lambda: random.random(), "random.uniform": lambda: random.uniform(0, 1), "numpy.random.rand": lambda: np.random.rand(),
         "numpy.random.uniform": lambda: np.random.uniform(0, 1)}


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_that_are_drawn_outside_of_torch(name):
    module = made(drops_by(DRAWS[name])).train()
    module.p = .1
    text = refusal(module)
    assert f"draws a number by {name}" in text and "the same in each step" in text
    for p in (0, 1):  # never, always
        module.p = p
        compare(module, meshes=[{}])


@pytest.mark.parametrize("draw", [lambda: random.randint(0, 5), lambda: random.random() * 2, lambda: np.random.permutation(4), lambda: float(random.random())])
def test_other_numbers(draw):
    module = made(drops_by(lambda: draw())).train()
    module.p = 1
    assert "the same in each step" in refusal(module)


USES = {
    "times": lambda h, p: h * p, "times, from the left": lambda h, p: p * h, "in place": lambda h, p: h.clone().mul_(p), "added": lambda h, p: h + p,
    "power": lambda h, p: h.abs() ** p, "base": lambda h, p: p ** h, "filled": lambda h, p: h * torch.full((1,), p), "a tensor": lambda h, p: h * torch.tensor(p),
    "lerp": lambda h, p: torch.lerp(h, h * 2, p), "clamped": lambda h, p: h.clamp(max=p), "compared": lambda h, p: h * (h < p), "dropped": lambda h, p: F.dropout(h, p),
    "numpy": lambda h, p: h * np.sqrt(p), "alpha": lambda h, p: torch.add(h, h, alpha=p), "filled in place": lambda h, p: h.clone().fill_(p) + h,
    "converted": lambda h, p: h * int(p * 4), "where": lambda h, p: torch.where(h > 0, h, p), "written": lambda h, p: written(h, p),
}


def written(h, p):
    h = h.clone()
    h[:, 0] = p
    return h


@pytest.mark.parametrize("use", USES)
def test_what_is_computed_of_a_number_that_is_drawn(use):
    for draw in (lambda: random.random(), lambda: np.random.rand()):
        refusal(made(lambda self, x, y, draw=draw: self.head(USES[use](self.a(x), draw()), y)).train())


@pytest.mark.parametrize("draw, by", [(random.random, "random"), (random.randint, "random"), (np.random.rand, "numpy.random")], ids=["random", "randint", "rand"])
def test_functions_that_were_imported(draw, by):
    """As by `from random import random`: nothing can stand for those."""
    numbers = (0, 5) if draw == random.randint else ()
    assert f"draws a number by {by}, by a function that was imported" in refusal(made(lambda self, x, y: self.head(self.a(x) * draw(*numbers), y)).train())


@pytest.mark.parametrize("make", [random.Random, np.random.default_rng, np.random.RandomState])
def test_generators_of_a_module(make):
    class Owner(Base):
        def __init__(self):
            super().__init__()
            self.own = make(5)
    module = made(lambda self, x, y: self.head(self.a(x) * self.own.uniform(1, 2), y), Owner)
    assert "draws a number by its generator 'own'" in refusal(module.train())
    compare(made(lambda self, x, y: self.head(self.a(x), y), Owner), meshes=[{}])


def test_generators_that_are_made_in_the_forward_pass():
    assert "numpy.random.default_rng" in refusal(made(lambda self, x, y: self.head(self.a(x) * np.random.default_rng().uniform(), y)).train())
    compare(made(lambda self, x, y: self.head(self.a(x) * np.random.default_rng(3).uniform(), y)), meshes=[{}])


def test_numbers_that_are_drawn_after_a_seed():
    """They are the same in each step of PyTorch, too, and those of the other generator are not."""
    def seeded(self, x, y):
        np.random.seed(7)
        return self.head(self.a(x)[np.random.permutation(8)] * np.random.rand(), y)

    def seeded_again(self, x, y):
        random.seed(3)
        return self.head(self.a(x) * random.choice([1, 2, 3]), y)

    def of_the_other(self, x, y):
        random.seed(3)
        return self.head(self.a(x) * np.random.rand(), y)

    def by_the_time(self, x, y):
        np.random.seed(None)
        return self.head(self.a(x) * np.random.rand(), y)
    compare(made(seeded), meshes=[{}])
    compare(made(seeded_again), meshes=[{}])
    assert "draws a number by numpy.random.rand" in refusal(made(of_the_other).train())
    assert "draws a number by numpy.random.rand" in refusal(made(by_the_time).train())


def test_random_is_put_back():
    before = random.random, np.random.rand, np.random.seed, nn.Parameter.__new__
    refusal(made(makes_one).train())
    assert (random.random, np.random.rand, np.random.seed, nn.Parameter.__new__) == before

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a forward pass switches: inference mode, requires_grad of parameters, and torch's seed."""
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import compare, made, refusal  # noqa: E402


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.maker, self.critic = nn.Linear(12, 12), nn.Sequential(nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 6))
        self.memory = nn.LSTM(12, 12)


def by_the_attribute(self, x, y):
    for p in self.critic.parameters():
        p.requires_grad = False
    made_ones = self.maker(x)
    loss = -self.critic(made_ones).mean()
    for p in self.critic.parameters():
        p.requires_grad = True
    return loss + F.cross_entropy(self.critic(x), y) + self.critic(made_ones.detach()).square().mean()


def by_the_method(self, x, y):
    self.critic.requires_grad_(False)
    self.maker.weight.requires_grad_(False)
    loss = F.cross_entropy(self.critic(self.maker(x)), y)
    self.maker.weight.requires_grad_()
    self.critic.requires_grad_(True)
    return loss + F.cross_entropy(self.critic(x), y) + self.maker(x).square().mean()


def of_a_list_of_weights(self, x, y):
    self.memory.requires_grad_(False)
    h = self.memory(self.maker(x)[None])[0][0]
    self.memory.requires_grad_(True)
    return F.cross_entropy(self.critic(h), y) + self.memory(x[None])[0].square().mean()


def in_inference_mode(self, x, y):
    with torch.inference_mode():
        wanted = self.critic(x)
        with torch.inference_mode(False):
            pass
        more = self.maker(x)
    return F.mse_loss(self.critic(self.maker(x)), wanted.clone()) + (self.maker(x) * more.clone()).mean()


@torch.inference_mode()
def wanted_of(self, x):
    return self.critic(x)


def by_a_decorator(self, x, y):
    return F.cross_entropy(self.critic(self.maker(x)), y) + F.mse_loss(self.maker(x)[:, :6], wanted_of(self, x).clone())


@pytest.mark.parametrize("body", [by_the_attribute, by_the_method, of_a_list_of_weights, in_inference_mode, by_a_decorator], ids=lambda f: f.__name__)
def test_where_gradients_pass(body):
    compare(made(body, Pair))


def test_a_frozen_parameter_that_is_switched_on():
    def forward(self, x, y):
        self.maker.weight.requires_grad = True
        return F.cross_entropy(self.critic(self.maker(x)), y)
    module = made(forward, Pair)
    module.maker.weight.requires_grad_(False)
    assert "sets requires_grad of a frozen parameter of shape [12, 12]" in refusal(module.train())


def seeds(self, x, y):
    torch.manual_seed(3)
    return F.cross_entropy(self.critic(x), y) + torch.rand(())


def seeds_apart(self, x, y):
    with torch.random.fork_rng(devices=[]):
        torch.random.manual_seed(3)
        return F.cross_entropy(self.critic(x), y) + torch.rand(())


def draws_by_a_generator(self, x, y):
    return F.cross_entropy(self.critic(x), y) + torch.randn(6, generator=torch.Generator().manual_seed(3)).mean()


@pytest.mark.parametrize("body, text", [(seeds, "seeds torch (torch.manual_seed)"), (seeds_apart, "seeds torch (torch.manual_seed)"), (draws_by_a_generator, "by a torch.Generator")],
                         ids=["seed", "fork", "generator"])
def test_draws_that_would_be_the_same_in_each_step(body, text):
    assert text in refusal(made(body, Pair).train())


def test_torch_is_put_back():
    before = torch.manual_seed, torch.inference_mode.__enter__, torch.inference_mode.__exit__
    refusal(made(seeds, Pair).train())
    assert (torch.manual_seed, torch.inference_mode.__enter__, torch.inference_mode.__exit__) == before

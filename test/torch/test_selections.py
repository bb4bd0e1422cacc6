# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that a mask of data selects: losses, gradients and what is refused."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import Base, batch_of, compare, made, refusal  # noqa: E402
import zcc  # noqa: E402

PLANS = [{}, {"mesh": "data=2,tensor=2", "zero": 3}, {"mesh": "pipe=2", "microbatches": 4}]


def rows(self, h, x, y):
    """The labels that count are the loss of most classifiers of tokens."""
    some = y != 2
    return F.cross_entropy(self.b(h)[some], y[some])


def another_mask(self, h, x, y):
    return F.cross_entropy(self.b(h)[y > 2], y[y > 2], reduction="sum", label_smoothing=.1) / (y > 2).sum()


def elements(self, h, x, y):
    large = h[h > .1]
    return large.log().mean() + torch.masked_select(h, h < -.1).square().sum() + large.numel() * large.mean() / h.numel()


def of_a_selection(self, h, x, y):
    some = h[y > 1]
    few = some[some[:, 0] > 0]
    return some.norm(dim=1).mean() + (few.sum(0) ** 2).mean() + torch.einsum("nd,ne->de", few, few).square().mean() + (few.t() @ few).mean()


def statistics(self, h, x, y):
    some = h[y < 4]
    return (some.std(0) + some.amax(0) - some.amin(0) + some.logsumexp(0) + some.var(0, unbiased=False)).sum() + some.sigmoid().prod(0).sum() + some.max()


def layers(self, h, x, y):
    some = F.layer_norm(F.linear(h[:, None, :4][y > 1], self.a.weight[:, :4]), (32,)).softmax(-1)
    joined = torch.cat([some.flatten(1), h[y == 0]])
    return joined.square().mean() + F.mse_loss(some[:, 0], h[y > 1]) + F.smooth_l1_loss(h[y > 1, :3], x[y > 1][:, :3], reduction="none").sum(1).mean()


def shapes(self, h, x, y):
    some = h.view(8, 4, 8)[h.view(8, 4, 8)[..., 0] > 0]
    flat = some.view(some.size(0) * 2, 4)
    return flat.square().sum(1).mean() + some.reshape(-1, 2, 4).transpose(1, 2).flatten().abs().mean() + some.unsqueeze(1).squeeze(1).sum() / some.shape[0]


def losses(self, h, x, y):
    p, t, some = h[:, :12], x, y > 1
    a, b = p[some], t[some]
    found = F.mse_loss(a, b) + F.l1_loss(a, b, reduction="sum") + F.huber_loss(a, b) + F.binary_cross_entropy_with_logits(a, b.sigmoid())
    return found + F.kl_div(a.log_softmax(1), b.softmax(1), reduction="batchmean") + F.binary_cross_entropy(a.sigmoid(), b.sigmoid()) \
        + F.cross_entropy(a, b.softmax(1)) + F.nll_loss(a.log_softmax(1), y[some], weight=torch.linspace(1, 2, 12).to(x)) + F.cosine_embedding_loss(a, b, torch.ones_like(a[:, 0]))


def written(self, h, x, y):
    out, some = torch.zeros_like(h), y > 2
    out[some] = h[some].tanh()
    out[some] += 1
    at, of = torch.where(h[:, :3] > 0)
    sums = torch.zeros_like(x).index_add(0, at, x[at] * h[at, of, None])
    places = (y < 3).nonzero()[:, 0]
    copy = h.clone()
    copy[places] = h[places] * 2
    copy.index_put_((at, of), h[at, of] ** 3)
    copy = copy.index_put([places], torch.ones_like(h[places]), accumulate=True)
    return (out ** 2).mean() + sums.square().mean() + (copy * torch.linspace(0, 1, 32)).mean() + h.new_zeros(9, 32).index_add(0, places + 1, h[places]).square().mean()


def conjugated(self, h, x, y):
    some = h[y > 1]
    return (some.H @ some).square().mean() + (some[:, None].mH * torch.linspace(0, 1, 32)[:, None]).sum()


def kept_dims(self, h, x, y):
    some = h[y > 1]
    return (some.mean(0, True)[0] * some.var(0, False, True)[0]).sum() + some.std(0, keepdim=True)[0].square().sum()


def places_that_are_computed(self, h, x, y):
    """Places that have the shape of those of a mask are others once they are computed or written to."""
    at, = torch.where(y < 4)
    first, later, all_first = torch.zeros_like(at), at.clone(), at.clone()
    later.view(-1).clamp_(min=3)
    all_first[:] = 0
    return (h[first] * h[at]).mean() + (h[later] * h[at]).sum() + x.new_zeros(8, 32).index_add(0, all_first, h[at]).square().mean()


def joined_before_another_mask(self, h, x, y):
    both = torch.cat([h[y > 2], h[y < 2]])
    return both.square().mean() + h[y == 2].mean()


SOME = [conjugated, kept_dims, places_that_are_computed, joined_before_another_mask, rows, another_mask, elements, of_a_selection, statistics, layers, shapes, losses, written]


def forward(body):
    return lambda self, x, y: body(self, self.a(x), x, y)


@pytest.mark.parametrize("body", SOME, ids=lambda f: f.__name__)
def test_selection(body):
    compare(made(forward(body)), meshes=[{}])


@pytest.mark.parametrize("options", PLANS[1:], ids=str)
def test_selections_on_meshes(options):
    compare(made(forward(rows)), meshes=[options])


@pytest.mark.parametrize("body", [rows, written], ids=lambda f: f.__name__)
def test_an_empty_selection(body):
    batch = batch_of()
    batch["y"][:] = 2
    if body is written:
        return compare(made(forward(body)), batch, meshes=[{}])
    with zcc.compile(made(forward(body)).train(), batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step, pytest.raises(zcc.Error, match="loss"):
        step(batch)  # 0 / 0, as in PyTorch


class Experts(nn.Module):
    def __init__(self, forward):
        super().__init__()
        self.gate, self.head = nn.Linear(12, 4), nn.Linear(12, 6)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(12, 16), nn.GELU(), nn.Linear(16, 12)) for _ in range(4)])
        self.route = forward

    def forward(self, x, y):
        return F.cross_entropy(self.head(self.route(self, x)), y)


def by_places(self, x):
    shares, chosen = self.gate(x).softmax(-1).topk(2, -1)
    out = torch.zeros_like(x)
    for i, expert in enumerate(self.experts):
        token, k = torch.where(chosen == i)
        if token.shape[0] == 0:
            continue
        out.index_add_(0, token, expert(x[token]) * shares[token, k, None])
    return out


def by_masks(self, x):
    shares = self.gate(x).softmax(-1)
    chosen, out = shares.argmax(-1), torch.zeros_like(x)
    for i, expert in enumerate(self.experts):
        own = chosen == i
        if own.any():
            out[own] = expert(x[own]) * shares[own, i].unsqueeze(-1)
    return out


def as_mixtral(self, x):
    shares, chosen = self.gate(x).softmax(-1).topk(2, -1)
    out, mask = torch.zeros_like(x), F.one_hot(chosen, 4).permute(2, 1, 0)
    for i, expert in enumerate(self.experts):
        k, token = torch.where(mask[i])
        own = x[None, token].reshape(-1, 12)
        out.index_add_(0, token, (expert(own) * shares[token, k, None]).to(x.dtype))
    return out


def by_flat_masks(self, x):
    """The mask of [samples, tokens] is asked and read as one row, and written by in its own shape."""
    x = x.view(2, 4, 12)
    logits = self.gate(x)
    best, chosen = logits.topk(2, -1)
    shares, out = torch.full_like(logits, -torch.inf).scatter(-1, chosen, best).softmax(-1), torch.zeros_like(x)
    flat, flat_shares = x.view(-1, 12), shares.view(-1, 4)
    for i, expert in enumerate(self.experts):
        own = (chosen == i).any(dim=-1)
        flat_own = own.view(-1)
        if flat_own.any():
            weighted = expert(flat[flat_own]) * flat_shares[flat_own, i].unsqueeze(1)
            out[own] += weighted.squeeze(1)
    return out.view(8, 12)


@pytest.mark.parametrize("route", [by_places, by_masks, by_flat_masks, as_mixtral], ids=lambda f: f.__name__)
def test_experts_by_hand(route):
    torch.manual_seed(0)
    module, batch = Experts(route), batch_of()
    chosen = torch.topk(module.gate(torch.tensor(batch["x"])), 2).indices if route is not by_masks else module.gate(torch.tensor(batch["x"])).argmax(-1)
    module.gate.bias.data[int(chosen.flatten()[0])] -= 99  # an expert that no token chooses
    compare(module, batch, meshes=PLANS if route is by_places else [{}])


def counts(self, h, x, y):
    total, number = 0, 0
    for c in range(6):
        own = y == c
        if own.sum() > 0:
            total, number = total + h[own].mean(0).square().sum(), number + 1
    return total / number


def asks(self, h, x, y):
    some = h[y > 2]
    return h.sum() if some.shape[0] > 3 else some.sum()


def sorts(self, h, x, y):
    return h[y > 2].sort(0)[0][0].sum()


def flips(self, h, x, y):
    return (h[y > 2].flip(1, 0) * h[y > 2]).sum()


def numbered(self, h, x, y):
    return h[y > 2][0].sum()


def beside_others(self, h, x, y):
    return (h[y > 2] * h).sum()


def of_two_masks(self, h, x, y):
    return (h[y > 2] - h[y < 2]).sum()


def of_one_that_changed(self, h, x, y):
    some = y > 2
    before = h[some]
    some[0] = True
    return (before - h[some]).sum()


def counted_in_python(self, h, x, y):
    return h.sum() / len(h[y > 2])


def in_a_cond(self, h, x, y):
    return torch.cond(x.sum() > 0, lambda s: s * 2, lambda s: s * 3, (h[y > 2],)).sum()


def in_a_map(self, h, x, y):
    return torch.func.vmap(lambda r: r.square().sum())(h[y > 2]).sum()


REFUSED = {counts: "torch.where", asks: "depends on values", sorts: "sort, along the dim", flips: "flip, along the dim", numbered: "reads them by their numbers",
           beside_others: "is not selected", of_two_masks: "another mask", of_one_that_changed: "another mask", counted_in_python: "by len()", in_a_cond: "cond",
           in_a_map: "a mask of data selects"}


@pytest.mark.parametrize("body", REFUSED, ids=lambda f: f.__name__)
def test_refusal(body):
    assert REFUSED[body] in refusal(made(forward(body)).train())


class Selected(Base):
    def forward(self, x, y):
        logits = self.b(self.a(x))
        return {"loss": F.cross_entropy(logits[y > 1], y[y > 1]), "selected": logits[y > 1], "logits": logits}


def test_what_is_selected_is_no_output():
    batch = batch_of()
    with zcc.compile(Selected().train(), batch, quiet=True) as step:
        assert set(step.predict(batch)) == {"loss", "logits"}
        with pytest.raises(zcc.Error, match="nothing but elements that a mask"):
            step.predict(batch, lambda module, batch: module(**batch)["selected"])


def test_a_mask_that_changes_later_selects_what_it_did():
    def body(self, h, x, y):
        some = y > 2
        found = x[some].mean(0)
        some.logical_not_()
        return (h[:, :12] * found).mean()
    compare(made(forward(body)), meshes=[{}])


def test_a_module_that_is_made_in_inference_mode():
    """Its tensors have no versions, by which it would be known that a mask changed."""
    batch = batch_of()
    with torch.inference_mode():
        module = made(forward(places_that_are_computed))
        with zcc.compile(module, batch, quiet=True) as step:
            assert abs(step.evaluate(batch).loss - float(module(torch.tensor(batch["x"]), torch.tensor(batch["y"])))) < 1e-5


def test_a_part_of_a_selection_is_written():
    def body(self, h, x, y):
        some = h[y > 1]
        few = some[:, 0] > 0
        some[few] -= 2
        some[few] = some[few] * some[few]
        return some.square().mean() + some.new_ones(3).sum()
    compare(made(forward(body)), meshes=[{}])


@pytest.mark.parametrize("name", ["ChebConv", "FeaStConv", "MFConv", "PointNetConv"])
def test_layers_that_drop_edges(name):
    """torch_geometric's layers drop self-loops by a mask."""
    geometric = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    layer = geometric.PointNetConv(nn.Linear(15, 6)) if name == "PointNetConv" else getattr(geometric, name)(12, 6, *[2] * (name == "ChebConv"))

    class Graph(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x, edges, y):
            return F.cross_entropy(self.layer(x, x[:, :3], edges) if name == "PointNetConv" else self.layer(x, edges), y)
    random = np.random.default_rng(0)
    edges = random.integers(0, 8, (2, 30))
    edges[1, :6] = edges[0, :6]
    compare(Graph(), {**batch_of(), "edges": edges})

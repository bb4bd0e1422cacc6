# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms that the text has for what libraries write otherwise: positions, experts, groups of rows, buffers that are only read."""
import copy
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

from habits import compare  # noqa: E402
import zcc  # noqa: E402
from zcc._torch import experts, fold  # noqa: E402

from reference import train  # noqa: E402


class Packed(nn.Module):
    """Causal attention whose mask is computed as transformers does: positions say where packed sequences begin."""

    def __init__(self):
        super().__init__()
        self.q, self.o = nn.Linear(16, 48), nn.Linear(16, 6)

    def forward(self, x, y):
        rows, length = x.shape[:2]
        positions = torch.arange(length).unsqueeze(0).expand(rows, -1)
        steps = torch.diff(positions, prepend=positions[:, :1] - 1, dim=-1)
        sequence = (steps != 1).cumsum(-1)
        row, at = torch.arange(rows)[:, None, None, None], torch.arange(length)
        same = sequence[row, at[None, None, :, None]] == sequence[row, at[None, None, None, :]]
        mask = same & (positions[row, at[None, None, None, :]] <= positions[row, at[None, None, :, None]])
        q, k, v = self.q(x).view(rows, length, 3, 2, 8).permute(2, 0, 3, 1, 4)
        h = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
        return F.cross_entropy(self.o(h).flatten(0, 1), y.flatten())


def test_positions_are_known():
    torch.manual_seed(0)
    module, random = Packed().train(), np.random.default_rng(0)
    batch = {"x": random.standard_normal((4, 8, 16)).astype(np.float32), "y": random.integers(0, 6, (4, 8))}
    wanted = float(module(**{k: torch.tensor(v) for k, v in batch.items()}).detach())
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), mesh="data=2", quiet=True) as step:
        assert step.report["attention"]["recognized"] == 1
        assert step._text.count('"stablehlo.iota"') == 2 and step._text.count('"stablehlo.gather"') == 1  # of the labels
        assert abs(step(batch).loss - wanted) < 1e-6 * wanted


def known_of(function):
    """Returns the values that are known of the outputs of function(x), and torch's."""
    class Called(nn.Module):
        def forward(self, x):
            return function(x)
    x = torch.zeros(4, 8)
    program = torch.export.export(Called(), (x,)).run_decompositions({})
    known = fold.known_values(program.graph, {})
    output = next(n for n in program.graph.nodes if n.op == "output")
    return [known.get(n) for n in output.args[0]], Called()(x)


def test_known_values_are_those_of_torch():
    def lines(x):
        at = torch.arange(x.shape[1])
        return at * 3 - 2, at.expand(4, 8).cumsum(1), at.flip(0)[None, :, None], torch.full((4, 8), 7), at.remainder(3), at >= 0, at.repeat(4, 1).view(32)
    found, wanted = known_of(lines)
    assert all(torch.equal(f, w) for f, w in zip(found, wanted))


def test_masks_and_what_the_batch_decides_are_not_known():
    def masks(x):
        at = torch.arange(x.shape[1])
        return at[:, None] <= at[None, :], (x > 0).long(), at >= 3, torch.randint(0, 2, (4,))
    assert known_of(masks)[0] == [None] * 4


def test_known_values_are_written():
    class Table(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.arange(24.).reshape(8, 3))

        def forward(self, x):
            at = torch.arange(8)
            return (self.w[at.remainder(3) * 2].sum(1) * x + self.w[7 - at].prod(1) + (at * 2 + 1)).mean()
    batch = {"x": np.arange(8, dtype=np.float32)}
    wanted = float(Table()(torch.tensor(batch["x"])).detach())
    with zcc.compile(Table(), batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        assert abs(step(batch).loss - wanted) < 1e-6 * abs(wanted)


def test_experts_of_transformers():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    module = transformers.MixtralForCausalLM(transformers.MixtralConfig(
        vocab_size=32, hidden_size=16, intermediate_size=24, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1,
        num_local_experts=4, num_experts_per_tok=2, use_cache=False)).train()
    ids = np.random.default_rng(0).integers(0, 32, (4, 8))
    batch = {"input_ids": ids, "labels": ids}
    reference = copy.deepcopy(module)
    reference.config._experts_implementation = "eager"
    loss = reference(**{k: torch.tensor(v) for k, v in batch.items()}).loss
    loss.backward()
    for form in ("grouped_mm", "eager"):
        module.config._experts_implementation = form
        with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), mesh="data=2", quiet=True) as step:
            assert "stablehlo.sort" not in step._text
            found = step.gradients(batch)
            assert abs(step(batch).loss - float(loss.detach())) < 1e-6 * float(loss.detach())
        for n, p in reference.named_parameters():
            assert np.abs(np.asarray(found[n]) - p.grad.numpy()).max() <= 1e-5 * max(float(p.grad.abs().max()), 1e-3), n


def test_forms_of_experts_are_put_back():
    moe = pytest.importorskip("transformers.integrations.moe")
    before = dict(moe.ExpertsInterface._global_mapping)
    with pytest.raises(KeyError), experts.all_at_once():
        assert moe.ExpertsInterface._global_mapping["eager"] is experts.every_expert
        raise KeyError
    assert moe.ExpertsInterface._global_mapping == before


def test_products_of_skew_and_symmetric_weights():
    """The gradient of a skew weight is a product less its own transposed one."""
    class Skew(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.v = nn.Parameter(torch.randn(12, 12)), nn.Parameter(torch.randn(12, 12))

        def forward(self, x, y):
            skew, symmetric = self.w.tril() - self.w.tril().mT, self.v.triu() + self.v.triu(1).mT
            return F.cross_entropy(x @ skew @ symmetric, y)
    torch.manual_seed(0)
    compare(Skew())


class Grouped(nn.Module):
    """Rows in groups, each times its own matrix."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 8, 4))

    def forward(self, x, ends):
        return (F.grouped_mm(x, self.w, offs=ends) ** 2).sum()


@pytest.mark.skipif(torch.__version__.startswith("2.14."), reason="torch 2.14 has grouped_mm for bfloat16 alone")
def test_groups_of_rows():
    torch.manual_seed(0)
    module, x = Grouped(), np.random.default_rng(0).standard_normal((12, 8)).astype(np.float32)
    batch = {"x": x, "ends": np.array([3, 3, 12], np.int32)}
    w = module.w.detach().clone().requires_grad_()
    rows = torch.tensor(x)
    loss = (rows[:3] @ w[0]).square().sum() + (rows[3:] @ w[2]).square().sum()
    loss.backward()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
        assert np.abs(np.asarray(step.gradients(batch)["w"]) - w.grad.numpy()).max() <= 1e-5 * float(w.grad.abs().max())
        assert abs(step(batch).loss - float(loss.detach())) < 1e-6 * float(loss.detach())


class Shifted(nn.Module):
    """Has a persistent buffer that it only reads, and one of integers."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(12, 32), nn.Linear(32, 6)
        self.register_buffer("shift", torch.full((32,), .5))
        self.register_buffer("order", torch.arange(11, -1, -1))

    def forward(self, x, y):
        return F.cross_entropy(self.b((self.a(x[:, self.order]) + self.shift).tanh()), y)


@pytest.mark.parametrize("options", [{}, {"mesh": "pipe=2", "microbatches": 4}, {"mesh": "data=2,tensor=2", "zero": 3}])
def test_buffers_that_are_only_read(options):
    torch.manual_seed(0)
    module, random = Shifted().train(), np.random.default_rng(0)
    batch = {"x": random.standard_normal((8, 12)).astype(np.float32), "y": random.integers(0, 6, 8)}
    given = {k: torch.tensor(v) for k, v in batch.items()}
    wanted = float(module(**given).detach())
    with zcc.compile(module, batch, optimizer=zcc.AdamW(lr=1e-2, weight_decay=.1), quiet=True, **options) as step:
        assert abs(step(batch).loss - wanted) < 1e-6 * wanted
        assert np.array_equal(np.asarray(step.state["shift"]), np.full(32, .5, np.float32))
        step.state = {"shift": np.full(32, -.25, np.float32)}
        params = {n: torch.tensor(np.asarray(v)) for n, v in step.params.items()}
        found = step.evaluate(batch).loss
    wanted = float(torch.func.functional_call(module, {**params, "shift": torch.full((32,), -.25)}, kwargs=given).detach())
    assert abs(found - wanted) < 2e-6 * wanted


class Graph(nn.Module):
    """A layer of torch_geometric; edges are an input."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, edges, y):
        return F.cross_entropy(self.layer(x, edges), y)


@pytest.mark.parametrize("name", ["GCNConv", "GATConv", "GATv2Conv"])
def test_self_loops_of_graphs(name):
    geometric = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    module, random = Graph(getattr(geometric, name)(8, 5)).train(), np.random.default_rng(0)
    edges = random.integers(0, 12, (2, 40))
    edges[1, :6] = edges[0, :6]  # self-loops
    batch = {"x": random.standard_normal((12, 8)).astype(np.float32), "edges": edges, "y": random.integers(0, 5, 12)}
    loss = module(**{k: torch.tensor(v) for k, v in batch.items()})
    loss.backward()
    for options in ({}, {"mesh": "data=2"}):
        with zcc.compile(module, batch, optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
            found = step.gradients(batch)
            assert abs(step(batch).loss - float(loss.detach())) < 2e-6 * float(loss.detach())
        for n, p in module.named_parameters():
            assert np.abs(np.asarray(found[n]) - p.grad.numpy()).max() <= 1e-5 * max(float(p.grad.abs().max()), 1e-3), n


FIRST_COND = """
import torch, zcc
from zcc._torch import trace

class Chosen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return (torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x + 1, (x,)) * self.w).sum()

print(trace(Chosen(), {"x": torch.ones(3)}, trains=True).text.count("stablehlo.if"))
"""


def test_the_first_cond_of_a_process():
    """torch.export annotates it otherwise than all later ones."""
    done = subprocess.run([sys.executable, "-c", FIRST_COND], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.strip() == "1", done.stdout + done.stderr[-2000:]


class SequenceFirst(nn.Module):
    """torch's own encoder and decoder, which merge [length, batch] for products, and a loss of rows in that order."""

    def __init__(self, batch_first):
        super().__init__()
        self.batch_first = batch_first
        self.embed = nn.Embedding(12, 16)
        self.body = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=batch_first)
        self.head = nn.Linear(16, 12)

    def forward(self, x, y):
        h = self.embed(x)
        if not self.batch_first:
            h, y = h.transpose(0, 1), y.transpose(0, 1)
        return F.cross_entropy(self.head(self.body(h, h)).reshape(-1, 12), y.reshape(-1))


@pytest.mark.parametrize("batch_first", [True, False])
def test_torchs_transformer_takes_microbatches(batch_first):
    torch.manual_seed(0)
    module, random = SequenceFirst(batch_first).train(), np.random.default_rng(0)
    batch = {"x": random.integers(0, 12, (8, 6)), "y": random.integers(0, 12, (8, 6))}
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        wanted = train(module, [batch] * 3, {"lr": 1e-2, "b1": .9, "b2": .95, "eps": 1e-8, "weight_decay": .1, "clip_norm": 0})[0]
    for mesh, microbatches in (("data=2", 1), ("pipe=2", 4)):
        with zcc.compile(module, batch, mesh=mesh, microbatches=microbatches, quiet=True,
                         optimizer=zcc.AdamW(lr=1e-2, b1=.9, b2=.95, eps=1e-8, weight_decay=.1)) as step:
            assert step.report["flops"]["executed"] < 1.1 * step.report["flops"]["model"]
            losses = [step(batch).loss for _ in range(3)]
        assert np.allclose(losses, wanted, rtol=1e-6, atol=0), (mesh, losses, wanted)


def test_of_writes_at_one_place_the_last_has_the_gradient():
    """PyTorch's own gradient goes to all of them, though the loss depends on the last alone."""
    class Writes(nn.Module):
        def __init__(self):
            super().__init__()
            self.old, self.new = nn.Parameter(torch.ones(4)), nn.Parameter(torch.arange(1.0, 7.0))

        def forward(self, at, y):
            return (((self.old * 1).index_put((at,), self.new) - y) ** 2).sum()

    module, batch = Writes(), {"at": np.array([1, 3, 1, 0, 3, 1]), "y": np.arange(4, dtype=np.float32)}
    value = torch.tensor([4.0, 6.0, 1.0, 5.0])
    slope = (2 * (value - torch.arange(4.0))).numpy()
    with zcc.compile(module, batch, optimizer=zcc.SGD(lr=1.0), quiet=True) as step:
        before = {name: np.asarray(x) for name, x in step.params.items()}
        assert step(batch).loss == float(((value - torch.arange(4.0)) ** 2).sum())
        moved = {name: before[name] - np.asarray(x) for name, x in step.params.items()}
    assert moved["old"].tolist() == [0, 0, slope[2], 0]
    assert moved["new"].tolist() == [0, 0, 0, slope[0], slope[3], slope[1]]


def test_counts_and_covariances():
    """torch asks for values to compute them: the largest number, and whether weights are all positive."""
    class Moments(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(12, 4)
            self.register_buffer("load", torch.zeros(6))

        def forward(self, x, y):
            h = self.a(x)
            chosen, share = h.argmax(1), x[:, 0].abs()
            counts = torch.bincount(y, minlength=6)
            self.load += counts
            some = torch.bincount(chosen[chosen > 0], minlength=6) + chosen.bincount(share, minlength=6)
            moments = [h.T.cov(), torch.cov(h.T, correction=0, fweights=y, aweights=share), torch.cov(h.T, aweights=share), torch.cov(h[:, 0]), torch.corrcoef(h.T)]
            return sum((m * torch.linspace(1, 2, m.numel()).view(m.shape)).sum() for m in moments) + h.mean() * (counts * some).sum()

    torch.manual_seed(0)
    module, random = Moments(), np.random.default_rng(0)
    batch = {"x": random.standard_normal((8, 12)).astype(np.float32), "y": random.integers(0, 6, 8)}
    compare(module, batch)
    with zcc.compile(module, batch, quiet=True) as step:
        before = np.asarray(module.load)
        step(batch)
        assert np.array_equal(np.asarray(step.state["load"]), before + np.bincount(batch["y"], minlength=6))

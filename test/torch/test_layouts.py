# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Silent faults that public reports list for parallelism composed by hand: each is one test, held against PyTorch in float64."""
import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from reference import train  # noqa: E402
from torch import nn  # noqa: E402

import zcc  # noqa: E402

WORDS, WIDTH, LENGTH, ROWS = 48, 32, 16, 8
ADAM = {"lr": 1e-2, "b1": 0.9, "b2": 0.95, "eps": 1e-8, "weight_decay": 0.1}
BAR = 5e-6


class Attention(nn.Module):
    """Causal attention of 4 heads; with `sinks`, each head may attend to nothing at a learned score."""

    def __init__(self, sinks=False):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.sinks = nn.Parameter(torch.linspace(-1, 1, 4)) if sinks else None

    def forward(self, x):
        rows, length, _ = x.shape
        q, k, v = (f(x).view(rows, length, 4, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        if self.sinks is None:
            found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            future = torch.ones(length, length, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -torch.inf)
            sinks = self.sinks.view(1, 4, 1, 1).expand(rows, 4, length, 1)
            found = torch.cat([scores, sinks], -1).softmax(-1)[..., :-1] @ v
        return self.o(found.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, sinks=False, norm=None):
        super().__init__()
        self.attention, self.up, self.down = Attention(sinks), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.first, self.second = norm or nn.LayerNorm(WIDTH), norm or nn.LayerNorm(WIDTH)

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Language(nn.Module):
    """A language model; `smoothing` of labels, `tied` embeddings, attention `sinks`, one `shared` norm for all blocks."""

    def __init__(self, smoothing=0.0, tied=False, sinks=False, shared=False):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.smoothing = nn.Embedding(WORDS, WIDTH), smoothing
        norm = nn.LayerNorm(WIDTH) if shared else None
        self.blocks = nn.ModuleList(Block(sinks, norm) for _ in range(4))
        self.norm, self.head = norm or nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        nn.init.normal_(self.embed.weight, std=0.3)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, tokens, labels):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels.flatten(), label_smoothing=self.smoothing)


def batches(count, padded):
    random = np.random.default_rng(1)
    for _ in range(count):
        tokens = random.integers(0, WORDS, (ROWS, LENGTH))
        kept = np.arange(LENGTH) < random.integers(1, LENGTH + 1, (ROWS, 1))
        yield {"tokens": tokens, "labels": np.where(kept, tokens, -100) if padded else tokens}


def check(module, layouts, padded=False, clip_norm=0.0, steps=3):
    data = list(batches(steps, padded))
    losses, norms = train(module, data, {**ADAM, "clip_norm": clip_norm})
    more = {"clip_norm": clip_norm} if clip_norm else {}
    for options in layouts:
        with zcc.compile(module, data[0], optimizer=zcc.AdamW(**ADAM), quiet=True, **more, **options) as step:
            found = [step(batch) for batch in data]
        assert np.allclose([m.loss for m in found], losses, rtol=BAR, atol=0), options
        assert np.allclose([m.grad_norm for m in found], norms, rtol=10 * BAR, atol=0), options


def test_label_smoothing_under_a_split_vocabulary():
    check(Language(smoothing=0.1), [{}, {"mesh": "tensor=2", "shard": "head.weight=tensor,-"},
                                    {"mesh": "data=2,tensor=2", "shard": "head.weight=tensor,-"}])


def test_unequal_counts_of_valid_tokens():
    check(Language(), [{}, {"mesh": "data=4"}, {"mesh": "context=2"}, {"microbatches": 4}, {"mesh": "data=2,context=2"},
                       {"mesh": "data=2,pipe=2", "microbatches": 2}], padded=True)


def test_attention_sinks_and_shared_norms_in_the_clip_norm():
    check(Language(sinks=True, shared=True), [{}, {"mesh": "data=2", "zero": 3}, {"mesh": "tensor=2"}, {"mesh": "data=2,tensor=2", "zero": 1},
                                              {"mesh": "pipe=2", "microbatches": 2}], clip_norm=0.1)


def test_tied_embeddings_over_stages_with_a_sharded_optimizer():
    check(Language(tied=True), [{}, {"mesh": "pipe=2", "microbatches": 2}, {"mesh": "data=2,pipe=2", "microbatches": 2, "zero": 1},
                                {"mesh": "data=2,pipe=2", "microbatches": 2, "zero": 3}], clip_norm=0.5)


def test_a_checkpoint_read_with_another_number_of_stages(tmp_path):
    module, data = Language(tied=True), list(batches(5, False))
    losses, _ = train(module, data, {**ADAM, "clip_norm": 0.0})
    with zcc.compile(module, data[0], optimizer=zcc.AdamW(**ADAM), mesh="pipe=2", microbatches=2, quiet=True) as step:
        for batch in data[:2]:
            step(batch)
        step.save(tmp_path / "checkpoint")
    for options in [{"mesh": "pipe=4", "microbatches": 4}, {"mesh": "data=2,pipe=2", "microbatches": 2, "zero": 1}, {"mesh": "data=2", "zero": 3}, {}]:
        with zcc.compile(module, data[0], optimizer=zcc.AdamW(**ADAM), quiet=True, **options) as step:
            step.load(tmp_path / "checkpoint")
            assert step.count == 2
            assert np.allclose([step(batch).loss for batch in data[2:]], losses[2:], rtol=BAR, atol=0), options


class Routed(nn.Module):
    """Experts by a router whose balancing loss counts the tokens that are not padding."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.router = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, 4, bias=False)
        self.up, self.down = (nn.Parameter(torch.randn(4, WIDTH, WIDTH) * 0.2) for _ in range(2))
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, tokens, labels):
        x = self.embed(tokens)
        scores = self.router(x).softmax(-1)
        chosen = F.one_hot(scores.argmax(-1), 4).to(x.dtype)
        h = torch.einsum("bsd,edf->bsef", x, self.up).tanh()
        x = x + torch.einsum("bsef,efd,bse->bsd", h, self.down, chosen * scores)
        counts = (labels != -100).to(x.dtype).unsqueeze(-1)
        load = (chosen * counts).sum((0, 1)) / counts.sum()
        share = (scores * counts).sum((0, 1)) / counts.sum()
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten()) + 0.1 * 4 * (load * share).sum()


def test_masked_tokens_in_the_load_of_a_router():
    check(Routed(), [{}, {"mesh": "data=2"}, {"mesh": "data=4", "zero": 3}, {"mesh": "expert=2"}], padded=True)
    with pytest.raises(zcc.Error, match="microbatch"):  # the balance is of the whole batch: a microbatch would have its own
        zcc.compile(Routed(), next(batches(1, True)), microbatches=2)


class Normalized(nn.Module):
    """Convolutions with batch normalization, whose statistics the module keeps."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = nn.Conv2d(3, 8, 3), nn.Linear(8, 5)
        self.blocks = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1)) for _ in range(3))

    def forward(self, x, y):
        x = self.first(x)
        for block in self.blocks:
            x = x + block(x)
        return F.cross_entropy(self.head(x), y)

    def head(self, x):
        return self.last(x.mean((2, 3)))


def train_normalized(module, data, microbatches, lr):
    """Losses of plain gradient descent in float64, with a forward pass a microbatch, and the statistics at the end.

    The variance in the running statistics is multiplied by n / (n - 1); zcc takes n of the whole batch.
    """
    module = copy.deepcopy(module).double()
    factors = []

    def note(norm, inputs):
        n = inputs[0].numel() // inputs[0].shape[1]
        factors.append((n * microbatches) / (n * microbatches - 1) * (n - 1) / n)

    norms = [m for m in module.modules() if isinstance(m, nn.BatchNorm2d)]
    norms[0].register_forward_pre_hook(note)
    losses = []
    for batch in data:
        loss = 0
        module.zero_grad()
        for x, y in zip(torch.tensor(batch["x"]).double().chunk(microbatches), torch.tensor(batch["y"]).chunk(microbatches)):
            before = [m.running_var.clone() for m in norms]
            part = module(x, y) / microbatches
            part.backward()
            loss += part.item()
            for norm, old in zip(norms, before):
                norm.running_var.copy_(0.9 * old + (norm.running_var - 0.9 * old) * factors[-1])
        losses.append(loss)
        with torch.no_grad():
            for p in module.parameters():
                p -= lr * p.grad
    return losses, {n: b.numpy() for n, b in module.named_buffers()}, module


@pytest.mark.parametrize("microbatches", [2, 4])
def test_batch_normalization_of_microbatches(microbatches):
    random = np.random.default_rng(2)
    data = [{"x": random.standard_normal((8, 3, 6, 6)).astype("f"), "y": random.integers(0, 5, 8)} for _ in range(3)]
    module = Normalized().train()
    losses, statistics, trained = train_normalized(module, data, microbatches, 0.1)
    whole, ends = [], []
    for options in [{}, {"mesh": "data=2"}, {"mesh": "pipe=2"}, {"mesh": "pipe=2", "remat": "full"}, {"mesh": "pipe=2", "schedule": "zb-h1"}]:
        more = {"microbatches": microbatches, "per_microbatch": "blocks*"}
        with zcc.compile(module, data[0], optimizer=zcc.SGD(lr=0.1, momentum=0), quiet=True, **options, **more) as step:
            found = [step(batch).loss for batch in data]
            assert np.allclose(found, losses, rtol=BAR, atol=0), (options, found, losses)
            state = step.state
            assert len(state) == len(statistics) == 9
            for name, wanted in statistics.items():
                assert np.allclose(state[name], wanted, rtol=2e-5, atol=1e-6), (options, name, state[name], wanted)
            trained.eval()
            with torch.no_grad():
                wanted = trained(torch.tensor(data[0]["x"]).double(), torch.tensor(data[0]["y"])).item()
            trained.train()
            assert np.isclose(step.evaluate(data[0]).loss, wanted, rtol=1e-4), options
            if "data=2" not in options.values():
                whole.append(found)
                ends.append([np.asarray(state[n]).tobytes() for n in statistics])
    assert all(found == whole[0] for found in whole) and all(end == ends[0] for end in ends)


def test_batch_normalization_is_not_split_unasked():
    batch = {"x": np.zeros((8, 3, 6, 6), "f"), "y": np.zeros(8, "int64")}
    with pytest.raises(zcc.Error, match="(?s)needs the whole batch at once.*--per-microbatch='blocks.0.0' accepts"):
        zcc.compile(Normalized(), batch, mesh="pipe=2", microbatches=2)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed sequences whose lengths are data."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence  # noqa: E402

from habits import compare, made, refusal  # noqa: E402


def batch_of(seed=0, ordered=False):
    random = np.random.default_rng(seed)
    lengths = np.array([5, 2, 4, 1, 5, 3, 2, 4])
    return {"x": random.standard_normal((8, 5, 6)).astype(np.float32), "y": random.integers(0, 4, (8, 5)), "n": -np.sort(-lengths) if ordered else lengths}


class Recurrent(nn.Module):
    def __init__(self, kind="LSTM", **options):
        super().__init__()
        options = {"batch_first": True, **options}
        self.options, self.layer = options, getattr(nn, kind)(6, 8, **options)
        self.head = nn.Linear(8 * (2 if options.get("bidirectional") else 1), 4)

    def forward(self, x, y, n):
        first = self.options["batch_first"]
        packed = pack_padded_sequence(x if first else x.transpose(0, 1), n, batch_first=first, enforce_sorted=False)
        out, last = self.layer(packed)
        out, lengths = pad_packed_sequence(out, batch_first=first, padding_value=.25)
        last = last if isinstance(last, tuple) else (last,)
        out = out if first else out.transpose(0, 1)
        if not self.options.get("proj_size"):
            out = self.head(out)
        return F.cross_entropy(out.flatten(0, 1)[:, :4], y.flatten()) + sum((s * torch.linspace(0, 1, s.shape[-1])).mean() for s in last) + (lengths * out.mean((1, 2))).mean()


@pytest.mark.parametrize("kind, options", [("LSTM", {}), ("LSTM", dict(num_layers=2, bidirectional=True)), ("LSTM", dict(proj_size=4, bias=False)), ("GRU", dict(bidirectional=True)),
                                           ("GRU", dict(num_layers=2, batch_first=False)), ("RNN", {}), ("RNN", dict(nonlinearity="relu", bidirectional=True))], ids=str)
def test_layers(kind, options):
    torch.manual_seed(0)
    compare(Recurrent(kind, **options), batch_of(), meshes=[{}])


@pytest.mark.parametrize("mesh", [{"mesh": "data=2", "zero": 3}, {"mesh": "tensor=2"}], ids=str)
def test_on_meshes(mesh):
    torch.manual_seed(0)
    compare(Recurrent(bidirectional=True), batch_of(), meshes=[mesh])


def test_a_given_state_and_ordered_lengths():
    def forward(self, x, y, n):
        packed = pack_padded_sequence(x, n, batch_first=True)
        state = self.start.expand(-1, x.shape[0], -1).contiguous()
        out, (hidden, cell) = self.layer(packed, (state, state * .5))
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=7)
        return F.cross_entropy(self.head(out[:, :5]).flatten(0, 1), y.flatten()) + out.square().sum() + (hidden * cell).mean()

    class Started(Recurrent):
        def __init__(self):
            super().__init__()
            self.start = nn.Parameter(torch.randn(1, 1, 8))
    compare(made(forward, Started), batch_of(ordered=True), meshes=[{}])


def test_steps_that_are_packed_are_a_selection():
    """A layer of each step, and a loss of the labels that are packed in the same way."""
    def forward(self, x, y, n):
        packed = pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)
        packed = PackedSequence(torch.tanh(packed.data) * 2, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        out, _ = self.layer(packed)
        labels = pack_padded_sequence(y, n, batch_first=True, enforce_sorted=False)
        return F.cross_entropy(self.head(out.data), labels.data) + out.data.square().mean()
    compare(made(forward, Recurrent), batch_of())


def test_lengths_that_are_a_list():
    def forward(self, x, y, n):
        out, _ = pad_packed_sequence(self.layer(pack_padded_sequence(x, [5, 5, 5, 4, 3, 2, 1, 1], batch_first=True))[0], batch_first=True)
        return F.cross_entropy(self.head(out).flatten(0, 1), y.flatten())
    compare(made(forward, Recurrent), batch_of(), meshes=[{}])


def test_refusals():
    def counts(self, x, y, n):
        packed = pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)
        return self.head(self.layer(x)[0]).mean() * packed.batch_sizes[2]

    def others(self, x, y, n):
        packed = pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(PackedSequence(x.flatten(0, 1), packed.batch_sizes), batch_first=True)[0].mean() + self.layer(x)[0].mean()
    assert "how many sequences of a packed one have a step" in refusal(made(counts, Recurrent), batch_of())
    assert "was not packed with its batch_sizes" in refusal(made(others, Recurrent), batch_of())

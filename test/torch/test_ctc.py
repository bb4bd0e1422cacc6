# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CTC loss, whose op of torch is replaced, against torch in float64."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

from habits import MESHES, Base, compare, made, refusal  # noqa: E402
from zcc._torch import ctc  # noqa: E402


def drawn(samples=4, steps=9, classes=6, width=3):
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(steps, samples, classes, generator=generator, dtype=torch.float64)
    labels = torch.randint(1, classes, (samples, width), generator=generator)
    labels[0] = 2  # equal labels need a blank between them
    return logits, labels


@pytest.mark.parametrize("ends, sizes, options", [
    ((9, 7, 9, 5), (3, 3, 2, 0), {}),
    ((9, 7, 9, 5), (3, 1, 2, 3), {"reduction": "sum"}),
    ((9, 4, 2, 5), (3, 3, 3, 2), {"reduction": "none", "zero_infinity": True}),
    ((9, 9, 9, 9), (3, 3, 3, 3), {"blank": 5}),
    ((9, 0, 9, 0), (3, 0, 2, 1), {"reduction": "none", "zero_infinity": True}),  # samples without frames
])
def test_as_torch(ends, sizes, options):
    logits, labels = drawn()
    labels = labels - 1 if options.get("blank") else labels
    flat = torch.cat([row[:n] for row, n in zip(labels, sizes)])
    for targets, steps, lengths in ((labels, torch.tensor(ends), torch.tensor(sizes)), (labels, ends, sizes), (flat, ends, sizes)):
        found = []
        for function in (F.ctc_loss, ctc.ctc_loss):
            x = logits.clone().requires_grad_()
            loss = function(x.log_softmax(-1), targets, steps, lengths, **options)
            loss.sum().backward()
            found.append((loss.detach(), x.grad))
        assert torch.allclose(found[0][0], found[1][0], rtol=1e-10) and torch.allclose(found[0][1], found[1][1], rtol=1e-9, atol=1e-12)


def test_without_samples_and_without_alignments():
    logits, labels = drawn(samples=1)
    logs = logits.log_softmax(-1)
    for ends in (9, 2):  # two steps are too few for three labels
        for reduction in ("none", "mean"):
            wanted = F.ctc_loss(logs[:, 0], labels[0], torch.tensor(ends), torch.tensor(3), reduction=reduction)
            found = ctc.ctc_loss(logs[:, 0], labels[0], torch.tensor(ends), torch.tensor(3), reduction=reduction)
            assert found.shape == wanted.shape and (found == wanted or abs(found - wanted) < 1e-10)


def batch_of():
    random = np.random.default_rng(0)
    labels = random.integers(1, 6, (8, 3))
    labels[2:5, 2] = labels[4, 1:] = -100
    return {"x": random.standard_normal((8, 7, 12)).astype(np.float32), "y": labels}


def test_modules():
    def padded(self, x, y):
        logs = self.b(self.a(x).tanh()).log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(logs, y, torch.full((8,), 7), (y > 0).sum(1))

    def selected(self, x, y):
        logs = F.log_softmax(self.b(self.a(x).tanh()), dim=-1).transpose(0, 1)
        mask = y >= 0
        return F.ctc_loss(logs, y.masked_select(mask), torch.full((8,), 7), mask.sum(-1))
    meshes = [*MESHES, {"mesh": "pipe=2", "microbatches": 4}]
    for body in (padded, selected):
        compare(made(body, Base), batch_of(), meshes)


def test_labels_in_one_row_of_unknown_lengths_are_refused():
    def forward(self, x, y):
        logs = self.b(self.a(x).tanh()).log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(logs, y.flatten(), torch.full((8,), 7), (y >= 0).sum(1))
    assert "expected labels [samples, longest]" in refusal(made(forward, Base), batch_of())

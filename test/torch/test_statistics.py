# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-18 of torchvision with its running statistics, trained for 50 steps and evaluated with the statistics, as PyTorch does both."""
import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")

import zcc  # noqa: E402

# ReLUs near zero fall to either side by rounding, which changes gradients by up to 1e-3 of their size: a larger rate would let that grow.
STEPS, RATE, MOMENTUM = 50, 0.0005, 0.9
SLACK = 10  # how many times the error of PyTorch's float32 ours may be
ROWS, SIDE, CLASSES = 32, 64, 4


class Narrow(torchvision.models.ResNet):
    """ResNet-18 with a quarter of its channels."""

    def __init__(self):
        super().__init__(torchvision.models.resnet.BasicBlock, [2, 2, 2, 2], zero_init_residual=True)
        self.conv1, self.bn1 = torch.nn.Conv2d(3, 16, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(16)
        self.fc = torch.nn.Linear(128, CLASSES)

    def _make_layer(self, block, planes, blocks, **options):
        if planes == 64:
            self.inplanes = 16
        return super()._make_layer(block, planes // 4, blocks, **options)


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Narrow()

    def forward(self, images, labels):
        logits = self.net(images)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


def batches():
    """A bright square in one of four corners."""
    random = np.random.default_rng(1)
    for _ in range(STEPS + 1):
        labels = random.integers(0, CLASSES, ROWS)
        images = random.standard_normal((ROWS, 3, SIDE, SIDE)).astype(np.float32)
        for image, label in zip(images, labels):
            row, column = SIDE // 2 * (label // 2), SIDE // 2 * (label % 2)
            image[:, row:row + SIDE // 2, column:column + SIDE // 2] += 1
        yield {"images": images, "labels": labels}


def by_torch(module, data, dtype, draw=0):
    """Returns losses, and parameters, statistics and logits of the last batch in evaluation mode, after the last step.

    With a `draw`, weights differ in their last bit.
    """
    module = copy.deepcopy(module).to(dtype)
    if draw:
        generator = torch.Generator().manual_seed(draw)
        with torch.no_grad():
            for p in module.parameters():
                p.mul_(1 + 6e-8 * (torch.randint(0, 3, p.shape, generator=generator) - 1))
    optimizer = torch.optim.SGD(module.parameters(), lr=RATE, momentum=MOMENTUM)
    given = [{"images": torch.tensor(b["images"], dtype=dtype), "labels": torch.tensor(b["labels"])} for b in data]
    losses = []
    for batch in given[:-1]:
        optimizer.zero_grad()
        loss = module(**batch)["loss"]
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    with torch.no_grad():
        logits = module.eval()(**given[-1])["logits"]
    return losses, dict(module.named_parameters()), dict(module.named_buffers()), logits


def errors(found, exact):
    """Returns the relative error, in the norm, of losses, parameters, statistics and logits."""
    flat = lambda part: np.concatenate([np.ravel(x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)).astype(np.float64) for x in part])
    parts = lambda one: [one[0], *([tree[n] for n in exact[i]] for i, tree in ((1, one[1]), (2, one[2]))), [one[3]]]
    return [np.linalg.norm(flat(a) - flat(b)) / np.linalg.norm(flat(b)) for a, b in zip(parts(found), parts(exact))]


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    module, data = Classifier().train(), list(batches())
    exact = by_torch(module, data, torch.float64)
    # The end of a training in float32 is one draw of its rounding.
    return module, data, exact, np.max([errors(by_torch(module, data, torch.float32, draw), exact) for draw in range(3)], 0)


@pytest.mark.parametrize("options", [{}, {"mesh": "data=2"}], ids=str)
def test_fifty_steps_are_those_of_pytorch(trained, options):
    module, data, exact, own = trained
    assert np.mean(exact[0][-10:]) < np.mean(exact[0][:10])
    with zcc.compile(module, data[0], optimizer=zcc.SGD(lr=RATE, momentum=MOMENTUM), **options) as step:
        losses = [step(batch).loss for batch in data[:-1]]
        off = errors((losses, step.params, step.state, step.predict(data[-1])["logits"]), exact)
        print(f"errors of losses, parameters, statistics and logits: {off}, of PyTorch's float32: {own}")
        assert all(a <= SLACK * b for a, b in zip(off, own)), (off, own)
        assert step.state["net.bn1.num_batches_tracked"] == STEPS

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small ResNet with batch norm: running statistics are state, the same on every mesh."""
import numpy as np
import torch
from torch import nn

import zcc


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.first_norm = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.second, self.second_norm = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False) if stride > 1 else nn.Identity()

    def forward(self, x):
        h = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.second_norm(self.second(h)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2))
        self.head = nn.Linear(64, 4)

    def forward(self, images, labels):
        logits = self.head(self.blocks(self.stem(images)).mean((2, 3)))
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def batches(steps, random=np.random.default_rng(0)):
    for _ in range(steps):  # a bright square in one of four corners
        labels = random.integers(0, 4, 32)
        images = random.standard_normal((32, 3, 16, 16)).astype(np.float32)
        for image, label in zip(images, labels):
            row, column = 8 * (label // 2), 8 * (label % 2)
            image[:, row:row + 8, column:column + 8] += 1
        yield {"images": images, "labels": labels}


torch.manual_seed(0)
with zcc.compile(ResNet().train(), next(batches(1)), optimizer=zcc.SGD(lr=0.05, momentum=0.9), mesh="data=2") as step:
    for batch in batches(30):
        metrics = step(batch)
        if step.count % 10 == 0:
            print(f"step {step.count}: loss {metrics.loss:.3f}")
    held_out = next(batches(1, np.random.default_rng(1)))
    logits = step.predict(held_out)["logits"]  # evaluated with the running statistics
    print(f"right on new images: {np.mean(logits.argmax(-1) == held_out['labels']):.0%}")
    print("running mean of the first norm:", np.asarray(step.state["blocks.0.first_norm.running_mean"])[:4].round(3))

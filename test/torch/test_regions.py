# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchvision's means over regions, which may reach beyond the picture."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")

from torch import nn  # noqa: E402

from habits import compare  # noqa: E402

BOXES = np.array([[0, .5, 1, 5, 4], [1, -3, -2, 3, 4.5], [2, 2, 2, 2.3, 2.2], [3, 1, 0, 12, 9], [0, 9, 8, 14, 12], [2, 0, 0, 4, 5]], np.float32)


class Pooled(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.conv, self.options = nn.Conv2d(3, 4, 1), options

    def forward(self, x, boxes):
        found = torchvision.ops.roi_align(self.conv(x), boxes, (3, 2), **self.options)
        return (found * torch.linspace(0, 1, found.numel()).view(found.shape)).sum() + found.square().mean()


@pytest.mark.parametrize("options", [dict(sampling_ratio=2), dict(sampling_ratio=3, aligned=True, spatial_scale=.5), dict(), dict(aligned=True)], ids=str)
def test_means_over_regions(options):
    torch.manual_seed(0)
    compare(Pooled(**options), {"x": np.random.default_rng(0).standard_normal((4, 3, 6, 5)).astype(np.float32), "boxes": BOXES}, bar=1e-5)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchvision's deformable convolution, with offsets that a layer computes and that reach beyond the picture."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")

from torch import nn  # noqa: E402

from habits import compare  # noqa: E402


class Net(nn.Module):
    def __init__(self, masked, offset_groups=1, **options):
        super().__init__()
        self.conv = torchvision.ops.DeformConv2d(4, 6, (3, 2), **options)
        self.offset = nn.Conv2d(4, 2 * offset_groups * 6, (3, 2), **{k: v for k, v in options.items() if k != "bias" and k != "groups"})
        self.mask = nn.Conv2d(4, offset_groups * 6, (3, 2), **{k: v for k, v in options.items() if k != "bias" and k != "groups"}) if masked else None

    def forward(self, x):
        mask = None if self.mask is None else self.mask(x).sigmoid()
        return self.conv(x, 2 * self.offset(x), mask).square().mean()


@pytest.mark.parametrize("options", [dict(masked=False), dict(masked=True, padding=(1, 2), stride=(2, 1)), dict(masked=True, offset_groups=2, groups=2, bias=False),
                                     dict(masked=False, dilation=(1, 2), padding=1)], ids=["plain", "mask", "groups", "dilation"])
def test_deformable_convolutions(options):
    torch.manual_seed(0)
    compare(Net(**options), {"x": np.random.default_rng(0).standard_normal((4, 4, 6, 5)).astype(np.float32)}, bar=1e-5)


@pytest.mark.parametrize("scale", [0, 8])
def test_offsets_that_are_whole_numbers(scale):
    """A layer of offsets mostly begins with zeros. The gradient of an offset then is that towards the next pixel."""
    class Whole(Net):
        def forward(self, x):
            offset = self.offset(x)
            offset = offset - offset.detach() + (scale * offset.detach()).round()
            offset = offset.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
            return self.conv(x, offset, self.mask(x).sigmoid()).square().mean()

    torch.manual_seed(0)
    compare(Whole(masked=True, padding=1), {"x": np.random.default_rng(0).standard_normal((4, 4, 6, 5)).astype(np.float32)}, bar=1e-5)

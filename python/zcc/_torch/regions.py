# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchvision's means over regions of feature maps (He et al., Mask R-CNN, section 3) as products with matrices.

A bin of a region is the mean of samples on a grid, each of which is read between four pixels. The grid and these reads are products of what
happens along the rows and along the columns: so is the mean.
"""
import torch


def _shares(start, width, bins, ratio, extent):
    """Returns the shares [regions, bins, extent] of pixels in the samples of each bin along one dim, and the numbers of samples [regions].

    start, width: those of regions, in pixels. ratio: the number of samples of a bin, or 0 and less for one for each pixel of it.
    """
    each = width / bins
    grid = torch.full_like(each, ratio) if ratio > 0 else each.ceil()
    samples = torch.arange(ratio if ratio > 0 else extent, device=start.device)
    at = torch.arange(bins, device=start.device)[:, None] + (samples + .5).to(start.dtype) / grid.clamp(min=1)[:, None, None]
    at = start[:, None, None] + at * each[:, None, None]
    is_read = (samples < grid[:, None, None]) & (at >= -1) & (at <= extent)
    pixels = torch.arange(extent, device=start.device)
    share = (1 - (at.clamp(0, extent - 1).unsqueeze(-1) - pixels).abs()).clamp(min=0)
    return torch.where(is_read.unsqueeze(-1), share, torch.zeros_like(share)).sum(2), grid


def roi_align(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    """As the op torchvision::roi_align, which gives the regions no gradient."""
    rois = rois.detach()
    first, last = (rois[:, 1:3] * spatial_scale, rois[:, 3:5] * spatial_scale)
    shift = .5 if aligned else 0
    size = last - first if aligned else (last - first).clamp(min=1)
    by_column, columns = _shares(first[:, 0] - shift, size[:, 0], pooled_width, sampling_ratio, x.shape[3])
    by_row, rows = _shares(first[:, 1] - shift, size[:, 1], pooled_height, sampling_ratio, x.shape[2])
    found = torch.einsum("kph,kchw,kqw->kcpq", by_row, x[rois[:, 0].long()], by_column)
    return found / (rows * columns).clamp(min=1)[:, None, None, None]


def decompositions():
    """Returns the op with its function, if torchvision has registered it."""
    op = getattr(torch.ops.torchvision, "roi_align", None)
    return {} if op is None else {op.default: roi_align}

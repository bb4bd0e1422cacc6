# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchvision's deformable convolution as gathers and a product.

Each element of a kernel reads the picture at its own place plus an offset, between four pixels; outside of the picture all is zero
(Dai et al., Deformable Convolutional Networks; with a mask, Zhu et al., Deformable ConvNets v2).
"""
import torch


def _places(offset, count, stride, padding, dilation, dim):
    """Returns where each element of the kernel reads along the rows or the columns: [samples, groups, elements, rows, columns]."""
    extent = offset.shape[3 + dim]
    kernel = torch.arange(count[dim], device=offset.device) * dilation[dim]
    kernel = kernel.view(-1, 1).expand(count[0], count[1]) if dim == 0 else kernel.expand(count[0], count[1])
    shape = [1, 1, 1, 1, 1]
    shape[3 + dim] = extent
    start = (torch.arange(extent, device=offset.device) * stride[dim] - padding[dim]).view(shape)
    return offset + (start + kernel.reshape(1, 1, -1, 1, 1)).to(offset.dtype)


def deform_conv2d(x, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups, use_mask):
    """As the op torchvision::deform_conv2d."""
    samples, channels, height, width = x.shape
    count = tuple(weight.shape[2:])
    elements = count[0] * count[1]
    rows, columns = offset.shape[2:]
    offset = offset.reshape(samples, offset_groups, elements, 2, rows, columns)
    steps = ((stride_h, stride_w), (pad_h, pad_w), (dilation_h, dilation_w))
    y, x_place = (_places(offset[:, :, :, dim], count, *steps, dim) for dim in (0, 1))
    pixels = x.reshape(samples, offset_groups, channels // offset_groups, height * width)
    below, left = y.floor(), x_place.floor()
    # The shares of the two rows and of the two columns. Their derivatives are -1 and 1 also where an offset is a whole number, as in torchvision.
    by_row, by_column = ((1 - part, part) for part in (y - below, x_place - left))
    found = 0
    for down in (0, 1):
        for right in (0, 1):
            row, column = below + down, left + right
            share = by_row[down] * by_column[right]
            share = torch.where((row >= 0) & (row < height) & (column >= 0) & (column < width), share, torch.zeros_like(share))
            at = row.clamp(0, height - 1).long() * width + column.clamp(0, width - 1).long()
            read = pixels.gather(3, at.flatten(2).unsqueeze(2).expand(-1, -1, pixels.shape[2], -1))
            found = found + read.view(*pixels.shape[:3], *at.shape[2:]) * share.unsqueeze(2)
    if use_mask:
        found = found * mask.reshape(samples, offset_groups, 1, elements, rows, columns)
    found = found.reshape(samples, groups, channels // groups * elements, rows * columns)
    product = torch.einsum("ngkp,gok->ngop", found, weight.reshape(groups, weight.shape[0] // groups, -1))
    return product.reshape(samples, weight.shape[0], rows, columns) + bias.view(1, -1, 1, 1)


def decompositions():
    """Returns the op with its function, if torchvision has registered it."""
    op = getattr(torch.ops.torchvision, "deform_conv2d", None)
    return {} if op is None else {op.default: deform_conv2d}

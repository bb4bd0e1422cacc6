# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backward passes of convolutions, pooling and resized pictures, as ops that have derivatives of their own.

A derivative that a forward pass takes, such as the gradient penalty of a critic, calls these, and is differentiated itself. torch
decomposes most others; these it leaves to libraries.
"""
import torch

_aten = torch.ops.aten


def _cropped(x, sizes):
    """Returns the first elements of x along its last dims."""
    for dim, size in enumerate(sizes, x.ndim - len(sizes)):
        x = x.narrow(dim, 0, size)
    return x


def _convolution_of_weights(x, g, sizes, stride, padding, dilation, groups):
    """Returns the gradient [outputs, inputs / groups, *sizes] of the weights of a convolution of x [samples, inputs, ...] whose result has the
    gradient g: a convolution over the samples, in which stride and dilation change places."""
    samples, inputs = x.shape[:2]
    by_group = x.reshape(samples, groups, inputs // groups, *x.shape[2:]).transpose(0, 2).reshape(inputs // groups, groups * samples, *x.shape[2:])
    none = [0] * len(sizes)
    found = _aten.convolution.default(by_group, g.transpose(0, 1), None, dilation, padding, stride, False, none, groups)
    return _cropped(found, sizes).transpose(0, 1)


def _convolution(g, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    rank = x.ndim - 2
    stride, padding, dilation = (list(v) * rank if len(v) == 1 else list(v) for v in (stride, padding, dilation))
    of_x = of_weight = of_bias = None
    sizes = weight.shape[2:]
    if output_mask[0] and transposed:
        of_x = _cropped(_aten.convolution.default(g, weight, None, stride, padding, dilation, False, [0] * rank, groups), x.shape[2:])
    elif output_mask[0]:
        reached = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(g.shape[2:], stride, padding, dilation, sizes)]
        rest = [n - r for n, r in zip(x.shape[2:], reached)]
        of_x = _aten.convolution.default(g, weight, None, stride, padding, dilation, True, rest, groups)
    if output_mask[1]:
        image, result = (g, x) if transposed else (x, g)
        of_weight = _convolution_of_weights(image, result, sizes, stride, padding, dilation, groups)
    if output_mask[2]:
        of_bias = g.sum([0, *range(2, g.ndim)])
    return of_x, of_weight, of_bias


def _max_pool2d(g, x, kernel_size, stride, padding, dilation, ceil_mode, indices):
    """Adds each element of the gradient where the largest element of its window was."""
    planes = (*x.shape[:-2], x.shape[-2] * x.shape[-1])
    return x.new_zeros(planes).scatter_add(-1, indices.flatten(-2), g.flatten(-2)).view(x.shape)


def _averaged(extent, windows, device, dtype):
    """Returns the matrix [count, extent] that averages the elements of each window. windows: their count, and functions of a window's number
    that give its first element, its end and its divisor."""
    at, number = torch.arange(extent, device=device), torch.arange(windows[0], device=device).unsqueeze(1)
    first, end, divisor = (f(number) for f in windows[1:])
    return ((at >= first) & (at < end)).to(dtype) / divisor


def _adaptive_avg_pool2d(g, x):
    def matrix(extent, count):
        first, end = (lambda i: i * extent // count), (lambda i: ((i + 1) * extent + count - 1) // count)
        return _averaged(extent, (count, first, end, lambda i: end(i) - first(i)), g.device, g.dtype)
    return torch.einsum("...hw,hy,wx->...yx", g, matrix(x.shape[-2], g.shape[-2]), matrix(x.shape[-1], g.shape[-1]))


def _avg_pool2d(g, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    kernel = list(kernel_size) * (2 if len(kernel_size) == 1 else 1)
    stride = list(stride) * (2 if len(stride) == 1 else 1) or kernel
    padding = list(padding) * (2 if len(padding) == 1 else 1)

    def matrix(dim):
        k, s, p, extent = kernel[dim], stride[dim], padding[dim], x.shape[dim - 2]
        first, end = (lambda i: i * s - p), (lambda i: (i * s - p + k).clamp(max=extent + p))
        inside = lambda i: end(i) - first(i) if count_include_pad else end(i).clamp(max=extent) - first(i).clamp(min=0)
        divisor = inside if divisor_override is None else lambda i: torch.full_like(i, divisor_override if dim == 0 else 1)
        return _averaged(extent, (g.shape[dim - 2], first, end, divisor), g.device, g.dtype)
    return torch.einsum("...hw,hy,wx->...yx", g, matrix(0), matrix(1))


def _upsampled(g, extents, matrix, scales):
    """Returns the gradient of the pixels by that of pixels between them, of which each row of matrix(count, extent, scale) has the shares."""
    by_dim = [matrix(count, extent, scale) for count, extent, scale in zip(g.shape[2:], extents[2:], scales)]
    return torch.einsum("...hw,hy,wx->...yx", g, *by_dim)


def _upsample_nearest2d(g, output_size, input_size, scales_h=None, scales_w=None):
    def matrix(count, extent, scale):
        place = (torch.arange(count, device=g.device) * (1 / scale if scale else extent / count)).floor().clamp(max=extent - 1)
        return (place.unsqueeze(1) == torch.arange(extent, device=g.device)).to(g.dtype)
    return _upsampled(g, input_size, matrix, (scales_h, scales_w))


def _upsample_bilinear2d(g, output_size, input_size, align_corners, scales_h=None, scales_w=None):
    def matrix(count, extent, scale):
        number, at = torch.arange(count, device=g.device, dtype=g.dtype), torch.arange(extent, device=g.device, dtype=g.dtype)
        if align_corners:
            place = number * ((extent - 1) / max(count - 1, 1))
        else:
            place = ((number + .5) * (1 / scale if scale else extent / count) - .5).clamp(0, extent - 1)
        return (1 - (place.unsqueeze(1) - at).abs()).clamp(min=0)
    return _upsampled(g, input_size, matrix, (scales_h, scales_w))


def decompositions():
    """Returns functions by the overload that they stand for."""
    return {_aten.convolution_backward.default: _convolution, _aten.max_pool2d_with_indices_backward.default: _max_pool2d,
            _aten.upsample_nearest2d_backward.default: _upsample_nearest2d, _aten.upsample_bilinear2d_backward.default: _upsample_bilinear2d,
            _aten._adaptive_avg_pool2d_backward.default: _adaptive_avg_pool2d, _aten.avg_pool2d_backward.default: _avg_pool2d}

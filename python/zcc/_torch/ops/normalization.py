# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms over features, groups and batches."""
import math

from . import lower
from .reductions import mean


def normalized(b, x, dims, eps):
    """Returns (x - mean) / sqrt(variance + eps) over dims, the mean and 1 / sqrt(...), the last two with their dims kept."""
    middle = mean(b, x, dims, keep=True)
    away = b.subtract(x, b.broadcast(middle, x.shape))
    spread = mean(b, b.multiply(away, away), dims, keep=True)
    scale = b.unary("rsqrt", b.add(spread, b.like(eps, spread)))
    return b.multiply(away, b.broadcast(scale, x.shape)), middle, scale, spread


def affine(b, x, weight, bias, dims):
    """Returns x * weight + bias, which have the dims `dims` of x."""
    if weight is not None:
        x = b.multiply(x, b.broadcast_in_dim(b.convert(weight, x.element), x.shape, dims))
    if bias is not None:
        x = b.add(x, b.broadcast_in_dim(b.convert(bias, x.element), x.shape, dims))
    return x


def _layer_norm(b, x, shape, weight, bias, eps):
    dims = list(range(x.rank - len(shape), x.rank))
    found, middle, scale, _ = normalized(b, b.wide(x), dims, eps)
    return b.convert(affine(b, found, weight, bias, dims), x.element), middle, scale


@lower("aten.layer_norm.default")
def _(b, x, shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    return _layer_norm(b, x, shape, weight, bias, eps)[0]


@lower("aten.native_layer_norm.default")
def _(b, x, shape, weight, bias, eps):
    found, middle, scale = _layer_norm(b, x, shape, weight, bias, eps)
    return found, b.convert(middle, b.out[1].element), b.convert(scale, b.out[2].element)


@lower("aten.rms_norm.default")
def _(b, x, shape, weight=None, eps=None):
    import torch

    dims, wide = list(range(x.rank - len(shape), x.rank)), b.wide(x)
    spread = mean(b, b.multiply(wide, wide), dims, keep=True)
    eps = torch.finfo(b.dtype(x.element)).eps if eps is None else eps
    scale = b.unary("rsqrt", b.add(spread, b.like(eps, spread)))
    return b.convert(affine(b, b.multiply(wide, b.broadcast(scale, x.shape)), weight, None, dims), b.out.element)


def _group_norm(b, x, groups, weight, bias, eps):
    count, channels, *space = x.shape
    split = b.reshape(b.wide(x), (count, groups, channels // groups, *space))
    found, middle, scale, _ = normalized(b, split, list(range(2, split.rank)), eps)
    found = affine(b, b.reshape(found, x.shape), weight, bias, [1])
    return b.convert(found, x.element), b.reshape(middle, (count, groups)), b.reshape(scale, (count, groups))


@lower("aten.group_norm.default")
def _(b, x, groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    return _group_norm(b, x, groups, weight, bias, eps)[0]


@lower("aten.native_group_norm.default")
def _(b, x, weight, bias, count, channels, size, groups, eps):
    found, middle, scale = _group_norm(b, x, groups, weight, bias, eps)
    return found, b.convert(middle, b.out[1].element), b.convert(scale, b.out[2].element)


def batch_norm(b, x, weight, bias, running_mean, running_var, training, momentum, eps):
    """Returns the normalized x, mean and 1 / sqrt(variance + eps) by channel, and new running statistics (None without)."""
    wide = b.wide(x)
    if not training:
        spread = b.convert(running_var, wide.element)
        scale = b.unary("rsqrt", b.add(spread, b.like(eps, spread)))
        middle = b.convert(running_mean, wide.element)
        away = b.subtract(wide, b.broadcast_in_dim(middle, x.shape, [1]))
        found = affine(b, b.multiply(away, b.broadcast_in_dim(scale, x.shape, [1])), weight, bias, [1])
        return b.convert(found, x.element), middle, scale, running_mean, running_var
    dims = [i for i in range(x.rank) if i != 1]
    found, middle, scale, spread = normalized(b, wide, dims, eps)
    found = b.convert(affine(b, found, weight, bias, [1]), x.element)
    channels = (x.shape[1],)
    middle, scale, spread = (b.reshape(v, channels) for v in (middle, scale, spread))
    if running_mean is not None:
        count = math.prod(x.shape[d] for d in dims)
        unbiased = b.multiply(spread, b.like(count / max(count - 1, 1), spread))
        running_mean = _moved(b, running_mean, b.stop_gradient(middle), momentum)
        running_var = _moved(b, running_var, b.stop_gradient(unbiased), momentum)
    return found, middle, scale, running_mean, running_var


def _moved(b, old, new, momentum):
    new = b.convert(new, old.element)
    return b.add(b.multiply(old, b.like(1 - momentum, old)), b.multiply(new, b.like(momentum, new)))


@lower("aten._native_batch_norm_legit_functional.default")
def _(b, x, weight, bias, running_mean, running_var, training, momentum, eps):
    return batch_norm(b, x, weight, bias, running_mean, running_var, training, momentum, eps)


@lower("aten._batch_norm_with_update_functional.default")
def _(b, x, weight, bias, running_mean, running_var, momentum, eps):
    found, middle, scale, new_mean, new_var = batch_norm(b, x, weight, bias, running_mean, running_var, True, momentum, eps)
    reserve = b.constant(0, b.out[3].shape, b.out[3].element)  # of a library; torch's own backward pass reads it
    return found, middle, scale, reserve, new_mean, new_var


@lower("aten._native_batch_norm_legit_no_training.default")
def _(b, x, weight, bias, running_mean, running_var, momentum, eps):
    found = batch_norm(b, x, weight, bias, running_mean, running_var, False, momentum, eps)[0]
    return found, b.constant(0, b.out[1].shape, b.out[1].element), b.constant(0, b.out[2].shape, b.out[2].element)


@lower("aten._native_batch_norm_legit.no_stats")
def _(b, x, weight, bias, training, momentum, eps):
    return batch_norm(b, x, weight, bias, None, None, True, momentum, eps)[:3]

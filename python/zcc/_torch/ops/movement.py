# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overloads that create tensors, or move elements without computing with them."""
import math

import numpy as np

from ..text import Value
from . import lower


# ---------------------------------------------------------------- creation

@lower("aten.full.default", "aten.full_like.default")
def _(b, _, value, *__, **___):
    return b.constant(value, b.out.shape, b.out.element)


@lower("aten.new_full.default")
def _(b, x, shape, value, **_):
    return b.constant(value, b.out.shape, b.out.element)


@lower("aten.scalar_tensor.default")
def _(b, value, **_):
    return b.constant(value, b.out.shape, b.out.element)


@lower("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default", "aten.empty.memory_format", "aten.empty_like.default",
       "aten.empty_permuted.default", "aten.new_empty.default", "aten.empty_strided.default", "aten.new_empty_strided.default")
def _(b, *_, **__):
    return b.constant(0, b.out.shape, b.out.element)


@lower("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def _(b, *_, **__):
    return b.constant(1, b.out.shape, b.out.element)


@lower("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def _(b, *args, **_):
    numbers = [a for a in args if not isinstance(a, Value)]
    start, step = (numbers[0] if len(numbers) > 1 else 0), (numbers[2] if len(numbers) > 2 else 1)
    return ramp(b, b.out.shape, 0, b.out.element, start, step)


def ramp(b, shape, dim, element, start=0, step=1):
    """Returns start + step * i along a dim."""
    found = b.iota(shape, dim, element)
    if step != 1:
        found = b.multiply(found, b.like(step, found))
    return b.add(found, b.like(start, found)) if start else found


@lower("aten.linspace.default")
def _(b, start, end, steps, **_):
    element = b.out.element
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    return b.convert(ramp(b, b.out.shape, 0, "f32" if element not in ("f32", "f64") else element, float(start), step), element)


@lower("aten.eye.default", "aten.eye.m")
def _(b, *_, **__):
    same = b.compare("EQ", b.iota(b.out.shape, 0, "i32"), b.iota(b.out.shape, 1, "i32"))
    return b.convert(same, b.out.element)


# ---------------------------------------------------------------- shapes

@lower("aten.view.default", "aten._unsafe_view.default", "aten.view_copy.default", "aten.unsqueeze.default",
       "aten.unsqueeze_copy.default", "aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze_copy.dim",
       "aten.squeeze_copy.dims")
def _(b, x, *_, **__):
    return b.reshape(x, b.out.shape)


@lower("aten.view.dtype")
def _(b, x, dtype):
    """The same bits as numbers of another type, of which no derivative is known to torch either."""
    if "i1" in (x.element, b.out.element) or tuple(x.shape) != b.out.shape:
        raise NotImplementedError("a view of another type, whose elements have another number of bytes or are booleans")
    return x if x.element == b.out.element else b.op("stablehlo.bitcast_convert", [x], x.shape, b.out.element)


@lower("aten.permute.default", "aten.permute_copy.default")
def _(b, x, dims):
    return b.transpose(x, [d % x.rank for d in dims])


@lower("aten.transpose.int", "aten.transpose_copy.int")
def transpose(b, x, first, second):
    if not x.rank:
        return x
    order = list(range(x.rank))
    order[first % x.rank], order[second % x.rank] = order[second % x.rank], order[first % x.rank]
    return b.transpose(x, order)


@lower("aten.t.default", "aten.t_copy.default")
def _(b, x):
    return transpose(b, x, -1, -2) if x.rank > 1 else x


@lower("aten.expand.default", "aten.expand_copy.default")
def _(b, x, *_, **__):
    return b.broadcast(x, b.out.shape)


@lower("aten.repeat.default", "aten.tile.default")
def _(b, x, repeats):
    shape = (1,) * (len(repeats) - x.rank) + x.shape
    repeats = [1] * (len(shape) - len(repeats)) + list(repeats)
    split = [n for r, s in zip(repeats, shape) for n in (r, s)]
    found = b.broadcast_in_dim(b.reshape(x, shape), split, [2 * i + 1 for i in range(len(shape))])
    return b.reshape(found, b.out.shape)


@lower("aten.repeat_interleave.self_int")
def _(b, x, repeats, dim=None, output_size=None):
    if dim is None:
        x, dim = b.reshape(x, [math.prod(x.shape)]), 0
    dim %= x.rank
    split = x.shape[:dim + 1] + (repeats,) + x.shape[dim + 1:]
    return b.reshape(b.broadcast_in_dim(x, split, [i for i in range(len(split)) if i != dim + 1]), b.out.shape)


@lower("aten.cat.default", "aten.concat.default", "aten.concatenate.default")
def _(b, parts, dim=0):
    parts = [b.convert(p, b.out.element) for p in parts if p.shape != (0,)]
    if not parts:
        return b.constant(0, b.out.shape, b.out.element)
    return b.concatenate(parts, dim % parts[0].rank)


@lower("aten.stack.default")
def _(b, parts, dim=0):
    dim %= len(b.out.shape)
    parts = [b.convert(p, b.out.element) for p in parts]
    return b.concatenate([b.reshape(p, p.shape[:dim] + (1,) + p.shape[dim:]) for p in parts], dim)


# ---------------------------------------------------------------- pieces

def _bounds(extent, start, end):
    """Returns begin and end of a slice as Python has them."""
    begin, last, _ = slice(start, end).indices(extent)
    return begin, max(begin, last)


@lower("aten.slice.Tensor", "aten.slice_copy.Tensor")
def slice_tensor(b, x, dim=0, start=None, end=None, step=1):
    dim %= x.rank
    return b.slice_dim(x, dim, *_bounds(x.shape[dim], start, end), step)


@lower("aten.narrow_copy.default")
def _(b, x, dim, start, length):
    dim %= x.rank
    start = start % x.shape[dim] if start < 0 else start
    return b.slice_dim(x, dim, start, start + length)


@lower("aten.select.int", "aten.select_copy.int")
def _(b, x, dim, index):
    dim, index = dim % x.rank, index % x.shape[dim]
    return b.reshape(b.slice_dim(x, dim, index, index + 1), b.out.shape)


def _parts(b, x, dim, sizes):
    ends = [sum(sizes[:i + 1]) for i in range(len(sizes))]
    return tuple(b.slice_dim(x, dim, end - size, end) for size, end in zip(sizes, ends))


@lower("aten.split_with_sizes.default", "aten.split_with_sizes_copy.default")
def _(b, x, sizes, dim=0):
    return _parts(b, x, dim % x.rank, list(sizes))


@lower("aten.split.Tensor", "aten.split_copy.Tensor", "aten.unsafe_split.Tensor")
def _(b, x, size, dim=0):
    dim %= x.rank
    return _parts(b, x, dim, [p.shape[dim] for p in b.out])


@lower("aten.unbind.int", "aten.unbind_copy.int")
def _(b, x, dim=0):
    dim %= x.rank
    return tuple(b.reshape(b.slice_dim(x, dim, i, i + 1), p.shape) for i, p in enumerate(b.out))


@lower("aten.slice_scatter.default")
def slice_scatter(b, x, source, dim=0, start=None, end=None, step=1):
    dim %= x.rank
    extent = x.shape[dim]
    begin, last = _bounds(extent, start, end)
    count = source.shape[dim]
    source = b.convert(source, x.element)
    if count == extent and step == 1:
        return source
    if not count:
        return x
    if step == 1:
        return b.concatenate([p for p in (b.slice_dim(x, dim, 0, begin), source, b.slice_dim(x, dim, last, extent)) if p.shape[dim]], dim)
    reach = begin + (count - 1) * step + 1
    low, high, interior = [0] * x.rank, [0] * x.rank, [0] * x.rank
    low[dim], high[dim], interior[dim] = begin, extent - reach, step - 1
    spread = b.pad(source, b.constant(0, (), x.element), low, high, interior)
    at = b.iota(x.shape, dim, "i32")
    inside = b.compare("EQ", b.binary("remainder", b.subtract(at, b.like(begin, at)), b.like(step, at)), b.like(0, at))
    inside = b.binary("and", inside, b.compare("GE", at, b.like(begin, at)))
    inside = b.binary("and", inside, b.compare("LT", at, b.like(reach, at)))
    return b.select(inside, spread, x)


@lower("aten.select_scatter.default")
def _(b, x, source, dim, index):
    dim, index = dim % x.rank, index % x.shape[dim]
    piece = b.reshape(source, x.shape[:dim] + (1,) + x.shape[dim + 1:])
    return slice_scatter(b, x, piece, dim, index, index + 1)


@lower("aten.diagonal.default", "aten.diagonal_copy.default")
def _(b, x, offset=0, dim1=0, dim2=1):
    dim1, dim2 = dim1 % x.rank, dim2 % x.rank
    rest = [d for d in range(x.rank) if d not in (dim1, dim2)]
    x = b.transpose(x, [*rest, dim1, dim2])
    count, last = b.out.shape[-1], x.rank - 1
    x = b.slice_dim(x, last - 1, max(0, -offset), max(0, -offset) + count)
    x = b.slice_dim(x, last, max(0, offset), max(0, offset) + count)
    same = b.compare("EQ", b.iota(x.shape, last - 1, "i32"), b.iota(x.shape, last, "i32"))
    return b.reduce(b.select(same, x, b.like(0, x)), [last - 1], "add")


@lower("aten.flip.default")
def _(b, x, dims):
    return b.reverse(x, [d % x.rank for d in dims]) if dims else x


@lower("aten.roll.default")
def _(b, x, shifts, dims=()):
    shifts, dims = ([v] if isinstance(v, int) else list(v) for v in (shifts, dims))
    shape = x.shape
    if not dims:
        x, dims = b.reshape(x, [math.prod(shape)]), [0]
    for shift, dim in zip(shifts, dims):
        dim %= x.rank
        cut = -shift % x.shape[dim] if x.shape[dim] else 0
        if cut:
            x = b.concatenate([b.slice_dim(x, dim, cut, x.shape[dim]), b.slice_dim(x, dim, 0, cut)], dim)
    return b.reshape(x, shape)


@lower("aten.constant_pad_nd.default")
def constant_pad(b, x, pad, value=0):
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(pad) // 2):
        low[x.rank - 1 - i], high[x.rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return b.pad(x, b.constant(value, (), x.element), low, high)


@lower("aten.pad.default")
def _(b, x, pad, mode="constant", value=None):
    if mode == "constant":
        return constant_pad(b, x, pad, value or 0)
    return _mirrored(b, x, pad, mode)


def _mirrored(b, x, pad, mode):
    for i in range(len(pad) // 2):
        dim, (low, high) = x.rank - 1 - i, pad[2 * i:2 * i + 2]
        if mode == "circular":  # torch goes round what is left after cutting
            x = b.slice_dim(x, dim, max(0, -low), x.shape[dim] - max(0, -high))
            low, high = max(0, low), max(0, high)
        extent, parts = x.shape[dim], [x]
        if mode == "replicate":
            edge = lambda at, n: b.broadcast_in_dim(b.slice_dim(x, dim, at, at + 1), x.shape[:dim] + (n,) + x.shape[dim + 1:], range(x.rank))
            parts = ([edge(0, low)] if low > 0 else []) + parts + ([edge(extent - 1, high)] if high > 0 else [])
        elif mode == "circular":
            parts = ([b.slice_dim(x, dim, extent - low, extent)] if low > 0 else []) + parts
            parts += [b.slice_dim(x, dim, 0, high)] if high > 0 else []
        else:  # reflect
            parts = ([b.reverse(b.slice_dim(x, dim, 1, low + 1), [dim])] if low > 0 else []) + parts
            parts += [b.reverse(b.slice_dim(x, dim, extent - 1 - high, extent - 1), [dim])] if high > 0 else []
        x = b.concatenate(parts, dim)
        if low < 0 or high < 0:
            x = b.slice_dim(x, dim, max(0, -low), x.shape[dim] - max(0, -high))
    return x


for _mode, _name in (("reflect", "reflection"), ("replicate", "replication")):
    def _pad(mode):
        return lambda b, x, pad: _mirrored(b, x, pad, mode)
    lower(*(f"aten.{_name}_pad{n}d.default" for n in (1, 2, 3)))(_pad(_mode))


def _triangle(direction):
    def run(b, x, diagonal=0):
        rows, columns = b.iota(x.shape, x.rank - 2, "i32"), b.iota(x.shape, x.rank - 1, "i32")
        kept = b.compare(direction, columns, b.add(rows, b.like(diagonal, rows)))
        return b.select(kept, x, b.like(0, x))
    return run


lower("aten.tril.default")(_triangle("LE"))
lower("aten.triu.default")(_triangle("GE"))


@lower("aten.pixel_shuffle.default")
def _(b, x, factor):
    lead, (channels, height, width) = x.shape[:-3], x.shape[-3:]
    n = len(lead)
    x = b.reshape(x, (*lead, channels // factor ** 2, factor, factor, height, width))
    x = b.transpose(x, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return b.reshape(x, b.out.shape)


@lower("aten.pixel_unshuffle.default")
def _(b, x, factor):
    lead, (channels, height, width) = x.shape[:-3], x.shape[-3:]
    n = len(lead)
    x = b.reshape(x, (*lead, channels, height // factor, factor, width // factor, factor))
    x = b.transpose(x, [*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return b.reshape(x, b.out.shape)


@lower("aten.unfold.default")
def _(b, x, dim, size, step):
    x = x if x.rank else b.reshape(x, (1,))
    dim %= x.rank
    count = b.out.shape[dim]
    parts = [b.slice_dim(x, dim, i * step, i * step + size) for i in range(count)]
    order = [*range(dim + 1), *range(dim + 2, x.rank + 1), dim + 1]
    found = b.concatenate([b.transpose(b.reshape(p, x.shape[:dim] + (1, size) + x.shape[dim + 1:]), order) for p in parts], dim)
    return b.reshape(found, b.out.shape)


def _triangle_indices(found):
    def run(b, rows, columns, offset=0, **_):
        return b.convert(b.array(np.stack(found(rows, offset, columns)).astype(np.int64), "i64"), b.out.element)
    return run


lower("aten.tril_indices.default")(_triangle_indices(np.tril_indices))
lower("aten.triu_indices.default")(_triangle_indices(np.triu_indices))

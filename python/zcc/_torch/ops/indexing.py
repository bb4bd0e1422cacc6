# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overloads that read or write at indices."""
import math

from ..text import Value, is_float
from . import lower


def wrapped(b, index, extent):
    """Returns an index in which negative numbers count from the end."""
    if index.element in ("ui8", "i8", "i16"):
        index = b.convert(index, "i32")
    return b.select(b.compare("LT", index, b.like(0, index)), b.add(index, b.like(extent, index)), index)


@lower("aten.embedding.default")
def _(b, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if scale_grad_by_freq:
        raise NotImplementedError("scale_grad_by_freq=True")
    if padding_idx >= 0:  # its row has no gradient
        row = b.compare("EQ", b.iota(weight.shape, 0, "i32"), b.constant(padding_idx, weight.shape, "i32"))
        weight = b.select(row, b.stop_gradient(weight), weight)
    return take(b, weight, indices, 0)


def take(b, x, indices, dim):
    """Returns the slices of x along a dim at indices, whose dims stand where the dim was."""
    at = b.reshape(indices, (*indices.shape, 1))
    offset = [d if d < dim else d + indices.rank - 1 for d in range(x.rank) if d != dim]
    sizes = [1 if d == dim else n for d, n in enumerate(x.shape)]
    return b.gather(x, at, offset=offset, collapsed=[dim], index_map=[dim], sizes=sizes)


@lower("aten.index_select.default")
def _(b, x, dim, indices):
    if not x.rank:
        return x
    if not indices.rank:
        indices = b.reshape(indices, (1,))
    return take(b, x, wrapped(b, indices, x.shape[dim % x.rank]), dim % x.rank)


def points(b, x, indices):
    """For an index with Values in some dims: returns (index [..., k], dims, shape of the index, where its dims stand in the result)."""
    masks = [i for i in indices if i is not None and i.element == "i1"]
    if masks:
        raise NotImplementedError("a mask as an index, whose result has a size that is known only when it runs; use torch.where")
    import torch

    dims = [d for d, i in enumerate(indices) if i is not None]
    shape = tuple(torch.broadcast_shapes(*(i.shape for i in indices if i is not None)))
    wide = "i32" if max((x.shape[d] for d in dims), default=0) < 2 ** 31 and all(indices[d].element != "i64" for d in dims) else "i64"
    at = [b.reshape(b.broadcast(b.convert(wrapped(b, indices[d], x.shape[d]), wide), shape), (*shape, 1)) for d in dims]
    together = dims == list(range(dims[0], dims[-1] + 1))
    return b.concatenate(at, len(shape)), dims, shape, dims[0] if together else 0


@lower("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(b, x, indices):
    if all(i is None for i in indices):
        return x
    at, dims, shape, first = points(b, x, indices)
    offset = [d if d < first else d + len(shape) for d in range(x.rank - len(dims))]
    sizes = [1 if d in dims else n for d, n in enumerate(x.shape)]
    return b.gather(x, at, offset=offset, collapsed=dims, index_map=dims, sizes=sizes)


@lower("aten.index_put.default", "aten._unsafe_index_put.default")
def _(b, x, indices, values, accumulate=False):
    if len(indices) == 1 and indices[0] is not None and indices[0].element == "i1":
        mask, rest = indices[0], x.shape[indices[0].rank:]
        values = b.convert(values, x.element)
        if values.rank > len(rest) and values.shape[0] == 1:
            values = b.reshape(values, values.shape[1:])
        if values.rank > len(rest):  # one for each True, in order
            values = take(b, b.broadcast(values, (values.shape[0], *rest)), _ordinals(b, mask, values.shape[0]), 0)
        values = b.broadcast(values, x.shape)
        return b.select(b.broadcast_in_dim(mask, x.shape, range(mask.rank)), b.add(x, values) if accumulate else values, x)
    if any(i is not None and i.element == "i1" for i in indices):
        return _put_where(b, x, indices, values, accumulate)
    at, dims, shape, first = points(b, x, indices)
    rest = [n for d, n in enumerate(x.shape) if d not in dims]
    values = b.value(values, (*rest[:first], *shape, *rest[first:]), x.element)
    window = [d if d < first else d + len(shape) for d in range(len(rest))]
    return b.scatter(x, at, values, "add" if accumulate else None, window=window, inserted=dims, index_map=dims)


def _put_where(b, x, indices, values, accumulate):
    """Writes values where masks are True and, in other dims, at a number. All elements that a mask selects get the same values."""
    kept, condition, dim = [], None, 0
    for index in [*indices, *[None] * x.rank]:
        rank = index.rank if index is not None and index.element == "i1" else 1
        if index is None and dim < x.rank:
            kept.append(dim)
        elif index is not None:
            if index.element == "i1":
                own = b.broadcast_in_dim(index, x.shape, range(dim, dim + rank))
            elif math.prod(index.shape) == 1:
                at = b.broadcast(b.reshape(wrapped(b, index, x.shape[dim]), ()), x.shape)
                own = b.compare("EQ", b.iota(x.shape, dim, at.element), at)
            else:
                raise NotImplementedError("a mask beside several numbers as an index; use torch.where")
            condition = own if condition is None else b.binary("and", condition, own)
        dim += rank
    given = [n for n, index in enumerate(indices) if index is not None]
    first = given[0] if given == list(range(given[0], given[-1] + 1)) else 0  # where torch has the dim of what is selected
    shape = [x.shape[d] for d in kept]
    values = b.convert(values, x.element)
    if values.rank > len(shape) - first:
        at = values.rank - (len(shape) - first) - 1
        if values.shape[at] != 1:
            raise NotImplementedError("a mask beside another index, with a value for each element that it selects; use torch.where")
        values = b.reshape(values, (*values.shape[:at], *values.shape[at + 1:]))
    values = b.broadcast_in_dim(b.broadcast(values, tuple(shape)), x.shape, kept)
    return b.select(condition, b.add(x, values) if accumulate else values, x)


def _ordinals(b, mask, count):
    """Returns for each element of a mask how many before it are True, at most count - 1."""
    from .reductions import cumulative

    number = b.convert(b.reshape(mask, (math.prod(mask.shape),)), "i32")
    number = b.subtract(cumulative(b, number, 0, "add"), b.like(1, number))
    number = b.minimum(b.maximum(number, b.like(0, number)), b.like(count - 1, number))
    return b.reshape(number, mask.shape)


@lower("aten.masked_scatter.default")
def _(b, x, mask, source):
    x, mask = b.broadcast(x, b.out.shape), b.broadcast(mask, b.out.shape)
    count = math.prod(source.shape)
    if not count:
        return x
    return b.select(mask, take(b, b.reshape(source, (count,)), _ordinals(b, mask, count), 0), x)


@lower("aten.nonzero_static.default")
def _(b, x, *, size, fill_value=-1):
    from .sorting import sort

    if not x.rank or not math.prod(x.shape) or not size:
        return b.constant(fill_value, b.out.shape, "i64")
    hit = b.reshape(b.convert(x, "i1"), (math.prod(x.shape),))
    _, order = sort(b, b.convert(b.unary("not", hit), "i32"), 0, False)  # stable: those that are True come first, in order
    count = b.reduce(b.convert(hit, "i64"), [0], "add")
    flat = b.slice_dim(order, 0, 0, min(size, order.shape[0]))
    if size > order.shape[0]:
        flat = b.concatenate([flat, b.constant(0, (size - order.shape[0],), "i64")], 0)
    valid = b.compare("LT", b.iota((size,), 0, "i64"), b.broadcast(count, (size,)))
    parts = []
    for dim, extent in enumerate(x.shape):
        stride = math.prod(x.shape[dim + 1:])
        at = b.binary("remainder", b.divide(flat, b.like(stride, flat)), b.like(extent, flat))
        parts.append(b.reshape(b.select(valid, at, b.like(fill_value, at)), (size, 1)))
    return b.concatenate(parts, 1)


def strided_places(shape, size, stride, offset):
    """Returns the row-major places that a view with strides has of an array."""
    import numpy as np

    at = np.full((), offset, np.int64)
    for n, s in zip(size, stride):
        at = at[..., None] + np.arange(n) * s
    return at


@lower("aten.as_strided.default", "aten.as_strided_copy.default")
def _(b, x, size, stride, storage_offset=None):
    """torch reads the memory of x, which is in row-major order: strides.py sees to it."""
    places = strided_places(x.shape, size, stride, storage_offset or 0)
    if places.size and places.max() >= math.prod(x.shape):
        raise NotImplementedError("a view of memory that is not the tensor's")
    return take(b, b.reshape(x, (math.prod(x.shape),)), b.array(places, "i64"), 0)


@lower("zcc.gradient_at.default")
def _(b, x, size, stride, offset):
    """As in torch, only elements of the tensor that was viewed have a gradient, and not those around it in memory."""
    import numpy as np

    if not is_float(x.element):
        return x
    places = np.zeros(math.prod(x.shape), bool)
    places[strided_places(x.shape, size, stride, offset).reshape(-1)] = True
    return b.select(b.array(places.reshape(x.shape), "i1"), x, b.stop_gradient(x))


@lower("aten.as_strided_scatter.default")
def _(b, x, source, size, stride, storage_offset=None):
    places = strided_places(x.shape, size, stride, storage_offset or 0)
    at = b.array(places.reshape(-1, 1), "i64")
    flat = b.reshape(x, (math.prod(x.shape),))
    found = b.scatter(flat, at, b.reshape(source, (places.size,)), None, window=[], inserted=[0], index_map=[0])
    return b.reshape(found, x.shape)


@lower("aten.gather.default")
def gather(b, x, dim, indices, sparse_grad=False):
    """Each index reads at its own place in the other dims."""
    if not x.rank:
        return x if not indices.rank else b.broadcast(x, indices.shape)
    dim %= x.rank
    x, at, order = _aligned(b, x, dim, indices)
    lead = list(range(x.rank - 1))
    found = b.gather(x, at, offset=[], collapsed=[x.rank - 1], index_map=[x.rank - 1], sizes=[1] * x.rank, batch=lead, index_batch=lead)
    return b.transpose(found, [order.index(d) for d in range(x.rank)])


def _aligned(b, x, dim, indices):
    """Returns x and the indices with the dim last, the other dims cut to those of the indices, and the order of dims."""
    order = [d for d in range(x.rank) if d != dim] + [dim]
    x, indices = b.transpose(x, order), b.transpose(wrapped(b, indices, x.shape[dim]), order)
    x = b.slice(x, [0] * x.rank, [*indices.shape[:-1], x.shape[-1]])
    return x, b.reshape(indices, (*indices.shape, 1)), order


def _scatter(b, x, dim, indices, source, kind, include_self=True):
    if not x.rank:
        x1, i1 = b.reshape(x, (1,)), b.reshape(indices, (1,))
        return b.reshape(_scatter(b, x1, 0, i1, b.reshape(source, (1,)) if isinstance(source, Value) else source, kind, include_self), ())
    dim %= x.rank
    order = [d for d in range(x.rank) if d != dim] + [dim]
    back = [order.index(d) for d in range(x.rank)]
    rows = b.transpose(x, order)
    at = b.transpose(wrapped(b, indices, x.shape[dim]), order)
    if isinstance(source, Value):
        source = b.transpose(b.convert(source, x.element), order)
        source = b.slice(source, [0] * x.rank, at.shape)
    else:
        source = b.constant(source, at.shape, x.element)
    whole = rows
    part = b.slice(rows, [0] * x.rank, [*at.shape[:-1], rows.shape[-1]])
    lead = list(range(x.rank - 1))
    start = part
    if not include_self:
        hit = b.scatter(b.constant(0, part.shape, "i32"), b.reshape(at, (*at.shape, 1)), b.constant(1, at.shape, "i32"), "add",
                        window=[], inserted=[x.rank - 1], index_map=[x.rank - 1], batch=lead, index_batch=lead)
        hit = b.compare("GT", hit, b.like(0, hit))
        start = b.select(hit, b.constant(b.start_of(kind, x.element), part.shape, x.element), part)
    found = b.scatter(start, b.reshape(at, (*at.shape, 1)), source, kind, window=[], inserted=[x.rank - 1], index_map=[x.rank - 1],
                      batch=lead, index_batch=lead)
    for d in reversed(lead):  # what lies beyond the indices stays
        if found.shape[d] < whole.shape[d]:
            low = [found.shape[d] if e == d else 0 for e in range(x.rank)]
            rest = b.slice(whole, low, [found.shape[e] if e < d else whole.shape[e] for e in range(x.rank)])
            found = b.concatenate([found, rest], d)
    return b.transpose(found, back)


_KINDS = {"sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply", "amax": "maximum", "amin": "minimum"}


@lower("aten.scatter.src", "aten.scatter.value")
def _(b, x, dim, indices, source):
    return _scatter(b, x, dim, indices, source, None)


@lower("aten.scatter_add.default")
def _(b, x, dim, indices, source):
    return _scatter(b, x, dim, indices, source, "add")


@lower("aten.scatter.reduce", "aten.scatter.value_reduce")
def _(b, x, dim, indices, source, reduce):
    return _scatter(b, x, dim, indices, source, _KINDS[reduce])


@lower("aten.scatter_reduce.two")
def _(b, x, dim, indices, source, reduce, include_self=True):
    if reduce == "mean":
        ones = b.constant(1, indices.shape, x.element)
        count = _scatter(b, b.like(1 if include_self else 0, x), dim, indices, ones, "add")
        total = _scatter(b, x, dim, indices, source, "add", include_self)
        return b.divide(total, b.maximum(count, b.like(1, count)))
    write = lambda x, source, kind, include_self=True: _scatter(b, x, dim, indices, source, kind, include_self)
    read = lambda x: gather(b, x, dim, indices)
    return _reduced(b, x, source, _KINDS[reduce], include_self, write, read)


def _reduced(b, x, source, kind, include_self, write, read):
    """Reduces what is written to x, with the derivatives that torch has.

    write: a function of x, what is written, the kind and include_self. read: of x, to what stands where is written.
    """
    if not is_float(x.element):
        return write(x, source, kind, include_self)
    if kind == "multiply":
        return _product(b, x, b.convert(source, x.element), include_self, write)
    found = write(x, source, kind, include_self)
    if kind in ("maximum", "minimum") and not include_self:
        # torch shares the derivative with elements of x that are as large, though they are left out.
        fixed = b.stop_gradient(found)
        hits = write(b.like(0, x), b.convert(b.compare("EQ", source, read(fixed)), x.element), "add")
        own = b.convert(b.compare("EQ", x, fixed), x.element)
        share = b.select(b.compare("GT", hits, b.like(0, x)), b.divide(hits, b.maximum(b.add(hits, own), b.like(1, x))), b.like(1, x))
        found = b.add(fixed, b.multiply(share, b.subtract(found, fixed)))
    return found


def _product(b, x, source, include_self, write):
    """The derivative of a product is that of its factors that are not 0, and of a 0 that is the only one."""
    zeros_of = lambda v: b.compare("EQ", v, b.like(0, v))
    apart = lambda v: (b.select(zeros_of(v), b.like(1, v), v), b.select(zeros_of(v), v, b.like(0, v)), b.convert(zeros_of(v), v.element))
    (x_rest, x_zero, x_count), (rest, zero, count) = apart(x), apart(source)
    product = write(x_rest, rest, "multiply", include_self)
    zero, count = write(x_zero, zero, "add", include_self), write(x_count, count, "add", include_self)
    some = b.compare("GT", count, b.like(0, count))
    return b.select(some, b.select(b.compare("EQ", count, b.like(1, count)), b.multiply(product, zero), b.like(0, x)), product)


@lower("aten.index_add.default")
def _(b, x, dim, indices, source, alpha=1):
    source = b.convert(source, x.element)
    return _index_write(b, x, dim, indices, source if alpha == 1 else b.multiply(source, b.like(alpha, source)), "add")


@lower("aten.index_copy.default")
def _(b, x, dim, indices, source):
    return _index_write(b, x, dim, indices, source, None)


@lower("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def _(b, x, dim, indices, value):
    if not x.rank:
        return b.value(value, (), x.element)
    dim %= x.rank
    count = indices.shape[0] if indices.rank else 1
    return _index_write(b, x, dim, indices, b.value(value, x.shape[:dim] + (count,) + x.shape[dim + 1:], x.element), None)


@lower("aten.index_reduce.default")
def _(b, x, dim, indices, source, reduce, *, include_self=True):
    dim = dim % max(x.rank, 1)
    ones = b.constant(1, source.shape, x.element)
    count = _index_write(b, b.like(1 if include_self else 0, x), dim, indices, ones, "add")

    def write(x, source, kind, include_self=True):
        if not include_self:  # what is written to begins anew
            x = b.select(b.compare("GT", count, b.like(0, count)), b.constant(b.start_of(kind, x.element), x.shape, x.element), x)
        return _index_write(b, x, dim, indices, source, kind)
    if reduce == "mean":
        return b.divide(write(x, source, "add", include_self), b.maximum(count, b.like(1, count)))
    read = lambda x: b.reshape(take(b, x, wrapped(b, indices, x.shape[dim]), dim) if x.rank else x, source.shape)
    return _reduced(b, x, source, _KINDS[reduce], include_self, write, read)


@lower("aten.put.default")
def _(b, x, indices, source, accumulate=False):
    """The indices are places in x in row-major order."""
    count, places = math.prod(x.shape), math.prod(indices.shape)
    at = b.reshape(wrapped(b, indices, count), (places, 1))
    found = b.scatter(b.reshape(x, (count,)), at, b.reshape(source, (places,)), "add" if accumulate else None, window=[], inserted=[0],
                      index_map=[0])
    return b.reshape(found, x.shape)


def _index_write(b, x, dim, indices, source, kind):
    if not x.rank:
        return b.reshape(_index_write(b, b.reshape(x, (1,)), 0, indices, b.reshape(source, (1,)), kind), ())
    dim %= x.rank
    if not indices.rank:
        indices = b.reshape(indices, (1,))
    at = b.reshape(wrapped(b, indices, x.shape[dim]), (*indices.shape, 1))
    window = [d for d in range(x.rank) if d != dim]
    return b.scatter(x, at, b.reshape(source, x.shape[:dim] + (indices.shape[0],) + x.shape[dim + 1:]), kind, window=window,
                     inserted=[dim], index_map=[dim])


@lower("aten.one_hot.default")
def _(b, x, classes):
    shape = (*x.shape, classes)
    same = b.compare("EQ", b.broadcast_in_dim(x, shape, range(x.rank)), b.iota(shape, x.rank, x.element))
    return b.convert(same, b.out.element)


@lower("aten.histc.default")
def _(b, x, bins=100, min=0, max=0):
    if min == max:
        raise NotImplementedError("histc whose bounds are those of the data")
    wide = x if is_float(x.element) else b.convert(x, "f32")
    at = b.multiply(b.subtract(wide, b.like(min, wide)), b.like(bins / (max - min), wide))
    at = b.convert(b.unary("floor", at), "i32")
    last = b.like(bins - 1, at)
    inside = b.binary("and", b.compare("GE", wide, b.like(min, wide)), b.compare("LE", wide, b.like(max, wide)))
    at = b.minimum(b.maximum(at, b.like(0, at)), last)
    count = math.prod(x.shape)
    ones = b.convert(b.reshape(inside, (count,)), x.element)
    return b.scatter(b.constant(0, (bins,), x.element), b.reshape(at, (count, 1)), ones, "add", window=[], inserted=[0], index_map=[0])


def _places_among(b, bounds, x, right):
    """Returns how many of the sorted bounds [rows..., n], or [n] for all rows, are before each element of x [rows..., m]. NaN is after all of them."""
    if not isinstance(x, Value):
        x = b.value(x, (), "f32" if isinstance(x, float) and not is_float(bounds.element) else bounds.element)
    shape = (*x.shape, bounds.shape[-1])
    element = b.common(bounds, x)
    dims = [x.rank] if bounds.rank == 1 else [*range(x.rank - 1), x.rank]
    after = b.compare("GT" if right else "GE", b.broadcast_in_dim(b.convert(bounds, element), shape, dims),
                      b.broadcast_in_dim(b.convert(x, element), shape, range(x.rank)))
    return b.reduce(b.convert(b.unary("not", after), b.out.element), [x.rank], "add")


@lower("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def _(b, bounds, x, *, out_int32=False, right=False, side=None, sorter=None):
    if sorter is not None and 0 not in sorter.shape:
        bounds = index(b, bounds, [*(b.iota(sorter.shape, d, sorter.element) for d in range(sorter.rank - 1)), sorter])
    return _places_among(b, bounds, x, right or side == "right")


@lower("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def _(b, x, bounds, *, out_int32=False, right=False):
    return _places_among(b, bounds, x, right)


@lower("aten.diagonal_scatter.default")
def _(b, x, source, offset=0, dim1=0, dim2=1):
    dim1, dim2 = dim1 % x.rank, dim2 % x.rank
    rest = [d for d in range(x.rank) if d not in (dim1, dim2)]
    order = [*rest, dim1, dim2]
    rows, last = b.transpose(x, order), x.rank - 1
    low, count = max(0, -offset), source.shape[-1]
    # Each row of the diagonal is that value in all columns; the others are not read.
    wide = b.broadcast_in_dim(source, (*rows.shape[:-2], count, rows.shape[-1]), range(last))
    around = [0] * x.rank
    above, below = list(around), list(around)
    above[last - 1], below[last - 1] = low, rows.shape[-2] - low - count
    wide = b.pad(wide, b.constant(0, (), x.element), above, below)
    at = b.iota(rows.shape, last - 1, "i32")
    hit = b.compare("EQ", b.add(at, b.like(offset, at)), b.iota(rows.shape, last, "i32"))
    return b.transpose(b.select(hit, wide, rows), [order.index(d) for d in range(x.rank)])


_MODES = ("sum", "mean", "max")


@lower("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default")
def _(b, weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False,
      padding_idx=-1):
    """The bag of an index is the number of offsets at or before it, less one. The other results serve torch's backward pass."""
    if scale_grad_by_freq or any(i in b.used for i in (1, 2, 3)):
        raise NotImplementedError("scale_grad_by_freq=True, or the offsets of bags")
    bags, count = b.out[0].shape[0], indices.shape[0]
    grid = (count, offsets.shape[0])
    began = b.compare("LE", b.broadcast_in_dim(offsets, grid, [1]), b.iota(grid, 0, offsets.element))
    bag = b.reduce(b.convert(began, "i32"), [1], "add")
    bag = b.subtract(bag, b.like(1, bag))
    rows = take(b, weight, indices, 0)
    if per_sample_weights is not None:
        rows = b.multiply(rows, b.broadcast_in_dim(per_sample_weights, rows.shape, [0]))
    kept = b.compare("NE", indices, b.like(padding_idx, indices))
    at = b.reshape(bag, (count, 1))
    if _MODES[mode] == "max":
        kept_rows = b.broadcast_in_dim(kept, rows.shape, [0])
        return _largest_of_bags(b, rows, kept_rows, bag, at, (bags, weight.shape[1])), None, None, None
    hits = b.scatter(b.constant(0, (bags,), weight.element), at, b.convert(kept, weight.element), "add", window=[], inserted=[0], index_map=[0])
    rows = b.select(b.broadcast_in_dim(kept, rows.shape, [0]), rows, b.like(0, rows))
    found = b.scatter(b.constant(0, (bags, weight.shape[1]), rows.element), at, rows, "add", window=[1], inserted=[0], index_map=[0])
    if _MODES[mode] == "mean":
        found = b.divide(found, b.broadcast_in_dim(b.maximum(hits, b.like(1, hits)), found.shape, [0]))
    return found, None, None, None


def _largest_of_bags(b, rows, kept, bag, at, shape):
    """Returns the largest element of each bag by column, 0 for an empty bag. The first of equal ones has the derivative, as in torch."""
    def gathered(x, kind):
        return b.scatter(b.constant(b.start_of(kind, x.element), shape, x.element), at, x, kind, window=[1], inserted=[0], index_map=[0])
    fixed = b.stop_gradient(rows)
    fixed = b.select(kept, fixed, b.constant(-math.inf, rows.shape, rows.element))
    hit = b.binary("and", kept, b.compare("EQ", fixed, take(b, gathered(fixed, "maximum"), bag, 0)))
    place = b.iota(rows.shape, 0, "i32")
    first = take(b, gathered(b.select(hit, place, b.like(rows.shape[0], place)), "minimum"), bag, 0)
    return gathered(b.select(b.compare("EQ", place, first), rows, b.like(0, rows)), "add")

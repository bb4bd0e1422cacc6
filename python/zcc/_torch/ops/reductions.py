# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overloads that reduce dims, or sum along one."""
import math

from ..text import is_float
from . import dims_of, lower
from .elementwise import absolute
from .indexing import gather, take
from .sorting import sort


def total(b, x, dims, keep=False):
    return b.reduce(x, dims_of(dims, x.rank), "add", keep)


@lower("aten.sum.default", "aten.sum.dim_IntList")
def _(b, x, dim=None, keepdim=False, dtype=None):
    return b.convert(total(b, b.wide(b.convert(x, b.out.element)), dim, keepdim), b.out.element)


def mean(b, x, dims=None, keep=False):
    """Returns the mean in the type of x, which is of floating point."""
    dims = dims_of(dims, x.rank)
    found = b.reduce(x, dims, "add", keep)
    return b.divide(found, b.like(math.prod(x.shape[d] for d in dims), found))


@lower("aten.mean.default", "aten.mean.dim")
def _(b, x, dim=None, keepdim=False, dtype=None):
    return b.convert(mean(b, b.wide(b.convert(x, b.out.element)), dim, keepdim), b.out.element)


@lower("aten.prod.default", "aten.prod.dim_int")
def _(b, x, dim=None, keepdim=False, dtype=None):
    return b.reduce(b.convert(x, b.out.element), dims_of(dim, x.rank), "multiply", keepdim)


for _name, _kind in {"amax": "maximum", "amin": "minimum"}.items():
    def _extreme(kind):
        return lambda b, x, dim=None, keepdim=False: b.reduce(x, dims_of(dim, x.rank), kind, keepdim)
    lower(f"aten.{_name}.default")(_extreme(_kind))

for _name, _kind in {"any": "or", "all": "and"}.items():
    def _logic(kind):
        return lambda b, x, dim=None, keepdim=False: b.convert(b.reduce(b.convert(x, "i1"), dims_of(dim, x.rank), kind, keepdim), b.out.element)
    lower(f"aten.{_name}.default", f"aten.{_name}.dim", f"aten.{_name}.dims")(_logic(_kind))


def first_of(b, x, dim, kind):
    """Returns the index of the first largest or smallest element along a dim, which is kept; a NaN is the extreme of all."""
    found = b.broadcast(b.reduce(x, [dim], kind, keep=True), x.shape)
    hit = b.compare("EQ", x, found)
    if is_float(x.element):
        hit = b.binary("or", hit, b.compare("NE", x, x))
    at = b.iota(x.shape, dim, "i64")
    return b.reduce(b.select(hit, at, b.like(x.shape[dim], at)), [dim], "minimum", keep=True)


def take_one(b, x, index, dim):
    """Returns x at an index along a dim, which both have with extent 1 in the index."""
    hit = b.compare("EQ", b.iota(x.shape, dim, "i64"), b.broadcast(index, x.shape))
    if x.element == "i1":
        return b.reduce(b.binary("and", hit, x), [dim], "or", keep=True)
    # A product with 0 or 1 would make NaN of infinity.
    return b.reduce(b.select(hit, x, b.like(0, x)), [dim], "add", keep=True)


def _with_index(kind):
    def run(b, x, dim, keepdim=False):
        if not x.rank:
            return x, b.constant(0, (), "i64")
        dim %= x.rank
        index = first_of(b, x, dim, kind)
        found = take_one(b, x, index, dim)  # so that one element has the derivative, as in torch
        shape = b.out[0].shape
        return b.reshape(found, shape), b.reshape(index, shape)
    return run


for _name, _kind in {"max": "maximum", "min": "minimum"}.items():
    lower(f"aten.{_name}.dim")(_with_index(_kind))
    lower(f"aten.{_name}.default")(_extreme(_kind))
    lower(f"aten.{_name}.other")(lambda b, x, y, kind=_kind: b.binary(kind, *b.operands(x, y, element=b.out.element)))


def _arg(kind):
    def run(b, x, dim=None, keepdim=False):
        if dim is None:
            x, dim = b.reshape(x, [math.prod(x.shape)]), 0
        if not x.rank:
            return b.constant(0, b.out.shape, "i64")
        return b.reshape(first_of(b, x, dim % x.rank, kind), b.out.shape)
    return run


lower("aten.argmax.default")(_arg("maximum"))
lower("aten.argmin.default")(_arg("minimum"))


def variance(b, x, dims, keep, correction):
    """Returns variance and mean, the mean with its dims kept."""
    count = math.prod(x.shape[d] for d in dims)
    middle = mean(b, x, dims, keep=True)
    away = b.subtract(x, b.broadcast(middle, x.shape))
    found = b.reduce(b.multiply(away, away), dims, "add", keep)
    rest = count - correction
    return b.divide(found, b.like(rest if rest > 0 else 0, found)), middle


def _spread(is_root, with_mean):
    def run(b, x, *args, correction=1, keepdim=False, dim=None, unbiased=None):
        args = list(args)
        if args and not isinstance(args[0], bool):
            dim = args.pop(0)
        if args:
            unbiased = args.pop(0)
        if args:
            keepdim = args.pop(0)
        if unbiased is not None:
            correction = 1 if unbiased else 0
        correction = 1 if correction is None else correction
        dims, wide = dims_of(dim, x.rank), b.wide(x)
        found, middle = variance(b, wide, dims, keepdim, correction)
        found = b.convert(root(b, found) if is_root else found, x.element)
        return (found, b.convert(b.reshape(middle, found.shape), x.element)) if with_mean else found
    return run


for _name, _root, _mean in (("var", False, False), ("std", True, False), ("var_mean", False, True), ("std_mean", True, True)):
    lower(f"aten.{_name}.correction", f"aten.{_name}.default", f"aten.{_name}.dim")(_spread(_root, _mean))


def softmax(b, x, dim, logarithm=False):
    """Returns the softmax along a dim, or its logarithm, in the type of x."""
    if not x.rank:
        return b.like(0 if logarithm else 1, x)
    dim %= x.rank
    high = b.broadcast(b.reduce(x, [dim], "maximum", keep=True), x.shape)
    low = b.subtract(x, high)
    powers = b.unary("exponential", low)
    sums = b.reduce(powers, [dim], "add", keep=True)
    if logarithm:
        return b.subtract(low, b.broadcast(b.unary("log", sums), x.shape))
    return b.divide(powers, b.broadcast(sums, x.shape))


def _softmax(logarithm):
    def run(b, x, dim, *_, **__):
        return b.convert(softmax(b, b.wide(b.convert(x, b.out.element)), dim, logarithm), b.out.element)
    return run


lower("aten._softmax.default", "aten.softmax.int")(_softmax(False))
lower("aten._log_softmax.default", "aten.log_softmax.int")(_softmax(True))


def safe_softmax(b, x, dim):
    """Returns the softmax along a dim, with 0, and no derivative, where a whole row is -inf."""
    low = b.compare("EQ", x, b.like(-math.inf, x))
    empty = b.broadcast(b.reduce(low, [dim % x.rank], "and", keep=True), x.shape)
    found = softmax(b, b.select(empty, b.like(0, x), x), dim)
    return b.select(empty, b.like(0, found), found)


@lower("aten._safe_softmax.default")
def _(b, x, dim, dtype=None):
    return b.convert(safe_softmax(b, b.wide(b.convert(x, b.out.element)), dim), b.out.element)


@lower("aten.logsumexp.default")
def _(b, x, dim, keepdim=False):
    x = b.as_float(x)
    dims = dims_of(dim, x.rank)
    high = b.reduce(x, dims, "maximum", keep=True)
    finite = b.op("stablehlo.is_finite", [high], high.shape, "i1")
    high = b.stop_gradient(b.select(finite, high, b.like(0, high)))
    found = b.unary("log", b.reduce(b.unary("exponential", b.subtract(x, b.broadcast(high, x.shape))), dims, "add", keep=True))
    return b.reshape(b.add(found, high), b.out.shape)


def cumulative(b, x, dim, kind):
    """Returns the reductions of the first elements along a dim: of a window over all elements up to each one."""
    if math.prod(x.shape) == 0 or x.shape[dim] == 1:
        return x
    window, padding = [1] * x.rank, [(0, 0)] * x.rank
    window[dim], padding[dim] = x.shape[dim], (x.shape[dim] - 1, 0)
    return b.reduce_window(x, kind, window, [1] * x.rank, padding)


@lower("aten.cumsum.default")
def _(b, x, dim, dtype=None):
    x = b.convert(x, b.out.element)
    return b.convert(cumulative(b, b.wide(x), dim % x.rank, "add"), x.element) if x.rank else x


@lower("aten.cumprod.default")
def _(b, x, dim, dtype=None):
    x = b.convert(x, b.out.element)
    return cumulative(b, x, dim % x.rank, "multiply") if x.rank else x


def _cumulative_extreme(kind, direction):
    def run(b, x, dim):
        if not x.rank:
            return x, b.constant(0, (), "i64")
        dim %= x.rank
        best = cumulative(b, x, dim, kind)
        at = b.iota(x.shape, dim, "i64")
        hit = b.compare(direction, x, best)  # of equal elements, torch has the last
        if is_float(x.element):
            hit = b.binary("or", hit, b.compare("NE", x, x))
        index = cumulative(b, b.select(hit, at, b.like(0, at)), dim, "maximum")
        return gather(b, x, dim, index), index
    return run


lower("aten.cummax.default")(_cumulative_extreme("maximum", "GE"))
lower("aten.cummin.default")(_cumulative_extreme("minimum", "LE"))


def root(b, x, order=2):
    """Returns x ^ (1 / order), whose derivative at 0 is 0, as it is of torch's norms and deviations."""
    zero = b.compare("EQ", x, b.like(0, x))
    safe = b.select(zero, b.like(1, x), x)
    found = b.unary("sqrt", safe) if order == 2 else b.binary("power", safe, b.like(1 / order, safe))
    return b.select(zero, b.like(0, x), found)


def vector_norm(b, x, order, dims, keep=False):
    """Returns the norm over dims in the type of x. The derivative of a norm of 0 is 0."""
    if order == 0:
        return b.reduce(b.convert(b.compare("NE", x, b.like(0, x)), x.element), dims, "add", keep)
    if order == 2:
        return root(b, b.reduce(b.multiply(x, x), dims, "add", keep))
    size = absolute(b, x)
    if order == 1:
        return b.reduce(size, dims, "add", keep)
    if math.isinf(order):
        return b.reduce(size, dims, "maximum" if order > 0 else "minimum", keep)
    if order < 0:
        found = b.reduce(b.binary("power", size, b.like(order, size)), dims, "add", keep)
        return b.binary("power", found, b.like(1 / order, found))
    zero = b.compare("EQ", size, b.like(0, size))
    powers = b.binary("power", b.select(zero, b.like(1, size), size), b.like(order, size))
    return root(b, b.reduce(b.select(zero, b.like(0, size), powers), dims, "add", keep), order)


@lower("aten.linalg_vector_norm.default")
def norm(b, x, order=2, dim=None, keepdim=False, dtype=None):
    x = b.wide(b.convert(x, b.out.element))
    return b.convert(vector_norm(b, x, order, dims_of(dim, x.rank), keepdim), b.out.element)


@lower("aten.norm.Scalar", "aten.norm.ScalarOpt_dim")
def _(b, x, order=2, dim=None, keepdim=False):
    return norm(b, x, 2 if order is None else order, dim, keepdim)


@lower("aten.count_nonzero.default", "aten.count_nonzero.dim_IntList")
def _(b, x, dim=None):
    return total(b, b.convert(b.convert(x, "i1"), "i64"), dim)


def distance(b, x, y, order):
    """Returns the norm along the last dim of x - y. At distance 0 the derivative is 0."""
    away = b.subtract(*b.operands(x, y))
    return vector_norm(b, away, order, [away.rank - 1])


@lower("aten._cdist_forward.default")
def _(b, x, y, order, compute_mode=None):
    rows, columns = b.reshape(x, (*x.shape[:-1], 1, x.shape[-1])), b.reshape(y, (*y.shape[:-2], 1, *y.shape[-2:]))
    return distance(b, rows, columns, order)


@lower("aten._pdist_forward.default")
def _(b, x, order=2):
    import numpy as np

    first, second = (b.array(at.astype(np.int64), "i64") for at in np.triu_indices(x.shape[0], 1))
    return distance(b, take(b, x, first, 0), take(b, x, second, 0), order)


def _kth(b, x, k, dim, keepdim):
    """Returns the element at place k of x sorted along a dim, and its index."""
    shape = b.out[0].shape
    if not x.rank:
        return x, b.constant(0, (), "i64")
    _, order = sort(b, x, dim, False)
    index = b.slice_dim(order, dim, k, k + 1)
    return b.reshape(take_one(b, x, index, dim), shape), b.reshape(index, shape)


@lower("aten.kthvalue.default")
def _(b, x, k, dim=-1, keepdim=False):
    return _kth(b, x, k - 1, dim % max(x.rank, 1), keepdim)


def nan_first(b, x, dim, index):
    """Returns the index of the first NaN along a dim, else `index`, both with extent 1."""
    at = b.iota(x.shape, dim, "i64")
    first = b.reduce(b.select(b.compare("NE", x, x), at, b.like(x.shape[dim], at)), [dim], "minimum", keep=True)
    return b.select(b.compare("LT", first, b.like(x.shape[dim], first)), first, index)


def _median(ignores_nan):
    def along(b, x, dim):
        _, order = sort(b, x, dim, False)
        if ignores_nan and is_float(x.element):  # NaNs are last: the place follows from how many there are
            count = b.reduce(b.convert(b.compare("EQ", x, x), "i64"), [dim], "add", keep=True)
            place = b.binary("divide", b.maximum(b.subtract(count, b.like(1, count)), b.like(0, count)), b.like(2, count))
            return take_one(b, order, place, dim)
        index = b.slice_dim(order, dim, (x.shape[dim] - 1) // 2, (x.shape[dim] - 1) // 2 + 1)
        return nan_first(b, x, dim, index) if is_float(x.element) else index

    def run(b, x, dim=None, keepdim=False):
        if dim is None:
            flat = b.reshape(x, (math.prod(x.shape),))
            return b.reshape(take_one(b, flat, along(b, flat, 0), 0), ())
        if not x.rank:
            return x, b.constant(0, (), "i64")
        dim %= x.rank
        index = along(b, x, dim)
        return b.reshape(take_one(b, x, index, dim), b.out[0].shape), b.reshape(index, b.out[1].shape)
    return run


lower("aten.median.default", "aten.median.dim")(_median(False))
lower("aten.nanmedian.default", "aten.nanmedian.dim")(_median(True))


@lower("aten.dist.default")
def _(b, x, y, order=2):
    away = b.subtract(*b.operands(x, y))
    return vector_norm(b, away, order, list(range(away.rank)))


def _log_of_sum(b, x, y):
    """Returns log(exp(x) + exp(y))."""
    high = b.stop_gradient(b.maximum(x, y))
    high = b.select(b.op("stablehlo.is_finite", [high], high.shape, "i1"), high, b.like(0, high))
    return b.add(b.unary("log", b.add(*(b.unary("exponential", b.subtract(v, high)) for v in (x, y)))), high)


@lower("aten.logcumsumexp.default")
def _(b, x, dim):
    """Each step doubles how many elements a sum has, so that each sum is relative to its own largest element."""
    if not x.rank:
        return x
    element, x = x.element, b.wide(x)
    dim %= x.rank
    extent, shift = x.shape[dim], 1
    while shift < extent:
        first = b.slice_dim(x, dim, 0, shift)
        x = b.concatenate([first, _log_of_sum(b, b.slice_dim(x, dim, shift, extent), b.slice_dim(x, dim, 0, extent - shift))], dim)
        shift *= 2
    return b.convert(x, element)

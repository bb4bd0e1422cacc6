# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overloads that reduce dims, or sum along one."""
import math

from ..text import is_float
from . import dims_of, lower


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
    def run(b, x, dim=None, keepdim=False):
        if not x.rank:
            return x, b.constant(0, (), "i64")
        if dim is None:
            return b.reduce(x, list(range(x.rank)), kind)
        dim %= x.rank
        index = first_of(b, x, dim, kind)
        found = take_one(b, x, index, dim)  # so that one element has the derivative, as in torch
        shape = b.out[0].shape
        return b.reshape(found, shape), b.reshape(index, shape)
    return run


for _name, _kind in {"max": "maximum", "min": "minimum"}.items():
    lower(f"aten.{_name}.default", f"aten.{_name}.dim")(_with_index(_kind))
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


def _spread(root, with_mean):
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
        found = b.convert(b.unary("sqrt", found) if root else found, x.element)
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


lower("aten._softmax.default", "aten.softmax.int", "aten._safe_softmax.default")(_softmax(False))
lower("aten._log_softmax.default", "aten.log_softmax.int")(_softmax(True))


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
    """Returns the reductions of the first elements along a dim, by steps of powers of 2."""
    extent, step = x.shape[dim], 1
    start = b.constant(b.start_of(kind, x.element), (), x.element)
    while step < extent:
        low, high = [0] * x.rank, [0] * x.rank
        low[dim], high[dim] = step, -step
        x = b.binary(kind, x, b.pad(x, start, low, high))
        step *= 2
    return x


@lower("aten.cumsum.default")
def _(b, x, dim, dtype=None):
    x = b.convert(x, b.out.element)
    return b.convert(cumulative(b, b.wide(x), dim % x.rank, "add"), x.element) if x.rank else x


@lower("aten.cumprod.default")
def _(b, x, dim, dtype=None):
    x = b.convert(x, b.out.element)
    return cumulative(b, x, dim % x.rank, "multiply") if x.rank else x


@lower("aten.linalg_vector_norm.default")
def norm(b, x, order=2, dim=None, keepdim=False, dtype=None):
    x = b.wide(b.convert(x, b.out.element))
    dims = dims_of(dim, x.rank)
    size = b.unary("abs", x)
    if order == 2:
        found = b.unary("sqrt", b.reduce(b.multiply(x, x), dims, "add", keepdim))
    elif order == 1:
        found = b.reduce(size, dims, "add", keepdim)
    elif order == 0:
        found = b.reduce(b.convert(b.compare("NE", x, b.like(0, x)), x.element), dims, "add", keepdim)
    elif math.isinf(order):
        found = b.reduce(size, dims, "maximum" if order > 0 else "minimum", keepdim)
    else:
        found = b.reduce(b.binary("power", size, b.like(order, size)), dims, "add", keepdim)
        found = b.binary("power", found, b.like(1 / order, found))
    return b.convert(found, b.out.element)


@lower("aten.norm.Scalar", "aten.norm.ScalarOpt_dim")
def _(b, x, order=2, dim=None, keepdim=False):
    return norm(b, x, 2 if order is None else order, dim, keepdim)


@lower("aten.count_nonzero.default", "aten.count_nonzero.dim_IntList")
def _(b, x, dim=None):
    return total(b, b.convert(b.convert(x, "i1"), "i64"), dim)



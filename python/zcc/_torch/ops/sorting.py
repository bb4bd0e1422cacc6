# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts, and the largest elements."""
from ..text import is_float
from . import lower


def sort(b, x, dim, descending):
    """Returns x sorted along a dim, and the indices; equal elements keep their order."""
    at = b.iota(x.shape, dim, "i64")

    def body(left, right, *_):
        return [b.compare("GT" if descending else "LT", left, right)]
    region = b.region([((), x.element)] * 2 + [((), "i64")] * 2, body)
    return b.ops("stablehlo.sort", [x, at], [(x.shape, x.element), (x.shape, "i64")],
                 {"dimension": f"{dim} : i64", "is_stable": "true"}, [region])


@lower("aten.sort.default", "aten.sort.stable")
def _(b, x, dim=-1, descending=False, stable=None):
    if not x.rank:
        return x, b.constant(0, (), "i64")
    if isinstance(dim, bool):  # sort(x, stable, dim, descending)
        dim, descending = -1, dim
    return tuple(sort(b, x, dim % x.rank, descending))


@lower("aten.argsort.default", "aten.argsort.stable")
def _(b, x, dim=-1, descending=False, stable=None):
    return sort(b, x, dim % x.rank, descending)[1] if x.rank else b.constant(0, (), "i64")


@lower("aten.topk.default")
def _(b, x, k, dim=-1, largest=True, sorted=True):
    if not x.rank:
        return x, b.constant(0, (), "i64")
    dim %= x.rank
    order = [d for d in range(x.rank) if d != dim] + [dim]
    back = [order.index(d) for d in range(x.rank)]
    rows = b.transpose(x, order)
    shape = (*rows.shape[:-1], k)
    if largest and is_float(x.element):
        found, at = b.ops("chlo.top_k", [rows], [(shape, x.element), (shape, "i32")], {"k": f"{k} : i64"})
        at = b.convert(at, "i64")
    else:
        found, at = sort(b, rows, x.rank - 1, largest)
        found, at = b.slice_dim(found, x.rank - 1, 0, k), b.slice_dim(at, x.rank - 1, 0, k)
    return b.transpose(found, back), b.transpose(at, back)

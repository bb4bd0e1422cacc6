# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of ATen overloads: how each is written in StableHLO.

A lowering is a function of the Lowering (`b`), which is a Builder, and of the overload's own arguments, in which tensors are
Values. It returns a Value, a tuple of them for an overload of several results, or None for one without results.
`b.out` has the shape and type that torch gives the result: a Spec, or a tuple of them. The result of a lowering is compared
with it.

    @lower("aten.mish.default")
    def _(b, x):
        return b.multiply(x, b.unary("tanh", b.softplus(x)))

Names are those of torch: `str(torch.ops.aten.add.Tensor)` is "aten.add.Tensor".
"""
TABLE = {}


def lower(*names):
    """Registers a lowering under the names of overloads."""
    def add(function):
        for name in names:
            assert name not in TABLE, f"{name} has two lowerings"
            TABLE[name] = function
        return function
    return add


def dims_of(dims, rank):
    """Returns dims as torch gives them (None, a number or a list; negative ones count from the end) as sorted numbers."""
    if dims is None or dims == [] or dims == ():
        return list(range(rank))
    return sorted({d % max(rank, 1) for d in ([dims] if isinstance(dims, int) else dims)}) if rank else []


def load():
    """Imports all lowerings; returns the table."""
    from . import (attention, complex_numbers, elementwise, functions, indexing, linear_algebra, loops, losses, movement,  # noqa: F401
                   normalization, pooling, products, random, reductions, sorting)

    return TABLE

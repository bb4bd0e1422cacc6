# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers questions of a selection's size, and calls functions that are given one."""
import math
import os
import sys

import torch
import torch._functorch.vmap

from ..._errors import Error
from .. import emptiness
from . import functions
from .indices import leaves, mapped
from .known import refusal

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def ask(known, call):
    """Returns the shape of a selection, or a size, with a symbol for the number of what is selected."""
    note, shape = call.note, call.args[0].shape
    if emptiness.answer(lambda t: t.dtype == torch.bool or known.note(t) is not None) is not None:
        return call.function(*call.args)  # all rows are more than none
    if call.name == "__len__":
        raise Error("the forward pass asks for the number of elements that a mask of data selects, by len(): it is known only when the step runs; mask.sum() is a "
                    "tensor")
    if _is_asked_by(torch._functorch.vmap.__file__):
        raise refusal("torch.func.vmap", "which would map over them")
    if call.name in ("numel", "nelement"):
        others = math.prod(shape) // note.selection.rows
        return note.selection.size * others if others != 1 else note.selection.size
    shape = torch.Size([note.selection.size if d == note.dim else n for d, n in enumerate(shape)])
    return shape if len(call.args) < 2 or call.name != "size" else shape[call.args[1]]


def given_size(known, function, name, args, kwargs, sizes):
    """Calls a function that is given `sizes`, multiples of the size of a selection, and no selection."""
    selection, by = known.multiple_of(sizes[0])
    if name in functions.FACTORIES:
        found = function(*mapped(known.rows_of, args), **mapped(known.rows_of, kwargs))
        shape = [v for v in leaves(args[1:] if name.startswith("new_") else args) if isinstance(v, (int, torch.SymInt))]
        dim = next((i for i, v in enumerate(shape) if isinstance(v, torch.SymInt)), None)
        if len(sizes) == 1 and dim is not None and dim < found.ndim and found.shape[dim] == selection.rows * by:
            return known.keep(found, selection if by == 1 else known.repeated(selection, by), dim)
    elif name == "arange" and len(args) == 1 and by == 1:
        return known.keep((selection.mask.long().cumsum(0) - 1).clamp(min=0).to(kwargs.get("dtype") or torch.int64), selection, 0)
    elif functions.is_elementwise(name):
        return function(*mapped(known.count_of, args), **mapped(known.count_of, kwargs))
    raise refusal(name, "which is given the number of selected elements")


def _is_asked_by(file):
    """Returns True if the innermost function outside of this package, and of what calls it, is in a file."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_HERE, torch.overrides.__file__)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename == file

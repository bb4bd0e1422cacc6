# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that move the dims of a selection or merge them: the rows that are selected stay together."""
import math

import torch

from . import functions
from .indices import leaves, mapped
from .known import refusal


def reshape(known, call):
    """Returns a selection in another shape."""
    if call.name == "__get__" or call.name in functions.TRANSPOSES:
        return _transposed(known, call)
    return _expanded(known, call) if call.name == "expand" else _merged(known, call)


def _transposed(known, call):
    x, note = call.x, call.note
    found = call.run()
    marked = torch.arange(x.ndim).view([x.ndim if d == note.dim else 1 for d in range(x.ndim)])  # its one dim that is no 1 goes where the selection's goes
    order = call.function(marked, *call.args[1:], **call.kwargs)
    dim = next((d for d, n in enumerate(order.shape) if n == x.ndim and x.ndim > 1), 0)
    return known.keep(found, note.selection, dim, note.coordinate)


def _expanded(known, call):
    x, note, sizes = call.x, call.note, leaves(call.args[1:])
    found = call.function(x, *mapped(known.rows_of, call.args[1:]), **call.kwargs)
    own = sizes[note.dim + len(sizes) - x.ndim]
    if isinstance(own, int) and own != -1:
        raise refusal(call.name, "to a size that is a number")
    return known.keep(found, note.selection, note.dim + found.ndim - x.ndim)


def _merged(known, call):
    x, note = call.x, call.note
    wanted = [v for v in leaves((call.args[1:], call.kwargs)) if isinstance(v, (int, torch.SymInt))]
    found = call.function(*mapped(known.rows_of, call.args), **mapped(known.rows_of, call.kwargs))
    before, rows, after = math.prod(x.shape[:note.dim]), note.selection.rows, math.prod(x.shape[note.dim + 1:])
    done = 1
    for dim, extent in enumerate(found.shape):
        if done == before and extent and extent % rows == 0 and rows * after % extent == 0:
            # A size that is given as a number would say how many are selected.
            if call.name in ("view", "reshape") and not (dim < len(wanted) and (isinstance(wanted[dim], torch.SymInt) or wanted[dim] == -1)):
                break
            if extent == rows:
                return known.keep(found, note.selection, dim, note.coordinate if found.numel() == rows else None)
            return known.keep(found, known.repeated(note.selection, extent // rows), dim)
        done *= extent
    raise refusal(call.name, f"which gives {list(x.shape)} the shape {list(found.shape)}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that select by a mask of data: x[mask], masked_select, nonzero and where."""
import torch

from .indices import WHOLE, dims_of, is_mask, results_before, spelled
from .known import Coordinate


def select(known, name, args, kwargs, is_known):
    """Returns a selection that a function makes, or NotImplemented. is_known: tells of a mask whether it is constant, and so no mask of data."""
    if name == "masked_select":
        x, mask = args[0], kwargs.get("mask", args[1] if len(args) > 1 else None)
        if is_known(mask):
            return NotImplemented
        shape = torch.broadcast_shapes(x.shape, mask.shape)
        return _pick(known, x.expand(shape), (known.in_shape(mask, shape),))
    if name == "__getitem__":
        index = args[1] if isinstance(args[1], tuple) else (args[1],)
        masks = [part for part in index if is_mask(part) and not is_known(part)]
        return _pick(known, args[0], index) if len(masks) == 1 else NotImplemented
    if name in ("nonzero", "argwhere") or name == "where" and len(args) + len(kwargs) == 1:
        mask = args[0] if args else next(iter(kwargs.values()))
        if is_known(mask) or not mask.ndim:
            return NotImplemented
        mask = mask if mask.dtype == torch.bool else mask != 0
        places = _places(known, known.of_mask(mask), tuple(mask.shape))
        if name == "where" or kwargs.get("as_tuple"):
            return places
        note = known.note(places[0])
        return known.keep(torch.stack(places, 1), note.selection, 0, note.coordinate if len(places) == 1 else None)
    return NotImplemented


def _places(known, selection, shape):
    """Returns the places that torch.nonzero(mask, as_tuple=True) finds in a mask of a shape: those of all elements."""
    found = []
    for d, extent in enumerate(shape):
        at = torch.arange(extent, device=selection.mask.device).view([extent if e == d else 1 for e in range(len(shape))])
        found.append(known.keep(at.expand(shape).reshape(-1), selection, 0, Coordinate(d, shape)))
    return tuple(found)


def _pick(known, x, index):
    """Returns x[index], in which one mask is data. Other entries are slices, numbers or None."""
    index = spelled(index, x.ndim)
    at = next(i for i, part in enumerate(index) if is_mask(part))
    mask = index[at]
    if any(isinstance(part, torch.Tensor) and part.ndim for i, part in enumerate(index) if i != at):
        return NotImplemented  # a mask beside other indices: the lowering says more
    first = sum(dims_of(part) for part in index[:at])
    if tuple(x.shape[first:first + mask.ndim]) != tuple(mask.shape):
        raise IndexError(f"The shape of the mask {list(mask.shape)} does not match the shape of the indexed tensor {list(x.shape)}")
    selection = known.of_mask(mask)
    x = x.flatten(first, first + mask.ndim - 1) if mask.ndim > 1 else x
    return known.picked(x[(*index[:at], WHOLE, *index[at + 1:])], selection, results_before(index, at))

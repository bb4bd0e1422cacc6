# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads at places: x[places] where places are a selection, and x[...] of a selection x."""
import torch

from .indices import WHOLE, dims_of, is_whole, results_before, spelled
from .known import refusal


def read(known, call):
    """Returns what a function reads: at places that are a selection, or of a selection."""
    x, name = call.x, call.name
    if name == "__getitem__":
        index = call.args[1] if isinstance(call.args[1], tuple) else (call.args[1],)
        return _at_places(known, x, index) if call.note is None else _of_selection(known, x, index, call.note)
    if name == "index_select":
        dim, at = (*call.args[1:], *call.kwargs.values())[:2]
        return _at_places(known, x, (*[WHOLE] * (dim % x.ndim), at))
    raise refusal(name, "of a tensor that is not selected")


def _at_places(known, x, index):
    """Returns x[index], in which places are those of a selection."""
    index = spelled(index, x.ndim)
    numbers = [i for i, part in enumerate(index) if isinstance(part, torch.Tensor) and part.ndim]
    notes = [known.note(index[i]) for i in numbers]
    if None in notes or len({id(n.selection) for n in notes}) > 1 or any(index[i].dtype == torch.bool for i in numbers):
        raise refusal("an index", "of which another part is not selected by the same mask")
    selection = notes[0].selection
    together = numbers == list(range(numbers[0], numbers[-1] + 1)) and not any(isinstance(p, int) and not isinstance(p, bool) for p in index)
    rank = max(index[i].ndim for i in numbers)
    dims = {n.dim + rank - index[i].ndim for n, i in zip(notes, numbers)}
    if len(dims) > 1:
        raise refusal("an index", "whose parts have the selected elements in different dims")
    found = _at_own_places(x, index, numbers, notes) if together and all(index[i].ndim == 1 for i in numbers) else None
    place = results_before(index, numbers[0]) if together or len(numbers) == 1 else 0
    return known.picked(x[tuple(index)] if found is None else found, selection, place + dims.pop())


def _at_own_places(x, index, numbers, notes):
    """Returns x[index] without a gather if the places are those of the mask's own dims in their order, else None."""
    selection, coordinates = notes[0].selection, [n.coordinate for n in notes]
    if None in coordinates or len({c.shape for c in coordinates}) > 1:
        return None
    order, shape = [c.dim for c in coordinates], coordinates[0].shape
    if order != sorted(set(order)):
        return None
    first = sum(dims_of(part) for part in index[:numbers[0]])
    last = first + len(notes)
    if tuple(x.shape[first:last]) != tuple(shape[d] for d in order):
        return None
    lead, rest = x.shape[:first], x.shape[last:]
    inner = [n if d in order else 1 for d, n in enumerate(shape)]
    found = x.reshape(*lead, *inner, *rest).expand(*lead, *shape, *rest).reshape(*lead, selection.rows, *rest)
    return found[(*index[:numbers[0]], WHOLE, *index[numbers[-1] + 1:])]


def _of_selection(known, x, index, note):
    """Returns x[index] of a selection: a part of its other dims, or what another mask, which is computed of it, selects of it."""
    index = spelled(index, x.ndim)
    at, place, chosen = _part_of_rows(known, x, index, note)
    others = [p for i, p in enumerate(index) if i != at and isinstance(p, torch.Tensor)]
    if any(known.note(p) is not None or p.ndim for p in others):
        if chosen is None and len(others) == 1 and index.index(others[0]) > at and known.note(others[0]) is None and others[0].dtype != torch.bool:
            return known.keep(x[tuple(index)], note.selection, place)
        raise refusal("an index", "beside another index")
    if chosen is None:
        found = x[tuple(index)]
        return known.keep(found, note.selection, place, note.coordinate if found.numel() == x.numel() else None)
    return known.picked(x[(*index[:at], WHOLE, *index[at + 1:])], known.within(note.selection, chosen), place)


def _part_of_rows(known, x, index, note):
    """Returns the number of the part of an index that is for the dim of a selection, the dim of the result that it gives, and the mask that it is, or None."""
    dim = 0
    for i, part in enumerate(index):
        if dim == note.dim and part is not None:
            own = known.note(part)
            chosen = part if own is not None and part.dtype == torch.bool and part.ndim == 1 and own.selection is note.selection else None
            if chosen is None and not is_whole(part):
                raise refusal("an index", "which reads them by their numbers")
            return i, results_before(index, i), chosen
        dim += dims_of(part)
    raise refusal("an index", "beside another index")

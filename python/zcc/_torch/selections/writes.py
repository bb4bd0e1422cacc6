# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes at places that are a selection, where its mask is True, and to a selection."""
import torch

from . import functions
from .indices import WHOLE, dims_of, is_whole, spelled
from .known import Coordinate, not_aligned, refusal


def write(known, call):
    """Writes as a function of torch would: x[index] = values, and functions of places along a dim."""
    x, name, function = call.x, call.name, call.function
    if name in functions.WRITES:
        new = _along(known, name, x, functions.bound(name, call.args, call.kwargs))
    else:
        found = dict(zip(("self", "indices", "values", "accumulate"), call.args)) | call.kwargs
        index = found["indices"]
        index = tuple(WHOLE if i is None else i for i in index) if name == "index_put" else index if isinstance(index, tuple) else (index,)
        if call.note is not None:
            return _to_selection(known, call, index, found["values"])
        new = _put(known, x, index, found["values"], found.get("accumulate", False))
    return _stored(function, x, new)


def _stored(function, x, new):
    """Returns what a function gives whose result is new: in place, x has it."""
    if function.__name__ == "__setitem__":
        x.copy_(new)
        return None
    return x.copy_(new) if function.__name__.endswith("_") else new


def _to_selection(known, call, index, values):
    """Writes to a part of the other dims of a selection, or where a mask, which is computed of it, is True."""
    x, note, mask = call.x, call.note, index[0]
    if len(index) == 1 and known.note(mask) is not None and mask.dtype == torch.bool:
        known.aligned("an index", [x, mask] if x.ndim == mask.ndim else [x])
        own = known.note(values)
        if own is None:
            return call.run()
        if known.made_within(mask) is not own.selection or note.dim or own.dim or mask.ndim != 1:
            raise refusal("a write", "where another mask is True")
        new = torch.where(mask.view(-1, *[1] * (x.ndim - 1)), values.to(x.dtype), x)
        found = _stored(call.function, x, new)
        return known.keep_as(new, note) if found is new else found
    dim = 0
    for part in spelled(index, x.ndim):
        if dim == note.dim and part is not None and not is_whole(part):
            raise refusal("an index", "which writes to them by their numbers")
        dim += dims_of(part)
    return call.run()


def _put(known, x, index, values, accumulate):
    """Returns x with values at places, or where a mask is True."""
    index = spelled(index, x.ndim)
    numbers = [i for i, part in enumerate(index) if isinstance(part, torch.Tensor) and part.ndim]
    selected = [i for i in numbers if known.note(index[i]) is not None]
    if not selected:  # values of a selection where its own mask is True
        return _put_where(known, x, index, values, accumulate)
    notes = [known.note(index[i]) for i in selected]
    selection, first = notes[0].selection, numbers[0]
    if selected != numbers or any(n.selection is not selection or index[i].ndim != 1 for n, i in zip(notes, selected)) \
            or numbers != list(range(first, numbers[-1] + 1)) or any(part is None for part in index):
        raise refusal("a write", "at places beside others that another mask selects, or that none does")
    if (own := known.note(values)) is not None and own.dim != first:
        raise refusal("a write", "in another dim")
    wide = _values(known, x, index, values, selection, first)
    if accumulate:
        kept = torch.where(selection.wide(wide.ndim, first), wide, torch.zeros((), dtype=x.dtype, device=x.device))
        return torch.ops.aten.index_put.default(x, _with_whole_dims(index), kept, True)
    d = sum(dims_of(p) for p in index[:first])
    own_places = [n.coordinate for n in notes] == [Coordinate(0, (x.shape[d],))]
    if own_places and not any(isinstance(p, int) for p in index):
        own = (*index[:first], WHOLE, *index[first + 1:])
        kept = torch.where(selection.wide(wide.ndim, first), wide, x[own])
        new = x.clone()
        new[own] = kept
        return new
    # Elements that are not selected are written to a row of their own, which is cut off.
    more, at = torch.cat([x, x.narrow(d, 0, 1)], d), list(index)
    at[first] = torch.where(selection.mask, at[first] % x.shape[d], torch.full_like(at[first], x.shape[d]))
    more[tuple(at)] = wide
    return more.narrow(d, 0, x.shape[d])


def _values(known, x, index, values, selection, first):
    """Returns values in the shape of x[index], whose dim `first` has the selection."""
    shape = x[tuple(index)].shape
    if not isinstance(values, torch.Tensor):
        return torch.as_tensor(values, dtype=x.dtype, device=x.device).expand(shape)
    own, after = known.note(values), len(shape) - first - 1
    if own is not None and own.selection is not selection:
        raise refusal("a write", "whose places another mask selects")
    if own is None and values.ndim > after and values.shape[values.ndim - after - 1] != 1:
        raise refusal("a write", "beside values that are not selected")
    return values.to(x.dtype).expand(shape)


def _with_whole_dims(index):
    """Returns an index as index_put takes it: None for a dim that is written as a whole."""
    if any(isinstance(p, (int, slice)) and p != WHOLE for p in index):
        raise refusal("a write", "which adds to a part of other dims")
    return [None if isinstance(p, slice) else p for p in index]


def _put_where(known, x, index, values, accumulate):
    """Returns x with values of a selection where its own mask is True."""
    own, mask = known.note(values), index[0]
    if own is None or own.dim or not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool or not all(map(is_whole, index[1:])):
        raise refusal("a write", "at places that no mask selects")
    if known.of_mask(mask) is not own.selection:
        raise refusal("a write", "where another mask is True")
    wide = values.to(x.dtype).reshape(*mask.shape, *values.shape[1:])
    where = mask.view(*mask.shape, *[1] * (x.ndim - mask.ndim))
    return torch.where(where, x + wide if accumulate else wide, x)


def _along(known, name, x, found):
    """Returns x with rows of a source written to places along a dim. found: the arguments by name."""
    dim, index = found["dim"] % x.ndim, found["index"]
    key = "source" if "source" in found else "src"
    source = found.get(key)
    at, own = known.note(index), known.note(source)
    if at is None or own is None or at.selection is not own.selection or own.dim != (dim if name.startswith("index") else at.dim):
        raise not_aligned(name)
    selection = own.selection
    if name == "scatter_add":
        return x.scatter_add(dim, index, known.zeroed(source, own))
    if name == "index_add":
        return _added(x, dim, index, known.zeroed(source.to(x.dtype), own), found.get("alpha", 1), at)
    more = torch.cat([x, x.narrow(dim, 0, 1)], dim)  # for elements that are not selected: one more row, which is cut off
    index = torch.where(selection.wide(index.ndim, at.dim), index, torch.full_like(index, x.shape[dim]))
    rest = {k: v for k, v in found.items() if k not in ("self", "dim", "index", key)}
    return getattr(torch.Tensor, name)(more, dim, index, source, **rest).narrow(dim, 0, x.shape[dim])


def _added(x, dim, index, source, alpha, at):
    """Returns x with rows of a source, zeros where they are not selected, added to places, whose Note is given."""
    source, own = source if alpha == 1 else source * alpha, at.coordinate
    if own is None or x.shape[dim] != own.shape[own.dim]:
        return x.index_add(dim, index, source)
    shape = own.shape
    wide = source.reshape(*source.shape[:dim], *shape, *source.shape[dim + 1:])  # the places are those of a dim of the mask
    others = [dim + d for d in range(len(shape)) if d != own.dim]
    return x + (wide.sum(others) if others else wide)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, means and losses of a selection: elements that are not selected count nothing."""
import math

import torch

from . import functions
from .indices import tensors
from .known import another_mask, not_aligned, refusal

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # the numbers that ATen gives them


def reduce(known, call):
    """Returns a sum, a mean or another reduction over what is selected, or over other dims of it."""
    x, note, name, args = call.x, call.note, call.name, list(call.args)
    reduction = functions.REDUCTIONS[name]
    dim = call.kwargs.get("dim", call.kwargs.get("axis"))
    if dim is None and len(args) > reduction.place and not isinstance(args[reduction.place], bool):
        dim = args[reduction.place]
    dims = list(range(x.ndim)) if dim is None or dim == () or dim == [] else [d % x.ndim for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    if note is None:
        raise refusal(name, "beside a first argument that is not selected")
    if note.dim not in dims:
        found = call.run()
        for y in tensors(found):
            known.keep(y, note.selection, note.dim - (sum(d < note.dim for d in dims) if y.ndim < x.ndim else 0))
        return found
    if name in ("max", "min") and dim is not None:
        raise refusal(name, "with the places of what is found")
    if name in functions.NORMS:
        order = call.argument(1, "p", "ord", default=2)
        if isinstance(order, (int, float)) and order <= 0:
            raise refusal(name, f"of the order {order}")
    if reduction.neutral is not None:
        args[0] = known.zeroed(x, note, _neutral(reduction.neutral, x.dtype))
        return call.function(*args, **call.kwargs)
    return _averaged(known, call, dims)


def _neutral(value, dtype):
    """Returns a neutral element in a type, whose infinities are its largest and smallest numbers."""
    if math.isfinite(value) or dtype.is_floating_point:
        return value
    low, high = (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    return low if value < 0 else high


def _averaged(known, call, dims):
    """Returns a mean, a variance or a standard deviation, in which the number of what is selected is a divisor."""
    x, note, kwargs = call.x, call.note, call.kwargs
    keep = bool(kwargs.get("keepdim", kwargs.get("keepdims", False)))
    place = 2 if call.name == "mean" else 3  # x.mean(dim, keepdim), x.var(dim, unbiased, keepdim)
    if len(call.args) > place:
        keep = bool(call.args[place])
    others = math.prod(x.shape[d] for d in dims if d != note.dim)
    kind = kwargs.get("dtype") or x.dtype
    count = note.selection.count(kind) * others
    found = known.zeroed(x.to(kind), note).sum(dims, keepdim=True) / count
    if call.name in ("std", "var"):
        correction = kwargs.get("correction", 1)
        unbiased = kwargs.get("unbiased", next((a for a in call.args[1:] if isinstance(a, bool)), None))
        correction = int(unbiased) if unbiased is not None else 1 if correction is None else correction
        away = known.zeroed(x - found, note)
        found = (away * away).sum(dims, keepdim=True) / (count - correction)
        found = found.sqrt() if call.name == "std" else found
    return found if keep else found.reshape([n for d, n in enumerate(x.shape) if d not in dims])


def loss(known, call):
    """Returns a loss of each element or row: its sum or its mean is over those that are selected."""
    name, found = call.name, functions.bound(call.name, call.args, call.kwargs)
    given = tensors(found)
    if name in functions.LOSSES_OF_ROWS:
        notes = [known.note(t) for t in given]
        if any(n is None or n.dim for n in notes[:2]):
            raise refusal(name, "beside a tensor that is not selected")
        selection, back = notes[0].selection, None
        if any(n.selection is not selection for n in notes if n is not None):
            raise another_mask(name)
    else:
        selection, back = known.aligned(name, given)
    reduction = found.get("reduction", 1)
    reduction = _REDUCTIONS.get(reduction, reduction)
    rows = getattr(torch.ops.aten, name)(**{**found, "reduction": 0})
    known.keep(rows, selection, 0 if back is None else rows.ndim - back)
    if reduction == 0:
        return rows
    name = "mean" if reduction == 1 else "sum"
    return reduce(known, call.of(getattr(torch.Tensor, name), name, rows, known.note(rows)))


def loss_by_label(known, call):
    """Returns a loss of a label for each row. Those that are not selected have the label that counts nothing."""
    name, note, found = call.name, call.note, functions.bound(call.name, call.args, call.kwargs)
    target = found["target"]
    own = known.note(target)
    if own is None or note is None or own.selection is not note.selection or note.dim or own.dim or known.note(found.get("weight")) is not None:
        raise not_aligned(name)
    if target.is_floating_point():
        rows = getattr(torch.ops.aten, name)(**{**found, "reduction": 0})
        reduction = found.get("reduction", 1)
        known.keep(rows, note.selection, 0)
        total = rows if reduction == 0 else known.zeroed(rows, known.note(rows)).sum()
        return total if reduction != 1 else total / (note.selection.count(rows.dtype) * (rows.numel() // note.selection.rows))
    found["target"] = known.zeroed(target, own, found.get("ignore_index", -100))
    rows = call.function(*(found.get(k, a) for k, a in zip(list(found), call.args)), **{k: v for k, v in found.items() if k in call.kwargs})
    return rows if rows.ndim == 0 else known.keep(rows, note.selection, 0)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element or of each row of a selection: they are computed of all rows."""
import torch

from . import functions
from .indices import mapped, tensors
from .known import another_mask, not_aligned, refusal


def elementwise(known, call):
    """Returns a function of each element."""
    name, given = call.name, call.given
    args, kwargs = mapped(known.count_of, call.args), mapped(known.count_of, call.kwargs)
    if name in ("one_hot", "view_as_complex", "view_as_real", "__get__"):
        note = known.note(given[0])
        if name == "view_as_complex" and note.dim == given[0].ndim - 1:
            raise refusal(name, "in the dim that has the parts")
        return known.keep_as(call.function(*args, **kwargs), note)
    selection, back = known.aligned(name, [t for t in given if t.ndim])
    if functions.is_in_place(call.function) and known.note(args[0]) is None:
        raise refusal(name, "which writes them to a tensor that is not selected")
    note = known.note(given[0]) if name in functions.COPIES else None
    found = call.function(*args, **kwargs)
    for y in tensors(found):
        known.keep(y, selection, y.ndim - back, note.coordinate if note is not None and y.shape == given[0].shape else None)
    return found


def along(known, call):
    """Returns a function along a dim that is not that of the selection."""
    x, note, name = _first_selected(call), call.note, call.name
    place = functions.ALONG[name]
    dim = call.kwargs.get("dim", call.kwargs.get("dims"))
    if dim is None:
        dim = call.args[place.place] if len(call.args) > place.place else place.default
    dims = list(call.args[1:]) if name == "flip" and isinstance(dim, int) and len(call.args) > 1 else list(dim) if isinstance(dim, (list, tuple)) else [dim]
    if dim is None or any(not isinstance(d, int) or d % x.ndim == note.dim for d in dims):
        raise refusal(name, "along the dim that has them")
    others = _others(known, call)
    if any(n.selection is not note.selection or n.dim != note.dim for n in others):
        raise another_mask(name)
    if name in ("gather", "take_along_dim", "cosine_similarity") and not others:
        raise refusal(name, "beside a tensor that is not selected")
    found = call.run()
    for y in tensors(found):
        gone = sum(d % x.ndim < note.dim for d in dims) if y.ndim < x.ndim else 0
        known.keep(y, note.selection, note.dim - gone)
    return found


def of_batch(known, call):
    """Returns a function of each sample of a batch, whose samples are the selection."""
    x, note, name = _first_selected(call), call.note, call.name
    if note.dim or _others(known, call) or name == "pad" and len(call.argument(1, "pad", default=())) // 2 >= x.ndim \
            or name.startswith("conv") and x.ndim != call.args[1].ndim:
        raise refusal(name, "which mixes them")
    return known.keep(call.run(), note.selection, 0)


def attention(known, call):
    """Returns attention whose samples are the selection."""
    heads = call.given[:3]
    notes = [known.note(t) for t in heads]
    if None in notes or any(n.dim or n.selection is not notes[0].selection or t.ndim < 3 for n, t in zip(notes, heads)) \
            or any(known.note(t) is not None for t in call.given[3:]):
        raise refusal(call.name, "which mixes them")
    return known.keep(call.run(), notes[0].selection, 0)


def of_last_dims(known, call):
    """Returns a function that mixes the last dims alone, which are not that of the selection."""
    x, note = _first_selected(call), call.note
    mixed = functions.OF_LAST_DIMS[call.name]
    if mixed is None:
        shape = call.argument(1, "normalized_shape", default=())
        mixed = len(shape) if isinstance(shape, (tuple, list)) else 1
    if note.dim >= x.ndim - mixed or call.name != "bilinear" and _others(known, call):
        raise refusal(call.name, "which mixes them")
    return known.keep_as(call.run(), note)


def embedding(known, call):
    """Returns the rows of a table whose numbers are a selection."""
    at = next(t for t in call.given if known.note(t) is not None)
    if at is not (call.args[0] if call.function is torch.nn.functional.embedding else call.argument(1, "indices")):
        raise refusal(call.name, "as a table")
    return known.keep_as(call.run(), known.note(at))


def product(known, call):
    """Returns a product of matrices. A sum over the selection is over what is selected."""
    x, y = call.args[:2] if len(call.args) > 1 else (call.args[0], next(iter(call.kwargs.values())))
    a, b = known.note(x), known.note(y)
    if a is not None and b is not None:
        if a.selection is b.selection and a.dim == x.ndim - 1 and b.dim == max(y.ndim - 2, 0):  # the sum is over what is selected
            return call.function(known.zeroed(x, a), known.zeroed(y, b))
        if a.selection is b.selection and x.ndim - a.dim == y.ndim - b.dim > 2:
            found = call.run()
            return known.keep(found, a.selection, found.ndim - (x.ndim - a.dim))
    elif a is not None and a.dim < x.ndim - 1 and (y.ndim <= 2 or x.ndim - a.dim == 2):
        found = call.run()
        return known.keep(found, a.selection, found.ndim - (x.ndim - a.dim) + (y.ndim == 1))
    elif b is not None and y.ndim > 1 and b.dim == y.ndim - 1:
        found = call.run()
        return known.keep(found, b.selection, found.ndim - 1)
    raise refusal(call.name, "which mixes them")


def einsum(known, call):
    """Returns a sum of products, in which the selection has one letter."""
    args = call.args
    equation, operands = args[0], list(args[1]) if len(args) == 2 and isinstance(args[1], (list, tuple)) else list(args[1:])
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",") if isinstance(equation, str) else ()
    notes = [known.note(t) for t in operands]
    if not arrow or "..." in equation or len({id(n.selection) for n in notes if n is not None}) > 1:
        raise refusal("einsum", "without names of all dims")
    letters = {term[n.dim] for term, n in zip(terms, notes) if n is not None}
    if len(letters) > 1 or any(letters & set(t) for t, n in zip(terms, notes) if n is None):
        raise refusal("einsum", "beside a tensor that is not selected")
    selection, letter = next(n.selection for n in notes if n is not None), letters.pop()
    if letter in right:
        return known.keep(call.function(equation, *operands), selection, right.index(letter))
    return call.function(equation, *(t if n is None else known.zeroed(t, n) for t, n in zip(operands, notes)))


def join(known, call):
    """Returns selections beside each other, or one after the other as one selection."""
    name = call.name
    parts = list(call.args[0] if call.args else call.kwargs["tensors"])
    dim = call.argument(1, "dim", default=0)
    notes = [known.note(t) for t in parts]
    if name == "vstack" or name == "hstack":
        name, dim = "cat", 0 if name == "vstack" or parts[0].ndim == 1 else 1
    dim %= parts[0].ndim + (name == "stack")
    same = None not in notes and len({(id(n.selection), n.dim) for n in notes}) == 1
    if same and (name == "stack" or dim != notes[0].dim):
        return known.keep(call.run(), notes[0].selection, notes[0].dim + (name == "stack" and dim <= notes[0].dim))
    if name == "stack" or any(n is not None and n.dim != dim for n in notes):
        raise not_aligned(name)
    selection = known.joined([t.shape[dim] if n is None else n.selection for n, t in zip(notes, parts)])
    return known.keep(call.run(), selection, dim)


def _first_selected(call):
    if call.note is None:
        raise refusal(call.name, "beside a first argument that is not selected")
    return call.x


def _others(known, call):
    """Returns the Notes of other arguments than the first tensor."""
    return [n for t in call.given if t is not call.x and (n := known.note(t)) is not None]

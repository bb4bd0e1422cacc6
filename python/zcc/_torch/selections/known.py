# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remembers selections while a module is traced: the selection of each tensor, and the rows that it leaves out."""
import dataclasses
import math

import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode, set_proxy_slot, thunkify
from torch.utils.weak import WeakIdKeyDictionary

from ..._errors import Error
from . import masks
from .indices import leaves


class Selection:
    """A mask [rows] and its shape before it was flattened. size: the symbol that stands for the number of True in it."""

    def __init__(self, mask, shape, size):
        self.mask, self.shape, self.size = mask, tuple(shape), size

    @property
    def rows(self):
        return self.mask.shape[0]

    def wide(self, rank, dim):
        """Returns the mask in a shape that broadcasts over tensors of a rank with the selection in a dim."""
        return self.mask.view([self.rows if d == dim else 1 for d in range(rank)])

    def count(self, kind):
        return self.mask.sum().to(kind)


@dataclasses.dataclass(frozen=True)
class Coordinate:
    """The places of elements along a dim of a mask that has a shape."""
    dim: int
    shape: tuple


@dataclasses.dataclass(frozen=True)
class Note:
    """The selection that a tensor has in a dim. coordinate: which places its elements are, or None. version: the tensor's."""
    selection: Selection
    dim: int
    coordinate: Coordinate | None = None
    version: int | None = None


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a function that is given selections.

    name: as functions.py has it. given: the tensors among its arguments. x: the first of them. note: the Note of x, or None.
    """
    function: object
    name: str
    args: tuple
    kwargs: dict
    given: list
    x: torch.Tensor
    note: Note | None

    def run(self):
        return self.function(*self.args, **self.kwargs)

    def of(self, function, name, x, note):
        """Returns the call of a function of one tensor alone."""
        return Call(function, name, (x,), {}, [x], x, note)

    def argument(self, place, *names, default=None):
        """Returns the argument that has one of some names or else a number, or a default."""
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return self.args[place] if len(self.args) > place else default


class Known:
    """The Notes of tensors, and the Selections that were made."""

    def __init__(self):
        self._notes = WeakIdKeyDictionary()
        # Each has the key and the version that it was made for: a mask and its version, or a tuple that says how it follows from others.
        self._made = []
        self._symbols = {}  # Selections by the expression of their size

    # ------------------------------------------------------------ notes

    def note(self, tensor):
        """Returns the Note of a tensor, or None."""
        found = self._notes.get(tensor) if isinstance(tensor, torch.Tensor) else None
        if found is not None and found.coordinate is not None and found.version != _version(tensor):  # it was written to, perhaps through a view of it
            return dataclasses.replace(found, coordinate=None)
        return found

    def keep(self, tensor, selection, dim, coordinate=None):
        """Notes that a tensor has a selection in a dim, and returns the tensor."""
        version = _version(tensor)
        self._notes[tensor] = Note(selection, dim % max(tensor.ndim, 1), None if version is None else coordinate, version)
        return tensor

    def keep_as(self, tensor, note):
        """Notes that a tensor has a selection where another has it, whose Note is given, and returns the tensor."""
        return self.keep(tensor, note.selection, note.dim)

    # ------------------------------------------------------------ selections

    def of_mask(self, mask, wide=None):
        """Returns the Selection of a mask: of one that is computed in the same way, or has the same elements in another shape, the same.

        wide: the mask in the shape of what it selects of.
        """
        wide = mask if wide is None else wide
        found = next((s for s in self._made_for(mask) if s.shape == tuple(wide.shape)), None)
        if found is None and wide.numel() == mask.numel():
            found = next(self._made_for(mask, masks.have_same_elements), None)
        return found or self._add(mask, _version(mask), wide.bool() if wide.dtype != torch.bool else wide)

    def in_shape(self, mask, shape):
        """Returns a mask in a shape, the same tensor for the same mask."""
        if tuple(mask.shape) == tuple(shape):
            return mask
        if (made := next((s for s in self._made_for(mask) if s.shape == tuple(shape)), None)) is not None:
            return made.mask.view(shape)
        found = mask.expand(shape)
        self.of_mask(mask, found)
        return found

    def within(self, selection, mask):
        """Returns the Selection of what a mask, computed of what another selects, selects of that."""
        return self.made_within(mask) or self._add(mask, _version(mask), selection.mask & mask)

    def made_within(self, mask):
        """Returns the Selection that was made for a mask of what another selects, or None."""
        return next(self._made_for(mask), None)

    def _made_for(self, mask, is_same=masks.are_same):
        """Yields the Selections that were made for a mask, or for one that is_same says to be the same."""
        for key, version, selection in self._made:
            if isinstance(key, torch.Tensor) and _version(key) == version and (key is mask and version is not None or is_same(key, mask)):
                if is_same is masks.are_same or key.numel() == selection.rows:  # it was not expanded
                    yield selection

    def repeated(self, selection, by):
        """Returns the Selection of a row each of whose elements became several."""
        return self._of_key((id(selection), "times", by), lambda: selection.mask.unsqueeze(1).expand(-1, by).reshape(-1))

    def joined(self, parts):
        """Returns the Selection of several rows that stand one after the other. parts: Selections, and the numbers of elements that all count."""
        device = next(p for p in parts if isinstance(p, Selection)).mask.device
        key = tuple(id(p) if isinstance(p, Selection) else ("all", p) for p in parts)
        return self._of_key(key, lambda: torch.cat([p.mask if isinstance(p, Selection) else torch.ones(p, dtype=torch.bool, device=device) for p in parts]))

    def _of_key(self, key, make):
        found = next((s for known, _, s in self._made if isinstance(known, tuple) and known == key), None)
        return self._add(key, None, make()) if found is None else found

    def _add(self, key, version, mask):
        env = mask.fake_mode.shape_env
        with env.ignore_fresh_unbacked_symbols():
            size = env.create_unbacked_symint()
        found = Selection(mask.reshape(-1).clone(), mask.shape, size)  # the mask may change later
        self._symbols[size.node.expr] = found
        if (mode := get_proxy_mode()) is not None:
            # Arithmetic of sizes is recorded, although nothing reads it: a function that is given a size gets a number or a tensor in its place.
            made = mode.tracer.create_proxy("call_function", torch.ops.aten.sym_size.int, (mode.tracer.tensor_tracker[found.mask].proxy, 0), {})
            made.node.meta["val"] = size
            set_proxy_slot(size, mode.tracer, thunkify(mode.tracer, lambda: made))
        self._made.append((key, version, found))
        return found

    # ------------------------------------------------------------ sizes

    def sizes(self, arguments):
        """Returns the values among arguments that follow from the number of selected elements."""
        symbolic = torch.SymInt, torch.SymFloat, torch.SymBool
        return [v for v in leaves(arguments) if isinstance(v, symbolic) and v.node.expr.free_symbols & self._symbols.keys()] if self._symbols else []

    def multiple_of(self, value):
        """Returns the Selection of whose size a symbol is a multiple, and the factor; or None."""
        if not isinstance(value, torch.SymInt):
            return None
        by, rest = value.node.expr.as_coeff_Mul()
        return (self._symbols[rest], int(by)) if rest in self._symbols else None

    def count_of(self, value):
        """Returns the size of a selection as a tensor, and other values as they are."""
        found = self.multiple_of(value)
        return value if found is None else found[0].mask.sum() * found[1]

    def rows_of(self, value):
        """Returns the size of a selection as the number of its rows, and other values as they are."""
        found = self.multiple_of(value)
        return value if found is None else found[0].rows * found[1]

    # ------------------------------------------------------------ rows that are left out

    def filled(self, x, selection, dim):
        """Returns x with fixed numbers where it is not selected: labels and indices 0, others between .25 and .75."""
        mask = selection.wide(x.ndim, dim)
        if not (x.is_floating_point() or x.is_complex()):
            return x & mask if x.dtype == torch.bool else torch.where(mask, x, torch.zeros((), dtype=x.dtype, device=x.device))
        rest = [1 if d == dim else n for d, n in enumerate(x.shape)]
        numbers = (torch.arange(math.prod(rest), device=x.device) * 0.6180339887 % 1 * .5 + .25).to(x.dtype).view(rest)
        return torch.where(mask, x, numbers)

    def picked(self, x, selection, dim):
        """Returns a tensor that was just read with all rows, as what is selected of it."""
        return self.keep(self.filled(x, selection, dim), selection, dim)

    def zeroed(self, x, note, value=0):
        """Returns x with a value where it is not selected."""
        return torch.where(note.selection.wide(x.ndim, note.dim), x, torch.full((), value, dtype=x.dtype, device=x.device))

    # ------------------------------------------------------------ what tensors have together

    def aligned(self, name, given):
        """Returns the one selection of tensors that are broadcast together, and its dim counted from the last."""
        notes = [(t, n) for t in given if (n := self.note(t)) is not None]
        selection, back = notes[0][1].selection, notes[0][0].ndim - notes[0][1].dim
        for t, n in notes:
            if n.selection is not selection:
                raise another_mask(name)
            if t.ndim - n.dim != back:
                raise refusal(name, "beside themselves in another dim")
        for t in given:
            if self.note(t) is None and t.ndim >= back and t.shape[t.ndim - back] != 1:
                raise refusal(name, f"beside a tensor of shape {list(t.shape)} that is not selected")
        return selection, back


def _version(tensor):
    """Returns the number of writes to a tensor's memory, or None for one that is made in inference mode, of which torch does not count them."""
    return None if tensor.is_inference() else tensor._version


def refusal(name, why):
    return Error(f"the forward pass gives elements that a mask of data selects to {name}, {why}: how many there are is known only when the step "
                 "runs, and sums, means, losses, writes and functions of each element are carried; torch.where(mask, x, 0) keeps the shape that x has")


def another_mask(name):
    return refusal(name, "beside others that another mask selects")


def not_aligned(name):
    return refusal(name, "beside others that another mask selects, or that none does")

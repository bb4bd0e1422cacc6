# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that a mask selects, x[mask], while a module is exported.

The number of elements that a mask of data selects is known only when the step runs. So a selection has all elements of the mask in a row, in their
order, and the mask beside it. A function of each element alone is computed for all elements of the row. Sums, means, losses and writes leave out
those that are not selected. They have fixed numbers in place of the tensor's, at which functions such as log have a derivative, since that of an
element that is left out counts nothing only if it is finite. A function that would mix elements of the row in another way is refused.

The size of a selection is a symbol: a division by it divides by the number of True in the mask, and a question of its value is refused.

functions.py lists the functions of torch by how they treat the elements. known.py has the selection of each tensor, masks.py compares masks. The
other files compute: making.py selects, rows.py has functions of each row, shapes.py changes of shape, sums.py sums and losses, reads.py and
writes.py reads and writes at places, sizes.py questions of a size and functions that are given one.
"""
import torch

from . import functions, making, reads, rows, shapes, sizes, sums, writes
from .indices import tensors
from .known import Call, Known, refusal

_SHAPE = torch.Tensor.shape.__get__
_TRANSPOSED = tuple(getattr(torch.Tensor, name).__get__ for name in ("T", "mT", "H", "mH"))
# The lists of functions.py, each with the function here that computes those of its names. The first list that has a name counts.
_COMPUTED = (
    (functions.REDUCTIONS, sums.reduce), (functions.RESHAPES, shapes.reshape), (functions.LOSSES_OF_ELEMENTS | functions.LOSSES_OF_ROWS, sums.loss),
    (functions.LOSSES_BY_LABEL, sums.loss_by_label), ({"einsum"}, rows.einsum), (functions.JOINS, rows.join),
)
_OF_ROWS = (
    (functions.ALONG, rows.along), ({"scaled_dot_product_attention"}, rows.attention), (functions.OF_BATCHES, rows.of_batch), (functions.PRODUCTS, rows.product),
    ({"embedding"}, rows.embedding), (functions.OF_LAST_DIMS, rows.of_last_dims),
)


class Selections:
    """Computes functions of selections while a module is traced, and remembers the selections of tensors."""

    def __init__(self):
        self.known = Known()

    def note(self, tensor):
        """Returns the Note of a tensor, or None."""
        return self.known.note(tensor)

    def call(self, function, args, kwargs, is_known):
        """Returns the result of a function that makes selections or takes them, else NotImplemented. is_known: returns True for a mask whose
        values are known, by which no selection is made."""
        known, given, name = self.known, tensors((args, kwargs)), functions.name_of(function)
        if any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in given):
            if any(known.note(_unwrapped(t)) is not None for t in given):
                raise refusal(name, "within torch.func")
            return NotImplemented
        numbers = known.sizes((args, kwargs))
        if any(known.multiple_of(v) is None for v in numbers):
            raise refusal(name, f"with a number that follows from how many there are, {numbers[0]}: mask.sum() is a tensor")
        if not any(known.note(t) is not None for t in given):
            return sizes.given_size(known, function, name, args, kwargs, numbers) if numbers else making.select(known, name, args, kwargs, is_known)
        x = args[0] if args and isinstance(args[0], torch.Tensor) else given[0]
        return _computed(known, Call(function, name, args, kwargs, given, x, known.note(x)))


def _computed(known, call):
    """Returns what a function gives that is given selections."""
    function, name, x = call.function, call.name, call.x
    if name in functions.INDEXED or call.note is None and (name in functions.READS or name in functions.WRITES):
        return (reads.read if name == "__getitem__" or name in functions.READS else writes.write)(known, call)
    if function == _SHAPE or name in functions.SIZES:
        return sizes.ask(known, call)
    if name == "__get__" and function in _TRANSPOSED:
        return shapes.reshape(known, call)
    if name in functions.ATTRIBUTES or name == "__get__" and not isinstance(call.run(), torch.Tensor):
        return call.run()
    is_of_two = name in ("max", "min") and len(call.given) > 1  # the larger or smaller of each two elements
    for names, compute in _COMPUTED if not is_of_two else ():
        if name in names:
            return compute(known, call)
    if name in functions.FACTORIES:  # such as x.new_zeros(3), in which x gives the type
        args = torch.empty(0, dtype=x.dtype, device=x.device), *call.args[1:]
        numbers = known.sizes((args, call.kwargs))
        return sizes.given_size(known, function, name, args, call.kwargs, numbers) if numbers else function(*args, **call.kwargs)
    if functions.is_elementwise(name):
        return rows.elementwise(known, call)
    for names, compute in _OF_ROWS:
        if name in names:
            return compute(known, call)
    raise refusal(name, "which is not carried")


def _unwrapped(tensor):
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that a mask selects, x[mask], while a module is exported.

How many a mask of data selects is known only when the step runs. So a selection has all elements of the mask in a row, in their order, and
the mask beside it. What is computed of each element of the row alone is computed of all. Sums, means, losses and writes leave out those that
are not selected. They have fixed numbers in place of the tensor's, at which functions such as log have a derivative, since that of an element
that is left out counts nothing only if it is finite. A function that would mix elements of the row in another way is refused.

The size of a selection is a symbol: what divides by it divides by the number of True in the mask, and a question of it is refused.
"""
import math
import os
import sys

import torch
import torch._functorch.vmap
from torch.fx.experimental.proxy_tensor import get_proxy_mode, set_proxy_slot, thunkify
from torch.utils.weak import WeakIdKeyDictionary

from .._errors import Error
from . import emptiness

_SHAPE, _TRANSPOSED = torch.Tensor.shape.__get__, (torch.Tensor.T.__get__, torch.Tensor.mT.__get__)
_WHOLE = slice(None)
_HERE, _VMAP = os.path.dirname(os.path.abspath(__file__)) + os.sep, torch._functorch.vmap.__file__
_SYMBOLIC = torch.SymInt, torch.SymFloat, torch.SymBool
_HELP = "torch.where(mask, x, 0) keeps the shape that x has"

# Functions that are called by these names, as methods or not, in place or not.
_COPIES = {"to", "float", "double", "half", "bfloat16", "long", "int", "bool", "type_as", "type", "contiguous", "detach", "clone", "dropout", "prelu", "cpu",
           "requires_grad", "alpha_dropout", "__get__", "softplus", "celu", "selu", "hardshrink", "softshrink", "softsign", "tanhshrink", "nan_to_num",
           "stop_gradient", "resolve_conj", "isclose", "zeros_like", "ones_like", "full_like", "empty_like", "broadcast_tensors", "one_hot", "polar", "complex",
           "view_as_complex", "view_as_real", "relu6", "expand_as", "view_as", "gumbel_softmax", "hardsigmoid", "hardswish", "rand_like", "randn_like"}
_NUMBERS = {"requires_grad_", "dim", "is_floating_point", "is_complex", "get_device", "is_contiguous", "element_size", "stride", "is_leaf", "is_conj", "is_neg"}
_ALONG = {"softmax", "log_softmax", "softmin", "cumsum", "cumprod", "logcumsumexp", "sort", "argsort", "topk", "glu", "normalize", "flip", "roll", "diff", "unbind",
          "split", "chunk", "split_with_sizes", "cummax", "cummin", "gather", "take_along_dim", "select", "narrow", "index_select", "kthvalue", "cosine_similarity",
          "median", "unfold", "trapezoid", "argmax", "argmin"}
_DIMS = {"cosine_similarity": 1, "glu": -1, "sort": -1, "argsort": -1, "topk": -1, "diff": -1, "unbind": 0, "split": 0, "chunk": 0, "split_with_sizes": 0}
_REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min", "all", "any", "prod", "logsumexp", "norm", "vector_norm", "linalg_vector_norm", "std", "var",
               "count_nonzero", "nansum"}
_LOSSES = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div",
           "hinge_embedding_loss", "cosine_embedding_loss", "margin_ranking_loss", "triplet_margin_loss", "poisson_nll_loss", "soft_margin_loss",
           "multi_margin_loss", "multilabel_margin_loss"}
_BY_LABEL = {"cross_entropy_loss", "nll_loss_nd", "nll_loss"}
_OF_BATCHES = {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "group_norm", "max_pool1d", "max_pool2d", "max_pool3d",
               "avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "scaled_dot_product_attention", "pad", "interpolate"}
_OF_LAST = {"linear": 1, "layer_norm": None, "rms_norm": None, "embedding": None, "bilinear": 1}  # the last dims that are mixed: None asks the arguments
_PRODUCTS = {"matmul", "mm", "bmm", "__matmul__", "mv"}
_RESHAPES = {"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "expand", "swapaxes", "transpose", "permute", "movedim", "t", "moveaxis", "swapdims"}
_WRITES = {"index_add", "scatter_add", "scatter", "scatter_reduce", "index_copy", "index_reduce"}
_FACTORIES = {"zeros", "ones", "full", "empty", "rand", "randn", "new_zeros", "new_ones", "new_full", "new_empty"}


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


class Note:
    """The selection that a tensor has in a dim. coordinate: the dim of the mask whose places its elements are, or None."""

    def __init__(self, selection, dim, coordinate=None):
        self.selection, self.dim, self.coordinate = selection, dim, coordinate


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in _tensors(v)] if isinstance(value, (list, tuple)) else []


def _map(function, value):
    if isinstance(value, dict):
        return {k: _map(function, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        found = [_map(function, v) for v in value]
        return torch.Size(found) if isinstance(value, torch.Size) else type(value)(found) if type(value) in (list, tuple) else type(value)(*found)
    return function(value)


def _name(function):
    """Returns the name of a function as it is in the lists above."""
    name = getattr(function, "__name__", "") or ""
    if name.startswith("__") and name not in ("__get__", "__getitem__", "__setitem__", "__len__", "__matmul__", "__contains__"):
        name = name.strip("_")
        name = {"invert": "bitwise_not", "truediv": "div", "rtruediv": "div", "radd": "add", "rmul": "mul", "itruediv": "div", "iadd": "add", "isub": "sub",
                "imul": "mul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "iand": "bitwise_and", "ior": "bitwise_or",
                "floordiv": "floor_divide", "mod": "remainder", "rpow": "pow", "rdiv": "div"}.get(name, name)
    packet = getattr(torch.ops.aten, name, None)
    return name if name.endswith("__") or packet is not None and not name.endswith("_") else name.removesuffix("_")


def _is_elementwise(name):
    """Returns True for the name of a function each element of whose result follows from one element of each argument."""
    packet = getattr(torch.ops.aten, name, None)
    return name in _COPIES or packet is not None and any(torch.Tag.pointwise in getattr(packet, o).tags for o in packet.overloads())


def _bound(name, args, kwargs):
    """Returns the arguments of a function by the names that its schema in ATen gives them."""
    packet = getattr(torch.ops.aten, name)
    schema = getattr(packet, "default", None) or getattr(packet, packet.overloads()[0])
    return {**{a.name: v for a, v in zip(schema._schema.arguments, args)}, **kwargs}


class Selections:
    """What is known of selections while a module is traced."""

    def __init__(self):
        self._notes = WeakIdKeyDictionary()
        self._made = []    # (mask, its version, Selection)
        self._symbols = {}  # Selections by the expression of their size

    def note(self, tensor):
        """Returns the Note of a tensor, or None."""
        return self._notes.get(tensor)

    # ------------------------------------------------------------ which function

    def call(self, function, args, kwargs, is_known):
        """Returns what a function gives that makes selections or takes them, else NotImplemented. is_known: of a mask, whose selection is none."""
        given = _tensors((args, kwargs))
        name = _name(function)
        if any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in given):
            if any(_plain(t) in self._notes for t in given):
                raise self._refusal(name, "within torch.func")
            return NotImplemented
        sizes = [v for v in _leaves((args, kwargs)) if isinstance(v, _SYMBOLIC) and v.node.expr.free_symbols & self._symbols.keys()] if self._symbols else []
        if any(self._multiple_of(v) is None for v in sizes):
            raise self._refusal(name, f"with a number that follows from how many there are, {sizes[0]}: mask.sum() is a tensor")
        if not any(t in self._notes for t in given):
            return self._with_size(function, name, args, kwargs, sizes) if sizes else self._selected(name, args, kwargs, is_known)
        return self._of_selections(function, name, args, kwargs, given)

    def _selected(self, name, args, kwargs, is_known):
        """Returns a selection that a function makes, or NotImplemented."""
        if name == "masked_select":
            x, mask = args[0], kwargs.get("mask", args[1] if len(args) > 1 else None)
            if is_known(mask):
                return NotImplemented
            shape = torch.broadcast_shapes(x.shape, mask.shape)
            return self._pick(x.expand(shape), (self._cached(mask, shape),))
        if name == "__getitem__":
            index = args[1] if isinstance(args[1], tuple) else (args[1],)
            masks = [i for i in index if isinstance(i, torch.Tensor) and i.dtype in (torch.bool, torch.uint8) and i.ndim and not is_known(i)]
            return self._pick(args[0], index) if len(masks) == 1 else NotImplemented
        if name in ("nonzero", "argwhere") or name == "where" and len(args) + len(kwargs) == 1:
            mask = args[0] if args else next(iter(kwargs.values()))
            if is_known(mask) or not mask.ndim:
                return NotImplemented
            places = self._coordinates(self._of_mask(mask if mask.dtype == torch.bool else mask != 0))
            if name == "where" or kwargs.get("as_tuple"):
                return places
            note = self._notes[places[0]]
            return self._noted(torch.stack(places, 1), note.selection, 0, 0 if len(places) == 1 else None)
        return NotImplemented

    def _cached(self, mask, shape):
        """Returns a mask in a shape, the same tensor for the same mask."""
        if tuple(mask.shape) == tuple(shape):
            return mask
        for known, version, selection in self._made:
            if known is mask and version == mask._version and selection.shape == tuple(shape):
                return selection.mask.view(shape)
        found = mask.expand(shape)
        self._of_mask(mask, found)
        return found

    def _of_mask(self, mask, wide=None):
        """Returns the Selection of a mask: of one that is computed in the same way, the same."""
        wide = mask if wide is None else wide
        for known, version, selection in self._made:
            if known._version == version and selection.shape == tuple(wide.shape) and (known is mask or _is_same(_node(known), _node(mask))):
                return selection
        found = self._new(wide.bool() if wide.dtype != torch.bool else wide)
        self._made.append((mask, mask._version, found))
        return found

    def _new(self, mask):
        env = mask.fake_mode.shape_env
        with env.ignore_fresh_unbacked_symbols():
            size = env.create_unbacked_symint()
        found = Selection(mask.reshape(-1).clone(), mask.shape, size)  # the mask may change later
        self._symbols[size.node.expr] = found
        if (mode := get_proxy_mode()) is not None:
            # Arithmetic of sizes is recorded, although nothing reads it: what is given a size gets a number or a tensor in its place.
            made = mode.tracer.create_proxy("call_function", torch.ops.aten.sym_size.int, (mode.tracer.tensor_tracker[found.mask].proxy, 0), {})
            made.node.meta["val"] = size
            set_proxy_slot(size, mode.tracer, thunkify(mode.tracer, lambda: made))
        return found

    def _coordinates(self, selection):
        """Returns the places that torch.nonzero(mask, as_tuple=True) finds: those of all elements."""
        found = []
        for d, extent in enumerate(selection.shape):
            at = torch.arange(extent, device=selection.mask.device).view([extent if e == d else 1 for e in range(len(selection.shape))])
            found.append(self._noted(at.expand(selection.shape).reshape(-1), selection, 0, d))
        return tuple(found)

    def _noted(self, tensor, selection, dim, coordinate=None):
        self._notes[tensor] = Note(selection, dim % max(tensor.ndim, 1), coordinate)
        return tensor

    # ------------------------------------------------------------ what is selected

    def _filled(self, x, selection, dim):
        """Returns x with fixed numbers where it is not selected: labels and indices 0, others between .25 and .75."""
        mask = selection.wide(x.ndim, dim)
        if not (x.is_floating_point() or x.is_complex()):
            return x & mask if x.dtype == torch.bool else torch.where(mask, x, torch.zeros((), dtype=x.dtype, device=x.device))
        rest = [1 if d == dim else n for d, n in enumerate(x.shape)]
        numbers = (torch.arange(math.prod(rest), device=x.device) * 0.6180339887 % 1 * .5 + .25).to(x.dtype).view(rest)
        return torch.where(mask, x, numbers)

    def _zeroed(self, x, note, value=0):
        return torch.where(note.selection.wide(x.ndim, note.dim), x, torch.full((), value, dtype=x.dtype, device=x.device))

    def _pick(self, x, index):
        """Returns x[index], in which one mask is data. Other entries are slices, numbers or None."""
        index = _spelled(index, x.ndim)
        at = next(i for i, part in enumerate(index) if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) and part.ndim)
        mask = index[at]
        if any(isinstance(part, torch.Tensor) and part.ndim for i, part in enumerate(index) if i != at):
            return NotImplemented  # a mask beside other indices: the lowering says more
        first = sum(_dims_of(part) for part in index[:at])
        if tuple(x.shape[first:first + mask.ndim]) != tuple(mask.shape):
            raise IndexError(f"The shape of the mask {list(mask.shape)} does not match the shape of the indexed tensor {list(x.shape)}")
        selection = self._of_mask(mask)
        x = x.flatten(first, first + mask.ndim - 1) if mask.ndim > 1 else x
        found = x[(*index[:at], _WHOLE, *index[at + 1:])]
        dim = sum(part is None or isinstance(part, slice) for part in index[:at])
        return self._noted(self._filled(found, selection, dim), selection, dim)

    def _pick_places(self, x, index):
        """Returns x[index], in which places are those of a selection."""
        index = _spelled(index, x.ndim)
        numbers = [i for i, part in enumerate(index) if isinstance(part, torch.Tensor) and part.ndim]
        notes = [self._notes.get(index[i]) for i in numbers]
        if None in notes or len({id(n.selection) for n in notes}) > 1 or any(index[i].dtype == torch.bool for i in numbers):
            raise self._refusal("an index", "of which another part is not selected by the same mask")
        selection = notes[0].selection
        first = sum(_dims_of(part) for part in index[:numbers[0]])
        together = numbers == list(range(numbers[0], numbers[-1] + 1)) and not any(isinstance(p, int) and not isinstance(p, bool) for p in index)
        simple = all(index[i].ndim == 1 for i in numbers) and together
        extents = [selection.shape[n.coordinate] if n.coordinate is not None else -1 for n in notes]
        order = [n.coordinate for n in notes]
        if simple and None not in order and order == sorted(set(order)) and tuple(x.shape[first:first + len(notes)]) == tuple(extents):
            # The places are those of the mask's own dims: no gather is needed.
            lead, rest = x.shape[:first], x.shape[first + len(notes):]
            inner = [n if d in order else 1 for d, n in enumerate(selection.shape)]
            found = x.reshape(*lead, *inner, *rest).expand(*lead, *selection.shape, *rest).reshape(*lead, selection.rows, *rest)
            found = found[(*index[:numbers[0]], _WHOLE, *index[numbers[-1] + 1:])]
        else:
            found = x[tuple(index)]
        place = sum(part is None or isinstance(part, slice) for part in index[:numbers[0]]) if together or len(numbers) == 1 else 0
        rank = max(index[i].ndim for i in numbers)
        dims = {n.dim + rank - index[i].ndim for n, i in zip(notes, numbers)}
        if len(dims) > 1:
            raise self._refusal("an index", "whose parts have the selected elements in different dims")
        dim = place + dims.pop()
        return self._noted(self._filled(found, selection, dim), selection, dim)

    # ------------------------------------------------------------ sizes

    def _multiple_of(self, value):
        """Returns the Selection of whose size a symbol is a multiple, and the factor; or None."""
        if not isinstance(value, torch.SymInt):
            return None
        by, rest = value.node.expr.as_coeff_Mul()
        return (self._symbols[rest], int(by)) if rest in self._symbols else None

    def _with_size(self, function, name, args, kwargs, sizes):
        """Calls a function that is given the size of a selection."""
        selection, by = self._multiple_of(sizes[0])
        if name in _FACTORIES:
            found = function(*_map(self._rows_of, args), **_map(self._rows_of, kwargs))
            shape = [v for v in _leaves(args[1:] if name.startswith("new_") else args) if isinstance(v, (int, torch.SymInt))]
            dim = next((i for i, v in enumerate(shape) if isinstance(v, torch.SymInt)), None)
            if len(sizes) == 1 and dim is not None and dim < found.ndim and found.shape[dim] == selection.rows * by:
                return self._noted(found, selection if by == 1 else self._repeated(selection, by), dim)
        elif name == "arange" and len(args) == 1 and by == 1:
            return self._noted((selection.mask.long().cumsum(0) - 1).clamp(min=0).to(kwargs.get("dtype") or torch.int64), selection, 0)
        elif _is_elementwise(name):
            return function(*_map(self._count_of, args), **_map(self._count_of, kwargs))
        raise self._refusal(name, "which is given the number of selected elements")

    def _count_of(self, value):
        """Returns the size of a selection as a tensor, and other values as they are."""
        found = self._multiple_of(value)
        return value if found is None else found[0].mask.sum() * found[1]

    def _rows_of(self, value):
        """Returns the size of a selection as the number of its rows, and other values as they are."""
        found = self._multiple_of(value)
        return value if found is None else found[0].rows * found[1]

    # ------------------------------------------------------------ functions of selections

    def _refusal(self, name, why):
        return Error(f"the forward pass gives elements that a mask of data selects to {name}, {why}: how many there are is known only when the step "
                     f"runs, and sums, means, losses, writes and functions of each element are carried; {_HELP}")

    def _of_selections(self, function, name, args, kwargs, given):
        x = args[0] if args and isinstance(args[0], torch.Tensor) else next(iter(given))
        note = self._notes.get(x)
        if name in ("__getitem__", "__setitem__", "index_put", "index_select", "gather", "take_along_dim", *_WRITES) \
                and (note is None or name in ("__getitem__", "__setitem__", "index_put")):
            return self._at_places(function, name, args, kwargs, x, note)
        if function == _SHAPE or name in ("size", "numel", "nelement", "__len__"):
            return self._size(function, name, args, note)
        if name == "__get__" and function in _TRANSPOSED:
            return self._reshaped(function, name, args, kwargs, x, note)
        if name in _NUMBERS or name == "__get__" and not isinstance(found := function(*args, **kwargs), torch.Tensor):
            return function(*args, **kwargs)
        for kind, run in ((_REDUCTIONS, self._reduced), (_RESHAPES, self._reshaped), (_LOSSES, self._loss), (_BY_LABEL, self._loss_by_label)):
            if name in kind and not (name in ("max", "min") and len(given) > 1):
                return run(function, name, args, kwargs, x, note)
        if name == "einsum":
            return self._einsum(function, args)
        if name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack"):
            return self._joined(function, name, args, kwargs)
        if name in _FACTORIES:  # such as x.new_zeros(3), in which x gives the type
            args, kwargs = (torch.empty(0, dtype=x.dtype, device=x.device), *args[1:]), kwargs
            sizes = [v for v in _leaves((args, kwargs)) if isinstance(v, torch.SymInt)]
            return self._with_size(function, name, args, kwargs, sizes) if sizes else function(*args, **kwargs)
        if _is_elementwise(name):
            return self._elementwise(function, name, _map(self._count_of, args), _map(self._count_of, kwargs), given)
        if name in _ALONG or name in _OF_BATCHES or name in _OF_LAST or name in _PRODUCTS:
            return self._by_row(function, name, args, kwargs, given, x, note)
        raise self._refusal(name, "which is not carried")

    def _aligned(self, name, given):
        """Returns the one selection of tensors that are broadcast together, and its dim counted from the last."""
        notes = [(t, self._notes[t]) for t in given if t in self._notes]
        selection, back = notes[0][1].selection, notes[0][0].ndim - notes[0][1].dim
        for t, n in notes:
            if n.selection is not selection:
                raise self._refusal(name, "beside others that another mask selects")
            if t.ndim - n.dim != back:
                raise self._refusal(name, "beside themselves in another dim")
        for t in given:
            if t not in self._notes and t.ndim >= back and t.shape[t.ndim - back] != 1:
                raise self._refusal(name, f"beside a tensor of shape {list(t.shape)} that is not selected")
        return selection, back

    def _elementwise(self, function, name, args, kwargs, given):
        if name in ("one_hot", "view_as_complex", "view_as_real", "__get__"):
            note = self._notes[given[0]]
            if name == "view_as_complex" and note.dim == given[0].ndim - 1:
                raise self._refusal(name, "in the dim that has the parts")
            return self._noted(function(*args, **kwargs), note.selection, note.dim)
        selection, back = self._aligned(name, [t for t in given if t.ndim])
        raw = getattr(function, "__name__", "")
        if (raw.endswith("_") and not raw.endswith("__") or raw.startswith("__i") and raw not in ("__invert__", "__int__")) and args[0] not in self._notes:
            raise self._refusal(name, "which writes them to a tensor that is not selected")
        found = function(*args, **kwargs)
        for y in _tensors(found):
            self._noted(y, selection, y.ndim - back, self._notes[given[0]].coordinate if name in _COPIES and given[0] in self._notes and y.shape == given[0].shape else None)
        return found

    def _by_row(self, function, name, args, kwargs, given, x, note):
        """Calls a function that mixes elements, but none of those that are selected."""
        if note is None and name != "embedding" and name not in _PRODUCTS and name != "scaled_dot_product_attention":
            raise self._refusal(name, "beside a first argument that is not selected")
        others = [t for t in given if t is not x and t in self._notes]
        if name in _ALONG:
            dim = kwargs.get("dim", kwargs.get("dims"))
            if dim is None:
                place = {"normalize": 2, "topk": 2, "split": 2, "chunk": 2, "split_with_sizes": 2, "roll": 2, "diff": 2, "kthvalue": 2, "cosine_similarity": 2}.get(name, 1)
                dim = args[place] if len(args) > place else _DIMS.get(name, 1 if name == "normalize" else None)
            dims = [d for d in (dim if isinstance(dim, (list, tuple)) else [dim])]
            if dim is None or any(not isinstance(d, int) or d % x.ndim == note.dim for d in dims):
                raise self._refusal(name, "along the dim that has them")
            if any(self._notes[t].selection is not note.selection or self._notes[t].dim != note.dim for t in others):
                raise self._refusal(name, "beside others that another mask selects")
            if name in ("gather", "take_along_dim", "cosine_similarity") and not others:
                raise self._refusal(name, "beside a tensor that is not selected")
            found = function(*args, **kwargs)
            for y in _tensors(found):
                gone = sum(d % x.ndim < note.dim for d in dims) if y.ndim < x.ndim else 0
                self._noted(y, note.selection, note.dim - gone)
            return found
        if name == "scaled_dot_product_attention":
            heads = [t for t in given[:3]]
            if any(t not in self._notes or self._notes[t].dim != 0 or self._notes[t].selection is not self._notes[heads[0]].selection or t.ndim < 3 for t in heads) \
                    or any(t in self._notes for t in given[3:]):
                raise self._refusal(name, "which mixes them")
            return self._noted(function(*args, **kwargs), self._notes[heads[0]].selection, 0)
        if name in _OF_BATCHES:
            if note.dim or others or name in ("pad",) and len(kwargs.get("pad", args[1] if len(args) > 1 else ())) // 2 >= x.ndim \
                    or name.startswith("conv") and x.ndim != args[1].ndim:
                raise self._refusal(name, "which mixes them")
            return self._noted(function(*args, **kwargs), note.selection, 0)
        if name in _PRODUCTS:
            return self._product(function, name, args, kwargs)
        if name == "embedding":
            at = next(t for t in given if t in self._notes)
            if at is not (args[0] if function is torch.nn.functional.embedding else args[1] if len(args) > 1 else kwargs.get("indices")):
                raise self._refusal(name, "as a table")
            return self._noted(function(*args, **kwargs), self._notes[at].selection, self._notes[at].dim)
        mixed = _OF_LAST[name]
        if mixed is None:
            shape = kwargs.get("normalized_shape", args[1] if len(args) > 1 else ())
            mixed = len(shape) if isinstance(shape, (tuple, list)) else 1
        if note.dim >= x.ndim - mixed or name != "bilinear" and others:
            raise self._refusal(name, "which mixes them")
        return self._noted(function(*args, **kwargs), note.selection, note.dim)

    def _product(self, function, name, args, kwargs):
        x, y = args[:2] if len(args) > 1 else (args[0], next(iter(kwargs.values())))
        a, b = self._notes.get(x), self._notes.get(y)
        if a is not None and b is not None:
            if a.selection is b.selection and a.dim == x.ndim - 1 and b.dim == max(y.ndim - 2, 0):  # the sum over what is selected
                return function(self._zeroed(x, a), self._zeroed(y, b))
            if a.selection is b.selection and x.ndim - a.dim == y.ndim - b.dim > 2:
                found = function(*args, **kwargs)
                return self._noted(found, a.selection, found.ndim - (x.ndim - a.dim))
        elif a is not None and a.dim < x.ndim - 1 and (y.ndim <= 2 or x.ndim - a.dim == 2):
            found = function(*args, **kwargs)
            return self._noted(found, a.selection, found.ndim - (x.ndim - a.dim) + (y.ndim == 1))
        elif b is not None and y.ndim > 1 and b.dim == y.ndim - 1:
            found = function(*args, **kwargs)
            return self._noted(found, b.selection, found.ndim - 1)
        raise self._refusal(name, "which mixes them")

    def _einsum(self, function, args):
        equation, operands = args[0], list(args[1]) if len(args) == 2 and isinstance(args[1], (list, tuple)) else list(args[1:])
        left, arrow, right = equation.replace(" ", "").partition("->")
        terms = left.split(",") if isinstance(equation, str) else ()
        notes = [self._notes.get(t) for t in operands]
        if not arrow or "..." in equation or len({id(n.selection) for n in notes if n is not None}) > 1:
            raise self._refusal("einsum", "without names of all dims")
        letters = {term[n.dim] for term, n in zip(terms, notes) if n is not None}
        if len(letters) > 1 or any(letters & set(t) for t, n in zip(terms, notes) if n is None):
            raise self._refusal("einsum", "beside a tensor that is not selected")
        selection, letter = next(n.selection for n in notes if n is not None), letters.pop()
        if letter in right:
            return self._noted(function(equation, *operands), selection, right.index(letter))
        return function(equation, *(t if n is None else self._zeroed(t, n) for t, n in zip(operands, notes)))

    def _joined(self, function, name, args, kwargs):
        parts = list(args[0] if args else kwargs["tensors"])
        dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        notes = [self._notes.get(t) for t in parts]
        if name == "vstack" or name == "hstack":
            name, dim = "cat", 0 if name == "vstack" or parts[0].ndim == 1 else 1
        dim %= parts[0].ndim + (name == "stack")
        same = None not in notes and len({(id(n.selection), n.dim) for n in notes}) == 1
        if same and (name == "stack" or dim != notes[0].dim):
            return self._noted(function(*args, **kwargs), notes[0].selection, notes[0].dim + (name == "stack" and dim <= notes[0].dim))
        if name == "stack" or any(n is not None and n.dim != dim for n in notes):
            raise self._refusal(name, "beside others that another mask selects, or that none does")
        masks = [n.selection.mask if n is not None else torch.ones(t.shape[dim], dtype=torch.bool, device=t.device) for n, t in zip(notes, parts)]
        key = tuple(id(n.selection) if n is not None else t.shape[dim] for n, t in zip(notes, parts))
        for known, _, selection in self._made:
            if known == key:
                return self._noted(function(*args, **kwargs), selection, dim)
        selection = self._new(torch.cat(masks))
        self._made.append((key, None, selection))
        return self._noted(function(*args, **kwargs), selection, dim)

    def _size(self, function, name, args, note):
        if emptiness.answer(lambda t: t.dtype == torch.bool or t in self._notes) is not None:
            return function(*args)  # all rows are more than none
        if name == "__len__":
            raise Error("the forward pass asks for the number of elements that a mask of data selects, by len(): it is known only when the step runs; mask.sum() is a "
                        "tensor")
        if _is_asked_by(_VMAP):
            raise self._refusal("torch.func.vmap", "which would map over them")
        shape = args[0].shape
        if name in ("numel", "nelement"):
            return note.selection.size * (math.prod(shape) // note.selection.rows) if math.prod(shape) != note.selection.rows else note.selection.size
        shape = torch.Size([note.selection.size if d == note.dim else n for d, n in enumerate(shape)])
        return shape if len(args) < 2 or name != "size" else shape[args[1]]

    def _reshaped(self, function, name, args, kwargs, x, note):
        """Calls a function that moves dims or merges them. The rows that are selected stay together."""
        if name == "__get__" or name in ("t", "transpose", "swapaxes", "swapdims", "permute", "movedim", "moveaxis"):
            found = function(*args, **kwargs)
            order = function(torch.arange(x.ndim).view([x.ndim if d == note.dim else 1 for d in range(x.ndim)]), *args[1:], **kwargs)
            return self._noted(found, note.selection, next((d for d, n in enumerate(order.shape) if n == x.ndim and x.ndim > 1), 0), note.coordinate)
        if name == "expand":
            sizes = [v for v in _leaves(args[1:])]
            found = function(x, *_map(self._rows_of, args[1:]), **kwargs)
            if isinstance(sizes[note.dim + len(sizes) - x.ndim], int) and sizes[note.dim + len(sizes) - x.ndim] not in (-1,):
                raise self._refusal(name, "to a size that is a number")
            return self._noted(found, note.selection, note.dim + found.ndim - x.ndim)
        wanted = [v for v in _leaves((args[1:], kwargs)) if isinstance(v, (int, torch.SymInt))]
        found = function(*_map(self._rows_of, args), **_map(self._rows_of, kwargs))
        before, rows, after = math.prod(x.shape[:note.dim]), note.selection.rows, math.prod(x.shape[note.dim + 1:])
        done = 1
        for dim, extent in enumerate(found.shape):
            if done == before and extent and extent % rows == 0 and rows * after % extent == 0:
                # A size that is given as a number would say how many are selected.
                if name in ("view", "reshape") and not (dim < len(wanted) and (isinstance(wanted[dim], torch.SymInt) or wanted[dim] == -1)):
                    break
                if extent == rows:
                    return self._noted(found, note.selection, dim, note.coordinate if found.numel() == rows else None)
                return self._noted(found, self._repeated(note.selection, extent // rows), dim)
            done *= extent
        raise self._refusal(name, f"which gives {list(x.shape)} the shape {list(found.shape)}")

    def _repeated(self, selection, by):
        """Returns the Selection of a row each of whose elements became several."""
        for known, _, found in self._made:
            if known == (id(selection), "times", by):
                return found
        found = self._new(selection.mask.unsqueeze(1).expand(-1, by).reshape(-1))
        self._made.append(((id(selection), "times", by), None, found))
        return found

    # ------------------------------------------------------------ sums over selections

    def _reduced(self, function, name, args, kwargs, x, note):
        dim = kwargs.get("dim", kwargs.get("axis"))
        args = list(args)
        place = 2 if name in ("norm", "vector_norm", "linalg_vector_norm") else 1
        if dim is None and len(args) > place and not isinstance(args[place], bool):
            dim = args[place]
        dims = list(range(x.ndim)) if dim is None or dim == () or dim == [] else [d % x.ndim for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
        if note is None:
            raise self._refusal(name, "beside a first argument that is not selected")
        if note.dim not in dims:
            found = function(*args, **kwargs)
            for y in _tensors(found):
                self._noted(y, note.selection, note.dim - (sum(d < note.dim for d in dims) if y.ndim < x.ndim else 0))
            return found
        selection, keep = note.selection, bool(kwargs.get("keepdim", kwargs.get("keepdims", False)))
        if len(args) > place + 1 and name not in ("std", "var"):
            keep = bool(args[place + 1])
        low, high = (-math.inf, math.inf) if x.is_floating_point() else (torch.iinfo(x.dtype).min, torch.iinfo(x.dtype).max) if x.dtype != torch.bool else (0, 1)
        fills = {"sum": 0, "nansum": 0, "count_nonzero": 0, "any": 0, "all": 1, "prod": 1, "norm": 0, "vector_norm": 0, "linalg_vector_norm": 0, "amax": low, "max": low, "logsumexp": low,
                 "amin": high, "min": high}
        if name in ("max", "min") and dim is not None:
            raise self._refusal(name, "with the places of what is found")
        if name in ("norm", "vector_norm", "linalg_vector_norm"):
            order = kwargs.get("p", kwargs.get("ord", args[1] if len(args) > 1 else 2))
            if isinstance(order, (int, float)) and order <= 0:
                raise self._refusal(name, f"of the order {order}")
        if name in fills:
            args[0] = self._zeroed(x, note, fills[name])
            return function(*args, **kwargs)
        others = math.prod(x.shape[d] for d in dims if d != note.dim)
        kind = kwargs.get("dtype") or x.dtype
        count = selection.count(kind) * others
        mean = self._zeroed(x.to(kind), note).sum(dims, keepdim=True) / count
        if name in ("std", "var"):
            correction = kwargs.get("correction", 1)
            unbiased = kwargs.get("unbiased", next((a for a in args[1:] if isinstance(a, bool)), None))
            correction = int(unbiased) if unbiased is not None else 1 if correction is None else correction
            away = self._zeroed((x - mean), note)
            mean = (away * away).sum(dims, keepdim=True) / (count - correction)
            mean = mean.sqrt() if name == "std" else mean
        return mean if keep else mean.reshape([n for d, n in enumerate(x.shape) if d not in dims])

    def _loss(self, function, name, args, kwargs, x, note):
        """A loss of each row: its sum or its mean over those that are selected."""
        found = _bound(name, args, kwargs)
        given = _tensors(found)
        if name in ("multi_margin_loss", "multilabel_margin_loss", "cosine_embedding_loss", "triplet_margin_loss"):
            if any(t not in self._notes or self._notes[t].dim for t in given[:2]):
                raise self._refusal(name, "beside a tensor that is not selected")
            selection, back = self._notes[given[0]].selection, None
            if any(self._notes[t].selection is not selection for t in given if t in self._notes):
                raise self._refusal(name, "beside others that another mask selects")
        else:
            selection, back = self._aligned(name, given)
        reduction = found.get("reduction", 1)
        reduction = {"none": 0, "mean": 1, "sum": 2}.get(reduction, reduction)
        rows = getattr(torch.ops.aten, name)(**{**found, "reduction": 0})
        self._noted(rows, selection, 0 if back is None else rows.ndim - back)
        if reduction == 0:
            return rows
        return self._reduced(torch.Tensor.mean if reduction == 1 else torch.Tensor.sum, "mean" if reduction == 1 else "sum", (rows,), {}, rows, self._notes[rows])

    def _loss_by_label(self, function, name, args, kwargs, x, note):
        """A loss of a label for each row. Those that are not selected have the label that counts nothing."""
        found = _bound(name, args, kwargs)
        target = found["target"]
        own = self._notes.get(target)
        if own is None or note is None or own.selection is not note.selection or note.dim or own.dim or found.get("weight") in self._notes:
            raise self._refusal(name, "beside others that another mask selects, or that none does")
        if target.is_floating_point():
            rows = getattr(torch.ops.aten, name)(**{**found, "reduction": 0})
            reduction = found.get("reduction", 1)
            self._noted(rows, note.selection, 0)
            total = rows if reduction == 0 else self._zeroed(rows, self._notes[rows]).sum()
            return total if reduction != 1 else total / (note.selection.count(rows.dtype) * (rows.numel() // note.selection.rows))
        ignored = found.get("ignore_index", -100)
        found["target"] = self._zeroed(target, own, ignored)
        rows = function(*(found.get(k, a) for k, a in zip(list(found), args)), **{k: v for k, v in found.items() if k in kwargs})
        return rows if rows.ndim == 0 else self._noted(rows, note.selection, 0)

    # ------------------------------------------------------------ reads and writes at places

    def _at_places(self, function, name, args, kwargs, x, note):
        if name == "__getitem__":
            return self._of_row(function, x, args[1], note) if note is not None else self._pick_places(x, args[1] if isinstance(args[1], tuple) else (args[1],))
        if name == "index_select":
            dim, at = (*args[1:], *kwargs.values())[:2]
            return self._pick_places(x, (*[_WHOLE] * (dim % x.ndim), at))
        if name in ("gather", "take_along_dim"):
            raise self._refusal(name, "of a tensor that is not selected")
        if name in _WRITES:
            new = self._written(name, x, _bound(name, args, kwargs))
        elif name in ("__setitem__", "index_put"):
            found = dict(zip(("self", "indices", "values", "accumulate"), args)) | kwargs
            index = found["indices"]
            index = tuple(_WHOLE if i is None else i for i in index) if name == "index_put" else index if isinstance(index, tuple) else (index,)
            if note is not None:
                return self._written_to_row(function, args, kwargs, x, note, index, found["values"])
            new = self._put(x, index, found["values"], found.get("accumulate", False))
        else:
            raise self._refusal(name, "which is not carried")
        if function.__name__ == "__setitem__":
            x.copy_(new)
            return None
        return x.copy_(new) if function.__name__.endswith("_") else new

    def _of_row(self, function, x, index, note):
        """Returns x[index] of a selection: a part of its other dims, or what another mask, which is computed of it, selects of it."""
        index = _spelled(index if isinstance(index, tuple) else (index,), x.ndim)
        dim, place, keeps, chosen = 0, None, 0, None
        for i, part in enumerate(index):
            if dim == note.dim and part is not None:
                own = self._notes.get(part) if isinstance(part, torch.Tensor) else None
                if own is not None and part.dtype == torch.bool and part.ndim == 1 and own.selection is note.selection:
                    chosen = part
                elif not (isinstance(part, slice) and part == _WHOLE):
                    raise self._refusal("an index", "which reads them by their numbers")
                place = keeps
                at = i
                break
            dim += _dims_of(part)
            keeps += part is None or isinstance(part, slice)
        if any(isinstance(p, torch.Tensor) and (p in self._notes or p.ndim) for i, p in enumerate(index) if i != at):
            others = [p for i, p in enumerate(index) if i != at and isinstance(p, torch.Tensor)]
            if chosen is None and len(others) == 1 and index.index(others[0]) > at and others[0] not in self._notes and others[0].dtype != torch.bool:
                return self._noted(x[tuple(index)], note.selection, place)
            raise self._refusal("an index", "beside another index")
        if chosen is None:
            coordinate = index[1] if x.ndim == 2 and note.dim == 0 and len(index) == 2 and isinstance(index[1], int) and note.coordinate == 0 else None
            found = x[tuple(index)]
            return self._noted(found, note.selection, place, coordinate if coordinate == 0 else note.coordinate if found.numel() == x.numel() else None)
        for known, version, selection in self._made:
            if known is chosen and version == chosen._version:
                break
        else:
            selection = self._new(note.selection.mask & chosen)
            self._made.append((chosen, chosen._version, selection))
        found = x[(*index[:at], _WHOLE, *index[at + 1:])]
        return self._noted(self._filled(found, selection, place), selection, place)

    def _written_to_row(self, function, args, kwargs, x, note, index, values):
        """Writes to a part of the other dims of a selection, or where a mask, which is computed of it, is True."""
        spelled = _spelled(index, x.ndim)
        if len(index) == 1 and isinstance(index[0], torch.Tensor) and index[0].dtype == torch.bool and self._notes.get(index[0]) is not None:
            self._aligned("an index", [x, index[0]] if x.ndim == index[0].ndim else [x])
            own = self._notes.get(values) if isinstance(values, torch.Tensor) else None
            if own is None:
                return function(*args, **kwargs)
            chosen = next((s for known, version, s in self._made if known is index[0] and version == index[0]._version), None)
            if chosen is not own.selection or note.dim or own.dim or index[0].ndim != 1:
                raise self._refusal("a write", "where another mask is True")
            new = torch.where(index[0].view(-1, *[1] * (x.ndim - 1)), values.to(x.dtype), x)
            if function.__name__ == "__setitem__" or function.__name__.endswith("_"):
                x.copy_(new)
                return None if function.__name__ == "__setitem__" else x
            return self._noted(new, note.selection, note.dim)
        dim = 0
        for part in spelled:
            if dim == note.dim and part is not None and not (isinstance(part, slice) and part == _WHOLE):
                raise self._refusal("an index", "which writes to them by their numbers")
            dim += _dims_of(part)
        return function(*args, **kwargs)

    def _row_values(self, values, selection, shape, dtype):
        """Returns values in the shape of what is selected. shape: what follows the dim of the selection; dims before it are in its first place."""
        own = self._notes.get(values) if isinstance(values, torch.Tensor) else None
        if own is not None and own.selection is not selection:
            raise self._refusal("a write", "whose places another mask selects")
        if own is None and isinstance(values, torch.Tensor) and values.ndim > len(shape) and values.shape[values.ndim - len(shape) - 1] != 1:
            raise self._refusal("a write", "beside values that are not selected")
        return values.to(dtype) if isinstance(values, torch.Tensor) else values

    def _put(self, x, index, values, accumulate):
        index = _spelled(index, x.ndim)
        numbers = [i for i, part in enumerate(index) if isinstance(part, torch.Tensor) and part.ndim]
        selected = [i for i in numbers if index[i] in self._notes]
        if not selected:  # values of a selection where its own mask is True
            return self._put_where(x, index, values, accumulate)
        notes = [self._notes[index[i]] for i in selected]
        selection = notes[0].selection
        if selected != numbers or any(n.selection is not selection or index[i].ndim != 1 for n, i in zip(notes, selected)) \
                or numbers != list(range(numbers[0], numbers[-1] + 1)) or any(part is None for part in index):
            raise self._refusal("a write", "at places beside others that another mask selects, or that none does")
        if isinstance(values, torch.Tensor) and values in self._notes and self._notes[values].dim != numbers[0]:
            raise self._refusal("a write", "in another dim")
        first = numbers[0]
        shape = x[tuple(index)].shape[first + 1:]
        values = self._row_values(values, selection, shape, x.dtype)
        wide = torch.as_tensor(values, dtype=x.dtype, device=x.device).expand(x[tuple(index)].shape) if not isinstance(values, torch.Tensor) else values.expand(x[tuple(index)].shape)
        if accumulate:
            kept = torch.where(selection.wide(wide.ndim, first), wide, torch.zeros((), dtype=x.dtype, device=x.device))
            return torch.ops.aten.index_put.default(x, self._plain(index), kept, True)
        # What is not selected is written to a row of its own, which is cut off.
        d = sum(_dims_of(p) for p in index[:first])
        more = torch.cat([x, x.narrow(d, 0, 1)], d)
        at = list(index)
        at[first] = torch.where(selection.mask, at[first] % x.shape[d], torch.full_like(at[first], x.shape[d]))
        order = [n.coordinate for n in notes]
        if len(selected) == 1 and order == [0] and len(selection.shape) == 1 and x.shape[d] == selection.rows and not any(isinstance(p, int) for p in index):
            own = (*index[:first], _WHOLE, *index[first + 1:])
            kept = torch.where(selection.wide(wide.ndim, first), wide, x[own])
            new = x.clone()
            new[own] = kept
            return new
        more[tuple(at)] = wide
        return more.narrow(d, 0, x.shape[d])

    def _plain(self, index):
        if any(isinstance(p, (int, slice)) and p != _WHOLE for p in index):
            raise self._refusal("a write", "which adds to a part of other dims")
        return [None if isinstance(p, slice) else p for p in index]

    def _put_where(self, x, index, values, accumulate):
        own = self._notes.get(values)
        mask = index[0]
        rest = index[mask.ndim:] if isinstance(mask, torch.Tensor) else ()
        if own is None or own.dim or not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool or any(not isinstance(p, slice) or p != _WHOLE for p in index[1:]):
            raise self._refusal("a write", "at places that no mask selects")
        if self._of_mask(mask) is not own.selection:
            raise self._refusal("a write", "where another mask is True")
        wide = values.to(x.dtype).reshape(*mask.shape, *values.shape[1:])
        where = mask.view(*mask.shape, *[1] * (x.ndim - mask.ndim))
        return torch.where(where, x + wide if accumulate else wide, x)

    def _written(self, name, x, found):
        """Returns x with rows of a source written to places along a dim."""
        dim, index = found["dim"] % x.ndim, found["index"]
        key = "source" if "source" in found else "src"
        source = found.get(key)
        at, own = self._notes.get(index), self._notes.get(source) if isinstance(source, torch.Tensor) else None
        if at is None or own is None or at.selection is not own.selection or own.dim != (dim if name.startswith("index") else at.dim):
            raise self._refusal(name, "beside others that another mask selects, or that none does")
        selection, alpha = own.selection, found.get("alpha", 1)
        if name == "scatter_add":
            return x.scatter_add(dim, index, self._zeroed(source, own))
        if name == "index_add":
            source = self._zeroed(source.to(x.dtype), own)
            source = source if alpha == 1 else source * alpha
            if at.coordinate is None or x.shape[dim] != selection.shape[at.coordinate]:
                return x.index_add(dim, index, source)
            wide = source.reshape(*source.shape[:dim], *selection.shape, *source.shape[dim + 1:])  # the places are those of a dim of the mask
            others = [dim + d for d in range(len(selection.shape)) if d != at.coordinate]
            return x + (wide.sum(others) if others else wide)
        more = torch.cat([x, x.narrow(dim, 0, 1)], dim)  # what is not selected is written to a row of its own, which is cut off
        index = torch.where(selection.wide(index.ndim, at.dim), index, torch.full_like(index, x.shape[dim]))
        rest = {k: v for k, v in found.items() if k not in ("self", "dim", "index", key)}
        return getattr(torch.Tensor, name)(more, dim, index, source, **rest).narrow(dim, 0, x.shape[dim])


def _is_asked_by(file):
    """Returns True if the innermost function outside of this package, and of what calls it, is in a file."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_HERE, torch.overrides.__file__)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename == file


def _plain(tensor):
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in _leaves(v)] if isinstance(value, (list, tuple)) else [value]


def _dims_of(part):
    """Returns how many dims of a tensor a part of an index is for."""
    if part is None:
        return 0
    return part.ndim if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) else 1


def _spelled(index, rank):
    """Returns an index with a part for each dim of a tensor, without `...`."""
    index = list(index)
    at = next((i for i, part in enumerate(index) if part is Ellipsis), len(index))
    after = index[at + 1:]
    missing = rank - sum(map(_dims_of, index[:at])) - sum(map(_dims_of, after))
    return [*index[:at], *[_WHOLE] * missing, *after]


def _node(tensor):
    mode = get_proxy_mode()
    found = mode.tracer.tensor_tracker.get(tensor) if mode is not None and isinstance(tensor, torch.Tensor) else None
    return None if found is None else found.proxy.node


def _is_written(node):
    """Returns True if an op changes a tensor, or a view of it."""
    for user in node.users:
        schema = getattr(user.target, "_schema", None)
        if schema is not None and (schema.is_mutable or any(r.alias_info for r in schema.returns) and _is_written(user)):
            return True
    return False


def _is_same(a, b):
    """Returns True if two nodes of a trace have the same value, each being computed in the same way of the same tensors."""
    if not isinstance(a, torch.fx.Node) or not isinstance(b, torch.fx.Node):
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(map(_is_same, a, b))
        return a is not None and type(a) is type(b) and not isinstance(a, torch.fx.Node) and a == b
    if _is_written(a) or _is_written(b):
        return False
    if a is b:
        return True
    if a.op != "call_function" or a.target is not b.target or not isinstance(a.target, torch._ops.OpOverload) or len(a.args) != len(b.args):
        return False
    if torch.Tag.nondeterministic_seeded in a.target.tags or a.kwargs.keys() != b.kwargs.keys():
        return False
    plain = lambda v, w: _is_same(v, w) or v is None and w is None
    return all(map(plain, a.args, b.args)) and all(plain(v, b.kwargs[k]) for k, v in a.kwargs.items())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views by strides (as_strided), which read and write a tensor's memory in whatever order it is.

A step has values and no memory, so that the text reads such a view in the row-major order of its operand. The order of the memory that
a module meets is known in the graph that torch.export records. There the operand of each such view becomes the tensor that owns the
memory, with its dims in the order of its strides: in row-major order it then is the memory. torch's decompositions come later and may give
tensors other strides; a view of a tensor that they leave in another order is refused.
"""
import operator

import numpy as np
import torch

from .._errors import Error
from . import aliases
from .markers import gradient_at

_READS = (torch.ops.aten.as_strided.default, torch.ops.aten.as_strided_copy.default)
_WRITES = (torch.ops.aten.as_strided_scatter.default,)
_IN_PLACE = (torch.ops.aten.as_strided_.default,)
_DETACH = torch.ops.aten.detach.default


def _order(x):
    """Returns the dims of a tensor in the order of its memory, the outermost first, or None if elements share memory or leave gaps."""
    order = sorted(range(x.ndim), key=lambda d: (-x.stride(d), x.shape[d] == 1, d))
    step = 1
    for d in reversed(order):
        if x.shape[d] != 1 and x.stride(d) != step:
            return None
        step *= x.shape[d]
    # Dims of one element stand anywhere; where the others are in order, so are all.
    wide = [d for d in order if x.shape[d] != 1]
    return list(range(x.ndim)) if wide == sorted(wide) else order


def _owner(node, aliased):
    """Returns the tensor of whose memory a node is a view, and whether a detach lies between."""
    is_detached = False
    while (below := aliased(node)) is not None:
        if torch.Tag.inplace_view in getattr(node.target, "tags", ()):
            break  # t_() and the like: from here on, the tensor itself has other dims
        if node.target is not operator.getitem:
            value, memory = node.meta.get("val"), below.meta.get("val")
            if isinstance(value, torch.Tensor) and isinstance(memory, torch.Tensor) and (
                    value.untyped_storage()._cdata != memory.untyped_storage()._cdata or value.dtype != memory.dtype):
                break  # an op that shares memory only where it can, such as reshape; or one that reads it as another type
        is_detached |= node.target is _DETACH
        node = below
    return node, is_detached


def _places(size, stride, offset):
    """Returns the first and the last place of a view, or None if it has no elements."""
    if any(n == 0 for n in size):
        return None
    reach = [(n - 1) * s for n, s in zip(size, stride)]
    return offset, offset + sum(reach)


def _ordered(graph, node, x, offset, places, aliased):
    """Returns a tensor that is the memory of x in row-major order, the dims of what has them in that order, and the view's offset in it."""
    owner, is_detached = _owner(x, aliased)
    for tensor in (owner, x):
        value = tensor.meta["val"]
        order, begin = _order(value), value.storage_offset()
        if order is None or places is not None and (places[0] < begin or places[1] >= begin + value.numel()):
            continue
        found = tensor
        with graph.inserting_before(node):
            if tensor is owner and is_detached:
                found = _called(graph, _DETACH, (found,), node)
            if order != list(range(value.ndim)):
                found = _called(graph, torch.ops.aten.permute.default, (found, order), node)
        return found, order, offset - begin
    value = x.meta["val"]
    raise _refusal(node, "as_strided", f"reads memory between or beyond the elements of a tensor of shape {list(value.shape)} and strides "
                   f"{list(value.stride())}: expected a view of the elements of a tensor whose memory has no gaps; index it, or use unfold")


def _reaches_beyond(x, size, stride, offset):
    """Returns True if a view has a place in memory that is no element of x."""
    from .ops.indexing import strided_places

    own = strided_places(x.shape, x.shape, x.stride(), x.storage_offset())
    return not np.isin(strided_places(x.shape, size, stride, offset), own).all()


def _called(graph, target, args, like):
    found = graph.call_function(target, args)
    found.meta = {**like.meta, "val": target(args[0].meta["val"], *args[1:])}
    return found


def _refusal(node, what, text):
    """Returns the Error of a node: what it does, with its module, and the rest."""
    from .lowering import module_of, place_of

    path = module_of(node)
    return Error(f"{what}{f' in the module {path!r}' if path else ''} {text}", place_of(node))


def read_in_order(graph_module):
    """Gives each view by strides an operand in the order of memory."""
    graph = graph_module.graph
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in (*_READS, *_WRITES):
            continue
        x, *rest = node.args
        written, (size, stride, *offset) = (rest[:1], rest[1:]) if node.target in _WRITES else ([], rest)
        offset = node.kwargs.get("storage_offset", offset[0] if offset else None)
        offset = x.meta["val"].storage_offset() if offset is None else offset
        places = _places(size, stride, offset)
        if not written:
            value = x.meta["val"]
            found, _, inner = _ordered(graph, node, x, offset, places, aliases.aliased)
            if _reaches_beyond(value, size, stride, offset):
                if aliases.leads_to_write(node):
                    raise _refusal(node, "as_strided", "is changed in place, beyond the elements of the tensor that it is a view of: expected a "
                                   "view of its own elements; take it of the tensor that owns the memory")
                with graph.inserting_before(node):
                    found = _called(graph, gradient_at,
                                    (found, list(value.shape), list(value.stride()), value.storage_offset() - offset + inner), node)
            node.args, node.kwargs = (found, size, stride, inner), {}
            continue
        # The result has the elements of x, not those of the memory around it.
        found, order, offset = _ordered(graph, node, x, offset, places, lambda node: None)
        node.args, node.kwargs = (found, *written, size, stride, offset), {}
        node.meta = {**node.meta, "val": found.meta["val"]}
        if order != list(range(len(order))):
            with graph.inserting_after(node):
                back = _called(graph, torch.ops.aten.permute.default, (node, [order.index(d) for d in range(len(order))]), node)
            node.replace_all_uses_with(back, delete_user_cb=lambda user, own=back: user is not own)
    graph_module.recompile()
    for child in graph_module.children():
        if isinstance(child, torch.fx.GraphModule):
            read_in_order(child)


def refuse_others(graph_module):
    """Refuses views by strides of a tensor that is not in row-major order after decomposition."""
    for node in graph_module.graph.nodes:
        if node.op == "call_function" and node.target in (*_READS, *_WRITES, *_IN_PLACE):
            value = node.args[0].meta["val"]
            if not value.is_contiguous() or value.storage_offset() or node.target in _IN_PLACE:
                raise _refusal(node, node.target, f"reads a tensor of shape {list(value.shape)} and strides {list(value.stride())}: expected one in "
                               "row-major order; call contiguous() first, or index it")
    for child in graph_module.children():
        if isinstance(child, torch.fx.GraphModule):
            refuse_others(child)

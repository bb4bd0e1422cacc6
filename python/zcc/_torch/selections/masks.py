# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds out whether two masks select the same elements: they are the same tensor, or were computed in the same way of the
same tensors, perhaps in other shapes."""
import operator

import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode

# Functions of a graph that keep all elements of a tensor in their order.
_RESHAPES = {torch.ops.aten.view.default, torch.ops.aten.reshape.default, torch.ops.aten.flatten.using_ints, torch.ops.aten.unflatten.int,
             torch.ops.aten.squeeze.default, torch.ops.aten.squeeze.dim, torch.ops.aten.squeeze.dims, torch.ops.aten.unsqueeze.default,
             torch.ops.aten._unsafe_view.default}


def are_same(a, b):
    """Returns True if two tensors have the same value by how the trace computes them."""
    return _is_same(_node(a), _node(b))


def have_same_elements(a, b):
    """Returns True if two tensors have the same elements in the same order, in shapes that may differ."""
    return a.numel() == b.numel() and _is_same(_before_reshapes(_node(a)), _before_reshapes(_node(b)))


def _before_reshapes(node):
    while isinstance(node, torch.fx.Node) and node.target in _RESHAPES and not is_written(node):
        node = node.args[0]
    return node


def _node(tensor):
    mode = get_proxy_mode()
    found = mode.tracer.tensor_tracker.get(tensor) if mode is not None and isinstance(tensor, torch.Tensor) else None
    return None if found is None else found.proxy.node


def is_written(node):
    """Returns True if an op changes a tensor, or a view of it."""
    for user in node.users:
        schema = getattr(user.target, "_schema", None)
        if schema is not None and (schema.is_mutable or any(r.alias_info for r in schema.returns) and is_written(user)):
            return True
    return False


def _is_same(a, b):
    """Returns True if two nodes of a trace have the same value, each being computed in the same way of the same tensors."""
    if not isinstance(a, torch.fx.Node) or not isinstance(b, torch.fx.Node):
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(map(_is_same, a, b))
        return a is not None and type(a) is type(b) and not isinstance(a, torch.fx.Node) and a == b
    if is_written(a) or is_written(b):
        return False
    if a is b:
        return True
    if a.op != "call_function" or a.target is not b.target or len(a.args) != len(b.args):
        return False
    if a.target is operator.getitem:  # one of several results
        return _is_same(a.args, b.args)
    if not isinstance(a.target, torch._ops.OpOverload):
        return False
    if torch.Tag.nondeterministic_seeded in a.target.tags or a.kwargs.keys() != b.kwargs.keys():
        return False
    plain = lambda v, w: _is_same(v, w) or v is None and w is None
    return all(map(plain, a.args, b.args)) and all(plain(v, b.kwargs[k]) for k, v in a.kwargs.items())

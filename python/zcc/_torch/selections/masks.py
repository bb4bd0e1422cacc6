# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds out whether two masks select the same elements: they are the same tensor, or were computed in the same way of the
same tensors."""
import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode


def are_same(a, b):
    """Returns True if two tensors have the same value by how the trace computes them."""
    return _is_same(_node(a), _node(b))


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

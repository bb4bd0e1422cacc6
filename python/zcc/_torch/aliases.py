# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds nodes of a graph that share memory or change it in place, and the graphs of regions that a node calls."""
import operator

import torch

AUTOCAST = "wrap_with_autocast"
_REGIONS = ("wrap_with_set_grad_enabled", AUTOCAST)
DETACH = (torch.ops.aten.detach.default, torch.ops.aten.detach_.default)


def is_float(node):
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _shared_operands(node):
    """Returns the operands that an op changes or whose memory a result shares, each with True if it is changed."""
    schema = getattr(node.target, "_schema", None)
    if node.op != "call_function" or schema is None:
        return []
    given = {**{d.name: a for d, a in zip(schema.arguments, node.args)}, **node.kwargs}
    found = [(given.get(d.name), d.alias_info.is_write) for d in schema.arguments if d.alias_info]
    return [(a, is_changed) for a, is_changed in found if isinstance(a, torch.fx.Node)]


def written_by(node):
    """Returns the tensors of floating point whose values an op changes in place."""
    if node.target in DETACH:
        return []
    return [a for a, is_changed in _shared_operands(node) if is_changed and is_float(a)]


def aliased(node):
    """Returns the operand whose memory the result of an op shares, or None: a view, or an op that changes it and returns it."""
    if node.target is operator.getitem:  # an op of several views, such as chunk, has a list as its result
        return node.args[0] if aliased(node.args[0]) is not None else None
    shared = _shared_operands(node)
    return shared[0][0] if shared and any(r.alias_info for r in node.target._schema.returns) else None


def is_alias(node, of):
    return aliased(node) is of


def leads_to_write(node):
    """Returns True if a tensor, or one that shares its memory, is changed in place."""
    return any(node in written_by(u) or is_alias(u, node) and leads_to_write(u) or is_written_within(u, node) for u in node.users)


def region_of(node):
    """Returns the graph of a region that a node calls, without gradients or of autocast, its arguments and its operands; or None."""
    if not any(name in str(node.target) for name in _REGIONS):
        return None
    at = next(i for i, a in enumerate(node.args) if isinstance(a, torch.fx.Node) and a.op == "get_attr")
    inner = getattr(node.graph.owning_module, node.args[at].target).graph
    return inner, [n for n in inner.nodes if n.op == "placeholder"], node.args[at + 1:]


def is_written_within(user, node):
    """Returns True if a region that is called with a tensor changes it in place."""
    if (region := region_of(user)) is None:
        return False
    _, arguments, operands = region
    return any(a is node and leads_to_write(p) for p, a in zip(arguments, operands))


def results_of(graph):
    return next(n for n in graph.nodes if n.op == "output").args[0]


def root_of(node):
    """Returns the tensor whose memory a tensor shares."""
    while aliased(node) is not None:
        node = aliased(node)
    return node

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns detach, and the results of regions without gradients, into zcc.stop_gradient, before torch decomposes a graph and drops them."""
import operator

import torch

from .aliases import AUTOCAST, DETACH, aliased, is_alias, is_float, is_written_within, leads_to_write, region_of, results_of, root_of, written_by
from .markers import stop_gradient, with_gradient


def _call(graph, target, args, like):
    node = graph.call_function(target, args)
    node.meta = {**like.meta, "val": args[0].meta["val"]}
    return node


def _write_without_gradient(graph, node, target):
    """After an op that changes `target` in place where no gradient passes, its gradient is that of what was there."""
    with graph.inserting_before(node):
        before = _call(graph, torch.ops.aten.clone.default, (target,), node)
    with graph.inserting_before(node.next):
        new = _call(graph, with_gradient, (target, before), node)
        _call(graph, torch.ops.aten.copy_.default, (target, new), node)


def _argument(node):
    """Returns the argument of a region that a result of it is, changed in place, or None."""
    while node is not None and node.op != "placeholder":
        node = aliased(node) if aliased(node) in written_by(node) else _operand(node)
    return node


def _operand(node):
    """Returns the operand of an autocast region that a result of it is, changed in place, or None."""
    if node.target is not operator.getitem or AUTOCAST not in str(node.args[0].target):
        return None
    inner, arguments, operands = region_of(node.args[0])
    found = _argument(results_of(inner)[node.args[1]])
    return None if found is None else operands[arguments.index(found)]


def _share_memory(graph, node, target):
    """Makes `node`, which is detached and changed in place, `target`, whose memory it shares. Its readers get no
    gradient."""
    for user in list(node.users):
        written = node in written_by(user)
        if is_written_within(user, node):
            inner, arguments, operands = region_of(user)
            argument = arguments[operands.index(node)]
            user.replace_input_with(node, target)
            if AUTOCAST in str(user.target):  # gradients pass there
                _share_memory(inner, argument, argument)
            for result in list(user.users):  # the tensor itself after the change
                if result.target is operator.getitem and root_of(results_of(inner)[result.args[1]]) is argument:
                    _share_memory(graph, result, result)
        elif written or is_alias(user, node) and (user.target is operator.getitem or leads_to_write(user)):
            user.replace_input_with(node, target)
            if written:
                _write_without_gradient(graph, user, target)
            if user.target is DETACH[1]:  # it is detached already
                user.target = DETACH[0]
            _share_memory(graph, user, target if user.target is DETACH[0] else user)
        elif user.target is not stop_gradient:
            with graph.inserting_before(user):
                stopped = _call(graph, stop_gradient, (target,), user)
            user.replace_input_with(node, stopped)


def keep_stops(graph_module, enabled=True):
    """Turns detach, and the results of regions without gradients, into zcc.stop_gradient; also within regions.

    enabled: whether gradients pass where the graph is called.
    """
    graph = graph_module.graph
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if not enabled:
            for target in written_by(node):
                if root_of(target).op == "placeholder":  # what the region made itself has no gradient
                    _write_without_gradient(graph, node, target)
        if node.target is DETACH[0] and leads_to_write(root_of(node)):
            _share_memory(graph, node, node.args[0])
            graph.erase_node(node)
        elif node.target in DETACH:
            in_place = node.target is DETACH[1]
            node.target = stop_gradient
            if in_place:  # the memory stays that of what was detached
                node.replace_all_uses_with(node.args[0])
                with graph.inserting_before(node.next):
                    _call(graph, torch.ops.aten.copy_.default, (node.args[0], node), node)
        elif "wrap_with_set_grad_enabled" in str(node.target):
            inner = getattr(graph_module, node.args[1].target)
            keep_stops(inner, node.args[0])
            inner.kept = True
            results = results_of(inner.graph)
            for user in list(node.users) if node.args[0] is False else ():
                if user.target is operator.getitem and is_float(user) and _argument(results[user.args[1]]) is None:
                    with graph.inserting_after(user):
                        stopped = graph.call_function(stop_gradient, (user,))
                    stopped.meta = dict(user.meta)
                    user.replace_all_uses_with(stopped, delete_user_cb=lambda other, own=stopped: other is not own)
    for child in graph_module.children():
        if isinstance(child, torch.fx.GraphModule) and not getattr(child, "kept", False):
            keep_stops(child, enabled)
    graph_module.recompile()

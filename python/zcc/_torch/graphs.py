# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Self-loops of torch_geometric's graphs without sizes that depend on values.

GCNConv and the layers of graph attention drop the self-loops among the edges, whose number is known only when the step runs,
and give each node one. Here a self-loop among the edges stays in its place and counts nothing: its weight is 0, or the
softmax over a node's edges leaves it out.
"""
import contextlib
import sys

import torch

from .replacing import replaced

_NOWHERE = 2 ** 30  # the number of no node; a graph reads there and does not use the value


def add_remaining_self_loops(edge_index, edge_attr=None, fill_value=1.0, num_nodes=None):
    """As torch_geometric's, for edges with weights, or without: then the weights that the edges get tell which count."""
    away = edge_index[0] != edge_index[1]
    loops = torch.arange(num_nodes, device=edge_index.device, dtype=edge_index.dtype)
    if edge_attr is None:
        kept = away.to(torch.get_default_dtype())
        own = kept.new_ones(num_nodes)
    else:
        wide = away.view(-1, *[1] * (edge_attr.dim() - 1))
        kept = torch.where(wide, edge_attr, torch.zeros_like(edge_attr))
        own = edge_attr.new_full((num_nodes + 1, *edge_attr.shape[1:]), fill_value)  # the last row takes the weights of all other edges
        own = own.index_put((torch.where(away, torch.full_like(edge_index[0], num_nodes), edge_index[0]),), edge_attr)[:num_nodes]
    return torch.cat([edge_index, loops.expand(2, -1)], 1), torch.cat([kept, own])


def remove_self_loops(edge_index, edge_attr=None):
    """Returns all edges, of which self-loops are at no node."""
    away = edge_index[0] != edge_index[1]
    return torch.where(away, edge_index, torch.full_like(edge_index, _NOWHERE)), edge_attr


def softmax_of(original):
    def softmax(src, index=None, ptr=None, num_nodes=None, dim=0):
        kept = index != _NOWHERE
        shape = [1] * src.dim()
        shape[dim] = -1
        src = src.masked_fill(~kept.view(shape), torch.finfo(src.dtype).min / 4)
        found = original(src, torch.where(kept, index, torch.zeros_like(index)), ptr, num_nodes, dim)
        return torch.where(kept.view(shape), found, torch.zeros_like(found))
    return softmax


@contextlib.contextmanager
def of_fixed_sizes():
    """While it lasts, torch_geometric's layers take self-loops as above."""
    base = "torch_geometric.nn.conv."
    with contextlib.ExitStack() as stack:
        if gcn := sys.modules.get(base + "gcn_conv"):
            stack.enter_context(replaced(gcn, "add_remaining_self_loops", add_remaining_self_loops))
        for layer in ("gat_conv", "gatv2_conv", "agnn_conv"):
            if module := sys.modules.get(base + layer):
                stack.enter_context(replaced(module, "remove_self_loops", remove_self_loops))
                stack.enter_context(replaced(module, "softmax", softmax_of(module.softmax)))
        yield

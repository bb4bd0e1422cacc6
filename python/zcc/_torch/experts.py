# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of experts of transformers in a form that shards.

transformers sorts the tokens of the whole batch by their experts and multiplies each run of tokens by its expert's matrices.
No axis of a mesh divides such a sort, and where runs have no known lengths, every expert multiplies all sorted rows. Here every
expert multiplies every token once, and the weights of the routing, mostly zeros, add the results of the experts: the batch and
the experts are dims that any axis divides.
"""
import contextlib
import sys

import torch

from .replacing import replaced


def every_expert(experts, hidden, chosen, weights):
    """hidden [tokens, features]; chosen and weights [tokens, k], an expert's number and its share. Returns [tokens, features]."""
    def product(x, name):
        matrices = getattr(experts, name)
        matrices = matrices if experts.is_transposed else matrices.transpose(-2, -1)
        found = torch.matmul(x, matrices)
        return found + getattr(experts, f"{name}_bias").unsqueeze(1) if experts.has_bias else found

    # An expert's number beyond the last, which means none, has no row that is 1.
    one_hot = (chosen.unsqueeze(-1) == torch.arange(experts.num_experts, device=chosen.device)).to(weights.dtype)
    share = (one_hot * weights.unsqueeze(-1)).sum(1)  # [tokens, experts]
    x = product(hidden.unsqueeze(0).expand(experts.num_experts, -1, -1), "gate_up_proj" if experts.has_gate else "up_proj")
    x = experts._apply_gate(x) if experts.has_gate else experts.act_fn(x)
    x = product(x, "down_proj")
    if experts.has_post_expert_norm:
        x = experts.post_expert_norm(x)
    return torch.einsum("etf,te->tf", x, share.to(x.dtype)).to(hidden.dtype)


# Older layers loop over the experts that any token chose, whose number is known only when the step runs.

def _added(hidden, experts, shares):
    """Returns the sum of what every expert makes of hidden [tokens, features], times its column of shares [tokens, experts]."""
    found = torch.zeros_like(hidden)
    for number, expert in enumerate(experts):
        found = found + (expert(hidden) * shares[:, number, None]).to(hidden.dtype)
    return found


def _shares(chosen, weights):
    """Returns [tokens, experts] of chosen [tokens, k, experts], which is 1 for an expert that is chosen, and weights [tokens, k]."""
    return (chosen.to(weights.dtype) * weights.unsqueeze(-1)).sum(1)


def _switch(experts, hidden, chosen, weights):
    return _added(hidden, experts.values(), _shares(chosen, weights))


def _dbrx(experts, hidden, chosen, weights):
    def expert(w1, v1, w2):
        return lambda x: experts.mlp(x, w1, v1, w2)
    matrices = (w.view(experts.num_experts, -1, experts.hidden_size) for w in (experts.mlp.w1, experts.mlp.v1, experts.mlp.w2))
    one_hot = (chosen.unsqueeze(-1) == torch.arange(experts.num_experts, device=chosen.device))
    flat = hidden.reshape(-1, experts.hidden_size)
    return _added(flat, (expert(*m) for m in zip(*matrices)), _shares(one_hot, weights)).view(hidden.shape[0], -1, experts.hidden_size)


_LOOPS = {"switch_transformers.modeling_switch_transformers.SwitchTransformersExperts": _switch,
          "dbrx.modeling_dbrx.DbrxExperts": _dbrx}


@contextlib.contextmanager
def all_at_once():
    """While it lasts, transformers' experts are computed as above, whichever form a module asks for: all give the same."""
    with contextlib.ExitStack() as stack:
        for place, forward in _LOOPS.items():
            module, _, name = place.rpartition(".")
            if library := sys.modules.get("transformers.models." + module):
                stack.enter_context(replaced(getattr(library, name), "forward", forward))
        stack.enter_context(_table_of_forms())
        yield


@contextlib.contextmanager
def _table_of_forms():
    """While it lasts, the layers that ask transformers for a form of experts get `every_expert`."""
    library = sys.modules.get("transformers.integrations.moe")
    table = getattr(getattr(library, "ExpertsInterface", None), "_global_mapping", None)
    if table is None:
        yield
        return
    before = dict(table)
    table.update(dict.fromkeys([*table, "eager", None], every_expert))
    try:
        yield
    finally:
        table.clear()
        table.update(before)

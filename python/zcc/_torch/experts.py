# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of experts of transformers in a form that shards.

transformers sorts the tokens of the whole batch by their experts and multiplies each run of tokens by its expert's matrices.
No axis of a mesh divides such a sort, and where runs have no known lengths, every expert multiplies all sorted rows. Here
every expert multiplies every token once, and the weights of the routing, mostly zeros, add what the experts return: the
batch and the experts are dims that any axis divides.
"""
import contextlib
import sys

import torch


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


@contextlib.contextmanager
def all_at_once():
    """While it lasts, transformers' experts are computed as above, whichever form a module asks for: all give the same."""
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

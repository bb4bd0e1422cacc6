# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, in the form in which zcc's importer recognizes it."""
import math

from ..text import smallest
from . import lower
from .random import drop
from .reductions import safe_softmax, softmax


@lower("aten.scaled_dot_product_attention.default")
def attention(b, q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """q [..., heads, L, E], k [..., heads of keys, S, E], v [..., heads of keys, S, F], as torch has it."""
    import torch

    if enable_gqa and k.rank >= 3 and k.shape[-3] != q.shape[-3]:
        k, v = (_repeated(b, x, q.shape[-3]) for x in (k, v))
    lead = tuple(torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2]))
    q, k, v = (b.broadcast(x, lead + x.shape[-2:]) for x in (q, k, v))
    n = len(lead)
    both = (range(n), range(n))
    scores = b.wide(b.dot_general(q, k, both, ((n + 1,), (n + 1,))))
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if factor != 1:
        scores = b.multiply(scores, b.like(factor, scores))
    low = b.constant(-math.inf, scores.shape, scores.element)
    if is_causal:
        rows, columns = b.iota(scores.shape[-2:], 0, "i32"), b.iota(scores.shape[-2:], 1, "i32")
        scores = b.select(b.broadcast(b.compare("GE", rows, columns), scores.shape), scores, low)
    if attn_mask is not None:
        if attn_mask.element == "i1":
            # The smallest finite number leaves no NaN in the gradient of a row in which nothing is kept.
            scores = b.select(b.broadcast(attn_mask, scores.shape), scores, b.like(smallest(scores.element), scores))
        else:
            scores = b.add(scores, b.broadcast(b.convert(attn_mask, scores.element), scores.shape))
    # A mask that is added may have rows of -inf, which give 0.
    added = attn_mask is not None and attn_mask.element != "i1"
    weights = b.convert((safe_softmax if added else softmax)(b, scores, -1), v.element)
    if dropout_p:
        weights = drop(b, weights, dropout_p)
    found = b.dot_general(weights, v, both, ((n + 1,), (n,)))
    if attn_mask is not None and attn_mask.element == "i1":  # a row in which nothing is kept gives 0
        some = b.reduce(attn_mask, [attn_mask.rank - 1], "or", keep=True)
        found = b.select(b.broadcast(some, found.shape), found, b.like(0, found))
    return found


def _repeated(b, x, heads):
    """Repeats each head of keys for the heads of queries that share it."""
    lead, own, rest = x.shape[:-3], x.shape[-3], x.shape[-2:]
    wide = (*lead, own, heads // own, *rest)
    dims = [i for i in range(len(wide)) if i != len(lead) + 1]
    return b.reshape(b.broadcast_in_dim(x, wide, dims), (*lead, heads, *rest))

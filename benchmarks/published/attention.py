# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that selective recomputation (Korthikanti et al., arXiv 2205.05198) computes again, in a file of their own for --remat=attention.py*."""
import math

import jax
import jax.numpy as jnp


def attention(q, k, v):
    """q, k, v: [batch, seq, heads, depth]; causal."""
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
    s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s, jnp.finfo(s.dtype).min)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v)

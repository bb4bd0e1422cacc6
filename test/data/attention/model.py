# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""loss.mlir is this function by `tools/export/jax.py model.py:loss --params model.py:params --batch model.py:batch`, without the
locations of its ops: attention with a mask of padding and dropout of the weights."""
import jax
import jax.numpy as jnp
import numpy as np

B, S, H, D = 4, 128, 2, 64
params = {n: np.zeros((H, D, H * D) if n == "o" else (H * D, H, D), np.float32) for n in "qkvo"}
batch = {"x": np.zeros((B, S, H * D), np.float32), "len": np.zeros((B,), np.int32)}


def loss(p, b):
    q, k, v = (jnp.einsum("bse,ehd->bshd", b["x"], p[n]) for n in "qkv")
    seen = (jnp.arange(S)[None] < b["len"][:, None])[:, None, None, :]
    weights = jax.nn.softmax(jnp.where(seen, jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(D), -1e9), -1)
    keep = jax.random.bernoulli(jax.random.fold_in(jax.random.key(0), jnp.sum(b["len"])), 0.9, weights.shape)
    out = jnp.einsum("bhqk,bkhd->bqhd", jnp.where(keep, weights / 0.9, 0), v)
    return jnp.mean((jnp.einsum("bqhd,hde->bqe", out, p["o"]) - b["x"]) ** 2)

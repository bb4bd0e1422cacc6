# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An encoder and a decoder, every block of which reads what the encoder made. Written by tools/export/jax.py."""
import jax
import jax.numpy as jnp
import numpy as np

WORDS, WIDTH, LENGTH, BATCH, ENCODERS, DECODERS = 32, 16, 8, 8, 2, 6


def params():
    draw = np.random.default_rng(1)
    matrix = lambda *shape: draw.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
    attention = lambda: {name: matrix(WIDTH, WIDTH) for name in ("q", "k", "v", "o")}
    mlp = lambda: {"up": matrix(WIDTH, 2 * WIDTH), "down": matrix(2 * WIDTH, WIDTH)}
    return {"source": matrix(WORDS, WIDTH), "target": matrix(WORDS, WIDTH),
            "encoder": [{"own": attention(), "mlp": mlp()} for _ in range(ENCODERS)],
            "decoder": [{"own": attention(), "across": attention(), "mlp": mlp()} for _ in range(DECODERS)],
            "head": matrix(WIDTH, WORDS)}


def batch():
    draw = np.random.default_rng(2)
    return {name: draw.integers(0, WORDS, (BATCH, LENGTH)).astype(np.int32) for name in ("source", "target", "next")}


def normed(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def attend(p, x, of, causal):
    scores = jnp.einsum("bsd,btd->bst", x @ p["q"], of @ p["k"]) / WIDTH ** 0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    return jax.nn.softmax(scores) @ (of @ p["v"]) @ p["o"]


def mlp(p, x):
    return jnp.tanh(x @ p["up"]) @ p["down"]


def loss(params, batch):
    memory = params["source"][batch["source"]]
    for p in params["encoder"]:
        memory = memory + attend(p["own"], normed(memory), normed(memory), False)
        memory = memory + mlp(p["mlp"], normed(memory))
    memory = normed(memory)
    h = params["target"][batch["target"]]
    for p in params["decoder"]:
        h = h + attend(p["own"], normed(h), normed(h), True)
        h = h + attend(p["across"], normed(h), memory, False)
        h = h + mlp(p["mlp"], normed(h))
    logits = jax.nn.log_softmax(normed(h) @ params["head"])
    return -jnp.take_along_axis(logits, batch["next"][..., None], -1).mean()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small losses and batches for the tests of the package."""
import math

import numpy as np

MESHES = [{}, {"mesh": "data=2"}, {"mesh": "tensor=2"}, {"mesh": "data=2,tensor=2", "zero": 3}, {"mesh": "4"}]


def network(rng, *sizes):
    return [{"w": (rng.standard_normal((a, b)) / math.sqrt(a)).astype("f"), "b": np.zeros(b, "f")} for a, b in zip(sizes, sizes[1:])]


def batches(rng, count=4, rows=8, inputs=10, classes=5):
    return [{"x": rng.standard_normal((rows, inputs)).astype("f"), "y": rng.integers(0, classes, rows).astype("int32")} for _ in range(count)]


def logits(params, batch):
    import jax

    h = batch["x"]
    for layer in params[:-1]:
        h = jax.nn.gelu(h @ layer["w"] + layer["b"])
    return h @ params[-1]["w"] + params[-1]["b"]


def classify(params, batch):
    import jax
    import jax.numpy as jnp

    z = logits(params, batch)
    hits = jnp.mean((jnp.argmax(z, -1) == batch["y"]).astype("float32"))
    return -jnp.mean(jax.nn.log_softmax(z)[jnp.arange(z.shape[0]), batch["y"]]), {"hits": hits}


def sgd_losses(loss, params, batches, rate):
    """The losses of plain gradient descent by JAX."""
    import jax

    step = jax.jit(jax.value_and_grad(loss, has_aux=True))
    found = []
    for batch in batches:
        (value, _), gradients = step(params, batch)
        found.append(float(value))
        params = jax.tree.map(lambda p, g: p - rate * g, params, gradients)
    return found, params

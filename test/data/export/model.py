# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loss as a user writes it, for tools/export/jax.py: stop_gradient, relu, a metric, an initialization."""
import jax
import jax.numpy as jnp
import numpy as np


def params():
    draw = np.random.default_rng(1)
    return {"w": draw.normal(0, 0.5, (4, 8)).astype(np.float32), "layers": [{"v": draw.normal(0, 0.5, (8, 2)).astype(np.float32)}]}


def batch():
    draw = np.random.default_rng(2)
    return {"x": draw.normal(0, 1, (6, 4)).astype(np.float32), "y": draw.integers(0, 2, 6).astype(np.int32)}


def init(key):
    a, b = jax.random.split(key)
    return {"w": jax.random.normal(a, (4, 8)) * 0.5, "layers": [{"v": jax.random.uniform(b, (8, 2))}]}


def loss(params, batch):
    h = jax.nn.relu(batch["x"] @ params["w"])
    h = h * jax.lax.stop_gradient(1 / (1 + jnp.abs(h).max()))
    logits = h @ params["layers"][0]["v"]
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), batch["y"][:, None], 1)
    accuracy = jnp.mean((jnp.argmax(logits, 1) == batch["y"]).astype(jnp.float32))
    return -picked.mean(), {"accuracy": accuracy}


@jax.custom_vjp
def doubled(x):
    return x


doubled.defvjp(lambda x: (x, None), lambda _, g: (2 * g,))


def loss_with_another_derivative(params, batch):
    return doubled(loss(params, batch)[0])


def loss_that_is_none(params, batch):
    return batch["x"] @ params["w"]


def scale():
    return {"scale": np.float32(2), "never_read": np.ones(3, np.float32)}


def scaled_loss(params, batch):
    return params["scale"] * jnp.mean(batch["x"] ** 2)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A U-net of small images: each level down is read again by the level up of the same size. Written by tools/export/jax.py."""
import jax
import jax.numpy as jnp
import numpy as np

SIZE, BATCH, WIDTHS = 8, 8, (4, 8, 16)


def params():
    draw = np.random.default_rng(1)
    kernel = lambda *shape: draw.normal(0, np.prod(shape[:-1]) ** -0.5, shape).astype(np.float32)
    block = lambda a, b: [kernel(3, 3, a, b), kernel(3, 3, b, b)]
    down, up, before = [], [], 1
    for width in WIDTHS:
        down.append(block(before, width))
        before = width
    for width in reversed(WIDTHS[:-1]):
        up.append(block(before + width, width))
        before = width
    return {"down": down, "up": up, "out": kernel(1, 1, before, 1)}


def batch():
    draw = np.random.default_rng(2)
    noisy = draw.normal(0, 1, (BATCH, SIZE, SIZE, 1)).astype(np.float32)
    return {"image": noisy, "clean": np.tanh(noisy + np.roll(noisy, 1, 1))}


def convolve(x, kernel):
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def block(p, x):
    for kernel in p:
        x = jnp.tanh(convolve(x, kernel))
    return x


def loss(params, batch):
    x, skips = batch["image"], []
    for i, p in enumerate(params["down"]):
        if i:
            x = jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
        x = block(p, x)
        skips.append(x)
    skips.pop()
    for p in params["up"]:
        x = jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
        x = block(p, jnp.concatenate([x, skips.pop()], -1))
    return jnp.mean((convolve(x, params["out"]) - batch["clean"]) ** 2)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the step-time benchmark, in JAX: name -> (loss, params, batch). Initial weights are random and fixed."""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def normal(rng, *shape, scale=0.02):
    return rng.normal(0, scale, shape).astype(np.float32)


def layer_norm(p, x):
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p["scale"] + p["bias"]


def cross_entropy(logits, labels):
    return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, labels[..., None], -1)[..., 0]).mean()


def gpt2(layers, d, heads, seq, vocab, batch):
    """GPT-2 with tied embedding. Also what torch_models.GPT2 computes, parameter for parameter."""
    rng = np.random.default_rng(0)
    ln = lambda: {"scale": np.ones(d, np.float32), "bias": np.zeros(d, np.float32)}
    block = lambda: {
        "ln1": ln(), "ln2": ln(),
        "attn": {"wqkv": normal(rng, d, 3, heads, d // heads), "bqkv": np.zeros((3, heads, d // heads), np.float32),
                 "wo": normal(rng, heads, d // heads, d), "bo": np.zeros(d, np.float32)},
        "mlp": {"wi": normal(rng, d, 4 * d), "bi": np.zeros(4 * d, np.float32),
                "wo": normal(rng, 4 * d, d), "bo": np.zeros(d, np.float32)}}
    params = {"wte": normal(rng, vocab, d), "wpe": normal(rng, seq, d), "blocks": [block() for _ in range(layers)], "lnf": ln()}
    mask = lambda n: jnp.tril(jnp.ones((n, n), bool))

    def loss(params, batch):
        h = params["wte"][batch["x"]] + params["wpe"]
        for p in params["blocks"]:
            a = layer_norm(p["ln1"], h)
            q, k, v = jnp.einsum("bsd,dchk->cbshk", a, p["attn"]["wqkv"]) + p["attn"]["bqkv"][:, None, None]
            s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d // heads)
            s = jax.nn.softmax(jnp.where(mask(seq), s, jnp.finfo(s.dtype).min))
            a = jnp.einsum("bhqk,bkhd->bqhd", s, v)
            h = h + jnp.einsum("bshk,hkd->bsd", a, p["attn"]["wo"]) + p["attn"]["bo"]
            m = layer_norm(p["ln2"], h)
            h = h + jax.nn.gelu(m @ p["mlp"]["wi"] + p["mlp"]["bi"]) @ p["mlp"]["wo"] + p["mlp"]["bo"]
        return cross_entropy(layer_norm(params["lnf"], h) @ params["wte"].T, batch["y"])

    tokens = rng.integers(0, vocab, (batch, seq + 1)).astype(np.int32)
    return loss, params, {"x": tokens[:, :-1].copy(), "y": tokens[:, 1:].copy()}


def llama(layers, d, heads, hidden, seq, vocab, batch):
    """Llama: RMSNorm, rotary positions, SwiGLU and an output matrix of its own."""
    rng = np.random.default_rng(2)
    block = lambda: {"norm1": np.ones(d, np.float32), "norm2": np.ones(d, np.float32), "wq": normal(rng, d, d), "wk": normal(rng, d, d),
                     "wv": normal(rng, d, d), "wo": normal(rng, d, d), "gate": normal(rng, d, hidden), "up": normal(rng, d, hidden),
                     "down": normal(rng, hidden, d)}
    params = {"embed": normal(rng, vocab, d), "blocks": [block() for _ in range(layers)], "norm": np.ones(d, np.float32),
              "out": normal(rng, d, vocab)}
    half = d // heads // 2

    def norm(scale, x):
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def rotated(x, cos, sin):
        a, b = x[..., :half], x[..., half:]
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def loss(params, batch):
        angles = jnp.arange(seq, dtype=jnp.float32)[:, None, None] * 10000.0 ** (-jnp.arange(half, dtype=jnp.float32) / half)
        cos, sin = jnp.cos(angles), jnp.sin(angles)
        split = lambda x: x.reshape(*x.shape[:2], heads, d // heads)
        mask = jnp.tril(jnp.ones((seq, seq), bool))
        h = params["embed"][batch["x"]]
        for p in params["blocks"]:
            a = norm(p["norm1"], h)
            q, k, v = rotated(split(a @ p["wq"]), cos, sin), rotated(split(a @ p["wk"]), cos, sin), split(a @ p["wv"])
            s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d // heads)
            s = jax.nn.softmax(jnp.where(mask, s, jnp.finfo(s.dtype).min))
            h = h + jnp.einsum("bhqk,bkhd->bqhd", s, v).reshape(h.shape) @ p["wo"]
            m = norm(p["norm2"], h)
            h = h + (jax.nn.silu(m @ p["gate"]) * (m @ p["up"])) @ p["down"]
        return cross_entropy(norm(params["norm"], h) @ params["out"], batch["y"])

    tokens = rng.integers(0, vocab, (batch, seq + 1)).astype(np.int32)
    return loss, params, {"x": tokens[:, :-1].copy(), "y": tokens[:, 1:].copy()}


def mlp(width=64, classes=10, batch=32):
    rng = np.random.default_rng(1)
    params = {"w1": normal(rng, 64, width, scale=.1), "b1": np.zeros(width, np.float32),
              "w2": normal(rng, width, width, scale=.1), "b2": np.zeros(width, np.float32),
              "w3": normal(rng, width, classes, scale=.1), "b3": np.zeros(classes, np.float32)}

    def loss(params, batch):
        h = jnp.tanh(batch["image"].reshape(-1, 64) @ params["w1"] + params["b1"])
        h = jax.nn.relu(h @ params["w2"] + params["b2"])
        return cross_entropy(h @ params["w3"] + params["b3"], batch["label"])

    return loss, params, {"image": rng.random((batch, 8, 8, 1), np.float32), "label": rng.integers(0, classes, batch).astype(np.int32)}


def dlrm(rows=(1000, 500, 200, 50, 10, 3), dense=13, d=16, batch=64):
    rng = np.random.default_rng(5)
    t = len(rows)
    lin = lambda a, b: {"w": normal(rng, a, b, scale=1 / math.sqrt(a)), "b": np.zeros(b, np.float32)}
    params = {"tables": [normal(rng, r, d, scale=1 / math.sqrt(d)) for r in rows],
              "bottom": [lin(dense, 32), lin(32, d)], "top": [lin(d + (t + 1) * t // 2, 32), lin(32, 1)]}

    def loss(params, batch):
        h = batch["dense"]
        for p in params["bottom"]:
            h = jax.nn.relu(h @ p["w"] + p["b"])
        e = jnp.stack([h] + [table[batch["ids"][:, i]] for i, table in enumerate(params["tables"])], 1)
        inter = jnp.einsum("bid,bjd->bij", e, e)
        i, j = np.tril_indices(t + 1, -1)
        z = jnp.concatenate([h, inter[:, i, j]], 1)
        z = jax.nn.relu(z @ params["top"][0]["w"] + params["top"][0]["b"])
        z = (z @ params["top"][1]["w"] + params["top"][1]["b"])[:, 0]
        return (jnp.maximum(z, 0) - z * batch["click"] + jnp.log1p(jnp.exp(-jnp.abs(z)))).mean()

    return loss, params, {"dense": rng.normal(size=(batch, dense)).astype(np.float32),
                          "ids": np.stack([rng.integers(0, r, batch) for r in rows], 1).astype(np.int32),
                          "click": (rng.random(batch) < .5).astype(np.float32)}


def resnet(width=16, classes=10, batch=32):
    rng = np.random.default_rng(6)
    conv = lambda kh, i, o: normal(rng, kh, kh, i, o, scale=math.sqrt(2 / (kh * kh * i)))
    bn = lambda c: {"scale": np.ones(c, np.float32), "bias": np.zeros(c, np.float32)}
    params = {"stem": conv(3, 1, width), "bn0": bn(width),
              "block1": {"c1": conv(3, width, width), "n1": bn(width), "c2": conv(3, width, width), "n2": bn(width)},
              "block2": {"c1": conv(3, width, 2 * width), "n1": bn(2 * width), "c2": conv(3, 2 * width, 2 * width), "n2": bn(2 * width),
                         "skip": conv(1, width, 2 * width)},
              "fc": {"w": normal(rng, 2 * width, classes, scale=.1), "b": np.zeros(classes, np.float32)}}

    def conv2d(x, w, stride=1):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def norm(p, x):
        m = x.mean((0, 1, 2))
        v = ((x - m) ** 2).mean((0, 1, 2))
        return (x - m) * lax.rsqrt(v + 1e-5) * p["scale"] + p["bias"]

    def loss(params, batch):
        x = jax.nn.relu(norm(params["bn0"], conv2d(batch["image"], params["stem"])))
        p = params["block1"]
        x = jax.nn.relu(x + norm(p["n2"], conv2d(jax.nn.relu(norm(p["n1"], conv2d(x, p["c1"]))), p["c2"])))
        p = params["block2"]
        y = norm(p["n2"], conv2d(jax.nn.relu(norm(p["n1"], conv2d(x, p["c1"], 2))), p["c2"]))
        x = jax.nn.relu(conv2d(x, p["skip"], 2) + y)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return cross_entropy(x.mean((1, 2)) @ params["fc"]["w"] + params["fc"]["b"], batch["label"])

    return loss, params, {"image": rng.random((batch, 8, 8, 1), np.float32), "label": rng.integers(0, classes, batch).astype(np.int32)}


MODELS = {
    "S": lambda: gpt2(layers=4, d=256, heads=8, seq=256, vocab=256, batch=8),
    "M": lambda: gpt2(layers=12, d=768, heads=12, seq=256, vocab=8192, batch=4),
    "llama": lambda: llama(layers=4, d=256, heads=8, hidden=688, seq=256, vocab=256, batch=8),
    "gpt2": lambda: gpt2(layers=4, d=128, heads=4, seq=128, vocab=256, batch=8),
    "mlp": mlp,
    "dlrm": dlrm,
    "resnet": resnet,
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of time series, state spaces, sets and rankings."""
import jax.numpy as jnp

from . import inputs, integers, model, normal

B = 8


@model("transformers/patchtst", "transformers (PyTorch)")
def patchtst():
    import transformers

    from .pytorch import torch_loss

    config = transformers.PatchTSTConfig(num_input_channels=3, context_length=32, patch_length=8, patch_stride=8, prediction_length=8, d_model=16,
                                         num_attention_heads=4, num_hidden_layers=2, ffn_dim=32, scaling="std", loss="mse", norm_type="layernorm")
    loss, params = torch_loss(lambda: transformers.PatchTSTForPrediction(config),
                              lambda m, past, future: m(past_values=past, future_values=future).loss)
    return loss, params, inputs(past=normal(B, 32, 3), future=normal(B, 8, 3))


@model("equinox/gru", "equinox")
def equinox_gru():
    import equinox as eqx
    import jax

    class Network(eqx.Module):
        cell: eqx.nn.GRUCell
        out: eqx.nn.Linear

        def __init__(self, key):
            a, b = jax.random.split(key)
            self.cell, self.out = eqx.nn.GRUCell(4, 24, key=a), eqx.nn.Linear(24, 2, key=b)

        def __call__(self, x):
            h, _ = jax.lax.scan(lambda h, x: (self.cell(x, h), None), jnp.zeros(24), x)
            return self.out(h)

    params, static = eqx.partition(Network(jax.random.key(0)), eqx.is_inexact_array)

    def loss(params, batch):
        y = jax.vmap(eqx.combine(params, static))(batch["x"])
        return jnp.mean((y - batch["y"]) ** 2)

    return loss, params, inputs(x=normal(B, 12, 4), y=normal(B, 2))


@model("flax/state-space", "flax (nnx)")
def state_space():
    """A diagonal linear recurrence by an associative scan, as S5's and LRU's."""
    import jax
    import optax
    from flax import nnx

    class Layer(nnx.Module):
        def __init__(self, d, n, rngs):
            self.norm = nnx.LayerNorm(d, rngs=rngs)
            self.enter, self.leave = nnx.Linear(d, n, rngs=rngs), nnx.Linear(n, d, rngs=rngs)
            self.rate = nnx.Param(jnp.linspace(-2., 2., n))

        def __call__(self, x):
            u = self.enter(self.norm(x))
            a = jnp.broadcast_to(jax.nn.sigmoid(self.rate[...]), u.shape)
            _, h = jax.lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, u), axis=1)
            return x + self.leave(nnx.gelu(h))

    class Network(nnx.Module):
        def __init__(self, rngs):
            self.enter = nnx.Linear(3, 16, rngs=rngs)
            self.layers = nnx.List([Layer(16, 24, rngs) for _ in range(2)])
            self.leave = nnx.Linear(16, 10, rngs=rngs)

        def __call__(self, x):
            h = self.enter(x)
            for layer in self.layers:
                h = layer(h)
            return self.leave(h.mean(1))

    graph, params = nnx.split(Network(nnx.Rngs(0)))

    def loss(params, batch):
        return optax.softmax_cross_entropy_with_integer_labels(nnx.merge(graph, params)(batch["x"]), batch["y"]).mean()

    return loss, nnx.to_pure_dict(params), inputs(x=normal(B, 20, 3), y=integers(10, B))


@model("optax/two-towers", "optax, flax (linen)")
def two_towers():
    """Retrieval: every query against every item of the batch."""
    import flax.linen as nn
    import jax
    import optax

    class Tower(nn.Module):
        rows: int

        @nn.compact
        def __call__(self, ids):
            x = nn.Embed(self.rows, 16)(ids).mean(1)
            x = nn.Dense(16)(nn.relu(nn.Dense(32)(x)))
            return x / jnp.sqrt(jnp.sum(x * x, -1, keepdims=True) + 1e-6)

    class Towers(nn.Module):
        @nn.compact
        def __call__(self, query, item):
            return Tower(50)(query), Tower(70)(item)

    f = Towers()

    def loss(params, batch):
        q, i = f.apply(params, batch["query"], batch["item"])
        return optax.softmax_cross_entropy_with_integer_labels(10 * q @ i.T, jnp.arange(B)).mean()

    zeros = jnp.zeros((B, 3), jnp.int32)
    return loss, f.init(jax.random.key(0), zeros, zeros), inputs(query=integers(50, B, 3), item=integers(70, B, 3))

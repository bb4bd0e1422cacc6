#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of losses with derivatives of their own, by the Python package, held against JAX's in float64.

    python benchmarks/models/gradients.py [NAME...]      with the packages zcc, rlax, e3nn-jax and flax installed

One line a loss: the largest error of a gradient, relative to the largest element of its parameter's gradient, of zcc over its meshes and
of JAX's float32. An error may be 1e-6, or three times JAX's own. Exit status 1 if one is larger.
"""
import os
import sys
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
warnings.filterwarnings("ignore")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import zcc  # noqa: E402

import zoo  # noqa: E402

LIMIT, SLACK = 1e-6, 3
MESHES = [{}, {"mesh": "data=2"}, {"mesh": "data=2,tensor=2"}]
CASES = {}


def case(name):
    def add(make):
        CASES[name] = make
        return make

    return add


@case("rlax/impala")
def impala():
    """V-trace with targets of which no gradient passes."""
    return zoo.MODELS["rlax/impala"].make()


@case("rlax/vtrace")
def vtrace():
    """V-trace whose targets are differentiated, with rlax's clipping of gradients."""
    import rlax

    _, params, batch = zoo.MODELS["rlax/impala"].make()
    network = zoo.reinforcement.network([32], [zoo.reinforcement.ACTIONS, 1])

    def one(params, seen, action, log_prob, reward, discount):
        logits, value = network.apply(params, rlax.clip_gradient(seen * 1.0, -0.1, 0.1))
        value = rlax.clip_gradient(value[:, 0], -0.01, 0.01)
        mine = jnp.take_along_axis(jax.nn.log_softmax(logits[:-1]), action[:, None], 1)[:, 0]
        errors = rlax.vtrace(value[:-1], value[1:], reward, discount, jnp.exp(mine - log_prob), 0.9, stop_target_gradients=False)
        return jnp.mean(errors ** 2)

    def loss(params, batch):
        each = jax.vmap(lambda *a: one(params, *a))
        return jnp.mean(each(*(batch[k] for k in ("seen", "action", "log_prob", "reward", "discount"))))

    return loss, params, batch


@case("e3nn/molecule")
def molecule():
    return zoo.MODELS["e3nn/molecule"].make()


@case("e3nn/positions")
def positions():
    """Positions are trained too, so that derivatives pass through the spherical harmonics, whose derivative is e3nn's own."""
    loss, params, batch = molecule()
    shift = np.random.default_rng(3).normal(0, 0.1, (6, 3)).astype("f")
    return (lambda p, b: loss(p["weights"], {**b, "positions": b["positions"] + p["shift"]})), {"weights": params, "shift": shift}, batch


@case("e3nn/harmonics")
def harmonics():
    """Products of spherical harmonics of vectors that weights turn, up to degree 3."""
    import e3nn_jax as e3nn

    def loss(params, batch):
        vectors = e3nn.IrrepsArray("1o", batch["vectors"] @ params["turn"])
        found = e3nn.spherical_harmonics("1o + 2e + 3o", vectors, normalize=True)
        products = e3nn.tensor_product(found, e3nn.spherical_harmonics("2e", vectors, normalize=False), filter_ir_out="0e + 1o + 2e")
        return jnp.mean(e3nn.norm(products).array @ params["out"]) + jnp.mean((found.array @ params["inner"]) ** 2)

    random = np.random.default_rng(4)
    width = e3nn.norm(e3nn.tensor_product(e3nn.IrrepsArray("1o + 2e + 3o", jnp.ones(15)), e3nn.IrrepsArray("2e", jnp.ones(5)),
                                          filter_ir_out="0e + 1o + 2e")).array.size
    params = {"turn": random.normal(size=(3, 3)).astype("f"), "out": random.normal(size=width).astype("f"),
              "inner": random.normal(size=(15, 4)).astype("f")}
    return loss, params, zoo.inputs(vectors=zoo.normal(16, 3))


def gradients(loss, params, batch, dtype):
    cast = lambda tree: jax.tree.map(lambda a: jnp.asarray(a, dtype if np.issubdtype(a.dtype, np.floating) else a.dtype), tree)
    return jax.jit(jax.grad(loss))(cast(params), cast(batch))


def error(found, exact):
    """Returns the largest error of an element, relative to the largest element of its leaf."""
    pairs = zip(map(np.asarray, jax.tree.leaves(found)), map(np.asarray, jax.tree.leaves(exact)))
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs if np.any(b))


def main(names):
    zoo.load()
    failed = 0
    for name in names or CASES:
        loss, params, draw = CASES[name]()
        params = jax.tree.map(lambda a: np.asarray(a, np.float32), params)
        batch = draw(np.random.default_rng(0))
        own = gradients(loss, params, batch, jnp.float32)
        with jax.enable_x64(True):
            exact = jax.tree.map(np.asarray, gradients(loss, params, batch, jnp.float64))
        assert all(g.dtype == np.float64 for g in jax.tree.leaves(exact))
        own, worst = error(own, exact), 0.0
        for options in MESHES:
            with zcc.compile(loss, params, batch, optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
                worst = max(worst, error(step.gradients(batch), exact))
        right = worst <= max(LIMIT, SLACK * own)
        failed += not right
        print(f"{'ok   ' if right else 'WRONG'} {name}: {worst:.0e}, JAX's float32 {own:.0e}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])

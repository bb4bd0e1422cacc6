# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loss as a user writes it, for tools/export/jax.py: stop_gradient, relu, a metric, an initialization."""
import jax
import jax.numpy as jnp
import numpy as np

print("model.py runs")


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


# Rules that equal the function's own derivative, or differ from it only somewhere.


@jax.custom_jvp
def squared(x):
    return x * x


squared.defjvp(lambda x, t: (squared(*x), 2 * x[0] * t[0]))


@jax.custom_vjp
def rounded(x):
    return jnp.round(x)


rounded.defvjp(lambda x: (rounded(x), None), lambda _, g: (g,))


@jax.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.05, 0.05),))


@jax.custom_jvp
def with_kink(x):
    return x * x


# The derivative at 4 is another, which only a loss that passes 4 shows.
with_kink.defjvp(lambda x, t: (x[0] * x[0], t[0] * jnp.where(x[0] == 4, 7, 2 * x[0])))


def rules_of_all_kinds(params, batch):
    """Custom derivatives in loops, under vmap, in branches, in jitted functions, and of functions that call others."""
    h = squared(batch["x"] @ params["w"])

    def body(carry, row):
        carry = jax.lax.cond(row[0] > 0, lambda c: clipped(c), lambda c: with_kink(c), carry)
        return carry * 0.5 + jax.jit(rounded)(row), clipped(carry)

    last, all = jax.lax.scan(body, h[0], h)
    return jnp.mean(jax.vmap(clipped)(all @ params["layers"][0]["v"]) ** 2) + jnp.mean(last)


def equal_rules(params, batch):
    return jnp.mean(squared(batch["x"] @ params["w"])) + jnp.mean(jax.nn.softmax(jax.nn.relu(batch["x"] @ params["w"])) ** 2)


def loss_at_a_kink(params, batch):
    return jnp.mean(with_kink(batch["x"] @ params["w"])) + with_kink(params["scale"])


class Model:
    """Parameters of a class of its own that can be called, as equinox and flax have them."""

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return jnp.tanh(x @ self.w)


jax.tree_util.register_pytree_with_keys(
    Model, lambda m: (((jax.tree_util.GetAttrKey("w"), m.w),), None), lambda _, leaves: Model(*leaves))
model = Model(np.ones((4, 2), np.float32))


def loss_of_model(params, batch):
    return jnp.mean(params(batch["x"]))


def kink():
    return {"w": params()["w"], "scale": np.float32(4)}


def special():
    """Arguments on both sides of 8, where the series change, and 0."""
    return {"x": np.array([-20, -7.5, -1, -1e-3, 0, 0.3, 2, 7.9, 8.1, 30], np.float32), "q": np.array([0.2, 1, 2.5, 9, 40], np.float32)}


def special_functions(params, batch):
    x, q = params["x"], params["q"]
    bessel = jax.scipy.special.i0e(x) + 2 * jax.scipy.special.i1e(x) + jax.scipy.special.i0(x / 8)
    return jnp.sum(bessel) + jnp.sum(jnp.log(jax.scipy.special.polygamma(2, q) ** 2)) + jnp.sum(jax.scipy.special.polygamma(1, q) * 0.1)


@jax.custom_vjp
def broken(x):
    return x


broken.defvjp(lambda x: (x, None), lambda _, g: (g[None],))


def loss_with_a_broken_rule(params, batch):
    return broken(loss(params, batch)[0])


def loss_that_is_none(params, batch):
    return batch["x"] @ params["w"]


def scale():
    return {"scale": np.float32(2), "never_read": np.ones(3, np.float32)}


def scaled_loss(params, batch):
    return params["scale"] * jnp.mean(batch["x"] ** 2)

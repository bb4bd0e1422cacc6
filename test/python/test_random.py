# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of JAX's kind rbg: the bits are JAX's on CPUs, on every mesh."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import zcc


@pytest.fixture
def rbg():
    before = jax.config.jax_default_prng_impl
    jax.config.update("jax_default_prng_impl", "rbg")
    yield
    jax.config.update("jax_default_prng_impl", before)


@pytest.mark.parametrize("shape", [(3, 8), (5,), (), (4, 3, 3)])
@pytest.mark.parametrize("type", ("uint8", "uint16", "uint32"))
def test_bits(shape, type):
    # The counter wraps in the second row of words.
    words = jnp.array([[1, 2, 3, 4], [5, 6, 0xFFFFFFFF, 0xFFFFFFFF], [0, 0, 0xFFFFFFFF, 0]], "uint32")

    def bits(p, b):
        return {str(i): jax.lax.rng_bit_generator(b["words"][i], shape, type) for i in range(3)}

    step = zcc.compile(lambda p, b: jnp.sum(p["w"]) + 0.0 * jnp.sum(b["words"]), {"w": np.ones(2, "f")}, {"words": words}, not_batched="words")
    with step:
        found = step.predict({"words": words}, bits)
    for i in range(3):
        state, expected = jax.lax.rng_bit_generator(words[i], shape, type)
        assert np.array_equal(found[str(i)][0], state) and np.array_equal(found[str(i)][1], expected)


def loss(params, batch, key):
    k1, k2, k3 = jax.random.split(key, 3)
    h = batch["x"] @ params["w"]
    h = jnp.where(jax.random.bernoulli(k1, 0.7, h.shape), h / 0.7, 0)
    h = h + jax.random.normal(k2, (5,)).sum() + jax.random.randint(k3, (3, 3), 0, 9).sum()
    return jnp.mean(h ** 2), {"drawn": jnp.sum(jax.random.uniform(k3, h.shape) * jnp.arange(h.size).reshape(h.shape))}


def test_training(rbg):
    rng = np.random.default_rng(0)
    params, batch = {"w": rng.normal(size=(6, 12)).astype("f")}, {"x": rng.normal(size=(8, 6)).astype("f")}
    expected, p = [], params
    for t in range(3):
        (value, metrics), g = jax.value_and_grad(loss, has_aux=True)(p, batch, jax.random.fold_in(jax.random.key(7), t + 1))
        expected.append((value, metrics["drawn"]))
        p = jax.tree.map(lambda a, b: a - 0.01 * b, p, g)
    for mesh in ("data=1", "data=2", "data=2,tensor=2"):
        with zcc.compile(loss, params, batch, mesh=mesh, seed=7, optimizer=zcc.SGD(lr=0.01)) as step:
            assert np.allclose([(m.loss, m.drawn) for m in (step(batch) for _ in range(3))], expected, rtol=1e-5)


def test_constant_keys_are_warned_about(capfd):
    def frozen(p, b):
        return jnp.mean(jnp.where(jax.random.bernoulli(jax.random.key(3, impl="rbg"), 0.5, (8, 4)), b["x"], 0) * p["w"])

    zcc.compile(frozen, {"w": np.ones(4, "f")}, {"x": np.ones((8, 4), "f")}).close()
    assert "these random numbers depend on no input" in capfd.readouterr().err


def test_constant_scalars_are_warned_about(capfd):
    """A draw of one number of a constant key is a constant of the program."""
    params, batch = {"w": np.ones(4, "f")}, {"x": np.ones((8, 4), "f")}

    def frozen(p, b):
        return jnp.mean(b["x"] * p["w"]) * jax.random.uniform(jax.random.fold_in(jax.random.key(3), 1), ())

    def fresh(p, b, key):
        words = jax.random.key_data(jax.random.split(jax.random.key(3))[0])
        return jnp.mean(b["x"] * p["w"]) * jax.random.uniform(jax.random.wrap_key_data(words + jax.random.key_data(key)), ())

    for loss, count in ((frozen, 1), (fresh, 0)):
        zcc.compile(loss, params, batch, cache=False).close()
        assert capfd.readouterr().err.count("these random numbers depend on no input") == count


def test_another_kind_is_refused():
    before = jax.config.jax_default_prng_impl
    jax.config.update("jax_default_prng_impl", "unsafe_rbg")
    try:
        with pytest.raises(zcc.Error, match="key: expected keys of kind threefry2x32 or rbg, found unsafe_rbg"):
            zcc.compile(loss, {"w": np.ones((6, 12), "f")}, {"x": np.ones((8, 6), "f")})
    finally:
        jax.config.update("jax_default_prng_impl", before)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gamma and Poisson samples: they are JAX's, on every mesh, and so are the derivatives of gamma samples by their shapes."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.lax.special import random_gamma_grad

import zcc
from zcc import _samples, _special

RNG = np.random.default_rng(4)
BATCH = RNG.normal(size=(8, 6)).astype("f")
SHAPES = RNG.uniform(0.2, 4, (8, 6)).astype("f")


@pytest.mark.parametrize("log", (False, True))
def test_gamma_draws_the_bits_of_jax(log):
    """Many samples of shapes of all sizes, by JAX itself: as many as it draws by loops, to the bit."""
    shapes = np.concatenate([10 ** RNG.uniform(-3, 4, 20000), np.ones(20000), [0.0, np.nan, -1.0]]).astype("f")
    key = jax.random.key(3)
    own = jax.jit(jax.random.loggamma if log else jax.random.gamma)(key, shapes)
    found = jax.jit(_samples.loggamma if log else _samples.gamma)(key, shapes)
    assert np.array_equal(own, found, equal_nan=True)


def test_poisson_draws_the_numbers_of_jax():
    key = jax.random.key(5)
    for rates in (np.concatenate([10 ** RNG.uniform(-2, 5, 5000), [0, 9.9999, 10, np.nan, -1]]).astype("f"), np.float32(30), np.zeros((0, 2), "f")):
        own = jax.jit(jax.random.poisson)(key, rates)
        assert np.array_equal(own, jax.jit(lambda k, r: _samples.poisson(k, r, own.dtype))(key, rates))


def test_slopes_of_samples():
    """The derivative of a sample's logarithm is that of float64, as near as JAX's own in float32."""
    for low, high in ((-1.3, 0), (0, 1), (1, 3)):
        shapes = (10 ** RNG.uniform(low, high, 500)).astype("f")
        logarithms = np.asarray(jax.random.loggamma(jax.random.key(1), shapes))
        with jax.enable_x64(True):
            x = np.exp(logarithms.astype("d"))
            exact = np.asarray(jax.vmap(random_gamma_grad)(jnp.asarray(shapes, "float64"), jnp.asarray(x))) / x
        found = np.asarray(_special.log_sample_slope(shapes, logarithms), "d")
        assert np.abs(found / exact - 1).max() < 3e-5
    assert np.isnan(_special.log_sample_slope(np.array([0, -1, np.nan], "f"), np.zeros(3, "f"))).all()


def sample(params, batch, key):
    keys = jax.random.split(key, 4)
    shapes = jax.nn.softplus(params["shapes"])
    each = jax.vmap(lambda k, a: jax.random.gamma(k, a))(jax.random.split(keys[3], 8), shapes)
    return (jnp.mean(jax.random.gamma(keys[0], shapes) * batch) + jnp.mean(jax.random.dirichlet(keys[1], shapes)[:, 0] * batch[:, 1])
            + jnp.mean(jax.random.beta(keys[2], shapes, 1.5) * batch) + jnp.mean(each * batch)), {}


def counts(params, batch, key):
    few, many = jax.random.split(key)
    numbers = jax.random.poisson(few, batch ** 2 * 4) + jax.random.poisson(many, 20.0, batch.shape)
    return jnp.mean(params["shapes"] * numbers), {"most": jnp.max(numbers)}


@pytest.mark.parametrize("loss, options", ((sample, {}), (sample, {"mesh": "data=2,tensor=2", "zero": 3}), (counts, {"mesh": "data=2"})))
def test_training(loss, options):
    params = {"shapes": SHAPES}
    (value, metrics), expected = jax.value_and_grad(loss, has_aux=True)(params, BATCH, jax.random.fold_in(jax.random.key(7), 1))
    with zcc.compile(loss, params, BATCH, seed=7, optimizer=zcc.SGD(lr=1.0), quiet=True, **options) as step:
        found = step(BATCH)
        gradients = SHAPES - step.params["shapes"]
    assert found.loss == pytest.approx(float(value), rel=1e-5)
    assert all(found[n] == v for n, v in metrics.items())
    assert np.abs(gradients - expected["shapes"]).max() < 1e-5 * np.abs(expected["shapes"]).max() + 1e-6


def test_what_still_is_a_loop():
    """Samples of rbg keys, and of Poisson distributions under jax.vmap, depend on how JAX runs its loops."""
    def rbg(params, batch, key):
        return jnp.mean(jax.random.gamma(jax.random.key(0, impl="rbg"), params["shapes"]))

    def mapped(params, batch, key):
        return jnp.mean(params["shapes"] * jax.vmap(jax.random.poisson)(jax.random.split(key, 8), batch ** 2))

    for loss in (rbg, mapped):
        with pytest.raises(zcc.Error, match="expected a loop whose trip count is known") as caught:
            zcc.compile(loss, {"shapes": SHAPES}, BATCH)
        assert "test_samples.py" in caught.value.place

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running reductions: values and derivatives are JAX's in float64, also where elements are equal."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import zcc

TIES = np.array([[1, 3, 3, 2, 3, 5, 5], [2, 2, 2, 2, 2, 2, 2], [5, 4, 4, 3, 1, 5, 6], [0, -1, 0, 1, 0, 1, 1]], "f")
RNG = np.random.default_rng(1)


def gradients(loss, params, batch):
    with zcc.compile(loss, params, batch, mesh="data=2") as step:
        return step.gradients(batch), step(batch).loss


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("function", (jax.lax.cummax, jax.lax.cummin, jax.lax.cumprod, jax.lax.cumlogsumexp))
@pytest.mark.parametrize("x, axis", [(TIES, 1), (TIES, 0), (RNG.normal(size=(2, 33)).astype("f"), 1), (TIES[:, :1], 1)])
def test_derivatives(function, reverse, x, axis):
    weights = RNG.normal(size=(4, *x.shape)).astype("f")

    def loss(p, b):
        return jnp.mean(jnp.sum(b * function(p["x"], axis, reverse), (1, 2)))

    found, value = gradients(loss, {"x": x}, weights)
    with jax.enable_x64(True):
        exact, expected = jax.value_and_grad(loss)({"x": jnp.asarray(x, jnp.float64)}, jnp.asarray(weights, jnp.float64))
    assert np.allclose(value, exact, rtol=1e-5, atol=1e-5)
    assert np.abs(found["x"] - expected["x"]).max() <= 2e-6 * np.abs(expected["x"]).max()


def test_infinities():
    x = np.array([[-np.inf, -np.inf, 1, 2], [0, -np.inf, 3, -np.inf]], "f")

    def loss(p, b):
        return jnp.mean(jnp.sum(jnp.where(b > 0, jax.lax.cumlogsumexp(p["x"], 1), 0), (1, 2)))

    b = np.broadcast_to(np.array([[0, 0, 1, 1], [1, 1, 1, 1]], "f"), (2, 2, 4))
    found, value = gradients(loss, {"x": x}, b)
    assert np.isclose(value, np.logaddexp.accumulate(x.astype("d"), 1)[b[0] > 0].sum(), rtol=1e-6)
    assert np.isfinite(found["x"]).all() and not found["x"][x == -np.inf].any()

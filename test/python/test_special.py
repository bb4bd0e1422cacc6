# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Incomplete gamma and beta functions: values and derivatives are those of float64, as near as JAX's own in float32."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
from jax.scipy.special import betainc, gammainc, gammaincc

import zcc
from zcc import _derivatives

RNG = np.random.default_rng(3)
# Shapes below 1 and far above, and x on both sides of them.
SHAPES = (10 ** RNG.uniform(-2, 1.5, (6, 8))).astype("f")
OTHERS = (10 ** RNG.uniform(-2, 1.5, (6, 8))).astype("f")
X = (SHAPES * 10 ** RNG.uniform(-1, 0.7, (6, 8))).astype("f")
U = RNG.uniform(0.02, 0.98, (6, 8)).astype("f")
WEIGHTS = RNG.normal(size=(4, 6, 8)).astype("f")


def run(function, params):
    """Returns the loss and gradients of zcc."""
    def loss(p, b):
        return jnp.mean(jnp.sum(b * function(*p), (1, 2)))

    with zcc.compile(loss, params, WEIGHTS, mesh="data=2") as step:
        return loss, step.gradients(WEIGHTS), step(WEIGHTS).loss


def near(found, exact, own):
    """Compares with float64, by a few times JAX's own error or that of the type."""
    for a, b, c in zip(found, exact, own):
        scale = np.abs(b).max()
        assert np.abs(a - b).max() <= max(3 * np.abs(c - b).max(), 4e-6 * scale)


@pytest.mark.parametrize("function", (gammainc, gammaincc))
def test_gamma(function):
    loss, found, value = run(function, [SHAPES, X])
    own = jax.grad(loss)([SHAPES, X], WEIGHTS)
    with jax.enable_x64(True):
        exact, expected = jax.value_and_grad(loss)([jnp.asarray(v, "float64") for v in (SHAPES, X)], jnp.asarray(WEIGHTS, "float64"))
    near(found, expected, own)
    assert abs(value - exact) < 1e-5


def test_beta():
    loss, found, value = run(lambda x: betainc(SHAPES, OTHERS, x), [U])
    own = jax.grad(loss)([U], WEIGHTS)
    with jax.enable_x64(True):
        a, b, u = (jnp.asarray(v, "float64") for v in (SHAPES, OTHERS, U))

        def wide(u):
            return jnp.mean(jnp.sum(WEIGHTS * betainc(a, b, u), (1, 2)))

        exact, expected = jax.value_and_grad(wide)(u)
    near(found, [expected], own)
    assert abs(value - exact) < 1e-5


def test_beta_by_its_shapes():
    """JAX has no such derivative."""
    _, found, _ = run(betainc, [SHAPES, OTHERS, U])
    a, b, u = (v.astype("d") for v in (SHAPES, OTHERS, U))
    f, h, w = scipy.special.betainc, 1e-5, WEIGHTS.astype("d").mean(0)
    by_a = (f(a * (1 + h), b, u) - f(a * (1 - h), b, u)) / (2 * h * a) * w
    by_b = (f(a, b * (1 + h), u) - f(a, b * (1 - h), u)) / (2 * h * b) * w
    near(found[:2], [by_a, by_b], [by_a, by_b])


def test_edges():
    e = np.array([0, 0, 1, 1, -1, 1, np.nan, 2, 1, 2], "f")
    x = np.array([0, 1, 0, np.inf, 1, -1, 1, np.nan, 2, 0.5], "f")
    a = np.array([0, 0, 1, np.inf, 1, 1, 2, -1, 2, 2], "f")
    b = np.array([1, 0, 0, 1, np.inf, 3, np.nan, 1, 3, 3], "f")
    u = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0, 0.5, 0.5, 1, 1.5], "f")

    def functions(p, batch):
        return {"p": gammainc(e, batch), "q": gammaincc(e, batch), "i": betainc(a, b, u * p["one"]), "half": gammainc(jnp.bfloat16(2), jnp.bfloat16(p["one"]))}

    with zcc.compile(lambda p, b: jnp.mean(b * p["one"]), {"one": np.float32(1)}, x) as step:
        found = step.predict(x, functions)
    expected = functions({"one": jnp.float32(1)}, x)
    for n, y in expected.items():
        assert np.allclose(np.asarray(found[n], "f"), np.asarray(y, "f"), rtol=1e-5, equal_nan=True), n
    assert set(found) == set(expected)


def test_small_values_and_bounds():
    """x^a may be representable where x^(a + 1) is not. Rounded results stay within [0, 1]."""
    a, x = np.array([0.3, 0.01], "f"), np.array([2.7e-30, 1e-37], "f")
    p, q, u = np.array([10.531127, 1.488774e-05], "f"), np.array([1.7607737e-06, 66.603134], "f"), np.array([0.93674105, 0.01006632], "f")

    def functions(params, batch):
        return {"p": gammainc(a, batch * params["one"]), "i": betainc(p, q, u * params["one"])}

    with zcc.compile(lambda params, b: jnp.mean(b * params["one"]), {"one": np.float32(1)}, x) as step:
        found = step.predict(x, functions)
    assert np.allclose(np.asarray(found["p"]), scipy.special.gammainc(a.astype("d"), x.astype("d")), rtol=2e-5)
    values = np.asarray(found["i"])
    assert np.allclose(values, scipy.special.betainc(*(v.astype("d") for v in (p, q, u))), atol=2e-5) and (values >= 0).all() and (values <= 1).all()


def test_in_a_rule_of_the_user():
    @jax.custom_jvp
    def function(x):
        return jnp.tanh(x)

    @function.defjvp
    def _(primals, tangents):
        (x,) = primals
        return function(x), gammainc(jnp.abs(x) + 0.5, jnp.abs(x) + 1) * tangents[0]

    loss, found, value = run(function, [X])
    assert np.allclose(found[0], jax.grad(loss)([X], WEIGHTS)[0], rtol=5e-5)
    assert abs(value - loss([X], WEIGHTS)) < 1e-5


def test_the_text_has_no_loop():
    text = _derivatives.lower(lambda a, x: jnp.sum(gammainc(a, x) + gammaincc(a, x) + betainc(a, x, x / 9)), X, X)
    assert "while" not in text and text.count("@zcc.custom_derivative") == 3

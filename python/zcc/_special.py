# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Incomplete gamma and beta functions of JAX without loops whose length depends on data.

JAX lowers them to series and continued fractions that run until they converge. Here they are integrals over [0, inf) of smooth
functions that fall off exponentially, by the exp-sinh rule (Takahasi and Mori, 1974) with a fixed number of nodes. The same
sums, with one more factor, are the derivatives by the shape parameters; those by x are JAX's formulas.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import digamma, gammaln

# The distance of nodes, and how far they reach, by the type.
_STEPS = {"float32": (1 / 8, 2.9), "float64": (1 / 16, 3.6)}


def _integrate(function, scale):
    """Returns the integrals of the functions of u that `function` gives, of f over [0, inf).

    `scale` is where f falls off. u has one more dim, the last one, than the scale and the results.
    """
    step, reach = _STEPS[scale.dtype.name]
    at = np.arange(-reach, reach + step / 2, step)
    nodes = np.exp(np.pi / 2 * np.sinh(at))
    weights = step * np.pi / 2 * np.cosh(at) * nodes
    u = scale[..., None] * jnp.asarray(nodes, scale.dtype)
    return [scale * jnp.sum(jnp.asarray(weights, scale.dtype) * f, -1) for f in function(u)]


def _wide(function):
    """Makes a function of arrays of one shape compute at least in float32."""
    @functools.wraps(function)
    def wide(*xs):
        dtype = xs[0].dtype
        if dtype.name in _STEPS:
            return function(*xs)
        found = function(*(x.astype("float32") for x in xs))
        return jax.tree.map(lambda y: y.astype(dtype), found)

    return wide


# ---------------------------------------------------------------- gamma


def _gamma_integrals(p, t, lower):
    """Returns the integral of t^(p-1) e^-t up to t, or from t on where `lower` is false, by t^p e^-t, and its first moment.

    With t' = t e^-u the integral up to t is t^p e^-t times that of e^-((p-t)u + t(e^-u - 1 + u)). From t on it is the same with
    t' = t e^u, for which u is negative. The moment has the factor u.
    """
    def terms(u):
        w = jnp.where(lower[..., None], u, -u)
        # e^-w - 1 + w, by its series where that is the difference of close numbers.
        series = w * w * (1 / 2 - w * (1 / 6 - w * (1 / 24 - w * (1 / 120 - w / 720))))
        bend = jnp.where(jnp.abs(w) < 0.3, series, w + jnp.expm1(-w))
        f = jnp.exp(-jnp.abs(p - t)[..., None] * u - t[..., None] * bend)
        # Far out the exponential overflows, and f is 0.
        f = jnp.where(jnp.isfinite(bend), f, 0)
        return f, jnp.where(f > 0, f * w, 0)

    return _integrate(terms, 1 / (jnp.abs(p - t) + jnp.sqrt(t)))


def _gamma(a, x):
    """Returns P(a, x) and Q(a, x), and the derivative of P by a.

    Where a is small, P(a, x) is P(a + 1, x) + x^a e^-x / gamma(a + 1).
    """
    lower = x < jnp.maximum(a, 1)
    valid = (x > 0) & (a > 0) & (x < jnp.inf) & (a < jnp.inf)
    shifts = lower & (a < 1)
    p, t = jnp.where(valid, jnp.where(shifts, a + 1, a), 1), jnp.where(valid, x, 1)
    whole, moment = _gamma_integrals(p, t, lower)
    factor = jnp.exp(p * jnp.log(t) - t - gammaln(p))
    part = factor * whole
    slope = factor * ((jnp.log(t) - digamma(p)) * whole - moment)
    first = jnp.where(valid & shifts, jnp.exp((p - 1) * jnp.log(t) - t - gammaln(p)), 0)
    part = part + first
    slope = slope + first * (jnp.log(t) - digamma(p))
    lesser = jnp.where(lower, part, 1 - part)
    # P is 0 at x = 0 and 1 at infinity, and 1 at a = 0.
    bad = (x < 0) | (a < 0) | ((a == 0) & (x == 0)) | jnp.isnan(a) | jnp.isnan(x)
    edge = jnp.where(bad, jnp.nan, jnp.where((x == jnp.inf) | (a == 0), 1.0, 0.0)).astype(x.dtype)
    below = jnp.where(valid, lesser, edge)
    above = jnp.where(valid, jnp.where(lower, 1 - part, part), 1 - edge)
    by_a = jnp.where(valid, jnp.where(lower, slope, -slope), jnp.where(bad | (a <= 0), jnp.nan, 0))
    return below, above, by_a


@_wide
def log_sample_slope(a, logarithm):
    """Returns the derivative by a of the logarithm of a sample x of the gamma distribution of shape a, of which P(a, x) stays
    the same: that of P by a, negated, by that of P by log x, which is x^a e^-x / gamma(a)."""
    valid = (a > 0) & (a < jnp.inf) & (jnp.abs(logarithm) < jnp.inf)
    a, log_x = jnp.where(valid, a, 1), jnp.where(valid, logarithm, 0)
    x = jnp.exp(log_x)
    lower = x < jnp.maximum(a, 1)
    shifts = lower & (a < 1)
    p = jnp.where(shifts, a + 1, a)
    whole, moment = _gamma_integrals(p, jnp.maximum(x, jnp.finfo(x.dtype).tiny), lower)
    distance = log_x - digamma(p)
    slope = distance * whole - moment
    slope = jnp.where(shifts, (x * slope + distance) / a, slope)
    return jnp.where(valid, jnp.where(lower, -slope, slope), jnp.nan)


@jax.custom_jvp
@_wide
def igamma(a, x):
    return _gamma(a, x)[0]


@jax.custom_jvp
@_wide
def igammac(a, x):
    return _gamma(a, x)[1]


@_wide
def igamma_grad_a(a, x):
    return _gamma(a, x)[2]


def _gamma_by_x(a, x):
    return jnp.exp(-x + (a - 1) * jnp.log(x) - gammaln(a))


@igamma.defjvp
def _(primals, tangents):
    return igamma(*primals), tangents[0] * igamma_grad_a(*primals) + tangents[1] * _gamma_by_x(*primals)


@igammac.defjvp
def _(primals, tangents):
    return igammac(*primals), -tangents[0] * igamma_grad_a(*primals) - tangents[1] * _gamma_by_x(*primals)


# ---------------------------------------------------------------- beta


def _beta(a, b, x):
    """Returns I_x(a, b) and its derivatives by a and b.

    With t = x e^-u the integral of t^(a-1) (1-t)^(b-1) up to x is x^a (1-x)^(b-1) times that of e^-(a u - (b-1) l(u)), where l is
    log((1 - x e^-u) / (1 - x)). Where x is large it is 1 less the integral from x on. Where a is small it is that of a + 1, plus
    x^a (1-x)^b / (a B(a, b)).
    """
    valid = (a > 0) & (b > 0) & (x > 0) & (x < 1) & (a < jnp.inf) & (b < jnp.inf)
    a_, b_, x_ = jnp.where(valid, a, 1), jnp.where(valid, b, 1), jnp.where(valid, x, 0.5)
    lower = x_ < (a_ + 1) / (a_ + b_ + 2)
    p, q, t = jnp.where(lower, a_, b_), jnp.where(lower, b_, a_), jnp.where(lower, x_, 1 - x_)
    ratio = t / (1 - t)
    shifts = p < 1
    given, p = p, jnp.where(shifts, p + 1, p)

    def terms(u):
        rise = jnp.log1p(ratio[..., None] * -jnp.expm1(-u))
        f = jnp.exp(-p[..., None] * u + (q - 1)[..., None] * rise)
        return f, jnp.where(f > 0, f * u, 0), f * rise

    whole, moment, rises = _integrate(terms, 1 / (jnp.abs(p - (q - 1) * ratio) + jnp.sqrt(jnp.abs(q - 1) * ratio * (1 + ratio))))
    logarithm = p * jnp.log(t) + (q - 1) * jnp.log1p(-t)
    factor = jnp.exp(logarithm + gammaln(p + q) - gammaln(p) - gammaln(q))
    part = factor * whole
    by_p = factor * ((jnp.log(t) - digamma(p) + digamma(p + q)) * whole - moment)
    by_q = factor * ((jnp.log1p(-t) - digamma(q) + digamma(p + q)) * whole + rises)
    first = jnp.exp(given * jnp.log(t) + q * jnp.log1p(-t) + gammaln(given + q) - gammaln(given + 1) - gammaln(q))
    first = jnp.where(shifts, first, 0)
    part = jnp.minimum(part + first, 1)
    by_p = by_p + first * (jnp.log(t) - digamma(given + 1) + digamma(given + q))
    by_q = by_q + first * (jnp.log1p(-t) - digamma(q) + digamma(given + q))
    # It jumps from 0 to 1 at x = 0 where a is 0 or b is infinite, and at x = 1 where b is 0 or a is infinite.
    at_start, at_end = (a == 0) | (b == jnp.inf), (b == 0) | (a == jnp.inf)
    one = (at_start & (x != 0)) | (at_end & (x == 1)) | (~at_start & ~at_end & (x == 1))
    nan = jnp.isnan(a) | jnp.isnan(b) | jnp.isnan(x)
    bad = nan | (a < 0) | (b < 0) | (x < 0) | (x > 1) | (at_start & at_end)
    edge = jnp.where(bad, jnp.nan, jnp.where(one, 1.0, 0.0)).astype(x.dtype)
    value = jnp.where(valid, jnp.where(lower, part, 1 - part), edge)
    flat = jnp.where(bad, jnp.nan, 0).astype(x.dtype)
    return value, jnp.where(valid, jnp.where(lower, by_p, -by_q), flat), jnp.where(valid, jnp.where(lower, by_q, -by_p), flat)


@jax.custom_jvp
@_wide
def betainc(a, b, x):
    return _beta(a, b, x)[0]


@_wide
def _beta_by_shapes(a, b, x):
    return _beta(a, b, x)[1:]


@betainc.defjvp
def _(primals, tangents):
    a, b, x = primals
    by_a, by_b = _beta_by_shapes(*primals)
    by_x = jnp.exp((b - 1) * jnp.log1p(-x) + (a - 1) * jnp.log(x) + gammaln(a + b) - gammaln(a) - gammaln(b))
    return betainc(*primals), tangents[0] * by_a + tangents[1] * by_b + tangents[2] * by_x


# ---------------------------------------------------------------- in a jaxpr

_FUNCTIONS = {"igamma": igamma, "igammac": igammac, "igamma_grad_a": igamma_grad_a, "regularized_incomplete_beta": betainc}


def function_of(eqn):
    """Returns the function that stands for JAX's primitive of an equation; None if it has none."""
    return _FUNCTIONS.get(eqn.primitive.name)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gamma and Poisson samples of JAX without loops whose length depends on data.

JAX draws such samples by rejection: it proposes numbers until one is accepted. Here a fixed number of proposals is computed at
once, with the keys and in the order of JAX, and the one that JAX takes is chosen, so that the samples are JAX's. The number
is such that none of the proposals is accepted with a probability below 1e-16. A gamma sample is NaN then, which ends the run where
the loss depends on it; a Poisson sample is -1, or the largest that was tried.
"""
import jax
import jax.numpy as jnp
import numpy as np

from . import _special

# The rounds of Marsaglia and Tsang (2000, "A simple method for generating gamma variables") in which a normal number is drawn for
# the first time, the second time and so on. A round is repeated with a probability of at most 0.049; a number is drawn once more
# with one of at most 0.0072.
_ROUNDS = (12, 11, 9, 8, 6, 4, 3, 1)


def _take(accepted, values):
    """Returns for each element the first of the values that is accepted, and NaN where none is."""
    found = jnp.full_like(values[-1], jnp.nan)
    for ok, value in zip(accepted[::-1], values[::-1]):
        found = jnp.where(ok, value, found)
    return found


def _draw(keys, dtype, draw):
    """Returns one number for each key of an array of keys."""
    return jax.vmap(lambda key: draw(key, (), dtype))(keys.reshape(-1)).reshape(keys.shape)


def _split(keys, count):
    """Returns `count` arrays of new keys for an array of keys."""
    found = jax.vmap(lambda key: jax.random.split(key, count))(keys.reshape(-1))
    return [found[:, i].reshape(keys.shape) for i in range(count)]


def _gamma_samples(keys, alpha, log_space):
    """Returns one sample for each key, or its logarithm."""
    dtype = alpha.dtype
    boosted = ~(alpha >= 1)
    a = jnp.where(boosted, alpha + 1, alpha)
    d = a - 1 / 3
    c = (1 / 3) / jnp.sqrt(d)
    keys, boost_keys = _split(keys, 2)
    rounds = []
    for _ in range(_ROUNDS[0]):
        keys, *others = _split(keys, 3)
        rounds.append(others)
    x_keys, u_keys = (jnp.stack(k) for k in zip(*rounds))
    drawn = []
    for count in _ROUNDS:
        x_keys, each = _split(x_keys[:count], 2)
        drawn.append(each)
    normals = _draw(jnp.concatenate(drawn), dtype, jax.random.normal)
    tries = jnp.split(normals, np.cumsum(_ROUNDS)[:-1])
    uniforms = _draw(u_keys, dtype, jax.random.uniform)
    accepted, cubes = [], []
    for r in range(_ROUNDS[0]):
        xs = [x[r] for x in tries if r < len(x)]
        x = _take([~(1 + x * c <= 0) for x in xs], xs)
        v = 1 + x * c
        square, cube, u = x * x, v * v * v, uniforms[r]
        # Where x is NaN the comparisons are false, and the sample becomes NaN.
        rejected = (u >= 1 - 0.0331 * (square * square)) & (jnp.log(u) >= square * 0.5 + d * (1 - cube + jnp.log(cube)))
        accepted.append(~rejected)
        cubes.append(cube)
    cube = _take(accepted, cubes)
    if log_space:
        boost = -_draw(boost_keys, dtype, jax.random.exponential)
        return jnp.log(d) + jnp.log(cube) + jnp.where(boosted & (boost != 0), boost * (1 / alpha), 0)
    boost = 1 - _draw(boost_keys, dtype, jax.random.uniform)
    return d * cube * jnp.where(boosted, boost ** (1 / alpha), 1)


def _for_each(keys, alpha, log_space):
    """Returns one sample for each element of alpha, whose first dims are those of the keys."""
    count = alpha.size // max(keys.size, 1)
    each = jax.vmap(lambda key: jax.random.split(key, count))(keys.reshape(-1)).reshape(-1)
    return _gamma_samples(each, alpha.reshape(-1), log_space).reshape(alpha.shape)


@jax.custom_jvp
def gamma(keys, alpha):
    return _for_each(keys, alpha, False)


@jax.custom_jvp
def loggamma(keys, alpha):
    return _for_each(keys, alpha, True)


@gamma.defjvp
def _(primals, tangents):
    sample = gamma(*primals)
    slope = _special.log_sample_slope(primals[1], jnp.log(sample))
    return sample, tangents[1] * jnp.where(sample == 0, 0, sample * slope)


@loggamma.defjvp
def _(primals, tangents):
    sample = loggamma(*primals)
    return sample, tangents[1] * _special.log_sample_slope(primals[1], sample)


# Steps of Knuth's algorithm, which takes one more than the sample, for a rate below 10, and proposals of Hörmann's.
_PRODUCTS, _PROPOSALS = 52, 30


def _chain(key, length, count):
    """Returns arrays of `count - 1` keys of each link of a chain; a link splits the first of `count` keys further."""
    links = []
    for _ in range(length):
        key, *others = jax.random.split(key, count)
        links.append(others)
    return [jnp.stack(k) for k in zip(*links)]


def _by_products(key, rate):
    """Returns how many uniform numbers have a product that is larger than e^-rate (Knuth)."""
    (keys,) = _chain(key, _PRODUCTS, 2)
    logarithms = jnp.log(jax.vmap(lambda k: jax.random.uniform(k, rate.shape, "float32"))(keys))
    total, count = jnp.zeros(rate.shape, "float32"), jnp.zeros(rate.shape, "int32")
    for i in range(_PRODUCTS):
        count = count + (total > -rate)
        total = total + logarithms[i]
    return count - 1


def _by_rejection(key, rate):
    """Returns samples by transformed rejection (Hörmann, 1993). JAX proposes for all until each has been accepted once, and the
    last proposal that is accepted counts."""
    b = 0.931 + 2.53 * jnp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    bound = 0.9277 - 3.6224 / (b - 2)
    u_keys, v_keys = _chain(key, _PROPOSALS, 3)
    uniform = jax.vmap(lambda k: jax.random.uniform(k, rate.shape, rate.dtype))
    u, v = uniform(u_keys) - 0.5, uniform(v_keys)
    shifted = 0.5 - jnp.abs(u)
    k = jnp.floor((2 * a / shifted + b) * u + rate + 0.43)
    s = jnp.log(v * inverse / (a / (shifted * shifted) + b))
    t = -rate + k * jnp.log(rate) - jax.lax.lgamma(k + 1)
    rejected = (k < 0) | ((shifted < 0.013) & (v > shifted))
    accepted = ((shifted >= 0.07) & (v <= bound)) | (~rejected & (s <= t))
    before = [jnp.zeros(rate.shape, bool)]
    for i in range(_PROPOSALS - 1):
        before.append(before[i] | accepted[i])
    goes_on = ~jnp.all(jnp.stack(before), tuple(range(1, rate.ndim + 1)))
    found = jnp.full_like(rate, -1)
    for i in range(_PROPOSALS):
        found = jnp.where(accepted[i] & goes_on[i], k[i], found)
    return found


def poisson(key, rate, dtype):
    """Returns samples of Poisson distributions."""
    small = jnp.isnan(rate) | (rate < 10)
    found = jnp.where(small, _by_products(key, jnp.where(small, rate, 0)).astype(dtype),
                      _by_rejection(key, jnp.where(small, 1e5, rate)).astype(dtype))
    return jnp.where(rate == 0, 0, found)


# ---------------------------------------------------------------- in a jaxpr


def _is_threefry(aval):
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key) and aval.dtype == jax.random.key(0, impl="threefry2x32").dtype


def _is_poisson(eqn):
    """Returns True for a call of jax.random.poisson that is as JAX makes it: under jax.vmap the loops stop for each sample."""
    if eqn.params.get("name") != "_poisson" or len(eqn.invars) != 2 or eqn.invars[0].aval.shape:
        return False
    key, rate = (v.aval for v in eqn.invars)
    found = eqn.outvars[0].aval
    own = jax.make_jaxpr(lambda key, rate: jax.random.poisson(key, rate, found.shape, found.dtype))(
        jax.random.key(0, impl="threefry2x32"), jax.ShapeDtypeStruct(rate.shape, rate.dtype))
    return any(str(e.params.get("jaxpr")) == str(eqn.params["jaxpr"]) for e in own.jaxpr.eqns)


def function_of(eqn):
    """Returns the function of the operands of an equation that draws samples by loops; None if it draws none.

    Keys other than Threefry's draw other bits where several samples are drawn at once.
    """
    if not eqn.invars or not _is_threefry(eqn.invars[0].aval):
        return None
    if eqn.primitive.name == "random_gamma":
        return loggamma if eqn.params["log_space"] else gamma
    if _is_poisson(eqn):
        dtype = eqn.outvars[0].aval.dtype
        return lambda key, rate: poisson(key, rate, dtype)
    return None

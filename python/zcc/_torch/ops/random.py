# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ops. Each draws from the key of the step, folded with a number that follows from the path of its module.

Bits are those of Threefry-2x32 (Salmon et al., 2011, "Parallel random numbers: as easy as 1, 2, 3") of the element's row-major
number, as in jax.random with jax_threefry_partitionable: they depend neither on how the tensor is sharded nor on when it is computed.
"""
import math

from . import lower

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def _threefry(b, keys, x):
    """Hashes two Values of ui32 with two keys of their shape, in twenty rounds."""
    third = b.binary("xor", b.binary("xor", *keys), b.like(0x1BD11BDA, keys[0]))
    keys = (*keys, third)
    x = [b.add(x[0], keys[0]), b.add(x[1], keys[1])]
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            x[0] = b.add(x[0], x[1])
            turned = b.binary("or", b.binary("shift_left", x[1], b.like(r, x[1])),
                              b.binary("shift_right_logical", x[1], b.like(32 - r, x[1])))
            x[1] = b.binary("xor", x[0], turned)
        x = [b.add(x[0], keys[(i + 1) % 3]), b.add(b.add(x[1], keys[(i + 2) % 3]), b.like(i + 1, x[1]))]
    return x


def random_bits(b, shape):
    """Returns 32 random bits for each element."""
    if b.key is None:
        raise NotImplementedError("random numbers where there is no key of the step")
    halves = [b.reshape(b.slice_dim(b.key, 0, i, i + 1), ()) for i in (0, 1)]
    own = _threefry(b, halves, [b.constant(0, (), "ui32"), b.constant(b.draw(), (), "ui32")])
    wide = "ui64" if math.prod(shape) > 2 ** 32 else "ui32"
    number = b.constant(0, shape, wide)
    for dim in range(len(shape)):  # the row-major number of an element
        at = b.iota(shape, dim, wide)
        stride = math.prod(shape[dim + 1:])
        at = b.multiply(at, b.like(stride, at)) if stride not in (0, 1) else at
        number = b.add(number, at) if dim else at
    keys = [b.broadcast(k, shape) for k in own]
    above = b.convert(b.binary("shift_right_logical", number, b.like(32, number)), "ui32") if wide == "ui64" else b.like(0, number)
    high, low = _threefry(b, keys, [above, b.convert(number, "ui32")])
    return b.binary("xor", high, low)


def uniform(b, shape, element):
    """Returns numbers of [0, 1): the upper 23 bits as a fraction."""
    bits = b.binary("shift_right_logical", random_bits(b, shape), b.constant(9, shape, "ui32"))
    bits = b.binary("or", bits, b.like(0x3F800000, bits))
    found = b.op("stablehlo.bitcast_convert", [bits], shape, "f32")
    return b.convert(b.subtract(found, b.like(1, found)), element)


def normal(b, shape, element):
    """Returns numbers of the standard normal distribution: sqrt(2) erfinv(u), u uniform in (-1, 1)."""
    low = -1 + 2.0 ** -24
    u = uniform(b, shape, "f32")
    u = b.add(b.multiply(u, b.like(1 - low, u)), b.like(low, u))
    found = b.op("chlo.erf_inv", [u], shape, "f32")
    return b.convert(b.multiply(found, b.like(math.sqrt(2), found)), element)


def keep(b, shape, p):
    """Returns True with the probability p."""
    draw = uniform(b, shape, "f32")
    return b.compare("LT", draw, b.like(p, draw))


def drop(b, x, p):
    """Returns x with each element set to 0 with the probability p, the others divided by 1 - p."""
    if p >= 1:
        return b.like(0, x)
    return b.select(keep(b, x.shape, 1 - p), b.divide(x, b.like(1 - p, x)), b.like(0, x))


@lower("aten.native_dropout.default")
def _(b, x, p, train):
    if not train or not p:
        return x, b.constant(True, x.shape, "i1")
    mask = keep(b, x.shape, 1 - p) if p < 1 else b.constant(False, x.shape, "i1")
    scaled = b.divide(x, b.like(1 - p, x)) if p < 1 else x
    return b.select(mask, scaled, b.like(0, x)), mask


@lower("aten.bernoulli.default")
def _(b, x, **_):
    draw = uniform(b, x.shape, "f32")
    return b.convert(b.compare("LT", draw, b.convert(x, "f32")), b.out.element)


@lower("aten.bernoulli.p")
def _(b, x, p=0.5, **_):
    return b.convert(keep(b, x.shape, p), b.out.element)


@lower("aten.rand.default", "aten.rand_like.default")
def _(b, *_, **__):
    return uniform(b, b.out.shape, b.out.element)


@lower("aten.randn.default", "aten.randn_like.default")
def _(b, *_, **__):
    return normal(b, b.out.shape, b.out.element)


@lower("aten.uniform.default")
def _(b, x, low=0.0, high=1.0, **_):
    found = uniform(b, b.out.shape, b.out.element)
    return b.add(b.multiply(found, b.like(high - low, found)), b.like(low, found))


@lower("aten.normal_functional.default")
def _(b, x, mean=0.0, std=1.0, **_):
    found = normal(b, b.out.shape, b.out.element)
    return b.add(b.multiply(found, b.like(std, found)), b.like(mean, found))


@lower("aten.exponential.default")
def _(b, x, rate=1.0, **_):
    found = uniform(b, b.out.shape, "f32")
    found = b.negate(b.unary("log_plus_one", b.negate(found)))
    return b.convert(b.divide(found, b.like(rate, found)), b.out.element)


def integers_below(b, low, high):
    bits = random_bits(b, b.out.shape)
    found = b.binary("remainder", bits, b.like(high - low, bits))
    found = b.convert(found, b.out.element)
    return b.add(found, b.like(low, found))


@lower("aten.randint.default", "aten.randint_like.default")
def _(b, *args, **_):
    return integers_below(b, 0, next(a for a in args if isinstance(a, int)))


@lower("aten.randint.low", "aten.randint_like.low_dtype")
def _(b, *args, **_):
    low, high = [a for a in args if isinstance(a, int)][:2]
    return integers_below(b, low, high)


@lower("aten.log_normal.default")
def _(b, x, mean=1.0, std=2.0, **_):
    found = normal(b, b.out.shape, b.out.element)
    return b.unary("exponential", b.add(b.multiply(found, b.like(std, found)), b.like(mean, found)))


@lower("aten.cauchy.default")
def _(b, x, median=0.0, sigma=1.0, **_):
    found = uniform(b, b.out.shape, "f32")
    found = b.unary("tan", b.multiply(b.subtract(found, b.like(0.5, found)), b.like(math.pi, found)))
    return b.convert(b.add(b.multiply(found, b.like(sigma, found)), b.like(median, found)), b.out.element)


@lower("aten.geometric.default")
def _(b, x, p, **_):
    found = uniform(b, b.out.shape, "f32")
    found = b.unary("ceil", b.divide(b.unary("log_plus_one", b.negate(found)), b.like(math.log1p(-p), found)))
    return b.convert(b.maximum(found, b.like(1, found)), b.out.element)


@lower("aten.randperm.default")
def _(b, count, **_):
    from .sorting import sort

    return b.convert(sort(b, random_bits(b, (count,)), 0, False)[1], b.out.element)


@lower("aten.multinomial.default")
def _(b, weights, count, replacement=False, **_):
    """The first of independent clocks, each of which ticks at the rate of its weight, is that of a number with the probability of the weight."""
    rows, classes = weights.shape[:-1], weights.shape[-1]
    shape = (*rows, count, classes) if replacement else weights.shape
    times = uniform(b, shape, "f32")
    times = b.negate(b.unary("log", b.add(times, b.like(2.0 ** -24, times))))
    rates = b.unary("log", b.convert(weights, "f32"))
    if replacement:
        rates = b.broadcast_in_dim(rates, shape, [*range(len(rows)), len(shape) - 1])
    earliest = b.subtract(rates, b.unary("log", times))
    wanted = 1 if replacement else count
    found = b.ops("chlo.top_k", [earliest], [((*shape[:-1], wanted), kind) for kind in ("f32", "i32")], {"k": f"{wanted} : i64"})[1]
    return b.convert(b.reshape(found, (*rows, count)), b.out.element)


@lower("aten.rrelu_with_noise_functional.default")
def _(b, x, noise, lower=0.125, upper=1 / 3, training=False, **_):
    zero, one = b.like(0, x), b.like(1, x)
    if training:
        slope = uniform(b, x.shape, x.element)
        slope = b.add(b.multiply(slope, b.like(upper - lower, x)), b.like(lower, x))
    else:
        slope = b.like((lower + upper) / 2, x)
    slope = b.select(b.compare("LE", x, zero), slope, one)
    return b.multiply(x, slope), slope

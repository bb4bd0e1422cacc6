# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overloads that compute each element of the result alone."""
import math

from ..text import Value, is_float, largest, smallest, width
from . import lower


def unary(name, op):
    @lower(f"aten.{name}.default")
    def _(b, x):
        return b.unary(op, b.as_float(x))


for _name, _op in {"exp": "exponential", "log": "log", "log1p": "log_plus_one", "expm1": "exponential_minus_one", "sqrt": "sqrt",
                   "rsqrt": "rsqrt", "sin": "sine", "cos": "cosine", "tan": "tan", "tanh": "tanh", "sigmoid": "logistic"}.items():
    unary(_name, _op)


def chlo(name, op):
    @lower(f"aten.{name}.default")
    def _(b, x):
        x = b.as_float(x)
        return b.op(f"chlo.{op}", [x], x.shape, x.element)


for _name, _op in {"erf": "erf", "erfc": "erfc", "erfinv": "erf_inv", "asin": "asin", "acos": "acos", "atan": "atan", "asinh": "asinh",
                   "acosh": "acosh", "atanh": "atanh", "sinh": "sinh", "cosh": "cosh", "lgamma": "lgamma", "digamma": "digamma"}.items():
    chlo(_name, _op)


def same_type(name, op):
    """Ops that leave integers alone."""
    @lower(f"aten.{name}.default")
    def _(b, x):
        return b.unary(op, x) if is_float(x.element) else x


for _name, _op in {"floor": "floor", "ceil": "ceil", "round": "round_nearest_even"}.items():
    same_type(_name, _op)


@lower("aten.trunc.default", "aten.fix.default")
def truncate(b, x):
    if not is_float(x.element):
        return x
    return b.select(b.compare("LT", x, b.like(0, x)), b.unary("ceil", x), b.unary("floor", x))


@lower("aten.frac.default")
def _(b, x):
    return b.subtract(x, truncate(b, x))


@lower("aten.abs.default")
def absolute(b, x):
    if x.element.startswith("ui") or x.element == "i1":
        return x
    if not is_float(x.element):
        return b.unary("abs", x)
    # torch has the derivative 0 at 0: of x * sign(x), the factor sign(x) has none.
    return b.multiply(x, b.stop_gradient(b.unary("sign", x)))


@lower("aten.neg.default")
def _(b, x):
    return b.negate(x)


@lower("aten.sign.default", "aten.sgn.default")
def _(b, x):
    return x if x.element == "i1" else b.unary("sign", x)


@lower("aten.reciprocal.default")
def _(b, x):
    x = b.as_float(x)
    return b.divide(b.like(1, x), x)


@lower("aten.square.default")
def _(b, x):
    return b.multiply(x, x)


@lower("aten.exp2.default")
def _(b, x):
    x = b.as_float(x)
    return b.unary("exponential", b.multiply(x, b.like(math.log(2), x)))


@lower("aten.log2.default")
def _(b, x):
    x = b.as_float(x)
    return b.multiply(b.unary("log", x), b.like(1 / math.log(2), x))


@lower("aten.log10.default")
def _(b, x):
    x = b.as_float(x)
    return b.multiply(b.unary("log", x), b.like(1 / math.log(10), x))


@lower("aten.logical_not.default")
def _(b, x):
    return b.unary("not", b.convert(x, "i1"))


@lower("aten.bitwise_not.default")
def _(b, x):
    return b.unary("not", x)


@lower("aten.angle.default")
def _(b, x):
    x = b.as_float(x)
    found = b.select(b.compare("LT", x, b.like(0, x)), b.like(math.pi, x), b.like(0, x))
    return b.select(b.compare("NE", x, x), x, found)


@lower("aten.signbit.default")
def _(b, x):
    if not is_float(x.element):
        return b.compare("LT", x, b.like(0, x))
    bits = b.op("stablehlo.bitcast_convert", [x], x.shape, f"i{width(x.element)}")
    return b.compare("LT", bits, b.like(0, bits))


@lower("aten.round.decimals")
def _(b, x, decimals=0):
    if not is_float(x.element):
        return x
    by = b.like(10.0 ** abs(decimals), x)
    if decimals >= 0:
        return b.divide(b.unary("round_nearest_even", b.multiply(x, by)), by)
    return b.multiply(b.unary("round_nearest_even", b.divide(x, by)), by)


@lower("aten.isnan.default")
def _(b, x):
    return b.compare("NE", x, x)


@lower("aten.isinf.default")
def _(b, x):
    if not is_float(x.element):
        return b.constant(False, x.shape, "i1")
    return b.compare("EQ", b.unary("abs", x), b.like(math.inf, x))


@lower("aten.isfinite.default")
def _(b, x):
    return b.op("stablehlo.is_finite", [x], x.shape, "i1") if is_float(x.element) else b.constant(True, x.shape, "i1")


# ---------------------------------------------------------------- two operands

@lower("aten.add.Tensor", "aten.add.Scalar")
def add(b, x, y, alpha=1):
    x, y = b.operands(x, y, element=b.out.element)
    if x.element == "i1":
        return b.binary("or", x, y)
    return b.add(x, y if alpha == 1 else b.multiply(y, b.like(alpha, y)))


@lower("aten.sub.Tensor", "aten.sub.Scalar")
def subtract(b, x, y, alpha=1):
    x, y = b.operands(x, y, element=b.out.element)
    return b.subtract(x, y if alpha == 1 else b.multiply(y, b.like(alpha, y)))


@lower("aten.rsub.Tensor", "aten.rsub.Scalar")
def _(b, x, y, alpha=1):
    return subtract(b, y, x, alpha)


@lower("aten.mul.Tensor", "aten.mul.Scalar")
def _(b, x, y):
    x, y = b.operands(x, y, element=b.out.element)
    return b.binary("and" if x.element == "i1" else "multiply", x, y)


@lower("aten.div.Tensor", "aten.div.Scalar")
def _(b, x, y):
    return b.divide(*b.operands(x, y, element=b.out.element))


@lower("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def divide(b, x, y, rounding_mode=None):
    x, y = b.operands(x, y, element=b.out.element)
    if rounding_mode is None:
        return b.divide(x, y)
    if is_float(x.element):
        if rounding_mode == "trunc":
            return truncate(b, b.divide(x, y))
        # As in torch, the remainder is subtracted before the division, so that rounding does not step over
        # an integer.
        rest = remainder(b, x, y)
        return b.unary("round_nearest_even", b.divide(b.subtract(x, rest), y))
    quotient = b.divide(x, y)  # rounds to zero
    if rounding_mode == "trunc" or x.element.startswith("ui"):
        return quotient
    rest = b.binary("remainder", x, y)
    zero = b.like(0, x)
    down = b.binary("and", b.compare("NE", rest, zero), b.compare("NE", b.compare("LT", rest, zero), b.compare("LT", y, zero)))
    return b.subtract(quotient, b.convert(down, x.element))


@lower("aten.floor_divide.default", "aten.floor_divide.Scalar")
def _(b, x, y):
    return divide(b, x, y, "floor")


def remainder(b, x, y):
    """Returns the remainder with the sign of y, as Python's %."""
    rest = b.binary("remainder", x, y)
    if x.element.startswith("ui"):
        return rest
    zero = b.like(0, x)
    other = b.binary("and", b.compare("NE", rest, zero), b.compare("NE", b.compare("LT", rest, zero), b.compare("LT", y, zero)))
    return b.select(other, b.add(rest, y), rest)


@lower("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def _(b, x, y):
    return remainder(b, *b.operands(x, y, shape=b.out.shape, element=b.out.element))


@lower("aten.fmod.Tensor", "aten.fmod.Scalar")
def _(b, x, y):
    return b.binary("remainder", *b.operands(x, y, element=b.out.element))


@lower("aten.maximum.default")
def _(b, x, y):
    return b.maximum(*b.operands(x, y, element=b.out.element))


@lower("aten.minimum.default")
def _(b, x, y):
    return b.minimum(*b.operands(x, y, element=b.out.element))


for _name, _op in {"fmax": "maximum", "fmin": "minimum"}.items():
    def _beside_nan(op):
        def run(b, x, y):
            x, y = b.operands(x, y, element=b.out.element)
            if not is_float(x.element):
                return b.binary(op, x, y)
            found = b.select(b.compare("NE", y, y), x, b.binary(op, x, y))
            return b.select(b.compare("NE", x, x), y, found)
        return run
    lower(f"aten.{_name}.default")(_beside_nan(_op))


@lower("aten.copysign.Tensor", "aten.copysign.Scalar")
def _(b, x, y):
    x, y = b.operands(x, y, shape=b.out.shape, element=b.out.element)
    sign = b.constant(smallest(f"i{width(x.element)}"), x.shape, f"i{width(x.element)}")
    negative = [b.compare("NE", b.binary("and", b.op("stablehlo.bitcast_convert", [v], v.shape, sign.element), sign), b.like(0, sign)) for v in (x, y)]
    x = b.select(b.compare("EQ", x, b.like(0, x)), b.stop_gradient(x), x)  # the derivative at 0 is 0
    return b.multiply(x, b.select(b.compare("NE", *negative), b.like(-1, x), b.like(1, x)))


@lower("aten.hypot.default")
def _(b, x, y):
    x, y = (absolute(b, v) for v in b.operands(x, y, element=b.out.element))
    low, high = b.minimum(x, y), b.maximum(x, y)
    zero = b.compare("EQ", high, b.like(0, high))  # there torch's derivative is NaN, and here 0
    safe = b.select(zero, b.like(1, high), high)
    ratio = b.divide(low, safe)
    found = b.multiply(safe, b.unary("sqrt", b.add(b.multiply(ratio, ratio), b.like(1, ratio))))
    return b.select(zero, high, found)


@lower("aten.ldexp.Tensor")
def _(b, x, y):
    x, y = b.operands(x, y, element=b.out.element)
    return b.multiply(x, b.binary("power", b.like(2, y), y))


@lower("aten.nextafter.default")
def _(b, x, y):
    x, y = b.operands(x, y, element=b.out.element)
    return b.op("chlo.next_after", [x, y], x.shape, x.element)


@lower("aten.atan2.default")
def _(b, x, y):
    return b.binary("atan2", *b.operands(x, y, element=b.out.element))


for _name, _direction in {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}.items():
    def _compare(direction):
        return lambda b, x, y: b.compare(direction, *b.operands(x, y))
    lower(f"aten.{_name}.Tensor", f"aten.{_name}.Scalar")(_compare(_direction))

for _name in ("and", "or", "xor"):
    def _bits(op):
        return lambda b, x, y: b.binary(op, *b.operands(x, y, shape=b.out.shape, element=b.out.element))

    def _logic(op):
        return lambda b, x, y: b.binary(op, b.broadcast(b.convert(x, "i1"), b.out.shape), b.broadcast(b.convert(y, "i1"), b.out.shape))
    lower(f"aten.bitwise_{_name}.Tensor", f"aten.bitwise_{_name}.Scalar", f"aten.__{_name}__.Tensor", f"aten.__{_name}__.Scalar")(_bits(_name))
    lower(f"aten.logical_{_name}.default")(_logic(_name))

for _name, _op in {"left": "shift_left", "right": "shift_right_arithmetic"}.items():
    def _shift(op):
        return lambda b, x, y: b.binary(op, *b.operands(x, y, shape=b.out.shape, element=b.out.element))
    lower(f"aten.bitwise_{_name}_shift.Tensor", f"aten.bitwise_{_name}_shift.Tensor_Scalar",
          f"aten.__{_name[0]}shift__.Scalar", f"aten.__{_name[0]}shift__.Tensor")(_shift(_op))


@lower("aten.pow.Tensor_Scalar")
def power(b, x, exponent):
    x = b.value(x, element=b.out.element)
    if exponent == 0:
        return b.like(1, x)
    if exponent == 0.5 and is_float(x.element):
        return b.unary("sqrt", x)
    if exponent == -0.5 and is_float(x.element):
        return b.unary("rsqrt", x)
    if float(exponent).is_integer() and 0 < abs(exponent) <= 16 and (exponent > 0 or is_float(x.element)):
        found, square, n = None, x, abs(int(exponent))
        while n:
            if n & 1:
                found = square if found is None else b.multiply(found, square)
            n >>= 1
            if n:
                square = b.multiply(square, square)
        return found if exponent > 0 else b.divide(b.like(1, x), found)
    return b.binary("power", x, b.like(exponent, x))


@lower("aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def _(b, x, y):
    return b.binary("power", *b.operands(x, y, shape=b.out.shape, element=b.out.element))


# torch's own decompositions of the following three have other derivatives, or none, where x is 0.

def _x_times_log(log):
    def run(b, x, y):
        """Returns x * log(y), and 0 where x is 0 and the logarithm infinite."""
        x, y = b.operands(x, y, shape=b.out.shape, element=b.out.element)
        finite = b.op("stablehlo.is_finite", [b.stop_gradient(b.unary(log, y))], x.shape, "i1")
        empty = b.binary("and", b.compare("EQ", x, b.like(0, x)), b.unary("not", finite))
        empty = b.binary("and", empty, b.compare("EQ", y, y))  # NaN stays
        safe = b.unary(log, b.select(empty, b.like(1, y), y))
        return b.select(empty, b.like(0, x), b.multiply(x, safe))
    return run


lower("aten.xlogy.Tensor", "aten.xlogy.Scalar_Self", "aten.xlogy.Scalar_Other")(_x_times_log("log"))
lower("aten.special_xlog1py.default", "aten.special_xlog1py.self_scalar", "aten.special_xlog1py.other_scalar")(_x_times_log("log_plus_one"))


@lower("aten.sinc.default")
def _(b, x):
    x = b.as_float(x)
    zero = b.compare("EQ", x, b.like(0, x))
    angle = b.select(zero, b.like(1, x), b.multiply(x, b.like(math.pi, x)))
    return b.select(zero, b.like(1, x), b.divide(b.unary("sine", angle), angle))


# ---------------------------------------------------------------- choices

@lower("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar")
def where(b, condition, x, y):
    shape, element = b.out.shape, b.out.element
    return b.select(b.broadcast(b.convert(condition, "i1"), shape), b.value(x, shape, element), b.value(y, shape, element))


@lower("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _(b, x, mask, value):
    return where(b, mask, value, x)


@lower("aten.clamp.default", "aten.clamp.Tensor")
def clamp(b, x, low=None, high=None):
    """At an end that is a number, x has the derivative 0; with an end that is a tensor, x shares it, as in torch."""
    x = b.value(x, b.out.shape, b.out.element)
    for end, direction, op in ((low, "LE", "maximum"), (high, "GE", "minimum")):
        if isinstance(end, Value):
            x = b.binary(op, x, b.value(end, x.shape, x.element))
        elif end is not None:
            end = b.value(end, x.shape, x.element)
            x = b.select(b.compare(direction, x, end), end, x)  # no comparison with NaN holds: it stays
    return x


@lower("aten.clamp_min.default", "aten.clamp_min.Tensor")
def _(b, x, low):
    return clamp(b, x, low)


@lower("aten.clamp_max.default", "aten.clamp_max.Tensor")
def _(b, x, high):
    return clamp(b, x, None, high)


# ---------------------------------------------------------------- activations

@lower("aten.relu.default")
def relu(b, x):
    return b.select(b.compare("LE", x, b.like(0, x)), b.like(0, x), x)  # NaN stays


@lower("aten.relu6.default")
def _(b, x):
    return hardtanh(b, x, 0, 6)


@lower("aten.hardtanh.default")
def hardtanh(b, x, low=-1, high=1):
    return clamp(b, x, low, high)


@lower("aten.hardsigmoid.default")
def hardsigmoid(b, x):
    return b.divide(hardtanh(b, b.add(x, b.like(3, x)), 0, 6), b.like(6, x))


@lower("aten.hardswish.default")
def _(b, x):
    return b.multiply(x, hardsigmoid(b, x))


@lower("aten.leaky_relu.default")
def _(b, x, slope=0.01):
    return b.select(b.compare("GT", x, b.like(0, x)), x, b.multiply(x, b.like(slope, x)))


@lower("aten.prelu.default", "aten._prelu_kernel.default")
def _(b, x, weight):
    if weight.rank <= 1 and x.rank > 1:
        weight = b.reshape(weight, [1, weight.shape[0] if weight.rank else 1] + [1] * (x.rank - 2))  # one for each channel
    return b.select(b.compare("GT", x, b.like(0, x)), x, b.multiply(x, b.broadcast(weight, x.shape)))


@lower("aten.elu.default")
def elu(b, x, alpha=1, scale=1, input_scale=1):
    positive = b.compare("GT", x, b.like(0, x))
    below = b.select(positive, b.like(0, x), x)  # what is not taken must not overflow
    low = b.unary("exponential_minus_one", b.multiply(below, b.like(input_scale, x)))
    return b.multiply(b.select(positive, x, b.multiply(low, b.like(alpha, x))), b.like(scale, x))


@lower("aten.selu.default")
def _(b, x):
    return elu(b, x, 1.6732632423543772, 1.0507009873554805)


@lower("aten.celu.default")
def _(b, x, alpha=1.0):
    return elu(b, x, alpha, 1, 1 / alpha)


@lower("aten.silu.default")
def _(b, x):
    wide = b.wide(x)
    return b.convert(b.multiply(wide, b.unary("logistic", wide)), x.element)


@lower("aten.mish.default")
def _(b, x):
    wide = b.wide(x)
    return b.convert(b.multiply(wide, b.unary("tanh", softplus(b, wide))), x.element)


@lower("aten.softplus.default")
def softplus(b, x, beta=1, threshold=20):
    wide = b.wide(x)
    scaled = b.multiply(wide, b.like(beta, wide)) if beta != 1 else wide
    over = b.compare("GT", scaled, b.like(threshold, wide))
    safe = b.select(over, b.like(0, wide), scaled)
    low = b.divide(b.unary("log_plus_one", b.unary("exponential", safe)), b.like(beta, wide))
    return b.convert(b.select(over, wide, low), x.element)


@lower("aten.log_sigmoid.default", "aten.log_sigmoid_forward.default")
def log_sigmoid(b, x):
    # min(x, 0) - log(1 + exp(-|x|))
    zero = b.like(0, x)
    negative = b.compare("LT", x, zero)
    low = b.select(negative, x, zero)
    away = b.select(negative, x, b.negate(x))
    found = b.subtract(low, b.unary("log_plus_one", b.unary("exponential", away)))
    return (found, None) if isinstance(b.out, tuple) else found


@lower("aten.gelu.default")
def _(b, x, approximate="none"):
    wide = b.wide(x)
    half, one = b.like(0.5, wide), b.like(1, wide)
    if approximate == "tanh":
        cube = b.multiply(b.multiply(wide, wide), wide)
        inner = b.multiply(b.add(wide, b.multiply(cube, b.like(0.044715, wide))), b.like(math.sqrt(2 / math.pi), wide))
        gate = b.unary("tanh", inner)
    else:
        scaled = b.multiply(wide, b.like(math.sqrt(0.5), wide))
        gate = b.op("chlo.erf", [scaled], scaled.shape, scaled.element)
    return b.convert(b.multiply(b.multiply(wide, half), b.add(gate, one)), x.element)


@lower("aten.glu.default")
def _(b, x, dim=-1):
    dim %= x.rank
    half = x.shape[dim] // 2
    return b.multiply(b.slice_dim(x, dim, 0, half), b.unary("logistic", b.slice_dim(x, dim, half, 2 * half)))


@lower("aten.lerp.Scalar", "aten.lerp.Tensor")
def _(b, x, y, weight):
    x, y = b.operands(x, y, shape=b.out.shape, element=b.out.element)
    return b.add(x, b.multiply(b.value(weight, x.shape, x.element), b.subtract(y, x)))


@lower("aten.addcmul.default")
def _(b, x, y, z, value=1):
    x, y, z = (b.value(v, b.out.shape, b.out.element) for v in (x, y, z))
    return b.add(x, b.multiply(b.multiply(y, z), b.like(value, y)))


@lower("aten.addcdiv.default")
def _(b, x, y, z, value=1):
    x, y, z = (b.value(v, b.out.shape, b.out.element) for v in (x, y, z))
    return b.add(x, b.multiply(b.divide(y, z), b.like(value, y)))


@lower("aten.nan_to_num.default")
def _(b, x, nan=None, posinf=None, neginf=None):
    if not is_float(x.element):
        return x
    found = b.select(b.compare("NE", x, x), b.like(nan or 0, x), x)
    high, low = (largest(x.element) if posinf is None else posinf), (smallest(x.element) if neginf is None else neginf)
    found = b.select(b.compare("EQ", x, b.like(math.inf, x)), b.like(high, x), found)
    return b.select(b.compare("EQ", x, b.like(-math.inf, x)), b.like(low, x), found)


# ---------------------------------------------------------------- types and copies

@lower("aten._to_copy.default")
def _(b, x, **_):
    return b.convert(x, b.out.element)


@lower("aten.type_as.default")
def _(b, x, *_, **__):
    return b.convert(x, b.out.element)


@lower("prims.convert_element_type.default")
def _(b, x, dtype):
    return b.convert(x, b.out.element)


@lower("aten.clone.default", "aten.alias.default")
def _(b, x, **_):
    return x


@lower("aten.copy.default")
def _(b, x, y, non_blocking=False):
    return b.value(y, x.shape, x.element)




@lower("aten.detach.default", "aten.detach_copy.default", "zcc.stop_gradient.default")
def _(b, x):
    return b.stop_gradient(x) if is_float(x.element) else x

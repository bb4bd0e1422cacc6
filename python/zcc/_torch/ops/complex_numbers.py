# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers, of which the text has the real and the imaginary parts, and Fourier transforms, which are products with
matrices of cosines and sines.

An op that only moves elements moves both parts. Others have a lowering here, in a table of their own: it is asked where an
operand or the result is complex.
"""
import math

import numpy as np
import torch

from ..text import is_float
from . import TABLE, dims_of

COMPLEX = {}
_PARTS = {"c64": "f32", "c128": "f64"}
_REAL = {"ones", "ones_like", "new_ones", "eye"}  # These make real numbers, in whatever type.


class Complex:
    """A pair of Values of one shape and type. `element` is what Spec has for a complex tensor."""

    __slots__ = ("real", "imaginary")

    def __init__(self, real, imaginary):
        self.real, self.imaginary = real, imaginary

    @property
    def shape(self):
        return self.real.shape

    @property
    def rank(self):
        return self.real.rank

    @property
    def element(self):
        return "c128" if self.real.element == "f64" else "c64"


def part_of(element):
    """Returns the type of the parts of a complex type, or None for another type."""
    return _PARTS.get(element)


def is_concerned(b, args, kwargs):
    """Returns True if an operand or the result of an op is complex."""
    def within(x):
        if isinstance(x, (list, tuple)):
            return any(map(within, x))
        return isinstance(x, Complex) or part_of(getattr(x, "element", None)) is not None
    return within(b.out) or within(args) or within(list(kwargs.values()))


def lower(*names):
    """Registers a lowering under the names of overloads, for complex numbers."""
    def add(function):
        for name in names:
            assert name not in COMPLEX, f"{name} has two lowerings"
            COMPLEX[name] = function
        return function
    return add


def find(name):
    """Returns the lowering of an overload for complex numbers, or None."""
    if name in COMPLEX:
        return COMPLEX[name]
    function = TABLE.get(name)
    if function is None or "reduce" in name or function.__module__.rsplit(".", 1)[-1] not in ("movement", "indexing"):
        return None
    if name.split(".")[1] in _REAL:
        return lambda b, *args, **kwargs: _real_of(b, function, args, kwargs)
    # Numbers that are values; others are sizes and dims.
    values = [isinstance(a.type, torch.NumberType) for a in _overload(name)._schema.arguments]

    def of_parts(b, *args, **kwargs):
        args = [complex(a) if is_value and isinstance(a, (int, float)) else a for a, is_value in zip(args, values)]
        return _of_parts(b, function, args, kwargs)
    return of_parts


def _overload(name):
    space, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, space), packet), overload)


def _real_of(b, function, args, kwargs):
    """Makes a complex tensor of real numbers."""
    kept, b.out = b.out, _real_spec(b.out)
    real = function(b, *args, **kwargs)
    b.out = kept
    return Complex(real, b.like(0, real))


def _of_parts(b, function, args, kwargs):
    """Applies a lowering that moves elements to both parts. A real operand has the imaginary part 0; integers are indices."""
    kept, found = b.out, []
    for which in ("real", "imaginary"):
        def part(x):
            if isinstance(x, (list, tuple)):
                return [part(v) for v in x]
            if isinstance(x, Complex):
                return getattr(x, which)
            if isinstance(x, (float, complex)):
                return x.real if which == "real" else x.imag
            return b.like(0, x) if which == "imaginary" and is_float(getattr(x, "element", "")) else x
        b.out = _real_spec(kept)
        found.append(function(b, *part(args), **{k: part(v) for k, v in kwargs.items()}))
    b.out = kept
    if isinstance(found[0], (list, tuple)):
        return tuple(Complex(*pair) for pair in zip(*found))
    return Complex(*found)


def _real_spec(spec):
    if isinstance(spec, tuple):
        return tuple(map(_real_spec, spec))
    return type(spec)(spec.shape, part_of(spec.element) or spec.element)


def pair(b, x, shape=None, element=None):
    """Returns a Complex, a Value or a number as a Complex whose parts have a type and a shape to which they are broadcast."""
    real, imaginary = (x.real, x.imaginary) if isinstance(x, Complex) else (x.real, x.imag) if isinstance(x, complex) else (x, 0.0)
    real, imaginary = b.value(real, shape, element), b.value(imaginary, shape, element)
    return Complex(real, b.broadcast(imaginary, real.shape))


def _operands(b, *xs):
    return [pair(b, x, b.out.shape, part_of(b.out.element)) for x in xs]


# ---------------------------------------------------------------- parts

@lower("aten.view_as_complex.default")
def _(b, x):
    last = x.rank - 1
    return Complex(*(b.reshape(b.slice_dim(x, last, i, i + 1), x.shape[:-1]) for i in (0, 1)))


@lower("aten.view_as_real.default")
def _(b, x):
    return b.concatenate([b.reshape(v, (*x.shape, 1)) for v in (x.real, x.imaginary)], x.rank)


@lower("aten.complex.default")
def _(b, real, imaginary):
    return Complex(*b.operands(real, imaginary, shape=b.out.shape))


@lower("aten.polar.default")
def _(b, size, angle):
    size, angle = b.operands(size, angle, shape=b.out.shape)
    return Complex(b.multiply(size, b.unary("cosine", angle)), b.multiply(size, b.unary("sine", angle)))


@lower("aten._conj.default", "aten._conj_physical.default")
def conjugate(b, x):
    return Complex(x.real, b.negate(x.imaginary))


@lower("aten._to_copy.default")
def _(b, x, *_, **__):
    if part_of(b.out.element) is None:
        return b.convert(x.real, b.out.element)  # torch drops the imaginary part
    return pair(b, x, element=part_of(b.out.element))


@lower("aten.copy.default")
def _(b, x, y, non_blocking=False):
    if part_of(b.out.element) is None:
        return b.value(y.real, x.shape, x.element)
    return pair(b, y, x.shape, part_of(b.out.element))


@lower("aten.clone.default")
def _(b, x, **_):
    return x


@lower("zcc.stop_gradient.default")
def _(b, x):
    return Complex(b.stop_gradient(x.real), b.stop_gradient(x.imaginary))


@lower("zcc.with_gradient.default")
def _(b, value, x):
    function = TABLE["zcc.with_gradient.default"]
    return Complex(function(b, value.real, x.real), function(b, value.imaginary, x.imaginary))


@lower("aten.full.default")
def _(b, _, value, *__, **___):
    return pair(b, value, b.out.shape, part_of(b.out.element))


# ---------------------------------------------------------------- arithmetic

@lower("aten.add.Tensor")
def _(b, x, y, alpha=1):
    x, y = _operands(b, x, y)
    y = y if alpha == 1 else product(b, y, pair(b, alpha, b.out.shape, y.real.element))
    return Complex(b.add(x.real, y.real), b.add(x.imaginary, y.imaginary))


@lower("aten.sub.Tensor")
def subtract(b, x, y, alpha=1):
    x, y = _operands(b, x, y)
    y = y if alpha == 1 else product(b, y, pair(b, alpha, b.out.shape, y.real.element))
    return Complex(b.subtract(x.real, y.real), b.subtract(x.imaginary, y.imaginary))


@lower("aten.rsub.Tensor", "aten.rsub.Scalar")
def _(b, x, y, alpha=1):
    return subtract(b, y, x, alpha)


@lower("aten.neg.default")
def _(b, x):
    return Complex(b.negate(x.real), b.negate(x.imaginary))


def product(b, x, y):
    return Complex(b.subtract(b.multiply(x.real, y.real), b.multiply(x.imaginary, y.imaginary)),
                   b.add(b.multiply(x.real, y.imaginary), b.multiply(x.imaginary, y.real)))


def _scaled(b, x, factor, op):
    """Returns a Complex times, or divided by, a real operand."""
    element = part_of(b.out.element)
    x, factor = pair(b, x, b.out.shape, element), b.value(factor, b.out.shape, element)
    return Complex(b.binary(op, x.real, factor), b.binary(op, x.imaginary, factor))


def _is_complex(x):
    return isinstance(x, (Complex, complex))


@lower("aten.mul.Tensor")
def _(b, x, y):
    if not _is_complex(x) or not _is_complex(y):
        return _scaled(b, x, y, "multiply") if _is_complex(x) else _scaled(b, y, x, "multiply")
    return product(b, *_operands(b, x, y))


@lower("aten.div.Tensor")
def _(b, x, y):
    if not _is_complex(y):
        return _scaled(b, x, y, "divide")
    return quotient(b, *_operands(b, x, y))


def quotient(b, x, y):
    y, size = _normalize(b, y)
    found, square = product(b, x, conjugate(b, y)), _square_of_abs(b, y)
    return Complex(*(b.divide(b.divide(v, square), size) for v in (found.real, found.imaginary)))


def _normalize(b, x):
    """Returns x divided by the larger of its parts, so that its square neither overflows nor underflows, and that size.

    Results that do not depend on the size, which has no derivative, have the right one. It is 1 where x is 0 or infinite.
    """
    size = b.stop_gradient(b.maximum(b.unary("abs", x.real), b.unary("abs", x.imaginary)))
    keeps = b.binary("or", b.compare("EQ", size, b.like(0, size)), b.compare("EQ", size, b.like(math.inf, size)))
    size = b.select(keeps, b.like(1, size), size)
    return Complex(b.divide(x.real, size), b.divide(x.imaginary, size)), size


def _square_of_abs(b, x):
    return b.add(b.multiply(x.real, x.real), b.multiply(x.imaginary, x.imaginary))


@lower("aten.reciprocal.default")
def reciprocal(b, x):
    return quotient(b, pair(b, 1, x.shape, x.real.element), x)


@lower("aten.square.default")
def _(b, x):
    return product(b, x, x)


@lower("aten.pow.Tensor_Scalar")
def _(b, x, exponent):
    if not isinstance(exponent, (int, float)) or exponent != int(exponent):
        raise NotImplementedError("a power of complex numbers whose exponent is no integer")
    x = pair(b, x, element=part_of(b.out.element))
    if exponent == 0:
        return pair(b, 1, x.shape, x.real.element)
    found, square, n = None, x, abs(int(exponent))
    while n:
        if n & 1:
            found = square if found is None else product(b, found, square)
        n >>= 1
        if n:
            square = product(b, square, square)
    return found if exponent > 0 else reciprocal(b, found)


@lower("aten.abs.default")
def _(b, x):
    x, size = _normalize(b, x)
    square = _square_of_abs(b, x)
    zero = b.compare("EQ", square, b.like(0, square))
    root = b.unary("sqrt", b.select(zero, b.like(1, square), square))  # the derivative at 0 is 0
    return b.select(zero, b.like(0, square), b.multiply(root, size))


@lower("aten.angle.default")
def _(b, x):
    zero, one = b.like(0, x.real), b.like(1, x.real)
    at_zero = b.binary("and", b.compare("EQ", x.real, zero), b.compare("EQ", x.imaginary, zero))  # the derivative there is 0
    return b.binary("atan2", b.select(at_zero, zero, x.imaginary), b.select(at_zero, one, x.real))


@lower("aten.exp.default")
def _(b, x):
    size = b.unary("exponential", x.real)
    return Complex(b.multiply(size, b.unary("cosine", x.imaginary)), b.multiply(size, b.unary("sine", x.imaginary)))


@lower("aten.sum.default", "aten.sum.dim_IntList")
def _(b, x, dim=None, keepdim=False, dtype=None):
    dims = dims_of(dim, x.rank)
    return Complex(b.reduce(x.real, dims, "add", keepdim), b.reduce(x.imaginary, dims, "add", keepdim))


@lower("aten.mean.default", "aten.mean.dim")
def _(b, x, dim=None, keepdim=False, dtype=None):
    dims = dims_of(dim, x.rank)
    count = math.prod(x.shape[d] for d in dims)
    parts = [b.reduce(v, dims, "add", keepdim) for v in (x.real, x.imaginary)]
    return Complex(*(b.divide(v, b.like(count, v)) for v in parts))


@lower("aten.where.self")
def where(b, condition, x, y):
    (x, y), condition = _operands(b, x, y), b.broadcast(b.convert(condition, "i1"), b.out.shape)
    return Complex(b.select(condition, x.real, y.real), b.select(condition, x.imaginary, y.imaginary))


@lower("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _(b, x, mask, value):
    return where(b, mask, value, x)


def _product_of(b, function, x, y):
    """Returns the product of two operands by a function of real ones that is linear in both."""
    kept, element = b.out, part_of(b.out.element)
    x, y, b.out = pair(b, x, element=element), pair(b, y, element=element), _real_spec(b.out)
    found = Complex(b.subtract(function(x.real, y.real), function(x.imaginary, y.imaginary)),
                    b.add(function(x.real, y.imaginary), function(x.imaginary, y.real)))
    b.out = kept
    return found


for _name in ("aten.matmul.default", "aten.mm.default", "aten.bmm.default", "aten.mv.default", "aten.dot.default"):
    def _product(name):
        return lambda b, x, y: _product_of(b, lambda u, v: TABLE[name](b, u, v), x, y)
    lower(_name)(_product(_name))


@lower("aten.linear.default")
def _(b, x, weight, bias=None):
    found = _product_of(b, lambda u, v: TABLE["aten.linear.default"](b, u, v), x, weight)
    return found if bias is None else COMPLEX["aten.add.Tensor"](b, found, bias)


@lower("aten.einsum.default")
def _(b, equation, operands, **_):
    if len(operands) != 2:
        raise NotImplementedError("an einsum of complex numbers that has not two operands")
    return _product_of(b, lambda u, v: TABLE["aten.einsum.default"](b, equation, [u, v]), *operands)


# ---------------------------------------------------------------- Fourier transforms

_LIST = 2 ** 16  # the most elements of a matrix that is written as a list


def _matrix(b, rows, columns, count, element, function, sign=1):
    """Returns sign * function(2 pi j k / count), a matrix over j < rows and k < columns."""
    if rows * columns <= _LIST:
        at = np.outer(np.arange(rows), np.arange(columns)) % count
        found = sign * getattr(np, {"cosine": "cos", "sine": "sin"}[function])(2 * np.pi * at / count)
        return b.array(np.ascontiguousarray(found, np.float64 if element == "f64" else np.float32), element)
    shape = (rows, columns)
    at = b.multiply(b.iota(shape, 0, "i64"), b.iota(shape, 1, "i64"))
    at = b.convert(b.binary("remainder", at, b.like(count, at)), element)
    found = b.unary(function, b.multiply(at, b.like(2 * math.pi / count, at)))
    return found if sign == 1 else b.negate(found)


def _along(b, x, dim, matrix):
    """Returns the product of x along a dim with a matrix, whose columns are the new dim."""
    found = b.dot_general(x, matrix, contract=((dim,), (0,)))
    return b.transpose(found, [*range(dim), found.rank - 1, *range(dim, found.rank - 1)])


def _transformed(b, x, dim, sign, columns=None):
    """Returns the sums over j of x[j] exp(sign * 2 pi i j k / n) for the first k. x: a Complex, or a Value that is real."""
    count, element = x.shape[dim], x.real.element if isinstance(x, Complex) else x.element
    columns = columns or count
    cosines, sines = (_matrix(b, count, columns, count, element, f, s) for f, s in (("cosine", 1), ("sine", sign)))
    if not isinstance(x, Complex):
        return Complex(_along(b, x, dim, cosines), _along(b, x, dim, sines))
    return Complex(b.subtract(_along(b, x.real, dim, cosines), _along(b, x.imaginary, dim, sines)),
                   b.add(_along(b, x.real, dim, sines), _along(b, x.imaginary, dim, cosines)))


def _normalized(b, x, mode, count):
    """mode: 0 for none, 1 for a division by the root of the number of elements, 2 by the number."""
    if mode == 0:
        return x
    scale = lambda v: b.multiply(v, b.like(1 / (math.sqrt(count) if mode == 1 else count), v))
    return Complex(scale(x.real), scale(x.imaginary)) if isinstance(x, Complex) else scale(x)


@lower("aten._fft_c2c.default")
def _(b, x, dims, mode, forward):
    count = math.prod(x.shape[d] for d in dims)
    for dim in dims:
        x = _transformed(b, x, dim % x.rank, -1 if forward else 1)
    return _normalized(b, x, mode, count)


@lower("aten._fft_r2c.default")
def _(b, x, dims, mode, onesided):
    count, *others, last = math.prod(x.shape[d] for d in dims), *dims
    last %= x.rank
    x = _transformed(b, x, last, -1, x.shape[last] // 2 + 1 if onesided else None)
    for dim in others:
        x = _transformed(b, x, dim % x.rank, -1)
    return _normalized(b, x, mode, count)


@lower("aten._fft_c2r.default")
def _(b, x, dims, mode, size):
    """`x` has the first half of a spectrum along its last dim; the other half is the conjugate of the first."""
    *others, last = dims
    last %= x.rank
    count = size * math.prod(x.shape[d] for d in others)
    for dim in others:
        x = _transformed(b, x, dim % x.rank, 1)
    half = size // 2 + 1
    x = Complex(*(b.slice_dim(v, last, 0, half) for v in (x.real, x.imaginary)))
    times = np.full(half, 2.0)
    times[0] = 1
    if size % 2 == 0:
        times[-1] = 1
    element = x.real.element
    times = b.broadcast_in_dim(b.array(times.astype(np.float64 if element == "f64" else np.float32), element), x.shape, [last])
    real, imaginary = b.multiply(x.real, times), b.multiply(x.imaginary, times)
    cosines, sines = (_matrix(b, half, size, size, element, f) for f in ("cosine", "sine"))
    return _normalized(b, b.subtract(_along(b, real, last, cosines), _along(b, imaginary, last, sines)), mode, count)


def constant(b, array):
    """Returns an array of complex numbers."""
    element = "f64" if array.dtype == np.complex128 else "f32"
    return Complex(*(b.array(np.asarray(v, order="C"), element) for v in (array.real, array.imag)))

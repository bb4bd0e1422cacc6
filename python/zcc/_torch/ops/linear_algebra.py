# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Systems of linear equations, inverses, determinants and Cholesky factors of small matrices.

Gauss-Jordan elimination with partial pivoting (Golub and Van Loan, Matrix Computations, section 3.4): step k takes the row, among those that
no step took, with the largest element of column k, and subtracts it from all others. Rows stay where they are. Each step is in the
text, so that the number of rows is limited.
"""
from . import lower
from .functions import with_gradient
from .products import matmul

_MOST = 128  # rows of a matrix


def _check(a):
    if a.shape[-1] > _MOST:
        raise NotImplementedError(f"matrices with {a.shape[-1]} rows: expected {_MOST} at most")


def _transposed(b, x):
    return b.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def _eye(b, shape, element):
    same = b.compare("EQ", b.iota(shape, len(shape) - 2, "i32"), b.iota(shape, len(shape) - 1, "i32"))
    return b.convert(same, element)


def eliminate(b, a, right):
    """a [..., n, n] and right [..., n, m], without derivatives. Returns the solution of a x = right, the pivots [..., n] by step, and for each step
    the row that it took, as [..., n] of 1 in that row, in order."""
    n, lead, last = a.shape[-1], a.shape[:-2], a.rank - 1
    rows = b.concatenate([a, right], last)
    element, wide = a.element, rows.shape
    free = b.constant(True, (*lead, n), "i1")
    place = b.iota((*lead, n), last - 1, "i32")
    pivots, taken, solved = [], [], []
    for k in range(n):
        column = b.reshape(b.slice_dim(rows, last, k, k + 1), (*lead, n))
        size = b.select(free, b.unary("abs", column), b.constant(-1, column.shape, element))
        largest = b.broadcast_in_dim(b.reduce(size, [last - 1], "maximum"), size.shape, range(last - 1))
        at = b.select(b.compare("EQ", size, largest), place, b.like(n, place))
        first = b.broadcast_in_dim(b.reduce(at, [last - 1], "minimum"), at.shape, range(last - 1))  # of equal ones
        own = b.compare("EQ", place, first)
        free = b.binary("and", free, b.unary("not", own))
        own_wide = b.broadcast_in_dim(own, wide, range(last))
        row = b.reduce(b.select(own_wide, rows, b.like(0, rows)), [last - 1], "add")  # [..., n + m]
        pivot = b.reshape(b.slice_dim(row, last - 1, k, k + 1), lead)
        row = b.divide(row, b.broadcast_in_dim(pivot, row.shape, range(last - 1)))
        factor = b.select(own, b.like(0, column), column)
        spread = b.broadcast_in_dim(row, wide, [*range(last - 1), last])
        rows = b.select(own_wide, spread, b.subtract(rows, b.multiply(b.broadcast_in_dim(factor, wide, range(last)), spread)))
        pivots.append(b.reshape(pivot, (*lead, 1)))
        taken.append(own)
    for own in taken:
        row = b.reduce(b.select(b.broadcast_in_dim(own, wide, range(last)), rows, b.like(0, rows)), [last - 1], "add")
        solved.append(b.reshape(b.slice_dim(row, last - 1, n, wide[-1]), (*lead, 1, wide[-1] - n)))
    return b.concatenate(solved, last - 1), b.concatenate(pivots, last - 1), taken


def _inverse(b, a):
    """Returns the inverse, without a derivative, and the pivots and rows of its elimination."""
    _check(a)
    a = b.stop_gradient(a)
    return eliminate(b, a, _eye(b, a.shape, a.element))


def solve(b, a, right):
    """Returns x of a x = right, for matrices of the same batch. With S for inverse(a), its derivative is S (dright - da x), a step of Newton's
    from the solution."""
    _check(a)
    if 0 in (*a.shape, *right.shape):
        return right
    fixed = b.stop_gradient(a)
    n = a.shape[-1]
    found, _, _ = eliminate(b, fixed, b.concatenate([b.stop_gradient(right), _eye(b, a.shape, a.element)], a.rank - 1))
    x = b.slice_dim(found, a.rank - 1, 0, right.shape[-1])
    inverse = b.slice_dim(found, a.rank - 1, right.shape[-1], right.shape[-1] + n)
    change = b.subtract(b.subtract(right, b.stop_gradient(right)), matmul(b, b.subtract(a, fixed), x))
    return b.add(x, matmul(b, inverse, change))


def _batched(b, a, right):
    """Returns matrices in the batch to which torch broadcasts both."""
    import torch

    lead = tuple(torch.broadcast_shapes(a.shape[:-2], right.shape[:-2]))
    return b.broadcast(a, lead + a.shape[-2:]), b.broadcast(right, lead + right.shape[-2:])


@lower("aten._linalg_solve_ex.default")
def _(b, a, right, *, left=True, check_errors=False):
    if b.used & {1, 2}:
        raise NotImplementedError("the factors of a solution")
    vector = right.rank == 1 or right.rank == a.rank - 1 and right.shape == a.shape[:-1]
    if vector:
        right = b.reshape(right, (*right.shape, 1))
    if left:
        found = solve(b, *_batched(b, a, right))
    else:
        found = _transposed(b, solve(b, *_batched(b, _transposed(b, a), _transposed(b, right))))
    return b.reshape(found, b.out[0].shape), None, None, b.constant(0, b.out[3].shape, b.out[3].element)


@lower("aten.linalg_inv_ex.default")
def _(b, a, *, check_errors=False):
    return solve(b, a, _eye(b, a.shape, a.element)), b.constant(0, b.out[1].shape, b.out[1].element)


def _logarithm(b, a):
    """Returns the sign of the determinant and the logarithm of its absolute value, whose derivative is the transposed inverse."""
    lead, n = a.shape[:-2], a.shape[-1]
    if 0 in a.shape:  # the determinant of no rows is 1
        return b.constant(1, lead, a.element), b.constant(0, lead, a.element)
    inverse, pivots, taken = _inverse(b, a)
    value = b.reduce(b.unary("log", b.unary("abs", pivots)), [a.rank - 2], "add")
    change = b.multiply(_transposed(b, inverse), b.subtract(a, b.stop_gradient(a)))
    change = b.reduce(change, [a.rank - 2, a.rank - 1], "add")  # of a matrix without an inverse its derivative is not finite
    # The order in which rows were taken is even or odd: count the pairs that are not in order.
    place = b.iota((*lead, n), a.rank - 2, "i32")
    number = [b.reduce(b.select(own, place, b.like(0, place)), [a.rank - 2], "add") for own in taken]
    order = b.concatenate([b.reshape(x, (*lead, 1)) for x in number], a.rank - 2)
    grid = (*lead, n, n)
    before = b.compare("LT", b.iota(grid, a.rank - 2, "i32"), b.iota(grid, a.rank - 1, "i32"))
    swapped = b.compare("GT", b.broadcast_in_dim(order, grid, range(a.rank - 1)), b.broadcast_in_dim(order, grid, [*range(a.rank - 2), a.rank - 1]))
    count = b.reduce(b.convert(b.binary("and", before, swapped), "i32"), [a.rank - 2, a.rank - 1], "add")
    odd = b.compare("EQ", b.binary("and", count, b.like(1, count)), b.like(1, count))
    sign = b.reduce(b.unary("sign", pivots), [a.rank - 2], "multiply")
    return b.select(odd, b.negate(sign), sign), with_gradient(b, value, change)


@lower("aten._linalg_slogdet.default")
def _(b, a):
    if b.used & {2, 3}:
        raise NotImplementedError("the factors of a determinant")
    return (*_logarithm(b, a), None, None)


@lower("aten._linalg_det.default")
def _(b, a):
    if b.used & {1, 2}:
        raise NotImplementedError("the factors of a determinant")
    sign, logarithm = _logarithm(b, a)
    return b.multiply(sign, b.unary("exponential", logarithm)), None, None


@lower("aten.linalg_solve_triangular.default")
def _(b, a, right, *, upper, left=True, unitriangular=False):
    shape = a.shape
    row, column = b.iota(shape, a.rank - 2, "i32"), b.iota(shape, a.rank - 1, "i32")
    a = b.select(b.compare("LE" if upper else "GE", row, column), a, b.like(0, a))
    if unitriangular:
        a = b.select(b.compare("EQ", row, column), b.like(1, a), a)
    if left:
        return solve(b, *_batched(b, a, right))
    return _transposed(b, solve(b, *_batched(b, _transposed(b, a), _transposed(b, right))))


def cholesky(b, a):
    """Returns the lower triangular L of a = L L^T, of which only the lower triangle of a is read (Golub and Van Loan, section 4.2)."""
    _check(a)
    n, lead, last = a.shape[-1], a.shape[:-2], a.rank - 1
    if 0 in a.shape:
        return a
    row, column = b.iota(a.shape, last - 1, "i32"), b.iota(a.shape, last, "i32")
    fixed = b.select(b.compare("GE", row, column), a, _transposed(b, a))
    half = b.multiply(b.add(a, _transposed(b, a)), b.like(.5, a))  # torch has a derivative that is symmetric
    rest = b.add(b.stop_gradient(fixed), b.subtract(half, b.stop_gradient(half)))
    columns = []
    for k in range(n):
        diagonal = b.reshape(b.slice(rest, [0] * last + [0], [*lead, 1, 1]), lead)
        pivot = b.unary("sqrt", diagonal)
        own = b.reshape(b.slice_dim(rest, last, 0, 1), (*lead, n - k))
        own = b.divide(own, b.broadcast_in_dim(pivot, own.shape, range(last - 1)))
        padded = b.pad(own, b.constant(0, (), a.element), [0] * (last - 1) + [k], [0] * last)
        columns.append(b.reshape(padded, (*lead, n, 1)))
        if k < n - 1:
            below = b.slice_dim(own, last - 1, 1, n - k)
            grid = (*lead, n - k - 1, n - k - 1)
            product = b.multiply(b.broadcast_in_dim(below, grid, range(last)), b.broadcast_in_dim(below, grid, [*range(last - 1), last]))
            rest = b.subtract(b.slice(rest, [0] * (last - 1) + [1, 1], rest.shape), product)
    return b.concatenate(columns, last)


@lower("aten.linalg_cholesky_ex.default")
def _(b, a, *, upper=False, check_errors=False):
    if upper:  # of the upper triangle
        a = _transposed(b, a)
    found = cholesky(b, a)
    return _transposed(b, found) if upper else found, b.constant(0, b.out[1].shape, b.out[1].element)


@lower("aten.cholesky_solve.default")
def _(b, right, factor, upper=False):
    factor = _transposed(b, factor) if upper else factor
    row, column = b.iota(factor.shape, factor.rank - 2, "i32"), b.iota(factor.shape, factor.rank - 1, "i32")
    fixed = b.stop_gradient(b.select(b.compare("GE", row, column), factor, b.like(0, factor)))
    factor = b.add(fixed, b.subtract(factor, b.stop_gradient(factor)))  # in torch all of its elements have a derivative
    factor, right = _batched(b, factor, right)
    return solve(b, _transposed(b, factor), solve(b, factor, right))

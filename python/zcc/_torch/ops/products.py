# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overloads that multiply matrices and convolve."""
from ..text import pairs
from . import lower


def matmul(b, x, y):
    """Returns the product of torch.matmul."""
    element = b.common(x, y)
    x, y = b.convert(x, element), b.convert(y, element)
    if x.rank == 1 and y.rank == 1:
        return b.dot_general(x, y, contract=((0,), (0,)))
    if y.rank <= 2:  # the rows of all batches at once
        return b.dot_general(x, y, contract=((x.rank - 1,), (0,)))
    if x.rank == 1:
        return b.dot_general(y, x, contract=((y.rank - 2,), (0,)))
    import torch

    lead = tuple(torch.broadcast_shapes(x.shape[:-2], y.shape[:-2]))
    n = len(lead)
    x, y = b.broadcast(x, lead + x.shape[-2:]), b.broadcast(y, lead + y.shape[-2:])
    return b.dot_general(x, y, batch=(range(n), range(n)), contract=((n + 1,), (n,)))


@lower("aten.mm.default", "aten.bmm.default", "aten.matmul.default", "aten.dot.default", "aten.mv.default")
def _(b, x, y):
    return matmul(b, x, y)


def _scaled(b, x, by):
    return x if by == 1 else b.multiply(x, b.like(by, x))


@lower("aten.addmm.default", "aten.baddbmm.default", "aten.addmv.default", "aten.addbmm.default")
def _(b, c, x, y, beta=1, alpha=1):
    found = matmul(b, x, y)
    if found.rank > len(b.out.shape):
        found = b.reduce(found, [0], "add")
    found = _scaled(b, found, alpha)
    return found if beta == 0 else b.add(found, _scaled(b, b.value(c, found.shape, found.element), beta))


@lower("aten.linear.default")
def linear(b, x, weight, bias=None):
    found = b.dot_general(x, weight, contract=((x.rank - 1,), (weight.rank - 1,)))
    return found if bias is None else b.add(found, b.broadcast(bias, found.shape))


@lower("aten.outer.default", "aten.ger.default")
def _(b, x, y):
    x, y = b.convert(x, b.out.element), b.convert(y, b.out.element)
    return b.multiply(b.broadcast_in_dim(x, b.out.shape, [0]), b.broadcast_in_dim(y, b.out.shape, [1]))


@lower("aten.einsum.default")
def einsum(b, equation, operands, path=None):
    """An ellipsis stands for dims of its own names; repeated names of one operand are not taken."""
    left, _, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    free = iter("αβγδεζηθικλμ")
    dots = [next(free) for _ in range(max(x.rank - len(t.replace("...", "")) for t, x in zip(terms, operands)))]
    wide = lambda t, rank: t.replace("...", "".join(dots[len(dots) - (rank - len(t.replace("...", ""))):])) if "..." in t else t
    terms = [wide(t, x.rank) for t, x in zip(terms, operands)]
    if "->" not in equation:
        seen = "".join(terms)
        right = "".join(dots) + "".join(sorted(c for c in set(seen) if seen.count(c) == 1 and c not in dots))
    else:
        right = right.replace("...", "".join(dots))
    element = b.out.element
    names, found = terms[0], b.convert(operands[0], element)
    names, found = _diagonals(b, names, found)
    for i, (other, y) in enumerate(zip(terms[1:], operands[1:]), 1):
        other, y = _diagonals(b, other, b.convert(y, element))
        later = right + "".join(terms[i + 1:])
        # Names that only one operand has, and nothing later, are summed first.
        names, found = _summed(b, names, found, lambda c: c in other or c in later)
        other, y = _summed(b, other, y, lambda c: c in names or c in later)
        both = [c for c in names if c in other]
        for c in both:  # an extent of 1 is broadcast
            n = max(found.shape[names.index(c)], y.shape[other.index(c)])
            found = _grown(b, found, names.index(c), n)
            y = _grown(b, y, other.index(c), n)
        batch, contract = [c for c in both if c in later], [c for c in both if c not in later]
        places = lambda order, which: tuple(order.index(c) for c in which)
        found = b.dot_general(found, y, (places(names, batch), places(other, batch)), (places(names, contract), places(other, contract)))
        names = "".join(batch) + "".join(c for c in names if c not in both) + "".join(c for c in other if c not in both)
    names, found = _summed(b, names, found, lambda c: c in right)
    return b.transpose(found, [names.index(c) for c in right])


@lower("aten.bilinear.default")
def _(b, x, y, weight, bias=None):
    found = einsum(b, "...i,oij,...j->...o", [x, weight, y])
    return found if bias is None else b.add(found, b.broadcast(bias, found.shape))


def _summed(b, names, x, kept):
    dims = [i for i, c in enumerate(names) if not kept(c)]
    return "".join(c for c in names if kept(c)), b.reduce(x, dims, "add")


def _grown(b, x, dim, extent):
    return b.broadcast(x, x.shape[:dim] + (extent,) + x.shape[dim + 1:])


def _diagonals(b, names, x):
    """Takes the diagonal of names that occur twice."""
    for c in dict.fromkeys(names):
        while names.count(c) > 1:
            i = names.index(c)
            j = names.index(c, i + 1)
            same = b.compare("EQ", b.iota(x.shape, i, "i32"), b.iota(x.shape, j, "i32"))
            x = b.reduce(b.select(same, x, b.like(0, x)), [j], "add")
            names = names[:j] + names[j + 1:]
    return names, x


def convolve(b, x, weight, strides, padding, dilation=None, base=None, groups=1):
    """x [batch, channels, ...] by weight [out, channels / groups, ...]. padding: (low, high) for each dim of space."""
    n = x.rank - 2
    dilation, base = list(dilation or [1] * n), list(base or [1] * n)
    space = []
    for i in range(n):
        extent = (x.shape[2 + i] - 1) * base[i] + 1 + sum(padding[i])
        space.append((extent - (dilation[i] * (weight.shape[2 + i] - 1) + 1)) // strides[i] + 1)
    dims = ", ".join(map(str, range(n)))
    return b.op("stablehlo.convolution", [x, weight], (x.shape[0], weight.shape[0], *space), x.element, {
        "batch_group_count": "1 : i64", "feature_group_count": f"{groups} : i64",
        "dimension_numbers": f"#stablehlo.conv<[b, f, {dims}]x[o, i, {dims}]->[b, f, {dims}]>",
        "lhs_dilation": _many(base), "rhs_dilation": _many(dilation), "window_strides": _many(strides), "padding": pairs(padding),
        "window_reversal": f"array<i1: {', '.join(['false'] * n)}>"})


def _many(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def _spread(value, n):
    value = [value] if isinstance(value, int) else list(value)
    return value * n if len(value) == 1 else value


@lower("aten.convolution.default")
def convolution(b, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    n = weight.rank - 2
    alone = x.rank == n + 1
    if alone:
        x = b.reshape(x, (1, *x.shape))
    stride, padding, dilation, output_padding = (_spread(v, n) for v in (stride, padding, dilation, output_padding))
    if transposed:  # the derivative of a convolution: the kernel is turned around, its channels swapped within each group
        inputs, outputs = weight.shape[0], weight.shape[1]
        weight = b.reverse(weight, range(2, n + 2))
        weight = b.reshape(weight, (groups, inputs // groups, outputs, *weight.shape[2:]))
        weight = b.transpose(weight, [0, 2, 1, *range(3, n + 3)])
        weight = b.reshape(weight, (groups * outputs, inputs // groups, *weight.shape[3:]))
        reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
        around = [(r - p, r - p + o) for r, p, o in zip(reach, padding, output_padding)]
        found = convolve(b, x, weight, [1] * n, around, dilation, stride, groups)
    else:
        found = convolve(b, x, weight, stride, [(p, p) for p in padding], dilation, None, groups)
    if bias is not None:
        found = b.add(found, b.broadcast_in_dim(bias, found.shape, [1]))
    return b.reshape(found, found.shape[1:]) if alone else found


def _conv(n):
    def run(b, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if isinstance(padding, str):
            reach = [d * (k - 1) for d, k in zip(_spread(dilation, n), weight.shape[2:])]
            around = [(r // 2, r - r // 2) if padding == "same" else (0, 0) for r in reach]
            found = convolve(b, x, weight, _spread(stride, n), around, _spread(dilation, n), None, groups)
            return found if bias is None else b.add(found, b.broadcast_in_dim(bias, found.shape, [1]))
        return convolution(b, x, weight, bias, stride, padding, dilation, False, 0, groups)
    return run


def _conv_transposed(b, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return convolution(b, x, weight, bias, stride, padding, dilation, True, output_padding, groups)


for _n in (1, 2, 3):
    lower(f"aten.conv{_n}d.default", f"aten.conv{_n}d.padding")(_conv(_n))
    lower(f"aten.conv_transpose{_n}d." + ("default" if _n == 1 else "input"))(_conv_transposed)


@lower("aten._grouped_mm.default", "transformers.grouped_mm_fallback.default")
def _(b, x, y, offs=None, bias=None, out_dtype=None):
    """offs has the ends of groups: of the rows of x [m, k], each by its own [k, n] of y [groups, k, n]."""
    if bias is not None:
        raise NotImplementedError("grouped_mm with a bias")
    if offs is None:
        return b.convert(matmul(b, x, y), b.out.element)
    if x.rank == 2 and y.rank == 3:
        return b.convert(ragged(b, x, y, offs), b.out.element)
    if x.rank == 3 and y.rank == 2:  # groups of columns of y
        found = ragged(b, b.transpose(y, [1, 0]), b.transpose(x, [0, 2, 1]), offs)
        return b.convert(b.transpose(found, [1, 0]), b.out.element)
    # Groups of what is contracted: each group's columns of x, the others 0.
    count, extent = offs.shape[0], x.shape[1]
    grid = (count, extent)
    at, ends = b.iota(grid, 1, offs.element), b.broadcast_in_dim(offs, grid, [0])
    begins = b.broadcast_in_dim(_begins(b, offs), grid, [0])
    inside = b.binary("and", b.compare("GE", at, begins), b.compare("LT", at, ends))
    wide = b.broadcast_in_dim(x, (count, *x.shape), [1, 2])
    wide = b.select(b.broadcast_in_dim(inside, wide.shape, [0, 2]), wide, b.like(0, wide))
    return b.convert(b.dot_general(wide, y, contract=((2,), (0,))), b.out.element)


def _begins(b, ends):
    return b.concatenate([b.constant(0, (1,), ends.element), b.slice_dim(ends, 0, 0, ends.shape[0] - 1)], 0)


def ragged(b, x, y, ends):
    """Returns the rows of x [m, k], in groups that end at `ends`, each by its own matrix of y [groups, k, n]."""
    numbers = ("#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
               "rhs_group_dimensions = [0]>")
    return b.op("chlo.ragged_dot", [x, y, b.subtract(ends, _begins(b, ends))], (x.shape[0], y.shape[2]), x.element,
                {"ragged_dot_dimension_numbers": numbers})

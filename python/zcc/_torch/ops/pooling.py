# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling and resizing of images, [batch, channels, ...] or [channels, ...]."""
import itertools
import math

from ..text import is_float, smallest
from . import lower
from .products import _spread
from .reductions import first_of, mean, take_one


def _windows(x, n, kernel, stride, padding, dilation, ceil):
    kernel, padding, dilation = _spread(kernel, n), _spread(padding, n), _spread(dilation, n)
    stride = _spread(stride, n) if stride not in (None, [], ()) else kernel
    around = []
    for i in range(n):
        extent, reach = x.shape[x.rank - n + i], dilation[i] * (kernel[i] - 1) + 1
        high = padding[i]
        if ceil:
            count = -(-(extent + 2 * padding[i] - reach) // stride[i]) + 1
            if (count - 1) * stride[i] >= extent + padding[i]:  # a window begins in the image or its left padding
                count -= 1
            high = max(high, (count - 1) * stride[i] + reach - extent - padding[i])
        around.append((padding[i], high))
    lead = x.rank - n
    return ([1] * lead + kernel, [1] * lead + stride, [(0, 0)] * lead + around, [1] * lead + dilation)


def _max_pool(n, with_index):
    def run(b, x, kernel, stride=None, padding=0, dilation=1, ceil=False):
        windows = _windows(x, n, kernel, stride, padding, dilation, ceil)
        found = b.reduce_window(x, "maximum", *windows)
        if not with_index:
            return found
        return found, _places(b, x, found, n, *windows) if 1 in b.used else None
    return run


def _places(b, x, found, n, window, strides, around, dilation):
    """Returns the row-major place in the image of the first element of each window that is its largest."""
    lead, space = x.rank - n, x.shape[x.rank - n:]
    low, high = zip(*around)
    wide = b.pad(x, b.constant(-math.inf if is_float(x.element) else smallest(x.element), (), x.element), low, high)
    index = b.constant(0, found.shape, "i64")
    for at in reversed(list(itertools.product(*map(range, window[lead:])))):
        begin = [0] * lead + [a * d for a, d in zip(at, dilation[lead:])]
        end = [s + (m - 1) * step + 1 for s, m, step in zip(begin, found.shape, strides)]
        piece = b.slice(wide, begin, end, strides)
        hit = b.compare("EQ", piece, found)
        if is_float(x.element):
            hit = b.binary("or", hit, b.compare("NE", piece, piece))
        number = b.constant(0, found.shape, "i64")
        for i in range(n):
            place = b.iota(found.shape, lead + i, "i64")
            place = b.add(b.multiply(place, b.like(strides[lead + i], place)), b.like(begin[lead + i] - low[lead + i], place))
            number = b.add(number, b.multiply(place, b.like(math.prod(space[i + 1:]), place)))
        index = b.select(hit, number, index)
    return index


def _average_pool(n):
    def run(b, x, kernel, stride=None, padding=0, ceil=False, count_include_pad=True, divisor_override=None):
        window, strides, around, dilation = _windows(x, n, kernel, stride, padding, 1, ceil)
        sums = b.reduce_window(x, "add", window, strides, around, dilation)
        even = all(a == c for a, c in around)
        if divisor_override:
            return b.divide(sums, b.like(divisor_override, sums))
        if even and (count_include_pad or not any(a for a, _ in around)):
            return b.divide(sums, b.like(math.prod(window), sums))
        lead, padding_of = x.rank - n, _spread(padding, n)
        ones = b.constant(1, x.shape, x.element)
        rest = around
        if count_include_pad:  # padding counts, what lies beyond it does not
            low = [0] * lead + padding_of
            ones = b.pad(ones, b.constant(1, (), x.element), low, low)
            rest = [(a - p, c - p) for (a, c), p in zip(around, low)]
        return b.divide(sums, b.reduce_window(ones, "add", window, strides, rest, dilation))
    return run


for _n in (1, 2, 3):
    lower(f"aten.max_pool{_n}d.default")(_max_pool(_n, False))
    lower(f"aten.max_pool{_n}d_with_indices.default")(_max_pool(_n, True))
    lower(f"aten.avg_pool{_n}d.default")(_average_pool(_n))


def _adaptive(n):
    def run(b, x, size):
        size = [s if s is not None else x.shape[x.rank - n + i] for i, s in enumerate(_spread(size, n))]
        for i in range(n):
            dim = x.rank - n + i
            extent, count = x.shape[dim], size[i]
            if extent % count == 0:  # even windows are a reshape and a mean
                split = b.reshape(x, x.shape[:dim] + (count, extent // count) + x.shape[dim + 1:])
                x = mean(b, split, [dim + 1])
            else:
                parts = [mean(b, b.slice_dim(x, dim, j * extent // count, -(-(j + 1) * extent // count)), [dim], keep=True) for j in range(count)]
                x = b.concatenate(parts, dim)
        return x
    return run


for _n in (1, 2, 3):
    lower(f"aten.adaptive_avg_pool{_n}d.default", *([f"aten._adaptive_avg_pool{_n}d.default"] if _n > 1 else []))(_adaptive(_n))


def _adaptive_max(n):
    def run(b, x, size):
        lead, sizes = x.rank - n, _spread(size, n)
        place = b.iota((math.prod(x.shape[lead:]),), 0, "i64")
        place = b.broadcast(b.reshape(place, x.shape[lead:]), x.shape)
        for i in reversed(range(n)):  # the last dim first, so that the first of equal elements is taken
            dim, count, values, places = lead + i, sizes[i], [], []
            extent = x.shape[dim]
            for j in range(count):
                part, own = (b.slice_dim(v, dim, j * extent // count, -(-(j + 1) * extent // count)) for v in (x, place))
                index = first_of(b, part, dim, "maximum")
                values.append(take_one(b, part, index, dim))
                places.append(take_one(b, own, index, dim))
            x, place = b.concatenate(values, dim), b.concatenate(places, dim)
        return x, place
    return run


for _n in (1, 2, 3):
    lower(f"aten.adaptive_max_pool{_n}d.default")(_adaptive_max(_n))


# ---------------------------------------------------------------- resizing

def _factors(scales, n):
    scales = [None] * n if scales is None else list(scales) if isinstance(scales, (list, tuple)) else [scales]
    return scales


def _nearest(n, exact):
    def run(b, x, size, *scales):
        scales = _factors(scales[0] if len(scales) == 1 and isinstance(scales[0], (list, tuple)) else list(scales) or None, n)
        scales = scales + [None] * (n - len(scales))
        for i in range(n):
            dim = x.rank - n + i
            extent, count = x.shape[dim], b.out.shape[dim]
            ratio = 1 / scales[i] if scales[i] else extent / count
            if count % extent == 0 and ratio == extent / count:
                times = count // extent
                wide = x.shape[:dim + 1] + (times,) + x.shape[dim + 1:]
                x = b.reshape(b.broadcast_in_dim(x, wide, [d for d in range(len(wide)) if d != dim + 1]),
                              x.shape[:dim] + (count,) + x.shape[dim + 1:])
            else:
                offset = 0.5 if exact else 0.0
                at = [min(int((j + offset) * ratio), extent - 1) for j in range(count)]
                x = b.concatenate([b.slice_dim(x, dim, a, a + 1) for a in at], dim)
        return x
    return run


def _linear_weights(extent, count, align, scale, cubic):
    """Returns the matrix [count, extent] by which a dim is resized, as a list of rows."""
    rows = []
    ratio = (extent - 1) / (count - 1) if align and count > 1 else 0.0 if align else (1 / scale if scale else extent / count)
    for j in range(count):
        at = j * ratio if align else (j + .5) * ratio - .5
        row = [0.0] * extent
        if cubic:
            base = math.floor(at)
            t, a = at - base, -0.75
            near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
            far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
            for k, w in ((-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))):
                row[min(max(base + k, 0), extent - 1)] += w
        else:
            at = max(at, 0.0)
            base = min(int(at), extent - 1)
            t = at - base
            row[base] += 1 - t
            row[min(base + 1, extent - 1)] += t
        rows.append(row)
    return rows


def _smooth_weights(extent, count, align, scale, cubic):
    """The same with antialias=True, where the kernel is as wide as what one result stands for."""
    ratio = (extent - 1) / (count - 1) if align and count > 1 else 0.0 if align else (1 / scale if scale else extent / count)
    reach, a = (2 if cubic else 1) * max(ratio, 1.0), -0.5
    near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
    far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    kernel = lambda d: max(0.0, 1 - d) if not cubic else near(d) if d < 1 else far(d) if d < 2 else 0.0
    rows = []
    for j in range(count):
        center = ratio * (j + .5)
        low, high = max(int(center - reach + .5), 0), min(int(center + reach + .5), extent)
        row = [kernel(abs(i - center + .5) / max(ratio, 1.0)) if low <= i < high else 0.0 for i in range(extent)]
        rows.append([w / sum(row) for w in row])
    return rows


def _weighted(n, cubic, weights=_linear_weights):
    def run(b, x, size, align, *scales):
        import numpy as np

        scales = _factors(scales[0] if len(scales) == 1 and isinstance(scales[0], (list, tuple)) else list(scales) or None, n)
        scales = scales + [None] * (n - len(scales))
        element, x = x.element, b.wide(x)
        for i in range(n):
            dim = x.rank - n + i
            extent, count = x.shape[dim], b.out.shape[dim]
            if extent == count:
                continue
            rows = np.array(weights(extent, count, align, scales[i], cubic), np.float64 if x.element == "f64" else np.float32)
            found = b.dot_general(x, b.array(rows, x.element), contract=((dim,), (1,)))
            x = b.transpose(found, [*range(dim), found.rank - 1, *range(dim, found.rank - 1)])
        return b.convert(x, element)
    return run


for _n, _name in ((1, "linear1d"), (2, "bilinear2d"), (3, "trilinear3d")):
    lower(f"aten.upsample_{_name}.vec", f"aten.upsample_{_name}.default")(_weighted(_n, False))
lower("aten.upsample_bicubic2d.vec", "aten.upsample_bicubic2d.default")(_weighted(2, True))
lower("aten._upsample_bilinear2d_aa.vec", "aten._upsample_bilinear2d_aa.default")(_weighted(2, False, _smooth_weights))
lower("aten._upsample_bicubic2d_aa.vec", "aten._upsample_bicubic2d_aa.default")(_weighted(2, True, _smooth_weights))
for _n in (1, 2, 3):
    lower(f"aten.upsample_nearest{_n}d.vec", f"aten.upsample_nearest{_n}d.default")(_nearest(_n, False))
    lower(f"aten._upsample_nearest_exact{_n}d.vec", f"aten._upsample_nearest_exact{_n}d.default")(_nearest(_n, True))

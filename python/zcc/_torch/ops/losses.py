# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses that torch has as one op."""
import math

from ..text import is_float
from . import lower
from .elementwise import log_sigmoid
from .reductions import softmax

# torch's enumeration Reduction.
NONE, MEAN, SUM = 0, 1, 2


def reduced(b, x, reduction):
    if reduction == NONE:
        return x
    found = b.reduce(x, range(x.rank), "add")
    return found if reduction == SUM else b.divide(found, b.like(math.prod(x.shape), found))


def picked(b, x, labels, dim):
    """Returns x at a label along a dim, which the labels lack."""
    labels = b.convert(labels, "i32") if labels.element not in ("i32", "i64") else labels
    order = [i for i in range(x.rank) if i != dim] + [dim]
    rows = b.transpose(x, order)
    count = math.prod(rows.shape[:-1])
    flat = b.reshape(rows, (count, rows.shape[-1]))
    at = b.reshape(labels, (count, 1))
    found = b.gather(flat, at, offset=[], collapsed=[1], index_map=[1], sizes=[1, 1], batch=[0], index_batch=[0])
    return b.reshape(found, labels.shape)


def negative_log_likelihood(b, logs, labels, weight, reduction, ignore_index, smoothing=0.0):
    """The loss of log-probabilities [N, C, ...] at labels [N, ...], and the total weight; means are over labels that count."""
    dim = 1 if logs.rank > 1 else 0
    counts = b.compare("NE", labels, b.like(ignore_index, labels))
    safe = b.select(counts, labels, b.like(0, labels))
    zero = b.constant(0, labels.shape, logs.element)
    found = b.negate(picked(b, logs, safe, dim))
    weights = b.convert(counts, logs.element)
    if weight is not None:
        weight = b.convert(weight, logs.element)
        flat = b.reshape(safe, (math.prod(labels.shape), 1))
        own = b.gather(weight, flat, offset=[], collapsed=[0], index_map=[0], sizes=[1])
        weights = b.multiply(weights, b.reshape(own, labels.shape))
        found = b.multiply(found, weights)
    found = b.select(counts, found, zero)
    total = b.reduce(weights, range(weights.rank), "add")
    smooth = None
    if smoothing:
        scaled = logs if weight is None else b.multiply(logs, b.broadcast_in_dim(weight, logs.shape, [dim]))
        smooth = b.select(counts, b.negate(b.reduce(scaled, [dim], "add")), zero)

    def end(values):
        if reduction == NONE:
            return values
        values = b.reduce(values, range(values.rank), "add")
        return values if reduction == SUM else b.divide(values, total)
    found = end(found)
    if smoothing:
        classes = logs.shape[dim]
        found = b.add(b.multiply(found, b.like(1 - smoothing, found)), b.multiply(end(smooth), b.like(smoothing / classes, found)))
    return found, total


@lower("aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
def _(b, x, labels, weight, reduction, ignore_index):
    return negative_log_likelihood(b, x, labels, weight, reduction, ignore_index)


@lower("aten.nll_loss.default", "aten.nll_loss2d.default", "aten.nll_loss_nd.default")
def _(b, x, labels, weight=None, reduction=MEAN, ignore_index=-100):
    return negative_log_likelihood(b, x, labels, weight, reduction, ignore_index)[0]


@lower("aten.cross_entropy_loss.default")
def _(b, x, target, weight=None, reduction=MEAN, ignore_index=-100, label_smoothing=0.0):
    wide = b.wide(x)
    dim = 1 if x.rank > 1 else 0
    logs = softmax(b, wide, dim, logarithm=True)
    if not is_float(target.element):
        found = negative_log_likelihood(b, logs, target, weight, reduction, ignore_index, label_smoothing)[0]
        return b.convert(found, b.out.element)
    target = b.convert(target, wide.element)
    if label_smoothing:
        target = b.add(b.multiply(target, b.like(1 - label_smoothing, target)), b.like(label_smoothing / x.shape[dim], target))
    if weight is not None:
        logs = b.multiply(logs, b.broadcast_in_dim(b.convert(weight, logs.element), logs.shape, [dim]))
    found = b.negate(b.reduce(b.multiply(logs, target), [dim], "add"))
    if reduction != NONE:
        count = math.prod(x.shape) // x.shape[dim]
        found = b.reduce(found, range(found.rank), "add")
        found = found if reduction == SUM else b.divide(found, b.like(count, found))
    return b.convert(found, b.out.element)


@lower("aten.mse_loss.default")
def _(b, x, y, reduction=MEAN):
    x, y = b.operands(x, y)
    away = b.subtract(x, y)
    return reduced(b, b.multiply(away, away), reduction)


@lower("aten.l1_loss.default")
def _(b, x, y, reduction=MEAN):
    x, y = b.operands(x, y)
    away = b.subtract(x, y)
    return reduced(b, b.multiply(away, b.stop_gradient(b.unary("sign", away))), reduction)


def _smooth(b, x, y, edge, huber, reduction):
    x, y = b.operands(x, y)
    away = b.subtract(x, y)
    size = b.multiply(away, b.stop_gradient(b.unary("sign", away)))
    if edge == 0:
        return reduced(b, size, reduction)
    square = b.multiply(b.multiply(away, away), b.like(.5 if huber else .5 / edge, away))
    line = b.subtract(size, b.like(.5 * edge, size))
    line = b.multiply(line, b.like(edge, line)) if huber else line
    return reduced(b, b.select(b.compare("LT", size, b.like(edge, size)), square, line), reduction)


@lower("aten.smooth_l1_loss.default")
def _(b, x, y, reduction=MEAN, beta=1.0):
    return _smooth(b, x, y, beta, False, reduction)


@lower("aten.huber_loss.default")
def _(b, x, y, reduction=MEAN, delta=1.0):
    return _smooth(b, x, y, delta, True, reduction)


@lower("aten.binary_cross_entropy_with_logits.default")
def _(b, x, y, weight=None, pos_weight=None, reduction=MEAN):
    x, y = b.operands(x, y)
    logs = log_sigmoid_of(b, x)
    one = b.like(1, x)
    if pos_weight is not None:
        factor = b.add(b.multiply(b.subtract(b.broadcast(pos_weight, x.shape), one), y), one)
        logs = b.multiply(logs, factor)
    found = b.subtract(b.multiply(b.subtract(one, y), x), logs)
    if weight is not None:
        found = b.multiply(found, b.broadcast(weight, x.shape))
    return reduced(b, found, reduction)


def log_sigmoid_of(b, x):
    """Returns log(sigmoid(x)) as a value of its own: b.out, by which the lowering log_sigmoid chooses its form, is of the loss here."""
    kept, b.out = b.out, None
    found = log_sigmoid(b, x)
    b.out = kept
    return found


@lower("aten.binary_cross_entropy.default")
def _(b, x, y, weight=None, reduction=MEAN):
    x, y = b.operands(x, y)
    one, floor, fixed = b.like(1, x), b.like(-100, x), b.stop_gradient(x)
    logs = lambda v: b.select(b.compare("LT", v, floor), floor, v)
    found = b.negate(b.add(b.multiply(y, logs(b.unary("log", fixed))),
                           b.multiply(b.subtract(one, y), logs(b.unary("log", b.subtract(one, fixed))))))
    # torch's derivative, (x - y) / (x (1 - x)), is finite where x is 0 or 1. The product with it has the value 0.
    slope = b.divide(b.subtract(fixed, b.stop_gradient(y)), b.maximum(b.multiply(fixed, b.subtract(one, fixed)), b.like(1e-12, x)))
    found = b.add(found, b.multiply(slope, b.subtract(x, fixed)))
    if weight is not None:
        found = b.multiply(found, b.broadcast(weight, x.shape))
    return reduced(b, found, reduction)


@lower("aten.kl_div.default")
def _(b, x, y, reduction=MEAN, log_target=False):
    x, y = b.operands(x, y)
    if log_target:
        found = b.multiply(b.unary("exponential", y), b.subtract(y, x))
    else:
        positive = b.compare("GT", y, b.like(0, y))
        safe = b.select(positive, y, b.like(1, y))
        found = b.subtract(b.select(positive, b.multiply(safe, b.unary("log", safe)), b.like(0, y)), b.multiply(y, x))
    return reduced(b, found, reduction)

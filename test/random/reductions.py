# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, running and windowed ones, sorting, and a softmax."""
import math

from base import LIMIT
from graph import Value, ints, kind


class Reductions:
    def without(self, v, dims):
        """The batch's dim after dims are dropped."""
        if v.batch is None or v.batch in dims:
            return None
        return v.batch - sum(d < v.batch for d in dims)

    def reduce(self):
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        dims = self.some(self.dims(v))
        how = self.r.choice(["add", "add", "add", "maximum", "minimum", "multiply"])
        n = math.prod(v.shape[d] for d in dims)
        if how == "multiply" and n > 12:
            how = "add"
        if how == "multiply":
            v = self.emit("tanh", [v], bound=1, exact=False)
        bound = {"add": v.bound * n, "multiply": 1}.get(how, v.bound)
        out = self.emit("reduce", [v], ", ".join([ints("dims", dims), kind(how)]), keep=how != "add",
                        shape=[n for d, n in enumerate(v.shape) if d not in dims], batch=self.without(v, dims), bound=bound,
                        exact=v.exact and how in ("maximum", "minimum"))
        return self.times(out, 1 / math.sqrt(n) if n * n < 0 else 1 / n) if how == "add" else out

    def reduce_whole(self):
        v = self.pick(lambda v: self.dims(v), dtype=self.r.choice(["i32", "i1"]))
        if v is None:
            return None
        how = self.r.choice(["add", "maximum", "minimum"] if v.dtype == "i32" else ["logical_and", "logical_or"])
        how = {"logical_and": "minimum", "logical_or": "maximum"}.get(how, how) if v.dtype == "i32" else how
        dims = self.some(self.dims(v))
        out = self.emit("reduce", [v], ", ".join([ints("dims", dims), kind(how)]), keep=v.dtype == "i1",
                        shape=[n for d, n in enumerate(v.shape) if d not in dims], batch=self.without(v, dims))
        return out if v.dtype == "i1" else self.emit("and", [out, self.splat(7, out)], bound=7)

    def arg_reduce(self):
        v = self.pick(lambda v: v.exact and self.dims(v))
        if v is None:
            return None
        d = self.r.choice(self.dims(v))
        return self.emit("arg_reduce", [v], f"dim = {d} : i64, " + kind(self.r.choice(["maximum", "minimum"])), dtype="i32",
                         shape=v.shape[:d] + v.shape[d + 1:], batch=self.without(v, [d]), bound=v.shape[d])

    def cumulative(self):
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        d, how = self.r.choice(self.dims(v)), self.r.choice(["add", "add", "maximum", "minimum", "multiply"])
        if how == "multiply":
            v = self.emit("tanh", [v], bound=1, exact=False)
        n = v.shape[d] if how == "add" else 1
        out = self.emit("cumulative", [v], f"dim = {d} : i64, {kind(how)}, reverse = {self.r.choice(['true', 'false'])}",
                        keep=n == 1, bound=v.bound * n, exact=v.exact and how in ("maximum", "minimum"))
        return self.times(out, 1 / n) if n > 1 else out

    def sort(self):
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        d = self.r.choice(self.dims(v))
        attributes = f"dim = {d} : i64, descending = {self.r.choice(['true', 'false'])}"
        keys = [k for k in self.values if k.exact and k.shape == v.shape and k.batch == v.batch and k.dtype in ("f32", "i32")]
        if not keys:
            return self.emit("sort", [v], attributes)
        inputs = [self.r.choice(keys), v]
        results = [Value(self.g.fresh(), x.dtype, x.shape, x.batch, x.exact, x.bound) for x in inputs]
        self.g.add("sort", inputs, attributes, results=results)
        self.values += results
        return results[1]

    def window(self, v, dims):
        """Lists of a reduce_window and its result's shape."""
        ones = [1] * v.rank
        window, strides, base, dilation, low, high = ones[:], ones[:], ones[:], ones[:], [0] * v.rank, [0] * v.rank
        for d in dims:
            window[d], strides[d] = self.r.randint(1, min(4, v.shape[d] + 1)), self.r.choice([1, 1, 2, 3])
            low[d], high[d] = self.r.randrange(window[d]), self.r.randrange(window[d])
            base[d], dilation[d] = self.r.choice([1, 1, 1, 2]), self.r.choice([1, 1, 1, 2])
        shape = [self.extent(*x) for x in zip(v.shape, base, low, high, window, dilation, strides)]
        return window, strides, base, dilation, low, high, shape

    @staticmethod
    def extent(n, base, low, high, window, dilation, stride):
        padded, reach = (n - 1) * base + 1 + low + high, (window - 1) * dilation + 1
        return 0 if padded < reach else (padded - reach) // stride + 1

    def reduce_window(self):
        v = self.pick(lambda v: self.dims(v) and v.rank <= 4)
        if v is None:
            return None
        window, strides, base, dilation, low, high, shape = self.window(v, self.some(self.dims(v)))
        if min(shape) < 1 or math.prod(shape) > LIMIT:
            return None
        how = self.r.choice(["add", "add", "maximum", "minimum"])
        attributes = ", ".join([ints("window", window), ints("strides", strides), ints("base_dilation", base),
                                ints("window_dilation", dilation), ints("pad_low", low), ints("pad_high", high), kind(how)])
        n = math.prod(window)
        same = v.batch is not None and all(x[v.batch] == y for x, y in zip((window, strides, base, low, high), (1, 1, 1, 0, 0)))
        # A window that sees padding alone gives an infinity.
        out = self.emit("reduce_window", [v], attributes, keep=False, shape=shape, batch=v.batch if same else None,
                        bound=v.bound * (n if how == "add" else 1), exact=False)
        if how == "add":
            return self.times(out, 1 / n) if n > 1 else self.emit("tanh", [out], bound=1)
        return self.emit("clamp", [self.splat(-4.5, out), out, self.splat(4.5, out)], shape=shape, bound=4.5)

    def softmax(self):
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        d = self.r.choice(self.dims(v))
        rest, keep = [i for i in range(v.rank) if i != d], [n for i, n in enumerate(v.shape) if i != d]
        facts = dict(keep=False, exact=False)
        top = self.emit("reduce", [v], ", ".join([ints("dims", [d]), kind("maximum")]), shape=keep, batch=self.without(v, [d]), **facts)
        top = self.emit("stop_gradient", [top], **facts)
        top = self.emit("broadcast_in_dim", [top], ints("dims", rest), shape=v.shape, batch=v.batch, **facts)
        e = self.emit("exponential", [self.emit("subtract", [v, top], **facts)], **facts)
        total = self.emit("reduce", [e], ", ".join([ints("dims", [d]), kind("add")]), shape=keep, batch=self.without(v, [d]), **facts)
        total = self.emit("broadcast_in_dim", [total], ints("dims", rest), shape=v.shape, batch=v.batch, **facts)
        return self.emit("divide", [e, total], bound=1, exact=False)

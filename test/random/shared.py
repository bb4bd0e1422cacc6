# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws things that values of different meaning share: constants, masks, keys, and several reductions of one value."""
import math

from graph import ints, kind

NO_BATCHING = ", ".join([ints("lhs_batching", []), ints("rhs_batching", [])])


class Shared:
    def common(self, value, shape, dtype="f32"):
        """One constant for all uses of these elements, whatever their dims mean."""
        key = (value, tuple(shape), dtype)
        if key not in self.constants:
            scalar = self.g.constant(value, (), dtype)
            self.constants[key] = self.emit("broadcast_in_dim", [scalar], ints("dims", []), keep=False, shape=shape, batch=None) \
                if self.r.random() < 0.6 else self.g.constant(value, shape, dtype)
        return self.constants[key]

    def rectify(self):
        """Two values of one shape, and the same zeros for both."""
        v = self.pick(lambda v: v.rank)
        others = [w for w in self.values if w.dtype == "f32" and w.shape == v.shape and w is not v] or [self.parameter(v.shape)]
        for w in [v, self.r.choice(others)]:
            if w is None:
                continue
            zeros = self.common(self.r.choice([0.0, 0.25]), v.shape)
            name = self.r.choice(["maximum", "minimum", "multiply", "add"])
            self.emit(name, [w, zeros], bound=w.bound + 0.25, batch=w.batch, exact=w.exact)

    def position_mask(self):
        """A mask by position along the last dim, which every value of the shape shares."""
        v = self.pick(lambda v: v.rank and v.batch != v.rank - 1)
        if v is None:
            return None
        if v.shape not in self.masks:
            n = v.shape[-1]
            i = self.emit("iota", [], "dim = 0 : i64", keep=False, shape=(n,), dtype="i32", exact=True, batch=None)
            i = self.emit("multiply", [i, self.common(3, (n,), "i32")], keep=False, batch=None)
            p = self.emit("compare", [i, self.common(max(1, n), (n,), "i32")], "direction = #train<compare_direction LT>", keep=False,
                          dtype="i1", batch=None)
            self.masks[v.shape] = self.emit("broadcast_in_dim", [p], ints("dims", [v.rank - 1]), keep=False, shape=v.shape, batch=None)
        return self.emit("select", [self.masks[v.shape], v, self.common(-0.5, v.shape)], shape=v.shape, dtype="f32", batch=v.batch,
                         bound=v.bound, exact=v.exact)

    def outer(self):
        """Rows beside features that may be as many."""
        v = self.pick(lambda v: v.rank == 1)
        n = self.r.choice([self.rows, *self.sizes])
        w = v and self.parameter([n])
        if w is None or v.size * n > 800:
            return None
        w = self.emit("maximum", [w, self.common(0.0, w.shape)], keep=False, exact=False)
        shape = (v.size, n)
        rows = self.emit("broadcast_in_dim", [v], ints("dims", [0]), keep=False, shape=shape, batch=v.batch)
        columns = self.emit("broadcast_in_dim", [w], ints("dims", [1]), keep=False, shape=shape, batch=None)
        return self.tame(self.emit("multiply", [rows, columns], bound=v.bound * w.bound, exact=False))

    def dropout(self):
        """Bits of the position and of a key's words."""
        v = self.pick(lambda v: v.rank)
        key = next((k for k in self.g.inputs if k.dtype == "ui32"), None)
        if v is None or key is None:
            return None
        more = dict(keep=False, dtype="ui32", exact=True, batch=None)
        words = []
        for at in (0, 1):
            word = self.emit("slice", [key], ", ".join([ints("start", [at]), ints("limit", [at + 1]), ints("stride", [1])]), shape=(1,), **more)
            word = self.emit("reshape", [word], shape=(), **more)
            words.append(self.emit("broadcast_in_dim", [word], ints("dims", []), shape=v.shape, **more))
        bits = words[0]
        for d in range(v.rank):
            i = self.emit("iota", [], f"dim = {d} : i64", shape=v.shape, **more)
            bits = self.emit("multiply", [bits, self.common(2654435 + d, v.shape, "ui32")], **more)
            bits = self.emit("xor", [bits, i], **more)
        bits = self.emit("add", [bits, words[1]], **more)
        bits = self.emit("and", [bits, self.common(7, v.shape, "ui32")], **more)
        p = self.emit("compare", [bits, self.common(6, v.shape, "ui32")], "direction = #train<compare_direction LT>", keep=False,
                      dtype="i1", exact=True, batch=None)
        return self.emit("select", [p, v, self.common(0.0, v.shape)], shape=v.shape, dtype="f32", batch=v.batch, bound=v.bound,
                         exact=v.exact)

    def classes(self):
        """A product with few classes, perhaps fewer than shards, and its log-sum-exp."""
        v = self.pick(lambda v: v.rank == 2 and v.batch in (None, 0))
        w = v and self.parameter([v.shape[1], self.r.choice([2, 3, 5, 6, 7])])
        if w is None:
            return None
        out = self.emit("dot_general", [v, w], ", ".join([NO_BATCHING, ints("lhs_contracting", [1]), ints("rhs_contracting", [0])]),
                        keep=False, shape=(v.shape[0], w.shape[1]), exact=False, bound=v.bound * v.shape[1])
        if out.bound > 4:
            out = self.emit("tanh", [out], bound=1.0, keep=False, exact=False)
        return self.summaries(out, [1])

    def summaries(self, v=None, dims=None):
        """Several reductions of one value, and a value of all of them."""
        v = v or self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        dims = dims or self.some(self.dims(v))
        n = math.prod(v.shape[d] for d in dims)
        attributes = lambda how: ", ".join([ints("dims", dims), kind(how)])
        facts = dict(keep=False, shape=[m for d, m in enumerate(v.shape) if d not in dims], batch=self.without(v, dims), exact=False)
        top = self.emit("reduce", [v], attributes("maximum"), **facts)
        total = self.emit("reduce", [v], attributes("add"), bound=v.bound * n, **facts)
        mean = self.emit("multiply", [total, self.common(1 / n, total.shape)], bound=v.bound, **facts)
        back = self.emit("broadcast_in_dim", [top], ints("dims", [d for d in range(v.rank) if d not in dims]), keep=False, shape=v.shape,
                         batch=v.batch, exact=False)
        e = self.emit("exponential", [self.emit("subtract", [v, back], keep=False, bound=0, exact=False)], keep=False, bound=1,
                      exact=False)
        e = self.emit("log", [self.emit("reduce", [e], attributes("add"), bound=n, **facts)], bound=math.log(n) + 1, **facts)
        out = self.emit("add", [e, top], bound=e.bound + top.bound, **facts)
        return self.tame(self.emit("subtract", [out, mean], bound=out.bound + mean.bound, shape=facts["shape"], batch=facts["batch"],
                                   exact=False))

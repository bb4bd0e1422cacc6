# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products: dot_general, convolution, attention."""
import math

from base import LIMIT
from graph import Value, ints


class Products:
    def dot(self):
        v = self.pick(lambda v: v.rank > 0)
        w = self.pick(lambda w: w.rank > 0 and set(w.shape) & set(v.shape)) if self.r.random() < 0.5 else None
        if w is None:
            d = self.r.choice(self.dims(v) or [0])
            shape = [v.shape[d], self.r.choice(self.sizes)][:self.r.choice([1, 2, 2, 2])]
            w = self.parameter(self.r.sample(shape, len(shape)))
            if w is None:
                return None
        lb, rb, lc, rc = [], [], [], []
        free = [d for d in range(w.rank)]
        for d in self.r.sample(range(v.rank), v.rank):
            matches = [e for e in free if w.shape[e] == v.shape[d] and (self.mixing or (d == v.batch) == (e == w.batch))]
            if not matches or (self.r.random() < 0.25 and d != v.batch):
                continue
            e = self.r.choice(matches)
            free.remove(e)
            batching = (d == v.batch and not self.mixing) or self.r.random() < 0.3
            (lb if batching else lc).append(d)
            (rb if batching else rc).append(e)
        if not self.mixing and v.batch is not None and w.batch is not None and v.batch not in lb:
            return None
        lf, rf = [d for d in range(v.rank) if d not in lb + lc], [d for d in range(w.rank) if d not in rb + rc]
        shape = [v.shape[d] for d in lb + lf] + [w.shape[d] for d in rf]
        n = math.prod(v.shape[d] for d in lc)
        if math.prod(shape) > LIMIT or len(shape) > 5 or math.prod(shape) * n > 60000:
            return None
        batch = (lb + lf).index(v.batch) if v.batch in lb + lf else None
        if batch is None and w.batch in rf:
            batch = len(lb + lf) + rf.index(w.batch)
        out = self.emit("dot_general", [v, w], ", ".join([ints("lhs_batching", lb), ints("rhs_batching", rb),
                        ints("lhs_contracting", lc), ints("rhs_contracting", rc)]), keep=False, shape=shape, batch=batch, exact=False,
                        bound=v.bound * w.bound * n)
        return self.times(out, 1 / math.sqrt(n)) if self.r.random() < 0.5 and n <= 9 else self.emit("tanh", [out], bound=1)

    def square(self):
        """A product with a square parameter beside its own transposed one: in the backward pass, a product beside its own."""
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        d = self.r.choice(self.dims(v))
        n = v.shape[d]
        w = self.parameter([n, n])
        if w is None or v.size * n > 60000:
            return None
        other = self.emit("transpose", [w], ints("permutation", [1, 0]), keep=False)
        both = self.emit(self.r.choice(["add", "subtract"]), [w, other], keep=False, bound=2 * w.bound)
        free = [e for e in range(v.rank) if e != d]
        out = self.emit("dot_general", [v, both], ", ".join([ints("lhs_batching", []), ints("rhs_batching", []), ints("lhs_contracting", [d]),
                        ints("rhs_contracting", [self.r.randrange(2)])]), keep=False, shape=[v.shape[e] for e in free] + [n],
                        batch=free.index(v.batch) if v.batch in free else None, exact=False, bound=v.bound * both.bound * n)
        return self.emit("tanh", [out], bound=1)

    def convolution(self):
        v = self.pick(lambda v: v.rank in (3, 4))
        if v is None:
            return None
        order = list(range(v.rank))
        self.r.shuffle(order)
        if v.batch is not None and not self.mixing:
            order.remove(v.batch)
            order.insert(0, v.batch)
        batch, features, spatial = v.shape[order[0]], v.shape[order[1]], [v.shape[d] for d in order[2:]]
        groups = self.r.choice([1, 1, 1] + [f for f in range(2, features + 1) if features % f == 0])
        outputs = groups * self.r.choice([1, 2, 3])
        count = len(spatial)
        size = [self.r.randint(1, min(3, n)) for n in spatial]
        one = lambda: [self.r.choice([1, 1, 1, 2]) for _ in range(count)]
        strides, base, dilation = one(), one(), one()
        low, high = [self.r.randint(-1 if n > 3 else 0, 2) for n in spatial], [self.r.randint(0, 2) for _ in spatial]
        place = self.r.sample(range(v.rank), v.rank)
        shape = [0] * v.rank
        for d, n in zip(place, [features // groups, outputs] + size):
            shape[d] = n
        result = [self.extent(*x) for x in zip(spatial, base, low, high, size, dilation, strides)]
        if min(result) < 1 or batch * outputs * math.prod(result) > LIMIT:
            return None
        w = self.parameter(shape)
        if w is None:
            return None
        out_place = self.r.sample(range(v.rank), v.rank)
        out_shape = [0] * v.rank
        for d, n in zip(out_place, [batch, outputs] + result):
            out_shape[d] = n
        flags = ", ".join(self.r.choice(["false", "false", "true"]) for _ in spatial)
        attributes = ", ".join([ints("strides", strides), ints("pad_low", low), ints("pad_high", high), ints("lhs_dilation", base),
                                ints("rhs_dilation", dilation), f"reversal = array<i1: {flags}>", ints("input_dims", order),
                                ints("kernel_dims", place), ints("output_dims", out_place), f"feature_groups = {groups} : i64"])
        out = self.emit("convolution", [v, w], attributes, keep=False, shape=out_shape, exact=False,
                        batch=out_place[0] if v.batch == order[0] else None)
        return self.emit("tanh", [out], bound=1)

    def attention(self):
        v = self.pick(lambda v: v.rank == 3 and v.batch in (None, 0) and v.shape[1] * v.shape[2] > 1)
        if v is None:
            return None
        heads, width = self.r.choice([(2, 1), (2, 2), (4, 2), (3, 3), (1, 1)]), self.r.choice([2, 3, 4])
        facts = dict(keep=False, exact=False)

        def project(count):
            w = self.parameter([v.shape[2], count, width])
            if w is None:
                return None
            out = self.emit("dot_general", [v, w], ", ".join([ints("lhs_batching", []), ints("rhs_batching", []), ints("lhs_contracting", [2]),
                            ints("rhs_contracting", [0])]), shape=[*v.shape[:2], count, width], **facts)
            return self.emit("tanh", [out], bound=1, **facts)
        q, k = project(heads[0]), project(heads[1])
        x = project(heads[1]) if self.r.random() < 0.5 else k
        if not q or not k or not x:
            return None
        more = self.r.choice(["", ", after = 0 : i64", ", after = 0 : i64, before = 2 : i64"])
        results = [Value(self.g.fresh(), "f32", q.shape, v.batch), Value(self.g.fresh(), "f32", q.shape[:3], v.batch, bound=4)]
        self.g.add("attention", [q, k, x], f"scale = 0.5 : f64, fill = -1.0e30 : f64{more}, "
                   "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>", results=results)
        self.values += results
        return results[0]

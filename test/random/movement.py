# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements."""
import math

from base import LIMIT
from graph import ints


class Movement:
    def iota(self):
        shape = [self.r.choice(self.sizes) for _ in range(self.r.randint(1, 2))]
        dtype = self.r.choice(["i32", "f32"])
        v = self.emit("iota", [], f"dim = {self.r.randrange(len(shape))} : i64", shape=shape, dtype=dtype, exact=True, bound=12,
                      keep=dtype == "i32")
        return v if dtype == "i32" else self.times(v, 0.15)

    def broadcast(self):
        v = self.pick(lambda v: v.rank < 4)
        if v is None:
            return None
        at, n = self.r.randint(0, v.rank), self.r.choice(self.sizes)
        if v.size * n > LIMIT:
            return None
        batch = v.batch if v.batch is None or v.batch < at else v.batch + 1
        return self.emit("broadcast_in_dim", [v], ints("dims", [d for d in range(v.rank + 1) if d != at]),
                         shape=v.shape[:at] + (n,) + v.shape[at:], batch=batch)

    def reshape(self):
        """Merges neighbours, splits a dim, or puts in and takes out ones; the batch stays major in its dim."""
        v = self.pick(lambda v: v.rank > 0)
        shape, batch = list(v.shape), v.batch
        for _ in range(self.r.randint(1, 2)):
            how = self.r.choice(["merge", "split", "one"])
            d = self.r.randrange(len(shape))
            if how == "merge" and len(shape) > 1:
                d = min(d, len(shape) - 2)
                if batch == d + 1 and shape[d] > 1:
                    if not self.mixing:
                        continue
                    batch = None
                shape[d:d + 2] = [shape[d] * shape[d + 1]]
                if batch is not None and batch > d:
                    batch -= 1
            elif how == "split":
                factors = [f for f in range(2, shape[d]) if shape[d] % f == 0]
                if not factors or len(shape) > 4:
                    continue
                f = self.r.choice(factors)
                if batch == d:
                    # The major factor is the batch again only if it holds whole rows of it.
                    if shape[d] // f % self.rows:
                        if not self.mixing:
                            continue
                        batch = None
                shape[d:d + 1] = [shape[d] // f, f]
                if batch is not None and batch > d:
                    batch += 1
            elif how == "one" and len(shape) < 5:
                shape[d:d] = [1]
                if batch is not None and batch >= d:
                    batch += 1
        return self.emit("reshape", [v], shape=shape, batch=batch)

    def transpose(self):
        v = self.pick(lambda v: v.rank > 1)
        if v is None:
            return None
        p = self.r.sample(range(v.rank), v.rank)
        return self.emit("transpose", [v], ints("permutation", p), shape=[v.shape[d] for d in p],
                         batch=None if v.batch is None else p.index(v.batch))

    def slice(self):
        v = self.pick(lambda v: any(v.shape[d] > 1 for d in self.dims(v)))
        if v is None:
            return None
        start, limit, stride = [0] * v.rank, list(v.shape), [1] * v.rank
        for d in self.some([d for d in self.dims(v) if v.shape[d] > 1]):
            start[d] = self.r.randrange(v.shape[d])
            limit[d] = self.r.randint(start[d] + 1, v.shape[d])
            stride[d] = self.r.choice([1, 1, 1, 2, 3])
        shape = [-(-(b - a) // s) for a, b, s in zip(start, limit, stride)]
        batch = v.batch if v.batch is not None and shape[v.batch] == v.shape[v.batch] else None
        return self.emit("slice", [v], ", ".join([ints("start", start), ints("limit", limit), ints("stride", stride)]), shape=shape, batch=batch)

    def pad(self):
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        low, high, interior = [0] * v.rank, [0] * v.rank, [0] * v.rank
        for d in self.some(self.dims(v)):
            low[d], high[d] = self.r.randint(-1, 3), self.r.randint(-1, 3)
            interior[d] = self.r.choice([0, 0, 0, 1, 2])
        shape = [n + (n - 1) * i + a + b for n, i, a, b in zip(v.shape, interior, low, high)]
        if min(shape) < 1 or math.prod(shape) > LIMIT:
            return None
        batch = v.batch if v.batch is not None and low[v.batch] == high[v.batch] == interior[v.batch] == 0 else None
        value = self.g.constant(self.r.choice([0.0, 0.3]), ())
        if self.r.random() < 0.2:
            value = self.pick(lambda w: w.rank == 0) or value
        return self.emit("pad", [v, value], ", ".join([ints("low", low), ints("high", high), ints("interior", interior)]), shape=shape, batch=batch,
                         bound=max(v.bound, value.bound))

    def concatenate(self):
        v = self.pick(lambda v: self.dims(v))
        if v is None:
            return None
        d = self.r.choice(self.dims(v))
        parts = [v]
        for _ in range(self.r.randint(1, 2)):
            w = self.pick(lambda w: w.rank == v.rank and w.batch == v.batch and
                          all(i == d or a == b for i, (a, b) in enumerate(zip(v.shape, w.shape))))
            parts.append(w)
        self.r.shuffle(parts)
        shape = list(v.shape)
        shape[d] = sum(p.shape[d] for p in parts)
        if math.prod(shape) > LIMIT:
            return None
        return self.emit("concatenate", parts, f"dim = {d} : i64", shape=shape, bound=max(p.bound for p in parts),
                         batch=v.batch if v.batch != d else None)

    def reverse(self):
        v = self.pick(lambda v: self.dims(v))
        return v and self.emit("reverse", [v], ints("dims", self.some(self.dims(v))))

    def beside_itself(self):
        """A sum of a value's elements at two places: with its own transposed or reversed one, or with one row of it for all."""
        def pairs(v):
            return [(a, b) for a in self.dims(v) for b in self.dims(v) if a < b and v.shape[a] == v.shape[b] > 1]

        v = self.pick(lambda v: pairs(v)) if self.r.random() < 0.7 else None
        if v is not None:
            a, b = self.r.choice(pairs(v))
            order = list(range(v.rank))
            order[a], order[b] = b, a
            other = self.emit("transpose", [v], ints("permutation", order), keep=False)
        else:
            v = self.pick(lambda v: any(v.shape[d] > 1 for d in self.dims(v)))
            if v is None:
                return None
            d = self.r.choice([d for d in self.dims(v) if v.shape[d] > 1])
            if self.r.random() < 0.5:
                other = self.emit("reverse", [v], ints("dims", [d]), keep=False)
            else:
                at = self.r.randrange(v.shape[d])
                one = [at if i == d else 0 for i in range(v.rank)], [at + 1 if i == d else n for i, n in enumerate(v.shape)]
                shape = [n for i, n in enumerate(v.shape) if i != d]
                batch = None if v.batch is None else v.batch - (v.batch > d)
                row = self.emit("slice", [v], ", ".join([ints("start", one[0]), ints("limit", one[1]), ints("stride", [1] * v.rank)]), keep=False,
                                shape=[1 if i == d else n for i, n in enumerate(v.shape)])
                row = self.emit("reshape", [row], keep=False, shape=shape, batch=batch)
                other = self.emit("broadcast_in_dim", [row], ints("dims", [i for i in range(v.rank) if i != d]), keep=False, shape=v.shape,
                                  batch=v.batch)
        return self.tame(self.emit(self.r.choice(["add", "subtract"]), [v, other], bound=2 * v.bound))

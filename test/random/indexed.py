# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gather, scatter and slices at computed places."""
import math

from base import LIMIT
from graph import ints, kind


class Indexed:
    def indices(self, batch_of=None):
        """Integers of rank 1 or 2 that start with the batch or have none, as [..., 1]."""
        i = self.pick(lambda v: v.rank in (1, 2) and v.shape[-1] > 0 and v.size <= 96, dtype="i32")
        if i is None:
            return None
        return self.emit("reshape", [i], keep=False, shape=i.shape + (1,))

    def gather(self):
        v = self.pick(lambda v: 0 < v.rank <= 3)
        i = v and self.indices()
        if i is None or (v.batch is not None and not self.mixing and i.batch is not None):
            return self.take_along()
        d = self.r.choice(self.dims(v) or [None])
        if d is None:
            return None
        collapse = self.r.random() < 0.7
        sizes = list(v.shape)
        sizes[d] = 1 if collapse else self.r.randint(1, v.shape[d])
        for e in self.dims(v):
            if e != d and self.r.random() < 0.2:
                sizes[e] = self.r.randint(1, sizes[e])
        window = [n for e, n in enumerate(sizes) if not (collapse and e == d)]
        count = i.rank - 1
        offset = sorted(self.r.sample(range(count + len(window)), len(window)))
        shape, batch, rest, rows = [], None, list(window), list(i.shape[:-1])
        kept = [e for e in range(v.rank) if not (collapse and e == d)]
        for p in range(count + len(window)):
            if p in offset:
                e = kept[offset.index(p)]
                if e == v.batch and sizes[e] == v.shape[e]:
                    batch = p
                shape.append(rest.pop(0))
            else:
                if len(i.shape[:-1]) - len(rows) == i.batch and batch is None:
                    batch = p
                shape.append(rows.pop(0))
        if math.prod(shape) > LIMIT or len(shape) > 5:
            return None
        attributes = self.gather_text(offset, [d] if collapse else [], [], [], [d], count, sizes)
        return self.emit("gather", [v, i], attributes, shape=shape, batch=batch, exact=v.exact)

    @staticmethod
    def gather_text(offset, collapsed, ob, ib, index_map, vector, sizes):
        return ", ".join([ints("offset_dims", offset), ints("collapsed_slice_dims", collapsed), ints("operand_batching_dims", ob),
                          ints("indices_batching_dims", ib), ints("start_index_map", index_map), f"index_vector_dim = {vector} : i64",
                          ints("slice_sizes", sizes)])

    def take_along(self):
        """One entry a row: v[b, i[b, ...], ...]."""
        i = self.pick(lambda v: v.rank in (1, 2) and v.size <= 96, dtype="i32")
        v = i and self.pick(lambda v: v.rank >= 2 and v.shape[0] == i.shape[0] and v.batch == i.batch and v.batch in (0, None))
        if v is None:
            return None
        i = self.emit("reshape", [i], keep=False, shape=i.shape + (1,))
        count = i.rank - 1
        window = list(v.shape[2:])
        return self.emit("gather", [v, i], self.gather_text(range(count, count + len(window)), [1], [0], [0], [1], count, [1, 1] + window),
                         shape=list(i.shape[:-1]) + window, batch=v.batch, exact=v.exact) if math.prod(window) * i.size <= LIMIT else None

    def scatter(self):
        i = self.pick(lambda v: v.rank == 1 or (v.rank == 2 and v.size <= 96), dtype="i32")
        v = i and self.pick(lambda v: 0 < v.rank <= 3 and (self.mixing or v.batch is None or v.batch == i.batch == 0) and self.dims(v))
        if v is None:
            return None
        how = self.r.choice(["add", "add", "add", "maximum", "minimum", "replace"])
        batched = v.batch == 0 and i.batch == 0 and v.rank > 1 and i.shape[0] == v.shape[0]
        if not batched and i.batch is not None and not self.mixing:
            if v.batch is not None:
                return None
        d = self.r.choice([d for d in self.dims(v) if not (batched and d == 0)] or [0])
        if batched and d == 0:
            return None
        i = self.emit("reshape", [i], keep=False, shape=i.shape + (1,))
        window = [n for e, n in enumerate(v.shape) if e != d and not (batched and e == 0)]
        shape = list(i.shape[:-1]) + window
        if math.prod(shape) > LIMIT:
            return None
        u = self.pick(lambda u: u.shape == tuple(shape) and u.batch == i.batch)
        if u is None:
            c = self.pick(lambda u: u.rank == 0) or self.g.constant(0.3, ())
            u = self.emit("broadcast_in_dim", [c], ints("dims", []), keep=False, shape=shape, batch=i.batch)
        count = i.rank - 1
        attributes = ", ".join([ints("update_window_dims", range(count, len(shape))), ints("inserted_window_dims", [d]),
                                ints("operand_batching_dims", [0] if batched else []), ints("indices_batching_dims", [0] if batched else []),
                                ints("operand_dims_map", [d]), f"index_vector_dim = {count} : i64", kind(how)])
        out = self.emit("scatter", [v, i, u], attributes, keep=False, exact=False, shape=v.shape, batch=v.batch if batched else None)
        return self.emit("tanh", [out], bound=1)

    def starts(self, v, sizes):
        out = []
        for d, n in enumerate(v.shape):
            s = self.pick(lambda s: s.rank == 0, dtype="i32") if d in self.dims(v) and self.r.random() < 0.5 else None
            if sizes[d] == n and not self.mixing:
                s = None
            out.append(s or self.g.constant(self.r.randint(0, n - sizes[d] + (self.r.random() < 0.2)) if sizes[d] < n else 0, (), "i32"))
        return out

    def dynamic_slice(self):
        v = self.pick(lambda v: v.rank > 0 and self.dims(v))
        if v is None:
            return None
        sizes = list(v.shape)
        for d in self.some(self.dims(v)):
            sizes[d] = self.r.randint(1, v.shape[d])
        if self.r.random() < 0.4:
            batch = v.batch if v.batch is not None and sizes[v.batch] == v.shape[v.batch] else None
            return self.emit("dynamic_slice", [v, *self.starts(v, sizes)], ints("sizes", sizes), shape=sizes, batch=batch, exact=v.exact)
        u = self.pick(lambda u: u.rank == v.rank and u.batch == v.batch and all(a <= b for a, b in zip(u.shape, v.shape)))
        return u and self.emit("dynamic_update_slice", [v, u, *self.starts(v, u.shape)], bound=max(u.bound, v.bound),
                               exact=v.exact and u.exact)

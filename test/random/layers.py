# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a random graph around layers of products: pairs of them whose weights an axis may split, so that sums over devices or
gathers stand between them, and rows that are long enough to go part by part (zcc-split-steps). Mixtures of experts have all-to-alls
where an axis splits the experts.

The ops between the products are drawn, too: activations, sums along a row, masks, dropout, residual connections, attention. So are
some free ops at the end.
"""
import math

from draw import Draw
from graph import Value, ints, kind

NO_BATCH = ", ".join([ints("lhs_batching", []), ints("rhs_batching", [])])


class Layers(Draw):
    most = 20

    def __init__(self, random, mixing):
        super().__init__(random, mixing)
        self.rows = random.choice([2, 4, 8, 8, 8, 12, 16])
        self.width = random.choice([16, 16, 32, 48])
        self.positions = random.choice([None, 2, 4, 8])
        while self.positions and self.rows * self.positions * self.width > 4096:
            self.positions //= 2

    def arguments(self):
        r, g = self.r, self.g
        shape = [n for n in (self.rows, self.positions, self.width) if n]
        if r.random() < 0.4:
            g.inputs.append(Value("key", "ui32", [2], None, True, 2**31))
        x = Value("x0", "f32", shape, 0, True, 2.0)
        g.inputs.append(x)
        if r.random() < 0.5:
            other = Value("x1", "f32", shape[:-1], 0, True, 2.0)
            g.inputs.append(other)
            self.values.append(other)
        self.values.append(x)
        x = self.layers(x)
        if x not in self.values:
            self.values.append(x)

    def layers(self, x):
        for _ in range(self.r.randint(2, 4)):
            x = self.layer(x)
        return x

    def layer(self, x):
        draw = self.r.random()
        y = self.attend(x) if self.positions and draw < 0.25 else self.mixture(x) if self.positions and draw < 0.5 else self.pair(x)
        if self.r.random() < 0.5:
            y = self.tame(self.emit("add", [y, x], bound=y.bound + x.bound, exact=False))
        return self.between(y)

    def weight(self, shape, split):
        w = self.g.parameter(shape)
        w.bound = 1.0
        self.g.splits.append((w.name, w.rank, split))
        return w

    def product(self, v, w, dims, shape):
        """`dims`: how many dims of both are summed over, the last of v and the first of w."""
        out = self.emit("dot_general", [v, w], ", ".join([NO_BATCH, ints("lhs_contracting", range(v.rank - dims, v.rank)),
                        ints("rhs_contracting", range(dims))]), keep=False, shape=shape, exact=False, batch=0)
        n = math.prod(w.shape[:dims])
        return self.emit("multiply", [out, self.splat(1 / n ** 0.5, out)], keep=False, bound=v.bound * n ** 0.5)

    def pair(self, v):
        """Out to another width and back."""
        wide = self.r.choice([self.width, 2 * self.width, 64])
        hidden = self.product(v, self.weight([self.width, wide], 1), 1, [*v.shape[:-1], wide])
        hidden = self.between(self.emit("tanh", [hidden], bound=1, exact=False))
        return self.tame(self.product(hidden, self.weight([wide, self.width], 0), 1, v.shape))

    def attend(self, v):
        heads, depth = 4, 4
        facts = dict(keep=False, exact=False, bound=1)
        q, k, x = (self.emit("tanh", [self.product(v, self.weight([self.width, heads, depth], 1), 1, [*v.shape[:-1], heads, depth])], **facts)
                   for _ in range(3))
        more = self.r.choice(["", ", after = 0 : i64"])
        results = [Value(self.g.fresh(), "f32", q.shape, 0, bound=1), Value(self.g.fresh(), "f32", q.shape[:3], 0, bound=4)]
        self.g.add("attention", [q, k, x], f"scale = 0.5 : f64, fill = -1.0e30 : f64{more}, "
                   "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>", results=results)
        return self.product(results[0], self.weight([heads, depth, self.width], 0), 2, v.shape)

    def mixture(self, v):
        """Experts, to which each row sends mixtures of its positions, as many as an expert has places for."""
        rows, positions, width = v.shape
        experts, places, wide = self.r.choice([2, 4, 4, 8]), self.r.choice([1, 4, 6, 8]), self.r.choice([16, 32])
        tanh = lambda x: self.emit("tanh", [x], keep=False, exact=False, bound=1)

        def dot(a, b, batching, contracting, shape, batch):
            out = self.emit("dot_general", [a, b], ", ".join([ints("lhs_batching", [batching[0]]), ints("rhs_batching", [batching[1]]),
                            ints("lhs_contracting", contracting[0]), ints("rhs_contracting", contracting[1])]), keep=False, shape=shape,
                            exact=False, batch=batch)
            n = math.prod(a.shape[d] for d in contracting[0])
            return self.emit("multiply", [out, self.splat(1 / n ** 0.5, out)], keep=False, bound=a.bound * b.bound * n ** 0.5)

        shares = tanh(self.product(v, self.weight([width, experts, places], 1), 1, [rows, positions, experts, places]))
        sent = dot(shares, v, (0, 0), ([1], [1]), [rows, experts, places, width], 0)
        hidden = tanh(dot(sent, self.weight([experts, width, wide], 2), (1, 0), ([3], [1]), [experts, rows, places, wide], 1))
        made = dot(hidden, self.weight([experts, wide, width], 1), (0, 0), ([3], [1]), [experts, rows, places, width], 1)
        return self.tame(dot(shares, made, (0, 1), ([2, 3], [0, 2]), v.shape, 0))

    def centered(self):
        """Rows without their mean."""
        v = self.pick(lambda v: v.rank > 1)
        if v is None:
            return None
        mean = self.emit("reduce", [v], ", ".join([ints("dims", [v.rank - 1]), kind("add")]), keep=False, shape=v.shape[:-1], exact=False)
        mean = self.emit("multiply", [mean, self.splat(1 / v.shape[-1], mean)], keep=False, bound=v.bound)
        mean = self.emit("broadcast_in_dim", [mean], ints("dims", range(v.rank - 1)), keep=False, shape=v.shape)
        return self.tame(self.emit("subtract", [v, mean], bound=2 * v.bound, exact=False))

    def between(self, v):
        """Some ops, of which the last of the shape of v goes on."""
        for _ in range(self.r.choice([0, 0, 1, 1, 2])):
            kept, self.values = self.values, [v]
            self.r.choice([self.unary, self.binary, self.centered, self.position_mask, self.dropout, self.rectify, self.softmax])()
            made, self.values = self.values, kept
            fitting = [m for m in made if m.shape == v.shape and m.dtype == "f32" and m is not v]
            self.values += [m for m in made if m is not v and m not in fitting]
            if fitting:
                v = fitting[-1]
        return v


class Skips(Layers):
    """More layers, each of which may read what the first one made, or another early one."""
    most = 12

    def layers(self, x):
        early = []
        for i in range(self.r.randint(4, 7)):
            for memory in early:
                if self.r.random() < 0.8:
                    read = self.pair(memory)
                    x = self.tame(self.emit("add", [x, read], bound=x.bound + read.bound, exact=False))
            x = self.layer(x)
            if i == 0 or (len(early) < 2 and self.r.random() < 0.2):
                early.append(x)
        return x

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a random graph of 5 to 60 ops over the whole `train` dialect.

Values stay within about +-4 (tanh or a factor follows what grows), nothing is discontinuous in a value that may differ by
rounding (comparisons, rounding and sorting by a key read `exact` values only), and every value ends in the loss.
"""
import math

from base import Base
from elementwise import Elementwise
from graph import Value, ints, kind
from indexed import Indexed
from movement import Movement
from products import Products
from reductions import Reductions
from shared import Shared


class Draw(Elementwise, Movement, Reductions, Products, Indexed, Shared, Base):
    most = 60  # ops that are drawn freely

    def arguments(self):
        r, g = self.r, self.g
        for _ in range(r.randint(1, 3)):
            while True:
                shape = [r.choice(self.sizes) for _ in range(r.choice([0, 1, 1, 2, 2, 2, 3, 4]))]
                if math.prod(shape) <= 800:
                    break
            v = g.parameter(shape)
            self.values.append(v)
        for k in range(r.randint(1, 4)):
            dtype = "f32" if k == 0 or r.random() < 0.55 else "i32"
            while True:
                rank = r.choice([1, 2, 2, 3, 3, 4]) if dtype == "f32" else r.choice([1, 1, 2])
                shape = [self.rows] + [r.choice(self.sizes) for _ in range(rank - 1)]
                if math.prod(shape) <= 800:
                    break
            v = Value(f"x{k}", dtype, shape, 0, True, 2.0 if dtype == "f32" else 7)
            g.inputs.append(v)
            self.values.append(v)
        if r.random() < 0.4:
            g.inputs.append(Value("key", "ui32", [2], None, True, 2**31))

    def term(self, v):
        """A scalar to which every element of v contributes its own share."""
        r = self.r
        e, dims = v, list(range(v.rank))
        if v.dtype != "f32":
            e = self.emit("convert", [v], dtype="f32", keep=False)
        how = r.randrange(4)
        if how == 1 or not v.rank:
            e = self.emit("multiply", [e, e], keep=False)
        elif how == 2:
            e = self.emit("tanh", [e], keep=False)
        elif how == 3:
            i = self.emit("iota", [], f"dim = {r.randrange(v.rank)} : i64", keep=False, shape=v.shape, dtype="f32", exact=True)
            e = self.emit("multiply", [e, self.emit("cosine", [i], keep=False)], keep=False)
        if len(dims) > 1 and r.random() < 0.3 and self.dims(e):
            part = self.some(self.dims(e))
            n = math.prod(v.shape[d] for d in part)
            e = self.emit("reduce", [e], ", ".join([ints("dims", part), kind("add")]), keep=False,
                          shape=[n for d, n in enumerate(v.shape) if d not in part])
            e = self.emit("tanh", [self.emit("multiply", [e, self.splat(1 / n, e)], keep=False)], keep=False)
            dims = list(range(e.rank))
        n = max(1, e.size)
        if dims:
            e = self.emit("reduce", [e], ", ".join([ints("dims", dims), kind("add")]), keep=False, shape=[])
        return self.emit("multiply", [e, self.g.constant(r.choice([1.0, 0.5, 2.0]) / n, ())], keep=False)

    def build(self):
        r = self.r
        self.arguments()
        kinds = [(self.unary, 4), (self.binary, 5), (self.compare, 1), (self.predicates, 1), (self.select, 2), (self.clamp, 1),
                 (self.convert, 1.5), (self.whole, 1.5), (self.stop, 0.4), (self.iota, 0.8), (self.broadcast, 2), (self.reshape, 3.5),
                 (self.transpose, 2.5), (self.slice, 2), (self.pad, 1.5), (self.concatenate, 2), (self.reverse, 1), (self.reduce, 4),
                 (self.reduce_whole, 0.7), (self.arg_reduce, 0.7), (self.cumulative, 1), (self.sort, 1), (self.reduce_window, 1.2),
                 (self.softmax, 1), (self.dot, 5), (self.convolution, 2), (self.attention, 0.8), (self.gather, 2.5), (self.scatter, 1.5),
                 (self.dynamic_slice, 1.5), (self.beside_itself, 1.5), (self.square, 1)]
        if r.random() < 0.6:
            kinds += [(self.rectify, 4), (self.position_mask, 3), (self.outer, 3), (self.dropout, 8), (self.classes, 4),
                      (self.summaries, 3)]
        functions, weights = zip(*kinds)
        wanted = len(self.g.ops) + r.choice([r.randint(5, 15), r.randint(5, self.most)])
        while len(self.g.ops) < wanted:
            r.choices(functions, weights)[0]()
        used = {v.name for op in self.g.ops for v in op.operands}
        leaves = [v for v in self.values if v.name not in used and v.dtype == "f32"]
        leaves += [v for v in self.values if v.name not in used and v.dtype in ("i32", "i1") and r.random() < 0.5]
        leaves += [v for v in self.g.parameters if v not in leaves and r.random() < 0.3]
        # A loss without a parameter has nothing to train.
        self.g.terms = [self.term(v) for v in leaves or self.g.parameters]
        _, needed = self.g.live()
        self.g.terms += [self.term(v) for v in self.g.parameters if v.name not in needed]
        return self.g

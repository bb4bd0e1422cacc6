# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the ingredients of a random graph's ops: values, dims, parameters, and ranges that stay small."""
import math

from graph import Graph, ints

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 12]
LIMIT = 3000  # elements of a value


class Base:
    def __init__(self, random, mixing):
        self.r, self.mixing, self.g = random, mixing, Graph()
        self.values = []
        self.rows = random.choice([3, 4, 5, 6, 7, 8, 8, 9, 12])
        self.sizes = random.sample(SIZES, 4) + [random.choice([4, 6, 8])]
        if random.random() < 0.4:  # other dims as long as the batch
            self.sizes += [self.rows] * 3
        self.constants, self.masks = {}, {}  # those that are shared

    def emit(self, name, operands, attributes="", keep=True, **more):
        """An op; its result is exact where its operands are and the op adds nothing up, unless said."""
        more.setdefault("exact", all(v.exact for v in operands))
        if operands:
            more.setdefault("batch", operands[0].batch)
            more.setdefault("bound", operands[0].bound)
        v = self.g.add(name, operands, attributes, **more)
        if keep:
            self.values.append(v)
        return v

    def tame(self, v):
        """Keeps the bound of a value that ops have grown."""
        if v.dtype != "f32" or v.bound <= 4:
            return v
        if v in self.values:
            self.values.remove(v)
        if self.r.random() < 0.5:
            return self.emit("tanh", [v], bound=1.0, exact=False)
        return self.times(v, 2 / v.bound)

    def splat(self, value, like, dtype=None):
        if self.r.random() < 0.5:
            return self.g.constant(value, like.shape, dtype or like.dtype)
        c = self.g.constant(value, (), dtype or like.dtype)
        return self.emit("broadcast_in_dim", [c], ints("dims", []), keep=False, shape=like.shape, batch=like.batch)

    def times(self, v, factor):
        return self.emit("multiply", [v, self.splat(factor, v)], bound=v.bound * abs(factor))

    def pick(self, accept=lambda v: True, dtype="f32"):
        """A value, later and unused ones more often."""
        found = [v for v in self.values if v.dtype == dtype and accept(v)]
        if not found:
            return None
        weights = [(3 if v.uses == 0 else 1) * (1 + i / len(found)) for i, v in enumerate(found)]
        return self.r.choices(found, weights)[0]

    def dims(self, v):
        """Dims that an op may mix."""
        return [d for d in range(v.rank) if self.mixing or d != v.batch]

    def some(self, items, least=1):
        items = list(items)
        return sorted(self.r.sample(items, self.r.randint(min(least, len(items)), len(items))))

    def parameter(self, shape):
        """A parameter of this shape, or a piece of another one."""
        for v in self.g.parameters:
            if v.shape == tuple(shape) and self.r.random() < 0.5:
                return v
        if len(self.g.parameters) < 6 and math.prod(shape) <= LIMIT:
            v = self.g.parameter(shape)
            v.bound = 1.0
            self.values.append(v)
            return v
        return None

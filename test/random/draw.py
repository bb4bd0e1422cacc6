# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a random graph of 5 to 60 ops over the whole `train` dialect.

Values stay within about +-4 (tanh or a factor follows what grows), nothing is discontinuous in a value that may differ by
rounding (comparisons, rounding and sorting by a key read `exact` values only), and every value ends in the loss.
"""
import math

from graph import Graph, Value, ints, kind

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 12]
LIMIT = 3000  # elements of a value


class Draw:
    def __init__(self, random, mixing):
        self.r, self.mixing, self.g = random, mixing, Graph()
        self.values = []
        self.rows = random.choice([3, 4, 5, 6, 7, 8, 8, 9, 12])
        self.sizes = random.sample(SIZES, 4) + [random.choice([4, 6, 8])]

    # ------------------------------------------------------------ helpers

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

    # ------------------------------------------------------------ elementwise

    def unary(self):
        v = self.pick()
        name = self.r.choice(["tanh", "logistic", "sine", "cosine", "negate", "abs", "erf", "erfc", "exponential",
                              "exponential_minus_one", "tan", "erf_inv", "log", "log_plus_one", "sqrt", "rsqrt", "cbrt", "sign",
                              "floor", "ceil", "round_nearest_afz", "round_nearest_even", "is_finite"])
        if name in ("sign", "floor", "ceil", "round_nearest_afz", "round_nearest_even"):
            v = self.pick(lambda v: v.exact)
            return v and self.emit(name, [v], bound=v.bound + 1)
        if name == "is_finite":
            return self.emit(name, [v], dtype="i1", exact=True)
        exact = False
        if name in ("exponential", "exponential_minus_one", "tan", "erf_inv") and v.bound > 1.2:
            v = self.emit("tanh", [v], bound=1.0, exact=False)
        if name == "erf_inv":
            v = self.times(v, 0.7)
        if name in ("log", "log_plus_one", "sqrt", "rsqrt", "cbrt"):
            v = self.emit("multiply", [v, v], bound=v.bound ** 2)
            v = self.emit("add", [v, self.splat(0.5, v)], bound=v.bound + 0.5)
        bound = {"negate": v.bound, "abs": v.bound, "sqrt": v.bound, "cbrt": v.bound, "log": 3, "log_plus_one": 3,
                 "exponential": 3.4, "exponential_minus_one": 3.4, "tan": 2.6, "erfc": 2}.get(name, 1.5)
        return self.tame(self.emit(name, [v], bound=bound, exact=v.exact and name in ("negate", "abs")))

    def second(self, v):
        """A value of the shape of v: another one, or one that is broadcast."""
        def fits(w):
            return self.mixing or w.batch is None or w.batch == v.batch
        w = self.pick(lambda w: w.shape == v.shape and w is not v and fits(w))
        if w and self.r.random() < 0.7:
            return w

        def places(w):
            """Dims of v for the dims of w, in order, batch to batch; None if there are none."""
            out, d = [], 0
            for i, n in enumerate(w.shape):
                while d < v.rank and not (n in (1, v.shape[d]) and (self.mixing or (w.batch == i and n > 1) == (v.batch == d) or
                                                                   (n == 1 and w.batch != i))):
                    d += 1
                if d == v.rank:
                    return None
                out.append(d)
                d += 1
            return out
        w = self.pick(lambda w: w.rank <= v.rank and places(w) is not None and w is not v)
        if w is None:
            w = self.parameter([n for i, n in enumerate(v.shape) if i != v.batch])
            if w is None or places(w) is None:
                return None
        return self.emit("broadcast_in_dim", [w], ints("dims", places(w)), keep=False, shape=v.shape, batch=v.batch)

    def binary(self):
        v = self.pick()
        w = self.second(v)
        if w is None:
            return None
        name = self.r.choice(["add", "add", "subtract", "multiply", "multiply", "divide", "maximum", "minimum", "power", "atan2",
                              "remainder"])
        if name in ("divide", "power", "atan2"):
            w = self.emit("multiply", [w, w], bound=w.bound ** 2)
            w = self.emit("add", [w, self.splat(0.5, w)], bound=w.bound + 0.5)
            if name == "power":
                e = self.emit("tanh", [v], bound=1, exact=False)
                return self.tame(self.emit("power", [w, e], bound=max(w.bound, 2), exact=False, batch=v.batch))
            bound = v.bound * 2 if name == "divide" else 3
        elif name == "remainder":
            if not v.exact:
                return None
            w, bound = self.splat(0.7, v), 0.7
        else:
            bound = {"add": v.bound + w.bound, "subtract": v.bound + w.bound, "multiply": v.bound * w.bound}.get(
                name, max(v.bound, w.bound))
        return self.tame(self.emit(name, [v, w], bound=bound, batch=v.batch,
                                   exact=v.exact and w.exact and name in ("add", "subtract", "multiply", "maximum", "minimum")))

    def compare(self):
        direction = self.r.choice(["LT", "LE", "GT", "GE", "EQ", "NE"])
        attribute = f"direction = #train<compare_direction {direction}>"
        if self.r.random() < 0.5:
            v = self.pick(lambda v: v.exact)
            c = v and self.splat(self.r.choice([-0.51, 0.013, 0.37, 1.01]), v)
        else:
            v = self.pick(dtype="i32")
            c = v and self.splat(self.r.randint(-1, 5), v)
        return v and self.emit("compare", [v, c], attribute, dtype="i1", bound=1)

    def predicates(self):
        v = self.pick(dtype="i1")
        if v is None:
            return self.compare()
        w = self.pick(lambda w: w.shape == v.shape and w.batch == v.batch, dtype="i1")
        if w is v or self.r.random() < 0.4:
            return self.emit("not", [v])
        return self.emit(self.r.choice(["and", "or", "xor"]), [v, w])

    def select(self):
        p = self.pick(dtype="i1")
        v = p and self.pick(lambda v: v.shape == p.shape and v.batch == p.batch)
        if v is None:
            v = self.pick()
            i = self.emit("iota", [], f"dim = {self.r.randrange(v.rank)} : i64", shape=v.shape, dtype="i32", keep=False,
                          exact=True) if v.rank else self.g.constant(1, (), "i32")
            p = self.emit("compare", [i, self.splat(self.r.randint(0, 6), i)], "direction = #train<compare_direction GE>", dtype="i1",
                          bound=1, batch=v.batch)
        w = self.splat(self.r.choice([0.0, -0.5]), v) if self.r.random() < 0.5 else self.second(v)
        if w is None:
            return None
        return self.emit("select", [p, v, w] if self.r.random() < 0.5 else [p, w, v], shape=v.shape, dtype="f32", batch=v.batch,
                         bound=max(v.bound, w.bound), exact=v.exact and w.exact)

    def clamp(self):
        v = self.pick()
        return self.emit("clamp", [self.splat(-0.8, v), v, self.splat(0.9, v)], bound=0.9, exact=v.exact, batch=v.batch)

    def convert(self):
        choice = self.r.randrange(4)
        if choice == 0:
            v = self.pick()
            wide = self.emit("convert", [v], dtype="f64", keep=False)
            wide = self.emit("multiply", [wide, wide], keep=False, bound=v.bound ** 2)
            return self.tame(self.emit("convert", [wide], dtype="f32", exact=False))
        if choice == 1:
            v = self.pick(lambda v: v.exact)
            narrow = v and self.emit("convert", [v], dtype=self.r.choice(["bf16", "f16"]), keep=False)
            return v and self.emit("convert", [narrow], dtype="f32")
        if choice == 2:
            v = self.pick(dtype=self.r.choice(["i32", "i1"]))
            f = v and self.emit("convert", [v], dtype="f32", keep=False, bound=8)
            return v and self.times(f, 0.2)
        v = self.pick(lambda v: v.exact)
        return v and self.emit("convert", [v], dtype="i32")

    def whole(self):
        """Arithmetic on integers."""
        v = self.pick(dtype="i32")
        if v is None:
            return self.iota()
        name = self.r.choice(["add", "subtract", "multiply", "and", "or", "xor", "maximum", "minimum", "divide", "remainder", "abs",
                              "sign", "negate", "not", "popcnt", "count_leading_zeros", "shift_left", "shift_right_logical",
                              "shift_right_arithmetic"])
        if name in ("abs", "sign", "negate", "not", "popcnt", "count_leading_zeros"):
            out = self.emit(name, [v], keep=False)
        else:
            out = self.emit(name, [v, self.splat(self.r.randint(1, 6), v)], keep=False)
        # Small again: what follows are indices and factors.
        return self.emit("and", [out, self.splat(7, out)], bound=7)

    def stop(self):
        return self.emit("stop_gradient", [self.pick()])

    # ------------------------------------------------------------ movement

    def iota(self):
        shape = [self.r.choice(self.sizes) for _ in range(self.r.randint(1, 2))]
        dtype = self.r.choice(["i32", "f32"])
        v = self.emit("iota", [], f"dim = {self.r.randrange(len(shape))} : i64", shape=shape, dtype=dtype, exact=True, bound=12,
                      keep=dtype == "i32")
        return v if dtype == "i32" else self.times(v, 0.15)

    def broadcast(self):
        v = self.pick(lambda v: v.rank < 4)
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

    # ------------------------------------------------------------ reductions

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

    # ------------------------------------------------------------ products

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
                   "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>", results=results)
        self.values += results
        return results[0]

    # ------------------------------------------------------------ indexed

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

    # ------------------------------------------------------------ the graph

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
            rank = r.choice([1, 2, 2, 3, 3, 4]) if dtype == "f32" else r.choice([1, 1, 2])
            while True:
                shape = [self.rows] + [r.choice(self.sizes) for _ in range(rank - 1)]
                if math.prod(shape) <= 800:
                    break
            v = Value(f"x{k}", dtype, shape, 0, True, 2.0 if dtype == "f32" else 7)
            g.inputs.append(v)
            self.values.append(v)

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
                 (self.dynamic_slice, 1.5)]
        functions, weights = zip(*kinds)
        wanted = r.choice([r.randint(5, 15), r.randint(5, 60)])
        while len(self.g.ops) < wanted:
            r.choices(functions, weights)[0]()
        used = {v.name for op in self.g.ops for v in op.operands}
        leaves = [v for v in self.values if v.name not in used and v.dtype == "f32"]
        leaves += [v for v in self.g.parameters if v not in leaves and r.random() < 0.3]
        # A loss without a parameter has nothing to train.
        self.g.terms = [self.term(v) for v in leaves or self.g.parameters]
        _, needed = self.g.live()
        self.g.terms += [self.term(v) for v in self.g.parameters if v.name not in needed]
        return self.g

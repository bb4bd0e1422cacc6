# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops, on floats, integers and predicates."""
from graph import ints


class Elementwise:
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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of losses of any size, as JAX prints them: GPT (with mixture-of-experts layers if asked for), Llama and DLRM. Standard library only.

Builder has the few operations that JAX's lowering of such functions uses (helpers that JAX calls as functions are
inlined); a model is written over it as the JAX function would be. An operation's location is FILE:LINE with the part of
the model as LINE (see GPT_LINES), so that a report's values can be told apart.
"""
import math

GPT_LINES = {"embedding": 10, "norm1": 20, "qkv": 21, "attention": 22, "projection": 23, "norm2": 24, "mlp": 25, "experts": 26,
             "norm": 30, "head": 31, "entropy": 32}


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + self.element + ">"


class Builder:
    def __init__(self, file, meshes=""):
        self.file, self.meshes, self.line = file, meshes, 1
        self.args, self.body = [], []

    @property
    def at(self):
        return f'loc("{self.file}":{self.line}:1)'

    def argument(self, path, shape, element="f32", sharding=None):
        """`path` is what JAX prints: params['wte']."""
        v = Value(f"%arg{len(self.args)}", shape, element)
        attribute = f" {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}" if sharding else ""
        self.args.append(f'{v.name}: {v.type}{attribute} loc("{path}")')
        return v

    def emit(self, shape, element, text, operands, types=True):
        v = Value(f"%{len(self.body)}", shape, element)
        signature = f"({', '.join(o.type for o in operands)}) -> {v.type}" if types else v.type
        self.body.append(f"    {v.name} = {text} : {signature} {self.at}")
        return v

    def constant(self, text, element="f32"):
        return self.emit((), element, f"stablehlo.constant dense<{text}>", [], types=False)

    def broadcast(self, x, shape, dims):
        return self.emit(shape, x.element, f"stablehlo.broadcast_in_dim {x.name}, dims = {list(dims)}", [x])

    def full(self, text, shape, element="f32"):
        return self.broadcast(self.constant(text, element), shape, [])

    def ew(self, op, *operands, element=None):
        x = operands[0]
        return self.emit(x.shape, element or x.element, f"stablehlo.{op} {', '.join(o.name for o in operands)}", operands)

    def binary(self, op, x, y):
        """x and y of one rank; dims of 1 are broadcast, or y is a number."""
        if not isinstance(y, Value):
            y = self.full(y, x.shape, x.element)
        shape = [max(a, b) for a, b in zip(x.shape, y.shape)]
        x, y = (v if list(v.shape) == shape else self.broadcast(v, shape, range(len(shape))) for v in (x, y))
        return self.ew(op, x, y)

    def compare(self, how, x, y):
        kind = "FLOAT" if x.element == "f32" else "SIGNED"
        return self.emit(x.shape, "i1", f"stablehlo.compare {how}, {x.name}, {y.name}, {kind}", [x, y])

    def select(self, c, x, y):
        v = Value(f"%{len(self.body)}", x.shape, x.element)
        self.body.append(f"    {v.name} = stablehlo.select {c.name}, {x.name}, {y.name} : {c.type}, {x.type} {self.at}")
        return v

    def convert(self, x, element):
        return self.emit(x.shape, element, f"stablehlo.convert {x.name}", [x])

    def reshape(self, x, shape):
        return self.emit(shape, x.element, f"stablehlo.reshape {x.name}", [x])

    def transpose(self, x, perm):
        return self.emit([x.shape[p] for p in perm], x.element, f"stablehlo.transpose {x.name}, dims = {list(perm)}", [x])

    def iota(self, shape, dim, element="i32"):
        return self.emit(shape, element, f"stablehlo.iota dim = {dim}", [], types=False)

    def slice(self, x, dim, start, end):
        ranges = ", ".join(f"{start}:{end}" if d == dim else f"0:{n}" for d, n in enumerate(x.shape))
        return self.emit([end - start if d == dim else n for d, n in enumerate(x.shape)], x.element, f"stablehlo.slice {x.name} [{ranges}]", [x])

    def concatenate(self, xs, dim):
        shape = list(xs[0].shape)
        shape[dim] = sum(x.shape[dim] for x in xs)
        return self.emit(shape, xs[0].element, f"stablehlo.concatenate {', '.join(x.name for x in xs)}, dim = {dim}", xs)

    def reduce(self, op, x, dims, init):
        i = self.constant(init, x.element)
        return self.emit([n for d, n in enumerate(x.shape) if d not in dims], x.element,
                         f"stablehlo.reduce({x.name} init: {i.name}) applies stablehlo.{op} across dimensions = {list(dims)}", [x, i])

    def sum(self, x, dims):
        return self.reduce("add", x, dims, "0.000000e+00")

    def keep(self, x, dim):
        """jnp's keepdims: puts a dim of 1 at `dim`."""
        shape = list(x.shape)
        shape.insert(dim, 1)
        return self.broadcast(x, shape, [d for d in range(len(shape)) if d != dim])

    def dot(self, x, y, contract, batch=((), ())):
        (cx, cy), (bx, by) = contract, batch
        shape = ([x.shape[d] for d in bx] + [n for d, n in enumerate(x.shape) if d not in (*cx, *bx)] +
                 [n for d, n in enumerate(y.shape) if d not in (*cy, *by)])
        batching = f"batching_dims = {list(bx)} x {list(by)}, " if bx else ""
        return self.emit(shape, x.element, f"stablehlo.dot_general {x.name}, {y.name}, {batching}"
                         f"contracting_dims = {list(cx)} x {list(cy)}, precision = [DEFAULT, DEFAULT]", [x, y])

    def constraint(self, x, sharding):
        return self.emit(x.shape, x.element, f"sdy.sharding_constraint {x.name} <@mesh, {sharding}>", [], types=False)

    # Functions that jnp makes of several ops.
    def wrap(self, ids, rows):
        """Negative indices count from the end."""
        negative = self.compare("LT", ids, self.full(0, ids.shape, "i32"))
        return self.select(negative, self.ew("add", ids, self.full(rows, ids.shape, "i32")), ids)

    def lookup(self, table, ids):
        rows, width = table.shape
        at = self.keep(self.wrap(ids, rows), len(ids.shape))
        n = len(ids.shape)
        return self.emit([*ids.shape, width], table.element,
                         f'"stablehlo.gather"({table.name}, {at.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{n}], '
                         f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = {n}>, indices_are_sorted = false, slice_sizes = array<i64: 1, {width}>}}>", [table, at])

    def softmax(self, x):
        last = len(x.shape) - 1
        m = self.reduce("maximum", x, [last], "0xFF800000")
        m = self.ew("maximum", self.full("0xFF800000", m.shape), m)
        e = self.ew("exponential", self.binary("subtract", x, self.keep(m, last)))
        return self.binary("divide", e, self.keep(self.sum(e, [last]), last))

    def causal_attention(self, q, k, v):
        """All of [batch, sequence, heads, width]."""
        _, seq, _, width = q.shape
        s = self.binary("divide", self.dot(q, k, ([3], [3]), ([0, 2], [0, 2])), f"{math.sqrt(width):.7f}")
        mask = self.compare("GE", self.ew("add", self.iota([seq, seq], 0), self.full(0, [seq, seq], "i32")), self.iota([seq, seq], 1))
        mask = self.select(mask, self.full("true", [seq, seq], "i1"), self.full("false", [seq, seq], "i1"))
        s = self.select(self.broadcast(mask, s.shape, [2, 3]), s, self.full("-3.40282347E+38", s.shape))
        return self.transpose(self.dot(v, self.softmax(s), ([1], [3]), ([0, 2], [0, 1])), [0, 3, 1, 2])

    def relu(self, x):
        return self.binary("maximum", x, "0.000000e+00")

    def one_hot(self, ids, classes):
        r = len(ids.shape)
        shape = [*ids.shape, classes]
        iota = self.iota([1] * r + [classes], r)
        ids, iota = (self.broadcast(v, shape, range(r + 1)) for v in (self.keep(ids, r), iota))
        return self.convert(self.compare("EQ", ids, iota), "f32")

    def argmax(self, x):
        last = len(x.shape) - 1
        index = self.iota(x.shape, last)
        low, zero = self.constant("0xFF800000"), self.constant(0, "i32")
        out = Value(f"%{len(self.body)}", x.shape[:last], "i32")
        at = self.at
        types = f"({x.type}, {index.type}, tensor<f32>, tensor<i32>) -> ({Value('', out.shape, 'f32').type}, {out.type})"
        self.body.append(f"""    {out.name}:2 = stablehlo.reduce({x.name} init: {low.name}), ({index.name} init: {zero.name}) across dimensions = [{last}] : {types}
     reducer(%a: tensor<f32> {at}, %c: tensor<f32> {at}) (%b: tensor<i32> {at}, %d: tensor<i32> {at})  {{
      %greater = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1> {at}
      %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1> {at}
      %take = stablehlo.or %greater, %nan : tensor<i1> {at}
      %equal = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1> {at}
      %before = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1> {at}
      %tie = stablehlo.and %equal, %before : tensor<i1> {at}
      %first = stablehlo.or %take, %tie : tensor<i1> {at}
      %value = stablehlo.select %take, %a, %c : tensor<i1>, tensor<f32> {at}
      %index = stablehlo.select %first, %b, %d : tensor<i1>, tensor<i32> {at}
      stablehlo.return %value, %index : tensor<f32>, tensor<i32> {at}
    }} {at}""")
        out.name += "#1"
        return out

    def cumsum(self, x, dim):
        zero = self.constant("0.000000e+00")
        ones = ", ".join("1" for _ in x.shape)
        window = ", ".join(str(n if d == dim else 1) for d, n in enumerate(x.shape))
        padding = ", ".join(f"[{n - 1 if d == dim else 0}, 0]" for d, n in enumerate(x.shape))
        out = Value(f"%{len(self.body)}", x.shape, x.element)
        at = self.at
        attributes = (f"base_dilations = array<i64: {ones}>, padding = dense<[{padding}]> : tensor<{len(x.shape)}x2xi64>, window_dilations = "
                      f"array<i64: {ones}>, window_dimensions = array<i64: {window}>, window_strides = array<i64: {ones}>")
        self.body.append(f"""    {out.name} = "stablehlo.reduce_window"({x.name}, {zero.name}) <{{{attributes}}}> ({{
    ^bb0(%a: tensor<f32> {at}, %b: tensor<f32> {at}):
      %sum = stablehlo.add %a, %b : tensor<f32> {at}
      stablehlo.return %sum : tensor<f32> {at}
    }}) : ({x.type}, tensor<f32>) -> {x.type} {at}""")
        return out

    def cross_entropy(self, logits, labels):
        last = len(logits.shape) - 1
        m = self.reduce("maximum", logits, [last], "0xFF800000")
        m = self.ew("maximum", self.full("0xFF800000", m.shape), m)
        m = self.select(self.ew("is_finite", m, element="i1"), m, self.full("0.000000e+00", m.shape))
        e = self.ew("exponential", self.binary("subtract", logits, self.keep(m, last)))
        lse = self.ew("add", self.ew("log", self.ew("abs", self.sum(e, [last]))), m)
        n = logits.shape[last]
        at = self.reshape(self.wrap(self.keep(labels, last), n), [*labels.shape, 1, 1])
        top = self.full(n - 1, at.shape, "i32")
        inside = self.ew("and", self.compare("GE", at, self.full(0, at.shape, "i32")), self.compare("LE", at, top))
        inside = self.reduce("and", inside, [last + 1], "true")
        batch = list(range(last))
        ones = ", ".join("1" for _ in logits.shape)
        picked = self.emit([*labels.shape, 1], "f32", f'"stablehlo.gather"({logits.name}, {at.name}) <{{dimension_numbers = '
                           f"#stablehlo.gather<collapsed_slice_dims = [{last}], operand_batching_dims = {batch}, "
                           f"start_indices_batching_dims = {batch}, start_index_map = [{last}], index_vector_dim = {last + 1}>, "
                           f"indices_are_sorted = false, slice_sizes = array<i64: {ones}>}}>", [logits, at])
        picked = self.reshape(self.select(inside, picked, self.full("0x7FC00000", picked.shape)), labels.shape)
        return self.mean(self.ew("subtract", lse, picked))

    def mean(self, x):
        return self.ew("divide", self.sum(x, range(len(x.shape))), self.constant(f"{math.prod(x.shape):e}"))

    def text(self, result):
        return (f"module @jit_loss attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{\n{self.meshes}"
                f"  func.func public @main({', '.join(self.args)}) -> (tensor<f32>) {{\n" + "\n".join(self.body) +
                f"\n    return {result.name} : tensor<f32> loc(unknown)\n  }}\n}}\n")


def gpt(layers, hidden, heads, seq, batch, vocab=51200, experts=0, annotate=None, expert_sharding=None, mesh=None):
    """GPT with learned positions and a tied embedding; the last norm has no parameters (published counts leave it out).

    experts: every second layer's MLP is a top-2 mixture with capacity factor 1 (GShard). annotate: {part: sharding} of
    constraints, 'residual' (after each layer) or 'embedding' (once). mesh: what sdy.mesh says.
    """
    axes = ", ".join(f'"{name}"={size}' for name, size in (mesh or {}).items())
    b = Builder("gpt.py", f"  sdy.mesh @mesh = <[{axes}]>\n" if mesh else "")
    annotate = annotate or {}
    k = hidden // heads
    blocks = []
    for i in range(layers):
        def p(path, *shape, sharding=None):
            return b.argument(f"params['blocks'][{i}]{path}", shape, sharding=sharding)
        block = {"bo": p("['attn']['bo']", hidden), "bqkv": p("['attn']['bqkv']", 3, heads, k), "wo": p("['attn']['wo']", heads, k, hidden),
                 "wqkv": p("['attn']['wqkv']", hidden, 3, heads, k)}
        if experts and i % 2:
            block.update(wi=p("['experts']['wi']", experts, hidden, 4 * hidden, sharding=expert_sharding),
                         wout=p("['experts']['wo']", experts, 4 * hidden, hidden, sharding=expert_sharding),
                         router=p("['experts']['router']", hidden, experts))
        else:
            block.update(bi=p("['mlp']['bi']", 4 * hidden), bout=p("['mlp']['bo']", hidden), wi=p("['mlp']['wi']", hidden, 4 * hidden),
                         wout=p("['mlp']['wo']", 4 * hidden, hidden))
        block.update({n: (p(f"['{n}']['bias']", hidden), p(f"['{n}']['scale']", hidden)) for n in ("ln1", "ln2")})
        blocks.append(block)
    wpe, wte = b.argument("params['wpe']", (seq, hidden)), b.argument("params['wte']", (vocab, hidden))
    x, y = b.argument("batch['x']", (batch, seq), "i32"), b.argument("batch['y']", (batch, seq), "i32")

    def at(part):
        b.line = GPT_LINES[part]

    def along(v, rank=3):
        """A vector along the last dims of a value of this rank."""
        shape = [1] * (rank - len(v.shape)) + list(v.shape)
        return b.broadcast(v, shape, range(rank - len(v.shape), rank))

    def norm(h, scale=None, bias=None):
        def mean(v):
            s = b.keep(b.sum(v, [2]), 2)
            return b.binary("divide", s, f"{hidden:e}")
        c = b.binary("subtract", h, mean(h))
        n = b.binary("multiply", c, b.ew("rsqrt", b.binary("add", mean(b.ew("multiply", c, c)), "9.99999974E-6")))
        return n if scale is None else b.binary("add", b.binary("multiply", n, along(scale)), along(bias))

    def attention(p, h):
        at("qkv")
        qkv = b.transpose(b.dot(p["wqkv"], h, ([0], [2])), [0, 3, 4, 1, 2])
        bias = b.broadcast(p["bqkv"], [3, 1, 1, heads, k], [0, 3, 4])
        qkv = b.binary("add", qkv, bias)
        q, kk, v = (b.reshape(b.slice(qkv, 0, i, i + 1), qkv.shape[1:]) for i in range(3))
        at("attention")
        o = b.causal_attention(q, kk, v)
        at("projection")
        return b.binary("add", b.dot(o, p["wo"], ([2, 3], [0, 1])), along(p["bo"]))

    def mlp(p, h):
        at("mlp")
        m = b.binary("add", b.dot(h, p["wi"], ([2], [0])), along(p["bi"]))
        cube = b.binary("multiply", b.ew("multiply", b.ew("multiply", m, m), m), "4.471500e-02")
        t = b.binary("add", b.ew("tanh", b.binary("multiply", b.ew("add", m, cube), "0.797884583")), "1.000000e+00")
        m = b.ew("multiply", m, b.binary("multiply", t, "5.000000e-01"))
        return b.binary("add", b.dot(m, p["wout"], ([2], [0])), along(p["bout"]))

    def mixture(p, h):
        at("experts")
        capacity = math.ceil(2 * seq / experts)
        gates = b.softmax(b.dot(h, p["router"], ([2], [0])))
        first = b.one_hot(b.argmax(gates), experts)
        second = b.one_hot(b.argmax(b.ew("multiply", gates, b.ew("subtract", b.full("1.000000e+00", gates.shape), first))), experts)
        means = [b.binary("divide", b.sum(v, [1]), f"{seq:e}") for v in (gates, first)]
        balance = b.binary("multiply", b.mean(b.sum(b.ew("multiply", *means), [1])), f"{experts:e}")
        pos1 = b.ew("subtract", b.ew("multiply", b.cumsum(first, 1), first), first)
        pos2 = b.binary("add", b.cumsum(second, 1), b.keep(b.sum(first, [1]), 1))
        pos2 = b.ew("subtract", b.ew("multiply", pos2, second), second)
        parts = []
        for mask, pos in ((first, pos1), (second, pos2)):
            kept = b.ew("multiply", mask, b.convert(b.compare("LT", pos, b.full(f"{capacity:e}", pos.shape)), "f32"))
            slot = b.one_hot(b.convert(b.sum(b.ew("multiply", pos, kept), [2]), "i32"), capacity)
            parts.append(b.dot(b.ew("multiply", gates, kept), slot, ([], []), ([0, 1], [0, 1])))
        combine = b.ew("add", *parts)
        dispatch = b.convert(b.compare("GT", combine, b.full("0.000000e+00", combine.shape)), "f32")
        z = b.transpose(b.dot(h, dispatch, ([1], [1]), ([0], [0])), [2, 0, 3, 1])
        z = b.dot(b.relu(b.dot(z, p["wi"], ([3], [1]), ([0], [0]))), p["wout"], ([3], [1]), ([0], [0]))
        return b.dot(combine, z, ([3, 2], [2, 0]), ([0], [1])), balance

    at("embedding")
    h = b.lookup(wte, x)
    h = b.binary("add", h, b.broadcast(wpe, [1, seq, hidden], [1, 2]))
    if "embedding" in annotate:
        h = b.constraint(h, annotate["embedding"])
    extra = None
    for p in blocks:
        at("norm1")
        a = attention(p, norm(h, p["ln1"][1], p["ln1"][0]))
        h = b.ew("add", h, a)
        at("norm2")
        n = norm(h, p["ln2"][1], p["ln2"][0])
        if "router" in p:
            m, balance = mixture(p, n)
            extra = balance if extra is None else b.ew("add", extra, balance)
        else:
            m = mlp(p, n)
        h = b.ew("add", h, m)
        if "residual" in annotate:
            h = b.constraint(h, annotate["residual"])
    at("norm")
    h = norm(h)
    at("head")
    logits = b.dot(h, b.transpose(wte, [1, 0]), ([2], [0]))
    at("entropy")
    loss = b.cross_entropy(logits, y)
    if extra is not None:
        loss = b.ew("add", loss, b.binary("multiply", extra, "1.000000e-02"))
    return b.text(loss)


def llama(layers, hidden, heads, kv_heads, inner, seq, batch, vocab):
    """Llama: RMSNorm, rotary positions, grouped-query attention by projections of their own, SwiGLU, a head of its own."""
    b = Builder("llama.py")
    k = hidden // heads
    shapes = {"down": (inner, hidden), "gate": (hidden, inner), "norm1": (hidden,), "norm2": (hidden,), "up": (hidden, inner),
              "wk": (hidden, kv_heads, k), "wo": (heads, k, hidden), "wq": (hidden, heads, k), "wv": (hidden, kv_heads, k)}
    embed, head = b.argument("params['embed']", (vocab, hidden)), b.argument("params['head']", (hidden, vocab))
    blocks = [{n: b.argument(f"params['layers'][{i}]['{n}']", shape) for n, shape in shapes.items()} for i in range(layers)]
    last = b.argument("params['norm']", (hidden,))
    x, y = b.argument("batch['x']", (batch, seq), "i32"), b.argument("batch['y']", (batch, seq), "i32")

    def norm(scale, h):
        mean = b.binary("divide", b.keep(b.sum(b.ew("multiply", h, h), [2]), 2), f"{hidden:e}")
        n = b.binary("multiply", h, b.ew("rsqrt", b.binary("add", mean, "9.99999974E-6")))
        return b.binary("multiply", n, b.broadcast(scale, [1, 1, hidden], [2]))

    def rotary(v):
        half = k // 2
        angle = b.ew("multiply", b.iota([seq, half], 0, "f32"), b.iota([seq, half], 1, "f32"))
        c, s = (b.broadcast(b.ew(f, angle), [1, seq, 1, half], [1, 3]) for f in ("cosine", "sine"))
        p, q = b.slice(v, 3, 0, half), b.slice(v, 3, half, k)
        return b.concatenate([b.ew("subtract", b.binary("multiply", p, c), b.binary("multiply", q, s)),
                              b.ew("add", b.binary("multiply", q, c), b.binary("multiply", p, s))], 3)

    def repeat(v):
        """Every head for all queries of its group."""
        groups = b.broadcast(v, [batch, seq, kv_heads, heads // kv_heads, k], [0, 1, 2, 4])
        return b.reshape(groups, (batch, seq, heads, k))

    h = b.lookup(embed, x)
    for p in blocks:
        a = norm(p["norm1"], h)
        q, kk, v = (b.dot(a, p[n], ([2], [0])) for n in ("wq", "wk", "wv"))
        o = b.causal_attention(rotary(q), repeat(rotary(kk)), repeat(v))
        h = b.ew("add", h, b.dot(o, p["wo"], ([2, 3], [0, 1])))
        m = norm(p["norm2"], h)
        g, u = b.dot(m, p["gate"], ([2], [0])), b.dot(m, p["up"], ([2], [0]))
        silu = b.ew("multiply", g, b.ew("logistic", g))
        h = b.ew("add", h, b.dot(b.ew("multiply", silu, u), p["down"], ([2], [0])))
    return b.text(b.cross_entropy(b.dot(norm(last, h), head, ([2], [0])), y))


def dlrm(batch, tables=26, rows=100000, width=128, bottom=(13, 512, 256, 128), top=(479, 1024, 1024, 512, 256, 1)):
    """DLRM: embedding tables, a bottom and a top MLP, pairwise interactions, binary cross entropy."""
    b = Builder("dlrm.py")
    linear = lambda name, sizes: [(b.argument(f"params['{name}'][{i}]['b']", (n,)), b.argument(f"params['{name}'][{i}]['w']", (m, n)))
                                  for i, (m, n) in enumerate(zip(sizes, sizes[1:]))]
    low = linear("bottom", bottom)
    embedding = [b.argument(f"params['tables'][{i}]", (rows, width)) for i in range(tables)]
    high = linear("top", top)
    click, dense = b.argument("batch['click']", (batch,)), b.argument("batch['dense']", (batch, bottom[0]))
    ids = b.argument("batch['ids']", (batch, tables), "i32")

    def layer(h, p):
        return b.binary("add", b.dot(h, p[1], ([1], [0])), b.broadcast(p[0], [1, *p[0].shape], [1]))
    b.line = 10
    h = dense
    for p in low:
        h = b.relu(layer(h, p))
    b.line = 20
    parts = [h] + [b.lookup(t, b.reshape(b.slice(ids, 1, i, i + 1), [batch])) for i, t in enumerate(embedding)]
    e = b.concatenate([b.keep(v, 1) for v in parts], 1)
    b.line = 30
    n = tables + 1
    pairs = [(i, j) for i in range(n) for j in range(i)]
    inter = b.dot(e, e, ([2], [2]), ([0], [0]))
    index = b.emit([len(pairs), 2], "i32", f"stablehlo.constant dense<{[list(p) for p in pairs]}>", [], types=False)
    inter = b.emit([batch, len(pairs)], "f32", f'"stablehlo.gather"({inter.name}, {index.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0], '
                   "collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, "
                   f"slice_sizes = array<i64: {batch}, 1, 1>}}>", [inter, index])
    z = b.concatenate([h, inter], 1)
    b.line = 40
    for p in high[:-1]:
        z = b.relu(layer(z, p))
    z = b.reshape(layer(z, high[-1]), [batch])
    soft = b.ew("log_plus_one", b.ew("exponential", b.ew("negate", b.ew("abs", z))))
    each = b.ew("add", b.ew("subtract", b.binary("maximum", z, "0.000000e+00"), b.ew("multiply", z, click)), soft)
    return b.text(b.mean(each))

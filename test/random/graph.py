# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of the `train` dialect as data: built op by op, printed as phase `graph`, cut down by the minimizer.

A value knows, beside its type, where the batch is (`batch`: the dim, or None), whether it is made from inputs by ops that
round the same way wherever they run (`exact`), and a bound on its elements.
"""


class Value:
    def __init__(self, name, dtype, shape, batch=None, exact=False, bound=1.0):
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)
        self.batch, self.exact, self.bound = batch, exact, bound
        self.uses = 0

    @property
    def type(self):
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + self.dtype + ">"

    @property
    def size(self):
        n = 1
        for extent in self.shape:
            n *= extent
        return n

    @property
    def rank(self):
        return len(self.shape)


class Op:
    def __init__(self, name, operands, attributes, results):
        self.name, self.operands, self.attributes, self.results = name, list(operands), attributes, results

    def text(self, renamed={}):
        left = ", ".join("%" + v.name for v in self.results)
        if self.name == "constant":
            return f"    {left} = train.constant {self.attributes} : {self.results[0].type}"
        operands = "".join(", %" + renamed.get(v.name, v.name) for v in self.operands)[1:]
        attributes = f" {{{self.attributes}}}" if self.attributes else ""
        results = ", ".join(v.type for v in self.results)
        if len(self.results) != 1:
            results = f"({results})"
        return f"    {left} = train.{self.name}{operands}{attributes} : ({', '.join(v.type for v in self.operands)}) -> {results}"


def ints(name, values):
    values = list(values)
    return f"{name} = array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def kind(name):
    return f"kind = #train<reduce_kind {name}>"


class Graph:
    """Parameters and inputs are Values."""

    def __init__(self):
        self.parameters, self.inputs, self.ops = [], [], []
        self.terms = []  # scalars whose sum is the loss
        self.splits = []  # (name, rank, dim) of parameters: split there, products of layers need collectives
        self.next = 0

    def fresh(self, prefix="v"):
        self.next += 1
        return f"{prefix}{self.next}"

    def add(self, name, operands, attributes="", shape=None, dtype=None, results=None, **facts):
        first = operands[0] if operands else None
        if results is None:
            results = [Value(self.fresh(), dtype or first.dtype, first.shape if shape is None else shape, **facts)]
        for v in operands:
            v.uses += 1
        self.ops.append(Op(name, operands, attributes, results))
        return results[0]

    def parameter(self, shape):
        v = Value(f"w{len(self.parameters)}", "f32", shape)
        self.parameters.append(v)
        return v

    def constant(self, value, shape=(), dtype="f32"):
        text = {"i1": lambda: str(bool(value)).lower(), "f": lambda: f"{value:.9e}"}.get(
            "i1" if dtype == "i1" else dtype[0], lambda: str(int(value)))()
        return self.add("constant", [], f"dense<{text}>", shape, dtype, exact=True, bound=abs(value))

    def live(self):
        """Ops that the terms need, in order."""
        needed, kept = {v.name for v in self.terms}, []
        for op in reversed(self.ops):
            if any(r.name in needed for r in op.results):
                kept.append(op)
                needed.update(v.name for v in op.operands)
        return kept[::-1], needed

    def text(self, mesh=(), constraints={}):
        """`mesh`: names and sizes of axes that the text is written for; `constraints`: the shardings of values by name."""
        ops, needed = self.live()
        lines, renamed = [], {}
        for op in ops:
            lines.append(op.text(renamed))
            for v in op.results:
                if v.name in constraints:
                    renamed[v.name] = v.name + "c"
                    lines.append(f"    %{v.name}c = train.sharding_constraint %{v.name} {{sharding = {constraints[v.name]}}} "
                                 f": ({v.type}) -> {v.type}")
        name = lambda v: renamed.get(v.name, v.name)
        total = name(self.terms[0])
        for i, term in enumerate(self.terms[1:]):
            lines.append(f"    %t{i} = train.add %{total}, %{name(term)} : (tensor<f32>, tensor<f32>) -> tensor<f32>")
            total = f"t{i}"
        arguments = [f'      %{v.name}: {v.type} {{zcc.{what} = "{v.name}"}}'
                     for what, values in (("parameter", self.parameters), ("input", self.inputs)) for v in values if v.name in needed]
        head = "module {"
        if constraints:
            names = ", ".join(f'"{axis}"' for axis, _ in mesh)
            head = f"module attributes {{zcc.mesh_axes = [{names}], {ints('zcc.mesh_sizes', [size for _, size in mesh])}}} {{"
        return "\n".join([head, "  func.func @loss(", ",\n".join(arguments) + ')', '      -> (tensor<f32> {zcc.result = "loss"}) {',
                          *lines, f"    return %{total} : tensor<f32>", "  }", "}", ""])

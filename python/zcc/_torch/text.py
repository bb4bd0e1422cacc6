# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes StableHLO as text, op by op, in MLIR's generic form.

A Builder writes one function. Its methods take Values and return Values; shapes and types of results follow from the
operands. The ops are those of the StableHLO specification (openxla.org/stablehlo/spec); zcc's importer checks them.
"""
import math

# Types of elements in a text, by what torch and numpy call them.
ELEMENTS = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16",
            "uint32": "ui32", "uint64": "ui64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
# The largest finite numbers of the types of floating point.
_LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}
# The bits of infinity.
_INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
_NAN = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}


def is_float(element):
    return element in _INFINITY


def is_unsigned(element):
    return element.startswith("ui") or element == "i1"


def width(element):
    """Returns the bits of an element."""
    return int(element.lstrip("uibf"))


class Value:
    """A result of an op: `name` as in the text, `shape` a tuple of ints, `element` such as "f32"."""

    __slots__ = ("name", "shape", "element")

    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return tensor_type(self.shape, self.element)

    @property
    def rank(self):
        return len(self.shape)

    def __repr__(self):
        return f"{self.name}: {self.type}"


def tensor_type(shape, element):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def integers(values):
    """Returns an attribute that is an array of i64."""
    values = list(values)
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def literal(value, element):
    """Returns a number as the text of an element of a constant."""
    if element == "i1":
        return "true" if value else "false"
    if not is_float(element):
        return str(int(value))
    value = float(value)
    if math.isnan(value):
        return f"0x{_NAN[element]:0{width(element) // 4}X}"
    if math.isinf(value) or abs(value) > _LARGEST[element] * (1 + 2.0 ** -9):
        sign = 1 << (width(element) - 1) if value < 0 else 0
        return f"0x{_INFINITY[element] | sign:0{width(element) // 4}X}"
    return f"{value:.17e}"


def largest(element):
    """Returns the largest number of a type: infinity is none."""
    if is_float(element):
        return _LARGEST[element]
    if element == "i1":
        return 1
    bits = width(element)
    return (1 << bits) - 1 if is_unsigned(element) else (1 << (bits - 1)) - 1


def smallest(element):
    """Returns the smallest number of a type: minus infinity is none."""
    if is_float(element):
        return -_LARGEST[element]
    return 0 if is_unsigned(element) else -(1 << (width(element) - 1))


class Module:
    """The functions of a text, and the locations that they share."""

    def __init__(self, builder=None):
        """builder: the class of the Builders of private functions."""
        self.functions, self._locations, self._definitions, self.builder = {}, {}, [], builder or Builder

    def location(self, definition):
        """Returns the alias of a location, `definition` being the text inside of `loc(...)`."""
        if definition not in self._locations:
            alias = f"#loc{len(self._locations) + 1}"
            self._locations[definition] = alias
            self._definitions.append(f"{alias} = loc({definition})")
        return self._locations[definition]

    def once(self, name, make):
        """Adds a private function: `make` gets its Builder at the first call of that name."""
        if name not in self.functions:
            self.functions[name] = None  # keeps the order of first use
            builder = self.builder(self, name)
            make(builder)
            self.functions[name] = builder.text()
        return name

    def text(self, name="module"):
        body = "\n".join(self.functions.values())
        return "\n".join(self._definitions) + f"\nmodule @{name} {{\n{body}\n}}\n"


class Builder:
    """Writes one function. `here` is the alias of the location that the next ops get."""

    def __init__(self, module, name, public=False):
        self.module, self.name, self.public = module, name, public
        self._lines, self._arguments, self._results, self._count, self._constants = [], [], None, 0, {}
        self.here = "loc(unknown)"
        self._indent = "    "

    # ------------------------------------------------------------ the function

    def argument(self, shape, element, attributes="", location="unknown"):
        """Adds an argument. attributes: text such as `zcc.parameter = "w"`."""
        value = Value(f"%arg{len(self._arguments)}", shape, element)
        self._arguments.append(f"{value.name}: {value.type}" + (f" {{{attributes}}}" if attributes else "") + f" loc({location})")
        return value

    def drop_last_argument(self):
        """Removes the argument that was added last, which no op may read."""
        self._arguments.pop()

    def results(self, values, attributes=()):
        """Ends the function. attributes: one text for each result, such as `zcc.result = "loss"`."""
        types = ", ".join(v.type for v in values)
        attributes = list(attributes) or [""] * len(values)
        self._results = ", ".join(f"{v.type}" + (f" {{{a}}}" if a else "") for v, a in zip(values, attributes))
        self._lines.append(f'{self._indent}"func.return"({", ".join(v.name for v in values)}) : ({types}) -> () {self.here}')

    def text(self):
        head = f"  func.func {'public' if self.public else 'private'} @{self.name}({', '.join(self._arguments)}) -> ({self._results}) {{"
        return "\n".join([head, *self._lines, "  }"])

    # ------------------------------------------------------------ any op

    def _name(self):
        self._count += 1
        return f"%{self._count - 1}"

    def ops(self, name, operands, results, attributes=None, regions=()):
        """Writes an op of several results, [(shape, element), ...], and returns their Values."""
        first = self._name()
        values = [Value(first if len(results) == 1 else f"{first}#{i}", s, e) for i, (s, e) in enumerate(results)]
        pack = f":{len(results)}" if len(results) > 1 else ""
        properties = f" <{{{', '.join(f'{k} = {v}' for k, v in attributes.items())}}}>" if attributes else ""
        inner = f" ({', '.join(regions)})" if regions else ""
        self._lines.append(f'{self._indent}{first}{pack} = "{name}"({", ".join(v.name for v in operands)}){properties}{inner} : '
                           f'({", ".join(v.type for v in operands)}) -> '
                           + (values[0].type if len(values) == 1 else f"({', '.join(v.type for v in values)})") + f" {self.here}")
        return values

    def op(self, name, operands, shape, element, attributes=None, regions=()):
        """Writes an op of one result."""
        return self.ops(name, operands, [(shape, element)], attributes, regions)[0]

    def region(self, arguments, body):
        """Returns the text of a region: `body` gets the Values of its arguments, [(shape, element), ...], and returns Values."""
        lines, self._lines, kept = self._lines, [], self._constants
        self._constants = {}
        names = [Value(self._name().replace("%", "%r"), s, e) for s, e in arguments]
        found = body(*names)
        types = ", ".join(v.type for v in found)
        inner = self._lines + [f'{self._indent}"stablehlo.return"({", ".join(v.name for v in found)}) : ({types}) -> () {self.here}']
        self._lines, self._constants = lines, kept
        head = ", ".join(f"{v.name}: {v.type} {self.here}" for v in names)
        return "{\n" + (f"    ^bb0({head}):\n" if names else "") + "\n".join(inner) + "\n    }"

    def call(self, function, operands, results):
        """Calls a private function of the module."""
        return self.ops("func.call", operands, results, {"callee": f"@{function}"})

    # ------------------------------------------------------------ constants

    def constant(self, value, shape=(), element="f32"):
        """Returns a constant all of whose elements are the number `value`."""
        key = (literal(value, element), tuple(shape), element)
        if key not in self._constants:
            self._constants[key] = self.op("stablehlo.constant", [], shape, element,
                                           {"value": f"dense<{key[0]}> : {tensor_type(shape, element)}"})
        return self._constants[key]

    def array(self, array, element):
        """Returns a constant with the elements of an array of numpy, whose bytes are those of `element`."""
        array_shape = array.shape
        if array.size == 0:
            data = "dense<>"
        else:
            flat = array.reshape(-1)
            if element == "i1":
                data = f'dense<{"true" if flat[0] else "false"}>' if (flat == flat[0]).all() else f"dense<{_nested(array)}>"
            else:
                data = f'dense<"0x{array.tobytes().hex().upper()}">'
        return self.op("stablehlo.constant", [], array_shape, element, {"value": f"{data} : {tensor_type(array_shape, element)}"})

    def iota(self, shape, dim, element):
        return self.op("stablehlo.iota", [], shape, element, {"iota_dimension": f"{dim} : i64"})

    # ------------------------------------------------------------ elementwise

    def unary(self, name, x):
        return self.op(f"stablehlo.{name}", [x], x.shape, x.element)

    def binary(self, name, x, y):
        """Writes an op of two operands of one type and shape."""
        assert x.shape == y.shape and x.element == y.element, (name, x, y)
        return self.op(f"stablehlo.{name}", [x, y], x.shape, x.element)

    def add(self, x, y):
        return self.binary("add", x, y)

    def subtract(self, x, y):
        return self.binary("subtract", x, y)

    def multiply(self, x, y):
        return self.binary("multiply", x, y)

    def divide(self, x, y):
        return self.binary("divide", x, y)

    def maximum(self, x, y):
        return self.binary("maximum", x, y)

    def minimum(self, x, y):
        return self.binary("minimum", x, y)

    def negate(self, x):
        return self.unary("negate", x)

    def compare(self, direction, x, y):
        """`direction` is EQ, NE, LT, LE, GT or GE."""
        assert x.shape == y.shape and x.element == y.element, (direction, x, y)
        kind = "FLOAT" if is_float(x.element) else "UNSIGNED" if is_unsigned(x.element) else "SIGNED"
        return self.op("stablehlo.compare", [x, y], x.shape, "i1",
                       {"comparison_direction": f"#stablehlo<comparison_direction {direction}>",
                        "compare_type": f"#stablehlo<comparison_type {kind}>"})

    def select(self, condition, x, y):
        assert condition.shape == x.shape == y.shape and x.element == y.element, (condition, x, y)
        return self.op("stablehlo.select", [condition, x, y], x.shape, x.element)

    def convert(self, x, element):
        """Converts as torch does: to bool by comparing with 0."""
        if x.element == element:
            return x
        if element == "i1":
            return self.compare("NE", x, self.constant(0, x.shape, x.element))
        return self.op("stablehlo.convert", [x], x.shape, element)

    def like(self, value, x):
        """Returns the number `value` in the shape and type of x."""
        return self.constant(value, x.shape, x.element)

    # ------------------------------------------------------------ movement

    def broadcast_in_dim(self, x, shape, dims):
        shape = tuple(shape)
        if x.shape == shape:
            return x
        return self.op("stablehlo.broadcast_in_dim", [x], shape, x.element, {"broadcast_dimensions": integers(dims)})

    def broadcast(self, x, shape):
        """Broadcasts to a shape as numpy does, the last dims being matched."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        lead = len(shape) - x.rank
        kept = [i for i, n in enumerate(x.shape) if not (n == 1 and shape[lead + i] != 1)]
        if len(kept) < x.rank:
            x = self.reshape(x, [x.shape[i] for i in kept])
        return self.broadcast_in_dim(x, shape, [lead + i for i in kept])

    def reshape(self, x, shape):
        shape = tuple(shape)
        return x if x.shape == shape else self.op("stablehlo.reshape", [x], shape, x.element)

    def transpose(self, x, order):
        order = list(order)
        if order == list(range(x.rank)):
            return x
        return self.op("stablehlo.transpose", [x], [x.shape[i] for i in order], x.element, {"permutation": integers(order)})

    def slice(self, x, begin, end, step=None):
        """Returns x[begin:end:step] in each dim."""
        begin, end, step = list(begin), list(end), list(step or [1] * x.rank)
        shape = [max(0, -(-(e - b) // s)) for b, e, s in zip(begin, end, step)]
        if tuple(shape) == x.shape:
            return x
        return self.op("stablehlo.slice", [x], shape, x.element,
                       {"start_indices": integers(begin), "limit_indices": integers(end), "strides": integers(step)})

    def slice_dim(self, x, dim, begin, end, step=1):
        """Returns x[begin:end:step] in one dim."""
        first, last, steps = [0] * x.rank, list(x.shape), [1] * x.rank
        first[dim], last[dim], steps[dim] = begin, end, step
        return self.slice(x, first, last, steps)

    def concatenate(self, parts, dim):
        if len(parts) == 1:
            return parts[0]
        shape = list(parts[0].shape)
        shape[dim] = sum(p.shape[dim] for p in parts)
        return self.op("stablehlo.concatenate", parts, shape, parts[0].element, {"dimension": f"{dim} : i64"})

    def reverse(self, x, dims):
        return self.op("stablehlo.reverse", [x], x.shape, x.element, {"dimensions": integers(dims)})

    def pad(self, x, value, low, high, interior=None):
        """Pads with the scalar Value `value`; negative numbers cut."""
        interior = list(interior or [0] * x.rank)
        shape = [n + a + b + max(0, n - 1) * i for n, a, b, i in zip(x.shape, low, high, interior)]
        return self.op("stablehlo.pad", [x, value], shape, x.element, {
            "edge_padding_low": integers(low), "edge_padding_high": integers(high), "interior_padding": integers(interior)})

    # ------------------------------------------------------------ reductions

    _START = {"add": 0, "multiply": 1, "or": 0, "and": -1, "maximum": None, "minimum": None}

    def start_of(self, kind, element):
        """Returns the number that a reduction begins with."""
        if kind == "maximum":
            return -math.inf if is_float(element) else smallest(element)
        if kind == "minimum":
            return math.inf if is_float(element) else largest(element)
        return True if kind == "and" and element == "i1" else self._START[kind]

    def reduce(self, x, dims, kind, keep=False):
        """Reduces over dims by `add`, `multiply`, `maximum`, `minimum`, `and` or `or`; `keep` keeps them with extent 1."""
        dims = sorted(dims)
        kept = [n for i, n in enumerate(x.shape) if i not in dims]
        found = x
        if dims:
            start = self.constant(self.start_of(kind, x.element), (), x.element)
            body = self.region([((), x.element)] * 2, lambda a, b: [self.binary(kind, a, b)])
            found = self.op("stablehlo.reduce", [x, start], kept, x.element, {"dimensions": integers(dims)}, [body])
        return self.reshape(found, [1 if i in dims else n for i, n in enumerate(x.shape)]) if keep else found

    def reduce_window(self, x, kind, window, strides, padding, dilation=None):
        """Reduces over windows. padding: (low, high) for each dim."""
        dilation = list(dilation or [1] * x.rank)
        shape = [(n + a + b - (d * (w - 1) + 1)) // s + 1 for n, w, s, (a, b), d in zip(x.shape, window, strides, padding, dilation)]
        start = self.constant(self.start_of(kind, x.element), (), x.element)
        body = self.region([((), x.element)] * 2, lambda a, b: [self.binary(kind, a, b)])
        return self.op("stablehlo.reduce_window", [x, start], shape, x.element, {
            "window_dimensions": integers(window), "window_strides": integers(strides), "window_dilations": integers(dilation),
            "base_dilations": integers([1] * x.rank), "padding": pairs(padding)}, [body])

    # ------------------------------------------------------------ products

    def dot_general(self, x, y, batch=((), ()), contract=((), ())):
        """Returns the product whose dims are the batch dims, then the free ones of x and of y."""
        (xb, yb), (xc, yc) = batch, contract
        shape = [x.shape[i] for i in xb] + [n for i, n in enumerate(x.shape) if i not in (*xb, *xc)]
        shape += [n for i, n in enumerate(y.shape) if i not in (*yb, *yc)]
        dims = (f"#stablehlo.dot<lhs_batching_dimensions = {list(xb)}, rhs_batching_dimensions = {list(yb)}, "
                f"lhs_contracting_dimensions = {list(xc)}, rhs_contracting_dimensions = {list(yc)}>")
        return self.op("stablehlo.dot_general", [x, y], shape, x.element, {"dot_dimension_numbers": dims})

    # ------------------------------------------------------------ indices

    def gather(self, x, indices, *, offset, collapsed, index_map, sizes, batch=(), index_batch=()):
        """As stablehlo.gather, the last dim of `indices` being the index."""
        lead = [n for n in indices.shape[:-1]]
        window = [s for i, s in enumerate(sizes) if i not in collapsed and i not in batch]
        shape, lead, window = [], iter(lead), iter(window)
        for i in range(indices.rank - 1 + len(offset)):
            shape.append(next(window) if i in offset else next(lead))
        more = f"operand_batching_dims = {list(batch)}, start_indices_batching_dims = {list(index_batch)}, " if batch else ""
        numbers = (f"#stablehlo.gather<offset_dims = {list(offset)}, collapsed_slice_dims = {list(collapsed)}, {more}"
                   f"start_index_map = {list(index_map)}, index_vector_dim = {indices.rank - 1}>")
        return self.op("stablehlo.gather", [x, indices], shape, x.element, {
            "dimension_numbers": numbers, "indices_are_sorted": "false", "slice_sizes": integers(sizes)})

    def scatter(self, x, indices, updates, kind, *, window, inserted, index_map, batch=(), index_batch=()):
        """As stablehlo.scatter; `kind` is `add`, `multiply`, `maximum`, `minimum` or None, which sets."""
        more = f"input_batching_dims = {list(batch)}, scatter_indices_batching_dims = {list(index_batch)}, " if batch else ""
        numbers = (f"#stablehlo.scatter<update_window_dims = {list(window)}, inserted_window_dims = {list(inserted)}, {more}"
                   f"scatter_dims_to_operand_dims = {list(index_map)}, index_vector_dim = {indices.rank - 1}>")
        body = self.region([((), x.element)] * 2, lambda a, b: [self.binary(kind, a, b) if kind else b])
        return self.op("stablehlo.scatter", [x, indices, updates], x.shape, x.element, {
            "indices_are_sorted": "false", "scatter_dimension_numbers": numbers, "unique_indices": "false"}, [body])

    # ------------------------------------------------------------ marks

    def stop_gradient(self, x):
        return self.op("stablehlo.custom_call", [x], x.shape, x.element, {"call_target_name": '"zcc.stop_gradient"'})


def pairs(values):
    """Returns an attribute of pairs of integers."""
    values = list(values)
    inner = ", ".join(f"[{a}, {b}]" for a, b in values)
    return f"dense<[{inner}]> : tensor<{len(values)}x2xi64>" if values else "dense<> : tensor<0x2xi64>"


def _nested(array):
    if array.ndim == 0:
        return "true" if array else "false"
    return "[" + ", ".join(_nested(a) for a in array) + "]"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a graph of torch.fx, whose ops are ATen overloads, as a function of StableHLO."""
import operator
import os
import re

import torch

from .._errors import Error
from . import fold, ops
from .ops import complex_numbers
from .recording import CHECKPOINT
from .text import ELEMENTS, Builder, Value, is_float


class Spec:
    """The shape of a tensor, and the type of its elements in a text, as torch has them."""

    __slots__ = ("shape", "element")

    def __init__(self, shape, element):
        self.shape, self.element = tuple(shape), element

    def __eq__(self, other):
        return self.shape == other.shape and self.element == other.element

    def __repr__(self):
        return f"{self.element}[{','.join(map(str, self.shape))}]"


def element_of(dtype, what="a tensor"):
    """Returns the type of elements in a text of a torch.dtype."""
    name = str(dtype).removeprefix("torch.")
    if dtype in _COMPLEX:
        return _COMPLEX[dtype]
    if name not in ELEMENTS:
        raise Error(f"{what} has elements of the type {name}, expected one of {', '.join(ELEMENTS)}")
    return ELEMENTS[name]


_DTYPES = {e: getattr(torch, n) for n, e in ELEMENTS.items()}
_COMPLEX = {torch.complex64: "c64", torch.complex128: "c128"}  # of two elements: ops/complex_numbers.py


def spec_of(value, what):
    """Returns the Spec of a fake tensor, or of each in a tuple; None for what is no tensor."""
    if isinstance(value, torch.Tensor):
        shape = []
        for extent in value.shape:
            if not isinstance(extent, int):
                raise Error(f"{what} has a shape that is known only when it runs, {tuple(value.shape)}: zcc needs every shape when it "
                            "compiles. Pad to a fixed size, or mask instead of selecting")
            shape.append(extent)
        return Spec(shape, element_of(value.dtype, what))
    if isinstance(value, (tuple, list)):
        return tuple(spec_of(v, what) for v in value)
    return None


class Lowering(Builder):
    """A Builder that lowers nodes of a graph. `out` is the Spec of the node's result, or a tuple of them."""

    def __init__(self, module, name, *, key=None, public=False, places=None):
        super().__init__(module, name, public)
        self.key, self.places, self.out, self.path = key, places, None, ""
        self.rules, self._draws = [], {}

    @property
    def draws(self):
        """True if an op has drawn random numbers."""
        return bool(self._draws)

    # ------------------------------------------------------------ types, as torch has them

    def dtype(self, element):
        return _DTYPES[element]

    def _described(self, x):
        return torch.empty(x.shape, dtype=_DTYPES[x.element], device="meta") if isinstance(x, Value) else x

    def common(self, *xs):
        """Returns the type to which torch promotes operands: Values and numbers."""
        found = self._described(xs[0])
        kind = torch.result_type(found, self._described(xs[1])) if len(xs) > 1 else getattr(found, "dtype", None)
        for x in xs[2:]:
            kind = torch.promote_types(kind, torch.result_type(self._described(x), self._described(x)))
        return element_of(kind)

    def value(self, x, shape=None, element=None):
        """Returns a Value or a number as a Value of a type and a shape to which it is broadcast."""
        if not isinstance(x, Value):
            element = element or ("i1" if isinstance(x, bool) else "i64" if isinstance(x, int) else element_of(torch.get_default_dtype()))
            return self.constant(x, shape or (), element)
        x = self.convert(x, element or x.element)
        return x if shape is None else self.broadcast(x, shape)

    def operands(self, *xs, shape=None, element=None):
        """Returns operands in one shape and type: by default those to which torch broadcasts and promotes them."""
        element = element or self.common(*xs)
        shape = torch.broadcast_shapes(*(x.shape for x in xs if isinstance(x, Value))) if shape is None else shape
        return [self.value(x, shape, element) for x in xs]

    def as_float(self, x):
        """Returns x in the type in which torch computes a function of it: its own, or the default type for integers."""
        return x if is_float(x.element) else self.convert(x, element_of(torch.get_default_dtype()))

    def wide(self, x):
        """Returns x in the type in which torch accumulates: 16-bit floats in f32."""
        return self.convert(x, "f32") if x.element in ("bf16", "f16") else x

    # ------------------------------------------------------------ nodes

    def lower_node(self, node, environment):
        """Lowers a node of kind call_function; returns its Value or Values."""
        args = _map(node.args, environment)
        kwargs = {k: _map(v, environment) for k, v in node.kwargs.items()}
        if node.target is operator.getitem:
            return args[0][args[1]]
        if self.places is not None:
            self.here, self.path = self.places.of(node)
        name = str(node.target)
        self.used = {u.args[1] for u in node.users if u.target is operator.getitem}  # which of several results are read
        if node.target is torch.ops.aten._local_scalar_dense.default:
            raise Error(f"a number is read out of a tensor{self._where(node)} (item(), tolist(), float()), whose value is known only when it runs: "
                        "keep it a tensor", place_of(node))
        try:
            self.out = spec_of(node.meta.get("val"), f"a result of {name}{self._where(node)}")
        except Error as error:
            raise Error(str(error), place_of(node)) from None
        lowering, kind = ops.TABLE.get(name), ""
        if complex_numbers.is_concerned(self, args, kwargs):
            lowering, kind = complex_numbers.find(name), " for complex numbers"
        if lowering is None:
            raise Error(f"the op {name} has no lowering yet{kind}{self._where(node)}; docs/pytorch.md says how to add one", place_of(node))
        try:
            found = lowering(self, *args, **kwargs)
        except Error:
            raise
        except NotImplementedError as error:
            raise Error(f"{name}{self._where(node)}: not yet: {error}", place_of(node)) from None
        except Exception as error:
            raise Error(f"{name}{self._where(node)} could not be lowered: {type(error).__name__}: {error}", place_of(node)) from error
        return self._checked(found, self.out, name, node)

    def _checked(self, found, wanted, name, node):
        """Compares the shape and type of a result with torch's. An unused result of several may be None."""
        if isinstance(wanted, tuple):
            if not isinstance(found, (tuple, list)) or len(found) != len(wanted):
                raise Error(f"the lowering of {name} returns {found}, expected {wanted}", place_of(node))
            used = {u.args[1] for u in node.users if u.target is operator.getitem}
            return tuple(self._checked(f, w, name, node) if f is not None or i in used else None
                         for i, (f, w) in enumerate(zip(found, wanted)))
        if wanted is None:
            return found
        if not isinstance(found, (Value, complex_numbers.Complex)) or Spec(found.shape, found.element) != wanted:
            raise Error(f"the lowering of {name}{self._where(node)} returns {found}, expected {wanted}", place_of(node))
        return found

    def _where(self, node):
        path = module_of(node)
        return f" in the module '{path}'" if path else ""

    def draw(self):
        """Returns a number for a random op, which no other of the function has: it follows from the path of its module."""
        import zlib

        at = self._draws[self.path] = self._draws.get(self.path, -1) + 1
        return zlib.crc32(f"{self.path}:{at}".encode())

    def lower_graph(self, graph, environment, constants, given=None):
        """Lowers all nodes of a graph; `environment` has the Values of its placeholders. Returns those of its output.

        given: tensors of placeholders that are constants.
        """
        known, live = fold.known_values(graph, given or {}), _live(graph)
        for node in graph.nodes:
            if node.op == "call_function" and node not in live:
                continue
            if node in known and node.op == "call_function":
                if any(user not in known for user in node.users):
                    self.here, self.path = self.places.of(node) if self.places is not None else (self.here, self.path)
                    environment[node] = fold.write(self, known[node], element_of(known[node].dtype))
            elif node.op == "call_function":
                environment[node] = self.lower_node(node, environment)
            elif node.op == "get_attr":
                environment[node] = constants(node)
            elif node.op == "output":
                return _map(node.args[0], environment)
        return ()


def _live(graph):
    """Returns the nodes that the results read. Checks of values (torch._assert_async, torch._check) are not among them."""
    found = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or node in found:
            found.update(node.all_input_nodes)
    return found


def _map(value, environment):
    if isinstance(value, torch.fx.Node):
        return environment[value]
    if isinstance(value, (list, tuple)):
        return type(value)(_map(v, environment) for v in value) if type(value) in (list, tuple) else [_map(v, environment) for v in value]
    if isinstance(value, dict):
        return {k: _map(v, environment) for k, v in value.items()}
    return value


# ---------------------------------------------------------------- where an op comes from

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


def frames_of(node):
    """Returns the (file, line)s of the Python calls that led to a node, the innermost last: those that the module's forward pass
    made, and of these only those outside of torch, unless there are no others."""
    frames = [(file, int(line)) for file, line in _FRAME.findall(node.meta.get("stack_trace") or "")]
    own = [i for i, (file, _) in enumerate(frames) if file.startswith(_HERE)]
    frames = [f for f in (frames[own[-1] + 1:] if own else frames) if not f[0].startswith("<")]  # a region is code that torch made
    return [f for f in frames if not f[0].startswith(_TORCH)] or frames


def module_of(node):
    """Returns the path of the module whose forward pass has the node, as in named_modules()."""
    stack = node.meta.get("nn_module_stack")
    if not stack:
        return ""
    path = list(stack.values())[-1][0]
    return path.removeprefix("L['self'].").removeprefix("module").lstrip(".")


def _region_of(node):
    """Returns the number of the node's region under torch.utils.checkpoint, or None."""
    return (node.meta.get("custom") or {}).get(CHECKPOINT)


def _moves(node):
    """Returns True for an overload that moves elements, or creates them, and computes nothing."""
    lowering = ops.TABLE.get(str(node.target))
    return lowering is not None and lowering.__module__.endswith(".movement")


def checkpointed(graph):
    """Returns globs of the paths whose ops are under torch.utils.checkpoint, and the nodes that such regions return.

    A path is named if all its ops are in such regions. The results of a region are kept, and have names of their own.
    """
    regions, free, returned = {}, set(), set()
    for node in graph.nodes:
        if node.op != "call_function" or node.target is operator.getitem or node.meta.get("val") is None:
            continue
        number = _region_of(node)
        if number is None:
            free.add(module_of(node))
            continue
        users = [v for u in node.users for v in (u.users if u.target is operator.getitem else [u])]
        if any(u.op == "output" or _region_of(u) != number for u in users):
            returned.add(node)
        elif not _moves(node):  # what only moves elements may be gone when values are decided on
            regions.setdefault(number, set()).add(module_of(node))
    globs = []
    for paths in regions.values():
        whole = ".".join(os.path.commonprefix([p.split(".") for p in paths]))
        if whole and not any(p == whole or p.startswith(whole + ".") for p in free):
            globs += [whole] * (whole in paths) + [whole + ".*"] * any(p != whole for p in paths)
        else:
            globs += sorted(p for p in paths if p and p not in free)
    return list(dict.fromkeys(globs)), returned


def place_of(node):
    """Returns FILE:LINE of the innermost frame, the user's if there is one, or None."""
    frames = frames_of(node)
    users = [f for f in frames if "site-packages" not in f[0] and "dist-packages" not in f[0]]
    return "{}:{}".format(*(users or frames)[-1]) if frames else None


class Places:
    """The locations of a graph's nodes: the module's path around the stack of Python calls.

    returned: nodes that regions under torch.utils.checkpoint return, which are named after the path.
    """

    def __init__(self, module, returned=()):
        self._module, self._returned = module, returned

    def of(self, node):
        """Returns a location as it follows an op, and the path of the module."""
        path, frames = module_of(node), frames_of(node)
        name = self._name(path + " output" if node in self._returned else path)
        if not frames:
            return (f"loc({name})" if path else "loc(unknown)"), path
        made = None
        for file, line in frames:  # the outermost first
            here = self._module.location(f'"{_quoted(file)}":{line}:0')
            made = here if made is None else self._module.location(f"callsite({here} at {made})")
        return f"loc({self._module.location(f'{name}({made})')})" if path else f"loc({made})", path

    def _name(self, path):
        return f'"module:{_quoted(path)}"'


def _quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')

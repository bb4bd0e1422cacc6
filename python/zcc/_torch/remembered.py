# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that a forward pass changes and that its next call reads: a counter, or the hidden state of the batch before.

A step is compiled from one call, so it would read in each step what was there before the first. Which attributes change is seen while a
module is traced. It is traced once more with what they were changed to, and where something still changes, with numbers that are far
larger. If all that gives the same graph, no call reads them, and they are left alone. Otherwise they are refused.
"""
import collections
import contextlib
import functools
import operator
import types

import torch
from torch._subclasses import FakeTensor
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from .._arrays import has_values
from .._errors import Error
from .places import place_of_owner
from .selections.masks import is_written

_OWN = {*vars(torch.nn.Module()), "training"}
_OF_LIBRARIES = {"_output_capturing_hooks_installed"}  # by which transformers knows whether it hooked its layers
_ROOTS = ("torch", "numpy", "builtins", "typing", "abc", "enum", "collections", "random")  # packages whose objects and classes keep nothing of a model
_NUMBERS = (bool, int, float)
_FAR = 10 ** 6  # beyond the numbers of steps after which modules do something else, such as warming up
_ELEMENTS = 1000  # the most elements of a list or a dictionary that are looked at


def _kept(value):
    """Returns a value as it is now: a copy of a list or a dictionary, and others themselves."""
    if isinstance(value, (list, tuple, collections.deque)) and len(value) <= _ELEMENTS:
        return [_kept(v) for v in value]
    if isinstance(value, dict) and len(value) <= _ELEMENTS:
        return {k: _kept(v) for k, v in value.items()}
    return value


def _is_same(a, b):
    """Returns True if two kept values are the same numbers, texts and objects."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(_is_same(a[k], b[k]) for k in a)
    return a is b or type(a) is type(b) and isinstance(a, (*_NUMBERS, str)) and (a == b or a != a and b != b)


def _is_object(value):
    """Returns True for an object of a class that a program or a library of models wrote, such as a schedule."""
    others = torch.nn.Module, torch.Tensor, type, types.ModuleType, types.FunctionType, types.MethodType, functools.partial
    return hasattr(value, "__dict__") and not isinstance(value, others) and type(value).__module__.partition(".")[0] not in _ROOTS


def _owners(module):
    """Returns what has attributes, by a name of it: (path of a module, the module, an object that is its attribute, or its class)."""
    found, seen = {}, set()
    for path, child in module.named_modules():
        if type(child).__module__.startswith("torch.nn.modules."):
            continue
        found[path] = path, child
        classes = [(c.__name__, c) for c in type(child).__mro__ if c.__module__.partition(".")[0] not in _ROOTS]
        objects = [(name, value) for name, value in vars(child).items() if name not in _OWN and _is_object(value)]
        for name, owner in classes + objects:
            if id(owner) not in seen:
                seen.add(id(owner))
                found[f"{path}.{name}".lstrip(".")] = path, owner
    return found


def attributes_of(module):
    """Returns the attributes of a module and of all modules in it, by their owner and name: without parameters, buffers, modules and layers of torch,
    and of classes numbers alone."""
    return {(label, name): _kept(value) for label, (_, owner) in _owners(module).items() for name, value in vars(owner).items()
            if name not in _OWN | _OF_LIBRARIES and (not isinstance(owner, type) or isinstance(value, _NUMBERS) and not name.startswith("__"))}


def changed_since(before, module, buffers):
    """Returns the attributes that are not what they were when a trace began. Tensors that follow from constants have their values.

    buffers: values by the name of a buffer. Those that the forward pass does not change are constants, too.
    """
    known = lambda x: x if not isinstance(x, FakeTensor) or (value := _value_of(x, module, buffers)) is None else value
    return {key: torch.utils._pytree.tree_map(known, value) for key, value in attributes_of(module).items() if key not in before or not _is_same(before[key], value)}


def _of_next_call(old, value):
    """Returns a value that was kept in a trace as the next call would have it, with the types of what was there before.

    Tensors whose values are not known are filled with a number that is unlikely to be there before.
    """
    if isinstance(value, list):
        items = [_of_next_call(None, v) for v in value]
        return type(old)(items) if isinstance(old, (list, collections.deque)) or type(old) is tuple else items
    if isinstance(value, dict):
        return type(old)({k: _of_next_call(None, v) for k, v in value.items()}) if type(old) in (dict, collections.OrderedDict) else \
            {k: _of_next_call(None, v) for k, v in value.items()}
    if isinstance(value, FakeTensor):
        return torch.full([n if isinstance(n, int) else 1 for n in value.shape], 7, device=value.device).to(value.dtype)
    return value


@contextlib.contextmanager
def _with(module, values):
    """Sets attributes of a module for a while."""
    owners = _owners(module)
    owners = [(owners[label][1], name, value) for (label, name), value in values.items()]
    before = [(own, name, vars(own).get(name, _OWN)) for own, name, _ in owners]

    def put(own, name, value):
        if isinstance(own, type):
            setattr(own, name, value)
        else:
            vars(own)[name] = value
    try:
        for own, name, value in owners:
            put(own, name, _of_next_call(vars(own).get(name), value))
        yield
    finally:
        for own, name, value in before:
            if value is _OWN:
                vars(own).pop(name, None)
            else:
                put(own, name, value)


def _evaluated(node, values, constant):
    """Returns what a node is, a tensor or a number, or None if that does not follow from constants. values: of nodes that are known.

    constant: returns the value of a placeholder or an attribute, or None.
    """
    todo = [node]
    while todo:
        at = todo[-1]
        missing = [n for n in at.all_input_nodes if n not in values] if at not in values else []
        if missing:
            todo += missing
            continue
        todo.pop()
        if at not in values:
            values[at] = _run(at, values) if at.op == "call_function" else constant(at)
    return values[node]


def _run(node, values):
    known = isinstance(node.target, torch._ops.OpOverload) and not node.target._schema.is_mutable and torch.Tag.nondeterministic_seeded not in node.target.tags
    if not known and node.target is not operator.getitem or any(values[n] is None for n in node.all_input_nodes) or is_written(node):
        return None
    given = {k: "cpu" if k == "device" and v is not None else torch.fx.node.map_arg(v, values.__getitem__) for k, v in node.kwargs.items()}
    try:
        return node.target(*torch.fx.node.map_arg(node.args, values.__getitem__), **given)
    except Exception:  # what cannot be computed is not known
        return None


def _value_of(tensor, module, buffers):
    """Returns the value of a tensor of the trace that is going on, or None if it does not follow from constants."""
    mode = get_proxy_mode()
    found = mode.tracer.tensor_tracker.get(tensor) if mode is not None else None
    if found is None:
        return None

    nodes = [(name, mode.tracer.tensor_tracker.get(own)) for name, own in module.named_buffers()]
    values = {own.proxy.node: buffers[name] for name, own in nodes if own is not None and name in buffers and not is_written(own.proxy.node)}

    def constant(node):
        if node in values:
            return values[node]
        value = getattr(mode.tracer.root, node.target, None) if node.op == "get_attr" else None
        return value if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor) else None
    with torch._C.DisableTorchFunction(), torch.utils._python_dispatch._disable_current_modes(), torch.no_grad():
        value = _evaluated(found.proxy.node, {}, constant)
        return None if value is None else value.detach().clone()


def _same(program, other):
    """Returns True if two programs compute the same of their arguments, whatever they compute of constants alone."""
    found = []
    for p in (program, other):
        changed = p.graph_signature.buffers_to_mutate.values()
        names = {spec.arg.name: p.constants.get(spec.target, p.state_dict.get(spec.target)) for spec in p.graph_signature.input_specs
                 if spec.kind.name == "CONSTANT_TENSOR" or spec.kind.name == "BUFFER" and spec.target not in changed}
        values, numbers, lines = {}, {}, []
        constant = lambda node, names=names: names.get(node.name) if node.op == "placeholder" else None

        def line(x, values=values, numbers=numbers, constant=constant):
            if not isinstance(x, torch.fx.Node):
                return x
            value = _evaluated(x, values, constant)
            return ("n", numbers[x]) if value is None else value
        with torch.no_grad():
            for node in p.graph.nodes:
                if node.op == "placeholder" and node.name in names or node.op == "get_attr" or not node.users and node.op == "call_function":
                    continue
                if node.op in ("placeholder", "output") or _evaluated(node, values, constant) is None:
                    numbers[node] = len(lines)
                    name = node.op if node.op != "call_function" else node.target
                    lines.append((name, torch.utils._pytree.tree_leaves(torch.fx.node.map_arg((node.args, node.kwargs), line))))
        parts = [str(m.graph) for m in p.graph_module.modules() if isinstance(m, torch.fx.GraphModule)][1:]
        found.append((lines, parts))
    (lines, parts), (others, other_parts) = found
    return parts == other_parts and len(lines) == len(others) and all(
        a[0] == b[0] and len(a[1]) == len(b[1]) and all(map(_is_equal, a[1], b[1])) for a, b in zip(lines, others))


def _is_equal(a, b):
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype == b.dtype and torch.equal(a, b)
    return type(a) is type(b) and (a == b or a != a and b != b)


def refuse_what_is_read(module, changed, program, trace):
    """Refuses attributes that a call changed if the next call reads them. A module without values, which is planned alone, may do so.

    changed: those attributes. program: of that call. trace: returns the program of another call, and what that changed.
    """
    if not all(has_values(x) for x in (*module.parameters(), *module.buffers())):
        return
    for _ in range(2):
        if not changed:
            return
        with _with(module, changed):
            try:
                other, again = trace()
                same = _same(program, other)
            except Exception:  # the trace of such a call is another one
                same = False
        if not same:
            break
        changed = {key: value + _FAR for key, value in again.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
    else:
        return
    label, name = next((k for k, v in changed.items() if isinstance(v, _NUMBERS)), next(iter(changed)))
    raise Error(f"the forward pass changes the attribute '{label + '.' if label else ''}{name}', which its next call reads: each step would read what was there "
                "before the first; expected a buffer (register_buffer), which a step changes and carries along, or an entry of the batch",
                place_of_owner(module, _owners(module)[label][0]))

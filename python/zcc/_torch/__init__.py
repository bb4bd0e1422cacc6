# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch module as a text that zcc reads.

Parameters have their names in state_dict(); of a tied one, the first. Buffers that the forward pass changes are variables
(zcc.state). Persistent ones of floating point that it only reads are parameters that are not trained, so that checkpoints
have them and every mesh takes them; all are the step's `state`. Other buffers are constants.
"""
import contextlib
import dataclasses

import numpy as np
import torch

from .._arrays import Spec, has_values, numpy_of, other_kind, spec_of
from .._errors import Error, refuse
from .._traced import Traced
from .._trees import Tree, flatten
from . import checks, ops, recording, untrained
from .export import export
from .lowering import Lowering, Places, checkpointed, element_of
from .places import place_of, place_of_owner
from .text import ELEMENTS, Module

__all__ = ["trace"]


class Arguments:
    """The parameters, variables and batch of a module. `constants`: entries of the batch that are no arrays, by name."""

    def __init__(self, module, batch):
        self.module = module
        parameters = dict(module.named_parameters())
        self.params = _tree(parameters)
        self.batch, self.constants = _split_batch(batch)
        self.state, self.state_names, self.key = None, [], False

    def take_state(self, buffers):
        """Takes the buffers that the step gives as its state, whether the forward pass changes them or not."""
        self.state = _tree(buffers)
        self.state_names = list(self.state.names)

    def examples(self):
        """Returns tensors that show the batch's types and shapes, on the device of the module."""
        first = next(iter(self.params.leaves), None)
        device = first.device if first is not None else "cpu"
        found = []
        for name, leaf in zip(self.batch.names, self.batch.leaves):
            spec = spec_of(leaf, name)
            if spec.type not in ELEMENTS:
                refuse(f"batch: '{name}' is {spec}, whose type torch lacks")
            found.append(torch.empty(spec.shape, dtype=getattr(torch, spec.type), device=device))
        return found


def _tree(named):
    names = list(named)
    return Tree(names, list(named.values()), lambda leaves: dict(zip(names, leaves)))


def _split_batch(batch):
    """Returns the Tree of the arrays of a batch, and its other entries by name."""
    if not isinstance(batch, dict) and not hasattr(batch, "keys"):
        refuse(f"batch: a module takes its entries by keyword: expected a dictionary, found {type(batch).__name__}")
    batch = {k: batch[k] for k in batch.keys()}
    constants = {k: v for k, v in batch.items() if v is None or isinstance(v, (bool, str, int, float))}
    arrays = {k: v for k, v in batch.items() if k not in constants}
    return flatten(arrays, "batch"), constants


def arrays_of(batch, constants):
    """Returns the arrays of a batch by name. Refuses another value of an entry that was a constant when the module was compiled."""
    tree, found = _split_batch(batch)
    for name, value in found.items():
        if name not in constants or constants[name] != value:
            refuse(f"batch: '{name}' is {value!r}, expected {constants.get(name, 'an array')!r}, as zcc.compile() was shown")
    if missing := [n for n in constants if n not in found]:
        refuse(f"batch: missing: {', '.join(missing)}")
    return dict(zip(tree.names, tree.leaves))


@contextlib.contextmanager
def _mode(module, training):
    """Puts a module and all modules in it into training or evaluation mode for a while."""
    before = {m: m.training for m in module.modules()}
    try:
        if not training:
            module.eval()
        yield
    finally:
        for m, was in before.items():
            m.training = was


def _fields(outputs):
    """Returns the named tensors of what a module returned: of a dictionary, an object with fields, a tuple or a tensor."""
    if isinstance(outputs, torch.Tensor):
        return {"output": outputs}
    if hasattr(outputs, "items"):
        items = list(outputs.items())
    elif dataclasses.is_dataclass(outputs):
        items = [(f.name, getattr(outputs, f.name)) for f in dataclasses.fields(outputs)]
    elif isinstance(outputs, (tuple, list)):
        fields = getattr(outputs, "_fields", range(len(outputs)))
        items = [(str(k), v) for k, v in zip(fields, outputs)]
    else:
        items = list(vars(outputs).items()) if hasattr(outputs, "__dict__") else []
    found = {}
    for name, value in items:
        if isinstance(value, torch.Tensor):
            found[name] = value
        elif isinstance(value, (tuple, list)) and value and all(isinstance(v, torch.Tensor) for v in value):
            found.update({f"{name}.{i}": v for i, v in enumerate(value)})
    return found


def _loss_of(outputs, batch, loss, what):
    """Returns the loss tensor of what a module returned."""
    if loss is not None:
        found = loss(outputs, batch)
    elif isinstance(outputs, torch.Tensor):
        found = outputs
    elif hasattr(outputs, "get"):
        found = outputs.get("loss")
    else:
        found = getattr(outputs, "loss", None)
    if not isinstance(found, torch.Tensor) or found.ndim or not found.dtype.is_floating_point:
        described = (f"{str(found.dtype).removeprefix('torch.')}{list(found.shape)}" if isinstance(found, torch.Tensor) else type(outputs).__name__)
        raise Error(f"{what} must return a float scalar, or an object or dictionary with `loss`, got {described}; "
                    "loss=lambda outputs, batch: ... makes one of its outputs")
    return found


class Form:
    """Calls a module's function while it is traced, and remembers the form of its results."""

    def __init__(self, arguments, call):
        self.arguments, self.call, self.names, self.alone = arguments, call, [], False

    def __call__(self, module, leaves):
        batch = self.arguments.batch.rebuild(leaves)
        found = self.call(module, {**batch, **self.arguments.constants})
        self.alone = isinstance(found, torch.Tensor)
        if self.alone:
            found = {"output" if found.ndim or not found.dtype.is_floating_point else "loss": found}
        kept = {n: x for n, x in found.items() if not checks.is_selected(x)}
        if found and not kept:
            raise Error("the module returns nothing but elements that a mask of data selects, whose number is known only when the step runs: "
                        "torch.where(mask, x, 0) keeps the shape that x has")
        found = kept
        self.names = list(found)
        return list(found.values())


def trace(module, batch, *, loss=None, function=None, trains, trained=None):
    """Returns the Traced of a module's loss if `trains`, else of `function(module, batch)`, by default the module's outputs.

    trained: the Traced of the same module in training, whose variables it shares.
    """
    name = type(module).__name__
    _refuse_other_kinds(module)
    arguments = Arguments(module, batch)
    what = f"'{name}'"
    if trains:
        call = lambda m, b: {"loss": _loss_of(m(**b), b, loss, what)}
    elif function is not None:
        call = function_of(function)
    else:
        call = lambda m, b: _evaluated(m(**b), b, loss, what)
    if trains:
        recording.refuse_hooks(module)
    form = Form(arguments, call)
    with _mode(module, trains):
        exported = export(module, form, arguments.examples(), f"the module '{name}'", trains)
    if trains:
        untrained.refuse_constants(module, exported, torch.ops.zcc.stop_gradient.default)
    return _write(module, arguments, exported, form, trains, trained)


def _refuse_other_kinds(module):
    """Refuses parameters and buffers that are no dense tensors, at the class of the innermost module outside of torch that has them."""
    for path, child in module.named_modules():
        for what, named in ("parameter", child.named_parameters(recurse=False)), ("buffer", child.named_buffers(recurse=False)):
            for name, tensor in named:
                if (found := other_kind(tensor)) is not None:
                    raise Error(f"the {what} '{path + '.' if path else ''}{name}': expected a dense tensor, found {found[0]}; {found[1]}", place_of_owner(module, path))


def function_of(function):
    """Returns a function of (module, batch) whose result is one tensor, or named tensors."""
    def call(module, batch):
        found = function(module, batch)
        return found if isinstance(found, torch.Tensor) else _fields(found)
    return call


def _evaluated(outputs, batch, loss, what):
    """Returns the outputs of a module in evaluation mode, its loss first where it has one."""
    found = _fields(outputs)
    if loss is not None:
        found = {"loss": _loss_of(outputs, batch, loss, what), **{k: v for k, v in found.items() if k != "loss"}}
    if isinstance(outputs, torch.Tensor) and loss is None:
        return outputs
    return dict(sorted(found.items(), key=lambda item: item[0] != "loss"))


# ---------------------------------------------------------------- the text

def _attribute(key, value):
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key} = "{quoted}"'


def _write(module, arguments, exported, form, trains, trained):
    """Writes the graph as a text, with names of arguments and results."""
    ops.load()
    text = Module(Lowering)
    recomputed, returned = checkpointed(exported.graph) if trains else ([], ())
    main = Lowering(text, "main", public=True, places=Places(text, returned))
    canonical = _canonical(module)
    buffers = dict(module.named_buffers())
    persistent = set(module.state_dict(keep_vars=True))
    changed = set(exported.mutated) if trained is None else set(trained.variables)
    state = {n: b for n, b in buffers.items() if n in changed or n in persistent and b.dtype.is_floating_point}
    if state:
        arguments.take_state(state)
    variables = [n for n in state if n in changed]
    params, inputs = dict(zip(arguments.params.names, arguments.params.leaves)), dict(zip(arguments.batch.names, arguments.batch.leaves))
    named, specs = {}, {}
    for n, leaf in params.items():
        named["parameter", n] = _argument(main, leaf, f"parameter '{n}'", _attribute("zcc.parameter", n), n)
        specs[n] = spec_of(leaf, n)
    for n, leaf in state.items():
        kind = "zcc.state" if n in changed else "zcc.parameter"
        named["buffer", n] = _argument(main, leaf, f"buffer '{n}'", _attribute(kind, n), n)
        specs[n] = spec_of(leaf, n)
    for i, (n, leaf) in enumerate(inputs.items()):
        named["input", i] = _argument(main, leaf, f"batch: '{n}'", _attribute("zcc.input", n), n)
    main.key = main.argument((2,), "ui32", 'zcc.input = "key", zcc.key = true')

    environment, count, read, given = {}, 0, set(), {}
    for node, kind, n in exported.inputs:
        if kind == "input":
            environment[node] = named["input", count]
            count += 1
            continue
        n = canonical.get(n, n)
        if (kind, n) in named:
            environment[node] = named[kind, n]
            if node.users:
                read.add(n)
        elif node.users:
            environment[node] = _constant(main, exported.tensors[n], n)
            if has_values(exported.tensors[n]):
                given[node] = exported.tensors[n].detach().cpu()
    main.rules = exported.rules

    def lookup(node):
        found = getattr(exported.program.graph_module, node.target)
        return found if isinstance(found, torch.nn.Module) else _constant(main, found, node.target)
    main.lower_graph(exported.graph, environment, lookup, given)

    results, attributes = [], []
    for n, node in zip(form.names, exported.outputs):
        value = environment[node] if isinstance(node, torch.fx.Node) else main.constant(node)
        results.append(value)
        attributes.append(_attribute("zcc.result", n))
    if trains:
        for n in variables:
            node = exported.mutated.get(n)
            results.append(named["buffer", n] if node is None else environment[node])
            attributes.append(_attribute("zcc.state", n))
    main.here = "loc(unknown)"
    main.results(results, attributes)
    keyed = main.draws
    if not keyed:
        main.drop_last_argument()
    text.functions["main"] = main.text()
    arguments.key = keyed
    kinds = {e: n for n, e in ELEMENTS.items()}
    shown = dict(zip(form.names, results))
    alone = form.alone

    def rebuild(values):
        return values[next(iter(shown))] if alone else {n: values[n] for n in shown}
    return Traced(text=text.text(), arguments=arguments, keyed=keyed, parameters=specs,
                  inputs={n: spec_of(leaf, n) for n, leaf in inputs.items()},
                  unused=[n for n in arguments.params.names if n not in read and params[n].requires_grad] if trains else [],
                  scalars=[n for n, v in shown.items() if not v.shape],
                  outputs={n: Spec(kinds[v.element], v.shape) for n, v in shown.items() if v.shape}, rebuild=rebuild,
                  place=place_of(module), recomputed=recomputed, variables=variables,
                  frozen=[n for n, p in params.items() if not p.requires_grad] + [n for n in state if n not in changed])


def _canonical(module):
    """Returns the first name of each parameter and buffer that has several."""
    first, found = {}, {}
    for kind in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for n, tensor in kind:
            found[n] = first.setdefault(id(tensor), n)
    return found


def _argument(main, leaf, what, attributes, name):
    spec = spec_of(leaf, name)
    if spec.type not in ELEMENTS:
        real = "; keep it as real numbers (torch.view_as_real), and take torch.view_as_complex of them in forward" if spec.type.startswith("complex") else ""
        raise Error(f"{what} is {spec}: expected one of {', '.join(ELEMENTS)}{real}")
    quoted = name.replace('"', '\\"')
    return main.argument(spec.shape, ELEMENTS[spec.type], attributes, f'"{quoted}"')


def _constant(main, tensor, name):
    """Returns a buffer or a captured tensor as a constant; on the meta device, where it has no values, as zeros."""
    if (found := other_kind(tensor)) is not None:
        raise Error(f"'{name}': expected a dense tensor, found {found[0]}; {found[1]}")
    element = element_of(tensor.dtype, f"'{name}'")
    if tensor.is_complex():
        values = tensor if has_values(tensor) else torch.zeros(tensor.shape, dtype=tensor.dtype)
        return ops.complex_numbers.constant(main, values.detach().cpu().resolve_conj().numpy())
    if not has_values(tensor):
        return main.constant(0, tuple(tensor.shape), element)
    return main.array(np.asarray(numpy_of(tensor), order="C"), element)

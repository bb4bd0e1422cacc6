# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch module as a graph of ATen overloads, with the derivatives that torch.export loses.

torch.export records the forward pass alone, and its decompositions drop whatever only the backward pass would read. So
- a call of an autograd.Function becomes its forward ops and zcc.custom_derivative, whose rule is traced from its backward (recording.py);
- `detach` and the results of `no_grad` regions become zcc.stop_gradient before anything is decomposed (stops.py).
"""
import contextlib
import os
import traceback
import types
import warnings

import torch

from .._arrays import has_values, other_kind
from .._errors import Error, refuse
from . import (chance, checks, ctc, deformable, experts, gradients, graphs, libraries, ops, recording, regions, remembered, stops, strides, switches,
               untrained)

OLDEST = (2, 14)
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def check_version():
    found = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
    if found < OLDEST:
        refuse(f"torch {torch.__version__} is too old: expected {OLDEST[0]}.{OLDEST[1]} or newer; pip install --upgrade torch")


class Exported:
    """A graph, and the roles of its arguments and results.

    program: the program of torch.export, with its graph `graph`. inputs: (placeholder, kind, name) in order; kind is "parameter", "buffer",
    "constant" or "input". outputs: the nodes of results. mutated: nodes of new values by the name of their buffer. tensors: values of constants
    by name. rules: the Rules of autograd.Functions by number. foreign: Parameters that the forward pass reads and that are none of the module's.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)


def _forget_tracing(graph_module):
    """Removes the annotations by which torch says which function of its own traced a node. Those of the first torch.cond of a process
    differ between the trace and its decomposition, which torch then refuses."""
    for module in graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            for key in [k for k in node.meta.get("custom") or {} if k.startswith("_torchdynamo_disable")]:
                del node.meta["custom"][key]


def _decompositions():
    """Returns torch's table without the overloads that have a lowering of their own."""
    table = torch.export.default_decompositions()
    grid_sampler = torch.ops.aten.grid_sampler_2d.default  # torch has one, but not in this table
    table[grid_sampler] = torch._decomp.decomposition_table[grid_sampler]
    table.update({**deformable.decompositions(), **regions.decompositions()})
    for name in {**ops.load(), **ops.complex_numbers.COMPLEX}:
        space, packet, overload = (*name.split("."), "", "")[:3]
        found = getattr(getattr(getattr(torch.ops, space), packet, None), overload, None)
        if found is not None:
            table.pop(found, None)
    return table


# ---------------------------------------------------------------- the module

class Called(torch.nn.Module):
    """A module with a function that calls it on flat arguments and returns flat results."""

    def __init__(self, module, function):
        super().__init__()
        self.module, self.function = module, function
        saved = set(module.state_dict(keep_vars=True))
        # The buffers that are constants of a step; persistent ones of floating point come with checkpoints.
        self.buffer_values = {n: b.detach() for n, b in module.named_buffers() if has_values(b)}
        self.constants = {n: b for n, b in self.buffer_values.items() if not (n in saved and b.is_floating_point())}
        self.read, self.foreign = set(), set()  # sets: torch.export puts lists back
        self.changed = types.SimpleNamespace(attributes={})  # those that the forward pass changed, by path and name

    def forward(self, *leaves):
        own, before = dict(self.module.named_buffers()), remembered.attributes_of(self.module)
        with untrained.no_new_parameters(), switches.seen(), chance.refused(self.module), \
                checks.Answers([(own[n], x, n) for n, x in self.constants.items() if n in own]) as answers:  # within the mode in which torch.export traces
            found = self.function(self.module, leaves)
            self._keep_assigned(own)
        self.changed.attributes = remembered.changed_since(before, self.module, self.buffer_values)
        self.read |= answers.read
        self.foreign |= set(answers.foreign)
        return found

    def _keep_assigned(self, own):
        """Writes what the module assigned to a buffer into the tensor that it had, since torch.export sees changes in place only."""
        now = dict(self.module.named_buffers())
        for name, tensor in own.items():
            new = now.get(name)
            if new is tensor:
                continue
            if new is None or new.shape != tensor.shape or new.dtype != tensor.dtype or checks.is_selected(new):
                found = "nothing" if new is None else "what a mask selects" if checks.is_selected(new) else f"{new.dtype} of {list(new.shape)}"
                raise Error(f"the module assigns its buffer '{name}' a value of another kind: expected {tensor.dtype} of {list(tensor.shape)}, "
                            f"found {found}; a buffer that changes keeps its shape and type")
            tensor.copy_(new.detach())
            path, _, leaf = name.rpartition(".")
            self.module.get_submodule(path)._buffers[leaf] = tensor


@contextlib.contextmanager
def _with_gradients(module):
    """Traces with gradients, though the caller may have them off or be in inference mode. A module that was made there stays in it."""
    made_there = any(x.is_inference() for x in (*module.parameters(), *module.buffers()))
    with contextlib.nullcontext() if made_there else torch.inference_mode(False), torch.enable_grad():
        yield


def _traced(module, function, examples):
    """Returns what torch.export makes, the Called, and the Rules of autograd.Functions."""
    rules = []
    with warnings.catch_warnings(), _with_gradients(module), recording.recording(rules), experts.all_at_once(), graphs.of_fixed_sizes(), \
            ctc.step_by_step(), libraries.without_conversions(), checks.within_functions():
        warnings.simplefilter("ignore")
        examples = tuple(x.clone() if x.is_inference() else x for x in examples)
        called = Called(module, function)
        program = torch.export.export(called, examples, strict=False)
        recording.refuse_stale_views(program.graph_module)
        strides.read_in_order(program.graph_module)
        stops.keep_stops(program.graph_module)
        _forget_tracing(program.graph_module)
        program = program.run_decompositions(_decompositions())
        strides.refuse_others(program.graph_module)
        return program, called, rules


def _traced_as_eager(module, function, examples):
    """Returns the same for the way that libraries take without a trace, or None if there is none or it is refused, too."""
    if libraries.may_be_eager():
        with contextlib.suppress(Exception), libraries.as_eager():
            return _traced(module, function, examples)
    return None


def export(module, function, examples, what, trains=False):
    """Returns the Exported of function(module, examples), which returns a list of tensors. `what` names it in messages.

    trains: whether one call follows another, which reads what that left.
    """
    check_version()
    tracer = _traced
    try:
        program, called, rules = _traced(module, function, examples)
    except Exception as error:
        tracer = _traced_as_eager
        found = _traced_as_eager(module, function, examples)
        if found is None and isinstance(error, Error):
            path, place = _origin(error, module)
            if error.place or not place:
                raise
            raise Error(f"{error}; in the module '{path}'" if path else str(error), place) from error
        if found is None:
            raise _refused(what, error, module) from error
        program, called, rules = found

    def another_call():
        again, other, _ = tracer(module, function, examples)
        return again, other.changed.attributes
    if trains:
        remembered.refuse_what_is_read(module, called.changed.attributes, program, another_call)
    gradients.expand(program.graph_module, rules)
    names = function.arguments.batch.names if hasattr(function, "arguments") else []
    exported = _described(program, rules, names)
    exported.foreign = called.foreign
    if changed := sorted(called.read & set(exported.mutated)):
        refuse(f"{what} asks for the value of its buffer '{changed[0]}', which its forward pass changes: use torch.where or torch.cond, and, to "
               "write at a place that moves, a tensor of places such as (place + torch.arange(n)) % size")
    return exported


_VALUES = ("its control flow or a shape depends on values of tensors: use torch.where or torch.cond, mask instead of selecting, and shapes "
           "that are known")
_HELP = (
    ("GuardOnDataDependent", _VALUES), ("data-dependent", _VALUES), ("DataDependentOutput", _VALUES),
    ("FakeTensorDeviceMismatch", "the module moves a tensor to a device, and zcc places tensors by itself: make new ones on the device of others (x.new_zeros, "
                                 "device=x.device)"),
    ("fake mode", "a tensor was made outside of the module: register it as a buffer"),
    ("item()", "it reads a number out of a tensor by .item(): keep it a tensor"),
    (".numpy()", "a module is read without values: compute by torch what it computes by numpy, or give it as an entry of the batch"),
    ("__format__", "a module is read without values: print none of a tensor, or return it beside the loss"),
)


def _refused(what, error, module):
    """Returns the Error for a module that torch.export refuses: its reason, the module and the line that led to it, and what usually helps."""
    reason = str(error).strip().splitlines() or [type(error).__name__]
    kind = type(error).__name__
    usual = next((text for mark, text in _HELP if mark in kind or mark in str(error)), None)
    path, place = _origin(error, module)
    at = f", in the module '{path}'" if path else ""
    usual = _unusual_tensors(module, kind) or usual
    return Error(f"torch.export refuses {what}{at}: {kind}: {reason[0]}" + (f"; {usual}" if usual else ""), place)


def _unusual_tensors(module, kind):
    """Returns what a module has that is likely to be the reason of an error of a kind: tensors with and without values, or an attribute that torch does
    not trace; or None."""
    attributes = {f"{path}.{n}".lstrip("."): x for path, child in module.named_modules() for n, x in vars(child).items() if isinstance(x, torch.Tensor)}
    for name, tensor in attributes.items():
        found = other_kind(tensor)
        if found is None and type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            found = f"a {type(tensor).__name__}", "register it as a buffer, or keep it as a torch.Tensor (x.as_subclass(torch.Tensor))"
        if found is not None:
            return f"the attribute '{name}' is {found[0]}: expected a dense tensor; {found[1]}"
    named = {**dict(module.named_parameters()), **dict(module.named_buffers()), **attributes}
    without = [n for n, x in named.items() if not has_values(x)]
    if kind == "FakeTensorDeviceMismatchError" and 0 < len(without) < len(named):
        other = next(n for n in named if n not in without)
        return (f"'{without[0]}' is on the device meta, which has no values, and '{other}' on {named[other].device}: expected all tensors of a module on one "
                "of the two; to_empty(device='cpu') gives memory to those on meta")
    return None


def _origin(error, module):
    """Returns the path of the innermost module, and FILE:LINE of the innermost line outside of torch and of this package, that led to an error."""
    paths = {m: n for n, m in module.named_modules()}
    path, place = "", None
    for frame, line in traceback.walk_tb(error.__traceback__):
        own, file = frame.f_locals.get("self"), frame.f_code.co_filename
        if isinstance(own, torch.nn.Module) and paths.get(own):
            path = paths[own]
        if not file.startswith((_TORCH, _HERE, "<")):
            place = f"{file}:{line}"
    return path, place


_KINDS = {"PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant", "USER_INPUT": "input"}


def _described(program, rules, names=()):
    """Returns the Exported of a program. names: those of the batch's entries, for messages."""
    signature = program.graph_signature
    placeholders = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    inputs, tensors = [], {}
    for spec in signature.input_specs:
        kind = _KINDS.get(spec.kind.name)
        if spec.kind.name == "TOKEN":  # by which torch orders checks of values, such as those of linear algebra: they are taken to pass
            continue
        if kind is None:
            raise Error(f"the module takes a {spec.kind.name.lower()}, which zcc does not know")
        name = (spec.target or spec.arg.name).removeprefix("module.")
        if kind == "constant":
            tensors[name] = program.constants[spec.target]
        elif kind == "buffer":
            tensors[name] = program.constants.get(spec.target, program.state_dict.get(spec.target))
        if spec.arg.name in placeholders:
            inputs.append((placeholders[spec.arg.name], kind, name))
    output = next(n for n in program.graph.nodes if n.op == "output")
    outputs, mutated, kept = [], {}, []
    for spec, node in zip(signature.output_specs, output.args[0]):
        if spec.kind.name == "TOKEN":
            continue
        kept.append(node)
        if spec.kind.name == "BUFFER_MUTATION":
            mutated[spec.target.removeprefix("module.")] = node
        elif spec.kind.name == "USER_OUTPUT":
            outputs.append(node)
        elif spec.kind.name == "USER_INPUT_MUTATION":
            number = spec.target.rpartition("_")[2]
            name = names[int(number)] if number.isdigit() and int(number) < len(names) else spec.target
            raise Error(f"the module changes its input '{name}' in place: clone it first")
        elif spec.kind.name == "PARAMETER_MUTATION":
            raise Error(f"the forward pass changes the parameter '{spec.target.removeprefix('module.')}', which the optimizer alone may do: "
                        "compute what it uses from the parameter (torch.nn.utils.parametrize), or make it a buffer")
        else:
            raise Error(f"the module has a result of the kind {spec.kind.name.lower()}, which zcc does not know")
    output.args = (tuple(kept),)
    return Exported(program=program, graph=program.graph, inputs=inputs, outputs=outputs, mutated=mutated, tensors=tensors, rules=rules)

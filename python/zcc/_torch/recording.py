# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records, while torch.export traces a module, what it alone would lose.

These are calls of autograd.Functions, regions under torch.utils.checkpoint, derivatives that the module takes (gradients.py), values assigned to
`.data`, and the places where gradients go on or off. Hooks of the backward pass are refused.
"""
import contextlib

import torch
import torch.fx.traceback
import torch.utils.checkpoint
from torch._export.passes import replace_set_grad_with_hop_pass as gradient_regions
from torch._subclasses import FakeTensor

from .._errors import Error
from . import gradients
from .aliases import region_of, root_of
from .markers import custom_derivative, with_gradient
from .replacing import replaced

# ---------------------------------------------------------------- autograd.Function

class _Context:
    """Stands for the context in which an autograd.Function stores values between its passes."""

    def __init__(self, needs):
        self.needs_input_grad, self.saved_tensors, self._materialize = needs, (), True

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors):
        pass

    def mark_dirty(self, *tensors):
        raise NotImplementedError("an autograd.Function that changes its inputs in place")

    def mark_non_differentiable(self, *tensors):
        pass

    def set_materialize_grads(self, value):
        self._materialize = value

    @property
    def saved_variables(self):
        return self.saved_tensors


class Rule(torch.nn.Module):
    """The backward pass of one call of an autograd.Function: of inputs and cotangents of results to cotangents of inputs."""

    def __init__(self, function, arguments):
        super().__init__()
        self.function, self.arguments = function, arguments
        self.tensors = [i for i, a in enumerate(arguments) if isinstance(a, torch.Tensor)]
        self.floats = [i for i in self.tensors if arguments[i].dtype.is_floating_point]
        self.count, self.results = 0, []  # the number of results, and which are of floating point

    def run_forward(self, arguments):
        """Returns the context and the results of the forward pass."""
        needs = tuple(i in self.floats for i in range(len(arguments)))
        context = _Context(needs)
        forward = getattr(self.function.forward, "of_user", self.function.forward)
        if self.function.setup_context is not torch.autograd.Function.setup_context:
            found = forward(*arguments)
            self.function.setup_context(context, arguments, found)
            return context, found
        return context, forward(context, *arguments)

    def forward(self, *given):
        arguments = list(self.arguments)
        for i, x in zip(self.tensors, given):
            arguments[i] = x
        cotangents = dict(zip(self.results, given[len(self.tensors):]))
        with torch.no_grad():
            context, _ = self.run_forward(tuple(arguments))
            found = self.function.backward(context, *(cotangents.get(i) for i in range(self.count)))
        found = found if isinstance(found, tuple) else (found,)
        return [torch.zeros_like(arguments[i]) if found[i] is None else found[i] for i in self.floats]


def _is_of_torch(function):
    return function.__module__.startswith("torch.")


def _record_functions(rules):
    """Returns what stands for autograd.Function.apply while a module is exported, and for the call of a Function."""
    base = torch.autograd.Function
    own = base.__dict__.get("apply")
    original = own.__func__ if isinstance(own, classmethod) else lambda cls, *a, **k: super(base, cls).apply(*a, **k)

    def apply(cls, *arguments, **keywords):
        if _is_of_torch(cls) or keywords:
            return original(cls, *arguments, **keywords)
        return record(cls, arguments)

    def record(cls, arguments):
        rule = Rule(cls, [a.detach() if isinstance(a, torch.Tensor) else a for a in arguments])
        try:
            _, found = rule.run_forward(arguments)
        except NotImplementedError as error:
            raise Error(f"the autograd.Function {cls.__qualname__} cannot be carried: {error}") from None
        results = found if isinstance(found, tuple) else (found,)
        if any(isinstance(a, torch.Tensor) and a.is_complex() for a in (*arguments, *results)):
            raise Error(f"the autograd.Function {cls.__qualname__} cannot be carried: it has complex arguments or results; give it and "
                        "return from it their parts (torch.view_as_real)")
        floats = [i for i, y in enumerate(results) if isinstance(y, torch.Tensor) and y.dtype.is_floating_point]
        rule.count, rule.results = len(results), floats
        rules.append(rule)
        inputs = [arguments[i] for i in rule.tensors]
        ys = custom_derivative([results[i] for i in floats], inputs, len(rules) - 1)
        results = list(results)
        for i, y in zip(floats, ys):
            results[i] = y
        return tuple(results) if isinstance(found, tuple) else results[0]

    return classmethod(apply), record


def _functions(base=torch.autograd.Function):
    """Returns all autograd.Functions that exist, without torch's own."""
    own = [c for child in base.__subclasses__() for c in (child, *_functions(child))]
    return list(dict.fromkeys(c for c in own if not _is_of_torch(c)))


def _recording_forward(function, record):
    """Returns what stands for a Function's forward. `cube = Cube.apply` keeps an apply that nothing can stand for; it calls forward.

    A program may also call forward itself, whose derivative is then that of its ops. An apply gives it a context of the Function's own, or
    calls it where gradients are off.
    """
    with_context = function.setup_context is torch.autograd.Function.setup_context

    def forward(*arguments):
        if with_context:
            applied = bool(arguments) and isinstance(arguments[0], function._backward_cls)
        else:
            applied = not torch.is_grad_enabled()
        if not applied:
            return forward.of_user(*arguments)
        return record(function, arguments[1:] if with_context else arguments)
    forward.of_user = function.forward
    return staticmethod(forward)


# The key of a node's annotation that is the number of its region under torch.utils.checkpoint.
CHECKPOINT = "zcc.checkpoint"


def _record_checkpoints():
    """Returns what stands for the implementation of torch.utils.checkpoint while a module is exported."""
    count = 0

    def checkpoint(function, args, kwargs, **_):
        nonlocal count
        count += 1
        with torch.fx.traceback.annotate({CHECKPOINT: count}):
            return function(*args, **kwargs)

    return checkpoint


def _refuse_hook(tensor, hook):
    raise Error(f"the forward pass calls register_hook on a tensor of shape {list(tensor.shape)}: zcc differentiates by itself and calls no "
                "hooks; an autograd.Function whose backward changes the gradient does the same")


def refuse_hooks(module):
    """Refuses hooks of the backward pass, which would never be called."""
    for name, parameter in module.named_parameters():
        if parameter._backward_hooks or getattr(parameter, "_post_accumulate_grad_hooks", None):
            raise Error(f"the parameter '{name}' has a hook of its gradient: zcc differentiates by itself and calls no hooks; remove it")
    for name, child in module.named_modules():
        if child._backward_hooks or child._backward_pre_hooks:
            raise Error(f"the module '{name}' has a hook of its backward pass: zcc differentiates by itself and calls no hooks; remove it")


# The key of a node's annotation that says that `tensor.data = value` was written there.
_ASSIGNED = "zcc.assigned"
_set_data = torch.Tensor.data.__set__


def _assign_data(tensor, value):
    """Stands for `tensor.data = value`, which torch.export does not record: the value without a gradient, in place."""
    if not isinstance(tensor, FakeTensor):
        return _set_data(tensor, value)
    kind = lambda x: f"{x.dtype} of {list(x.shape)}"
    if value.untyped_storage()._cdata == tensor.untyped_storage()._cdata and value.stride() == tensor.stride() and kind(value) == kind(tensor):
        return None  # the same memory, as module.to(device) assigns it
    if kind(value) != kind(tensor):
        raise Error(f"the forward pass assigns .data of another kind: expected {kind(tensor)}, found {kind(value)}; give the new tensor a "
                    "name of its own")
    if tensor._is_view():
        raise Error(f"the forward pass assigns .data of a view, {kind(tensor)}, which then is no view any more: expected a tensor of its "
                    "own; clone it first")
    if isinstance(tensor, torch.nn.Parameter):
        with torch.no_grad():
            tensor.copy_(value.detach())  # which is refused with the parameter's name
        return None
    new = with_gradient(value.detach(), tensor.clone()) if tensor.is_floating_point() else value
    with torch.fx.traceback.annotate({_ASSIGNED: True}):
        tensor.copy_(new)


def refuse_stale_views(graph_module):
    """Refuses a read of a view that was made before `tensor.data = value`: it has the memory that the tensor had.

    Returns the placeholders to which the graph assigns.
    """
    from .lowering import place_of

    nodes = list(graph_module.graph.nodes)
    at, assigned = {node: i for i, node in enumerate(nodes)}, set()
    for node in nodes:
        targets = []
        if node.target is torch.ops.aten.copy_.default and (node.meta.get("custom") or {}).get(_ASSIGNED):
            targets = [node.args[0]]
        elif (region := region_of(node)) is not None:
            inner, arguments, operands = region
            within = refuse_stale_views(inner.owning_module)
            targets = [a for a, p in zip(operands, arguments) if p in within]
        for target in targets:
            root = root_of(target)
            assigned.add(root)
            for view in nodes[:at[node]]:
                if view not in (target, root) and root_of(view) is root and any(at[u] > at[node] for u in view.users):
                    raise Error("the forward pass reads a view of a tensor after its .data was assigned another one: the view has the values from "
                                "before; clone it first", place_of(view))
    return assigned


def _split_at_regions(split):
    """Returns what stands for torch's split of a graph where gradients go on or off, so that each part begins with that.

    torch lets a part begin with the entry of an autocast region, or with the branches of torch.cond, takes it for none without gradients,
    and loses torch.no_grad().
    """
    before = (torch.amp.autocast_mode._enter_autocast,)

    def run(graph_module, is_start):
        found = split(graph_module, is_start)
        for part in [found.get_submodule(n.target) for n in found.graph.nodes if n.op == "call_module"]:
            nodes = [n for n in part.graph.nodes if n.op != "placeholder"]
            at = next((i for i, n in enumerate(nodes) if is_start(n)), 0)
            if at and all(n.op == "get_attr" or n.target in before for n in nodes[:at]):
                nodes[0].prepend(nodes[at])
                for branch in [n.target for n in nodes[:at] if n.op == "get_attr"]:
                    # Not registered yet, as torch removes what the graph around has no use for; it registers them when it comes to this part.
                    part.__dict__[branch] = getattr(graph_module, branch)
        return found
    return run


@contextlib.contextmanager
def recording(rules):
    """While it lasts, torch.export records what it alone would lose."""
    apply, record = _record_functions(rules)
    with contextlib.ExitStack() as forwards, replaced(torch.autograd.Function, "apply", apply), \
            replaced(torch.utils.checkpoint, "_checkpoint_impl", _record_checkpoints()), \
            replaced(torch.Tensor, "register_hook", _refuse_hook), \
            gradients.recorded(), \
            replaced(torch.Tensor, "data", property(torch.Tensor.detach, _assign_data)), \
            replaced(gradient_regions, "sequential_split", _split_at_regions(gradient_regions.sequential_split)), \
            torch.fx.traceback.preserve_node_meta():
        for function, forward in [(f, _recording_forward(f, record)) for f in _functions()]:
            forwards.enter_context(replaced(function, "forward", forward))
        yield

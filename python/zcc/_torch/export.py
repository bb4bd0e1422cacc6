# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch module as a graph of ATen overloads, with the derivatives that torch.export loses.

torch.export records the forward pass alone, and its decompositions drop whatever only the backward pass would read. Here
- `detach` and the results of `no_grad` regions become zcc.stop_gradient before anything is decomposed;
- a call of an autograd.Function becomes its forward ops and zcc.custom_derivative, whose rule is traced from its backward.
"""
import contextlib
import operator
import os
import traceback
import warnings

import torch
import torch.fx.traceback
import torch.utils.checkpoint
from torch._export.passes import replace_set_grad_with_hop_pass as gradient_regions
from torch._subclasses import FakeTensor

from .._arrays import has_values, other_kind
from .._errors import Error, refuse
from . import chance, checks, ctc, deformable, experts, gradients, graphs, libraries, ops, strides, untrained
from .replacing import replaced

_LIBRARY = torch.library.Library("zcc", "DEF")
_LIBRARY.define("stop_gradient(Tensor x) -> Tensor")
_LIBRARY.define("with_gradient(Tensor value, Tensor x) -> Tensor")  # value, with the derivative of x
_LIBRARY.define("gradient_at(Tensor x, SymInt[] size, SymInt[] stride, SymInt offset) -> Tensor")  # x, with a gradient at these places alone
_LIBRARY.define("custom_derivative(Tensor[] ys, Tensor[] xs, int rule) -> Tensor[]")
_LIBRARY.impl("stop_gradient", lambda x: x.clone(), "CompositeExplicitAutograd")
_LIBRARY.impl("with_gradient", lambda value, x: value.clone(), "CompositeExplicitAutograd")
_LIBRARY.impl("gradient_at", lambda x, size, stride, offset: x.clone(), "CompositeExplicitAutograd")
_LIBRARY.impl("custom_derivative", lambda ys, xs, rule: [y.clone() for y in ys], "CompositeExplicitAutograd")
torch.library.register_fake("zcc::stop_gradient")(torch.empty_like)
torch.library.register_fake("zcc::with_gradient")(lambda value, x: torch.empty_like(value))
torch.library.register_fake("zcc::gradient_at")(lambda x, size, stride, offset: torch.empty_like(x))
torch.library.register_fake("zcc::custom_derivative")(lambda ys, xs, rule: [torch.empty_like(y) for y in ys])

OLDEST = (2, 14)
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def check_version():
    found = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
    if found < OLDEST:
        refuse(f"torch {torch.__version__} is too old: expected {OLDEST[0]}.{OLDEST[1]} or newer; pip install --upgrade torch")


class Exported:
    """A graph and what its arguments and results are.

    program: what torch.export made, with its graph `graph`. inputs: (placeholder, kind, name) in order; kind is "parameter", "buffer", "constant" or "input". outputs: the nodes of
    results. mutated: nodes of new values by the name of their buffer. tensors: values of constants by name. rules: the Rules
    of autograd.Functions by number. foreign: Parameters that the forward pass reads and that are none of the module's.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)


# ---------------------------------------------------------------- autograd.Function

class _Context:
    """What an autograd.Function stores between its passes."""

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
        ys = torch.ops.zcc.custom_derivative([results[i] for i in floats], inputs, len(rules) - 1)
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


def refuse_gradient_hooks(module):
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
    new = torch.ops.zcc.with_gradient(value.detach(), tensor.clone()) if tensor.is_floating_point() else value
    with torch.fx.traceback.annotate({_ASSIGNED: True}):
        tensor.copy_(new)


def _refuse_stale_views(graph_module):
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
        elif (region := _region(node)) is not None:
            inner, arguments, operands = region
            within = _refuse_stale_views(inner.owning_module)
            targets = [a for a, p in zip(operands, arguments) if p in within]
        for target in targets:
            root = _root(target)
            assigned.add(root)
            for view in nodes[:at[node]]:
                if view not in (target, root) and _root(view) is root and any(at[u] > at[node] for u in view.users):
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
def _recording(rules):
    """Keeps what torch.export alone loses: calls of autograd.Functions, and the regions under torch.utils.checkpoint."""
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


# ---------------------------------------------------------------- detach and no_grad

_AUTOCAST = "wrap_with_autocast"
_REGIONS = ("wrap_with_set_grad_enabled", _AUTOCAST)
_STOP, _DETACH = torch.ops.zcc.stop_gradient.default, (torch.ops.aten.detach.default, torch.ops.aten.detach_.default)


def _is_float(node):
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _shared_operands(node):
    """Returns the operands that an op changes or whose memory a result shares, each with True if it is changed."""
    schema = getattr(node.target, "_schema", None)
    if node.op != "call_function" or schema is None:
        return []
    given = {**{d.name: a for d, a in zip(schema.arguments, node.args)}, **node.kwargs}
    found = [(given.get(d.name), d.alias_info.is_write) for d in schema.arguments if d.alias_info]
    return [(a, is_changed) for a, is_changed in found if isinstance(a, torch.fx.Node)]


def _written(node):
    """Returns the tensors of floating point whose values an op changes in place."""
    if node.target in _DETACH:
        return []
    return [a for a, is_changed in _shared_operands(node) if is_changed and _is_float(a)]


def _aliased(node):
    """Returns the operand whose memory the result of an op shares, or None: a view, or an op that changes it and returns it."""
    if node.target is operator.getitem:  # an op of several views, such as chunk, has a list as its result
        return node.args[0] if _aliased(node.args[0]) is not None else None
    shared = _shared_operands(node)
    return shared[0][0] if shared and any(r.alias_info for r in node.target._schema.returns) else None


def _is_alias(node, of):
    return _aliased(node) is of


def _leads_to_write(node):
    """Returns True if a tensor, or one that shares its memory, is changed in place."""
    return any(node in _written(u) or _is_alias(u, node) and _leads_to_write(u) or _is_written_within(u, node) for u in node.users)


def _region(node):
    """Returns the graph of a region that a node calls, without gradients or of autocast, its arguments and its operands; or None."""
    if not any(name in str(node.target) for name in _REGIONS):
        return None
    at = next(i for i, a in enumerate(node.args) if isinstance(a, torch.fx.Node) and a.op == "get_attr")
    inner = getattr(node.graph.owning_module, node.args[at].target).graph
    return inner, [n for n in inner.nodes if n.op == "placeholder"], node.args[at + 1:]


def _is_written_within(user, node):
    """Returns True if a region that is called with a tensor changes it in place."""
    if (region := _region(user)) is None:
        return False
    _, arguments, operands = region
    return any(a is node and _leads_to_write(p) for p, a in zip(arguments, operands))


def _call(graph, target, args, like):
    node = graph.call_function(target, args)
    node.meta = {**like.meta, "val": args[0].meta["val"]}
    return node


def _write_without_gradient(graph, node, target):
    """After an op that changes `target` in place where no gradient passes, its gradient is that of what was there."""
    with graph.inserting_before(node):
        before = _call(graph, torch.ops.aten.clone.default, (target,), node)
    with graph.inserting_before(node.next):
        new = _call(graph, torch.ops.zcc.with_gradient.default, (target, before), node)
        _call(graph, torch.ops.aten.copy_.default, (target, new), node)


def _argument(node):
    """Returns the argument of a region that a result of it is, changed in place, or None."""
    while node is not None and node.op != "placeholder":
        node = _aliased(node) if _aliased(node) in _written(node) else _operand(node)
    return node


def _operand(node):
    """Returns the operand of an autocast region that a result of it is, changed in place, or None."""
    if node.target is not operator.getitem or _AUTOCAST not in str(node.args[0].target):
        return None
    inner, arguments, operands = _region(node.args[0])
    found = _argument(_results(inner)[node.args[1]])
    return None if found is None else operands[arguments.index(found)]


def _results(graph):
    return next(n for n in graph.nodes if n.op == "output").args[0]


def _root(node):
    """Returns the tensor whose memory a tensor shares."""
    while _aliased(node) is not None:
        node = _aliased(node)
    return node


def _share_memory(graph, node, target):
    """Makes `node`, which is detached and changed in place, `target`, whose memory it shares. Who reads it has no gradient."""
    for user in list(node.users):
        written = node in _written(user)
        if _is_written_within(user, node):
            inner, arguments, operands = _region(user)
            argument = arguments[operands.index(node)]
            user.replace_input_with(node, target)
            if _AUTOCAST in str(user.target):  # gradients pass there
                _share_memory(inner, argument, argument)
            for result in list(user.users):  # the tensor itself after the change
                if result.target is operator.getitem and _root(_results(inner)[result.args[1]]) is argument:
                    _share_memory(graph, result, result)
        elif written or _is_alias(user, node) and (user.target is operator.getitem or _leads_to_write(user)):
            user.replace_input_with(node, target)
            if written:
                _write_without_gradient(graph, user, target)
            if user.target is _DETACH[1]:  # it is detached already
                user.target = _DETACH[0]
            _share_memory(graph, user, target if user.target is _DETACH[0] else user)
        elif user.target is not _STOP:
            with graph.inserting_before(user):
                stopped = _call(graph, _STOP, (target,), user)
            user.replace_input_with(node, stopped)


def _keep_stops(graph_module, enabled=True):
    """Turns detach, and the results of regions without gradients, into zcc.stop_gradient; also within regions.

    enabled: whether gradients pass where the graph is called.
    """
    graph = graph_module.graph
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if not enabled:
            for target in _written(node):
                if _root(target).op == "placeholder":  # what the region made itself has no gradient
                    _write_without_gradient(graph, node, target)
        if node.target is _DETACH[0] and _leads_to_write(_root(node)):
            _share_memory(graph, node, node.args[0])
            graph.erase_node(node)
        elif node.target in _DETACH:
            in_place = node.target is _DETACH[1]
            node.target = _STOP
            if in_place:  # the memory stays that of what was detached
                node.replace_all_uses_with(node.args[0])
                with graph.inserting_before(node.next):
                    _call(graph, torch.ops.aten.copy_.default, (node.args[0], node), node)
        elif "wrap_with_set_grad_enabled" in str(node.target):
            inner = getattr(graph_module, node.args[1].target)
            _keep_stops(inner, node.args[0])
            inner.kept = True
            results = _results(inner.graph)
            for user in list(node.users) if node.args[0] is False else ():
                if user.target is operator.getitem and _is_float(user) and _argument(results[user.args[1]]) is None:
                    with graph.inserting_after(user):
                        stopped = graph.call_function(_STOP, (user,))
                    stopped.meta = dict(user.meta)
                    user.replace_all_uses_with(stopped, delete_user_cb=lambda other, own=stopped: other is not own)
    for child in graph_module.children():
        if isinstance(child, torch.fx.GraphModule) and not getattr(child, "kept", False):
            _keep_stops(child, enabled)
    graph_module.recompile()


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
    table.update(deformable.decompositions())
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
        self.constants = {n: b.detach() for n, b in module.named_buffers()
                          if has_values(b) and not (n in saved and b.is_floating_point())}
        self.read, self.foreign = set(), set()  # sets: torch.export puts lists back

    def forward(self, *leaves):
        own = dict(self.module.named_buffers())
        with untrained.no_new_parameters(), chance.refused(), \
                checks.Answers([(own[n], x, n) for n, x in self.constants.items() if n in own]) as answers:  # within the mode in which torch.export traces
            found = self.function(self.module, leaves)
            self._keep_assigned(own)
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
    with warnings.catch_warnings(), _with_gradients(module), _recording(rules), experts.all_at_once(), graphs.of_fixed_sizes(), \
            ctc.step_by_step(), libraries.without_conversions(), checks.within_functions():
        warnings.simplefilter("ignore")
        examples = tuple(x.clone() if x.is_inference() else x for x in examples)
        called = Called(module, function)
        program = torch.export.export(called, examples, strict=False)
        _refuse_stale_views(program.graph_module)
        strides.read_in_order(program.graph_module, _aliased, _leads_to_write)
        _keep_stops(program.graph_module)
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


def export(module, function, examples, what):
    """Returns the Exported of function(module, examples), which returns a list of tensors. `what` names it in messages."""
    check_version()
    try:
        program, called, rules = _traced(module, function, examples)
    except Exception as error:
        found = _traced_as_eager(module, function, examples)
        if found is None and isinstance(error, Error):
            path, place = _origin(error, module)
            if error.place or not place:
                raise
            raise Error(f"{error}; in the module '{path}'" if path else str(error), place) from error
        if found is None:
            raise _refused(what, error, module) from error
        program, called, rules = found
    gradients.expand(program.graph_module, rules)
    names = function.arguments.batch.names if hasattr(function, "arguments") else []
    exported = _described(program, rules, names)
    exported.foreign = called.foreign
    if changed := sorted(called.read & set(exported.mutated)):
        refuse(f"{what} asks for the value of its buffer '{changed[0]}', which its forward pass changes: use torch.where or torch.cond")
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

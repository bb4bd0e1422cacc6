# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives that a forward pass takes: torch.autograd.grad, and torch.func's grad, vjp, jacrev and hessian.

torch.export does not record what autograd saves between a forward and a backward pass. So while a module is traced, each derivative is
one op, zcc.gradient. When the graph is functional, the ops that lead from the inputs of a derivative to its outputs are run once more
under autograd, and the ops that their backward pass calls take the place of zcc.gradient. It reads the values that the graph has already.
"""
import contextlib
import operator

import torch
from torch._functorch import eager_transforms, predispatch
from torch._functorch.pyfunctorch import TransformType, retrieve_all_functorch_interpreters
from torch._subclasses import FakeTensor
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing, make_fx
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from .._errors import Error
from . import backward, ops
from .replacing import replaced

_LIBRARY = torch.library.Library("zcc", "FRAGMENT")
# The gradients by inputs of the outputs, each of which has a cotangent; `batches` dims of cotangents and of results come first.
_LIBRARY.define("gradient(Tensor[] outputs, Tensor[] inputs, Tensor[] cotangents, int batches) -> Tensor[]")


def _like(outputs, inputs, cotangents, batches):
    return [x.new_empty((*cotangents[0].shape[:batches], *x.shape)) for x in inputs]


_LIBRARY.impl("gradient", _like, "CompositeExplicitAutograd")
torch.library.register_fake("zcc::gradient")(_like)
_GRADIENT = torch.ops.zcc.gradient.default


def _keep_arguments(ctx, inputs, output):
    ctx.counts = [None if i == 3 else [x.shape for x in given] for i, given in enumerate(inputs)]


def _backward(context, gradients):
    """Only tells autograd that there is a derivative of the second order: `expand` computes it."""
    like = next(g for g in gradients if g is not None)
    return tuple(None if shapes is None else [like.new_zeros(shape) for shape in shapes] for shapes in context.counts)


torch.library.register_autograd("zcc::gradient", _backward, setup_context=_keep_arguments)


@torch.library.register_vmap("zcc::gradient")
def _batched(info, dims, outputs, inputs, cotangents, batches):
    size = info.batch_size

    def at(place, x, d):
        if d is None:
            return x.unsqueeze(place).expand(*x.shape[:place], size, *x.shape[place:])
        return x if d == place else x.movedim(d, place)
    if all(d is None for d in (*dims[0], *dims[1])):  # as the rows of a Jacobian are
        found = _GRADIENT(outputs, inputs, [at(0, *c) for c in zip(cotangents, dims[2])], batches + 1)
        return found, [0] * len(found)
    if any(d != 0 for d in dims[1]):
        raise Error("torch.autograd.grad within vmap differentiates by a tensor that is the same for all samples: use torch.func.grad")
    found = _GRADIENT([at(0, *y) for y in zip(outputs, dims[0])], inputs, [at(batches, *c) for c in zip(cotangents, dims[2])], batches)
    return found, [batches] * len(found)


# ---------------------------------------------------------------- while a module is traced

def _of_engine(run):
    """Returns what stands for the engine of torch.autograd.grad. Results have gradients of their own only with create_graph=True."""
    def run_backward(outputs, cotangents, retain_graph, create_graph, inputs, allow_unused=False, accumulate_grad=False, **keywords):
        given = (*outputs, *inputs)
        if not given or not all(isinstance(x, torch.Tensor) for x in given) or not any(isinstance(x, FakeTensor) for x in map(_plain, given)):
            return run(outputs, cotangents, retain_graph, create_graph, inputs, allow_unused, accumulate_grad=accumulate_grad, **keywords)
        if accumulate_grad:
            raise Error("the forward pass calls backward(), which would change the .grad of parameters: expected torch.autograd.grad(loss, "
                        "inputs, create_graph=True)")
        used = range(len(inputs))
        if all(_plain(x) is x for x in (*given, *cotangents)):
            with disable_proxy_modes_tracing():  # finds out what is used, and refuses what torch refuses
                known = run(outputs, cotangents, True, create_graph, inputs, allow_unused, accumulate_grad=False, **keywords)
            used = [i for i, g in enumerate(known) if g is not None]
        found = [None] * len(inputs)
        for i, g in zip(used, _GRADIENT(list(outputs), [inputs[i] for i in used], list(cotangents), 0) if used else ()):
            found[i] = g if create_graph else g.detach()
        return tuple(found)
    return run_backward


def _plain(tensor):
    """Returns the tensor within those that functorch wraps around it."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


def _variable(x):
    """Returns a tensor as one to differentiate by: of its own, and with a row for each sample within vmap."""
    if not isinstance(x, torch.Tensor) or not (x.is_floating_point() or x.is_complex()):
        return x
    for level in retrieve_all_functorch_interpreters():
        if level.key() == TransformType.Vmap:
            zeros = torch.zeros(level.batch_size(), dtype=x.dtype, device=x.device)
            x = x + predispatch._add_batch_dim(zeros, 0, level.level())
    return x.clone()


def _with_variables(arguments, argnums):
    """Returns arguments whose tensors are variables where argnums (a number, a tuple, or None for all) says so, and these."""
    places = range(len(arguments)) if argnums is None else argnums if isinstance(argnums, tuple) else (argnums,)
    places = [i % len(arguments) for i in places]
    made = [tree_map(_variable, a) if i in places else a for i, a in enumerate(arguments)]
    own = tuple(made[i] for i in places)
    return made, own if argnums is None or isinstance(argnums, tuple) else own[0]


def _gradients(outputs, cotangents, variables):
    """Returns the gradients, in the structure of the variables."""
    flat, structure = tree_flatten(variables)
    return tree_unflatten(_GRADIENT(outputs, flat, cotangents, 0), structure)


def _apart(found, has_aux, what):
    """Returns a function's result and what it returns beside it."""
    if not has_aux:
        return found, None
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(f"{what}: with has_aux=True, the function must return (output, aux)")
    return found


def _grad_and_value(function, argnums, has_aux, arguments, keywords):
    """Stands for what torch.func.grad and grad_and_value do."""
    with torch.enable_grad() if not torch.is_grad_enabled() else contextlib.nullcontext():
        arguments, own = _with_variables(arguments, argnums)
        output, aux = _apart(function(*arguments, **keywords), has_aux, "torch.func.grad")
        if not isinstance(output, torch.Tensor) or output.dim():
            raise RuntimeError("torch.func.grad: the function must return a scalar tensor; torch.func.vjp and jacrev take others")
        found = _gradients([output], [torch.ones_like(output)], own)
    return found, (output, aux) if has_aux else output


def _vjp(function, *primals, argnums=None, has_aux=False):
    """Stands for what torch.func.vjp and jacrev do."""
    with torch.enable_grad() if not torch.is_grad_enabled() else contextlib.nullcontext():
        primals, own = _with_variables(primals, argnums)
        outputs, aux = _apart(function(*primals), has_aux, "torch.func.vjp")
    flat, structure = tree_flatten(outputs)

    def pull(cotangents, retain_graph=True, create_graph=None):
        given, found = tree_flatten(cotangents)
        if found != structure:
            raise RuntimeError(f"torch.func.vjp: expected cotangents in the structure of the function's result, {structure}, got {found}")
        return _gradients(flat, given, own)
    return (outputs, pull, aux) if has_aux else (outputs, pull)


def _jvp_of(original):
    """Returns what stands for what torch.func.jvp and jacfwd do. Dual numbers within vmap cannot be traced: there the derivative forward is
    that of the derivative backward by its cotangents, in which it is linear."""
    def jvp(function, primals, tangents, argnums=None, *, strict=False, has_aux=False):
        if not any(level.key() == TransformType.Vmap for level in retrieve_all_functorch_interpreters()):
            return original(function, primals, tangents, argnums, strict=strict, has_aux=has_aux)
        with torch.enable_grad() if not torch.is_grad_enabled() else contextlib.nullcontext():
            primals, own = _with_variables(primals, argnums)
            outputs, aux = _apart(function(*primals), has_aux, "torch.func.jvp")
            flat, structure = tree_flatten(outputs)
            cotangents = [_variable(torch.zeros_like(y)) for y in flat]
            found = _GRADIENT(_GRADIENT(flat, tree_flatten(own)[0], cotangents, 0), cotangents, tree_flatten(tangents)[0], 0)
        found = tree_unflatten(found, structure)
        return (outputs, found, aux) if has_aux else (outputs, found)
    return jvp


def _refuse_batches(*_, **__):
    raise Error("torch.autograd.grad with is_grads_batched=True, or torch.autograd.functional with vectorize=True, is not carried: expected "
                "torch.func.jacrev, or torch.func.vjp within torch.func.vmap")


@contextlib.contextmanager
def recorded():
    """While it lasts, derivatives are ops of the graph that is traced."""
    with replaced(torch.autograd, "_engine_run_backward", _of_engine(torch.autograd._engine_run_backward)), \
            replaced(torch._vmap_internals, "_vmap", _refuse_batches), \
            replaced(eager_transforms, "grad_and_value_impl", _grad_and_value), replaced(eager_transforms, "_vjp_with_argnums", _vjp), \
            replaced(eager_transforms, "_jvp_with_argnums", _jvp_of(eager_transforms._jvp_with_argnums)):
        yield


# ---------------------------------------------------------------- when the graph is functional

class _Same(torch.autograd.Function):
    """The value, with the derivative of x."""

    @staticmethod
    def forward(context, value, x):
        return value.clone()

    @staticmethod
    def backward(context, g):
        return None, g


class _ByRule(torch.autograd.Function):
    """The values, whose derivative by others a Rule computes."""

    @staticmethod
    def forward(context, rule, count, *given):
        context.rule, context.count = rule, count
        context.save_for_backward(*given[count:])
        return tuple(y.clone() for y in given[:count])

    @staticmethod
    def backward(context, *cotangents):
        xs = context.saved_tensors
        floats = iter(context.rule(*xs, *cotangents))
        return None, None, *[None] * context.count, *(next(floats) if x.is_floating_point() else None for x in xs)


def _call(node, values, rules, place):
    """Computes a node under autograd."""
    name = str(node.target)
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        raise Error(f"the forward pass takes a derivative through {name}, which is not carried: write that part without it", place)
    if _draws(node):
        raise Error(f"the forward pass takes a derivative through {name}, which draws random numbers: expected torch.nn.functional.dropout, or "
                    "numbers that are drawn before", place)
    arguments, keywords = (torch.fx.node.map_arg(x, values.__getitem__) for x in (node.args, node.kwargs))
    if name == "zcc.stop_gradient.default":
        return arguments[0].detach()
    if name == "zcc.with_gradient.default":
        return _Same.apply(*arguments)
    if name == "zcc.custom_derivative.default":
        ys, xs, number = arguments
        return list(_ByRule.apply(rules[number], len(ys), *ys, *xs))
    if name == "zcc.gradient_at.default":
        raise Error("the forward pass takes a derivative through a tensor that is changed in place by strides: not carried; clone it first", place)
    return node.target(*arguments, **keywords)


def _draws(node):
    """Returns True for an op that draws random numbers, which to run once more would be to draw others."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or node.target is _DROPOUT:
        return False
    given = {**{d.name: a for d, a in zip(schema.arguments, node.args)}, **node.kwargs}
    if any(d.name == "dropout_p" for d in schema.arguments):
        return given.get("dropout_p", 0) > 0
    return torch.Tag.nondeterministic_seeded in node.target.tags


_DROPOUT = torch.ops.aten.native_dropout.default


def _keep_masks(graph):
    """Gives what dropout keeps a name in the graph, so that its derivative reads the same."""
    for node in [n for n in graph.nodes if n.target is _DROPOUT]:
        if all(user.args[1] != 1 for user in node.users):
            with graph.inserting_after(node):
                mask = graph.call_function(operator.getitem, (node, 1))
            mask.meta = {**node.meta, "val": node.meta["val"][1]}


def _between(graph, outputs, inputs):
    """Returns the nodes that depend on an input and on which an output depends, in order, and the inputs that depend on no other."""
    after = set(inputs)
    for node in graph.nodes:
        if any(n in after for n in node.all_input_nodes):
            after.add(node)
    before, todo = set(), list(outputs)
    while todo:
        node = todo.pop()
        if node in after and node not in before:
            before.add(node)
            todo += node.all_input_nodes
            before.update(u for u in node.users if u.target is operator.getitem)  # what the backward pass may read
    leaves = {x for x in inputs if not any(n in before for n in x.all_input_nodes) or x not in before}
    return [n for n in graph.nodes if n in before and n not in leaves], leaves


def _table():
    """Returns torch's decompositions of what a backward pass calls, without the overloads that have a lowering."""
    found = {**torch._decomp.core_aten_decompositions(), **{f: d for f, d in torch._decomp.decomposition_table.items() if "backward" in str(f)},
             **backward.decompositions()}
    return {f: d for f, d in found.items() if str(f) not in ops.load()}


def _expand(graph, node, rules, place):
    outputs, inputs, cotangents, batches = node.args
    nodes, leaves = _between(graph, outputs, inputs)
    kept = [n for n in nodes if isinstance(n.meta.get("val"), torch.Tensor)]
    given = list(dict.fromkeys([*leaves, *(a for n in nodes for a in n.all_input_nodes if a not in nodes), *outputs, *inputs, *cotangents]))
    given = [n for n in given if n not in nodes and n.op != "get_attr"]

    def run(*arguments):
        values = dict(zip(given, arguments))
        for n in leaves:
            values[n] = values[n].detach().requires_grad_()
        for n in nodes:
            values[n] = _call(n, values, rules, place)
        pairs = [(values[y], values[g]) for y, g in zip(outputs, cotangents) if values[y].requires_grad]
        xs = [values[x] for x in inputs]
        extent = values[cotangents[0]].shape[:batches]
        found = [None] * len(xs)
        if pairs:
            found = torch.autograd.grad([y for y, _ in pairs], xs, [g.reshape(-1, *y.shape) if batches else g for y, g in pairs],
                                        allow_unused=True, is_grads_batched=bool(batches))
        found = [x.new_zeros((*extent, *x.shape)) if g is None else g.reshape(*extent, *x.shape) for g, x in zip(found, xs)]
        return found, [values[n] for n in kept]

    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH), torch.enable_grad():
        made = make_fx(run, decomposition_table=_table(), tracing_mode="fake")(*(n.meta["val"] for n in given)).graph
    made.eliminate_dead_code()
    found, values = next(n for n in made.nodes if n.op == "output").args[0]
    known = dict(zip([n for n in made.nodes if n.op == "placeholder"], given))
    known.update((m, n) for m, n in zip(values, kept) if isinstance(m, torch.fx.Node) and m.op != "placeholder")
    needed, todo = set(), [n for n in found if isinstance(n, torch.fx.Node)]
    while todo:
        n = todo.pop()
        if n not in needed and n not in known:
            needed.add(n)
            todo += n.all_input_nodes
    with graph.inserting_before(node):
        for n in made.nodes:
            if n not in needed:
                continue
            if n.op == "get_attr":
                raise Error(f"the backward pass of a derivative in the forward pass makes a constant tensor, {n.target}: not carried", place)
            if n.target is torch.ops.aten.detach.default:  # by autograd, of a value that it keeps
                known[n] = known[n.args[0]]
                continue
            known[n] = graph.node_copy(n, known.__getitem__)
            known[n].meta = {**node.meta, "val": n.meta.get("val")}
    for user in list(node.users):
        user.replace_all_uses_with(known[found[user.args[1]]])
        graph.erase_node(user)
    graph.erase_node(node)


def expand(graph_module, rules):
    """Puts the ops of backward passes in the place of zcc.gradient, the first before those that differentiate it."""
    from .lowering import place_of

    for module in graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        derivatives = [n for n in module.graph.nodes if n.target is _GRADIENT]
        if derivatives:
            _keep_masks(module.graph)
        for node in derivatives:
            if all(u.target is operator.getitem for u in node.users):
                _expand(module.graph, node, rules, place_of(node))
        module.recompile()

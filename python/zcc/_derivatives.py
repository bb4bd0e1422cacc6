# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a JAX function to the text that zcc reads, with the derivatives that JAX's own text loses.

zcc differentiates the text. JAX lowers `stop_gradient` to nothing, and a function with a custom derivative (custom_jvp,
custom_vjp) to the function alone. Here both are kept:

- `stop_gradient` becomes a call of @zcc.stop_gradient;
- a function y = f(x) whose custom derivative is not the one that zcc would find becomes the ops of f, and
  `z = custom_call @zcc.custom_derivative(y..., x...) {called_computations = [@rule]}`. z has the values of y; the
  cotangents of x are `rule(x..., dz...)`, one for each x of floating point. No gradient flows through the ops of f.

JAX itself makes @rule, by jax.vjp of the function, so that both kinds of custom derivatives become one.

Incomplete gamma and beta functions become those of _special.py, samples of gamma and Poisson distributions those of _samples.py.
Their custom derivatives are kept.

The jaxpr of the function is changed, not JAX: whatever else the process does with JAX stays as it was.
"""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jax.interpreters import mlir
from jax.interpreters import partial_eval

from . import _samples, _special

__all__ = ["DerivativeError", "lower"]


class DerivativeError(ValueError):
    """A custom derivative that JAX cannot apply."""


def _is_float(aval):
    return jnp.issubdtype(aval.dtype, jnp.floating)


# ---------------------------------------------------------------- primitives of our own

stop_gradient_p = core.Primitive("zcc_stop_gradient")
stop_gradient_p.def_abstract_eval(lambda x: x)
mlir.register_lowering(stop_gradient_p, jax.ffi.ffi_lowering("zcc.stop_gradient"))

# y = call(x), whose derivative is `rule`, a jitted function from x and the cotangents of y to those of x.
custom_derivative_p = core.Primitive("zcc_custom_derivative")
custom_derivative_p.multiple_results = True
custom_derivative_p.def_abstract_eval(lambda *xs, call, rule, cotangents: call.out_avals)


def _lower_custom_derivative(context, *xs, call, rule, cotangents):
    ys = list(mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(context, *xs))
    floats = [i for i, aval in enumerate(call.out_avals) if _is_float(aval)]

    # JAX makes the rule's function when it lowers a call of it. The call is erased below, and only the function's
    # name is used; y stands for its own cotangent in it.
    inner = context.replace(avals_in=[*call.in_avals, *(call.out_avals[i] for i in floats)], avals_out=cotangents,
                            primitive=None, tokens_out=None)
    called = mlir.lower_fun(rule, multiple_results=True)(inner, *xs, *(ys[i] for i in floats))
    call_op = called[0].owner
    attributes = {"call_target_name": mlir.ir.StringAttr.get("zcc.custom_derivative"),
                  "called_computations": mlir.ir.ArrayAttr.get([call_op.attributes["callee"]])}
    operation = mlir.ir.Operation.create("stablehlo.custom_call", results=[ys[i].type for i in floats],
                                         operands=[*(ys[i] for i in floats), *xs], attributes=attributes)
    call_op.erase()
    for i, result in zip(floats, operation.results):
        ys[i] = result
    return ys


mlir.register_lowering(custom_derivative_p, _lower_custom_derivative)


# ---------------------------------------------------------------- one function with a custom derivative

_CUSTOM = ("custom_jvp_call", "custom_vjp_call")
# Its derivative is a solution, too, whatever the steps of the solver.
_SOLVE = "custom_linear_solve"
# JAX lowers this to series of 1 / x, which zcc cannot differentiate at 0.
_SERIES = "bessel_i0e"
# The functions of these modules stand for primitives of JAX, and always keep their derivatives.
_OURS = (_samples.__file__, _special.__file__)


def _alone(eqn):
    """The operands of an equation that are variables, and the closed jaxpr of that equation alone from them."""
    variables = list(dict.fromkeys(v for v in eqn.invars if isinstance(v, core.Var)))
    return variables, core.ClosedJaxpr(core.Jaxpr([], variables, eqn.outvars, [eqn]), [])


def _closed(jaxpr):
    return jaxpr if isinstance(jaxpr, core.ClosedJaxpr) else core.ClosedJaxpr(jaxpr, [])


class _Custom:
    """An equation that calls a function with a custom derivative."""

    def __init__(self, eqn):
        self.eqn = eqn
        self.variables, self.alone = _alone(eqn)
        self.call = _closed(eqn.params["call_jaxpr"]) if eqn.primitive.name in _CUSTOM else self.alone
        info = self.call.jaxpr.debug_info
        self.name = getattr(info, "func_name", None) if eqn.primitive.name in _CUSTOM else eqn.primitive.name
        self.file = getattr(info, "func_filename", None) or ""
        # JAX differentiates with respect to arguments, not to values that the function closes over, which come first.
        arguments = set(v for v in eqn.invars[eqn.params.get("num_consts", 0):] if isinstance(v, core.Var))
        self.floats = [i for i, v in enumerate(self.variables) if _is_float(v.aval) and v in arguments]
        self.results = [i for i, aval in enumerate(self.alone.out_avals) if _is_float(aval)]

    def custom(self, *xs):
        return core.jaxpr_as_fun(self.alone)(*xs)

    def plain(self, *xs):
        """The function without its custom derivative, as zcc differentiates it."""
        values = dict(zip(self.variables, xs))
        operands = [v.val if isinstance(v, core.Literal) else values[v] for v in self.eqn.invars]
        if self.is_relu():
            return [jnp.where(operands[0] > 0, operands[0], jnp.zeros_like(operands[0]))]
        return core.jaxpr_as_fun(self.call)(*operands)

    def is_relu(self):
        """True for maximum(x, 0) in a jitted function of the name relu, whose derivative at 0 zcc knows to be 0."""
        eqns = self.call.jaxpr.eqns
        if len(eqns) != 1 or len(self.eqn.invars) != 1 or eqns[0].params.get("name") != "relu":
            return False
        inner = eqns[0].params["jaxpr"].jaxpr.eqns
        return [e.primitive.name for e in inner] == ["max"] and any(
            isinstance(v, core.Literal) and v.val == 0 for v in inner[0].invars)

    def vjp(self, function, xs, cotangents):
        """The cotangents of the operands in `floats`."""
        def active(*values):
            full = list(xs)
            for i, x in zip(self.floats, values):
                full[i] = x
            out = function(*full)
            return [out[i] for i in self.results]

        return jax.vjp(active, *(xs[i] for i in self.floats))[1](list(cotangents))

    @functools.cached_property
    def rule(self):
        """The closed jaxpr from operands and the results' cotangents to the cotangents of the floating-point operands."""
        count = len(self.variables)

        def rule(*operands):
            found = dict(zip(self.floats, self.vjp(self.custom, operands[:count], operands[count:])))
            return [found[i] if i in found else jnp.zeros_like(operands[i])
                    for i, v in enumerate(self.variables) if _is_float(v.aval)]

        avals = [*(v.aval for v in self.variables), *(self.alone.out_avals[i] for i in self.results)]
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        try:
            closed = jax.make_jaxpr(rule)(*shapes)
        except Exception as error:
            raise DerivativeError(f"the custom derivative of '{self.name}' cannot be traced: {error}") from error
        needed = partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.out_avals), instantiate=True)[0]
        return closed.replace(jaxpr=_Expand().jaxpr(needed))

    @functools.cached_property
    def jitted_rule(self):
        def function(*operands):
            return core.jaxpr_as_fun(self.rule)(*operands)

        function.__name__ = function.__qualname__ = f"{self.name}_rule"
        return jax.jit(function)

    def is_linear(self):
        """True if the rule is a linear function of the cotangents to JAX's own knowledge."""
        count = len(self.variables)
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.rule.in_avals]
        rule = core.jaxpr_as_fun(self.rule)

        def transposed(*xs):
            return jax.linear_transpose(lambda *cotangents: rule(*xs, *cotangents), *shapes[count:])(
                [jnp.zeros(a.shape, a.dtype) for a in self.rule.out_avals])

        try:
            jax.eval_shape(transposed, *shapes[:count])
        except Exception:  # JAX has no common one for this
            return False
        return True

    def differs_at(self, xs):
        """True if the derivative is not that of the function at `xs`, for cotangents drawn at random."""
        rng = np.random.default_rng(1)
        avals = [self.alone.out_avals[i] for i in self.results]
        cotangents = [jnp.asarray(rng.uniform(-1, 1, a.shape), a.dtype) for a in avals]
        xs = [jnp.asarray(x) for x in xs]
        theirs = self.vjp(self.custom, xs, cotangents)
        try:
            ours = self.vjp(self.plain, xs, cotangents)
        except Exception:  # whatever JAX cannot differentiate: a loop, a callback
            return True
        types = [a.dtype for a in (*self.alone.in_avals, *self.alone.out_avals) if _is_float(a)]
        epsilon = max(float(jnp.finfo(t).eps) for t in types)
        tolerance = max(8 * epsilon, min(1e3 * epsilon, 1e-4))
        for a, b in zip(theirs, ours):
            a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
            finite = np.abs(np.concatenate([a.ravel(), b.ravel()]))
            scale = finite[np.isfinite(finite)].max(initial=0)
            if not np.allclose(a, b, atol=tolerance * scale, rtol=0, equal_nan=True):
                return True
        return False


# ---------------------------------------------------------------- which derivatives differ

# More elements are not drawn at random.
_DRAWN_ELEMENTS = 1 << 22
_JAX_FOLDER = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
# Equations that run one jaxpr on their operands, once.
_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", *_CUSTOM)


def _inner(eqn):
    """The jaxprs in the parameters of an equation."""
    for value in eqn.params.values():
        for x in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(x, (core.ClosedJaxpr, core.Jaxpr)):
                yield _closed(x)


class _Differences:
    """Finds the equations whose custom derivative differs from that of their function: on random numbers, and where the
    program's own values are known, at those. A rule that is not linear in the cotangents differs whatever the values."""

    def __init__(self, closed, args):
        self.customs = {}  # by id of the equation; the equation lives as long as the entry
        self.differing = set()
        self.drawn = {}
        self.known = args is not None
        self.open = {}
        self.draw(closed.jaxpr)
        if self.known and self.has_open(closed.jaxpr):
            self.run(closed, args)

    def __contains__(self, eqn):
        return id(eqn) in self.differing

    # ---- random numbers

    def draw(self, jaxpr):
        if id(jaxpr) in self.open:
            return
        self.open[id(jaxpr)] = False
        for eqn in jaxpr.eqns:
            if eqn.primitive.name in (*_CUSTOM, _SOLVE, _SERIES):
                custom = self.customs[id(eqn)] = _Custom(eqn)
                if custom.floats and custom.results:
                    if self.differs_somewhere(custom):
                        self.differing.add(id(eqn))
                        continue
                    self.open[id(jaxpr)] = True
            for inner in _inner(eqn):
                self.draw(inner.jaxpr)
                self.open[id(jaxpr)] |= self.open[id(inner.jaxpr)]

    def has_open(self, jaxpr):
        """True if some derivative in the jaxpr was equal on random numbers, but may differ at the program's values."""
        return self.open.get(id(jaxpr), False)

    def differs_somewhere(self, custom):
        """Tries functions with equal texts once; they also share their rule."""
        key = (str(custom.call), str(custom.rule), *(id(c) for c in (*custom.call.consts, *custom.rule.consts)))
        if key not in self.drawn:
            self.drawn[key] = (custom, self.draw_one(custom))
        first, answer = self.drawn[key]
        custom.rule, custom.jitted_rule = first.rule, first.jitted_rule
        return answer

    def draw_one(self, custom):
        name = custom.eqn.primitive.name
        if custom.file in _OURS:
            return True
        if name in (_SOLVE, _SERIES) or name == "custom_vjp_call" and not custom.is_linear():
            return True
        shapes = [v.aval for v in custom.variables]
        if sum(int(np.prod(s.shape)) for s in shapes) > _DRAWN_ELEMENTS:
            return not self.known and not custom.file.startswith(_JAX_FOLDER)
        rng = np.random.default_rng(0)

        def sample(s, draw):
            if _is_float(s):
                return jnp.asarray(draw(s.shape), s.dtype)
            if s.dtype == jax.random.key(0).dtype:
                return jax.random.split(jax.random.key(0), s.shape)
            return jnp.asarray(rng.integers(0, 2, s.shape), s.dtype)

        # The domain of logarithms and their like, values of all sizes and signs, and those at which functions have kinks.
        draws = (lambda shape: rng.uniform(0.05, 0.95, shape), lambda shape: rng.normal(0, 3, shape),
                 lambda shape: rng.normal(0, 1e3, shape), lambda shape: rng.integers(-1, 2, shape))
        try:
            values = [[sample(s, draw) for s in shapes] for draw in draws]
        except TypeError:
            return True
        return any(custom.differs_at(xs) for xs in values)

    # ---- the program's values

    def run(self, closed, args):
        """The results of a jaxpr, with every derivative in it that is still open tried at its operands."""
        jaxpr = closed.jaxpr
        values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*closed.consts, *args)))
        last = {v: i for i, eqn in enumerate(jaxpr.eqns) for v in eqn.invars if isinstance(v, core.Var)}
        kept = {v for v in jaxpr.outvars if isinstance(v, core.Var)}

        def read(v):
            return v.val if isinstance(v, core.Literal) else values[v]

        for i, eqn in enumerate(jaxpr.eqns):
            operands = [read(v) for v in eqn.invars]
            results = self.run_equation(eqn, operands)
            values.update((v, r) for v, r in zip(eqn.outvars, results) if v in last or v in kept)
            for v in {v for v in eqn.invars if isinstance(v, core.Var)}:
                if last[v] == i and v not in kept:
                    values.pop(v, None)
        return [read(v) for v in jaxpr.outvars]

    def run_equation(self, eqn, operands):
        custom = self.customs.get(id(eqn))
        if custom and id(eqn) not in self.differing and custom.floats and custom.results:
            given = {v: x for v, x in zip(eqn.invars, operands) if isinstance(v, core.Var)}
            if custom.differs_at([given[v] for v in custom.variables]):
                self.differing.add(id(eqn))
        inner = [j for j in _inner(eqn) if self.has_open(j.jaxpr)]
        if inner and id(eqn) not in self.differing:
            name, params = eqn.primitive.name, eqn.params
            if name in _CALLS:
                return self.run(inner[0], operands)
            if name == "cond":
                index, *rest = operands
                branches = params["branches"]
                return self.run(branches[int(np.clip(int(index), 0, len(branches) - 1))], rest)
            if name == "scan" and params["length"] > 0:
                # The first step alone; the rules of the others were tried on random numbers.
                fixed = params["num_consts"] + params["num_carry"]
                at = -1 if params["reverse"] else 0
                self.run(params["jaxpr"], [*operands[:fixed], *(x[at] for x in operands[fixed:])])
            elif name == "while":
                conds = params["cond_nconsts"]
                self.run(params["body_jaxpr"], operands[conds:])
        variables, alone = _alone(eqn)
        given = {v: x for v, x in zip(eqn.invars, operands) if isinstance(v, core.Var)}
        return core.jaxpr_as_fun(alone)(*(given[v] for v in variables))


# ---------------------------------------------------------------- the whole program


class _Change:
    """Makes a jaxpr with other equations, in those inside of it, too."""

    def __init__(self):
        self.done = {}

    def jaxpr(self, jaxpr):
        # A function that is called twice stays one function.
        if id(jaxpr) not in self.done:
            eqns = [self.equation(eqn) for eqn in jaxpr.eqns]
            changed = any(a is not b for a, b in zip(eqns, jaxpr.eqns))
            self.done[id(jaxpr)] = jaxpr.replace(eqns=eqns) if changed else jaxpr
        return self.done[id(jaxpr)]

    def equation(self, eqn):
        params = {name: self.parameter(value) for name, value in eqn.params.items()}
        return eqn if all(params[k] is v for k, v in eqn.params.items()) else eqn.replace(params=params)

    def parameter(self, value):
        if isinstance(value, core.ClosedJaxpr):
            jaxpr = self.jaxpr(value.jaxpr)
            return value if jaxpr is value.jaxpr else value.replace(jaxpr=jaxpr)
        if isinstance(value, core.Jaxpr):
            return self.jaxpr(value)
        if isinstance(value, tuple):
            values = tuple(self.parameter(v) for v in value)
            return value if all(a is b for a, b in zip(values, value)) else values
        return value


class _Expand(_Change):
    """Replaces primitives by the functions of _samples.py and _special.py."""

    def equation(self, eqn):
        function = _special.function_of(eqn) or _samples.function_of(eqn)
        if function is None:
            return super().equation(eqn)
        closed = jax.make_jaxpr(jax.jit(function))(*(jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars))
        (call,) = closed.jaxpr.eqns
        return eqn.replace(primitive=call.primitive, params=call.params)


class _Keep(_Change):
    """Replaces what JAX's lowering loses."""

    def __init__(self, differences):
        super().__init__()
        self.differences = differences

    def equation(self, eqn):
        if eqn.primitive is jax.lax.stop_gradient_p:
            return eqn.replace(primitive=stop_gradient_p, params={})
        if eqn in self.differences:
            custom = self.differences.customs[id(eqn)]
            params = {"call": custom.alone, "rule": custom.jitted_rule, "cotangents": tuple(custom.rule.out_avals)}
            return eqn.replace(primitive=custom_derivative_p, invars=custom.variables, params=params)
        return super().equation(eqn)


def _set_attributes(function, name, given, count):
    """Adds attributes to the arguments or results of a function."""
    if given is None:
        return
    if len(given) != count:
        raise ValueError(f"expected attributes for {count} values in {name}, got {len(given)}")
    ir = mlir.ir
    old = [*function.attributes[name]] if name in function.attributes else [ir.DictAttr.get({})] * count
    new = []
    for attributes, added in zip(old, given):
        entries = {entry.name: entry.attr for entry in attributes}
        for key, value in (added or {}).items():
            entries[key] = mlir.ir_attribute(value)
        new.append(ir.DictAttr.get(entries))
    function.attributes[name] = ir.ArrayAttr.get(new)


def lower(function, *args, argument_attributes=None, result_attributes=None):
    """The text of `function` at `args` (pytrees of arrays or of jax.ShapeDtypeStruct), with locations.

    Parameters that the function does not read are arguments, too. `argument_attributes` and `result_attributes` are lists
    of dictionaries (or None) from names to strings or numbers, one for each array, in the order of the flattened pytrees;
    they are added to the attributes of @main."""
    closed, shapes = jax.make_jaxpr(function, return_shape=True)(*args)
    closed = closed.replace(jaxpr=_Expand().jaxpr(closed.jaxpr))
    tree = jax.tree.structure(shapes)
    leaves = jax.tree.leaves(args)
    known = not any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves)
    differences = _Differences(closed, leaves if known else None)
    kept = core.jaxpr_as_fun(closed.replace(jaxpr=_Keep(differences).jaxpr(closed.jaxpr)))

    @functools.wraps(function)
    def program(*args):
        return jax.tree.unflatten(tree, kept(*jax.tree.leaves(args)))

    lowered = jax.jit(program, keep_unused=True).lower(*args)
    module = lowered.compiler_ir("stablehlo")
    with module.context:
        main = next(op for op in module.body.operations if op.attributes["sym_name"].value == "main")
        _set_attributes(main, "arg_attrs", argument_attributes, len(leaves))
        _set_attributes(main, "res_attrs", result_attributes, tree.num_leaves)
    return lowered.as_text(debug_info=True)

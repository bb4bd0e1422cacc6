# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a JAX function compute in float64: wide() traces it in float32, and evaluates its jaxpr with every float32 value as a float64.

The function stays the same to the last constant and the last random bit, whatever its library writes about types. Functions
without a derivative, or with one of their own (stop_gradient, relu), stay so. Integers, booleans and narrower floats stay as they
are.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
SCATTERS = {"scatter": lax.scatter, "scatter-add": lax.scatter_add, "scatter-sub": lax.scatter_sub, "scatter-mul": lax.scatter_mul,
            "scatter-min": lax.scatter_min, "scatter-max": lax.scatter_max}
SCATTER_OPTIONS = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")


def widen(x):
    return jnp.asarray(x, F64) if getattr(x, "dtype", None) == F32 else x


def wide_parameters(params):
    """dtype=float32 of an iota, new_dtype of a conversion, preferred_element_type of a product, ..."""
    return {k: F64 if isinstance(v, (np.dtype, type)) and v == F32 else v for k, v in params.items()}


def inner_jaxpr(params):
    for name in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        if name in params:
            inner = params[name]
            return inner if isinstance(inner, core.ClosedJaxpr) else core.ClosedJaxpr(inner, ())
    return None


def scan(eqn, args):
    p = eqn.params
    consts, carries = p["num_consts"], p["num_carry"]

    def body(carry, xs):
        out = run(p["jaxpr"], *args[:consts], *carry, *xs)
        return tuple(out[:carries]), tuple(out[carries:])

    carry, ys = lax.scan(body, tuple(args[consts:consts + carries]), tuple(args[consts + carries:]), p["length"], p["reverse"])
    return [*carry, *ys]


def loop(eqn, args):
    p = eqn.params
    c, b = p["cond_nconsts"], p["body_nconsts"]
    return lax.while_loop(lambda s: run(p["cond_jaxpr"], *args[:c], *s)[0], lambda s: tuple(run(p["body_jaxpr"], *args[c:c + b], *s)),
                          tuple(args[c + b:]))


def branch(eqn, args):
    index, *rest = args
    return lax.switch(index, [lambda *a, j=j: tuple(run(j, *a)) for j in eqn.params["branches"]], *rest)


def bits(eqn, args):
    """Bits are those of a float32; what they mean is widened."""
    x, = args
    x = x.astype(F32) if eqn.invars[0].aval.dtype == F32 else x
    return [widen(lax.bitcast_convert_type(x, eqn.params["new_dtype"]))]


def windows(eqn, args):
    """A window's reducer is a jaxpr, of constants too."""
    p, n = eqn.params, len(args) // 2
    closed = core.ClosedJaxpr(p["jaxpr"], p["consts"])
    options = {k: p[k] for k in ("window_dimensions", "window_strides", "padding", "base_dilation", "window_dilation")}
    return lax.reduce_window(tuple(args[:n]), tuple(args[n:]), lambda a, b: tuple(run(closed, *a, *b)), **options)


SPECIAL = {"scan": scan, "while": loop, "cond": branch, "bitcast_convert_type": bits, "reduce_window": windows,
           "reduce_precision": lambda eqn, args: args}


def step(eqn, args):
    name = eqn.primitive.name
    if name in SPECIAL:
        return SPECIAL[name](eqn, args)
    if name.replace("_", "-") in SCATTERS:
        return [SCATTERS[name.replace("_", "-")](*args, **{k: eqn.params[k] for k in SCATTER_OPTIONS})]
    inner = inner_jaxpr(eqn.params)
    if inner is not None and name.startswith(("jit", "pjit", "custom_", "closed_call", "core_call", "remat", "checkpoint")):
        called = eqn.params.get("name") or getattr(inner.jaxpr.debug_info, "func_name", "")
        return [jax.nn.relu(*args)] if called == "relu" and name.startswith("custom_jvp") else run(inner, *args)
    out = eqn.primitive.bind(*args, **wide_parameters(eqn.primitive.get_bind_params(eqn.params)))
    return out if eqn.primitive.multiple_results else [out]


def run(closed, *args):
    values = dict(zip(closed.jaxpr.constvars, map(widen, closed.consts)))
    values.update(zip(closed.jaxpr.invars, args))

    def read(v):
        return widen(jnp.asarray(v.val, v.aval.dtype)) if isinstance(v, core.Literal) else values[v]

    for eqn in closed.jaxpr.eqns:
        values.update(zip(eqn.outvars, map(widen, step(eqn, [read(v) for v in eqn.invars]))))
    return [read(v) for v in closed.jaxpr.outvars]


def wide(function, *example):
    """`function` in float64; to be called with arguments of the example's structure, under jax.enable_x64(True)."""
    closed, shape = jax.make_jaxpr(function, return_shape=True)(*example)
    structure = jax.tree.structure(shape)

    def f(*args):
        return jax.tree.unflatten(structure, run(closed, *(widen(jnp.asarray(x)) for x in jax.tree.leaves(args))))

    return f

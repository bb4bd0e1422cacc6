#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a JAX loss function to a text that zcc reads, with the derivatives that its text alone would lose.

    jax.py train.py:loss --params train.py:params --batch train.py:batch -o model
    jax.py my.package:loss --params weights.safetensors --batch my.package:example --init my.package:init -o model

Writes to the folder: loss.mlir, params.safetensors, batches.safetensors (one step, for shapes and a first try) and, with
--init, init.mlir. `loss(params, batch)` returns a float scalar, or that and metrics. FILE.py:NAME or MODULE:NAME names a
pytree of arrays, or a function without arguments that returns one.

What JAX's own text loses is kept or refused:
- jax.lax.stop_gradient becomes a custom call of @zcc.stop_gradient;
- a custom derivative (custom_jvp, custom_vjp) is compared, on random numbers, with the derivative of the function that it
  belongs to, which is the one that zcc makes. If they differ, it is refused, with its name and place. jax.nn.relu is known to zcc.

Needs jax, numpy and safetensors.
"""
import os
import sys

# This file's folder is first on the path, where it would hide jax itself.
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != _here]
sys.path.insert(0, os.getcwd())

import argparse  # noqa: E402
import importlib  # noqa: E402
import importlib.util  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.extend import core  # noqa: E402
from jax.interpreters import mlir  # noqa: E402

# Derivatives that differ from their function's on a set of measure zero, where zcc knows better.
KNOWN = {"relu"}
# A custom derivative of larger operands is not tried out.
TRIED_ELEMENTS = 1 << 24


class Refused(Exception):
    """A message for the user."""


def find(spec):
    """The object that MODULE:NAME or FILE.py:NAME names."""
    where, colon, name = spec.rpartition(":")
    if not colon:
        raise Refused(f"expected MODULE:NAME or FILE.py:NAME, got '{spec}'")
    if where.endswith(".py"):
        if not os.path.exists(where):
            raise Refused(f"no file '{where}'")
        sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
        module_spec = importlib.util.spec_from_file_location(os.path.basename(where)[:-3], where)
        module = importlib.util.module_from_spec(module_spec)
        sys.modules[module_spec.name] = module
        module_spec.loader.exec_module(module)
    else:
        module = importlib.import_module(where)
    for part in name.split("."):
        if not hasattr(module, part):
            raise Refused(f"'{where}' has no '{name}'")
        module = getattr(module, part)
    return module


def name_of(path):
    """blocks.0.attn.wo: as zcc names the leaf at this path."""
    return ".".join(str(getattr(k, "key", getattr(k, "idx", getattr(k, "name", k)))) for k in path)


def read_tree(spec):
    """A pytree of arrays (or shapes), from a name or a safetensors file."""
    if spec.endswith(".safetensors"):
        if not os.path.exists(spec):
            raise Refused(f"no file '{spec}'")
        from safetensors.numpy import load_file

        return unflatten(load_file(spec))
    tree = find(spec)
    return tree() if callable(tree) else tree


def unflatten(tensors):
    """Nested dictionaries (lists where the keys are 0, 1, ...) from names with dots."""
    tree = {}
    for name, array in tensors.items():
        node = tree
        *folders, leaf = name.split(".")
        for part in folders:
            node = node.setdefault(part, {})
        node[leaf] = array

    def lists(node):
        if not isinstance(node, dict):
            return node
        node = {k: lists(v) for k, v in node.items()}
        if node and all(str(i) in node for i in range(len(node))):
            return [node[str(i)] for i in range(len(node))]
        return node

    return lists(tree)


def write_tree(tree, path, what):
    """Writes the leaves by name; leaves that are only shapes are left out."""
    from safetensors.numpy import save_file

    leaves = jax.tree_util.tree_leaves_with_path(tree)
    if any(isinstance(leaf, jax.ShapeDtypeStruct) for _, leaf in leaves):
        print(f"{what} are shapes only: {path} is not written")
        return
    tensors = {name_of(p) or what: np.asarray(leaf, order="C") for p, leaf in leaves}  # ascontiguousarray makes vectors of scalars
    if len(tensors) != len(leaves):
        raise Refused(f"two {what} have one name")
    save_file(tensors, path)


# ---------------------------------------------------------------- derivatives


def keep_stop_gradient():
    """From here on, stop_gradient is lowered to a custom call instead of nothing."""
    mlir.register_lowering(jax.lax.stop_gradient_p, jax.ffi.ffi_lowering("zcc.stop_gradient"))


def place_of(eqn):
    """FILE:LINE of the user's code."""
    try:
        from jax._src import source_info_util

        return source_info_util.summarize(eqn.source_info)
    except ImportError:
        return "unknown place"


def sub_jaxprs(params):
    for value in params.values():
        for x in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(x, "jaxpr"):
                yield x.jaxpr
            elif hasattr(x, "eqns"):
                yield x


def check_derivatives(jaxpr, seen):
    """Refuses custom derivatives that are not those of their function."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name.startswith(("custom_jvp_call", "custom_vjp_call")):
            check_custom(eqn, seen)
        for inner in sub_jaxprs(eqn.params):
            check_derivatives(inner, seen)


def check_custom(eqn, seen):
    call = eqn.params.get("call_jaxpr") or eqn.params.get("fun_jaxpr")
    name = eqn.params.get("name") or getattr(getattr(call, "jaxpr", call), "debug_info", None)
    name = name if isinstance(name, str) else getattr(name, "func_name", "a function")
    key = (name, str([v.aval for v in eqn.invars]), str(call))
    if name in KNOWN or key in seen:
        return
    seen.add(key)
    # A program of this one equation, whose rule JAX applies, and the function itself.
    variables = list(dict.fromkeys(v for v in eqn.invars if not isinstance(v, core.Literal)))
    custom = core.jaxpr_as_fun(core.ClosedJaxpr(core.Jaxpr([], variables, eqn.outvars, [eqn]), []))

    def plain(*args):
        values = dict(zip(variables, args))
        return core.jaxpr_as_fun(call)(*(v.val if isinstance(v, core.Literal) else values[v] for v in eqn.invars))

    shapes = [v.aval for v in variables]
    if sum(int(np.prod(s.shape)) for s in shapes) > TRIED_ELEMENTS:
        raise Refused(f"{place_of(eqn)}: the custom derivative of '{name}' is too large to be compared with that of its function: "
                      "try it with a smaller model")
    rng = np.random.default_rng(0)

    def sample(s):
        if jnp.issubdtype(s.dtype, jnp.floating):
            return jnp.asarray(rng.uniform(0.05, 0.95, s.shape), s.dtype)
        return jnp.asarray(rng.integers(0, 2, s.shape), s.dtype)

    args = [sample(s) for s in shapes]
    floats = [i for i, s in enumerate(shapes) if jnp.issubdtype(s.dtype, jnp.floating)]

    def gradients(f):
        def total(*xs):
            full = list(args)
            for i, x in zip(floats, xs):
                full[i] = x
            out = f(*full)
            weights = np.random.default_rng(1)
            return sum(jnp.sum(o * jnp.asarray(weights.uniform(-1, 1, o.shape), o.dtype))
                       for o in jax.tree.leaves(out) if jnp.issubdtype(o.dtype, jnp.floating))

        return jax.grad(total, argnums=tuple(range(len(floats))))(*(args[i] for i in floats))

    try:
        theirs, ours = gradients(custom), gradients(plain)
    except Exception as error:  # whatever the user's rule does
        raise Refused(f"{place_of(eqn)}: the custom derivative of '{name}' cannot be compared with that of its function: {error}")
    for a, b in zip(theirs, ours):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        scale = max(1e-6, np.abs(b).max(initial=0), np.abs(a).max(initial=0))
        if not np.allclose(a, b, atol=1e-2 * scale, rtol=0, equal_nan=True):
            raise Refused(f"{place_of(eqn)}: the custom derivative of '{name}' is not that of its function, which is what zcc would "
                          "use: write it with jax.lax.stop_gradient, or without a custom rule")


# ---------------------------------------------------------------- the program


def lower(function, *args):
    return jax.jit(function, keep_unused=True).lower(*args).as_text(debug_info=True)


def export(options):
    loss = find(options.loss)
    params, batch = read_tree(options.params), read_tree(options.batch)
    closed = jax.make_jaxpr(loss)(params, batch)
    first = closed.out_avals[0] if closed.out_avals else None
    if first is None or first.shape or not jnp.issubdtype(first.dtype, jnp.floating):
        raise Refused(f"'{options.loss}' must return a float scalar (and metrics), got {first}")
    check_derivatives(closed.jaxpr, set())
    keep_stop_gradient()
    os.makedirs(options.output, exist_ok=True)

    def write(name, text):
        with open(os.path.join(options.output, name), "w") as f:
            f.write(text)

    write("loss.mlir", lower(loss, params, batch))
    write_tree(params, os.path.join(options.output, "params.safetensors"), "parameters")
    step = jax.tree.map(lambda a: a if isinstance(a, jax.ShapeDtypeStruct) else np.asarray(a)[None], batch)
    write_tree(step, os.path.join(options.output, "batches.safetensors"), "inputs")
    if options.init:
        write("init.mlir", lower(find(options.init), np.zeros(2, np.uint32)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("loss", help="MODULE:NAME or FILE.py:NAME of loss(params, batch)")
    parser.add_argument("--params", required=True, help="pytree of parameters: MODULE:NAME, FILE.py:NAME or FILE.safetensors")
    parser.add_argument("--batch", required=True, help="pytree of inputs, one step's: the same")
    parser.add_argument("--init", help="init(key) that returns the parameters, from a uint32[2] key")
    parser.add_argument("-o", "--output", default=".", help="folder to write to [.]")
    try:
        export(parser.parse_args())
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

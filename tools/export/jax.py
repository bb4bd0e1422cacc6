#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a JAX loss function to a text that zcc reads, with the derivatives that its text alone would lose.

    jax.py train.py:loss --params train.py:params --batch train.py:batch -o model
    jax.py my.package:loss --params weights.safetensors --batch my.package:example --init my.package:init -o model

Writes to the folder: loss.mlir, params.safetensors, batches.safetensors (one step, for shapes and a first try) and, with
--init, init.mlir. `loss(params, batch)` returns a float scalar, or that and metrics. FILE.py:NAME or MODULE:NAME names a
pytree of arrays, or a function without arguments that returns one.

It keeps what JAX's own text loses: jax.lax.stop_gradient, and custom derivatives (custom_jvp, custom_vjp) that are
not those of their functions; python/zcc/_derivatives.py says how.

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
import types  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

# The folder of the package zcc, beside that of the tools. The package itself is not imported: it needs the library.
_package = types.ModuleType("zcc_export")
_package.__path__ = [os.path.join(_here, "..", "..", "python", "zcc")]
sys.modules[_package.__name__] = _package
derivatives = importlib.import_module("zcc_export._derivatives")
lower = derivatives.lower


class Refused(Exception):
    """A message for the user."""


files = {}  # the modules of files that ran


def find(spec):
    """The object that MODULE:NAME or FILE.py:NAME names. A file runs once, however many options name it."""
    where, colon, name = spec.rpartition(":")
    if not colon:
        raise Refused(f"expected MODULE:NAME or FILE.py:NAME, got '{spec}'")
    if where.endswith(".py"):
        if not os.path.exists(where):
            raise Refused(f"no file '{where}'")
        file = os.path.realpath(where)
        if file not in files:
            sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
            module_spec = importlib.util.spec_from_file_location(os.path.basename(where)[:-3], where)
            files[file] = sys.modules[module_spec.name] = importlib.util.module_from_spec(module_spec)
            module_spec.loader.exec_module(files[file])
        module = files[file]
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
    # A pytree of a class of its own may be called, too, such as a module of equinox; a function is a leaf.
    return tree() if callable(tree) and jax.tree_util.all_leaves([tree]) else tree


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


# ---------------------------------------------------------------- the program


def export(options):
    loss = find(options.loss)
    params, batch = read_tree(options.params), read_tree(options.batch)
    closed = jax.make_jaxpr(loss)(params, batch)
    first = closed.out_avals[0] if closed.out_avals else None
    if first is None or first.shape or not jnp.issubdtype(first.dtype, jnp.floating):
        raise Refused(f"'{options.loss}' must return a float scalar (and metrics), got {first}")
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
    except (Refused, derivatives.DerivativeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

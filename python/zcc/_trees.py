# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees of arrays: dictionaries, lists, tuples, dataclasses, and whatever jax knows as a tree.

A leaf is named by its path, as zcc names parameters: {"layers": [{"w": ...}]} has the leaf "layers.0.w".
"""
import dataclasses
import sys

from ._errors import refuse


class Tree:
    """The leaves of a tree by name, and the way back."""

    def __init__(self, names, leaves, rebuild):
        self.names, self.leaves, self._rebuild = names, leaves, rebuild

    def rebuild(self, leaves):
        """Returns a tree of the same form with other leaves."""
        return self._rebuild(list(leaves))


def flatten(tree, name, alone=None):
    """Returns the Tree of `tree`; `name` is what it is called in messages, `alone` the name of a leaf that is the whole tree."""
    if "jax" in sys.modules:
        try:
            names, leaves, rebuild = _flatten_jax(_registered(tree))
        except ValueError as error:  # keys of several kinds in one dictionary
            refuse(f"{name}: {str(error).splitlines()[0]}")
    else:
        paths, leaves = [], []
        rebuild = _walk(tree, (), paths, leaves)
        names = [".".join(p) for p in paths]
    names = [n or alone or name for n in names]
    seen = set()
    for each in names:
        if each in seen:
            refuse(f"{name}: two leaves are named '{each}': rename a key")
        seen.add(each)
    return Tree(names, leaves, rebuild)


def _key(key):
    """Returns the text of a key of jax's paths."""
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def _flatten_jax(tree):
    import jax

    found, structure = jax.tree_util.tree_flatten_with_path(tree)
    names = [".".join(_key(k) for k in path) for path, _ in found]
    return names, [leaf for _, leaf in found], structure.unflatten


def _registered(tree):
    """Returns the tree; dataclasses in it that jax does not know are made known to it."""
    import jax

    for leaf in jax.tree_util.tree_leaves(tree):
        kind = type(leaf)
        if dataclasses.is_dataclass(kind) and not hasattr(leaf, "dtype"):
            fields = [f.name for f in dataclasses.fields(kind)]
            jax.tree_util.register_dataclass(kind, fields, [])
            return _registered(tree)
    return tree


def _walk(tree, path, paths, leaves):
    """Appends the leaves below `path`; returns a function that takes a list of all leaves and makes the subtree of them."""
    if tree is None:
        return lambda _: None
    if isinstance(tree, dict):
        # jax sorts keys, and so do we: names and order do not depend on what is installed.
        try:
            keys = sorted(tree)
        except TypeError:  # keys of several kinds, which jax refuses
            keys = sorted(tree, key=str)
        made = [(k, _walk(tree[k], path + (str(k),), paths, leaves)) for k in keys]
        kind = type(tree)
        return lambda all: kind((k, f(all)) for k, f in made) if kind is not dict else {k: f(all) for k, f in made}
    if isinstance(tree, (list, tuple)):
        fields = getattr(tree, "_fields", None)
        keys = fields or range(len(tree))
        made = [_walk(x, path + (str(k),), paths, leaves) for k, x in zip(keys, tree)]
        kind = type(tree)
        return lambda all: kind(*(f(all) for f in made)) if fields else kind(f(all) for f in made)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in dataclasses.fields(tree)]
        made = [(n, _walk(getattr(tree, n), path + (n,), paths, leaves)) for n in names]
        return lambda all: dataclasses.replace(tree, **{n: f(all) for n, f in made})
    at = len(leaves)
    paths.append(path)
    leaves.append(tree)
    return lambda all: all[at]

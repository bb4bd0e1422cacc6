# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A JAX function of trees as a text that zcc reads.

Every argument and result of the text carries its name as an attribute (docs/reference.md): zcc.parameter, zcc.state,
zcc.input, zcc.key and zcc.result. So names do not depend on how JAX prints its locations.
"""
import inspect
import re
from collections import Counter

from . import _derivatives
from ._arrays import BITS, Spec, check_type, has_values, is_exporter, is_torch, numpy_of, spec_of
from ._errors import Error, refuse
from ._locations import without_callers
from ._traced import STEP_RESULTS, Traced, name_of
from ._trees import flatten

def takes_key(function):
    """Returns True if the last argument is called `key`."""
    names = _arguments(function)
    return len(names) > 1 and names[-1] == "key"


def takes_state(function):
    """Returns True for function(params, state, batch) and function(params, state, batch, key)."""
    return len(_arguments(function)) - takes_key(function) == 3


def _arguments(function):
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty or p.name == "key"]


def place_of(function):
    """Returns FILE.py:LINE of the function's definition, or None."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else None


class Arguments:
    """The arguments of a loss: trees of parameters, of variables and of a batch, with the names of their leaves."""

    def __init__(self, params, state, batch, key):
        self.params = flatten(params, "params")
        self.state = None if state is None else flatten(state, "state")
        self.batch = flatten(batch, "batch")
        self.key = key
        taken = set(self.params.names)
        # Parameters and variables are in one checkpoint, by name.
        self.state_names = [] if state is None else [f"state.{n}" if n in taken else n for n in self.state.names]

    def leaves(self):
        """Returns all leaves, in the order of the text's arguments, without the key."""
        return self.params.leaves + (self.state.leaves if self.state else []) + self.batch.leaves

    def attributes(self):
        """Returns the attributes of the text's arguments."""
        found = [{"zcc.parameter": n} for n in self.params.names]
        found += [{"zcc.state": n} for n in self.state_names]
        found += [{"zcc.input": n} for n in self.batch.names]
        return found + ([{"zcc.input": "key", "zcc.key": True}] if self.key else [])

    def call(self, function, leaves):
        """Calls the function with trees of the leaves, the key last."""
        leaves = list(leaves)
        key = [_key_of(leaves.pop())] if self.key else []
        trees = [self.params.rebuild(leaves[: len(self.params.leaves)])]
        at = len(self.params.leaves)
        if self.state is not None and self.passes_state:
            trees.append(self.state.rebuild(leaves[at: at + len(self.state.leaves)]))
        at += len(self.state.leaves) if self.state else 0
        return function(*trees, self.batch.rebuild(leaves[at:]), *key)


def _key_of(words):
    """Returns a key of JAX's default kind from the two words of one of Threefry, which key_of() has made for a step."""
    import jax

    kind = jax.config.jax_default_prng_impl
    if kind == "rbg":  # two keys of Threefry, which seeds and fold_in treat alike
        words = jax.numpy.concatenate([words, words])
    elif kind != "threefry2x32":
        refuse(f"key: expected keys of kind threefry2x32 or rbg, found {kind}, the option jax_default_prng_impl of JAX")
    return jax.random.wrap_key_data(words)


def _abstract(leaf, name):
    """Returns the leaf as an argument of the traced function: with its values if it has some."""
    import jax
    import numpy as np

    if isinstance(leaf, (bool, int, float)):
        leaf = np.asarray(leaf)
    if is_torch(leaf) or is_exporter(leaf):
        spec = spec_of(leaf, name)
        leaf = jax.ShapeDtypeStruct(spec.shape, spec.type) if not has_values(leaf) or spec.type in BITS else numpy_of(leaf, name)
    if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
        refuse(f"{name}: expected an array or a number, found {type(leaf).__name__}")
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended):
        refuse(f"{name}: expected numbers, found {leaf.dtype}: pass the words of a key, jax.random.key_data(key), and let the "
               "function take jax.random.wrap_key_data(words)")
    check_type(spec_of(leaf, name), name)
    dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
    if not dtype.isnative:
        dtype = dtype.newbyteorder("=")
    if has_values(leaf) and isinstance(leaf, (np.ndarray, np.generic, jax.Array)):
        return np.asarray(leaf).astype(dtype, copy=False) if isinstance(leaf, (np.ndarray, np.generic)) else leaf
    return jax.ShapeDtypeStruct(leaf.shape, dtype)


def trace(function, params, batch, state=None, *, trains, values=True):
    """Returns the Traced of function(params[, state], batch[, key]).

    `trains`: the function is a loss, which returns a float scalar, (scalar, metrics), or with a state
    (scalar, (new state, metrics)). Else it may return anything. Without `values` its custom derivatives are tried out on
    random numbers, and not on those of params and batch.
    """
    import jax

    arguments = Arguments(params, state, batch, takes_key(function))
    arguments.passes_state = state is not None and (trains or takes_state(function))
    _check_arguments(function, arguments)
    names = [next(iter(a.values())) for a in arguments.attributes()]
    leaves = [_abstract(leaf, n) for leaf, n in zip(arguments.leaves(), names)]
    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves]
    key = [jax.ShapeDtypeStruct((2,), "uint32")] if arguments.key else []
    form = {}

    def flat(*leaves):
        found, form["results"] = _results(function, arguments, arguments.call(function, leaves), trains)
        return found

    jax.eval_shape(flat, *shapes, *key)
    results = form["results"]
    given = leaves if values else shapes
    text = _derivatives.lower(flat, *given, *key, argument_attributes=arguments.attributes(),
                              result_attributes=results.attributes())
    text = _with_names(without_callers(text), [*names, "key"])
    specs = [Spec(x.dtype.name, x.shape) for x in shapes]
    kept = len(specs) - len(arguments.batch.leaves)
    return Traced(text=text, arguments=arguments, keyed=arguments.key,
                  parameters=dict(zip(names[:kept], specs[:kept])), inputs=dict(zip(names[kept:], specs[kept:])),
                  unused=_unused(text, list(arguments.params.names)),
                  scalars=results.scalars, outputs=results.outputs, rebuild=results.rebuild, place=place_of(function))


def _check_arguments(function, arguments):
    """Refuses a function that cannot be called with the arguments that it would get."""
    given = ["params"] + ["state"] * arguments.passes_state + ["batch"] + ["key"] * arguments.key
    try:
        inspect.signature(function).bind(*given)
    except TypeError as error:
        raise Error(f"'{name_of(function)}' must take ({', '.join(given)}): {error}", place_of(function)) from None
    except ValueError:  # builtins do not say what they take
        pass


def _with_names(text, names):
    """Returns the text with the names of the arguments for the places `leaves[N]` that JAX gives them."""
    def name(match):
        escaped = (f"\\{ord(c):02X}" if c in '"\\' or ord(c) < 32 else c for c in names[int(match[1])])
        return 'loc("' + "".join(escaped) + '")'

    return re.sub(r'loc\("leaves\[(\d+)\]"\)', name, text)


def _unused(text, parameters):
    """Returns the parameters that the text's main function does not read; they are its first arguments."""
    main = text[text.index("@main("):]
    end = main.find("func.func ")
    read = Counter(re.findall(r"%arg\d+\b", main[:end] if end >= 0 else main))
    return [n for i, n in enumerate(parameters) if read[f"%arg{i}"] == 1]


class _Results:
    """The names of a function's results in order, and its new variables."""

    def __init__(self, names, shapes, new_state, rebuild):
        self.names, self.new_state, self.rebuild = names, new_state, rebuild
        numbers = [not s.shape for s in shapes]
        self.scalars = [n for n, is_number in zip(names, numbers) if is_number]
        self.outputs = {n: Spec(s.dtype.name, s.shape) for n, s, is_number in zip(names, shapes, numbers) if not is_number}

    def attributes(self):
        return [{"zcc.result": n} for n in self.names] + [{"zcc.state": n} for n in self.new_state]


def _is_scalar(value):
    import jax.numpy as jnp

    return hasattr(value, "shape") and not value.shape and jnp.issubdtype(value.dtype, jnp.floating)


def _refuse_loss(function, found, more):
    described = f"{found.dtype.name}[{','.join(map(str, found.shape))}]" if hasattr(found, "dtype") else type(found).__name__
    raise Error(f"'{name_of(function)}' must return {more}, got {described}", place_of(function))


def _results(function, arguments, out, trains):
    """Returns the flat results of the traced function, and their names."""
    import jax.numpy as jnp

    new_state, loss, metrics = None, out, {}
    if arguments.passes_state and trains:
        if not (isinstance(out, tuple) and len(out) == 2):
            _refuse_loss(function, out, "(loss, (new state, metrics)), as it has a state")
        loss, rest = out
        form = flatten(arguments.state.rebuild(arguments.state.leaves), "state").names
        if isinstance(rest, tuple) and len(rest) == 2 and _has_names(rest[0], form):
            new_state, metrics = rest
        elif _has_names(rest, form):
            new_state = rest
        else:
            raise Error(f"'{name_of(function)}' must return (loss, (new state, metrics)), its new state with the leaves of the state: "
                        f"{', '.join(form)}", place_of(function))
    elif isinstance(out, tuple) and len(out) == 2 and _is_scalar(out[0]):
        loss, metrics = out
        if arguments.passes_state:  # a loss with a state, to be evaluated
            form = arguments.state.names
            if isinstance(metrics, tuple) and len(metrics) == 2 and _has_names(metrics[0], form):
                metrics = metrics[1]
            elif _has_names(metrics, form):
                metrics = {}
    elif not trains:
        tree = flatten(out, "results", alone="loss" if _is_scalar(out) else "output")
        if not tree.leaves:
            raise Error(f"'{name_of(function)}' must return arrays or numbers, got none", place_of(function))
        for n, leaf in zip(tree.names, tree.leaves):
            if not (jnp.isscalar(leaf) or hasattr(leaf, "dtype")) or isinstance(leaf, (str, bytes)):
                raise Error(f"'{name_of(function)}' must return arrays or numbers, got {type(leaf).__name__} as '{n}'", place_of(function))
        # zcc calls the first result the loss if it is a float scalar.
        order = sorted(range(len(tree.names)), key=lambda i: tree.names[i] != "loss")
        leaves = [jnp.asarray(tree.leaves[i]) for i in order]
        return leaves, _Results([tree.names[i] for i in order], leaves, [], lambda found: tree.rebuild(found[n] for n in tree.names))
    if not _is_scalar(loss):
        _refuse_loss(function, loss, "a float scalar, one number for the whole batch such as jnp.mean(...) of the losses of its rows")
    tree = flatten(metrics, "metrics", alone="metric")
    for n in tree.names:
        if n == "loss" or n in STEP_RESULTS:
            raise Error(f"'{name_of(function)}' returns a metric called '{n}', which every step has: rename it", place_of(function))
    for n, leaf in zip(tree.names, tree.leaves):
        if trains and not (jnp.isscalar(leaf) or getattr(leaf, "shape", None) == ()) or isinstance(leaf, (str, bytes)):
            shape = getattr(leaf, "shape", None)
            found = type(leaf).__name__ if shape is None else f"{leaf.dtype.name}[{','.join(map(str, shape))}]"
            raise Error(f"'{name_of(function)}' must return numbers as metrics, got {found} as '{n}': return a number of it, such as "
                        "jnp.mean(...), or leave it out: step.predict() returns arrays", place_of(function))
    leaves = [loss, *map(jnp.asarray, tree.leaves)]
    names = ["loss", *tree.names]
    results = _Results(names, leaves, arguments.state_names if new_state is not None else [],
                       lambda found: found["loss"] if len(names) == 1 else (found["loss"], tree.rebuild(found[n] for n in tree.names)))
    if new_state is not None:
        leaves = leaves + flatten(new_state, "state").leaves
    return leaves, results


def _has_names(tree, names):
    return flatten(tree, "state").names == names

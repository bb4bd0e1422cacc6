# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers that follow from no argument of a graph, such as positions, computed while the text is written.

Libraries compute masks of attention from positions: they look for packed sequences, gather positions by themselves, and more.
zcc recognizes a mask that compares iotas. So a value that varies along one dim at most is known here and written as a number,
an iota or a list; whatever varies along more dims, as masks do, stays an op of such values.
"""
import torch

_ELEMENTS = 2 ** 22  # the most elements of a value that is computed here
_LIST = 2 ** 12      # the longest list in a text


def _collapsed(x):
    """Returns x as a view in which dims along which it does not vary have the stride 0."""
    for dim, extent in enumerate(x.shape):
        if extent > 1 and x.stride(dim) != 0:
            first = x.narrow(dim, 0, 1)
            if bool((x == first).all()):
                x = first.expand(x.shape)
    return x


def varying(x):
    """Returns the dims along which a collapsed tensor varies."""
    return [d for d, extent in enumerate(x.shape) if extent > 1 and x.stride(d) != 0]


def _evaluated(node, args, kwargs):
    """Returns the result of a node's op on tensors, or None where it is too large."""
    wanted = node.meta["val"]
    if "device" in kwargs:
        kwargs = {**kwargs, "device": "cpu"}
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    if torch.Tag.pointwise in node.target.tags and tensors and all(not isinstance(a, (list, tuple)) for a in args):
        spread = [t.expand(wanted.shape) for t in tensors]
        still = [d for d, n in enumerate(wanted.shape) if n > 1 and all(t.stride(d) == 0 for t in spread)]
        small = iter([t[tuple(slice(0, 1) if d in still else slice(None) for d in range(t.ndim))] for t in spread])
        args = [next(small) if isinstance(a, torch.Tensor) else a for a in args]
        if sum(n > 1 and d not in still for d, n in enumerate(wanted.shape)) > 1:
            return None
        return node.target(*args, **kwargs).expand(wanted.shape)
    if any(t.numel() > _ELEMENTS for t in (*tensors, wanted)):
        return None
    whole = lambda a: a.contiguous() if isinstance(a, torch.Tensor) else [whole(v) for v in a] if isinstance(a, list) else a
    return node.target(*map(whole, args), **kwargs)  # a view wants the strides that the graph's tensors have


def _map(value, known):
    if isinstance(value, torch.fx.Node):
        return known[value]
    if isinstance(value, (list, tuple)):
        return [_map(v, known) for v in value]
    return value


def known_values(graph, given):
    """Returns the values of nodes that vary along one dim at most, by node. `given`: tensors of placeholders that are constants."""
    known = {}
    for node in graph.nodes:
        value, found = node.meta.get("val"), given.get(node)
        if not isinstance(value, torch.Tensor) or value.is_floating_point() or value.is_complex() or not all(isinstance(n, int) for n in value.shape):
            continue
        if node.op == "call_function":
            if not isinstance(node.target, torch._ops.OpOverload) or node.target.namespace != "aten":
                continue
            if torch.Tag.nondeterministic_seeded in node.target.tags or any(n not in known for n in node.all_input_nodes):
                continue
            found = _evaluated(node, _map(node.args, known), {k: _map(v, known) for k, v in node.kwargs.items()})
        if found is None or found.numel() == 0 or found.shape != value.shape or found.dtype != value.dtype:
            continue
        found = _collapsed(found)
        dims = varying(found)
        if len(dims) > 1 or dims and (found.dtype == torch.bool or _step(_line(found)) is None and found.shape[dims[0]] > _LIST):
            continue
        known[node] = found
    return known


def _line(x):
    """Returns the elements along the one dim along which x varies."""
    (dim,) = varying(x)
    return x[tuple(slice(None) if d == dim else 0 for d in range(x.ndim))]


def _step(line):
    """Returns the difference of neighbours in a list of numbers if it is the same everywhere, else None."""
    steps = line[1:] - line[:-1]
    return int(steps[0]) if line.dtype != torch.uint8 and bool((steps == steps[0]).all()) else None


def write(b, x, element):
    """Writes a known value by the Builder `b`."""
    shape, dims = tuple(x.shape), varying(x)
    if not dims:
        return b.constant(x[(0,) * x.ndim].item(), shape, element)
    line = _line(x)
    step, start = _step(line), int(line[0])
    if step is None:
        return b.broadcast_in_dim(b.array(line.contiguous().numpy(), element), shape, dims)
    found = b.iota(shape, dims[0], element)
    found = found if step == 1 else b.multiply(found, b.like(step, found))
    return found if start == 0 else b.add(found, b.like(start, found))

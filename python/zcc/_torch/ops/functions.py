# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives that a program states: those of autograd.Functions, whose backward passes become private functions,
and those of changes in place."""
import re

import torch

from . import lower


@lower("zcc.with_gradient.default")
def with_gradient(b, value, x):
    """The value, whose cotangent is that of x."""
    name = f"same_{'x'.join(map(str, x.shape))}_{x.element}"
    b.module.once(name, lambda inner: _write_same(inner, x))
    return b.ops("stablehlo.custom_call", [value, x], [(x.shape, x.element)],
                 {"call_target_name": '"zcc.custom_derivative"', "called_computations": f"[@{name}]"})[0]


def _write_same(inner, x):
    """Writes a rule of x and the cotangent of the value, which returns the latter."""
    inner.argument(x.shape, x.element)
    inner.results([inner.argument(x.shape, x.element)])


@lower("zcc.custom_derivative.default")
def _(b, ys, xs, number):
    rule = b.rules[number]
    name = f"backward_{number}_" + re.sub(r"\W", "_", rule.function.__qualname__)
    b.module.once(name, lambda inner: _write_rule(inner, rule, xs, ys, b))
    return b.ops("stablehlo.custom_call", [*ys, *xs], [(y.shape, y.element) for y in ys],
                 {"call_target_name": '"zcc.custom_derivative"', "called_computations": f"[@{name}]"})


def _write_rule(inner, rule, xs, ys, outer):
    """Writes rule(x..., cotangents of y...), which returns the cotangents of those x that are of floating point."""
    from ..export import export

    examples = [torch.empty(v.shape, dtype=inner.dtype(v.element), device="meta") for v in (*xs, *ys)]
    what = f"the backward pass of {rule.function.__qualname__}"
    exported = export(rule, lambda module, leaves: module(*leaves), examples, what)
    inner.rules, inner.places, environment = exported.rules, outer.places, {}
    count = 0
    for node, kind, name in exported.inputs:
        if kind != "input":
            raise NotImplementedError(f"{what} reads the tensor '{name}', which is no argument")
        value = (*xs, *ys)[count]
        environment[node] = inner.argument(value.shape, value.element)
        count += 1
    inner.lower_graph(exported.graph, environment, None)
    inner.results([environment[node] for node in exported.outputs])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing case smaller while it fails in the same way: fewer options, fewer terms of the loss, ops that are passed by.

An op is passed by when another value of the type of its result takes its place: an operand, or a new parameter.
"""
import copy
import re

from graph import Value, ints, kind

TRIES = 400
SIMPLE = ("--zero=0", "--microbatches=1", "--microbatches=2", "--remat=none", "--optimizer=sgd", "--mesh=data=2", "--mesh=tensor=2",
          "--mesh=a=2")


def kind_of(message):
    """The message without numbers and names, so that the same fault on another graph is recognized."""
    return re.sub(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?|'[vwxt][0-9]*'|tensor<[^>]*>", "#", message)[:60]


def replace(graph, op, result, value):
    for other in graph.ops:
        other.operands = [value if v is result else v for v in other.operands]
    graph.terms = [value if v is result else v for v in graph.terms]


def summed(graph, v):
    """A term that is the sum of squares of v."""
    if v.dtype != "f32":
        v = graph.add("convert", [v], dtype="f32")
    square = graph.add("multiply", [v, v])
    if not v.rank:
        return square
    return graph.add("reduce", [square], ", ".join([ints("dims", range(v.rank)), kind("add")]), shape=[])


def smaller_graphs(graph):
    """Changes to a copy of the graph, the boldest first."""
    for i in range(len(graph.terms)):
        if len(graph.terms) > 1:
            yield lambda g, i=i: g.terms.__setitem__(slice(None), [g.terms[i]])
    for i in range(len(graph.terms)):
        if len(graph.terms) > 1:
            yield lambda g, i=i: g.terms.pop(i)
    live, _ = graph.live()
    names = {op.results[0].name for op in live}
    for i, op in list(enumerate(graph.ops))[::-1]:
        if op.results[0].name not in names:
            continue
        for j, r in enumerate(op.results):
            if r.rank and op.name != "constant":
                yield lambda g, i=i, j=j: g.terms.__setitem__(slice(None), [summed(g, g.ops[i].results[j])])
            for k, v in enumerate(op.operands):
                if v.type == r.type:
                    yield lambda g, i=i, j=j, k=k: replace(g, g.ops[i], g.ops[i].results[j], g.ops[i].operands[k])
            if r.dtype == "f32" and op.name != "constant" and op.operands:
                def parameter(g, i=i, j=j):
                    v = Value(f"w{len(g.parameters)}", "f32", g.ops[i].results[j].shape)
                    g.parameters.append(v)
                    replace(g, g.ops[i], g.ops[i].results[j], v)
                yield parameter


def smaller_options(options):
    for i, option in enumerate(options):
        if not option.startswith(("--mesh", "--optimizer")):
            yield options[:i] + options[i + 1:]
        for simple in SIMPLE:
            if option == simple:
                break  # no simpler one follows
            if option.split("=")[0] == simple.split("=")[0]:
                yield options[:i] + [simple] + options[i + 1:]


def minimize(case, message, runner):
    want, tries, again = kind_of(message), 0, True

    def fails(other):
        found, _ = other.check(runner)
        return found is not None and kind_of(found) == want

    while again and tries < TRIES:
        again = False
        for name in case.constraints:
            other = copy.copy(case)
            other.constraints = {k: v for k, v in case.constraints.items() if k != name}
            tries += 1
            if fails(other):
                case, again = other, True
                break
        if again:
            continue
        for options in smaller_options(case.options):
            other = copy.copy(case)
            other.options = options
            if case.constraints and [o for o in options if "--mesh" in o] != [o for o in case.options if "--mesh" in o]:
                continue  # they name axes
            tries += 1
            if fails(other):
                case, again = other, True
                break
        if again:
            continue
        for change in smaller_graphs(case.graph):
            other = copy.copy(case)
            other.graph = copy.deepcopy(case.graph)
            change(other.graph)
            tries += 1
            if tries > TRIES:
                break
            if not other.graph.terms or len(other.graph.text()) >= len(case.graph.text()):
                continue
            if fails(other):
                case, again = other, True
                break
    return case

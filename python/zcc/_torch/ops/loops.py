# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers, and torch's higher-order ops: cond, while_loop and scan. zcc unrolls loops, so their number of trips is constant."""
from ..text import Value
from . import lower
from .elementwise import relu
from .products import linear
from .random import drop


# ---------------------------------------------------------------- recurrent layers

def _split(b, x, count):
    size = x.shape[-1] // count
    return [b.slice_dim(x, x.rank - 1, i * size, (i + 1) * size) for i in range(count)]


# A cell takes the products of the step's input and of the state with their weights, and the state; it returns the new state.

def _lstm_cell(b, x, h, state):
    i, f, g, o = _split(b, b.add(x, h), 4)
    c = b.add(b.multiply(b.unary("logistic", f), state[1]), b.multiply(b.unary("logistic", i), b.unary("tanh", g)))
    return [b.multiply(b.unary("logistic", o), b.unary("tanh", c)), c]


def _gru_cell(b, x, h, state):
    (xr, xz, xn), (hr, hz, hn) = _split(b, x, 3), _split(b, h, 3)
    r, z = b.unary("logistic", b.add(xr, hr)), b.unary("logistic", b.add(xz, hz))
    n = b.unary("tanh", b.add(xn, b.multiply(r, hn)))
    return [b.add(n, b.multiply(z, b.subtract(state[0], n)))]


def _simple_cell(function):
    return lambda b, x, h, state: [function(b, b.add(x, h))]


def _layers(cell, parts):
    """`parts`: how many tensors the state of a cell has."""
    def run(b, x, state, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
        states = list(state) if parts > 1 else [state]
        if states[0].rank == 2:
            raise NotImplementedError("a recurrent layer on a sequence without batch")
        if batch_first:
            x = b.transpose(x, [1, 0, 2])
        directions = 2 if bidirectional else 1
        per = len(params) // (num_layers * directions)
        projects = per == (5 if has_biases else 3)  # an LSTM with proj_size
        ends = []
        for layer in range(num_layers):
            if layer and dropout and train:
                x = drop(b, x, dropout)
            found = []
            for direction in range(directions):
                number = layer * directions + direction
                weights = list(params[number * per:(number + 1) * per])
                projection = weights.pop() if projects else None
                w, u, *biases = [*weights, None, None][:4]
                gates = linear(b, x, w, biases[0])  # of all steps at once
                own = [b.reshape(b.slice_dim(s, 0, number, number + 1), s.shape[1:]) for s in states]
                steps = []
                for t in range(x.shape[0]) if not direction else reversed(range(x.shape[0])):
                    step = b.reshape(b.slice_dim(gates, 0, t, t + 1), gates.shape[1:])
                    own = cell(b, step, linear(b, own[0], u, biases[1]), own)
                    if projects:
                        own[0] = linear(b, own[0], projection)
                    steps.append(b.reshape(own[0], (1, *own[0].shape)))
                found.append(b.concatenate(steps if not direction else steps[::-1], 0))
                ends.append(own)
            x = b.concatenate(found, 2)
        ends = [b.concatenate([b.reshape(e[i], (1, *e[i].shape)) for e in ends], 0) for i in range(parts)]
        return (b.transpose(x, [1, 0, 2]) if batch_first else x, *ends)
    return run


lower("aten.lstm.input")(_layers(_lstm_cell, 2))
lower("aten.gru.input")(_layers(_gru_cell, 1))
lower("aten.rnn_tanh.input")(_layers(_simple_cell(lambda b, x: b.unary("tanh", x)), 1))
lower("aten.rnn_relu.input")(_layers(_simple_cell(relu), 1))


# ---------------------------------------------------------------- higher-order ops

def _inline(b, graph_module, operands):
    """Lowers the graph of a region, of which `operands` are the arguments; returns its results."""
    kept = b.out
    nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    found = b.lower_graph(graph_module.graph, dict(zip(nodes, operands)), lambda node: getattr(graph_module, node.target))
    b.out = kept
    return [v for v in found] if isinstance(found, (tuple, list)) else [found]


@lower("cond")
def _(b, condition, on_true, on_false, operands):
    condition = b.value(condition) if not isinstance(condition, Value) else b.convert(condition, "i1")
    regions = [b.region([], lambda branch=branch: _inline(b, branch, operands)) for branch in (on_true, on_false)]
    return tuple(b.ops("stablehlo.if", [b.reshape(condition, ())], [(s.shape, s.element) for s in b.out], None, regions))


@lower("while_loop")
def _(b, condition, body, carried, rest=()):
    carried = [b.value(c) for c in carried]
    arguments = [(c.shape, c.element) for c in carried]
    regions = [b.region(arguments, lambda *own, graph=graph: [b.value(v) for v in _inline(b, graph, [*own, *rest])]) for graph in (condition, body)]
    return tuple(b.ops("stablehlo.while", carried, arguments, None, regions))


@lower("scan")
def _(b, combine, carried, xs, rest=()):
    """Every trip is written by itself, so that each draws random numbers of its own."""
    carried, outputs = list(carried), []
    for t in range(xs[0].shape[0]):
        now = [b.reshape(b.slice_dim(x, 0, t, t + 1), x.shape[1:]) for x in xs]
        found = _inline(b, combine, [*carried, *now, *rest])
        carried = found[:len(carried)]
        outputs.append([b.reshape(y, (1, *y.shape)) for y in found[len(carried):]])
    return (*carried, *(b.concatenate(list(ys), 0) for ys in zip(*outputs)))

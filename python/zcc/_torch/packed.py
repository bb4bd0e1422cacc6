# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed sequences (torch.nn.utils.rnn), whose lengths are data.

What is packed are the steps of all sequences, [samples, time] in one row, of which the mask `step < length` selects: a selection, as x[mask].
torch has the samples of one step after the other; nothing that a selection is given to tells the orders apart, and this one an axis can divide.
A recurrent layer runs over all steps, and where a sequence has ended, it keeps its state. The longest sequence is taken to fill the tensor
that was packed, so that what is unpacked has its length.
"""
import torch
from torch.utils.weak import WeakIdKeyDictionary

from .._errors import Error

_VF = torch._C._VariableFunctions


def _affine(x, weight, bias):
    return torch.nn.functional.linear(x, weight, bias)


def _lstm(gates, state, weights):
    hidden, cell = state
    i, f, g, o = (gates + _affine(hidden, weights[1], weights[3])).chunk(4, -1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    hidden = torch.sigmoid(o) * torch.tanh(cell)
    return (hidden if weights[4] is None else _affine(hidden, weights[4], None)), cell


def _gru(gates, state, weights):
    hidden, = state
    of_x, of_hidden = gates.chunk(3, -1), _affine(hidden, weights[1], weights[3]).chunk(3, -1)
    r, z = torch.sigmoid(of_x[0] + of_hidden[0]), torch.sigmoid(of_x[1] + of_hidden[1])
    return (torch.lerp(torch.tanh(of_x[2] + r * of_hidden[2]), hidden, z),)


def _rnn(activation):
    return lambda gates, state, weights: (activation(gates + _affine(state[0], weights[1], weights[3])),)


_CELLS = {"lstm": _lstm, "gru": _gru, "rnn_tanh": _rnn(torch.tanh), "rnn_relu": _rnn(torch.relu)}


class _Packed:
    """A selection of steps. samples: how many sequences. lengths: [samples]."""

    def __init__(self, selection, steps, lengths):
        self.selection, self.steps, self.lengths, self.samples = selection, steps, lengths, lengths.shape[0]

    def mask(self, dims):
        """Returns which steps are of a sequence, as [time, samples, 1...] of so many dims."""
        return self.selection.mask.view(self.samples, self.steps, *[1] * (dims - 2)).transpose(0, 1)


class Sequences:
    """What packs, unpacks and computes packed sequences while a module is traced. known: the selections of that trace."""

    def __init__(self, known):
        self._known, self._by_sizes = known, WeakIdKeyDictionary()

    def call(self, function, args):
        """Returns what a function gives of packed sequences, else NotImplemented."""
        name = getattr(function, "__name__", "")
        if name == "_pack_padded_sequence" and function is getattr(_VF, name):
            return self._pack(*args)
        at = 0 if name == "__getitem__" else 1
        packed = self._by_sizes.get(args[at]) if len(args) > at and isinstance(args[at], torch.Tensor) else None
        if packed is None:
            return NotImplemented
        if name == "__getitem__":
            if args[1] == 0 and isinstance(args[1], int):
                return packed.samples
            raise Error("the forward pass reads how many sequences of a packed one have a step, batch_sizes: known only when the step runs")
        if name == "_pad_packed_sequence":
            return self._unpack(packed, args[0], *args[2:])
        return self._run(packed, _CELLS[name], args[0], *args[2:]) if name in _CELLS else NotImplemented

    def _pack(self, x, lengths, batch_first):
        if not batch_first:
            x = x.transpose(0, 1)
        samples, steps = x.shape[:2]
        lengths = lengths.to(x.device)
        selection = self._known.of_mask(torch.arange(steps, device=x.device) < lengths.unsqueeze(1))
        sizes = selection.mask.view(samples, steps).sum(0)
        self._by_sizes[sizes] = _Packed(selection, steps, lengths)
        return self._known.picked(x.reshape(samples * steps, *x.shape[2:]), selection, 0), sizes

    def _steps_of(self, packed, data):
        note = self._known.note(data)
        if note is None or note.selection is not packed.selection or note.dim:
            raise Error("the forward pass makes a PackedSequence of data that was not packed with its batch_sizes: expected what pack_padded_sequence gives, or "
                        "functions of each element of it")
        return data.view(packed.samples, packed.steps, *data.shape[1:]).transpose(0, 1)

    def _unpack(self, packed, data, batch_first, value, total):
        found = self._steps_of(packed, data)
        found = torch.where(packed.mask(found.ndim), found, torch.full((), value, dtype=found.dtype, device=found.device))
        if total > packed.steps:
            found = torch.cat([found, found.new_full((total - packed.steps, *found.shape[1:]), value)])
        return (found.transpose(0, 1) if batch_first else found), packed.lengths

    def _run(self, packed, cell, data, state, weights, has_biases, layers, dropout, train, bidirectional):
        x, is_lstm = self._steps_of(packed, data), isinstance(state, (tuple, list))
        state = tuple(state) if is_lstm else (state,)
        directions = 2 if bidirectional else 1
        each = len(weights) // (layers * directions)
        kept, last = packed.mask(3), []
        for layer in range(layers):
            found = []
            for direction in range(directions):
                number = layer * directions + direction
                own = list(weights[number * each:(number + 1) * each])
                biases = [own.pop(2), own.pop(2)] if has_biases else [None, None]
                own = [*own[:2], *biases, own[2] if len(own) > 2 else None]
                outputs, end = self._run_layer(x, kept, cell, [s[number] for s in state], own, direction)
                found.append(outputs)
                last.append(end)
            x = torch.cat(found, -1) if bidirectional else found[0]
            if dropout and train and layer < layers - 1:
                x = torch.nn.functional.dropout(x, dropout)
        ends = tuple(torch.stack(parts) for parts in zip(*last))
        return (self._known.keep(x.transpose(0, 1).reshape(-1, x.shape[-1]), packed.selection, 0), *ends)

    @staticmethod
    def _run_layer(x, kept, cell, state, weights, is_reverse):
        """Returns the outputs [time, samples, ...] and the last state of one direction of a layer."""
        gates, outputs = _affine(x, weights[0], weights[2]), [None] * x.shape[0]
        for t in reversed(range(x.shape[0])) if is_reverse else range(x.shape[0]):
            new = cell(gates[t], state, weights)
            state = [torch.where(kept[t], n, s) for n, s in zip(new, state)]
            outputs[t] = state[0]
        return torch.stack(outputs), state

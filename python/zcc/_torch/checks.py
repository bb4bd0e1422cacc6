# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions that Python asks of a tensor's values while a module is exported, when there are none.

Two kinds are answered. Checks, `assert ...` and `if ...: raise ...`, are taken to pass. Questions whether all numbers are finite,
by which libraries clamp what overflows in 16 bits, are answered yes: a step whose loss is not finite ends with an error.
torch.export refuses all others, with the line.
"""
import ast
import functools
import linecache
import os
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
# Functions of which each element tells that a number is, or is not, finite; True stands for finite.
_FINITE = {torch.isfinite: True, torch.Tensor.isfinite: True, torch.isnan: False, torch.Tensor.isnan: False, torch.isinf: False,
           torch.Tensor.isinf: False}
_ALL, _ANY = {torch.all, torch.Tensor.all}, {torch.any, torch.Tensor.any}
_NOT = {torch.logical_not, torch.Tensor.logical_not, torch.bitwise_not, torch.Tensor.bitwise_not, torch.Tensor.__invert__}
_QUESTIONS = {torch.Tensor.__bool__, torch.Tensor.item}


class Answers(TorchFunctionMode):
    """Answers such questions while it is the current mode."""

    def __init__(self):
        super().__init__()
        self._known = WeakIdKeyDictionary()  # by tensor: what its elements are if all numbers are finite

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in _QUESTIONS and args[0].dtype == torch.bool and args[0].numel() == 1:
            if (known := self._known.get(args[0])) is not None:
                return known
            if (passes := _outcome_of_check()) is not None:
                return passes
        found = function(*args, **(kwargs or {}))
        known = self._elements(function, args)
        if known is not None and isinstance(found, torch.Tensor):
            self._known[found] = known
        return found

    def _elements(self, function, args):
        """Returns what all elements of a result are if all numbers are finite, or None."""
        if function in _FINITE:
            return _FINITE[function]
        known = self._known.get(args[0]) if args and isinstance(args[0], torch.Tensor) else None
        if known is None:
            return None
        if function in _NOT:
            return not known
        return known if function in _ALL or function in _ANY else None


def _outcome_of_check():
    """Returns the answer with which the check passes that the innermost line outside of torch makes, or None if it is none."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_TORCH):
        frame = frame.f_back
    if frame is None or not hasattr(frame.f_code, "co_positions"):  # before Python 3.11
        return None
    places = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    return None if None in places else _outcome_at(frame.f_code.co_filename, *places)


@functools.lru_cache(maxsize=None)
def _statements(file):
    """Returns the asserts of a file, and its ifs that do nothing but raise."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    return [n for n in ast.walk(tree) if isinstance(n, ast.Assert)
            or isinstance(n, ast.If) and isinstance(n.body[-1], ast.Raise) and all(isinstance(s, (ast.Raise, ast.Assign, ast.Expr)) for s in n.body)]


def _outcome_at(file, line, last_line, column, last_column):
    """Returns the answer to the question at a place (columns are bytes) with which the check around it passes, or None."""
    def holds(node):
        return (node.lineno, node.col_offset) <= (line, column) and (last_line, last_column) <= (node.end_lineno, node.end_col_offset)

    for statement in _statements(file):
        if holds(statement.test):
            return _answer(statement.test, isinstance(statement, ast.Assert), holds)
    return None


def _answer(test, wanted, holds):
    """Returns what the part of a test that `holds` must be, so that the test is `wanted`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _answer(test.operand, not wanted, holds)
    if isinstance(test, ast.BoolOp):
        part = next((v for v in test.values if holds(v)), None)
        return wanted if part is None else _answer(part, wanted, holds)
    return wanted

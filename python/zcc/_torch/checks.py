# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions that Python asks of a tensor's values while a module is exported, when there are none.

Two kinds are answered. Checks, `assert ...` and `if ...: raise ...`, are taken to pass, unless a `try` catches what they raise.
Questions whether all numbers of a tensor that requires gradients are finite, by which libraries clamp what overflows in 16 bits, are
answered yes: a step whose loss is not finite ends with an error. torch.export refuses all others, with the line.
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
        if torch.compiler.is_dynamo_compiling():  # torch.cond has its branches traced, and this function within them
            return function(*args, **(kwargs or {}))
        if function in _QUESTIONS and args[0].dtype == torch.bool and args[0].numel() == 1:
            if (known := self._find(args[0])) is not None:
                return known
            if (passes := _outcome_of_check()) is not None:
                return passes
        found = function(*args, **(kwargs or {}))
        known = self._elements(function, args)
        if known is not None and isinstance(found, torch.Tensor) and not found.is_inference():  # those have no version
            self._known[found] = known, found._version
        return found

    def _find(self, tensor):
        """Returns what all elements of a tensor are, or None if that is not known or it was changed in place since."""
        found = self._known.get(tensor)
        return found[0] if found is not None and found[1] == tensor._version else None

    def _elements(self, function, args):
        """Returns what all elements of a result are if all numbers are finite, or None."""
        if function in _FINITE:
            return _FINITE[function] if args and args[0].requires_grad else None
        known = self._find(args[0]) if args and isinstance(args[0], torch.Tensor) else None
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
    """Returns the asserts of a file, and its ifs that do nothing but raise, without those whose error a `try` may catch."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    # A check whose error is caught chooses between two ways, and so is not taken to pass.
    caught = {s for n in ast.walk(tree) if isinstance(n, ast.Try) and n.handlers for part in n.body for s in ast.walk(part)}
    return [n for n in ast.walk(tree) if n not in caught and (isinstance(n, ast.Assert) or isinstance(n, ast.If) and _only_raises(n))]


def _only_raises(statement):
    return isinstance(statement.body[-1], ast.Raise) and all(isinstance(s, (ast.Raise, ast.Assign, ast.Expr)) for s in statement.body)


def _outcome_at(file, line, last_line, column, last_column):
    """Returns the answer to the question at a place (columns are bytes) with which the check around it passes, or None."""
    def holds(node):
        return (node.lineno, node.col_offset) <= (line, column) and (last_line, last_column) <= (node.end_lineno, node.end_col_offset)

    for statement in _statements(file):
        wanted = isinstance(statement, ast.Assert)
        if holds(statement.test):
            return _answer(statement.test, wanted, holds)
        # Python 3.11 gives a question that is no comparison the place of its whole statement.
        start, end = (statement.lineno, statement.col_offset), (statement.end_lineno, statement.end_col_offset)
        if ((line, column), (last_line, last_column)) == (start, end):
            found = _answers(statement.test, wanted)
            return found.pop() if len(found) == 1 else None
    return None


def _answer(test, wanted, holds):
    """Returns what the part of a test that `holds` must be, so that the test is `wanted`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _answer(test.operand, not wanted, holds)
    if isinstance(test, ast.BoolOp):
        part = next((v for v in test.values if holds(v)), None)
        return wanted if part is None else _answer(part, wanted, holds)
    return wanted


def _answers(test, wanted):
    """Returns what the parts of a test must be, so that the test is `wanted`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _answers(test.operand, not wanted)
    if isinstance(test, ast.BoolOp):
        return set().union(*(_answers(v, wanted) for v in test.values))
    return {True, False} if isinstance(test, ast.IfExp) else {wanted}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions whether a mask of data selects anything, which decide only whether nothing is written.

    for i, expert in enumerate(self.experts):
        rows = torch.where(chosen == i)[0]
        if rows.numel() == 0:
            continue
        out.index_add_(0, rows, expert(x[rows]))

Statements that write only at places that the mask selects, and use what they compute for that alone, do nothing where it selects
nothing. So the answer is that something is selected. Any other question is refused.
"""
import ast
import functools
import linecache
import os
import sys

import torch

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_FINDS = {"where", "nonzero", "argwhere", "flatten", "squeeze", "view", "reshape", "unbind", "flatnonzero"}
_RESHAPES = {"flatten", "view", "reshape", "squeeze"}
_ADDS = {"index_add", "index_put", "scatter_add"}


def answer(is_selection):
    """Returns what the `if` that asks now gets where something is selected, or None if it is another question.

    is_selection: returns True for a mask of data, and for a tensor of elements that one selects.
    """
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_TORCH, _HERE)):
        frame = frame.f_back
    if frame is None or not hasattr(frame.f_code, "co_positions"):
        return None
    line = list(frame.f_code.co_positions())[frame.f_lasti // 2][0]
    for name, some, first, last in _questions(frame.f_code.co_filename):
        if first <= (line or 0) <= last and isinstance(found := frame.f_locals.get(name), torch.Tensor) and is_selection(found):
            return some
    return None


@functools.lru_cache(maxsize=None)
def _questions(file):
    """Returns (name, answer if something is selected, first line, last line) of the questions of a file that are harmless."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    found = []
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        for block in [b for n in ast.walk(function) for b in (getattr(n, "body", None), getattr(n, "orelse", None)) if isinstance(b, list)]:
            for i, statement in enumerate(block):
                asked = _asked(statement.test) if isinstance(statement, ast.If) and not statement.orelse else None
                if asked is None:
                    continue
                name, some = asked
                guarded = statement.body if some else block[i + 1:] if _skips(statement) else None
                if guarded and _is_harmless(guarded, name, function):
                    found.append((name, some, statement.test.lineno, statement.test.end_lineno))
    return found


def _skips(statement):
    return len(statement.body) == 1 and isinstance(statement.body[0], ast.Continue)


def _asked(test):
    """Returns the name of the tensor that a test asks of whether anything is selected, and the outcome if something is; or None."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        found = _asked(test.operand)
        return None if found is None else (found[0], not found[1])
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        kind, number = type(test.ops[0]), test.comparators[0].value
        outcome = {(ast.Gt, 0): True, (ast.NotEq, 0): True, (ast.GtE, 1): True, (ast.Eq, 0): False, (ast.Lt, 1): False, (ast.LtE, 0): False}.get((kind, number))
        name = _counted(test.left, ("sum", "numel", "size", "count_nonzero", "nelement", "len"))
        return None if outcome is None or name is None else (name, outcome)
    name = _counted(test, ("any", "sum", "numel", "len"))
    return None if name is None else (name, True)


def _counted(value, functions):
    """Returns the name of the tensor of which an expression is the number of elements, or None."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "item":
        value = value.func.value
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Attribute) and value.value.attr == "shape" and _is_zero(value.slice):
        return value.value.value.id if isinstance(value.value.value, ast.Name) else None
    if not isinstance(value, ast.Call):
        return None
    if isinstance(value.func, ast.Attribute) and value.func.attr in functions and all(map(_is_zero, value.args)) and isinstance(value.func.value, ast.Name) \
            and value.func.value.id != "torch":
        return value.func.value.id
    called = value.func.id if isinstance(value.func, ast.Name) else value.func.attr if isinstance(value.func, ast.Attribute) else ""
    own = isinstance(value.func, ast.Name) or isinstance(value.func.value, ast.Name) and value.func.value.id == "torch"
    return value.args[0].id if own and called in functions and len(value.args) == 1 and isinstance(value.args[0], ast.Name) else None


def _is_zero(node):
    return isinstance(node, ast.Constant) and node.value == 0


def _names(node, kind=ast.Load):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)} if node is not None else set()


def _is_harmless(statements, name, function):
    """Returns True if statements do nothing where nothing is selected by the mask of which `name` is."""
    places = {name}
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for _ in range(3):  # what torch.where and its like find, and what they are found in
        for n in ast.walk(function):
            if isinstance(n, ast.Assign) and any(isinstance(c, ast.Call) and _called(c) in _FINDS for c in ast.walk(n.value)):
                own = _names(n.targets[0], ast.Store)
                if _names(n.value) & places or own & places and name in own:
                    places |= own
                if own & places and (source := _reshaped(n.value)) is not None and stored.count(source) <= 1:  # the same mask in another shape
                    places.add(source)
    inside = {id(n) for s in statements for n in ast.walk(s)}
    outside = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside}

    def harmless(s):
        if isinstance(s, (ast.Pass, ast.Continue)):
            return True
        if isinstance(s, ast.Expr):
            return isinstance(s.value, ast.Constant) or isinstance(s.value, ast.Call) and _called(s.value).removesuffix("_") in _ADDS \
                and _called(s.value).endswith("_") and any(_names(a) & places for a in s.value.args)
        if isinstance(s, (ast.Assign, ast.AugAssign)):
            targets = s.targets if isinstance(s, ast.Assign) else [s.target]
            if len(targets) != 1:
                return False
            if isinstance(targets[0], ast.Subscript):
                return bool(_names(targets[0].slice) & places) and isinstance(targets[0].value, ast.Name)
            if isinstance(s, ast.AugAssign):
                return False
            own = _names(targets[0], ast.Store)
            if all(isinstance(n, (ast.Name, ast.Tuple, ast.Store, ast.Starred)) for n in ast.walk(targets[0])) and not own & outside:
                return True
            return isinstance(s.value, ast.Call) and _called(s.value) in _ADDS and isinstance(s.value.func, ast.Attribute) \
                and _names(s.value.func.value) == own and any(_names(a) & places for a in s.value.args)
        return False
    return all(map(harmless, statements))


def _reshaped(value):
    """Returns the name of the tensor of which an expression is another shape, or None."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _RESHAPES and isinstance(value.func.value, ast.Name):
        return value.func.value.id
    return None


def _called(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""

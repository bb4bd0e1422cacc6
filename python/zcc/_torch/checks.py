# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions that Python asks of a tensor's values while a module is exported, when there are none.

Four kinds are answered. Checks, `assert ...` and `if ...: raise ...`, are taken to pass, unless a `try` catches what they raise.
Questions whether all numbers of a tensor that requires gradients are finite, by which libraries clamp what overflows in 16 bits, are
answered yes: a step whose loss is not finite ends with an error. Questions of values that follow from constants alone (`torch.ones`,
`arange`, buffers that are constants of the step) are answered by computing them. Numbers drawn from [0, 1) are taken to be above 0,
so that a layer that is dropped with the probability 0 never is. torch.export refuses all others, with the line.
"""
import ast
import contextlib
import functools
import linecache
import os
import sys

import torch
from torch._subclasses import FakeTensor
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from . import emptiness, identities, packed, selections, spelled, switches
from .replacing import replaced

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_CHECKED = tuple(os.path.join(_TORCH, part) + os.sep for part in ("nn", "distributions"))  # parts of torch that check values
# Functions of which each element tells that a number is, or is not, finite; True stands for finite.
_FINITE = {torch.isfinite: True, torch.Tensor.isfinite: True, torch.isnan: False, torch.Tensor.isnan: False, torch.isinf: False,
           torch.Tensor.isinf: False}
_ALL, _ANY = {torch.all, torch.Tensor.all}, {torch.any, torch.Tensor.any}
_NOT = {torch.logical_not, torch.Tensor.logical_not, torch.bitwise_not, torch.Tensor.bitwise_not, torch.Tensor.__invert__}
_QUESTIONS = {torch.Tensor.__bool__, torch.Tensor.item}
_READS = {torch.Tensor.__bool__: bool, torch.Tensor.__int__: int, torch.Tensor.__float__: float, torch.Tensor.__index__: int,
          torch.Tensor.item: lambda x: x.item(), torch.Tensor.tolist: lambda x: x.tolist()}
# Functions of one tensor, whose values give the shape of what they return.
_SELECTIONS = {torch.nonzero, torch.Tensor.nonzero, torch.argwhere, torch.Tensor.argwhere, torch.where}
_DRAWS = {torch.rand, torch.rand_like}
# Comparisons of a number in (0, 1) with one of 0 or less, and with one of 1 or more.
_COMPARISONS = {"gt": (True, False), "ge": (True, False), "lt": (False, True), "le": (False, True), "eq": (False, False), "ne": (True, True)}
_COMPARISONS = {f: found for name, found in _COMPARISONS.items()
                for f in (getattr(torch, name), getattr(torch.Tensor, name), getattr(torch.Tensor, f"__{name}__"))}
_FILLED = {torch.ones_like: 1, torch.zeros_like: 0, torch.Tensor.new_ones: 1, torch.Tensor.new_zeros: 0}
_UNKNOWN = ("rand", "empty", "dropout", "normal", "uniform", "bernoulli", "multinomial", "poisson", "exponential", "cauchy", "geometric", "resize")
_PURE = ("__invert__", "__index__", "__int__")  # methods whose names begin as those that change their first argument
_ELEMENTS = 2 ** 16  # the most elements of a tensor that is computed


@contextlib.contextmanager
def outside():
    """Computes with values, though a module is being traced."""
    with torch._C.DisableTorchFunction(), torch.utils._python_dispatch._disable_current_modes(), torch.no_grad():
        yield


def _tensors(value):
    """Returns the tensors among arguments."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in _tensors(v)] if isinstance(value, (list, tuple)) else []


def _is_in_place(name):
    """Returns True for the name of a function that changes its first argument."""
    return name.endswith("_") and not name.endswith("__") or name == "__setitem__" or name.startswith("__i") and name not in _PURE


def _changed_unnoted(function, args, kwargs):
    """Returns tensors that a function may change without another version of them: statistics, lists, and what vmap has in its hands."""
    name, given = getattr(function, "__name__", ""), _tensors((args, kwargs))
    if "batch_norm" in name or "instance_norm" in name or name.startswith("_foreach_") and name.endswith("_"):
        return given
    return [t for t in given if _is_in_place(name) and torch._C._functorch.is_functorch_wrapped_tensor(t)]


def _memory(tensor):
    """Returns what identifies the memory of a tensor, also of one within vmap."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor.untyped_storage()._cdata


class Answers(TorchFunctionMode):
    """Answers such questions while it is the current mode.

    buffers: values by the tensor that stands for a buffer, with its name. read: the names of those that answers followed from.
    foreign: Parameters that the forward pass reads and that are none of the module's.
    """

    def __init__(self, buffers=()):
        super().__init__()
        self._known = WeakIdKeyDictionary()  # by tensor: what its elements are if all numbers are finite
        self._values = WeakIdKeyDictionary()  # by tensor: its version, its value and the names of the buffers that it follows from
        self._drawn = WeakIdKeyDictionary()  # the versions of tensors of numbers from [0, 1)
        self.read, self.foreign = set(), []
        self.frozen = switches.Frozen()
        self.selections = selections.Selections()
        self.sequences = packed.Sequences(self.selections.known)
        for tensor, value, name in buffers:
            self._values[tensor] = tensor._version, value, frozenset([name])

    def is_known(self, tensor):
        """Returns True if the value of a tensor follows from constants."""
        return self._value(tensor) is not None

    def _selects(self, tensor):
        """Returns True for a mask, and for what one selects."""
        return tensor.dtype == torch.bool or self.selections.note(tensor) is not None

    def _value(self, tensor):
        """Returns the value of a tensor and the names that it follows from, or None if that is not known."""
        found = self._values.get(tensor)
        return found[1:] if found is not None and found[0] == tensor._version else None

    def _forget(self, tensors):
        """Forgets what is known of all tensors that share their memory with some."""
        memory = {_memory(t) for t in tensors}
        for known in (self._values, self._known, self._drawn) if memory else ():
            for tensor in [t for t in known if _memory(t) in memory]:
                del known[tensor]

    def _number(self, number):
        """Returns the number that a tensor is, if that is known, else what was given."""
        value = self._value(number) if isinstance(number, torch.Tensor) else None
        if value is None:
            return number
        self.read |= value[1]
        return value[0].item()

    def _constant(self, values, names, device):
        """Returns a tensor of integers as a constant of the graph."""
        made = torch.tensor(values.tolist(), dtype=torch.int64, device=device).view(values.shape)
        self._values[made] = made._version, values, names
        return made

    def _select(self, function, args, kwargs):
        """Returns the places of what is not zero in a tensor whose value is known, as constants, or None."""
        given = _tensors((args, kwargs))
        if function not in _SELECTIONS or function is torch.where and len(args) + len(kwargs) != 1:
            return None  # with two values more, torch.where chooses between them
        if len(given) != 1 or (value := self._value(given[0])) is None:
            return None
        self.read |= value[1]
        with outside():
            found = function(value[0], **{k: v for k, v in kwargs.items() if v is not given[0]})
        constant = lambda x: self._constant(x, value[1], given[0].device)
        return tuple(map(constant, found)) if isinstance(found, tuple) else constant(found)

    def _without_masks(self, index):
        """Returns an index of a tensor in which masks whose values are known are the numbers of what they select."""
        if not any(t.dtype == torch.bool and self.is_known(t) for t in _tensors(index)):
            return index
        found = []
        for part in index if isinstance(index, (tuple, list)) else (index,):  # torch takes a list of tensors for a tuple
            value = self._value(part) if isinstance(part, torch.Tensor) and part.dtype == torch.bool and part.ndim else None
            if value is None:
                found.append(part)
                continue
            self.read |= value[1]
            with outside():
                numbers = value[0].nonzero(as_tuple=True)
            found += [self._constant(n, value[1], part.device) for n in numbers]
        return tuple(found)

    def _compute(self, function, args, kwargs, found):
        """Notes the value of a result that follows from constants."""
        if not isinstance(found, torch.Tensor) or found.is_inference() or found.numel() > _ELEMENTS or found.layout != torch.strided:
            return
        given = [] if function in _FILLED else [self._value(t) for t in _tensors((args, kwargs))]
        if any(v is None for v in given) or not all(isinstance(n, int) for n in found.shape):
            return
        if any(word in getattr(function, "__name__", "") for word in _UNKNOWN):  # random, or whatever was in memory
            return

        def values(x):
            if isinstance(x, torch.Tensor):
                return self._value(x)[0]
            if isinstance(x, dict):
                return {k: values(v) for k, v in x.items() if k != "device"}
            return type(x)(map(values, x)) if type(x) in (list, tuple) else x
        with outside():
            drawn = torch.get_rng_state()
            with contextlib.suppress(Exception):  # a value that cannot be computed stays unknown
                if function in _FILLED:
                    value = torch.full(tuple(found.shape), _FILLED[function], dtype=found.dtype)
                elif any(isinstance(a, torch.device) for a in args):  # x.to(device)
                    value = function(*values([a for a in args if not isinstance(a, torch.device)]), **values(kwargs)).clone()
                else:
                    value = function(*values(args), **values(kwargs)).clone()
                # A random number has another value in each step.
                if value.shape == found.shape and value.dtype == found.dtype and torch.equal(drawn, torch.get_rng_state()):
                    self._values[found] = found._version, value, frozenset().union(*(names for _, names in given))
            torch.set_rng_state(drawn)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if torch.compiler.is_dynamo_compiling():  # torch.cond has its branches traced, and this function within them
            return function(*args, **(kwargs or {}))
        switches.refuse_generator(kwargs or {})
        args, kwargs = self.frozen.call(function, args, kwargs or {})
        if (spelled_otherwise := spelled.otherwise(function, args, kwargs or {})) is not None:
            with self:
                return spelled_otherwise(*args, **(kwargs or {}))
        if function in _READS and (value := self._value(args[0])) is not None:
            self.read |= value[1]
            with outside():
                return _READS[function](value[0])
        if function in _QUESTIONS and args[0].dtype == torch.bool and args[0].numel() == 1:
            if (known := self._find(args[0])) is not None:
                return known
            if (passes := _outcome_of_check()) is not None:
                return passes
            if (some := emptiness.answer(self._selects)) is not None:
                return some
        if (selected := self._select(function, args, kwargs or {})) is not None:
            return selected
        if function is torch.Tensor.__getitem__:
            args = (args[0], self._without_masks(args[1]))
        if function is torch.nn.functional.pad and len(args) > 1:  # torch would read numbers of tensors by itself
            args = (args[0], [self._number(n) for n in args[1]], *args[2:])
        name = getattr(function, "__name__", "")
        in_place = name.endswith("_") and not name.endswith("__")  # as detach_() is, though it changes no value
        given = _tensors((args, kwargs))
        self.foreign += [t for t in given if t.requires_grad and isinstance(t, torch.nn.Parameter) and not isinstance(t, FakeTensor)]
        known = identities.known_as([] if in_place else given)
        selected = self.sequences.call(function, args)
        if selected is NotImplemented:
            selected = self.selections.call(function, args, kwargs or {}, self.is_known)
        if selected is not NotImplemented:
            identities.keep(known)
            return selected
        found = function(*args, **(kwargs or {}))
        self._forget(_changed_unnoted(function, args, kwargs or {}))
        identities.keep(known)
        self._compute(function, args, kwargs or {}, found)
        if function in _DRAWS and not found.is_inference():
            self._drawn[found] = found._version
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
        if function in _COMPARISONS and len(args) > 1 and isinstance(args[1], (int, float)) \
                and (drawn := self._drawn.get(args[0])) is not None and drawn == args[0]._version:
            return _COMPARISONS[function][0] if args[1] <= 0 else _COMPARISONS[function][1] if args[1] >= 1 else None
        if function in _FINITE:
            return _FINITE[function] if args and args[0].requires_grad else None
        known = self._find(args[0]) if args and isinstance(args[0], torch.Tensor) else None
        if known is None:
            return None
        if function in _NOT:
            return not known
        return known if function in _ALL or function in _ANY else None


_TYPES = (torch.Tensor.__torch_function__.__func__, torch._C._disabled_torch_function_impl)


def _has_own_function(*tensors):
    """Stands for has_torch_function_variadic: returns True for tensors of types with functions of their own, whatever modes are on."""
    given = [getattr(type(t), "__torch_function__", None) for t in tensors if isinstance(t, torch.Tensor)]
    return any(getattr(f, "__func__", f) not in _TYPES for f in given)


def within_functions():
    """While it lasts, modes see into torch.nn.functional's losses, which else are one call for them: the questions that those ask, and
    their regions without gradients."""
    return replaced(torch.nn.functional, "has_torch_function_variadic", _has_own_function)


def is_known(tensor):
    """Returns True if a question that is asked of a tensor now would be answered by its value."""
    modes = torch.overrides._get_current_function_mode_stack()
    return any(isinstance(m, Answers) and m.is_known(tensor) for m in modes)


def is_selected(tensor):
    """Returns True for elements that a mask of data selects."""
    modes = torch.overrides._get_current_function_mode_stack()
    return any(isinstance(m, Answers) and m.selections.note(tensor) is not None for m in modes)


def _outcome_of_check():
    """Returns the answer with which a check passes, or None if it is none: one of torch's losses or distributions, or one that the
    innermost line outside of torch makes."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_TORCH):
        if frame.f_code.co_filename.startswith(_CHECKED) and (found := _outcome_of_frame(frame)) is not None:
            return found
        frame = frame.f_back
    return None if frame is None else _outcome_of_frame(frame)


def _outcome_of_frame(frame):
    if not hasattr(frame.f_code, "co_positions"):  # before Python 3.11
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
        if part is not None and _answers(part, wanted):
            return _answer(part, wanted, holds)
        # Python 3.11 gives a question that is no comparison also the place of the part `x is not None` before it.
        found = _answers(test, wanted)
        return found.pop() if len(found) == 1 else None
    return wanted


def _answers(test, wanted):
    """Returns what the parts of a test must be, so that the test is `wanted`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _answers(test.operand, not wanted)
    if isinstance(test, ast.BoolOp):
        return set().union(*(_answers(v, wanted) for v in test.values))
    if isinstance(test, ast.Compare) and all(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops):
        return set()  # no question of a tensor's value
    return {True, False} if isinstance(test, ast.IfExp) else {wanted}

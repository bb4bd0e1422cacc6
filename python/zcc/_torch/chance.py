# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that a forward pass draws by Python's `random` or by numpy: they would be those of the trace in each step, and are refused.

After the forward pass itself seeded the generator, as BigBird does for its blocks, they are the same in PyTorch, too, and are drawn.
A number from [0, 1) that is compared with 0 or 1 alone tells nothing: a layer that is dropped with the probability 0 never is.
"""
import contextlib
import pickle
import random
import sys

import numpy as np

from .._errors import Error
from .replacing import replaced

_PYTHON = ("random", "uniform", "randint", "randrange", "choice", "choices", "sample", "shuffle", "gauss", "normalvariate", "betavariate", "expovariate",
           "triangular", "getrandbits")
_NUMPY = ("rand", "random", "random_sample", "uniform", "randint", "choice", "permutation", "shuffle", "randn", "normal", "standard_normal", "beta", "binomial",
          "geometric", "poisson", "exponential", "multinomial", "dirichlet")
# Modules that draw numbers which are no part of a model, such as those in names of files.
_OTHERS = ("tempfile", "uuid", "secrets", "random", "torch", "numpy", "multiprocessing", "asyncio", "urllib3", "jax", "zcc")


class _Draw:
    """A number from [0, 1). What it is compared with decides, or the question is refused.

    It is no float, of which torch would read the value without asking.
    """

    def __init__(self, by):
        self.by = by

    def _compare(self, other, low, high):
        if isinstance(other, (int, float)) and other <= 0:
            return low
        if isinstance(other, (int, float)) and other >= 1:
            return high
        raise _refusal(self.by)

    def __lt__(self, other):
        return self._compare(other, False, True)

    def __gt__(self, other):
        return self._compare(other, True, False)

    __le__, __ge__, __hash__ = __lt__, __gt__, object.__hash__

    def _refuse(self, *_):
        raise _refusal(self.by)

    __eq__ = __ne__ = __bool__ = __int__ = __float__ = __round__ = __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = \
        __rtruediv__ = __pow__ = __rpow__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __abs__ = __pos__ = __format__ = __index__ = __array__ = _refuse


def _refusal(by):
    return Error(f"the forward pass draws a number by {by}, which would be the same in each step: draw it by torch (torch.rand), and choose by torch.where or "
                 "torch.cond")


class _Library:
    """One of the two libraries while a forward pass is traced. state: returns what tells whether a number was drawn."""

    def __init__(self, owner, names, by, state):
        self.owner, self.names, self.by, self.state = owner, names, by, state
        self.seeded, self.before = False, state()

    def replacements(self):
        yield "seed", self._seed_of(self.owner.seed)
        for name in self.names:
            yield name, self._draw_of(getattr(self.owner, name), f"{self.by}.{name}")

    def _seed_of(self, original):
        def seed(*args, **kwargs):
            self.refuse_drawn()
            self.seeded = any(x is not None for x in (*args, *kwargs.values()))
            original(*args, **kwargs)
            self.before = self.state()
        return seed

    def _draw_of(self, original, by):
        def draw(*args, **kwargs):
            if self.seeded or sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] in _OTHERS:
                self.refuse_drawn()
                found = original(*args, **kwargs)
                self.before = self.state()
                return found
            if by.endswith((".random", ".random_sample", ".rand")) and not args and not kwargs or by.endswith(".uniform") and args in ((0, 1), ()) and not kwargs:
                return _Draw(by)
            raise _refusal(by)
        return draw

    def refuse_drawn(self):
        """Refuses numbers that were drawn by what stands for no function here, such as one of `from random import random`."""
        if not self.seeded and self.state() != self.before:
            raise _refusal(f"{self.by}, by a function that was imported from it")


def _states_of(module):
    """Returns the state of each generator of Python or numpy that is an attribute of a module, by name."""
    found = {}
    for path, child in module.named_modules():
        for name, value in vars(child).items():
            if isinstance(value, (random.Random, np.random.Generator, np.random.RandomState)):
                found[f"{path}.{name}".lstrip(".")] = value.getstate() if isinstance(value, random.Random) else \
                    pickle.dumps(value.bit_generator.state if isinstance(value, np.random.Generator) else value.get_state())
    return found


def _default_rng(original):
    def default_rng(seed=None):
        if seed is None and sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] not in _OTHERS:
            raise _refusal("numpy.random.default_rng")
        return original(seed)
    return default_rng


@contextlib.contextmanager
def refused(module):
    """While it lasts, such numbers are refused, also those of generators that are attributes of a module."""
    libraries = (_Library(random, _PYTHON, "random", random.getstate), _Library(np.random, _NUMPY, "numpy.random", lambda: pickle.dumps(np.random.get_state())))
    own = _states_of(module)
    with contextlib.ExitStack() as stack:
        for library in libraries:
            for name, function in library.replacements():
                stack.enter_context(replaced(library.owner, name, function))
        stack.enter_context(replaced(np.random, "default_rng", _default_rng(np.random.default_rng)))
        yield
    for library in libraries:
        library.refuse_drawn()
    for name, state in _states_of(module).items():
        if own.get(name, state) != state:
            raise _refusal(f"its generator '{name}'")

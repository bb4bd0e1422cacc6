# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that a forward pass draws by Python's `random` or by numpy: they would be those of the trace in each step, and are refused.

A number from [0, 1) that is compared with 0 or 1 alone tells nothing: a layer that is dropped with the probability 0 never is.
"""
import contextlib
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


class _Draw(float):
    """A number from [0, 1) without a value. It is below 1 and not below 0; all other comparisons are refused."""

    def _compare(self, other, low, high):
        if other <= 0:
            return low
        if other >= 1:
            return high
        raise _refusal(self.by)

    def __lt__(self, other):
        return self._compare(other, False, True)

    def __gt__(self, other):
        return self._compare(other, True, False)

    __le__, __ge__, __hash__ = __lt__, __gt__, float.__hash__

    def _refuse(self, *_):
        raise _refusal(self.by)

    __eq__ = __ne__ = __bool__ = __int__ = __float__ = __round__ = __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = \
        __rtruediv__ = __pow__ = __floordiv__ = __mod__ = __abs__ = __format__ = _refuse


def _refusal(by):
    return Error(f"the forward pass draws a number by {by}, which would be the same in each step: draw it by torch (torch.rand), and choose by torch.where or "
                 "torch.cond")


def _of(original, by):
    def draw(*args, **kwargs):
        if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] in _OTHERS:
            return original(*args, **kwargs)
        if by.endswith((".random", ".random_sample", ".rand")) and not args and not kwargs or by.endswith(".uniform") and args in ((0, 1), ()) and not kwargs:
            found = _Draw(.5)
            found.by = by
            return found
        raise _refusal(by)
    return draw


@contextlib.contextmanager
def refused():
    """While it lasts, such numbers are refused."""
    with contextlib.ExitStack() as stack:
        for library, names, by in ((random, _PYTHON, "random"), (np.random, _NUMPY, "numpy.random")):
            for name in names:
                stack.enter_context(replaced(library, name, _of(getattr(library, name), f"{by}.{name}")))
        yield

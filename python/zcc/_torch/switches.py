# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a forward pass switches, and torch.export does not record: inference mode, `requires_grad` of parameters, and the seed of torch.

Inference mode is a region without gradients. While `requires_grad` of a parameter is off, its uses are detached, as in the step of a
generator that freezes its critic. A seed would make the same draws in each step of PyTorch, while those of zcc differ, and is refused.
"""
import contextlib

import torch
from torch.utils.weak import WeakIdKeyDictionary

from .._errors import Error
from .replacing import replaced
from .selections.indices import mapped, tensors

_SET = torch.Tensor.requires_grad.__set__
_READS = {torch.Tensor.requires_grad.__get__, torch.Tensor.is_leaf.__get__}


class Frozen:
    """The parameters whose `requires_grad` is off for a while."""

    def __init__(self):
        self._off = WeakIdKeyDictionary()

    def call(self, function, args, kwargs):
        """Notes what a function switches. Returns its arguments, in which parameters that are off are detached."""
        if function is torch.Tensor.requires_grad_ or function == _SET:
            tensor, to = args[0], args[1] if len(args) > 1 else kwargs.get("requires_grad", True)
            if isinstance(tensor, torch.nn.Parameter) and to != tensor.requires_grad:
                if to and tensor not in self._off:
                    raise Error(f"the forward pass sets requires_grad of a frozen parameter of shape {list(tensor.shape)}: it is frozen in all steps, or in none; set it "
                                "before the module is compiled")
                if to:
                    del self._off[tensor]
                else:
                    self._off[tensor] = True
            return args, kwargs
        if not self._off or function in _READS or not any(t in self._off for t in tensors((args, kwargs))):
            return args, kwargs
        detached = lambda x: x.detach() if isinstance(x, torch.Tensor) and x in self._off else x
        return mapped(detached, args), mapped(detached, kwargs)


def _enter(context):
    context._zcc_gradients = torch.set_grad_enabled(not context.mode)
    context._zcc_gradients.__enter__()


def _exit(context, *error):
    context._zcc_gradients.__exit__(*error)


def _refuse_seed(*_, **__):
    raise Error("the forward pass seeds torch (torch.manual_seed), so that PyTorch would draw the same numbers in each step: a step of zcc draws by its own key, "
                "other numbers in each step; draw numbers that stay into a buffer before")


def refuse_generator(kwargs):
    """Refuses a call that draws by a generator of its own."""
    if isinstance(kwargs.get("generator"), torch.Generator):
        raise Error("the forward pass draws by a torch.Generator: a step draws by its own key (seed=), other numbers in each step; leave `generator` out, or draw "
                    "numbers that stay into a buffer before")


@contextlib.contextmanager
def seen():
    """While it lasts, inference mode is a region without gradients, and torch is not seeded."""
    with replaced(torch.inference_mode, "__enter__", _enter), replaced(torch.inference_mode, "__exit__", _exit), \
            replaced(torch, "manual_seed", _refuse_seed), replaced(torch.random, "manual_seed", _refuse_seed):
        yield

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways of libraries that a module's forward pass takes while it is exported, and that the eager pass does not take.

transformers asks in many places whether it is being traced, and then keeps a mask that masks nothing, or has no mask at all. Most modules
export well in that way. For one that does not, `as_eager` takes the eager pass, in which it may ask for values: those that follow from
constants are known.
"""
import contextlib
import sys

import torch

from .._errors import Error
from . import checks
from .replacing import replaced


def may_be_eager():
    """Returns True if `as_eager` changes anything."""
    return "transformers.masking_utils" in sys.modules


@contextlib.contextmanager
def as_eager():
    """While it lasts, transformers is told that it is not traced. A tensor whose value is not known still says that it is."""
    def never():
        return False

    with contextlib.ExitStack() as stack:
        for name, library in list(sys.modules.items()):
            if name.startswith("transformers.models.") and "is_torchdynamo_compiling" in vars(library):
                stack.enter_context(replaced(library, "is_torchdynamo_compiling", never))
        masks = sys.modules["transformers.masking_utils"]
        stack.enter_context(replaced(masks, "is_torchdynamo_exporting", never))
        stack.enter_context(replaced(masks, "is_tracing", lambda tensor=None: tensor is not None and not checks.is_known(tensor)))
        yield


def _convert(module, function, recurse=True):
    """Stands for torch.nn.Module._apply, by which .to(), .float() and their like convert parameters in place: there is nothing to convert."""
    for name, tensor in (*module.named_parameters(recurse=recurse), *module.named_buffers(recurse=recurse)):
        with checks.outside():  # of another tensor, as a trace would take the result for the parameter from here on
            found = function(torch.empty(0, dtype=tensor.dtype, device=tensor.device))
        if (found.dtype, found.device) != (tensor.dtype, tensor.device):
            raise Error(f"the forward pass converts the parameters of a {type(module).__name__}: '{name}' is {_kind(tensor)}, and would be "
                        f"{_kind(found)}; convert the module before it is compiled")
    return module


def _kind(tensor):
    return f"{str(tensor.dtype).removeprefix('torch.')} on {tensor.device}"


def without_conversions():
    """While it lasts, a forward pass that converts modules to the type and the device that they have leaves them alone."""
    return replaced(torch.nn.Module, "_apply", _convert)

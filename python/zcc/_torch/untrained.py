# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that require gradients, and that no optimizer of a module's parameters would ever change: refused by their names."""
import torch

from .._arrays import has_values
from .._errors import Error
from .replacing import replaced


def _new(original):
    def new(cls, data=None, requires_grad=True):
        if requires_grad:
            shape = "" if data is None else f" of shape {list(data.shape)}"
            raise Error(f"the forward pass makes a Parameter{shape}, which no optimizer would train: make it in __init__, or call the module once "
                        "before it is compiled if it makes it the first time alone")
        return original(cls, data, requires_grad)
    return new


def no_new_parameters():
    """While it lasts, the forward pass makes no Parameters."""
    return replaced(torch.nn.Parameter, "__new__", staticmethod(_new(torch.nn.Parameter.__new__)))


def refuse_constants(module, exported, stop):
    """Refuses constants that require gradients and that reach a result by other ops than `stop`."""
    parameters = {p.data_ptr(): p for p in exported.foreign}  # torch.export detaches them
    for node, kind, name in exported.inputs:
        tensor = exported.tensors.get(name) if kind == "constant" else None
        tensor = parameters.get(tensor.data_ptr(), tensor) if tensor is not None and has_values(tensor) else tensor
        if tensor is None or not tensor.requires_grad or not _reaches_result(node, stop):
            continue
        found = _path(module, tensor)
        what = f"the tensor '{found}'" if found else f"a tensor of shape {list(tensor.shape)} that is not the module's"
        raise Error(f"the forward pass reads {what}, which requires gradients and is no parameter of the module, so that it would not be trained: register "
                    "it (nn.Parameter, nn.ParameterList, nn.ModuleList), or detach() what is not to be trained")


def _reaches_result(node, stop):
    seen, todo = set(), [node]
    while todo:
        n = todo.pop()
        if n.op == "output":
            return True
        if n not in seen and n.target is not stop:
            seen.add(n)
            todo += n.users
    return False


def _path(module, tensor):
    """Returns where a module keeps a tensor that it does not register, in lists, dictionaries and modules within them, or None."""
    def within(value, depth):
        if value is tensor:
            return ""
        if depth > 3:
            return None
        if isinstance(value, torch.nn.Module):
            return next((f".{n}" for n, p in value.named_parameters() if p is tensor), None)
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
        return next((f".{k}{found}" for k, v in items if (found := within(v, depth + 1)) is not None), None)

    for path, child in module.named_modules():
        for name, value in vars(child).items():
            if not name.startswith("_") or isinstance(value, (list, dict, torch.Tensor)) and name not in ("_parameters", "_buffers", "_modules"):
                if (found := within(value, 0)) is not None:
                    return ".".join(filter(None, [path, name])) + found
    return None

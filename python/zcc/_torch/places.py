# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a module is written."""
import inspect


def place_of(module):
    """Returns FILE:LINE of the class of a module, or None."""
    try:
        return f"{inspect.getsourcefile(type(module))}:{inspect.getsourcelines(type(module))[1]}"
    except (TypeError, OSError):
        return None


def place_of_owner(module, path):
    """Returns FILE:LINE of the class of the innermost module outside of torch that has the one with a path."""
    while path and type(module.get_submodule(path)).__module__.startswith("torch."):
        path = path.rpartition(".")[0]
    return place_of(module.get_submodule(path))

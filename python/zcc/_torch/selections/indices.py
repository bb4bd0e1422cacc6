# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of an index x[...], and the tensors and numbers among arguments."""
import torch

WHOLE = slice(None)


def is_whole(part):
    """Returns True for the part `:` of an index."""
    return isinstance(part, slice) and part == WHOLE


def is_mask(part):
    """Returns True for a part of an index that is a mask of one dim or more."""
    return isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) and part.ndim > 0


def dims_of(part):
    """Returns how many dims of a tensor a part of an index is for."""
    if part is None:
        return 0
    return part.ndim if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) else 1


def spelled(index, rank):
    """Returns an index with a part for each dim of a tensor, without `...`."""
    index = list(index)
    at = next((i for i, part in enumerate(index) if part is Ellipsis), len(index))
    after = index[at + 1:]
    missing = rank - sum(map(dims_of, index[:at])) - sum(map(dims_of, after))
    return [*index[:at], *[WHOLE] * missing, *after]


def results_before(index, at):
    """Returns how many dims x[index] has before what the part with the number `at` gives, if that and those after it stand together."""
    return sum(part is None or isinstance(part, slice) for part in index[:at])


def leaves(value):
    """Returns all values among arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in leaves(v)] if isinstance(value, (list, tuple)) else [value]


def tensors(value):
    """Returns the tensors among arguments."""
    return [v for v in leaves(value) if isinstance(v, torch.Tensor)]


def mapped(function, value):
    """Returns arguments with function(v) in the place of each value v."""
    if isinstance(value, dict):
        return {k: mapped(function, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        found = [mapped(function, v) for v in value]
        return torch.Size(found) if isinstance(value, torch.Size) else type(value)(found) if type(value) in (list, tuple) else type(value)(*found)
    return function(value)

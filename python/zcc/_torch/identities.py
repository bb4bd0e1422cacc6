# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that return their argument itself, such as `x.to(x.dtype)`, while a module is traced.

A trace knows a tensor by the op that returned it last. If that was such an op in a region without gradients, whoever reads the tensor after
the region would read the result of the region, and lose its gradient. Here the tensor stays the result of the op that computed it.
"""
from torch.fx.experimental.proxy_tensor import get_proxy_mode


def known_as(tensors):
    """Returns what a trace knows each of some tensors as, with its version, for `keep`."""
    mode = get_proxy_mode()
    if mode is None:
        return None, []
    tracker = mode.tracer.tensor_tracker
    return tracker, [(t, t._version, tracker[t]) for t in tensors if not t.is_inference() and t in tracker]


def keep(known):
    """Lets a trace know tensors as before an op, without those that it changed in place."""
    tracker, tensors = known
    for tensor, version, found in tensors:
        if tensor._version == version and tracker[tensor] is not found:
            tracker[tensor] = found

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch module's loss as a JAX function, by torchax."""
import torch
import torchax


class Wrapped(torch.nn.Module):
    """A module and the function that makes a loss of it: forward(**batch) = function(module, **batch)."""

    def __init__(self, model, function):
        super().__init__()
        self.model, self.function = model, function

    def forward(self, **batch):
        return self.function(self.model, **batch)


def torch_loss(build, function):
    """(loss, params) of function(build(), **batch). Parameters are trained; buffers are constants, and what the forward pass writes to them is dropped."""
    torch.manual_seed(0)
    module = Wrapped(build(), function).train()
    names = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    states, call = torchax.extract_jax(module)
    params = {k.removeprefix("model."): v for k, v in states.items() if k in names}
    buffers = {k: v for k, v in states.items() if k not in names}

    def loss(params, batch):
        return call({**{"model." + k: v for k, v in params.items()}, **buffers}, (), batch)

    return loss, params

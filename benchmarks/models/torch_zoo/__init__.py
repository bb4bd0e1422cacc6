# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PyTorch modules of the table in docs/models.md, by domain: small configurations with random weights, and without dropout.

A file imports a library inside of its functions, so that a library that is not installed costs its own modules only.
"""
import importlib

import numpy as np
import torch

DOMAINS = ("text", "encoder_decoder", "audio", "vision", "multimodal", "diffusion", "adapters", "graphs", "by_hand")
MODULES = {}
B, S, V = 8, 16, 96


class Case:
    """A module's name, library and domain, and a function that returns it and a function of a numpy Generator to a batch.

    attention: the number of attentions that its loss depends on. why: why some of them are not recognized.
    refused: what a refusal of a plan must say, by plan, for plans that the module cannot have.
    """

    def __init__(self, name, domain, make, attention, why, refused):
        self.name, self.library, self.domain, self.make = name, name.partition("/")[0], domain, make
        self.attention, self.why, self.refused = attention, why, refused


def load():
    """Returns all modules by name."""
    for domain in DOMAINS:
        importlib.import_module(f"torch_zoo.{domain}")
    return MODULES


def module(name, domain, attention=0, why="", refused=None):
    def add(make):
        assert name not in MODULES, name
        MODULES[name] = Case(name, domain, make, attention, why, refused or {})
        return make
    return add


# Plans with microbatches do not take models with statistics of the whole batch.
WHOLE_BATCH = {"pipe=2, 4 microbatches": "batch"}


class With(torch.nn.Module):
    """A module whose forward pass is loss(module, **batch)."""

    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, **batch):
        return self.loss(self.model, **batch)


def ids(rng, *shape, below=V):
    return rng.integers(0, below, shape or (B, S))


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)

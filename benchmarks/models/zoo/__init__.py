# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models, by domain. A model is a function without arguments, registered by @model, that returns

    loss      loss(params, batch) -> scalar, on arrays of JAX
    params    a pytree of float32 arrays, small and random
    batch     batch(rng) -> {name: numpy array}, a step's inputs

A module imports what it needs inside of its functions: a library that is not installed costs only its own models.
"""
import importlib
from typing import Callable, NamedTuple

DOMAINS = ("language", "vision", "audio", "diffusion", "graphs", "reinforcement", "physics", "sequences")
MODELS = {}


class Model(NamedTuple):
    name: str
    library: str
    domain: str
    make: Callable


def model(name, library):
    def add(make):
        domain = make.__module__.rpartition(".")[2]
        assert name not in MODELS, name
        MODELS[name] = Model(name, library, domain, make)
        return make

    return add


def load():
    for domain in DOMAINS:
        importlib.import_module(f"zoo.{domain}")
    return MODELS


def tokens(vocabulary, *shape, **more):
    """A batch of token ids under the name `ids`, and others by their size or function."""
    def batch(rng):
        out = {"ids": rng.integers(0, vocabulary, shape).astype("int32")}
        for name, make in more.items():
            out[name] = make(rng)
        return out

    return batch


def normal(*shape):
    return lambda rng: rng.normal(size=shape).astype("float32")


def integers(limit, *shape):
    return lambda rng: rng.integers(0, limit, shape).astype("int32")


def inputs(**makers):
    return lambda rng: {name: make(rng) for name, make in makers.items()}

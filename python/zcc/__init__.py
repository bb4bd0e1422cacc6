# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""zcc: a loss function and a mesh in, a planned and compiled training step out.

    step = zcc.compile(loss, params, batch, mesh="data=4", zero=3, optimizer=zcc.AdamW(lr=3e-4))
    for batch in loader:
        metrics = step(batch)

docs/python.md is the guide.
"""
from ._errors import Error
from .optimizers import SGD, AdamW, Lion

__all__ = ["AdamW", "Error", "Lion", "Metrics", "Plan", "SGD", "Step", "compile", "plan", "read_ahead"]


def plan(function, params, batch=None, *, state=None, loss=None, optimizer=None, quiet=False, **options):
    """Plans the training step of a loss and returns a Plan. It needs neither the hardware nor weights.

    function: a JAX loss or a PyTorch module, as for compile(). params, batch: trees of arrays, or of shapes (jax.ShapeDtypeStruct).
    Keywords are the options of zcc, with `_` for `-`: mesh="8x64", machine="h100-dgx", precision="bf16".
    Warnings of the compiler are printed to standard error unless `quiet`; plan.messages has them.
    Raises an Error where the loss or an option is refused, or the step fits no device.
    """
    from ._frontend import make_plan

    return make_plan(function, params, batch, state, optimizer, options, loss=loss, quiet=quiet)


def compile(function, params, batch=None, optimizer=None, *, state=None, loss=None, seed=0, cache=True, logger=None, progress=None,
            local_batch=False, quiet=False, **options):
    """Compiles the training step of a loss and returns a Step, whose ranks have the parameters.

    function: a JAX loss(params, batch), which returns a float scalar, or that and a tree of metrics. With `state`, a tree of
    values that the step changes and no gradient trains, it is loss(params, state, batch), which returns
    (scalar, (new state, metrics)). A last argument `key` gets a new key of random numbers each step, made of `seed`.
    A PyTorch module has its own parameters: zcc.compile(module, batch, ...). Its forward pass takes the entries of the batch by
    keyword, and returns a float scalar, or an object or dictionary with `loss`; else loss=lambda outputs, batch: ... makes one.
    params: a tree of arrays. Those that are only described (jax.ShapeDtypeStruct) get values by step.load() or by assigning
    step.params.
    batch: shows the shapes and types of batches; its values do not matter.
    optimizer: AdamW (default), SGD, Lion, or a name of zcc's --optimizer.
    cache: keep and look up the executable on disk, in ~/.cache/zcc or the folder of ZCC_CACHE.
    logger: a function that gets the Metrics of each step. progress: show a line of progress; by default in terminals and
    notebooks. local_batch: under several processes a batch is this process's slice, not the whole.
    quiet: do not print the compiler's warnings; step.messages has them.
    Other keywords are the options of zcc and zrun, with `_` for `-`: mesh="data=4", zero=3, clip_norm=1.0. An option that
    shares its name with another argument (--state) goes into options={"state": ...}.
    Raises an Error where the loss or an option is refused.
    """
    from ._frontend import make_step

    return make_step(function, params, batch, state, optimizer, options, seed=seed, cache=cache, logger=logger, progress=progress,
                     local_batch=local_batch, loss=loss, quiet=quiet)


# Names that need numpy, which takes longer to import than all else here, by their module.
_LATER = {"Metrics": "_step", "Plan": "_plan", "Step": "_step", "read_ahead": "_feeding"}


def __getattr__(name):
    import importlib

    if name == "__version__":
        return importlib.import_module("._library", __name__).version()
    if name in ("loggers", "optimizers"):
        return importlib.import_module(f".{name}", __name__)
    if name in _LATER:
        return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module 'zcc' has no attribute '{name}'")

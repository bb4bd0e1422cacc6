# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a function to a Plan or a Step."""
import inspect
import os
import sys

from . import _jax, _options
from ._arrays import spec_of
from ._errors import Error, refuse
from ._plan import Plan
from ._program import KEPT, compile_program, write_files
from ._step import Step


class Model:
    """A loss with what it is called with, and how its programs are compiled.

    traced: the loss as a text. examples: Specs of the batch's leaves as they were shown. tokens: elements of integer
    inputs of a batch.
    """

    def __init__(self, function, params, batch, state, trains, cache=True, values=True):
        if not callable(function):
            refuse(f"expected a function, found {type(function).__name__}")
        self.function, self.params, self.state, self.batch, self.cache = function, params, state, batch, cache
        try:
            import jax  # noqa: F401
        except ImportError:
            refuse("a JAX function needs the package jax: pip install jax")
        self.traced = _jax.trace(function, params, batch, state, trains=trains, values=values)
        self.arguments = self.traced.arguments
        tree = self.arguments.batch
        self.examples = {n: spec_of(x, n) for n, x in zip(tree.names, tree.leaves)}
        self.tokens = sum(_size(s) for s in self.traced.inputs.values() if s.type.startswith(("int", "uint")) and len(s.shape) > 1)
        self.name = _name(function)

    def key_of(self, step):
        """Returns the key of random numbers of a step: fold_in(key(seed), step)."""
        import jax
        import numpy as np

        return np.array(jax.random.key_data(jax.random.fold_in(jax.random.key(self.seed), step)), np.uint32)

    def trace_forward(self, function):
        """Returns the text of a function of the same parameters; None stands for the loss."""
        return _jax.trace(function or self.function, self.params, self.batch, self.state, trains=False)

    def other_options(self, options, optimizer):
        """Returns the options of a program that does not train, in the layout of one that does."""
        training = ("optimizer", "ema", "no-decay", "zero", "zero-axes", "state", "offload", "delay-update", "init", "remat", "schedule",
                    "compress", "gradient-type", "plan")
        kept = [o for o in options if o.partition("=")[0] not in training]
        return kept + [f"optimizer={optimizer}"]


def _size(spec):
    count = 1
    for extent in spec.shape:
        count *= extent
    return count


def _name(function):
    """Returns what stands for the text's file in messages: FILE.py of the function, else its name."""
    try:
        return os.path.basename(inspect.getsourcefile(inspect.unwrap(function)) or "") or _jax.name_of(function)
    except TypeError:
        return _jax.name_of(function)


_KEYWORDS = ("state", "optimizer", "seed", "cache", "logger", "progress", "local-batch", "quiet")


def is_first_process():
    """Returns False in processes of mpirun, srun and torchrun other than the first: one speaks for all."""
    found = (os.environ.get(name) for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"))
    return next((rank for rank in found if rank), "0") == "0"


def _tell(model, program, quiet):
    """Prints the warnings and notes of a compilation, as the command line does."""
    if model.traced.unused:
        place = f"{model.traced.place}: " if model.traced.place else ""
        program.messages += (f"{place}warning: '{_jax.name_of(model.function)}' does not read the parameters {', '.join(model.traced.unused)}: "
                             "they have no gradient, and keep their values\n")
    if program.messages and not quiet and is_first_process():
        sys.stderr.write(program.messages)


def make_plan(function, params, batch, state, optimizer, keywords, *, quiet=False):
    options = _options.read(keywords, optimizer, others=_KEYWORDS)
    model = Model(function, params, batch, state, trains=_trains(options), values=False)
    asked = [d for d in options.files if d not in ("report", *KEPT)]
    compiled = options.compile + ["plan-only"] + asked
    program = compile_program(model.traced.text, model.name, compiled)
    _tell(model, program, quiet)
    write_files(options.files, program)
    return Plan(model.traced.text, model.name, options.compile, program)


def _trains(options):
    return "optimizer=forward" not in options.compile


def make_step(function, params, batch, state, optimizer, keywords, *, seed, cache, logger, progress, local_batch, quiet=False):
    options = _options.read(keywords, optimizer, others=_KEYWORDS)
    model = Model(function, params, batch, state, trains=_trains(options), cache=cache)
    model.seed = seed
    if logger is not None and not callable(logger):
        refuse(f"logger: expected a function of the metrics, found {type(logger).__name__}")
    asked = [d for d in options.files if d not in ("report", *KEPT)]
    # CPUs read batches where they lie; GPUs copy them.
    if not any(o.startswith("inputs=") or o == "target=cuda" for o in options.compile):
        options.compile.append("inputs=caller")
    program = compile_program(model.traced.text, model.name, options.compile + asked, cache=cache)
    _tell(model, program, quiet)
    write_files(options.files, program)
    trainer = list(options.trainer)
    if model.traced.keyed:
        trainer.append(f"key-seed={seed}")
    if local_batch:
        trainer.append("local-batch")
    return Step(model, options, program, trainer, optimizer, logger=logger, progress=progress)


__all__ = ["Error", "make_plan", "make_step"]

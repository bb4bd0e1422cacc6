# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work behind zcc.compile() and zcc.plan(), for any function: read the options, make the text by the frontend
for its kind (_jax.py or _torch), compile it, and return a Step or a Plan."""
import inspect
import os
import sys

from . import _huggingface, _keys, _options
from ._arrays import spec_of
from ._errors import Error, refuse
from ._plan import Plan
from ._program import KEPT, compile_program, write_files
from ._step import Step
from ._traced import name_of
from ._trees import flatten


class Model:
    """A loss with what it is called with, and how its programs are compiled.

    function: a JAX function of (params, batch), or a PyTorch module, whose params is None. loss: makes the loss of a module's
    outputs and the batch, or None. traced: the loss as a text. examples: Specs of the batch's leaves as they were shown.
    tokens: elements of integer inputs of a batch.
    """

    def __init__(self, function, params, batch, state, trains, cache=True, values=True, loss=None):
        if not callable(function):
            refuse(f"expected a function, found {type(function).__name__}")
        self.function, self.params, self.state, self.batch, self.cache, self.loss = function, params, state, batch, cache, loss
        self.is_module = is_module(function)
        if self.is_module:
            if params is not None or state is not None:
                refuse("a module has its own parameters and buffers: zcc.compile(module, batch, ...)")
        else:
            if loss is not None:
                refuse("loss: only a PyTorch module takes it; a JAX function returns its loss")
            try:
                import jax  # noqa: F401
            except ImportError:
                refuse("a JAX function needs the package jax: pip install jax")
        self.traced = self._trace(None, trains, values)
        self.arguments = self.traced.arguments
        tree = self.arguments.batch
        self.examples = {n: spec_of(x, n) for n, x in zip(tree.names, tree.leaves)}
        self.tokens = sum(_size(s) for s in self.traced.inputs.values() if s.type.startswith(("int", "uint")) and len(s.shape) > 1)
        self.name = _name(function)
        if self.is_module:  # names as they are in the module that was traced
            self.naming = _huggingface.Naming.of_module(function)

    def _trace(self, function, trains, values=True):
        if self.is_module:
            from . import _torch

            return _torch.trace(self.function, self.batch, loss=self.loss, function=function, trains=trains, trained=getattr(self, "traced", None))
        from . import _jax

        return _jax.trace(function or self.function, self.params, self.batch, self.state, trains=trains, values=values)

    def key_of(self, step):
        """Returns the key of random numbers of a step: fold_in(key(seed), step)."""
        return _keys.key_of(self.seed, step)

    def leaves_of(self, batch, name):
        """Returns the arrays of a batch by name."""
        if self.is_module:
            from . import _torch

            return _torch.arrays_of(batch, self.arguments.constants)
        tree = flatten(batch, name)
        return dict(zip(tree.names, tree.leaves))

    def trace_forward(self, function):
        """Returns the text of a function of the same parameters; None stands for the loss, or the outputs of a module in evaluation mode."""
        if function is not None and not callable(function):
            refuse(f"function: expected a function, found {type(function).__name__}")
        return self._trace(function, trains=False)

    def own_options(self, options):
        """Returns options that the model itself asks for, beside those of the call.

        Parameters without requires_grad are frozen. Regions under torch.utils.checkpoint are computed again, unless the call
        has an option `remat`.
        """
        found = [f"freeze={n}" for n in self.traced.frozen]
        if self.traced.recomputed and not any(o.startswith("remat=") for o in options):
            found.append(f"remat={','.join(self.traced.recomputed)}")
        return found

    def other_options(self, options, optimizer):
        """Returns the options of a program that does not train, in the layout of one that does."""
        training = ("optimizer", "ema", "no-decay", "zero", "zero-axes", "state", "offload", "delay-update", "init", "remat", "schedule",
                    "compress", "gradient-type", "plan")
        kept = [o for o in options if o.partition("=")[0] not in training]
        return kept + [f"optimizer={optimizer}"]


def is_module(function):
    """Returns True for a torch.nn.Module. torch is not imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(function, torch.nn.Module)


def _size(spec):
    count = 1
    for extent in spec.shape:
        count *= extent
    return count


def _name(function):
    """Returns what stands for the text's file in messages: FILE.py of the function or of a module's class, else its name."""
    own = type(function) if is_module(function) else inspect.unwrap(function)
    try:
        file = inspect.getsourcefile(own) or ""
    except (TypeError, OSError):  # a class of a notebook or of `python -c`
        file = ""
    # The file of a notebook's cell is a number that no one knows, and is not there.
    return os.path.basename(file) if os.path.exists(file) else name_of(function)


_KEYWORDS = ("state", "loss", "optimizer", "seed", "cache", "logger", "progress", "local-batch", "quiet")


def is_first_process():
    """Returns False in processes of mpirun, srun and torchrun other than the first: one speaks for all."""
    found = (os.environ.get(name) for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"))
    return next((rank for rank in found if rank), "0") == "0"


def _tell(model, program, quiet):
    """Prints the warnings and notes of a compilation, as the command line does."""
    if model.traced.unused:
        place = f"{model.traced.place}: " if model.traced.place else ""
        program.messages += (f"{place}warning: '{name_of(model.function)}' does not read the parameters {', '.join(model.traced.unused)}: "
                             "they have no gradient, and keep their values\n")
    if program.messages and not quiet and is_first_process():
        sys.stderr.write(program.messages)


def make_plan(function, params, batch, state, optimizer, keywords, *, loss=None, quiet=False):
    options = _options.read(keywords, optimizer, others=_KEYWORDS)
    params, batch = _module_arguments(function, params, batch)
    model = Model(function, params, batch, state, trains=_trains(options), values=False, loss=loss)
    options.compile += model.own_options(options.compile)
    asked = [d for d in options.files if d not in ("report", *KEPT)]
    compiled = options.compile + ["plan-only"] + asked
    program = compile_program(model.traced.text, model.name, compiled)
    _tell(model, program, quiet)
    write_files(options.files, program)
    return Plan(model.traced.text, model.name, options.compile, program)


def _module_arguments(function, params, batch):
    """Returns params and batch of a call in which a PyTorch module leaves params out."""
    if is_module(function):
        if batch is not None:
            refuse("a module has its own parameters: zcc.compile(module, batch, ...) takes no params")
        return None, params
    if batch is None:
        refuse("batch is missing: a JAX function is compiled by zcc.compile(function, params, batch, ...)")
    return params, batch


def _seed(seed):
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or not 0 <= seed < 1 << 64:
        refuse(f"seed: expected a whole number from 0 to 2^64 - 1, found {seed!r}")
    return int(seed)


def _check_flags(**flags):
    for name, value in flags.items():
        if not isinstance(value, bool):
            refuse(f"{name}: expected True or False, found {value!r}")


def _trains(options):
    return "optimizer=forward" not in options.compile


def make_step(function, params, batch, state, optimizer, keywords, *, seed, cache, logger, progress, local_batch, loss=None, quiet=False):
    _check_flags(cache=cache, local_batch=local_batch, quiet=quiet)
    if progress is not None:
        _check_flags(progress=progress)
    options = _options.read(keywords, optimizer, others=_KEYWORDS)
    params, batch = _module_arguments(function, params, batch)
    model = Model(function, params, batch, state, trains=_trains(options), cache=cache, loss=loss)
    options.compile += model.own_options(options.compile)
    model.seed = _seed(seed)
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
        trainer.append(f"key-seed={model.seed}")
    if local_batch:
        trainer.append("local-batch")
    return Step(model, options, program, trainer, optimizer, logger=logger, progress=progress)


__all__ = ["Error", "make_plan", "make_step"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled training step."""
import contextlib
import ctypes
import itertools
import json
import operator
import os
import sys
import threading
import weakref

import numpy as np

from . import _arrays, _huggingface, _library, _progress
from ._arrays import Arrays, has_values, numpy_of, spec_of
from ._errors import Error, caller, refuse
from ._plan import Planned, Trace
from ._program import compile_program
from ._trees import flatten


class Metrics(dict):
    """The results of a step: a dictionary whose entries are attributes, too.

    step: the number of the step, from 1. loss, metrics of the loss; grad_norm (before clipping), lr; seconds of the step;
    tokens_per_second, elements of integer inputs by seconds, where the batch has such.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no metric is called '{name}'; there are {', '.join(self)}") from None

    def __repr__(self):
        return "  ".join(f"{k} {v:.6g}" if isinstance(v, float) else f"{k} {v}" for k, v in self.items())

    def _repr_html_(self):
        head = "".join(f"<th>{k}</th>" for k in self)
        row = "".join(f"<td>{v:.6g}</td>" for v in self.values())
        return f"<table><tr>{head}</tr><tr>{row}</tr></table>"


def _close(handle, process):
    if process != os.getpid():  # it was forked
        return
    library = _library.library()
    if library.zcc_trainer_finish_save(handle) != 0:
        sys.stderr.write(f"error: {library.zcc_last_error().decode(errors='replace')}\n")
    library.zcc_trainer_close(handle)


class _Handle:
    """A zcc_trainer, which is closed when nothing refers to this any more, or the process ends."""

    def __init__(self, program, options):
        self.pointer, self.process = ctypes.c_void_p(), os.getpid()
        if not any(o.startswith("cuda-libraries=") for o in options):
            options = [*options, *(f"cuda-libraries={f}" for f in [_library.cuda_folders()] if f)]
        given, count = _library.strings(options)
        _library.check(_library.library().zcc_trainer_open(program.handle, given, count, ctypes.byref(self.pointer)))
        weakref.finalize(self, _close, self.pointer, self.process)


# Trainers whose checkpoints are being written.
_writing = weakref.WeakSet()


class _Trainer:
    """A program with memory on its ranks (zcc_trainer)."""

    def __init__(self, program, options):
        self.program, self._owner = program, _Handle(program, options)
        self.names = program.results()
        arrays, count = ctypes.POINTER(_library.Array)(), ctypes.c_size_t()
        self.call("inputs", ctypes.byref(arrays), ctypes.byref(count))
        self.inputs = _arrays.describe(arrays, count.value)
        first, here, all_ranks = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self.call("ranks", ctypes.byref(first), ctypes.byref(here), ctypes.byref(all_ranks))
        self.first_rank, self.has_others = first.value, here.value < all_ranks.value  # others: ranks of other processes

    @property
    def handle(self):
        _library.library()  # refuses processes that were forked
        if self._owner is None:
            refuse("the step is closed")
        return self._owner.pointer

    def close(self):
        """Frees the memory as soon as no view refers to it. Raises the error of a checkpoint that could not be written."""
        owner, self._owner = self._owner, None
        _writing.discard(self)
        try:
            if owner is not None and owner.process == os.getpid():
                _library.check(_library.library().zcc_trainer_finish_save(owner.pointer))
        finally:
            del owner

    def call(self, function, *arguments):
        """Calls a function on the trainer and raises its error."""
        _library.check(getattr(_library.library(), f"zcc_trainer_{function}")(self.handle, *arguments))

    @contextlib.contextmanager
    def preparing(self):
        """Runs the block before a call that all processes make: what it raises is raised by the others' call, too."""
        try:
            yield
        except Exception as error:
            self.refuse(str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}")
            raise

    def refuse(self, reason):
        """Tells the other processes, in the place of the next call, why this one does not make it."""
        # If the run has failed the others know; what is wrong here is raised anyway.
        _library.library().zcc_trainer_refuse(self.handle, reason.encode(errors="backslashreplace"))

    def run(self, function, batch, *arguments):
        """Runs a step, and returns its numbers by name."""
        found = (ctypes.c_double * len(self.names))()
        self.call(function, batch.array, batch.count, *arguments, found)
        return dict(zip(self.names, found))

    def messages(self):
        return _library.text_of(_library.library().zcc_trainer_messages(self.handle))

    def begin_save(self, folder):
        self.call("begin_save", os.fspath(folder).encode())
        _writing.add(self)

    def finish_save(self):
        """Waits for the checkpoint that is being written, if there is one, and raises its error."""
        if self in _writing:
            _writing.discard(self)
            self.call("finish_save")

    def last_checkpoint(self):
        return _library.text_of(_library.library().zcc_trainer_last_checkpoint(self.handle))

    def trace(self):
        text = ctypes.c_char_p()
        self.call("trace", ctypes.byref(text))
        return text.value.decode()

    def view(self, name):
        array = ctypes.POINTER(_library.Array)()
        self.call("view", name.encode(), ctypes.byref(array))
        return _arrays.view_of(array[0].data, _arrays.describe(array, 1)[name], self._owner, name)


def _finish_saves():
    """Waits for the checkpoints that steps of this process write: a call may be about to read or replace one."""
    for trainer in list(_writing):
        trainer.finish_save()


class _Lock:
    """Refuses a call while another thread's is running. A thread that Ctrl-C has taken out of a call may make the next."""

    def __init__(self):
        self._lock = threading.RLock()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            refuse("another thread's call on this step is running: a step takes one call at a time")

    def __exit__(self, *_):
        self._lock.release()


def _check_path(path, call):
    if not isinstance(path, (str, os.PathLike)):
        refuse(f"{call}: expected a path, found {type(path).__name__}")


def _is_whole(number, least):
    """Returns True for a whole number of at least `least`. An array of several elements has __index__, too, and raises there."""
    try:
        return not isinstance(number, bool) and operator.index(number) >= least
    except TypeError:
        return False


def _differences(given, expected):
    """Returns which names are missing and which are surplus, "" if none is."""
    missing, surplus = [n for n in expected if n not in given], [n for n in given if n not in expected]
    return "; ".join(f"{k}: {', '.join(v)}" for k, v in (("missing", missing), ("surplus", surplus)) if v)


class Step(Planned):
    """A training step on its ranks: call it with a batch. Made by zcc.compile().

    A step takes one call at a time. Parameters are trees in the form that they came in.
    """

    def __init__(self, model, options, program, trainer_options, optimizer, logger=None, progress=None):
        self._model, self._trainer_options, self._optimizer = model, trainer_options, optimizer
        self._take(model.traced.text, model.name, options.compile, program)
        self._lock, self._others, self._logger = _Lock(), {}, logger
        self._trainer = _Trainer(program, trainer_options)
        # Where there are several processes, the first one shows progress.
        self._progress = _progress.choose(progress if self._trainer.first_rank == 0 else False)
        self._specs_of_program = program.parameters()
        self._set_values(model.arguments.params, list(model.arguments.params.names), partial=True)
        if model.arguments.state is not None:
            self._set_values(model.arguments.state, model.arguments.state_names, partial=True)

    # ------------------------------------------------------------ a step

    def __call__(self, batch, lr=None):
        """Runs a step on the batch and returns its Metrics. `lr`: the learning rate of this step, else that of the options."""
        with self._lock:
            arrays = self._batch(batch)
            rate = None if lr is None else ctypes.byref(ctypes.c_double(self._rate(lr)))
            found = self._trainer.run("step", arrays, rate)
            metrics = self._metrics(found)
        self._progress.show(metrics)
        if self._logger is not None:
            try:
                self._logger(metrics)
            except Exception as error:
                self._end("the logger", error)
        return metrics

    def _rate(self, lr):
        with self._trainer.preparing():
            try:
                return float(lr) if not isinstance(lr, (str, bool)) else refuse(f"lr: expected a number, found {lr!r}")
            except (TypeError, ValueError):
                refuse(f"lr: expected a number, found {type(lr).__name__}")

    def _metrics(self, found):
        metrics = Metrics(step=self._count())
        metrics.update(found)
        tokens = self._model.tokens
        if tokens and metrics.get("seconds"):
            metrics["tokens_per_second"] = tokens / metrics["seconds"]
        return metrics

    def _end(self, what, error):
        """Raises the error that ends training here, and in the other processes at their next call."""
        try:
            self._trainer.finish_save()
            problem = ""
        except Error as unwritten:
            problem = f"; {unwritten}"
        last = self._trainer.last_checkpoint()
        where = f"the last checkpoint is {last}" if last else "no checkpoint was written"
        message = f"{what} raised {type(error).__name__}: {error}, after step {self._count()}"
        if self._trainer.has_others:  # they may be long in coming, and hold back what is raised here
            print(f"zcc: {message}; {where}", file=sys.stderr, flush=True)
        self._trainer.refuse(message)
        raise Error(f"{message}; {where}{problem}", caller()) from error

    def run(self, batches, steps=None, lr=None, checkpoint=None, checkpoint_every=None):
        """Runs a step on each batch of an iterable, which is read ahead on a thread. Returns the last Metrics.

        steps: the number of steps in all, counting those before a load. lr: a number, or a function of the number of steps
        done. checkpoint: a folder, to which a checkpoint is written every `checkpoint_every` steps, while steps go on, at the
        end, and at Ctrl-C, when it is waited for. An exception of the iterable, the logger or `lr` ends the run after the step that is running; its message
        says which checkpoint is the last.
        """
        from ._feeding import read_ahead

        if checkpoint_every is not None and checkpoint is None:
            refuse("checkpoint_every needs checkpoint, a folder")
        if checkpoint is not None:
            _check_path(checkpoint, "checkpoint")
        for name, number, least in (("steps", steps, 0), ("checkpoint_every", checkpoint_every, 1)):
            if number is not None and not _is_whole(number, least):
                refuse(f"{name}: expected a whole number of at least {least}, found {number!r}")
        metrics = None
        if steps is not None and self.count >= steps:
            return metrics
        # No more batches are taken than there are steps for.
        feed = read_ahead(batches if steps is None else itertools.islice(batches, steps - self.count))
        try:
            while steps is None or self.count < steps:
                try:
                    batch = next(feed)
                except StopIteration:
                    break
                except Exception as error:
                    self._end("the iterable of batches", error)
                try:
                    rate = lr(self.count) if callable(lr) else lr
                except Exception as error:
                    self._end("the function lr", error)
                metrics = self(batch, lr=rate)
                if checkpoint_every and self.count % checkpoint_every == 0:
                    self.save(checkpoint)
            self._save_last(checkpoint)
        except KeyboardInterrupt:
            if checkpoint is not None:
                self._save_last(checkpoint)
                sys.stderr.write(f"\ninterrupted: the last checkpoint is {self._trainer.last_checkpoint()}\n")
            raise
        finally:
            feed.close()
            self._progress.end()
        return metrics

    def _save_last(self, folder):
        """Makes sure, at the end of a loop, that there is a checkpoint of the last step, unless `folder` is None."""
        if folder is None:
            return
        if self._last_saved == (os.path.realpath(folder), self._count()):
            self._trainer.finish_save()
        else:
            self.save(folder, wait=True)

    @property
    def count(self):
        """The number of steps that were done, those before a checkpoint included."""
        return self._count()

    def _count(self):
        steps = ctypes.c_int64()
        self._trainer.call("steps", ctypes.byref(steps))
        return steps.value

    @property
    def rank(self):
        """The first rank of this process: 0 unless mpirun, srun or torchrun has started several processes."""
        return self._trainer.first_rank

    def _batch(self, batch, trainer=None, name="batch", key=None):
        """Returns the Arrays of a batch for a trainer. Refuses a tree that has not the leaves, types and shapes of the
        example.

        `key` is the key of random numbers of the step; without it, it is an entry `key` of the batch, else the trainer's.
        """
        with self._trainer.preparing():
            given = self._model.leaves_of(batch, name)
            example = self._model.examples
            if differences := _differences(given, example):
                refuse(f"{name}: expected {', '.join(example)}; {differences}")
            found, inputs = [], (trainer or self._trainer).inputs
            if key is None and "key" in example and example["key"] == _KEY:  # trainers do not list it
                inputs = {**inputs, "key": _KEY}
            for n, wanted in inputs.items():
                value = given[n]
                spec, shown = spec_of(value, n), example[n]
                shape = wanted.shape  # of the whole batch, or of this process's slice
                if spec.shape != shape or spec.type not in (shown.type, wanted.type):
                    refuse(f"{name}: '{n}' is {spec}, expected {_arrays.Spec(shown.type, shape)}, as zcc.compile() was shown")
                if not has_values(value):
                    refuse(f"{name}: '{n}' has no values: it is a {type(value).__name__}")
                array = _arrays.convert(numpy_of(value, n), spec.type, wanted.type, n)
                found.append((n, _arrays.Spec(wanted.type, array.shape), array))
            if key is not None:
                found.append(("key", _KEY, key))
            return Arrays(found)

    # ------------------------------------------------------------ parameters

    def _set_values(self, tree, names, partial=False, values="parameters", only=None):
        named = []
        with self._trainer.preparing():
            for n, leaf in zip(names, tree.leaves):
                if (partial and not has_values(leaf)) or (only is not None and n not in only):
                    continue
                spec, wanted = spec_of(leaf, n), self._specs_of_program[n]
                if spec.shape != wanted.shape:
                    refuse(f"'{n}' has shape {list(spec.shape)}, expected {list(wanted.shape)}")
                _arrays.check_type(spec, n)
                array = numpy_of(leaf, n)
                if np.dtype(array.dtype).kind in "iub" and spec.type != wanted.type and spec.type not in _arrays.BITS:
                    array, spec = array.astype(_arrays.dtype_of(wanted.type, n)), wanted
                named.append((n, spec, array))
        if named:
            arrays = Arrays(named)
            self._trainer.call(f"set_{values}", arrays.array, arrays.count)

    def _values(self, names, values="parameters"):
        specs = self._specs_of_program
        found, arrays = _arrays.make_room({n: specs[n] for n in names if n in specs})
        self._trainer.call(f"get_{values}", arrays.array, arrays.count)
        return found

    def _tree_of(self, tree, names, values="parameters"):
        with self._lock:
            found = self._values(names, values)
        given = self._model.traced.parameters
        leaves = []
        for n, leaf in zip(names, tree.leaves):
            array = found[n]
            if given[n].type != _arrays.spec_of(array, n).type:
                array = array.astype(_arrays.dtype_of(given[n].type, n))
            leaves.append(_arrays.like(leaf, array))
        return tree.rebuild(leaves)

    @property
    def params(self):
        """A snapshot of the parameters, in the form that they came in. Assignable."""
        return self._tree_of(self._model.arguments.params, self._model.arguments.params.names)

    @params.setter
    def params(self, value):
        self._assign(value, self._model.arguments.params, self._model.arguments.params.names, "params")

    @property
    def state(self):
        """A snapshot of the values that the step changes and no gradient trains, in the form that they came in. Assignable."""
        if self._model.arguments.state is None:
            return {}
        return self._tree_of(self._model.arguments.state, self._model.arguments.state_names)

    @state.setter
    def state(self, value):
        if self._model.arguments.state is None:
            refuse("the loss has no state: zcc.compile(..., state=...) gives it one")
        self._assign(value, self._model.arguments.state, self._model.arguments.state_names, "state")

    @property
    def ema(self):
        """A snapshot of the averages of the parameters, in the form that they came in. Assignable; needs zcc.compile(..., ema=).

        A parameter that is not trained has no average: it stands for itself, and what is assigned to its place is not read.
        """
        self._need_averages("ema")
        return self._tree_of(self._model.arguments.params, self._model.arguments.params.names, "averages")

    @ema.setter
    def ema(self, value):
        averaged = self._need_averages("ema")
        self._assign(value, self._model.arguments.params, self._model.arguments.params.names, "ema", averaged)

    def _need_averages(self, what):
        averaged = self._trainer.program.averages()
        if not averaged:
            refuse(f"{what}: the step keeps no averages of its parameters; compile it with zcc.compile(..., ema=0.999)")
        return averaged

    def view(self, name):
        """Returns a parameter, by its name in reports ("layers.0.w"), where it lies in memory: a read-only array, without a copy.

        The next step, load or assignment changes it. It has the type in which the parameter is held there. It keeps the
        memory of the step after close(). An Error says why a parameter has no view: ranks of this process hold parts of it,
        or it is not in the host's memory; step.params copies.
        """
        with self._lock:
            try:
                return self._trainer.view(name)
            except Error as error:
                if str(error).startswith("no view of"):
                    raise Error(f"{error}; step.params has a copy", error.place) from None
                raise

    def _assign(self, value, like, names, what, averaged=None):
        with self._trainer.preparing():
            tree = flatten(value, what)
            if tree.names != like.names:
                differences = _differences(tree.names, like.names) or "their order differs"
                refuse(f"{what}: expected the leaves that zcc.compile() was given; {differences}")
        with self._lock:
            self._set_values(tree, names, values="parameters" if averaged is None else "averages", only=averaged)

    # ------------------------------------------------------------ other functions of the same parameters

    def _other(self, kind, make, values="parameters"):
        """Returns a trainer of another program of these parameters, compiled at its first use, and gives it their values."""
        if kind not in self._others:
            with self._trainer.preparing():
                traced = make()
                program = compile_program(traced.text, self._model.name, self._model.other_options(self._compile_options, kind[0]),
                                          cache=self._model.cache, documents=())
            ranks = [o for o in self._trainer_options if o.partition("=")[0] in _RANK_OPTIONS]
            ranks += [o for o in self._trainer_options if o.startswith("key-seed=") and traced.keyed]
            self._others[kind] = (_Trainer(program, ranks), traced)
        trainer, traced = self._others[kind]
        trainer.call(f"copy_{values}", self._trainer.handle)
        return trainer, traced

    def gradients(self, batch):
        """Returns the gradients of the loss on the batch, without updating anything: a tree like the parameters.

        A loss with a key gets the one of the next step.
        """
        with self._lock:
            trainer, _ = self._other(("none", None), lambda: self._model.traced)
            names = self._model.arguments.params.names
            shapes = self._model.traced.parameters
            found, gradients = _arrays.make_room({n: _arrays.Spec("float32", shapes[n].shape) for n in names})
            key = self._model.key_of(self._count() + 1) if self._model.traced.keyed else None
            trainer.run("gradients", self._batch(batch, trainer, key=key), gradients.array, gradients.count)
        tree = self._model.arguments.params
        return tree.rebuild(_arrays.like(leaf, found[n]) for n, leaf in zip(names, tree.leaves))

    def _forward(self, batch, function, ema):
        if ema:
            self._need_averages("ema=True")
        with self._lock:
            trainer, traced = self._other(("forward", function), lambda: self._model.trace_forward(function),
                                          "averages" if ema else "parameters")
            found, outputs = _arrays.make_room(trainer.program.outputs())
            numbers = trainer.run("evaluate", self._batch(batch, trainer), outputs.array, outputs.count)
        if "loss" in numbers and "loss" not in traced.scalars:
            numbers[traced.scalars[0]] = numbers.pop("loss")  # the first float scalar has that name in zcc
        return {**found, **numbers}, traced

    def evaluate(self, batch, function=None, ema=False):
        """Returns the Metrics of the loss, or of another function of (params, batch), on a batch; nothing is updated.

        With `ema` the averages of the parameters stand for them. A loss with a key gets that of step 0.
        """
        found, traced = self._forward(batch, function, ema)
        metrics = Metrics({n: float(v) for n, v in found.items() if np.ndim(v) == 0})
        if not traced.scalars:
            refuse("evaluate: the function returns no number: step.predict() returns arrays")
        return metrics

    def predict(self, batch, function=None, ema=False):
        """Returns what function(params, batch) returns on a batch, as arrays of numpy in its form; by default the loss's results.

        With `ema` the averages of the parameters stand for them. A function with a key gets that of step 0.
        """
        found, traced = self._forward(batch, function, ema)
        return traced.rebuild(found)

    # ------------------------------------------------------------ checkpoints

    _last_saved = None  # a folder and a number of steps
    _sources = {}  # what load() read of Hugging Face, by whether it is adapters

    def save(self, folder, format=None, wait=False):
        """Writes a checkpoint to a folder in `folder`, which is made if need be. Any mesh, and zrun, reads it.

        It returns when the values are copied in memory, and a thread writes them beside the next steps. Another save, a load,
        close() and the end of the process wait for it, and an error of writing is raised there; so is it here with `wait`.
        A checkpoint gets its name when it is whole. The copy's memory is kept for the next save.

        format="hf": writes weights to `folder` itself, as from_pretrained of transformers or peft loads them; of a module with
        adapters only these. Names, layouts and types are those of the files that were loaded, else the module's. They are
        written when it returns.
        """
        if format not in (None, "hf"):
            refuse(f"save: format={format!r}: expected None, which writes a checkpoint, or \"hf\"")
        _check_path(folder, "save")
        with self._lock:
            _finish_saves()
            if format == "hf":
                return _huggingface.save(self, folder)
            self._trainer.begin_save(folder)
            self._last_saved = os.path.realpath(folder), self._count()
            if wait:
                self._trainer.finish_save()

    def load(self, path):
        """Loads a checkpoint, the newest in a folder of several, a safetensors file of parameters, or a folder of Hugging Face
        with model.safetensors, its shards or adapters; returns the step.

        A checkpoint brings the optimizer's state and the number of steps; with parameters alone they begin anew.
        """
        _check_path(path, "load")
        with self._lock:
            _finish_saves()
            if not _huggingface.load(self, path):
                self._trainer.call("load", os.fspath(path).encode())
            if self._trainer.first_rank == 0:
                sys.stderr.write(self._trainer.messages())
            self._last_saved = None
        return self

    # ------------------------------------------------------------ measured times

    @contextlib.contextmanager
    def tracing(self):
        """Measures the steps of a with block; trace() and page() have the last one's times. Other steps cost nothing more.

        On GPUs a step that is measured starts each kernel by itself, and takes longer.
        """
        with self._lock:
            self._trainer.call("measure", 1)
        try:
            yield self
        finally:
            with self._lock:
                self._trainer.call("measure", 0)
        with self._lock:  # unless the block has raised: other processes might not come here
            self._measured = self._trainer.trace()

    def trace(self):
        """Returns the measured times of the last step that ran within tracing(), as a Trace like predicted_trace."""
        if not self._measured:
            refuse("no step was measured yet; this measures one: with step.tracing(): step(batch)")
        return Trace(json.loads(self._measured))

    # ------------------------------------------------------------ the end

    def close(self):
        """Waits for a checkpoint that is being written, and frees the memory of the ranks. A step can also be used in a with
        statement."""
        self._progress.end()
        for trainer, _ in self._others.values():
            trainer.close()
        self._others = {}
        self._trainer.close()

    def __enter__(self):
        return self

    def __exit__(self, raised, *_):
        try:
            self.close()
        except Error as error:
            if raised is None:
                raise
            sys.stderr.write(f"error: {error}\n")  # the user's exception goes on

    def __repr__(self):
        return f"<step of {self._model.name}; .report, .table and .explain(name) say how it runs>"

    def __reduce__(self):
        refuse("a step has memory and threads, and can be neither copied nor pickled: step.params is a copy of its parameters, and "
               "step.save() writes a checkpoint, which another step loads")

    def __str__(self):
        return str(self.table)

    def _repr_html_(self):
        return self.table._repr_html_() + (self.memory_plot._repr_html_() or "")


# A key of random numbers.
_KEY = _arrays.Spec("uint32", (2,))

# Options of the trainer that say how ranks run, and not how parameters are updated.
_RANK_OPTIONS = ("threads", "watchdog", "gpus", "collectives", "cuda-driver", "nccl", "cublaslt", "cudnn", "cuda-libraries", "tune",
                 "no-cuda-graphs", "ranks", "local-batch")

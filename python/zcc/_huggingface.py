# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of Hugging Face: folders with safetensors in, and out again.

The library reads tensors, so each rank reads its slices only. This module finds names from the headers of the files, and
writes files tensor by tensor, so no process holds a whole model.
"""
import copy
import fnmatch
import itertools
import json
import os
import re
import shutil
import struct
import sys
import tempfile

import numpy as np

from . import _library
from ._arrays import BITS, Arrays, Spec, numpy_of, spec_of
from ._errors import refuse

# The names of element types in safetensors.
_DTYPES = {"bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16",
           "uint32": "U32", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
           "float8_e4m3fn": "F8_E4M3"}
_TYPES = {dtype: type for type, dtype in _DTYPES.items()}
# Shards are at most as large, unless one tensor is larger.
SHARD_BYTES = 5 * 1000**3
_WEIGHTS, _ADAPTERS = "model", "adapter_model"
# Files beside the weights that go with a model from folder to folder.
_COMPANIONS = ("config.json", "generation_config.json", "tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json",
               "added_tokens.json", "*.model", "chat_template*", "*processor_config.json", "*.py")
# Older names in files, by what modules call the same today.
_OLDER = ((r"LayerNorm\.weight$", "LayerNorm.gamma"), (r"LayerNorm\.bias$", "LayerNorm.beta"),
          (r"parametrizations\.weight\.original0$", "weight_g"), (r"parametrizations\.weight\.original1$", "weight_v"))


class Naming:
    """The names of a step's parameters and variables in files of Hugging Face. A front end puts it at `model.naming` of
    the Model that it gives to Step; without it every parameter has its own name in files.

    For a module of torch, Naming.of_module(module) makes all of it. It expects that the front end calls each parameter and
    each variable as `module.state_dict()` does, and a tensor that is there several times by the first of its names. It takes
    the names and tensors when it is called, so it is to be called with the module as it was traced.

    names: by the name in zcc, a tuple of names in a folder of whole weights, the preferred first; the others are those of
        tied tensors. Adapters, which no such folder has, have the tuple (). A name that is not here is the same in files.
    prefix: what a model with a head puts before the names of its base model, without the dot ("bert"), or "".
    adapters: by the name in zcc, the name in a folder of adapters. Not empty: the module has adapters, and only they are saved.
    types: by the name in zcc, the element type in the module ("bfloat16"), where it is not that of the program.
    constants: tensors of `state_dict()` by name. Those of them that are no parameter or variable of the step (such as buffers
        that no step changes) are written as they are here.
    write_config: writes config.json and the like, or of adapters adapter_config.json, to a folder; or None.
    refusal: why no folder of adapters can be read or written, where the library computes what it saves; or None.
    """

    def __init__(self, names, prefix="", adapters=None, types=None, constants=None, write_config=None, refusal=None):
        self.names, self.prefix, self.adapters, self.types = names, prefix, adapters or {}, types or {}
        self.constants, self.write_config, self.refusal = constants or {}, write_config, refusal

    @classmethod
    def identity(cls, names):
        """Returns the Naming of parameters that are called in files as in zcc."""
        return cls({n: (n,) for n in names})

    @classmethod
    def of_module(cls, module):
        """Returns the Naming of a module of torch, be it of transformers, in peft's, or any other."""
        tensors = module.state_dict(keep_vars=True)
        first, aliases = {}, {}
        for name, tensor in tensors.items():
            if hasattr(tensor, "dtype"):
                aliases.setdefault(first.setdefault(id(tensor), name), []).append(name)
        types = {n: spec_of(tensors[n], n).type for n in aliases}
        if not hasattr(module, "peft_config"):
            return cls({n: tuple(a) for n, a in aliases.items()}, _prefix_of(module), types=types,
                       constants={n: tensors[n] for n in aliases}, write_config=_config_writer(module))
        import peft

        adapter = module.active_adapter
        if not isinstance(adapter, str):
            refuse(f"expected a module with one active adapter, found {adapter}")
        adapters, others, refusal = {}, set(), None
        for each in module.peft_config:
            for name, tensor in peft.get_peft_model_state_dict(module, state_dict=tensors, adapter_name=each).items():
                own = first.get(id(tensor)) or first.get(id(_prompt_of(module, each, name)))
                if own is None:
                    refusal = (f"the adapter {each!r} of kind {module.peft_config[each].peft_type.value} computes its tensor {name!r} when it "
                               "is saved: expected one whose tensors are parameters, such as LoRA, DoRA, IA3 and prompt tuning; checkpoints "
                               "and step.params have its parameters")
                    continue
                others.add(own)
                if each == adapter:
                    adapters[own] = name
        if refusal:  # the tensors that it is computed of are not in the base model's folder
            others.update(n for n in aliases if n.startswith("prompt_encoder."))
        originals = {_base_name(n, "") for names in aliases.values() for n in names if ".original_module." in n}
        names = {}
        for n, same in aliases.items():
            base = tuple(dict.fromkeys(_base_name(a, adapter) for a in same))
            # If peft trains a copy of a module, the base model's folder has the copy's first values.
            names[n] = base if n not in others or base[0] in originals else ()
        return cls(names, _prefix_of(module.get_base_model()), adapters, types, {n: tensors[n] for n in aliases},
                   _adapter_config_writer(module, adapter), refusal)

    def candidates(self, name):
        """Returns the names that a parameter can have in a folder of whole weights, in groups; the best group first."""
        own = self.names.get(name, (name,))
        yield own
        if self.prefix:
            before = self.prefix + "."
            yield tuple(before + n for n in own)
            yield tuple(n[len(before):] for n in own if n.startswith(before))


def _prompt_of(module, adapter, name):
    """Returns the parameter that peft saves as a prompt, or None if it computes what it saves of several."""
    encoder = module.prompt_encoder[adapter] if name == "prompt_embeddings" else None
    parameters = list(encoder.parameters()) if encoder is not None else []
    return parameters[0] if len(parameters) == 1 and parameters[0] is encoder.embedding.weight else None


_PEFT = "base_model.model."


def _base_name(name, adapter):
    """Returns the name in the base model's files of a tensor in a module of peft."""
    name = name.removeprefix(_PEFT).replace(".base_layer.", ".").replace(".original_module.", ".")
    return name.replace(f".modules_to_save.{adapter}.", ".")


def _prefix_of(module):
    return getattr(module, "base_model_prefix", "") or ""


def _config_writer(module):
    config = getattr(module, "config", None)
    if not hasattr(config, "save_pretrained"):
        return None

    def write(folder):
        own = copy.deepcopy(config)
        own.architectures = [type(module).__name__]
        own.save_pretrained(folder)
        generation = getattr(module, "generation_config", None)
        if hasattr(generation, "save_pretrained"):
            generation.save_pretrained(folder)

    return write


def _adapter_config_writer(module, adapter):
    base = module.get_base_model()

    def write(folder):
        config = copy.deepcopy(module.peft_config[adapter])
        config.inference_mode = True
        if config.base_model_name_or_path is None:
            config.base_model_name_or_path = getattr(base, "name_or_path", None) or None
        mapping = None
        if config.task_type is None:
            mapping = {"base_model_class": type(base).__name__, "parent_library": type(base).__module__}
        config.save_pretrained(folder, auto_mapping_dict=mapping)

    return write


# ------------------------------------------------------------ files


class _Tensor:
    """A tensor in a file: its dtype and shape as the header has them, and where its bytes are."""

    __slots__ = ("file", "dtype", "shape", "begin", "end")

    def __init__(self, file, dtype, shape, begin, end):
        self.file, self.dtype, self.shape, self.begin, self.end = file, dtype, tuple(shape), begin, end


def _read_header(path, file, found):
    """Adds the tensors of a safetensors file to `found`, by name."""
    try:
        size = os.fstat(file.fileno()).st_size
        length = struct.unpack("<Q", file.read(8))[0]
        if length > size - 8:
            raise ValueError(f"a header of {length} bytes in a file of {size}")
        for name, entry in json.loads(file.read(length)).items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                found[name] = _Tensor(file, entry["dtype"], entry["shape"], 8 + length + begin, 8 + length + end)
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        refuse(f"{path}: is no safetensors file, or is truncated: {error}")


class Source:
    """A file or a set of files of weights: path, folder, tensors by name in their order. Files stay open, so that what no
    parameter reads is at hand when weights are saved, even over them."""

    def __init__(self, path):
        self.path, self.folder, self.tensors = path, os.path.dirname(os.path.abspath(path)), {}
        self.is_adapter = os.path.basename(path).startswith(_ADAPTERS)
        try:
            files = [path]
            if path.endswith(".index.json"):
                with open(path, encoding="utf-8") as index:
                    places = json.load(index)["weight_map"]
                files = [os.path.join(self.folder, f) for f in dict.fromkeys(places.values())]
            for file in files:
                _read_header(file, open(file, "rb"), self.tensors)
        except OSError as error:
            refuse(f"{error.filename}: {error.strerror}")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            refuse(f"{path}: expected an index with an object \"weight_map\": {error}")


def find(path):
    """Returns the file of weights at a path: the path itself if it is one, that in a folder of Hugging Face; None for
    anything else, such as a checkpoint."""
    if os.path.isdir(path):
        for name in (f"{_WEIGHTS}.safetensors", f"{_WEIGHTS}.safetensors.index.json", f"{_ADAPTERS}.safetensors"):
            if os.path.exists(os.path.join(path, name)):
                return os.path.join(path, name)
        return None
    return path if path.endswith((".safetensors", ".index.json")) else None


# ------------------------------------------------------------ loading


def _naming(step):
    return getattr(step._model, "naming", None) or Naming.identity(step._specs_of_program)


def _listed(names, most=20):
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _older(name):
    for pattern, older in _OLDER:
        if re.search(pattern, name):
            return re.sub(pattern, older, name)
    return None


def _unread(source, found):
    """Returns the names of tensors that no parameter is found in."""
    read = set(itertools.chain(*found.values()))
    return [n for n in source.tensors if n not in read]


def match(naming, specs, source):
    """Returns the names in the file by parameter, all under which it is there. Refuses what is missing or has other shapes."""
    found, missing, misshapen = {}, [], []
    if source.is_adapter and naming.refusal:
        refuse(f"{source.path}: {naming.refusal}")
    if source.is_adapter and not naming.adapters:
        refuse(f"{source.path}: has weights of adapters, and the module has none: expected model.safetensors")
    for name, spec in specs.items():
        if source.is_adapter:
            if name not in naming.adapters:
                continue
            groups = [(naming.adapters[name],)]
        else:
            groups = list(naming.candidates(name))
            if not groups[0]:
                continue
        groups += [tuple(filter(None, map(_older, g))) for g in groups]
        there = next(filter(None, ([n for n in g if n in source.tensors] for g in groups)), None)
        if there is None:
            missing.append(name)
            continue
        found[name] = there
        for n in there:
            shape = source.tensors[n].shape
            if shape != spec.shape:
                misshapen.append(f"{name} (expected {list(spec.shape)}, found {list(shape)})")
                break
    if missing or misshapen:
        problems = [f"{what}: {_listed(names)}" for what, names in (("missing", missing), ("other shapes", misshapen)) if names]
        surplus = _unread(source, found)
        if missing and surplus:
            problems.append(f"the file has beside them: {_listed(surplus)}")
        refuse(f"{source.path}: parameters do not fit: {'; '.join(problems)}")
    return found


def load(step, path):
    """Loads weights of Hugging Face into the step. Returns False if the path has none."""
    with step._trainer.preparing():
        path = os.fspath(path)
        file = find(path)
        if file is None or (not os.path.isdir(path) and getattr(step._model, "naming", None) is None):
            return False
        source = Source(file)
        source.found = match(_naming(step), step._specs_of_program, source)
        parameters, count = _library.strings(list(source.found))
        tensors, _ = _library.strings([names[0] for names in source.found.values()])
    step._trainer.call("load_tensors", file.encode(), parameters, tensors, count)
    surplus = _unread(source, source.found)
    if surplus and step.rank == 0:
        sys.stderr.write(f"note: {file}: no parameter reads {_listed(surplus)}; step.save(folder, format=\"hf\") puts them back\n")
    step._sources = {**step._sources, source.is_adapter: source}
    return True


# ------------------------------------------------------------ saving


def _to_type(array, held, wanted):
    """Returns elements of type `held`, as numpy has them or as their bits, in the type `wanted`, likewise."""
    if held == wanted:
        return array
    if held == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    if wanted != "bfloat16":
        return array.astype(wanted)
    bits = array.astype(np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)  # to the nearest, ties to even
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, ((bits >> 16) | 0x40).astype(np.uint16), rounded)


class _Entry:
    """A tensor that is written. It has one of three sources: `parameter`, a name in zcc; `tensor`, one of a file; or
    `value`, an array."""

    def __init__(self, name, dtype, shape, size, parameter=None, tensor=None, value=None):
        self.name, self.dtype, self.shape, self.size = name, dtype, list(shape), size
        self.parameter, self.tensor, self.value = parameter, tensor, value


def _entry(name, spec, **what):
    width = np.dtype(BITS.get(spec.type, spec.type)).itemsize
    return _Entry(name, _DTYPES[spec.type], spec.shape, width * int(np.prod(spec.shape, dtype=np.int64)), **what)


def _entries(step, naming):
    """Returns the entries in their order, and whether they are adapters."""
    specs, adapters = step._specs_of_program, bool(naming.adapters)
    source = step._sources.get(adapters)
    if source is not None:
        parameters = {n: p for p, names in source.found.items() for n in names}
        return [_Entry(n, t.dtype, t.shape, t.end - t.begin, parameter=parameters.get(n), tensor=t)
                for n, t in source.tensors.items()], adapters
    names = naming.adapters if adapters else {n: given[0] for n, given in naming.names.items() if given}
    found = []
    for own, name in names.items():
        if own in specs:
            found.append(_entry(name, Spec(naming.types.get(own, specs[own].type), specs[own].shape), parameter=own))
        elif own in naming.constants:
            found.append(_entry(name, spec_of(naming.constants[own], own), value=naming.constants[own]))
    return found, adapters


def _shards(entries):
    shards, size = [[]], 0
    for entry in entries:
        if shards[-1] and size + entry.size > SHARD_BYTES:
            shards.append([])
            size = 0
        shards[-1].append(entry)
        size += entry.size
    return shards


def _header(entries):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for e in entries:
        header[e.name] = {"dtype": e.dtype, "shape": e.shape, "data_offsets": [at, at + e.size]}
        at += e.size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


_UNFINISHED = ".zcc-writing-"


class _Writer:
    """Writes the files of one save: beside their places first."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.publishes = folder, False
        for name in os.listdir(folder):
            if name.startswith(_UNFINISHED):  # of a process that was killed
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
        self.place = tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder)
        os.chmod(self.place, 0o755)

    def write_text(self, name, text):
        with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
            file.write(text)
            _settle(file)

    def copy_bytes(self, tensor, to):
        """Appends a tensor of a file as it is."""
        at = tensor.begin
        while at < tensor.end:
            piece = os.pread(tensor.file.fileno(), min(1 << 24, tensor.end - at), at)
            if not piece:
                raise OSError(0, "was truncated since it was loaded", tensor.file.name)
            to.write(piece)
            at += len(piece)

    def publish(self, main, stem):
        """Gives the files their names. The file that from_pretrained opens first gets its name last, and an older file
        of that name is removed first: in between there are no weights, rather than some old and some new ones."""
        self.publishes = True
        names = os.listdir(self.place)
        mains = [f"{stem}.safetensors", f"{stem}.safetensors.index.json"]
        for old in mains:
            if old != main or main.endswith(".index.json"):
                _remove(os.path.join(self.folder, old))
        for name in sorted(names, key=lambda n: n == main):
            os.replace(os.path.join(self.place, name), os.path.join(self.folder, name))
        for name in os.listdir(self.folder):
            if re.fullmatch(re.escape(stem) + r"-\d+-of-\d+\.safetensors", name) and name not in names:
                _remove(os.path.join(self.folder, name))
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def close(self):
        shutil.rmtree(self.place, ignore_errors=True)


def _settle(file):
    file.flush()
    os.fsync(file.fileno())


def _remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _read(step, name):
    """Returns a parameter as numpy has it, or its bits, and its type."""
    spec = step._specs_of_program[name]
    array = np.empty(spec.shape, BITS.get(spec.type, spec.type))
    arrays = Arrays([(name, spec, array)])
    step._trainer.call("get_parameters", arrays.array, arrays.count)
    return array, spec.type


def save(step, folder):
    """Writes the weights as from_pretrained loads them. Parameters are gathered one after the other; the first process
    writes them."""
    folder, naming = os.fspath(folder), _naming(step)
    if naming.refusal:
        refuse(f"save: {naming.refusal}")
    entries, adapters = _entries(step, naming)
    unknown = [f"{e.name} ({e.dtype})" for e in entries if e.parameter and e.dtype not in _TYPES]
    if unknown:
        refuse(f"save: cannot write the types of {_listed(unknown)}")
    shards = [entries] if adapters else _shards(entries)
    failure = None
    writer = None
    if step.rank == 0:
        try:
            writer = _Writer(folder)
        except OSError as error:
            failure = error
    try:
        stem = _ADAPTERS if adapters else _WEIGHTS
        names = [f"{stem}.safetensors"]
        if len(shards) > 1:
            names = [f"{stem}-{i + 1:05}-of-{len(shards):05}.safetensors" for i in range(len(shards))]
        for name, shard in zip(names, shards):
            failure = _write_shard(step, writer, name, shard, failure)
        if writer and failure is None:
            try:
                main = names[0]
                if len(shards) > 1:
                    main = f"{stem}.safetensors.index.json"
                    index = {"metadata": {"total_size": sum(e.size for e in entries)},
                             "weight_map": {e.name: n for n, shard in zip(names, shards) for e in shard}}
                    writer.write_text(main, json.dumps(index, indent=2) + "\n")
                _write_companions(step, naming, writer, adapters)
                writer.publish(main, stem)
            except OSError as error:
                failure = error
    finally:
        if writer:
            writer.close()
        step._trainer.call("get_parameters", None, 0)  # the other processes go on when the files are there
    if failure is not None:
        unchanged = "" if writer and writer.publishes else "; what was there before is unchanged"
        refuse(f"save: {failure.filename or folder}: {failure.strerror or failure}{unchanged}")


def _write_shard(step, writer, name, entries, failure):
    """Writes a file. All processes gather its parameters, even if the first one cannot write any more. Returns why not."""
    file = None
    try:
        if writer and failure is None:
            try:
                file = open(os.path.join(writer.place, name), "wb")
                file.write(_header(entries))
            except OSError as error:
                failure = error
        last = (None, None, None)
        for entry in entries:
            if entry.parameter and entry.parameter != last[0]:
                last = (entry.parameter, *_read(step, entry.parameter))
            if file is None or failure is not None:
                continue
            try:
                if entry.parameter:
                    file.write(np.ascontiguousarray(_to_type(last[1], last[2], _TYPES[entry.dtype])).data)
                elif entry.tensor:
                    writer.copy_bytes(entry.tensor, file)
                else:
                    file.write(np.ascontiguousarray(numpy_of(entry.value)).data)
            except OSError as error:
                failure = error
        if file is not None and failure is None:
            try:
                _settle(file)
            except OSError as error:
                failure = error
    finally:
        if file is not None:
            file.close()
    return failure


def _write_companions(step, naming, writer, adapters):
    """Writes the configuration: copies of the files beside the weights that were loaded, else the module's own."""
    if naming.write_config is not None:
        naming.write_config(writer.place)
    source = step._sources.get(adapters)
    if source is None:
        return
    for name in os.listdir(source.folder):
        if name == "adapter_config.json" and adapters or not adapters and any(fnmatch.fnmatch(name, p) for p in _COMPANIONS):
            path = os.path.join(source.folder, name)
            if os.path.isfile(path):
                shutil.copyfile(path, os.path.join(writer.place, name))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs: texts and options in, executables and documents out, with a cache on disk."""
import contextlib
import ctypes
import fcntl
import hashlib
import json
import os
import tempfile
import threading
import weakref

from . import _arrays, _library
from ._errors import caller, refuse
from ._options import DOCUMENTS

# Documents of plans and steps, which have properties for them. They cost less than planning once more when they are asked for: a
# tenth of planning a pipeline of 256 devices, and less of smaller meshes and of compilations.
KEPT = ("trace", "memory-plot", "draw")


class Program:
    """A program of zcc, or a plan of one. Raises the Error of the compiler where the text or an option is refused."""

    def __init__(self, handle, texts):
        self._handle = handle
        self.report_text, self.table, self.explanation, self.messages = (texts[k] for k in ("report", "table", "explanation", "messages"))
        self.documents = texts["documents"]
        # A process that ends leaves the memory to the system.
        weakref.finalize(self, _close, handle, os.getpid()).atexit = False

    @property
    def handle(self):
        return self._handle

    @property
    def report(self):
        """The report as a dictionary, as --report writes it."""
        return json.loads(self.report_text)

    def _described(self, kind):
        arrays, count = ctypes.POINTER(_library.Array)(), ctypes.c_size_t()
        _library.check(getattr(_library.library(), f"zcc_program_{kind}")(self._handle, ctypes.byref(arrays), ctypes.byref(count)))
        return _arrays.describe(arrays, count.value)

    def inputs(self):
        """The Specs of a step's inputs by name, for all ranks together."""
        return self._described("inputs")

    def parameters(self):
        """The Specs of parameters and variables by name."""
        return self._described("parameters")

    def averages(self):
        """The Specs of the parameters that have an average, by name; none without `ema`."""
        return self._described("averages")

    def outputs(self):
        """The Specs of results that are no numbers, by name."""
        return self._described("outputs")

    def results(self):
        """The names of a step's numbers."""
        names, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
        _library.check(_library.library().zcc_program_results(self._handle, ctypes.byref(names), ctypes.byref(count)))
        return [names[i].decode() for i in range(count.value)]

    def executable(self):
        """The bytes of the executable, as zcc writes them to a file."""
        data, length = ctypes.c_void_p(), ctypes.c_size_t()
        _library.check(_library.library().zcc_program_executable(self._handle, ctypes.byref(data), ctypes.byref(length)))
        return ctypes.string_at(data.value, length.value)


def _close(handle, process):
    if process == os.getpid():  # else it was forked
        _library.library().zcc_program_close(handle)


def _in_thread(work):
    """Runs `work` on a thread and waits for it so that Ctrl-C is answered at once; returns its result or raises its exception."""
    done = {}

    def run():
        try:
            done["result"] = work()
        except BaseException as error:  # handed to the caller's thread
            done["error"] = error

    thread = threading.Thread(target=run, name="zcc-compile", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    if "error" in done:
        raise done["error"]
    return done["result"]


def _compile(text, name, options, place):
    library = _library.library()
    data = text.encode()
    program = ctypes.c_void_p()
    given, count = _library.strings(options)
    _library.check(library.zcc_compile(data, len(data), name.encode(), given, count, ctypes.byref(program)), place)
    texts = {kind: _library.text_of(getattr(library, f"zcc_program_{kind}")(program)) for kind in ("report", "table", "explanation", "messages")}
    asked = [o for o in options if o in DOCUMENTS]
    texts["documents"] = {o: _library.text_of(library.zcc_program_document(program, o.encode())) for o in asked}
    return Program(program, texts)


def _machine_facts():
    """Returns what a compilation reads of the machine that it runs on."""
    facts = [str(os.cpu_count()), str(os.sysconf("SC_PHYS_PAGES"))]
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as f:
        facts += sorted({line for line in f if line.startswith(("model name", "flags"))})
    return facts


def _key(text, name, options):
    """Returns the cache's key: the text, the options with the files that they name, the library, and the machine's facts."""
    digest = hashlib.sha256()

    def add(part):
        part = part if isinstance(part, bytes) else str(part).encode()
        digest.update(str(len(part)).encode() + b":" + part)

    library = os.stat(_library.path())
    for part in (_library.version(), library.st_size, library.st_mtime_ns, name, text, *_machine_facts()):
        add(part)
    for option in options:
        add(option)
        file = option.partition("=")[2]
        if os.path.isfile(file):
            with open(file, "rb") as f:
                add(f.read())
    return digest.hexdigest()


def cache_folder():
    """Returns the folder of the cache: ZCC_CACHE in the environment, else zcc in XDG_CACHE_HOME or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("ZCC_CACHE") or os.path.join(base, "zcc")


def _read_cached(file):
    """Returns the Program of a file of the cache, or None where it is not there, damaged, or of another version."""
    try:
        with open(file, "rb") as f:
            head = f.readline()
            texts = json.loads(head)
            bytes_ = f.read()
        if len(bytes_) != texts["size"] or hashlib.sha256(bytes_).hexdigest() != texts["sha256"]:
            return None
        handle = ctypes.c_void_p()
        if _library.library().zcc_program_open(bytes_, len(bytes_), ctypes.byref(handle)) != 0:
            return None
        os.utime(file)
        return Program(handle, texts)
    except (OSError, ValueError, KeyError):
        return None


def _write_cached(file, program):
    bytes_ = program.executable()
    head = {"report": program.report_text, "table": program.table, "explanation": program.explanation, "messages": program.messages,
            "documents": program.documents, "size": len(bytes_), "sha256": hashlib.sha256(bytes_).hexdigest()}
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(file), delete=False) as f:
        try:
            f.write(json.dumps(head).encode() + b"\n" + bytes_)
            f.close()
            os.replace(f.name, file)
        except BaseException:
            os.unlink(f.name)
            raise


# Newer files stay when the cache grows beyond this.
_CACHE_BYTES = 2 << 30


def _trim(folder):
    found = []
    for entry in os.scandir(folder):
        if entry.name.endswith(".zcc"):
            found.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found)[:-1]:
        if total <= _CACHE_BYTES:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
            with contextlib.suppress(OSError):
                os.unlink(path[:-4] + ".lock")
        total -= size


def compile_program(text, name, options, cache=True, documents=KEPT):
    """Returns the Program of a text. `options` are those of zcc_compile(), `name` stands for the text's file in messages, and
    `documents` are made besides those among the options.

    With `cache` the executable is kept in cache_folder(), and the next process that compiles the same takes it; of several
    at once one compiles and the others wait for it. A cache that cannot be written is done without.
    """
    options, place = [*options, *documents], caller()
    if "plan-only" in options or not cache:
        return _in_thread(lambda: _compile(text, name, options, place))
    folder = cache_folder()
    file = os.path.join(folder, _key(text, name, options) + ".zcc")
    if (found := _read_cached(file)) is not None:
        return found
    with contextlib.ExitStack() as stack:
        try:
            os.makedirs(folder, exist_ok=True)
            lock = stack.enter_context(open(file[:-4] + ".lock", "w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            return _in_thread(lambda: _compile(text, name, options, place))
        if (found := _read_cached(file)) is not None:
            return found
        program = _in_thread(lambda: _compile(text, name, options, place))
        with contextlib.suppress(OSError):
            _write_cached(file, program)
            _trim(folder)
        return program


def write_files(files, program):
    """Writes the documents that a call asked for by keywords such as report="report.json"."""
    for document, file in files.items():
        text = program.report_text if document == "report" else program.documents.get(document, "")
        if not text:
            continue
        try:
            with open(file, "w") as f:
                f.write(text)
        except OSError as error:
            refuse(f"cannot write '{file}': {error.strerror}")

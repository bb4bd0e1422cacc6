# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libzcc.so by ctypes: the functions of zcc.h, with their errors as exceptions.

The library is loaded at its first use. ctypes releases the interpreter's lock during every call.
"""
import ctypes
import functools
import glob
import os
import sys
import threading
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p

from ._errors import Error, caller

# The version of zcc.h that these declarations are of.
INTERFACE = 1


class Array(Structure):
    """zcc_array: an array by name."""

    _fields_ = [("name", c_char_p), ("type", c_int32), ("dims", c_int32), ("shape", POINTER(c_int64)), ("data", c_void_p)]


class Option(Structure):
    """zcc_option: an option that a function takes."""

    _fields_ = [("name", c_char_p), ("is_flag", c_int32), ("is_list", c_int32)]


_STRINGS = POINTER(c_char_p)
_ARRAYS = POINTER(Array)
_SIGNATURES = {
    "zcc_version": (c_int, []),
    "zcc_version_text": (c_char_p, []),
    "zcc_last_error": (c_char_p, []),
    "zcc_last_error_place": (c_char_p, []),
    "zcc_compile_options": (POINTER(Option), [POINTER(c_size_t)]),
    "zcc_trainer_options": (POINTER(Option), [POINTER(c_size_t)]),
    "zcc_compile": (c_int, [c_char_p, c_size_t, c_char_p, _STRINGS, c_size_t, POINTER(c_void_p)]),
    "zcc_program_open": (c_int, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "zcc_program_close": (None, [c_void_p]),
    "zcc_program_executable": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "zcc_program_report": (c_char_p, [c_void_p]),
    "zcc_program_table": (c_char_p, [c_void_p]),
    "zcc_program_explanation": (c_char_p, [c_void_p]),
    "zcc_program_messages": (c_char_p, [c_void_p]),
    "zcc_program_document": (c_char_p, [c_void_p, c_char_p]),
    "zcc_program_inputs": (c_int, [c_void_p, POINTER(_ARRAYS), POINTER(c_size_t)]),
    "zcc_program_parameters": (c_int, [c_void_p, POINTER(_ARRAYS), POINTER(c_size_t)]),
    "zcc_program_averages": (c_int, [c_void_p, POINTER(_ARRAYS), POINTER(c_size_t)]),
    "zcc_program_outputs": (c_int, [c_void_p, POINTER(_ARRAYS), POINTER(c_size_t)]),
    "zcc_program_results": (c_int, [c_void_p, POINTER(_STRINGS), POINTER(c_size_t)]),
    "zcc_trainer_open": (c_int, [c_void_p, _STRINGS, c_size_t, POINTER(c_void_p)]),
    "zcc_trainer_close": (None, [c_void_p]),
    "zcc_trainer_initialize": (c_int, [c_void_p, c_uint64]),
    "zcc_trainer_load": (c_int, [c_void_p, c_char_p]),
    "zcc_trainer_load_tensors": (c_int, [c_void_p, c_char_p, _STRINGS, _STRINGS, c_size_t]),
    "zcc_trainer_set_parameters": (c_int, [c_void_p, _ARRAYS, c_size_t]),
    "zcc_trainer_get_parameters": (c_int, [c_void_p, _ARRAYS, c_size_t]),
    "zcc_trainer_copy_parameters": (c_int, [c_void_p, c_void_p]),
    "zcc_trainer_set_averages": (c_int, [c_void_p, _ARRAYS, c_size_t]),
    "zcc_trainer_get_averages": (c_int, [c_void_p, _ARRAYS, c_size_t]),
    "zcc_trainer_copy_averages": (c_int, [c_void_p, c_void_p]),
    "zcc_trainer_step": (c_int, [c_void_p, _ARRAYS, c_size_t, POINTER(c_double), POINTER(c_double)]),
    "zcc_trainer_evaluate": (c_int, [c_void_p, _ARRAYS, c_size_t, _ARRAYS, c_size_t, POINTER(c_double)]),
    "zcc_trainer_gradients": (c_int, [c_void_p, _ARRAYS, c_size_t, _ARRAYS, c_size_t, POINTER(c_double)]),
    "zcc_trainer_refuse": (c_int, [c_void_p, c_char_p]),
    "zcc_trainer_ranks": (c_int, [c_void_p, POINTER(c_int), POINTER(c_int), POINTER(c_int)]),
    "zcc_trainer_inputs": (c_int, [c_void_p, POINTER(_ARRAYS), POINTER(c_size_t)]),
    "zcc_trainer_steps": (c_int, [c_void_p, POINTER(c_int64)]),
    "zcc_trainer_begin_save": (c_int, [c_void_p, c_char_p]),
    "zcc_trainer_finish_save": (c_int, [c_void_p]),
    "zcc_trainer_last_checkpoint": (c_char_p, [c_void_p]),
    "zcc_trainer_measure": (c_int, [c_void_p, c_int]),
    "zcc_trainer_trace": (c_int, [c_void_p, POINTER(c_char_p)]),
    "zcc_trainer_view": (c_int, [c_void_p, c_char_p, POINTER(_ARRAYS)]),
    "zcc_trainer_messages": (c_char_p, [c_void_p]),
}

_lock = threading.Lock()
_library = None
_forked = False


def _after_fork():
    global _forked
    _forked = _library is not None


os.register_at_fork(after_in_child=_after_fork)


def path():
    """Returns the file of libzcc.so: that of ZCC_LIBRARY in the environment, else the one in this package."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libzcc.so")
    return os.environ.get("ZCC_LIBRARY") or own


@functools.cache
def cuda_folders():
    """Returns the folders of NVIDIA's packages in this Python that have cuBLASLt, cuDNN or NCCL, as "A:B"."""
    names = ("libcublasLt.so.*", "libcudnn.so.*", "libnccl.so.*")
    found = (os.path.dirname(file) for place in sys.path for name in names for file in glob.glob(os.path.join(glob.escape(place), "nvidia", "*", "lib", name)))
    return ":".join(dict.fromkeys(found))


def library():
    """Returns the library, loaded. Raises an Error where it cannot be, or in a process that was forked after it was."""
    global _library
    if _forked:
        raise Error("this process was forked from one that uses zcc, whose threads it does not have: use zcc only in the process that "
                    "imported it, or start the others by multiprocessing's \"spawn\"", caller())
    with _lock:
        if _library is None:
            try:
                loaded = ctypes.CDLL(path())
            except OSError as error:
                raise Error(f"cannot load libzcc.so: {error}; the environment variable ZCC_LIBRARY may name another file") from None
            loaded.zcc_version.restype = c_int
            found = loaded.zcc_version()
            if found != INTERFACE:
                raise Error(f"{path()}: expected version {INTERFACE} of the C interface, found {found}: the package and the library are of "
                            "different versions")
            for name, (result, arguments) in _SIGNATURES.items():
                function = getattr(loaded, name, None)
                if function is None:
                    raise Error(f"{path()}: has no function {name}: the library is older than the package")
                function.restype, function.argtypes = result, arguments
            _library = loaded
    return _library


def version():
    """Returns the version of zcc, as "0.1"."""
    return library().zcc_version_text().decode()


def text_of(value):
    """Returns a text that the library gave; its last error where it gave none."""
    if value is None:
        check(2)
    return value.decode(errors="replace")


def check(status, place=None):
    """Raises the library's last error unless `status` is 0. `place` is that of an error that has none in the model: the user's
    call, if it is None."""
    if status == 0:
        return
    message = library().zcc_last_error().decode(errors="replace")
    raise Error(message, library().zcc_last_error_place().decode(errors="replace") or place or caller())


def strings(texts):
    """Returns an array of C strings and its length, as functions take them."""
    return (c_char_p * len(texts))(*(t.encode() for t in texts)), len(texts)


def options(function):
    """Returns the options of "compile" or "trainer" by name."""
    count = c_size_t()
    found = getattr(library(), f"zcc_{function}_options")(byref(count))
    return {found[i].name.decode(): found[i] for i in range(count.value)}

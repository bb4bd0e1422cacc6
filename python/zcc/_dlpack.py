# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that other packages hand out by __dlpack__, as memory of numpy: CuPy's and others on GPUs of NVIDIA, and any on the CPU.

The structures are those of dlpack.h, of versions 0 and 1. Memory of the CPU is read where it lies; memory of a GPU is copied by
the driver. The driver is opened at the first array on a GPU.
"""
import ctypes
import functools
import math
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import numpy as np

from ._arrays import Spec, bits_of, memory_of
from ._errors import refuse

_DRIVER = "libcuda.so.1"
# Kinds of devices (DLDeviceType).
_KINDS = {1: "kDLCPU", 2: "kDLCUDA", 3: "kDLCUDAHost", 4: "kDLOpenCL", 7: "kDLVulkan", 8: "kDLMetal", 9: "kDLVPI", 10: "kDLROCM",
          11: "kDLROCMHost", 12: "kDLExtDev", 13: "kDLCUDAManaged", 14: "kDLOneAPI", 15: "kDLWebGPU", 16: "kDLHexagon", 17: "kDLMAIA"}
_HOST, _GPU = ("kDLCPU", "kDLCUDAHost"), ("kDLCUDA", "kDLCUDAManaged")
# Types of elements by code (DLDataTypeCode) and bits.
_TYPES = {(0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8", (1, 16): "uint16", (1, 32): "uint32",
          (1, 64): "uint64", (2, 16): "float16", (2, 32): "float32", (2, 64): "float64", (4, 16): "bfloat16", (6, 8): "bool",
          (10, 8): "float8_e4m3fn"}
# The stream that the exporter makes wait for its work: the default one, on which the driver copies.
_DEFAULT_STREAM = 1


class _Tensor(Structure):
    """DLTensor."""

    _fields_ = [("data", c_void_p), ("kind", c_int32), ("device", c_int32), ("dims", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("offset", c_uint64)]


class _Managed(Structure):
    """DLManagedTensor, of version 0."""

    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Versioned(Structure):
    """DLManagedTensorVersioned, of version 1."""

    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
                ("tensor", _Tensor)]


# The names of capsules before and after they are taken, with what they hold. The capsule keeps the name's address.
_CAPSULES = ((b"dltensor_versioned", b"used_dltensor_versioned", _Versioned), (b"dltensor", b"used_dltensor", _Managed))


def _python(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_is_valid = _python("PyCapsule_IsValid", c_int, ctypes.py_object, c_char_p)
_pointer = _python("PyCapsule_GetPointer", c_void_p, ctypes.py_object, c_char_p)
_rename = _python("PyCapsule_SetName", c_int, ctypes.py_object, c_char_p)
_DELETER = ctypes.PYFUNCTYPE(None, c_void_p)


class _Owner:
    """Owns the tensor of a capsule. Its deleter is called once, when nothing refers to this any more."""

    def __init__(self, capsule, what):
        self._delete = None
        for name, used, kind in _CAPSULES:
            if _is_valid(capsule, name):
                break
        else:
            refuse(f"{what} gave {capsule!r}, expected a capsule that holds a tensor and was not taken")
        self._address = _pointer(capsule, name)
        self._held = held = kind.from_address(self._address)
        _rename(capsule, used)
        self._delete = _DELETER(held.deleter) if held.deleter else None
        if kind is _Versioned and held.major > 1:
            refuse(f"{what} gave a tensor of DLPack {held.major}.{held.minor}, expected version 0 or 1")
        self.tensor = held.tensor

    def __del__(self):
        if self._delete is not None:
            self._delete(self._address)


def _take(value, name):
    """Returns the _Owner of an array's tensor and the kind of its device. `name` is for messages."""
    what = f"{name}: __dlpack__ of {type(value).__name__}"
    if not hasattr(value, "__dlpack_device__"):
        refuse(f"{name}: {type(value).__name__} has __dlpack__ but no __dlpack_device__: copy it to an array of numpy")
    try:
        number, index = map(int, value.__dlpack_device__())
        kind = _KINDS.get(number, f"kind {number}")
        if kind not in _HOST + _GPU:
            refuse(f"{name}: the array is on device {index} of {kind}, expected the CPU or a GPU of NVIDIA "
                   f"({', '.join(_HOST + _GPU)}): copy it to the host first, as an array of numpy")
        # Only GPUs have streams.
        asked = {"stream": _DEFAULT_STREAM} if kind in _GPU else {}
        try:
            capsule = value.__dlpack__(**asked, max_version=(1, 0))
        except TypeError:  # an exporter of version 0
            capsule = value.__dlpack__(**asked)
    except (BufferError, TypeError, ValueError, RuntimeError) as error:
        refuse(f"{what} raised {type(error).__name__}: {error}: copy it to the host first, as an array of numpy")
    return _Owner(capsule, what), kind


def spec_of(value, name):
    """Returns the Spec of an exporter's array, which is not copied."""
    owner, _ = _take(value, name)
    return _spec(owner.tensor, name)


def _spec(tensor, name):
    type = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if type is None:
        refuse(f"{name}: its elements have DLPack's type code {tensor.code} with {tensor.bits} bits and {tensor.lanes} lanes, "
               f"expected one of {', '.join(_TYPES.values())}")
    return Spec(type, tensor.shape[: tensor.dims])


def read(value, name):
    """Returns the elements of an exporter's array as an array of numpy, with its strides, of bits where numpy lacks the type.

    Memory of the host is not copied.
    """
    owner, kind = _take(value, name)
    tensor = owner.tensor
    spec = _spec(tensor, name)
    bits = bits_of(spec.type)
    if 0 in spec.shape:
        return np.empty(spec.shape, bits)
    strides = tensor.strides[: tensor.dims] if tensor.strides else [math.prod(spec.shape[i + 1:]) for i in range(tensor.dims)]
    steps = [stride * (extent - 1) for stride, extent in zip(strides, spec.shape)]
    # The elements lie between these, counted from the first one: strides may be negative.
    low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
    address = tensor.data + tensor.offset + low * bits.itemsize
    if kind in _HOST:
        flat = memory_of(address, Spec(spec.type, [high - low + 1]), owner)
    else:
        flat = np.empty(high - low + 1, bits)
        _copy(flat, address, tensor.device, name)
    return np.lib.stride_tricks.as_strided(flat[-low:], spec.shape, [s * bits.itemsize for s in strides], writeable=False)


@functools.cache
def _driver():
    """Returns the driver's library, ready. Raises OSError without one."""
    driver = ctypes.CDLL(_DRIVER)
    for function, *arguments in (("cuInit", c_uint32), ("cuDeviceGet", POINTER(c_int), c_int), ("cuDevicePrimaryCtxRetain", POINTER(c_void_p), c_int),
                                 ("cuDevicePrimaryCtxRelease_v2", c_int), ("cuCtxPushCurrent_v2", c_void_p),
                                 ("cuCtxPopCurrent_v2", POINTER(c_void_p)), ("cuMemcpyDtoH_v2", c_void_p, c_uint64, c_size_t)):
        try:
            getattr(driver, function).argtypes = arguments
        except AttributeError:
            raise OSError(f"{_DRIVER} has no {function}") from None
    return driver


def _copy(to, address, index, name):
    """Copies from the memory of a GPU into an array of numpy, after all work of the default stream."""
    helps = "copy it to the host first, as an array of numpy"
    try:
        driver = _driver()
    except OSError as error:
        refuse(f"{name}: the array is on GPU {index}, and there is no CUDA driver to copy it by: {error}: {helps}")

    def call(function, *arguments):
        code = getattr(driver, function)(*arguments)
        if code != 0:
            refuse(f"{name}: the array is on GPU {index}, and {function} of the CUDA driver failed: {_words(driver, code)}: {helps}")

    device, context, left = c_int(), c_void_p(), c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", byref(device), index)
    call("cuDevicePrimaryCtxRetain", byref(context), device)  # the one that CUDA's own interface uses
    try:
        call("cuCtxPushCurrent_v2", context)
        try:
            call("cuMemcpyDtoH_v2", to.ctypes.data, address, to.nbytes)
        finally:
            driver.cuCtxPopCurrent_v2(byref(left))
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(device)


def _words(driver, code):
    text = c_char_p()
    found = driver.cuGetErrorString(code, byref(text)) == 0 and text.value
    return found.decode(errors="replace") if found else f"error {code}"

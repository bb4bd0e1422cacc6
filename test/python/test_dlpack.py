# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of packages that zcc does not know, by __dlpack__: on the CPU, and on a GPU by the stand-in for the driver."""
import ctypes
import gc
import os
import subprocess
import sys

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import zcc
from zcc import _arrays, _dlpack

_CODES = {"i": 0, "u": 1, "f": 2, "V": 4, "b": 6}
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))


class Exporter:
    """An array of another package: the elements of `array`, at `address` or where numpy has them.

    Counts the tensors that it gave and those that were given back.
    """

    def __init__(self, array, kind=1, device=0, address=None, versioned=False, **fields):
        self.array, self.kind, self.device, self.versioned, self.fields = array, kind, device, versioned, fields
        self.address = array.ctypes.data if address is None else address
        self.given, self.deleted, self.asked = {}, 0, []

    def __dlpack_device__(self):
        return self.kind, self.device

    def __dlpack__(self, **asked):
        if not self.versioned and "max_version" in asked:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked.append(asked)
        array = self.array
        held = _dlpack._Versioned(major=self.fields.get("major", 1)) if self.versioned else _dlpack._Managed()
        tensor = held.tensor
        # The first elements are before the address of the tensor's data by an offset.
        tensor.data, tensor.offset = self.address - 4, 4
        tensor.kind, tensor.device, tensor.dims = self.kind, self.device, array.ndim
        tensor.code = self.fields.get("code", _CODES[array.dtype.kind])
        tensor.bits, tensor.lanes = 8 * array.itemsize, self.fields.get("lanes", 1)
        shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        strides = (ctypes.c_int64 * max(1, array.ndim))(*(s // array.itemsize for s in array.strides))
        tensor.shape = shape
        if not self.fields.get("compact"):
            tensor.strides = strides

        def delete(address):
            self.deleted += 1
            del self.given[address]

        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(delete)
        held.deleter = ctypes.cast(call, ctypes.c_void_p)
        self.given[ctypes.addressof(held)] = (held, shape, strides, call)
        return _new(ctypes.addressof(held), b"dltensor_versioned" if self.versioned else b"dltensor", None)

    def is_whole(self):
        """Returns True if each tensor was given back, once."""
        gc.collect()
        return not self.given and self.deleted == len(self.asked)


class Gpu:
    """Memory of the first GPU of the stand-in."""

    def __init__(self, library):
        self.driver, self.context, self.stream = ctypes.CDLL(library), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.blocks = []
        with self:
            self.call("cuStreamCreateWithPriority", ctypes.byref(self.stream), 1, 0)

    def call(self, function, *arguments):
        assert getattr(self.driver, function)(*arguments) == 0, function

    def __enter__(self):
        self.call("cuCtxSetCurrent", self.context)

    def __exit__(self, *_):
        self.call("cuCtxSetCurrent", None)

    def put(self, array):
        """Returns the address of a copy of the array's memory."""
        there, here, size = ctypes.c_uint64(), ctypes.c_void_p(), array.nbytes
        with self:
            self.call("cuMemAlloc_v2", ctypes.byref(there), ctypes.c_size_t(size))
            self.call("cuMemHostAlloc", ctypes.byref(here), ctypes.c_size_t(size), 1)
            ctypes.memmove(here, array.ctypes.data, size)
            self.call("cuMemcpyAsync", there, here, ctypes.c_size_t(size), self.stream)
            self.call("cuStreamSynchronize", self.stream)
            self.call("cuMemFreeHost", here)
        self.blocks.append(there)
        return there.value

    def close(self):
        with self:
            for block in self.blocks:
                self.call("cuMemFree_v2", block)
            self.call("cuStreamDestroy_v2", self.stream)
        self.call("cuDevicePrimaryCtxRelease_v2", 0)


@pytest.fixture
def gpu(monkeypatch):
    library = os.environ.get("ZCC_CUDA_STAND_IN_LIBRARY")
    if not library:
        pytest.skip("there is no stand-in for the driver")
    monkeypatch.setattr(_dlpack, "_DRIVER", library)
    _dlpack._driver.cache_clear()
    made = Gpu(library)
    yield made
    made.close()
    _dlpack._driver.cache_clear()


def refused(match, value):
    with pytest.raises(zcc.Error, match=match):
        _arrays.numpy_of(value, "x")


BASE = np.arange(48, dtype="f").reshape(4, 12)


@pytest.mark.parametrize("versioned", (False, True))
@pytest.mark.parametrize("array", [BASE, BASE[1:, 2::3], BASE.T, BASE[::-1, ::-2], np.full((), 3, "f"), BASE[:0], np.broadcast_to(BASE[0], (3, 12)),
                                   BASE.astype(bool), BASE.astype("int8"), BASE.astype("u8"), BASE.astype("f2"), BASE.astype("f8"),
                                   BASE.astype(ml_dtypes.bfloat16)])
def test_memory_of_the_host(array, versioned):
    for kind in (1, 3):
        value = Exporter(array, kind, versioned=versioned)
        assert _arrays.spec_of(value, "x") == _arrays.Spec(array.dtype.name, array.shape)
        found = _arrays.numpy_of(value, "x")
        bits = array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array
        assert found.dtype == bits.dtype and found.flags.c_contiguous and np.array_equal(found, bits)
        if array is BASE:
            assert found.ctypes.data == array.ctypes.data and len(value.given) == 1  # it is read where it lies
        del found
        assert value.is_whole() and all("stream" not in asked for asked in value.asked)


def test_no_strides():
    value = Exporter(BASE, compact=True)
    assert np.array_equal(_arrays.numpy_of(value), BASE)
    assert value.is_whole()


@pytest.mark.parametrize("versioned", (False, True))
@pytest.mark.parametrize("kind", (2, 13))
def test_memory_of_a_gpu(gpu, kind, versioned):
    for base in (BASE, BASE.astype(bool), BASE.astype(ml_dtypes.bfloat16)):
        at = gpu.put(base)
        for part in (np.s_[:], np.s_[1:, 2::3], np.s_[::-1, ::-2]):
            array = base[part]
            value = Exporter(array, kind, address=at + array.ctypes.data - base.ctypes.data, versioned=versioned)
            found = _arrays.numpy_of(value, "x")
            assert np.array_equal(found.view(base.dtype), array)
            assert value.is_whole()  # the copy needs nothing of the exporter
            assert value.asked[0]["stream"] == 1


def test_a_step_from_a_gpu(gpu):
    params, batch = {"w": np.ones((12, 2), "f")}, {"x": BASE}
    there = {"w": Exporter(params["w"], 2, address=gpu.put(params["w"]))}
    given = {"x": Exporter(BASE, 2, address=gpu.put(BASE), versioned=True)}

    def loss(p, b):
        return jnp.mean(jnp.tanh(b["x"] @ p["w"] / 100))

    with zcc.compile(loss, params, batch, optimizer=zcc.SGD(lr=0.1)) as step, zcc.compile(loss, there, given, optimizer=zcc.SGD(lr=0.1)) as other:
        assert [step(batch).loss for _ in range(3)] == [other(given).loss for _ in range(3)]
        assert isinstance(other.params["w"], np.ndarray) and np.array_equal(step.params["w"], other.params["w"])
        other.params = there
        assert np.array_equal(other.params["w"], params["w"])
        with pytest.raises(zcc.Error, match=r"'x' is float32\[3,12\], expected float32\[4,12\]"):
            other({"x": Exporter(BASE[1:], 2, address=there["w"].address)})
    assert given["x"].is_whole() and there["w"].is_whole()


def test_devices_that_are_refused():
    value = Exporter(BASE, 10, 3)
    refused("x: the array is on device 3 of kDLROCM, expected the CPU or a GPU of NVIDIA.*copy it to the host first", value)
    refused("on device 0 of kind 99", Exporter(BASE, 99))
    assert value.asked == []  # nothing was taken
    with pytest.raises(zcc.Error, match="x: the array is on device 3 of kDLROCM"):
        zcc.compile(lambda p, b: jnp.mean(b["x"] * p["w"]), {"w": np.ones(12, "f")}, {"x": value})


def test_without_a_driver(monkeypatch):
    monkeypatch.setattr(_dlpack, "_DRIVER", "libno-such-driver.so")
    _dlpack._driver.cache_clear()
    value = Exporter(BASE, 2)
    refused("x: the array is on GPU 0, and there is no CUDA driver to copy it by: libno-such-driver.so.*copy it to the host first", value)
    assert value.is_whole()


def test_a_driver_that_fails(gpu):
    value = Exporter(BASE, 2, 5, address=gpu.put(BASE))
    refused("x: the array is on GPU 5, and cuDeviceGet of the CUDA driver failed: .*101.*copy it to the host first", value)
    assert value.is_whole()


def copy_from_nowhere():
    """Takes memory of the host for that of a GPU, and prints what is left on the driver's stack of contexts."""
    _dlpack._DRIVER = os.environ["ZCC_CUDA_STAND_IN_LIBRARY"]
    value = Exporter(BASE, 2)
    refused("cuMemcpyDtoH_v2 of the CUDA driver failed: .*no memory of the current context", value)
    assert value.is_whole()
    print("left:", ctypes.CDLL(_dlpack._DRIVER).cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 0, flush=True)


def test_a_copy_that_fails(gpu):
    # In a process of its own, since the stand-in ends one that misuses it with status 86.
    code = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import test_dlpack; test_dlpack.copy_from_nowhere()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (86, "left: False\n"), (done.stdout, done.stderr)


def test_tensors_that_are_refused():
    for match, fields in (("DLPack's type code 5 with 32 bits and 1 lanes, expected one of int8", {"code": 5}),
                          ("type code 2 with 32 bits and 4 lanes", {"lanes": 4}),
                          ("gave a tensor of DLPack 2.0, expected version 0 or 1", {"major": 2, "versioned": True})):
        value = Exporter(BASE, **fields)
        refused(match, value)
        assert value.is_whole()


def test_exporters_at_fault():
    class Failing(Exporter):
        def __dlpack__(self, **asked):
            raise BufferError("it is being written")

    refused("x: __dlpack__ of Failing raised BufferError: it is being written: copy it", Failing(BASE))

    class Twice(Exporter):
        capsule = None

        def __dlpack__(self, **asked):
            self.capsule = self.capsule or super().__dlpack__(**asked)
            return self.capsule

    value = Twice(BASE)
    assert np.array_equal(_arrays.numpy_of(value), BASE)
    refused("used_dltensor.*expected a capsule that holds a tensor and was not taken", value)
    assert value.is_whole()

    class Half:
        def __dlpack__(self):
            return None

    refused("x: Half has __dlpack__ but no __dlpack_device__", Half())

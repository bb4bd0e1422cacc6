# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of numpy, jax and torch as memory that the library reads, and back."""
import ctypes
import sys

import numpy as np

from ._errors import Error, refuse
from ._library import Array

# The codes of zcc_type, by the name of the element type.
CODES = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
         "float16": 10, "bfloat16": 11, "float32": 12, "float64": 13, "float8_e4m3fn": 14}
NAMES = {code: name for name, code in CODES.items()}
# Types that numpy has no own name for, by the type whose bits hold them.
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8}


class Spec:
    """The type and shape of an array: `type` is a name of numpy's ("float32") or "bfloat16", "float8_e4m3fn"."""

    __slots__ = ("type", "shape")

    def __init__(self, type, shape):
        self.type, self.shape = type, tuple(shape)

    def __eq__(self, other):
        return self.type == other.type and self.shape == other.shape

    def __repr__(self):
        return f"{self.type}[{','.join(map(str, self.shape))}]"


def is_torch(value):
    """Returns True for a tensor of torch, which is not imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_jax(value):
    """Returns True for an array of jax, which is not imported for it."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def is_exporter(value):
    """Returns True for an array of another package that hands out its memory by __dlpack__, such as CuPy's."""
    own = (np.ndarray, np.generic, type)
    return hasattr(value, "__dlpack__") and not (isinstance(value, own) or is_torch(value) or is_jax(value))


def other_kind(tensor):
    """Returns what a tensor of torch is that does not keep its elements in one block of memory, and what would help; or None."""
    torch, kind = sys.modules["torch"], type(tensor)
    if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):
        return "one without a shape", "a lazy module gets its shapes from a batch: call it once before it is compiled"
    if tensor.is_nested:
        return "a nested tensor", "x.to_padded_tensor(0.0) has rows of one length; give the lengths or a mask beside it"
    if kind.__name__ == "FakeTensor":
        return "a FakeTensor, which has no values", "with torch.device('meta') makes modules that are described alone"
    if kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return f"a {kind.__name__}, which computes in a way of its own", "use a torch.Tensor, such as x.full_tensor() of a DTensor"
    if tensor.is_quantized:
        return f"a quantized tensor ({tensor.dtype})", "x.dequantize() has the numbers that it stands for"
    if tensor.layout != torch.strided:
        return f"a tensor of the layout {tensor.layout}", "x.to_dense() has all elements"
    return None


def spec_of(value, name):
    """Returns the Spec of an array, a number or a description such as jax.ShapeDtypeStruct; `name` is for the message."""
    if is_torch(value):
        if (found := other_kind(value)) is not None:
            refuse(f"{name}: expected a dense tensor, found {found[0]}; {found[1]}")
        return Spec(str(value.dtype).removeprefix("torch."), value.shape)
    if is_exporter(value):
        from . import _dlpack

        return _dlpack.spec_of(value, name)
    if not (hasattr(value, "dtype") and hasattr(value, "shape")):
        if not isinstance(value, (bool, int, float)):
            refuse(f"{name}: expected an array or a number, found {type(value).__name__}")
        value = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        refuse(f"{name}: expected an array, found one of numpy.ma with {np.ma.count_masked(value)} masked elements: zcc does not read masks; "
               "fill these elements (.filled(0)), and let the function take the mask as an array of its own")
    return Spec(getattr(value.dtype, "name", str(value.dtype)), value.shape)


def check_type(spec, name):
    """Refuses an element type that zcc does not have."""
    if spec.type.startswith("complex"):
        refuse(f"{name}: expected real numbers, found {spec}: pass the real and the imaginary part as two arrays")
    if spec.type not in CODES:
        refuse(f"{name}: expected an array of numbers, found {spec}; the types are {', '.join(CODES)}")


def has_values(value):
    """Returns False for what only describes an array."""
    if is_torch(value):
        return value.device.type != "meta"
    known = isinstance(value, (bool, int, float, np.ndarray, np.generic)) or is_jax(value) or is_exporter(value)
    return known or hasattr(value, "__array__")


def numpy_of(value, name="array"):
    """Returns the elements as an array of numpy in row-major order. It is not copied if it lies so in memory of the CPU.

    Types that numpy lacks come as their bits. `name` is for messages.
    """
    if is_torch(value):
        torch = sys.modules["torch"]
        value = value.detach()
        if value.device.type != "cpu":
            value = value.cpu()
        if value.dtype == torch.bfloat16:
            value = value.view(torch.uint16) if hasattr(torch, "uint16") else value.view(torch.int16)
        elif str(value.dtype) == "torch.float8_e4m3fn":
            value = value.view(torch.uint8)
        value = value.numpy()
    elif is_exporter(value):
        from . import _dlpack

        value = _dlpack.read(value, name)
    elif not isinstance(value, np.ndarray):
        try:
            value = np.asarray(value)
        except Exception as error:  # of the package that made it: a buffer that was donated, say
            refuse(f"{name}: {type(value).__name__} cannot be read: {error}")
    if not value.dtype.isnative:  # files of other machines, and formats that say so, have the other order of bytes
        value = value.astype(value.dtype.newbyteorder("="))
    bits = BITS.get(value.dtype.name)
    if bits is not None:
        value = value.view(bits)
    # ascontiguousarray makes vectors of scalars.
    return value if value.flags.c_contiguous else np.asarray(value, order="C")


def convert(value, held, wanted, name):
    """Returns elements of type `held`, as numpy_of() gives them, in the type `wanted`."""
    if held == wanted:
        return value
    return _from_bits(value, held).astype(dtype_of(wanted, name), order="C")


def _from_bits(value, type):
    return value.view(dtype_of(type, type)) if type in BITS else value


def dtype_of(type, name):
    """Returns the type of numpy for the name of an element type; those of ml_dtypes need that package, which jax brings."""
    if type not in BITS:
        return np.dtype(type)
    try:
        import ml_dtypes
    except ImportError:
        raise Error(f"{name}: {type} needs the package ml_dtypes: pip install ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, type))


def empty(spec, name):
    """Returns new memory for an array of that spec, of numpy's type or of ml_dtypes'."""
    return np.empty(spec.shape, dtype_of(spec.type, name))


def make_room(specs):
    """Returns new arrays by name, and the Arrays over their memory that functions write to."""
    found = {n: empty(spec, n) for n, spec in specs.items()}
    return found, Arrays((n, spec, found[n].view(BITS.get(spec.type, found[n].dtype))) for n, spec in specs.items())


class _Memory:
    """Memory of another's as numpy's array interface, with its owner, which arrays over it keep alive."""

    def __init__(self, address, spec, owner):
        self.__array_interface__ = {"version": 3, "typestr": bits_of(spec.type).str, "shape": spec.shape, "data": (address, True)}
        self.owner = owner


def bits_of(type):
    """Returns the type of numpy that holds the bits of an element type; it is the type itself if numpy has it."""
    return np.dtype(BITS.get(type, type))


def memory_of(address, spec, owner):
    """Returns a read-only array of bits over memory that lives as long as `owner`."""
    return np.asarray(_Memory(address, spec, owner))


def view_of(address, spec, owner, name):
    """Returns a read-only array over memory of the library."""
    return _from_bits(memory_of(address, spec, owner), spec.type) if address else empty(spec, name)


class Arrays:
    """A list of zcc_array over memory of numpy, which it keeps alive."""

    def __init__(self, named):
        """`named` has triples of name, Spec and numpy array (whose memory is used)."""
        named = list(named)
        self.keep = [(name.encode(), (ctypes.c_int64 * max(1, len(spec.shape)))(*spec.shape), array) for name, spec, array in named]
        self.array = (Array * len(named))()
        for to, (name, shape, array), (_, spec, _) in zip(self.array, self.keep, named):
            to.name, to.type, to.dims = name, CODES[spec.type], len(spec.shape)
            to.shape, to.data = shape, array.ctypes.data
        self.count = len(named)


def describe(pointer, count):
    """Returns the Specs, by name, of arrays that the library describes."""
    found = {}
    for i in range(count):
        each = pointer[i]
        found[each.name.decode()] = Spec(NAMES[each.type], [each.shape[k] for k in range(each.dims)])
    return found


def like(value, array):
    """Returns `array`, of numpy, in the form that `value` has: a tensor of torch, an array of jax, else numpy."""
    if is_torch(value):
        torch = sys.modules["torch"]
        if array.dtype.name in BITS:
            bits = torch.from_numpy(array.view({2: np.int16, 1: np.uint8}[array.dtype.itemsize]))
            return bits.view(getattr(torch, array.dtype.name))
        return torch.from_numpy(array)
    if is_jax(value) or type(value).__name__ == "ShapeDtypeStruct":
        import jax.numpy as jnp

        return jnp.asarray(array)
    return array

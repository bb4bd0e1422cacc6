# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libzcc.so in one process with another library that has an LLVM: both compile. Usage: beside.py LIBZCC first|last torch|jaxlib|triton...

Exit status 77 where the other library is not installed.
"""
import ctypes
import importlib.util
import sys

TEXT = b"""module @jit_loss {
  func.func public @main(%w: tensor<4xf32> loc("params['w']"), %x: tensor<4xf32> loc("batch['x']")) -> (tensor<f32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
"""


def use_zcc(library):
    library.zcc_last_error.restype = ctypes.c_char_p
    program, options = ctypes.c_void_p(), (ctypes.c_char_p * 1)(b"not-batched=x")
    status = library.zcc_compile(TEXT, ctypes.c_size_t(len(TEXT)), b"loss.mlir", options, ctypes.c_size_t(1), ctypes.byref(program))
    if status:
        sys.exit(library.zcc_last_error().decode())
    status = library.zcc_compile(b"none", ctypes.c_size_t(4), b"none.mlir", None, ctypes.c_size_t(0), ctypes.byref(ctypes.c_void_p()))
    if status != 2 or b"none.mlir:1:1: error" not in library.zcc_last_error():
        sys.exit(f"a text that is no module: status {status}, {library.zcc_last_error()}")
    library.zcc_program_close(program)


def use(name):
    if name == "torch":
        import torch
        assert float(torch.ones(4) @ torch.ones(4)) == 4
    elif name == "jaxlib":
        import jax
        assert float(jax.jit(lambda x: (x * x).sum())(jax.numpy.ones(4))) == 4
    elif name == "triton":
        import triton._C.libtriton as libtriton
        context = libtriton.ir.context()
        libtriton.ir.load_dialects(context)


def main():
    path, order, *others = sys.argv[1:]
    for name in others:
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed")
            sys.exit(77)
    if order == "first":
        library = ctypes.CDLL(path)
        use_zcc(library)
    for name in others:
        use(name)
    if order == "last":
        library = ctypes.CDLL(path)
    use_zcc(library)
    for name in others:
        use(name)


main()

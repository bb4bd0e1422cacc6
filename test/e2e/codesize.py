# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the code of kernels in which a function stands many times."""
from harness import *


def bytes_of_chain(op, count):
    steps = "".join(f"    %h{i + 1} = stablehlo.{op} %h{i} : tensor<64x64xf32>\n" for i in range(count))
    with open(path("chain.mlir"), "w") as f:
        f.write(f"""module @chain {{
  func.func public @main(%w: tensor<64x64xf32> {{zcc.parameter = "w"}}) -> tensor<f32> {{
    %h0 = stablehlo.negate %w : tensor<64x64xf32>
{steps}    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%h{count} init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }}
}}""")
    call("zcc", path("chain.mlir"), "-o", path("chain.zexe"), "--quiet", "--optimizer=forward", "--target=cpu")
    return os.path.getsize(path("chain.zexe"))


def test_large_angles_are_reduced_in_one_place():
    # The exact reduction is more code than the rest of a sine: 1700 bytes of 3000.
    for op in ("sine", "cosine", "tan"):
        each = (bytes_of_chain(op, 22) - bytes_of_chain(op, 2)) / 20
        assert each <= 2000, f"{op}: {each} bytes"


run(globals())

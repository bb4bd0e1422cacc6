// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in tf32 are libraries' on GPUs: the program is that of f32, and is predicted at the peak of tf32.
// RUN: zcc %s --target=cuda --cuda-arch=host --compile-to=scheduled --quiet >%t.f32
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=tf32 --compile-to=scheduled --quiet >%t.tf32
// RUN: grep func.func %t.f32 >%t.f32.kernels && grep func.func %t.tf32 | diff %t.f32.kernels -
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=tf32 --quiet -o %t.zexe --report - | FileCheck %s
// RUN: zrun --check %t.zexe | FileCheck %s --check-prefix=HELD
// It is carried by the text.
// RUN: zcc %t.tf32 --compile-from=scheduled --cuda-arch=host --quiet -o %t.again.zexe
// RUN: cmp %t.zexe %t.again.zexe
// RUN: not zcc %s --precision=tf32 -o %t.no.zexe 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not zcc %s --target=cuda --precision=tf32 --exact -o %t.no.zexe 2>&1 | FileCheck %s --check-prefix=EXACT

// CHECK: "precision": "tf32"
// HELD: precision tf32
// CPU: error: --precision=tf32: --target=cpu has no products in it, --target=cuda has
// EXACT: error: --precision=tf32: products in it are libraries', which are switched off
module {
  func.func public @main(%w: tensor<16x24xf32> loc("params['w']"), %x: tensor<8x16xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
    %1 = stablehlo.sine %0 : tensor<8x24xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}

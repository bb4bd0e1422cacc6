// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cumulative sum of few columns on GPUs: a thread loads 32 rows before it adds the first one, and blocks have one warp.
// RUN: zcc %s --target=cuda --disable=libraries --ptxas=none --cuda-arch=sm_90 --quiet --optimizer=forward -o %t.zexe --report %t.json
// RUN: FileCheck %s --input-file=%t.zexe
// RUN: FileCheck %s --input-file=%t.json --check-prefix=REPORT

// CHECK: .entry k{{[0-9]+}}_cumulative
// CHECK: .reqntid 32
// CHECK-COUNT-32: ld.global{{(.nc)?}}.b32
// CHECK-NOT: ld.global
// CHECK: add.rn.f32
// CHECK-NEXT: st.global.b32
// CHECK-NEXT: add.rn.f32
// CHECK: bra

// Memory is waited for once for each 32 of the 1024 rows.
// REPORT: "name": "k{{[0-9]+}}_cumulative"
// REPORT: "blocks": 16.0
// REPORT: "threads": 32
// REPORT: "memory_rounds": 32.0
module {
  func.func public @main(%x: tensor<8x1024x64xf32> loc("batch['x']")) -> (tensor<8x1024x64xf32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 1024, 1>, padding = dense<[[0, 0], [1023, 0], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8x1024x64xf32>, tensor<f32>) -> tensor<8x1024x64xf32>
    return %0 : tensor<8x1024x64xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of kernels besides their operands is planned: it is in the arena, and the report and errors count it.
// RUN: zcc %s --target=cuda --cuda-arch=host --compile-to=planned --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host -o %t.zexe --report %t.json --buffers %t.csv | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --input-file=%t.json --check-prefix=REPORT
// RUN: FileCheck %s --input-file=%t.csv --check-prefix=LISTING
// RUN: zrun --check %t.zexe
// RUN: not zcc %s --target=cuda --cuda-arch=host --memory=30MB --quiet -o %t.none.zexe 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: zcc %s --target=cuda --cuda-arch=host --memory=30MB --disable=libraries --quiet -o %t.small.zexe
// RUN: zcc %s --target=cpu --compile-to=planned --quiet | FileCheck %s --check-prefix=CPU

// CHECK: dist.schedule attributes {{{.*}}exec.table_bytes = [[TABLES:[0-9]+]] : i64, exec.workspace_offset = 0 : i64, exec.workspaces = array<i64: 33554432>
// TEXT: workspace 33.
// REPORT: "workspace": 3355{{[0-9]+}},
// LISTING: 0,device,workspace,workspace
// REFUSED: error: memory: a device needs
// REFUSED-NEXT: at the peak: {{.*}}workspace 33.
// CPU-NOT: exec.workspace
module {
  func.func public @main(%w: tensor<16x24xf32> loc("params['w']"), %x: tensor<8x16xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<8x24xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}

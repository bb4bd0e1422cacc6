// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops whose location is of a module (`module:PATH`) are named by its path, in explanations, wishes and warnings.
// A path of a module stands for all that is in it, and a line of the model for what is computed there.
// RUN: zcc %s --mesh=data=2 --explain layers.0.up | FileCheck %s --check-prefix=OP
// RUN: zcc %s --mesh=data=2 --explain layers.0 | FileCheck %s --check-prefix=INSIDE
// RUN: zcc %s --mesh=data=2 --explain m.py:3 | FileCheck %s --check-prefix=LINE
// RUN: zcc %s --mesh=tensor=2 --shard=layers.1.act=-,tensor --explain layers.1.act | FileCheck %s --check-prefix=SHARD
// RUN: zcc %s --remat='layers.0.act#0' --quiet -o %t.zexe
// RUN: not zcc %s --remat='layers.0.act#1' --quiet -o %t.zexe 2>&1 | FileCheck %s --check-prefix=WISH
// RUN: zcc %s --mesh=pipe=2 --microbatches=2 --stage='layers.1.*=1' --quiet -o %t.zexe
// RUN: sed 's/stablehlo.tanh %2/stablehlo.cholesky %2/' %s > %t.mlir
// RUN: not zcc %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not zcc %s --mesh=data=2 --explain layers.2 2>&1 | FileCheck %s --check-prefix=NONE

// OP: layers.0.up{{.*}}: train.dot_general
// INSIDE-DAG: layers.0.up{{.*}}: train.dot_general
// INSIDE-DAG: layers.0.act{{.*}}: elementwise
// INSIDE-NOT: layers.1.up{{.*}}: train.dot_general
// LINE: layers.0.up{{.*}}: train.dot_general
// LINE-NOT: layers.0.act{{.*}}: train.tanh
// SHARD: layers.1.act{{.*}}: train.
// SHARD: over tensor: --shard=layers.1.act=-,tensor
// WISH: error: --remat: no value of the forward pass is named 'layers.0.act#1'
// ERROR: m.py:4{{.*}}error: {{.*}}(in the module layers.1.act)
// NONE: error: {{.*}}layers.2
func.func public @main(%w: tensor<16x16xf32> {zcc.parameter = "layers.0.w"}, %u: tensor<16x16xf32> {zcc.parameter = "layers.1.w"},
                       %x: tensor<8x16xf32> {zcc.input = "x"}) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc(#up0)
  %1 = stablehlo.tanh %0 : tensor<8x16xf32> loc(#act0)
  %2 = stablehlo.dot_general %1, %u, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc(#up1)
  %3 = stablehlo.tanh %2 : tensor<8x16xf32> loc(#act1)
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  return %5 : tensor<f32>
}
#line3 = loc("m.py":3:0)
#line4 = loc("m.py":4:0)
#up0 = loc("module:layers.0.up"(#line3))
#act0 = loc("module:layers.0.act"(#line4))
#up1 = loc("module:layers.1.up"(#line3))
#act1 = loc("module:layers.1.act"(#line4))

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost line of the user's code comes first: not that of an installed package, nor of who lowered the loss, nor, where
// paths were cut down to names, of other files than the loss function's.
// RUN: split-file %s %t
// RUN: zcc-opt %t/cut.mlir --zcc-mark-library-frames --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=CUT
// RUN: not zcc %t/cut.mlir --compile-to=graph 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not=export.py
// RUN: not zcc %t/whole.mlir --compile-to=graph 2>&1 | FileCheck %s --check-prefix=WHOLE --implicit-check-not=export.py
// RUN: zcc-opt %t/unknown.mlir --zcc-mark-library-frames --mlir-print-debuginfo | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not='fused<"library">'

// CUT: stablehlo.cholesky {{.*}} loc("jit(loss)/cholesky"(callsite("solve"(fused<"library">["solver.py":7:1]) at callsite("loss"("model.py":3:5) at "run"(fused<"library">["export.py":9:2])))))
// CUT: return {{.*}} loc("jit(loss)"("run"(fused<"library">["export.py":9:2])))
// ERROR: {{^}}model.py:3:5: error: 'stablehlo.cholesky' cannot be used in training
// ERROR-NEXT: {{^}}model.py:3:5: note: write the decomposition
// ERROR-NEXT: {{^}}solver.py:7:1: note: in a library's code called there
// ERROR-NOT: called from
//--- cut.mlir
#export = loc("run"("export.py":9:2))
#model = loc(callsite("loss"("model.py":3:5) at #export))
#solver = loc(callsite("solve"("solver.py":7:1) at #model))
func.func @main(%w: tensor<4x4xf32> loc("p['w']")) -> tensor<f32> {
  %0 = stablehlo.cholesky %w, lower = true : tensor<4x4xf32> loc("jit(loss)/cholesky"(#solver))
  %1 = stablehlo.slice %0 [0:1, 0:1] : (tensor<4x4xf32>) -> tensor<1x1xf32> loc("jit(loss)/slice"(#model))
  %2 = stablehlo.reshape %1 : (tensor<1x1xf32>) -> tensor<f32> loc("jit(loss)/reshape"(#model))
  return %2 : tensor<f32> loc("jit(loss)"(#export))
}

// With whole paths the folders decide: the error is at the innermost user file, through a function printed separately.
// WHOLE: {{^}}/home/me/layers.py:8:3: error: 'stablehlo.cholesky' cannot be used in training
// WHOLE: {{^}}/home/me/.venv/lib/python3.12/site-packages/solvers/solver.py:7:1: note: in a library's code called there
// WHOLE: {{^}}/home/me/model.py:3:5: note: called from
//--- whole.mlir
#export = loc("run"("/home/me/tools/export.py":9:2))
#model = loc(callsite("loss"("/home/me/model.py":3:5) at #export))
#layers = loc(callsite("layer"("/home/me/layers.py":8:3) at #model))
#solver = loc("solve"("/home/me/.venv/lib/python3.12/site-packages/solvers/solver.py":7:1))
func.func @main(%w: tensor<4x4xf32> loc("p['w']")) -> tensor<f32> {
  %0 = call @solve(%w) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("jit(loss)/jit(solve)"(#layers))
  %1 = stablehlo.slice %0 [0:1, 0:1] : (tensor<4x4xf32>) -> tensor<1x1xf32> loc("jit(loss)/slice"(#model))
  %2 = stablehlo.reshape %1 : (tensor<1x1xf32>) -> tensor<f32> loc("jit(loss)/reshape"(#model))
  return %2 : tensor<f32> loc("jit(loss)"(#export))
}
func.func private @solve(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32> loc("cholesky"(#solver))
  return %0 : tensor<4x4xf32>
}

// Without the end of the stack nothing is known, and every line counts.
// UNKNOWN: loc("solver.py":7:1)
//--- unknown.mlir
func.func @main(%w: tensor<f32> loc("p['w']")) -> tensor<f32> {
  %0 = stablehlo.abs %w : tensor<f32> loc(callsite("solver.py":7:1 at "model.py":3:5))
  return %0 : tensor<f32> loc(unknown)
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --verify-diagnostics --zcc-cut-stages

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
func.func @step(%w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "y"}) {
  // expected-error @below {{not yet: the output "y", an array, on a mesh with an axis 'pipe'}}
  // expected-note @below {{leave out the axis 'pipe' of --mesh}}
  %0 = train.negate %w {train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

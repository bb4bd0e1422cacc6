// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages would have to agree on a value that all of them read and one of them changes.
// RUN: zcc-opt %s --verify-diagnostics --zcc-cut-stages

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
// expected-error @+2 {{not yet: a loss with a variable, 'mean', on a mesh with an axis 'pipe'}}
// expected-note @+1 {{leave out the axis 'pipe' of --mesh}}
func.func @step(%mean: tensor<4xf32> {zcc.kind = "variable", zcc.state = "mean"}) -> tensor<4xf32> {
  %0 = train.negate %mean {train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text without names: the first arguments are parameters.
// RUN: zcc-opt %s --zcc-name-arguments=parameters=2 | FileCheck %s
// RUN: not zcc-opt %s --zcc-name-arguments 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not zcc-opt %s --zcc-name-arguments=parameters=4 2>&1 | FileCheck %s --check-prefix=MANY

// CHECK: @main(%{{.*}}: tensor<f32> {zcc.parameter = "arg0"}, %{{.*}}: tensor<f32> {zcc.parameter = "arg1"}, %{{.*}}: tensor<f32> {zcc.input = "arg2"})
// ERROR: error: argument 0 has no name: expected a location such as loc("params['w']")
// MANY: error: expected at least 4 arguments, as many as were said to be parameters, got 3
func.func public @main(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

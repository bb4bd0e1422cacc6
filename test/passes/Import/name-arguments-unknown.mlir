// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An op of another dialect is an error even where the parser lets it through.
// RUN: not zcc-opt %s --allow-unregistered-dialect --zcc-name-arguments 2>&1 | FileCheck %s

func.func @main(%a: tensor<f32> {zcc.parameter = "a"}) -> tensor<f32> {
  // CHECK: name-arguments-unknown.mlir:[[@LINE+1]]:8: error: unknown operation 'torch.relu': expected stablehlo, chlo, func or train
  %0 = "torch.relu"(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-shard-step --zcc-verify-sharded | FileCheck %s
// RUN: zcc-opt %s --zcc-shard-step="disable=split-picks" --zcc-verify-sharded | FileCheck %s --check-prefix=OFF

// Ops that pick positions along a sharded dim work on shards, and only the picked elements move: the index of the
// maximum, two rows of many. Another dim that is sharded stays so.
dist.mesh @mesh [#dist.axis<"x" = 2>, #dist.axis<"data" = 2>]
// CHECK-NOT: dist.reshard %arg
// CHECK: train.arg_reduce %arg0 {{.*}}[{"data"}], partial = minimum {"x"}>
// CHECK: train.dynamic_slice %arg0, {{.*}}[{"data"}, {}], partial = add {"x"}>
// CHECK: train.dynamic_update_slice %arg0, {{.*}}[{"data"}, {"x"}]>
// OFF: %[[A:.*]] = dist.reshard %arg0 {{.*}}why = "train.arg_reduce needs it split over data in dim 0"
// OFF: train.arg_reduce %[[A]] {{.*}}[{"data"}]>
// OFF: train.dynamic_slice %[[A]], {{.*}}[{"data"}, {}]>
// OFF: train.dynamic_update_slice %[[A]], {{.*}}[{"data"}, {}]>
func.func @step(%a: tensor<8x64xf32> {zcc.kind = "input", zcc.input = "a", zcc.sharding = [["data"], ["x"]]}, %i: tensor<i32> {zcc.kind = "input", zcc.input = "i"})
    -> (tensor<8xi32> {zcc.kind = "output"}, tensor<8x2xf32> {zcc.kind = "output"}, tensor<8x64xf32> {zcc.kind = "output"}) {
  %0 = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<8x64xf32>) -> tensor<8xi32>
  %1 = train.dynamic_slice %a, %i, %i {sizes = array<i64: 8, 2>} : (tensor<8x64xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
  %2 = train.dynamic_update_slice %a, %1, %i, %i : (tensor<8x64xf32>, tensor<8x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x64xf32>
  return %0, %1, %2 : tensor<8xi32>, tensor<8x2xf32>, tensor<8x64xf32>
}

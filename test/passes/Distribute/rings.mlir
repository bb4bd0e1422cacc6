// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose sequence is sharded passes keys and values around a ring. Here 7 elements on 2 devices.
// RUN: zcc-opt %s --zcc-mark-rings --zcc-shard-step --zcc-verify-sharded -o %t && FileCheck %s --check-prefix=SHARDED --input-file=%t
// RUN: zcc-opt %t --zcc-partition --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s
// Without the mark keys and values are gathered.
// RUN: zcc-opt %s --zcc-shard-step --zcc-partition --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s --check-prefix=GATHERED

// GATHERED-COUNT-2: {{all_gather|exchange_boxes}}
// GATHERED: train.attention {{.*}}(tensor<2x4x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>
// GATHERED-NOT: dist.ring

dist.mesh @mesh [#dist.axis<"context" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%q: tensor<2x7x2x4xf32> {zcc.kind = "input", zcc.input = "q"}, %k: tensor<2x7x2x4xf32> {zcc.kind = "input", zcc.input = "k"}, %v: tensor<2x7x2x4xf32> {zcc.kind = "input", zcc.input = "v"}, %g: tensor<2x7x2x4xf32> {zcc.kind = "input", zcc.input = "g"}) -> (tensor<2x7x2x4xf32> {zcc.kind = "output"}, tensor<2x7x2x4xf32> {zcc.kind = "output"}, tensor<2x7x2x4xf32> {zcc.kind = "output"}, tensor<2x7x2x4xf32> {zcc.kind = "output"}) {
  // Nothing is gathered for it.
  // SHARDED: func.func @step
  // SHARDED-NOT: dist.reshard
  // SHARDED: train.attention %arg0, %arg1, %arg2 {{.*}}[{}, {"context"}, {}, {}], padded = [2, 8, 2, 4]
  // SHARDED: train.attention_gradient

  // Padded keys and values are zero before they go on their way.
  // CHECK-DAG: %[[K:.*]] = train.select {{.*}}, %arg1, {{.*}}dist.shardings
  // CHECK-DAG: %[[V:.*]] = train.select {{.*}}, %arg2, {{.*}}dist.shardings
  // CHECK: %[[F:.*]]:3 = dist.ring %arg0, %[[ORIGIN:.*]], %[[K]], %[[V]] {
  // CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: tensor<i32>, %[[Q:[^:]*]]: tensor<2x4x2x4xf32>, %[[O:[^:]*]]: tensor<i32>, %[[BK:[^:]*]]: tensor<2x4x2x4xf32>, %[[BV:[^:]*]]: tensor<2x4x2x4xf32>, %[[M:[^:]*]]: tensor<2x4x2xf32>, %[[T:[^:]*]]: tensor<2x4x2xf32>, %[[S:[^:]*]]: tensor<2x4x2x4xf32>):
  // CHECK-NEXT: train.attention_block %[[Q]], %[[BK]], %[[BV]], %[[O]], %[[BLOCK]], %[[M]], %[[T]], %[[S]] {after = 0 : i64, all_keys = 7 : i64
  // CHECK-NEXT: dist.yield
  // CHECK-NEXT: axes = ["context"], {{.*}}moved = 0 : i64, passed = 2 : i64, starts = [0xFFF0000000000000 : f64, 0.000000e+00, 0.000000e+00]
  // CHECK-SAME: why = "the sequence is split over context: keys and values pass by every device"
  // CHECK: train.divide {{.*}}, %[[F]]#1
  // CHECK: train.multiply %[[F]]#2
  // CHECK: train.log %[[F]]#1
  %o, %l = train.attention %q, %k, %v {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>) -> (tensor<2x7x2x4xf32>, tensor<2x7x2xf32>)
  // Padded queries add nothing to sums over queries.
  // CHECK-DAG: %[[HQ:.*]] = train.select {{.*}}, %arg0,
  // CHECK-DAG: %[[HG:.*]] = train.select {{.*}}, %arg3,
  // CHECK-DAG: train.constant {{.*}}dense<0x7F800000>
  // CHECK: dist.ring %[[HQ]], %[[ORIGIN]], {{.*}}, {{.*}}, %[[HG]],
  // CHECK: train.attention_block_gradient
  // CHECK: moved = 2 : i64, passed = 2 : i64
  %dq, %dk, %dv = train.attention_gradient %q, %k, %v, %l, %l, %g {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>} : (tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2x4xf32>) -> (tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>)
  return %o, %dq, %dk, %dv : tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>
}

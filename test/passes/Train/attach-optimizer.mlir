// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-differentiate --zcc-attach-optimizer --zcc-simplify-train --zcc-verify-step | FileCheck %s
// RUN: zcc-opt %s --zcc-differentiate=freeze=b --zcc-attach-optimizer='optimizer=sgd no-decay=w*' --zcc-verify-step | FileCheck %s --check-prefix=SGD
// RUN: zcc-opt %s --zcc-differentiate --zcc-attach-optimizer=optimizer=none --zcc-verify-step | FileCheck %s --check-prefix=NONE
// RUN: zcc-opt %s --zcc-differentiate=forward --zcc-attach-optimizer=optimizer=forward --zcc-verify-step | FileCheck %s --check-prefix=FORWARD
// RUN: zcc-opt %s --zcc-apply-precision=type=bf16 --zcc-differentiate --zcc-attach-optimizer='precision=bf16 gradient-type=compute' --zcc-simplify-train --zcc-verify-step | FileCheck %s --check-prefix=BF16
// RUN: zcc-opt %s --zcc-differentiate=scaled --zcc-attach-optimizer --zcc-verify-step | FileCheck %s --check-prefix=SCALED

// RUN: not zcc-opt %s --zcc-differentiate --zcc-attach-optimizer=optimizer=adam 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --optimizer: unknown optimizer 'adam', expected adamw, {{.*}}sgd, none or forward: the nearest is adamw

// The stack's part has rank one, and decays as the stack of rank two does; the bias does not.
func.func @loss(%x: tensor<8x4xf32> {zcc.input = "x"}, %w: tensor<4x2xf32> {zcc.parameter = "w"},
    %b: tensor<2xf32> {zcc.parameter = "b"}, %s: tensor<2xf32> {zcc.parameter = "s", zcc.part = array<i64: 3, 0>, zcc.file_shape = array<i64: 4, 2>})
    -> (tensor<f32> {zcc.result = "loss"}) {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = train.multiply %b, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64: 1>} : (tensor<2xf32>) -> tensor<8x2xf32>
  %3 = train.multiply %0, %2 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %4 = train.reduce %3 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x2xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[W:arg0]]: tensor<4x2xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %arg1: tensor<2xf32> {zcc.kind = "parameter", zcc.parameter = "b"}
// CHECK-SAME:    %arg2: tensor<2xf32> {zcc.file_shape = array<i64: 4, 2>, zcc.kind = "parameter", zcc.parameter = "s", zcc.part = array<i64: 3, 0>}
// CHECK-SAME:    %[[M:arg3]]: tensor<4x2xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"}, %[[V:arg4]]: tensor<4x2xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment2"}
// CHECK-SAME:    %arg9: tensor<8x4xf32> {zcc.input = "x", zcc.kind = "input"}, %[[H:arg10]]: tensor<16xf32> {zcc.kind = "hyper"}
// CHECK-SAME:    tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}
// CHECK-SAME:    tensor<f32> {zcc.kind = "output", zcc.output = "gradient_norm"
// CHECK-SAME:    tensor<i1> {zcc.kind = "output", zcc.output = "finite"
// CHECK-SAME:    tensor<3xf32> {zcc.kind = "output", zcc.names = ["w", "b", "s"], zcc.output = "gradient_squares"
// CHECK:         train.sum_of_squares %[[GW:.*]] {train.tag = "update"}
// CHECK:         dist.observe %[[GW]], %{{.*}} {scaled = false, states = [@w, @b, @"s#3"], train.tag = "update"}
// CHECK:         %[[NORM:.*]] = train.sqrt
// CHECK:         %[[FINITE:.*]] = train.is_finite
// CHECK:         %[[CLIP:.*]] = train.minimum
// CHECK:         train.update %[[W]], %[[M]], %[[V]], %[[GW]], %[[H]], %[[CLIP]], %[[FINITE]] {decay = true, optimizer = "adamw"
// CHECK:         train.update {{.*}}decay = false
// CHECK:         train.update {{.*}}decay = true

// SGD-LABEL: func.func @step
// SGD-SAME:    %arg3: tensor<4x2xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"}, %arg4: tensor<2xf32> {{{.*}}zcc.kind = "slot", zcc.parameter = "s", {{.*}}zcc.slot = "moment1"
// SGD:         train.update {{.*}}decay = false
// SGD:         train.update {{.*}}decay = true
// SGD-NOT:     train.update

// NONE-NOT:    moment
// NONE:        dist.observe
// NONE-NOT:    train.update

// FORWARD:     %arg3: tensor<8x4xf32> {zcc.input = "x", zcc.kind = "input"})
// FORWARD-SAME: -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"})

// BF16-LABEL: func.func @step
// BF16-SAME:    %[[W:arg0]]: tensor<4x2xbf16> {zcc.kind = "parameter", zcc.parameter = "w"}, %arg1: tensor<2xf32> {zcc.kind = "parameter"
// BF16-SAME:    %[[MASTER:arg3]]: tensor<4x2xf32> {zcc.kind = "master", zcc.parameter = "w"}
// BF16:         train.dot_general %{{.*}}, %[[W]] {{.*}}"forward"
// BF16:         %[[WIDE:.*]] = train.dot_general {{.*}}"backward"{{.*}} -> tensor<4x2xf32>
// BF16:         %[[G:.*]] = train.convert %[[WIDE]] {train.gradient_type, train.tag = "backward"} : {{.*}} -> tensor<4x2xbf16>
// BF16:         train.sum_of_squares %[[G]]
// BF16:         %[[NEW:.*]], %[[MORE:.*]]:3 = train.update %[[MASTER]], %{{.*}}, %{{.*}}, %[[G]]
// BF16:         return %[[MORE]]#2, %{{.*}}, %{{.*}}, %[[NEW]]

// SCALED:       dist.observe {{.*}}scaled = true
// SCALED:       %[[CLIP:.*]] = train.minimum
// SCALED:       train.multiply %[[CLIP]]

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule | FileCheck %s

// Grouping makes one kernel of a layer norm, and one of a softmax with its mask; equal layers share kernels; costly
// values are computed once; the kernel that makes a part of a sum also adds it to the accumulator, which is cleared
// before the step.

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 1>]
dist.input @x : tensor<16x32xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro"}, {}]>, stage = 0 : i64}
dist.input @y : tensor<16x32xf32> {input = "y", sharding = #dist.sharding<@mesh, [{"micro"}, {}]>, stage = 0 : i64}
dist.input @z : tensor<16x32xf32> {input = "z", sharding = #dist.sharding<@mesh, [{"micro"}, {}]>, stage = 0 : i64}

// CHECK-LABEL: exec.task @prologue attributes {{.*}}kind = "prologue"
// CHECK: %[[SUM:.+]] = exec.buffer "accumulator" "sum"
// CHECK: exec.fill %[[SUM]] {{.*}}value = 2147483648

// CHECK-LABEL: exec.task @forward
// CHECK: exec.launch @[[NORM:k[0-9]+_reduce]](
// CHECK-NEXT: exec.launch @[[NORM]](
// CHECK-NEXT: exec.launch @[[SOFTMAX:k[0-9]+_reduce]](
// CHECK-NEXT: exec.launch @[[TAIL:k[0-9]+_reduce]](
// CHECK-NOT: exec.launch
// CHECK-LABEL: dist.schedule
// CHECK-NEXT: dist.run @prologue
func.func @forward(%x: tensor<8x32xf32> {dist.input = @x}, %y: tensor<8x32xf32> {dist.input = @y}, %z: tensor<8x32xf32> {dist.input = @z})
    -> (tensor<8x32xf32> {dist.value = "p"}, tensor<8x32xf32> {dist.value = "q"}, tensor<f32> {dist.accumulate = "sum"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %n = train.constant dense<32.0> : tensor<8xf32>
  %p0 = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %p1 = train.divide %p0, %n : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %p2 = train.broadcast_in_dim %p1 {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x32xf32>
  %p3 = train.subtract %x, %p2 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %p4 = train.multiply %p3, %p3 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %p5 = train.reduce %p4 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %p6 = train.rsqrt %p5 : (tensor<8xf32>) -> tensor<8xf32>
  %p7 = train.broadcast_in_dim %p6 {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x32xf32>
  %p8 = train.multiply %p3, %p7 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %q0 = train.reduce %y {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %q1 = train.divide %q0, %n : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %q2 = train.broadcast_in_dim %q1 {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x32xf32>
  %q3 = train.subtract %y, %q2 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %q4 = train.multiply %q3, %q3 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %q5 = train.reduce %q4 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %q6 = train.rsqrt %q5 : (tensor<8xf32>) -> tensor<8xf32>
  %q7 = train.broadcast_in_dim %q6 {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x32xf32>
  %q8 = train.multiply %q3, %q7 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %low = train.constant dense<-1.0e30> : tensor<8x32xf32>
  %20 = train.iota {dim = 0 : i64} : () -> tensor<8x32xi32>
  %21 = train.iota {dim = 1 : i64} : () -> tensor<8x32xi32>
  %22 = train.compare %20, %21 {direction = #train<compare_direction GE>} : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi1>
  %23 = train.select %22, %z, %low : (tensor<8x32xi1>, tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %24 = train.reduce %23 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %25 = train.broadcast_in_dim %24 {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x32xf32>
  %26 = train.subtract %23, %25 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %27 = train.exponential %26 : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %28 = train.reduce %27 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %29 = train.broadcast_in_dim %28 {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x32xf32>
  %30 = train.divide %27, %29 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %31 = train.reduce %30 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x32xf32>) -> tensor<f32>
  return %p8, %q8, %31 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<f32>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
}

// CHECK: func.func private @[[NORM]]
// CHECK: func.func private @[[SOFTMAX]]
// CHECK: func.func private @[[TAIL]]
// CHECK-SAME: (%{{.*}}: tensor<8x32xf32>, %{{.*}}: tensor<f32>) -> tensor<f32>

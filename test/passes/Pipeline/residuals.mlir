// RUN: zcc-opt %s --zcc-split-tasks | FileCheck %s

// The backward pass keeps some values of the forward pass and computes others again.
#rows = #dist.sharding<@mesh, [{}, {}]>
dist.mesh @mesh [#dist.axis<"data" = 1>]
// CHECK-LABEL: func.func @forward
// The exponential and its views are kept as one tensor; instead of the widened value its narrow source is kept.
// CHECK-SAME: -> (tensor<8x4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "residuals.mlir:[[#]]"}, tensor<8x4xbf16> {dist.fate = #dist.fate<"keep">, dist.value = "residuals.mlir:[[#]]"})
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %arg0: tensor<4xf32> {dist.state = "w"}, %arg1: tensor<8x4xf32> {dist.input = "x"}, %arg2: tensor<8x4xf32> {dist.value = {{.*}}}, %arg3: tensor<8x4xbf16> {dist.value =
func.func @step(%w: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<8x4xf32> {dist.global = tensor<8x4xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss"}) {
  // Masks and broadcasts of parameters follow from arguments.
  %i = train.iota {dim = 1 : i64, train.tag = "forward"} : () -> tensor<8x4xi32>
  %two = train.constant {train.tag = "forward"} dense<2> : tensor<8x4xi32>
  %mask = train.compare %i, %two {direction = #train<compare_direction LT>, train.tag = "forward"} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
  %b = train.broadcast_in_dim %w {dims = array<i64: 1>, train.tag = "forward"} : (tensor<4xf32>) -> tensor<8x4xf32>
  %xb = train.add %x, %b {train.tag = "forward"} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = train.exponential %xb {train.tag = "forward"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %flat = train.reshape %e {train.tag = "forward"} : (tensor<8x4xf32>) -> tensor<32xf32>
  %t = train.tanh %xb {train.tag = "forward"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %narrow = train.convert %t {train.tag = "forward"} : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  %wide = train.convert %narrow {train.tag = "forward"} : (tensor<8x4xbf16>) -> tensor<8x4xf32>

  // Each before its first reader.
  // CHECK: train.reshape %arg2
  // CHECK: train.convert %arg3
  // CHECK: train.broadcast_in_dim %arg0
  // CHECK: train.add %arg1
  // CHECK: train.iota
  // CHECK: train.compare
  %f2 = train.reshape %flat {train.tag = "backward"} : (tensor<32xf32>) -> tensor<8x4xf32>
  %0 = train.multiply %f2, %wide {train.tag = "backward"} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = train.multiply %0, %xb {train.tag = "backward"} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = train.select %mask, %1, %b {train.tag = "backward"} : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "backward"} : (tensor<8x4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// RUN: zcc-opt %s --split-input-file --zcc-shard-step --zcc-verify-sharded | FileCheck %s

// Parts of a sum that are rounded and widened again, and then meet a value that is not partial after all: what crosses the network
// are the narrow parts, not the wide ones.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // Needed whole by the product, so reduced at once.
  // CHECK: %[[R:.*]] = train.dot_general {{.*}}partial = add
  // CHECK: %[[WHOLE:.*]] = dist.reshard %[[R]]
  %r = train.dot_general %x, %x {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %square = train.multiply %r, %r : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = train.tanh %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[P:.*]] = train.dot_general {{.*}}partial = add
  // CHECK: %[[NARROW:.*]] = train.convert %[[P]] {{.*}} -> tensor<4x4xbf16>
  // CHECK: %[[T:.*]] = train.transpose %[[NARROW]] {{.*}}partial = add
  // CHECK: %[[SENT:.*]] = dist.reshard %[[T]] {{.*}} : tensor<4x4xbf16>
  // CHECK: %[[WIDE:.*]] = train.convert %[[SENT]] {{.*}} -> tensor<4x4xf32>
  // CHECK: train.add %[[WHOLE]], %[[WIDE]]
  %p = train.dot_general %t, %x {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %n = train.convert %p : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %nt = train.transpose %n {permutation = array<i64: 1, 0>} : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %w = train.convert %nt : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  %sum = train.add %r, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %sum, %square : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The largest rounded part is the largest part, rounded: what crosses the network is narrow. With more than one reader that rounds,
// too, and where the whole value is moved to be rounded.
dist.mesh @mesh [#dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [[], ["tensor"]]}) -> (tensor<8xbf16>, tensor<8xbf16>, tensor<8xf16>) {
  // CHECK: %[[MAX:.*]] = train.reduce {{.*}}partial = maximum
  // CHECK-NEXT: %[[NARROW:.*]] = train.convert %[[MAX]] {{.*}}partial = maximum {{.*}} -> tensor<8xbf16>
  // CHECK-NEXT: %[[SENT:.*]] = dist.reshard %[[NARROW]]
  %max = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<8x4xf32>) -> tensor<8xf32>
  %n = train.convert %max : (tensor<8xf32>) -> tensor<8xbf16>
  // CHECK: train.negate %[[SENT]]
  %neg = train.negate %n : (tensor<8xbf16>) -> tensor<8xbf16>
  // CHECK: %[[MIN:.*]] = train.reduce {{.*}}partial = minimum
  // CHECK-NEXT: %[[ROUNDED:.*]] = train.convert %[[MIN]] {{.*}}partial = minimum {{.*}} -> tensor<8xf16>
  // CHECK-NEXT: dist.reshard %[[ROUNDED]]
  %min = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind minimum>} : (tensor<8x4xf32>) -> tensor<8xf32>
  %r = train.convert %min : (tensor<8xf32>) -> tensor<8xf16>
  return %n, %neg, %r : tensor<8xbf16>, tensor<8xbf16>, tensor<8xf16>
}

// -----

// A product of rounded parts is another number, and so is an integer's: they are reduced as they are.
dist.mesh @mesh [#dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [[], ["tensor"]]}, %i: tensor<8x4xi32> {zcc.kind = "input", zcc.input = "i", zcc.sharding = [[], ["tensor"]]}) -> (tensor<8xbf16>, tensor<8xf32>) {
  // CHECK: %[[PRODUCT:.*]] = train.reduce {{.*}}partial = multiply
  // CHECK-NEXT: %[[WHOLE:.*]] = dist.reshard %[[PRODUCT]] {{.*}} : tensor<8xf32>
  // CHECK-NEXT: train.convert %[[WHOLE]]
  %product = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind multiply>} : (tensor<8x4xf32>) -> tensor<8xf32>
  %n = train.convert %product : (tensor<8xf32>) -> tensor<8xbf16>
  // CHECK: %[[MAX:.*]] = train.reduce {{.*}}partial = maximum
  // CHECK-NEXT: %[[REDUCED:.*]] = dist.reshard %[[MAX]] {{.*}} : tensor<8xi32>
  // CHECK-NEXT: train.convert %[[REDUCED]]
  %max = train.reduce %i {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<8x4xi32>) -> tensor<8xi32>
  %f = train.convert %max : (tensor<8xi32>) -> tensor<8xf32>
  return %n, %f : tensor<8xbf16>, tensor<8xf32>
}

// RUN: zcc-opt %s --zcc-split-reductions | FileCheck %s

// A large sum with one result: the inner dims first, then the outer one.
// CHECK-LABEL: @large
// CHECK: train.reduce %arg0 {dims = array<i64: 1, 2>, {{.*}} -> tensor<64xf32>
// CHECK: train.reduce {{.*}}dims = array<i64: 0>{{.*}} -> tensor<f32>
func.func @large(%a: tensor<64x16x64xf32>) -> tensor<f32> {
  %0 = train.reduce %a {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<64x16x64xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Narrow types are rounded once.
// CHECK-LABEL: @narrow
// CHECK: train.convert
// CHECK: train.reduce {{.*}} -> tensor<64xf32>
// CHECK: train.reduce {{.*}} -> tensor<f32>
// CHECK: train.convert {{.*}} -> tensor<bf16>
func.func @narrow(%a: tensor<64x1024xbf16>) -> tensor<bf16> {
  %0 = train.reduce %a {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<64x1024xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// Small sums, sums with many results, and what has no order are left alone.
// CHECK-LABEL: @alone
// CHECK-COUNT-3: train.reduce
// CHECK-NOT: train.reduce
func.func @alone(%a: tensor<4x8xf32>, %b: tensor<512x64x16xf32>, %c: tensor<64x1024xi32>) {
  %0 = train.reduce %a {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x8xf32>) -> tensor<f32>
  %1 = train.reduce %b {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<512x64x16xf32>) -> tensor<512xf32>
  %2 = train.reduce %c {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<64x1024xi32>) -> tensor<i32>
  return
}

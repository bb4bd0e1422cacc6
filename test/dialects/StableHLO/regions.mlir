// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops with regions, in pretty and in generic form.
// RUN: zcc-opt %s | FileCheck %s
// RUN: zcc-opt %s --mlir-print-op-generic | zcc-opt | FileCheck %s

// CHECK-LABEL: func.func @reduce
func.func @reduce(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>, %s: tensor<f32>, %c: tensor<i32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // The generic form of such a reduction is printed short.
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] :
  %1 = "stablehlo.reduce"(%a, %s) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%5) : (tensor<f32>) -> ()
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1] :
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[C:.*]]: tensor<i32>, %[[D:.*]]: tensor<i32>)
  // CHECK-NEXT: stablehlo.maximum %[[A]], %[[B]]
  %2:2 = stablehlo.reduce(%a init: %s), (%i init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%x: tensor<f32> loc("reduce:"), %y: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>)  {
    %5 = stablehlo.maximum %x, %y : tensor<f32>
    %6 = stablehlo.add %u, %v : tensor<i32>
    stablehlo.return %5, %6 : tensor<f32>, tensor<i32>
  }
  // CHECK: "stablehlo.sort"(%{{.*}}) <{dimension = 1 : i64, is_stable = true}>
  %3 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.reduce_window"
  %4 = "stablehlo.reduce_window"(%a, %s) <{window_dimensions = array<i64: 2, 2>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x7xf32>
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%n: tensor<i32>, %s: tensor<f32>, %p: tensor<i1>) {
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : tensor<i32>, tensor<f32>
  // CHECK-NEXT: cond {
  // CHECK: stablehlo.compare LT, %[[I]],
  // CHECK: } do {
  // CHECK-NEXT: %[[Y:.*]] = stablehlo.add %[[X]], %[[X]]
  // CHECK-NEXT: stablehlo.return %[[I]], %[[Y]]
  %0:2 = stablehlo.while(%iterArg = %n, %iterArg_0 = %s) : tensor<i32>, tensor<f32>
  cond {
    %2 = stablehlo.compare LT, %iterArg, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<f32>
    stablehlo.return %iterArg, %2 : tensor<i32>, tensor<f32>
  }
  // CHECK: "stablehlo.if"
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %0#1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @indexed
func.func @indexed(%a: tensor<256x128xf32>, %i: tensor<8x16x1xi32>, %u: tensor<8x16x128xf32>) {
  // CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 128>}>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 128>}> : (tensor<256x128xf32>, tensor<8x16x1xi32>) -> tensor<8x16x128xf32>
  // CHECK: #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>
  %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<256x128xf32>, tensor<8x16x1xi32>, tensor<8x16x128xf32>) -> tensor<256x128xf32>
  return
}

// RUN: zcc-opt %s --zcc-fold-empty --verify-diagnostics

func.func @main(%e: tensor<0x3xf32>, %i: tensor<4x1xi32>) -> tensor<4x3xf32> {
  // expected-error @below {{reads a tensor without elements, of which 'stablehlo.gather' has no result}}
  // expected-note @below {{leave it out where an extent is 0}}
  %0 = "stablehlo.gather"(%e, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 0, 3>}> : (tensor<0x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

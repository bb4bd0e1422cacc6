// Messages on a graph: edges gather their nodes, nodes sum their edges, graphs their nodes. Most inputs begin with the 8 graphs,
// most of the work runs along 96 edges and 40 nodes.
#edges = loc("b['edges']")
#nodes = loc("b['nodes']")
module @graph {
  func.func @main(%we: tensor<12x64xf32> loc("p['we']"), %we2: tensor<64x4xf32> loc("p['we2']"), %wn: tensor<8x64xf32> loc("p['wn']"), %wn2: tensor<64x4xf32> loc("p['wn2']"), %out: tensor<4x1xf32> loc("p['out']"), %e: tensor<96x4xf32> loc(#edges), %n: tensor<40x4xf32> loc(#nodes), %send: tensor<96xi32> loc("b['send']"), %recv: tensor<96xi32> loc("b['recv']"), %graph: tensor<40xi32> loc("b['graph']"), %globals: tensor<8x4xf32> loc("b['globals']"), %scale: tensor<8xf32> loc("b['scale']"), %bias: tensor<8xf32> loc("b['bias']"), %y: tensor<8xf32> loc("b['y']")) -> tensor<f32> {
    %zn = stablehlo.constant dense<0.0> : tensor<40x4xf32>
    %zg = stablehlo.constant dense<0.0> : tensor<8x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reshape %send : (tensor<96xi32>) -> tensor<96x1xi32>
    %r = stablehlo.reshape %recv : (tensor<96xi32>) -> tensor<96x1xi32>
    %g = stablehlo.reshape %graph : (tensor<40xi32>) -> tensor<40x1xi32>
    %0 = "stablehlo.gather"(%n, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<40x4xf32>, tensor<96x1xi32>) -> tensor<96x4xf32> loc("graph.py":10:1)
    %1 = "stablehlo.gather"(%n, %r) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<40x4xf32>, tensor<96x1xi32>) -> tensor<96x4xf32> loc("graph.py":11:1)
    %2 = stablehlo.concatenate %e, %0, %1, dim = 1 : (tensor<96x4xf32>, tensor<96x4xf32>, tensor<96x4xf32>) -> tensor<96x12xf32>
    %3 = stablehlo.dot_general %2, %we, contracting_dims = [1] x [0] : (tensor<96x12xf32>, tensor<12x64xf32>) -> tensor<96x64xf32> loc("graph.py":12:5)
    %4 = stablehlo.tanh %3 : tensor<96x64xf32> loc("graph.py":12:9)
    %5 = stablehlo.dot_general %4, %we2, contracting_dims = [1] x [0] : (tensor<96x64xf32>, tensor<64x4xf32>) -> tensor<96x4xf32> loc("graph.py":13:5)
    %6 = "stablehlo.scatter"(%zn, %r, %5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<40x4xf32>, tensor<96x1xi32>, tensor<96x4xf32>) -> tensor<40x4xf32> loc("graph.py":14:1)
    %7 = stablehlo.concatenate %n, %6, dim = 1 : (tensor<40x4xf32>, tensor<40x4xf32>) -> tensor<40x8xf32>
    %8 = stablehlo.dot_general %7, %wn, contracting_dims = [1] x [0] : (tensor<40x8xf32>, tensor<8x64xf32>) -> tensor<40x64xf32> loc("graph.py":15:5)
    %9 = stablehlo.tanh %8 : tensor<40x64xf32> loc("graph.py":15:9)
    %10 = stablehlo.dot_general %9, %wn2, contracting_dims = [1] x [0] : (tensor<40x64xf32>, tensor<64x4xf32>) -> tensor<40x4xf32> loc("graph.py":16:5)
    %11 = "stablehlo.scatter"(%zg, %g, %10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<40x1xi32>, tensor<40x4xf32>) -> tensor<8x4xf32> loc("graph.py":17:1)
    %12 = stablehlo.add %11, %globals : tensor<8x4xf32>
    %13 = stablehlo.dot_general %12, %out, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32> loc("graph.py":18:5)
    %14 = stablehlo.reshape %13 : (tensor<8x1xf32>) -> tensor<8xf32>
    %shifted = stablehlo.add %14, %bias : tensor<8xf32>
    %15 = stablehlo.subtract %shifted, %y : tensor<8xf32>
    %16 = stablehlo.multiply %15, %scale : tensor<8xf32>
    %17 = stablehlo.multiply %16, %16 : tensor<8xf32>
    %18 = stablehlo.reduce(%17 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %18 : tensor<f32>
  }
}

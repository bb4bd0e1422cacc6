func.func @main(%w0: tensor<96x192xf32> loc("params['w0']"), %w1: tensor<96x192xf32> loc("params['w1']"), %w2: tensor<96x192xf32> loc("params['w2']"), %u0: tensor<192x96xf32> loc("params['u0']"), %u1: tensor<192x96xf32> loc("params['u1']"), %u2: tensor<192x96xf32> loc("params['u2']"), %x: tensor<1x24x96xf32> loc("batch['x']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v1 = stablehlo.dot_general %x, %w0, contracting_dims = [2] x [0] : (tensor<1x24x96xf32>, tensor<96x192xf32>) -> tensor<1x24x192xf32>
  %v2 = stablehlo.tanh %v1 : tensor<1x24x192xf32>
  %v3 = stablehlo.dot_general %v2, %u0, contracting_dims = [2] x [0] : (tensor<1x24x192xf32>, tensor<192x96xf32>) -> tensor<1x24x96xf32>
  %v4 = stablehlo.add %x, %v3 : tensor<1x24x96xf32>
  %v5 = stablehlo.reduce(%v4 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<1x24x96xf32>, tensor<f32>) -> tensor<1x24xf32>
  %v6 = stablehlo.tanh %v5 : tensor<1x24xf32>
  %v7 = "stablehlo.reduce_window"(%v6, %z) <{padding = dense<[[0,0],[23,0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1,24>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x24xf32>, tensor<f32>) -> tensor<1x24xf32>
  %v8 = stablehlo.tanh %v7 : tensor<1x24xf32>
  %v9 = stablehlo.broadcast_in_dim %v8, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<1x24x96xf32>
  %v10 = stablehlo.add %v4, %v9 : tensor<1x24x96xf32>
  %v11 = stablehlo.dot_general %v10, %w1, contracting_dims = [2] x [0] : (tensor<1x24x96xf32>, tensor<96x192xf32>) -> tensor<1x24x192xf32>
  %v12 = stablehlo.tanh %v11 : tensor<1x24x192xf32>
  %v13 = stablehlo.dot_general %v12, %u1, contracting_dims = [2] x [0] : (tensor<1x24x192xf32>, tensor<192x96xf32>) -> tensor<1x24x96xf32>
  %v14 = stablehlo.add %v10, %v13 : tensor<1x24x96xf32>
  %v15 = stablehlo.reduce(%v14 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<1x24x96xf32>, tensor<f32>) -> tensor<1x24xf32>
  %v16 = stablehlo.tanh %v15 : tensor<1x24xf32>
  %v17 = "stablehlo.reduce_window"(%v16, %z) <{padding = dense<[[0,0],[23,0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1,24>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x24xf32>, tensor<f32>) -> tensor<1x24xf32>
  %v18 = stablehlo.tanh %v17 : tensor<1x24xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<1x24x96xf32>
  %v20 = stablehlo.add %v14, %v19 : tensor<1x24x96xf32>
  %v21 = stablehlo.dot_general %v20, %w2, contracting_dims = [2] x [0] : (tensor<1x24x96xf32>, tensor<96x192xf32>) -> tensor<1x24x192xf32>
  %v22 = stablehlo.tanh %v21 : tensor<1x24x192xf32>
  %v23 = stablehlo.dot_general %v22, %u2, contracting_dims = [2] x [0] : (tensor<1x24x192xf32>, tensor<192x96xf32>) -> tensor<1x24x96xf32>
  %v24 = stablehlo.add %v20, %v23 : tensor<1x24x96xf32>
  %v25 = stablehlo.reduce(%v24 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<1x24x96xf32>, tensor<f32>) -> tensor<1x24xf32>
  %v26 = stablehlo.tanh %v25 : tensor<1x24xf32>
  %v27 = "stablehlo.reduce_window"(%v26, %z) <{padding = dense<[[0,0],[23,0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1,24>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x24xf32>, tensor<f32>) -> tensor<1x24xf32>
  %v28 = stablehlo.tanh %v27 : tensor<1x24xf32>
  %v29 = stablehlo.broadcast_in_dim %v28, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<1x24x96xf32>
  %v30 = stablehlo.add %v24, %v29 : tensor<1x24x96xf32>
  %v31 = stablehlo.multiply %v30, %v30 : tensor<1x24x96xf32>
  %v32 = stablehlo.reduce(%v31 init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x24x96xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.constant dense<2304.0> : tensor<f32>
  %v33 = stablehlo.divide %v32, %n : tensor<f32>
  return %v33 : tensor<f32>
}

module {
  sdy.mesh @mesh = <["data"=2, "pipe"=4]>
  func.func public @main(%w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {}]>} loc("params['w']"), %x: tensor<16x8xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<16x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}

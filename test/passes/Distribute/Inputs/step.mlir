// A step of linear regression through tanh: one parameter, AdamW.
module {
  func.func @step(%arg0: tensor<8x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %arg1: tensor<8x4xf32> {zcc.kind = "slot", zcc.slot = "moment1", zcc.initial = 0.0 : f64, zcc.parameter = "w"}, %arg2: tensor<8x4xf32> {zcc.kind = "slot", zcc.slot = "moment2", zcc.initial = 0.0 : f64, zcc.parameter = "w"}, %arg3: tensor<16x8xf32> {zcc.input = "x", zcc.kind = "input"}, %arg4: tensor<16x4xf32> {zcc.input = "y", zcc.kind = "input"}, %arg5: tensor<16xf32> {zcc.kind = "hyper"}) -> (tensor<8x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<8x4xf32> {zcc.kind = "slot", zcc.slot = "moment1", zcc.initial = 0.0 : f64, zcc.parameter = "w"}, tensor<8x4xf32> {zcc.kind = "slot", zcc.slot = "moment2", zcc.initial = 0.0 : f64, zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}) {
    %0 = train.dot_general %arg3, %arg0 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %1 = train.tanh %0 {train.tag = "forward"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %2 = train.subtract %1, %arg4 {train.tag = "forward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %3 = train.multiply %2, %2 {train.tag = "forward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %4 = train.reduce %3 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<16x4xf32>) -> tensor<f32>
    %5 = train.constant {train.tag = "forward"} dense<6.400000e+01> : tensor<f32>
    %6 = train.divide %4, %5 {train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %7 = train.constant {train.tag = "backward"} dense<3.125000e-02> : tensor<16x4xf32>
    %8 = train.multiply %2, %7 {train.tag = "backward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %9 = train.multiply %1, %1 {train.tag = "backward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %10 = train.multiply %8, %9 {train.tag = "backward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %11 = train.subtract %8, %10 {train.tag = "backward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %12 = train.dot_general %arg3, %11 {lhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>, train.tag = "backward"} : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    dist.observe %12 {scaled = false, states = [@w], train.tag = "update"} : tensor<8x4xf32>
    %13 = train.constant {train.tag = "update"} dense<1.000000e+00> : tensor<f32>
    %14 = train.constant {train.tag = "update"} dense<true> : tensor<i1>
    %new_parameter, %new_moment1, %new_moment2 = train.update %arg0, %arg1, %arg2, %12, %arg5, %13, %14 {optimizer = "adamw", decay = true, train.tag = "update"} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    return %new_parameter, %new_moment1, %new_moment2, %6 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names come from the locations that JAX gives arguments; attributes win.
// RUN: zcc-opt %s --split-input-file --zcc-name-arguments | FileCheck %s
// RUN: zcc-opt %s --split-input-file --zcc-name-arguments=parameters=2 | FileCheck %s --check-prefix=COUNT

// CHECK: @main(%{{.*}}: tensor<f32> {zcc.parameter = "blocks.0.attn.wo"}, %{{.*}}: tensor<f32> {zcc.parameter = "layers.0.w"}, %{{.*}}: tensor<f32> {zcc.parameter = "3"},
// CHECK-SAME: tensor<4xi32> {zcc.input = "x"}, %{{.*}}: tensor<2xui32> {zcc.input = "seed"})
// CHECK-SAME: -> (tensor<f32> {jax.result_info = "result[0]", zcc.result = "loss"}, tensor<f32> {jax.result_info = "result[1]['acc']", zcc.result = "acc"}, tensor<i32> {zcc.result = "metric2"})
func.func public @main(%a: tensor<f32> loc("params['blocks'][0]['attn']['wo']"), %b: tensor<f32> loc("params.layers[0].w"), %c: tensor<f32> loc("params[<flat index 3>]"),
    %x: tensor<4xi32> loc("batch['x']"), %s: tensor<2xui32> loc("seed"))
    -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]['acc']"}, tensor<i32>) {
  %n = stablehlo.constant dense<0> : tensor<i32>
  return %a, %b, %n : tensor<f32>, tensor<f32>, tensor<i32>
}

// -----
// A single array has the name of its Python argument. With a number of parameters, names stay.
// CHECK: @main(%{{.*}}: tensor<f32> {zcc.parameter = "w"}, %{{.*}}: tensor<f32> {zcc.input = "v"}, %{{.*}}: tensor<f32> {zcc.input = "x"})
// COUNT: @main(%{{.*}}: tensor<f32> {zcc.parameter = "w"}, %{{.*}}: tensor<f32> {zcc.parameter = "v"}, %{{.*}}: tensor<f32> {zcc.input = "x"})
func.func public @main(%a: tensor<f32> loc("w"), %b: tensor<f32> loc("v"), %x: tensor<f32> loc("x")) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----
// CHECK: @main(%{{.*}}: tensor<f32> {zcc.input = "x"}, %{{.*}}: tensor<f32> {zcc.parameter = "p"}, %{{.*}}: tensor<f32> {zcc.parameter = "q"})
func.func public @main(%a: tensor<f32> {zcc.input = "x"} loc("params['a']"), %b: tensor<f32> {zcc.parameter = "p"}, %c: tensor<f32> loc("weights['q']")) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----
// An input of a key's type that is called key is one, and so is an argument that is marked, wherever it stands.
// CHECK: @main(%{{.*}}: tensor<2xui32> {zcc.input = "rng", zcc.key}, %{{.*}}: tensor<f32> {zcc.parameter = "w"}, %{{.*}}: tensor<2xui32> {zcc.input = "key", zcc.key})
func.func public @main(%r: tensor<2xui32> {zcc.key} loc("rng"), %w: tensor<f32> loc("params['w']"), %k: tensor<2xui32> loc("batch['key']")) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----
// Another type, or another name, is none; a marked one without a name is called key.
// CHECK: @main(%{{.*}}: tensor<f32> {zcc.parameter = "w"}, %{{.*}}: tensor<4xui32> {zcc.input = "key"}, %{{.*}}: tensor<2xui32> {zcc.input = "seed"})
func.func public @main(%w: tensor<f32> loc("params['w']"), %k: tensor<4xui32> loc("key"), %s: tensor<2xui32> loc("seed")) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----
// CHECK: @main(%{{.*}}: tensor<f32> {zcc.parameter = "w"}, %{{.*}}: tensor<2xui32> {zcc.input = "key", zcc.key})
func.func public @main(%w: tensor<f32> {zcc.parameter = "w"}, %k: tensor<2xui32> {zcc.key}) -> tensor<f32> {
  return %w : tensor<f32>
}

// RUN: zcc-opt %s --zcc-split-init --verify-diagnostics --split-input-file | FileCheck %s

// Each state takes its part of the file tensor, in its type.
dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @"w#0" : tensor<4xbf16> {extent = array<i64: 1, 4>, file_type = tensor<2x4xf32>, kind = "parameter", parameter = "w", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64, start = array<i64: 0, 0>}
dist.state @"w#1:master" : tensor<4xf32> {extent = array<i64: 1, 4>, file_type = tensor<2x4xf32>, kind = "master", parameter = "w", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64, start = array<i64: 1, 0>}
dist.state @"w#1:moment1" : tensor<4xf32> {extent = array<i64: 1, 4>, file_type = tensor<2x4xf32>, kind = "slot", own_name = "moment1", initial = 0.0 : f64, parameter = "w", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64, start = array<i64: 1, 0>}
// CHECK-LABEL: func.func @init
// CHECK-SAME: {dist.key}) -> (tensor<4xbf16> {dist.state = "w#0"}, tensor<4xf32> {dist.state = "w#1:master"}) attributes {dist.stage = 0 : i64, dist.task = "init"}
// CHECK: train.slice {{.*}}start = array<i64: 0, 0>
// CHECK: train.convert {{.*}} -> tensor<4xbf16>
// CHECK: train.slice {{.*}}start = array<i64: 1, 0>
func.func @init(%key: tensor<2xui32>) -> (tensor<2x4xf32> {zcc.parameter = "w"}) {
  %0 = train.constant dense<1.0> : tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @w : tensor<4xf32> {extent = array<i64: 4>, file_type = tensor<4xf32>, kind = "parameter", parameter = "w", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64, start = array<i64: 0>}
// expected-error @below {{@init gives no value to parameter 'w'}}
func.func @init(%key: tensor<2xui32>) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{@init gives a value to 'w', which is no parameter}}
func.func @init(%key: tensor<2xui32>) -> (tensor<f32> {zcc.parameter = "w"}) {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @w : tensor<4xf32> {extent = array<i64: 4>, file_type = tensor<4xf32>, kind = "parameter", parameter = "w", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64, start = array<i64: 0>}
// expected-error @below {{@init gives parameter 'w' the type 'tensor<f32>', expected the shape of 'tensor<4xf32>'}}
func.func @init(%key: tensor<2xui32>) -> (tensor<f32> {zcc.parameter = "w"}) {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

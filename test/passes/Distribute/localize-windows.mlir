// RUN: zcc-opt %s --zcc-verify-sharded --zcc-partition | FileCheck %s

#rows = #dist.sharding<@mesh, [{"x"}]>
#padded = #dist.sharding<@mesh, [{"x"}], padded = [6]>
#image = #dist.sharding<@mesh, [{}, {"x"}, {}]>
#kernel = #dist.sharding<@mesh, [{}, {}, {}]>
dist.mesh @mesh [#dist.axis<"x" = 2>]

// A device gets one row of each neighbor, zeros beyond the image, and pads no more.
// CHECK-LABEL: @convolution
// CHECK: %[[BOX:.*]] = dist.exchange_boxes %arg0 {axes = ["x"]{{.*}} shape = array<i64: 1, 8, 2>
// CHECK-SAME: why = "train.convolution needs its neighbors' edges in dim 1, a halo of 1 and 1", windows = array<i64: 0, 1, 1, 0, 1, 4, 1, 1, -1, 6, 0, 1, 1, 0, 2>
// CHECK-SAME: (tensor<1x4x2xf32>) -> tensor<1x6x2xf32>
// CHECK: train.convolution %[[BOX]], {{.*}}pad_high = array<i64: 0>, pad_low = array<i64: 0>{{.*}} -> tensor<1x4x2xf32>
func.func @convolution(%a: tensor<1x8x2xf32> {dist.sharding = #image}, %k: tensor<3x2x2xf32> {dist.sharding = #kernel}) {
  %c = train.convolution %a, %k {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, reversal = array<i1: false>, input_dims = array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, 2, 0>, output_dims = array<i64: 0, 2, 1>, dist.shardings = [#image]} : (tensor<1x8x2xf32>, tensor<3x2x2xf32>) -> tensor<1x8x2xf32>
  return
}

// A window that has all of its elements at hand moves nothing.
// CHECK-LABEL: @pooling
// CHECK-NOT: exchange
// CHECK: train.reduce_window %arg0 {{.*}} : (tensor<4xf32>) -> tensor<2xf32>
func.func @pooling(%a: tensor<8xf32> {dist.sharding = #rows}) {
  %c = train.reduce_window %a {window = array<i64: 2>, strides = array<i64: 2>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, kind = #train<reduce_kind maximum>, dist.shardings = [#rows]} : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// Beyond the dim there is the identity, not zero.
// CHECK-LABEL: @maximum
// CHECK: %[[BOX:.*]] = dist.exchange_boxes %arg0 {{.*}}halo of 1 and 1{{.*}} -> tensor<6xf32>
// CHECK: %[[INDEX:.*]] = train.iota %{{.*}} : (tensor<i32>) -> tensor<6xi32>
// CHECK: train.compare %[[INDEX]], {{.*}}direction GE
// CHECK: train.compare %[[INDEX]], {{.*}}direction LT
// CHECK: %[[MASKED:.*]] = train.select %{{.*}}, %[[BOX]], %{{.*}}
// CHECK: train.reduce_window %[[MASKED]]
func.func @maximum(%a: tensor<8xf32> {dist.sharding = #rows}) {
  %c = train.reduce_window %a {window = array<i64: 3>, strides = array<i64: 1>, base_dilation = array<i64: 1>, window_dilation = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>, kind = #train<reduce_kind maximum>, dist.shardings = [#rows]} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// The whole slice is on one device: each gets its part.
// CHECK-LABEL: @slice
// CHECK: dist.exchange_boxes %arg0 {{.*}}windows = array<i64: 2, 1, 1, 4, 2>{{.*}} : (tensor<4xf32>) -> tensor<2xf32>
func.func @slice(%a: tensor<8xf32> {dist.sharding = #rows}) {
  %c = train.slice %a {start = array<i64: 4>, limit = array<i64: 8>, stride = array<i64: 1>, dist.shardings = [#rows]} : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// Holes lie differently for each device: one more position is computed, and the device's three are cut out.
// CHECK-LABEL: @holes
// CHECK: dist.exchange_boxes %arg0 {{.*}}windows = array<i64: 3, 2, 1, 0, 2>{{.*}} -> tensor<2xf32>
// CHECK: %[[ALL:.*]] = train.pad {{.*}}interior = array<i64: 1>{{.*}} -> tensor<4xf32>
// CHECK: train.dynamic_slice %[[ALL]], {{.*}} -> tensor<3xf32>
func.func @holes(%a: tensor<3xf32> {dist.sharding = #dist.sharding<@mesh, [{"x"}], padded = [4]>}, %z: tensor<f32> {dist.sharding = #dist.sharding<@mesh, []>}) {
  %c = train.pad %a, %z {low = array<i64: 0>, high = array<i64: 0>, interior = array<i64: 1>, dist.shardings = [#padded]} : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: @concatenate
// CHECK: %[[A:.*]] = dist.exchange_boxes %arg0 {{.*}} -> tensor<4xf32>
// CHECK: %[[B:.*]] = dist.exchange_boxes %arg1 {{.*}} -> tensor<4xf32>
// CHECK: train.select %{{.*}}, %[[A]], %[[B]]
func.func @concatenate(%a: tensor<6xf32> {dist.sharding = #rows}, %b: tensor<2xf32> {dist.sharding = #rows}) {
  %c = train.concatenate %a, %b {dim = 0 : i64, dist.shardings = [#rows]} : (tensor<6xf32>, tensor<2xf32>) -> tensor<8xf32>
  return
}

// Shards are scanned, and the totals of those before are added.
// CHECK-LABEL: @cumulative
// CHECK: %[[OWN:.*]] = train.cumulative %arg0
// CHECK: %[[TOTAL:.*]] = train.slice %[[OWN]] {{.*}}limit = array<i64: 4>, start = array<i64: 3>
// CHECK: %[[ALL:.*]] = dist.all_gather %[[TOTAL]] {{.*}} -> tensor<2xf32>
// CHECK: %[[BEFORE:.*]] = train.select %{{.*}}, %[[ALL]]
// CHECK: train.reduce %[[BEFORE]]
// CHECK: train.add %{{.*}}, %[[OWN]]
func.func @cumulative(%a: tensor<8xf32> {dist.sharding = #rows}) {
  %c = train.cumulative %a {dim = 0 : i64, kind = #train<reduce_kind add>, dist.shardings = [#rows]} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

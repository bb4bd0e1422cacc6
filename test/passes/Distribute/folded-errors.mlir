// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-verify-sharded --split-input-file --verify-diagnostics

dist.mesh @mesh [#dist.axis<"context" = 2>]
func.func @step(%q: tensor<8x2x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"context"}, {}, {}]>}) {
  // expected-error @+1 {{expected a sequence of 8 elements that is folded over 4 devices to be split over as many, found 2}}
  %o, %l = train.attention %q, %q, %q {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, train.ring, dist.folded = 4 : i64, dist.shardings = [#dist.sharding<@mesh, [{"context"}, {}, {}]>, #dist.sharding<@mesh, [{"context"}, {}]>], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>) -> (tensor<8x2x4xf32>, tensor<8x2xf32>)
  return
}

// -----

dist.mesh @mesh [#dist.axis<"context" = 2>]
func.func @step(%q: tensor<8x2x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>}) {
  // expected-error @+1 {{expected 'dist.folded' to be the devices of a ring, found 2 : i64}}
  %o = train.tanh %q {dist.folded = 2 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}]>]} : (tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  return
}

// -----

// Two origins are two stripes of queries and of keys.
func.func @step(%q: tensor<5x2x4xf32>, %o: tensor<2xi32>, %b: tensor<i32>, %m: tensor<5x2xf32>) {
  // expected-error @+1 {{expected two origins, two equal stripes of queries and of keys, no bias and no mask in a folded sequence, found 5 queries, 5 keys of 10 and 'tensor<2xi32>'}}
  %0:3 = train.attention_block %q, %q, %q, %o, %b, %m, %m, %q {after = 0 : i64, all_keys = 10 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 1, 1, 1>} : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<2xi32>, tensor<i32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2x4xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2x4xf32>)
  return
}

// RUN: zcc-opt %s --split-input-file --zcc-shard-step --zcc-verify-sharded --verify-diagnostics | FileCheck %s

// What a plan pins is a fixed point: an op's factors ("AXES/EXTENT" each), an argument's dims. The rest follows from it.
dist.mesh @mesh [#dist.axis<"x" = 2>]
// CHECK-LABEL: @step
// CHECK: train.exponential %{{.*}}dist.shardings = [#dist.sharding<@mesh, [{}, {"x"}]>]
// CHECK: train.negate %{{.*}}dist.shardings = [#dist.sharding<@mesh, [{}, {"x"}]>]
func.func @step(%a: tensor<4x6xf32> {zcc.kind = "input", zcc.input = "a"}) -> (tensor<4x6xf32> {zcc.kind = "output"}) {
  %0 = train.exponential %a {dist.pinned = ["/4", "x/6"]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = train.negate %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"x" = 2>]
// CHECK-LABEL: @step
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, [{"x"}, {}]>
// CHECK: train.exponential %{{.*}}dist.shardings = [#dist.sharding<@mesh, [{"x"}, {}]>]
func.func @step(%a: tensor<4x6xf32> {zcc.kind = "input", zcc.input = "a", dist.pinned = ["x/4", "/6"]}) -> (tensor<4x6xf32> {zcc.kind = "output"}) {
  %0 = train.exponential %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"x" = 2>]
func.func @step(%a: tensor<4x6xf32> {zcc.kind = "input", zcc.input = "a"}) -> (tensor<4x6xf32> {zcc.kind = "output"}) {
  // expected-error@+1 {{the plan's shards ["/4", "y/6"] do not fit the op}}
  %0 = train.exponential %a {dist.pinned = ["/4", "y/6"]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

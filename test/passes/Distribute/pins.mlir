// Pins of a plan are fixed points: the factors of an op, the dims of an argument, by name. The rest follows from them.
// RUN: rm -rf %t && split-file %s %t
// RUN: zcc %t/step.mlir --quiet --compile-from=step --compile-to=sharded --plan %t/op.plan -o - | FileCheck %s --check-prefix=OP
// RUN: zcc %t/step.mlir --quiet --compile-from=step --compile-to=sharded --plan %t/argument.plan -o - | FileCheck %s --check-prefix=ARGUMENT
// RUN: not zcc %t/step.mlir --quiet --compile-from=step --compile-to=sharded --plan %t/axis.plan -o - 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not zcc %t/step.mlir --quiet --compile-from=step --compile-to=sharded --plan %t/extent.plan -o - 2>&1 | FileCheck %s --check-prefix=EXTENT

// OP: train.exponential %{{.*}}dist.shardings = [#dist.sharding<@mesh, [{}, {"x"}]>]
// OP: train.negate %{{.*}}dist.shardings = [#dist.sharding<@mesh, [{}, {"x"}]>]

// ARGUMENT: dist.sharding = #dist.sharding<@mesh, [{"x"}, {}]>
// ARGUMENT: train.exponential %{{.*}}dist.shardings = [#dist.sharding<@mesh, [{"x"}, {}]>]

// AXIS: axis.plan:2:1: error: ops: the mesh has no axis 'y'
// EXTENT: extent.plan:2:1: error: the plan's shards ["/4", "x/5"] do not fit the op

//--- op.plan
mesh { name: "x" size: 2 }
ops { name: "train.exponential m.py:1" shards: "/4" shards: "x/6" }
values { name: "a" shape: [4, 6] input: true }
values { name: "s" input: true }

//--- argument.plan
mesh { name: "x" size: 2 }
arguments { name: "a" shards: "x/4" shards: "/6" }
values { name: "a" shape: [4, 6] input: true }
values { name: "s" input: true }

//--- axis.plan
mesh { name: "x" size: 2 }
ops { name: "train.exponential m.py:1" shards: "/4" shards: "y/6" }
values { name: "a" shape: [4, 6] input: true }
values { name: "s" input: true }

//--- extent.plan
mesh { name: "x" size: 2 }
ops { name: "train.exponential m.py:1" shards: "/4" shards: "x/5" }
values { name: "a" shape: [4, 6] input: true }
values { name: "s" input: true }

//--- step.mlir
#one = loc("m.py":1:1)
#two = loc("m.py":2:1)
func.func @step(%a: tensor<4x6xf32> {zcc.kind = "input", zcc.input = "a"}, %s: tensor<f32> {zcc.kind = "input", zcc.input = "s"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}, tensor<4x6xf32> {zcc.kind = "output", zcc.output = "metric", zcc.result = "r"}) {
  %0 = train.exponential %a {train.tag = "forward"} : (tensor<4x6xf32>) -> tensor<4x6xf32> loc(#one)
  %1 = train.negate %0 {train.tag = "forward"} : (tensor<4x6xf32>) -> tensor<4x6xf32> loc(#two)
  return %s, %1 : tensor<f32>, tensor<4x6xf32>
}

// Pins stand for what they name: the plan of a training step serves its evaluation program, another optimizer and other precisions, which have other arguments
// and ops. `tanh` is whole in the plan but for its rows, which roles would not do, and the second product comes from shards of its rows alone.
// RUN: rm -rf %t && split-file %s %t
// RUN: zcc %t/m.mlir --quiet --plan %t/p.plan --compile-to=sharded -o %t/f32.mlir --plan-out %t/out.plan
// RUN: FileCheck %s --input-file=%t/f32.mlir
// RUN: zcc %t/m.mlir --quiet --plan %t/p.plan --compile-to=sharded -o - --optimizer=forward | FileCheck %s
// RUN: zcc %t/m.mlir --quiet --plan %t/p.plan --compile-to=sharded -o - --optimizer=sgd | FileCheck %s
// RUN: zcc %t/m.mlir --quiet --plan %t/p.plan --compile-to=sharded -o - --precision=bf16 | FileCheck %s
// RUN: zcc %t/m.mlir --quiet --plan %t/p.plan --compile-to=sharded -o - --precision=f16 | FileCheck %s
// RUN: zcc %t/m.mlir --quiet --plan %t/p.plan --compile-to=sharded -o - --freeze=w | FileCheck %s
// Roles alone do otherwise.
// RUN: zcc %t/m.mlir --quiet --mesh=data=2,tensor=2 --compile-to=sharded -o - | FileCheck %s --check-prefix=ROLES

// --plan-out writes the same plan that --plan read, by name.
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t/out.plan
// RUN: zcc %t/m.mlir --quiet --plan %t/out.plan --compile-to=sharded -o %t/again.mlir --plan-out %t/again.plan
// RUN: cmp %t/out.plan %t/again.plan
// RUN: cmp %t/f32.mlir %t/again.mlir

// A pin of the backward pass whose op has other factors in this program is left out with a word.
// RUN: sed 's/backward" shards: "\/8"/backward" shards: "\/7"/' %t/p.plan > %t/other.plan
// RUN: zcc %t/m.mlir --quiet --plan %t/other.plan --compile-to=sharded -o %t/x.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: FileCheck %s --input-file=%t/x.mlir
// OTHER: other.plan:8:1: warning: no 'train.dot_general m.py:3 backward' of this program has such factors: the pin is left out

// --explain says which values are pinned.
// RUN: zcc %t/m.mlir --plan %t/p.plan --explain v --explain w --explain m.py:3#0 --explain plan | FileCheck %s --check-prefix=EXPLAIN "--implicit-check-not=role 'tensor'" --implicit-check-not=--microbatches

// CHECK: train.tanh {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"data"}, {}]>]{{.*}}train.tag = "forward"
// CHECK: train.dot_general {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"data"}, {}]>]{{.*}}train.tag = "forward"
// ROLES: train.tanh {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"data"}, {"tensor"}]>]

// OUT: arguments { name: "v" shards: "/16" shards: "tensor/32" }
// OUT-NEXT: arguments { name: "w" shards: "/32" shards: "/8" }
// OUT-NEXT: ops { name: "train.tanh m.py:2" shards: "data/4" shards: "/32" }
// OUT-NEXT: ops { name: "train.dot_general m.py:3" shards: "/32" shards: "data/4" shards: "/8" }
// OUT-NEXT: ops { name: "train.dot_general m.py:3 backward" shards: "/8" shards: "data/4" shards: "/32" }
// OUT-NEXT: ops { number: 1 name: "train.dot_general m.py:3 backward" shards: "data/4" shards: "/32" shards: "/8" }

// EXPLAIN: v: parameter tensor<16x32xf32>
// EXPLAIN-NEXT: sharding: split over tensor in dim 1{{$}}
// EXPLAIN-NEXT: over tensor: pinned by the plan
// EXPLAIN: instead, all that follows and has no pin decided anew:
// EXPLAIN-NEXT: -,-
// EXPLAIN: w: parameter tensor<32x8xf32>
// EXPLAIN-NEXT: sharding: whole on every device{{$}}
// EXPLAIN-NEXT: whole: pinned by the plan
// EXPLAIN: m.py:3#0: train.dot_general
// EXPLAIN: over data: pinned by the plan
// EXPLAIN: plan: data=2,tensor=2
// EXPLAIN: pins: of the plan's file, 4 ops and 2 parameters and inputs; they overrule roles
// EXPLAIN: other options would change that by:
// EXPLAIN-NEXT: --zero 0

//--- p.plan
mesh { name: "data" size: 2 }
mesh { name: "tensor" size: 2 }
zero: 1
arguments { name: "w" shards: "/32" shards: "/8" }
arguments { name: "v" shards: "/16" shards: "tensor/32" }
ops { name: "train.tanh m.py:2" shards: "data/4" shards: "/32" }
ops { name: "train.dot_general m.py:3" shards: "/32" shards: "data/4" shards: "/8" }
ops { name: "train.dot_general m.py:3 backward" shards: "/8" shards: "data/4" shards: "/32" }
ops { number: 1 name: "train.dot_general m.py:3 backward" shards: "data/4" shards: "/32" shards: "/8" }
values { name: "v" shape: [16, 32] }
values { name: "w" shape: [32, 8] }
values { name: "x" shape: [4, 16] input: true }
//--- m.mlir
func.func @main(%v: tensor<16x32xf32> loc("params['v']"), %w: tensor<32x8xf32> loc("params['w']"), %x: tensor<4x16xf32> loc("batch['x']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32> loc("m.py":1:1)
  %1 = stablehlo.tanh %0 : tensor<4x32xf32> loc("m.py":2:1)
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32> loc("m.py":3:1)
  %3 = stablehlo.multiply %2, %2 : tensor<4x8xf32> loc("m.py":4:1)
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32> loc("m.py":5:1)
  return %4 : tensor<f32>
}

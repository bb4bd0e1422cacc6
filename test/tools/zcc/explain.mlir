// Why values, collectives and plans are as they are. Without -o nothing is written.
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: zcc %t/m.mlir --mesh=data=2,tensor=2 --zero=3 --explain wi --explain x | FileCheck %s
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: zcc %t/m.mlir --mesh=data=2,tensor=2 --explain m.py:12 | FileCheck %s --check-prefix=LINE
// RUN: zcc %t/m.mlir --mesh=data=2,tensor=2 --explain 'm.py:1?#0' | FileCheck %s --check-prefix=ONE
// RUN: zcc %t/m.mlir --mesh=data=2 --shard='wi=data,-' --explain 'w?' | FileCheck %s --check-prefix=OPTION
// RUN: zcc %t/m.mlir --mesh=data=2,tensor=2 --explain plan | FileCheck %s --check-prefix=PLAN
// RUN: zcc %t/m.mlir --mesh=4 --explain plan | FileCheck %s --check-prefix=BARE
// RUN: not zcc %t/m.mlir --mesh=data=2 --explain wj -o %t/m.zexe 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: not zcc %t/m.mlir --explain wi --compile-to=step 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: zcc %t/m.mlir --mesh=data=2 --explain wi --quiet -o %t/m.zexe | FileCheck %s --check-prefix=QUIET
// RUN: ls %t/m.zexe

// FILES: m.mlir
// FILES-NOT: m.zexe

// CHECK: wi: parameter tensor<16x64xf32>
// CHECK-NEXT: sharding: split over tensor in dim 1; as an option: --shard 'wi=-,tensor'
// CHECK-NEXT: over tensor: role 'tensor': {{.*}} moves least for the work that it divides, 512 B for 42.24 kflop
// CHECK-NEXT: stored: split over {{.*}} (ZeRO 3), gathered where it is read
// CHECK: moment1: split over
// CHECK: instead, all that follows decided anew:
// CHECK-NEXT: {{^}}    -,- {{.*}} a step (compute +{{.*}}, communication {{.*}}), {{.*}} a device
// CHECK: other stages of ZeRO
// CHECK-NEXT: --zero 0
// CHECK-NEXT: --zero 1
// CHECK: parameter moves: {{.*}} -> split over tensor in dim 1
// CHECK-NEXT: needed so by train.dot_general at m.py:10{{.*}}; about {{.*}} a step
// CHECK-NEXT: without it, state less split (--zero 2): {{.*}} a step
// CHECK: gradient moves: {{.*}}each device of data has a part of the sum
// CHECK: without it, each device computing all of it: +{{.*}} a step
// CHECK: collectives in the program:
// CHECK: all-gather over data of parameter, {{(forward|backward)}}: 2.05 kB{{.*}} a step
// CHECK-NEXT: train.dot_general needs it split over tensor in dim 1
// CHECK: x: input tensor<8x16xf32>
// CHECK-NEXT: sharding: split over data in dim 0; as an option: --shard 'x=data,-'
// CHECK-NEXT: over data: role 'data': the first dim of inputs is the batch

// LINE: m.py:12#{{.*}}: train.dot_general
// LINE: over data: carried from
// LINE-SAME: (role 'data': the first dim of inputs is the batch)
// LINE: over tensor: carried from
// LINE-SAME: (role 'tensor'
// LINE: value moves: {{.*}}each device of tensor has a part of the sum
// LINE-NEXT: needed so by
// LINE-NEXT: without it, with no sum split up: {{.*}} a step
// LINE: collectives in the program:
// LINE-NEXT: over tensor of activation, forward

// ONE: m.py:10#0: train.dot_general
// ONE: for the backward pass: it reads nothing of this, or what is next to free to compute again
// ONE-NOT: m.py:10#1
// ONE: m.py:11#0: train.tanh
// ONE: for the backward pass, all else as it is:
// ONE-NEXT: train.tanh tensor<4x32xf32>: kept, 512 B; computed again instead: -512 B, +{{.*}} us a step

// OPTION: wi: parameter
// OPTION: over data: --shard=wi=data,-
// OPTION: wo: parameter
// OPTION-NEXT: sharding: whole on every device

// PLAN: plan: data=2,tensor=2, ZeRO 1, 1 microbatch
// PLAN: axes are named
// PLAN: simulated: {{.*}} a step
// PLAN: memory: {{.*}} a device
// PLAN-NEXT: 1 GB more would save nothing: all is kept for the backward pass that is worth it
// PLAN-NEXT: 1 GB less would cost nothing: {{.*}} are not in use
// PLAN: batch: split over data
// PLAN-NEXT: state: ZeRO 1, split over data
// PLAN-NEXT: tensor: dims of parameters
// PLAN-NEXT: {{wi dim 1 and 1 more|wo dim 0 and 1 more}} moves {{.*}} divides {{.*}} sharded
// PLAN: over data:
// PLAN: estimate: {{.*}} a step
// PLAN: --zero 0
// PLAN: --zero 3
// PLAN: --microbatches 2

// BARE: plan: {{.*}}=
// BARE: chosen among
// BARE: zero micro
// BARE: {{^}}  * {{(data|tensor|data=2,tensor)}}=
// BARE: why: of those that fit

// NAME: error: --explain: no parameter, input or location is called 'wj'; near are 'wi', 'wo', 'x'
// EARLY: error: --explain: what it explains is decided at phase sharded

// QUIET: wi: parameter
// QUIET-NOT: compiled in

#loc10 = loc("m.py":10:0)
#loc11 = loc("m.py":11:0)
#loc12 = loc("m.py":12:0)
#loc13 = loc("m.py":13:0)
func.func @main(%wi: tensor<16x64xf32> loc("params['wi']"), %wo: tensor<64x16xf32> loc("params['wo']"), %x: tensor<8x16xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %wi, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32> loc(#loc10)
  %1 = stablehlo.tanh %0 : tensor<8x64xf32> loc(#loc11)
  %2 = stablehlo.dot_general %1, %wo, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32> loc(#loc12)
  %3 = stablehlo.multiply %2, %2 : tensor<8x16xf32> loc(#loc13)
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32> loc(#loc13)
  return %4 : tensor<f32>
}

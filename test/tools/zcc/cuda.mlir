// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for GPUs: PTX, one text for each kind of device, no newer than the device; the plan is for h100-dgx where none is named.
// RUN: zcc %s --target=cuda --disable=libraries --ptxas=none --cuda-arch=sm_80,sm_100 -o %t.zexe | FileCheck %s --check-prefix=PLAN
// RUN: FileCheck %s --input-file=%t.zexe --implicit-check-not=approx --implicit-check-not=.ftz --implicit-check-not=.local
// RUN: zcc %s --target=cuda --disable=libraries --ptxas=none --cuda-arch=sm_80,sm_100 --quiet -o %t.again.zexe --report - | FileCheck %s --check-prefix=REPORT
// RUN: cmp %t.zexe %t.again.zexe
// RUN: zcc %s --target=cuda --disable=libraries --ptxas=none --machine=a100-dgx --cuda-arch=host --quiet -o %t.host.zexe --report - | FileCheck %s --check-prefix=NAMED

// PLAN: mesh {{.*}}h100-dgx by default)
// REPORT: "machine": "h100-dgx"
// REPORT: "machine_by_default": true
// NAMED-NOT: machine_by_default
// NAMED: "machine": "a100-dgx"
// NAMED-NOT: machine_by_default

// CHECK: .version 7.0
// CHECK-NEXT: .target sm_80
// CHECK-NEXT: .address_size 64

// A product: tiles in shared memory, chains of fused multiply-adds; the bias is added apart.
// CHECK: .extern .shared .align 16 .b8 k0_dot_general_shared[];
// CHECK: .visible .entry k0_dot_general(
// CHECK: .param .u64 .ptr .global .align 1 k0_dot_general_param_0
// CHECK: .reqntid
// CHECK: mov.u32 {{.*}}, %tid.x;
// CHECK: mov.u32 {{.*}}, %ctaid.x;
// CHECK: ld.param.b64
// CHECK: ld.global.nc.b64
// CHECK: bar.sync 0;
// CHECK: ld.shared.v4.b32
// CHECK: fma.rn.f32
// CHECK: add.rn.f32

// Rows: sixteen lanes, combined by shuffles.
// CHECK: .entry k{{[0-9]+}}_reduce
// CHECK: shfl.sync.idx.b32 {{.*}}, 31, -1;
// CHECK: st.global.b32

// Columns of more than 64 rows: sums in shared memory.
// CHECK: .extern .shared .align 16 .b8 k{{[0-9]+}}_reduce_shared[];
// CHECK: .entry k{{[0-9]+}}_reduce
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32

// The optimizer's formula: four elements a thread, IEEE division and root.
// CHECK: .entry k{{[0-9]+}}_adamw
// CHECK: ld.global.v4.b32
// CHECK: sqrt.rn.f32
// CHECK: div.rn.f32
// CHECK: st.global.v4.b32

// CHECK: .version 8.6
// CHECK-NEXT: .target sm_100
module {
  func.func public @main(%w: tensor<512x512xf32> loc("params['w']"), %b: tensor<512xf32> loc("params['b']"), %x: tensor<128x512xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<512xf32>) -> tensor<128x512xf32>
    %2 = stablehlo.add %0, %1 : tensor<128x512xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<128x512xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
}

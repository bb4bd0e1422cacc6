// The machine goes with the module from phase `sharded` on: its memory is the budget, and another one is a contradiction.
// RUN: split-file %s %t
// RUN: zcc %t/m.mlir --quiet --machine=h100-dgx --mesh=data=16 --compile-to=sharded -o %t/sharded.mlir
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t/sharded.mlir
// RUN: zcc %t/sharded.mlir --quiet --compile-from=sharded -o %t/x.zexe --report - | FileCheck %s --check-prefix=REPORT
// RUN: zcc %t/sharded.mlir --quiet --compile-from=sharded --machine=h100-dgx -o %t/x.zexe
// RUN: not zcc %t/sharded.mlir --quiet --compile-from=sharded --machine=a100-dgx -o %t/y.zexe 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: zcc %t/m.mlir --quiet --machine=%t/small.textproto --mesh=data=2 -o %t/x.zexe --report - | FileCheck %s --check-prefix=FILE
// RUN: not zcc %t/m.mlir --quiet --machine=%t/small.textproto -o %t/y.zexe 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: zcc %t/m.mlir --quiet --machine=%t/small.textproto --memory=100TB -o %t/x.zexe
// RUN: not zcc %t/m.mlir --machine=h100 -o %t/y.zexe 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not zcc %t/m.mlir --machine=%t/wrong.textproto -o %t/y.zexe 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not zcc %t/m.mlir --machine=%t/alone.textproto --mesh=data=2 -o %t/y.zexe 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: not zcc %t/m.mlir --machine=%t/alone.textproto --mesh=2 -o %t/y.zexe 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: zcc %t/m.mlir --quiet --machine=%t/alone.textproto -o %t/x.zexe
// RUN: not test -e %t/y.zexe
// RUN: zcc %t/m.mlir --quiet --machine=v100-dgx2 --precision=bf16 -o %t/x.zexe 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: zcc %t/m.mlir --quiet --machine=h100-dgx --precision=bf16 -o %t/x.zexe 2>&1 | count 0

// TEXT: zcc.machine = "name: \22h100-dgx\22
// REPORT: "machine": "h100-dgx"
// REPORT: "library": 1500000000
// OTHER: error: --machine=a100-dgx contradicts the machine 'h100-dgx', with which the text was made
// FILE: "machine": "small"
// FULL: error: memory: a device needs {{.*}} MB ({{[0-9]+}} bytes), more than the budget of {{.*}} MB that 'small' has for it
// FULL-NEXT: at the peak: parameters {{.*}} MB, {{.*}}residuals {{.*}} MB
// FULL-NEXT: largest values there:
// FULL-NEXT: {{[0-9.]+}} MB  {{[a-z]+}}  {{.+}}
// UNKNOWN: error: --machine: expected a100-dgx, b200-dgx, h100-500w, h100-dgx, h200-dgx, v100-dgx2 or the file of a description, found 'h100':
// NODES: error: the machine 'alone' has 1 device a node and no links, and 2 devices are asked for: its description needs the link between nodes
// TYPE: warning: --precision=bf16: the machine 'v100-dgx2' has no peak of that type: products are predicted at the rate of f32
// WRONG: {{.*}}wrong.textproto:3:21: error: peaks.flops: expected operations a second between 1e+09 and 5e+17, found 67

//--- small.textproto
name: "small"
devices_per_node: 2
peaks { type: "f32" flops: 1e12 }
memories { name: "device" bytes: 27e6 bandwidth: 1e11 }
links { name: "inner" latency: 1e-6 bandwidth: 1e10 }

//--- alone.textproto
name: "alone"
devices_per_node: 1
peaks { type: "f32" flops: 1e12 }
memories { name: "device" bytes: 1e9 bandwidth: 1e11 }

//--- wrong.textproto
name: "wrong"
devices_per_node: 2
peaks { type: "f32" flops: 67 }
memories { name: "device" bytes: 80e9 bandwidth: 1e12 }

//--- m.mlir
func.func @main(%w: tensor<512x1024xf32> loc("params['w']"), %x: tensor<4096x512xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x1024xf32>) -> tensor<4096x1024xf32>
  %1 = stablehlo.tanh %0 : tensor<4096x1024xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

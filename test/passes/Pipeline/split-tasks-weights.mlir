// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed 's/dist.stage = 1 : i64, //' %S/../../e2e/two-stage-step.mlir | zcc-opt --zcc-cut-stages="schedule=zb-h1 stage=w1=0 stage=w2=1" \
// RUN:   --zcc-split-tasks="split-weights" --zcc-place-schedule=schedule=zb-h1 --zcc-verify-tasks --zcc-verify-fates | FileCheck %s

// The gradient of the last weight is a task of its own, that of the input is sent before it. The first stage has no backward task, since no other
// stage waits for any of it.

// CHECK-LABEL: func.func @backward
// CHECK-SAME: -> (tensor<4x16xf32> {dist.value = "[[G:[^"]*]]"}{{.*}}attributes {dist.region = "micro", dist.stage = 1 : i64, dist.task = "backward"}
// CHECK-LABEL: func.func @weights1
// CHECK-SAME: dist.accumulate = "w2:gradient"
// CHECK-SAME: dist.task = "weight_backward"
// CHECK-LABEL: func.func @weights0
// CHECK-SAME: dist.value = "[[G]]"
// CHECK-SAME: dist.accumulate = "w1:gradient"
// CHECK-SAME: dist.task = "weight_backward"
// CHECK: dist.schedule {{.*}}stage = 1
// CHECK: dist.run @backward {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "[[G]]" {microbatch = 0 : i64, peer = 0 : i64}

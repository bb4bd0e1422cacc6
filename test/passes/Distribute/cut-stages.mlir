// Ops go where the user puts them, those of the backward pass with their forward ops: as in two-stage-step.mlir, written by hand.
// RUN: sed 's/dist.stage = 1 : i64, //' %S/../../e2e/two-stage-step.mlir > %t
// RUN: zcc-opt %t --zcc-cut-stages="stage=w1=0 stage=w2=1" | FileCheck %s
// A step that says it itself is left alone.
// RUN: zcc-opt %S/../../e2e/two-stage-step.mlir --zcc-cut-stages > %t.own
// RUN: zcc-opt %S/../../e2e/two-stage-step.mlir | diff - %t.own
// RUN: not zcc-opt %t --zcc-cut-stages="stage=w2=1 stage=w2=0" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not zcc-opt %t --zcc-cut-stages="stage=w1=1 stage=w2=0" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zcc-opt %t --zcc-cut-stages="schedule=interleaved:9" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not zcc-opt %t --zcc-cut-stages="schedule=2f2b" 2>&1 | FileCheck %s --check-prefix=NAME
// BOTH: error: --stage wants this on stage 1 and on stage 0
// NONE: error: cannot be cut into 2 parts (2 stages of 1 chunks): no cut leaves every stage something to compute
// NONE: note: leave out some of --stage
// MANY: error: cannot be cut into 18 parts (2 stages of 9 chunks): expected at least 18 pieces, one a part, found
// MANY: note: use fewer stages (axis 'pipe' of --mesh), or a schedule of fewer chunks
// NAME: for the --schedule option: expected one of auto|gpipe

// CHECK: train.dot_general %arg2, %arg0 {dist.region
// CHECK-NEXT: train.tanh
// CHECK-NEXT: train.dot_general %{{.*}}, %arg1 {{.*}}dist.stage = 1
// CHECK-NEXT: train.subtract {{.*}}dist.stage = 1
// CHECK-NEXT: train.multiply {{.*}}dist.stage = 1
// CHECK-NEXT: train.reduce {{.*}}dist.stage = 1
// CHECK: train.dot_general {{.*}}dist.stage = 1{{.*}}train.tag = "backward"{{.*}} -> tensor<4x16xf32>
// CHECK-NEXT: train.dot_general {{.*}}dist.stage = 1{{.*}}train.tag = "backward"{{.*}} -> tensor<16x4xf32>
// CHECK: train.dot_general %arg2, {{.*}} {dist.region = "micro", lhs_
// CHECK-NEXT: dist.accumulate %{{[0-9a-z]+}} {reduction
// CHECK-NEXT: dist.accumulate {{.*}}dist.stage = 1
// CHECK-NEXT: dist.accumulate {{.*}}dist.stage = 1
// CHECK-NEXT: dist.observe {{.*}}dist.region = "after", scaled = false, states = [@w1]
// CHECK: train.subtract %arg0, %{{[0-9a-z]+}} {dist.region = "after", train.tag
// CHECK-NEXT: dist.observe {{.*}}dist.stage = 1{{.*}}states = [@w2]
// CHECK: train.subtract %arg1, {{.*}}dist.stage = 1

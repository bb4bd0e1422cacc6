// RUN: zcc-opt %s --zcc-place-schedule | FileCheck %s

// A forward executable has one task; @init is not in the table.
// CHECK: dist.schedule attributes {stage = 0 : i64} {
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64}
// CHECK-NEXT: }
func.func @init() attributes {dist.task = "init", dist.stage = 0 : i64} {
  return
}
func.func @forward() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

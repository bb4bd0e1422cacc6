// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-offload-values=kinds=optimizer,activations --zcc-verify-tasks | FileCheck %s
// RUN: zcc-opt %s --zcc-offload-values=kinds=parameters | FileCheck %s --check-prefix=WEIGHTS
// RUN: sed 's/^  dist.run @backward .*/&\n  dist.run @forward {microbatch = 1 : i64}/' %s | zcc-opt --zcc-offload-values="kinds=auto bytes=16384" | FileCheck %s --check-prefix=AUTO

// Values that together make up less than a hundredth of their kind are not offloaded, nor are values that are sent,
// parameters that were gathered, and values that the backward pass does not read.

// Each value has three figures: its bytes, the seconds of its copies, and 1 if computation does not hide them. A residual is copied there
// and back for each of two microbatches, a slot as large both ways at once.
// AUTO: dist.decisions = {offload = {{.*}}, values = array<f64: 1.638400e+04, 2.18{{[0-9]*}}E-6, 0.000000e+00, {{.*}}, 1.638400e+04, 8.73{{[0-9]*}}E-6, 1.000000e+00, {{.*}}

// CHECK-DAG: dist.state @"w:m" {{.*}}dist.memory = "host"
// CHECK-NOT: dist.state @"b:m" {{.*}}dist.memory
// CHECK-NOT: dist.state @w {{.*}}dist.memory
// CHECK: func.func @forward
// CHECK-SAME: {dist.fate = #dist.fate<"move", host>, dist.value = "h"}
// CHECK-SAME: {dist.fate = #dist.fate<"keep">, dist.value = "n"}
// CHECK-SAME: {dist.category = "parameters", dist.fate = #dist.fate<"keep">, dist.value = "g"}
// WEIGHTS: dist.state @w {{.*}}dist.memory = "host"
// WEIGHTS: dist.state @"w:m"
// WEIGHTS-NOT: dist.memory
dist.mesh @mesh []
dist.state @w : tensor<4096xf32> {kind = "parameter", parameter = "w", file_type = tensor<4096xf32>, start = array<i64: 0>, extent = array<i64: 4096>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
dist.state @"w:m" : tensor<4096xf32> {kind = "slot", parameter = "w", own_name = "m", initial = 0.0 : f64, file_type = tensor<4096xf32>, start = array<i64: 0>, extent = array<i64: 4096>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
dist.state @"b:m" : tensor<8xf32> {kind = "slot", parameter = "w", own_name = "n", initial = 0.0 : f64, file_type = tensor<8xf32>, start = array<i64: 0>, extent = array<i64: 8>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
func.func @forward(%w: tensor<4096xf32> {dist.state = "w"})
    -> (tensor<4096xf32> {dist.fate = #dist.fate<"keep">, dist.value = "h"}, tensor<2xf32> {dist.fate = #dist.fate<"keep">, dist.value = "n"},
        tensor<4096xf32> {dist.category = "parameters", dist.fate = #dist.fate<"keep">, dist.value = "g"}, tensor<4096xf32> {dist.value = "u"})
    attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4096xf32>) -> tensor<4096xf32>
  %n = train.constant dense<1.0> : tensor<2xf32>
  %g = train.exponential %w : (tensor<4096xf32>) -> tensor<4096xf32>
  return %h, %n, %g, %g : tensor<4096xf32>, tensor<2xf32>, tensor<4096xf32>, tensor<4096xf32>
}
func.func @backward(%h: tensor<4096xf32> {dist.value = "h"}, %n: tensor<2xf32> {dist.value = "n"}, %g: tensor<4096xf32> {dist.value = "g"})
    -> (tensor<4096xf32> {dist.value = "d"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  %d = train.multiply %h, %g : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %d : tensor<4096xf32>
}
func.func @epilogue(%d: tensor<4096xf32> {dist.value = "d"}, %u: tensor<4096xf32> {dist.value = "u"}, %m: tensor<4096xf32> {dist.state = "w:m"})
    -> (tensor<4096xf32> {dist.state = "w:m"}) attributes {dist.task = "epilogue", dist.region = "after", dist.stage = 0 : i64} {
  %0 = train.add %d, %m : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}

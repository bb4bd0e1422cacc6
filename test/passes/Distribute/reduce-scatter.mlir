// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-partition | FileCheck %s
// RUN: zcc-opt %s --zcc-partition=reduce-scatter=false --zcc-verify-partitioned | FileCheck %s --check-prefix=WHOLE

// A sum of which each device needs a part is scattered; without that, it is
// reduced whole, and each device takes its part.
#part = #dist.sharding<@mesh, [{}, {}], partial = add {"data"}>
#rows = #dist.sharding<@mesh, [{"data"}, {}]>
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK: dist.reduce_scatter %arg0 {axes = ["data"], {{.*}}dim = 0 : i64, {{.*}}(tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK-NOT: dist.all_reduce
// WHOLE: %[[SUM:.+]] = dist.all_reduce %arg0 {axes = ["data"], {{.*}}(tensor<4x4xf32>) -> tensor<4x4xf32>
// WHOLE: train.dynamic_slice %[[SUM]]
// WHOLE-NOT: dist.reduce_scatter
func.func @main(%a: tensor<4x4xf32> {dist.sharding = #part}) {
  %0 = dist.reshard %a {from = #part, to = #rows, why = "somebody needs it", dist.shardings = [#rows]} : tensor<4x4xf32>
  %1 = train.negate %0 {dist.shardings = [#rows]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

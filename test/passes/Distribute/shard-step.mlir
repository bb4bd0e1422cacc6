// RUN: zcc-opt --zcc-place-mesh="axes=4" --zcc-shard-step="zero=0" --zcc-verify-sharded %S/Inputs/step.mlir | FileCheck %s
// RUN: zcc-opt --zcc-place-mesh --zcc-shard-step --zcc-verify-sharded %S/Inputs/step.mlir | FileCheck %s --check-prefix=ONE

// The batch is sharded and state is whole. The gradient is a sum over the batch, so it is partial until it is observed; the
// loss stays partial through the division, and both are reduced in the update.
// CHECK-LABEL: func.func @step
// CHECK-SAME: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter"
// CHECK-SAME: tensor<16x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>, zcc.input = "x"
// CHECK: train.dot_general {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"data"}, {}]>]
// CHECK: train.reduce {{.*}}partial = add {"data"}
// CHECK: train.divide {{.*}}partial = add {"data"}
// CHECK: dist.reshard {{.*}}to = #dist.sharding<@mesh, []>, train.tag = "update"
// A constant takes the sharding of what it is multiplied with.
// CHECK: train.constant {dist.shardings = [#dist.sharding<@mesh, [{"data"}, {}]>]
// CHECK: %[[PART:.*]] = train.dot_general {{.*}}[{}, {}], partial = add {"data"}
// CHECK: %[[G:.*]] = dist.reshard %[[PART]] {{.*}}train.tag = "update", why = "each device of data has a part of the sum; dist.observe needs it whole"
// CHECK: dist.observe %[[G]]
// CHECK: train.update {{.*}} %[[G]]

// On one device nothing is sharded.
// ONE-NOT: {"data"}
// ONE-NOT: dist.reshard

// RUN: zcc-opt %S/../Distribute/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=0" --zcc-partition --zcc-assign-regions --zcc-split-tasks --zcc-lower-coordinates --zcc-place-schedule --zcc-verify-tasks --zcc-verify-fates | FileCheck %s

// CHECK: dist.state @w : tensor<8x4xf32> {extent = array<i64: 8, 4>, file_type = tensor<8x4xf32>, kind = "parameter", parameter = "w"
// CHECK: dist.state @"w:moment1"
// CHECK: dist.state @"w:moment2"
// CHECK: dist.input @x : tensor<16x8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"data"}, {}]>
// CHECK: dist.output @loss : tensor<f32> {kind = "loss"

// The tanh is kept; the difference of it and an input is cheaper computed again. The loss goes on as a part of a sum.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<4x4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "[[TANH:.*]]"}, tensor<f32> {dist.value = "[[LOSS:.*]]"})
// CHECK-SAME: dist.task = "forward"
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %arg2: tensor<4x4xf32> {dist.value = "[[TANH]]"}) -> (tensor<8x4xf32> {dist.value = "w:gradient"})
// CHECK: train.subtract %arg2, %arg1 {dist.again, train.tag = "backward"}
// The collectives of gradients end the only backward pass, that of the loss comes after it.
// CHECK: dist.all_reduce {{.*}}what = "gradient"
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: {dist.hyper}
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<8x4xf32> {dist.value = "w:gradient"}) -> (tensor<8x4xf32> {dist.state = "w"}, tensor<8x4xf32> {dist.state = "w:moment1"}, tensor<8x4xf32> {dist.state = "w:moment2"}, tensor<f32> {dist.output = "loss"})
// CHECK: dist.all_reduce {{.*}}what = "scalar"
// CHECK: train.update{{.*}}%[[G]]
// CHECK-NOT: dist.shardings
// CHECK-NOT: dist.region
// CHECK: dist.schedule attributes {generator = "1f1b", stage = 0 : i64}
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @backward
// CHECK-NEXT: dist.run @epilogue

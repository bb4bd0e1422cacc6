// RUN: zcc-opt --zcc-place-mesh="axes=4" --zcc-shard-step="zero=0" --zcc-partition --zcc-assign-regions --zcc-verify-partitioned %S/Inputs/step.mlir | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME: tensor<4x8xf32> {dist.global = tensor<16x8xf32>
// CHECK: train.dot_general {{.*}}dist.region = "micro"{{.*}}: (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK: dist.all_reduce {{.*}}axes = ["data"], dist.region = "after"{{.*}}reduction = "add"{{.*}}what = "scalar"
// CHECK: train.constant {{.*}}dense<3.125000e-02> : tensor<4x4xf32>
// CHECK: %[[PART:.*]] = train.dot_general {{.*}}dist.region = "micro"{{.*}}: (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
// A gradient is named by its parameter. With one microbatch its reduction is of the loop.
// CHECK: dist.all_reduce %[[PART]] {axes = ["data"], dist.region = "micro"{{.*}}value = "w", what = "gradient"
// CHECK-NOT: dist.reshard

// The report, and the warning if it is much, have the work of finding indices in the parts of a sharded dim.
// RUN: zcc %s --quiet --mesh=data=4 --shard 'points=data,-' --shard 'at=-' -o %t.zexe --report %t.json 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json

// Along a whole dim nothing is looked for.
// RUN: zcc %s --quiet --mesh=data=4 --shard 'points=-,-' --shard 'at=data' -o %t.zexe 2>&1 | FileCheck %s --check-prefix=WHOLE --allow-empty
// RUN: zcc %s --quiet -o %t.zexe --report %t.json 2>&1 | FileCheck %s --check-prefix=WHOLE --allow-empty
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t.json

// CHECK: warning: devices execute {{[1-9.]+}} times the model's operations: {{.*}}added by splitting are {{.*}}flop: train.{{.*}} at added.mlir:19
// JSON: "added": {{[1-9][0-9.]+}},
// JSON-NEXT: "recomputed":
// ONE: "added": {{[0-9]}}.0,
// WHOLE-NOT: added by splitting are {{.*}}added.mlir:19
func.func @main(%w: tensor<3x3xf32> loc("params['w']"), %points: tensor<64x3xf32> loc("batch['points']"), %at: tensor<256xi32> loc("batch['at']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %points, %w, contracting_dims = [1] x [0] : (tensor<64x3xf32>, tensor<3x3xf32>) -> tensor<64x3xf32>
  %1 = stablehlo.reshape %at : (tensor<256xi32>) -> tensor<256x1xi32>
  %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<64x3xf32>, tensor<256x1xi32>) -> tensor<256x3xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<256x3xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x3xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}

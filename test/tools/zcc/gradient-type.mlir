// --gradient-type=compute: gradients cross the network, are observed and reach the optimizer in the type that products read; f32 by
// default.
// RUN: zcc %s --quiet --precision=bf16 --mesh=data=2 --zero=0 --compile-to=partitioned | FileCheck %s --check-prefix=WIDE
// RUN: zcc %s --quiet --precision=bf16 --gradient-type=compute --mesh=data=2 --zero=0 --compile-to=partitioned | FileCheck %s --check-prefix=NARROW
// RUN: zcc %s --quiet --gradient-type=compute --mesh=data=2 --zero=0 --compile-to=partitioned | FileCheck %s --check-prefix=SAME
// RUN: zcc %s --quiet --precision=bf16 --gradient-type=compute --mesh=data=2 --zero=0 -o %t.zexe --report - | FileCheck %s --check-prefix=REPORT

// WIDE-DAG: dist.all_reduce {{.*}}value = "w", what = "gradient"{{.*}} : (tensor<30x50xf32>)
// WIDE-DAG: dist.all_reduce {{.*}}value = "b", what = "gradient"{{.*}} : (tensor<50xf32>)
// WIDE: train.update {{.*}}tensor<30x50xf32>, tensor<16xf32>
// NARROW-DAG: dist.all_reduce {{.*}}value = "w", what = "gradient"{{.*}} : (tensor<30x50xbf16>)
// NARROW-DAG: dist.all_reduce {{.*}}value = "b", what = "gradient"{{.*}} : (tensor<50xbf16>)
// NARROW: train.update {{.*}}tensor<30x50xbf16>, tensor<16xf32>
// SAME: dist.all_reduce {{.*}}value = "w", what = "gradient"{{.*}} : (tensor<30x50xf32>)
// REPORT: "bytes": 3000
// REPORT-NEXT: "times": 1
// REPORT-NEXT: "what": "gradient"

func.func @main(%w: tensor<30x50xf32> loc("params['w']"), %b: tensor<50xf32> loc("params['b']"), %x: tensor<8x30xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x30xf32>, tensor<30x50xf32>) -> tensor<8x50xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<50xf32>) -> tensor<8x50xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x50xf32>
  %3 = stablehlo.tanh %2 : tensor<8x50xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x50xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}

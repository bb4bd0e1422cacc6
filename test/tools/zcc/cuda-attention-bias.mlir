// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries, keys and values of one product by einsum, with a bias: the product adds it, attention reads the result transposed, and the gradient of attention
// writes the product's cotangent, of which the bias' gradient is a sum. So no kernel adds a bias, and none moves queries, keys and values either way.
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe
// RUN: zcc %s --target=cuda --cuda-arch=host --quiet -o %t.zexe && zrun --check %t.zexe
// RUN: zcc %s --target=cpu --precision=bf16 --compile-to=step --quiet | FileCheck %s --check-prefix=CPU

// CHECK: func.func private @{{k[0-9]+_convert}}({{.*}}) -> tensor<3x4x16xbf16>
// CHECK: func.func private @{{k[0-9]+_dot_general}}({{.*}}tensor<3x4x16xbf16>{{.*}}) -> tensor<2x128x3x4x16xbf16> attributes {exec.kernel, exec.library
// CHECK: func.func private @{{k[0-9]+_attention}}(%{{[a-z0-9]+}}: tensor<2x128x3x4x16xbf16> loc(unknown)) -> (tensor<2x128x4x16xbf16>, tensor<2x128x4xf32>) attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// CHECK-NOT: func.func private @{{k[0-9]+_(add|transpose|slice|concatenate)}}({{.*}}x16xbf16>
// CHECK: func.func private @{{k[0-9]+_attention_gradient}}({{.*}}) -> tensor<2x128x3x4x16xbf16> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// CHECK-NOT: func.func private @{{k[0-9]+_(add|transpose|slice|concatenate)}}({{.*}}x16xbf16>
// CHECK: func.func private @{{k[0-9]+_reduce}}(%{{[a-z0-9]+}}: tensor<2x128x3x4x16xbf16> loc(unknown)) -> tensor<3x4x16xf32>
// CHECK-NOT: func.func private @{{k[0-9]+_(add|transpose|slice|concatenate)}}({{.*}}x16xbf16>

// On CPUs the graph stays as it is.
// CPU: train.add {{.*}} tensor<3x2x128x4x16xf32>
module {
  func.func public @main(%w: tensor<64x3x4x16xf32> loc("params['w']"), %b: tensor<3x4x16xf32> loc("params['b']"), %x: tensor<2x128x64xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %w, %x, contracting_dims = [0] x [2] : (tensor<64x3x4x16xf32>, tensor<2x128x64xf32>) -> tensor<3x4x16x2x128xf32>
    %1 = stablehlo.transpose %0, dims = [0, 3, 4, 1, 2] : (tensor<3x4x16x2x128xf32>) -> tensor<3x2x128x4x16xf32>
    %2 = stablehlo.broadcast_in_dim %b, dims = [0, 3, 4] : (tensor<3x4x16xf32>) -> tensor<3x2x128x4x16xf32>
    %3 = stablehlo.add %1, %2 : tensor<3x2x128x4x16xf32>
    %part0 = stablehlo.slice %3 [0:1, 0:2, 0:128, 0:4, 0:16] : (tensor<3x2x128x4x16xf32>) -> tensor<1x2x128x4x16xf32>
    %q = stablehlo.reshape %part0 : (tensor<1x2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
    %part1 = stablehlo.slice %3 [1:2, 0:2, 0:128, 0:4, 0:16] : (tensor<3x2x128x4x16xf32>) -> tensor<1x2x128x4x16xf32>
    %k = stablehlo.reshape %part1 : (tensor<1x2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
    %part2 = stablehlo.slice %3 [2:3, 0:2, 0:128, 0:4, 0:16] : (tensor<3x2x128x4x16xf32>) -> tensor<1x2x128x4x16xf32>
    %v = stablehlo.reshape %part2 : (tensor<1x2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x4x128x128xf32>
    %quarter = stablehlo.constant dense<0.25> : tensor<2x4x128x128xf32>
    %scaled = stablehlo.multiply %s, %quarter : tensor<2x4x128x128xf32>
    %i = stablehlo.iota dim = 0 : tensor<128x128xi32>
    %j = stablehlo.iota dim = 1 : tensor<128x128xi32>
    %seen = stablehlo.compare GE, %i, %j, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %all = stablehlo.broadcast_in_dim %seen, dims = [2, 3] : (tensor<128x128xi1>) -> tensor<2x4x128x128xi1>
    %fill = stablehlo.constant dense<-1.0e9> : tensor<2x4x128x128xf32>
    %masked = stablehlo.select %all, %scaled, %fill : tensor<2x4x128x128xi1>, tensor<2x4x128x128xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%masked init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x128x128xf32>, tensor<f32>) -> tensor<2x4x128xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x4x128xf32>) -> tensor<2x4x128x128xf32>
    %d = stablehlo.subtract %masked, %mb : tensor<2x4x128x128xf32>
    %e = stablehlo.exponential %d : tensor<2x4x128x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x128x128xf32>, tensor<f32>) -> tensor<2x4x128xf32>
    %nb = stablehlo.broadcast_in_dim %n, dims = [0, 1, 2] : (tensor<2x4x128xf32>) -> tensor<2x4x128x128xf32>
    %p = stablehlo.divide %e, %nb : tensor<2x4x128x128xf32>
    %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x4x128x128xf32>, tensor<2x128x4x16xf32>) -> tensor<2x4x128x16xf32>
    %t = stablehlo.sine %o : tensor<2x4x128x16xf32>
    %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x4x128x16xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

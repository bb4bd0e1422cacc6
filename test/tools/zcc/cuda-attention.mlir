// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in 16 bits is cuDNN's, and its gradient: query, key and value are parts of one product, the gradient reads the result, and the statistics
// transposed; in f32 both are generated, and so is a gradient of parts of a block of keys. The three gradients are written to their places in the
// product's cotangent, which no other kernel makes.
// RUN: sed -e s/KEYS/128/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: sed -e s/KEYS/128/g %s | zcc - --target=cuda --cuda-arch=host --precision=f16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: sed -e s/KEYS/96/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=PART
// RUN: sed -e s/KEYS/128/g %s | zcc - --target=cuda --cuda-arch=host --compile-to=scheduled --quiet | FileCheck %s --check-prefix=OFF
// RUN: sed -e s/KEYS/128/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet --disable=libraries | FileCheck %s --check-prefix=OFF
// RUN: sed -e s/KEYS/128/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// OFF-NOT: cudnnBackendExecute

// CHECK: func.func private @{{k[0-9]+_attention}}(%{{[a-z0-9]+}}: tensor<2x128x3x4x16x[[T:b?f16]]> loc(unknown)) -> (tensor<2x128x4x16x[[T]]>, tensor<2x128x4xf32>) attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// CHECK-NOT: train.reduce{{.*}}tensor<2x128x4x16xf32>
// CHECK: func.func private @{{k[0-9]+_transpose}}({{.*}}tensor<2x128x4xf32>{{.*}}) -> tensor<2x4x128xf32>
// CHECK: func.func private @{{k[0-9]+_attention_gradient}}({{.*}}) -> tensor<2x128x3x4x16x[[T]]> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// CHECK: train.concatenate
// CHECK-NOT: train.pad

// PART: @{{k[0-9]+_attention}}({{.*}}cudnnBackendExecute
// PART-NOT: cudnnBackendExecute
module {
  func.func public @main(%w: tensor<64x192xf32> loc("params['w']"), %x: tensor<2xKEYSx64xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2xKEYSx64xf32>, tensor<64x192xf32>) -> tensor<2xKEYSx192xf32>
    %1 = stablehlo.reshape %0 : (tensor<2xKEYSx192xf32>) -> tensor<2xKEYSx3x4x16xf32>
    %2 = stablehlo.slice %1 [0:2, 0:KEYS, 0:1, 0:4, 0:16] : (tensor<2xKEYSx3x4x16xf32>) -> tensor<2xKEYSx1x4x16xf32>
    %q = stablehlo.reshape %2 : (tensor<2xKEYSx1x4x16xf32>) -> tensor<2xKEYSx4x16xf32>
    %3 = stablehlo.slice %1 [0:2, 0:KEYS, 1:2, 0:4, 0:16] : (tensor<2xKEYSx3x4x16xf32>) -> tensor<2xKEYSx1x4x16xf32>
    %k = stablehlo.reshape %3 : (tensor<2xKEYSx1x4x16xf32>) -> tensor<2xKEYSx4x16xf32>
    %4 = stablehlo.slice %1 [0:2, 0:KEYS, 2:3, 0:4, 0:16] : (tensor<2xKEYSx3x4x16xf32>) -> tensor<2xKEYSx1x4x16xf32>
    %v = stablehlo.reshape %4 : (tensor<2xKEYSx1x4x16xf32>) -> tensor<2xKEYSx4x16xf32>
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2xKEYSx4x16xf32>, tensor<2xKEYSx4x16xf32>) -> tensor<2x4xKEYSxKEYSxf32>
    %quarter = stablehlo.constant dense<0.25> : tensor<2x4xKEYSxKEYSxf32>
    %scaled = stablehlo.multiply %s, %quarter : tensor<2x4xKEYSxKEYSxf32>
    %i = stablehlo.iota dim = 0 : tensor<KEYSxKEYSxi32>
    %j = stablehlo.iota dim = 1 : tensor<KEYSxKEYSxi32>
    %seen = stablehlo.compare GE, %i, %j, SIGNED : (tensor<KEYSxKEYSxi32>, tensor<KEYSxKEYSxi32>) -> tensor<KEYSxKEYSxi1>
    %all = stablehlo.broadcast_in_dim %seen, dims = [2, 3] : (tensor<KEYSxKEYSxi1>) -> tensor<2x4xKEYSxKEYSxi1>
    %fill = stablehlo.constant dense<-1.0e9> : tensor<2x4xKEYSxKEYSxf32>
    %masked = stablehlo.select %all, %scaled, %fill : tensor<2x4xKEYSxKEYSxi1>, tensor<2x4xKEYSxKEYSxf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%masked init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4xKEYSxKEYSxf32>, tensor<f32>) -> tensor<2x4xKEYSxf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x4xKEYSxf32>) -> tensor<2x4xKEYSxKEYSxf32>
    %d = stablehlo.subtract %masked, %mb : tensor<2x4xKEYSxKEYSxf32>
    %e = stablehlo.exponential %d : tensor<2x4xKEYSxKEYSxf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4xKEYSxKEYSxf32>, tensor<f32>) -> tensor<2x4xKEYSxf32>
    %nb = stablehlo.broadcast_in_dim %n, dims = [0, 1, 2] : (tensor<2x4xKEYSxf32>) -> tensor<2x4xKEYSxKEYSxf32>
    %p = stablehlo.divide %e, %nb : tensor<2x4xKEYSxKEYSxf32>
    %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x4xKEYSxKEYSxf32>, tensor<2xKEYSx4x16xf32>) -> tensor<2x4xKEYSx16xf32>
    %t = stablehlo.sine %o : tensor<2x4xKEYSx16xf32>
    %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x4xKEYSx16xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

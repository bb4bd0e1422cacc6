// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums along rows and along columns that read the same tensors are one kernel on GPUs where its blocks of 64 rows occupy the device: the gradient of a norm is
// one, with those of its scale and bias and with that of the bias before it, which the column sums of its result are. With fewer rows there is none, and none on
// CPUs.
// DEFINE: %{count} = awk '/func.func/{r=c=0} /train.reduce.*i64: 2>/{r=1} /train.reduce.*i64: 0, 1>/{c++} / return /{if (r && c) both = both " " c; r=c=0} END{print "column sums beside row sums:" both "."}'
// RUN: sed -e s/ROWS/128/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | %{count} | FileCheck %s
// RUN: sed -e s/ROWS/64/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | %{count} | FileCheck %s --check-prefix=NONE
// RUN: sed -e s/ROWS/128/g %s | zcc - --target=cpu --precision=bf16 --compile-to=scheduled --quiet | %{count} | FileCheck %s --check-prefix=NONE
// RUN: sed -e s/ROWS/128/g %s | zcc - --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK: column sums beside row sums: 3.
// NONE: column sums beside row sums:.
module {
  func.func public @main(%w: tensor<512x512xf32> loc("params['w']"), %v: tensor<512x16xf32> loc("params['v']"), %a: tensor<512xf32> loc("params['a']"), %s: tensor<512xf32> loc("params['s']"),
      %b: tensor<512xf32> loc("params['b']"), %x: tensor<64xROWSx512xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<5.120000e+02> : tensor<64xROWSx1xf32>
    %eps = stablehlo.constant dense<1.000000e-05> : tensor<64xROWSx1xf32>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<64xROWSx512xf32>, tensor<512x512xf32>) -> tensor<64xROWSx512xf32>
    %q = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<512xf32>) -> tensor<64xROWSx512xf32>
    %0 = stablehlo.add %p, %q : tensor<64xROWSx512xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64xROWSx512xf32>, tensor<f32>) -> tensor<64xROWSxf32>
    %2 = stablehlo.reshape %1 : (tensor<64xROWSxf32>) -> tensor<64xROWSx1xf32>
    %3 = stablehlo.divide %2, %n : tensor<64xROWSx1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<64xROWSx1xf32>) -> tensor<64xROWSx512xf32>
    %5 = stablehlo.subtract %0, %4 : tensor<64xROWSx512xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<64xROWSx512xf32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64xROWSx512xf32>, tensor<f32>) -> tensor<64xROWSxf32>
    %8 = stablehlo.reshape %7 : (tensor<64xROWSxf32>) -> tensor<64xROWSx1xf32>
    %9 = stablehlo.divide %8, %n : tensor<64xROWSx1xf32>
    %10 = stablehlo.add %9, %eps : tensor<64xROWSx1xf32>
    %11 = stablehlo.rsqrt %10 : tensor<64xROWSx1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<64xROWSx1xf32>) -> tensor<64xROWSx512xf32>
    %13 = stablehlo.multiply %5, %12 : tensor<64xROWSx512xf32>
    %14 = stablehlo.broadcast_in_dim %s, dims = [2] : (tensor<512xf32>) -> tensor<64xROWSx512xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<64xROWSx512xf32>
    %16 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<512xf32>) -> tensor<64xROWSx512xf32>
    %17 = stablehlo.add %15, %16 : tensor<64xROWSx512xf32>
    %18 = stablehlo.dot_general %17, %v, contracting_dims = [2] x [0] : (tensor<64xROWSx512xf32>, tensor<512x16xf32>) -> tensor<64xROWSx16xf32>
    %19 = stablehlo.tanh %18 : tensor<64xROWSx16xf32>
    %20 = stablehlo.reduce(%19 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<64xROWSx16xf32>, tensor<f32>) -> tensor<f32>
    return %20 : tensor<f32>
  }
}

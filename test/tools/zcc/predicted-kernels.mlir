// Kernels of the predicted step, by hand: a product by its share of the peak, a gather by the rows that it reads.
// RUN: zcc %s --quiet --compile-from=scheduled --compile-to=scheduled --machine=a100-dgx --precision=bf16 -o %t.mlir --report - --trace %t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t.json

// 2 * 4096^3 of 312 TFLOP/s: 0.44 ms at the peak. 512 tiles of 256 x 128 fill 108 units in 5 waves to 95 %; the
// pipeline's fill leaves 98 %, large products reach 80 %: 0.590 ms. A launch is 4 us.
// CHECK: "step_seconds": 0.000597
// CHECK-NEXT: "mfu": 0.73
// CHECK-NEXT: "bubble": 0.0
// CHECK-NEXT: "exposed_communication": 0.0
// TRACE: "name":"forward: product","ph":"X","pid":0,"tid":0,"ts":0.0,"dur":59
// TRACE: "name":"forward: gather","ph":"X","pid":0,"tid":0,"ts":59{{.*}},"dur":{{[4-6]\.}}

module attributes {zcc.model_flops = 1.37438953472e11 : f64} {
  dist.mesh @mesh [#dist.axis<"data" = 1>]
  exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
    %0 = exec.buffer "input" "a" {category = "temporary"} : <tensor<4096x4096xbf16>>
    %1 = exec.buffer "temporary" "c" {category = "temporary"} : <tensor<4096x4096xf32>>
    %2 = exec.buffer "input" "i" {category = "temporary"} : <tensor<8x1xi32>>
    %3 = exec.buffer "temporary" "r" {category = "temporary"} : <tensor<8x4096xf32>>
    exec.launch @product(%0, %0) -> (%1) : (!exec.buffer<tensor<4096x4096xbf16>>, !exec.buffer<tensor<4096x4096xbf16>>) -> !exec.buffer<tensor<4096x4096xf32>>
    exec.launch @gather(%1, %2) -> (%3) : (!exec.buffer<tensor<4096x4096xf32>>, !exec.buffer<tensor<8x1xi32>>) -> !exec.buffer<tensor<8x4096xf32>>
  }
  dist.schedule attributes {stage = 0 : i64} {
    dist.run @forward {microbatch = 0 : i64}
  }
  func.func private @product(%arg0: tensor<4096x4096xbf16>, %arg1: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> attributes {exec.kernel} {
    %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
  func.func private @gather(%arg0: tensor<4096x4096xf32>, %arg1: tensor<8x1xi32>) -> tensor<8x4096xf32> attributes {exec.kernel} {
    %0 = train.gather %arg0, %arg1 {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4096>} : (tensor<4096x4096xf32>, tensor<8x1xi32>) -> tensor<8x4096xf32>
    return %0 : tensor<8x4096xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of generated kernels the prediction says what their launches do, as read from their code, and takes their time.
// RUN: zcc %s --quiet --compile-from=scheduled --compile-to=scheduled --target=cuda --cuda-arch=sm_90 --machine=h100-dgx -o %t.mlir --report %t.json --trace %t.trace
// RUN: FileCheck %s < %t.json
// RUN: FileCheck %s --check-prefix=TRACE < %t.trace
// The time does not depend on the kind of GPU that code is made for, and other targets' kernels have none.
// RUN: zcc %s --quiet --compile-from=scheduled --compile-to=scheduled --target=cuda --cuda-arch=host --machine=h100-dgx -o %t.mlir --report - | FileCheck %s
// RUN: zcc %s --quiet --compile-from=scheduled --compile-to=scheduled --target=cpu --machine=h100-dgx -o %t.mlir --report - | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: memory_rounds
// Nor has a machine whose multiprocessors nobody described.
// RUN: zcc %s --quiet --compile-from=scheduled --compile-to=scheduled --target=cuda --cuda-arch=sm_90 --machine=a100-dgx -o %t.mlir --report - | FileCheck %s --check-prefix=OTHER

// Four elements of 4 bytes a thread, of two arguments in one round; the address of each buffer is read before.
// CHECK: "name": "sum"
// CHECK: "blocks": 2048.0
// CHECK-NEXT: "threads": 128
// CHECK: "bytes_read": 8388608.0
// CHECK-NEXT: "bytes_written": 4194304.0
// CHECK-NEXT: "memory_rounds": 1.0
// CHECK-NEXT: "cache_rounds": 1.0
// CHECK: "bytes_in_flight": 32.0
// CHECK: "floats": 4.0
// Memory takes longest: 12.6 MB at 75 % of 3.35 TB/s.
// CHECK: "seconds": [[SECONDS:[0-9.e-]+]]
// CHECK-NEXT: "memory_seconds": 5.0

// Each row twice, in four chunks: the second time a cache has them.
// CHECK: "name": "center"
// CHECK: "memory_rounds": 4.0
// CHECK-NEXT: "cache_rounds": 5.0

// Columns in two launches: the first reads all rows, the second what that one has left in a cache.
// CHECK: "name": "columns"
// CHECK: "bytes_read": 33554432.0
// CHECK-NEXT: "bytes_written": 0.0
// CHECK-NEXT: "memory_rounds": 16.0
// CHECK: "bytes_in_flight": 64.0
// CHECK: "bytes_read": 0.0
// CHECK: "memory_rounds": 0.0

// The number of updates of a range of rows follows from the data, too, but is expected to be the same for all.
// The indices are read by each block, from a cache; the bytes take longest.
// CHECK: "name": "embedding"
// CHECK: "blocks": 509.0
// CHECK: "bytes_read": 67141632.0
// CHECK-NEXT: "bytes_written": 412090368.0
// CHECK: "floats": 80.0
// CHECK: "seconds": [[SECONDS:0.00019[0-9]*]]
// CHECK-NEXT: "memory_seconds": [[SECONDS]]

// The data decide how far a thread looks, so bytes and operations count.
// CHECK-NOT: "name": "sorted"

// TRACE: "name":"forward: sum",{{.*}}"dur":9.0
module {
  dist.mesh @mesh [#dist.axis<"data" = 1>]
  exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
    %a = exec.buffer "input" "a" {category = "temporary"} : <tensor<1048576xf32>>
    %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<1048576xf32>>
    exec.launch @sum(%a, %a) -> (%b) : (!exec.buffer<tensor<1048576xf32>>, !exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
    %c = exec.buffer "input" "c" {category = "temporary"} : <tensor<8192x2048xbf16>>
    %d = exec.buffer "temporary" "d" {category = "temporary"} : <tensor<8192x2048xbf16>>
    exec.launch @center(%c) -> (%d) : (!exec.buffer<tensor<8192x2048xbf16>>) -> !exec.buffer<tensor<8192x2048xbf16>>
    %e = exec.buffer "temporary" "e" {category = "temporary"} : <tensor<2048xf32>>
    exec.launch @columns(%c) -> (%e) : (!exec.buffer<tensor<8192x2048xbf16>>) -> !exec.buffer<tensor<2048xf32>>
    %f = exec.buffer "input" "f" {category = "temporary"} : <tensor<64x128xi32>>
    %g = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<64x128xi32>>
    %h = exec.buffer "input" "h" {category = "temporary"} : <tensor<8192x1xi32>>
    %i = exec.buffer "input" "i" {category = "temporary"} : <tensor<8192x2048xf32>>
    %j = exec.buffer "temporary" "j" {category = "temporary"} : <tensor<50304x2048xf32>>
    exec.launch @embedding(%h, %i) -> (%j) : (!exec.buffer<tensor<8192x1xi32>>, !exec.buffer<tensor<8192x2048xf32>>) -> !exec.buffer<tensor<50304x2048xf32>>
    exec.launch @sorted(%f) -> (%g) : (!exec.buffer<tensor<64x128xi32>>) -> !exec.buffer<tensor<64x128xi32>>
  }
  dist.schedule attributes {stage = 0 : i64} {
    dist.run @forward {microbatch = 0 : i64}
  }
  func.func private @sum(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {exec.kernel} {
    %0 = train.add %a, %b : (tensor<1048576xf32>, tensor<1048576xf32>) -> tensor<1048576xf32>
    return %0 : tensor<1048576xf32>
  }
  func.func private @center(%a: tensor<8192x2048xbf16>) -> tensor<8192x2048xbf16> attributes {exec.kernel} {
    %0 = train.convert %a : (tensor<8192x2048xbf16>) -> tensor<8192x2048xf32>
    %1 = train.reduce %0 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8192x2048xf32>) -> tensor<8192xf32>
    %2 = train.broadcast_in_dim %1 {dims = array<i64: 0>} : (tensor<8192xf32>) -> tensor<8192x2048xf32>
    %3 = train.subtract %0, %2 : (tensor<8192x2048xf32>, tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
    %4 = train.convert %3 : (tensor<8192x2048xf32>) -> tensor<8192x2048xbf16>
    return %4 : tensor<8192x2048xbf16>
  }
  func.func private @columns(%a: tensor<8192x2048xbf16>) -> tensor<2048xf32> attributes {exec.kernel} {
    %0 = train.convert %a : (tensor<8192x2048xbf16>) -> tensor<8192x2048xf32>
    %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8192x2048xf32>) -> tensor<2048xf32>
    return %1 : tensor<2048xf32>
  }
  func.func private @embedding(%i: tensor<8192x1xi32>, %u: tensor<8192x2048xf32>) -> tensor<50304x2048xf32> attributes {exec.kernel} {
    %z = train.constant dense<0.0> : tensor<50304x2048xf32>
    %0 = train.scatter %z, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>,
      operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<50304x2048xf32>, tensor<8192x1xi32>, tensor<8192x2048xf32>) -> tensor<50304x2048xf32>
    return %0 : tensor<50304x2048xf32>
  }
  func.func private @sorted(%a: tensor<64x128xi32>) -> tensor<64x128xi32> attributes {exec.kernel} {
    %0 = train.sort %a {dim = 1 : i64} : (tensor<64x128xi32>) -> tensor<64x128xi32>
    return %0 : tensor<64x128xi32>
  }
}

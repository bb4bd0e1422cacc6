// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise and movement kernels.

#include "test/unit/codegen/RunCompiled.h"

namespace zcc::test {
namespace {

class LoopKernels : public RunCompiled {};

TEST_F(LoopKernels, BiasAndScaleWithRemainder) {
  check(
      R"(func.func @k(%x: tensor<37x21xf32>, %b: tensor<21xf32>, %s: tensor<f32>)
      -> (tensor<37x21xf32>, tensor<37x21xbf16>) {
    %0 = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<21xf32>) -> tensor<37x21xf32>
    %1 = train.broadcast_in_dim %s {dims = array<i64>} : (tensor<f32>) -> tensor<37x21xf32>
    %2 = train.add %x, %0 : (tensor<37x21xf32>, tensor<37x21xf32>) -> tensor<37x21xf32>
    %3 = train.multiply %2, %1 : (tensor<37x21xf32>, tensor<37x21xf32>) -> tensor<37x21xf32>
    %4 = train.convert %3 : (tensor<37x21xf32>) -> tensor<37x21xbf16>
    return %3, %4 : tensor<37x21xf32>, tensor<37x21xbf16>
  })");
}

TEST_F(LoopKernels, HeadsSplitAndTransposed) {
  check(R"(func.func @k(%x: tensor<2x5x48xf32>) -> tensor<2x3x5x16xf32> {
    %0 = train.reshape %x : (tensor<2x5x48xf32>) -> tensor<2x5x3x16xf32>
    %1 = train.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x3x16xf32>) -> tensor<2x3x5x16xf32>
    %2 = train.negate %1 : (tensor<2x3x5x16xf32>) -> tensor<2x3x5x16xf32>
    return %2 : tensor<2x3x5x16xf32>
  })");
}

TEST_F(LoopKernels, HeadsJoined) {
  check(
      R"(func.func @k(%x: tensor<2x3x5x16xf32>, %b: tensor<48xf32>) -> tensor<2x5x48xf32> {
    %1 = train.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x3x5x16xf32>) -> tensor<2x5x3x16xf32>
    %2 = train.reshape %1 : (tensor<2x5x3x16xf32>) -> tensor<2x5x48xf32>
    %0 = train.broadcast_in_dim %b {dims = array<i64: 2>} : (tensor<48xf32>) -> tensor<2x5x48xf32>
    %3 = train.add %2, %0 : (tensor<2x5x48xf32>, tensor<2x5x48xf32>) -> tensor<2x5x48xf32>
    return %3 : tensor<2x5x48xf32>
  })");
}

TEST_F(LoopKernels, LastDimsTransposed) {
  check(R"(func.func @k(%x: tensor<19x35xbf16>) -> tensor<35x19xbf16> {
    %1 = train.transpose %x {permutation = array<i64: 1, 0>} : (tensor<19x35xbf16>) -> tensor<35x19xbf16>
    %2 = train.add %1, %1 : (tensor<35x19xbf16>, tensor<35x19xbf16>) -> tensor<35x19xbf16>
    return %2 : tensor<35x19xbf16>
  })");
}

// Elements that are narrower than what machines gather.
TEST_F(LoopKernels, TransposedNarrowElements) {
  check(
      R"(func.func @k(%a: tensor<19x35xi8>, %b: tensor<19x35xf16>, %c: tensor<19x35xi1>)
      -> (tensor<35x19xi8>, tensor<35x19xf16>, tensor<35x19xi1>) {
    %0 = train.transpose %a {permutation = array<i64: 1, 0>} : (tensor<19x35xi8>) -> tensor<35x19xi8>
    %1 = train.transpose %b {permutation = array<i64: 1, 0>} : (tensor<19x35xf16>) -> tensor<35x19xf16>
    %2 = train.transpose %c {permutation = array<i64: 1, 0>} : (tensor<19x35xi1>) -> tensor<35x19xi1>
    return %0, %1, %2 : tensor<35x19xi8>, tensor<35x19xf16>, tensor<35x19xi1>
  })");
}

// All codes; and floats of all kinds, stored and read again in the kernel.
TEST_F(LoopKernels, Float8) {
  auto codes =
      mlir::RankedTensorType::get({256}, mlir::IntegerType::get(&context, 8));
  train::Tensor all{codes, {}, {}};
  for (int64_t code = 0; code < 256; ++code)
    all.integers.push_back(code);
  // Compares bytes, since NaNs have no values.
  check(
      R"(func.func @k(%x: tensor<256xi8>) -> (tensor<256xi32>, tensor<256xi8>, tensor<256xbf16>) {
    %0 = train.bitcast_convert %x : (tensor<256xi8>) -> tensor<256xf8E4M3FN>
    %1 = train.convert %0 : (tensor<256xf8E4M3FN>) -> tensor<256xf32>
    %2 = train.bitcast_convert %1 : (tensor<256xf32>) -> tensor<256xi32>
    %3 = train.convert %1 : (tensor<256xf32>) -> tensor<256xf8E4M3FN>
    %4 = train.bitcast_convert %3 : (tensor<256xf8E4M3FN>) -> tensor<256xi8>
    %5 = train.convert %0 : (tensor<256xf8E4M3FN>) -> tensor<256xbf16>
    return %2, %4, %5 : tensor<256xi32>, tensor<256xi8>, tensor<256xbf16>
  })",
      {all});
  constexpr int64_t count = 8192;
  train::Tensor bits{mlir::RankedTensorType::get(
                         {count}, mlir::IntegerType::get(&context, 32)),
                     {},
                     {}};
  for (int64_t i = 0; i < count; ++i)
    bits.integers.push_back(static_cast<int32_t>(
        i % 2 ? random() : 0x3A800000 + random() % 0x0A000000));
  for (uint32_t special :
       {0U, 0x80000000U, 0x7F800000U, 0xFF800000U, 0x7FC00000U, 1U, 0x43E80000U,
        0x43E80001U, 0x3A800000U, 0x3B400000U})
    bits.integers[random() % count] = static_cast<int32_t>(special);
  check(
      R"(func.func @k(%x: tensor<8192xi32>) -> (tensor<8192xi8>, tensor<8192xi32>, tensor<8192xi8>, tensor<8192xf8E4M3FN>) {
    %0 = train.bitcast_convert %x : (tensor<8192xi32>) -> tensor<8192xf32>
    %1 = train.convert %0 : (tensor<8192xf32>) -> tensor<8192xf8E4M3FN>
    %2 = train.bitcast_convert %1 : (tensor<8192xf8E4M3FN>) -> tensor<8192xi8>
    %3 = train.convert %1 : (tensor<8192xf8E4M3FN>) -> tensor<8192xf32>
    %4 = train.bitcast_convert %3 : (tensor<8192xf32>) -> tensor<8192xi32>
    %5 = train.convert %0 : (tensor<8192xf32>) -> tensor<8192xf64>
    %6 = train.convert %5 : (tensor<8192xf64>) -> tensor<8192xf8E4M3FN>
    %7 = train.bitcast_convert %6 : (tensor<8192xf8E4M3FN>) -> tensor<8192xi8>
    %8 = train.convert %0 : (tensor<8192xf32>) -> tensor<8192xf8E4M3FN>
    return %2, %4, %7, %8 : tensor<8192xi8>, tensor<8192xi32>, tensor<8192xi8>, tensor<8192xf8E4M3FN>
  })",
      {bits});
}

// Narrow elements that machines do not gather.
TEST_F(LoopKernels, TransposedFloat8) {
  check(
      R"(func.func @k(%a: tensor<19x35xf8E4M3FN>, %s: tensor<35xf32>) -> (tensor<35x19xf8E4M3FN>, tensor<35x19xf32>) {
    %0 = train.transpose %a {permutation = array<i64: 1, 0>} : (tensor<19x35xf8E4M3FN>) -> tensor<35x19xf8E4M3FN>
    %1 = train.convert %0 : (tensor<35x19xf8E4M3FN>) -> tensor<35x19xf32>
    %2 = train.broadcast_in_dim %s {dims = array<i64: 0>} : (tensor<35xf32>) -> tensor<35x19xf32>
    %3 = train.multiply %1, %2 : (tensor<35x19xf32>, tensor<35x19xf32>) -> tensor<35x19xf32>
    return %0, %3 : tensor<35x19xf8E4M3FN>, tensor<35x19xf32>
  })");
}

TEST_F(LoopKernels, RotaryEmbedding) {
  check(
      R"(func.func @k(%x: tensor<3x7x32xf32>, %c: tensor<7x32xf32>) -> tensor<3x7x32xf32> {
    %a = train.slice %x {start = array<i64: 0, 0, 0>, limit = array<i64: 3, 7, 16>, stride = array<i64: 1, 1, 1>} : (tensor<3x7x32xf32>) -> tensor<3x7x16xf32>
    %b = train.slice %x {start = array<i64: 0, 0, 16>, limit = array<i64: 3, 7, 32>, stride = array<i64: 1, 1, 1>} : (tensor<3x7x32xf32>) -> tensor<3x7x16xf32>
    %n = train.negate %b : (tensor<3x7x16xf32>) -> tensor<3x7x16xf32>
    %r = train.concatenate %n, %a {dim = 2 : i64} : (tensor<3x7x16xf32>, tensor<3x7x16xf32>) -> tensor<3x7x32xf32>
    %0 = train.broadcast_in_dim %c {dims = array<i64: 1, 2>} : (tensor<7x32xf32>) -> tensor<3x7x32xf32>
    %1 = train.multiply %r, %0 : (tensor<3x7x32xf32>, tensor<3x7x32xf32>) -> tensor<3x7x32xf32>
    %2 = train.add %x, %1 : (tensor<3x7x32xf32>, tensor<3x7x32xf32>) -> tensor<3x7x32xf32>
    return %2 : tensor<3x7x32xf32>
  })");
}

TEST_F(LoopKernels, PadConcatenateReverse) {
  check(
      R"(func.func @k(%x: tensor<5x9xf32>, %y: tensor<4x23xf32>, %p: tensor<f32>) -> tensor<11x23xf32> {
    %0 = train.pad %x, %p {low = array<i64: 1, 3>, high = array<i64: 1, 3>, interior = array<i64: 0, 1>} : (tensor<5x9xf32>, tensor<f32>) -> tensor<7x23xf32>
    %1 = train.concatenate %0, %y {dim = 0 : i64} : (tensor<7x23xf32>, tensor<4x23xf32>) -> tensor<11x23xf32>
    %2 = train.reverse %1 {dims = array<i64: 0, 1>} : (tensor<11x23xf32>) -> tensor<11x23xf32>
    return %2 : tensor<11x23xf32>
  })");
}

TEST_F(LoopKernels, EmbeddingLookup) {
  check(
      R"(func.func @k(%t: tensor<13x40xf32>, %i: tensor<6x3xi32>, %q: tensor<3x40xf32>) -> tensor<6x3x40xf32> {
    %0 = train.gather %t, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>,
      indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 40>}
      : (tensor<13x40xf32>, tensor<6x3xi32>) -> tensor<6x3x40xf32>
    %1 = train.broadcast_in_dim %q {dims = array<i64: 1, 2>} : (tensor<3x40xf32>) -> tensor<6x3x40xf32>
    %2 = train.add %0, %1 : (tensor<6x3x40xf32>, tensor<6x3x40xf32>) -> tensor<6x3x40xf32>
    return %2 : tensor<6x3x40xf32>
  })",
      -3, 15);
}

TEST_F(LoopKernels, DynamicSliceAndUpdate) {
  check(
      R"(func.func @k(%x: tensor<9x30xf32>, %u: tensor<4x10xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<4x30xf32> {
    %0 = train.dynamic_update_slice %x, %u, %i, %j : (tensor<9x30xf32>, tensor<4x10xf32>, tensor<i32>, tensor<i32>) -> tensor<9x30xf32>
    %z = train.constant dense<0> : tensor<i32>
    %1 = train.dynamic_slice %0, %i, %z {sizes = array<i64: 4, 30>} : (tensor<9x30xf32>, tensor<i32>, tensor<i32>) -> tensor<4x30xf32>
    return %1 : tensor<4x30xf32>
  })",
      -2, 12);
}

TEST_F(LoopKernels, CausalMaskByIota) {
  check(R"(func.func @k(%x: tensor<2x20x20xf32>) -> tensor<2x20x20xf32> {
    %r = train.iota {dim = 1 : i64} : () -> tensor<2x20x20xi32>
    %c = train.iota {dim = 2 : i64} : () -> tensor<2x20x20xi32>
    %m = train.compare %r, %c {direction = #train<compare_direction GE>} : (tensor<2x20x20xi32>, tensor<2x20x20xi32>) -> tensor<2x20x20xi1>
    %n = train.constant dense<-1.0e30> : tensor<2x20x20xf32>
    %0 = train.select %m, %x, %n : (tensor<2x20x20xi1>, tensor<2x20x20xf32>, tensor<2x20x20xf32>) -> tensor<2x20x20xf32>
    return %0 : tensor<2x20x20xf32>
  })");
}

TEST_F(LoopKernels, AdamW) {
  check(
      R"(func.func @k(%p: tensor<77xf32>, %m: tensor<77xf32>, %v0: tensor<77xf32>, %g: tensor<77xbf16>, %h: tensor<16xf32>,
        %s: tensor<f32>, %f: tensor<i1>) -> (tensor<77xf32>, tensor<77xf32>, tensor<77xf32>, tensor<77xbf16>) {
    %v = train.abs %v0 : (tensor<77xf32>) -> tensor<77xf32>
    %ha = train.abs %h : (tensor<16xf32>) -> tensor<16xf32>
    %0:4 = train.update %p, %m, %v, %g, %ha, %s, %f {optimizer = "adamw", decay = true}
      : (tensor<77xf32>, tensor<77xf32>, tensor<77xf32>, tensor<77xbf16>, tensor<16xf32>, tensor<f32>, tensor<i1>)
      -> (tensor<77xf32>, tensor<77xf32>, tensor<77xf32>, tensor<77xbf16>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<77xf32>, tensor<77xf32>, tensor<77xf32>, tensor<77xbf16>
  })");
}

TEST_F(LoopKernels, ConstantTable) {
  check(R"(func.func @k(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %c = train.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
    %0 = train.multiply %x, %c : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  })");
}

TEST_F(LoopKernels, TransposeInTiles) {
  check(
      R"(func.func @k(%x: tensor<3x37x41xf32>, %y: tensor<3x41x37xf32>) -> tensor<3x41x37xf32> {
    %0 = train.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<3x37x41xf32>) -> tensor<3x41x37xf32>
    %1 = train.subtract %0, %y : (tensor<3x41x37xf32>, tensor<3x41x37xf32>) -> tensor<3x41x37xf32>
    return %1 : tensor<3x41x37xf32>
  })");
}

TEST_F(LoopKernels, ObjectDoesNotDependOnThreads) {
  std::string text;
  for (int i = 0; i < 9; ++i) {
    std::string t = "tensor<" + std::to_string(10 + i) + "xf32>";
    text += "func.func @k" + std::to_string(i) + "(%x: " + t + ") -> " + t +
            " { %0 = train.sine %x : (" + t + ") -> " + t +
            " return %0 : " + t + " }\n";
  }
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  std::vector<mlir::func::FuncOp> kernels(
      module->getOps<mlir::func::FuncOp>().begin(),
      module->getOps<mlir::func::FuncOp>().end());
  auto target = getCpuLevel("x86-64-v3", [](const llvm::Twine &) { FAIL(); });
  ASSERT_TRUE(succeeded(target));
  std::string first;
  for (unsigned threads : {1u, 4u}) {
    CodegenOptions options;
    options.threads = threads;
    auto compiled = compileKernels(kernels, *target, options);
    ASSERT_TRUE(succeeded(compiled));
    if (first.empty())
      first = compiled->object;
    EXPECT_TRUE(first == compiled->object);
  }
}

TEST_F(LoopKernels, RefusesUnknownAndOldProcessors) {
  for (const char *name : {"no-such-cpu", "x86-64"}) {
    std::string message;
    EXPECT_TRUE(failed(
        getCpuLevel(name, [&](const llvm::Twine &m) { message = m.str(); })));
    EXPECT_NE(message, "");
  }
}

} // namespace
} // namespace zcc::test

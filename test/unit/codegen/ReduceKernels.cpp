// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions of training steps: softmax, normalizations, cross entropy,
// bias gradients, sums of squares.

#include "compiler/codegen/KernelForm.h"
#include "compiler/cpu/CpuTarget.h"
#include "test/unit/codegen/RunCompiled.h"

namespace zcc::test {
namespace {

class ReduceKernels : public RunCompiled {};

TEST_F(ReduceKernels, Softmax) {
  for (const char *n : {"64", "37", "5"}) {
    std::string text = R"(func.func @k(%x: tensor<6xNxf32>) -> tensor<6xNxf32> {
      %0 = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<6xNxf32>) -> tensor<6xf32>
      %1 = train.broadcast_in_dim %0 {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6xNxf32>
      %2 = train.subtract %x, %1 : (tensor<6xNxf32>, tensor<6xNxf32>) -> tensor<6xNxf32>
      %3 = train.exponential %2 : (tensor<6xNxf32>) -> tensor<6xNxf32>
      %4 = train.reduce %3 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<6xNxf32>) -> tensor<6xf32>
      %5 = train.broadcast_in_dim %4 {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6xNxf32>
      %6 = train.divide %3, %5 : (tensor<6xNxf32>, tensor<6xNxf32>) -> tensor<6xNxf32>
      return %6 : tensor<6xNxf32>
    })";
    for (size_t at; (at = text.find("xN")) != std::string::npos;)
      text.replace(at, 2, std::string("x") + n);
    check(text, -20, 20, 6);
  }
}

TEST_F(ReduceKernels, LayerNorm) {
  check(
      R"(func.func @k(%x: tensor<2x7x40xf32>, %g: tensor<40xf32>) -> (tensor<14x40xbf16>, tensor<2x7xf32>) {
    %0 = train.reduce %x {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x7x40xf32>) -> tensor<2x7xf32>
    %c = train.constant dense<0.025> : tensor<2x7xf32>
    %1 = train.multiply %0, %c : (tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<2x7xf32>
    %2 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1>} : (tensor<2x7xf32>) -> tensor<2x7x40xf32>
    %3 = train.subtract %x, %2 : (tensor<2x7x40xf32>, tensor<2x7x40xf32>) -> tensor<2x7x40xf32>
    %4 = train.multiply %3, %3 : (tensor<2x7x40xf32>, tensor<2x7x40xf32>) -> tensor<2x7x40xf32>
    %5 = train.reduce %4 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x7x40xf32>) -> tensor<2x7xf32>
    %6 = train.multiply %5, %c : (tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<2x7xf32>
    %7 = train.rsqrt %6 : (tensor<2x7xf32>) -> tensor<2x7xf32>
    %8 = train.broadcast_in_dim %7 {dims = array<i64: 0, 1>} : (tensor<2x7xf32>) -> tensor<2x7x40xf32>
    %9 = train.multiply %3, %8 : (tensor<2x7x40xf32>, tensor<2x7x40xf32>) -> tensor<2x7x40xf32>
    %10 = train.broadcast_in_dim %g {dims = array<i64: 2>} : (tensor<40xf32>) -> tensor<2x7x40xf32>
    %11 = train.multiply %9, %10 : (tensor<2x7x40xf32>, tensor<2x7x40xf32>) -> tensor<2x7x40xf32>
    %12 = train.convert %11 : (tensor<2x7x40xf32>) -> tensor<2x7x40xbf16>
    %13 = train.reshape %12 : (tensor<2x7x40xbf16>) -> tensor<14x40xbf16>
    return %13, %7 : tensor<14x40xbf16>, tensor<2x7xf32>
  })",
      -20, 20, 2);
}

TEST_F(ReduceKernels, CrossEntropyGathersTheLabel) {
  check(
      R"(func.func @k(%x: tensor<9x50xf32>, %l: tensor<9xi32>) -> tensor<9xf32> {
    %0 = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<9x50xf32>) -> tensor<9xf32>
    %1 = train.broadcast_in_dim %0 {dims = array<i64: 0>} : (tensor<9xf32>) -> tensor<9x50xf32>
    %2 = train.subtract %x, %1 : (tensor<9x50xf32>, tensor<9x50xf32>) -> tensor<9x50xf32>
    %3 = train.exponential %2 : (tensor<9x50xf32>) -> tensor<9x50xf32>
    %4 = train.reduce %3 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<9x50xf32>) -> tensor<9xf32>
    %5 = train.log %4 : (tensor<9xf32>) -> tensor<9xf32>
    %6 = train.broadcast_in_dim %5 {dims = array<i64: 0>} : (tensor<9xf32>) -> tensor<9x50xf32>
    %7 = train.subtract %2, %6 : (tensor<9x50xf32>, tensor<9x50xf32>) -> tensor<9x50xf32>
    %i = train.reshape %l : (tensor<9xi32>) -> tensor<9x1xi32>
    %8 = train.gather %7, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>,
      indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>}
      : (tensor<9x50xf32>, tensor<9x1xi32>) -> tensor<9xf32>
    %9 = train.negate %8 : (tensor<9xf32>) -> tensor<9xf32>
    return %9 : tensor<9xf32>
  })",
      0, 49, 4);
}

TEST_F(ReduceKernels, BiasGradientBesideItsOperand) {
  check(
      R"(func.func @k(%x: tensor<5x30x50xf32>, %y: tensor<5x30x50xbf16>) -> (tensor<50xf32>, tensor<150x50xf32>) {
    %0 = train.convert %y : (tensor<5x30x50xbf16>) -> tensor<5x30x50xf32>
    %1 = train.multiply %x, %0 : (tensor<5x30x50xf32>, tensor<5x30x50xf32>) -> tensor<5x30x50xf32>
    %2 = train.reduce %1 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<5x30x50xf32>) -> tensor<50xf32>
    %3 = train.negate %2 : (tensor<50xf32>) -> tensor<50xf32>
    %4 = train.reshape %1 : (tensor<5x30x50xf32>) -> tensor<150x50xf32>
    return %3, %4 : tensor<50xf32>, tensor<150x50xf32>
  })");
}

TEST_F(ReduceKernels, BatchNormStatisticsOfChannelsFirst) {
  check(
      R"(func.func @k(%x: tensor<4x6x5x7xf32>) -> (tensor<6xf32>, tensor<4x6x5x7xf32>) {
    %0 = train.reduce %x {dims = array<i64: 0, 2, 3>, kind = #train<reduce_kind add>} : (tensor<4x6x5x7xf32>) -> tensor<6xf32>
    %1 = train.broadcast_in_dim %0 {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x6x5x7xf32>
    %2 = train.subtract %x, %1 : (tensor<4x6x5x7xf32>, tensor<4x6x5x7xf32>) -> tensor<4x6x5x7xf32>
    return %0, %2 : tensor<6xf32>, tensor<4x6x5x7xf32>
  })");
}

// Each pass starts from values that the one before has kept.
TEST_F(ReduceKernels, BatchNormGradientOfNarrowChannels) {
  for (llvm::StringRef element : {"bf16", "f16"}) {
    std::string text =
        R"(func.func @k(%x: tensor<131x37xN>, %g: tensor<131x37xN>, %s: tensor<37xf32>)
        -> (tensor<37xf32>, tensor<131x37xN>, tensor<131x37xN>) {
    %0 = train.convert %x : (tensor<131x37xN>) -> tensor<131x37xf32>
    %1 = train.convert %g : (tensor<131x37xN>) -> tensor<131x37xf32>
    %2 = train.broadcast_in_dim %s {dims = array<i64: 1>} : (tensor<37xf32>) -> tensor<131x37xf32>
    %3 = train.multiply %0, %2 : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %4 = train.convert %3 : (tensor<131x37xf32>) -> tensor<131x37xN>
    %5 = train.convert %4 : (tensor<131x37xN>) -> tensor<131x37xf32>
    %z = train.constant dense<0.0> : tensor<131x37xf32>
    %6 = train.compare %5, %z {direction = #train<compare_direction LE>} : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xi1>
    %7 = train.select %6, %z, %1 : (tensor<131x37xi1>, tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %8 = train.convert %7 : (tensor<131x37xf32>) -> tensor<131x37xN>
    %9 = train.convert %8 : (tensor<131x37xN>) -> tensor<131x37xf32>
    %10 = train.multiply %9, %2 : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %11 = train.multiply %10, %0 : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %12 = train.reduce %11 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<131x37xf32>) -> tensor<37xf32>
    %13 = train.broadcast_in_dim %12 {dims = array<i64: 1>} : (tensor<37xf32>) -> tensor<131x37xf32>
    %14 = train.multiply %13, %0 : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %15 = train.add %10, %14 : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %16 = train.convert %15 : (tensor<131x37xf32>) -> tensor<131x37xN>
    %17 = train.convert %16 : (tensor<131x37xN>) -> tensor<131x37xf32>
    %18 = train.reduce %17 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<131x37xf32>) -> tensor<37xf32>
    %19 = train.broadcast_in_dim %18 {dims = array<i64: 1>} : (tensor<37xf32>) -> tensor<131x37xf32>
    %20 = train.subtract %17, %19 : (tensor<131x37xf32>, tensor<131x37xf32>) -> tensor<131x37xf32>
    %21 = train.convert %20 : (tensor<131x37xf32>) -> tensor<131x37xN>
    return %12, %8, %21 : tensor<37xf32>, tensor<131x37xN>, tensor<131x37xN>
  })";
    for (size_t at; (at = text.find("xN>")) != std::string::npos;)
      text.replace(at + 1, 1, element.str());
    check(text);
  }
}

// GPUs load 8 rows of a column ahead, in each block of 64 rows; what is left of
// the last block is a group of its own. The first reduction has an output of
// all elements, and the second one needs another pass.
TEST_F(ReduceKernels, ColumnsInGroupsOfRowsAndARest) {
  for (const char *n : {"7", "8", "9", "64", "65", "72", "127", "200"}) {
    std::string text =
        R"(func.func @k(%x: tensor<RxNx5xf32>, %y: tensor<RxNx5xf32>) -> (tensor<RxNx5xf32>, tensor<Rx5xf32>, tensor<Rx5xi32>) {
    %0 = train.multiply %x, %y : (tensor<RxNx5xf32>, tensor<RxNx5xf32>) -> tensor<RxNx5xf32>
    %1 = train.reduce %0 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<RxNx5xf32>) -> tensor<Rx5xf32>
    %2 = train.broadcast_in_dim %1 {dims = array<i64: 0, 2>} : (tensor<Rx5xf32>) -> tensor<RxNx5xf32>
    %3 = train.subtract %0, %2 : (tensor<RxNx5xf32>, tensor<RxNx5xf32>) -> tensor<RxNx5xf32>
    %4 = train.arg_reduce %3 {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<RxNx5xf32>) -> tensor<Rx5xi32>
    return %0, %1, %4 : tensor<RxNx5xf32>, tensor<Rx5xf32>, tensor<Rx5xi32>
  })";
    for (size_t at; (at = text.find("RxN")) != std::string::npos;)
      text.replace(at, 3, std::string("3x") + n);
    for (size_t at; (at = text.find("Rx5")) != std::string::npos;)
      text.replace(at, 1, "3");
    check(text);
  }
}

TEST_F(ReduceKernels, ArgMaxOfRowsAndColumns) {
  check(R"(func.func @k(%x: tensor<9x50xf32>) -> tensor<9xi32> {
    %0 = train.arg_reduce %x {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<9x50xf32>) -> tensor<9xi32>
    return %0 : tensor<9xi32>
  })");
  check(R"(func.func @k(%x: tensor<90x50xi32>) -> tensor<50xi32> {
    %0 = train.arg_reduce %x {dim = 0 : i64, kind = #train<reduce_kind minimum>} : (tensor<90x50xi32>) -> tensor<50xi32>
    return %0 : tensor<50xi32>
  })");
}

TEST_F(ReduceKernels, SumsOfSquares) {
  check(R"(func.func @k(%x: tensor<91x101xbf16>) -> tensor<3xf32> {
    %0 = train.sum_of_squares %x : (tensor<91x101xbf16>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })");
}

// One item cannot add the sums of other items.
TEST_F(ReduceKernels, SumsOfSquaresOfSeveralBlocksAreNoScalar) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @k(%x: tensor<91x101xbf16>) -> tensor<f32> {
      %0 = train.sum_of_squares %x : (tensor<91x101xbf16>) -> tensor<f32>
      return %0 : tensor<f32>
    })",
                                                        &context);
  std::string why;
  EXPECT_FALSE(CpuTarget().classify(
      *module->getOps<mlir::func::FuncOp>().begin(), &why));
  EXPECT_EQ(why, "a sum of squares of several blocks is not split into them");
}

} // namespace
} // namespace zcc::test

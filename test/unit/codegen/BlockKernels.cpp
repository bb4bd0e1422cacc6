// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms that only GPUs have, at extents where they are chosen: vectors with the
// rest of a row, rows of a block, blocks of columns, tiles of products.

#include "test/unit/codegen/DotText.h"
#include "test/unit/codegen/RunCompiled.h"

namespace zcc::test {
namespace {

class BlockKernels : public RunCompiled {
protected:
  /// Checks the text with every N replaced.
  void checkFor(std::string text, const std::string &n, double ulps = 0) {
    for (size_t at; (at = text.find("xN")) != std::string::npos;)
      text.replace(at, 2, "x" + n);
    for (size_t at; (at = text.find("<N")) != std::string::npos;)
      text.replace(at, 2, "<" + n);
    check(text, -20, 20, ulps);
  }
};

TEST_F(BlockKernels, VectorsAndWhatIsLeft) {
  for (const char *n : {"262144", "131075", "262147"})
    checkFor(
        R"(func.func @k(%a: tensor<Nxf32>, %b: tensor<Nxbf16>) -> (tensor<Nxf32>, tensor<Nxbf16>) {
      %0 = train.convert %b : (tensor<Nxbf16>) -> tensor<Nxf32>
      %1 = train.multiply %a, %0 : (tensor<Nxf32>, tensor<Nxf32>) -> tensor<Nxf32>
      %2 = train.convert %1 : (tensor<Nxf32>) -> tensor<Nxbf16>
      return %1, %2 : tensor<Nxf32>, tensor<Nxbf16>
    })",
        n);
}

TEST_F(BlockKernels, VectorsOfRowsWithABias) {
  check(
      R"(func.func @k(%a: tensor<700x200xbf16>, %b: tensor<200xbf16>, %c: tensor<700xbf16>) -> tensor<700x200xbf16> {
    %0 = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<200xbf16>) -> tensor<700x200xbf16>
    %1 = train.broadcast_in_dim %c {dims = array<i64: 0>} : (tensor<700xbf16>) -> tensor<700x200xbf16>
    %2 = train.add %a, %0 : (tensor<700x200xbf16>, tensor<700x200xbf16>) -> tensor<700x200xbf16>
    %3 = train.add %2, %1 : (tensor<700x200xbf16>, tensor<700x200xbf16>) -> tensor<700x200xbf16>
    return %3 : tensor<700x200xbf16>
  })");
}

TEST_F(BlockKernels, Transposes) {
  for (const char *n : {"5", "32", "70"})
    checkFor(
        R"(func.func @k(%a: tensor<2xNx3x40xf32>, %b: tensor<2x3x40xNxf32>) -> tensor<2x3x40xNxf32> {
      %0 = train.transpose %a {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2xNx3x40xf32>) -> tensor<2x3x40xNxf32>
      %1 = train.add %0, %b : (tensor<2x3x40xNxf32>, tensor<2x3x40xNxf32>) -> tensor<2x3x40xNxf32>
      return %1 : tensor<2x3x40xNxf32>
    })",
        n);
}

// Fewer elements than a tile, one more, and several tiles.
TEST_F(BlockKernels, LongRows) {
  for (const char *n : {"600", "1025", "2500"})
    checkFor(
        R"(func.func @k(%x: tensor<3xNxf32>) -> (tensor<3xNxf32>, tensor<3xf32>) {
      %0 = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<3xNxf32>) -> tensor<3xf32>
      %1 = train.broadcast_in_dim %0 {dims = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xNxf32>
      %2 = train.subtract %x, %1 : (tensor<3xNxf32>, tensor<3xNxf32>) -> tensor<3xNxf32>
      %3 = train.reduce %2 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<3xNxf32>) -> tensor<3xf32>
      %4 = train.broadcast_in_dim %3 {dims = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xNxf32>
      %5 = train.divide %2, %4 : (tensor<3xNxf32>, tensor<3xNxf32>) -> tensor<3xNxf32>
      return %5, %3 : tensor<3xNxf32>, tensor<3xf32>
    })",
        n);
}

TEST_F(BlockKernels, LongRowsOfSeveralTypes) {
  for (const char *n : {"700", "1500"})
    checkFor(
        R"(func.func @k(%x: tensor<2xNxf64>, %y: tensor<2xNxbf16>, %z: tensor<2xNxi1>) -> (tensor<2xf64>, tensor<2xbf16>, tensor<2xi1>, tensor<2xi32>) {
      %0 = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2xNxf64>) -> tensor<2xf64>
      %1 = train.reduce %y {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2xNxbf16>) -> tensor<2xbf16>
      %2 = train.reduce %z {dims = array<i64: 1>, kind = #train<reduce_kind logical_or>} : (tensor<2xNxi1>) -> tensor<2xi1>
      %3 = train.arg_reduce %y {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<2xNxbf16>) -> tensor<2xi32>
      return %0, %1, %2, %3 : tensor<2xf64>, tensor<2xbf16>, tensor<2xi1>, tensor<2xi32>
    })",
        n);
}

// One block of rows, several, and more than a block of threads takes at a time.
TEST_F(BlockKernels, Columns) {
  for (const char *n : {"64", "65", "300", "1100"})
    checkFor(
        R"(func.func @k(%x: tensor<Nx40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<Nx40xf32>) {
      %0 = train.reduce %x {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<Nx40xf32>) -> tensor<40xf32>
      %1 = train.reduce %x {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<Nx40xf32>) -> tensor<40xf32>
      %2 = train.broadcast_in_dim %0 {dims = array<i64: 1>} : (tensor<40xf32>) -> tensor<Nx40xf32>
      %3 = train.subtract %x, %2 : (tensor<Nx40xf32>, tensor<Nx40xf32>) -> tensor<Nx40xf32>
      return %0, %1, %3 : tensor<40xf32>, tensor<40xf32>, tensor<Nx40xf32>
    })",
        n);
}

TEST_F(BlockKernels, ColumnsOfNarrowTypesAndPositions) {
  check(
      R"(func.func @k(%x: tensor<2x200x33xf16>, %y: tensor<2x200x33xi1>) -> (tensor<2x33xf16>, tensor<2x33xi1>, tensor<2x33xi64>) {
    %0 = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x200x33xf16>) -> tensor<2x33xf16>
    %1 = train.reduce %y {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<2x200x33xi1>) -> tensor<2x33xi1>
    %2 = train.arg_reduce %x {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<2x200x33xf16>) -> tensor<2x33xi64>
    return %0, %1, %2 : tensor<2x33xf16>, tensor<2x33xi1>, tensor<2x33xi64>
  })");
}

// The gradient of a norm: sums along rows, an output that needs them, sums
// along columns of that output and of what a row's sums scale, and an output of
// rows. The last rows are no block of 64, the last columns no vector of all
// threads.
TEST_F(BlockKernels, RowsAndColumns) {
  for (auto [rows, columns] : {std::pair("6144", "512"), {"6083", "520"}}) {
    std::string text =
        R"(func.func @k(%x: tensor<RxCxbf16>, %g: tensor<RxCxbf16>, %r: tensor<RxCxbf16>, %s: tensor<Cxf32>, %a: tensor<Cxf32>)
        -> (tensor<RxCxbf16>, tensor<Cxf32>, tensor<Cxbf16>, tensor<Rxf32>) {
      %0 = train.convert %x : (tensor<RxCxbf16>) -> tensor<RxCxf32>
      %1 = train.convert %g : (tensor<RxCxbf16>) -> tensor<RxCxf32>
      %2 = train.reduce %0 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<RxCxf32>) -> tensor<Rxf32>
      %3 = train.broadcast_in_dim %2 {dims = array<i64: 0>} : (tensor<Rxf32>) -> tensor<RxCxf32>
      %4 = train.multiply %0, %3 : (tensor<RxCxf32>, tensor<RxCxf32>) -> tensor<RxCxf32>
      %5 = train.broadcast_in_dim %s {dims = array<i64: 1>} : (tensor<Cxf32>) -> tensor<RxCxf32>
      %6 = train.multiply %1, %5 : (tensor<RxCxf32>, tensor<RxCxf32>) -> tensor<RxCxf32>
      %7 = train.multiply %6, %4 : (tensor<RxCxf32>, tensor<RxCxf32>) -> tensor<RxCxf32>
      %8 = train.reduce %7 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<RxCxf32>) -> tensor<Rxf32>
      %9 = train.broadcast_in_dim %8 {dims = array<i64: 0>} : (tensor<Rxf32>) -> tensor<RxCxf32>
      %10 = train.subtract %6, %9 : (tensor<RxCxf32>, tensor<RxCxf32>) -> tensor<RxCxf32>
      %11 = train.convert %r : (tensor<RxCxbf16>) -> tensor<RxCxf32>
      %12 = train.add %10, %11 : (tensor<RxCxf32>, tensor<RxCxf32>) -> tensor<RxCxf32>
      %13 = train.convert %12 : (tensor<RxCxf32>) -> tensor<RxCxbf16>
      %14 = train.convert %13 : (tensor<RxCxbf16>) -> tensor<RxCxf32>
      %15 = train.reduce %14 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<RxCxf32>) -> tensor<Cxf32>
      %16 = train.add %a, %15 : (tensor<Cxf32>, tensor<Cxf32>) -> tensor<Cxf32>
      %17 = train.multiply %1, %4 : (tensor<RxCxf32>, tensor<RxCxf32>) -> tensor<RxCxf32>
      %18 = train.reduce %17 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<RxCxf32>) -> tensor<Cxf32>
      %19 = train.convert %18 : (tensor<Cxf32>) -> tensor<Cxbf16>
      return %13, %16, %19, %8 : tensor<RxCxbf16>, tensor<Cxf32>, tensor<Cxbf16>, tensor<Rxf32>
    })";
    for (auto [letter, extent] : {std::pair("R", rows), {"C", columns}})
      for (std::string before : {"<", "x"})
        for (size_t at;
             (at = text.find(before + letter + "x")) != std::string::npos;)
          text.replace(at + 1, 1, extent);
    checkBlocks(text);
  }
}

TEST_F(BlockKernels, TilesOfProducts) {
  for (Dims extents : {Dims{32, 32, 16}, Dims{64, 128, 300}, Dims{70, 130, 33},
                       Dims{33, 47, 600}}) {
    int64_t m = extents[0], n = extents[1], k = extents[2];
    DotText plain, turned, batched;
    plain.lhs = {m, k}, plain.rhs = {k, n};
    plain.lhsContracting = {1}, plain.rhsContracting = {0};
    for (const char *element : {"f32", "bf16", "f64", "i32"}) {
      plain.element = plain.resultElement = element;
      check(plain.text());
    }
    turned.lhs = {k, m}, turned.rhs = {n, k};
    turned.lhsContracting = {0}, turned.rhsContracting = {1};
    check(turned.text());
    batched.lhs = {3, m, k}, batched.rhs = {3, k, n};
    batched.lhsBatching = batched.rhsBatching = {0};
    batched.lhsContracting = {2}, batched.rhsContracting = {1};
    check(batched.text());
  }
}

} // namespace
} // namespace zcc::test

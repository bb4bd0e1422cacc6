// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: every layout, every type, every cut gives the evaluator's
// bits.

#include "compiler/cpu/CpuTarget.h"
#include "test/unit/codegen/DotText.h"
#include "test/unit/codegen/RunCompiled.h"

#include <cmath>

namespace zcc::test {
namespace {

class DotKernels : public RunCompiled {
protected:
  // Products of m x k and k x n in the four layouts.
  DotText plain(int64_t m, int64_t k, int64_t n, bool lhsTransposed = false,
                bool rhsTransposed = false) {
    DotText dot;
    dot.lhs = lhsTransposed ? Dims{k, m} : Dims{m, k};
    dot.rhs = rhsTransposed ? Dims{n, k} : Dims{k, n};
    dot.lhsContracting = {lhsTransposed ? 0 : 1};
    dot.rhsContracting = {rhsTransposed ? 1 : 0};
    return dot;
  }
  void checkLayouts(int64_t m, int64_t k, int64_t n) {
    for (int layout = 0; layout < 4; ++layout)
      check(plain(m, k, n, layout & 1, layout & 2).text());
  }
};

TEST_F(DotKernels, Layouts) { checkLayouts(33, 48, 65); }
TEST_F(DotKernels, StepsOfSeveralBlocksAndARest) { checkLayouts(19, 531, 37); }
TEST_F(DotKernels, WholeTiles) { checkLayouts(56, 512, 96); }
TEST_F(DotKernels, OneRow) { checkLayouts(1, 300, 40); }
TEST_F(DotKernels, OneColumn) { checkLayouts(40, 70, 1); }
TEST_F(DotKernels, OneStep) { checkLayouts(17, 1, 18); }
TEST_F(DotKernels, ManyRowsFewColumns) { checkLayouts(200, 33, 10); }

TEST_F(DotKernels, VectorsAndScalars) {
  DotText dot;
  dot.lhs = dot.rhs = {77};
  dot.lhsContracting = dot.rhsContracting = {0};
  check(dot.text());
  dot.lhsContracting = dot.rhsContracting = {};
  check(dot.text());
}

TEST_F(DotKernels, NothingToSum) {
  DotText dot = plain(5, 0, 7);
  check(dot.text());
}

TEST_F(DotKernels, AttentionInPlace) {
  DotText scores;
  scores.lhs = scores.rhs = {2, 40, 3, 32};
  scores.lhsBatching = scores.rhsBatching = {0, 2};
  scores.lhsContracting = scores.rhsContracting = {3};
  check(scores.text());

  // Probabilities times values, heads joined again.
  DotText values;
  values.lhs = {2, 3, 40, 40};
  values.rhs = {2, 40, 3, 32};
  values.lhsBatching = {0, 1};
  values.rhsBatching = {0, 2};
  values.lhsContracting = {3};
  values.rhsContracting = {1};
  values.results = "tensor<2x40x96xf32>";
  values.after = R"(
    %0 = train.transpose %d {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x3x40x32xf32>) -> tensor<2x40x3x32xf32>
    %1 = train.reshape %0 : (tensor<2x40x3x32xf32>) -> tensor<2x40x96xf32>
    return %1 : tensor<2x40x96xf32>
)";
  check(values.text());
  values.lhsContracting = {2};
  check(values.text());
}

TEST_F(DotKernels, QueriesOutOfAJoinedProjection) {
  DotText dot;
  dot.lhs = dot.rhs = {2, 24, 3, 16};
  dot.lhsBatching = dot.rhsBatching = {0, 2};
  dot.lhsContracting = dot.rhsContracting = {3};
  dot.lhsArgument = dot.rhsArgument = "tensor<2x24x144xf32>";
  dot.before = R"(
    %0 = train.slice %x {start = array<i64: 0, 0, 0>, limit = array<i64: 2, 24, 48>, stride = array<i64: 1, 1, 1>} : (tensor<2x24x144xf32>) -> tensor<2x24x48xf32>
    %l = train.reshape %0 : (tensor<2x24x48xf32>) -> tensor<2x24x3x16xf32>
    %1 = train.slice %y {start = array<i64: 0, 0, 48>, limit = array<i64: 2, 24, 96>, stride = array<i64: 1, 1, 1>} : (tensor<2x24x144xf32>) -> tensor<2x24x48xf32>
    %r = train.reshape %1 : (tensor<2x24x48xf32>) -> tensor<2x24x3x16xf32>
)";
  check(dot.text());
}

TEST_F(DotKernels, ResultTransposed) {
  DotText dot = plain(37, 50, 21);
  dot.results = "tensor<21x37xf32>";
  dot.after = R"(
    %0 = train.transpose %d {permutation = array<i64: 1, 0>} : (tensor<37x21xf32>) -> tensor<21x37xf32>
    return %0 : tensor<21x37xf32>
)";
  check(dot.text());
}

// The gradient of x in w (x - transpose(x)) reads each product at two places,
// of which a kernel of the product knows one.
TEST_F(DotKernels, NoResultBesideItsTransposed) {
  DotText dot = plain(21, 50, 21);
  dot.results = "tensor<21x21xf32>";
  dot.after = R"(
    %0 = train.transpose %d {permutation = array<i64: 1, 0>} : (tensor<21x21xf32>) -> tensor<21x21xf32>
    %1 = train.subtract %d, %0 : (tensor<21x21xf32>, tensor<21x21xf32>) -> tensor<21x21xf32>
    return %1 : tensor<21x21xf32>
)";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(dot.text(), &context);
  std::string why;
  EXPECT_FALSE(CpuTarget().classify(
      *module->getOps<mlir::func::FuncOp>().begin(), &why));
  EXPECT_EQ(why, "an output reads the product at two places");
}

TEST_F(DotKernels, NarrowFloats) {
  for (const char *element : {"bf16", "f16"})
    for (const char *result : {"f32", element})
      for (int layout = 0; layout < 4; ++layout) {
        DotText dot = plain(21, 290, 35, layout & 1, layout & 2);
        dot.element = element;
        dot.resultElement = result;
        check(dot.text());
      }
}

TEST_F(DotKernels, WideFloatsAndIntegers) {
  for (const char *element : {"f64", "i32", "i64", "ui8", "i8", "i16"})
    for (int layout = 0; layout < 4; ++layout) {
      DotText dot = plain(11, 270, 19, layout & 1, layout & 2);
      dot.element = dot.resultElement = element;
      check(dot.text());
    }
  DotText dot = plain(9, 40, 18);
  dot.element = "i8";
  dot.resultElement = "i32";
  check(dot.text());
}

TEST_F(DotKernels, BiasResidualAndASecondResult) {
  for (int64_t k : {64, 300}) {
    DotText dot = plain(30, k, 50, false, true);
    dot.moreArguments = ", %b: tensor<50xf32>, %z: tensor<30x50xf32>";
    dot.results = "(tensor<30x50xf32>, tensor<30x50xbf16>)";
    dot.after = R"(
    %0 = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<50xf32>) -> tensor<30x50xf32>
    %1 = train.add %d, %0 : (tensor<30x50xf32>, tensor<30x50xf32>) -> tensor<30x50xf32>
    %2 = train.add %z, %1 : (tensor<30x50xf32>, tensor<30x50xf32>) -> tensor<30x50xf32>
    %3 = train.convert %1 : (tensor<30x50xf32>) -> tensor<30x50xbf16>
    return %2, %3 : tensor<30x50xf32>, tensor<30x50xbf16>
)";
    check(dot.text());
  }
}

TEST_F(DotKernels, ScaledAndMasked) {
  DotText dot;
  dot.lhs = dot.rhs = {2, 20, 3, 16};
  dot.lhsBatching = dot.rhsBatching = {0, 2};
  dot.lhsContracting = dot.rhsContracting = {3};
  dot.moreArguments = ", %m: tensor<20x20xi1>";
  dot.after = R"(
    %s = train.constant dense<0.25> : tensor<2x3x20x20xf32>
    %n = train.constant dense<-1.0e30> : tensor<2x3x20x20xf32>
    %0 = train.multiply %d, %s : (tensor<2x3x20x20xf32>, tensor<2x3x20x20xf32>) -> tensor<2x3x20x20xf32>
    %1 = train.broadcast_in_dim %m {dims = array<i64: 2, 3>} : (tensor<20x20xi1>) -> tensor<2x3x20x20xi1>
    %2 = train.select %1, %0, %n : (tensor<2x3x20x20xi1>, tensor<2x3x20x20xf32>, tensor<2x3x20x20xf32>) -> tensor<2x3x20x20xf32>
    return %2 : tensor<2x3x20x20xf32>
)";
  check(dot.text());
}

TEST_F(DotKernels, ComputedOperands) {
  for (int layout = 0; layout < 4; ++layout) {
    DotText dot = plain(23, 277, 34, layout & 1, layout & 2);
    std::string l = tensorText(dot.lhs, "f32"), r = tensorText(dot.rhs, "f32");
    std::string stored = tensorText(dot.rhs, "bf16");
    dot.rhsArgument = stored;
    dot.moreArguments = ", %s: tensor<" + std::to_string(dot.lhs[1]) + "xf32>";
    dot.before =
        "  %0 = train.broadcast_in_dim %s {dims = array<i64: 1>} : (tensor<" +
        std::to_string(dot.lhs[1]) + "xf32>) -> " + l +
        "\n  %l = train.multiply %x, %0 : (" + l + ", " + l + ") -> " + l +
        "\n  %1 = train.convert %y : (" + stored + ") -> " + r +
        "\n  %r = train.abs %1 : (" + r + ") -> " + r + "\n";
    check(dot.text());
  }
}

TEST_F(DotKernels, PaddedAndJoinedOperands) {
  DotText dot = plain(12, 20, 18);
  dot.lhsArgument = "tensor<10x20xf32>";
  dot.rhsArgument = "tensor<10x18xf32>";
  dot.before = R"(
    %c = train.constant dense<2.0> : tensor<f32>
    %l = train.pad %x, %c {low = array<i64: 1, 0>, high = array<i64: 1, 0>, interior = array<i64: 0, 0>} : (tensor<10x20xf32>, tensor<f32>) -> tensor<12x20xf32>
    %0 = train.negate %y : (tensor<10x18xf32>) -> tensor<10x18xf32>
    %r = train.concatenate %y, %0 {dim = 0 : i64} : (tensor<10x18xf32>, tensor<10x18xf32>) -> tensor<20x18xf32>
)";
  check(dot.text());
}

// Random batching, free and contracting dims in random orders.
TEST_F(DotKernels, RandomLayouts) {
  std::mt19937 choose(5);
  for (int round = 0; round < 40; ++round) {
    auto below = [&](unsigned n) { return int64_t(choose() % n); };
    struct Dim {
      char role;
      int64_t extent, number;
    };
    std::vector<Dim> left, right;
    int64_t number = 0;
    auto add = [&](char role, int64_t count, unsigned most) {
      for (int64_t i = 0; i < count; ++i, ++number) {
        Dim dim{role, 1 + below(most), number};
        if (role != 'n')
          left.push_back(dim);
        if (role != 'm')
          right.push_back(dim);
      }
    };
    add('b', below(3), 4);
    add('m', below(3), 30);
    add('n', below(3), 40);
    add('k', below(3), round % 4 ? 20 : 300);
    std::shuffle(left.begin(), left.end(), choose);
    std::shuffle(right.begin(), right.end(), choose);
    DotText dot;
    for (const Dim &dim : left)
      dot.lhs.push_back(dim.extent);
    for (const Dim &dim : right)
      dot.rhs.push_back(dim.extent);
    for (size_t i = 0; i < left.size(); ++i)
      for (size_t j = 0; j < right.size(); ++j)
        if (left[i].number == right[j].number) {
          (left[i].role == 'b' ? dot.lhsBatching : dot.lhsContracting)
              .push_back(i);
          (left[i].role == 'b' ? dot.rhsBatching : dot.rhsContracting)
              .push_back(j);
        }
    const char *elements[] = {"f32", "f32", "bf16", "f64"};
    dot.element = elements[below(4)];
    dot.resultElement = dot.element == "bf16" && below(2) ? "f32" : dot.element;
    Dims shape = dot.shape();
    if (shape.size() > 1 && below(2)) {
      Dims permutation, permuted;
      for (size_t i = 0; i < shape.size(); ++i)
        permutation.push_back(i);
      std::shuffle(permutation.begin(), permutation.end(), choose);
      for (int64_t d : permutation)
        permuted.push_back(shape[d]);
      dot.results = tensorText(permuted, dot.resultElement);
      dot.after =
          "  %0 = train.transpose %d {permutation = " + arrayText(permutation) +
          "} : (" + dot.result() + ") -> " + dot.results +
          "\n  return %0 : " + dot.results + "\n";
    }
    check(dot.text());
  }
}

// Neither the tile of an item nor the rows beside it show in the bits; they are
// those of a chain of fused multiply-adds.
TEST_F(DotKernels, BitsOfAChain) {
  constexpr int64_t m = 70, k = 600, n = 90;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(plain(m, k, n).text(), &context);
  ASSERT_TRUE(module);
  mlir::func::FuncOp kernel = *module->getOps<mlir::func::FuncOp>().begin();
  std::vector<train::Tensor> inputs;
  for (mlir::Type type : kernel.getArgumentTypes())
    inputs.push_back(
        randomTensor(mlir::cast<mlir::RankedTensorType>(type), random));
  std::vector<float> expected;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float total = 0;
      for (int64_t first = 0; first < k; first += 256) {
        float sum = 0;
        for (int64_t s = first; s < std::min<int64_t>(k, first + 256); ++s)
          sum = std::fmaf(inputs[0].values[i * k + s],
                          inputs[1].values[s * n + j], sum);
        total = first ? total + sum : sum;
      }
      expected.push_back(total);
    }
  for (int64_t tile : {0, 1, 16, 40, 1000}) {
    CodegenOptions options;
    options.tile = tile;
    auto loaded = LoadedKernels::compile({kernel}, options);
    ASSERT_TRUE(loaded);
    for (unsigned parts : {1, 3}) {
      std::string bytes = loaded->run(0, kernel, inputs, parts)[0];
      EXPECT_EQ(bytes,
                std::string(reinterpret_cast<const char *>(expected.data()),
                            expected.size() * 4))
          << "tile " << tile << ", parts " << parts;
    }
  }
}

// A residual that is added on registers: over one or several passes, the same
// bits as the product and then the sum.
TEST_F(DotKernels, EpilogueOverSeveralPasses) {
  constexpr int64_t m = 45, k = 600, n = 1003;
  DotText dot = plain(m, k, n);
  std::string t = dot.result();
  dot.moreArguments = ", %z: " + t;
  dot.after = "  %0 = train.add %z, %d : (" + t + ", " + t + ") -> " + t +
              "\n  return %0 : " + t + "\n";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(dot.text(), &context);
  ASSERT_TRUE(module);
  mlir::func::FuncOp kernel = *module->getOps<mlir::func::FuncOp>().begin();
  std::vector<train::Tensor> inputs;
  for (mlir::Type type : kernel.getArgumentTypes())
    inputs.push_back(
        randomTensor(mlir::cast<mlir::RankedTensorType>(type), random));
  check(dot.text(), inputs, 0);
  std::string expected;
  for (int64_t tile : {0, 32, 2000}) {
    CodegenOptions options;
    options.tile = tile;
    auto loaded = LoadedKernels::compile({kernel}, options);
    ASSERT_TRUE(loaded);
    std::string bytes = loaded->run(0, kernel, inputs, 1)[0];
    if (expected.empty())
      expected = bytes;
    EXPECT_EQ(bytes, expected) << "tile " << tile;
  }
}

TEST_F(DotKernels, Gelu) {
  DotText dot = plain(30, 64, 50);
  std::string t = dot.result();
  auto op = [&](const std::string &text) {
    return "    " + text + " : (" + t + ", " + t + ") -> " + t + "\n";
  };
  dot.after = "    %c = train.constant dense<0.044715> : " + t +
              "\n    %q = train.constant dense<0.7978846> : " + t +
              "\n    %h = train.constant dense<0.5> : " + t +
              "\n    %i = train.constant dense<1.0> : " + t + "\n" +
              op("%0 = train.multiply %d, %d") +
              op("%1 = train.multiply %0, %d") +
              op("%2 = train.multiply %1, %c") + op("%3 = train.add %d, %2") +
              op("%4 = train.multiply %3, %q") + "    %5 = train.tanh %4 : (" +
              t + ") -> " + t + "\n" + op("%6 = train.add %5, %i") +
              op("%7 = train.multiply %d, %6") +
              op("%8 = train.multiply %7, %h") + "    return %8 : " + t + "\n";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(dot.text(), &context);
  ASSERT_TRUE(module);
  std::vector<train::Tensor> inputs;
  for (mlir::Type type :
       (*module->getOps<mlir::func::FuncOp>().begin()).getArgumentTypes()) {
    inputs.push_back(
        randomTensor(mlir::cast<mlir::RankedTensorType>(type), random));
    // Inputs for which 1 + tanh does not cancel.
    for (double &value : inputs.back().values)
      value = std::abs(value) / 16;
  }
  check(dot.text(), inputs, 8);
}

} // namespace
} // namespace zcc::test

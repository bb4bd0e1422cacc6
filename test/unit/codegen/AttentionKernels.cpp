// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention kernels against the evaluator: bands, bias, masks, heads that
// share a key, operands read in place, narrow types, rows that see nothing. The
// same bits for every split of the items and every width of vectors.

#include "dialects/Train/Attention.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/codegen/RunCompiled.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::test;
using train::Tensor;

namespace {

struct Form {
  int64_t batch, queries, keys, heads, keyHeads, depth, valueDepth;
  std::string band = "";            // ", before = ..., after = ..."
  std::string bias = "", mask = ""; // shapes, as 2x4x3x5
  std::string element = "f32";
  std::string fill = "-1.0e30";
};

class AttentionKernels : public RunCompiled {
protected:
  static std::string shape(std::initializer_list<int64_t> dims,
                           const std::string &element) {
    std::string text = "tensor<";
    for (int64_t dim : dims)
      text += std::to_string(dim) + "x";
    return text + element + ">";
  }

  // @k of the one op; its operands are those of the function.
  static std::string text(const Form &f, bool gradient) {
    std::string q = shape({f.batch, f.queries, f.heads, f.depth}, f.element);
    std::string k = shape({f.batch, f.keys, f.keyHeads, f.depth}, f.element);
    std::string v =
        shape({f.batch, f.keys, f.keyHeads, f.valueDepth}, f.element);
    std::string o =
        shape({f.batch, f.queries, f.heads, f.valueDepth}, f.element);
    std::string rows = shape({f.batch, f.queries, f.heads}, "f32");
    std::vector<std::string> in = {q, k, v};
    if (!f.bias.empty())
      in.push_back("tensor<" + f.bias + "xf32>");
    if (!f.mask.empty())
      in.push_back("tensor<" + f.mask + "xi1>");
    if (gradient)
      in.insert(in.end(), {rows, rows, o});
    std::string results = gradient ? q + ", " + k + ", " + v : o + ", " + rows;
    std::string arguments, names, types;
    for (size_t i = 0; i < in.size(); ++i) {
      std::string comma = i ? ", " : "", name = "%a" + std::to_string(i);
      arguments += comma + name + ": " + in[i];
      names += comma + name;
      types += comma + in[i];
    }
    std::string n = gradient ? "3" : "2";
    return "func.func @k(" + arguments + ") -> (" + results + ") { %r:" + n +
           " = train.attention" + (gradient ? "_gradient " : " ") + names +
           " {scale = 0.1 : f64, fill = " + f.fill + " : f64" + f.band +
           ", operandSegmentSizes = array<i32: 1, 1, 1, " +
           (f.bias.empty() ? "0" : "1") + ", " + (f.mask.empty() ? "0" : "1") +
           ", 0, 0" + (gradient ? ", 1, 1, 1" : "") + ">} : (" + types +
           ") -> (" + results + ") return %r#0, %r#1" +
           (gradient ? ", %r#2" : "") + " : " + results + " }";
  }

  // Largest error, relative to the largest element.
  static double error(const Tensor &expected, const Tensor &actual) {
    double largest = 0, off = 0;
    for (size_t i = 0; i < expected.values.size(); ++i) {
      double x = expected.values[i], y = actual.values[i];
      if ((std::isnan(x) && std::isnan(y)) || x == y)
        continue;
      if (!std::isfinite(x) || !std::isfinite(y))
        return HUGE_VAL;
      largest = std::max(largest, std::abs(x));
      off = std::max(off, std::abs(x - y));
    }
    return largest == 0 ? off : off / largest;
  }

  void compare(const std::string &text, ArrayRef<Tensor> inputs,
               SmallVectorImpl<Tensor> &expected, double bound) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    auto kernel = module->lookupSymbol<func::FuncOp>("k");
    std::string message;
    train::EvaluateOptions exact;
    ASSERT_TRUE(train::evaluate(kernel, inputs, expected, message, exact))
        << message;
    std::vector<std::string> first;
    for (auto [cpu, lanes] : {std::pair<const char *, unsigned>("native", 0),
                              {"x86-64-v3", 8},
                              {"x86-64-v3", 16}}) {
      CodegenOptions options;
      options.lanes = lanes;
      auto loaded = LoadedKernels::compile({kernel}, options, cpu);
      ASSERT_TRUE(loaded) << text;
      for (unsigned parts : {1, 3}) {
        std::vector<std::string> bytes = loaded->run(0, kernel, inputs, parts);
        if (first.empty()) {
          first = bytes;
          for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
            EXPECT_LT(error(expected[i],
                            fromBytes(cast<RankedTensorType>(type), bytes[i])),
                      bound)
                << "result " << i << " of " << text;
        }
        EXPECT_TRUE(bytes == first) << cpu << ", " << lanes << " lanes, "
                                    << parts << " parts: " << text;
      }
    }
  }

  void check(const Form &f, bool hideRow = false) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text(f, false), &context);
    ASSERT_TRUE(module) << text(f, false);
    auto forward = module->lookupSymbol<func::FuncOp>("k");
    std::vector<Tensor> inputs;
    for (Type type : forward.getArgumentTypes())
      inputs.push_back(
          randomTensor(cast<RankedTensorType>(type), random, 0, 1));
    if (hideRow) // the first batch sees nothing
      for (size_t i = 0; i < inputs.back().values.size() / f.batch; ++i) {
        inputs.back().values[i] = 0;
        if (!inputs.back().integers.empty())
          inputs.back().integers[i] = 0;
      }
    double bound = f.element == "f32" ? 2e-6 : 1e-2;
    SmallVector<Tensor> results;
    compare(text(f, false), inputs, results, bound);
    // The gradient reads lse, and delta, the cotangent along the result.
    Tensor cotangent = randomTensor(results[0].type, random);
    Tensor delta = results[1];
    for (size_t row = 0; row < delta.values.size(); ++row) {
      delta.values[row] = 0;
      for (int64_t e = 0; e < f.valueDepth; ++e)
        delta.values[row] += cotangent.values[row * f.valueDepth + e] *
                             results[0].values[row * f.valueDepth + e];
    }
    inputs.insert(inputs.end(), {results[1], delta, cotangent});
    SmallVector<Tensor> gradients;
    compare(text(f, true), inputs, gradients, bound);
  }
};

TEST_F(AttentionKernels, Plain) {
  check({2, 48, 48, 2, 2, 16, 16});
  check({1, 50, 37, 3, 3, 8, 24});
  check({2, 7, 300, 1, 1, 33, 5});
  check({1, 1, 1, 1, 1, 1, 1});
}

TEST_F(AttentionKernels, Bands) {
  check({1, 130, 130, 2, 2, 16, 16, ", after = 0 : i64"});
  check({1, 130, 130, 2, 2, 16, 16, ", before = 20 : i64, after = 0 : i64"});
  check({1, 100, 120, 1, 1, 12, 20, ", before = 70 : i64, after = 25 : i64"});
  check({1, 500, 500, 1, 1, 4, 4, ", after = 0 : i64"});
}

TEST_F(AttentionKernels, HeadsThatShareAKey) {
  check({2, 60, 60, 6, 2, 16, 16, ", after = 0 : i64"});
  check({1, 20, 30, 4, 1, 8, 8});
}

TEST_F(AttentionKernels, BiasAndMask) {
  check({2, 50, 70, 2, 2, 16, 16, "", "1x2x50x70"});
  check({2, 50, 70, 2, 2, 16, 16, ", after = 20 : i64", "1x1x1x70"});
  check({2, 50, 70, 2, 2, 16, 16, "", "", "2x1x1x70"});
  check(
      {2, 50, 70, 2, 1, 16, 16, ", after = 0 : i64", "2x1x50x1", "2x2x50x70"});
}

TEST_F(AttentionKernels, RowsThatSeeNothing) {
  check({2, 50, 70, 2, 2, 16, 16, ", after = 0 : i64", "", "2x1x1x70"}, true);
}

TEST_F(AttentionKernels, NarrowTypes) {
  for (const char *element : {"bf16", "f16"})
    check({2, 50, 50, 4, 2, 16, 24, ", after = 0 : i64", "", "", element});
}

// Parts of one tensor, and another order of dims, without a copy.
TEST_F(AttentionKernels, ReadsInPlace) {
  std::string text = R"(
    func.func @k(%x: tensor<3x2x40x4x16xf32>, %y: tensor<2x4x16x40xf32>)
        -> tensor<2x40x4x16xf32> {
      %0 = train.slice %x {start = array<i64: 0, 0, 0, 0, 0>, limit = array<i64: 1, 2, 40, 4, 16>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x40x4x16xf32>) -> tensor<1x2x40x4x16xf32>
      %q = train.reshape %0 : (tensor<1x2x40x4x16xf32>) -> tensor<2x40x4x16xf32>
      %1 = train.slice %x {start = array<i64: 2, 0, 0, 0, 0>, limit = array<i64: 3, 2, 40, 4, 16>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x40x4x16xf32>) -> tensor<1x2x40x4x16xf32>
      %v = train.reshape %1 : (tensor<1x2x40x4x16xf32>) -> tensor<2x40x4x16xf32>
      %k = train.transpose %y {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x16x40xf32>) -> tensor<2x40x4x16xf32>
      %r:2 = train.attention %q, %k, %v {scale = 0.25 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>} : (tensor<2x40x4x16xf32>, tensor<2x40x4x16xf32>, tensor<2x40x4x16xf32>) -> (tensor<2x40x4x16xf32>, tensor<2x40x4xf32>)
      return %r#0 : tensor<2x40x4x16xf32>
    })";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  std::vector<Tensor> inputs;
  for (Type type : module->lookupSymbol<func::FuncOp>("k").getArgumentTypes())
    inputs.push_back(randomTensor(cast<RankedTensorType>(type), random));
  SmallVector<Tensor> expected;
  compare(text, inputs, expected, 1e-6);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient, expanded into elementary ops, give the same as
// the ops themselves, in double, by the reference evaluator.
#include "dialects/Train/Attention.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/evaluate/Evaluator.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace zcc::train;

namespace {

class AttentionGraph : public ::testing::Test {
protected:
  AttentionGraph() { context.loadDialect<TrainDialect, func::FuncDialect>(); }

  double random() { // in [-2, 2)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-51 - 2;
  }

  // `more`: attributes; `extra`: operands after the value, with their types;
  // `kept`: the type of the last operand, or empty.
  void check(const std::string &more, const std::string &segments,
             std::vector<std::pair<std::string, std::string>> extra,
             const std::string &kept) {
    const std::string q = "tensor<2x3x4x2xf64>", k = "tensor<2x5x2x2xf64>",
                      v = "tensor<2x5x2x3xf64>", o = "tensor<2x3x4x3xf64>",
                      rows = "tensor<2x3x4xf64>";
    std::string arguments, names, types;
    for (auto &[name, type] : extra) {
      arguments += ", " + name + ": " + type;
      names += ", " + name;
      types += ", " + type;
    }
    if (!kept.empty())
      arguments += ", %e: " + kept;
    std::string last = kept.empty() ? "" : ", %e",
                lastType = kept.empty() ? "" : ", " + kept,
                lastSegment = kept.empty() ? ", 0" : ", 1";
    std::string attributes = "scale = 0.7 : f64, fill = -1.0e30 : f64" + more +
                             ", operandSegmentSizes = array<i32: 1, 1, 1, " +
                             segments;
    std::string text =
        "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v + ", %g: " + o +
        ", %d: " + rows + arguments + ") -> (" + o + ", " + q + ", " + k +
        ", " + v + ", " + rows + ") {\n  %o, %l = train.attention %q, %k, %v" +
        names + last + " {" + attributes + lastSegment + ">} : (" + q + ", " +
        k + ", " + v + types + lastType + ") -> (" + o + ", " + rows +
        ")\n  %r:3 = train.attention_gradient %q, %k, %v" + names +
        ", %l, %d, %g" + last + " {" + attributes + ", 1, 1, 1" + lastSegment +
        ">} : (" + q + ", " + k + ", " + v + types + ", " + rows + ", " + rows +
        ", " + o + lastType + ") -> (" + q + ", " + k + ", " + v +
        ")\n  return %o, %r#0, %r#1, %r#2, %l : " + o + ", " + q + ", " + k +
        ", " + v + ", " + rows + "\n}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    auto function = module->lookupSymbol<func::FuncOp>("f");
    std::vector<Tensor> inputs;
    for (Type type : function.getArgumentTypes()) {
      Tensor tensor{cast<RankedTensorType>(type), {}};
      bool predicate = tensor.type.getElementType().isInteger(1);
      for (int64_t i = 0; i < tensor.type.getNumElements(); ++i)
        // The first batch sees nothing.
        tensor.values.push_back(
            predicate ? 2 * i >= tensor.type.getNumElements() && random() < 1
                      : random());
      inputs.push_back(tensor);
    }
    SmallVector<Tensor> expected, actual;
    std::string error;
    EvaluateOptions options;
    options.asDouble = true;
    ASSERT_TRUE(evaluate(function, inputs, expected, error, options)) << error;
    SmallVector<Operation *> ops;
    for (Operation &op : function.getBody().front())
      if (isa<AttentionOp, AttentionGradientOp>(op))
        ops.push_back(&op);
    for (Operation *op : ops) {
      OpBuilder builder(op);
      SmallVector<Value> results =
          isa<AttentionOp>(op)
              ? decompose(builder, cast<AttentionOp>(op))
              : decompose(builder, cast<AttentionGradientOp>(op));
      op->replaceAllUsesWith(results);
      op->erase();
    }
    ASSERT_TRUE(evaluate(function, inputs, actual, error, options)) << error;
    for (size_t i = 0; i < expected.size(); ++i)
      for (size_t j = 0; j < expected[i].values.size(); ++j) {
        double x = expected[i].values[j], y = actual[i].values[j];
        EXPECT_TRUE(x == y || std::abs(x - y) < 1e-10)
            << "result " << i << ", element " << j << ": " << x << " and " << y
            << "\n"
            << text;
      }
  }

  MLIRContext context;
  uint64_t state = 1;
};

TEST_F(AttentionGraph, Plain) { check("", "0, 0, 0, 0", {}, ""); }
TEST_F(AttentionGraph, Band) {
  check(", before = 1 : i64, after = 2 : i64", "0, 0, 0, 0", {}, "");
}
TEST_F(AttentionGraph, BiasAndMask) {
  check(", after = 1 : i64", "1, 1, 0, 0",
        {{"%b", "tensor<1x4x3x5xf64>"}, {"%m", "tensor<2x1x1x5xi1>"}}, "");
}
TEST_F(AttentionGraph, Dropout) {
  check(", kept_scale = 1.25 : f64", "0, 1, 0, 0",
        {{"%m", "tensor<2x1x1x5xi1>"}}, "tensor<2x4x3x5xi1>");
}

} // namespace

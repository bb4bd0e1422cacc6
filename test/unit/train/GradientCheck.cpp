// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every derivative of the train dialect against central differences of a
// weighted sum of the op's results, in double, by the reference evaluator. An
// op fails if it has no example, unless it is declared not differentiable.
#include "dialects/Train/Gradients.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/evaluate/Evaluator.h"
#include "test/unit/train/GradientExamples.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace zcc::train;

namespace {

class GradientCheck : public ::testing::Test {
protected:
  GradientCheck() { context.loadDialect<TrainDialect, func::FuncDialect>(); }

  // func @f(operands) -> results of the one op.
  static std::string textOf(const GradientExample &example) {
    std::string arguments, operands, types, results, values;
    for (size_t i = 0; i < example.operandTypes.size(); ++i) {
      std::string comma = i ? ", " : "", name = "%a" + std::to_string(i);
      arguments += comma + name + ": " + example.operandTypes[i];
      operands += comma + name;
      types += comma + example.operandTypes[i];
    }
    for (size_t i = 0; i < example.resultTypes.size(); ++i) {
      results += (i ? ", " : "") + example.resultTypes[i];
      values += (i ? ", " : "") + ("%r#" + std::to_string(i));
    }
    return "func.func @f(" + arguments + ") -> (" + results +
           ") {\n  %r:" + std::to_string(example.resultTypes.size()) +
           " = train." + example.op + " " + operands + " {" +
           example.attributes + "} : (" + types + ") -> (" + results +
           ")\n  return " + values + " : " + results + "\n}\n";
  }

  double random() { // in [0, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  }
  Tensor makeTensor(RankedTensorType type, const ExampleRange &range) {
    Tensor tensor{type, range.values};
    bool integer = isa<IntegerType>(type.getElementType());
    for (int64_t i = tensor.values.size(); i < type.getNumElements(); ++i)
      tensor.values.push_back(
          integer
              ? range.low + std::floor(random() * (range.high - range.low + 1))
              : range.low + random() * (range.high - range.low));
    return tensor;
  }

  struct Built {
    OwningOpRef<ModuleOp> module;
    func::FuncOp gradient;         // of operands and result cotangents
    std::vector<bool> hasGradient; // one entry an operand
  };
  // The function's op's derivative as a function. `mask`: which results have a
  // cotangent.
  Built build(const std::string &text, const std::vector<bool> &mask) {
    Built built;
    built.module = parseSourceString<ModuleOp>(text, &context);
    if (!built.module)
      return built;
    auto function = built.gradient =
        *built.module->getOps<func::FuncOp>().begin();
    Block &block = function.getBody().front();
    // The op that is differentiated is the last; others only make its operands.
    auto op =
        cast<DifferentiableOpInterface>(block.getTerminator()->getPrevNode());
    SmallVector<Value> cotangents, gradients(op->getNumOperands()), returned;
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      cotangents.push_back(
          isFloat(result) && mask[i]
              ? Value(block.addArgument(result.getType(), op->getLoc()))
              : Value());
    OpBuilder builder(block.getTerminator());
    op.buildGradient(builder, cotangents, gradients);
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), gradients)) {
      if (isa<BlockArgument>(operand))
        built.hasGradient.push_back(static_cast<bool>(gradient));
      if (!gradient || !isa<BlockArgument>(operand))
        continue;
      EXPECT_EQ(gradient.getType(), operand.getType());
      returned.push_back(gradient);
    }
    block.getTerminator()->erase();
    builder.setInsertionPointToEnd(&block);
    func::ReturnOp::create(builder, op->getLoc(), returned);
    function.setType(FunctionType::get(&context, block.getArgumentTypes(),
                                       ValueRange(returned).getTypes()));
    EXPECT_TRUE(succeeded(verify(*built.module)));
    return built;
  }

  void check(const std::string &text, const std::vector<ExampleRange> &ranges,
             std::vector<bool> mask = {true, true}) {
    SCOPED_TRACE(text);
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    Built built = build(text, mask);
    std::vector<Tensor> inputs;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      inputs.push_back(
          makeTensor(cast<RankedTensorType>(type),
                     i < ranges.size() ? ranges[i] : ExampleRange()));
    std::vector<Tensor> weights;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      weights.push_back(makeTensor(cast<RankedTensorType>(type), {0.5, 1.5}));
    EvaluateOptions options;
    options.asDouble = true;
    auto loss = [&] {
      SmallVector<Tensor> results;
      std::string error;
      EXPECT_TRUE(evaluate(function, inputs, results, error, options)) << error;
      double sum = 0;
      for (auto [i, result] : llvm::enumerate(results))
        if (isa<FloatType>(result.type.getElementType()) && mask[i])
          for (size_t j = 0; j < result.values.size(); ++j)
            sum += weights[i].values[j] * result.values[j];
      return sum;
    };
    std::vector<Tensor> arguments = inputs;
    for (auto [i, weight] : llvm::enumerate(weights))
      if (isa<FloatType>(weight.type.getElementType()) && mask[i])
        arguments.push_back(weight);
    SmallVector<Tensor> gradients;
    std::string error;
    ASSERT_TRUE(evaluate(built.gradient, arguments, gradients, error, options))
        << error;

    size_t next = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      bool floating = isa<FloatType>(inputs[i].type.getElementType());
      if (!floating) {
        EXPECT_FALSE(built.hasGradient[i])
            << "operand " << i << " is of integers";
        continue;
      }
      const Tensor *gradient =
          built.hasGradient[i] ? &gradients[next++] : nullptr;
      for (size_t j = 0; j < inputs[i].values.size(); ++j) {
        constexpr double step = 1e-5;
        double &x = inputs[i].values[j], saved = x;
        x = saved + step;
        double above = loss();
        x = saved - step;
        double below = loss();
        x = saved;
        double expected = (above - below) / (2 * step),
               found = gradient ? gradient->values[j] : 0;
        ASSERT_NEAR(found, expected, 1e-7 * (1 + std::abs(expected)))
            << "operand " << i << ", element " << j;
      }
    }
  }

  // Gradients of the first operand for given values, all cotangents 1.
  std::vector<double> gradientOf(const std::string &text,
                                 std::vector<std::vector<double>> values) {
    SCOPED_TRACE(text);
    Built built = build(text, {true, true});
    std::vector<Tensor> arguments;
    for (auto [i, type] : llvm::enumerate(built.gradient.getArgumentTypes())) {
      auto tensor = cast<RankedTensorType>(type);
      arguments.push_back(
          {tensor, i < values.size()
                       ? values[i]
                       : std::vector<double>(tensor.getNumElements(), 1)});
    }
    SmallVector<Tensor> gradients;
    std::string error;
    EXPECT_TRUE(evaluate(built.gradient, arguments, gradients, error)) << error;
    return gradients.empty() ? std::vector<double>() : gradients[0].values;
  }

  MLIRContext context;
  uint64_t state = 1;
};

using Values = std::vector<double>;

TEST_F(GradientCheck, EveryOpIsCoveredOrNotDifferentiable) {
  std::set<std::string> covered;
  for (const GradientExample &example : getGradientExamples())
    covered.insert("train." + example.op);
  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "train")
      continue;
    // Differentiate follows the rule of these by itself.
    if (name.getStringRef() == CustomDerivativeOp::getOperationName() ||
        name.getStringRef() == CotangentOp::getOperationName())
      continue;
    ++count;
    bool differentiable = name.hasInterface<DifferentiableOpInterface>();
    EXPECT_NE(differentiable, name.hasTrait<NotDifferentiable>())
        << name.getStringRef().str() << ": one of the two";
    EXPECT_EQ(differentiable, covered.count(name.getStringRef().str()) > 0)
        << name.getStringRef().str();
  }
  EXPECT_GT(count, 50u);
}

TEST_F(GradientCheck, AgreesWithCentralDifferences) {
  for (const GradientExample &example : getGradientExamples())
    check(textOf(example), example.ranges);
}

// A cotangent of one of several results only.
TEST_F(GradientCheck, SomeResultsWithoutCotangent) {
  for (const GradientExample &example : getGradientExamples())
    if (example.op == "sort" && example.operandTypes[0] == "tensor<2x5xf64>") {
      check(textOf(example), example.ranges, {true, false});
      check(textOf(example), example.ranges, {false, true});
    }
}

// The same instances in narrow types: gradients have the type of the operand,
// and everything verifies.
TEST_F(GradientCheck, NarrowTypesVerify) {
  for (const GradientExample &example : getGradientExamples())
    for (const char *type : {"bf16", "f16", "f32"}) {
      std::string text = textOf(example);
      for (size_t at; (at = text.find("xf64")) != std::string::npos;)
        text.replace(at, 4, std::string("x") + type);
      for (size_t at; (at = text.find("<f64")) != std::string::npos;)
        text.replace(at, 4, std::string("<") + type);
      if (example.op == "convert")
        continue;
      SCOPED_TRACE(text);
      build(text, {true, true});
    }
}

// A product of narrow operands with a wide result.
TEST_F(GradientCheck, ProductsWithWiderResults) {
  build(
      R"(func.func @f(%a: tensor<2x3xbf16>, %b: tensor<3x4xbf16>) -> tensor<2x4xf32> {
    %r = train.dot_general %a, %b {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>,
      rhs_contracting = array<i64: 0>} : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
    return %r : tensor<2x4xf32>
  })",
      {true});
}

TEST_F(GradientCheck, ConstantExponents) {
  for (const char *exponent :
       {"2.0", "3.0", "0.5", "-0.5", "1.0", "0.0", "2.5"})
    check(std::string("func.func @f(%a: tensor<5xf64>) -> tensor<5xf64> {\n %n "
                      "= train.constant dense<") +
              exponent +
              "> : tensor<5xf64>\n %r = train.power %a, %n : (tensor<5xf64>, "
              "tensor<5xf64>) -> tensor<5xf64>\n return "
              "%r : tensor<5xf64>\n}",
          {{0.3, 2}});
}

// Equal extrema share the gradient. The derivative of abs at 0 is 0.
TEST_F(GradientCheck, TiesShareEqually) {
  EXPECT_EQ(gradientOf(textOf({"maximum",
                               "",
                               {"tensor<3xf64>", "tensor<3xf64>"},
                               {"tensor<3xf64>"}}),
                       {{1, 2, 3}, {1, 3, 2}}),
            Values({0.5, 0, 1}));
  EXPECT_EQ(gradientOf(textOf({"minimum",
                               "",
                               {"tensor<3xf64>", "tensor<3xf64>"},
                               {"tensor<3xf64>"}}),
                       {{1, 2, 3}, {1, 3, 2}}),
            Values({0.5, 1, 0}));
  EXPECT_EQ(
      gradientOf(
          textOf({"reduce",
                  "dims = array<i64: 0>, kind = #train<reduce_kind maximum>",
                  {"tensor<5xf64>"},
                  {"tensor<f64>"}}),
          {{1, 4, 4, 2, 4}}),
      Values({0, 1.0 / 3, 1.0 / 3, 0, 1.0 / 3}));
  EXPECT_EQ(
      gradientOf(textOf({"abs", "", {"tensor<3xf64>"}, {"tensor<3xf64>"}}),
                 {{-1, 0, 2}}),
      Values({-1, 1, 1})); // as JAX has it
}

// maximum(x, 0) of a function named relu has derivative 0 at 0.
TEST_F(GradientCheck, Relu) {
  EXPECT_EQ(gradientOf("func.func @f(%a: tensor<3xf64>) -> tensor<3xf64> {\n "
                       "%z = train.constant dense<0.0> : tensor<3xf64>\n"
                       " %r = train.maximum %a, %z {zcc.relu} : "
                       "(tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>\n"
                       " return %r : tensor<3xf64>\n}",
                       {{-1, 0, 2}}),
            Values({0, 0, 1}));
}

} // namespace

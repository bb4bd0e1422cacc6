// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules against the reference evaluator: an op sharded over any factor
// that its rule lets pass or reduce gives, on all devices together, what it
// gives whole.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Localize.h"
#include "passes/Distribute/Propagation.h"
#include "test/unit/distribute/OpExamples.h"
#include "test/unit/distribute/Spmd.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using train::FactorRule;

namespace {
class FactorRules : public ::testing::Test {
protected:
  FactorRules() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
  }

  OwningOpRef<ModuleOp> parse(const OpExample &example) {
    std::string text =
        "dist.mesh @mesh [#dist.axis<\"data\" = 2>]\n" + example.text();
    return parseSourceString<ModuleOp>(text, &context);
  }
  static func::FuncOp functionOf(ModuleOp module) {
    return module.lookupSymbol<func::FuncOp>("f");
  }
  static Operation *opOf(func::FuncOp func) {
    return func.getBody().front().getTerminator()->getPrevNode();
  }

  std::vector<Tensor> inputs(func::FuncOp func) {
    std::vector<Tensor> list;
    for (Type type : func.getArgumentTypes())
      list.push_back(sample(cast<RankedTensorType>(type), list.size()));
    return list;
  }

  // Splits the op over two devices along one factor; false if no sharding says
  // that.
  bool runSplit(const OpExample &example, unsigned factor,
                std::vector<Tensor> &results, std::string &error) {
    OwningOpRef<ModuleOp> module = parse(example);
    MeshAxes mesh(getMesh(*module));
    func::FuncOp func = functionOf(*module);
    Operation *op = opOf(func);
    OpSharding sharding{cast<train::ShardableOpInterface>(op).getFactorRule(),
                        {}};
    sharding.axes.resize(sharding.rule.factors.size());
    sharding.axes[factor].push_back(0);
    for (const auto &list : {sharding.rule.operands, sharding.rule.results})
      for (const FactorRule::Tensor &tensor : list)
        if (!mesh.toDims(sharding.rule, tensor, sharding.axes))
          return false;
    SmallVector<Placement> operands, placements;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      operands.push_back(sharding.operand(mesh, i));
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      placements.push_back(sharding.result(mesh, i));

    std::vector<Devices> arguments;
    Block &block = func.getBody().front();
    Origins origins(block, mesh);
    std::vector<Tensor> whole = inputs(func);
    for (auto [i, v] : llvm::enumerate(op->getOperands())) {
      if (Operation *constant = v.getDefiningOp()) {
        localize(constant, {}, {operands[i]}, mesh, origins);
        continue;
      }
      arguments.push_back(shard(whole[arguments.size()], operands[i], mesh));
      v.setType(arguments.back()[0].type);
    }
    localize(op, operands, placements, mesh, origins);
    func.setFunctionType(
        FunctionType::get(&context, block.getArgumentTypes(),
                          block.getTerminator()->getOperandTypes()));
    if (failed(verify(*module))) {
      error = "the op on shards is not valid";
      return true;
    }
    std::vector<Devices> parts;
    if (evaluateOnMesh(func, mesh, arguments, parts, error))
      for (auto [placement, devices] : llvm::zip_equal(placements, parts))
        results.push_back(unshard(devices, placement, mesh, error));
    return true;
  }

  MLIRContext context;
};

TEST_F(FactorRules, EveryOpHasAnExample) {
  std::set<std::string> names;
  for (const OpExample &example : opExamples())
    names.insert("train." + example.name);
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "train")
      EXPECT_TRUE(names.count(name.getStringRef().str()))
          << name.getStringRef().str();
}

TEST_F(FactorRules, FactorsMakeUpTheShapes) {
  for (const OpExample &example : opExamples()) {
    OwningOpRef<ModuleOp> module = parse(example);
    ASSERT_TRUE(module) << example.text();
    Operation *op = opOf(functionOf(*module));
    FactorRule rule = cast<train::ShardableOpInterface>(op).getFactorRule();
    ASSERT_EQ(rule.operands.size(), op->getNumOperands()) << example.text();
    ASSERT_EQ(rule.results.size(), op->getNumResults()) << example.text();
    auto check = [&](Value v, const FactorRule::Tensor &tensor) {
      ASSERT_EQ(tensor.size(), train::shapeOf(v).size()) << example.text();
      for (auto [extent, dim] : llvm::zip_equal(train::shapeOf(v), tensor)) {
        int64_t product = 1;
        for (unsigned factor : dim)
          product *= rule.factors[factor].size;
        // A dim of 1 that is repeated, or an extent that has no factor.
        EXPECT_EQ(product, extent) << example.text();
      }
    };
    for (auto [v, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
      check(v, tensor);
    for (auto [v, tensor] : llvm::zip_equal(op->getResults(), rule.results))
      check(v, tensor);
  }
}

TEST_F(FactorRules, ShardsGiveTheWhole) {
  unsigned splits = 0;
  for (const OpExample &example : opExamples()) {
    OwningOpRef<ModuleOp> module = parse(example);
    ASSERT_TRUE(module) << example.text();
    func::FuncOp func = functionOf(*module);
    SmallVector<Tensor> expected;
    std::string error;
    train::EvaluateOptions options;
    options.asDouble = true;
    ASSERT_TRUE(train::evaluate(func, inputs(func), expected, error, options))
        << error << "\n"
        << example.text();
    FactorRule rule =
        cast<train::ShardableOpInterface>(opOf(func)).getFactorRule();
    for (auto [factor, f] : llvm::enumerate(rule.factors)) {
      if (f.kind == FactorRule::Kind::Replicate || f.size % 2 != 0)
        continue;
      std::vector<Tensor> results;
      std::string problem;
      if (!runSplit(example, factor, results, problem))
        continue;
      ++splits;
      EXPECT_EQ(problem, "") << "factor " << factor << "\n" << example.text();
      ASSERT_EQ(results.size(), expected.size())
          << problem << ", factor " << factor << "\n"
          << example.text();
      for (auto [a, b] : llvm::zip_equal(expected, results))
        EXPECT_LT(difference(a, b), 1e-12) << "factor " << factor << "\n"
                                           << example.text();
    }
  }
  EXPECT_GT(splits, 100u);
}
} // namespace

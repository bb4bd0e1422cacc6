// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules and localization against the reference evaluator: an op that is
// sharded over any factors that its rule passes or reduces, divisible or not,
// gives the same on all devices together as on one. Padding holds NaN, so that
// any read of it shows.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Partition/Localize.h"
#include "passes/Distribute/Sharding/StepSharding.h"
#include "passes/Distribute/Sharding/Window.h"
#include "test/unit/distribute/OpExamples.h"
#include "test/unit/distribute/Spmd.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

namespace {
class FactorRules : public ::testing::Test {
protected:
  FactorRules() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
  }

  // The example on a mesh of two axes.
  OwningOpRef<ModuleOp> parse(const OpExample &example, unsigned seed = 0) {
    std::string text =
        "dist.mesh @mesh [#dist.axis<\"a\" = 2>, #dist.axis<\"b\" = 3>]\n" +
        example.text(seed);
    return parseSourceString<ModuleOp>(text, &context);
  }
  static func::FuncOp functionOf(ModuleOp module) {
    return module.lookupSymbol<func::FuncOp>("f");
  }
  static Operation *opOf(func::FuncOp func) {
    return func.getBody().front().getTerminator()->getPrevNode();
  }

  static std::vector<Tensor> inputs(func::FuncOp func) {
    std::vector<Tensor> list;
    for (Type type : func.getArgumentTypes())
      list.push_back(sample(cast<RankedTensorType>(type), list.size()));
    return list;
  }

  // Factors with the axes of each; nullopt if no placement says that.
  static std::optional<OpSharding>
  shardFactors(const FactorRule &rule, const MeshAxes &mesh,
               ArrayRef<std::pair<unsigned, AxisList>> assigned) {
    OpSharding sharding{rule, wholeFactors(rule)};
    std::optional<train::ReduceKind> reduction;
    for (const auto &[factor, axes] : assigned) {
      const FactorRule::Factor &f = rule.factors[factor];
      if (f.kind == FactorRule::Kind::Replicate)
        return std::nullopt;
      // A value is partial under one reduction.
      if (f.kind == FactorRule::Kind::Reduce) {
        if (reduction && *reduction != f.reduction)
          return std::nullopt;
        reduction = f.reduction;
      }
      sharding.factors[factor] = {axes, mesh.pad(f.size, 1, axes)};
    }
    if (!windowsFit(mesh, rule, sharding.factors))
      return std::nullopt;
    for (const auto &list : {rule.operands, rule.results})
      for (const FactorRule::Tensor &tensor : list)
        if (!mesh.toDims(rule, tensor, sharding.factors))
          return std::nullopt;
    return sharding;
  }

  // The op on shards, on all devices; the results joined.
  static std::vector<Tensor>
  runSplit(ModuleOp example, const OpSharding &sharding, std::string &error) {
    OwningOpRef<ModuleOp> module = example.clone();
    MeshAxes mesh(getMesh(*module));
    func::FuncOp func = functionOf(*module);
    Operation *op = opOf(func);
    SmallVector<Lives> operands, placements;
    auto lives = [](Value v, const Placement &placement) {
      return Lives{SmallVector<int64_t>(train::shapeOf(v)), placement};
    };
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      operands.push_back(lives(v, sharding.operand(mesh, i)));
    SmallVector<RankedTensorType> types;
    for (auto [i, v] : llvm::enumerate(op->getResults())) {
      placements.push_back(lives(v, sharding.result(mesh, i)));
      types.push_back(train::tensorType(v));
    }
    std::vector<Devices> arguments;
    Block &block = func.getBody().front();
    Origins origins(block, mesh);
    std::vector<Tensor> whole = inputs(func);
    for (auto [i, v] : llvm::enumerate(op->getOperands())) {
      if (Operation *constant = v.getDefiningOp()) {
        localize(constant, nullptr, {}, {operands[i]}, mesh, origins);
        continue;
      }
      arguments.push_back(
          shard(whole[arguments.size()], operands[i].placement, mesh));
      v.setType(arguments.back()[0].type);
    }
    localize(op, &sharding.rule, operands, placements, mesh, origins);
    func.setFunctionType(
        FunctionType::get(module->getContext(), block.getArgumentTypes(),
                          block.getTerminator()->getOperandTypes()));
    std::vector<Tensor> results;
    if (failed(verify(*module))) {
      error = "the op on shards is not valid";
      return results;
    }
    std::vector<Devices> parts;
    if (evaluateOnMesh(func, mesh, arguments, parts, error))
      for (auto [own, type, devices] :
           llvm::zip_equal(placements, types, parts))
        results.push_back(unshard(devices, type, own.placement, mesh, error));
    return results;
  }

  // Everything that can be assigned to the axes a (2 devices) and b (3).
  static std::vector<std::vector<std::pair<unsigned, AxisList>>>
  assignments(const FactorRule &rule) {
    std::vector<std::vector<std::pair<unsigned, AxisList>>> all;
    for (unsigned f = 0; f < rule.factors.size(); ++f) {
      for (const AxisList &axes : {AxisList{0}, AxisList{1}, AxisList{1, 0}})
        all.push_back({{f, axes}});
      for (unsigned g = 0; g < rule.factors.size(); ++g)
        if (g != f)
          all.push_back({{f, {0}}, {g, {1}}});
      // The factors that must move with it.
      auto followers = followersOf(rule, f);
      for (const AxisList &axes : {AxisList{0}, AxisList{1}, AxisList{1, 0}})
        if (!followers.empty()) {
          auto &together = all.emplace_back();
          together.push_back({f, axes});
          for (unsigned follower : followers)
            together.push_back({follower, axes});
        }
    }
    return all;
  }

  struct Count {
    unsigned splits = 0, uneven = 0;
  };
  // Every assignment of the example's factors to the axes.
  void checkShards(const OpExample &example, unsigned seed, Count &count) {
    OwningOpRef<ModuleOp> module = parse(example, seed);
    ASSERT_TRUE(module) << example.text(seed);
    func::FuncOp func = functionOf(*module);
    SmallVector<Tensor> expected;
    std::string error;
    train::EvaluateOptions options;
    options.asDouble = true;
    EXPECT_TRUE(train::evaluate(func, inputs(func), expected, error, options))
        << error << "\n"
        << example.text(seed);
    MeshAxes mesh(getMesh(*module));
    FactorRule rule =
        cast<train::ShardableOpInterface>(opOf(func)).getFactorRule();
    for (const auto &assigned : assignments(rule)) {
      std::optional<OpSharding> sharding = shardFactors(rule, mesh, assigned);
      if (!sharding)
        continue;
      std::string problem, what;
      for (const auto &[factor, axes] : assigned) {
        what += " factor " + std::to_string(factor) + " of " +
                std::to_string(rule.factors[factor].size) + " over " +
                std::to_string(mesh.shards(axes));
        count.uneven +=
            sharding->factors[factor].padded != rule.factors[factor].size;
      }
      ++count.splits;
      std::vector<Tensor> results = runSplit(*module, *sharding, problem);
      EXPECT_EQ(problem, "") << what << "\n" << example.text(seed);
      EXPECT_EQ(results.size(), expected.size()) << what << "\n"
                                                 << example.text(seed);
      if (results.size() != expected.size())
        continue;
      for (auto [a, b] : llvm::zip_equal(expected, results))
        EXPECT_LT(difference(a, b), 1e-12) << what << "\n"
                                           << example.text(seed);
    }
  }

  MLIRContext context;
};

TEST_F(FactorRules, EveryOpHasAnExample) {
  std::set<std::string> names;
  for (const OpExample &example : opExamples())
    names.insert("train." + example.name);
  for (RegisteredOperationName name : context.getRegisteredOperations())
    // No derivative's rule is left when a step is sharded.
    if (name.getDialectNamespace() == "train" &&
        name.getStringRef() != train::CustomDerivativeOp::getOperationName() &&
        name.getStringRef() != train::CotangentOp::getOperationName())
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
  Count count;
  for (const OpExample &example : opExamples())
    for (unsigned seed : {0, 1, 2, 3, 4, 5, 6, 7})
      checkShards(example, seed, count);
  EXPECT_GT(count.splits, 2000u);
  EXPECT_GT(count.uneven, 1000u);
}

TEST_F(FactorRules, WindowsOfShardsGiveTheWhole) {
  Count count;
  for (const OpExample &example : windowExamples(/*seed=*/1, /*count=*/600))
    checkShards(example, 0, count);
  EXPECT_GT(count.splits, 6000u);
  EXPECT_GT(count.uneven, 3000u);
}

TEST_F(FactorRules, PicksOfShardsGiveTheWhole) {
  Count count;
  for (const OpExample &example : pickExamples(/*seed=*/1, /*count=*/300))
    checkShards(example, 0, count);
  EXPECT_GT(count.splits, 2000u);
  EXPECT_GT(count.uneven, 1000u);
}
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of axes and of their parts, and the cost of moving values.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Estimate/PlacementCost.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
class Placements : public ::testing::Test {
protected:
  Placements() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
  }
  MeshAxes meshOf(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return MeshAxes(getMesh(*module));
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Placements, PartsOfAxesByName) {
  MeshAxes mesh = meshOf("dist.mesh @mesh [#dist.axis<\"x:(1)2\" = 2>, "
                         "#dist.axis<\"x:(2)2\" = 2>, #dist.axis<\"x:(4)3\" = "
                         "3>, #dist.axis<\"y\" = 2>]");
  EXPECT_EQ(mesh.findAll("x"), (AxisList{0, 1, 2}));
  EXPECT_EQ(mesh.findAll("x:(1)4"), (AxisList{0, 1}));
  EXPECT_EQ(mesh.findAll("x:(2)2"), (AxisList{1}));
  EXPECT_EQ(mesh.findAll("y"), (AxisList{3}));
  EXPECT_EQ(mesh.findAll("x:(1)3"), std::nullopt);
  EXPECT_EQ(mesh.findAll("x:2"), std::nullopt);
  EXPECT_EQ(mesh.findAll("z"), std::nullopt);
  // Names are printed in the form in which users write them.
  EXPECT_EQ(mesh.textOf({0, 1, 2, 3}, "+"), "x+y");
  EXPECT_EQ(mesh.textOf({1, 2}, "+"), "x:(2)6");
  EXPECT_EQ(mesh.textOf({1, 0}, "+"), "x:(2)2+x:(1)2");
  EXPECT_EQ(mesh.wholeNameOf(1), "x");
}

TEST_F(Placements, OneDeviceHasAllParts) {
  MeshAxes mesh = meshOf("dist.mesh @mesh [#dist.axis<\"x\" = 1>]");
  EXPECT_EQ(mesh.findAll("x:(2)2"), (AxisList{0}));
}

// Parts of a sum that are read narrower cross the network narrower.
TEST_F(Placements, NarrowSumsCostLess) {
  auto costWith = [&](StringRef type) {
    MeshAxes mesh =
        meshOf(("dist.mesh @mesh [#dist.axis<\"x\" = 2>]\n"
                "func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> "
                "tensor<4x4x" +
                type + "> {\n" +
                "  %0 = train.dot_general %a, %b {lhs_batching = array<i64>, "
                "lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, "
                "rhs_contracting = array<i64: 0>} : (tensor<4x8xf32>, "
                "tensor<8x4xf32>) -> tensor<4x4xf32>\n" +
                "  %1 = train.convert %0 : (tensor<4x4xf32>) -> tensor<4x4x" +
                type + ">\n  return %1 : tensor<4x4x" + type + ">\n}")
                   .str());
    auto func = module->lookupSymbol<func::FuncOp>("f");
    Block &block = func.getBody().front();
    StepSharding step;
    collectRules(block, step);
    Operation *dot = &block.front();
    OpSharding &sharding = step.ops.find(dot)->second;
    for (auto [f, factor] : llvm::enumerate(sharding.rule.factors))
      if (factor.kind == train::FactorRule::Kind::Reduce)
        sharding.factors[f].axes = {0};
    return costOf(step, mesh, dot->getResult(0));
  };
  EXPECT_EQ(costWith("f64"), 2 * 64 / 2.); // an all-reduce of 4x4 of f32
  EXPECT_EQ(costWith("bf16"), 2 * 64 / 2. / 2);
}
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The enums that are text in the IR: tags, regions, kinds of tasks.
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "planning/StepExtent.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;

namespace {

struct StepNames : ::testing::Test {
  StepNames() { context.loadDialect<dist::DistDialect, train::TrainDialect>(); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  Operation *op = *module;

  StringRef text(StringRef name) {
    return op->getAttrOfType<StringAttr>(name).getValue();
  }
  void write(StringRef name, StringRef value) {
    op->setAttr(name, StringAttr::get(&context, value));
  }
};

TEST_F(StepNames, OpsHaveTags) {
  EXPECT_EQ(train::tagOf(op), std::nullopt);
  EXPECT_FALSE(train::isForward(op));
  train::setTag(op, train::Tag::Backward);
  EXPECT_EQ(text("train.tag"), "backward");
  EXPECT_EQ(train::tagOf(op), train::Tag::Backward);
  EXPECT_TRUE(train::hasTag(op, train::Tag::Backward));
  write("train.tag", "sideways");
  EXPECT_EQ(train::tagOf(op), std::nullopt);
}

TEST_F(StepNames, TasksHaveKindsAndRegions) {
  EXPECT_EQ(dist::taskKindOf(op), std::nullopt);
  EXPECT_EQ(dist::regionOf(op), std::nullopt);
  dist::setTaskKind(op, dist::TaskKind::WeightBackward);
  dist::setRegion(op, dist::StepRegion::Micro);
  EXPECT_EQ(text("dist.task"), "weight_backward");
  EXPECT_EQ(text("dist.region"), "micro");
  EXPECT_TRUE(dist::isBackward(*dist::taskKindOf(op)));
  EXPECT_TRUE(dist::isOfMicrobatch(*dist::regionOf(op)));
  EXPECT_FALSE(dist::isBackward(dist::TaskKind::Epilogue));
  EXPECT_FALSE(dist::isOfMicrobatch(dist::StepRegion::After));
  write("dist.task", "weights");
  write("dist.region", "during");
  EXPECT_EQ(dist::taskKindOf(op), std::nullopt);
  EXPECT_EQ(dist::regionOf(op), std::nullopt);
}

TEST(StateCategory, FollowsFromTheKind) {
  using dist::MemoryCategory;
  EXPECT_EQ(dist::memoryCategoryOf(StateKind::Parameter),
            MemoryCategory::Parameters);
  EXPECT_EQ(dist::memoryCategoryOf(StateKind::Master),
            MemoryCategory::Optimizer);
  EXPECT_EQ(dist::memoryCategoryOf(StateKind::Slot), MemoryCategory::Optimizer);
  EXPECT_EQ(dist::memoryCategoryOf(StateKind::Average),
            MemoryCategory::Optimizer);
  EXPECT_EQ(dist::memoryCategoryOf(StateKind::Variable),
            MemoryCategory::Parameters);
}

TEST(StepExtent, FollowsFromTheOptimizer) {
  EXPECT_EQ(extentOf("forward"), StepExtent::Forward);
  EXPECT_EQ(extentOf("none"), StepExtent::Gradients);
  EXPECT_EQ(extentOf("adamw"), StepExtent::Update);
}

} // namespace

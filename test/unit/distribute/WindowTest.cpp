// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of dims that devices need for windows, and the bytes that moves.
#include "passes/Distribute/Sharding/Window.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Sharding/StepSharding.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

namespace {
FactorRule::Window window(int64_t stride, int64_t low, int64_t extent,
                          int64_t dilation = 1) {
  return {0, std::nullopt, stride, low, extent, dilation};
}

TEST(Windows, HaloOfAConvolution) {
  // Three taps, one before and one after; 4 positions on each of 2 devices.
  WindowPlan plan = planWindow(window(1, -1, 3), 4, 2, 8);
  EXPECT_EQ(plan.box.size, 6);
  EXPECT_EQ(plan.box.start(0), -1);
  EXPECT_EQ(plan.box.start(1), 3);
  EXPECT_EQ(plan.align, 1);
  EXPECT_EQ(plan.holesLow, 0);
  EXPECT_EQ(plan.holesHigh, 0);
  EXPECT_TRUE(plan.box.leaves(8, 2));
}

// With one shard a box is no larger than the dim, and the op pads as before.
TEST(Windows, WholeDim) {
  WindowPlan plan = planWindow(window(1, -1, 3), 8, 1, 8);
  EXPECT_EQ(plan.box.size, 8);
  EXPECT_EQ(plan.box.start(0), 0);
  EXPECT_EQ(plan.holesLow, 1);
  EXPECT_EQ(plan.holesHigh, 1);
}

// Device 1 begins at position 3, between two elements: it computes from 2 on.
TEST(Windows, HolesThatDiffer) {
  WindowPlan plan = planWindow(window(1, 0, 1, 2), 3, 2, 3);
  EXPECT_EQ(plan.align, 2);
  EXPECT_EQ(plan.count, 4);
  EXPECT_EQ(plan.box.start(0), 0);
  EXPECT_EQ(plan.box.start(1), 1);
  EXPECT_EQ(plan.box.size, 2);
}

TEST(Windows, Reversed) {
  WindowPlan plan = planWindow(window(-1, 7, 1), 2, 4, 8);
  for (int64_t device = 0; device < 4; ++device)
    EXPECT_EQ(plan.box.start(device), 6 - 2 * device);
}

class HaloBytes : public ::testing::Test {
protected:
  HaloBytes() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
  }

  // The halo of the last op, whose factors `split` are split over 4 devices.
  double halo(const std::string &body, ArrayRef<unsigned> split) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "dist.mesh @mesh [#dist.axis<\"x\" = 4>]\n" + body, &context);
    EXPECT_TRUE(module);
    MeshAxes mesh(getMesh(*module));
    auto func = *module->getOps<func::FuncOp>().begin();
    Operation *op = func.getBody().front().getTerminator()->getPrevNode();
    FactorRule rule = cast<train::ShardableOpInterface>(op).getFactorRule();
    OpSharding sharding{rule, wholeFactors(rule)};
    for (unsigned f : split)
      sharding.factors[f] = {{0}, mesh.pad(rule.factors[f].size, 1, {0u})};
    return haloBytes(op, mesh, sharding);
  }

  MLIRContext context;
};

constexpr const char *pooling = R"(
func.func @f(%a: tensor<3x16xf32>) {
  %0 = train.reduce_window %a {window = array<i64: 1, 3>, strides = array<i64: 1, 1>, base_dilation = array<i64: 1, 1>, window_dilation = array<i64: 1, 1>, pad_low = array<i64: 0, 1>, pad_high = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  return
})";

// Factors: the rows, the positions, what they read.
TEST_F(HaloBytes, EdgesOfNeighbors) {
  EXPECT_EQ(halo(pooling, {1, 2}), 3 * 2 * 4);
  // All come from others, or none.
  EXPECT_EQ(halo(pooling, {2}), 3 * 12 * 4);
  EXPECT_EQ(halo(pooling, {1}), 0);
}

// One element of the last device, on all: a slice of extent 1 has no position.
TEST_F(HaloBytes, PartThatAllNeed) {
  EXPECT_EQ(halo(R"(
func.func @f(%a: tensor<3x16xf32>) {
  %0 = train.slice %a {start = array<i64: 0, 15>, limit = array<i64: 3, 16>, stride = array<i64: 1, 1>} : (tensor<3x16xf32>) -> tensor<3x1xf32>
  return
})",
                 {1}),
            3 * 4);
}

// The maxima of three rows, an all-reduce; nothing where the rows are split.
TEST_F(HaloBytes, MaximaOfShards) {
  const std::string argmax = R"(
func.func @f(%a: tensor<3x16xf32>) {
  %0 = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<3x16xf32>) -> tensor<3xi32>
  return
})";
  EXPECT_EQ(halo(argmax, {1}), 2 * 3 * 4 * 3 / 4);
  EXPECT_EQ(halo(argmax, {0}), 0);
}

TEST_F(HaloBytes, TotalsOfScans) {
  EXPECT_EQ(halo(R"(
func.func @f(%a: tensor<3x16xf32>) {
  %0 = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  return
})",
                 {1}),
            3 * 3 * 4);
}
} // namespace

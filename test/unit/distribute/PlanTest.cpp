// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which plans there are, and what they cost.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Choose/PlanVariants.h"
#include "passes/Distribute/Place/StepCost.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

namespace {
constexpr const char *machineText = R"(name: "simple" devices_per_node: 8
    peaks { type: "f32" flops: 1e12 vector_flops: 1e12 transcendentals: 1e12 }
    memories { name: "device" bytes: 1e9 bandwidth: 1e11 }
    links { name: "inner" devices: 8 latency: 1e-6 bandwidth: 1e10 }
    links { name: "outer" latency: 1e-5 bandwidth: 1e9 }
    launch_seconds: 1e-6)";

class Plans : public ::testing::Test {
protected:
  Plans() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
    EXPECT_EQ(planning::parseMachine(machineText, "machine", machine), "");
  }

  // A product of an input of `rows` and a parameter.
  void parse(int64_t rows, int64_t columns) {
    std::string x = "tensor<" + std::to_string(rows) + "x64xf32>",
                w = "tensor<64x" + std::to_string(columns) + "xf32>",
                y = "tensor<" + std::to_string(rows) + "x" +
                    std::to_string(columns) + "xf32>";
    std::string text =
        "func.func @step(%x: " + x +
        R"( {zcc.kind = "input", zcc.input = "x"}, %w: )" + w +
        R"( {zcc.kind = "parameter", zcc.parameter = "w"}) -> )" + y +
        " { %0 = train.dot_general %x, %w {lhs_batching = "
        "array<i64>, rhs_batching = array<i64>, "
        "lhs_contracting = array<i64: 1>, rhs_contracting = "
        "array<i64: 0>} : (" +
        x + ", " + w + ") -> " + y + " return %0 : " + y + " }";
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  // Gradients of two parameters, sums over the rows of an input.
  void parseGradients(int64_t rows, int64_t columns) {
    auto type = [](int64_t a, int64_t b) {
      return "tensor<" + std::to_string(a) + "x" + std::to_string(b) + "xf32>";
    };
    std::string x = type(rows, 64), y = type(rows, columns),
                w = type(64, columns),
                text = "func.func @step(%x: " + x +
                       R"( {zcc.kind = "input", zcc.input = "x"}, %y: )" + y +
                       R"( {zcc.kind = "input", zcc.input = "y"})";
    for (std::string name : {"v", "w"})
      text += ", %" + name + ": " + w +
              R"( {zcc.kind = "parameter", zcc.parameter = ")" + name + "\"}";
    text += ") {";
    for (std::string name : {"v", "w"})
      text += " %" + name +
              "1 = train.dot_general %x, %y {lhs_batching = array<i64>, "
              "rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, "
              "rhs_contracting = array<i64: 0>, train.tag = \"backward\"} : (" +
              x + ", " + y + ") -> " + w;
    text += " dist.observe %v1, %w1 {scaled = false, states = [@v, @w], "
            "train.tag = \"update\"} : " +
            w + ", " + w + " return }";
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  StepCost::Figures measure(std::vector<std::pair<std::string, int64_t>> axes,
                            int zero = 0, int64_t microbatches = 1,
                            bool exact = false) {
    func::FuncOp step = getStep(*module);
    SmallVector<Attribute> list;
    if (microbatches > 1)
      list.push_back(AxisAttr::get(&context, "micro", microbatches, true));
    for (const auto &[name, size] : axes)
      list.push_back(AxisAttr::get(&context, name, size, false));
    OpBuilder b = OpBuilder::atBlockBegin(module->getBody());
    MeshOp op =
        MeshOp::create(b, module->getLoc(), meshName, b.getArrayAttr(list));
    MeshAxes mesh(op);
    StepRules rules(step);
    ShardingOptions options;
    options.zero = zero;
    options.exact = exact;
    FailureOr<DecidedSharding> decided =
        decideSharding(step, mesh, rules, options.request());
    EXPECT_TRUE(succeeded(decided));
    int64_t devices = 1;
    for (const auto &axis : axes)
      devices *= axis.second;
    planning::CostModel model(machine, devices);
    StepCost cost(step.getBody().front(), mesh, model);
    StepCost::Figures figures =
        cost.measure({mesh, decided->step, decided->partials});
    op.erase();
    return figures;
  }

  PlanFacts facts() { return PlanFacts(getStep(*module), {}); }

  static std::vector<std::string> textsOf(const std::vector<PlanVariant> &all) {
    std::vector<std::string> texts;
    for (const PlanVariant &variant : all)
      texts.push_back(variant.text);
    return texts;
  }

  MLIRContext context;
  planning::Machine machine;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Plans, DivisorsAscend) {
  EXPECT_EQ(divisorsOf(1), (std::vector<int64_t>{1}));
  EXPECT_EQ(divisorsOf(12), (std::vector<int64_t>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(divisorsOf(16), (std::vector<int64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(divisorsOf(7), (std::vector<int64_t>{1, 7}));
}

TEST_F(Plans, FactsAreThoseOfInputsAndParameters) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  EXPECT_EQ(facts.batch, 16);
  EXPECT_EQ(facts.sequence, 64);
  ASSERT_EQ(facts.batched.size(), 1u);
  EXPECT_EQ(facts.batched[0].first, "x");
  EXPECT_TRUE(facts.experts.empty());
  EXPECT_TRUE(facts.tables.empty());
  PlanFacts none(getStep(*module), {std::string("x")});
  EXPECT_EQ(none.batch, 0);
}

TEST_F(Plans, VariantsFollowFromTheFacts) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  EXPECT_EQ(textsOf(makeVariants(facts, 8, 1, true)),
            (std::vector<std::string>{"data=8"}));
  EXPECT_EQ(textsOf(makeVariants(facts, 8, 2, true)),
            (std::vector<std::string>{"data=4,tensor=2"}));
  EXPECT_EQ(textsOf(makeVariants(facts, 8, 8, true)),
            (std::vector<std::string>{"tensor=8"}));
  // More devices than rows: the rest are for the sequence.
  EXPECT_EQ(textsOf(makeVariants(facts, 64, 1, true)),
            (std::vector<std::string>{"data=64", "data=16,context=4"}));
  // Tables over the axes of the batch, experts over each number that divides.
  facts.tables = {{"t", 2}};
  facts.experts = {4};
  std::vector<PlanVariant> all = makeVariants(facts, 8, 1, true);
  EXPECT_EQ(textsOf(all),
            (std::vector<std::string>{
                "data=8", "data=8, tables by row", "data=8, tables by column",
                "data=2,expert=4", "data=2,expert=4, tables by row",
                "data=2,expert=4, tables by column", "data=4,expert=2",
                "data=4,expert=2, tables by row",
                "data=4,expert=2, tables by column"}));
  EXPECT_EQ(all[1].shard, (std::vector<std::string>{"t=data,-"}));
  EXPECT_EQ(all[5].shard, (std::vector<std::string>{"t=-,data+expert"}));
  EXPECT_EQ(makeVariants(facts, 8, 1, false).size(), 3u);
  // All use all devices.
  for (const PlanVariant &variant : makeVariants(facts, 24, 2, true, true)) {
    int64_t devices = 1;
    for (const auto &axis : variant.axes)
      devices *= axis.second;
    EXPECT_EQ(devices, 24) << variant.text;
  }
}

TEST_F(Plans, FiguresOfOneDeviceByHand) {
  parse(1024, 1024);
  StepCost::Figures figures = measure({{"data", 1}});
  EXPECT_EQ(figures.communication, 0);
  // x, w and what the step returns.
  double bytes = 4.0 * (1024 * 64 + 64 * 1024);
  EXPECT_DOUBLE_EQ(figures.state, bytes);
  EXPECT_DOUBLE_EQ(figures.largest, 4.0 * 1024 * 1024);
  planning::CostModel model(machine, 1);
  EXPECT_DOUBLE_EQ(figures.compute,
                   model.productSeconds("f32", {1, 1024, 1024, 64},
                                        bytes + 4.0 * 1024 * 1024));
}

TEST_F(Plans, MoreDevicesComputeLess) {
  parse(4096, 4096);
  double last = std::numeric_limits<double>::infinity();
  for (int64_t devices : {1, 2, 4, 8}) {
    double compute = measure({{"data", devices}}).compute;
    EXPECT_LT(compute, last) << devices;
    last = compute;
  }
}

TEST_F(Plans, MoreBytesAreNeverCheaper) {
  double compute = 0, communication = 0, bytes = 0;
  for (int64_t rows : {64, 256, 1024, 4096, 16384}) {
    parse(rows, 256);
    StepCost::Figures figures = measure({{"data", 4}});
    EXPECT_GE(figures.compute, compute);
    EXPECT_GE(figures.communication, communication);
    EXPECT_GT(figures.bytes(), bytes);
    compute = figures.compute;
    communication = figures.communication;
    bytes = figures.bytes();
  }
}

TEST_F(Plans, SmallGradientsCrossTheNetworkTogether) {
  using planning::CollectiveKind;
  planning::CostModel model(machine, 4);
  auto seconds = [&](double bytes) {
    return model.collectiveSeconds(
        {CollectiveKind::AllReduce, {{4, 1}}, bytes});
  };
  // 4 kB each, of 10 kB that are small.
  parseGradients(1024, 16);
  EXPECT_DOUBLE_EQ(measure({{"data", 4}}).communication, seconds(2 * 4096));
  // 256 kB go alone.
  parseGradients(1024, 1024);
  EXPECT_DOUBLE_EQ(measure({{"data", 4}}).communication,
                   2 * seconds(64 * 1024 * 4));
}

TEST_F(Plans, GradientsInShardsAreSentByEveryMicrobatch) {
  parseGradients(1024, 1024);
  double once =
      2 * planning::CostModel(machine, 4)
              .collectiveSeconds({planning::CollectiveKind::ReduceScatter,
                                  {{4, 1}},
                                  64 * 1024 * 4});
  for (int zero : {1, 2}) {
    EXPECT_DOUBLE_EQ(measure({{"data", 4}}, zero).communication, once) << zero;
    EXPECT_DOUBLE_EQ(measure({{"data", 4}}, zero, 8).communication,
                     zero == 1 ? once : 8 * once);
    // Unless they are accumulated first.
    EXPECT_DOUBLE_EQ(measure({{"data", 4}}, zero, 8, true).communication, once);
  }
}

TEST_F(Plans, EstimatesAreCorrectedPartByPart) {
  StepCost::Figures figures;
  figures.state = 100;
  figures.gradients = 20;
  figures.residuals = 8;
  figures.largest = 4;
  EXPECT_EQ(figures.bytes(), 132);
  StepCost::Figures scaled = figures.scaled({1, 0.5, 2, 3});
  EXPECT_EQ(scaled.bytes(), 100 + 10 + 16 + 12);
  scaled.planned = 150; // memory planning's word is the last one
  EXPECT_EQ(scaled.bytes(), 150);
}

TEST_F(Plans, MovesByHand) {
  parse(1024, 256);
  func::FuncOp step = getStep(*module);
  OpBuilder b = OpBuilder::atBlockBegin(module->getBody());
  Attribute axes[] = {AxisAttr::get(&context, "micro", 2, true),
                      AxisAttr::get(&context, "data", 4, false)};
  MeshOp op =
      MeshOp::create(b, module->getLoc(), meshName, b.getArrayAttr(axes));
  MeshAxes mesh(op);
  planning::CostModel model(machine, 4);
  StepCost cost(step.getBody().front(), mesh, model);
  Value x = step.getArgument(0);
  Placement whole({1024, 64}), sharded({1024, 64}), partial({1024, 64}),
      inTime({1024, 64});
  sharded.dims[0] = {1};
  partial.partial = {1};
  inTime.dims[0] = {0};
  double bytes = 4.0 * 1024 * 64;
  using planning::CollectiveKind;
  auto seconds = [&](CollectiveKind kind) {
    return model.collectiveSeconds({kind, {{4, 1}}, bytes});
  };
  EXPECT_EQ(cost.localBytes(x, whole), bytes);
  EXPECT_EQ(cost.localBytes(x, sharded), bytes / 4);
  EXPECT_EQ(cost.moveSeconds(x, whole, whole), 0);
  EXPECT_EQ(cost.moveSeconds(x, whole, sharded), 0); // a slice
  EXPECT_EQ(cost.moveSeconds(x, sharded, whole),
            seconds(CollectiveKind::AllGather));
  EXPECT_EQ(cost.moveSeconds(x, partial, whole),
            seconds(CollectiveKind::AllReduce));
  EXPECT_EQ(cost.moveSeconds(x, partial, sharded),
            seconds(CollectiveKind::ReduceScatter));
  // What other microbatches compute cannot be had.
  EXPECT_FALSE(std::isfinite(cost.moveSeconds(x, inTime, whole)));
  EXPECT_EQ(cost.timesOf(inTime), 2);
  EXPECT_EQ(cost.timesOf(sharded), 1);
}
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans that are considered, and their costs.
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Estimate/PipelineEstimate.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/PlanAttribute.h"
#include "planning/PlanValues.h"
#include "test/unit/planner/Plans.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {

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
  // Without inputs; one parameter of 64 x 8 in f32.
  EXPECT_EQ(facts.parameters, 64 * 8 * 4);
  EXPECT_EQ(facts.gradients, 64 * 8 * 4);
  EXPECT_EQ(facts.state, facts.parameters);
  PlanFacts none(getStep(*module), {std::string("x")});
  EXPECT_EQ(none.batch, 0);
}

TEST_F(Plans, VariantsFollowFromTheFacts) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  EXPECT_EQ(textsOf(variants(facts, 8, 1, true)),
            (std::vector<std::string>{"data=8"}));
  EXPECT_EQ(textsOf(variants(facts, 8, 2, true)),
            (std::vector<std::string>{"data=4,tensor=2"}));
  EXPECT_EQ(textsOf(variants(facts, 8, 8, true)),
            (std::vector<std::string>{"tensor=8"}));
  // More devices than rows: the rest are for the sequence.
  EXPECT_EQ(textsOf(variants(facts, 64, 1, true)),
            (std::vector<std::string>{"data=64", "data=16,context=4"}));
  // Tables over the axes of the batch, experts over each number that divides.
  facts.tables = {{"t", 2}};
  facts.experts = {4};
  std::vector<Candidate> all = variants(facts, 8, 1, true);
  EXPECT_EQ(textsOf(all),
            (std::vector<std::string>{
                "data=8", "data=8, tables by row", "data=8, tables by column",
                "data=2,expert=4", "data=2,expert=4, tables by row",
                "data=2,expert=4, tables by column", "data=4,expert=2",
                "data=4,expert=2, tables by row",
                "data=4,expert=2, tables by column"}));
  auto shardOf = [](const Candidate &variant) {
    EXPECT_EQ(variant.plan.shard.size(), 1u);
    return planning::printAnnotation(variant.plan.shard.front());
  };
  EXPECT_EQ(shardOf(all[1]), "t=data,-");
  EXPECT_EQ(shardOf(all[5]), "t=-,data+expert");
  EXPECT_EQ(variants(facts, 8, 1, false).size(), 3u);
  // All use all devices.
  for (const Candidate &variant : variants(facts, 24, 2, true, true))
    EXPECT_EQ(variant.plan.countDevices(), 24) << variant.label();
}

TEST_F(Plans, VariantsKeepWhatWasAskedFor) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  facts.tables = {{"t", 2}};
  planning::Plan asked;
  asked.mesh = {{"", 8}};
  asked.zero = 2;
  asked.memory = 1e6;
  asked.schedule = planning::ScheduleKind::GPipe;
  asked.shard = {{"w", {{{"data"}, false}, {}}}};
  std::vector<Candidate> all = makeVariants(facts, asked, 8, {}, true);
  ASSERT_EQ(all.size(), 3u);
  for (const Candidate &variant : all) {
    EXPECT_EQ(variant.plan.zero, 2);
    EXPECT_EQ(variant.plan.memory, 1e6);
    EXPECT_EQ(variant.plan.schedule.print(), "gpipe");
    EXPECT_EQ(variant.plan.shard.front(), asked.shard.front());
    EXPECT_EQ(variant.plan.countDevices(), 8);
  }
  EXPECT_EQ(all[1].plan.shard.size(), 2u);
}

TEST_F(Plans, ExpertsAreAlsoFoldedOverTensor) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  facts.experts = {4};
  EXPECT_EQ(textsOf(makeVariants(facts, {}, 8, {1, 2}, false)),
            (std::vector<std::string>{
                "data=4,tensor=2",
                "data=4,tensor=2, experts over tensor, too",
                "expert=4,tensor=2", // 8 devices do not divide 4 experts
                "data=2,expert=2,tensor=2",
                "data=2,expert=2,tensor=2, experts over tensor, too"}));
  planning::Plan asked;
  asked.expertAxes = {"data"};
  for (const Candidate &variant : makeVariants(facts, asked, 8, {1, 2}, false))
    EXPECT_EQ(variant.plan.expertAxes, asked.expertAxes);
}

TEST_F(Plans, StagesStandFirst) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  std::vector<Candidate> all = makeVariants(facts, {}, 8, {2, 2}, false);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(planning::printMesh(all[0].plan.mesh), "pipe=2,data=2,tensor=2");
  EXPECT_EQ(all[0].stages(), 2);
  all[0].plan.schedule = planning::ScheduleKind::ZeroBubbleV;
  EXPECT_EQ(all[0].label(), "pipe=2,data=2,tensor=2, zb-v");
  Candidate other = all[0];
  other.plan.schedule = planning::ScheduleKind::OneForwardOneBackward;
  EXPECT_FALSE(all[0].key() == other.key());
}

// Eight equal windows, two of whose parameters are twice as large.
static StepProfile evenProfile() {
  StepProfile profile;
  for (int i = 0; i < 8; ++i)
    profile.windows.push_back({3.0 / 8, 0, i < 2 ? 2.0 : 1.0});
  profile.places = 8;
  profile.forward = 3;
  profile.pipe = {2, 1};
  return profile;
}

TEST_F(Plans, FiguresOfAStageFollowFromItsSchedule) {
  planning::CostModel model(machine, 2);
  StepCost::Figures whole;
  whole.compute = 9;
  whole.state = 100;
  whole.gradients = 50;
  whole.residuals = 10;
  planning::Plan plan;
  plan.mesh = {{"pipe", 2}};
  plan.microbatches = 4;
  plan.schedule = planning::ScheduleKind::OneForwardOneBackward;
  auto figures = estimatePipeline(whole, evenProfile(), plan, model);
  ASSERT_TRUE(figures);
  // Four microbatches and one more on the way through, of half the work.
  EXPECT_NEAR(figures->compute, 9.0 / 2 * 5 / 4, 1e-3);
  EXPECT_NEAR(figures->pipeline.slow, 5.0 / 8, 1e-3);
  // The first stage has 6 of 10 parts of the state, and two microbatches.
  EXPECT_NEAR(figures->state, 60, 1e-9);
  EXPECT_NEAR(figures->gradients, 30, 1e-9);
  EXPECT_NEAR(figures->residuals, 10, 1e-9);
  // Each stage computes values again, and all others wait for it.
  auto curve = std::make_shared<ResidualCurve>();
  curve->points.push_back({/*saved=*/4, /*kept=*/6, /*seconds=*/1});
  figures->curve = curve;
  StepCost::Figures less = figures->withRecomputed(97);
  EXPECT_NEAR(less.bytes(), 96, 1e-9);
  EXPECT_NEAR(less.compute - figures->compute, 5.0 / 8, 1e-3);
  EXPECT_EQ(less.residualBytes(), 6);

  // Many microbatches are played by few.
  plan.microbatches = 400;
  figures = estimatePipeline(whole, evenProfile(), plan, model);
  EXPECT_NEAR(figures->compute, 9.0 / 2 * 401 / 400, 1e-3);
  plan.schedule = planning::ScheduleKind::GPipe;
  EXPECT_NEAR(estimatePipeline(whole, evenProfile(), plan, model)->residuals,
              10 * 200, 1e-9);
  // This schedule needs as many microbatches at a time as there are stages.
  plan.schedule = {planning::ScheduleKind::Interleaved, 2};
  plan.microbatches = 3;
  EXPECT_FALSE(estimatePipeline(whole, evenProfile(), plan, model));
  // Many microbatches in larger groups are played by few groups; those keep
  // more.
  plan.microbatches = 400;
  auto groups = estimatePipeline(whole, evenProfile(), plan, model);
  plan.schedule = {planning::ScheduleKind::Interleaved, 2, 8};
  auto larger = estimatePipeline(whole, evenProfile(), plan, model);
  ASSERT_TRUE(groups && larger);
  EXPECT_NEAR(groups->compute, 9.0 / 2 * 400.5 / 400, 1e-3);
  EXPECT_NEAR(larger->compute, 9.0 / 2 * 400.5 / 400, 1e-3);
  EXPECT_GT(larger->residuals, groups->residuals * 2);
  plan.mesh = {{"pipe", 16}};
  plan.schedule = planning::ScheduleKind::OneForwardOneBackward;
  EXPECT_FALSE(estimatePipeline(whole, evenProfile(), plan, model));
}

TEST_F(Plans, SchedulesHaveAWindowForEachPart) {
  StepProfile profile = evenProfile();
  std::vector<std::string> names;
  for (const planning::NamedSchedule &schedule : listSchedulesFor(profile, 2))
    names.push_back(schedule.print());
  EXPECT_TRUE(llvm::is_contained(names, "1f1b"));
  EXPECT_TRUE(llvm::is_contained(names, "interleaved:4"));
  EXPECT_FALSE(llvm::is_contained(names, "interleaved:6"));
  EXPECT_TRUE(listSchedulesFor(profile, 9).empty());
}

TEST_F(Plans, LittleThatIsComputedAgainSlowsALittle) {
  StepCost::Figures figures;
  figures.compute = 10;
  figures.residuals = 8;
  auto curve = std::make_shared<ResidualCurve>();
  curve->points = {{/*saved=*/4, /*kept=*/4, /*seconds=*/1}};
  figures.curve = curve;
  // It was twice as slow as simulated where a fifth was computed again.
  figures.scale.recomputing = 2;
  figures.scale.recomputed = 0.2;
  EXPECT_NEAR(figures.overlapped(), 10, 1e-9);
  StepCost::Figures less = figures.withRecomputed(4);
  EXPECT_NEAR(less.recomputedShare(), 1.0 / 11, 1e-9);
  EXPECT_NEAR(less.overlapped(), 11 + 5, 1e-9);
  less.scale.recomputed = 1.0 / 22; // no slower than what was seen
  EXPECT_NEAR(less.overlapped(), 22, 1e-9);
}

TEST_F(Plans, CandidatesAreToldByWhatTheyAre) {
  Candidate one;
  one.plan.mesh = {{"data:(1)2", 2}, {"data:(2)4", 4}, {"tensor", 2}};
  EXPECT_EQ(one.label(), "data=8,tensor=2, state split within nodes");
  Candidate other = one;
  EXPECT_TRUE(one.key() == other.key());
  // The pins of a mixture are not part of its key, but its base is.
  other.mixed = true;
  other.added = Candidate::Added::RowTables;
  EXPECT_EQ(other.label(),
            "data=8,tensor=2, tables by row, state split within nodes, mixed");
  EXPECT_FALSE(one.key() == other.key());
  Candidate next = other;
  next.plan.ops = {{0, "train.add m.py:1", {}}};
  EXPECT_TRUE(next.key() == other.key());
  EXPECT_TRUE(one.key() < other.key() || other.key() < one.key());
}

// Pins go by name: what was decided is found again in a copy of the module.
TEST_F(Plans, PinsAreFoundAgain) {
  parse(1024, 1024);
  func::FuncOp step = getStep(*module);
  planning::Plan plan;
  plan.mesh = {{"data", 2}, {"tensor", 2}};
  MeshAxes mesh = makeAxes(*module, plan);
  StepRules rules(step);
  FailureOr<DecidedSharding> decided =
      decideSharding(step, mesh, rules, {&plan, {}, {}});
  ASSERT_TRUE(succeeded(decided));
  pinSharding(step, mesh, decided->step, plan);
  ASSERT_EQ(plan.arguments.size(), 2u);
  ASSERT_EQ(plan.ops.size(), 1u);
  EXPECT_EQ(planning::printShards(plan.arguments[0].shards),
            "[\"data/1024\", \"/64\"]");
  OwningOpRef<ModuleOp> copy = module->clone();
  func::FuncOp again = getStep(*copy);
  ShardingPins pins = findPins(again, plan);
  EXPECT_EQ(pins.arguments.size(), 2u);
  ASSERT_EQ(pins.ops.size(), 1u);
  EXPECT_EQ(pins.ops.begin()->second, &plan.ops.front());
  FailureOr<DecidedSharding> same =
      decideSharding(again, mesh, StepRules(again), {&plan, {}, {}});
  ASSERT_TRUE(succeeded(same));
  EXPECT_EQ(same->step.seeds.lookup(again.getArgument(1)),
            decided->step.seeds.lookup(step.getArgument(1)));
  EXPECT_EQ(adaptPins(again, plan), "");
  EXPECT_EQ(plan.ops.size(), 1u);
  plan.file = "p";
  plan.arguments[0].name = "v";
  EXPECT_EQ(adaptPins(again, plan),
            "p:0:0: error: arguments: the step has no parameter or input "
            "'v'\n");
}

TEST_F(Plans, ModuleCarriesThePlan) {
  parse(16, 8);
  using Fact = planning::PlanState::Fact;
  planning::Plan plan;
  plan.zero = 3;
  plan.zeroAxes = {"data"};
  plan.shard = {{"w", {{{"data", "tensor"}, false}, {}, {{}, true}}}};
  plan.state = {
      {"a", Fact::Stage, 1}, {"b", Fact::Kept}, {"c", Fact::Gathered}};
  plan.wholeSequence = true;
  plan.schedule = planning::ScheduleKind::GPipe;
  plan.residuals = {{"*.py:3", planning::RematPolicy::Recompute}};
  plan.memory = 1e9;
  plan.offload.isAuto = true;
  plan.offloadBytes = 4096;
  setPlan(*module, plan);
  FailureOr<planning::Plan> read = getPlan(*module);
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(planning::printPlan(*read), planning::printPlan(plan));
  EXPECT_EQ(*read, plan);
  // Edited texts.
  MLIRContext *context = module->getContext();
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  for (const char *text :
       {"3", "{zero = 4}", "{zero = \"1\"}", "{state = [1]}",
        "{state = [\"w\"]}", "{shard = [\"w\"]}",
        "{zero_axes = [1]}", "{memory = 3}", "{residuals = [{fate = 3}]}",
        "{residuals = [{fate = \"forget\", name = \"w\"}]}",
        "{depth = 3 : i64}",
        "{offload = [\"disk\"]}", "{offload = \"optimizer\"}",
        "{offload_bytes = 4}"}) {
    message.clear();
    (*module)->setAttr(planAttrName, parseAttribute(text, context));
    EXPECT_TRUE(failed(getPlan(*module))) << text;
    EXPECT_EQ(message.find("'dist.plan': expected the fields of a plan"), 0u)
        << message;
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

TEST_F(Plans, LooseCommunicationRunsBesideTheRest) {
  StepCost::Figures figures;
  figures.compute = 8;
  figures.communication = 5;
  EXPECT_EQ(figures.overlapped(), 13);
  figures.loose = 3;
  EXPECT_EQ(figures.overlapped(), 10);
  figures.communication = 14; // 2 of it in the way, and 3 more than is hidden
  figures.loose = 12;
  EXPECT_DOUBLE_EQ(figures.overlapped(), 13);
  figures.inWay = 1; // of the 2, on the same links
  EXPECT_DOUBLE_EQ(figures.overlapped(), 13.9);
  EXPECT_EQ(figures.seconds(), 22);
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
  // A device cannot get values of other microbatches.
  EXPECT_FALSE(std::isfinite(cost.moveSeconds(x, inTime, whole)));
  EXPECT_EQ(cost.timesOf(inTime), 2);
  EXPECT_EQ(cost.timesOf(sharded), 1);
}
} // namespace

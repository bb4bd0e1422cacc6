// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compileTo(): phases one by one and together, limits, and what is written down
// on the way.
#include "compiler/phases/Compile.h"
#include "compiler/phases/Machine.h"
#include "compiler/phases/Targets.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "planning/PlanValues.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::planner;

namespace {
constexpr const char *graphText = R"(
module attributes {zcc.phase = "graph"} {
  func.func @loss(%w: tensor<4x6xf32> {zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.input = "x"}) -> tensor<f32> {
    %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = train.tanh %0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = train.reduce %1 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x6xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
})";

struct CompileTo : testing::Test {
  MLIRContext context;
  Options options;
  planning::Machine machine = getHostMachine();
  std::unique_ptr<Target> target;

  CompileTo() {
    context.loadDialect<train::TrainDialect, dist::DistDialect,
                        exec::ExecDialect, func::FuncDialect>();
    EXPECT_EQ(options.set("optimizer", {"sgd"}), "");
    target = makeTarget(options);
  }

  CompileContext with() { return {options, machine, *target}; }

  StepCompilation begin() {
    StepCompilation step;
    step.module = parseSourceString<ModuleOp>(graphText, &context);
    EXPECT_TRUE(step.module);
    step.phase = Phase::graph;
    EXPECT_EQ(planning::parseMesh("data=2", step.plan.mesh), "");
    step.plan.microbatches = 2;
    return step;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }
};

TEST_F(CompileTo, PhasesOneByOneAreThoseTogether) {
  StepCompilation together = begin(), single = begin();
  ASSERT_TRUE(succeeded(compileTo(with(), together, Phase::planned)));
  for (Phase phase : {Phase::step, Phase::sharded, Phase::partitioned,
                      Phase::tasks, Phase::scheduled, Phase::planned}) {
    ASSERT_TRUE(succeeded(compileTo(with(), single, phase)));
    EXPECT_EQ(single.phase, phase);
    auto name =
        (*single.module)->getAttrOfType<StringAttr>(phaseAttrName);
    ASSERT_TRUE(name);
    EXPECT_EQ(name.getValue(), StringRef(getName(phase)));
  }
  EXPECT_EQ(print(*single.module), print(*together.module));
  ASSERT_EQ(together.seconds.size(), 6u);
  EXPECT_EQ(together.seconds.front().first, "step");
  EXPECT_EQ(together.seconds.back().first, "planned");
  // A phase that the module has reached is not run again.
  ASSERT_TRUE(succeeded(compileTo(with(), together, Phase::step)));
  EXPECT_EQ(together.phase, Phase::planned);
  EXPECT_EQ(together.seconds.size(), 6u);
}

TEST_F(CompileTo, WritesDownWhatIsAskedFor) {
  StepCompilation step = begin();
  step.keepsPartitioned = step.wantsActions = true;
  ASSERT_TRUE(succeeded(compileTo(with(), step, Phase::tasks)));
  ASSERT_TRUE(step.partitioned);
  EXPECT_TRUE(distribute::getStep(*step.partitioned));
  ASSERT_EQ(step.actions.size(), 1u);
  EXPECT_NE(step.actions[0].find("F0"), std::string::npos) << step.actions[0];
  ASSERT_EQ(step.decisions.stages.size(), 1u);
  EXPECT_GT(step.decisions.stages[0].kept, 0);

  // From there it is compiled again, to the same.
  StepCompilation again =
      step.restartWith(step.partitioned->clone(), Phase::partitioned);
  EXPECT_EQ(again.seconds.size(), 3u);
  EXPECT_FALSE(again.partitioned);
  ASSERT_TRUE(succeeded(compileTo(with(), again, Phase::tasks)));
  EXPECT_EQ(print(*again.module), print(*step.module));
}

TEST_F(CompileTo, KeepsToTheLimits) {
  StepCompilation step = begin();
  step.keepsPartitioned = true;
  ASSERT_TRUE(succeeded(compileTo(with(), step, Phase::tasks)));
  StepCompilation less =
      step.restartWith(step.partitioned->clone(), Phase::partitioned);
  less.limits.limit(0);
  ASSERT_TRUE(succeeded(compileTo(with(), less, Phase::tasks)));
  EXPECT_LT(less.decisions.stages[0].kept, step.decisions.stages[0].kept);
  EXPECT_FALSE(less.decisions.stages[0].frontier.empty());
  EXPECT_EQ(less.decisions.stages[0].limit, 0);
}

TEST_F(CompileTo, FactsLeaveOutWhatIsWithheld) {
  StepCompilation step = begin();
  EXPECT_EQ(countDevices(*step.module, step.plan), 2);
  step.plan.memory = 1000;
  EXPECT_EQ(findFacts(machine, *step.module, step.plan, 0).deviceMemory, 1000);
  EXPECT_EQ(findFacts(machine, *step.module, step.plan, 300).deviceMemory, 700);
}

// The text has the bytes that the fit withheld, so that later phases that
// resume it are run in the same memory.
TEST_F(CompileTo, WritesDownWhatIsWithheld) {
  StepCompilation step = begin();
  step.limits.withheld = 300;
  step.limits.leastMemory = true;
  for (Phase phase : {Phase::sharded, Phase::tasks, Phase::planned}) {
    ASSERT_TRUE(succeeded(compileTo(with(), step, phase)));
    FailureOr<MemoryDecisions> found = MemoryDecisions::read(*step.module);
    ASSERT_TRUE(succeeded(found));
    EXPECT_EQ(found->withheld, 300);
    EXPECT_TRUE(found->leastMemory);
    EXPECT_EQ(found->stages.empty(), phase == Phase::sharded);
  }
  // An edited text may withhold more than there is.
  step.plan.memory = 1000;
  EXPECT_EQ(findFacts(machine, *step.module, step.plan, 2000).deviceMemory, 1);

  StepCompilation none = begin();
  ASSERT_TRUE(succeeded(compileTo(with(), none, Phase::sharded)));
  EXPECT_FALSE((*none.module)->hasAttr(dist::decisionsAttrName));
}

// A pass reports what is wrong, and nothing is said of phases that it did not
// reach.
TEST_F(CompileTo, FailsWhereAPassDoes) {
  StepCompilation step = begin();
  step.plan.zeroAxes = {"rows"};
  step.plan.zero = 1;
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(compileTo(with(), step, Phase::planned)));
  EXPECT_EQ(step.phase, Phase::step);
  EXPECT_NE(message.find("rows"), std::string::npos) << message;
}
} // namespace

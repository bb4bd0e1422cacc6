// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attribute in which passes write down what they decided of memory.
#include "passes/Pipeline/Decisions.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <limits>

using namespace mlir;
using namespace zcc;

namespace {
struct Decisions : testing::Test {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));

  static MemoryDecisions make() {
    MemoryDecisions out;
    out.stages.resize(2);
    out.stages[0].kept = 96;
    out.stages[0].held = 4;
    out.stages[0].limit = 100;
    out.stages[0].frontier = {{120, 0, 0}, {96, 0.5, 24}};
    out.stages[1].kept = 7;
    out.stages[1].limit = std::numeric_limits<double>::infinity();
    OffloadDecision &offload = out.offload.emplace();
    offload.problem.values = {{64, 0.25, true}, {32, 0.125, false}};
    offload.problem.hiddenSeconds = 0.5;
    offload.moved = 64;
    offload.asked = 50;
    using planning::Fate;
    out.values = {{"train.tanh m.py:7", {0, 2}, Fate::Recomputed},
                  {"train.exp m.py:9", {}, Fate::HandedOver}};
    return out;
  }
};

TEST_F(Decisions, AreReadBack) {
  MemoryDecisions own = make();
  own.write(*module);
  MemoryDecisions read = MemoryDecisions::read(*module);
  ASSERT_EQ(read.stages.size(), 2u);
  EXPECT_EQ(read.stages[0].kept, 96);
  EXPECT_EQ(read.stages[0].held, 4);
  EXPECT_EQ(read.listLimits(), own.listLimits());
  ASSERT_EQ(read.stages[0].frontier.size(), 2u);
  EXPECT_EQ(read.stages[0].frontier[1].bytes, 96);
  EXPECT_EQ(read.stages[0].frontier[1].seconds, 0.5);
  EXPECT_EQ(read.stages[0].frontier[1].returning, 24);
  EXPECT_TRUE(read.stages[1].frontier.empty());
  ASSERT_TRUE(read.offload);
  EXPECT_EQ(read.offload->moved, 64);
  EXPECT_EQ(read.offload->asked, 50);
  EXPECT_EQ(read.offload->problem.hiddenSeconds, 0.5);
  ASSERT_EQ(read.offload->problem.values.size(), 2u);
  EXPECT_TRUE(read.offload->problem.values[0].hides);
  EXPECT_FALSE(read.offload->problem.values[1].hides);
  EXPECT_EQ(read.offload->problem.values[1].bytes, 32);
  EXPECT_EQ(read.values, own.values);
}

TEST_F(Decisions, AnswerForAllStages) {
  MemoryDecisions own = make();
  // The second stage has no limit of its own: what it kept counts.
  EXPECT_EQ(own.mostBytes(), 100);
  EXPECT_FALSE(own.keepsNothing());
  own.stages[0].kept = own.stages[1].kept = 0;
  EXPECT_TRUE(own.keepsNothing());
  own.stages[0].limit = own.stages[1].limit = -1;
  EXPECT_LT(own.mostBytes(), 0);
}

TEST_F(Decisions, LoseWhatOnlyASearchReads) {
  make().write(*module);
  dropSearchData(*module);
  MemoryDecisions read = MemoryDecisions::read(*module);
  ASSERT_EQ(read.stages.size(), 2u);
  EXPECT_TRUE(read.stages[0].frontier.empty());
  EXPECT_EQ(read.stages[0].kept, 96);
  ASSERT_TRUE(read.offload);
  EXPECT_TRUE(read.offload->problem.values.empty());
  EXPECT_EQ(read.values.size(), 2u);
}

// A text may have been edited: what is no decision is left out.
TEST_F(Decisions, OfADamagedTextAreLeftOut) {
  EXPECT_TRUE(MemoryDecisions::read(*module).stages.empty());
  for (const char *text :
       {"3", "{stages = 1}", "{offload = [1]}", "{values = [{name = 1}]}",
        "{values = [{name = \"a\", fate = \"forget\"}]}"}) {
    (*module)->setAttr(dist::decisionsAttrName, parseAttribute(text, &context));
    MemoryDecisions read = MemoryDecisions::read(*module);
    EXPECT_TRUE(read.stages.empty()) << text;
    EXPECT_FALSE(read.offload) << text;
    EXPECT_TRUE(read.values.empty()) << text;
  }
}
} // namespace

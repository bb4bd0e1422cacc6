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
    out.withheld = 4096;
    out.leastMemory = true;
    using planning::Fate;
    out.values = {{"train.tanh m.py:7", {0, 2}, Fate::Recomputed},
                  {"train.exp m.py:9", {}, Fate::HandedOver}};
    return out;
  }
};

TEST_F(Decisions, AreReadBack) {
  MemoryDecisions own = make();
  own.write(*module);
  FailureOr<MemoryDecisions> found = MemoryDecisions::read(*module);
  ASSERT_TRUE(succeeded(found));
  MemoryDecisions &read = *found;
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
  EXPECT_EQ(read.withheld, 4096);
  EXPECT_TRUE(read.leastMemory);
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
  ASSERT_TRUE(succeeded(dropSearchData(*module)));
  FailureOr<MemoryDecisions> found = MemoryDecisions::read(*module);
  ASSERT_TRUE(succeeded(found));
  MemoryDecisions &read = *found;
  ASSERT_EQ(read.stages.size(), 2u);
  EXPECT_TRUE(read.stages[0].frontier.empty());
  EXPECT_EQ(read.stages[0].kept, 96);
  ASSERT_TRUE(read.offload);
  EXPECT_TRUE(read.offload->problem.values.empty());
  EXPECT_EQ(read.values.size(), 2u);
  EXPECT_EQ(read.withheld, 4096);
  EXPECT_TRUE(read.leastMemory);
}

// A text may have been edited: what is no decision is refused, at its place.
TEST_F(Decisions, OfADamagedTextAreRefused) {
  FailureOr<MemoryDecisions> none = MemoryDecisions::read(*module);
  ASSERT_TRUE(succeeded(none));
  EXPECT_TRUE(none->stages.empty());
  for (auto [text, error] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"3 : i64", "expected a dictionary of stages, offload, values, "
                       "withheld, least_memory, found "
                       "3 : i64"},
           {"{stage = []}",
            "expected a dictionary of stages, offload, values, withheld, "
            "least_memory, found \"stage\""},
           {"{least_memory = 1 : i64}",
            "least_memory: expected unit, found 1 : i64"},
           {"{withheld = 0x7FF0000000000000 : f64}",
            "withheld: expected bytes of a device, found 0x7FF0000000000000 : "
            "f64"},
           {"{stages = 1 : i64}", "stages: expected an array, found 1 : i64"},
           {"{stages = [{}, 2 : i64]}",
            "stages[1]: expected a dictionary of kept, held, limit, frontier, "
            "found 2 : i64"},
           {"{stages = [{kept = \"all\"}]}",
            "stages[0].kept: expected a number (f64), found \"all\""},
           {"{stages = [{frontier = array<f64: 1.0, 2.0>}]}",
            "stages[0].frontier: expected groups of three numbers "
            "(array<f64>), found array<f64: 1.000000e+00, 2.000000e+00>"},
           {"{offload = []}", "offload: expected a dictionary of moved, asked, "
                              "hidden_seconds, values, found []"},
           {"{offload = {asked = unit}}",
            "offload.asked: expected a number (f64), found unit"},
           {"{offload = {values = 1 : i64}}",
            "offload.values: expected groups of three numbers (array<f64>), "
            "found 1 : i64"},
           {"{values = [{name = 1 : i64}]}",
            "values[0].name: expected the name of an op, found {name = 1 : "
            "i64}"},
           {"{values = [{name = \"a\", fate = \"forget\"}]}",
            "values[0].fate: expected one of keep|recompute|hand-over, found "
            "{fate = \"forget\", name = \"a\"}"},
           {"{values = [{name = \"a\", fate = \"keep\", numbers = \"2,2\"}]}",
            "values[0].numbers: expected numbers, each once, as in "
            "\"0-3,7\", found \"2,2\""}}) {
    (*module)->setAttr(dist::decisionsAttrName, parseAttribute(text, &context));
    std::string found;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      found += diagnostic.str();
      return success();
    });
    EXPECT_TRUE(failed(MemoryDecisions::read(*module))) << text;
    EXPECT_EQ(found, std::string("'dist.decisions': ") + error);
    EXPECT_TRUE(failed(dropSearchData(*module))) << text;
  }
}
} // namespace

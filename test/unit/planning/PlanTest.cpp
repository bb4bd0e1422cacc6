// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans in text are read back equal, and errors are reported at their places.
#include "planning/PlanValues.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace zcc::planning;

static std::string planErrorOf(const std::string &text) {
  Plan plan;
  return parsePlan(text, "p", plan);
}

static Plan makePlan() {
  Plan plan;
  plan.values = {{"w", {4, 6}, false}, {"x", {8, 4}, true}, {"s", {}, false}};
  plan.mesh = {{"data", 2}, {"tensor:(1)2", 2}, {"tensor:(2)4", 4}};
  plan.microbatches = 4;
  plan.zero = 3;
  plan.zeroAxes = {"data"};
  plan.expertAxes = {"data"};
  plan.shard = {{"w", {{{"data"}, false}, {}, {{}, true}}}, {"quote\"d", {{}}}};
  using Fact = PlanState::Fact;
  plan.state = {{"*.w#3", Fact::Stage, 1}, {"w", Fact::Kept}};
  plan.wholeSequence = true;
  plan.arguments = {{0, "w", {{{"data", "tensor:(1)2"}, 4}, {{}, 6}}},
                    {0, "s", {}}};
  plan.ops = {{7,
               "train.dot_general m.py:3",
               {{{"micro", "data"}, 8}, {{}, 4}, {{}, 6}}}};
  plan.schedule = ScheduleKind::GPipe;
  plan.residuals = {{"*.py:3", RematPolicy::Recompute}};
  plan.memory = 2e10;
  plan.compress = PlanCompression{false, NumberFormat::Int8};
  plan.residualBytes = 1e9 + 1;
  plan.offload.isAuto = true;
  plan.offloadBytes = 1e8 + 1;
  return plan;
}

TEST(Plan, IsReadBackEqual) {
  Plan plan = makePlan(), read;
  std::string text = printPlan(plan);
  ASSERT_EQ(parsePlan(text, "p", read), "");
  EXPECT_EQ(printPlan(read), text);
  EXPECT_EQ(read, plan);
  EXPECT_EQ(read.file, "p");
  EXPECT_NE(text.find("shard: \"w=data,-,?\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("memory: 20000000000\n"), std::string::npos) << text;
  ASSERT_EQ(read.values.size(), 3u);
  EXPECT_EQ(read.values[1].name, "x");
  EXPECT_EQ(read.values[1].shape, (std::vector<int64_t>{8, 4}));
  EXPECT_TRUE(read.values[1].input);
  EXPECT_EQ(read.mesh, plan.mesh);
  EXPECT_EQ(read.microbatches, 4);
  EXPECT_EQ(read.zero, 3);
  EXPECT_EQ(read.zeroAxes, plan.zeroAxes);
  EXPECT_EQ(read.expertAxes, plan.expertAxes);
  EXPECT_EQ(read.shard, plan.shard);
  EXPECT_EQ(read.state, plan.state);
  EXPECT_TRUE(read.wholeSequence);
  ASSERT_EQ(read.arguments.size(), 2u);
  EXPECT_EQ(read.arguments[0].shards, plan.arguments[0].shards);
  ASSERT_EQ(read.ops.size(), 1u);
  EXPECT_EQ(read.ops[0].number, 7);
  EXPECT_EQ(read.ops[0].name, plan.ops[0].name);
  // Pins know where they stand.
  EXPECT_EQ(read.arguments[1].line, read.arguments[0].line + 1);
  EXPECT_EQ(read.ops[0].line, read.arguments[0].line + 2);
  EXPECT_EQ(read.ops[0].column, 1);
}

TEST(Plan, CutsAreReadBackEqual) {
  Plan plan = makePlan(), read;
  plan.cuts = {{"train.tanh m.py:3", 0}, {"train.add m.py:3", 2}};
  std::string text = printPlan(plan);
  ASSERT_EQ(parsePlan(text, "p", read), "");
  EXPECT_EQ(read, plan);
  EXPECT_GT(read.cuts.front().line, 0);
  EXPECT_NE(text.find("cuts { name: \"train.add m.py:3\" number: 2 }"),
            std::string::npos)
      << text;
  EXPECT_NE(
      parsePlan("mesh { name: \"data\" size: 1 } cuts { number: 1 }", "p", read)
          .find("cuts: expected the name of an op"),
      std::string::npos);
  EXPECT_NE(parsePlan("mesh { name: \"data\" size: 1 } "
                      "cuts { name: \"a\" number: -1 }",
                      "p", read)
                .find("cuts: expected the number of an op, from 0, found -1"),
            std::string::npos);
}

TEST(Plan, DecisionsAreReadBackEqual) {
  Plan plan = makePlan(), read;
  plan.residuals.clear();
  plan.decisions = {{"train.tanh m.py:3", {}, Fate::Recomputed},
                    {"train.add m.py:3", {0, 1, 2, 7, 9, 11}, Fate::Kept}};
  std::string text = printPlan(plan);
  ASSERT_EQ(parsePlan(text, "p", read), "");
  EXPECT_EQ(read, plan);
  EXPECT_NE(text.find("decisions { name: \"train.add m.py:3\" numbers: "
                      "\"0-2,7-11/2\" fate: \"keep\" }\n"),
            std::string::npos)
      << text;
  EXPECT_GT(read.decisions[1].line, read.decisions[0].line);
}

// Fields that a search fills in: axes without names, microbatches, the order of
// stages.
TEST(Plan, IsOpenWhereSomethingIsLeftToChoose) {
  Plan plan;
  EXPECT_TRUE(plan.isOpen());
  plan.microbatches = 1;
  EXPECT_FALSE(plan.isOpen());
  plan.mesh = {{"", 8}};
  EXPECT_TRUE(plan.isOpen());
  plan.mesh = {{"data", 8}};
  EXPECT_FALSE(plan.isOpen());
  plan.microbatches = 0;
  EXPECT_TRUE(plan.isOpen());
  plan.microbatches = 4;
  plan.mesh = {{"pipe", 2}};
  EXPECT_TRUE(plan.isOpen());
  plan.schedule = ScheduleKind::OneForwardOneBackward;
  EXPECT_FALSE(plan.isOpen());
}

TEST(Plan, ActionsAreReadBackEqual) {
  Plan plan = makePlan(), read;
  plan.schedule = {};
  plan.mesh = {{"pipe", 2}};
  plan.zeroAxes.clear();
  plan.expertAxes.clear();
  plan.shard.clear();
  plan.arguments.clear();
  plan.ops.clear();
  plan.microbatches = 1;
  EXPECT_TRUE(plan.isOpen());
  plan.actions = {{"F0 F0>1 1>B0 B0"}, {"0>F0 F0 B0 B0>0"}};
  EXPECT_FALSE(plan.isOpen());
  std::string text = printPlan(plan);
  ASSERT_EQ(parsePlan(text, "p", read), "");
  EXPECT_EQ(read, plan);
  EXPECT_EQ(read.listRows(),
            (std::vector<std::string>{"F0 F0>1 1>B0 B0", "0>F0 F0 B0 B0>0"}));
  EXPECT_EQ(read.actions[1].line, read.actions[0].line + 1);
  EXPECT_NE(text.find("actions: \"F0 F0>1 1>B0 B0\"\n"), std::string::npos)
      << text;
}

// One of before schedules, residuals and memory.
TEST(Plan, OlderOnesAreRead) {
  Plan plan;
  ASSERT_EQ(parsePlan("mesh { name: \"data\" size: 2 } microbatches: 2 zero: 3 "
                      "shard: \"w=data,-\" state: \"w=keep\" "
                      "arguments { name: \"w\" shards: \"data/4\" }",
                      "p", plan),
            "");
  EXPECT_FALSE(plan.schedule.isNamed());
  EXPECT_TRUE(plan.residuals.empty());
  EXPECT_EQ(plan.memory, 0);
  EXPECT_EQ(plan.residualBytes, -1);
  EXPECT_EQ(printShards(plan.arguments[0].shards), "[\"data/4\"]");
}

TEST(Plan, RolesFollowFromNames) {
  EXPECT_EQ(roleOf("data"), AxisRole::Data);
  EXPECT_EQ(roleOf("data:(2)4"), AxisRole::Data);
  EXPECT_EQ(roleOf("database"), AxisRole::None);
  EXPECT_EQ(roleOf(microAxisName), AxisRole::None);
  for (AxisRole role : {AxisRole::Data, AxisRole::Expert, AxisRole::Tensor,
                        AxisRole::Context, AxisRole::Pipe})
    EXPECT_EQ(roleOf(axisName(role)), role);
  Plan plan;
  EXPECT_FALSE(plan.isBare());
  plan.mesh = {{"", 8}};
  EXPECT_TRUE(plan.isBare());
  plan.mesh = {{"data:(1)2", 2}, {"data:(2)4", 4}, {"tensor", 3}};
  EXPECT_FALSE(plan.isBare());
  EXPECT_EQ(plan.countDevices(), 24);
  EXPECT_EQ(sizeOf(plan.mesh, {AxisRole::Data, AxisRole::Expert}), 8);
  EXPECT_EQ(joinAxes(plan.mesh),
            (std::vector<PlanAxis>{{"data", 8}, {"tensor", 3}}));
}

TEST(Plan, ShortTextsAreReadBack) {
  for (const char *text : {"w=data,-", "*.wo=data+tensor:(1)2,?,-", "a=b=x"}) {
    PlanAnnotation annotation;
    EXPECT_EQ(parseAnnotation(text, annotation), "") << text;
    EXPECT_EQ(printAnnotation(annotation), text);
  }
  for (const char *text : {"w=0", "*=3", "a=b=keep", "w=gather"}) {
    PlanState state;
    EXPECT_EQ(parseState(text, state), "") << text;
    EXPECT_EQ(printState(state), text);
  }
  for (const char *text : {"/4", "data/6", "data+tensor:(1)2/8"}) {
    PlanShards shards;
    EXPECT_EQ(parseShards(text, shards), "") << text;
    EXPECT_EQ(printShards(shards), text);
  }
  for (const char *text : {"auto", "none", "full", "*.py:3", "a:1,b:2#3"}) {
    std::vector<PlanResidual> residuals;
    EXPECT_EQ(parseRemat(text, residuals), "") << text;
    EXPECT_EQ(printRemat(residuals), text);
  }
  std::vector<PlanResidual> residuals;
  EXPECT_EQ(parseRemat("a:1,full", residuals),
            "expected auto, none, full or globs, found 'a:1,full': 'full' "
            "stands alone");
  EXPECT_EQ(parseRemat("a:1,", residuals),
            "expected a glob between commas, found 'a:1,'");
  std::vector<PlanAxis> mesh;
  EXPECT_EQ(parseMesh("data=4,tensor=2", mesh), "");
  EXPECT_EQ(printMesh(mesh), "data=4,tensor=2");
  EXPECT_EQ(parseMesh("8x4", mesh), "");
  EXPECT_EQ(mesh, (std::vector<PlanAxis>{{"", 32}}));
}

TEST(Plan, OrdersAxesByWhatTheySend) {
  auto ordered = [](const char *text) {
    std::vector<PlanAxis> mesh;
    EXPECT_EQ(parseMesh(text, mesh), "");
    orderByRole(mesh);
    return printMesh(mesh);
  };
  EXPECT_EQ(ordered("tensor=8,context=2,expert=4,data=3,pipe=6"),
            "pipe=6,data=3,expert=4,context=2,tensor=8");
  EXPECT_EQ(ordered("data=2,pipe=2"), "pipe=2,data=2");
  // Only the user knows how much an axis without a role sends.
  EXPECT_EQ(ordered("tensor=8,host=2,pipe=2"), "tensor=8,host=2,pipe=2");
  std::vector<PlanAxis> bare;
  EXPECT_EQ(parseMesh("8x4", bare), "");
  orderByRole(bare);
  EXPECT_EQ(bare, (std::vector<PlanAxis>{{"", 32}}));
}

TEST(Plan, SaysOnlyWhatWasDecided) {
  Plan plan;
  ASSERT_EQ(parsePlan("mesh { name: \"data\" size: 2 }", "p", plan), "");
  EXPECT_EQ(plan.zero, -1);
  EXPECT_EQ(plan.microbatches, 1);
  EXPECT_FALSE(plan.wholeSequence);
  EXPECT_EQ(printPlan(plan), "# A plan of zcc: --plan reads it.\n"
                             "mesh { name: \"data\" size: 2 }\n"
                             "microbatches: 1\n");
}

TEST(Plan, ErrorsHaveTheirPlaces) {
  std::string mesh = "mesh { name: \"data\" size: 2 }\n";
  EXPECT_EQ(planErrorOf(""),
            "p:1:1: error: mesh: expected at least one axis\n");
  EXPECT_EQ(planErrorOf("x"),
            "p:1:2: error: \"Plan\" has no field named \"x\"\n");
  EXPECT_EQ(planErrorOf("mesh { name: \"a-b\" size: 2 }"),
            "p:1:1: error: mesh: expected the name of an axis, found 'a-b'\n");
  EXPECT_EQ(planErrorOf("mesh { size: 2 }"),
            "p:1:1: error: mesh: expected the name of an axis, found ''\n");
  EXPECT_EQ(planErrorOf(mesh + " mesh { name: \"data\" size: 4 }"),
            "p:2:2: error: mesh: axis 'data' stands twice\n");
  EXPECT_EQ(planErrorOf("mesh { name: \"data\" size: 0 }"),
            "p:1:1: error: mesh: expected a size from 1 to 16777216, found "
            "0\n");
  EXPECT_EQ(planErrorOf("mesh { name: \"a\" size: 8192 }\n"
                        "mesh { name: \"b\" size: 8192 }"),
            "p:2:1: error: mesh: more than 16777216 devices\n");
  EXPECT_EQ(planErrorOf("mesh { name: \"micro\" size: 2 }"),
            "p:1:1: error: mesh: axis 'micro' is that of the microbatches; "
            "microbatches gives its size\n");
  EXPECT_EQ(planErrorOf(mesh + "microbatches: 0"),
            "p:2:1: error: microbatches: expected a number from 1 to "
            "16777216, found 0\n");
  EXPECT_EQ(planErrorOf(mesh + "zero: 4"),
            "p:2:1: error: zero: expected a stage from 0 to 3, found 4\n");
  EXPECT_EQ(planErrorOf(mesh + "zero_axes: \"host\""),
            "p:2:1: error: zero_axes: the mesh has no axis 'host'\n");
  EXPECT_EQ(planErrorOf(mesh + "zero_axes: \"data\"\nzero_axes: \"data\""),
            "p:3:1: error: zero_axes: axis 'data' stands twice\n");
  EXPECT_EQ(planErrorOf(mesh + "expert_axes: \"host\""),
            "p:2:1: error: expert_axes: the mesh has no axis 'host'\n");
  EXPECT_EQ(planErrorOf(mesh + "shard: \"w\""),
            "p:2:1: error: shard: expected NAME-GLOB=AXES, one entry a dim as "
            "in '*.wo=data,-,tensor', found 'w'\n");
  EXPECT_EQ(planErrorOf(mesh + "shard: \"w=host\""),
            "p:2:1: error: shard: 'w=host' names the axis 'host', which the "
            "plan's mesh does not have\n");
  EXPECT_EQ(planErrorOf(mesh + "state: \"w=4\""),
            "p:2:1: error: state: expected NAME-GLOB=0|1|2|3|keep|gather, "
            "found 'w=4'\n");
  EXPECT_EQ(planErrorOf(mesh + "memory: -1"),
            "p:2:1: error: memory: expected bytes from 1 to 1e18, found -1\n");
  EXPECT_EQ(planErrorOf(mesh + "compress: 'f4'"),
            "p:2:1: error: compress: expected one of none|auto|bf16|f8|int8, "
            "found 'f4'\n");
  EXPECT_EQ(planErrorOf(mesh + "residual_bytes: -1"),
            "p:2:1: error: residual_bytes: expected bytes from 0 to 1e18, "
            "found -1\n");
  EXPECT_EQ(planErrorOf(mesh + "residuals { name: \"w\" fate: \"forget\" }"),
            "p:2:1: error: residuals: expected one of "
            "keep|recompute|recompute-blocks, found 'forget'\n");
  EXPECT_EQ(planErrorOf(mesh + "residuals { fate: \"recompute\" }"),
            "p:2:1: error: residuals: expected the name of values, or a "
            "glob\n");
  EXPECT_EQ(planErrorOf(mesh + "residuals { name: \"w\" fate: \"keep\" }"),
            "p:2:1: error: residuals: to keep some values alone does not work "
            "yet (not yet)\n");
  auto decision = [](const std::string &numbers, const std::string &fate) {
    return "decisions { name: 'a x:1' numbers: '" + numbers + "' fate: '" +
           fate + "' }\n";
  };
  EXPECT_EQ(
      planErrorOf(mesh + decision("", "forget")),
      "p:2:1: error: decisions: expected keep, recompute or hand-over, found "
      "'forget'\n");
  EXPECT_EQ(planErrorOf(mesh + "decisions { fate: 'keep' }"),
            "p:2:1: error: decisions: expected the name of an op\n");
  for (const char *numbers :
       {"3-1", "1,1", "-2", "1-2-3", "x", "1,", "1-3/0", "1/2/3"})
    EXPECT_EQ(planErrorOf(mesh + decision(numbers, "keep")),
              "p:2:1: error: decisions: expected numbers, each once, as in "
              "0-3,7-31/8, found '" +
                  std::string(numbers) + "'\n");
  EXPECT_EQ(planErrorOf(mesh + decision("0-4", "keep") + decision("7", "keep") +
                        decision("3-6", "recompute")),
            "p:4:1: error: decisions: expected one decision on 'a x:1' number "
            "3, found recompute here and keep in line 2\n");
  EXPECT_EQ(planErrorOf(mesh + decision("2", "keep") + decision("", "keep")),
            "p:3:1: error: decisions: expected one decision on 'a x:1' number "
            "2, found keep here and keep in line 2\n");
  EXPECT_EQ(planErrorOf(mesh + "residuals { name: '*' fate: 'keep' }\n" +
                        decision("", "keep")),
            "p:3:1: error: decisions: expected decisions or residuals, found "
            "both ('keep' of '*' in residuals)\n");
  EXPECT_EQ(planErrorOf(mesh + "offload: \"moments\""),
            "p:2:1: error: offload: expected optimizer, activations, "
            "parameters, found 'moments'\n");
  EXPECT_EQ(planErrorOf(mesh + "offload: \"auto\"\noffload_bytes: -1"),
            "p:3:1: error: offload_bytes: expected bytes from 0 to 1e18, found "
            "-1\n");
  EXPECT_EQ(
      planErrorOf(mesh + "offload: \"optimizer\"\noffload_bytes: 1"),
      "p:3:1: error: offload_bytes: expected offload: \"auto\" beside it\n");
  EXPECT_EQ(
      planErrorOf(mesh + "offload: \"optimizer\"\noffload: \"optimizer\""),
      "p:3:1: error: offload: 'optimizer' stands twice\n");
  EXPECT_EQ(planErrorOf(mesh + "arguments { number: -1 }"),
            "p:2:1: error: arguments: expected a number of at least 0, found "
            "-1\n");
  EXPECT_EQ(planErrorOf(mesh + "arguments { name: \"w\" }\n"
                               "arguments { number: 3 name: \"w\" }"),
            "p:3:1: error: arguments: 'w' stands twice\n");
  EXPECT_EQ(planErrorOf(mesh + "ops { number: 3 name: \"o\" }\n"
                               "ops { number: 2 name: \"o\" }\n"
                               "ops { number: 3 name: \"o\" }"),
            "p:4:1: error: ops: 'o' number 3 stands twice\n");
  EXPECT_EQ(planErrorOf(mesh + "arguments { shards: \"data\" }"),
            "p:2:1: error: arguments: expected AXES/EXTENT, found 'data'\n");
  EXPECT_EQ(planErrorOf(mesh + "ops { shards: \"data/4x\" }"),
            "p:2:1: error: ops: expected AXES/EXTENT, found 'data/4x'\n");
  EXPECT_EQ(
      planErrorOf(mesh + "ops { shards: \"/4\" shards: \"data+host/4\" }"),
      "p:2:1: error: ops: the mesh has no axis 'host'\n");
  EXPECT_EQ(planErrorOf(mesh + "ops { shards: \"micro/4\" }"),
            "p:2:1: error: ops: the mesh has no axis 'micro'\n");
  EXPECT_EQ(planErrorOf(mesh + "microbatches: 2 ops { shards: \"micro/4\" }"),
            "");
}

TEST(Plan, AllErrorsAreReported) {
  std::string errors = planErrorOf("mesh { size: 0 }\nzero: 9");
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 3) << errors;
}

TEST(Plan, SaysHowAnotherModelDiffers) {
  Plan plan = makePlan();
  EXPECT_EQ(compareValues(plan, plan.values), "");
  std::vector<PlanValue> values = {
      {"w", {4, 7}, false}, {"x", {8, 4}, true}, {"new", {2}, true}};
  EXPECT_EQ(compareValues(plan, values),
            "'w' is the parameter [4x7] here, the parameter [4x6] in the "
            "plan\n"
            "  the input 'new' is not in the plan\n"
            "  the plan has the parameter 's'");
  values.clear();
  for (int i = 0; i < 20; ++i)
    values.push_back({"v" + std::to_string(i), {}, false});
  EXPECT_NE(compareValues(plan, values).find("and 15 more"), std::string::npos);
}

TEST(Plan, OpenFieldsAreFilled) {
  Plan all = makePlan(), open;
  open.fillOpen(all);
  EXPECT_EQ(open, all);
  // Said fields stay.
  Plan asked;
  asked.zero = 1;
  asked.memory = 5;
  asked.fillOpen(all);
  EXPECT_EQ(asked.zero, 1);
  EXPECT_EQ(asked.memory, 5);
  EXPECT_EQ(asked.mesh, all.mesh);
}

TEST(Plan, FieldsThatSayMoreOfOneGoWithIt) {
  Plan all = makePlan();
  all.decisions = {{"train.tanh m.py:2", {0}}};
  all.actions = {{"F0 B0"}};
  Plan asked;
  asked.residuals = {{"*", RematPolicy::Keep}};
  asked.offload.kinds = {OffloadKind::Optimizer};
  asked.schedule = ScheduleKind::OneForwardOneBackward;
  asked.fillOpen(all);
  EXPECT_TRUE(asked.decisions.empty());
  EXPECT_LT(asked.residualBytes, 0);
  EXPECT_LT(asked.offloadBytes, 0);
  EXPECT_TRUE(asked.actions.empty());
  EXPECT_EQ(asked.schedule.print(), "1f1b");
  // Cuts are of the parts of their schedule.
  all.schedule = {ScheduleKind::Interleaved, 2};
  all.actions.clear();
  all.cuts = {{"train.tanh m.py:2", 0}};
  Plan other, same;
  other.schedule = ScheduleKind::OneForwardOneBackward;
  other.fillOpen(all);
  EXPECT_TRUE(other.cuts.empty());
  same.schedule = all.schedule;
  same.fillOpen(all);
  EXPECT_EQ(same.cuts, all.cuts);
  all.actions = {{"F0 B0"}};
  all.schedule = makePlan().schedule;
  // A table replaces a schedule.
  Plan table;
  table.actions = {{"F0 B0"}};
  table.fillOpen(all);
  EXPECT_FALSE(table.schedule.isNamed());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action tables: the text form, the verifier (which must see every mistake),
// and the generators on many pipelines.
#include "planning/ScheduleGenerators.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace zcc::planning;

namespace {

std::vector<ActionTable> parse(const std::string &text,
                               const ScheduleProblem &problem) {
  std::vector<ActionTable> tables;
  EXPECT_EQ(parseSchedule(text, problem, tables), "");
  return tables;
}

std::string verify(const std::string &text, const ScheduleProblem &problem) {
  return verifySchedule(problem, parse(text, problem));
}

std::string make(const std::string &name, const ScheduleProblem &problem) {
  NamedSchedule schedule;
  std::vector<ActionTable> tables;
  std::string wrong = parseSchedule(name, schedule);
  if (wrong.empty())
    wrong = makeSchedule(schedule, problem, tables);
  return wrong.empty() ? printSchedule(problem, tables) : wrong;
}

const char *const two = "F0 F0>1 F1 F1>1 1>B0 B0 1>B1 B1\n"
                        "0>F0 F0 B0 B0>0 0>F1 F1 B1 B1>0\n";

TEST(ScheduleText, comesBackAsItWas) {
  ScheduleProblem problem = makeChain(2, 1, 2);
  EXPECT_EQ(printSchedule(problem, parse(two, problem)), two);
  ScheduleProblem chunks = makeChain(1, 2, 1, true, true);
  const char *text = "F0 F0.1 B0.1 W0.1 B0 W0\n";
  EXPECT_EQ(printSchedule(chunks, parse(text, chunks)), text);
}

TEST(ScheduleText, errorsNameTheLine) {
  ScheduleProblem problem = makeChain(2, 1, 2);
  std::vector<ActionTable> tables;
  for (const char *word :
       {"X0", "F", "F0.1", "W0", "F0>", ">F0", "5>F0", "F0>1x", "F-1"})
    EXPECT_EQ(
        parseSchedule("F0\nF0 " + std::string(word) + "\n", problem, tables),
        "stage 1, action 2: expected " +
            std::string(word[0] == '5' ? "no task of stage 5"
                                       : "F and B of stage 1") +
            ", found '" + word + "'");
}

// Who writes the rows may not know which backward task a chunk lacks.
TEST(ScheduleText, leavesOutBackwardTasksThatAreNotThere) {
  ScheduleProblem problem = makeChain(2, 1, 1, true, true);
  std::vector<ActionTable> full = parse("F0 F0>1 1>B0 B0 W0\n"
                                        "0>F0 F0 B0 B0>0 W0\n",
                                        problem);
  EXPECT_EQ(full[0].size(), 5U);
  auto without = [&](StageTaskKind kind) {
    ScheduleProblem own = problem;
    own.tasks.erase(own.tasks.begin() + own.find(0, 0, kind));
    return own;
  };
  ScheduleProblem own = without(StageTaskKind::Backward);
  std::vector<ActionTable> tables = parse("F0 F0>1 1>B0 B0 W0\n"
                                          "0>F0 F0 B0 B0>0 W0\n",
                                          own);
  EXPECT_EQ(printRow(own, tables[0]), "F0 F0>1 1>B0 W0");
  EXPECT_EQ(printRow(own, tables[1]), "0>F0 F0 B0 B0>0 W0");
  own = without(StageTaskKind::WeightBackward);
  tables = parse("F0 F0>1 1>B0 B0 W0\n0>F0 F0 B0 B0>0 W0\n", own);
  EXPECT_EQ(printRow(own, tables[0]), "F0 F0>1 1>B0 B0");
  // A transfer of what is not there is a fault, and so is a chunk without any.
  EXPECT_EQ(parseSchedule("F0 W0>1\n", own, tables),
            "stage 0, action 2: expected F and B of stage 0, found 'W0>1'");
  EXPECT_EQ(parseSchedule("F0 B0.1\n", own, tables),
            "stage 0, action 2: expected F and B of stage 0, found 'B0.1'");
}

// The shape read from the rows of a schedule is that of its generator.
TEST(ActionShape, isThatOfTheSchedule) {
  for (const char *name : {"gpipe", "1f1b", "interleaved:2", "interleaved:3",
                           "interleaved:2:6", "zb-h1", "zb-v"}) {
    ActionShape named, read;
    NamedSchedule schedule;
    ASSERT_EQ(parseSchedule(name, schedule), "");
    EXPECT_TRUE(schedule.isNamed());
    EXPECT_EQ(schedule.print(), name);
    ASSERT_EQ(findShape(schedule, {}, named), "");
    ScheduleProblem problem =
        makeChain(3, named.chunks, 6, true, named.splits, named.goesBack);
    std::vector<ActionTable> tables;
    ASSERT_EQ(makeSchedule(schedule, problem, tables), "");
    std::vector<std::string> rows;
    for (const ActionTable &table : tables)
      rows.push_back(printRow(problem, table));
    ASSERT_EQ(findShape({}, rows, read), "");
    EXPECT_EQ(read.chunks, named.chunks) << name;
    EXPECT_EQ(read.splits, named.splits) << name;
    EXPECT_EQ(read.goesBack, named.goesBack) << name;
    std::vector<ActionTable> again;
    ASSERT_FALSE(parseRows(rows, problem, again));
    EXPECT_EQ(printSchedule(problem, again), printSchedule(problem, tables));
  }
  ActionShape shape;
  NamedSchedule open;
  EXPECT_EQ(parseSchedule("none", open).substr(0, 15), "expected one of");
  EXPECT_FALSE(open.isNamed());
  EXPECT_EQ(parseSchedule("", open).substr(0, 15), "expected one of");
  ASSERT_EQ(parseSchedule("auto", open), "");
  EXPECT_FALSE(open.isNamed());
  EXPECT_EQ(open.print(), "auto");
  EXPECT_EQ(&open.getGenerator(), &defaultSchedule.getGenerator());
  EXPECT_EQ(open.countChunks(), 1);
  auto wrong = [&](const std::string &row) {
    std::optional<ActionFault> fault = readShape({"F0", row}, 2, shape);
    return fault ? fault->print() : "";
  };
  EXPECT_EQ(wrong("F0 X1"), "stage 1, action 2: expected F, B or W with a "
                            "microbatch as in F2, F2.1, F2>1 or 0>F2, found "
                            "'X1'");
  EXPECT_EQ(wrong("F2"),
            "stage 1, action 1: expected a microbatch below 2, found 'F2'");
  EXPECT_EQ(wrong("F0.1024"),
            "stage 1, action 1: expected a chunk below 1024, found 'F0.1024'");
  EXPECT_EQ(wrong("F0 F0>2"),
            "stage 1, action 2: expected another stage below 2, found 'F0>2'");
  EXPECT_EQ(wrong("1>F0"),
            "stage 1, action 1: expected another stage below 2, found '1>F0'");
}

// The shape is found whatever is sent past other chunks, and however many there
// are.
TEST(ActionShape, knowsWhereSecondChunksGo) {
  ActionShape shape;
  auto goesBack = [&](const std::vector<std::string> &rows) {
    EXPECT_FALSE(readShape(rows, 2, shape));
    return shape.goesBack;
  };
  EXPECT_TRUE(goesBack(
      {"F0 F0>1 1>F0.1 F0.1 F0.2 F0.2>1", "0>F0 F0 F0.1 F0.1>0 0>F0.2 F0.2"}));
  // The other stage reads the second chunk, too.
  EXPECT_TRUE(goesBack({"F0 F0>1 1>F0.1 F0.1 F0.1>1 F0.2 F0.2>1",
                        "0>F0 F0 F0.1 F0.1>0 0>F0.1 0>F0.2 F0.2"}));
  EXPECT_TRUE(goesBack({"F0 F0>1 1>F0.1 F0.1 F0.1>1 1>B0.1",
                        "0>F0 F0 F0.1 F0.1>0 0>F0.1 B0.1 B0.1>0"}));
  EXPECT_FALSE(goesBack({"F0 F0>1 1>F0 F0.1 F0.1>1 1>F0.1 F0.2",
                         "0>F0 F0 F0>0 0>F0.1 F0.1 F0.1>0"}));
  EXPECT_FALSE(goesBack({"F0 F0>1", "0>F0 F0"}));
}

TEST(ScheduleVerifier, takesWhatIsRight) {
  EXPECT_EQ(verify(two, makeChain(2, 1, 2)), "");
  EXPECT_EQ(verify("F0 F1\n", makeChain(1, 1, 2, false)), "");
  EXPECT_EQ(verify("F0 F0.1 B0.1 W0.1 B0 W0\n", makeChain(1, 2, 1, true, true)),
            "");
}

TEST(ScheduleVerifier, seesWhatIsWrong) {
  ScheduleProblem one = makeChain(1, 1, 2), pair = makeChain(2, 1, 1);
  EXPECT_EQ(verify("F0 B0 F1\n", one),
            "stage 0: expected B1, which never runs");
  EXPECT_EQ(verify("F0 F1 B1 B0\n", one),
            "stage 0, action 3: expected B0, found B1: microbatches add in "
            "ascending order");
  EXPECT_EQ(verify("F0 B0 B0 F1 B1\n", one),
            "stage 0, action 3: expected B1, found B0: microbatches add in "
            "ascending order");
  EXPECT_EQ(verify("F0 B0 F1 B1 B0\n", one),
            "stage 0, action 5: expected no more of this task, found B0: "
            "microbatches add in ascending order");
  EXPECT_EQ(
      verify("B0 F0 F1 B1\n", one),
      "stage 0, action 1: expected F0, which it reads, before B0, found it "
      "after");
  EXPECT_EQ(verify("F0 B0 F1 B1 F2\n", one),
            "stage 0, action 5: expected a microbatch below 2, found F2");
  EXPECT_EQ(verify("F0 B0 F1 B1\n\n", one),
            "expected a table for each of 1 stages, found 2");
  EXPECT_EQ(
      verify("F0 F0>1 1>B0 B0\nF0 0>F0 B0 B0>0\n", pair),
      "stage 1, action 1: expected 0>F0, which it reads, before F0, found "
      "none");
  EXPECT_EQ(verify("F0>1 F0 1>B0 B0\n0>F0 F0 B0 B0>0\n", pair),
            "stage 0, action 1: expected F0 before it is sent, found F0>1");
  EXPECT_EQ(verify("F0 F0>1 F0>1 1>B0 B0\n0>F0 F0 B0 B0>0\n", pair),
            "stage 0, action 3: expected F0>1 once, found it sent twice");
  EXPECT_EQ(verify("F0 F0>1 1>B0 B0\n0>F0 0>F0 F0 B0 B0>0\n", pair),
            "stage 1, action 2: expected 0>F0 once, found it received twice");
  EXPECT_EQ(verify("1>B0 F0 F0>1 B0\n0>F0 F0 B0 B0>0\n", pair),
            "stage 0, action 1: 1>B0 waits forever");
  EXPECT_EQ(verify("F0 F0>1 1>B0 B0 B0>1\n0>F0 F0 B0 B0>0\n", pair),
            "stage 0, action 5: B0>1: no task of stage 1 reads what it sends");
  EXPECT_EQ(verify("F0 F0>1\n\n", makeChain(2, 1, 1, false)),
            "stage 1: expected F0, which never runs");
  EXPECT_EQ(verify("F0 F0>0 1>B0 B0\n0>F0 F0 B0 B0>0\n", pair),
            "stage 0, action 2: F0>0: is between stages 0 and 0");
}

// The most that a stage holds: microbatches that went forward and not yet back.
std::vector<int64_t> held(const ScheduleProblem &problem,
                          const std::vector<ActionTable> &tables) {
  std::vector<int64_t> out;
  for (const ActionTable &table : tables) {
    int64_t now = 0, most = 0;
    for (const StageAction &action : table)
      if (action.kind == StageAction::Run) {
        StageTaskKind kind = problem.tasks[action.task].kind;
        now += kind == StageTaskKind::Forward    ? 1
               : kind == StageTaskKind::Backward ? -1
                                                 : 0;
        most = std::max(most, now);
      }
    out.push_back(most);
  }
  return out;
}

// With one buffer, stage 0 waits at its second send, and stage 1 for a later
// message.
TEST(ScheduleVerifier, seesTooFewBuffers) {
  ScheduleProblem problem = makeChain(2, 1, 2);
  std::string text = "F0 F0>1 F1 F1>1 1>B0 B0 1>B1 B1\n"
                     "0>F1 0>F0 F0 F1 B0 B0>0 B1 B1>0\n";
  EXPECT_EQ(verifySchedule(problem, parse(text, problem)), "");
  EXPECT_EQ(verifySchedule(problem, parse(text, problem), 2), "");
  EXPECT_EQ(verifySchedule(problem, parse(text, problem), 1),
            "stage 0, action 4: F1>1 waits forever");
  EXPECT_EQ(countBuffers(problem, parse(text, problem)), 2);
  EXPECT_EQ(countBuffers(problem, parse(two, problem)), 1);
}

TEST(ScheduleGenerators, areNamed) {
  EXPECT_EQ(make("auto", makeChain(1, 1, 2)), "F0 B0 F1 B1\n");
  EXPECT_EQ(make("1f1b", makeChain(1, 1, 2)), "F0 B0 F1 B1\n");
  EXPECT_EQ(make("1f1b", makeChain(1, 1, 2, true, true)),
            "F0 B0 W0 F1 B1 W1\n");
  EXPECT_EQ(make("gpipe", makeChain(1, 1, 2)), "F0 F1 B0 B1\n");
  EXPECT_EQ(make("gpipe", makeChain(1, 1, 2, false)), "F0 F1\n");
  EXPECT_EQ(make("1f1b", makeChain(2, 1, 2)), two);
  EXPECT_EQ(make("gpipe", makeChain(2, 1, 2)),
            "F0 F0>1 F1 F1>1 1>B0 B0 1>B1 B1\n"
            "0>F0 F0 0>F1 F1 B0 B0>0 B1 B1>0\n");
}

TEST(ScheduleProblem, heldMicrobatches) {
  ScheduleProblem problem = makeChain(3, 1, 6, true, true);
  const NamedSchedule schedule = ScheduleKind::ZeroBubbleH1;
  std::vector<ActionTable> tables;
  ASSERT_EQ(makeSchedule(schedule, problem, tables), "");
  for (int64_t stage = 0; stage < 3; ++stage) {
    auto find = [&](StageTaskKind kind) {
      return static_cast<size_t>(problem.find(stage, 0, kind));
    };
    size_t forward = find(StageTaskKind::Forward),
           backward = find(StageTaskKind::Backward),
           weights = find(StageTaskKind::WeightBackward);
    EXPECT_EQ(countHeld(tables[stage], forward, backward), 3 - stage);
    EXPECT_EQ(countHeld(tables[stage], backward, weights), 1 + stage);
  }
}

TEST(ScheduleGenerators, ofChunksAndWeights) {
  EXPECT_EQ(make("interleaved:2", makeChain(1, 2, 1)), "F0 F0.1 B0.1 B0\n");
  EXPECT_EQ(make("zb-h1", makeChain(1, 1, 2, true, true)),
            "F0 B0 W0 F1 B1 W1\n");
  EXPECT_EQ(make("zb-v", makeChain(1, 2, 1, true, true, true)),
            "F0 F0.1 B0.1 W0.1 B0 W0\n");
  // The second chunk begins where the first one ends.
  EXPECT_EQ(make("zb-v", makeChain(2, 2, 1, true, true, true)),
            "F0 F0>1 1>F0.1 F0.1 B0.1 B0.1>1 W0.1 1>B0 B0 W0\n"
            "0>F0 F0 F0.1 F0.1>0 0>B0.1 B0.1 W0.1 B0 B0>0 W0\n");
  NamedSchedule named;
  ASSERT_EQ(parseSchedule("interleaved:12", named), "");
  EXPECT_EQ(named.countChunks(), 12);
  EXPECT_EQ(named.countGroup(3), 3);
  EXPECT_EQ(named.print(), "interleaved:12");
  ASSERT_EQ(parseSchedule("interleaved:12:16", named), "");
  EXPECT_EQ(named.countChunks(), 12);
  EXPECT_EQ(named.countGroup(3), 16);
  EXPECT_EQ(named.print(), "interleaved:12:16");
  EXPECT_NE(named.parts(),
            NamedSchedule(ScheduleKind::Interleaved, 12).parts());
  // A group of as many microbatches as there are stages is the default.
  EXPECT_EQ(make("interleaved:2:2", makeChain(2, 2, 4)),
            make("interleaved:2", makeChain(2, 2, 4)));
  // A group passes one chunk before the next chunk begins.
  EXPECT_EQ(make("interleaved:2:3", makeChain(1, 2, 3)),
            "F0 F1 F2 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1 B0 B1 B2\n");
  EXPECT_EQ(NamedSchedule(ScheduleKind::ZeroBubbleV).countChunks(), 2);
  EXPECT_EQ(NamedSchedule(ScheduleKind::OneForwardOneBackward).countChunks(),
            1);
}

TEST(ScheduleGenerators, refuseWhatTheyAreNot) {
  ScheduleProblem problem = makeChain(2, 1, 2);
  EXPECT_EQ(make("f1b1", problem),
            "expected one of auto|gpipe|1f1b|interleaved:V|zb-h1|zb-h2|zb-v, "
            "found 'f1b1'");
  EXPECT_EQ(make("", problem).substr(0, 15), "expected one of");
  for (const char *name :
       {"interleaved:V", "interleaved:", "interleaved:1", "interleaved:-2",
        "interleaved:2x", "interleaved:99999999999999999999"})
    EXPECT_EQ(make(name, problem),
              "interleaved: expected 2 to 1024 chunks, found '" +
                  std::string(name).substr(12) + "'");
  EXPECT_EQ(make("interleaved:2", makeChain(2, 2, 3)),
            "schedule 'interleaved:V' takes as many microbatches at a time as "
            "there are stages: expected a multiple of 2, found 3");
  for (const char *size : {"", "0", "-2", "2x", "65537"})
    EXPECT_EQ(make("interleaved:2:" + std::string(size), problem),
              "interleaved: expected groups of 1 to 65536 microbatches, found "
              "'" +
                  std::string(size) + "'");
  EXPECT_EQ(make("interleaved:2:4", makeChain(2, 2, 6)),
            "schedule 'interleaved:V' takes 4 microbatches at a time: expected "
            "a multiple of 4, found 6");
  EXPECT_EQ(make("interleaved:2:1", makeChain(2, 2, 6)),
            "schedule 'interleaved:V' takes groups of at least as many "
            "microbatches as there are stages: expected 2 or more, found 1");
  EXPECT_EQ(make("zb-h1", problem),
            "schedule 'zb-h1' takes gradients of weights as tasks of their "
            "own: there are none");
  EXPECT_EQ(make("zb-v", makeChain(2, 3, 2, true, true, true)),
            "schedule 'zb-v' has 2 chunks a stage, stage 0 has 3");
  EXPECT_EQ(make("gpipe", makeChain(2, 2, 2)),
            "schedule 'gpipe' has one chunk a stage, stage 0 has 2");
}

TEST(ScheduleGenerators, holdWhatTheySay) {
  for (int64_t stages : {1, 2, 3, 5, 8})
    for (int64_t microbatches : {1, 2, 4, 7, 64})
      for (bool splits : {false, true}) {
        ScheduleProblem problem =
            makeChain(stages, 1, microbatches, true, splits);
        for (const char *name : {"gpipe", "1f1b"}) {
          NamedSchedule schedule;
          std::vector<ActionTable> tables;
          ASSERT_EQ(parseSchedule(name, schedule), "");
          ASSERT_EQ(makeSchedule(schedule, problem, tables), "")
              << stages << " stages, " << microbatches;
          std::vector<int64_t> most = held(problem, tables);
          for (int64_t stage = 0; stage < stages; ++stage)
            EXPECT_EQ(most[stage], std::string(name) == "gpipe"
                                       ? microbatches
                                       : std::min(stages - stage, microbatches))
                << name << ", stage " << stage << " of " << stages << ", "
                << microbatches;
        }
      }
}

// The order of stages follows from the tasks' reads, not from their numbers.
TEST(ScheduleGenerators, followWhatIsRead) {
  ScheduleProblem problem = makeChain(3, 1, 4);
  for (StageTask &task : problem.tasks)
    task.stage = 2 - task.stage;
  const NamedSchedule schedule = ScheduleKind::OneForwardOneBackward;
  std::vector<ActionTable> tables;
  ASSERT_EQ(makeSchedule(schedule, problem, tables), "");
  EXPECT_EQ(held(problem, tables), (std::vector<int64_t>{1, 2, 3}));
}

// A value that two tasks of a stage read crosses once; one may skip a stage.
TEST(ScheduleGenerators, sendOnce) {
  ScheduleProblem problem = makeChain(3, 1, 1);
  auto at = [&](int64_t stage, StageTaskKind kind) {
    return static_cast<size_t>(problem.find(stage, 0, kind));
  };
  problem.reads.emplace_back(at(0, StageTaskKind::Forward),
                             at(1, StageTaskKind::Backward));
  problem.reads.emplace_back(at(0, StageTaskKind::Forward),
                             at(2, StageTaskKind::Forward));
  EXPECT_EQ(make("1f1b", problem), "F0 F0>1 F0>2 1>B0 B0\n"
                                   "0>F0 F0 F0>2 2>B0 B0 B0>0\n"
                                   "0>F0 1>F0 F0 B0 B0>1\n");
}

// No schedule has what reads in a circle.
TEST(ScheduleGenerators, refuseACircle) {
  ScheduleProblem problem = makeChain(2, 1, 1, false);
  problem.reads.emplace_back(1, 0);
  EXPECT_EQ(make("1f1b", problem),
            "schedule '1f1b': stage 0, action 1: 1>F0 waits forever");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of when transfers may move bytes, and tables in which stages would wait
// for each other forever. Places have 64 bytes, and are numbered.

#include "Ranks.h"
#include "runtime/core/Error.h"
#include "runtime/core/RandomDelays.h"
#include "runtime/core/StageTransfers.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using Lists = std::vector<std::vector<int>>;

/// Builds tables from words: "r3" runs a task that reads place 3, "w3" one that
/// writes it, "c3" one that reads it and has a collective over all stages, "b3"
/// one with a bucket of two of these, ">13" sends place 3 to stage 1, "<13"
/// receives from stage 1 into place 3. Messages between two stages are numbered
/// in their order.
class Tables {
public:
  explicit Tables(int stages) {
    executable.set_pipe_axis(pipeAxis);
    for (int i = 0; i < stages; ++i)
      setArenaBytes(*executable.add_stages(), 16 * 64);
  }

  format::Stage &stage(int i) { return *executable.mutable_stages(i); }

  void add(int at, const std::string &words) {
    format::Stage &own = stage(at);
    std::istringstream in(words);
    for (std::string word; in >> word;) {
      format::Action *action = own.add_actions();
      uint64_t place = uint64_t(word.back() - '0') * 64;
      if (std::string("rwcb").find(word[0]) != std::string::npos) {
        format::Run *run = action->mutable_run();
        run->set_task(uint32_t(own.tasks_size()));
        run->add_slots(place);
        format::Task *task = own.add_tasks();
        task->set_name(word);
        format::Operand *operand = task->add_operands();
        operand->set_slot(true);
        operand->set_size(64);
        operand->set_written(word[0] == 'w');
        if (word[0] == 'c')
          task->add_steps()->mutable_collective()->add_axes(pipeAxis);
        for (int k = 0; word[0] == 'b' && k < 2; ++k) {
          if (k == 0)
            task->add_steps();
          task->mutable_steps(0)->mutable_bucket()->add_members()->add_axes(
              pipeAxis);
        }
        continue;
      }
      bool sends = word[0] == '>';
      int peer = word[1] - '0';
      format::Transfer *transfer =
          sends ? action->mutable_send() : action->mutable_receive();
      transfer->set_peer(uint32_t(peer));
      transfer->set_offset(place);
      transfer->set_size(64);
      transfer->set_name(word);
      transfer->set_tag(sends ? sent[{at, peer}]++ : received[{peer, at}]++);
    }
  }

  /// Plays the tables. Returns an empty text if they end, and in `kept` the
  /// sends that are copied for that, by stage.
  std::string play(Lists *kept = nullptr) const {
    std::string circle;
    for (TransferPlan &plan : planTransfers(executable, &circle))
      if (kept)
        kept->push_back(std::move(plan.kept));
    return circle;
  }

  format::Executable executable;

private:
  static constexpr int pipeAxis = 1;
  std::map<std::pair<int, int>, uint64_t> sent, received;
};

TransferPlan planOf(const std::string &words) {
  Tables tables(1);
  tables.add(0, words);
  return planTransfers(tables.stage(0));
}

/// Plays two tables, as Tables::play() does, and compares the kept sends.
std::string play(const std::string &zero, const std::string &one, Lists kept) {
  Tables tables(2);
  tables.add(0, zero);
  tables.add(1, one);
  Lists found;
  std::string circle = tables.play(&found);
  EXPECT_EQ(found, kept);
  return circle;
}

TEST(TransferPlanTest, ReceivesArePostedWhenNothingBeforeThemUsesTheirBytes) {
  EXPECT_EQ(planOf("w1 r2 <12 r2 r1 <12 r2 <13").posts,
            (Lists{{7}, {}, {2}, {}, {5}, {}, {}, {}, {}}));
}

TEST(TransferPlanTest, WhatWasSentIsNotWrittenBeforeItIsReceived) {
  // Reading the bytes of a send is harmless; a later write needs no second
  // wait.
  EXPECT_EQ(planOf("w1 >11 r1 w2 >12 w1 w1").awaits,
            (Lists{{}, {}, {}, {}, {}, {1}, {}, {4}}));
}

TEST(TransferPlanTest, WhatWasSentIsNotReceivedIntoBeforeItIsReceived) {
  TransferPlan plan = planOf(">11 r2 <11 r1");
  EXPECT_EQ(plan.posts, (Lists{{}, {2}, {}, {}, {}}));
  EXPECT_EQ(plan.awaits, (Lists{{}, {}, {0}, {}, {}}));
}

TEST(TransferPlanTest, PlacesMayOverlapInPart) {
  Tables tables(1);
  tables.add(0, ">11 w2 <13 >14");
  format::Stage &stage = tables.stage(0);
  // Half of place 1 and half of place 2; the run's place 2 is half of it, too.
  stage.mutable_actions(2)->mutable_receive()->set_offset(96);
  stage.mutable_actions(2)->mutable_receive()->set_size(64);
  TransferPlan plan = planTransfers(stage);
  EXPECT_EQ(plan.posts, (Lists{{}, {}, {2}, {}, {}}));
  EXPECT_EQ(plan.awaits, (Lists{{}, {}, {0}, {}, {3}}));
}

TEST(TransferPlanTest, OperandsOfFixedPlacesAndOfTheHost) {
  Tables tables(1);
  tables.add(0, "w1 w2 <11 <12");
  format::Stage &stage = tables.stage(0);
  format::Operand *fixed = stage.mutable_tasks(0)->mutable_operands(0);
  fixed->set_slot(false);
  fixed->set_offset(100);
  fixed->set_size(28); // the last of place 1
  stage.mutable_tasks(1)->mutable_operands(0)->set_memory(format::HOST);
  EXPECT_EQ(planTransfers(stage).posts, (Lists{{3}, {2}, {}, {}, {}}));
}

TEST(TransferPlanTest, OtherStreamsAreDoneWhenTheMainOneHasWaited) {
  // The first task's step is on stream 1 and event 0.
  for (int waits : {-1, 1, 2}) {
    Tables tables(1);
    tables.add(0, "r1 r2 r2 r2 <11");
    format::Stage &stage = tables.stage(0);
    stage.set_streams(2);
    stage.set_events(1);
    for (int i = 0; i < 4; ++i) {
      format::Step *step = stage.mutable_tasks(i)->add_steps();
      step->mutable_copy();
      step->set_stream(i == 0);
      step->set_event(i == 0);
      if (i == waits)
        step->add_waits(0);
    }
    Lists expected(6);
    expected[waits < 0 ? 4 : size_t(waits) + 1] = {4};
    EXPECT_EQ(planTransfers(stage).posts, expected) << waits;
  }
}

TEST(TransferPlanTest, AStepEndsWhenAllIsReceived) {
  EXPECT_EQ(planOf(">11 >12").awaits, (Lists{{}, {}, {0, 1}}));
  // With nothing sent and nothing received there is nothing to do.
  EXPECT_EQ(planOf("w1 r1").posts, (Lists{{}, {}, {}}));
}

TEST(TransferCircleTest, BothSendBeforeEitherReceives) {
  for (auto [zero, one] :
       {std::pair(">11 <12", ">01 <02"),
        std::pair("w1 >11 w1 <12 r2", "w1 >01 w1 <02 r2"),
        std::pair(">11 w1 >11 w1 <12 <13", ">01 w1 >01 w1 <02 <03")})
    EXPECT_EQ(play(zero, one, {{}, {}}), "");
}

TEST(TransferCircleTest, BothReceiveFirst) {
  EXPECT_EQ(play("<12 >11", "<02 >01", {{}, {}}),
            "stage 0 stops at action 0, \"<12\"");
  // Keeping a send's bytes helps the first pair only.
  EXPECT_EQ(play(">11 <11 <12 >13", ">01 <01 <02 >03", {{0}, {}}),
            "stage 0 stops at action 2, \"<12\"");
}

TEST(TransferCircleTest, WhatIsSentHasNoPlaceToGo) {
  // Each overwrites the bytes that it has sent before the place of its receive
  // is free.
  EXPECT_EQ(play("r2 >11 w1 r2 <12", "r2 >01 w1 r2 <02", {{1}, {}}), "");
  // One of them has room.
  EXPECT_EQ(play("r2 >11 w1 r2 <12", "r2 >01 w1 r2 <03", {{}, {}}), "");
  // An exchange in place.
  EXPECT_EQ(play(">11 <11", ">01 <01", {{0}, {}}), "");
}

TEST(TransferPlanTest, CollectivesOverStagesWaitForAllStages) {
  EXPECT_EQ(play("r1 c1 >12", "c1 <02 r2", {{}, {}}), "");
  EXPECT_EQ(play("b1 c1 >12", "b1 c1 <02 r2", {{}, {}}), "");
  // One stage receives before its task, and the other sends after its own.
  EXPECT_EQ(play("r1 c1 >12", "<02 r2 c1", {{}, {}}),
            "stage 0 stops at action 1, \"c1\"");
  EXPECT_EQ(play("r1 b1 >12", "c1 <02 r2 c1", {{}, {}}),
            "stage 0 stops at action 1, \"b1\"");
  // One has more of them.
  EXPECT_EQ(play("c1 >12", "c1 <02 c1", {{}, {}}),
            "stage 1 stops at action 2, \"c1\"");
}

TEST(TransferPlanTest, WhatIsReceivedInAnotherOrderIsInAnotherLane) {
  Tables tables(2);
  tables.add(0, ">11 >12 >13 <14");
  tables.add(1, "<01 <02 <03 >04");
  format::Stage &stage = tables.stage(1);
  std::vector<TransferPlan> plans = planTransfers(tables.executable);
  EXPECT_EQ(plans[0].lanes, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(plans[1].previous, (std::vector<int>{-1, 0, 1, -1}));
  EXPECT_EQ(lanesOf(tables.executable, plans).size(), 2u);
  // The third message first.
  for (auto [i, tag] : {std::pair(0, 2u), {1, 0u}, {2, 1u}})
    stage.mutable_actions(i)->mutable_receive()->set_tag(tag);
  plans = planTransfers(tables.executable);
  EXPECT_EQ(plans[0].lanes, (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(plans[1].lanes, (std::vector<int>{1, 0, 0, 0}));
  EXPECT_EQ(plans[1].previous, (std::vector<int>{-1, -1, 1, -1}));
  EXPECT_EQ(lanesOf(tables.executable, plans).size(), 3u);
}

TEST(TransferPlanTest, ALaneIsPostedInItsOrder) {
  // The second message's place is free at once, the first's after `w1`. A wait
  // for the second one's receipt also waits for the first.
  std::string zero = "w2 >12 w3 >13 w3 >14", one = "<04 w1 <01 <02";
  Tables tables(2);
  tables.add(0, zero);
  tables.add(1, one);
  // Received: 4 is the third that was sent, in a lane of its own.
  for (auto [i, tag] : {std::pair(0, 2u), {2, 0u}, {3, 1u}})
    tables.stage(1).mutable_actions(i)->mutable_receive()->set_tag(tag);
  Lists kept;
  EXPECT_EQ(tables.play(&kept), "");
  EXPECT_EQ(kept, (Lists{{3}, {}}));
}

/// Plays a stage's table on one rank. In it, a send comes after the task that
/// writes its bytes. Checks what is received.
void replay(const Tables &tables, int rank, Transport &transport, int steps,
            uint64_t seed) {
  const format::Stage &stage = tables.executable.stages(rank);
  Mesh mesh({{"pipe", uint32_t(tables.executable.stages_size()), false}}, 0);
  ThreadPool pool(1, SpinPolicy{});
  CpuDevice device(16 * 64, pool);
  StageTransfers transfers(
      tables.executable, mesh, rank, device, transport, nullptr,
      [](const std::string &) {}, [](const Span &) {},
      [](int, Span::Kind, bool) {});
  RandomDelays delays(seed, 1);
  auto at = [&](uint64_t offset) {
    return static_cast<uint64_t *>(device.at(offset).host());
  };
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < stage.actions_size(); ++i) {
      const format::Action &action = stage.actions(i);
      delays.pause(0);
      transfers.before(i);
      if (action.has_run()) {
        if (!stage.tasks(int(action.run().task())).operands(0).written())
          continue;
        // The value of the next send is known by its tag.
        bool isSent =
            i + 1 < stage.actions_size() && stage.actions(i + 1).has_send();
        std::fill_n(at(action.run().slots(0)), 8,
                    isSent ? stage.actions(i + 1).send().tag() + 100 * step
                           : ~uint64_t(0));
      } else if (action.has_send()) {
        transfers.send(i);
      } else {
        transfers.receive(i);
        uint64_t *got = at(action.receive().offset());
        uint64_t known = action.receive().tag() + 100 * uint64_t(step);
        if (got[0] != known || got[7] != known)
          fail("rank ", rank, ", action ", i, ": got ", got[0], ", expected ",
               known);
      }
    }
    transfers.before(stage.actions_size());
  }
}

TEST(StageTransfersTest, SymmetricExchangesUnderRandomDelays) {
  Tables tables(2);
  tables.add(0, "w1 >11 w1 <12 r2 w3 >13 <12 r2 <13");
  tables.add(1, "w1 >01 w1 <02 r2 w3 >03 <02 r2 w1 >01");
  Lists kept;
  ASSERT_EQ(tables.play(&kept), "");
  EXPECT_EQ(kept, (Lists{{}, {}}));
  Ranks(2).run([&](int rank, Transport &transport) {
    replay(tables, rank, transport, 200, uint64_t(rank));
  });
}

/// Sends and receives of random tables match; all else is drawn.
Tables drawTables(std::mt19937 &random, int stages) {
  std::vector<std::string> words(stages);
  auto place = [&] { return std::to_string(random() % 3); };
  int messages = 4 + int(random() % 8);
  for (int m = 0; m < messages; ++m) {
    int from = int(random() % unsigned(stages));
    int to = (from + 1 + int(random() % unsigned(stages - 1))) % stages;
    for (int stage : {from, to})
      for (unsigned i = random() % 3; i > 0; --i)
        words[stage] += (random() % 2 ? " w" : " r") + place();
    words[from] += " >" + std::to_string(to) + place(); // and a write
    words[to] += " <" + std::to_string(from) + place();
  }
  // Neighbours change places: what is received early may now come late.
  Tables tables(stages);
  for (int stage = 0; stage < stages; ++stage) {
    std::istringstream in(words[stage]);
    std::vector<std::string> list{std::istream_iterator<std::string>(in), {}};
    for (size_t i = 1; i < list.size(); ++i)
      if (list[i - 1][0] != list[i][0] && random() % 3 == 0)
        std::swap(list[i - 1], list[i]);
    std::string own;
    for (const std::string &word : list)
      own += (word[0] == '>' ? "w" + word.substr(2) + " " : "") + word + " ";
    tables.add(stage, own);
  }
  return tables;
}

TEST(StageTransfersTest, RandomTablesThatPassComeToAnEnd) {
  std::mt19937 random(7);
  int passed = 0, keeping = 0, circles = 0;
  for (int i = 0; i < 300; ++i) {
    int stages = 2 + int(random() % 3);
    Tables tables = drawTables(random, stages);
    Lists kept;
    if (!tables.play(&kept).empty()) {
      ++circles;
      continue;
    }
    ++passed;
    keeping += std::any_of(kept.begin(), kept.end(),
                           [](const auto &sends) { return !sends.empty(); });
    SCOPED_TRACE(i);
    Ranks(stages).run([&](int rank, Transport &transport) {
      replay(tables, rank, transport, 3, uint64_t(i) * 8 + uint64_t(rank));
    });
  }
  EXPECT_GT(passed, 100);
  EXPECT_GT(keeping, 3);
  EXPECT_GT(circles, 0);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules on the clock: against published tables, and the search on random
// pipelines.
#include "planning/Random.h"
#include "planning/ScheduleDrawing.h"
#include "planning/ScheduleText.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>

using namespace zcc::planning;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> readRows(const std::string &name) {
  std::ifstream in(std::string(INSTANCES "/") + name);
  EXPECT_TRUE(in) << name;
  auto cells = [](const std::string &line) {
    std::vector<std::string> out;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
      out.push_back(cell);
    return out;
  };
  std::string line;
  std::getline(in, line);
  std::vector<std::string> header = cells(line);
  std::vector<Row> out;
  while (std::getline(in, line)) {
    std::vector<std::string> values = cells(line);
    Row &row = out.emplace_back();
    for (size_t i = 0; i < header.size(); ++i)
      row[header[i]] = values.at(i);
  }
  EXPECT_FALSE(out.empty());
  return out;
}

double number(const Row &row, const std::string &name) {
  return std::stod(row.at(name));
}

NamedSchedule scheduleOf(const std::string &name) {
  NamedSchedule schedule;
  EXPECT_EQ(parseSchedule(name, schedule), "");
  return schedule;
}

ScheduleRequest makeRequest(const Row &row, const std::string &unit = "") {
  ScheduleRequest request;
  request.microbatches = std::stol(row.at("m"));
  StageCost cost{number(row, "tf" + unit), number(row, "tb" + unit),
                 number(row, "tw" + unit),
                 unit.empty() ? 0 : number(row, "tcomm" + unit)};
  request.stages.assign(std::stoul(row.at("p")), cost);
  return request;
}

double bubbleOf(const FoundSchedule &found, const ScheduleRequest &request) {
  const StageCost &cost = request.stages.front();
  double work = static_cast<double>(request.microbatches) *
                (cost.forward + cost.backward + cost.weights);
  return (found.times.rankCost - work) / found.times.rankCost;
}

// GPipe, Megatron-LM (SC 2021), Zero Bubble (2401.10241).
TEST(ScheduleSearch, publishedSchedules) {
  for (const char *file : {"pipeline_schedules.csv", "pipeline_early.csv"})
    for (const Row &row : readRows(file)) {
      ScheduleRequest request = makeRequest(row);
      std::string name = row.at("schedule");
      bool early = name.find("+early-dI") != std::string::npos;
      name = name.substr(0, name.find("+early-dI"));
      if (name.rfind("interleaved", 0) == 0)
        name = "interleaved:2";
      FoundSchedule found;
      ASSERT_EQ(makeNamed(request, scheduleOf(name), early, found), "");
      std::string where = row.at("schedule") + " " + row.at("p") + " stages, " +
                          row.at("m") + " microbatches";
      EXPECT_NEAR(found.times.makespan, number(row, "makespan"), 1e-9) << where;
      if (row.count("rank_cost")) {
        EXPECT_NEAR(found.times.rankCost, number(row, "rank_cost"), 1e-9)
            << where;
      }
      std::istringstream peaks(row.at("peak_in_flight_until_W"));
      for (double peak : found.times.peak) {
        double wanted = -1;
        peaks >> wanted;
        EXPECT_NEAR(peak, wanted, 1e-9) << where;
      }
      request.memory = found.times.worstPeak();
      std::optional<FoundSchedule> best = searchSchedule(request);
      ASSERT_TRUE(best) << where;
      EXPECT_LE(best->times.rankCost, found.times.rankCost + 1e-9) << where;
      EXPECT_LE(best->times.worstPeak(), request.memory + 1e-9) << where;
    }
}

// Tables 5 and 6 of the zero-bubble paper: printed are four digits; what is
// kept for weights by its table 1.
TEST(ScheduleSearch, publishedBubbles) {
  for (const Row &row : readRows("pipeline_bubbles.csv")) {
    ScheduleRequest request = makeRequest(row, "_ms");
    bool isSmall = row.at("model") == "1.5B";
    request.weightMemory =
        32 / (isSmall ? 34 + 5 * 24 * 1024 / 2304.0 : 34 + 40.0);
    std::string where = row.at("model") + " " + row.at("m");
    for (auto [name, column] :
         {std::pair("1f1b", "1f1b"), {"zb-h1", "zb_h1"}, {"zb-h2", "zb_h2"}}) {
      FoundSchedule found;
      ASSERT_EQ(makeNamed(request, scheduleOf(name), false, found), "");
      EXPECT_NEAR(bubbleOf(found, request), number(row, column), 1.5e-4)
          << where << " " << name;
    }
    for (auto [times, column] :
         {std::pair(1, "zb_1p"), std::pair(2, "zb_2p")}) {
      request.memory = times * static_cast<double>(request.stages.size());
      std::optional<FoundSchedule> best = searchSchedule(request);
      ASSERT_TRUE(best);
      EXPECT_LE(bubbleOf(*best, request), number(row, column) + 5e-5)
          << where << " " << column;
      EXPECT_LE(best->times.worstPeak(), request.memory + 1e-9);
    }
  }
}

ScheduleRequest drawRequest(Random &random) {
  auto upTo = [&](uint64_t most) {
    return static_cast<int64_t>(random.below(most)) + 1;
  };
  ScheduleRequest request;
  request.microbatches = upTo(32);
  int64_t stages = 1 + upTo(7);
  bool even = random.below(3) == 0;
  double send = static_cast<double>(random.below(3)) * 0.2;
  for (int64_t stage = 0; stage < stages; ++stage) {
    auto seconds = [&] {
      return even ? 1.0 : 0.25 * static_cast<double>(upTo(12));
    };
    request.stages.push_back({seconds(), seconds(), seconds(), send});
  }
  request.weightMemory = 0.25 * static_cast<double>(upTo(4));
  request.countsMakespan = random.below(2) != 0;
  return request;
}

/// Plays the tables with a thread for each stage, which waits at random, over
/// transfers of two buffers each. Returns true if it ended; it gives up after
/// some seconds without any progress.
bool replay(const FoundSchedule &found, int64_t buffers, uint64_t seed) {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int64_t, size_t>, int64_t> underWay;
  std::map<std::pair<int64_t, size_t>, std::set<int64_t>> there;
  bool stuck = false;
  auto playStage = [&](int64_t stage) {
    std::mt19937_64 random(seed + static_cast<uint64_t>(stage));
    for (const StageAction &action : found.tables[stage]) {
      if (random() % 4 == 0)
        std::this_thread::yield();
      if (action.kind == StageAction::Run)
        continue;
      bool sends = action.kind == StageAction::Send;
      std::pair key{sends ? action.peer : stage, action.task};
      std::unique_lock<std::mutex> lock(mutex);
      auto may = [&] {
        return stuck || (sends ? underWay[key] < buffers
                               : there[key].count(action.microbatch) != 0);
      };
      if (!changed.wait_for(lock, std::chrono::seconds(20), may) || stuck) {
        stuck = true;
        changed.notify_all();
        return;
      }
      if (sends) {
        ++underWay[key];
        there[key].insert(action.microbatch);
      } else {
        --underWay[key];
        there[key].erase(action.microbatch);
      }
      changed.notify_all();
    }
  };
  std::vector<std::thread> threads;
  for (size_t stage = 0; stage < found.tables.size(); ++stage)
    threads.emplace_back(playStage, static_cast<int64_t>(stage));
  for (std::thread &thread : threads)
    thread.join();
  return !stuck;
}

TEST(ScheduleSearch, randomPipelines) {
  const char *more = std::getenv("ZCC_RANDOM_PIPELINES");
  int64_t count = more ? std::atol(more) : 40;
  Random random;
  for (int64_t seed = 0; seed < count; ++seed) {
    ScheduleRequest request = drawRequest(random);
    auto secondsOf = [&](const FoundSchedule &found) {
      return request.countsMakespan ? found.times.makespan
                                    : found.times.rankCost;
    };
    FoundSchedule usual;
    ASSERT_EQ(makeNamed(request, defaultSchedule, false, usual), "") << seed;
    for (const char *name : {"gpipe", "interleaved:2", "interleaved:3", "zb-h1",
                             "zb-h2", "zb-v"}) {
      FoundSchedule found;
      std::string wrong =
          makeNamed(request, scheduleOf(name), random.below(2) != 0, found);
      if (std::string(name).rfind("interleaved", 0) == 0 &&
          request.microbatches % static_cast<int64_t>(request.stages.size()))
        EXPECT_NE(wrong, "") << seed << " " << name;
      else
        EXPECT_EQ(wrong, "") << seed << " " << name;
      if (wrong.empty()) {
        int64_t buffers = countBuffers(found.problem, found.tables);
        EXPECT_LE(buffers, 2) << seed << " " << name;
        EXPECT_TRUE(replay(found, buffers, static_cast<uint64_t>(seed)))
            << seed << " " << name;
      }
    }
    request.memory = usual.times.worstPeak();
    std::optional<FoundSchedule> best = searchSchedule(request);
    ASSERT_TRUE(best) << seed;
    EXPECT_EQ(verifySchedule(best->problem, best->tables), "") << seed;
    int64_t buffers = countBuffers(best->problem, best->tables);
    EXPECT_TRUE(replay(*best, buffers, static_cast<uint64_t>(seed))) << seed;
    EXPECT_LE(secondsOf(*best), secondsOf(usual) + 1e-9) << seed;
    EXPECT_LE(best->times.worstPeak(), request.memory + 1e-9) << seed;
  }
}

TEST(ScheduleSearch, everyStageHasItsMemory) {
  ScheduleRequest request;
  request.microbatches = 8;
  request.stages.resize(4);
  request.memories = {8, 3, 8, 2};
  request.mostOrders = 200;
  std::optional<FoundSchedule> best = searchSchedule(request);
  ASSERT_TRUE(best);
  for (size_t stage = 0; stage < 4; ++stage)
    EXPECT_LE(best->times.peak[stage], request.memories[stage] + 1e-9) << stage;
  request.memories[3] = 0.4;
  EXPECT_FALSE(searchSchedule(request));
}

TEST(ScheduleSearch, refusesWhatNothingHolds) {
  ScheduleRequest request;
  request.stages.resize(2);
  request.memory = 0.4;
  EXPECT_FALSE(searchSchedule(request));
}

TEST(ScheduleSearch, microbatchesThatStagesHold) {
  using Held = std::vector<double>;
  auto countHeld = [](const char *name, const std::vector<std::string> &rows,
                      int64_t stages, int64_t microbatches) {
    return zcc::planning::countHeld(scheduleOf(name), rows, stages,
                                    microbatches);
  };
  EXPECT_EQ(countHeld("1f1b", {}, 4, 8), (Held{4, 3, 2, 1}));
  EXPECT_EQ(countHeld("1f1b", {}, 4, 2), (Held{2, 2, 2, 1}));
  EXPECT_EQ(countHeld("gpipe", {}, 2, 8), (Held{8, 8}));
  EXPECT_EQ(countHeld("1f1b", {}, 1, 8), (Held{1}));
  // Counted from the table itself, whatever its name; text that is no table has
  // no answer.
  EXPECT_EQ(countHeld("gpipe", {"F0 F0>1 1>B0 B0 F1 F1>1 1>B1 B1",
                                "0>F0 F0 B0 B0>0 0>F1 F1 B1 B1>0"},
                      2, 2),
            (Held{1, 1}));
  EXPECT_EQ(countHeld("gpipe", {"F0", "B0"}, 2, 1), Held());
  EXPECT_EQ(countHeld("interleaved:2", {}, 2, 3), Held());
}

TEST(ScheduleClock, unevenStagesAndTransfers) {
  // F: 0-1, sent until 1.5; 1.5-3.5; backward 3.5-7.5, sent until 8; 8-10.
  ScheduleRequest request;
  request.stages = {{1, 1, 1, 0.5}, {2, 2, 2, 0.5}};
  FoundSchedule found;
  ASSERT_EQ(makeNamed(request, ScheduleKind::GPipe, false, found), "");
  EXPECT_EQ(found.times.makespan, 10);
  EXPECT_EQ(found.times.rankCost, 10);
  EXPECT_EQ(found.times.work, 6);
  ASSERT_EQ(found.times.spans.size(), 2U);
  EXPECT_EQ(found.times.spans[1][0].begin, 1.5);
  EXPECT_EQ(drawScheduleText(found.problem, found.times, 20),
            "F0..............B0==\n...F0==B0======.....\n");
}

TEST(ScheduleText, costs) {
  StageCost cost;
  EXPECT_EQ(parseStageCost("f=1,b=2, w=3.5,send=0.25", cost), "");
  EXPECT_EQ(cost.weights, 3.5);
  EXPECT_EQ(cost.send, 0.25);
  EXPECT_EQ(parseStageCost("f=1,b=2,w=x", cost),
            "w: expected 0 to 1e+30, found 'x'");
  std::vector<StageCost> costs;
  EXPECT_EQ(parseStageCosts("w,stage,f,b\n1,1,2,3\n4,0,5,6\n", costs), "");
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].weights, 4);
  EXPECT_EQ(costs[1].backward, 3);
  EXPECT_EQ(costs[1].send, 0);
  EXPECT_EQ(parseStageCosts("", costs), "expected a line a stage");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of one process when one of them fails, does something else, or is slow:
// the others end, and messages name the rank.

#include "Ranks.h"
#include "Toy.h"
#include "runtime/core/BasicSteps.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/launch/RankHost.h"
#include "runtime/launch/Watchdog.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <stdexcept>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

std::vector<int> allOf(int count) {
  std::vector<int> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(FailureTest, AFailingRankStopsTheOthers) {
  for (int what = 0; what < 2; ++what)
    try {
      Ranks(4).run([&](int rank, Transport &transport) {
        if (rank == 2)
          fail("rank 2 had enough");
        int value = 1;
        if (what == 0)
          transport.open(allOf(4))->allReduce(ElementType::I32, Reduction::Sum,
                                              &value, &value, 1);
        else
          transport.receive(2, 0, &value, sizeof(value));
      });
      FAIL();
    } catch (const Error &error) {
      EXPECT_STREQ(error.what(), "rank 2 had enough");
    }
}

TEST(FailureTest, DifferentCollectivesAreAnError) {
  try {
    Ranks(2).run([&](int rank, Transport &transport) {
      std::vector<int> v(10);
      transport.open({0, 1})->allReduce(ElementType::I32, Reduction::Sum,
                                        v.data(), v.data(), rank ? 10 : 9);
    });
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("all-reduce"), std::string::npos);
  }
}

// The watchdog's messages in a step that rank 1 begins late.
static std::vector<std::string> runWithSlowRank(const ToyOptions &toy) {
  format::Executable executable = makeToy(toy);
  std::mutex mutex;
  std::vector<std::string> said;
  RunOptions options;
  options.threads = 1;
  options.watchdog = 0.5;
  options.report = [&](const std::string &message) {
    std::lock_guard<std::mutex> lock(mutex);
    said.push_back(message);
  };
  {
    RankHost run(executable, cpuBackend(), options);
    run.onAllRanks([&](int rank) {
      if (rank == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(900));
      run.runStep(rank, false);
    });
  }
  return said;
}

TEST(FailureTest, ASlowRankIsNamedByThoseThatWaitForIt) {
  ToyOptions toy;
  toy.data = 3;
  std::vector<std::string> said = runWithSlowRank(toy);
  ASSERT_GE(said.size(), 2u);
  for (int rank : {0, 2}) {
    std::string by = "rank " + std::to_string(rank) + " has waited";
    bool found = false;
    for (const std::string &message : said)
      found |= message.find(by) == 0 &&
               message.find("last step done \"toy_") != std::string::npos &&
               message.find("pending \"after: all-reduce over data of scalar "
                            "loss (toy.py:3)\"") != std::string::npos &&
               message.find("waits for rank 1") != std::string::npos &&
               message.find("rank 1 is between steps") != std::string::npos;
    EXPECT_TRUE(found) << by << ": " << said[0];
  }
}

TEST(FailureTest, AStalledStageIsNamedWithTheTransferThatIsWaitedFor) {
  ToyOptions toy;
  toy.stages = 3;
  toy.microbatches = 2;
  std::vector<std::string> said = runWithSlowRank(toy);
  for (int rank : {0, 2}) {
    std::string by = "rank " + std::to_string(rank) + " (stage " +
                     std::to_string(rank) + ") has waited";
    bool found = false;
    for (const std::string &message : said)
      found |= message.find(by) == 0 &&
               message.find("pending \"transfer of microbatch 0, from stage "
                            "1\", waits for rank 1") != std::string::npos &&
               message.find("rank 1 (stage 1) is between steps") !=
                   std::string::npos;
    EXPECT_TRUE(found) << by << ": " << (said.empty() ? "nothing" : said[0]);
  }
}

TEST(FailureTest, ADelayIsNoFailure) {
  ToyOptions toy;
  toy.data = 3;
  format::Executable executable = makeToy(toy);
  std::mutex mutex;
  std::string said;
  RunOptions options;
  options.threads = 1;
  options.watchdog = 1;
  options.linkDelay = LinkDelay{1.2};
  options.report = [&](const std::string &message) {
    std::lock_guard<std::mutex> lock(mutex);
    said += message;
  };
  auto start = std::chrono::steady_clock::now();
  {
    RankHost run(executable, cpuBackend(), options);
    run.onAllRanks([&](int rank) { run.runStep(rank, false); });
  }
  EXPECT_EQ(said, "");
  // One delay for the loss, and one for the gradient.
  EXPECT_GE(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count(),
      2.4);
}

/// A CPU's backend, but one step of rank 1 throws in the second step of
/// training.
class FailingBackend : public Backend {
public:
  explicit FailingBackend(std::string step) : step(std::move(step)) {}
  const char *name() const override { return "cpu"; }
  void check(const format::Executable &e) const override {
    cpuBackend().check(e);
  }
  Facts describe(const format::Executable &) const override { return {}; }
  uint64_t memoryBytes() const override { return 0; }
  std::unique_ptr<LoadedCode> load(const format::Executable &e) const override {
    return std::make_unique<Code>(cpuBackend().load(e), step);
  }

private:
  struct FailingStep : Step {
    explicit FailingStep(std::unique_ptr<Step> one) : inner(std::move(one)) {
      reads = inner->reads;
      writes = inner->writes;
    }
    void prepare(ResourceRequest &request) override { inner->prepare(request); }
    void initialize() override { inner->initialize(); }
    bool isHostWork() const override { return inner->isHostWork(); }
    void execute(const Frame &frame) override {
      if (++times == 2)
        throw std::logic_error("rank 1 had enough");
      inner->execute(frame);
    }
    const std::unique_ptr<Step> inner;
    int times = 0;
  };
  struct Factory : StepFactory {
    Factory(std::unique_ptr<StepFactory> inner, const std::string &name)
        : inner(std::move(inner)), name(name) {}
    std::unique_ptr<Step> create(const format::Step &step,
                                 const format::Task &task) override {
      std::unique_ptr<Step> made = inner->create(step, task);
      if (step.name() == name)
        made = std::make_unique<FailingStep>(std::move(made));
      return made;
    }
    const std::unique_ptr<StepFactory> inner;
    const std::string name;
  };
  struct Code : LoadedCode {
    Code(std::unique_ptr<LoadedCode> inner, const std::string &name)
        : inner(std::move(inner)), name(name) {}
    std::unique_ptr<Device> makeDevice(const RankSetting &setting) override {
      return inner->makeDevice(setting);
    }
    std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                           Device &device) override {
      auto steps = inner->makeSteps(setting, device);
      return setting.rank == 1
                 ? std::make_unique<Factory>(std::move(steps), name)
                 : std::move(steps);
    }
    const std::unique_ptr<LoadedCode> inner;
    const std::string name;
  };

  const std::string step;
};

TEST(FailureTest, AStreamThatDiesEndsAllRanksAndNamesTheStep) {
  ToyOptions toy;
  toy.data = 3;
  toy.streams = true;
  format::Executable executable = makeToy(toy);
  RunOptions options;
  options.threads = 1;
  // A collective beside the main stream, and a kernel on it.
  const std::pair<const char *, const char *> cases[] = {
      {"after: all_reduce loss",
       "rank 1 had enough, in after: all-reduce over data of scalar loss "
       "(toy.py:3), on stream 1"},
      {"toy_sgd", "rank 1 had enough, in toy_sgd"}};
  for (auto [step, says] : cases) {
    FailingBackend backend(step);
    RankHost run(executable, backend, options);
    std::vector<int> steps(3, 0);
    auto train = [&](int rank) {
      for (; steps[rank] < 1000; ++steps[rank])
        run.runStep(rank, false);
    };
    try {
      run.onAllRanks(train);
      ADD_FAILURE() << "went on";
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::Failed);
      EXPECT_STREQ(error.what(), says);
    }
    // One may have been a step ahead.
    for (int each : steps)
      EXPECT_LE(each, 2);
  }
}

TEST(FailureTest, WorkersThatAreLateChangeNothing) {
  ToyOptions toy;
  toy.data = 2;
  toy.streams = true;
  format::Executable executable = makeToy(toy);
  RunOptions options;
  options.threads = 2;
  options.delaySeed = 3;
  auto start = std::chrono::steady_clock::now();
  RankHost run(executable, cpuBackend(), options);
  run.onAllRanks([&](int rank) {
    for (int step = 0; step < 20; ++step)
      run.runStep(rank, false);
  });
  // Each rank runs some 200 steps, of which one in eight waits for some 0.2 ms.
  EXPECT_GT(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count(),
      1e-3);
}

TEST(FailureTest, AnErrorInACollectiveSaysWhichOne) {
  ToyOptions toy;
  toy.data = 2;
  format::Executable executable = makeToy(toy);
  RunOptions options;
  options.threads = 1;
  RankHost run(executable, cpuBackend(), options);
  try {
    run.onAllRanks([&](int rank) {
      // Rank 1 begins with another collective than rank 0 does.
      if (rank == 1) {
        float value = 0, all[2];
        run.transport(1).open({0, 1})->allGather(ElementType::F32, &value, all,
                                                 1, 1, 1);
      }
      run.runStep(rank, false);
    });
    FAIL() << "the ranks agree";
  } catch (const Error &error) {
    std::string message = error.what();
    EXPECT_NE(message.find("all-reduce of 4 bytes"), std::string::npos)
        << message;
    EXPECT_NE(message.find("all-gather of 4 bytes"), std::string::npos)
        << message;
  }
}

} // namespace

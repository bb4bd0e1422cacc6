// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable set up on the ranks of this process.

#include "runtime/cpu/LocalRun.h"

#include "runtime/comm/CollectiveSteps.h"
#include "runtime/comm/InProcess.h"
#include "runtime/core/Error.h"
#include "runtime/core/Executor.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/KernelSteps.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstring>
#include <sys/sysinfo.h>

namespace zcc::rt {

namespace {
/// How long a rank waits for others before the watchdog speaks, seconds.
constexpr double patience = 60;
} // namespace

/// Memory is taken page by page as it is touched; what cannot fit would end the
/// process in the middle of a step, without a word.
static void checkMemory(const format::Executable &executable,
                        const Mesh &mesh) {
  struct sysinfo system;
  if (sysinfo(&system) != 0)
    return;
  uint64_t needed = 0;
  for (int rank = 0; rank < mesh.ranks(); ++rank)
    needed += executable.stages(mesh.stageOf(rank)).device_bytes();
  uint64_t present =
      (uint64_t(system.totalram) + system.totalswap) * system.mem_unit;
  if (needed > present)
    fail("the arenas of ", mesh.ranks(), " ranks take ", needed,
         " bytes, this machine has ", present);
}

struct LocalRun::Shared {
  Shared(const format::Executable &executable, int ranks,
         const Cancellation &cancellation, SpinPolicy policy)
      : hub(ranks, cancellation, policy) {
    if (!executable.object().empty())
      object = std::make_unique<ObjectCode>(executable.object());
    for (const format::Kernel &kernel : executable.kernels())
      functions.push_back(object->find(kernel.symbol()));
  }
  std::unique_ptr<ObjectCode> object;
  std::vector<KernelFunction> functions;
  InProcessHub hub;
  std::function<void(int, const format::State &, const void *, bool)> observer;
};

struct LocalRun::Rank : StepFactory, WaitObserver {
  Rank(LocalRun &run, int index) : run(run), index(index) {
    observer = [this](const format::State &place, const void *data,
                      bool scaled) {
      if (this->run.shared->observer)
        this->run.shared->observer(this->index, place, data, scaled);
    };
  }

  std::unique_ptr<Step> create(const format::Step &step,
                               const format::Task &task) override {
    switch (step.what_case()) {
    case format::Step::kKernel: {
      uint32_t kernel = step.kernel().kernel();
      return createKernelStep(step.kernel(),
                              run.executable.kernels(int(kernel)),
                              run.shared->functions[kernel]);
    }
    case format::Step::kCollective:
      return createCollectiveStep(step.collective(), run.theMesh, index,
                                  *transport);
    case format::Step::kCopy:
      return createCopyStep(step.copy(), task);
    case format::Step::kFill:
      return createFillStep(step.fill(), task);
    case format::Step::kObserve:
      return createObserveStep(step.observe(), observer);
    case format::Step::WHAT_NOT_SET:
      break;
    }
    fail("step \"", step.name(), "\" does nothing");
  }

  void longWait(double seconds) override { run.reportWait(index, seconds); }

  LocalRun &run;
  const int index;
  Observer observer;
  Arena arena;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Executor> executor;
  double nextReport = patience;
};

LocalRun::LocalRun(const format::Executable &executable, int threadsWanted,
                   std::function<void(const std::string &)> progress)
    : executable(executable), theMesh(executable),
      progress(std::move(progress)) {
  std::vector<std::string> lacking = lackingFeatures(
      {executable.cpu_features().begin(), executable.cpu_features().end()});
  if (!lacking.empty())
    badInput("the executable is compiled for ", executable.cpu(),
             ", this processor lacks ", listText(lacking));
  checkMemory(executable, theMesh);
  int cores = std::max(1u, std::thread::hardware_concurrency());
  int perRank =
      threadsWanted > 0 ? threadsWanted : std::max(1, cores / ranks());
  SpinPolicy policy;
  if (int64_t(perRank) * ranks() > cores)
    policy.spins = 0;
  shared = std::make_unique<Shared>(executable, ranks(), cancellation, policy);
  for (int i = 0; i < ranks(); ++i)
    rankStates.push_back(std::make_unique<Rank>(*this, i));
  threads = std::make_unique<RankThreads>(ranks(), cancellation, policy);
  // Each rank allocates what is its own, near its core.
  onAllRanks([&](int i) {
    Rank &rank = *rankStates[i];
    rank.arena = Arena(stage(i).device_bytes());
    if (ranks() > 1) {
      Coordinates coordinates = theMesh.coordinates(i);
      std::memcpy(rank.arena.at(stage(i).coordinates_offset()),
                  coordinates.data(), 4 * coordinates.size());
    }
    rank.pool = std::make_unique<ThreadPool>(perRank, policy);
    rank.transport = shared->hub.connect(i, *rank.pool, &rank);
    rank.executor = std::make_unique<Executor>(
        executable, theMesh, i, rank.arena, *rank.pool, *rank.transport);
    rank.executor->initialize(rank);
  });
}

LocalRun::~LocalRun() = default;

Arena &LocalRun::arena(int rank) { return rankStates[rank]->arena; }

const format::Stage &LocalRun::stage(int rank) const {
  return executable.stages(theMesh.stageOf(rank));
}

void LocalRun::onAllRanks(const std::function<void(int)> &work) {
  threads->run(work);
}

void LocalRun::runInit(int rank) { rankStates[rank]->executor->runInit(); }

void LocalRun::runStep(int rank, bool observing) {
  rankStates[rank]->nextReport = patience;
  rankStates[rank]->executor->runStep(observing);
}

void LocalRun::record(std::vector<std::vector<Span>> &spans) {
  spans.resize(ranks());
  for (int rank = 0; rank < ranks(); ++rank)
    rankStates[rank]->executor->record(&spans[rank]);
}

void LocalRun::setObserver(
    std::function<void(int, const format::State &, const void *, bool)>
        observer) {
  shared->observer = std::move(observer);
}

/// Names what every rank does: those in other steps than most are the suspects.
void LocalRun::reportWait(int rank, double seconds) {
  Rank &self = *rankStates[rank];
  if (seconds < self.nextReport || !progress)
    return;
  self.nextReport = seconds * 2;
  std::string message =
      text("rank ", rank, " has waited for ", int64_t(seconds), " s;");
  for (int i = 0; i < ranks() && i < 64; ++i) {
    const std::string *position =
        rankStates[i]->executor ? rankStates[i]->executor->position() : nullptr;
    message +=
        text(i ? ", " : " ", "rank ", i, " is ",
             position ? text("in \"", *position, "\"") : text("between steps"));
  }
  progress(message);
}

} // namespace zcc::rt

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
#include "runtime/launch/Processes.h"
#include "runtime/reference/ProgramSteps.h"

#include <algorithm>
#include <cstring>
#include <sys/sysinfo.h>

namespace zcc::rt {

/// Memory is taken page by page as it is touched; what cannot fit would end the
/// process in the middle of a step, without a word.
static void checkMemory(const format::Executable &executable, const Mesh &mesh,
                        const std::vector<int> &ranks) {
  struct sysinfo system;
  if (sysinfo(&system) != 0)
    return;
  uint64_t needed = 0;
  for (int rank : ranks)
    needed += executable.stages(mesh.stageOf(rank)).device_bytes();
  uint64_t present =
      (uint64_t(system.totalram) + system.totalswap) * system.mem_unit;
  if (needed > present)
    fail("the arenas of ", ranks.size(), " ranks take ", needed,
         " bytes, this machine has ", present);
}

struct LocalRun::Shared {
  Shared(const format::Executable &executable, int ranks,
         const Cancellation &cancellation, SpinPolicy policy)
      : hub(ranks, cancellation, policy) {
    if (!executable.object().empty())
      object = std::make_unique<ObjectCode>(executable.object());
    for (const format::Kernel &kernel : executable.kernels())
      if (object)
        functions.push_back(object->find(kernel.symbol()));
      else
        interpreters.emplace_back(kernel.program(),
                                  text("kernel \"", kernel.symbol(), "\""));
  }
  std::vector<reference::Interpreter> interpreters;
  std::unique_ptr<ObjectCode> object;
  std::vector<KernelFunction> functions;
  InProcessHub hub;
  std::function<void(int, const format::State &, const void *, bool)> observer;
};

struct LocalRun::Rank : StepFactory {
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
      if (!run.shared->interpreters.empty())
        return createProgramStep(step.kernel(),
                                 run.shared->interpreters[kernel]);
      return createKernelStep(step.kernel(),
                              run.executable.kernels(int(kernel)),
                              run.shared->functions[kernel]);
    }
    case format::Step::kCollective:
      return createCollectiveStep(step.collective(), run.theMesh, index,
                                  *transport);
    case format::Step::kBucket:
      return createBucketStep(step.bucket(), run.theMesh, index, *transport);
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

  LocalRun &run;
  const int index;
  Observer observer;
  Arena arena;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Executor> executor;
};

LocalRun::LocalRun(const format::Executable &executable,
                   const RunOptions &options)
    : executable(executable), theMesh(executable), processes(options.processes),
      usableCores(allowedCores()) {
  std::vector<std::string> lacking = lackingFeatures(
      {executable.cpu_features().begin(), executable.cpu_features().end()});
  if (!lacking.empty())
    badInput("the executable is compiled for ", executable.cpu(),
             ", this processor lacks ", listText(lacking));
  if (processes && processes->size() != ranks())
    badInput("the executable's mesh ", theMesh.describe(), " has ", ranks(),
             " ranks, started were ", processes->size());
  if (processes)
    local.push_back(processes->rank());
  else
    for (int i = 0; i < ranks(); ++i)
      local.push_back(i);
  checkMemory(executable, theMesh, local);

  // The ranks of a machine share out its cores, unless the launcher did.
  int neighbours = processes ? processes->localRanks() : ranks();
  if (processes && !processes->coresAreShared())
    neighbours = 1;
  int cores = int(std::max<size_t>(1, usableCores.size()));
  int perRank =
      options.threads > 0 ? options.threads : std::max(1, cores / neighbours);
  bool enough = int64_t(perRank) * neighbours <= cores;
  SpinPolicy policy;
  if (!enough)
    policy.spins = 0;
  if (processes)
    processes->setSpins(policy.spins);
  std::vector<CoreSet> nodes;
  if (enough && neighbours > 1)
    nodes = coresByNode(usableCores);

  Cancellation &stop = processes ? processes->cancellation() : cancellation;
  shared = std::make_unique<Shared>(executable, ranks(), stop, policy);
  rankStates.resize(ranks());
  for (int i : local)
    rankStates[i] = std::make_unique<Rank>(*this, i);
  threads = std::make_unique<RankThreads>(int(local.size()), stop, policy);
  // Each rank allocates what is its own, near its core.
  onAllRanks([&](int i) {
    if (!nodes.empty())
      bindThread(shareOfCores(nodes, processes ? processes->localIndex() : i,
                              neighbours));
    Rank &rank = *rankStates[i];
    rank.arena = Arena(stage(i).device_bytes());
    if (theMesh.hasCoordinates()) {
      Coordinates coordinates = theMesh.coordinates(i);
      std::memcpy(rank.arena.at(stage(i).coordinates_offset()),
                  coordinates.data(), 4 * coordinates.size());
    }
    // Between two launches of a step some run on one thread only; to be woken
    // costs more than most of them last.
    SpinPolicy inStep{policy.spins * 20};
    rank.pool = std::make_unique<ThreadPool>(perRank, inStep);
    rank.transport = processes ? processes->connect(*rank.pool)
                               : shared->hub.connect(i, *rank.pool);
    rank.executor = std::make_unique<Executor>(
        executable, theMesh, i, rank.arena, *rank.pool, *rank.transport);
    rank.executor->initialize(rank);
  });
  if (ranks() > 1 && options.report)
    startWatchdog(options);
}

void LocalRun::startWatchdog(const RunOptions &options) {
  Watchdog::Sources sources;
  sources.report = options.report;
  sources.ranks = [this] {
    std::vector<Watchdog::Look> looks;
    for (int i : local) {
      const Executor &executor = *rankStates[i]->executor;
      const std::string *now = executor.position();
      const std::string *last = executor.lastDone();
      Watchdog::Look look;
      look.moved = executor.begun();
      look.state.rank = i;
      look.state.pending = now ? *now : "";
      look.state.last = last ? *last : "";
      if (now)
        look.state.awaited = rankStates[i]->transport->awaited();
      looks.push_back(std::move(look));
    }
    return looks;
  };
  if (processes) {
    SideChannel &channel = processes->channel();
    sources.publish = [&](const RankState &state) { channel.publish(state); };
    sources.suspects = [&] { return channel.suspects(); };
  }
  unbound([&] {
    watchdog = std::make_unique<Watchdog>(options.watchdog, std::move(sources));
  });
}

LocalRun::~LocalRun() {
  watchdog.reset();
  bindThread(usableCores);
}

Arena &LocalRun::arena(int rank) { return rankStates[rank]->arena; }

const format::Stage &LocalRun::stage(int rank) const {
  return executable.stages(theMesh.stageOf(rank));
}

Transport &LocalRun::transport(int rank) {
  return *rankStates[rank]->transport;
}

void LocalRun::onAllRanks(const std::function<void(int)> &work) {
  threads->run([&](int i) { work(local[i]); });
}

void LocalRun::unbound(const std::function<void()> &work) {
  CoreSet bound = allowedCores();
  bindThread(usableCores);
  work();
  bindThread(bound);
}

void LocalRun::runInit(int rank) { rankStates[rank]->executor->runInit(); }

void LocalRun::runStep(int rank, bool observing) {
  rankStates[rank]->executor->runStep(observing);
}

void LocalRun::record(std::vector<std::vector<Span>> &spans) {
  spans.resize(ranks());
  for (int rank : local)
    rankStates[rank]->executor->record(&spans[rank]);
}

void LocalRun::setObserver(
    std::function<void(int, const format::State &, const void *, bool)>
        observer) {
  shared->observer = std::move(observer);
}

} // namespace zcc::rt

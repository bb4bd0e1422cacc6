// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets an executable up on the ranks of this process and runs it.

#include "runtime/launch/RankHost.h"

#include "runtime/comm/InProcess.h"
#include "runtime/core/Error.h"
#include "runtime/core/Executor.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"
#include "runtime/launch/ProgressWatch.h"
#include "runtime/launch/Watchdog.h"

#include <algorithm>

namespace zcc::rt {

/// The system may allocate memory only as it is touched. A run that does not
/// fit would be killed in the middle of a step, without a message.
static void checkMemory(const format::Executable &executable, const Mesh &mesh,
                        const std::vector<int> &ranks, uint64_t present) {
  uint64_t needed = 0;
  for (int rank : ranks)
    needed += addressableBytes(executable.stages(mesh.stageOf(rank)));
  if (present != 0 && needed > present)
    fail("the arenas of ", ranks.size(), " ranks take ", needed,
         " bytes, this machine has ", present);
}

struct RankHost::Shared {
  Shared(const format::Executable &executable, const Backend &backend,
         int ranks, const Cancellation &cancellation, SpinPolicy policy)
      : code(backend.load(executable)), hub(ranks, cancellation, policy) {}
  std::unique_ptr<LoadedCode> code;
  InProcessHub hub;
  std::function<void(int, const format::State &, const void *, bool)> observer;
};

struct RankHost::Rank {
  Rank(Shared &shared, int index)
      : observer([&shared, index](const format::State &place, const void *data,
                                  bool scaled) {
          if (shared.observer)
            shared.observer(index, place, data, scaled);
        }) {}

  const Observer observer;
  std::unique_ptr<ThreadPool> pool;
  // The pool of a transport that is called from another thread than kernels.
  std::unique_ptr<ThreadPool> transportPool;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Transport> delayed; // null: `transport` is as fast as it is
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceTransfers> transfers; // may be null
  std::unique_ptr<Executor> executor;
};

RankHost::RankHost(const format::Executable &executable, const Backend &backend,
                   const RunOptions &options)
    : executable(executable), theMesh(executable), processes(options.processes),
      usableCores(allowedCores()) {
  backend.check(executable);
  if (processes && processes->size() != ranks())
    badInput("the executable's mesh ", theMesh.describe(), " has ", ranks(),
             " ranks, started were ", processes->size());
  if (processes)
    local.push_back(processes->rank());
  else
    for (int i = 0; i < ranks(); ++i)
      local.push_back(i);
  if (processes && executable.stages_size() > 1)
    processes->describeStages([&](int rank) { return theMesh.stageOf(rank); });
  checkMemory(executable, theMesh, local, backend.memoryBytes());

  // The ranks of a machine share out its cores, unless the launcher did.
  int neighbours = processes ? processes->localRanks() : ranks();
  bool isBound = processes && !processes->coresAreShared();
  if (isBound)
    neighbours = 1;
  int cores = int(std::max<size_t>(1, usableCores.size()));
  int perRank =
      options.threads > 0 ? options.threads : std::max(1, cores / neighbours);
  bool enough = int64_t(perRank) * neighbours <= cores;
  SpinPolicy policy;
  if (!enough)
    policy.spins = 0;
  const bool isFirst = std::find(local.begin(), local.end(), 0) != local.end();
  if (neighbours > cores && isFirst && options.note &&
      backend.computesOnCores())
    options.note(text(
        neighbours, " ranks share ", cores, cores == 1 ? " core" : " cores",
        " here: each step takes about ", (neighbours + cores - 1) / cores,
        " times as long as with a core for each"));
  if (processes)
    processes->setSpins(policy.spins);

  Cancellation &stop = processes ? processes->cancellation() : cancellation;
  shared = std::make_unique<Shared>(executable, backend, ranks(), stop, policy);
  rankStates.resize(ranks());
  for (int i : local)
    rankStates[i] = std::make_unique<Rank>(*shared, i);
  threads = std::make_unique<RankThreads>(int(local.size()), stop, policy);
  // A rank runs near its device, and its memory is near its core.
  std::vector<CoreSet> nodes;
  std::vector<int> near;
  if (!isBound)
    nodes = coresByNode(usableCores);
  for (int i = 0; !isBound && i < neighbours; ++i)
    near.push_back(placeOfNode(nodes, shared->code->nodeOf(i)));
  onAllRanks([&](int i) {
    int index = processes ? processes->deviceIndex() : i;
    if (index >= neighbours)
      index = processes->localIndex(); // others of the machine are unknown here
    CoreSet own;
    if (!isBound)
      own = shareOfCores(nodes, near, index, enough);
    int count = perRank;
    if (options.threads <= 0 && !own.empty()) // a node has some of the cores
      count = std::min(count, int(own.size()));
    startRank(i, own, count, policy, options);
  });
  if (ranks() > 1 && options.report)
    startWatchdog(options);
}

/// Called on the rank's own thread.
void RankHost::startRank(int index, const CoreSet &cores, int threads,
                         SpinPolicy policy, const RunOptions &options) {
  bindThread(cores);
  Rank &rank = *rankStates[index];
  // Between two launches of a step some work runs on one thread only, and
  // waking a thread takes longer than most of that.
  SpinPolicy inStep{policy.spins * 20};
  rank.pool = std::make_unique<ThreadPool>(threads, inStep);
  if (stage(index).streams() > 1)
    rank.transportPool = std::make_unique<ThreadPool>(1, policy);
  ThreadPool &moving = rank.transportPool ? *rank.transportPool : *rank.pool;
  rank.transport = processes ? processes->connect(moving)
                             : shared->hub.connect(index, moving);
  const Cancellation &stop =
      processes ? processes->cancellation() : cancellation;
  if (options.linkDelay) {
    std::chrono::duration<double> ahead(processes ? processes->clockAhead()
                                                  : 0);
    rank.delayed = delayLinks(
        *rank.transport, index, *options.linkDelay,
        std::chrono::duration_cast<std::chrono::nanoseconds>(ahead), stop);
  }
  Transport &transport = rank.delayed ? *rank.delayed : *rank.transport;
  RankSetting setting{theMesh,   index,         *rank.pool,
                      transport, rank.observer, stop};
  setting.localIndex = processes ? processes->deviceIndex() : index;
  setting.localRanks = processes ? processes->localRanks() : ranks();
  setting.isProcess = processes != nullptr;
  setting.policy = policy;
  setting.note = options.note;
  setting.nanOrigins = options.nanOrigins;
  rank.device = shared->code->makeDevice(setting);
  if (executable.stages_size() > 1)
    rank.transfers = shared->code->makeTransfers(setting, *rank.device);
  rank.executor =
      std::make_unique<Executor>(executable, theMesh, index, *rank.device,
                                 transport, rank.transfers.get());
  std::unique_ptr<StepFactory> steps =
      shared->code->makeSteps(setting, *rank.device);
  rank.executor->initialize(*steps);
  if (options.delaySeed) {
    uint64_t seed = *options.delaySeed * uint64_t(ranks()) + uint64_t(index);
    rank.pool->delay(seed);
    rank.executor->delay(~seed);
  }
}

void RankHost::startWatchdog(const RunOptions &options) {
  Watchdog::Sources sources;
  sources.report = options.report;
  sources.ranks = [this] {
    std::vector<Watchdog::Look> looks;
    for (int i : local) {
      const Executor &executor = *rankStates[i]->executor;
      const std::string *now = executor.position();
      const std::string *last = executor.lastDone();
      Watchdog::Look look;
      look.moved = executor.begun() + (executor.told() << 20);
      look.state.rank = i;
      look.state.stage = stageNumber(i);
      look.state.pending = now ? *now : "";
      look.state.last = last ? *last : "";
      if (now)
        look.state.awaited = rankStates[i]->transport->awaited();
      if (now && look.state.awaited.empty())
        look.state.awaited = shared->code->awaited(i);
      // The device has not yet done all that the host has enqueued.
      if (look.state.awaited.empty())
        if (auto standing = executor.standing()) {
          look.state.last = standing->done ? *standing->done : "";
          look.state.pending = standing->pending ? *standing->pending : "";
          look.state.awaited = standing->awaited;
        }
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

RankHost::~RankHost() {
  watchdog.reset();
  bindThread(usableCores);
}

Device &RankHost::device(int rank) { return *rankStates[rank]->device; }

const format::Stage &RankHost::stage(int rank) const {
  return executable.stages(theMesh.stageOf(rank));
}

Transport &RankHost::transport(int rank) {
  return *rankStates[rank]->transport;
}

void RankHost::onAllRanks(const std::function<void(int)> &work) {
  threads->run([&](int i) { work(local[i]); });
}

void RankHost::unbound(const std::function<void()> &work) {
  CoreSet bound = allowedCores();
  bindThread(usableCores);
  work();
  bindThread(bound);
}

void RankHost::runInit(int rank) { rankStates[rank]->executor->runInit(); }

void RankHost::bindInputs(int rank, const std::vector<Address> &parts) {
  rankStates[rank]->executor->bindInputs(parts);
}

void RankHost::runStep(int rank, bool observing) {
  const Executor &executor = *rankStates[rank]->executor;
  try {
    rankStates[rank]->executor->runStep(observing);
  } catch (...) {
    const std::string *now = executor.position(), *last = executor.lastDone();
    if (processes && now)
      processes->noteEnd(describePlace(
          {rank, last ? *last : "", *now, {}, 0, 0, stageNumber(rank)}));
    throw;
  }
}

int RankHost::stageNumber(int rank) const {
  return executable.stages_size() > 1 ? theMesh.stageOf(rank) : -1;
}

void RankHost::record(std::vector<std::vector<Span>> &spans) {
  spans.resize(ranks());
  onAllRanks(
      [&](int rank) { rankStates[rank]->executor->record(&spans[rank]); });
}

void RankHost::stopRecording() {
  for (int rank : local)
    rankStates[rank]->executor->record(nullptr);
}

std::unique_ptr<ProgressWatch>
RankHost::watchProgress(std::vector<std::vector<Span>> &spans) {
  spans.resize(ranks());
  std::vector<ProgressWatch::Watched> watched;
  for (int rank : local)
    watched.push_back({rankStates[rank]->executor.get(), &spans[rank]});
  std::unique_ptr<ProgressWatch> made;
  if (watched.front().executor->told(0))
    unbound([&] { made = std::make_unique<ProgressWatch>(watched); });
  return made;
}

void RankHost::setObserver(
    std::function<void(int, const format::State &, const void *, bool)>
        observer) {
  shared->observer = std::move(observer);
}

} // namespace zcc::rt
